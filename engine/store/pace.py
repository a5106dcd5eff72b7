"""Where a commit's write and sync are made: in a thread, or in the loop's own where the disk is quicker than a hop to a thread and back.

Two threads that take turns at the interpreter cost each other a tenth of the server's time. A good disk writes and syncs a batch in a
fifth of a millisecond, about what one command takes in all; so it is waited for. One that takes longer never holds up the loop twice in a
row.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar

import trio

T = TypeVar("T")

QUICK_SECONDS: Final = 0.0015
"""The longest that the loop is held up willingly."""
TRIAL_SECONDS: Final = 0.004
"""The same, seen from a thread: it may have to wait for the interpreter as well."""
TRIALS: Final = 32
"""So many quick commits in threads, one after the other, before one is made in place."""


class Runner(Protocol):
    """How blocking calls are made."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


class Pace:
    """A runner for commits, over one that makes calls in threads. `clock` counts seconds."""

    def __init__(self, in_thread: Runner, clock: Callable[[], float] = time.perf_counter) -> None:
        self._in_thread = in_thread
        self._clock = clock
        self._quick = 0
        self.in_place = 0

    async def __call__(self, call: Callable[[], T], /) -> T:
        """Make the call, and learn from how long it takes. One that fails counts as slow."""
        clock, in_place = self._clock, self._quick >= TRIALS
        quick, self._quick = self._quick, 0
        took = 0.0

        def timed() -> T:
            nonlocal took
            began = clock()
            made = call()
            took = clock() - began
            return made

        if in_place:
            self.in_place += 1
            made = timed()
            await trio.lowlevel.checkpoint()
        else:
            made = await self._in_thread(timed)
        if took <= (QUICK_SECONDS if in_place else TRIAL_SECONDS):
            self._quick = quick + 1
        return made
