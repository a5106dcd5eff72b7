"""The write-ahead log's bytes: segments, batches and entries. Sans-IO; what is done with files is
`datadir` and `wal`.

Rules of this file:
- One batch is one group commit: it counts whole or not at all.
- Batches are numbered through, across segments, so that a missing one shows.
- A bad batch with a sound later one behind it is damage: each batch is synced before the next is
  written, so an interrupted write can only be the last. A bad batch with nothing sound behind it is
  a torn tail.

Layout (integers big-endian)::

    segment = "\\x89WWAL\\r\\n" version(u8) segment(u64) first_batch(u64) mark(8) crc(u32)   batch*
                                                                                             zero*
    batch   = mark(8) number(u64) length(u32) crc(u32) entry* crc: CRC-32 of number, length and
            entries
    entry   = name_length(u8) name offset(u64) length(u32) bytes the bytes and where in the game's
            file they belong

- What an unsound batch still tells is read by `salvage_segment`, which judges nothing: names and
  places of entries are in it, and each entry's frames have checksums of their own.

The `mark` is random for each segment. It is what a search for later batches looks for. No player
can have put a likeness of a batch into a game's bytes without knowing it. Segments are laid out
with zeros ahead of use (a sync then need not write the file's length as well). Zeros to the end are
unused space, not a tear.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final
from zlib import crc32

from attrs import frozen

VERSION: Final = 1
_MAGIC: Final = b"\x89WWAL\r\n"
_SEGMENT: Final = struct.Struct(">7sBQQ8s")
_BATCH: Final = struct.Struct(">8sQII")
_ENTRY: Final = struct.Struct(">QI")
MARK_BYTES: Final = 8
SEGMENT_HEAD_BYTES: Final = _SEGMENT.size + 4
BATCH_HEAD_BYTES: Final = _BATCH.size
BATCH_BYTES_MAX: Final = 64 * 1024 * 1024


class BadSegment(ValueError):
    """A segment that cannot be read. `offset` is where, `what` says what is wrong."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(f"at byte {offset}: {what}")
        self.offset = offset
        self.what = what


@frozen
class Entry:
    """Bytes of one game's file and the offset at which they belong there."""

    game: str
    offset: int
    data: bytes


@frozen
class Segment:
    """A parsed segment: its number, its first batch's number, its batches' entries, where they end,
    and whether a tear follows."""

    number: int
    first_batch: int
    batches: tuple[tuple[Entry, ...], ...]
    end: int
    torn: bool

    @property
    def next_batch(self) -> int:
        return self.first_batch + len(self.batches)


@frozen
class Hole:
    """Where batches `first` up to, but not including, `next` should stand and none is sound: bytes
    `offset` to `end` of the segment.

    If the two are one, none is missing: a head was spoiled that could be made out. `entries` are
    those that can still be told apart in there, in order; `whole` says that they account for every
    byte of it.
    """

    offset: int
    end: int
    first: int
    next: int
    what: str
    entries: tuple[Entry, ...] = ()
    whole: bool = False


@frozen
class Salvaged:
    """A segment read past its damage: `pieces` are batches and holes in order. See `Segment` for
    the rest."""

    number: int
    first_batch: int
    pieces: tuple[tuple[Entry, ...] | Hole, ...]
    next_batch: int
    end: int
    torn: bool


def segment_head(number: int, first_batch: int, mark: bytes) -> bytes:
    """The first bytes of a segment."""
    head = _SEGMENT.pack(_MAGIC, VERSION, number, first_batch, mark)
    return head + crc32(head).to_bytes(4, "big")


def entry_bytes(game: str, offset: int, data: bytes) -> bytes:
    """One entry; the caller joins a batch's entries."""
    name = game.encode("ascii")
    return b"%c%b%b%b" % (len(name), name, _ENTRY.pack(offset, len(data)), data)


def batch_bytes(mark: bytes, number: int, entries: Iterable[bytes]) -> bytes:
    """One batch of encoded entries. Raises ValueError if it is longer than BATCH_BYTES_MAX."""
    body = b"".join(entries)
    if len(body) > BATCH_BYTES_MAX:
        raise ValueError(f"a batch of {len(body)} bytes; {BATCH_BYTES_MAX} is the most")
    return _BATCH.pack(mark, number, len(body), _crc(number, body)) + body


def parse_segment(data: bytes) -> Segment:
    """Read a segment. Raises BadSegment if it is damaged; the result says whether it ends in a torn
    tail."""
    number, first_batch, mark = _parse_head(data)
    batches: list[tuple[Entry, ...]] = []
    at = SEGMENT_HEAD_BYTES
    torn = False
    while at < len(data):
        expected = first_batch + len(batches)
        what, length = _fault(data, at, mark, expected)
        if what is None:
            batches.append(_entries(data, at + BATCH_HEAD_BYTES, at + BATCH_HEAD_BYTES + length))
            at += BATCH_HEAD_BYTES + length
            continue
        behind = _sound_batch_behind(data, at, mark, expected)
        if behind is not None:
            later = behind[1]
            raise BadSegment(
                at, f"batch {expected} is unsound ({what}), yet batch {later} behind it is sound"
            )
        torn = data.count(0, at) != len(data) - at
        break
    return Segment(number, first_batch, tuple(batches), at, torn)


def salvage_segment(data: bytes, number: int) -> Salvaged:
    """Read what is sound in the segment with this number, and report what is not. Raises BadSegment
    if nothing in it can be found."""
    first_batch, mark, what = _salvage_head(data)
    pieces: list[tuple[Entry, ...] | Hole] = (
        [Hole(0, SEGMENT_HEAD_BYTES, first_batch, first_batch, what)] if what else []
    )
    at, expected, torn = SEGMENT_HEAD_BYTES, first_batch, False
    while at < len(data):
        fault, length = _fault(data, at, mark, expected)
        if fault is None:
            pieces.append(_entries(data, at + BATCH_HEAD_BYTES, at + BATCH_HEAD_BYTES + length))
            at, expected = at + BATCH_HEAD_BYTES + length, expected + 1
            continue
        behind = _sound_batch_behind(data, at, mark, expected)
        if behind is None:
            torn = data.count(0, at) != len(data) - at
            break
        end, later = behind
        pieces += _inside(data, at, end, mark, expected, later, fault)
        at, expected = end, later
    return Salvaged(number, first_batch, tuple(pieces), expected, at, torn)


def _salvage_head(data: bytes) -> tuple[int, bytes, str]:
    try:
        _, first_batch, mark = _parse_head(data)
        return first_batch, mark, ""
    except BadSegment as error:
        if error.offset:  # a sound head of another format
            raise
        # Each batch begins with the mark. If the segment's head is spoiled, a sound first batch
        # shows the mark, and its own number.
        at = SEGMENT_HEAD_BYTES
        mark = data[at : at + MARK_BYTES]
        if _fault(data, at, mark, None)[0] is not None:
            raise
        return int.from_bytes(data[at + MARK_BYTES : at + MARK_BYTES + 8], "big"), mark, error.what


def salvage_tail(data: bytes, segment: Salvaged, later: int) -> list[tuple[Entry, ...] | Hole]:
    """What follows a segment's sound batches, if the next segment continues with batch `later` and
    something is missing."""
    _, mark, _ = _salvage_head(data)
    at = segment.end
    body = at + BATCH_HEAD_BYTES
    body_end = body + int.from_bytes(data[body - 8 : body - 4], "big")
    end = (
        body_end
        if body_end <= len(data) and data.count(0, body_end) == len(data) - body_end
        else len(data)
    )
    what = _fault(data, at, mark, segment.next_batch)[0] or "it is missing"
    return _inside(data, at, end, mark, segment.next_batch, later, what)


def _inside(
    data: bytes, at: int, end: int, mark: bytes, first: int, later: int, what: str
) -> list[tuple[Entry, ...] | Hole]:
    """What lies between two sound batches: batches of which only the head is spoiled, and holes."""
    pieces: list[tuple[Entry, ...] | Hole] = []
    while first < later:
        body_end = end if first == later - 1 else _body_end(data, at, end, mark)
        body = at + BATCH_HEAD_BYTES
        if body_end is None or body_end < body:
            pieces.append(Hole(at, end, first, later, what))
            return pieces
        stored, computed = (
            int.from_bytes(data[body - 4 : body], "big"),
            _crc(first, data[body:body_end]),
        )
        if any((stored ^ computed) & ~(0xFF << shift) == 0 for shift in (0, 8, 16, 24)):
            # With the head corrected the checksum fits the bytes: it was the head that was spoiled,
            # or a byte of the checksum itself.
            pieces.append(Hole(at, body, first, first, what))
            pieces.append(_entries(data, body, body_end))
        else:
            entries, whole = _entries_still_read(data, body, body_end)
            pieces.append(Hole(at, body_end, first, first + 1, what, entries, whole))
        at, first = body_end, first + 1
    return pieces


def _body_end(data: bytes, at: int, end: int, mark: bytes) -> int | None:
    """Where a batch that is followed by others ends, if its length leads to the next one."""
    body = at + BATCH_HEAD_BYTES
    if body > end:
        return None
    body_end = body + int.from_bytes(data[body - 8 : body - 4], "big")
    return body_end if body_end <= end and data[body_end : body_end + MARK_BYTES] == mark else None


def _entries_still_read(data: bytes, at: int, end: int) -> tuple[tuple[Entry, ...], bool]:
    entries: list[Entry] = []
    while at < end:
        name_end = at + 1 + data[at]
        body = name_end + _ENTRY.size
        if body > end:
            return tuple(entries), False
        offset, length = _ENTRY.unpack_from(data, name_end)
        # If the length itself is spoiled, it yields bytes whose frames are not sound.
        entries.append(
            Entry(
                data[at + 1 : name_end].decode("ascii", "replace"),
                offset,
                data[body : min(body + length, end)],
            )
        )
        if body + length > end:
            return tuple(entries), False
        at = body + length
    return tuple(entries), True


def _parse_head(data: bytes) -> tuple[int, int, bytes]:
    if len(data) < SEGMENT_HEAD_BYTES:
        raise BadSegment(0, "the segment is shorter than its head")
    magic, version, number, first_batch, mark = _SEGMENT.unpack_from(data)
    if magic != _MAGIC:
        raise BadSegment(0, "this is not a segment of the write-ahead log")
    if crc32(data[: _SEGMENT.size]) != int.from_bytes(
        data[_SEGMENT.size : SEGMENT_HEAD_BYTES], "big"
    ):
        raise BadSegment(0, "the segment's head does not match its check sum")
    if version != VERSION:
        raise BadSegment(
            7, f"the segment's format is {version}; this program reads format {VERSION}"
        )
    return number, first_batch, mark


def _crc(number: int, body: bytes | memoryview) -> int:
    return crc32(body, crc32(struct.pack(">QI", number, len(body))))


def _fault(data: bytes, at: int, mark: bytes, expected: int | None) -> tuple[str | None, int]:
    """What is wrong with the batch at `at` (None if sound) and its length; `expected` None takes
    any number."""
    if at + BATCH_HEAD_BYTES > len(data):
        return "the file ends inside the batch's head", 0
    found_mark, number, length, crc = _BATCH.unpack_from(data, at)
    if found_mark != mark:
        return "no batch begins here", 0
    if expected is not None and number != expected:
        return f"it is numbered {number}", 0
    body = at + BATCH_HEAD_BYTES
    if length > BATCH_BYTES_MAX or body + length > len(data):
        return f"its {length} bytes run past the end of the file", 0
    if _crc(number, memoryview(data)[body : body + length]) != crc:
        return "its check sum does not match its bytes", 0
    return None, length


def _sound_batch_behind(
    data: bytes, bad: int, mark: bytes, expected: int
) -> tuple[int, int] | None:
    """Where the next sound batch stands, and its number."""
    at = data.find(mark, bad)
    while at != -1:
        what, _ = _fault(data, at, mark, None)
        if what is None:
            number = int.from_bytes(data[at + MARK_BYTES : at + MARK_BYTES + 8], "big")
            if number >= expected:
                return at, number
        at = data.find(mark, at + 1)
    return None


def _entries(data: bytes, at: int, end: int) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    while at < end:
        name_end = at + 1 + data[at]
        body = name_end + _ENTRY.size
        if body > end:
            raise BadSegment(at, "an entry runs past the end of its batch")
        offset, length = _ENTRY.unpack_from(data, name_end)
        if body + length > end:
            raise BadSegment(at, "an entry runs past the end of its batch")
        entries.append(
            Entry(
                data[at + 1 : name_end].decode("ascii", "replace"),
                offset,
                data[body : body + length],
            )
        )
        at = body + length
    return tuple(entries)
