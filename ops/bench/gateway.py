"""How late a thousand WebSocket spectators of one game hear of a move, beside fifty busy games, and
what that costs.

    python -m ops.bench.gateway [--spectators 1000] [--games 50] [--seconds 20]
                             [--moves 2] [--busy 2] [--flat-out] [--json]

The server runs in this process on a real data directory. The spectators (with the watched game's
players) and the busy games' players are two processes more. A delivery's time runs from the
submission of a move to its record's arrival at a spectator: durability, encoding, sending and
reading are all in it. Moves come at a steady pace (`--moves` a second in the watched game, `--busy`
in each other one). With `--flat-out` each busy game's next command follows its acknowledgement at
once, which leaves no processor idle.

The floor is what the machine can do at all: a bare loop in this process sends one frame of the same
size to the same sockets. Nothing else runs, and the same spectators time it in the same way.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage
from wsproto.events import Request as Upgrade

from ops.bench.figures import show
from ops.bench.load import ACCEPTED, Player, planned
from ops.bench.recorded import record, title_named
from warledger.engine.runtime import tokens
from warledger.engine.runtime.supervisor import token_meta
from warledger.engine.runtime.titles import Title
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import Config, HttpLimits, ServerLimits
from warledger.engine.store.port import FRAME_META, FRAME_RECORD, FRAME_SECRETS, Frame
from warledger.protocol.wire import messages as m

FLOOR = b"FLOOR..."
"""What a frame of the floor begins with, in place of a message; the time of its sending follows."""
FLOOR_ROUNDS = 20
SETTLE_SECONDS = 2.0


# --- spectators, in a process of their own --------------------------------------------------------


class Paced(Player):
    """A player whose moves come when they are due, not when the last one is acknowledged."""

    is_busy = False

    def move(self) -> bool:
        """Make the next move, unless the last one is still in progress."""
        if self.is_busy:
            return False
        self.is_busy = self.submit(time.perf_counter())
        return self.is_busy

    def acknowledged(self) -> None:
        """Take what came; the next move is not made yet."""
        self.reader.receive_data(self.sock.recv(65536))
        while (payload := self.reader.next_frame()) is not None:
            if payload.startswith(ACCEPTED):
                self.note()
                self.is_busy = False
            else:
                self.refused += 1


class Spectator:
    """One WebSocket that follows the game. It looks at frames' heads only, so that a thousand fit
    into a process."""

    def __init__(self, port: int, game: str) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port))
        ws = WSConnection(ConnectionType.CLIENT)
        self.sock.sendall(ws.send(Upgrade(host=f"127.0.0.1:{port}", target="/ws")))
        self._until(ws, AcceptConnection)
        for message in (
            m.Hello(1, m.VERSION, "bench"),
            m.Login(2, "", ""),
            m.Subscribe(3, game, 4, "public"),
        ):
            self.sock.sendall(ws.send(BytesMessage(data=m.encode(message))))
            self._until(ws, BytesMessage)
        self.sock.setblocking(False)
        self.heard = 0
        self._rest = b""

    def _until(self, ws: WSConnection, kind: type[Any]) -> None:
        while True:
            for event in ws.events():
                if isinstance(event, kind):
                    return
            ws.receive_data(self.sock.recv(65536))

    def read(self, moves: list[float], late: list[float], floor: list[float]) -> None:
        """Take what has arrived; note how late each frame is."""
        data = self._rest + self.sock.recv(1 << 18)
        now = time.perf_counter()
        at = 0
        while len(data) - at >= 2:
            size, head = data[at + 1], 2
            if size == 126:
                size, head = int.from_bytes(data[at + 2 : at + 4], "big"), 4
            if len(data) - at < head + size:
                break
            if data[at] == 0x82:
                body = at + head
                if data[body : body + 8] == FLOOR:
                    floor.append(now - int.from_bytes(data[body + 8 : body + 16], "big") / 1e9)
                elif moves:  # before, it only catches up
                    late.append(now - moves[self.heard])
                    self.heard += 1
            at += head + size
        self._rest = data[at:]


def watch(port: int, web: int, spec: str) -> None:
    """Open the spectators, say "ready"; on "floor" listen to it; on "go" make the moves; print the
    figures as JSON."""
    plan = json.loads(Path(spec).read_text())
    _many_files()
    entry = plan["game"]
    player = Paced(port, entry["game"], entry["seats"], planned(entry))
    player.begin()
    spectators = [Spectator(web, entry["game"]) for _ in range(plan["spectators"])]
    late: list[float] = []
    floor: list[float] = []
    moves: list[float] = []
    with selectors.DefaultSelector() as selector:
        for spectator in spectators:
            selector.register(spectator.sock, selectors.EVENT_READ, spectator)
        selector.register(player.sock, selectors.EVENT_READ, player)
        selector.register(sys.stdin, selectors.EVENT_READ, None)
        print("ready", flush=True)
        due = end = float("inf")
        while time.perf_counter() < end:
            wait = due - time.perf_counter()
            for key, _ in selector.select(max(0.0, min(wait, 0.5))):
                if isinstance(key.data, Spectator):
                    key.data.read(moves, late, floor)
                elif key.data is player:
                    player.acknowledged()
                else:
                    word = sys.stdin.readline().strip()
                    if word == "go":
                        due = time.perf_counter()
                        end = due + plan["seconds"] + SETTLE_SECONDS
                    elif word == "floor over":
                        print(json.dumps(_figures(floor)), flush=True)
            now = time.perf_counter()
            if now >= due:
                if now < end - SETTLE_SECONDS:
                    if player.move():
                        moves.append(now)
                    due += 1 / plan["moves"]
                else:
                    due = float("inf")
    lost = sum(len(moves) - spectator.heard for spectator in spectators)
    print(
        json.dumps({"moves": len(moves), "deliveries": len(late), "lost": lost, **_figures(late)}),
        flush=True,
    )


def _figures(found: list[float]) -> dict[str, float]:
    ordered = sorted(found)
    if not ordered:
        return {}
    return {
        "p50_ms": 1000 * ordered[len(ordered) // 2],
        "p99_ms": 1000 * ordered[len(ordered) * 99 // 100],
        "max_ms": 1000 * ordered[-1],
    }


def busy(port: int, spec: str) -> None:
    """Play the busy games at their pace until told to stop; print how it went."""
    plan = json.loads(Path(spec).read_text())
    players = [
        Paced(port, entry["game"], entry["seats"], planned(entry)) for entry in plan["games"]
    ]
    for player in players:
        player.begin()
    print("ready", flush=True)
    pace = plan["busy"]
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ, None)
        for player in players:
            selector.register(player.sock, selectors.EVENT_READ, player)
        began = time.perf_counter()
        due = (
            [began + index / (len(players) * pace) for index in range(len(players))] if pace else []
        )
        if not pace:
            for player in players:
                player.submit(time.perf_counter())
        while True:
            wait = min(due) - time.perf_counter() if due else 0.5
            for key, _ in selector.select(max(0.0, wait)):
                if key.data is None:
                    seconds = time.perf_counter() - began
                    latencies = [latency for player in players for _, latency in player.done]
                    print(
                        json.dumps(
                            {"commands_per_second": len(latencies) / seconds, **_figures(latencies)}
                        ),
                        flush=True,
                    )
                    return
                if pace:
                    key.data.acknowledged()
                elif not key.data.readable():
                    selector.unregister(key.data.sock)
            now = time.perf_counter()
            for index, when in enumerate(due):
                if now >= when:
                    players[index].move()
                    due[index] = when + 1 / pace


def _many_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


# --- the server's side ----------------------------------------------------------------------------


async def _game(
    serving: Serving, title: Title, game: str, most: int, options: dict[str, Any]
) -> dict[str, Any]:
    supervisor = serving.hub.supervisor
    genesis, keys, plan, _ = record(title, game, supervisor.signer, most, options)
    given = {seat: tokens.new_token(supervisor.ambient, game) for seat in title.rules.seats}
    frames = [Frame(FRAME_RECORD, genesis.data), Frame(FRAME_SECRETS, keys.as_payload())]
    frames += [Frame(FRAME_META, token_meta(seat, token)) for seat, token in given.items()]
    await supervisor.store.create(game, frames)
    return {"game": game, "seats": given, "commands": plan}


async def _line(process: trio.Process) -> str:
    assert process.stdout is not None
    text = b""
    while not text.endswith(b"\n"):
        more = await process.stdout.receive_some(65536)
        assert more, "the process ended too soon"
        text += bytes(more)
    return text.decode().strip()


async def _process(*arguments: str) -> trio.Process:
    return await trio.lowlevel.open_process(
        [sys.executable, "-m", "ops.bench.gateway", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


async def bench(arguments: argparse.Namespace) -> dict[str, Any]:
    """The floor first, then the real thing."""
    title = title_named(arguments.title)
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(dir=arguments.data) as data:
        limits = ServerLimits(strangers_per_address=100_000, connections_per_address=100_000)
        web = HttpLimits(sockets=100_000, sockets_per_address=100_000, requests_burst=10**6)
        config = Config(
            Path(data),
            port=0,
            http=("127.0.0.1", 0),
            limits=limits,
            http_limits=web,
            log_level="warning",
        )
        async with trio.open_nursery() as nursery:

            async def run(task_status: trio.TaskStatus[Serving]) -> None:
                await serve(
                    config, titles={title.name: title}, signals=False, task_status=task_status
                )

            serving: Serving = await nursery.start(run)
            options = {"turns": 4000, "epoch_turns": 100} if title.name == "counting" else {}
            pace = 0 if arguments.flat_out else arguments.busy
            each = int(arguments.seconds * (pace or 400)) + 20
            watched = await _game(
                serving, title, "watched", int(arguments.seconds * arguments.moves) + 20, options
            )
            games = [
                await _game(serving, title, f"busy{index}", each, options)
                for index in range(arguments.games)
            ]
            spec = Path(data) / "plan.json"
            spec.write_text(
                json.dumps(
                    {
                        "game": watched,
                        "games": games,
                        "spectators": arguments.spectators,
                        "seconds": arguments.seconds,
                        "moves": arguments.moves,
                        "busy": pace,
                    }
                )
            )
            watcher = await _process(
                "--as-spectators", str(serving.port), str(serving.web[0][1]), str(spec)
            )
            assert await _line(watcher) == "ready"
            assert watcher.stdin is not None
            figures["floor"] = await _floor(serving, watcher)
            others = await _process("--as-busy", str(serving.port), str(spec))
            assert await _line(others) == "ready"
            assert others.stdin is not None
            cpu, began = time.process_time(), time.perf_counter()
            await watcher.stdin.send_all(b"go\n")
            figures["spectators"] = {
                "spectators": arguments.spectators,
                **json.loads(await _line(watcher)),
            }
            seconds = time.perf_counter() - began
            await others.stdin.send_all(b"stop\n")
            figures["busy_games"] = {"games": arguments.games, **json.loads(await _line(others))}
            deliveries = figures["spectators"]["deliveries"]
            used = time.process_time() - cpu
            figures["server"] = {
                "cpu_percent": 100 * used / seconds,
                "deliveries_per_second": deliveries / seconds,
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                "load_average": os.getloadavg()[0],
            }
            await watcher.wait()
            await others.wait()
            nursery.cancel_scope.cancel()
    return figures


async def _floor(serving: Serving, watcher: trio.Process) -> dict[str, float]:
    """Frames of a typical record's size by a bare loop of sends."""
    cursors = serving.hub.supervisor.games["watched"].channel("public").cursors.values()
    sockets: list[socket.socket] = [cursor.out._pipe._pipe._sock for cursor in cursors]  # type: ignore[attr-defined]
    for _ in range(FLOOR_ROUNDS):
        body = FLOOR + time.perf_counter_ns().to_bytes(8, "big") + b"x" * 400
        frame = b"\x82\x7e" + len(body).to_bytes(2, "big") + body
        for sock in sockets:
            sock.send(frame)
        await trio.sleep(0.2)
    assert watcher.stdin is not None
    await watcher.stdin.send_all(b"floor over\n")
    found: dict[str, float] = json.loads(await _line(watcher))
    return found


def main() -> None:
    """The command line."""
    if sys.argv[1:2] == ["--as-spectators"]:
        watch(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
        return
    if sys.argv[1:2] == ["--as-busy"]:
        busy(int(sys.argv[2]), sys.argv[3])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--moves", type=float, default=2, help="of the watched game, a second")
    parser.add_argument(
        "--busy", type=float, default=2, help="commands of each busy game, a second"
    )
    parser.add_argument("--flat-out", action="store_true", help="each busy game as fast as it goes")
    parser.add_argument("--title", default="counting")
    parser.add_argument("--data", default=None, help="where to make the data directory")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = trio.run(bench, arguments)
    show(figures, machine=arguments.json)


if __name__ == "__main__":
    main()
