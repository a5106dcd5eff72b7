"""HR 3.1g: artillery ammunition markers.

HR 3.1g They come from the variable reinforcements and are kept in Sibiu, two at most; any more that
come are ignored. One is spent in a Barrage Segment of a Soviet Combat Phase. Then no barrage of
Soviet artillery in that phase costs more than 4T. A second one adds nothing, so it is kept.
HR R-31: whether the Reaction and Exploitation Phases have such a segment too is an option. HR R-41:
the limit of 4T comes last, after what the yellow line costs (3.1f).

[R] A marker leaves the box as it is spent; what it does lasts to the end of the phase. Both sides
see the box.
"""

from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch10_barrage import barrage, bombardment
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Commands, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Refusal, event
from warledger.protocol.board.choices import refuse

MARKER = "marker.ammo"
"""The counter, and the place of its number (`State.marker_count`)."""

SPENT = "ammo"
"""What stands in `PhaseUse.marks` while a marker holds."""

OPTION, COMBAT_PHASE, ANY_SEGMENT = "ammo_markers", "combat_phase", "any_barrage_segment"
"""HR R-31 The option and its values."""


@event("hr.ammo_arrived")
class AmmoArrived:
    """HR 3.1g An ammunition marker comes to Sibiu."""

    side: str


@event("hr.ammo_spent")
class AmmoSpent:
    """HR 3.1g An ammunition marker is spent on the barrages of this phase."""

    side: str


after = ByEvent()


@after(AmmoArrived)
def _arrived(state: State, event: AmmoArrived) -> State:
    return _with(state, held(state) + 1)


@after(AmmoSpent)
def _spent(state: State, event: AmmoSpent) -> State:
    use = state.phase_use
    made = replace(state, phase_use=replace(use, marks=use.marks | {SPENT}))
    return _with(made, held(state) - 1)


def _with(state: State, count: int) -> State:
    return replace(state, marker_count={**state.marker_count, MARKER: count})


def held(state: State) -> int:
    """HR 3.1g Markers that lie in Sibiu."""
    return state.marker_count.get(MARKER, 0)


def arrive(table: Table[State], side: str) -> None:
    """HR 3.1g A variable reinforcement brings a marker; a third one is ignored."""
    state = table.state
    if held(state) < state.charts.printed.chart["capacity"]["ammo_markers_max"]:
        table.emit(AmmoArrived(side))


def in_time(state: State) -> bool:
    """HR 3.1g, R-31 Whether Soviet artillery fires in a segment in which a marker may be
    spent."""
    if zones.mover(state) != state.charts.sides[1]:
        return False
    if state.segment == barrage.COMBAT_PHASE:
        return True
    anywhere = state.charts.options.get(OPTION, COMBAT_PHASE) == ANY_SEGMENT
    return anywhere and state.segment in barrage.RELEASED_ONLY


def may_spend(state: State, side: str) -> bool:
    """HR 3.1g Whether a side may spend a marker now: one holds for the whole phase."""
    soviet = side == state.charts.sides[1]
    return soviet and in_time(state) and held(state) > 0 and SPENT not in state.phase_use.marks


def cap(state: State, side: str, purpose: str) -> int:
    """HR 3.1g, R-41 Most T that a barrage of Soviet artillery costs in a phase on which a
    marker has been spent; 0 for no limit. [R] "Soviet" means all that fight on that side."""
    if purpose != bombardment.PURPOSE or side != state.charts.sides[1]:
        return 0
    if SPENT not in state.phase_use.marks:
        return 0
    return int(state.charts.printed.chart["capacity"]["ammo_marker_cost_cap_t"])


def commands() -> Commands[State]:
    """HR 3.1g `ammo`: for the step in which artillery fires."""
    return (
        word(
            "ammo",
            _spend,
            when=lambda asked: may_spend(asked.state, asked.seat),
            why=_why_not,
        ),
    )


def _spend(table: Table[State], asked: Asked[State]) -> None:
    table.emit(AmmoSpent(asked.seat))


def _why_not(asked: Asked[State]) -> Refusal:
    state = asked.state
    if SPENT in state.phase_use.marks:
        return refuse("HR 3.1g", "refusal.hr.ammo_spent")
    if asked.seat != state.charts.sides[1] or not in_time(state):
        return refuse("HR 3.1g", "refusal.hr.no_ammo_now")
    return refuse("HR 3.1g", "refusal.hr.no_ammo_left")
