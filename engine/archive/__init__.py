"""Releases that are kept, so that a game is finished and judged by the rules that it was begun
with."""
