"""The store that several machines share: games as sealed messages in NATS JetStream.

Rules of this file:
- An append names the sequence of the newest message that this store has folded. So the engine
  accepts it only behind exactly that state (the fence). Whoever is not the newest writer is told.
- An append is answered when its outcome is known, and never before: while nobody can say, the same
  bytes are sent again with the same name and the same fence, which takes one at most.
- "Not saved" is said only of what the engine refused.
- What is read is checked against what is known: the messages of a game are its frames without gap,
  each at its place. None that was acknowledged is missing.
"""

import os
import time
from bisect import bisect_right
from collections.abc import AsyncGenerator, Callable, Container, Sequence
from contextlib import suppress
from typing import Final

import trio

from warledger.engine.nats.jetstreamapi import (
    JetStream,
    Kept,
)
from warledger.engine.nats.natsport import Engine, Missed, Subscription
from warledger.engine.store.files.gamefile import Addition, cut, encode_addition
from warledger.engine.store.fleet.appendoutcomes import Settling
from warledger.engine.store.fleet.gamefolds import (
    ARCHIVED,
    Appended,
    Fold,
    FoldedGame,
    Lent,
    beside_after,
    claimed_in,
    nobody_lends,
    owner_meta,
    predecessor,
    republished,
)
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.fleet.streamends import (
    CLAIM,
    MISSED_SECONDS,
    NOBODY,
    Ends,
    shard_of,
    subject_of,
)
from warledger.engine.store.fleet.streamreads import StreamReading
from warledger.engine.store.port import (
    FRAME_RECORD,
    Conflict,
    Fenced,
    Frame,
    GameExists,
    StoreClosed,
    StoreError,
    StoreFailed,
    StoreHealth,
    UnknownGame,
    Unmeasured,
    check_after,
    check_game_id,
)

SHARDS: Final = 6
"""How many private streams a fleet has, unless it was made with another number."""

LOOK_SECONDS: Final = 2.0
"""After so much silence whoever follows a game looks whether a last message was lost on the way."""


class JetStreamStore(Unmeasured):
    """See `port.Store`. Made by `open_jetstream`."""

    def __init__(
        self,
        engine: Engine,
        keys: DataKeys,
        shards: int,
        random: Callable[[int], bytes] = os.urandom,
        *,
        name: str = "",
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        js: JetStream | None = None,
    ) -> None:
        self._now_ms = now_ms
        self.name = name
        self._js = js or JetStream(engine)
        self.keys = keys
        self._shards = shards
        self._token = trio.lowlevel.current_trio_token()
        self._ids: set[str] = set()
        self._owners: dict[str, str] = {}
        self._versions: dict[str, int] = {}
        self.ends = Ends(self._js, shards, self._pause)
        self._games: dict[str, FoldedGame] = {}
        self._loading: dict[str, trio.Lock] = {}
        self.reading = StreamReading(self._js, keys, shards, self._pause, self.forget)
        self.settling = Settling(self._js, keys, shards, random, self._pause, self.reading.miss)
        self._under_way = 0
        self._idle = trio.Event()
        self._closing = self._given_up = False
        self.gaps = 0
        self.observed: Callable[[StoreError | None, float], None] = lambda error, seconds: None
        self.moved_away: Callable[[str], None] = lambda game: None
        self.appended: Appended = lambda game, records, beside, frames: None
        self.lent: Lent = nobody_lends

    # --- the port ---------------------------------------------------------------------------------

    async def create(self, game: str, frames: Sequence[Frame]) -> None:
        check_game_id(game)
        encode_addition(frames, new_file=True)
        await trio.lowlevel.checkpoint_if_cancelled()
        self._check_open()
        if game in self._ids:
            raise GameExists(game)
        made = FoldedGame(game)
        if self.name:
            frames = [*frames, owner_meta(self.name, self._now_ms())]
        try:
            await self._write(made, frames)
        except Fenced:
            self._ids.add(game)
            raise GameExists(game) from None
        self._ids.add(game)
        self._games.setdefault(game, made)

    async def append(self, game: str, expected_records: int, frames: Sequence[Frame]) -> None:
        added = encode_addition(frames, new_file=False)
        known = await self._known(game)
        self._check_open()
        if self.name and known.owner != self.name:
            raise Fenced(game, expected_records)
        if known.queued != expected_records:
            raise Conflict(game, expected_records, known.queued)
        await self._write(known, frames, added=added)

    def read(
        self, game: str, after_records: int = 0, records_max: int | None = None
    ) -> list[Frame]:
        """In a thread, as the port says: it waits for the engine."""
        check_after(after_records)
        return trio.from_thread.run(
            self._read, game, after_records, records_max, trio_token=self._token
        )

    @property
    def engine(self) -> Engine:
        """Where the games are."""
        return self._js.engine

    @property
    def shards(self) -> int:
        """How many private streams the fleet has."""
        return self._shards

    async def frames(self, game: str, after_records: int = 0) -> list[Frame]:
        """What `read` gives, in the event loop's own thread."""
        check_after(after_records)
        return await self._read(game, after_records, None)

    async def follow(self, game: str, after_records: int = 0) -> AsyncGenerator[list[Frame], None]:
        self._check_id(game)
        subject = subject_of(game, self._shards)
        stream = f"WG{shard_of(game, self._shards)}"
        heard = self._js.engine.subscribe(f"follow.{subject.removeprefix('wg.')}")
        try:
            known = FoldedGame(game)
            fold = Fold(self.reading, known, takes=True)
            found = await self.reading.messages(fold, 0)
            first = cut(found, 0, after_records)
            if first:
                yield first
            while True:
                live: Kept | None = None
                try:
                    with trio.move_on_after(LOOK_SECONDS):
                        live = republished(await heard.receive(), stream, subject)
                except Missed:
                    pass
                if live is not None and live.sequence <= known.last:
                    continue  # it was read already
                if live is not None and predecessor(live) == known.last:
                    found = fold.take(live) or []
                else:
                    self.gaps += live is not None
                    found = await self.reading.messages(fold, known.last)
                if found:
                    yield found
        finally:
            heard.close()

    async def claim(self, game: str, dead: Container[str] = ()) -> bool:
        return await self._take(game, lambda owner: not owner or owner in dead, self.name)

    async def release(self, game: str) -> bool:
        return await self._take(game, lambda _: False, "")

    def owner_of(self, game: str) -> str | None:
        """Whose a game is, as far as was heard; "" if it is nobody's, None if that is not known."""
        known = self._games.get(game)
        if known is not None and known.owner == self.name:
            return self.name
        return self._owners.get(game)

    async def finds(self, game: str) -> bool:
        """Whether there is this game, asking the engine where that is not known yet."""
        try:
            check_game_id(game)
        except ValueError:
            return False
        if game not in self._ids and await self.reading.newest(game):
            self._ids.add(game)
        return game in self._ids

    def owned(self) -> int:
        """How many games are this node's, of those that are known here."""
        return sum(known.owner == self.name for known in self._games.values())

    def version_of(self, game: str) -> int:
        """A number that grows with each append to a game that is heard of; 0 if none was."""
        return self._versions.get(game, 0)

    async def look(self, game: str) -> str:
        """Whose a game is now, after reading it to its end."""
        while True:
            known = await self._known(game)
            await self._catch_up(known)
            if known.failure is None:
                self._owners[game] = known.owner
                return known.owner

    async def is_newest(self, game: str) -> bool:
        """Whether nobody has appended behind what is known of a game here, as the leader has it
        now."""
        known = await self._known(game)
        async with known.turn:  # so none of ours is under way
            return await self.reading.newest(game) <= known.last

    async def _take(self, game: str, may: Callable[[str], bool], name: str) -> bool:
        """Make a game that is ours somebody else's, or one that `may` be taken ours."""
        if not self.name:
            await self._known(game)
            return True  # a store that nobody shares
        while True:
            known = await self._known(game)
            self._check_open()
            await self._catch_up(known)
            if known.failure is not None:
                continue  # it is read anew
            owner = known.owner
            if owner != self.name and not may(owner):
                return False
            if owner == name:
                return True
            try:
                # Directly behind what was judged: nothing of this node's gets in between.
                await self._write(known, [owner_meta(name, self._now_ms())], known.last)
            except Fenced:
                continue
            return True

    async def _catch_up(self, game: FoldedGame) -> None:
        """Fold what others have appended meanwhile. A game that was ours until then fails: whoever
        waits to append to it has decided on what is no longer the newest state."""
        with trio.CancelScope(shield=True):
            async with game.turn:
                if game.failure is not None:
                    return
                if game.owner != self.name:
                    await self.reading.messages(Fold(self.reading, game, takes=True), game.last)
                    game.queued = game.records
                    return
                newest = await self.reading.newest_of(game)
                if newest > game.last:
                    game.failure = Fenced(game.name, game.records)
                    self._forget(game)

    async def hold(
        self, game: str, records: int, newest: bytes | None = None, seconds: float = 0.0
    ) -> None:
        """Close a game of ours that does not hold what was made public of it: so many records, the
        last of which is `newest`, where that is known. That it is too short must be so for
        `seconds`, where another may have gone on with it. Raises StoreError."""
        lost = "the engine has lost what it acknowledged"
        until = trio.current_time() + seconds
        while True:
            known = await self._known(game)
            if known.owner != self.name:
                return  # it is not ours to judge
            if known.records >= records:
                break
            if not await self.is_newest(game):
                return  # somebody has taken it from us, as the fence will tell
            if trio.current_time() >= until:
                what = f"{records} records were made public, and it holds {known.records}"
                self._forget(known)
                raise self.reading.damage(game, known.last, f"{lost}: {what}")
            await self._pause(MISSED_SECONDS)
        if records and newest is not None:
            frames = await self._read(game, records - 1, 1)
            if newest not in (one.payload for one in frames if one.kind == FRAME_RECORD):
                self._forget(known)
                what = f"record {records - 1} is another than the one that was made public"
                raise self.reading.damage(game, known.last, f"{lost}: {what}")

    async def last_of(self, game: str) -> int:
        """The sequence of a game's newest message, as far as it is known here."""
        return (await self._known(game)).last

    async def retire(self, game: str, last: int) -> int | None:
        """Let nobody append to a game of this node's any more, if its newest message is still
        `last`. Returns up to which sequence it may be removed then, else None."""
        known = await self._known(game)
        with suppress(Fenced):
            if known.owner == self.name:
                await self._write(known, [owner_meta(ARCHIVED, self._now_ms())], last)
                return known.last
        return None

    def forget(self, game: str) -> None:
        """A game has left the engine: nothing that was known of it counts."""
        self._ids.discard(game)
        self._games.pop(game, None)
        self.reading.recent.forget(game)
        for known in (self._owners, self._versions, self.reading.damaged, self.ends.newest):
            known.pop(game, None)

    def keeps(self, game: str) -> bool:
        return game in self._ids

    def games(self) -> list[str]:
        return sorted(self._ids)

    async def checkpoint(self) -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        self._check_open()

    def give_up(self) -> None:
        """Wait no longer for an engine that does not answer: of what is under way the outcome stays
        unknown."""
        self._given_up = True

    async def _pause(self, seconds: float) -> None:
        """Wait before the engine is asked again."""
        await trio.sleep(seconds)
        if self._given_up:
            raise StoreFailed("the engine does not answer", "unknown")

    async def aclose(self) -> None:
        self._closing = True
        with trio.CancelScope(shield=True):
            if self._under_way:
                await self._idle.wait()
        await trio.lowlevel.checkpoint()

    def health(self) -> StoreHealth:
        return StoreHealth(
            ok=True,
            games=len(self._ids),
            waiting=self._under_way,
            appends=self.settling.stored,
            syncs=self.settling.stored,
            damaged=tuple(sorted(self.reading.damaged)),
        )

    # --- appends ----------------------------------------------------------------------------------

    async def _write(
        self,
        game: FoldedGame,
        frames: Sequence[Frame],
        behind_last: int | None = None,
        added: Addition | None = None,
    ) -> None:
        """Append, in the order of the calls. Nobody who was queued is left not knowing. `added`
        are the frames as they are stored, where that is known. Raises Fenced where the newest
        message is not the one with the sequence `behind_last`."""
        added = added or encode_addition(frames, new_file=False)
        game.queued += len(added.records_at)
        self._under_way += 1
        try:
            await game.take_turn()
            try:
                await self._write_now(game, frames, behind_last, added)
            finally:
                game.turn.release()
        finally:
            self._under_way -= 1
            if not self._under_way and self._closing:
                self._idle.set()

    async def _write_now(
        self, game: FoldedGame, frames: Sequence[Frame], behind_last: int | None, added: Addition
    ) -> None:
        if game.failure is not None:
            raise game.failure
        if behind_last is not None and game.last != behind_last:
            raise Fenced(game.name, game.records)
        owner = game.claimed = claimed_in(frames)
        if self.name and self.name not in (game.owner, owner):
            # It waited behind a release, which took the game away after it was let in. The fence
            # alone would take it: a release is the newest message that is known here.
            game.failure = Fenced(game.name, game.records)
            self._forget(game)
            raise game.failure
        behind, last = (game.records, game.beside), game.last
        began = trio.current_time()
        try:
            await self.settling.settle(game, added)
        except StoreError as error:
            self.observed(error, trio.current_time() - began)
            game.failure = error
            self._forget(game)
            raise
        self.observed(None, trio.current_time() - began)
        game.beside = beside_after(game.beside, frames)
        if owner is not None:
            game.owner = self._owners[game.name] = owner
        self.reading.recent.extend(game.name, last, game.last, frames)
        self.appended(game.name, *behind, frames)

    # --- reads ------------------------------------------------------------------------------------

    async def _known(self, game: str) -> FoldedGame:
        """A game, read to its end if it was not known. Raises UnknownGame and Damaged."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if (damage := self.reading.damaged.get(game)) is not None:
            raise damage
        found = self._games.get(game)
        if found is not None and found.owner == ARCHIVED:
            self._forget(found)  # it may have gone since, and have been brought back
        if game not in self._games:
            await self._load(game)
        return self._games[game]

    def _forget(self, game: FoldedGame) -> None:
        if self._games.get(game.name) is game:
            del self._games[game.name]

    async def _load(self, game: str) -> None:
        async with self._loading.setdefault(game, trio.Lock()):
            if game not in self._games:
                self._check_id(game)
                known = FoldedGame(game)
                await self.reading.messages(Fold(self.reading, known, takes=True), 0)
                known.queued = known.records
                self._games[game] = known
        self._loading.pop(game, None)

    async def _read(self, game: str, after: int, most: int | None) -> list[Frame]:
        try:
            known = await self._known(game)
        except UnknownGame:
            lent = await self.lent(game)
            if lent is None:
                raise
            return cut(lent, 0, after, most)
        if (
            self.name
            and known.owner != self.name
            and (most is None or after + most > known.records)
        ):
            await self._catch_up(known)
        if after and after >= known.records:
            return []
        if (whole := self.reading.recent.whole(game, known.last)) is not None:
            return cut(whole, 0, after, most)
        end = known.records if most is None else min(after + most, known.records)
        where = bisect_right(known.firsts, after) - 1 if after else 0
        # Several pieces begin at one record: the first of them has it.
        while where and known.firsts[where - 1] == known.firsts[where]:
            where -= 1
        start = known.sequences[where] - 1 if where else 0
        until = known.last
        if most is not None and end < known.records:
            until = known.sequences[bisect_right(known.firsts, end) - 1]
        frames = await self.reading.messages(Fold(self.reading, known), start, until=until)
        return cut(frames, known.firsts[where], after, most)

    # --- the list ---------------------------------------------------------------------------------

    async def list_when_led(self) -> None:
        """Learn which games there are, as soon as the engine can say. Raises Rejected where a
        stream is missing."""
        self._ids.update(await self.ends.games())

    async def learn(self, heard: Subscription) -> None:
        """Learn for ever of games that others make, from what the engine republishes."""
        while True:
            try:
                message = await heard.receive()
            except Missed:
                self.gaps += 1
                self._owners.clear()
                self._versions.clear()
                self.ends.newest.clear()
                self._ids.update(await self.ends.games(LOOK_SECONDS))
                continue
            headers = message.headers
            self._ids.add(game := message.subject.rpartition(".")[2])
            self._versions[game] = int(headers.get("Nats-Sequence", "0"))
            owner = headers.get(CLAIM)
            self.ends.note(game, headers, owner)
            if owner is None and self._owners.get(game) == ARCHIVED:
                owner = NOBODY  # and it was brought back
            if owner is not None:
                self._owners[game] = "" if owner == NOBODY else owner
                if (
                    (known := self._games.get(game)) is not None
                    and known.owner == self.name != owner
                    and self._versions[game] > known.last
                ):
                    # Somebody held us for dead. Whatever waits here is refused.
                    known.failure = Fenced(game, known.records)
                    self._forget(known)
                    self.moved_away(game)

    def _check_id(self, game: str) -> None:
        if game not in self._ids:
            raise UnknownGame(game)

    def _check_open(self) -> None:
        if self._closing:
            raise StoreClosed("the store is closed; nothing was saved")
