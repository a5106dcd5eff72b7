"""People: accounts and what they may do. Everything private stands here, in a small SQLite file of
its own, and nothing of it in any game's log."""
