"""Folding a log: records to positions. No rule is asked here, only events are evolved; re-deciding is the auditor's business.

`fold` is what a server does after a restart, `Replayer` what anybody does who wants the position after any record.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from engine.kernel.change import evolve as changed
from engine.kernel.codec import Codec
from engine.kernel.door import acted, after_command, brings_news
from engine.kernel.position import ENDED, GATHERING, PLAYING, Ask, Frame, KeyState, Position, SeatState, Standing
from engine.kernel.types import Outcome, Rules
from protocol import records
from protocol.canon import SEAL_EXTENSION
from protocol.choices import Say
from protocol.limits import HASH_BYTES
from protocol.records import CorruptLog, Genesis, Record
from protocol.seal import Opening, reveal

S = TypeVar("S")


_SEAL_MARK = bytes((0xC7, HASH_BYTES, SEAL_EXTENSION))
"""How a seal begins in a record's bytes: a record without it hides nothing."""


def start(rules: Rules[S], genesis: Genesis) -> Position[S]:
    """The position after the genesis record."""
    return Position(rules.initial(genesis), seats=tuple(SeatState(seat) for seat in genesis.seats), server_key=genesis.server_key)


def fold_record(
    rules: Rules[S],
    codec: Codec,
    at: Position[S],
    record: Record,
    openings: Sequence[Opening],
    past: Callable[[int], Position[S]],
) -> Position[S]:
    """The position after one more record; `openings` are all that belong to it, `past` gives the position a takeback goes back to.

    Raises CorruptLog when the record does not fit the position.
    """
    try:
        after: Position[S] = _FOLD[record.kind](rules, codec, at, record, openings, past)
        return after
    except CorruptLog:
        raise
    except Exception as error:
        raise CorruptLog(record.seq, "body", f"does not fold: {type(error).__name__}: {error}") from error


def _command(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Sequence[Opening], past: Any) -> Position[S]:
    body = record.body
    if openings:
        # Openings of effects point into the packed blob, which replay does not decode.
        body = reveal(body, (opening for opening in openings if opening.path[0] != records.EFFECTS))
    _, seat, _, _, by, draws, events, _, opened, change, awaits = body[:_COMMAND_FIELDS]
    state = at.state
    evolve, decode, seq = rules.evolve, codec.decode, record.seq
    for event in events:
        state = evolve(state, decode(event, seq))
    kept, frames = change
    flow = (*at.flow[:kept], *[Frame(*frame) for frame in frames])
    news = bool(draws or opened) or (_SEAL_MARK in record.data and brings_news(body))
    undo, undo_seat = after_command(at, seat, news=news)
    counter = draws[-1][1] + 1 if draws else at.counter
    seats = acted(at.seats, seat, by) if type(by) is tuple and len(by) == 4 else at.seats
    return Position(
        state,
        seq,
        PLAYING,
        flow,
        seats,
        awaits,
        at.epoch,
        counter,
        undo_seat,
        undo,
        None,
        None,
        at.standing,
        seq,
        at.shown_keys,
        at.server_key,
    )


_COMMAND_FIELDS = records.AWAITS + 1
"""The fields of a command that every format has."""


def _seat(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any) -> Position[S]:
    what, seat, value, *rest = record.body
    known = at.seat(seat)
    if known is None:
        raise CorruptLog(record.seq, "body", f"there is no seat {seat!r}")
    if what == "taken":
        if len(rest) == 1:
            return with_seat(at, record.seq, SeatState(seat, value, rest[0], None))
        return taken(at, record.seq, seat, value, rest[0], rest[-1])
    if what == "nonce":
        return with_seat(at, record.seq, signed_by(changed(known, nonce=value), rest[-1] if rest else ()))
    if what == "replaced":
        if not rest:
            return with_seat(at, record.seq, changed(known, principal=value))
        return replaced(at, record.seq, seat, value, rest[1])
    if what == "device":
        return with_key(at, record.seq, signed_by(known, rest[-1]), value)
    if what == "revoked":
        entry = signed_by(known, rest[-1])
        return with_seat(at, record.seq, changed(entry, keys=tuple(key for key in entry.keys if key.key != value)))
    raise CorruptLog(record.seq, "body", f"unknown act {what!r}")


def with_seat(at: Position[S], seq: int, entry: SeatState) -> Position[S]:
    """The position after a record that changes one seat."""
    return changed(at, seq=seq, seats=tuple(entry if old.seat == entry.seat else old for old in at.seats))


def signed_by(entry: SeatState, by: tuple[Any, ...]) -> SeatState:
    """The seat once it has signed one more act (`by` as the record has it; empty where nobody signed)."""
    return entry.acted(*by[:3]) if len(by) == 4 else entry


def taken(at: Position[S], seq: int, seat: str, principal: str, nonce_hash: bytes, by: tuple[Any, ...]) -> Position[S]:
    """The position once a seat is taken with a key (or, where that may be, with none)."""
    key, n, seen, _ = by
    entry = SeatState(seat, principal, nonce_hash, None, key, (KeyState(key, n, seen),))
    return _shown(with_seat(at, seq, entry), key, seat)


def replaced(at: Position[S], seq: int, seat: str, principal: str, by: tuple[Any, ...]) -> Position[S]:
    """The position once somebody else, with a key of their own, sits in a seat. Its orders were given by who has gone."""
    key, n, seen, _ = by
    known = at.seat(seat)
    assert known is not None
    entry = changed(known, principal=principal, keys=(KeyState(key, n, seen),))
    standing = tuple(entry for entry in at.standing if entry.seat != seat)
    return changed(_shown(with_seat(at, seq, entry), key, seat), standing=standing)


def with_key(at: Position[S], seq: int, entry: SeatState, key: bytes) -> Position[S]:
    """The position once a seat has a further key, which has signed nothing yet."""
    entry = changed(entry, keys=(*entry.keys, KeyState(key, 0, b"")))
    return _shown(with_seat(at, seq, entry), key, entry.seat)


def _shown(at: Position[S], key: bytes, seat: str) -> Position[S]:
    return changed(at, shown_keys=(*at.shown_keys, (key, seat))) if key else at


def _ask(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any) -> Position[S]:
    seat, kind, to, *by = record.body
    seats = acted(at.seats, seat, by[0]) if by else at.seats
    return changed(at, seq=record.seq, seats=seats, ask=Ask(seat, kind, to, record.seq))


def _answer(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any) -> Position[S]:
    seat, consents, *rest = record.body
    if at.ask is None:
        raise CorruptLog(record.seq, "body", "nothing was asked")
    seats = acted(at.seats, seat, rest[1]) if rest else at.seats
    ask = changed(at.ask, consents=(*at.ask.consents, seat)) if consents else None
    return changed(at, seq=record.seq, seats=seats, ask=ask)


def _orders(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Sequence[Opening], past: Any) -> Position[S]:
    seat, sealed, _, by = reveal(record.body, openings) if openings else record.body
    return with_orders(at, record.seq, seat, sealed, by)


def with_orders(at: Position[S], seq: int, seat: str, orders: Any, by: tuple[Any, ...]) -> Position[S]:
    """The position once a seat has other standing answers: `orders` is a Secret of [orders, blind], or a Seal."""
    others = tuple(entry for entry in at.standing if entry.seat != seat)
    return changed(at, seq=seq, seats=acted(at.seats, seat, by), standing=(*others, Standing(seat, seq, orders)))


def _rotate(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any) -> Position[S]:
    return gone_over(at, record.seq, record.body[0])


def gone_over(at: Position[S], seq: int, key: bytes) -> Position[S]:
    """The position once the server signs with another key. The one it had is nobody else's either."""
    return changed(at, seq=seq, server_key=key, shown_keys=(*at.shown_keys, (at.server_key, records.SERVER)))


def _takeback(
    rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Callable[[int], Position[S]]
) -> Position[S]:
    seat, to, _, awaits, *rest = record.body
    if rest and rest[1]:
        at = changed(at, seats=acted(at.seats, seat, rest[1]))
    return back_to(at, past(to), seat, to, record.seq, awaits)


def back_to(at: Position[S], then: Position[S], seat: str, to: int, seq: int, awaits: tuple[tuple[str, int], ...]) -> Position[S]:
    """The position after a takeback: all is as it was then, except that draws go on from where they are.

    After one that needed consent nothing older can be taken back freely, nor by a seat that another's command, now undone, had stopped.
    """
    free = at.undo_seat == seat == then.undo_seat and to in at.undo
    undo, undo_seat = (then.undo, then.undo_seat) if free else ((), "")
    return changed(
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
    )


def _open(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any) -> Position[S]:
    return link_opened(at, record.seq, record.body[0])


def link_opened(at: Position[S], seq: int, epoch: int) -> Position[S]:
    """The position once a turn's link is open: with the turn the answers end that stood for it."""
    standing = tuple([changed(entry, turn_over=True) for entry in at.standing])
    return changed(at, seq=seq, epoch=max(at.epoch, epoch + 1), standing=standing)


def _end(rules: Rules[S], codec: Codec, at: Position[S], record: Record, openings: Any, past: Any) -> Position[S]:
    winner, key, args, *_, rule = record.body
    reason = Say(key, tuple((name, value) for name, value in args), rule)
    return changed(at, seq=record.seq, stage=ENDED, open=(), undo=(), undo_seat="", ask=None, outcome=Outcome(winner, reason))


_FOLD: Mapping[str, Callable[..., Any]] = {
    records.COMMAND: _command,
    records.SEAT: _seat,
    records.ASK: _ask,
    records.ANSWER: _answer,
    records.TAKEBACK: _takeback,
    records.OPEN: _open,
    records.END: _end,
    records.ORDERS: _orders,
    records.ROTATE: _rotate,
}


class Replayer(Generic[S]):
    """Positions of one game, record by record. Keeps the position after each record in `keep`, and those a free takeback may need."""

    def __init__(self, rules: Rules[S], genesis: Genesis, keep: Iterable[int] = ()) -> None:
        self.rules = rules
        self.codec = Codec(rules.events)
        self.position: Position[S] = start(rules, genesis)
        self._keep = frozenset(keep)
        self.kept: dict[int, Position[S]] = {}
        self._remember()

    def past(self, seq: int) -> Position[S]:
        """The position after an earlier record. Raises CorruptLog when it was not kept."""
        if seq not in self.kept:
            raise CorruptLog(self.position.seq + 1, "body", f"goes back to record {seq}, which it cannot")
        return self.kept[seq]

    def feed(self, record: Record, openings: Sequence[Opening] = ()) -> Position[S]:
        """Fold one more record."""
        before = self.position
        self.position = after = fold_record(self.rules, self.codec, before, record, openings, self.past)
        remember(self.kept, before, after, self._keep)
        if self._keep:
            self._remember()
        return after

    def _remember(self) -> None:
        seq = self.position.seq
        if seq in self._keep:
            self.kept[seq] = self.position


def remember(kept: dict[int, Position[S]], before: Position[S], after: Position[S], keep: frozenset[int] = frozenset()) -> None:
    """Keep in `kept` just the positions that a free takeback may still go back to, and those in `keep`."""
    # A command adds its own place as the last one; what a takeback may go back to was kept when it was added.
    undo = after.undo
    if undo and undo[-1] == before.seq:
        kept[before.seq] = before
    if len(kept) > len(undo):
        for seq in [seq for seq in kept if seq not in undo and seq not in keep]:
            del kept[seq]


def takeback_targets(log: Iterable[Record]) -> tuple[int, ...]:
    """The records that takebacks of this log go back to."""
    return tuple(sorted({record.body[1] for record in log if record.kind == records.TAKEBACK and len(record.body) > 1}))


def fold(
    rules: Rules[S],
    log: Sequence[Record],
    openings: Mapping[int, Sequence[Opening]],
    keep: Iterable[int] = (),
    to: int | None = None,
) -> Replayer[S]:
    """Fold a log (its genesis first), up to record `to` if given. `openings` are those that belong to each record, by its seq.

    Raises CorruptLog at the first record that does not fold.
    """
    replayer = Replayer(rules, Genesis.from_record(log[0]), (*keep, *takeback_targets(log)))
    feed, none = replayer.feed, ()
    for record in log[1:] if to is None else log[1 : to + 1]:
        feed(record, openings.get(record.seq, none))
    return replayer


__all__ = ["GATHERING", "Replayer", "back_to", "fold", "fold_record", "start", "takeback_targets"]
