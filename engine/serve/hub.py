"""What all connections of a server share: its games, its bounds, who is connected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import trio
from attrs import define, field

from engine.runtime.metrics import Metrics
from engine.runtime.outgoing import Flusher
from engine.runtime.supervisor import Supervisor
from engine.serve.config import Limits
from engine.serve.cost import Meter
from engine.serve.grants import LOOK_SECONDS, Book
from engine.serve.kept import Kept

if TYPE_CHECKING:
    from engine.serve.connection import Connection
    from engine.serve.workers import Peers

ANSWERS_BYTES_MAX: Final = 32 * 1024 * 1024
"""Boards, views, catalogues that are kept as they are sent."""


@define(eq=False)
class Hub:
    """One server. `host_digest` is the SHA-256 of the host's token; `catalogue` gives a language's texts (KeyError if unknown).
    `grants` are the tokens that only look;
    `answers` are the newest long ones, encoded; `meter` says what addresses have cost;
    `peers` are the server's other processes, where it has any."""

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
    answers: Kept[bytes] = field(factory=lambda: Kept(ANSWERS_BYTES_MAX, len))
    meter: Meter = field(init=False)
    _addresses: Counter[str] = field(factory=Counter)
    _strangers: Counter[str] = field(factory=Counter)

    def __attrs_post_init__(self) -> None:
        self.meter = Meter(self.limits.work_share, self.limits.work_burst, self.limits.work_wait_seconds)

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
