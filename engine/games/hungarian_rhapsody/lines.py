"""HR 1.2, 2.5b, 3.4b-c, 3.5d: lines and areas that some units may not enter.

HR 1.2a White-bordered units stay north of the white line. HR 1.2b No combat unit of either side
enters the South Balaton area or Yugoslavia west of the Danube. One that has to retreat there is
eliminated. HR 2.5b The Budapest garrison stays
in the Budapest area. HR 3.4b Romanians stay north and east of the Danube. 3.4c Yugoslavs stay south
of A47.xx, 3.5d Romanian mountain groups in rough ground and heavy woods (mountain_groups.py).
Breakdowns keep to the lines of the unit that they came from. A unit may not attack what it may not
enter (9.1f, HR R-05), unless the option says otherwise.

HR 1.2a, 2.5b White units and the garrison may leave their areas in retreat and must return at the
first opportunity. HR R-04: in each of its own Movement Phases in which it may move, such a unit
takes a path that brings it nearer. [R] So it goes nowhere else, and its side is not done while it
can move and has not. A change to its Move side is no more than it may be asked for. No train takes
a unit where it may not go.
"""

from functools import lru_cache

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import mountain_groups
from warledger.engine.games.ocs.ch03_counters.counters import MOVE
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch20_breakdowns import breakdowns
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.charts import Printed
from warledger.engine.games.ocs.series.state import State

NORTH, PROHIBITED = "area.north", ("area.south_balaton", "area.yugoslavia_west")
BUDAPEST, SOUTH_BALATON = "area.budapest", "area.south_balaton"

ATTACK_ANYWHERE = "attack_where_forbidden"
"""HR R-05 The option."""


def home(state: State, name: str) -> Hexes:
    """HR 1.2a, 2.5b The area in which a unit stays, every hex for most; a breakdown in that of the
    unit that it came from."""
    traits, board = breakdowns.origin(state, name).traits, state.charts.board
    found = board.every
    if traits.get("white"):
        found &= board.areas[NORTH]
    if traits.get("bp"):
        found &= board.areas[BUDAPEST]
    return found


@lru_cache(maxsize=8)
def _rings(board: Board, area: Hexes) -> tuple[Hexes, ...]:
    """The hexes within 0, 1, 2 … hexes of an area."""
    found = [area]
    while found[-1] != board.every:
        found.append(hexsets.widened(found[-1], board.near))
    return tuple(found)


def barred(state: State, name: str, *, retreating: bool = False) -> Hexes:
    """HR 1.2a, 1.2b, 2.5b, 3.4b-3.5d Hexes that a unit may not enter. White units and the Budapest
    garrison may leave their areas by `retreating`; outside them they only come nearer."""
    counter = state.counter(name)
    board = state.charts.board
    found = prohibited(state, name)
    if not counter.combat_unit:
        found |= supply_barred(state, counter.side)
    own = home(state, name)
    if own != board.every and not retreating:
        found |= board.every & ~_homeward(state, name, own)
    if counter.nation == "romanian":
        found |= west_of_danube(board) | mountain_groups.barred(state, name)
    if counter.nation == "yugoslav":
        found |= board.every & ~yugoslav_land(board)
    return found


def prohibited(state: State, name: str) -> Hexes:
    """HR 1.2b Hexes that no combat unit enters; one that would have to retreat there is
    eliminated."""
    areas = state.charts.board.areas
    south_balaton, yugoslavia = (areas[name] for name in PROHIBITED)
    return south_balaton | yugoslavia if state.counter(name).combat_unit else 0


def clause(state: State, name: str, i: int) -> str:
    """HR 1.2a, 1.2b, 2.5b, 3.4b-3.5d The clause by which a unit may not enter a hex; "" where it
    may."""
    board, counter = state.charts.board, state.counter(name)
    kept = breakdowns.origin(state, name).traits
    found = (
        ("HR 1.2a", bool(kept.get("white")) and not hexsets.has(board.areas[NORTH], i)),
        ("HR 2.5b", bool(kept.get("bp")) and not hexsets.has(board.areas[BUDAPEST], i)),
        ("HR 3.4b", counter.nation == "romanian" and hexsets.has(west_of_danube(board), i)),
        ("HR 3.4c", counter.nation == "yugoslav" and not hexsets.has(yugoslav_land(board), i)),
        (mountain_groups.CLAUSE, hexsets.has(mountain_groups.barred(state, name), i)),
        ("HR 1.2b", hexsets.has(barred(state, name), i)),
    )
    return next((rule for rule, shut in found if shut), "")


def _homeward(state: State, name: str, area: Hexes) -> Hexes:
    """HR R-04 The area, and for a unit outside it the hexes nearer to it than its own."""
    at = state.units[name].at
    if at < 0 or hexsets.has(area, at):
        return area
    rings = _rings(state.charts.board, area)
    return next(rings[n] for n in range(len(rings)) if hexsets.has(rings[n + 1], at))


def attack_barred(state: State, name: str) -> Hexes:
    """HR 1.2a, 1.2b, 2.5b, 3.4b, 3.4c, R-05 Hexes that a unit may not attack: by the option,
    none but those that nobody may enter."""
    if state.charts.options.get(ATTACK_ANYWHERE):
        return 0
    return barred(state, name)


@lru_cache(maxsize=8)
def _homebound(printed: Printed, side: str) -> tuple[str, ...]:
    """HR 1.2a, 2.5b Units of a side that have an area of their own, or as breakdowns may have."""
    return tuple(
        name
        for name, one in printed.units.items()
        if one.side == side
        and (one.traits.get("white") or one.traits.get("bp") or breakdowns.generic(one))
    )


def must_return(state: State, side: str) -> tuple[str, ...]:
    """HR 1.2a, 2.5b, R-04 Units of a side that stand outside their area, have not moved in this
    own Movement Phase, and can."""
    if state.segment != "c2" or state.phasing != side:
        return ()
    return tuple(
        name
        for name in _homebound(state.charts.printed, side)
        if (unit := state.units[name]).at >= 0
        and unit.began < 0
        and not hexsets.has(home(state, name), unit.at)
        and movement.awaiting(state, name)
        and any(_can_go(state, name, mode) for mode in ("", MOVE))
    )


def _can_go(state: State, name: str, mode: str) -> bool:
    """OCS 6.1, 12.5a Whether a unit can enter a hex, once it has taken the mode if one is named."""
    if mode and not movement.may_change(state, name, mode):
        return False
    now = movement.turned(state, (name,), mode)
    return (
        movement.steps_on(now, (name,))
        and movement.fuelled(now, (name,))
        and bool(movement.together(now, (name,)))
    )


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
    """HR 3.4c Hexes of the rows of each sheet from the one that the map's limits name. A sheet that
    they do not name is not Yugoslav."""
    first = board.limits["yugoslav_first_row"]
    grid = board.map.grid
    return hexsets.of(
        i
        for i, name in enumerate(grid.ids)
        if name[0] in first and grid.column_row(i)[1] >= first[name[0]]
    )
