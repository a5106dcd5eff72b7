"""When the server looks for garbage that refers to itself."""

import gc
import random
import weakref
from collections.abc import Callable
from itertools import count

import pytest
import trio
from trio.testing import MockClock

from warledger.engine import registry
from warledger.engine.packfiles import read_pack
from warledger.engine.runtime import garbagecollection
from warledger.engine.testing.randomgames import begin, play_on


class Knot:
    """Refers to itself, so only the collector lets it go."""

    def __init__(self) -> None:
        self.self = self


async def swept_after(activity: Callable[[], int], seconds: float) -> bool:
    """Whether a knot made at the start has gone so much later."""
    knot = weakref.ref(Knot())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(garbagecollection.sweep, activity)
        await trio.sleep(seconds)
        nursery.cancel_scope.cancel()
    return knot() is None


async def test_whole_heap_is_swept_when_nothing_is_played(autojump_clock: MockClock) -> None:
    """A knot goes a minute after the last command; while commands come, after a quarter of an hour;
    where nothing was done, never."""
    looks = count(1)

    def once() -> int:
        return min(next(looks), 2)  # something between the first look and the second

    gc.collect()
    gc.disable()
    try:
        assert not await swept_after(once, garbagecollection.SWEEP_SECONDS - 1)
        looks = count(1)
        assert await swept_after(
            once, garbagecollection.SWEEP_SECONDS + 2 * garbagecollection.LOOK_SECONDS
        )
        busy = count(1).__next__
        assert not await swept_after(busy, garbagecollection.SWEEP_SECONDS_MAX - 1)
        assert await swept_after(
            busy, garbagecollection.SWEEP_SECONDS_MAX + 2 * garbagecollection.LOOK_SECONDS
        )
        assert not await swept_after(lambda: 7, 2 * garbagecollection.SWEEP_SECONDS_MAX)
    finally:
        gc.enable()


async def test_what_commands_leave_is_not_let_grow_to_what_all_games_hold(
    autojump_clock: MockClock,
) -> None:
    """While somebody plays, what the interpreter goes through at a time is what was made in a
    quarter of a second; where nobody does, nothing is looked at."""
    looked: list[int] = []

    def look(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            looked.append(about["generation"])

    gc.callbacks.append(look)
    try:
        with garbagecollection.steady():
            for activity, looks in ((count().__next__, [0] * 8), (lambda: 7, [])):
                gc.collect(0)
                looked.clear()
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(garbagecollection.tidy, activity)
                    await trio.sleep(8.5 * garbagecollection.YOUNG_SECONDS)
                    nursery.cancel_scope.cancel()
                assert looked == looks
            kept = [[i] for i in range(40 * garbagecollection.YOUNG_OBJECTS)]
            assert len(kept) and set(looked) <= {0}, "older ones are left to the sweep"
    finally:
        gc.callbacks.remove(look)


def test_steady_puts_back_what_it_changed() -> None:
    """After the server the collector is as before."""
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with garbagecollection.steady():
        assert gc.get_threshold() != before
        assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == before
    assert bool(gc.get_freeze_count()) == bool(frozen)


@pytest.mark.parametrize("title", ["victory_lost", "hungarian_rhapsody"])
def test_commands_leave_nothing_to_the_collector(title: str) -> None:
    """Whatever commands no longer need is freed at once, secrets and payments included."""
    played = begin(registry.rules_of(title), read_pack(title), seed=1)
    rng = random.Random(1)
    play_on(played, rng, commands=10)  # what is made once for all games, is made now
    gc.collect()
    gc.disable()
    try:
        play_on(played, rng, commands=40)
        assert gc.collect() == 0
    finally:
        gc.enable()
