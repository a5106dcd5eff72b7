"""Virtual time that goes straight from one thing that is due to the next.

It does what trio's mock clock does with `autojump_threshold=0` for less: trio asks a clock how long
it may sleep whenever no task can run, and this one answers by being there already. What else is due
at an instant, such as a message that arrives, is a call that needs no task: it is made here, before
the tasks that it wakes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from itertools import count

import trio


class Due:
    """A call that is due at an instant, unless it is called off before."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def call_off(self) -> None:
        """It is not made; nor does time go to where it was due."""
        self.call = None


class Clock(trio.abc.Clock):
    """Time for one run, with the calls that are due in it. `now` is in seconds since it began."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Due]] = []
        self._turn = count()
        self._failure: BaseException | None = None
        self._failed = trio.Event()

    def call_at(self, when: float, call: Callable[[], None]) -> Due:
        """Make a call at an instant, behind those that are already due then. A call runs outside
        all tasks, so it must not wait; what it raises comes out of `watch`."""
        due = Due(call)
        heappush(self._due, (when, next(self._turn), due))
        return due

    async def sleep_until(self, when: float) -> None:
        """What trio's is, without a scope for each."""
        if when <= self.now:
            await trio.lowlevel.checkpoint()
            return
        task = trio.lowlevel.current_task()
        due = self.call_at(when, partial(trio.lowlevel.reschedule, task))

        def cancelled(_: object) -> trio.lowlevel.Abort:
            due.call_off()
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(cancelled)

    async def sleep(self, seconds: float) -> None:
        """The same, from now."""
        if not seconds >= 0:
            raise ValueError("nobody sleeps for less than no time")
        await self.sleep_until(self.now + seconds)

    async def watch(self) -> None:
        """Raise what a call raised, as soon as one does."""
        await self._failed.wait()
        assert self._failure is not None
        raise self._failure

    # --- what trio asks of a clock ----------------------------------------------------------------

    def start_clock(self) -> None:
        pass

    def current_time(self) -> float:
        return self.now

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Go to what is due first; nobody sleeps. Bytes in sockets within the process are looked
        for right after, so they are there when the next thing is due."""
        due = self._due
        while due and due[0][2].call is None:
            heappop(due)
        if due and due[0][0] <= deadline:
            now = self.now = max(self.now, due[0][0])
            try:
                while due and due[0][0] <= now:
                    if (call := heappop(due)[2].call) is not None:
                        call()
            except BaseException as error:
                self._failure = error
                self._failed.set()
        elif deadline == math.inf:
            return deadline  # only a socket can wake anybody now
        else:
            self.now = max(self.now, deadline)
        return 0.0


__all__ = ["Clock"]
