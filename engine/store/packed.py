"""Games that are over, compressed at rest: `games/ID.wlog.gz` in place of `games/ID.wlog`.

Rules of this file:
- Whoever uses the disk sees `games/ID.wlog` with its own bytes and its own length. Nothing else
  knows that a file is packed.
- A packed file is an ordinary gzip file (RFC 1952): gunzip alone gives the log back. It is packed
  in blocks, whose places are in the header, so that any part can be read without the rest. A
  gzip file without that header is read as well, as a whole.
- A file is unpacked before anything is written to it. The plain file is in its place, durably,
  before the packed one is removed, and the other way round; where a crash leaves both, they hold
  the same, and the plain one counts.
- Nothing is removed that has not been read back and found equal.
"""

from __future__ import annotations

import errno
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from struct import Struct, pack, unpack_from
from typing import Final, TypeVar
from zlib import crc32

from attrs import define, field, frozen

from warledger.engine.store.disk import Disk, DiskFile
from warledger.engine.store.gamefile import FOLDER, SUFFIX

T = TypeVar("T")

PACKED: Final = ".gz"
UNFINISHED: Final = ".new"
BYTES_MAX: Final = 1 << 30
"""Bytes. A longer file stays as it is: its index would not fit into a header."""
BLOCK_BYTES: Final = 128 << 10
"""How much is packed as one piece: whatever is read, no more is unpacked beside it."""
LEVEL: Final = 6
"""How hard is tried. 9 takes several times as long and saves no hundredth more."""
_LENGTH_BYTES: Final = 4  # at the end of a gzip file: how long it is unpacked

# RFC 1952: mark, deflate, flags (4: further fields follow), no time, and 255 for an unknown system.
_PLAIN: Final = bytes.fromhex("1f8b08000000000000ff")
_INDEXED: Final = bytes.fromhex("1f8b08040000000000ff")
_EXTRA: Final = Struct("<H2sH")
_OURS: Final = b"WL"
_COUNTS: Final = Struct("<QI")
_EMPTY: Final = b"\x03\x00" + bytes(8)
_TAIL: Final = Struct("<II")
_INDEX_BYTES_MAX: Final = len(_INDEXED) + 2 + 0xFFFF


@define(eq=False)
class PackedDisk:
    """A disk whose games' files may be packed. See `disk.Disk`."""

    disk: Disk
    _lock: threading.Lock = field(factory=threading.Lock)
    _last: tuple[str, int, bytes] = ("", 0, b"")  # the block that was read last

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

        def packed(path: str) -> bytes:
            return self._part(path, start, count)

        return self._either(path, plain, packed)

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

    def plain(self) -> tuple[str, ...]:
        """The ids of the games whose files are not packed, sorted."""
        names = sorted(name for name in self.disk.list(FOLDER) if name.endswith(SUFFIX))
        return tuple(name[: -len(SUFFIX)] for name in names)

    def pack(self, path: str, give_up: Callable[[], bool] = lambda: False) -> int:
        """Pack a game's file, which nobody may be writing to. Returns how many bytes that saves; 0
        if the file is packed already or would gain too little, or `give_up` came to be true. Raises
        OSError, and then the file counts as it was."""
        with self._lock:
            if not _is_game(path) or not self.disk.exists(path):
                return 0
            size = self.disk.size(path)
            if size > BYTES_MAX:
                return 0
            members: list[bytes] = []
            for at in range(0, size, BLOCK_BYTES):
                if give_up():
                    return 0
                members.append(_member(self.disk.read(path, at, min(BLOCK_BYTES, size - at))))
            index = _Index(size, tuple(map(len, members)))
            whole = index.end
            if not size or whole > size * 9 // 10:
                return 0
            self._write_whole(path + PACKED, (index.packed, *members))
            self._last = ("", 0, b"")
            for number, at in enumerate(range(0, size, BLOCK_BYTES)):
                plain = self.disk.read(path, at, min(BLOCK_BYTES, size - at))
                if give_up():
                    self._forget(path)
                    return 0
                if self._block(path, index, number) != plain:
                    self._forget(path)
                    raise OSError(errno.EIO, "what was written is not what was read", path)
            self.disk.remove(path)
            self.disk.sync_folder(FOLDER)
            return size - whole

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
                self._write_whole(path, self._pieces(path))
            # Where both stand a crash came between, and the plain one may have grown since.
            self._forget(path)
            self.disk.sync_folder(FOLDER)

    def _forget(self, path: str) -> None:
        """Remove the packed file of a path, if there is one."""
        self._last = ("", 0, b"")
        if _is_game(path):
            with suppress(FileNotFoundError):
                self.disk.remove(path + PACKED)

    def _write_whole(self, path: str, pieces: Iterable[bytes]) -> None:
        unfinished = path + UNFINISHED
        if self.disk.exists(unfinished):
            self.disk.remove(unfinished)
        file = self.disk.open(unfinished)
        try:
            at = 0
            for piece in pieces:
                file.write(at, piece)
                at += len(piece)
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
        index = self._index(path)
        if index is not None:
            return index.length
        size = self.disk.size(path + PACKED)
        end = self.disk.read(path + PACKED, max(0, size - _LENGTH_BYTES), _LENGTH_BYTES)
        return int.from_bytes(end, "little")

    def _part(self, path: str, start: int, count: int | None) -> bytes:
        """Bytes of the unpacked file; no more than the blocks that hold them are unpacked."""
        index = self._index(path)
        if index is None:
            data = _gunzipped(self.disk.read(path + PACKED), path)
            return data[start:] if count is None else data[start : start + count]
        stop = index.length if count is None else min(start + count, index.length)
        if start >= stop:
            return b""
        first = start // BLOCK_BYTES
        blocks = [
            self._block(path, index, number)
            for number in range(first, (stop - 1) // BLOCK_BYTES + 1)
        ]
        data = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        return data[start - first * BLOCK_BYTES : stop - first * BLOCK_BYTES]

    def _pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of the unpacked file, in order."""
        index = self._index(path)
        if index is None:
            yield _gunzipped(self.disk.read(path + PACKED), path)
            return
        for number in range(len(index.sizes)):
            yield self._block(path, index, number)

    def _index(self, path: str) -> _Index | None:
        """Where the blocks of a packed file are; None if it was packed as one piece. Raises OSError
        if that cannot be told."""
        data = self.disk.read(path + PACKED, 0, _INDEX_BYTES_MAX)
        if not data.startswith(_INDEXED):
            return None
        index = _Index.read(data)
        if index is None or index.end != self.disk.size(path + PACKED):
            raise OSError(errno.EIO, "the packed file is damaged", path)
        return index

    def _block(self, path: str, index: _Index, number: int) -> bytes:
        """One block, unpacked."""
        name, last, data = self._last
        if (name, last) == (path, number) and len(data) == index.length_of(number):
            return data
        at = index.start + sum(index.sizes[:number])
        data = _unpacked(self.disk.read(path + PACKED, at, index.sizes[number]), path)
        if len(data) != index.length_of(number):
            raise OSError(errno.EIO, "the packed file is damaged", path)
        self._last = (path, number, data)
        return data


@frozen
class _Index:
    """Of a packed file: how long it is unpacked, and how many bytes each of its blocks takes."""

    length: int
    sizes: tuple[int, ...]

    @property
    def start(self) -> int:
        """Where the first block begins."""
        return len(_INDEXED) + _EXTRA.size + _COUNTS.size + 4 * len(self.sizes) + 4 + len(_EMPTY)

    @property
    def end(self) -> int:
        return self.start + sum(self.sizes)

    def length_of(self, number: int) -> int:
        """How long a block is unpacked."""
        return min(BLOCK_BYTES, self.length - number * BLOCK_BYTES)

    @property
    def packed(self) -> bytes:
        """The member that holds it: an empty one, with the index in its header."""
        told = _COUNTS.pack(self.length, BLOCK_BYTES) + pack(f"<{len(self.sizes)}I", *self.sizes)
        told += crc32(told).to_bytes(4, "little")
        return _INDEXED + _EXTRA.pack(len(told) + 4, _OURS, len(told)) + told + _EMPTY

    @classmethod
    def read(cls, data: bytes) -> _Index | None:
        """The index at the beginning of a packed file, None if it is damaged."""
        at = len(_INDEXED) + _EXTRA.size
        if len(data) < at + _COUNTS.size:
            return None
        length, block_bytes = _COUNTS.unpack_from(data, at)
        count = -(-length // BLOCK_BYTES)
        at += _COUNTS.size
        if block_bytes != BLOCK_BYTES or len(data) < at + 4 * count:
            return None
        index = cls(length, unpack_from(f"<{count}I", data, at))
        return index if data.startswith(index.packed) else None


def _is_game(path: str) -> bool:
    return path.startswith(FOLDER + "/") and path.endswith(SUFFIX)


def _member(data: bytes) -> bytes:
    """A block as a gzip file of its own."""
    squeezing = zlib.compressobj(LEVEL, wbits=-15)
    squeezed = squeezing.compress(data) + squeezing.flush()
    return _PLAIN + squeezed + _TAIL.pack(crc32(data), len(data))


def _unpacked(member: bytes, path: str) -> bytes:
    """The bytes of a block. Raises OSError if it is damaged."""
    unpacking = zlib.decompressobj(wbits=-15)
    try:
        data = unpacking.decompress(member[len(_PLAIN) : -_TAIL.size], BLOCK_BYTES + 1)
    except zlib.error as error:
        raise OSError(errno.EIO, f"the packed file is damaged ({error})", path) from error
    whole = unpacking.eof and not unpacking.unused_data and member.startswith(_PLAIN)
    if not whole or member[-_TAIL.size :] != _TAIL.pack(crc32(data), len(data)):
        raise OSError(errno.EIO, "the packed file is damaged", path)
    return data


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
