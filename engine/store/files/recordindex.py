"""Where the records of a long game begin in its file. It is kept beside it, so that the first use
after a start need not go through every frame.

It is a cache: the bytes of the file up to a record that it names are compared with their check sum.
If they are others, or it cannot be read, the file is gone through as without it. So a damaged file
is found as before, at its first use. Only the server that has the directory to itself reads and
writes it; `check`, `backup` and audits go through every frame.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from contextlib import suppress
from typing import Final
from zlib import crc32

from attrs import frozen

from warledger.engine.store.files.disk import Disk

FOLDER: Final = "cache"
FROM: Final = 2048
"""A game with fewer records is gone through as quickly."""
_MAGIC: Final = b"warledger marks 1\n"
_DIGEST_BYTES: Final = 32
_NUMBER_BYTES: Final = 8


@frozen
class Marks:
    """The places of one record in every few, up to the record that begins at `end`, and the
    checksum of the file's bytes before that."""

    end: int
    crc: int
    places: array[int]

    def are_of(self, data: bytes) -> bool:
        """Whether a file that begins with these bytes is the one they were taken from."""
        return self.end <= len(data) and crc32(memoryview(data)[: self.end]) == self.crc


def path_of(game: str) -> str:
    """The path of a game's marks in the data directory."""
    return f"{FOLDER}/{game}.marks"


def taken(data: bytes, places: array[int]) -> Marks | None:
    """The marks of a file that begins with these bytes; `places` may lie beyond them. None if there
    are none."""
    count = len(places)
    while count and places[count - 1] > len(data):
        count -= 1
    if not count:
        return None
    end = places[count - 1]
    return Marks(end, crc32(memoryview(data)[:end]), places[: count - 1])


def keep(disk: Disk, game: str, marks: Marks) -> None:
    """Keep a game's marks. Nothing is synced: what a crash leaves has another digest. A disk that
    fails costs the marks and nothing else."""
    path = path_of(game)
    with suppress(OSError):
        disk.make_folder(FOLDER)
        if disk.exists(path + ".new"):
            disk.remove(path + ".new")
        file = disk.open(path + ".new")
        try:
            file.write(0, _as_bytes(game, marks))
        finally:
            file.close()
        disk.rename(path + ".new", path)


def read(disk: Disk, game: str) -> Marks | None:
    """The marks that are kept of a game, or None."""
    try:
        data = disk.read(path_of(game))
    except OSError:
        return None
    head = len(_MAGIC) + _DIGEST_BYTES
    numbers = data[head:]
    if (
        len(numbers) < 2 * _NUMBER_BYTES
        or len(numbers) % _NUMBER_BYTES
        or data[:head] != _MAGIC + _digest(game, numbers)
    ):
        return None
    places = array("Q")
    places.frombytes(numbers)
    if sys.byteorder == "big":
        places.byteswap()
    return Marks(places[0], places[1], places[2:])


def _as_bytes(game: str, marks: Marks) -> bytes:
    numbers = array("Q", (marks.end, marks.crc))
    numbers.extend(marks.places)
    if sys.byteorder == "big":
        numbers.byteswap()
    told = numbers.tobytes()
    return _MAGIC + _digest(game, told) + told


def _digest(game: str, numbers: bytes) -> bytes:
    return hashlib.sha256(game.encode() + b"\0" + numbers).digest()
