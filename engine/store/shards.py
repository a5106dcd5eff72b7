"""A data directory served by several processes: each has folders of its own in it, and each folder
is whole, with its own log.

Rules of this file:
- The main folder is shard 0; the others stand in `shards/N` and look like it. A game lives in one
  of them for good; nothing is moved.
- Of `workers` processes number k opens the shards N with N mod workers = k, so every game is served
  whatever number is started with.
- What reads a whole data directory (check, backup, export) goes through all of `folders`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Container, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import trio

from warledger.engine.store import datadir
from warledger.engine.store.disk import UNFINISHED
from warledger.engine.store.packing import Packing
from warledger.engine.store.port import (
    DataDirLocked,
    Frame,
    GameExists,
    Store,
    StoreHealth,
    UnknownGame,
)
from warledger.engine.store.wal import open_store

SHARDS: Final = "shards"
"""The folder of the other shards, in the main one."""
_NUMBER: Final = re.compile("[1-9][0-9]{0,3}")
LOCKED_TRIES: Final = 20
LOCKED_SECONDS: Final = 0.1
"""Seconds. If the lead of a server was killed, its workers release their shards a moment later, and
the next server waits this long for it."""


def folder_of(data: Path, shard: int) -> Path:
    """The folder of a shard."""
    return data if shard == 0 else data / SHARDS / str(shard)


def shards(data: Path) -> list[int]:
    """The shards of a data directory, the main one first. A shard that a server is only just making
    does not count yet."""
    try:
        found = [
            entry
            for entry in (data / SHARDS).iterdir()
            if _NUMBER.fullmatch(entry.name) and entry.is_dir() and _begun(entry)
        ]
    except (FileNotFoundError, NotADirectoryError):
        found = []
    return [0, *sorted(int(entry.name) for entry in found)]


def _begun(folder: Path) -> bool:
    return any(
        entry.name not in (datadir.LOCK, datadir.MARKER + UNFINISHED) for entry in folder.iterdir()
    )


def folders(data: Path) -> list[Path]:
    """The folders of all shards, the main one first."""
    return [folder_of(data, shard) for shard in shards(data)]


LEDGERS: Final = "tournaments"
"""The folder of the store that tournaments are kept in, in the main one: whole, as a shard is, and
no game is in it."""


def stores(data: Path) -> list[Path]:
    """The folders of everything that is kept as a store: all shards, then the tournaments."""
    found = data / LEDGERS
    return [*folders(data), *([found] if found.is_dir() and _begun(found) else [])]


def read_game(data: Path, game: str) -> list[Frame]:
    """A game's durable frames, whichever shard it is in; possible while a server is running.

    Raises UnknownGame, Damaged, DataDirError.
    """
    for folder in folders(data):
        files = datadir.open_readonly(folder)
        if game in files:
            return files.read(game)
    raise UnknownGame(game)


def all_games(data: Path) -> list[str]:
    """The ids of all games of a data directory, sorted. Raises DataDirError."""
    return sorted(
        game for folder in folders(data) for game in datadir.open_readonly(folder).games()
    )


@asynccontextmanager
async def open_shards(
    data: Path, worker: int = 0, workers: int = 1, packing: Packing | None = None
) -> AsyncIterator[Store]:
    """Open the shards that this process serves, as one store; new games go to its own shard. Games
    that are over are packed as `packing` says. Raises what `open_store` raises."""
    mine = [
        worker,
        *(shard for shard in shards(data) if shard % workers == worker and shard != worker),
    ]
    async with AsyncExitStack() as stack:
        opened = [
            await _open(stack, folder_of(data, shard), packing, patient=shard > 0) for shard in mine
        ]
        yield opened[0] if len(opened) == 1 else JoinedStores(opened)


async def _open(
    stack: AsyncExitStack, folder: Path, packing: Packing | None, *, patient: bool
) -> Store:
    for left in reversed(range(LOCKED_TRIES)):
        try:
            return await stack.enter_async_context(open_store(folder, packing=packing))
        except DataDirLocked:
            if not patient or not left:
                raise
            await trio.sleep(LOCKED_SECONDS)
    raise AssertionError("unreachable")


class JoinedStores:
    """Several stores as one; see `port.Store`. New games go to the first."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = tuple(stores)

    def _of(self, game: str) -> Store:
        for store in self._stores:
            if store.keeps(game):
                return store
        raise UnknownGame(game)

    async def create(self, game: str, frames: Sequence[Frame]) -> None:
        if any(store.keeps(game) for store in self._stores[1:]):
            raise GameExists(game)
        await self._stores[0].create(game, frames)

    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        await self._of(game).append(game, expected_records, frames)

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        return self._of(game).read(game, after_records, records_max)

    def follow(self, game: str, after_records: int = 0) -> AsyncGenerator[list[Frame], None]:
        return self._of(game).follow(game, after_records)

    async def claim(self, game: str, dead: Container[str] = ()) -> bool:
        return await self._of(game).claim(game, dead)

    async def release(self, game: str) -> bool:
        return await self._of(game).release(game)

    def keeps(self, game: str) -> bool:
        return any(store.keeps(game) for store in self._stores)

    def games(self) -> list[str]:
        return sorted(game for store in self._stores for game in store.games())

    def length(self, game: str) -> int:
        return next((store.length(game) for store in self._stores if store.keeps(game)), 0)

    async def checkpoint(self) -> None:
        for store in self._stores:
            await store.checkpoint()

    async def aclose(self) -> None:
        for store in self._stores:
            await store.aclose()

    def health(self) -> StoreHealth:
        found = [store.health() for store in self._stores]
        return StoreHealth(
            ok=all(health.ok for health in found),
            reason="; ".join(health.reason for health in found if health.reason),
            games=sum(health.games for health in found),
            waiting=sum(health.waiting for health in found),
            log_bytes=sum(health.log_bytes for health in found),
            appends=sum(health.appends for health in found),
            syncs=sum(health.syncs for health in found),
            checkpoints=sum(health.checkpoints for health in found),
            damaged=tuple(sorted(game for health in found for game in health.damaged)),
            held=tuple(sorted(game for health in found for game in health.held)),
        )
