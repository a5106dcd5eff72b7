"""The public stream of a game: the public part of the private one, in its order, whoever writes."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.fleet.chained import Chain
from tests.nats.rig import Nats, client, nats, ready
from warledger.engine.nats.jetstreamapi import JetStream, Kept, Stored
from warledger.engine.nats.natsport import Unknown
from warledger.engine.store.files.gamefile import encode_addition
from warledger.engine.store.fleet.fleetstreams import Fleet
from warledger.engine.store.fleet.publicstream import (
    MESSAGE_BYTES,
    PIECE,
    Place,
    Projector,
    public_frames,
    public_subject,
)
from warledger.engine.store.port import FRAME_HEAD, FRAME_RECORD, Frame
from warledger.protocol.log.wlog import FRAME_WITNESS


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Nats]:
    with nats(tmp_path / "nats") as running:
        yield running


@asynccontextmanager
async def public(engine: Nats) -> AsyncIterator[JetStream]:
    async with client(engine.settings()) as one:
        js = JetStream(await ready(one))
        for stream in Fleet(shards=1, replicas=1).streams():
            await js.make(stream.name, stream.subjects, **stream.config)
        yield js


class Faulty(JetStream):
    """JetStream, of which answers are lost as chance has it: some of them after it was carried
    out."""

    def __init__(self, engine: Any, rng: random.Random) -> None:
        super().__init__(engine)
        self._rng = rng

    async def append(self, *args: Any, **options: Any) -> Any:
        chance = self._rng.random()
        if chance < 0.15:
            raise Unknown("lost on the way there")
        stored = await super().append(*args, **options)
        if chance < 0.3:
            raise Unknown("the answer is lost")
        return stored


def reading(chain: Chain) -> Any:
    """Reads a game as a store does: from the record with this index on."""

    async def read(game: str, after: int) -> list[Frame]:
        await trio.lowlevel.checkpoint()
        at = [n for n, frame in enumerate(chain.frames) if frame.kind == FRAME_RECORD]
        return chain.frames[at[after] :] if after else list(chain.frames)

    return read


async def stream_of(js: JetStream, game: str) -> tuple[bytes, list[Kept]]:
    """What stands in the public stream."""
    found: list[Kept] = []
    while True:
        more, _ = await js.read(
            "WP0",
            public_subject(game, 1),
            found[-1].sequence if found else 0,
            most=99,
            most_bytes=10**7,
        )
        if not more:
            return b"".join(one.payload for one in found), found
        found += more


def said(frames: list[Frame]) -> bytes:
    return b"".join(encode_addition([frame], new_file=False).data for frame in frames)


async def test_whoever_writes_the_public_stream_writes_the_same_bytes(engine: Nats) -> None:
    """Two who both hold themselves for the owner, answers that are lost, records that are cut, a
    head that comes late: at every instant a prefix of the game's public part, and at the end all of
    it; openings and bookkeeping are nowhere in it."""
    seed = 5
    rng = random.Random(seed)
    chain = Chain("g")
    async with public(engine) as js, trio.open_nursery() as nursery:
        both = [Projector(Faulty(js.engine, rng), 1, reading(chain)) for _ in range(2)]
        for one in both:
            nursery.start_soon(one.run)
        for number in range(40):
            chain.grown(3 * MESSAGE_BYTES if number % 10 == 4 else number)
            if number % 7 == 3:
                chain.claimed("a token")
                chain.frames.append(Frame(FRAME_HEAD, b"a later head"))
                chain.frames.append(Frame(FRAME_WITNESS, b"witnessed"))
            both[number % 2].want("g", chain.count)
            if number % 5 == 0:
                both[0].want("g", chain.count)
                both[0].forget("g")  # the old owner is gone in the middle
            if number % 3 == 0:
                with trio.fail_after(20):
                    await both[1].settle("g")
                found, _ = await stream_of(js, "g")
                assert said(public_frames(chain.frames)).startswith(found), f"seed {seed}"
        both[0].want("g", chain.count)
        with trio.fail_after(20):
            await both[0].settle("g")
        found, kept = await stream_of(js, "g")
        assert found == said(public_frames(chain.frames)), f"seed {seed}"
        assert both[0].behind == 0 and any(PIECE in one.headers for one in kept)
        assert b"secret" not in found and b"token" not in found
        newest = Place.of(kept[-1])
        assert (newest.records, newest.pieces, newest.last) == (chain.count, 0, kept[-1].sequence)
        nursery.cancel_scope.cancel()


async def test_a_game_that_is_forgotten_and_wanted_again_at_once_is_written_once(
    engine: Nats,
) -> None:
    """A node that loses a game and gets it back before it came to write anything writes each frame
    once."""
    chain = Chain("g")
    async with public(engine) as js, trio.open_nursery() as nursery:
        one = Projector(js, 1, reading(chain))
        nursery.start_soon(one.run)
        for _ in range(3):
            chain.grown()
            one.want("g", chain.count)
            one.forget("g")
            one.want("g", chain.count)
            with trio.fail_after(10):
                await one.settle("g")
            found, _ = await stream_of(js, "g")
            assert found == said(public_frames(chain.frames))
            one.forget("g")
        nursery.cancel_scope.cancel()


class Instant:
    """JetStream that stores at once. `messages` are what it was given, with when."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, float, bytes]] = []

    async def last(self, *_: Any, **__: Any) -> None:
        await trio.lowlevel.checkpoint()

    async def append(self, subject: str, payload: bytes, **_: Any) -> Stored:
        await trio.lowlevel.checkpoint()
        self.messages.append((subject, trio.current_time(), payload))
        return Stored("WP0", len(self.messages))


@pytest.mark.parametrize(("games", "most"), [(1, 20), (40, 12)])
async def test_a_busy_node_writes_several_appends_of_a_game_as_one_message(
    games: int, most: int, autojump_clock: trio.testing.MockClock
) -> None:
    """Twenty commands a game, fifty a second: where one game is played each is written within ten
    milliseconds, where forty are they share messages, and none waits for longer than a quarter of a
    second."""
    chains = {f"g{number}": Chain(f"g{number}") for number in range(games)}
    js: Any = Instant()
    one = Projector(js, 1, lambda game, after: reading(chains[game])(game, after))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run)
        for _ in range(20):
            for name, chain in chains.items():
                chain.grown()
                one.want(name, chain.count)
            await trio.sleep(0.02)
            assert one.lag < (0.01 if games == 1 else 0.25)
        await one.settle_all()
        for name, chain in chains.items():
            found = [data for subject, _, data in js.messages if subject.endswith(f".{name}")]
            assert b"".join(found) == said(public_frames(chain.frames))
            assert len(found) <= most
        nursery.cancel_scope.cancel()


async def test_the_public_sees_no_more_than_it_may(engine: Nats) -> None:
    """With a delay the stream ends with what was allowed; a new owner that allows less takes
    nothing back and adds nothing; many records go as one message."""
    chain = Chain("g")
    for _ in range(30):
        chain.grown()
    async with public(engine) as js:
        live = js.engine.subscribe("live.>")
        for allowed, expected in ((12, 12), (5, 12), (13, 13), (30, 30)):
            async with trio.open_nursery() as nursery:
                one = Projector(js, 1, reading(chain))
                nursery.start_soon(one.run)
                one.want("g", allowed)
                with trio.fail_after(10):
                    await one.settle("g")
                nursery.cancel_scope.cancel()
            found, kept = await stream_of(js, "g")
            assert found == said(public_frames(chain.frames, expected))
        assert len(kept) == 3
        with trio.fail_after(5):
            heard = [(await live.receive()).payload for _ in range(3)]
        assert b"".join(heard) == found
