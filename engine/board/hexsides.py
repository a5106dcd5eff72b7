"""Hexsides: the lines between two neighbouring hexes, on which rivers, bridges and barriers lie.

A hexside has two forms.  Printed: the two hex ids joined by "-", the lower column first, then the lower row ("3433-3434").  Inside:
a *slot*, hex index * 6 + direction; every hexside inside the map has two slots, and tables over hexsides (one byte a slot)
always hold the same value in both, so that a mover looks at its own side only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from engine.board.hexgrid import OFF_MAP, Grid


class NoHexside(ValueError):
    """Two hexes that do not touch, or text that names no hexside."""


@frozen(eq=False)
class Sides:
    """What lies on the hexsides of a map.

    `river[slot]` is 0 or 1 + an index into `classes`; `bridged` and `impassable` are 0 or 1.  `names[slot]` is the river's
    printed name, for people.
    """

    classes: tuple[str, ...]
    river: bytes
    bridged: bytes
    impassable: bytes
    names: Mapping[int, str]

    def river_class(self, slot: int) -> str | None:
        """The class of the river on a hexside, None if there is none."""
        k = self.river[slot]
        return self.classes[k - 1] if k else None


def slot(grid: Grid, a: int, b: int) -> int:
    """The slot of the hexside between a and b on the side of a; NoHexside if they do not touch."""
    d = grid.direction(a, b)
    if d < 0:
        raise NoHexside(f"hexes {grid.ids[a]} and {grid.ids[b]} do not touch, so there is no hexside between them")
    return a * 6 + d


def twin(grid: Grid, of: int) -> int:
    """The other slot of the same hexside, or -1 at the map's edge."""
    beyond = grid.neighbours[of // 6][of % 6]
    return OFF_MAP if beyond == OFF_MAP else beyond * 6 + (of % 6 + 3) % 6


def key(grid: Grid, a: int, b: int) -> str:
    """The canonical printed form of the hexside between two neighbours."""
    slot(grid, a, b)
    return "-".join(grid.names(_ordered(grid, a, b)))


def parse(grid: Grid, text: str) -> tuple[int, int]:
    """The two hexes of a printed hexside, in canonical order; NoHexside or UnknownHex says what is wrong."""
    first, dash, second = text.partition("-")
    if not dash:
        raise NoHexside(f"{text!r} is no hexside; write two neighbouring hexes joined by '-', such as {_example(grid)}")
    a, b = grid.at(first), grid.at(second)
    slot(grid, a, b)
    return _ordered(grid, a, b)


def mark(grid: Grid, sides: Iterable[tuple[int, int]], value: int = 1, onto: bytes | None = None) -> bytes:
    """A table over hexsides with `value` in both slots of each given hexside; the rest as in `onto`, or 0."""
    table = bytearray(onto if onto is not None else len(grid) * 6)
    for a, b in sides:
        table[slot(grid, a, b)] = value
        table[slot(grid, b, a)] = value
    return bytes(table)


def listed(grid: Grid, table: bytes) -> tuple[tuple[int, int], ...]:
    """Every hexside with a value other than 0 in a table, once, in canonical order."""
    found = []
    for at, value in enumerate(table):
        if value:
            a, b = at // 6, grid.neighbours[at // 6][at % 6]
            if b != OFF_MAP and (a, b) == _ordered(grid, a, b):
                found.append((a, b))
    return tuple(sorted(found))


def corners(grid: Grid, a: int, b: int) -> tuple[frozenset[int], frozenset[int]]:
    """The two ends of a hexside, each as the hexes that meet there (OFF_MAP among them on the edge of the map).

    Two hexsides touch when they share a corner; that is how a river's course is followed.
    """
    d = slot(grid, a, b) % 6
    return frozenset((a, b, grid.neighbours[a][d - 1])), frozenset((a, b, grid.neighbours[a][(d + 1) % 6]))


def _ordered(grid: Grid, a: int, b: int) -> tuple[int, int]:
    """By column, then row: the order in which ids of the form CCRR sort."""
    return (a, b) if (a % grid.columns, a) < (b % grid.columns, b) else (b, a)


def _example(grid: Grid) -> str:
    return f"{grid.ids[0]}-{grid.ids[grid.adjacent[0][0]]}" if grid.adjacent[0] else "none on a map of one hex"
