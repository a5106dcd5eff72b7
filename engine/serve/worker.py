"""A worker process of a server: `python -m warledger.engine.serve.worker FD`, started by the lead,
with one end of a line to the lead as file FD.

It does not listen: the lead hands it sockets. It ends when the lead says so, or at once if the lead
is gone.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import sys
from contextlib import suppress
from functools import partial

import trio

from warledger.engine.runtime import heap
from warledger.engine.runtime.snapshots import Snapshots
from warledger.engine.serve import keys, logs, timekeeping
from warledger.engine.serve.app import (
    inside,
    make_hub,
    new_signer,
    packing_of,
    stop_gracefully,
    system,
    tell_damage,
    tune,
    why_unsafe,
)
from warledger.engine.serve.config import BadConfig
from warledger.engine.serve.line import Line, LineBroken
from warledger.engine.serve.workers import UNSAFE, Own, Spec, Worker
from warledger.engine.store.disk import RealDisk
from warledger.engine.store.port import StoreError
from warledger.engine.store.shards import open_shards


async def work(end: socket.socket) -> int:
    """Serve this process's games until told to stop. Returns the exit code."""
    to_lead = Line(end)
    code = 0
    with suppress(LineBroken):  # a lead that has gone already does not wait for an answer
        packet, _ = await to_lead.receive()
        spec: Spec = pickle.loads(packet[1])
        try:
            code = await _work(to_lead, spec)
        except* (BadConfig, StoreError, OSError) as group:
            code = UNSAFE
            await to_lead.send(("failed", "; ".join(str(error) for error in group.exceptions)))
    return code


async def _work(to_lead: Line, spec: Spec) -> int:
    tune()
    log = logs.logger(spec.config.log_level).bind(worker=spec.number)
    world = system(spec.config, log)
    stop = trio.Event()
    packing = packing_of(spec.config, world, log)
    async with open_shards(spec.config.data, spec.number, spec.config.workers, packing) as store:
        tell_damage(store, log)
        hub = make_hub(
            store,
            spec.offer(),
            world,
            new_signer(spec.config, world),
            spec.host_digest,
            spec.config,
            log,
            timekeeping.FilePulse(spec.config.data, f"{timekeeping.ALIVE}.{spec.number}"),
            spec.number,
            Snapshots(RealDisk(spec.config.data)),
            giver=keys.giver(spec.config.data),
        )
        with heap.steady():
            async with trio.open_nursery() as nursery:
                admit = await inside(hub, spec.config, nursery)
                worker = hub.peers = Worker(Own(hub, admit), spec.number)
                nursery.start_soon(
                    partial(timekeeping.keep, world.clock, spec.config.data, log, writes=False)
                )
                nursery.start_soon(_to_the_lead, worker, to_lead, nursery, stop)
                await stop.wait()
                await stop_gracefully(hub, spec.config.stop_seconds)
                nursery.cancel_scope.cancel()
    why = why_unsafe(store)
    if why:
        log.error("stopped, and not every game is safe", why=why)
    return UNSAFE if why else 0


async def _to_the_lead(
    worker: Worker, to_lead: Line, nursery: trio.Nursery, stop: trio.Event
) -> None:
    try:
        await worker.run(to_lead, nursery.start_soon, stop)
    except LineBroken:
        # The lead was killed. What was acknowledged is on the disk; what was not must not be
        # acknowledged by half a server.
        os._exit(1)


def main() -> None:
    """The process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the lead gets them, too, and says what to do
    sys.exit(trio.run(work, socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
