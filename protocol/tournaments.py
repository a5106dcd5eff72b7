"""A tournament's ledger: the kinds of its records and their arrays.

The ledger of a tournament is a log as a game's is: the same records, chain, seals, links, heads and
files. Its kinds are its own:

    charter  [format, tournament, version, digest, settings, chain, hidden, salts, server_key]
    act      [who, picks, act id, seen, draws, events, effects, opened]
    open     [epoch, link]
    end      [openings, links, hidden, salts]

`who` is "server", "d:ID" (a director), "a:ID" (an arbiter) or "e:NUMBER" (an entrant). An id is
that of an account, or one that was given to whoever has none; it is compared byte by byte.
`picks` are texts and numbers, or one seal of them. `seen` is the hash of the newest record that the
actor had seen, or empty. `draws` are lots: [epoch, purpose, sides, index]. `events` say what has
changed: arrays whose first item is one of EVENTS; the position is their fold. `effects` are packed,
as in a game. `opened` are openings [seq, path, salt, value] that are public from here on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve as replace
from attrs import field, frozen

from warledger.protocol import canon
from warledger.protocol.limits import (
    ACT_ID_BYTES_MAX,
    ACT_PICKS_MAX,
    ENTRANTS_MAX,
    GROUPS_MAX,
    HASH_BYTES,
    INT_MAX,
    PERSON_ID_CHARS_MAX,
    TEXT_CHARS_MAX,
)
from warledger.protocol.records import SERVER, CorruptLog, Record, check_format
from warledger.protocol.seal import BadOpening, Opening

CHARTER: Final = "charter"
ACT: Final = "act"
OPEN: Final = "open"
END: Final = "end"
KINDS: Final = (CHARTER, ACT, OPEN, END)

EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "entered": ("number", "id", "name", "rating", "groups", "nonce_hash"),
    "checked": ("number", "round"),
    "committed": ("number", "nonce_hash"),
    "rostered": ("numbers", "asked"),
    "nonce": ("number", "nonce"),
    "waited": ("missing",),
    "withdrew": ("number",),
    "returned": ("number",),
    "absent": ("number", "round", "bye"),
    "ordered": ("stage", "by", "numbers"),
    "granted": ("role", "id", "name"),
    "grant_ended": ("role", "id", "name"),
    "paired": ("round", "stage", "system", "inputs", "boards", "byes"),
    "unpaired": ("round", "reason"),
    "published": ("round",),
    "bid": ("number", "round", "board"),
    "called": ("round", "board", "seat", "speaks"),
    "offered": ("number", "round", "board", "half_units"),
    "challenged": ("number", "whom", "round"),
    "volunteered": ("number", "round"),
    "sides": ("round", "board", "numbers", "handicap_seat", "half_units"),
    "opened": ("round", "board", "game", "genesis"),
    "reported": ("round", "board", "seq", "hash", "signature", "by"),
    "result": ("round", "board", "manner", "results", "margins", "reason"),
    "advanced": ("stage", "numbers"),
    "announced": ("text",),
    "claimed": ("claim", "who", "text"),
    "ruled": ("claim", "finding", "text"),
    "appealed": ("claim", "who", "text"),
    "voted": ("claim", "id", "name", "finding", "text"),
    "decided": ("claim", "finding"),
    "panelled": ("round", "board", "people"),
    "judged": ("id", "name", "round", "board"),
    "adjudicated": ("round", "board", "percentages"),
    "amended": ("key", "value", "reason"),
    "finished": ("numbers",),
}
"""What an act changes: the tag of each event, and the names of its fields. Whoever an event names
by an id has their name beside it; `people` are [id, name] each."""

DIRECTOR, ARBITER, ENTRANT = "d", "a", "e"

ACT_FIELDS: Final = ("who", "picks", "act_id", "seen", "draws", "events", "effects", "opened")
PICKS: Final = 1
"""Place of the picks in an act: the path of the seal of a bid."""

CHARTER_FIELDS: Final = (
    "format",
    "tournament",
    "version",
    "digest",
    "settings",
    "chain",
    "hidden",
    "salts",
    "server_key",
)
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    CHARTER: CHARTER_FIELDS,
    ACT: ACT_FIELDS,
    OPEN: ("epoch", "link"),
    END: ("openings", "links", "hidden", "salts"),
}
"""The fields of a body, in their order, by kind of record."""
_BY_NUMBER = re.compile(r"server|e:[1-9][0-9]{0,3}")


def is_who(value: Any) -> bool:
    """Whether this names somebody who may act: the server, a director, an arbiter, an entrant."""
    if type(value) is not str:
        return False
    role, id = role_of(value)
    if role in (DIRECTOR, ARBITER):
        return 0 < len(id) <= PERSON_ID_CHARS_MAX
    return _BY_NUMBER.fullmatch(value) is not None


def role_of(who: str) -> tuple[str, str]:
    """How an actor is read: the role ("server", "d", "a", "e"), and the id or the number that
    follows the colon."""
    role, _, rest = who.partition(":")
    return role, rest


def bid_reader(number: int) -> str:
    """Who may read what an entrant seals."""
    return f"e:{number}"


@frozen
class Charter:
    """The first record's body: what is fixed before anybody enters.

    version, digest   the release and the SHA-256 of the rules of tournaments that wrote it
    settings          the charter in its canonical form
    chain             commitment to the chain of links that lots are drawn from
    hidden, salts     commitments to the hidden value and the salt key
    server_key        the Ed25519 public key that signs heads
    hash              the record's hash: the charter's hash in a game's terms
    """

    format: int
    tournament: str
    version: str
    digest: bytes
    settings: Mapping[str, Any]
    chain: bytes
    hidden: bytes
    salts: bytes
    server_key: bytes
    hash: bytes = field(default=b"", eq=False)

    @property
    def game(self) -> str:
        """The id that commitments, seals and heads are bound to, as a game's is."""
        return self.tournament

    def as_body(self) -> tuple[Any, ...]:
        """The positional body of the record."""
        return (
            self.format,
            self.tournament,
            self.version,
            self.digest,
            canon.ordered(self.settings),
            self.chain,
            self.hidden,
            self.salts,
            self.server_key,
        )

    @classmethod
    def from_record(cls, record: Record) -> Charter:
        """Raises CorruptLog if the record is not a charter, and OtherFormat for one of another
        format."""
        body = record.body
        if record.seq != 0 or record.kind != CHARTER:
            raise CorruptLog(record.seq, "kind", "the first record must be the charter")
        if record.actor != SERVER:
            raise CorruptLog(0, "actor", "the charter is the server's")
        check_format(record)
        if len(body) != len(CHARTER_FIELDS):
            raise CorruptLog(0, "body", f"a charter has {len(CHARTER_FIELDS)} fields")
        for name, value in zip(CHARTER_FIELDS, body, strict=True):
            if name in ("tournament", "version"):
                right = type(value) is str and bool(value)
            elif name == "settings":
                right = type(value) is dict
            elif name != "format":
                right = type(value) is bytes and len(value) == HASH_BYTES
            else:
                right = type(value) is int
            if not right:
                raise CorruptLog(0, name, "does not have its form")
        return replace(cls(*body), hash=record.hash)


@frozen
class Lot:
    """A lot that was drawn: of which epoch, what for, one of how many, and which."""

    epoch: int
    purpose: str
    sides: int
    index: int

    def as_array(self) -> tuple[int, str, int, int]:
        """Its form in a record."""
        return (self.epoch, self.purpose, self.sides, self.index)


@frozen
class Act:
    """The body of an act. `picks` may be a Seal or, before it is written, a Secret."""

    who: str
    picks: Any
    act_id: bytes
    seen: bytes
    draws: tuple[Lot, ...]
    events: tuple[tuple[Any, ...], ...]
    effects: bytes
    opened: tuple[Opening, ...] = ()

    def as_body(self) -> tuple[Any, ...]:
        """The positional body of the record."""
        return (
            self.who,
            self.picks,
            self.act_id,
            self.seen,
            tuple(lot.as_array() for lot in self.draws),
            self.events,
            self.effects,
            tuple(opening.as_array() for opening in self.opened),
        )

    @classmethod
    def from_record(cls, record: Record) -> Act:
        """Raises CorruptLog, which names the field, if the body has another form."""
        seq, body = record.seq, record.body
        if len(body) != len(ACT_FIELDS):
            raise CorruptLog(seq, "body", f"an act has {len(ACT_FIELDS)} fields")
        who, picks, act_id, seen, draws, events, effects, opened = body
        if not is_who(who):
            raise CorruptLog(seq, "who", "is the server, a director, an arbiter or an entrant")
        if record.actor != who:
            raise CorruptLog(seq, "actor", "is not who acted")
        if not (type(picks) is canon.Seal or _are_picks(picks)):
            raise CorruptLog(seq, "picks", "are texts and whole numbers, or one seal")
        if type(act_id) is not bytes or len(act_id) > ACT_ID_BYTES_MAX:
            raise CorruptLog(seq, "act_id", f"is at most {ACT_ID_BYTES_MAX} bytes")
        if type(seen) is not bytes or len(seen) not in (0, HASH_BYTES):
            raise CorruptLog(seq, "seen", "is a record's hash, or empty")
        if type(draws) is not tuple or not all(map(_is_lot, draws)):
            raise CorruptLog(seq, "draws", "are lots [epoch, purpose, sides, index]")
        if type(events) is not tuple or not all(map(_is_event, events)):
            raise CorruptLog(seq, "events", "are arrays of a known tag with its fields")
        if type(effects) is not bytes:
            raise CorruptLog(seq, "effects", "are packed")
        return cls(
            who,
            picks,
            act_id,
            seen,
            tuple(Lot(*lot) for lot in draws),
            events,
            effects,
            _openings(seq, opened),
        )


@frozen
class Open:
    """The body of an `open`: the link of an epoch, from which its lots can be drawn again."""

    epoch: int
    link: bytes

    @classmethod
    def from_record(cls, record: Record) -> Open:
        """Raises CorruptLog if the body has another form."""
        body = record.body
        if record.actor != SERVER:
            raise CorruptLog(record.seq, "actor", "links are the server's to open")
        if len(body) != 2 or type(body[0]) is not int or not _is_digest(body[1]):
            raise CorruptLog(record.seq, "body", "is [epoch, link]")
        return cls(*body)


@frozen
class End:
    """The body of the `end`: what was still sealed, the links not yet opened as (epoch, link), the
    hidden value and the salt key."""

    openings: tuple[Opening, ...]
    links: tuple[tuple[int, bytes], ...]
    hidden: bytes
    salts: bytes

    def as_body(self) -> tuple[Any, ...]:
        """The positional body of the record."""
        return (
            tuple(opening.as_array() for opening in self.openings),
            self.links,
            self.hidden,
            self.salts,
        )

    @classmethod
    def from_record(cls, record: Record) -> End:
        """Raises CorruptLog if the body has another form."""
        seq, body = record.seq, record.body
        if record.actor != SERVER:
            raise CorruptLog(seq, "actor", "the end is the server's")
        if len(body) != 4:
            raise CorruptLog(seq, "body", "is [openings, links, hidden, salts]")
        openings, links, hidden, salts = body
        if type(links) is not tuple or not all(
            type(link) is tuple and len(link) == 2 and type(link[0]) is int and _is_digest(link[1])
            for link in links
        ):
            raise CorruptLog(seq, "links", "are [epoch, link]")
        if not _is_digest(hidden):
            raise CorruptLog(seq, "hidden", f"must be {HASH_BYTES} bytes")
        if not _is_digest(salts):
            raise CorruptLog(seq, "salts", f"must be {HASH_BYTES} bytes")
        return cls(_openings(seq, openings), links, hidden, salts)


def _openings(seq: int, value: Any) -> tuple[Opening, ...]:
    if type(value) is not tuple:
        raise CorruptLog(seq, "opened", "are openings")
    try:
        return tuple(Opening.from_array(item) for item in value)
    except BadOpening as error:
        raise CorruptLog(seq, "opened", str(error)) from error


def _are_picks(value: Any) -> bool:
    return (
        type(value) is tuple
        and 0 < len(value) <= ACT_PICKS_MAX
        and all(
            (type(pick) is str and len(pick) <= TEXT_CHARS_MAX)
            or (type(pick) is int and abs(pick) <= INT_MAX)
            for pick in value
        )
    )


def _is_lot(value: Any) -> bool:
    return (
        type(value) is tuple
        and len(value) == 4
        and type(value[0]) is int
        and type(value[1]) is str
        and type(value[2]) is int
        and type(value[3]) is int
        and value[0] > 0
        and 0 <= value[3] < value[2]
    )


def _is_event(value: Any) -> bool:
    return (
        type(value) is tuple
        and bool(value)
        and type(value[0]) is str
        and value[0] in EVENTS
        and len(value) == 1 + len(EVENTS[value[0]])
    )


def _is_digest(value: Any) -> bool:
    return type(value) is bytes and len(value) == HASH_BYTES


__all__ = [
    "ACT",
    "ACT_FIELDS",
    "ACT_ID_BYTES_MAX",
    "ARBITER",
    "CHARTER",
    "DIRECTOR",
    "END",
    "ENTRANT",
    "ENTRANTS_MAX",
    "EVENTS",
    "FIELDS",
    "GROUPS_MAX",
    "KINDS",
    "OPEN",
    "PICKS",
    "Act",
    "Charter",
    "End",
    "Lot",
    "Open",
    "bid_reader",
    "is_who",
    "role_of",
]
