"""What all connections of a server share: its games, its bounds, who is connected."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import trio
from attrs import define, field

from engine.runtime.metrics import Metrics
from engine.runtime.outgoing import Flusher
from engine.runtime.supervisor import Supervisor
from engine.serve.config import Limits
from engine.serve.grants import LOOK_SECONDS, Book

if TYPE_CHECKING:
    from engine.serve.connection import Connection
    from engine.serve.workers import Peers


@define(eq=False)
class Hub:
    """One server. `host_digest` is the SHA-256 of the host's token; `catalogue` gives a language's texts (KeyError if unknown).
    `grants` are the tokens that only look;
    `views` are the newest boards made, by game, audience and record; `peers` the server's other processes, where it has any."""

    supervisor: Supervisor
    host_digest: bytes
    limits: Limits
    log: Any
    name: str
    catalogue: Any
    grants: Book
    peers: Peers | None = None
    flusher: Flusher = field(factory=Flusher)
    connections: set[Connection] = field(factory=set)
    views: OrderedDict[tuple[str, str, int], Any] = field(factory=OrderedDict)
    _addresses: Counter[str] = field(factory=Counter)
    _strangers: Counter[str] = field(factory=Counter)

    @property
    def metrics(self) -> Metrics:
        """The server's figures."""
        return self.supervisor.metrics

    @property
    def why_not_well(self) -> str:
        """Why commands are not taken: "stopping", "store", or "" where they are."""
        return "stopping" if self.supervisor.stopping else "" if self.supervisor.store.health().ok else "store"

    @property
    def titles(self) -> Mapping[str, Any]:
        """The titles on offer."""
        return self.supervisor.titles

    async def watch_grants(self) -> None:
        """Look for ever whether tokens that only look were made or revoked."""
        while True:
            if self.grants.look():
                for connection in list(self.connections):
                    connection.client.look_again()
            await trio.sleep(LOOK_SECONDS)

    def admits(self, address: str) -> bool:
        """Whether one more connection from there may be opened."""
        return (
            self.has_room(address)
            and self._strangers[address] < self.limits.strangers_per_address
            and not self.supervisor.stopping
        )

    def has_room(self, address: str) -> bool:
        """The same of one that another process of the server has admitted, and gives to this one."""
        return len(self.connections) < self.limits.connections and self._addresses[address] < self.limits.connections_per_address

    def enter(self, connection: Connection) -> None:
        """A connection begins, as a stranger's."""
        self.connections.add(connection)
        self._addresses[connection.address] += 1
        self._strangers[connection.address] += 1
        self.metrics.connections += 1
        self.metrics.connections_opened += 1

    def known(self, connection: Connection) -> None:
        """It has logged in."""
        self._less(self._strangers, connection.address)

    def leave(self, connection: Connection, *, stranger: bool) -> None:
        """It is over."""
        self.connections.discard(connection)
        self._less(self._addresses, connection.address)
        if stranger:
            self._less(self._strangers, connection.address)
        self.metrics.connections -= 1

    @staticmethod
    def _less(counts: Counter[str], address: str) -> None:
        counts[address] -= 1
        if counts[address] <= 0:
            del counts[address]
