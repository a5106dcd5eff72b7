"""Whoever comes to an edge with bad intent gets no further, and spectators beside them miss
nothing."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trio
from attrs import frozen

from tests.fleet.test_edges import Edge, acted, edge, got, spectator, table, watch
from tests.fleet.test_nodes import Engine, Node, engine, frames_of
from tests.serve.rig import Client, gapless
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import to_frame

__all__ = ["engine"]

SEED = 20
GREW_BYTES = 80_000_000
"""By how much the edge may have grown while all of that goes on."""


@frozen
class Scene:
    """An edge that shows a game, two of its spectators, and who plays."""

    edge: Edge
    game: str
    player: Client
    rng: random.Random

    async def line(self) -> trio.SocketStream:
        return await trio.open_tcp_stream("127.0.0.1", self.edge.port)


Attack = Callable[[Scene], Awaitable[None]]


async def nonsense(scene: Scene) -> None:
    """Bytes that are no frames, frames that are no messages, lengths beyond all bounds, messages
    before the greeting, and the same for HTTP."""
    rng = scene.rng
    greeted = to_frame(m.Hello(1, m.VERSION, "x"))
    for said in (
        rng.randbytes(3000),
        b"\xff" * 20,
        b"\xff\xff\xff\xff" + bytes(100),
        (2**31 - 1).to_bytes(4, "big") + bytes(1000),
        bytes(4000),
        to_frame(m.Subscribe(1, scene.game, -1, "public")),
        greeted + rng.randbytes(2000),
        greeted[:-1],
        greeted + greeted,
        b"GET / HTTP/1.1\r\n" * 500,
    ):
        with suppress(OSError, trio.BrokenResourceError), trio.move_on_after(3):
            async with await scene.line() as line:
                await line.send_all(said)
                while await line.receive_some(65536):
                    pass
    for said in (
        rng.randbytes(5000),
        b"GET /" + b"a" * 100_000,
        b"POST / HTTP/1.1\r\nA: b\r\n" * 50,
    ):
        with suppress(OSError, trio.BrokenResourceError), trio.move_on_after(3):
            async with await trio.open_tcp_stream("127.0.0.1", scene.edge.web) as line:
                await line.send_all(said)
                while await line.receive_some(65536):
                    pass


async def many_subscriptions(scene: Scene) -> None:
    """One connection asks for thousands of games that are not there, and for the one that is with
    every number to go on from."""
    client, _ = await spectator(scene.edge)
    with suppress(AssertionError, OSError, trio.BrokenResourceError):
        for number in range(3000):
            answer = await client.ask(m.Subscribe, f"none{number}", -1, "public")
            if type(answer) is m.Error and answer.code in ("slow_down", "too_many"):
                break
        for number in (-1, 0, 1, 10**9, 2**63 - 1, -1):
            await client.ask(m.Subscribe, scene.game, number, "public")


async def never_reading(scene: Scene) -> None:
    """Somebody subscribes, asks for everything again and again, and never reads."""
    async with await scene.line() as line:
        line.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, 2048)
        said = to_frame(m.Hello(1, m.VERSION, "slow")) + to_frame(m.Login(2, "", ""))
        with suppress(OSError, trio.BrokenResourceError):
            await line.send_all(said)
            for number in range(3, 20_000):
                await line.send_all(to_frame(m.Games(number, "", "", 100)))
                if number % 50 == 0:
                    await line.send_all(to_frame(m.View(number, scene.game, "public", 0)))


async def half_open(scene: Scene) -> None:
    """Many connections that say half of something, or nothing, and stay; some say no more and
    never hang up."""
    async with trio.open_nursery() as nursery:

        async def stay(number: int) -> None:
            with suppress(OSError, trio.BrokenResourceError):
                async with await scene.line() as line:
                    await line.send_all(to_frame(m.Hello(1, m.VERSION, "half"))[: number % 9])
                    if number % 3 == 0:
                        await line.send_eof()
                    await trio.sleep_forever()

        for number in range(120):
            nursery.start_soon(stay, number)


ATTACKS = (nonsense, many_subscriptions, never_reading, half_open)


@asynccontextmanager
async def scene(engine: Engine, tmp_path: Path) -> AsyncIterator[tuple[Scene, Node, list[Client]]]:
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b), edge(engine, tmp_path / "e") as e:
        game, _, player = await table(a, b, turns=10)
        watchers = [(await spectator(e))[0] for _ in range(2)]
        for one in watchers:
            await watch(one, game)
        yield Scene(e, game, player, random.Random(SEED)), a, watchers


def size_of(process: int) -> int:
    """The memory of a process, in bytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(
    "attacks",
    [ATTACKS, *(pytest.param((one,), marks=pytest.mark.long) for one in ATTACKS)],
    ids=["all", *(one.__name__ for one in ATTACKS)],
)
async def test_hostile_clients_of_an_edge_harm_nobody(
    engine: Engine, tmp_path: Path, attacks: tuple[Attack, ...]
) -> None:
    """While a game is played its edge is given nonsense, asked for thousands of games, not read
    from, and left half open, all at once and one by one: its spectators see every record once, in
    order, it answers others, stays of its size, and does not fall."""
    print(f"seed {SEED}")
    with trio.fail_after(200):
        async with scene(engine, tmp_path) as (there, _, watchers), trio.open_nursery() as nursery:
            before = size_of(there.edge.process.pid)
            for one in attacks:
                nursery.start_soon(one, there)
            for step in range(20):
                head = await acted(there.player, there.game, step, "pass")
            late, _ = await spectator(there.edge)
            await watch(late, there.game)
            logs = []
            for client in (*watchers, late):
                await client.until((there.game, "public"), head.seq)
                logs.append(await client.until_whole((there.game, "public")))
            assert b"ok" in await got(there.edge, "/health")
            assert (await late.ask(m.Head, there.game)).head.seq == logs[0][-1][0]
            grew = size_of(there.edge.process.pid) - before
            print(f"grew by {grew} bytes")
            assert there.edge.process.poll() is None
            assert grew < GREW_BYTES
            nursery.cancel_scope.cancel()
        frames = await frames_of(engine, there.game)
    records = [payload for kind, payload in frames if kind == FRAME_RECORD]
    for log in logs:
        assert gapless(log) and [data for _, data, _ in log] == records
