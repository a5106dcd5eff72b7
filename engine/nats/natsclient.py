"""A client of NATS on trio, over sockets.

One task makes connections, one reads and one writes. What is written in one turn of the loop goes
out together. A connection that breaks ends every request that is under way with `Unknown`, at once.
Every subscription is asked for again at the next server.
"""

from __future__ import annotations

import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from math import inf
from typing import Any, Final

import trio
from attrs import define, frozen

from warledger.engine.nats import wire
from warledger.engine.nats.natsport import (
    EngineError,
    Forbidden,
    Missed,
    NoResponders,
    NotSent,
    TooLarge,
    Unknown,
)
from warledger.engine.nats.nkeys import UserKey
from warledger.engine.nats.tls import TLSStream

CONNECT_SECONDS: Final = 2.0
"""How long one server may take to answer before the next is tried."""

PING_SECONDS: Final = 2.0
"""After so much silence the server is asked whether it is there; after as much again it is not."""

ROUND_SECONDS: Final = (0.05, 0.25, 0.5, 1.0)
"""Pauses after each round through all servers in vain; the last is repeated."""

SHUN_SECONDS: Final = 10.0
"""How long a server that was left is tried last. A server that is cut off believes itself leader
for so long."""

WAITING_BYTES_MAX: Final = 32 * 1024 * 1024
"""The most that may wait to be sent."""

UNREAD_BYTES_MAX: Final = 32 * 1024 * 1024
"""The most that may wait in a subscription for its reader."""

RECEIVE_BYTES: Final = 256 * 1024
LEAST_VERSION: Final = (2, 15, 1)
"""Before it a proposal that was checked under one leadership could be stored under the next."""

OVERHEAD_BYTES: Final = 128
"""What a message that waits costs on top of its payload."""


class Refused(EngineError):
    """No server lets us in, and asking again would not help: a wrong key, or a server that is too
    old."""


@frozen
class Settings:
    """How to reach the engine. `servers` are HOST:PORT, in the order in which they are tried.

    `name` is shown in the server's list of connections. `tls` is the context that checks the
    server's certificate, `tls_first` says that the server expects the handshake before its first
    word. `key` is the client's nkey. `log` hears in words what happens to the connection. `least`
    is the oldest release of a server that is accepted.
    """

    servers: tuple[str, ...]
    name: str = "warledger"
    tls: ssl.SSLContext | None = None
    tls_first: bool = False
    key: UserKey | None = None
    log: Callable[..., None] = lambda event, **values: None
    least: tuple[int, ...] = LEAST_VERSION


def new_inbox(settings: Settings, random: bytes) -> str:
    """The subject below which answers come to a client of these settings, and to nobody else."""
    root = "_INBOX" if settings.key is None else settings.key.inbox
    return f"{root}.{random.hex()}"


def address(text: str) -> tuple[str, int]:
    """Host and port of HOST:PORT, [IPV6]:PORT or HOST (4222). Raises ValueError."""
    host, colon, port = text.rpartition(":")
    if not colon or (text.startswith("[") and text.endswith("]")):
        host, port = text, "4222"
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
        raise ValueError(f"no address of a NATS server: {text!r}")
    return host.removeprefix("[").removesuffix("]"), int(port)


class Listening:
    """A subscription of `Client`."""

    def __init__(self, client: Client, subject: str, queue: str) -> None:
        self._client = client
        self._events: deque[wire.Message | EngineError] = deque()
        self._bytes = 0
        self._is_dropping = False
        self._news: trio.Event | None = None
        self.subject = wire.checked(subject)
        self.queue = wire.checked(queue) if queue else ""
        self.number = 0
        self.is_closed = False

    async def receive(self) -> wire.Message:
        """The next message. Raises Missed where some may be missing, and Forbidden."""
        while not self._events:
            if self.is_closed:
                raise trio.ClosedResourceError
            if self._news is None:
                self._news = trio.Event()
            await self._news.wait()
        # What waits is given without a step of the loop: it was heard in one, and more only comes
        # in the next.
        event = self._events.popleft()
        if isinstance(event, EngineError):
            self._is_dropping = False
            raise event
        self._bytes -= len(event.payload) + OVERHEAD_BYTES
        return event

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._events.clear()
            self._client.forget(self)
            self._wake()

    def hear(self, message: wire.Message) -> None:
        """A message came. A reader that is too slow loses what waits, and gets an error."""
        if self._is_dropping:
            return
        self._bytes += len(message.payload) + OVERHEAD_BYTES
        if self._bytes > UNREAD_BYTES_MAX:
            self._events.clear()
            self._bytes = 0
            self._is_dropping = True
            self._tell(Missed(f"{self.subject}: its reader was too slow"))
            return
        self._tell(message)

    def gap(self, why: str) -> None:
        """What came meanwhile was not heard."""
        if not self._is_dropping:
            self._tell(Missed(f"{self.subject}: {why}"))

    def forbidden(self, why: str) -> None:
        """The server refused the subscription."""
        self._tell(Forbidden(why))

    def _tell(self, event: wire.Message | EngineError) -> None:
        self._events.append(event)
        self._wake()

    def _wake(self) -> None:
        if self._news is not None:
            self._news.set()
            self._news = None


@define(eq=False)
class _Asked:
    """A request under way, and the task that waits for its answer. There are many of them, so each
    costs one step of the loop and no scope of its own: `Client.expire` sees to their time."""

    subject: str
    answer: wire.Message | EngineError | None = None
    _task: trio.lowlevel.Task | None = None

    async def wait(self, shield: bool) -> None:
        """Return once there is an answer; with `shield` also where the task was cancelled."""
        if self.answer is None:
            self._task = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(_waits_on if shield else self._cancelled)

    def _cancelled(self, _: object) -> trio.lowlevel.Abort:
        self._task = None
        return trio.lowlevel.Abort.SUCCEEDED

    def settle(self, answer: wire.Message | EngineError) -> None:
        if self.answer is None:
            self.answer = answer
            if self._task is not None:
                trio.lowlevel.reschedule(self._task)
                self._task = None


def _waits_on(_: object) -> trio.lowlevel.Abort:
    """Whoever is cancelled meanwhile is told when the answer is there."""
    return trio.lowlevel.Abort.FAILED


_OVER: Final = Unknown("nobody waits for it any more")
"""The answer of a request that is over, so that the message is not kept until its time is."""


class _Link:
    """One connection to one server."""

    def __init__(self, server: str, stream: trio.abc.Stream, info: wire.Info) -> None:
        self.server = server
        self.stream = stream
        self.info = info
        self.waiting: list[bytes] = []
        self.waiting_bytes = 0
        self.scope = trio.CancelScope()
        self.heard_at = trio.current_time()
        self.why = "the connection broke"
        self._more = trio.Event()

    def write(self, data: bytes) -> None:
        self.waiting.append(data)
        self.waiting_bytes += len(data)
        self._more.set()

    async def write_all(self) -> None:
        """Send what waits, for as long as the connection lasts."""
        while True:
            if not self.waiting:
                self._more = trio.Event()
                await self._more.wait()
            data = b"".join(self.waiting)
            self.waiting.clear()
            await self.stream.send_all(data)
            self.waiting_bytes -= len(data)

    def end(self, why: str) -> None:
        self.why = why
        self.scope.cancel()


class Client:
    """A connection to whichever server of a list can be reached. Made by `opened`."""

    def __init__(self, settings: Settings, prefix: str) -> None:
        self._settings = settings
        self._log = settings.log
        self._prefix = prefix
        self._count = 0
        self._link: _Link | None = None
        self._linked = trio.Event()
        self._subscriptions: dict[int, Listening] = {}
        self._asked: dict[str, _Asked] = {}
        self._ends: dict[float, deque[tuple[float, _Asked]]] = {}
        self._soonest = inf
        self._sooner = trio.Event()
        self._found: list[str] = []
        self._shunned: dict[str, float] = {}
        self._answers = Listening(self, f"{prefix}.a.*", "")
        self._admit(self._answers)
        self.connections = 0

    # --- what a node says -------------------------------------------------------------------------

    @property
    def server(self) -> str:
        """The server of this moment, or nothing."""
        return self._link.server if self._link else ""

    @property
    def max_payload(self) -> int:
        """The most bytes of headers and payload that a message may have."""
        return self._link.info.max_payload if self._link else 1024 * 1024

    async def connected(self) -> None:
        """Return once there is a connection."""
        while self._link is None:
            await self._linked.wait()

    def publish(
        self,
        subject: str,
        payload: bytes,
        *,
        reply: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Say something, without waiting. Raises NotSent and TooLarge."""
        data = wire.publish(subject, payload, reply, headers)
        link = self._link
        if link is None:
            raise NotSent("no server of the engine can be reached just now")
        if len(payload) > link.info.max_payload:
            raise TooLarge(f"{len(payload)} bytes, and the server takes {link.info.max_payload}")
        if link.waiting_bytes + len(data) > WAITING_BYTES_MAX:
            raise NotSent("too much waits to be sent")
        link.write(data)

    async def request(
        self,
        subject: str,
        payload: bytes = b"",
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float,
        shield: bool = False,
    ) -> wire.Message:
        """Ask, and wait for the first answer. See `port.Engine.request`."""
        self._count += 1
        inbox = f"{self._prefix}.a.{self._count}"
        asked = self._asked[inbox] = _Asked(subject)
        try:
            self.publish(subject, payload, reply=inbox, headers=headers)
            self._until(seconds, asked)
            await asked.wait(shield)
        finally:
            del self._asked[inbox]
            answer, asked.answer = asked.answer, _OVER
        assert answer is not None
        if isinstance(answer, EngineError):
            raise answer
        if answer.status == 503 and not answer.payload:
            raise NoResponders(subject)
        return answer

    def _until(self, seconds: float, asked: _Asked) -> None:
        """Give a request up after so many seconds. Those of one length end in the order in which
        they began; the ones that are over are forgotten on the way."""
        end = trio.current_time() + seconds
        ends = self._ends.get(seconds)
        if ends is None:
            ends = self._ends[seconds] = deque()
        while ends and ends[0][1].answer is not None:
            ends.popleft()
        ends.append((end, asked))
        if end < self._soonest:
            self._soonest = end
            self._sooner.set()

    async def expire(self) -> None:
        """Give up, for ever, the requests whose time is over."""
        while True:
            now = trio.current_time()
            self._soonest = inf
            for seconds, ends in list(self._ends.items()):
                while ends and (ends[0][0] <= now or ends[0][1].answer is not None):
                    _, asked = ends.popleft()
                    asked.settle(Unknown(f"no answer of {asked.subject} in {seconds} seconds"))
                if ends:
                    self._soonest = min(self._soonest, ends[0][0])
                else:
                    del self._ends[seconds]
            if self._sooner.is_set():
                self._sooner = trio.Event()
            with trio.move_on_at(self._soonest):
                await self._sooner.wait()

    def subscribe(self, subject: str, *, queue: str = "") -> Listening:
        """Hear a subject; it may hold wildcards. Raises BadValue."""
        listening = Listening(self, subject, queue)
        self._admit(listening)
        return listening

    def inbox(self) -> str:
        """A subject that nobody else hears."""
        self._count += 1
        return f"{self._prefix}.b.{self._count}"

    def leave(self, why: str) -> None:
        """Go to another server. This one is tried last for a while."""
        if self._link is not None:
            self._shunned[self._link.server] = trio.current_time() + SHUN_SECONDS
            self._link.end(why)

    def forget(self, listening: Listening) -> None:
        """No more messages for this subscription."""
        self._subscriptions.pop(listening.number, None)
        if self._link is not None:
            self._link.write(wire.unsubscribe(listening.number))

    def _admit(self, listening: Listening) -> None:
        self._count += 1
        listening.number = self._count
        self._subscriptions[listening.number] = listening
        if self._link is not None:
            self._link.write(_asked_for(listening))

    # --- connections ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Keep a connection for ever. Raises Refused if the first round shows that no server will
        ever have us."""
        rounds = 0
        while True:
            refused: list[Refused] = []
            for server in self._in_turn():
                try:
                    await self._visit(server)
                except Refused as error:
                    refused.append(error)
                    self._log("engine refuses", server=server, what=str(error))
                except (OSError, trio.BrokenResourceError, wire.ProtocolFault, ValueError) as error:
                    self._log("engine not reached", server=server, what=str(error))
                else:
                    rounds = 0
                    break
            else:
                if refused and not self.connections and len(refused) == len(self._in_turn()):
                    raise refused[0]
                await trio.sleep(ROUND_SECONDS[min(rounds, len(ROUND_SECONDS) - 1)])
                rounds += 1

    def _in_turn(self) -> Sequence[str]:
        """The servers, those that were just left last."""
        now = trio.current_time()
        self._shunned = {one: until for one, until in self._shunned.items() if until > now}
        servers = dict.fromkeys((*self._settings.servers, *self._found))
        return sorted(servers, key=lambda one: self._shunned.get(one, 0.0))

    async def _visit(self, server: str) -> None:
        """Connect, and stay until the connection breaks or is left."""
        with trio.move_on_after(CONNECT_SECONDS) as trying:
            link, parser, more = await self._greeted(server)
        if trying.cancelled_caught:
            raise OSError(f"no answer in {CONNECT_SECONDS} seconds")
        try:
            await self._stay(link, parser, more)
        finally:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(link.stream)

    async def _greeted(self, server: str) -> tuple[_Link, wire.Parser, list[wire.Heard]]:
        """A connection on which the server has let us in."""
        settings = self._settings
        host, port = address(server)
        stream: trio.abc.Stream = await trio.open_tcp_stream(host, port)
        try:
            if settings.tls is not None and settings.tls_first:
                stream = await _over_tls(stream, settings.tls, host)
            parser = wire.Parser()
            heard: list[wire.Heard] = []
            info = await _until(wire.Info, stream, parser, heard)
            if info.needs_tls and settings.tls is None:
                raise Refused(f"{server} takes TLS alone: give the certificate of its authority")
            if settings.tls is not None and not settings.tls_first:
                if not info.needs_tls and not info.values.get("tls_available"):
                    raise Refused(f"{server} does not speak TLS")
                stream = await _over_tls(stream, settings.tls, host)
            if info.version < settings.least:
                raise Refused(
                    f"{server} is nats-server {'.'.join(map(str, info.version))}; "
                    f"{'.'.join(map(str, settings.least))} or later is needed, since an older one "
                    "may store what it checked under a leadership that has passed"
                )
            await stream.send_all(wire.connect(self._who(info)) + wire.PING)
            await _until(wire.Pong, stream, parser, heard)
        except BaseException:
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(stream)
            raise
        return _Link(server, stream, info), parser, heard

    def _who(self, info: wire.Info) -> dict[str, Any]:
        settings = self._settings
        options: dict[str, Any] = {
            "verbose": False,
            "pedantic": False,
            "tls_required": settings.tls is not None,
            "name": settings.name,
            "lang": "warledger",
            "version": "1",
            "protocol": 1,
            "headers": True,
            "no_responders": True,
        }
        if settings.key is not None and info.nonce:
            options |= {"nkey": settings.key.public, "sig": settings.key.sign(info.nonce)}
        return options

    async def _stay(self, link: _Link, parser: wire.Parser, heard: list[wire.Heard]) -> None:
        for listening in self._subscriptions.values():
            link.write(_asked_for(listening))
            if self.connections and listening is not self._answers:
                listening.gap("the connection was made again")
        self.connections += 1
        self._link = link
        self._linked.set()
        self._linked = trio.Event()
        self._log("engine connected", server=link.server)
        try:
            with link.scope:
                self._heed(link, heard)
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_guarded, link, link.write_all)
                    nursery.start_soon(_guarded, link, self._read, link, parser)
                    nursery.start_soon(self._keep_alive, link)
        finally:
            self._link = None
            for asked in self._asked.values():
                asked.settle(Unknown(f"{link.server}: {link.why}"))
            self._log("engine left", server=link.server, why=link.why)

    async def _read(self, link: _Link, parser: wire.Parser) -> None:
        while True:
            data = await link.stream.receive_some(RECEIVE_BYTES)
            if not data:
                link.end("the server ended the connection")
                return
            link.heard_at = trio.current_time()
            self._heed(link, parser.feed(bytes(data)))

    async def _keep_alive(self, link: _Link) -> None:
        """Ask the server whether it is there, let go of one that is not, and leave one that asks
        its clients to."""
        was_asked = False
        while True:
            await trio.sleep(PING_SECONDS)
            silence = trio.current_time() - link.heard_at
            if silence >= 2 * PING_SECONDS:
                self.leave(f"nothing was heard for {silence:.1f} seconds")
                return
            if link.info.is_leaving:
                if was_asked or not self._asked:
                    self.leave("the server asked its clients to leave")
                    return
                was_asked = True
            link.write(wire.PING)

    def _heed(self, link: _Link, heard: Any) -> None:
        for one in heard:
            if type(one) is wire.Message:
                self._deliver(one)
            elif type(one) is wire.Ping:
                link.write(wire.PONG)
            elif type(one) is wire.Info:
                link.info = one
                self._found = [each for each in one.others if _is_address(each)]
            elif type(one) is wire.Failed:
                self._fail(link, one.what)

    def _deliver(self, message: wire.Message) -> None:
        listening = self._subscriptions.get(message.number)
        if listening is self._answers:
            asked = self._asked.get(message.subject)
            if asked is not None:
                asked.settle(message)
        elif listening is not None:
            listening.hear(message)

    def _fail(self, link: _Link, what: str) -> None:
        """The server refused something. It ends the connection itself where it has to end."""
        self._log("engine refused", server=link.server, what=what)
        link.why = what
        if not what.lower().startswith("permissions violation"):
            return
        _, _, rest = what.partition('"')
        subject = rest.partition('"')[0]
        for asked in self._asked.values():
            if asked.subject == subject:
                asked.settle(Forbidden(what))
        for listening in self._subscriptions.values():
            if listening.subject == subject and "subscription" in what.lower():
                listening.forbidden(what)


@asynccontextmanager
async def opened(settings: Settings, prefix: str) -> AsyncIterator[Client]:
    """A client that connects, and again whenever it has to, until the block ends.

    It does not wait for the first connection: `Client.connected` does. `prefix` is the subject
    under which answers come to it and to nobody else, as `new_inbox` makes it.
    """
    for server in settings.servers:
        address(server)
    client = Client(settings, wire.checked(prefix))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        nursery.start_soon(client.expire)
        try:
            yield client
        finally:
            nursery.cancel_scope.cancel()


def _asked_for(listening: Listening) -> bytes:
    return wire.subscribe(listening.subject, listening.number, listening.queue)


def _is_address(text: str) -> bool:
    try:
        address(text)
    except ValueError:
        return False
    return True


async def _guarded(link: _Link, work: Callable[..., Any], *args: Any) -> None:
    """Work on a connection; that it breaks ends the connection and nothing else."""
    try:
        await work(*args)
    except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
        link.end(link.why)
    except wire.ProtocolFault as fault:
        link.end(f"the server broke the protocol: {fault}")


async def _over_tls(stream: trio.abc.Stream, context: ssl.SSLContext, host: str) -> trio.abc.Stream:
    over = TLSStream(stream, context, host)
    try:
        await over.do_handshake()
    except ssl.SSLCertVerificationError as error:
        raise Refused(f"{host}: {error.verify_message}") from None
    except ssl.SSLError as error:
        raise trio.BrokenResourceError from error
    return over


async def _until(
    kind: type[Any], stream: trio.abc.Stream, parser: wire.Parser, heard: list[wire.Heard]
) -> Any:
    """The first thing of this kind that the server says. Whatever else it says goes to `heard`."""
    while True:
        data = await stream.receive_some(RECEIVE_BYTES)
        if not data:
            raise OSError("the server ended the connection")
        found = None
        for one in parser.feed(bytes(data)):
            if type(one) is wire.Failed:
                raise Refused(f"the server says: {one.what}")
            if found is None and type(one) is kind:
                found = one
            else:
                heard.append(one)
        if found is not None:
            return found
