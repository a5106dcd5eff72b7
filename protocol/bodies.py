"""The bodies of records, by name: a class for each kind, and for each kind of event in a `seat`
record.

A body is a positional array, in one form for format 1 and another for format 2. `read` makes an
object from the array, in either format, and `write` makes the array again. Nothing else reads a
body by position. A field that only format 2 has keeps its default in format 1, and `write`
determines the format from the field that says who acted.

`read` raises ValueError for an array with a wrong number of fields or a malformed `by`. It does not
check the other fields. An auditor checks the form of each (see `warledger.clients.audit.shapes`),
`acts.acts_in` that of acts; a server only reads what it has written itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attrs import define, frozen

from warledger.protocol import effects, records
from warledger.protocol.bodyparts import Array, by_array, by_seat, fields
from warledger.protocol.bodyparts import By as By
from warledger.protocol.bodyparts import by_or_orders as by_or_orders
from warledger.protocol.bodyparts import read_by as read_by
from warledger.protocol.choices import Say
from warledger.protocol.deskbodies import (
    CLOCKS,
    RULINGS,
    Clock,
    Corrected,
    Ruling,
    read_clock,
    read_ruling,
)
from warledger.protocol.effects import Effect
from warledger.protocol.records import BY, EFFECTS, Record
from warledger.protocol.seal import Opening
from warledger.protocol.seatbodies import DEVICE as DEVICE
from warledger.protocol.seatbodies import NONCE as NONCE
from warledger.protocol.seatbodies import REPLACED as REPLACED
from warledger.protocol.seatbodies import REVOKED as REVOKED
from warledger.protocol.seatbodies import TAKEN as TAKEN
from warledger.protocol.seatbodies import Device as Device
from warledger.protocol.seatbodies import Nonce as Nonce
from warledger.protocol.seatbodies import Replaced as Replaced
from warledger.protocol.seatbodies import Revoked as Revoked
from warledger.protocol.seatbodies import Seat as Seat
from warledger.protocol.seatbodies import Taken as Taken
from warledger.protocol.seatbodies import read_seat as read_seat

Awaits: TypeAlias = tuple[tuple[str, int], ...]
"""The seats that are asked, in the order of the genesis, each with the record that asked it."""

TAKEBACK, DRAW, RESIGN = "takeback", "draw", "resign"
"""What a seat may request."""

ORDERS_PLACE: Final = 1
"""The place of the sealed standing answers in the body of an `orders` record, as paths of openings
name it. (Those of a command are in `warledger.protocol.records`.)"""
OPENED_PLACES: Final[Mapping[str, int]] = {
    records.COMMAND: records.OPENED,
    records.END: 3,
    records.REVEAL: 0,
}
"""The place of the openings in the bodies of the kinds that make any public; an `end` has them only
in format 1."""

BY_RULES, BY_RESIGNATION, BY_DRAW, BY_EXPIRY = "rules", "resign", "draw", "expired"
BY_FLAG, BY_RULING, BY_ADJUDICATION = "flag", "ruling", "adjudicated"
"""What ended a game: the rules, a seat that resigned, a draw that was agreed, nobody, because it
never began; a flag that fell, an arbiter, or somebody who decided how it would have ended."""

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


# --- command --------------------------------------------------------------------------------------


@define
class CommandBody:
    """A command and all that it did. Treat it as frozen: it is not declared so because a replay
    makes one for each record, in a third of the time that a frozen class takes.

    decision  the record that asked the seat; 0 in the first command, which no seat gives
    picks     as they stand: the picks in format 1, [picks, blind] in format 2; a Seal where they
              are hidden
    by        who acted (format 2): a seat's key, the record of the orders it follows from, or
              nobody
    draws     receipts [epoch, counter, purpose, [sides, index] or a seal]
    events    arrays of the title
    effects   packed; see `effects_of`
    opened    openings [seq, path, salt, value] that are public from here on; see `openings_of`
    flow      [entries kept from the bottom of the stack, entries above them]
    digest    what the seat signs in place of its picks (format 2; None in format 1)
    seen      the newest record that the sender had seen (format 1; b"" for none)
    """

    decision: int
    seat: str
    picks: Any
    id: bytes
    by: By | int | None
    draws: tuple[Array, ...]
    events: tuple[Array, ...]
    effects: bytes
    opened: tuple[Array, ...]
    flow: Array
    awaits: Awaits
    digest: bytes | None = None
    seen: bytes = b""

    @classmethod
    def read(cls, body: Array) -> "CommandBody":
        """[decision, seat, picks, command id, seen or by, draws, events, effects, opened, flow,
        awaits] and in format 2 the digest behind them."""
        if len(body) == 12:
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
        fields("command", body, 11, 12)
        decision, seat, picks, id, seen, draws, events, told, opened, flow, awaits = body
        return cls(
            decision, seat, picks, id, None, draws, events, told, opened, flow, awaits, None, seen
        )

    def write(self) -> Array:
        """The array in the log."""
        signed = self.digest is not None
        body = (
            self.decision,
            self.seat,
            self.picks,
            self.id,
            by_array(self.by) if signed else self.seen,
            self.draws,
            self.events,
            self.effects,
            self.opened,
            self.flow,
            self.awaits,
        )
        return (*body, self.digest) if signed else body

    @property
    def by_array(self) -> Array:
        """`by` as it stands in a record of format 2."""
        return by_array(self.by)

    @property
    def begins(self) -> bool:
        """Whether it is the command with which play begins."""
        return self.decision == 0 and self.seat == ""


ForReplay: TypeAlias = tuple[
    str,
    Any,
    Array | None,
    tuple[Array, ...],
    tuple[Array, ...],
    bytes,
    tuple[Array, ...],
    Array,
    Awaits,
]


def for_replay(body: Array) -> ForReplay:
    """What a replay needs from a command: (seat, picks, by as it stands or None in format 1, draws,
    events, effects, opened, flow, awaits). A CommandBody costs four times as much, and a replay
    reads thousands.

    Raises ValueError as CommandBody.read does.
    """
    count = len(body)
    if count == 12:
        _, seat, picks, _, by, draws, events, told, opened, flow, awaits, _ = body
        return seat, picks, by, draws, events, told, opened, flow, awaits
    if count != 11:
        fields("command", body, 11, 12)
    _, seat, picks, _, _, draws, events, told, opened, flow, awaits = body
    return seat, picks, None, draws, events, told, opened, flow, awaits


def asked_after(record: Record) -> tuple[str, Awaits, bytes]:
    """Who gave a command, who is asked after it, and its packed effects: what clocks need to know,
    without reading the whole body."""
    body = record.body
    fields("command", body, 11, 12)
    return body[records.COMMAND_SEAT], body[records.AWAITS], body[EFFECTS]


def given_by(record: Record) -> tuple[str, bytes, By | int | None]:
    """The seat and id of a command, and who acted (format 2): what a server remembers about each
    command, without reading the whole body."""
    body = record.body
    by = by_or_orders(body[BY]) if fields("command", body, 11, 12) == 12 else None
    return body[records.COMMAND_SEAT], body[records.COMMAND_ID], by


# --- requests -------------------------------------------------------------------------------------


@frozen(slots=False)
class Ask:
    """A request: "takeback" to the record `to`, "draw", or "resign", which needs no answer."""

    seat: str
    what: str
    to: int
    by: By | None = None

    @classmethod
    def read(cls, body: Array) -> "Ask":
        """[seat, what, record to go back to or 0] and in format 2 [by] behind them."""
        if fields("ask", body, 3, 4) == 3:
            return cls(*body)
        seat, what, to, by = body
        return cls(seat, what, to, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        body = (self.seat, self.what, self.to)
        return body if self.by is None else (*body, self.by.as_array())


@frozen(slots=False)
class Answer:
    """A seat's answer to a request; `ask` is the record of the request (format 2)."""

    seat: str
    consents: bool
    ask: int = 0
    by: By | None = None

    @classmethod
    def read(cls, body: Array) -> "Answer":
        """[seat, consents] and in format 2 [record of the ask, by] behind them."""
        if fields("answer", body, 2, 4) == 2:
            return cls(*body)
        seat, consents, ask, by = body
        return cls(seat, consents, ask, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        body = (self.seat, self.consents)
        return body if self.by is None else (*body, self.ask, self.by.as_array())


@frozen(slots=False)
class Takeback:
    """The game is again as it was after record `to`. In format 2 `ask` is the record of the request
    that every other seat consented to; if it is 0 the takeback was free and its seat signed it."""

    seat: str
    to: int
    effects: bytes
    awaits: Awaits
    ask: int = 0
    by: By | None = None

    @classmethod
    def read(cls, body: Array) -> "Takeback":
        """[seat, record, effects, awaits] and in format 2 [record of the ask or 0, by or []] behind
        them."""
        if fields("takeback", body, 4, 6) == 4:
            return cls(*body)
        seat, to, effects, awaits, ask, by = body
        return cls(seat, to, effects, awaits, ask, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        body = (self.seat, self.to, self.effects, self.awaits)
        if self.by is None and not self.ask:
            return body
        return (*body, self.ask, by_array(self.by))


# --- orders, links, keys, the end -----------------------------------------------------------------


@frozen(slots=False)
class Orders:
    """All the standing answers of a seat from here on: a seal of [orders, blind], and the digest
    that the seat signs in their place (format 2)."""

    seat: str
    sealed: Any
    digest: bytes
    by: By | None

    @classmethod
    def read(cls, body: Array) -> "Orders":
        """[seat, seal, digest, by]."""
        fields("orders", body, 4)
        seat, sealed, digest, by = body
        return cls(seat, sealed, digest, by_seat(by))

    def write(self) -> Array:
        """The array in the log."""
        return (self.seat, self.sealed, self.digest, by_array(self.by))


@frozen(slots=False)
class Open:
    """The link of an epoch that has ended is revealed."""

    epoch: int
    link: bytes

    @classmethod
    def read(cls, body: Array) -> "Open":
        """[epoch, link]."""
        fields("open", body, 2)
        return cls(*body)

    def write(self) -> Array:
        """The array in the log."""
        return (self.epoch, self.link)


@frozen(slots=False)
class Rotate:
    """From here on the server signs with another key; the signature is made with the old one
    (format 2)."""

    key: bytes
    signature: bytes

    @classmethod
    def read(cls, body: Array) -> "Rotate":
        """[key, signature]."""
        fields("rotate", body, 2)
        return cls(*body)

    def write(self) -> Array:
        """The array in the log."""
        return (self.key, self.signature)


@frozen(slots=False)
class End:
    """How the game ended, and the server's secrets.

    winner    the winning seat, or None
    reason    why, with the clause that it rests on
    opened    the openings [seq, path, salt, value] that were not public yet; see `openings_of`.
              In format 2 they stand in the `reveal` records that follow
    links     [epoch, link] of the epochs that were not opened yet
    hidden    the hidden value; salts: the salt key
    scores    [seat, points] in the title's unit, in the order of the genesis (format 2; none for a
              title that keeps no score, and for a game that never began)
    by        what ended the game (format 2; "" in format 1)
    """

    winner: str | None
    reason: Say
    opened: tuple[Array, ...]
    links: tuple[tuple[int, bytes], ...]
    hidden: bytes
    salts: bytes
    scores: tuple[tuple[str, int], ...] = ()
    by: str = ""

    @classmethod
    def read(cls, body: Array) -> "End":
        """[winner, reason, arguments, openings, links, hidden value, salt key, clause]; in format 2
        [winner, reason, arguments, links, hidden value, salt key, clause, scores, by]."""
        if fields("end", body, 8, 9) == 8:
            winner, key, args, opened, links, hidden, salts, rule = body
            return cls(winner, _reason(key, args, rule), opened, links, hidden, salts)
        winner, key, args, links, hidden, salts, rule, scores, by = body
        return cls(winner, _reason(key, args, rule), (), links, hidden, salts, scores, by)

    def write(self) -> Array:
        """The array in the log."""
        reason = self.reason
        result = (self.winner, reason.key, reason.args)
        secrets = (self.links, self.hidden, self.salts, reason.rule)
        if not self.by:
            return (*result, self.opened, *secrets)
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
    `openings_of`. `last`: all is open now, and the log ends here (format 2)."""

    opened: tuple[Array, ...]
    last: bool

    @classmethod
    def read(cls, body: Array) -> "Reveal":
        """[openings, whether it is the last record]."""
        fields("reveal", body, 2)
        return cls(*body)

    def write(self) -> Array:
        """The array in the log."""
        return (self.opened, self.last)


Body: TypeAlias = (
    Taken
    | Nonce
    | Replaced
    | Device
    | Revoked
    | CommandBody
    | Ask
    | Answer
    | Takeback
    | Orders
    | Open
    | Rotate
    | End
    | Reveal
    | Clock
    | Ruling
)

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
    `warledger.protocol.records.Genesis`.

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
    """Whether nothing follows this record: it ends a game of format 1, or opens the last of what
    was hidden in one of format 2."""
    if record.kind == records.REVEAL:
        return Reveal.read(record.body).last is True
    return record.kind == records.END and not End.read(record.body).by


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
    those that follow the end (in format 1, of the end).

    Raises BadOpening for an item that is not an opening.
    """
    items: tuple[Any, ...] = ()
    if record.kind == records.COMMAND:
        items = record.body[records.OPENED]
    elif record.kind == records.REVEAL:
        items = Reveal.read(record.body).opened
    elif record.kind == records.END:
        items = End.read(record.body).opened
    return tuple([Opening.from_array(item) for item in items]) if items else ()
