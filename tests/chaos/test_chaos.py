"""A fleet of real servers keeps its promises while everything around them goes wrong, and whoever
checks that can fail.

`CHAOS_SECONDS` sets the long run's length, `--seed` its seed.
"""

from __future__ import annotations

import copy
import os
import random
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.chaos.faults import DONE
from tests.chaos.machines import SHARDS, Site, standing
from tests.chaos.world import Chaos
from tests.simulate.promises import Broken
from tests.simulate.world import SEATS
from warledger.engine.nats.natsport import EngineError
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import shard_of
from warledger.engine.store.port import (
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
)
from warledger.protocol.log import chain
from warledger.protocol.log.records import NO_HASH, SEAT, make

SHORT = (
    *("kill_node", "stop_node", "kill_leader", "cut_node", "step_down", "break_connections"),
    *("kill_other", "drain_node", "move_clocks"),
)
"""What goes wrong in the short run."""

SHORT_DONE = (
    "a node killed", "a node stopped", "a leader killed", "a node cut off", "a leader stepped down",
    "connections broken", "the edge killed", "the archive killed", "a node drained",
    "a clock moved forward", "a clock moved back",
)  # fmt: skip
"""What it is then seen to have done."""

WHOLE_SECONDS = 300.0
"""A run of this length does everything at least once."""


def _did(world: Chaos, wanted: Iterable[str]) -> None:
    print("done:", ", ".join(f"{what} ({count})" for what, count in sorted(world.done.items())))
    never = [what for what in wanted if not world.done[what]]
    assert not never, f"never done in this run: {', '.join(never)}"


def chaos(folder: Path, seed: int, **options: Any) -> Chaos:
    """A run, with what it left to be checked."""
    with standing(folder) as site:
        world = Chaos(seed, site=site, **options)
        trio.run(world.run)
    return world


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Chaos:
    """The short run."""
    return chaos(
        tmp_path_factory.mktemp("chaos"), 56, seconds=13, pause=1.6, turns=3, patience=4, latest=8,
        some=SHORT,
    )  # fmt: skip


def test_a_fleet_keeps_its_promises(played: Chaos) -> None:
    """Nodes, servers and the archive are killed, stopped, cut off and restarted while games are
    played: whatever was acknowledged stands once, whoever watched saw one history, and nobody
    more than they may."""
    played.check()
    assert len(played.told.accepted) > 10
    _did(played, SHORT_DONE)


@pytest.mark.long
def test_a_fleet_keeps_its_promises_for_long(any_seed: int, tmp_path: Path) -> None:
    """The same with everything that can go wrong, for ten minutes; all of it is seen to have
    happened."""
    seconds = float(os.environ.get("CHAOS_SECONDS", "600"))
    world = chaos(tmp_path, any_seed, seconds=seconds, games=5)
    world.check()
    _did(world, DONE if seconds >= WHOLE_SECONDS else ())


# --- the checker can fail -------------------------------------------------------------------------


def _game(world: Chaos) -> str:
    return next(iter(world.tokens))


def _some(world: Chaos, kind: int) -> Frame:
    """A frame of this kind, of whichever game has one that was given to somebody. (A game whose
    maker lost the answer is nobody's: nobody watches it.)"""
    games = [world.held.private[game] for game in world.tokens]
    found = (one for appends in games for _, some in appends for one in some if one.kind == kind)
    frame = next(found, None)
    if frame is None:
        raise LookupError("no game of this run has such a frame: the damage cannot be done")
    return frame


def _loses(world: Chaos) -> None:
    world.held.private[_game(world)].pop()


def _doubles(world: Chaos) -> None:
    appends = world.held.private[_game(world)]
    appends.append(appends[-1])


def _skips(world: Chaos) -> None:
    appends = world.held.private[_game(world)]
    n = next(n for n, (_, some) in enumerate(appends) if n and _has_record(some))
    del appends[n]


def _has_record(frames: list[Frame]) -> bool:
    return any(one.kind == FRAME_RECORD for one in frames)


def _is_written_by_another(world: Chaos) -> None:
    appends = world.held.private[_game(world)]
    n = max(n for n, (_, some) in enumerate(appends) if _has_record(some))
    appends[n] = ("ffffff", appends[n][1])


def _changes_the_head(world: Chaos) -> None:
    key = next(one for one in world.told.accepted if one[0] == _game(world))
    answer = world.told.accepted[key]
    world.told.accepted[key] = type(answer)(
        answer.request, answer.game, answer.seq + 1, answer.head, answer.again
    )


def _seen(world: Chaos) -> list[tuple[int, bytes, bytes]]:
    return world.seen[_game(world), "public", 0]


def _shows_a_gap(world: Chaos) -> None:
    del _seen(world)[2]


def _shows_twice(world: Chaos) -> None:
    _seen(world).insert(3, _seen(world)[3])


def _shows_what_is_not(world: Chaos) -> None:
    seen = _seen(world)
    seen.append((len(seen), make(len(seen), 0, "", SEAT, (), NO_HASH).data, b""))


def _projects_less(world: Chaos) -> None:
    world.held.public[_game(world)] = world.held.public[_game(world)][:-1]


def _archives_less(world: Chaos) -> None:
    world.held.archive[_game(world)].pop()


def _tells_a_token(world: Chaos) -> None:
    world.came += world.tokens[_game(world)][SEATS[0]].encode()


def _shows_an_opening(world: Chaos) -> None:
    world.came += _some(world, FRAME_OPENINGS).payload


def _projects_an_opening(world: Chaos) -> None:
    world.held.public["other"] = _some(world, FRAME_OPENINGS).payload


def _shows_the_keys(world: Chaos) -> None:
    world.came += _some(world, FRAME_SECRETS).payload


def _keeps_in_clear(world: Chaos) -> None:
    world.held.files.append(_some(world, FRAME_META).payload)


@pytest.mark.parametrize(
    "damage",
    (
        _loses, _doubles, _skips, _is_written_by_another, _changes_the_head, _shows_a_gap,
        _shows_twice, _shows_what_is_not, _projects_less, _archives_less, _tells_a_token,
        _shows_an_opening, _projects_an_opening, _shows_the_keys, _keeps_in_clear,
    ),
)  # fmt: skip
def test_damage_is_found(played: Chaos, damage: Callable[[Chaos], None]) -> None:
    """Each kind of damage to what was read back, or was told, breaks a promise."""
    before = (played.held, played.seen, played.told, played.came)
    played.held, played.seen, played.told, played.came = copy.deepcopy(before)
    damage(played)
    try:
        with pytest.raises(Broken):
            played.check()
    finally:
        played.held, played.seen, played.told, played.came = before


def test_what_everybody_may_have_is_found_where_it_is_looked_for(played: Chaos) -> None:
    """The search for secrets looks into what it says: public records stand in the public streams,
    in what spectators received, and in the servers' files."""
    record = _some(played, FRAME_RECORD).payload
    assert record in b"".join(played.held.public.values())
    assert record in played.came
    assert any(record in data for data in played.held.files)


# --- nothing is left ------------------------------------------------------------------------------


def test_nothing_is_left_when_a_run_fails(tmp_path: Path) -> None:
    """Every process has ended and every port is free, though the run fell over in the middle, with
    one process stopped."""
    with pytest.raises(RuntimeError, match="in the middle"), standing(tmp_path) as site:
        for one in site.machines:
            one.start()
        site.nodes[0].tell(19)
        processes = [site.proxy, *(one.process for one in site.machines)]
        ports = list(site.ports.values())
        raise RuntimeError("in the middle")
    assert all(one is not None and one.poll() is not None for one in processes)
    for port in ports:
        socket.create_server(("127.0.0.1", port)).close()


KILLED = """
import signal, sys
from pathlib import Path
from tests.chaos.machines import standing
with standing(Path(sys.argv[1])) as site:
    for one in site.machines:
        one.start()
    site.nodes[0].tell(signal.SIGSTOP)
    pids = [one.process.pid for one in site.machines if one.process] + [site.proxy.pid]
    print(*pids, flush=True)
    signal.pause()
"""


def test_nothing_is_left_when_a_run_is_killed(tmp_path: Path) -> None:
    """A run that ends with -9 takes every process with it, also one that stands still."""
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        pids = [int(one) for one in run.stdout.readline().split()]
        watched_ends = [os.pidfd_open(pid) for pid in pids]
        run.kill()
    assert len(pids) == 9
    for one in watched_ends:
        # It is readable once the process has ended.
        assert select.select([one], [], [], 60)[0], pids
        os.close(one)


# --- two owners -----------------------------------------------------------------------------------


async def _rivals(
    site: Site, seconds: float, rng: random.Random, killed: list[str]
) -> tuple[list[list[str]], list[Frame]]:
    """Let two processes fight for a game while leaders are killed: what each was told, and what the
    engine holds. `killed` are the leaders in their order."""
    await site.made()
    where, keys = site.where(), site.ring.data_keys
    async with open_jetstream(where.settings(), keys, shards=SHARDS) as store:
        first = make(0, 0, "", SEAT, (), NO_HASH)
        await store.create("game", [Frame(FRAME_RECORD, first.data)])
    told: list[list[str]] = [[], []]
    begun = [threading.Event(), threading.Event()]
    async with trio.open_nursery() as nursery:
        rivals = []
        for number in range(2):
            command = [sys.executable, "-m", "tests.chaos.rival", f"rival-{number}"]
            url = "nats://" + ",".join(
                f"127.0.0.1:{site.links_to(f'node {number}', s)}" for s in range(3)
            )
            process = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
                [*command, url, str(site.keys), "game"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            rivals.append(process)

            def heard(process: Any = process, number: int = number) -> None:
                for line in process.stdout:
                    told[number].append(line)
                    begun[number].set()

            nursery.start_soon(trio.to_thread.run_sync, heard)
        try:
            for one in begun:
                assert await trio.to_thread.run_sync(one.wait, 60)
            with trio.move_on_after(seconds):
                async with fleetadmin.reached(where) as js:
                    while True:
                        await trio.sleep(rng.uniform(1.5, 5))
                        with suppress(EngineError, KeyError):
                            found = await js.describe(f"WG{shard_of('game', SHARDS)}")
                            leader = site.nats[int(found["cluster"]["leader"][-1]) - 1]
                            assert leader.is_up
                            await trio.to_thread.run_sync(leader.kill)
                            killed.append(leader.name)
                            await trio.sleep(rng.uniform(0.1, 2))
                            leader.start()
        finally:
            for process in rivals:
                process.kill()
                process.wait()
    for one in site.nats:
        one.start()
    async with open_jetstream(where.settings(), keys, shards=SHARDS) as store:
        return told, await trio.to_thread.run_sync(store.read, "game")


@pytest.mark.parametrize("seconds", (8, pytest.param(60, marks=pytest.mark.long)))
def test_two_processes_that_both_own_a_game_make_one_chain(seconds: int, tmp_path: Path) -> None:
    """Nothing but the fence is between them, and the leader of the stream is killed again and
    again: one chain, and what each was told stands in it once, at its place. Both were
    acknowledged something, both ran into the fence, and leaders were killed."""
    seed = 5
    print(f"seed {seed}")
    killed: list[str] = []
    with standing(tmp_path) as site:
        told, frames = trio.run(_rivals, site, seconds, random.Random(seed), killed)
    log = list(chain.follow([one.payload for one in frames if one.kind == FRAME_RECORD]))
    said = [[line.split() for line in some if line.endswith("\n")] for some in told]
    fenced = [max([int(n) for what, n in some if what == "fenced"], default=0) for some in said]
    kept = [[one for one in some if one[0] != "fenced"] for some in said]
    print(f"fenced {fenced}, acknowledged {[len(some) for some in kept]}, killed {killed}")
    assert min(fenced) >= 1, f"a process that never ran into the fence: {fenced}"
    assert min(len(some) for some in kept) >= 1, "a process was never acknowledged anything"
    assert len(killed) >= max(1, seconds // 15), f"leaders that were killed: {killed}"
    lines = [one for some in kept for one in some]
    assert len({number for number, _ in lines}) == len(lines) > 20
    for number, hashed in lines:
        assert log[int(number)].hash.hex() == hashed
    assert len({one.body for one in log}) == len(log)
