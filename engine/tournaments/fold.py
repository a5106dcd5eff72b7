"""What each event of a ledger changes.

An event that cannot follow raises BadEvent: it names nobody, or no board. What it may mean is the
door's to say; here it is carried out.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import evolve as replace

from warledger.engine.tournaments.amending import LATE, amended
from warledger.engine.tournaments.charter import Named
from warledger.engine.tournaments.tournamentposition import (
    BYES,
    ELIMINATOR,
    FURTHER,
    Bid,
    Board,
    Claim,
    Haggle,
    Person,
    Position,
    Proof,
    RoundState,
    Verdict,
)
from warledger.protocol.board.choices import Picks
from warledger.protocol.log.records import is_person


class BadEvent(ValueError):
    """An event that cannot follow: it names nobody, or no board."""


def after(at: Position, event: tuple[Any, ...], seq: int, at_ms: int) -> Position:
    """The position after an event of record `seq`. Raises BadEvent if it cannot follow."""
    try:
        changed = _FOLDS[event[0]](at, seq, at_ms, *event[1:])
    except ValueError as error:
        raise BadEvent(f"the event {event[0]!r} cannot follow: {error}") from error
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        what = "it names an entrant, a round or a board that is not there"
        raise BadEvent(f"the event {event[0]!r} cannot follow: {what}") from error
    moved = at.moved if event[0] in _STAYS else seq
    if event[0] in _ASKED:
        changed = replace(changed, asked=())
    return replace(changed, seq=seq, at_ms=at_ms, moved=moved)


_STAYS = frozenset(
    {
        *("announced", "claimed", "ruled", "bid", "opened", "nonce", "checked"),
        *("committed", "rostered", "waited"),
        *("called", "offered", "challenged", "volunteered", "appealed", "voted", "decided"),
        *("panelled", "judged", "adjudicated"),
    }
)
"""What does not make stale what a director has prepared. A check-in changes who is there, but a
thousand of them in a second must not keep a round from being paired: `paired` names its inputs."""

_ASKED = frozenset(("ordered", "paired", "sides", "called", "advanced", "finished"))
"""What the act that asked for the first lot changes: after one of them it is not owed any more."""


def _person(at: Position, number: int, **changes: Any) -> Position:
    person = replace(at.entrants[number], **changes)
    return replace(at, entrants={**at.entrants, number: person})


def _round(at: Position, number: int, **changes: Any) -> Position:
    if not 0 < number <= len(at.rounds):
        raise BadEvent(f"there is no round {number}")
    one = replace(at.rounds[number - 1], **changes)
    return replace(at, rounds=(*at.rounds[: number - 1], one, *at.rounds[number:]))


def _board(at: Position, round: int, number: int, **changes: Any) -> Position:
    boards = at.rounds[round - 1].boards if 0 < round <= len(at.rounds) else ()
    if not 0 < number <= len(boards):
        raise BadEvent(f"round {round} has no board {number}")
    one = replace(boards[number - 1], **changes)
    return _round(at, round, boards=(*boards[: number - 1], one, *boards[number:]))


def _entered(
    at: Position,
    seq: int,
    _: int,
    number: int,
    account: str,
    name: str,
    rating: int,
    groups: tuple[str, ...],
    nonce_hash: bytes,
) -> Position:
    if number != len(at.entrants) + 1:
        raise BadEvent(f"the next entrant is number {len(at.entrants) + 1}")
    person = Person(number, name, account, rating, groups, nonce_hash, since=at.next_round)
    # Who comes once the starting order stands is last in it.
    orders = at.orders
    if at.order:
        orders = (*orders[: at.stage], (*at.order, number))
    return replace(at, entrants={**at.entrants, number: person}, orders=orders)


def _checked(at: Position, seq: int, _: int, number: int, round: int) -> Position:
    return _person(at, number, checked=at.entrants[number].checked | {round})


def _committed(at: Position, seq: int, _: int, number: int, nonce_hash: bytes) -> Position:
    if at.roster is not None:
        raise BadEvent("who shows a nonce is settled")
    return _person(at, number, nonce_hash=nonce_hash)


def _rostered(
    at: Position, seq: int, at_ms: int, numbers: tuple[int, ...], asked: Picks
) -> Position:
    if at.roster is not None:
        raise BadEvent("there is a roster already")
    if not set(numbers) <= at.entrants.keys():
        raise BadEvent("the roster names somebody who has not entered")
    return replace(at, roster=numbers, rostered_ms=at_ms, asked=asked)


def _nonce(at: Position, seq: int, _: int, number: int, nonce: bytes) -> Position:
    if not at.waits or number not in at.missing:
        raise BadEvent(f"the nonce of entrant {number} is not waited for")
    return _person(at, number, nonce=nonce)


def _waited(at: Position, seq: int, _: int, missing: tuple[int, ...]) -> Position:
    if not at.waits or missing != at.missing:
        raise BadEvent("nothing is waited for, or others are missing")
    return replace(at, waited=True)


def _withdrew(at: Position, seq: int, _: int, number: int) -> Position:
    return _person(at, number, present=False)


def _returned(at: Position, seq: int, _: int, number: int) -> Position:
    back = _person(at, number, present=True)
    if at.order and number not in at.order and at.stage == 0 and at.rules.system in LATE:
        # Who was away when the starting order was settled is last in it, as who enters late is.
        return replace(back, orders=((*at.order, number),))
    return back


def _absent(at: Position, seq: int, _: int, number: int, round: int, bye: str) -> Position:
    if bye not in BYES:
        raise BadEvent(f"there is no bye {bye!r}")
    return _person(at, number, away={**at.entrants[number].away, round: bye})


def _ordered(
    at: Position, seq: int, _: int, stage: int, by: str, numbers: tuple[int, ...]
) -> Position:
    if stage != at.stage or len(set(numbers)) != len(numbers):
        raise BadEvent("the order is of another stage, or names somebody twice")
    if not set(numbers) <= at.entrants.keys():
        raise BadEvent("the order names somebody who has not entered")
    return replace(at, orders=(*at.orders[: at.stage], numbers))


def _granted(at: Position, seq: int, _: int, role: str, account: str, name: str) -> Position:
    if not is_person((account, name)):
        raise BadEvent("a role is given to an id and a name")
    return replace(at, roles={**_without(at, role, account), (role, account): name})


def _grant_ended(at: Position, seq: int, _: int, role: str, account: str, name: str) -> Position:
    return replace(at, roles=_without(at, role, account))


def _without(at: Position, role: str, account: str) -> dict[tuple[str, str], str]:
    return {held: name for held, name in at.roles.items() if held != (role, account)}


def _paired(
    at: Position,
    seq: int,
    _: int,
    round: int,
    stage: int,
    system: str,
    inputs: bytes,
    boards: tuple[tuple[tuple[int, ...], bool], ...],
    byes: tuple[tuple[int, str], ...],
) -> Position:
    last = at.last
    if round == len(at.rounds) and last is not None and not last.published:
        at = replace(at, rounds=at.rounds[:-1])
    if round != at.next_round or stage != at.stage:
        raise BadEvent(f"the next round is {at.next_round} of stage {at.stage + 1}")
    sitting = [number for numbers, _ in boards for number in numbers]
    for number, kind in byes:
        if kind == ELIMINATOR:
            # They sit twice; the last of these boards is the one that counts for the other alone.
            sitting.remove(number)
    named = [*sitting, *(number for number, kind in byes if kind != ELIMINATOR)]
    if len(set(named)) != len(named) or not set(named) <= at.entrants.keys():
        raise BadEvent("somebody is paired twice, or has not entered")
    if not all(kind in (*BYES, ELIMINATOR) for _, kind in byes):
        raise BadEvent("a bye is of an unknown kind")
    made = tuple(
        Board(number, numbers, seated) for number, (numbers, seated) in enumerate(boards, start=1)
    )
    one = RoundState(
        round, stage, made, byes, by_hand=system == "hand", further=system == FURTHER, seq=seq
    )
    return replace(at, rounds=(*at.rounds, one))


def _unpaired(at: Position, seq: int, _: int, round: int, reason: str) -> Position:
    last = at.last
    if last is None or last.number != round or last.published:
        raise BadEvent(f"round {round} is not paired, or published already")
    return replace(at, rounds=at.rounds[:-1])


def _published(at: Position, seq: int, at_ms: int, round: int) -> Position:
    if at.rounds[round - 1].published:
        raise BadEvent(f"round {round} is published already")
    return _round(at, round, published_ms=at_ms)


def _bid(at: Position, seq: int, _: int, number: int, round: int, board: int) -> Position:
    one = at.rounds[round - 1]
    if one.has_bid(number, board):
        raise BadEvent(f"entrant {number} has bid already")
    if number not in one.boards[board - 1].entrants:
        raise BadEvent(f"entrant {number} does not sit at board {board}")
    return _round(at, round, bids=(*one.bids, Bid(number, board, seq)))


def _called(
    at: Position, seq: int, at_ms: int, round: int, board: int, seat: int, speaks: int
) -> Position:
    one = at.rounds[round - 1].boards[board - 1]
    if one.auction is not None or speaks not in one.entrants:
        raise BadEvent(f"board {board} has an auction already, or {speaks} does not sit there")
    return _board(at, round, board, auction=Haggle(seat, speaks, since_ms=at_ms))


def _offered(
    at: Position, seq: int, at_ms: int, number: int, round: int, board: int, half: int
) -> Position:
    one = at.rounds[round - 1].boards[board - 1]
    auction = one.auction
    if auction is None or auction.speaks != number or half <= auction.half:
        raise BadEvent(f"it is not entrant {number}'s word, or the amount does not rise")
    other = next(sitting for sitting in one.entrants if sitting != number)
    heard = replace(auction, speaks=other, half=half, holder=number, since_ms=at_ms)
    return _board(at, round, board, auction=heard)


def _challenged(at: Position, seq: int, _: int, number: int, whom: int, round: int) -> Position:
    if not {number, whom} <= at.entrants.keys() or number == whom:
        raise BadEvent("a challenge names two entrants")
    return replace(at, challenges=(*at.challenges, (round, number, whom)))


def _volunteered(at: Position, seq: int, _: int, number: int, round: int) -> Position:
    if number not in at.entrants:
        raise BadEvent(f"there is no entrant {number}")
    return replace(at, volunteers=at.volunteers | {(round, number)})


def _sides(
    at: Position,
    seq: int,
    _: int,
    round: int,
    board: int,
    numbers: tuple[int, ...],
    seat: int,
    half_units: int,
) -> Position:
    if sorted(numbers) != sorted(at.rounds[round - 1].boards[board - 1].entrants):
        raise BadEvent("the sides name others than those who sit at the board")
    return _board(at, round, board, entrants=numbers, seated=True, handicap=(seat, half_units))


def _opened(
    at: Position, seq: int, _: int, round: int, board: int, game: str, genesis: bytes
) -> Position:
    if at.rounds[round - 1].boards[board - 1].game:
        raise BadEvent(f"board {board} of round {round} has a game already")
    return _board(at, round, board, game=game, genesis=genesis)


def _reported(
    at: Position,
    seq: int,
    _: int,
    round: int,
    board: int,
    last: int,
    hash: bytes,
    signature: bytes,
    by: str,
) -> Position:
    if at.rounds[round - 1].boards[board - 1].proof is not None:
        raise BadEvent(f"board {board} of round {round} has been reported already")
    return _board(at, round, board, proof=Proof(last, hash, signature, by))


def _result(
    at: Position,
    seq: int,
    _: int,
    round: int,
    board: int,
    manner: str,
    results: tuple[str, ...],
    margins: tuple[int, ...],
    reason: str,
) -> Position:
    one = at.rounds[round - 1].boards[board - 1]
    if not len(results) == len(margins) == len(one.entrants):
        raise BadEvent("a result is one for each seat")
    earlier = one.earlier if one.verdict is None else (*one.earlier, one.verdict)
    verdict = Verdict(manner, results, margins, reason, seq)
    return _board(at, round, board, verdict=verdict, earlier=earlier)


def _advanced(at: Position, seq: int, _: int, stage: int, numbers: tuple[int, ...]) -> Position:
    if stage != at.stage + 1 or not set(numbers) <= at.entrants.keys():
        raise BadEvent(f"the next stage is {at.stage + 2}")
    if stage >= len(at.charter.stages):
        raise BadEvent("there is no further stage")
    return replace(at, stage=stage, orders=(*at.orders[:stage], numbers))


def _announced(at: Position, seq: int, _: int, text: str) -> Position:
    return at


def _claimed(at: Position, seq: int, _: int, claim: int, who: str, text: str) -> Position:
    if claim != len(at.claims) + 1:
        raise BadEvent(f"the next claim is {len(at.claims) + 1}")
    return replace(at, claims=(*at.claims, Claim(claim, who, text)))


def _ruled(at: Position, seq: int, at_ms: int, claim: int, finding: str, text: str) -> Position:
    return _claim(at, claim, finding=finding, ruling=text, ruled_ms=at_ms)


def ruled_by(at: Position, event: tuple[Any, ...], account: str) -> Position:
    """The position in which it is known by whose account an event was brought about: of a ruling,
    since nobody votes on the appeal against their own."""
    return _claim(at, event[1], ruled_by=account) if event[0] == "ruled" else at


def _appealed(at: Position, seq: int, _: int, claim: int, who: str, text: str) -> Position:
    if at.claims[claim - 1].appellant:
        raise BadEvent(f"claim {claim} is under appeal already")
    return _claim(at, claim, appellant=who)


def _voted(
    at: Position, seq: int, _: int, claim: int, account: str, name: str, finding: str, text: str
) -> Position:
    votes = at.claims[claim - 1].votes
    if any(account == one for one, _ in votes):
        raise BadEvent(f"{name} has voted already")
    return _claim(at, claim, votes=(*votes, (account, finding)))


def _decided(at: Position, seq: int, _: int, claim: int, finding: str) -> Position:
    return _claim(at, claim, finding=finding, decided=True)


def _claim(at: Position, number: int, **changes: Any) -> Position:
    one = replace(at.claims[number - 1], **changes)
    return replace(at, claims=(*at.claims[: number - 1], one, *at.claims[number:]))


def _panelled(
    at: Position, seq: int, _: int, round: int, board: int, people: tuple[Named, ...]
) -> Position:
    if not all(map(is_person, people)):
        raise BadEvent("a panel has an id and a name of each of its members")
    return _board(at, round, board, panel=people, judged=())


def _judged(
    at: Position, seq: int, _: int, account: str, name: str, round: int, board: int
) -> Position:
    one = at.rounds[round - 1].boards[board - 1]
    if (account, name) not in one.panel or any(account == id for id, _ in one.judged):
        raise BadEvent(f"{name} is not of the panel, or has judged already")
    return _board(at, round, board, judged=(*one.judged, (account, seq)))


def _adjudicated(
    at: Position, seq: int, _: int, round: int, board: int, percentages: tuple[int, ...]
) -> Position:
    return at  # the percentages are opened; the `result` beside it is what counts


def _amended(
    at: Position, seq: int, _: int, key: str, value: bool | int | str, reason: str
) -> Position:
    return replace(at, charter=amended(at.charter, key, value))


def _finished(at: Position, seq: int, _: int, numbers: tuple[int, ...]) -> Position:
    return replace(at, finished=True, places=numbers)


_FOLDS: Final[Mapping[str, Callable[..., Position]]] = {
    "entered": _entered,
    "checked": _checked,
    "committed": _committed,
    "rostered": _rostered,
    "nonce": _nonce,
    "waited": _waited,
    "withdrew": _withdrew,
    "returned": _returned,
    "absent": _absent,
    "ordered": _ordered,
    "granted": _granted,
    "grant_ended": _grant_ended,
    "paired": _paired,
    "unpaired": _unpaired,
    "published": _published,
    "bid": _bid,
    "called": _called,
    "offered": _offered,
    "challenged": _challenged,
    "volunteered": _volunteered,
    "sides": _sides,
    "opened": _opened,
    "reported": _reported,
    "result": _result,
    "advanced": _advanced,
    "announced": _announced,
    "claimed": _claimed,
    "ruled": _ruled,
    "appealed": _appealed,
    "voted": _voted,
    "decided": _decided,
    "panelled": _panelled,
    "judged": _judged,
    "adjudicated": _adjudicated,
    "amended": _amended,
    "finished": _finished,
}
