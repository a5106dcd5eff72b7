"""Picks and standing orders once they are open: whether they are those that a seat bound itself to
by a blinded digest, and whether a command follows from such orders."""

from typing import Any

from attrs import frozen

from warledger.protocol import canon
from warledger.protocol.board.choices import say
from warledger.protocol.limits import ORDERS_BYTES_MAX, PICKS_MAX
from warledger.protocol.log import bodies
from warledger.protocol.log.bodies import ByOrders
from warledger.protocol.seats import acts, standing
from warledger.protocol.seats.seating import Wrong
from warledger.protocol.wire.fields import is_orders


@frozen(slots=False)
class Answered:
    """A command that the server gave by a seat's standing answers: the seat, which of them it
    names, the key by which the seat was asked, and whether a turn had ended since they were
    given."""

    seat: str
    by: ByOrders
    key: str
    turn_over: bool


def digest_of_picks(genesis: bytes, body: bodies.CommandBody, opened: Any) -> list[Wrong]:
    """Whether a command's digest stands for its picks: `opened` is [picks, blind], open in the
    record or from the opening of its seal.

    A command by standing orders has no digest, and its blind is empty.
    """
    if (
        type(opened) is not tuple
        or len(opened) != 2
        or type(opened[0]) is not tuple
        or type(opened[1]) is not bytes
    ):
        return [("picks", say("acts.picks_form"))]
    picks, blind = opened
    seat, digest = body.seat, body.digest
    if (
        len(picks) > PICKS_MAX
        or any(type(pick) not in (str, int) for pick in picks)
        or len(blind) != (acts.BLIND_BYTES if digest else 0)
    ):
        return [("picks", say("acts.picks_form"))]
    if not digest:
        return []
    if acts.picks_digest(genesis, seat, body.decision, body.id, blind, picks) != digest:
        return [("picks", say("acts.other_picks", seat=seat))]
    return []


def digest_of_orders(genesis: bytes, body: bodies.Orders, opened: Any) -> list[Wrong]:
    """What is wrong with a seat's standing orders by their digest: `opened` is [orders, blind]."""
    if (
        type(opened) is not tuple
        or len(opened) != 2
        or type(opened[0]) is not tuple
        or type(opened[1]) is not bytes
    ):
        return [("orders", say("acts.picks_form"))]
    if len(opened[1]) != acts.BLIND_BYTES:
        return [("orders", say("acts.picks_form"))]
    if len(canon.pack(opened[0])) > ORDERS_BYTES_MAX:
        return [("orders", say("acts.orders_long", most=ORDERS_BYTES_MAX))]
    if not is_orders(opened[0]):
        return [("orders", say("acts.orders_form"))]
    if acts.orders_digest(genesis, body.seat, opened[1], opened[0]) != body.digest:
        return [("orders", say("acts.other_picks", seat=body.seat))]
    return []


def follows_from(answered: Answered, orders: Any, picks: Any) -> list[Wrong]:
    """Whether a command with these picks is the answer that it names in a set of standing answers,
    which are both open."""
    if is_orders(orders) and standing.holds(
        orders, answered.by, answered.key, picks, turn_over=answered.turn_over
    ):
        return []
    return [("by", say("acts.not_ordered", seat=answered.seat))]
