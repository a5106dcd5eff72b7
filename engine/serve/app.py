"""The server as one call: data directory, games, sockets, signals.

`serve(config)` runs until it is cancelled or the process is asked to stop (Ctrl-C, SIGTERM). In
both cases everything in progress is made safe and clients are notified. Stopping takes no longer
than `Config.stop_seconds`.
"""

from __future__ import annotations

import os
import signal
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import trio
from attrs import evolve as changed
from attrs import frozen

from warledger import __version__
from warledger.engine.archive.wheels import Archive, beside
from warledger.engine.desk import hosting, ratinglogs, talk
from warledger.engine.desk.hall import ServerHall
from warledger.engine.desk.hosting import Hosting
from warledger.engine.desk.mail import Postman, read_settings
from warledger.engine.desk.people import People, database
from warledger.engine.desk.push import BadPush, Pusher
from warledger.engine.desk.ratinglogs import RatingLogs
from warledger.engine.desk.renewing import renew
from warledger.engine.runtime import garbagecollection, tokens
from warledger.engine.runtime import titles as title_list
from warledger.engine.runtime.ambient import Ambient, SystemAmbient
from warledger.engine.runtime.clock.deadlines import NoPulse, Pulse
from warledger.engine.runtime.clock.serverclock import Clock
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.snapshots.snapshots import Snapshots
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.runtime.titles import Title
from warledger.engine.runtime.watch.watchedgames import Watching
from warledger.engine.serve import clockcheck, logs, serversecrets
from warledger.engine.serve.config import BadConfig, Config
from warledger.engine.serve.fleet.edge import Edge
from warledger.engine.serve.fleet.node import Node
from warledger.engine.serve.fleet.peers import HTTP
from warledger.engine.serve.games.gamelists import Resting, keep
from warledger.engine.serve.games.lobbyindex import FILE, Rows
from warledger.engine.serve.games.practice import Practice
from warledger.engine.serve.http.gateway import Gateway
from warledger.engine.serve.http.pagefiles import Files
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.people.viewtokens import Book
from warledger.engine.serve.wire import tcp
from warledger.engine.serve.wire.certificate import own_certificate
from warledger.engine.serve.wire.connection import Connection
from warledger.engine.store.files import datadir
from warledger.engine.store.files.disk import RealDisk
from warledger.engine.store.files.packing import Packing
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.fleet.archiveloans import FOLDER as LENT
from warledger.engine.store.fleet.archiveloans import TO_EDGES, Borrower, opened_in_clear
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.fleetadmin import (
    BadFleet,
    Where,
    joined_edge,
    joined_fleet,
    lasting,
    public_keys,
)
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.keyring import BadRing, read_ring
from warledger.engine.store.fleet.nodemessages import Nodes
from warledger.engine.store.port import Store
from warledger.protocol import lang
from warledger.protocol.board.choices import say
from warledger.protocol.log.chain import Signer

SERVER_NAME = f"warledger {__version__}"
SWITCH_SECONDS = 0.0005
"""Seconds for which a thread may hold the interpreter while the event loop waits, so that cold
loads and views are not felt elsewhere."""
OPEN_FILES = 16384
_DAY_MS = 24 * 60 * 60 * 1000


@frozen
class Serving:
    """A running server: where it listens (`web`: for browsers), its host's token, where that is
    stored, and whether it was made just now.

    `fingerprint` is that of a certificate that the server made itself; "" if it made none. `node`
    is the server as one of a fleet, if it is.
    """

    addresses: tuple[tuple[str, int], ...]
    token: str
    token_file: str
    token_is_new: bool
    hub: Hub
    web: tuple[tuple[str, int], ...] = ()
    fingerprint: str = ""
    node: Node | None = None

    @property
    def unsafe(self) -> tuple[str, ...]:
        """After the server has stopped: why some game is not known to be safe; empty if every game
        is. An edge keeps none."""
        if self.hub.edge is not None:
            return ()
        return (
            *why_unsafe(self.hub.supervisor.store),
            *(why_unsafe(self.hub.hosting.store) if self.hub.hosting is not None else ()),
        )

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
    """Run a server. `task_status.started` gets a Serving once it listens. `titles` are those that
    it offers, by default all that are installed.

    Raises BadConfig, or a store's DataDirError; their messages say what to do.
    `ambient` (the real world) is for tests; `signals` is whether SIGINT and SIGTERM stop it.
    """
    _tune()
    log = logs.logger(config.log_level)
    world = ambient or system(config, log)
    context = (
        tcp.tls_context(config.tls_cert, config.tls_key)
        if config.tls_cert and config.tls_key
        else None
    )
    offered = titles if titles is not None else title_list.installed()
    # Before anything is made in the data directory: an address that is taken leaves nothing behind.
    sockets, web = _listening(config)
    umask = os.umask(0o077)  # what a server makes is for its owner alone
    try:
        async with AsyncExitStack() as stack:
            make = _made_edge if config.edge else _made_server
            made = await make(stack, config, offered, world, log)
            fingerprint = ""
            if config.tls_self_signed:
                made_here = own_certificate(config.data, config.own_names, world.now_ms())
                context, fingerprint = (
                    tcp.tls_context(made_here.cert, made_here.key),
                    made_here.fingerprint,
                )
            serving = Serving(
                _addresses(sockets),
                made.token,
                made.token_file,
                made.token_is_new,
                made.hub,
                _addresses(web),
                fingerprint,
                made.node,
            )
            with garbagecollection.steady():
                await _run(serving, sockets, web, context, config, signals, task_status)
    finally:
        os.umask(umask)
        for sock in (*sockets, *web):
            sock.close()
    why = serving.unsafe
    if why:
        log.error("stopped, and not every game is safe", why=why)
    else:
        log.info("stopped")


@frozen
class Made:
    """The inside of a server, and its host's token."""

    hub: Hub
    token: str = ""
    token_file: str = ""
    token_is_new: bool = False
    node: Node | None = None


async def _made_server(
    stack: AsyncExitStack, config: Config, titles: Mapping[str, Title], world: Ambient, log: Any
) -> Made:
    """A server of games, by itself or as a node of a fleet."""
    store, joined = await stack.enter_async_context(_games(config, world, log))
    tournaments = await stack.enter_async_context(hosting.opened(config.data))
    if joined is not None:
        log = log.bind(node=joined.nodes.name)
    signer = new_signer(config, world) if joined is None else joined.signer
    tell_damage(store, log)
    token_file = config.data / serversecrets.TOKEN_FILE
    if joined is None:
        token, is_new = serversecrets.host_token(
            config.data, lambda: tokens.new_token(world, tokens.HOST)
        )
        digest = tokens.digest(token)
    else:
        token, is_new, digest = "", False, joined.host_digest
        token_file = (config.keys or config.data) / serversecrets.TOKEN_FILE
    pulse = clockcheck.FilePulse(config.data)
    beside = Snapshots(RealDisk(config.data))
    giver = serversecrets.giver(config.data, "" if joined is None else joined.nodes.name)
    await world.blocking(lambda: renew(config.data, world, giver, log))
    hub = make_hub(
        *(store, titles, world, signer, digest, config, log, pulse),
        snapshots=beside,
        giver=giver,
    )
    host(hub, tournaments)
    node = None
    if joined is not None:
        node = Node(hub, joined.store, joined.nodes, joined.cards, config.data / LENT)
        hub.peers = hub.supervisor.fleet = node
    tell_damage(tournaments, log)
    return Made(hub, token, str(token_file), is_new, node)


async def _made_edge(
    stack: AsyncExitStack, config: Config, titles: Mapping[str, Title], world: Ambient, log: Any
) -> Made:
    """An edge of a fleet. It knows nobody, and has no key."""
    try:
        [public, *_] = public_keys(config.keys)
        where = Where.of(
            config.edge, keys=config.keys, role="edge", nkey=config.nkey, authority=config.nats_ca
        )
    except (ValueError, OSError) as error:
        raise BadConfig(str(error)) from error
    log.info("watching the fleet", servers=where.servers)
    config.data.mkdir(parents=True, exist_ok=True)
    store, cards = await stack.enter_async_context(joined_edge(changed(where, log=log.info)))
    knows_nobody = changed(config, accounts="off", whatif="off", mail=None, push="")
    hub = make_hub(
        store,
        titles,
        world,
        Signer.of_nobody(public),
        b"",
        knows_nobody,
        log,
        snapshots=Snapshots(RealDisk(config.data)),
        kind=partial(Watching, cards=cards),
    )
    hub.cards, hub.edge = cards, Edge(config.nodes)
    borrower = Borrower(store.engine, cards, TO_EDGES, opened_in_clear, log=log.warning)
    store.lent = borrower.lent
    cards.when_back = borrower.forget
    hub.metrics.gauges["follow_gaps"] = (
        "Gaps in what was heard live, which were read",
        lambda: store.gaps + cards.gaps,
    )
    return Made(hub)


@frozen
class Joined:
    """What a node has of its fleet."""

    store: JetStreamStore
    nodes: Nodes
    cards: Cards
    signer: Signer
    host_digest: bytes


@asynccontextmanager
async def _games(
    config: Config, world: Ambient, log: Any
) -> AsyncIterator[tuple[Store, Joined | None]]:
    """The games that the server serves: those of its data directory, or a fleet's. Waits for the
    fleet's engine, and says so. A node's directory is one like any server's, without games. Raises
    BadConfig, and what opening a data directory raises."""
    if not config.store:
        datadir.refuse_shards(config.data)
        async with open_store(config.data, packing=_packing(config, world, log)) as store:
            yield store, None
        return
    datadir.mark(datadir.disk_of(config.data))
    try:
        ring = read_ring(config.keys)
        where = Where.of(config.store, keys=config.keys, nkey=config.nkey, authority=config.nats_ca)
    except (BadRing, ValueError, OSError) as error:
        raise BadConfig(str(error)) from error
    name = f"{socket.gethostname().split('.')[0]}-{os.getpid()}-{os.urandom(3).hex()}"
    where = changed(where, log=log.info)
    log.info("joining the fleet", node=name, servers=where.servers)
    async with open_store(config.data), AsyncExitStack() as stack:
        try:
            shared, nodes, cards, fleet = await stack.enter_async_context(
                lasting(joined_fleet(where, ring, name, config.data))
            )
        except BadFleet as error:
            raise BadConfig(str(error)) from error
        digest = bytes.fromhex(fleet.host)
        signer = Signer(ring.signing_key, ring.other_signing_keys, ring.next_signing_keys)
        yield shared, Joined(shared, nodes, cards, signer, digest)


def _packing(config: Config, world: Ambient, log: Any) -> Packing | None:
    """When the files of games that are over are compressed; None for never."""
    if config.compress_after is None:
        return None

    def told(game: str, saved: int) -> None:
        log.debug("game compressed", game=game, saved=saved)

    def failed(error: OSError) -> None:
        log.warning("a finished game cannot be compressed", why=str(error))

    after_ms = config.compress_after * _DAY_MS
    return Packing(after_ms, world.now_ms, told, failed)


def _listening(config: Config) -> tuple[list[socket.socket], list[socket.socket]]:
    """The sockets for clients and for browsers. Raises BadConfig."""
    sockets = tcp.listen(config.host, config.port)
    try:
        web = [] if config.http is None else tcp.listen(*config.http, option="--http")
    except BadConfig:
        for sock in sockets:
            sock.close()
        raise
    return sockets, web


def why_unsafe(store: Store) -> tuple[str, ...]:
    """Why the games of a store that was closed may not be safe."""
    health = store.health()
    damaged = f"damaged: {', '.join(health.damaged[:_NAMED])}" + (
        " …" if len(health.damaged) > _NAMED else ""
    )
    held = f"held: {', '.join(health.held[:_NAMED])}" + (" …" if len(health.held) > _NAMED else "")
    return (
        *((health.reason,) if not health.ok else ()),
        *((damaged,) if health.damaged else ()),
        *((held,) if health.held else ()),
    )


def tell_damage(store: Store, log: Any) -> None:
    """Log what was found wrong in a store that has just been opened."""
    health = store.health()
    if health.damaged or health.held:
        log.error(
            "games closed: records are lost, or may be",
            damaged=health.damaged,
            held=health.held,
            do="warledger check DIR",
        )


_NAMED = 20


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
        # Cancelling from outside only asks for a stop; what is inside the shield ends in its own
        # order.
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as within:
                gateway = _gateway(hub, config, within, context)
                await _inside(hub, within)
                if hub.edge is not None and hub.cards is not None:
                    await within.start(hub.cards.run)
                if serving.node is not None:
                    admit_linked = partial(_admit_linked, within, hub, gateway)
                    await within.start(serving.node.run, admit_linked, within.start_soon)
                if isinstance(hub.supervisor.ambient, SystemAmbient):
                    within.start_soon(
                        clockcheck.keep, hub.supervisor.ambient.clock, config.data, hub.log
                    )
                if config.practice:
                    await _play_house(hub, config, within)
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
                )
                task_status.started(serving)
                await stop.wait()
                await stop_gracefully(hub, config.stop_seconds)
                within.cancel_scope.cancel()
        outside.cancel_scope.cancel()


async def _play_house(hub: Hub, config: Config, nursery: trio.Nursery) -> None:
    """Let anybody play the house's bots, which come over a socket of this machine alone."""
    house = Practice(
        hub.supervisor,
        config.data,
        config.practice,
        config.house,
        hub.log,
        partial(hub.contained, "practice"),
    )
    [door] = tcp.listen("127.0.0.1", 0)
    host, port = door.getsockname()[:2]
    house.server = f"{host}:{port}"
    nursery.start_soon(tcp.accept, door, partial(_admit, nursery, hub, None))
    await nursery.start(house.run)
    hub.practice = house


def _gateway(
    hub: Hub, config: Config, nursery: trio.Nursery, context: ssl.SSLContext | None
) -> Gateway:
    return Gateway(
        hub,
        config.http_limits,
        nursery,
        context=context,
        origins=config.origins,
        names=(*config.names, *(config.http[:1] if config.http else ())),
        is_named=bool(config.names),
        proxies=config.proxies,
        frames=config.frames,
        files=Files(config.page, fresh=config.page is not None),
    )


async def _inside(hub: Hub, nursery: trio.Nursery) -> None:
    """Start what a server runs beside its sockets."""
    await nursery.start(hub.supervisor.run)
    if hub.hosting is not None:
        await nursery.start(hub.hosting.run)
    nursery.start_soon(hub.flusher.run)
    nursery.start_soon(hub.watch_grants)
    nursery.start_soon(hub.tend)
    nursery.start_soon(hub.notifier.run)
    nursery.start_soon(garbagecollection.tidy, lambda: hub.metrics.commits)
    nursery.start_soon(
        garbagecollection.sweep, lambda: hub.metrics.commits + hub.metrics.connections_opened
    )


def _admit_linked(
    nursery: trio.Nursery,
    hub: Hub,
    gateway: Gateway,
    what: str,
    state: tuple[Any, ...],
    sock: socket.socket,
) -> None:
    """Serve a socket that leads to another node of the fleet: see `peers.Admit`."""
    pipe = tcp.SocketPipe(sock, state[0])
    if what == HTTP:
        nursery.start_soon(gateway.serve, pipe)
        return
    if not hub.has_room(pipe.peer):
        hub.metrics.connections_refused += 1
        sock.close()
        return
    connection = Connection(hub, pipe)
    connection.resume(state)
    nursery.start_soon(connection.run_alone)


def _tune() -> None:
    """Set up the interpreter and the limits of the process as a server needs them."""
    sys.setswitchinterval(SWITCH_SECONDS)
    tcp.open_files_max(OPEN_FILES)


def system(config: Config, log: Any) -> SystemAmbient:
    """The real world, with what the previous server stored about its time."""

    def changed(event: str, sure: bool, figures: dict[str, int]) -> None:
        if sure:
            log.warning(event, **figures)
        else:
            log.error(
                event,
                do="no game expires now; set the clock right, or say that it is: "
                "warledger clock DIR --right",
                **figures,
            )

    return SystemAmbient(clock=Clock(memory=clockcheck.remembered(config.data), changed=changed))


def new_signer(config: Config, world: Ambient) -> Signer:
    """What signs heads, with the key in the data directory."""
    return Signer(
        serversecrets.signing_key(config.data, world.random_bytes),
        serversecrets.older_keys(config.data),
    )


def new_pusher(config: Config, world: Ambient) -> Pusher | None:
    """What seals messages to browsers, with the key in the data directory; None where the operator
    wants none. Raises BadConfig."""
    if not config.push:
        return None
    secret = serversecrets.push_key(config.data, world.random_bytes)
    try:
        return Pusher(secret, config.push, world.random_bytes)
    except BadPush as error:
        raise BadConfig(str(error)) from None


def make_hub(
    store: Store,
    titles: Mapping[str, Title],
    ambient: Ambient,
    signer: Signer,
    host_digest: bytes,
    config: Config,
    log: Any,
    pulse: Pulse | None = None,
    snapshots: Snapshots | None = None,
    kind: Callable[..., Supervisor] = Supervisor,
    giver: str = "",
) -> Hub:
    """The inside of a server without its sockets: tests and simulations talk to it through pipes of
    their own. `pulse` stores signs of life for the next server, and `snapshots` are those beside
    its games. `kind` makes what has them, `giver` is what the ids begin with that it gives."""
    supervisor = kind(
        store,
        titles,
        ambient,
        signer,
        Metrics(),
        log,
        config.tending,
        pulse=NoPulse() if pulse is None else pulse,
        snapshots=snapshots,
        archive=Archive(config.archive or beside(config.data)),
    )
    hub = Hub(
        supervisor,
        host_digest,
        config.limits,
        log,
        SERVER_NAME,
        lang.catalogue,
        Book(config.data, log),
        People(config.accounts, ambient, log, database(config.data), giver),
        talk.database(config.data),
        config.url.rstrip("/"),
        None if config.mail is None else Postman(read_settings(config.mail)),
        new_pusher(config, ambient),
        rows=Rows(config.data / FILE),
        data=config.data,
        whatif=config.whatif,
    )
    supervisor.resting = Resting(hub)
    return hub


def host(hub: Hub, store: Store) -> None:
    """Let a server have the tournaments of a store."""
    supervisor, people = hub.supervisor, hub.people
    hall, data = partial(ServerHall, supervisor, people), hub.data
    there = data is not None and data.is_dir()
    logs = RatingLogs(data / ratinglogs.FOLDER if data is not None and there else None)
    hub.hosting = Hosting(store, supervisor, hall, hub.log, logs)


async def stop_gracefully(hub: Hub, seconds: float) -> None:
    """Accept nothing new, finish what is in progress and tell clients, all within this many
    seconds."""
    hub.log.info("stopping", connections=len(hub.connections))
    with trio.move_on_after(seconds):
        await hub.supervisor.settle()
        async with trio.open_nursery() as nursery:
            for connection in list(hub.connections):
                nursery.start_soon(connection.goodbye, say("goodbye.stopping"), seconds / 2)
        await keep(hub, list(hub.supervisor.games.values()))


def _admit(
    nursery: trio.Nursery, hub: Hub, context: ssl.SSLContext | None, sock: socket.socket, peer: str
) -> None:
    if not hub.make_room(peer):
        hub.metrics.connections_refused += 1
        sock.close()
        return
    pipe = tcp.SocketPipe(sock, peer) if context is None else tcp.secured(sock, peer, context)
    nursery.start_soon(Connection(hub, pipe).run_alone)


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
