"""Packs the files of games that are over, while the server runs.

Rules of this file:
- A game is packed once its last record, after which none can follow, is old enough: at first it is
  looked at most. What is still written beside it (signatures of those who have seen the end) would
  unpack it.
- Nothing waits for it: of a core it takes one part in ten.
- A game that is still in memory, damaged or held is left alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import trio
from attrs import frozen

from warledger.engine.store.files.disk import Disk
from warledger.engine.store.files.gamefile import GameFiles, path_of
from warledger.engine.store.files.packed import pack
from warledger.engine.store.port import Damaged
from warledger.protocol.log import bodies, records
from warledger.protocol.log.records import CorruptLog

SHARE: Final = 10
"""One part in so many of the time goes into it."""


@frozen
class Packing:
    """When games are packed: so many milliseconds after their last record, by the time that
    `now_ms` tells; looked for every so many seconds. `told` hears of each game that was packed, and
    how many bytes that saved; `failed` of an error of the disk."""

    after_ms: int
    now_ms: Callable[[], int]
    told: Callable[[str, int], object]
    failed: Callable[[OSError], object]
    every_seconds: float = 600.0

    async def forever(self, files: GameFiles, pack: Callable[[str, int], Awaitable[int]]) -> None:
        """Until cancelled. `pack` packs a game that was over by then, and says what that saved."""
        while True:
            await trio.sleep(self.every_seconds)
            try:
                for game in files.games():
                    began = trio.current_time()
                    saved = await pack(game, self.now_ms() - self.after_ms)
                    if saved:
                        self.told(game, saved)
                    await trio.sleep((SHARE - 1) * (trio.current_time() - began))
            except OSError as error:
                self.failed(error)


def pack_if_over(disk: Disk, files: GameFiles, game: str, by_ms: float) -> int:
    """Pack a game's file if all of it is there, and its last record, after which none can follow,
    was written by then. Returns how many bytes that saved. Raises OSError."""
    file, path = files.get(game), path_of(game)
    if file.chunks or file.damage or file.held or not disk.exists(path):
        return 0
    with suppress(Damaged, CorruptLog):
        files.load(game)
        frames = files.read(game, max(file.records - 1, 0))
        last = records.read(frames[0].payload if frames else b"", trusted=True)
        if bodies.closes_log(last) and last.at_ms <= by_ms:
            return pack(disk, path)
    return 0
