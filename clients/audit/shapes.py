"""The exact shape of every kind of record's body, so that what reads them after can rely on it.

`check` raises BadShape at the first place that has another form than a server writes.
"""

from collections.abc import Callable
from typing import Any

from protocol import canon, effects, records
from protocol.canon import Seal
from protocol.limits import COMMAND_ID_BYTES_MAX, HASH_BYTES, NONCE_BYTES, PICKS_MAX, SALT_BYTES
from protocol.records import Record


class BadShape(ValueError):
    """A body that has not the form of its kind. `path` is the place in it, `what` what should stand there."""

    def __init__(self, path: tuple[int, ...], what: str) -> None:
        super().__init__(f"{path}: {what}")
        self.path = path
        self.what = what

    def under(self, index: int) -> "BadShape":
        """The same, told from the array that holds the value at this index."""
        return BadShape((index, *self.path), self.what)


Check = Callable[[Any], None]
"""Raises BadShape with the place in the value alone: who looks into an array puts the index before it. So a sound body costs no paths."""


def _need(good: bool, what: str) -> None:
    if not good:
        raise BadShape((), what)


def _whole(value: Any) -> None:
    _need(type(value) is int and value >= 0, "a whole number from 0")


def _text(value: Any) -> None:
    _need(type(value) is str, "text")


def _flag(value: Any) -> None:
    _need(type(value) is bool, "true or false")


def _seat_or_nobody(value: Any) -> None:
    _need(value is None or type(value) is str, "a seat or nothing")


def _bytes(count: int) -> Check:
    what = f"{count} bytes"

    def check(value: Any) -> None:
        _need(type(value) is bytes and len(value) == count, what)

    return check


def _up_to(count: int) -> Check:
    what = f"at most {count} bytes"

    def check(value: Any) -> None:
        _need(type(value) is bytes and len(value) <= count, what)

    return check


def _seen(value: Any) -> None:
    _need(type(value) is bytes and len(value) in (0, HASH_BYTES), f"a hash of {HASH_BYTES} bytes, or none")


def _each(check: Check) -> Check:
    def check_all(value: Any) -> None:
        _need(type(value) is tuple, "an array")
        index = 0
        try:
            for index, item in enumerate(value):  # noqa: B007 (told where the check fails)
                check(item)
        except BadShape as error:
            raise error.under(index) from None

    return check_all


def _fields(*checks: Check) -> Check:
    what = f"an array of {len(checks)}"

    def check_all(value: Any) -> None:
        _need(type(value) is tuple and len(value) == len(checks), what)
        index = 0
        try:
            for index, check in enumerate(checks):
                check(value[index])
        except BadShape as error:
            raise error.under(index) from None

    return check_all


def _anything(value: Any) -> None:
    return None


def _picks(value: Any) -> None:
    if type(value) is Seal:
        return
    _need(type(value) is tuple and len(value) <= PICKS_MAX, "an array of picks")
    for index, pick in enumerate(value):
        if type(pick) not in (str, int):
            raise BadShape((index,), "a pick: text or a number")


_ROLL = _fields(_whole, _whole)


def _hidden_draw(value: Any) -> None:
    _need(type(value) is Seal, "a seal, for this draw is hidden")


_HIDDEN_DRAW = _fields(_whole, _whole, _text, _hidden_draw)
_OPEN_DRAW = _fields(_whole, _whole, _text, _ROLL)


def _draw(value: Any) -> None:
    _need(type(value) is tuple and len(value) == 4, "an array of 4")
    (_HIDDEN_DRAW if value[0] == 0 else _OPEN_DRAW)(value)


def _event(value: Any) -> None:
    _need(type(value) is tuple and bool(value) and type(value[0]) is str, "an event that begins with its tag")


def _effects(value: Any) -> None:
    _need(type(value) is bytes, "packed effects")
    try:
        effects.unpack(value)
    except canon.NotCanonical as error:
        raise BadShape((), f"packed effects ({error})") from error


def _path(value: Any) -> None:
    _need(type(value) is tuple and all(type(step) is int and step >= 0 for step in value), "a path of numbers")


_OPENING = _fields(_whole, _path, _bytes(SALT_BYTES), _anything)
_AWAITS = _each(_fields(_text, _whole))
_FLOW = _fields(_whole, _each(_fields(_text, _anything, _whole)))
_ARGUMENTS = _each(_fields(_text, _anything))
_COMMAND = _fields(
    _whole,
    _text,
    _picks,
    _up_to(COMMAND_ID_BYTES_MAX),
    _seen,
    _each(_draw),
    _each(_event),
    _effects,
    _each(_OPENING),
    _FLOW,
    _AWAITS,
)

_TAKEN = _fields(_text, _text, _text, _bytes(NONCE_BYTES))
_NONCE = _fields(_text, _text, _bytes(NONCE_BYTES))
_REPLACED = _fields(_text, _text, _text)


def _seat(value: Any) -> None:
    if not value or value[0] not in ("taken", "nonce", "replaced"):
        raise BadShape((0,), '"taken", "nonce" or "replaced"')
    {"taken": _TAKEN, "nonce": _NONCE, "replaced": _REPLACED}[value[0]](value)


_REQUEST = _fields(_text, _text, _whole)


def _ask(value: Any) -> None:
    _REQUEST(value)
    if value[1] not in ("takeback", "draw", "resign"):
        raise BadShape((1,), '"takeback", "draw" or "resign"')


_CHECKS: dict[str, Check] = {
    records.SEAT: _seat,
    records.COMMAND: _COMMAND,
    records.ASK: _ask,
    records.ANSWER: _fields(_text, _flag),
    records.TAKEBACK: _fields(_text, _whole, _effects, _AWAITS),
    records.OPEN: _fields(_whole, _bytes(HASH_BYTES)),
    records.END: _fields(
        _seat_or_nobody,
        _text,
        _ARGUMENTS,
        _each(_OPENING),
        _each(_fields(_whole, _bytes(HASH_BYTES))),
        _bytes(HASH_BYTES),
        _bytes(HASH_BYTES),
        _text,
    ),
}


def check(record: Record) -> None:
    """Raise BadShape unless the body has the form of its kind (a genesis checks itself)."""
    found = _CHECKS.get(record.kind)
    if found is not None:
        found(record.body)


__all__ = ["BadShape", "check"]
