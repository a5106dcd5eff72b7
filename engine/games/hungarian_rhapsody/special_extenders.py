"""HR 3.1e: the two special wagon extenders of the Soviets.

HR 3.1e The Soviets form no extenders of their transport. A special wagon extender on the map is a
wagon extender (OCS 12.7) and never anything else. In the owner's Movement Phase it may be lifted to
the "Moving" box, from which it comes to "Ready" in the owner's Clean Up Phase. From there it is put
anywhere on the map in a Movement Phase. If an Axis combat unit enters its hex it goes to "Moving".

[R] "Anywhere" is a hex in play that the Soviets control, without Axis units. One that has been put
down may be lifted again in the same phase.
"""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import markers
from warledger.engine.games.ocs.ch03_counters.counters import LEG
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch06_movement.movement import interrupted
from warledger.engine.games.ocs.series.events import CleanedUp, Moved
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal
from warledger.protocol.board.choices import refuse

MARKER = "marker.swe"

MOVING, READY = "box.swe.moving", "box.swe.ready"

LIFTED, PUT_DOWN, OVERRUN, MADE_READY = "lifted", "put_down", "overrun", "ready"
"""Why one moves."""


def on_map(state: State) -> tuple[int, ...]:
    """HR 3.1e Hexes with a special wagon extender."""
    places = state.markers.get(MARKER, ())
    return tuple(sorted(place for place in places if isinstance(place, int)))


def extenders(state: State, side: str) -> Iterable[tuple[int, str]]:
    """HR 3.1e, OCS 12.7 Those of a side, as wagon extenders."""
    if side == state.charts.sides[0]:
        return ()
    return tuple((i, LEG) for i in on_map(state))


def ready(state: State) -> bool:
    """HR 3.1e Whether one waits to be put on the map."""
    return READY in state.markers.get(MARKER, ())


def sites(state: State, side: str) -> Hexes:
    """HR 3.1e Where one may be put."""
    charts = state.charts
    enemy = state.field.occupied[charts.enemy(side)]
    return charts.scenario.play & state.control[side] & ~enemy


def _in_time(state: State, side: str) -> bool:
    return state.segment == "c2" and side == state.phasing == state.charts.sides[1]


# --- what happens by itself -----------------------------------------------------------------------


def on_event(table: Table[State], event: Any) -> None:
    """HR 3.1e An Axis combat unit enters a hex with one; the Soviet Clean Up Phase."""
    state = table.state
    axis, soviet = state.charts.sides
    if isinstance(event, CleanedUp):
        if event.side == soviet:
            for _ in range(state.markers.get(MARKER, ()).count(MOVING)):
                markers.move(table, soviet, MARKER, MOVING, READY, MADE_READY)
        return
    known = _alone(state)
    if known and known[0] is state.markers and not isinstance(event, Moved):
        return
    here = on_map(state)
    entered = state.field.combat[axis]
    if not entered & hexsets.of(here):
        known[:] = (state.markers,)
    if isinstance(event, Moved):
        entered |= _passed(state, axis, event)
    for i in here:
        if hexsets.has(entered, i):
            markers.move(table, soviet, MARKER, i, MOVING, OVERRUN)


@remembered(of=lambda state: state.field, by=lambda state: None)
def _alone(state: State) -> list[Any]:
    """The markers that lay on the map when no Axis combat unit of this field stood with a special
    wagon extender. A memory of `on_event`, and nothing else."""
    return []


def _passed(state: State, axis: str, event: Moved) -> Hexes:
    """Hexes that combat units of the Axis go through."""
    names = fog.plain(event.units)
    if not any(state.side(name) == axis and state.counter(name).combat_unit for name in names):
        return 0
    return hexsets.of(map(state.charts.board.hex, event.way))


# --- commands -------------------------------------------------------------------------------------


@frozen
class Lifting:
    """HR 3.1e The hex of a special wagon extender, or where one is put."""

    hex: str = ""


def commands() -> Commands[State]:
    """HR 3.1e lift HEX, install HEX: for the step in which a side moves."""
    return (
        Command(
            "lift",
            Lifting,
            Slot("hex", "hr.special_extender", _lifted, _why_not_lifted),
            apply=_lift,
            when=lambda asked: _in_time(asked.state, asked.seat) and bool(on_map(asked.state)),
            why=lambda asked: refuse("HR 3.1e", "refusal.hr.no_extender"),
        ),
        Command(
            "install",
            Lifting,
            Slot("hex", "ocs.hex", _sites, _why_not_site),
            apply=_install,
            when=lambda asked: _in_time(asked.state, asked.seat) and ready(asked.state),
            why=lambda asked: refuse("HR 3.1e", "refusal.hr.no_extender_ready"),
        ),
    )


def _lifted(asked: Asked[State], order: Lifting) -> Iterable[str]:
    return dict.fromkeys(map(asked.state.charts.board.name, on_map(asked.state)))


def _sites(asked: Asked[State], order: Lifting) -> Iterable[str]:
    state = asked.state
    return map(state.charts.board.name, hexsets.listed(sites(state, asked.seat)))


def _lift(table: Table[State], asked: Asked[State], order: Lifting) -> None:
    interrupted(table, ())
    i = asked.state.charts.board.hex(order.hex)
    markers.move(table, asked.seat, MARKER, i, MOVING, LIFTED)


def _install(table: Table[State], asked: Asked[State], order: Lifting) -> None:
    interrupted(table, ())
    i = asked.state.charts.board.hex(order.hex)
    markers.move(table, asked.seat, MARKER, READY, i, PUT_DOWN)


def _why_not_lifted(asked: Asked[State], order: Lifting, pick: Pick) -> Refusal:
    return refuse("HR 3.1e", "refusal.hr.no_extender_there", pick=pick)


def _why_not_site(asked: Asked[State], order: Lifting, pick: Pick) -> Refusal:
    return refuse("HR 3.1e", "refusal.hr.no_extender_site", pick=pick)
