"""Sides and what is paid for them: sealed bids, auctions, balance, choice, lots, both games.

Amounts are half units of the title's margin. Who has the side that both want gives its price to the
other as a handicap, which the tournament adds to the margin. Seats are indices in the title's order
on a board of two; entrants are 0 and 1 as the pairing names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from attrs import frozen

from warledger.engine.tournaments.charter import Bid
from warledger.engine.tournaments.crosstable import Line
from warledger.engine.tournaments.points import Handicap

Why = Literal[
    "wanted",  # each has the side they wanted
    "higher",  # both wanted it, the higher amount has it
    "equal_lot",  # both wanted it for the same amount: a lot
    "unbid_lot",  # nobody bid or chose in time: a lot
    "accepted",  # an auction: the other side was accepted
    "balance",  # the one who had the side less often
    "alternate",  # both had it as often: the other one than last time
    "lot",
    "choice",
    "turned",  # the second of two games
]


@frozen
class Sealed:
    """A sealed bid: the wanted seat and what its entrant would give for it, in half units."""

    seat: int
    half: int


@frozen
class Dealt:
    """How the sides of a board fell.

    Attributes:
        seats: the entrants, 0 and 1, in the order of the title's seats.
        handicap: who gives how much.
        why: by what.
    """

    seats: tuple[int, int]
    handicap: Handicap
    why: Why

    def seat_of(self, entrant: int) -> int:
        """The seat of an entrant."""
        return self.seats.index(entrant)


class BadBid(ValueError):
    """A bid that the charter does not allow; the message says what may be bid."""


def check(bid: Sealed, rules: Bid) -> None:
    """Raises BadBid for a bid that is not allowed."""
    if bid.seat not in (0, 1):
        raise BadBid("a bid names one of the two sides")
    _amount(bid.half, rules)


def _amount(half: int, rules: Bid) -> None:
    if half < 0 or half % rules.step:
        raise BadBid(f"an amount is a multiple of {rules.step} half units, from 0 on")
    if rules.most and half > rules.most:
        raise BadBid(f"an amount is at most {rules.most} half units")


def _seats(entrant: int, seat: int) -> tuple[int, int]:
    """The order of seats in which an entrant has a seat."""
    return (entrant, 1 - entrant) if seat == 0 else (1 - entrant, entrant)


def sealed(
    bids: Sequence[Sealed | None], rules: Bid, lot: int, sides: Sequence[int] = (0, 1)
) -> Dealt:
    """The sides from two sealed bids, None for one that did not come in time.

    Different wishes are granted without a handicap. Of equal wishes the higher amount has the side
    and gives its price: its own amount, or the other's; equal amounts are a lot's. Who did not bid
    in time has bid 0 for the side that a lot gives them.

    Args:
        bids: of entrants 0 and 1.
        rules: which amount is the price.
        lot: the entrant whom a lot favours where amounts are equal.
        sides: for each entrant the side that a lot gives if their bid did not come.
    """
    missing = all(one is None for one in bids)
    first, second = (one if one is not None else Sealed(sides[n], 0) for n, one in enumerate(bids))
    if first.seat != second.seat:
        return Dealt(_seats(0, first.seat), Handicap(), "unbid_lot" if missing else "wanted")
    if first.half == second.half:
        why: Why = "unbid_lot" if missing else "equal_lot"
        return Dealt(_seats(lot, first.seat), _gives(first.seat, first.half), why)
    best = 0 if first.half > second.half else 1
    high, low = (first, second) if best == 0 else (second, first)
    price = high.half if rules.price == "own" else low.half
    return Dealt(_seats(best, high.seat), _gives(high.seat, price), "higher")


def _gives(seat: int, half: int) -> Handicap:
    return Handicap(seat, half) if half else Handicap()


ACCEPT: Final = -1
"""What an entrant says in an auction to take the other side for what was last offered."""


@frozen
class Auction:
    """An auction for a side, as far as it has come.

    Attributes:
        wishes: the seat that each entrant named; None before they did.
        speaks: the entrant whose word is next, None before the wishes or once it is over.
        half: the last amount offered; -1 before the first.
        holder: who offered it.
        rules: step and bound.
        dealt: the outcome, None while it goes on.
    """

    rules: Bid
    wishes: tuple[int | None, int | None] = (None, None)
    speaks: int | None = None
    half: int = -1
    holder: int | None = None
    dealt: Dealt | None = None


def wish(auction: Auction, entrant: int, seat: int, lot: int) -> Auction:
    """An entrant names a side. When both have named the same, a lot says who speaks first. Raises
    BadBid."""
    if seat not in (0, 1) or auction.wishes[entrant] is not None:
        raise BadBid("each entrant names one of the two sides, once")
    wishes = (seat, auction.wishes[1]) if entrant == 0 else (auction.wishes[0], seat)
    if None in wishes:
        return Auction(auction.rules, wishes)
    if wishes[0] != wishes[1]:
        assert wishes[0] is not None
        dealt = Dealt(_seats(0, wishes[0]), Handicap(), "wanted")
        return Auction(auction.rules, wishes, dealt=dealt)
    return Auction(auction.rules, wishes, speaks=lot)


def least_offer(auction: Auction) -> int:
    """The least amount that may be offered next, in half units."""
    return 0 if auction.half < 0 else auction.half + auction.rules.step


def say(auction: Auction, entrant: int, half: int) -> Auction:
    """An entrant offers an amount for the side that both want, or says ACCEPT: they take the other
    side, and the other entrant the wanted one for what was last offered. Raises BadBid for a word
    out of turn, an amount that does not rise, or an acceptance before any offer."""
    if auction.speaks != entrant:
        raise BadBid("it is the other entrant's word, or the auction is over")
    seat = auction.wishes[0]
    assert seat is not None
    if half == ACCEPT:
        if auction.holder is None:
            raise BadBid("nothing has been offered yet; offer an amount, 0 or more")
        dealt = Dealt(_seats(auction.holder, seat), _gives(seat, auction.half), "accepted")
        return Auction(auction.rules, auction.wishes, None, auction.half, auction.holder, dealt)
    _amount(half, auction.rules)
    if half < least_offer(auction):
        raise BadBid(f"an offer is at least {least_offer(auction)} half units now")
    return Auction(auction.rules, auction.wishes, 1 - entrant, half, entrant)


def silent(auction: Auction, lot: int) -> Auction:
    """The time for a word is over. Who names no side takes the one that is left; who does not
    answer an offer has accepted; who does not make the first one has accepted the other's for 0."""
    if auction.dealt is not None:
        return auction
    if auction.speaks is not None:
        other = 1 - auction.speaks
        seat = auction.wishes[0]
        assert seat is not None
        holder = auction.holder if auction.holder is not None else other
        half = max(auction.half, 0)
        dealt = Dealt(_seats(holder, seat), _gives(seat, half), "accepted")
        return Auction(auction.rules, auction.wishes, None, half, holder, dealt)
    named = [n for n in (0, 1) if auction.wishes[n] is not None]
    if not named:
        return Auction(auction.rules, dealt=Dealt(_seats(lot, 0), Handicap(), "unbid_lot"))
    seat = auction.wishes[named[0]]
    assert seat is not None
    dealt = Dealt(_seats(named[0], seat), Handicap(), "wanted")
    return Auction(auction.rules, auction.wishes, dealt=dealt)


def balanced(lines: Sequence[Sequence[Line]], lot: int) -> Dealt:
    """The sides by what both have played so far: the first seat goes to who has had it less often
    than the second; then to who did not have it last; then by lot."""
    due = [_due(one) for one in lines]
    if due[0] != due[1]:
        return Dealt(_seats(0 if due[0] > due[1] else 1, 0), Handicap(), "balance")
    last = [next((line.seat for line in reversed(one) if line.played), None) for one in lines]
    if last[0] != last[1] and last[0] is not None and last[1] is not None:
        return Dealt(_seats(0 if last[0] == 1 else 1, 0), Handicap(), "alternate")
    return Dealt(_seats(lot, 0), Handicap(), "lot")


def _due(lines: Sequence[Line]) -> int:
    """How many more games an entrant has had with the second seat than with the first."""
    seats = [line.seat for line in lines if line.played]
    return seats.count(1) - seats.count(0)


def by_lot(lot: int) -> Dealt:
    """The first seat goes to the entrant whom the lot names."""
    return Dealt(_seats(lot, 0), Handicap(), "lot")


def chosen(chooser: int, seat: int | None, lot: int) -> Dealt:
    """The sides as the entrant who may choose says; None if they did not choose in time."""
    if seat is None:
        return Dealt(_seats(lot, 0), Handicap(), "unbid_lot")
    return Dealt(_seats(chooser, seat), Handicap(), "choice")


def both(lot: int) -> tuple[Dealt, Dealt]:
    """Two games with sides turned; a lot says who begins with the first seat. Their margins are
    added."""
    return by_lot(lot), Dealt(_seats(1 - lot, 0), Handicap(), "turned")
