"""The server as one call: data directory, games, sockets, signals.

`serve(config)` runs until it is cancelled or the process is told to stop (Ctrl-C, SIGTERM); either way what is under way becomes safe, and
clients are told; a stop takes no longer than `Config.stop_seconds`.
"""

from __future__ import annotations

import signal
import socket
import ssl
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import trio
from attrs import frozen

from engine.runtime import heap, tokens
from engine.runtime import titles as title_list
from engine.runtime.ambient import Ambient, SystemAmbient
from engine.runtime.answers import Signer
from engine.runtime.clock import Clock
from engine.runtime.metrics import Metrics
from engine.runtime.supervisor import Supervisor
from engine.runtime.titles import Title
from engine.serve import keys, logs, tcp, timekeeping
from engine.serve.certificate import own_certificate
from engine.serve.config import Config
from engine.serve.connection import Connection
from engine.serve.files import Files
from engine.serve.gateway import Gateway
from engine.serve.grants import Book
from engine.serve.hub import Hub
from engine.serve.line import HTTP
from engine.serve.workers import FRONT, Front, Offer, Own, Spec, WorkerLost
from engine.store.port import Store
from engine.store.shards import open_shards
from protocol import lang
from protocol.choices import say

SERVER_NAME = "warledger 0.1.0"
SWITCH_SECONDS = 0.0005
"""How long a thread may hold the interpreter while the loop waits: cold loads and views must not be felt elsewhere."""
OPEN_FILES = 16384

Admit = Callable[[str, tuple[Any, ...], bytes, socket.socket], None]
"""Takes a socket from another process: what it speaks, what is known of its peer, what has been read of it already."""


@frozen
class Serving:
    """A server that is up: where it listens (`web`: for browsers), its host's token, where that is kept, and whether it was just made.

    `fingerprint` is that of a certificate which the server made itself, "" without one.
    """

    addresses: tuple[tuple[str, int], ...]
    token: str
    token_file: str
    token_is_new: bool
    hub: Hub
    web: tuple[tuple[str, int], ...] = ()
    fingerprint: str = ""

    @property
    def unsafe(self) -> tuple[str, ...]:
        """Once the server has stopped: why not every game is known to be safe; nothing where every one is."""
        return (*why_unsafe(self.hub.supervisor.store), *(self.hub.peers.unsafe if self.hub.peers is not None else ()))

    @property
    def port(self) -> int:
        """The TCP port."""
        return self.addresses[0][1]


async def serve(
    config: Config,
    *,
    task_status: trio.TaskStatus[Serving] = trio.TASK_STATUS_IGNORED,
    titles: Mapping[str, Title] | None = None,
    offer: Offer = title_list.installed,
    ambient: Ambient | None = None,
    signals: bool = True,
) -> None:
    """Run a server. `task_status.started` is given a Serving once it listens. `offer` makes the titles that each of its processes
    offers; `titles` are, for a server of one process, titles that stand ready.

    Raises BadConfig, WorkerLost, or a store's DataDirError; their messages say what to do. `ambient` (the real world) and `signals` (catch
    them) are for tests.
    """
    tune()
    log = logs.logger(config.log_level)
    world = ambient or system(config, log)
    context = tcp.tls_context(config.tls_cert, config.tls_key) if config.tls_cert and config.tls_key else None
    fingerprint = ""
    offered = titles if titles is not None else offer()
    async with open_shards(config.data, FRONT, config.workers) as store:
        if config.tls_self_signed:
            made_here = own_certificate(config.data, config.own_names, world.now_ms())
            context, fingerprint = tcp.tls_context(made_here.cert, made_here.key), made_here.fingerprint
        signer = new_signer(config, world)
        tell_damage(store, log)
        token, made = keys.host_token(config.data, lambda: tokens.new_token(world, tokens.HOST))
        hub = make_hub(store, offered, world, signer, tokens.digest(token), config, log)
        sockets = tcp.listen(config.host, config.port)
        web: list[socket.socket] = []
        try:
            if config.http is not None:
                web = tcp.listen(*config.http, option="--http")
            serving = Serving(_addresses(sockets), token, str(config.data / keys.TOKEN_FILE), made, hub, _addresses(web), fingerprint)
            with heap.steady():
                await _run(serving, sockets, web, context, config, offer, signals, task_status)
        finally:
            for sock in (*sockets, *web):
                sock.close()
    why = serving.unsafe
    if why:
        log.error("stopped, and not every game is safe", why=why)
    else:
        log.info("stopped")


def why_unsafe(store: Store) -> tuple[str, ...]:
    """What a closed store has to say against its games' being safe."""
    health = store.health()
    damaged = f"damaged: {', '.join(health.damaged[:_NAMED])}" + (" …" if len(health.damaged) > _NAMED else "")
    held = f"held: {', '.join(health.held[:_NAMED])}" + (" …" if len(health.held) > _NAMED else "")
    return (*((health.reason,) if not health.ok else ()), *((damaged,) if health.damaged else ()), *((held,) if health.held else ()))


def tell_damage(store: Store, log: Any) -> None:
    """Log what a store that was just opened found wrong."""
    health = store.health()
    if health.damaged or health.held:
        log.error("games closed: records are lost, or may be", damaged=health.damaged, held=health.held, do="warledger check DIR")


_NAMED = 20


def _addresses(sockets: list[socket.socket]) -> tuple[tuple[str, int], ...]:
    return tuple((sock.getsockname()[0], sock.getsockname()[1]) for sock in sockets)


async def _run(
    serving: Serving,
    sockets: list[socket.socket],
    web: list[socket.socket],
    context: ssl.SSLContext | None,
    config: Config,
    offer: Offer,
    signals: bool,
    task_status: trio.TaskStatus[Serving],
) -> None:
    hub = serving.hub
    stop = trio.Event()
    front: Front | None = None
    async with trio.open_nursery() as outside:
        outside.start_soon(_until_cancelled, stop)
        if signals:
            await outside.start(_until_signal, stop, hub.log)
        # Cancelling from outside only asks for a stop; what is inside the shield ends in its own order.
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as workers, trio.open_nursery() as within:
                admit_moved = await inside(hub, config, within, gateway := _gateway(hub, config, within, context))
                if config.workers > 1:
                    front = hub.peers = Front(Own(hub, admit_moved))
                    await workers.start(front.run, partial(Spec, config, offer, hub.host_digest), stop.set)
                if isinstance(hub.supervisor.ambient, SystemAmbient):
                    within.start_soon(partial(timekeeping.keep, hub.supervisor.ambient.clock, config.data, hub.log, writes=True))
                admit = partial(_admit, within, hub, context)
                for sock in sockets:
                    within.start_soon(tcp.accept, sock, admit)
                for sock in web:
                    within.start_soon(tcp.accept, sock, gateway.admit)
                hub.log.info(
                    "serving",
                    addresses=serving.addresses,
                    http=serving.web,
                    titles=sorted(hub.titles),
                    tls=context is not None,
                    workers=config.workers,
                )
                task_status.started(serving)
                await stop.wait()
                async with trio.open_nursery() as ending:
                    ending.start_soon(stop_gracefully, hub, config.stop_seconds)
                    if front is not None:
                        ending.start_soon(front.stop, config.stop_seconds)
                within.cancel_scope.cancel()
        outside.cancel_scope.cancel()
        if front is not None and front.lost:
            raise WorkerLost(front.lost)


def _gateway(hub: Hub, config: Config, nursery: trio.Nursery, context: ssl.SSLContext | None) -> Gateway:
    return Gateway(
        hub,
        config.http_limits,
        nursery,
        context=context,
        origins=config.origins,
        names=(*config.names, *(config.http[:1] if config.http else ())),
        proxies=config.proxies,
        files=Files(config.page, fresh=config.page is not None),
    )


async def inside(hub: Hub, config: Config, nursery: trio.Nursery, gateway: Gateway | None = None) -> Admit:
    """Start what every process of a server runs beside its sockets. Returns what takes a socket that another process hands over."""
    await nursery.start(hub.supervisor.run)
    nursery.start_soon(hub.flusher.run)
    nursery.start_soon(hub.watch_grants)
    nursery.start_soon(hub.tend)
    nursery.start_soon(heap.sweep, lambda: hub.metrics.commits + hub.metrics.connections_opened)
    web = gateway if gateway is not None else _gateway(hub, config, nursery, None)

    def admit(what: str, state: tuple[Any, ...], data: bytes, sock: socket.socket) -> None:
        pipe = tcp.SocketPipe(sock, state[0])
        if what == HTTP:
            nursery.start_soon(web.serve, pipe, data)
            return
        if not hub.has_room(pipe.peer):
            hub.metrics.connections_refused += 1
            sock.close()
            return
        connection = Connection(hub, pipe)
        connection.resume(state, data)
        nursery.start_soon(_accepted, hub, connection)

    return admit


def tune() -> None:
    """Set the interpreter and the process's bounds as a server needs them."""
    sys.setswitchinterval(SWITCH_SECONDS)
    tcp.open_files_max(OPEN_FILES)


def system(config: Config, log: Any) -> SystemAmbient:
    """The real world, with what the last server kept of its time."""

    def changed(event: str, sure: bool, figures: dict[str, int]) -> None:
        if sure:
            log.warning(event, **figures)
        else:
            log.error(event, do="no game expires now; set the clock right, or say that it is: warledger clock DIR --right", **figures)

    return SystemAmbient(clock=Clock(memory=timekeeping.remembered(config.data), changed=changed))


def new_signer(config: Config, world: Ambient) -> Signer:
    """What signs heads, with the key that the data directory keeps."""
    return Signer(keys.signing_key(config.data, world.random_bytes), keys.older_keys(config.data))


def make_hub(
    store: Store, titles: Mapping[str, Title], ambient: Ambient, signer: Signer, host_digest: bytes, config: Config, log: Any
) -> Hub:
    """A server's inside, without sockets: what tests and simulations talk to through their own pipes."""
    supervisor = Supervisor(store, titles, ambient, signer, Metrics(), log, config.tending)
    return Hub(supervisor, host_digest, config.limits, log, SERVER_NAME, lang.catalogue, Book(config.data, log))


async def stop_gracefully(hub: Hub, seconds: float) -> None:
    """Take nothing new, finish what is under way, tell clients; no longer than this in all."""
    hub.log.info("stopping", connections=len(hub.connections))
    with trio.move_on_after(seconds):
        await hub.supervisor.settle()
        async with trio.open_nursery() as nursery:
            for connection in list(hub.connections):
                nursery.start_soon(connection.goodbye, say("goodbye.stopping"), seconds / 2)


def _admit(nursery: trio.Nursery, hub: Hub, context: ssl.SSLContext | None, sock: socket.socket, peer: str) -> None:
    if not hub.make_room(peer):
        hub.metrics.connections_refused += 1
        sock.close()
        return
    pipe = tcp.SocketPipe(sock, peer) if context is None else tcp.secured(sock, peer, context)
    nursery.start_soon(_accepted, hub, Connection(hub, pipe))


async def _accepted(hub: Hub, connection: Connection) -> None:
    try:
        await connection.run()
    except Exception as error:
        # A bug of ours in one connection ends that one alone.
        hub.metrics.faults += 1
        hub.log.error("fault", where="connection", what=type(error).__name__)


async def _until_cancelled(stop: trio.Event) -> None:
    try:
        await trio.sleep_forever()
    finally:
        stop.set()


async def _until_signal(
    stop: trio.Event, log: Any, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as received:
        task_status.started()
        async for number in received:
            log.info("told to stop", signal=signal.Signals(number).name)
            stop.set()
