"""Where commits are made: in place on a quick disk, in threads on any other."""

from collections.abc import Callable
from typing import TypeVar

import pytest

from warledger.engine.store.files.disk import QUICK_SECONDS, TRIAL_SECONDS, TRIALS, Pace

T = TypeVar("T")


class Bench:
    """A disk whose every sync takes as long as it is told, and a runner that counts what it is
    given."""

    def __init__(self) -> None:
        self.now = 0.0
        self.in_threads = 0
        self.pace = Pace(self.thread, lambda: self.now)

    async def thread(self, call: Callable[[], T]) -> T:
        self.in_threads += 1
        return call()

    async def sync(self, seconds: float, times: int = 1) -> None:
        """So many commits, each of which takes so long."""

        def call() -> str:
            self.now += seconds
            return "done"

        for _ in range(times):
            assert await self.pace(call) == "done"


async def test_a_quick_disk_is_written_in_place_after_a_trial() -> None:
    """The first commits go to threads; once all have been quick, the rest stay in the loop."""
    bench = Bench()
    await bench.sync(QUICK_SECONDS / 10, TRIALS + 100)
    assert (bench.in_threads, bench.pace.in_place) == (TRIALS, 100)


async def test_a_slow_disk_is_left_to_threads() -> None:
    """No commit ever holds up the loop."""
    bench = Bench()
    await bench.sync(TRIAL_SECONDS * 1.01, 10 * TRIALS)
    assert bench.pace.in_place == 0


async def test_a_disk_that_slows_down_holds_up_the_loop_once() -> None:
    """One long commit in place, and a whole trial in threads begins anew."""
    bench = Bench()
    await bench.sync(QUICK_SECONDS / 10, TRIALS)
    await bench.sync(1.0)
    assert bench.pace.in_place == 1
    await bench.sync(1.0, 5)
    await bench.sync(QUICK_SECONDS / 10, TRIALS)
    assert (bench.in_threads, bench.pace.in_place) == (TRIALS + 5 + TRIALS, 1)
    await bench.sync(QUICK_SECONDS / 10)
    assert bench.pace.in_place == 2


async def test_a_failed_commit_counts_as_slow() -> None:
    """The error reaches the caller; what follows goes to threads again."""
    bench = Bench()
    await bench.sync(QUICK_SECONDS / 10, TRIALS)

    def fails() -> None:
        raise OSError(28, "no space")

    with pytest.raises(OSError, match="no space"):
        await bench.pace(fails)
    await bench.sync(QUICK_SECONDS / 10)
    assert (bench.in_threads, bench.pace.in_place) == (TRIALS + 1, 1)
