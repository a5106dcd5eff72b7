"""What each request does. There is one function for each message, and whoever may not ask is
refused here, before a game hears of it.

Rules of this file:
- `handle` never raises because of what a client asks; it only raises if it is cancelled.
- Long answers (views, boards, catalogues) are made and encoded off the loop.
- A spectator's delay applies to every exit: `client.shown_to` says how far a client may see.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Never

from warledger.engine.desk import accounts
from warledger.engine.desk.people import NotDone
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import GATHERING, PLAYING
from warledger.engine.kernel.types import Seat
from warledger.engine.runtime import tokens
from warledger.engine.runtime.game import live as live_games
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.jobs import Meta
from warledger.engine.runtime.game.live import Live
from warledger.engine.runtime.snapshots import snapshotloads
from warledger.engine.runtime.supervisor import token_meta
from warledger.engine.runtime.titles import description
from warledger.engine.runtime.watch.watchedgames import NotSigned
from warledger.engine.serve.fleet import links
from warledger.engine.serve.fleet.edge import Edge
from warledger.engine.serve.fleet.peers import PeerGone
from warledger.engine.serve.games import gamelists
from warledger.engine.serve.games.actrequests import SIGNED
from warledger.engine.serve.games.arbiterlooks import look
from warledger.engine.serve.games.chat import TALKING
from warledger.engine.serve.games.markrequests import MARKING
from warledger.engine.serve.games.playrequests import ASKING
from warledger.engine.serve.games.rulingrequests import DESK
from warledger.engine.serve.games.witnessrequests import WITNESSING
from warledger.engine.serve.people import accountrequests, viewtokens
from warledger.engine.serve.people.accountnames import with_ids
from warledger.engine.serve.tournaments import tournamentrequests
from warledger.engine.serve.tournaments.tournamentrequests import AS_A_GAME, TOURNAMENTS, hosted_of
from warledger.engine.serve.wire.client import Client, Denied, audience_of, game_of, host_only
from warledger.engine.serve.wire.ratelimits import BYTE_SECONDS, LIGHT_SECONDS
from warledger.engine.serve.wire.viewer import channel_of, sees_live
from warledger.engine.store.port import FRAME_RECORD, StoreError
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal, Say, refuse, say
from warledger.protocol.log import records
from warledger.protocol.log.records import DELAY, TOURNAMENT, Genesis
from warledger.protocol.texts import typed
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.fields import FORMS

ROW_SECONDS: Final = 20e-6
"""What a row of a list costs."""


async def handle(client: Client, message: Any) -> None:
    """Carry out one message of the client."""
    if type(message) is m.Goodbye:
        return
    hub = client.hub
    if hub.supervisor.stopping and not message.while_stopping:
        _fail(client, message.request, failed("error.stopping"))
        return
    try:
        unreadable = typed.refused_in_message(message)
        if unreadable is not None:
            if m.Refused.tag not in message.answers:
                raise Denied(Failed("text", Say(unreadable.key, unreadable.args)))
            client.connection.send(m.Refused(message.request, unreadable))
            return
        if hub.edge is not None and (why_not := hub.edge.refusal(message)) is not None:
            raise Denied(why_not)
        if hub.peers is not None and await links.elsewhere(client, message):
            return
        if message.cost == m.LINE:
            await client.bill.turn()
        elif message.cost != m.FREE:
            why = await client.bill.admit(message.tag)
            if why is not None:
                raise Denied(why)
        hosting, of_tournament = hub.hosting, AS_A_GAME.get(type(message))
        if of_tournament is not None and hosting is not None and hosting.knows(message.game):
            await of_tournament(client, await hosted_of(client, message.game), message)
        else:
            await _HANDLERS[type(message)](client, message)
    except Denied as denied:
        _fail(client, message.request, denied.failure)
    except PeerGone:
        _fail(client, message.request, failed("error.stopping"))
    except NotSigned:  # only an edge has none
        _fail(client, message.request, (hub.edge or Edge()).elsewhere)
    except NotDone as error:
        _fail(client, message.request, error.failure)
    except StoreError:
        _fail(
            client, message.request, failed("error.quarantined", game=getattr(message, "game", ""))
        )
    except Exception as error:
        hub.metrics.faults += 1
        client.connection.log.error(
            "fault",
            request=message.tag,
            principal=client.principal,
            what=type(error).__name__,
            exc_info=False,
        )
        _fail(client, message.request, failed("error.fault", game=getattr(message, "game", "")))


def _fail(client: Client, request: int, failure: Failed) -> None:
    client.connection.send(m.Error(request, failure.code, failure.say, False))


# --- meeting --------------------------------------------------------------------------------------


async def _hello(client: Client, message: m.Hello) -> None:
    hub = client.hub
    if message.version != m.VERSION:
        text = say("error.version", theirs=message.version, ours=m.VERSION)
        client.connection.send(m.Error(message.request, "version", text, True))
        return
    offered = tuple((title.name, title.rules.version) for title in hub.supervisor.titles.values())
    key = hub.supervisor.signer.public
    client.connection.send(
        m.Welcome(message.request, message.version, hub.name, key, hub.limits.announced(), offered)
    )


async def _login(client: Client, message: m.Login) -> None:
    if message.name in viewtokens.RESERVED_NAMES:
        raise Denied(failed("error.login_name", name=message.name))
    owner = tokens.owner_of(message.token)
    if not message.token:
        client.principal = client.principal or message.name or "spectator"
    elif owner == tokens.HOST and tokens.fits(message.token, client.hub.host_digest):
        client.is_host = True
        client.principal = message.name or tokens.HOST
        await links.tell_links(client, message)
    elif owner in viewtokens.KINDS:
        given = client.hub.grants.of_token(message.token)
        if given is None:
            _login_failed(client)
            return
        name = client.hub.grants.names.get(given[0], "")
        if name and message.name not in ("", name):
            raise Denied(failed("error.token_name", name=name))
        client.granted[given[0]] = given[1]
        client.principal = name or message.name or owner
        client.connection.log.info("role shown", role=owner, principal=client.principal)
        await links.tell_links(client, message)
    elif owner == accounts.DEVICE:
        person = await client.hub.people.of_token(message.token)
        if person is None:
            _login_failed(client)
            return
        await accountrequests.signed_in(client, person, message.name)
        await links.tell_links(client, message)
    else:
        hosting = client.hub.hosting
        if hosting is not None and owner and hosting.knows(owner):
            if not await tournamentrequests.login(client, message, await hosted_of(client, owner)):
                _login_failed(client)
                return
        else:
            found = await _seat_of(client, owner, message.token)
            if found is None:
                _login_failed(client)
                return
            game, seat = found
            client.took(game, seat, message)
            client.principal = message.name or f"{game}/{seat}"
            await accountrequests.keep_seats(client)
    client.connection.send(m.LoggedIn(message.request, client.principal[:64], client.roles))
    client.hub.known(client.connection)


def _login_failed(client: Client) -> None:
    client.failed_logins += 1
    client.connection.log.info("login failed", tries=client.failed_logins)
    if client.failed_logins < client.hub.limits.logins_failed:
        raise Denied(failed("error.login"))
    client.connection.end("login", say("error.login"))


async def _seat_of(client: Client, owner: str, token: str) -> tuple[str, Seat] | None:
    game = await client.hub.supervisor.game(owner) if owner and owner != tokens.HOST else None
    if isinstance(game, Game):
        for seat, kept in game.profile.tokens.items():
            if tokens.fits(token, kept):
                return game.id, seat
    return None


async def _ping(client: Client, message: m.Ping) -> None:
    client.connection.send(m.Pong(message.request, client.hub.supervisor.ambient.now_ms()))


# --- games ----------------------------------------------------------------------------------------


async def _titles(client: Client, message: m.Titles) -> None:
    offered = list(client.hub.supervisor.titles.values())
    await _long(
        client,
        m.TitleList(message.request, ()),
        (),
        lambda: m.TitleList(1, tuple(title.about for title in offered)),
    )


async def _create(client: Client, message: m.CreateGame | m.OpenGame) -> None:
    host_only(client)
    terms: Mapping[str, Any] = (
        await with_ids(client, message.terms)
        if isinstance(message, m.OpenGame)
        else {DELAY: (message.delay_s, 0)}
    )
    made = await client.hub.supervisor.created(message.title, message.options, terms)
    if isinstance(made, Failed):
        raise Denied(made)
    game, given = made
    await accountrequests.opened(client, game)
    client.connection.send(m.Created(message.request, game, tuple(given.items())))


async def _practice(client: Client, message: m.Practice) -> None:
    house = client.hub.practice
    if house is None:
        raise Denied(Failed("practice", say("error.practice_off")))
    made = await house.open(message.title, message.seat, client.connection.address)
    if isinstance(made, Failed):
        raise Denied(made)
    game, token = made
    client.connection.send(m.Created(message.request, game, ((message.seat, token),)))


async def _new_token(client: Client, message: m.NewToken) -> None:
    host_only(client, message.game)
    game = await game_of(client, message.game)
    _known_seat(game, message.seat)
    token = tokens.new_token(client.hub.supervisor.ambient, game.id)
    payload = token_meta(message.seat, token)
    answer = await game.ask(lambda live: Meta(payload), principal=client.principal)
    if isinstance(answer, Failed):
        raise Denied(answer)
    for connection in list(client.hub.connections):
        connection.client.revoke(game, message.seat)
    if client.hub.peers is not None:
        await client.hub.peers.revoked(game.id, message.seat)
    client.connection.log.info(
        "token reissued", game=game.id, seat=message.seat, principal=client.principal
    )
    client.connection.send(m.Token(message.request, game.id, message.seat, token))


def _known_seat(game: Game, seat: Seat) -> None:
    if seat not in game.profile.genesis.seats:
        raise Denied(failed("error.no_such_seat", seat=seat, known=game.profile.genesis.seats))


async def _replace(client: Client, message: m.Replace) -> None:
    host_only(client, message.game)
    game = await game_of(client, message.game)
    _known_seat(game, message.seat)
    name = message.name or message.seat
    if name in viewtokens.RESERVED_NAMES:
        raise Denied(failed("error.login_name", name=name))

    def propose(live: Live) -> Meta | Refusal:
        if live.position.stage != PLAYING:
            return refuse(
                "",
                "refusal.not_started" if live.position.stage == GATHERING else "refusal.game_over",
            )
        # The log says so once whoever has the new token signs it.
        return Meta(canon.pack(("replacing", message.seat, name, live.position.seq)))

    answer = await game.ask(propose, principal=client.principal)
    if isinstance(answer, Refusal):
        client.connection.send(m.Refused(message.request, answer))
        return
    if isinstance(answer, Failed):
        raise Denied(answer)
    await _new_token(client, m.NewToken(message.request, message.game, message.seat))


async def _close_game(client: Client, message: m.CloseGame) -> None:
    """Only while a seat is empty: once all are taken nonces are shown, and whoever could close a
    game then could choose among dice."""
    host_only(client, message.game)
    game = await game_of(client, message.game)
    ambient = client.hub.supervisor.ambient

    def propose(live: Live) -> Batch[Any] | Refusal:
        if TOURNAMENT in live.ledger.genesis.terms:
            return refuse("", "refusal.board_of_tournament")
        gathering = live.position.stage == GATHERING
        if gathering and all(entry.nonce_hash is not None for entry in live.position.seats):
            return refuse("", "refusal.seats_taken")
        return live.ledger.propose_expiry(ambient.now_ms())

    answer = await game.ask(propose, principal=client.principal)
    if isinstance(answer, Failed):
        raise Denied(answer)
    if isinstance(answer, Refusal):
        client.connection.send(m.Refused(message.request, answer))
        return
    client.connection.log.info("game closed", game=game.id, principal=client.principal)
    client.connection.send(
        m.Accepted(message.request, game.id, answer.seq, answer.head, answer.again)
    )


async def _games(client: Client, message: m.Games) -> None:
    shown, more = await gamelists.listed(
        client.hub, client, message.after, message.most, message.stage
    )
    client.bill.spent(message.tag, (1 + len(shown)) * ROW_SECONDS)
    client.connection.send(m.GameList(message.request, tuple(shown), more))


async def _head_of(client: Client, message: m.HeadOf) -> None:
    game = await game_of(client, message.game)
    last = (game.profile.progress if sees_live(client, game) else game.shown).seq
    if message.seq > last:
        await _beyond(client, game, message.seq, last)
    supervisor, progress = client.hub.supervisor, game.profile.progress

    def find() -> bytes:
        frames = supervisor.store.read(game.id, message.seq, 1)
        payload = next(frame.payload for frame in frames if frame.kind == FRAME_RECORD)
        return records.hash_of(payload)

    # The records that are asked for most are at hand: the first, before a seat is taken, and the
    # last.
    known = (
        game.profile.genesis.hash
        if not message.seq
        else progress.hash
        if message.seq == progress.seq
        else b""
    )
    found = known or await supervisor.ambient.blocking(find)
    client.connection.send(m.HeadIs(message.request, game.head_of(message.seq, found)))


async def _beyond(client: Client, game: Game, seq: int, last: int) -> Never:
    """Refuse a record that is not there. Raises Denied.

    A node that stood still may have been held for dead, and another has gone on: whoever asks comes
    again then, and is sent to it, rather than hear that a record they have seen is none.
    """
    supervisor = client.hub.supervisor
    if seq > game.profile.progress.seq and await supervisor.is_superseded(game.id):
        client.connection.evict("stopping", say("error.stopping"))
        raise Denied(failed("error.stopping"))
    raise Denied(failed("error.no_such_record", seq=seq, last=last))


async def _head(client: Client, message: m.Head) -> None:
    game = await game_of(client, message.game)
    client.connection.send(
        m.HeadIs(message.request, game.head(audience_is_public=not sees_live(client, game)))
    )


# --- watching -------------------------------------------------------------------------------------


async def _subscribe(client: Client, message: m.Subscribe) -> None:
    game = await audience_of(client, message.game, message.audience)
    first = max(0, message.after_seq + 1)
    await look(client, game, message.audience, first, game.profile.progress.seq)
    key = (game.id, message.audience)
    if key in client.cursors:
        raise Denied(failed("error.subscribed", game=game.id))
    if len(client.cursors) >= client.hub.limits.subscriptions:
        raise Denied(failed("error.too_many", most=client.hub.limits.subscriptions))
    channel = channel_of(client, game, message.audience)
    if message.after_seq >= channel.next_seq:
        if client.hub.edge is not None:
            # What was read is a replica's that is behind: whoever has seen more comes again.
            client.connection.evict("stopping", say("error.stopping"))
            raise Denied(failed("error.stopping"))
        await _beyond(client, game, message.after_seq, channel.next_seq - 1)
    connection = client.connection

    def lost(error: StoreError) -> None:
        client.cursors.pop(key, None)
        connection.send(m.Error(0, "quarantined", say("error.quarantined", game=game.id), False))

    connection.send(m.Subscribed(message.request, game.id, message.audience, channel.next_seq - 1))
    client.bill.spent(message.tag, LIGHT_SECONDS)
    client.cursors[key] = channel.subscribe(
        connection.out, message.after_seq, lost, Reading(client)
    )


async def _unsubscribe(client: Client, message: m.Unsubscribe) -> None:
    cursor = client.cursors.pop((message.game, message.audience), None)
    if cursor is not None:
        cursor.channel.remove(cursor)
    client.connection.send(m.Unsubscribed(message.request, message.game, message.audience))


async def _view(client: Client, message: m.View) -> None:
    game = await audience_of(client, message.game, message.audience)
    last = channel_of(client, game, message.audience).next_seq - 1
    seq = last if message.at_seq == m.NOW else message.at_seq
    if seq > last:
        await _beyond(client, game, seq, last)
    await look(client, game, message.audience, seq, seq)
    source, audience = game.source, message.audience

    def make() -> m.ViewIs:
        return m.ViewIs(1, game.id, audience, seq, snapshotloads.view(source, audience, seq))

    # Spectators who come at the same time ask for the same board.
    await _long(
        client,
        m.ViewIs(message.request, game.id, audience, seq, ()),
        (game.id, audience, seq),
        make,
    )


async def _board(client: Client, message: m.Board) -> None:
    game = await game_of(client, message.game)
    store = client.hub.supervisor.store

    def make() -> m.BoardIs:
        payloads, _ = live_games.split(store.read(game.id, 0, 1)[:1])
        genesis = Genesis.from_record(records.read(payloads[0], trusted=True))
        pack: Mapping[str, Any] = canon.unpack_trusted(genesis.pack)
        told = description(game.services.rules_to_draw(genesis), pack, genesis.options)
        return m.BoardIs(1, game.id, genesis.title, told)

    await _long(
        client,
        m.BoardIs(message.request, game.id, game.profile.genesis.title, {}),
        (game.id,),
        make,
    )


async def _catalogue(client: Client, message: m.Catalogue) -> None:
    try:
        texts = client.hub.catalogue(message.language)
    except KeyError:
        raise Denied(failed("error.unknown_language", language=message.language)) from None
    blank = m.CatalogueIs(message.request, message.language, {})
    await _long(
        client,
        blank,
        (message.language,),
        lambda: m.CatalogueIs(1, message.language, canon.ordered(texts)),
    )


async def _long(client: Client, blank: Any, key: tuple[Any, ...], make: Callable[[], Any]) -> None:
    """Send an answer that is long: as it is kept under its kind and this key, or else made, checked
    and encoded off the loop. `blank` is the answer without what makes it long; `make` returns the
    whole answer, for request 1."""
    hub, kind = client.hub, _ASKED[blank.tag]
    head = len(m.encode_head(blank.tag, 1))
    fresh = False

    async def made() -> bytes:
        nonlocal fresh
        fresh = True
        return await client.bill.blocking(
            kind, hub.supervisor.ambient, lambda: m.encode(make())[head:]
        )

    rest: bytes = await hub.answers.get((kind, *key), made)
    if not fresh:
        client.bill.spent(kind, LIGHT_SECONDS + len(rest) * BYTE_SECONDS)
    client.connection.send_packed(blank, m.encode_head(blank.tag, blank.request) + rest)


_ASKED: Final = {
    answer: kind.tag for kind in (m.Titles, m.View, m.Board, m.Catalogue) for answer in kind.answers
}


class Reading:
    """What it costs when a client reads old records."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def turn(self) -> None:
        """Wait until more may be read for this client."""
        await self._client.bill.turn(_READ)

    def spent(self, seconds: float, size: int) -> None:
        """Record that this much was read."""
        self._client.bill.spent(_READ, seconds + size * BYTE_SECONDS)


_READ: Final = "records"


_HANDLERS: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Hello: _hello,
    m.Login: _login,
    m.Ping: _ping,
    m.Titles: _titles,
    m.CreateGame: _create,
    m.OpenGame: _create,
    m.Practice: _practice,
    m.NewToken: _new_token,
    m.Replace: _replace,
    m.CloseGame: _close_game,
    m.Games: _games,
    m.Head: _head,
    m.HeadOf: _head_of,
    m.Subscribe: _subscribe,
    m.Unsubscribe: _unsubscribe,
    m.View: _view,
    m.Board: _board,
    m.Catalogue: _catalogue,
    **ASKING,
    **SIGNED,
    **WITNESSING,
    **accountrequests.ACCOUNTS,
    **DESK,
    **TALKING,
    **MARKING,
    **TOURNAMENTS,
}
_UNMATCHED: Final = _HANDLERS.keys() ^ {
    form.cls for form in FORMS.values() if form.cls.sender == m.CLIENT
}
if _UNMATCHED:
    raise TypeError(f"these requests have no handler, or a handler no request: {_UNMATCHED}")
