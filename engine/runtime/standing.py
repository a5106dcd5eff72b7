"""Standing answers: what a seat lets the server answer for it, so that nobody is asked for nothing five times in a row.

An order is (prompt's key, picks, until), and gives ordinary commands. One whose picks are not on offer lapses. In a game of format 1 orders
are kept beside the log, and "turn" orders lapse when the next turn begins; in one of format 2 they stand in the log, sealed and signed, and
the position knows which are in force.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.kernel import door
from engine.kernel.position import PLAYING, Position
from engine.runtime.live import Live
from protocol import canon, effects, records
from protocol.records import Record
from protocol.seal import Secret

Order = tuple[str, tuple[Any, ...], str]
Orders = tuple[Order, ...]


def due(live: Live, orders: Mapping[str, Orders]) -> tuple[str, Order] | None:
    """A seat that is asked what it has an order for, and that order."""
    at = live.position
    if at.stage != PLAYING or at.ask is not None:
        return None
    for seat, _ in at.open:
        mine = orders.get(seat)
        decision = door.pending(live.ledger.rules, at, seat) if mine else None
        if decision is not None:
            for order in mine or ():
                if order[0] == decision.prompt.key:
                    return seat, order
    return None


def due_signed(live: Live) -> tuple[str, int, int, tuple[Any, ...]] | None:
    """The same of a game of format 2: the seat, the record of its orders, the place in them, and the picks."""
    at = live.position
    if at.stage != PLAYING or at.ask is not None:
        return None
    for standing in at.standing:
        decision = door.pending(live.ledger.rules, at, standing.seat)
        if decision is None or type(standing.orders) is not Secret:
            continue
        for place, (prompt, picks, until) in enumerate(standing.orders.value[0]):
            void = (until == "turn" and standing.turn_over) or (standing.seq, place, decision.id) in live.passed_over
            if prompt == decision.prompt.key and not void:
                return standing.seat, standing.seq, place, picks
    return None


def in_force(at: Position[Any], seat: str) -> Orders:
    """A seat's orders in a game of format 2."""
    for standing in at.standing:
        if standing.seat == seat and type(standing.orders) is Secret:
            return tuple(order for order in standing.orders.value[0] if not (order[2] == "turn" and standing.turn_over))
    return ()


def turn_began(made: Iterable[Record]) -> bool:
    """Whether a turn opens in these records."""
    return any(
        effect[0] == effects.OPEN and effect[1] == "turn"
        for record in made
        if record.kind == records.COMMAND
        for effect in canon.unpack_trusted(record.body[records.EFFECTS])
    )


def after_turn(orders: Mapping[str, Orders]) -> dict[str, Orders]:
    """The seats whose orders lapse with the turn, and what is left to each."""
    left = {seat: tuple(order for order in mine if order[2] != "turn") for seat, mine in orders.items()}
    return {seat: mine for seat, mine in left.items() if mine != orders[seat]}


def payload(seat: str, orders: Orders) -> bytes:
    """The META frame that keeps a seat's orders."""
    return canon.pack(("standing", seat, orders))
