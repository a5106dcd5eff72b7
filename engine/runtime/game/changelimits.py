"""Limits on how much and how often a seat may change its orders, so that nobody can fill the disk
with changes.

What is stored of a change stays in the game's file for ever, so there are two limits: on the number
of changes in a given time, and on everything stored for a seat, which grows with the game's own
records. (The size of one set is bounded by its form.) A withdrawal is always accepted, since it can
only follow a set that was stored.
"""

from __future__ import annotations

import math
from typing import Final

from attrs import define, field

from warledger.engine.runtime.ambient import loop_seconds
from warledger.engine.runtime.game.answers import Failed, failed

CHANGES_BURST: Final = 20
"""How many changes may come at once …"""
CHANGE_SECONDS: Final = 5.0
"""… and how many seconds pass until one more may come."""
KEPT_BYTES: Final = 64 * 1024
"""Bytes of changes that are stored for a seat, however short the game is …"""
KEPT_BYTES_PER_RECORD: Final = 1024
"""… and how many more for each of the game's records, so that the file stays in proportion to the
game."""


@define(eq=False)
class Changes:
    """The changes of one game: `kept` are the bytes of each seat's changes in its file, `count` is
    their number."""

    kept: dict[str, int] = field(factory=dict)
    count: int = 0
    _left: dict[str, tuple[float, float]] = field(factory=dict)

    def note(self, seat: str, size: int) -> None:
        """Count a change that was stored."""
        self.kept[seat] = self.kept.get(seat, 0) + size
        self.count += 1

    def admit(self, seat: str, size: int, records: int, *, withdrawal: bool) -> Failed | None:
        """Accept one change of this many bytes, in a game of this many records. Returns None, or
        why it is not accepted and when it may be."""
        if withdrawal:
            return None
        most = KEPT_BYTES + KEPT_BYTES_PER_RECORD * records
        if self.kept.get(seat, 0) + size > most:
            return failed("error.changes_kept", most=most)
        now = loop_seconds()
        left, at = self._left.get(seat, (float(CHANGES_BURST), now))
        left = min(float(CHANGES_BURST), left + (now - at) / CHANGE_SECONDS)
        self._left[seat] = (left if left < 1 else left - 1, now)
        return (
            None
            if left >= 1
            else failed("error.slow_down", seconds=math.ceil((1 - left) * CHANGE_SECONDS))
        )
