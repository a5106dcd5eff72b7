"""A disk in memory that knows what a crash would leave of it.

Rules of this file:
- What a sync has covered survives. What none has covered may survive, vanish, or survive in part,
  block by block and cut at any byte.
- Names (made, renamed, removed) are as mortal as bytes until their folder is synced; they are lost
  from the newest back.
- The chance comes from the caller's generator, so the seed reproduces a crash exactly.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Callable, Sequence
from typing import Final

from attrs import define, field

from warledger.engine.store.files.disk import DiskFile

_BLOCK: Final = 512


@define(eq=False)
class _Content:
    now: bytearray = field(factory=bytearray)
    synced: bytes = b""


@define
class _NameChange:
    folder: str
    names: dict[str, _Content | None]


class MemoryDisk:
    """See `disk.Disk`."""

    def __init__(self) -> None:
        self._files: dict[str, _Content] = {}
        self._durable: dict[str, _Content] = {}
        self._changes: list[_NameChange] = []
        self._folders: set[str] = set()
        self._locked: set[str] = set()

    # Disk

    def where(self, path: str) -> str:
        return f"memory:{path}"

    def exists(self, path: str) -> bool:
        return path in self._files or path in self._folders

    def list(self, path: str) -> list[str]:
        prefix = f"{path}/" if path else ""
        names = [
            name[len(prefix) :]
            for name in [*self._files, *self._folders]
            if name.startswith(prefix)
        ]
        return sorted(name for name in names if name and "/" not in name)

    def size(self, path: str) -> int:
        return len(self._get(path).now)

    def read(self, path: str, start: int = 0, count: int | None = None) -> bytes:
        now = self._get(path).now
        return bytes(now[start:] if count is None else now[start : start + count])

    def make_folder(self, path: str) -> None:
        parts = path.split("/") if path else []
        self._folders.update("/".join(parts[: depth + 1]) for depth in range(len(parts)))

    def open(self, path: str) -> DiskFile:
        if path not in self._files:
            content = _Content()
            self._files[path] = content
            self._changes.append(_NameChange(_folder(path), {path: content}))
        return _MemoryFile(self, self._files[path])

    def is_at(self, path: str, file: DiskFile) -> bool:
        assert isinstance(file, _MemoryFile)
        return self._files.get(path) is file.content

    def rename(self, old: str, new: str) -> None:
        content = self._get(old)
        del self._files[old]
        self._files[new] = content
        self._changes.append(_NameChange(_folder(new), {old: None, new: content}))

    def remove(self, path: str) -> None:
        self._get(path)
        del self._files[path]
        self._changes.append(_NameChange(_folder(path), {path: None}))

    def truncate(self, path: str, size: int) -> None:
        content = self._get(path)
        del content.now[size:]
        content.synced = bytes(content.now)

    def sync_folder(self, path: str) -> None:
        for change in self._changes:
            if change.folder == path:
                _apply(self._durable, change)
        self._changes = [change for change in self._changes if change.folder != path]

    def lock(self, path: str) -> Callable[[], None]:
        if path in self._locked:
            raise BlockingIOError(errno.EWOULDBLOCK, "locked")
        self.open(path)
        self._locked.add(path)
        return lambda: self._locked.discard(path)

    # What crashes leave

    def after_kill(self) -> MemoryDisk:
        """The disk as the next process finds it if this one is killed: all writes are there, no
        lock is, nothing more is synced."""
        return self._survivor(self._files, lambda content: bytes(content.now), self._changes)

    def after_power_loss(self, rng: random.Random) -> MemoryDisk:
        """The disk as it might be after the power fails: what was synced, and any part of what was
        not."""
        names = dict(self._durable)
        for folder in sorted({change.folder for change in self._changes}):
            changes = [change for change in self._changes if change.folder == folder]
            for change in changes[: rng.randint(0, len(changes))]:
                _apply(names, change)
        disk = self._survivor(names, lambda content: _torn(content, rng), [])
        disk._durable = dict(disk._files)
        for content in disk._files.values():
            content.synced = bytes(content.now)
        return disk

    def _survivor(
        self,
        names: dict[str, _Content],
        bytes_of: Callable[[_Content], bytes],
        changes: Sequence[_NameChange],
    ) -> MemoryDisk:
        disk = MemoryDisk()
        disk._folders = set(self._folders)
        copies: dict[int, _Content] = {}

        def copy(content: _Content) -> _Content:
            if id(content) not in copies:
                copies[id(content)] = _Content(bytearray(bytes_of(content)), content.synced)
            return copies[id(content)]

        disk._files = {name: copy(content) for name, content in names.items()}
        disk._durable = {name: copy(content) for name, content in self._durable.items()}
        disk._changes = [
            _NameChange(
                change.folder,
                {
                    name: None if content is None else copy(content)
                    for name, content in change.names.items()
                },
            )
            for change in changes
        ]
        return disk

    def _get(self, path: str) -> _Content:
        content = self._files.get(path)
        if content is None:
            raise FileNotFoundError(errno.ENOENT, "No such file", path)
        return content


class _MemoryFile:
    def __init__(self, disk: MemoryDisk, content: _Content) -> None:
        self._disk = disk
        self.content = content

    def write(self, offset: int, data: bytes) -> None:
        now = self.content.now
        if offset > len(now):
            now.extend(bytes(offset - len(now)))
        now[offset : offset + len(data)] = data

    def datasync(self) -> None:
        self.content.synced = bytes(self.content.now)

    def is_removed(self) -> bool:
        return not any(content is self.content for content in self._disk._files.values())

    def close(self) -> None:
        pass


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _apply(names: dict[str, _Content], change: _NameChange) -> None:
    for name, content in change.names.items():
        if content is None:
            names.pop(name, None)
        else:
            names[name] = content


def _torn(content: _Content, rng: random.Random) -> bytes:
    """What is left of a file: each block as synced or as written, and a length anywhere between the
    two."""
    now, synced = bytes(content.now), content.synced
    if now == synced or rng.random() < 0.2:
        return synced
    if rng.random() < 0.2:
        return now
    length = rng.randint(min(len(now), len(synced)), max(len(now), len(synced)))
    seam = rng.randint(
        0, max(len(now), 1)
    )  # a write often gets as far as some byte, and no further
    by_block = rng.random() < 0.5
    out = bytearray(synced[:length].ljust(length, b"\0"))
    for at in range(0, length, _BLOCK):
        end = min(at + _BLOCK, length)
        if by_block:
            if rng.random() < 0.5:
                out[at:end] = now[at:end].ljust(end - at, b"\0")
        elif at < seam:
            end = min(end, seam)
            out[at:end] = now[at:end].ljust(end - at, b"\0")
    return bytes(out)
