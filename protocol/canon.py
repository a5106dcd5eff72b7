"""Canonical msgpack: each value has exactly one encoding.

There are two rules. Values are None, booleans, whole numbers within ±(2^53-1), text, bytes, arrays,
maps with text keys in ascending order, and seals (extension type 1, 32 bytes); never floats. Each
is written in its shortest form, so a strict check is: decode, write again, compare. Arrays decode
to tuples, so that a decoded value can be kept as it is.

Text is any sequence of code points without surrogates, which is what UTF-8 can encode. Nothing else
about it is looked at and nothing is removed: two texts are equal if their bytes are. So readers
with different tables of Unicode agree, and with none.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgpack
from attrs import define

from warledger.protocol.limits import HASH_BYTES, INT_MAX, NESTING_LEVELS_MAX

SEAL_EXTENSION = 1
SEAL_MARK = bytes((0xC7, HASH_BYTES, SEAL_EXTENSION))
"""How a seal begins in canonical bytes: a value without these three bytes in it hides nothing."""


class NotCanonical(ValueError):
    """The bytes are not the canonical encoding of a value that a log may contain."""


@define(unsafe_hash=True)
class Seal:
    """A commitment to a hidden value, which takes the value's place in the log until it is
    revealed. Treat it as frozen: reading a log makes thousands, and a guard would take most of the
    time."""

    digest: bytes


def extension(value: Any) -> msgpack.ExtType:
    """The encoding of a seal in bytes. Raises NotCanonical for anything else that msgpack does not
    know."""
    if type(value) is Seal:
        return msgpack.ExtType(SEAL_EXTENSION, value.digest)
    raise NotCanonical(f"a log cannot hold a {type(value).__name__}")


def _extension(code: int, data: bytes) -> Seal:
    if code != SEAL_EXTENSION or len(data) != HASH_BYTES:
        raise NotCanonical(f"unknown extension type {code} of {len(data)} bytes")
    return Seal(bytes(data))


_idle: list[Callable[[Any], bytes]] = []
"""Packers that are not in use. Creating one costs as much as packing a small record; two threads
must never share one."""

PACKER_BYTES_MAX = 1 << 20
"""A packer that has packed more than this is discarded together with its buffer."""


def pack(value: Any) -> bytes:
    """The canonical bytes of a value that `check` accepts. Map keys must already ascend; see
    `ordered`."""
    try:
        packer = _idle.pop()
    except IndexError:
        packer = msgpack.Packer(default=extension, use_bin_type=True).pack
    data = packer(value)
    if len(data) <= PACKER_BYTES_MAX:
        _idle.append(packer)
    return data


_PLAIN = bytes(
    byte
    for byte in range(256)
    if not (0x80 <= byte <= 0x8F or byte in (0xCA, 0xCB, 0xCF, 0xD3, 0xDE, 0xDF))
)
"""The bytes with which no float, no map and no number beyond 32 bits begins."""


def check_packed(data: bytes) -> None:
    """Raise NotCanonical unless a value that a program has packed may appear in a log.

    Most such values are small numbers and ASCII names. Their bytes show this at a tenth of the cost
    of `check`; other values are checked in full. (How deep they are nested is left to the readers.)
    """
    if data.translate(None, _PLAIN):
        check(unpack_trusted(data))


def ordered(value: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a map with its keys in ascending order, nested maps too."""
    return {key: _ordered(value[key]) for key in sorted(value)}


def _ordered(value: Any) -> Any:
    kind = type(value)
    if kind in _LEAVES:
        return value
    if kind is tuple or kind is list:
        # Most arrays hold leaves alone, as in `check`.
        for item in value:
            if type(item) not in _LEAVES:
                return tuple([_ordered(item) for item in value])
        return value if kind is tuple else tuple(value)
    if isinstance(value, Mapping):
        return ordered(value)
    if isinstance(value, list | tuple):
        return tuple(_ordered(item) for item in value)
    return value


_LEAVES = frozenset((str, int, bytes, bool, type(None), Seal))


_SURROGATE = "text with a surrogate, which UTF-8 cannot encode"


def is_text(value: Any) -> bool:
    """Whether a value is text that a log or a message may contain."""
    if type(value) is not str:
        return False
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def check(value: Any, depth: int = 0) -> None:
    """Raise NotCanonical unless the value may appear in a log."""
    kind = type(value)
    if kind is int:
        if not -INT_MAX <= value <= INT_MAX:
            raise NotCanonical(f"{value} is outside ±(2^53-1)")
    elif kind is str:
        if not is_text(value):
            raise NotCanonical(_SURROGATE)
    elif kind is tuple or kind is list:
        if depth >= NESTING_LEVELS_MAX:
            raise NotCanonical(f"nested deeper than {NESTING_LEVELS_MAX} levels")
        for item in value:
            # Most items are leaves: they are looked at here, since a call for each would be most of
            # the cost of reading a log.
            leaf = type(item)
            if leaf is int:
                if not -INT_MAX <= item <= INT_MAX:
                    raise NotCanonical(f"{item} is outside ±(2^53-1)")
            elif leaf is str:
                if not item.isascii() and not is_text(item):
                    raise NotCanonical(_SURROGATE)
            elif leaf is not bytes:
                check(item, depth + 1)
    elif kind is dict:
        if depth >= NESTING_LEVELS_MAX:
            raise NotCanonical(f"nested deeper than {NESTING_LEVELS_MAX} levels")
        last = None
        for key, item in value.items():
            if type(key) is not str:
                raise NotCanonical("a map's keys must be text")
            if last is not None and key <= last:
                raise NotCanonical(f"map key {key!r} is out of order")
            last = key
            check(key)
            check(item, depth + 1)
    elif not (value is None or kind is bool or kind is bytes or kind is Seal):
        raise NotCanonical(f"a log cannot hold a {kind.__name__}")


def unpack(data: bytes) -> Any:
    """Decode strictly.

    Raises NotCanonical if the bytes are damaged, are not in shortest form, or contain something
    that a log may not contain.
    """
    value = unpack_trusted(data)
    check(value)
    if pack(value) != data:
        raise NotCanonical("not in the canonical (shortest) form")
    return value


def unpack_trusted(data: bytes) -> Any:
    """Decode bytes whose hash has already been verified: damage is still found, but the encoding is
    not checked."""
    try:
        return msgpack.unpackb(
            data, use_list=False, raw=False, strict_map_key=True, ext_hook=_extension
        )
    except NotCanonical:
        raise
    except Exception as error:
        deep = isinstance(error, msgpack.StackError)
        why = "nested too deeply" if deep else str(error) or type(error).__name__
        raise NotCanonical(f"not readable as msgpack: {why}") from error
