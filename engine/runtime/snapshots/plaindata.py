"""Values of the core as plain data for snapshots, and back: positions and what stands beside them.

A snapshot holds what a fold has worked out, so that it need not be worked out again. It is read
back against a *base*, the position after the genesis, which is made anew from the pack each time:
whatever of a value is still the base's own object is stored as its place there. So a snapshot
contains no pack, and what a title compiles from its pack is shared as before.

Rules of this file:
- Only plain data: nothing that is read can run anything. A record class is named by module and
  name, is looked up in modules that are already imported, and must be a record of attrs.
- Fields alone are stored. What a value remembers beside them (`kernel.memo`, cached properties) is
  worked out again when it is needed.
- A value that two places share is stored once, and shared when it is read.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

import attrs
import msgpack

from warledger.engine.kernel.change import blank

_TUPLE, _DICT, _SET, _RECORD, _BASE, _AGAIN, _LIST, _PROXY, _ARRAY, _ENUM, _BIG, _FLAT = range(12)
_PLAIN: Final = (type(None), bool, str, bytes)
_FLAT_KINDS: Final = frozenset((*_PLAIN, int))
_SMALL: Final = 1 << 63
"""Integers from here on do not fit msgpack's."""


class NoSnapshot(Exception):
    """A value of which there can be no snapshot, or a snapshot from which no value can be read."""


def pack(value: Any, base: Any) -> bytes:
    """A value as bytes. Raises NoSnapshot for one that holds anything but plain data, collections
    of it, and records of attrs."""
    writer = _Writer(base)
    try:
        packed: bytes = msgpack.packb([writer.write(value), writer.classes], use_bin_type=True)
    except (RecursionError, ValueError, OverflowError) as error:
        raise NoSnapshot(str(error)) from error
    return packed


def unpack(data: bytes, base: Any) -> Any:
    """The value again. Raises NoSnapshot if these are not the bytes of one."""
    try:
        told, names = msgpack.unpackb(data, raw=False, strict_map_key=False, use_list=True)
        return _Reader(base, [_record_class(*name) for name in names]).read(told)
    except NoSnapshot:
        raise
    except Exception as error:
        raise NoSnapshot(f"{type(error).__name__}: {error}") from error


def _parts(base: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values that a base holds, by the names of the fields that lead to each. Collections are
    not looked into."""
    left: list[tuple[tuple[str, ...], Any]] = [((), base)]
    seen: set[int] = set()
    while left:
        way, value = left.pop()
        if isinstance(value, (*_PLAIN, int)) or id(value) in seen:
            continue
        seen.add(id(value))
        if way:
            yield way, value
        if attrs.has(type(value)):
            left.extend(((*way, name), getattr(value, name)) for name in _names(type(value)))


def _names(cls: type[Any]) -> list[str]:
    return [field.name for field in attrs.fields(cls)]


def _record_class(module: str, name: str) -> type[Any]:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or not (attrs.has(found) or issubclass(found, Enum)):
        raise NoSnapshot(f"{module}.{name} is not a record")
    return found


class _Writer:
    def __init__(self, base: Any) -> None:
        self._base = {id(value): way for way, value in _parts(base)}
        self._seen: dict[int, int] = {}
        self._held: list[Any] = []  # whatever has a number stays alive, so no other gets its id
        self._numbers: dict[type[Any], int] = {}
        self.classes: list[tuple[str, str]] = []

    def write(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is int:
            return value if -_SMALL <= value < _SMALL else [_BIG, str(value)]
        way = self._base.get(id(value))
        if way is not None:
            return [_BASE, *way]
        if kind is tuple and not value:
            return [_TUPLE]
        seen = self._seen.get(id(value))
        if seen is not None:
            return [_AGAIN, seen]
        told = self._written(kind, value)
        # Numbered once its parts are: the reader, too, has it only then.
        self._seen[id(value)] = len(self._held)
        self._held.append(value)
        return told

    def _written(self, kind: type[Any], value: Any) -> list[Any]:
        write = self.write
        if kind is tuple:
            if _FLAT_KINDS.issuperset(map(type, value)):  # an array of a map's hexes, say
                return [_FLAT, *value]
            return [_TUPLE, *map(write, value)]
        if kind is dict:
            return [_DICT, *[write(part) for item in value.items() for part in item]]
        if kind is frozenset:
            return [_SET, *map(write, value)]
        if kind is list:
            return [_LIST, *map(write, value)]
        if kind is MappingProxyType:
            return [_PROXY, write(dict(value))]
        if kind is array:
            return [_ARRAY, value.typecode, value.tobytes()]
        if issubclass(kind, Enum):
            return [_ENUM, self._number(kind), value.name]
        if attrs.has(kind):
            return [
                _RECORD,
                self._number(kind),
                *[write(getattr(value, name)) for name in _names(kind)],
            ]
        raise NoSnapshot(f"there is no snapshot of a {kind.__module__}.{kind.__qualname__}")

    def _number(self, kind: type[Any]) -> int:
        number = self._numbers.get(kind)
        if number is None:
            name = (kind.__module__, kind.__qualname__)
            if _record_class(*name) is not kind:
                raise NoSnapshot(f"{name[0]}.{name[1]} is another class")
            number = self._numbers[kind] = len(self.classes)
            self.classes.append(name)
        return number


class _Reader:
    def __init__(self, base: Any, classes: list[type[Any]]) -> None:
        self._base = base
        self._makers: list[Callable[..., Any]] = [
            blank(cls) if attrs.has(cls) else cls.__getitem__ for cls in classes
        ]
        self._seen: list[Any] = []

    def read(self, told: Any) -> Any:
        if type(told) is not list:
            return told
        tag = told[0]
        if tag == _BASE:
            found = self._base
            for name in told[1:]:
                found = getattr(found, name)
            return found
        if tag == _AGAIN:
            return self._seen[told[1]]
        if tag == _BIG:
            return int(told[1])
        if tag == _TUPLE and len(told) == 1:
            return ()
        made = self._made(tag, told)
        self._seen.append(made)
        return made

    def _made(self, tag: int, told: list[Any]) -> Any:
        read = self.read
        if tag == _RECORD:
            return self._makers[told[1]]([read(part) for part in told[2:]])
        if tag == _FLAT:
            return tuple(told[1:])
        if tag == _TUPLE:
            return tuple([read(part) for part in told[1:]])
        if tag == _DICT:
            parts = [read(part) for part in told[1:]]
            return dict(zip(parts[::2], parts[1::2], strict=True))
        if tag == _SET:
            return frozenset([read(part) for part in told[1:]])
        if tag == _LIST:
            return [read(part) for part in told[1:]]
        if tag == _PROXY:
            return MappingProxyType(read(told[1]))
        if tag == _ARRAY:
            made = array(told[1])
            made.frombytes(told[2])
            return made
        if tag == _ENUM:
            return self._makers[told[1]](told[2])
        raise NoSnapshot(f"there is no such kind of value: {tag}")
