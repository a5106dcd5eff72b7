"""A clock that jumps: no game expires by it, no record is dated by it, and it is believed once it
has shown that it is right."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import trio
import trio.testing
from click.testing import CliRunner

from tests.serve.rig import new_game, server, take
from warledger.clients.cli import main
from warledger.engine.runtime import metrics
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.clock.serverclock import OFF_S, RUN_S, Clock, Doubt, Memory
from warledger.engine.runtime.supervisor import Tending
from warledger.engine.serve import clockcheck, hub, logs
from warledger.engine.serve.app import system
from warledger.engine.serve.config import Config
from warledger.engine.store.files.wal import open_store
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.wire import messages as m

T = TypeVar("T")
MockClock = trio.testing.MockClock
BEGUN_S = 1_700_000_000
HOUR, DAY = 3600, 24 * 3600


class World:
    """A machine's two clocks, for a Clock of its own; `ahead` is by how much the one that can be
    set was set, in seconds."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.ahead = 0.0
        self.told: list[tuple[str, bool]] = []

    def wall_ms(self) -> int:
        return int((BEGUN_S + self.passed + self.ahead) * 1000)

    def steady_s(self) -> float:
        return 77 + self.passed

    def clock(self, memory: Memory | None = None) -> Clock:
        return Clock(
            self.wall_ms,
            self.steady_s,
            memory,
            lambda event, sure, figures: self.told.append((event, sure)),
        )

    def run(self, clock: Clock, seconds: float, step: float = 60) -> None:
        """Let time pass, with a look now and then."""
        while seconds > 0:
            self.passed += min(step, seconds)
            seconds -= step
            clock.look()

    def says_s(self, clock: Clock) -> float:
        """What the clock says, since the world began."""
        return clock.now_ms() / 1000 - BEGUN_S


class Patched(SystemAmbient):
    """The real world without threads, for a mock clock."""

    async def blocking(self, call: Callable[[], T]) -> T:
        await trio.lowlevel.checkpoint()
        return call()


async def test_a_clock_ahead_for_half_a_minute_closes_no_game(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system clock 40 days ahead, then back: games that wait for players wait on, and what is
    recorded meanwhile has the right time."""
    ahead = 0.0
    monkeypatch.setattr(time, "time_ns", lambda: int((BEGUN_S + ahead + trio.current_time()) * 1e9))
    monkeypatch.setattr(time, "clock_gettime", lambda which: trio.current_time())
    store = MemoryStore()
    async with server(store, tending=Tending(), ambient=Patched()) as s:
        game, given = await new_game(s)
        await trio.sleep(100)
        ahead = 40 * DAY
        await trio.sleep(40)
        client = await s.client(given["a"])
        assert type(await take(client, game, "a")) is m.Accepted
        figures = s.hub.metrics.gauges["time_sure"][1]()
        ahead = 0.0
        await trio.sleep(40)
        rows = (await client.ask(m.Games, "", "", 9)).games
        seated = s.hub.supervisor.games[game].profile.progress.at_ms / 1000 - BEGUN_S
        assert [row["stage"] for row in rows] == ["gathering"]
        assert 100 < seated < 200, "the record is not dated into the future"
        assert (figures, s.hub.metrics.gauges["time_sure"][1]()) == (False, True)


async def test_a_game_still_expires_when_its_time_is_really_over(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that is set 40 days ahead for good is believed after a day, and then what has waited
    too long by it is closed."""
    ahead = 0.0
    monkeypatch.setattr(time, "time_ns", lambda: int((BEGUN_S + ahead + trio.current_time()) * 1e9))
    monkeypatch.setattr(time, "clock_gettime", lambda which: trio.current_time())
    # What wakes many times a second would be all that a day of a clock that jumps consists of.
    monkeypatch.setattr(metrics, "LAG_PROBE_SECONDS", 600)
    monkeypatch.setattr(hub, "LOOK_SECONDS", 600)
    async with server(tending=Tending(every=600), ambient=Patched()) as s:
        await new_game(s)
        client = await s.client()
        await trio.sleep(3600)
        ahead = 40 * DAY
        for wait, stage in ((RUN_S - HOUR, "gathering"), (2 * HOUR, "ended")):
            await trio.sleep(wait)
            client = await s.client()
            assert [row["stage"] for row in (await client.ask(m.Games, "", "", 9)).games] == [stage]


def test_small_differences_are_no_jump() -> None:
    """A clock set right by seconds, or drifting by seconds a day for years, is always the system's
    and sure."""
    world = World()
    clock = world.clock()
    for _ in range(400):
        world.run(clock, DAY, step=HOUR)
        world.ahead += 8
    world.ahead -= 120
    assert (clock.now_ms(), clock.sure, world.told) == (world.wall_ms(), True, [])


@pytest.mark.parametrize("jump", [40 * DAY, -40 * DAY, 3 * HOUR, -3 * HOUR, 400])
def test_a_jump_is_not_followed_until_it_has_lasted(jump: float) -> None:
    """Time goes on evenly and is in doubt; back where it should be the clock is right at once;
    after a day it is believed where it is."""
    world = World()
    clock = world.clock()
    world.run(clock, HOUR)
    world.ahead = jump
    assert not clock.sure
    world.run(clock, 2 * HOUR)
    assert (world.says_s(clock), clock.sure) == (pytest.approx(3 * HOUR, abs=1), False)
    world.ahead = 0
    assert (world.says_s(clock), clock.sure) == (3 * HOUR, True)
    world.ahead = jump
    clock.look()
    world.run(clock, RUN_S - HOUR)
    assert not clock.sure
    world.run(clock, 2 * HOUR)
    assert (clock.now_ms(), clock.sure) == (world.wall_ms(), True)
    assert [sure for _, sure in world.told] == [False, True, False, True]


def test_a_clock_that_keeps_jumping_is_not_believed() -> None:
    """Each further jump begins the day anew."""
    seed = 5
    rng = random.Random(seed)
    world = World()
    clock = world.clock()
    for _ in range(20):
        world.ahead = rng.uniform(2 * DAY, 90 * DAY)
        world.run(clock, RUN_S * rng.uniform(0.1, 0.9), step=HOUR)
        assert not clock.sure, f"seed {seed}"
        assert world.says_s(clock) == pytest.approx(world.passed, abs=1)


def test_the_word_of_an_operator_is_enough() -> None:
    """Confirmed, the system's clock is taken as it is."""
    world = World()
    clock = world.clock()
    world.ahead = 40 * DAY
    assert not clock.sure
    clock.confirm()
    assert (clock.now_ms(), clock.sure) == (world.wall_ms(), True)


def test_a_jump_while_the_server_was_off_is_noticed() -> None:
    """At a start far beyond, or before, the last sure time nothing expires for a day of running,
    which further starts go on with."""
    world = World()
    known = Memory(world.wall_ms())
    world.passed += OFF_S - 60
    assert world.clock(known).sure, "off over night"
    world.passed += 9 * DAY
    clock = world.clock(known)
    assert (clock.sure, clock.now_ms()) == (False, world.wall_ms()), "perhaps it was off so long"
    world.run(clock, 15 * HOUR)
    kept = clock.memory()
    assert kept.doubt == Doubt(world.wall_ms(), pytest.approx(15 * HOUR))
    world.passed += 600
    again = world.clock(kept)
    assert not again.sure
    world.run(again, 10 * HOUR)
    assert again.sure

    world.ahead = -90 * DAY
    behind = world.clock(known)
    assert not behind.sure
    assert behind.now_ms() == known.known_ms, "time does not go back"
    world.ahead = -world.passed + 120
    world.run(behind, 60)
    assert behind.sure, "the network's time came a moment after the start"


def test_memory_does_not_learn_from_a_clock_in_doubt() -> None:
    """What is kept as sure goes on by the steady clock alone."""
    world = World()
    clock = world.clock()
    world.ahead = 40 * DAY
    world.run(clock, 5 * HOUR)
    assert clock.memory().known_ms == pytest.approx((BEGUN_S + 5 * HOUR) * 1000, abs=61_000)


# --- in the data directory ------------------------------------------------------------------------


def aged(data: Path, seconds: float) -> None:
    """Make the last server have ended so long ago."""
    (data / "clock").write_text(
        json.dumps({"known_ms": time.time_ns() // 1_000_000 - int(seconds * 1000), "doubt": None})
    )


async def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    """A sure time, a doubt, a directory of a release that kept neither, and one whose file is
    spoiled."""
    data = tmp_path / "data"
    assert clockcheck.remembered(data) is None
    async with open_store(data):
        pass
    old = (time.time_ns() - 90 * DAY * 10**9) // 10**9
    os.utime(data / "checkpoint", (old, old))
    assert clockcheck.remembered(data) == Memory(old * 1000)
    for memory in (Memory(5), Memory(7, Doubt(9, 11.0))):
        clockcheck.write(data, memory)
        assert clockcheck.remembered(data) == memory
    for spoiled in ("", "[]", '{"known_ms": "x"}', '{"known_ms": 1, "doubt": 7}', "\xff"):
        (data / "clock").write_text(spoiled, encoding="latin-1")
        assert clockcheck.remembered(data) == Memory(old * 1000)


async def test_a_server_keeps_its_time_and_hears_the_operator(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """`warledger clock` tells of the doubt and ends it, for a server that runs, and for the next;
    the doubt is in the server's log."""
    data = tmp_path / "data"
    async with open_store(data):
        pass
    aged(data, 40 * DAY)

    def ask(*args: str) -> Any:
        return CliRunner(env={"WARLEDGER_LANGUAGE": "en"}).invoke(main, ["clock", str(data), *args])

    log = (tmp_path / "log").open("w")
    ambient = system(Config(data), logs.logger("info", log))
    assert not ambient.time_is_sure()
    asked = ask()
    assert (asked.exit_code, "no game expires" in asked.output) == (1, True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: clockcheck.keep(ambient.clock, data, logs.logger("info", log)))
        await trio.sleep(40)
        assert not ambient.time_is_sure()
        assert ask("--right").exit_code == 0
        await trio.sleep(40)
        assert ambient.time_is_sure()
        nursery.cancel_scope.cancel()
    log.close()
    assert ["in doubt" in line for line in (tmp_path / "log").read_text().splitlines()] == [
        True,
        False,
    ]
    assert ask().exit_code == 0
    assert system(Config(data), logs.logger()).time_is_sure()
    assert CliRunner().invoke(main, ["clock", str(tmp_path)]).exit_code == 2
