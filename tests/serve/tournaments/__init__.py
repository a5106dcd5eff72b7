"""Tournaments on a server."""
