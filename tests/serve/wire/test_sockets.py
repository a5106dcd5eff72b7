"""The server as a process's own: real sockets, TLS, signals, files."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
import trio
import trio.testing

from tests.serve.rig import TITLES, Client, certified, gapless, sit_down
from warledger.engine.serve import serversecrets
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import BadConfig, Config, ServerLimits, address
from warledger.engine.store.port import DataDirLocked
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import to_frame


@asynccontextmanager
async def serving(data: Path, **settings: Any) -> AsyncIterator[Serving]:
    """A server on a free port of loopback."""
    config = Config(data, port=0, log_level="error", **settings)
    async with trio.open_nursery() as nursery:

        async def run(task_status: trio.TaskStatus[Serving]) -> None:
            await serve(config, titles=TITLES, signals=False, task_status=task_status)

        yield await nursery.start(run)
        nursery.cancel_scope.cancel()


class Reachable(Protocol):
    """A server that listens."""

    @property
    def port(self) -> int:
        """The TCP port."""


async def client_of(up: Reachable, token: str = "") -> Client:
    """A client over TCP."""
    client = Client(await trio.open_tcp_stream("127.0.0.1", up.port))
    await client.greet(token)
    return client


async def game_under_way(up: Serving, turns: int = 50) -> tuple[str, Client]:
    """A game, and a client in both seats."""
    host = await client_of(up, up.token)
    created = await host.ask(m.CreateGame, "counting", {"turns": turns, "epoch_turns": 100}, 0)
    client = await client_of(up, dict(created.tokens)["a"])
    await client.ask(m.Login, dict(created.tokens)["b"], "")
    await sit_down(client, created.game)
    return created.game, client


async def test_a_game_over_tcp_and_a_restart(tmp_path: Path) -> None:
    """A game is played over real sockets; being cancelled is a graceful stop; the next start has
    the game, the host's token and the key."""
    async with serving(tmp_path / "data") as up:
        game, client = await game_under_way(up)
        watcher = await client_of(up)
        await watcher.ask(m.Subscribe, game, -1, "public")
        for step in range(20):
            answer = await client.submit(game, "ab"[step % 2], "roll")
            assert type(answer) is m.Accepted
        assert gapless(await watcher.until((game, "public"), answer.head.seq))
        first = up
    assert type(await client.hear()) is m.Goodbye
    assert first.token_is_new
    assert stat.S_IMODE(os.stat(first.token_file).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(tmp_path / "data" / serversecrets.KEY_FILE).st_mode) == 0o600
    async with serving(tmp_path / "data") as up:
        assert (up.token, up.token_is_new) == (first.token, False)
        watcher = await client_of(up)
        head = (await watcher.ask(m.Head, game)).head
        assert head == answer.head


async def test_a_second_server_is_refused(tmp_path: Path) -> None:
    """Two servers never share a data directory."""
    async with serving(tmp_path / "data"):
        with pytest.raises(DataDirLocked):
            await serve(
                Config(tmp_path / "data", port=0, log_level="error"), titles=TITLES, signals=False
            )


async def test_tls(tmp_path: Path) -> None:
    """With a certificate the whole conversation is encrypted; a plain client is turned away without
    harm."""
    context = certified(tmp_path)
    async with serving(
        tmp_path / "data", tls_cert=tmp_path / "cert.pem", tls_key=tmp_path / "key.pem"
    ) as up:
        plain = await trio.open_tcp_stream("127.0.0.1", up.port)
        await plain.send_all(to_frame(m.Hello(1, 1, "plain")))
        with trio.fail_after(5):
            while await plain.receive_some(100):
                pass

        async def secure(token: str) -> Client:
            stream = await trio.open_tcp_stream("127.0.0.1", up.port)
            client = Client(trio.SSLStream(stream, context, server_hostname="localhost"))
            await client.greet(token)
            return client

        host = await secure(up.token)
        created = await host.ask(m.CreateGame, "counting", {}, 0)
        client = await secure(dict(created.tokens)["a"])
        await client.ask(m.Login, dict(created.tokens)["b"], "")
        await sit_down(client, created.game)
        watcher = await secure("")
        await watcher.ask(m.Subscribe, created.game, -1, "public")
        answer = await client.submit(created.game, "a", "pass")
        assert gapless(await watcher.until((created.game, "public"), answer.head.seq))


async def test_a_client_that_never_reads_over_tcp(tmp_path: Path) -> None:
    """Its socket fills up and its records wait in the store; players notice nothing, and when it
    reads all is there."""
    async with serving(tmp_path / "data") as up:
        game, client = await game_under_way(up, turns=4000)
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy_socket = trio.socket.from_stdlib_socket(sock)
        await lazy_socket.connect(("127.0.0.1", up.port))
        lazy = Client(trio.SocketStream(lazy_socket))
        await lazy.greet()
        await lazy.ask(m.Subscribe, game, -1, "public")
        [cursor] = up.hub.supervisor.games[game].channel("public").cursors.values()
        raw = cursor.out._pipe._sock  # type: ignore[attr-defined]
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        step = 0
        while cursor.live or step < 600:
            answer = await client.submit(game, "ab"[step % 2], "roll")
            step += 1
            assert type(answer) is m.Accepted
            assert step < 3000
        got = await lazy.until((game, "public"), answer.head.seq)
        assert gapless(got)


async def silent_connections(tmp_path: Path, count: int) -> None:
    """So many connections that say nothing: the oldest beyond the bound are closed, the others in
    time; players notice nothing."""
    limits = ServerLimits(login_seconds=1.0, strangers_per_address=count // 2)
    async with serving(tmp_path / "data", limits=limits) as up:
        game, client = await game_under_way(up)
        silent = [await trio.open_tcp_stream("127.0.0.1", up.port) for _ in range(count // 2)]
        late = [
            await trio.open_tcp_stream("127.0.0.1", up.port) for _ in range(count - len(silent))
        ]
        waits = []
        for step in range(40):
            began = trio.current_time()
            assert type(await client.submit(game, "ab"[step % 2], "add", 1)) is m.Accepted
            waits.append(trio.current_time() - began)
        assert sorted(waits)[len(waits) // 2] < 0.5, (
            waits
        )  # the usual one: single ones also wait for a busy disk
        with trio.fail_after(20):
            for stream in (*silent, *late):
                try:
                    while await stream.receive_some(1000):
                        pass
                except trio.BrokenResourceError:
                    pass
        assert up.hub.metrics.connections_evicted >= count - count // 2 - 1
        assert type(await client.ask(m.Ping)) is m.Pong


async def test_silent_connections_do_no_harm(tmp_path: Path) -> None:
    """Sixty of them."""
    await silent_connections(tmp_path, 60)


@pytest.mark.long
async def test_a_thousand_silent_connections_do_no_harm(tmp_path: Path) -> None:
    """A thousand of them."""
    await silent_connections(tmp_path, 1000)


PROGRAM = """
import sys, trio, json
from pathlib import Path
from warledger.engine.serve.app import serve
from warledger.engine.serve.config import Config
from tests.serve.rig import TITLES
async def main():
    async with trio.open_nursery() as nursery:
        async def run(task_status):
            await serve(Config(Path(sys.argv[1]), port=0), titles=TITLES, task_status=task_status)
        up = await nursery.start(run)
        print(json.dumps([up.port, up.token]), flush=True)
trio.run(main)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_stops_gracefully(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM: clients hear a goodbye, the exit code is 0, and what was accepted is in
    the file; the log is JSON."""
    process = subprocess.Popen(  # noqa: ASYNC220 - it must outlive a failing test's nursery to be killed in the end
        [sys.executable, "-c", PROGRAM, str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        line = await trio.to_thread.run_sync(process.stdout.readline)
        port, token = json.loads(line)
        host = Client(await trio.open_tcp_stream("127.0.0.1", port))
        await host.greet(token)
        created = await host.ask(m.CreateGame, "counting", {}, 0)
        process.send_signal(number)
        with trio.fail_after(10):
            assert type(await host.hear()) is m.Goodbye
            assert await host.hear() is None
            _, errors = await trio.to_thread.run_sync(process.communicate)
        assert process.returncode == 0
        events = [json.loads(row) for row in errors.splitlines()]
        assert [row["event"] for row in events if row["event"] != "serving"][-3:] == [
            "told to stop",
            "stopping",
            "stopped",
        ]
        assert any(row.get("game") == created.game for row in events)
        assert token not in errors
    finally:
        process.kill()
        process.wait()


async def test_what_a_server_makes_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Whatever the umask, which is as it was once the server has stopped. The public half of the
    key and what ids begin with are published."""
    data, before = tmp_path / "data", os.umask(0)
    try:
        async with serving(data) as up:
            host = await client_of(up, up.token)
            assert type(await host.ask(m.CreateGame, "counting", {}, 0)) is m.Created
        made = [data, *data.rglob("*")]
        open_to_others = {one.name for one in made if one.stat().st_mode & 0o077}
        assert len(made) > 8 and open_to_others <= {"server.pub", "giver"}
        assert os.umask(0) == 0
    finally:
        os.umask(before)


def test_everybody_may_read_the_public_key_and_nobody_the_others(tmp_path: Path) -> None:
    """The key's public half is for all who audit, whatever the umask and whatever an earlier
    release left; the key and the host's token are for the owner alone."""
    was = os.umask(0o077)
    try:
        for _ in range(2):
            serversecrets.signing_key(tmp_path, lambda n: bytes(n))
            serversecrets.host_token(tmp_path, lambda: "host:x")
            modes = {
                name: stat.S_IMODE((tmp_path / name).stat().st_mode)
                for name in ("server.key", "server.pub", "host.token")
            }
            assert modes == {"server.key": 0o600, "server.pub": 0o644, "host.token": 0o600}
            (tmp_path / "server.pub").chmod(0o600)
    finally:
        os.umask(was)


def test_bad_settings_are_told_with_what_to_do(tmp_path: Path) -> None:
    """Half a TLS setting, a port that is none, an address that cannot be had."""
    with pytest.raises(BadConfig, match="both a certificate and a key"):
        Config(tmp_path, tls_cert=tmp_path)
    with pytest.raises(BadConfig, match="is not a port"):
        Config(tmp_path, port=70000)
    assert address("localhost:80") == ("localhost", 80)
    assert address("[::1]:80") == ("::1", 80)
    assert address("::1") == ("::1", 7470)
    assert address(":81") == ("127.0.0.1", 81)
    assert address("example.org") == ("example.org", 7470)
    with pytest.raises(BadConfig):
        address("host:port")


async def test_a_taken_port_is_told(tmp_path: Path) -> None:
    """The message names the address and the option."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        with pytest.raises(BadConfig, match="--tcp"):
            await serve(
                Config(tmp_path / "d", port=sock.getsockname()[1], log_level="error"),
                titles=TITLES,
                signals=False,
            )
