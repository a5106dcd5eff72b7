"""Positions with the front markers of HR 3.1c."""

from collections.abc import Iterator

from tests.rules.hungarian_rhapsody.arriving import AFTER, CORPS
from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, put, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import displacement, rvgk
from warledger.engine.games.hungarian_rhapsody.fronts import SECOND, legal, on_map
from warledger.engine.games.ocs.ch12_supply import sources
from warledger.engine.games.ocs.series.charts import ROAD_PATH
from warledger.engine.games.ocs.series.state import State, Unit, changed, taken_by
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

BOARD = charts_of("campaign").board
HERE = "B49.11"
INFANTRY = "ax.inf.44"
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


def boxed(state: State, *lost: str) -> State:
    """The 18th Tank Corps in the RVGK box since last turn, these of its units dead."""
    units = state.charts.printed.mufs[CORPS]
    made = changed(state, {name: Unit(where=rvgk.BOX) for name in units if name not in lost})
    pile = made.charts.game.pile
    made = changed(made, {name: Unit(where=pile(made.charts, name)) for name in lost})
    return replace(made, flags={**made.flags, f"{rvgk.SINCE}{CORPS}": made.turn - 1})


def threatened(state: State, fog: str = "open") -> Rig[State]:
    """The end of an Axis Movement Segment in which a division has come within 5 hexes of the
    marker."""
    far = next(
        i
        for i in range(BOARD.size)
        if BOARD.map.grid.distance(START, i) == 5 and hexsets.has(BOARD.linked[ROAD_PATH], i)
    )
    rig = at_table(taken_by(state, AXIS, 1 << BOARD.hex("A32.17")), "moving", phasing=AXIS, fog=fog)
    rig.state = put(rig.state, INFANTRY, at=far, where="")
    rig.run(lambda table: displacement.on_event(table, None))
    rig.jump("game", "turns", AFTER, displacement.STEP)
    return rig


def hexes(rig: Rig[State], unit: str) -> tuple[str, ...]:
    """Hexes in which a unit of the box may be put."""
    offered = rig.options(SOVIET, "place", unit)
    return tuple(str(one) for one in offered if one in BOARD.map.grid.index)


def within_five(rig: Rig[State], names: tuple[str, ...]) -> bool:
    """Whether these hexes are within 5 of the 2nd Ukrainian Front's marker."""
    at = on_map(rig.state)[SECOND]
    return all(BOARD.map.grid.distance(at, BOARD.hex(one)) <= 5 for one in names)
