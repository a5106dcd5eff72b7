"""Tables over hexsides: one byte a slot, compiled from a map for the rules that look at them.

A table always holds the same value in both slots of a hexside, so that a mover looks at its own
side only. What a slot is, and how a hexside is printed, is told in
`warledger.protocol.board.hexsides`, whose functions are offered here too.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.protocol.board.hexgrid import OFF_MAP, Grid
from warledger.protocol.board.hexsides import key as key
from warledger.protocol.board.hexsides import ordered
from warledger.protocol.board.hexsides import parse as parse
from warledger.protocol.board.hexsides import slot as slot


@frozen(eq=False)
class Sides:
    """What lies on the hexsides of a map.

    `river[slot]` is 0 or 1 + an index into `classes`; `bridged` and `impassable` are 0 or 1.
    `names[slot]` is the river's printed name, for people.
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


def mark(
    grid: Grid, sides: Iterable[tuple[int, int]], value: int = 1, onto: bytes | None = None
) -> bytes:
    """A table over hexsides with `value` in both slots of each given hexside; the rest as in
    `onto`, or 0."""
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
            if b != OFF_MAP and (a, b) == ordered(grid, a, b):
                found.append((a, b))
    return tuple(sorted(found))
