"""Positions with the front markers of HR 3.1c."""

from collections.abc import Iterator

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody.fronts import SECOND, legal
from warledger.engine.games.ocs import sources
from warledger.engine.games.ocs.charts import ROAD_PATH
from warledger.engine.games.ocs.state import State, taken_by
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

BOARD = charts_of("campaign").board
HERE = "B49.11"
START = BOARD.hex(HERE)


def front(where: dict[str, str] | None = None, turn: int = 8, tokens: int = 12) -> State:
    """The 2nd Ukrainian Front's marker with supply, all roads Soviet, no other marker."""
    state = stand(where or {}, turn=turn, markers={SECOND: (START,)})
    state = taken_by(replace(state, phasing=SOVIET, segment="c2"), SOVIET, BOARD.every)
    return fed(state, tokens, HERE, SOVIET)


def roads(state: State) -> Rig[State]:
    """The Soviet Movement Phase."""
    return at_table(taken_by(state, AXIS, 1 << BOARD.hex("A32.17")), "moving", phasing=SOVIET)


def along(state: State) -> tuple[int, ...]:
    """Hexes next to the marker by road."""
    return sources.joined(BOARD, ROAD_PATH, frozenset())[START]


def beside(state: State) -> Iterator[int]:
    """Hexes off the road whose zone reaches the marker's own hex."""
    return (i for i in BOARD.map.grid.adjacent[START] if i not in along(state))


def rows_of(state: State, marker: str) -> set[tuple[str, int]]:
    """Sheets and hexrows in which a marker may be."""
    grid = BOARD.map.grid
    hexes = hexsets.listed(legal(state, marker))
    return {(grid.ids[i][0], grid.column_row(i)[1]) for i in hexes}
