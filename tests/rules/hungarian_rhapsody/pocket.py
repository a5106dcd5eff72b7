"""Budapest cut off: the Axis holds its seven city hexes and nothing else."""

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, stand
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.hungarian_rhapsody.fortress import DECLARED, HAS_EATEN
from warledger.engine.games.ocs.ch12_supply import trace
from warledger.engine.games.ocs.ch13_special_units import consolidation
from warledger.engine.games.ocs.series.state import State, taken_by
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

BUDA, VAR, KELENFOLD, UJPEST, PEST = "A31.18", "A32.17", "A33.18", "A31.19", "A32.18"

INFANTRY, GUNS, RIFLES = "ax.inf.44", "ax.art.bp", "su.gd.81"

BOARD = charts_of("campaign").board

CITY = BOARD.areas["area.budapest_city"]


def pocket(where: dict[str, str] | None = None) -> State:
    """An Axis division and guns in the Vár, no other Axis unit but these."""
    state = stand({INFANTRY: VAR, GUNS: VAR} | (where or {}), turn=26)
    return taken_by(taken_by(state, SOVIET, BOARD.every), AXIS, CITY)


def fortified(state: State, hexes: int = CITY, *, fresh: bool = False) -> State:
    """The position with a Budapest Fortress; `fresh`: in its first turn."""
    eaten = 0 if fresh else hexes
    return replace(state, flags={**state.flags, DECLARED: hexes, HAS_EATEN: eaten})


def at_supply(state: State, fog: str = "open") -> Rig[State]:
    """The Axis Supply Phase."""
    return at_table(state, trace.PROVISIONS, segment="d", fog=fog, seed=1)


def at_reinforcement(state: State, fog: str = "open") -> Rig[State]:
    """The end of the Axis Reinforcement Phase."""
    return at_table(state, consolidation.CONSOLIDATION, segment="b", fog=fog, seed=1)
