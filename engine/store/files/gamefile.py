"""The games' files as the store holds them: a synced beginning on the disk, the newest bytes in
memory, an index of records.

Rules of this file:
- A game's bytes are `file[:synced]` followed by `chunks`. The first part has been synced and never
  changes again. The second is durable in the write-ahead log and reaches the file at the next
  checkpoint. What the file holds past `synced` counts for nothing: an interrupted checkpoint may
  have left part of the chunks there. The next one writes them again at the same place.
- A file is read and checked whole at its first use, not when the server starts. So a restart does
  not depend on how much was played. Of a long one most is checked by the check sum that stands with
  its marks (`marks`), frame by frame only if that differs.
- A file is safe from any thread: state changes under one lock, and is read outside it (what is read
  never changes).
- Nothing here decides when to write; that is `wal`.
- `Followed` is used in the event loop alone. What a game gains is read again from the store, and an
  append costs nothing more for it as long as nobody follows.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final

import trio
from attrs import define, field, frozen

from warledger.engine.store.files import recordindex as marks
from warledger.engine.store.files.disk import Disk
from warledger.engine.store.files.packed import PACKED, Reader
from warledger.engine.store.port import (
    APPEND_BYTES_MAX,
    Damaged,
    Frame,
    Held,
    UnknownGame,
    check_after,
)
from warledger.protocol.log.wlog import (
    FRAME_END,
    FRAME_RECORD,
    MAGIC,
    CorruptFile,
    OtherFormat,
    check_magic,
    encode_frame,
    walk,
)

FOLDER: Final = "games"
SUFFIX: Final = ".wlog"
_RECORDS_PER_MARK: Final = 16


def path_of(game: str) -> str:
    """The path of a game's file in the data directory."""
    return f"{FOLDER}/{game}{SUFFIX}"


def game_of(name: str) -> str:
    """What a name in the folder of games says which game's file it is, in either form; "" if it is
    no such name."""
    plain = name.removesuffix(PACKED)
    return plain[: -len(SUFFIX)] if plain.endswith(SUFFIX) else ""


def games_in(disk: Disk) -> list[str]:
    """The games that have a file, sorted."""
    return sorted({game for name in disk.list(FOLDER) if (game := game_of(name))})


@frozen
class Addition:
    """Encoded frames ready to be added to a game: their bytes, and where each record begins in
    them."""

    data: bytes
    records_at: tuple[int, ...]


def encode_addition(frames: Sequence[Frame], *, new_file: bool) -> Addition:
    """Encode what one append adds; that of a new file begins with the format's magic. Raises
    ValueError for what cannot be stored."""
    if not frames:
        raise ValueError("an append needs at least one frame")
    parts = [MAGIC] if new_file else []
    at = len(MAGIC) if new_file else 0
    records_at: list[int] = []
    for frame in frames:
        kind = frame.kind
        if kind == FRAME_RECORD:
            records_at.append(at)
        encoded = encode_frame(kind, frame.payload)
        parts.append(encoded)
        at += len(encoded)
    if at > APPEND_BYTES_MAX:
        raise ValueError(f"an append of {at} bytes; {APPEND_BYTES_MAX} is the most")
    return Addition(b"".join(parts) if len(parts) > 1 else parts[0], tuple(records_at))


@define(eq=False)
class GameFile:
    """One game's bytes, as far as the store knows them.

    `records` is -1 until the file has been read. `queued_end` and `queued_records` also count
    appends that are on their way to the log; `marked` are the records whose places are kept on the
    disk.
    """

    game: str
    synced: int = 0
    end: int = 0
    chunks: list[bytes] = field(factory=list)
    starts: list[int] = field(factory=list)
    records: int = -1
    marks: array[int] = field(factory=lambda: array("Q"))
    damage: Damaged | None = None
    held: Held | None = None
    marked: int = 0
    queued_end: int = 0
    queued_records: int = -1

    def extend(self, addition: Addition) -> None:
        """Add bytes that have become durable."""
        for at in addition.records_at:
            if self.records % _RECORDS_PER_MARK == 0:
                self.marks.append(self.end + at)
            self.records += 1
        self.add_chunk(addition.data)

    def add_chunk(self, data: bytes) -> None:
        self.starts.append(self.end)
        self.chunks.append(data)
        self.end += len(data)


@frozen
class Dirty:
    """What a checkpoint has to write for one game: its bytes from `start` on."""

    file: GameFile
    start: int
    chunks: tuple[bytes, ...]

    @property
    def end(self) -> int:
        return self.start + sum(map(len, self.chunks))


class GameFiles:
    """Every game of a data directory.

    `alone` says that no other process may be writing here; only then can bytes behind a file's
    known end be called damage. `uses_marks` is set by a server that has the directory.
    """

    uses_marks = False

    def __init__(self, disk: Disk, *, alone: bool) -> None:
        self._disk = disk
        self._reader = Reader(disk)
        self._alone = alone
        self._lock = threading.Lock()
        self._files: dict[str, GameFile] = {}
        self._damaged: dict[str, Damaged] = {}
        self._held: list[str] = []

    def __contains__(self, game: str) -> bool:
        return game in self._files

    def __len__(self) -> int:
        return len(self._files)

    def games(self) -> list[str]:
        """All ids, sorted."""
        with self._lock:
            return sorted(self._files)

    def damaged(self) -> tuple[str, ...]:
        """The games found damaged so far."""
        with self._lock:
            return tuple(sorted(self._damaged))

    def damages(self) -> list[Damaged]:
        """The finding for each of them."""
        with self._lock:
            return [self._damaged[game] for game in sorted(self._damaged)]

    def get(self, game: str) -> GameFile:
        """The game's file. Raises UnknownGame."""
        file = self._files.get(game)
        if file is None:
            raise UnknownGame(game)
        return file

    # What recovery says

    def adopt(self, game: str, size: int) -> None:
        """Add a game whose file is synced up to `size`."""
        self._files[game] = GameFile(game, synced=size, end=size, queued_end=size)

    def end_of(self, game: str) -> int:
        """How many bytes of a game are known so far; 0 if the game is not known."""
        file = self._files.get(game)
        return 0 if file is None else file.end

    def close(self, damage: Damaged) -> None:
        """Mark a game as damaged, even if only its remains are known."""
        file = self._files.setdefault(damage.game, GameFile(damage.game))
        file.damage = file.damage or damage
        self._damaged.setdefault(damage.game, damage)

    def hold(self, held: Held) -> None:
        """Mark a game as accepting nothing more for now."""
        file = self._files.get(held.game)
        if file is not None:
            file.held = held
            self._held.append(held.game)

    def held(self) -> tuple[str, ...]:
        """The games that accept nothing more for now."""
        return tuple(self._held)

    def take_in(self, game: str, offset: int, data: bytes) -> bool:
        """Add bytes that the log holds for a game. Returns False if they do not continue what is
        known of it."""
        file = self._files.get(game)
        if file is None:
            if offset != 0:
                return False
            file = self._files[game] = GameFile(game)
        if offset != file.end:
            return False
        file.add_chunk(data)
        file.queued_end = file.end
        return True

    # What the live store says

    def commit(self, additions: Iterable[tuple[GameFile, Addition]]) -> None:
        """Make a durable batch visible to readers, new games included."""
        with self._lock:
            for file, addition in additions:
                file.extend(addition)
                self._files.setdefault(file.game, file)

    def dirty(self) -> list[Dirty]:
        """What a checkpoint must write now."""
        with self._lock:
            return [
                Dirty(file, file.synced, tuple(file.chunks))
                for file in self._files.values()
                if file.chunks
            ]

    def sizes(self) -> dict[str, int]:
        """The durable length of every game of which anything is known: of a file that was put there
        by hand and cannot be read there is none yet."""
        with self._lock:
            known = sorted(self._files.items())
            return {game: file.end for game, file in known if file.end or file.damage is None}

    def synced_sizes(self) -> dict[str, int]:
        """How much of every game's own file is synced and will never change."""
        with self._lock:
            return {game: file.synced for game, file in sorted(self._files.items())}

    def settle(self, written: Iterable[Dirty]) -> None:
        """After a checkpoint: the files hold these bytes, so memory need not."""
        with self._lock:
            for dirty in written:
                count = len(dirty.chunks)
                dirty.file.synced = dirty.end
                del dirty.file.chunks[:count]
                del dirty.file.starts[:count]

    # Reading

    def load(self, game: str) -> None:
        """Read and check the game's file, unless that has been done. Raises UnknownGame,
        Damaged."""
        file = self.get(game)
        if file.damage is not None:
            raise file.damage
        if file.records < 0:
            self._load(file)

    def look(self) -> None:
        """Check whether each game's file is still as long as what was saved in it; `damaged` names
        those that are not. Of a packed file it counts that it is there."""
        with self._lock:
            known = [
                (file, file.synced, file.end)
                for file in self._files.values()
                if file.damage is None
            ]
        for file, synced, end in known:
            path = path_of(file.game)
            if self._disk.exists(path) or not self._disk.exists(path + PACKED):
                with suppress(Damaged):
                    self._check_size(file, synced, end)

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        """See `Store.read`."""
        check_after(after_records)
        file = self.get(game)
        if file.damage is not None:
            raise file.damage
        if file.records < 0:
            frames = self._load(file)
            if frames is not None:
                return _first(_after(frames, after_records), records_max)
        with self._lock:
            if after_records >= file.records and after_records > 0:
                return []
            if after_records == 0:
                start = len(MAGIC)
            else:
                start = file.marks[after_records // _RECORDS_PER_MARK]
            synced = file.synced
            stop = file.end
            if records_max is not None:
                mark = (after_records + records_max) // _RECORDS_PER_MARK + 1
                stop = file.marks[mark] if mark < len(file.marks) else stop
            first = max(bisect_right(file.starts, start) - 1, 0)
            chunks = file.chunks[first : bisect_left(file.starts, stop)]
            chunks_start = file.starts[first] if chunks else file.end
        parts: list[bytes] = []
        if start < synced:
            parts.append(self._read_file(file, start, min(synced, stop) - start))
        if chunks and start > chunks_start:
            chunks[0] = chunks[0][start - chunks_start :]
        at = max(start, chunks_start)
        for chunk in chunks:
            if at >= stop:
                break
            parts.append(chunk[: stop - at])
            at += len(chunk)
        frames, _, _ = self._parse(file, b"".join(parts), 0, start)
        return _first(_after(frames, after_records % _RECORDS_PER_MARK), records_max)

    def read_synced(self, game: str, start: int, count: int) -> bytes:
        """Bytes of the game's own file, within what is synced. Raises Damaged."""
        return self._read_file(self.get(game), start, count)

    def keep_marks(self, written: Iterable[Dirty]) -> None:
        """After a checkpoint: keep the marks of long games beside their files."""
        for dirty in written:
            file = dirty.file
            if file.records - file.marked >= marks.FROM and file.damage is None:
                with self._lock:
                    synced, places = file.synced, file.marks[:]
                with suppress(Damaged):
                    self._keep_marks(file, self._read_file(file, 0, synced), places)

    def _keep_marks(self, file: GameFile, synced: bytes, places: array[int]) -> None:
        found = marks.taken(synced, places)
        if found is not None:
            marks.keep(self._disk, file.game, found)
            file.marked = len(found.places) * _RECORDS_PER_MARK

    def _load(self, file: GameFile) -> list[Frame] | None:
        """Read and check the file; its frames, or None if most of them were checked without being
        looked at."""
        with self._lock:
            synced, end, chunks = file.synced, file.end, list(file.chunks)
        self._check_size(file, synced, end)
        own = self._read_file(file, 0, synced) if synced else b""
        data = own + b"".join(chunks)
        kept = marks.read(self._disk, file.game) if self.uses_marks and own else None
        if kept is not None and kept.are_of(own):
            before = len(kept.places) * _RECORDS_PER_MARK
            _, after, places = self._parse(file, data[kept.end :], 0, kept.end)
            self._loaded(file, before + after, kept.places + places)
            file.marked = before
            return None
        ours = True
        try:
            check_magic(data)
        except OtherFormat:
            ours = False  # its frames are as ours, and what they hold concerns nobody here
        except CorruptFile as error:
            raise self._found(file, error.offset, error.what) from error
        frames, records, places = self._parse(file, data, len(MAGIC), 0)
        self._loaded(file, records, places)
        if ours and self.uses_marks and records >= marks.FROM:
            self._keep_marks(file, own, places)
        return frames

    def _loaded(self, file: GameFile, records: int, places: array[int]) -> None:
        with self._lock:
            if file.records < 0:
                file.marks = places
                file.records = file.queued_records = records

    def _check_size(self, file: GameFile, synced: int, end: int) -> None:
        try:
            size = self._reader.size(path_of(file.game))
        except FileNotFoundError:
            if synced:
                raise self._found(
                    file, 0, "the file is missing; put it back from a backup"
                ) from None
            return
        except OSError as error:
            raise self._unreadable(file, 0, error) from error
        if size < synced:
            raise self._found(
                file, size, f"the file ends here, though {synced} bytes of it had been saved"
            )
        if self._alone and size > end:
            raise self._found(
                file, end, f"there are {size - end} bytes here that this server did not write"
            )

    def _read_file(self, file: GameFile, start: int, count: int) -> bytes:
        try:
            data = self._reader.read(path_of(file.game), start, count)
        except FileNotFoundError:
            raise self._found(file, 0, "the file is missing; put it back from a backup") from None
        except OSError as error:
            raise self._unreadable(file, start, error) from error
        if len(data) < count:
            raise self._found(
                file, start + len(data), "the file has become shorter than what had been saved"
            )
        return data

    def _parse(
        self, file: GameFile, data: bytes, at: int, place: int
    ) -> tuple[list[Frame], int, array[int]]:
        frames: list[Frame] = []
        places = array("Q")
        records = 0
        try:
            for offset, kind, payload in walk(data, at, place):
                if kind == FRAME_END:
                    raise CorruptFile(
                        offset, "there is an end frame; exported files do not belong here"
                    )
                if kind == FRAME_RECORD:
                    if records % _RECORDS_PER_MARK == 0:
                        places.append(offset)
                    records += 1
                frames.append(Frame(kind, payload))
        except CorruptFile as error:
            raise self._found(file, error.offset, error.what) from error
        return frames, records, places

    def _found(self, file: GameFile, offset: int, what: str) -> Damaged:
        damage = Damaged(file.game, self._disk.where(path_of(file.game)), offset, what)
        with self._lock:
            file.damage = damage
            self._damaged[file.game] = damage
        return damage

    def _unreadable(self, file: GameFile, offset: int, error: OSError) -> Damaged:
        # Not remembered as damage: too many open files, for instance, is a passing state, and the
        # next read tries again.
        return Damaged(
            file.game,
            self._disk.where(path_of(file.game)),
            offset,
            f"it cannot be read: {error.strerror or error}",
        )


def _first(frames: list[Frame], records_max: int | None) -> list[Frame]:
    """The frames of the first `records_max` records; all of them for None."""
    if records_max is None:
        return frames
    seen = 0
    for index, frame in enumerate(frames):
        if frame.kind == FRAME_RECORD:
            seen += 1
            if seen > records_max:
                return frames[:index]
    return frames


def _after(frames: list[Frame], records: int) -> list[Frame]:
    """The frames from the record with that index on; all for 0."""
    if records == 0:
        return frames
    seen = -1
    for index, frame in enumerate(frames):
        if frame.kind == FRAME_RECORD:
            seen += 1
            if seen == records:
                return frames[index:]
    return []


Read = Callable[[str, int], Awaitable[list[Frame]]]
"""Reads a game's durable frames from the record with this index on, as `Store.read` does."""


def cut(frames: list[Frame], first: int, after: int, most: int | None = None) -> list[Frame]:
    """Of frames that begin with record `first`: those from record `after` on (all of them for 0),
    with what stands beside `most` records."""
    at = [index for index, frame in enumerate(frames) if frame.kind == FRAME_RECORD]
    if after and after - first >= len(at):
        return []
    start = at[after - first] if after else 0
    end = len(at) if most is None else after - first + most
    return frames[start : at[end] if end < len(at) else None]


@define(eq=False)
class Followed:
    """The games of a store that somebody waits for."""

    _waited_for: dict[str, trio.Event] = field(factory=dict)

    def __bool__(self) -> bool:
        return bool(self._waited_for)

    def grew(self, games: Iterable[str]) -> None:
        """Something was made durable in these games."""
        for game in games:
            event = self._waited_for.pop(game, None)
            if event is not None:
                event.set()

    async def follow(
        self, read: Read, game: str, after_records: int
    ) -> AsyncGenerator[list[Frame], None]:
        """See `port.Store.follow`."""
        news = self._news_of(game)
        found = await read(game, 0)
        records, beside = _end(found)
        first = cut(found, 0, after_records)
        if first:
            yield first
        while True:
            await news.wait()
            news = self._news_of(game)
            # From the last record that was seen on, since something may be added beside it.
            found = (await read(game, records - 1))[1 + beside :]
            if found:
                new_records, new_beside = _end(found)
                beside = new_beside if new_records else beside + len(found)
                records += new_records
                yield found

    def _news_of(self, game: str) -> trio.Event:
        return self._waited_for.setdefault(game, trio.Event())


def _end(frames: list[Frame]) -> tuple[int, int]:
    """How many records there are, and how many frames stand behind the last of them."""
    at = [index for index, frame in enumerate(frames) if frame.kind == FRAME_RECORD]
    return len(at), len(frames) - at[-1] - 1 if at else len(frames)
