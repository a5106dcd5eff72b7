"""HR 1.2b: the garrison of South Balaton leaves.

HR 1.2b Both players remove all the garrison at once. It leaves when a Soviet combat unit that is
able to trace stands (i) in Pécs or (ii) in entry I. Or (iii) one stands anywhere west of the
Danube, from 1 December on. HR R-06: (iii) holds from the turn of 1 December on. HR R-07: they
leave the game, unless the order of arrival brings them later. By the option (i) and (ii) are both
needed.

[R] It happens once. It is checked when units have moved or come, or a hex has changed hands, and as
a segment begins, not in between.
"""

from functools import lru_cache
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody.lines import west_of_danube
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch12_supply import trace
from warledger.engine.games.ocs.ch13_special_units.reinforcements import WITHDRAWN, Reinforced
from warledger.engine.games.ocs.series.charts import Printed
from warledger.engine.games.ocs.series.events import (
    ControlTaken,
    Moved,
    Put,
    SegmentBegun,
    TakenOff,
)
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

OPTION, EITHER, BOTH = "evacuation", "either", "both"
"""The option: whether (i) or (ii) is enough, or both are needed."""

GONE = "evacuated"
"""The flag that it has happened."""

CHART = "garrison_evacuation"

OCCASIONS = (Moved, Put, Reinforced, ControlTaken, SegmentBegun)


@event("hr.evacuated")
class Evacuated:
    """HR 1.2b The garrison of South Balaton leaves the game."""


after = ByEvent()


@after(Evacuated)
def _evacuated(state: State, event: Evacuated) -> State:
    return replace(state, flags={**state.flags, GONE: state.turn})


@lru_cache(maxsize=8)
def garrison(printed: Printed, side: str) -> tuple[str, ...]:
    """HR 1.2b Units of a side with the black dot."""
    return tuple(
        name
        for name, one in printed.units.items()
        if one.side == side and one.traits.get("garrison") == "south_balaton"
    )


def places(state: State) -> tuple[Hexes, Hexes, Hexes]:
    """HR 1.2b Hexes of (i), of (ii), and of (iii) as far as the date goes."""
    board, chart = state.charts.board, state.charts.printed.chart[CHART]
    late = state.turn >= chart["west_of_danube_from_turn"]
    return (
        board.set_of(chart["hexes"]),
        hexsets.of(board.entries[chart["entry"]].hexes),
        west_of_danube(board) if late else 0,
    )


def due(state: State) -> bool:
    """HR 1.2b Whether the garrison goes now."""
    soviet = state.charts.sides[1]
    pecs, entry, west = places(state)
    near = state.field.combat[soviet]
    if not near & (pecs | entry | west):
        return False
    able = hexsets.of(
        state.units[name].at for name, by in trace.traced(state, soviet).items() if by is not None
    )
    if state.charts.options.get(OPTION) == BOTH:
        return bool(able & west or (able & pecs and able & entry))
    return bool(able & (pecs | entry | west))


def on_event(table: Table[State], event: Any) -> None:
    """HR 1.2b The instant at which one of the conditions holds."""
    if not isinstance(event, OCCASIONS) or GONE in table.state.flags:
        return
    state = table.state
    on_map = {
        side: tuple(
            name for name in garrison(state.charts.printed, side) if state.units[name].at >= 0
        )
        for side in state.charts.sides
    }
    if not any(on_map.values()) or not due(state):
        return
    table.emit(Evacuated())
    for side, units in on_map.items():
        if units:
            table.emit(TakenOff(fog.hidden(state, side, units), WITHDRAWN))
