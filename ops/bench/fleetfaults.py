"""Rows of `ops.bench.fleet`: a stream's leader that is cut off, and an edge flat out."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import trio

from ops.bench.fleetsite import LIMITS, ROOT, Games, engine, leader
from ops.bench.recorded import record, title_named
from tests.chaos import machines
from tests.serve.offered import TITLES
from warledger.engine.runtime.watch.watchedgames import WatchedGame
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import Config
from warledger.engine.store.files.gamefile import encode_addition
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.cards import Card
from warledger.engine.store.fleet.jetstream import SHARDS
from warledger.engine.store.fleet.publicstream import BESIDE, RECORDS, public_subject
from warledger.engine.store.port import FRAME_HEAD, FRAME_RECORD, Frame
from warledger.protocol import canon
from warledger.protocol.log.chain import Signer
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import to_frame

CUT_SECONDS = 14.0
"""How long a leader is cut off: longer than it holds itself for the leader."""


async def cut(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The server that leads a game's stream is cut off from the others and not from its clients:
    how long games stand still."""
    with machines.standing(folder) as site:
        await site.made()
        for one in site.nodes[:2]:
            one.start()
        ports = [site.ports[f"node {number}"] for number in (0, 1)]
        games = Games(ports[1])
        async with fleetadmin.reached(site.where()) as js, trio.open_nursery() as nursery:
            await games.begin(ports[0], min(given.games, 20), nursery)
            number = await leader(js, next(iter(games.told)), machines.SHARDS)
            since = time.perf_counter()
            for name, _ in site.routes_of(number):
                site.set(name, -1, -1)
            await trio.sleep(CUT_SECONDS)
            site.mend()
            await trio.sleep(3)
            found = games.silences(since)
            nursery.cancel_scope.cancel()
    return {"cut_p50_s": median(found), "cut_worst_s": found[-1]}


async def flat(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """One game to many readers at an edge, as fast as it goes: records that stand in the public
    stream all at once, until every reader was sent the last. Beside it a loop sends the same
    records one after the other to the same sockets and does nothing else."""
    title = title_named("counting")
    options = {"turns": 4000, "epoch_turns": 100}
    async with engine(folder) as at, fleetadmin.reached(at.where()) as js:
        signer = Signer(at.ring.signing_key)
        genesis, _, _, batches = record(title, "flat", signer, given.flat, options)
        later = [made for batch in batches for made in batch.records]
        row = {"game": "flat", "title": "counting", "stage": "playing", "seq": 0, "at_ms": 0}
        row |= {"created_ms": 0, "deadline_ms": None, "seats": {}, "delay_s": 0}
        packed = Card(canon.ordered(row)).packed()
        await js.append("card.flat", packed, identity="", expected=None)
        subject = public_subject("flat", SHARDS)
        data, said = _message(signer, genesis, 0)
        await js.append(subject, data, identity="", expected=0, headers=said)
        config = Config(
            folder / "edge", port=0, limits=LIMITS, log_level="error", edge=at.url,
            keys=at.keys,
        )  # fmt: skip
        async with trio.open_nursery() as nursery:
            start = partial(serve, config, titles=TITLES, signals=False)
            serving: Serving = await nursery.start(start)
            listener = await trio.lowlevel.open_process(
                [sys.executable, "-m", "ops.bench.load", "listen", str(serving.port), "flat",
                 str(given.readers)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
            )  # fmt: skip
            assert listener.stdout is not None and listener.stdin is not None
            while b"ready" not in await listener.stdout.receive_some(100):
                pass
            game = await serving.hub.supervisor.game("flat")
            assert isinstance(game, WatchedGame)
            channel = game.channel("public")
            pipes: list[Any] = [cursor.out._pipe for cursor in channel.cursors.values()]
            assert len(pipes) == given.readers

            def left() -> bool:
                waits = any(cursor.out.waiting_bytes for cursor in channel.cursors.values())
                return waits or channel.next_seq <= later[-1].seq

            began = time.perf_counter()
            for number, one in enumerate(later, 1):
                data, said = _message(signer, one, number)
                js.engine.publish(subject, data, headers=said)
            while left():  # noqa: ASYNC110 - between two measurements
                await trio.sleep(0.002)
            took = time.perf_counter() - began
            frames = [
                to_frame(m.Records("flat", "public", one.seq, ((one.data, b""),))) for one in later
            ]
            began = time.perf_counter()
            for data in frames:
                for pipe in pipes:
                    while True:
                        try:
                            pipe._sock.send(data)
                        except BlockingIOError:
                            await trio.sleep(0.001)  # the readers are behind
                        else:
                            break
            bare = time.perf_counter() - began
            await listener.stdin.aclose()
            await listener.wait()
            nursery.cancel_scope.cancel()
    sent = len(later) * given.readers
    return {
        "readers": given.readers,
        "records": len(later),
        "edge_per_second": sent / took,
        "bare_per_second": sent / bare,
        "edge_to_bare": bare / took,
    }


def _message(signer: Signer, one: Any, number: int) -> tuple[bytes, dict[str, str]]:
    """A record with its head as its owner would write it into the public stream."""
    head = Frame(FRAME_HEAD, canon.pack(signer.head("flat", number, one.hash).as_array()))
    data = encode_addition([Frame(FRAME_RECORD, one.data), head], new_file=False).data
    return data, {RECORDS: str(number + 1), BESIDE: "1"}


__all__ = ["cut", "flat"]
