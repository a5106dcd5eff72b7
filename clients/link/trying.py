"""A ruling that is tried: what it would write, as a server tells it."""

from typing import Any

from attrs import frozen

from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record
from warledger.protocol.wire.rulingmessages import RulingIs


@frozen
class Standing:
    """How a game would stand by its score: who would win (None: nobody), and each seat's score, in
    `points`ths of a point."""

    winner: str | None
    points: int
    reached: tuple[tuple[str, int], ...]


@frozen
class WouldRule:
    """What would follow the newest record `seq`, and how the game would then stand; None where the
    title keeps no score."""

    seq: int
    records: tuple[Record, ...]
    stands: Standing | None


def would_rule(told: RulingIs) -> WouldRule:
    """Read what a server tells. Raises ValueError, TypeError or LookupError for anything else."""
    found: list[Record] = []
    for actor, kind, body in told.records:
        record = records.make(told.seq + 1 + len(found), 0, actor, kind, body, bytes(32))
        bodies.read(record)
        found.append(record)
    return WouldRule(told.seq, tuple(found), _standing(told.stands))


def _standing(told: Any) -> Standing | None:
    if told is None:
        return None
    winner, _unit, points, reached = told
    scores = tuple([(str(seat), int(n)) for seat, n in reached])
    if not (winner is None or type(winner) is str) or type(points) is not int or points < 1:
        raise ValueError("a standing is [winner, unit, points, scores]")
    return Standing(winner, points, scores)
