"""OCS 13.8d, 15.3, 15.4, 16.0: who builds and tears down: engineers at a distance, troops on the
spot.

OCS 13.8d An engineer-capable HQ works up to two hexes away, by a Leg path without enemy combat
units (zones do not matter, v4.3). It works in one hex a phase, at one kind of work, and does not
move in that phase. OCS 15.4, 16.0b Troops, where allowed, are at least 1 RE of combat units in
Combat mode in the hex that do not move in the phase.

[R] A unit that has moved in the phase does not work in it. Others may do another kind of work in
the same hex; of one kind a hex sees one level a turn (15.3, 16.0b). Troops that work are taken in
the order of ids until they make 1 RE. What is built is paid for by the hex (12.3), from wherever it
is reached.
"""

from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, LEG, ONE_RE
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import re
from warledger.engine.games.ocs.ch13_special_units.bridges import engineer_capable, hqs_of
from warledger.engine.games.ocs.series.charts import bridged
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

MOVEMENT = "c2"
"""OCS 2.3 The segment in which anything is built."""


@event("ocs.worked")
class Worked:
    """OCS 13.8d Units have built or torn down something in a hex: they neither move nor do anything
    else in this phase. `what` is the kind of work."""

    side: str
    units: Any
    hex: str
    what: str


after = ByEvent()


@after(Worked)
def _worked(state: State, event: Worked) -> State:
    made = changed(
        state,
        {name: replace(state.units[name], worked=True) for name in fog.plain(event.units)},
    )
    use, turn = made.phase_use, made.turn_use
    key = f"{event.what}.{event.hex}"
    return replace(
        made,
        phase_use=replace(use, worked=use.worked | {key}),
        turn_use=replace(turn, counts={**turn.counts, key: turn.counts.get(key, 0) + 1}),
    )


def idle(state: State, name: str) -> bool:
    """OCS 13.8d Whether a unit on the map has neither moved nor worked in this phase; that it has
    changed its mode does not matter."""
    unit = state.units[name]
    return (
        unit.at != OFF_MAP
        and not unit.worked
        and not unit.carried
        and unit.began == OFF_MAP
        and unit.spent == 0
    )


@remembered()
def within(state: State, name: str) -> Hexes:
    """OCS 13.8d Hexes in which an engineer-capable unit can work from where it stands."""
    charts = state.charts
    side = state.side(name)
    enemy = state.field.combat[state.enemy(side)]
    compiled = bridged(
        charts.printed, state.ground, LEG, rules(charts).bridging(state, side, False)
    )
    found = front = 1 << state.units[name].at
    for _ in range(charts.printed.chart["engineers"]["construction_radius"]):
        reached = 0
        for i in hexsets.listed(front):
            for to, _cost in compiled.plain[i]:
                reached |= 1 << to
            for to, _cost, _flags in compiled.special[i]:
                reached |= 1 << to
        front = reached & charts.scenario.play & ~enemy & ~found
        found |= front
    return found


@remembered()
def engineers(state: State, side: str) -> tuple[str, ...]:
    """OCS 13.8, HR 1.5a Units of a side that can work as engineers in this phase, in order of ids:
    HQs alone."""
    return tuple(
        name
        for name in hqs_of(state.charts.printed, side)
        if state.units[name].at != OFF_MAP
        and engineer_capable(state.units[name])
        and idle(state, name)
    )


def engineers_for(state: State, side: str, i: int) -> tuple[str, ...]:
    """OCS 13.8d Engineers of a side that can work in a hex now."""
    return tuple(name for name in engineers(state, side) if hexsets.has(within(state, name), i))


def troops(state: State, side: str, i: int) -> tuple[str, ...]:
    """OCS 15.4, 16.0b Combat units of a side in a hex that make at least 1 RE and may work there;
    () where they do not."""
    found: list[str] = []
    strength = 0
    for name in state.combat_units(i):
        unit = state.units[name]
        if state.side(name) != side or unit.mode != COMBAT or not idle(state, name):
            continue
        found.append(name)
        strength += re(state.counter(name), unit)
        if strength >= ONE_RE:
            return tuple(found)
    return ()


def done(state: State, what: str, i: int) -> bool:
    """OCS 15.4 Whether a kind of work has been done in a hex in this phase."""
    return f"{what}.{state.charts.board.name(i)}" in state.phase_use.worked


def this_turn(state: State, what: str, i: int) -> int:
    """OCS 15.3, 16.0b How often a kind of work has been done in a hex in this game turn."""
    return state.turn_use.counts.get(f"{what}.{state.charts.board.name(i)}", 0)


def work(table: Table[State], side: str, units: tuple[str, ...], i: int, what: str) -> None:
    """OCS 13.8d These units work in a hex. Which they are is hidden."""
    state = table.state
    table.emit(Worked(side, fog.hidden(state, side, units), state.charts.board.name(i), what))
