"""Values of the small auditor: canonical bytes, hashes, and what may be what."""

import hashlib
from typing import Any

import msgpack

Seal = msgpack.ExtType


class Unsound(Exception):
    """The file is not what a server wrote: in this record (None: in the file as a whole, or in the
    record in hand), from this byte on where it is the bytes that are damaged."""

    def __init__(self, what: str, seq: int | None = None, byte: int | None = None) -> None:
        super().__init__(what)
        self.seq, self.byte = seq, byte


class NotRead(Exception):
    """The file is of another format, which says nothing against it."""


def need(good: bool, what: str, seq: int | None = None, byte: int | None = None) -> None:
    """Raise Unsound unless something holds."""
    if not good:
        raise Unsound(what, seq, byte)


def pack(value: Any) -> bytes:
    """Canonical bytes."""
    data: bytes = msgpack.packb(value)
    return data


def unpack(data: bytes) -> Any:
    """A value from canonical bytes."""
    try:
        value = msgpack.unpackb(data, strict_map_key=True)
    except Exception as error:
        raise Unsound(f"not msgpack: {error}") from error
    need(pack(value) == data, "not canonical")
    need(may_be(value, 16), "not a value of the log")
    return value


def may_be(value: Any, levels: int) -> bool:
    """Whether a value is one of those under Values, in at most `levels` levels."""
    if type(value) is list:
        return levels > 0 and all(may_be(item, levels - 1) for item in value)
    if type(value) is dict:
        keys = list(value)
        texts = all(type(key) is str and may_be(key, 1) for key in keys) and keys == sorted(keys)
        return levels > 0 and texts and all(may_be(item, levels - 1) for item in value.values())
    if type(value) is msgpack.ExtType:
        return value.code == 1 and len(value.data) == 32
    if type(value) is str:
        return True  # what has been decoded is UTF-8
    if type(value) is int:
        return -(2**53) < value < 2**53
    return value is None or type(value) in (bool, bytes)


def is_number(value: Any) -> bool:
    """A whole number from 0, which no truth value is."""
    return type(value) is int and value >= 0


def sha(*parts: bytes) -> bytes:
    """SHA-256 of the parts one after the other."""
    return hashlib.sha256(b"".join(parts)).digest()
