"""A process that holds itself for a game's owner whatever anybody says, and appends to it again
and again: nothing but the fence is between it and another of its kind.

    python -m tests.chaos.rival NAME STORE KEYS GAME

For each append that was acknowledged it prints a line: the record's number and hash. Whenever it
lost the game it prints `fenced` and how many of its appends the engine has refused so far since
another stood in their place. The process ends with its input.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from pathlib import Path

import trio

from tests.chaos.machines import SHARDS
from warledger.engine.store.fleet import fleetadmin
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.keyring import read_ring
from warledger.engine.store.fleet.sharedstore import open_jetstream
from warledger.engine.store.port import FRAME_RECORD, Fenced, Frame
from warledger.protocol.log.records import SEAT, hash_of, make


class Everybody:
    """Holds everybody for dead."""

    def __contains__(self, _: object) -> bool:
        return True


def _hear() -> None:
    sys.stdin.read()
    os._exit(0)


async def fight(store: JetStreamStore, name: str, game: str) -> None:
    """Claim and append for ever."""
    lost = 0
    chance = random.Random(name)
    while True:
        await store.claim(game, Everybody())
        frames = await trio.to_thread.run_sync(store.read, game)
        records = [one.payload for one in frames if one.kind == FRAME_RECORD]
        count, last = len(records), hash_of(records[-1])
        try:
            while True:
                made = make(count, count, name, SEAT, (f"{name} {count} {lost}",), last)
                await store.append(game, count, [Frame(FRAME_RECORD, made.data)])
                print(count, made.hash.hex(), flush=True)
                count, last = count + 1, made.hash
                # A claim stands behind what its author has read, which nobody can who is slower
                # than another that never pauses.
                if not count % 10:
                    await trio.sleep(chance.uniform(0, 0.1))
        except Fenced:
            lost += 1
            print("fenced", store.settling.fenced, flush=True)


async def main() -> None:
    """Until the input ends."""
    name, url, keys, game = sys.argv[1:]
    where = fleetadmin.Where.of(url, keys=Path(keys))
    ring = read_ring(Path(keys))
    async with open_jetstream(where.settings(), ring.data_keys, shards=SHARDS, name=name) as store:
        await fight(store, name, game)


if __name__ == "__main__":
    threading.Thread(target=_hear, daemon=True).start()
    trio.run(main)
