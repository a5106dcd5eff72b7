"""HR 1.1d: railways off the map.

HR 1.1d A train may leave the map by a railway at its edge and come in again by another one that its
side controls. The stretch of edge between two such hexes belongs to the side that controls both.
Nobody comes in along a stretch that is not their own. So a train goes round from one rail entry to
the next, in either direction, as long as all are its side's.

[R] HR R-01: this applies to trains only, not to trace. A rail entry is a hex of an entry area that
a railway crosses the edge in. The stretches are taken in order round the whole map.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.series.board import RAIL, Board
from warledger.engine.games.ocs.series.state import State


@lru_cache(maxsize=4)
def at_the_edge(board: Board) -> Hexes:
    """HR 1.1d Railway hexes at the map's edge, whether the railway leaves it there or runs along
    it."""
    return hexsets.of(i for i in hexsets.listed(board.linked[RAIL]) if board.map.grid.edge(i))


@lru_cache(maxsize=4)
def entries(board: Board) -> tuple[int, ...]:
    """HR 1.1d The hexes in which a railway crosses the map's edge, in order round the map."""
    found = {
        i
        for area in board.entries.values()
        for i, ways in area.by.items()
        if RAIL in ways and board.map.grid.edge(i) and hexsets.has(board.linked[RAIL], i)
    }
    return tuple(sorted(found, key=lambda i: _round(board, i)))


def _round(board: Board, i: int) -> tuple[int, int]:
    """Where a hex lies on the way round the map: along the top, down the right side, back along the
    bottom, up the left side."""
    grid = board.map.grid
    column, row = grid.column_row(i)
    if row == 1:
        return (0, column)
    if column == grid.columns:
        return (1, row)
    if row == grid.rows:
        return (2, -column)
    return (3, -row)


def off_map(state: State, side: str) -> Mapping[int, Sequence[int]]:
    """HR 1.1d Rail entry -> the entries next to it round the map between which the stretch of edge
    is the side's."""
    return _joined(state.charts.board, state.control[side])


@lru_cache(maxsize=16)
def _joined(board: Board, own: int) -> Mapping[int, Sequence[int]]:
    there = entries(board)
    found: dict[int, tuple[int, ...]] = {}
    for one, other in zip(there, (*there[1:], *there[:1]), strict=True):
        if one != other and hexsets.has(own, one) and hexsets.has(own, other):
            found[one] = (*found.get(one, ()), other)
            found[other] = (*found.get(other, ()), one)
    return found
