"""The clocks of a game, computed from its log."""
