"""HR 1.2, 2.5b, 3.4b-c: lines and areas that some units may not enter.

HR 1.2a White-bordered units stay north of the white line. HR 1.2b Combat units of neither side
enter the South Balaton area nor Yugoslavia west of the Danube. HR 2.5b The Budapest garrison stays
in the Budapest area. HR 3.4b Romanians stay north and east of the Danube, 3.4c Yugoslavs south of
A47.xx. What a unit may not enter it may not attack either (9.1f, ruling 5).
"""

from functools import lru_cache

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.board import Board
from warledger.engine.games.ocs.state import State

NORTH, PROHIBITED = "area.north", ("area.south_balaton", "area.yugoslavia_west")
BUDAPEST, SOUTH_BALATON = "area.budapest", "area.south_balaton"


def barred(state: State, name: str, *, retreating: bool = False) -> Hexes:
    """HR 1.2a, 1.2b, 2.5b, 3.4b, 3.4c Hexes that a unit may not enter. White units and the Budapest
    garrison may leave their areas by `retreating`."""
    counter = state.counter(name)
    board = state.charts.board
    found = 0
    if counter.combat_unit:
        for area in PROHIBITED:
            found |= board.areas[area]
    if counter.traits.get("white") and not retreating:
        found |= board.every & ~board.areas[NORTH]
    if counter.traits.get("bp") and not retreating:
        found |= board.every & ~board.areas[BUDAPEST]
    if counter.nation == "romanian":
        found |= west_of_danube(board)
    if counter.nation == "yugoslav":
        found |= board.every & ~yugoslav_land(board)
    return found


def supply_barred(state: State, side: str) -> Hexes:
    """HR 1.2b Only the Axis uses the area's roads, tracks and railways for trace, before the turn
    from which the chart closes it."""
    charts = state.charts
    closed = state.turn >= charts.printed.chart["capacity"]["south_balaton_closed_from_turn"]
    if side == charts.sides[0] and not closed:
        return 0
    return charts.board.areas[SOUTH_BALATON]


@lru_cache(maxsize=4)
def west_of_danube(board: Board) -> Hexes:
    """HR 3.4b Land west or south of the Danube: what is joined to the map's south-west corner
    without crossing it."""
    grid = board.map.grid
    start = (grid.rows - 1) * grid.columns
    lake = board.by_terrain.get("lake", 0)
    found, front = 1 << start, [start]
    while front:
        here = front.pop()
        for d, n in enumerate(grid.neighbours[here]):
            if n < 0 or found >> n & 1 or lake >> n & 1:
                continue
            if board.river_class(here * 6 + d) != "danube":
                found |= 1 << n
                front.append(n)
    return found


@lru_cache(maxsize=4)
def yugoslav_land(board: Board) -> Hexes:
    """HR 3.4c Hexes of the rows of each sheet from the one that the map's limits name; a sheet that
    they do not name is not Yugoslav."""
    first = board.limits["yugoslav_first_row"]
    grid = board.map.grid
    return hexsets.of(
        i
        for i, name in enumerate(grid.ids)
        if name[0] in first and grid.column_row(i)[1] >= first[name[0]]
    )
