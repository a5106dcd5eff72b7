"""Between a client and its node in one process: what a socket with room in it is to both, for a
fraction of a memory stream's steps, since a run consists of little else.

What is sent is there at once, and who has something to read does not wait for it; only what is not
there yet is waited for.
"""

from __future__ import annotations

from typing import Any

import trio
from attrs import define, field

from tests.simulate.reaching import Connection, Killed


@define(eq=False)
class _Way:
    """One direction."""

    data: bytearray = field(factory=bytearray)
    is_over: bool = False
    is_deaf: bool = False
    _waits: trio.lowlevel.Task | None = None

    def put(self, data: Any) -> None:
        """Raises BrokenResourceError if nobody will ever read it, ClosedResourceError if its
        writer has ended it."""
        if self.is_over:
            raise trio.ClosedResourceError
        if self.is_deaf:
            raise trio.BrokenResourceError
        self.data += data
        self._wake()

    def end(self) -> None:
        """Nothing comes any more."""
        self.is_over = True
        self._wake()

    def deafen(self) -> None:
        """Nobody reads any more."""
        self.is_deaf = True
        self._wake()

    def _wake(self) -> None:
        if self._waits is not None:
            trio.lowlevel.reschedule(self._waits)
            self._waits = None

    async def take(self) -> bytes:
        """What has come, once something has; b"" at the end. Raises ClosedResourceError."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while not (self.data or self.is_over or self.is_deaf):
            if self._waits is not None:
                raise trio.BusyResourceError("two read at once")
            self._waits = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._cancelled)
        if self.is_deaf:
            raise trio.ClosedResourceError
        data = bytes(self.data)
        self.data.clear()
        return data

    def _cancelled(self, _: object) -> trio.lowlevel.Abort:
        self._waits = None
        return trio.lowlevel.Abort.SUCCEEDED


@define(eq=False)
class Near:
    """The node's end, as its sockets are."""

    _out: _Way
    _come: _Way
    peer: str = "memory"

    def send_now(self, data: bytes) -> int:
        self._out.put(data)
        return len(data)

    async def send_all(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        self._out.put(data)

    async def receive(self) -> bytes:
        return await self._come.take()

    async def aclose(self) -> None:
        self._out.end()
        self._come.deafen()
        await trio.lowlevel.checkpoint()


@define(eq=False)
class Wire(trio.abc.Stream):
    """The client's end: nothing passes while the node is stopped, nor once it is dead."""

    _out: _Way
    _come: _Way
    node: Connection

    async def _passes(self) -> None:
        if self.node.is_stopped or self.node.is_dead:
            try:
                await self.node.awake()
            except Killed:
                raise trio.BrokenResourceError from None

    async def send_all(self, data: Any) -> None:
        await self._passes()
        await trio.lowlevel.checkpoint_if_cancelled()
        self._out.put(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._passes()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        data = await self._come.take()
        await self._passes()
        return data

    async def aclose(self) -> None:
        self._out.end()
        self._come.deafen()
        await trio.lowlevel.checkpoint()


def wired(node: Connection) -> tuple[Wire, Near]:
    """A connection to a node: the client's end and the node's."""
    forth, back = _Way(), _Way()
    return Wire(forth, back, node), Near(back, forth)


__all__ = ["Near", "Wire", "wired"]
