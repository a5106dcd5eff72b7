"""The store of one server: a data directory with one write-ahead log and a file for each game."""
