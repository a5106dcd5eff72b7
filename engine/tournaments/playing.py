"""Acts about boards: the game that is opened, its report with proof, results that a director gives,
and corrections."""

import re
from collections.abc import Mapping
from typing import Any, Final

from warledger.engine.tournaments.deeds import (
    Act,
    Deed,
    current,
    end,
    numbers_for,
    open_to_all,
    plays_at,
    roles,
    some,
    text,
    waiting,
    whole,
)
from warledger.engine.tournaments.points import other_way, outcome, result_of
from warledger.engine.tournaments.rated import may_count
from warledger.engine.tournaments.tournamentposition import Board, Position, RoundState
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.clocks.clockcontrol import CLOCK, DESK, MINUTE_MS, PROTEST
from warledger.protocol.limits import CLAIM_CHARS_MAX, INT_MAX, MARGIN_MAX
from warledger.protocol.log.chain import Head, head_is_signed_by
from warledger.protocol.log.records import DELAY, RATED, TOURNAMENT

NOBODY: Final = "-"
_HASH = re.compile("[0-9a-f]{64}")
_SIGNATURE = re.compile("[0-9a-f]{128}")


# --- games and their reports ----------------------------------------------------------------------


def game_id(at: Position, round: int, board: int) -> str:
    """The id of the game of a board, from which it can be made again after a crash."""
    return f"{at.founding.tournament}-r{round}-b{board}"


def terms_of(at: Position, one: RoundState, board: Board, newest: bytes) -> dict[str, Any]:
    """All terms of the game of a board, as they follow from where the tournament stands. `newest`
    is the hash of its newest record."""
    charter, founding = at.charter, at.founding
    terms: dict[str, Any] = {
        TOURNAMENT: (
            founding.server_key,
            founding.tournament,
            founding.hash,
            one.number,
            board.number,
            newest,
            board.entrants,
        ),
        DELAY: (charter.spectators.delay_s, charter.spectators.delay_turns),
        RATED: may_count(at, board),
    }
    if charter.clock:
        terms[CLOCK] = dict(charter.clock)
    recused = sorted({at.entrants[number].account for number in board.entrants} - {""})
    if recused or charter.claims.stop != "heard":
        # Whoever plays at the board does not rule on it, under whatever name they sat down.
        rules = {"stop": charter.claims.stop, **({"recused": tuple(recused)} if recused else {})}
        terms[DESK] = ((), canon.ordered(rules))
    if charter.claims.protest_minutes:
        terms[PROTEST] = charter.claims.protest_minutes * MINUTE_MS
    return canon.ordered(terms)


def _why_not_open(at: Position, who: str) -> Refusal | None:
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
        case 2 if not at.charter.servers and picks[1] != _named_so(at, picks):
            # What this server hosts is named after its board, so that no game is had for another.
            return refuse("servers", "refusal.tournament.other_game", game=_named_so(at, picks))
        case 2:
            return text("genesis")
        case _:
            right = _HASH.fullmatch(str(picks[2]))
            return end() if right else refuse("", "refusal.tournament.hex")


def _named_so(at: Position, picks: Picks) -> str:
    assert at.last is not None
    return game_id(at, at.last.number, int(picks[0]))


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


def _why_not_report(at: Position, who: str) -> Refusal | None:
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
    if by == "expired":
        # A game that nobody began is not a draw: all have lost it without play.
        lost = ("loss",) * len(seats), (0,) * len(seats)
        deed.change("result", round, number, "forfeit", *lost, "")
        return None
    results, margins = outcome(
        len(seats),
        board.handicap,
        index,
        points,
        str(by),
        stage.points.close,
        unit,
        at.charter.unfinished.draw,
    )
    manner = "adjudicated" if by == "adjudicated" else "played"
    deed.change("result", round, number, manner, results, margins, "")
    return None


# --- packs ----------------------------------------------------------------------------------------


def _why_not_repack(at: Position, who: str) -> Refusal | None:
    return open_to_all(at, who)


def _repack(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return some("title", at.charter.titles)
        case 1:
            return text("pack", 64)
        case _:
            right = _HASH.fullmatch(str(picks[1]))
            return end() if right else refuse("", "refusal.tournament.hex")


def _repacked(deed: Deed) -> None:
    """The data pack of a title is another from here on, since the server's release is."""
    title, pack = deed.picks
    deed.change("amended", f"packs.{title}", pack, "")


# --- results by the director ----------------------------------------------------------------------


def _why_not_judge(at: Position, who: str) -> Refusal | None:
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


def _why_not_correct(at: Position, who: str) -> Refusal | None:
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
        # Of more than two, those who are there play on without who is not.
        absent = ("forfeit",) if len(board.entrants) == 2 else ()
        return some("outcome", ("win", "draw", *absent, "both"))
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
    count = len(board.entrants)
    manner, results, margins = "forfeit", ["loss"] * count, [0] * count
    if what == "win":
        winner = board.entrants.index(int(rest[0]))
        manner, margin = str(rest[1]), int(rest[2])
        first = result_of(margin, close) if margin else "win"
        results, margins = [other_way(first)] * count, [-margin] * count
        results[winner], margins[winner] = first, margin
    elif what == "draw":
        manner, results = str(rest[0]), ["draw"] * count
    elif what == "forfeit":
        gone = board.entrants.index(int(rest[0]))
        results[1 - gone] = "win"
    reason = str(rest[-1])
    deed.change("result", one.number, board.number, manner, tuple(results), tuple(margins), reason)


ACTS: Final[Mapping[str, Act]] = {
    "repack": Act(roles("server"), _why_not_repack, _repack, _repacked),
    "opened": Act(roles("server"), _why_not_open, _open, _opened),
    "report": Act(roles("server"), _why_not_report, _report, _reported),
    "result": Act(roles("d", "a"), _why_not_judge, _result, _given),
    "correct": Act(roles("d", "a"), _why_not_correct, _correct, _given),
}
