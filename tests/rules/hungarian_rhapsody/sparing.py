"""A formation under Jansen fuel (HR 4.0f): the phase in which it moves, and how it is fuelled."""

from tests.rules.hungarian_rhapsody.bench import AXIS, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.games.hungarian_rhapsody.supply import JANSEN
from warledger.engine.games.ocs.series.state import State
from warledger.engine.testing.rig import Rig


def moving(where: dict[str, str], tokens: int = 1, fog: str = "open") -> Rig[State]:
    """The Axis Movement Phase with the option in force and so much supply in A26.11."""
    state = fed(stand(where, ground="dry"), tokens, "A26.11")
    return at_table(state, "moving", fog=fog, on=(JANSEN,))


def jansen(rig: Rig[State]) -> None:
    """Fuel the formation so, and pay."""
    rig.do(AXIS, "fuel", "fhh", "sparing")
    rig.do(AXIS, "auto")


def near(state: State, name: str) -> tuple[int, ...]:
    """A hex and those next to it."""
    board = state.charts.board
    return (board.hex(name), *board.map.grid.adjacent[board.hex(name)])
