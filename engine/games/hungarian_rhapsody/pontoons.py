"""HR 1.4: the Danube, its bridges and the pontoons.

HR 1.4a An unbridged Danube hexside is crossed only by pontoon; HQs never bridge it. Soviets never
use its printed bridges. HR 1.4b A pontoon in Combat mode (or DG on that side) bridges every river
hexside of its hex, and restores roads and railways there. HR 1.4c What Soviet pontoons can do on
the Danube depends on the date: nothing, light (Leg units in Move mode, for their whole MA), all. A
pontoon beside the Danube lies on top of its stack (1.4b).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.board.mobility import Over
from warledger.engine.games.ocs.ch13_special_units.bridges import (
    NO_RIVER,
    engineer_capable,
    engineers,
    over_rivers,
    printed_bridges,
    rivers_of,
    twin,
)
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.charts import Bridging, Charts, Printed, one_bridging
from warledger.engine.games.ocs.series.state import State, Unit
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

PONTOON = "pontoon"
DANUBE, BRIDGED, LIGHT = "danube", "danube_pontoon", "danube_light"
NOTHING, LIGHTLY, FULLY = "none", "light", "full"

LIGHT_HQ = "su.hq.57a"
"""HR 1.4c, R-16 The HQ whose supply crosses light bridging."""


@lru_cache(maxsize=8)
def pontoons_of(printed: Printed, side: str) -> tuple[str, ...]:
    """The pontoon bridges of a side by id."""
    return tuple(
        name for name, one in printed.units.items() if one.kind == PONTOON and one.side == side
    )


@lru_cache(maxsize=4)
def riverside(board: Board) -> Hexes:
    """HR 1.4b, 2.1d Hexes with the Danube on one of their sides."""
    return hexsets.of(
        i
        for i in range(board.size)
        if any(board.river_class(i * 6 + d) == DANUBE for d in range(6))
    )


@lru_cache(maxsize=8)
def _all(printed: Printed) -> frozenset[str]:
    return frozenset(name for name, one in printed.units.items() if one.kind == PONTOON)


def on_top(charts: Charts, units: Mapping[str, Unit], names: Sequence[str]) -> tuple[str, ...]:
    """HR 1.4b A pontoon beside the Danube lies on top of its stack."""
    every = _all(charts.printed)
    if every.isdisjoint(names):
        return ()
    beside = riverside(charts.board)
    return tuple(name for name in names if name in every and hexsets.has(beside, units[name].at))


def laid_pontoons(state: State, side: str) -> Hexes:
    """HR 1.4b, R-14 Hexes with a pontoon of a side that bridges."""
    found = 0
    for name in pontoons_of(state.charts.printed, side):
        unit = state.units[name]
        if unit.at >= 0 and engineer_capable(unit):
            found |= 1 << unit.at
    return found


def ability(state: State, side: str) -> str:
    """HR 1.4c, R-15 What a side's pontoons do on the Danube now: "none", "light" or "full"."""
    if side == state.charts.sides[0]:
        return FULLY
    return str(state.charts.printed.turn(state.turn).traits["soviet_pontoons"])


@remembered()
def bridging(state: State, side: str, move_mode: bool) -> Bridging:
    """HR 1.4a-1.4c Every hexside that a side's units do not cross as printed."""
    charts = state.charts
    may = ability(state, side)
    return _bridging(
        charts.printed,
        engineers(state, side),
        state.bridges_down if side == charts.sides[0] else None,
        laid_pontoons(state, side),
        may,
        move_mode and may == LIGHTLY,
    )


@lru_cache(maxsize=128)
def _bridging(
    printed: Printed,
    engineers: Hexes,
    down: frozenset[int] | None,
    pontoons: Hexes,
    may: str,
    light: bool,
) -> Bridging:
    """Engineers, printed bridges, pontoons: the later before the earlier on the same hexside.
    `down` is None for a side that never uses printed bridges."""
    found = dict(over_rivers(printed, engineers))
    if down is not None:
        found.update(printed_bridges(printed, down))
    found.update(_pontooned(printed, pontoons, may, light))
    return one_bridging(frozenset(found.items()))


@lru_cache(maxsize=64)
def _pontooned(printed: Printed, hexes: Hexes, may: str, move_mode: bool) -> Mapping[int, Over]:
    board = printed.board
    classes = printed.chart["engineers"]["bridging"]
    found: dict[int, Over] = {}
    for i in hexsets.listed(hexes):
        for slot, kind in rivers_of(board, i):
            over = None
            if kind == DANUBE and may == FULLY:
                over = Over(BRIDGED, True)
            elif kind == DANUBE and may == LIGHTLY and move_mode:
                over = Over(LIGHT, False)
            elif kind in classes:
                over = Over("" if classes[kind] == NO_RIVER else classes[kind], True)
            if over is not None:
                found[slot] = found[twin(board, slot)] = over
    return found


@event("hr.bridges_down")
class BridgesDestroyed:
    """HR 1.4a Danube bridges are destroyed: the two hexes that each joined."""

    bridges: tuple[tuple[str, str], ...]


after = ByEvent()


@after(BridgesDestroyed)
def _destroyed(state: State, event: BridgesDestroyed) -> State:
    board = state.charts.board
    slots = (board.slot(board.hex(a), board.hex(b)) for a, b in event.bridges)
    gone = frozenset(one for slot in slots for one in (slot, twin(board, slot)))
    return replace(state, bridges_down=state.bridges_down | gone)


def on_event(table: Table[State], event: Any) -> None:
    """HR 1.4a A Danube bridge is destroyed as soon as a Soviet unit is adjacent to it."""
    state = table.state
    board = state.charts.board
    gone = fallen(state) - state.bridges_down
    if gone:
        around = board.map.grid.neighbours
        ends = [tuple(sorted((slot // 6, around[slot // 6][slot % 6]))) for slot in sorted(gone)]
        bridges = dict.fromkeys((board.name(a), board.name(b)) for a, b in ends)
        table.emit(BridgesDestroyed(tuple(bridges)))


def fallen(state: State) -> frozenset[int]:
    """HR 1.4a, R-12 Slots of the Danube bridges that are down: those that were, and those with
    a Soviet combat unit at either end or next to one. For good, except where a pontoon restores
    them."""
    soviet = state.field.combat[state.charts.sides[1]]
    return _fallen(state.charts.board, soviet, state.bridges_down)


@lru_cache(maxsize=16)
def _fallen(board: Board, soviet: Hexes, down: frozenset[int]) -> frozenset[int]:
    return down.union(
        [slot for slot, around in _approaches(board) if soviet & around and slot not in down]
    )


@lru_cache(maxsize=4)
def _approaches(board: Board) -> tuple[tuple[int, Hexes], ...]:
    """Slots of the Danube's bridges, each with the hexes at and next to either end."""
    return tuple(
        (slot, hexsets.widened(1 << slot // 6 | 1 << twin(board, slot) // 6, board.near))
        for slot in sorted(board.printed_bridges[DANUBE])
    )


def supply_bridging(state: State, side: str, hq: str) -> Bridging:
    """HR 1.4c The bridging for supply is that for units on foot. No supply crosses light bridging,
    but that of the 57th Army's HQ."""
    return bridging(state, side, hq == LIGHT_HQ)
