"""The records of a finished game without what follows from other records, and with what only proofs
need at the end: so that the page shows a game before most of its bytes are here.

A hash of the record before follows from that record, the digest of picks from the picks. The blinds
of picks, the ids of commands and signatures follow from nothing and look like noise: they are about
half of a compressed file, and nothing that is seen depends on them. They come last.

    "WLEAN" 01 · hash of the last record (32) · length of the outline (4) · outline · noise

Since hashes are computed anew from what has come, no link between two records can be wrong: whether
bytes were changed on the way is seen by the last hash alone.

The outline is, for each record, the length of its part as LEB128, and the part: the record's bytes
in which the byte c1, which msgpack never begins a value with, is followed by what stands there:

    00            the byte c1 itself
    01 … 08       c4 20 and the hash of the record that many before
    09            c4 20 and the digest of this command's picks
    10, 20, 40    c4, the length and that many bytes (16, 32, 64) of the noise, the next in order

Unfolded, the bytes are those of the file, so that everything that is checked in it is checked in
them. It is no format of the protocol: `.wlog` is, and this may change with any release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from warledger.protocol import canon
from warledger.protocol.acts import picks_digest
from warledger.protocol.records import hash_of

SIGN: Final = b"WLEAN\x01"
HEADER: Final = len(SIGN) + 32 + 4
ESCAPE: Final = 0xC1
BACK_MOST: Final = 8
DIGEST: Final = 9
NOISE: Final = (16, 32, 64)
_BIN: Final = b"\xc4"
_LITERAL: Final = bytes((ESCAPE, 0))
_COMMAND_FIELDS: Final = 12
_FIELDS_MOST: Final = 15
"""More would make the body's head longer than one byte."""


class NotLean(Exception):
    """Bytes that no `fold` has made."""


def fold(payloads: Sequence[bytes]) -> bytes:
    """The records of a game, from its first, in this form."""
    outline, noise = bytearray(), bytearray()
    hashes: list[bytes] = []
    for payload in payloads:
        part = bytearray()
        at = 0
        for start, length, mark in sorted(_holes(payload, hashes)):
            if start < at:
                continue
            part += payload[at:start].replace(bytes((ESCAPE,)), _LITERAL)
            part += bytes((ESCAPE, mark))
            at = start + 2 + length
            if mark in NOISE:
                noise += payload[start + 2 : at]
        part += payload[at:].replace(bytes((ESCAPE,)), _LITERAL)
        outline += _leb128(len(part)) + part
        hashes.append(hash_of(payload))
    head = SIGN + (hashes[-1] if hashes else bytes(32)) + len(outline).to_bytes(4, "big")
    return head + bytes(outline) + bytes(noise)


def _holes(payload: bytes, hashes: Sequence[bytes]) -> list[tuple[int, int, int]]:
    """Where something is left out of a record: the offset of its c4, its length, and its mark."""
    record: Any = canon.unpack_trusted(payload)
    found: list[tuple[int, int, int]] = []

    def leave_out(start: int, value: bytes, mark: int) -> None:
        if payload[start : start + 2 + len(value)] == _BIN + bytes((len(value),)) + value:
            found.append((start, len(value), mark))

    def hash_at(start: int, value: Any) -> None:
        for back in range(1, min(BACK_MOST, len(hashes)) + 1):
            if hashes[-back] == value:
                return leave_out(start, value, back)
        return None

    hash_at(len(payload) - 34, record[5])
    body = record[4]
    if record[3] != "command" or len(body) != _COMMAND_FIELDS or not hashes:
        return found
    decision, seat, picks, id, by = body[:5]
    at = 1 + sum(len(canon.pack(value)) for value in record[:4]) + 1
    at += len(canon.pack(decision)) + len(canon.pack(seat))
    after = at + len(canon.pack(picks))
    blind = picks[1] if isinstance(picks, tuple) and len(picks) == 2 else b""
    if isinstance(blind, bytes) and len(blind) == 32:
        leave_out(after - 34, blind, 32)
        digest = picks_digest(hashes[0], seat, decision, id, blind, picks[0])
        if body[11] == digest:
            leave_out(len(payload) - 68, digest, DIGEST)
    if isinstance(id, bytes) and len(id) == 16:
        leave_out(after, id, 16)
    after += len(canon.pack(id))
    if isinstance(by, tuple) and len(by) == 4:
        after += 1 + len(canon.pack(by[0])) + len(canon.pack(by[1]))
        hash_at(after, by[2])
        after += len(canon.pack(by[2]))
        if isinstance(by[3], bytes) and len(by[3]) == 64:
            leave_out(after, by[3], 64)
    return found


def unfold(data: bytes) -> list[bytes]:
    """The records that `fold` was given. Raises NotLean."""
    try:
        return _unfold(data)
    except (IndexError, ValueError, TypeError) as error:
        raise NotLean(str(error)) from error


def _unfold(data: bytes) -> list[bytes]:
    if not data.startswith(SIGN):
        raise ValueError("sign")
    at = HEADER
    noise = end = HEADER + int.from_bytes(data[HEADER - 4 : HEADER], "big")
    payloads: list[bytes] = []
    hashes: list[bytes] = []
    while at < end:
        length = shift = 0
        while True:
            byte = data[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        part, stop = bytearray(), at + length
        digest = -1
        while at < stop:
            found = data.find(ESCAPE, at, stop)
            part += data[at : stop if found < 0 else found]
            if found < 0:
                break
            mark, at = data[found + 1], found + 2
            if mark == 0:
                part.append(ESCAPE)
            elif mark <= BACK_MOST:
                part += _BIN + b"\x20" + hashes[-mark]
            elif mark == DIGEST:
                digest = len(part) + 2
                part += _BIN + b"\x20" + bytes(32)
            elif mark in NOISE:
                part += _BIN + bytes((mark,)) + data[noise : noise + mark]
                noise += mark
            else:
                raise ValueError(f"mark {mark}")
        at = stop
        if digest >= 0:
            decision, seat, (picks, blind), id = canon.unpack_trusted(bytes(part))[4][:4]
            part[digest : digest + 32] = picks_digest(hashes[0], seat, decision, id, blind, picks)
        payloads.append(bytes(part))
        hashes.append(hash_of(payloads[-1]))
    if noise != len(data):
        raise ValueError("length")
    if (hashes[-1] if hashes else bytes(32)) != data[len(SIGN) : HEADER - 4]:
        raise ValueError("hash")
    return payloads


def _leb128(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


__all__ = ["HEADER", "NotLean", "SIGN", "fold", "unfold"]
