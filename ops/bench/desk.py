"""What the desk costs a server that people play on: a thousand flags in one second, a start with a
thousand games with clocks, what a seat was offered long ago, and passwords. Each is beside a floor
of the same run.

    python -m ops.bench.desk [--games N] [--json]

Everything is in one process with a store in memory, in wall time: on a machine that does other
things look at the floors. What a command costs with clocks is counted by `ops.bench.clocks`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import trio

from ops.bench.figures import show
from tests.serve.rig import HOST_TOKEN, SERVER_KEY, Client, Server, server, started
from tests.toys import counting
from warledger.engine.desk import passwords
from warledger.engine.desk.budgets import asker_of
from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime.ambient import SystemAmbient
from warledger.engine.runtime.snapshots.snapshots import Snapshots
from warledger.engine.serve.app import SWITCH_SECONDS
from warledger.engine.testing.memory import MemoryStore
from warledger.engine.testing.memorydisk import MemoryDisk
from warledger.engine.testing.randomgames import Played, begin
from warledger.protocol.log import deskbodies, records
from warledger.protocol.log.wlog import FRAME_RECORD
from warledger.protocol.wire import messages as m

BANK_S: Final = 20
OFFERS: Final = 40
CHECKS: Final = 12
LONG: Final = 2_000
Figures = dict[str, dict[str, float]]


def p99(found: list[float]) -> float:
    """The 99th of a hundred."""
    ordered = sorted(found)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


class Lag:
    """How late the event loop comes round, in milliseconds."""

    def __init__(self) -> None:
        self.found: list[float] = []

    async def run(self) -> None:
        """Look a hundred times a second."""
        while True:
            due = trio.current_time() + 0.01
            await trio.sleep_until(due)
            self.found.append((trio.current_time() - due) * 1000)


async def quiet(seconds: float) -> Lag:
    """The floor: an event loop with nothing to do."""
    lag = Lag()
    with trio.move_on_after(seconds):
        await lag.run()
    return lag


def timed_game(n: int, bank_s: int = BANK_S) -> Played:
    """A game with clocks in which a seat is asked."""
    terms = {"clock": {"bank": bank_s * 1000, "fall": "loss"}}
    return begin(
        counting.RULES,
        counting.PACK,
        seed=n,
        game=f"g{n:09}",
        key=SERVER_KEY,
        options={"turns": 10_000, "epoch_turns": 100},
        terms=terms,
    )


async def stored(games: list[Played]) -> MemoryStore:
    """A store that holds these games."""
    store = MemoryStore()
    for played in games:
        await store.create(played.ledger.game, played.frames())
    return store


async def flags(count: int) -> Figures:
    """A server starts with `count` games whose clocks run. Nobody was charged for what was before,
    so they all run out in the second after `BANK_S` seconds."""
    store = await stored([timed_game(n) for n in range(count)])
    floor, lag = await quiet(2), Lag()
    began = time.perf_counter()
    async with server(store, ambient=SystemAmbient()) as running:
        listening = time.perf_counter() - began
        calendar = running.hub.supervisor.calendar
        while calendar.count < count:  # noqa: ASYNC110 - a benchmark
            await trio.sleep(0.01)
        known = time.perf_counter() - began
        await trio.sleep(max(0.0, BANK_S - known - 1))
        with trio.move_on_after(BANK_S + 20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(lag.run)
                # A loop that stood still is credited to all, and they fall later.
                while not all(_is_over(running, id) for id in store.games()):  # noqa: ASYNC110
                    await trio.sleep(0.05)
                await trio.sleep(2)
                nursery.cancel_scope.cancel()
        late = [one for id in store.games() if (one := _late(store, id)) is not None]
    return {
        f"a start with {count} games with clocks, s": {
            "accepting connections": listening,
            "all deadlines known": known,
        },
        f"{count} flags in one second, ms": {
            "fallen": float(len(late)),
            "earliest after its deadline": float(min(late, default=-1)),
            "late, p99": p99([float(one) for one in late]) if late else -1.0,
            "loop lag meanwhile, p99": p99(lag.found),
            "loop lag of nothing, p99": p99(floor.found),
        },
    }


def _is_over(running: Server, id: str) -> bool:
    game = running.hub.supervisor.games.get(id)
    return game is not None and game.profile.progress.stage == ENDED


def _late(store: MemoryStore, game: str) -> int | None:
    """How long after its deadline a game's flag was written, in milliseconds."""
    for frame in reversed(store.read(game)):
        if frame.kind == FRAME_RECORD:
            record = records.read(frame.payload)
            if record.kind == records.CLOCK:
                body = deskbodies.read_clock(record.body)
                if isinstance(body, deskbodies.Flag):
                    return record.at_ms - body.deadline_ms
    return None


class Beside:
    """Somebody who plays while something else is measured; how long each command took."""

    def __init__(self, client: Client, game: str) -> None:
        self.client = client
        self.game = game
        self.found: list[float] = []

    async def run(self) -> None:
        """A command after the other, fifty a second."""
        while True:
            for seat in counting.SEATS:
                began = time.perf_counter()
                await self.client.submit(self.game, seat, "pass")
                self.found.append((time.perf_counter() - began) * 1000)
                await trio.sleep(0.02)


@contextmanager
def _spent(into: list[float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    into.append((time.perf_counter() - began) * 1000)


async def _beside(running: Server, work: Any) -> tuple[list[float], list[float]]:
    """How long commands of a game take with nothing else to do, and while `work` is done."""
    game, _, client = await started(running, turns=10_000)
    alone, meanwhile = Beside(client, game), Beside(client, game)
    with trio.move_on_after(3):
        await alone.run()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(meanwhile.run)
        await work()
        nursery.cancel_scope.cancel()
    return alone.found, meanwhile.found


async def offers() -> Figures:
    """What a seat was offered after record 1,000 of a game of 2,000, asked by an arbiter."""
    played = timed_game(0, 10**6)
    while played.position.seq < LONG:
        played.submit(played.position.open[0][0], "roll")
    played.commit(played.resign("a"))
    store = await stored([played])
    found: list[float] = []
    worked: list[float] = []
    beside = Snapshots(MemoryDisk())
    async with server(store, ambient=SystemAmbient(), snapshots=beside) as running:
        ann = await running.client(HOST_TOKEN, "Ann")

        async def ask() -> None:
            for n in range(OFFERS):
                with _spent(found):
                    answer = await ann.ask(m.ChoicesAt, played.ledger.game, "a", 1_000 + n, ())
                assert type(answer) in (m.ChoicesAre, m.Refused), answer

        alone, meanwhile = await _beside(running, ask)
        for n in range(OFFERS):
            began = time.process_time()
            await ann.ask(m.ChoicesAt, played.ledger.game, "a", 1_000 + n, ())
            worked.append((time.process_time() - began) * 1000)
    return {
        "offers at record 1,000 of 2,000, ms": {
            "to say them, the longest": max(found),
            "processor time, median of one alone": sorted(worked)[OFFERS // 2],
            "others' commands, p99": p99(meanwhile),
            "without, p99": p99(alone),
        }
    }


async def checks() -> Figures:
    """Passwords that are checked beside a game, of one who is known and of another at a time."""
    kept = passwords.hashed("correct horse battery")
    found: list[float] = []
    async with server(MemoryStore(), ambient=SystemAmbient()) as running:
        checker = passwords.Passwords(running.hub.supervisor.ambient)

        async def one(n: int) -> None:
            with _spent(found):
                assert await checker.check(
                    asker_of(f"198.51.100.{n % 250}"),
                    kept,
                    "correct horse battery",
                    is_known=n % 2 == 0,
                )

        async def check() -> None:
            for n in range(0, CHECKS, 2):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(one, n)
                    nursery.start_soon(one, n + 1)

        alone, meanwhile = await _beside(running, check)
    began = time.process_time()
    assert passwords.fits(kept, "correct horse battery")
    return {
        "a password, ms": {
            "processor time": (time.process_time() - began) * 1000,
            "checked, median of two at a time": sorted(found)[len(found) // 2],
            "others' commands, p99": p99(meanwhile),
            "without, p99": p99(alone),
        }
    }


async def measure(games: int) -> Figures:
    """All of it, as a server that was started by its command runs."""
    sys.setswitchinterval(SWITCH_SECONDS)
    return {**await flags(games), **await offers(), **await checks()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    show(trio.run(measure, arguments.games), machine=arguments.json)
