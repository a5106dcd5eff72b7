"""What the books of a game hold, and the printed pack that they are kept by."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

from tests.rules.hungarian_rhapsody.second_reading import pack, scene
from tests.rules.hungarian_rhapsody.witness import Pack, Scenario, has_zoc, is_combat
from tests.rules.ocs import printed
from warledger.engine.games.ocs.series.state import State
from warledger.protocol.chance.seal import Secret

COMBAT_HEADS = printed.table(printed.COMBAT_COLUMNS)
COMBAT_ROWS = printed.table(printed.COMBAT_ROWS)
BARRAGE = printed.table(printed.BARRAGE)
ROWS = ("open", "close", "very_close", "extremely_close")
LEVEL = {"none": 0, "light": 1, "heavy": 2}
DENSITY = ((4, -1), (12, 0), (16, 1), (20, 2), (24, 3))
"""OCS 10.0a Quarters of an RE up to which each shift goes; above them 4."""

BY_ROW = {"open": 0, "close": -1, "very_close": -1, "extremely_close": -2}
FLYING = {
    "sweep": 1,
    "barrage": 1,
    "base_barrage": 1,
    "hip_shoot": 1,
    "trainbusting": 1,
    "transfer": 2,
    "transport": 2,
    "drop": 1,
}
"""OCS 14.2d, 14.9e, 14.11 How many times its range an aircraft goes at the most, by mission."""

MA = {"combat": Fraction(1), "move": Fraction(1), "reserve": Fraction(1, 4), "strat": Fraction(2)}
MA |= {"dg": Fraction(1, 2), "exploit": Fraction(1, 2)}
FIGHTS = {
    "combat": (1, 1),
    "move": (1, 1),
    "exploit": (1, 1),
    "dg": (Fraction(1, 2), Fraction(1, 2)),
}
FIGHTS |= {"reserve": (0, Fraction(1, 2)), "strat": (0, 0)}
"""OCS 5 Strength in attack and defence by mode."""


def plain(value: Any) -> Any:
    """What a field holds, hidden or not."""
    return value.value if isinstance(value, Secret) else value


class Bare(Scenario):
    """A position as the witness sees one: who stands where in which mode."""

    def __init__(s, p: Pack, name: str, state: State) -> None:
        first = scene(name)
        s.p, s.name, s.d, s.play = p, name, first.d, first.play
        ids, control = state.charts.board.name, state.control
        s.control = {ids(i): side for side, hexes in control.items() for i in bits(hexes)}
        s.at = {i: ids(one.at) for i, one in state.units.items() if one.at >= 0}
        s.mode = {i: mode_of(state.units[i]) for i in s.at}
        s.moving = {i: state.units[i].move_side for i in s.at}
        s.lost = {i: state.units[i].lost for i in s.at if state.units[i].lost}
        s.stack: dict[str, list[str]] = {}
        for i, h in s.at.items():
            s.stack.setdefault(h, []).append(i)
        s.side = {h: p.unit[them[0]]["side"] for h, them in s.stack.items()}
        s.source = first.source
        s.zoc: dict[str, set[str]] = {"axis": set(), "soviet": set()}
        for i, h in s.at.items():
            one, unit = p.unit[i], state.units[i]
            zone = has_zoc(one, s.mode[i]) or (unit.marker == "exploit" and unit.zone_kept)
            if zone and not unit.oos:
                s.zoc[one["side"]] |= {h, *p.grid.nb[h]}
        s.own = {
            side: {h for i, h in s.at.items() if p.unit[i]["side"] == side and is_combat(p.unit[i])}
            for side in s.zoc
        }
        s.pontoon = {
            side: {
                h
                for i, h in s.at.items()
                if p.unit[i]["type"] == "pontoon"
                and p.unit[i]["side"] == side
                and (s.mode[i] == "combat" or (s.mode[i] == "dg" and not state.units[i].move_side))
            }
            for side in s.zoc
        }
        s.axis_bridges = first.axis_bridges - {
            frozenset(
                (ids(slot // 6), ids(state.charts.board.map.grid.neighbours[slot // 6][slot % 6]))
            )
            for slot in state.bridges_down
        }

    def builds(s, hq: str) -> bool:
        return s.mode[hq] in ("combat", "dg") and not s.moving[hq]

    def throw(s, hq: str) -> int:
        return int(s.p.unit[hq]["sides"]["move" if s.moving[hq] else "combat"][0])


def bits(hexes: int) -> list[int]:
    """The hexes of a set."""
    return [i for i in range(hexes.bit_length()) if hexes >> i & 1]


def mode_of(unit: Any) -> str:
    """OCS 5.2 Its one mode."""
    return unit.marker or ("move" if unit.move_side else "combat")


def half_up(value: Fraction) -> int:
    """OCS 4.1 To the nearest, a half up."""
    return math.floor(value + Fraction(1, 2))


class Easy(Pack):
    """The pack with country that is easier than it ever is: no river, marshes like open ground. Who
    cannot be paid across it cannot be paid at all."""

    def __init__(p) -> None:
        super().__init__()
        p.river = {}
        p.terrain = {h: "open" if kind == "marsh" else kind for h, kind in p.terrain.items()}


@cache
def easy() -> Easy:
    """It, read once."""
    return Easy()


BEGINS_AS = {"konrad12": "konrad1"}
"""Scenarios that are two, one after the other, and the first of them."""


class Books:
    """The books of one game.

    `lost`, `stocks`   steps lost and stocks marked by unit
    `tokens`           side -> where -> T, of places and loads together
    `spent`            side -> T used up or lost, by what for
    `counts`           what has happened how often, by side and kind
    """

    def __init__(self, start: State) -> None:
        named = start.option("scenario")
        self.name = BEGINS_AS.get(named, named)
        self.pack, self.options = pack(), start.charts.options
        self.markers = start.markers
        self.lost = {name: unit.lost for name, unit in start.units.items()}
        self.stocks = {name: unit.stocks for name, unit in start.units.items()}
        self.tokens: dict[str, Counter[str]] = {side: Counter() for side in start.charts.sides}
        for side, lying in start.supply.items():
            for place, tokens in lying.items():
                self.tokens[side][self._where(start, place)] += tokens
        for name, unit in start.units.items():
            self.tokens[self._side(name)][name] += unit.load
        board = start.charts.board
        self.holder = {
            board.name(i): side for side, hexes in start.control.items() for i in bits(hexes)
        }
        self.purpose: dict[str, str] = {}
        self.spent: Counter[tuple[str, str]] = Counter()
        self.counts: Counter[tuple[str, str]] = Counter()
        self.attacked: set[str] = set()
        self.attackers: set[str] = set()
        self.shelled: set[str] = set()
        self.gunners: set[str] = set()
        self.flown: set[str] = set()
        self.fuelled: set[str] = set()
        self.sparing: set[str] = set()
        self.refitted: set[str] = set()
        self.stayed: dict[int, int] = {}
        self.refitting = ""
        self.weighed = 0

    def _attacks(self, state: State, name: str) -> bool:
        """OCS 4.4 Whether a unit is attack-capable."""
        marker = state.units[name].marker
        return has_zoc(self.pack.unit[name], "combat") and marker not in ("reserve", "strat")

    # --- what there is ----------------------------------------------------------------------------

    def _side(self, name: str) -> str:
        side: str = self.pack.unit[name]["side"]
        return side

    def _where(self, state: State, place: Any) -> str:
        return state.charts.board.name(place) if isinstance(place, int) else str(place)

    def _printed(self, name: str, unit: Any) -> list[Any]:
        sides = self.pack.unit[name]["sides"]
        face: list[Any] = sides["move" if unit.move_side else "combat"]
        return face

    def _formation(self, state: State, name: str) -> str:
        """OCS 3.1c, HR 4.0e The battle group that has taken a unit up, else its printed one."""
        groups = (m for m, one in state.gathered.items() if name in one.units and "." in m)
        return next(groups, str(self.pack.unit[name].get("muf", "")))

    def _distance(self, a: str, b: str) -> int:
        """Hexes between two, by rings."""
        ring, found, seen = {a}, 0, {a}
        while b not in seen:
            ring = {n for h in ring for n in self.pack.grid.nb[h]} - seen
            seen |= ring
            found += 1
        return found
