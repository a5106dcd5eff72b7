"""Tools for authors of titles and languages."""
