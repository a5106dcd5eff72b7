"""What an audit says, as data: findings (each makes the file unsound), notes (what could not be checked, and why), and the facts.

Rendering is apart: `lines` gives sentences in a language, `as_data` plain values for `--json`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import field, frozen

from clients.audit.plain import plain
from protocol.choices import Say
from protocol.phrases import Phrases
from protocol.records import (
    ANSWER,
    ASK,
    COMMAND,
    END,
    GENESIS,
    OPEN,
    SEAT,
    TAKEBACK,
)

BODY_FIELDS = {
    GENESIS: (
        "format",
        "game",
        "title",
        "version",
        "digest",
        "options",
        "seats",
        "pack",
        "pack_digest",
        "chain",
        "hidden",
        "salts",
        "server_key",
    ),
    SEAT: ("act", "seat", "value", "nonce_hash"),
    COMMAND: ("decision", "seat", "picks", "command_id", "seen", "draws", "events", "effects", "opened", "flow", "awaits"),
    ASK: ("seat", "request", "to"),
    ANSWER: ("seat", "consents"),
    TAKEBACK: ("seat", "to", "effects", "awaits"),
    OPEN: ("epoch", "link"),
    END: ("winner", "reason", "arguments", "openings", "links", "hidden", "salts", "clause"),
}
"""Names of the places in a record's body, by kind."""


def place(kind: str, path: tuple[int, ...]) -> str:
    """A place in a body in words: "events[2][1]"."""
    if not path:
        return "body"
    names = BODY_FIELDS.get(kind, ())
    first = names[path[0]] if path[0] < len(names) else f"body[{path[0]}]"
    return first + "".join(f"[{index}]" for index in path[1:])


@frozen
class Finding:
    """Something wrong: the record (None for the file as a whole), the field of it, and what is wrong.

    `offset` is where in the file the damage begins, in bytes, when it is the bytes that are wrong.
    """

    seq: int | None
    field: str
    said: Say
    offset: int | None = None


@frozen
class Report:
    """The result of an audit.

    level      the level that was examined whole: 0 the file could not be read, 1 the evidence, 2 every record decided again as well
    decided    records decided again (also where that did not reach the last, and the level is 1)
    draws      draws of chance checked against their seeds; waiting: those whose seeds are not opened yet
    sealed     hidden values that are not opened to whoever holds this file
    players    the name of whoever holds each seat at the end, None for a seat that nobody has taken
    """

    findings: tuple[Finding, ...]
    notes: tuple[Say, ...]
    level: int = 0
    game: str = ""
    title: str = ""
    version: str = ""
    records: int = 0
    decided: int = 0
    commands: int = 0
    events: int = 0
    draws: int = 0
    waiting: int = 0
    openings: int = 0
    sealed: int = 0
    heads: int = 0
    ended: bool = False
    winner: str | None = None
    reason: Say | None = None
    head: bytes = b""
    options: Mapping[str, Any] = field(factory=dict)
    players: Mapping[str, str | None] = field(factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    def as_data(self, phrases: Phrases) -> dict[str, Any]:
        """Plain values for JSON, sentences included."""
        return {
            "sound": self.sound,
            "level": self.level,
            "game": self.game,
            "title": self.title,
            "version": self.version,
            "options": plain(self.options),
            "players": dict(self.players),
            "records": self.records,
            "commands": self.commands,
            "events": self.events,
            "decided": self.decided,
            "draws": {"checked": self.draws, "waiting": self.waiting},
            "hidden": {"opened": self.openings, "sealed": self.sealed},
            "heads": self.heads,
            "ended": self.ended,
            "winner": self.winner,
            "reason": phrases.say(self.reason) if self.reason else None,
            "head": self.head.hex(),
            "findings": [
                {"record": item.seq, "field": item.field, "byte": item.offset, "key": item.said.key, "text": phrases.say(item.said)}
                for item in self.findings
            ],
            "notes": [{"key": note.key, "text": phrases.say(note)} for note in self.notes],
        }

    def lines(self, phrases: Phrases) -> Iterator[str]:
        """The report in sentences."""
        if self.game:
            yield phrases.text("audit.game", game=self.game, title=self.title, version=self.version)
            yield phrases.text("audit.counts", records=self.records, commands=self.commands, events=self.events)
        if self.draws or self.waiting:
            yield phrases.text("audit.draws", checked=self.draws, waiting=self.waiting)
        if self.openings or self.sealed:
            yield phrases.text("audit.hidden", opened=self.openings, sealed=self.sealed)
        if self.heads:
            yield phrases.text("audit.heads", heads=self.heads)
        if self.reason is not None:
            yield phrases.text("audit.ended", reason=self.reason.as_array())
        elif self.game:
            yield phrases.text("audit.running")
        for note in self.notes:
            yield phrases.text("audit.note", note=note.as_array())
        for item in self.findings:
            yield said(phrases, item)
        if self.findings:
            yield phrases.text("audit.unsound")
        elif self.level == 2:
            yield phrases.text("audit.sound_decided", decided=self.decided)
        elif self.decided:
            yield phrases.text("audit.sound_partly", decided=self.decided, records=self.records)
        else:
            yield phrases.text("audit.sound_evidence")


def said(phrases: Phrases, item: Finding) -> str:
    """A finding as a sentence: record, field, what is wrong."""
    if item.seq is None:
        return phrases.text("audit.found_in_file", field=item.field, what=item.said.as_array())
    return phrases.text("audit.found", seq=item.seq, field=item.field, what=item.said.as_array())


__all__ = ["BODY_FIELDS", "Finding", "Report", "place", "said"]
