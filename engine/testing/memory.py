"""A store in memory, for tests and tools: the same contract as the server's store, durable as long
as the process.

Rules of this file:
- Whatever another backend refuses is refused here with the same error, so that nothing passes on
  this store alone.
"""

import threading
from collections.abc import AsyncGenerator, Container, Sequence

import trio
from attrs import define, field

from warledger.engine.store.files.gamefile import Followed, encode_addition
from warledger.engine.store.port import (
    FRAME_RECORD,
    Conflict,
    Frame,
    GameExists,
    StoreClosed,
    StoreHealth,
    UnknownGame,
    check_after,
    check_game_id,
)


@define
class _Game:
    frames: list[Frame] = field(factory=list)
    records_at: list[int] = field(factory=list)

    def add(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            if frame.kind == FRAME_RECORD:
                self.records_at.append(len(self.frames))
            self.frames.append(frame)


class MemoryStore:
    """See `port.Store`."""

    def __init__(self) -> None:
        self._games: dict[str, _Game] = {}
        self._lock = threading.Lock()
        self._followed = Followed()
        self._closed = False
        self._appends = 0
        self._checkpoints = 0

    async def create(self, game: str, frames: Sequence[Frame]) -> None:
        check_game_id(game)
        encode_addition(frames, new_file=True)
        await trio.lowlevel.checkpoint()
        self._check_open()
        if game in self._games:
            raise GameExists(game)
        kept = _Game()
        kept.add(frames)
        with self._lock:
            self._games[game] = kept
            self._appends += 1

    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        encode_addition(frames, new_file=False)
        kept = self._get(game)
        await trio.lowlevel.checkpoint()
        self._check_open()
        if len(kept.records_at) != expected_records:
            raise Conflict(game, expected_records, len(kept.records_at))
        with self._lock:
            kept.add(frames)
            self._appends += 1
        self._followed.grew((game,))

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        check_after(after_records)
        kept = self._get(game)
        with self._lock:
            if after_records >= len(kept.records_at) and after_records > 0:
                return []
            start = kept.records_at[after_records] if after_records > 0 else 0
            end = len(kept.records_at) if records_max is None else after_records + records_max
            return kept.frames[start : kept.records_at[end] if end < len(kept.records_at) else None]

    def follow(self, game: str, after_records: int = 0) -> AsyncGenerator[list[Frame], None]:
        async def read(game: str, after: int) -> list[Frame]:
            await trio.lowlevel.checkpoint()
            return self.read(game, after)

        return self._followed.follow(read, game, after_records)

    async def claim(self, game: str, dead: Container[str] = ()) -> bool:
        self._get(game)
        return True

    async def release(self, game: str) -> bool:
        self._get(game)
        return True

    def keeps(self, game: str) -> bool:
        return game in self._games

    def games(self) -> list[str]:
        with self._lock:
            return sorted(self._games)

    def length(self, game: str) -> int:
        kept = self._games.get(game)
        return 0 if kept is None else sum(1 + len(frame.payload) for frame in kept.frames)

    async def checkpoint(self) -> None:
        await trio.lowlevel.checkpoint()
        self._check_open()
        self._checkpoints += 1

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()
        self._closed = True

    def health(self) -> StoreHealth:
        return StoreHealth(
            ok=True, games=len(self._games), appends=self._appends, checkpoints=self._checkpoints
        )

    def _get(self, game: str) -> _Game:
        kept = self._games.get(game)
        if kept is None:
            raise UnknownGame(game)
        return kept

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed; nothing was saved")
