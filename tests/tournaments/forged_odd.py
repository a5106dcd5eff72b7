"""Ledgers over which auditors once disagreed, or which ended one in a traceback
(`python -m tests.audit.odd` finds such), for the vectors: each is as a stranger with the server's
key would write it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tests.audit.odd.follows import (
    OpenedPath,
    OpenedSalt,
    OpenedSeq,
    OpenedValue,
    Packed,
    Sealed,
    head,
    witness,
)
from tests.audit.odd.log import KIND, OPENINGS, SECRETS, Frame, Log, made
from tests.audit.odd.taken_apart import taken_apart
from tests.tournaments.desk import KEY

PICKS, DRAWS, EVENTS, EFFECTS = 1, 4, 5, 6
Change = Callable[[Log], None]


def odd(data: bytes, change: Change) -> bytes:
    """A ledger's file with something changed."""
    log = taken_apart(data, KEY.encode())
    change(log)
    return made(log)


def _act(log: Log, tag: str) -> tuple[Frame, Any]:
    """The first act with an event, and that event."""
    return next(
        (frame, event)
        for frame in log.records()
        if frame.tree[KIND] == "act"
        for event in frame.body[EVENTS]
        if event[0] == tag
    )


def field(tag: str, place: int, value: Any) -> Change:
    """A field of an event is another."""

    def change(log: Log) -> None:
        _act(log, tag)[1][place] = value

    return change


def settings(**more: Any) -> Change:
    """The charter has other settings."""

    def change(log: Log) -> None:
        body = log.frames[0].body
        body[4] = dict(sorted({**body[4], **more}.items()))

    return change


def secrets(**other: bytes) -> Change:
    """The server's secrets stand in the file, some of them others."""

    def change(log: Log) -> None:
        told = {"root": log.root, "hidden": log.hidden, "salts": log.salts, **other}
        log.frames.insert(1, Frame(SECRETS, [*told.values(), log.length]))

    return change


def witnessed(log: Log) -> None:
    """A seat signs a ledger's last record."""
    log.frames.append(witness("a", log.key("a"), log.last))


def privately(reader: str) -> Change:
    """The first bid is opened to somebody beside it."""

    def change(log: Log) -> None:
        frame, _ = _act(log, "bid")
        sealed = frame.body[PICKS]
        told = [part(sealed) for part in (OpenedSeq, OpenedPath, OpenedSalt, OpenedValue)]
        place = log.frames.index(frame) + 1
        log.frames.insert(place, Frame(OPENINGS, [[*told, [reader]]]))

    return change


def no_picks(log: Log) -> None:
    """A seal hides a number where picks should be."""
    frame, _ = _act(log, "bid")
    assert isinstance(frame.body[PICKS], Sealed)
    frame.body[PICKS].inner = 5


def head_beyond(log: Log) -> None:
    """A head of a record that is not there."""
    body = log.frames[0].body
    more = head(body[1], body[8], log.last)
    more.tree[1] = len(log.records()) + 3
    log.frames.append(more)


def no_effects(log: Log) -> None:
    """The effects of an act are no list of effects."""
    _act(log, "paired")[0].body[EFFECTS] = Packed([5])


def lot_of(sides: int) -> Change:
    """A lot of so many."""

    def change(log: Log) -> None:
        frame = next(one for one in log.records() if one.tree[KIND] == "act" and one.body[DRAWS])
        frame.body[DRAWS][0][2] = sides

    return change


def flipped(data: bytes) -> bytes:
    """A bit of a record is another."""
    return data[:4000] + bytes([data[4000] ^ 1]) + data[4001:]


WHOLE: Final[dict[str, Change]] = {
    "the server's secrets in a ledger": secrets(),
    "secrets with another salt key, in a ledger": secrets(salts=bytes(32)),
    "a witness in a ledger": witnessed,
    "a bid that is opened privately to whoever made it": privately("e:1"),
    "a bid that is opened privately to somebody else": privately("e:2"),
    "what is opened are no picks": no_picks,
    "a margin that is a text": field("result", 5, ["3", "-3"]),
    "a result of a board that is an array": field("result", 2, [1]),
    "an event of which nobody knows": field("published", 0, "printed"),
    "effects that are none": no_effects,
    "a lot of more than 2^32": lot_of(2**32 + 1),
    "servers that are no keys": settings(servers=["x" * 64]),
    "no lots in the settings": settings(lots=5),
    "a head beyond the last record of a ledger": head_beyond,
}
"""What is odd about a whole tournament."""

__all__ = ["WHOLE", "flipped", "odd"]
