"""Writes clients/web/protocol.d.ts anew: the types of what a server sends to the page, for tsc.

Run it after a message, a body or a part of a description has changed: `python -m ops.pagetypes`.

The name of an array ends in `Array`, and its fields stand in their order. An object that has the
same fields by name is called as its class is. No browser reads the file."""

from __future__ import annotations

import json
import types
import typing
from collections import abc
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from warledger.protocol.board import description, effects, scoring
from warledger.protocol.board.choices import Choices, Option, Pick, Picks, Refusal, Say
from warledger.protocol.chance.seal import Opening
from warledger.protocol.clocks.clockcontrol import Control
from warledger.protocol.log import bodies, deskbodies, records
from warledger.protocol.log.bodies import By, ByOrders
from warledger.protocol.log.chain import Head
from warledger.protocol.seats.standing import SPANS, Entry
from warledger.protocol.wire import messages
from warledger.protocol.wire.fields import SHAPE
from warledger.protocol.wire.messages import CLIENT

FILE: Final = Path(__file__).parents[1] / "clients/web/protocol.d.ts"

_ARRAYS: Final = (Say, Refusal, Option, Choices, Head, By, ByOrders, Opening)
"""What stands as an array wherever it is a field of something else."""
_OBJECTS: Final = (Say, Option, Choices, Head, By, ByOrders, bodies.End, effects.Piece, Control)
_DESCRIBED: Final = (
    *(description.Shape, description.Terrain, description.Place, description.River),
    *(description.Line, description.Area, description.Source, description.Box, description.Track),
    *(description.Face, description.Piece, description.Symbol, scoring.Tally, scoring.Condition),
    *(scoring.Scoring, scoring.Results, scoring.Hits, description.Description),
)
_NAMES: Final[Mapping[Any, str]] = {
    description.Shape: "Grid",
    description.Piece: "DescribedPiece",
    bodies.CommandBody: "Command",
    deskbodies.Froze: "Frozen",
}
"""The names of classes that another class here, or a browser, has too."""
_SINGLE: Final[Mapping[Any, str]] = {
    str: "string",
    int: "number",
    bool: "boolean",
    bytes: "Uint8Array",
    type(None): "null",
    Any: "any",
    Pick: "Pick",
    Picks: "Picks",
    Entry: "StandingArray",
    bodies.Question: "Question",
    **{cls: f"{cls.__name__}Array" for cls in _ARRAYS},
    **{cls: _NAMES.get(cls, cls.__name__) for cls in _DESCRIBED},
}


def _words(words: Iterable[str]) -> str:
    return " | ".join(map(json.dumps, words))


_SHARED: Final = f"""\
export type Pick = string | number;
export type Picks = Pick[];
/** The arguments of a sentence: a name and a value each. */
export type Arguments = [string, any][];
/** A seat or the server by name, or an arbiter. */
export type Actor = string | [id: string, name: string];
/** A standing answer: the first of these that is on offer is given. */
export type StandingArray = [prompt: string, answers: Picks[], until: {_words(SPANS)}];
/** A seat that is asked, the record that asked it, and the key of the prompt. */
export type Question = [seat: string, seq: number, prompt: string];
"""
_BEHIND: Final = """\
/** The fields of a message behind the game. */
export type BehindGame<T extends keyof Messages> = Messages[T] extends [game: string, ...infer Rest]
  ? Rest
  : never;
/** The fields of a message behind the game, and the seat or room in it. */
export type BehindPlace<T extends keyof Messages> =
  Messages[T] extends [game: string, place: any, ...infer Rest] ? Rest
  : never;
"""
_RECORDED: Final = """\
/** A record whose body has the form of its kind, as that of every record that was verified. */
export type Recorded = { [Kind in keyof Bodies]: { kind: Kind; body: Bodies[Kind] } }[keyof Bodies];
"""
_ARRAY_FIELDS: Final[Mapping[Any, Mapping[str, str]]] = {
    Say: {"args": "Arguments"},
    Refusal: {"args": "Arguments"},
    Choices: {"options": "(Pick | OptionArray)[]", "text?": "number"},
    bodies.End: {
        "reason": "string",
        "args": "Arguments",
        "links": "[epoch: number, link: Uint8Array][]",
        "hidden": "Uint8Array",
        "salts": "Uint8Array",
        "rule": "string",
        "scores": "[seat: string, points: number][]",
        "by": "string",
    },
}
"""Fields of arrays that stand there otherwise than their class says."""
_REFUSALS: Final = ("refused", "declined")
"""The answers that the page's connection throws."""
_LEFT: Final = {
    Opening: ("readers",),
    Choices: ("text",),
    records.Genesis: ("hash",),
    bodies.End: ("links", "hidden", "salts", "scores", "by"),
}
"""Fields that are not in the array, or stand behind the others."""
BODIES: Final[Mapping[str, Any]] = {
    records.GENESIS: records.Genesis,
    records.SEAT: {
        bodies.TAKEN: bodies.Taken,
        bodies.NONCE: bodies.Nonce,
        bodies.REPLACED: bodies.Replaced,
        bodies.DEVICE: bodies.Device,
        bodies.REVOKED: bodies.Revoked,
    },
    records.COMMAND: bodies.CommandBody,
    records.ASK: bodies.Ask,
    records.ANSWER: bodies.Answer,
    records.TAKEBACK: bodies.Takeback,
    records.OPEN: bodies.Open,
    records.END: bodies.End,
    records.ORDERS: bodies.Orders,
    records.ROTATE: bodies.Rotate,
    records.REVEAL: bodies.Reveal,
    records.CLOCK: deskbodies.CLOCKS,
    records.RULING: deskbodies.RULINGS,
}
"""The class of each kind of record, or those of the words with which its body begins."""


def _type(hint: Any) -> str:
    """A type of Python as TypeScript has it. Raises KeyError for one that no field should have."""
    if hint in _SINGLE:
        return _SINGLE[hint]
    of, inner = typing.get_origin(hint), typing.get_args(hint)
    if of is tuple and inner[1:] == (...,):
        told = _type(inner[0])
        return f"({told})[]" if " | " in told else f"{told}[]"
    if of is tuple:
        return f"[{', '.join(map(_type, inner))}]"
    if of in (dict, abc.Mapping):
        return f"Record<string, {_type(inner[1])}>"
    if of in (types.UnionType, typing.Union):
        told = " | ".join(map(_type, inner))
        return told.replace("null", "[]") if By in inner else told
    return _SINGLE[hint]


def _fields(cls: Any) -> dict[str, str]:
    """The fields of a class with their types."""
    hints = typing.get_type_hints(cls)
    return {field.name: _of_field(field, hints[field.name]) for field in attrs.fields(cls)}


def _of_field(field: Any, hint: Any) -> str:
    words = field.metadata[SHAPE].schema.get("enum") if SHAPE in field.metadata else None
    return _words(words) if words else _type(hint)


def _placed(cls: Any) -> dict[str, str]:
    """The fields of an array with their types, in their order."""
    also = _ARRAY_FIELDS.get(cls, {})
    found = {name: told for name, told in _fields(cls).items() if name not in _LEFT.get(cls, ())}
    return {**found, **also}


def _array(placed: Mapping[str, str]) -> str:
    return f"[{', '.join(f'{name}: {told}' for name, told in placed.items())}]"


def _object(cls: Any) -> str:
    name = _NAMES.get(cls, cls.__name__)
    told = (
        f"  {field}: {kind.replace('OptionArray', 'Option')};\n"
        for field, kind in _fields(cls).items()
    )
    return f"export interface {name} {{\n{''.join(told)}}}\n"


def _body(told: Any) -> str:
    if isinstance(told, Mapping):
        return "".join(f"\n    | {_by_word(word, cls)}" for word, cls in told.items())
    return f" {_array(_placed(told))}"


def _by_word(word: str, cls: Any) -> str:
    placed = _placed(cls)
    if issubclass(cls, deskbodies.Told) and placed.pop("by", ""):
        # A seat that acted signs; the server and an arbiter do not.
        placed["by?"] = "ByArray"
    return _array({"what": json.dumps(word), **placed})


def _interface(name: str, rows: Iterable[str], what: str) -> str:
    return f"/** {what} */\nexport interface {name} {{\n{''.join(rows)}}}\n"


def text() -> str:
    """The file."""
    every = messages.all_messages()
    found = [
        "// Written by `python -m ops.pagetypes` from the classes of protocol/. Change those.\n",
        _SHARED,
        *(f"export type {cls.__name__}Array = {_array(_placed(cls))};\n" for cls in _ARRAYS),
        *map(_object, (*_OBJECTS, *_DESCRIBED)),
        _interface(
            "Bodies",
            (f"  {kind}:{_body(told)};\n" for kind, told in BODIES.items()),
            "The body of each kind of record.",
        ),
        _RECORDED,
        _interface(
            "Messages",
            (f"  {cls.tag}: {_message(cls)};\n" for cls in every),
            "The fields of each message behind its request's number.",
        ),
        _BEHIND,
        _interface(
            "Answers",
            (f"  {cls.tag}: {_answers(cls)};\n" for cls in every if cls.sender == CLIENT),
            "What answers each request, if it is not refused.",
        ),
    ]
    return "\n".join(found)


def _message(cls: Any) -> str:
    placed = _placed(cls)
    placed.pop("request", None)
    return _array(placed)


def _answers(cls: Any) -> str:
    tags = [tag for tag in cls.answers if tag not in _REFUSALS]
    return " | ".join(f'Messages["{tag}"]' for tag in tags) or "never"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
