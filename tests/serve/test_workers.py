"""A server of several processes: it is one server to whoever plays, watches, hosts, or reads its
directory."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import h11
import pytest
import trio
from attrs import frozen

from tests.gateway.rig import Answer, fetch, opened
from tests.serve.rig import Client, certified, gapless, offer, sit_down
from tests.serve.test_sockets import client_of
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit
from warledger.clients.commands.local import exported
from warledger.engine.desk import accounts, people
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import BadConfig, Config
from warledger.engine.serve.workers import WorkerLost
from warledger.engine.store.backup import backup
from warledger.engine.store.check import check
from warledger.engine.store.port import DataDirError
from warledger.engine.store.shards import all_games, folder_of, folders, open_shards, shards
from warledger.protocol import accountmessages as am
from warledger.protocol import messages as m


@asynccontextmanager
async def serving(data: Path, workers: int = 2, **settings: Any) -> AsyncIterator[Serving]:
    """A server of several processes on a free port of loopback."""
    config = Config(data, port=0, log_level="error", workers=workers, **settings)
    async with trio.open_nursery() as nursery:

        async def run(task_status: trio.TaskStatus[Serving]) -> None:
            await serve(config, offer=offer, signals=False, task_status=task_status)

        with trio.fail_after(60):
            yield await nursery.start(run)
        nursery.cancel_scope.cancel()


@frozen
class Up:
    """A server in a process of its own, for tests that only speak with it."""

    port: int
    http: int
    token: str
    data: Path

    async def get(self, path: str, **headers: str) -> Answer:
        """A request by HTTP."""
        async with await trio.open_tcp_stream("127.0.0.1", self.http) as stream:
            return await fetch(stream, h11.Connection(h11.CLIENT), path, headers=headers)

    async def moved(self) -> int:
        """How many connections the lead has handed to others."""
        figures = (await self.get("/metrics", Authorization=f"Bearer {self.token}")).body.decode()
        found = re.search(r'warledger_connections_moved_total\{worker="0"\} (\d+)', figures)
        assert found is not None
        return int(found[1])


PROGRAM = """
import json, sys
from functools import partial
from pathlib import Path
import trio
from warledger.engine.serve.app import serve
from warledger.engine.serve.config import Config
from tests.serve.rig import offer
async def main():
    async with trio.open_nursery() as nursery:
        web = ("127.0.0.1", 0)
        config = Config(Path(sys.argv[1]), port=0, http=web, log_level="error", workers=3)
        up = await nursery.start(partial(serve, config, offer=offer))
        print(json.dumps([up.port, up.web[0][1], up.token]), flush=True)
trio.run(main)
"""


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A server of three processes that the tests of this file share."""
    data = tmp_path_factory.mktemp("shared") / "data"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(data)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield Up(*json.loads(process.stdout.readline()), data)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


Given = dict[str, str]
Games = list[tuple[str, Given]]
"""Ids and seats' tokens."""


async def new_games(
    up: Serving | Up, count: int = 2, *, turns: int = 50, delay_s: int = 0
) -> Games:
    """New games, one in each process in turn; the lead is first when the server has just begun."""
    host = await client_of(up, up.token)
    made = []
    for _ in range(count):
        created = await host.ask(m.CreateGame, "counting", {"turns": turns}, delay_s)
        assert type(created) is m.Created, created
        made.append((created.game, dict(created.tokens)))
    return made


async def seated(client: Client, game: str, given: Given) -> None:
    """The client in both seats of a game."""
    for seat in "ab":
        answer = await client.ask(m.Login, given[seat], "")
        assert type(answer) is m.LoggedIn and ("seat", game, seat) in answer.roles, answer
    await sit_down(client, game)


async def moves(client: Client, game: str, count: int = 4, first: int = 0) -> m.Accepted:
    """Play some commands; the last answer."""
    for step in range(first, first + count):
        answer = await client.submit(game, "ab"[step % 2], "pass")
        assert type(answer) is m.Accepted, answer
    assert type(answer) is m.Accepted
    return answer


async def test_every_player_finds_his_game(up: Up) -> None:
    """New games go to the processes in turn; a player is brought to his by his token, whichever it
    is, and a spectator by its id."""
    before = await up.moved()
    for game, given in await new_games(up, 3):
        client = await client_of(up)
        await seated(client, game, given)
        watcher = await client_of(up)
        assert type(await watcher.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
        answer = await moves(client, game)
        assert gapless(await watcher.until((game, "public"), answer.head.seq))
    assert (
        await up.moved() - before == 4
    )  # the players and spectators of the two games that the lead does not keep


async def test_one_connection_in_games_of_several_processes(up: Up) -> None:
    """It sits in three games at once and follows them all; each of its requests gets one answer,
    each game's records come without a gap."""
    games = await new_games(up, 3)
    client = await client_of(up)
    for game, given in games:
        await seated(client, game, given)
        assert type(await client.ask(m.Subscribe, game, -1, "a")) is m.Subscribed
    last = {}
    for step in range(4):
        for game, _ in games:
            last[game] = await moves(client, game, 1, step)
    for game, answer in last.items():
        assert gapless(await client.until((game, "a"), answer.head.seq))
    roles = (await client.ask(m.Login, games[0][1]["a"], "")).roles
    assert {role[1] for role in roles} == {game for game, _ in games}
    assert type(await client.ask(m.Unsubscribe, games[1][0], "a")) is m.Unsubscribed
    refused = await client.ask(m.Subscribe, games[2][0], -1, "a")
    assert type(refused) is m.Error and refused.code == "subscribed"


async def test_a_connection_that_goes_to_and_fro(up: Up) -> None:
    """Asked about one game after the other it moves a few times, then stays and reaches the other
    by a link: answers are alike."""
    games = await new_games(up, 2)
    client = await client_of(up, games[0][1]["a"])
    for _ in range(10):
        for game, _ in games:
            assert (await client.ask(m.Head, game)).head.game == game
    answer = await client.ask(m.Login, games[1][1]["b"], "Bert")
    assert answer.roles == (("seat", games[0][0], "a"), ("seat", games[1][0], "b"))
    assert type(await client.ask(m.Choices, games[1][0], "b", ())) is m.Refused


async def test_a_host_sees_one_server(up: Up) -> None:
    """Lists, pages of lists, new tokens and replacements go over all processes; a token that was
    replaced is worth nothing in any."""
    games = await new_games(up, 7, delay_s=3600)
    host = await client_of(up, up.token)
    told = await host.ask(m.Games, "", "", 1000)
    ids = [row["game"] for row in told.games]
    assert ids == sorted(ids) and not told.more
    assert set(ids) >= {game for game, _ in games}
    found, after, more = [], "", True
    while more:
        page = await host.ask(m.Games, "", after, 2)
        found += [row["game"] for row in page.games]
        after, more = found[-1], page.more
    assert found == ids
    for game, given in games[:3]:
        client = await client_of(up)
        await seated(client, game, given)
        rows = (await client.ask(m.Games, "", "", 1000)).games
        assert {row["game"]: row["seq"] for row in rows}[
            game
        ] > 0  # who sits in a delayed game sees it live in lists, too
        stranger = await client_of(up)
        rows = (await stranger.ask(m.Games, "", "", 1000)).games
        assert {row["game"]: row["seq"] for row in rows}[game] == 0
        token = (await host.ask(m.NewToken, game, "a")).token
        assert (await client.hear()).code == "not_allowed"
        refused = await (await told_hello(up)).ask(m.Login, given["a"], "")
        assert (type(refused), refused.code) == (m.Error, "login")
        assert (
            type(await (await client_of(up, token)).ask(m.Choices, game, "a", ())) is m.ChoicesAre
        )
        # A host who follows a game of one process makes games, and asks about them, in all.
        assert type(await host.ask(m.Subscribe, game, -1, "arbiter")) is m.Subscribed
    for _ in range(3):
        created = await host.ask(m.CreateGame, "counting", {}, 0)
        assert type(await host.ask(m.NewToken, created.game, "b")) is m.Token
    for _ in range(3):
        failure = await host.ask(m.CreateGame, "counting", {"turns": 0}, 0)
        assert (type(failure), failure.code) == (m.Error, "bad_option")


async def told_hello(up: Up) -> Client:
    """A client that has said hello and has not logged in."""
    client = Client(await trio.open_tcp_stream("127.0.0.1", up.port))
    assert type(await client.ask(m.Hello, m.VERSION, "test")) is m.Welcome
    return client


async def test_an_account_is_one_in_all_processes(up: Up) -> None:
    """Its seats are held in every process, on a connection that moves and on one that stays; its
    list has the games of all; a device that is signed out is out everywhere."""
    db = people.database(up.data)
    world = SystemAmbient()
    handle = f"Anna{world.now_ms() % 10**9}"

    def made(at: sqlite3.Connection) -> list[str]:
        id = accounts.create(at, world, "rig", handle)
        return [accounts.add_device(at, world, id, "test", kept=True) for _ in range(3)]

    here, there, elsewhere = await world.blocking(lambda: db.run(made))
    games = await new_games(up, 3)
    first = await client_of(up, here)
    for game, given in games:
        await seated(first, game, given)
    second = await client_of(up, there)
    assert type(await second.ask(m.Subscribe, games[0][0], -1, "a")) is m.Subscribed
    for game, _ in games:
        assert type(await second.ask(m.Choices, game, "a", ())) is m.ChoicesAre
    rows = (await second.ask(am.MyGames)).games
    assert {row["game"] for row in rows} == {game for game, _ in games}
    assert all(row["mine"] == ("a", "b") for row in rows)
    third = await client_of(up, elsewhere)
    assert type(await third.ask(m.Choices, games[2][0], "a", ())) is m.ChoicesAre
    devices = (await third.ask(am.Account)).account["devices"]
    for device in devices:
        if not device["here"]:
            await third.ask(am.ChangeAccount, "drop_device", device["id"], "")
    for gone in (first, second):
        with trio.fail_after(30):
            while type(heard := await gone.hear()) is m.Records:
                pass
        assert heard is None or type(heard) in (m.Error, m.Goodbye)
    db.close()


async def test_a_game_that_nobody_keeps(up: Up) -> None:
    """It is unknown, whoever is asked; a seat's token of no game is no login."""
    for game, given in await new_games(up, 3):
        client = await client_of(up, given["a"])
        assert (await client.ask(m.Head, game)).head.game == game
        for name in ("nothere", "../../etc/passwd", "0"):
            answer = await client.ask(m.Head, name)
            assert (type(answer), answer.code) == (m.Error, "unknown_game")
    answer = await (await told_hello(up)).ask(m.Login, "nothere:" + "x" * 43, "")
    assert (type(answer), answer.code) == (m.Error, "login")


@pytest.mark.parametrize("named", [True, False])
async def test_the_web_sees_one_server(up: Up, tmp_path: Path, named: bool) -> None:
    """Every path of a game, the list, figures and health speak of all processes; a WebSocket plays
    in any game, and goes to its process when its address names it."""
    games = await new_games(up, 3, turns=2)
    before = await up.moved()
    for game, given in games:
        socket = await trio.open_tcp_stream("127.0.0.1", up.http)
        client = Client(await opened(socket, f"/ws?game={game}" if named else "/ws"))
        await client.greet(given["a"])
        await seated(client, game, given)
        assert type(await client.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
        assert (await up.get(f"/archive/{game}.wlog")).status == 409
        answer = await moves(client, game, 4)
        assert gapless(await client.until((game, "public"), answer.head.seq))
        assert gapless(await client.until_whole((game, "public")))
        assert (await up.get(f"/api/games/{game}")).json["stage"] == "ended"
        board = await up.get(f"/api/games/{game}/board")
        assert (board.status, board.json["title"]) == (200, "counting")
        assert (
            await up.get(f"/api/games/{game}/board", **{"If-None-Match": board.headers["etag"]})
        ).status == 304
        file = tmp_path / "game.wlog"
        file.write_bytes((await up.get(f"/archive/{game}.wlog")).body)
        assert file.read_bytes() == exported(up.data, game)
    assert await up.moved() - before == (2 if named else 0)
    listed = (
        await up.get(f"/api/games?most={900 + named}")
    ).json  # one that nobody asked for yet: each is kept for a second
    assert {row["game"] for row in listed["games"]} >= {game for game, _ in games}
    assert (await up.get("/api/games/nothere")).status == 404
    assert (await up.get("/health")).json == {"ok": True, "why": "", "time_sure": True}
    figures = (await up.get("/metrics", Authorization=f"Bearer {up.token}")).body.decode()
    for worker in ("0", "1", "2"):
        assert f'warledger_commands_accepted_total{{worker="{worker}"}}' in figures
    assert figures.count("# TYPE warledger_commands_accepted_total") == 1
    assert "commands_accepted" not in (await up.get("/metrics")).body.decode()


async def test_tls_to_any_process(tmp_path: Path) -> None:
    """A connection that is encrypted is served by the lead throughout, and plays in another
    process's game by a link."""
    context = certified(tmp_path)
    async with serving(
        tmp_path / "data", tls_cert=tmp_path / "cert.pem", tls_key=tmp_path / "key.pem"
    ) as up:

        async def secure(token: str) -> Client:
            stream = await trio.open_tcp_stream("127.0.0.1", up.port)
            client = Client(trio.SSLStream(stream, context, server_hostname="localhost"))
            await client.greet(token)
            return client

        host = await secure(up.token)
        games = [await host.ask(m.CreateGame, "counting", {}, 0) for _ in range(2)]
        for created in games:
            client = await secure(dict(created.tokens)["a"])
            await seated(client, created.game, dict(created.tokens))
            watcher = await secure("")
            await watcher.ask(m.Subscribe, created.game, -1, "public")
            answer = await moves(client, created.game)
            assert gapless(await watcher.until((created.game, "public"), answer.head.seq))
        # Wrong tokens for a game elsewhere count as they do here: the connection ends at the third.
        stranger = Client(
            trio.SSLStream(
                await trio.open_tcp_stream("127.0.0.1", up.port),
                context,
                server_hostname="localhost",
            )
        )
        await stranger.ask(m.Hello, m.VERSION, "test")
        for _ in range(2):
            assert (await stranger.ask(m.Login, f"{games[1].game}:wrong", "")).code == "login"
        await stranger.say(m.Login, f"{games[1].game}:wrong", "")
        last = await stranger.hear()
        assert (last.code, last.fatal) == ("login", True)
        assert up.hub.metrics.connections_moved == 0


async def test_another_number_of_processes(tmp_path: Path) -> None:
    """A directory that two processes served is served whole by one; its tools read all of it;
    nothing is moved."""
    data = tmp_path / "data"
    last: dict[str, int] = {}
    async with serving(data) as up:
        games = await new_games(up, 2)
        for game, given in games:
            client = await client_of(up)
            await seated(client, game, given)
            last[game] = (await moves(client, game)).head.seq
        assert [
            finding for finding in check(data) if finding.damage
        ] == []  # beside the running server
        made = backup(data, tmp_path / "copy")
        assert (made.games, made.damaged) == (2, ())
    assert type(await client.hear()) is m.Goodbye
    assert check(data) == [] and check(tmp_path / "copy") == []
    assert all_games(data) == all_games(tmp_path / "copy") == sorted(last)
    for game in last:
        file = tmp_path / f"{game}.wlog"
        file.write_bytes(exported(tmp_path / "copy", game))
        assert exported(data, game) == file.read_bytes()
        assert is_clean(audit(file.read_bytes())[0])
    async with serving(data, 1) as up:
        for game, given in games:
            client = await client_of(up, given["a"])
            await client.ask(m.Login, given["b"], "")
            await moves(client, game, 2)
        await new_games(up, 1)
    assert len(all_games(data)) == 3
    assert shards(data) == [0, 1]


async def test_a_damaged_shard(tmp_path: Path) -> None:
    """Damage in one process's part is found by `check`; the server does not begin with it, and says
    which file it is."""
    data = tmp_path / "data"
    async with serving(data) as up:
        await new_games(up, 2)
    (folder_of(data, 1) / "checkpoint").write_bytes(b"nonsense")
    assert [finding.place for finding in check(data)] == [str(folder_of(data, 1) / "checkpoint")]
    with pytest.raises(BaseExceptionGroup) as raised:
        await serve(Config(data, port=0, log_level="error", workers=2), offer=offer, signals=False)
    assert any("shards/1/checkpoint" in str(error) for error in leaves(raised.value, WorkerLost))
    with pytest.raises(DataDirError):
        await serve(Config(data, port=0, log_level="error"), offer=offer, signals=False)


def leaves(
    group: BaseExceptionGroup[BaseException], kind: type[BaseException]
) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += (
            leaves(error, kind)
            if isinstance(error, BaseExceptionGroup)
            else [error]
            if isinstance(error, kind)
            else []
        )
    return found


def workers_of(process: int) -> list[int]:
    """The workers that a process has started."""
    children = [
        child
        for task in Path(f"/proc/{process}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return [
        int(child)
        for child in children
        if b"engine.serve.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


async def test_a_lost_process_stops_the_server_in_good_order(tmp_path: Path) -> None:
    """When one is killed the others finish what is under way and say goodbye; nothing acknowledged
    is lost; the next start has it all."""
    data = tmp_path / "data"
    heads: dict[str, Any] = {}
    with pytest.raises(BaseExceptionGroup) as raised:
        async with serving(data) as up:
            games = await new_games(up, 2)
            clients = []
            for game, given in games:
                client = await client_of(up)
                await seated(client, game, given)
                heads[game] = (await moves(client, game)).head
                clients.append(client)
            for child in workers_of(os.getpid()):
                os.kill(child, signal.SIGKILL)
            assert type(await clients[0].hear()) is m.Goodbye
            with pytest.raises((trio.BrokenResourceError, AssertionError)):
                assert await clients[1].hear() is not None
            await trio.sleep_forever()
    assert "start the server again" in str(leaves(raised.value, WorkerLost)[0])
    async with serving(data) as up:
        for game, head in heads.items():
            assert (await (await client_of(up)).ask(m.Head, game)).head == head


async def test_a_directory_being_made(tmp_path: Path) -> None:
    """A shard of which no more than the folder stands is none yet; names that are no numbers are
    none either."""
    async with open_shards(tmp_path / "data"):
        pass
    for name in ("1", "02", "x", "0"):
        (tmp_path / "data" / "shards" / name).mkdir(parents=True)
    (tmp_path / "data" / "shards" / "1" / "lock").touch()
    assert folders(tmp_path / "data") == [tmp_path / "data"]
    assert check(tmp_path / "data") == []
    async with open_shards(tmp_path / "data", 1, 2):
        assert shards(tmp_path / "data") == [0, 1]


def test_the_number_of_processes_has_bounds(tmp_path: Path) -> None:
    """None, or hundreds, are told."""
    for workers in (0, -1, 65):
        with pytest.raises(BadConfig, match="not a valid number of processes"):
            Config(tmp_path, workers=workers)
