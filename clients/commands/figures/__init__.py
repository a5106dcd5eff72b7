"""What is computed from files of games."""
