"""A connection and the games of a fleet's other nodes.

Rules of this file:
- A client whose request is about a game of another node gets a *link*: a second connection of the
  same client, to that node. Requests on that node's games go through it, and whatever comes out of
  it goes to the peer.
- When a link breaks the client is joined to its games' next owner.
- A client is authenticated where it logs in; the nodes of one fleet trust each other. A link knows
  the client's roles from when it was opened, and learns of later ones. A link whose first login
  failed is dropped: it only has the rights of a stranger.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any, Final

import trio
from attrs import astuple

from warledger.engine.desk import accounts
from warledger.engine.desk.accounts import Person
from warledger.engine.runtime import tokens
from warledger.engine.serve.fleet.peers import CONNECTION, PeerGone
from warledger.engine.serve.people import viewtokens
from warledger.engine.serve.wire.client import Client, rows_of
from warledger.engine.serve.wire.tcp import SocketPipe
from warledger.protocol.board.choices import say
from warledger.protocol.limits import FRAME_BYTES_MAX
from warledger.protocol.wire import messages
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.session import CLOSED, READY, FrameReader, frame, to_frame

TRIES: Final = 5
"""How often a game's owner is looked for, where one after the other goes away."""

LINK: Final = -1
"""What stands in the state of a link. Nodes of earlier releases, which a fleet may still have, know
a link by it."""
_NO_GAMES: Final = frozenset((tokens.HOST, accounts.DEVICE, *viewtokens.KINDS))
"""What a token begins with that is not a seat's."""

State = tuple[Any, ...]
"""What is known of a client: its address, session state, principal, whether it is the host's,
seats, failed logins, LINK, other tokens, the account."""


def game_named(message: Any) -> str:
    """The game that a message is about; "" if it is about none."""
    if type(message) is m.Login:
        owner = tokens.owner_of(message.token)
        return "" if owner in _NO_GAMES else owner
    return str(getattr(message, "game", ""))


async def elsewhere(client: Client, message: Any) -> bool:
    """Whether the message is about a game that another node keeps; it is then on its way there.
    Raises PeerGone."""
    hub, game = client.hub, game_named(message)
    peers = hub.peers
    if peers is None or not game or game in hub.supervisor.games or hub.supervisor.keeps(game):
        return False
    for left in reversed(range(TRIES)):
        to = await peers.keeper(game)
        if to == peers.name:
            return False
        try:
            link = client.links.get(to) or await Link.open(client, to)
            await (link.login(message) if type(message) is m.Login else link.send(message))
        except PeerGone:
            if not left:
                raise
            continue  # that node is gone: somebody else has the game, or we take it
        return True
    return False


async def tell_links(client: Client, message: m.Login) -> None:
    """The client has gained a role: pass it on to its links, too. Raises PeerGone."""
    for link in list(client.links.values()):
        await link.login(message, told=True)


def _state_of(client: Client) -> State:
    """What another node must know of a client."""
    connection = client.connection
    return (
        connection.address,
        connection.session.before_request,
        client.principal,
        client.is_host,
        tuple(
            (game, seat, client.names.get((game, seat), seat), digest)
            for (game, seat), digest in client.digests.items()
        ),
        client.failed_logins,
        LINK,
        tuple(client.granted),
        None if client.person is None else astuple(client.person),
    )


def restore(client: Client, state: State) -> None:
    """Make a client what it is to another node: this is the other end of its link."""
    _, _, client.principal, client.is_host, seats, *rest = state
    client.is_link = True
    client.failed_logins, _, shown, person = rest
    for game, seat, name, digest in seats:
        client.names[game, seat] = name
        client.digests[game, seat] = digest
    for digest in shown:
        rows = client.hub.grants.of_digest(digest)
        if rows is not None:
            client.granted[digest] = rows
    if person is not None:
        client.person = Person(*person)
        client.own = rows_of(client.person)
        client.hub.people_came = True


class Link:
    """A client's second connection, to the node that keeps one of its games."""

    def __init__(self, client: Client, to: str, pipe: SocketPipe) -> None:
        self._client = client
        self._to = to
        self._pipe = pipe
        self._login: m.Login | None = None
        self._told = False
        self._answered = trio.Event()
        self._asked: dict[int, Any] = {}
        self._seen: dict[tuple[str, str], int] = {}
        self.following: set[tuple[str, str]] = set()
        self.ended = trio.Event()

    @classmethod
    async def open(cls, client: Client, to: str) -> Link:
        """Open one. Raises PeerGone."""
        ours, theirs = socket.socketpair()
        link = cls(client, to, SocketPipe(ours, client.connection.address))
        peers = client.hub.peers
        assert peers is not None
        try:
            await peers.bridge(to, CONNECTION, _state_of(client), theirs)
        except BaseException:
            link._pipe.release()
            raise
        finally:
            theirs.close()
        client.links[to] = link
        client.connection.start(link.run)
        return link

    async def send(self, message: Any) -> None:
        """Pass a request on. Raises PeerGone."""
        self._asked[message.request] = message
        try:
            await self._pipe.send_all(to_frame(message))
        except OSError as error:
            raise PeerGone from error

    async def login(self, message: m.Login, *, told: bool = False) -> None:
        """Pass a login on, and return when it has been answered, since what the client asks next
        may depend on it. Whoever has been `told` of it gets no second answer.

        Raises PeerGone.
        """
        self._login, self._told, self._answered = message, told, trio.Event()
        await self.send(message)
        await self._answered.wait()

    async def run(self) -> None:
        """Pass on to the peer what the other node says, as long as both are there."""
        connection = self._client.connection
        reader = FrameReader(FRAME_BYTES_MAX)
        try:
            with suppress(OSError):
                while data := await self._pipe.receive():
                    reader.receive_data(data)
                    while (payload := reader.next_frame()) is not None:
                        self._bring(payload)
                    await connection.out.room()
            await self._go_over()
        finally:
            self._answered.set()
            self.ended.set()
            self._pipe.release()

    async def _go_over(self) -> None:
        """The node over there is gone, or has the games no more: join the client to where they are
        now. What it follows goes on behind what it has, and what it asked is asked again where that
        cannot do it twice."""
        client = self._client
        connection = client.connection
        if client.links.get(self._to) is not self or connection.session.state == CLOSED:
            return
        del client.links[self._to]
        self._answered.set()
        for audience in self.following:
            game, name = audience
            await connection.resubscribe(game, name, self._seen.get(audience, -1))
        for request, message in self._asked.items():
            if message.repeatable:
                await connection.handle(message)
            else:
                text = say("error.unknown_outcome", why="stopping")
                connection.send(m.Error(request, "unknown_outcome", text, False))

    def _note(self, message: Any) -> None:
        """Remember what is needed to go on elsewhere."""
        if type(message) is m.Records:
            place = message.game, message.audience
            self._seen[place] = message.first_seq + len(message.items) - 1
            return
        asked = self._asked.pop(getattr(message, "request", 0), None)
        if type(message) is m.Subscribed and type(asked) is m.Subscribe:
            self._seen.setdefault((message.game, message.audience), asked.after_seq)
        elif type(message) is m.Unsubscribed:
            self._seen.pop((message.game, message.audience), None)

    def _bring(self, payload: bytes) -> None:
        connection = self._client.connection
        if connection.session.state == CLOSED:
            return
        message = messages.decode(payload)
        if type(message) is m.Goodbye or (type(message) is m.Error and message.code == "stopping"):
            self._login = None
            self._pipe.half_close()
            return
        self._note(message)
        if type(message) is m.Records:
            connection.out.write(frame(payload))
        elif type(message) is m.Error and message.fatal and self._login is None:
            connection.end(message.code, message.say)
        elif (
            self._login is not None
            and message.request in (0, self._login.request)
            and type(message) in (m.LoggedIn, m.Error)
        ):
            self._bring_login(self._login, message)
        else:
            if type(message) is m.Subscribed:
                self.following.add((message.game, message.audience))
            elif type(message) is m.Unsubscribed:
                self.following.discard((message.game, message.audience))
            connection.send_packed(message, payload)

    def _bring_login(self, login: m.Login, answer: m.LoggedIn | m.Error) -> None:
        client = self._client
        connection = client.connection
        if isinstance(answer, m.Error) and not answer.fatal and answer.request == 0:
            connection.send(answer)  # a token was revoked meanwhile
            return
        self._login = None
        self._answered.set()
        if self._told:
            return
        if isinstance(answer, m.LoggedIn):
            _, game, seat = answer.roles[-1]
            client.took(game, seat, login)
            client.principal = answer.principal
            connection.send(m.LoggedIn(login.request, answer.principal, client.roles))
            client.hub.known(connection)
            return
        if connection.session.state != READY:
            client.links.pop(self._to, None)
            self._pipe.half_close()
        if answer.code == "login":
            client.failed_logins += 1
            if client.failed_logins >= client.hub.limits.logins_failed:
                connection.end(answer.code, answer.say)
                return
        if answer.fatal:
            connection.end(answer.code, answer.say)
        else:
            connection.send(answer)
