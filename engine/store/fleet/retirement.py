"""Games that are over leave the engine when an archive says that it has them for good.

Rules of this file:
- Nothing is removed unless what the engine holds is, frame by frame, what the archive says that it
  has: their number, the last record's hash, and the digest of all frames.
- The order is: compare, let nobody append any more (behind just what was compared), write the card,
  remove the public messages, remove the private ones. Whoever dies in between has removed nothing
  that the card does not tell. The archive says it again, and the next node begins with comparing.
- Only messages up to that last append are removed. So a node that wakes up late cannot touch a game
  that was brought back meanwhile. Its card comes too late as well.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import trio

from warledger.engine.nats.jetstreamapi import JetStream
from warledger.engine.nats.natsport import EngineError, Missed
from warledger.engine.store.fleet.cards import Card, Cards
from warledger.engine.store.fleet.finishedgames import ENDED, SUBJECTS, Finished
from warledger.engine.store.fleet.gamefolds import ARCHIVED
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.nodemessages import Nodes
from warledger.engine.store.fleet.publicstream import Place, public_subject
from warledger.engine.store.fleet.streamends import shard_of, subject_of
from warledger.engine.store.port import StoreError
from warledger.protocol import canon

AT_ONCE: Final = 4
"""How many games a node compares at a time: each is read whole."""

WAITING_MAX: Final = 1000
"""What is heard beyond is left: it is said again."""


class Retiring:
    """Removes what archives have, for one node. `first_for` says which of some nodes comes
    first for a game. `written` calls what it is given once no card of the game is being written
    here, and none will be. `place` says how far a game's public stream has come."""

    def __init__(
        self,
        store: JetStreamStore,
        nodes: Nodes,
        cards: Cards,
        first_for: Callable[[str, Sequence[str]], str],
        place: Callable[[str], Awaitable[Place]],
        written: Callable[[str, Callable[[], Awaitable[None]]], Awaitable[None]],
        log: Any,
    ) -> None:
        self._store = store
        self._nodes = nodes
        self._cards = cards
        self._first_for = first_for
        self._place = place
        self._written = written
        self._log = log
        self._js = JetStream(store.engine)
        self._waiting: set[str] = set()
        self.retired = self.refused = 0

    async def run(self) -> None:
        """Do so for ever."""
        heard = self._store.engine.subscribe(SUBJECTS)
        limit = trio.CapacityLimiter(AT_ONCE)
        async with trio.open_nursery() as nursery:
            while True:
                try:
                    message = await heard.receive()
                except Missed:
                    continue  # it is said again
                game = message.subject.partition(".")[2]
                finished = Finished.read(message.payload)
                if finished is None or game in self._waiting or not self._is_mine(game):
                    continue
                if len(self._waiting) < WAITING_MAX:
                    self._waiting.add(game)
                    nursery.start_soon(self._try, game, finished, limit)

    def _is_mine(self, game: str) -> bool:
        """Whether this node is to do it: the game's owner, or else the first that lives."""
        owner, alive = self._store.owner_of(game), self._nodes.alive()
        if owner in alive:
            return owner == self._nodes.name
        return self._first_for(game, alive) == self._nodes.name

    async def _try(self, game: str, finished: Finished, limit: trio.CapacityLimiter) -> None:
        try:
            async with limit:
                await self.retire(game, finished)
        except (StoreError, EngineError) as error:
            self._log.warning("game not archived", game=game, what=str(error))
        finally:
            self._waiting.discard(game)

    async def retire(self, game: str, finished: Finished) -> bool:
        """Remove a game from the engine, if what the engine has of it is what an archive has.
        Whether it is removed. Raises StoreError, and what a request raises."""
        sequence, card = await self._cards.newest(game)
        if card is None or card.row["stage"] != ENDED or card.due:
            return False
        if not await self._store.finds(game):
            return False
        owner = await self._store.look(game)
        if owner not in (self._nodes.name, ARCHIVED):
            if owner and not await self._nodes.is_dead(owner):
                return False
            if not await self._store.claim(game, {owner} if owner else ()):
                return False
        last: int | None = await self._store.last_of(game)
        frames = await self._store.frames(game)
        found = await trio.to_thread.run_sync(Finished.of, frames)
        if found != finished or int(card.row["seq"]) + 1 != found.records:
            self.refused += 1
            self._log.error(
                "game not archived",
                game=game,
                what=f"the archive has {finished.records} records of it and the engine "
                f"{found.records}; they differ",
            )
            return False
        assert last is not None
        if owner == ARCHIVED:
            if await self._store.look(game) != ARCHIVED or await self._store.last_of(game) != last:
                return False
        else:
            last = await self._store.retire(game, last)
            if last is None:
                return False
        await self._written(game, lambda: self._write(game, card, found, sequence))
        place = await self._place(game)
        shard = shard_of(game, self._store.shards)
        if place.last:
            await self._js.purge(f"WP{shard}", public_subject(game, self._store.shards), place.last)
        await self._js.purge(f"WG{shard}", subject_of(game, self._store.shards), last)
        self._store.forget(game)
        self.retired += 1
        self._log.info("game archived", game=game, records=found.records)
        return True

    async def _write(self, game: str, card: Card, finished: Finished, sequence: int) -> None:
        if not card.archived:
            await self._cards.write(game, archived(card, finished).packed(), sequence)


def archived(card: Card, finished: Finished) -> Card:
    """The card of a game that only archives have. It names the last record's hash, to which
    whatever they give of the game is held."""
    told = {"archived": True, "hash": finished.hash.hex(), "viewers": 0}
    row = canon.ordered({**card.row, **told})
    return Card(row, "", False, card.code, archived=True)
