"""Contact: which enemy hexes units stand next to and may attack."""

from collections.abc import Collection, Iterable

from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.zones import Zones


def attackable(
    board: HexMap, enemy: Zones, units: Iterable[tuple[str, int]], spared: Collection[int] = ()
) -> dict[int, tuple[str, ...]]:
    """VL 9.1.4, 9.1.6; TY 10.1(3), 10.1(5) Every hex with enemy units that may be attacked, with
    the given (unit, hex) next to it, by hex and in their order. Not across impassable hexsides, nor
    hexes in `spared` (attacked already)."""
    neighbours, impassable = board.grid.neighbours, board.sides.impassable
    found: dict[int, list[str]] = {}
    for name, at in units:
        # An adjacent enemy that could be attacked has a zone here: no zone, no need to look.
        if not enemy.count[at]:
            continue
        for d, b in enumerate(neighbours[at]):
            if b >= 0 and enemy.pieces[b] and b not in spared and not impassable[at * 6 + d]:
                found.setdefault(b, []).append(name)
    return {target: tuple(found[target]) for target in sorted(found)}


def hexside(board: HexMap, at: int, b: int) -> int:
    """The hexside slot by which hex `at` borders hex b, -1 where it does not, or is not a hex."""
    direction = board.grid.direction(at, b) if at >= 0 else -1
    return at * 6 + direction if direction >= 0 else -1
