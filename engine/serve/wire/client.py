"""Whom a connection acts for, and what it may therefore do and see."""

from __future__ import annotations

from typing import Any, Protocol

import trio
from attrs import define, field

from warledger.engine.desk.accounts import DAY_MS, OWNER, Person, Role
from warledger.engine.desk.hosted import Hosted
from warledger.engine.kernel.types import Seat
from warledger.engine.runtime import tokens
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.watch.fanout import Cursor
from warledger.engine.serve.games.delayedboards import may_know_of
from warledger.engine.serve.hub import Hub
from warledger.engine.serve.people.viewtokens import Row
from warledger.engine.serve.tournaments.officials import (
    acts_as,
    casting,
    casts_at,
    rules_on,
    sees_live,
)
from warledger.engine.serve.wire.ratelimits import Bill, SlowGames
from warledger.engine.serve.wire.responses import Answering
from warledger.engine.serve.wire.viewer import HOST, OPENS, Viewer, may_see
from warledger.protocol.audience import PUBLIC
from warledger.protocol.board.choices import say
from warledger.protocol.wire import messages as m


class Denied(Exception):
    """The request is not carried out; `failure` says why."""

    def __init__(self, failure: Failed) -> None:
        self.failure = failure


class Extension(Protocol):
    """A second connection of the same client, to another node of the fleet."""

    following: set[tuple[str, str]]
    """The games and audiences that the client follows through it."""
    ended: trio.Event

    async def send(self, message: Any) -> None:
        """Pass a request on. Raises PeerGone."""

    async def login(self, message: m.Login, *, told: bool = False) -> None:
        """Pass a login on, and return when it has been answered. Whoever has been `told` of it gets
        no second answer. Raises PeerGone."""


@define(eq=False, kw_only=True)
class Client(Viewer):
    """Whom a connection acts for. `principal` is "" until it has logged in. `names` are the names
    of the players of its seats. `links` are its extensions into other nodes of the fleet. `is_link`
    says that it is such an extension itself, and its peer another node, which has the client's own
    connection. `person` is the account that it is signed in to. `challenge` is what a key is to
    sign, where it asked to be. `looked` are the games into which it has looked as an arbiter, with
    the first record that it has seen."""

    hub: Hub
    connection: Answering
    principal: str = ""
    names: dict[tuple[str, Seat], str] = field(factory=dict)
    cursors: dict[tuple[str, str], Cursor] = field(factory=dict)
    links: dict[str, Extension] = field(factory=dict)
    failed_logins: int = 0
    is_link: bool = False
    slow_games: SlowGames = field(factory=SlowGames)
    person: Person | None = None
    challenge: bytes = b""
    looked: dict[str, int] = field(factory=dict)

    def arbitrates(self, game: Game) -> bool:
        """Whether they may see everything in the game: as its host, as an arbiter of it, or as one
        of the tournament whose board it is."""
        return super().arbitrates(game) or rules_on(self, game)

    def casts(self, game: Game, seat: Seat) -> bool:
        """Whether they may see what the seat sees, as late as spectators do: of the game, or of the
        tournament whose board it is."""
        return super().casts(game, seat) or (
            seat in game.profile.genesis.seats and casts_at(self, game)
        )

    @property
    def roles(self) -> tuple[Row, ...]:
        """Everything that they may do and see, in the form that a client receives."""
        return (*super().roles, *casting(self))

    def follows_live(self, hosted: Hosted) -> bool:
        """Whether they take part in a tournament, or run it: by token, or by account."""
        return sees_live(self, hosted)

    @property
    def follows(self) -> bool:
        """Whether it gets messages that it does not ask for."""
        return bool(self.cursors) or any(link.following for link in self.links.values())

    @property
    def games_followed(self) -> set[str]:
        """The games that it follows here."""
        return {game for game, _ in self.cursors}

    @property
    def bill(self) -> Bill:
        """Whom its work is charged to: nobody if it is the host's, else the seat that it holds,
        else its account or its address. An account younger than a day does not count."""
        if self.is_host:
            return Bill(self.hub.meter, "")
        held = next(iter(self.digests), None)
        if held is not None:
            return Bill(self.hub.meter, f"seat {held[1]} {held[0]}")
        person, people = self.person, self.hub.people
        if person is not None and people.world.now_ms() - person.since_ms > DAY_MS:
            return Bill(self.hub.meter, f"account {person.id}")
        return Bill(self.hub.meter, f"address {self.connection.address}")

    def took(self, game: str, seat: Seat, login: m.Login) -> None:
        """It has shown a seat's token. The role shown last counts as the newest."""
        self.names[game, seat] = login.name or seat
        self.digests.pop((game, seat), None)
        self.digests[game, seat] = tokens.digest(login.token)

    def signed_in(self, person: Person, name: str) -> None:
        """It has shown the token of a device of this account: it holds what the account keeps,
        except where it has shown the token of a seat itself."""
        self.person = person
        self.is_host = self.is_host or any(role == OWNER for role, _, _ in person.roles)
        self.own = rows_of(person)
        for game, seat, digest in person.seats:
            if (game, seat) not in self.digests:
                self.digests[game, seat] = digest
                self.names[game, seat] = name

    def see_rights(self, now: Person | None) -> None:
        """What its account gives now. If it gives less than before, or the device was signed out,
        the connection ends; if it gives more, it is used."""
        was = self.person
        if was is None or now == was:
            return
        if now is None:
            self.connection.evict("login", say("error.signed_out"))
        elif set(was.roles) - set(now.roles) or set(was.seats) - set(now.seats):
            self.connection.evict("rights_changed", say("error.rights_changed"))
        else:
            self.signed_in(now, now.handle)

    def close(self) -> None:
        """The connection is over: it no longer follows anything."""
        self.links.clear()
        for cursor in self.cursors.values():
            cursor.channel.remove(cursor)
        self.cursors.clear()

    async def links_ended(self) -> None:
        """Return once other nodes have finished what they do for it."""
        for link in list(self.links.values()):
            await link.ended.wait()

    def revoke(self, game: Game, seat: Seat) -> None:
        """The seat's token was replaced: whoever came with the old one no longer acts or sees for
        the seat."""
        if (game.id, seat) not in self.digests or self.holds(game, seat):
            return
        del self.digests[game.id, seat]
        cursor = self.cursors.pop((game.id, seat), None)
        if cursor is not None:
            cursor.channel.remove(cursor)
        self._tell_revoked(seat)

    def look_again(self) -> None:
        """Tokens that only look were revoked, or now give something else: a connection that uses
        one sees no more than it may."""
        rows = self.hub.grants.rows
        kept = {digest: rows[digest] for digest in self.granted if digest in rows}
        if kept == self.granted:
            return
        self.granted = kept
        self.see_no_more()

    def see_no_more(self) -> None:
        """What it may see has become less: it follows no audience any more that it may not see."""
        for (id, audience), cursor in list(self.cursors.items()):
            game = self.hub.supervisor.games.get(id)
            if self.hub.hosting is not None and self.hub.hosting.knows(id):
                hosted = self.hub.hosting.all.get(id)
                sees = hosted is None or audience == PUBLIC or self.is_host
                sees = sees or (
                    hosted is not None
                    and acts_as(self, hosted, audience)
                    and cursor.channel is hosted.channel(audience)  # not one of a role that ended
                )
            else:
                sees = game is not None and may_see(self, game, audience)
            if not sees:
                del self.cursors[id, audience]
                cursor.channel.remove(cursor)
                self._tell_revoked(audience)

    def forget(self, game: str, seat: Seat, keeper: str) -> None:
        """Forget a token of another node's game. That node tells the clients that link to it."""
        if (
            self.digests.pop((game, seat), None) is not None
            and keeper not in self.links
            and not self.is_link
        ):
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
    if not may_know_of(client.hub, client, known):
        raise Denied(failed("error.unknown_game", game=id))
    return known


async def seat_of(client: Client, id: str, seat: Seat) -> Game:
    """The game, if the client holds the seat."""
    game = await game_of(client, id)
    if not client.holds(game, seat):
        raise Denied(failed("error.not_allowed", seat=seat))
    return game


async def seat_seen(client: Client, id: str, seat: Seat) -> Game:
    """The game, if the client may know what the seat is asked: it holds the seat, or sees
    everything as an arbiter does."""
    game = await game_of(client, id)
    if not client.holds(game, seat) and not (
        client.arbitrates(game) and seat in game.profile.genesis.seats
    ):
        raise Denied(failed("error.not_allowed", seat=seat))
    return game


def rows_of(person: Person) -> tuple[Row, ...]:
    """An account and its roles in the form that a client receives."""
    return (("account", person.id, person.handle), *filter(None, map(_row_of, person.roles)))


def _row_of(role: Role) -> Row | None:
    kind, game, _ = role
    if kind == OWNER:
        return None  # the client is then the host
    return OPENS if kind == HOST and not game else role


def host_only(client: Client, game: str = "") -> None:
    """Raise Denied unless the client may open games; or, where a game is named, give out its
    seats."""
    if not (client.hosts(game) if game else client.may_open):
        raise Denied(failed("error.host_only"))


async def audience_of(client: Client, id: str, audience: str) -> Game:
    """The game, if the client may see what this audience sees."""
    game = await game_of(client, id)
    if may_see(client, game, audience):
        return game
    raise Denied(failed("error.not_allowed", seat=audience))
