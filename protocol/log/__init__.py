"""A game's log: its records, their bodies and hashes, and the files that hold it."""
