"""What snapshots save: a long game that nobody has in memory, with and without them.

    python -m ops.bench.snapshots [--title typhoon] [--records 50000] [--looks 12]

The game is random, with takebacks by consent to far behind; each figure is a median of `--looks`.
The floor is to read every record of the game: SHA-256 and msgpack.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import msgpack
import trio

from ops.bench.figures import show
from ops.bench.recorded import title_named
from warledger.engine.kernel import door
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import PLAYING
from warledger.engine.runtime.snapshots import snapshotloads
from warledger.engine.runtime.snapshots.snapshotloads import Source
from warledger.engine.runtime.snapshots.snapshots import Snapshots, code_of
from warledger.engine.runtime.titles import Title
from warledger.engine.store.files.disk import RealDisk
from warledger.engine.store.files.wal import open_store
from warledger.engine.store.port import FRAME_RECORD, Frame
from warledger.engine.testing.randomgames import Played, play_on
from warledger.engine.testing.randomgames import play as play_whole
from warledger.protocol.audience import PUBLIC
from warledger.protocol.limits import LINKS_MAX

GAME = "long"
STRETCH = 220
"""How many commands lie between two takebacks by consent, and how far those go back at most."""


def long_game(title: Title, records: int, seed: int = 1) -> Played:
    """A random game of `records` records that is still in progress."""
    rng = random.Random(seed)
    played = play_whole(
        title.rules, title.pack, seed, commands=STRETCH, requests=0.1, links=LINKS_MAX
    )
    begun = played.positions.copy()
    while len(played.records) < records:
        play_on(played, rng, commands=STRETCH, requests=0.1)
        while not _back(played, begun):
            play_on(played, rng, commands=1)
        for seq in [seq for seq in played.positions if seq not in begun]:
            del played.positions[seq]  # thousands of positions of memory
    return played


def _back(played: Played, begun: dict[int, Any]) -> bool:
    """Go back, by consent, to one of the positions with which the game began."""
    if played.position.stage != PLAYING:
        raise SystemExit("the game has ended: choose one that is longer")
    seat = played.position.open[0][0]
    to = next(seq for seq in reversed(begun) if begun[seq].opened(seat) is not None)
    asked = played.take_back(seat, to)
    if not isinstance(asked, Batch):
        return False
    played.commit(asked)
    for other in played.ledger.rules.seats:
        if other != seat and played.position.ask is not None:
            played.commit(played.answer(other, True))
    return True


async def stored(data: Path, played: Played) -> None:
    """Put a game into a data directory."""
    frames: list[Frame] = played.frames()
    async with open_store(data) as store:
        await store.create(GAME, frames[:2])
        count = 1
        for at in range(2, len(frames), 2000):
            some = frames[at : at + 2000]
            await store.append(GAME, count, some)
            count += sum(frame.kind == FRAME_RECORD for frame in some)


def spent(call: Callable[[], Any]) -> float:
    """Milliseconds of one call."""
    began = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began)


async def bench(title: Title, records: int, looks: int) -> dict[str, dict[str, float]]:
    """All figures."""
    played = long_game(title, records)
    last = len(played.records) - 1
    rng = random.Random(2)
    somewhere = [rng.randrange(1, last) for _ in range(looks)]
    figures: dict[str, dict[str, float]] = {"game": {"records": float(last + 1)}}
    datas = [record.data for record in played.records]

    def bare() -> None:
        for data in datas:
            hashlib.sha256(data).digest()
            msgpack.unpackb(data, use_list=False, raw=False)

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        await stored(data, played)
        code = code_of(title.digest)

        def source(store: Any, beside: Snapshots | None) -> Source:
            return Source(store, GAME, beside, code)

        def first_choices(store: Any, beside: Snapshots | None) -> None:
            profile = snapshotloads.profile(Source(store, GAME, beside), lambda _: code, 0)
            found = source(store, beside)
            live = snapshotloads.load(title.rules, found, profile.keys)
            for seat, *_ in live.position.open:
                door.choices(title.rules, live.position, seat)
            if found.due:
                books = snapshotloads.books_of(live, profile, found.passed)
                last = live.ledger.last
                snapshotloads.keep(found, live.start, found.due, (last.seq, last.hash, books))

        for name, beside in (("folded whole", None), ("snapshots", Snapshots(RealDisk(data)))):
            found = figures[name] = {}
            async with open_store(data) as store:
                found["first visit, ms"] = spent(partial(first_choices, store, beside))
                found["first view, ms"] = spent(
                    lambda store=store, beside=beside: snapshotloads.view(
                        source(store, beside), PUBLIC, last
                    )
                )
            times: list[float] = []
            for _ in range(max(3, looks // 4)):
                async with open_store(data) as store:
                    times.append(spent(partial(first_choices, store, beside)))
            found["cold first choices, ms"] = median(times)
            async with open_store(data) as store:
                first_choices(store, beside)
                views = [
                    spent(partial(snapshotloads.view, source(store, beside), PUBLIC, seq))
                    for seq in somewhere
                ]
                positions = [
                    spent(
                        partial(
                            snapshotloads.position_after, title.rules, source(store, beside), seq
                        )
                    )
                    for seq in somewhere
                ]
            found["view of a record, ms"] = median(views)
            found["worst of them"] = max(views)
            found["position after one, ms"] = median(positions)
            found["worst of those"] = max(positions)
        figures["floor"] = {"hash and unpack it all, ms": spent(bare)}
        figures["on the disk"] = {
            "log, MB": sum(map(len, datas)) / 1e6,
            "snapshots, MB": sum(one.stat().st_size for one in (data / "cache").iterdir()) / 1e6,
        }
    return figures


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--title", default="typhoon")
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--looks", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    found = parser.parse_args()
    figures = trio.run(bench, title_named(found.title), found.records, found.looks)
    show(figures, machine=found.json)


if __name__ == "__main__":
    main()
