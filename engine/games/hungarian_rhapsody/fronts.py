"""HR 3.1c: the front markers of the 2nd, 3rd and 4th Ukrainian Front.

HR 3.1c(1) A marker is a source of supply while a road leads from it to a source at the map's edge
or to Sibiu. The road is free of enemy units and of enemy zones that are not negated. A marker
throws nothing. (2) It stands on roads alone. In the Soviet Movement Phase it goes any distance
along roads for 1 SP, never west of the yellow line. It takes along supply that lies with it and has
not been moved. (3) It does not come within 5 hexes of an enemy zone (HR R-26). What an Axis unit
with a zone within 5 hexes brings about is in `displacement`. (4) The 2nd Ukrainian Front's stays
until 29 October, the 4th's stays north of hexrow 16 on sheet B and 9 on A, the 3rd's south of
hexrow 40. HR R-27: the 1 SP lies with it or is drawn.

[R] It moves once in a phase, through hexes in play that the Soviets control. The 1 SP is paid out
of the nearest supply. Its road to a source may run outside the hexes in play.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import markers
from warledger.engine.games.hungarian_rhapsody.supply import WEST_OF_YELLOW
from warledger.engine.games.ocs.ch04_concepts import fog, staying
from warledger.engine.games.ocs.ch04_concepts.zones import TRUCK_SUPPLY, barred
from warledger.engine.games.ocs.ch06_movement.movement import interrupted
from warledger.engine.games.ocs.ch12_supply import bills, payment, payment_means, points, sources
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.ch13_special_units.bridges import printed_sources
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.charts import ROAD_PATH as ROAD
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, event
from warledger.protocol.board.choices import refuse, say

FRONT = "marker.front."
"""How the ids of front markers begin."""

SECOND, THIRD, FOURTH = f"{FRONT}2uf", f"{FRONT}3uf", f"{FRONT}4uf"

MOVED = "moved"
"""Why one moves; also the beginning of the mark that it has then (`PhaseUse.marks`)."""

PURPOSE = "front"
"""What the 1 SP is paid for."""


@event("hr.front_paid")
class FrontPaid:
    """HR 3.1c(2) A front marker is about to move: what is paid for it, and how many T go along with
    it. All of it is hidden."""

    side: str
    marker: Any
    picks: Any
    to: Any
    tokens: Any


after = ByEvent()


@after(FrontPaid)
def _paid(state: State, event: FrontPaid) -> State:
    made = points.spent(state, event.side, fog.plain(event.picks))
    to = state.charts.board.hex(fog.plain(event.to))
    made = rail.put_down(made, to, fog.plain(event.tokens))
    use = made.phase_use
    mark = f"{MOVED}.{fog.plain(event.marker)}"
    return replace(made, phase_use=replace(use, marks=use.marks | {mark}))


# --- sources --------------------------------------------------------------------------------------


def on_map(state: State) -> Mapping[str, int]:
    """HR 3.1c The front markers on the map and their hexes."""
    return {
        name: place
        for name in sorted([name for name in state.markers if name.startswith(FRONT)])
        for place in state.markers[name]
        if isinstance(place, int)
    }


def hexes(state: State) -> Hexes:
    """HR 3.1c Hexes with a front marker."""
    return hexsets.of(on_map(state).values())


@remembered()
def linked(state: State) -> Hexes:
    """HR 3.1c(1) Hexes with a front marker that is a source."""
    charts = state.charts
    axis, soviet = charts.sides
    fronts = hexes(state)
    if not fronts:
        return 0
    free = charts.board.every & ~state.field.occupied[axis] & ~barred(state, soviet, TRUCK_SUPPLY)
    ends = printed_sources(state, soviet, markers=False) & ~state.control[axis]
    bridged = sources.whole(charts.board, rules(charts).bridging(state, soviet, False))
    return fronts & sources.along(charts.board, ROAD, bridged, ends & free, free)


def named(state: State, side: str) -> Hexes:
    """HR 3.1a, 3.1c Sources of a side by map, scenario and calendar, including front markers as far
    as they are sources."""
    found = printed_sources(state, side, markers=False)
    return found if side == state.charts.sides[0] else found | linked(state)


# --- where they go --------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def closed_to(board: Board, marker: str) -> Hexes:
    """HR 3.1c(2), (4) Hexes that a front marker never enters."""
    grid = board.map.grid

    def row(i: int) -> int:
        return grid.column_row(i)[1]

    found = board.areas[WEST_OF_YELLOW] | board.every & ~board.linked[ROAD]
    if marker == FOURTH:
        last = board.limits["front_4uf_last_row"]
        found |= hexsets.of(i for i, id in enumerate(grid.ids) if row(i) > last[id[0]])
    elif marker == THIRD:
        first = board.limits["front_3uf_first_row"]
        found |= hexsets.of(i for i in range(board.size) if row(i) < first)
    return found


def near(state: State, hexes: Hexes) -> Hexes:
    """HR 3.1c(3) Hexes within 5 hexes of these."""
    distance = state.charts.printed.chart["capacity"]["front_marker_distance"]
    return _near(state.charts.board, hexes, distance)


@lru_cache(maxsize=16)
def _near(board: Board, hexes: Hexes, distance: int) -> Hexes:
    for _ in range(distance):
        hexes = hexsets.widened(hexes, board.near)
    return hexes


def threatened(state: State) -> Hexes:
    """HR 3.1c(3), R-26 Hexes within 5 hexes of an Axis zone."""
    return near(state, state.field.zones[state.charts.sides[0]])


@remembered()
def legal(state: State, marker: str) -> Hexes:
    """HR 3.1c(2)-(4) Hexes in which a front marker may be."""
    charts = state.charts
    axis, soviet = charts.sides
    open_ = charts.scenario.play & state.control[soviet] & ~state.field.occupied[axis]
    return open_ & ~closed_to(charts.board, marker) & ~threatened(state)


def _roads(state: State, start: int, through: Hexes) -> Hexes:
    charts = state.charts
    bridged = sources.whole(charts.board, rules(charts).bridging(state, charts.sides[1], False))
    here = 1 << start
    return sources.along(charts.board, ROAD, bridged, here, through | here) & ~here


@remembered()
def reach(state: State, marker: str) -> Hexes:
    """HR 3.1c(2) Hexes to which a front marker can go now, its cost aside."""
    return _roads(state, on_map(state)[marker], legal(state, marker))


def may_move(state: State, marker: str) -> bool:
    """HR 3.1c(2), (4) Whether a front marker may move in this phase at all."""
    charts = state.charts
    if state.segment != "c2" or state.phasing != charts.sides[1]:
        return False
    if f"{MOVED}.{marker}" in state.phase_use.marks or marker not in on_map(state):
        return False
    if charts.scenario.doc["special"].get("marker_fixed") == marker:
        return False
    first = charts.printed.chart["capacity"]["front_2uf_moves_from_turn"]
    return marker != SECOND or state.turn >= first


def cost(state: State, marker: str) -> Bill:
    """HR 3.1c(2) 1 SP, lying with it or drawn (HR R-27)."""
    charts = state.charts
    at = charts.board.name(on_map(state)[marker])
    points_ = charts.printed.chart["capacity"]["front_marker_move_sp"]
    return Bill(charts.sides[1], PURPOSE, (at,), points_ * charts.tables.costs["sp_in_t"])


@remembered()
def movable(state: State) -> tuple[str, ...]:
    """HR 3.1c(2) Front markers that can move now."""
    return tuple(
        name
        for name in on_map(state)
        if may_move(state, name)
        and reach(state, name)
        and payment_means.coverable(state, bills.charged(state, cost(state, name)))
    )


def portable(state: State, marker: str, picks: Iterable[points.Pick]) -> int:
    """HR 3.1c(2) Most T that go along: what lies with it, has not been moved and is not paid."""
    soviet = state.charts.sides[1]
    return rail.fresh(points.spent(state, soviet, picks), soviet, on_map(state)[marker])


def carry(table: Table[State], start: int, to: int, tokens: int) -> None:
    """HR 3.1c(2), (3) This many T go with a marker; they have been moved in this phase (12.2a)."""
    soviet = table.state.charts.sides[1]
    if tokens:
        points.ground(table, soviet, start, -tokens, rail.MOVED)
        points.ground(table, soviet, to, tokens, rail.MOVED)


# --- the command ----------------------------------------------------------------------------------


@frozen
class Relocating:
    """HR 3.1c(2) The marker, where it goes, and how many T it takes along."""

    marker: str = ""
    hex: str = ""
    tokens: int = 0


def commands() -> Commands[State]:
    """HR 3.1c relocate MARKER HEX [T]: for the step in which a side moves."""
    return (
        Command(
            "relocate",
            Relocating,
            Slot("marker", "hr.front", lambda asked, order: movable(asked.state), _why_not_it),
            Slot("hex", "ocs.hex", _to, _why_not_there),
            Slot("tokens", "ocs.tokens", _tokens, _why_not_so_many, optional=True),
            apply=_relocate,
            when=lambda asked: bool(movable(asked.state)),
            why=lambda asked: refuse("HR 3.1c", "refusal.hr.no_front_moves"),
            preview=_preview,
        ),
    )


def _to(asked: Asked[State], order: Relocating) -> Iterable[str]:
    return map(asked.state.charts.board.name, hexsets.listed(reach(asked.state, order.marker)))


def _tokens(asked: Asked[State], order: Relocating) -> Iterable[int]:
    state = asked.state
    picks = payment.plan(state, cost(state, order.marker))
    return range(1, portable(state, order.marker, picks) + 1)


def _preview(asked: Asked[State], order: Relocating) -> tuple[Say, ...]:
    """HR 3.1c(2) What it costs, who pays, and what can go along."""
    state = asked.state
    if not order.marker:
        return ()
    bill = cost(state, order.marker)
    most = portable(state, order.marker, payment.plan(state, bill))
    return (*payment.reckoned(state, bill), say("preview.hr.front", "HR 3.1c", tokens=most))


def _relocate(table: Table[State], asked: Asked[State], order: Relocating) -> None:
    interrupted(table, ())
    state, side = table.state, asked.seat
    board = state.charts.board
    start, to = on_map(state)[order.marker], board.hex(order.hex)
    bill = cost(state, order.marker)
    staying.hold(table, payment.held_by_plan(state, bill), staying.PATH)
    picks = payment.plan(state, bill)

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(
        FrontPaid(side, hide(order.marker), hide(picks), hide(order.hex), hide(order.tokens))
    )
    markers.move(table, side, order.marker, start, to, MOVED)
    carry(table, start, to, order.tokens)


def _why_not_it(asked: Asked[State], order: Relocating, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if name not in on_map(state):
        return refuse("HR 3.1c", "refusal.hr.no_front", pick=pick)
    if f"{MOVED}.{name}" in state.phase_use.marks:
        return refuse("HR 3.1c(2)", "refusal.hr.front_has_moved", pick=pick)
    if not may_move(state, name):
        return refuse("HR 3.1c(4)", "refusal.hr.front_is_fixed", pick=pick)
    if not reach(state, name):
        return refuse("HR 3.1c(2)", "refusal.hr.front_has_no_road", pick=pick)
    return refuse("HR 3.1c(2)", "refusal.hr.front_unpaid", pick=pick)


def _why_not_there(asked: Asked[State], order: Relocating, pick: Pick) -> Refusal:
    state = asked.state
    board = state.charts.board
    i = board.map.grid.index.get(str(pick), -1)
    if i >= 0 and hexsets.has(threatened(state), i):
        return refuse("HR 3.1c(3)", "refusal.hr.front_near_zone", pick=pick)
    if i >= 0 and hexsets.has(closed_to(board, order.marker), i):
        return refuse("HR 3.1c(2)", "refusal.hr.front_not_there", pick=pick)
    return refuse("HR 3.1c(2)", "refusal.hr.front_no_way", pick=pick)


def _why_not_so_many(asked: Asked[State], order: Relocating, pick: Pick) -> Refusal:
    return refuse("HR 3.1c(2)", "refusal.ocs.too_many_tokens", pick=pick)
