"""Places are short: strangers go before spectators, spectators before players, and no address has
more than its share."""

import random

import pytest
import trio
import trio.testing

from tests.serve.rig import HOST_TOKEN, Client, Server, new_game, server
from warledger.engine.serve.config import ServerLimits
from warledger.engine.serve.wire.connection import Connection
from warledger.engine.serve.wire.tcp import StreamPipe
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import LocalFault

MockClock = trio.testing.MockClock


def come(s: Server, peer: str) -> Client | None:
    """A new socket from an address, as the listening task takes it; None where it is turned
    away."""
    if not s.hub.make_room(peer):
        return None
    ours, theirs = trio.testing.memory_stream_pair()
    s._nursery.start_soon(Connection(s.hub, StreamPipe(theirs, peer)).run)
    return Client(ours)


async def came(s: Server, peer: str, token: str = "") -> Client:
    """One that has logged in."""
    client = come(s, peer)
    assert client is not None
    await client.greet(token)
    return client


async def is_there(client: Client) -> bool:
    """Whether the connection still stands."""
    try:
        return type(await client.ask(m.Ping)) is m.Pong
    except (trio.BrokenResourceError, trio.ClosedResourceError, AssertionError, LocalFault):
        return False


async def test_silent_sockets_keep_nobody_out(autojump_clock: MockClock) -> None:
    """However many from one address say nothing, one more that logs in is served at once, and so
    are those who are in."""
    async with server(limits=ServerLimits(strangers_per_address=16, connections=1000)) as s:
        inside = await came(s, "shared")
        for _ in range(500):
            assert come(s, "shared") is not None
            await trio.testing.wait_all_tasks_blocked()
        assert len(s.hub.connections) <= 18
        began = trio.current_time()
        assert await is_there(await came(s, "shared")) and await is_there(inside)
        assert trio.current_time() == began
        await trio.sleep(20)
        await trio.testing.wait_all_tasks_blocked()
        assert len(s.hub.connections) == 2


async def test_spectators_without_number_lock_nobody_out(autojump_clock: MockClock) -> None:
    """Four addresses fill every place with spectators who follow a game: players come in, a
    spectator of another address does, and nobody who plays or is alone at his address goes for
    them."""
    limits = ServerLimits(connections=120, reserve=20, connections_per_address=100)
    async with server(limits=limits) as s:
        game, given = await new_game(s)
        alone = await came(s, "alone")
        await alone.ask(m.Subscribe, game, -1, "public")
        playing = await came(s, "player", given["a"])
        for n in range(600):
            client = await came(s, f"crowd {n % 4}")
            await client.ask(m.Subscribe, game, -1, "public")
            await trio.testing.wait_all_tasks_blocked()
            assert len(s.hub.connections) <= limits.connections
        others = [await came(s, f"player {n}", given["b"]) for n in range(10)] + [
            await came(s, "host", HOST_TOKEN)
        ]
        late = await came(s, "late")
        assert await is_there(alone) and await is_there(playing) and await is_there(late)
        for client in others:
            assert await is_there(client)
        shares = [
            len(found)
            for address, found in s.hub.places.spectators.items()
            if address.startswith("crowd")
        ]
        assert max(shares) - min(shares) <= 2
        assert s.hub.places.watching <= limits.connections - limits.reserve


async def test_one_token_does_not_fill_the_reserve(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections of one seat beyond a few have a spectator's right to their place."""
    monkeypatch.setattr("warledger.engine.serve.wire.admission.HOLDERS_MAX", 4)
    async with server(limits=ServerLimits(connections=40, reserve=10)) as s:
        _, given = await new_game(s)
        for _ in range(200):
            await came(s, "greedy", given["a"])
            await trio.testing.wait_all_tasks_blocked()
        assert len(s.hub.connections) <= 35
        assert await is_there(await came(s, "player", given["b"]))


async def test_who_neither_follows_nor_asks_is_let_go(autojump_clock: MockClock) -> None:
    """After the idle time a spectator who does nothing hears why and is gone; who follows or asks
    now and then, or plays, stays."""
    async with server(limits=ServerLimits(idle_seconds=100)) as s:
        game, given = await new_game(s)
        idle, follower, asker, player = [
            await came(s, "here", token) for token in ("", "", "", given["a"])
        ]
        await follower.ask(m.Subscribe, game, -1, "public")
        for _ in range(10):
            await trio.sleep(50)
            assert await is_there(asker)
        told = await idle.hear()
        assert (told.code, told.fatal, await idle.hear()) == ("idle", True, None)
        assert await is_there(follower) and await is_there(player)
        await follower.ask(m.Unsubscribe, game, "public")
        await trio.sleep(200)
        assert not await is_there(follower)


async def test_counts_hold_whatever_happens(autojump_clock: MockClock) -> None:
    """Random comings, logins, floods and goings: places add up to the connections there are, within
    every bound."""
    for seed in range(5):
        rng = random.Random(seed)
        async with server(
            limits=ServerLimits(
                connections=30, connections_per_address=12, strangers_per_address=4, reserve=8
            )
        ) as s:
            _, given = await new_game(s)
            clients: list[Client] = []
            for _ in range(200):
                match rng.randrange(4):
                    case 0:
                        found = come(s, f"address {rng.randrange(4)}")
                        if found is not None:
                            clients.append(found)
                    case 1 | 2:
                        found = come(s, f"address {rng.randrange(4)}")
                        if found is not None:
                            await found.greet(rng.choice(("", given["a"], given["b"], HOST_TOKEN)))
                            clients.append(found)
                    case _ if clients:
                        await clients.pop(rng.randrange(len(clients))).stream.aclose()
                await trio.testing.wait_all_tasks_blocked()
                places, there = s.hub.places, s.hub.connections
                counted = (
                    sum(map(len, places.strangers.values()))
                    + sum(map(len, places.spectators.values()))
                    + len(places._players)
                )
                assert counted == len(there) <= 30, f"seed {seed}"
                assert places.watching == sum(map(len, places.spectators.values())) <= 22, (
                    f"seed {seed}"
                )
                assert all(count <= 12 for count in s.hub._addresses.values()), f"seed {seed}"
            for client in clients:
                await client.stream.aclose()
            await trio.testing.wait_all_tasks_blocked()
            assert s.hub.metrics.faults == 0 and sum(s.hub._addresses.values()) == len(
                s.hub.connections
            )
