"""The game file (`.wlog`): one game's frames in one file, for the server, an arbiter and an auditor
alike.

Rules of this file:
- Pure and sans-IO: bytes in, values out; no trio, files or clock. The server's store and an outside
  auditor read with this code.
- Payloads are opaque here. What a record means is `warledger.protocol.log.records`; how records
  chain is `warledger.protocol.log.chain`.
- Every byte is checked: the header byte for byte, each frame by its CRC-32 (of length, kind and
  payload), and an export by the SHA-256 in its last frame.

Layout (integers big-endian)::

    file    = magic frame*
    magic   = 89 57 4C 4F 47 0D 0A format(u8 = 3) "\\x89WLOG\\r\\n" shows up text-mode copying
            at once
    frame   = length(u32) kind(u8) crc(u32) payload         length counts the payload alone
    crc     = CRC-32 (zlib) of length, kind and payload, in that order
    END     = kind 9, last frame of an exported file: count(u32) sha256(32)
              count = frames before it, sha256 = of every byte before it, magic included

A file that is still being written may end in the middle of a frame: this is a *torn* tail, reported
as an offset. A bad frame followed by a sound one is *damage*, and so is a missing END frame where a
sealed file is required.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterable, Iterator
from typing import Final
from zlib import crc32

from attrs import frozen

from warledger.protocol.limits import PAYLOAD_BYTES_MAX

FORMAT: Final = 3
"""The format of the log in a file, which the header names."""
_SIGN: Final = b"\x89WLOG\r\n"
MAGIC: Final = _SIGN + bytes([FORMAT])
"""The header of a file. Every format's header is as long."""

FRAME_RECORD: Final = 1
"""A public record: the canonical bytes that the chain hashes."""
FRAME_OPENINGS: Final = 2
"""Private openings of the record frame before it."""
FRAME_HEAD: Final = 3
"""A signed head."""
FRAME_SECRETS: Final = 4
"""The server's secrets of this game; never leaves the server while the game lives."""
FRAME_META: Final = 5
"""The runtime's bookkeeping (tokens and the like); it is not audited."""
FRAME_WITNESS: Final = 6
"""A seat's signature over the last record of an ended game: it has verified the whole game."""
FRAME_END: Final = 9
"""The seal of an exported file: nothing may follow it."""

KIND_NAMES: Final = {
    FRAME_RECORD: "record",
    FRAME_OPENINGS: "openings",
    FRAME_HEAD: "head",
    FRAME_SECRETS: "secrets",
    FRAME_META: "meta",
    FRAME_WITNESS: "witness",
    FRAME_END: "end",
}
_STORED_KINDS: Final = frozenset(KIND_NAMES) - {FRAME_END}


_HEAD: Final = struct.Struct(">IB")
_FRAME: Final = struct.Struct(">IBI")
_END: Final = struct.Struct(">I32s")
FRAME_HEAD_BYTES: Final = _FRAME.size
_BEGINNING: Final = re.compile(
    rb"(?:\x00...|\x01\x00{3})[%b]" % re.escape(bytes(KIND_NAMES)), re.DOTALL
)
"""How a frame can begin: a length up to PAYLOAD_BYTES_MAX and a kind. One search finds such
beginnings in a file of millions of bytes."""

# How many bytes a search for a sound frame after a bad one may checksum, so that a hostile file
# cannot cost hours. A frame that is only looked at counts too: it costs as much as a few hundred
# bytes.
_SEARCH_BYTES_MAX: Final = 64 * 1024 * 1024
_LOOK_BYTES: Final = 256


@frozen
class Frame:
    """One frame of a game file: its kind (a `FRAME_…` number) and its payload, opaque bytes."""

    kind: int
    payload: bytes


@frozen
class WlogFile:
    """A parsed file: its frames (the END frame left out), whether it is sealed, and where a torn
    tail begins, if it has one."""

    frames: tuple[Frame, ...]
    sealed: bool
    torn_at: int | None

    @property
    def records(self) -> list[bytes]:
        """The public records' bytes, in order."""
        return [frame.payload for frame in self.frames if frame.kind == FRAME_RECORD]


@frozen
class BadStretch:
    """Bytes from `offset` up to `end` that belong to no sound frame; `what` is wrong with the frame
    that should begin there."""

    offset: int
    end: int
    what: str


@frozen
class Survey:
    """The sound frames of a damaged file with their offsets, and the damaged parts between them.

    `header` says whether the file's first bytes are right; `behind_end` is where bytes behind the
    end frame begin, None without any.
    """

    frames: tuple[tuple[int, Frame], ...]
    bad: tuple[BadStretch, ...]
    header: bool
    sealed: bool
    behind_end: int | None


class CorruptFile(ValueError):
    """The bytes are not a sound game file. `offset` is where (a byte count from the file's start),
    `what` says what is wrong."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(f"at byte {offset}: {what}")
        self.offset = offset
        self.what = what


class OtherFormat(CorruptFile):
    """A file of another format, which this release does not read. That says nothing against it."""

    def __init__(self, format: int) -> None:
        what = f"the file has format {format}, and this release reads format {FORMAT} only"
        super().__init__(len(_SIGN), what)
        self.args = (what,)
        self.format = format


class TornTail(CorruptFile):
    """The file ends in an unfinished frame at `offset`, with nothing sound behind it."""


def encode_frame(kind: int, payload: bytes) -> bytes:
    """The bytes of one frame. Raises ValueError for a kind that a file may not hold, or a payload
    over PAYLOAD_BYTES_MAX."""
    if kind not in _STORED_KINDS:
        raise ValueError(f"frame kind {kind} is not one a game file may hold")
    length = len(payload)
    if length > PAYLOAD_BYTES_MAX:
        raise ValueError(f"a frame's payload has {length} bytes; {PAYLOAD_BYTES_MAX} is the most")
    # As `_frame_bytes`, written out: a command has two or three frames.
    return _FRAME.pack(length, kind, crc32(payload, crc32(_HEAD.pack(length, kind)))) + payload


def encode(frames: Iterable[Frame], *, sealed: bool) -> bytes:
    """A whole file of these frames. `sealed` ends it with the END frame, as every file that leaves
    the server must."""
    parts = [MAGIC]
    parts.extend(encode_frame(frame.kind, frame.payload) for frame in frames)
    body = b"".join(parts)
    if not sealed:
        return body
    return body + _frame_bytes(FRAME_END, _END.pack(len(parts) - 1, hashlib.sha256(body).digest()))


def parse(data: bytes, *, sealed: bool = False) -> WlogFile:
    """Read a whole file.

    With `sealed` the file must end with its END frame and hold nothing behind it: any byte changed,
    removed or inserted raises CorruptFile. Without, a torn tail is reported in `torn_at`; a seal
    that is there is still checked. The first frame is a record: what stands beside records stands
    behind one.
    """
    frames: list[Frame] = []
    torn_at: int | None = None
    is_sealed = False
    try:
        check_magic(data)
        for offset, kind, payload in walk(data, len(MAGIC)):
            if is_sealed:
                raise CorruptFile(offset, "there are bytes behind the end frame")
            if kind == FRAME_END:
                _check_end(data, offset, payload, len(frames))
                is_sealed = True
            elif not frames and kind != FRAME_RECORD:
                raise CorruptFile(offset, "a frame stands before the first record")
            else:
                frames.append(Frame(kind, payload))
    except TornTail as torn:
        if sealed or is_sealed:
            raise
        torn_at = torn.offset
    if sealed and not is_sealed:
        raise CorruptFile(
            len(data),
            "the end frame is missing: the file was cut short, or is not a complete export",
        )
    return WlogFile(tuple(frames), is_sealed, torn_at)


def survey(data: bytes) -> Survey:
    """Read as much of a damaged file as is sound: behind each bad frame the next sound one is
    searched for. Raises nothing.

    What the end frame says is not checked (`parse` does); it is left out of the frames.
    """
    frames: list[tuple[int, Frame]] = []
    bad: list[BadStretch] = []
    header = data.startswith(MAGIC)
    at: int | None = len(MAGIC)
    budget = _SEARCH_BYTES_MAX
    if not header:
        at, budget = _next_sound(data, 0, budget)
    is_sealed = False
    while at is not None and at < len(data) and not is_sealed:
        what = _fault(data, at)
        if what is not None:
            begin = at
            at, budget = _next_sound(data, begin + 1, budget)
            bad.append(BadStretch(begin, len(data) if at is None else at, what))
            continue
        length, kind, _ = _FRAME.unpack_from(data, at)
        body = at + FRAME_HEAD_BYTES
        is_sealed = kind == FRAME_END
        if not is_sealed:
            frames.append((at, Frame(kind, data[body : body + length])))
        at = body + length
    behind_end = at if is_sealed and at is not None and at < len(data) else None
    return Survey(tuple(frames), tuple(bad), header, is_sealed, behind_end)


def check_magic(data: bytes) -> None:
    """Raise CorruptFile unless the data begins with this format's header: OtherFormat if it names
    another one, TornTail if it is cut short."""
    if data.startswith(MAGIC):
        return
    if len(data) < len(MAGIC) and MAGIC.startswith(data):
        raise TornTail(0, "the file ends inside its header")
    if data.startswith(_SIGN):
        raise OtherFormat(data[len(_SIGN)])
    raise CorruptFile(0, "this is not a game file: its first bytes are not those of a .wlog")


def walk(data: bytes, start: int, place: int = 0) -> Iterator[tuple[int, int, bytes]]:
    """Yield (offset, kind, payload) of each frame from `start` to the data's end, checking each.

    `place` is added to reported offsets: where in its file `data` begins. Raises CorruptFile, or
    TornTail if the last frame is unfinished or unsound and nothing sound follows.
    """
    at, end = start, len(data)
    while at < end:
        what = _fault(data, at)
        if what is not None:
            kind_of_error = CorruptFile if _sound_frame_behind(data, at) else TornTail
            raise kind_of_error(place + at, what)
        length, kind, _ = _FRAME.unpack_from(data, at)
        body = at + FRAME_HEAD_BYTES
        yield place + at, kind, data[body : body + length]
        at = body + length


def _frame_bytes(kind: int, payload: bytes) -> bytes:
    length = len(payload)
    return _FRAME.pack(length, kind, crc32(payload, crc32(_HEAD.pack(length, kind)))) + payload


def _fault(data: bytes, at: int) -> str | None:
    """What is wrong with the frame at `at`; None if it is sound."""
    if at + FRAME_HEAD_BYTES > len(data):
        return "the file ends inside a frame's head"
    length, kind, crc = _FRAME.unpack_from(data, at)
    if length > PAYLOAD_BYTES_MAX:
        return f"a frame claims {length} bytes; {PAYLOAD_BYTES_MAX} is the most"
    body = at + FRAME_HEAD_BYTES
    if body + length > len(data):
        return f"a frame of {length} bytes runs past the end of the file"
    if crc32(memoryview(data)[body : body + length], crc32(data[at : at + _HEAD.size])) != crc:
        return "a frame's check sum does not match its bytes"
    if kind not in KIND_NAMES:
        return f"frame kind {kind} is unknown"
    return None


def _sound_frame_behind(data: bytes, bad: int) -> bool:
    """Whether any sound frame begins after `bad`: then the bad one is damage, not an unfinished
    write."""
    found, budget = _next_sound(data, bad + 1, _SEARCH_BYTES_MAX)
    return found is not None or budget < 0  # no real torn tail is this expensive to search


def _next_sound(data: bytes, start: int, budget: int) -> tuple[int | None, int]:
    """Where the first sound frame from `start` on begins, and what is left of the budget: below 0
    the search was given up."""
    end = len(data)
    found = _BEGINNING.search(data, start)
    while found is not None and budget >= 0:
        at = found.start()
        length = int.from_bytes(found[0][:4], "big")
        budget -= _LOOK_BYTES
        if at + FRAME_HEAD_BYTES + length <= end:
            if _fault(data, at) is None:
                return at, budget
            budget -= length
        found = _BEGINNING.search(data, at + 1)
    return None, budget


def _check_end(data: bytes, offset: int, payload: bytes, count: int) -> None:
    if len(payload) != _END.size:
        raise CorruptFile(offset, f"the end frame has {len(payload)} bytes instead of {_END.size}")
    claimed, digest = _END.unpack(payload)
    if claimed != count:
        raise CorruptFile(offset, f"the end frame counts {claimed} frames, the file holds {count}")
    if hashlib.sha256(data[:offset]).digest() != digest:
        raise CorruptFile(offset, "the end frame's SHA-256 does not match the bytes before it")
