"""A director's desk on this machine, and a tournament on a server."""
