"""Nonsense by HTTP and WebSocket harms nobody: no fault of ours, and the game goes on."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.gateway.rig import HOST, opened, web
from tests.serve.rig import started
from warledger.engine.serve.config import HttpLimits, ServerLimits
from warledger.protocol.wire import messages as m

MockClock = trio.testing.MockClock

PATHS = (
    "/",
    "/ws",
    "/main.js",
    "/api/games",
    "/api/titles",
    "/api/games/{game}",
    "/api/games/{game}/board",
    "/api/games/{game}/head",
    "/api/games/{game}/records",
    "/api/games/{game}/records?after=1&most=2",
    "/api/games/{game}.wlog",
    "/archive/x.wlog",
    "/metrics",
    "/health",
    "/api/phrases/en",
    "/..",
    "*",
)
METHODS = ("GET", "HEAD", "POST", "PUT", "CONNECT", "OPTIONS", "G\u00cbT")
HEADERS = (
    f"Host: {HOST}",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Connection: close",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Protocol: warledger.1",
    "Sec-WebSocket-Extensions: permessage-deflate",
    f"Origin: http://{HOST}",
    "Content-Length: 7",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    'If-None-Match: "x", W/',
    "Range: bytes=1-7",
    "Range: bytes=-0, 9-",
    "Accept-Encoding: gzip;q=x",
    "Authorization: Bearer x",
)


def request(rng: random.Random, game: str) -> bytes:
    """A request that may be right, changed in a few bytes or cut; of a game, or of one that there
    is not."""
    target = rng.choice(PATHS).format(game=game if rng.random() < 0.8 else "x")
    if rng.random() < 0.3:
        target += rng.choice(("?most=x", "%", "%ff", "?" + "a=b&" * 20, "%00", "\\", "#"))
    headers = rng.sample(HEADERS, rng.randint(0, 8))
    text = (
        f"{rng.choice(METHODS)} {target} HTTP/1.{rng.randint(0, 2)}\r\n"
        + "".join(f"{line}\r\n" for line in headers)
        + "\r\n"
    )
    data = bytearray(text.encode("latin-1") + rng.randbytes(rng.choice((0, 0, 7, 30))))
    for _ in range(rng.choice((0, 0, 1, 5))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(1, len(data) + 1)] if rng.random() < 0.2 else data)


def websocket_bytes(rng: random.Random) -> bytes:
    """A frame that may hold a message, be masked or not, be whole or not."""
    real = (
        m.Hello(1, m.VERSION, "x"),
        m.Login(2, "", ""),
        m.Games(3, "", "", 5),
        m.Subscribe(4, "g", -1, "public"),
        m.CreateGame(5, "counting", {}, 0),
    )
    payload = bytearray(
        m.encode(rng.choice(real)) if rng.random() < 0.7 else rng.randbytes(rng.randint(0, 200))
    )
    if payload and rng.random() < 0.4:
        payload[rng.randrange(len(payload))] = rng.randrange(256)
    head = rng.choice((0x82, 0x82, 0x82, 0x02, 0x80, 0x81, 0x88, 0x89, 0x8A, rng.randrange(256)))
    masked = 0x80 if rng.random() < 0.95 else 0
    size = len(payload)
    length = (
        bytes((masked | size,)) if size < 126 else bytes((masked | 126,)) + size.to_bytes(2, "big")
    )
    mask = rng.randbytes(4)
    body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    data = bytes((head,)) + length + (mask if masked else b"") + body
    return data[: rng.randrange(1, len(data) + 1)] if rng.random() < 0.05 else data


async def fuzz(folder: Path, count: int, seed: int) -> None:
    """Half requests, half frames on open WebSockets."""
    rng = random.Random(seed)
    limits = HttpLimits(requests_burst=10**9, requests_per_second=10**6)
    async with web(
        folder,
        limits=limits,
        server_limits=ServerLimits(frames_burst=10**6, strangers_per_address=10**6),
    ) as w:
        game, _, player = await started(w.up)
        sent, before = 0, len(w.up.hub.connections)
        while sent < count:
            stream = w.pipe()
            with suppress(trio.BrokenResourceError):
                if rng.random() < 0.5:
                    for _ in range(rng.randint(1, 6)):
                        await stream.send_all(request(rng, game))
                        sent += 1
                else:
                    await opened(stream)
                    if rng.random() < 0.6:
                        said = (m.Hello(1, m.VERSION, "fuzz"), m.Login(2, "", ""))
                        hello = [m.encode(one) for one in said]
                        for payload in hello:
                            await stream.send_all(
                                bytes((0x82, 0x80 | len(payload), 0, 0, 0, 0)) + payload
                            )
                    for _ in range(rng.randint(1, 6)):
                        await stream.send_all(websocket_bytes(rng))
                        sent += 1
            await trio.testing.wait_all_tasks_blocked()
            await stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert w.up.hub.metrics.faults == 0, f"seed {seed}"
        assert w.gateway._open == 0, f"seed {seed}"
        assert len(w.up.hub.connections) == before, f"seed {seed}"
        assert (await w.get("/main.js")).status == 200, f"seed {seed}"
        assert type(await player.submit(game, "a", "pass")) is m.Accepted, f"seed {seed}"


async def test_random_requests_and_frames_harm_nobody(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A few hundred of them: no fault, no socket left behind, and the game goes on."""
    await fuzz(tmp_path, 600, 1)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3])
async def test_ten_thousand_random_requests_and_frames_harm_nobody(
    tmp_path: Path, autojump_clock: MockClock, seed: int
) -> None:
    """The same with ten thousand."""
    await fuzz(tmp_path, 10_000, seed)
