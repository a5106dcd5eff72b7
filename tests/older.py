"""Files and stored games of another format, made by hand of those of today: the number in their
first record and in their header is another, and they hold together all the same."""

import hashlib
import struct
from collections.abc import Iterable
from zlib import crc32

from warledger.protocol.log import records, wlog
from warledger.protocol.log.wlog import FRAME_END, FRAME_RECORD, Frame

OLDER = 2
"""A format that was, and is not read any more."""


def older_frames(frames: Iterable[Frame], format: int = OLDER) -> list[Frame]:
    """The same frames with another number in the first record, and hashed anew."""
    out, previous = [], records.NO_HASH
    for frame in frames:
        if frame.kind == FRAME_RECORD:
            one = records.read(frame.payload, kinds=(*records.KINDS, "charter", "act"))
            body = one.body if one.seq else (format, *one.body[1:])
            made = records.make(one.seq, one.at_ms, one.actor, one.kind, body, previous)
            previous, frame = made.hash, Frame(FRAME_RECORD, made.data)
        out.append(frame)
    return out


def with_header(data: bytes, format: int) -> bytes:
    """The same sealed file with another number in its header."""
    at = len(data) - 9 - 36
    body = data[: len(wlog.MAGIC) - 1] + bytes([format]) + data[len(wlog.MAGIC) : at]
    end = data[at + 9 : at + 13] + hashlib.sha256(body).digest()
    head = struct.pack(">IB", len(end), FRAME_END)
    return body + head + crc32(end, crc32(head)).to_bytes(4, "big") + end


def older(data: bytes, format: int = OLDER) -> bytes:
    """A sealed file as one of another format."""
    frames = older_frames(wlog.parse(data).frames, format)
    return with_header(wlog.encode(frames, sealed=True), format)
