"""What a seat can have kept of its standing orders is bounded: one set, how often, and all in all."""

import trio
import trio.testing

from engine.runtime import changes
from engine.store.memory import MemoryStore
from engine.store.port import FRAME_META
from protocol import canon
from protocol import messages as m
from tests.serve.rig import Client, server, started

MockClock = trio.testing.MockClock
ACT = "prompt.counting.act"


def orders(n: int, size: int = 1) -> tuple[tuple[str, tuple[object, ...], str], ...]:
    """A set of its own for each n, of about so many bytes."""
    return (("prompt.none", (n, "x" * size), "game"),)


def kept(store: MemoryStore, game: str) -> list[int]:
    """How long each change of orders is that the game's file holds."""
    frames = store.read(game)
    return [len(frame.payload) for frame in frames if frame.kind == FRAME_META and canon.unpack(frame.payload)[0] == "standing"]


async def change(client: Client, game: str, *wanted: object) -> object:
    """What is answered to a change of b's orders."""
    return await client.ask(m.Standing, game, "b", *wanted)


async def test_a_set_that_is_in_force_already_is_not_kept_again(autojump_clock: MockClock) -> None:
    """However often it is sent, also while the first is on its way, it is answered and stands in the file once."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        for _ in range(100):
            await client.say(m.Standing, game, "b", orders(1))
        answers = [await client.hear() for _ in range(100)]
        assert {answer.orders for answer in answers} == {orders(1)}
        assert len(kept(store, game)) == 1


async def test_a_seat_that_changes_too_often_is_told_when_to_try_again(autojump_clock: MockClock) -> None:
    """So many changes at once, then as many as time allows; each refusal says the seconds, after which one more is taken. The other seat
    and a withdrawal are not held up."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        for n in range(changes.CHANGES_BURST):
            assert type(await change(client, game, orders(n))) is m.StandingIs
        for n in range(100, 103):
            refused = await change(client, game, orders(n))
            assert (refused.code, refused.fatal) == ("slow_down", False)
            assert type(await client.ask(m.Standing, game, "a", orders(n))) is m.StandingIs
            await trio.sleep(dict(refused.say.args)["seconds"])
            assert type(await change(client, game, orders(n))) is m.StandingIs
        assert (await change(client, game, orders(7))).code == "slow_down"
        assert (await change(client, game, ())).orders == ()
        assert (await change(client, game, None)).orders == ()


async def test_a_set_has_a_size(autojump_clock: MockClock) -> None:
    """A set of more than its bound is refused and what was in force stays so."""
    store = MemoryStore()
    async with server(store) as s:
        game, _, client = await started(s)
        await change(client, game, orders(1))
        refused = await change(client, game, orders(2, changes.SET_BYTES_MAX))
        assert (refused.code, dict(refused.say.args)["most"]) == ("too_big", changes.SET_BYTES_MAX)
        assert (await change(client, game, None)).orders == orders(1)
        assert len(kept(store, game)) == 1


async def test_a_games_file_stays_of_the_size_of_the_game(autojump_clock: MockClock) -> None:
    """A seat that changes as fast and as much as it may for a year has a file of bounded length, by a restart too; it can withdraw then,
    and change again when the game has gone on."""
    store = MemoryStore()
    big = changes.SET_BYTES_MAX - 100
    most = changes.KEPT_BYTES + 20 * changes.KEPT_BYTES_PER_RECORD

    async def fill(client: Client, game: str) -> None:
        for n in range(500):
            await change(client, game, orders(n, big))
            await trio.sleep(changes.CHANGE_SECONDS)
        assert (await change(client, game, orders(1000, big))).code == "changes_kept"

    async with server(store) as s:
        game, given, client = await started(s)
        await fill(client, game)
        assert sum(kept(store, game)) <= most
    async with server(store) as s:
        client = await s.client(given["b"])
        await fill(client, game)
        assert sum(kept(store, game)) <= most
        assert (await change(client, game, ())).orders == ()
        player = await s.client(given["a"])
        for _ in range(4):
            assert type(await player.submit(game, "a", "pass")) is m.Accepted
            assert type(await client.submit(game, "b", "pass")) is m.Accepted
        assert (await change(client, game, orders(1, big))).orders == orders(1, big)
