"""The archive: every game of the engine in a data directory, whatever interrupts it; and games
brought back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from tests.audit.attacked import found as audited
from tests.audit.attacked import whole
from tests.fleet.chained import Chain
from tests.nats.rig import Nats, client, nats, ready
from warledger.clients.commands.server.servercommands import exported
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.store.files.check import check
from warledger.engine.store.files.wal import WalStore, open_store
from warledger.engine.store.fleet.fleetarchive import Archive, Differs, appends, bring
from warledger.engine.store.fleet.fleetstreams import private_stream
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.sealedmessages import PIECE_BYTES, DataKeys
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import subject_of
from warledger.engine.store.port import FRAME_RECORD, Frame
from warledger.protocol.log.records import SEAT, Genesis, make
from warledger.protocol.log.wlog import FRAME_END, parse

KEYS = DataKeys.of({1: bytes(32)}, 1)


@asynccontextmanager
async def fleet_store(engine: Nats) -> AsyncIterator[tuple[JetStreamStore, JetStream]]:
    async with client(engine.settings()) as one:
        js = JetStream(await ready(one))
        for shard in range(2):
            name, subjects, config = private_stream(shard, 1)
            await js.make(name, subjects, **config)
        async with open_jetstream(engine.settings(), KEYS, shards=2) as store:
            yield store, js


@asynccontextmanager
async def following(js: JetStream, data: Path) -> AsyncIterator[tuple[Archive, WalStore]]:
    async with open_store(data) as kept, trio.open_nursery() as nursery:
        archive = Archive(js, KEYS, 2, kept, data)
        nursery.start_soon(archive.run)
        yield archive, kept
        nursery.cancel_scope.cancel()


async def has(store: WalStore, game: str, frames: list[Frame]) -> None:
    """Wait until the archive has exactly these frames of the game."""
    found: list[Frame] = []
    with trio.move_on_after(10):
        while found != frames:
            if store.keeps(game):
                found = await trio.to_thread.run_sync(store.read, game)
            await trio.lowlevel.checkpoint()
    assert found == frames


async def grow(store: JetStreamStore, game: str, chain: Chain, size: int = 0) -> None:
    before = chain.count
    frames = chain.grown(size)
    await (store.append(game, before, frames) if before else store.create(game, frames))


@pytest.fixture
def engine(tmp_path: Path) -> object:
    with nats(tmp_path / "nats") as running:
        yield running


async def test_the_archive_has_every_game_whatever_stops_it(engine: Nats, tmp_path: Path) -> None:
    """What was before it and what comes while it runs, appends of several messages and those
    without a record; stopped anywhere, and with its place lost, each frame stands there once."""
    data = tmp_path / "archive"
    games = {name: Chain(name) for name in ("a", "b", "c")}
    async with fleet_store(engine) as (store, js):
        for name, chain in games.items():
            await grow(store, name, chain)
        async with following(js, data) as (_, kept):
            for name, chain in games.items():
                await store.append(name, chain.count, chain.claimed(f"{name} one"))
                await grow(store, name, chain, 2 * PIECE_BYTES)
                await store.append(name, chain.count, chain.claimed(f"{name} two"))
                await has(kept, name, chain.frames)
        for number, place in enumerate(("", '{"streams": {"0": 2, "1": 1}}', "{", None)):
            for name, chain in games.items():
                await store.append(name, chain.count, chain.claimed(f"{name} again {number}"))
                if number % 2:
                    await grow(store, name, chain)
            if place is not None:
                (data / "archive.json").write_text(place)
            async with following(js, data) as (archive, kept):
                for name, chain in games.items():
                    await has(kept, name, chain.frames)
                assert archive.stopped == {}
        heard = js.engine.subscribe("archive.*")
        async with following(js, data) as (_, kept):
            with trio.fail_after(5):
                told = json.loads((await heard.receive()).payload)
            assert told == {"behind": 0, "games": 3, "stopped": 0}
    assert check(data) == []


async def test_a_game_that_does_not_go_on_stops_alone(engine: Nats, tmp_path: Path) -> None:
    """A record that does not follow, one told otherwise than before, and a message that does not
    open stop their game with its place; the others go on, and what is kept stays."""
    data = tmp_path / "archive"
    chains = {name: Chain(name) for name in ("forged", "changed", "shut", "sound")}
    async with fleet_store(engine) as (store, js):
        for name, chain in chains.items():
            await grow(store, name, chain)
            await grow(store, name, chain)
        async with following(js, data) as (_, kept):
            for name, chain in chains.items():
                await has(kept, name, chain.frames)
        before = {name: list(chain.frames) for name, chain in chains.items()}
        foreign = Frame(FRAME_RECORD, make(2, 2, "", SEAT, (), bytes(32)).data)
        await store.append("forged", 2, [foreign])
        shut = subject_of("shut", 2)
        await js.append(shut, b"\x01\x01 not sealed by us", identity="x", expected=None)
        chains["changed"].frames[0] = foreign
        (data / "archive.json").unlink()
        async with open_store(data) as kept:
            known = Archive(js, KEYS, 2, kept, data)
            frames = [Frame(FRAME_RECORD, make(1, 1, "", SEAT, ("x",), bytes(32)).data)]
            with pytest.raises(ValueError, match="another than the one that is kept"):
                await known._keep("changed", 1, frames)
        await grow(store, "sound", chains["sound"])
        async with following(js, data) as (archive, kept):
            await has(kept, "sound", chains["sound"].frames)
            with trio.fail_after(5):
                while len(archive.stopped) < 2:
                    await trio.lowlevel.checkpoint()
            assert set(archive.stopped) == {"forged", "shut"}
            assert "does not follow" in archive.stopped["forged"]
            for name in ("forged", "shut"):
                await has(kept, name, before[name])


async def test_games_are_brought_into_a_fleet(engine: Nats) -> None:
    """A game is brought with every frame; one that the fleet has in part is completed, one that it
    has is left, and one that goes on otherwise is refused and left as it is."""
    whole, other = Chain("g"), Chain("other")
    for size in (0, PIECE_BYTES, 5_000_000, 0):
        whole.grown(size)
        other.grown(size)
    assert [frame for part in appends(whole.frames, 100) for frame in part] == whole.frames
    async with fleet_store(engine) as (store, _):
        assert await bring(store, "g", whole.frames[:6]) == 2
        assert await bring(store, "g", whole.frames) == 2
        assert await bring(store, "g", whole.frames) == 0
        assert await bring(store, "g", whole.frames[:3]) == 0
        with pytest.raises(Differs):
            await bring(store, "g", other.frames)
        assert await trio.to_thread.run_sync(store.read, "g") == whole.frames


async def test_a_game_out_of_the_archive_audits_sound(engine: Nats, tmp_path: Path) -> None:
    """A whole game that went through the engine append by append: its file from the archive is
    byte for byte what it was, and the audit finds it sound."""
    played = whole()
    data = played.file()
    game = Genesis.from_record(played.records[0]).game
    frames = [frame for frame in parse(data).frames if frame.kind != FRAME_END]
    async with fleet_store(engine) as (store, js):
        count = 0
        for part in appends(frames, 1):
            await (store.append(game, count, part) if count else store.create(game, part))
            count += sum(frame.kind == FRAME_RECORD for frame in part)
        async with following(js, tmp_path / "archive") as (_, kept):
            await has(kept, game, frames)
    made = exported(tmp_path / "archive", game)
    report = audited(made, played.key)
    assert report.code() == 0 and check(tmp_path / "archive") == []
    assert parse(made).records == parse(data).records
