"""A game of the series put together: its pack, position, events and set-up (OCS 0)."""
