"""How late spectators see a game: by seconds, by whole game turns, or by both.

A record belongs to the turn that is in progress after it, so the one that opens a turn to that
turn. What comes before the first belongs to turn 0. While turn T is played, spectators who are `n`
turns behind have seen everything up to the end of turn T - n. Once the game is over, they see all
of it. What they were allowed to see stays so when a turn is taken back.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

from attrs import define, field

from warledger.protocol.clocks.clockfold import OPEN_TURN, turns_opened
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import Record

_KINDS: Final = (b"\xa8takeback", b"\xa3end")
_HEAD_BYTES: Final = 320
"""The most bytes that a record's fields before its body can take."""


@define(eq=False)
class Turns:
    """How far spectators who are `behind` that many turns see. `cleared` is the newest record that
    they may see as far as turns go."""

    behind: int
    cleared: int = 0
    over: bool = False
    _runs: list[tuple[int, int]] = field(factory=lambda: [(0, 0)])

    def take(self, record: Record) -> None:
        """Take the next record into account."""
        turn = now = self._runs[-1][1]
        if record.kind == records.COMMAND:
            turn = now + turns_opened(bodies.asked_after(record)[2])
        elif record.kind == records.TAKEBACK:
            turn = self._turn_of(bodies.Takeback.read(record.body).to)
        elif record.kind == records.END:
            self.over = True
        if turn != now:
            self._runs.append((record.seq, turn))
            # What has been cleared is never looked at again, but for what may be taken back to.
            for (_, of_run), (following, _) in zip(self._runs, self._runs[1:], strict=False):
                if following - 1 > self.cleared:
                    if of_run + self.behind > turn:
                        break
                    self.cleared = following - 1

    def shows(self, seq: int) -> bool:
        """Whether spectators may see a record as far as turns go."""
        return self.over or seq <= self.cleared

    def _turn_of(self, seq: int) -> int:
        return self._runs[bisect.bisect(self._runs, seq, key=itemgetter(0)) - 1][1]

    def read(self, payloads: Iterable[bytes]) -> None:
        """Take the stored records of a game into account, the genesis left out; only those that may
        matter are decoded."""
        for payload in payloads:
            head = payload[:_HEAD_BYTES]
            if OPEN_TURN in payload or any(kind in head for kind in _KINDS):
                self.take(records.read(payload, trusted=True))
