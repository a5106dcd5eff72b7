"""What an archive does and says so that games that are over leave a fleet's engine, once the
archive has them for good.

Rules of this file:
- A game is said to be had only when its records close it and its sealed file, read again from disk,
  was audited sound.
- A node can hold the engine's log to what is said: the number of records, the last one's hash, and
  a digest of all frames but claims, which say whose the game was.
- It is said again for as long as the engine has the game. So whatever dies in between, nothing but
  time is lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import trio
from attrs import define, field, frozen

from warledger.engine.nats.jetstreamapi import JetStream, Rejected
from warledger.engine.nats.natsport import EngineError, NotSent
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.port import FRAME_RECORD, Frame, Store, StoreError, StoreFailed
from warledger.protocol.log.records import NO_HASH, hash_of

SUBJECTS: Final = "finished.*"
"""Where archives say which games they have for good: a plain subject that nodes hear."""

FOLDER: Final = "finished"
"""The folder of sealed files in the archive's directory."""

ENDED: Final = "ended"
DAY_MS: Final = 86_400_000
LOOK_SECONDS: Final = 60.0
"""How often an archive looks which games are over, and says again what it has."""


@frozen
class Finished:
    """A game that is over, as a process has it."""

    records: int
    hash: bytes
    digest: bytes

    @classmethod
    def of(cls, frames: Iterable[Frame]) -> Finished:
        """What these frames are."""
        count, last = 0, NO_HASH
        digest = sha256()
        for frame in frames:
            if claimed_in([frame]) is not None:
                continue
            digest.update(bytes([frame.kind]) + len(frame.payload).to_bytes(8, "big"))
            digest.update(frame.payload)
            if frame.kind == FRAME_RECORD:
                count, last = count + 1, hash_of(frame.payload)
        return cls(count, last, digest.digest())

    def packed(self) -> bytes:
        """The message that says it."""
        said = {
            "records": self.records,
            "hash": self.hash.hex(),
            "digest": self.digest.hex(),
        }
        return json.dumps(said, sort_keys=True).encode()

    @classmethod
    def read(cls, data: bytes) -> Finished | None:
        """None if it is not in order."""
        try:
            match json.loads(data):
                case {"records": int(count), "hash": str(hash), "digest": str(digest)}:
                    return cls(count, bytes.fromhex(hash), bytes.fromhex(digest))
        except ValueError:
            pass
        return None


Judge = Callable[[bytes], str]
"""What is wrong with a sealed file, in words; "" if it is sound."""


@define(eq=False)
class Finishing:
    """Says which games the archive in `folder` has for good, of those that ended `after_ms`
    milliseconds ago or more. `seal` makes a game's file and raises ValueError where it is not over,
    `judge` audits it; both are called in threads. `stopped` says of a game whether
    it does not go on in the archive."""

    js: JetStream
    cards: Cards
    shards: int
    store: Store
    folder: Path
    after_ms: int
    seal: Callable[[Sequence[Frame]], bytes]
    judge: Judge
    now_ms: Callable[[], int]
    stopped: Callable[[str], bool] = lambda game: False
    log: Callable[..., None] = lambda event, **values: None
    seconds: float = LOOK_SECONDS
    sleep: Callable[[float], Awaitable[None]] = trio.sleep
    _sound: dict[str, Finished] = field(factory=dict)
    _unsound: dict[str, Finished] = field(factory=dict)

    async def run(self) -> None:
        """Do so for ever. `cards` must be running. Raises StoreFailed where the directory takes
        nothing more."""
        while True:
            with suppress(EngineError):
                await self.look()
            await self.sleep(self.seconds)

    async def look(self) -> None:
        """Say of every game that is over, and that the engine has, whether it is kept here for
        good. Raises what a request raises, and StoreFailed."""
        there: list[str] = []
        for shard in range(self.shards):
            subjects = await self.js.subjects(f"WG{shard}", f"wg.{shard}.>")
            there += [subject.rpartition(".")[2] for subject in subjects]
        for known in (self._sound, self._unsound):
            for game in known.keys() - set(there):
                del known[game]
        for game in there:
            if self._is_over(game) and self.store.keeps(game) and not self.stopped(game):
                found = await self._kept(game)
                if found is not None:
                    with suppress(NotSent, Rejected):
                        self.js.engine.publish(f"finished.{game}", found.packed())

    def _is_over(self, game: str) -> bool:
        card = self.cards.of(game)
        return (
            card is not None
            and card.row["stage"] == ENDED
            and not card.due
            and self.now_ms() - int(card.row["at_ms"]) >= self.after_ms
        )

    async def _kept(self, game: str) -> Finished | None:
        """The game as it is kept, if it is for good."""
        try:
            frames = await trio.to_thread.run_sync(self.store.read, game)
        except StoreError as error:
            self.log("archive cannot read a game", game=game, what=str(error))
            return None
        found = Finished.of(frames)
        if found in (self._unsound.get(game), self._sound.get(game)):
            return self._sound.get(game)
        what = await trio.to_thread.run_sync(self._seal, game, frames)
        self._sound.pop(game, None)
        if what:
            self._unsound[game] = found
            self.log("archive keeps a game in the engine", game=game, what=what)
            return None
        self._sound[game] = found
        return found

    def _seal(self, game: str, frames: Sequence[Frame]) -> str:
        """Write the game's file, and audit what is read back. Returns what is wrong."""
        try:
            made = self.seal(frames)
        except ValueError as error:
            return str(error)
        path = self.folder / FOLDER / f"{game}.wlog"
        try:
            _write(path, made)
            kept = path.read_bytes()
        except OSError as error:
            raise StoreFailed(f"{path} cannot be written: {error}", "not saved") from error
        return self.judge(kept) if kept == made else f"{path} is not what was written"


def _write(path: Path, data: bytes) -> None:
    """Make or replace a file in one step, durably."""
    new_folder = not path.parent.exists()
    path.parent.mkdir(mode=0o700, exist_ok=True)
    unfinished = path.with_name(path.name + ".new")
    with unfinished.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    for folder in (path.parent, path.parent.parent) if new_folder else (path.parent,):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
