"""What never changes in a game of the series: the map, the counters, the tables, the scenario."""

import heapq
import re
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.clients.bots.player import View
from warledger.protocol.board import scenarios
from warledger.protocol.board.hexgrid import OFF_MAP
from warledger.protocol.board.hexmap import HexMap, hex_map
from warledger.protocol.board.ranges import expand

ARMOR, MECH, OTHER, HQ, TRANSPORT = "armor", "mech", "other", "hq", "transport"
COMBAT, MOVE = "combat", "move"
LEG, TRACK, TRUCK = "leg", "track", "truck"
ROWS = ("open", "close", "very_close", "extremely_close")
"""Kinds of terrain of the Combat Table, the easiest first."""

LEVELS = {"none": 0, "light": 1, "heavy": 2}

FAR = 999.0

FIELDS = 8
"""How many fields of distances are kept."""

_CELL = re.compile(
    r"A(?:L(?P<al>\d))?(?:o(?P<ao>\d))?(?: ?e(?P<e>\d))?"
    r"(?: D(?:L(?P<dl>\d))?(?:o(?P<do>\d))?(?P<dg>DG)?)?"
)


@frozen
class Face:
    """One side of a counter: combat strength (barrage strength, throw range), AR, MA, mobility."""

    strength: int
    ar: int
    ma: int
    mobility: str


@frozen(eq=False)
class Counter:
    """A ground unit as printed. RE in quarters; `at` is its anti-tank level."""

    id: str
    side: str
    kind: str
    cls: str
    re: int
    steps: int
    at: int
    faces: Mapping[str, Face]
    muf: str
    independent: bool
    range: int
    points: int
    organic: bool
    defence: tuple[int, int]
    throws: str
    """How an HQ throws: the mobility in whose points its range is counted."""

    @property
    def combat_unit(self) -> bool:
        """All but transport."""
        return self.cls != TRANSPORT

    @property
    def hq(self) -> bool:
        """A headquarters."""
        return self.cls == HQ

    @property
    def artillery(self) -> bool:
        """It barrages and does not attack."""
        return self.kind == "artillery"

    @property
    def attacks(self) -> bool:
        """Whether it can attack at all."""
        return self.combat_unit and not self.hq and not self.artillery

    @property
    def fights(self) -> bool:
        """Whether it is sent to fight: it can attack, and it is not a bridge."""
        return self.attacks and self.kind != "pontoon"

    @property
    def mobile(self) -> bool:
        """Whether it goes far on either side."""
        return any(face.mobility != LEG and face.ma >= 6 for face in self.faces.values())


@frozen
class Cell:
    """A cell of the Combat Table: steps, options and DG of each side, and the AR that exploits."""

    attacker: int
    attacker_option: int
    defender: int
    defender_option: int
    dg: bool
    exploit: int

    @classmethod
    def of(cls, text: str) -> "Cell":
        """From its code: "Ao1 e4 DL1o2"."""
        found = _CELL.fullmatch(text)
        if found is None:
            return cls(0, 0, 0, 0, False, 0)
        lost, option, exploit, hit, fled, shaken = (
            found.group(name) for name in ("al", "ao", "e", "dl", "do", "dg")
        )
        return cls(
            int(lost or 0),
            int(option or 0),
            int(hit or 0),
            int(fled or 0),
            shaken is not None,
            int(exploit or 0),
        )


@frozen
class Terrain:
    """What a terrain, place or hexside does in combat: the row, and multipliers by class."""

    row: str
    by_class: Mapping[str, float]
    attack_only: bool


class Ground:
    """One pack under one scenario."""

    def __init__(
        self, view: View, extenders: Iterable[str] = (), depots: Iterable[str] = ()
    ) -> None:
        pack = view.pack
        self.depots = frozenset(depots)
        """Markers of the game that are sources wherever they are."""
        self.extenders = frozenset(extenders)
        """Markers of the game that are wagon extenders."""
        self.map: HexMap = hex_map({**pack["map"], "area": ()})
        self.grid = self.map.grid
        self.index: Mapping[str, int] = self.grid.index
        self.ids = self.grid.ids
        self.tables = pack["tables"]
        named = view.options.get("scenario")
        self.scenario: Mapping[str, Any] = scenarios.scenario(
            pack, str(named) if named else scenarios.names(pack)[0]
        )
        self.counters = {str(entry["id"]): _counter(entry) for entry in pack["counters"]["units"]}
        self.planes: Mapping[str, Mapping[str, Any]] = {
            str(entry["id"]): entry for entry in pack["counters"]["aircraft"]
        }
        series = self.tables["series"]
        combat = series["combat_table"]
        self.heads = {row: [_ratio(head) for head in combat["columns"][row]] for row in ROWS}
        self.cells = [
            [Cell.of(text) for text in row]
            for _, row in sorted(combat["rows"].items(), key=lambda pair: int(pair[0]))
        ]
        self.surprise = series["surprise"]
        self.barrages = series["barrage_table"]
        self.first_turn = int(self.scenario["scenario"]["first_turn"])
        self.last_turn = int(self.scenario["scenario"]["last_turn"])
        self.stack = int(self.tables["stacking"]["re"])
        self._terrain = {
            name: _terrain(row)
            for table in ("terrain", "place", "hexside")
            for name, row in self.tables[table].items()
            if "row" in row or "armor" in row
        }
        self._grounds: dict[int, tuple[Terrain, ...]] = {}
        self._discs: dict[tuple[int, int], tuple[int, ...]] = {}
        self._fields: dict[frozenset[int], Mapping[int, int]] = {}
        self.sides: tuple[str, ...] = view.seats
        self.sources: list[Mapping[str, Any]] = [
            *pack["map"].get("entry", ()),
            *pack["map"].get("source", ()),
            *self.scenario.get("source", ()),
        ]
        """What map and scenario name as an end of trace."""
        calendar = pack["turns"]["turn"][0]
        self.railways = frozenset(side for side in self.sides if f"{side}_rail" in calendar)
        """Sides that have railways."""
        self.rails = self._rails()
        self.stations = frozenset(
            i
            for i, place in self.map.places.items()
            if self.tables["place"].get(place.kind, {}).get("detrainable") and i in self.rails
        ) | frozenset(i for i in self.rails if self.grid.edge(i))
        """HR 1.1d Places where trains are unloaded, and railway hexes at the map's edge."""
        self.control = self._controlled()
        self.play = frozenset(self.control)
        self.costs = {kind: self._costs(kind) for kind in (LEG, TRACK, TRUCK)}

    def enemy(self, side: str) -> str:
        """The other side."""
        return next(one for one in self.sides if one != side)

    def disc(self, i: int, reach: int) -> tuple[int, ...]:
        """The hexes at most so far away."""
        found = self._discs.get((i, reach))
        if found is None:
            found = self._discs[i, reach] = tuple(self.grid.within(i, reach))
        return found

    def listed(self, text: str) -> tuple[int, ...]:
        """The hexes of a list of the pack, ranges among them."""
        return tuple(self.index[id] for id in expand(text) if id in self.index)

    # --- terrain ----------------------------------------------------------------------------------

    def grounds(self, i: int) -> tuple[Terrain, ...]:
        """What the defender of a hex may choose of it, the hardest first."""
        found = self._grounds.get(i)
        if found is None:
            own = self.tables["terrain"][self.map.terrain[i]]
            names = list(own.get("either", (self.map.terrain[i],)))
            place = self.map.places.get(i)
            if place is not None and place.kind in self._terrain:
                names.append(place.kind)
            found = self._grounds[i] = tuple(
                sorted(
                    (self._terrain[name] for name in names if name in self._terrain),
                    key=lambda one: -ROWS.index(one.row),
                )
            )
        return found

    def row(self, i: int) -> str:
        """The row of the Combat Table for a hex."""
        found = self.grounds(i)
        return found[0].row if found else ROWS[0]

    def against(self, a: int, target: int) -> tuple[Terrain, ...]:
        """What the defender may choose against attackers from one hex."""
        kind = self.map.classes.get((a, self.grid.direction(a, target)), "")
        side = self._terrain.get(kind)
        return (*self.grounds(target), *((side,) if side is not None else ()))

    def column(self, row: str, attack: float, defence: float) -> int:
        """The column of the Combat Table."""
        heads = self.heads[row]
        if defence <= 0:
            return len(heads) - 1
        if attack <= 0:
            return 0
        if attack >= defence:
            ratio = float(int(attack / defence + 0.5))
        else:
            ratio = 1.0 / int(defence / attack + 0.5)
        found = 0
        for number, head in enumerate(heads):
            if head <= ratio + 1e-9:
                found = number
        return found

    # --- ways -------------------------------------------------------------------------------------

    def spread(
        self,
        starts: Iterable[int],
        kind: str,
        bound: float = FAR,
        shut: frozenset[int] | set[int] = frozenset(),
        walls: frozenset[int] | set[int] = frozenset(),
    ) -> dict[int, float]:
        """How many movement points it is from the nearest of these hexes, over country of the usual
        weather. `shut` is never entered, `walls` neither entered nor left."""
        costs = self.costs[kind]
        found = dict.fromkeys(starts, 0.0)
        queue = [(0.0, i) for i in found]
        while queue:
            so_far, i = heapq.heappop(queue)
            if so_far > found[i]:
                continue
            for n, cost in costs.get(i, ()):
                if n in shut or n in walls:
                    continue
                total = so_far + cost
                if total <= bound and total < found.get(n, FAR):
                    found[n] = total
                    heapq.heappush(queue, (total, n))
        return found

    def _costs(self, kind: str) -> dict[int, tuple[tuple[int, float], ...]]:
        """For each hex in play the ways out of it, with what they cost."""
        map_, grid = self.map, self.grid
        found = {}
        paths = (("road", 0.5), ("track", 1.0), ("rail", 2.0 if kind == TRUCK else 1.0))
        for i in self.play:
            ways = []
            for d, n in enumerate(grid.neighbours[i]):
                if n == OFF_MAP or n not in self.play:
                    continue
                cost = self._enter(n, kind)
                river = map_.classes.get((i, d))
                if river is not None:
                    cost += self._cross(river, kind)
                for name, flat in paths:
                    if n in map_.links.get(name, {}).get(i, ()):
                        if river == "danube" and (i, d) not in map_.bridged:
                            continue
                        cost = min(cost, flat)
                if cost < FAR:
                    ways.append((n, cost))
            found[i] = tuple(ways)
        return found

    def _rails(self) -> dict[int, tuple[int, ...]]:
        """Hexes with a railway -> those that it leads to; over the widest rivers by bridges."""
        map_ = self.map
        return {
            i: tuple(
                n
                for n in sorted(ends)
                if map_.classes.get((i, d := self.grid.direction(i, n))) != "danube"
                or (i, d) in map_.bridged
            )
            for i, ends in map_.links.get("rail", {}).items()
        }

    def away(self, hexes: Iterable[int]) -> dict[int, int]:
        """How many hexes it is from each hex to the nearest of these."""
        found = dict.fromkeys(hexes, 0)
        front = list(found)
        for i in front:
            for n in self.grid.adjacent[i]:
                if n not in found:
                    found[n] = found[i] + 1
                    front.append(n)
        return found

    def field(self, hexes: frozenset[int]) -> Mapping[int, int]:
        """How far hexes are from these, kept: every command asks for those with enemies."""
        found = self._fields.get(hexes)
        if found is None:
            while len(self._fields) >= FIELDS:
                del self._fields[next(iter(self._fields))]
            found = self._fields[hexes] = self.away(sorted(hexes))
        return found

    def _enter(self, i: int, kind: str) -> float:
        row = self.tables["terrain"][self.map.terrain[i]]
        place = self.map.places.get(i)
        if place is not None:
            town = self.tables["place"].get(place.kind, {})
            if town.get("mode") == "replaces":
                row = town
        return _points(row.get(f"move_{kind}", 1), zero=FAR)

    def _cross(self, river: str, kind: str) -> float:
        row = self.tables["hexside"].get(river, {})
        return _points(row.get(f"extra_{kind}", 0), zero=0.0)

    def _controlled(self) -> dict[int, str]:
        """Hex in play -> who holds it when the scenario begins."""
        doc = self.scenario["control"]
        legend = doc["legend"]
        columns = self.grid.columns
        found = {}
        for r, line in enumerate(doc["rows"]):
            for c, sign in enumerate(line):
                side = legend.get(sign, "")
                if side in self.sides:
                    found[r * columns + c] = side
        return found


def _points(cost: Any, *, zero: float) -> float:
    if cost == "all":
        return 8.0
    if cost == "no":
        return FAR
    if isinstance(cost, str) and "/" in cost:
        above, below = cost.split("/")
        return int(above) / int(below)
    return float(cost) or zero


def _ratio(head: str) -> float:
    a, d = head.split(":")
    return int(a) / int(d)


def _number(value: Any) -> float:
    if isinstance(value, str) and "/" in value:
        above, below = value.split("/")
        return int(above) / int(below)
    return float(value)


def _terrain(row: Mapping[str, Any]) -> Terrain:
    return Terrain(
        str(row.get("row", ROWS[0])),
        {cls: _number(row.get(cls, 1)) for cls in (ARMOR, MECH, OTHER)},
        bool(row.get("attack_only", False)),
    )


def _counter(entry: Mapping[str, Any]) -> Counter:
    faces = {
        side: Face(int(values[0]), int(values[1]), int(values[2]), str(values[3]))
        for side, values in entry["sides"].items()
    }
    defence = entry.get("defence", (0, 0))
    return Counter(
        str(entry["id"]),
        str(entry["side"]),
        str(entry["type"]),
        str(entry["cls"]),
        int(entry["re"]),
        int(entry["steps"]),
        LEVELS.get(str(entry.get("at", "none")), 0),
        faces,
        str(entry.get("muf", "")),
        bool(entry.get("independent", False)),
        int(entry.get("range", 0)),
        int(entry.get("points", 0)),
        bool(entry.get("organic", False)),
        (int(defence[0]), int(defence[1])),
        str(entry.get("throw_mob", TRUCK)),
    )
