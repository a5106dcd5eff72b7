"""Events to arrays and back: [tag, field …], the fields in the order in which the event class lists
them."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import attrs

from warledger.engine.kernel.basis import Fault
from warledger.protocol.chance.seal import Path, Secret
from warledger.protocol.log.records import CorruptLog


class Codec:
    """The events of one title. Raises Fault if two classes share a tag."""

    def __init__(self, events: Iterable[type[Any]]) -> None:
        self._class: dict[str, tuple[type[Any], int]] = {}
        self._fields: dict[type[Any], tuple[str, Any, int]] = {}
        for cls in events:
            names = [field.name for field in attrs.fields(cls)]
            if cls.tag in self._class:
                raise Fault(f"two events have the tag {cls.tag}")
            getter = attrgetter(*names) if names else None
            self._class[cls.tag] = (cls, len(names))
            self._fields[cls] = (cls.tag, getter, len(names))

    def encode(self, event: Any) -> tuple[Any, ...]:
        """The array of an event."""
        try:
            tag, getter, count = self._fields[type(event)]
        except KeyError:
            raise Fault(f"{type(event).__name__} is not among the title's events") from None
        if count == 0:
            return (tag,)
        return (tag, getter(event)) if count == 1 else (tag, *getter(event))

    def decode(self, array: Any, seq: int) -> Any:
        """The event of an array. Raises CorruptLog if the title has no such event or its fields
        differ."""
        try:
            cls, count = self._class[array[0]]
        except (KeyError, TypeError, IndexError):
            raise CorruptLog(
                seq, "events", f"unknown event {array[:1] if type(array) is tuple else array!r}"
            ) from None
        if len(array) != count + 1:
            raise CorruptLog(
                seq, "events", f"event {array[0]} has {len(array) - 1} fields, not {count}"
            )
        return cls(*array[1:])

    def stamp(self, event: Any, seq: int, path: Path) -> tuple[Any, tuple[Any, ...]]:
        """The event with the place of each of its secrets filled in (the same event if it has
        none), and its array."""
        array = self.encode(event)
        for item in array:
            kind = type(item)
            if kind is tuple or kind is Secret:
                stamped: tuple[Any, ...] = _stamp(array, seq, path)
                return event if stamped is array else self.decode(stamped, seq), stamped
        return event, array


class Undecoded(Codec):
    """Takes every event as it stands: for folding what is kept around a title's state where the
    title's rules are not at hand."""

    def decode(self, array: Any, seq: int) -> Any:
        """The array itself."""
        return array


def codec_of(rules: Any) -> Codec:
    """The codec of a title's events, or the one that its rules bring."""
    own = getattr(rules, "codec", None)
    return own if isinstance(own, Codec) else Codec(rules.events)


def _stamp(value: Any, seq: int, path: Path) -> Any:
    kind = type(value)
    if kind is Secret:
        return Secret(value.value, value.readers, (seq, path))
    if kind is tuple:
        out = None
        for index, item in enumerate(value):
            inner = type(item)
            if inner is tuple or inner is Secret:
                new = _stamp(item, seq, (*path, index))
                if new is not item:
                    if out is None:
                        out = list(value)
                    out[index] = new
        return value if out is None else tuple(out)
    return value
