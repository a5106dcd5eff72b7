"""Folding many records at once, where nobody asks for the positions between them.

`replay.fold_record` is the meaning of a record and returns the position after it. Whoever loads a
game wants the last position and perhaps a few others. `fold` comes to the same positions for less:

- Commands between two other records are one run (`commandrun`). It makes a position only where one
  is wanted, and changes the title's state in place where its rules provide for it.
- The log is an iterable: each record can be let go as soon as it is folded.

Records other than commands, and those of games with open claims, are folded by `fold_record`. So is
the end of the log, where a free takeback may yet go back to any position.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from warledger.engine.kernel.commandrun import CommandRun
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.replay import Replayer, fold_record, with_docket
from warledger.engine.kernel.types import Rules
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log import bodies, chain, records
from warledger.protocol.log.records import CorruptLog, Genesis, Record

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
    """Fold a log (its genesis first). `openings` are those that belong to each record, by its seq.
    `targets` are all records that its takebacks go back to, and `settled` is what `settled_at`
    returns for it. The positions after both are kept as `replay.fold` keeps them.

    Raises CorruptLog at the first record anywhere that does not follow from those before it, or
    else at the first that does not fold.
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

    def run_from(at: Position[S]) -> CommandRun[S]:
        return CommandRun(rules, codec, at, pace, in_place=True)

    run = run_from(replayer.position)
    for record in log:
        private = openings.get(record.seq, _NONE)
        docket = run.base.docket
        if record.kind == records.COMMAND and not docket.due and not docket.over_ms:
            run.take(record, private)
            if not run.open:  # the game has ended, of which the docket has to know
                run = run_from(with_docket(docket, run.position(), record, pace))
        else:
            before = run.position()
            run = run_from(fold_record(rules, codec, before, record, private, replayer.past, pace))
        if record.seq in keep:
            replayer.kept[record.seq] = run.position()
        if each is not None:
            each(record, run.position)
        if record.seq >= last:
            break
    replayer.position = run.position()


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
