"""Crashes at any call to the disk lose nothing that was acknowledged."""

import pytest
import trio
import trio.testing
from trio._core import _run

from tests.simulate.world import World


def simulate(seed: int) -> World:
    """One run from one seed."""
    world = World(seed)
    try:
        _deterministic(seed)
        trio.run(world.run, clock=trio.testing.MockClock(autojump_threshold=0))
    except BaseException:
        print(f"seed {seed}, after {world.crashed} crashes")
        raise
    return world


def _deterministic(seed: int) -> None:
    # trio shuffles the order of its tasks on purpose; from a seed the same run comes again.
    _run._ALLOW_DETERMINISTIC_SCHEDULING = True  # type: ignore[attr-defined]
    _run._r.seed(seed)  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(3))
def test_nothing_acknowledged_is_lost(seed: int) -> None:
    """Games run to their end through crashes; every acknowledged command is in the log, every
    spectator's stream is gapless."""
    world = simulate(seed)
    assert world.crashed >= 2
    assert len(world.told.accepted) > 30


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 130))
def test_nothing_acknowledged_is_lost_in_many_runs(seed: int) -> None:
    """The same for many seeds."""
    simulate(seed)


def test_a_run_is_told_again_by_its_seed() -> None:
    """The same seed gives the same logs, byte for byte."""
    assert simulate(7).digest == simulate(7).digest
