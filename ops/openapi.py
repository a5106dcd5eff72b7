"""Writes engine/serve/http/openapi.json anew from the paths of engine/serve/http/routes.py.

Run it after a path has changed: `python -m ops.openapi`. What is in a value that is told in JSON is
described here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from warledger.engine.serve.http.endpoints import STAGES
from warledger.engine.serve.http.routes import OBJECT, ROUTES, STRING, Route
from warledger.protocol.wire.markmessages import PLACES_OF

FILE: Final = Path(__file__).parents[1] / "engine/serve/http/openapi.json"

Schema = dict[str, Any]


def _holding(told: str = "", /, *, also: Schema | None = None, **fields: Any) -> Schema:
    """An object with these fields, and perhaps others."""
    described = {"description": told} if told else {}
    return {**OBJECT, **described, "required": [*fields], "properties": {**fields, **(also or {})}}


def _list(items: Any, told: str = "") -> Schema:
    return {"type": "array", "items": items, **({"description": told} if told else {})}


def _enum(*words: str) -> Schema:
    return {**STRING, "enum": words}


def _told(schema: Any, told: str) -> Schema:
    return {**schema, "description": told}


def _named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_NUMBER: Final = {"type": "integer"}
_LIST: Final = {"type": "array"}
_HEX: Final = {**STRING, "pattern": "^[0-9a-f]*$"}
_ROLLED: Final = _holding(
    "`total` against `expected` (numerator and denominator), the difference in standard deviations",
    expected=_list(_NUMBER),
    deviations={},
)
_FACES: Final = _list(_holding(sides=_NUMBER, counts=_LIST, chi_square={}, chance={}))
_LOG: Final = {"log": STRING, "title": STRING, "pace": STRING, "last": _HEX, "periods": _LIST}
_AT: Final = {"seq": _NUMBER, "hash": _HEX, "signature": _HEX}

SCHEMAS: Final[dict[str, Schema]] = {
    "List": _holding(games=_list(_named("Entry")), more={"type": "boolean"}, after=STRING),
    "Entry": _holding(
        "A game as a list tells it; the fields are those of game_list in the protocol.",
        game=STRING,
        title=STRING,
        stage=_enum(*STAGES[1:], "quarantined"),
        also={"seq": _NUMBER},
    ),
    "Head": _holding(
        "The server's Ed25519 signature over the bytes warledger/head/1 followed by the canonical "
        "msgpack array [game, seq, hash].",
        game=STRING,
        **_AT,
    ),
    "Record": _holding(
        "A record. hash is the SHA-256 of the bytes data; previous is the hash of the record "
        "before. body and effects are for reading: bytes stand there as "
        '{"bytes": base64url}, hidden values as {"seal": base64url}.',
        seq=_NUMBER,
        at_ms=_NUMBER,
        kind=STRING,
        actor=STRING,
        body=_LIST,
        effects=_list(_LIST),
        previous=_HEX,
        hash=_HEX,
        data=_told(STRING, "base64url without padding"),
    ),
    "Tournaments": _holding(
        tournaments=_list(
            _holding(
                id=STRING,
                name=STRING,
                title=STRING,
                entrants=_NUMBER,
                round=_NUMBER,
                state=STRING,
                delay_s=_NUMBER,
                seq=_NUMBER,
            )
        )
    ),
    "Tournament": _holding(
        id=STRING,
        name=STRING,
        title=STRING,
        state=_enum("entering", "playing", "finished"),
        round=_NUMBER,
        stage={},
        charter={},
        words={},
        entrant_list=_LIST,
        officials={},
        rounds=_LIST,
        standings=_LIST,
        head=_told(_NUMBER, "the newest record that is shown"),
    ),
    "TournamentHead": _holding(tournament=STRING, **_AT),
    "Analysis": _holding(
        player=_told(STRING, "the bot that played"),
        seats=_list(STRING),
        points=_list(
            _holding(
                seq=_told(_NUMBER, "the record at which a turn begins"),
                args=_list(_LIST, "what the log says of the turn: names and values"),
                played=_told(_NUMBER, "games played on from there"),
                drawn=_NUMBER,
                odds={
                    **OBJECT,
                    "description": "for each seat the share of games that it won, in thousandths, "
                    "and the bounds of its 95 % interval",
                    "additionalProperties": _list(_NUMBER),
                },
            )
        ),
    ),
    "Luck": _holding(
        records=_told(_NUMBER, "how many records are counted"),
        dice=_holding(
            seats={
                **OBJECT,
                "description": "the sum of all open dice by seat, and by what they were rolled for",
                "additionalProperties": _ROLLED,
            },
            histograms=_FACES,
        ),
        combats=_holding(
            seats=_list(_ROLLED, "what each seat's rolls in combat came to, in what `unit` says"),
            luckiest=_list(
                _ROLLED, "the combats in which a seat got most above what it could expect"
            ),
        ),
    ),
    "LuckOfAll": _holding(
        player=_told(STRING, "whose seats count, empty for everybody's"),
        games=_told(_NUMBER, "how many games there are"),
        counted=_told(_NUMBER, "how many of them have been read so far"),
        titles=_list(
            _holding(
                "the dice and combats of a title's games by seat, as in Luck, and the luckiest "
                "combats, each with its game",
                title=STRING,
                games=_NUMBER,
                dice={},
                combats={},
                luckiest=_LIST,
            )
        ),
        histograms=_told(_FACES, "the faces of all dice, by sides"),
    ),
    "Ratings": _holding(ratings=_list(_holding(**_LOG))),
    "RatingsLog": _holding(
        **_LOG,
        players=_list(
            _holding(
                player=STRING,
                id=_told(STRING, "what the player is known by; empty for whoever is known by name"),
                shown=_told(
                    STRING, "the name, with the end of the id where another player has that name"
                ),
                rating=_NUMBER,
                deviation=_NUMBER,
                volatility=_NUMBER,
                month=STRING,
            )
        ),
    ),
    "Marks": _holding(
        marks=_list(
            _holding(
                n=_NUMBER,
                at=_told(_NUMBER, "the record that it is about"),
                kind=_enum(*PLACES_OF),
                places=_list(
                    STRING, "of an arrow where it begins and where it leads, else the one place"
                ),
                text=STRING,
                by=_told(STRING, "who drew it"),
            )
        )
    ),
}
"""The values that more than one word describes, by the names that the routes call them by."""

_INFO: Final = {
    "title": "Warledger",
    "version": "1",
    "description": "What a Warledger server tells everybody. Everything here is read-only, and no "
    "more than a spectator may know: the delay of a game holds here as it does for records. "
    "Playing is done by messages over TCP or WebSocket.",
    "license": {"name": "MIT", "identifier": "MIT"},
}
NAMED: Final = {
    "game": "the id of a game",
    "title": "the name of a title",
    "language": "a language that /api/languages names",
    "ratings": "the name of a log: a title, with its pace where there is one",
    "tournament": "a tournament's id",
    "number": "the number of an entry",
}
"""What stands for a name in braces."""


def _content(type: str, schema: Any) -> Schema:
    told = _named(schema) if isinstance(schema, str) else schema
    return {"content": {type.partition(";")[0]: {"schema": told}}}


def _responses(route: Route) -> Iterator[tuple[int, Schema]]:
    answer = route.answer or route.summary[0].lower() + route.summary[1:]
    headers = {
        name: {"description": what, "schema": schema}
        for name, (what, schema) in route.headers.items()
    }
    content = _content(route.type, route.schema)
    yield 200, {"description": answer, **({"headers": headers} if headers else {}), **content}
    others = {**route.statuses, 429: "too many requests; see Retry-After"}
    for status, what in sorted(others.items()):
        words = {} if status == 204 else _content("text/plain", STRING)
        yield status, {"description": what, **(content if status in route.alike else words)}


def _get(route: Route) -> Schema:
    parameters: list[Schema] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": NAMED[name],
            "schema": STRING,
        }
        for name, _ in route.pattern
        if name
    ]
    parameters += [
        {"name": one.name, "in": "query", "description": one.what, "schema": one.schema}
        for one in route.query
    ]
    return {
        "summary": route.summary,
        **({"parameters": parameters} if parameters else {}),
        "responses": {str(status): told for status, told in _responses(route)},
    }


def _lines(values: Mapping[str, Schema]) -> str:
    """An object in JSON, each of its values on a line."""
    told = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in values.items())
    return "{\n" + ",\n".join(told) + "\n}"


def text() -> str:
    """What /api/openapi.json serves."""
    paths = {route.path: {"get": _get(route)} for route in ROUTES if route.summary}
    return (
        f'{{"openapi": "3.1.0",\n"info": {json.dumps(_INFO)},\n"paths": {_lines(paths)},\n'
        f'"components": {{"schemas": {_lines(SCHEMAS)}}}}}\n'
    )


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
