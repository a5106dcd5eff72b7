"""A gateway over memory streams, a client that speaks HTTP by h11, and one that speaks messages
over a WebSocket by wsproto."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import h11
import trio
import trio.testing
from attrs import frozen
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    RejectConnection,
    RejectData,
)
from wsproto.events import Request as UpgradeRequest

from tests.serve.rig import Client, Server, server
from warledger.engine.serve.config import HttpLimits, ServerLimits
from warledger.engine.serve.http.gateway import Gateway
from warledger.engine.serve.http.pagefiles import Files
from warledger.engine.serve.wire.tcp import StreamPipe
from warledger.protocol.limits import FRAME_BYTES_MAX
from warledger.protocol.wire.session import FrameReader, frame

HOST = "games.example.org"

PAGE = {
    "index.html": '<!doctype html><html lang="en"><title>Warledger</title><script '
    'type="module" src="/main.js"></script></html>',
    "main.js": "export const answer = 42;\n" * 100,
    "css/board.css": "svg { fill: none }",
    "_hidden.js": "hidden",
    ".secret.js": "hidden",
    "notes.md": "hidden",
}
"""A page to serve."""


@frozen
class Answer:
    """An answer to a request: `headers` by lower-case name."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


class Web:
    """A gateway, and streams to it."""

    def __init__(self, up: Server, gateway: Gateway, nursery: trio.Nursery) -> None:
        self.up = up
        self.gateway = gateway
        self._nursery = nursery

    def pipe(self, peer: str = "memory") -> trio.abc.Stream:
        """A client's end of a new socket."""
        ours, theirs = trio.testing.memory_stream_pair()
        self._nursery.start_soon(self.gateway.serve, StreamPipe(theirs, peer))
        return ours

    async def get(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> Answer:
        """One request on a socket of its own."""
        stream = self.pipe()
        try:
            return await fetch(
                stream, h11.Connection(h11.CLIENT), path, method=method, headers=headers, body=body
            )
        finally:
            await stream.aclose()

    async def raw(self, data: bytes) -> Answer:
        """Whatever bytes, and the answer to them."""
        stream = self.pipe()
        await stream.send_all(data)
        speaker = h11.Connection(h11.CLIENT)
        speaker.send(h11.Request(method="GET", target="/", headers=[("Host", HOST)]))
        speaker.send(h11.EndOfMessage())
        return await hear(stream, speaker)

    async def client(self, token: str = "") -> Client:
        """A client that has logged in over a WebSocket."""
        client = Client(await opened(self.pipe()))
        await client.greet(token)
        return client


@asynccontextmanager
async def web(
    folder: Path,
    *,
    limits: HttpLimits | None = None,
    server_limits: ServerLimits | None = None,
    origins: tuple[str, ...] = (),
    names: tuple[str, ...] = (HOST,),
    is_named: bool = False,
    proxies: tuple[str, ...] = (),
    frames: tuple[str, ...] = (),
    **settings: Any,
) -> AsyncIterator[Web]:
    """A server with a gateway that serves PAGE, written into this folder."""
    for name, text in PAGE.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    async with server(limits=server_limits, **settings) as up, trio.open_nursery() as nursery:
        gateway = Gateway(
            up.hub,
            limits or HttpLimits(),
            nursery,
            origins=origins,
            names=names,
            is_named=is_named,
            proxies=proxies,
            frames=frames,
            files=Files(folder),
        )
        yield Web(up, gateway, nursery)
        nursery.cancel_scope.cancel()


async def fetch(
    stream: trio.abc.Stream,
    speaker: h11.Connection,
    path: str,
    *,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: bytes = b"",
) -> Answer:
    """A request on an open socket. `speaker` keeps what the socket is at."""
    fields = {
        "Host": HOST,
        **({"Content-Length": str(len(body))} if body else {}),
        **(headers or {}),
    }
    data = (
        speaker.send(h11.Request(method=method, target=path, headers=list(fields.items()))) or b""
    )
    if body:
        data += speaker.send(h11.Data(data=body)) or b""
    data += speaker.send(h11.EndOfMessage()) or b""
    await stream.send_all(data)
    return await hear(stream, speaker)


async def hear(stream: trio.abc.Stream, speaker: h11.Connection) -> Answer:
    """The answer to the request that was sent."""
    head: h11.Response | None = None
    body = b""
    while True:
        event = speaker.next_event()
        if event is h11.NEED_DATA:
            speaker.receive_data(bytes(await stream.receive_some(65536)))
        elif isinstance(event, h11.Response):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        else:
            assert head is not None, event
            headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
            if speaker.our_state is h11.DONE and speaker.their_state is h11.DONE:
                speaker.start_next_cycle()
            return Answer(head.status_code, headers, body)


class Refused(Exception):
    """The WebSocket was not granted; `status` is the answer's."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class WebSocket(trio.abc.Stream):
    """A WebSocket as a stream of frames, so that the other tests' client speaks over it. `close` is
    how the server closed it."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.ws = WSConnection(ConnectionType.CLIENT)
        self.close: CloseConnection | None = None
        self._frames = FrameReader(FRAME_BYTES_MAX)
        self._message = bytearray()

    async def say(self, event: Event) -> None:
        """Send an event."""
        await self.stream.send_all(bytes(self.ws.send(event)))

    async def hear(self) -> Event | None:
        """The next event; None once the socket is closed."""
        while True:
            for event in self.ws.events():
                return event
            data = bytes(await self.stream.receive_some(65536))
            if not data:
                return None
            self.ws.receive_data(data)

    async def send_all(self, data: Any) -> None:
        self._frames.receive_data(bytes(data))
        while (payload := self._frames.next_frame()) is not None:
            await self.say(BytesMessage(data=payload))

    async def wait_send_all_might_not_block(self) -> None:
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        while True:
            event = await self.hear()
            if event is None:
                return b""
            if isinstance(event, CloseConnection):
                self.close = event
                return b""
            if isinstance(event, BytesMessage):
                self._message += event.data
                if event.message_finished:
                    payload = bytes(self._message)
                    self._message.clear()
                    return frame(payload)

    async def aclose(self) -> None:
        await self.stream.aclose()


async def opened(
    stream: trio.abc.Stream,
    path: str = "/ws",
    *,
    headers: Mapping[str, str] | None = None,
    subprotocol: str = "",
    host: str = HOST,
) -> WebSocket:
    """A WebSocket over a stream. Raises Refused."""
    socket = WebSocket(stream)
    extra = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    await socket.say(
        UpgradeRequest(
            host=host,
            target=path,
            extra_headers=extra,
            subprotocols=[subprotocol] if subprotocol else [],
        )
    )
    event = await socket.hear()
    while isinstance(event, RejectData):
        event = await socket.hear()
    if isinstance(event, RejectConnection):
        raise Refused(event.status_code)
    assert isinstance(event, AcceptConnection), event
    return socket


__all__ = ["Answer", "Refused", "Web", "WebSocket", "fetch", "hear", "opened", "web"]
