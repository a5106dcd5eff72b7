"""When the server looks for garbage that refers to itself."""

import gc
import weakref

import trio
from trio.testing import MockClock

from engine.runtime import heap


class Knot:
    """Refers to itself, so only the collector lets it go."""

    def __init__(self) -> None:
        self.self = self


async def test_whole_heap_is_swept_when_nothing_is_played(autojump_clock: MockClock) -> None:
    """A knot made long ago goes within a minute of rest, and stays while commands come, until a quarter of an hour has passed."""
    played = [0]

    def commits() -> int:
        played[0] += 1  # something new at every look
        return played[0]

    gc.disable()
    try:
        for count, waits in ((lambda: 7, heap.SWEEP_SECONDS), (commits, heap.SWEEP_SECONDS_MAX)):
            knot = weakref.ref(Knot())
            async with trio.open_nursery() as nursery:
                nursery.start_soon(heap.sweep, count)
                await trio.sleep(waits - 1)
                assert knot() is not None
                await trio.sleep(heap.LOOK_SECONDS + 2)
                assert knot() is None
                nursery.cancel_scope.cancel()
    finally:
        gc.enable()


def test_steady_puts_back_what_it_changed() -> None:
    """After the server the collector is as before."""
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with heap.steady():
        assert gc.get_threshold() != before
        assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == before
    assert bool(gc.get_freeze_count()) == bool(frozen)
