"""A fleet on this machine for the chaos runs: three NATS servers, three nodes, an edge and an
archive, each a process, with every way between them through a proxy that can cut it.

Whatever happens, leaving `standing` ends every process, and so does the end of this process, even
if it is killed with -9.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trio
from attrs import define, field
from attrs import evolve as changed

from tests.nats.rig import program
from warledger.clients.commands.demos.childprocesses import watched
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.runtime import tokens
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.fleetstreams import Fleet
from warledger.engine.store.fleet.keyring import Ring, read_ring
from warledger.engine.store.fleet.natsconf import AUTHORITY, ROUTES_ABOVE, key_file

SHARDS = 2
ROOM = 400_000_000
HOST = "host:" + "h" * 43
NATS = range(3)
NODES = range(3)


@define(eq=False)
class Machine:
    """Something that runs as a process, and is started again after it was ended. What it says goes
    to a file in the folder; `place` is where it runs, if not where we do."""

    name: str
    command: list[str]
    folder: Path
    group: int | None
    heard: bool = False
    place: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    is_ended: bool = False

    def start(self) -> None:
        """Start it, if it does not run."""
        if self.is_up:
            return
        self.starts += 1
        self.is_ended = False
        with (self.folder / f"{self.name}.out").open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE if self.heard else subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.place,
                process_group=self.group,
            )

    @property
    def is_up(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def is_still(self) -> bool:
        """Whether it has been stopped by a signal."""
        if self.process is None or not self.is_up:
            return False
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "T"

    def tell(self, number: int) -> None:
        """Send it a signal."""
        if self.process is not None and self.is_up:
            self.process.send_signal(number)

    def kill(self) -> None:
        """End it without a word, also while it is stopped."""
        self.is_ended = True
        process = self.process  # two faults may meet: the other may have started the next one
        if process is not None:
            process.kill()
            process.wait(20)
            if process.stdin is not None:
                process.stdin.close()

    async def ended(self, seconds: float) -> bool:
        """Whether it ends in this time, having been told to."""
        self.is_ended = True
        process = self.process
        if process is None:
            return True
        with trio.move_on_after(seconds):
            await trio.to_thread.run_sync(process.wait, abandon_on_cancel=True)
        return process.poll() is not None

    def fell(self) -> str:
        """How it ended by itself, with the end of what it said; "" if it has not."""
        if self.is_up or self.is_ended or self.process is None:
            return ""
        files = [self.folder / f"{self.name}.out"]
        if self.place is not None:
            files.append(self.place / "log")
        said = "".join(one.read_text(errors="replace") for one in files if one.exists())[-2000:]
        return f"{self.name} ended by itself with {self.process.returncode}: {said}"

    def say(self, line: str) -> None:
        """Write a line to its input."""
        if self.is_up and self.process is not None and self.process.stdin is not None:
            try:
                self.process.stdin.write(f"{line}\n".encode())
                self.process.stdin.flush()
            except BrokenPipeError:
                pass  # it has just been killed


@define(eq=False)
class Site:
    """The fleet's machines, and the ways between them."""

    folder: Path
    keys: Path
    ring: Ring
    nats: list[Machine]
    nodes: list[Machine]
    others: dict[str, Machine]
    ports: dict[str, int]
    url: str
    proxy: subprocess.Popen[bytes]
    planned: Fleet
    ways: dict[str, int]
    links: dict[str, tuple[float, float]] = field(factory=dict)

    @property
    def machines(self) -> list[Machine]:
        """All of them."""
        return [*self.nats, *self.nodes, *self.others.values()]

    def where(self) -> fleetadmin.Where:
        """How the tests reach the engine, past the proxy."""
        return fleetadmin.Where.of(self.url, keys=self.keys)

    def links_to(self, who: str, server: int) -> int:
        """The port by which somebody reaches a NATS server."""
        return self.ways[f"{who} nats {server}"]

    # --- ways -------------------------------------------------------------------------------------

    def set(self, name: str, forth: float, back: float) -> None:
        """How a link is from now on; see `proxy`."""
        self._tell([name, forth, back])
        self.links[name] = (forth, back)

    def sever(self, name: str) -> None:
        """End a link's connections."""
        self._tell([name, "break"])

    def _tell(self, said: Any) -> None:
        assert self.proxy.stdin is not None
        self.proxy.stdin.write(f"{json.dumps(said)}\n".encode())
        self.proxy.stdin.flush()

    def routes_of(self, server: int) -> list[tuple[str, bool]]:
        """The routes of a server, and whether it is the one that has opened them."""
        return [
            (f"route {i} {j}", i == server)
            for i in NATS
            for j in NATS
            if i != j and server in (i, j)
        ]

    def mend(self) -> None:
        """All ways are open, and nothing stands still."""
        for name, way in list(self.links.items()):
            if way != (0.0, 0.0):
                self.set(name, 0.0, 0.0)
        for one in self.machines:
            one.tell(signal.SIGCONT)

    # --- making it --------------------------------------------------------------------------------

    async def made(self, alter: Mapping[str, Any] | None = None) -> None:
        """Make the fleet's streams; what is altered in those of games is for tests."""
        plain = self.planned.streams()

        @define
        class Altered(Fleet):
            def streams(self) -> Any:
                return tuple(
                    changed(one, config={**one.config, **(alter or {})})
                    if one.name.startswith("WG")
                    else one
                    for one in plain
                )

        said = self.planned
        made = Altered(said.shards, said.replicas, said.room, said.release, said.host, said.keys)
        try:
            async with fleetadmin.reached(self.where(), seconds=30) as js:
                await fleetadmin.init(js, made)
        except fleetadmin.Unreached as error:
            said = [str(error), *(one.fell() for one in self.nats)]
            raise AssertionError("\n".join(said)) from error


def prepared(folder: Path, url: str, *, shards: int, room: int) -> tuple[Path, Ring, Fleet]:
    """A folder of keys for a fleet of three NATS servers, with their configuration; the ring; and
    the streams that are to be made."""
    keys = folder / "keys"
    fleetadmin.prepare(
        keys, url, Fleet(shards, 3, room), store=str(folder / "js"), random_bytes=os.urandom,
        token=lambda: HOST, now=datetime.now(UTC),
    )  # fmt: skip
    ring = read_ring(keys)
    host = tokens.digest(HOST)
    return keys, ring, fleetadmin.fleet_of(ring, host, replicas=3, room=room, shards=shards)


def server_of(folder: Path, keys: Path, number: int, group: int | None) -> Machine:
    """A NATS server, from 0."""
    command = [program(), "-c", "nats.conf", "-l", "log"]
    name = f"nats-{number + 1}"
    return Machine(name, command, folder, group, place=keys / name)


def serving(
    what: str, name: str, data: Path, port: int, store: str, keys: Path, group: int | None
) -> Machine:
    """A node, or an edge, with the tests' titles. What it says goes beside its data."""
    command = [sys.executable, "-m", "tests.chaos.node", what, str(data), str(port), store]
    return Machine(name, [*command, str(keys)], data.parent, group, heard=True)


def _configured(folder: Path, number: int, ways: Mapping[str, int]) -> None:
    """Let a server's routes go through the proxy, and nobody hear of others."""
    file = folder / "nats.conf"
    said = json.loads(file.read_text())
    said["listen"] = said["listen"].replace("0.0.0.0", "127.0.0.1")
    said["cluster"]["listen"] = said["cluster"]["listen"].replace("0.0.0.0", "127.0.0.1")
    said["cluster"]["routes"] = [
        f"nats://127.0.0.1:{ways[f'route {number} {j}']}" for j in NATS if j != number
    ]
    said["cluster"]["advertise"] = "127.0.0.1:1"
    file.write_text(json.dumps(said))


def _edge_keys(keys: Path) -> Path:
    """What of the folder of keys an edge gets: no secret of the fleet's."""
    own = keys.with_name("keys-of-the-edge")
    own.mkdir()
    for name in (fleetadmin.PUBLIC_KEYS, AUTHORITY, key_file("edge")):
        shutil.copy(keys / name, own / name)
    return own


@contextmanager
def standing(folder: Path) -> Iterator[Site]:
    """A fleet made from nothing in the folder, with its NATS servers started."""
    with watched() as group:
        yield from _standing(folder, group)


def _standing(folder: Path, group: int | None) -> Iterator[Site]:
    names = [f"route {i} {j}" for i in NATS for j in NATS if i != j]
    names += [f"{who} nats {s}" for who in ("node 0", "node 1", "node 2") for s in NATS]
    names += [f"{who} nats {s}" for who in ("edge", "archive") for s in NATS]
    names += [f"clients {who}" for who in ("node 0", "node 1", "node 2", "edge")]
    # All at once: a server that found its routes' port taken by the proxy ended at its start.
    ports = free_ports(3 + 4 + len(names))
    nats_ports, own = ports[:3], ports[3:]
    ways = dict(zip(names, own[4:], strict=True))
    node_ports = {f"node {n}": own[n] for n in NODES} | {"edge": own[3]}
    targets = {
        **{f"route {i} {j}": nats_ports[j] + ROUTES_ABOVE for i in NATS for j in NATS if i != j},
        **{name: nats_ports[int(name[-1])] for name in names if " nats " in name},
        **{f"clients {who}": port for who, port in node_ports.items()},
    }
    url = "nats://" + ",".join(f"127.0.0.1:{port}" for port in nats_ports)
    keys, ring, planned = prepared(folder, url, shards=SHARDS, room=ROOM)

    def store_of(who: str) -> str:
        return "nats://" + ",".join(f"127.0.0.1:{ways[f'{who} nats {s}']}" for s in NATS)

    python = [sys.executable, "-m"]
    nats = []
    for number in NATS:
        _configured(keys / f"nats-{number + 1}", number, ways)
        nats.append(server_of(folder, keys, number, group))
    nodes = [
        serving(
            "node", f"node-{n}", folder / f"data-{n}", node_ports[f"node {n}"],
            store_of(f"node {n}"), keys, group,
        )
        for n in NODES
    ]  # fmt: skip
    archive = ["archive", "--store", store_of("archive"), "--keys", str(keys)]
    archive += ["--data", str(folder / "archive")]
    others = {
        "archive": Machine(
            "archive", [*python, "tests.chaos.program", *archive], folder, group, heard=True
        ),
        "edge": serving(
            "edge", "edge", folder / "data-edge", node_ports["edge"], store_of("edge"),
            _edge_keys(keys), group,
        ),
    }  # fmt: skip
    reached = {who: ways[f"clients {who}"] for who in node_ports}
    with ExitStack() as stack:
        proxy = subprocess.Popen(
            [*python, "tests.chaos.proxy"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=group,
        )
        stack.enter_context(proxy)
        stack.callback(proxy.kill)
        site = Site(folder, keys, ring, nats, nodes, others, reached, url, proxy, planned, ways)
        site._tell({name: [ways[name], targets[name]] for name in names})
        assert proxy.stdout is not None and proxy.stdout.readline() == b"ready\n"
        for one in site.machines:
            stack.callback(one.kill)
        for one in site.nats:
            one.start()
        yield site
