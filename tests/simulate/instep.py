"""Threads that run in step with the loop, so that a run with threads is told again by its seed."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import pytest
import trio

from tests.simulate.clockwork import Clock
from warledger.engine.runtime import metrics
from warledger.engine.testing.fakeambient import SeededAmbient

T = TypeVar("T")


class _Helper:
    """A thread that runs one call at a time while the event loop stands still, except where the
    call asks the loop for something: so a run with threads is told again by its seed."""

    here = threading.local()

    def __init__(self) -> None:
        self.to: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.back: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        _Helper.here.helper = self
        while (call := self.to.get()) is not None:
            try:
                said: tuple[str, Any] = "done", call()
            except BaseException as error:
                said = "failed", error
            self.back.put(said)

    def ask(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """In the thread: what the loop answers."""
        self.back.put(("asks", call))
        what, value = self.to.get()
        if what == "failed":
            raise value
        return value


class Helpers:
    """The threads of a run."""

    def __init__(self) -> None:
        self.idle: list[_Helper] = []

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call in a thread, in step with the loop."""
        await trio.lowlevel.checkpoint()
        helper = self.idle.pop() if self.idle else _Helper()
        helper.to.put(call)
        try:
            while True:
                what, value = helper.back.get()
                if what == "done":
                    found: T = value
                    return found
                if what == "failed":
                    raise value
                try:
                    answer = "done", await value()
                except BaseException as error:
                    answer = "failed", error
                helper.to.put(answer)
        finally:
            self.idle.append(helper)

    def end(self) -> None:
        for one in self.idle:
            one.to.put(None)


class Ambient(SeededAmbient):
    """A node's world outside. Its clock may be wrong."""

    def __init__(self, seed: int, helpers: Helpers, wrong_ms: int) -> None:
        super().__init__(seed, 1_700_000_000_000 + wrong_ms)
        self._helpers = helpers
        self._clock = trio.lowlevel.current_clock()

    def now_ms(self) -> int:
        return self._started_ms + int(self._clock.current_time() * 1000)

    async def blocking(self, call: Callable[[], T]) -> T:
        return await self._helpers.run(call)


@contextmanager
def in_step(seed: int, clock: Clock) -> Iterator[None]:
    """Whatever asks the loop from a thread does so in step, chance comes from the seed, and whoever
    sleeps does so by the clock of the run. How late the loop comes round is hardly measured: it
    never does under that clock, and one loop runs all nodes."""
    patch = pytest.MonkeyPatch()
    chance = random.Random(seed)

    def ask(call: Any, *args: Any, **_: Any) -> Any:
        return _Helper.here.helper.ask(partial(call, *args))

    patch.setattr(trio.from_thread, "run", ask)
    patch.setattr(os, "urandom", chance.randbytes)
    patch.setattr(trio, "sleep", clock.sleep)
    patch.setattr(trio, "sleep_until", clock.sleep_until)
    patch.setattr(metrics, "LAG_PROBE_SECONDS", 10.0)
    try:
        yield
    finally:
        patch.undo()
