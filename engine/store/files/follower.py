"""How a game of a store in this process is followed: what it gains is read again from the store.

An append costs nothing more for it as long as nobody follows.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

import trio
from attrs import define, field

from warledger.engine.store.port import FRAME_RECORD, Frame

Read = Callable[[str, int], Awaitable[list[Frame]]]
"""Reads a game's durable frames from the record with this index on, as `Store.read` does."""


def cut(frames: list[Frame], first: int, after: int, most: int | None = None) -> list[Frame]:
    """Of frames that begin with record `first`: those from record `after` on (all of them for 0),
    with what stands beside `most` records."""
    at = [index for index, frame in enumerate(frames) if frame.kind == FRAME_RECORD]
    if after and after - first >= len(at):
        return []
    start = at[after - first] if after else 0
    end = len(at) if most is None else after - first + most
    return frames[start : at[end] if end < len(at) else None]


@define(eq=False)
class Followed:
    """The games of a store that somebody waits for."""

    _waited_for: dict[str, trio.Event] = field(factory=dict)

    def __bool__(self) -> bool:
        return bool(self._waited_for)

    def grew(self, games: Iterable[str]) -> None:
        """Something was made durable in these games."""
        for game in games:
            event = self._waited_for.pop(game, None)
            if event is not None:
                event.set()

    async def follow(
        self, read: Read, game: str, after_records: int
    ) -> AsyncGenerator[list[Frame], None]:
        """See `port.Store.follow`."""
        news = self._news_of(game)
        found = await read(game, 0)
        records, beside = _end(found)
        first = cut(found, 0, after_records)
        if first:
            yield first
        while True:
            await news.wait()
            news = self._news_of(game)
            # From the last record that was seen on, since something may be added beside it.
            found = (await read(game, records - 1))[1 + beside :]
            if found:
                new_records, new_beside = _end(found)
                beside = new_beside if new_records else beside + len(found)
                records += new_records
                yield found

    def _news_of(self, game: str) -> trio.Event:
        return self._waited_for.setdefault(game, trio.Event())


def _end(frames: list[Frame]) -> tuple[int, int]:
    """How many records there are, and how many frames stand behind the last of them."""
    at = [index for index, frame in enumerate(frames) if frame.kind == FRAME_RECORD]
    return len(at), len(frames) - at[-1] - 1 if at else len(frames)
