"""Messages over a WebSocket: the same as over TCP, to the byte; who may open one; what is refused
on it."""

from contextlib import suppress
from pathlib import Path

import h11
import pytest
import trio
import trio.testing
from wsproto.events import BytesMessage, CloseConnection, Ping, Pong, Request, TextMessage

from tests.gateway.rig import HOST, Refused, WebSocket, fetch, opened, web
from tests.serve.rig import HOST_TOKEN, Client, gapless, new_game, sit_down, started
from warledger.engine.serve.config import HttpLimits, ServerLimits
from warledger.engine.serve.wire.websocket import SUBPROTOCOL, Wire
from warledger.protocol.limits import CLIENT_FRAME_BYTES_MAX
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import frame

MockClock = trio.testing.MockClock


async def greeted(socket: WebSocket) -> Client:
    """A client that has said hello over an open WebSocket."""
    client = Client(socket)
    await client.greet()
    return client


async def test_a_game_over_websockets(tmp_path: Path) -> None:
    """A host, two players and a spectator meet over WebSockets; the spectator's records are those
    of a spectator over TCP, to the byte."""
    async with web(tmp_path) as w:
        host = await w.client(HOST_TOKEN)
        created = await host.ask(m.CreateGame, "counting", {"turns": 3}, 0)
        tokens = dict(created.tokens)
        player = await w.client(tokens["a"])
        await player.ask(m.Login, tokens["b"], "")
        watcher, other = await w.client(), await w.up.client()
        for client in (watcher, other):
            assert (
                type(await client.ask(m.Subscribe, created.game, m.FROM_GENESIS, "public"))
                is m.Subscribed
            )
        await sit_down(player, created.game)
        assert type(await player.submit(created.game, "a", "pass")) is m.Accepted
        assert type(await player.submit(created.game, "b", "pass")) is m.Accepted
        key, last = (
            (created.game, "public"),
            w.up.hub.supervisor.games[created.game].profile.progress.seq,
        )
        seen, same = await watcher.until(key, last), await other.until(key, last)
        assert gapless(seen)
        assert seen == same


async def test_a_live_event_is_framed_once_for_all(tmp_path: Path) -> None:
    """What goes to many listeners is the same bytes object for each of them."""
    async with web(tmp_path) as w:
        game, _, player = await started(w.up)
        watchers = [await w.client() for _ in range(5)]
        for watcher in watchers:
            await watcher.ask(m.Subscribe, game, m.FROM_GENESIS, "public")
            await watcher.until(
                (game, "public"), w.up.hub.supervisor.games[game].profile.progress.seq
            )
        await trio.testing.wait_all_tasks_blocked()
        channel = w.up.hub.supervisor.games[game].channel("public")
        gathered: list[bytes] = []
        for cursor in channel._live:
            cursor.out._queued = True  # nobody flushes it, so that it can be looked at
        await player.submit(game, "a", "pass")
        for cursor in channel._live:
            gathered += cursor.out._out
            cursor.out.flush()
        assert len(gathered) == 5
        assert len({id(data) for data in gathered}) == 1
        for watcher in watchers:
            assert gapless(await watcher.until((game, "public"), channel.next_seq - 1))


def test_wire_frames_every_length() -> None:
    """Each frame of the stream becomes one unmasked binary frame, with the shortest length."""
    wire = Wire()
    for size, head in (
        (1, b"\x82\x01"),
        (125, b"\x82\x7d"),
        (126, b"\x82\x7e\x00\x7e"),
        (65536, b"\x82\x7f" + (65536).to_bytes(8, "big")),
    ):
        assert wire(frame(b"x" * size)) == head + b"x" * size
    assert wire(frame(b"a") + frame(b"bc")) == b"\x82\x01a\x82\x02bc"


async def test_who_may_open_one(tmp_path: Path) -> None:
    """Our own page, a site the operator named, and a program without Origin may; any other page may
    not."""
    async with web(tmp_path, origins=("https://club.example.org",)) as w:
        for origin in (f"http://{HOST}", f"https://{HOST}", "https://club.example.org", None):
            headers = {} if origin is None else {"Origin": origin}
            await greeted(await opened(w.pipe(), headers=headers))
        for origin in (
            "https://evil.example.net",
            f"https://{HOST}.evil.example.net",
            f"https://x@{HOST}",
            "null",
            "http://club.example.org",
            "",
        ):
            with pytest.raises(Refused) as refused:
                await opened(w.pipe(), headers={"Origin": origin})
            assert refused.value.status == 403, origin
        assert w.up.hub.metrics.faults == 0


async def test_a_name_that_points_here_is_not_ours_by_that(tmp_path: Path) -> None:
    """A page whose name was made to point here names itself as Origin and Host: only names that the
    operator gave, this machine's own, and addresses in numbers are ours."""
    async with web(tmp_path, names=("club.example.org",)) as w:
        named = ("club.example.org", "CLUB.example.org:8080", "localhost:8080", "page.localhost")
        for ours in (*named, "127.0.0.1:8080", "[::1]:8080", "192.0.2.7"):
            await greeted(await opened(w.pipe(), headers={"Origin": f"http://{ours}"}, host=ours))
        for foreign in (
            "evil.example.net",
            "evil.example.net:8080",
            "club.example.org.evil.example.net",
            "127.0.0.1.example.net",
        ):
            with pytest.raises(Refused) as refused:
                await opened(w.pipe(), headers={"Origin": f"http://{foreign}"}, host=foreign)
            assert refused.value.status == 403, foreign


async def test_an_origin_that_cannot_be_read_is_refused_and_no_fault(tmp_path: Path) -> None:
    """What is no origin gets 403; it is no bug of ours, and nothing is written to the log for
    it."""
    async with web(tmp_path) as w:
        for origin in (
            "http://[",
            "http://[::1",
            "http://]",
            "http://a:b",
            "http://a:99999",
            "//",
            "http://",
            "?",
            f"http://{HOST}/x",
        ):
            with pytest.raises(Refused) as refused:
                await opened(w.pipe(), headers={"Origin": origin})
            assert refused.value.status == 403, origin
        assert w.up.hub.metrics.faults == 0
        assert "fault" not in w.up.log.getvalue()


async def test_how_it_is_asked_for(tmp_path: Path) -> None:
    """The subprotocol may be named or left out; another one, another path or no upgrade are refused
    with a status that says so."""
    async with web(tmp_path) as w:
        await greeted(await opened(w.pipe(), subprotocol=SUBPROTOCOL))
        await greeted(await opened(w.pipe()))
        for path, subprotocol, status in (
            ("/ws", "chat", 400),
            ("/elsewhere", "", 404),
            ("/", "", 200),
        ):
            with pytest.raises(Refused) as refused:
                await opened(w.pipe(), path, subprotocol=subprotocol)
            assert refused.value.status == status
        assert (await w.get("/ws")).status == 426
        headers = {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "8",
            "Sec-WebSocket-Key": "x",
        }
        assert (await w.get("/ws", headers=headers)).status in (400, 426)
        assert (
            await w.get("/ws", method="POST", headers={**headers, "Sec-WebSocket-Version": "13"})
        ).status == 400
        old = (
            b"GET /ws HTTP/1.0\r\nUpgrade: websocket\r\nConnection: "
            b"Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n"
        )
        assert (await w.raw(old)).status == 400
        stream, speaker = w.pipe(), h11.Connection(h11.CLIENT)
        answer = await fetch(
            stream, speaker, "/", headers={"Upgrade": "h2c", "Connection": "Upgrade"}
        )
        assert answer.status == 200
        assert w.up.hub.metrics.faults == 0


async def test_bytes_sent_with_the_request_are_not_lost(tmp_path: Path) -> None:
    """Frames that come in one piece with the request for the WebSocket are answered like any."""
    async with web(tmp_path) as w:
        stream = w.pipe()
        socket = WebSocket(stream)
        asked = bytes(socket.ws.send(Request(host=HOST, target="/ws")))
        hello = bytearray(m.encode(m.Hello(1, m.VERSION, "early")))
        masked = bytes((0x82, 0x80 | len(hello), 0, 0, 0, 0)) + hello
        await stream.send_all(asked + masked)
        await socket.hear()
        client = Client(socket)
        client.session.send(m.Hello(1, m.VERSION, "early"))
        assert type(await client.hear()) is m.Welcome


async def closed_with(socket: WebSocket) -> tuple[list[m.Message], int]:
    """What the server still says, and the code it closes with."""
    client = Client(socket)
    said = []
    with suppress(Exception):
        client.session.send(m.Hello(1, m.VERSION, "x"))
    while (message := await client.hear()) is not None:
        said.append(message)
    assert socket.close is not None
    return said, int(socket.close.code)


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (TextMessage(data="hello"), 1003),
        (BytesMessage(data=b""), 1002),
        (BytesMessage(data=b"x" * (CLIENT_FRAME_BYTES_MAX + 1)), 1009),
        (BytesMessage(data=b"x" * 5000), 1000),
        (BytesMessage(data=b"nonsense"), 1000),
    ],
)
async def test_what_is_refused_on_it(
    tmp_path: Path, event: BytesMessage | TextMessage, code: int
) -> None:
    """Text, empty, too long and unreadable messages end the conversation with an error that says
    so, then with a close code."""
    async with web(tmp_path) as w:
        socket = await opened(w.pipe())
        await socket.say(event)
        said, found = await closed_with(socket)
        assert (found, [type(message) for message in said]) == (code, [m.Error])
        assert w.up.hub.metrics.peer_faults == 1


@pytest.mark.parametrize(
    "data",
    [
        b"\x82\x05hello",
        b"\xff\xff\xff\xff",
        b"\x80\x80\x00\x00\x00\x00",
        b"\xc2\x81\x00\x00\x00\x00x",
        b"\x89\xff" + bytes(8),
    ],
)
async def test_what_is_no_websocket_frame(tmp_path: Path, data: bytes) -> None:
    """An unmasked frame, unknown opcodes, a stray continuation, reserved bits and a long ping are
    protocol errors."""
    async with web(tmp_path) as w:
        socket = await opened(w.pipe())
        await socket.stream.send_all(data)
        assert (await closed_with(socket))[1] == 1002
        assert w.up.hub.metrics.faults == 0


async def test_fragments_make_one_message(tmp_path: Path) -> None:
    """A message in fragments, with a ping between them, is one message; endless fragments run into
    the bound."""
    async with web(tmp_path) as w:
        socket = await opened(w.pipe())
        payload = m.encode(m.Hello(1, m.VERSION, "x"))
        await socket.say(BytesMessage(data=payload[:3], message_finished=False))
        await socket.say(Ping(payload=b"now"))
        await socket.say(BytesMessage(data=payload[3:]))
        pong = await socket.hear()
        assert isinstance(pong, Pong)
        assert pong.payload == b"now"
        client = Client(socket)
        client.session.send(m.Hello(1, m.VERSION, "x"))
        assert type(await client.hear()) is m.Welcome
        with suppress(trio.BrokenResourceError):
            for _ in range(20):
                await socket.say(BytesMessage(data=b"x" * 4096, message_finished=False))
        while await client.hear() is not None:
            pass
        assert socket.close is not None
        assert socket.close.code == 1009


async def test_a_polite_close(tmp_path: Path) -> None:
    """A close is answered by a close, and the connection is forgotten."""
    async with web(tmp_path) as w:
        client = await w.client()
        socket = client.stream
        assert isinstance(socket, WebSocket)
        await socket.say(CloseConnection(code=1000))
        event = await socket.hear()
        assert isinstance(event, CloseConnection)
        assert await socket.hear() is None
        await trio.testing.wait_all_tasks_blocked()
        assert not w.up.hub.connections


async def test_a_silent_socket_is_pinged_and_closed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """A client that answers pings stays for ever; one that does not is closed after two rounds."""
    async with web(tmp_path, limits=HttpLimits(ping_seconds=30)) as w:
        alive, dead = await w.client(), await w.client()
        assert isinstance(alive.stream, WebSocket)
        async with trio.open_nursery() as nursery:

            async def answer() -> None:
                while isinstance(event := await alive.stream.hear(), Ping):  # type: ignore[attr-defined]
                    await alive.stream.say(event.response())  # type: ignore[attr-defined]

            nursery.start_soon(answer)
            await trio.sleep(300)
            nursery.cancel_scope.cancel()
        assert len(w.up.hub.connections) == 1
        assert type(await alive.ask(m.Ping)) is m.Pong
        assert await dead.hear() is None


async def test_a_stop_says_goodbye(tmp_path: Path) -> None:
    """A graceful stop says goodbye and closes."""
    async with web(tmp_path) as w:
        client = await w.client()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(w.up.stop)
            assert type(await client.hear()) is m.Goodbye
            assert await client.hear() is None
        with pytest.raises(Refused) as refused:
            await opened(w.pipe())
        assert refused.value.status == 503


async def test_a_flood_of_frames_is_read_slowly(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Tiny control frames count like messages: beyond the rate they wait, and only the newest ping
    of a read is answered."""
    async with web(
        tmp_path, server_limits=ServerLimits(frames_per_second=100, frames_burst=50)
    ) as w:
        client = await w.client()
        assert isinstance(client.stream, WebSocket)
        began = trio.current_time()
        await client.stream.stream.send_all(b"\x89\x80\x00\x00\x00\x00" * 500)
        assert type(await client.ask(m.Ping)) is m.Pong
        assert 4 < trio.current_time() - began < 6


async def test_bounds_on_sockets(tmp_path: Path) -> None:
    """Beyond its bound an address keeps the newest; a WebSocket counts among connections and not
    among HTTP's sockets."""
    limits = HttpLimits(sockets_per_address=2)
    async with web(
        tmp_path, limits=limits, server_limits=ServerLimits(connections_per_address=3)
    ) as w:
        held = [await w.client() for _ in range(3)]
        for client in held:
            assert type(await client.ask(m.Ping)) is m.Pong
        fourth = await w.client()
        assert w.up.hub.metrics.connections_evicted == 1
        assert (await held[0].hear()).code == "crowded"
        assert w.gateway._has_room("memory")
        one, two = w.pipe(), w.pipe()
        await trio.testing.wait_all_tasks_blocked()
        assert not w.gateway._has_room("memory")
        assert w.gateway._has_room("elsewhere")
        await one.aclose()
        await two.aclose()
        await fourth.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert w.gateway._has_room("memory")
        await w.client()


async def test_new_games_are_found(tmp_path: Path) -> None:
    """A game made over TCP is on the list that a WebSocket is given."""
    async with web(tmp_path) as w:
        game, _ = await new_game(w.up)
        client = await w.client()
        assert [entry["game"] for entry in (await client.ask(m.Games, "", "", 10)).games] == [game]


async def test_idle_sockets_keep_nobody_out(tmp_path: Path) -> None:
    """An address whose sockets all say nothing, or the server when all are taken, lets go of the
    oldest such one for whoever comes."""
    async with web(tmp_path, limits=HttpLimits(sockets_per_address=4, sockets=6)) as w:
        for peer in ("memory", "memory", "memory", "memory", "other", "memory", "third", "fourth"):
            w.gateway._make_room(peer)
            assert w.gateway._has_room(peer), peer
            w.pipe(peer)
            await trio.testing.wait_all_tasks_blocked()
            assert w.gateway._open <= 6
        w.gateway._make_room("memory")
        assert (await w.get("/")).status == 200
        assert w.gateway._sockets["other"] == 1
