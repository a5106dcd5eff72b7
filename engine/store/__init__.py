"""The store: games kept as append-only files of frames, behind one port.

`port` is the contract; `wal` is the store of a server (write-ahead log with group commit), `memory` the one for tests and
self-play. This package imports `protocol` only and treats what it keeps as opaque bytes.
"""
