"""9.5 The ways by which a unit, with or without an HQ, may retreat: all legal ways, then the
priorities of 9.5.2 (R-26).

The priorities, in this order: fewest enemy zones entered, the first hex outside them as early as
possible, most hexes nearer the supply source, fewest full hexes passed. Ways that full hexes
lengthen (9.5.4, R-28) are ranked whole, beside the others. The original knows no distance from the
combat hex; an option asks for it, after losses.

Paths hold the hexes entered, by index.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from heapq import heappop, heappush

from warledger.engine.board.going import FIRST_ONLY, NOT_BETWEEN_ZONES
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.victory_lost.headquarters import supply_distance
from warledger.engine.games.victory_lost.stacking import crammed, may_stop
from warledger.engine.games.victory_lost.state import State
from warledger.engine.kernel.memo import remembered

Path = tuple[int, ...]
Danger = tuple[int, int, int]
Comfort = tuple[int, int]
Cost = tuple[Danger, Comfort]


@remembered(
    of=lambda state, names, start, length, entered=(): state.field,
    by=lambda state, names, start, length, entered=(): (names, start, length, entered),
)
def ways(
    state: State, names: tuple[str, ...], start: int, length: int, entered: Path = ()
) -> tuple[Path, ...]:
    """9.5.2, R-26 Every path that counters retreating together from the combat hex `start` may
    take; none: no retreat path (9.5.8).

    `entered` are hexes that they have entered already. R-28: paths are longer than `length` where a
    full hex forces them on.
    """
    search = _Search(state, names, start, length)
    return tuple(search.best(list(search.onward(entered, length - len(entered)))))


class _Search:
    """One group about to retreat from one hex."""

    def __init__(self, state: State, names: tuple[str, ...], start: int, length: int) -> None:
        type_ = state.data.types[names[0]]
        self.state = state
        self.side = type_.side
        self.start = start
        self.length = length
        self.steps = state.data.normal[type_.going]
        self.stops = partial(may_stop, state, names)
        self.enemies = state.field.zones(ENEMY[type_.side]).pieces
        self.names = names
        self.by_distance = bool(state.option("retreat_distance"))
        self._known: dict[tuple[int, int], bool] = {}

    def zone(self, i: int) -> bool:
        """9.5.3 Whether a hex is in an enemy zone; friendly units do not cancel it."""
        return self.state.field.in_enemy_zone(self.side, i)

    def next(self, path: Path) -> Iterator[int]:
        """9.5.6, R-29, R-30 The hexes that may be entered after these."""
        here = path[-1] if path else self.start
        for i, _ in self.steps.plain[here]:
            if self._open(i, path):
                yield i
        for i, _, kind in self.steps.special[here]:
            if kind & FIRST_ONLY and path:
                continue
            if kind & NOT_BETWEEN_ZONES and self.zone(here) and self.zone(i):
                continue
            if self._open(i, path):
                yield i

    def _open(self, i: int, path: Path) -> bool:
        """R-26 Not among enemy units, not twice into one hex, not back into the combat hex; not
        into the pocket (13.0)."""
        return (
            i != self.start
            and not self.enemies[i]
            and i not in path
            and not self.state.field.closed(i)
        )

    def onward(self, path: Path, more: int) -> Iterator[Path]:
        """All legal paths that go on by `more` hexes."""
        if more <= 0:
            yield path
            return
        for i in self.next(path):
            yield from self.onward((*path, i), more - 1)

    def best(self, found: Sequence[Path]) -> tuple[Path, ...]:
        """9.5.4, R-26, R-28 The best of all ways that begin with these paths, of one length, and
        end in the first hex where the group may stand.

        Ways are looked at in the order of what they cost. No step makes a way cheaper, so the first
        that ends is among the best. Of several that come to one hex from the same beginning, the
        dearer are given up: whatever follows costs them alike.
        """
        waiting = sorted((self._danger(path), path) for path in found)
        open_: list[tuple[Cost, Path, Path]] = []
        least: dict[tuple[Path, int, bool, bool], Cost] = {}
        whole: list[Path] = []
        dearest: Cost | None = None
        while waiting or open_:
            # Comfort is expensive to compute: only ways of equal danger are compared by it.
            danger = min(([waiting[0][0]] if waiting else []) + ([open_[0][0][0]] if open_ else []))
            while waiting and waiting[0][0] == danger:
                path = waiting.pop(0)[1]
                heappush(open_, ((danger, self._comfort(path)), path, path))
            cost, path, begun = heappop(open_)
            if dearest is not None and cost > dearest:
                break
            if self.stops(path[-1]):
                whole.append(path)
                dearest = cost
            elif len(path) > len(begun) or self._gets_out(path):
                for i in self.next(path):
                    longer = (*path, i)
                    price = (self._danger(longer), self._comfort(longer))
                    state = (begun, i, any(not self.zone(n) for n in longer), self._away(longer))
                    if price <= least.setdefault(state, price):
                        least[state] = price
                        heappush(open_, (price, longer, begun))
        return tuple(whole)

    # --- what ways are worth ----------------------------------------------------------------------

    def _gets_out(self, path: Path) -> bool:
        """Whether any hex where the group may stand can be reached from here: keeps the search out
        of pockets crammed with units."""
        seen = set(path)
        front = [path]
        while front:
            here = front.pop()
            for i in self.next(here):
                if i not in seen:
                    if self.stops(i):
                        return True
                    seen.add(i)
                    front.append((*path, i))
        return False

    def _away(self, path: Path) -> bool:
        """R-26 Whether the last hex is as many hexes from the combat hex as were entered."""
        grid = self.state.data.board.grid
        if len(path) < 2:
            return True
        if len(path) == 2:
            return path[-1] not in grid.adjacent[self.start]
        return grid.distance(self.start, path[-1]) == len(path)

    def _danger(self, path: Path) -> Danger:
        """9.5.2 Zone hexes entered, and how late the first free hex comes; by option, whether the
        way leads far enough."""
        zones = [self.zone(i) for i in path]
        losses, late = sum(zones), zones.index(False) if False in zones else len(zones)
        return losses, late, int(self.by_distance and not self._away(path))

    def _comfort(self, path: Path) -> Comfort:
        """9.5.2(1) Hexes not nearer the supply source, before 9.5.2(2) full hexes on the way."""
        nearer = sum(self._nearer(a, b) for a, b in zip((self.start, *path), path, strict=False))
        return len(path) - nearer, sum(self._full(i, number) for number, i in enumerate(path, 1))

    def _full(self, i: int, number: int) -> bool:
        """9.5.2(2), R-28 Whether a hex counts as full: one that drives the group on (9.5.4, 9.5.5),
        and in passing one that is full of units."""
        if number >= self.length:
            return not self.stops(i)
        return crammed(self.state, self.names, i)

    def _nearer(self, a: int, b: int) -> bool:
        """R-18 Whether b has a shorter supply line than a. If a has none, whether b is straight
        nearer to the source that b would use. If b has none either, straight nearer to a source of
        its own (9.5.2(1))."""
        found = self._known.get((a, b))
        if found is None:
            found = self._known[a, b] = self._judged_nearer(a, b)
        return found

    def _judged_nearer(self, a: int, b: int) -> bool:
        state, side = self.state, self.side
        grid = state.data.board.grid
        old, new = supply_distance(state, side, a), supply_distance(state, side, b)
        if new is None:
            if old is not None:
                return False
            sources = own_sources(state, side)
            return min(grid.distance(b, i) for i in sources) < min(
                grid.distance(a, i) for i in sources
            )
        if old is not None:
            return new < old
        lines = state.field.supply(side)
        net = state.data.supply_net_closed if state.field.pocket_closed else state.data.supply_net
        via = (
            b
            if lines.reached(b)
            else min((n for n in net[b] if lines.reached(n)), key=lambda n: (lines.distance(n), n))
        )
        source = lines.line(via)[-1]
        return grid.distance(b, source) < grid.distance(a, source)


def own_sources(state: State, side: str) -> tuple[int, ...]:
    """9.5.2(1) The sources that one who is cut off falls back to: the side's on this turn. While
    there are others, those that the enemy stands on or that lie in the closed pocket (13.0) do not
    count."""
    every = state.data.sources(side, state.turn)
    enemy = ENEMY[side]
    held, hqs = state.field.zones(enemy).pieces, state.field.hqs(enemy)
    return (
        tuple(i for i in every if not held[i] and not hqs[i] and not state.field.closed(i)) or every
    )
