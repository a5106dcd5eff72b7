"""The records of a finished game without what follows from other records, and with what only proofs
need at the end: so that the page shows a game before most of its bytes are here.

A hash of the record before follows from that record, the digest of picks from the picks, and most
numbers from the record's own. The blinds of picks, the ids of commands and signatures follow from
nothing and look like noise: they are about half of a compressed file, and nothing that is seen
depends on them. They come last. Of a blind that was drawn as `acts.blind_and_id` does it, half
follows from the other half, and the command's id too.

    "WLEAN" 02 · hash of the last record (32) · length of the outline (4) · outline · noise

Since hashes are computed anew from what has come, no link between two records can be wrong: whether
bytes were changed on the way is seen by the last hash alone.

The outline is, for each record, the length of its part as LEB128, and the part: the record's bytes
in which the byte c1, which msgpack never begins a value with, is followed by what stands there:

    00            the byte c1 itself
    01 … 08       c4 20 and the hash of the record that many before
    09            c4 20 and the digest of this command's picks
    0a            cf and 8 bytes: the time of the record before, and so many ms as follow in LEB128
    0b … 0d       the record's number, less 0, 1 or 2
    0e            c4 20, a key that follows, and the number of its act, which follows in LEB128
    0f            c4 20, the key that was named as the n-th, and the number of its act: that of its
                  act before and d more; n and d follow, a byte each
    10, 20, 40    c4, the length and that many bytes (16, 32, 64) of the noise, the next in order
    11            c4 20 and a blind whose first 16 bytes are the next of the noise
    12            c4 10 and the id that follows from the blind of 11

Numbers are written as msgpack writes them. A number that takes one byte is never left out.
Unfolded, the bytes are those of the file, so that everything that is checked in it is checked in
them. It is no format of the protocol: `.wlog` is, and this may change with any release.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from warledger.protocol import canon
from warledger.protocol.acts import BLIND_BYTES, BLIND_SEED_BYTES, blind_and_id, picks_digest
from warledger.protocol.records import hash_of

SIGN: Final = b"WLEAN\x02"
HEADER: Final = len(SIGN) + 32 + 4
ESCAPE: Final = 0xC1
BACK_MOST: Final = 8
DIGEST: Final = 9
AT: Final = 10
NUMBERS: Final = (11, 12, 13)
KEY: Final = 14
KEY_AGAIN: Final = 15
NOISE: Final = (16, 32, 64)
BLIND: Final = 17
ID: Final = 18
_BIN: Final = b"\xc4"
_TIME: Final = b"\xcf"
_LITERAL: Final = bytes((ESCAPE, 0))
_ONE_BYTE_MOST: Final = 0x7F
"""The greatest number that msgpack writes in one byte."""
_KEYS_MOST: Final = 256
_MORE_MOST: Final = 255
_HASH_HEAD: Final = _BIN + b"\x20"
_COMMAND_FIELDS: Final = 12
_FIELDS_MOST: Final = 15
"""More would make the body's head longer than one byte."""


class NotLean(Exception):
    """Bytes that no `fold` has made."""


def fold(payloads: Sequence[bytes]) -> bytes:
    """The records of a game, from its first, in this form."""
    outline, noise = bytearray(), bytearray()
    hashes: list[bytes] = []
    keys = _Keys()
    last_at = 0
    for payload in payloads:
        record: Any = canon.unpack_trusted(payload)
        found = _holes(payload, record, hashes) + _time(payload, record, last_at)
        numbers = _numbers(record[0])
        part = bytearray()
        at = 0
        for start, length, mark in sorted(found):
            if start < at:
                continue
            told = b""
            if mark == KEY:
                mark, told = keys.told(*record[4][4][:2])
            elif mark == AT:
                told = _leb128(record[1] - last_at)
                last_at = record[1]
            part += _briefly(payload[at:start], numbers) + bytes((ESCAPE, mark)) + told
            at = start + length
            if mark in NOISE:
                noise += payload[start + 2 : at]
            elif mark == BLIND:
                noise += payload[start + 2 : start + 2 + BLIND_SEED_BYTES]
        part += _briefly(payload[at:], numbers)
        outline += _leb128(len(part)) + part
        hashes.append(hash_of(payload))
    head = SIGN + (hashes[-1] if hashes else bytes(32)) + len(outline).to_bytes(4, "big")
    return head + bytes(outline) + bytes(noise)


_Hole = tuple[int, int, int]
"""What is left out of a record: its offset, its length, and its mark."""


class _Keys:
    """The keys that acts were signed with, in the order in which they were named, and the number of
    the newest act of each."""

    def __init__(self) -> None:
        self._known: list[bytes] = []
        self._last: list[int] = []

    def told(self, key: bytes, n: int) -> tuple[int, bytes]:
        """The mark of a key and the number of its act, and what follows the mark."""
        if key in self._known:
            index = self._known.index(key)
            more = n - self._last[index]
            if 0 <= more <= _MORE_MOST:
                self._last[index] = n
                return KEY_AGAIN, bytes((index, more))
        self._note(key, n)
        return KEY, key + _leb128(n)

    def named(self, key: bytes, n: int) -> bytes:
        """What stands where a key is told by itself."""
        self._note(key, n)
        return _HASH_HEAD + key + canon.pack(n)

    def again(self, index: int, more: int) -> bytes:
        """What stands where a key is told by its place."""
        self._last[index] += more
        return _HASH_HEAD + self._known[index] + canon.pack(self._last[index])

    def _note(self, key: bytes, n: int) -> None:
        if key in self._known:
            self._last[self._known.index(key)] = n
        elif len(self._known) < _KEYS_MOST:
            self._known.append(key)
            self._last.append(n)


def _numbers(seq: int) -> dict[bytes, bytes]:
    """What stands for the byte c1 and for the numbers that are left out of a record."""
    numbers = {
        canon.pack(seq - less): bytes((ESCAPE, mark))
        for less, mark in enumerate(NUMBERS)
        if seq - less > _ONE_BYTE_MOST
    }
    return {**numbers, bytes((ESCAPE,)): _LITERAL}


def _briefly(data: bytes, numbers: Mapping[bytes, bytes]) -> bytes:
    """Bytes of a record in which every c1 is marked and the numbers are left out."""
    return re.sub(b"|".join(map(re.escape, numbers)), lambda one: numbers[one[0]], data)


def _time(payload: bytes, record: Any, last_at: int) -> list[_Hole]:
    start = 1 + len(canon.pack(record[0]))
    told = record[1]
    if not isinstance(told, int) or told < last_at:
        return []
    standing = _TIME + told.to_bytes(8, "big")
    if payload[start : start + len(standing)] != standing:
        return []
    return [(start, len(standing), AT)]


def _holes(payload: bytes, record: Any, hashes: Sequence[bytes]) -> list[_Hole]:
    """What is left out of a record, its time and numbers apart."""
    found: list[_Hole] = []

    def leave_out(start: int, value: bytes, mark: int) -> None:
        if payload[start : start + 2 + len(value)] == _BIN + bytes((len(value),)) + value:
            found.append((start, 2 + len(value), mark))

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
    drawn_id = b""
    if isinstance(blind, bytes) and len(blind) == BLIND_BYTES:
        drawn, drawn_id = blind_and_id(blind[:BLIND_SEED_BYTES])
        leave_out(after - 34, blind, BLIND if blind == drawn else 32)
        if blind != drawn:
            drawn_id = b""
        digest = picks_digest(hashes[0], seat, decision, id, blind, picks[0])
        if body[11] == digest:
            leave_out(len(payload) - 68, digest, DIGEST)
    if isinstance(id, bytes) and len(id) == 16:
        leave_out(after, id, ID if id == drawn_id else 16)
    after += len(canon.pack(id))
    if isinstance(by, tuple) and len(by) == 4:
        named = canon.pack(by[0]) + canon.pack(by[1])
        after += 1
        told = isinstance(by[0], bytes) and len(by[0]) == 32 and _is_number(by[1])
        if told and payload[after : after + len(named)] == named:
            found.append((after, len(named), KEY))
        after += len(named)
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
    keys = _Keys()
    last_at = 0
    while at < end:
        length, at = _read_leb128(data, at)
        part, stop = bytearray(), at + length
        digest, drawn_id = -1, b""
        numbers = {mark: len(payloads) - less for less, mark in enumerate(NUMBERS)}
        while at < stop:
            found = data.find(ESCAPE, at, stop)
            part += data[at : stop if found < 0 else found]
            if found < 0:
                break
            mark, at = data[found + 1], found + 2
            if mark == 0:
                part.append(ESCAPE)
            elif mark <= BACK_MOST:
                part += _HASH_HEAD + hashes[-mark]
            elif mark == DIGEST:
                digest = len(part) + 2
                part += _HASH_HEAD + bytes(32)
            elif mark == AT:
                more, at = _read_leb128(data, at)
                last_at += more
                part += _TIME + last_at.to_bytes(8, "big")
            elif mark in numbers:
                part += canon.pack(numbers[mark])
            elif mark == KEY:
                key = data[at : at + 32]
                n, at = _read_leb128(data, at + 32)
                part += keys.named(key, n)
            elif mark == KEY_AGAIN:
                part += keys.again(data[at], data[at + 1])
                at += 2
            elif mark == BLIND:
                blind, drawn_id = blind_and_id(data[noise : noise + BLIND_SEED_BYTES])
                part += _HASH_HEAD + blind
                noise += BLIND_SEED_BYTES
            elif mark == ID:
                part += _BIN + bytes((len(drawn_id),)) + drawn_id
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


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 0


def _read_leb128(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def _leb128(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


__all__ = ["HEADER", "NotLean", "SIGN", "fold", "unfold"]
