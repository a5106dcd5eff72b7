"""Requests about tournaments, and who officiates in them."""
