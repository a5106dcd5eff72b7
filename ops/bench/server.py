"""How fast the server is: commands over TCP until durable and acknowledged, and fan-out to many
subscribers beside bare sends.

    python -m ops.bench.server [--games 50] [--seconds 10] [--title counting]
                            [--subscribers 1000]
                            [--restart 1000] [--json]

The server runs in this process on a real data directory, the load (`ops.bench.load`) in another.
Commands: recorded games, played once in process beforehand, are resubmitted, one in flight a game.
Fan-out: one game, events published to every subscriber one by one, then coalesced by twenty. Its
floor is a bare loop of sends of the same bytes to the same sockets, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio

from ops.bench.figures import show
from ops.bench.recorded import command_of, hand_of, record, some_picks, title_named
from warledger.engine.kernel.position import Position
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Done
from warledger.engine.runtime.supervisor import Tending, token_meta
from warledger.engine.runtime.titles import Title
from warledger.engine.serve import serversecrets
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import Config, ServerLimits
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.wire import tcp
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.port import (
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
)
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log import records
from warledger.protocol.log.chain import Signer
from warledger.protocol.log.records import Record
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import to_frame

SUBSCRIBERS = 1000
FIRST = 10**6
"""The number of the first command after a restart: higher than any before."""
NEVER_CLOSED = Tending(seats=1e12, nonces=1e12)
"""Recorded games are dated 1970, and would be closed as never begun."""


Made = list[dict[str, Any]]


async def prepare(
    data: Path,
    title: Title,
    games: int,
    each: int,
    options: dict[str, Any],
    name: str = "bench",
    terms: dict[str, Any] | None = None,
) -> Made:
    """Recorded games as new ones in a data directory, called by this name and a number; and what
    the load must know of them."""
    ambient = SystemAmbient()
    made: Made = []
    async with open_store(data) as store:
        signer = Signer(serversecrets.signing_key(data, ambient.random_bytes))
        for index in range(games):
            game = f"{name}{index}"
            genesis, secrets, plan, _ = record(title, game, signer, each, options, terms)
            given = {seat: tokens.new_token(ambient, game) for seat in title.rules.seats}
            frames = [
                Frame(FRAME_RECORD, genesis.data),
                Frame(FRAME_SECRETS, secrets.as_payload()),
            ]
            frames += [Frame(FRAME_META, token_meta(seat, token)) for seat, token in given.items()]
            await store.create(game, frames)
            made.append({"game": game, "seats": given, "commands": plan})
    return made


async def commands_over_tcp(
    serving: Serving, made: Made, seconds: float, *, door: str = "submit"
) -> dict[str, Any]:
    """Submit -> durable -> acknowledged: through the binary door, or the one of JSON ("json")."""
    port = serving.web[0][1] if door == "json" else serving.port
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as spec:
        json.dump({"games": made, "seconds": seconds}, spec)
    before = serving.hub.supervisor.store.health()
    cpu = time.process_time()
    result = await trio.run_process(
        [sys.executable, "-m", "ops.bench.load", door, str(port), spec.name],
        capture_stdout=True,
    )
    figures: dict[str, Any] = json.loads(result.stdout)
    figures["server_cpu_us_each"] = 1e6 * (time.process_time() - cpu) / max(1, figures["commands"])
    os.unlink(spec.name)
    store = serving.hub.supervisor.store.health()
    figures["appends_per_sync"] = (store.appends - before.appends) / max(
        1, store.syncs - before.syncs
    )
    return figures


async def floor(serving: Serving, games: int) -> dict[str, float]:
    """What the same machine does at the same time without any of our work: echoes by trio, a
    signature, a sync."""
    sockets = tcp.listen("127.0.0.1", 0)
    figures: dict[str, float] = {}
    async with trio.open_nursery() as nursery:

        async def echo(pipe: tcp.SocketPipe) -> None:
            with suppress(OSError):  # the clients just go when their time is up
                while await pipe.receive():
                    pipe.send_now(bytes(250))

        def admit(sock: socket.socket, peer: str) -> None:
            nursery.start_soon(echo, tcp.SocketPipe(sock, peer))

        nursery.start_soon(tcp.accept, sockets[0], admit)
        port = str(sockets[0].getsockname()[1])
        cpu = time.process_time()
        result = await trio.run_process(
            [sys.executable, "-m", "ops.bench.load", "echo", port, str(games), "2"],
            capture_stdout=True,
        )
        figures["echo_per_second"] = json.loads(result.stdout)["per_second"]
        figures["echo_cpu_us_each"] = (
            1e6 * (time.process_time() - cpu) / (2 * figures["echo_per_second"])
        )
        nursery.cancel_scope.cancel()
    sockets[0].close()
    cpu = time.process_time()
    for _ in range(500):
        serving.hub.supervisor.signer.head("floor", 1, bytes(32))
    figures["signature_cpu_us"] = 1e6 * (time.process_time() - cpu) / 500
    with tempfile.TemporaryFile() as file:
        began = time.perf_counter()
        for _ in range(100):
            os.pwrite(file.fileno(), bytes(4096), 0)
            os.fdatasync(file.fileno())
        figures["write_and_sync_us"] = 1e6 * (time.perf_counter() - began) / 100
    return figures


async def fan_out(serving: Serving, title: Title, subscribers: int, rounds: int) -> dict[str, Any]:
    """One game to many: a bare loop of sends, then the same events through the channel one by one,
    then coalesced by twenty."""
    created = await serving.hub.supervisor.create(title.name, {})
    assert isinstance(created, tuple), created
    game = created[0]
    listener = await trio.lowlevel.open_process(
        [
            sys.executable,
            "-m",
            "ops.bench.load",
            "listen",
            str(serving.port),
            game.id,
            str(subscribers),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert listener.stdout is not None and listener.stdin is not None
    while b"ready" not in await listener.stdout.receive_some(100):
        pass
    channel = game.channel("public")
    pipes: list[Any] = [cursor.out._pipe for cursor in channel.cursors.values()]
    previous = game.profile.progress.hash
    body = (
        0,
        "a",
        ("add", 3),
        b"12345678",
        b"",
        (),
        (("added", "a", 3),),
        b"x" * 120,
        (),
        (2, ()),
        (("b", 1),),
    )

    def event() -> Record:
        return records.make(channel.next_seq, 0, "a", "command", body, previous)

    data = to_frame(m.Records(game.id, "public", 0, ((event().data, b""),)))
    figures: dict[str, Any] = {"subscribers": len(pipes), "event_bytes": len(data)}

    async def settle() -> None:
        while any(cursor.out.waiting_bytes for cursor in channel.cursors.values()):  # noqa: ASYNC110 - between two measurements
            await trio.sleep(0.01)
        await trio.sleep(0.2)

    async def timed(what: str, act: Any, events: int) -> None:
        best = 0.0
        lags: list[float] = []
        for _ in range(rounds):
            await settle()
            began = time.perf_counter()
            await act()
            took = time.perf_counter() - began
            lags.append(took)
            best = max(best, events * len(pipes) / took)
        figures[f"{what}_per_second"] = best
        figures[f"{what}_ms"] = 1000 * sorted(lags)[len(lags) // 2]

    async def bare() -> None:
        for pipe in pipes:
            pipe._sock.send(data)

    async def bare_of_twenty() -> None:
        twenty = data * 20
        for pipe in pipes:
            pipe._sock.send(twenty)

    async def one() -> None:
        channel.publish([event()], [()])
        while any(cursor.out._queued for cursor in channel.cursors.values()):
            await trio.lowlevel.checkpoint()

    async def twenty() -> None:
        for _ in range(20):
            channel.publish([event()], [()])
        while any(cursor.out._queued for cursor in channel.cursors.values()):
            await trio.lowlevel.checkpoint()

    await timed("bare", bare, 1)
    await timed("live", one, 1)
    await timed("bare", bare, 1)
    await timed("bare_of_twenty", bare_of_twenty, 20)
    await timed("coalesced", twenty, 20)
    figures["live_to_bare"] = figures["live_per_second"] / figures["bare_per_second"]
    figures["coalesced_to_bare_events"] = (
        figures["coalesced_per_second"] / figures["bare_per_second"]
    )
    figures["coalesced_to_bare_of_twenty"] = (
        figures["coalesced_per_second"] / figures["bare_of_twenty_per_second"]
    )
    await listener.stdin.aclose()
    await listener.wait()
    return figures


async def restart(
    arguments: argparse.Namespace, title: Title, options: dict[str, Any]
) -> dict[str, Any]:
    """A server stopped with many games in progress: how long until it listens again, lists them,
    and takes a command in one of them."""
    figures: dict[str, Any] = {"games": arguments.restart}
    with tempfile.TemporaryDirectory(dir=arguments.data) as data:
        config = Config(Path(data), port=0, log_level="warning")
        chosen: tuple[str, dict[str, str], Any] = ("", {}, None)
        async with trio.open_nursery() as nursery:
            serving: Serving = await nursery.start(serving_title, config, title)
            supervisor = serving.hub.supervisor
            for index in range(arguments.restart):
                game = f"bench{index}"
                genesis, secrets, _, batches = record(title, game, supervisor.signer, 20, options)
                given = {
                    seat: tokens.new_token(supervisor.ambient, game) for seat in title.rules.seats
                }
                frames = [
                    Frame(FRAME_RECORD, genesis.data),
                    Frame(FRAME_SECRETS, secrets.as_payload()),
                ]
                frames += [
                    Frame(FRAME_META, token_meta(seat, token)) for seat, token in given.items()
                ]
                for batch in batches:
                    for made, openings in zip(batch.records, batch.openings, strict=True):
                        frames.append(Frame(FRAME_RECORD, made.data))
                        if openings:
                            frames.append(Frame(FRAME_OPENINGS, pack_openings(openings)))
                await supervisor.store.create(game, frames)
                chosen = (game, given, batches[-1].position.open[0][:2])
            nursery.cancel_scope.cancel()
        began = time.perf_counter()
        async with trio.open_nursery() as nursery:
            serving = await nursery.start(serving_title, config, title)
            figures["listening_s"] = time.perf_counter() - began
            game, given, (seat, decision) = chosen
            began = time.perf_counter()
            found = await serving.hub.supervisor.game(game)
            assert isinstance(found, Game)
            position = await found.position()
            assert isinstance(position, Position)
            hand = hand_of(found.profile.genesis.hash, game, seat, FIRST)
            picks = some_picks(title, position, seat, random.Random(1))
            command = command_of(hand, found.profile.progress.hash, decision, picks, FIRST)
            answer = await found.ask(lambda live: live.ledger.propose_command(command, 0))
            assert isinstance(answer, Done), answer
            figures["first_command_ms"] = 1000 * (time.perf_counter() - began)
            began = time.perf_counter()
            shown, _ = await gamelists.listed(serving.hub, gamelists.NOBODY, "", 100, "")
            figures["first_page_of_100_games_ms"] = 1000 * (time.perf_counter() - began)
            assert len(shown) == min(100, arguments.restart)
            nursery.cancel_scope.cancel()
    return figures


async def bench(arguments: argparse.Namespace) -> dict[str, Any]:
    """All of it: commands in the binary form and in JSON; fan-out; restart."""
    title = title_named(arguments.title)
    figures: dict[str, Any] = {}
    options = {"turns": 4000, "epoch_turns": 100} if title.name == "counting" else {}
    limits = ServerLimits(strangers_per_address=100_000, connections_per_address=100_000)
    with tempfile.TemporaryDirectory(dir=arguments.data) as data:
        config = Config(
            Path(data),
            port=0,
            limits=limits,
            log_level="warning",
            tending=NEVER_CLOSED,
            http=("127.0.0.1", 0),
        )
        of = (title, arguments.games, arguments.each, options)
        made = await prepare(Path(data), *of)
        in_json = await prepare(Path(data), *of, "json")
        async with trio.open_nursery() as nursery:
            serving: Serving = await nursery.start(serving_title, config, title)
            if made:
                figures["floor"] = await floor(serving, arguments.games)
                figures["commands"] = await commands_over_tcp(serving, made, arguments.seconds)
                figures["commands in JSON"] = await commands_over_tcp(
                    serving, in_json, arguments.seconds, door="json"
                )
            if arguments.subscribers:
                figures["fan_out"] = await fan_out(serving, title, arguments.subscribers, 20)
            nursery.cancel_scope.cancel()
    if arguments.restart:
        figures["restart"] = await restart(arguments, title, options)
    return figures


async def serving_title(
    config: Config, title: Title, task_status: Any = trio.TASK_STATUS_IGNORED
) -> None:
    titles = {title.name: title}
    await serve(config, titles=titles, signals=False, task_status=task_status)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--each", type=int, default=400, help="commands a game at most")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--title", default="counting")
    parser.add_argument("--subscribers", type=int, default=SUBSCRIBERS)
    parser.add_argument(
        "--restart", type=int, default=1000, help="games under way when the server is restarted"
    )
    parser.add_argument("--data", default=None, help="where to make the data directory")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = trio.run(bench, arguments)
    show(figures, machine=arguments.json)


if __name__ == "__main__":
    main()
