"""What entrants may want to know about a tournament, as it is at this moment: that a round is
paired, that bids are open, that they may check in."""

from __future__ import annotations

from collections.abc import Container, Iterator

from attrs import frozen

from warledger.engine.desk.hosted import Hosted
from warledger.engine.serve.people.gamenews import (
    EVENT_MS,
    LIVE_PATIENCE_MS,
    PATIENCE_MS,
    Matter,
)
from warledger.engine.tournaments.eliminations import in_play
from warledger.engine.tournaments.matches import goes_on, matches
from warledger.engine.tournaments.systems import rounds_left, system_of
from warledger.engine.tournaments.tournamentposition import FURTHER, Person, Position, RoundState
from warledger.protocol.board.choices import Refusal

BYE = "bye"
_SETTLES_SIDES = frozenset(("bid", "wish", "offer", "accept", "choose"))
"""Acts by which an entrant settles who plays which side."""


@frozen
class Call:
    """A matter of an entrant who has entered with this account; `against` are the names of whom
    they meet, "" for nobody."""

    account: str
    seat: str
    matter: Matter
    against: str


def calls(hosted: Hosted, accounts: Container[str], now_ms: int) -> Iterator[Call]:
    """What there is to tell of a tournament to entrants with these accounts."""
    at = hosted.at
    if at.finished:
        return
    last = at.last if at.last is not None and at.last.published else None
    for person in at.entrants.values():
        if person.account not in accounts or not person.present:
            continue
        seat = f"e:{person.number}"
        if last is not None:
            yield from _of_round(hosted, last, person, seat, now_ms)
        if at.waits and person.number in at.missing:
            yield Call(person.account, seat, Matter("nonce", 0, LIVE_PATIENCE_MS), "")
        if _checks_in(at, person):
            matter = Matter("check_in", at.next_round, PATIENCE_MS)
            yield Call(person.account, seat, matter, "")


def _of_round(
    hosted: Hosted, last: RoundState, person: Person, seat: str, now_ms: int
) -> Iterator[Call]:
    is_new = now_ms - last.published_ms < EVENT_MS
    boards = [board for board in last.boards if person.number in board.entrants]
    if not boards and is_new and any(number == person.number for number, _ in last.byes):
        matter = Matter("round", last.number, LIVE_PATIENCE_MS, BYE)
        yield Call(person.account, seat, matter, "")
    if not boards:
        return
    others = dict.fromkeys(
        number for board in boards for number in board.entrants if number != person.number
    )
    against = ", ".join(hosted.at.entrants[number].name for number in others)[:128]
    if is_new:
        yield Call(person.account, seat, Matter("round", last.number, LIVE_PATIENCE_MS), against)
    if any(not board.seated and board.verdict is None for board in boards):
        offered = hosted.tournament.choices(seat)
        verbs = () if isinstance(offered, Refusal) else (option.id for option in offered.options)
        if not _SETTLES_SIDES.isdisjoint(verbs):
            matter = Matter("bids", last.number, LIVE_PATIENCE_MS)
            yield Call(person.account, seat, matter, against)


def _checks_in(at: Position, person: Person) -> bool:
    """Whether a check-in is what they are waited for: the round before is over."""
    if not at.charter.absence.check_in_minutes or at.next_round in person.checked:
        return False
    last = at.last
    if last is not None and not (last.published and last.over):
        return False
    if not at.stage_rounds:
        return True
    return rounds_left(at) != 0 and system_of(at) != FURTHER and not _is_out(at, person.number)


def _is_out(at: Position, number: int) -> bool:
    """Whether somebody has lost their last match, or did not come to this stage."""
    if number not in at.order:
        return at.stage > 0
    if at.rules.system == "double_elimination":
        return number not in in_play(at)
    if at.rules.system != "knockout" or at.rules.consolation:
        return False
    on = {goes_on(at, at.stage, match) for match in matches(at.stage_pairings[-1])}
    return number not in on and all(number != free for free, _ in at.stage_pairings[-1][0].byes)
