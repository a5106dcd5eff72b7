"""Games from their snapshots: the state in memory, what the server knows of a game, an earlier
position, an audience's board.

Everything here gives what a fold from the genesis gives, and makes one where no snapshot helps. It
is plain computation with reads of the store, and may run in a thread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from sys import intern
from typing import Any, TypeVar

from attrs import define, field, frozen

from warledger.engine.archive.releasedledger import ReleasedLedger, ReleasedRules
from warledger.engine.kernel import replay, runs
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.types import Rules
from warledger.engine.runtime import profile as profiles
from warledger.engine.runtime.game import live as live_games
from warledger.engine.runtime.game import views
from warledger.engine.runtime.game.live import Live, Signed, SnapshotDue, split
from warledger.engine.runtime.profile import Profile
from warledger.engine.runtime.snapshots import snapshots
from warledger.engine.runtime.snapshots.plaindata import NoSnapshot
from warledger.engine.runtime.snapshots.snapshots import POSITION, Point, Snapshots, point
from warledger.engine.store.port import (
    FRAME_META,
    FRAME_RECORD,
    FRAME_SECRETS,
    Frame,
    Store,
    StoreError,
)
from warledger.protocol.board.effects import Board, Effect
from warledger.protocol.chance.seal import pack_openings
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.limits import SEEN_RECORDS_MAX
from warledger.protocol.log import chain, records
from warledger.protocol.log.records import CorruptLog, Genesis, Record
from warledger.protocol.log.wlog import FRAME_WITNESS

T = TypeVar("T")


@frozen
class Books:
    """What a server keeps of a game beside its position, after one record.

    `floor` is the earliest record to which somebody may go back freely. `passed` is how many frames
    of bookkeeping that stand behind the record are in it. The rest is of `Profile` and `Live`.
    """

    floor: int
    passed: int
    profile: tuple[Any, ...]
    commands: dict[tuple[str, bytes], int]
    signed: dict[tuple[str, bytes], tuple[Any, Any]]


_OF_PROFILE = (
    "progress",
    "tokens",
    "replacing",
    "handed",
    "spent",
    "spent_count",
    "witnesses",
)


def books_of(live: Live, profile: Profile, passed: int = 0) -> Books:
    """The books of a game as they are now, as values that will not change."""
    at = live.position
    told = [getattr(profile, name) for name in _OF_PROFILE]
    told = [part.copy() if isinstance(part, dict | list) else part for part in told]
    return Books(
        min(at.undo, default=at.seq),
        passed,
        (*told, dict(profile.changes.kept), profile.changes.count),
        dict(live.commands),
        {key: (kept.numbers[:], kept.records[:]) for key, kept in live.signed.items()},
    )


@define(slots=False, eq=False)
class Source:
    """A game's log, and the snapshots beside it where there are any."""

    store: Store
    game: str
    beside: Snapshots | None = None
    code: bytes = b""
    due: list[tuple[int, bytes, Position[Any]]] = field(factory=list, init=False)
    passed: int = field(default=0, init=False)

    @cached_property
    def first(self) -> list[Frame]:
        """The genesis, and what stands beside it."""
        return self.store.read(self.game, 0, 1)

    @cached_property
    def genesis(self) -> Record:
        """The game's first record."""
        return records.read(
            next((frame.payload for frame in self.first if frame.kind == FRAME_RECORD), b""),
            trusted=True,
        )

    @property
    def newest(self) -> int:
        """The record of the newest position that is kept or due to be; 0 if there is none."""
        if self.due:
            return self.due[-1][0]
        return 0 if self.beside is None else self.beside.newest(self.of, self.game, POSITION)

    @cached_property
    def of(self) -> bytes:
        """What a snapshot of this game by this code is bound to."""
        return hashlib.sha256(self.code + self.genesis.hash).digest()

    def try_each(self, kind: str, seq: int, base: Any, use: Callable[[Point, Any], T]) -> T | None:
        """What can be made of the newest entry at `seq` or before it that is of use, or None."""
        if self.beside is None:
            return None
        for tries, entry in enumerate(self.beside.before(self.of, self.game, kind, seq)):
            try:
                return use(entry, entry.value(base))
            except StoreError:
                raise
            except Exception:  # whatever is wrong with it: the log is there
                if tries >= _TRIES:
                    break
        return None

    def log_from(
        self, entry: Point, count: int | None = None
    ) -> tuple[list[Record], dict[int, tuple[Any, ...]]]:
        """The record that an entry is about, and those after it, `count` in all; and the openings.
        Raises NoSnapshot if it is another record, CorruptLog if they do not follow."""
        payloads, openings = split(self.store.read(self.game, entry.seq, count), entry.seq)
        if not payloads or (count is not None and len(payloads) < count):
            raise NoSnapshot(f"the log ends before record {entry.seq}")
        first = records.read(payloads[0], trusted=True)
        if (first.seq, first.hash) != (entry.seq, entry.hash):
            raise NoSnapshot(f"record {entry.seq} is another one")
        return [first, *chain.follow(payloads[1:], after=first, trusted=True)], openings


_TRIES = 2
"""How many entries that turn out to be useless are passed over before the game is folded whole."""


# --- positions ------------------------------------------------------------------------------------


def position_after(rules: Rules[Any], source: Source, seq: int) -> Position[Any] | None:
    """The position after an earlier record, or None if there is no such record."""
    if seq < 0:
        return None
    if source.beside is not None and seq >= snapshots.FROM:
        start = replay.start(rules, Genesis.from_record(source.genesis))

        def use(entry: Point, at: Position[Any]) -> Position[Any]:
            log, openings = source.log_from(entry, seq - entry.seq + 1)
            return _fold_on(rules, source, at, log, openings).position

        found = source.try_each(POSITION, seq, start, use)
        if found is not None:
            return found
    payloads, openings = split(source.store.read(source.game, 0, seq + 1))
    if seq >= len(payloads):
        return None
    return runs.load(rules, payloads, openings).position


def _fold_on(
    rules: Rules[Any],
    source: Source,
    at: Position[Any],
    log: Sequence[Record],
    openings: dict[int, tuple[Any, ...]],
) -> replay.Replayer[Any]:
    """Fold on from the position after the first of these records."""
    if at.seq != log[0].seq:
        raise NoSnapshot("a position of another record")
    replayer = replay.Replayer(
        rules, Genesis.from_record(source.genesis), replay.takeback_targets(log[1:]), at
    )
    for record in log[1:]:
        replayer.feed(record, openings.get(record.seq, ()))
    return replayer


# --- the game in memory ---------------------------------------------------------------------------


def load(rules: Rules[Any], source: Source, keys: Keys) -> Live:
    """A game's state in memory. If it was folded whole, `source.due` are the positions of which
    entries should be kept, and `source.passed` the frames of bookkeeping behind the last record.
    Raises as `live.load`."""
    if isinstance(rules, ReleasedRules):
        return _released(rules, lambda: source.store.read(source.game), keys)
    found = _resumed(rules, source, keys)
    if found is not None:
        return found
    due = SnapshotDue(snapshots.EVERY)

    def each(record: Record, position: Callable[[], Position[Any]]) -> None:
        if due.is_due(record):
            source.due.append((record.seq, record.hash, position()))

    frames = source.store.read(source.game)
    live = live_games.load(rules, keys, frames, None if source.beside is None else each)
    source.passed = passed_behind(frames)
    return live


def _released(rules: ReleasedRules, read: Callable[[], list[Frame]], keys: Keys) -> Live:
    """A game that an archived release plays. Raises as `live.load` and `Release.call`."""

    def log() -> Iterator[tuple[bytes, bytes]]:
        payloads, openings = split(read())
        for seq, data in enumerate(payloads):
            beside = openings.get(seq)
            yield data, pack_openings(beside) if beside else b""

    made: list[ReleasedLedger] = []

    def make(genesis: Record) -> ReleasedLedger:
        made.append(ReleasedLedger(rules, genesis, keys, ("whole", keys.as_payload()), log))
        return made[0]

    live = live_games.load(rules, keys, read(), make=make)
    made[0].begin()
    return live


def _resumed(rules: Rules[Any], source: Source, keys: Keys) -> Live | None:
    beside = source.beside
    kept = None if beside is None else beside.books(source.of, source.game)
    if kept is None:
        return None
    live = live_games.begin(rules, source.genesis, keys)
    try:
        books: Books = kept.value(None)
        source.log_from(Point(kept.seq, kept.hash, b""), 1)
    except (NoSnapshot, CorruptLog):
        return None

    def use(entry: Point, at: Position[Any]) -> Live:
        log, openings = source.log_from(entry)
        replayer = _fold_on(rules, source, at, log, openings)
        if any(seq not in replayer.kept for seq in replayer.position.undo):
            raise NoSnapshot("it begins after a record to which somebody may go back")
        before = max(0, log[-1].seq + 1 - SEEN_RECORDS_MAX)
        earlier, _ = split(source.store.read(source.game, before, max(0, entry.seq - before)))
        recent = [records.hash_of(payload) for payload in earlier[: max(0, entry.seq - before)]]
        recent += [record.hash for record in log]
        live.ledger.resume(replayer.position, log[-1], replayer.kept, recent[-SEEN_RECORDS_MAX:])
        replay.remember(live.ledger.past, live.position, live.position)
        for (seat, id), seq in books.commands.items():
            live.commands[intern(seat), id] = seq
        for key, (numbers, seqs) in books.signed.items():
            live.signed[key] = Signed(numbers, seqs)
        for record in log:
            if record.seq > kept.seq:
                live.remember(record)
        return live

    return source.try_each(POSITION, min(kept.seq, books.floor), live.start, use)


def keep(
    source: Source,
    start: Position[Any],
    positions: Sequence[tuple[int, bytes, Position[Any]]],
    books: tuple[int, bytes, Books] | None,
) -> None:
    """Keep entries of these positions, and then the books (record, its hash, themselves)."""
    beside = source.beside
    if beside is None:
        return
    try:
        entries = [point(seq, hash, at, start) for seq, hash, at in positions]
        beside.add(source.of, source.game, POSITION, entries)
        if books is not None:
            beside.keep_books(source.of, source.game, point(*books, None))
    except NoSnapshot:  # a title whose state holds something else than plain data
        return


# --- what the server knows of a game --------------------------------------------------------------


def profile(
    source: Source,
    code: Callable[[str], bytes | None],
    now_ms: int,
    seen: int | None = None,
) -> Profile:
    """What the server knows of a game; `code` gives the digest for a title's snapshots, or None for
    a title that is not here. Raises as `profile.read`."""
    found = None
    if source.beside is not None:
        found = _profile_from_books(source, code, now_ms, seen)
    if found is not None:
        return found
    return profiles.read(source.store.read(source.game), now_ms, seen)


def _profile_from_books(
    source: Source, code: Callable[[str], bytes | None], now_ms: int, seen: int | None
) -> Profile | None:
    secrets = next((frame.payload for frame in source.first if frame.kind == FRAME_SECRETS), None)
    if secrets is None or source.beside is None:
        return None
    found = profiles.begin(source.genesis, Keys.from_payload(secrets))
    own = code(found.genesis.title)
    if own is None:
        return None
    source.code = own
    kept = source.beside.books(source.of, source.game)
    if kept is None:
        return None
    try:
        books: Books = kept.value(None)
        frames = source.store.read(source.game, kept.seq)
        first = records.read(frames[0].payload, trusted=True)
        if (first.seq, first.hash) != (kept.seq, kept.hash):
            return None
        *told, kept_changes, count = books.profile
        for name, value in zip(_OF_PROFILE, told, strict=True):
            setattr(found, name, value)
        found.changes.kept, found.changes.count = kept_changes, count
        return profiles.resume(found, frames, books.passed, now_ms, seen)
    except StoreError:
        raise
    except Exception:
        return None


def passed_behind(frames: Sequence[Frame]) -> int:
    """How many frames of bookkeeping stand behind the last record."""
    count = 0
    for frame in reversed(frames):
        if frame.kind == FRAME_RECORD:
            break
        count += frame.kind in (FRAME_META, FRAME_WITNESS)
    return count


# --- boards ---------------------------------------------------------------------------------------


def view(source: Source, audience: str, seq: int) -> tuple[Effect, ...]:
    """Effects that draw an audience's board after record `seq`, which must exist. Entries of boards
    on the way are kept."""
    kind = snapshots.board_of(audience)

    def use(entry: Point, board: Board) -> tuple[Effect, ...]:
        log, openings = source.log_from(entry, seq - entry.seq + 1)
        return _drawn(source, kind, board, log, openings, audience)

    found = source.try_each(kind, seq, None, use) if seq >= snapshots.FROM else None
    if found is not None:
        return found
    payloads, openings = split(source.store.read(source.game, 0, seq + 1))
    log = [records.read(payload, trusted=True) for payload in payloads]
    return _drawn(source, kind, Board(), log, openings, audience)


def _drawn(
    source: Source,
    kind: str,
    board: Board,
    log: Sequence[Record],
    openings: dict[int, tuple[Any, ...]],
    audience: str,
) -> tuple[Effect, ...]:
    whole = log[0].seq == 0
    due = SnapshotDue(snapshots.BOARDS_EVERY, 0 if whole else log[0].seq)
    made: list[Point] = []

    def each(record: Record, after: Board) -> None:
        if due.is_due(record):
            made.append(point(record.seq, record.hash, after, None))

    keeps = source.beside is not None
    board = views.fold(log, openings, audience, None if whole else board, each if keeps else None)
    if source.beside is not None:
        source.beside.add(source.of, source.game, kind, made)
    return tuple(views.picture(board))
