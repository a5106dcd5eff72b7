"""OCS 12.8e: breakout, in the first segment of a side's own Movement Phase.

OCS 12.8e A combat unit with a printed MA that cannot trace at that moment may break out, if a
friendly unit in trace stands within 15 hexes. A path of any length has to lead to one, free of
enemy combat units and of terrain closed to the unit's Move side. For Truck units it is free of
enemy zones that are not negated, too. In its first turn out of trace it needs none of that, adds
one to the die, and transport points may try too. On a die roll of 1 to 4 it goes to the dead pile.
On 5 or more it leaves the map and returns as a reinforcement after another die's number of turns,
with its step losses and nothing else.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import TRUCK, Face
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch12_supply import points, trace
from warledger.engine.games.ocs.series.charts import bridged
from warledger.engine.games.ocs.series.events import TakenOff
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import (
    NOT_ARRIVED,
    OFF_MAP,
    Coming,
    State,
    Unit,
    changed,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event

BREAKOUT = "breakout"
"""The name of the step, why steps are lost in it, and how who has left returns."""

WITHIN = 15
"""OCS 12.8e Hexes within which a friendly unit in trace is to stand."""

ESCAPES = 5
"""OCS 12.8e The least on the die that leads out."""

FIRST_TURN = 1
"""OCS 12.8e What the first turn out of trace adds to the die."""


@event("ocs.breakout_rolled")
class BreakoutRolled:
    """OCS 12.8e A unit tries to break out: the die, and what it comes to. What it carries is
    lost."""

    side: str
    unit: Any
    die: int
    modified: int


@event("ocs.broken_out")
class BrokenOut:
    """OCS 12.8e A unit has left the map and returns on a turn."""

    side: str
    unit: Any
    turn: int


after = ByEvent()


@after(BreakoutRolled)
def _rolled(state: State, event: BreakoutRolled) -> State:
    name = fog.plain(event.unit)
    load = state.units[name].load
    return points.spent(state, event.side, (("", name, load),)) if load else state


@after(BrokenOut)
def _broken_out(state: State, event: BrokenOut) -> State:
    name = fog.plain(event.unit)
    unit = state.units[name]
    left = Unit(where=NOT_ARRIVED, move_side=state.counter(name).combat is None, lost=unit.lost)
    made = changed(state, {name: left})
    return replace(made, coming=(*made.coming, Coming(event.turn, event.side, (name,), BREAKOUT)))


# --- who may --------------------------------------------------------------------------------------


def _moving_face(state: State, name: str) -> Face | None:
    """OCS 12.8e The side on which a unit would break out: its Move side, or the one it has."""
    counter = state.counter(name)
    return counter.move or counter.combat


def first_turn(state: State, name: str) -> bool:
    """OCS 12.8e Whether a unit had trace in its last Supply Phase."""
    return state.units[name].cut_turns == 0


def safe(state: State, side: str) -> Hexes:
    """OCS 12.8e Hexes with a combat unit of a side in trace."""
    return hexsets.of(
        state.units[name].at for name, by in trace.traced(state, side).items() if by is not None
    )


def leads_out(state: State, name: str, goals: Hexes) -> bool:
    """OCS 12.8e Whether a path leads a unit to one of these hexes, and one lies near enough."""
    face, at = _moving_face(state, name), state.units[name].at
    if face is None:
        return False
    charts, side = state.charts, state.side(name)
    distance = charts.board.map.grid.distance
    if not any(distance(at, i) <= WITHIN for i in hexsets.listed(goals)):
        return False
    shut = (
        state.field.combat[state.enemy(side)]
        | charts.board.every & ~charts.scenario.play
        | rules(charts).barred(state, name)
    )
    if face.mobility == TRUCK:
        shut |= zones.barred(state, side, zones.TRUCK_MOVE)
    steps = bridged(
        charts.printed, state.ground, face.mobility, rules(charts).bridging(state, side, True)
    )
    seen, front = 1 << at, [at]
    while front and not seen & goals:
        here = front.pop()
        for n, *_ in (*steps.plain[here], *steps.special[here]):
            if not (seen | shut) >> n & 1:
                seen |= 1 << n
                front.append(n)
    return seen & goals != 0


@remembered()
def able(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.8e Units of a side that may break out now."""
    goals: Hexes | None = None
    found = []
    for name in (*trace.cut(state, side), *_transport(state, side)):
        face = _moving_face(state, name)
        if face is None or face.ma < 1 or not rules(state.charts).may_break_out(state, name):
            continue
        if first_turn(state, name):
            found.append(name)
            continue
        if goals is None:
            goals = safe(state, side)
        if goals and leads_out(state, name, goals):
            found.append(name)
    return tuple(found)


def _transport(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.8e Transport points in their first turn out of trace."""
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        and state.side(name) == side
        and not state.counter(name).combat_unit
        and first_turn(state, name)
        and not trace.transport_traces(state, name)
    )


@remembered()
def in_doubt(state: State, side: str) -> bool:
    """OCS 4.9 Whether anybody could tell from what lies open that a unit may have to break out:
    some hex of the side has no source that a unit there would draw from by itself."""
    return any(
        not trace.traces_from(state, side, i) for i in hexsets.listed(state.field.occupied[side])
    )


# --- the step -------------------------------------------------------------------------------------


def attempt(table: Table[State], name: str) -> None:
    """OCS 12.8e A unit tries: the die, and for one that escapes another for the turns it is
    away."""
    state = table.state
    side = state.side(name)
    die = table.roll(6, "breakout")
    modified = die + (FIRST_TURN if first_turn(state, name) else 0)
    table.emit(BreakoutRolled(side, fog.hidden(state, side, name), die, modified))
    if modified >= ESCAPES:
        turn = state.turn + table.roll(6, "breakout_return")
        table.emit(BrokenOut(side, fog.hidden(state, side, name), turn))
    elif state.counter(name).combat_unit:
        losses.destroy(table, (name,), why=BREAKOUT)
    else:
        gone = fog.hidden(state, side, (name,))
        table.emit(TakenOff(gone, rules(state.charts).pile(state.charts, name)))


@frozen
class BreakingOut:
    """OCS 12.8e The unit that tries."""

    unit: str = ""


class Breakout(Asking[State]):
    """OCS 2.3 C1, 12.8e The phasing side's units break out one by one, until it is `done`."""

    verb_slot = "ocs.breakout"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The phasing side, where a unit may, or under strict fog where one might."""
        state, side = at.state, at.state.phasing
        asked = in_doubt(state, side) if fog.strict(state) else bool(able(state, side))
        if not asked:
            return {}
        return {side: Decision(Say("prompt.ocs.breakout", (), "OCS 12.8e"))}

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15 Who is out of trace is hidden."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """breakout UNIT, done."""
        return (
            Command(
                "breakout",
                BreakingOut,
                Slot("unit", "ocs.unit", _able, _why_not),
                apply=lambda table, asked, order: attempt(table, order.unit),
                when=lambda asked: bool(able(asked.state, asked.seat)),
                why=lambda asked: Refusal("OCS 12.8e", "refusal.ocs.nobody_is_cut_off"),
            ),
            word("done", lambda table, asked: table.done()),
        )


def _able(asked: Asked[State], order: BreakingOut) -> Iterable[str]:
    return able(asked.state, asked.seat)


def _why_not(asked: Asked[State], order: BreakingOut, pick: Pick) -> Refusal:
    """OCS 12.8e"""
    state, name = asked.state, str(pick)
    key = "not_cut_off"
    if name in trace.cut(state, asked.seat):
        key = "no_way_out"
        if not rules(state.charts).may_break_out(state, name):
            key = "never_breaks_out"
    return Refusal("OCS 12.8e", f"refusal.ocs.{key}", (("unit", pick),))


STEPS: Mapping[str, Step[State]] = {BREAKOUT: Breakout()}
SEGMENT = (BREAKOUT,)
"""OCS 2.3 C1 The step of the Breakout Segment."""
