"""Standing answers: what a seat lets the server answer for it, so that it is not asked the same
question five times in a row for nothing.

They are in the log, sealed and signed, and result in ordinary commands. Which one is due is decided
in `warledger.protocol.seats.standing`, as the ledger and auditors decide it.
"""

from typing import Any

from warledger.engine.kernel.position import PLAYING, Position
from warledger.engine.runtime.game.live import Live
from warledger.protocol.board.choices import Picks
from warledger.protocol.chance.seal import Secret
from warledger.protocol.log.bodies import ByOrders
from warledger.protocol.seats.standing import Entries, not_void


def due(live: Live) -> tuple[str, ByOrders, Picks] | None:
    """A standing answer to a question that a seat is asked: the seat, which answer it is, and the
    picks. A question for which there was none, or one that failed, is left to its player."""
    at = live.position
    if at.stage != PLAYING or at.ask is not None:
        return None
    for given in at.standing:
        decision = at.opened(given.seat)
        if decision is None or live.passed_over.get(given.seat) == (given.seq, decision):
            continue
        found = live.ledger.standing_answer(given.seat)
        if found is not None:
            return (given.seat, *found)
        live.passed_over[given.seat] = given.seq, decision
    return None


def may_play(live: Live, seat: str, now_ms: int) -> bool:
    """Whether a seat may play now: its game is not frozen, its flag has not fallen, and its clock
    is not paused."""
    position = live.position
    clocks = position.clocks
    stopped = clocks is not None and (seat in clocks.fallen or clocks.paused(now_ms))
    return not position.frozen and not stopped


def in_force(at: Position[Any], seat: str) -> Entries:
    """The entries of a seat's standing answers that are not void."""
    for given in at.standing:
        if given.seat == seat and type(given.orders) is Secret:
            return not_void(given.orders.value[0], turn_over=given.turn_over)
    return ()
