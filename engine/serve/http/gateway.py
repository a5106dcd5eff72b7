"""The HTTP address: who may connect, what each path gives, and how a request becomes a WebSocket.

Rules of this file:
- GET and HEAD only: nothing is changed by HTTP. Acting is done by messages, over the WebSocket or
  TCP.
- A spectator's delay applies here too: whatever tells about a game is read from `shown`, never from
  the log's end (`endpoints`).
- A WebSocket is opened for our own page, or for a program that is not a browser. An Origin from
  elsewhere is refused (`origins`).
"""

from __future__ import annotations

import html
import json
import socket
import ssl
from collections import Counter
from ipaddress import ip_address
from typing import Any, Final

import trio
from attrs import evolve as replace

from warledger.engine.serve.config import HttpLimits
from warledger.engine.serve.fleet import peerhttp
from warledger.engine.serve.fleet.peers import PeerGone
from warledger.engine.serve.http import http1, linkpreviews, routes
from warledger.engine.serve.http.endpoints import Exits
from warledger.engine.serve.http.http1 import (
    ALLOWED,
    BadRequest,
    Feed,
    HttpSocket,
    Request,
    Resource,
    Response,
    Upgrade,
)
from warledger.engine.serve.http.pagefiles import Files
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire import tcp, websocket
from warledger.engine.serve.wire.connection import Connection
from warledger.engine.serve.wire.origins import Origins
from warledger.engine.serve.wire.ratelimits import Bill
from warledger.engine.store.files.losses import is_game_id
from warledger.protocol.texts.phrases import LANGUAGES

SOCKET_PATH = "/ws"
_SHARED = ("/api/", "/archive/")
"""Paths that pages of other sites may read, where the server has a name."""
_ANY_TITLE: Final = b'<meta property="og:title" content="Warledger">'
_TITLE_S: Final = 1.0
"""How long the page of a game waits for what its title tells, in seconds."""
_DIGITS_MOST: Final = 16
"""Digits of a record that an address may name."""
_ASKED_FIRST: Final = ("/board", "/symbols.svg", "", "/phrases/en")
"""What the page of a game asks for, whoever looks at it, behind the address of the game."""
_PREFLIGHT = (
    ("Access-Control-Allow-Methods", ALLOWED),
    ("Access-Control-Allow-Headers", "If-None-Match, If-Range, Range"),
    ("Access-Control-Max-Age", "86400"),
)


class Gateway:
    """HTTP and WebSocket in front of a hub. `admit` is called with each accepted socket. One that
    `is_named` answers only under `names`, localhost and numeric addresses, or through a trusted
    proxy."""

    def __init__(
        self,
        hub: Hub,
        limits: HttpLimits,
        nursery: trio.Nursery,
        *,
        context: ssl.SSLContext | None = None,
        origins: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        is_named: bool = False,
        proxies: tuple[str, ...] = (),
        frames: tuple[str, ...] = (),
        files: Files | None = None,
    ) -> None:
        self.hub = hub
        self.limits = limits
        self._nursery = nursery
        self._context = context
        self._origins = Origins(names, origins)
        self._is_named = is_named
        self._proxies = frozenset(proxies)
        self._frames = frames
        self._exits = Exits(hub, limits)
        self._files = files if files is not None else Files()
        self._squeezing = trio.CapacityLimiter(1)
        self._wire = websocket.Wire()
        self._wire_in_json = websocket.Wire(in_json=True)
        self._sockets: Counter[str] = Counter()
        self._open = 0
        self._speakers: dict[HttpSocket, tuple[str, trio.CancelScope]] = {}
        self._prepared = False
        self._rates = Rates(limits.requests_per_second, limits.requests_burst)

    def admit(self, sock: socket.socket, peer: str) -> None:
        """Accept a new socket, or turn it away."""
        self._make_room(peer)
        if not self._has_room(peer):
            sock.close()
            return
        pipe = (
            tcp.SocketPipe(sock, peer)
            if self._context is None
            else tcp.secured(sock, peer, self._context)
        )
        self._nursery.start_soon(self.serve, pipe)

    def _make_room(self, peer: str) -> None:
        """If an address, or the server, has no socket left, close the oldest one that is not being
        answered: one of that address, or of the address that has the most."""
        limits = self.limits
        if self._open >= limits.sockets:
            peer = max(self._sockets, key=self._sockets.__getitem__)
        elif self._sockets[peer] < limits.sockets_per_address or peer in self._proxies:
            return
        for speaker, (whose, scope) in self._speakers.items():
            if whose == peer and not speaker.is_answering:
                self._leave(speaker)
                scope.cancel()
                return

    def _has_room(self, peer: str) -> bool:
        limits = self.limits
        if (
            self._open < limits.sockets
            and (self._sockets[peer] < limits.sockets_per_address or peer in self._proxies)
            and not self.hub.supervisor.stopping
        ):
            return True
        self.hub.metrics.connections_refused += 1
        return False

    async def serve(self, pipe: tcp.Pipe) -> None:
        """Serve one peer until it has gone. Never raises because of what the peer does; a bug of
        ours ends this socket alone."""
        self._sockets[pipe.peer] += 1
        self._open += 1
        handed = upgrade = False
        speaker = HttpSocket(
            pipe,
            self.limits,
            self._answer,
            secure=self._context is not None,
            frames=self._frames,
        )
        scope = trio.CancelScope()
        self._speakers[speaker] = (pipe.peer, scope)
        try:
            try:
                with scope:
                    upgrade = await speaker.run()
                connection = await self._upgraded(speaker, pipe) if upgrade else None
            finally:
                self._leave(speaker)
            if connection is not None:
                handed = True
                await connection.run()
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        except Exception as error:
            self.hub.metrics.faults += 1
            self.hub.log.error("fault", where="gateway", what=type(error).__name__)
        finally:
            if not handed:
                with trio.CancelScope(shield=True):
                    await pipe.aclose()

    def _leave(self, speaker: HttpSocket) -> None:
        peer, _ = self._speakers.pop(speaker, ("", None))
        if not peer:
            return
        self._open -= 1
        self._sockets[peer] -= 1
        if self._sockets[peer] <= 0:
            del self._sockets[peer]

    # --- answering --------------------------------------------------------------------------------

    async def _answer(self, request: Request) -> Response | Upgrade | Feed:
        sharing = self._sharing(request)
        if not sharing:
            return await self._found(request)
        if request.method == "OPTIONS":
            return Response(204, (*sharing, *_PREFLIGHT))
        try:
            found = await self._found(request)
        except BadRequest as error:
            raise BadRequest(error.status, error.text, *error.headers, *sharing) from error
        if isinstance(found, Upgrade):
            return found
        return replace(found, headers=(*found.headers, *sharing))

    def _sharing(self, request: Request) -> tuple[tuple[str, str], ...]:
        """The headers by which a browser lets pages of other sites read what everybody may. A
        server that has no name of its own (on somebody's desk, or in a house) shares with nobody:
        any page that its owner visits could read it otherwise."""
        origin = request.headers.get("origin", "")
        if not request.path.startswith(_SHARED) or not origin:
            return ()
        host = request.headers.get("host", "")
        if self._origins.is_public(host):
            allowed = "*"
        elif self._origins.may(origin, host):
            allowed = origin
        else:
            return ()
        return (
            ("Access-Control-Allow-Origin", allowed),
            ("Access-Control-Expose-Headers", "Content-Range, ETag, X-Last-Seq, X-Log-Closed"),
            ("Vary", "Origin"),
        )

    async def _found(self, request: Request) -> Response | Upgrade | Feed:
        metrics = self.hub.metrics
        metrics.http_requests += 1
        host = request.headers.get("host", "")
        if self._is_named and request.peer not in self._proxies and not self._origins.is_ours(host):
            raise BadRequest(
                421, "This server has another name; its operator can add one with --http-name."
            )
        wait = self._rates.take(self._whence(request))
        if wait:
            raise BadRequest(
                429, "Too many requests from this address.", ("Retry-After", str(wait))
            )
        if request.path == SOCKET_PATH:
            self._may_upgrade(request)
            return Upgrade()
        if request.method not in (http1.GET, http1.HEAD):
            return http1.plain(
                405, "Nothing here is changed by HTTP: use GET or HEAD.", ("Allow", ALLOWED)
            )
        try:
            found: Resource | Response | Feed | None = self._files.find(request.path)
            if found is None:
                bill = Bill(self.hub.meter, f"address {self._whence(request)}")
                await bill.turn()
                found = await routes.find(self._exits, request, bill)
                for key in self._exits.due():
                    self._nursery.start_soon(self._squeeze_kept, key)
            elif isinstance(found, Resource) and found.content_type.startswith("text/html"):
                self._prepare()
                found = await self._of_game(request, found)
            elif self._files.is_often(request.path):
                self._nursery.start_soon(self._squeeze, request.path)
        except BadRequest:
            raise
        except PeerGone:
            return http1.plain(503, peerhttp.GONE, ("Retry-After", "5"))
        except Exception as error:
            metrics.faults += 1
            self.hub.log.error("fault", where="gateway", what=type(error).__name__)
            return http1.plain(
                500,
                "The server has a fault here; it has been noted. The games are not touched by it.",
            )
        if isinstance(found, Response | Feed):
            return found
        if found is None:
            return http1.plain(404, "There is nothing here. The page is at /.")
        return http1.of_resource(request, found)

    async def _squeeze(self, path: str) -> None:
        """Compress a file of the page better, in a thread, one at a time."""
        with self.hub.contained("gateway"):
            await trio.to_thread.run_sync(
                self._files.squeeze, path, limiter=self._squeezing, abandon_on_cancel=True
            )

    async def _squeeze_kept(self, key: str) -> None:
        """Compress better, in a thread, one at a time, what was made from games and is kept."""
        with self.hub.contained("gateway"):
            await self._exits.squeeze(key, self._squeezing)

    async def _of_game(self, request: Request, page: Resource) -> Resource:
        """The page of a game names what it will ask for first, so that a browser asks for it before
        any script has run. For previews of links it names a title, and the picture of its address's
        record. Who may not know of the game finds nothing there."""
        section, _, game = request.path.removeprefix("/").partition("/")
        if section != "game" or not is_game_id(game):
            return page
        title = await self._title_of(request, game)
        secure = self._context is not None
        base = self.hub.url or f"http{'s' * secure}://{request.headers.get('host', '')}"
        at = request.query.get("at", "")
        record = f"?at={at}" if at.isascii() and at.isdigit() and len(at) <= _DIGITS_MOST else ""
        picture = html.escape(f"{base}/api/games/{game}/picture.png{record}", quote=True)
        named = (
            f'<meta property="og:image" content="{picture}">'
            f'<meta property="og:image:width" content="{linkpreviews.WIDTH}">'
            f'<meta property="og:image:height" content="{linkpreviews.HEIGHT}">'
            '<meta name="twitter:card" content="summary_large_image"></head>'
        ).encode()
        ahead = "".join(
            f'<link rel="preload" as="fetch" crossorigin href="/api/games/{game}{what}">\n'
            for what in _ASKED_FIRST
        )
        body = page.body.replace(b"</head>", ahead.encode() + named, 1)
        if title:
            told = f'<meta property="og:title" content="{html.escape(title, quote=True)}">'
            body = body.replace(_ANY_TITLE, told.encode(), 1)
        return http1.resource(body, page.content_type)

    async def _title_of(self, request: Request, game: str) -> str:
        """A game's title for the preview of a link, from what lists tell spectators of it: nothing
        that a delay holds back. "" for a game that nobody may know of, and for one that is not read
        soon enough."""
        path = f"/api/games/{game}"
        asked = Request(http1.GET, path, path.encode(), {}, {}, (), request.peer)
        told: Any = None
        with trio.move_on_after(_TITLE_S):
            try:
                bill = Bill(self.hub.meter, f"address {self._whence(request)}")
                found = await routes.find(self._exits, asked, bill)
                if isinstance(found, Resource | Response):
                    told = json.loads(found.body)
            except (BadRequest, ValueError):
                return ""
        known = isinstance(told, dict) and told.get("title")
        return linkpreviews.heading(told, self.hub.catalogue(LANGUAGES[0])) if known else ""

    def _prepare(self) -> None:
        if not self._prepared:
            self._prepared = True
            self._nursery.start_soon(self._prepare_exits)

    async def _prepare_exits(self) -> None:
        with self.hub.contained("gateway"):
            await self._exits.prepare()

    def _may_upgrade(self, request: Request) -> None:
        if "websocket" not in request.headers.get("upgrade", "").lower():
            raise BadRequest(
                426,
                "Here is a WebSocket only.",
                ("Upgrade", "websocket"),
                ("Connection", "Upgrade"),
            )
        origin = request.headers.get("origin")
        if origin is not None and not self._origins.may(origin, request.headers.get("host", "")):
            raise BadRequest(
                403,
                f"Pages of {origin[:200]} may not connect here. The operator can allow "
                "it: with --http-name where that is a name of this "
                "server, with --origin where it is another site.",
            )
        if not self.hub.make_room(self._whence(request)):
            raise BadRequest(
                503, "There are too many connections; try again in a moment.", ("Retry-After", "5")
            )

    def _whence(self, request: Request) -> str:
        """The address that a request comes from: the peer's, or what a trusted proxy says its own
        peer was."""
        if request.peer not in self._proxies:
            return request.peer
        told = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
        try:
            return str(ip_address(told))
        except ValueError:
            return request.peer

    async def _upgraded(self, speaker: HttpSocket, pipe: tcp.Pipe) -> Connection | None:
        """The connection over a WebSocket, started; None if the request for it was refused after
        all."""
        try:
            ws, answer, in_json = websocket.shake(speaker.request, speaker.early)
        except websocket.NoWebSocket as error:
            await speaker.refuse(
                400, str(error), ("Sec-WebSocket-Version", "13"), ("Connection", "close")
            )
            return None
        with trio.move_on_after(self.limits.stall_seconds):
            await pipe.send_all(answer)
        inner = websocket.WebSocketPipe(
            pipe,
            ws,
            self._whence(speaker.request),
            self.hub.limits,
            self.limits,
            in_json=in_json,
        )
        connection = Connection(self.hub, inner, self._wire_in_json if in_json else self._wire)
        inner.write_raw = lambda data: connection.out.write_raw(data)
        inner.refuse = connection.refuse
        return connection


class Rates:
    """How often each address sends requests: one bucket for each address, forgotten once it is full
    again."""

    def __init__(self, per_second: float, burst: int) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, address: str) -> int:
        """Take one: 0, or the seconds to wait if there is none left."""
        now = trio.current_time()
        left, at = self._buckets.get(address, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_second)
        if len(self._buckets) > _ADDRESSES_MAX:
            self._forget(now)
        if left < 1:
            self._buckets[address] = (left, now)
            return max(1, round((1 - left) / self._per_second))
        self._buckets[address] = (left - 1, now)
        return 0

    def _forget(self, now: float) -> None:
        full_after = self._burst / self._per_second
        self._buckets = {
            address: (left, at)
            for address, (left, at) in self._buckets.items()
            if now - at < full_after
        }
        while len(self._buckets) > _ADDRESSES_MAX // 2:
            del self._buckets[next(iter(self._buckets))]


_ADDRESSES_MAX = 10_000
