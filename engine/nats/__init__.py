"""A client of NATS on trio: what the fleet's store stands on.

`wire` reads and writes the protocol without any I/O. `port` is the narrow interface through which
everything else speaks to an engine, so that a modelled one can take its place. `client` is that
interface over sockets, `keys` signs a server's challenge, and `jetstream` knows the requests of
JetStream that a store needs.

It is our own since no client for trio or anyio exists. One with a loop or threads of its own cannot
be put under a mock clock. Of the engine only `engine.store` may import it.
"""
