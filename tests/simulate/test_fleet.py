"""Nodes, their clients and a modelled engine: no fault at any message breaks a promise, and a
planted bug is found."""

import time

import pytest
import trio
import trio.testing

from tests.simulate.fleetmutants import MUTANTS
from tests.simulate.fleetworld import FleetWorld, simulate
from tests.simulate.instep import in_step

CPU_SECONDS = 60.0
"""Within how much of the processor's time a planted bug must be found."""


@pytest.mark.parametrize("seed", (2, 7))
def test_a_fleet_keeps_its_promises(seed: int) -> None:
    """Games run to their end while nodes and servers of the engine die, stand still and are cut
    off; whoever asked hears one history, and whoever watched at an edge saw it. In both a node
    that was deposed lets a game go."""
    world = simulate(seed)
    assert "game let go" in world.log.getvalue()
    assert len(world.told.accepted) > 30
    assert len(world.did) >= 3


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 200))
def test_a_fleet_keeps_its_promises_in_many_runs(seed: int) -> None:
    """The same for many seeds."""
    simulate(seed)


def test_a_run_of_a_fleet_is_told_again_by_its_seed() -> None:
    """The same seed gives the same bytes, in the engine and to everybody who watches."""
    assert simulate(7).digest == simulate(7).digest


@pytest.mark.long
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_planted_bug_is_found(mutant: str) -> None:
    """Each planted bug breaks a promise that the checker holds, or makes a node fall, in time."""
    began = time.process_time()
    seed = 0
    while time.process_time() - began < CPU_SECONDS:
        try:
            simulate(seed, mutant)
        except (Exception, BaseExceptionGroup) as error:
            print(f"found with seed {seed}: {error!r}"[:300])
            return
        seed += 1
    raise AssertionError(f"{mutant}: not found in {seed} runs")


def test_a_node_ends_though_the_engine_is_gone_for_good() -> None:
    """A node that is told to stop while nobody answers ends within its time; a command that is
    under way keeps its outcome unknown."""
    world = FleetWorld(3, games=1)
    ended: list[float] = []

    async def main() -> None:
        with trio.fail_after(600):
            async with trio.open_nursery() as nursery:
                world.cluster = world.new_cluster()
                nursery.start_soon(world.cluster.run)
                for place in world.places:
                    nursery.start_soon(world._serve, place, world._fork())
                await world._new_game(world.rng)
                [game] = world.tokens
                for seat in ("a", "b"):
                    nursery.start_soon(world._play, game, seat, world._fork())
                await trio.sleep(5)
                for server in range(3):
                    world.cluster.kill(server)
                await trio.sleep(1)
                told = trio.current_time()
                hubs = [place.hub for place in world.places]
                for place in world.places:
                    place.drain.set()
                for place, hub in zip(world.places, hubs, strict=True):
                    while hub is not None and place.hub is hub:  # noqa: ASYNC110
                        await trio.sleep(0.1)
                ended.append(trio.current_time() - told)
                nursery.cancel_scope.cancel()
                world._kill_all()

    try:
        with in_step(3):
            trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    finally:
        world.helpers.end()
    assert ended[0] < 5 + 3
