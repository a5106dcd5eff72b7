"""Connections: sockets, WebSockets, what a client may do, and what each request costs."""
