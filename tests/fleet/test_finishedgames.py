"""Games that are over leave the engine once an archive has them for good, and come back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import frozen

from tests.audit.attacked import whole
from tests.fleet.test_cards import row, streams
from tests.nats.rig import Nats, client, nats, ready
from tests.toys import TOYS
from warledger.clients.audit.audit import Rulebook
from warledger.clients.commands.server.gamefinisher import judged, sealed
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.serve.fleet.failover import first_for
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.fleet.cards import Card, Cards, is_archived
from warledger.engine.store.fleet.finishedgames import FOLDER, Finished, Finishing
from warledger.engine.store.fleet.fleetarchive import Archive, appends, bring
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.logrepair import heal
from warledger.engine.store.fleet.nodemessages import Nodes
from warledger.engine.store.fleet.publicstream import Projector, public_frames
from warledger.engine.store.fleet.retirement import Retiring
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import subject_of
from warledger.engine.store.port import FRAME_META, FRAME_RECORD, Frame, UnknownGame
from warledger.protocol.log.records import Genesis
from warledger.protocol.log.wlog import FRAME_END, parse

KEYS = DataKeys.of({1: bytes(32)}, 1)
GAME = Genesis.from_record(whole().records[0]).game
FRAMES = [frame for frame in parse(whole().file()).frames if frame.kind != FRAME_END]
RULES = Rulebook(TOYS.__getitem__, lambda _: Genesis.from_record(whole().records[0]).digest)
RECORDS = sum(frame.kind == FRAME_RECORD for frame in FRAMES)


class Killed(Exception):
    """The process ends here."""


@frozen
class Node:
    """What of a node takes part: its store, cards, public streams, and what it removes."""

    store: JetStreamStore
    cards: Cards
    retiring: Retiring


async def called(game: str, call: Callable[[], Awaitable[None]]) -> None:
    await call()


@asynccontextmanager
async def node(engine: Nats, name: str) -> AsyncIterator[Node]:
    opened = open_jetstream(engine.settings(), KEYS, shards=1, name=name)
    async with opened as store, trio.open_nursery() as nursery:
        cards, nodes = Cards(store.engine), Nodes(store.engine, name)
        projector = Projector.of(store)
        nursery.start_soon(projector.run)
        await nursery.start(cards.run)
        await nursery.start(nodes.run)
        cards.when_archived = store.forget
        log = type("Log", (), dict.fromkeys(("info", "error", "warning"), lambda *_, **__: 0))()
        retiring = Retiring(store, nodes, cards, first_for, projector.place, called, log)
        if name == "n1":
            for part in appends(FRAMES, 2000):
                count = 0 if GAME not in store._ids else store._games[GAME].records
                await (store.append(GAME, count, part) if count else store.create(GAME, part))
            projector.want(GAME, RECORDS)
            await projector.settle(GAME)
            card = Card(row(GAME, RECORDS - 1, stage="ended"))
            await cards.write(GAME, card.packed(), 0)
        yield Node(store, cards, retiring)
        nursery.cancel_scope.cancel()


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    with nats(tmp_path / "nats") as running:
        yield running


@asynccontextmanager
async def archive(js: JetStream, data: Path, **given: Any) -> AsyncIterator[Finishing]:
    """An archive that has everything; its games leave after no time at all."""
    given = {"after_ms": 0, "judge": partial(judge), **given}
    async with open_store(data) as kept, trio.open_nursery() as nursery:
        following, cards = Archive(js, KEYS, 1, kept, data), Cards(js.engine)
        while await following.catch_up():
            pass
        await nursery.start(cards.run)
        yield Finishing(
            js, cards, 1, kept, data, seal=sealed, now_ms=lambda: 1_800_000_000_000, **given
        )
        nursery.cancel_scope.cancel()


def judge(data: bytes) -> str:
    return judged(data, keys=[whole().key.verify_key.encode()], rulebook=RULES)


async def left(js: JetStream) -> list[int]:
    """How many messages the engine has, private and public."""
    told = [await js.describe(name) for name in ("WG0", "WP0")]
    return [int(one["state"]["messages"]) for one in told]


def unclaimed(frames: list[Frame]) -> list[Frame]:
    return [frame for frame in frames if claimed_in([frame]) is None]


async def said_by(finishing: Finishing) -> Finished | None:
    """What the archive says of the game."""
    heard = finishing.js.engine.subscribe("finished.*")
    await finishing.look()
    with trio.move_on_after(0.5):
        message = await heard.receive()
        assert message.subject == f"finished.{GAME}"
        return Finished.read(message.payload)
    return None


async def test_a_finished_game_leaves_whoever_is_killed_and_comes_back(
    engine: Nats, tmp_path: Path
) -> None:
    """Killed after any step nothing is lost and the next node completes it; a node that knew the
    game holds nothing for damaged; receipts do not bring it back; the archive does, with every
    frame, also beside one that removes it once more and comes too late."""
    async with client(engine.settings()) as one, AsyncExitStack() as stack:
        js = JetStream(await ready(one))
        await streams(js)
        async with node(engine, "n1"):
            pass  # and it is gone, with the game in its name
        others = await stack.enter_async_context(node(engine, "n9"))
        assert unclaimed(await others.store.frames(GAME)) == FRAMES
        finishing = await stack.enter_async_context(archive(js, tmp_path / "archive"))
        finished = await said_by(finishing)
        assert finished == Finished.of(FRAMES)
        assert judge((tmp_path / "archive" / FOLDER / f"{GAME}.wlog").read_bytes()) == ""
        steps = ("claim", "retire", "write", "purge", "purge")
        for number, step in enumerate(steps[:-1]):
            async with node(engine, f"k{number}") as dying:
                at = {"claim": dying.store, "retire": dying.store, "write": dying.cards}
                on: Any = at.get(step, dying.retiring._js)
                done = getattr(on, step)

                async def then(*given: Any, done: Any = done) -> None:
                    await done(*given)
                    raise Killed

                setattr(on, step, then)
                if step != "claim" and number > 1:
                    # What was done before is not done again.
                    dying.store.retire = None  # type: ignore[method-assign, assignment]
                try:
                    await dying.retiring.retire(GAME, finished)
                except Killed:
                    pass
                else:
                    pytest.fail(step)
            assert await others.store.finds(GAME)
            assert unclaimed(await others.store.frames(GAME)) == FRAMES, step
        assert await is_archived(js, GAME) and (await left(js))[1] == 0
        last = await others.store.last_of(GAME)
        async with node(engine, "n2") as completing:
            with trio.fail_after(10):
                assert await completing.retiring.retire(GAME, finished)
        assert await left(js) == [0, 0]
        with pytest.raises(UnknownGame):
            await others.store.frames(GAME)
        assert others.store.health().damaged == () and not others.store.keeps(GAME)
        assert await said_by(finishing) is None

        async with open_jetstream(engine.settings(), KEYS, shards=1) as plain:
            assert await heal(plain, KEYS, []) == []
            kept = await trio.to_thread.run_sync(finishing.store.read, GAME)
            assert await bring(plain, GAME, kept) == RECORDS
        await js.purge("WG0", subject_of(GAME, 1), last)  # whoever slept until now
        assert await others.store.finds(GAME)
        owner = await others.store.look(GAME)
        assert await others.store.claim(GAME, {owner})
        assert unclaimed(await others.store.frames(GAME)) == FRAMES
        assert public_frames(await others.store.frames(GAME)) == public_frames(FRAMES)


async def test_nothing_is_removed_that_differs_or_is_not_sound(
    engine: Nats, tmp_path: Path
) -> None:
    """A frame more or less here or there, a card that tells another length, an audit that finds
    something, a game that is too young: nothing is said, or nothing is done."""
    async with client(engine.settings()) as one, node_there(engine, one) as (js, here):
        before = await left(js)
        async with archive(js, tmp_path / "archive") as finishing:
            finished = await said_by(finishing)
            assert finished is not None
        for frames in (FRAMES[:-1], [*FRAMES, Frame(FRAME_META, b"x")], [FRAMES[1], *FRAMES[1:]]):
            assert not await here.retiring.retire(GAME, Finished.of(frames))
        await here.store.append(GAME, RECORDS, [Frame(FRAME_META, b"later")])
        assert not await here.retiring.retire(GAME, finished)
        unfit: list[dict[str, Any]] = [
            {"judge": lambda _: "forged"},
            {"after_ms": 10**15},
            {"stopped": lambda _: True},
        ]
        for number, given in enumerate(unfit):
            async with archive(js, tmp_path / str(number), **given) as finishing:
                assert await said_by(finishing) is None
        async with archive(js, tmp_path / "archive") as finishing:
            finished = await said_by(finishing)
        assert finished is not None
        sequence, _ = await here.cards.newest(GAME)
        for stage, seq, due in (
            ("playing", RECORDS - 1, False),
            ("ended", RECORDS - 2, False),
            ("ended", RECORDS - 1, True),
        ):
            card = Card(row(GAME, seq, stage=stage), "", due)
            sequence = await here.cards.write(GAME, card.packed(), sequence)
            assert not await here.retiring.retire(GAME, finished)
        assert await left(js) == [before[0] + 1, before[1]] and not await is_archived(js, GAME)
        card = Card(row(GAME, RECORDS - 1, stage="ended"))
        await here.cards.write(GAME, card.packed(), sequence)
        assert await here.retiring.retire(GAME, finished)
        assert await left(js) == [0, 0]


@asynccontextmanager
async def node_there(engine: Nats, one: Any) -> AsyncIterator[tuple[JetStream, Node]]:
    js = JetStream(await ready(one))
    await streams(js)
    async with node(engine, "n1") as here:
        yield js, here
