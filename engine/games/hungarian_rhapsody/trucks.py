"""HR 3.1d: Soviet truck capacity: supply goes by road, any distance.

HR 3.1d The Soviets have no rail capacity. In the Movement Phase each point of truck capacity takes
supply from any hex of the road net: 2 SP to a front marker or 1 SP to an unloadable hex. That is a
city, village, junction, a road at the map's edge (1.1d) or the hex of an engineer-capable HQ,
controlled and in trace. Not where enemy units stand nor into an enemy zone that is not negated.
Trainbusting does not matter. HR R-28: no enemy combat unit stands on the road.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import fronts
from warledger.engine.games.ocs.ch03_counters.counters import TRUCK
from warledger.engine.games.ocs.ch04_concepts import fog, staying
from warledger.engine.games.ocs.ch06_movement.movement import interrupted
from warledger.engine.games.ocs.ch12_supply import points, sources, supply_search
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.ch13_special_units.bridges import engineers
from warledger.engine.games.ocs.series.board import edge_hexes
from warledger.engine.games.ocs.series.charts import ROAD_PATH as ROAD
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, event
from warledger.protocol.board.choices import refuse

CAPACITY = "truck"
"""The name of the capacity (`TurnUse.capacity`)."""

MOVED = rail.MOVED


@event("hr.trucked")
class Trucked:
    """HR 3.1d Supply goes by truck capacity; `cost` in sixteenths of a point of it."""

    side: str
    tokens: Any
    start: Any
    hex: Any
    cost: Any


after = ByEvent()


@after(Trucked)
def _trucked(state: State, event: Trucked) -> State:
    to = state.charts.board.hex(fog.plain(event.hex))
    made = rail.put_down(state, to, fog.plain(event.tokens))
    return rail.used(made, event.side, CAPACITY, fog.plain(event.cost))


@remembered()
def unloadable(state: State, side: str) -> Hexes:
    """HR 1.1d, 3.1d Hexes where trucks put supply down for 1 SP a point."""
    charts = state.charts
    board = charts.board
    found = engineers(state, side) | edge_hexes(board)
    for kind, hexes in board.by_place.items():
        if charts.printed.place[kind].traits.get("soviet_unloadable"):
            found |= hexes
    found &= board.linked[ROAD] & sources.usable(state, side)
    found &= ~state.field.occupied[charts.enemy(side)]
    return found & _traced(state, side, found)


def _traced(state: State, side: str, hexes: Hexes) -> Hexes:
    """OCS 12.6 Those of these hexes in which somebody could trace."""
    ends = sources.sources(state, side)
    thrown = 0
    for reached in supply_search.supply(state, side, ends).throwers.values():
        thrown |= reached
    trucks = supply_search.paths(state, side, TRUCK)
    return (hexes & thrown) | hexsets.of(
        i
        for i in hexsets.listed(hexes & ~thrown)
        if trucks.extent(i, supply_search.DRAW).touching & ends
    )


@remembered()
def routes(state: State) -> Mapping[int, Mapping[int, int]]:
    """HR 3.1d Hexes with supply that trucks can take -> where a T can still go by the capacity
    left, with T to a point."""
    side = state.phasing
    room = rail.left(state, side, CAPACITY)
    if state.segment != "c2" or not room:
        return {}
    charts = state.charts
    chart = charts.printed.chart["capacity"]
    per_sp = charts.tables.costs["sp_in_t"]
    stocks = (place for place in state.supply[side] if isinstance(place, int))
    starts = hexsets.of(i for i in stocks if rail.fresh(state, side, i))
    starts &= charts.board.linked[ROAD]
    if not starts:
        return {}
    to_front = fronts.hexes(state) & sources.usable(state, side)
    ends = unloadable(state, side)
    bridging = rules(charts).bridging(state, side, False)
    bridged = sources.whole(charts.board, bridging)
    through = charts.scenario.play & ~state.field.combat[charts.enemy(side)]
    through &= ~rules(charts).supply_barred(state, side)
    found = {}
    for i in hexsets.listed(starts):
        joined = sources.along(charts.board, ROAD, bridged, 1 << i, through) & ~(1 << i)
        to = dict.fromkeys(
            hexsets.listed(joined & ends),
            per_sp * int(chart["truck_sp_per_point_to_unloadable_hex"]),
        )
        to.update(
            dict.fromkeys(
                hexsets.listed(joined & to_front),
                per_sp * int(chart["truck_sp_per_point_to_front_marker"]),
            )
        )
        # What is left may take a T to a front marker, and none elsewhere.
        to = {end: per_point for end, per_point in to.items() if price(1, per_point) <= room}
        if to:
            found[i] = dict(sorted(to.items()))
    return found


def price(tokens: int, per_point: int) -> int:
    """HR 3.1d Sixteenths of a point for `tokens` T, rounded up."""
    parts = Fraction(tokens, per_point) * rail.PARTS
    return -(-parts.numerator // parts.denominator)


# --- the command ----------------------------------------------------------------------------------


def commands() -> Commands[State]:
    """HR 3.1d haul HEX T HEX: for the step in which a side moves."""
    return (
        Command(
            "haul",
            rail.Freight,
            Slot("start", "ocs.hex", _starts, _why_not_there),
            Slot("tokens", "ocs.tokens", _tokens, _why_not_so_many),
            Slot("hex", "ocs.hex", _to, _why_not_there),
            apply=_haul,
            preview=_preview,
            when=lambda asked: bool(routes(asked.state)),
            why=lambda asked: refuse("HR 3.1d", "refusal.hr.nothing_to_haul"),
        ),
    )


def _starts(asked: Asked[State], order: rail.Freight) -> Iterable[str]:
    return map(asked.state.charts.board.name, routes(asked.state))


def _tokens(asked: Asked[State], order: rail.Freight) -> Iterable[int]:
    state, side = asked.state, asked.seat
    start = state.charts.board.hex(order.start)
    room = rail.left(state, side, CAPACITY)
    most = max(routes(state)[start].values()) * room // rail.PARTS
    return range(1, min(most, rail.fresh(state, side, start)) + 1)


def _to(asked: Asked[State], order: rail.Freight) -> Iterable[str]:
    state = asked.state
    board = state.charts.board
    room = rail.left(state, asked.seat, CAPACITY)
    return [
        board.name(to)
        for to, per_point in routes(state)[board.hex(order.start)].items()
        if price(order.tokens, per_point) <= room
    ]


def _haul(table: Table[State], asked: Asked[State], order: rail.Freight) -> None:
    """OCS 6.1g, HR 3.1d Whoever was moving is done."""
    if table.state.move is not None:
        interrupted(table, ())
    state, side = table.state, asked.seat
    board = state.charts.board
    start, to = board.hex(order.start), board.hex(order.hex)
    staying.hold(table, _relied_on(table.state, side, start, to), staying.FREIGHT)
    cost = price(order.tokens, routes(asked.state)[start][to])
    points.ground(table, side, start, -order.tokens, MOVED)
    points.ground(table, side, to, order.tokens, MOVED)

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(Trucked(side, hide(order.tokens), hide(order.start), hide(order.hex), hide(cost)))


def _relied_on(state: State, side: str, start: int, to: int) -> tuple[str, ...]:
    """OCS 4.5b Who has to stay so that trucks go there: in an enemy zone where they end, and on the
    path by which it is in trace."""
    return staying.relied(state, side, lambda now: to in routes(now).get(start, ()))


def _preview(asked: Asked[State], order: rail.Freight) -> tuple[Say, ...]:
    """OCS 4.5b Whom it holds."""
    if not order.hex:
        return ()
    state, board = asked.state, asked.state.charts.board
    start, to = board.hex(order.start), board.hex(order.hex)
    return staying.told(_relied_on(state, asked.seat, start, to))


def _why_not_there(asked: Asked[State], order: rail.Freight, pick: Pick) -> Refusal:
    return refuse("HR 3.1d", "refusal.hr.no_haul_there", pick=pick)


def _why_not_so_many(asked: Asked[State], order: rail.Freight, pick: Pick) -> Refusal:
    return refuse("HR 3.1d", "refusal.ocs.too_many_tokens", pick=pick)
