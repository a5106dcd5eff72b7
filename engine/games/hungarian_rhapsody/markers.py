"""HR 3.1c, 3.1e: markers of the Soviets that stand on the map and move: front markers and special
wagon extenders.

OCS 4.8b, R-14 A marker under combat units is seen only by its owner, so where markers go is
hidden in the log. What everybody sees of it follows from where they stand.
"""

from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event


@event("hr.marker")
class MarkerMoved:
    """HR 3.1c, 3.1e A marker of a side goes from one place to another, and why. Places are
    hidden."""

    side: str
    marker: Any
    start: Any
    to: Any
    why: str


after = ByEvent()


@after(MarkerMoved)
def _moved(state: State, event: MarkerMoved) -> State:
    marker = fog.plain(event.marker)
    start, to = (
        place_of(state.charts.board, fog.plain(where)) for where in (event.start, event.to)
    )
    places = list(state.markers[marker])
    places[places.index(start)] = to
    return replace(state, markers={**state.markers, marker: tuple(places)})


def move(table: Table[State], side: str, marker: str, start: Place, to: Place, why: str) -> None:
    """HR 3.1c, 3.1e A marker goes from one place to another."""
    state = table.state
    board = state.charts.board

    def hide(value: str) -> Any:
        return fog.hidden(state, side, value)

    start_name, to_name = place_name(board, start), place_name(board, to)
    table.emit(MarkerMoved(side, hide(marker), hide(start_name), hide(to_name), why))
