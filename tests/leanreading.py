"""Reads what `engine/serve/lean.py` writes, as the page does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from warledger.engine.serve import lean
from warledger.protocol import canon
from warledger.protocol.acts import BLIND_BYTES, BLIND_SEED_BYTES, blind_and_id, picks_digest
from warledger.protocol.limits import SALT_BYTES
from warledger.protocol.records import hash_of
from warledger.protocol.seal import Opening, salt_of, seal

_BINS: Final = ((0xC4, 1), (0xC5, 2), (0xC6, 4))
_SEAL_HEAD: Final = b"\xc7\x20\x01"
_AGAIN_LEAST: Final = 3
_KEYS_MOST: Final = 256
_HASH_HEAD: Final = b"\xc4\x20"
_FIELDS: Final = 6
_EFFECTS: Final = 7
_END_SALTS: Final = 5


class NotLean(Exception):
    """Bytes that no `fold` has made."""


class _Keys:
    """The keys that acts were signed with, in the order in which they were named, and the number of
    the newest act of each."""

    def __init__(self) -> None:
        self._known: list[bytes] = []
        self._last: list[int] = []

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


_WRONG: Final = (
    ArithmeticError,
    LookupError,
    MemoryError,
    RecursionError,
    StopIteration,
    TypeError,
    ValueError,
)


def unfold(data: bytes) -> list[bytes]:
    """The records that `fold` was given. Raises NotLean."""
    try:
        return _unfold(data)
    except _WRONG as error:
        raise NotLean(str(error)) from error


@frozen
class _Outline:
    """A record with zeros in its holes, and where those begin, each with its mark."""

    data: bytearray
    holes: Sequence[tuple[int, int]]


_MISSING: Final = {
    **dict.fromkeys(range(1, lean.BACK_MOST + 1), 32),
    **{mark: mark for mark in lean.NOISE},
    lean.DIGEST: 32,
    lean.BLIND: BLIND_BYTES,
    lean.ID: 16,
    lean.SALT: SALT_BYTES,
    lean.SEALED: 32,
}
"""So many bytes are missing where a mark stands."""
_NOISE_OF: Final = {**{mark: mark for mark in lean.NOISE}, lean.BLIND: BLIND_SEED_BYTES}
"""So many of them come from the noise."""


def _unfold(data: bytes) -> list[bytes]:
    if not data.startswith(lean.SIGN):
        raise ValueError("sign")
    end = lean.HEADER + int.from_bytes(data[lean.HEADER - 4 : lean.HEADER], "big")
    reading = _Reading(data[lean.HEADER : end])
    outlines: list[_Outline] = []
    while reading.at < len(reading.data):
        outlines.append(reading.record(len(outlines)))
    noise = data[end:]
    if sum(_NOISE_OF.get(mark, 0) for one in outlines for _, mark in one.holes) != len(noise):
        raise ValueError("length")
    seals = iter(_fill_openings(outlines))
    hashes: list[bytes] = []
    taken = 0
    for one in outlines:
        taken = _fill(one, hashes, seals, noise, taken)
        hashes.append(hash_of(bytes(one.data)))
    if (hashes[-1] if hashes else bytes(32)) != data[len(lean.SIGN) : lean.HEADER - 4]:
        raise ValueError("hash")
    return [bytes(one.data) for one in outlines]


def _fill_openings(outlines: Sequence[_Outline]) -> list[bytes]:
    """Fill in the salts of what the last records open. Returns the seals that follow from it."""
    seals: list[bytes] = []
    if not any(mark == lean.SALT for one in outlines for _, mark in one.holes):
        return seals
    bodies = [canon.unpack_trusted(bytes(one.data))[3:5] for one in outlines]
    game, key = bodies[0][1][1], next(body[_END_SALTS] for kind, body in bodies if kind == "end")
    for one in outlines:
        salts = [at for at, mark in one.holes if mark == lean.SALT]
        if not salts:
            continue
        told = map(Opening.from_array, canon.unpack_trusted(bytes(one.data))[4][0])
        for at, each in zip(salts, told, strict=True):
            salt = salt_of(key, each.seq, each.path)
            one.data[at : at + SALT_BYTES] = salt
            if each.path[:1] != (_EFFECTS,):
                seals.append(seal(game, Opening(each.seq, each.path, salt, each.value)).digest)
    return seals


def _fill(
    one: _Outline, hashes: Sequence[bytes], seals: Iterator[bytes], noise: bytes, taken: int
) -> int:
    """Put into a record what is missing. Returns how much of the noise is taken then."""
    data, digest, drawn_id = one.data, -1, b""
    for at, mark in one.holes:
        length = _NOISE_OF.get(mark, 0)
        if length:
            found = noise[taken : taken + length]
            if mark == lean.BLIND:
                found, drawn_id = blind_and_id(found)
            taken += length
        elif mark == lean.DIGEST:
            digest = at
            continue
        elif mark == lean.SALT:
            continue
        else:
            found = (
                drawn_id
                if mark == lean.ID
                else next(seals, b"")
                if mark == lean.SEALED
                else hashes[-mark]
            )
        if len(found) != _MISSING[mark]:
            raise ValueError(f"mark {mark}")
        data[at : at + len(found)] = found
    if digest >= 0:
        decision, seat, (picks, blind), id = canon.unpack_trusted(bytes(data))[4][:4]
        data[digest : digest + 32] = picks_digest(hashes[0], seat, decision, id, blind, picks)
    return taken


class _Numbers:
    """Reads numbers and bytes one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def take(self, length: int) -> bytes:
        self.at += length
        if self.at > len(self.data):
            raise ValueError("length")
        return self.data[self.at - length : self.at]

    def number(self) -> int:
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number


class _Reading(_Numbers):
    """Reads an outline, record after record."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._times = _Numbers(self.take(self.number()))
        self._told_texts = _Numbers(self.take(self.number()))
        self._texts: list[bytes] = []
        self._keys = _Keys()
        self._last_at = 0
        self._seq = 0
        self._out = bytearray()
        self._holes: list[tuple[int, int]] = []
        self._told = 0
        """How many keys have been told: an array with one of them is none that is told again."""
        self._ended: list[bytes] = []

    def record(self, seq: int) -> _Outline:
        """The next record."""
        self._seq, self._out, self._holes, self._told, self._ended = seq, bytearray(), [], 0, []
        written = self.byte()
        if written not in (lean.PLAIN, lean.WRITTEN):
            raise ValueError(f"record {seq}")
        if written == lean.PLAIN:
            self._out += self.take(self.number())
            return _Outline(self._out, ())
        self._last_at += self._times.number()
        self._out.append(0x90 + _FIELDS)
        self._out += canon.pack(seq) + canon.pack(self._last_at)
        for _ in range(_FIELDS - 2):
            self._value()
        return _Outline(self._out, self._holes)

    def _value(self) -> int:
        """Read a value. Returns how many values of its array it stands for."""
        out, first = self._out, self.byte()
        if first < 0x80 or first >= 0xE0 or first in (0xC0, 0xC2, 0xC3):
            out.append(first)
        elif first < 0x90 or first in (0xDE, 0xDF):
            for _ in range(2 * self._length(first, 0x80, 0xDE)):
                self._value()
        elif first < 0xA0 or first in (0xDC, 0xDD):
            self._array(self._length(first, 0x90, 0xDC))
        elif first < 0xC0:
            out += self._texts[(first - lean.TEXT_AGAIN << 8) + self.byte()]
        elif first == lean.AGAIN:
            out += self._ended[self.number()]
        elif first == lean.HOLE:
            return self._hole(self.byte())
        elif first in lean.PACKED:
            head, width = _BINS[lean.PACKED.index(first)]
            start = len(out) + 1
            out.append(head)
            out += bytes(width)
            self._value()
            out[start : start + width] = (len(out) - start - width).to_bytes(width, "big")
        elif first in lean.NUMBERS:
            out += canon.pack(self._seq - lean.NUMBERS.index(first))
        elif first == lean.TEXT:
            text = canon.pack(self._told_texts.take(self._told_texts.number()).decode())
            if len(self._texts) < lean.TEXTS_MOST:
                self._texts.append(text)
            out += text
        elif first == lean.BYTES:
            out += canon.pack(self.take(self.number()))
        elif first == lean.SEAL:
            out += _SEAL_HEAD + self.take(32)
        elif 0xCC <= first <= 0xD3:
            out.append(first)
            out += self.take(1 << (first & 3))
        else:
            raise ValueError(f"byte {first}")
        return 1

    def _length(self, first: int, small: int, wide: int) -> int:
        length = first - small
        if first >= wide:
            length = int.from_bytes(self.take(2 if first == wide else 4), "big")
        self._out += _head(length, small, wide)
        return length

    def _array(self, length: int) -> None:
        holes = len(self._holes) + self._told
        start = len(self._out) - len(_head(length, 0x90, 0xDC))
        left = length
        while left > 0:
            left -= self._value()
        part = bytes(self._out[start:])
        if len(part) >= _AGAIN_LEAST and len(self._holes) + self._told == holes:
            self._ended.append(part)

    def _hole(self, mark: int) -> int:
        out = self._out
        if mark in (lean.KEY, lean.KEY_AGAIN):
            self._told += 1
            if mark == lean.KEY:
                key = self.take(32)
                out += self._keys.named(key, self.number())
            else:
                index = self.byte()
                out += self._keys.again(index, self.byte())
            return 2
        if mark not in _MISSING:
            raise ValueError(f"mark {mark}")
        out += _SEAL_HEAD if mark == lean.SEALED else bytes((0xC4, _MISSING[mark]))
        self._holes.append((len(out), mark))
        out += bytes(_MISSING[mark])
        return 1


def _head(length: int, small: int, wide: int) -> bytes:
    """How msgpack begins an array or a map of so many values."""
    if length < 16:
        return bytes((small + length,))
    if length < 2**16:
        return bytes((wide,)) + length.to_bytes(2, "big")
    return bytes((wide + 1,)) + length.to_bytes(4, "big")
