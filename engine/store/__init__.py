"""The store: games kept as append-only files of frames, behind one port.

`port` is the contract. `wal` is the store of a server (a write-ahead log with group commit),
`memory` the one for tests and self-play. This package imports only `protocol`, and treats what it
stores as opaque bytes.
"""
