"""Where aircraft and their cargoes are, for the tests of air transport."""

from tests.rules.hungarian_rhapsody.bench import AXIS
from warledger.engine.games.ocs.series.state import State
from warledger.engine.testing.rig import Rig

SECURITY, LUFTWAFFE, DIVISION, PANZER = "ax.sec.1", "ax.lw.1", "ax.inf.44", "ax.tgr.503"
"""1 RE and ½ RE of slow Leg units (2T, 1T), 3 RE, and tanks."""

FARTHER, FARTHEST = "B26.05", "B26.33"
"""34 and 62 hexes from HOME: beyond half the range of a Ju 52, and all of it."""

REAR = "A26.34"
"""28 hexes from HOME: within half of it."""


def lying(rig: Rig[State], at: str, side: str = AXIS) -> int:
    """T of a side on the ground in a hex or box."""
    board = rig.state.charts.board
    return rig.state.supply[side].get(board.hex(at) if at in board.map.grid.ids else at, 0)


def where(rig: Rig[State], name: str) -> str:
    """The base of an aircraft, or the hex of a unit."""
    board = rig.state.charts.board
    if name in rig.state.units:
        return board.name(rig.state.units[name].at)
    base = rig.state.aircraft[name].base
    return board.name(base) if isinstance(base, int) else str(base)


def flown(rig: Rig[State]) -> None:
    """Everybody goes home, if that is asked."""
    if rig.state.sortie is not None:
        rig.do(AXIS, "home")
