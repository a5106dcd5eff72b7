"""TCP links that can be cut, half cut, slowed and broken, in a process of their own so that neither
the tests' work nor the fleet's slows them.

    python -m tests.chaos.proxy

Lines of JSON come in. The first says {NAME: [PORT, TARGET]} and is answered by `ready`; each
further one [NAME, FORTH, BACK] how a link is from now on each way: 0 passes, seconds above 0 delay,
-1 holds everything until it may pass; or [NAME, "break"] ends its connections. The process ends
with its input, so it never outlives whoever started it.
"""

from __future__ import annotations

import json
import math
import sys
from contextlib import suppress
from functools import partial
from typing import Any

import trio
from attrs import define, field

CHUNKS = 64
"""How many chunks of 64 KiB may be on their way: as much as buffers on a real way would take."""


@define(eq=False)
class Way:
    """One direction of a link."""

    seconds: float = 0.0
    changed: trio.Event = field(factory=trio.Event)

    def set(self, seconds: float) -> None:
        """How it is from now on."""
        self.seconds = seconds
        self.changed.set()
        self.changed = trio.Event()

    async def passed(self) -> None:
        """Wait until the way is open."""
        while self.seconds < 0:
            await self.changed.wait()


@define(eq=False)
class Link:
    """One link with its connections."""

    target: int
    forth: Way = field(factory=Way)
    back: Way = field(factory=Way)
    scopes: set[trio.CancelScope] = field(factory=set)

    async def carry(self, near: trio.SocketStream) -> None:
        """Carry one connection, until either end has ended or it is broken."""
        with trio.CancelScope() as scope, suppress(OSError, trio.BrokenResourceError):
            self.scopes.add(scope)
            try:
                await self.forth.passed()
                far = await trio.open_tcp_stream("127.0.0.1", self.target)
                async with near, far, trio.open_nursery() as nursery:
                    over = partial(self._way, nursery.cancel_scope)
                    nursery.start_soon(over, near, far, self.forth)
                    nursery.start_soon(over, far, near, self.back)
            except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            finally:
                self.scopes.discard(scope)
                near.socket.close()

    async def _way(
        self, scope: trio.CancelScope, source: trio.SocketStream, sink: trio.SocketStream, way: Way
    ) -> None:
        into, out = trio.open_memory_channel[tuple[float, bytes]](CHUNKS)

        async def read() -> None:
            while data := await source.receive_some(65536):
                await into.send((trio.current_time() + max(0.0, way.seconds), bytes(data)))
            await into.send((-math.inf, b""))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            async for due, data in out:
                await trio.sleep_until(max(due, trio.current_time()))
                await way.passed()
                if not data:
                    break
                await sink.send_all(data)
            scope.cancel()


async def main() -> None:
    """Until the input ends."""
    lines = _lines()
    links: dict[str, Link] = {}
    async with trio.open_nursery() as nursery:
        for name, (port, target) in json.loads(await anext(lines)).items():
            link = links[name] = Link(target)
            listening = await trio.open_tcp_listeners(port, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, link.carry, listening)
        print("ready", flush=True)
        async for line in lines:
            match json.loads(line):
                case [str(name), "break"]:
                    for scope in list(links[name].scopes):
                        scope.cancel()
                case [str(name), forth, back]:
                    links[name].forth.set(forth)
                    links[name].back.set(back)
        nursery.cancel_scope.cancel()


async def _lines() -> Any:
    read = partial(trio.to_thread.run_sync, sys.stdin.readline, abandon_on_cancel=True)
    while line := await read():
        yield line


if __name__ == "__main__":
    trio.run(main)
