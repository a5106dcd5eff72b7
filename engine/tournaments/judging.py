"""Acts of those who judge: panels with sealed percentages, appeals and their committee, and
amendments of the charter."""

from collections.abc import Iterable, Mapping
from typing import Final

from warledger.engine.tournaments.adjudication import by_panel
from warledger.engine.tournaments.amending import BadAmendment, amendable, amended
from warledger.engine.tournaments.charter import Named
from warledger.engine.tournaments.deeds import (
    Act,
    Deed,
    account_of,
    actor_called,
    current,
    end,
    is_party,
    known,
    open_to_all,
    plays_at,
    roles,
    some,
    text,
    whole,
)
from warledger.engine.tournaments.points import other_way
from warledger.engine.tournaments.tournamentposition import Board, Claim, Position
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.limits import CLAIM_CHARS_MAX, PERSON_ID_CHARS_MAX
from warledger.protocol.tournaments import ARBITER, ENTRANT, role_of

FINDINGS: Final = ("upheld", "rejected", "in_part")


# --- panels ---------------------------------------------------------------------------------------


def _unfinished(at: Position) -> list[Board]:
    """The boards of the round being played whose game may be judged."""
    last = at.last
    boards = last.boards if last is not None and last.published else ()
    return [one for one in boards if one.seated and one.verdict is None]


def _why_not_name(at: Position, who: str) -> Refusal | None:
    if at.charter.unfinished.by != "panel":
        return refuse("unfinished.by", "refusal.tournament.no_panel")
    if not _unfinished(at):
        return refuse(at.clause, "refusal.tournament.no_open_board")
    return current(at, who)


def _panel(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if not picks:
        left = [board.number for board in _unfinished(at) if not plays_at(at, who, board)]
        if not left:
            own = _unfinished(at)[0].number
            return refuse("unfinished.panel", "refusal.tournament.own_board", board=own)
        return some("board", left)
    board = next(one for one in _unfinished(at) if one.number == picks[0])
    ids = picks[1::2]
    if len(set(ids)) < len(ids):
        return refuse("unfinished.panel", "refusal.tournament.named_twice")
    if any(plays_at(at, f"{ARBITER}:{id}", board) for id in ids):
        return refuse("unfinished.panel", "refusal.tournament.own_board", board=board.number)
    if len(picks) > 2 * at.charter.unfinished.panel:
        return end()
    return text("name") if len(picks) % 2 == 0 else text("account", PERSON_ID_CHARS_MAX)


def _named(deed: Deed) -> None:
    board, *told = deed.picks
    assert deed.at.last is not None
    people = tuple(zip(told[::2], told[1::2], strict=True))
    deed.change("panelled", deed.at.last.number, board, people)


def _to_be_judged(at: Position, account: str) -> list[int]:
    """The boards whose panel somebody is of, and waits for."""
    return [
        board.number
        for board in _unfinished(at)
        if _is_of(board.panel, account) and all(account != id for id, _ in board.judged)
    ]


def _is_of(people: Iterable[Named], account: str) -> bool:
    return any(account == id for id, _ in people)


def _name_in(people: Iterable[Named], account: str) -> str:
    return next(name for id, name in people if id == account)


def _why_not_judge(at: Position, who: str) -> Refusal | None:
    if not _to_be_judged(at, account_of(at, who)):
        return refuse("unfinished.panel", "refusal.tournament.not_of_panel")
    return current(at, who)


def _judge(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return some("board", _to_be_judged(at, account_of(at, who)), sealed=True)
        case 1:
            return whole("percentage", 0, 100, sealed=True)
        case _:
            return Choices("end", complete=True, sealed=True)


def _was_judged(deed: Deed) -> None:
    last, account = deed.at.last, account_of(deed.at, deed.who)
    assert last is not None
    board = last.board(int(deed.picks[1]))
    assert board is not None
    deed.change("judged", account, _name_in(board.panel, account), last.number, board.number)


def judged(at: Position) -> list[int]:
    """The boards whose whole panel has judged, and that have no result yet."""
    if at.finished:
        return []
    return [
        one.number for one in _unfinished(at) if one.panel and len(one.judged) == len(one.panel)
    ]


def _why_not_adjudicate(at: Position, who: str) -> Refusal | None:
    if not judged(at):
        return refuse("unfinished.panel", "refusal.tournament.panel_waits")
    return current(at, who)


def _adjudicate(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return end() if picks else some("board", judged(at))


def _adjudicated(deed: Deed) -> Refusal | None:
    at, last = deed.at, deed.at.last
    assert last is not None
    board = last.board(int(deed.picks[0]))
    assert board is not None
    given: list[int] = []
    for _, seq in board.judged:
        picks = deed.sealed(seq)
        if picks is None:
            return refuse("unfinished.panel", "refusal.tournament.sealed", record=seq)
        deed.opens.append(seq)
        given.append(int(picks[2]))
    found = by_panel(given, at.charter.unfinished)
    deed.change("adjudicated", last.number, board.number, tuple(given))
    results = (found.result, other_way(found.result))
    deed.change("result", last.number, board.number, "adjudicated", results, (0, 0), "")
    return None


# --- appeals --------------------------------------------------------------------------------------


def _appealable(at: Position, who: str) -> list[int]:
    """The claims that were ruled on and not appealed, and on which somebody may vote: an entrant's
    own, or any for an arbiter."""
    own = role_of(who)[0] == ENTRANT
    return [
        one.number
        for one in at.claims
        if one.finding and not one.appellant and (one.who == who or not own) and _voters(at, one)
    ]


def _why_not_appeal(at: Position, who: str) -> Refusal | None:
    if not at.charter.appeals.committee:
        return refuse("appeals.committee", "refusal.tournament.no_committee")
    if not _appealable(at, who):
        return refuse("appeals", "refusal.tournament.nothing_to_appeal")
    return known(at, who)


def _appeal(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return some("claim", _appealable(at, who))
        case 1:
            return text("reason", CLAIM_CHARS_MAX)
        case _:
            return end()


def _appealed(deed: Deed) -> Refusal | None:
    number, reason = int(deed.picks[0]), str(deed.picks[1])
    minutes = deed.at.charter.appeals.minutes
    if deed.at_ms >= deed.at.claims[number - 1].ruled_ms + 60_000 * minutes:
        return refuse("appeals.minutes", "refusal.tournament.appeal_late", minutes=minutes)
    deed.change("appealed", number, deed.who, reason)
    return None


def _of_committee(at: Position, account: str) -> bool:
    return _is_of(at.charter.appeals.committee, account)


def _voters(at: Position, claim: Claim) -> tuple[str, ...]:
    """Who of the committee may vote on a claim: neither who ruled on it nor whose business it
    is."""
    return tuple(
        id
        for id, _ in at.charter.appeals.committee
        if id != claim.ruled_by and not is_party(at, id, claim)
    )


def _to_vote(at: Position, account: str) -> list[int]:
    return [
        one.number
        for one in at.claims
        if one.appellant
        and not one.decided
        and account in _voters(at, one)
        and all(account != id for id, _ in one.votes)
    ]


def _why_not_decide(at: Position, who: str) -> Refusal | None:
    if not _of_committee(at, account_of(at, who)):
        return refuse("appeals.committee", "refusal.tournament.role", who=actor_called(at, who))
    if not _to_vote(at, account_of(at, who)):
        return refuse("appeals", "refusal.tournament.no_appeal")
    return open_to_all(at, who)


def _decide(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return some("claim", _to_vote(at, account_of(at, who)))
        case 1:
            return some("finding", FINDINGS)
        case 2:
            return text("reason", CLAIM_CHARS_MAX)
        case _:
            return end()


def _voted(deed: Deed) -> None:
    at = deed.at
    number, finding, reason = int(deed.picks[0]), str(deed.picks[1]), str(deed.picks[2])
    claim, account = at.claims[number - 1], account_of(at, deed.who)
    name = _name_in(at.charter.appeals.committee, account)
    deed.change("voted", number, account, name, finding, reason)
    votes = [*(given for _, given in claim.votes), finding]
    size = len(at.charter.appeals.committee)
    won = [one for one in FINDINGS if 2 * votes.count(one) > size]
    if won:
        deed.change("decided", number, won[0])
    elif len(votes) == len(_voters(at, claim)):
        # No majority of the whole committee: the arbiter's ruling stands.
        deed.change("decided", number, claim.finding)


# --- amendments -----------------------------------------------------------------------------------


def _why_not_amend(at: Position, who: str) -> Refusal | None:
    if at.last is not None and not at.last.over:
        return refuse("", "refusal.tournament.round_on", round=at.last.number)
    return open_to_all(at, who)


def _amend(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    rounds = at.charter_round(len(at.rounds))
    keys = amendable(at.charter, at.stage, len(at.stage_pairings), len(at.entrants), rounds)
    match len(picks):
        case 0:
            return some("key", keys)
        case 1:
            allowed = keys[str(picks[0])]
            if _is_span(allowed):
                return whole("value", int(allowed[0]), int(allowed[1]))
            return some("value", allowed)
        case 2:
            try:
                amended(at.charter, str(picks[0]), picks[1])
            except BadAmendment as error:
                return refuse(str(picks[0]), "refusal.tournament.bad_amendment", what=str(error))
            return text("reason", CLAIM_CHARS_MAX)
        case _:
            return end()


def _is_span(allowed: tuple[int | str, ...]) -> bool:
    return len(allowed) == 2 and all(type(one) is int for one in allowed)


def _was_amended(deed: Deed) -> None:
    deed.change("amended", *deed.picks)


def _on_a_panel(at: Position, account: str) -> bool:
    return bool(_to_be_judged(at, account))


def is_asked(at: Position, account: str) -> bool:
    """Whether whoever has an id may act as an arbiter without that role, in what they were named
    for alone: the charter's committee, and the panel of a board of the newest round."""
    boards = at.last.boards if at.last is not None else ()
    return _of_committee(at, account) or any(_is_of(board.panel, account) for board in boards)


ACTS: Final[Mapping[str, Act]] = {
    "panel": Act(roles("d"), _why_not_name, _panel, _named),
    "judge": Act(roles("a"), _why_not_judge, _judge, _was_judged, named=_on_a_panel),
    "adjudicate": Act(roles("server", "d"), _why_not_adjudicate, _adjudicate, _adjudicated),
    "appeal": Act(roles("e", "a"), _why_not_appeal, _appeal, _appealed),
    "decide": Act(roles("a"), _why_not_decide, _decide, _voted, named=_of_committee),
    "amend": Act(roles("d"), _why_not_amend, _amend, _was_amended, moves=True),
}
