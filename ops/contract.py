"""Writes protocol/messages.json anew, and with it the tables of messages and error codes on the
page protocol/wire.md: `python -m ops.contract`, after a message has changed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from warledger.protocol.jsonform import contract, contract_text
from warledger.protocol.limits import INT_MAX

FOLDER: Final = Path(__file__).parents[1] / "protocol"
PAGE: Final = FOLDER / "wire.md"

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


def messages_table() -> str:
    """The table of messages: tag, sender, fields in the order of the binary form, answers, use."""
    lines = ["| tag | from | fields | answered by | what it is for |", "|---|---|---|---|---|"]
    defs = contract()["$defs"]
    tags = [tag for tag in defs if "x-wire" in defs[tag]]
    begins = tags.index("hello")  # what is said first stands first
    for tag in (*tags[begins:], *tags[:begins]):
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


def page(text: str) -> str:
    """The text of the page with its tables made anew."""
    for name, table in (("messages", messages_table()), ("errors", errors_table())):
        text = re.sub(
            rf"(<!-- {name}: .*? -->\n).*?(\n<!-- end -->)",
            lambda found, table=table: found[1] + table + found[2],  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    return text


if __name__ == "__main__":
    (FOLDER / "messages.json").write_text(contract_text(), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
