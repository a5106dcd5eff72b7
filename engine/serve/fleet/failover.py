"""Games that nobody owns: which of a fleet's nodes is to take each, and taking them without being
asked.

Rules of this file:
- A node takes a game only if it has the rules that the game was begun with. If no node that lives
  has just these, those may that have the title at all, as a server of one machine would.
- Which games something is due in is known from their cards, and that a card is old from what the
  engine republishes. So no game is read to find out, but one that has no card yet: its owner died
  before it could write the first, and every node that lives looks what rules it needs.
- Among the nodes that may the first by a rendezvous hash takes a game, so they need not agree.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from hashlib import sha256
from typing import Any, Final

import trio

from warledger.engine.archive.wheels import BadWheel
from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime.game.actor import Game
from warledger.engine.serve.hub import Hub
from warledger.engine.store.fleet.cards import CODE_BYTES, Cards, owner_mark
from warledger.engine.store.fleet.gamefolds import ARCHIVED
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.nodemessages import SILENT_SECONDS, Nodes
from warledger.engine.store.port import StoreError

ADOPT_SECONDS: Final = 0.5
"""How often a node looks for games that nobody owns."""

OFFERS_SECONDS: Final = 60.0
"""How often it looks what rules it has, since a release may be archived meanwhile."""

AT_ONCE: Final = 16
READ_AT_ONCE: Final = 1
"""Of how many games it finds out at once whether their owners are dead, and how many it then reads.
To read one is computation: whoever asks for a game meanwhile is to wait for one of these and not
for all of them."""

TITLES: Final = "titles"
"""What a heartbeat calls the rules that its node has: by title the beginnings of their digests, in
hexadecimal."""


class Orphans:
    """The games that nobody owns, as one node sees them. `take` makes one this node's, `lacks` asks
    whether the public stream of one lacks any of so many records."""

    def __init__(
        self,
        hub: Hub,
        store: JetStreamStore,
        nodes: Nodes,
        cards: Cards,
        take: Callable[[str], Awaitable[bool]],
        lacks: Callable[[str, int], Awaitable[bool]],
    ) -> None:
        self._hub = hub
        self._store = store
        self._nodes = nodes
        self._cards = cards
        self._take = take
        self._lacks = lacks
        self._complete: dict[str, int] = {}
        self._reading = trio.CapacityLimiter(READ_AT_ONCE)
        self.offers: dict[str, list[str]] = {
            title.name: [_code(title.digest)] for title in hub.titles.values()
        }

    async def taker(self, game: str) -> str:
        """The node that is to take a game if nobody owns it: this one if it can, "" if nobody
        can."""
        card = self._cards.of(game)
        if card is not None:
            title, code = str(card.row["title"]), card.code.hex()
        else:
            found = await self._hub.supervisor.game(game)
            if not isinstance(found, Game):
                return self._nodes.name  # the game itself answers what is wrong with it
            title, code = found.profile.genesis.title, _code(found.profile.genesis.digest)
        able = self._able(title, code, self._nodes.alive())
        if self._nodes.name in able:
            return self._nodes.name
        return first_for(game, able) if able else ""

    def _able(self, title: str, code: str, alive: Iterable[str]) -> list[str]:
        """The nodes that have a game's rules, or else those that have its title."""
        having: list[str] = []
        exact: list[str] = []
        for node in alive:
            offers = (
                self.offers if node == self._nodes.name else told_titles(self._nodes.said_of(node))
            )
            codes = offers.get(title)
            if codes is not None:
                having.append(node)
                if code in codes:
                    exact.append(node)
        return exact or having

    async def run(self) -> None:
        """Take for ever those in which something is due."""
        # Whoever has just begun has heard nobody yet.
        await trio.sleep(SILENT_SECONDS)
        looked = -OFFERS_SECONDS
        limit = trio.CapacityLimiter(AT_ONCE)
        gaps = -1
        while True:
            if gaps != self._store.gaps:
                # What was not heard: a card may be older than its game.
                gaps = self._store.gaps
                with self._hub.contained("ends of games"):
                    await self._store.ends.look(self._in_doubt())
            if trio.current_time() - looked >= OFFERS_SECONDS:
                looked = trio.current_time()
                with self._hub.contained("archived rules"):
                    self.offers = await self._hub.supervisor.ambient.blocking(self._offered)
            left = self._left()
            async with trio.open_nursery() as nursery:
                for game in left:
                    nursery.start_soon(self._adopt, game, limit)
            await trio.sleep(ADOPT_SECONDS)

    def _offered(self) -> dict[str, list[str]]:
        """The rules that this node has: those installed, and those of archived releases."""
        codes = {title.name: {_code(title.digest)} for title in self._hub.titles.values()}
        archive = self._hub.supervisor.archive
        try:
            for kept in archive.kept() if archive is not None else ():
                for name, digest in kept.titles.items():
                    codes.setdefault(name, set()).add(digest[: 2 * CODE_BYTES])
        except BadWheel as error:
            self._hub.log.error("archived rules cannot be read", what=str(error))
        return {name: sorted(found) for name, found in sorted(codes.items())}

    def _owned(self, alive: Sequence[str]) -> Callable[[str], bool]:
        """Says of a game whether a node that is heard owns it, as far as is known."""
        marks, due = {owner_mark(node) for node in alive}, self._cards.due()

        def is_owned(game: str) -> bool:
            owner = self._store.owner_of(game)
            if owner is not None:
                return owner in alive
            mark = due.get(game)
            if mark is None:
                card = self._cards.of(game)
                mark = "" if card is None else card.owner
            return mark in marks

        return is_owned

    def _in_doubt(self) -> list[str]:
        """The games that nobody owns and whose cards say that nothing is due."""
        is_owned, due = self._owned(self._nodes.alive()), self._cards.due()
        ended = {*self._cards.ids(ENDED)}
        return [
            game
            for game in self._cards.ids()
            if game not in due and game not in ended and not is_owned(game)
        ]

    def _left(self) -> list[str]:
        """The games in which something is due, or may be, and whose owner is not heard. This node
        is to take them, or may be, where it is not known yet what rules they need."""
        alive = self._nodes.alive()
        is_owned = self._owned(alive)
        cards, me = self._cards, self._nodes.name
        found = [game for game in cards.due() if not is_owned(game)]
        due = cards.due()
        for game, first in self._store.ends.newest.items():
            if game not in due and not is_owned(game):
                card = cards.of(game)
                is_old = card is None or (not card.archived and first > card.row["seq"])
                if is_old or self._may_lack(game):
                    found.append(game)
        found += [game for game in self._store.games() if game not in cards and not is_owned(game)]
        # Those that were brought back.
        found += [
            game for game in cards.archived() if self._store.keeps(game) and not is_owned(game)
        ]
        found = [game for game in found if self._store.owner_of(game) != ARCHIVED]
        mine: list[str] = []
        for game in dict.fromkeys(found):
            card = cards.of(game)
            if card is None:
                mine.append(game)  # `taker` reads what rules it needs
                continue
            able = self._able(str(card.row["title"]), card.code.hex(), alive)
            if able and first_for(game, able) == me:
                mine.append(game)
        return mine

    def _may_lack(self, game: str) -> bool:
        """Whether an owner that was heard of may have left behind what spectators have not got."""
        owner, version = self._store.owner_of(game), self._store.version_of(game)
        return bool(owner and version) and self._complete.get(game) != version

    async def _is_wanted(self, game: str) -> bool:
        """Whether a game is to be taken: something may be due in it, its card may be old, or its
        public stream is not complete."""
        card = self._cards.of(game)
        if card is None or card.archived or card.due:
            return True
        if self._store.ends.newest.get(game, 0) > card.row["seq"]:
            return True
        version = self._store.version_of(game)
        found = await self._hub.supervisor.game(game)
        if isinstance(found, Game):
            try:
                with trio.move_on_after(ADOPT_SECONDS) as late:
                    if await self._lacks(game, found.shown.seq + 1):
                        return True
            except StoreError:
                return False
            if late.cancelled_caught:
                return False  # it is looked at again
        self._complete[game] = version
        return False

    async def _adopt(self, game: str, limit: trio.CapacityLimiter) -> None:
        with self._hub.contained("adopting"):
            async with limit:
                owner = self._store.owner_of(game)
                if owner and not await self._nodes.is_dead(owner):
                    return
            async with self._reading:
                if await self.taker(game) != self._nodes.name or not await self._is_wanted(game):
                    return
                if await self._take(game):
                    found = await self._hub.supervisor.game(game)
                    if isinstance(found, Game):
                        found.look_at_clocks()


def first_for(game: str, nodes: Sequence[str]) -> str:
    """The node that comes first for a game."""
    return min(nodes, key=lambda node: sha256(f"{game} {node}".encode()).digest())


def _code(digest: bytes) -> str:
    return digest[:CODE_BYTES].hex()


def told_titles(said: Any) -> dict[str, list[str]]:
    """What a heartbeat says of the rules that its node has; nothing if it is not in order."""
    titles = said.get(TITLES) if isinstance(said, dict) else None
    if not isinstance(titles, dict):
        return {}
    return {str(name): list(codes) for name, codes in titles.items() if isinstance(codes, list)}
