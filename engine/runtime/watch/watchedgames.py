"""Games that are only watched: what an edge of a fleet has in place of games that it decides.

A game is followed from when somebody asks for it until nobody has for a while. What it gains goes
into the same channels as at its owner, and heads are passed on as they were signed: there is no key
here, and nothing is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from functools import partial
from typing import Final, cast

import trio
from attrs import define, field

from warledger.engine.kernel.position import Position
from warledger.engine.runtime import profile as profiles
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.jobs import Job
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.publicgames import Copy, PublicStore
from warledger.engine.store.port import (
    FRAME_RECORD,
    Damaged,
    Frame,
    StoreError,
    StoreFailed,
    UnknownGame,
)
from warledger.protocol import canon
from warledger.protocol.audience import PUBLIC
from warledger.protocol.log import records
from warledger.protocol.log.chain import Head
from warledger.protocol.log.records import CorruptLog
from warledger.protocol.log.wlog import FRAME_WITNESS

IDLE_SECONDS: Final = 60.0
"""How long a game is followed that nobody looks at."""

TEND_SECONDS: Final = 5.0


class NotSigned(Exception):
    """There is no signed head of this record here, and no key to sign one."""


@define(eq=False)
class WatchedGame(Game):
    """A game as everybody sees it."""

    copy: Copy = field(factory=lambda: Copy(""), kw_only=True)
    cards: Cards | None = field(default=None, kw_only=True)
    scope: trio.CancelScope = field(factory=trio.CancelScope, kw_only=True)

    def learn(self, frames: Sequence[Frame]) -> None:
        """These are the next public frames."""
        found = []
        for frame in frames:
            if frame.kind == FRAME_RECORD:
                record = records.read(frame.payload, trusted=True)
                self.profile.advance(record)
                found.append(record)
            elif frame.kind == FRAME_WITNESS:
                self.profile.witness(frame.payload)
        self.shown = self.profile.progress
        if found:
            for (audience, _), channel in self.channels.items():
                if audience == PUBLIC:
                    channel.publish(found, [()] * len(found))

    def head(self, audience_is_public: bool = False) -> Head:
        """The newest signed head that was passed on. Raises NotSigned."""
        if self.copy.head is None:
            raise NotSigned
        return self.copy.head

    def head_of(self, seq: int, hash: bytes) -> Head:
        """The signed head of a record, if one was passed on. Raises NotSigned."""
        found = self.copy.head_of(seq)
        if found is None:
            raise NotSigned
        return found

    @property
    def deadline_ms(self) -> int | None:
        """When a flag falls, as far as the game's owner has told for its newest record."""
        card = None if self.cards is None else self.cards.of(self.id)
        if card is None or card.row["seq"] != self.shown.seq:
            return None
        return cast(int | None, card.row["deadline_ms"])

    def post(self, job: Job) -> None:
        """Nothing is decided here."""
        job.done(failed("error.busy", game=self.id))

    async def position(self) -> Position[object] | Failed:
        """Nothing is folded here."""
        return failed("error.busy", game=self.id)


@define(eq=False)
class _Opening:
    """A game that is being opened, for whoever asks for it meanwhile."""

    done: trio.Event = field(factory=trio.Event)
    answer: Game | Failed = field(factory=lambda: failed("error.stopping"))


@define(eq=False)
class Watching(Supervisor):
    """All games of a fleet, as far as somebody watches them. `store` is a `PublicStore`."""

    cards: Cards | None = None
    _coming: dict[str, _Opening] = field(factory=dict)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep games followed until cancelled."""
        async with trio.open_nursery() as nursery:
            self._begin(nursery)
            assert isinstance(self.store, PublicStore)
            nursery.start_soon(self.store.watch_server)
            nursery.start_soon(self._let_idle_go)
            task_status.started()

    async def game(self, id: str) -> Game | Failed:
        """The game with this id, followed from now on."""
        known = self.games.get(id)
        if known is not None:
            known.used_at = trio.current_time()
            return known
        coming = self._coming.get(id)
        if coming is None:
            assert self._services is not None, "the supervisor is not running"
            coming = self._coming[id] = _Opening()
            self._services.start(partial(self._follow, id, coming))
        await coming.done.wait()
        return coming.answer

    def keeps(self, id: str) -> bool:
        """Whether the game is followed."""
        return id in self.games

    async def _follow(self, id: str, opening: _Opening) -> None:
        """Follow a game as long as somebody looks at it."""
        game: WatchedGame | None = None
        scope = trio.CancelScope()
        try:
            with scope:
                try:
                    async with aclosing(self.store.follow(id)) as news:
                        async for frames in news:
                            if game is None:
                                game = self._opened(id, frames, scope)
                                self._tell(id, opening, game)
                            else:
                                game.learn(frames)
                                self._changed(id)
                except UnknownGame:
                    away = self.cards is not None and id in self.cards.archived()
                    what = "error.archive_silent" if away else "error.unknown_game"
                    self._tell(id, opening, failed(what, game=id))
                except StoreFailed:
                    self._tell(id, opening, failed("error.busy", game=id))
                except (StoreError, CorruptLog, canon.NotCanonical) as error:
                    self._damaged(id, game, error)
                    self._tell(id, opening, failed("error.quarantined", game=id))
                    if game is not None:
                        await trio.sleep_forever()  # until nobody looks at it
        finally:
            self._tell(id, opening, opening.answer)
            if game is not None and self.games.get(id) is game:
                del self.games[id]

    def _tell(self, id: str, opening: _Opening, answer: Game | Failed) -> None:
        if not opening.done.is_set():
            opening.answer = answer
            opening.done.set()
            self._coming.pop(id, None)

    def _opened(self, id: str, frames: Sequence[Frame], scope: trio.CancelScope) -> WatchedGame:
        assert self._services is not None and isinstance(self.store, PublicStore)
        profile = profiles.public(frames)
        copy = self.store.copy(id)
        assert copy is not None
        game = WatchedGame(self._services, profile, copy=copy, cards=self.cards, scope=scope)
        self.games[id] = game
        self.metrics.loads += 1
        return game

    def _damaged(self, id: str, game: WatchedGame | None, error: Exception) -> None:
        place = error.offset if isinstance(error, Damaged) else 0
        self.log.error("public stream damaged", game=id, sequence=place, what=type(error).__name__)
        self.metrics.quarantined += 1
        if game is not None:
            game.quarantine = str(error)
            self._changed(id)

    async def _let_idle_go(self) -> None:
        while True:
            await trio.sleep(TEND_SECONDS)
            before = trio.current_time() - IDLE_SECONDS
            for game in list(self.games.values()):
                if isinstance(game, WatchedGame) and game.is_idle and game.used_at < before:
                    self.metrics.passivations += 1
                    game.scope.cancel()
                    del self.games[game.id]
