"""The world outside: wall clock, entropy, and calls that block. Everything that is not decided by a log comes through here.

A simulation injects its own, and is then told again by its seed.
"""

import os
import random
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import trio

from engine.runtime.clock import Clock

T = TypeVar("T")


class Ambient(Protocol):
    """What the runtime asks of the world."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""

    def time_is_sure(self) -> bool:
        """Whether the clock has run evenly: if not, nothing may be done for the reason alone that time has passed."""

    def random_bytes(self, n: int) -> bytes:
        """Bytes that nobody can guess."""

    def blocking(self, call: Callable[[], T]) -> Awaitable[T]:
        """Make a call that takes its time (a disk, a long computation) without holding up the others."""


class SystemAmbient:
    """The real world: the system's clock and entropy, threads for what blocks."""

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


class SeededAmbient:
    """A world told by a seed: trio's clock (a mock one, usually), bytes from a generator, no threads."""

    def __init__(self, seed: int, started_ms: int = 1_700_000_000_000) -> None:
        self._random = random.Random(seed)
        self._started_ms = started_ms

    def now_ms(self) -> int:
        return self._started_ms + int(trio.current_time() * 1000)

    def time_is_sure(self) -> bool:
        return True

    def random_bytes(self, n: int) -> bytes:
        return self._random.randbytes(n)

    async def blocking(self, call: Callable[[], T]) -> T:
        await trio.lowlevel.checkpoint()
        return call()
