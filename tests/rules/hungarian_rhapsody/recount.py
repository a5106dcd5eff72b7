"""The books of a game, kept from its events and the printed pack alone, and held against the
position.

`Recount` is shown every event of a game with the position before it. What follows from the rules it
works out by itself, from the pack as the witness reads it and the tables as they were copied a
second time; of the position it reads where units stand and which markers they bear. It raises
AssertionError where the engine has done something else. Nothing of `ocs` but the record classes is
used here.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tests.rules.hungarian_rhapsody.books import (
    FLYING,
    MA,
    Bare,
    bits,
    easy,
    half_up,
    mode_of,
    plain,
)
from tests.rules.hungarian_rhapsody.recount_battles import Battles
from tests.rules.hungarian_rhapsody.witness import is_combat
from tests.rules.ocs import printed
from warledger.engine.games.hungarian_rhapsody import fortress
from warledger.engine.games.hungarian_rhapsody.rules import HungarianRhapsody
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel import replay
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log.records import Record


class Recount(Battles):
    """The books of one game, with all that happens in it."""

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
                most = max(4 + after.bases[base].level, self.stayed.get(base, 0))
                assert number <= most, f"{number} active in one place"

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
        # OCS 13.7a A formation traces as one; part of it may be cut though it could trace. HR 3.5c
        # Partisans and the Czech 2nd Para trace from the partisan supply hexes alone.
        wrong = {
            name: how
            for name, how in wrong.items()
            if not self._formation(before, name) and not self.pack.unit[name].get("partisan_supply")
        }
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

    def _BaseSet(self, before: State, event: Any, after: State) -> None:
        """OCS 14.2a Those who are active at a base that is lowered stay so."""
        at = before.charts.board.hex(event.hex)
        if at in before.bases:
            self.stayed[at] = sum(one.base == at and one.active for one in before.aircraft.values())

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
