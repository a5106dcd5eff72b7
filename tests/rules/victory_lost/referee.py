"""A referee who knows the pack and the rule book but not the engine: what may be done in a
position, worked out the long way round.

Everything is on printed hex ids, in plain dictionaries and sets. He answers for supply lines,
ranges, railways, moves, retreats and resets; tests hold what the engine offers against him.
"""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.rules.victory_lost.arbiter import ENEMY, Map, chain, side

Path = tuple[str, ...]


class Unclear(Exception):
    """The rule book leaves the case open (two sources equally near, say): there is nothing to hold
    the engine against."""


class Referee:
    """One position: counters by hex, on a turn, with supply states."""

    def __init__(
        self,
        pack: Mapping[str, Any],
        places: Mapping[str, str],
        turn: int,
        supply: Mapping[str, int],
        board: Map | None = None,
    ) -> None:
        self.map = board or Map(pack)
        counters = pack["counters"]
        self.units = {entry["id"]: entry for entry in counters["units"]}
        self.printed = self.units | {entry["id"]: entry for entry in counters["hqs"]}
        self.rails = {pair for item in pack["map"].get("rail", ()) for pair in chain(item["hexes"])}
        self.sources = [entry for entry in pack["map"]["source"] if entry["from_turn"] <= turn]
        self.places, self.turn, self.supply = places, turn, supply
        self.held: dict[str, dict[str, list[str]]] = {"axis": {}, "soviet": {}}
        self.hqs: dict[str, dict[str, list[str]]] = {"axis": {}, "soviet": {}}
        for name, at in places.items():
            (self.held if name in self.units else self.hqs)[self.printed[name]["side"]].setdefault(
                at, []
            ).append(name)
        self.zones = {
            mine: {n for at in self.held[mine] for n in self.map.around(at) if self.dry(n)}
            for mine in ENEMY
        }
        self.lines = {mine: self._lines(mine) for mine in ENEMY}

    # --- hexes ------------------------------------------------------------------------------------

    def dry(self, i: str) -> bool:
        """Neither water nor, through turn 4, the pocket (13.0)."""
        return self.map.terrain[i] != "water" and not (self.turn <= 4 and i in self.map.pocket)

    def zoned(self, mine: str, i: str) -> bool:
        """6.0 In a zone of the enemy."""
        return i in self.zones[ENEMY[mine]]

    def major(self, a: str, b: str) -> bool:
        """Whether the Don, Donets or Dnieper lies between, bridged or not."""
        return self.map.river.get(side(f"{a}-{b}")) == "major"

    def bridged(self, a: str, b: str) -> bool:
        """2.1.3."""
        return side(f"{a}-{b}") in self.map.bridged

    def stands(self, names: Iterable[str], i: str) -> bool:
        """5.0.1, 5.0.3 Whether these may end together in a hex."""
        mine = self.printed[next(iter(names))]["side"]
        there = [
            name
            for name in (*self.held[mine].get(i, ()), *self.hqs[mine].get(i, ()))
            if name not in names
        ] + list(names)
        units = [name for name in there if name in self.units]
        nations = {self.printed[name]["nation"] for name in there} - {"german"}
        return len(units) <= 2 and len(there) - len(units) <= 1 and len(nations) <= 1

    # --- 10.1 supply ------------------------------------------------------------------------------

    def _open(self, mine: str, i: str) -> bool:
        enemy = ENEMY[mine]
        if not self.dry(i) or i in self.held[enemy] or i in self.hqs[enemy]:
            return False
        return i in self.held[mine] or i in self.hqs[mine] or not self.zoned(mine, i)

    def _joined(self, a: str, b: str) -> bool:
        return not self.major(a, b) or self.bridged(a, b)

    def _lines(self, mine: str) -> dict[str, int]:
        found = {
            entry["hex"]: 0
            for entry in self.sources
            if entry["side"] == mine and self._open(mine, entry["hex"])
        }
        waiting = deque(found)
        while waiting:
            a = waiting.popleft()
            for b in self.map.around(a):
                if b not in found and self._open(mine, b) and self._joined(a, b):
                    found[b] = found[a] + 1
                    waiting.append(b)
        return found

    def _distance(self, mine: str, i: str) -> int | None:
        """R-18."""
        lines = self.lines[mine]
        if i in lines:
            return lines[i]
        near = (
            [lines[b] for b in self.map.around(i) if b in lines and self._joined(i, b)]
            if self.dry(i)
            else []
        )
        return 1 + min(near) if near else None

    def _served(self, mine: str, i: str) -> set[str]:
        """The sources that a hex would use."""
        lines = self.lines[mine]
        front = {i}
        if i not in lines:
            near = {b for b in self.map.around(i) if b in lines and self._joined(i, b)}
            front = {b for b in near if lines[b] == min(lines[n] for n in near)}
        while lines[next(iter(front))]:
            front = {
                b
                for a in front
                for b in self.map.around(a)
                if lines.get(b, -1) == lines[a] - 1 and self._joined(a, b)
            }
        return front

    def _straight_nearer(self, mine: str, new: str, old: str) -> bool:
        answers = {apart(new, source) < apart(old, source) for source in self._served(mine, new)}
        if len(answers) > 1:
            raise Unclear
        return answers.pop()

    # --- 7.3 range, 11.1 railways -----------------------------------------------------------------

    def in_range(self, hq: str) -> set[str]:
        """7.3.3-7.3.5."""
        entry = self.printed[hq]
        inside = {self.places[hq]}
        front = set(inside)
        free = set(inside)
        for _ in range(entry["range"]):
            beyond = {
                (a, b) for a in front for b in self.map.around(a) if self.map.terrain[b] != "water"
            }
            inside |= {b for _, b in beyond}
            front = {b for a, b in beyond if not self.major(a, b)} - free
            free |= front
        found = {name for i in inside for name in self.held[entry["side"]].get(i, ())}
        own = {entry["nation"], "german"}
        return (
            found
            if entry["nation"] in ("german", "soviet")
            else {name for name in found if self.printed[name]["nation"] in own}
        )

    def railways(self, mine: str) -> set[str]:
        """11.1.1, R-35."""
        enemy = ENEMY[mine]

        def usable(i: str) -> bool:
            return (
                self.dry(i)
                and i not in self.held[enemy]
                and i not in self.hqs[enemy]
                and not self.zoned(mine, i)
            )

        found = {
            entry["hex"]
            for entry in self.sources
            if entry["side"] == mine and entry["rail"] and usable(entry["hex"])
        }
        waiting = list(found)
        while waiting:
            a = waiting.pop()
            for b in self.map.around(a):
                if side(f"{a}-{b}") in self.rails and b not in found and usable(b):
                    found.add(b)
                    waiting.append(b)
        return found

    # --- 8.0 moves --------------------------------------------------------------------------------

    def reach(self, name: str, mode: str, *, march: bool = False) -> set[str]:
        """8.1-8.3 Where a counter may end its move, or overrun an HQ; costs in half points."""
        entry, start = self.printed[name], self.places[name]
        mine, hq = entry["side"], name not in self.units
        points = 2 * (entry["move"] // (2 if self.supply.get(name) == 2 else 1)) + (
            2 if march and mode else 0
        )
        if mode and self.zoned(mine, start):
            return set()
        cheapest = {(start, True): 0}
        waiting = [(0, start, True)]
        found = set()
        while waiting:
            paid, a, first = heapq.heappop(waiting)
            if a in self.hqs[ENEMY[mine]]:
                continue
            for b in self.map.around(a):
                cost = self._step(mine, a, b, mode, hq=hq, first=first)
                if cost is None or paid + cost > points:
                    continue
                found.add(b)
                stops = self.major(a, b) and not self.bridged(a, b)
                if not stops and paid + cost < cheapest.get((b, False), points + 1):
                    cheapest[b, False] = paid + cost
                    heapq.heappush(waiting, (paid + cost, b, False))
        return {i for i in found - {start} if self.stands((name,), i)}

    def _step(self, mine: str, a: str, b: str, mode: str, *, hq: bool, first: bool) -> int | None:
        enemy, pair = ENEMY[mine], side(f"{a}-{b}")
        if not self.dry(b) or b in self.held[enemy] or (hq and b in self.hqs[enemy]):
            return None
        out, into, road = self.zoned(mine, a), self.zoned(mine, b), pair in self.map.road
        if (mode and into) or (mode == "road" and not road):
            return None
        if self.major(a, b) and ((out and into) or (not first and not self.bridged(a, b))):
            return None
        cost = 2 * int(self.map.tables["terrain"][self.map.terrain[b]]["move_mech"])
        if self.map.river.get(pair) == "minor" and not self.bridged(a, b):
            cost += 2
        return (1 if mode == "road" else 2 if road else cost) + 4 * out + 4 * into

    # --- 9.5 retreats -----------------------------------------------------------------------------

    def retreats(self, names: Path, length: int) -> set[Path]:
        """R-26-R-30 The ways of a unit, or of a unit with an HQ, out of its hex."""
        mine, start = self.printed[names[0]]["side"], self.places[names[0]]

        def following(path: Path) -> list[Path]:
            a = path[-1] if path else start
            free = [
                b
                for b in self.map.around(a)
                if b != start and b not in path and self.dry(b) and b not in self.held[ENEMY[mine]]
            ]
            return [(*path, b) for b in free if self._flees(mine, a, b, first=not path)]

        def nearer(a: str, b: str) -> bool:
            old, new = self._distance(mine, a), self._distance(mine, b)
            if new is None and old is None:
                own = {entry["hex"] for entry in self.sources if entry["side"] == mine}
                own = {
                    i
                    for i in own
                    if self.dry(i)
                    and i not in self.held[ENEMY[mine]]
                    and i not in self.hqs[ENEMY[mine]]
                } or own
                return min(apart(b, i) for i in own) < min(apart(a, i) for i in own)
            if new is None or old is not None:
                return new is not None and old is not None and new < old
            return self._straight_nearer(mine, b, a)

        def full(number: int, i: str) -> bool:
            if number >= length:
                return not self.stands(names, i)
            return len([name for name in self.held[mine].get(i, ()) if name not in names]) >= 2

        def worth(path: Path) -> tuple[int, ...]:
            zones = [self.zoned(mine, i) for i in path]
            steps = zip((start, *path), path, strict=False)
            return (
                sum(zones),
                zones.index(False) if False in zones else len(zones),
                -sum(nearer(a, b) for a, b in steps) + len(path),
                sum(full(number, i) for number, i in enumerate(path, 1)),
            )

        def ended(path: Path) -> Iterator[Path]:
            """Every way that begins so, to the first hex where they may stand: the long way round,
            so not through many full hexes."""
            if self.stands(names, path[-1]):
                yield path
                return
            if len(path) > length + 3:
                raise Unclear
            for longer in following(path):
                yield from ended(longer)

        found: list[Path] = [()]
        for _ in range(length):
            found = [longer for path in found for longer in following(path)]
        every = {way: worth(way) for path in found for way in ended(path)}
        return {way for way in every if every[way] == min(every.values())}

    def _flees(self, mine: str, a: str, b: str, *, first: bool) -> bool:
        """9.5.6, R-29."""
        if not self.major(a, b):
            return True
        return (first or self.bridged(a, b)) and not (self.zoned(mine, a) and self.zoned(mine, b))

    # --- 12.7 resets ------------------------------------------------------------------------------

    def resets(self, hq: str) -> set[str]:
        """R-17-R-19."""
        mine, old = self.printed[hq]["side"], self.places[hq]
        before = self._distance(mine, old)
        found: dict[int, set[str]] = {}
        for i, far in self.lines[mine].items():
            if apart(i, old) < 4 or self.zoned(mine, i) or not self.stands((hq,), i):
                continue
            if far < before if before is not None else self._straight_nearer(mine, i, old):
                found.setdefault(apart(i, old), set()).add(i)
        return found[min(found)] if found else set()


def apart(a: str, b: str) -> int:
    """Hexes between two hexes as the crow flies."""
    (p, q), (r, s) = _axes(a), _axes(b)
    x, y = p - r, q - s
    return max(abs(x), abs(y), abs(x + y))


def _axes(i: str) -> tuple[int, int]:
    c, r = int(i[:2]), int(i[2:])
    return c, r - (c - 1) // 2
