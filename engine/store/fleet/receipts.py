"""Receipts: what the engine answered a node is kept, a second time, in a file of its own.

A receipt is one append as it was sent: when, the stream, the game, the append's name, the sequence
that it stands behind, and its sealed messages. It is written and synced while the engine does the
same, so it costs what the slower of both takes. That the engine has answered is a further receipt
of the same name with the sequence and no messages. It goes out with the next that are synced, and
nobody waits for it. Without it an append may be one that was refused. Nobody reads receipts but
`fleet heal`, which mends with them what the engine has lost. So a node that cannot write them goes
on and says so.

A file holds frames of length and CRC-32 (four bytes each, big-endian) and a canonical array. A file
that ends in the middle of one ends there. A new file begins every day or at 64 MiB, and a file
whose newest receipt is older than seven days is removed.
"""

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from io import FileIO
from pathlib import Path
from struct import Struct
from typing import Any, Final
from zlib import crc32

import trio
from attrs import define, field, frozen

from warledger.engine.nats.jetstreamapi import JetStream, Kept, Stored
from warledger.engine.nats.natsport import Engine
from warledger.engine.store.files.disk import Pace
from warledger.protocol import canon

FOLDER: Final = "receipts"
SUFFIX: Final = ".receipts"
KEPT_MS: Final = 7 * 86_400_000
FILE_MS: Final = 86_400_000
FILE_BYTES: Final = 64 * 1024 * 1024
WAITING_BYTES_MAX: Final = 32 * 1024 * 1024
PAUSE_SECONDS: Final = 0.002
"""Between two syncs, where several appends shared the last: the engine's answer takes longer."""

LATE_SECONDS: Final = 0.05
"""How long a receipt that nobody waits for waits for others, at most."""

_HEAD: Final = Struct(">II")
_HEAD_BYTES: Final = _HEAD.size


@frozen
class Receipt:
    """One append that was sent, or without messages that it was stored. `behind` is the sequence of
    the game's message before it, or that at which it was stored; `name` its identity in the
    stream."""

    at_ms: int
    subject: str
    name: str
    behind: int
    messages: tuple[bytes, ...]

    @property
    def game(self) -> str:
        """The game's id."""
        return self.subject.rpartition(".")[2]

    def framed(self) -> bytes:
        """The receipt as bytes of a file."""
        return _framed((self.at_ms, self.subject, self.name, self.behind, self.messages))


def _framed(receipt: tuple[int, str, str, int, tuple[bytes, ...]]) -> bytes:
    said = canon.pack(receipt)
    return _HEAD.pack(len(said), crc32(said)) + said


@define(eq=False)
class _Batch:
    """Receipts that are written together. `is_late` says that nobody waits for any of them."""

    parts: list[bytes] = field(factory=list)
    is_late: bool = True
    is_kept: trio.Event = field(factory=trio.Event)


class Receipts:
    """The receipts of a node. Made by `open_receipts`."""

    def __init__(self, folder: Path, now_ms: Callable[[], int], log: Callable[..., None]) -> None:
        self._folder = folder
        self._now_ms = now_ms
        self._log = log
        self._file: FileIO | None = None
        self._begun_ms = self._size = 0
        self._pace = Pace(_in_thread)
        self._waiting = _Batch()
        self._more = trio.Event()
        self._newest: dict[str, tuple[str, trio.Event]] = {}
        self.failure = ""
        self.kept = 0

    def begin(
        self, subject: str, name: str, behind: int, messages: Sequence[bytes]
    ) -> trio.Event | None:
        """Have a receipt written: what is set once it is on the disk, or cannot be written. None
        where there is nothing to wait for. An append that is sent again has one receipt."""
        if self.failure:
            return None
        kept = self._newest.get(subject)
        if kept is not None and kept[0] == name:
            return None if kept[1].is_set() else kept[1]
        batch = self._waiting
        batch.parts.append(_framed((self._now_ms(), subject, name, behind, tuple(messages))))
        self._newest[subject] = name, batch.is_kept
        if batch.is_late:
            batch.is_late = False
            self._more.set()
        return batch.is_kept

    async def keep(self, subject: str, name: str, behind: int, messages: Sequence[bytes]) -> None:
        """Return once the receipt is on the disk, or cannot be written."""
        kept = self.begin(subject, name, behind, messages)
        if kept is not None:
            await kept.wait()

    def stored(self, subject: str, name: str, sequence: int) -> None:
        """The engine has answered that it keeps this append."""
        kept = self._newest.get(subject)
        if not self.failure and kept is not None and kept[0] == name:
            parts = self._waiting.parts
            parts.append(_framed((self._now_ms(), subject, name, sequence, ())))
            if len(parts) == 1:
                self._more.set()

    async def run(self) -> None:
        """Write what waits, all of it with one sync, until cancelled."""
        while True:
            if not self._waiting.parts:
                self._more = trio.Event()
                await self._more.wait()
            if self._waiting.is_late:
                self._more = trio.Event()
                with trio.move_on_after(LATE_SECONDS):
                    await self._more.wait()
            batch, self._waiting = self._waiting, _Batch()
            try:
                with trio.CancelScope(shield=True):
                    await self._pace(partial(self._write, b"".join(batch.parts)))
                self.kept += len(batch.parts)
            except OSError as error:
                self.failure = str(error)
                self._log("receipts stop", what=self.failure)
            batch.is_kept.set()
            if self.failure:
                self._waiting.is_kept.set()
                return  # what is in the file now may end in the middle
            if len(batch.parts) > 2:
                await trio.sleep(PAUSE_SECONDS)

    def _write(self, data: bytes) -> None:
        now = self._now_ms()
        if (
            self._file is None
            or now - self._begun_ms >= FILE_MS
            or self._size + len(data) > FILE_BYTES
        ):
            self._begin(now)
        assert self._file is not None
        if self._file.write(data) != len(data):
            raise OSError("the disk is full")
        os.fdatasync(self._file.fileno())
        self._size += len(data)

    def _begin(self, now: int) -> None:
        self.close()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            if now - int(path.stat().st_mtime * 1000) > KEPT_MS:
                path.unlink()
        number = 1 + max(
            (int(path.stem) for path in self._folder.glob(f"*{SUFFIX}") if path.stem.isdigit()),
            default=0,
        )
        path = self._folder / f"{number:012}{SUFFIX}"
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self._file = FileIO(fd, "w")
        self._begun_ms, self._size = now, 0
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def flush(self) -> None:
        """Write, in place, what waits and will not be written by `run` any more."""
        batch, self._waiting = self._waiting, _Batch()
        if batch.parts and not self.failure:
            try:
                self._write(b"".join(batch.parts))
                self.kept += len(batch.parts)
            except OSError as error:
                self.failure = str(error)
                self._log("receipts stop", what=self.failure)
        batch.is_kept.set()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


async def _in_thread(call: Callable[[], Any]) -> Any:
    return await trio.to_thread.run_sync(call)


@asynccontextmanager
async def open_receipts(
    data: Path,
    *,
    now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    log: Callable[..., None] = lambda event, **values: None,
) -> AsyncIterator[Receipts]:
    """The receipts in a node's data directory, written inside the block. An error of the block
    comes out as it is."""
    receipts = Receipts(data / FOLDER, now_ms, log)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(receipts.run)
            try:
                yield receipts
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from None
    finally:
        receipts.flush()
        receipts.close()


def read_receipts(data: Path) -> Iterator[Receipt]:
    """The receipts in a node's data directory, oldest file first. A file is read as far as it is
    whole. Raises OSError."""
    for path in sorted((data / FOLDER).glob(f"*{SUFFIX}")):
        found = path.read_bytes()
        at = 0
        while at + _HEAD_BYTES <= len(found):
            size, sum = (int.from_bytes(found[n : n + 4], "big") for n in (at, at + 4))
            said = found[at + _HEAD_BYTES : at + _HEAD_BYTES + size]
            if len(said) != size or crc32(said) != sum:
                break
            at += _HEAD_BYTES + size
            try:
                array: Any = canon.unpack(said)
            except canon.NotCanonical:
                break
            match array:
                case (int(at_ms), str(subject), str(name), int(behind), (*messages,)):
                    yield Receipt(at_ms, subject, name, behind, tuple(messages))


class Receipted(JetStream):
    """JetStream, with a receipt of every append that names what it stands behind."""

    def __init__(self, engine: Engine, receipts: Receipts) -> None:
        super().__init__(engine)
        self._receipts = receipts

    async def append(
        self,
        subject: str,
        payload: bytes,
        *,
        identity: str,
        expected: int | None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 1.0,
        shield: bool = False,
    ) -> Stored:
        """See `JetStream.append`. Returns once the receipt is kept, too."""
        kept = None
        if subject.startswith("wg."):
            kept = self._receipts.begin(subject, identity, expected or 0, (payload,))
        try:
            stored = await super().append(
                subject,
                payload,
                identity=identity,
                expected=expected,
                headers=headers,
                seconds=seconds,
                shield=shield,
            )
        finally:
            # Also where the engine has not answered: the append may be stored, and is sent again.
            if kept is not None and not kept.is_set():
                with trio.CancelScope(shield=shield):
                    await kept.wait()
        self._receipts.stored(subject, identity, stored.sequence)
        return stored

    async def append_all(
        self,
        subject: str,
        pieces: Sequence[bytes],
        *,
        identity: str,
        expected: int | None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 2.0,
    ) -> Stored:
        """See `JetStream.append_all`. Returns once the receipt is kept, too."""
        store = partial(
            super().append_all,
            subject,
            pieces,
            identity=identity,
            expected=expected,
            headers=headers,
            seconds=seconds,
        )
        # Each try of a batch has a name of its own; the append's is the same.
        name = (headers or {}).get("W-Append", identity)
        return await self._both(store, subject, name, expected, pieces)

    async def _both(
        self,
        store: Callable[[], Awaitable[Stored]],
        subject: str,
        name: str,
        expected: int | None,
        messages: Sequence[bytes],
    ) -> Stored:
        if not subject.startswith("wg."):
            return await store()
        kept = self._receipts.begin(subject, name, expected or 0, messages)
        try:
            stored = await store()
        finally:
            # Also where the engine has not answered: the append may be stored, and is sent again.
            if kept is not None and not kept.is_set():
                await kept.wait()
        self._receipts.stored(subject, name, stored.sequence)
        return stored

    async def after(
        self, stream: str, subject: str, sequence: int, *, from_leader: bool, seconds: float = 1.0
    ) -> Kept | None:
        """See `JetStream.after`: by it a store finds that an earlier try was stored."""
        found = await super().after(
            stream, subject, sequence, from_leader=from_leader, seconds=seconds
        )
        if found is not None:
            for name in (found.headers.get("Nats-Msg-Id"), found.headers.get("W-Append")):
                if name is not None:
                    self._receipts.stored(subject, name, found.sequence)
        return found
