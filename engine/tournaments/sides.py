"""Acts about the sides of a board: sealed bids, auctions, choices, and what settles them."""

from collections.abc import Mapping
from typing import Final

from warledger.engine.tournaments import bids
from warledger.engine.tournaments.deeds import (
    Act,
    Deed,
    current,
    end,
    own_number,
    roles,
    some,
    whole,
)
from warledger.engine.tournaments.tournamentposition import Board, Haggle, Position, RoundState
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.limits import MARGIN_MAX

BIDS_OFFERED_MAX: Final = 4_096
SECRET: Final = ("bid", "waive", "wish")
"""The acts whose picks are sealed until the sides of their board are settled."""


def _open_boards(at: Position, who: str) -> tuple[RoundState, list[Board]] | None:
    """An entrant's boards in the round being played, while their sides are open."""
    number, last = own_number(who), at.last
    if last is None or number is None:
        return None
    found = [one for one in last.boards_of(number) if not one.seated and one.verdict is None]
    return (last, found) if found else None


# --- sealed ---------------------------------------------------------------------------------------


def _board_to_bid(at: Position, who: str) -> Board | None:
    """The board that an entrant's next bid is for."""
    found, number = _open_boards(at, who), own_number(who)
    assert number is not None
    left = [
        one
        for one in (found[1] if found is not None else ())
        if found is not None and not found[0].has_bid(number, one.number) and one.auction is None
    ]
    return left[0] if left else None


def _why_not_seal(by: str, at: Position, who: str) -> Refusal | None:
    refused = current(at, who)
    if refused is not None:
        return refused
    if at.charter.sides.by != by:
        return refuse("sides.by", "refusal.tournament.no_bids")
    if _open_boards(at, who) is None:
        return refuse("sides.bid", "refusal.tournament.no_open_board")
    if _board_to_bid(at, who) is None:
        return refuse("sides.bid", "refusal.tournament.has_bid")
    return None


def _bid(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    assert at.last is not None
    if not picks:
        return some("side", at.seats(at.last.number), sealed=True)
    if len(picks) > 1:
        return Choices("end", complete=True, sealed=True)
    bid = at.charter.sides.bid
    return _amount(at, 0, min(bid.most or MARGIN_MAX, bid.step * BIDS_OFFERED_MAX), sealed=True)


def _amount(at: Position, least: int, most: int, *, sealed: bool = False) -> Choices:
    step = at.charter.sides.bid.step
    if step == 1:
        return whole("amount", least, most, sealed=sealed)
    return some("amount", range(least, most + 1, step), sealed=sealed)


def _waive(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return Choices("end", complete=True, sealed=True)


def _wish(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    assert at.last is not None
    if not picks:
        return some("side", at.seats(at.last.number), sealed=True)
    return Choices("end", complete=True, sealed=True)


def _was_sealed(deed: Deed) -> Refusal | None:
    number, last = own_number(deed.who), deed.at.last
    board = _board_to_bid(deed.at, deed.who)
    assert last is not None and board is not None
    minutes = deed.at.charter.sides.bid.minutes
    if deed.at_ms >= last.published_ms + 60_000 * minutes:
        return refuse("sides.bid.minutes", "refusal.tournament.bid_late", minutes=minutes)
    deed.change("bid", number, last.number, board.number)
    return None


# --- by auction -----------------------------------------------------------------------------------


def _called(at: Position, who: str) -> tuple[Board, Haggle] | None:
    """The board at which it is an entrant's word, with its auction."""
    found, number = _open_boards(at, who), own_number(who)
    for board in found[1] if found is not None else ():
        if board.auction is not None and board.auction.speaks == number:
            return board, board.auction
    return None


def _why_not_speak(at: Position, who: str) -> Refusal | None:
    refused = current(at, who)
    if refused is not None:
        return refused
    if at.charter.sides.by != "auction":
        return refuse("sides.by", "refusal.tournament.no_auction")
    if _called(at, who) is None:
        return refuse("sides.bid", "refusal.tournament.not_your_word")
    return None


def _why_not_offer(at: Position, who: str) -> Refusal | None:
    refused = _why_not_speak(at, who)
    found = _called(at, who) if refused is None else None
    if found is not None and bids.least_offer(found[1], at.charter.sides.bid.step) > _most(at):
        return refuse("sides.bid.most", "refusal.tournament.highest")
    return refused


def _why_not_accept(at: Position, who: str) -> Refusal | None:
    refused = _why_not_speak(at, who)
    found = _called(at, who) if refused is None else None
    if found is not None and not found[1].holder:
        return refuse("sides.bid", "refusal.tournament.nothing_offered")
    return refused


def _most(at: Position) -> int:
    bid = at.charter.sides.bid
    return min(bid.most or MARGIN_MAX, bid.step * BIDS_OFFERED_MAX)


def _offer(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if picks:
        return end()
    found = _called(at, who)
    assert found is not None
    return _amount(at, bids.least_offer(found[1], at.charter.sides.bid.step), _most(at))


def _too_late(deed: Deed, auction: Haggle) -> Refusal | None:
    minutes = deed.at.charter.sides.bid.minutes
    if deed.at_ms >= auction.since_ms + 60_000 * minutes:
        return refuse("sides.bid.minutes", "refusal.tournament.bid_late", minutes=minutes)
    return None


def _offered(deed: Deed) -> Refusal | None:
    found, last = _called(deed.at, deed.who), deed.at.last
    assert found is not None and last is not None
    late = _too_late(deed, found[1])
    if late is None:
        number = own_number(deed.who)
        deed.change("offered", number, last.number, found[0].number, deed.picks[0])
    return late


def _accept(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return end()


def _was_accepted(deed: Deed) -> Refusal | None:
    found, last = _called(deed.at, deed.who), deed.at.last
    assert found is not None and last is not None
    board, auction = found
    late = _too_late(deed, auction)
    if late is None:
        _deal(deed, last, board, bids.accepted(auction, board.entrants))
    return late


# --- by choice ------------------------------------------------------------------------------------


def chooser(at: Position, board: Board) -> int:
    """Who of a board chooses the side: the higher or the lower in the starting order."""
    pick = min if at.charter.sides.by == "choice:higher" else max
    return pick(board.entrants, key=at.order.index)


def _why_not_choose(at: Position, who: str) -> Refusal | None:
    refused = current(at, who)
    if refused is not None:
        return refused
    if not at.charter.sides.by.startswith("choice:"):
        return refuse("sides.by", "refusal.tournament.no_choice")
    if _open_boards(at, who) is None:
        return refuse("sides.by", "refusal.tournament.no_open_board")
    if _to_be_chosen(at, who) is None:
        return refuse("sides.by", "refusal.tournament.other_chooses")
    return None


def _to_be_chosen(at: Position, who: str) -> Board | None:
    found = _open_boards(at, who)
    mine = [one for one in found[1] if chooser(at, one) == own_number(who)] if found else []
    return mine[0] if mine else None


def _choose(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    assert at.last is not None
    return end() if picks else some("side", at.seats(at.last.number))


def _chosen(deed: Deed) -> None:
    last, number = deed.at.last, own_number(deed.who)
    board = _to_be_chosen(deed.at, deed.who)
    assert last is not None and number is not None and board is not None
    seat = deed.at.seats(last.number).index(str(deed.picks[0]))
    other = next(one for one in board.entrants if one != number)
    _deal(deed, last, board, bids.bought(number, other, seat, 0))


# --- settled --------------------------------------------------------------------------------------


def unsettled(at: Position, at_ms: int) -> list[int]:
    """The boards whose sides can be settled at a moment: both have bid, or the time for it is over;
    in an auction, the time for the next word."""
    last, sides = at.last, at.charter.sides
    if last is None or not last.published or at.finished:
        return []
    minutes = 60_000 * sides.bid.minutes
    found = []
    for board in last.boards:
        if board.seated or board.verdict is not None:
            continue
        sealed = sum(bid.board == board.number for bid in last.bids)
        since = board.auction.since_ms if board.auction is not None else last.published_ms
        if at_ms >= since + minutes or (
            sides.by in ("bid", "auction")
            and board.auction is None
            and sealed == len(board.entrants)
        ):
            found.append(board.number)
    return found


def _sides(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if picks:
        return end()
    assert at.last is not None
    left = [b.number for b in at.last.boards if not b.seated and b.verdict is None]
    return some("board", left) if left else refuse("sides", "refusal.tournament.no_open_board")


def _settled(deed: Deed) -> Refusal | None:
    at, last = deed.at, deed.at.last
    assert last is not None
    board = last.board(int(deed.picks[0]))
    assert board is not None
    if board.number not in unsettled(at, deed.at_ms):
        return refuse("sides.bid.minutes", "refusal.tournament.bids_open", board=board.number)
    if board.auction is not None:
        _deal(deed, last, board, bids.accepted(board.auction, board.entrants))
        return None
    seats = at.seats(last.number)
    wishes: dict[int, tuple[int | None, int]] = {}
    for bid in last.bids:
        if bid.board != board.number:
            continue
        picks = deed.sealed(bid.seq)
        if picks is None:
            return refuse("sides.bid", "refusal.tournament.sealed", record=bid.seq)
        deed.opens.append(bid.seq)
        if picks[0] != "waive":
            amount = int(picks[2]) if picks[0] == "bid" else 0
            wishes[bid.entrant] = (seats.index(str(picks[1])), amount)
    one, other = board.entrants
    purpose = f"sides:{last.number}:{board.number}"
    named = [seat for seat, _ in wishes.values()]
    if at.charter.sides.by == "auction" and len(named) == 2 and named[0] == named[1]:
        speaks = board.entrants[deed.lots.draw(purpose, 2)]
        deed.change("called", last.number, board.number, named[0], speaks)
        return None
    dealt = bids.settle(
        (one, *wishes.get(one, (None, 0))),
        (other, *wishes.get(other, (None, 0))),
        at.charter.sides.bid.price,
        lambda: deed.lots.draw(purpose, 2),
    )
    _deal(deed, last, board, dealt)
    return None


def _deal(deed: Deed, one: RoundState, board: Board, dealt: bids.Dealt) -> None:
    deed.change("sides", one.number, board.number, dealt.entrants, dealt.seat, dealt.half_units)


ACTS: Final[Mapping[str, Act]] = {
    "bid": Act(roles("e"), lambda at, who: _why_not_seal("bid", at, who), _bid, _was_sealed),
    "waive": Act(roles("e"), lambda at, who: _why_not_seal("bid", at, who), _waive, _was_sealed),
    "wish": Act(roles("e"), lambda at, who: _why_not_seal("auction", at, who), _wish, _was_sealed),
    "offer": Act(roles("e"), _why_not_offer, _offer, _offered),
    "accept": Act(roles("e"), _why_not_accept, _accept, _was_accepted),
    "choose": Act(roles("e"), _why_not_choose, _choose, _chosen),
    "sides": Act(roles("server"), current, _sides, _settled),
}
