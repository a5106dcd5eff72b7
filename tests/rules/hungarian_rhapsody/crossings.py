"""Units and pontoons beside the Danube."""

from tests.rules.hungarian_rhapsody.bench import SOVIET, put, stand
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace

PONTOON, LEG, TRACKED = "su.pontoon.1", "su.rd.53", "su.27gtk"


def over_the_danube(turn: int, unit: str, *, move_side: bool) -> bool:
    """Whether a unit beside a Soviet pontoon goes over the Danube hexside of its hex."""
    state = stand({}, turn=turn, phasing=SOVIET, segment="c2")
    board = state.charts.board
    here = board.hex("A29.04")
    slot = next(s for s in range(here * 6, here * 6 + 6) if board.river_class(s) == "danube")
    across = board.map.grid.neighbours[slot // 6][slot % 6]
    state = moved_to(state, here, unit, move_side=move_side)
    state = replace(state, bridges_down=frozenset(board.printed_bridges["danube"]))
    return across in movement_range.can_go(state, unit)


def moved_to(state: State, i: int, unit: str, *, move_side: bool) -> State:
    """The unit and the pontoon in one hex."""
    for name, moving in ((PONTOON, False), (unit, move_side)):
        state = put(state, name, at=i, where="", move_side=moving)
    return state
