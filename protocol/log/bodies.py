"""The bodies of records, by name: a class for each kind, and for each kind of event in a `seat`
record.

A body is a positional array. `read` makes an object from the array, and `write` makes the array
again. Nothing else reads a body by position.

`read` raises ValueError for an array with a wrong number of fields or a malformed `by`. It does not
check the other fields. An auditor checks the form of each (see `warledger.clients.audit.shapes`),
`acts.acts_in` that of acts; a server only reads what it has written itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import define, frozen

from warledger.protocol.board import effects
from warledger.protocol.board.choices import Say
from warledger.protocol.board.effects import Effect
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import records
from warledger.protocol.log.deskbodies import (
    CLOCKS,
    RULINGS,
    Clock,
    Corrected,
    Ruling,
    read_clock,
    read_ruling,
)
from warledger.protocol.log.records import (
    BY,
    EFFECTS,
    Acted,
    Array,
    Record,
    by_array,
    by_seat,
    by_seat_or_nobody,
    check_count,
)
from warledger.protocol.log.records import By as By
from warledger.protocol.log.records import ByOrders as ByOrders
from warledger.protocol.log.records import by_or_orders as by_or_orders
from warledger.protocol.log.records import read_by as read_by
from warledger.protocol.log.seatbodies import DEVICE as DEVICE
from warledger.protocol.log.seatbodies import NONCE as NONCE
from warledger.protocol.log.seatbodies import REPLACED as REPLACED
from warledger.protocol.log.seatbodies import REVOKED as REVOKED
from warledger.protocol.log.seatbodies import TAKEN as TAKEN
from warledger.protocol.log.seatbodies import Device as Device
from warledger.protocol.log.seatbodies import Nonce as Nonce
from warledger.protocol.log.seatbodies import Replaced as Replaced
from warledger.protocol.log.seatbodies import Revoked as Revoked
from warledger.protocol.log.seatbodies import Seat as Seat
from warledger.protocol.log.seatbodies import Taken as Taken
from warledger.protocol.log.seatbodies import read_seat as read_seat

Question: TypeAlias = tuple[str, int, str]
"""A seat that is asked, the record that asked it, and the key of the prompt."""
Awaits: TypeAlias = tuple[Question, ...]
"""The seats that are asked, in the order of the genesis."""

TAKEBACK, DRAW, RESIGN = "takeback", "draw", "resign"
"""What a seat may request."""

ORDERS_PLACE: Final = 1
"""The place of the sealed standing answers in the body of an `orders` record, as paths of openings
name it. (Those of a command are in `warledger.protocol.log.records`.)"""
OPENED_PLACES: Final[Mapping[str, int]] = {
    records.COMMAND: records.OPENED,
    records.REVEAL: 0,
}
"""The place of the openings in the bodies of the kinds that make any public."""

BY_RULES, BY_RESIGNATION, BY_DRAW, BY_EXPIRY = "rules", "resign", "draw", "expired"
BY_FLAG, BY_RULING, BY_ADJUDICATION = "flag", "ruling", "adjudicated"
"""What ended a game: the rules, a resignation, an agreed draw, nothing (it never began), a flag
that fell, an arbiter, or somebody who decided its likely end."""

EFFECTS_PLACES: Final[Mapping[str, int]] = {records.COMMAND: EFFECTS, records.TAKEBACK: 2}
"""The place of the packed effects in the bodies of the kinds that have any."""


_WITH_A_WORD: Final = (records.SEAT, records.CLOCK, records.RULING)


def act_of(record: Record) -> str:
    """The first word of a `seat`, `clock` or `ruling` record; "" for a record of another kind, and
    for one that has no such word."""
    if record.kind not in _WITH_A_WORD or not record.body:
        return ""
    what = record.body[0]
    return what if type(what) is str else ""


def stands(record: Record) -> bool:
    """Whether a takeback may go back to a record: to a command, a takeback or a correction, and to
    no other."""
    return record.kind in (records.COMMAND, records.TAKEBACK) or (
        record.kind == records.RULING and act_of(record) == Corrected.WHAT
    )


# --- command --------------------------------------------------------------------------------------


@define
class CommandBody:
    """A command and all that it did. Treat it as frozen: it is not declared so because a replay
    makes one for each record, in a third of the time that a frozen class takes.

    decision  the record that asked the seat; 0 in the first command, which no seat gives
    picks     as they stand: [picks, blind], or a Seal where they are hidden
    by        who acted: a seat's key, the server by a standing answer, or nobody
    draws     receipts [epoch, counter, purpose, [sides, index] or a seal]
    events    arrays of the title
    effects   packed; see `effects_of`
    opened    openings [seq, path, salt, value] that are public from here on; see `openings_of`
    flow      [entries kept from the bottom of the stack, entries above them]
    digest    what the seat signs in place of its picks
    """

    decision: int
    seat: str
    picks: Any
    id: bytes
    by: Acted
    draws: tuple[Array, ...]
    events: tuple[Array, ...]
    effects: bytes
    opened: tuple[Array, ...]
    flow: Array
    awaits: Awaits
    digest: bytes

    @classmethod
    def read(cls, body: Array) -> "CommandBody":
        """[decision, seat, picks, command id, by, draws, events, effects, opened, flow, awaits,
        digest]."""
        if len(body) != 12:
            check_count("command", body, 12)
        decision, seat, picks, id, by, draws, events, told, opened, flow, awaits, digest = body
        return cls(
            decision,
            seat,
            picks,
            id,
            by_or_orders(by),
            draws,
            events,
            told,
            opened,
            flow,
            awaits,
            digest,
        )

    def write(self) -> Array:
        """The array in the log."""
        return (
            self.decision,
            self.seat,
            self.picks,
            self.id,
            by_array(self.by),
            self.draws,
            self.events,
            self.effects,
            self.opened,
            self.flow,
            self.awaits,
            self.digest,
        )

    @property
    def by_array(self) -> Array:
        """`by` as it stands in a record."""
        return by_array(self.by)

    @property
    def begins(self) -> bool:
        """Whether it is the command with which play begins."""
        return self.decision == 0 and self.seat == ""


ForReplay: TypeAlias = tuple[
    str,
    Any,
    Array,
    tuple[Array, ...],
    tuple[Array, ...],
    bytes,
    tuple[Array, ...],
    Array,
    Awaits,
]


def for_replay(body: Array) -> ForReplay:
    """What a replay needs from a command: (seat, picks, by as it stands, draws, events, effects,
    opened, flow, awaits). A CommandBody costs four times as much, and a replay reads thousands.

    Raises ValueError as CommandBody.read does.
    """
    if len(body) != 12:
        check_count("command", body, 12)
    _, seat, picks, _, by, draws, events, told, opened, flow, awaits, _ = body
    return seat, picks, by, draws, events, told, opened, flow, awaits


def asked_after(record: Record) -> tuple[str, Awaits, bytes]:
    """Who gave a command, who is asked after it, and its packed effects: what clocks need to know,
    without reading the whole body."""
    body = record.body
    check_count("command", body, 12)
    return body[records.COMMAND_SEAT], body[records.AWAITS], body[EFFECTS]


def given_by(record: Record) -> tuple[str, bytes, Acted]:
    """The seat and id of a command, and who acted: what a server remembers about each command,
    without reading the whole body."""
    body = record.body
    check_count("command", body, 12)
    return body[records.COMMAND_SEAT], body[records.COMMAND_ID], by_or_orders(body[BY])


# --- requests -------------------------------------------------------------------------------------


@frozen(slots=False)
class Ask:
    """A request: "takeback" to the record `to`, "draw", or "resign", which needs no answer."""

    seat: str
    what: str
    to: int
    by: By

    @classmethod
    def read(cls, body: Array) -> "Ask":
        """[seat, what, record to go back to or 0, by]."""
        check_count("ask", body, 4)
        seat, what, to, by = body
        return cls(seat, what, to, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        return (self.seat, self.what, self.to, self.by.as_array())


@frozen(slots=False)
class Answer:
    """A seat's answer to a request; `ask` is the record of the request."""

    seat: str
    consents: bool
    ask: int
    by: By

    @classmethod
    def read(cls, body: Array) -> "Answer":
        """[seat, consents, record of the ask, by]."""
        check_count("answer", body, 4)
        seat, consents, ask, by = body
        return cls(seat, consents, ask, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        return (self.seat, self.consents, self.ask, self.by.as_array())


@frozen(slots=False)
class Takeback:
    """The game is again as it was after record `to`. `ask` is the record of the request that every
    other seat consented to; if it is 0 the takeback was free and its seat signed it."""

    seat: str
    to: int
    effects: bytes
    awaits: Awaits
    ask: int
    by: By | None

    @classmethod
    def read(cls, body: Array) -> "Takeback":
        """[seat, record, effects, awaits, record of the ask or 0, by or []]."""
        check_count("takeback", body, 6)
        seat, to, effects, awaits, ask, by = body
        return cls(seat, to, effects, awaits, ask, by_seat_or_nobody(by))

    def write(self) -> Array:
        """The array in the log."""
        acted = by_array(self.by)
        return (self.seat, self.to, self.effects, self.awaits, self.ask, acted)


# --- orders, links, keys, the end -----------------------------------------------------------------


@frozen(slots=False)
class Orders:
    """All the standing answers of a seat from here on: a seal of [orders, blind], and the digest
    that the seat signs in their place."""

    seat: str
    sealed: Any
    digest: bytes
    by: By

    @classmethod
    def read(cls, body: Array) -> "Orders":
        """[seat, seal, digest, by]."""
        check_count("orders", body, 4)
        seat, sealed, digest, by = body
        return cls(seat, sealed, digest, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        return (self.seat, self.sealed, self.digest, self.by.as_array())


@frozen(slots=False)
class Open:
    """The link of an epoch that has ended is revealed."""

    epoch: int
    link: bytes

    @classmethod
    def read(cls, body: Array) -> "Open":
        """[epoch, link]."""
        check_count("open", body, 2)
        return cls(*body)

    def write(self) -> Array:
        """The array in the log."""
        return (self.epoch, self.link)


@frozen(slots=False)
class Rotate:
    """From here on the server signs with another key; the signature is made with the old one."""

    key: bytes
    signature: bytes

    @classmethod
    def read(cls, body: Array) -> "Rotate":
        """[key, signature]."""
        check_count("rotate", body, 2)
        return cls(*body)

    def write(self) -> Array:
        """The array in the log."""
        return (self.key, self.signature)


@frozen(slots=False)
class End:
    """How the game ended, and the server's secrets.

    winner    the winning seat, or None
    reason    why, with the clause that it rests on
    links     [epoch, link] of the epochs that were not opened yet
    hidden    the hidden value; salts: the salt key
    scores    [seat, points] in the title's unit, in the order of the genesis (none for a title
              that keeps no score, and for a game that never began)
    by        what ended the game
    """

    winner: str | None
    reason: Say
    links: tuple[tuple[int, bytes], ...]
    hidden: bytes
    salts: bytes
    scores: tuple[tuple[str, int], ...]
    by: str

    @classmethod
    def read(cls, body: Array) -> "End":
        """[winner, reason, arguments, links, hidden value, salt key, clause, scores, by]."""
        check_count("end", body, 9)
        winner, key, args, links, hidden, salts, rule, scores, by = body
        return cls(winner, _reason(key, args, rule), links, hidden, salts, scores, by)

    def write(self) -> Array:
        """The array in the log."""
        reason = self.reason
        result = (self.winner, reason.key, reason.args)
        secrets = (self.links, self.hidden, self.salts, reason.rule)
        return (*result, *secrets, self.scores, self.by)

    @property
    def outcome(self) -> tuple[str | None, str, Array]:
        """(winner, reason, its arguments): what the cause of an end determines. The clause only the
        rules know."""
        return self.winner, self.reason.key, self.reason.args


def _reason(key: str, args: Array, rule: str) -> Say:
    return Say(key, tuple((name, value) for name, value in args), rule)


@frozen(slots=False)
class Reveal:
    """Openings that were not public when the game ended, in order of (seq, path); see
    `openings_of`. `last`: all is open now, and the log ends here."""

    opened: tuple[Array, ...]
    last: bool

    @classmethod
    def read(cls, body: Array) -> "Reveal":
        """[openings, whether it is the last record]."""
        check_count("reveal", body, 2)
        return cls(*body)

    def write(self) -> Array:
        """The array in the log."""
        return (self.opened, self.last)


SeatBody: TypeAlias = (
    Taken | Nonce | Replaced | Device | Revoked | CommandBody | Ask | Answer | Takeback | Orders
)
"""The bodies whose `by` may be a seat's."""

Body: TypeAlias = SeatBody | Open | Rotate | End | Reveal | Clock | Ruling

_READERS: Final[Mapping[str, Callable[[Array], Body]]] = {
    records.SEAT: read_seat,
    records.COMMAND: CommandBody.read,
    records.ASK: Ask.read,
    records.ANSWER: Answer.read,
    records.TAKEBACK: Takeback.read,
    records.ORDERS: Orders.read,
    records.OPEN: Open.read,
    records.ROTATE: Rotate.read,
    records.END: End.read,
    records.REVEAL: Reveal.read,
    records.CLOCK: read_clock,
    records.RULING: read_ruling,
}


def read(record: Record) -> Body:
    """The body of a record by the class of its kind; for a genesis see
    `warledger.protocol.log.records.Genesis`.

    Raises ValueError for an array that is none of that kind, and for a genesis.
    """
    reader = _READERS.get(record.kind)
    if reader is None:
        raise ValueError(f"the kind {record.kind} has no body of this sort")
    return reader(record.body)


_KINDS: Final[Mapping[type[Any], str]] = {
    Taken: records.SEAT,
    Nonce: records.SEAT,
    Replaced: records.SEAT,
    Device: records.SEAT,
    Revoked: records.SEAT,
    CommandBody: records.COMMAND,
    Ask: records.ASK,
    Answer: records.ANSWER,
    Takeback: records.TAKEBACK,
    Orders: records.ORDERS,
    Open: records.OPEN,
    Rotate: records.ROTATE,
    End: records.END,
    Reveal: records.REVEAL,
    **dict.fromkeys(CLOCKS.values(), records.CLOCK),
    **dict.fromkeys(RULINGS.values(), records.RULING),
}


def kind_of(body: Body) -> str:
    """The kind of the record that such a body stands in."""
    return _KINDS[type(body)]


# --- parts of a body that are wanted by themselves ------------------------------------------------


def closes_log(record: Record) -> bool:
    """Whether nothing follows this record: it opens the last of what was hidden."""
    return record.kind == records.REVEAL and Reveal.read(record.body).last is True


def packed_effects(record: Record) -> bytes | None:
    """The packed effects of a record, or None for a kind that has none."""
    place = EFFECTS_PLACES.get(record.kind)
    if place is None:
        return Corrected.read(record.body).effects if act_of(record) == Corrected.WHAT else None
    blob: bytes = record.body[place]
    return blob


def effects_of(record: Record, openings: Iterable[Opening] = ()) -> tuple[Effect, ...]:
    """The effects of a record, with the hidden arguments filled in for which there is an opening.
    `openings` are those of this record that the audience was given, already verified.

    An opened veil gives way to the effects that it holds.

    Raises NotCanonical when the record's blob is not a list of effects, BadEffect when a veil does
    not hold one.
    """
    blob = packed_effects(record)
    if blob is None:
        return ()
    found: Any = effects.unpack(blob)
    lifted: dict[int, tuple[Effect, ...]] = {}
    for opening in openings:
        path = opening.path
        if opening.seq == record.seq and len(path) > 1 and path[0] == EFFECTS:
            if len(path) == 3 and found[path[1]][0] == effects.VEIL:
                lifted[path[1]] = effects.unveiled(opening.value)
            else:
                found = _filled(found, path[1:], opening.value)
    if lifted:
        found = tuple(
            inner for index, effect in enumerate(found) for inner in lifted.get(index, (effect,))
        )
    filled: tuple[Effect, ...] = found
    return filled


def _filled(value: Any, path: Sequence[int], opened: Any) -> Any:
    if not path:
        return opened
    index = path[0]
    return (*value[:index], _filled(value[index], path[1:], opened), *value[index + 1 :])


def openings_of(record: Record) -> tuple[Opening, ...]:
    """The openings in a record's body, which make public what they open: those of a command, and
    those that follow the end.

    Raises BadOpening for an item that is not an opening.
    """
    items: tuple[Any, ...] = ()
    if record.kind == records.COMMAND:
        items = record.body[records.OPENED]
    elif record.kind == records.REVEAL:
        items = Reveal.read(record.body).opened
    return tuple([Opening.from_array(item) for item in items]) if items else ()
