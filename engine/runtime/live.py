"""A game's state in memory, folded from its frames. Everything here is plain computation, fit for a thread."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from attrs import define, evolve, field

from engine.kernel import replay
from engine.kernel.ledger import Batch, Ledger
from engine.kernel.position import Position
from engine.kernel.types import Rules
from engine.runtime.sharing import codec_of
from engine.store.port import FRAME_OPENINGS, FRAME_RECORD, Frame
from protocol import acts, chain, records
from protocol.limits import SEEN_RECORDS_MAX
from protocol.records import CorruptLog, Record
from protocol.seal import Opening, unpack_openings
from protocol.secrets import Keys

COMMANDS_REMEMBERED: Final = 256
"""Command ids kept a game. One older than these names a decision long closed, so it cannot be carried out twice either."""


@define(eq=False)
class Signed:
    """The acts of one key that stand in the log: their numbers, which rise, and their records. Of all of them, so that none that stands is
    ever declined; in sixteen bytes each, since a long game has thousands."""

    numbers: array[int] = field(factory=lambda: array("q"))
    records: array[int] = field(factory=lambda: array("q"))

    def add(self, n: int, seq: int) -> None:
        """One more act. Whoever follows in a seat that signs nothing may count from 1 again."""
        if self.numbers and n <= self.numbers[-1]:
            del self.numbers[:], self.records[:]
        self.numbers.append(n)
        self.records.append(seq)

    def is_next(self, n: int) -> bool:
        """Whether an act with this number would be the newest."""
        return not self.numbers or n > self.numbers[-1]

    def record_of(self, n: int) -> int | None:
        """The record of the act with this number, or None."""
        if not self.numbers or n > self.numbers[-1]:
            return None
        place = bisect_left(self.numbers, n)
        return self.records[place] if self.numbers[place] == n else None


@define(eq=False)
class Live:
    """A game that is being played: its ledger, the newest command ids with the records they became, and (format 2) what each key signed,
    by seat and key.

    `passed_over` are standing answers (record of the orders, place in it, decision) whose picks were not on offer; `change_times` when
    a seat last made a change of a kind that may come only so often, in seconds of the loop's clock.
    """

    ledger: Ledger[Any]
    commands: dict[tuple[str, bytes], int] = field(factory=dict)
    signed: defaultdict[tuple[str, bytes], Signed] = field(factory=lambda: defaultdict(Signed))
    passed_over: set[tuple[int, int, int]] = field(factory=set)
    change_times: dict[tuple[str, str], list[float]] = field(factory=dict)

    @property
    def position(self) -> Position[Any]:
        """What the committed records amount to."""
        return self.ledger.position

    def commit(self, batch: Batch[Any]) -> None:
        """The batch is durable."""
        self.ledger.commit(batch)
        for record in batch.records:
            self.remember(record)

    def remember(self, record: Record) -> None:
        """Keep a command's id, and what was signed."""
        body = record.body
        if record.kind == records.COMMAND:
            id = body[records.COMMAND_ID]
            if id:
                self.commands[body[records.COMMAND_SEAT], id] = record.seq
                if len(self.commands) > COMMANDS_REMEMBERED:
                    del self.commands[next(iter(self.commands))]
            if self.ledger.signed and len(body[records.BY]) > 1:
                self.signed[body[records.COMMAND_SEAT], body[records.BY][0]].add(body[records.BY][1], record.seq)
        elif self.ledger.signed:
            for act in acts.acts_of(self.ledger.genesis.hash, record):
                self.signed[act.seat, act.key].add(act.n, record.seq)


def split(frames: Sequence[Frame]) -> tuple[list[bytes], dict[int, tuple[Opening, ...]]]:
    """Records' bytes, and the private openings by the record they stand beside."""
    payloads: list[bytes] = []
    openings: dict[int, tuple[Opening, ...]] = {}
    for frame in frames:
        if frame.kind == FRAME_RECORD:
            payloads.append(frame.payload)
        elif frame.kind == FRAME_OPENINGS:
            seq = len(payloads) - 1
            openings[seq] = (*openings.get(seq, ()), *unpack_openings(frame.payload))
    return payloads, openings


def load(rules: Rules[Any], keys: Keys, frames: Sequence[Frame]) -> Live:
    """Fold a game. Raises CorruptLog at the first record that does not follow, or does not fold."""
    payloads, openings = split(frames)
    log = list(chain.follow(payloads, trusted=True))
    replayer = replay.fold(rules, log, openings)
    ledger: Ledger[Any] = Ledger(rules, log[0], keys)
    ledger.codec = codec_of(rules.events)
    ledger.genesis = evolve(ledger.genesis, pack=b"")  # the state holds what it needs of it
    private = [opening for found in openings.values() for opening in found]
    opened = [(item[0], item[1]) for record in log if record.kind == records.COMMAND for item in record.body[records.OPENED]]
    recent = [record.hash for record in log[-SEEN_RECORDS_MAX:]]
    ledger.resume(replayer.position, log[-1], replayer.kept, private, opened, recent)
    replay.remember(ledger.past, ledger.position, ledger.position)
    live = Live(ledger)
    for record in log:
        live.remember(record)
    return live


def position_after(rules: Rules[Any], frames: Sequence[Frame], seq: int) -> Position[Any] | None:
    """The position after an earlier record, or None when there is no such record."""
    payloads, openings = split(frames)
    if not 0 <= seq < len(payloads):
        return None
    log = list(chain.follow(payloads[: seq + 1], trusted=True))
    return replay.fold(rules, log, openings).position


__all__ = ["CorruptLog", "Live", "load", "position_after", "split"]
