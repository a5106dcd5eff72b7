"""Who follows a game, how late, and what leaves for them."""
