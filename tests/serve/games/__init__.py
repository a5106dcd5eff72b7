"""Games on a server."""
