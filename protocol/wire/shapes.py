"""How the fields of messages stand in JSON: each kind's schema, and the way there and back.

| value | JSON |
|---|---|
| a field of bytes | text: base64url without padding |
| a field of rows | arrays; bytes in them as text |
| a sentence, refusal, signed head, choices | an object with named members |
| any canonical value | as `plainform` writes it |

What is read from JSON becomes the values that a message's own checks then judge: here it is only
made sure that there is something to judge. Raises BadMessage.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any, Final

import attrs

from warledger.protocol.canon import Seal
from warledger.protocol.limits import HASH_BYTES, INT_MAX, NAME_CHARS_MAX, PICKS_MAX, TEXT_CHARS_MAX
from warledger.protocol.log.plainform import base64url, plain


class NotAShape(ValueError):
    """JSON that does not have the shape of the field that it is for."""


def _same(value: Any) -> Any:
    return value


@attrs.frozen
class Shape:
    """A kind of field in JSON: its schema (JSON Schema, draft 2020-12), how its value is written,
    and how it is read."""

    schema: dict[str, Any]
    write: Callable[[Any], Any] = _same
    read: Callable[[Any], Any] = _same


def octets_of(told: Any) -> bytes:
    """Bytes from base64url without padding. Raises NotAShape."""
    if type(told) is not str:
        raise NotAShape("must be bytes, as base64url without padding")
    try:
        data = base64.b64decode(told + "=" * (-len(told) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    # One text for one value: no spare bits, no padding, no other alphabet.
    if base64url(data) != told:
        raise NotAShape("must be bytes, as base64url without padding")
    return data


def value_of(told: Any) -> Any:
    """A canonical value from what `plainform.plain` writes; the way back of it. Raises
    NotAShape."""
    if type(told) is list:
        return tuple(map(value_of, told))
    if type(told) is not dict:
        return told
    if len(told) == 1:
        ((key, inner),) = told.items()
        if key == "bytes":
            return octets_of(inner)
        if key == "seal":
            digest = octets_of(inner)
            if len(digest) != HASH_BYTES:
                raise NotAShape(f"a seal has {HASH_BYTES} bytes")
            return Seal(digest)
        if key == "map":
            if type(inner) is not dict:
                raise NotAShape('{"map": …} holds an object')
            return _map_of(inner)
    return _map_of(told)


def _map_of(told: dict[str, Any]) -> dict[str, Any]:
    return {key: value_of(told[key]) for key in sorted(told)}


def _text_schema(chars_max: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": chars_max}


def _octets_schema(least: int, most: int) -> dict[str, Any]:
    def chars(count: int) -> int:
        return (count * 8 + 5) // 6

    return {
        "type": "string",
        "contentEncoding": "base64url",
        "pattern": "^[A-Za-z0-9_-]*$",
        "minLength": chars(least),
        "maxLength": chars(most),
    }


_INTEGER: Final = {"type": "integer", "minimum": -INT_MAX, "maximum": INT_MAX}
PICK: Final = {"anyOf": [_text_schema(TEXT_CHARS_MAX), _INTEGER]}
_PICKS: Final = {"type": "array", "items": PICK, "maxItems": PICKS_MAX}
_VALUE: Final = {"$ref": "#/$defs/Value"}
_SAY: Final = {"$ref": "#/$defs/Say"}
_ARGS: Final = {
    "type": "array",
    "items": {
        "type": "array",
        "prefixItems": [{"type": "string"}, _VALUE],
        "items": False,
        "minItems": 2,
    },
}
_ANY_OCTETS: Final = {
    "type": "string",
    "contentEncoding": "base64url",
    "pattern": "^[A-Za-z0-9_-]*$",
}

PARTS: Final[dict[str, Any]] = {
    "Value": {
        "description": "Any canonical value: null, true, false, a whole number, text, an array or "
        'a map; bytes are {"bytes": base64url}, a seal is {"seal": base64url}, and a map whose '
        'only key is bytes, seal or map stands in {"map": …}.',
        "anyOf": [
            {"type": ["null", "boolean", "string"]},
            _INTEGER,
            {"type": "array", "items": {"$ref": "#/$defs/Value"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Value"}},
        ],
    },
    "Say": {
        "description": "A sentence: a phrase of the catalogue with its arguments, and the clause "
        "that it cites.",
        "type": "object",
        "properties": {"key": {"type": "string"}, "args": _ARGS, "rule": {"type": "string"}},
        "required": ["key", "args", "rule"],
        "additionalProperties": False,
    },
}
"""What schemas refer to as #/$defs/NAME."""


def _object(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": schema,
        "required": list(schema),
        "additionalProperties": False,
    }


def _members(told: Any, *names: str, what: str) -> list[Any]:
    if type(told) is not dict or set(told) != set(names):
        raise NotAShape(f"{what} must be an object with {', '.join(names)}")
    return [told[name] for name in names]


def _say_array(told: Any) -> tuple[Any, ...]:
    key, args, rule = _members(told, "key", "args", "rule", what="a sentence")
    return (key, value_of(args), rule)


def _say_object(array: Any) -> dict[str, Any]:
    key, args, rule = array
    return {"key": key, "args": plain(args), "rule": rule}


# --- the kinds of fields --------------------------------------------------------------------------


def number(lowest: int, highest: int) -> Shape:
    """A whole number."""
    return Shape({"type": "integer", "minimum": lowest, "maximum": highest})


def flag() -> Shape:
    """Yes or no."""
    return Shape({"type": "boolean"})


def text(chars_max: int) -> Shape:
    """Text."""
    return Shape(_text_schema(chars_max))


def name() -> Shape:
    """A name."""
    return Shape({**_text_schema(NAME_CHARS_MAX), "description": "a short text"})


def one_of(*values: str) -> Shape:
    """One of some words."""
    return Shape({"enum": list(values)})


def octets(least: int, most: int) -> Shape:
    """Bytes."""
    return Shape(_octets_schema(least, most), base64url, octets_of)


def picks() -> Shape:
    """Picks."""
    return Shape(_PICKS, list, value_of)


def options() -> Shape:
    """Options of a game."""
    item = {"anyOf": [{"type": "boolean"}, *PICK["anyOf"]]}
    return Shape({"type": "object", "additionalProperties": item}, dict, _same)


def terms() -> Shape:
    """Terms of a game."""
    schema = {"type": "object", "additionalProperties": _VALUE}

    def read(told: Any) -> Any:
        if type(told) is not dict:
            raise NotAShape("must be an object")
        return _map_of(told)

    return Shape(schema, lambda value: {key: plain(item) for key, item in value.items()}, read)


def phrases() -> Shape:
    """A catalogue."""
    return Shape({"type": "object", "additionalProperties": {"type": "string"}}, dict, _same)


def value() -> Shape:
    """Any canonical value."""
    return Shape(_VALUE, plain, value_of)


def maps() -> Shape:
    """An array of maps."""
    inner = {"type": "object", "additionalProperties": _VALUE}

    def read(told: Any) -> Any:
        if type(told) is not list or any(type(item) is not dict for item in told):
            raise NotAShape("must be an array of objects")
        return tuple(map(_map_of, told))

    def write(value: Any) -> Any:
        return [{key: plain(item) for key, item in one.items()} for one in value]

    return Shape({"type": "array", "items": inner}, write, read)


_OF_TYPE: Final[dict[type, dict[str, Any]]] = {
    str: {"type": "string"},
    int: _INTEGER,
    bool: {"type": "boolean"},
    bytes: _ANY_OCTETS,
}


def rows(*types: type) -> Shape:
    """An array of arrays with items of these types."""
    row = {
        "type": "array",
        "prefixItems": [_OF_TYPE[kind] for kind in types],
        "items": False,
        "minItems": len(types),
    }

    def write(value: Any) -> Any:
        return [[base64url(item) if type(item) is bytes else item for item in one] for one in value]

    def read(told: Any) -> Any:
        if type(told) is not list or any(
            type(one) is not list or len(one) != len(types) for one in told
        ):
            raise NotAShape(f"must be an array of arrays of {len(types)}")
        return tuple(
            tuple(
                octets_of(item) if kind is bytes else item
                for item, kind in zip(one, types, strict=True)
            )
            for one in told
        )

    return Shape({"type": "array", "items": row}, write, read)


def orders() -> Shape:
    """Standing answers."""
    row = {
        "type": "array",
        "prefixItems": [
            _text_schema(TEXT_CHARS_MAX),
            {"type": "array", "items": _PICKS, "minItems": 1},
            {"enum": ["turn", "game"]},
        ],
        "items": False,
        "minItems": 3,
    }
    return Shape({"type": "array", "items": row}, plain, value_of)


# Of structures, the message's own `write` and `read` make the array; here it gets its names.


def sentence() -> Shape:
    """A sentence."""
    return Shape(_SAY, _say_object, _say_array)


def sentences() -> Shape:
    """Several."""

    def read(told: Any) -> Any:
        if type(told) is not list:
            raise NotAShape("must be an array of sentences")
        return tuple(map(_say_array, told))

    return Shape(
        {"type": "array", "items": _SAY}, lambda array: list(map(_say_object, array)), read
    )


def refusal() -> Shape:
    """A refusal."""

    def write(array: Any) -> Any:
        rule, key, args = array
        return {"rule": rule, "key": key, "args": plain(args)}

    def read(told: Any) -> Any:
        rule, key, args = _members(told, "rule", "key", "args", what="a refusal")
        return (rule, key, value_of(args))

    text = {"type": "string"}
    return Shape(_object({"rule": text, "key": text, "args": _ARGS}), write, read)


def head() -> Shape:
    """A signed head."""
    names = ("game", "seq", "hash", "signature")

    def write(array: Any) -> Any:
        game, seq, digest, signature = array
        return dict(zip(names, (game, seq, base64url(digest), base64url(signature)), strict=True))

    def read(told: Any) -> Any:
        game, seq, digest, signature = _members(told, *names, what="a signed head")
        return (game, seq, octets_of(digest), octets_of(signature))

    members = {
        "game": {"type": "string"},
        "seq": _INTEGER,
        "hash": _octets_schema(HASH_BYTES, HASH_BYTES),
        "signature": _octets_schema(64, 64),
    }
    return Shape(_object(members), write, read)


def choices() -> Shape:
    """Choices."""
    names = ("slot", "options", "span", "complete", "sealed")

    def option(item: Any) -> Any:
        return (
            {"pick": item[0], "label": _say_object(item[1])}
            if type(item) is tuple
            else {"pick": item}
        )

    def option_of(told: Any) -> Any:
        if type(told) is dict and set(told) == {"pick"}:
            return told["pick"]
        pick, label = _members(told, "pick", "label", what="an option")
        return (pick, _say_array(label))

    def write(array: Any) -> Any:
        slot, options, span, complete, sealed, *text = array
        told = {
            "slot": slot,
            "options": list(map(option, options)),
            "span": None if span is None else list(span),
            "complete": complete,
            "sealed": sealed,
        }
        return {**told, "text": text[0]} if text else told

    def read(told: Any) -> Any:
        rest = told
        text: tuple[Any, ...] = ()
        if type(told) is dict and "text" in told:
            rest = {name: value for name, value in told.items() if name != "text"}
            text = (told["text"],)
        slot, options, span, complete, sealed = _members(rest, *names, what="choices")
        if type(options) is not list:
            raise NotAShape("options must be an array")
        return (slot, tuple(map(option_of, options)), value_of(span), complete, sealed, *text)

    listed = {
        "type": "object",
        "properties": {"pick": PICK, "label": _SAY},
        "required": ["pick"],
        "additionalProperties": False,
    }
    pair = {"type": ["array", "null"], "items": _INTEGER, "minItems": 2, "maxItems": 2}
    flag = {"type": "boolean"}
    members = {
        "slot": {"type": "string"},
        "options": {"type": "array", "items": listed},
        "span": pair,
        "complete": flag,
        "sealed": flag,
    }
    schema = _object(members)
    schema["properties"] = {**members, "text": {**_INTEGER, "minimum": 1}}
    return Shape(schema, write, read)


def effects() -> Shape:
    """Effects."""
    one = {
        "type": "array",
        "prefixItems": [{"type": "string"}],
        "items": _VALUE,
        "minItems": 1,
    }
    return Shape({"type": "array", "items": one}, plain, value_of)
