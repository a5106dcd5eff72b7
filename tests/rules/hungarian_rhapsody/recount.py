"""The books of a game, kept from its events and the printed pack alone, and held against the
position.

`Recount` is shown every event of a game with the position before it. What follows from the rules it
works out by itself, from the pack as the witness reads it and the tables as they were copied a
second time; of the position it reads where units stand and which markers they bear. It raises
AssertionError where the engine has done something else. Nothing of `ocs` but the record classes is
used here.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from tests.rules.hungarian_rhapsody.second_reading import pack, scene
from tests.rules.hungarian_rhapsody.witness import Pack, Scenario, has_zoc, is_combat
from tests.rules.ocs import printed
from warledger.engine.games.hungarian_rhapsody import fortress
from warledger.engine.games.hungarian_rhapsody.rules import HungarianRhapsody
from warledger.engine.games.ocs.state import State
from warledger.engine.kernel import replay
from warledger.protocol.records import Record
from warledger.protocol.seal import Opening, Secret

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
}
"""OCS 14.2d, 14.11 How many times its range an aircraft goes, by mission."""

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


class Recount:
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
        self.refitting = ""
        self.weighed = 0

    def saw(self, before: State, event: Any, after: State) -> None:
        """Enter an event."""
        kind = type(event).__name__
        self._count(before, kind, event)
        self._hold(after, event.way if kind == "Moved" else (), event)
        entry: Callable[[State, Any, State], None] | None = getattr(self, f"_{kind}", None)
        if entry is not None:
            entry(before, event, after)

    def _hold(self, state: State, way: tuple[str, ...], event: Any) -> None:
        """OCS 13.3h Hexes where attack-capable units stand, or that they have gone through."""
        if way:
            names = [name for name in plain(event.units) if self._attacks(state, name)]
            inside = [h for h in way if h in self.holder]
            self.holder.update(dict.fromkeys(inside, self._side(names[0])) if names else {})
        for name, unit in state.units.items():
            here = unit.at >= 0 and state.charts.scenario.play >> unit.at & 1
            if here and self._attacks(state, name):
                self.holder[state.charts.board.name(unit.at)] = self._side(name)

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

    def _use(self, side: str, picks: Any, what: str) -> None:
        for _payer, where, tokens in plain(picks):
            assert tokens > 0, f"{tokens}T are paid"
            self.tokens[side][where] -= tokens
            assert self.tokens[side][where] >= 0, f"{side} pays what {where} does not hold"
            self.spent[side, what] += tokens

    def _count(self, state: State, kind: str, event: Any) -> None:
        side = getattr(event, "side", "") or state.phasing
        self.counts[side, kind] += 1
        if kind == "MissionDeclared":
            self.counts[side, "aircraft flown"] += len(plain(event.aircraft))
            self.counts[side, f"mission {event.kind}"] += 1

    # --- 2, 4: segments ---------------------------------------------------------------------------

    def _SegmentBegun(self, before: State, event: Any, after: State) -> None:
        self.attacked.clear()
        self.attackers.clear()
        if event.phase:
            for once in (
                self.shelled,
                self.gunners,
                self.flown,
                self.fuelled,
                self.sparing,
                self.refitted,
            ):
                once.clear()
        self.compare(after)
        held = {
            self._where(after, i): side
            for side, hexes in after.control.items()
            for i in bits(hexes)
        }
        wrong = {h: side for h, side in self.holder.items() if held[h] != side}
        assert not wrong, f"control: {wrong}"
        bare = Bare(self.pack, self.name, after)
        for side, hexes in after.field.zones.items():
            assert {self._where(after, i) for i in bits(hexes)} == bare.zoc[side], (
                f"zones of {side}"
            )
        limits = bare.d["scenario"]["reserve_markers"]
        for side in after.charts.sides:
            marked = {h for i, h in bare.at.items() if bare.mode[i] == "reserve"}
            marked = {h for h in marked if bare.side[h] == side}
            assert len(marked) <= limits[side], f"{side} has {len(marked)} Reserve markers"
        busy = Counter(one.base for one in after.aircraft.values() if one.active)
        for base, number in busy.items():
            if isinstance(base, int):
                assert number <= 4 + after.bases[base].level, f"{number} active in one place"

    def compare(self, state: State) -> None:
        """The position is what the events of the game have made."""
        for name, unit in state.units.items():
            assert unit.lost == self.lost[name], f"{name} has lost {self.lost[name]} steps"
            assert unit.stocks == self.stocks[name], f"{name} has stocks {self.stocks[name]}"
            assert unit.load == self.tokens[self._side(name)][name], f"{name} carries {unit.load}T"
        for side, lying in state.supply.items():
            held = {self._where(state, place): tokens for place, tokens in lying.items()}
            booked = {
                where: tokens
                for where, tokens in self.tokens[side].items()
                if tokens and where not in state.units
            }
            assert held == booked, f"{side}: {held} is held, {booked} is booked"

    # --- 12: supply -------------------------------------------------------------------------------

    def _SupplyChanged(self, before: State, event: Any, after: State) -> None:
        tokens = plain(event.tokens)
        self.tokens[event.side][str(plain(event.place))] += tokens
        if event.why in ("spent", "blown", "lost"):
            self.spent[event.side, event.why] -= tokens

    def _LoadChanged(self, before: State, event: Any, after: State) -> None:
        name, tokens = plain(event.unit), plain(event.tokens)
        self.tokens[self._side(name)][name] += tokens
        if event.why in ("spent", "blown", "lost"):
            self.spent[self._side(name), event.why] -= tokens

    def _Billed(self, before: State, event: Any, after: State) -> None:
        self.purpose[event.side] = plain(event.bill)[0]

    def _Paid(self, before: State, event: Any, after: State) -> None:
        self._reached(before, event.side, plain(event.picks))
        self._use(event.side, event.picks, self.purpose[event.side])
        for name in plain(event.by_stocks):
            self.stocks[name] += 1
            assert self.stocks[name] <= 2, f"{name} uses stocks that it has not"
        if plain(event.by_stocks):
            self._use(event.side, event.wasted, "wasted")

    def _reached(self, state: State, side: str, picks: Any) -> None:
        """OCS 12.3 What pays a unit lies within its draw, or that of an HQ which throws to it, over
        country that is easier than it ever is."""
        bare: Bare | None = None
        for payer, what, _tokens in picks:
            if payer not in state.units or state.units[payer].at < 0:
                continue
            at = state.charts.board.name(state.units[payer].at)
            where = what
            if what in state.units:
                where = self._where(state, state.units[what].at)
            if where == at or where not in self.pack.grid.cr or what == payer:
                continue
            bare = bare or Bare(easy(), self.name, state)
            assert self._drawn(bare, side, payer, at, where), f"{payer} is paid out of {what}"

    def _drawn(self, bare: Bare, side: str, payer: str, at: str, where: str) -> bool:
        near = {where, *self.pack.grid.nb[where]}
        one = self.pack.unit[payer]
        own = one.get("throw_mob", "truck") if one["type"] == "hq" else "truck"
        if near & set(bare.reach(side, at, own, 5)):
            return True
        beside = {at, *self.pack.grid.nb[at]}
        for hq, h in bare.at.items():
            other = self.pack.unit[hq]
            if other["type"] != "hq" or other["side"] != side or bare.mode[hq] == "strat":
                continue
            thrown = bare.reach(side, h, other["throw_mob"], bare.throw(hq))
            drawn = bare.reach(side, h, other["throw_mob"], 5)
            if beside & set(thrown) and near & {*drawn, *bare.reach(side, h, "truck", 5)}:
                return True
        return False

    def _Recovered(self, before: State, event: Any, after: State) -> None:
        self._use(event.side, event.picks, "recovery")
        for name, level in plain(event.levels):
            assert level <= self.stocks[name], f"{name} recovers to {level}"
            self.stocks[name] = level

    def _StocksChanged(self, before: State, event: Any, after: State) -> None:
        for name in plain(event.units):
            self.stocks[name] = plain(event.stocks)

    def _FuelTaken(self, before: State, event: Any, after: State) -> None:
        self._use(event.side, event.picks, "fuel_unit")
        self.fuelled |= set(plain(event.units))
        self.sparing |= set(plain(event.sparing))

    def _TraceChecked(self, before: State, event: Any, after: State) -> None:
        """OCS 12.6 Nobody is cut off who traces by the witness's search, which knows no bridge of
        an HQ and no ice, so that it finds rather too little; nor where markers have gone."""
        if self.options["cavalry_hqs"] or before.markers != self.markers:
            return
        said = Bare(self.pack, self.name, before).trace(event.side)
        wrong = {name: said[name] for name in plain(event.cut) if said.get(name)}
        # OCS 13.7a A formation traces as one; part of it may be cut though it could trace.
        wrong = {name: how for name, how in wrong.items() if not self._formation(before, name)}
        assert not wrong, f"cut off, and yet they trace: {wrong}"

    # --- steps ------------------------------------------------------------------------------------

    def _StepsLost(self, before: State, event: Any, after: State) -> None:
        name = plain(event.unit)
        one = self.pack.unit[name]
        left = max(one["steps"], 1) - self.lost[name]
        assert 0 < event.steps <= left, f"{name} loses {event.steps} of {left} steps"
        assert bool(plain(event.pile)) == (event.steps == left), f"{name} goes to a pile, or not"
        self.counts[self._side(name), "steps lost"] += event.steps
        gone = event.steps == left
        self.lost[name] = 0 if gone else self.lost[name] + event.steps
        self.stocks[name] = 0 if gone else self.stocks[name]

    def _Detached(self, before: State, event: Any, after: State) -> None:
        """OCS 20.0 A unit has a step less for each breakdown, and keeps one."""
        name, parts = plain(event.unit), plain(event.parts)
        one = self.pack.unit[name]
        assert one["cls"] == "other" and one["side"] == "axis", f"{name} does not break down"
        self.lost[name] += len(parts)
        assert self.lost[name] < one["steps"], f"{name} detaches its last step"
        for part in parts:
            assert before.units[part].at < 0, f"{part} is in use"
            assert self.pack.unit[part]["nation"] == one["nation"], f"{part} is of another nation"
            self.lost[part], self.stocks[part] = 0, self.stocks[name]

    def _Absorbed(self, before: State, event: Any, after: State) -> None:
        """OCS 20.0 A unit has a step more for each breakdown that it takes up."""
        for part, name in plain(event.pairs):
            assert before.units[part].at == before.units[name].at, f"{part} is not with {name}"
            self.lost[name] -= 1
            assert self.lost[name] >= 0, f"{name} has more steps than are printed"
            self.stocks[part] = 0

    def _Consolidated(self, before: State, event: Any, after: State) -> None:
        """OCS 13.9 Steps that two like units have between them are those that one has afterwards,
        as many as it can; a load goes along."""
        gone, kept, lost = plain(event.gone), plain(event.kept), plain(event.lost)
        if gone in before.aircraft:
            return
        one, other = self.pack.unit[gone], self.pack.unit[kept]
        assert one["sides"] == other["sides"], f"{gone} is not like {kept}"
        assert not self.stocks[gone] and not self.stocks[kept], f"{gone} or {kept} is Low"
        steps = max(one["steps"], 1)
        there = steps - self.lost[gone]
        if before.units[kept].at >= 0:
            there += steps - self.lost[kept]
        assert lost == max(steps - there, 0), f"{kept} has {there} steps and {lost} lost"
        self.lost[gone], self.lost[kept] = 0, lost
        load = self.tokens[event.side].pop(gone, 0)
        self.tokens[event.side][kept] += load

    def _Destroyed(self, before: State, event: Any, after: State) -> None:
        for name in plain(event.units):
            left = max(self.pack.unit[name]["steps"], 1) - self.lost[name]
            assert left > 0, f"{name} has no step left to lose"
            self.counts[self._side(name), "steps lost"] += left
            self.lost[name] = self.stocks[name] = 0

    def _Served(self, before: State, event: Any, after: State) -> None:
        self._use(event.side, event.picks, "goulash")

    def _FrontPaid(self, before: State, event: Any, after: State) -> None:
        self._use(event.side, event.picks, "front")

    def _BreakoutRolled(self, before: State, event: Any, after: State) -> None:
        load = self.tokens[event.side].pop(plain(event.unit), 0)
        self.spent[event.side, "lost"] += load

    def _BrokenOut(self, before: State, event: Any, after: State) -> None:
        self.stocks[plain(event.unit)] = 0

    def _Reinforced(self, before: State, event: Any, after: State) -> None:
        for name, lost in zip(plain(event.units), plain(event.lost), strict=True):
            self.lost[name], self.stocks[name] = lost, 0

    def _InfantryReturns(self, before: State, event: Any, after: State) -> None:
        """HR 3.3a The first ten come at once, those after them three to eight turns later."""
        for name, turn in zip(plain(event.units), event.turns, strict=True):
            assert before.units[name].where.startswith("box.dead.soviet"), f"{name} is not dead"
            self.counts["soviet", "returned"] += 1
            wait = turn - before.turn
            at_once = self.counts["soviet", "returned"] <= 10
            assert wait == 0 if at_once else 3 <= wait <= 8, f"{name} returns after {wait} turns"
            self.lost[name] = self.pack.unit[name]["steps"] - 1

    def _Rebuilt(self, before: State, event: Any, after: State) -> None:
        """OCS 13.5 Out of a pile, with one step."""
        name = plain(event.piece)
        if name in before.aircraft:
            assert before.aircraft[name].where.startswith("box.dead"), f"{name} is not dead"
            return
        assert before.units[name].where.startswith("box.dead"), f"{name} is not dead"
        self.lost[name] = max(self.pack.unit[name]["steps"], 1) - 1

    def _ToReserve(self, before: State, event: Any, after: State) -> None:
        for name in plain(event.units):
            self.stocks[name] = 0

    def _Collapsed(self, before: State, event: Any, after: State) -> None:
        for name in plain(event.units):
            self.lost[name] = self.stocks[name] = 0

    # --- 5, 6: modes and moves --------------------------------------------------------------------

    def _ModeChanged(self, before: State, event: Any, after: State) -> None:
        bare = Bare(self.pack, self.name, before)
        foe = before.enemy(event.side)
        for name, marker, move_side in plain(event.units):
            unit, one = before.units[name], self.pack.unit[name]
            assert ("move" if move_side else "combat") in one["sides"], f"{name} lacks the side"
            if marker in ("dg", "exploit"):
                assert is_combat(one), f"{name} takes {marker}"
                continue
            if unit.at < 0 or before.segment != "c2" or before.battle or before.sortie:
                continue
            assert unit.marker != "exploit", f"{name} leaves Exploit mode"
            assert unit.marker != "dg" or marker == "dg", f"{name} leaves DG"
            if marker in ("reserve", "strat"):
                assert is_combat(one) or (marker == "reserve" and one.get("organic")), name
                # HR 2.4 Guns in a fortress are in Reserve where they like.
                guns = marker == "reserve" and fortress.reserves(before, name)
                there = bare.at[name] in bare.zoc[foe]
                assert guns or not there, f"{name} takes {marker} in an enemy zone"
            if marker == "strat":
                assert move_side, f"{name} takes Strat on its Combat side"

    def _Moved(self, before: State, event: Any, after: State) -> None:
        bare, grid = Bare(self.pack, self.name, before), self.pack.grid
        for name in plain(event.units):
            unit, one = before.units[name], self.pack.unit[name]
            at = bare.at[name]
            face, foe = self._printed(name, unit), before.enemy(one["side"])
            for h in event.way:
                assert h in grid.nb[at], f"{name} leaps from {at} to {h}"
                beyond = before.charts.scenario.beyond >> before.charts.board.hex(h) & 1
                assert h in bare.play or beyond, f"{name} walks into {h}"
                assert h not in bare.own[foe], f"{name} walks into {h}"
                if unit.marker == "strat":
                    assert h not in bare.zoc[foe], f"{name} in Strat walks into a zone"
                at = h
            if before.segment not in ("c2", "e1", "g1"):
                continue
            factor = MA[mode_of(unit)]
            if before.segment == "e1":
                assert unit.released, f"{name} reacts, and is no released Reserve"
                factor = Fraction(1, 2) * (factor if unit.marker == "dg" else 1)
            elif before.segment == "g1" and unit.released:
                factor = factor if unit.marker == "dg" else Fraction(1)
            elif before.segment == "g1":
                assert unit.marker == "exploit", f"{name} has nothing to exploit"
            now = after.units[name]
            allowed = face[2] * factor * before.charts.parts
            assert now.spent <= allowed or (len(event.way) == 1 and not unit.spent), (
                f"{name} spends {now.spent} of {allowed}"
            )
            if name in self.sparing:
                self._is_sparing(before, bare, name, event.way, now.spent - unit.spent)
            elif is_combat(one) and face[3] != "leg":
                assert self._has_fuel(before, name), f"{name} moves without fuel"

    def _is_sparing(
        self, state: State, bare: Bare, name: str, way: tuple[str, ...], spent: int
    ) -> None:
        """HR 4.0f In Combat mode, never next to an enemy unit, no hex for less than a point."""
        foe = state.enemy(self._side(name))
        near = {n for h in bare.stack if bare.side[h] == foe for n in (h, *self.pack.grid.nb[h])}
        assert self.options["jansen_fuel"] and state.segment == "c2", f"{name} spares fuel"
        assert bare.mode[name] == "combat", f"{name} spares fuel in {bare.mode[name]}"
        assert not near & {bare.at[name], *way}, f"{name} spares fuel beside the enemy"
        assert spent >= len(way) * state.charts.parts, f"{name} spends {spent} on {len(way)} hexes"

    def _formation(self, state: State, name: str) -> str:
        """OCS 3.1c, HR 4.0e The battle group that has taken a unit up, else its printed one."""
        groups = (m for m, one in state.gathered.items() if name in one.units and "." in m)
        return next(groups, str(self.pack.unit[name].get("muf", "")))

    def _has_fuel(self, state: State, name: str) -> bool:
        """OCS 12.5c Itself, its formation, or an HQ of its side has been fuelled."""
        one = self.pack.unit[name]
        if name in self.fuelled or state.units[name].fuelled or name in state.fuelled_hqs:
            return True
        formation = self._formation(state, name)
        if formation in state.fuelled_formations:
            return True
        return (
            bool(one.get("independent"))
            and not formation
            and any(self._side(hq) == one["side"] for hq in state.fuelled_hqs)
        )

    # --- 9: combat --------------------------------------------------------------------------------

    def _BattleBegun(self, before: State, event: Any, after: State) -> None:
        bare = Bare(self.pack, self.name, before)
        foe = before.enemy(event.side)
        if event.row == "empty":
            # OCS 21.8
            assert self.options["attack_empties"], "an empty hex is attacked"
            assert event.target not in bare.own[foe], f"the enemy is in {event.target}"
            assert event.target not in bare.own[event.side], f"{event.target} is entered already"
        else:
            assert event.target in bare.own[foe], f"nobody to attack in {event.target}"
        names = [name for _hex, stack in event.stacks for name in plain(stack)]
        assert len(set(names)) == len(names), "somebody attacks twice"
        for hex, stack in event.stacks:
            assert hex in self.pack.grid.nb[event.target], f"{hex} is far from {event.target}"
            for name in plain(stack):
                one = self.pack.unit[name]
                assert bare.at[name] == hex, f"{name} is not in {hex}"
                assert has_zoc(one, "combat"), f"{name} cannot attack"
                assert bare.mode[name] not in ("reserve", "strat"), (
                    f"{name} is in {bare.mode[name]}"
                )
        if event.row == "overrun":
            assert before.segment in ("c2", "e1", "g1") and len(event.stacks) == 1
            return
        assert before.segment in ("f2", "g3") and event.side == before.phasing
        assert event.target not in self.attacked, f"{event.target} is attacked twice"
        assert not self.attackers & set(names), "somebody attacks in two combats"
        self.attacked.add(event.target)
        self.attackers |= set(names)

    def _rows(self, state: State, i: int) -> list[str]:
        """OCS 9.3 What lies in a hex: keys of the chart."""
        p, h = self.pack, self._where(state, i)
        own = p.terrain[h]
        found = list(p.tables["terrain"][own].get("either", [own]))
        place = p.place.get(h)
        return [
            *found,
            *([place["kind"]] if place and p.tables["place"][place["kind"]].get("row") else []),
        ]

    def _chart(self, key: str) -> Mapping[str, Any]:
        for part in ("terrain", "place", "hexside"):
            if key in self.pack.tables[part]:
                row: Mapping[str, Any] = self.pack.tables[part][key]
                return row
        raise KeyError(key)

    def _black(self, state: State, side: str, i: int) -> bool:
        """HR 1.1e Whether a hex is a printed hedgehog with a black border, which the Axis uses."""
        return side == "axis" and self.pack.mph.get(self._where(state, i), ("", False))[1]

    def _hedgehog(self, state: State, side: str, i: int) -> int:
        built = state.hedgehogs.get(i)
        level = built.level if built is not None and built.side == side else 0
        own = side == "axis" and self._where(state, i) in self.pack.mph
        return max(level, int(self.pack.tables["printed_hedgehog"]["level"]) if own else 0)

    def _row(self, state: State, side: str, i: int, ground: str) -> str:
        row = str(self._chart(ground)["row"])
        return max(row, "close", key=ROWS.index) if self._black(state, side, i) else row

    def _strength(self, state: State, name: str, attacking: bool, supplied: bool) -> Fraction:
        unit, one = state.units[name], self.pack.unit[name]
        value = Fraction(self._printed(name, unit)[0])
        if not attacking and one["type"] == "hq":
            value = Fraction(one["defence"][unit.move_side])
        if not attacking and one["type"] == "artillery":
            value = Fraction(max(one["steps"], 1) - unit.lost) if one["steps"] > 1 else Fraction(1)
        elif one["steps"] > 1 and unit.lost:
            if self.options["proportional_losses"]:
                value = Fraction(half_up(value * (one["steps"] - unit.lost) / one["steps"]))
            elif attacking or 2 * unit.lost >= one["steps"]:
                value /= 2
        value *= FIGHTS[mode_of(unit)][0 if attacking else 1]
        if unit.oos:
            value /= 2
        return value if supplied or attacking else value / 2

    def _BattleWeighed(self, before: State, event: Any, after: State) -> None:
        """OCS 9.3-9.7 Strengths, odds and column from the printed charts."""
        battle = before.battle
        assert battle is not None
        side, foe = battle.side, before.enemy(battle.side)
        level = max([LEVEL[self.pack.unit[name]["at"]] for name in battle.defenders], default=0)
        if self._hedgehog(before, foe, battle.target):
            level = 2
        attack = Fraction(0)
        for i, stack in battle.attackers.items():
            row = self._chart(battle.terrain[i])
            for name in stack:
                cls = self.pack.unit[name]["cls"]
                cls = cls if cls in ("armor", "mech") else "other"
                times = Fraction(row[cls])
                if self._black(before, foe, battle.target) and cls != "other":
                    times = min(times, Fraction(1)) if times >= 2 else times
                if times == 2 and 0 < level >= LEVEL[self.pack.unit[name]["at"]]:
                    times = Fraction(3, 2)
                attack += times * self._strength(before, name, True, True)
        ground = self._chart(battle.ground)
        defence = Fraction(0)
        for name in battle.defenders:
            cls = self.pack.unit[name]["cls"]
            times = Fraction(ground[cls if cls in ("armor", "mech") else "other"])
            times = Fraction(1) if ground.get("attack_only") else times
            fed = battle.paid.get(foe) != "none" and name not in battle.unpaid
            defence += times * self._strength(before, name, False, fed)
        assert (event.attack, event.defence) == (str(attack), str(defence)), (
            f"{attack} against {defence}, and not {event.attack} against {event.defence}"
        )
        row = self._row(before, foe, battle.target, battle.ground)
        assert row == event.row, f"the row {event.row} for {row}"
        heads = [Fraction(*map(int, head.split(":"))) for head in COMBAT_HEADS[row]]
        if attack > 0 and defence > 0:
            less = min(attack, defence)
            ratio = Fraction(half_up(attack / less), half_up(defence / less))
        else:
            ratio = Fraction(1) if attack == defence else heads[-1] if attack > 0 else heads[0]
        column = max([n for n, head in enumerate(heads) if head <= ratio], default=0)
        assert column == event.column, f"column {event.column} for {column}"
        lead = battle.leaders
        drm = self._ar(before, lead[side], battle.target) - self._ar(
            before, lead[foe], battle.target
        )
        assert drm == event.drm, f"DRM {event.drm} for {drm}"
        self.weighed = column

    def _ar(self, state: State, name: str, target: int) -> int:
        unit, one = state.units[name], self.pack.unit[name]
        bonus = 0
        if self.options["mountain_units"] and one["type"] == "mountain":
            bonus = int(self.pack.terrain[self._where(state, target)] == "mountain")
        if unit.marker == "strat":
            return bonus
        return int(self._printed(name, unit)[1]) - (unit.marker == "dg") + bonus

    def _BattleFought(self, before: State, event: Any, after: State) -> None:
        """OCS 9.8, 9.9 Surprise, shift and result from the printed tables."""
        battle = before.battle
        assert battle is not None
        high, low = (9, 6) if battle.row == "overrun" else (10, 5)
        roll = event.surprise_roll
        who = "attacker" if roll >= high else "defender" if roll <= low else ""
        assert event.surprise == who, f"surprise by {roll}"
        shift = {"attacker": event.shift, "defender": -event.shift}.get(who, 0)
        assert (1 <= event.shift <= 6) if who else not event.shift
        column = min(max(self.weighed + shift, 0), 12)
        assert column == event.column, f"column {event.column} for {column}"
        cell = COMBAT_ROWS[str(min(max(event.roll, 1), 15))][column]
        assert cell == event.result, f"{event.result} for {cell}"

    # --- 10: barrage ------------------------------------------------------------------------------

    def _ShellsFallen(self, before: State, event: Any, after: State) -> None:
        fire = before.fire
        assert fire is not None
        where, side = self._where(before, fire.target), fire.side
        if fire.kind != "air":
            assert where not in self.shelled, f"{where} is barraged twice"
            assert not self.gunners & set(fire.units), "a gun fires twice"
            self.shelled.add(where)
            self.gunners |= set(fire.units)
            points = Fraction(0)
            for name in fire.units:
                unit, one = before.units[name], self.pack.unit[name]
                assert one["type"] == "artillery" and unit.marker not in ("reserve", "strat"), name
                away = self._distance(before.charts.board.name(unit.at), where)
                assert 1 <= away <= one["range"], f"{name} fires {away} hexes"
                value = Fraction(self._printed(name, unit)[0])
                if one["steps"] > 1:
                    value = value * (one["steps"] - unit.lost) / one["steps"]
                points += value / 2 if unit.marker == "dg" else value
            assert Fraction(event.strength) == points, f"{points} points, and not {event.strength}"
        if fire.aim != "units":
            return
        heads = list(BARRAGE["2d6"])
        lows = [1 if head == "<=1" else int(head.strip(">=").split("-")[0]) for head in heads]
        whole = half_up(Fraction(event.strength))
        column = max([n for n, low in enumerate(lows) if whole >= low], default=0)
        assert heads[fire.column] == event.column
        assert fire.column == column or (self.options["lower_column"] and fire.column < column)
        foe = before.enemy(side)
        together: Counter[str] = Counter()
        for name in [n for n, u in before.units.items() if u.at == fire.target]:
            one = self.pack.unit[name]
            if is_combat(one):
                lost = 4 * before.units[name].lost if one["steps"] > 1 else 0
                together[self._formation(before, name) or name] += one["re"] - lost
        quarters = sum(min(value, 12) for value in together.values())
        shift = next((by for most, by in DENSITY if quarters <= most), 4)
        shift -= bool(self._hedgehog(before, foe, fire.target))
        rows = [self._row(before, foe, fire.target, key) for key in self._rows(before, fire.target)]
        shift += BY_ROW[max(rows, key=ROWS.index)]
        shift += 3 * any(u.at == fire.target and u.marker == "strat" for u in before.units.values())
        named = dict(event.shifts)
        other = sum(named.get(name, 0) for name in ("unspotted", "short_range", "long_range"))
        at = min(max(fire.column + shift + other, 0), 10)
        assert sum(named.values()) == shift + other, f"shifts {named}, and not {shift}"
        cell = BARRAGE[str(sum(event.dice))][at]
        marks = str.maketrans("–½", "-2")
        assert event.result.replace("½", "1/2").translate(marks) == cell, (
            f"{event.result} for {cell}"
        )

    def _distance(self, a: str, b: str) -> int:
        """Hexes between two, by rings."""
        ring, found, seen = {a}, 0, {a}
        while b not in seen:
            ring = {n for h in ring for n in self.pack.grid.nb[h]} - seen
            seen |= ring
            found += 1
        return found

    # --- 14, 15: air ------------------------------------------------------------------------------

    def _MissionDeclared(self, before: State, event: Any, after: State) -> None:
        names = plain(event.aircraft)
        assert 1 <= len(names) <= 4, f"{len(names)} aircraft on a mission"
        assert not self.flown & set(names), "an aircraft flies twice in a phase"
        self.flown |= set(names)
        if event.kind == "hip_shoot":
            assert len([n for n in names if self.pack.air[n].get("hip_shoot")]) >= 1
        for name in names:
            plane = before.aircraft[name]
            assert plane.active, f"{name} flies, and is inactive"
            if isinstance(plane.base, int) and event.place in self.pack.grid.cr:
                away = self._distance(before.charts.board.name(plane.base), event.place)
                reach = self.pack.air[name]["range"] * FLYING[event.kind]
                assert away <= reach, f"{name} flies {away} of {reach} hexes"
        if event.kind in ("barrage", "base_barrage", "trainbusting"):
            assert event.place not in self.shelled, f"{event.place} is barraged twice"
            self.shelled.add(event.place)

    def _FlakFired(self, before: State, event: Any, after: State) -> None:
        assert event.modified == sum(event.dice) + sum(value for _name, value in event.points)
        assert bool(plain(event.aircraft)) == (event.modified >= 11), f"flak of {event.modified}"

    def _AirRoundFought(self, before: State, event: Any, after: State) -> None:
        wanted = (event.defender,) if event.modified >= 8 else (event.attacker,)
        wanted = (event.attacker, event.defender) if event.modified == 7 else wanted
        assert set(event.aborted) == set(wanted), f"{event.modified} aborts {event.aborted}"

    def _RefitBegun(self, before: State, event: Any, after: State) -> None:
        base, names = str(plain(event.base)), plain(event.aircraft)
        # HR 1.3a Refit in a box is free, and as often as one likes.
        assert base not in self.refitted or base not in self.pack.grid.cr, f"{base} refits twice"
        self.refitting = base
        for name in names:
            assert not before.aircraft[name].active, f"{name} is refitted, and was active"
        if base in self.pack.grid.cr:
            level = before.bases[before.charts.board.hex(base)].level
            assert len(names) <= 2 * level, f"{len(names)} refits at level {level}"

    def _RefitOver(self, before: State, event: Any, after: State) -> None:
        if event.done:
            self.refitted.add(self.refitting)

    def _DumpBlown(self, before: State, event: Any, after: State) -> None:
        assert event.percent == (25, 50, 50, 75, 75, 100)[event.die - 1]
        held = self.tokens[event.side]
        there = held[event.hex] + sum(
            held[name]
            for name, unit in before.units.items()
            if unit.at >= 0 and before.charts.board.name(unit.at) == event.hex
        )
        gone = sum(tokens for _nobody, _what, tokens in plain(event.destroyed))
        assert gone == half_up(Fraction(there * event.percent, 100)), f"{gone} of {there}T blown"
        self._use(event.side, event.destroyed, "blown")

    def _CaptureRolled(self, before: State, event: Any, after: State) -> None:
        assert event.percent == printed.CAPTURE[event.what][event.die - 1]


class _Watched(HungarianRhapsody):
    """The rules, with somebody who looks on."""

    def __init__(self) -> None:
        self.book: Recount | None = None

    def evolve(self, state: State, event: Any) -> State:
        """As the rules have it, entered in the books."""
        made = super().evolve(state, event)
        if type(event).__name__ == "SetUp":
            self.book = Recount(made)
        elif self.book is not None:
            self.book.saw(state, event, made)
        return made


def recounted(records: list[Record], openings: Mapping[int, tuple[Opening, ...]]) -> Recount:
    """Fold a game with the books beside it; the position at the end is held against them."""
    rules = _Watched()
    folded = replay.fold(rules, records, openings)
    assert rules.book is not None
    rules.book.compare(folded.position.state)
    return rules.book


__all__ = ["Recount", "recounted"]
