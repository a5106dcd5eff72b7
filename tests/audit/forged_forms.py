"""Games for the vectors in which a value has another type or length than its place allows, or than
a reader in a hurry looks at. Each is wrong in one way only."""

from collections.abc import Callable
from typing import Any, Final

from tests.audit.attacked import start, whole
from tests.audit.attacked_desk import ANN, Log, heard, table
from tests.audit.forged_games import sealed_anew
from tests.audit.tamper import file_of, forged, put
from warledger.engine.testing.randomgames import Played
from warledger.protocol import canon
from warledger.protocol.log import records, wlog
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts

Made = Callable[[], bytes]
HIDDEN_DRAW: Final = (17, (records.DRAWS, 0, 3))
HIDDEN_PICKS: Final = (9, (records.PICKS,))
ORDERS: Final = (11, (1,))
"""Seals of `whole`."""


def _same(value: Any) -> Any:
    return value


def _nil(place: tuple[int, tuple[int, ...]]) -> bytes:
    """What a seal hides is nil."""
    return sealed_anew(*place, lambda _: None, _same)


def _true_pick() -> bytes:
    """Among sealed picks, signed as they are, there is one that is neither text nor a number."""

    def digest(played: Played, opened: Any) -> bytes:
        picks, blind = opened
        decision, seat, _, id, *_ = played.records[HIDDEN_PICKS[0]].body
        return acts.picks_digest(played.ledger.genesis.hash, seat, decision, id, blind, picks)

    return sealed_anew(*HIDDEN_PICKS, lambda old: ((*old[0], True), old[1]), _same, digest)


def _told(record: Record, change: Callable[[tuple[Any, ...]], Any]) -> tuple[Any, ...]:
    """The body of a command with other effects."""
    told = change(canon.unpack(record.body[records.EFFECTS]))
    body: tuple[Any, ...] = put(record.body, (records.EFFECTS,), canon.pack(tuple(told)))
    return body


def _behind(
    played: Played, made: list[Record], seat: str, kind: str, body: tuple[Any, ...]
) -> bytes:
    """Behind these records another of a seat."""
    last = made[-1]
    more = records.make(last.seq + 1, last.at_ms, seat, kind, body, last.hash)
    return file_of([*made, more], key=played.key)


def _asked_twice() -> bytes:
    """After a command a seat is asked the same question twice."""
    played = start()
    played.submit("a", "add", 1)
    last = played.records[-1]
    (asked,) = last.body[records.AWAITS]
    return forged(played, last.seq, (records.AWAITS,), (asked, asked))


def _bytes_for_a_path() -> bytes:
    """The path of a private opening is bytes."""
    played = whole()
    frames = list(wlog.parse(played.file()).frames)
    seq, path = HIDDEN_PICKS
    record = next(
        n
        for n, frame in enumerate(frames)
        if frame.kind == wlog.FRAME_RECORD and records.read(frame.payload).seq == seq
    )
    opened = next(one for one in played.openings[seq] if one.path == path)
    told = ((seq, bytes(path), opened.salt, opened.value, opened.readers),)
    payload = canon.pack(told)
    others = [frame for frame in frames if frame.kind != wlog.FRAME_OPENINGS]
    at = others.index(frames[record]) + 1
    beside = wlog.Frame(wlog.FRAME_OPENINGS, payload)
    return wlog.encode((*others[:at], beside, *others[at:]), sealed=True)


def _desk(log: Log) -> bytes:
    return file_of(log.records, key=whole().key)


def _mapped_finding() -> Log:
    """A ruling whose finding is a map."""
    return heard().put(ANN, "ruling", "ruled", 1, {}, "9.2", "So.", (("stand",),))


def _endless_night() -> Log:
    """A seat chooses a night of a whole day."""
    return Log(table()).act("a", "clock", "night", "a", 0, 24 * 60)


FORGED: Final[dict[str, Made]] = {
    "a hidden draw that is opened to nil": lambda: _nil(HIDDEN_DRAW),
    "sealed picks that are opened to nil": lambda: _nil(HIDDEN_PICKS),
    "standing answers that are opened to nil": lambda: _nil(ORDERS),
    "sealed picks that are neither texts nor numbers": _true_pick,
    "a seat that is asked the same twice": _asked_twice,
    "a private opening whose path is bytes": _bytes_for_a_path,
    "a ruling whose finding is a map": lambda: _desk(_mapped_finding()),
    "a night of a whole day": lambda: _desk(_endless_night()),
}
"""Files with one thing wrong."""

__all__ = ["FORGED"]
