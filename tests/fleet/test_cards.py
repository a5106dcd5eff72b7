"""Cards: every list of a fleet, at whatever node or edge, without asking for any game."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.nats.rig import Nats, client, nats, ready
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.nats.natsport import Missed
from warledger.engine.store.fleet.cards import Card, Cards, NotWritten, card_subject
from warledger.engine.store.fleet.fleetstreams import Fleet
from warledger.engine.store.port import Frame
from warledger.protocol import canon


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Nats]:
    with nats(tmp_path / "nats") as running:
        yield running


def row(game: str, seq: int, **more: Any) -> dict[str, Any]:
    """A game as lists tell it, as long as one of War at Sea is there."""
    told = {
        "game": game, "title": "war_at_sea", "version": "1.4.2", "stage": "playing", "seq": seq,
        "seats": (("allied", "Wilhelmina of Orange"), ("axis", "Maximilian Streicher")),
        "awaits": ("allied", "axis"), "frozen": False, "claims": (), "held_ms": 0,
        "winner": None, "reason": None, "at_ms": 1_790_000_000_000, "delay_s": 0,
        "created_ms": 1_790_000_000_000, "clock": ("fischer", 3_600_000, 30_000),
        "deadline_ms": 1_790_000_100_000, "turn": (4, 8),
        "score": {"told": "points", "points": (("allied", 12), ("axis", 9))},
        "round": ("spring-open", 3), "viewers": 0, "unsigned": (),
    }  # fmt: skip
    return canon.ordered({**told, **more})


def card(game: str, seq: int, **more: Any) -> bytes:
    due = more.pop("due", False)
    return Card(row(game, seq, **more), "0123456789abcdef", due, bytes(8)).packed()


async def streams(js: JetStream) -> None:
    for stream in Fleet(shards=1, replicas=1).streams():
        await js.make(stream.name, stream.subjects, **stream.config)


async def test_five_thousand_games_are_listed_from_their_cards(engine: Nats) -> None:
    """A reader that starts has them within two seconds of CPU, holds less than a kilobyte for each,
    and asks nothing more for a list; the stages are told apart without reading the cards."""
    count = 5000
    async with client(engine.settings()) as one, trio.open_nursery() as nursery:
        js = JetStream(await ready(one))
        await streams(js)
        limit = trio.CapacityLimiter(200)

        async def write(number: int) -> None:
            async with limit:
                game = f"game{number:05}"
                stage = "ended" if number % 5 else "playing"
                said = card(game, 600, stage=stage, due=number % 100 == 0)
                await js.append(card_subject(game), said, identity="", expected=0, seconds=20)

        async with trio.open_nursery() as writing:
            for number in range(count):
                writing.start_soon(write, number)
        began = time.process_time()
        cards = Cards(js.engine)
        await nursery.start(cards.run)
        took = time.process_time() - began
        assert len(cards) == count and len(cards.due()) == count // 100
        assert took < 2, took
        tracemalloc.start()
        again = Cards(js.engine)
        await nursery.start(again.run)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{took:.2f} s of CPU, {held / count:.0f} bytes a game")
        assert len(again) == count and held / count < 1000
        before = cards.reads
        ids = cards.ids()
        assert len(cards.ids("playing")) == count // 5
        told = cards.of(ids[7])
        assert told is not None and told.row == row(ids[7], 600, stage="ended")
        assert cards.reads == before
        nursery.cancel_scope.cancel()


class Leaky:
    """An engine of which live messages are lost as chance has it, and silently."""

    def __init__(self, inner: Any, rng: random.Random) -> None:
        self._inner = inner
        self._rng = rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def subscribe(self, subject: str, **options: Any) -> Any:
        heard = self._inner.subscribe(subject, **options)
        return heard if subject != "cardlive.>" else _Leaking(heard, self._rng)


class _Leaking:
    def __init__(self, heard: Any, rng: random.Random) -> None:
        self._heard = heard
        self._rng = rng

    async def receive(self) -> Any:
        while True:
            message = await self._heard.receive()
            if self._rng.random() > 0.3:
                return message
            if self._rng.random() < 0.1:
                raise Missed("the reader was too slow")

    def close(self) -> None:
        self._heard.close()


async def test_cards_whose_news_is_lost_are_read(
    engine: Nats, monkeypatch: pytest.MonkeyPatch, any_seed: int
) -> None:
    """Of what is said live a third is lost on the way, the last of it too: a follower ends with
    what the stream holds."""
    rng = random.Random(any_seed)
    monkeypatch.setattr("warledger.engine.store.fleet.cards.LOOK_SECONDS", 0.1)
    async with client(engine.settings()) as one, trio.open_nursery() as nursery:
        js = JetStream(await ready(one))
        await streams(js)
        cards = Cards(Leaky(js.engine, rng))
        await nursery.start(cards.run)
        newest: dict[str, bytes] = {}
        for seq in range(400):
            game = f"g{rng.randrange(20)}"
            newest[game] = card(game, seq, due=rng.random() < 0.5)
            await js.append(card_subject(game), newest[game], identity="", expected=None)
        with trio.fail_after(20):
            while any(
                (found := cards.of(game)) is None or found.packed() != said
                for game, said in newest.items()
            ):
                await trio.lowlevel.checkpoint()
        due = {game for game, said in newest.items() if (it := Card.read(said)) and it.due}
        assert set(cards.due()) == due
        assert cards.gaps
        nursery.cancel_scope.cancel()


async def test_a_card_is_written_behind_the_one_that_its_writer_knows(engine: Nats) -> None:
    """A node that was held for dead does not write over what the new owner has written since; a
    card of a later form is left alone by a reader that does not know it."""
    async with client(engine.settings()) as one, trio.open_nursery() as nursery:
        js = JetStream(await ready(one))
        await streams(js)
        cards = Cards(js.engine)
        await nursery.start(cards.run)
        assert await cards.newest("g") == (0, None)
        first = await cards.write("g", card("g", 1), 0)
        second = await cards.write("g", card("g", 2), first)
        with pytest.raises(NotWritten):
            await cards.write("g", card("g", 3), first)
        sequence, found = await cards.newest("g")
        assert (sequence, found and found.row["seq"]) == (second, 2)
        later = canon.pack((99, {"game": "g"}, "what else", 1))
        await cards.write("g", later, second)
        with trio.fail_after(5):
            while cards.of("g") is not None:
                await trio.lowlevel.checkpoint()
        assert cards.ids() == ["g"]
        nursery.cancel_scope.cancel()


async def test_an_edges_account_reads_every_card(tmp_path: Path) -> None:
    """What the account PUBLIC may name is enough for the reader: direct reads of WCARDS and what is
    said live."""
    from tests.fleet.test_accounts import prepare
    from tests.nats.rig import serving
    from warledger.clients.commands.demos.fleetdemo import free_ports
    from warledger.engine.store.fleet import fleetadmin

    [port] = free_ports(1)
    url, keys = f"nats://127.0.0.1:{port}", tmp_path / "keys"
    made, _ = prepare(keys, url)
    with serving(made.servers[0]):
        async with fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as node:
            for stream in Fleet(shards=1, replicas=1).streams():
                await node.make(stream.name, stream.subjects, **stream.config)
            owner = Cards(node.engine)
            first = await owner.write("early", card("early", 5), 0)
            async with (
                fleetadmin.reached(fleetadmin.Where.of(url, keys=keys, role="edge")) as edge,
                trio.open_nursery() as nursery,
            ):
                cards = Cards(edge.engine)
                with trio.fail_after(10):
                    await nursery.start(cards.run)
                    assert cards.ids() == ["early"]
                    await owner.write("late", card("late", 1), 0)
                    await owner.write("early", card("early", 6), first)
                    while cards.ids() != ["early", "late"] or not _at(cards, "early", 6):
                        await trio.lowlevel.checkpoint()
                    with pytest.raises(NotWritten):
                        await cards.write("early", card("early", 7), 2)
                nursery.cancel_scope.cancel()


async def test_an_edge_cannot_make_news_for_other_edges(tmp_path: Path) -> None:
    """It can have the engine's answers sent to the subjects that the others follow. Neither a
    refusal nor another game's messages there change what they show, or end them."""
    from tests.fleet.test_accounts import prepare
    from tests.nats.rig import serving
    from warledger.clients.commands.demos.fleetdemo import free_ports
    from warledger.engine.store.fleet import fleetadmin
    from warledger.engine.store.fleet.publicgames import PublicStore
    from warledger.engine.store.fleet.publicstream import public_frames

    from .test_publicgames import game_of, stream_of

    [port] = free_ports(1)
    url, keys = f"nats://127.0.0.1:{port}", tmp_path / "keys"
    made, _ = prepare(keys, url)
    at = fleetadmin.Where.of(url, keys=keys, role="edge")
    with serving(made.servers[0]):
        async with (
            fleetadmin.reached(fleetadmin.Where.of(url, keys=keys)) as node,
            fleetadmin.reached(at) as hostile,
            fleetadmin.reached(at) as honest,
            trio.open_nursery() as nursery,
        ):
            for stream in Fleet(shards=1, replicas=1).streams():
                await node.make(stream.name, stream.subjects, **stream.config)
            owner = Cards(node.engine)
            game, told = await game_of()
            told = public_frames(told)
            frames, subject = stream_of(told), f"wp.0.{game}"
            for kept in frames[:-1]:
                await node.append(
                    subject, kept.payload, identity="", expected=None, headers=kept.headers
                )
            await owner.write("one", card("one", 1), 0)
            for _ in range(5):
                await node.append("wp.0.z", b"other", identity="", expected=None)
            cards, store = Cards(honest.engine), PublicStore(honest.engine, 1)
            seen: list[Frame] = []

            async def follow() -> None:
                async for some in store.follow(game):
                    seen.extend(some)

            await nursery.start(cards.run)
            nursery.start_soon(follow)
            said = honest.engine.subscribe("live.-")
            with trio.fail_after(10):
                while not seen:
                    await trio.lowlevel.checkpoint()
                await honest.last("WP0", "wp.0.z", from_leader=False)
                for reply in (f"live.{game}", "cardlive.one", "cardlive.two", "live.-"):
                    for name, asks in ASKED:
                        where = f"$JS.API.DIRECT.GET.{name}"
                        hostile.engine.publish(where, asks.encode(), reply=reply)
                for _ in ASKED:
                    await said.receive()
                # What is news goes on.
                sequence, _ = await owner.newest("one")
                await owner.write("one", card("one", 2), sequence)
                while not _at(cards, "one", 2):
                    await trio.lowlevel.checkpoint()
                *_, newest = frames
                await node.append(
                    subject, newest.payload, identity="", expected=None, headers=newest.headers
                )
                while len(seen) < len(told):
                    await trio.lowlevel.checkpoint()
            assert (cards.ids(), seen, store.damaged) == (["one"], told, {})
            nursery.cancel_scope.cancel()


ASKED = (
    ("WP0", '{"last_by_subj": "wp.0.z"}'),
    ("WP0", '{"seq": 999999}'),
    ("WP0", '{"seq": 1, "next_by_subj": "wp.0.z", "no_hdr": true}'),
    ("WCARDS", '{"last_by_subj": "card.one"}'),
    ("WCARDS", '{"seq": 999999}'),
    ("WCARDS", "nonsense"),
)
"""What the hostile edge asks: each gets one answer."""


def _at(cards: Cards, game: str, seq: int) -> bool:
    found = cards.of(game)
    return found is not None and found.row["seq"] == seq
