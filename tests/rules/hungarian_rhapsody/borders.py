"""Positions at the lines and areas of HR 1.2, 2.5b and 3.4 that some may not cross."""

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, stand
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.series.state import State, taken_by

DOT, SOVIET_DOT = "ax.g.118", "su.g.19"
BOARD = charts_of("campaign").board


def moving(where: dict[str, str], phasing: str = AXIS, **changes: object) -> State:
    """These units alone in a Movement Phase, all hexes their side's."""
    state = stand(where, **{"phasing": phasing, "segment": "c2", "turn": 3, **changes})
    return taken_by(state, phasing, BOARD.every)


def shut(state: State, unit: str, hex: str) -> bool:
    """Whether a unit may not enter a hex."""
    return hexsets.has(GAME.barred(state, unit), BOARD.hex(hex))


def evacuating(where: dict[str, str], turn: int = 12) -> State:
    """South Balaton's garrison in place, Soviets in these hexes with a way to a source."""
    state = stand({DOT: "A47.05", SOVIET_DOT: "A47.20"} | where, turn=turn)
    return taken_by(taken_by(state, SOVIET, BOARD.every), AXIS, BOARD.areas["area.budapest_city"])
