"""12 Control of the sea areas, decided when all combat is over."""

from collections.abc import Iterator, Mapping

from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, SEATS
from warledger.engine.games.war_at_sea.draw import CONTROL_MARK
from warledger.engine.games.war_at_sea.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step, event
from warledger.protocol.board.effects import Effect, mark, tell

# --- events ---------------------------------------------------------------------------------------


@event("control_placed")
class ControlPlaced:
    """12.1, 12.2 Who controls each area now: pairs (area, side or "")."""

    areas: tuple[tuple[str, str], ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


MED_TURNS = 4
"""16.4 So many turns of Axis control in a row spare the Italians their check."""


@after(ControlPlaced)
def _control_placed(state: State, event: ControlPlaced) -> State:
    """12.2, 16.4 Markers, and the run of Axis control in the Mediterranean."""
    control = dict(event.areas)
    run = state.med_run + 1 if control.get("mediterranean") == AXIS else 0
    return replace(state, control=control, med_run=run, med_held=state.med_held or run >= MED_TURNS)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(ControlPlaced)
def _draw_control_placed(before: State, event: ControlPlaced, after: State) -> Iterator[Effect]:
    held: dict[str, list[str]] = {}
    for area, side in event.areas:
        if side:
            yield mark(area, CONTROL_MARK[side], 1)
            held.setdefault(side, []).append(area)
    for side in SEATS:
        if side in held:
            yield tell("war_at_sea.control_placed", "12.1", side=side, areas=tuple(held[side]))
        else:
            yield tell("war_at_sea.control_none", "12.1", side=side)


def controller(state: State, area: str) -> str:
    """2.1, 12.1, R25, R29, R49, R50 The side that controls an area, "" if none.

    Only surface ships that did not escape count, convoys too. Both sides present: nobody. U-boats
    cancel Allied control, and never control.
    """
    present = {ship.side for ship in state.by_place.get(area, ()) if not ship.escaped}
    if present == {AXIS}:
        return AXIS
    if present == {ALLIED} and not state.boats_at(area):
        return ALLIED
    return ""


class DecideControl(Step[State]):
    """5.6, 12.1, 12.2 Put a control marker in each area that a side controls."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """12.2 The markers stay until next turn's movement is finished."""
        table.done()
        state = table.state
        table.emit(
            ControlPlaced(tuple((area, controller(state, area)) for area in state.data.areas))
        )


STEPS: Mapping[str, Step[State]] = {
    "decide_control": DecideControl(),
}
