"""How many appends a second the store makes durable, beside the floor of the same disk: run `python
ops/bench/store.py [DIR]`.

Fifty tasks append a record (with openings and head, as the runtime does) at a time to fifty games,
each waiting for its own. The floor writes the very bytes of a batch of fifty and syncs them, in a
bare loop in one thread: what the disk can do. The directory should be on the disk that will hold
the games; the default is the current one.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import trio
from attrs import frozen

from warledger.engine.store.files.batches import batch_bytes, entry_bytes
from warledger.engine.store.files.gamefile import encode_addition
from warledger.engine.store.files.wal import SEGMENT_BYTES, open_store
from warledger.engine.store.port import FRAME_HEAD, FRAME_OPENINGS, FRAME_RECORD, Frame

TASKS = 50
SECONDS = 3.0
RECORD_BYTES = 220
SWITCH_SECONDS = (
    0.0005  # as the server sets it: a thread whose sync is done should not wait for the interpreter
)


@frozen
class Figures:
    """Appends a second through the store and over the bare floor, the waits of single appends, and
    appends a sync."""

    appends: float
    floor: float
    p50_ms: float
    p99_ms: float
    a_sync: float
    lone_ms: float
    bare_sync_ms: float

    def lines(self) -> list[str]:
        return [
            f"store, {TASKS} tasks: {self.appends:,.0f} appends/s; floor "
            f"{self.floor:,.0f}/s; ratio {self.appends / self.floor:.2f}",
            f"  an append waits p50 {self.p50_ms:.2f} ms, p99 {self.p99_ms:.2f} ms; "
            f"{self.a_sync:.0f} appends a sync",
            f"  a lone append {self.lone_ms:.2f} ms; a bare write and sync of it "
            f"{self.bare_sync_ms:.2f} ms",
        ]


def frames_of_a_command() -> list[Frame]:
    return [
        Frame(FRAME_RECORD, bytes(RECORD_BYTES)),
        Frame(FRAME_OPENINGS, bytes(40)),
        Frame(FRAME_HEAD, bytes(104)),
    ]


def floor(folder: Path, appends: int, seconds: float) -> float:
    """Appends a second if `appends` of them are one write and one sync, over and over, laid out
    ahead as the store does."""
    addition = encode_addition(frames_of_a_command(), new_file=False)
    data = batch_bytes(bytes(8), 1, [entry_bytes("game-00", 0, addition.data)] * appends)
    fd = os.open(folder / "floor", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.write(fd, bytes(SEGMENT_BYTES))
        os.fsync(fd)
        count = at = 0
        started = time.perf_counter()
        while time.perf_counter() - started < seconds:
            os.pwrite(fd, data, at)
            os.fdatasync(fd)
            at = at + len(data) if at + 2 * len(data) < SEGMENT_BYTES else 0
            count += appends
        return count / (time.perf_counter() - started)
    finally:
        os.close(fd)


async def measure(folder: Path, seconds: float = SECONDS) -> Figures:
    """Take the figures in an empty folder."""
    waits: list[float] = []
    async with open_store(folder / "data") as store:
        ends = False

        async def play(game: str) -> None:
            await store.create(game, frames_of_a_command())
            records = 1
            while not ends:
                before = time.perf_counter()
                await store.append(game, records, frames_of_a_command())
                waits.append(time.perf_counter() - before)
                records += 1

        async with trio.open_nursery() as nursery:
            for index in range(TASKS):
                nursery.start_soon(play, f"game-{index:02}")
            started = time.perf_counter()
            await trio.sleep(seconds)
            ends = True
        appends = len(waits) / (time.perf_counter() - started)
        health = store.health()
        waits.sort()
        await store.create("lone", frames_of_a_command())
        lone: list[float] = []
        for number in range(1, 500):
            before = time.perf_counter()
            await store.append("lone", number, frames_of_a_command())
            lone.append(time.perf_counter() - before)
        lone.sort()
    a_sync = health.appends / health.syncs
    return Figures(
        appends=appends,
        floor=floor(folder, TASKS, seconds / 2),
        p50_ms=waits[len(waits) // 2] * 1000,
        p99_ms=waits[len(waits) * 99 // 100] * 1000,
        a_sync=a_sync,
        lone_ms=lone[len(lone) // 2] * 1000,
        bare_sync_ms=1000 / floor(folder, 1, seconds / 6),
    )


def main() -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd()
    with tempfile.TemporaryDirectory(dir=place, prefix="store-bench-") as folder:
        print("\n".join(trio.run(measure, Path(folder)).lines()))


if __name__ == "__main__":
    main()
