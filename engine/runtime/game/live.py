"""A game's state in memory, folded from its frames. Everything here is plain computation and may
run in a thread."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from sys import intern
from typing import Any, Final

from attrs import define, field

from warledger.engine.kernel import replay, runs
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.ledger import Batch, Ledger
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.types import Rules
from warledger.engine.kernel.unsealing import Portion, left_sealed, portions
from warledger.engine.runtime.snapshots import snapshots
from warledger.engine.runtime.snapshots.sharedstates import codec_of
from warledger.engine.store.port import FRAME_HEAD, FRAME_OPENINGS, FRAME_RECORD, Frame
from warledger.protocol import canon
from warledger.protocol.chance.seal import Opening, pack_openings, unpack_openings
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.limits import SEEN_RECORDS_MAX
from warledger.protocol.log import bodies, chain, records
from warledger.protocol.log.bodies import By
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import Record
from warledger.protocol.seats import acts

COMMANDS_REMEMBERED: Final = 256
"""How many command ids are kept for a game. An older id names a decision that closed long ago, so
its command cannot be carried out twice either."""


@define(eq=False)
class Signed:
    """The acts of one key that are in the log: their numbers, which rise, and their records. All of
    them are kept, so that no act that is in the log is ever declined. Each takes sixteen bytes,
    since a long game has thousands."""

    numbers: array[int] = field(factory=lambda: array("q"))
    records: array[int] = field(factory=lambda: array("q"))

    def add(self, n: int, seq: int) -> None:
        """Add one more act. A newcomer to a seat that signs nothing may start again from 1."""
        if self.numbers and n <= self.numbers[-1]:
            del self.numbers[:], self.records[:]
        self.numbers.append(n)
        self.records.append(seq)

    def is_next(self, n: int) -> bool:
        """Whether an act with this number would be the newest one."""
        return not self.numbers or n > self.numbers[-1]

    def record_of(self, n: int) -> int | None:
        """The record of the act with this number, or None."""
        if not self.numbers or n > self.numbers[-1]:
            return None
        place = bisect_left(self.numbers, n)
        return self.records[place] if self.numbers[place] == n else None


@define(eq=False)
class Live:
    """A game that is being played: its ledger, the newest command ids with their records, and what
    each key signed, by seat and key.

    `start` is the position after the genesis, which snapshots are read and written against.
    `keeps_time` says whether something may happen because time has passed. `passed_over` are by
    seat the newest question (record of the orders, decision) that no standing answer answers.
    `change_times` when a seat last made a change of a kind that may come only so often, in seconds
    of the loop's clock.
    """

    ledger: Ledger[Any]
    start: Position[Any]
    keeps_time: bool = field(init=False)
    commands: dict[tuple[str, bytes], int] = field(factory=dict)
    signed: defaultdict[tuple[str, bytes], Signed] = field(factory=lambda: defaultdict(Signed))
    passed_over: dict[str, tuple[int, int]] = field(factory=dict)
    change_times: dict[tuple[str, str], list[float]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        # As the genesis has it, so once and for all: each command asks.
        self.keeps_time = self.start.clocks is not None or self.ledger.desk.protest_ms > 0

    @property
    def position(self) -> Position[Any]:
        """The position after the committed records."""
        return self.ledger.position

    def commit(self, batch: Batch[Any]) -> None:
        """Commit a batch that is durable."""
        self.ledger.commit(batch)
        for record in batch.records:
            self.remember(record)

    def remember(self, record: Record) -> None:
        """Remember a command's id, and what was signed."""
        if record.kind == records.COMMAND:
            seat, id, by = bodies.given_by(record)
            if id:
                # The seat's name has come with the record: one object serves for all of them.
                self.commands[intern(seat), id] = record.seq
                if len(self.commands) > COMMANDS_REMEMBERED:
                    del self.commands[next(iter(self.commands))]
            if type(by) is By:
                self.signed[seat, by.key].add(by.n, record.seq)
        else:
            for act in acts.acts_of(self.ledger.genesis.hash, record):
                self.signed[act.seat, act.key].add(act.n, record.seq)


@define(eq=False)
class SnapshotDue:
    """After which records of a game, told of one by one, a snapshot is due: after one in `every`,
    and after each that goes back beyond the newest snapshot. So no fold from a snapshot needs what
    was before it."""

    every: int
    last: int = 0

    def is_due(self, record: Record) -> bool:
        """Whether one is due after this record. It then counts as kept."""
        seq = record.seq
        goes_back = (
            record.kind == records.TAKEBACK
            and self.last > 0
            and bodies.Takeback.read(record.body).to < self.last
        )
        if goes_back or (seq >= snapshots.FROM and seq - self.last >= self.every):
            self.last = seq
            return True
        return False


def split(
    frames: Sequence[Frame], first: int = 0
) -> tuple[list[bytes], dict[int, tuple[Opening, ...]]]:
    """The bytes of the records, of which the first is record `first`, and the private openings with
    the record they belong to."""
    payloads: list[bytes] = []
    openings: dict[int, tuple[Opening, ...]] = {}
    for frame in frames:
        if frame.kind == FRAME_RECORD:
            payloads.append(frame.payload)
        elif frame.kind == FRAME_OPENINGS:
            seq = first + len(payloads) - 1
            openings[seq] = (*openings.get(seq, ()), *unpack_openings(frame.payload))
    return payloads, openings


def load(
    rules: Rules[Any],
    keys: Keys,
    frames: Sequence[Frame],
    each: runs.Each | None = None,
    make: Callable[[Record], Ledger[Any]] | None = None,
) -> Live:
    """Fold a game from its genesis. `each` is called with every record, and what makes the position
    after it; `make` makes its ledger, where it is another than ours.

    Raises CorruptLog at the first record that does not follow from those before it, or does not
    fold.
    """
    payloads, openings = split(frames)
    last = next(chain.follow(payloads[:1], trusted=True))
    live = begin(rules, last, keys, make)
    ledger = live.ledger
    recent = deque([last.hash], SEEN_RECORDS_MAX)

    def pass_by(record: Record, position: Callable[[], Position[Any]]) -> None:
        nonlocal last
        last = record
        recent.append(record.hash)
        live.remember(record)
        if each is not None:
            each(record, position)

    replayer = runs.load(rules, payloads, openings, pass_by)
    ledger.resume(replayer.position, last, replayer.kept, recent)
    replay.remember(ledger.past, ledger.position, ledger.position)
    return live


def begin(
    rules: Rules[Any],
    genesis: Record,
    keys: Keys,
    make: Callable[[Record], Ledger[Any]] | None = None,
) -> Live:
    """A game after its genesis."""
    if make is None:
        ledger: Ledger[Any] = Ledger(rules, genesis, keys)
        ledger.codec = codec_of(rules.events)
    else:
        ledger = make(genesis)
    start = ledger.position
    ledger.genesis = replace(ledger.genesis, pack=b"")  # the state holds what it needs of the pack
    return Live(ledger, start)


def frames_of(batch: Batch[Any], head: Head) -> list[Frame]:
    """What is stored of records that were proposed together, with the signed head of the last."""
    frames: list[Frame] = []
    for record, openings in zip(batch.records, batch.openings, strict=True):
        frames.append(Frame(FRAME_RECORD, record.data))
        if openings:
            frames.append(Frame(FRAME_OPENINGS, pack_openings(openings)))
    frames.append(Frame(FRAME_HEAD, canon.pack(head.as_array())))
    return frames


def left_to_open(frames: Sequence[Frame]) -> list[Portion]:
    """What is still hidden in a game that has ended, in portions for its last records."""
    payloads, openings = split(frames)
    log = (records.read(payload, trusted=True) for payload in payloads)
    return list(portions(left_sealed(log, openings)))
