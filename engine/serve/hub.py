"""What all connections of a server share: its games, its limits, and who is connected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio
from attrs import define, field

from warledger.engine.desk.database import Database
from warledger.engine.desk.hosting import Hosting
from warledger.engine.desk.mail import Postman
from warledger.engine.desk.people import NotDone, People
from warledger.engine.desk.push import Pusher
from warledger.engine.runtime.faults import contained, note
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.runtime.watch.outgoing import Flusher
from warledger.engine.serve.config import ServerLimits
from warledger.engine.serve.fleet.edge import Edge
from warledger.engine.serve.fleet.peers import Peers
from warledger.engine.serve.games.branches import ENDED, WAITING_MAX, Branches
from warledger.engine.serve.games.chatstore import Speaking
from warledger.engine.serve.games.lobbyindex import Rows
from warledger.engine.serve.games.practice import Practice
from warledger.engine.serve.games.scores import Scores
from warledger.engine.serve.http.responsecache import Kept
from warledger.engine.serve.people.notifications import Notifier
from warledger.engine.serve.people.viewtokens import LOOK_SECONDS, Book
from warledger.engine.serve.wire.admission import Connected, Places
from warledger.engine.serve.wire.ratelimits import Meter
from warledger.engine.store.fleet.cards import Cards
from warledger.protocol.board.choices import say

ANSWERS_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of boards, views and catalogues that are kept as they are sent."""


@define(eq=False)
class Hub:
    """One server. `host_digest` is the SHA-256 of the host's token; `catalogue` gives a language's
    texts (KeyError if unknown). `grants` are the tokens that only look. `answers` are the newest
    long ones, encoded. `meter` says what addresses have cost, `places` who has which right to stay.
    In a fleet, `peers` are its other nodes and `cards` all its games. `edge` says that it only
    shows games, and where they are played. `people` are the accounts, `url` is the page's address
    for them, `postman` brings them letters, and `pusher` seals messages to their browsers. `talk`
    is what is said at the tables. `rows` are those of lists for games that nobody uses, `scores`
    where games stand. `hosting` are the tournaments. `whatif` is which games may be played on from,
    and `branches` play them. `data` is the data directory, where there is one. `practice` are the
    house's bots, where anybody may play them. `marking` is held by whoever changes what casters
    have drawn. `people_came` says that somebody who is signed in came from another node, which may
    not have seen their account's last change."""

    supervisor: Supervisor
    host_digest: bytes
    limits: ServerLimits
    log: Any
    name: str
    catalogue: Any
    grants: Book
    people: People
    talk: Database
    metrics: Metrics = field(init=False)
    url: str = ""
    postman: Postman | None = None
    pusher: Pusher | None = None
    peers: Peers | None = None
    cards: Cards | None = None
    edge: Edge | None = None
    rows: Rows = field(factory=Rows)
    scores: Scores = field(factory=Scores)
    flusher: Flusher = field(factory=Flusher)
    notifier: Notifier = field(init=False)
    speaking: Speaking = field(init=False)
    hosting: Hosting | None = None
    data: Path | None = None
    practice: Practice | None = None
    marking: trio.Lock = field(factory=trio.Lock)
    whatif: str = ENDED
    branches: Branches = field(factory=Branches)
    branching: trio.CapacityLimiter = field(factory=lambda: trio.CapacityLimiter(WAITING_MAX))
    connections: set[Connected] = field(factory=set)
    answers: Kept[bytes] = field(factory=lambda: Kept(ANSWERS_BYTES_MAX, len))
    meter: Meter = field(init=False)
    places: Places = field(factory=Places)
    people_came: bool = False
    _addresses: Counter[str] = field(factory=Counter)

    def __attrs_post_init__(self) -> None:
        self.metrics = self.supervisor.metrics
        self.flusher.fault = partial(note, self.metrics, self.log, where="sending")
        self.notifier = Notifier(self, self.url, self.postman, pusher=self.pusher)
        self.speaking = Speaking(self.talk, self.supervisor.ambient, self.log)
        self.meter = Meter(
            self.limits.work_share, self.limits.work_burst, self.limits.work_wait_seconds
        )

    @property
    def why_not_well(self) -> str:
        """Why commands are not accepted: "stopping", "store", or "" if they are."""
        return (
            "stopping"
            if self.supervisor.stopping
            else ""
            if self.supervisor.store.health().ok
            else "store"
        )

    @property
    def titles(self) -> Mapping[str, Any]:
        """The titles on offer."""
        return self.supervisor.titles

    def contained(self, where: str) -> AbstractContextManager[None]:
        """Where a bug is met that concerns one client only: it is noted, and the others are
        served."""
        return contained(self.metrics, self.log, where)

    async def watch_grants(self) -> None:
        """Check for ever whether tokens that only look were granted or revoked."""
        while True:
            if self.grants.look():
                for connection in list(self.connections):
                    with self.contained("rights"):
                        connection.client.look_again()
            with self.contained("rights"):
                await self.look_at_people()
            await trio.sleep(LOOK_SECONDS)

    async def look_at_people(self) -> None:
        """If accounts have changed, let those who are signed in have what theirs give now."""
        with suppress(NotDone):  # it has been logged, and is tried again
            changed = await self.people.changed()
            if not (changed or self.people_came):
                return
            self.people_came = False
            signed_in = [one for one in self.connections if one.client.person is not None]
            shown = {one.client.person.digest for one in signed_in if one.client.person}
            rights = await self.people.rights(shown)
            for one in signed_in:
                if one.client.person is not None and one.client.person.digest in rights:
                    with self.contained("rights"):
                        one.client.see_rights(rights[one.client.person.digest])

    # --- places -----------------------------------------------------------------------------------

    def make_room(self, address: str) -> bool:
        """Whether one more connection from this address may be opened. If the address, or the
        server, has no place left, whoever has the least right to one goes: a stranger before a
        spectator, and the one that has been silent for longest, at the address that has the
        most."""
        limits = self.limits
        if self.supervisor.stopping:
            return False
        here = self.places.strangers.get(address, {})
        if len(here) >= limits.strangers_per_address:
            self._evict(next(iter(here)))
        if self._addresses[address] >= limits.connections_per_address:
            self._evict(self.places.least(address))
        if len(self.connections) >= limits.connections:
            self._evict(self.places.least())
        return self.has_room(address)

    def has_room(self, address: str) -> bool:
        """Whether there is room for a link of a connection that another node has admitted."""
        return (
            len(self.connections) < self.limits.connections
            and self._addresses[address] < self.limits.connections_per_address
        )

    def enter(self, connection: Connected) -> None:
        """A connection begins, as a stranger's."""
        self.connections.add(connection)
        self._addresses[connection.address] += 1
        self.places.put(connection)
        self.metrics.connections += 1
        self.metrics.connections_opened += 1

    def known(self, connection: Connected) -> None:
        """It has logged in, or holds other tokens than before. Spectators leave a reserve of places
        to players."""
        if connection not in self.connections:
            return  # it ended meanwhile, and its place is free
        self.places.put(connection)
        if self.places.watching > self.limits.spectators:
            self._evict(self.places.least(strangers=False))

    def leave(self, connection: Connected) -> None:
        """It is over."""
        if connection not in self.connections:
            return
        self.connections.discard(connection)
        self.places.take(connection)
        self._addresses[connection.address] -= 1
        if self._addresses[connection.address] <= 0:
            del self._addresses[connection.address]
        self.metrics.connections -= 1

    async def tend(self) -> None:
        """End, for ever, the connections of spectators who neither follow a game nor ask for
        anything."""
        seconds = self.limits.idle_seconds
        while True:
            await trio.sleep(seconds / 4)
            for connection in self.places.idle_since(trio.current_time() - seconds):
                self.leave(connection)
                with self.contained("idle connection"):
                    connection.evict("idle", say("error.idle", seconds=int(seconds)))

    def _evict(self, connection: Connected | None) -> None:
        if connection is not None:
            self.metrics.connections_evicted += 1
            self.leave(connection)
            with self.contained("crowded connection"):
                connection.evict("crowded", say("error.crowded"))
