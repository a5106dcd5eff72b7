"""A worker process of a server: `python -m engine.serve.worker FD`, started by the front, with a line to it as that file.

It listens nowhere: the front hands it sockets. It ends when the front says so, or at once when the front is gone.
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

from engine.runtime import heap
from engine.serve import logs, timekeeping
from engine.serve.app import inside, make_hub, new_signer, stop_gracefully, system, tell_damage, tune, why_unsafe
from engine.serve.config import BadConfig
from engine.serve.line import Line, LineBroken
from engine.serve.workers import UNSAFE, Own, Spec, Worker
from engine.store.port import StoreError
from engine.store.shards import open_shards


async def work(end: socket.socket) -> int:
    """Serve this process's games until told to stop. Returns the exit code."""
    to_front = Line(end)
    code = 0
    with suppress(LineBroken):  # a front that is gone before it has begun has nothing to be told
        packet, _ = await to_front.receive()
        spec: Spec = pickle.loads(packet[1])
        try:
            code = await _work(to_front, spec)
        except* (BadConfig, StoreError, OSError) as group:
            code = UNSAFE
            await to_front.send(("failed", "; ".join(str(error) for error in group.exceptions)))
    return code


async def _work(to_front: Line, spec: Spec) -> int:
    tune()
    log = logs.logger(spec.config.log_level).bind(worker=spec.number)
    world = system(spec.config, log)
    stop = trio.Event()
    async with open_shards(spec.config.data, spec.number, spec.config.workers) as store:
        tell_damage(store, log)
        hub = make_hub(store, spec.offer(), world, new_signer(spec.config, world), spec.host_digest, spec.config, log)
        with heap.steady():
            async with trio.open_nursery() as nursery:
                admit = await inside(hub, spec.config, nursery)
                worker = hub.peers = Worker(Own(hub, admit), spec.number)
                nursery.start_soon(partial(timekeeping.keep, world.clock, spec.config.data, log, writes=False))
                nursery.start_soon(_to_the_front, worker, to_front, nursery, stop)
                await stop.wait()
                await stop_gracefully(hub, spec.config.stop_seconds)
                nursery.cancel_scope.cancel()
    why = why_unsafe(store)
    if why:
        log.error("stopped, and not every game is safe", why=why)
    return UNSAFE if why else 0


async def _to_the_front(worker: Worker, to_front: Line, nursery: trio.Nursery, stop: trio.Event) -> None:
    try:
        await worker.run(to_front, nursery.start_soon, stop)
    except LineBroken:
        # The front was killed. What was acknowledged is on the disk; what was not must not be acknowledged by half a server.
        os._exit(1)


def main() -> None:
    """The process."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # they come to the front, too, and it says what to do
    sys.exit(trio.run(work, socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
