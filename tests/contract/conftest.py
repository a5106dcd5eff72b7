"""What the store tests share: frames to keep, and each backend behind one way of opening it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.nats.rig import Nats, client, cluster, made, nats, ready, settings_of
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.nats.natsclient import Settings
from warledger.engine.store.files.wal import at_once, open_store
from warledger.engine.store.fleet.fleetstreams import private_stream
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.port import FRAME_HEAD, FRAME_OPENINGS, FRAME_RECORD, Frame, Store
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.testing.memorydisk import MemoryDisk

SHARDS = 2

OpenStore = Callable[[], AbstractAsyncContextManager[Store]]


def a_record(text: str) -> Frame:
    return Frame(FRAME_RECORD, text.encode())


def a_move(number: int, size: int = 0) -> list[Frame]:
    """What the runtime appends for one command: the record, its openings, the signed head."""
    name = f"move {number}"
    return [
        a_record(name + "." * size),
        Frame(FRAME_OPENINGS, f"openings {number}".encode()),
        Frame(FRAME_HEAD, b"head"),
    ]


def the_records(frames: list[Frame]) -> list[str]:
    return [frame.payload.decode().rstrip(".") for frame in frames if frame.kind == FRAME_RECORD]


async def read(store: Store, *args: Any) -> list[Frame]:
    """What the store reads, in a thread: the port says that it may wait."""
    return await trio.to_thread.run_sync(store.read, *args)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Nats]:
    """A NATS server of the test's own."""
    with nats(tmp_path / "nats") as running:
        yield running


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Nats]]:
    """Three NATS servers for every test that needs as many; each has streams of its own there."""
    with cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


async def unmade(settings: Settings) -> None:
    """The streams of a test go; the next one's have the same names."""
    async with client(settings) as one:
        js = JetStream(await ready(one))
        for shard in range(SHARDS):
            name, _, _ = private_stream(shard, 3)
            with trio.fail_after(30):
                cluster = (await js.describe(name))["cluster"]
                assert len(cluster["replicas"]) == 2, "it was kept by three"
                await js.api(f"STREAM.DELETE.{name}", seconds=30)


BACKENDS = ("memory", "files", "memory disk", "jetstream", "jetstream R3")


@pytest.fixture(params=BACKENDS)
def open_backend(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens the backend under test; opened again, a backend that keeps files finds what the last
    one left."""
    if request.param == "memory":
        kept = MemoryStore()

        @asynccontextmanager
        async def open_memory() -> AsyncIterator[Store]:
            # a new process would begin empty; the suite asks only that what was kept is still there
            kept._closed = False
            yield kept
            await kept.aclose()

        return open_memory
    if request.param == "jetstream":
        return _jetstream(request.getfixturevalue("engine").settings(), 1)
    if request.param == "jetstream R3":
        settings = settings_of(request.getfixturevalue("servers"))
        request.addfinalizer(lambda: trio.run(unmade, settings))
        return _jetstream(settings, 3)
    if request.param == "files":
        return lambda: open_store(tmp_path / "data", segment_bytes=4096)
    disk = MemoryDisk()
    return lambda: open_store(disk, segment_bytes=4096, run=at_once)


def _jetstream(settings: Settings, replicas: int) -> OpenStore:
    keys = DataKeys.of({1: bytes(32)}, 1)

    @asynccontextmanager
    async def open_jet() -> AsyncIterator[Store]:
        async with client(settings) as one:
            js = JetStream(await ready(one))
            for shard in range(SHARDS):
                name, subjects, config = private_stream(shard, replicas)
                await made(js, name, subjects, **config)
        async with open_jetstream(settings, keys, shards=SHARDS) as store:
            yield store

    return open_jet
