"""The gateway on real sockets: TLS, a peer that takes nothing, a stop."""

import socket
from pathlib import Path

import h11
import pytest
import trio

from tests.gateway.rig import fetch, opened
from tests.serve.rig import Client, certified
from tests.serve.wire.test_sockets import serving
from warledger.engine.serve.config import BadConfig, Config, HttpLimits
from warledger.protocol.wire import messages as m


async def test_https_and_wss(tmp_path: Path) -> None:
    """With a certificate the HTTP address speaks TLS, and says that it always will."""
    context = certified(tmp_path)
    keys = {"tls_cert": tmp_path / "cert.pem", "tls_key": tmp_path / "key.pem"}
    async with serving(tmp_path / "data", http=("127.0.0.1", 0), **keys) as up:

        async def stream() -> trio.abc.Stream:
            plain = await trio.open_tcp_stream("127.0.0.1", up.web[0][1])
            return trio.SSLStream(
                plain, context, server_hostname="localhost", https_compatible=True
            )

        answer = await fetch(await stream(), h11.Connection(h11.CLIENT), "/health")
        assert (answer.status, "strict-transport-security" in answer.headers) == (200, True)
        client = Client(await opened(await stream()))
        await client.greet()
        assert type(await client.ask(m.Ping)) is m.Pong


async def test_a_peer_that_takes_nothing_is_closed(tmp_path: Path) -> None:
    """Whoever asks and does not read is let go after the stall time, and others are served
    meanwhile."""
    limits = HttpLimits(stall_seconds=0.2)
    async with serving(tmp_path, http=("127.0.0.1", 0), http_limits=limits) as up:
        port = up.web[0][1]
        greedy = socket.socket()
        greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        greedy.connect(("127.0.0.1", port))
        greedy.setblocking(False)
        asked = b"GET /api/phrases/en HTTP/1.1\r\nHost: x\r\n\r\n"
        with trio.fail_after(30):
            while True:
                try:
                    greedy.send(asked * 20)
                except BlockingIOError:
                    pass
                except OSError:
                    break  # the server has hung up
                answer = await fetch(
                    await trio.open_tcp_stream("127.0.0.1", port),
                    h11.Connection(h11.CLIENT),
                    "/health",
                )
                assert answer.status == 200
                await trio.sleep(0.05)  # in real time: a real socket stalls
        greedy.close()
        assert up.hub.metrics.faults == 0


def test_settings_that_cannot_be(tmp_path: Path) -> None:
    """A port out of range, an origin with a path, a name with a port, a proxy by name and a page
    not there are refused in words."""
    for settings in (
        {"http": ("127.0.0.1", 70000)},
        {"origins": ("club.example.org",)},
        {"origins": ("https://club.example.org/page",)},
        {"names": ("http://club.example.org",)},
        {"names": ("club.example.org:8080",)},
        {"proxies": ("localhost",)},
        {"page": tmp_path / "nothing"},
    ):
        with pytest.raises(BadConfig):
            Config(tmp_path, **settings)
