"""Faults on purpose: a disk that fails, tears, kills or waits at a chosen call, and a runner that
delays.

Rules of this file:
- It wraps any `Disk`; the store above does not know. Every call that changes the disk is counted,
  from 1, so that a test can put a fault at each in turn.
- A call that fails has not happened, except a write told to tear: its first bytes have.
"""

import errno
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio
from attrs import frozen

from warledger.engine.store.files.disk import Disk, DiskFile

_T = TypeVar("_T")


class Killed(BaseException):
    """The process is dead as of this call: nothing after it happens. Not an Exception, so that no
    handler of errors lives on."""


@frozen
class Call:
    """One counted call: what ("write", "datasync", "rename", "remove", "truncate", "sync_folder")
    and to which path."""

    what: str
    path: str


class FaultyDisk:
    """A disk that fails at its `fail_at`-th changing call (None: never).

    `error` is an errno (ENOSPC, EIO …) or Killed. A write that fails first writes `torn` bytes of
    what it was given. With `forever` all later changing calls fail too, as on a full disk.
    `on_call` is called before each call; it may block to delay it. `calls` lists the
    calls so far. `unreadable` paths fail to read with EIO.
    """

    def __init__(
        self,
        disk: Disk,
        *,
        fail_at: int | None = None,
        error: int | type[Killed] = errno.EIO,
        torn: int = 0,
        forever: bool = False,
        on_call: Callable[[Call], None] | None = None,
    ) -> None:
        self.disk = disk
        self.fail_at = fail_at
        self.error = error
        self.torn = torn
        self.forever = forever
        self.on_call = on_call
        self.calls: list[Call] = []
        self.unreadable: set[str] = set()

    def where(self, path: str) -> str:
        return self.disk.where(path)

    def exists(self, path: str) -> bool:
        return self.disk.exists(path)

    def list(self, path: str) -> list[str]:
        return self.disk.list(path)

    def size(self, path: str) -> int:
        return self.disk.size(path)

    def read(self, path: str, start: int = 0, count: int | None = None) -> bytes:
        if path in self.unreadable:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return self.disk.read(path, start, count)

    def make_folder(self, path: str) -> None:
        self.disk.make_folder(path)

    def open(self, path: str) -> DiskFile:
        return _FaultyFile(self, path, self.disk.open(path))

    def is_at(self, path: str, file: DiskFile) -> bool:
        assert isinstance(file, _FaultyFile)
        return self.disk.is_at(path, file.file)

    def rename(self, old: str, new: str) -> None:
        self.count("rename", new)
        self.disk.rename(old, new)

    def remove(self, path: str) -> None:
        self.count("remove", path)
        self.disk.remove(path)

    def truncate(self, path: str, size: int) -> None:
        self.count("truncate", path)
        self.disk.truncate(path, size)

    def sync_folder(self, path: str) -> None:
        self.count("sync_folder", path)
        self.disk.sync_folder(path)

    def lock(self, path: str) -> Callable[[], None]:
        return self.disk.lock(path)

    def count(self, what: str, path: str, tear: Callable[[int], None] | None = None) -> None:
        """Count a call, and fail it if its turn has come."""
        call = Call(what, path)
        self.calls.append(call)
        if self.on_call is not None:
            self.on_call(call)
        number = len(self.calls)
        if (
            self.fail_at is None
            or number < self.fail_at
            or (number > self.fail_at and not self.forever)
        ):
            return
        if tear is not None and self.torn:
            tear(self.torn)
        if isinstance(self.error, int):
            raise OSError(self.error, os.strerror(self.error))
        raise self.error(f"at call {number}, {what} {path}")


class _FaultyFile:
    def __init__(self, disk: FaultyDisk, path: str, file: DiskFile) -> None:
        self._disk = disk
        self._path = path
        self.file = file

    def write(self, offset: int, data: bytes) -> None:
        self._disk.count("write", self._path, lambda torn: self.file.write(offset, data[:torn]))
        self.file.write(offset, data)

    def datasync(self) -> None:
        self._disk.count("datasync", self._path)
        self.file.datasync()

    def is_removed(self) -> bool:
        return self.file.is_removed()

    def close(self) -> None:
        self.file.close()


class Delayed:
    """A runner for `open_store` that waits before each blocking call, by the trio clock: for
    simulations under a mock clock."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds

    def __call__(self, call: Callable[[], _T], /) -> Awaitable[_T]:
        return self._run(call)

    async def _run(self, call: Callable[[], _T]) -> _T:
        await trio.sleep(self._seconds())
        return call()
