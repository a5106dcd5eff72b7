"""The server: sockets, logins, limits and signals. It passes requests on to the games."""
