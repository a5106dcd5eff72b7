"""The server as one call: data directory, games, sockets, signals.

`serve(config)` runs until it is cancelled or the process is told to stop (Ctrl-C, SIGTERM); either way what is under way becomes safe, and
clients are told; a stop takes no longer than `Config.stop_seconds`.
"""

from __future__ import annotations

import signal
import socket
import ssl
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

import trio
from attrs import frozen

from engine.runtime import heap, tokens
from engine.runtime import titles as title_list
from engine.runtime.ambient import Ambient, SystemAmbient
from engine.runtime.answers import Signer
from engine.runtime.metrics import Metrics
from engine.runtime.supervisor import Supervisor
from engine.runtime.titles import Title
from engine.serve import keys, logs, tcp
from engine.serve.config import Config
from engine.serve.connection import Connection
from engine.serve.files import Files
from engine.serve.gateway import Gateway
from engine.serve.hub import Hub
from engine.store.port import Store
from engine.store.wal import open_store
from protocol import lang
from protocol.choices import say

SERVER_NAME = "warledger 0.1.0"
SWITCH_SECONDS = 0.0005
"""How long a thread may hold the interpreter while the loop waits: cold loads and views must not be felt elsewhere."""
OPEN_FILES = 16384


@frozen
class Serving:
    """A server that is up: where it listens (`web`: for browsers), its host's token, where that is kept, and whether it was just made."""

    addresses: tuple[tuple[str, int], ...]
    token: str
    token_file: str
    token_is_new: bool
    hub: Hub
    web: tuple[tuple[str, int], ...] = ()

    @property
    def port(self) -> int:
        """The TCP port."""
        return self.addresses[0][1]


async def serve(
    config: Config,
    *,
    task_status: trio.TaskStatus[Serving] = trio.TASK_STATUS_IGNORED,
    titles: Mapping[str, Title] | None = None,
    ambient: Ambient | None = None,
    signals: bool = True,
) -> None:
    """Run a server. `task_status.started` is given a Serving once it listens.

    Raises BadConfig, or a store's DataDirError; their messages say what to do. `titles` (the installed ones), `ambient` (the real world)
    and `signals` (catch them) are for tests.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    tcp.open_files_max(OPEN_FILES)
    world = ambient or SystemAmbient()
    log = logs.logger(config.log_level)
    context = tcp.tls_context(config.tls_cert, config.tls_key) if config.tls_cert and config.tls_key else None
    offered = titles if titles is not None else title_list.installed()
    async with open_store(config.data) as store:
        signer = Signer(keys.signing_key(config.data, world.random_bytes))
        token, made = keys.host_token(config.data, lambda: tokens.new_token(world, tokens.HOST))
        hub = make_hub(store, offered, world, signer, tokens.digest(token), config, log)
        sockets = tcp.listen(config.host, config.port)
        web: list[socket.socket] = []
        try:
            if config.http is not None:
                web = tcp.listen(*config.http, option="--http")
            serving = Serving(_addresses(sockets), token, str(config.data / keys.TOKEN_FILE), made, hub, _addresses(web))
            with heap.steady():
                await _run(serving, sockets, web, context, config, signals, task_status)
        finally:
            for sock in (*sockets, *web):
                sock.close()
    log.info("stopped")


def _addresses(sockets: list[socket.socket]) -> tuple[tuple[str, int], ...]:
    return tuple((sock.getsockname()[0], sock.getsockname()[1]) for sock in sockets)


async def _run(
    serving: Serving,
    sockets: list[socket.socket],
    web: list[socket.socket],
    context: ssl.SSLContext | None,
    config: Config,
    signals: bool,
    task_status: trio.TaskStatus[Serving],
) -> None:
    hub = serving.hub
    stop = trio.Event()
    async with trio.open_nursery() as outside:
        outside.start_soon(_until_cancelled, stop)
        if signals:
            await outside.start(_until_signal, stop, hub.log)
        # Cancelling from outside only asks for a stop; what is inside the shield ends in its own order.
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as inside:
                await inside.start(hub.supervisor.run)
                inside.start_soon(hub.flusher.run)
                inside.start_soon(heap.sweep, lambda: hub.metrics.commits + hub.metrics.connections_opened)
                admit = partial(_admit, inside, hub, context)
                for sock in sockets:
                    inside.start_soon(tcp.accept, sock, admit)
                if web:
                    files = Files(config.page, fresh=config.page is not None)
                    gateway = Gateway(
                        hub, config.http_limits, inside, context=context, origins=config.origins, proxies=config.proxies, files=files
                    )
                    for sock in web:
                        inside.start_soon(tcp.accept, sock, gateway.admit)
                hub.log.info(
                    "serving", addresses=serving.addresses, http=serving.web, titles=sorted(hub.titles), tls=context is not None
                )
                task_status.started(serving)
                await stop.wait()
                await stop_gracefully(hub, config.stop_seconds)
                inside.cancel_scope.cancel()
        outside.cancel_scope.cancel()


def make_hub(
    store: Store, titles: Mapping[str, Title], ambient: Ambient, signer: Signer, host_digest: bytes, config: Config, log: Any
) -> Hub:
    """A server's inside, without sockets: what tests and simulations talk to through their own pipes."""
    supervisor = Supervisor(store, titles, ambient, signer, Metrics(), log, config.tending)
    return Hub(supervisor, host_digest, config.limits, log, SERVER_NAME, lang.catalogue)


async def stop_gracefully(hub: Hub, seconds: float) -> None:
    """Take nothing new, finish what is under way, tell clients; no longer than this in all."""
    hub.log.info("stopping", connections=len(hub.connections))
    with trio.move_on_after(seconds):
        await hub.supervisor.settle()
        async with trio.open_nursery() as nursery:
            for connection in list(hub.connections):
                nursery.start_soon(connection.goodbye, say("goodbye.stopping"))


def _admit(nursery: trio.Nursery, hub: Hub, context: ssl.SSLContext | None, sock: socket.socket, peer: str) -> None:
    if not hub.admits(peer):
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
