"""Receipts beside the engine, and what `fleet heal` makes of them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from tests.fleet.chained import Chain
from tests.nats.rig import Nats, client, nats, ready
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.store.fleet.fleetstreams import private_stream
from warledger.engine.store.fleet.jetstream import JetStreamStore, owner_meta
from warledger.engine.store.fleet.logrepair import Healed, heal
from warledger.engine.store.fleet.receipts import KEPT_MS, Receipts, open_receipts, read_receipts
from warledger.engine.store.fleet.sealedmessages import PIECE_BYTES, DataKeys
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.port import Conflict, Fenced, Frame

KEYS = DataKeys.of({1: bytes(32)}, 1)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Nats]:
    with nats(tmp_path / "nats") as running:
        yield running


@asynccontextmanager
async def made(engine: Nats) -> AsyncIterator[JetStream]:
    """One private stream, from which a message can be taken behind everybody's back."""
    async with client(engine.settings()) as one:
        js = JetStream(await ready(one))
        name, subjects, config = private_stream(0, 1)
        await js.make(name, subjects, **config | {"deny_delete": False})
        yield js


@asynccontextmanager
async def noted(engine: Nats, data: Path) -> AsyncIterator[JetStreamStore]:
    """A store that keeps receipts."""
    async with (
        open_receipts(data) as receipts,
        open_jetstream(engine.settings(), KEYS, shards=1, receipts=receipts) as store,
    ):
        yield store


async def healed(engine: Nats, *data: Path) -> list[Healed]:
    async with open_jetstream(engine.settings(), KEYS, shards=1) as store:
        return await heal(store, KEYS, [one for folder in data for one in read_receipts(folder)])


async def kept(engine: Nats, game: str) -> list[Frame]:
    async with open_jetstream(engine.settings(), KEYS, shards=1) as store:
        return await trio.to_thread.run_sync(store.read, game)


async def lose(js: JetStream, game: str, count: int) -> None:
    """Take the newest messages of a game out of the engine."""
    for _ in range(count):
        newest = await js.last("WG0", f"wg.0.{game}", from_leader=True)
        assert newest is not None
        await js.api("STREAM.MSG.DELETE.WG0", {"seq": newest.sequence, "no_erase": True})


async def put(store: JetStreamStore, chain: Chain, *frames: Frame, size: int = 0) -> None:
    """Append a record, or frames that hold none."""
    before = chain.count
    own = list(frames) or chain.grown(size)
    await (
        store.append(chain.name, before, own) if before or frames else store.create(chain.name, own)
    )


async def test_what_the_engine_lost_at_an_end_comes_back(engine: Nats, tmp_path: Path) -> None:
    """Records with all that stood beside and between them, appends of several messages among them,
    but no claim; a whole game and a second run change nothing, and whatever was lost entirely is
    there again."""
    data = tmp_path / "node"
    chains = [Chain("lost"), Chain("whole"), Chain("gone")]
    async with made(engine) as js:
        async with noted(engine, data) as store:
            for chain in chains:
                await put(store, chain)
                await put(store, chain)
                await put(store, chain, size=2 * PIECE_BYTES)
                await put(store, chain, *chain.claimed("a token"))
                await put(store, chain, owner_meta("node-1", 5))
                await put(store, chain)
        await lose(js, "lost", 6)
        await lose(js, "gone", 8)
        before = (await js.describe("WG0"))["state"]["last_seq"]
        assert await healed(engine, data) == [Healed("gone", 4), Healed("lost", 2)]
        for chain in chains:
            assert [
                one for one in await kept(engine, chain.name) if b"owner" not in one.payload
            ] == (chain.frames)
        after = (await js.describe("WG0"))["state"]["last_seq"]
        assert after > before and await healed(engine, data, data) == []
        assert (await js.describe("WG0"))["state"]["last_seq"] == after


async def test_nothing_is_put_back_that_was_never_stored_or_is_not_the_end(
    engine: Nats, tmp_path: Path
) -> None:
    """An append that was fenced, one behind which others have written something else since, and a
    hole in the middle: each game stays as it is."""
    one_data, two_data = tmp_path / "one", tmp_path / "two"
    async with made(engine) as js:
        fenced, other, hole = Chain("fenced"), Chain("other"), Chain("hole")
        async with noted(engine, one_data) as one, noted(engine, two_data) as two:
            for chain in (fenced, other, hole):
                await put(one, chain)
                await put(one, chain)
            while not two.keeps("fenced"):
                await trio.lowlevel.checkpoint()
            rival = Chain("fenced")
            rival.count, rival.hash = fenced.count, fenced.hash
            await trio.to_thread.run_sync(two.read, "fenced")
            await put(one, fenced)
            with pytest.raises(Fenced):
                await two.append("fenced", 2, rival.grown(3))
        await lose(js, "fenced", 1)
        assert await healed(engine, two_data) == []
        assert await kept(engine, "fenced") == fenced.frames[:6]
        await lose(js, "other", 1)
        async with open_jetstream(engine.settings(), KEYS, shards=1) as store:
            otherwise = Chain("other")
            otherwise.grown()
            await store.append("other", 1, otherwise.grown(7))
        await js.api("STREAM.MSG.DELETE.WG0", {"seq": await first(js, "hole"), "no_erase": True})
        found = await healed(engine, one_data)
        assert [(one.game, one.records) for one in found] == [("fenced", 1), ("hole", 0)]
        assert "record 1 stands where record 0 should" in found[1].what
        assert await kept(engine, "other") == otherwise.frames
        assert await kept(engine, "fenced") == fenced.frames


async def first(js: JetStream, game: str) -> int:
    """The sequence of a game's first message."""
    found = await js.after("WG0", f"wg.0.{game}", 0, from_leader=True)
    assert found is not None
    return found.sequence


async def test_an_append_is_answered_once_its_receipt_is_kept(engine: Nats, tmp_path: Path) -> None:
    """Not before, though the engine has it; and where receipts cannot be written the games go on,
    and it is said once."""
    said: list[str] = []
    async with made(engine) as js:
        receipts = Receipts(tmp_path / "node" / "receipts", lambda: 1, print)
        settings = engine.settings()
        async with (
            open_jetstream(settings, KEYS, shards=1, receipts=receipts) as store,
            trio.open_nursery() as nursery,
        ):
            chain, is_done = Chain("g"), trio.Event()

            @nursery.start_soon
            async def create() -> None:
                await put(store, chain)
                is_done.set()

            while await js.last("WG0", "wg.0.g", from_leader=True) is None:
                pass
            assert not is_done.is_set() and list(read_receipts(tmp_path / "node")) == []
            nursery.start_soon(receipts.run)
            await is_done.wait()
            [receipt] = [one for one in read_receipts(tmp_path / "node") if one.messages]
            assert (receipt.game, receipt.behind, receipt.at_ms) == ("g", 0, 1)
            assert b"secret" not in b"".join(receipt.messages)
            nursery.cancel_scope.cancel()
        receipts.close()
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "receipts").write_text("no folder")
        async with (
            open_receipts(tmp_path / "full", log=lambda event, **_: said.append(event)) as full,
            open_jetstream(settings, KEYS, shards=1, receipts=full) as store,
        ):
            await put(store, chain)
            await put(store, chain)
            assert said == ["receipts stop"] and full.failure
            with pytest.raises(Conflict):
                await store.append("g", 9, chain.grown())


async def test_receipts_are_read_as_far_as_they_are_whole_and_kept_for_a_week(
    tmp_path: Path,
) -> None:
    """Cut or changed at any byte what stands before is read; the files of more than a week ago go
    when a new one begins. An error beside them comes out as it is."""
    folder = tmp_path / "receipts"
    with pytest.raises(KeyError):
        async with open_receipts(tmp_path):
            raise KeyError
    async with open_receipts(tmp_path, now_ms=lambda: 1) as receipts:
        for number in range(3):
            await receipts.keep("wg.0.g", f"g.{number}", number, [bytes([number]) * 5])
            await receipts.keep("wg.0.g", f"g.{number}", number, [b"sent again"])
            receipts.stored("wg.0.g", f"g.{number}", number + 1)
            await receipts.keep("wg.1.h", f"h.{number}", 0, [b"x"])
    [file] = sorted(folder.iterdir())
    assert file.stat().st_mode & 0o777 == 0o600
    whole, data = list(read_receipts(tmp_path)), file.read_bytes()
    assert [one.name for one in whole if not one.messages] == ["g.0", "g.1", "g.2"]
    assert [one.messages for one in whole if one.game == "g" and one.messages] == [
        (bytes([number]) * 5,) for number in range(3)
    ]
    for end in range(0, len(data), 7):
        file.write_bytes(data[:end])
        found = list(read_receipts(tmp_path))
        assert found == whole[: len(found)] and len(found) < len(whole)
        file.write_bytes(data[:end] + bytes([data[end] ^ 1]) + data[end + 1 :])
        found = list(read_receipts(tmp_path))
        assert found == whole[: len(found)] and len(found) < len(whole)
    os.utime(file, (1, 1))
    async with open_receipts(tmp_path, now_ms=lambda: 1000 + KEPT_MS) as receipts:
        await receipts.keep("wg.0.g", "g.9", 9, [b"x"])
        assert file.exists()
    async with open_receipts(tmp_path, now_ms=lambda: 1001 + KEPT_MS) as receipts:
        await receipts.keep("wg.0.g", "g.10", 9, [b"x"])
    assert not file.exists() and len(list(folder.iterdir())) == 2


async def test_receipts_that_nobody_waits_for_cost_no_sync_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of one turn of the loop share a sync, and what the engine answered goes out with them;
    at the end it is written all the same."""
    writes: list[int] = []
    write = Receipts._write
    monkeypatch.setattr(
        Receipts, "_write", lambda self, data: (writes.append(len(data)), write(self, data))[1]
    )
    async with open_receipts(tmp_path) as receipts:
        for turn in range(3):
            async with trio.open_nursery() as nursery:
                for game in range(20):
                    subject, name = f"wg.0.g{game}", f"g{game}.{turn}"
                    nursery.start_soon(receipts.keep, subject, name, turn, [b"x"])
            for game in range(20):
                receipts.stored(f"wg.0.g{game}", f"g{game}.{turn}", turn + 1)
        assert len(writes) <= 12  # of 120 receipts
        writes.clear()
        for number in range(20):
            await receipts.keep("wg.0.g", f"g.{number}", number, [b"x"])
            receipts.stored("wg.0.g", f"g.{number}", number + 1)
    assert len(writes) <= 30  # not one more for each answer
    found = list(read_receipts(tmp_path))
    assert len(found) == receipts.kept == 160
    assert sum(not one.messages for one in found) == 80
