"""`warledger demo --fleet`: a whole fleet on this machine, whose parts are killed while captains
play on it: three NATS servers, three nodes, an edge and an archive, each a process of its own.

What is told and checked is what clients receive and what the archive keeps. Whose a game is, and
which server leads its stream, is asked of the engine, as an operator may.
"""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

import trio
from attrs import define, field

from warledger.clients.audit.audit import audit
from warledger.clients.audit.audit import installed as rulebook
from warledger.clients.audit.verdict import SOUND
from warledger.clients.bots.seated import play_bot
from warledger.clients.commands.demos.childprocesses import watched
from warledger.clients.commands.demos.demo import leaves, until_interrupted
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.link import Link, ServerError, Watch, connect, read_receipts, sit
from warledger.clients.terminal.screen import Screen
from warledger.engine.nats.natsport import EngineError
from warledger.engine.runtime import tokens
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.fleetstreams import Fleet
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.keyring import Ring, read_ring
from warledger.engine.store.fleet.natsconf import ROUTES_ABOVE
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.fleet.streamends import shard_of
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.board import effects
from warledger.protocol.log.records import hash_of
from warledger.protocol.log.wlog import parse

TITLE: Final = "war_at_sea"
PACE_S: Final = 0.08
GAMES: Final = 3
SHARDS: Final = 2
ROOM: Final = 1_000_000_000
READY_SECONDS: Final = 180.0
"""How long a part may take until it can be reached: on a machine with much else to do a process may
need a minute to start. One that has ended is noticed at once."""

SURE: Final = 3
"""So many records after a kill a game is held to go on: the first may have been on its way."""

AT: Final = {"node": 2, "server": 3, "edge": 4}
"""The turn of the first game in which each is killed."""

LATE_TURN: Final = 3
NATS_VERSION: Final = (2, 15, 1)

_APART: Final = 50
"""Ports are drawn from one class of remainders, that of the process's number. It divides
`ROUTES_ABOVE`, so that the routes' ports are of the same class."""


class CannotShow(Exception):
    """What the demonstration needs is not here; the message says what to do."""


def demonstrate(screen: Screen, *, fast: bool, seed: int, keep: Path | None) -> int:
    """Run the demonstration: 0 if every check passed, 2 for a folder that is not empty, else 1."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        if any(keep.iterdir()):
            screen.say("demo.fleet.not_empty", folder=str(keep))
            return 2
        return _run(screen, keep.resolve(), fast, seed, kept=True)
    with tempfile.TemporaryDirectory(prefix="warledger-fleet-", ignore_cleanup_errors=True) as made:
        return _run(screen, Path(made), fast, seed, kept=False)


def _run(screen: Screen, folder: Path, fast: bool, seed: int, *, kept: bool) -> int:
    screen.of_title(TITLE)
    shown = _Shown(screen, folder, fast, seed)
    try:
        with watched(None if kept else folder) as group, shown.machines(group):
            trio.run(shown.run)
            sound = shown.report(kept=kept)
    except CannotShow as error:
        screen.say("demo.failed", what=str(error))
        return 1
    except BaseExceptionGroup as group:
        _, others = group.split(KeyboardInterrupt)
        if others is None:
            raise KeyboardInterrupt from None
        screen.say("demo.failed", what="; ".join(str(error) for error in leaves(others)))
        return 1
    return 0 if sound else 1


def nats_program() -> str:
    """The NATS server's program, beside ours or in the path. Raises CannotShow."""
    beside = Path(sys.executable).with_name("nats-server")
    found = str(beside) if beside.exists() else shutil.which("nats-server")
    wanted = ".".join(map(str, NATS_VERSION))
    if found is None:
        raise CannotShow(
            f"there is no nats-server: install warledger[fleet], or NATS {wanted} or later"
        )
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    if version is None or tuple(map(int, version.groups())) < NATS_VERSION:
        raise CannotShow(f"{found} says {said.strip()!r}, and version {wanted} or later is needed")
    return found


@define(eq=False)
class _Machine:
    """A part of the fleet: a process in a group that ends with us, and that Ctrl-C reaches through
    us alone."""

    name: str
    command: list[str]
    log: Path
    port: int = 0
    folder: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    group: int | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                process_group=self.group,
            )

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    async def reachable(self) -> None:
        """Wait until it takes connections. Raises CannotShow."""
        with trio.move_on_after(READY_SECONDS):
            while self.process is not None and self.process.poll() is None:
                with suppress(OSError):
                    stream = await trio.open_tcp_stream("127.0.0.1", self.port)
                    await stream.aclose()
                    return
                await trio.sleep(0.02)
        raise CannotShow(f"{self.name} did not start; its log is {self.log}: {self._last()}")

    def _last(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()
        return lines[-1] if lines else "(empty)"


@define(eq=False)
class _Told:
    """When records of a game came to somebody who watches it, by our steady clock."""

    at: list[float] = field(factory=list)

    def still(self, since: float) -> float:
        """For how long nothing came around this moment: the longest time between two records from
        the last before it on."""
        first = max((n for n, at in enumerate(self.at) if at <= since), default=0)
        times = self.at[first : first + SURE + 2]
        return max((b - a for a, b in pairwise(times)), default=0.0)

    def goes_on(self, since: float) -> bool:
        return sum(at > since for at in self.at) >= SURE


@define(eq=False)
class _Seen:
    """What one spectator saw of a game: its records' hashes."""

    name: str
    game: str
    hashes: list[bytes] = field(factory=list)
    board: object = None


@define(eq=False)
class _Shown:
    """The fleet and what happens on it."""

    screen: Screen
    folder: Path
    fast: bool
    seed: int
    nats: list[_Machine] = field(factory=list)
    nodes: list[_Machine] = field(factory=list)
    edge: _Machine = field(init=False)
    archive: _Machine = field(init=False)
    ring: Ring = field(init=False)
    key: bytes = b""
    games: list[str] = field(factory=list)
    seen: list[_Seen] = field(factory=list)
    commands: int = 0
    turn: int = 0
    turned: trio.Event = field(factory=trio.Event)
    told: dict[str, _Told] = field(factory=dict)
    over: bool = False
    began: float = field(factory=time.monotonic)

    # --- the machines -----------------------------------------------------------------------------

    @property
    def keys(self) -> Path:
        return self.folder / "keys"

    @contextmanager
    def machines(self, group: int | None) -> Iterator[None]:
        """Everything as it is to be started, in this process group; what runs is killed at the
        end."""
        program = nats_program()
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        ports = free_ports(3 + GAMES + 1)
        url = "nats://" + ",".join(f"127.0.0.1:{port}" for port in ports[:3])
        made = fleetadmin.prepare(
            self.keys,
            url,
            Fleet(SHARDS, 3, ROOM),
            store=str(self.folder / "nats"),
            random_bytes=os.urandom,
            token=lambda: f"{tokens.HOST}:{os.urandom(32).hex()}",
            now=datetime.now(UTC),
        )
        self.ring = read_ring(self.keys)
        for number, (place, port) in enumerate(zip(made.servers, ports[:3], strict=True), 1):
            log = logs / f"nats-{number}.log"
            command = [program, "-c", "nats.conf"]
            self.nats.append(_Machine(f"NATS server {number}", command, log, port, place))
        ours = [sys.executable, "-m", "warledger"]
        by = ["--keys", str(self.keys)]
        for number, port in enumerate(ports[3:-1], 1):
            own = ["--data", str(self.folder / f"node-{number}"), "--tcp", f"127.0.0.1:{port}"]
            command = [*ours, "serve", "--store", url, *by, *own]
            self.nodes.append(
                _Machine(f"node {number}", command, logs / f"node-{number}.log", port)
            )
        own = ["--data", str(self.folder / "edge"), "--tcp", f"127.0.0.1:{ports[-1]}"]
        command = [*ours, "serve", "--edge", url, *by, "--nkey", str(self.keys / "edge.nk"), *own]
        self.edge = _Machine("the edge", command, logs / "edge.log", ports[-1])
        kept = ["--data", str(self.folder / "archive")]
        self.archive = _Machine(
            "the archive", [*ours, "archive", "--store", url, *by, *kept], logs / "archive.log"
        )
        with ExitStack() as stack:
            for one in (*self.nats, *self.nodes, self.edge, self.archive):
                one.group = group
                stack.callback(one.kill)
            yield

    def _where(self) -> fleetadmin.Where:
        url = "nats://" + ",".join(f"127.0.0.1:{one.port}" for one in self.nats)
        return fleetadmin.Where.of(url, keys=self.keys)

    async def _start(self) -> None:
        self.screen.say("demo.fleet.begin", n=len(self.nats))
        for one in self.nats:
            one.start()
        token = (self.keys / fleetadmin.TOKEN_FILE).read_text(encoding="ascii").strip()
        planned = fleetadmin.fleet_of(
            self.ring, tokens.digest(token), replicas=3, room=ROOM, shards=SHARDS
        )
        async with fleetadmin.reached(self._where(), seconds=READY_SECONDS) as js:
            await fleetadmin.init(js, planned)
        for one in (*self.nodes, self.edge, self.archive):
            one.start()
        async with trio.open_nursery() as nursery:
            for one in (*self.nodes, self.edge):
                nursery.start_soon(one.reachable)
        addresses = [f"127.0.0.1:{one.port}" for one in (*self.nodes, self.edge)]
        self.screen.say("demo.fleet.up", nodes=addresses[:-1], edge=addresses[-1])

    # --- the games --------------------------------------------------------------------------------

    async def run(self) -> None:
        """Start the fleet, play, kill, and wait until the archive has everything."""
        async with trio.open_nursery() as outside:
            await outside.start(until_interrupted)
            await self._start()
            token = (self.keys / fleetadmin.TOKEN_FILE).read_text(encoding="ascii").strip()
            async with trio.open_nursery() as playing:
                for number, node in enumerate(self.nodes):
                    async with connect(
                        "127.0.0.1", node.port, token=token, name="organiser"
                    ) as link:
                        created = await link.create(TITLE)
                        assert link.welcome is not None
                        self.key = link.welcome.key
                    self.games.append(created.game)
                    # Who plays is at the other nodes, so that every command goes through two.
                    others = [one for one in self.nodes if one is not node]
                    for place, (seat, given) in zip(others, created.tokens, strict=True):
                        playing.start_soon(self._captain, created.game, place, seat, given)
                    playing.start_soon(self._spectate, "a spectator", created.game, not number)
                first = self.games[0]
                self.told["node"] = self.told["server"] = _Told()
                playing.start_soon(self._observe, first, self.nodes[1], self.told["node"])
                playing.start_soon(self._join_late, first)
                playing.start_soon(self._kill_all, first)
            await self._archived()
            outside.cancel_scope.cancel()

    async def _captain(self, game: str, place: _Machine, seat: str, token: str) -> None:
        receipts = self.folder / "receipts"
        async with connect(
            "127.0.0.1", place.port, token=token, name=f"Captain {seat.title()}", receipts=receipts
        ) as link:
            at = await sit(link, game, seat, client="bot")
            # Where nobody looks closely the games need not be good ones.
            player = "random" if self.fast and game != self.games[0] else "captain"
            played = await play_bot(
                at, player, f"{self.seed} {game} {seat}", pace_s=0.0 if self.fast else PACE_S
            )
            await at.finish()
            self.commands += played

    async def _spectate(self, name: str, game: str, is_first: bool) -> None:
        """Watch at the edge to the end; the first spectator of the first game tells its turns."""
        seen = _Seen(name, game)
        self.seen.append(seen)
        async with connect("127.0.0.1", self.edge.port, name=name) as link:
            watch = await self._watched(link, game)
            told = self.told.setdefault("edge", _Told()) if is_first else _Told()
            async for one in watch:
                told.at.append(time.monotonic())
                if is_first:
                    turns = sum(
                        effect[0] == effects.OPEN and effect[1] == "turn" for effect in one.effects
                    )
                    if turns:
                        self.turn += turns
                        self.turned.set()
                        self.turned = trio.Event()
            self._keep(seen, watch)
            if is_first:
                self.over = True
                self.turned.set()

    async def _watched(self, link: Link, game: str) -> Watch:
        """Follow a game that the edge hears of at any moment, if it has not yet. Raises
        ServerError."""
        began = time.monotonic()
        while True:
            try:
                return await link.watch(game)
            except ServerError as error:
                if error.code != "unknown_game" or time.monotonic() - began > READY_SECONDS:
                    raise
            await trio.sleep(0.05)

    def _keep(self, seen: _Seen, watch: Watch) -> None:
        seen.hashes = [one.record.hash for one in watch.seen]
        seen.board = watch.board

    async def _observe(self, game: str, node: _Machine, told: _Told) -> None:
        """Note when records come at a node that is not killed."""
        async with connect("127.0.0.1", node.port, name="observer") as link:
            async for _ in await self._watched(link, game):
                told.at.append(time.monotonic())

    async def _until_turn(self, turn: int) -> bool:
        """Wait for a turn of the first game; whether it came."""
        while self.turn < turn and not self.over:
            await self.turned.wait()
        return not self.over

    async def _join_late(self, game: str) -> None:
        await self._until_turn(LATE_TURN)
        self.screen.say("demo.fleet.late", turn=self.turn)
        await self._spectate("a late spectator", game, False)

    # --- what is killed ---------------------------------------------------------------------------

    async def _kill_all(self, game: str) -> None:
        for what, turn in AT.items():
            if not await self._until_turn(turn):
                raise CannotShow(f"the game was over before turn {turn}")
            await getattr(self, f"_kill_{what}")(game)

    async def _kill_node(self, game: str) -> None:
        victim = await self._owner(game)
        since = self._killed(victim)
        still = await self._gone_on("node", since)
        heir = await self._owner(game)
        self.screen.say("demo.fleet.node", name=victim.name, seconds=still, heir=heir.name)
        victim.start()

    async def _kill_server(self, game: str) -> None:
        victim = await self._leader(game)
        since = self._killed(victim)
        still = await self._gone_on("server", since)
        heir = await self._leader(game)
        self.screen.say("demo.fleet.server", name=victim.name, seconds=still, heir=heir.name)
        victim.start()

    async def _kill_edge(self, game: str) -> None:
        before = len(self.told["node"].at)
        since = self._killed(self.edge)
        self.edge.start()
        still = await self._gone_on("edge", since)
        went_on = len(self.told["node"].at) - before
        self.screen.say("demo.fleet.edge", seconds=still, records=went_on)

    def _killed(self, victim: _Machine) -> float:
        self.screen.say("demo.fleet.kill", name=victim.name)
        victim.kill()
        return time.monotonic()

    async def _gone_on(self, told: str, since: float) -> str:
        """Wait until the first game goes on; for how many seconds it stood still."""
        while not self.told[told].goes_on(since) and not self.over:  # noqa: ASYNC110 - what is awaited is a time of many events
            await trio.sleep(0.02)
        return f"{self.told[told].still(since):.1f}"

    async def _owner(self, game: str) -> _Machine:
        """The node that owns a game."""
        async with open_jetstream(
            self._where().settings(), self.ring.data_keys, shards=SHARDS
        ) as store:
            owner = await store.look(game)
        for one in self.nodes:
            if one.process is not None and f"-{one.process.pid}-" in owner:
                return one
        raise CannotShow(f"{owner!r} owns the game, which is none of the nodes")

    async def _leader(self, game: str) -> _Machine:
        """The NATS server that leads a game's stream."""
        async with fleetadmin.reached(self._where(), seconds=READY_SECONDS) as js:
            while True:
                with suppress(EngineError, KeyError):
                    found = await js.describe(f"WG{shard_of(game, SHARDS)}")
                    name = found["cluster"]["leader"]
                    return self.nats[int(name.rpartition("-")[2]) - 1]
                await trio.sleep(0.1)

    # --- afterwards -------------------------------------------------------------------------------

    async def _archived(self) -> None:
        """Wait until the archive has what the engine has, and stop it."""
        async with open_jetstream(
            self._where().settings(), self.ring.data_keys, shards=SHARDS
        ) as store:
            for game in self.games:
                records = await _records(store, game)
                while not await self._has(game, records):  # noqa: ASYNC110 - another process's work
                    await trio.sleep(0.1)
        process = self.archive.process
        if process is not None:
            process.send_signal(signal.SIGINT)
            with trio.move_on_after(10):
                while process.poll() is None:  # noqa: ASYNC110 - a process gives no event
                    await trio.sleep(0.02)

    async def _has(self, game: str, records: int) -> bool:
        with suppress(Exception):  # it is being written
            made = await trio.to_thread.run_sync(exported, self.folder / "archive", game)
            return len(parse(made).records) >= records
        return False

    def report(self, *, kept: bool) -> bool:
        """Audit the games' files out of the archive, and compare them with what everybody saw."""
        screen = self.screen
        screen.say(
            "demo.fleet.played",
            games=len(self.games),
            commands=self.commands,
            seconds=f"{time.monotonic() - self.began:.0f}",
        )
        sound = True
        for number, game in enumerate(self.games):
            file = self.folder / f"{game}.wlog"
            made = exported(self.folder / "archive", game)
            file.write_bytes(made)
            heads = read_receipts(self.folder / "receipts", game)
            report, _ = audit(made, key=self.key, receipts=heads, rulebook=rulebook())
            sound = sound and report.code() == SOUND
            if not number:
                screen.say("demo.exported", file=str(file), bytes=len(made))
                screen.say("demo.audit")
                for line in report.lines(screen.spoken):
                    screen.write("  " + line)
            hashes = [hash_of(record) for record in parse(made).records]
            for seen in self.seen:
                if seen.game == game and seen.hashes != hashes:
                    screen.say("demo.fleet.differs", name=seen.name, game=game)
                    sound = False
        if sound:
            screen.say("demo.fleet.sound", games=len(self.games), spectators=len(self.seen))
        if kept:
            screen.say("demo.fleet.kept", folder=str(self.folder))
        else:
            screen.say("demo.gone")
        return sound


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody has, and those of their routes neither: from below those that
    the system gives to whoever connects, since what is killed is started again. No port is
    another's route, and processes at work at the same time draw from ports of their own."""
    found: list[int] = []
    taken: set[int] = set()
    drawn = random.Random(os.urandom(8))
    while len(found) < count:
        port = drawn.randrange(12_000 + os.getpid() % _APART, 29_000, _APART)
        both = {port, port + ROUTES_ABOVE}
        if both.isdisjoint(taken) and all(map(_is_free, both)):
            taken |= both
            found.append(port)
    return found


def _is_free(port: int) -> bool:
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError:
        return False


async def _records(store: JetStreamStore, game: str) -> int:
    frames = await trio.to_thread.run_sync(store.read, game)
    return sum(frame.kind == FRAME_RECORD for frame in frames)
