"""What the rows of `ops.bench.fleet` stand on: an engine of three NATS servers, parts of a fleet as
processes, clients, and games that are played while something befalls them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import trio
from attrs import define, field

from tests.chaos.machines import HOST, Machine, prepared, server_of, serving
from warledger.clients.commands.demos.childprocesses import watched
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.nats.natsport import EngineError
from warledger.engine.serve.config import ServerLimits
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.jetstream import SHARDS, JetStreamStore
from warledger.engine.store.fleet.keyring import Ring
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import shard_of
from warledger.engine.store.port import FRAME_RECORD, Frame
from warledger.protocol.wire import messages as m

ROOM: Final = 4_000_000_000
LIMITS: Final = ServerLimits(strangers_per_address=100_000, connections_per_address=100_000)
ROOT: Final = Path(__file__).resolve().parents[2]


# --- the engine -----------------------------------------------------------------------------------


@define(eq=False)
class Engine:
    """Three NATS servers and what is needed to reach them."""

    folder: Path
    keys: Path
    url: str
    ring: Ring
    group: int | None
    servers: list[Machine] = field(factory=list)

    def where(self) -> fleetadmin.Where:
        """How it is reached."""
        return fleetadmin.Where.of(self.url, keys=self.keys)

    async def fill(self, games: dict[str, list[list[Frame]]]) -> None:
        """Put games there that nobody owns, each with these appends."""
        where = self.where().settings()
        async with (
            open_jetstream(where, self.ring.data_keys) as store,
            trio.open_nursery() as nursery,
        ):
            for game, appends in games.items():
                nursery.start_soon(_put, store, game, appends)


async def _put(store: JetStreamStore, game: str, appends: list[list[Frame]]) -> None:
    first, *others = appends
    await store.create(game, first)
    records = sum(frame.kind == FRAME_RECORD for frame in first)
    for frames in others:
        await store.append(game, records, frames)
        records += sum(frame.kind == FRAME_RECORD for frame in frames)


async def leader(js: JetStream, game: str, shards: int = SHARDS) -> int:
    """The server that leads a game's stream."""
    while True:
        with suppress(EngineError, KeyError):
            found = await js.describe(f"WG{shard_of(game, shards)}")
            return int(found["cluster"]["leader"].rpartition("-")[2]) - 1
        await trio.sleep(0.05)


@asynccontextmanager
async def engine(folder: Path) -> AsyncIterator[Engine]:
    """An engine with its streams made, which has ended afterwards, and with it the folder, however
    this process ends."""
    url = "nats://" + ",".join(f"127.0.0.1:{port}" for port in free_ports(3))
    keys, ring, planned = prepared(folder, url, shards=SHARDS, room=ROOM)
    with watched(folder) as group:
        servers = [server_of(folder, keys, number, group) for number in range(3)]
        made = Engine(folder, keys, url, ring, group, servers)
        try:
            for one in servers:
                one.start()
            async with fleetadmin.reached(made.where(), seconds=40) as js:
                await fleetadmin.init(js, planned)
            yield made
        finally:
            for one in servers:
                one.kill()


@contextmanager
def part(at: Engine, what: str, name: str, port: int) -> Iterator[Machine]:
    """A node or an edge as a process, whose titles are the tests'."""
    made = serving(what, name, at.folder / name, port, at.url, at.keys, at.group)
    try:
        made.start()
        yield made
    finally:
        made.kill()


async def client(port: int, token: str = "") -> Any:
    """A client, once the server takes it."""
    from tests.serve.rig import Client

    while True:
        with suppress(OSError, AssertionError, trio.BrokenResourceError):
            one = Client(await trio.open_tcp_stream("127.0.0.1", port))
            await one.greet(token)
            return one
        await trio.sleep(0.05)


@define(eq=False)
class Games:
    """Games that are played over a node that is not their owner's, and when each was acknowledged
    a command."""

    port: int
    told: dict[str, list[float]] = field(factory=dict)

    async def play(self, game: str, given: dict[str, str]) -> None:
        """For ever; what nobody knows of is sent again as it is."""
        from tests.serve.rig import sit_down

        one = await client(self.port, given["a"])
        assert type(await one.ask(m.Login, given["b"], "")) is m.LoggedIn
        await sit_down(one, game)
        step = 0
        while True:
            answer = await one.submit(game, "ab"[step % 2], "pass", id=f"step {step}".encode())
            if type(answer) is m.Accepted:
                self.told.setdefault(game, []).append(time.perf_counter())
                step += 1
            await trio.sleep(0.02)

    async def begin(self, port: int, count: int, nursery: trio.Nursery) -> None:
        """Make games at the node on this port, and play them; returns once each goes on."""
        host = await client(port, HOST)
        await client(self.port)
        for _ in range(count):
            made = await host.ask(m.CreateGame, "counting", {"turns": 4000}, 0)
            nursery.start_soon(self.play, made.game, dict(made.tokens))
        while len(self.told) < count:  # noqa: ASYNC110 - what is awaited has no event
            await trio.sleep(0.1)
        await trio.sleep(1)

    def silences(self, since: float) -> list[float]:
        """Of each game the longest time between two answers around and after this moment."""
        found = []
        for times in self.told.values():
            before = [at for at in times if at <= since][-1:]
            after = [*before, *(at for at in times if at > since), time.perf_counter()]
            found.append(max(b - a for a, b in pairwise(after)))
        return sorted(found)
