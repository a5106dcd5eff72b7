"""The store that several machines share: games as sealed messages in NATS JetStream.

Rules of this file:
- An append names the sequence of the newest message that this store has folded, so the engine
  accepts it only behind exactly that state (the fence). Whoever is not the newest writer is told.
- An append is answered when its outcome is known, and never before: as long as nobody can say, the
  same bytes are sent again with the same name and the same fence, which takes at most one of them.
- "Not saved" is said only of what the engine refused.
- What is read is checked against what is known: the messages of a game are its frames without gap,
  each at its place, and none that was acknowledged is missing.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final
from zlib import crc32

import trio
from attrs import define, field

from warledger.engine.nats.client import Settings, opened
from warledger.engine.nats.jetstream import (
    FULL,
    IN_PROCESS,
    INCOMPLETE,
    NO_LEADER,
    WRONG_LAST_SEQUENCE,
    JetStream,
    Kept,
    Rejected,
)
from warledger.engine.nats.port import (
    Engine,
    Missed,
    NoResponders,
    NotSent,
    Subscription,
    Unknown,
)
from warledger.engine.store.gamefile import encode_addition
from warledger.engine.store.port import (
    FRAME_RECORD,
    Conflict,
    Damaged,
    Fenced,
    Frame,
    GameExists,
    StoreClosed,
    StoreError,
    StoreFailed,
    StoreHealth,
    UnknownGame,
    check_game_id,
)
from warledger.engine.store.sealed import BadMessage, DataKeys
from warledger.protocol.wlog import CorruptFile, walk

SHARDS: Final = 6
"""How many private streams a fleet has, unless it was made with another number."""

ANSWER_SECONDS: Final = 1.0
"""How long an append waits for its answer before the same is sent again."""

BUSY_SECONDS: Final = 0.002
NO_LEADER_SECONDS: Final = 0.05
BEHIND_SECONDS: Final = 0.01
"""Pauses before it is asked again: where the leader is still at the last append, where there is
none, and where a replica has not yet what is known to be stored."""

READ_MESSAGES: Final = 256
READ_BYTES: Final = 8 * 1024 * 1024
"""How much is asked for at once."""

FIRST: Final = "W-First"
"""The header with the index of a message's first record, by which a reader seeks."""


def shard_of(game: str, shards: int) -> int:
    """The number of the game's stream."""
    return crc32(game.encode()) % shards


def subject_of(game: str, shards: int) -> str:
    """The subject of a game's messages."""
    return f"wg.{shard_of(game, shards)}.{game}"


@define(eq=False)
class _Game:
    """What is known of a game: for each message its sequence and the index of its first record.

    `last` is the newest message's sequence, `records` how many records there are, `queued` also
    those of appends under way. `failure` ends the appends that wait behind one that failed.
    """

    name: str
    records: int = 0
    last: int = 0
    queued: int = 0
    sequences: list[int] = field(factory=list)
    firsts: list[int] = field(factory=list)
    turn: trio.StrictFIFOLock = field(factory=trio.StrictFIFOLock)
    failure: StoreError | None = None

    def add(self, sequence: int, records: int) -> None:
        """A message of this sequence followed, with so many records."""
        self.sequences.append(sequence)
        self.firsts.append(self.records)
        self.records += records
        self.last = sequence


class JetStreamStore:
    """See `port.Store`. Made by `open_jetstream`."""

    def __init__(
        self,
        engine: Engine,
        keys: DataKeys,
        shards: int,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._random = random
        self._js = JetStream(engine)
        self._keys = keys
        self._shards = shards
        self._token = trio.lowlevel.current_trio_token()
        self._ids: set[str] = set()
        self._games: dict[str, _Game] = {}
        self._loading: dict[str, trio.Lock] = {}
        self._damaged: dict[str, Damaged] = {}
        self._under_way = 0
        self._idle = trio.Event()
        self._closing = False
        self._appends = self._fenced = 0
        self.tries = 0

    # --- the port ---------------------------------------------------------------------------------

    async def create(self, game: str, frames: Sequence[Frame]) -> None:
        check_game_id(game)
        encode_addition(frames, new_file=True)
        await trio.lowlevel.checkpoint_if_cancelled()
        self._check_open()
        if game in self._ids:
            raise GameExists(game)
        made = _Game(game)
        try:
            await self._write(made, frames)
        except Fenced:
            self._ids.add(game)
            raise GameExists(game) from None
        self._ids.add(game)
        self._games.setdefault(game, made)

    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        encode_addition(frames, new_file=False)
        known = await self._known(game)
        self._check_open()
        if known.queued != expected_records:
            raise Conflict(game, expected_records, known.queued)
        await self._write(known, frames)

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        """In a thread, as the port says: it waits for the engine."""
        if after_records < 0:
            raise ValueError(
                f"after_records is {after_records}; it counts records already seen, 0 or more"
            )
        return trio.from_thread.run(
            self._read, game, after_records, records_max, trio_token=self._token
        )

    def keeps(self, game: str) -> bool:
        return game in self._ids

    def games(self) -> list[str]:
        return sorted(self._ids)

    async def checkpoint(self) -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        self._check_open()

    async def aclose(self) -> None:
        self._closing = True
        with trio.CancelScope(shield=True):
            while self._under_way:
                await self._idle.wait()
        await trio.lowlevel.checkpoint()

    def health(self) -> StoreHealth:
        return StoreHealth(
            ok=True,
            games=len(self._ids),
            waiting=self._under_way,
            appends=self._appends,
            syncs=self._appends,
            damaged=tuple(sorted(self._damaged)),
        )

    # --- appends ----------------------------------------------------------------------------------

    async def _write(self, game: _Game, frames: Sequence[Frame]) -> None:
        """Append, in the order of the calls. Nobody who was queued is left not knowing."""
        records = sum(frame.kind == FRAME_RECORD for frame in frames)
        data = encode_addition(frames, new_file=False).data
        game.queued += records
        self._under_way += 1
        try:
            with trio.CancelScope(shield=True):
                async with game.turn:
                    if game.failure is not None:
                        raise game.failure
                    try:
                        await self._settle(game, data, records)
                    except StoreError as error:
                        game.failure = error
                        self._games.pop(game.name, None)
                        raise
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()
                self._idle = trio.Event()

    async def _settle(self, game: _Game, data: bytes, records: int) -> None:
        """Send until the outcome is known."""
        subject = subject_of(game.name, self._shards)
        pieces = list(self._keys.seal(game.name, game.records, data))
        identity = f"{game.name}.{self._random(9).hex()}"
        headers = {FIRST: str(game.records)}
        number = 0
        while True:
            number += 1
            self.tries += 1
            try:
                if len(pieces) == 1:
                    stored = await self._js.append(
                        subject,
                        pieces[0],
                        identity=identity,
                        expected=game.last,
                        headers=headers,
                        seconds=ANSWER_SECONDS,
                    )
                else:
                    stored = await self._js.append_all(
                        subject,
                        pieces,
                        identity=f"{identity}.{number}",
                        expected=game.last,
                        headers=headers | {"W-Append": identity},
                        seconds=2 * ANSWER_SECONDS,
                    )
                last = stored.sequence
            except Rejected as error:
                found = await self._judged(game, subject, identity, error)
                if found is None:
                    continue
                last = found + len(pieces) - 1
            except (Unknown, NotSent, NoResponders):
                await trio.sleep(NO_LEADER_SECONDS)
                continue
            break
        # Several pieces begin at the same record; the last completes it.
        for sequence in range(last - len(pieces) + 1, last + 1):
            game.add(sequence, records if sequence == last else 0)
        self._appends += 1

    async def _judged(
        self, game: _Game, subject: str, identity: str, error: Rejected
    ) -> int | None:
        """What a refusal means: the sequence at which it is stored after all, None if it is to be
        sent again, or a StoreError."""
        if error.number in IN_PROCESS or error.number == INCOMPLETE:
            await trio.sleep(BUSY_SECONDS)
            return None
        if error.number in NO_LEADER:
            await trio.sleep(NO_LEADER_SECONDS)
            return None
        if error.number in FULL:
            raise StoreFailed(f"the engine has no room: {error.what}", "not saved")
        if error.number != WRONG_LAST_SEQUENCE:
            raise StoreFailed(f"the engine refused: {error}", "not saved")
        if error.last < game.last:
            raise self._damage(
                game.name,
                error.last,
                f"the engine has lost what it acknowledged: its newest message is {error.last}, "
                f"and {game.last} was stored",
            )
        first = await self._first_after(game, subject)
        if first is not None and identity in (
            first.headers.get("Nats-Msg-Id"),
            first.headers.get("W-Append"),
        ):
            return first.sequence
        if first is None:
            return None
        self._fenced += 1
        raise Fenced(game.name, game.records)

    async def _first_after(self, game: _Game, subject: str) -> Kept | None:
        """The first message behind the newest that is known, as the leader has it."""
        stream = f"WG{shard_of(game.name, self._shards)}"
        while True:
            try:
                return await self._js.after(stream, subject, game.last, from_leader=True)
            except (Unknown, NotSent, NoResponders, Rejected):
                await trio.sleep(NO_LEADER_SECONDS)

    # --- reads ------------------------------------------------------------------------------------

    async def _known(self, game: str) -> _Game:
        """A game, read to its end if it was not known. Raises UnknownGame and Damaged."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if (damage := self._damaged.get(game)) is not None:
            raise damage
        if game not in self._games:
            await self._load(game)
        return self._games[game]

    async def _load(self, game: str) -> None:
        async with self._loading.setdefault(game, trio.Lock()):
            if game not in self._games:
                self._check_id(game)
                known = _Game(game)
                await self._messages(known, 0, fold=True)
                known.queued = known.records
                self._games[game] = known
        self._loading.pop(game, None)

    async def _read(self, game: str, after: int, most: int | None) -> list[Frame]:
        known = await self._known(game)
        if after and after >= known.records:
            return []
        end = known.records if most is None else min(after + most, known.records)
        where = bisect_right(known.firsts, after) - 1 if after else 0
        # Several pieces begin at one record: the first of them has it.
        while where and known.firsts[where - 1] == known.firsts[where]:
            where -= 1
        start = known.sequences[where] - 1
        until = known.last
        if most is not None and end < known.records:
            until = known.sequences[bisect_right(known.firsts, end) - 1]
        frames = await self._messages(known, start, fold=False, until=until)
        return _cut(frames, known.firsts[where], after, most)

    async def _messages(
        self, game: _Game, after: int, *, fold: bool, until: int | None = None
    ) -> list[Frame]:
        """The frames of a game's messages behind a sequence, to its end as the leader has it now or
        to the sequence `until`. With `fold` they are taken in as what is known of the game."""
        stream = f"WG{shard_of(game.name, self._shards)}"
        subject = subject_of(game.name, self._shards)
        if until is None:
            until = await self._newest(stream, subject)
            if not until:
                raise UnknownGame(game.name)
        frames: list[Frame] = []
        pieces: list[bytes] = []
        first = 0
        while after < until:
            try:
                found, _ = await self._js.read(
                    stream, subject, after, most=READ_MESSAGES, most_bytes=READ_BYTES
                )
            except (Unknown, NotSent, NoResponders, Rejected):
                found = []
            if not found:
                await trio.sleep(BEHIND_SECONDS)  # a replica that is behind, or none that answers
                continue
            for kept in found:
                if kept.sequence > until:
                    break
                after = kept.sequence
                try:
                    piece = self._keys.open(kept.payload)
                except BadMessage as error:
                    raise self._damage(game.name, kept.sequence, str(error)) from None
                if piece.piece == 0:
                    first = piece.first
                    if fold and first != game.records:
                        raise self._damage(
                            game.name,
                            kept.sequence,
                            f"record {first} stands where record {game.records} should",
                        )
                if (piece.game, piece.first, piece.piece) != (game.name, first, len(pieces)):
                    raise self._damage(
                        game.name, kept.sequence, "the message belongs to another place"
                    )
                pieces.append(piece.data)
                if len(pieces) == piece.pieces:
                    whole = self._frames(game.name, kept.sequence, b"".join(pieces))
                    frames += whole
                    pieces.clear()
                    if fold:
                        count = sum(frame.kind == FRAME_RECORD for frame in whole)
                        game.add(kept.sequence, count)
                elif fold:
                    game.add(kept.sequence, 0)
        if pieces:
            raise self._damage(game.name, until, "the last append is not whole")
        return frames

    async def _newest(self, stream: str, subject: str) -> int:
        """The sequence of a subject's newest message, as the leader has it; 0 if there is none."""
        while True:
            try:
                last = await self._js.last(stream, subject, from_leader=True)
            except (Unknown, NotSent, NoResponders, Rejected):
                await trio.sleep(NO_LEADER_SECONDS)
                continue
            return 0 if last is None else last.sequence

    def _frames(self, game: str, sequence: int, data: bytes) -> list[Frame]:
        try:
            return [Frame(kind, payload) for _, kind, payload in walk(data, 0)]
        except CorruptFile as error:
            raise self._damage(game, sequence, str(error)) from None

    # --- the list ---------------------------------------------------------------------------------

    async def list_games(self) -> None:
        """Learn which games there are."""
        for shard in range(self._shards):
            for subject in await self._js.subjects(f"WG{shard}", f"wg.{shard}.>"):
                self._ids.add(subject.rpartition(".")[2])

    async def follow(self, heard: Subscription) -> None:
        """Learn for ever of games that others make, from what the engine republishes."""
        while True:
            try:
                self._ids.add((await heard.receive()).subject.rpartition(".")[2])
            except Missed:
                await self.list_games()

    # --- errors -----------------------------------------------------------------------------------

    def _damage(self, game: str, sequence: int, what: str) -> Damaged:
        place = f"stream WG{shard_of(game, self._shards)}"
        damage = self._damaged[game] = Damaged(game, place, sequence, what)
        return damage

    def _check_id(self, game: str) -> None:
        if game not in self._ids:
            raise UnknownGame(game)

    def _check_open(self) -> None:
        if self._closing:
            raise StoreClosed("the store is closed; nothing was saved")


def _cut(frames: list[Frame], first: int, after: int, most: int | None) -> list[Frame]:
    """Of frames that begin with record `first`: those from record `after` on (all of them for 0),
    with what stands beside `most` records."""
    at = [index for index, frame in enumerate(frames) if frame.kind == FRAME_RECORD]
    start = at[after - first] if after else 0
    end = len(at) if most is None else after - first + most
    return frames[start : at[end] if end < len(at) else None]


def private_stream(shard: int, replicas: int) -> tuple[str, list[str], dict[str, object]]:
    """Name, subjects and configuration of a private stream."""
    return (
        f"WG{shard}",
        [f"wg.{shard}.>"],
        {
            "storage": "file",
            "num_replicas": replicas,
            "retention": "limits",
            "discard": "new",
            "allow_direct": True,
            "allow_atomic": True,
            "deny_delete": True,
            "duplicate_window": 120_000_000_000,
            "republish": {"src": f"wg.{shard}.>", "dest": f"follow.{shard}.>"},
        },
    )


@asynccontextmanager
async def open_jetstream(
    settings: Settings, keys: DataKeys, *, shards: int = SHARDS
) -> AsyncIterator[JetStreamStore]:
    """The fleet's games. Waits for the engine; raises Rejected if its streams were never made."""
    async with opened(settings, f"_INBOX.{os.urandom(11).hex()}") as engine:
        await engine.connected()
        store = JetStreamStore(engine, keys, shards)
        heard = engine.subscribe("follow.*.>")
        await store.list_games()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.follow, heard)
            try:
                yield store
            finally:
                await store.aclose()
                nursery.cancel_scope.cancel()
