"""12 Control of the sea areas, decided when all combat is over."""

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED, AXIS
from engine.games.war_at_sea.state import State
from engine.kernel.position import Frame
from engine.kernel.table import Table
from engine.kernel.types import Step


def controller(state: State, area: str) -> str:
    """2.1, 12.1, R25, R29, R49, R50 The side that controls an area, "" if none.

    Only surface ships that did not escape count, convoys too. Both sides present: nobody. U-boats cancel Allied control, and never control.
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
        table.emit(ev.ControlPlaced(tuple((area, controller(state, area)) for area in state.data.areas)))
