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


Check = Callable[[Any, tuple[int, ...]], None]


def _need(good: bool, path: tuple[int, ...], what: str) -> None:
    if not good:
        raise BadShape(path, what)


def _whole(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is int and value >= 0, path, "a whole number from 0")


def _text(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is str, path, "text")


def _flag(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is bool, path, "true or false")


def _seat_or_nobody(value: Any, path: tuple[int, ...]) -> None:
    _need(value is None or type(value) is str, path, "a seat or nothing")


def _bytes(count: int) -> Check:
    def check(value: Any, path: tuple[int, ...]) -> None:
        _need(type(value) is bytes and len(value) == count, path, f"{count} bytes")

    return check


def _up_to(count: int) -> Check:
    def check(value: Any, path: tuple[int, ...]) -> None:
        _need(type(value) is bytes and len(value) <= count, path, f"at most {count} bytes")

    return check


def _seen(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is bytes and len(value) in (0, HASH_BYTES), path, f"a hash of {HASH_BYTES} bytes, or none")


def _each(check: Check) -> Check:
    def check_all(value: Any, path: tuple[int, ...]) -> None:
        _need(type(value) is tuple, path, "an array")
        for index, item in enumerate(value):
            check(item, (*path, index))

    return check_all


def _fields(*checks: Check) -> Check:
    def check_all(value: Any, path: tuple[int, ...]) -> None:
        _need(type(value) is tuple and len(value) == len(checks), path, f"an array of {len(checks)}")
        for index, check in enumerate(checks):
            check(value[index], (*path, index))

    return check_all


def _anything(value: Any, path: tuple[int, ...]) -> None:
    return None


def _picks(value: Any, path: tuple[int, ...]) -> None:
    if type(value) is Seal:
        return
    _need(type(value) is tuple and len(value) <= PICKS_MAX, path, "an array of picks")
    for index, pick in enumerate(value):
        _need(type(pick) in (str, int), (*path, index), "a pick: text or a number")


def _draw(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is tuple and len(value) == 4, path, "an array of 4")
    epoch, counter, purpose, what = value
    _whole(epoch, (*path, 0))
    _whole(counter, (*path, 1))
    _text(purpose, (*path, 2))
    if epoch == 0:
        _need(type(what) is Seal, (*path, 3), "a seal, for this draw is hidden")
    else:
        _fields(_whole, _whole)(what, (*path, 3))


def _event(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is tuple and bool(value) and type(value[0]) is str, path, "an event that begins with its tag")


def _effects(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is bytes, path, "packed effects")
    try:
        effects.unpack(value)
    except canon.NotCanonical as error:
        raise BadShape(path, f"packed effects ({error})") from error


def _path(value: Any, path: tuple[int, ...]) -> None:
    _need(type(value) is tuple and all(type(step) is int and step >= 0 for step in value), path, "a path of numbers")


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


def _seat(value: Any, path: tuple[int, ...]) -> None:
    _need(bool(value) and value[0] in ("taken", "nonce", "replaced"), (0,), '"taken", "nonce" or "replaced"')
    if value[0] == "taken":
        _fields(_text, _text, _text, _bytes(NONCE_BYTES))(value, path)
    elif value[0] == "nonce":
        _fields(_text, _text, _bytes(NONCE_BYTES))(value, path)
    else:
        _fields(_text, _text, _text)(value, path)


def _ask(value: Any, path: tuple[int, ...]) -> None:
    _fields(_text, _text, _whole)(value, path)
    _need(value[1] in ("takeback", "draw", "resign"), (1,), '"takeback", "draw" or "resign"')


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
        found(record.body, ())


__all__ = ["BadShape", "check"]
