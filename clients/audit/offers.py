"""What each seat was offered at a record of a game file, and how picks that were not on offer would
have been answered: the door is asked at the position of then, as a server asked it."""

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import frozen

from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.redecide import Titles
from warledger.engine.kernel import door, replay
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.types import Rules
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say
from warledger.protocol.canon import Seal
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import CorruptLog


class Unknowable(ValueError):
    """What seats were offered cannot be found from this file; the message says why."""


@frozen
class Asked:
    """The answer to a seat after record `after` about `picks`: the question and what could follow,
    or a refusal.

    decision  the record that put the question; 0 with a refusal
    """

    after: int
    seat: str
    picks: Picks
    decision: int
    prompt: Say | None
    answer: Choices | Refusal


def offered(
    found: Evidence, titles: Titles, at: int, wanted: Iterable[tuple[str, Picks]] = ()
) -> tuple[Asked, ...]:
    """What every seat was offered before record `at`, if one is before it, and after it. If the
    record is a command, also what its seat was offered with each of its picks. `wanted` are picks
    about which the door is asked before the record.

    Raises Unknowable if the title is not installed, the file hides what the position needs, or its
    records do not fold.
    """
    genesis = found.genesis
    assert genesis is not None
    try:
        rules = titles(genesis.title)
    except KeyError:
        raise Unknowable(f"the title {genesis.title} is not installed here") from None
    record = found.records[at]
    before = _position(found, rules, max(0, at - 1))
    told = [_asked(rules, before, seat, ()) for seat in genesis.seats] if at else []
    if record.kind == records.COMMAND:
        seat, picks = chosen(found, at)
        told += [_asked(rules, before, seat, picks[:n]) for n in range(1, len(picks) + 1)]
    told += [_asked(rules, before, seat, picks) for seat, picks in wanted]
    after = _position(found, rules, at)
    return (*told, *[_asked(rules, after, seat, ()) for seat in genesis.seats])


def _position(found: Evidence, rules: Rules[Any], to: int) -> Position[Any]:
    openings: dict[int, list[Opening]] = {}
    for opening in found.openings.values():
        openings.setdefault(opening.seq, []).append(opening)
    try:
        return replay.fold(rules, found.records[: to + 1], openings).position
    except CorruptLog as error:
        raise Unknowable(f"record {error.seq} does not fold: {error.what}") from error
    except Exception as error:  # the rules meet what no ledger wrote, or what the file hides
        raise Unknowable(f"{type(error).__name__}: {error}") from error


def chosen(found: Evidence, at: int) -> tuple[str, Picks]:
    """Whose command a record is, and its picks; none where they are hidden. The record must be a
    command."""
    body = bodies.CommandBody.read(found.records[at].body)
    picks: Any = body.picks
    if type(picks) is Seal:
        opening = found.openings.get((at, (records.PICKS,)))
        picks = () if opening is None else opening.value
    if body.digest is not None and picks:
        picks = picks[0]
    return body.seat, _plain_picks(picks)


def _plain_picks(picks: Sequence[Any]) -> Picks:
    return tuple(pick for pick in picks if type(pick) in (str, int))


def _asked(rules: Rules[Any], at: Position[Any], seat: str, picks: Picks) -> Asked:
    try:
        answer = door.choices(rules, at, seat, picks)
        question = None if isinstance(answer, Refusal) else door.pending(rules, at, seat)
    except Exception as error:  # what the file hides, the rules may need
        raise Unknowable(f"{type(error).__name__}: {error}") from error
    if question is None:
        return Asked(at.seq, seat, picks, 0, None, answer)
    return Asked(at.seq, seat, picks, question.id, question.prompt, answer)
