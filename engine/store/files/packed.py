"""A game that is over may be kept compressed: `games/ID.wlog.gz` in place of `games/ID.wlog`.

Rules of this file:
- A packed file is an ordinary gzip file (RFC 1952), and is unpacked whole.
- It is unpacked before anything is written to it: a game's file is opened by `opened` alone.
- Neither form is removed before the other is durable and has been read back and found equal. Where
  a crash leaves both, the plain one counts, for it may have grown since.
"""

from __future__ import annotations

import errno
import gzip
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import Final, TypeVar

from attrs import define

from warledger.engine.store.files.disk import Disk, DiskFile, write_whole

T = TypeVar("T")

PACKED: Final = ".gz"
BYTES_MAX: Final = 1 << 30
"""Bytes. A longer file stays as it is, and a packed one is not unpacked beyond that."""
LEVEL: Final = 6
"""How hard is tried. 9 takes several times as long and saves no hundredth more."""


@define(eq=False)
class Reader:
    """Reads games' files in either form. What was unpacked last stays in memory, since a long game
    is read in many parts. Raises FileNotFoundError, and OSError for a damaged file."""

    disk: Disk
    _last: tuple[str, bytes] = ("", b"")

    def size(self, path: str) -> int:
        """How long the file is, unpacked."""
        return _either(partial(self.disk.size, path), lambda: len(self._unpacked(path)))

    def read(self, path: str, start: int, count: int) -> bytes:
        """Its bytes from start, at most count."""

        def part() -> bytes:
            last, data = self._last
            if last != path or len(data) < start + count:  # it may have grown since
                data = self._unpacked(path)
            return data[start : start + count]

        return _either(partial(self.disk.read, path, start, count), part)

    def _unpacked(self, path: str) -> bytes:
        data = _gunzipped(self.disk.read(path + PACKED), path)
        self._last = path, data
        return data


def pack(disk: Disk, path: str) -> int:
    """Pack a game's file, which nobody may be writing to. Returns how many bytes that saves; 0 if
    it is too long, or would gain too little. Raises OSError, and then it counts as it was."""
    plain = disk.read(path) if disk.size(path) <= BYTES_MAX else b""
    packed = gzip.compress(plain, LEVEL, mtime=0)
    if len(packed) > len(plain) * 9 // 10:
        return 0
    if _gunzipped(packed, path) != plain:
        raise OSError(errno.EIO, "what was packed is not what is unpacked", path)
    write_whole(disk, path + PACKED, packed, reads_back=True)
    disk.remove(path)
    disk.sync_folder(path.rpartition("/")[0])
    return len(plain) - len(packed)


def unpack(disk: Disk, path: str) -> bool:
    """Have a game's file in its plain form alone; False if it was. Raises OSError, and then it
    counts as it was."""
    if not disk.exists(path + PACKED):
        return False
    if not disk.exists(path):
        write_whole(disk, path, _gunzipped(disk.read(path + PACKED), path), reads_back=True)
    disk.remove(path + PACKED)
    disk.sync_folder(path.rpartition("/")[0])
    return True


def opened(disk: Disk, path: str) -> DiskFile:
    """A game's file, open for writing: unpacked, or made if there is none."""
    unpack(disk, path)
    return disk.open(path)


def _either(plain: Callable[[], T], packed: Callable[[], T]) -> T:
    """What the plain file says or, where there is none, the packed one."""
    with suppress(FileNotFoundError):
        return plain()
    with suppress(FileNotFoundError):
        return packed()
    return plain()  # a server may have unpacked it between the two looks


def _gunzipped(packed: bytes, path: str) -> bytes:
    """The bytes of a gzip file. Raises OSError if it is damaged or too long."""
    try:
        plain = gzip.GzipFile(fileobj=BytesIO(packed)).read(BYTES_MAX + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise OSError(errno.EIO, f"the packed file is damaged ({error})", path) from error
    if len(plain) > BYTES_MAX:
        raise OSError(errno.EFBIG, "the packed file is too long", path)
    return plain
