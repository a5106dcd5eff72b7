"""The ratings log as a file: one line of JSON a period, each with the hash of the line before it.

The first line says what is rated: `{"warledger": "ratings", "format": 1, "title": …, "pace": …}`.
Every further line is `{"period": […], "previous": HEX}`: the period as `Period.as_array` has it,
with hashes as hexadecimal digits, and the SHA-256 of the line before without its line end. Or it is
`{"previous": HEX, "same": [player, player]}`, by which the keeper states that two are one person
(`Same`). So a log that somebody kept shows whether a later one has rewritten anything.
"""

import hashlib
import json
from typing import Any, Final

from attrs import frozen

from warledger.engine.tournaments import ratings
from warledger.engine.tournaments.ratings import Book, Entry, Period, Same
from warledger.protocol.board.findings import ERROR, Finding

FORMAT: Final = 3


@frozen
class Log:
    """A log: the title and the pace that it rates, what it holds, and the hash of its last line."""

    title: str
    pace: str
    entries: tuple[Entry, ...]
    last: bytes

    @property
    def periods(self) -> tuple[Period, ...]:
        """Its periods."""
        return tuple(one for one in self.entries if isinstance(one, Period))


class BadLog(ValueError):
    """Bytes that are not a ratings log; the message names the line."""


def begin(title: str, pace: str) -> bytes:
    """A log without periods."""
    return _line({"warledger": "ratings", "format": FORMAT, "title": title, "pace": pace})


def read(data: bytes) -> Log:
    """The log of a file. Raises BadLog for one that is damaged: a line that is not what a writer
    would write, or does not follow the one before."""
    lines = data.split(b"\n")
    if lines.pop() != b"":
        raise BadLog(f"line {len(lines) + 1}: it has no end; the file was cut")
    if not lines:
        raise BadLog("the file is empty")
    head = _read(lines[0], 1)
    if head.get("warledger") != "ratings" or head.get("format") != FORMAT:
        raise BadLog("line 1: this is not a ratings log, or one of another format")
    title, pace = head.get("title"), head.get("pace")
    if type(title) is not str or type(pace) is not str or lines[0] + b"\n" != begin(title, pace):
        raise BadLog("line 1: it is not as a writer writes it")
    entries: list[Entry] = []
    last = hashlib.sha256(lines[0]).digest()
    for number, line in enumerate(lines[1:], 2):
        row = _read(line, number)
        if row.get("previous") != last.hex():
            raise BadLog(f"line {number}: it does not follow the line before it")
        try:
            entry = Same.from_array(row["same"]) if "same" in row else _period(row.get("period"))
        except ValueError as error:
            raise BadLog(f"line {number}: {error}") from error
        if line + b"\n" != _entry(entry, last):
            raise BadLog(f"line {number}: it is not as a writer writes it")
        entries.append(entry)
        last = hashlib.sha256(line).digest()
    return Log(title, pace, tuple(entries), last)


def append(data: bytes, entry: Entry) -> bytes:
    """The file with a period or a statement more. Raises BadLog for a file that is none."""
    return data + _entry(entry, read(data).last)


def book(log: Log) -> tuple[Book, tuple[Finding, ...]]:
    """The ratings after all periods, computed again, and what is wrong in the log."""
    return ratings.audit(log.entries)


def continues(old: Log, new: Log) -> tuple[Finding, ...]:
    """What of a log that somebody kept a later one has changed: nothing if it only goes on."""
    if (old.title, old.pace) != (new.title, new.pace):
        return (_changed("line 1", "it rates another title or pace"),)
    if len(new.entries) < len(old.entries):
        return (_changed("log", "it has fewer lines than the one that was kept"),)
    return tuple(
        _changed(_place(line, one), "it differs from the one that was kept")
        for line, (one, other) in enumerate(zip(old.entries, new.entries, strict=False), 2)
        if one != other
    )


def _place(line: int, entry: Entry) -> str:
    return f"line {line}, {entry.name}" if isinstance(entry, Period) else f"line {line}"


def _changed(place: str, problem: str) -> Finding:
    return Finding(ERROR, place, problem, "Ask who keeps the log why it was rewritten")


def _line(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode() + b"\n"


def _entry(entry: Entry, previous: bytes) -> bytes:
    kind = "period" if isinstance(entry, Period) else "same"
    return _line({kind: _hex(entry.as_array()), "previous": previous.hex()})


def _read(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line, parse_float=str, parse_constant=str)
        _line(value)  # half a character is no text
    except (ValueError, RecursionError) as error:
        raise BadLog(f"line {number}: it is not JSON") from error
    if type(value) is not dict:
        raise BadLog(f"line {number}: it is not a JSON object")
    return value


def _hex(value: Any) -> Any:
    if type(value) is bytes:
        return value.hex()
    return [_hex(one) for one in value] if isinstance(value, tuple) else value


def _period(period: Any) -> Period:
    """A period from JSON's array: hashes of games from their digits. Raises ValueError."""
    try:
        *front, games, numbers = period
        made = tuple((game, bytes.fromhex(digits), *rest) for game, digits, *rest in games)
    except (TypeError, ValueError) as error:
        raise ValueError("a period of the ratings log has another form") from error
    return Period.from_array((*front, made, numbers))
