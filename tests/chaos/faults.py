"""What befalls the fleet of a chaos run, drawn from its seed, and a count of all that has.

A fault counts once it has been seen to happen: a process is gone or stands still, a leader was the
leader when it went, a stream is full. So a run can say what it did, and what it never did.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import trio
from attrs import define, field

from tests.chaos.machines import NATS, NODES, SHARDS, Machine, Site
from tests.chaos.node import TAG_BYTES
from tests.simulate.promises import Broken, Played
from warledger.engine.nats.jetstreamapi import JetStream, Kept
from warledger.engine.nats.natsport import EngineError
from warledger.engine.store.fleet.streamends import CLAIM, shard_of
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol.log.wlog import walk

GONE: Final = ("killed", "stopped")
PARTS: Final = (
    "a node", "two nodes at once", "all nodes at once", "a server", "two servers at once",
    "all servers at once", "a leader", "the edge", "the archive", "edge and archive at once",
    "everything at once",
)  # fmt: skip
DONE: Final = (
    *(f"{part} {how}" for how in GONE for part in PARTS),
    "a leader and a node at once killed",
    "a server cut off", "a leader cut off", "a leader and an owner cut off",
    "a node cut off", "a node's clients cut off", "a server half cut off", "routes slowed",
    "connections broken", "a leader stepped down", "a node drained",
    "nodes restarted", "servers restarted", "edge and archive restarted",
    "a clock moved forward", "a clock moved back", "a stream full", "a stream given room",
    "a message deleted", "a message healed", "receipts lost",
)  # fmt: skip
"""All that a long run must have done."""

ALONE: Final = ("delete_message",)
"""What is done while nothing else goes wrong: two losses at once may be one for good."""

LEADER_SECONDS: Final = 10.0
NOTICED_SECONDS: Final = 60.0
"""How long whoever owns a game may take to notice that its end is gone: somebody must first move in
it, and the node asks the engine for 20 s whether it is so."""

CLOSED: Final = ("game quarantined", "game taken that has lost its end")
"""What the log of a node says that closes a game whose end is gone: by whoever owned it, or by
whoever takes it."""

Fault = Callable[[random.Random], Awaitable[None]]
Ways = dict[str, tuple[float, float]]


@define(eq=False)
class Troubled(Played):
    """Games on a fleet to which all this happens. `some` are the names of the faults, all of them
    where there are none; `done` is what was seen to happen, how often; `healed` are the games of
    which a message was deleted and put back."""

    site: Site = field(kw_only=True)
    pause: float = 4.0
    some: tuple[str, ...] = ()
    did: list[str] = field(factory=list)
    done: Counter[str] = field(factory=Counter)
    healed: set[str] = field(factory=set)
    began: float = 0.0
    busy: set[str] = field(factory=set)
    js: JetStream = field(init=False)

    def note(self, what: str) -> None:
        """Say what happens, and when."""
        line = f"{time.monotonic() - self.began:6.1f} {what}"
        self.did.append(line)
        print(line, flush=True)

    # --- one after the other ----------------------------------------------------------------------

    @property
    def faults(self) -> dict[str, Fault]:
        """All of them by name."""
        found = {
            name.removeprefix("do_"): getattr(self, name)
            for name in dir(type(self))
            if name.startswith("do_")
        }
        return {name: found[name] for name in self.some} if self.some else found

    async def trouble(self, rng: random.Random, until: float) -> None:
        """Let faults befall the fleet until then. What has begun by then comes to its end."""
        await trio.sleep(2)
        names: list[str] = []
        async with trio.open_nursery() as nursery:
            while trio.current_time() < until:
                # Each once, in an order of chance, and then all again: one that another got in the
                # way of comes to pass in a later round.
                if not names:
                    names = list(self.faults)
                    rng.shuffle(names)
                name = names.pop(0)
                if name in ALONE:
                    while self.busy:  # noqa: ASYNC110 - what is awaited has no event
                        await trio.sleep(0.1)
                    await self._one(name, rng)
                else:
                    nursery.start_soon(self._one, name, rng)
                pause = rng.choice((0.05, rng.uniform(0.3, 1) * self.pause, self.pause))
                await trio.sleep(max(0.0, min(pause, until - trio.current_time())))

    async def _one(self, name: str, rng: random.Random) -> None:
        if name in self.busy:
            return
        self.busy.add(name)
        try:
            await self.faults[name](rng)
        finally:
            self.busy.discard(name)

    # --- killed and stopped -----------------------------------------------------------------------

    async def _down(self, what: str, those: Sequence[Machine], seconds: float) -> None:
        """Kill those, and start them again later, whatever happens meanwhile."""
        self.note(f"kill {', '.join(one.name for one in those)} for {seconds:.1f}")
        were_up = all(one.is_up for one in those)
        try:
            async with trio.open_nursery() as nursery:
                for one in those:
                    nursery.start_soon(trio.to_thread.run_sync, one.kill)
            if were_up and not any(one.is_up for one in those):
                self.done[f"{what} killed"] += 1
            await trio.sleep(seconds)
        finally:
            for one in those:
                one.start()

    async def _asleep(self, what: str, those: Sequence[Machine], seconds: float) -> None:
        self.note(f"stop {', '.join(one.name for one in those)} for {seconds:.1f}")
        try:
            for one in those:
                one.tell(signal.SIGSTOP)
            with trio.move_on_after(1):
                while not all(one.is_still for one in those):  # noqa: ASYNC110
                    await trio.sleep(0.01)
                self.done[f"{what} stopped"] += 1
            await trio.sleep(seconds)
        finally:
            for one in those:
                one.tell(signal.SIGCONT)

    def _well(self) -> list[Machine]:
        """The nodes that run and were not told to end; all if there are none."""
        nodes = self.site.nodes
        return [one for one in nodes if one.is_up and not one.is_ended] or nodes

    async def do_kill_node(self, rng: random.Random) -> None:
        await self._down("a node", [rng.choice(self._well())], rng.uniform(0.2, 5))

    async def do_kill_two_nodes(self, rng: random.Random) -> None:
        those = rng.sample(self.site.nodes, 2)
        await self._down("two nodes at once", those, rng.uniform(0.2, 5))

    async def do_kill_all_nodes(self, rng: random.Random) -> None:
        await self._down("all nodes at once", self.site.nodes, rng.uniform(0.2, 2))

    async def do_stop_node(self, rng: random.Random) -> None:
        await self._asleep("a node", [rng.choice(self._well())], rng.uniform(0.5, 8))

    async def do_stop_two_nodes(self, rng: random.Random) -> None:
        those = rng.sample(self.site.nodes, 2)
        await self._asleep("two nodes at once", those, rng.uniform(0.5, 8))

    async def do_stop_all_nodes(self, rng: random.Random) -> None:
        await self._asleep("all nodes at once", self.site.nodes, rng.uniform(0.5, 6))

    async def do_kill_server(self, rng: random.Random) -> None:
        await self._down("a server", [rng.choice(self.site.nats)], rng.uniform(0.2, 6))

    async def do_kill_two_servers(self, rng: random.Random) -> None:
        those = rng.sample(self.site.nats, 2)
        await self._down("two servers at once", those, rng.uniform(0.2, 4))

    async def do_kill_all_servers(self, rng: random.Random) -> None:
        await self._down("all servers at once", self.site.nats, rng.uniform(0.2, 3))

    async def do_stop_server(self, rng: random.Random) -> None:
        await self._asleep("a server", [rng.choice(self.site.nats)], rng.uniform(0.5, 12))

    async def do_stop_two_servers(self, rng: random.Random) -> None:
        those = rng.sample(self.site.nats, 2)
        await self._asleep("two servers at once", those, rng.uniform(0.5, 6))

    async def do_stop_all_servers(self, rng: random.Random) -> None:
        await self._asleep("all servers at once", self.site.nats, rng.uniform(0.5, 6))

    async def do_kill_leader(self, rng: random.Random) -> None:
        if (server := await self._leader(rng)) is not None:
            await self._down("a leader", [self.site.nats[server]], rng.uniform(0.5, 8))

    async def do_stop_leader(self, rng: random.Random) -> None:
        if (server := await self._leader(rng)) is not None:
            await self._asleep("a leader", [self.site.nats[server]], rng.uniform(0.5, 12))

    async def do_kill_leader_and_node(self, rng: random.Random) -> None:
        if (server := await self._leader(rng)) is not None:
            those = [self.site.nats[server], rng.choice(self.site.nodes)]
            await self._down("a leader and a node at once", those, rng.uniform(0.5, 6))

    async def do_kill_other(self, rng: random.Random) -> None:
        for name, one in self.site.others.items():
            await self._down(f"the {name}", [one], rng.uniform(0.2, 4))

    async def do_kill_others(self, rng: random.Random) -> None:
        those = list(self.site.others.values())
        await self._down("edge and archive at once", those, rng.uniform(0.2, 4))

    async def do_stop_other(self, rng: random.Random) -> None:
        for name, one in self.site.others.items():
            await self._asleep(f"the {name}", [one], rng.uniform(0.5, 5))

    async def do_stop_others(self, rng: random.Random) -> None:
        those = list(self.site.others.values())
        await self._asleep("edge and archive at once", those, rng.uniform(0.5, 5))

    async def do_kill_everything(self, rng: random.Random) -> None:
        await self._down("everything at once", self.site.machines, 1)

    async def do_stop_everything(self, rng: random.Random) -> None:
        await self._asleep("everything at once", self.site.machines, rng.uniform(0.5, 8))

    # --- told to end ------------------------------------------------------------------------------

    async def _ended(self, one: Machine, seconds: float) -> None:
        """Tell one to end, and start it again once it has."""
        one.tell(signal.SIGTERM)
        try:
            if not await one.ended(seconds):
                raise Broken(f"{one.name} did not end within {seconds:.0f} s of SIGTERM")
        finally:
            await trio.to_thread.run_sync(one.kill)
            one.start()

    async def _drain(self, one: Machine) -> None:
        self.note(f"drain {one.name}")
        await self._ended(one, 30)
        self.done["a node drained"] += 1

    async def do_drain_node(self, rng: random.Random) -> None:
        await self._drain(rng.choice(self.site.nodes))

    async def do_restart_all(self, rng: random.Random) -> None:
        """Everything, one after the other, as for an upgrade."""
        for one in self.site.nodes:
            await self._drain(one)
            await trio.sleep(1)
        self.done["nodes restarted"] += 1
        for one in self.site.nats:
            self.note(f"restart {one.name}")
            await self._ended(one, 30)
            await trio.sleep(3)
        self.done["servers restarted"] += 1
        for one in self.site.others.values():
            self.note(f"restart {one.name}")
            await self._ended(one, 30)
        self.done["edge and archive restarted"] += 1

    # --- ways -------------------------------------------------------------------------------------

    async def _cut(self, what: str, ways: Ways, seconds: float) -> None:
        self.note(f"{seconds:.1f} s of " + ", ".join(f"{k} {v}" for k, v in ways.items()))
        for name, (forth, back) in ways.items():
            self.site.set(name, forth, back)
        try:
            await trio.sleep(seconds)
            # Another fault may have opened one of them meanwhile.
            if all(self.site.links[name] == way for name, way in ways.items()):
                self.done[what] += 1
        finally:
            for name in ways:
                self.site.set(name, 0.0, 0.0)

    def _cut_off(self, server: int) -> Ways:
        return {name: (-1.0, -1.0) for name, _ in self.site.routes_of(server)}

    async def do_cut_server(self, rng: random.Random) -> None:
        await self._cut("a server cut off", self._cut_off(rng.choice(NATS)), rng.uniform(1, 14))

    async def do_cut_leader(self, rng: random.Random) -> None:
        if (server := await self._leader(rng)) is not None:
            await self._cut("a leader cut off", self._cut_off(server), rng.uniform(1, 14))

    async def do_cut_leader_and_owner(self, rng: random.Random) -> None:
        """Leader and owner are cut off together, so that they still hear each other."""
        found = None
        with trio.move_on_after(LEADER_SECONDS):
            while (found := await self._owned(rng)) is None:  # noqa: ASYNC110
                await trio.sleep(0.2)
        if found is not None:
            server, node = found
            names = [f"node {node} nats {s}" for s in NATS if s != server]
            ways = {**self._cut_off(server), **dict.fromkeys(names, (-1.0, -1.0))}
            await self._cut("a leader and an owner cut off", ways, rng.uniform(1, 12))

    async def do_half_cut(self, rng: random.Random) -> None:
        """What a server says is not heard, or it does not hear the others."""
        server, hears = rng.choice(NATS), rng.random() < 0.5
        ways = {
            name: (-1.0, 0.0) if opened != hears else (0.0, -1.0)
            for name, opened in self.site.routes_of(server)
        }
        await self._cut("a server half cut off", ways, rng.uniform(1, 10))

    async def do_cut_node(self, rng: random.Random) -> None:
        node = rng.choice(NODES)
        way = rng.choice(((-1.0, -1.0), (-1.0, 0.0), (0.0, -1.0)))
        ways = {f"node {node} nats {s}": way for s in NATS}
        await self._cut("a node cut off", ways, rng.uniform(0.5, 8))

    async def do_cut_clients(self, rng: random.Random) -> None:
        way = rng.choice(((-1.0, -1.0), (-1.0, 0.0), (0.0, -1.0)))
        ways = {f"clients node {rng.choice(NODES)}": way}
        await self._cut("a node's clients cut off", ways, rng.uniform(0.5, 6))

    async def do_slow(self, rng: random.Random) -> None:
        server = rng.choice(NATS)
        ways = {
            name: (rng.uniform(0.01, 0.3), rng.uniform(0.01, 0.3))
            for name, _ in self.site.routes_of(server)
        }
        await self._cut("routes slowed", ways, rng.uniform(1, 8))

    async def do_break_connections(self, rng: random.Random) -> None:
        self.note("break connections of a node")
        node = rng.choice(NODES)
        for s in NATS:
            self.site.sever(f"node {node} nats {s}")
        self.site.sever(f"clients node {node}")
        self.done["connections broken"] += 1

    # --- the engine's streams ---------------------------------------------------------------------

    async def _leader(self, rng: random.Random) -> int | None:
        """The server that leads a stream of games, once there is one; None if none is found."""
        with trio.move_on_after(LEADER_SECONDS):
            while True:
                found = await self._leader_of(f"WG{rng.randrange(SHARDS)}")
                if found is not None:
                    return found
                await trio.sleep(0.1)
        return None

    async def _leader_of(self, stream: str) -> int | None:
        try:
            said = await self.js.describe(stream)
            return int(said["cluster"]["leader"].rpartition("-")[2]) - 1
        except (EngineError, KeyError, ValueError):
            return None

    async def _owned(self, rng: random.Random) -> tuple[int, int] | None:
        """The server that leads a game's stream, and the node that owns the game, by number."""
        now = {self.incarnation(node): number for number, node in enumerate(self.site.nodes)}
        for game in rng.sample(sorted(self.tokens), len(self.tokens)):
            shard = shard_of(game, SHARDS)
            with suppress(EngineError):
                kept = await self._kept(game)
                owner = [one.headers[CLAIM] for one in kept if CLAIM in one.headers][-1:]
                server = await self._leader_of(f"WG{shard}")
                if server is not None and owner and owner[0] in now:
                    return server, now[owner[0]]
        return None

    def incarnation(self, node: Machine) -> str:
        """The name of a node's newest run, as its log says it."""
        name = ""
        for line in self.said(node):
            if line.get("event") == "joining the fleet":
                name = str(line["node"])
        return name

    def said(self, one: Machine) -> list[dict[str, Any]]:
        """The lines of its log."""
        found = []
        for line in (self.site.folder / f"{one.name}.out").read_text(errors="replace").splitlines():
            with suppress(ValueError):
                found.append(json.loads(line))
        return found

    async def _kept(self, game: str) -> list[Kept]:
        """The messages of a game that a replica has."""
        shard = shard_of(game, SHARDS)
        found: list[Kept] = []
        while True:
            after = found[-1].sequence if found else 0
            some, more = await self.js.read(
                f"WG{shard}", f"wg.{shard}.{game}", after, most=256, most_bytes=8_000_000
            )
            found += some
            if not (some and more):
                return found

    async def do_step_down(self, rng: random.Random) -> None:
        stream = rng.choice(("WG", "WP")) + str(rng.randrange(SHARDS))
        with trio.move_on_after(LEADER_SECONDS):
            while (before := await self._leader_of(stream)) is None:  # noqa: ASYNC110
                await trio.sleep(0.1)
            self.note(f"step down {stream}")
            while True:
                with suppress(EngineError):
                    await self.js.api(f"STREAM.LEADER.STEPDOWN.{stream}", {}, seconds=1)
                for _ in range(20):
                    if await self._leader_of(stream) not in (None, before):
                        self.done["a leader stepped down"] += 1
                        return
                    await trio.sleep(0.05)

    async def do_fill(self, rng: random.Random) -> None:
        """A stream is full, and later has room."""
        name = f"WG{rng.randrange(SHARDS)}"
        config = None
        try:
            with trio.move_on_after(LEADER_SECONDS):
                while True:
                    with suppress(EngineError):
                        found = await self.js.describe(name)
                        config = found["config"]
                        small = {**config, "max_bytes": max(1, found["state"]["bytes"])}
                        await self.js.api(f"STREAM.UPDATE.{name}", small)
                        break
                    await trio.sleep(0.2)
                self.note(f"{name} is full")
                self.done["a stream full"] += 1
            await trio.sleep(rng.uniform(0.5, 3))
        finally:
            if config is not None:
                with trio.CancelScope(shield=True):
                    await self._given_room(name, config)

    async def _given_room(self, name: str, config: Any) -> None:
        for _ in range(100):
            with suppress(EngineError):
                await self.js.api(f"STREAM.UPDATE.{name}", config)
                self.note(f"{name} has room")
                self.done["a stream given room"] += 1
                return
            await trio.sleep(0.3)
        raise Broken(f"{name} could not be given room")

    async def do_delete_message(self, rng: random.Random) -> None:
        """The newest message of a game vanishes, behind everybody's back. The game is closed as
        soon as somebody moves in it, and its nodes' receipts put back what is missing."""
        with trio.CancelScope(shield=True):  # the end of the run does not leave it lost
            before = Counter(self._closings())
            game = await self._deleted(rng)
            if game is not None:
                await self._put_back(game, before[game])

    async def _put_back(self, game: str, closed: int) -> None:
        try:
            with trio.fail_after(NOTICED_SECONDS):
                while self._closings().count(game) == closed:  # noqa: ASYNC110 - others' work gives no event
                    await trio.sleep(0.3)
        except trio.TooSlowError:
            raise Broken(f"{game}: nobody noticed that its newest message has gone") from None
        self.note(f"{game} is closed")
        for one in self.site.nodes:
            await trio.to_thread.run_sync(one.kill)
        try:
            command = [sys.executable, "-m", "tests.chaos.program", "fleet", "heal", "--json"]
            command += ["--store", self.site.url, "--keys", str(self.site.keys)]
            for number in NODES:
                command += ["--data", str(self.site.folder / f"data-{number}")]
            said = json.loads(await trio.to_thread.run_sync(_output, command))
            self.note(f"healed: {said}")
            if game not in said["mended"] or said["failed"]:
                raise Broken(f"{game} was not mended: {said}")
            self.done["a message healed"] += 1
        finally:
            self.lacking.discard(game)
            for one in self.site.nodes:
                one.start()

    async def _deleted(self, rng: random.Random) -> str | None:
        """A game whose newest message was deleted; it is one that a node which runs has written,
        so the node has its receipt. None if there is no such game now."""
        with trio.move_on_after(30):
            while True:
                await trio.sleep(rng.uniform(0.5, 1.5))
                # Nobody writes meanwhile, so that the newest message stays the newest.
                try:
                    for one in self.site.nodes:
                        one.tell(signal.SIGSTOP)
                    await trio.sleep(0.3)
                    for game in rng.sample(sorted(self.tokens), len(self.tokens)):
                        with suppress(EngineError):
                            if await self._delete(game):
                                return game
                finally:
                    for one in self.site.nodes:
                        one.tell(signal.SIGCONT)
        return None

    async def _delete(self, game: str) -> bool:
        shard = shard_of(game, SHARDS)
        stream = f"WG{shard}"
        newest = await self.js.last(stream, f"wg.{shard}.{game}", from_leader=True)
        if newest is None or game in self.ended or CLAIM in newest.headers:
            return False
        piece = self.site.ring.data_keys.open(newest.payload)
        if piece.pieces > 1 or not any(kind == FRAME_RECORD for _, kind, _ in walk(piece.data, 0)):
            return False
        tag = newest.headers["Nats-Msg-Id"].rpartition(".")[2][: 2 * TAG_BYTES]
        if tag not in [self.incarnation(one)[-2 * TAG_BYTES :] for one in self.site.nodes]:
            return False
        self.lacking.add(game)
        self.healed.add(game)
        asks = {"seq": newest.sequence, "no_erase": True}
        await self.js.api(f"STREAM.MSG.DELETE.{stream}", asks)
        self.note(f"message {newest.sequence} of {stream}, {game}, is deleted")
        self.done["a message deleted"] += 1
        return True

    def _closings(self) -> list[str]:
        """The games that nodes have closed, as often as they have."""
        return [
            str(line["game"])
            for node in self.site.nodes
            for line in self.said(node)
            if line.get("event") in CLOSED
        ]

    # --- clocks and disks -------------------------------------------------------------------------

    async def do_move_clocks(self, rng: random.Random) -> None:
        moves = [rng.choice((-240, -60)), rng.choice((90, 280)), rng.choice((-240, 0, 280))]
        rng.shuffle(moves)
        for one, by in zip(self.site.nodes, moves, strict=True):
            self.note(f"clock of {one.name} moved by {by}")
            if one.is_up and by:
                self.done["a clock moved forward" if by > 0 else "a clock moved back"] += 1
            one.say(str(by))

    async def do_lose_receipts(self, rng: random.Random) -> None:
        one = rng.choice(self.site.nodes)
        self.note(f"receipts of {one.name} lost")
        await trio.to_thread.run_sync(one.kill)
        receipts = self.site.folder / f"data-{one.name[-1]}" / "receipts"
        if receipts.exists():
            shutil.rmtree(receipts)
            self.done["receipts lost"] += 1
        one.start()

    # --- afterwards -------------------------------------------------------------------------------

    async def mend(self) -> None:
        """Everything is well again."""
        self.note("mended")
        self.site.mend()
        for one in self.site.machines:
            one.start()
        for one in self.site.nodes:
            one.say("0")


def _output(command: list[str]) -> str:
    """What a program says that would end with its input."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        return process.stdout.read()


__all__ = ["DONE", "Fault", "Troubled"]
