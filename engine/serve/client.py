"""Whom a connection acts for, and what it may therefore ask and see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from engine.kernel.audience import ARBITER, PUBLIC
from engine.kernel.types import Seat
from engine.runtime import tokens
from engine.runtime.actor import Game
from engine.runtime.answers import Failed, failed
from engine.runtime.fanout import Channel, Cursor
from engine.runtime.profile import Progress
from engine.serve import grants
from engine.serve.cost import Bill
from engine.serve.grants import Row
from engine.serve.hub import Hub
from protocol import messages as m

if TYPE_CHECKING:
    from engine.serve.connection import Connection
    from engine.serve.moving import Link


class Denied(Exception):
    """The request is not carried out; `failure` says why."""

    def __init__(self, failure: Failed) -> None:
        self.failure = failure


@define(eq=False)
class Viewer:
    """What somebody has shown: whether the host's token, which seats' (their digests), and by digest which of those that only look."""

    is_host: bool = False
    digests: dict[tuple[str, Seat], bytes] = field(factory=dict)
    granted: dict[bytes, tuple[Row, ...]] = field(factory=dict)

    def holds(self, game: Game, seat: Seat) -> bool:
        """Whether it may act for the seat: its token is still the one in force."""
        kept = self.digests.get((game.id, seat))
        return kept is not None and game.profile.tokens.get(seat) == kept

    def arbitrates(self, game: Game) -> bool:
        """Whether it may see everything of the game: as its host, or as an arbiter."""
        return self.is_host or any(grants.sees_all(rows, game.id) for rows in self.granted.values())

    def casts(self, game: Game, seat: Seat) -> bool:
        """Whether it may see what the seat sees, as late as spectators."""
        return any(grants.casts(rows, game.id, seat) for rows in self.granted.values())

    @property
    def roles(self) -> tuple[Row, ...]:
        """All that it may do and see, as a client is told."""
        host = (("host", "", ""),) if self.is_host else ()
        looks = dict.fromkeys(row for rows in self.granted.values() for row in rows)
        return (*host, *looks, *(("seat", game, seat) for game, seat in self.digests))


@define(eq=False, kw_only=True)
class Client(Viewer):
    """Who a connection acts for. `principal` is "" until it has logged in; `names` are what its seats' players are called; `links` are its
    extensions into other processes of the server; `moves` counts how often it went from one to another (negative: it is an extension)."""

    hub: Hub
    connection: Connection
    principal: str = ""
    names: dict[tuple[str, Seat], str] = field(factory=dict)
    cursors: dict[tuple[str, str], Cursor] = field(factory=dict)
    links: dict[int, Link] = field(factory=dict)
    failed_logins: int = 0
    moves: int = 0
    slow_games: set[str] = field(factory=set)

    @property
    def follows(self) -> bool:
        """Whether it is sent anything without asking."""
        return bool(self.cursors) or any(link.following for link in self.links.values())

    @property
    def bill(self) -> Bill:
        """Whom its work is charged to: nobody where it is the host's, the seat that it holds, or its address."""
        if self.is_host:
            return Bill(self.hub.meter, "")
        held = next(iter(self.digests), None)
        return Bill(self.hub.meter, f"address {self.connection.address}" if held is None else f"seat {held[1]} {held[0]}")

    @property
    def is_link(self) -> bool:
        """Whether the peer is another process of the server, which has the client's own connection."""
        return self.moves < 0

    def took(self, game: str, seat: Seat, login: m.Login) -> None:
        """It showed a seat's token. The newest role stands last."""
        self.names[game, seat] = login.name or seat
        self.digests.pop((game, seat), None)
        self.digests[game, seat] = tokens.digest(login.token)

    def close(self) -> None:
        """The connection is over: nothing is followed any more."""
        self.links.clear()
        for cursor in self.cursors.values():
            cursor.channel.remove(cursor)
        self.cursors.clear()

    def revoke(self, game: Game, seat: Seat) -> None:
        """The seat's token was replaced: who came in by the old one neither acts nor sees for it any more."""
        if (game.id, seat) not in self.digests or self.holds(game, seat):
            return
        del self.digests[game.id, seat]
        cursor = self.cursors.pop((game.id, seat), None)
        if cursor is not None:
            cursor.channel.remove(cursor)
        self._tell_revoked(seat)

    def look_again(self) -> None:
        """Tokens that only look were revoked, or give something else now: whoever came in by one sees no more than he may."""
        rows = self.hub.grants.rows
        kept = {digest: rows[digest] for digest in self.granted if digest in rows}
        if kept == self.granted:
            return
        self.granted = kept
        for (id, audience), cursor in list(self.cursors.items()):
            game = self.hub.supervisor.games.get(id)
            if game is None or not _may_see(self, game, audience):
                del self.cursors[id, audience]
                cursor.channel.remove(cursor)
                self._tell_revoked(audience)

    def forget(self, game: str, seat: Seat, keeper: int) -> None:
        """The same of a game of another process, which tells those that have a link to it itself."""
        if self.digests.pop((game, seat), None) is not None and keeper not in self.links and not self.is_link:
            self._tell_revoked(seat)

    def _tell_revoked(self, seat: Seat) -> None:
        why = failed("error.not_allowed", seat=seat)
        self.connection.send(m.Error(0, why.code, why.say, False))
        self.hub.known(self.connection)


async def game_of(client: Client, id: str) -> Game:
    """A game by its id. Raises Denied."""
    known = client.hub.supervisor.games.get(id) or await client.hub.supervisor.game(id)
    if isinstance(known, Failed):
        raise Denied(known)
    return known


async def seat_of(client: Client, id: str, seat: Seat) -> Game:
    """The game, if the client holds the seat."""
    game = await game_of(client, id)
    if not client.holds(game, seat):
        raise Denied(failed("error.not_allowed", seat=seat))
    return game


async def seat_seen(client: Client, id: str, seat: Seat) -> Game:
    """The game, if the client may know what the seat is asked: it holds the seat, or sees everything as an arbiter does."""
    game = await game_of(client, id)
    if not client.holds(game, seat) and not (client.arbitrates(game) and seat in game.profile.genesis.seats):
        raise Denied(failed("error.not_allowed", seat=seat))
    return game


def host_only(client: Client) -> None:
    """Raise Denied unless the client is the host."""
    if not client.is_host:
        raise Denied(failed("error.host_only"))


async def audience_of(client: Client, id: str, audience: str) -> Game:
    """The game, if the client may see what this audience sees."""
    game = await game_of(client, id)
    if _may_see(client, game, audience):
        return game
    raise Denied(failed("error.not_allowed", seat=audience))


def _may_see(client: Viewer, game: Game, audience: str) -> bool:
    if audience == ARBITER:
        return client.arbitrates(game)
    return audience == PUBLIC or client.holds(game, audience) or client.casts(game, audience)


def channel_of(client: Viewer, game: Game, audience: str) -> Channel:
    """What the client follows of an audience it may see: a caster's look at a seat comes as late as spectators'."""
    return game.channel(audience, as_late_as_public=audience not in (PUBLIC, ARBITER) and not client.holds(game, audience))


def sees_live(client: Viewer, game: Game) -> bool:
    """Whether a spectator's delay does not bind the client: the host, an arbiter, and whoever holds a seat."""
    return client.arbitrates(game) or any(client.holds(game, seat) for seat, _ in game.profile.progress.holders)


def shown_to(client: Viewer, game: Game) -> Progress:
    """How far the client may see: the log's end, or what spectators are shown."""
    return game.profile.progress if sees_live(client, game) else game.shown
