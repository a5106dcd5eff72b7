"""How much and how often a seat may change its orders, so that nobody fills the disk with them.

What is kept of a change stays in the game's file for ever, so three bounds hold together: on one set, on changes in a time, and on all that
a seat has had kept, which grows with the game's own records. A withdrawal is always taken: it can follow only a set that was.
"""

from __future__ import annotations

import math
from typing import Final

import trio
from attrs import define, field

from engine.runtime.answers import Failed, failed

SET_BYTES_MAX: Final = 4096
"""One set of orders, as it is kept."""
CHANGES_BURST: Final = 20
"""Changes that may come at once …"""
CHANGE_SECONDS: Final = 5.0
"""… and how long it takes until one more may."""
KEPT_BYTES: Final = 64 * 1024
"""What is kept of a seat's changes however short the game …"""
KEPT_BYTES_PER_RECORD: Final = 1024
"""… and how much more for each of its records: the file stays of the size of the game."""


@define(eq=False)
class Changes:
    """Of one game: `kept` are the bytes that its file holds of each seat's changes, `count` how many they are."""

    kept: dict[str, int] = field(factory=dict)
    count: int = 0
    _left: dict[str, tuple[float, float]] = field(factory=dict)

    def note(self, seat: str, size: int) -> None:
        """A change was kept."""
        self.kept[seat] = self.kept.get(seat, 0) + size
        self.count += 1

    def admit(self, seat: str, size: int, records: int, *, withdrawal: bool) -> Failed | None:
        """Take one change of so many bytes, in a game of so many records: None, or why not and when."""
        if withdrawal:
            return None
        if size > SET_BYTES_MAX:
            return failed("error.too_big", bytes=size, most=SET_BYTES_MAX)
        most = KEPT_BYTES + KEPT_BYTES_PER_RECORD * records
        if self.kept.get(seat, 0) + size > most:
            return failed("error.changes_kept", most=most)
        now = trio.current_time()
        left, at = self._left.get(seat, (float(CHANGES_BURST), now))
        left = min(float(CHANGES_BURST), left + (now - at) / CHANGE_SECONDS)
        self._left[seat] = (left if left < 1 else left - 1, now)
        return None if left >= 1 else failed("error.slow_down", seconds=math.ceil((1 - left) * CHANGE_SECONDS))
