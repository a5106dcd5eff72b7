"""HR 2.1d: Danube transport: supply comes down the river to Budapest.

HR 2.1d Once a turn the Axis brings SP, never units, from a hex beside the Danube to Budapest, for
one point of Danube capacity each. A Soviet unit with a zone on the north or west bank from A29.04
to A31.18, or whose zone reaches it, stops it altogether. (HR R-18: negation does not help;
HR R-42: which hexes these are.) So does ice. OCS 12.2a What it brings was carried by nothing else
in this phase, and goes no further.

[R] It is done in the Axis Movement Phase, as one shipment from one hex to one hex: "once a turn".
A part of an SP takes a whole point. HR R-17: it is unloaded in a city hex of Budapest that the
Axis controls.
"""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody.fighting import BUDAPEST_CITY
from warledger.engine.games.hungarian_rhapsody.pontoons import riverside
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse

CAPACITY = "danube"
"""The name of the capacity (`TurnUse.capacity`)."""

BANK = "area.danube_transport"
"""HR R-42 The bank hexes from which it is stopped."""


@event("hr.shipped")
class Shipped:
    """HR 2.1d Supply comes down the Danube; `cost` in sixteenths of a point. The enemy learns
    nothing of it."""

    side: str
    tokens: Any
    start: Any
    hex: Any
    cost: Any


after = ByEvent()


@after(Shipped)
def _shipped(state: State, event: Shipped) -> State:
    to = state.charts.board.hex(fog.plain(event.hex))
    made = rail.put_down(state, to, fog.plain(event.tokens))
    return rail.used(made, event.side, CAPACITY, fog.plain(event.cost))


def capacity(state: State) -> int:
    """HR 2.1d, R-17 SP that come down the river in a turn, by the scenario or the chart."""
    charts = state.charts
    chart = charts.printed.chart["capacity"]["danube_transport_sp"]
    return int(charts.scenario.doc.get("supply", {}).get("danube_transport", chart))


def frozen_over(state: State) -> bool:
    """HR 2.1d Whether ice stops it."""
    return not state.charts.printed.weather[state.ground].traits.get("danube_transport", True)


def watched(state: State) -> bool:
    """HR 2.1d, R-18, R-42 Whether Soviet zones stop it."""
    soviet = state.charts.sides[1]
    return bool(state.field.zones[soviet] & state.charts.board.areas[BANK])


def under_way(state: State, side: str) -> bool:
    """HR 2.1d Whether the side may still bring supply down the river in this turn, as far as river,
    enemy and calendar go."""
    charts = state.charts
    if side != charts.sides[0] or side != state.phasing or state.segment != "c2":
        return False
    used = state.turn_use.capacity.get(f"{CAPACITY}.{side}", 0)
    return not used and capacity(state) > 0 and not frozen_over(state) and not watched(state)


@remembered()
def wharves(state: State, side: str) -> Hexes:
    """HR 2.1d, R-17 Hexes of Budapest where supply is unloaded."""
    charts = state.charts
    city = charts.board.areas[BUDAPEST_CITY] & state.control[side] & charts.scenario.play
    return city & ~state.field.occupied[charts.enemy(side)]


@remembered()
def starts(state: State, side: str) -> tuple[int, ...]:
    """HR 2.1d, OCS 12.2a Hexes beside the Danube whose supply may go down the river now."""
    if not under_way(state, side) or not wharves(state, side):
        return ()
    charts = state.charts
    here = riverside(charts.board) & charts.scenario.play
    here &= ~state.field.combat[charts.enemy(side)]
    return tuple(
        i
        for i in hexsets.listed(here)
        if rail.fresh(state, side, i) and wharves(state, side) & ~(1 << i)
    )


def price(state: State, tokens: int) -> int:
    """HR 2.1d Points for `tokens` T: one for each SP, whole or in part."""
    return -(-tokens // state.charts.tables.costs["sp_in_t"])


@frozen
class Shipping:
    """HR 2.1d Where supply lies, how many T come, and to which hex of Budapest."""

    start: str = ""
    tokens: int = 0
    hex: str = ""


def commands() -> Commands[State]:
    """HR 2.1d ship HEX T HEX: for the step in which a side moves."""
    return (
        Command(
            "ship",
            Shipping,
            Slot("start", "ocs.hex", _starts, _why_not_from),
            Slot("tokens", "ocs.tokens", _tokens, _why_not_so_many),
            Slot("hex", "ocs.hex", _to, _why_not_to),
            apply=_ship,
            when=lambda asked: bool(starts(asked.state, asked.seat)),
            why=_why_none,
        ),
    )


def _starts(asked: Asked[State], order: Shipping) -> Iterable[str]:
    return map(asked.state.charts.board.name, starts(asked.state, asked.seat))


def _tokens(asked: Asked[State], order: Shipping) -> Iterable[int]:
    state = asked.state
    most = capacity(state) * state.charts.tables.costs["sp_in_t"]
    lying = rail.fresh(state, asked.seat, state.charts.board.hex(order.start))
    return range(1, min(most, lying) + 1)


def _to(asked: Asked[State], order: Shipping) -> Iterable[str]:
    state = asked.state
    board = state.charts.board
    ends = wharves(state, asked.seat) & ~(1 << board.hex(order.start))
    return map(board.name, hexsets.listed(ends))


def _ship(table: Table[State], asked: Asked[State], order: Shipping) -> None:
    if table.state.move is not None:
        movement.interrupted(table, ())
    state, side = table.state, asked.seat
    board = state.charts.board
    start, to = board.hex(order.start), board.hex(order.hex)
    cost = price(state, order.tokens) * rail.PARTS
    points.ground(table, side, start, -order.tokens, rail.MOVED)
    points.ground(table, side, to, order.tokens, rail.MOVED)

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(Shipped(side, hide(order.tokens), hide(order.start), hide(order.hex), hide(cost)))


def _why_none(asked: Asked[State]) -> Refusal:
    state, side = asked.state, asked.seat
    if side != state.charts.sides[0] or side != state.phasing or state.segment != "c2":
        return refuse("HR 2.1d", "refusal.hr.no_shipping_now")
    if frozen_over(state):
        return refuse("HR 2.1d", "refusal.hr.danube_frozen")
    if watched(state):
        return refuse("HR 2.1d", "refusal.hr.danube_watched")
    if state.turn_use.capacity.get(f"{CAPACITY}.{side}", 0):
        return refuse("HR 2.1d", "refusal.hr.shipped_once")
    if not wharves(state, side):
        return refuse("HR 2.1d", "refusal.hr.no_wharf")
    return refuse("HR 2.1d", "refusal.hr.nothing_to_ship")


def _why_not_from(asked: Asked[State], order: Shipping, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    i = state.charts.board.map.grid.index.get(name, -1)
    if i < 0 or not hexsets.has(riverside(state.charts.board), i):
        return refuse("HR 2.1d", "refusal.hr.not_riverside", pick=pick)
    return refuse("HR 2.1d", "refusal.hr.nothing_to_ship_there", pick=pick)


def _why_not_so_many(asked: Asked[State], order: Shipping, pick: Pick) -> Refusal:
    return refuse("HR 2.1d", "refusal.ocs.too_many_tokens", pick=pick)


def _why_not_to(asked: Asked[State], order: Shipping, pick: Pick) -> Refusal:
    return refuse("HR 2.1d", "refusal.hr.no_wharf_there", pick=pick)
