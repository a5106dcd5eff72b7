"""The Danube with Axis supply beside it, and nobody to stop it."""

from tests.rules.hungarian_rhapsody.bench import AXIS, charts_of, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.games.ocs.series.state import State, taken_by
from warledger.engine.testing.rig import Rig

KOMAROM, PEST, BUDA = "A30.09", "A31.19", "A31.18"

CITY = charts_of("campaign").board.areas["area.budapest_city"]


def river(where: dict[str, str] | None = None, tokens: int = 20, **changes: object) -> State:
    """Axis supply beside the Danube at Komárom, all of Budapest and no Soviet but these."""
    state = stand(where or {}, **{"turn": 10, "segment": "c2", "phasing": AXIS, **changes})
    return fed(taken_by(state, AXIS, CITY), tokens, KOMAROM)


def sailing(state: State, fog: str = "open") -> Rig[State]:
    """The title in the Axis Movement Phase."""
    return at_table(state, "moving", fog=fog)


def dry_step(state: State, hex: str) -> int:
    """A neighbour of a hex with no river between."""
    board = state.charts.board
    near = board.map.grid.adjacent[board.hex(hex)]
    return next(n for n in near if not board.river_class(board.slot(board.hex(hex), n)))
