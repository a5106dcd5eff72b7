"""The store that the machines of a fleet share, on NATS JetStream, and its archive."""
