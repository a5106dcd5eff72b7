"""The server's store: one write-ahead log for all games, with group commit, checkpoints and
recovery.

Rules of this file:
- Commit, then tell: an append returns, and readers see it, only after `fdatasync` has returned for
  the batch that holds it.
- One batch at a time. A sync starts at once when the disk is idle; what is appended meanwhile makes
  the next batch. So a lone append waits for one sync, and a thousand together wait for two.
- The disk is touched in threads only, except by commits where it is quicker than a hop to a thread
  (`pace`). An append itself costs no thread, the whole batch costs one hop.
- Nothing is acknowledged that a restart would not find: after each sync the segment must still have
  a name, and every LOOK_SECONDS it must be the one under which a restart looks for it. Where it is
  not (the directory was removed, moved, or another put in its place), that batch's outcome is
  unknown and submits stop.
- A failed write or sync is never retried: after one, what the kernel still holds of the file is
  anyone's guess. Submits stop, reads continue from the synced files and from memory; a restart
  finds out what was saved.
- Ctrl-C never comes between a batch and those who wait for it: what appends, commits and makes
  checkpoints is protected from it, and trio raises it in its main task instead. Else an append
  whose wake-up was lost would wait for ever, since it refuses to be cancelled.
- Games' files are written by checkpoints alone, synced, and only then is the log before them let
  go. Until then the bytes since the last checkpoint stay in memory as well, so no read depends on
  an unsynced write. Between two checkpoints, files of games that are over may be packed.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Container, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, Literal, TypeVar

import trio
from attrs import define

from warledger.engine.store.files import datadir, recordindex
from warledger.engine.store.files.batches import batch_bytes, entry_bytes
from warledger.engine.store.files.datadir import Checkpoint, OpenSegment, Recovered
from warledger.engine.store.files.disk import Disk, Pace, Runner, in_thread_at_once
from warledger.engine.store.files.gamefile import (
    Addition,
    Dirty,
    Followed,
    GameFile,
    GameFiles,
    encode_addition,
    path_of,
)
from warledger.engine.store.files.packed import opened
from warledger.engine.store.files.packing import Packing, pack_if_over
from warledger.engine.store.port import (
    Conflict,
    DataDirError,
    Frame,
    GameExists,
    StoreClosed,
    StoreFailed,
    StoreHealth,
    check_game_id,
)

_T = TypeVar("_T")

SEGMENT_BYTES: Final = 8 * 1024 * 1024
"""Bytes. When a segment holds this much, a checkpoint follows. Recovery reads about this much, and
memory holds it."""
BATCH_BYTES: Final = 4 * 1024 * 1024
"""Bytes. A batch accepts no further append beyond this; the rest waits for the next batch."""
LOOK_SECONDS: Final = 0.25
"""How often, in seconds, a busy store checks whether its directory was moved; a store with longer
pauses between batches checks at each of them."""
CHECKPOINT_SECONDS: Final = 60.0
"""Seconds by which a game's file may be older than its last record while the server runs."""
_STOPPED: Final = "the store's writer has stopped; restart the server"


async def at_once(call: Callable[[], _T]) -> _T:
    """Make a blocking call in the trio thread: for a MemoryDisk under a mock clock, where threads
    would break determinism."""
    await trio.lowlevel.checkpoint()
    return call()


@define(eq=False)
class _Waiting:
    """An append on its way to the disk, and the task that sleeps until `is_over`, if one does."""

    file: GameFile
    addition: Addition
    entry: bytes
    task: trio.lowlevel.Task | None = None
    is_over: bool = False
    error: Exception | None = None

    def tell(self) -> None:
        """Its outcome is known."""
        self.is_over = True
        if self.task is not None:
            trio.lowlevel.reschedule(self.task)


@asynccontextmanager
async def open_store(
    data_dir: str | os.PathLike[str] | Disk,
    *,
    segment_bytes: int = SEGMENT_BYTES,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    look_seconds: float = LOOK_SECONDS,
    random_bytes: Callable[[int], bytes] = os.urandom,
    run: Runner | None = None,
    packing: Packing | None = None,
) -> AsyncIterator[WalStore]:
    """Open a data directory, making it if it is missing or empty, recover it, and keep its store
    running inside the block. Games that are over are packed as `packing` says, or not at all.

    Leaving the block finishes what was appended, makes a checkpoint and releases the directory,
    also when the block is cancelled. A store that can no longer be written (because the disk is
    full, for instance) opens all the same, as failed: for reading. Raises DataDirForeign,
    DataDirNewer, DataDirLocked, DataDirDamaged, or another DataDirError; each message says what to
    do.
    """
    disk = datadir.disk_of(data_dir)
    commit: Runner
    if run is None:
        # Threads of its own, so that slow reads elsewhere cannot hold up a commit.
        limiter = trio.CapacityLimiter(4)

        async def run_in_thread(call: Callable[[], _T]) -> _T:
            return await trio.to_thread.run_sync(call, limiter=limiter)

        run, commit = run_in_thread, Pace(in_thread_at_once)
    else:
        commit = run
    store = await run(
        partial(_open, disk, run, commit, segment_bytes, checkpoint_seconds, random_bytes)
    )
    store._look_seconds = look_seconds
    failed_inside: BaseException | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(store._committing)
        nursery.start_soon(store._checkpointing)
        if packing is not None:
            nursery.start_soon(packing.forever, store._files, store.pack)
        try:
            yield store
        except (
            BaseException
        ) as error:  # raised again below, outside the nursery, which would wrap it in a group
            failed_inside = error
        with trio.CancelScope(shield=True):
            await store.aclose()
        nursery.cancel_scope.cancel()
    if failed_inside is not None:
        raise failed_inside


def _open(
    disk: Disk,
    run: Runner,
    commit: Runner,
    segment_bytes: int,
    checkpoint_seconds: float,
    random_bytes: Callable[[int], bytes],
) -> WalStore:
    datadir.check_marker(disk)
    unlock = datadir.lock(disk)
    try:
        datadir.prepare(disk, random_bytes)
        recovered = datadir.recover(disk, alone=True)
        segment: OpenSegment | None = None
        first = recovered.first_segment
        failure = ""
        try:
            datadir.keep_losses(disk, recovered)
            datadir.settle(disk, recovered)
            segment = datadir.new_segment(
                disk, recovered.last_segment + 1, recovered.next_batch, segment_bytes, random_bytes
            )
            if (
                not recovered.log_bytes
            ):  # as after every clean stop: the old segments are empty and can be removed at once
                datadir.write_checkpoint(
                    disk, Checkpoint(segment.number, recovered.next_batch, recovered.files.sizes())
                )
                _remove_segments(disk, range(first, segment.number))
                first = segment.number
        except OSError as error:
            failure = _reason(disk, error)
    except OSError as error:
        unlock()
        raise DataDirError(
            f"the data directory {disk.where('')} cannot be opened: {error.strerror or error}"
        ) from error
    except BaseException:
        unlock()
        raise
    return WalStore(
        disk,
        recovered,
        segment,
        first,
        failure,
        unlock,
        run,
        commit,
        segment_bytes,
        checkpoint_seconds,
        random_bytes,
    )


class _Gone(OSError):
    """The segment is no longer in the directory."""


def _reason(disk: Disk, error: OSError) -> str:
    if isinstance(error, _Gone):
        return (
            f"the data directory {disk.where('')} has been removed or moved: what was "
            "saved is no longer there. "
            "Stop the server; put the directory back if it was only moved, else restore "
            "the latest backup"
        )
    return (
        f"writing to {disk.where('')} failed ({error.strerror or error}); put that "
        "right, then restart the server"
    )


class WalStore:
    """See `port.Store`. Made by `open_store`."""

    def __init__(
        self,
        disk: Disk,
        recovered: Recovered,
        segment: OpenSegment | None,
        first_segment: int,
        failure: str,
        unlock: Callable[[], None],
        run: Runner,
        commit: Runner,
        segment_bytes: int,
        checkpoint_seconds: float,
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self._disk = disk
        self._files: GameFiles = recovered.files
        self._files.uses_marks = True
        self._segment = segment
        self._at = segment.start if segment is not None else 0
        self._failure = failure
        self._unlock = unlock
        self._run = run
        self._commit_by = commit
        self._segment_bytes = segment_bytes
        self._checkpoint_seconds = checkpoint_seconds
        self._random_bytes = random_bytes

        self._look_seconds = LOOK_SECONDS
        self._looked = -math.inf
        self._next_batch = recovered.next_batch
        self._first_segment = first_segment
        self._log_bytes = recovered.log_bytes
        self._queue: list[_Waiting] = []
        self._writing: list[_Waiting] = []
        self._creating: dict[str, GameFile] = {}
        self._followed = Followed()
        self._committer_lot = trio.lowlevel.ParkingLot()
        self._log_lock = trio.Lock()
        self._games_lock = trio.Lock()
        self._checkpoint_wanted = trio.Event()
        self._checkpoint_asked: list[trio.Event] = []
        self._closing = False
        self._committer_done = trio.Event()
        self._checkpointer_done = trio.Event()
        self._closed = trio.Event()
        self._appends = self._syncs = self._checkpoints = 0
        if self._log_bytes:
            # bring the files up to date with what was recovered, while already serving
            self._checkpoint_wanted.set()

    # The port

    @trio.lowlevel.enable_ki_protection
    async def create(self, game: str, frames: Sequence[Frame]) -> None:
        check_game_id(game)
        addition = encode_addition(frames, new_file=True)
        await trio.lowlevel.checkpoint_if_cancelled()
        self._check_writable()
        if game in self._files or game in self._creating:
            raise GameExists(game)
        file = self._creating[game] = GameFile(game, records=0, queued_records=0)
        try:
            await self._outcome(self._enqueue(file, addition))
        finally:
            del self._creating[game]

    @trio.lowlevel.enable_ki_protection
    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        addition = encode_addition(frames, new_file=False)
        file = self._files.get(game)
        if file.records < 0:
            await self._run(partial(self._files.load, game))
        else:
            await trio.lowlevel.checkpoint_if_cancelled()
        self._check_writable()
        if file.damage is not None:
            raise file.damage
        if file.held is not None:
            raise file.held
        if file.queued_records != expected_records:
            raise Conflict(game, expected_records, file.queued_records)
        await self._outcome(self._enqueue(file, addition))

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        return self._files.read(game, after_records, records_max)

    def follow(self, game: str, after_records: int = 0) -> AsyncGenerator[list[Frame], None]:
        async def read(game: str, after: int) -> list[Frame]:
            return await self._run(partial(self._files.read, game, after, None))

        return self._followed.follow(read, game, after_records)

    async def claim(self, game: str, dead: Container[str] = ()) -> bool:
        self._files.get(game)
        return True

    async def release(self, game: str) -> bool:
        self._files.get(game)
        return True

    def keeps(self, game: str) -> bool:
        return game in self._files

    def games(self) -> list[str]:
        return self._files.games()

    def length(self, game: str) -> int:
        return self._files.end_of(game)

    async def pack(self, game: str, by_ms: float) -> int:
        """Pack the file of a game that was over by then, if all of it is there. Returns how many
        bytes that saved. Raises OSError, and then the file counts as it was."""
        async with self._games_lock:  # no checkpoint writes to it meanwhile
            if self._closing or self._failure:
                return 0
            return await self._run(partial(pack_if_over, self._disk, self._files, game, by_ms))

    async def checkpoint(self) -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        self._check_writable()
        asked = trio.Event()
        self._checkpoint_asked.append(asked)
        self._checkpoint_wanted.set()
        await asked.wait()
        if self._failure:
            raise StoreFailed(self._failure, "unknown")

    @trio.lowlevel.enable_ki_protection
    async def aclose(self) -> None:
        if not self._closing:
            self._closing = True
            self._committer_lot.unpark()
            self._checkpoint_wanted.set()
            with trio.CancelScope(shield=True):
                await self._committer_done.wait()
                await self._checkpointer_done.wait()
                try:
                    if self._segment is not None:
                        if not self._failure:
                            await self._run(partial(self._look_once_more, self._segment))
                        self._segment.file.close()
                finally:
                    self._unlock()
                    self._closed.set()
        await self._closed.wait()

    def _look_once_more(self, segment: OpenSegment) -> None:
        """Find out whether the segment is still in its place, before anybody hears that all is
        safe."""
        try:
            _check_in_place(self._disk, segment)
            self._files.look()
        except OSError as error:
            self._fail(_reason(self._disk, error))

    def health(self) -> StoreHealth:
        return StoreHealth(
            ok=not self._failure,
            reason=self._failure,
            games=len(self._files),
            waiting=len(self._queue) + len(self._writing),
            log_bytes=self._log_bytes,
            appends=self._appends,
            syncs=self._syncs,
            checkpoints=self._checkpoints,
            damaged=self._files.damaged(),
            held=self._files.held(),
        )

    # Committing

    def _check_writable(self) -> None:
        if self._failure:
            raise StoreFailed(self._failure, "not saved")
        if self._closing:
            raise StoreClosed("the server is stopping; nothing was saved")

    def _enqueue(self, file: GameFile, addition: Addition) -> _Waiting:
        """Queue an addition. The caller then waits for its `_outcome`."""
        entry = entry_bytes(file.game, file.queued_end, addition.data)
        waiting = _Waiting(file, addition, entry)
        file.queued_end += len(addition.data)
        file.queued_records += len(addition.records_at)
        self._queue.append(waiting)
        return waiting

    async def _outcome(self, waiting: _Waiting) -> None:
        """Return once what was queued just now is durable, without being cancelled (`_stay`)."""
        if not waiting.is_over:
            if len(self._queue) == 1:  # if it is behind another, the committer is awake already
                self._committer_lot.unpark()
            waiting.task = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(_stay)
        if waiting.error is not None:
            raise waiting.error

    @trio.lowlevel.enable_ki_protection
    async def _committing(self) -> None:
        with trio.CancelScope(shield=True):
            try:
                while True:
                    if self._queue:
                        await self._commit()
                    elif self._closing:
                        return
                    else:
                        await self._committer_lot.park()
            finally:
                if not self._closing or self._queue or self._writing:
                    self._fail(_STOPPED)
                self._give_up_batch()
                self._committer_done.set()

    async def _commit(self) -> None:
        try:
            self._log_lock.acquire_nowait()  # to wait for a free lock would cost a turn of the loop
        except trio.WouldBlock:
            await self._log_lock.acquire()
        try:
            if (
                self._failure or self._segment is None
            ):  # the checkpoint that held the lock may have failed
                self._fail(self._failure)
                return
            segment = self._segment
            self._writing = batch = self._take_batch()
            entries = [waiting.entry for waiting in batch]
            data = batch_bytes(segment.mark, self._next_batch, entries)
            try:
                await self._commit_by(partial(self._write, segment, self._at, data))
            except OSError as error:
                self._fail(_reason(self._disk, error))
                self._give_up_batch()
                return
            self._next_batch += 1
            self._at += len(data)
            self._syncs += 1
            self._appends += len(batch)
            if not self._log_bytes or self._at >= self._segment_bytes:
                self._checkpoint_wanted.set()
            self._log_bytes += len(data)
            self._files.commit([(waiting.file, waiting.addition) for waiting in batch])
            self._writing = []
        finally:
            self._log_lock.release()
        if self._followed:
            self._followed.grew(waiting.file.game for waiting in batch)
        for waiting in batch:
            waiting.tell()

    def _write(self, segment: OpenSegment, at: int, data: bytes) -> None:
        segment.file.write(at, data)
        segment.file.datasync()
        if segment.file.is_removed():
            raise _Gone
        now = time.monotonic()
        if now - self._looked >= self._look_seconds:
            _check_in_place(self._disk, segment)
            self._looked = now

    def _take_batch(self) -> list[_Waiting]:
        total = 0
        for count, waiting in enumerate(self._queue):
            total += len(waiting.entry)
            if total > BATCH_BYTES and count:
                batch, self._queue = self._queue[:count], self._queue[count:]
                return batch
        batch, self._queue = self._queue, []
        return batch

    def _fail(self, reason: str) -> None:
        """Accept no more submits, for good, and tell those that are still queued that they are not
        saved.

        A batch that is being written at this moment has an outcome of its own, which `_commit` will
        report.
        """
        self._failure = self._failure or reason
        queue, self._queue = self._queue, []
        self._release(queue, "not saved")

    def _give_up_batch(self) -> None:
        writing, self._writing = self._writing, []
        self._release(writing, "unknown")

    def _release(self, entries: list[_Waiting], outcome: Literal["unknown", "not saved"]) -> None:
        for waiting in entries:
            waiting.error = StoreFailed(self._failure, outcome)
            waiting.tell()

    # Checkpoints

    @trio.lowlevel.enable_ki_protection
    async def _checkpointing(self) -> None:
        with trio.CancelScope(shield=True):
            try:
                while not self._closing:
                    await self._until_wanted()
                    await self._checkpoint_once()
                await self._committer_done.wait()
                await self._checkpoint_once()
            finally:
                if not self._closing and not self._failure:
                    self._fail("the store's checkpoints have stopped; restart the server")
                self._answer_asked()
                self._checkpointer_done.set()

    async def _until_wanted(self) -> None:
        """Return when a segment is full, when somebody asks, when the store closes, or when the
        oldest byte in the log has become old."""
        while True:
            with trio.move_on_after(
                self._checkpoint_seconds if self._log_bytes and not self._failure else math.inf
            ) as scope:
                await self._checkpoint_wanted.wait()
            self._checkpoint_wanted = trio.Event()
            full = self._at >= self._segment_bytes or self._first_segment < self._number
            if scope.cancelled_caught or full or self._checkpoint_asked or self._closing:
                return

    @property
    def _number(self) -> int:
        return self._segment.number if self._segment is not None else self._first_segment

    async def _checkpoint_once(self) -> None:
        asked, self._checkpoint_asked = self._checkpoint_asked, []
        try:
            async with self._games_lock:
                if not self._failure and self._segment is not None:
                    await self._write_checkpoint(self._segment)
        except OSError as error:
            self._fail(_reason(self._disk, error))
        finally:
            for event in asked:
                event.set()

    async def _write_checkpoint(self, segment: OpenSegment) -> None:
        async with self._log_lock:
            # No batch is in progress: the new segment will continue from what is durable now.
            if self._failure:
                return
            if self._at > segment.start:
                segment = await self._rotate(segment)
            elif self._first_segment == segment.number:
                return
            dirty = self._files.dirty()
            checkpoint = Checkpoint(segment.number, self._next_batch, self._files.sizes())
            log_bytes, self._log_bytes = self._log_bytes, 0
        try:
            await self._run(partial(_write_games, self._disk, dirty, checkpoint))
        except BaseException:
            self._log_bytes += log_bytes
            raise
        self._files.settle(dirty)
        old = range(self._first_segment, segment.number)
        self._first_segment = segment.number
        self._checkpoints += 1
        await self._run(partial(_remove_segments, self._disk, old))
        if any(one.file.records >= recordindex.FROM for one in dirty):
            await self._run(partial(self._files.keep_marks, dirty))

    async def _rotate(self, segment: OpenSegment) -> OpenSegment:
        room = 0 if self._closing else self._segment_bytes
        make = partial(
            datadir.new_segment,
            self._disk,
            segment.number + 1,
            self._next_batch,
            room,
            self._random_bytes,
        )
        self._segment = fresh = await self._run(make)
        self._at = fresh.start
        segment.file.close()
        return fresh

    def _answer_asked(self) -> None:
        for event in self._checkpoint_asked:
            event.set()
        self._checkpoint_asked = []


def _stay(_: object) -> trio.lowlevel.Abort:
    """Refuse to be cancelled: the frames are on their way to the disk, and the caller needs to know
    what becomes of them."""
    return trio.lowlevel.Abort.FAILED


def _check_in_place(disk: Disk, segment: OpenSegment) -> None:
    if not disk.is_at(segment.path, segment.file):
        raise _Gone


def _write_games(disk: Disk, dirty: Sequence[Dirty], checkpoint: Checkpoint) -> None:
    """Bring the games' files up to date, sync each, and make the checkpoint that says so."""
    for game in dirty:
        file = opened(disk, path_of(game.file.game))
        try:
            file.write(game.start, b"".join(game.chunks))
            file.datasync()
        finally:
            file.close()
    if any(game.start == 0 for game in dirty):
        disk.sync_folder(datadir.GAMES)
    datadir.write_checkpoint(disk, checkpoint)


def _remove_segments(disk: Disk, numbers: range) -> None:
    for number in numbers:
        with suppress(OSError):  # no longer needed; the next start removes what is left
            disk.remove(datadir.segment_path(number))
