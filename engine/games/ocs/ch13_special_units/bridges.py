"""OCS 13.8b, 6.2c: which rivers are bridged for a side at this instant, and what counts as a
source.

OCS 13.8b An engineer-capable unit bridges every river hexside of its hex: a major river counts as a
minor one, a minor one as none, for friendly units that enter or leave its hex. Never for overruns
or in combat. Which classes the game lets be bridged stands in its chart (`[engineers] bridging`).
"""

from collections.abc import Mapping
from functools import lru_cache

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.board.mobility import Over
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.charts import Printed
from warledger.engine.games.ocs.series.state import DG, State, Unit
from warledger.protocol.board.hexgrid import OFF_MAP

NO_RIVER = "none"
"""The chart's word for a river that a bridge does away with."""


def engineer_capable(unit: Unit) -> bool:
    """OCS 5.10e, 13.8 Whether an HQ or engineer works as one: in Combat mode, or DG on that
    side."""
    return not unit.move_side and unit.marker in ("", DG)


@lru_cache(maxsize=4)
def hqs_of(printed: Printed, side: str) -> tuple[str, ...]:
    """The HQs of a side by id."""
    return tuple(name for name, one in printed.units.items() if one.hq and one.side == side)


def engineers(state: State, side: str) -> Hexes:
    """OCS 13.8, HR 1.5a Hexes with an engineer-capable HQ of a side: nobody else is one."""
    found = 0
    for name in hqs_of(state.charts.printed, side):
        unit = state.units[name]
        if unit.at >= 0 and engineer_capable(unit):
            found |= 1 << unit.at
    return found


def lately_engineer(state: State, name: str) -> bool:
    """OCS 13.8b, 13.8c Whether an HQ still stands where it was engineer-capable until it changed
    its mode in this phase: it leaves over its own bridge, or by rail. Once it has left it no longer
    has a bridge, even if it comes back."""
    turned, unit = state.phase_use.turned, state.units[name]
    return name in turned and turned[name] == unit.at and not unit.spent


def engineered(state: State, side: str) -> Mapping[int, Over]:
    """OCS 13.8b Hexsides bridged by a side's engineer-capable HQs."""
    return over_rivers(state.charts.printed, engineers(state, side))


@lru_cache(maxsize=256)
def over_rivers(printed: Printed, hexes: Hexes) -> Mapping[int, Over]:
    """OCS 13.8b Both slots of every river hexside of these hexes that an engineer may bridge."""
    board = printed.board
    classes = printed.chart["engineers"]["bridging"]
    found: dict[int, Over] = {}
    for i in hexsets.listed(hexes):
        for slot, kind in rivers_of(board, i):
            if kind in classes:
                counts_as = classes[kind]
                over = Over("" if counts_as == NO_RIVER else counts_as, True)
                found[slot] = found[twin(board, slot)] = over
    return found


def rivers_of(board: Board, i: int) -> tuple[tuple[int, str], ...]:
    """The slots of a hex with a river inside the map, each with its class."""
    around = board.map.grid.neighbours[i]
    return tuple(
        (slot, kind)
        for d in range(6)
        for slot in (i * 6 + d,)
        if around[d] != OFF_MAP and (kind := board.river_class(slot))
    )


def twin(board: Board, slot: int) -> int:
    """The other slot of the same hexside."""
    return board.map.grid.neighbours[slot // 6][slot % 6] * 6 + (slot % 6 + 3) % 6


def intact(state: State) -> Mapping[int, Over]:
    """OCS 6.2c Printed bridges that stand over rivers which no path lifts without one."""
    return printed_bridges(state.charts.printed, state.bridges_down)


@lru_cache(maxsize=64)
def printed_bridges(printed: Printed, down: frozenset[int]) -> Mapping[int, Over]:
    """OCS 6.2c Printed bridges that stand over rivers which no path lifts without one, given the
    slots of those that are down."""
    return {
        slot: Over(kind, True)
        for kind, slots in printed.board.printed_bridges.items()
        for slot in sorted(slots - down)
    }


@lru_cache(maxsize=64)
def bridged_by(
    printed: Printed, engineers: Hexes, down: frozenset[int]
) -> frozenset[tuple[int, Over]]:
    """OCS 6.2c, 13.8b Printed bridges that stand and rivers bridged by engineers, together."""
    both = {**printed_bridges(printed, down), **over_rivers(printed, engineers)}
    return frozenset(both.items())


def printed_sources(state: State, side: str, *, markers: bool = True) -> Hexes:
    """OCS 12.6a(1) Sources that the map and the scenario name for a side, and its entries, if open
    on this turn, with or without those of `markers`. Whether zones or enemies stop them is asked in
    `sources`."""
    charts, turn = state.charts, state.turn
    found = 0
    for source in (*charts.board.sources, *charts.scenario.sources):
        if source.side != side or source.id in state.closed:
            continue
        if source.marker and not markers:
            continue
        if source.marker:
            for place in state.markers.get(source.marker, ()):
                if isinstance(place, int):
                    found |= 1 << place
        elif source.from_turn <= turn or source.id in state.opened:
            found |= 1 << source.hex
    for entry in charts.board.entries.values():
        if entry.side not in (side, "shared") or entry.id in state.closed:
            continue
        if entry.from_turn <= turn or entry.id in state.opened:
            found |= hexsets.of(entry.hexes)
    return found
