"""What an audit reports: its verdict, and the facts beside it, which change nothing of it: who sat
where and how far they signed, every draw, the table code.

`Report.lines` gives the verdict in words, `details` the facts, `as_data` plain values for `--json`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import attrs
from attrs import field, frozen

from warledger.clients.audit.plain import plain
from warledger.clients.audit.shapes import names_of
from warledger.clients.audit.verdict import Verdict
from warledger.protocol import tournaments
from warledger.protocol.board.choices import Say
from warledger.protocol.chance.drawing import Draw
from warledger.protocol.log.bodies import act_of
from warledger.protocol.log.deskbodies import CLOCKS, RULINGS
from warledger.protocol.log.records import (
    CLOCK,
    GENESIS,
    RULING,
    SEAT,
    Record,
)
from warledger.protocol.texts.phrases import Phrases

LEDGER_END: Final = "end of a ledger"
"""Stands for the kind of a tournament's `end`, which has other fields than a game's."""

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
    tournaments.CHARTER: tournaments.CHARTER_FIELDS,
    tournaments.ACT: tournaments.ACT_FIELDS,
    LEDGER_END: tournaments.FIELDS[tournaments.END],
}


def body_fields(kind: str, act: str = "") -> tuple[str, ...]:
    """Names of the places in a body of this kind. `act` is the first item of a `seat`, `clock` or
    `ruling` record, which tells the rest."""
    if kind in (CLOCK, RULING):
        told: Any = CLOCKS.get(act) if kind == CLOCK else RULINGS.get(act)
        return ("act",) if told is None else ("act", *[one.name for one in attrs.fields(told)])
    return _FIELDS.get(kind) or names_of(kind, act) or (("act", "seat") if kind == SEAT else ())


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
class Signer:
    """Who sat in a seat at the end: the name, the kind of client, the keys in force, and the record
    up to which they signed the history. The latter is None for a seat that signs nothing, -1 before
    its first act."""

    name: str
    client: str = ""
    keys: tuple[bytes, ...] = ()
    signed_to: int | None = None


@frozen
class Report:
    """The result of an audit: the verdict, and the facts.

    draws      draws of chance checked against their seeds; waiting: those whose seeds are not
               opened yet
    sealed     hidden values that are not opened to whoever holds this file
    signers    who signs for each seat, and how far they have signed the history
    acts       signed acts whose signatures hold
    dice       every draw of chance, in order
    players    the name of whoever holds each seat at the end, None for a seat that nobody has taken
    terms      how late spectators were, and whether the game is rated
    """

    verdict: Verdict
    game: str = ""
    title: str = ""
    version: str = ""
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
    signers: Mapping[str, Signer] = field(factory=dict)
    table_code: str = ""
    acts: int = 0
    witnesses: tuple[str, ...] = ()
    dice: tuple[Draw, ...] = ()
    options: Mapping[str, Any] = field(factory=dict)
    players: Mapping[str, str | None] = field(factory=dict)
    terms: tuple[Say, ...] = ()

    def code(self, allowed: Iterable[str] = ()) -> int:
        """The exit code, with the reservations that these flags allow left out."""
        return self.verdict.code(allowed)

    def as_data(self, phrases: Phrases, allowed: Iterable[str] = ()) -> dict[str, Any]:
        """Plain values for JSON, sentences included: those of the verdict first."""
        return {
            **self.verdict.as_data(phrases, allowed),
            "tournament": self.verdict.of_tournament,
            "games": self.verdict.games,
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
            "game": self.game,
            "title": self.title,
            "version": self.version,
            "options": plain(self.options),
            "players": dict(self.players),
            "terms": [{"key": term.key, "text": phrases.say(term)} for term in self.terms],
            "commands": self.commands,
            "events": self.events,
            "draws": {"checked": self.draws, "waiting": self.waiting},
            "hidden": {"opened": self.openings, "sealed": self.sealed},
            "heads": self.heads,
            "ended": self.ended,
            "winner": self.winner,
            "reason": phrases.say(self.reason) if self.reason else None,
            "clause": self.reason.rule if self.reason else None,
            "head": self.head.hex(),
        }

    def lines(self, phrases: Phrases, allowed: Iterable[str] = ()) -> Iterator[str]:
        """What was audited, and the verdict in words. `allowed` are the flags that allow
        reservations."""
        if self.game:
            yield " ".join((self._named(phrases), self._how_far(phrases)))
        yield from self.verdict.lines(phrases, allowed)

    def _named(self, phrases: Phrases) -> str:
        kind = "tournament" if self.verdict.of_tournament else "game"
        told = {"game": self.game, "title": self.title, "version": self.version}
        return phrases.text(f"audit.of.{kind}", **told)

    def _how_far(self, phrases: Phrases) -> str:
        if self.verdict.of_tournament:
            return phrases.text("audit.is.over" if self.ended else "audit.is.going_on")
        if self.reason is None:
            return phrases.text("audit.is.running")
        ended = phrases.text("audit.is.ended", reason=self.reason.as_array())
        return phrases.with_clause(ended, self.reason.rule)

    def details(self, phrases: Phrases) -> Iterator[str]:
        """The facts in sentences, and what else an auditor should know."""
        for told in self.terms:
            yield phrases.say(told)
        if self.table_code:
            yield phrases.text("audit.table_code", code=self.table_code)
        for seat, signer in self.signers.items():
            yield _signer(phrases, seat, signer)
        for seat in self.witnesses:
            yield phrases.text("audit.witness", seat=seat)
        yield from self.verdict.details(phrases)


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
