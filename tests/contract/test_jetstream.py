"""What the store over JetStream holds beyond the contract: the fence between two writers, outcomes
that settle by themselves, and games that were meddled with in the engine."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.nats.rig import Nats, client, cluster, made, ready, settings_of
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.nats.natsclient import Client, Settings
from warledger.engine.nats.natsport import NoResponders, NotSent, Unknown
from warledger.engine.store.fleet import recent, streamreads
from warledger.engine.store.fleet.fleetstreams import private_stream
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.sealedmessages import PIECE_BYTES, BadMessage, DataKeys
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import subject_of
from warledger.engine.store.port import (
    FRAME_META,
    FRAME_RECORD,
    FRAME_SECRETS,
    Conflict,
    Damaged,
    Fenced,
    Frame,
    StoreFailed,
)
from warledger.protocol import canon

from .conftest import a_move, a_record, read, the_records

KEYS = DataKeys.of({1: bytes(32), 2: bytes([2]) * 32}, 2)


class Faulty:
    """An engine of which appends go wrong as planned: "lost" is carried out and its answer lost,
    "late" is carried out only after it was said that nobody knows, the others are not carried
    out."""

    def __init__(self, engine: Client) -> None:
        self._engine = engine
        self.plan: list[str] = []
        self.late: list[Callable[[], None]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        *,
        headers: Any = None,
        seconds: float,
        shield: bool = False,
    ) -> Any:
        def send() -> None:
            self._engine.publish(subject, payload, headers=headers)

        ask = self._engine.request
        what = self.plan.pop(0) if self.plan and subject.startswith("wg.") else ""
        match what:
            case "lost":
                await ask(subject, payload, headers=headers, seconds=seconds, shield=shield)
                raise Unknown("lost")
            case "late":
                self.late.append(send)
                raise Unknown("late")
            case "not sent":
                raise NotSent("not sent")
            case "nobody":
                raise NoResponders("nobody")
        answer = await ask(subject, payload, headers=headers, seconds=seconds, shield=shield)
        while subject.startswith("wg.") and self.late:
            self.late.pop()()
        return answer


@asynccontextmanager
async def opened(
    settings: Settings, keys: DataKeys = KEYS, **other: Any
) -> AsyncIterator[tuple[JetStreamStore, JetStream, Faulty]]:
    """A store of one stream, the engine as it is, and how it may go wrong for the store."""
    async with client(settings) as one:
        js = JetStream(await ready(one))
        name, subjects, config = private_stream(0, 1)
        await js.make(name, subjects, **config | other)
        async with open_jetstream(settings, keys, shards=1) as store:
            faulty = Faulty(one)
            store._js = store.settling._js = store.reading._js = JetStream(faulty)
            yield store, js, faulty


async def test_of_two_who_both_hold_themselves_for_the_owner_one_chain_comes(
    engine: Nats,
) -> None:
    """With nothing between them but the fence: whatever either was told is kept stands there once,
    at the place it was told, and nothing else does."""
    seed = 11
    rng = random.Random(seed)
    settings = engine.settings()
    told: dict[int, str] = {}
    async with opened(settings) as (one, _, _), open_jetstream(settings, KEYS, shards=1) as two:
        await one.create("g", [a_record("genesis")])
        while not two.keeps("g"):
            await trio.lowlevel.checkpoint()
        fenced = 0

        async def write(store: JetStreamStore, name: str) -> None:
            nonlocal fenced
            for number in range(60):
                while True:
                    at = len(the_records(await read(store, "g")))
                    try:
                        await store.append("g", at, [a_record(f"{name} {number}")])
                        break
                    except Conflict:
                        fenced += 1
                assert at not in told, f"seed {seed}"
                told[at] = f"{name} {number}"
                for _ in range(rng.randint(0, 20)):
                    await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write, one, "one")
            nursery.start_soon(write, two, "two")
        expected = ["genesis", *(told[at] for at in sorted(told))]
        assert len(expected) == 121 and fenced
    async with open_jetstream(settings, KEYS, shards=1) as store:
        assert the_records(await read(store, "g")) == expected


async def test_whoever_is_fenced_is_told_so(engine: Nats) -> None:
    """And so is everybody who waits behind them; the next who looks sees what came in between."""
    async with opened(engine.settings()) as (one, _, _):
        await one.create("g", [a_record("genesis")])
        async with open_jetstream(engine.settings(), KEYS, shards=1) as two:
            await two.append("g", 1, a_move(1))
        told: list[type] = []

        async def append(at: int) -> None:
            try:
                await one.append("g", at, [a_record("another")])
            except Conflict as error:
                told.append(type(error))

        async with trio.open_nursery() as nursery:
            for at in (1, 2, 3):
                # All of them are queued, in whatever order, before the first is answered.
                nursery.start_soon(append, at)
        assert len(told) == 3 and Fenced in told
        assert the_records(await read(one, "g")) == ["genesis", "move 1"]
        await one.append("g", 2, a_move(2))


@pytest.mark.parametrize("size", [10, 2 * PIECE_BYTES + 1])
@pytest.mark.parametrize(
    "plan",
    [
        ["lost"],
        ["lost", "lost"],
        ["not sent", "nobody", "lost"],
        ["late"],
        ["late", "not sent", "late"],
    ],
)
async def test_an_unknown_outcome_settles_by_itself(
    engine: Nats, plan: list[str], size: int
) -> None:
    """Whatever became of the first tries, it is stored once, and the answer says so."""
    async with opened(engine.settings()) as (store, _, faulty):
        await store.create("g", [a_record("genesis")])
        faulty.plan = list(plan)
        await store.append("g", 1, [a_record("a" * size)])
        assert not faulty.plan
        await store.append("g", 2, [a_record("b")])
        records = [
            frame.payload[:2] for frame in await read(store, "g") if frame.kind == FRAME_RECORD
        ]
        assert records == [b"ge", b"aa", b"b"]
    async with open_jetstream(engine.settings(), KEYS, shards=1) as again:
        assert len(the_records(await read(again, "g"))) == 3


@pytest.mark.parametrize("plan", ([], ["lost"], ["not sent"], ["lost", "nobody"]))
async def test_whoever_is_cancelled_once_it_is_sent_learns_its_outcome(
    engine: Nats, plan: list[str]
) -> None:
    """What is on its way cannot be taken back: the append ends as if nobody had been cancelled, and
    the next one goes on behind it."""
    async with opened(engine.settings()) as (store, _, faulty):
        await store.create("g", [a_record("genesis")])
        faulty.plan = list(plan)
        scope = trio.CancelScope()
        stored: list[str] = []

        async def append() -> None:
            with scope:
                await store.append("g", 1, a_move(1))
                stored.append("g")

        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(append)
                while not store.health().waiting:
                    await trio.lowlevel.checkpoint()
                scope.cancel()
        assert stored and not scope.cancelled_caught and not faulty.plan
        await store.append("g", 2, a_move(2))
        assert store.health().waiting == 0


async def test_what_has_no_room_is_not_saved_and_goes_on_when_there_is(engine: Nats) -> None:
    """Of that append alone it is said."""
    async with opened(engine.settings(), max_msgs=2) as (store, js, _):
        await store.create("g", [a_record("genesis")])
        await store.create("h", [a_record("genesis")])
        with pytest.raises(StoreFailed) as caught:
            await store.append("g", 1, a_move(1))
        assert caught.value.outcome == "not saved"
        with pytest.raises(StoreFailed):
            await store.create("i", [a_record("genesis")])
        config = (await js.describe("WG0"))["config"]
        await js.api("STREAM.UPDATE.WG0", config | {"max_msgs": 9})
        await store.append("g", 1, a_move(1))
        await store.create("i", [a_record("genesis")])
        assert the_records(await read(store, "g")) == ["genesis", "move 1"]


@pytest.mark.parametrize("lost", [1, 2, 3])
async def test_a_message_that_was_lost_closes_its_game_alone(
    engine: Nats, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place is named: whether it is the first, one of the middle or the newest, and whether the
    store had it or reads it only now."""
    monkeypatch.setattr(streamreads, "LOST_SECONDS", 0.5)
    async with opened(engine.settings(), deny_delete=False) as (store, js, _):
        await store.create("g", [a_record("genesis")])
        await store.append("g", 1, a_move(1))
        await store.append("g", 2, a_move(2))
        await store.create("h", [a_record("genesis")])
        await js.api("STREAM.MSG.DELETE.WG0", {"seq": lost, "no_erase": True})
        if lost == 3:
            with pytest.raises(Damaged, match="has lost what it acknowledged"):
                await store.append("g", 3, a_move(3))
            assert store.health().damaged == ("g",)
        else:
            async with open_jetstream(engine.settings(), KEYS, shards=1) as fresh:
                for _ in range(2):
                    with pytest.raises(Damaged, match="stands where record") as caught:
                        await fresh.append("g", 3, a_move(3))
                assert caught.value.place == "stream WG0"
                await fresh.append("h", 1, a_move(1))
        with pytest.raises(Damaged) if lost == 3 else trio.fail_after(9):
            await store.append("g", 3, a_move(3))


async def test_a_message_put_elsewhere_or_changed_is_found(engine: Nats) -> None:
    """Into another game, at another place of its own, with a flipped bit, or with another key."""
    async with opened(engine.settings()) as (store, js, _):
        subject = subject_of("g", 1)
        for game in ("g", "h"):
            await store.create(game, [a_record("genesis")])
            await store.append(game, 1, a_move(1))
        genesis = await js.after("WG0", subject, 0, from_leader=True)
        assert genesis is not None
        broken = bytearray(genesis.payload)
        broken[-1] ^= 1
        other = DataKeys.of({2: bytes([3]) * 32}, 2)
        cases = {
            "another game": (genesis.payload, "stands where record|another place"),
            "changed": (bytes(broken), "does not open"),
            "nothing": (b"", "none of ours"),
            "later": (b"\x02" + genesis.payload[1:], "later release"),
            "unknown key": (b"\x01\x09" + genesis.payload[2:], "not in the key ring"),
            "other key": (next(other.seal("n5", 1, b"x")), "does not open"),
        }
        for number, (name, (payload, what)) in enumerate(cases.items()):
            game = f"n{number}"
            await store.create(game, [a_record("genesis")])
            newest = await js.last("WG0", subject_of(game, 1), from_leader=True)
            assert newest is not None
            await js.append(
                subject_of(game, 1), payload, identity=name, expected=newest.sequence, seconds=9
            )
            async with open_jetstream(engine.settings(), KEYS, shards=1) as fresh:
                with pytest.raises(Damaged, match=what):
                    await read(fresh, game)
        again = await js.last("WG0", subject, from_leader=True)
        assert again is not None
        await js.append(subject, again.payload, identity="x", expected=again.sequence, seconds=9)
        async with open_jetstream(engine.settings(), KEYS, shards=1) as fresh:
            with pytest.raises(Damaged, match="record 1 stands where record 2 should"):
                await read(fresh, "g")
            assert the_records(await read(fresh, "h")) == ["genesis", "move 1"]


async def test_nothing_of_a_game_is_in_clear_in_the_engine(engine: Nats) -> None:
    """Neither in its files nor in what it says."""
    planted = b"planted-" + bytes(range(65, 91))
    async with opened(engine.settings()) as (store, js, _):
        await store.create("g", [a_record("genesis"), Frame(FRAME_SECRETS, planted)])
        kept = await js.last("WG0", subject_of("g", 1), from_leader=True)
        assert kept is not None and planted not in kept.payload
        assert planted in b"".join(frame.payload for frame in await read(store, "g"))
        files = [path for path in engine.folder.rglob("*") if path.is_file()]
        assert any(b"wg.0.g" in path.read_bytes() for path in files), "the stream is looked at"
        assert not any(planted in path.read_bytes() for path in files)


def test_what_is_sealed_opens_at_its_place_alone() -> None:
    """Also with a key that is no longer the current one."""
    old = DataKeys.of({1: bytes(32)}, 1)
    pieces = [KEYS.open(one) for one in old.seal("g", 7, b"x" * (PIECE_BYTES + 1))]
    assert [(one.game, one.first, one.piece, one.pieces) for one in pieces] == [
        ("g", 7, 0, 2),
        ("g", 7, 1, 2),
    ]
    assert b"".join(one.data for one in pieces) == b"x" * (PIECE_BYTES + 1)
    with pytest.raises(BadMessage):
        old.open(next(KEYS.seal("g", 7, b"x")))
    with pytest.raises(ValueError, match="numbered"):
        DataKeys.of({1: bytes(32)}, 2)
    assert repr(bytes(32)) not in repr(old)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Nats]]:
    with cluster(tmp_path) as running:
        yield running


@pytest.mark.long
async def test_three_servers_of_which_one_dies_lose_and_double_nothing(
    servers: list[Nats],
) -> None:
    """Games go on over the death of the server that leads them; each acknowledged append is there
    once."""
    settings = settings_of(servers)
    async with client(settings) as one:
        js = JetStream(await ready(one))
        name, subjects, config = private_stream(0, 3)
        await made(js, name, subjects, **config)
        async with open_jetstream(settings, KEYS, shards=1) as store:

            async def play(game: str) -> None:
                await store.create(game, [a_record("genesis")])
                for number in range(1, 40):
                    await store.append(game, number, a_move(number))
                    if game == "g0" and number == 15:
                        leader = (await js.describe("WG0"))["cluster"]["leader"]
                        servers[int(leader[1:])].process.kill()

            with trio.fail_after(120):
                async with trio.open_nursery() as nursery:
                    for number in range(8):
                        nursery.start_soon(play, f"g{number}")
        async with open_jetstream(settings, KEYS, shards=1) as again:
            for number in range(8):
                assert the_records(await read(again, f"g{number}")) == [
                    "genesis",
                    *(f"move {each}" for each in range(1, 40)),
                ]


@asynccontextmanager
async def nodes(settings: Settings) -> AsyncIterator[tuple[JetStreamStore, JetStreamStore]]:
    """The stores of two nodes that share an engine of one stream."""
    async with client(settings) as one:
        name, subjects, config = private_stream(0, 1)
        await JetStream(await ready(one)).make(name, subjects, **config)
        async with (
            open_jetstream(settings, KEYS, shards=1, name="a.1") as a,
            open_jetstream(settings, KEYS, shards=1, name="b.1") as b,
        ):
            yield a, b


async def test_a_game_is_its_makers_until_it_is_released_or_they_are_dead(engine: Nats) -> None:
    """Nobody appends who is not the owner, and nobody becomes it who may not; the claims stand in
    the game's own log."""
    async with nodes(engine.settings()) as (a, b):
        await a.create("g", [a_record("genesis")])
        while not b.keeps("g"):
            await trio.lowlevel.checkpoint()
        assert await a.claim("g")
        await a.append("g", 1, a_move(1))
        assert not await b.claim("g")
        assert await b.look("g") == "a.1"
        with pytest.raises(Fenced):
            await b.append("g", 2, a_move(2))
        assert await a.release("g")
        assert not await a.release("g")  # nobody's now
        with pytest.raises(Fenced):
            await a.append("g", 2, a_move(2))
        assert await b.claim("g")
        await b.append("g", 2, a_move(2))
        assert not await a.claim("g", {"c.1"})
        assert await a.claim("g", {"b.1"})
        assert a.owner_of("g") == "a.1"
        # The deposed one has heard nothing yet, and what it has queued is refused all the same.
        with pytest.raises(Fenced):
            await b.append("g", 3, a_move(3))
        await a.append("g", 3, a_move(4))
        frames = await read(b, "g")
        assert the_records(frames) == ["genesis", "move 1", "move 2", "move 4"]
        claims = [canon.unpack(one.payload)[:2] for one in frames if one.kind == FRAME_META]
        assert claims == [("owner", name) for name in ("a.1", "", "b.1", "a.1")]


async def test_what_waits_at_a_deposed_owner_who_claims_again_is_refused(engine: Nats) -> None:
    """An append that was decided before the game went away and came back does not slip in behind
    what others wrote meanwhile, though no record was added."""
    async with nodes(engine.settings()) as (a, b):
        await a.create("g", [a_record("genesis")])
        while not b.keeps("g"):
            await trio.lowlevel.checkpoint()
        assert await b.claim("g", {"a.1"})
        await b.append("g", 1, [Frame(FRAME_META, b"a seat's token")])
        assert not await a.claim("g")
        with pytest.raises(Fenced):
            await a.append("g", 1, a_move(1))
        assert await b.release("g")
        assert await a.claim("g")
        await a.append("g", 1, a_move(2))
        assert the_records(await read(b, "g")) == ["genesis", "move 2"]


async def test_what_waits_behind_a_release_is_refused(engine: Nats) -> None:
    """An append that was let in while the game was still this node's, and waits while a release of
    it is on its way, is not written once the game is nobody's; nor is a second release."""
    async with nodes(engine.settings()) as (a, b):
        await a.create("g", [a_record("genesis")])
        while not b.keeps("g"):
            await trio.lowlevel.checkpoint()
        ended: list[bool] = []

        async def release() -> None:
            ended.append(await a.release("g"))

        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(release)
                nursery.start_soon(release)
                while not a.health().waiting:
                    await trio.lowlevel.checkpoint()
                with pytest.raises(Fenced):
                    await a.append("g", 1, a_move(1))
        assert sorted(ended) == [False, True]
        assert await b.claim("g")
        await b.append("g", 1, a_move(2))
        assert the_records(await read(a, "g")) == ["genesis", "move 2"]
        owners = [claimed_in([frame]) for frame in await read(b, "g")]
        assert [one for one in owners if one is not None] == [a.name, "", b.name]


async def test_a_follower_fills_what_it_did_not_hear(engine: Nats) -> None:
    """A game is followed over a connection that breaks, and at another node than its owner's,
    without gap or repeat."""
    async with nodes(engine.settings()) as (a, b):
        everything = [a_record("genesis")]
        await a.create("g", everything)
        while not b.keeps("g"):
            await trio.lowlevel.checkpoint()
        heard: list[str] = []
        begun = trio.Event()

        async def follow() -> None:
            async for frames in b.follow("g"):
                heard.extend(the_records(frames))
                begun.set()
                if heard[-1] == "move 60":
                    return

        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(follow)
                await begun.wait()
                for number in range(1, 61):
                    if number % 20 == 10:
                        b._js.engine.leave("the test breaks it")
                    await a.append("g", number, a_move(number))
        assert heard == ["genesis", *(f"move {number}" for number in range(1, 61))]


async def test_a_game_that_is_taken_is_read_once(
    engine: Nats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever takes a game and then reads it, all of it or a part, asks the engine for its messages
    once, also for what was appended meanwhile; and again once that is old, or too large."""
    reads: list[int] = []
    real = JetStream.read

    async def read_counted(self: JetStream, stream: str, *args: Any, **how: Any) -> Any:
        found = await real(self, stream, *args, **how)
        reads.append(len(found[0]))
        return found

    async with nodes(engine.settings()) as (a, b):
        await a.create("g", [a_record("genesis")])
        for number in range(1, 20):
            await a.append("g", number, a_move(number))
        assert await a.release("g")
        monkeypatch.setattr(JetStream, "read", read_counted)
        while not b.keeps("g"):
            await trio.lowlevel.checkpoint()
        assert await b.look("g") == ""
        assert await b.claim("g")
        await b.append("g", 20, a_move(20))
        frames = await read(b, "g")
        assert the_records(frames) == ["genesis", *(f"move {n}" for n in range(1, 21))]
        assert [one.kind for one in frames].count(FRAME_META) == 3
        assert await read(b, "g", 0, 1) == frames[:2]  # and the claim of its maker
        assert the_records(await read(b, "g", 7, 2)) == ["move 7", "move 8"]
        assert the_records(await read(b, "g", 20)) == ["move 20"] and await read(b, "g", 21) == []
        assert reads == [21]
        # Another node reads what it has not got: the two messages of b, and the game once; or the
        # game alone, if it has heard by now that b has it, and has forgotten its own.
        for _ in range(2):
            assert the_records(await read(a, "g"))[-1] == "move 20"
        assert reads in ([21, 2, 23], [21, 23])
        # From then on what is appended is asked for, and nothing else.
        del reads[:]
        await b.append("g", 21, a_move(21))
        assert the_records(await read(a, "g"))[-2:] == ["move 20", "move 21"]
        assert reads == [1]
        monkeypatch.setattr(recent, "RECENT_SECONDS", 0.0)
        assert (await read(b, "g"))[: len(frames)] == frames
        assert reads == [1, 24]
        monkeypatch.setattr(recent, "RECENT_SECONDS", 1e9)
        monkeypatch.setattr(recent, "RECENT_BYTES", 1000)
        assert await a.look("g") == "b.1"
        await b.append("g", 22, a_move(22))
        assert await read(b, "g", 22) != [] and len(reads) == 3
