"""The Operational Combat Series: what its rule book (version 4.3) says for all of its games.

A module a chapter, in the book's order; a docstring begins with the clause ("OCS 9.12e"). A game of
the series is a folder of its own with its pack, its sequence of play and a `Game` (game.py): the
numbers and functions by which it alters or completes a clause. Nothing here knows a title's name.
"""
