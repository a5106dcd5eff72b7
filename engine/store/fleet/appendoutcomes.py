"""Appends to a stream of the engine, each sent until its outcome is known.

Rules of this file:
- While nobody can say whether an append is stored, the same bytes are sent again with its name and
  fence, which takes one at most.
- "Not saved" is said only of what the engine refused.
- Whoever was cancelled learns the outcome, too: what was sent cannot be taken back.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import trio
from attrs import define

from warledger.engine.nats.jetstreamapi import (
    FULL,
    IN_PROCESS,
    INCOMPLETE,
    NO_LEADER,
    WRONG_LAST_SEQUENCE,
    JetStream,
    Kept,
    Rejected,
    Stored,
)
from warledger.engine.nats.natsport import EngineError, NoResponders, NotSent, Unknown
from warledger.engine.store.files.gamefile import Addition
from warledger.engine.store.fleet.gamefolds import FoldedGame
from warledger.engine.store.fleet.sealedmessages import DataKeys
from warledger.engine.store.fleet.streamends import CLAIM, FIRST, NOBODY, shard_of, subject_of
from warledger.engine.store.port import Fenced, StoreFailed

FIRST_SECONDS: Final = 0.5
ANSWER_SECONDS: Final = 1.0
"""How long an append waits for its first answer, and for each further one, before the same is sent
again. A leader that steps down forgets without a word what it was just asked."""

BUSY_SECONDS: Final = 0.002
BUSY_MOST_SECONDS: Final = 0.064
NO_LEADER_SECONDS: Final = 0.05
"""Pauses before it is asked again: where the leader is still at the last append (twice as long each
time, up to the second), and where there is none."""


@define(eq=False, slots=False)
class Settling:
    """Sends appends. `miss` returns when a leader may be asked again whose newest message of a game
    is older than was stored, or raises what that means.

    `stored` counts appends, `tries` how often they were sent, `unknowns` tries whose outcome nobody
    could say. `busy` are tries refused since another was in process, `fenced` appends refused since
    somebody else had appended.
    """

    _js: JetStream
    _keys: DataKeys
    _shards: int
    _random: Callable[[int], bytes]
    _pause: Callable[[float], Awaitable[None]]
    _miss: Callable[[FoldedGame, int], Awaitable[None]]
    stored: int = 0
    tries: int = 0
    unknowns: int = 0
    busy: int = 0
    fenced: int = 0

    async def settle(self, game: FoldedGame, added: Addition) -> None:
        """Append to a game behind what is known of it. Returns once it is stored, also to who was
        cancelled. Raises StoreError."""
        subject = subject_of(game.name, self._shards)
        pieces = list(self._keys.seal(game.name, game.records, added.data))
        identity = f"{game.name}.{self._random(9).hex()}"
        headers = {FIRST: str(game.records)}
        if game.claimed is not None:
            headers[CLAIM] = game.claimed or NOBODY
        error: EngineError | None = None
        last = 0
        if len(pieces) == 1:
            # Nearly every append is one message that is stored at once. A scope for it would cost
            # as much as to seal it, so the request alone is shielded.
            self.tries += 1
            try:
                last = (await self._send(game, subject, pieces, identity, headers, 1)).sequence
            except (Rejected, Unknown, NotSent, NoResponders) as refused:
                error = refused
        if not last:
            with trio.CancelScope(shield=True):
                last = await self._until_stored(game, subject, pieces, identity, headers, error)
        # Several pieces begin at the same record; the last completes it.
        for sequence in range(last - len(pieces) + 1, last):
            game.add(sequence, 0)
        game.add(last, len(added.records_at))
        self.stored += 1

    async def _until_stored(
        self,
        game: FoldedGame,
        subject: str,
        pieces: Sequence[bytes],
        identity: str,
        headers: Mapping[str, str],
        error: EngineError | None,
    ) -> int:
        """The sequence of its last piece, once it is stored. `error` is how a first try ended, if
        there was one."""
        tries = 0 if error is None else 1
        is_unsure = False
        while True:
            if error is None:
                tries += 1
                self.tries += 1
                try:
                    return (
                        await self._send(game, subject, pieces, identity, headers, tries)
                    ).sequence
                except (Rejected, Unknown, NotSent, NoResponders) as refused:
                    error = refused
            if isinstance(error, Rejected):
                if error.number in FULL and is_unsure:
                    # An earlier try may be on its way yet. Once there is room, one of them stands.
                    await self._pause(NO_LEADER_SECONDS)
                else:
                    found = await self.judged(game, subject, identity, error, tries)
                    if found is not None:
                        return found + len(pieces) - 1
            else:
                is_unsure = is_unsure or isinstance(error, Unknown)
                self.unknowns += isinstance(error, Unknown)
                await self._pause(NO_LEADER_SECONDS)
            error = None

    async def _send(
        self,
        game: FoldedGame,
        subject: str,
        pieces: Sequence[bytes],
        identity: str,
        headers: Mapping[str, str],
        number: int,
    ) -> Stored:
        """The try of this number, from 1. One piece is waited for whoever is cancelled."""
        if len(pieces) == 1:
            return await self._js.append(
                subject,
                pieces[0],
                identity=identity,
                expected=game.last,
                headers=headers,
                seconds=FIRST_SECONDS if number == 1 else ANSWER_SECONDS,
                shield=True,
            )
        return await self._js.append_all(
            subject,
            pieces,
            identity=f"{identity}.{number}",
            expected=game.last,
            headers={**headers, "W-Append": identity},
            seconds=2 * ANSWER_SECONDS,
        )

    async def judged(
        self, game: FoldedGame, subject: str, identity: str, error: Rejected, tries: int
    ) -> int | None:
        """What a refusal of the last of so many tries means: the sequence at which it is stored
        after all, None if it is to be sent again, or a StoreError."""
        if error.number in IN_PROCESS or error.number == INCOMPLETE:
            self.busy += 1
            await self._pause(min(BUSY_SECONDS * 2 ** min(tries - 1, 9), BUSY_MOST_SECONDS))
            return None
        if error.number in NO_LEADER:
            await self._pause(NO_LEADER_SECONDS)
            return None
        if error.number in FULL:
            raise StoreFailed(f"the engine has no room: {error.what}", "not saved")
        if error.number != WRONG_LAST_SEQUENCE:
            raise StoreFailed(f"the engine refused: {error}", "not saved")
        if error.last < game.last:
            await self._miss(game, error.last)
            return None
        first = await self.first_after(game, subject)
        if first is not None and identity in (
            first.headers.get("Nats-Msg-Id"),
            first.headers.get("W-Append"),
        ):
            return first.sequence
        if first is None:
            return None
        self.fenced += 1
        raise Fenced(game.name, game.records)

    async def first_after(self, game: FoldedGame, subject: str) -> Kept | None:
        """The first message behind the newest that is known, as the leader has it."""
        stream = f"WG{shard_of(game.name, self._shards)}"
        while True:
            try:
                return await self._js.after(stream, subject, game.last, from_leader=True)
            except (Unknown, NotSent, NoResponders, Rejected):
                await self._pause(NO_LEADER_SECONDS)
