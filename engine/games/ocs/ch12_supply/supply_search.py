"""OCS 12.3: the one search for every draw, throw and trace.

OCS 12.3a A unit draws along a path of at most 5 points, to the dump or a hex next to it. It is
counted in Truck points from the unit (or HQ) towards the dump, the unit's own hex free. OCS 12.3b
An HQ draws so in its own kind of points. It throws what it has drawn up to its throw range, counted
from the HQ, to the unit or a hex next to it. OCS 12.3c The last step to a neighbour ignores
terrain, hexsides and prohibitions. OCS 12.3d Enemy combat units stop a path; enemy zones stop Truck
paths, into and out of a hex, unless negated. Weather adds nothing, nor does trainbusting.

What lies within a path's reach depends only on the blocks near it. `_within` is a function of the
start, the limit and those blocks, and it is remembered: after a move only those paths are searched
again near which something has changed.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from attrs import field, frozen

from warledger.engine.board import hexsets
from warledger.engine.board.going import Compiled
from warledger.engine.board.hexsets import Hexes
from warledger.engine.board.mobility import Over
from warledger.engine.games.ocs.ch03_counters.counters import TRUCK
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch13_special_units.bridges import hqs_of
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.charts import Bridging, bridged, steps, widest
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import STRAT, State
from warledger.engine.kernel.memo import remembered

T = TypeVar("T")

DRAW = 5
"""OCS 12.3a The points of a draw."""


@frozen
class Extent:
    """Hexes within the reach of a path, and those with their neighbours (12.3c)."""

    inside: Hexes
    touching: Hexes


def blocked(state: State, side: str, mobility: str) -> Hexes:
    """OCS 12.3d Hexes that no supply path of a side in such points may enter."""
    charts = state.charts
    hexes = (
        state.field.combat[charts.enemy(side)]
        | charts.board.every & ~charts.scenario.play
        | rules(charts).supply_barred(state, side)
    )
    if mobility == TRUCK:
        hexes |= zones.barred(state, side, zones.TRUCK_SUPPLY)
    return hexes


@frozen
class _Ground:
    """The steps near one path: as printed but for the hexsides that `over` crosses otherwise. `all`
    are the steps of the whole map, which agree with that near the path and are not compared."""

    printed: Compiled
    over: tuple[tuple[int, frozenset[tuple[int, Over]]], ...]
    all: Compiled = field(eq=False)


@frozen(eq=False)
class Paths:
    """What a side's supply paths of one mobility meet now: the steps, and the hexes closed to them.
    Made once for many questions of the same position."""

    steps: Compiled
    printed: Compiled
    widest: Compiled
    bridging: Bridging
    bridged: Hexes
    shut: Hexes
    board: Board
    parts: int

    def extent(self, start: int, points: int) -> Extent:
        """OCS 12.3 What lies within `points` points of a hex."""
        limit = points * self.parts
        region = _region(self.widest, start, limit)
        over = _over(self.bridging, self.bridged & region)
        ground = _Ground(self.printed, over, self.steps)
        return _within(ground, self.board, start, limit, self.shut & region)

    def touches(self, start: int, points: int, hexes: Hexes) -> bool:
        """OCS 12.3c Whether an extent touches any of these hexes. It is not looked for where it
        could not even if nothing were closed."""
        if not _at_widest(self.board, self.widest, start, points * self.parts) & hexes:
            return False
        return bool(self.extent(start, points).touching & hexes)


@remembered()
def paths(state: State, side: str, mobility: str, hq: str = "") -> Paths:
    """OCS 12.3 The supply paths of a side in one kind of points. `hq` names the HQ whose they are,
    as far as the game makes a difference."""
    bridging = _same(rules(state.charts).supply_bridging(state, side, hq))
    return _paths(state, side, mobility, bridging)


@remembered()
def _paths(state: State, side: str, mobility: str, bridging: Bridging) -> Paths:
    charts, printed = state.charts, state.charts.printed
    return Paths(
        bridged(printed, state.ground, mobility, bridging, True),
        steps(printed, state.ground, mobility, True),
        widest(printed, state.ground, mobility),
        bridging,
        _hexes_of(bridging),
        blocked(state, side, mobility),
        charts.board,
        charts.parts,
    )


@lru_cache(maxsize=64)
def _by_hex(bridging: Bridging) -> Mapping[int, frozenset[tuple[int, Over]]]:
    """What is bridged, by the hex out of which it is crossed."""
    found: dict[int, list[tuple[int, Over]]] = {}
    for slot, over in sorted(bridging, key=lambda pair: pair[0]):
        found.setdefault(slot // 6, []).append((slot, over))
    return {i: frozenset(pairs) for i, pairs in found.items()}


@lru_cache(maxsize=64)
def _hexes_of(bridging: Bridging) -> Hexes:
    return hexsets.of(_by_hex(bridging))


@lru_cache(maxsize=1024)
def _over(bridging: Bridging, hexes: Hexes) -> tuple[tuple[int, frozenset[tuple[int, Over]]], ...]:
    """What is bridged out of these hexes."""
    by_hex = _by_hex(bridging)
    found: tuple[tuple[int, frozenset[tuple[int, Over]]], ...] = _same(
        tuple((i, by_hex[i]) for i in hexsets.listed(hexes))
    )
    return found


@lru_cache(maxsize=1024)
def _same(value: T) -> T:
    """One object for equal values, so that those that look it up need not compare its parts."""
    return value


@lru_cache(maxsize=1024)
def _region(widest: Compiled, start: int, limit: int) -> Hexes:
    """Every hex within the limit if nothing is closed and all is bridged: what lies outside cannot
    matter."""
    return hexsets.of(_spread(widest, start, limit, frozenset()))


@lru_cache(maxsize=1024)
def _at_widest(board: Board, widest: Compiled, start: int, limit: int) -> Hexes:
    """Every hex within the limit of an open and bridged map, with the neighbours of each."""
    return hexsets.widened(_region(widest, start, limit), board.near)


def _within(ground: _Ground, board: Board, start: int, limit: int, shut: Hexes) -> Extent:
    """The extent of a path among closed hexes. The search looks at no hex outside the extent's
    `touching`, so an answer holds for whatever is closed elsewhere."""
    known = _known(ground, start, limit)
    for before, extent in known:
        if not (before ^ shut) & extent.touching:
            return extent
    found = _searched(ground.all, board.near, start, limit, shut)
    known[:] = [(shut, found), *known[: KNOWN - 1]]
    return found


KNOWN = 3
"""How many answers are kept for one path, the newest first."""


@lru_cache(maxsize=1024)
def _known(ground: _Ground, start: int, limit: int) -> list[tuple[Hexes, Extent]]:
    """The newest answers for one path, each with what was closed. A memory of `_searched`, which is
    a function of its arguments, and nothing else."""
    return []


def _searched(
    steps: Compiled, near: Sequence[Hexes], start: int, limit: int, shut: Hexes
) -> Extent:
    """OCS 12.3c Hexes that a path comes to, and with them those next to its end, whatever lies
    between."""
    if hexsets.has(shut, start):
        # An enemy zone in the consumer's own hex: no path out of it, but its neighbours touch.
        return Extent(1 << start, 1 << start | near[start])
    inside = touching = 0
    for i in _spread(steps, start, limit, frozenset(hexsets.listed(shut))):
        inside |= 1 << i
        touching |= near[i]
    return Extent(inside, inside | touching)


def _spread(over: Compiled, start: int, limit: int, closed: frozenset[int]) -> Mapping[int, int]:
    """Dijkstra's search with a bucket for each part: hexes within the limit and their cost. A step
    that costs all is taken as the first alone and leads no further."""
    best = {start: 0}
    buckets: list[list[int]] = [[] for _ in range(limit + 1)]
    buckets[0].append(start)
    plain = over.plain
    for paid, bucket in enumerate(buckets):
        room = limit - paid
        for u in bucket:
            if best[u] != paid:
                continue
            for v, cost in plain[u]:
                if cost > room:
                    continue
                new = paid + cost
                old = best.get(v)
                if (old is None or new < old) and v not in closed:
                    best[v] = new
                    buckets[new].append(v)
    for v, _cost, _flags in over.special[start]:
        if v not in closed:
            best.setdefault(v, limit)
    return best


# --- questions ------------------------------------------------------------------------------------


@remembered()
def draws(state: State, name: str) -> Extent:
    """OCS 12.3a What a unit's direct draw reaches: its own hex, in Truck points; an HQ's in the
    points of its throw."""
    counter, unit = state.charts.units[name], state.units[name]
    mobility = counter.throw_mobility if counter.hq else TRUCK
    hq = name if counter.hq else ""
    return paths(state, counter.side, mobility or TRUCK, hq).extent(unit.at, DRAW)


@remembered()
def throws(state: State, hq: str) -> Extent:
    """OCS 12.3b What an HQ's throw reaches, nothing in Strat mode."""
    unit = state.units[hq]
    if unit.at < 0 or unit.marker == STRAT:
        return Extent(0, 0)
    counter = state.charts.units[hq]
    return paths(state, counter.side, counter.throw_mobility, hq).extent(
        unit.at, throw_range(state, hq)
    )


def widest_throw(state: State, hq: str) -> Hexes:
    """OCS 12.3b What an HQ's throw would reach if nothing stood in its way; nothing in Strat
    mode."""
    charts, unit = state.charts, state.units[hq]
    if unit.at < 0 or unit.marker == STRAT:
        return 0
    far = widest(charts.printed, state.ground, charts.units[hq].throw_mobility)
    return _at_widest(charts.board, far, unit.at, throw_range(state, hq) * charts.parts)


def throw_range(state: State, hq: str) -> int:
    """OCS 12.3b, 13.1 The throw range of the side of an HQ's counter that shows."""
    return state.face(hq).strength


@frozen
class Supply:
    """OCS 12.3 Who can be supplied out of some hexes (dumps, or sources of trace).

    `throwers`  HQs that can draw there -> the hexes whose units they serve
    `direct`    hexes with units that can draw there themselves
    """

    throwers: Mapping[str, Hexes]
    direct: Hexes


def supply(state: State, side: str, out_of: Hexes) -> Supply:
    """OCS 12.3 Who of a side can be supplied out of these hexes, by throw or by direct draw."""
    charts = state.charts
    kinds: dict[tuple[str, str], Paths] = {}
    apart = rules(charts).supply_apart

    def of(mobility: str, hq: str) -> Paths:
        key = (mobility, hq if hq in apart else "")
        found = kinds.get(key)
        if found is None:
            found = kinds[key] = paths(state, side, *key)
        return found

    throwers: dict[str, Hexes] = {}
    for name in hqs_of(charts.printed, side):
        unit = state.units[name]
        if unit.at < 0 or unit.marker == STRAT:
            continue
        counter = charts.units[name]
        own = of(counter.throw_mobility, name)
        if own.touches(unit.at, DRAW, out_of):
            throwers[name] = own.extent(unit.at, throw_range(state, name)).touching
    trucks = of(TRUCK, "")
    direct = 0
    for i in hexsets.listed(state.field.combat[side]):
        if trucks.touches(i, DRAW, out_of):
            direct |= 1 << i
    return Supply(throwers, direct)


def provider(state: State, found: Supply, name: str) -> str | None:
    """OCS 12.3 How a unit is supplied: "own" (an HQ that draws), an HQ's id, "direct", or None. The
    canonical one: an HQ before a direct draw, of several the lowest id."""
    if name in found.throwers:
        return OWN
    at = state.units[name].at
    charts = state.charts
    for hq, hexes in found.throwers.items():
        if hexsets.has(hexes, at) and rules(charts).serves(charts, hq, name):
            return hq
    return DIRECT if hexsets.has(found.direct, at) else None


OWN, DIRECT = "own", "direct"


def way(
    state: State, side: str, mobility: str, start: int, points: int, goal: int, hq: str = ""
) -> tuple[int, ...]:
    """OCS 12.3 The hexes of the cheapest path from a hex to the goal or a neighbour of it, the
    start first; empty for none. `hq` is the HQ that draws or throws, "" for another unit. For
    showing a draw or a throw."""
    return ways_to(state, side, mobility, start, points, (goal,), hq)[0]


def ways_to(
    state: State,
    side: str,
    mobility: str,
    start: int,
    points: int,
    goals: Sequence[int],
    hq: str = "",
) -> tuple[tuple[int, ...], ...]:
    """OCS 12.3 The hexes of the cheapest path to each of several goals, by one search."""
    now = paths(state, side, mobility, hq)
    closed = frozenset(hexsets.listed(now.shut)) - {start}
    if hexsets.has(now.shut, start):
        best: Mapping[int, int] = {start: 0}
    else:
        best = _spread(now.steps, start, points * now.parts, closed)
    return tuple(_back(now, best, start, goal) for goal in goals)


def _back(now: Paths, best: Mapping[int, int], start: int, goal: int) -> tuple[int, ...]:
    ends = [i for i in (goal, *hexsets.listed(now.board.near[goal])) if i in best]
    if not ends:
        return ()
    at = min(ends, key=lambda i: (best[i], i != goal, i))
    back = [at]
    while back[-1] != start:
        here = back[-1]
        back.append(
            min(
                i
                for i in hexsets.listed(now.board.near[here])
                if i in best and best[i] < best[here] and _leads(now.steps, i, here, best, start)
            )
        )
    return tuple(reversed(back))


def _leads(steps: Compiled, a: int, b: int, best: Mapping[int, int], start: int) -> bool:
    step = steps.step(a, b)
    if step is None:
        return False
    return best[a] + step[1] == best[b] or (bool(step[2]) and a == start)
