"""The time by which the server goes: the system's clock while it runs evenly, and what to hold to
when it jumps.

A clock that is 40 days ahead for half a minute must not close every game that waits for players, or
show what is delayed. Nor may it date records into a future that the next ones cannot go back from.
So the system's clock is checked against one that nobody can set (`steady`: seconds since the
machine began, its sleep included). Across restarts it is checked against the last sure time, which
is kept on disk.

Rules of this file:
- While the two run evenly the time is the system's, and sure. A difference of up to TOLERANCE
  counts as even: clocks are set right by seconds.
- When the system's clock jumps the time continues by the steady clock, and is in doubt. It is sure
  again, and the system's, when the system's clock is back or an operator says that it is right. So
  it is when the clock has run evenly for RUN from where it jumped to: no short slip lasts so long,
  and a clock that was wrong before may have been set right for good.
- At a start nobody knows how long the server was off. Up to OFF is believed. Beyond that, or when
  the clock stands before the last sure time, it is in doubt by the same rule. The time it has run
  evenly is counted across restarts. It is then the system's if that is ahead: a server may have
  been off for weeks. Else it continues from the last sure time.
- While the time is in doubt nothing may be done that only time gives the right to: no game expires.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from attrs import define, frozen

from warledger.engine.kernel.change import replace

TOLERANCE_S: Final = 300.0
"""Seconds by which the clocks may differ. More is a jump."""
RUN_S: Final = 24 * 3600.0
"""Seconds for which a clock that has jumped must run evenly before it is believed."""
OFF_S: Final = 24 * 3600.0
"""Seconds for which a server may have been off without its clock being doubted."""
DRIFT: Final = 0.001
"""How fast the clocks may drift apart in the long run, as a part of the time that passes."""


def system_wall_ms() -> int:
    """Milliseconds since 1970, by a clock that can be set."""
    return time.time_ns() // 1_000_000


def system_steady_s() -> float:
    """Seconds since the machine was started, by a clock that nobody can set; including the time
    that the machine slept, if the system can tell."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@frozen
class Doubt:
    """A time that is in doubt: what the system's clock showed last, and for how long it has run
    evenly."""

    seen_ms: int
    ran_s: float


@frozen
class Memory:
    """What is stored for the next start: the last sure time, continued by the steady clock, and
    whether it was in doubt."""

    known_ms: int
    doubt: Doubt | None = None


@define
class _Doubted:
    """`offset_ms` is the difference between the system's clock and the steady one since `since_s`;
    it had run for `ran_s` before."""

    offset_ms: float
    since_s: float
    ran_s: float
    known_ms: float
    known_at_s: float
    slack_ms: float


class Clock:
    """`changed` is called each time the time becomes doubtful or sure, with an event's name, which
    of the two, and figures."""

    def __init__(
        self,
        wall_ms: Callable[[], int] = system_wall_ms,
        steady_s: Callable[[], float] = system_steady_s,
        memory: Memory | None = None,
        changed: Callable[[str, bool, dict[str, int]], None] = lambda event, sure, figures: None,
    ) -> None:
        self._wall_ms = wall_ms
        self._steady_s = steady_s
        self._changed = changed
        self._doubted: _Doubted | None = None
        wall, steady = wall_ms(), steady_s()
        self._offset_ms = wall - steady * 1000
        self._looked_s = steady
        if memory is None or -TOLERANCE_S <= (wall - memory.known_ms) / 1000 <= OFF_S:
            return
        before = memory.doubt
        ran_s = (
            before.ran_s
            if before is not None and -TOLERANCE_S <= (wall - before.seen_ms) / 1000 <= OFF_S
            else 0.0
        )
        self._doubted = _Doubted(
            self._offset_ms, steady, ran_s, memory.known_ms, steady, OFF_S * 1000
        )
        if wall < memory.known_ms:
            self._offset_ms = memory.known_ms - steady * 1000
        self._tell("the clock is in doubt", wall)

    @property
    def sure(self) -> bool:
        """Whether the time can be relied upon. Compares the clocks."""
        self.look()
        return self._doubted is None

    def now_ms(self) -> int:
        """The time, in milliseconds since 1970."""
        wall, steady_ms = self._wall_ms(), self._steady_s() * 1000
        if (
            self._doubted is None
            and -_TOLERANCE_MS <= wall - steady_ms - self._offset_ms <= _TOLERANCE_MS
        ):
            return wall
        self.look()
        return wall if self._doubted is None else int(steady_ms + self._offset_ms)

    def look(self) -> None:
        """Compare the system's clock with the steady one. To be called regularly, even if nobody
        asks for the time."""
        wall, steady = self._wall_ms(), self._steady_s()
        offset = wall - steady * 1000
        drift = (steady - self._looked_s) * 1000 * DRIFT
        self._looked_s = steady
        doubted = self._doubted
        if doubted is None:
            error = offset - self._offset_ms
            if abs(error) <= _TOLERANCE_MS:
                self._offset_ms += max(-drift, min(drift, error))
                return
            self._doubted = _Doubted(
                offset, steady, 0.0, steady * 1000 + self._offset_ms, steady, 0.0
            )
            self._tell("the clock has jumped", wall)
            return
        error = offset - doubted.offset_ms
        since_known_ms = wall - doubted.known_ms - (steady - doubted.known_at_s) * 1000
        if -_TOLERANCE_MS <= since_known_ms <= doubted.slack_ms + _TOLERANCE_MS:
            self._believe("the clock is right again", wall, offset)
        elif abs(error) > _TOLERANCE_MS:
            self._doubted = replace(doubted, offset_ms=offset, since_s=steady, ran_s=0.0)
            self._tell("the clock has jumped", wall)
        elif doubted.ran_s + steady - doubted.since_s >= RUN_S:
            self._believe("the clock has run evenly for a day and is believed", wall, offset)
        else:
            doubted.offset_ms += max(-drift, min(drift, error))

    def confirm(self) -> None:
        """An operator confirms that the system's clock is right."""
        self.look()
        if self._doubted is not None:
            wall = self._wall_ms()
            self._believe("the clock was confirmed", wall, wall - self._steady_s() * 1000)

    def memory(self) -> Memory:
        """What to store for the next start."""
        self.look()
        steady, doubted = self._steady_s(), self._doubted
        if doubted is None:
            return Memory(self._wall_ms())
        known_ms = int(doubted.known_ms + (steady - doubted.known_at_s) * 1000)
        return Memory(known_ms, Doubt(self._wall_ms(), doubted.ran_s + steady - doubted.since_s))

    def _believe(self, event: str, wall: int, offset_ms: float) -> None:
        self._tell(event, wall, sure=True)
        self._doubted = None
        self._offset_ms = offset_ms

    def _tell(self, event: str, wall: int, *, sure: bool = False) -> None:
        now = int(self._steady_s() * 1000 + self._offset_ms)
        known = int(self._doubted.known_ms) if self._doubted is not None else now
        self._changed(event, sure, {"system_ms": wall, "now_ms": now, "known_ms": known})


_TOLERANCE_MS: Final = TOLERANCE_S * 1000
