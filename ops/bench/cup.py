"""A whole tournament over TCP, to the last report and the audit of all: captains play a Swiss of
War at Sea with clocks, sealed bids, check-in, late entries, withdrawals and a claim a round.

    python -m ops.bench.cup [--players 128] [--rounds 7] [--seed 1] [--late 2] [--leave 2] [--json]

The server is a process of its own; all entrants, their bots and the director are here. What
entrants keep stays in memory: in a real tournament each has a disk of their own. Told are the times
to the last report, of both audits and of a game, the work of both processes, and the server's
greatest memory. The floor is the same bots' games without a server, in the same run. The two
processes work side by side: on two idle cores the time to the last report comes near the greater of
their times. What it has beyond that, others had.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import trio
from attrs import define, field

from ops.bench.figures import show
from tests.verdicts import findings_of, is_clean
from warledger.clients.audit.audit import installed
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.bots.entrants import Entrant, boards_that, enter, seated_at, until_paired
from warledger.clients.bots.seated import play_bot
from warledger.clients.bots.selfplay import Field, play
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.link import connect
from warledger.clients.link.tournament import TournamentLink, open_tournament
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import Config, ServerLimits
from warledger.protocol.wire import tournamentmessages as tm

ID = "cup"
TITLE = "war_at_sea"
BOT = "captain"
DIRECTOR = "dora"
LOOK_S = 0.2
FLOOR_GAMES = 8
CHARTER = """
name = "Bench"
title = "war_at_sea"
[[stage]]
system = "record"
rounds = {rounds}
points = {{ win = 10, close_win = 8, draw = 5, close_loss = 2, loss = 0, close = 2, bye = 5 }}
tiebreaks = ["direct", "sos_pooled", "wins", "lots"]
[sides]
by = "bid"
bid = {{ price = "own", step = 1, most = 12, minutes = 600 }}
[clock]
preset = "mail"
[late]
until_round = 2
[absence]
check_in_minutes = 15
"""


@define
class Cup:
    """What is played, and what has come of it."""

    folder: Path
    seed: int
    chance: random.Random
    players: dict[int, Entrant] = field(factory=dict)
    games: list[str] = field(factory=list)
    ledger: bytes = b""
    key: bytes = b""
    played_s: float = 0.0
    directs: str = ""

    @property
    def data(self) -> Path:
        """The server's data directory."""
        return self.folder / "data"


# --- the server -----------------------------------------------------------------------------------


async def _serve(data: Path) -> None:
    limits = ServerLimits(work_share=1.0, work_wait_seconds=600.0, strangers_per_address=4096)
    config = Config(data, port=0, log_level="error", accounts="off", limits=limits)

    async def server(task_status: trio.TaskStatus[Serving]) -> None:
        await serve(config, signals=False, task_status=task_status)

    async with trio.open_nursery() as nursery:
        serving: Serving = await nursery.start(server)
        print(json.dumps([serving.port, serving.token]), flush=True)
        # Until whoever started it closes the input.
        await trio.to_thread.run_sync(sys.stdin.read)
        nursery.cancel_scope.cancel()


# --- the entrants and the director ----------------------------------------------------------------


async def _run(cup: Cup, given: argparse.Namespace, port: int, token: str) -> None:
    to = partial(connect, "127.0.0.1", port)
    began = time.perf_counter()
    async with to(token=token) as host:
        charter = CHARTER.format(rounds=given.rounds)
        made = await open_tournament(host, ID, DIRECTOR, charter)
        assert host.welcome is not None
        cup.key = host.welcome.key
    if not isinstance(made, tm.TournamentOpened):
        raise RuntimeError(f"the charter is refused: {made.findings}")
    cup.directs = made.seat
    gone = trio.Event()
    async with to(token=made.token, name=DIRECTOR) as desk, trio.open_nursery() as hall:
        director = TournamentLink(desk, ID)
        for _ in range(given.players):
            await _enter(cup, to, hall, gone)
        left: set[int] = set()
        for round in range(1, given.rounds + 1):
            if round == 2:
                for _ in range(given.late):
                    await _enter(cup, to, hall, gone)
            if round == 3:
                left = set(cup.chance.sample(sorted(cup.players), given.leave))
                for number in sorted(left):
                    await cup.players[number].act("withdraw", number)
            here = {n: one for n, one in cup.players.items() if n not in left}
            await _round(cup, director, here, round)
            took = time.perf_counter() - began
            print(f"round {round}: {len(cup.games)} games, {took:.0f} s", file=sys.stderr)
        cup.played_s = time.perf_counter() - began
        await director.must(cup.directs, "finish")
        cup.ledger = await director.paper("tournament.wlog")
        gone.set()


async def _enter(cup: Cup, to: Any, hall: trio.Nursery, gone: trio.Event) -> None:
    name = f"Captain {len(cup.players) + 1}"
    link = to(name=name)
    await hall.start(enter, link, ID, name, cup.chance.randint(1200, 2200), cup.players, gone)


async def _round(cup: Cup, director: TournamentLink, here: dict[int, Entrant], round: int) -> None:
    async with trio.open_nursery() as nursery:
        for player in here.values():
            nursery.start_soon(player.check_in)
    await director.must(cup.directs, "pair")
    if round == 1:
        async with trio.open_nursery() as nursery:
            for player in here.values():
                nursery.start_soon(player.show_nonce)
        await until_paired(director, LOOK_S)
    await director.must(cup.directs, "publish")
    one = (await director.told())["rounds"][-1]
    async with trio.open_nursery() as nursery:
        for board in one["boards"]:
            for number in board["entrants"]:
                bid = (cup.chance.choice(one["seats"]), cup.chance.randint(0, 6))
                nursery.start_soon(cup.players[number].act, "bid", *bid)
    claimant = cup.players[cup.chance.choice(one["boards"])["entrants"][0]]
    await claimant.act("claim", "my bid was meant for the other side")
    await director.must(cup.directs, "ruled", round, "rejected", "a sealed bid stands")
    boards = await boards_that(director, lambda board: bool(board["game"]), LOOK_S)
    cup.games += [board["game"] for board in boards]
    async with trio.open_nursery() as nursery:
        for board in boards:
            nursery.start_soon(_match, cup, round, board, one["seats"])
    await boards_that(director, lambda board: board["results"] is not None, LOOK_S)


async def _match(cup: Cup, round: int, board: dict[str, Any], seats: tuple[str, ...]) -> None:
    """A game: both fetch their seats, sit down, and play it to its end."""
    seated = await seated_at([cup.players[n] for n in board["entrants"]], round, board)

    async def bot(seat: str) -> None:
        await play_bot(seated[seat], BOT, f"{cup.seed} {board['game']} {seat}")
        await seated[seat].finish()

    async with trio.open_nursery() as nursery:
        for seat in seats:
            nursery.start_soon(bot, seat)


# --- figures --------------------------------------------------------------------------------------


def floor_s(seed: int) -> float:
    """A game of the same bots in this process, without a server: processor seconds."""
    table = Field.of(TITLE)
    began = time.process_time()
    for index in range(FLOOR_GAMES):
        play(table, seed=seed, index=index, players=(BOT,), check=False)
    return (time.process_time() - began) / FLOOR_GAMES


def measured(folder: Path, given: argparse.Namespace) -> dict[str, float]:
    """Play it, and audit it. Raises RuntimeError where it is not sound."""
    cup = Cup(folder, given.seed, random.Random(given.seed))
    command = [sys.executable, "-m", "ops.bench.cup", "--serve", str(cup.data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        port, token = json.loads(server.stdout.readline())
        began = time.process_time()
        trio.run(_run, cup, given, port, token)
        bots_s = time.process_time() - began
        server.stdin.close()
        server.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    games = folder / "games"
    games.mkdir()
    for game in cup.games:
        (games / f"{game}.wlog").write_bytes(exported(cup.data, game))
    began = time.process_time()
    alone = audit_tournament(cup.ledger, key=cup.key, rulebook=installed())
    alone_s, began = time.process_time() - began, time.process_time()
    report = audit_tournament(cup.ledger, key=cup.key, rulebook=installed(), games=games)
    if not is_clean(alone) or not is_clean(report) or report.verdict.games != len(cup.games):
        raise RuntimeError(f"not sound: {findings_of(report)[:5]}")
    each = floor_s(given.seed)
    return {
        "games": len(cup.games),
        "to the last report, s": cup.played_s,
        "server, processor s": used.ru_utime + used.ru_stime,
        "entrants and bots, processor s": bots_s,
        "server, peak MiB": used.ru_maxrss / 1024,
        "audit alone, processor s": alone_s,
        "audit with games, processor s": time.process_time() - began,
        "floor: a game alone, processor s": each,
        "floors a game": cup.played_s / len(cup.games) / each,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--late", type=int, default=2, help="entrants who come in round 2")
    parser.add_argument("--leave", type=int, default=2, help="entrants who leave before round 3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        trio.run(_serve, given.serve)
        return
    with tempfile.TemporaryDirectory(prefix="warledger-cup-") as folder:
        figures = {f"{given.players} players": measured(Path(folder), given)}
    show(figures, machine=given.json)


if __name__ == "__main__":
    main()
