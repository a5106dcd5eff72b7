"""What lists cost a server that has very many games, in progress and over, and begins with the rows
that the last one kept (`lobby.cache`).

    python -m ops.bench.lists [--games 100000] [--pages 20]

One game in a hundred gathers, a half are being played, the rest is over. Those are copies of one
each, under ids of their own. Times are this process's share of a processor, in ms; games are in
memory, so that what the disk takes is not in them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

import trio

from ops.bench.figures import show
from tests.serve.rig import Server, server, started
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.games.lobbyindex import Row
from warledger.engine.testing.memory import MemoryStore
from warledger.protocol.wire import messages as m

STAGES: Final = ("", "gathering", "playing", "ended")
PAGE: Final = 100
"""Games on a page, as the lobby asks for them."""


async def fill(store: MemoryStore, folder: Path, games: int) -> None:
    """Let a server have so many games, and keep their rows."""
    async with server(store, data=folder) as up:
        playing, *_ = await started(up, turns=10)
        over, _, both = await started(up, turns=2)
        for seat in "abab":
            assert type(await both.submit(over, seat, "pass")) is m.Accepted
        shown, _ = await gamelists.listed(up.hub, gamelists.NOBODY, "", 2, "")
        told = {row["game"]: row for row in shown}
        assert {told[playing]["stage"], told[over]["stage"]} == {"playing", "ended"}
        rows = {}
        for number in range(games):
            if number % 100 == 50:
                made = await up.hub.supervisor.created("counting", {})
                assert not isinstance(made, Failed)
                continue
            kind, id = playing if number % 2 else over, f"g{number:09}"
            await store.create(id, store.read(kind))
            rows[id] = Row({**told[kind], "game": id}, store.length(id))
        up.hub.rows.keep(store, rows)
        await up.stop()


async def page(up: Server, stage: str, after: str) -> tuple[float, str]:
    """Milliseconds that a page takes, and the id behind which the next one begins."""
    begun = time.process_time()
    shown, more = await gamelists.listed(up.hub, gamelists.NOBODY, after, PAGE, stage)
    spent = (time.process_time() - begun) * 1000
    assert shown
    return spent, shown[-1]["game"] if more else ""


async def bench(games: int, pages: int) -> dict[str, dict[str, float]]:
    """All figures."""
    figures: dict[str, dict[str, float]] = {"games": {"in the store": float(games)}}
    store = MemoryStore()
    with tempfile.TemporaryDirectory() as folder:
        await fill(store, Path(folder), games)
        for stage in STAGES:
            async with server(store, data=Path(folder)) as up:
                found = figures[stage or "all"] = {}
                # A server does so as it starts.
                begun = time.process_time()
                up.hub.rows.doubtful(store)
                found["looking through the rows"] = (time.process_time() - begun) * 1000
                found["first page after a start"], after = await page(up, stage, "")
                times = []
                for _ in range(pages):
                    spent, after = await page(up, stage, after)
                    times.append(spent)
                found["a page"], found["worst of them"] = median(times), max(times)
    return figures


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    show(trio.run(bench, arguments.games, arguments.pages), machine=arguments.json)


if __name__ == "__main__":
    main()
