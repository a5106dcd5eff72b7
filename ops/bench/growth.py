"""How what the server does for one request grows with the size of what it is done for.

    python -m ops.bench.growth [--json]

Each curve counts work, not time, so it comes out the same on every machine, and a test can hold it
with smaller sizes (`tests/serve/wire/test_growth.py`). The exponent is the slope of the work over
the size, both as logarithms: 1 is in proportion, 0 does not grow.
"""

from __future__ import annotations

import argparse
import json
import math
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import trio
import trio.testing
from attrs import asdict, frozen

from ops.bench import lists
from tests.serve.rig import Client, server, started
from tests.toys import counting
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.watch.fanout import Channel
from warledger.engine.runtime.watch.outgoing import Flusher, Outgoing
from warledger.engine.serve.wire.connection import Connection
from warledger.engine.serve.wire.tcp import SocketPipe
from warledger.engine.store.files.disk import TRIALS, Pace, in_thread_at_once
from warledger.engine.store.files.wal import at_once, open_store
from warledger.engine.store.port import FRAME_HEAD, FRAME_RECORD, Frame
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.engine.testing.randomgames import begin
from warledger.protocol.audience import PUBLIC
from warledger.protocol.wire import messages as m

RECORD_BYTES: Final = 220
"""About the size of a command's record in a game of pieces and hexes."""
RECORDS: Final = (5_000, 15_000, 50_000)
SPECTATORS: Final = (10, 100, 1_000)
COMMANDS_BEFORE: Final = (200, 1_000, 5_000)
COMMANDS_COUNTED: Final = 100
GAMES: Final = (1_000, 3_000, 10_000)


@frozen
class Curve:
    """Work (in `unit`) over sizes (each a number of what `by` names); `bound` is the most that its
    exponent may be."""

    name: str
    unit: str
    by: str
    sizes: tuple[int, ...]
    work: tuple[int, ...]
    bound: float

    @property
    def exponent(self) -> float:
        """The slope of the logarithms, by least squares."""
        xs = [math.log(size) for size in self.sizes]
        ys = [math.log(max(work, 1)) for work in self.work]
        x, y = sum(xs) / len(xs), sum(ys) / len(ys)
        rise = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
        return rise / sum((a - x) ** 2 for a in xs)

    @property
    def holds(self) -> bool:
        """Whether the exponent is within its bound."""
        return self.exponent <= self.bound

    @property
    def line(self) -> str:
        """The curve for people."""
        points = "  ".join(
            f"{size:,}: {work:,}" for size, work in zip(self.sizes, self.work, strict=True)
        )
        told = f"exponent {self.exponent:.2f} (at most {self.bound})"
        return f"{self.name:28} {told:30} {self.unit} by {self.by}: {points}"


def calls_in(call: Callable[[], Any]) -> tuple[Any, int]:
    """What a call returns, and how many calls the interpreter makes on the way."""
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        found = call()
    finally:
        sys.setprofile(before)
    return found, count


class _CountingDisk(MemoryDisk):
    """A disk that counts the bytes that are read from it."""

    bytes_read = 0

    def read(self, path: str, start: int = 0, count: int | None = None) -> bytes:
        data = super().read(path, start, count)
        self.bytes_read += len(data)
        return data


class _Sink:
    """A pipe that takes everything."""

    def send_now(self, data: bytes) -> int:
        return len(data)

    async def send_all(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()


async def catch_up(length: int) -> tuple[int, int]:
    """Follow a game of `length` records from its start through a server's store; half of them are
    in the game's file, half still in memory. Returns the calls that reading takes, and the bytes
    that are read from the disk."""
    disk = _CountingDisk()
    calls = 0

    async def counting(call: Callable[[], Any]) -> Any:
        nonlocal calls
        await trio.lowlevel.checkpoint()
        found, made = calls_in(call)
        calls += made
        return found

    record = Frame(FRAME_RECORD, bytes(RECORD_BYTES))
    async with open_store(disk, run=at_once) as store, trio.open_nursery() as nursery:
        await store.create("game", [record])
        at = 1
        while at < length:
            count = min(50, length - at)
            await store.append("game", at, [record, Frame(FRAME_HEAD, bytes(100))] * count)
            at += count
        await store.checkpoint()
        channel = Channel("game", PUBLIC, length, store, counting, Metrics())
        out = Outgoing(_Sink(), Flusher(), nursery.start_soon, _ignore, channel.metrics, 60)
        disk.bytes_read = 0
        cursor = channel.subscribe(out, -1, _raise)
        while not cursor.live:
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    return calls, disk.bytes_read


async def heard_in_order(spectators: int) -> list[str]:
    """Who is sent something, in order, once a player of a game that `spectators` watch has acted:
    "player", who does not follow the game, "opponent", who does, and "spectator"."""
    sends: list[str] = []
    async with server() as s, trio.open_nursery() as nursery:
        game, given, _ = await started(s)

        async def client(who: str, token: str = "") -> Client:
            ours, theirs = socket.socketpair()
            nursery.start_soon(
                Connection(
                    s.hub, _Noting(theirs, f"client {len(s.hub.connections)}", who, sends)
                ).run
            )
            made = Client(trio.SocketStream(trio.socket.from_stdlib_socket(ours)))
            await made.greet(token)
            return made

        player = await client("player", given["a"])
        watchers = [await client("spectator") for _ in range(spectators)]
        for watcher in watchers:
            await watcher.ask(m.Subscribe, game, -1, PUBLIC)
        opponent = await client("opponent", given["b"])
        await opponent.ask(m.Subscribe, game, -1, "b")
        decision = (await player.ask(m.Choices, game, "a", ())).decision
        act, private = await player.command(game, "a", "pass", id=b"1", decision=decision)
        await trio.testing.wait_all_tasks_blocked()
        sends.clear()
        assert type(await player.send_act(game, act, private)) is m.Accepted
        await trio.testing.wait_all_tasks_blocked()
        heard = list(sends)
        nursery.cancel_scope.cancel()
    return heard


class _Steps(trio.abc.Instrument):
    """Counts turns of the event loop, and the steps of tasks other than this one by their names."""

    def __init__(self) -> None:
        self.own = trio.lowlevel.current_task()
        self.turns = 0
        self.steps: Counter[str] = Counter()

    def before_io_wait(self, timeout: float) -> None:
        self.turns += 1

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        if task is not self.own:
            self.steps[task.name.rpartition(".")[2]] += 1


async def lone_command(folder: Path) -> tuple[int, dict[str, int]]:
    """The turns of the event loop that a lone command takes, from a socket to its answer, on a disk
    that is written in place. With them come the steps of each task of the server."""
    async with open_store(folder) as store, server(store) as s, trio.open_nursery() as nursery:
        store._commit_by = pace = Pace(in_thread_at_once, lambda: 0.0)
        pace._quick = TRIALS
        game, given, _ = await started(s)
        ours, theirs = socket.socketpair()
        nursery.start_soon(Connection(s.hub, SocketPipe(theirs, "player")).run)
        player = Client(trio.SocketStream(trio.socket.from_stdlib_socket(ours)))
        await player.greet(given["a"])
        await player.ask(m.Subscribe, game, -1, "a")
        decision = (await player.ask(m.Choices, game, "a", ())).decision
        act, private = await player.command(game, "a", "pass", id=b"1", decision=decision)
        await trio.testing.wait_all_tasks_blocked()
        counted = _Steps()
        trio.lowlevel.add_instrument(counted)
        assert type(await player.send_act(game, act, private)) is m.Accepted
        trio.lowlevel.remove_instrument(counted)
        await player.stream.aclose()
        nursery.cancel_scope.cancel()
    return counted.turns, dict(counted.steps)


def commands_after(before: tuple[int, ...]) -> list[int]:
    """The calls that `COMMANDS_COUNTED` commands take (signed, decided, written, committed) in one
    long game, once it has had so many before them."""
    options = {"turns": 10_000, "epoch_turns": 100}
    played = begin(counting.RULES, counting.PACK, options=options)

    def command(count: int) -> None:
        for _ in range(count):
            played.submit(played.position.open[0][0], "roll")

    found, given = [], 0
    for size in before:
        command(size - given)
        found.append(calls_in(lambda: command(COMMANDS_COUNTED))[1])
        given = size + COMMANDS_COUNTED
    return found


async def listing(games: int) -> int:
    """The calls that a page of a list takes of a server that has begun beside so many games."""
    store, count = MemoryStore(), 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    with tempfile.TemporaryDirectory() as folder:
        await lists.fill(store, Path(folder), games)
        async with server(store, data=Path(folder)) as up:
            await lists.page(up, "playing", "")
            await trio.testing.wait_all_tasks_blocked()
            sys.setprofile(counted)
            await lists.page(up, "playing", "g")
            sys.setprofile(None)
    return count


class _Noting(SocketPipe):
    """A socket that notes when it is sent something."""

    def __init__(self, sock: socket.socket, peer: str, who: str, sends: list[str]) -> None:
        super().__init__(sock, peer)
        self._who = who
        self._sends = sends

    def send_now(self, data: bytes) -> int:
        self._sends.append(self._who)
        return super().send_now(data)


def _ignore() -> None:
    return None


def _raise(error: Exception) -> None:
    raise error


# --- all of them ----------------------------------------------------------------------------------


def catching_up(sizes: tuple[int, ...] = RECORDS) -> list[Curve]:
    """What a subscriber costs who follows a game from its start."""
    found = [trio.run(catch_up, size) for size in sizes]
    return [
        Curve(
            "catching up with a game", "calls", "records", sizes, tuple(c for c, _ in found), 1.1
        ),
        Curve("the same", "bytes off the disk", "records", sizes, tuple(b for _, b in found), 1.1),
    ]


def acting(sizes: tuple[int, ...] = SPECTATORS) -> Curve:
    """How many are sent something before a player who acted has the answer, them included."""
    found = [trio.run(heard_in_order, size).index("player") + 1 for size in sizes]
    return Curve("hearing that an act stands", "sends", "spectators", sizes, tuple(found), 0.0)


def playing_on(sizes: tuple[int, ...] = COMMANDS_BEFORE) -> Curve:
    """What a command costs late in a long game."""
    found = tuple(commands_after(sizes))
    name = f"{COMMANDS_COUNTED} commands more"
    return Curve(name, "calls", "commands before them", sizes, found, 0.01)


def looking(sizes: tuple[int, ...] = GAMES) -> Curve:
    """What a page of the lobby costs a server of many games that nobody uses."""
    found = tuple(trio.run(listing, size) for size in sizes)
    return Curve("a page of a list", "calls", "games", sizes, found, 0.1)


def main() -> None:
    """The command line. Exits with 1 where a curve is out of bounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    curves = [*catching_up(), acting(), playing_on(), looking()]
    if arguments.json:
        print(
            json.dumps([asdict(curve) | {"exponent": round(curve.exponent, 3)} for curve in curves])
        )
    else:
        for curve in curves:
            print(curve.line)
    sys.exit(0 if all(curve.holds for curve in curves) else 1)


if __name__ == "__main__":
    main()
