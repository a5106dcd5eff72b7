"""The HTTP address: requests, WebSockets, what spectators may have, and what strangers may try."""
