"""Acts about boards: bids and sides, the game that is opened, its report with proof, results that a
director gives, and corrections."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from warledger.engine.tournaments.acting import (
    Act,
    Deed,
    current,
    end,
    numbers_for,
    open_to_all,
    own_number,
    plays_at,
    roles,
    some,
    text,
    waiting,
    whole,
)
from warledger.engine.tournaments.points import half_units
from warledger.engine.tournaments.position import Board, Position, RoundState
from warledger.engine.tournaments.tally import other_way, result_of
from warledger.protocol.chain import Head, head_is_signed_by
from warledger.protocol.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.limits import CLAIM_CHARS_MAX, INT_MAX

MARGIN_MAX: Final = 10_000
"""The widest margin that can be given, in half units."""
BIDS_OFFERED_MAX: Final = 4_096
NOBODY: Final = "-"
PLAYED_OUT: Final = ("rules", "adjudicated", "")
"""How a game ended whose score tells the margin. One that was resigned, lost on time or ruled upon
is won outright, whatever its score was."""
_HASH = re.compile("[0-9a-f]{64}")
_SIGNATURE = re.compile("[0-9a-f]{128}")


# --- sides ----------------------------------------------------------------------------------------


def _open_board(at: Position, who: str) -> tuple[RoundState, Board] | None:
    """The entrant's board in the round being played, while its sides are open."""
    number = own_number(who)
    if at.last is None or number is None:
        return None
    board = at.last.board_of(number)
    return None if board is None or board.seated or board.verdict else (at.last, board)


def _to_bid(at: Position, who: str) -> Refusal | None:
    refused = current(at, who)
    if refused is not None:
        return refused
    if at.charter.sides.by != "bid":
        return refuse("sides.by", "refusal.tournament.no_bids")
    found = _open_board(at, who)
    if found is None:
        return refuse("sides.bid", "refusal.tournament.no_open_board")
    if any(bid.entrant == own_number(who) for bid in found[0].bids):
        return refuse("sides.bid", "refusal.tournament.has_bid")
    return None


def _bid(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    assert at.last is not None
    bid = at.charter.sides.bid
    if not picks:
        return some("side", at.seats(at.last.number), sealed=True)
    if len(picks) > 1:
        return Choices("end", complete=True, sealed=True)
    most = min(bid.most or MARGIN_MAX, bid.step * BIDS_OFFERED_MAX)
    if bid.step == 1:
        return whole("amount", 0, most, sealed=True)
    return some("amount", range(0, most + 1, bid.step), sealed=True)


def _waive(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return Choices("end", complete=True, sealed=True)


def _was_bid(deed: Deed) -> Refusal | None:
    number = own_number(deed.who)
    last = deed.at.last
    assert last is not None and number is not None
    minutes = deed.at.charter.sides.bid.minutes
    if deed.at_ms >= last.published_ms + 60_000 * minutes:
        return refuse("sides.bid.minutes", "refusal.tournament.bid_late", minutes=minutes)
    board = last.board_of(number)
    assert board is not None
    deed.change("bid", number, last.number, board.number)
    return None


def _to_choose(at: Position, who: str) -> Refusal | None:
    refused = current(at, who)
    if refused is not None:
        return refused
    by = at.charter.sides.by
    if not by.startswith("choice:"):
        return refuse("sides.by", "refusal.tournament.no_choice")
    found = _open_board(at, who)
    if found is None:
        return refuse("sides.by", "refusal.tournament.no_open_board")
    return (
        None
        if chooser(at, found[1]) == own_number(who)
        else refuse("sides.by", "refusal.tournament.other_chooses")
    )


def chooser(at: Position, board: Board) -> int:
    """Who of a board chooses the side: the higher or the lower in the starting order."""
    pick = min if at.charter.sides.by == "choice:higher" else max
    return pick(board.entrants, key=at.order.index)


def _choose(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    assert at.last is not None
    return end() if picks else some("side", at.seats(at.last.number))


def _chosen(deed: Deed) -> None:
    last, number = deed.at.last, own_number(deed.who)
    assert last is not None and number is not None
    board = last.board_of(number)
    assert board is not None
    seat = deed.at.seats(last.number).index(str(deed.picks[0]))
    other = next(one for one in board.entrants if one != number)
    sitting = (number, other) if seat == 0 else (other, number)
    deed.change("sides", last.number, board.number, sitting, 0, 0)


def unsettled(at: Position, at_ms: int) -> list[int]:
    """The boards whose sides can be settled at a moment: both have bid, or the time for it is
    over."""
    last, sides = at.last, at.charter.sides
    if last is None or not last.published or at.finished:
        return []
    over = at_ms >= last.published_ms + 60_000 * sides.bid.minutes
    found = []
    for board in last.boards:
        if board.seated or board.verdict is not None:
            continue
        bids = sum(bid.board == board.number for bid in last.bids)
        if over or (sides.by == "bid" and bids == len(board.entrants)):
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
    seats = at.seats(last.number)
    wishes: dict[int, tuple[int | None, int]] = {}
    for bid in last.bids:
        if bid.board != board.number:
            continue
        picks = deed.sealed(bid.seq)
        if picks is None:
            return refuse("sides.bid", "refusal.tournament.sealed", record=bid.seq)
        deed.opens.append(bid.seq)
        if picks[0] == "bid":
            wishes[bid.entrant] = (seats.index(str(picks[1])), int(picks[2]))
    one, other = board.entrants
    purpose = f"sides:{last.number}:{board.number}"
    sitting, seat, units = settle(
        (one, *wishes.get(one, (None, 0))),
        (other, *wishes.get(other, (None, 0))),
        at.charter.sides.bid.price,
        lambda: deed.lots.draw(purpose, 2),
    )
    deed.change("sides", last.number, board.number, sitting, seat, units)
    return None


def settle(
    one: tuple[int, int | None, int],
    other: tuple[int, int | None, int],
    price: str,
    lot: Callable[[], int],
) -> tuple[tuple[int, int], int, int]:
    """Who has which side after two sealed bids [entrant, index of the side or None, amount in half
    units]: the entrants in seat order, and the handicap as the seat that gets it and half units.

    Different wishes are granted. Of two who want the same side the higher amount has it and gives
    the other its own amount, or the other's; of equal amounts a lot decides. Who has not bid wants
    no side; where nobody does, a lot decides.
    """
    (a, side_a, amount_a), (b, side_b, amount_b) = one, other
    if side_a is None and side_b is None:
        return ((b, a) if lot() else (a, b)), 0, 0
    if side_a != side_b:
        first = side_a == 0 if side_a is not None else side_b == 1
        return ((a, b) if first else (b, a)), 0, 0
    has_a = amount_a > amount_b or (amount_a == amount_b and not lot())
    high, low = (amount_a, amount_b) if has_a else (amount_b, amount_a)
    holder, gets = (a, b) if has_a else (b, a)
    sitting = (holder, gets) if side_a == 0 else (gets, holder)
    paid = low if price == "other" else high
    return sitting, (sitting.index(gets) if paid else 0), paid


# --- games and their reports ----------------------------------------------------------------------


def game_id(at: Position, round: int, board: int) -> str:
    """The id of the game of a board, from which it can be made again after a crash."""
    return f"{at.founding.tournament}-r{round}-b{board}"


def _to_open(at: Position, who: str) -> Refusal | None:
    refused = current(at, who)
    if refused is None and not _unopened(at):
        return refuse("sides", "refusal.tournament.no_open_board")
    return refused


def _unopened(at: Position) -> list[int]:
    last = at.last
    return [
        board.number
        for board in (last.boards if last is not None else ())
        if board.seated and not board.game and board.verdict is None
    ]


def _open(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return some("board", _unopened(at))
        case 1:
            return text("game")
        case 2:
            return text("genesis")
        case _:
            right = _HASH.fullmatch(str(picks[2]))
            return end() if right else refuse("", "refusal.tournament.hex")


def _opened(deed: Deed) -> None:
    board, game, genesis = deed.picks
    assert deed.at.last is not None
    deed.change("opened", deed.at.last.number, board, game, bytes.fromhex(str(genesis)))


def _report(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    seats = at.seats(int(picks[0])) if picks else ()
    match len(picks):
        case 0:
            return some("round", sorted({one.number for one in at.rounds if _played(one)}))
        case 1:
            one = at.round(int(picks[0]))
            assert one is not None
            return some("board", _played(one))
        case 2:
            return whole("record", 1, INT_MAX)
        case 3:
            return text("hash")
        case 4:
            return text("signature", 128)
        case 5:
            return some(
                "ended_by",
                ("rules", "resign", "draw", "flag", "ruling", "adjudicated", "expired"),
            )
        case 6:
            return some("winner", (*seats, NOBODY))
        case count if count < 7 + len(seats):
            # A title that keeps no score has no points to report.
            return Choices("points", span=(-INT_MAX, INT_MAX), complete=count == 7)
        case _:
            return end()


def _played(one: RoundState) -> list[int]:
    return [board.number for board in one.boards if board.game and board.proof is None]


def _to_report(at: Position, who: str) -> Refusal | None:
    if not any(map(_played, at.rounds)):
        return refuse("", "refusal.tournament.nothing_to_report")
    return open_to_all(at, who)


def _reported(deed: Deed) -> Refusal | None:
    at = deed.at
    round, number, seq, hashed, signed, by, winner, *scores = deed.picks
    one = at.round(int(round))
    assert one is not None
    board = one.board(int(number))
    assert board is not None
    if not _HASH.fullmatch(str(hashed)) or not _SIGNATURE.fullmatch(str(signed)):
        return refuse("", "refusal.tournament.hex")
    hash, signature = bytes.fromhex(str(hashed)), bytes.fromhex(str(signed))
    head = Head(board.game, int(seq), hash, signature)
    keys = [bytes.fromhex(key) for key in at.charter.servers] or [at.founding.server_key]
    if not any(head_is_signed_by(key, head) for key in keys):
        return refuse("servers", "refusal.tournament.not_signed", game=board.game)
    deed.change("reported", round, number, seq, hash, signature, by)
    if board.verdict is not None:
        return None  # the game came to its end after the director had given a result
    stage = at.charter.stages[one.stage]
    seats = at.seats(one.number)
    index = seats.index(str(winner)) if winner != NOBODY else None
    points = tuple(map(int, scores))
    unit = at.points_a_unit(one.number)
    results, margins = outcome(board, index, points, str(by), stage.points.close, unit)
    if by == "expired":
        # A game that nobody began is not a draw: both have lost it without play.
        deed.change("result", round, number, "forfeit", ("loss", "loss"), (0, 0), "")
        return None
    manner = "adjudicated" if by == "adjudicated" else "played"
    deed.change("result", round, number, manner, results, margins, "")
    return None


def outcome(
    board: Board,
    winner: int | None,
    scores: tuple[int, ...],
    by: str,
    close: int,
    unit: int = 1,
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Results and margins of a game between two, by seat: from the scores and the handicap where it
    was played out, otherwise from who has won. `unit` points of the score make a unit."""
    seat, units = board.handicap
    if by in PLAYED_OUT and len(scores) == 2:
        margin = half_units(scores[0] - scores[1], unit) + (units if seat == 0 else -units)
        if units or margin or winner is None:
            if margin and not units and winner is not None and (margin > 0) != (winner == 0):
                margin = 0  # the rules name a winner against the score: no margin tells how far
            else:
                first = result_of(margin, close)
                return (first, other_way(first)), (margin, -margin)
    if winner is None:
        return ("draw", "draw"), (0, 0)
    return (("win", "loss") if winner == 0 else ("loss", "win")), (0, 0)


# --- results by the director ----------------------------------------------------------------------


def _to_judge(at: Position, who: str) -> Refusal | None:
    last = at.last
    if last is None or not last.published or not waiting(last):
        return refuse(at.clause, "refusal.tournament.no_open_board")
    return open_to_all(at, who)


def _result(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    assert at.last is not None
    if not picks:
        return some("round", (at.last.number,))
    if len(picks) == 1:
        return some("board", waiting(at.last))
    return _verdict(at, who, picks)


def _to_correct(at: Position, who: str) -> Refusal | None:
    if not any(_judged(one) for one in at.rounds):
        return refuse("", "refusal.tournament.nothing_to_correct")
    return open_to_all(at, who)


def _judged(one: RoundState) -> list[int]:
    return [board.number for board in one.boards if board.verdict is not None]


def _correct(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if not picks:
        return some("round", [one.number for one in at.rounds if _judged(one)])
    one = at.round(int(picks[0]))
    assert one is not None
    return some("board", _judged(one)) if len(picks) == 1 else _verdict(at, who, picks)


def _verdict(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    one = at.round(int(picks[0]))
    assert one is not None
    board = one.board(int(picks[1]))
    assert board is not None
    if plays_at(at, who, board):
        return refuse("appeals", "refusal.tournament.own_board", board=board.number)
    if len(picks) == 2:
        return some("outcome", ("win", "draw", "forfeit", "both"))
    slots = {
        "win": ("winner", "manner", "margin", "reason"),
        "draw": ("manner", "reason"),
        "forfeit": ("absent", "reason"),
        "both": ("reason",),
    }[str(picks[2])]
    index = len(picks) - 3
    if index >= len(slots):
        return end()
    match slots[index]:
        case "winner":
            return numbers_for(at, "server", "winner", board.entrants)
        case "absent":
            return numbers_for(at, "server", "absent", board.entrants)
        case "manner":
            return some("manner", ("played", "adjudicated"))
        case "margin":
            return whole("margin", 0, MARGIN_MAX)
        case _:
            return text("reason", CLAIM_CHARS_MAX)


def _given(deed: Deed) -> None:
    at = deed.at
    round, number, what, *rest = deed.picks
    one = at.round(int(round))
    assert one is not None
    board = one.board(int(number))
    assert board is not None
    close = at.charter.stages[one.stage].points.close
    manner, results, margins = "forfeit", ["loss", "loss"], [0, 0]
    if what == "win":
        winner = board.entrants.index(int(rest[0]))
        manner, margin = str(rest[1]), int(rest[2])
        first = result_of(margin, close) if margin else "win"
        results[winner], results[1 - winner] = first, other_way(first)
        margins[winner], margins[1 - winner] = margin, -margin
    elif what == "draw":
        manner, results = str(rest[0]), ["draw", "draw"]
    elif what == "forfeit":
        gone = board.entrants.index(int(rest[0]))
        results[1 - gone] = "win"
    reason = str(rest[-1])
    deed.change("result", one.number, board.number, manner, tuple(results), tuple(margins), reason)


ACTS: Final[Mapping[str, Act]] = {
    "bid": Act(roles("e"), _to_bid, _bid, _was_bid),
    "waive": Act(roles("e"), _to_bid, _waive, _was_bid),
    "choose": Act(roles("e"), _to_choose, _choose, _chosen),
    "sides": Act(roles("server"), current, _sides, _settled),
    "opened": Act(roles("server"), _to_open, _open, _opened),
    "report": Act(roles("server"), _to_report, _report, _reported),
    "result": Act(roles("d", "a"), _to_judge, _result, _given),
    "correct": Act(roles("d", "a"), _to_correct, _correct, _given),
}


__all__ = ["ACTS", "chooser", "game_id", "outcome", "settle", "unsettled"]
