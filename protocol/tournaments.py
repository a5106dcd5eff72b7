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
from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import evolve as replace
from attrs import field, frozen

from warledger.protocol import canon
from warledger.protocol.chance.seal import BadOpening, Opening
from warledger.protocol.limits import (
    ACT_ID_BYTES_MAX,
    ACT_PICKS_MAX,
    ENTRANTS_MAX,
    HASH_BYTES,
    MINUTES_MAX,
    NONCE_BYTES,
    PERSON_ID_CHARS_MAX,
    SIDES_MAX,
    SIGNATURE_BYTES,
)
from warledger.protocol.log.records import SERVER, CorruptLog, Record, check_format

CHARTER: Final = "charter"
ACT: Final = "act"
OPEN: Final = "open"
END: Final = "end"
KINDS: Final = (CHARTER, ACT, OPEN, END)


@frozen
class Form:
    """What a field of an event may hold: in the words of the pages, and whether a value does."""

    words: str
    fits: Callable[[Any], bool]


def _typed(words: str, kind: type) -> Form:
    return Form(words, lambda value: type(value) is kind)


def _bytes(count: int, *, none: bool = False) -> Form:
    lengths = (0, count) if none else (count,)
    words = f"{count} bytes or none" if none else f"{count} bytes"
    return Form(words, lambda value: type(value) is bytes and len(value) in lengths)


def _each(form: Form) -> Form:
    return Form(
        f"[{form.words} …]", lambda value: type(value) is tuple and all(map(form.fits, value))
    )


def _fields(*forms: Form) -> Form:
    def fits(value: Any) -> bool:
        return (
            type(value) is tuple
            and len(value) == len(forms)
            and all(form.fits(item) for form, item in zip(forms, value, strict=True))
        )

    return Form(f"[{', '.join(form.words for form in forms)}]", fits)


def _either(*forms: Form) -> Form:
    words = " or ".join(form.words for form in forms)
    return Form(words, lambda value: any(form.fits(value) for form in forms))


_NUMBER, _TEXT, _FLAG = _typed("number", int), _typed("text", str), _typed("true or false", bool)
_NUMBERS, _TEXTS = _each(_NUMBER), _each(_TEXT)
_HASH, _COMMITMENT = _bytes(HASH_BYTES), _bytes(HASH_BYTES, none=True)
_BOARD = {"round": _NUMBER, "board": _NUMBER}

FORMS: Final[Mapping[str, Mapping[str, Form]]] = {
    "entered": {
        "number": _NUMBER,
        "id": _TEXT,
        "name": _TEXT,
        "rating": _NUMBER,
        "groups": _TEXTS,
        "nonce_hash": _COMMITMENT,
    },
    "checked": {"number": _NUMBER, "round": _NUMBER},
    "committed": {"number": _NUMBER, "nonce_hash": _COMMITMENT},
    "rostered": {"numbers": _NUMBERS, "asked": _each(_either(_TEXT, _NUMBER))},
    "nonce": {"number": _NUMBER, "nonce": _bytes(NONCE_BYTES)},
    "waited": {"missing": _NUMBERS},
    "withdrew": {"number": _NUMBER},
    "returned": {"number": _NUMBER},
    "absent": {"number": _NUMBER, "round": _NUMBER, "bye": _TEXT},
    "ordered": {"stage": _NUMBER, "by": _TEXT, "numbers": _NUMBERS},
    "granted": {"role": _TEXT, "id": _TEXT, "name": _TEXT},
    "grant_ended": {"role": _TEXT, "id": _TEXT, "name": _TEXT},
    "paired": {
        "round": _NUMBER,
        "stage": _NUMBER,
        "system": _TEXT,
        "inputs": _HASH,
        "boards": _each(_fields(_NUMBERS, _FLAG)),
        "byes": _each(_fields(_NUMBER, _TEXT)),
    },
    "unpaired": {"round": _NUMBER, "reason": _TEXT},
    "published": {"round": _NUMBER},
    "bid": {"number": _NUMBER, **_BOARD},
    "called": {**_BOARD, "seat": _NUMBER, "speaks": _NUMBER},
    "offered": {"number": _NUMBER, **_BOARD, "half_units": _NUMBER},
    "challenged": {"number": _NUMBER, "whom": _NUMBER, "round": _NUMBER},
    "volunteered": {"number": _NUMBER, "round": _NUMBER},
    "sides": {**_BOARD, "numbers": _NUMBERS, "handicap_seat": _NUMBER, "half_units": _NUMBER},
    "opened": {**_BOARD, "game": _TEXT, "genesis": _HASH},
    "reported": {
        **_BOARD,
        "seq": _NUMBER,
        "hash": _HASH,
        "signature": _bytes(SIGNATURE_BYTES),
        "by": _TEXT,
    },
    "result": {
        **_BOARD,
        "manner": _TEXT,
        "results": _TEXTS,
        "margins": _NUMBERS,
        "reason": _TEXT,
    },
    "advanced": {"stage": _NUMBER, "numbers": _NUMBERS},
    "announced": {"text": _TEXT},
    "claimed": {"claim": _NUMBER, "who": _TEXT, "text": _TEXT},
    "ruled": {"claim": _NUMBER, "finding": _TEXT, "text": _TEXT},
    "appealed": {"claim": _NUMBER, "who": _TEXT, "text": _TEXT},
    "voted": {"claim": _NUMBER, "id": _TEXT, "name": _TEXT, "finding": _TEXT, "text": _TEXT},
    "decided": {"claim": _NUMBER, "finding": _TEXT},
    "panelled": {**_BOARD, "people": _each(_fields(_TEXT, _TEXT))},
    "judged": {"id": _TEXT, "name": _TEXT, **_BOARD},
    "adjudicated": {**_BOARD, "percentages": _NUMBERS},
    "amended": {"key": _TEXT, "value": _either(_FLAG, _NUMBER, _TEXT), "reason": _TEXT},
    "finished": {"numbers": _NUMBERS},
}
"""What an act changes: the tag of each event, and its fields with their forms. Whoever an event
names by an id has their name beside it; `people` are [id, name] each."""
EVENTS: Final[Mapping[str, tuple[str, ...]]] = {tag: tuple(one) for tag, one in FORMS.items()}
"""The names of the fields of each event."""

DIRECTOR, ARBITER, ENTRANT = "d", "a", "e"
DIRECTOR_ROLE: Final = "director"
ENTRANT_ROLE: Final = "entrant"
"""What a code of one use gives beside the roles of `granted`: an entry."""

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
_BY_NUMBER = re.compile(r"server|e:([1-9][0-9]{0,3})")


def is_who(value: Any) -> bool:
    """Whether this names somebody who may act: the server, a director, an arbiter, an entrant."""
    if type(value) is not str:
        return False
    role, id = role_of(value)
    if role in (DIRECTOR, ARBITER):
        return 0 < len(id) <= PERSON_ID_CHARS_MAX
    found = _BY_NUMBER.fullmatch(value)
    return found is not None and int(found[1] or 1) <= ENTRANTS_MAX


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

    @property
    def servers(self) -> tuple[bytes, ...]:
        """The keys of the servers whose games count; none: that of this ledger's server."""
        return tuple(map(bytes.fromhex, self.settings.get("servers", ())))

    @property
    def check_in_minutes(self) -> int:
        """For how long before a round entrants check in; 0 where they do not."""
        return self._minutes("absence", "check_in_minutes")

    @property
    def lots_minutes(self) -> int:
        """For how long nonces are waited for."""
        return self._minutes("lots", "minutes")

    def _minutes(self, table: str, name: str) -> int:
        minutes: int = self.settings.get(table, {}).get(name, 0)
        return minutes

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
                right = type(value) is str
            elif name == "settings":
                right = type(value) is dict
            elif name != "format":
                right = type(value) is bytes and len(value) == HASH_BYTES
            else:
                right = type(value) is int
            if not right:
                raise CorruptLog(0, name, "does not have its form")
        wrong = _wrong_setting(body[4])
        if wrong:
            raise CorruptLog(0, f"settings.{wrong}", "does not have its form")
        return replace(cls(*body), hash=record.hash)


def _wrong_setting(settings: Mapping[str, Any]) -> str:
    """Of the settings on which evidence rests, one that has not its form; "" if all have."""
    servers = settings.get("servers", ())
    if type(servers) is not tuple or not all(
        type(one) is str and _KEY.fullmatch(one) for one in servers
    ):
        return "servers"
    for table, name in (("absence", "check_in_minutes"), ("lots", "minutes")):
        values = settings.get(table, {})
        minutes = values.get(name, 0) if type(values) is dict else None
        if type(minutes) is not int or not 0 <= minutes <= MINUTES_MAX:
            return f"{table}.{name}"
    return ""


_KEY = re.compile(r"[0-9a-f]{64}")


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
        if not (type(picks) is canon.Seal or are_picks(picks)):
            raise CorruptLog(seq, "picks", "are texts and whole numbers, or one seal")
        if type(act_id) is not bytes or len(act_id) > ACT_ID_BYTES_MAX:
            raise CorruptLog(seq, "act_id", f"is at most {ACT_ID_BYTES_MAX} bytes")
        if type(seen) is not bytes or len(seen) not in (0, HASH_BYTES):
            raise CorruptLog(seq, "seen", "is a record's hash, or empty")
        if type(draws) is not tuple or not all(map(_is_lot, draws)):
            raise CorruptLog(seq, "draws", "are lots [epoch, purpose, sides, index]")
        if type(events) is not tuple:
            raise CorruptLog(seq, "events", "are an array")
        for index, event in enumerate(events):
            wrong = _wrong_in(event)
            if wrong is not None:
                raise CorruptLog(seq, f"events[{index}]{wrong[0]}", wrong[1])
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


def read(record: Record) -> Charter | Act | Open | End:
    """The body of a record of a ledger. Raises CorruptLog if it has another form than its kind's,
    or is by somebody who cannot write it."""
    body: type[Charter | Act | Open | End] = _BODIES[record.kind]
    return body.from_record(record)


_BODIES: Final[Mapping[str, Any]] = {CHARTER: Charter, ACT: Act, OPEN: Open, END: End}


def _openings(seq: int, value: Any) -> tuple[Opening, ...]:
    try:
        if type(value) is not tuple:
            raise BadOpening("are openings")
        return tuple(Opening.from_array(item) for item in value)
    except BadOpening as error:
        raise CorruptLog(seq, "opened", str(error)) from error


def are_picks(value: Any) -> bool:
    """Whether a value are the picks of an act."""
    return (
        type(value) is tuple
        and 0 < len(value) <= ACT_PICKS_MAX
        and all(type(pick) in (str, int) for pick in value)
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
        and 0 <= value[3] < value[2] <= SIDES_MAX
    )


def _wrong_in(event: Any) -> tuple[str, str] | None:
    """The field of an event that has not its form, and what it must be; None where all have."""
    tag = event[0] if type(event) is tuple and event else None
    fields = FORMS.get(tag) if type(tag) is str else None
    if fields is None or len(event) != 1 + len(fields):
        return "", "is an array of a known tag with its fields"
    for value, (name, form) in zip(event[1:], fields.items(), strict=True):
        if not form.fits(value):
            return f" {tag}.{name}", f"is not {form.words}"
    return None


def _is_digest(value: Any) -> bool:
    return type(value) is bytes and len(value) == HASH_BYTES
