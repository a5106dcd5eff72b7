"""HR 1.2c, 2.4: the Budapest Fortress.

HR 2.4 In its Reinforcement Phase the Axis may declare a connected group of hexes within the
Budapest area (1.2c), whose units are cut off. At least one is a city hex; there may be several
groups. Units in it eat without supply in the first Supply Phase (HR R-24: once in a game for each
fortress area). They need no combat supply to defend. Artillery may enter Reserve mode in an enemy
zone and stay in it in a hedgehog. Internal stocks need not be recovered. HR R-23: a fortress ends
when one of its units can trace in a Supply Phase. HR R-25: units may still break out of it.

[R] A fortress is a connected group of the hexes that have been declared and that the Axis controls:
hexes that the Soviets take leave it while they hold them, and groups that touch are one. Hexes
without units may be declared with others. A fortress that a scenario begins with has had its first
turn. A unit in Strat mode does not eat in it either (OCS 5.8b).
"""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody.fighting import BUDAPEST_CITY
from warledger.engine.games.hungarian_rhapsody.lines import BUDAPEST
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch12_supply import trace
from warledger.engine.games.ocs.series.events import SegmentBegun
from warledger.engine.games.ocs.series.state import STRAT, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Many
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse

DECLARED, HAS_EATEN, RELIEVED, RELIEVED_ON = (
    "fortress",
    "fortress.eaten",
    "fortress.relieved",
    "fortress.relieved_on",
)
"""Flags: hexes that have been declared; those where the first turn's meal has been had; those of
fortresses that ended by trace, and the last's turn."""

MARKER = "marker.fortress"
"""The marker that lies in each hex of a fortress."""

SUPPLY_PHASE = "d"


@event("hr.fortress")
class FortressDeclared:
    """HR 2.4 The Axis declares a Budapest Fortress in these hexes."""

    side: str
    hexes: tuple[str, ...]


@event("hr.fortress_fed")
class FortressFed:
    """HR 2.4 The units of these hexes of a new fortress eat without supply. Who they are is
    hidden."""

    side: str
    hexes: tuple[str, ...]
    units: Any


@event("hr.fortress_over")
class FortressOver:
    """HR 2.4, R-23 A unit of the fortress in these hexes can trace: it is one no longer."""

    hexes: tuple[str, ...]


after = ByEvent()


def _marked(state: State, flag: str, hexes: Hexes) -> State:
    return replace(state, flags={**state.flags, flag: hexes_of(state, flag) | hexes})


@after(FortressDeclared)
def _declared(state: State, event: FortressDeclared) -> State:
    return _marked(state, DECLARED, state.charts.board.set_of(" ".join(event.hexes)))


@after(FortressFed)
def _fed(state: State, event: FortressFed) -> State:
    use = state.phase_use
    made = replace(state, phase_use=replace(use, fed=use.fed | {*fog.plain(event.units)}))
    return _marked(made, HAS_EATEN, state.charts.board.set_of(" ".join(event.hexes)))


@after(FortressOver)
def _over(state: State, event: FortressOver) -> State:
    hexes = state.charts.board.set_of(" ".join(event.hexes))
    flags = {
        **state.flags,
        DECLARED: hexes_of(state, DECLARED) & ~hexes,
        RELIEVED: hexes | relieved(state),
        RELIEVED_ON: state.turn,
    }
    return replace(state, flags=flags)


# --- what stands ----------------------------------------------------------------------------------


def hexes_of(state: State, flag: str) -> Hexes:
    """The set of hexes that a flag holds."""
    return int(state.flags.get(flag, 0))


def set_up(state: State) -> State:
    """HR 2.4 The fortress that the scenario begins with, its first turn past."""
    hexes = state.charts.board.set_of(state.charts.scenario.doc["special"].get("fortress", ""))
    if not hexes:
        return state
    return _marked(_marked(state, DECLARED, hexes), HAS_EATEN, hexes)


def inside(state: State) -> Hexes:
    """HR 2.4 Hexes of all Budapest Fortresses."""
    declared = hexes_of(state, DECLARED)
    return declared & state.control[state.charts.sides[0]] if declared else 0


@remembered()
def fortresses(state: State) -> tuple[Hexes, ...]:
    """HR 2.4 Each Budapest Fortress."""
    left, found = inside(state), []
    while left:
        one = connected(state, left, left & -left)
        found.append(one)
        left &= ~one
    return tuple(found)


def connected(state: State, hexes: Hexes, start: Hexes) -> Hexes:
    """HR 2.4 Those of some hexes that are joined to the start by others of them."""
    near = state.charts.board.near
    found, wider = start, hexsets.widened(start, near) & hexes
    while wider != found:
        found, wider = wider, hexsets.widened(wider, near) & hexes
    return found


def relieved(state: State) -> Hexes:
    """HR 2.4 Hexes of fortresses that ended in this turn as they could trace."""
    if state.flags.get(RELIEVED_ON) != state.turn:
        return 0
    return hexes_of(state, RELIEVED)


def holds(state: State, name: str) -> bool:
    """HR 2.4 Whether an Axis unit stands in a Budapest Fortress."""
    at = state.units[name].at
    if at < 0 or DECLARED not in state.flags or state.side(name) != state.charts.sides[0]:
        return False
    return hexsets.has(inside(state), at)


def garrison(state: State, hexes: Hexes) -> tuple[str, ...]:
    """HR 2.4 Combat units in these hexes of a fortress."""
    field = state.field.combat[state.charts.sides[0]]
    return tuple(name for i in hexsets.listed(hexes & field) for name in state.combat_units(i))


def eaters(state: State, hexes: Hexes) -> tuple[str, ...]:
    """HR 2.4, OCS 5.8b Those of them that can eat."""
    return tuple(name for name in garrison(state, hexes) if state.units[name].marker != STRAT)


def reserves(state: State, name: str) -> bool:
    """HR 2.4 Artillery in a fortress may be in Reserve mode anywhere: in enemy zones, in
    hedgehogs."""
    return state.counter(name).artillery and holds(state, name)


# --- what happens by itself -----------------------------------------------------------------------


def on_event(table: Table[State], event: Any) -> None:
    """HR 2.4, R-23, R-24 The meal of a fortress's first turn as the Axis Supply Phase begins;
    its end as trace has been checked."""
    state = table.state
    if DECLARED not in state.flags or state.phasing != state.charts.sides[0]:
        return
    if isinstance(event, SegmentBegun) and event.segment == SUPPLY_PHASE:
        for hexes in fortresses(state):
            if not hexes & hexes_of(state, HAS_EATEN):
                units = fog.hidden(state, state.phasing, eaters(state, hexes))
                table.emit(FortressFed(state.phasing, _named(state, hexes), units))
    elif isinstance(event, trace.TraceChecked):
        without = frozenset(trace.cut(state, state.phasing))
        for hexes in fortresses(state):
            if not without.issuperset(garrison(state, hexes)):
                table.emit(FortressOver(_named(state, hexes)))


def _named(state: State, hexes: Hexes) -> tuple[str, ...]:
    return tuple(state.charts.board.name(i) for i in hexsets.listed(hexes))


# --- declaring one --------------------------------------------------------------------------------


@frozen
class Declaring:
    """HR 2.4 The hexes of the new fortress."""

    hexes: tuple[str, ...] = ()


@remembered()
def eligible(state: State) -> Hexes:
    """HR 2.4 Hexes of the Budapest area that the Axis holds, in no fortress, without units that can
    trace. None where no unit there is cut off, or no city hex is among them."""
    charts = state.charts
    side = charts.sides[0]
    here = charts.board.areas[BUDAPEST] & state.control[side] & charts.scenario.play
    here &= ~inside(state) & ~state.field.combat[charts.enemy(side)]
    if not here & state.field.combat[side] or not here & charts.board.areas[BUDAPEST_CITY]:
        return 0
    without = frozenset(trace.cut(state, side))
    for i in hexsets.listed(here & state.field.combat[side]):
        if not without.issuperset(state.combat_units(i)):
            here &= ~(1 << i)
    return here if here & state.field.combat[side] else 0


def may_declare(state: State, side: str) -> bool:
    """HR 2.4 Whether a side can declare a fortress now, as far as units and hexes go."""
    if side != state.charts.sides[0] or state.phasing != side or state.segment != "b":
        return False
    return any(_whole(state, one) for one in _groups(state))


def _groups(state: State) -> Iterable[Hexes]:
    left = eligible(state)
    while left:
        one = connected(state, left, left & -left)
        yield one
        left &= ~one


def _whole(state: State, hexes: Hexes) -> bool:
    """HR 2.4 Whether a group has a city hex and a unit."""
    city = state.charts.board.areas[BUDAPEST_CITY]
    return bool(hexes & city and hexes & state.field.combat[state.charts.sides[0]])


def commands() -> Commands[State]:
    """HR 2.4 fortress HEXES …: for a step of the Reinforcement Phase."""
    return (
        Command(
            "fortress",
            Declaring,
            Many("hexes", "hr.fortress_hex", _hexes, _why_not_there, enough=_enough),
            apply=lambda table, asked, order: table.emit(
                FortressDeclared(asked.seat, _sorted(asked.state, order))
            ),
            when=lambda asked: may_declare(asked.state, asked.seat),
            why=lambda asked: refuse("HR 2.4", "refusal.hr.no_fortress_now"),
        ),
    )


def _picked(state: State, order: Declaring) -> Hexes:
    return state.charts.board.set_of(" ".join(order.hexes))


def _sorted(state: State, order: Declaring) -> tuple[str, ...]:
    return _named(state, _picked(state, order))


def _hexes(asked: Asked[State], order: Declaring) -> Iterable[str]:
    state = asked.state
    picked = _picked(state, order)
    if picked:
        near = hexsets.widened(picked, state.charts.board.near) & ~picked
        return _named(state, near & eligible(state))
    whole = [one for one in _groups(state) if _whole(state, one)]
    return _named(state, hexsets.of(i for one in whole for i in hexsets.listed(one)))


def _enough(asked: Asked[State], order: Declaring) -> bool:
    return _whole(asked.state, _picked(asked.state, order))


def _why_not_there(asked: Asked[State], order: Declaring, pick: Pick) -> Refusal:
    state = asked.state
    i = state.charts.board.map.grid.index.get(str(pick), -1)
    if i < 0 or not hexsets.has(state.charts.board.areas[BUDAPEST], i):
        return refuse("HR 1.2c", "refusal.hr.not_budapest", pick=pick)
    if hexsets.has(inside(state), i):
        return refuse("HR 2.4", "refusal.hr.fortress_there", pick=pick)
    if hexsets.has(eligible(state), i):
        return refuse("HR 2.4", "refusal.hr.fortress_apart", pick=pick)
    return refuse("HR 2.4", "refusal.hr.not_cut_off", pick=pick)
