"""How a captain of a hex title interprets its view: counters with their values, zones, danger,
supply, paths, and the odds of an attack.

Everything comes from the pack and the board as the seat sees it. These are estimates, not rules:
where they are wrong, the offer decides.
"""

import heapq
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from attrs import define, field, frozen

from warledger.clients.bots.player import View
from warledger.protocol.board.effects import Board
from warledger.protocol.board.hexgrid import OFF_MAP
from warledger.protocol.board.hexmap import HexMap, hex_map

_RESULT = re.compile(r"(?:A(\d+))|(?:(\d*)(DR2|RR|DR|R))|(?:(\d+))")
FAR = 10_000
Merits: TypeAlias = tuple[int, float, float, float, float, int, int]
"""What a hex has for any counter, as `Manoeuvre` finds it."""


@frozen(eq=False)
class Counter:
    """A unit or headquarters as printed."""

    id: str
    side: str
    nation: str
    kind: str
    hq: bool
    fights: bool
    mech: bool
    full: tuple[int, int]
    reduced: tuple[int, int]
    faces: int
    move: int
    reach: int
    points: int


@frozen(eq=False)
class Result:
    """A cell of the combat results table."""

    attacker: int
    defender: int
    retreat: int

    @classmethod
    def of(cls, text: str) -> "Result":
        """From its code: A1, 2DR2, RR, -, …"""
        found = _RESULT.fullmatch(text)
        if found is None:
            return cls(0, 0, 0)
        lost, losses, back, plain = found.groups()
        return cls(
            int(lost or 0),
            int(losses or plain or 0),
            {"DR2": 2, "RR": 2, "DR": 1, "R": 1}.get(back or "", 0),
        )


class Ground:
    """What never changes in a game: map, counters, tables."""

    def __init__(self, view: View) -> None:
        pack = view.pack
        self.map: HexMap = hex_map(pack["map"])
        self.counters: dict[str, Counter] = {}
        counters = pack["counters"]
        for entry in (*counters["units"], *counters["hqs"]):
            self.counters[entry["id"]] = _counter(entry, entry in counters["hqs"])
        self.chits: dict[str, Mapping[str, Any]] = {
            entry["id"]: entry for entry in counters["chits"]
        }
        self.turns: dict[int, Mapping[str, Any]] = {
            entry["number"]: entry for entry in pack["turns"]["turn"]
        }
        self.tables = pack["tables"]
        self.setup = pack["setup"]
        crt = self.tables["crt"]
        self.crt = [
            [Result.of(row[column]) for _, row in sorted(crt["rows"].items())]
            for column in range(len(crt["columns"]))
        ]
        self.capped = bool(self.tables["combat"].get("ratio_cap_before_shifts"))
        self.stack = int(self.tables["stacking"]["units"])
        self.hqs_count = bool(self.tables["stacking"].get("hqs_count"))
        self.fortified = {
            i: str(area.data.get("side", ""))
            for area in self.map.areas.values()
            if area.kind == "fortified"
            for i in area.hexes
        }
        self._discs: dict[tuple[int, int], tuple[int, ...]] = {}
        self.leashes: dict[tuple[tuple[str, int], ...], dict[int, int]] = {}
        self._shifts: dict[tuple[Any, int, str], int] = {}
        self._fields: dict[tuple[bool, tuple[int, ...]], list[int]] = {}
        self._costs = {mech: self._enter(mech) for mech in (False, True)}
        self.supply = self._supply()
        self.land = bytearray(cost > 0 for cost in self._costs[False])
        self.blows = [_blow(cells) for cells in self.crt]
        self.alone = frozenset(self.tables["stacking"].get("nations_alone", ()))

    def obeys(self, id: str, hq: str) -> bool:
        """Whether a headquarters of this nation commands such a unit: those that stand alone
        command their own and Germans."""
        nation, other = self.counters[hq].nation, self.counters[id].nation
        return nation not in self.alone or other in (nation, "german")

    def enemy(self, side: str) -> str:
        """The other side."""
        return "soviet" if side == "axis" else "axis"

    def disc(self, i: int, reach: int) -> tuple[int, ...]:
        """The hexes at most so far away, remembered."""
        found = self._discs.get((i, reach))
        if found is None:
            found = self._discs[i, reach] = tuple(self.map.grid.within(i, reach))
        return found

    def weather(self, board: Board) -> Mapping[str, Any]:
        """What the weather does, if the game has weather."""
        found: Mapping[str, Any] = self.tables.get("weather", {}).get(
            board.tracks.get("weather", ""), {}
        )
        return found

    def shift(self, board: Board, i: int, attacker: str) -> int:
        """Columns to the left for the terrain, the place and the weather of a hex."""
        key = (board.tracks.get("weather", ""), i, attacker)
        found = self._shifts.get(key)
        if found is None:
            found = self._shifts[key] = self._shift(self.weather(board), i, attacker)
        return found

    def _shift(self, weather: Mapping[str, Any], i: int, attacker: str) -> int:
        terrain = self.map.terrain[i]
        if terrain == "plain":
            terrain = str(weather.get("plain_counts_as", terrain))
        shift = int(self.tables["terrain"][terrain]["shift"])
        place = self.map.places.get(i)
        if place is not None and place.kind in self.tables["place"]:
            effect = self.tables["place"][place.kind]
            shift = int(effect.get("shift", 0)) + (shift if effect["mode"] == "adds" else 0)
        snow = int(weather.get("soviet_shift", 0))
        return shift + int(weather.get("shift_left", 0)) + (snow if attacker == "axis" else -snow)

    def column(self, attack: int, defence: int, shift: int) -> int:
        """The column of the table for an attack, -1 below the first."""
        last = len(self.crt) - 1
        if defence <= 0:
            return last if attack > 0 else -1
        if attack < defence:
            return -1
        start = (
            attack // defence if attack >= 2 * defence else 1 if 2 * attack >= 3 * defence else 0
        )
        if self.capped:
            start = min(start, last)
        return min(last, start - shift) if start >= shift else -1

    def ways(self, goals: Iterable[int], mech: bool) -> list[int]:
        """How far each hex is from the nearest goal, in movement points over empty country; FAR
        where no way leads."""
        key = (mech, tuple(sorted(goals)))
        found = self._fields.get(key)
        if found is None:
            if len(self._fields) > 64:
                self._fields.clear()
            found = self._fields[key] = self._spread(key[1], mech)
        return found

    def _spread(self, goals: tuple[int, ...], mech: bool) -> list[int]:
        cost = self._costs[mech]
        neighbours, rivers, bridged = self.map.grid.neighbours, self.map.classes, self.map.bridged
        field_ = [FAR] * len(cost)
        queue = [(0, i) for i in goals]
        for i in goals:
            field_[i] = 0
        while queue:
            so_far, i = heapq.heappop(queue)
            if so_far > field_[i]:
                continue
            step = so_far + cost[i]
            for d, n in enumerate(neighbours[i]):
                if n == OFF_MAP or not cost[n]:
                    continue
                river = rivers.get((i, d))
                extra = 0 if river is None or (i, d) in bridged else 3 if river == "major" else 1
                if step + extra < field_[n]:
                    field_[n] = step + extra
                    heapq.heappush(queue, (step + extra, n))
        return field_

    def _supply(self) -> list[tuple[int, ...]]:
        """For each hex those next to it to which supply can be traced, as far as the land goes."""
        map_, land = self.map, self._costs[False]
        blocks = bool(self.tables["hexside"].get("major", {}).get("blocks_supply"))

        def passes(i: int, d: int) -> bool:
            return not blocks or map_.classes.get((i, d)) != "major" or (i, d) in map_.bridged

        return [
            tuple(n for d, n in enumerate(around) if n != OFF_MAP and land[n] and passes(i, d))
            for i, around in enumerate(map_.grid.neighbours)
        ]

    def _enter(self, mech: bool) -> list[int]:
        terrain = self.tables["terrain"]
        key = "move_mech" if mech else "move_other"
        costs = [int(terrain[name][key]) for name in self.map.terrain]
        for i in self.map.links["road"]:
            costs[i] = min(costs[i], 1) or 1
        for i, place in self.map.places.items():
            if "move_mech" in self.tables["place"].get(place.kind, {}):
                costs[i] = 1
        return costs


def _blow(cells: list[Result]) -> tuple[float, float]:
    """What a column does to the defender on average: losses, and the share of results that force a
    retreat."""
    return sum(cell.defender for cell in cells) / len(cells), sum(
        1 for cell in cells if cell.retreat
    ) / len(cells)


def _counter(entry: Mapping[str, Any], hq: bool) -> Counter:
    full = tuple(entry.get("full", (0, 0)))
    return Counter(
        str(entry["id"]),
        str(entry["side"]),
        str(entry.get("nation", "")),
        str(entry["type"]),
        hq,
        "full" in entry,
        bool(entry.get("mech", False)),
        (int(full[0]), int(full[1])),
        (int(entry["reduced"][0]), int(entry["reduced"][1])) if "reduced" in entry else (0, 0),
        2 if "reduced" in entry else 1,
        int(entry["move"]),
        int(entry.get("range", 0)),
        int(entry.get("points", 0)),
    )


@define(eq=False)
class Front:
    """The counters on the map at one moment, seen from one side."""

    ground: Ground
    board: Board
    side: str
    at: dict[str, int] = field(factory=dict)
    stacks: dict[int, list[str]] = field(factory=dict)
    friends: dict[int, list[str]] = field(factory=dict)
    enemies: dict[int, list[str]] = field(factory=dict)
    zone: dict[int, int] = field(factory=dict)
    """Hexes that enemies exert a zone into, with how many hexes do."""
    hqs: list[str] = field(factory=list)
    """My headquarters on the map."""
    leashes: dict[int, int] | None = None
    troops: dict[str, list[tuple[int, float]]] = field(factory=dict)
    merits: dict[int, Merits] = field(factory=dict)
    """What hexes are worth whoever goes there, as `Manoeuvre` finds it."""

    @classmethod
    def of(cls, ground: Ground, board: Board, side: str) -> "Front":
        """Read the board."""
        front = cls(ground, board, side)
        index, counters = ground.map.grid.index, ground.counters
        for id, piece in board.pieces.items():
            counter = counters.get(id)
            i = index.get(piece.place, OFF_MAP) if counter is not None else OFF_MAP
            if counter is None or i == OFF_MAP:
                continue
            front.at[id] = i
            if counter.side == side:
                front.friends.setdefault(i, []).append(id)
                if counter.hq:
                    front.hqs.append(id)
            else:
                front.enemies.setdefault(i, []).append(id)
        for i, names in front.enemies.items():
            if any(counters[name].fights for name in names):
                for n in ground.map.grid.adjacent[i]:
                    front.zone[n] = front.zone.get(n, 0) + 1
        return front

    def mine(self) -> Iterable[str]:
        """My counters on the map."""
        return (id for names in self.friends.values() for id in names)

    def reduced(self, id: str) -> bool:
        """Whether a counter shows its reduced face."""
        return bool(self.board.pieces[id].face == "reduced")

    def values(self, id: str) -> tuple[int, int]:
        """Attack and defence as the counter is now."""
        counter = self.ground.counters[id]
        attack, defence = counter.reduced if self.reduced(id) else counter.full
        marks = self.board.marks
        if (id, "surrounded") in marks:
            return attack // 2, defence // 2
        if (id, "out_of_supply") in marks:
            return attack // 2, defence
        return attack, defence

    def faces(self, id: str) -> int:
        """Losses that it can take."""
        return 1 if self.reduced(id) else self.ground.counters[id].faces

    def worth(self, id: str) -> float:
        """What a unit is worth: its points and its strength."""
        counter = self.ground.counters[id]
        return (
            2.0 * counter.points
            + 0.5 * counter.full[0]
            + 0.3 * counter.full[1]
            + (3.0 if counter.hq else 0.0)
        )

    def fighters(self, i: int) -> list[str]:
        """The enemy units in a hex that defend it."""
        return [id for id in self.enemies.get(i, ()) if self.ground.counters[id].fights]

    def defence(self, i: int) -> int:
        """What an enemy hex defends with."""
        names = self.fighters(i)
        strength = sum(self.values(id)[1] for id in names)
        if names and self.ground.fortified.get(i) == self.ground.counters[names[0]].side:
            strength += int(self.ground.tables["combat"].get("fortified_defence", 0))
        return strength

    def strength(self, places: Mapping[str, int], target: int) -> int:
        """What my units attack a hex with from the hexes they would be in: halved across rivers,
        hex by hex."""
        hexes: dict[int, int] = {}
        for id, i in places.items():
            hexes[i] = hexes.get(i, 0) + self.values(id)[0]
        ground = self.ground.map
        total = 0
        for i, attack in hexes.items():
            side = (i, ground.grid.neighbours[i].index(target))
            total += attack // 2 if side in ground.classes else attack
        return total

    def trapped(self, target: int, places: Iterable[int]) -> bool:
        """Whether every hex around a target is an enemy's, or in the zone of my units, those in
        `places` counted."""
        ground = self.ground.map
        occupied = {
            i
            for i, names in self.friends.items()
            if any(self.ground.counters[id].fights for id in names)
        }
        occupied.update(places)
        return not any(
            n not in occupied and not any(z in occupied for z in ground.grid.adjacent[n])
            for n in ground.grid.adjacent[target]
        )

    def gain(self, places: Mapping[str, int], target: int, prize: float) -> float:
        """The expected value of an attack: losses on both sides, and the prize if the hex falls.
        Very low below the first column."""
        column = self.ground.column(
            self.strength(places, target),
            self.defence(target),
            self.ground.shift(self.board, target, self.side),
        )
        if column < 0:
            return -99.0
        names = self.fighters(target)
        steps = sorted(
            self.worth(id) / self.ground.counters[id].faces
            for id in names
            for _ in range(self.faces(id))
        )
        own = sorted(
            self.worth(id) / self.ground.counters[id].faces
            for id in places
            for _ in range(self.faces(id))
        )
        trapped = self.trapped(target, places.values())
        total = 0.0
        for cell in self.ground.crt[column]:
            total -= sum(own[: cell.attacker])
            lost = cell.defender + (cell.retreat * len(names) if trapped else 0)
            total += sum(steps[:lost])
            if lost >= len(steps) or cell.retreat:
                total += prize + 0.6 * cell.retreat
        return total / len(self.ground.crt[column])

    # --- headquarters and their troops ------------------------------------------------------------

    def leash(self, i: int) -> int:
        """How many hexes a hex lies beyond what any of my headquarters reaches, or will when it
        follows."""
        if self.leashes is None:
            if len(self.ground.leashes) > 40:
                self.ground.leashes.clear()
            self.leashes = self.ground.leashes.setdefault(
                tuple((hq, self.at[hq]) for hq in self.hqs), {}
            )
        found = self.leashes.get(i)
        if found is None:
            counters, distance = self.ground.counters, self.ground.map.grid.distance
            found = FAR if self.hqs else 0
            for hq in self.hqs:
                spare = distance(self.at[hq], i) - counters[hq].reach - counters[hq].move // 2
                if spare < found:
                    found = spare
                    if found <= 0:  # most hexes are in somebody's reach: no other is asked
                        found = 0
                        break
            self.leashes[i] = found
        return found

    def troops_of(self, hq: str) -> list[tuple[int, float]]:
        """The stacks that a headquarters could command, with their weight: less where others
        command them too."""
        found = self.troops.get(hq)
        if found is None:
            counters, distance = self.ground.counters, self.ground.map.grid.distance
            limit = counters[hq].reach + counters[hq].move + 3
            found = self.troops[hq] = []
            for i, names in self.friends.items():
                if distance(self.at[hq], i) > limit:
                    continue
                weight = 0.0
                for id in names:
                    counter = counters[id]
                    if counter.fights and not counter.hq:
                        weight += (1 + counter.full[0]) * (1.5 if counter.mech else 1.0)
                if weight:
                    others = sum(
                        1
                        for other in self.hqs
                        if other != hq and distance(self.at[other], i) <= counters[other].reach
                    )
                    found.append((i, weight / (1 + others)))
        return found

    # --- fields over the map ----------------------------------------------------------------------

    def danger(self, foot: int, motor: int) -> list[int]:
        """How much enemy strength could attack each hex soon: units on foot from `foot` hexes away,
        motorised ones from `motor`."""
        ground = self.ground.map
        found = [0] * len(ground.grid.ids)
        for i, names in self.enemies.items():
            for mech in (False, True):
                strength = sum(
                    self.values(id)[0] for id in names if self.ground.counters[id].mech is mech
                )
                if strength:
                    for n in self.ground.disc(i, motor if mech else foot):
                        found[n] += strength
        return found

    def supplied(self) -> bytearray:
        """The hexes that a line of my supply reaches, roughly: no enemies, no zones without my
        units, no unbridged major river."""
        ground = self.ground.map
        turn = int(self.board.tracks.get("turn", 1) or 1)
        found = bytearray(len(ground.grid.ids))
        following, enemies = self.ground.supply, self.enemies
        queue = [
            source.hex
            for source in ground.sources
            if source.side == self.side and source.from_turn <= turn
        ]
        queue = [i for i in queue if i not in self.enemies]
        for i in queue:
            found[i] = 1
        while queue:
            i = queue.pop()
            if i in self.zone and i not in self.friends:
                continue
            for n in following[i]:
                if not found[n] and n not in enemies:
                    found[n] = 1
                    queue.append(n)
        return found
