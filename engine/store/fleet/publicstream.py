"""The public stream: what everybody may see of a game, written by its owner behind the answer.

A message of `wp.K.GAME` is plain frames, in the game's order: records and what everybody may have
beside them (heads, and what players witnessed at the end). The owner says how many records the
public may see by now. So a spectators' delay is kept before this stream, and nobody who reads it
can hold what they must not show. Each message stands behind the one before it with the fence, and
says how far the stream has come. So a new owner, or two who both hold themselves for it, go on from
there and write the same bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

import trio
from attrs import define, field, frozen

from warledger.engine.nats.jetstreamapi import (
    FULL,
    IN_PROCESS,
    WRONG_LAST_SEQUENCE,
    JetStream,
    Kept,
    Rejected,
)
from warledger.engine.nats.natsport import NoResponders, NotSent, Unknown
from warledger.engine.store.files.gamefile import encode_addition
from warledger.engine.store.fleet.gamefolds import PUBLIC
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.streamends import LOST_SECONDS, shard_of
from warledger.engine.store.port import FRAME_RECORD, Frame, StoreError
from warledger.protocol.log.wlog import walk

MESSAGE_BYTES: Final = 256 * 1024
"""How much one message holds; a frame that is larger is cut."""

TAIL_BYTES: Final = 512 * 1024
"""How much of what a game's owner has just appended is kept until it is written; what is beyond is
read from the store."""

PACE_SECONDS: Final = 0.002
PACE_SECONDS_MAX: Final = 0.1
"""A game is written again at the earliest after so much time for each game that is. So a node with
many games writes several appends of one as one message."""

TICK_SECONDS: Final = 0.005
"""How exactly that is kept."""

AGAIN_SECONDS: Final = 0.05
WAIT_SECONDS: Final = 1.0
"""Pauses before it is tried again: where the engine has no leader, and where it has no room."""

RECORDS: Final = "W-Records"
BESIDE: Final = "W-Beside"
PIECE: Final = "W-Piece"
"""Headers of a message: how many records the stream has up to it, how many frames behind the last,
and which piece of a cut frame (`1/3`). Only its last piece counts it."""

Read = Callable[[str, int], Awaitable[list[Frame]]]
"""A game's frames from the record with this index on, as `Store.read` gives them."""

Hold = Callable[[str, int, bytes | None, float], Awaitable[None]]
"""Raises Damaged of a game that does not hold so many records (for so many seconds), the last of
which is this, if known."""


@frozen
class Place:
    """How far the public stream of a game has come: records, frames behind the last of them, pieces
    of the next frame, and the sequence of its newest message."""

    records: int = 0
    beside: int = 0
    pieces: int = 0
    last: int = 0

    @classmethod
    def of(cls, kept: Kept | None) -> Place:
        """Where a stream stands behind this message."""
        if kept is None:
            return cls()
        piece, _, pieces = kept.headers.get(PIECE, "").partition("/")
        is_cut = piece != pieces
        return cls(
            int(kept.headers[RECORDS]),
            int(kept.headers[BESIDE]),
            int(piece) if is_cut else 0,
            kept.sequence,
        )


def public_subject(game: str, shards: int) -> str:
    """The subject of a game's public messages."""
    return f"wp.{shard_of(game, shards)}.{game}"


def public_frames(frames: Iterable[Frame], records: int | None = None) -> list[Frame]:
    """What everybody may see among a game's frames: of `records` records, with what stands
    behind them."""
    found: list[Frame] = []
    seen = 0
    for frame in frames:
        if frame.kind == FRAME_RECORD:
            if seen == records:
                break
            seen += 1
        if frame.kind in PUBLIC:
            found.append(frame)
    return found


@define(eq=False)
class _Tail:
    """The newest public frames of a game, without gap up to `end`. Each has how many records, and
    frames behind the last of them, it stands behind."""

    start: tuple[int, int] | None = None
    end: tuple[int, int] | None = None
    size: int = 0
    _frames: deque[tuple[tuple[int, int], Frame]] = field(factory=deque)

    def add(self, behind: tuple[int, int], frames: Sequence[Frame]) -> None:
        """These were appended behind that place."""
        if self.end != behind:
            self.clear()
            self.start = behind
        at = behind
        for frame in frames:
            if frame.kind in PUBLIC:
                self._frames.append((at, frame))
                self.size += len(frame.payload)
                at = (at[0] + 1, 0) if frame.kind == FRAME_RECORD else (at[0], at[1] + 1)
        self.end = at
        if self.size > TAIL_BYTES:
            self.clear()

    def clear(self) -> None:
        """Nothing is known."""
        self._frames.clear()
        self.start = self.end = None
        self.size = 0

    def behind(self, place: Place, wanted: int) -> list[Frame] | None:
        """The frames behind a place, of `wanted` records; None if they have to be read."""
        at = (place.records, place.beside)
        if self.start is None or self.end is None or not self.start <= at <= self.end:
            return None
        if wanted > self.end[0]:
            return None
        while self._frames and self._frames[0][0] < at:
            _, frame = self._frames.popleft()
            self.size -= len(frame.payload)
        self.start = at
        found: list[Frame] = []
        for behind, frame in self._frames:
            if frame.kind == FRAME_RECORD and behind[0] == wanted:
                break
            found.append(frame)
        return found


@define(eq=False)
class _Game:
    """A game that is projected: how many records may be seen, how far it has come, whether and
    since when something may be missing. It says whether a task is at the game, or the game waits
    for one until the time `again`."""

    wanted: int = 0
    since: float = 0.0
    again: float = 0.0
    tail: _Tail = field(factory=_Tail)
    is_due: bool = False
    place: Place | None = None
    is_running: bool = False
    is_done: trio.Event = field(factory=trio.Event)
    _moved: trio.Event | None = None

    def move(self, place: Place | None) -> None:
        """So far it has come; or nobody knows."""
        self.place = place
        if self._moved is not None:
            self._moved.set()
            self._moved = None

    async def moves(self) -> None:
        """Return once it has come elsewhere."""
        if self._moved is None:
            self._moved = trio.Event()
        await self._moved.wait()


class Projector:
    """Writes the public streams of the games that a node owns."""

    def __init__(
        self,
        js: JetStream,
        shards: int,
        read: Read,
        failed: Callable[[str, StoreError], None] = lambda game, error: None,
        hold: Hold | None = None,
    ) -> None:
        self._js = js
        self._hold = hold
        self._failed = failed
        self._shards = shards
        self._read = read
        self._games: dict[str, _Game] = {}
        self._due: list[tuple[str, _Game]] = []
        self._more = trio.Event()
        self._at_work = 0

    @classmethod
    def of(
        cls,
        store: JetStreamStore,
        failed: Callable[[str, StoreError], None] = lambda game, error: None,
    ) -> Projector:
        """For the games of a store, which tells it what it appends."""
        made = cls(JetStream(store.engine), store.shards, store.frames, failed, store.hold)
        store.appended = made.note
        return made

    def want(self, game: str, records: int) -> None:
        """The public may see this many records of a game now, or what was added beside the last of
        them. Plain and at once: it is written in the background. What was seen is never taken
        back, so a smaller number changes nothing."""
        known = self._games.setdefault(game, _Game())
        known.wanted = max(known.wanted, records)
        known.is_due = True
        if not known.since:
            known.since = trio.current_time()
        if known.is_done.is_set():
            known.is_done = trio.Event()
        if not known.is_running:
            known.is_running = True
            self._due.append((game, known))
            self._more.set()

    def note(self, game: str, records: int, beside: int, frames: Sequence[Frame]) -> None:
        """These frames were appended to a game, behind so many records, with so many public frames
        behind the last of them. So they need not be read."""
        known = self._games.get(game)
        if known is not None:
            known.tail.add((records, beside), frames)

    def forget(self, game: str) -> None:
        """The game is somebody else's now. Whoever waits for it waits no longer."""
        known = self._games.pop(game, None)
        if known is not None:
            known.is_done.set()
            known.move(known.place)

    async def settle(self, game: str) -> None:
        """Return once everything that was wanted of a game is in its public stream, or it is
        forgotten."""
        known = self._games.get(game)
        if known is not None:
            await known.is_done.wait()

    async def settle_all(self) -> None:
        """Return once everything that was wanted of every game is in its public stream, or it is
        forgotten."""
        for game in list(self._games):
            await self.settle(game)

    def is_settled(self, game: str) -> bool:
        """Whether nothing that was wanted of a game is missing in its public stream."""
        known = self._games.get(game)
        return known is None or known.is_done.is_set()

    async def written(self, game: str, records: int) -> bool:
        """Return once so many records of a game, which are wanted, are in its public stream.
        False if it is forgotten before."""
        while (known := self._games.get(game)) is not None:
            if known.place is not None and known.place.records >= records:
                return True
            if known.wanted < records:
                return False
            await known.moves()
        return False

    async def place(self, game: str) -> Place:
        """How far a game's public stream has come, as its leader has it. Waits for the leader."""
        return Place.of(await self._newest(game))

    async def hold(self, game: str) -> None:
        """Compare a game that was just claimed with what was made public of it. Raises
        StoreError."""
        await self._compare(game, await self._newest(game), 0.0)

    async def _compare(self, game: str, kept: Kept | None, seconds: float) -> None:
        """The game holds what its public stream has up to this message: nothing is public before it
        is stored."""
        if kept is None or self._hold is None:
            return
        newest: bytes | None = None
        if PIECE not in kept.headers:
            for _, kind, payload in walk(kept.payload, 0):
                newest = payload if kind == FRAME_RECORD else newest
        await self._hold(game, Place.of(kept).records, newest, seconds)

    async def _newest(self, game: str) -> Kept | None:
        stream, subject = f"WP{shard_of(game, self._shards)}", public_subject(game, self._shards)
        while True:
            try:
                return await self._js.last(stream, subject, from_leader=True)
            except (Rejected, Unknown, NotSent, NoResponders):
                await trio.sleep(AGAIN_SECONDS)

    async def lacks(self, game: str, records: int) -> bool:
        """Whether something is missing in a game's public stream, of which so many records may be
        seen. Raises what `read` raises."""
        return bool(await self._missing(game, await self.place(game), records))

    @property
    def lag(self) -> float:
        """For how many seconds something that may be seen has waited to be written, at most."""
        since = [known.since for known in self._games.values() if known.since]
        return trio.current_time() - min(since) if since else 0.0

    @property
    def behind(self) -> int:
        """How many records may be seen and are not yet in the public streams, as far as is
        known."""
        return sum(
            known.wanted - (known.place.records if known.place else 0)
            for known in self._games.values()
            if not known.is_done.is_set()
        )

    async def run(self) -> None:
        """Write what is wanted, for ever. A game that cannot be read is left alone."""
        async with trio.open_nursery() as nursery:
            while True:
                if not self._due:
                    self._more = trio.Event()
                    await self._more.wait()
                now = trio.current_time()
                due, self._due = self._due, []
                for game, known in due:
                    if known.again <= now:
                        nursery.start_soon(self._project, game, known)
                    else:
                        self._due.append((game, known))
                if self._due:
                    await trio.sleep(TICK_SECONDS)

    async def _project(self, game: str, known: _Game) -> None:
        self._at_work += 1
        try:
            await self._project_now(game, known)
        finally:
            self._at_work -= 1

    async def _project_now(self, game: str, known: _Game) -> None:
        known.is_due = False
        while self._games.get(game) is known:
            try:
                is_whole = await self._advance(game, known)
            except StoreError as error:
                # Its actor meets the same, and says what is wrong with it.
                if self._games.get(game) is known:
                    self.forget(game)
                self._failed(game, error)
                return
            if is_whole:
                break
            known.is_due = False
        else:
            return
        games = self._at_work + len(self._due)
        known.again = trio.current_time() + min(PACE_SECONDS * games, PACE_SECONDS_MAX)
        if known.is_due:
            self._due.append((game, known))
            self._more.set()
        else:
            known.is_running = False
            known.since = 0.0
            known.is_done.set()

    async def _advance(self, game: str, known: _Game) -> bool:
        """Write what is missing as it stands now. Returns whether all of it was."""
        subject = public_subject(game, self._shards)
        try:
            if known.place is None:
                stream = f"WP{shard_of(game, self._shards)}"
                kept = await self._js.last(stream, subject, from_leader=True)
                await self._compare(game, kept, LOST_SECONDS)
                place = Place.of(kept)
                known.move(place)
            else:
                place = known.place
            missing = await self._missing(game, place, known.wanted)
            for payload, after in messages(missing, place):
                headers = {RECORDS: str(after.records), BESIDE: str(after.beside)}
                if after.piece:
                    headers[PIECE] = after.piece
                stored = await self._js.append(
                    subject, payload, identity="", expected=place.last, headers=headers
                )
                pieces = place.pieces + 1 if after.is_cut else 0
                place = Place(after.records, after.beside, pieces, stored.sequence)
                known.move(place)
        except Rejected as error:
            known.place = None  # somebody else has written, or it is stored after all
            if error.number in FULL:
                await trio.sleep(WAIT_SECONDS)
            elif error.number not in (WRONG_LAST_SEQUENCE, *IN_PROCESS):
                await trio.sleep(AGAIN_SECONDS)
            return False
        except (Unknown, NotSent, NoResponders):
            known.place = None
            await trio.sleep(AGAIN_SECONDS)
            return False
        return True

    async def _missing(self, game: str, place: Place, wanted: int) -> list[Frame]:
        """The public frames behind a place."""
        if wanted < place.records:
            return []
        known = self._games.get(game)
        kept = None if known is None else known.tail.behind(place, wanted)
        if kept is not None:
            return kept
        first = max(0, place.records - 1)
        frames = public_frames(await self._read(game, first), wanted - first)
        return frames[1 + place.beside :] if place.records else frames[place.beside :]


@frozen
class After:
    """Where a stream stands behind a message that is to be written."""

    records: int
    beside: int
    piece: str = ""

    @property
    def is_cut(self) -> bool:
        """Whether more pieces of the same frame follow."""
        piece, _, pieces = self.piece.partition("/")
        return piece != pieces


def messages(frames: Iterable[Frame], place: Place) -> list[tuple[bytes, After]]:
    """The messages that hold these frames, behind a place. The pieces of a frame that the stream
    has already are left out."""
    made: list[tuple[bytes, After]] = []
    records, beside, pieces = place.records, place.beside, place.pieces
    data = b""
    for frame in frames:
        one = encode_addition([frame], new_file=False).data
        if data and len(data) + len(one) > MESSAGE_BYTES:
            made.append((data, After(records, beside)))
            data = b""
        before = After(records, beside)
        if frame.kind == FRAME_RECORD:
            records, beside = records + 1, 0
        else:
            beside += 1
        if len(one) <= MESSAGE_BYTES:
            data += one
            continue
        count = -(-len(one) // MESSAGE_BYTES)
        for number in range(pieces, count):
            part = one[number * MESSAGE_BYTES : (number + 1) * MESSAGE_BYTES]
            is_last = number + 1 == count
            at = After(records, beside) if is_last else before
            made.append((part, After(at.records, at.beside, f"{number + 1}/{count}")))
        pieces = 0
    if data:
        made.append((data, After(records, beside)))
    return made
