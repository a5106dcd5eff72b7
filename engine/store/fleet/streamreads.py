"""What a node reads of the games in the engine, and what it finds wrong with them.

A replica may be behind, and a leader may have been deposed without knowing it. So every read goes
up to what a leader says is the newest. A leader that has less than is known is asked again until it
is certain that something is lost.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import trio
from attrs import define, field

from warledger.engine.nats.jetstreamapi import READ_BYTES, READ_MESSAGES, JetStream, Rejected
from warledger.engine.nats.natsport import NoResponders, NotSent, Unknown
from warledger.engine.store.fleet.cards import is_archived
from warledger.engine.store.fleet.gamefolds import Fold, FoldedGame
from warledger.engine.store.fleet.recent import Recent
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.fleet.streamends import (
    LOST_SECONDS,
    LOST_TRIES,
    MISSED_SECONDS,
    shard_of,
    subject_of,
)
from warledger.engine.store.port import Damaged, Frame, UnknownGame

NO_LEADER_SECONDS: Final = 0.05
BEHIND_SECONDS: Final = 0.01
"""Pauses before it is asked again: where there is no leader, and where a replica has not yet what
is known to be stored."""


@define(eq=False)
class StreamReading:
    """Reads games. `left` is told of a game that is not in the engine any more. `recent` are the
    frames that were just read, `damaged` the games that are closed."""

    _js: JetStream
    keys: DataKeys
    _shards: int
    _pause: Callable[[float], Awaitable[None]]
    _left: Callable[[str], None]
    recent: Recent = field(factory=Recent)
    damaged: dict[str, Damaged] = field(factory=dict)

    async def messages(self, fold: Fold, after: int, *, until: int | None = None) -> list[Frame]:
        """The frames of a game's messages behind a sequence, to its end as the leader has it now or
        to the sequence `until`. Raises UnknownGame and Damaged."""
        game = fold.game
        stream = f"WG{shard_of(game.name, self._shards)}"
        subject = subject_of(game.name, self._shards)
        if until is None:
            until = await self.newest_of(game)
            if not until:
                self._left(game.name)
                raise UnknownGame(game.name)
        frames: list[Frame] = []
        misses, start = 0, after
        while after < until:
            before = after
            try:
                found, _ = await self._js.read(
                    stream, subject, after, most=READ_MESSAGES, most_bytes=READ_BYTES
                )
            except (Unknown, NotSent, NoResponders, Rejected):
                found = []
            for kept in found:
                if kept.sequence > until:
                    break
                after = kept.sequence
                frames += fold.take(kept) or ()
            if after == before:
                # A replica that is behind, or none that answers; or the game left meanwhile.
                misses += 1
                if not misses % LOST_TRIES:
                    there = await self.newest(game.name)
                    if there < until:
                        await self.miss(game, there)
                    else:
                        game.missed = None
                await self._pause(BEHIND_SECONDS)
        if fold.pieces:
            raise self.damage(game.name, until, "the last append is not whole")
        if fold.takes or (not start and until == game.last):
            self.recent.take(game.name, start, after, frames)
        return frames

    async def newest(self, game: str) -> int:
        """The sequence of a game's newest message, as the leader has it; 0 if there is none."""
        stream, subject = f"WG{shard_of(game, self._shards)}", subject_of(game, self._shards)
        while True:
            try:
                last = await self._js.last(stream, subject, from_leader=True)
            except (Unknown, NotSent, NoResponders, Rejected):
                await self._pause(NO_LEADER_SECONDS)
                continue
            return 0 if last is None else last.sequence

    async def newest_of(self, game: FoldedGame) -> int:
        """A game's newest sequence, once a leader has all that is known. Raises StoreError."""
        while (newest := await self.newest(game.name)) < game.last:
            await self.miss(game, newest)
        game.missed = None
        return newest

    async def miss(self, game: FoldedGame, last: int) -> None:
        """A leader says that a game's newest message is older than one that was stored. Return when
        it may be asked again. Raises what it means once that is certain: UnknownGame of one that
        was archived, else Damaged."""
        if not last and await is_archived(self._js, game.name, self._pause):
            self._left(game.name)
            raise UnknownGame(game.name)
        now = trio.current_time()
        if game.missed is None:
            game.missed = now
        elif now - game.missed >= LOST_SECONDS:
            what = "the engine has lost what it acknowledged: its newest message is"
            raise self.damage(game.name, last, f"{what} {last}, and {game.last} was stored")
        await self._pause(MISSED_SECONDS)

    def damage(self, game: str, sequence: int, what: str) -> Damaged:
        """Close a game: this is what is wrong with it."""
        place = f"stream WG{shard_of(game, self._shards)}"
        damage = self.damaged[game] = Damaged(game, place, sequence, what)
        return damage
