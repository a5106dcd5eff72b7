"""Edges: servers that show a fleet's games to spectators, with the rights of spectators."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio
from attrs import frozen

from tests.serve.rig import gapless, sit_down
from tests.serve.test_sockets import client_of
from warledger.engine.store.port import FRAME_RECORD
from warledger.protocol import messages as m

from .test_nodes import Engine, engine, frames_of, moved, new_game

__all__ = ["engine"]

PROGRAM = """
import json, sys
from functools import partial
from pathlib import Path
import trio
from warledger.engine.serve.app import serve
from warledger.engine.serve.config import Config
from tests.serve.rig import offer
async def main():
    async with trio.open_nursery() as nursery:
        config = Config(Path(sys.argv[1]), port=int(sys.argv[4]), http=("127.0.0.1", 0),
                        log_level="error", edge=sys.argv[2], keys=Path(sys.argv[3]),
                        nodes="https://play.example.org")
        up = await nursery.start(partial(serve, config, offer=offer))
        print(json.dumps([up.port, up.web[0][1]]), flush=True)
trio.run(main)
"""


@frozen
class Edge:
    """An edge in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    web: int


@contextmanager
def edge(at: Engine, data: Path, port: int = 0) -> Iterator[Edge]:
    """An edge of the fleet."""
    program = [sys.executable, "-c", PROGRAM, str(data), at.url, str(at.keys), str(port)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Edge(process, *json.loads(process.stdout.readline()))
        finally:
            process.kill()


async def test_an_edge_shows_a_game_across_a_takeover(engine: Engine, tmp_path: Path) -> None:
    """Whoever watches at an edge, from the beginning or late, keeps the connection and sees one
    unbroken chain while the game's owner is killed; what a player would ask is answered with where
    to play."""
    with engine.nodes(tmp_path / "a", tmp_path / "b") as (a, b), edge(engine, tmp_path / "e") as e:
        with trio.fail_after(60):
            game, given = await new_game(a)
            player = await client_of(b, given["a"])
            assert type(await player.ask(m.Login, given["b"], "")) is m.LoggedIn
            await sit_down(player, game)
            watcher, late = await client_of(e), await client_of(e)
            while True:
                answer = await watcher.ask(m.Subscribe, game, -1, "public")
                if type(answer) is m.Subscribed:
                    break
            for step in range(6):
                await moved(player, game, step)
            a.process.kill()
            for step in range(6, 14):
                await moved(player, game, step)
            head = (await player.ask(m.Head, game)).head
            assert type(await late.ask(m.Subscribe, game, -1, "public")) is m.Subscribed
            seen = [await c.until((game, "public"), head.seq) for c in (watcher, late)]
            assert (await late.ask(m.Head, game)).head == head
    frames = await frames_of(engine, game)
    records = [payload for kind, payload in frames if kind == FRAME_RECORD]
    for log in seen:
        assert gapless(log)
        assert [data for _, data, _ in log] == records
