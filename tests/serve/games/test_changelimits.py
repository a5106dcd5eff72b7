"""What a seat can have kept of its standing orders is bounded: one set, how often, and all in
all."""

from typing import Any

import trio
import trio.testing

from tests.serve.rig import Client, server, started
from warledger.engine.runtime.game import changelimits
from warledger.engine.store.port import FRAME_RECORD
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.limits import ORDERS_BYTES_MAX
from warledger.protocol.log import records
from warledger.protocol.seats import acts
from warledger.protocol.seats.standing import Entries
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock
ACT = "prompt.counting.act"


def orders(n: int, size: int = 1) -> Entries:
    """A set of its own for each n, of about `size` bytes."""
    return (("prompt.none", ((n, "x" * size),), "game"),)


def kept(store: MemoryStore, game: str) -> list[int]:
    """How long each change of orders is that the game's file holds."""
    found = (
        records.read(frame.payload) for frame in store.read(game) if frame.kind == FRAME_RECORD
    )
    return [len(record.data) for record in found if record.kind == records.ORDERS]


async def change(client: Client, game: str, wanted: Any, seat: str = "b") -> Any:
    """What is answered to a change of a seat's orders."""
    hand, blind = await client.hand(game, seat), bytes(32)
    return await client.act(
        game,
        seat,
        acts.ORDERS,
        (acts.orders_digest(hand.genesis, seat, blind, wanted),),
        (wanted, blind),
    )


async def in_force(client: Client, game: str) -> Any:
    """The orders of b that stand."""
    return (await client.ask(m.Standing, game, "b")).orders


async def test_a_change_sent_again_is_kept_once(autojump_clock: MockClock) -> None:
    """However often the same act is sent, also while the first is on its way, it is answered and
    stands in the file once."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        hand, blind = await client.hand(game, "b"), bytes(32)
        head = (await client.ask(m.Head, game)).head
        hand.n = 1000
        act = hand.sign(
            acts.ORDERS, head.hash, (acts.orders_digest(hand.genesis, "b", blind, orders(1)),)
        )
        for _ in range(100):
            await client.say(
                m.Act,
                game,
                "b",
                act.kind,
                act.key,
                act.n,
                act.seen,
                act.body,
                act.signature,
                (orders(1), blind),
            )
        answers = [await client.hear() for _ in range(100)]
        assert {type(answer) for answer in answers} == {m.Accepted}
        assert await in_force(client, game) == orders(1)
        assert len(kept(store, game)) == 1


async def test_a_seat_that_changes_too_often_is_told_when_to_try_again(
    autojump_clock: MockClock,
) -> None:
    """So many changes at once, then as many as time allows; each refusal says the seconds, after
    which one more is taken. The other seat and a withdrawal are not held up."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        for n in range(changelimits.CHANGES_BURST):
            assert type(await change(client, game, orders(n))) is m.Accepted
        for n in range(100, 103):
            refused = await change(client, game, orders(n))
            assert (refused.code, refused.fatal) == ("slow_down", False)
            assert type(await change(client, game, orders(n), "a")) is m.Accepted
            await trio.sleep(dict(refused.say.args)["seconds"])
            assert type(await change(client, game, orders(n))) is m.Accepted
        assert (await change(client, game, orders(7))).code == "slow_down"
        assert type(await change(client, game, ())) is m.Accepted
        assert await in_force(client, game) == ()
        assert (await change(client, game, ())).code == "slow_down", (
            "a withdrawal of nothing is a change like any other"
        )


async def test_a_set_has_a_size(autojump_clock: MockClock) -> None:
    """A set of more than its bound is refused and what was in force stays so."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        await change(client, game, orders(1))
        assert type(await change(client, game, orders(2, ORDERS_BYTES_MAX))) is m.Declined
        assert await in_force(client, game) == orders(1)
        assert len(kept(store, game)) == 1


async def test_a_games_file_stays_of_the_size_of_the_game(autojump_clock: MockClock) -> None:
    """A seat that changes as fast and as much as it may for a year has a file of bounded length, by
    a restart too; it can withdraw then, and change again when the game has gone on."""
    store = MemoryStore()
    big = ORDERS_BYTES_MAX - 1000
    most = changelimits.KEPT_BYTES + 30 * changelimits.KEPT_BYTES_PER_RECORD

    async def fill(client: Client, game: str) -> None:
        for n in range(500):
            await change(client, game, orders(n, big))
            await trio.sleep(changelimits.CHANGE_SECONDS)
        assert (await change(client, game, orders(1000, big))).code == "changes_kept"

    async with server(store) as s:
        game, given, client = await started(s)
        await fill(client, game)
        assert sum(kept(store, game)) <= most
    async with server(store) as s:
        client = await s.client(given["b"])
        await fill(client, game)
        assert sum(kept(store, game)) <= most
        assert type(await change(client, game, ())) is m.Accepted
        player = await s.client(given["a"])
        for _ in range(4):
            assert type(await player.submit(game, "a", "pass")) is m.Accepted
            assert type(await client.submit(game, "b", "pass")) is m.Accepted
        assert type(await change(client, game, orders(1, big))) is m.Accepted
