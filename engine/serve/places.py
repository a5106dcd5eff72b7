"""Who is connected with which right to a place: strangers, spectators, players; and who goes first when places are short.

- A *stranger* has not logged in. A *spectator* has, and has shown no token. A *player* has shown one: a seat's, the host's, an arbiter's.
- Of one token only so many connections are players; one that has more has spectators.
- Addresses share: who goes is of the address that has the most, and there first one that follows nothing, then who was heard least lately.
- Links between processes of the server are nobody's: their clients are judged where they came in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import trio
from attrs import define, field

if TYPE_CHECKING:
    from engine.serve.connection import Connection

HOLDERS_MAX: Final = 64
"""Connections of one token that are players."""

BEGINNING_SECONDS: Final = 10.0
"""Who was heard so lately counts as one that follows: he has only just come."""

Shelf = dict[str, "dict[Connection, None]"]
"""Connections by address, the oldest first."""


@define(eq=False)
class Places:
    """Every connection's right, kept by the hub."""

    strangers: Shelf = field(factory=dict)
    spectators: Shelf = field(factory=dict)
    watching: int = 0
    _players: dict[Connection, object] = field(factory=dict)
    _holders: Counter[object] = field(factory=Counter)

    def put(self, connection: Connection) -> None:
        """It has come, or its right has changed."""
        self.take(connection)
        client = connection.client
        if client.is_link:
            return
        token = "host" if client.is_host else next(iter((*client.digests.values(), *client.granted)), None)
        if token is not None and self._holders[token] < HOLDERS_MAX:
            self._players[connection] = token
            self._holders[token] += 1
        elif client.principal:
            self.spectators.setdefault(connection.address, {})[connection] = None
            self.watching += 1
        else:
            self.strangers.setdefault(connection.address, {})[connection] = None

    def take(self, connection: Connection) -> None:
        """It has gone."""
        token = self._players.pop(connection, None)
        if token is not None:
            self._holders[token] -= 1
            if self._holders[token] <= 0:
                del self._holders[token]
        _drop(self.strangers, connection)
        if _drop(self.spectators, connection):
            self.watching -= 1

    def least(self, address: str = "", *, strangers: bool = True) -> Connection | None:
        """Who has the least right to stay: at this address, or anywhere."""
        for shelf in (self.strangers, self.spectators) if strangers else (self.spectators,):
            found = shelf.get(address) if address else max(shelf.values(), key=len, default=None)
            if found:
                lately = trio.current_time() - BEGINNING_SECONDS
                return min(found, key=lambda connection: (connection.client.follows or connection.heard_at > lately, connection.heard_at))
        return None

    def idle_since(self, when: float) -> list[Connection]:
        """Spectators that have not been heard since then, and follow nothing."""
        return [found for found in self._all(self.spectators) if found.heard_at <= when and not found.client.follows]

    @staticmethod
    def _all(shelf: Shelf) -> Iterator[Connection]:
        for found in shelf.values():
            yield from found


def _drop(shelf: Shelf, connection: Connection) -> bool:
    found = shelf.get(connection.address)
    if found is None or connection not in found:
        return False
    del found[connection]
    if not found:
        del shelf[connection.address]
    return True
