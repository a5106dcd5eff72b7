"""Writing the cards of the games that a node owns: what a fleet's lists say of them.

Rules of this file:
- A card holds what a spectator is told and nothing else. So a delayed game's card changes when
  spectators see more of it, and at no other time.
- A card is written at most once a second, or once in three where nothing but the game's length has
  changed; the last one always.
- Whoever finds another's card in place of their own asks whether the game is still theirs: a node
  that was held for dead must not write over what the new owner says.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import inf
from typing import Any, Final

import trio
from attrs import define

from warledger.engine.kernel.position import ENDED, PLAYING
from warledger.engine.runtime.game.actor import Game
from warledger.engine.serve.games.delayedboards import may_know_of
from warledger.engine.serve.games.gamelists import NOBODY, scores_of, told_of
from warledger.engine.serve.hub import Hub
from warledger.engine.store.fleet.cards import CODE_BYTES, Card, Cards, NotWritten, owner_mark
from warledger.protocol import canon

SECONDS: Final = 1.0
"""The least time between two cards of a game."""

LENGTH_SECONDS: Final = 3.0
"""The least time in seconds between two cards of a game of which only the length has changed."""

TICK_SECONDS: Final = 0.05
"""What changes within so much time is read and written together."""

AGAIN_SECONDS: Final = 0.25
AT_ONCE: Final = 16

LENGTH: Final = ("seq", "at_ms", "deadline_ms")
"""What every record changes in a row."""


@define(eq=False)
class _Own:
    """A game whose cards are written here: its newest card, that card's sequence (None if it is not
    known), and when it was written."""

    packed: bytes = b""
    sequence: int | None = None
    written: float = -LENGTH_SECONDS


class CardWriter:
    """Writes the cards of what this node owns. `incarnation` is the node's."""

    def __init__(self, hub: Hub, cards: Cards, incarnation: str) -> None:
        self._hub = hub
        self._cards = cards
        self._mark = owner_mark(incarnation)
        self._own: dict[str, _Own] = {}
        self._waiting: dict[str, float] = {}
        self._news = trio.Event()
        self._turn = trio.Lock()
        self._limit = trio.CapacityLimiter(AT_ONCE)
        self.written = 0

    def changed(self, game: str) -> None:
        """Something of a game may have changed for spectators."""
        fleet = self._hub.supervisor.fleet
        if game in self._waiting or fleet is None or not fleet.owns(game):
            return
        own = self._own.get(game)
        self._wait(game, SECONDS if own is not None else 0.0)

    def forget(self, game: str) -> None:
        """The game is another node's."""
        self._own.pop(game, None)
        self._waiting.pop(game, None)

    async def after(self, game: str, call: Callable[[], Awaitable[None]]) -> None:
        """Call this once no card of a game that is no longer this node's is being written."""
        async with self._turn:
            self.forget(game)
            await call()

    async def settle(self) -> None:
        """Write at once what waits, if the engine takes it."""
        async with self._turn:
            await self._write_all(list(self._waiting))

    async def run(self) -> None:
        """Write for ever what changes."""
        while True:
            soonest = min(self._waiting.values(), default=inf)
            if soonest > trio.current_time():
                self._news = trio.Event()
                with trio.move_on_at(soonest):
                    await self._news.wait()
            await trio.sleep(TICK_SECONDS)
            async with self._turn:
                now = trio.current_time()
                ready = [game for game, at in self._waiting.items() if at <= now]
                with self._hub.contained("cards"):
                    await self._write_all(ready)

    def _wait(self, game: str, seconds: float) -> None:
        """Write a game's card when so much time has passed since the last."""
        own = self._own.get(game)
        since = trio.current_time() if own is None else own.written
        self._waiting[game] = since + seconds
        self._news.set()

    async def _write_all(self, games: Sequence[str]) -> None:
        supervisor, fleet = self._hub.supervisor, self._hub.supervisor.fleet
        found: list[Game] = []
        for id in games:
            self._waiting.pop(id, None)
            if fleet is None or not fleet.owns(id):
                self.forget(id)
                continue
            game = await supervisor.game(id)
            if isinstance(game, Game) and game is supervisor.games.get(id):
                if may_know_of(self._hub, NOBODY, game):
                    found.append(game)
                else:
                    own = self._own.setdefault(id, _Own())
                    own.written = trio.current_time()
                    self._wait(id, LENGTH_SECONDS)
        if not found:
            return
        sound = [game for game in found if not game.quarantine]
        scores = await scores_of(self._hub, NOBODY, sound)
        async with trio.open_nursery() as nursery:
            for game in found:
                nursery.start_soon(self._write, game, scores.get(game.id, {}))

    async def _write(self, game: Game, scores: Mapping[str, Any]) -> None:
        """Write a game's card, unless it is there already."""
        id = game.id
        own = self._own.setdefault(id, _Own())
        row = canon.ordered({**told_of(id, game), **scores, "viewers": 0})
        before = Card.read(own.packed) if own.packed else None
        card = Card(row, self._mark, is_due(game, before), game.profile.genesis.digest[:CODE_BYTES])
        packed = card.packed()
        if packed == own.packed:
            return
        now = trio.current_time()
        if before is not None and now - own.written < LENGTH_SECONDS and _grew(before, card):
            self._wait(id, LENGTH_SECONDS)
            return
        async with self._limit:
            own.written = now
            try:
                if own.sequence is None:
                    own.sequence, there = await self._cards.newest(id)
                    is_anothers = there is not None and there.owner != self._mark
                    if is_anothers and await self._hub.supervisor.is_superseded(id):
                        self.forget(id)
                        return
                own.sequence = await self._cards.write(id, packed, own.sequence)
            except NotWritten:
                own.sequence = None  # the next try reads what is there
                self._wait(id, AGAIN_SECONDS)
                return
        own.packed = packed
        self.written += 1


def _grew(before: Card, card: Card) -> bool:
    """Whether nothing but the game's length has changed."""
    left = ({**one.row, **dict.fromkeys(LENGTH)} for one in (before, card))
    rows = [canon.pack(canon.ordered(one)) for one in left]
    return rows[0] == rows[1] and (before.owner, before.due) == (card.owner, card.due)


def is_due(game: Game, before: Card | None = None) -> bool:
    """Whether something may happen in the game without anybody's asking, as far as everybody may
    know: spectators have not seen its end, a clock runs, an order waits, or something is still
    hidden."""
    profile, shown = game.profile, game.shown
    if game.quarantine:
        return False
    if profile.is_late:
        # What has happened already and is not shown yet would tell that it has.
        return not (shown.stage == ENDED and shown.whole)
    if shown.stage == ENDED:
        return not shown.whole
    if profile.keeps_time:
        return True
    if game.live is None:
        return before is not None and before.due and shown.stage == PLAYING
    return bool(game.live.position.standing)
