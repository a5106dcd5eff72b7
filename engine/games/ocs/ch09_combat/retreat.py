"""OCS 9.12: retreats.

OCS 9.12 What is left of the options is retreated, ending the full distance from the start. The way
may zig-zag but never comes nearer. OCS 9.12a Entering the second hex puts every combat unit there
in DG. OCS 9.12b Units that cannot move flip to their Move side first; those that cannot move on
either are destroyed. OCS 9.12c Stacked or split. OCS 9.12d Other combat units and organic trucks of
the hex may come along, nothing else. OCS 9.12e An enemy zone entered, negated or not, puts the hex
in DG, and costs a step if one of the stack already was. A unit in Strat mode is eliminated (5.8a).
OCS 9.12f Hexes that held enemy combat units at the start of the combat stay shut. OCS R-05: what
cannot be retreated is taken as steps. A game may
have areas in which a unit is eliminated that has to retreat there.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.going import Compiled
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch09_combat import captures, losses
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.ch09_combat.losses import RETREAT, alive
from warledger.engine.games.ocs.ch09_combat.result_losses import (
    ATTACKER,
    DEFENDER,
    fighting,
    side_of,
    veiled,
)
from warledger.engine.games.ocs.ch20_breakdowns import breakdowns
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import DG, STRAT, State, changed, placed
from warledger.engine.games.ocs.series.tables import OVERRUN
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, event
from warledger.protocol.board.choices import Say, refuse, say

SECOND = 2
"""OCS 9.12a The hex of a retreat at which units fall into DG."""


@event("ocs.fell_back")
class FellBack:
    """OCS 9.12 Units of a side retreat from a hex into the next."""

    side: str
    units: Any
    start: str
    hex: str


@event("ocs.retreat_done")
class RetreatDone:
    """OCS 9.12 These units have retreated as far as they do."""

    side: str
    units: Any


@event("ocs.toll_owed")
class TollOwed:
    """OCS 9.12e, R-05 One of these units is to lose a step."""

    side: str
    units: Any


@event("ocs.toll_paid")
class TollPaid:
    """OCS 9.12e The oldest step owed has been lost, or nobody is left who could."""

    side: str


after = ByEvent()


@after(FellBack)
def _fell_back(state: State, event: FellBack) -> State:
    battle = fighting(state)
    made = placed(state, fog.plain(event.units), state.charts.board.hex(event.hex))
    return replace(made, battle=replace(battle, fled=battle.fled | {event.side}))


@after(RetreatDone)
def _done(state: State, event: RetreatDone) -> State:
    """OCS 8.1f A retreat ends the movement of units that overrun."""
    battle = fighting(state)
    names = fog.plain(event.units)
    made = replace(state, battle=replace(battle, fallen_back=battle.fallen_back | frozenset(names)))
    if battle.row != OVERRUN or event.side != battle.side:
        return made
    return changed(made, {name: replace(made.units[name], finished=True) for name in names})


@after(TollOwed)
def _toll(state: State, event: TollOwed) -> State:
    battle = fighting(state)
    return replace(
        state, battle=replace(battle, tolls=(*battle.tolls, tuple(fog.plain(event.units))))
    )


@after(TollPaid)
def _paid(state: State, event: TollPaid) -> State:
    battle = fighting(state)
    return replace(state, battle=replace(battle, tolls=battle.tolls[1:]))


# --- where to -------------------------------------------------------------------------------------


def shut(state: State, battle: Battle, name: str) -> Hexes:
    """OCS 9.12, 9.12f Hexes that a unit never retreats into: with enemy combat units now or at the
    start of the combat, and with other enemies unless it is attack-capable (4.4c). Nor into hexes
    out of play, or barred by the game even to units that retreat."""
    charts, unit = state.charts, state.units[name]
    counter = charts.units[name]
    enemy = charts.enemy(counter.side)
    found = state.field.combat[enemy] | battle.shut.get(counter.side, 0)
    found |= charts.board.every & ~charts.scenario.play
    if not attack_capable(counter, unit):
        found |= state.field.occupied[enemy] | movement_range.bases_of(state, enemy)
    return found | rules(charts).retreat_barred(state, name)


def next_hexes(
    state: State, battle: Battle, names: Iterable[str], start: int, way: tuple[int, ...], far: int
) -> tuple[int, ...]:
    """OCS 9.12, 9.12c Hexes into which units that go together may retreat next, on a way that still
    leads as far as they can come: no nearer to the start, and never twice into a hex. Those outside
    enemy zones come first."""
    walk = _Walk(state, battle, tuple(names))
    if not walk.names:
        return ()
    goal = walk.farthest(start, far)
    zones = walk.zones
    found = [i for i in walk.steps(start, way) if walk.leads(start, (*way, i), goal)]
    return tuple(sorted(found, key=lambda i: (hexsets.has(zones, i), i)))


def reach(state: State, battle: Battle, names: Iterable[str], start: int, far: int) -> int:
    """OCS 9.12 How many hexes away units that go together can retreat, `far` at most."""
    return _Walk(state, battle, tuple(names)).farthest(start, far)


def doomed(
    state: State, battle: Battle, names: Iterable[str], start: int, far: int
) -> tuple[str, ...]:
    """HR 1.2b Those of these units that have to retreat into hexes where the game eliminates them:
    a way through such hexes leads farther than any other."""
    deadly = rules(state.charts).deadly_in_retreat
    return tuple(
        name
        for name in names
        if (area := deadly(state, name)[0])
        and (otherwise := reach(state, battle, (name,), start, far)) < far
        and _Walk(state, battle, (name,), opened=area).farthest(start, far) > otherwise
    )


class _Walk:
    """The ways of units that retreat together, `opened` to what is shut to them otherwise."""

    def __init__(
        self, state: State, battle: Battle, names: tuple[str, ...], opened: Hexes = 0
    ) -> None:
        self.names = names
        self._near = state.charts.board.map.grid.adjacent
        self._distance = state.charts.board.map.grid.distance
        grounds: list[Compiled] = []
        for name in names:
            ground = movement_range.ground(state, name)
            if not any(ground is other for other in grounds):
                grounds.append(ground)
        self._grounds = tuple(grounds)
        self._shut = 0
        for name in names:
            self._shut |= shut(state, battle, name)
        self._shut &= ~opened
        side = state.side(names[0]) if names else state.phasing
        self.zones = state.field.zones[state.enemy(side)]

    def steps(self, start: int, way: tuple[int, ...]) -> Iterable[int]:
        """Hexes to enter after a way."""
        here = way[-1] if way else start
        away = self._distance(start, here)
        for i in self._near[here]:
            if i == start or i in way or hexsets.has(self._shut, i):
                continue
            if self._distance(start, i) < max(away, 1):
                continue
            if all(ground.step(here, i) is not None for ground in self._grounds):
                yield i

    def leads(self, start: int, way: tuple[int, ...], goal: int) -> bool:
        """Whether some way goes on from here to a hex `goal` away."""
        if self._distance(start, way[-1]) >= goal:
            return self._distance(start, way[-1]) == goal
        return any(self.leads(start, (*way, i), goal) for i in self.steps(start, way))

    def farthest(self, start: int, far: int) -> int:
        """The greatest distance up to `far` that can be reached."""
        best = 0
        fresh: list[tuple[int, ...]] = [()]
        while fresh and best < far:
            way = fresh.pop()
            for i in self.steps(start, way):
                best = max(best, self._distance(start, i))
                fresh.append((*way, i))
        return min(best, far)


# --- the step -------------------------------------------------------------------------------------


def obliged(state: State, battle: Battle, side: str) -> tuple[str, ...]:
    """OCS 9.12 Units of a side that still have to retreat."""
    if not battle.hexes.get(side, 0):
        return ()
    return tuple(n for n in alive(state, battle.of(side)) if n not in battle.fallen_back)


def may_come(state: State, battle: Battle, side: str) -> tuple[str, ...]:
    """OCS 9.12d Who else may retreat: other combat units and organic trucks in the hexes where
    units still have to."""
    hexes = {state.units[name].at for name in obliged(state, battle, side)}
    counters, fighters = state.charts.units, battle.of(side)
    return tuple(
        name
        for i in sorted(hexes)
        for name in state.stack(i)
        if name not in fighters
        and name not in battle.fallen_back
        and (counters[name].combat_unit or counters[name].organic)
        and can_move(state, name) is not None
    )


def can_move(state: State, name: str) -> bool | None:
    """OCS 9.12b On which side of its counter a unit can move: as it is if its MA is not 0, else on
    the other side; None where neither can."""
    counter, unit = state.counter(name), state.units[name]
    for move_side in (unit.move_side, True, False):
        face = counter.face(move_side)
        if face is not None and face.ma > 0:
            return move_side
    return None


@frozen
class Retreat:
    """Who goes, all who still have to if none is named, and the hexes entered."""

    units: tuple[str, ...] = ()
    hexes: tuple[str, ...] = ()


@frozen
class Toll:
    """The unit that loses a step."""

    unit: str = ""


def _may_detach(state: State, side: str) -> tuple[str, ...]:
    """OCS 20.0a Units that have yet to retreat."""
    battle = fighting(state)
    return () if battle.tolls else obliged(state, battle, side)


class Retreating(Asking[State]):
    """OCS 9.12 One side retreats: `retreat [UNITS …] HEXES …`, stack by stack; `lose UNIT` where a
    zone entered costs a step. Kept from the enemy, who sees hexes (OCS R-16, R-17)."""

    verb_slot = "ocs.retreating"

    def __init__(self, role: str) -> None:
        self.role = role

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-17"""
        return veiled(asked.state)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while units have to retreat or a step is owed."""
        state = at.state
        battle = fighting(state)
        side = side_of(battle, state, self.role)
        if self._toll(state, battle):
            return {side: Decision(say("prompt.ocs.toll", "OCS 9.12e"))}
        if battle.tolls or self._unready(state, battle, side):
            return {}
        if not obliged(state, battle, side):
            return {}
        return {side: Decision(say("prompt.ocs.retreat", "OCS 9.12", number=battle.hexes[side]))}

    def commands(self) -> Commands[State]:
        """`retreat [UNITS …] HEXES …` and `lose UNIT`."""
        return (
            Command(
                "retreat",
                Retreat,
                Many(
                    "units",
                    "ocs.unit",
                    self._units,
                    self._why_not_unit,
                    enough=True,
                    takes=_is_unit,
                    joint="ocs.unit_or_hex",
                ),
                Many("hexes", "ocs.hex", self._hexes, self._why_not_hex, enough=self._far_enough),
                apply=self._retreat,
                when=lambda asked: not fighting(asked.state).tolls,
                preview=self._preview,
            ),
            Command(
                "lose",
                Toll,
                Slot("unit", "ocs.unit", self._payers, self._why_not_payer),
                apply=self._lose,
                when=lambda asked: bool(fighting(asked.state).tolls),
            ),
            breakdowns.command(_may_detach),
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 9.12b Units that cannot move at all are destroyed, those that can on their other side
        flip. Then, one after the other, those who cannot go anywhere take what they owe as steps
        (OCS R-05)."""
        state = table.state
        battle = fighting(state)
        side = side_of(battle, state, self.role)
        if battle.tolls:
            table.emit(TollPaid(side))
            return
        unready = self._unready(state, battle, side)
        if not unready:
            table.done()
            return
        stuck = [name for name in unready if can_move(state, name) is None]
        if stuck:
            at = state.units[stuck[0]].at
            here = [name for name in stuck if state.units[name].at == at]
            losses.destroy(table, here, why=RETREAT)
        else:
            units = state.units
            modes.change(table, [(n, units[n].marker, not units[n].move_side) for n in unready])

    @staticmethod
    def _unready(state: State, battle: Battle, side: str) -> tuple[str, ...]:
        return tuple(
            name
            for name in obliged(state, battle, side)
            if can_move(state, name) is not state.units[name].move_side
        )

    @staticmethod
    def _toll(state: State, battle: Battle) -> tuple[str, ...]:
        return alive(state, battle.tolls[0]) if battle.tolls else ()

    def _units(self, asked: Asked[State], order: Retreat) -> Iterable[str]:
        state = asked.state
        battle = fighting(state)
        every = (
            *obliged(state, battle, asked.seat),
            *may_come(state, battle, asked.seat),
        )
        if order.units:
            at = state.units[order.units[0]].at
            every = tuple(n for n in every if state.units[n].at == at)
        return tuple(name for name in every if name not in order.units)

    def _going(self, asked: Asked[State], order: Retreat) -> tuple[str, ...]:
        """Who goes: those named, or all in the first hex of those who still have to."""
        if order.units:
            return order.units
        state = asked.state
        left = obliged(state, fighting(state), asked.seat)
        return tuple(name for name in left if state.units[name].at == state.units[left[0]].at)

    def _hexes(self, asked: Asked[State], order: Retreat) -> Iterable[str]:
        state = asked.state
        battle, board = fighting(state), state.charts.board
        names = self._going(asked, order)
        way = tuple(board.hex(one) for one in order.hexes)
        return tuple(
            board.name(i)
            for i in next_hexes(
                state, battle, names, state.units[names[0]].at, way, battle.hexes[asked.seat]
            )
            if not self._far_enough(asked, order)
        )

    def _preview(self, asked: Asked[State], order: Retreat) -> tuple[Say, ...]:
        """What the hex that is entered last brings about, with that hex as `entered`: OCS 9.12e in
        an enemy zone (4.8b D both sides know them) DG, a step if somebody was in DG, the end of
        those in Strat mode. 9.12a DG in the second hex. At the end of the way, who is eliminated
        because they would have to go on into an area that the game forbids."""
        state, way = asked.state, order.hexes
        names = self._going(asked, order)
        said = self._entered(asked, names, way) if way else []
        if self._far_enough(asked, order):
            battle = fighting(state)
            start = state.units[names[0]].at
            lost = doomed(state, battle, names, start, battle.hexes[asked.seat])
            if lost:
                _, clause = rules(state.charts).deadly_in_retreat(state, lost[0])
                said.append(say("preview.ocs.must_enter", clause, units=lost))
        return tuple(said)

    def _entered(
        self, asked: Asked[State], names: tuple[str, ...], way: tuple[str, ...]
    ) -> list[Say]:
        """OCS 9.12a, 9.12e What the last hex of a way brings about."""
        state = asked.state
        board = state.charts.board
        units = [state.units[name] for name in names]
        zones = state.field.zones[state.enemy(asked.seat)]
        entered = [hexsets.has(zones, board.hex(one)) for one in way]
        dg = any(entered[:-1]) or len(way) > SECOND
        said: list[Say] = []
        if entered[-1]:
            steps = dg or any(unit.marker == DG for unit in units)
            said.append(say(f"preview.ocs.zone_{steps:d}", "OCS 9.12e", entered=way[-1]))
            if not any(entered[:-1]) and any(unit.marker == STRAT for unit in units):
                said.append(say("preview.ocs.zone_strat", "OCS 5.8b", entered=way[-1]))
        elif len(way) == SECOND:
            said.append(say("preview.ocs.second_hex", "OCS 9.12a", entered=way[-1]))
        return said

    def _far_enough(self, asked: Asked[State], order: Retreat) -> bool:
        state = asked.state
        battle, board = fighting(state), state.charts.board
        names = self._going(asked, order)
        start = state.units[names[0]].at
        here = board.hex(order.hexes[-1]) if order.hexes else start
        goal = reach(state, battle, names, start, battle.hexes[asked.seat])
        return board.map.grid.distance(start, here) >= goal

    def _why_not_unit(self, asked: Asked[State], order: Retreat, pick: Pick) -> Refusal:
        return refuse("OCS 9.12d", "refusal.ocs.not_retreating", unit=str(pick))

    def _why_not_hex(self, asked: Asked[State], order: Retreat, pick: Pick) -> Refusal:
        return refuse("OCS 9.12", "refusal.ocs.no_retreat_there", hex=str(pick))

    def _payers(self, asked: Asked[State], order: Toll) -> Iterable[str]:
        return self._toll(asked.state, fighting(asked.state))

    def _why_not_payer(self, asked: Asked[State], order: Toll, pick: Pick) -> Refusal:
        return refuse("OCS 9.12e", "refusal.ocs.no_toll", unit=str(pick))

    def _lose(self, table: Table[State], asked: Asked[State], order: Toll) -> None:
        losses.lose(table, order.unit, why=RETREAT)
        table.emit(TollPaid(asked.seat))

    def _retreat(self, table: Table[State], asked: Asked[State], order: Retreat) -> None:
        names = self._going(asked, order)
        board = asked.state.charts.board
        go(table, asked.seat, names, tuple(board.hex(one) for one in order.hexes))


def _is_unit(asked: Asked[State], pick: Pick) -> bool:
    return pick in asked.state.units


def go(table: Table[State], side: str, names: tuple[str, ...], way: tuple[int, ...]) -> None:
    """OCS 9.12, 5.10a Units retreat along a way, hex by hex, with what each hex brings about:
    captures (9.14), DG at the second (9.12a), zones (9.12e); steps owed are asked for afterwards.
    Units that would have to go on into an area where the game eliminates them are eliminated."""
    state = table.state
    battle, board = fighting(state), state.charts.board
    start = state.units[names[0]].at
    owed = battle.hexes.get(side, 0)
    lost = doomed(state, battle, names, start, owed)
    for number, i in enumerate(way, 1):
        state = table.state
        here = alive_or_transport(state, names)
        if not here:
            break
        shaken = tuple(n for n in here if state.units[n].marker == DG)
        table.emit(
            FellBack(
                side,
                fog.hidden(state, side, here),
                board.name(state.units[here[0]].at),
                board.name(i),
            )
        )
        captures.enter(table, here, i)
        zoned = hexsets.has(table.state.field.zones[state.enemy(side)], i)
        if zoned:
            marching = [name for name in here if table.state.units[name].marker == STRAT]
            losses.destroy(table, marching, why=RETREAT)
            if shaken:
                table.emit(TollOwed(side, fog.hidden(state, side, shaken)))
        if zoned or number == SECOND:
            modes.disorganise(table, table.state.combat_units(i))
    gone = board.map.grid.distance(start, way[-1]) if way else 0
    losses.destroy(table, alive(table.state, lost), why=RETREAT)
    payers = tuple(name for name in names if name not in lost)
    for _ in range(owed - gone if payers else 0):
        table.emit(TollOwed(side, fog.hidden(table.state, side, payers)))
    table.emit(RetreatDone(side, fog.hidden(table.state, side, names)))


def alive_or_transport(state: State, names: Iterable[str]) -> tuple[str, ...]:
    """Those of these that are still on the map: transport has no steps to lose."""
    return tuple(name for name in names if state.units[name].at >= 0)


STEPS = {
    f"ocs.retreating_{ATTACKER}": Retreating(ATTACKER),
    f"ocs.retreating_{DEFENDER}": Retreating(DEFENDER),
}
