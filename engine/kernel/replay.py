"""Folding a log: records to positions. The rules are not asked anything here; events alone are
folded. Deciding commands again is up to the auditor.

A server uses `fold` after a restart; `Replayer` gives the position after any record.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commandrun import CommandRun, does_not_fold
from warledger.engine.kernel.door import acted
from warledger.engine.kernel.position import (
    ENDED,
    Ask,
    KeyState,
    Position,
    SeatState,
    StandingAnswers,
)
from warledger.engine.kernel.table import Codec, codec_of
from warledger.engine.kernel.types import Outcome, Rules
from warledger.protocol.chance.seal import Opening, reveal
from warledger.protocol.clocks import clock
from warledger.protocol.clocks.clock import Mark
from warledger.protocol.clocks.clockcontrol import BadControl, control_of
from warledger.protocol.clocks.clockfold import Pace
from warledger.protocol.clocks.clockstate import Clocks
from warledger.protocol.log import bodies, deskbodies, docket, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.docket import Docket
from warledger.protocol.log.records import CorruptLog, Genesis, Record

S = TypeVar("S")


def start(rules: Rules[S], genesis: Genesis) -> Position[S]:
    """The position after the genesis record."""
    return Position(
        rules.initial(genesis),
        seats=tuple(SeatState(seat) for seat in genesis.seats),
        server_key=genesis.server_key,
        clocks=first_clocks(genesis),
    )


def first_clocks(genesis: Genesis) -> Clocks | None:
    """The clocks after the genesis record. Raises CorruptLog if it has an invalid control."""
    try:
        control = control_of(genesis)
    except BadControl as error:
        raise CorruptLog(0, "terms", str(error)) from error
    return None if control is None else clock.begin(control, genesis.seats)


def fold_record(
    rules: Rules[S],
    codec: Codec,
    at: Position[S],
    record: Record,
    openings: Sequence[Opening],
    past: Callable[[int], Position[S]],
    pace: Pace | None = None,
) -> Position[S]:
    """The position after one more record. `openings` are all that belong to it. `past` returns the
    position that a takeback goes back to, and `pace` is that of a game with clocks.

    Raises CorruptLog if the record does not fit the position.
    """
    try:
        if record.kind == records.COMMAND:
            run = CommandRun(rules, codec, at, pace)
            run.take(record, openings)
            return with_docket(at.docket, run.position(), record, pace)
        after: Position[S] = _FOLD[record.kind](rules, codec, at, record, openings, past)
        if pace is not None and at.clocks is not None:
            body = bodies.read(record)
            clocks = pace.after(at.clocks, record.at_ms, body, lambda to: mark_of(past(to)))
            after = replace(after, clocks=clocks)
        return with_docket(at.docket, after, record, pace)
    except CorruptLog:
        raise
    except Exception as error:
        raise does_not_fold(record.seq, error) from error


def with_docket(
    before: Docket, after: Position[S], record: Record, pace: Pace | None
) -> Position[S]:
    """The position once its docket knows of the record; `before` is the docket before it."""
    over = record.kind == records.COMMAND and not after.open
    if not (record.kind in DOCKET_KINDS or over or before.due or before.over_ms):
        return after
    control = None if pace is None else pace.control
    seq, at_ms, body = record.seq, record.at_ms, bodies.read(record)
    return replace(after, docket=docket.after(before, seq, at_ms, record.actor, body, control))


def mark_of(then: Position[S]) -> Mark:
    """What a takeback to a position restores in the clocks."""
    return (0, ()) if then.clocks is None else clock.mark(then.clocks)


def _seat(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    seq, body = record.seq, bodies.read_seat(record.body)
    known = at.seat(body.seat)
    if known is None:
        raise CorruptLog(seq, "body", f"there is no seat {body.seat!r}")
    match body:
        case bodies.Taken():
            return taken(at, seq, body)
        case bodies.Nonce():
            return with_seat(at, seq, signed_by(replace(known, nonce=body.nonce), body.by))
        case bodies.Replaced():
            return replaced(at, seq, body)
        case bodies.Device():
            return with_key(at, seq, signed_by(known, body.by), body.key)
        case bodies.Revoked():
            return with_seat(at, seq, without_key(signed_by(known, body.by), body.key))


def with_seat(at: Position[S], seq: int, entry: SeatState) -> Position[S]:
    """The position after a record that changes one seat."""
    return replace(
        at, seq=seq, seats=tuple(entry if old.seat == entry.seat else old for old in at.seats)
    )


def signed_by(entry: SeatState, by: By | None) -> SeatState:
    """The seat once it has signed one more act; unchanged if nobody signed."""
    return entry if by is None else entry.acted(by.key, by.n, by.seen)


def without_key(entry: SeatState, key: bytes) -> SeatState:
    """The seat once one of its keys is no longer in force."""
    return replace(entry, keys=tuple(known for known in entry.keys if known.key != key))


def taken(at: Position[S], seq: int, body: bodies.Taken) -> Position[S]:
    """The position once a seat is taken: with a key or, where that is allowed, with none."""
    seat, by = body.seat, body.by
    keys = (KeyState(by.key, by.n, by.seen),)
    entry = SeatState(seat, body.account, body.name, body.nonce_hash, None, by.key, keys)
    return _shown(with_seat(at, seq, entry), by.key, seat)


def replaced(at: Position[S], seq: int, body: bodies.Replaced) -> Position[S]:
    """The position once somebody else sits in a seat, with a key of their own. Its standing answers
    end, since they were given by the previous player."""
    seat, by = body.seat, body.by
    known = at.seat(seat)
    assert known is not None
    keys = (KeyState(by.key, by.n, by.seen),)
    entry = replace(known, account=body.account, name=body.name, keys=keys)
    standing = tuple(entry for entry in at.standing if entry.seat != seat)
    return replace(_shown(with_seat(at, seq, entry), by.key, seat), standing=standing)


def with_key(at: Position[S], seq: int, entry: SeatState, key: bytes) -> Position[S]:
    """The position once a seat has a further key, which has signed nothing yet."""
    entry = replace(entry, keys=(*entry.keys, KeyState(key, 0, b"")))
    return _shown(with_seat(at, seq, entry), key, entry.seat)


def _shown(at: Position[S], key: bytes, seat: str) -> Position[S]:
    return replace(at, shown_keys=(*at.shown_keys, (key, seat))) if key else at


def _ask(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    ask = bodies.Ask.read(record.body)
    seats = acted(at.seats, ask.seat, ask.by)
    asked = Ask(ask.seat, ask.what, ask.to, record.seq)
    return replace(at, seq=record.seq, seats=seats, ask=asked)


def _answer(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    answer = bodies.Answer.read(record.body)
    if at.ask is None:
        raise CorruptLog(record.seq, "body", "nothing was asked")
    seats = acted(at.seats, answer.seat, answer.by)
    given = (*at.ask.consents, answer.seat)
    ask = replace(at.ask, consents=given) if answer.consents else None
    return replace(at, seq=record.seq, seats=seats, ask=ask)


def _orders(
    rules: Rules[S],
    codec: Codec,
    at: Position[S],
    record: Record,
    openings: Sequence[Opening],
    past: Any,
) -> Position[S]:
    body = bodies.Orders.read(reveal(record.body, openings))
    return with_orders(at, record.seq, body.seat, body.sealed, body.by)


def with_orders(at: Position[S], seq: int, seat: str, orders: Any, by: By | None) -> Position[S]:
    """The position once a seat has other standing answers: `orders` is a Secret of [orders, blind],
    or a Seal."""
    others = tuple(entry for entry in at.standing if entry.seat != seat)
    return replace(
        at,
        seq=seq,
        seats=acted(at.seats, seat, by),
        standing=(*others, StandingAnswers(seat, seq, orders)),
    )


def _rotate(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    return gone_over(at, record.seq, bodies.Rotate.read(record.body).key)


def gone_over(at: Position[S], seq: int, key: bytes) -> Position[S]:
    """The position once the server signs with another key. Nobody else may use the previous one
    either."""
    return replace(
        at, seq=seq, server_key=key, shown_keys=(*at.shown_keys, (at.server_key, records.SERVER))
    )


def _takeback(
    rules: Rules[S],
    codec: Codec,
    at: Position[S],
    record: Record,
    openings: Any,
    past: Callable[[int], Position[S]],
) -> Position[S]:
    body = bodies.Takeback.read(record.body)
    at = replace(at, seats=acted(at.seats, body.seat, body.by))
    return back_to(at, past(body.to), body.seat, body.to, record.seq, body.awaits)


def back_to(
    at: Position[S],
    then: Position[S],
    seat: str,
    to: int,
    seq: int,
    awaits: bodies.Awaits,
) -> Position[S]:
    """The position after a takeback: everything is as it was then, except that draws continue from
    where they are.

    After a takeback that needed consent, nothing older can be taken back freely. That holds too
    where the command that ended a seat's free takeback is now undone.
    """
    free = at.undo_seat == seat == then.undo_seat and to in at.undo
    undo, undo_seat = (then.undo, then.undo_seat) if free else ((), "")
    return replace(
        then,
        seq=seq,
        open=awaits,
        epoch=at.epoch,
        counter=at.counter,
        seats=at.seats,
        ask=None,
        undo=undo,
        undo_seat=undo_seat,
        standing=at.standing,
        moved_on=seq,
        shown_keys=at.shown_keys,
        server_key=at.server_key,
        docket=at.docket,
    )


def _open(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    return link_opened(at, record.seq, bodies.Open.read(record.body).epoch)


def link_opened(at: Position[S], seq: int, epoch: int) -> Position[S]:
    """The position once the link of an epoch is open: dice come from the next."""
    return replace(at, seq=seq, epoch=max(at.epoch, epoch + 1))


def _end(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    end = bodies.End.read(record.body)
    return replace(
        at,
        seq=record.seq,
        stage=ENDED,
        open=(),
        undo=(),
        undo_seat="",
        ask=None,
        outcome=Outcome(end.winner, end.reason),
        whole=False,
    )


def _reveal(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    return replace(at, seq=record.seq, whole=bodies.Reveal.read(record.body).last)


def _stands(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any
) -> Position[S]:
    """Time and arbiters: nothing changes on the board, but by a correction."""
    body = bodies.read(record)
    if isinstance(body, deskbodies.Corrected):
        state = at.state
        for event in body.events:
            state = rules.evolve(state, codec.decode(event, record.seq))
        return corrected(at, state, record.seq)
    if isinstance(body, deskbodies.Told) and body.acted is not None:
        at = replace(at, seats=acted(at.seats, records.id_of(record.actor), body.acted))
    agreed = isinstance(body, deskbodies.Pause)
    return replace(at, seq=record.seq, ask=None if agreed else at.ask)


def corrected(at: Position[S], state: S, seq: int) -> Position[S]:
    """The position after a correction: the questions stay, and nothing before it can be taken back
    freely."""
    return replace(at, state=state, seq=seq, moved_on=seq, undo=(), undo_seat="", ask=None)


_FOLD: Mapping[str, Callable[..., Any]] = {
    records.SEAT: _seat,
    records.ASK: _ask,
    records.ANSWER: _answer,
    records.TAKEBACK: _takeback,
    records.OPEN: _open,
    records.END: _end,
    records.ORDERS: _orders,
    records.ROTATE: _rotate,
    records.REVEAL: _reveal,
    records.CLOCK: _stands,
    records.RULING: _stands,
}


DOCKET_KINDS = (records.SEAT, records.CLOCK, records.RULING)
"""Kinds of records that may concern claims."""


class Replayer(Generic[S]):
    """Positions of one game, record by record, from its genesis or from the position `at`. Keeps
    the position after each record in `keep`, and those that a free takeback may need."""

    def __init__(
        self,
        rules: Rules[S],
        genesis: Genesis,
        keep: Iterable[int] = (),
        at: Position[S] | None = None,
    ) -> None:
        self.rules = rules
        self.codec = codec_of(rules)
        self.position: Position[S] = start(rules, genesis) if at is None else at
        self.pace = Pace.of(genesis)
        self.keep = frozenset(keep)
        self.kept: dict[int, Position[S]] = {}
        self._remember()

    def past(self, seq: int) -> Position[S]:
        """The position after an earlier record. Raises CorruptLog if it was not kept."""
        if seq not in self.kept:
            raise CorruptLog(
                self.position.seq + 1, "body", f"goes back to record {seq}, which it cannot"
            )
        return self.kept[seq]

    def feed(self, record: Record, openings: Sequence[Opening] = ()) -> Position[S]:
        """Fold one more record."""
        before = self.position
        self.position = after = fold_record(
            self.rules, self.codec, before, record, openings, self.past, self.pace
        )
        remember(self.kept, before, after, self.keep)
        if self.keep:
            self._remember()
        return after

    def _remember(self) -> None:
        seq = self.position.seq
        if seq in self.keep:
            self.kept[seq] = self.position


def remember(
    kept: dict[int, Position[S]],
    before: Position[S],
    after: Position[S],
    keep: frozenset[int] = frozenset(),
) -> None:
    """Keep in `kept` just the positions that a free takeback may still go back to, and those in
    `keep`."""
    # A command adds its own record as the last one; what a takeback may go back to was kept when it
    # was added.
    undo = after.undo
    if undo and undo[-1] == before.moved_on:
        # One that is there is the position at that record itself.
        kept.setdefault(before.moved_on, before)
    if len(kept) > len(undo):
        for seq in [seq for seq in kept if seq not in undo and seq not in keep]:
            del kept[seq]


def takeback_targets(log: Iterable[Record]) -> tuple[int, ...]:
    """The records that takebacks of this log go back to."""
    targets = set()
    for record in log:
        if record.kind == records.TAKEBACK:
            with suppress(ValueError):  # the fold itself reports it
                targets.add(bodies.Takeback.read(record.body).to)
    return tuple(sorted(targets))


def fold(
    rules: Rules[S],
    log: Sequence[Record],
    openings: Mapping[int, Sequence[Opening]],
    keep: Iterable[int] = (),
    to: int | None = None,
    each: Callable[[Record, Position[S]], object] | None = None,
) -> Replayer[S]:
    """Fold a log (its genesis first), up to record `to` if given. `openings` are those that belong
    to each record, by its seq. `each` is called with every record, and the position after it.

    Raises CorruptLog at the first record that does not fold.
    """
    replayer = Replayer(rules, Genesis.from_record(log[0]), (*keep, *takeback_targets(log)))
    feed, none = replayer.feed, ()
    for record in log[1:] if to is None else log[1 : to + 1]:
        after = feed(record, openings.get(record.seq, none))
        if each is not None:
            each(record, after)
    return replayer
