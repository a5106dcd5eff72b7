"""The log record, its kinds, who acted in it, and the genesis record.

A record is the canonical array [seq, at_ms, actor, kind, body, previous hash]; its hash is SHA-256
of those bytes. Bodies are positional arrays. The shape of a kind never changes: a change is a new
kind or a new format number.

`warledger.protocol.log.bodies` reads and writes the arrays, and `protocol/bodies.md` lists their
fields. Seats sign what they do (`by`: see `warledger.protocol.seats.acts`).
"""

import hashlib
from collections.abc import Collection, Mapping
from typing import Any, Final, TypeAlias

import msgpack
from attrs import define, field, frozen
from attrs import evolve as replace

from warledger.protocol import canon
from warledger.protocol.limits import (
    DELAY_S_MAX,
    DELAY_TURNS_MAX,
    HASH_BYTES,
    KEY_BYTES,
    NAME_CHARS_MAX,
    PERSON_ID_CHARS_MAX,
    SEATS_MAX,
    SIGNATURE_BYTES,
)

FORMAT: Final = 3
"""The number of the format of every log: this release writes it, and reads no other."""

GENESIS: Final = "genesis"
SEAT: Final = "seat"
COMMAND: Final = "command"
ASK: Final = "ask"
ANSWER: Final = "answer"
TAKEBACK: Final = "takeback"
OPEN: Final = "open"
END: Final = "end"
ORDERS: Final = "orders"
ROTATE: Final = "rotate"
REVEAL: Final = "reveal"
CLOCK: Final = "clock"
RULING: Final = "ruling"
KINDS: Final = (
    GENESIS,
    SEAT,
    COMMAND,
    ASK,
    ANSWER,
    TAKEBACK,
    OPEN,
    END,
    ORDERS,
    ROTATE,
    REVEAL,
    CLOCK,
    RULING,
)

SERVER: Final = "server"
"""The actor of records that the server makes by itself."""

Actor: TypeAlias = str | tuple[str, str]
"""Who made a record: a seat, `SERVER`, or an arbiter as (id, name). In a tournament's ledger it is
a text too. Whoever is compared is compared by the seat or the id, byte by byte."""

NO_HASH: Final = bytes(HASH_BYTES)
"""Previous hash of the genesis record."""

PACK: Final = 7
"""Place of the pack in the body of a genesis."""
# Places in a command's body, as the paths of openings name them. Its fields are read by name: see
# `warledger.protocol.log.bodies`.
(
    DECISION,
    COMMAND_SEAT,
    PICKS,
    COMMAND_ID,
    BY,
    DRAWS,
    EVENTS,
    EFFECTS,
    OPENED,
    FLOW,
    AWAITS,
    DIGEST,
) = range(12)

UNSIGNED_SEATS: Final = "unsigned_seats"
"""A term of the genesis, with the value True: a seat may be taken without a key, and then signs
nothing."""
SELF_PLAY: Final = "self_play"
"""A term of the genesis, with the value True: one program played every seat, its keys come from a
seed, and nobody vouches for them."""
DELAY: Final = "delay"
"""A term of every genesis: [seconds, turns], how late spectators see the game."""
RATED: Final = "rated"
"""A term of every genesis: whether the game's result counts for ratings."""
TOURNAMENT: Final = "tournament"
"""A term of the genesis: the game is a board of a tournament. Its value is [server's key,
tournament, charter hash, round, board, hash of a ledger record, entrants' numbers in the order of
the seats]. That record was there when the game was opened."""


class CorruptLog(ValueError):
    """A log that is not what a server of this format writes. `seq` is the first bad record, `field`
    the part that is wrong."""

    def __init__(self, seq: int, field: str, what: str) -> None:
        super().__init__(f"record {seq}, {field}: {what}")
        self.seq = seq
        self.field = field
        self.what = what


class BadTerms(ValueError):
    """Terms under which no game can be played. The message says what is wrong."""


class OtherFormat(CorruptLog):
    """A log of another format, which this release does not read. That says nothing against it."""

    def __init__(self, format: int) -> None:
        what = f"the log has format {format}, and this release reads format {FORMAT} only"
        super().__init__(0, "format", what)
        self.args = (what,)
        self.format = format


@define(slots=False, unsafe_hash=True)
class Record:
    """One record of a game's log. `data` are its canonical bytes, `hash` their SHA-256. Treat it as
    frozen: it is not declared so because reading a log makes thousands, each in a third of the time
    that a frozen class takes."""

    seq: int
    at_ms: int
    actor: Actor
    kind: str
    body: tuple[Any, ...]
    previous: bytes
    data: bytes = field(eq=False, repr=False)
    hash: bytes


def hash_of(data: bytes) -> bytes:
    """The hash that the next record names."""
    return hashlib.sha256(data).digest()


def make(
    seq: int, at_ms: int, actor: Actor, kind: str, body: tuple[Any, ...], previous: bytes
) -> Record:
    """Write a record. The body must hold only what `canon.check` accepts."""
    data = canon.pack((seq, at_ms, actor, kind, body, previous))
    return Record(seq, at_ms, actor, kind, body, previous, data, hash_of(data))


def read(data: bytes, *, trusted: bool = False, kinds: Collection[str] = KINDS) -> Record:
    """Read a record's bytes, strictly unless their hash has already been verified. `kinds` are
    those that the log may have: a game's, or those of a tournament's ledger.

    Raises CorruptLog if the bytes are not a record.
    """
    try:
        array = canon.unpack_trusted(data) if trusted else canon.unpack(data)
    except canon.NotCanonical as error:
        raise CorruptLog(-1, "bytes", str(error)) from error
    if type(array) is not tuple or len(array) != 6:
        raise CorruptLog(-1, "bytes", "a record is an array of six")
    seq, at_ms, actor, kind, body, previous = array
    if type(seq) is not int or seq < 0:
        raise CorruptLog(-1, "seq", "must be a whole number from 0")
    if type(at_ms) is not int or at_ms < 0:
        raise CorruptLog(seq, "at_ms", "must be milliseconds since 1970")
    if type(actor) is not str and not is_arbiter(actor):
        raise CorruptLog(seq, "actor", "must be text, or the id and the name of an arbiter")
    if kind not in kinds:
        raise CorruptLog(seq, "kind", f"unknown kind {kind!r}")
    if type(body) is not tuple:
        raise CorruptLog(seq, "body", "must be an array")
    if type(previous) is not bytes or len(previous) != HASH_BYTES:
        raise CorruptLog(seq, "previous", f"must be {HASH_BYTES} bytes")
    return Record(seq, at_ms, actor, kind, body, previous, data, hash_of(data))


def is_person(value: Any, *, known: bool = True) -> bool:
    """Whether this is somebody as (id, name), neither of them empty or too long; unless they must
    be `known`, the id may be empty."""
    return (
        type(value) is tuple
        and len(value) == 2
        and type(value[0]) is str
        and type(value[1]) is str
        and known <= len(value[0]) <= PERSON_ID_CHARS_MAX
        and 0 < len(value[1]) <= NAME_CHARS_MAX
    )


def is_arbiter(actor: Any) -> bool:
    """Whether an actor is an arbiter, (id, name)."""
    return is_person(actor)


def id_of(actor: Actor) -> str:
    """What an actor is compared by: an arbiter's id, otherwise the seat or `SERVER`."""
    return actor if isinstance(actor, str) else actor[0]


def called(actor: Actor) -> str:
    """How an actor is shown: an arbiter by name, otherwise the seat or `SERVER`."""
    return actor if isinstance(actor, str) else actor[1]


def identified(actor: Actor) -> str:
    """How an actor is named where two of one name must be told apart: an arbiter with their id."""
    return actor if isinstance(actor, str) else f"{actor[1]} ({actor[0]})"


def kind_of(data: bytes) -> str:
    """The kind of a record, read without its body; "" where none can be read."""
    head = msgpack.Unpacker(max_buffer_size=HEAD_BYTES)
    head.feed(data[:HEAD_BYTES])
    try:
        head.read_array_header()
        for _ in range(3):
            head.skip()
        kind = head.unpack()
    except Exception:
        return ""
    return kind if type(kind) is str else ""


HEAD_BYTES: Final = (
    1 + 9 + 9 + 1 + 5 + 4 * PERSON_ID_CHARS_MAX + 5 + 4 * NAME_CHARS_MAX + 1 + max(map(len, KINDS))
)
"""What stands in a record before its body, at most."""


def check_format(first: Record) -> None:
    """Raise OtherFormat if a log's first record, a genesis or a charter, names another format, and
    CorruptLog if it names none."""
    if not first.body or type(first.body[0]) is not int:
        raise CorruptLog(0, "format", "must be a number")
    if first.body[0] != FORMAT:
        raise OtherFormat(first.body[0])


@frozen
class Genesis:
    """The first record's body: everything that is fixed before a game's first move.

    options      the values of every switch of the title in force, by name
    pack         the data pack as canonical bytes; its SHA-256 is pack_digest
    chain        commitment to the open dice's chain of links
    hidden       commitment to the hidden value
    salts        commitment to the salt key
    server_key   the Ed25519 public key that signs heads
    terms        what the game is played under, beyond the title's options
    parent       reserved
    hash         the record's hash, which everything that seats sign is bound to
    """

    format: int
    game: str
    title: str
    version: str
    digest: bytes
    options: Mapping[str, Any]
    seats: tuple[str, ...]
    pack: bytes = field(repr=False)
    pack_digest: bytes
    chain: bytes
    hidden: bytes
    salts: bytes
    server_key: bytes
    terms: Mapping[str, Any] = field(factory=dict)
    parent: None = None
    hash: bytes = field(default=b"", eq=False)

    @property
    def unsigned_seats(self) -> bool:
        """Whether a seat may be taken without a key."""
        return self.terms.get(UNSIGNED_SEATS) is True

    @property
    def self_play(self) -> bool:
        """Whether one program played every seat."""
        return self.terms.get(SELF_PLAY) is True

    @property
    def delay_s(self) -> int:
        """How many seconds later than its players spectators see the game."""
        return int(self.terms[DELAY][0])

    @property
    def delay_turns(self) -> int:
        """How many whole game turns spectators are behind."""
        return int(self.terms[DELAY][1])

    @property
    def rated(self) -> bool:
        """Whether the game's result counts for ratings."""
        return self.terms[RATED] is True

    @property
    def entrants(self) -> Mapping[str, int]:
        """The numbers of the tournament's entrants by seat, where the game is a board of one; empty
        for any other game."""
        match self.terms.get(TOURNAMENT):
            case (_, _, _, _, _, _, tuple(numbers)) if len(numbers) == len(self.seats):
                return {
                    seat: number
                    for seat, number in zip(self.seats, numbers, strict=True)
                    if type(number) is int
                }
        return {}

    def check_terms(self) -> None:
        """Raise BadTerms unless the terms say how late spectators are and whether the game is
        rated."""
        delay = self.terms.get(DELAY)
        if (
            type(delay) is not tuple
            or len(delay) != 2
            or any(
                type(one) is not int or not 0 <= one <= most
                for one, most in zip(delay, (DELAY_S_MAX, DELAY_TURNS_MAX), strict=True)
            )
        ):
            raise BadTerms(
                f"{DELAY} is [seconds, turns], from 0 to {DELAY_S_MAX} and {DELAY_TURNS_MAX}"
            )
        if type(self.terms.get(RATED)) is not bool:
            raise BadTerms(f"{RATED} is true or false")

    def as_body(self) -> tuple[Any, ...]:
        """The positional body of the genesis record."""
        return (
            self.format,
            self.game,
            self.title,
            self.version,
            self.digest,
            canon.ordered(self.options),
            self.seats,
            self.pack,
            self.pack_digest,
            self.chain,
            self.hidden,
            self.salts,
            self.server_key,
            canon.ordered(self.terms),
            self.parent,
        )

    @classmethod
    def from_record(cls, record: Record) -> "Genesis":
        """Raises CorruptLog if the record is not a genesis, and OtherFormat for one of another
        format."""
        if record.seq != 0 or record.kind != GENESIS:
            raise CorruptLog(record.seq, "kind", "the first record must be the genesis")
        check_format(record)
        if len(record.body) != 15:
            raise CorruptLog(0, "body", "a genesis has 15 fields")
        genesis = replace(cls(*record.body), hash=record.hash)
        if type(genesis.seats) is not tuple or len(genesis.seats) > SEATS_MAX:
            raise CorruptLog(0, "seats", f"an array of at most {SEATS_MAX} seats")
        if type(genesis.terms) is not dict or genesis.parent is not None:
            raise CorruptLog(0, "terms", "terms are a map, and parent is nil")
        try:
            genesis.check_terms()
        except BadTerms as error:
            raise CorruptLog(0, "terms", str(error)) from error
        texts = (genesis.game, genesis.title, genesis.version, *genesis.seats)
        digests = (
            genesis.digest,
            genesis.pack_digest,
            genesis.chain,
            genesis.hidden,
            genesis.salts,
            genesis.server_key,
        )
        if not all(type(text) is str for text in texts) or type(genesis.options) is not dict:
            raise CorruptLog(0, "body", "names must be text and options a map")
        if (
            not all(type(item) is bytes and len(item) == HASH_BYTES for item in digests)
            or type(genesis.pack) is not bytes
        ):
            raise CorruptLog(0, "body", f"digests and keys must be {HASH_BYTES} bytes")
        if hash_of(genesis.pack) != genesis.pack_digest:
            raise CorruptLog(0, "pack", "its digest does not match")
        return genesis


Array: TypeAlias = tuple[Any, ...]


@define(unsafe_hash=True)
class By:
    """Who acted, as a record shows it: the key, the act's number, what its holder had seen, and the
    signature. Treat it as frozen, like Command, and for the same reason."""

    key: bytes
    n: int
    seen: bytes
    signature: bytes

    def as_array(self) -> Array:
        """[key, n, seen, signature]."""
        return (self.key, self.n, self.seen, self.signature)

    def check(self) -> None:
        """Raise ValueError unless each field has its form."""
        if not (
            type(self.key) is bytes
            and type(self.n) is int
            and type(self.seen) is bytes
            and type(self.signature) is bytes
            and self.n > 0
            and len(self.seen) == HASH_BYTES
            and _SIGNATURE_OF.get(len(self.key)) == len(self.signature)
        ):
            raise ValueError(_WHAT_BY_IS)


@frozen(slots=False)
class ByOrders:
    """Which of a seat's standing answers a command gives: the record of the orders, the place of
    the entry among them, and the place of the alternative in the entry."""

    orders: int
    entry: int
    alternative: int

    def as_array(self) -> Array:
        """[record of the orders, place of the entry, place of the alternative]."""
        return (self.orders, self.entry, self.alternative)


Acted: TypeAlias = By | ByOrders | None
"""Who acted: a seat's key, the server by a standing answer, or nobody of a seat."""

_SIGNATURE_OF: Final = {KEY_BYTES: SIGNATURE_BYTES, 0: 0}
"""The length of a signature for each length of a key; a seat that signs nothing has neither."""
_WHAT_BY_IS: Final = "by is [key, n, seen, signature], [record of orders, entry, alternative] or []"


def read_by(value: Any) -> Acted:
    """`by` as it stands in a record, or a By that was read before.

    Raises ValueError for anything else.
    """
    by = value if type(value) is By else by_or_orders(value)
    if type(by) is By:
        by.check()
    return by


def by_or_orders(value: Any) -> Acted:
    """`by` of a record, or a By, with the fields of the By unchecked. Raises ValueError."""
    if type(value) is tuple:
        count = len(value)
        if count == 4:
            return By(*value)
        if not count:
            return None
        if count == 3 and all(type(item) is int and item >= 0 for item in value) and value[0]:
            return ByOrders(*value)
    raise ValueError(_WHAT_BY_IS)


def by_seat_or_nobody(value: Any) -> By | None:
    """`by` in a record that cannot follow from standing answers."""
    by = by_or_orders(value)
    if isinstance(by, ByOrders):
        raise ValueError("by is [key, n, seen, signature] or []")
    return by


def by_seat(value: Any) -> By:
    """`by` in a record of what a seat did."""
    by = by_or_orders(value)
    if type(by) is not By:
        raise ValueError("by is [key, n, seen, signature]")
    return by


def by_array(by: Acted) -> Array:
    """`by` as it stands in a record."""
    return () if by is None else by.as_array()


def check_count(kind: str, body: Array, count: int) -> None:
    """Raise ValueError unless a body has so many fields."""
    if len(body) != count:
        raise ValueError(f"a body of the kind {kind} has {count} fields, not {len(body)}")
