"""OCS 13.7: formation markers.

OCS 13.7 A marker stands for units of its formation that lie off the map as if stacked in its hex,
one at least. Units enter and leave it without cost, need not enter, and may be in different modes
and supply states. On this table they keep their places: `State.gathered` says which units of a hex
the marker stands for, its owner sees them, and it moves as one of them does (`movement.read`).

OCS 13.7b The marker may lie under other combat units. Where it holds the only zone it is on top
with one of its units shown. That follows from which unit is shown (4.9a): the enemy sees the marker
on the shown unit of a hex, and nowhere else. [R] OCS R-15 Its fuelled side is its owner's to see.
[R] A unit that goes elsewhere by itself has left the marker (`state.changed`).

A game may have markers that take up any units of their hex (`Game.absorbs`), which are then a
formation of its own: `State.formation` answers for all.
"""

from collections.abc import Iterable
from typing import Any

import attrs
from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, Gathered, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse

CLAUSE = "OCS 13.7"


@event("ocs.gathered")
class UnitsGathered:
    """OCS 13.7 A formation's marker stands for these units now; for none it comes off the map.
    Which marker and which units is hidden."""

    side: str
    formation: Any
    units: Any


after = ByEvent()


@after(UnitsGathered)
def _gathered(state: State, event: UnitsGathered) -> State:
    marker, units = fog.plain(event.formation), tuple(sorted(fog.plain(event.units)))
    rest = {other: one for other, one in state.gathered.items() if other != marker}
    if units:
        rest[marker] = Gathered(state.units[units[0]].at, units)
    return replace(state, gathered=dict(sorted(rest.items())))


# --- who ------------------------------------------------------------------------------------------


@frozen
class Gathering:
    """OCS 13.7 A formation, and units that enter its marker."""

    formation: str = ""
    units: tuple[str, ...] = attrs.field(factory=tuple)


@frozen
class Leaving:
    """OCS 13.7 A formation, and units that leave its marker."""

    formation: str = ""
    units: tuple[str, ...] = attrs.field(factory=tuple)


def _under_any(state: State) -> frozenset[str]:
    return frozenset(name for one in state.gathered.values() for name in one.units)


def may_enter(state: State, marker: str) -> tuple[str, ...]:
    """OCS 13.7 Units on the map that may enter a marker: of its formation, or those that the game
    lets it take up, in its hex once it is on the map."""
    charts = state.charts
    own = charts.printed.mufs.get(marker)
    names: Iterable[str] = charts.units if own is None else own
    if own is None:
        side = charts.printed.markers[marker].side
        names = (n for n in names if charts.units[n].side == side and _absorbs(state, marker, n))
    one, taken = state.gathered.get(marker), _under_any(state)
    return tuple(
        name
        for name in names
        if (at := state.units[name].at) != OFF_MAP
        and (one is None or at == one.at)
        and name not in taken
    )


def _absorbs(state: State, marker: str, name: str) -> bool:
    return rules(state.charts).absorbs(state, marker, name)


@remembered()
def to_gather(state: State, side: str) -> tuple[str, ...]:
    """OCS 13.7 Formations of a side, and markers of the game's, that units may enter now."""
    charts = state.charts
    printed = (muf for muf in charts.printed.mufs if state.formation_side(muf) == side)
    own = rules(charts).absorbing(state, side)
    return tuple(marker for marker in (*printed, *own) if may_enter(state, marker))


def gathered(state: State, side: str) -> tuple[str, ...]:
    """OCS 13.7 Formations of a side whose markers are on the map."""
    return tuple(marker for marker in state.gathered if state.formation_side(marker) == side)


# --- the commands ---------------------------------------------------------------------------------


def commands() -> Commands[State]:
    """OCS 13.7 gather FORMATION UNITS …, leave FORMATION UNITS …: for the step in which units
    move."""
    return (
        Command(
            "gather",
            Gathering,
            Slot(
                "formation",
                "ocs.formation",
                lambda asked, order: to_gather(asked.state, asked.seat),
                _why_not_formation,
            ),
            Many("units", "ocs.unit", _entering, _why_not_entering),
            apply=_gather,
            when=lambda asked: bool(to_gather(asked.state, asked.seat)),
            why=lambda asked: refuse(CLAUSE, "refusal.ocs.nobody_to_gather"),
        ),
        Command(
            "leave",
            Leaving,
            Slot(
                "formation",
                "ocs.formation",
                lambda asked, order: gathered(asked.state, asked.seat),
                lambda asked, order, pick: refuse(
                    CLAUSE, "refusal.ocs.no_marker_on_map", pick=pick
                ),
            ),
            Many("units", "ocs.unit", _members, _why_not_leaving),
            apply=_leave,
            when=lambda asked: bool(gathered(asked.state, asked.seat)),
            why=lambda asked: refuse(CLAUSE, "refusal.ocs.no_markers"),
        ),
    )


def _why_not_formation(asked: Asked[State], order: Gathering, pick: Pick) -> Refusal:
    return refuse(CLAUSE, "refusal.ocs.not_gathered_now", pick=pick)


def _entering(asked: Asked[State], order: Gathering) -> Iterable[str]:
    state = asked.state
    here = state.units[order.units[0]].at if order.units else OFF_MAP
    return [
        name
        for name in may_enter(state, order.formation)
        if name not in order.units and here in (OFF_MAP, state.units[name].at)
    ]


def _why_not_entering(asked: Asked[State], order: Gathering, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if name not in state.units or state.side(name) != asked.seat:
        return refuse(CLAUSE, "refusal.ocs.not_your_unit", unit=name)
    if state.units[name].at == OFF_MAP:
        return refuse(CLAUSE, "refusal.ocs.not_on_map", pick=name)
    if name in _under_any(state) or name in order.units:
        return refuse(CLAUSE, "refusal.ocs.under_a_marker", unit=name)
    own = state.charts.printed.mufs.get(order.formation)
    fits = _absorbs(state, order.formation, name) if own is None else name in own
    key = "not_in_marker_hex" if fits else "not_of_formation"
    return refuse(CLAUSE, f"refusal.ocs.{key}", unit=name, formation=order.formation)


def _members(asked: Asked[State], order: Leaving) -> Iterable[str]:
    return [n for n in asked.state.gathered[order.formation].units if n not in order.units]


def _why_not_leaving(asked: Asked[State], order: Leaving, pick: Pick) -> Refusal:
    return refuse(CLAUSE, "refusal.ocs.not_under_marker", pick=pick, formation=order.formation)


def _gather(table: Table[State], asked: Asked[State], order: Gathering) -> None:
    one = table.state.gathered.get(order.formation)
    stand(table, order.formation, (*(one.units if one is not None else ()), *order.units))


def _leave(table: Table[State], asked: Asked[State], order: Leaving) -> None:
    one = table.state.gathered[order.formation]
    stand(table, order.formation, tuple(n for n in one.units if n not in order.units))


def stand(table: Table[State], marker: str, units: tuple[str, ...]) -> None:
    """OCS 13.7 A formation's marker stands for these units from now on."""
    state = table.state
    side = state.formation_side(marker)

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(UnitsGathered(side, hide(marker), hide(units)))
