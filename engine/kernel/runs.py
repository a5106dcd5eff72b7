"""Folding many records at once, where nobody asks for the positions between them.

`replay.fold_record` is the meaning of a record and returns the position after it. Whoever loads a
game wants the last position and perhaps a few others. `fold` comes to the same positions for less:

- Most records are commands. What they change around a title's state are a few values; they are held
  here, and a position is made only where one is wanted.
- What is large in a title's state and changes with nearly every event may be changed in place, if
  the title's rules provide for it (`drafts`).
- The log is an iterable: each record can be let go as soon as it is folded.

Records other than commands, and those of games with open claims, are folded by `fold_record`, and
so is the end of the log, where a free takeback may yet go back to any position. The laws of every
title hold both ways to the same positions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from warledger.engine.kernel.door import over_with_turn
from warledger.engine.kernel.drafts import drafting
from warledger.engine.kernel.position import PLAYING, Frame, Position, SeatState
from warledger.engine.kernel.replay import Replayer, command_of, does_not_fold, fold_record
from warledger.engine.kernel.types import Rules
from warledger.protocol import bodies, chain, effects, owed, records
from warledger.protocol.canon import SEAL_MARK
from warledger.protocol.news import brings_news
from warledger.protocol.records import CorruptLog, Genesis, Record
from warledger.protocol.seal import Opening

S = TypeVar("S")

Each = Callable[[Record, Callable[[], Position[Any]]], object]
"""What is called after every record but the genesis: with the record, and what makes the position
after it, to be called at once if at all."""

_NONE: Final[tuple[Any, ...]] = ()


def fold(
    rules: Rules[S],
    log: Iterable[Record],
    openings: Mapping[int, Sequence[Opening]],
    targets: Iterable[int],
    settled: int,
    each: Each | None = None,
) -> Replayer[S]:
    """Fold a log (its genesis first). `openings` are those that belong to each record, by its seq;
    `targets` all records that its takebacks go back to, and `settled` is what `settled_at` returns
    for it. The positions after both are kept as `replay.fold` keeps them.

    Raises CorruptLog at the first record that does not follow from those before it, wherever that
    is in the log, or else at the first that does not fold.
    """
    left = iter(log)
    genesis = Genesis.from_record(next(left))
    replayer = Replayer(rules, genesis, targets)
    try:
        if settled > 0:
            _fold_to(settled, replayer, left, openings, each)
        for record in left:
            after = replayer.feed(record, openings.get(record.seq, _NONE))
            if each is not None:
                each(record, lambda after=after: after)  # type: ignore[misc]
    except CorruptLog:
        for _ in left:  # a record that was changed tells more than what came of it
            pass
        raise
    return replayer


def _fold_to(
    last: int,
    replayer: Replayer[S],
    log: Iterator[Record],
    openings: Mapping[int, Sequence[Opening]],
    each: Each | None,
) -> None:
    """Fold the records up to `last`, and none behind it, keeping the targets alone."""
    rules, codec, pace, keep = replayer.rules, replayer.codec, replayer.pace, replayer.keep
    evolve, decode = rules.evolve, codec.decode
    drafted, fair = drafting(rules)

    # The position is `base` and what commands have changed since. Once there is one, the state is a
    # draft.
    base = replayer.position
    state, seq, awaits, counter, clocks = base.state, base.seq, base.open, base.counter, base.clocks
    turns = base.turns
    flow: list[Any] = list(base.flow)
    acts: dict[tuple[str, bytes], tuple[Any, ...]] = {}
    moves = _Moves(base)

    def position() -> Position[S]:
        if seq == base.seq:
            return base
        undo, undo_seat = moves.undo()
        return Position(
            fair(state),
            seq,
            PLAYING,
            tuple([Frame(*entry) if type(entry) is tuple else entry for entry in flow]),
            _acted(base.seats, acts),
            awaits,
            base.epoch,
            counter,
            undo_seat,
            undo,
            None,
            None,
            over_with_turn(base.standing) if turns > base.turns else base.standing,
            seq,
            base.shown_keys,
            base.server_key,
            False,
            clocks,
            base.docket,
            turns,
        )

    claims = bool(base.docket.due or base.docket.over_ms)
    for record in log:
        private = openings.get(record.seq)
        awaits_after: Any = ()
        try:
            if record.kind == records.COMMAND and not claims:
                seat, picks, by, draws, events, told, opened, change, awaits_after = command_of(
                    record, private
                )
            if awaits_after:  # else the game has ended, which clocks and dockets have to be told
                if seq == base.seq:
                    state = drafted(state)
                for event in events:
                    state = evolve(state, decode(event, record.seq))
                kept, frames = change
                del flow[kept:]
                flow += frames
                chance = bool(draws or opened)
                if effects.TURN_CLOSED in told:
                    turns += effects.turns_closed(told)
                    chance = chance or owed.links(turns, base.epoch) > 0
                moves.take(record.seq, seat, chance, picks, events, told, record.data)
                if draws:
                    counter = draws[-1][1] + 1
                if by is not None:
                    if len(by) == 4:
                        acts[seat, by[0]] = by
                    else:
                        bodies.by_or_orders(by)
                if clocks is not None and pace is not None:
                    clocks = pace.moved_on(clocks, record.at_ms, seat, awaits_after, told)
                seq, awaits = record.seq, awaits_after
        except CorruptLog:
            raise
        except Exception as error:
            raise does_not_fold(record.seq, error) from error
        if not awaits_after:
            before = position()
            base = fold_record(rules, codec, before, record, private or (), replayer.past, pace)
            state, seq, awaits, counter = base.state, base.seq, base.open, base.counter
            clocks, flow, acts, moves = base.clocks, list(base.flow), {}, _Moves(base)
            turns = base.turns
            claims = bool(base.docket.due or base.docket.over_ms)
        if seq in keep:
            replayer.kept[seq] = position()
        if each is not None:
            each(record, position)
        if seq >= last:
            break
    replayer.position = position()


class _Moves:
    """How far back a seat may freely go, from the commands since a position. Whether a command told
    its seat anything new takes a look at its bytes, so it is found out only when somebody asks."""

    __slots__ = ("_moves", "_seat", "_since", "_stood")

    def __init__(self, base: Position[Any]) -> None:
        self._since: tuple[int, ...] = base.undo
        self._seat = base.undo_seat
        self._stood = base.moved_on
        self._moves: list[tuple[int, Any, Any, bytes, bytes]] = []

    def take(
        self, seq: int, seat: str, chance: bool, picks: Any, events: Any, told: bytes, data: bytes
    ) -> None:
        """A command of a seat. `chance`: it draws, opens something, or ends a turn for the first
        time."""
        if chance or not seat:
            self._since, self._seat = (), ""
            self._moves = []
        else:
            if seat != self._seat:
                self._since, self._seat = (), seat
                self._moves = []
            self._moves.append((self._stood, picks, events, told, data))
        self._stood = seq

    def undo(self) -> tuple[tuple[int, ...], str]:
        """The records that a seat may freely take back to, oldest first, and the seat."""
        found: list[int] = []
        for stood, picks, events, told, data in reversed(self._moves):
            seals = SEAL_MARK in data  # also those of its effects, which are packed within
            if brings_news(self._seat, picks, events, told, chance=False, seals=seals):
                return tuple(reversed(found)), self._seat if found else ""
            found.append(stood)
        return (*self._since, *reversed(found)), self._seat


def _acted(
    seats: tuple[SeatState, ...], acts: Mapping[tuple[str, bytes], tuple[Any, ...]]
) -> tuple[SeatState, ...]:
    """The seats once they have signed commands: of each key its newest act."""
    found = {entry.seat: entry for entry in seats}
    for (seat, key), (_, n, seen, _) in acts.items():
        if seat in found:
            found[seat] = found[seat].acted(key, n, seen)
    return tuple(found.values())


# --- what has to be known of a log before ---------------------------------------------------------


def load(
    rules: Rules[S],
    datas: Sequence[bytes],
    openings: Mapping[int, Sequence[Opening]],
    each: Each | None = None,
    *,
    trusted: bool = True,
) -> Replayer[S]:
    """Follow the bytes of a log's records, as `chain.follow` does, and fold them. Raises as `fold`
    does."""

    def record_at(seq: int) -> Record:
        return records.read(datas[seq], trusted=True)

    try:
        count = len(datas)
        while count > 1 and records.kind_of(datas[count - 1]) == records.REVEAL:
            count -= 1  # what is opened at the end may be most of a log, and settles nothing
        targets, settled = targets_in(datas), settled_at(count, record_at)
    except ValueError:  # a record is none, or its body is malformed: the fold itself reports it
        targets, settled = (), 0
    followed = chain.follow(datas, trusted=trusted)
    return fold(rules, followed, openings, targets, settled, each)


def targets_in(datas: Iterable[bytes]) -> tuple[int, ...]:
    """The records that takebacks of a log go back to, from the bytes of its records."""
    found = set()
    for data in datas:
        # The kind stands among the first bytes; a text of that name may, too, so read it.
        if data.find(_TAKEBACK, 0, records.HEAD_BYTES) >= 0:
            record = records.read(data, trusted=True)
            if record.kind == records.TAKEBACK:
                found.add(bodies.Takeback.read(record.body).to)
    return tuple(sorted(found))


_TAKEBACK: Final = records.TAKEBACK.encode()


def settled_at(count: int, record_at: Callable[[int], Record]) -> int:
    """The last record of a log of `count` records after which no position need be kept for free
    takebacks: what the seat that could take back did since, it did without chance, openings or
    others' commands between. `record_at` reads a record; those at the end are looked at."""
    mover: str | None = None
    for seq in range(count - 1, 0, -1):
        record = record_at(seq)
        if record.kind == records.END:
            return seq
        if record.kind == records.COMMAND:
            seat, _, _, draws, _, _, opened, _, _ = bodies.for_replay(record.body)
            if draws or opened or not seat or seat != (mover or seat):
                return seq
            mover = seat
    return 0


__all__ = ["Each", "fold", "load", "settled_at", "targets_in"]
