"""What an audit says, as data: findings (each makes the file unsound), notes (what could not be
checked, and why), and the facts.

Rendering is separate: `lines` gives sentences in a language, `as_data` plain values for `--json`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import field, frozen

from warledger.clients.audit.plain import plain
from warledger.clients.audit.verdict import (
    RESERVED,
    SOUND,
    UNSOUND,
    UNVOUCHED,
    Reservation,
    code_of,
)
from warledger.protocol.bodies import act_of
from warledger.protocol.choices import Say, say
from warledger.protocol.drawing import Draw
from warledger.protocol.phrases import Phrases
from warledger.protocol.records import (
    ANSWER,
    ASK,
    COMMAND,
    END,
    GENESIS,
    OPEN,
    ORDERS,
    REVEAL,
    ROTATE,
    SEAT,
    TAKEBACK,
    Record,
)

_RESULT = ("winner", "reason", "arguments")
_SECRETS = ("links", "hidden", "salts", "clause")

_FIELDS: Mapping[str, tuple[str, ...]] = {
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
        "terms",
        "parent",
    ),
    COMMAND: (
        "decision",
        "seat",
        "picks",
        "command_id",
        "by",
        "draws",
        "events",
        "effects",
        "opened",
        "flow",
        "awaits",
        "digest",
    ),
    ASK: ("seat", "request", "to", "by"),
    ANSWER: ("seat", "consents", "ask", "by"),
    TAKEBACK: ("seat", "to", "effects", "awaits", "ask", "by"),
    OPEN: ("epoch", "link"),
    ORDERS: ("seat", "orders", "digest", "by"),
    ROTATE: ("key", "signature"),
    END: (*_RESULT, *_SECRETS, "scores", "by"),
    REVEAL: ("openings", "last"),
}

_SEAT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "taken": ("act", "seat", "account", "name", "nonce_hash", "client", "by"),
    "nonce": ("act", "seat", "nonce", "roster", "by"),
    "replaced": ("act", "seat", "account", "name", "client", "by", "handed"),
    "device": ("act", "seat", "key", "proof", "by"),
    "revoked": ("act", "seat", "key", "by"),
}


SEEN = "audit.tournament.seen_elsewhere"
"""The finding that an act names as seen a record which is not in the file."""


def body_fields(kind: str, act: str = "") -> tuple[str, ...]:
    """Names of the places in a body of this kind; `act` is the first item of a `seat` record, which
    tells the rest."""
    return _SEAT_FIELDS.get(act, ("act", "seat")) if kind == SEAT else _FIELDS.get(kind, ())


def place(kind: str, path: tuple[int, ...], act: str = "") -> str:
    """A place in a body in words: "events[2][1]"."""
    if not path:
        return "body"
    names = body_fields(kind, act)
    first = names[path[0]] if path[0] < len(names) else f"body[{path[0]}]"
    return first + "".join(f"[{index}]" for index in path[1:])


def place_in(record: Record, path: tuple[int, ...]) -> str:
    """A place in this record's body in words."""
    return place(record.kind, path, act_of(record))


@frozen
class Finding:
    """Something wrong: the record (None for the file as a whole), the field of it, and what is
    wrong.

    `offset` is where in the file the damage begins, in bytes, when it is the bytes that are wrong.
    """

    seq: int | None
    field: str
    said: Say
    offset: int | None = None


@frozen
class Signer:
    """Who sat in a seat at the end: the name, by which kind of client, with which keys in force,
    and up to which record they have signed the history (None for a seat that signs nothing, -1
    before its first act)."""

    name: str
    client: str = ""
    keys: tuple[bytes, ...] = ()
    signed_to: int | None = None


@frozen
class Report:
    """The result of an audit.

    level      the level that was examined whole: 0 the file could not be read, 1 the evidence, 2
               every record decided again as well
    decided    records decided again (also where that did not reach the last, and the level is 1)
    draws      draws of chance checked against their seeds; waiting: those whose seeds are not
               opened yet
    sealed     hidden values that are not opened to whoever holds this file
    signers    who signs for each seat, and how far they have signed the history
    acts       signed acts whose signatures hold
    dice       every draw of chance, in order
    remarks    what the verdict's line must name beside its word: rules not replayed, a pack or
               option that is not the shipped one
    players    the name of whoever holds each seat at the end, None for a seat that nobody has taken
    of_tournament  whether the file is a tournament's, not a game's
    terms      how late spectators were, and whether the game is rated
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
    self_play: bool = False
    reservations: tuple[Reservation, ...] = ()
    signers: Mapping[str, Signer] = field(factory=dict)
    table_code: str = ""
    acts: int = 0
    witnesses: tuple[str, ...] = ()
    dice: tuple[Draw, ...] = ()
    remarks: tuple[Say, ...] = ()
    options: Mapping[str, Any] = field(factory=dict)
    players: Mapping[str, str | None] = field(factory=dict)
    of_tournament: bool = False
    terms: tuple[Say, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    @property
    def verdict(self) -> str:
        """The verdict: "sound", "self_play", "reserved", "unvouched" or "unsound". No flag changes
        it."""
        code = code_of(self.sound, self.reservations)
        if code == SOUND:
            return "self_play" if self.self_play else "sound"
        return {UNSOUND: "unsound", RESERVED: "reserved", UNVOUCHED: "unvouched"}[code]

    def code(self, allowed: Iterable[str] = ()) -> int:
        """The exit code, with the reservations that these flags allow left out."""
        return code_of(self.sound, self.reservations, allowed)

    def as_data(self, phrases: Phrases, allowed: Iterable[str] = ()) -> dict[str, Any]:
        """Plain values for JSON, sentences included."""
        allowed = frozenset(allowed)
        return {
            "verdict": self.verdict,
            "code": self.code(allowed),
            "sound": self.sound,
            "reservations": [
                {
                    "name": item.name,
                    "code": item.code,
                    "flag": item.flag,
                    "allowed": item.flag in allowed,
                    "text": phrases.say(item.said),
                }
                for item in self.reservations
            ],
            "remarks": [{"key": item.key, "text": phrases.say(item)} for item in self.remarks],
            "self_play": self.self_play,
            "table_code": self.table_code,
            "signers": {
                seat: {
                    "player": signer.name,
                    "client": signer.client,
                    "keys": [key.hex() for key in signer.keys],
                    "signed_up_to": signer.signed_to,
                }
                for seat, signer in self.signers.items()
            },
            "acts": self.acts,
            "witnesses": list(self.witnesses),
            "level": self.level,
            "game": self.game,
            "title": self.title,
            "version": self.version,
            "options": plain(self.options),
            "players": dict(self.players),
            "terms": [{"key": term.key, "text": phrases.say(term)} for term in self.terms],
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
            "clause": self.reason.rule if self.reason else None,
            "head": self.head.hex(),
            "findings": [
                {
                    "record": item.seq,
                    "field": item.field,
                    "byte": item.offset,
                    "key": item.said.key,
                    "text": phrases.say(item.said),
                    "first": item is self.cause,
                }
                for item in self.findings
            ],
            "notes": [{"key": note.key, "text": phrases.say(note)} for note in self.notes],
        }

    def lines(self, phrases: Phrases, allowed: Iterable[str] = ()) -> Iterator[str]:
        """The report in sentences; `allowed` are the flags that allow reservations."""
        allowed = frozenset(allowed)
        if self.game:
            yield phrases.text(
                "audit.tournament.name" if self.of_tournament else "audit.game",
                game=self.game,
                title=self.title,
                version=self.version,
            )
            yield phrases.text(
                "audit.counts", records=self.records, commands=self.commands, events=self.events
            )
        for told in self.terms:
            yield phrases.say(told)
        if self.draws or self.waiting:
            yield phrases.text("audit.draws", checked=self.draws, waiting=self.waiting)
        if self.openings or self.sealed:
            yield phrases.text("audit.hidden", opened=self.openings, sealed=self.sealed)
        if self.heads:
            yield phrases.text("audit.heads", heads=self.heads)
        if self.acts:
            yield phrases.text("audit.acts", acts=self.acts)
        if self.table_code:
            yield phrases.text("audit.table_code", code=self.table_code)
        for seat, signer in self.signers.items():
            yield _signer(phrases, seat, signer)
        for seat in self.witnesses:
            yield phrases.text("audit.witness", seat=seat)
        if self.of_tournament:
            yield phrases.text(
                "audit.tournament.over" if self.ended else "audit.tournament.running"
            )
        elif self.reason is not None:
            ended = phrases.text("audit.ended", reason=self.reason.as_array())
            yield phrases.with_clause(ended, self.reason.rule)
        elif self.game:
            yield phrases.text("audit.running")
        if self.game:
            yield phrases.text("audit.server_word")
        for note in self.notes:
            yield phrases.text("audit.note", note=note.as_array())
        yield from self._found(phrases)
        if self.findings:
            yield phrases.text("audit.unsound")
            return
        for reserved in self.reservations:
            what = reserved.said.as_array()
            if reserved.flag in allowed:
                yield phrases.text("audit.reservation_allowed", what=what, flag=reserved.flag)
            else:
                yield phrases.text("audit.reservation", what=what)
        yield phrases.say(self.conclusion)

    @property
    def cause(self) -> Finding | None:
        """Of a tournament: what is wrong first, in the order of the file. That somebody had seen a
        record which is no longer there never is: it tells that an earlier one was changed."""
        placed = [one for one in self.findings if one.seq is not None and one.said.key != SEEN]
        if not self.of_tournament or not placed:
            return None
        return min(placed, key=lambda one: one.seq or 0)

    def _found(self, phrases: Phrases) -> Iterator[str]:
        """The findings as sentences; of a tournament what is wrong first apart from the rest, and
        all who saw what is not there in one."""
        cause = self.cause
        rest = [one for one in self.findings if one is not cause]
        seen = [one.seq for one in rest if self.of_tournament and one.said.key == SEEN]
        if cause is not None:
            if rest:
                yield phrases.text("audit.tournament.first")
            yield said(phrases, cause)
            if rest:
                yield phrases.text("audit.tournament.after")
        for item in rest:
            if not seen or item.said.key != SEEN:
                yield said(phrases, item)
        if len(seen) == 1:
            yield from (said(phrases, one) for one in rest if one.said.key == SEEN)
        elif seen:
            yield phrases.text("audit.tournament.seen_by", records=tuple(map(str, seen)))

    @property
    def conclusion(self) -> Say:
        """The verdict in one sentence: the word, the level, and what it must name beside them."""
        if self.findings:
            return say("audit.unsound")
        if self.level == 2:
            level = say("audit.level.decided", decided=self.decided)
        elif self.decided:
            level = say("audit.level.partly", decided=self.decided, records=self.records)
        else:
            level = say("audit.level.evidence")
        word = say(f"audit.word.{self.verdict}").as_array()
        if not self.remarks:
            return say("audit.verdict", word=word, level=level.as_array())
        return say(
            "audit.verdict_with",
            word=word,
            level=level.as_array(),
            remarks=tuple(item.as_array() for item in self.remarks),
        )


def _signer(phrases: Phrases, seat: str, signer: Signer) -> str:
    known = {"seat": seat, "name": signer.name}
    if signer.signed_to is None:
        return phrases.text("audit.signs_nothing", **known)
    key = "audit.signed_to" if signer.client != "page" else "audit.signed_to_by_page"
    return phrases.text(key, seq=max(0, signer.signed_to), **known)


def die_lines(phrases: Phrases, dice: Iterable[Draw]) -> Iterator[str]:
    """Every draw in a sentence: where it stands, what for, what came, and the seed it comes
    from."""
    for die in dice:
        known = {"seq": die.seq, "counter": die.counter, "purpose": die.purpose, "epoch": die.epoch}
        if die.sides is None or die.index is None:
            yield phrases.text("audit.die.sealed", **known)
            continue
        shown = {**known, "sides": die.sides, "result": die.index + 1}
        if die.seed is None:
            yield phrases.text("audit.die.waiting", **shown)
        else:
            yield phrases.text(
                "audit.die" if die.agrees else "audit.die.wrong", seed=die.seed.hex(), **shown
            )


def dice_data(dice: Iterable[Draw]) -> list[dict[str, Any]]:
    """Every draw as plain values. `result` counts from 1."""
    return [
        {
            "record": die.seq,
            "epoch": die.epoch,
            "counter": die.counter,
            "purpose": die.purpose,
            "sides": die.sides,
            "result": None if die.index is None else die.index + 1,
            "seed": None if die.seed is None else die.seed.hex(),
            "agrees": die.agrees,
        }
        for die in dice
    ]


def said(phrases: Phrases, item: Finding) -> str:
    """A finding as a sentence: record, field, what is wrong."""
    if item.seq is None:
        return phrases.text("audit.found_in_file", field=item.field, what=item.said.as_array())
    return phrases.text("audit.found", seq=item.seq, field=item.field, what=item.said.as_array())


__all__ = [
    "SEEN",
    "Finding",
    "Report",
    "Signer",
    "body_fields",
    "dice_data",
    "die_lines",
    "place",
    "place_in",
    "said",
]
