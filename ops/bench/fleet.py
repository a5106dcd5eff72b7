"""A fleet of nodes on three NATS servers (R3, `always`, TLS), each figure beside its reference in
the same run.

    python -m ops.bench.fleet [--rows whole,store,silence,cut,first,…] [--games 50]
                              [--seconds 10] [--small] [--against REVISION] [--json]

    whole    commands over TCP until acknowledged: an embedded server, a node, and a node without
             receipts and public streams
    store    appends in flight through the store alone, beside the local log; the client's CPU
    silence  how long games stand still when their node is killed, stopped or drained, and when the
             server that leads their stream is killed, stopped, either with their node, or steps
             down (--faults); beside a time without a fault
    cut      the same when that server is cut off from the others, and not from its clients
    first    the first command in a game that a node must first read
    lobby    a node that starts among games that it knows by their cards: time and memory
    edge     one game to many readers at 20 records a second, and their NATS server killed
    flat     one game to many readers as fast as an edge can, beside a bare loop of sends
    port     with --against: an embedded server of that revision beside this one's, by turns

Everything runs on this machine, so ratios count. `--small` runs each row once, as small as it goes.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final

import trio

from ops.bench import server
from ops.bench.against import checked_out
from ops.bench.figures import show
from ops.bench.fleetfaults import cut, flat
from ops.bench.fleetsite import (
    HOST,
    LIMITS,
    ROOT,
    Engine,
    Games,
    client,
    engine,
    leader,
    part,
)
from ops.bench.recorded import record, title_named
from ops.bench.store import frames_of_a_command
from tests.chaos.machines import Machine
from warledger.clients.commands.demos.fleetdemo import free_ports
from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.supervisor import token_meta
from warledger.engine.serve.config import Config
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.cards import Card
from warledger.engine.store.fleet.jetstream import SHARDS
from warledger.engine.store.fleet.publicstream import Projector
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.port import (
    FRAME_META,
    FRAME_OPENINGS,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
)
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.log.chain import Signer
from warledger.protocol.wire import messages as m

ROWS: Final = ("whole", "store", "silence", "cut", "first", "lobby", "edge", "flat")

FAULTS: Final = (
    "none", "node_drained", "node_killed", "node_stopped", "step_down", "leader_killed",
    "leader_stopped", "both_killed", "both_stopped",
)  # fmt: skip
ELECTIONS: Final = ("leader_killed", "leader_stopped", "both_killed", "both_stopped")
STOPPED_SECONDS: Final = 12.0

Figures = dict[str, dict[str, Any]]


# --- whole and store ------------------------------------------------------------------------------


def _embedded_to(figures: dict[str, Any]) -> None:
    for name in ("node", "bare"):
        figures[f"{name}_to_embedded"] = figures[f"{name}_per_second"] / max(
            1, figures["embedded_per_second"]
        )


async def whole(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Commands until acknowledged, three servers by turns on fresh games."""
    title = title_named(given.title)
    options = {"turns": 4000, "epoch_turns": 100} if title.name == "counting" else {}
    figures: dict[str, Any] = {}

    async def measured(what: str, config: Config, made: Any) -> None:
        async with trio.open_nursery() as nursery:
            serving = await nursery.start(server.serving_title, config, title)
            found = await server.commands_over_tcp(serving, made, given.seconds, 1)
            nursery.cancel_scope.cancel()
        for name in ("per_second", "p50_ms", "p99_ms", "server_cpu_us_each"):
            figures[f"{what}_{name}"] = found[name]

    shared = {"port": 0, "limits": LIMITS, "log_level": "error", "tending": server.NEVER_CLOSED}
    data = folder / "embedded"
    made = await server.prepare(data, title, given.games, given.each, options, 1)
    await measured("embedded", Config(data, **shared), made)
    receipted, want, lacks = fleetadmin.Receipted, Projector.want, Projector.lacks
    for what in ("node", "bare"):
        # Each on an engine of its own: a node looks at all games that it finds there.
        async with engine(folder / f"{what}-engine") as at:
            signer = Signer(at.ring.signing_key)
            made, games = [], {}
            for number in range(given.games):
                game = f"{what}{number}"
                genesis, secrets, plan, _ = record(title, game, signer, given.each, options)
                seats = {
                    seat: tokens.new_token(SystemAmbient(), game) for seat in title.rules.seats
                }
                games[game] = [_opened(genesis, secrets, seats)]
                made.append({"game": game, "seats": seats, "commands": plan})
            await at.fill(games)
            config = Config(folder / what, store=at.url, keys=at.keys, **shared)
            if what == "bare":
                fleetadmin.Receipted = lambda one, receipts: JetStream(one)  # type: ignore[misc,assignment]
                Projector.want = lambda self, game, records: None  # type: ignore[method-assign]
                Projector.lacks = _lacks_nothing  # type: ignore[method-assign]
            try:
                await measured(what, config, made)
            finally:
                fleetadmin.Receipted, Projector.want = receipted, want  # type: ignore[misc,method-assign]
                Projector.lacks = lacks  # type: ignore[method-assign]
    _embedded_to(figures)
    return figures


async def _lacks_nothing(self: Projector, game: str, records: int) -> bool:
    return False


def _opened(genesis: Any, secrets: Any, seats: dict[str, str]) -> list[Frame]:
    return [
        Frame(FRAME_RECORD, genesis.data),
        Frame(FRAME_SECRETS, secrets.as_payload()),
        *(Frame(FRAME_META, token_meta(seat, token)) for seat, token in seats.items()),
    ]


def _appended(batch: Any) -> list[Frame]:
    frames = []
    for made, openings in zip(batch.records, batch.openings, strict=True):
        frames.append(Frame(FRAME_RECORD, made.data))
        if openings:
            frames.append(Frame(FRAME_OPENINGS, pack_openings(openings)))
    return frames


async def store(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Appends through the store, one in flight a game."""
    figures: dict[str, Any] = {}

    async def measured(what: str, kept: Any) -> None:
        waits: list[float] = []
        ends = False

        async def play(game: str) -> None:
            await kept.create(game, frames_of_a_command())
            records = 1
            while not ends:
                before = time.perf_counter()
                await kept.append(game, records, frames_of_a_command())
                waits.append(time.perf_counter() - before)
                records += 1

        async with trio.open_nursery() as nursery:
            for number in range(given.games):
                nursery.start_soon(play, f"{what}{number}")
            await trio.sleep(0.5)
            waits.clear()
            began, cpu = time.perf_counter(), time.process_time()
            await trio.sleep(given.seconds / 2)
            count, took = len(waits), time.perf_counter() - began
            figures[f"{what}_cpu_us_each"] = 1e6 * (time.process_time() - cpu) / max(1, count)
            ends = True
        waits.sort()
        figures[f"{what}_per_second"] = count / took
        figures[f"{what}_p50_ms"] = 1000 * waits[len(waits) // 2]
        figures[f"{what}_p99_ms"] = 1000 * waits[len(waits) * 99 // 100]

    async with open_store(folder / "log") as local:
        await measured("log", local)
    async with (
        engine(folder) as at,
        open_jetstream(at.where().settings(), at.ring.data_keys) as shared,
    ):
        await measured("engine", shared)
    figures["engine_to_log"] = figures["engine_per_second"] / figures["log_per_second"]
    return figures


# --- silence --------------------------------------------------------------------------------------


async def silence(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Each fault in turn under play; the owner's node is started again behind it."""
    figures: dict[str, Any] = {}
    faults = given.faults.split(",")
    count = min(given.games, 20)
    async with engine(folder) as at, fleetadmin.reached(at.where()) as js:
        for fault in faults:
            ports = free_ports(2)
            with ExitStack() as stack:
                owner = stack.enter_context(part(at, "node", f"{fault}-a", ports[0]))
                stack.enter_context(part(at, "node", f"{fault}-b", ports[1]))
                games = Games(ports[1])
                async with trio.open_nursery() as nursery:
                    await games.begin(ports[0], count, nursery)
                    since = time.perf_counter()
                    await _befall(fault, at, js, owner, next(iter(games.told)))
                    await trio.sleep(1 + (12 if fault in ELECTIONS else 6))
                    found = games.silences(since)
                    nursery.cancel_scope.cancel()
            figures[f"{fault}_p50_s"] = median(found)
            figures[f"{fault}_worst_s"] = found[-1]
    return figures


async def _befall(fault: str, at: Engine, js: JetStream, owner: Machine, game: str) -> None:
    match fault:
        case "node_killed":
            owner.kill()
        case "node_stopped":
            owner.tell(signal.SIGSTOP)
        case "node_drained":
            owner.tell(signal.SIGTERM)
        case "step_down":
            for shard in range(SHARDS):
                await js.api(f"STREAM.LEADER.STEPDOWN.WG{shard}", {})
        case "leader_killed":
            await _server_gone(at, js, game)
        case "both_killed":
            owner.kill()
            await _server_gone(at, js, game)
        case "leader_stopped" | "both_stopped":
            stopped = [at.servers[await leader(js, game)]]
            if fault == "both_stopped":
                stopped.append(owner)
            for one in stopped:
                one.tell(signal.SIGSTOP)
            await trio.sleep(STOPPED_SECONDS)
            for one in stopped:
                one.tell(signal.SIGCONT)


async def _server_gone(at: Engine, js: JetStream, game: str) -> None:
    """The server that leads a game's stream is killed, and started again a little later."""
    number = await leader(js, game)
    at.servers[number].kill()
    await trio.sleep(4)
    at.servers[number].start()


# --- reading games, lobby -------------------------------------------------------------------------


async def first(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Games that nobody owns, one after the other: until the first command in each is acknowledged,
    beside the second."""
    title = title_named("counting")
    options = {"turns": 4000, "epoch_turns": 100}
    games, seats_of = {}, {}
    async with engine(folder) as at:
        signer = Signer(at.ring.signing_key)
        for number in range(given.read):
            game = f"read{number}"
            genesis, secrets, _, batches = record(title, game, signer, given.records, options)
            seats = {seat: tokens.new_token(SystemAmbient(), game) for seat in title.rules.seats}
            appends = [_opened(genesis, secrets, seats), *(_appended(one) for one in batches)]
            games[game], seats_of[game] = appends, (seats, batches[-1].position.open[0][0])
        await at.fill(games)
        [port] = free_ports(1)
        waits: dict[str, list[float]] = {"first": [], "second": []}
        with part(at, "node", "node", port):
            for game, (seats, seat) in seats_of.items():
                one = await client(port)
                for name, found in waits.items():
                    began = time.perf_counter()
                    if name == "first":
                        for token in seats.values():
                            await one.ask(m.Login, token, "")
                    turn = seat if name == "first" else next(o for o in seats if o != seat)
                    answer = await one.submit(game, turn, "pass", id=name.encode())
                    assert type(answer) is m.Accepted, answer
                    found.append(1000 * (time.perf_counter() - began))
    figures: dict[str, Any] = {"records": given.records, "games": given.read}
    for name, found in waits.items():
        found.sort()
        figures[f"{name}_p50_ms"] = median(found)
        figures[f"{name}_p99_ms"] = found[len(found) * 99 // 100]
    return figures


async def lobby(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """A node that starts among many cards, beside one among none."""
    figures: dict[str, Any] = {"games": given.cards}
    async with engine(folder) as at:
        started: dict[int, tuple[float, int]] = {}
        for count in (0, given.cards):
            if count:
                await _dealt(at, count)
            [port] = free_ports(1)
            with part(at, "node", f"node{count}", port) as node:
                began = time.perf_counter()
                one = await client(port)
                listed = await one.ask(m.Games, "", "", 100)
                took = time.perf_counter() - began
                assert len(listed.games) == min(100, count), len(listed.games)
                started[count] = took, _resident(node)
    figures["start_without_s"] = started[0][0]
    figures["start_with_s"] = started[given.cards][0]
    figures["start_for_the_cards_s"] = started[given.cards][0] - started[0][0]
    figures["bytes_a_card"] = (started[given.cards][1] - started[0][1]) / given.cards
    return figures


async def _dealt(at: Engine, count: int) -> None:
    """Cards of games, as their owner would write them."""
    async with fleetadmin.reached(at.where()) as js, trio.open_nursery() as nursery:
        for first_one in range(20):
            nursery.start_soon(_deal, js, range(first_one, count, 20))


async def _deal(js: JetStream, numbers: range) -> None:
    from warledger.protocol import canon

    for number in numbers:
        game = f"card{number:06}"
        row = canon.ordered(
            {"game": game, "title": "counting", "stage": "playing", "seq": 40, "at_ms": number,
             "seats": {"a": "Anna", "b": "Bert"}, "delay_s": 0}
        )  # fmt: skip
        await js.append(f"card.{game}", Card(row).packed(), identity="", expected=None)


def _resident(node: Machine) -> int:
    assert node.process is not None
    said = Path(f"/proc/{node.process.pid}/statm").read_text().split()
    return int(said[1]) * os.sysconf("SC_PAGE_SIZE")


# --- edges ----------------------------------------------------------------------------------------


def read_along(port: int, game: str, count: int) -> None:
    """A process of its own: many readers of one game. Prints, when the input closes, of each record
    by when each reader had it."""
    from tests.serve.rig import Client

    arrived: dict[int, list[float]] = {}
    last: list[int] = [-1] * count

    async def reads(number: int) -> None:
        one: Client | None = None
        while one is None:
            one = await client(port)
            while type(answer := await one.ask(m.Subscribe, game, -1, "public")) is m.Error:  # noqa: ASYNC110 - the edge has heard of the game any moment now
                await trio.sleep(0.1)
            assert type(answer) is m.Subscribed
        got = one.records.setdefault((game, "public"), [])
        while True:
            while last[number] + 1 < len(got):
                last[number] += 1
                assert got[last[number]][0] == last[number], "a gap, or a record twice"
                arrived.setdefault(last[number], []).append(time.perf_counter())
            assert await one.hear() is not None

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for number in range(count):
                nursery.start_soon(reads, number)
            while min(last) < 0:  # noqa: ASYNC110 - what is awaited has no event
                await trio.sleep(0.1)
            print("ready", flush=True)
            await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
            nursery.cancel_scope.cancel()

    trio.run(main)
    print(json.dumps({seq: [len(at), max(at), sorted(at)] for seq, at in arrived.items()}))


async def edge(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """One game at 20 records a second to readers at an edge; then the same with the edge's NATS
    server killed in the middle."""
    figures: dict[str, Any] = {"readers": given.readers}
    async with engine(folder) as at:
        for fault in ("steady", "server_killed"):
            ports = free_ports(2)
            with ExitStack() as stack:
                stack.enter_context(part(at, "node", f"{fault}-node", ports[0]))
                stack.enter_context(part(at, "edge", f"{fault}-edge", ports[1]))
                figures |= await _edged(given, at, fault, ports)
    return figures


async def _edged(
    given: argparse.Namespace, at: Engine, fault: str, ports: list[int]
) -> dict[str, Any]:
    from tests.serve.rig import sit_down

    host = await client(ports[0], HOST)
    made = await host.ask(m.CreateGame, "counting", {"turns": 4000}, 0)
    tokens_of = dict(made.tokens)
    one = await client(ports[0], tokens_of["a"])
    await one.ask(m.Login, tokens_of["b"], "")
    await sit_down(one, made.game)
    readers = await trio.lowlevel.open_process(
        [sys.executable, "-m", "ops.bench.fleet", "--read-along",
         str(ports[1]), made.game, str(given.readers)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert readers.stdout is not None and readers.stdin is not None
    said = b""
    while b"ready\n" not in said:
        said += await readers.stdout.receive_some(100)
    acked: dict[int, float] = {}
    steps = int(20 * given.seconds)
    for step in range(steps):
        due = trio.current_time() + 0.05
        answer = await one.submit(made.game, "ab"[step % 2], "pass", id=f"s{step}".encode())
        if type(answer) is m.Accepted:
            acked[answer.head.seq] = time.perf_counter()
        if fault == "server_killed" and step == steps // 3:
            url = (at.folder / f"{fault}-edge.out").read_text().rpartition('"server": "')[2]
            port = int(url.partition('"')[0].rpartition(":")[2])
            number = [int(u.rpartition(":")[2]) for u in at.url.split(",")].index(port)
            at.servers[number].kill()
        await trio.sleep_until(due)
    await trio.sleep(6 if fault == "server_killed" else 1)
    await readers.stdin.aclose()
    said = b""
    while data := await readers.stdout.receive_some(1 << 20):
        said += data
    await readers.wait()
    arrived = {int(seq): found for seq, found in json.loads(said).items()}
    late = sorted(
        1000 * (at_s - acked[seq]) for seq in acked for at_s in arrived.get(seq, (0, 0, ()))[2]
    )
    times = sorted(found[1] for found in arrived.values())
    return {
        f"{fault}_complete": sum(arrived.get(q, [0])[0] == given.readers for q in acked)
        / max(1, len(acked)),
        f"{fault}_p50_ms": late[len(late) // 2],
        f"{fault}_p99_ms": late[len(late) * 99 // 100],
        f"{fault}_longest_silence_s": max(b - a for a, b in pairwise(times)),
    }


# --- the port -------------------------------------------------------------------------------------


def port_change(given: argparse.Namespace) -> dict[str, Any]:
    """An embedded server of an older revision and of this one, by turns: medians of the ratios."""
    arguments = [
        "--games",
        str(given.games),
        "--seconds",
        str(given.seconds),
        "--title",
        given.title,
    ]
    arguments += ["--subscribers", "0", "--restart", "0", "--json"]
    arguments += ["--each", str(given.each)]
    rounds = []
    with checked_out(given.against) as old:
        for _ in range(1 if given.small else 3):
            found = []
            for root in (old, ROOT):
                done = subprocess.run(
                    [sys.executable, "-m", "ops.bench.server", *arguments],
                    cwd=root, check=True, stdout=subprocess.PIPE, text=True,
                )  # fmt: skip
                figures = json.loads(done.stdout.splitlines()[-1])["commands"]
                found.append((figures["per_second"], figures["server_cpu_us_each"]))
            rounds.append(found)
    return {
        "old_per_second": median(old[0] for old, _ in rounds),
        "new_per_second": median(new[0] for _, new in rounds),
        "new_to_old": median(new[0] / old[0] for old, new in rounds),
        "new_to_old_cpu": median(new[1] / old[1] for old, new in rounds),
    }


async def bench(given: argparse.Namespace) -> Figures:
    """The rows that were chosen."""
    figures: Figures = {}
    rows = {
        "whole": whole, "store": store, "silence": silence, "first": first, "lobby": lobby,
        "edge": edge, "cut": cut, "flat": flat,
    }  # fmt: skip
    for row in given.rows.split(","):
        if row == "port":
            continue
        with tempfile.TemporaryDirectory(prefix="warledger-fleet-bench-", dir=given.data) as folder:
            figures[row] = await rows[row](given, Path(folder))
    return figures


SMALL: Final = {"games": 2, "seconds": 1.0, "each": 20, "read": 2, "records": 20, "cards": 20}
"""What `--small` makes of the numbers."""


def main() -> None:
    """The command line."""
    if sys.argv[1:2] == ["--read-along"]:
        read_along(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--each", type=int, default=400, help="commands a game at most")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--title", default="counting")
    parser.add_argument("--read", type=int, default=50, help="games that are read")
    parser.add_argument("--records", type=int, default=600, help="commands of each of them")
    parser.add_argument("--cards", type=int, default=5000)
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--flat", type=int, default=200, help="records at once to all of them")
    parser.add_argument("--faults", default=",".join(FAULTS), help="of the row `silence`")
    parser.add_argument("--against", default="", metavar="REVISION")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", default=None, help="where to make the data directories")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.small:
        for name, value in {**SMALL, "readers": 3, "flat": 20}.items():
            setattr(given, name, value)
    figures = trio.run(bench, given)
    if given.against:
        figures["port"] = port_change(given)
    show(figures, machine=given.json)


if __name__ == "__main__":
    main()
