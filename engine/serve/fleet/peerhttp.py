"""Asks another node of a fleet what a path gives, by HTTP over a bridge. That node answers as if
the peer had asked it."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final

import h11
import trio

from warledger.engine.serve.fleet.peers import PeerGone
from warledger.engine.serve.http.http1 import Request, Response, plain
from warledger.engine.serve.wire.tcp import SocketPipe

_PASSED_ON: Final = (
    "accept-encoding",
    "if-none-match",
    "if-range",
    "range",
    "x-forwarded-for",
)
FETCH_SECONDS: Final = 60.0
"""Seconds. A node that sends nothing for longer hangs."""
_BROUGHT: Final = (
    "content-type",
    "content-encoding",
    "content-disposition",
    "etag",
    "cache-control",
    "vary",
    "retry-after",
    "accept-ranges",
    "content-range",
    "x-last-seq",
    "x-log-closed",
)
GONE: Final = "The server is stopping, or a part of it does not answer; try again in a moment."


async def fetch(
    bridge: Callable[[tuple[Any, ...], socket.socket], Awaitable[None]], request: Request
) -> Response:
    """The answer of the node that the bridge leads to."""
    ours, theirs = socket.socketpair()
    pipe = SocketPipe(ours, request.peer)
    try:
        with theirs, trio.move_on_after(FETCH_SECONDS) as opening:
            await bridge((request.peer,), theirs)
        if opening.cancelled_caught:
            raise PeerGone
        return await _ask(pipe, request)
    except (PeerGone, OSError, h11.ProtocolError):
        return plain(503, GONE, ("Retry-After", "5"))
    finally:
        pipe.release()


async def _ask(pipe: SocketPipe, request: Request) -> Response:
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=64 * 1024)
    headers = [("Host", "node"), ("Connection", "close")]
    headers += [(name, request.headers[name]) for name in _PASSED_ON if name in request.headers]
    asked = http.send(h11.Request(method="GET", target=request.target, headers=headers)) or b""
    await pipe.send_all(asked + (http.send(h11.EndOfMessage()) or b""))
    status, body = 0, bytearray()
    found: tuple[tuple[str, str], ...] = ()
    while True:
        event = http.next_event()
        if event is h11.NEED_DATA:
            with trio.move_on_after(FETCH_SECONDS) as waiting:
                http.receive_data(await pipe.receive())
            if waiting.cancelled_caught:
                raise PeerGone
        elif isinstance(event, h11.Response):
            status = event.status_code
            found = tuple(
                (name.decode().title(), value.decode("latin-1"))
                for name, value in event.headers
                if name.decode() in _BROUGHT
            )
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return Response(status, found, bytes(body))
        else:
            raise PeerGone
        await trio.lowlevel.checkpoint()
