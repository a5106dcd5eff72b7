"""The data directory: what stands where, how it is made, opened, and recovered after a crash.

Rules of this file:
- Layout: `warledger.data` (marker with the format's number), `lock`, `checkpoint`, `wal/N.wal`
  (segments), `games/ID.wlog` (or `ID.wlog.gz`: see `packed`); where the log was damaged once,
  `losses` and `damaged/` (damaged segments).
- Whatever replaces a file is written beside it, synced and renamed; so a name never stands for a
  half-written file.
- One bad batch does not keep all games shut: `losses` says what a damaged log has taken from which
  games, and those alone are closed.
- Recovery changes nothing by itself: it reads the checkpoint and the segments since and says what
  they hold. Only an opened server cuts a torn tail. So `check`, `backup` and an export may recover
  a directory that a running server is writing.

The checkpoint names each game and how many bytes of its file are synced, the first segment still
needed, and that segment's first batch. Everything later is in the segments, whole. Recovery
therefore does not touch the games' files at all: it costs the reading of the segments, some ten
megabytes at most, however many games there are.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

import msgpack
from attrs import frozen

from warledger.engine.store.files import losses, recordindex
from warledger.engine.store.files.batches import (
    BadSegment,
    Hole,
    Salvaged,
    Segment,
    parse_segment,
    salvage_segment,
    salvage_tail,
    segment_head,
)
from warledger.engine.store.files.disk import UNFINISHED, Disk, DiskFile, RealDisk, write_whole
from warledger.engine.store.files.gamefile import FOLDER, GameFiles, games_in, path_of
from warledger.engine.store.files.losses import ASIDE, Losses, Reading, Wound, is_game_id
from warledger.engine.store.files.packed import PACKED, Reader
from warledger.engine.store.port import (
    Damaged,
    DataDirDamaged,
    DataDirError,
    DataDirForeign,
    DataDirLocked,
    DataDirNewer,
    Frame,
)

FORMAT: Final = 1
MARKER: Final = "warledger.data"
LOCK: Final = "lock"
GAMES: Final = FOLDER
WAL: Final = "wal"
LEDGERS: Final = "tournaments"
"""The folder of the store that tournaments are kept in."""
CHECKPOINT: Final = "checkpoint"
CACHE: Final = recordindex.FOLDER
"""A folder of what can be made again from the rest at any time, and may be deleted at any time."""
LISTS: Final = "lobby.cache"
"""How the names begin of what servers keep there of lists: a cache. In a backup it would be newer
than the games, and say of them what they have not come to."""
PLACE: Final = "archive.json"
"""How far an archive has followed its fleet. A copy of the directory has it from before the games:
an archive that began with a place beyond what it has would never get what lies between."""
_MARKER_TEXT: Final = re.compile(rb"warledger data (\d{1,9})\n")
_CHECKPOINT_MAGIC: Final = b"\x89WCKP\r\n\x01"
_SEGMENT_NAME: Final = re.compile(r"(\d{12})\.wal")
_READ_TRIES: Final = 8


@frozen
class Checkpoint:
    """What is safely in the games' files (their sizes), and where the log continues: the first
    segment that is still needed, and its first batch."""

    first_segment: int
    first_batch: int
    sizes: dict[str, int]


@frozen
class Snapshot:
    """The bytes of the shared files as read at one time: the checkpoint, and the segments from its
    first one on, in order."""

    checkpoint: bytes
    segments: tuple[tuple[int, bytes], ...]


@frozen
class Recovered:
    """What a data directory holds: the games, how the log continues, and what is left to tidy.

    `last_end` is where the last segment's batches end, `torn` whether a torn tail follows there.
    `adopted` games have a file that neither checkpoint nor log knows of: put there by hand.
    `leftovers` are files no longer needed. `losses` is what damage to the log has cost, `wounds`
    where it is damaged, as far as that was not known before.
    """

    files: GameFiles
    snapshot: Snapshot
    first_segment: int
    last_segment: int
    last_end: int
    torn: bool
    next_batch: int
    log_bytes: int
    adopted: tuple[str, ...]
    leftovers: tuple[str, ...]
    losses: Losses
    wounds: tuple[Wound, ...]


@frozen
class OpenSegment:
    """A segment open for writing: its number, path, mark and file, and where its batches begin."""

    number: int
    path: str
    mark: bytes
    file: DiskFile
    start: int


def disk_of(data_dir: str | os.PathLike[str] | Disk) -> Disk:
    """The disk behind a path; a Disk is returned as it is."""
    return RealDisk(data_dir) if isinstance(data_dir, str | os.PathLike) else data_dir


def segment_path(number: int) -> str:
    return f"{WAL}/{number:012}.wal"


# Opening


_OF_A_DESK = ("server.key", "server.key.older", "server.pub", "tournaments")
"""What a director's desk leaves in a directory: a server may take it over."""


def check_marker(disk: Disk) -> bool:
    """True if the directory is ours, False if it is missing or empty. Raises DataDirForeign,
    DataDirNewer, DataDirError."""
    try:
        names = [
            name
            for name in disk.list("")
            if name not in (LOCK, MARKER + UNFINISHED, "lost+found", *_OF_A_DESK)
        ]
        if MARKER not in names:
            if names:
                raise DataDirForeign(
                    f"{disk.where('')} holds files that are not Warledger's (such as "
                    f"{names[0]!r}) and no {MARKER}; "
                    "a server needs an empty or a new directory"
                )
            return False
        marker = _MARKER_TEXT.fullmatch(disk.read(MARKER, 0, 64))
    except NotADirectoryError:
        raise DataDirForeign(
            f"{disk.where('')} is a file, not a directory; a server needs an empty or a "
            "new directory"
        ) from None
    except OSError as error:
        raise _cannot_open(disk, error) from error
    if marker is None:
        raise DataDirForeign(
            f"{disk.where(MARKER)} does not say what it should; this is not a data "
            "directory of Warledger's"
        )
    if int(marker[1]) > FORMAT:
        raise DataDirNewer(
            f"{disk.where('')} was written by a later release (data format "
            f"{int(marker[1])}; this one reads up to {FORMAT}); "
            "start that release, or a newer one"
        )
    return True


def mark(disk: Disk) -> None:
    """Make a folder a data directory, whatever is in it already. Raises DataDirError."""
    try:
        disk.make_folder("")
        if not disk.exists(MARKER):
            write_whole(disk, MARKER, f"warledger data {FORMAT}\n".encode())
    except OSError as error:
        raise _cannot_open(disk, error) from error


def lock(disk: Disk) -> Callable[[], None]:
    """Lock the directory for this server. Returns what releases it. Raises DataDirLocked."""
    try:
        disk.make_folder("")
        return disk.lock(LOCK)
    except BlockingIOError:
        holder = ""
        try:
            number = disk.read(LOCK, 0, 20).decode("ascii", "replace").strip()
            holder = f" (process {number})" if number else ""
        except OSError:
            pass
        raise DataDirLocked(
            f"another server{holder} is using {disk.where('')}; stop it first, or give "
            "this one a directory of its own"
        ) from None
    except OSError as error:
        raise _cannot_open(disk, error) from error


def prepare(disk: Disk, random_bytes: Callable[[int], bytes]) -> None:
    """Make what a new directory needs, or finish making it. The caller holds the lock."""
    try:
        if not check_marker(disk):
            mark(disk)
        for folder in (GAMES, WAL):
            if not disk.exists(folder):
                disk.make_folder(folder)
        if not disk.exists(CHECKPOINT):
            _begin(disk, random_bytes)
    except OSError as error:
        raise _cannot_open(disk, error) from error


def _begin(disk: Disk, random_bytes: Callable[[int], bytes]) -> None:
    # The checkpoint is written last. Without one the directory must be as good as new, or something
    # has been removed from it.
    numbers = _segment_numbers(disk)
    if (
        games_in(disk)
        or numbers not in ([], [1])
        or (numbers and _parse_segment(disk, 1, disk.read(segment_path(1))).batches)
    ):
        raise DataDirDamaged(disk.where(CHECKPOINT), 0, "the file is missing")
    if not numbers:
        new_segment(disk, 1, 1, 0, random_bytes).file.close()
    disk.sync_folder(
        WAL
    )  # the segment may be left from a start that was killed before its name was durable
    write_checkpoint(disk, Checkpoint(1, 1, {}))


def _cannot_open(disk: Disk, error: OSError) -> DataDirError:
    what = (
        "it may not be written"
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        else error.strerror or str(error)
    )
    return DataDirError(f"the data directory {disk.where('')} cannot be opened: {what}")


# Writing


def write_checkpoint(disk: Disk, checkpoint: Checkpoint) -> None:
    """Make this the checkpoint, durably."""
    body = msgpack.packb([checkpoint.first_segment, checkpoint.first_batch, checkpoint.sizes])
    write_whole(disk, CHECKPOINT, _CHECKPOINT_MAGIC + crc32(body).to_bytes(4, "big") + body)


def new_segment(
    disk: Disk, number: int, first_batch: int, room: int, random_bytes: Callable[[int], bytes]
) -> OpenSegment:
    """Make a segment with `room` bytes of zeros laid out ahead, so that syncing what overwrites
    them is only a sync of data."""
    mark = random_bytes(8)
    head = segment_head(number, first_batch, mark)
    path = segment_path(number)
    unfinished = path + UNFINISHED
    if disk.exists(unfinished):
        disk.remove(unfinished)
    file = disk.open(unfinished)
    try:
        file.write(0, head + bytes(room))
        file.datasync()
        disk.rename(unfinished, path)
        disk.sync_folder(WAL)
    except BaseException:
        file.close()
        raise
    return OpenSegment(number, path, mark, file, len(head))


# Recovering


def recover(disk: Disk, *, alone: bool) -> Recovered:
    """Report what the directory holds, and what of it is lost, without changing anything. Raises
    DataDirDamaged if nothing can be said about any game.

    With `alone` the caller holds the lock. Otherwise a server may be writing: segments may vanish
    behind a new checkpoint, and a batch may be seen half written. Then it is read again, and only
    what is still wrong is damage.
    """
    tries = 1 if alone else _READ_TRIES
    while True:
        tries -= 1
        try:
            return _recover(disk, take_snapshot(disk), alone=alone, salvages=tries < 0)
        except (DataDirDamaged, FileNotFoundError) as error:
            if tries < 0:
                if isinstance(error, FileNotFoundError):
                    raise DataDirDamaged(
                        disk.where(CHECKPOINT), 0, "a file it needs is missing"
                    ) from error
                raise


def keep_losses(disk: Disk, recovered: Recovered) -> None:
    """Keep aside what is damaged, and store what it has cost, before anything is built on what is
    left. The caller holds the lock."""
    if not recovered.wounds:
        return
    disk.make_folder(ASIDE)
    hurt = {wound.place for wound in recovered.wounds}
    for number, data in recovered.snapshot.segments:
        path = segment_path(number)
        aside = f"{ASIDE}/{path.rpartition('/')[2]}"
        if disk.where(path) in hurt and not disk.exists(aside):
            write_whole(disk, aside, data)
    write_losses(disk, recovered.losses)


def write_losses(disk: Disk, found: Losses) -> None:
    """Store them, durably. The caller holds the lock."""
    write_whole(disk, losses.FILE, losses.as_bytes(found))


def reopen(disk: Disk, games: Sequence[str]) -> tuple[str, ...]:
    """Let games that are held accept commands again, and return those that do. Raises DataDirError,
    also if a server has locked the directory."""
    unlock = lock(disk)
    try:
        keep_losses(disk, recovered := recover(disk, alone=True))
        found = recovered.losses
        freed = tuple(game for game in games if found.held.pop(game, None) is not None)
        if freed:
            write_losses(disk, found)
    except OSError as error:
        raise _cannot_open(disk, error) from error
    finally:
        unlock()
    return freed


def settle(disk: Disk, recovered: Recovered) -> None:
    """Make the disk agree with what recovery found, before anything is built on it. The caller
    holds the lock.

    The last run may have been killed between a write and its sync: what was read then may still be
    only in the operating system's memory. So the checkpoint's name and the last segment are synced
    first. A torn tail is cut, or the next run would take it for damage once batches follow in a new
    segment.
    """
    disk.sync_folder("")
    last = segment_path(recovered.last_segment)
    if recovered.torn:
        disk.truncate(last, recovered.last_end)
    _sync_file(disk, last)
    for game in recovered.adopted:
        path = path_of(game)
        _sync_file(disk, path if disk.exists(path) else path + PACKED)
    if recovered.adopted:
        disk.sync_folder(GAMES)
    for path in recovered.leftovers:
        disk.remove(path)


def _sync_file(disk: Disk, path: str) -> None:
    file = disk.open(path)
    try:
        file.datasync()
    finally:
        file.close()


def open_readonly(data_dir: str | os.PathLike[str] | Disk) -> GameFiles:
    """The games of a directory as they are now, for reading only, whether or not a server is
    running on it. Raises DataDirError."""
    disk = disk_of(data_dir)
    if not check_marker(disk):
        raise DataDirError(f"there is no data directory at {disk.where('')}")
    try:
        return recover(disk, alone=False).files
    except OSError as error:
        raise _cannot_open(disk, error) from error


def read_game(data: Path, game: str) -> list[Frame]:
    """A game's durable frames; possible while a server is running. Raises UnknownGame, Damaged,
    DataDirError."""
    return open_readonly(data).read(game)


def all_games(data: Path) -> list[str]:
    """The ids of all games of a data directory, sorted. Raises DataDirError."""
    return sorted(open_readonly(data).games())


def stores(data: Path) -> list[Path]:
    """The folders of everything that is kept as a store: the games', then the tournaments'."""
    found = data / LEDGERS
    begun = found.is_dir() and any(
        entry.name not in (LOCK, MARKER + UNFINISHED) for entry in found.iterdir()
    )
    return [data, *([found] if begun else [])]


def refuse_shards(data: Path) -> None:
    """Raise DataDirError where an earlier release kept games for several processes."""
    folder = data / "shards"
    if any(folder.glob(f"*/{MARKER}")):
        raise DataDirError(
            f"{folder} holds games of `serve --workers`, which this release does not have: stop "
            f"the earlier release in good order, then move the files of {folder}/*/{GAMES} to "
            f"{data / GAMES} and remove {folder}"
        )


def take_snapshot(disk: Disk) -> Snapshot:
    """Read the checkpoint and the segments from its first on."""
    try:
        checkpoint = disk.read(CHECKPOINT)
    except FileNotFoundError:
        raise DataDirDamaged(disk.where(CHECKPOINT), 0, "the file is missing") from None
    first = _parse_checkpoint(disk, checkpoint).first_segment
    # In order: if a later one were read first, an earlier one might lack batches that the later one
    # continues from.
    segments = [
        (number, disk.read(segment_path(number)))
        for number in _segment_numbers(disk)
        if number >= first
    ]
    return Snapshot(checkpoint, tuple(segments))


def _recover(disk: Disk, snapshot: Snapshot, *, alone: bool, salvages: bool) -> Recovered:
    checkpoint = _parse_checkpoint(disk, snapshot.checkpoint)
    files = GameFiles(disk, alone=alone)
    for game, size in checkpoint.sizes.items():
        files.adopt(game, size)
    next_batch = checkpoint.first_batch
    number = checkpoint.first_segment
    reading = Reading(disk, files, salvages, losses.read(disk))
    segment: Salvaged | None = None
    before = b""
    for found, data in snapshot.segments:
        if found != number:
            break
        last, segment = segment, _read_segment(disk, number, data, salvages=salvages)
        if segment.first_batch != next_batch or (last is not None and last.torn):
            _between(disk, reading, last, before, segment, next_batch)
        path = segment_path(number)
        for piece in segment.pieces:
            if isinstance(piece, Hole):
                reading.hole(path, piece)
            else:
                reading.batch(path, piece)
        next_batch, before = segment.next_batch, data
        number += 1
    if segment is None or (snapshot.segments and snapshot.segments[-1][0] >= number):
        raise DataDirDamaged(disk.where(segment_path(number)), 0, "the segment is missing")
    # Files put into games/ by hand: one game from a backup, say.
    adopted = [game for game in games_in(disk) if game not in files and is_game_id(game)]
    for game in adopted:
        try:
            files.adopt(game, Reader(disk).size(path_of(game)))
        except OSError as error:
            what = f"it cannot be read: {error.strerror or error}"
            files.close(Damaged(game, disk.where(path_of(game)), 0, what))
    reading.finish()
    leftovers = [
        f"{WAL}/{name}" for name in disk.list(WAL) if _is_leftover(name, checkpoint.first_segment)
    ]
    return Recovered(
        files=files,
        snapshot=snapshot,
        first_segment=checkpoint.first_segment,
        last_segment=segment.number,
        last_end=segment.end,
        torn=segment.torn,
        next_batch=next_batch,
        log_bytes=reading.log_bytes,
        adopted=tuple(adopted),
        leftovers=tuple(leftovers),
        losses=reading.losses,
        wounds=tuple(reading.wounds),
    )


def _between(
    disk: Disk,
    reading: Reading,
    last: Salvaged | None,
    data: bytes,
    segment: Salvaged,
    next_batch: int,
) -> None:
    """A segment begins with another batch than should follow, or follows one that was cut short."""
    number = segment.number
    place, at = (number, 0) if last is None else (last.number, last.end)
    what = (
        f"batch {next_batch} should follow, yet segment {number} begins with batch "
        f"{segment.first_batch}"
    )
    if last is not None and last.torn:
        what = f"no sound batch is here, yet segment {number} goes on behind it"
    if not reading.salvages or segment.first_batch < next_batch:
        raise DataDirDamaged(disk.where(segment_path(place)), at, what)
    if last is None:
        reading.hole(segment_path(place), Hole(0, 0, next_batch, segment.first_batch, what))
    elif segment.first_batch > next_batch:
        for piece in salvage_tail(data, last, segment.first_batch):
            if isinstance(piece, Hole):
                reading.hole(segment_path(place), piece)
            else:
                reading.batch(segment_path(place), piece)


def _segment_numbers(disk: Disk) -> list[int]:
    return [int(match[1]) for name in disk.list(WAL) if (match := _SEGMENT_NAME.fullmatch(name))]


def _is_leftover(name: str, first_segment: int) -> bool:
    match = _SEGMENT_NAME.fullmatch(name)
    return name.endswith(UNFINISHED) or (match is not None and int(match[1]) < first_segment)


def _read_segment(disk: Disk, number: int, data: bytes, *, salvages: bool) -> Salvaged:
    if not salvages:
        found = _parse_segment(disk, number, data)
        return Salvaged(
            number, found.first_batch, found.batches, found.next_batch, found.end, found.torn
        )
    try:
        return salvage_segment(data, number)
    except BadSegment as error:
        raise DataDirDamaged(disk.where(segment_path(number)), error.offset, error.what) from error


def _parse_segment(disk: Disk, number: int, data: bytes) -> Segment:
    where = disk.where(segment_path(number))
    try:
        segment = parse_segment(data)
    except BadSegment as error:
        raise DataDirDamaged(where, error.offset, error.what) from error
    if segment.number != number:
        raise DataDirDamaged(where, 0, f"the file says it is segment {segment.number}")
    return segment


def _parse_checkpoint(disk: Disk, data: bytes) -> Checkpoint:
    where = disk.where(CHECKPOINT)
    head = len(_CHECKPOINT_MAGIC)
    body = data[head + 4 :]
    if data[:head] != _CHECKPOINT_MAGIC:
        raise DataDirDamaged(where, 0, "this is not a checkpoint")
    if crc32(body) != int.from_bytes(data[head : head + 4], "big"):
        raise DataDirDamaged(where, head, "the check sum does not match the bytes")
    try:
        first_segment, first_batch, sizes = msgpack.unpackb(body)
        sound = (
            isinstance(first_segment, int)
            and isinstance(first_batch, int)
            and isinstance(sizes, dict)
        )
        sound = sound and all(
            is_game_id(game) and isinstance(size, int) and size >= 0 for game, size in sizes.items()
        )
    except (ValueError, TypeError, msgpack.UnpackException):
        sound = False
    if not sound:
        raise DataDirDamaged(where, head + 4, "the checkpoint does not read as one")
    return Checkpoint(first_segment, first_batch, sizes)
