"""The seam between the store and a file system: the few calls it makes, and what each promises.

Rules of this file:
- Everything the store does to a disk goes through `Disk`, so that a fault or a crash can be put at
  any of these calls.
- Paths are relative, with '/' between parts ("games/abc.wlog"); a Disk is bound to its root folder.
- Calls block; the store makes them in a thread, or where `Pace` makes a commit. Errors are OSError,
  as the operating system gives them.
- Only regular files are read and written. A FIFO, a device or a socket where a file should be is
  an OSError at once: nobody waits for it.
- Nothing is durable before its sync returns: a file's bytes after `datasync`, a name (new, renamed,
  removed) after `sync_folder`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import trio

T = TypeVar("T")


UNFINISHED: Final = ".new"
"""How the name ends of a file that is still being written, to replace another."""


class DiskFile(Protocol):
    """A file open for writing."""

    def write(self, offset: int, data: bytes) -> None:
        """Write all of data at the offset. If it raises, any part of it may have been written."""
        ...

    def datasync(self) -> None:
        """Return when the bytes written are durable. If it raises, whether they are is unknown, and
        asking again proves nothing."""
        ...

    def is_removed(self) -> bool:
        """Whether the file no longer has a name, so that nobody will ever find what is written.
        Cheap enough for every batch."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class Disk(Protocol):
    """A folder on a file system."""

    def where(self, path: str) -> str:
        """The path as a person would name it, for messages."""
        ...

    def exists(self, path: str) -> bool:
        """Whether a file or folder of that name exists."""
        ...

    def list(self, path: str) -> list[str]:
        """The names in a folder, sorted; none if the folder is missing. "" is the root."""
        ...

    def size(self, path: str) -> int:
        """A file's length in bytes. Raises FileNotFoundError."""
        ...

    def read(self, path: str, start: int = 0, count: int | None = None) -> bytes:
        """A file's bytes from start, at most count. Raises FileNotFoundError."""
        ...

    def make_folder(self, path: str) -> None:
        """Make a folder and those above it, unless it exists."""
        ...

    def open(self, path: str) -> DiskFile:
        """Open a file for writing, making it if necessary; what it contains is kept."""
        ...

    def is_at(self, path: str, file: DiskFile) -> bool:
        """Whether the file that is open is the one with this name. It is not if it was removed, or
        the folder above it was moved or replaced."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, replacing the file that had it, in one step."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file."""
        ...

    def truncate(self, path: str, size: int) -> None:
        """Cut a file to a length, durably."""
        ...

    def sync_folder(self, path: str) -> None:
        """Return when the folder's names are durable."""
        ...

    def lock(self, path: str) -> Callable[[], None]:
        """Take the lock file for this process, and return what releases it. Raises BlockingIOError
        if somebody else has it."""
        ...


def write_whole(disk: Disk, path: str, data: bytes, *, reads_back: bool = False) -> None:
    """Make or replace a file in one step, durably. With `reads_back` an OSError is raised, and
    nothing is replaced, if other bytes are read than were written."""
    unfinished = path + UNFINISHED
    if disk.exists(unfinished):
        disk.remove(unfinished)
    file = disk.open(unfinished)
    try:
        file.write(0, data)
        file.datasync()
    finally:
        file.close()
    if reads_back and disk.read(unfinished) != data:
        raise OSError(errno.EIO, "what was written is not what is read", path)
    disk.rename(unfinished, path)
    disk.sync_folder(path.rpartition("/")[0])


class RealDisk:
    """A folder of the operating system. Files and folders are made for the owner alone (0600,
    0700), since they contain hidden cards."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)

    def where(self, path: str) -> str:
        return str(self.root / path) if path else str(self.root)

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def list(self, path: str) -> list[str]:
        try:
            return sorted(os.listdir(self.root / path))
        except FileNotFoundError:
            return []

    def size(self, path: str) -> int:
        return os.stat(self.root / path).st_size

    def read(self, path: str, start: int = 0, count: int | None = None) -> bytes:
        with os.fdopen(_opened(self.root / path, os.O_RDONLY), "rb") as file:
            if start:
                file.seek(start)
            return file.read(-1 if count is None else count)

    def make_folder(self, path: str) -> None:
        folder = self.root / path
        missing: list[Path] = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for made in reversed(missing):
            made.mkdir(mode=0o700, exist_ok=True)
            _sync_folder(made.parent)

    def open(self, path: str) -> DiskFile:
        return _RealFile(_opened(self.root / path, os.O_WRONLY | os.O_CREAT))

    def is_at(self, path: str, file: DiskFile) -> bool:
        assert isinstance(file, _RealFile)
        try:
            found = os.stat(f"{self.root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return False
        return (found.st_dev, found.st_ino) == file.identity

    def rename(self, old: str, new: str) -> None:
        os.replace(self.root / old, self.root / new)

    def remove(self, path: str) -> None:
        os.unlink(self.root / path)

    def truncate(self, path: str, size: int) -> None:
        fd = _opened(self.root / path, os.O_WRONLY)
        try:
            os.ftruncate(fd, size)
            os.fsync(fd)
        finally:
            os.close(fd)

    def sync_folder(self, path: str) -> None:
        _sync_folder(self.root / path)

    def lock(self, path: str) -> Callable[[], None]:
        fd = os.open(self.root / path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            raise
        # The number is for the message that a second server prints; the lock itself is the
        # kernel's, and ends with the process.
        with suppress(
            OSError
        ):  # a full disk must not keep a server from opening its games for reading
            os.ftruncate(fd, 0)
            os.pwrite(fd, str(os.getpid()).encode(), 0)
        return lambda: os.close(fd)


def _opened(path: Path, flags: int) -> int:
    """A descriptor of a regular file. Raises OSError for anything else.

    O_NONBLOCK because opening a FIFO waits for whoever is at its other end (fifo(7)); to a regular
    file it makes no difference.
    """
    fd = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, 0o600)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, "not a regular file", str(path))


def _datasync(fd: int) -> None:
    """Return once the disk itself has what was written. macOS has no fdatasync, and there fsync
    leaves data in the disk's own cache; F_FULLFSYNC does not (fcntl(2))."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(fd)


class _RealFile:
    def __init__(self, fd: int) -> None:
        self._fd = fd
        opened = os.fstat(fd)
        self.identity = (opened.st_dev, opened.st_ino)

    def write(self, offset: int, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._fd, rest, offset)
            offset += written
            rest = rest[written:]

    def datasync(self) -> None:
        _datasync(self._fd)

    def is_removed(self) -> bool:
        return os.fstat(self._fd).st_nlink == 0

    def close(self) -> None:
        os.close(self._fd)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


QUICK_SECONDS: Final = 0.0015
"""The longest time in seconds for which the loop may be blocked."""
TRIAL_SECONDS: Final = 0.004
"""A quick commit in a thread takes at most so many seconds, in which it may also have to wait for
the interpreter."""
TRIALS: Final = 32
"""How many quick commits in threads, one after the other, come before one is made in place."""


class Runner(Protocol):
    """How blocking calls are made."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


class _Unlimited:
    """A limiter of threads that lets everybody pass at once: trio's own takes a turn of the loop
    even where it has room, and there is one commit at a time."""

    async def acquire_on_behalf_of(self, borrower: object) -> None:
        pass

    def release_on_behalf_of(self, borrower: object) -> None:
        pass


_UNLIMITED: Any = _Unlimited()


async def in_thread_at_once(call: Callable[[], T]) -> T:
    """Make a call in a thread that nothing else waits for."""
    return await trio.to_thread.run_sync(call, limiter=_UNLIMITED)


class Pace:
    """Where a commit is written and synced: in a thread, or in the event loop itself if the disk is
    faster than a hop to a thread and back. `clock` counts seconds.

    Two threads that take turns at the interpreter cost each other a tenth of the server's time. A
    good disk writes and syncs a batch in a fifth of a millisecond, about what one command takes, so
    the loop waits. A disk that takes longer never blocks the loop twice in a row.
    """

    def __init__(self, in_thread: Runner, clock: Callable[[], float] = time.perf_counter) -> None:
        self._in_thread = in_thread
        self._clock = clock
        self._quick = 0
        self.in_place = 0

    @property
    def is_quick(self) -> bool:
        """Whether the next call is made in place."""
        return self._quick >= TRIALS

    async def __call__(self, call: Callable[[], T], /) -> T:
        """Make the call, and learn from how long it takes. A call that fails counts as slow."""
        is_quick, quick, self._quick = self.is_quick, self._quick, 0
        took = 0.0

        def timed() -> T:
            nonlocal took
            began = self._clock()
            made = call()
            took = self._clock() - began
            return made

        if is_quick:  # others have their turn when whoever commits waits for the next batch
            self.in_place += 1
            made = timed()
        else:
            made = await self._in_thread(timed)
        if took <= (QUICK_SECONDS if is_quick else TRIAL_SECONDS):
            self._quick = quick + 1
        return made
