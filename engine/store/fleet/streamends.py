"""Where games are in the engine, and how far they have come as their newest appends say, without
reading them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final
from zlib import crc32

import trio
from attrs import define, field

from warledger.engine.nats.jetstreamapi import NEWEST_MAX, NO_LEADER, JetStream, Kept, Rejected
from warledger.engine.nats.natsport import NoResponders, NotSent, Unknown

AGAIN_SECONDS: Final = 0.05
AGAIN_MOST_SECONDS: Final = 0.4
"""Pauses before it is asked again which games there are, each twice as long as the one before it up
to the second: while the engine elects a leader nobody can say."""

LOST_TRIES: Final = 20
"""After so many reads that gave nothing the leader is asked whether there is anything."""

LOST_SECONDS: Final = 12.0
MISSED_SECONDS: Final = 0.25
"""A leader that was cut off answers for ten seconds more with what it knew then. So what a leader
lacks is lost only if that is still so after this time, asked at these intervals: by then the node
has left a server that acknowledges no commits."""

FIRST: Final = "W-First"
"""The header with the index of a message's first record, by which a reader seeks."""

CLAIM: Final = "W-Owner"
"""The header that says whose a game is from this message on, so that whoever hears it need not read
the game. What counts is the claim in the message."""

NOBODY: Final = "-"
"""What it says of a game that is released."""


def shard_of(game: str, shards: int) -> int:
    """The number of the game's stream."""
    return crc32(game.encode()) % shards


@lru_cache(maxsize=4096)
def subject_of(game: str, shards: int) -> str:
    """The subject of a game's messages."""
    return f"wg.{shard_of(game, shards)}.{game}"


@define(eq=False)
class Ends:
    """`newest` names, for each game that was heard of, a record in or before its newest append, or
    one more where that may hold none."""

    _js: JetStream
    _shards: int
    _pause: Callable[[float], Awaitable[None]]
    newest: dict[str, int] = field(factory=dict)

    def note(self, game: str, headers: Mapping[str, str], claim: str | None) -> None:
        """This is a game's newest append, which claims it, or not."""
        first = int(headers.get(FIRST, "0")) - (claim is not None)
        if first >= self.newest.get(game, 0):
            self.newest[game] = first

    async def games(self, patience: float | None = None) -> list[str]:
        """Which games there are, as soon as the engine can say: it may have no leader just now.
        Where a stream is missing it is asked again after `patience` seconds; without that this
        raises Rejected."""
        again = AGAIN_SECONDS
        while True:
            try:
                return [
                    subject.rpartition(".")[2]
                    for shard in range(self._shards)
                    for subject in await self._js.subjects(f"WG{shard}", f"wg.{shard}.>")
                ]
            except (Unknown, NotSent, NoResponders):
                await trio.sleep(again)
            except Rejected as error:
                if error.number in NO_LEADER:
                    await trio.sleep(again)
                elif patience is None:
                    raise
                else:
                    await trio.sleep(patience)
            again = min(2 * again, AGAIN_MOST_SECONDS)

    async def look(self, games: Sequence[str]) -> None:
        """Hear of the newest append of each of these games, without reading them."""
        shards: dict[int, list[str]] = {}
        for game in games:
            of = shards.setdefault(shard_of(game, self._shards), [])
            of.append(subject_of(game, self._shards))
        for shard, subjects in shards.items():
            for start in range(0, len(subjects), NEWEST_MAX):
                for kept in await self._read(f"WG{shard}", subjects[start : start + NEWEST_MAX]):
                    claim = kept.headers.get(CLAIM)
                    self.note(kept.subject.rpartition(".")[2], kept.headers, claim)

    async def _read(self, stream: str, subjects: Sequence[str]) -> list[Kept]:
        while True:
            try:
                return await self._js.newest(stream, subjects)
            except (Unknown, NotSent, NoResponders, Rejected):
                await self._pause(AGAIN_SECONDS)
