"""The outside world: wall clock, entropy, and blocking calls. Everything that does not follow from
a log comes through here.

A simulation injects its own, so that it is reproduced exactly from its seed.
"""

import os
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import trio

from warledger.engine.runtime.clock.serverclock import Clock

T = TypeVar("T")


def loop_seconds() -> float:
    """The time of the event loop, also in a thread that it waits for."""
    try:
        return trio.current_time()
    except RuntimeError:
        return trio.from_thread.run_sync(trio.current_time)


class Ambient(Protocol):
    """What the runtime needs from the world."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""

    def time_is_sure(self) -> bool:
        """Whether the clock has run evenly. If it has not, nothing may be done merely because time
        has passed."""

    def random_bytes(self, n: int) -> bytes:
        """Random bytes that nobody can guess."""

    def blocking(self, call: Callable[[], T]) -> Awaitable[T]:
        """Make a call that may take long (a disk, a computation) without blocking the event
        loop."""


class SystemAmbient:
    """The real world: the system's clock and entropy, and threads for blocking calls."""

    def __init__(self, threads_max: int = 4, clock: Clock | None = None) -> None:
        self._limiter = trio.CapacityLimiter(threads_max)
        self.clock = clock if clock is not None else Clock()
        self.now_ms = self.clock.now_ms

    def time_is_sure(self) -> bool:
        return self.clock.sure

    def random_bytes(self, n: int) -> bytes:
        return os.urandom(n)

    async def blocking(self, call: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(call, limiter=self._limiter)
