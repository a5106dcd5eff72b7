"""Sides: who has which, and what is given for it."""

import pytest

from tests.tournaments.bench import table_of
from warledger.engine.tournaments import bids
from warledger.engine.tournaments.bids import ACCEPT, Auction, BadBid, Sealed
from warledger.engine.tournaments.charter import Bid
from warledger.engine.tournaments.points import Handicap

ALLIES, AXIS = 0, 1
A, B = 0, 1
OWN, OTHER = Bid(price="own"), Bid(price="other")


def test_e06_different_wishes_cost_nothing() -> None:
    """The Allies for 3 and the Axis for 5: each has their side, and no handicap."""
    dealt = bids.sealed((Sealed(ALLIES, 3), Sealed(AXIS, 5)), OWN, lot=B)

    assert (dealt.seats, dealt.handicap, dealt.why) == ((A, B), Handicap(), "wanted")


@pytest.mark.parametrize(("rules", "price"), [(OWN, 4), (OTHER, 3)])
def test_e07_the_higher_bid_has_the_side_and_pays(rules: Bid, price: int) -> None:
    """Both want the Allies, for 3 and 4: the second gives their own 2 POC, or the other's 1.5."""
    dealt = bids.sealed((Sealed(ALLIES, 3), Sealed(ALLIES, 4)), rules, lot=A)

    assert (dealt.seats, dealt.why) == ((B, A), "higher")
    assert dealt.handicap == Handicap(ALLIES, price)
    assert dealt.handicap.of(ALLIES) == -price and dealt.handicap.of(AXIS) == price


@pytest.mark.parametrize("lot", [A, B])
def test_equal_bids_are_a_lots(lot: int) -> None:
    """The lot says who has the side; they give the amount that both bid."""
    dealt = bids.sealed((Sealed(AXIS, 2), Sealed(AXIS, 2)), OWN, lot=lot)

    assert (dealt.seat_of(lot), dealt.handicap, dealt.why) == (AXIS, Handicap(AXIS, 2), "equal_lot")


def test_a_bid_that_does_not_come_is_0_for_a_side_by_lot() -> None:
    """Whoever bids has their side, and pays only if the lot gave the other the same wish."""
    same = bids.sealed((Sealed(AXIS, 6), None), OWN, lot=A, sides=(ALLIES, AXIS))
    other = bids.sealed((Sealed(AXIS, 6), None), OWN, lot=A, sides=(ALLIES, ALLIES))
    cheap = bids.sealed((Sealed(AXIS, 6), None), OTHER, lot=A, sides=(ALLIES, AXIS))
    nobody = bids.sealed((None, None), OWN, lot=B, sides=(AXIS, AXIS))

    assert (same.seat_of(A), same.handicap) == (AXIS, Handicap(AXIS, 6))
    assert (other.seat_of(A), other.handicap) == (AXIS, Handicap())
    assert (cheap.seat_of(A), cheap.handicap) == (AXIS, Handicap())
    assert (nobody.seat_of(B), nobody.handicap, nobody.why) == (AXIS, Handicap(), "unbid_lot")


@pytest.mark.parametrize("half", [-2, 3, 8])
def test_amounts_follow_step_and_bound(half: int) -> None:
    """Only multiples of the step up to the bound may be bid."""
    with pytest.raises(BadBid, match="half units"):
        bids.check(Sealed(AXIS, half), Bid(step=2, most=6))
    bids.check(Sealed(AXIS, 6), Bid(step=2, most=6))
    with pytest.raises(BadBid, match="two sides"):
        bids.check(Sealed(2, 0), OWN)


def wanted(lot: int = A, rules: Bid = OWN) -> Auction:
    """An auction in which both want the Allies."""
    return bids.wish(bids.wish(Auction(rules), B, ALLIES, lot), A, ALLIES, lot)


def test_e10_an_auction() -> None:
    """The first says 4, the second 5, the first accepts the other side: the second gives 5."""
    auction = bids.say(bids.say(bids.say(wanted(), A, 4), B, 5), A, ACCEPT)

    assert auction.dealt is not None
    assert auction.dealt.seat_of(B) == ALLIES and auction.dealt.handicap == Handicap(ALLIES, 5)


def test_an_auction_of_different_wishes_is_none() -> None:
    """Each has the side they named."""
    auction = bids.wish(bids.wish(Auction(OWN), A, AXIS, A), B, ALLIES, A)

    assert auction.dealt is not None and auction.dealt.seats == (B, A)


def test_an_auction_takes_words_in_turn_and_rising() -> None:
    """A word out of turn, an amount that does not rise by a step, and accepting nothing are
    refused."""
    auction = wanted(lot=B, rules=Bid(step=2))

    with pytest.raises(BadBid, match="other entrant's word"):
        bids.say(auction, A, 2)
    with pytest.raises(BadBid, match="nothing has been offered"):
        bids.say(auction, B, ACCEPT)
    auction = bids.say(auction, B, 0)
    with pytest.raises(BadBid, match="multiple of 2"):
        bids.say(auction, A, 1)
    with pytest.raises(BadBid, match="at least 2"):
        bids.say(auction, A, 0)
    with pytest.raises(BadBid, match="once"):
        bids.wish(auction, A, AXIS, A)


def test_silence_in_an_auction() -> None:
    """Who says nothing accepts; who names nothing takes what is left; with nobody a lot decides."""
    offered = bids.silent(bids.say(wanted(), A, 4), lot=A).dealt
    unspoken = bids.silent(wanted(), lot=A).dealt
    unnamed = bids.silent(bids.wish(Auction(OWN), B, AXIS, A), lot=A).dealt
    nobody = bids.silent(Auction(OWN), lot=B).dealt

    assert offered is not None and offered.handicap == Handicap(ALLIES, 4)
    assert offered.seat_of(A) == ALLIES
    assert unspoken is not None and unspoken.seat_of(B) == ALLIES
    assert unspoken.handicap == Handicap()
    assert unnamed is not None and unnamed.seat_of(B) == AXIS
    assert nobody is not None and nobody.seat_of(B) == ALLIES


def test_balance_turns_lots_and_choice() -> None:
    """Who had the first seat less often has it; then who did not have it last; then a lot."""
    table = table_of({1: "2w1 3b1", 2: "1b0 4b1", 3: "4w1 1w0", 4: "3b0 2w0"})

    assert bids.balanced((table.of(1), table.of(2)), lot=A).seats == (B, A)
    assert bids.balanced((table.of(1), table.of(4)), lot=B).why == "alternate"
    assert bids.balanced((table.of(1), table.of(4)), lot=B).seats == (A, B)
    assert bids.balanced(((), ()), lot=B).seats == (B, A)
    first, second = bids.both(A)
    assert (first.seats, second.seats, second.why) == ((A, B), (B, A), "turned")
    assert bids.chosen(B, AXIS, A).seats == (A, B)
    assert bids.chosen(B, None, A).why == "unbid_lot"
    assert bids.by_lot(B).seats == (B, A)
