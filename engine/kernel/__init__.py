"""Decide and evolve, for any game. Pure: the same inputs give the same bytes on any machine."""
