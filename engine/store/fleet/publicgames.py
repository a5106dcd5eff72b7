"""The games of a fleet as everybody may see them: what an edge serves, from the public streams.

Rules of this file:
- It can append nothing, and asks the engine for nothing but what the account PUBLIC may read.
- Every record is checked to follow the one before it, and every head to be signed by the game's
  key, before anybody is given it. A frame of a kind that the public may not have closes the game.
- What was given out stays: a stream that is read again from its beginning has to say the same.
- A game is held whole while somebody looks at it, and dropped when nobody does.
"""

from collections.abc import AsyncGenerator, Callable, Container, Sequence
from contextlib import suppress
from typing import Final, NoReturn

import trio
from attrs import define, field

from warledger.engine.nats.jetstreamapi import (
    READ_BYTES,
    READ_MESSAGES,
    JetStream,
    Kept,
    Rejected,
)
from warledger.engine.nats.natsport import (
    Engine,
    Forbidden,
    Missed,
    NoResponders,
    NotSent,
    Unknown,
)
from warledger.engine.store.fleet.gamefolds import (
    PUBLIC,
    Lent,
    nobody_lends,
    predecessor,
    republished,
)
from warledger.engine.store.fleet.jetstream import LOOK_SECONDS
from warledger.engine.store.fleet.nodemessages import FOR_EDGES
from warledger.engine.store.fleet.publicstream import PIECE, Place, public_subject
from warledger.engine.store.fleet.streamends import shard_of
from warledger.engine.store.port import (
    FRAME_HEAD,
    FRAME_RECORD,
    Damaged,
    Frame,
    StoreClosed,
    StoreFailed,
    StoreHealth,
    UnknownGame,
    Unmeasured,
    check_after,
    check_game_id,
)
from warledger.protocol import canon
from warledger.protocol.log import bodies, records
from warledger.protocol.log.chain import Head, follow, head_is_signed_by, read_head
from warledger.protocol.log.records import CorruptLog, Genesis, Record
from warledger.protocol.log.wlog import CorruptFile, walk

AGAIN_SECONDS: Final = 0.05
"""Between two tries where no replica answers."""

OPEN_SECONDS: Final = 8.0
"""How long somebody waits for a game that cannot be read just now."""

CUT_SECONDS: Final = 4.0
CUT_MOST_SECONDS: Final = 60.0
"""A server through which no node is heard for so long is left. The time doubles, up to a minute,
while none is heard through any."""

SHARD_SECONDS: Final = 10.0
"""A stream that nobody answers for so long, while its sisters are answered, is not there."""

BEHIND_SECONDS: Final = 10.0
"""A newest message that is older than ours for so long is no replica's that is behind."""


@define(eq=False)
class Copy:
    """A game as everybody may see it: its public frames, `at` the index of each record among them.

    `place` is how far the stream was read, `last` the sequence of the newest message that was.
    While a stream is read again from its beginning that is less than what is held.
    """

    game: str
    frames: list[Frame] = field(factory=list)
    at: list[int] = field(factory=list)
    newest: Record | None = None
    key: bytes = b""
    place: Place = field(factory=Place)
    last: int = 0
    head: Head | None = None
    _pieces: list[bytes] = field(factory=list)
    _done: int = 0

    @property
    def count(self) -> int:
        """How many records are held."""
        return len(self.at)

    def begin_again(self) -> None:
        """Read the stream from its beginning, and hold it to what is held."""
        self.place, self.last, self._done = Place(), 0, 0
        self._pieces.clear()

    def hold(self, frames: Sequence[Frame]) -> None:
        """Hold these, which the stream has no more: they come from an archive. If it is filled
        again, it is held to them. Raises Damaged."""
        for frame in frames:
            if frame.kind not in PUBLIC:
                self.damage(0, f"a frame of kind {frame.kind} is not the public's")
            self._add(0, frame)
        self.begin_again()

    def take(self, kept: Kept) -> list[Frame]:
        """The frames of the stream's next message that are new here. Raises Damaged."""
        try:
            after = Place.of(kept)
            data = self._whole(kept)
            found = [] if data is None else [Frame(kind, said) for _, kind, said in walk(data, 0)]
        except (CorruptFile, KeyError, ValueError) as error:
            self.damage(kept.sequence, f"{type(error).__name__}: {error}")
        fresh: list[Frame] = []
        stands = (self.place.records, self.place.beside)
        for frame in found:
            if frame.kind not in PUBLIC:
                self.damage(kept.sequence, f"a frame of kind {frame.kind} is not the public's")
            if self._done < len(self.frames):
                if self.frames[self._done] != frame:
                    self.damage(kept.sequence, "it differs from what was there before")
            else:
                self._add(kept.sequence, frame)
                fresh.append(frame)
            self._done += 1
            is_record = frame.kind == FRAME_RECORD
            stands = (stands[0] + 1, 0) if is_record else (stands[0], stands[1] + 1)
        if (after.records, after.beside) != stands:
            self.damage(
                kept.sequence, f"it should end behind record {after.records}, not {stands[0]}"
            )
        self.place, self.last = after, kept.sequence
        return fresh

    def _whole(self, kept: Kept) -> bytes | None:
        """What a message holds; None for a piece that is not the last of its frame."""
        said = kept.headers.get(PIECE, "")
        if not said:
            self._pieces.clear()
            return kept.payload
        piece, _, pieces = said.partition("/")
        if int(piece) != len(self._pieces) + 1:
            raise ValueError(f"piece {said} behind {len(self._pieces)}")
        self._pieces.append(kept.payload)
        if piece != pieces:
            return None
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data

    def _add(self, sequence: int, frame: Frame) -> None:
        try:
            if frame.kind == FRAME_RECORD:
                self._follow(frame.payload)
                self.at.append(len(self.frames))
            elif frame.kind == FRAME_HEAD:
                self._hold_to(frame.payload)
        except (CorruptLog, canon.NotCanonical, ValueError) as error:
            self.damage(sequence, f"{type(error).__name__}: {error}")
        self.frames.append(frame)

    def _follow(self, payload: bytes) -> None:
        [record] = follow([payload], after=self.newest)
        if self.newest is None:
            genesis = Genesis.from_record(record)
            if genesis.game != self.game:
                raise ValueError(f"it begins game {genesis.game!r}")
            self.key = genesis.server_key
        elif record.kind == records.ROTATE:
            self.key = bodies.Rotate.read(record.body).key
        self.newest = record

    def _hold_to(self, payload: bytes) -> None:
        """Keep the head of the newest record."""
        head, newest = read_head(payload), self.newest
        named = head.game, head.seq, head.hash
        if newest is None or named != (self.game, newest.seq, newest.hash):
            raise ValueError("the head is of another record")
        if not head_is_signed_by(self.key, head):
            raise ValueError("the head is not signed by the game's key")
        self.head = head

    def head_of(self, seq: int) -> Head | None:
        """The signed head of a record, if the server gave one."""
        first = self.at[seq]
        until = self.at[seq + 1] if seq + 1 < len(self.at) else len(self.frames)
        for frame in self.frames[first:until]:
            if frame.kind == FRAME_HEAD:
                return read_head(frame.payload)
        return None

    def read(self, after: int, most: int | None) -> list[Frame]:
        """See `port.Store.read`."""
        if after >= self.count:
            return [] if after else list(self.frames)
        start = self.at[after] if after else 0
        end = self.count if most is None else after + most
        return self.frames[start : self.at[end] if end < self.count else None]

    def damage(self, sequence: int, what: str) -> NoReturn:
        raise Damaged(self.game, "the public stream", sequence, what)


class PublicStore(Unmeasured):
    """See `port.Store`: one that takes nothing. `gaps` counts what was not heard live and had to be
    read. `lent` gives the public frames of a game that only archives have, or None."""

    def __init__(
        self,
        engine: Engine,
        shards: int,
        is_connected: Callable[[], bool] = lambda: True,
    ) -> None:
        self._js = JetStream(engine)
        self._shards = shards
        self._is_connected = is_connected
        self._token = trio.lowlevel.current_trio_token()
        self._copies: dict[str, Copy] = {}
        self.damaged: dict[str, Damaged] = {}
        self.lent: Lent = nobody_lends
        self.gaps = 0

    @property
    def engine(self) -> Engine:
        """Where the public streams are."""
        return self._js.engine

    # --- reading ----------------------------------------------------------------------------------

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        """In a thread, as the port says. A game that nobody follows is read for this alone."""
        check_after(after_records)
        copy = self._copies.get(game)
        if copy is None:
            copy = trio.from_thread.run(self._whole, game, trio_token=self._token)
        return copy.read(after_records, records_max)

    def copy(self, game: str) -> Copy | None:
        """A game that is held."""
        return self._copies.get(game)

    async def _whole(self, game: str) -> Copy:
        copy = Copy(game)
        await self._open(copy)
        return copy

    async def _open(self, copy: Copy) -> None:
        """Read a game that is not held yet, or have it lent. Raises UnknownGame, Damaged and
        StoreFailed."""
        try:
            with trio.move_on_after(OPEN_SECONDS) as late:
                await self._read_on(copy)
            if late.cancelled_caught:
                raise StoreFailed("the engine does not answer", "not saved")
        except UnknownGame:
            frames = await self.lent(copy.game)
            if frames is None:
                raise
            await trio.to_thread.run_sync(copy.hold, frames)

    async def follow(self, game: str, after_records: int = 0) -> AsyncGenerator[list[Frame], None]:
        """See `port.Store.follow`. The game is held until it is closed."""
        check_game(game)
        stream = f"WP{shard_of(game, self._shards)}"
        subject = public_subject(game, self._shards)
        # Before it is read, so that nothing falls between.
        heard = self._js.engine.subscribe(f"live.{game}")
        copy = Copy(game)
        try:
            await self._open(copy)
            self._copies[game] = copy
            self.damaged.pop(game, None)
            first = copy.read(after_records, None)
            if first:
                yield first
            well = trio.current_time()
            while True:
                live: Kept | None = None
                is_gap = False
                try:
                    with trio.move_on_after(LOOK_SECONDS):
                        live = republished(await heard.receive(), stream, subject)
                except Missed:
                    is_gap = True
                now = trio.current_time()
                if live is not None and live.sequence <= copy.last:
                    continue  # it was read already
                if live is not None and predecessor(live) == copy.last:
                    found = copy.take(live)
                elif live is not None or is_gap:
                    self.gaps += 1
                    found = await self._read_on(copy, until=live.sequence if live else 0)
                else:
                    newest = await self._newest(game)
                    if newest is None or newest == copy.last:
                        well = now
                        continue
                    if newest > copy.last:
                        self.gaps += 1
                    elif now - well < BEHIND_SECONDS:
                        continue  # a replica that is behind
                    else:
                        copy.begin_again()  # the engine has lost what it had
                    found = await self._read_on(copy, until=newest)
                well = now
                if found:
                    yield found
        except Damaged as error:
            self.damaged[game] = error
            raise
        finally:
            heard.close()
            if self._copies.get(game) is copy:
                del self._copies[game]

    async def watch_server(self) -> None:
        """Leave, for ever, a server that is cut off from the fleet: it answers, and knows nothing
        new."""
        heard = self._js.engine.subscribe(FOR_EDGES)
        patience = CUT_SECONDS
        try:
            while True:
                with trio.move_on_after(patience) as silent, suppress(Missed):
                    await heard.receive()
                    patience = CUT_SECONDS
                if silent.cancelled_caught:
                    self._js.engine.leave("no node is heard through it")
                    patience = min(2 * patience, CUT_MOST_SECONDS)
        finally:
            heard.close()

    async def _newest(self, game: str) -> int | None:
        """The sequence of the newest message, as any replica has it; None if nobody says."""
        stream = f"WP{shard_of(game, self._shards)}"
        try:
            kept = await self._js.last(
                stream, public_subject(game, self._shards), from_leader=False
            )
        except (Unknown, NotSent, NoResponders, Rejected):
            return None
        return 0 if kept is None else kept.sequence

    async def _read_on(self, copy: Copy, until: int = 0) -> list[Frame]:
        """Read what is behind a game's place, to the end that a replica has, and at least to the
        sequence `until`. Raises UnknownGame and Damaged."""
        stream = f"WP{shard_of(copy.game, self._shards)}"
        subject = public_subject(copy.game, self._shards)
        fresh: list[Frame] = []
        while True:
            try:
                found, left = await self._js.read(
                    stream, subject, copy.last, most=READ_MESSAGES, most_bytes=READ_BYTES
                )
            except (Unknown, NotSent, NoResponders, Rejected):
                await trio.sleep(AGAIN_SECONDS)
                continue
            for kept in found:
                fresh += copy.take(kept)
            if not copy.last:
                raise UnknownGame(copy.game)
            if not left and copy.last >= until:
                return fresh
            if not found:
                await trio.sleep(AGAIN_SECONDS)  # a replica that is behind

    # --- what else a store has --------------------------------------------------------------------

    async def create(self, game: str, frames: Sequence[Frame]) -> None:
        """Raises StoreClosed."""
        _refuse()

    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        """Raises StoreClosed."""
        _refuse()

    async def claim(self, game: str, dead: Container[str] = ()) -> bool:
        """Nobody decides anything here."""
        await trio.lowlevel.checkpoint()
        return False

    async def release(self, game: str) -> bool:
        """Nobody decides anything here."""
        await trio.lowlevel.checkpoint()
        return False

    def keeps(self, game: str) -> bool:
        """Whether the game is held just now."""
        return game in self._copies

    def games(self) -> list[str]:
        """The games that are held just now."""
        return sorted(self._copies)

    async def checkpoint(self) -> None:
        """Nothing is kept."""
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        """Nothing is kept."""
        await trio.lowlevel.checkpoint()

    def health(self) -> StoreHealth:
        """It is well while there is a connection to the engine."""
        is_well = self._is_connected()
        return StoreHealth(
            ok=is_well,
            reason="" if is_well else "no NATS server can be reached",
            games=len(self._copies),
            damaged=tuple(sorted(self.damaged)),
        )


async def count_shards(engine: Engine) -> int:
    """How many public streams the fleet has, as far as this client may know. Waits for the
    engine."""
    js = JetStream(engine)
    shards = 0
    began = trio.current_time()
    while True:
        try:
            await js.last(f"WP{shards}", f"wp.{shards}.-", from_leader=False)
        except Forbidden:
            if shards:
                return shards
            raise
        except NoResponders:
            if shards and trio.current_time() - began > SHARD_SECONDS:
                return shards
        except (Unknown, NotSent, Rejected):
            began = trio.current_time()
        else:
            shards += 1
            began = trio.current_time()
            continue
        await trio.sleep(AGAIN_SECONDS)


def check_game(game: str) -> None:
    """Raise UnknownGame for what cannot be a game's id."""
    try:
        check_game_id(game)
    except ValueError:
        raise UnknownGame(game) from None


def _refuse() -> NoReturn:
    raise StoreClosed("an edge keeps nothing: it serves spectators")
