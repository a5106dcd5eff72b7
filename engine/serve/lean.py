"""The records of a finished game without what follows from other records, and with what only proofs
need at the end: so that the page shows a game before most of its bytes are here.

A hash of the record before follows from that record, the digest of picks from the picks, and most
numbers from the record's own. The blinds of picks, the ids of commands and signatures follow from
nothing and look like noise: they are about half of a compressed file, and nothing that is seen
depends on them. They come last. Of a blind that was drawn as `acts.blind_and_id` does it, half
follows from the other half, and the command's id too. What a game had sealed is opened at its end:
so the seals follow from what the last records open, and the salts of that from the salt key.

    "WLEAN" 03 · hash of the last record (32) · length of the outline (4) · outline · noise

Since hashes are computed anew from what has come, no link between two records can be wrong: whether
bytes were changed on the way is seen by the last hash alone.

A record tells much of what it holds several times: in the picks, as an event, in the effects and in
a sentence. So the outline is written value by value. Numbers and the heads of arrays and maps stand
in it as msgpack writes them; of the other bytes with which a value can begin:

    a0 … bf       with the byte behind it: the text that was the n-th to be told
    d9            the next of the texts
    c1            an array as before in this record: the n-th that ended there; n follows
    c5, c6, c7    bytes that are a packed value, which follows; their length takes 1, 2 or 4 bytes
    d8            other bytes: their length, and they themselves
    d6            a seal (32)
    ca, cb, d4    the record's number, less 0, 1 or 2
    c4            what follows from something else, or stands in the noise, as the next byte says:
      01 … 08       the hash of the record that many before
      09            the digest of this command's picks
      0e            a key that follows, and the number of its act, which follows
      0f            the key that was named as the n-th, and the number of its act: that of its
                    act before and d more; n and d follow, a byte each
      10, 20, 40    that many bytes (16, 32, 64) of the noise, the next in order
      11            a blind whose first 16 bytes are the next of the noise
      12            the id that follows from the blind of 11
      13            the salt of an opening
      14            a seal that the last records open

Lengths and numbers that follow are LEB128. An array counts as one that ended if it takes three
bytes or more and nothing in it stands behind c4. A record is 01 and its actor, kind, body and link;
or, if it is not as other records are, 00, its length and its bytes.

Before the records stand, each behind its length, two lists: by how many ms each record written like
that is younger than the one before it; and the texts of d9, each behind its length. Among their own
kind both take fewer bytes when they are compressed.

Unfolded, the bytes are those of the file, so that everything that is checked in it is checked in
them. It is no format of the protocol: `.wlog` is, and this may change with any release.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import frozen

from warledger.protocol import canon
from warledger.protocol.acts import BLIND_BYTES, BLIND_SEED_BYTES, blind_and_id, picks_digest
from warledger.protocol.records import hash_of
from warledger.protocol.seal import BadOpening, Opening, salt_of, seal

SIGN: Final = b"WLEAN\x03"
HEADER: Final = len(SIGN) + 32 + 4
PLAIN: Final = 0
WRITTEN: Final = 1
AGAIN: Final = 0xC1
HOLE: Final = 0xC4
PACKED: Final = (0xC5, 0xC6, 0xC7)
BYTES: Final = 0xD8
SEAL: Final = 0xD6
NUMBERS: Final = (0xCA, 0xCB, 0xD4)
TEXT: Final = 0xD9
TEXT_AGAIN: Final = 0xA0
BACK_MOST: Final = 8
DIGEST: Final = 9
KEY: Final = 14
KEY_AGAIN: Final = 15
NOISE: Final = (16, 32, 64)
BLIND: Final = 17
ID: Final = 18
SALT: Final = 19
SEALED: Final = 20
TEXTS_MOST: Final = 32 * 256
"""So many texts can be told by their number."""
_ONE_BYTE_MOST: Final = 0x7F
"""The greatest number that msgpack writes in one byte."""
_AGAIN_LEAST: Final = 3
_KEYS_MOST: Final = 256
_MORE_MOST: Final = 255
_COMMAND_FIELDS: Final = 12
_FIELDS: Final = 6
_EFFECTS: Final = 7
_END_SALTS: Final = 5
_SIGNED: Final = 4
"""What is told of who acted: key, number, head and signature."""


def fold(payloads: Sequence[bytes]) -> bytes:
    """The records of a game, from its first, in this form."""
    records: list[Any] = []
    last_at = 0
    for seq, payload in enumerate(payloads):
        record = _regular(payload, seq)
        if record is not None:
            # Times are told by the one before, and none is less than that.
            last_at, record = max(last_at, record[1]), record if record[1] >= last_at else None
        records.append(record)
    openings = _openings(records)
    folding = _Folding([digest for one in openings.values() for digest in one])
    hashes: list[bytes] = []
    for seq, (payload, record) in enumerate(zip(payloads, records, strict=True)):
        if record is None:
            folding.plain(payload)
        else:
            folding.record(_left(record, hashes, seq in openings))
        hashes.append(hash_of(payload))
    outline = folding.outline()
    head = SIGN + (hashes[-1] if hashes else bytes(32)) + len(outline).to_bytes(4, "big")
    return head + outline + bytes(folding.noise)


def _regular(payload: bytes, seq: int) -> Any:
    """A record as an array, if it can be written value by value; else None."""
    try:
        record = canon.unpack_trusted(payload)
        if canon.pack(record) != payload:
            return None
    except (ValueError, TypeError, OverflowError):
        return None
    if type(record) is not tuple or len(record) != _FIELDS or record[0] != seq:
        return None
    return record if _is_number(record[1]) else None


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

    def _note(self, key: bytes, n: int) -> None:
        if key in self._known:
            self._last[self._known.index(key)] = n
        elif len(self._known) < _KEYS_MOST:
            self._known.append(key)
            self._last.append(n)


@frozen
class _Hole:
    """What is left out: its mark, what follows the mark, and what of it stands in the noise."""

    mark: int
    told: bytes = b""
    noise: bytes = b""


@frozen
class _Key:
    """A key and the number of an act signed with it: two values that are told together."""

    key: bytes
    n: int


@frozen
class _Holed:
    """An array of two values or more in which something may be left out."""

    length: int
    parts: Sequence[Any]


def _openings(records: Sequence[Any]) -> dict[int, list[bytes]]:
    """The records after the end whose salts follow from the salt key, each with the seals that it
    opens, but for those in effects: the page tells hidden things apart by them before it has what
    is opened."""
    found: dict[int, list[bytes]] = {}
    key: Any = None
    game: Any = None
    for record in records:
        if record is None:
            continue
        seq, _, _, kind, body, _ = record
        if kind == "genesis" and seq == 0:
            game = body[1] if _is_array(body) and len(body) > 1 else None
        elif kind == "end" and key is None:
            key = body[_END_SALTS] if _is_array(body) and len(body) > _END_SALTS else None
        elif kind == "reveal" and type(game) is str and _is_bytes(key, 32) and _is_array(body):
            try:
                told = [Opening.from_array(one) for one in body[0]]
                good = all(one.salt == salt_of(key, one.seq, one.path) for one in told)
            except (BadOpening, TypeError, ValueError, IndexError):
                continue
            if good and all(_is_array(one) for one in body[0]):
                found[seq] = [seal(game, one).digest for one in told if one.path[:1] != (_EFFECTS,)]
    return found


def _left(record: Any, hashes: Sequence[bytes], opens: bool) -> Sequence[Any]:
    """The six values of a record, with holes for what is left out of them but for seals. `opens`:
    it is one of `_openings`."""
    seq, at, actor, kind, body, link = record
    if kind == "command" and _is_array(body) and len(body) == _COMMAND_FIELDS and hashes:
        body = _left_of_command(body, hashes)
    elif opens:
        told = [_Holed(4, (one[0], one[1], _Hole(SALT), one[3])) for one in body[0]]
        body = _Holed(len(body), (_Holed(len(told), told), *body[1:])) if told else body
    return seq, at, actor, kind, body, _linked(link, hashes)


def _left_of_command(body: Any, hashes: Sequence[bytes]) -> _Holed:
    decision, seat, picks, id, by = body[:5]
    drawn_id = digest = None
    if _is_blinded(picks):
        drawn, drawn_id = blind_and_id(picks[1][:BLIND_SEED_BYTES])
        drawn_id = drawn_id if drawn == picks[1] else None
        digest = picks_digest(hashes[0], seat, decision, id, picks[1], picks[0])
    told_id: Any = _Hole(ID) if drawn_id is not None and id == drawn_id else id
    if told_id is id and _is_bytes(id, 16):
        told_id = _Hole(16, noise=id)
    if _is_array(by) and len(by) == _SIGNED:
        key, n, head, signature = by
        signer = (_Key(key, n),) if _is_bytes(key, 32) and _is_number(n) else (key, n)
        signed = _Hole(64, noise=signature) if _is_bytes(signature, 64) else signature
        by = _Holed(_SIGNED, (*signer, _linked(head, hashes), signed))
    told_digest = _Hole(DIGEST) if digest is not None and body[-1] == digest else body[-1]
    parts = (decision, seat, _blinded(picks), told_id, by, *body[5:-1], told_digest)
    return _Holed(len(body), parts)


def _linked(value: Any, hashes: Sequence[bytes]) -> Any:
    for back in range(1, min(BACK_MOST, len(hashes)) + 1):
        if hashes[-back] == value:
            return _Hole(back)
    return value


def _is_blinded(value: Any) -> bool:
    return _is_array(value) and len(value) == 2 and _is_bytes(value[1], BLIND_BYTES)


def _blinded(value: Any) -> Any:
    """Picks without their blind; any other value as it is."""
    if not _is_blinded(value):
        return value
    picks, blind = value
    seed = blind[:BLIND_SEED_BYTES]
    drawn = blind_and_id(seed)[0] == blind
    hole = _Hole(BLIND, noise=seed) if drawn else _Hole(BLIND_BYTES, noise=blind)
    return _Holed(2, (picks, hole))


class _Folding:
    """Writes records one after the other. `seals` are those that the last records open, in the
    order in which they stand in the records."""

    def __init__(self, seals: Sequence[bytes]) -> None:
        self.out = bytearray()
        self.noise = bytearray()
        self._times = bytearray()
        self._told_texts = bytearray()
        self._at = 0
        self._seals = iter(seals)
        self._next_seal = next(self._seals, None)
        self._texts: dict[str, bytes] = {}
        self._keys = _Keys()
        self._again: dict[bytes, int] = {}
        self._ended = 0
        self._holes = 0
        self._packed = 0
        self._numbers: dict[int, int] = {}

    def outline(self) -> bytes:
        """What has been written, but for the noise."""
        times, texts = bytes(self._times), bytes(self._told_texts)
        return _leb128(len(times)) + times + _leb128(len(texts)) + texts + bytes(self.out)

    def plain(self, payload: bytes) -> None:
        """Write a record's bytes."""
        self.out.append(PLAIN)
        self.out += _leb128(len(payload)) + payload

    def record(self, record: Sequence[Any]) -> None:
        """Write a record's values."""
        seq, at = record[:2]
        self._again.clear()
        self._ended = 0
        self._numbers = {
            seq - less: mark for less, mark in enumerate(NUMBERS) if seq - less > _ONE_BYTE_MOST
        }
        self.out.append(WRITTEN)
        self._times += _leb128(at - self._at)
        self._at = at
        for value in record[2:]:
            self._value(value)

    def _value(self, value: Any) -> None:
        out = self.out
        kind = type(value)
        if kind is str:
            known = self._texts.get(value)
            if known is None:
                self._text(value)
            else:
                out += known
        elif kind is int:
            mark = self._numbers.get(value)
            if mark is None:
                out += canon.pack(value)
            else:
                out.append(mark)
        elif kind is tuple:
            self._array(value)
        elif kind is _Holed:
            holes = self._holes
            out += _head(value.length, 0x90, 0xDC)
            for item in value.parts:
                self._value(item)
            self._ended += holes == self._holes
        elif kind is _Hole:
            self._hole(value.mark, value.told)
            self.noise += value.noise
        elif kind is bytes:
            self._bytes(value)
        elif kind is dict:
            out += _head(len(value), 0x80, 0xDE)
            for name, item in value.items():
                self._value(name)
                self._value(item)
        elif kind is _Key:
            mark, told = self._keys.told(value.key, value.n)
            self._hole(mark, told)
        elif kind is canon.Seal:
            self._seal(value.digest)
        else:
            out += canon.pack(value)

    def _array(self, array: tuple[Any, ...]) -> None:
        packed = canon.pack(array)
        again = self._again.get(packed)
        if again is not None:
            self.out.append(AGAIN)
            self.out += _leb128(again)
            return
        holes = self._holes
        self.out += _head(len(array), 0x90, 0xDC)
        for item in array:
            self._value(item)
        if len(packed) >= _AGAIN_LEAST and holes == self._holes:
            self._again[packed] = self._ended
            self._ended += 1

    def _hole(self, mark: int, told: bytes = b"") -> None:
        self.out += bytes((HOLE, mark)) + told
        self._holes += 1

    def _seal(self, digest: bytes) -> None:
        if digest == self._next_seal and not self._packed:
            self._hole(SEALED)
            self._next_seal = next(self._seals, None)
        else:
            self.out.append(SEAL)
            self.out += digest

    def _text(self, text: str) -> None:
        data = text.encode()
        self.out.append(TEXT)
        self._told_texts += _leb128(len(data)) + data
        index = len(self._texts)
        if index < TEXTS_MOST:
            self._texts[text] = bytes((TEXT_AGAIN + (index >> 8), index & 0xFF))

    def _bytes(self, value: bytes) -> None:
        inside = _inside(value)
        if inside is None:
            self.out.append(BYTES)
            self.out += _leb128(len(value)) + value
            return
        self.out.append(PACKED[_bin_of(len(value))])
        self._packed += 1
        self._value(inside)
        self._packed -= 1


def _inside(value: bytes) -> Any:
    """The array or map that the bytes are; None for others."""
    try:
        inside = canon.unpack_trusted(value)
        nested = type(inside) in (tuple, dict) and canon.pack(inside) == value
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    return inside if nested else None


def _head(length: int, small: int, wide: int) -> bytes:
    """How msgpack begins an array or a map of so many values."""
    if length < 16:
        return bytes((small + length,))
    if length < 2**16:
        return bytes((wide,)) + length.to_bytes(2, "big")
    return bytes((wide + 1,)) + length.to_bytes(4, "big")


def _bin_of(length: int) -> int:
    """Which of `PACKED` so many bytes are."""
    return 0 if length < 2**8 else 1 if length < 2**16 else 2


def _is_array(value: Any) -> bool:
    return type(value) is tuple


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_bytes(value: Any, length: int) -> bool:
    return type(value) is bytes and len(value) == length


def _leb128(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
