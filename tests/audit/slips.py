"""One short file with every kind of frame, and what an audit says of it with any one byte changed,
lost or put in, or cut anywhere.

Every test that asks about a slip or a cut of this file shares one audit of it: each is made once,
when it is first asked for.
"""

from collections.abc import Iterator
from functools import cache

import pytest
from attrs import frozen

from tests.toys import PACKS, TOYS
from tests.verdicts import findings_of, is_clean
from warledger.clients.audit.audit import audit
from warledger.clients.audit.report import Report
from warledger.clients.audit.verdict import Finding
from warledger.engine.testing.randomgames import Played, begin
from warledger.protocol import canon
from warledger.protocol.log import wlog
from warledger.protocol.log.wlog import FRAME_HEAD_BYTES, Frame

SLIPS = ("flipped", "lost", "put in")
STEPS = pytest.mark.parametrize("step", [29, pytest.param(1, marks=pytest.mark.long)])
"""How far apart the bytes that are tried stand: each of them takes an audit of the whole file."""


@cache
def played() -> Played:
    """A whole short game with a roll, a hidden word shown later, and a draw from the cup."""
    made = begin(TOYS["counting"], PACKS["counting"], options={"turns": 2}, seed=1)
    for seat, picks in (
        ("a", ("roll",)),
        ("b", ("hide", "caterpillar")),
        ("a", ("draw",)),
        ("b", ("show",)),
    ):
        made.submit(seat, *picks)
    assert made.position.outcome is not None
    return made


@frozen
class Placed:
    """One frame of the file: where it begins and ends, and the record that it belongs to (None for
    the end mark)."""

    begin: int
    end: int
    kind: int
    payload: bytes
    seq: int | None


@cache
def data() -> bytes:
    """The game's file with the secrets left in and a head behind record 5 as well: every kind of
    frame."""
    frames: list[Frame] = []
    count = 0
    for frame in played().frames():
        if frame.kind == wlog.FRAME_RECORD:
            count += 1
        if frame.kind == wlog.FRAME_RECORD and count == 7:
            frames.append(Frame(wlog.FRAME_HEAD, played().head_payload(5)))
        frames.append(frame)
    last = played().records[-1]
    frames.append(Frame(wlog.FRAME_WITNESS, witness("a", last.seq, last.hash)))
    made = wlog.encode(frames, sealed=True)
    assert is_clean(audit(made)[0])
    return made


def witness(seat: str, seq: int, hash: bytes) -> bytes:
    """A seat's signature over the last record."""
    hand = played().hands[seat]
    return canon.pack((seat, hand.public, seq, hash, hand.witness(seq, hash)))


@cache
def frames() -> tuple[Placed, ...]:
    """The frames of the file."""
    out = []
    seq = -1
    for begin_at, kind, payload in wlog.walk(data(), len(wlog.MAGIC)):
        belongs: int | None = seq
        if kind == wlog.FRAME_RECORD:
            seq = belongs = seq + 1
        elif kind == wlog.FRAME_HEAD:
            belongs = canon.unpack(payload)[1]
        elif kind == wlog.FRAME_END:
            belongs = None
        out.append(
            Placed(begin_at, begin_at + FRAME_HEAD_BYTES + len(payload), kind, payload, belongs)
        )
    return tuple(out)


def tried(frame: Placed, step: int) -> Iterator[int]:
    """The bytes of a frame that are tried: all of its head, and those of its payload in steps."""
    inside = frame.begin + FRAME_HEAD_BYTES
    yield from range(frame.begin, inside)
    yield from range(inside, frame.end, step)


def slipped(at: int, slip: str) -> bytes:
    """The file with the byte at a place flipped, lost, or another put in before it."""
    whole = data()
    if slip == "flipped":
        return whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :]
    if slip == "lost":
        return whole[:at] + whole[at + 1 :]
    assert slip == "put in"
    return whole[:at] + bytes([(at * 37 + 11) % 256]) + whole[at:]


@frozen
class Told:
    """What an audit says of a slip: whether the file is sound, and what it finds first."""

    sound: bool
    first: Finding | None


@cache
def of_slip(at: int, slip: str) -> Told:
    """The audit of a slip."""
    report = audit(slipped(at, slip))[0]
    return Told(is_clean(report), findings_of(report)[0] if findings_of(report) else None)


@cache
def of_cut(at: int) -> Report:
    """The audit of the file's first bytes."""
    return audit(data()[:at])[0]
