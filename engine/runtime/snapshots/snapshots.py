"""Snapshots of games beside the log, so that a long game need not be folded from its genesis.

A snapshot is a cache and never the truth: no file is audited by one, and a server without any does
the same, more slowly. It counts only for the code that wrote it (`code_of`), its game with that
genesis, and the record after which it was taken, by hash. Whatever differs, cannot be read or has
been cut off is passed over, and the game is folded as if it were not there. Deleting the folder is
harmless at any time.

Two files a game, in the folder `cache` of the data directory:

    GAME.points   entries, appended: a position, or an audience's board, after one record
    GAME.books    replaced whole: what a server knows of the game beside its position

Rules of this file:
- Nothing is synced. A crash may leave anything here; the digest of each entry finds it.
- A disk that fails costs the snapshot, never the request; neither does whatever else lies where a
  file should be: no more than `FILE_MAX` bytes of it are read, and what is not a regular file is
  passed over.
- Safe from any thread: files are changed under one lock.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final

from attrs import define, field, frozen

from warledger.engine.packfiles import sources_digest
from warledger.engine.runtime.snapshots import plaindata
from warledger.engine.runtime.snapshots.plaindata import NoSnapshot
from warledger.engine.store.files.datadir import CACHE
from warledger.engine.store.files.disk import UNFINISHED, Disk

EVERY: Final = 512
"""How many records lie between two positions that are kept, …"""
BOARDS_EVERY: Final = 512
"""… and between two boards of an audience."""
FROM: Final = 512
"""A game with fewer records has no snapshots: folding it takes no longer than reading them."""
FILE_MAX: Final = 64 << 20
"""How many bytes of a file count. What stands behind them is cut off at the next writing, and a
game whose file is full keeps no further entries."""
VALUE_MAX: Final = 256 << 20
"""How many bytes an entry may have when it is unpacked."""
FORMAT: Final = 1
POSITION: Final = ""
"""The kind of an entry that is a position; a board's is its audience, "of " before it."""

_HEAD: Final = struct.Struct(">4sI16sQ32s32s")
"""Mark, length of the body, key, record, the record's hash, digest of all that and the body."""
_MARK: Final = b"wls1"
_HALF: Final = 8
_BOOKS: Final = "books"


@frozen
class Point:
    """One entry: the value after record `seq`, whose hash is `hash`. `packed` is compressed."""

    seq: int
    hash: bytes
    packed: bytes

    def value(self, base: Any) -> Any:
        """What was kept. Raises NoSnapshot."""
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(self.packed, VALUE_MAX)
        except zlib.error as error:
            raise NoSnapshot(str(error)) from error
        if not unpacking.eof:
            raise NoSnapshot("cut off, or too large")
        return plaindata.unpack(data, base)


def point(seq: int, hash: bytes, value: Any, base: Any) -> Point:
    """An entry for a value. Raises NoSnapshot if there can be none."""
    return Point(seq, hash, zlib.compress(plaindata.pack(value, base), 1))


def board_of(audience: str) -> str:
    """The kind of the entries that are an audience's boards."""
    return f"of {audience}"


@cache
def code_of(rules: bytes) -> bytes:
    """The digest of all that makes and reads the snapshots of a title's games; `rules` is that of
    its rules."""
    own = sources_digest(("warledger.engine.runtime",))
    return hashlib.sha256(b"warledger/code/%d" % FORMAT + rules + own).digest()


@define(eq=False)
class Snapshots:
    """The snapshots of one data directory."""

    disk: Disk
    _lock: threading.Lock = field(factory=threading.Lock)

    # Points

    def before(self, of: bytes, game: str, kind: str, seq: int) -> Iterator[Point]:
        """The sound entries of one kind at record `seq` or before it, the newest first. `of` is the
        digest of the game's genesis and of the code."""
        key, data = _key(of, game, kind), self._read(_points(game))
        found = [(head, at) for head, at in _walk(data) if head.key == key and head.seq <= seq]
        for head, at in sorted(found, key=_seq, reverse=True):
            body = data[at : at + head.length]
            if _digest(key, head.seq, head.hash, body) == head.digest:
                yield Point(head.seq, head.hash, body)

    def newest(self, of: bytes, game: str, kind: str) -> int:
        """The record of the newest entry of one kind; 0 if there is none."""
        key = _key(of, game, kind)
        data = self._read(_points(game))
        return max((head.seq for head, _ in _walk(data) if head.key == key), default=0)

    def add(self, of: bytes, game: str, kind: str, entries: Sequence[Point]) -> None:
        """Keep further entries. What stands behind the last whole one is cut off, and a file that
        holds another game's or other code's is begun anew."""
        path, key = _points(game), _key(of, game, kind)
        with self._lock, suppress(OSError):
            data = self._read(path)
            end = 0
            known: set[int] = set()
            for head, at in _walk(data):
                if head.key[:_HALF] != key[:_HALF]:
                    end, known = 0, set()
                    break
                end = at + head.length
                if head.key == key:
                    known.add(head.seq)
            fresh = b"".join(_packed(key, entry) for entry in entries if entry.seq not in known)
            if not fresh or end + len(fresh) > FILE_MAX:
                return
            self.disk.make_folder(CACHE)
            if self.disk.exists(path) and end < self.disk.size(path):
                self.disk.truncate(path, end)
            file = self.disk.open(path)
            try:
                file.write(end, fresh)
            finally:
                file.close()

    # Books

    def books(self, of: bytes, game: str) -> Point | None:
        """What was kept last of the game's books, or None."""
        key, data = _key(of, game, _BOOKS), self._read(_books(game))
        for head, at in _walk(data):
            body = data[at : at + head.length]
            if head.key == key and _digest(key, head.seq, head.hash, body) == head.digest:
                return Point(head.seq, head.hash, body)
        return None

    def keep_books(self, of: bytes, game: str, entry: Point) -> None:
        """Replace them."""
        path = _books(game)
        with self._lock, suppress(OSError):
            self.disk.make_folder(CACHE)
            if self.disk.exists(path + UNFINISHED):
                self.disk.remove(path + UNFINISHED)
            file = self.disk.open(path + UNFINISHED)
            try:
                file.write(0, _packed(_key(of, game, _BOOKS), entry))
            finally:
                file.close()
            self.disk.rename(path + UNFINISHED, path)

    def _read(self, path: str) -> bytes:
        try:
            return self.disk.read(path, 0, min(self.disk.size(path), FILE_MAX))
        except OSError:
            return b""


@frozen
class _Entry:
    length: int
    key: bytes
    seq: int
    hash: bytes
    digest: bytes


def _seq(found: tuple[_Entry, int]) -> int:
    return found[0].seq


def _points(game: str) -> str:
    return f"{CACHE}/{game}.points"


def _books(game: str) -> str:
    return f"{CACHE}/{game}.books"


def _key(of: bytes, game: str, kind: str) -> bytes:
    """Whose an entry is: half for game and code, half for the kind."""
    whose = hashlib.sha256(of + game.encode()).digest()
    return whose[:_HALF] + hashlib.sha256(kind.encode()).digest()[:_HALF]


def _packed(key: bytes, entry: Point) -> bytes:
    digest = _digest(key, entry.seq, entry.hash, entry.packed)
    return _HEAD.pack(_MARK, len(entry.packed), key, entry.seq, entry.hash, digest) + entry.packed


def _digest(key: bytes, seq: int, hash: bytes, body: bytes) -> bytes:
    return hashlib.sha256(
        b"warledger/snapshot/1" + key + seq.to_bytes(8, "big") + hash + body
    ).digest()


def _walk(data: bytes) -> Iterator[tuple[_Entry, int]]:
    """The entries of a file, and where the body of each begins, up to the first place where no
    whole one does. Their digests are not looked at."""
    at = 0
    while at + _HEAD.size <= len(data):
        mark, length, *rest = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        if mark != _MARK or at + length > len(data):
            return
        yield _Entry(length, *rest), at
        at += length
