"""What HTTP serves: the page, games as files and feeds, pictures, figures."""
