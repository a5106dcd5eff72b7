"""What `warledger fleet status` says of a fleet in which something is wrong."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner

from tests.fleet.chained import Chain
from tests.fleet.test_accounts import prepare
from tests.fleet.test_archive import grow, has
from tests.fleet.test_edges import edge
from tests.fleet.test_nodes import Engine, engine, new_game
from tests.nats.rig import serving
from warledger.clients.cli import main
from warledger.clients.cli.options import screen_of
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.clients.commands.server.fleet import _show
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.store.files.wal import WalStore, open_store
from warledger.engine.store.fleet import fleetadmin, fleetarchive
from warledger.engine.store.fleet.fleetarchive import Archive
from warledger.engine.store.fleet.keyring import read_ring
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import subject_of
from warledger.engine.store.port import Frame

__all__ = ["engine"]


@asynccontextmanager
async def looking(url: str, keys: Path) -> AsyncIterator[tuple[JetStream, JetStream]]:
    """Connections with the keys of a node and of the account SYS."""
    async with (
        fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as js,
        fleetadmin.reached(fleetadmin.Where.of(url, keys=keys, role="system")) as system,
    ):
        yield js, system


async def told(url: str, keys: Path) -> tuple[dict[str, Any], str]:
    """What the command says, for programs and for people."""
    async with looking(url, keys) as (js, system):
        found = await fleetadmin.status(js, system)
    text = io.StringIO()
    with redirect_stdout(text):
        _show(screen_of("en", True), found)
    return found.as_data(), " ".join(text.getvalue().split())


async def test_edges_and_nodes_are_listed_while_they_are_there(
    engine: Engine, tmp_path: Path
) -> None:
    """Each edge with its NATS server, and each node with its games; whoever was killed or told to
    stop is listed no longer. Whoever only has an edge's key and says nothing of being one is no
    edge."""
    at = engine.url, engine.keys
    with (
        engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b),
        edge(engine, tmp_path / "e") as one,
        edge(engine, tmp_path / "f") as other,
        trio.fail_after(60),
    ):
        for _ in range(2):
            await new_game(a)
        said, text = await told(*at)
        assert len(said["edges"]) == 2 and len({each["address"] for each in said["edges"]}) == 2
        assert {each["server"] for each in said["edges"]} == {"nats-1"}
        for each in said["edges"]:
            assert f"edge at {each['address']}, connected to nats-1" in text
        assert sorted(each["games"] for each in said["nodes"].values()) == [0, 2]
        assert ": 2 games" in text and ": 0 games" in text and "No archive is running." in text
        one.process.kill()
        other.process.send_signal(signal.SIGTERM)
        a.process.kill()
        for each in (one, other, a):
            await trio.to_thread.run_sync(each.process.wait)
        async with fleetadmin.reached(
            fleetadmin.Where.of(*at[:1], keys=at[1], role="edge")
        ) as plain:
            assert plain.engine.connections == 1  # it calls itself an edge, as an edge does
            async with looking(*at) as (js, system):
                while len((found := await fleetadmin.status(js, system)).edges or ()) != 1:
                    pass
                assert len(found.nodes) == 1
        b.process.send_signal(signal.SIGTERM)
        await trio.to_thread.run_sync(b.process.wait)
        said, text = await told(*at)
        assert said["edges"] == [] and said["nodes"] == {} and "No node is running." in text
        assert said["current"] is True


class Slow:
    """A data directory that takes only so many appends as it is allowed to."""

    def __init__(self, store: WalStore) -> None:
        self._store = store
        self.may = trio.Semaphore(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def create(self, game: str, frames: list[Frame]) -> None:
        await self.may.acquire()
        await self._store.create(game, frames)

    async def append(self, game: str, count: int, frames: list[Frame]) -> None:
        await self.may.acquire()
        await self._store.append(game, count, frames)


async def test_an_archive_says_how_far_it_is_behind(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is not on its disk yet counts, what it has just read as well; once it has everything
    it is behind by nothing. A game that it has stopped is told, and an archive that is gone is
    listed no longer."""
    monkeypatch.setattr(fleetarchive, "READ_MESSAGES", 4)
    at = engine.url, engine.keys
    keys = read_ring(engine.keys).data_keys
    where = fleetadmin.Where.of(engine.url, keys=engine.keys)
    name = f"lag{os.urandom(3).hex()}"
    chain = Chain(name)

    async def says(js: JetStream, wanted: Callable[[dict[str, Any]], bool]) -> None:
        said: Any = None
        with trio.move_on_after(15):
            while not (said and all(map(wanted, said))):
                said = list((await fleetadmin.status(js, seconds=0.7)).archives.values())
        assert len(said) == 1 and wanted(said[0]), said

    async with (
        looking(*at) as (js, _),
        open_jetstream(where.settings(), keys, shards=2) as store,
        open_store(tmp_path / "archive") as kept,
        trio.open_nursery() as nursery,
    ):
        async with trio.open_nursery() as before:
            # Whatever other tests have left there.
            first = Archive(js, keys, 2, kept, tmp_path / "archive")
            while await first.catch_up():
                pass
            before.cancel_scope.cancel()
        for _ in range(11):
            await grow(store, name, chain)
        slow = Slow(kept)
        archive = Archive(js, keys, 2, slow, tmp_path / "archive")  # type: ignore[arg-type]
        nursery.start_soon(archive.run)
        for allowed, behind in ((0, 11), (3, 8), (2, 6)):
            for _ in range(allowed):
                slow.may.release()
            await says(js, lambda said, behind=behind: said["behind"] == behind)  # type: ignore[misc]
        found, text = await told(*at)
        assert [each["behind"] for each in found["archives"].values()] == [6]
        assert ": 6 messages behind" in text and "has stopped" not in text
        for _ in range(20):
            slow.may.release()
        await has(kept, name, chain.frames)
        await says(js, lambda said: said["behind"] == 0 and said["stopped"] == 0)
        await js.append(
            subject_of(name, 2), b"\x01\x01 not sealed by us", identity="", expected=None
        )
        await says(js, lambda said: said["behind"] == 0 and said["stopped"] == 1)
        _, text = await told(*at)
        assert "has stopped 1 game, which does not continue as it should" in text
        nursery.cancel_scope.cancel()
    found, text = await told(*at)
    assert found["archives"] == {} and "No archive is running." in text


async def test_a_server_that_is_down_is_named_until_it_has_everything(tmp_path: Path) -> None:
    """Of three NATS servers one is killed: it is silent, its replicas are behind or cannot be
    reached, and no other may be stopped, which is also the command's exit code; once it is back and
    has everything, any one may."""
    keys, ports = tmp_path / "keys", free_ports(3)
    url = "nats://" + ",".join(f"127.0.0.1:{port}" for port in ports)
    made, planned = prepare(keys, url, 3)
    with ExitStack() as running, trio.fail_after(100):
        servers = [running.enter_context(serving(folder)) for folder in made.servers]
        async with looking(url, keys) as (js, system):
            await fleetadmin.init(js, planned)
            while not (await fleetadmin.status(js, system, seconds=0.0)).is_current:
                pass
            down = next(
                n for n, each in enumerate(servers, 1)
                if each.address not in (js.engine.server, system.engine.server)
            )  # fmt: skip
            servers[down - 1].process.kill()
            name = f"nats-{down}"
            while (found := await fleetadmin.status(js, system, seconds=0.0)).silent != (name,):
                pass
            assert not found.is_current and len(found.servers or ()) == 2
            while not all(name in (*s.behind, *s.missing) for s in found.streams):
                found = await fleetadmin.status(js, system, seconds=0.0)
            assert not found.is_current
            at = ["fleet", "status", "--store", url, "--keys", str(keys), "--lang", "en", "--plain"]
            asked = await trio.to_thread.run_sync(lambda: CliRunner().invoke(main, at))
            assert asked.exit_code == 1
            text = " ".join(asked.output.split())
            assert f"NATS server {name} does not answer." in text
            assert "do not stop a NATS server now" in text
            running.enter_context(serving(made.servers[down - 1]))
            while not (found := await fleetadmin.status(js, system, seconds=0.0)).is_current:
                pass
            assert found.silent == () and len(found.servers or ()) == 3
