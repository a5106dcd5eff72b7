"""What a tournament's director waits for: a round paired, from the act until it is durable, and how
long the server's loop stands still meanwhile.

    python -m ops.bench.rounds [--players 300,1000] [--rounds 3] [--systems record,dutch] [--json]

A tournament on a real data directory: everybody enters and checks in, rounds are paired, published
and given results. While a round is paired a task sleeps for a millisecond at a time and notes how
much later than that it was woken. The same with nothing going on is the floor of the stalls. The
floor of the times is an announcement of the same tournament, from the act until it is durable.
Processor seconds are of this process and of the one that pairs, which work one after the other.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

import trio

from ops.bench.figures import show
from ops.bench.pairing import children_s
from warledger.clients.cli import collect_rarely
from warledger.engine.desk.titled import titled
from warledger.engine.desk.tournament import Tournament, begin
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.game.answers import Done
from warledger.engine.serve import serversecrets
from warledger.engine.store.files.wal import open_store
from warledger.engine.tournaments import charterform
from warledger.protocol.log.chain import Signer

BEAT_S = 0.001
IDLE_S = 2.0
DIRECTOR = "d:dora"


class Stalls:
    """The longest stall of the loop, in seconds: on the clock, and in what this process worked
    meanwhile in another thread, which does not count those with whom it shares the machine."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.worked = 0.0

    async def watch(self) -> None:
        """Until it is cancelled."""
        while True:
            due, before = time.perf_counter() + BEAT_S, time.process_time()
            await trio.sleep(BEAT_S)
            late, worked = time.perf_counter() - due, time.process_time() - before
            self.longest = max(self.longest, late)
            self.worked = max(self.worked, min(late, worked))


async def stalled() -> Stalls:
    """The stalls while nothing happens."""
    stalls = Stalls()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stalls.watch)
        await trio.sleep(IDLE_S)
        nursery.cancel_scope.cancel()
    return stalls


async def did(made: Tournament, who: str, *picks: str | int) -> None:
    """An act that is carried out."""
    answer = await made.submit(who, picks, seen=made.ledger.last.hash)
    if not isinstance(answer, Done):
        raise RuntimeError(f"{who} {picks}: {answer}")


async def tournament(data: Path, system: str, players: int, rounds: int) -> dict[str, float]:
    """The figures of one tournament."""
    doc = {
        "name": "Bench",
        "title": "war_at_sea",
        "stage": [{"system": system, "rounds": max(rounds, 9), "tiebreaks": ["buchholz", "lots"]}],
        "sides": {"by": "balance"},
    }
    charter = charterform.read(doc).charter
    assert charter is not None
    rng = random.Random(players)
    ambient = SystemAmbient()
    signer = Signer(serversecrets.signing_key(data, ambient.random_bytes))
    took: list[float] = []
    stands: list[Stalls] = []
    worked: list[float] = []
    there: list[float] = []
    async with open_store(data / "store") as store:
        made = await begin(store, ambient, signer, charter, "bench", titled, bytes(32))
        await did(made, "server", "grant", "director", "dora", "Dora")
        async with trio.open_nursery() as nursery:
            for number in range(1, players + 1):
                nursery.start_soon(did, made, "server", "enter", f"P{number}", "-", 2400 - number)
        idle = await stalled()
        for _ in range(rounds):
            stalls = Stalls()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(stalls.watch)
                await trio.sleep(0.05)
                began, busy = time.perf_counter(), time.process_time()
                before = children_s()
                await did(made, DIRECTOR, "pair")
                took.append(time.perf_counter() - began)
                worked.append(time.process_time() - busy)
                there.append(children_s() - before)
                nursery.cancel_scope.cancel()
            stands.append(stalls)
            await did(made, DIRECTOR, "publish")
            last = made.at.last
            assert last is not None
            async with trio.open_nursery() as nursery:
                for board in last.boards:
                    winner = rng.choices((board.entrants[0], board.entrants[1], 0), (4, 3, 2))[0]
                    what: tuple[str | int, ...] = ("draw", "played", "-")
                    if winner:
                        what = ("win", winner, "played", 4, "-")
                    nursery.start_soon(
                        did, made, DIRECTOR, "result", last.number, board.number, *what
                    )
        floors = []
        for _ in range(5):
            began = time.perf_counter()
            await did(made, DIRECTOR, "announce", "Lunch")
            floors.append(time.perf_counter() - began)
    return {
        "longest round, s": max(took),
        "mean round, s": sum(took) / len(took),
        "floor: announce, s": min(floors),
        "rounds in announcements": sum(took) / len(took) / min(floors),
        "longest, processor s": max(map(sum, zip(worked, there, strict=True))),
        "mean, processor s": (sum(worked) + sum(there)) / len(worked),
        "of it here, processor s": sum(worked) / len(worked),
        "longest stall, ms": 1000 * max(one.longest for one in stands),
        "longest stall, at work, ms": 1000 * max(one.worked for one in stands),
        "floor: idle stall, ms": 1000 * idle.longest,
        "floor: idle, at work, ms": 1000 * idle.worked,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", default="300,1000", help="sizes, separated by commas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--systems", default="record,dutch")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    collect_rarely()  # as the command line does
    figures = {}
    for players in map(int, given.players.split(",")):
        for system in given.systems.split(","):
            with tempfile.TemporaryDirectory(prefix="warledger-rounds-") as folder:
                name = f"{system}, {players} players"
                figures[name] = trio.run(tournament, Path(folder), system, players, given.rounds)
    show(figures, machine=given.json)


if __name__ == "__main__":
    main()
