"""Standing answers: what a seat lets the server answer for it, so that it is not asked the same
question five times in a row for nothing.

An order is (prompt's key, picks, until) and results in ordinary commands. An order whose picks are
not on offer lapses. In a game of format 1 orders are stored beside the log, and "turn" orders lapse
when the next turn begins. In a game of format 2 they are in the log, sealed and signed, and the
position knows which are in force.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from warledger.engine.kernel.position import PLAYING, Position
from warledger.engine.runtime import asking
from warledger.engine.runtime.live import Live
from warledger.protocol import bodies, canon, effects, records
from warledger.protocol.records import Record
from warledger.protocol.seal import Secret

Order = tuple[str, tuple[Any, ...], str]
Orders = tuple[Order, ...]


def due(live: Live, orders: Mapping[str, Orders]) -> tuple[str, Order] | None:
    """A seat that is asked a question for which it has left an order, and that order."""
    at = live.position
    if at.stage != PLAYING or at.ask is not None:
        return None
    for seat, _ in at.open:
        mine = orders.get(seat)
        decision = asking.pending(live, seat) if mine else None
        if decision is not None:
            for order in mine or ():
                if order[0] == decision.prompt.key:
                    return seat, order
    return None


def due_signed(live: Live) -> tuple[str, int, int, tuple[Any, ...]] | None:
    """The same in a game of format 2: the seat, the record of its orders, the place among them, and
    the picks."""
    at = live.position
    if at.stage != PLAYING or at.ask is not None:
        return None
    for standing in at.standing:
        decision = asking.pending(live, standing.seat)
        if decision is None or type(standing.orders) is not Secret:
            continue
        for place, (prompt, picks, until) in enumerate(standing.orders.value[0]):
            void = (until == "turn" and standing.turn_over) or (
                standing.seq,
                place,
                decision.id,
            ) in live.passed_over
            if prompt == decision.prompt.key and not void:
                return standing.seat, standing.seq, place, picks
    return None


def may_play(live: Live, seat: str, now_ms: int) -> bool:
    """Whether a seat may play now: its game is not frozen, its flag has not fallen, and its clock
    is not paused."""
    position = live.position
    clocks = position.clocks
    stopped = clocks is not None and (seat in clocks.fallen or clocks.paused(now_ms))
    return not position.frozen and not stopped


def in_force(at: Position[Any], seat: str) -> Orders:
    """A seat's orders in a game of format 2."""
    for standing in at.standing:
        if standing.seat == seat and type(standing.orders) is Secret:
            return tuple(
                order
                for order in standing.orders.value[0]
                if not (order[2] == "turn" and standing.turn_over)
            )
    return ()


def turn_began(made: Iterable[Record]) -> bool:
    """Whether a turn begins in these records."""
    return any(
        effect[0] == effects.OPEN and effect[1] == "turn"
        for record in made
        if record.kind == records.COMMAND
        for effect in bodies.effects_of(record)
    )


def after_turn(orders: Mapping[str, Orders]) -> dict[str, Orders]:
    """The seats with orders that lapse with the turn, and the orders that each has left."""
    left = {
        seat: tuple(order for order in mine if order[2] != "turn") for seat, mine in orders.items()
    }
    return {seat: mine for seat, mine in left.items() if mine != orders[seat]}


def payload(seat: str, orders: Orders) -> bytes:
    """The META frame that stores a seat's orders."""
    return canon.pack(("standing", seat, orders))
