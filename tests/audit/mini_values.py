"""Values of the small auditor: canonical bytes, hashes, and what may be what."""

import hashlib
from typing import Any

import msgpack

Seal = msgpack.ExtType


class Unsound(Exception):
    """The file is not what a server wrote."""


class NotRead(Exception):
    """The file is of another format, which says nothing against it."""


def need(good: bool, what: str) -> None:
    """Raise Unsound unless something holds."""
    if not good:
        raise Unsound(what)


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


def are_orders(value: Any) -> bool:
    """A set of standing answers: one entry for a question and a span."""
    return (
        isinstance(value, list)
        and all(isinstance(entry, list) and len(entry) == 3 for entry in value)
        and all(isinstance(entry[0], str) and entry[0] for entry in value)
        and all(entry[2] in ("turn", "game") for entry in value)
        and len({(key, until) for key, _, until in value}) == len(value)
        and all(isinstance(each, list) and each for _, each, _ in value)
        and all(
            isinstance(one, list) and 0 < len(one) <= 512 for _, each, _ in value for one in each
        )
        and all(type(pick) in (str, int) for _, each, _ in value for one in each for pick in one)
    )


def sha(*parts: bytes) -> bytes:
    """SHA-256 of the parts one after the other."""
    return hashlib.sha256(b"".join(parts)).digest()
