"""Movement costs by mobility as OCS and similar games print them, compiled into the steps that
paths.py walks.

It differs from going.py in what a chart can say. A terrain, a hexside, or both may cost *all*: the
whole allowance of a mover that has spent nothing. Hexsides add to the cost of the hex entered. A
path (road, track, railway) over a hexside replaces both, and no bridge has to be listed. If no path
by itself lifts the class of the hexside (`unlifted`), there must be a bridge, as an `Over` says.
Costs are whole numbers of *parts* of a point: `parts_of` finds how many parts make all fractions of
a chart whole.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from attrs import frozen

from warledger.engine.board.going import ENDS_MOVE, FIRST_ONLY, WHOLE_ALLOWANCE, Compiled, Step
from warledger.engine.board.hexmap import HexMap
from warledger.engine.kernel.change import replace
from warledger.protocol.board.ranges import is_digits

ALL = -1
"""The cost of a step that takes a whole unspent allowance."""

Cost = int | None
"""Parts of a point, ALL, or None if the step cannot be made."""

_WHOLE = FIRST_ONLY | ENDS_MOVE | WHOLE_ALLOWANCE


@frozen
class Costs:
    """What one mobility class pays, in parts of a point.

    `terrain` and `place` (which replaces terrain) are costs of entering. `hexside` is added for
    crossing a class of river. `path` is the cost along a kind of link. `both_ways`: a hex that
    cannot be entered is not left either, but along a path.
    """

    terrain: Mapping[str, Cost]
    place: Mapping[str, Cost]
    hexside: Mapping[str, Cost]
    path: Mapping[str, int]
    unlifted: frozenset[str] = frozenset()
    both_ways: bool = False


@frozen
class Over:
    """How one hexside is crossed at the moment: the class that it counts as ("" for none), and
    whether paths over it may be followed."""

    counts_as: str
    paths: bool


def parts_of(amounts: Iterable[object]) -> int:
    """The fewest parts of a point in which all amounts are whole. Words among them ("all", "no") do
    not count."""
    parts = 1
    for amount in amounts:
        if isinstance(amount, int) or (isinstance(amount, str) and is_digits(amount[:1])):
            parts = lcm(parts, Fraction(amount).denominator)
    return parts


def cost_of(amount: object, parts: int) -> Cost:
    """A printed cost in parts: 2, "1/2", "all"; "no" is None. Raises ValueError for anything
    else."""
    if amount == "all":
        return ALL
    if amount == "no":
        return None
    if isinstance(amount, int | str) and not isinstance(amount, bool):
        scaled = Fraction(amount) * parts
        if scaled.denominator == 1 and scaled >= 0:
            return int(scaled)
    raise ValueError(f'{amount!r} is not a cost; write points as 2 or "1/2", "all" or "no"')


def cheaper(a: Cost, b: Cost) -> Cost:
    """The better of two costs: points before ALL, ALL before no entry."""
    if a is None or b is None:
        return b if a is None else a
    if ALL in (a, b):
        return b if a == ALL else a
    return min(a, b)


def added(enter: Cost, side: Cost) -> Cost:
    """A hex and a hexside together."""
    if enter is None or side is None:
        return None
    return ALL if ALL in (enter, side) else enter + side


def compile_costs(board: HexMap, costs: Costs, over: Mapping[int, Over] | None = None) -> Compiled:
    """Every step that one mobility class can make on a map. `over` gives the hexsides, by slot,
    that are not crossed as printed."""
    enter = entries(board, costs)
    kept: dict[Any, Any] = {}
    plain, special = [], []
    for a in range(len(board.grid)):
        easy, hard = _row(board, costs, enter, a, over or {})
        plain.append(kept.setdefault(easy, easy))
        special.append(hard)
    least = min((cost for row in plain for _, cost in row), default=0)
    return Compiled(len(plain), tuple(plain), tuple(special), least, board.grid.cubes())


def patched(
    compiled: Compiled,
    board: HexMap,
    costs: Costs,
    enter: Sequence[Cost],
    over: Mapping[int, Over],
) -> Compiled:
    """A compiled map with these hexsides crossed differently. It is what compile_costs would make,
    but only the rows of those hexes are worked out again. `over` holds both slots of a hexside,
    `enter` is `entries` of the costs."""
    if not over:
        return compiled
    plain, special = list(compiled.plain), list(compiled.special)
    least = compiled.least
    for a in sorted({at // 6 for at in over}):
        plain[a], special[a] = _row(board, costs, enter, a, over)
        least = min((least, *(cost for _, cost in plain[a])))
    return replace(compiled, plain=tuple(plain), special=tuple(special), least=least)


def entries(board: HexMap, costs: Costs) -> tuple[Cost, ...]:
    """The cost of entering each hex, without hexsides and paths."""
    by_terrain = [costs.terrain[name] for name in board.terrains]
    enter = [by_terrain[k] for k in board.terrain]
    for i, place in board.places.items():
        if place.kind in costs.place:
            enter[i] = costs.place[place.kind]
    return tuple(enter)


def _row(
    board: HexMap, costs: Costs, enter: Sequence[Cost], a: int, over: Mapping[int, Over]
) -> tuple[tuple[tuple[int, int], ...], tuple[Step, ...]]:
    """The steps out of hex a."""
    river, impassable = board.sides.river, board.sides.impassable
    classes = board.sides.classes
    easy: list[tuple[int, int]] = []
    hard: list[Step] = []
    shut_in = costs.both_ways and enter[a] is None
    at = a * 6 - 1
    for b in board.grid.neighbours[a]:
        at += 1
        if b < 0 or impassable[at]:
            continue
        cost = None if shut_in else enter[b]
        lifted = True
        if at in over:
            kind, lifted = over[at].counts_as, over[at].paths
        elif river[at]:
            kind = classes[river[at] - 1]
            lifted = kind not in costs.unlifted
        else:
            kind = ""
        if kind:
            cost = added(cost, costs.hexside[kind])
        if lifted:
            for name, along in costs.path.items():
                if board.links[name][at]:
                    cost = cheaper(cost, along)
        if cost is None:
            continue
        if cost == ALL:
            hard.append((b, 1, _WHOLE))
        elif cost < 1:
            raise ValueError(
                f"the step {board.grid.ids[a]}-{board.grid.ids[b]} costs nothing; "
                "every step must cost something"
            )
        else:
            easy.append((b, cost))
    return tuple(easy), tuple(hard)
