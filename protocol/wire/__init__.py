"""What goes over a connection: frames, the session's states, and every message."""
