"""Messages in JSON, for the WebSocket's second subprotocol: an object with the message's tag as
`type`, and its fields by name. `shapes` says how each kind of field stands.

A record in `records` is an object: `data` its bytes, which hashes cover, `private` the bytes of the
audience's openings ("" for none), and `record` and `openings`, which are decoded copies of both.
"""

from __future__ import annotations

import json
from typing import Any, Final

import attrs

from warledger.protocol import tournaments
from warledger.protocol.canon import NotCanonical
from warledger.protocol.chance.seal import BadOpening, unpack_openings
from warledger.protocol.limits import INT_MAX
from warledger.protocol.log import records
from warledger.protocol.log.plainform import base64url, plain, told
from warledger.protocol.log.records import CorruptLog
from warledger.protocol.wire import messages, shapes
from warledger.protocol.wire.errorcodes import ERROR_CODES
from warledger.protocol.wire.fields import READ, SHAPE, WRITE, BadMessage
from warledger.protocol.wire.messages import CLIENT, Records
from warledger.protocol.wire.shapes import NotAShape, Shape, octets_of

TYPE: Final = "type"


@attrs.frozen
class _Member:
    """A field: its name, its shape, and what the wire's form of it is made with and read with."""

    name: str
    shape: Shape
    write: Any
    read: Any


def _members_of(cls: type[Any]) -> tuple[_Member, ...]:
    return tuple(
        _Member(
            column.name,
            _RECORDS if (cls, column.name) == (Records, "items") else column.metadata[SHAPE],
            column.metadata.get(WRITE),
            column.metadata.get(READ),
        )
        for column in attrs.fields(cls)
    )


# --- records --------------------------------------------------------------------------------------


def _write_records(items: Any) -> Any:
    return [_copied(data, private) for data, private in items]


_KINDS: Final = (*records.KINDS, *tournaments.KINDS)
"""A game's records, and a tournament's."""


def _copied(data: bytes, private: bytes) -> dict[str, Any]:
    made: dict[str, Any] = {"data": base64url(data), "private": base64url(private)}
    try:
        record = records.read(data, trusted=True, kinds=_KINDS)
        openings = unpack_openings(private) if private else ()
        made["record"] = told(record, openings)
        made["openings"] = [
            {
                "seq": one.seq,
                "path": plain(one.path),
                "salt": base64url(one.salt),
                "value": plain(one.value),
                "readers": list(one.readers),
            }
            for one in openings
        ]
    except (CorruptLog, NotCanonical, BadOpening):
        # What cannot be read is still passed on as it is.
        made["record"], made["openings"] = None, []
    return made


def _read_records(items: Any) -> Any:
    if type(items) is not list or any(type(one) is not dict for one in items):
        raise NotAShape("must be an array of objects")
    return tuple((octets_of(one.get("data")), octets_of(one.get("private"))) for one in items)


_TEXT: Final = {"type": "string", "contentEncoding": "base64url"}
_RECORDS: Final = Shape(
    {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "data": {**_TEXT, "description": "the record's bytes"},
                "private": {**_TEXT, "description": 'packed openings for this audience; "": none'},
                "record": {
                    "type": ["object", "null"],
                    "description": "a copy to read: seq, at_ms, kind, actor, body, effects (with "
                    "what the openings show), previous and hash in hexadecimal",
                },
                "openings": {
                    "type": "array",
                    "items": {"type": "object"},
                    "description": "a copy to read: seq, path, salt, value, readers of each",
                },
            },
            "required": ["data", "private", "record", "openings"],
        },
    },
    _write_records,
    _read_records,
)

_MEMBERS: Final = {cls.tag: (cls, _members_of(cls)) for cls in messages.all_messages()}


# --- a message ------------------------------------------------------------------------------------


def to_json(message: Any) -> str:
    """A message as JSON text, in one line."""
    _, members = _MEMBERS[message.tag]
    made: dict[str, Any] = {TYPE: message.tag}
    for member in members:
        value = getattr(message, member.name)
        if member.write is not None:
            value = member.write(value)
        made[member.name] = member.shape.write(value)
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> Any:
    """The message of a JSON text. Raises BadMessage; its text says what is wrong, and `request` is
    the request's number where that could be read."""
    try:
        told = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        text.encode("utf-8")
    except BadMessage:
        raise
    except (ValueError, RecursionError) as error:
        raise BadMessage("this is not JSON that can be read") from error
    if type(told) is not dict or type(told.get(TYPE)) is not str:
        raise BadMessage('a message is an object with its tag as "type"')
    tag = told.pop(TYPE)
    if tag not in _MEMBERS:
        raise BadMessage(f"unknown message {tag[:64]!r}")
    cls, members = _MEMBERS[tag]
    names = {member.name for member in members}
    request = told.get("request")
    numbered = cls.sender == CLIENT and type(request) is int and 1 <= request <= INT_MAX
    try:
        _whole(told)
        for name in told:
            if name not in names:
                raise BadMessage(f"{tag} has no field {name[:64]!r}")
        values = {}
        for member in members:
            if member.name not in told:
                raise BadMessage(f"{tag} lacks the field {member.name!r}")
            values[member.name] = _read(member, told[member.name])
        return cls(**values)
    except BadMessage as error:
        what = str(error) if str(error).startswith(tag) else f"{tag}: {error}"
        raise BadMessage(what, (request or 0) if numbered else 0, tag) from error


def _read(member: _Member, told: Any) -> Any:
    try:
        value = member.shape.read(told)
        return value if member.read is None else member.read(value)
    except NotAShape as error:
        raise BadMessage(f"{member.name} {error}") from error
    except (TypeError, ValueError, UnicodeEncodeError, AttributeError) as error:
        if isinstance(error, BadMessage):
            raise
        raise BadMessage(f"{member.name} is not what it must be") from error


def _whole(told: Any) -> None:
    """Half a character (a surrogate by itself) can be escaped in JSON, and in no message."""
    try:
        json.dumps(told, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadMessage("a text has half a character") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise BadMessage("an object has a key twice")
    return made


def _constant(word: str) -> Any:
    raise BadMessage(f"{word} is not JSON")


# --- the contract ---------------------------------------------------------------------------------


def contract() -> dict[str, Any]:
    """Every message, field, type and bound, and every error code, as JSON Schema (draft 2020-12).

    A message's `x-wire` lists its fields in the order of the binary form `[tag, field …]`; `x-from`
    says who sends it, `x-answers` what may answer it.
    """
    defs: dict[str, Any] = {**shapes.PARTS}
    for tag, (cls, members) in _MEMBERS.items():
        defs[tag] = {
            "description": " ".join((cls.__doc__ or "").split()),
            "x-from": cls.sender or "either",
            "x-answers": list(cls.answers),
            "x-wire": [member.name for member in members],
            "type": "object",
            "properties": {
                TYPE: {"const": tag},
                **{member.name: member.shape.schema for member in members},
            },
            "required": [TYPE, *(member.name for member in members)],
            "additionalProperties": False,
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Warledger's protocol",
        "x-version": messages.VERSION,
        "x-errors": dict(sorted(ERROR_CODES.items())),
        "oneOf": [{"$ref": f"#/$defs/{tag}"} for tag in _MEMBERS],
        "$defs": defs,
    }


def contract_text() -> str:
    """`contract` as the file `messages.json` has it."""
    return json.dumps(contract(), ensure_ascii=False, indent=1) + "\n"
