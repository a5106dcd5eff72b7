"""A fleet's archive: every game of the engine in an ordinary data directory, milliseconds behind.

The archive reads the private streams in their order, opens each message, and appends its frames
just as they are. It is a second reader that trusts nobody: a record that does not follow the
newest one by its hash stops that game here, with its place, and no other. What it has is told by
the directory itself, so it may be stopped at any instant; `archive.json` only says where to go on.
"""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio
from attrs import define, field

from warledger.engine.nats.jetstreamapi import JetStream, Kept, Rejected
from warledger.engine.nats.natsport import Missed, NoResponders, NotSent, Subscription, Unknown
from warledger.engine.store.files import datadir
from warledger.engine.store.files.gamefile import encode_addition
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.fleet.keyring import write_secret
from warledger.engine.store.fleet.sealedmessages import BadMessage, DataKeys
from warledger.engine.store.port import FRAME_RECORD, Frame, Store, StoreError, StoreFailed
from warledger.protocol.log.records import NO_HASH, CorruptLog, hash_of
from warledger.protocol.log.records import read as read_record
from warledger.protocol.log.wlog import CorruptFile, walk

PLACE_FILE: Final = datadir.PLACE
READ_MESSAGES: Final = 256
READ_BYTES: Final = 8 * 1024 * 1024
AGAIN_SECONDS: Final = 0.05
LOOK_SECONDS: Final = 1.0
"""How long the archive waits for news before it looks by itself: what is republished may be lost
on the way."""

TOLD_SECONDS: Final = 0.5
"""How often the archive tells the fleet how far behind it is."""


@define(eq=False)
class _Game:
    """What the archive has of a game. `beside` are the frames behind its newest record, as long as
    the engine may show them a second time."""

    records: int = 0
    hash: bytes = NO_HASH
    beside: list[Frame] | None = None
    exists: bool = False


@define(eq=False)
class _Shard:
    """A stream that is followed. `place` is the sequence up to which everything is kept, `read` up
    to which it is read (further, if an append was read in part). `pieces` are those of such
    appends, which began at `begun`. `behind` is how many messages the engine had more when it was
    last read."""

    number: int
    place: int = 0
    read: int = 0
    behind: int = 0
    pieces: dict[str, list[bytes]] = field(factory=dict)
    begun: dict[str, int] = field(factory=dict)

    def end(self, game: str) -> None:
        """No more pieces are awaited of the game's append."""
        self.pieces.pop(game, None)
        self.begun.pop(game, None)

    @property
    def stream(self) -> str:
        return f"WG{self.number}"


class Archive:
    """Follows the private streams into a data directory's store."""

    def __init__(
        self,
        js: JetStream,
        keys: DataKeys,
        shards: int,
        store: Store,
        folder: Path,
        log: Callable[..., None] = lambda event, **values: None,
    ) -> None:
        self._js = js
        self._keys = keys
        self._store = store
        self._file = folder / PLACE_FILE
        self._log = log
        self._games: dict[str, _Game] = {}
        self._shards = [_Shard(number) for number in range(shards)]
        self._news = trio.Event()
        self.stopped: dict[str, str] = {}

    @property
    def behind(self) -> int:
        """How many messages of the engine are not kept yet, as far as is known."""
        return sum(shard.behind for shard in self._shards)

    async def run(self) -> None:
        """Follow for ever. Raises StoreFailed where the directory takes nothing more."""
        self._begin()
        heard = self._js.engine.subscribe("follow.>")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, heard)
            nursery.start_soon(self._tell)
            while True:
                news = self._news
                if not await self.catch_up():
                    with trio.move_on_after(LOOK_SECONDS):
                        await news.wait()

    async def catch_up(self) -> bool:
        """Keep what the engine has more, up to a bound a stream. Returns whether anything was new.
        Raises StoreFailed."""
        found = False
        for shard in self._shards:
            if await self._read(shard):
                found = True
        if found:
            self._keep_place()
        return found

    def _begin(self) -> None:
        try:
            told = json.loads(self._file.read_text(encoding="ascii"))
            places = {int(number): int(place) for number, place in told["streams"].items()}
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            # It is only where to begin: from the start it takes longer.
            self._log("archive begins anew", what=str(error))
            return
        for shard in self._shards:
            shard.place = shard.read = places.get(shard.number, 0)

    def _keep_place(self) -> None:
        places = {str(shard.number): shard.place for shard in self._shards}
        try:
            write_secret(self._file, json.dumps({"streams": places}) + "\n")
        except OSError as error:
            raise StoreFailed(f"{self._file} cannot be written: {error}", "not saved") from error

    async def _listen(self, heard: Subscription) -> None:
        while True:
            with suppress(Missed):
                await heard.receive()
            self._news.set()
            self._news = trio.Event()

    async def _tell(self) -> None:
        name = f"archive.{os.urandom(3).hex()}"
        while True:
            said = {
                "behind": self.behind,
                "games": len(self._store.games()),
                "stopped": len(self.stopped),
            }
            with suppress(NotSent):
                self._js.engine.publish(name, json.dumps(said).encode())
            await trio.sleep(TOLD_SECONDS)

    # --- one stream -------------------------------------------------------------------------------

    async def _read(self, shard: _Shard) -> bool:
        """Keep the next messages of a stream."""
        try:
            found, more = await self._js.read(
                shard.stream,
                f"wg.{shard.number}.>",
                shard.read,
                most=READ_MESSAGES,
                most_bytes=READ_BYTES,
            )
        except (Unknown, NotSent, NoResponders, Rejected):
            await trio.sleep(AGAIN_SECONDS)
            return False
        shard.behind = more + len(found)
        if not found:
            return False
        # Each game in its order, and all games at once: the directory syncs them together.
        games: dict[str, list[Kept]] = {}
        for kept in found:
            games.setdefault(kept.subject, []).append(kept)
        failed: list[StoreError] = []
        async with trio.open_nursery() as nursery:
            for messages in games.values():
                nursery.start_soon(self._take_all, shard, messages, failed)
        if failed:
            raise failed[0]
        shard.read = found[-1].sequence
        shard.place = min(shard.begun.values(), default=shard.read + 1) - 1
        return True

    async def _take_all(
        self, shard: _Shard, messages: Sequence[Kept], failed: list[StoreError]
    ) -> None:
        try:
            for kept in messages:
                await self._take(shard, kept)
                shard.behind -= 1
        except StoreError as error:
            failed.append(error)

    async def _take(self, shard: _Shard, kept: Kept) -> None:
        game = kept.subject.rpartition(".")[2]
        if game in self.stopped:
            return
        try:
            piece = self._keys.open(kept.payload)
            pieces = shard.pieces.setdefault(game, [])
            shard.begun.setdefault(game, kept.sequence)
            if (piece.game, piece.piece) != (game, len(pieces)):
                raise BadMessage("the message belongs to another place")
            pieces.append(piece.data)
            if len(pieces) < piece.pieces:
                return
            shard.end(game)
            frames = [Frame(kind, payload) for _, kind, payload in walk(b"".join(pieces), 0)]
            await self._keep(game, piece.first, frames)
        except (BadMessage, CorruptFile, CorruptLog) as error:
            shard.end(game)
            self.stopped[game] = f"{shard.stream}, message {kept.sequence}: {error}"
            self._log("archive stops a game", game=game, what=self.stopped[game])

    async def _keep(self, game: str, first: int, frames: list[Frame]) -> None:
        """Append what is not kept yet."""
        known = await self._known(game)
        new = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
        if first + len(new) <= known.records and (new or first < known.records):
            await self._compare(game, first, new)
            return
        if not new and known.beside is not None and _holds(known.beside, frames):
            return
        if first != known.records:
            raise BadMessage(f"record {first} stands where record {known.records} should")
        hash = known.hash
        for payload in new:
            if read_record(payload).previous != hash:
                raise BadMessage(f"record {first} does not follow the one before it")
            hash = hash_of(payload)
            first += 1
        if known.exists:
            await self._store.append(game, known.records, frames)
        else:
            await self._store.create(game, frames)
        known.exists, known.hash = True, hash
        known.records += len(new)
        # Whatever comes now is new, unless nothing but what stands beside records has come.
        known.beside = None if new else (known.beside or []) + frames

    async def _compare(self, game: str, first: int, shown: list[bytes]) -> None:
        """What is shown again, or was shown before the last stop, is what is kept."""
        if shown:
            frames = await trio.to_thread.run_sync(self._store.read, game, first, len(shown))
            if [frame.payload for frame in frames if frame.kind == FRAME_RECORD] != shown:
                raise BadMessage(f"record {first} is another than the one that is kept")

    async def _known(self, game: str) -> _Game:
        known = self._games.get(game)
        if known is None:
            known = self._games[game] = _Game()
            if self._store.keeps(game):
                frames = await trio.to_thread.run_sync(self._store.read, game)
                at = [n for n, frame in enumerate(frames) if frame.kind == FRAME_RECORD]
                known.exists, known.records = True, len(at)
                if at:
                    known.hash = hash_of(frames[at[-1]].payload)
                known.beside = frames[at[-1] + 1 :] if at else frames
        return known


def _holds(kept: Sequence[Frame], frames: Sequence[Frame]) -> bool:
    """Whether these frames stand among those that are kept, together and in their order."""
    count = len(frames)
    return any(list(kept[at : at + count]) == list(frames) for at in range(len(kept) - count + 1))


# --- back into a fleet ----------------------------------------------------------------------------


def appends(frames: Sequence[Frame], bytes_max: int) -> list[list[Frame]]:
    """A game's frames as appends that hold no more than `bytes_max` bytes where they can: each
    begins with a record, except the first."""
    made: list[list[Frame]] = []
    held = 0
    for frame in frames:
        size = encode_addition([frame], new_file=False).data
        if not made or (frame.kind == FRAME_RECORD and held + len(size) > bytes_max):
            made.append([])
            held = 0
        made[-1].append(frame)
        held += len(size)
    return made


class Differs(ValueError):
    """The fleet has a game of this name that goes on otherwise."""


async def bring(store: Store, game: str, frames: Sequence[Frame]) -> int:
    """Bring a game into a fleet, or what the fleet's lacks of it. Returns how many records were
    new. Raises Differs, StoreError."""
    # Whose it was there is nobody's business here: a node claims it.
    frames = [frame for frame in frames if claimed_in([frame]) is None]
    ours = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
    theirs: list[bytes] = []
    if store.keeps(game):
        found = await trio.to_thread.run_sync(store.read, game)
        theirs = [frame.payload for frame in found if frame.kind == FRAME_RECORD]
        both = min(len(ours), len(theirs))
        if ours[:both] != theirs[:both]:
            raise Differs(f"the fleet's game {game} has other records")
    if theirs and len(theirs) >= len(ours):
        return 0
    at = [n for n, frame in enumerate(frames) if frame.kind == FRAME_RECORD]
    start = at[len(theirs)] if theirs else 0
    have = len(theirs)
    for part in appends(frames[start:], BRING_BYTES):
        if have or theirs:
            await store.append(game, have, part)
        else:
            await store.create(game, part)
        have += sum(frame.kind == FRAME_RECORD for frame in part)
    return len(ours) - len(theirs)


BRING_BYTES: Final = 4 * 1024 * 1024
"""The most that one append brings, unless a single record is larger."""
