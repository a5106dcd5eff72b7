"""One node of a fleet: which games it owns, and where the others are.

Rules of this file:
- Any node takes any client. A request about a game of another node goes there over a link
  (`links`). The link is a bridge over the engine (`bridges`), and when it breaks the client is
  joined to the game's next owner.
- A game is taken when somebody asks for it and its owner is dead or has left it. If something is
  due in such a game, the node that comes first for it takes it without being asked.
- Whoever holds another for dead may be wrong. The fence in the game's log decides.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgpack
import trio

from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.metrics import figures, public_figures
from warledger.engine.serve.fleet import peerhttp
from warledger.engine.serve.fleet.bridges import Bridges
from warledger.engine.serve.fleet.cardwriter import CardWriter
from warledger.engine.serve.fleet.failover import TITLES, Orphans, first_for
from warledger.engine.serve.fleet.fleetmetrics import FleetFigures
from warledger.engine.serve.fleet.peers import HTTP, Admit, PeerGone
from warledger.engine.serve.http.http1 import Request, Response
from warledger.engine.serve.hub import Hub
from warledger.engine.store.fleet.archiveloans import TO_NODES, Borrower, NotLent
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.gamefolds import ARCHIVED
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.nodemessages import NodeGone, Nodes, NodeSilent
from warledger.engine.store.fleet.publicstream import Projector
from warledger.engine.store.fleet.retirement import Retiring
from warledger.engine.store.port import Damaged, StoreError
from warledger.protocol.board.choices import say

PROJECT_SECONDS: Final = 3.0
"""How long a node that stops goes on writing public streams; its games' next owners write the
rest."""

TRIES: Final = 20
WELL_SECONDS: Final = 5.0
"""A node that had no commit for so long says that it is not well."""

TAKE_SECONDS: Final = 5.0
HELD_SECONDS: Final = 0.25
"""How long a game that was taken waits for word of how far its public stream has come. That stream
has a leader of its own, and a takeover waits for no other than the game's: later it is the
projector that compares."""

PING: Final = "ping"
TAKE: Final = "take"
FIGURES: Final = "figures"
REVOKE: Final = "revoke"


class Node:
    """See `peers.Peers` and `supervisor.Shared`."""

    def __init__(
        self,
        hub: Hub,
        store: JetStreamStore,
        nodes: Nodes,
        cards: Cards,
        folder: Path | None = None,
    ) -> None:
        self._hub = hub
        self._cards = hub.cards = cards
        self._writer = CardWriter(hub, cards, nodes.name)
        self._began = trio.current_time()
        self.figures_kept = FleetFigures(hub.metrics, hub.log, store, nodes, cards, self)
        self._store = store
        self._nodes = nodes
        self.name = nodes.name
        self._taking: dict[str, trio.Lock] = {}
        self._bridges: Bridges | None = None
        self._projector = Projector.of(store, self._not_projected)
        self._orphans = Orphans(hub, store, nodes, cards, self._take, self._projector.lacks)
        self._retiring = Retiring(
            store, nodes, cards, first_for, self._projector.place, self._writer.after, hub.log
        )
        self._borrower = Borrower(
            store.engine, cards, TO_NODES, store.keys.open, folder, hub.log.warning
        )
        store.lent = self._borrower.lent
        self.takeovers = self.sent_on = 0
        self._left = False

    async def run(
        self,
        admit: Admit,
        start: Callable[..., None],
        *,
        task_status: Any = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Be a node until cancelled."""
        bridges = self._bridges = Bridges(self._nodes, admit, start)
        self._nodes.acts[PING] = self._pinged
        self._nodes.acts[REVOKE] = self._revoke
        self._nodes.acts[TAKE] = self._take_for_another
        self._nodes.acts[FIGURES] = self._own_figures
        self._nodes.tells = self._told
        self._hub.supervisor.watchers.append(self._writer.changed)
        self._store.moved_away = self._moved_away
        self._hub.metrics.gauges.update(
            projection_behind=(
                "Records that spectators may see and that the public streams lack",
                lambda: self._projector.behind,
            ),
            projection_lag_seconds=(
                "For how long the oldest of them has waited",
                lambda: self._projector.lag,
            ),
        )
        async with trio.open_nursery() as nursery:
            await nursery.start(self._nodes.run)
            await nursery.start(self._cards.run)
            # From here on: of those that are archived already the engine itself has been asked.
            self._cards.when_archived = self._archived
            self._cards.when_back = self._back
            nursery.start_soon(self._writer.run)
            nursery.start_soon(self._nodes.probe)
            nursery.start_soon(self._nodes.follow_host, self._host_changed)
            nursery.start_soon(bridges.watch)
            nursery.start_soon(self._orphans.run)
            nursery.start_soon(self._projector.run)
            nursery.start_soon(self._retiring.run)
            task_status.started()

    # --- whose a game is --------------------------------------------------------------------------

    def owns(self, game: str) -> bool:
        return self._store.owner_of(game) == self._nodes.name

    def version(self, game: str) -> int:
        return self._store.version_of(game)

    def lost(self, game: str) -> None:
        """Whoever followed the game here comes again, and is sent to its owner."""
        self._writer.forget(game)
        self._projector.forget(game)
        self._hub.log.info("game let go", game=game, owner=self._store.owner_of(game))
        for connection in list(self._hub.connections):
            if game in connection.client.games_followed:
                connection.evict("stopping", say("error.stopping"))

    def _moved_away(self, game: str) -> None:
        self._projector.forget(game)
        self._hub.supervisor.let_go(game)

    def _archived(self, game: str) -> None:
        self._projector.forget(game)
        self._hub.supervisor.let_go(game)
        self._store.forget(game)

    def is_archived(self, game: str) -> bool:
        return game in self._cards.archived()

    async def borrow(self, game: str) -> Failed | None:
        try:
            await self._borrower.frames(game)
        except NotLent:
            return failed("error.archive_silent", game=game)
        return None

    def _back(self, game: str) -> None:
        self._borrower.forget(game)
        if not self.owns(game):
            self._hub.supervisor.let_go(game)

    def _not_projected(self, game: str, error: StoreError) -> None:
        self._hub.log.error(
            "game not projected", game=game, what=f"{type(error).__name__}: {error}"
        )
        if isinstance(error, Damaged):
            self._hub.supervisor.let_go(game)  # nobody goes on from what is left of it

    # --- what everybody may see -------------------------------------------------------------------

    async def seen(self, game: str) -> int:
        if self.is_archived(game) and not self._store.keeps(game):
            card = self._cards.of(game)
            return 0 if card is None else int(card.row["seq"]) + 1
        return (await self._projector.place(game)).records

    def show(self, game: str, records: int) -> None:
        if self.owns(game):
            self._projector.want(game, records)

    async def shown(self, game: str, records: int) -> bool:
        return await self._projector.written(game, records)

    async def is_superseded(self, game: str) -> bool:
        try:
            if await self._store.is_newest(game):
                return False
            await self._store.look(game)
        except StoreError:
            return False  # the game itself answers what is wrong with it
        self._hub.supervisor.let_go(game)
        return True

    async def stay(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            if not self._left:
                self._store.give_up()

    async def leave(self) -> None:
        """Release what this node owns."""
        with trio.move_on_after(PROJECT_SECONDS):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._writer.settle)
                await self._projector.settle_all()
        # One whose public stream is not complete keeps its owner: others see that it is gone.
        mine = [
            game
            for game in self._store.games()
            if self.owns(game) and self._projector.is_settled(game)
        ]
        kept: list[str] = []
        try:
            async with trio.open_nursery() as nursery:
                for game in mine:
                    nursery.start_soon(self._release, game, kept)
        finally:
            if kept:
                self._hub.log.warning(
                    "games not released: whoever asks for them finds that this node is gone",
                    games=len(kept),
                )
        self._left = True

    async def _release(self, game: str, kept: list[str]) -> None:
        with self._hub.contained("release"):
            try:
                if await self._store.release(game):
                    self._hub.log.info("game released", game=game, node=self._nodes.name)
            except StoreError:
                kept.append(game)

    async def keeper(self, game: str) -> str:
        hosting = self._hub.hosting
        for _ in range(TRIES):
            if (hosting is not None and hosting.knows(game)) or not await self._store.finds(game):
                return self.name
            owner = self._store.owner_of(game)
            if owner in (self.name, ARCHIVED):
                return self.name
            if owner and self._nodes.silence_of(owner) < 1.0:
                return owner
            if await self._taken(game):
                return self.name
        raise PeerGone

    async def _taken(self, game: str) -> bool:
        """Have a game taken whose owner is dead, by a node that has its rules. Whether this node is
        to answer for it: the game is its own, or nobody can take it."""
        taker = await self._orphans.taker(game)
        if taker == self._nodes.name:
            return await self._take(game)
        try:
            owner = await self._store.look(game)
        except StoreError:
            return True
        if owner and not await self._nodes.is_dead(owner):
            return False
        if not taker:
            return True  # here it can be looked at
        with suppress(NodeGone, NodeSilent):
            await self._nodes.ask(taker, TAKE, game.encode(), seconds=TAKE_SECONDS)
        return False

    async def _take_for_another(self, _: str, game: bytes) -> bytes:
        return b"taken" if await self._take(game.decode()) else b"left"

    async def _take(self, game: str) -> bool:
        """Take a game whose owner is dead, or that has none; whether it is this node's now."""
        try:
            async with self._taking.setdefault(game, trio.Lock()):
                return await self._take_now(game)
        except StoreError:
            return True  # the game itself answers what is wrong with it
        finally:
            self._taking.pop(game, None)

    async def _take_now(self, game: str) -> bool:
        began = trio.current_time()
        owner = await self._store.look(game)
        if owner == self._nodes.name:
            return True
        if owner == ARCHIVED or (owner and not await self._nodes.is_dead(owner)):
            return False
        if self._hub.supervisor.stopping:
            return False
        taken = await self._store.claim(game, {owner} if owner else ())
        if taken:
            self.takeovers += 1
            self.figures_kept.takeover.observe(trio.current_time() - began)
            self._hub.log.info("game taken", game=game, node=self._nodes.name, of=owner)
            self._writer.changed(game)
            with trio.move_on_after(HELD_SECONDS):
                await self._hold(game)
        return taken

    async def _hold(self, game: str) -> None:
        """A game that was taken holds all that was made public of it. Whoever takes one from a node
        that is gone has never seen what the engine lost since, and would go on from the rest.
        Raises StoreError."""
        try:
            await self._projector.hold(game)
        except Damaged as error:
            self._hub.log.error("game taken that has lost its end", game=game, what=error.what)
            raise

    def _host_changed(self, digest: bytes) -> None:
        if digest != self._hub.host_digest:
            self._hub.log.info("the host's token is another one now")
            self._hub.host_digest = digest

    # --- what nodes do for each other -------------------------------------------------------------

    def _told(self) -> Mapping[str, Any]:
        return {
            "games": self._store.owned(),
            "connections": len(self._hub.connections),
            "well": not self._hub.why_not_well and not self.why_not_well,
            TITLES: self._orphans.offers,
        }

    @property
    def why_not_well(self) -> str:
        """Why no command can be saved: the engine has acknowledged no commit for long."""
        return "engine" if self.probe_age > WELL_SECONDS else ""

    @property
    def probe_age(self) -> float:
        """For how many seconds the engine has acknowledged no commit of this node."""
        probed = self._nodes.probed
        return trio.current_time() - (self._began if probed is None else probed)

    async def _pinged(self, _: str, __: bytes) -> bytes:
        return b"here"

    async def bridge(self, to: str, what: str, state: tuple[Any, ...], sock: socket.socket) -> None:
        if self._bridges is None:
            raise PeerGone
        self.sent_on += 1
        await self._bridges.open(to, what, state, sock)

    async def fetch(self, to: str, request: Request) -> Response:
        return await peerhttp.fetch(partial(self.bridge, to, HTTP), request)

    async def revoked(self, game: str, seat: str) -> None:
        said = msgpack.packb((game, seat, self._nodes.name))
        async with trio.open_nursery() as nursery:
            for node in self._nodes.alive():
                if node != self._nodes.name:
                    nursery.start_soon(self._tell_revoked, node, said)

    async def _tell_revoked(self, node: str, said: bytes) -> None:
        try:
            await self._nodes.ask(node, REVOKE, said)
        except (NodeGone, NodeSilent):
            self._hub.log.warning("a node was not told that a token is revoked", node=node)

    async def _revoke(self, _: str, said: bytes) -> bytes:
        game, seat, node = msgpack.unpackb(said)
        for connection in list(self._hub.connections):
            connection.client.forget(game, seat, node)
        return b"done"

    async def figures(self, *, whole: bool) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []

        async def ask(node: str) -> None:
            with suppress(NodeGone, NodeSilent):
                said = await self._nodes.ask(node, FIGURES, b"whole" if whole else b"")
                found.append((node, said.decode()))

        async with trio.open_nursery() as nursery:
            for node in self._nodes.alive():
                if node != self._nodes.name:
                    nursery.start_soon(ask, node)
        return sorted(found)

    async def _own_figures(self, _: str, how: bytes) -> bytes:
        metrics = self._hub.metrics
        return figures(metrics.registry if how == b"whole" else public_figures(metrics)).encode()
