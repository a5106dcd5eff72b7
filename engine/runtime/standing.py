"""Standing answers: what a seat lets the server answer for it, so that nobody is asked for nothing five times in a row.

An order is (prompt's key, picks, until). It is kept beside the game's log, never in it, and gives ordinary commands. One whose picks are
not on offer lapses; "turn" orders lapse when the next turn begins.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.kernel import door
from engine.kernel.position import PLAYING
from engine.runtime.live import Live
from protocol import canon, effects, records
from protocol.records import Record

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
