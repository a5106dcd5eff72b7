"""9.5 The ways by which a unit, with or without an HQ, may retreat: all legal paths, then the priorities of 9.5.2 (R-26).

Paths hold the hexes entered, by index. What is worked out is kept in the field's memo: it depends on nothing but positions.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from engine.board.going import FIRST_ONLY, NOT_BETWEEN_ZONES
from engine.games.chitpull.sides import ENEMY
from engine.games.victory_lost.headquarters import supply_distance
from engine.games.victory_lost.stacking import may_stop
from engine.games.victory_lost.state import State

Path = tuple[int, ...]


def ways(state: State, names: tuple[str, ...], start: int, length: int, entered: Path = ()) -> tuple[Path, ...]:
    """9.5.2, R-26 Every path that counters retreating together from the combat hex `start` may take; none: no retreat path (9.5.8).

    `entered` are hexes that they have entered already. R-28: paths are longer than `length` where a full hex forces them on.
    """
    memo = state.field.memo
    key = ("retreat", names, start, length, entered)
    found = memo.get(key)
    if found is None:
        search = _Search(state, names, start)
        found = memo[key] = search.best(list(search.onward(entered, length - len(entered))))
    return tuple(found)


class _Search:
    """One group about to retreat from one hex."""

    def __init__(self, state: State, names: tuple[str, ...], start: int) -> None:
        type_ = state.data.types[names[0]]
        self.state = state
        self.side = type_.side
        self.start = start
        self.steps = state.data.normal[type_.going]
        self.stops = partial(may_stop, state, names)
        self.enemies = state.field.zones(ENEMY[type_.side]).pieces
        self.by_distance = bool(state.option("retreat_distance"))

    def zone(self, i: int) -> bool:
        """9.5.3, R-27, R-47 Whether a hex is in an enemy zone; friendly units do not cancel it."""
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
        """R-26 Not among enemy units, not twice into one hex, not back into the combat hex; not into the pocket (13.0)."""
        return i != self.start and not self.enemies[i] and i not in path and not self.state.field.closed(i)

    def onward(self, path: Path, more: int) -> Iterator[Path]:
        """All legal paths that go on by so many hexes."""
        if more <= 0:
            yield path
            return
        for i in self.next(path):
            yield from self.onward((*path, i), more - 1)

    def best(self, found: Sequence[Path]) -> tuple[Path, ...]:
        """R-26 The best of some paths, all of one length, each completed; paths that end in full hexes without going on are none."""
        if self.by_distance:
            groups = ([path for path in found if self._away(path)], [path for path in found if not self._away(path)])
        else:
            groups = (list(found), [])
        for group in groups:
            for tier in self._tiers(group):
                whole = tuple(way for path in tier for way in self._completed(path))
                if whole:
                    return whole
        return ()

    def _completed(self, path: Path) -> tuple[Path, ...]:
        """R-28, 9.5.4, 9.5.5 A path ends in a hex where the group may stand, or goes on one hex further, again and again."""
        if self.stops(path[-1]):
            return (path,)
        return self.best([(*path, i) for i in self.next(path)]) if self._gets_out(path) else ()

    def _gets_out(self, path: Path) -> bool:
        """Whether any hex where the group may stand can be reached from here: keeps the search out of pockets crammed with units."""
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

    def _tiers(self, paths: Sequence[Path]) -> Iterator[list[Path]]:
        """The paths in classes of equal worth, best first. The dearer questions are asked only where they decide anything."""
        rough = _classes(paths, [self._danger(path) for path in paths])
        for equal in rough:
            if len(equal) == 1:
                yield equal
            else:
                yield from _classes(equal, [self._comfort(path) for path in equal])

    def _danger(self, path: Path) -> tuple[int, int]:
        """9.5.2 Zone hexes entered, and how late the first free hex comes."""
        zones = [self.zone(i) for i in path]
        return sum(zones), zones.index(False) if False in zones else len(zones)

    def _comfort(self, path: Path) -> tuple[int, int]:
        """9.5.2(1) Hexes not nearer the supply source, before 9.5.2(2) full hexes on the way."""
        nearer = sum(self._nearer(a, b) for a, b in zip((self.start, *path), path, strict=False))
        return len(path) - nearer, sum(not self.stops(i) for i in path)

    def _nearer(self, a: int, b: int) -> bool:
        """R-18 Whether b has a shorter supply line than a; if a has none, whether b is straight nearer to the source that b would use."""
        state, side = self.state, self.side
        old, new = supply_distance(state, side, a), supply_distance(state, side, b)
        if new is None:
            return False
        if old is not None:
            return new < old
        lines = state.field.supply(side)
        net = state.data.supply_net_closed if state.field.pocket_closed else state.data.supply_net
        via = b if lines.reached(b) else min((n for n in net[b] if lines.reached(n)), key=lambda n: (lines.distance(n), n))
        source = lines.line(via)[-1]
        grid = state.data.board.grid
        return grid.distance(b, source) < grid.distance(a, source)


def _classes(paths: Sequence[Path], worth: Sequence[tuple[int, int]]) -> Iterator[list[Path]]:
    for rank in sorted(set(worth)):
        yield [path for path, own in zip(paths, worth, strict=True) if own == rank]
