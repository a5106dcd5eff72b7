"""Standing answers: what a seat lets the server answer for it, so that it is not asked the same
question five times in a row for nothing.

An order is (prompt's key, picks, until) and results in ordinary commands. An order whose picks are
not on offer is passed over. Orders are in the log, sealed and signed, and the position knows which
are in force.
"""

from typing import Any

from warledger.engine.kernel.position import PLAYING, Position
from warledger.engine.runtime import asking
from warledger.engine.runtime.live import Live
from warledger.protocol.seal import Secret

Order = tuple[str, tuple[Any, ...], str]
Orders = tuple[Order, ...]


def due(live: Live) -> tuple[str, int, int, tuple[Any, ...]] | None:
    """A standing answer to a question that a seat is asked: the seat, the record of its orders, the
    place among them, and the picks."""
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
    """A seat's orders."""
    for standing in at.standing:
        if standing.seat == seat and type(standing.orders) is Secret:
            return tuple(
                order
                for order in standing.orders.value[0]
                if not (order[2] == "turn" and standing.turn_over)
            )
    return ()
