"""What players, arbiters and hosts do on a server."""
