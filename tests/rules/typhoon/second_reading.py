"""The rules read a second time, straight from the pack's text and in the plainest code: reach,
lines, rail entry and retreats on the real map."""

import random
from collections.abc import Iterable
from functools import cache
from typing import Any

from tests.rules.typhoon.bench import Bench, real_pack
from warledger.engine.games.typhoon.retreat import begin, next_hexes, onward, rests
from warledger.engine.games.typhoon.state import Battle

Hex = str
FAR = 10_000


@cache
def near(h: Hex) -> tuple[Hex, ...]:
    """The neighbours of a hex on the map of 41 by 40; even columns lie half a hex lower."""
    c, r = int(h[:2]), int(h[2:])
    low = 0 if c % 2 else 1
    around = (
        (c, r - 1),
        (c + 1, r - 1 + low),
        (c + 1, r + low),
        (c, r + 1),
        (c - 1, r + low),
        (c - 1, r - 1 + low),
    )
    return tuple(f"{x:02}{y:02}" for x, y in around if 1 <= x <= 41 and 1 <= y <= 40)


def apart(a: Hex, b: Hex) -> int:
    """Hexes between two of them, by columns and rows."""
    (c, r), (x, y) = ((int(h[:2]), 2 * int(h[2:]) + (int(h[:2]) + 1) % 2) for h in (a, b))
    dc, dr = abs(c - x), abs(r - y)
    return dc + max(0, dr - dc) // 2


class Map:
    """The pack's map, read as text."""

    def __init__(self) -> None:
        doc = real_pack()["map"]
        sign = doc["terrain"]["legend"]
        rows = doc["terrain"]["rows"]
        self.hexes = [f"{c:02}{r:02}" for r in range(1, 41) for c in range(1, 42)]
        self.terrain = {h: sign[rows[int(h[2:]) - 1][int(h[:2]) - 1]] for h in self.hexes}
        self.land = [h for h in self.hexes if self.terrain[h] != "lake"]
        self.place = {entry["hex"]: entry["kind"] for entry in doc["places"]["list"]}
        self.river = {
            self.pair(*side.split("-")): kind["class"]
            for kind in doc["river"]
            for side in kind["hexsides"].split()
        }
        self.road, self.rail = self.chains(doc["road"]), self.chains(doc["rail"])
        self.sources = {
            side: [s["hex"] for s in doc["source"] if s["side"] == side]
            for side in ("axis", "soviet")
        }

    @staticmethod
    def pair(a: Hex, b: Hex) -> frozenset[Hex]:
        """Two hexes as a side."""
        return frozenset((a, b))

    def chains(self, entries: Iterable[Any]) -> set[frozenset[Hex]]:
        """The links of roads or railways."""
        return {
            self.pair(a, b)
            for entry in entries
            for a, b in zip(entry["hexes"].split(), entry["hexes"].split()[1:], strict=False)
        }


MAP = Map()


class Board:
    """Who stands where, read from the bench."""

    def __init__(self, bench: Bench) -> None:
        data = bench.state.data
        self.turn = bench.state.turn
        self.types = data.types
        self.at = {
            name: data.name(unit.at) for name, unit in bench.state.units.items() if unit.at >= 0
        }
        self.steps = {
            name: 2 if data.types[name].reduced and not bench.state.units[name].reduced else 1
            for name in self.at
        }
        self.units = {
            side: {h for name, h in self.at.items() if data.types[name].side == side}
            for side in ("axis", "soviet")
        }
        self.zone = {
            side: {n for h in self.units[side] for n in near(h) if MAP.terrain[n] != "lake"}
            for side in ("axis", "soviet")
        }

    def enemy(self, side: str) -> str:
        """The other side."""
        return "soviet" if side == "axis" else "axis"

    def count(self, side: str, h: Hex, but: Iterable[str] = ()) -> int:
        """How many of a side's units stand in a hex."""
        return sum(
            1
            for name, at in self.at.items()
            if at == h and self.types[name].side == side and name not in but
        )


def step(board: Board, name: str, a: Hex, b: Hex, *, march: bool) -> tuple[float, bool] | None:
    """9.2, 9.3, 14.1, R-04, R-11 Points for a step, and whether it is an unbridged major river;
    None: not so."""
    type_ = board.types[name]
    foe = board.enemy(type_.side)
    if MAP.terrain[b] == "lake" or b in board.units[foe]:
        return None
    turn = board.turn
    roads = turn <= 2 or turn in (6, 7)
    link = MAP.pair(a, b)
    cities = MAP.place.get(a) == MAP.place.get(b) == "big_city"
    bridged = link in MAP.road or link in MAP.rail or cities
    in_a, in_b = a in board.zone[foe], b in board.zone[foe]
    if march:
        return (
            (0.5, False)
            if roads and not in_a and not in_b and (link in MAP.road or cities)
            else None
        )
    terrain = MAP.terrain[b]
    if terrain == "plain" and turn > 2:
        terrain = "light_forest"
    cost = {"plain": (1, 1), "light_forest": (2, 1), "deep_forest": (3, 2), "swamp": (3, 2)}[
        terrain
    ][0 if type_.mech else 1]
    if MAP.place.get(b) == "big_city" or cities or (roads and link in MAP.road):
        cost = 1
    each = 1 if turn >= 8 and type_.side == "soviet" else 2
    total = cost + each * in_a + each * in_b
    river = None if bridged else MAP.river.get(link)
    if river == "major":
        return None if in_a and in_b else (0, True)
    return total + (river == "minor"), False


def reach(board: Board, name: str, points: float, *, march: bool) -> set[Hex]:
    """Every hex in which a unit may end its move, but for stacking."""
    start = board.at[name]
    best: dict[Hex, float] = {start: 0}
    ended: set[Hex] = set()
    front = [start]
    while front:
        following = []
        for a in front:
            for b in near(a):
                found = step(board, name, a, b, march=march)
                if found is None:
                    continue
                cost, major = found
                if major:
                    if a == start and best[a] == 0:
                        ended.add(b)
                    continue
                if best[a] + cost <= points and best[a] + cost < best.get(b, FAR):
                    best[b] = best[a] + cost
                    following.append(b)
        front = following
    return (set(best) | ended) - {start}


def crowd(seed: int, turn: int, n: int = 110, **options: Any) -> tuple[Bench, random.Random]:
    """Units at random hexes of the middle of the map, in clusters so that zones matter."""
    rng = random.Random(seed)
    bench = Bench(real_pack(), **options)
    names = rng.sample(sorted(bench.state.data.types), n)
    placed: dict[str, Hex] = {}
    held: dict[Hex, list[str]] = {}
    c0, r0 = rng.randint(4, 22), rng.randint(3, 22)
    for name in names:
        side = bench.state.data.types[name].side
        for _ in range(30):
            h = f"{rng.randint(c0, c0 + 18):02}{rng.randint(r0, r0 + 17):02}"
            if (
                MAP.terrain[h] != "lake"
                and len(held.get(h, [])) < 2
                and all(other == side for other in held.get(h, []))
            ):
                placed[name] = h
                held.setdefault(h, []).append(side)
                break
    bench.stand(
        placed,
        turn=turn,
        reduced=[
            name for name in placed if rng.random() < 0.3 and bench.state.data.types[name].reduced
        ],
    )
    return bench, rng


def passable(board: Board, side: str, h: Hex) -> bool:
    """3.3(1) Whether a LOC may run through a hex."""
    foe = board.enemy(side)
    return (
        MAP.terrain[h] != "lake"
        and h not in board.units[foe]
        and (h not in board.zone[foe] or h in board.units[side])
    )


def line(board: Board, side: str, h: Hex, *, heed: bool = True) -> int:
    """3.3, R-09, R-10, R-25 The length of the shortest LOC of a hex taken as passable, FAR if none;
    `heed`: zones and the Axis limit."""
    foe = board.enemy(side)
    if MAP.terrain[h] == "lake" or h in board.units[foe]:
        return FAR

    def free(x: Hex) -> bool:
        if x == h:
            return True
        return (
            passable(board, side, x)
            if heed
            else MAP.terrain[x] != "lake" and x not in board.units[foe]
        )

    sources = {s for s in MAP.sources[side] if s not in board.units[foe]}
    limited = heed and side == "axis"
    # walk from the unit: land first (at most six hexes for the Axis), then, once on the railway,
    # along it for good
    seen: set[tuple[Hex, int, bool]] = set()
    front = [(h, 0, False), (h, 0, True)] if limited else [(h, 0, False)]
    length = 0
    while front:
        if any(x in sources and (railed or not limited) for x, _, railed in front):
            return length
        following = []
        for x, off, railed in front:
            for y in near(x):
                if not free(y):
                    continue
                options = []
                if railed:
                    if MAP.pair(x, y) in MAP.rail:
                        options.append((y, off, True))
                elif not limited:
                    options.append((y, 0, False))
                elif off < 6:
                    # y is reached over land; the hex where the railway is joined does not count,
                    # the unit's own does
                    options += [(y, off + 1, False), (y, off + 1, True)]
                for option in options:
                    if option not in seen:
                        seen.add(option)
                        following.append(option)
        front = following
        length += 1
    return FAR


def has_line(board: Board, side: str, h: Hex) -> bool:
    """3.3 Whether a LOC reaches a unit's hex."""
    return line(board, side, h) < FAR


def ways_of(board: Board, unit: str, hexes: int) -> set[tuple[Hex, ...]]:
    """10.6, R-25 to R-29 Every way that the unit may take: (hexes entered …), with "dead" at the
    end when it is eliminated."""
    side, start = board.types[unit].side, board.at[unit]
    foe = board.enemy(side)
    measures: list[dict[Hex, int]] = [{}, {}, {}]

    def measure(kind: int, h: Hex) -> int:
        known = measures[kind]
        if h not in known:
            known[h] = (
                line(board, side, h, heed=kind == 0)
                if kind < 2
                else min(apart(h, s) for s in MAP.sources[side])
            )
        return known[h]

    kind = 0 if measure(0, start) < FAR else 1 if measure(1, start) < FAR else 2

    def candidates(path: tuple[Hex, ...]) -> list[list[Hex]]:
        """Along the line; then, should that eliminate, as the map lies."""
        here = path[-1]
        legal = [
            b
            for b in near(here)
            if MAP.terrain[b] != "lake" and b not in board.units[foe] and b not in path
        ]
        nearer = [b for b in legal if measure(kind, b) < measure(kind, here)]
        groups = []
        for ways in (
            [b for b in nearer if kind == 0 and passable(board, side, b)],
            nearer or legal,
        ):
            best = [
                b
                for b in ways
                if ways is legal or measure(kind, b) == min(measure(kind, other) for other in ways)
            ]
            groups.append(
                [
                    b
                    for b in best
                    if len(path) == 1
                    or MAP.river.get(MAP.pair(here, b)) != "major"
                    or bridged(here, b)
                ]
            )
        return groups

    def bridged(a: Hex, b: Hex) -> bool:
        link = MAP.pair(a, b)
        return (
            link in MAP.road
            or link in MAP.rail
            or MAP.place.get(a) == MAP.place.get(b) == "big_city"
        )

    def over(path: tuple[Hex, ...], steps: int) -> bool:
        return steps <= 0 or (len(path) > hexes and board.count(side, path[-1], (unit,)) < 2)

    def lost(steps: int, b: Hex) -> int:
        return steps - (b in board.zone[foe])

    def weighed(path: tuple[Hex, ...], steps: int, most: int) -> dict[Hex, tuple[bool, int, int]]:
        """10.6(6) What the best way by each next hex comes to: eliminated by 10.6(3), steps lost,
        hexes driven on (the first few)."""
        tries = [
            {b: worth((*path, b), lost(steps, b), most) for b in group}
            for group in candidates(path)
        ]
        return next(
            (found for found in tries if any(not dead for dead, _, _ in found.values())),
            tries[0] or tries[1],
        )

    def worth(path: tuple[Hex, ...], steps: int, most: int) -> tuple[bool, int, int]:
        gone = board.steps[unit] - steps
        if over(path, steps) or len(path) > most:
            return False, gone, max(0, len(path) - 1 - hexes)
        return min(weighed(path, steps, most).values(), default=(True, gone, 0))

    found: set[tuple[Hex, ...]] = set()

    def go(path: tuple[Hex, ...], steps: int) -> None:
        if over(path, steps):
            found.add(path[1:] if steps > 0 else (*path[1:], "dead"))
            return
        tolls = weighed(path, steps, max(hexes, len(path)) + 4)
        if not tolls:
            found.add((*path[1:], "dead"))
        options = [b for b in tolls if tolls[b] == min(tolls.values())]
        for b in options:
            go((*path, b), lost(steps, b))

    go((start,), board.steps[unit])
    return found


def offered_ways(bench: Bench, unit: str, hexes: int) -> set[tuple[Hex, ...]]:
    """Every way that the title lets the unit take."""
    state = bench.state
    battle = Battle(
        state.at(unit), (), (unit,), retreat=hexes, retreating=(unit,), ground=state.field
    )
    found: set[tuple[Hex, ...]] = set()

    def go(flight: Any) -> None:
        names = state.data.board.grid.names(flight.path)
        if rests(state, battle, flight):
            found.add(tuple(names) if flight.steps > 0 else (*names, "dead"))
            return
        following = next_hexes(state, battle, flight)
        if not following:
            found.add((*names, "dead"))
        for i in following:
            go(onward(state, flight, i))

    go(begin(state, unit))
    return found
