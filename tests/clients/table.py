"""A server in memory with War at Sea on it, and links to it whose connections can be made to
break."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import trio
import trio.testing

from tests.serve.rig import HOST_TOKEN, Server, server
from warledger.clients.link import Link, linked
from warledger.engine.runtime.titles import Title, installed

TITLE = "war_at_sea"
SEATS = ("allied", "axis")


@cache
def title(name: str = TITLE) -> Title:
    """A title as installed."""
    return installed()[name]


class Breaking(trio.abc.Stream):
    """A stream that breaks once a number of bytes has been received over it; with `quietly` it ends
    there, as if the peer had closed it."""

    def __init__(self, inner: trio.abc.Stream, bytes_max: int, *, quietly: bool = False) -> None:
        self._inner = inner
        self._left = bytes_max
        self._quietly = quietly

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """What the inner stream receives, until it breaks, perhaps in the middle of a message."""
        if self._left <= 0:
            await self._inner.aclose()
            if self._quietly:
                return b""
            raise trio.BrokenResourceError("broken by the test")
        data = bytes(await self._inner.receive_some(min(self._left, max_bytes or 65536)))
        self._left -= len(data)
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """As the inner stream."""
        await self._inner.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """As the inner stream."""
        await self._inner.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """As the inner stream."""
        await self._inner.aclose()


@asynccontextmanager
async def table(
    options: dict[str, Any] | None = None, name: str = TITLE, clock: dict[str, Any] | None = None
) -> AsyncIterator[tuple[Server, str, dict[str, str]]]:
    """A server with an open game of a title: the server, the game's id and its tokens by seat."""
    async with server(titles={name: title(name)}) as serving:
        async with link(serving, token=HOST_TOKEN) as host:
            created = await host.create(name, options, clock=clock)
        yield serving, created.game, dict(created.tokens)


@asynccontextmanager
async def link(
    serving: Server,
    *,
    token: str = "",
    name: str = "",
    breaks_after: int = 0,
    receipts: Path | None = None,
) -> AsyncIterator[Link]:
    """A link to the server. With `breaks_after` each of its connections breaks after that number
    of bytes, growing from one to the next so that a genesis gets through at last."""
    dialled = 0

    async def dial() -> trio.abc.Stream:
        nonlocal dialled
        dialled += 1
        stream = serving.pipe()
        return Breaking(stream, breaks_after * dialled) if breaks_after else stream

    async with linked(dial, token=token, name=name, receipts=receipts) as made:
        yield made
