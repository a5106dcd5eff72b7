"""Picks and standing orders once they are open: whether they are those that a seat bound itself to
by a blinded digest."""

from collections.abc import Iterable
from typing import Any

from warledger.protocol import acts, bodies, canon
from warledger.protocol.choices import say
from warledger.protocol.effects import turns_closed
from warledger.protocol.limits import ORDERS_BYTES_MAX, PICKS_MAX
from warledger.protocol.records import COMMAND, Record
from warledger.protocol.seating import Wrong


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
    if len(picks) > PICKS_MAX or len(blind) != (acts.BLIND_BYTES if digest else 0):
        return [("picks", say("acts.picks_form"))]
    if not digest:
        return []
    if acts.picks_digest(genesis, seat, body.decision, body.id, blind, picks) != digest:
        return [("picks", say("acts.other_picks", seat=seat))]
    return []


def digest_of_orders(genesis: bytes, body: bodies.Orders, opened: Any) -> list[Wrong]:
    """The same for a seat's standing orders: `opened` is [orders, blind]."""
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
    if acts.orders_digest(genesis, body.seat, opened[1], opened[0]) != body.digest:
        return [("orders", say("acts.other_picks", seat=body.seat))]
    return []


def turn_ended(between: Iterable[Record]) -> bool:
    """Whether any of these records, those after a seat's standing orders, ended a turn: then what
    was ordered for the turn is void."""
    return any(
        record.kind == COMMAND and turns_closed(bodies.CommandBody.read(record.body).effects) > 0
        for record in between
    )


def order_holds(orders: Any, picks: Any, *, turn_over: bool) -> bool:
    """Whether standing orders [[prompt's key, picks, until] …] hold these picks; `turn_over`: a
    turn has ended since they were given."""
    return any(
        tuple(given) == tuple(picks) and not (until == "turn" and turn_over)
        for _, given, until in orders
    )


__all__ = ["digest_of_orders", "digest_of_picks", "order_holds", "turn_ended"]
