"""Hexsides: the lines between two neighbouring hexes, on which rivers, bridges and barriers lie.

A hexside has two forms. Printed: the two hex ids joined by "-", the lower column first, then the
lower row ("3433-3434"). Inside: a *slot*, hex index * 6 + direction; every hexside inside the map
has two slots, one in each of its hexes.
"""

from __future__ import annotations

from warledger.protocol.board.hexgrid import OFF_MAP, Grid


class NoHexside(ValueError):
    """Two hexes that do not touch, or text that names no hexside."""


def slot(grid: Grid, a: int, b: int) -> int:
    """The slot of the hexside between a and b on the side of a; NoHexside if they do not touch."""
    d = grid.direction(a, b)
    if d < 0:
        raise NoHexside(
            f"hexes {grid.ids[a]} and {grid.ids[b]} do not touch, so there is no hexside "
            "between them"
        )
    return a * 6 + d


def twin(grid: Grid, of: int) -> int:
    """The other slot of the same hexside, or -1 at the map's edge."""
    beyond = grid.neighbours[of // 6][of % 6]
    return OFF_MAP if beyond == OFF_MAP else beyond * 6 + (of % 6 + 3) % 6


def key(grid: Grid, a: int, b: int) -> str:
    """The canonical printed form of the hexside between two neighbours."""
    slot(grid, a, b)
    return "-".join(grid.names(ordered(grid, a, b)))


def parse(grid: Grid, text: str) -> tuple[int, int]:
    """The two hexes of a printed hexside, in canonical order; NoHexside or UnknownHex says what is
    wrong."""
    first, dash, second = text.partition("-")
    if not dash:
        raise NoHexside(
            f"{text!r} is not a hexside; write two neighbouring hexes joined by '-', such as "
            f"{_example(grid)}"
        )
    a, b = grid.at(first), grid.at(second)
    slot(grid, a, b)
    return ordered(grid, a, b)


def corners(grid: Grid, a: int, b: int) -> tuple[frozenset[int], frozenset[int]]:
    """The two ends of a hexside, each as the hexes that meet there (OFF_MAP among them on the edge
    of the map).

    Two hexsides touch when they share a corner; that is how a river's course is followed.
    """
    d = slot(grid, a, b) % 6
    return frozenset((a, b, grid.neighbours[a][d - 1])), frozenset(
        (a, b, grid.neighbours[a][(d + 1) % 6])
    )


def ordered(grid: Grid, a: int, b: int) -> tuple[int, int]:
    """By column, then row: the order in which ids of the form CCRR sort."""
    return (a, b) if (a % grid.columns, a) < (b % grid.columns, b) else (b, a)


def _example(grid: Grid) -> str:
    return (
        f"{grid.ids[0]}-{grid.ids[grid.adjacent[0][0]]}"
        if grid.adjacent[0]
        else "none on a map of one hex"
    )
