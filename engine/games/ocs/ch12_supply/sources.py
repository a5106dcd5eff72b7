"""OCS 12.6: where trace ends: sources and the railways that lead to them.

OCS 12.6a Sources are (1) what the map and the game name, (2) detrainable hexes (13.3c), (3) hexes
that hang on those (extenders). OCS 12.6b An enemy zone in a source's hex stops it unless negated.
OCS 13.3h The side must control it.
"""

from collections.abc import Mapping
from functools import lru_cache

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import LEG
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch12_supply import supply_search
from warledger.engine.games.ocs.ch13_special_units.bridges import engineers
from warledger.engine.games.ocs.series.board import RAIL, Board
from warledger.engine.games.ocs.series.charts import Bridging, Printed
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.memo import remembered


def usable(state: State, side: str) -> Hexes:
    """OCS 12.6b, 13.3c Hexes through which trace may run by rail and where a source may stand: in
    play, controlled, without enemy combat units, without an enemy zone that is not negated."""
    charts = state.charts
    return (
        charts.scenario.play
        & state.control[side]
        & ~state.field.combat[charts.enemy(side)]
        & ~zones.barred(state, side, zones.RAIL_SUPPLY)
    )


def detrainable(state: State, side: str) -> Hexes:
    """OCS 13.3c Places, as far as the game's chart marks them, hexes of engineer-capable HQs, and
    what the game adds."""
    board = state.charts.board
    found = engineers(state, side) | rules(state.charts).more_stations(state, side)
    for kind, hexes in board.by_place.items():
        if state.charts.printed.place[kind].traits.get("detrainable"):
            found |= hexes
    return found & board.linked[RAIL]


@remembered()
def sources(state: State, side: str) -> Hexes:
    """OCS 12.6a Every hex at which a side's trace may end now."""
    open_ = usable(state, side)
    game = rules(state.charts)
    found = game.sources(state, side) & open_
    left = [one for one in extenders(state, side) if hexsets.has(open_, one[0])]
    while True:
        ends = found | _by_rail(state, side, found, open_)
        joined = [
            (i, reach)
            for i, reach in left
            if hexsets.has(ends, i) or extender_extent(state, side, i, reach).touching & ends
        ]
        if not joined:
            return ends
        # OCS 12.7 Trace goes on from an extender, by another one or by the railway in its hex.
        found |= hexsets.of(i for i, _ in joined)
        left = [one for one in left if one not in joined]


def _by_rail(state: State, side: str, found: Hexes, open_: Hexes) -> Hexes:
    """OCS 12.6a(2) Detrainable hexes that railways join to sources."""
    charts = state.charts
    if not rules(charts).traces_by_rail(side):
        return 0
    bridging = rules(charts).bridging(state, side, False)
    gauge = rules(charts).railways(state, side)
    linked = along_rails(charts.board, whole(charts.board, bridging), found, open_ & gauge)
    return linked & detrainable(state, side)


def extenders(state: State, side: str) -> tuple[tuple[int, str], ...]:
    """OCS 12.7 Hexes with extenders of a side, each with the mobility in whose points it reaches
    on; the game's own among them."""
    charts = state.charts
    found = dict.fromkeys(rules(charts).more_extenders(state, side))
    for name in transport_of(charts.printed, side):
        unit, face = state.units[name], charts.units[name].move
        if unit.extender and unit.at >= 0 and face is not None:
            found[unit.at, face.mobility] = None
    return tuple(sorted(found))


@lru_cache(maxsize=8)
def transport_of(printed: Printed, side: str) -> tuple[str, ...]:
    """OCS 3.3b The ordinary transport points of a side."""
    return tuple(
        name
        for name, one in printed.units.items()
        if one.side == side and one.points and not one.combat_unit and not one.organic
    )


def extender_extent(
    state: State, side: str, i: int, mobility: str, *, freely: bool = False
) -> supply_search.Extent:
    """OCS 12.7, 12.3c What an extender in a hex reaches in its kind of points; `freely`: as if no
    enemy were near."""
    chart = state.charts.printed.chart["capacity"]["extender_range"]
    points = chart["wagon" if mobility == LEG else "truck"]
    paths = supply_search.paths(state, side, mobility)
    if freely:
        paths = replace(paths, shut=state.charts.board.every & ~state.charts.scenario.play)
    return paths.extent(i, int(points))


def whole(board: Board, bridging: Bridging) -> frozenset[int]:
    """Slots of rivers that no path lifts by itself over which paths may be followed now."""
    return frozenset(
        slot
        for slot, over in bridging
        if over.paths and board.river_class(slot) in board.printed_bridges
    )


def along_rails(board: Board, whole: frozenset[int], starts: Hexes, through: Hexes) -> Hexes:
    """Hexes that a railway joins to the starts through these hexes, the starts included."""
    return along(board, RAIL, whole, starts, through)


@lru_cache(maxsize=64)
def along(board: Board, kind: str, whole: frozenset[int], starts: Hexes, through: Hexes) -> Hexes:
    """Hexes that a kind of path joins to the starts through these hexes, the starts included."""
    near = joined(board, kind, whole)
    front = list(hexsets.listed(starts & through))
    found = hexsets.of(front)
    while front:
        for n in near.get(front.pop(), ()):
            if not found >> n & 1 and through >> n & 1:
                found |= 1 << n
                front.append(n)
    return found


def rails(board: Board, whole: frozenset[int]) -> Mapping[int, tuple[int, ...]]:
    """Each hex with a railway -> the hexes that it joins, rivers crossed where they may be."""
    return joined(board, RAIL, whole)


@lru_cache(maxsize=32)
def joined(board: Board, kind: str, whole: frozenset[int]) -> Mapping[int, tuple[int, ...]]:
    """Each hex with a kind of path -> the hexes that it joins, rivers crossed where they may be."""
    table, around = board.map.links[kind], board.map.grid.neighbours
    return {
        i: tuple(
            around[i][d]
            for d in range(6)
            if table[i * 6 + d]
            and (board.river_class(i * 6 + d) not in board.printed_bridges or i * 6 + d in whole)
        )
        for i in hexsets.listed(board.linked[kind])
    }


def trace(state: State, side: str) -> Mapping[str, str | None]:
    """OCS 12.6, 12.9 How each combat unit of a side on the map traces: "own", an HQ's id, "direct",
    "always" by the game's rules, or None. That a formation has one source (12.6f) is checked on the
    answer, not here. [R] Beyond the play area, where nothing is in anybody's way, all trace."""
    charts = state.charts
    ends = sources(state, side)
    found = supply_search.supply(state, side, ends)
    result: dict[str, str | None] = {}
    for name, unit in state.units.items():
        counter = charts.units[name]
        if unit.at < 0 or counter.side != side or not counter.combat_unit:
            continue
        beyond = hexsets.has(charts.scenario.beyond, unit.at)
        if beyond or rules(charts).always_traces(state, name):
            result[name] = ALWAYS
            continue
        own = rules(charts).own_sources(state, name)
        if own is None:
            result[name] = supply_search.provider(state, found, name)
        else:
            result[name] = (
                supply_search.DIRECT if supply_search.draws(state, name).touching & own else None
            )
    return result


ALWAYS = "always"
