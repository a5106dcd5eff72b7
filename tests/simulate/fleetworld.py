"""Nodes of a fleet, an edge, clients and three modelled NATS servers in one process from one seed,
under a clock of the run's own, with faults at any message. The nodes' own code is unchanged.

A run plays games between bots, watched by spectators who come and go, while nodes are killed,
stopped and drained, servers of the engine killed, cut off and stepped down, connections broken and
streams filled. Afterwards the checker goes through what the engine holds and what everybody was
told: the same promises as for real servers (`tests/chaos/test_chaos.py`).
"""

from __future__ import annotations

import hashlib
import io
import random
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import trio
from attrs import define, field

from tests.serve.rig import (
    HOST_TOKEN,
    SERVER_KEY,
    TITLES,
    Client,
)
from tests.simulate.clockwork import Clock
from tests.simulate.cluster import Cluster, Stream
from tests.simulate.fleetmutants import PROJECTIONS, STORES, planted
from tests.simulate.instep import Ambient, Helpers, in_step
from tests.simulate.promises import PATIENCE_SECONDS, Played, said_of
from tests.simulate.reaching import Connection, Killed
from tests.simulate.test_crashes import _deterministic
from tests.simulate.wires import Wire, wired
from tests.simulate.world import SEATS, _ask, _Gone
from warledger.engine.nats.natsport import EngineError
from warledger.engine.runtime import tokens
from warledger.engine.runtime.garbagecollection import steady
from warledger.engine.runtime.watch.watchedgames import Watching
from warledger.engine.serve import logs
from warledger.engine.serve.app import make_hub, stop_gracefully
from warledger.engine.serve.config import Config, ServerLimits
from warledger.engine.serve.fleet.edge import Edge
from warledger.engine.serve.fleet.node import Node
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.wire.connection import Connection as Served
from warledger.engine.serve.wire.tcp import SocketPipe
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.nodemessages import Nodes
from warledger.engine.store.fleet.publicgames import PublicStore
from warledger.engine.store.fleet.publicstream import public_frames, public_subject
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.fleet.sharedstore import running
from warledger.engine.store.fleet.streamends import subject_of
from warledger.engine.store.port import FRAME_RECORD, Frame
from warledger.protocol.log.chain import Signer
from warledger.protocol.log.wlog import walk
from warledger.protocol.wire import messages as m

SHARDS = 2
LONGEST_SECONDS = 400.0
"""How long all games may take with all that befalls them: many times what they need."""

SETTLED_SECONDS = 100.0
"""How long after the last fault everything must be told."""


# --- nodes ----------------------------------------------------------------------------------------


@define(eq=False)
class Place:
    """A machine on which a node, or an edge, runs, and runs again."""

    number: int
    is_edge: bool = False
    connection: Connection | None = None
    hub: Hub | None = None
    nursery: trio.Nursery | None = None
    drain: trio.Event = field(factory=trio.Event)
    up: trio.Event = field(factory=trio.Event)
    runs: int = 0

    def pipe(self) -> Wire:
        """A client's end of a new connection. Raises _Gone."""
        if self.hub is None or self.nursery is None or self.connection is None:
            raise _Gone
        ours, theirs = wired(self.connection)
        self.nursery.start_soon(Served(self.hub, theirs).run)
        return ours


@define(eq=False)
class FleetWorld(Played):
    """One simulated run."""

    mutant: str = ""
    nodes: int = 3
    games: int = 3
    faults: int = 12
    watchers: int = 2
    edges: int = 1
    seconds: float = 0.0
    mended: float = 0.0
    did: list[str] = field(factory=list)
    helpers: Helpers = field(factory=Helpers)
    clock: Clock = field(factory=Clock)
    log: io.StringIO = field(factory=io.StringIO)
    rng: random.Random = field(init=False)
    cluster: Cluster = field(init=False)
    places: list[Place] = field(init=False)
    borders: list[Place] = field(init=False)
    keys: DataKeys = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.places = [Place(number) for number in range(self.nodes)]
        self.borders = [Place(number, is_edge=True) for number in range(self.edges)]
        keys = DataKeys.of({1: bytes(32)}, 1)
        self.keys = DataKeys(1, keys._boxes, self._fork().randbytes)

    def _fork(self) -> random.Random:
        return random.Random(self.rng.random())

    def new_cluster(self) -> Cluster:
        """The engine of this run."""
        return Cluster(self._fork(), SHARDS, self.clock, mutant=self.mutant)

    async def run(self) -> None:
        """Play all games to their end through the faults, then the checks."""
        noise = self.rng.choice((0.0, 0.0, 0.01))
        self.cluster = self.new_cluster()
        with trio.fail_after(LONGEST_SECONDS):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.clock.watch)
                for place in (*self.places, *self.borders):
                    nursery.start_soon(self._serve, place, self._fork())
                for _ in range(self.games):
                    await self._new_game(self.rng)
                self.cluster.faults = noise
                for game in self.tokens:
                    for seat in SEATS:
                        nursery.start_soon(self._play, game, seat, self._fork())
                    for number in range(self.watchers):
                        # All come to nodes, and spectators to an edge as well.
                        for audience in ("public",) if number else ("public", *SEATS):
                            nursery.start_soon(self._watch, game, audience, number, self._fork())
                try:
                    async with trio.open_nursery() as trouble:
                        trouble.start_soon(self._trouble, self._fork())
                        while len(self.ended) < len(self.tokens):  # noqa: ASYNC110 - the mock clock makes polling free
                            await trio.sleep(1)
                        trouble.cancel_scope.cancel()
                    self._mend()
                    while not self._all_seen():  # noqa: ASYNC110
                        await trio.sleep(1)
                    await trio.sleep(10)
                    self.seconds = trio.current_time()
                finally:
                    nursery.cancel_scope.cancel()
                    self._kill_all()
        self._check()

    def _kill_all(self) -> None:
        """The nodes wait, shielded, for an engine that is about to end."""
        for place in (*self.places, *self.borders):
            if place.connection is not None:
                place.connection.kill()

    # --- nodes ------------------------------------------------------------------------------------

    async def _serve(self, place: Place, rng: random.Random) -> None:
        """Be a node; when it ends, begin it again as another incarnation."""
        while True:
            place.runs += 1
            name = f"{'e' if place.is_edge else 'n'}{place.number}-{place.runs}"
            connection = place.connection = Connection(self.cluster, name)
            place.drain = trio.Event()
            try:
                await (self._edge if place.is_edge else self._node)(place, name, connection, rng)
            except BaseException as error:
                if not _was_killed(error) and not (
                    isinstance(error, EngineError) and place.hub is None
                ):
                    raise
            finally:
                place.hub = place.nursery = None
                connection.kill()
            await trio.sleep(rng.uniform(0.5, 4))

    async def _node(
        self, place: Place, name: str, connection: Connection, rng: random.Random
    ) -> None:
        ambient = Ambient(rng.randrange(10**9), self.helpers, rng.choice((0, 0, -200_000, 300_000)))
        config = Config(Path("/nonexistent"), limits=ServerLimits())
        await connection.connected()
        store = JetStreamStore(
            connection, self.keys, SHARDS, rng.randbytes, name=name, now_ms=ambient.now_ms
        )
        STORES.get(self.mutant, lambda store: None)(store)
        async with running(store, connection), trio.open_nursery() as nursery:
            place.nursery = nursery
            hub = make_hub(
                store,
                TITLES,
                ambient,
                Signer(SERVER_KEY),
                tokens.digest(HOST_TOKEN),
                config,
                logs.logger("info", self.log),
            )
            node = Node(hub, store, Nodes(connection, name), Cards(connection))
            hub.peers = hub.supervisor.fleet = node
            PROJECTIONS.get(self.mutant, lambda projector: None)(node._projector)
            await nursery.start(hub.supervisor.run)
            nursery.start_soon(hub.flusher.run)
            nursery.start_soon(hub.tend)

            def admit(what: str, state: tuple[Any, ...], sock: Any) -> None:
                served = Served(hub, SocketPipe(sock, state[0]))
                served.resume(state)
                nursery.start_soon(served.run)

            await nursery.start(node.run, admit, nursery.start_soon)
            place.hub = hub
            place.up.set()
            await place.drain.wait()
            await stop_gracefully(hub, 5)
            nursery.cancel_scope.cancel()

    async def _edge(
        self, place: Place, name: str, connection: Connection, rng: random.Random
    ) -> None:
        ambient = Ambient(rng.randrange(10**9), self.helpers, 0)
        await connection.connected()
        cards = Cards(connection)
        hub = make_hub(
            PublicStore(connection, SHARDS),
            TITLES,
            ambient,
            Signer.of_nobody(SERVER_KEY.verify_key.encode()),
            b"",
            Config(Path("/nonexistent"), limits=ServerLimits(), accounts="off"),
            logs.logger("info", self.log),
            kind=partial(Watching, cards=cards),
        )
        hub.cards, hub.edge = cards, Edge()
        async with trio.open_nursery() as nursery:
            place.nursery = nursery
            await nursery.start(hub.supervisor.run)
            nursery.start_soon(hub.flusher.run)
            nursery.start_soon(hub.tend)
            await nursery.start(cards.run)
            place.hub = hub
            place.up.set()
            await place.drain.wait()
            await stop_gracefully(hub, 5)
            nursery.cancel_scope.cancel()

    # --- faults -----------------------------------------------------------------------------------

    async def _trouble(self, rng: random.Random) -> None:
        faults = (
            self._kill, self._kill, self._stop, self._stop, self._drain,
            self._kill_server, self._cut_server, self._step_down, self._amid_an_append,
            self._break, self._break, self._fill, self._leader_and_owner, self._kill_two,
            self._trouble_edge,
        )  # fmt: skip
        async with trio.open_nursery() as nursery:
            for _ in range(self.faults):
                await trio.sleep(rng.choice((0.01, rng.uniform(0, 2), rng.uniform(2, 9))))
                fault = rng.choice(faults)
                self.did.append(f"{trio.current_time():.3f} {fault.__name__}")
                nursery.start_soon(fault, rng)

    def _some(self, rng: random.Random) -> Connection | None:
        found = [one.connection for one in self.places if one.connection and one.hub]
        return rng.choice(found) if found else None

    async def _kill(self, rng: random.Random) -> None:
        place = rng.choice(self.places)
        if place.connection is not None and place.nursery is not None:
            place.connection.kill()
            place.nursery.cancel_scope.cancel()

    async def _stop(self, rng: random.Random) -> None:
        connection = self._some(rng)
        if connection is not None:
            connection.stop()
            await trio.sleep(rng.uniform(0.5, 8))
            connection.go_on()

    async def _drain(self, rng: random.Random) -> None:
        rng.choice(self.places).drain.set()

    async def _kill_server(self, rng: random.Random) -> None:
        await self._without(rng.randrange(3), rng)

    async def _without(self, server: int, rng: random.Random) -> None:
        if self.cluster.machines[server].is_up:
            self.cluster.kill(server)
            await trio.sleep(rng.uniform(0.5, 10))
            self.cluster.start(server)

    async def _kill_two(self, rng: random.Random) -> None:
        async with trio.open_nursery() as nursery:
            for server in rng.sample(range(3), rng.choice((2, 3))):
                nursery.start_soon(self._without, server, rng)

    async def _cut_server(self, rng: random.Random) -> None:
        server = rng.randrange(3)
        self.cluster.cut(server)
        await trio.sleep(rng.uniform(0.5, 16))
        self.cluster.mend(server)

    async def _step_down(self, rng: random.Random) -> None:
        self.cluster.step_down(rng.choice(sorted(self.cluster.streams)))

    async def _amid_an_append(self, rng: random.Random) -> None:
        """The leader goes that has just taken an append."""
        comes = trio.Event()
        found: list[Stream] = []

        def come(stream: Stream) -> None:
            found.append(stream)
            comes.set()

        self.cluster.lurk(come)
        await comes.wait()
        [stream] = found
        server = stream.leader
        if server is None or rng.random() < 0.5:
            self.cluster.step_down(stream.name)
        else:
            await self._without(server, rng)

    async def _break(self, rng: random.Random) -> None:
        connection = self._some(rng)
        if connection is not None and connection.link is not None:
            connection.link.drop()

    async def _trouble_edge(self, rng: random.Random) -> None:
        """An edge is killed, told to stop, stopped for a while, or loses its connection."""
        place = rng.choice(self.borders)
        fault = rng.choice(("kill", "drain", "stop", "break"))
        connection = place.connection
        if connection is None or place.nursery is None:
            return
        if fault == "kill":
            connection.kill()
            place.nursery.cancel_scope.cancel()
        elif fault == "drain":
            place.drain.set()
        elif fault == "stop":
            connection.stop()
            await trio.sleep(rng.uniform(0.5, 8))
            connection.go_on()
        elif connection.link is not None:
            connection.link.drop()

    async def _fill(self, rng: random.Random) -> None:
        stream = self.cluster.streams[f"WG{rng.randrange(SHARDS)}"]
        stream.is_full = True
        await trio.sleep(rng.uniform(0.1, 3))
        stream.is_full = False

    async def _leader_and_owner(self, rng: random.Random) -> None:
        server = self.cluster.streams[f"WG{rng.randrange(SHARDS)}"].leader
        await self._kill(rng)
        if server is not None:
            await self._without(server, rng)

    def _mend(self) -> None:
        """Everything is well again."""
        self.mended = trio.current_time()
        self.cluster.faults = 0.0
        for server, one in enumerate(self.cluster.machines):
            if not one.is_up:
                self.cluster.start(server)
            if one.cut is not None:
                self.cluster.mend(server)
        for stream in self.cluster.streams.values():
            stream.is_full = False
        for place in (*self.places, *self.borders):
            if place.connection is not None:
                place.connection.go_on()

    # --- clients ----------------------------------------------------------------------------------

    async def _client(self, token: str, rng: random.Random, *, watches: bool = False) -> Client:
        """A client at one of the nodes, or for whoever watches at an edge too, once one takes
        it."""
        where = (*self.places, *self.borders * 2) if watches else self.places
        while True:
            await trio.sleep(rng.random() * 0.2)
            with suppress(_Gone), trio.move_on_after(PATIENCE_SECONDS):
                client = Client(rng.choice(where).pipe())
                if type(await _ask(client, m.Hello, m.VERSION, "sim")) is not m.Welcome:
                    continue
                if type(await _ask(client, m.Login, token, "")) is m.LoggedIn:
                    return client
                await client.stream.aclose()
            await trio.sleep(0.2)

    def _log_of(self, game: str) -> list[tuple[str, list[Frame]]]:
        """What the engine holds of a game, append by append, and who wrote it."""
        subject = subject_of(game, SHARDS)
        stream = self.cluster.streams[f"WG{subject.split('.')[1]}"]
        found: list[tuple[str, list[Frame]]] = []
        data = b""
        for one in stream.of.get(subject, ()):
            piece = self.keys.open(one.payload)
            data += piece.data
            if piece.piece + 1 == piece.pieces:
                found.append((one.by, [Frame(kind, said) for _, kind, said in walk(data, 0)]))
                data = b""
        return found

    def _all_seen(self) -> bool:
        for game in self.tokens:
            frames = [one for _, some in self._log_of(game) for one in some]
            count = sum(one.kind == FRAME_RECORD for one in frames)
            if any(len(got) < count for key, got in self.seen.items() if key[0] == game):
                return False
            if self._public(game) != said_of(public_frames(frames)):
                return (
                    trio.current_time() > self.mended + SETTLED_SECONDS
                )  # the checker says what is wrong
        return True

    def _public(self, game: str) -> bytes:
        subject = public_subject(game, SHARDS)
        stream = self.cluster.streams[f"WP{subject.split('.')[1]}"]
        return b"".join(one.payload for one in stream.of.get(subject, ()))

    # --- afterwards -------------------------------------------------------------------------------

    @property
    def digest(self) -> str:
        """A fingerprint of all that happened in the engine and of all that was seen."""
        total = hashlib.sha256("\n".join(self.cluster.log).encode())
        for key in sorted(self.seen):
            for _, data, blob in self.seen[key]:
                total.update(data + blob)
        return total.hexdigest()


def _was_killed(error: BaseException) -> bool:
    """Whether the simulated death (or what cancels with it) is all that happened."""
    if isinstance(error, BaseExceptionGroup):
        return error.split((Killed, trio.Cancelled))[1] is None
    return isinstance(error, Killed)


def simulate(seed: int, mutant: str = "", **options: Any) -> FleetWorld:
    """One run from one seed. Raises Broken, or what a node fell over."""
    world = FleetWorld(seed, mutant=mutant, **options)
    try:
        # The garbage of a run is swept as rarely as a server's is.
        with steady(), in_step(seed, world.clock), planted(mutant):
            _deterministic(seed)
            trio.run(world.run, clock=world.clock)
    except BaseException:
        print(f"seed {seed} {mutant}:", *world.did, sep="\n  ")
        raise
    finally:
        world.helpers.end()
    return world
