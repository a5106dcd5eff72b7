"""Games that are over, compressed at rest: `games/ID.wlog.gz` in place of `games/ID.wlog`.

Rules of this file:
- Whoever uses the disk sees `games/ID.wlog` with its own bytes and its own length. Nothing else
  knows that a file is packed.
- A packed file is an ordinary gzip file (RFC 1952): gunzip alone gives the log back.
- A file is unpacked before anything is written to it. The plain file is in its place, durably,
  before the packed one is removed, and the other way round; where a crash leaves both, they hold
  the same, and the plain one counts.
- Nothing is removed that has not been read back and found equal.
"""

from __future__ import annotations

import errno
import gzip
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

from attrs import define, field

from warledger.engine.store.disk import Disk, DiskFile
from warledger.engine.store.gamefile import FOLDER, SUFFIX

T = TypeVar("T")

PACKED: Final = ".gz"
UNFINISHED: Final = ".new"
BYTES_MAX: Final = 1 << 30
"""Bytes. A longer file stays as it is: it is unpacked in memory."""
KEPT_BYTES_MAX: Final = 64 << 20
"""The game that was read last is kept unpacked if it has no more bytes than this."""
_LENGTH_BYTES: Final = 4  # at the end of a gzip file: how long it is unpacked


@define(eq=False)
class PackedDisk:
    """A disk whose games' files may be packed. See `disk.Disk`."""

    disk: Disk
    _lock: threading.Lock = field(factory=threading.Lock)
    _last: tuple[str, bytes] = ("", b"")

    def where(self, path: str) -> str:
        return self.disk.where(path)

    def exists(self, path: str) -> bool:
        return self.disk.exists(path) or self._is_packed(path)

    def list(self, path: str) -> list[str]:
        names = self.disk.list(path)
        if path != FOLDER:
            return names
        ending = SUFFIX + PACKED
        return sorted({one[: -len(PACKED)] if one.endswith(ending) else one for one in names})

    def size(self, path: str) -> int:
        return self._either(path, self.disk.size, self._length)

    def read(self, path: str, start: int = 0, count: int | None = None) -> bytes:
        def plain(path: str) -> bytes:
            return self.disk.read(path, start, count)

        def unpacked(path: str) -> bytes:
            data = self._unpacked(path)
            return data[start:] if count is None else data[start : start + count]

        return self._either(path, plain, unpacked)

    def make_folder(self, path: str) -> None:
        self.disk.make_folder(path)

    def open(self, path: str) -> DiskFile:
        self._unpack(path)
        return self.disk.open(path)

    def is_at(self, path: str, file: DiskFile) -> bool:
        return self.disk.is_at(path, file)

    def rename(self, old: str, new: str) -> None:
        self._unpack(old)
        self.disk.rename(old, new)
        self._forget(new)

    def remove(self, path: str) -> None:
        if self.disk.exists(path):
            self.disk.remove(path)
            self._forget(path)
        elif self._is_packed(path):
            self._forget(path)
        else:
            self.disk.remove(path)

    def truncate(self, path: str, size: int) -> None:
        self._unpack(path)
        self.disk.truncate(path, size)

    def sync_folder(self, path: str) -> None:
        self.disk.sync_folder(path)

    def lock(self, path: str) -> Callable[[], None]:
        return self.disk.lock(path)

    # Packing

    def pack(self, path: str) -> int:
        """Pack a game's file, which nobody may be writing to. Returns how many bytes that saves; 0
        if the file is packed already or would gain too little. Raises OSError, and then the file
        counts as it was."""
        with self._lock:
            if not _is_game(path) or not self.disk.exists(path):
                return 0
            size = self.disk.size(path)
            data = self.disk.read(path) if size <= BYTES_MAX else b""
            packed = gzip.compress(data, 9, mtime=0)
            if not data or len(packed) > len(data) * 9 // 10:
                return 0
            self._write_whole(path + PACKED, packed)
            if _gunzipped(self.disk.read(path + PACKED), path) != data:
                raise OSError(errno.EIO, "what was written is not what was read", path)
            self._last = ("", b"")
            self.disk.remove(path)
            self.disk.sync_folder(FOLDER)
            return len(data) - len(packed)

    def unpack(self, path: str) -> bool:
        """Unpack a game's file; False if it is not packed."""
        found = self._is_packed(path)
        self._unpack(path)
        return found

    def is_packed(self, path: str) -> bool:
        """Whether the file is packed."""
        return self._is_packed(path) and not self.disk.exists(path)

    def _is_packed(self, path: str) -> bool:
        return _is_game(path) and self.disk.exists(path + PACKED)

    def _unpack(self, path: str) -> None:
        if not self._is_packed(path):
            return
        with self._lock:
            if not self.disk.exists(path):
                self._write_whole(path, _gunzipped(self.disk.read(path + PACKED), path))
            # Where both stand a crash came between, and the plain one may have grown since.
            self._forget(path)
            self.disk.sync_folder(FOLDER)

    def _forget(self, path: str) -> None:
        """Remove the packed file of a path, if there is one."""
        self._last = ("", b"")
        if _is_game(path):
            with suppress(FileNotFoundError):
                self.disk.remove(path + PACKED)

    def _write_whole(self, path: str, data: bytes) -> None:
        unfinished = path + UNFINISHED
        if self.disk.exists(unfinished):
            self.disk.remove(unfinished)
        file = self.disk.open(unfinished)
        try:
            file.write(0, data)
            file.datasync()
        finally:
            file.close()
        self.disk.rename(unfinished, path)
        self.disk.sync_folder(FOLDER)

    # Reading

    def _either(self, path: str, plain: Callable[[str], T], packed: Callable[[str], T]) -> T:
        """What the plain file says or, where there is none, the packed one."""
        try:
            return plain(path)
        except FileNotFoundError:
            if not _is_game(path):
                raise
            try:
                return packed(path)
            except FileNotFoundError:
                # A server may have unpacked it between the two looks.
                return plain(path)

    def _length(self, path: str) -> int:
        size = self.disk.size(path + PACKED)
        end = self.disk.read(path + PACKED, max(0, size - _LENGTH_BYTES), _LENGTH_BYTES)
        return int.from_bytes(end, "little")

    def _unpacked(self, path: str) -> bytes:
        name, data = self._last
        if name == path and self.disk.exists(path + PACKED):
            return data
        data = _gunzipped(self.disk.read(path + PACKED), path)
        if len(data) <= KEPT_BYTES_MAX:
            self._last = (path, data)
        return data


def _is_game(path: str) -> bool:
    return path.startswith(FOLDER + "/") and path.endswith(SUFFIX)


def _gunzipped(packed: bytes, path: str) -> bytes:
    """The bytes of a gzip file. Raises OSError if it is damaged, or longer than ours are."""
    unpacking = zlib.decompressobj(31)
    try:
        data = unpacking.decompress(packed, BYTES_MAX)
    except zlib.error as error:
        raise OSError(errno.EIO, f"the packed file is damaged ({error})", path) from error
    if not unpacking.eof or unpacking.unused_data:
        raise OSError(errno.EIO, "the packed file is damaged", path)
    return data


__all__ = ["PACKED", "PackedDisk"]
