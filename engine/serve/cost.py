"""What requests cost, and who has asked for how much: work is dealt out by the address it is for, in seconds of computing.

Rules of this file:
- What a request costs is measured where it is carried out; before that it is taken for what its kind has cost lately.
- An address that has used up its share waits; one that would wait too long is told so, and when to try again. Nobody else waits for it.
- Whoever holds a seat has a share of his own for that seat, so that nobody at his address can use up his. Commands are not weighed: what a
  seat may do bounds them. The host is not weighed at all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final, TypeVar

import trio
from attrs import define, field

from engine.runtime.ambient import Ambient
from engine.runtime.answers import Failed, failed

T = TypeVar("T")

LIGHT_SECONDS: Final = 50e-6
"""What a request costs that nothing is measured of."""
BYTE_SECONDS: Final = 3e-9
"""What a byte costs to send."""
_GUESS_SECONDS: Final = 1e-3
_KEYS_MAX: Final = 10_000
_NEW: Final = 0.2
"""How much the newest measurement counts."""


@define(eq=False)
class Meter:
    """Of one process. `share` seconds of computing in each second are an address's; `burst` of them may come at once; whoever would wait
    longer than `wait` seconds is turned away."""

    share: float
    burst: float
    wait: float
    _debts: dict[str, tuple[float, float]] = field(factory=dict)
    _lately: dict[str, float] = field(factory=dict)

    def debt(self, key: str) -> float:
        """What is still owed, in seconds of computing."""
        debt, at = self._debts.get(key, (0.0, 0.0))
        return max(0.0, debt - (trio.current_time() - at) * self.share)

    def add(self, key: str, seconds: float) -> None:
        """It has cost so much more (less where it is negative)."""
        if key not in self._debts and len(self._debts) >= _KEYS_MAX:
            self._forget()
        self._debts[key] = (max(0.0, self.debt(key) + seconds), trio.current_time())

    def guess(self, kind: str) -> float:
        """What one of this kind will cost."""
        return self._lately.get(kind, _GUESS_SECONDS)

    def learn(self, kind: str, seconds: float) -> None:
        """What one of this kind did cost."""
        self._lately[kind] = self.guess(kind) * (1 - _NEW) + seconds * _NEW

    def _forget(self) -> None:
        self._debts = {key: kept for key, kept in self._debts.items() if self.debt(key) > 0}
        for key in sorted(self._debts, key=self.debt)[: len(self._debts) - _KEYS_MAX // 2]:
            del self._debts[key]


@define(eq=False)
class Bill:
    """Whom the work of one connection is charged to; `key` is "" where it is to nobody."""

    meter: Meter
    key: str

    async def admit(self, kind: str) -> Failed | None:
        """Charge one request of a kind, and wait for its turn; or why it is turned away."""
        over = self._over(kind)
        if over > self.meter.wait:
            return failed("error.slow_down", seconds=math.ceil(over - self.meter.wait))
        await self.turn(kind)
        return None

    async def turn(self, kind: str = "") -> None:
        """The same of a light request (""), or of a part of what has been admitted: it waits however long."""
        over = self._over(kind)
        if self.key:
            self.meter.add(self.key, self._cost(kind))
        if over > 0:
            await trio.sleep(over)

    def _cost(self, kind: str) -> float:
        return self.meter.guess(kind) if kind else LIGHT_SECONDS

    def _over(self, kind: str) -> float:
        """How long it would have to wait."""
        meter = self.meter
        return (meter.debt(self.key) + self._cost(kind) - meter.burst) / meter.share if self.key else 0.0

    async def made(self, ambient: Ambient, call: Callable[[], T]) -> T:
        """Make a call off the loop that was admitted as a light one; what it costs is charged."""
        made, seconds = await ambient.blocking(lambda: _measured(call))
        if self.key:
            self.meter.add(self.key, seconds)
        return made

    def spent(self, kind: str, seconds: float) -> None:
        """What was charged as one of a kind has cost so much in truth."""
        if self.key:
            self.meter.add(self.key, seconds - self.meter.guess(kind))
        self.meter.learn(kind, seconds)

    async def blocking(self, kind: str, ambient: Ambient, call: Callable[[], T]) -> T:
        """Make a call off the loop; what it costs is charged in place of what its kind was taken for."""
        made, seconds = await ambient.blocking(lambda: _measured(call))
        self.spent(kind, seconds)
        return made


def _measured(call: Callable[[], T]) -> tuple[T, float]:
    began = time.thread_time()
    made = call()
    return made, time.thread_time() - began
