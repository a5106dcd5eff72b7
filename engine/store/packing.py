"""Packs the files of games that are over, while the server runs.

Rules of this file:
- A game is packed once its last record, after which none can follow, is old enough: at first it is
  looked at most, and what is still written beside it (signatures of those who have seen the end)
  would unpack it again.
- Nothing waits for it: of a core it takes one part in ten, and it gives up what it has begun when
  the store closes.
- A file is looked at again only if it has grown since. One that is in memory, damaged or held is
  left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import trio
from attrs import define, field, frozen

from warledger.engine.store.gamefile import GameFile, GameFiles
from warledger.engine.store.pace import Runner
from warledger.engine.store.packed import PackedDisk
from warledger.engine.store.port import FRAME_RECORD, Damaged, UnknownGame
from warledger.protocol import bodies, records, wlog
from warledger.protocol.records import CorruptLog
from warledger.protocol.wlog import CorruptFile

EVERY_SECONDS: Final = 600.0
SHARE: Final = 10
"""One part in so many of the time goes into it."""


def _untold(*_: object) -> None:
    """Tell nobody."""


@frozen
class Packing:
    """When games are packed: so many milliseconds after their last record, by the time that
    `now_ms` tells; looked for every so many seconds. `told` hears of each game that was packed, and
    how many bytes that saved; `failed` of an error of the disk."""

    after_ms: int
    now_ms: Callable[[], int]
    every_seconds: float = EVERY_SECONDS
    told: Callable[[str, int], object] = _untold
    failed: Callable[[OSError], object] = _untold


class Store(Protocol):
    """What packing asks of the store."""

    async def pack(self, game: str) -> int:
        """Pack a game's file if nothing is on its way to it. Returns how many bytes that saved; 0
        if it was not packed. Raises OSError."""
        ...


@define(eq=False)
class Packer:
    """Packs the games of one store. `looked` says of games how long they were when they were looked
    at, and when they may be packed: never at that length, for None."""

    store: Store
    files: GameFiles
    disk: PackedDisk
    run: Runner
    packing: Packing
    looked: dict[str, tuple[int, int | None]] = field(factory=dict)

    async def forever(self) -> None:
        """Until cancelled."""
        while True:
            await trio.sleep(self.packing.every_seconds)
            try:
                await self.once()
            except OSError as error:
                self.packing.failed(error)

    async def once(self) -> None:
        """Look at every game that is not packed, and pack those that are due. Raises OSError."""
        for game in await self.run(self.disk.plain):
            began = trio.current_time()
            saved = await self._due(game) and await self.store.pack(game)
            if saved:
                self.looked.pop(game, None)
                self.packing.told(game, saved)
            await trio.sleep((SHARE - 1) * (trio.current_time() - began))

    async def _due(self, game: str) -> bool:
        """Whether a game may be packed now."""
        try:
            file = self.files.get(game)
        except UnknownGame:
            return False
        if file.chunks or file.damage is not None or file.held is not None:
            return False  # and once more when that has passed
        end, due = self.looked.get(game, (-1, None))
        if end != file.end:
            end = file.end
            due = await self.run(partial(self._over_ms, file))
            if due is not None:
                due += self.packing.after_ms
            self.looked[game] = end, due
        return due is not None and due <= self.packing.now_ms()

    def _over_ms(self, file: GameFile) -> int | None:
        """When a game's last record was written, if none can follow it; None for one that goes on,
        or cannot be read."""
        last = b""
        with suppress(Damaged, CorruptFile, CorruptLog):
            data = self.files.read_synced(file.game, 0, file.synced)
            wlog.check_magic(data)
            for _, kind, payload in wlog.walk(data, len(wlog.MAGIC), 0):
                if kind == FRAME_RECORD:
                    last = payload
            if last:
                record = records.read(last, trusted=True)
                return record.at_ms if bodies.closes_log(record) else None
        return None


__all__ = ["EVERY_SECONDS", "Packer", "Packing"]
