"""What requests cost, and who has made how many: work is shared out by the address it is done for,
in seconds of computing.

Rules of this file:
- The cost of a request is measured where it is carried out. Before that it is estimated from what
  requests of its kind have cost recently.
- An address that has used up its share waits. A request that would have to wait too long is
  refused, and told when to try again. Nobody else is delayed.
- Each seat has a share of its own, so that other clients at the same address cannot use it up.
  Commands are not charged for, since the rules limit what a seat may do. The host is never charged.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final, TypeVar

import trio
from attrs import define, field

from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.game.answers import Failed, failed

T = TypeVar("T")

LIGHT_SECONDS: Final = 50e-6
"""The estimate for a kind of request that has not been measured yet."""
SLOW_SECONDS: Final = 0.002
"""A game of which an answer was more work than this is asked in a thread, …"""
QUICK_ANSWERS: Final = 32
"""… until so many answers in a row were less."""
BYTE_SECONDS: Final = 3e-9
"""What it costs to send one byte."""
_GUESS_SECONDS: Final = 1e-3
_KEYS_MAX: Final = 10_000
_NEW: Final = 0.2
"""The weight of the newest measurement."""


@define(eq=False)
class Meter:
    """The costs of one server. An address has `share` seconds of computing in each second, of which
    `burst` may be used at once. A request that would wait longer than `wait` seconds is refused."""

    share: float
    burst: float
    wait: float
    _debts: dict[str, tuple[float, float]] = field(factory=dict)
    _lately: dict[str, float] = field(factory=dict)

    def debt(self, key: str) -> float:
        """What is still owed, in seconds of computing."""
        debt, at = self._debts.get(key, (0.0, 0.0))
        return max(0.0, debt - (trio.current_time() - at) * self.share)

    def add(self, key: str, seconds: float) -> float:
        """It has cost this much more (less if negative): what is owed then."""
        now = trio.current_time()
        known = self._debts.get(key)
        if known is None:
            if len(self._debts) >= _KEYS_MAX:
                self._forget()
            owed = seconds
        else:
            debt, at = known
            left = debt - (now - at) * self.share
            owed = left + seconds if left > 0 else seconds
        owed = owed if owed > 0 else 0.0
        self._debts[key] = (owed, now)
        return owed

    def guess(self, kind: str) -> float:
        """The estimated cost of a request of this kind."""
        return self._lately.get(kind, _GUESS_SECONDS)

    def learn(self, kind: str, seconds: float) -> None:
        """What a request of this kind has cost."""
        self._lately[kind] = self.guess(kind) * (1 - _NEW) + seconds * _NEW

    def _forget(self) -> None:
        self._debts = {key: kept for key, kept in self._debts.items() if self.debt(key) > 0}
        for key in sorted(self._debts, key=self.debt)[: len(self._debts) - _KEYS_MAX // 2]:
            del self._debts[key]


@define(eq=False)
class Bill:
    """Whom the work of one connection is charged to. `key` is "" if it is charged to nobody."""

    meter: Meter
    key: str

    async def admit(self, kind: str) -> Failed | None:
        """Charge one request of a kind and wait for its turn, or return why it is refused."""
        over = self._charged(kind)
        if over > self.meter.wait:
            self.meter.add(self.key, -self._cost(kind))  # what is refused costs nothing
            return failed("error.slow_down", seconds=math.ceil(over - self.meter.wait))
        if over > 0:
            await trio.sleep(over)
        return None

    async def turn(self, kind: str = "") -> None:
        """Charge a light request (""), or a part of what has been admitted, and wait for its turn,
        however long that takes."""
        over = self._charged(kind)
        if over > 0:
            await trio.sleep(over)

    def _cost(self, kind: str) -> float:
        return self.meter.guess(kind) if kind else LIGHT_SECONDS

    def _charged(self, kind: str) -> float:
        """Charge one request of a kind: how long it has to wait, in seconds (not at all if that is
        negative)."""
        if not self.key:
            return 0.0
        meter = self.meter
        return (meter.add(self.key, self._cost(kind)) - meter.burst) / meter.share

    async def made(self, ambient: Ambient, call: Callable[[], T]) -> T:
        """Make a call off the loop for a request that was admitted as a light one, and charge what
        it costs."""
        made, seconds = await ambient.blocking(lambda: measured(call))
        if self.key:
            self.meter.add(self.key, seconds)
        return made

    def spent(self, kind: str, seconds: float) -> None:
        """Replace the estimate that was charged for a request of this kind by what it cost."""
        if self.key:
            self.meter.add(self.key, seconds - self.meter.guess(kind))
        self.meter.learn(kind, seconds)

    async def blocking(self, kind: str, ambient: Ambient, call: Callable[[], T]) -> T:
        """Make a call off the loop, and charge what it costs in place of the estimate."""
        made, seconds = await ambient.blocking(lambda: measured(call))
        self.spent(kind, seconds)
        return made


def measured(call: Callable[[], T]) -> tuple[T, float]:
    """What a call makes, and what this thread worked for it, in seconds."""
    began = time.thread_time()
    made = call()
    return made, time.thread_time() - began


@define
class SlowGames:
    """Games whose rules take long to answer: they are asked in a thread, so that nobody else waits
    meanwhile. A game whose answers have come quickly for a while is asked on the loop again: a
    thread costs more than a quick answer does.

    What counts is what the rules worked: where the machine has other things to do, every answer
    takes long, and threads would make it longer.
    """

    _quick: dict[str, int] = field(factory=dict)

    def __contains__(self, game: str) -> bool:
        return game in self._quick

    def took(self, game: str, seconds: float) -> None:
        """An answer about the game was this much work."""
        if seconds > SLOW_SECONDS:
            self._quick[game] = 0
        elif game in self._quick:
            self._quick[game] += 1
            if self._quick[game] == QUICK_ANSWERS:
                del self._quick[game]
