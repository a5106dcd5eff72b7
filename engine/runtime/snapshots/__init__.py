"""Games loaded from snapshots instead of from their first record."""
