"""The Operational Combat Series: what its rule book (version 4.3) says for all of its games.

Each chapter is a folder, in the book's order. A docstring begins with the clause ("OCS 9.12e").
`series` is what all chapters share (pack, position, events) and what puts them together. `display`
is what clients draw and tell. A game of the series is a folder of its own with its pack, its
sequence of play and a `Game` (`series/game.py`): the numbers and functions by which it alters or
completes a clause. Nothing here knows a title's name.
"""
