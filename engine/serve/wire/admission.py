"""Who is connected with which right to a place (strangers, spectators, players), and who has to go
when places are short.

- A *stranger* has not logged in. A *spectator* has, and has shown no token. A *player* has shown
  one: a seat's, the host's, an arbiter's.
- Only a limited number of connections with one token count as players; further ones count as
  spectators.
- Places are shared by address: whoever goes is of the address that has the most, first one that
  follows nothing, then the one that has been silent for longest.
- Links between nodes of a fleet belong to nobody: their clients are judged where they
  connected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final, Protocol

import trio
from attrs import define, field

from warledger.engine.desk.accounts import Person
from warledger.engine.kernel.types import Seat
from warledger.engine.runtime.game.actor import Game
from warledger.protocol.board.choices import Say

HOLDERS_MAX: Final = 64
"""How many connections with one token count as players."""

BEGINNING_SECONDS: Final = 10.0
"""Seconds. A client heard this recently counts as following something, because it has only just
connected."""


class Guest(Protocol):
    """A client, as far as its place and its rights are concerned."""

    is_host: bool
    principal: str
    person: Person | None

    @property
    def digests(self) -> Mapping[tuple[str, Seat], bytes]:
        """The seats whose tokens it has shown, with the digest of each."""

    @property
    def granted(self) -> Collection[bytes]:
        """The digests of the tokens it has shown that only look."""

    @property
    def games_followed(self) -> set[str]:
        """The games that it follows here."""

    @property
    def is_link(self) -> bool:
        """Whether the peer is another node of the fleet."""

    @property
    def follows(self) -> bool:
        """Whether it gets messages that it does not ask for."""

    def look_again(self) -> None:
        """Tokens that only look were revoked, or now give something else."""

    def see_no_more(self) -> None:
        """What it may see has become less."""

    def revoke(self, game: Game, seat: Seat) -> None:
        """The seat's token was replaced."""

    def forget(self, game: str, seat: Seat, keeper: str) -> None:
        """The seat's token in a game of another node was replaced."""

    def see_rights(self, now: Person | None) -> None:
        """What the account that it is signed in to gives now; None if it is signed out."""

    async def links_ended(self) -> None:
        """Return once other nodes have finished what they do for it."""


class Connected(Protocol):
    """A connection, as far as its place is concerned."""

    @property
    def address(self) -> str:
        """Where it comes from."""

    @property
    def heard_at(self) -> float:
        """When its peer last sent anything, by trio's clock."""

    @property
    def client(self) -> Guest:
        """Whom it acts for."""

    def evict(self, code: str, why: Say) -> None:
        """End it because its place is needed."""

    async def goodbye(self, why: Say, links_seconds: float = 0) -> None:
        """End it because the server stops."""


Shelf = dict[str, dict[Connected, None]]
"""Connections by address, the oldest first."""


@define(eq=False)
class Places:
    """The right of every connection, for the hub."""

    strangers: Shelf = field(factory=dict)
    spectators: Shelf = field(factory=dict)
    watching: int = 0
    _players: dict[Connected, object] = field(factory=dict)
    _holders: Counter[object] = field(factory=Counter)

    def put(self, connection: Connected) -> None:
        """It has begun, or its right has changed."""
        self.take(connection)
        client = connection.client
        if client.is_link:
            return
        token = (
            "host"
            if client.is_host
            else next(iter((*client.digests.values(), *client.granted)), None)
        )
        if token is not None and self._holders[token] < HOLDERS_MAX:
            self._players[connection] = token
            self._holders[token] += 1
        elif client.principal:
            self.spectators.setdefault(connection.address, {})[connection] = None
            self.watching += 1
        else:
            self.strangers.setdefault(connection.address, {})[connection] = None

    def take(self, connection: Connected) -> None:
        """It has ended."""
        token = self._players.pop(connection, None)
        if token is not None:
            self._holders[token] -= 1
            if self._holders[token] <= 0:
                del self._holders[token]
        _drop(self.strangers, connection)
        if _drop(self.spectators, connection):
            self.watching -= 1

    def least(self, address: str = "", *, strangers: bool = True) -> Connected | None:
        """Who has the least right to stay: at this address, or anywhere."""
        for shelf in (self.strangers, self.spectators) if strangers else (self.spectators,):
            found = shelf.get(address) if address else max(shelf.values(), key=len, default=None)
            if found:
                lately = trio.current_time() - BEGINNING_SECONDS
                return min(
                    found,
                    key=lambda connection: (
                        connection.client.follows or connection.heard_at > lately,
                        connection.heard_at,
                    ),
                )
        return None

    def idle_since(self, when: float) -> list[Connected]:
        """Spectators that have not been heard since then, and follow nothing."""
        return [
            found
            for found in self._all(self.spectators)
            if found.heard_at <= when and not found.client.follows
        ]

    @staticmethod
    def _all(shelf: Shelf) -> Iterator[Connected]:
        for found in shelf.values():
            yield from found


def _drop(shelf: Shelf, connection: Connected) -> bool:
    found = shelf.get(connection.address)
    if found is None or connection not in found:
        return False
    del found[connection]
    if not found:
        del shelf[connection.address]
    return True
