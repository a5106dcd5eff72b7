"""Writes protocol/messages.json anew, and the tables of protocol/ pages: messages and error codes
on wire.md, bodies and limits on bodies.md, the legend of reasons on reasons.md. The tie-breaks of
docs/tournaments.md too. Run `python -m ops.contract` after any of these has changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import attrs

from ops import reasons
from warledger.clients.audit import shapes
from warledger.clients.audit.report import body_fields
from warledger.engine.tournaments import tiebreaknames
from warledger.protocol import lang, limits, tournaments
from warledger.protocol.limits import INT_MAX
from warledger.protocol.log import deskbodies, docket, records
from warledger.protocol.wire.jsonform import contract, contract_text

FOLDER: Final = Path(__file__).parents[1] / "protocol"
PAGE: Final = FOLDER / "wire.md"
BODIES: Final = FOLDER / "bodies.md"
REASONS: Final = FOLDER / "reasons.md"
TOURNAMENTS: Final = FOLDER.parent / "docs" / "tournaments.md"

_STRUCTURES: Final = {
    ("game", "seq", "hash", "signature"): "head",
    ("rule", "key", "args"): "refusal",
    ("slot", "options", "span", "complete", "sealed"): "choices",
    ("data", "private", "record", "openings"): "rows [bytes, bytes]",
}


def kind(schema: dict[str, Any]) -> str:
    """What the page calls a kind of field. Raises KeyError for one that it has no word for."""
    reference = schema.get("$ref", "")
    if reference:
        return "say" if reference.endswith("/Say") else "value"
    if "enum" in schema:
        return " / ".join(f'`"{word}"`' for word in schema["enum"])
    kinds = schema["type"]
    if kinds == "boolean":
        return "flag"
    if kinds == "integer":
        return _number(schema["minimum"], schema["maximum"])
    if kinds == "string":
        return _text(schema)
    if kinds == "object":
        if "properties" in schema:
            return _STRUCTURES[tuple(schema["required"])]
        return "map"
    return _array(schema, or_nil="null" in kinds)


def _number(lowest: int, highest: int) -> str:
    if highest < INT_MAX:
        return f"number {lowest}–{highest}"
    return f"number from {lowest}" if lowest > -INT_MAX else "number"


def _text(schema: dict[str, Any]) -> str:
    if "contentEncoding" not in schema:
        if "description" in schema:
            return "name"
        return f"text {schema['maxLength']}" if "maxLength" in schema else "text"
    if "maxLength" not in schema:
        return "bytes"
    least, most = (schema[word] * 6 // 8 for word in ("minLength", "maxLength"))
    return f"bytes {most}" if least == most else f"bytes {least}–{most}"


def _array(schema: dict[str, Any], *, or_nil: bool) -> str:
    inner = schema["items"]
    first = inner.get("prefixItems", ())
    if "anyOf" in inner:
        return "picks"
    if len(first) == 3 and "enum" in first[2]:
        return "orders or nil" if or_nil else "orders"
    if first and inner["items"]:
        return "effects"
    if first:
        return f"rows [{', '.join(kind(item).split()[0] for item in first)}]"
    return {"say": "says", "map": "maps"}.get(kind(inner), kind(inner))


PLAYERS: Final = (
    *("hello", "welcome", "login", "logged_in", "subscribe", "subscribed", "records"),
    *("choices", "choices_are", "act", "accepted", "declined"),
)
"""The messages with which a client plays a game, in the order in which it meets them."""


def messages_table(*, players: bool) -> str:
    """A table of messages: tag, sender, fields in the order of the binary form, answers, use. Of
    those that a player needs, or of all others."""
    lines = ["| tag | from | fields | answered by | what it is for |", "|---|---|---|---|---|"]
    defs = contract()["$defs"]
    rest = [tag for tag in defs if "x-wire" in defs[tag] and tag not in PLAYERS]
    for tag in PLAYERS if players else rest:
        message = defs[tag]
        fields = (f"`{name}` {kind(message['properties'][name])}" for name in message["x-wire"])
        cells = (
            f"`{tag}`",
            message["x-from"],
            ", ".join(fields),
            ", ".join(f"`{answer}`" for answer in message["x-answers"]) or "–",
            message["description"].replace("|", "\\|"),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def errors_table() -> str:
    """The table of error codes and what a client should do about each."""
    rows = (f"| `{code}` | {advice} |" for code, advice in contract()["x-errors"].items())
    return "\n".join(("| code | what a client should do |", "|---|---|", *rows))


_GENESIS: Final = {
    "format": str(records.FORMAT),
    "options": "map",
    "seats": f"[1 to {limits.SEATS_MAX} texts, which differ]",
    "pack": "packed value",
    "terms": "map",
    "parent": "nil",
}
_RULING: Final = {
    "remedies": f"[1 to {limits.REMEDIES_MAX} remedies]",
    "picks": f"[at most {limits.PICKS_MAX} picks]",
    "events": "[[tag, field …] …]",
    "effects": "packed effects",
    "opened": "[]",
    "by": "of a seat",
}


def _bodies() -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Each kind of record, the word with which its body begins, and its fields with their forms."""
    texts = ("game", "title", "version")
    for name in body_fields(records.GENESIS):
        _GENESIS.setdefault(name, "text" if name in texts else f"{limits.HASH_BYTES} bytes")
    names = body_fields(records.GENESIS)
    yield records.GENESIS, "", [(name, _GENESIS[name]) for name in names]
    for kind, word, forms in shapes.forms():
        named = body_fields(kind, word)
        told = [shapes.words_of(form) for form in forms]
        both = list(zip(named, told, strict=True))
        yield kind, word, both[1:] if word else both
    for word, cls in deskbodies.RULINGS.items():
        yield (
            records.RULING,
            word,
            [(field.name, _of_ruling(field)) for field in attrs.fields(cls)],
        )


def _of_ruling(field: Any) -> str:
    if field.name in _RULING:
        return _RULING[field.name]
    most = docket.chars_most(field.name)
    return "number from 0" if field.type is int else f"text of at most {most}"


def bodies_table() -> str:
    """The table of record bodies: kind, the fields in their order, each with its form."""
    lines = ["| kind | body |", "|---|---|"]
    for kind_of, word, fields in _bodies():
        cells = [f'`"{word}"`'] if word else []
        cells += [f"`{name}`" if name == form else f"`{name}` {form}" for name, form in fields]
        lines.append(f"| `{kind_of}` | {' · '.join(cells)} |")
    return "\n".join(lines)


_LEDGER: Final = {
    "format": str(records.FORMAT),
    "settings": "map",
    "who": "text",
    "picks": f"[1 to {limits.ACT_PICKS_MAX} picks], or a seal",
    "act_id": f"at most {limits.ACT_ID_BYTES_MAX} bytes",
    "seen": f"{limits.HASH_BYTES} bytes or none",
    "draws": "[[epoch, purpose, sides, index] …]",
    "events": "[[tag, field …] …]",
    "effects": "packed effects",
    "opened": "openings, as of a command",
    "epoch": "number",
    "openings": "openings, as of a command",
    "links": f"[[epoch, {limits.HASH_BYTES} bytes] …]",
}


def ledger_table() -> str:
    """The table of the bodies of a tournament's ledger."""
    lines = ["| kind | body |", "|---|---|"]
    for kind_of, names in tournaments.FIELDS.items():
        for name in names:
            text = name in ("tournament", "version")
            _LEDGER.setdefault(name, "text" if text else f"{limits.HASH_BYTES} bytes")
        cells = " · ".join(f"`{name}` {_LEDGER[name]}" for name in names)
        lines.append(f"| `{kind_of}` | {cells} |")
    return "\n".join(lines)


def events_table() -> str:
    """The table of the events of a tournament's acts: tag, and its fields with their forms."""
    lines = ["| event | fields |", "|---|---|"]
    for tag, fields in tournaments.FORMS.items():
        cells = (f"`{name}` {form.words}" for name, form in fields.items())
        lines.append(f"| `{tag}` | {' · '.join(cells)} |")
    return "\n".join(lines)


def limits_table() -> str:
    """The table of bounds, from the module that holds them all."""
    lines = ["| what | bound |", "|---|---|"]
    tree = ast.parse(Path(limits.__file__).read_text(encoding="utf-8")).body
    for one, behind in pairwise(tree):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            assert isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant)
            said = " ".join(str(behind.value.value).split())
            first = re.split(r"(?<=[.:;]) ", said)[0].rstrip(".:;")
            lines.append(f"| {first} | {getattr(limits, one.target.id):,} |")
    return "\n".join(lines)


def tiebreaks_table() -> str:
    """The table of tie-breaks: the name in a charter, what may follow it, and what it is."""
    shown = {"SEAT": "a seat", "WHOLE": "the most units of a game"}
    words = lang.catalogue("en")
    lines = ["| name | after a colon | what it is |", "|---|---|---|"]
    for name, modifiers in tiebreaknames.KINDS.items():
        after = ", ".join(shown.get(one, f"`{one}`") for one in modifiers)
        lines.append(f"| `{name}` | {after} | {words[f'tournament.tiebreak.{name}']} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """The text of a page with its tables made anew."""
    tables = (
        ("player's messages", messages_table(players=True)),
        ("messages", messages_table(players=False)),
        ("errors", errors_table()),
        ("bodies", bodies_table()),
        ("ledger", ledger_table()),
        ("events", events_table()),
        ("limits", limits_table()),
        ("tie-breaks", tiebreaks_table()),
        *reasons.tables(),
    )
    for name, table in tables:
        text = re.sub(
            rf"(<!-- {name}: .*? -->\n).*?(\n<!-- end -->)",
            lambda found, table=table: found[1] + table + found[2],  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    return text


if __name__ == "__main__":
    (FOLDER / "messages.json").write_text(contract_text(), encoding="utf-8")
    for written in (PAGE, BODIES, REASONS, TOURNAMENTS):
        written.write_text(page(written.read_text(encoding="utf-8")), encoding="utf-8")
