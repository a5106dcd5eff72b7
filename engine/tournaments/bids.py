"""Sides and what is paid for them: sealed bids and auctions.

Amounts are half units of the title's margin. Who has the side that both want gives its price to the
other as a handicap, which the tournament adds to the other's margin. Boards are of two.
"""

from collections.abc import Callable

from attrs import frozen

from warledger.engine.tournaments.tournamentposition import Haggle


@frozen
class Dealt:
    """How the sides of a board fell: its entrants in the order of the title's seats, and the
    handicap as the seat that gets it and half units."""

    entrants: tuple[int, int]
    seat: int = 0
    half_units: int = 0


def settle(
    one: tuple[int, int | None, int],
    other: tuple[int, int | None, int],
    price: str,
    lot: Callable[[], int],
) -> Dealt:
    """Who has which side after two sealed bids [entrant, index of the side or None, amount].

    Different wishes are granted. Of two who want the same side the higher amount has it and gives
    the other its own amount, or the other's. Of equal amounts a lot decides. Who has not bid wants
    no side; where nobody does, a lot decides.
    """
    (a, side_a, amount_a), (b, side_b, amount_b) = one, other
    if side_a is None and side_b is None:
        return Dealt((b, a) if lot() else (a, b))
    if side_a != side_b:
        first = side_a == 0 if side_a is not None else side_b == 1
        return Dealt((a, b) if first else (b, a))
    has_a = amount_a > amount_b or (amount_a == amount_b and not lot())
    high, low = (amount_a, amount_b) if has_a else (amount_b, amount_a)
    holder, gets = (a, b) if has_a else (b, a)
    return bought(holder, gets, side_a or 0, low if price == "other" else high)


def bought(holder: int, gets: int, seat: int, half: int) -> Dealt:
    """The sides of a board whose `holder` has a seat and gives the other `half` half units."""
    sitting = (holder, gets) if seat == 0 else (gets, holder)
    return Dealt(sitting, 1 - seat if half else 0, half)


def least_offer(auction: Haggle, step: int) -> int:
    """The least amount that may be offered next."""
    return 0 if auction.half < 0 else auction.half + step


def accepted(auction: Haggle, entrants: tuple[int, ...]) -> Dealt:
    """The sides once who speaks has accepted the other side, or has said nothing in time: who made
    the last offer has the wanted side and gives what they offered. Where nobody has offered
    anything, the one who did not speak first has it for nothing."""
    other = next(one for one in entrants if one != auction.speaks)
    holder = auction.holder or other
    gets = next(one for one in entrants if one != holder)
    return bought(holder, gets, auction.seat, max(auction.half, 0))
