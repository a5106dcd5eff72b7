"""Hexes in a side's hands, and who has won."""

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, start
from warledger.engine.games.hungarian_rhapsody import victory
from warledger.engine.games.ocs.state import State, removed, taken_by
from warledger.engine.kernel.change import replace

BRIDGEHEAD = "A25.12 A25.13 A26.11..13 A27.11..13 A28.11..14"


def taken(state: State, side: str, text: str) -> State:
    """The position with these hexes in a side's hands."""
    return taken_by(state, side, state.charts.board.set_of(text))


def won(state: State) -> str | None:
    """Who has won at the end of the last turn."""
    found = victory.verdict(replace(state, over=True))
    assert found is not None
    return found.winner


def cleared() -> State:
    """Südwind with the bridgehead in Axis hands and no Soviet unit in it."""
    state = taken(start("sudwind"), AXIS, BRIDGEHEAD)
    area = victory._hexes(state, victory.terms(state)["clear_of_enemy_attack_capable"])
    gone = [n for n, u in state.units.items() if u.at >= 0 and area >> u.at & 1]
    return removed(state, [n for n in gone if state.side(n) == SOVIET], "box.dead.soviet")
