"""Games that only the archive has are read from there: what an archive lends, and to whom.

Rules of this file:
- Nothing is lent but games whose cards say that only archives have them. Such a game is over,
  nothing in it is hidden, and spectators have seen its end.
- A node is lent what left the engine, sealed as it was there. An edge is lent the public's part and
  cannot name the other subject.
- What is lent is asked for piece by piece. So a connection that breaks costs one piece, and a
  reader who goes away leaves nothing behind.
- Nobody takes an archive's word. The card, which only nodes write, names the last record's hash,
  and so the whole chain. Every head has to be signed by the game's key.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import trio
import trio.lowlevel
from attrs import define, field, frozen

from warledger.engine.nats.natsport import (
    Engine,
    EngineError,
    Missed,
    NoResponders,
    NotSent,
    TooLarge,
)
from warledger.engine.nats.wire import Message
from warledger.engine.store.fleet.cards import Card, Cards
from warledger.engine.store.fleet.gamefolds import claimed_in
from warledger.engine.store.fleet.publicgames import Copy
from warledger.engine.store.fleet.publicstream import public_frames
from warledger.engine.store.fleet.sealedmessages import PIECE_BYTES, BadMessage, DataKeys, Piece
from warledger.engine.store.port import Damaged, Frame, Store, StoreError, check_game_id
from warledger.protocol import canon
from warledger.protocol.log.records import NO_HASH
from warledger.protocol.log.wlog import CorruptFile, encode_frame, walk

TO_NODES: Final = "lend.whole"
TO_EDGES: Final = "lend.public"
"""What archives hear, with the game's id behind it: plain subjects of the account ARCHIVE, of which
CORE may name the first and PUBLIC the second."""

PIECES_MAX: Final = 256
"""The most pieces of a game that are lent: 128 MiB. A longer one has to be imported."""

LENT_BYTES: Final = 64 * 1024 * 1024
"""How much an archive, a node or an edge holds in memory of games that are read so. One game is
held however large it is."""

FOLDER_BYTES: Final = 512 * 1024 * 1024
"""How much a node keeps of them on its disk."""

FOLDER: Final = "lent"
"""The folder for that in the node's directory. What lies there is sealed as it came."""

READS: Final = 2
"""How many games an archive reads at a time."""

WAITING_MAX: Final = 64
"""How many requests wait for that. Further ones are not answered, and are asked again."""

TRIES: Final = 3
ANSWER_SECONDS: Final = 2.0
AGAIN_SECONDS: Final = 0.25
"""How often a piece is asked for, how long an answer may take, and the pause where nobody is there
to give one."""

REFUSED_SECONDS: Final = 2.0
"""For how long a game that could not be had is not asked for again."""


T = TypeVar("T")


@define(eq=False)
class _Recent(Generic[T]):
    """The newest things that were used, each with its size in bytes, as many as there is room for;
    at least one."""

    room: int
    _kept: OrderedDict[object, tuple[T, int]] = field(factory=OrderedDict)
    _bytes: int = 0

    def get(self, name: object) -> T | None:
        """One of them, which is now the newest."""
        if name not in self._kept:
            return None
        self._kept.move_to_end(name)
        return self._kept[name][0]

    def put(self, name: object, thing: T, size: int) -> None:
        """Keep it."""
        self.drop(name)
        self._kept[name] = (thing, size)
        self._bytes += size
        while self._bytes > self.room and len(self._kept) > 1:
            _, (_, gone) = self._kept.popitem(last=False)
            self._bytes -= gone

    def drop(self, name: object) -> None:
        """Keep it no longer."""
        _, size = self._kept.pop(name, (None, 0))
        self._bytes -= size


# --- by the archive -------------------------------------------------------------------------------


@define(eq=False)
class Lending:
    """What an archive lends. `cards` must be running; `stopped` says of a game whether it does not
    go on in the archive."""

    engine: Engine
    cards: Cards
    keys: DataKeys
    store: Store
    stopped: Callable[[str], bool] = lambda game: False
    log: Callable[..., None] = lambda event, **values: None
    lent: int = 0
    _made: _Recent[list[bytes]] = field(factory=lambda: _Recent(LENT_BYTES))
    _making: dict[tuple[str, str], trio.Lock] = field(factory=dict)
    _waiting: int = 0

    async def run(self) -> None:
        """Lend for ever."""
        limit = trio.CapacityLimiter(READS)
        async with trio.open_nursery() as nursery:
            for subject in (TO_NODES, TO_EDGES):
                nursery.start_soon(self._hear, subject, limit, nursery)

    async def _hear(self, subject: str, limit: trio.CapacityLimiter, nursery: trio.Nursery) -> None:
        heard = self.engine.subscribe(f"{subject}.*")
        while True:
            try:
                message = await heard.receive()
            except Missed:
                continue  # it is asked again
            game = message.subject.rpartition(".")[2]
            asked = message.payload
            if not (message.reply and asked.isdigit() and len(asked) < 4 and self._may(game)):
                continue
            if self._waiting < WAITING_MAX:
                self._waiting += 1
                nursery.start_soon(self._answer, subject, game, int(asked), message.reply, limit)

    def _may(self, game: str) -> bool:
        return game in self.cards.archived() and self.store.keeps(game) and not self.stopped(game)

    async def _answer(
        self, subject: str, game: str, piece: int, reply: str, limit: trio.CapacityLimiter
    ) -> None:
        try:
            pieces = await self._pieces(subject, game, limit)
            if piece < len(pieces) <= PIECES_MAX:
                self.engine.publish(reply, pieces[piece])
                self.lent += not piece
        except StoreError as error:
            self.log("archive cannot read a game", game=game, what=str(error))
        except (NotSent, TooLarge):
            pass  # it is asked again
        finally:
            self._waiting -= 1

    async def _pieces(self, subject: str, game: str, limit: trio.CapacityLimiter) -> list[bytes]:
        name = (subject, game)
        async with self._making.setdefault(name, trio.Lock()):
            made = self._made.get(name)
            if made is None:
                make = self._sealed if subject == TO_NODES else self._public
                made = await trio.to_thread.run_sync(make, game, limiter=limit)
                self._made.put(name, made, sum(map(len, made)))
        self._making.pop(name, None)
        return made

    def _frames(self, game: str) -> list[Frame]:
        # Whose it was is nobody's business any more.
        return [one for one in self.store.read(game) if claimed_in([one]) is None]

    def _sealed(self, game: str) -> list[bytes]:
        return list(self.keys.seal(game, 0, _together(self._frames(game))))

    def _public(self, game: str) -> list[bytes]:
        return list(in_clear(game, _together(public_frames(self._frames(game)))))


def _together(frames: Sequence[Frame]) -> bytes:
    return b"".join(encode_frame(frame.kind, frame.payload) for frame in frames)


def in_clear(game: str, data: bytes) -> Iterator[bytes]:
    """The pieces of what everybody may have."""
    places = range(0, len(data), PIECE_BYTES)
    for number, at in enumerate(places):
        yield canon.pack((game, 0, number, len(places), data[at : at + PIECE_BYTES]))


def opened_in_clear(message: bytes) -> Piece:
    """What such a piece holds. Raises BadMessage."""
    try:
        match canon.unpack(message):
            case (str(game), int(first), int(piece), int(pieces), bytes(data)):
                return Piece(game, first, piece, pieces, data)
    except ValueError:
        pass
    raise BadMessage("the archive's answer is no piece of a game")


# --- by nodes and edges ---------------------------------------------------------------------------


class NotLent(Exception):
    """No archive gives the game just now, or none gives what left the engine."""


@frozen
class _Last:
    """What a game's card says of it: how many records, and the last one's hash."""

    records: int
    hash: bytes

    @classmethod
    def of(cls, card: Card | None) -> _Last | None:
        """None where it does not say that: it was written by an earlier release."""
        row: Mapping[str, Any] = {} if card is None else card.row
        try:
            found = cls(int(row["seq"]) + 1, bytes.fromhex(row["hash"]))
        except (KeyError, TypeError, ValueError):
            return None
        return found if len(found.hash) == len(NO_HASH) else None


@define(eq=False)
class Borrower:
    """The games that are read from archives: those last used in memory, and in a folder if there is
    one, as they came. `subject` is where they are asked for, and `opens` opens a piece."""

    engine: Engine
    cards: Cards
    subject: str
    opens: Callable[[bytes], Piece]
    folder: Path | None = None
    log: Callable[..., None] = lambda event, **values: None
    borrowed: int = 0
    refused: int = 0
    _held: _Recent[list[Frame]] = field(factory=lambda: _Recent(LENT_BYTES))
    _coming: dict[str, trio.Lock] = field(factory=dict)
    _not_before: dict[str, tuple[float, str]] = field(factory=dict)

    async def frames(self, game: str) -> list[Frame]:
        """A game's frames: all of them at a node, those of the public at an edge. Raises
        NotLent."""
        async with self._coming.setdefault(game, trio.Lock()):
            held = self._held.get(game)
            if held is not None:
                return held
            at, why = self._not_before.get(game, (0.0, ""))
            if trio.current_time() < at:
                raise NotLent(why)
            self._not_before.pop(game, None)
            try:
                found, size = await self._found(game)
            except NotLent as error:
                self.refused += 1
                self._refuse(game, str(error))
                raise
            self._held.put(game, found, size)
        self._coming.pop(game, None)
        return found

    async def lent(self, game: str) -> list[Frame] | None:
        """A game's frames from an archive. None if it cannot be had, or has not left the engine."""
        if game not in self.cards.archived():
            return None
        with suppress(NotLent):
            return await self.frames(game)
        return None

    def forget(self, game: str) -> None:
        """The game is in the engine again, and may go on there."""
        self._held.drop(game)
        self._not_before.pop(game, None)
        if self.folder is not None:
            with suppress(OSError):
                (self.folder / game).unlink(missing_ok=True)

    def _refuse(self, game: str, why: str) -> None:
        now = trio.current_time()
        for old in [one for one, (at, _) in self._not_before.items() if at <= now]:
            del self._not_before[old]
        self._not_before[game] = (now + REFUSED_SECONDS, why)
        self.log("game not lent", game=game, what=why)

    async def _found(self, game: str) -> tuple[list[Frame], int]:
        last = _Last.of(self.cards.of(game)) if game in self.cards.archived() else None
        if last is None:
            raise NotLent("its card does not name its last record")
        kept = await trio.to_thread.run_sync(self._kept, game)
        if kept is not None:
            with suppress(NotLent):
                return await trio.to_thread.run_sync(self._read, game, kept, last)
            self.forget(game)
        pieces = await self._asked(game)
        made = await trio.to_thread.run_sync(self._read, game, pieces, last)
        await trio.to_thread.run_sync(self._keep, game, pieces)
        self.borrowed += 1
        return made

    # --- from an archive --------------------------------------------------------------------------

    async def _asked(self, game: str) -> list[bytes]:
        pieces: list[bytes] = []
        count = 1
        while len(pieces) < count:
            message = await self._ask(game, len(pieces))
            try:
                piece = self.opens(message.payload)
            except BadMessage as error:
                raise NotLent(str(error)) from None
            if not pieces:
                count = piece.pieces
            stands = (game, 0, len(pieces), count)
            if (piece.game, piece.first, piece.piece, piece.pieces) != stands or not (
                0 < count <= PIECES_MAX
            ):
                raise NotLent(f"piece {len(pieces)} of {count} is another")
            pieces.append(message.payload)
        return pieces

    async def _ask(self, game: str, piece: int) -> Message:
        for _ in range(TRIES):
            try:
                return await self.engine.request(
                    f"{self.subject}.{game}", str(piece).encode(), seconds=ANSWER_SECONDS
                )
            except NoResponders:
                await trio.sleep(AGAIN_SECONDS)
            except EngineError:
                await trio.lowlevel.checkpoint()
        raise NotLent("no archive answers")

    def _read(self, game: str, pieces: Sequence[bytes], last: _Last) -> tuple[list[Frame], int]:
        """The frames in these pieces, held to what the card says. Raises NotLent. In a thread."""
        try:
            data = b"".join(self.opens(piece).data for piece in pieces)
            frames = [Frame(kind, payload) for _, kind, payload in walk(data, 0)]
            copy = Copy(game)
            copy.hold(frames if self.subject == TO_EDGES else public_frames(frames))
        except (BadMessage, CorruptFile, Damaged) as error:
            raise NotLent(f"the archive gives something else: {error}") from None
        newest = copy.newest
        if newest is None or (copy.count, newest.hash) != (last.records, last.hash):
            raise NotLent("the archive gives something else: it does not end as the card says")
        if copy.head is None or copy.head.seq != newest.seq:
            raise NotLent("the archive gives something else: its last record has no signed head")
        return frames, len(data)

    # --- on the disk ------------------------------------------------------------------------------

    def _kept(self, game: str) -> list[bytes] | None:
        if self.folder is None:
            return None
        path = self.folder / game
        try:
            check_game_id(game)
            data = path.read_bytes()
            os.utime(path)
        except (OSError, ValueError):
            return None
        pieces: list[bytes] = []
        at = 0
        while at < len(data):
            size = int.from_bytes(data[at : at + 4], "big")
            pieces.append(data[at + 4 : at + 4 + size])
            at += 4 + size
        return pieces

    def _keep(self, game: str, pieces: Sequence[bytes]) -> None:
        """It is only a cache: what cannot be written is asked for again."""
        size = sum(map(len, pieces))
        if self.folder is None or size > FOLDER_BYTES // 2:
            return
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, exist_ok=True)
            others = sorted(
                (one.stat().st_mtime_ns, one.stat().st_size, one) for one in self.folder.iterdir()
            )
            total = size + sum(bytes for _, bytes, _ in others)
            for _, bytes, one in others:
                if total <= FOLDER_BYTES:
                    break
                one.unlink()
                total -= bytes
            unfinished = self.folder / f"{game}.new"
            unfinished.write_bytes(b"".join(len(one).to_bytes(4, "big") + one for one in pieces))
            os.replace(unfinished, self.folder / game)
