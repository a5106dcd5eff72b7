"""A consistent copy of a data directory, taken while the server runs on it.

Why the copy is consistent: a data directory is its checkpoint, the segments from the checkpoint's
first on, and of each game's file the bytes the checkpoint calls synced. Segments and games' files
only grow, and the synced bytes of a file never change. So it is enough to read a checkpoint and
segments that belong together. `datadir.recover` does that (if a checkpoint came between, it reads
again). Then just the synced bytes of each game are copied. The copy is the store at the moment the
last segment was read: every append acknowledged before the backup began is in it, and of a batch in
progress all or nothing. The store of tournaments is another one.

Rules of this file:
- The marker is written last: a backup that was interrupted is not a data directory.
- How far an archive has followed a fleet is read before its games, since it must not be ahead of
  them in the copy.
- A database (`*.db`: accounts) is copied by SQLite, as of one moment.
- What is only kept to save work (`cache`) is not copied.
- Other files in the directory (keys, settings) are copied as they are; their owners replace them
  whole, by renaming.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from attrs import frozen

from warledger.engine.store.files import datadir
from warledger.engine.store.files.batches import BadSegment, parse_segment
from warledger.engine.store.files.disk import UNFINISHED, Disk, RealDisk, write_whole
from warledger.engine.store.files.gamefile import GameFiles, path_of
from warledger.engine.store.port import Damaged, DataDirError

_COPY_BYTES = 1024 * 1024
_DATABASE = ".db"
_DATABASES_LOGS = (".db-wal", ".db-shm", ".db-journal")
_OWN = (
    datadir.MARKER,
    datadir.LOCK,
    datadir.CHECKPOINT,
    datadir.WAL,
    datadir.GAMES,
    datadir.CACHE,
    datadir.LEDGERS,
    datadir.PLACE,
)


@frozen
class Backup:
    """What a backup copied: games, bytes, and the games that were found damaged (they are copied as
    they are)."""

    games: int
    byte_count: int
    damaged: tuple[Damaged, ...]


def backup(data_dir: str | os.PathLike[str], dest: str | os.PathLike[str]) -> Backup:
    """Copy a data directory to `dest`, which must be missing or empty. Blocking: a server calls it
    in a thread.

    Raises DataDirError if the source cannot be read or the destination cannot be used; `check` the
    copy afterwards.
    """
    source, target = Path(data_dir), RealDisk(dest)
    if Path(dest).resolve().is_relative_to(source.resolve()):
        raise DataDirError(f"{dest} lies inside the directory to be copied; name one outside it")
    if not datadir.check_marker(RealDisk(source)):
        raise DataDirError(f"there is no data directory at {source}")
    made = Backup(0, 0, ())
    try:
        target.make_folder("")
        if target.list(""):
            raise DataDirError(f"{dest} is not empty; name a new directory for the copy")
        # The main one last: it has the marker without which the whole is not a data directory.
        for place in reversed(datadir.stores(source)):
            copy = _backup_one(place, Path(dest) / place.relative_to(source))
            made = Backup(
                made.games + copy.games,
                made.byte_count + copy.byte_count,
                (*made.damaged, *copy.damaged),
            )
    except OSError as error:
        raise DataDirError(
            f"the backup to {dest} failed: {error.strerror or error}; remove what is "
            "there and try again"
        ) from error
    return made


def _backup_one(source: Path, dest: Path) -> Backup:
    disk, target = datadir.disk_of(source), RealDisk(dest)
    target.make_folder("")
    place = _place_of(source)
    recovered = datadir.recover(disk, alone=False)
    copied = _copy_shared(target, recovered)
    damaged: list[Damaged] = recovered.files.damages()
    for game, size in recovered.files.synced_sizes().items():
        try:
            copied += _copy_game(recovered.files, target, game, size)
        except Damaged as error:
            damaged.append(error)
    _copy_others(source, dest)
    if place:
        write_whole(target, datadir.PLACE, place)
    for folder in (datadir.GAMES, datadir.WAL, ""):
        target.sync_folder(folder)
    write_whole(target, datadir.MARKER, disk.read(datadir.MARKER))
    return Backup(len(recovered.files), copied, tuple(damaged))


def _place_of(source: Path) -> bytes:
    try:
        return (source / datadir.PLACE).read_bytes()
    except FileNotFoundError:
        return b""


def _copy_shared(target: Disk, recovered: datadir.Recovered) -> int:
    target.make_folder(datadir.GAMES)
    target.make_folder(datadir.WAL)
    copied = 0
    for number, data in recovered.snapshot.segments:
        with suppress(BadSegment):  # a damaged game is copied as it is
            data = data[
                : parse_segment(data).end
            ]  # without the space laid out ahead, or a batch that is still being written
        _write(target, datadir.segment_path(number), data)
        copied += len(data)
    write_whole(target, datadir.CHECKPOINT, recovered.snapshot.checkpoint)
    return copied + len(recovered.snapshot.checkpoint)


def _copy_game(files: GameFiles, target: Disk, game: str, size: int) -> int:
    if size == 0:  # all of it is in the segments
        return 0
    file = target.open(path_of(game))
    try:
        for at in range(0, size, _COPY_BYTES):
            file.write(at, files.read_synced(game, at, min(_COPY_BYTES, size - at)))
        file.datasync()
    finally:
        file.close()
    return size


def _copy_others(source: Path, dest: Path) -> None:
    for entry in sorted(source.iterdir()):
        if entry.name.endswith(_DATABASES_LOGS) or entry.name.startswith(datadir.LISTS):
            continue
        if entry.name.endswith(_DATABASE) and entry.is_file() and not entry.is_symlink():
            _copy_database(entry, dest / entry.name)
            continue
        if entry.name in _OWN or entry.name.endswith(UNFINISHED) or entry.is_symlink():
            continue
        if entry.is_dir():
            shutil.copytree(entry, dest / entry.name, symlinks=True)
        elif entry.is_file():
            shutil.copy2(entry, dest / entry.name)


def _copy_database(source: Path, dest: Path) -> None:
    """A database as of one moment, whoever is writing to it."""
    fd = os.open(dest, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    os.close(fd)
    try:
        with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(dest)) as copy:
            live.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise OSError(f"{source.name}: {error}") from None
    fd = os.open(dest, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _write(target: Disk, path: str, data: bytes) -> None:
    file = target.open(path)
    try:
        file.write(0, data)
        file.datasync()
    finally:
        file.close()
