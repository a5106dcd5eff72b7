"""Where a commit is written and synced: in a thread, or in the event loop itself if the disk is
faster than a hop to a thread and back.

Two threads that take turns at the interpreter cost each other a tenth of the server's time. A good
disk writes and syncs a batch in a fifth of a millisecond, about what one command takes, so the loop
waits. A disk that takes longer never blocks the loop twice in a row.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar

import trio

T = TypeVar("T")

QUICK_SECONDS: Final = 0.0015
"""The longest time in seconds for which the loop may be blocked."""
TRIAL_SECONDS: Final = 0.004
"""A quick commit in a thread takes at most so many seconds, in which it may also have to wait for
the interpreter."""
TRIALS: Final = 32
"""How many quick commits in threads, one after the other, come before one is made in place."""


class Runner(Protocol):
    """How blocking calls are made."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


class _Unlimited:
    """A limiter of threads that lets everybody pass at once: trio's own takes a turn of the loop
    even where it has room, and there is one commit at a time."""

    async def acquire_on_behalf_of(self, borrower: object) -> None:
        pass

    def release_on_behalf_of(self, borrower: object) -> None:
        pass


_UNLIMITED: Any = _Unlimited()


async def in_thread_at_once(call: Callable[[], T]) -> T:
    """Make a call in a thread that nothing else waits for."""
    return await trio.to_thread.run_sync(call, limiter=_UNLIMITED)


class Pace:
    """A runner for commits, on top of one that makes calls in threads. `clock` counts seconds."""

    def __init__(self, in_thread: Runner, clock: Callable[[], float] = time.perf_counter) -> None:
        self._in_thread = in_thread
        self._clock = clock
        self._quick = 0
        self.in_place = 0

    @property
    def is_quick(self) -> bool:
        """Whether the next call is made in place."""
        return self._quick >= TRIALS

    async def __call__(self, call: Callable[[], T], /) -> T:
        """Make the call, and learn from how long it takes. A call that fails counts as slow."""
        is_quick, quick, self._quick = self.is_quick, self._quick, 0
        took = 0.0

        def timed() -> T:
            nonlocal took
            began = self._clock()
            made = call()
            took = self._clock() - began
            return made

        if is_quick:  # others have their turn when whoever commits waits for the next batch
            self.in_place += 1
            made = timed()
        else:
            made = await self._in_thread(timed)
        if took <= (QUICK_SECONDS if is_quick else TRIAL_SECONDS):
            self._quick = quick + 1
        return made
