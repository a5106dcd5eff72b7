"""The exact form of the body of every kind of record, so that later readers can rely on it.

`check` raises BadShape at the first place whose form differs from what a server writes.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

from warledger.protocol import canon
from warledger.protocol.board import effects
from warledger.protocol.canon import Seal
from warledger.protocol.limits import (
    COMMAND_ID_BYTES_MAX,
    HASH_BYTES,
    KEY_BYTES,
    NAME_CHARS_MAX,
    NONCE_BYTES,
    PERSON_ID_CHARS_MAX,
    PICKS_MAX,
    SALT_BYTES,
    SIGNATURE_BYTES,
    TEXT_CHARS_MAX,
)
from warledger.protocol.log import bodies, deskbodies, docket, records
from warledger.protocol.log.bodies import By, read_by
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import BLIND_BYTES


class BadShape(ValueError):
    """A body that does not have the form of its kind. `path` is the place in it, `what` what should
    stand there."""

    def __init__(self, path: tuple[int, ...], what: str) -> None:
        super().__init__(f"{path}: {what}")
        self.path = path
        self.what = what

    def under(self, index: int) -> "BadShape":
        """The fault as seen from the array that contains the value at this index."""
        return BadShape((index, *self.path), self.what)


Check = Callable[[Any], None]
"""Raises BadShape with the place in this value only: checks of arrays put their index before it. So
a sound body needs no paths."""


_WORDS: Final[dict[Check, str]] = {}
"""What the pages call a form: see `words_of`."""
_PARTS: Final[dict[Check, tuple[Check, ...]]] = {}
"""The forms of the fields of an array."""
_NAMES: Final[dict[Check, tuple[str, ...]]] = {}
"""The names of the fields of a body."""
_CASES: Final[dict[Check, Mapping[str, Check]]] = {}
"""The forms of bodies that begin with a word."""


def _called(words: str, check: Check) -> Check:
    _WORDS[check] = words
    return check


def _named(words: str) -> Callable[[Check], Check]:
    return lambda check: _called(words, check)


def _need(good: bool, what: str) -> None:
    if not good:
        raise BadShape((), what)


# The checks that every command goes through do without `_need`, whose calls would be a tenth of the
# time that level 1 takes.


@_named("number from 0")
def _whole(value: Any) -> None:
    if type(value) is not int or value < 0:
        raise BadShape((), "a whole number from 0")


@_named("text")
def _text(value: Any) -> None:
    if type(value) is not str:
        raise BadShape((), "text")


@_named("true or false")
def _flag(value: Any) -> None:
    _need(type(value) is bool, "true or false")


@_named("seat or nil")
def _seat_or_nobody(value: Any) -> None:
    _need(value is None or type(value) is str, "a seat or nothing")


def _bytes(count: int) -> Check:
    what = f"{count} bytes"

    def check(value: Any) -> None:
        _need(type(value) is bytes and len(value) == count, what)

    return _called(what, check)


def _up_to(count: int) -> Check:
    what = f"at most {count} bytes"

    def check(value: Any) -> None:
        _need(type(value) is bytes and len(value) <= count, what)

    return _called(what, check)


def _each(check: Check) -> Check:
    def check_all(value: Any) -> None:
        if type(value) is not tuple:
            raise BadShape((), "an array")
        index = 0
        try:
            for index, item in enumerate(value):  # noqa: B007 (told where the check fails)
                check(item)
        except BadShape as error:
            raise error.under(index) from None

    return _called(f"[{words_of(check)} …]", check_all)


def _body(**named: Check) -> Check:
    """A body with these fields, by name."""
    check = _fields(*named.values())
    _NAMES[check] = tuple(named)
    return check


def _fields(*checks: Check) -> Check:
    count, what = len(checks), f"an array of {len(checks)}"

    def check_all(value: Any) -> None:
        if type(value) is not tuple or len(value) != count:
            raise BadShape((), what)
        index = 0
        try:
            for index, check in enumerate(checks):
                check(value[index])
        except BadShape as error:
            raise error.under(index) from None

    _PARTS[check_all] = checks
    return _called(f"[{', '.join(map(words_of, checks))}]", check_all)


def words_of(check: Check) -> str:
    """What the pages call a form."""
    return _WORDS[check]


@_named("any value")
def _anything(value: Any) -> None:
    return None


@_named(f"at most {PICKS_MAX} picks")
def _picks(value: Any) -> None:
    _need(type(value) is tuple and len(value) <= PICKS_MAX, "an array of picks")
    for index, pick in enumerate(value):
        if type(pick) not in (str, int):
            raise BadShape((index,), "a pick: text or a number")


_ROLL = _fields(_whole, _whole)


@_named("seal")
def _hidden_draw(value: Any) -> None:
    _need(type(value) is Seal, "a seal, for this draw is hidden")


_HIDDEN_DRAW = _fields(_whole, _whole, _text, _hidden_draw)
_OPEN_DRAW = _fields(_whole, _whole, _text, _ROLL)


@_named("[epoch, counter, purpose, [sides, index], or of epoch 0 a seal of that]")
def _draw(value: Any) -> None:
    _need(type(value) is tuple and len(value) == 4, "an array of 4")
    (_HIDDEN_DRAW if value[0] == 0 else _OPEN_DRAW)(value)


@_named("[tag, field …]")
def _event(value: Any) -> None:
    if type(value) is not tuple or not value or type(value[0]) is not str:
        raise BadShape((), "an event that begins with its tag")


@_named("packed effects")
def _effects(value: Any) -> None:
    _need(type(value) is bytes, "packed effects")
    try:
        found = effects.unpack(value)
    except canon.NotCanonical as error:
        raise BadShape((), f"packed effects ({error})") from error
    for index, effect in enumerate(found):
        if effect[0] == effects.VEIL and (len(effect) != 2 or type(effect[1]) is not Seal):
            raise BadShape((index,), "a veil with its seal")


@_named("path")
def _path(value: Any) -> None:
    _need(
        type(value) is tuple and all(type(step) is int and step >= 0 for step in value),
        "a path of numbers",
    )


@_named("text of 1 to 4,096 characters")
def _key(value: Any) -> None:
    if type(value) is not str or not 0 < len(value) <= TEXT_CHARS_MAX:
        raise BadShape((), f"a prompt's key of 1 to {TEXT_CHARS_MAX} characters")


_OPENING = _fields(_whole, _path, _bytes(SALT_BYTES), _anything)
_AWAITS = _each(_fields(_text, _whole, _key))
_FLOW = _fields(_whole, _each(_fields(_text, _anything, _whole)))
_ARGUMENTS = _each(_fields(_text, _anything))


def _one_of(acts: Mapping[str, Check], what: str) -> Check:
    """One of several forms, distinguished by their first item."""

    def check(value: Any) -> None:
        if not value or type(value[0]) is not str or value[0] not in acts:
            raise BadShape((0,), what)
        acts[value[0]](value)

    _CASES[check] = acts
    return check


_ASKED = ("takeback", "draw", "resign", "pause", "adjourn", "flag")


@_named("number")
def _points(value: Any) -> None:
    _need(type(value) is int, "a whole number")


def _who(good: Callable[[Any], bool], what: str) -> Check:
    def check(value: Any) -> None:
        try:
            found = read_by(value)
        except ValueError:
            raise BadShape((), what) from None
        _need(good(found), what)

    return _called(what.replace("[key, n, seen, signature]", "by"), check)


_BY = _who(lambda by: type(by) is By, "[key, n, seen, signature]")
_BY_OR_NOBODY = _who(lambda by: by is None or type(by) is By, "[key, n, seen, signature] or []")
_BY_OR_ORDERS = _who(
    lambda by: True, "[key, n, seen, signature], [record of orders, entry, alternative] or []"
)


def _request(value: Any) -> None:
    """A request: its second item says what is asked."""
    _REQUEST(value)
    if value[1] not in _ASKED:
        raise BadShape((1,), " or ".join(f'"{one}"' for one in _ASKED))


_REQUEST = _body(seat=_text, request=_text, to=_whole, by=_BY)
_PARTS[_request], _NAMES[_request] = _PARTS[_REQUEST], _NAMES[_REQUEST]


@_named(f"[at most {PICKS_MAX} picks, {BLIND_BYTES} bytes or none], or a seal")
def _blinded_picks(value: Any) -> None:
    if type(value) is Seal:
        return
    _need(type(value) is tuple and len(value) == 2, "[picks, blind] or a seal")
    try:
        _picks(value[0])
    except BadShape as error:
        raise error.under(0) from None
    if type(value[1]) is not bytes or len(value[1]) not in (0, BLIND_BYTES):
        raise BadShape((1,), f"{BLIND_BYTES} bytes, or none")


def is_picks(value: Any) -> bool:
    """Whether a value that was opened has the form of [picks, blind]."""
    try:
        _blinded_picks(value)
    except BadShape:
        return False
    return type(value) is tuple


@_named(f"text of at most {PERSON_ID_CHARS_MAX}")
def _account(value: Any) -> None:
    good = type(value) is str and len(value) <= PERSON_ID_CHARS_MAX
    _need(good, f"an id of at most {PERSON_ID_CHARS_MAX} characters, or none")


@_named(f"text of 1 to {NAME_CHARS_MAX}")
def _player(value: Any) -> None:
    good = type(value) is str and 0 < len(value) <= NAME_CHARS_MAX
    _need(good, f"a name of 1 to {NAME_CHARS_MAX} characters")


@_named("seal")
def _seal(value: Any) -> None:
    _need(type(value) is Seal, "a seal")


@_named(f"{HASH_BYTES} bytes or none")
def _digest(value: Any) -> None:
    _need(type(value) is bytes and len(value) in (0, HASH_BYTES), f"{HASH_BYTES} bytes, or none")


_CREDIT = (_text, _text, _points, _text, _ARGUMENTS)
_RULED_CREDIT, _GIVEN_CREDIT = _fields(*_CREDIT), _fields(*_CREDIT, _BY)


def _credit(value: Any) -> None:
    """Of the server, or signed by the seat that gives it."""
    (_GIVEN_CREDIT if len(value) > len(_CREDIT) else _RULED_CREDIT)(value)


_PARTS[_credit] = (*_CREDIT, _called("of a seat", lambda value: _BY(value)))


_CORRECTED = _fields(_text, _whole, _picks, _each(_event), _effects, _each(_OPENING))


def _ruling(value: Any) -> None:
    """Several words, each with a form of its own."""
    try:
        body = deskbodies.read_ruling(value)
        acted = body.acted
        if acted is not None:
            acted.check()
    except ValueError as error:
        raise BadShape((), str(error)) from None
    wrong = docket.form(body)
    if wrong:
        names = [field.name for field in attrs.fields(type(body))]
        raise BadShape((1 + names.index(wrong),), "of the form that its word has")
    if isinstance(body, deskbodies.Corrected):
        _CORRECTED(value)


_CHECKS: Mapping[str, Check] = {
    records.SEAT: _one_of(
        {
            acts.TAKEN: _body(
                act=_text,
                seat=_text,
                account=_account,
                name=_player,
                nonce_hash=_bytes(NONCE_BYTES),
                client=_text,
                by=_BY,
            ),
            acts.NONCE: _body(
                act=_text,
                seat=_text,
                nonce=_bytes(NONCE_BYTES),
                roster=_bytes(HASH_BYTES),
                by=_BY,
            ),
            acts.REPLACED: _body(
                act=_text,
                seat=_text,
                account=_account,
                name=_player,
                client=_text,
                by=_BY,
                handed=_BY_OR_NOBODY,
            ),
            acts.DEVICE: _body(
                act=_text,
                seat=_text,
                key=_bytes(KEY_BYTES),
                proof=_bytes(SIGNATURE_BYTES),
                by=_BY,
            ),
            acts.REVOKED: _body(act=_text, seat=_text, key=_bytes(KEY_BYTES), by=_BY),
        },
        '"taken", "nonce", "replaced", "device" or "revoked"',
    ),
    records.COMMAND: _body(
        decision=_whole,
        seat=_text,
        picks=_blinded_picks,
        command_id=_up_to(COMMAND_ID_BYTES_MAX),
        by=_BY_OR_ORDERS,
        draws=_each(_draw),
        events=_each(_event),
        effects=_effects,
        opened=_each(_OPENING),
        flow=_FLOW,
        awaits=_AWAITS,
        digest=_digest,
    ),
    records.ASK: _request,
    records.CLOCK: _one_of(
        {
            "flag": _fields(_text, _text, _whole, _points),
            "pause": _fields(_text, _each(_text), _whole),
            "resume": _fields(_text, _text, _BY),
            "credit": _credit,
            "outage": _fields(_text, _whole, _whole),
            "leave": _fields(_text, _text, _whole, _whole, _BY),
            "night": _fields(_text, _text, _whole, _whole, _BY),
        },
        '"flag", "pause", "resume", "credit", "outage", "leave" or "night"',
    ),
    records.RULING: _ruling,
    records.ANSWER: _body(seat=_text, consents=_flag, ask=_whole, by=_BY),
    records.TAKEBACK: _body(
        seat=_text, to=_whole, effects=_effects, awaits=_AWAITS, ask=_whole, by=_BY_OR_NOBODY
    ),
    records.ORDERS: _body(seat=_text, orders=_seal, digest=_bytes(HASH_BYTES), by=_BY),
    records.ROTATE: _body(key=_bytes(KEY_BYTES), signature=_bytes(SIGNATURE_BYTES)),
    records.OPEN: _body(epoch=_whole, link=_bytes(HASH_BYTES)),
    records.END: _body(
        winner=_seat_or_nobody,
        reason=_text,
        arguments=_ARGUMENTS,
        links=_each(_fields(_whole, _bytes(HASH_BYTES))),
        hidden=_bytes(HASH_BYTES),
        salts=_bytes(HASH_BYTES),
        clause=_text,
        scores=_each(_fields(_text, _points)),
        by=_text,
    ),
    records.REVEAL: _body(openings=_each(_OPENING), last=_flag),
}


def names_of(kind: str, act: str = "") -> tuple[str, ...]:
    """The names of the fields of a body of this kind, "act" for the word that it begins with.
    Empty for a kind of another log, and for what names its fields itself."""
    check = _CHECKS.get(kind)
    if check is None:
        return ()
    return _NAMES.get(_CASES.get(check, {"": check}).get(act, check), ())


def forms() -> Iterator[tuple[str, str, tuple[Check, ...]]]:
    """The forms of the fields of each kind of record, and of each word where a body begins with one
    (its own form first). A genesis and rulings check themselves."""
    for kind, check in _CHECKS.items():
        for word, one in _CASES.get(check, {"": check}).items():
            if one in _PARTS:
                yield kind, word, _PARTS[one]


def check(record: Record) -> None:
    """Raise BadShape unless the body has the form of its kind (a genesis checks itself), and an
    arbiter's has no signature."""
    found = _CHECKS.get(record.kind)
    if found is not None:
        found(record.body)
    if type(record.actor) is not str and record.kind in (records.CLOCK, records.RULING):
        body = bodies.read(record)
        signed = isinstance(body, deskbodies.Told) and body.acted is not None
        _need(not signed, "without a signature: an arbiter signs nothing")
