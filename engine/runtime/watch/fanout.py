"""Those who follow a game's log: a channel for each audience, and how far spectators of a delayed
game see. A subscriber is a cursor into the log, not a queue.

Rules of this file:
- A Channel is one game for one audience. What is committed is encoded once for it, kept in a
  bounded ring, and written to the cursors that are up to date (*live*). A cursor whose connection
  is busy just stays where it is: it is *behind*, and is served from the ring, or from the store,
  when its connection has room. So nobody loses a record, and nobody waits for the slowest.
- `next_seq` is the first record the audience may not see yet. For spectators of a delayed game it
  lags behind the log; every exit asks it.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import trio
from attrs import define, field

from warledger.engine.kernel.ledger import Batch
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.jobs import Services
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.profile import Profile, Progress
from warledger.engine.runtime.watch.outgoing import Outgoing
from warledger.engine.store.port import FRAME_OPENINGS, FRAME_RECORD, Frame, Store, StoreError
from warledger.protocol.audience import PUBLIC, entitled
from warledger.protocol.chance.seal import Opening, pack_openings, unpack_openings
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import TOURNAMENT, Record
from warledger.protocol.seats.acts import refusal_bytes
from warledger.protocol.wire.messages import Records
from warledger.protocol.wire.session import to_frame

T = TypeVar("T")
Item = tuple[bytes, bytes]

RING_BYTES_MAX: Final = 256 * 1024
RING_FRAMES_MAX: Final = 512
CHUNK_BYTES: Final = 256 * 1024
CHUNK_RECORDS: Final = 1000
READ_RECORDS: Final = 128
"""How many records are read from the store at a time."""


class Reading(Protocol):
    """Distributes reading from the store among those for whom it is done."""

    async def turn(self) -> None:
        """Return when a piece may be read."""

    def spent(self, seconds: float, size: int) -> None:
        """Charge what reading it cost: seconds of computing, and the bytes that are to be sent."""


@define(eq=False)
class Channel:
    """One game as one audience follows it.

    `read` reads the store without blocking the event loop; `unreadable` is called if that fails.
    """

    game: str
    audience: str
    next_seq: int
    store: Store
    blocking: Callable[[Callable[[], Any]], Awaitable[Any]]
    metrics: Metrics
    cursors: dict[int, Cursor] = field(factory=dict)
    _live: list[Cursor] = field(factory=list)
    _ring: deque[tuple[int, int, bytes]] = field(factory=deque)
    _ring_bytes: int = 0
    _moved: trio.Event | None = None

    async def moved(self) -> None:
        """Return when more may be seen than now."""
        if self._moved is None:
            self._moved = trio.Event()
        await self._moved.wait()

    def _move(self, next_seq: int) -> None:
        self.next_seq = next_seq
        if self._moved is not None:
            self._moved.set()
            self._moved = None

    def publish(self, records: Sequence[Record], openings: Sequence[Sequence[Opening]]) -> None:
        """These records are the next ones, and may be seen now."""
        first = records[0].seq
        self._move(first + len(records))
        if not self.cursors:
            self._ring.clear()
            self._ring_bytes = 0
            return
        items = tuple(
            (record.data, private(found, self.audience))
            for record, found in zip(records, openings, strict=True)
        )
        data = to_frame(Records(self.game, self.audience, first, items))
        self._keep(first, data)
        overtaken = False
        waited_for = self.audience != PUBLIC
        for cursor in self._live:
            try:
                if cursor.out.writing:
                    cursor.next_seq = first
                    cursor.live = False
                    overtaken = True
                    cursor.out.serve(cursor)
                elif waited_for:
                    cursor.out.write(data)
                else:
                    cursor.out.write_later(data)
            except Exception as error:
                # A bug of ours with one follower ends that connection, not the game.
                cursor.out.fault(error)
        if overtaken:
            self._live = [cursor for cursor in self._live if cursor.live]

    def reveal(self, next_seq: int) -> None:
        """Records before this one, which are in the store, may be seen now. Whoever follows gets
        them from there."""
        first = self.next_seq
        self._move(next_seq)
        behind, self._live = self._live, []
        for cursor in behind:
            cursor.next_seq = first
            cursor.live = False
            cursor.out.serve(cursor)

    def subscribe(
        self,
        out: Outgoing,
        after_seq: int,
        on_lost: Callable[[StoreError], None],
        reading: Reading | None = None,
    ) -> Cursor:
        """A new cursor. It gets the records it lacks, then new ones as they come. `reading` says
        when more may be read from the store for it."""
        cursor = Cursor(self, out, after_seq + 1, on_lost, reading)
        self.cursors[id(cursor)] = cursor
        if cursor.next_seq >= self.next_seq:
            self.go_live(cursor)
        else:
            out.serve(cursor)
        return cursor

    def go_live(self, cursor: Cursor) -> None:
        """The cursor has everything that may be seen."""
        cursor.live = True
        self._live.append(cursor)

    def remove(self, cursor: Cursor) -> None:
        """The cursor no longer follows."""
        if self.cursors.pop(id(cursor), None) is not None:
            cursor.closed = True
            if cursor.live:
                self._live.remove(cursor)
            else:
                cursor.out.drop(cursor)

    def _keep(self, first: int, data: bytes) -> None:
        self._ring.append((first, self.next_seq, data))
        self._ring_bytes += len(data)
        while self._ring_bytes > RING_BYTES_MAX or len(self._ring) > RING_FRAMES_MAX:
            self._ring_bytes -= len(self._ring.popleft()[2])

    def from_ring(self, seq: int) -> tuple[int, bytes] | None:
        """What the ring holds from this record on, and the number of the record after it. None if
        the ring begins later."""
        ring = self._ring
        if not ring or seq < ring[0][0]:
            return None
        at = bisect_left(ring, seq, key=lambda entry: entry[0])
        if at == len(ring) or ring[at][0] != seq:
            return None
        taken = []
        size = 0
        while at < len(ring) and size < CHUNK_BYTES:
            _, seq, data = ring[at]
            taken.append(data)
            size += len(data)
            at += 1
        return seq, b"".join(taken)

    async def from_store(self, seq: int, reading: Reading | None) -> tuple[int, bytes]:
        """Read the next records from the store, at least one, with the number of the record after
        them."""
        if reading is not None:
            await reading.turn()
        self.metrics.catch_up_reads += 1
        found: tuple[int, bytes]
        found, seconds = await self.blocking(
            partial(_timed, _read, self.store, self.game, self.audience, seq, self.next_seq)
        )
        if reading is not None:
            reading.spent(seconds, len(found[1]))
        return found


@define(eq=False)
class Cursor:
    """One subscription: a place in the log. `next_seq` counts only while it is not live."""

    channel: Channel
    out: Outgoing
    next_seq: int
    on_lost: Callable[[StoreError], None]
    reading: Reading | None = None
    live: bool = False
    closed: bool = False

    async def next_chunk(self) -> bytes | None:
        """The next records that it lacks, encoded. None if it lacks none."""
        if self.closed:
            return None
        channel = self.channel
        if self.next_seq >= channel.next_seq:
            channel.go_live(self)
            return None
        found = channel.from_ring(self.next_seq)
        if found is None:
            try:
                found = await channel.from_store(self.next_seq, self.reading)
            except StoreError as error:
                channel.remove(self)
                self.on_lost(error)
                return None
            if self.closed:
                return None
        self.next_seq, data = found
        return data


@define(eq=False)
class Followed:
    """A game as far as others follow it. `profile` is always known. `shown` is how far spectators
    of a delayed game see it, and `quarantine` what is wrong with it. `moved` is set once another
    node has it, after which this object decides nothing."""

    services: Services
    profile: Profile
    channels: dict[tuple[str, bool], Channel] = field(factory=dict, kw_only=True)
    quarantine: str = field(default="", kw_only=True)
    moved: bool = field(default=False, kw_only=True)
    shown: Progress = field(init=False)
    _unseen: deque[tuple[float, Record]] = field(factory=deque, kw_only=True)
    _showing: bool = field(default=False, kw_only=True)

    @property
    def id(self) -> str:
        """The game's id."""
        return self.profile.game

    def head(self, audience_is_public: bool = False) -> Head:
        """The signed head: that of the newest record, or of the newest one that spectators may
        see."""
        progress = self.shown if audience_is_public else self.profile.progress
        return self.head_of(progress.seq, progress.hash)

    def head_of(self, seq: int, hash: bytes) -> Head:
        """The signed head of a record, signed with the key that is in force for this game."""
        signer = self.services.signer
        own = signer.of(self.profile.server_key)
        return signer.head(self.id, seq, hash) if own is None else own.sign(self.id, seq, hash)

    def refusal_signature(self, act: bytes, seq: int, hash: bytes) -> bytes:
        """The server's signed statement that an act (given by its hash) is not in the log up to
        record `seq`, and never will be."""
        signer = self.services.signer
        own = signer.of(self.profile.server_key)
        return (signer if own is None else own).signature(refusal_bytes(act, seq, hash))

    @property
    def shut(self) -> Failed | None:
        """Why nothing can be decided here: it is in quarantine, or another node has it."""
        if self.quarantine:
            return failed("error.quarantined", game=self.id)
        return failed("error.busy", game=self.id) if self.moved else None

    def channel(self, audience: str, *, as_late_as_public: bool = False) -> Channel:
        """The channel of an audience. Spectators of a delayed game see it late, and so does anybody
        who looks at a seat's view `as_late_as_public`."""
        late = self.profile.is_late and (as_late_as_public or audience == PUBLIC)
        found = self.channels.get((audience, late))
        if found is None:
            progress = self.shown if late else self.profile.progress
            services = self.services
            found = Channel(
                self.id,
                audience,
                progress.seq + 1,
                services.store,
                services.ambient.blocking,
                services.metrics,
            )
            self.channels[audience, late] = found
        return found

    def _publish_to_seats(self, batch: Batch[Any]) -> None:
        for (audience, late), channel in self.channels.items():
            if not late and audience != PUBLIC:
                channel.publish(batch.records, batch.openings)

    def _publish_to_spectators(self, batch: Batch[Any]) -> None:
        channel = self.channels.get((PUBLIC, False))
        if channel is not None:
            channel.publish(batch.records, batch.openings)
        if self.profile.is_late:
            self._show_later(batch.records)
        else:
            self.shown = self.profile.progress
            self.services.changed(self.id)
            self.tell_public()

    def tell_public(self) -> None:
        """What spectators may see, or something beside it, has become more: the public stream is to
        have it, where there is one."""
        public = self.services.public
        if public is not None:
            public.show(self.id, self.shown.seq + 1)

    def begin_showing(self) -> None:
        """This node owns the game from now on: what the owner before it has not shown is shown.

        That there is a board of a tournament that spectators see late tells who has come so far, so
        its first record is late, too."""
        public, profile = self.services.public, self.profile
        if public is None:
            return
        if self.shown.seq or not profile.genesis.delay_s or TOURNAMENT not in profile.genesis.terms:
            self.tell_public()
        else:
            self.services.start(self._begin_late)

    async def _begin_late(self) -> None:
        await trio.sleep(self.profile.genesis.delay_s)
        if not self.moved:
            self.tell_public()

    def _show_later(self, unseen: tuple[Record, ...]) -> None:
        """Show these once spectators may see them. A delay counts from the record's own time; in a
        fleet, of which any clock may be wrong, from now. There nobody is shown what the public
        stream does not have, so that the game's next owner knows what was shown."""
        due = trio.current_time() + self.profile.genesis.delay_s
        self._unseen.extend((due, record) for record in unseen)
        if not self._showing and self._due_in() is not None:
            self._showing = True
            self.services.start(self._show_when_due)

    def _due_in(self, place: int = 0) -> float | None:
        """In how many seconds spectators may see a record, counted from the next. None if there is
        none, or a turn has to end first."""
        if place >= len(self._unseen):
            return None
        due, record = self._unseen[place]
        if self.services.public is None:
            wait_ms = self.profile.shows_in_ms(record, self.services.ambient.now_ms())
            return None if wait_ms is None else wait_ms / 1000
        turns = self.profile.turns
        if turns is not None and not turns.shows(record.seq):
            return None
        return max(0.0, due - trio.current_time())

    async def _show_when_due(self) -> None:
        try:
            while (wait := self._due_in()) is not None:
                if wait > 0:
                    await trio.sleep(wait)
                elif not await self._show_due():
                    self._unseen.clear()  # its next owner shows them
        finally:
            self._showing = False

    async def _show_due(self) -> bool:
        """Show what may be seen by now. False if the game is another node's, and nothing was
        shown."""
        count = 1
        while self._due_in(count) == 0:
            count += 1
        public = self.services.public
        if public is not None:
            records = self.shown.seq + 1 + count
            public.show(self.id, records)
            if self.moved or not await public.shown(self.id, records):
                return False
        due = [self._unseen.popleft()[1] for _ in range(count)]
        for record in due:
            self.shown = self.shown.advance(record)
        for (audience, late), channel in self.channels.items():
            if late and audience == PUBLIC:
                channel.publish(due, [()] * len(due))
            elif late:
                channel.reveal(self.shown.seq + 1)
        self.services.changed(self.id)
        return True


def private(openings: Iterable[Opening], audience: str) -> bytes:
    """The private openings beside a record for an audience; b"" for none."""
    if audience == PUBLIC or not openings:
        return b""
    mine = entitled(openings, audience)
    return pack_openings(mine) if mine else b""


def items_of(frames: Iterable[Frame], audience: str) -> list[Item]:
    """Records and private openings from a game's frames."""
    items: list[Item] = []
    for frame in frames:
        if frame.kind == FRAME_RECORD:
            items.append((frame.payload, b""))
        elif frame.kind == FRAME_OPENINGS and audience != PUBLIC:
            items[-1] = (items[-1][0], private(unpack_openings(frame.payload), audience))
    return items


def _timed(call: Callable[..., T], *args: Any) -> tuple[T, float]:
    began = time.thread_time()
    return call(*args), time.thread_time() - began


def _read(store: Store, game: str, audience: str, seq: int, end: int) -> tuple[int, bytes]:
    """A chunk's records, read a few at a time: how large they are shows when they are read, and
    what a chunk has no room for would be read again for the next."""
    wanted: list[Frame] = []
    size = count = 0
    most = min(end - seq, CHUNK_RECORDS)
    while count < most and size <= CHUNK_BYTES:
        found = store.read(game, seq + count, min(most - count, READ_RECORDS))
        if not found:
            break
        for frame in found:
            if frame.kind == FRAME_RECORD:
                count += 1
                size += len(frame.payload)
            if frame.kind in (FRAME_RECORD, FRAME_OPENINGS):
                wanted.append(frame)
    return seq + count, to_frame(Records(game, audience, seq, tuple(items_of(wanted, audience))))
