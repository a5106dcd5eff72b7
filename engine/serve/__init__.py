"""The server: sockets, logins, limits, signals; and requests carried to the games."""
