"""A server of several processes in trouble: hung processes, strangers, clients that become somebody
else, junk."""

import json
import os
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import h11
import pytest
import trio

from tests.gateway.rig import Answer, fetch, opened
from tests.serve import test_workers as rig
from tests.serve.rig import Client, server
from tests.serve.test_sockets import client_of
from tests.serve.test_workers import PROGRAM, Up, new_games, seated, serving, workers_of
from warledger.engine.serve import errands, workers
from warledger.engine.serve.app import Serving
from warledger.engine.serve.config import HttpLimits, ServerLimits
from warledger.engine.serve.errands import Errands, NotDone
from warledger.engine.serve.line import Line, LineBroken, pair
from warledger.engine.serve.workers import Lead, Own
from warledger.engine.store.shards import SHARDS, open_shards, shards
from warledger.protocol import messages as m

up = rig.up
HTTP: Any = ("127.0.0.1", 0)


async def linked(port: int) -> Client:
    """A client over a WebSocket that names no game: it has not said hello, and reaches other
    processes by links."""
    return Client(await opened(await trio.open_tcp_stream("127.0.0.1", port), "/ws"))


async def get(up: Serving, path: str, **headers: str) -> Answer:
    async with await trio.open_tcp_stream("127.0.0.1", up.web[0][1]) as stream:
        return await fetch(stream, h11.Connection(h11.CLIENT), path, headers=headers)


async def test_a_link_of_a_client_whose_login_failed(up: Up) -> None:
    """Who showed a wrong token for a seat, and then comes in to watch, watches any game."""
    for game, _ in await new_games(up, 3):
        client = await linked(up.http)
        await client.ask(m.Hello, m.VERSION, "test")
        assert (await client.ask(m.Login, f"{game}:wrong", "")).code == "login"
        assert type(await client.ask(m.Login, "", "")) is m.LoggedIn
        assert type(await client.ask(m.Subscribe, game, -1, "public")) is m.Subscribed


async def test_wrong_tokens_count_wherever_they_are_shown(up: Up) -> None:
    """The connection ends at the third, also when each was for a game of another process."""
    client = await linked(up.http)
    await client.ask(m.Hello, m.VERSION, "test")
    answers = []
    for game, _ in await new_games(up, 3):
        await client.say(m.Login, f"{game}:wrong", "")
        answers.append(await client.hear())
    assert [(answer.code, answer.fatal) for answer in answers] == [
        ("login", False),
        ("login", False),
        ("login", True),
    ]
    assert await client.hear() is None


async def test_requests_in_one_go(up: Up) -> None:
    """Who sends a login and requests that need it without waiting is answered as he asked,
    whichever way he came."""
    for game, given in await new_games(up, 3):
        for client in (
            await linked(up.http),
            Client(await trio.open_tcp_stream("127.0.0.1", up.port)),
        ):
            await client.ask(m.Hello, m.VERSION, "test")
            asked = (
                m.Login(2, given["a"], ""),
                m.Login(3, given["b"], ""),
                m.Subscribe(4, game, -1, "b"),
                m.Ping(5),
                m.Head(6, game),
            )
            for message in asked:
                await client.stream.send_all(m.to_frame(message))
                client.session.open[message.request] = type(message)
            client.session.state = "READY"
            found: dict[int, type[m.Message]] = {}
            while len(found) < len(asked):
                message = await client.hear()
                if type(message) is not m.Records:
                    found[message.request] = type(message)
            assert found == {2: m.LoggedIn, 3: m.LoggedIn, 4: m.Subscribed, 5: m.Pong, 6: m.HeadIs}


async def test_a_spectator_who_becomes_the_host(up: Up) -> None:
    """He is the host in the games of every process, also in one that he watched before."""
    games = await new_games(up, 3)
    client = await linked(up.http)
    await client.greet()
    for game, _ in games:
        assert type(await client.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
    assert (await client.ask(m.Login, up.token, "")).roles == (("host", "", ""),)
    for game, _ in games:
        assert type(await client.ask(m.NewToken, game, "a")) is m.Token
        assert type(await client.ask(m.Subscribe, game, -1, "arbiter")) is m.Subscribed


async def test_a_seat_taken_up_again_by_its_new_token(up: Up) -> None:
    """Who lost a seat of a delayed game and comes in by its new token sees the game live in lists
    again, whichever process keeps it."""
    host = await client_of(up, up.token)
    for game, given in await new_games(up, 3, delay_s=3600):
        client = await linked(up.http)
        await client.greet()
        await seated(client, game, given)
        tokens = {seat: (await host.ask(m.NewToken, game, seat)).token for seat in "ab"}
        for _ in "ab":
            assert (await client.hear()).code == "not_allowed"
        for seat in "ab":
            assert ("seat", game, seat) in (await client.ask(m.Login, tokens[seat], "")).roles
        rows = (await client.ask(m.Games, "", "", 1000)).games
        assert {row["game"]: row["seq"] for row in rows}[game] > 0


async def test_a_token_replaced_behind_the_back_of_the_process(up: Up) -> None:
    """Who came in by it and has gone to another process since, or sits at a link, is told once, and
    does not hold the seat any more."""
    host = await client_of(up, up.token)
    games = await new_games(up, 3)
    for at, (game, given) in enumerate(games):
        (other, others), (third, _) = games[at - 1], games[at - 2]
        gone = await client_of(up, given["a"])
        assert (await gone.ask(m.Head, other)).head.game == other
        at_link = await linked(up.http)
        await at_link.greet(given["b"])
        for watched in (other, third):
            assert type(await at_link.ask(m.Subscribe, watched, -1, "public")) is m.Subscribed
        for seat in "ab":
            given[seat] = (await host.ask(m.NewToken, game, seat)).token
        for client in (gone, at_link):
            first = await client.hear()
            while type(first) is m.Records:
                first = await client.hear()
            assert (first.request, first.code) == (0, "not_allowed")
            assert (await client.ask(m.Login, others["a"], "")).roles == (("seat", other, "a"),)
            assert type(await client.ask(m.Ping)) is m.Pong
            assert (await client.ask(m.Choices, game, "a", ())).code == "not_allowed"


async def test_a_hung_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Health says so, lists are refused after a moment, figures are those of the others, their
    games go on; a stop does not wait for it."""
    monkeypatch.setattr(errands, "ANSWER_SECONDS", 0.3)
    monkeypatch.setattr(workers, "END_SECONDS", 0.1)
    with trio.fail_after(120):
        async with serving(tmp_path / "data", 3, http=HTTP, stop_seconds=0.5) as up:
            games = await new_games(up, 3)
            client = await linked(up.web[0][1])
            await client.greet()
            for game, _ in games:
                await client.ask(m.Subscribe, game, -1, "public")
            os.kill(workers_of(os.getpid())[0], signal.SIGSTOP)
            health = await get(up, "/health")
            assert (health.status, health.json) == (
                503,
                {"ok": False, "why": "process", "time_sure": True},
            )
            assert (await get(up, "/api/games")).status == 503
            figures = (await get(up, "/metrics")).body.decode()
            assert (
                sum(f'warledger_connections{{worker="{worker}"}}' in figures for worker in "012")
                == 2
            )
            assert (await client.ask(m.Games, "", "", 10)).code == "stopping"
            assert type(await client.ask(m.Head, games[0][0])) is m.HeadIs
        while type(last := await client.hear()) is m.Records:
            pass
        assert type(last) is m.Goodbye


async def test_a_stop_reaches_those_at_links(tmp_path: Path) -> None:
    """A client who follows games of every process hears goodbye, and nothing after it."""
    async with serving(tmp_path / "data", 3, http=HTTP) as up:
        clients = []
        for game, _ in await new_games(up, 3):
            for client in (
                await linked(up.web[0][1]),
                Client(await trio.open_tcp_stream("127.0.0.1", up.port)),
            ):
                await client.greet()
                clients.append(client)
                assert type(await client.ask(m.Subscribe, game, 0, "public")) is m.Subscribed
                for other, _ in await new_games(up, 3):
                    assert type(await client.ask(m.Subscribe, other, 0, "public")) is m.Subscribed
    for client in clients:
        assert type(await client.hear()) is m.Goodbye
        assert await client.hear() is None


async def test_bounds_hold_after_a_hand_over(tmp_path: Path) -> None:
    """One address has no more connections for being brought to another process; readers behind a
    proxy are counted one by one there."""
    limits = HttpLimits(requests_per_second=0.01, requests_burst=2)
    settings = {
        "limits": ServerLimits(connections_per_address=4),
        "http_limits": limits,
        "proxies": ("127.0.0.1",),
        "http": HTTP,
    }
    async with serving(tmp_path / "data", **settings) as up:
        game = (await new_games(up, 2))[1][0]
        served, clients = 0, []
        for _ in range(6):
            clients.append(client := await client_of(up))
            await client.say(m.Subscribe, game, 0, "public")
            served += await client.hear() is not None
        assert served == 4
        for reader in range(6):
            assert (
                await get(up, f"/api/games/{game}", **{"X-Forwarded-For": f"192.0.2.{reader}"})
            ).status == 200


def some_errands(
    end: socket.socket, nursery: trio.Nursery, log: Any, **acts: errands.Act
) -> Errands:
    async def take(*_: object) -> None:
        raise AssertionError

    return Errands(Line(end), acts, take, nursery.start_soon, log)


async def test_what_goes_wrong_there_is_told_here() -> None:
    """A bug met by another process, or a third one that it needed and that is gone, is told to the
    one who asked; the line stands."""

    async def bug() -> None:
        raise KeyError

    async def gone() -> None:
        raise LineBroken

    async def well() -> str:
        return ""

    async with server() as up, trio.open_nursery() as nursery:
        ours, theirs = pair()
        here, there = (
            some_errands(ours, nursery, up.hub.log),
            some_errands(theirs, nursery, up.hub.log, bug=bug, gone=gone, well=well),
        )
        nursery.start_soon(here.run)
        nursery.start_soon(there.run)
        with pytest.raises(NotDone):
            await here.ask("bug")
        with pytest.raises(LineBroken):
            await here.ask("gone")
        assert await here.ask("well") == ""
        nursery.cancel_scope.cancel()


async def test_a_host_who_goes_before_his_game_is_made() -> None:
    """Another process makes it all the same, and it is found there."""
    async with server() as up, trio.open_nursery() as nursery:
        ours, theirs = pair()
        lead = Lead(Own(up.hub, lambda *_: None), {1: some_errands(ours, nursery, up.hub.log)})
        lead._next = 1
        async with trio.open_nursery() as asking:
            asking.start_soon(partial(lead.create, "counting", {}, {}))
            (_, _, act, args), _ = await Line(theirs).receive()
            asking.cancel_scope.cancel()
        assert act == "make"
        assert await lead.keeper(args[0]) == 1


async def test_junk_among_the_shards(tmp_path: Path) -> None:
    """A file that lies where a shard might stand hides none of the others."""
    data = tmp_path / "data"
    for worker in (0, 1):
        async with open_shards(data, worker, 2):
            pass
    (data / SHARDS / "7").touch()
    assert shards(data) == [0, 1]


def test_the_folder_it_is_started_in(tmp_path: Path) -> None:
    """What lies there is not imported by any process; Ctrl-C comes to the lead alone, and is a
    stop in good order."""
    (tmp_path / "trio.py").write_text("raise SystemExit('imported')")
    outside = os.pathsep.join(path for path in sys.path if path)
    call = [sys.executable, "-P", "-c", PROGRAM, str(tmp_path / "data")]
    env = {**os.environ, "PYTHONPATH": outside}
    with subprocess.Popen(
        call, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        json.loads(process.stdout.readline())
        assert all(os.getpgid(worker) != process.pid for worker in workers_of(process.pid))
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(30) == 0
