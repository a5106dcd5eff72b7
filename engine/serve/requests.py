"""What each request does. One function a message; whoever may not ask is refused here, before a game hears of it.

Rules of this file:
- `handle` never raises for what a client asks, save when it is cancelled.
- Long answers (views, boards, catalogues) are made and encoded off the loop.
- A spectator's delay binds every exit: `_shown` says how far a client may see.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio
from attrs import define, field

from engine.kernel import door
from engine.kernel.audience import ARBITER, PUBLIC
from engine.kernel.door import Command
from engine.kernel.ledger import Batch
from engine.kernel.types import Seat
from engine.runtime import live as live_games
from engine.runtime import standing, tokens, views
from engine.runtime.actor import Game, Job, Meta, Proposal
from engine.runtime.answers import Answer, Done, Failed, failed
from engine.runtime.fanout import Cursor
from engine.runtime.live import Live
from engine.runtime.profile import Progress
from engine.runtime.supervisor import token_meta
from engine.runtime.titles import description
from engine.serve.hub import Hub
from engine.store.port import StoreError
from protocol import canon, messages, records
from protocol import messages as m
from protocol.choices import Refusal, refuse, say
from protocol.records import Genesis

if TYPE_CHECKING:
    from engine.serve.connection import Connection

RESERVED_NAMES: Final = frozenset((records.SERVER, PUBLIC, ARBITER, tokens.HOST))
VIEWS_KEPT_MAX: Final = 64
SLOW_SECONDS: Final = 0.002
"""Choices of a game that took longer than this are made in a thread the next time."""


class Denied(Exception):
    """The request is not carried out; `failure` says why."""

    def __init__(self, failure: Failed) -> None:
        self.failure = failure


@define(eq=False)
class Client:
    """Who a connection acts for. `principal` is "" until it has logged in; `names` are what its seats' players are called."""

    hub: Hub
    connection: Connection
    principal: str = ""
    is_host: bool = False
    names: dict[tuple[str, Seat], str] = field(factory=dict)
    digests: dict[tuple[str, Seat], bytes] = field(factory=dict)
    cursors: dict[tuple[str, str], Cursor] = field(factory=dict)
    failed_logins: int = 0
    slow_games: set[str] = field(factory=set)

    def close(self) -> None:
        """The connection is over: nothing is followed any more."""
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
        why = failed("error.not_allowed", seat=seat)
        self.connection.send(m.Error(0, why.code, why.say, False))

    def holds(self, game: Game, seat: Seat) -> bool:
        """Whether it may act for the seat: its token is still the one in force."""
        kept = self.digests.get((game.id, seat))
        return kept is not None and game.profile.tokens.get(seat) == kept


async def handle(client: Client, message: Any) -> None:
    """Carry out one message of the client."""
    if type(message) is m.Goodbye:
        return
    hub = client.hub
    if hub.supervisor.stopping and type(message) not in _WHILE_STOPPING:
        _fail(client, message.request, failed("error.stopping"))
        return
    try:
        await _HANDLERS[type(message)](client, message)
    except Denied as denied:
        _fail(client, message.request, denied.failure)
    except StoreError:
        _fail(client, message.request, failed("error.quarantined", game=getattr(message, "game", "")))
    except Exception as error:
        hub.metrics.faults += 1
        client.connection.log.error("fault", request=message.tag, principal=client.principal, what=type(error).__name__, exc_info=False)
        _fail(client, message.request, failed("error.fault", game=getattr(message, "game", "")))


def _fail(client: Client, request: int, failure: Failed) -> None:
    client.connection.send(m.Error(request, failure.code, failure.say, False))


# --- meeting ------------------------------------------------------------------------------------------------------------------


async def _hello(client: Client, message: m.Hello) -> None:
    hub = client.hub
    if message.version != messages.VERSION:
        text = say("error.version", theirs=message.version, ours=messages.VERSION)
        client.connection.send(m.Error(message.request, "version", text, True))
        return
    offered = tuple((title.name, title.rules.version) for title in hub.supervisor.titles.values())
    key = hub.supervisor.signer.public
    client.connection.send(m.Welcome(message.request, messages.VERSION, hub.name, key, hub.limits.announced(), offered))


async def _login(client: Client, message: m.Login) -> None:
    if message.name in RESERVED_NAMES:
        raise Denied(failed("error.login_name", name=message.name))
    owner = tokens.owner_of(message.token)
    if not message.token:
        client.principal = client.principal or message.name or "spectator"
    elif owner == tokens.HOST and tokens.fits(message.token, client.hub.host_digest):
        client.is_host = True
        client.principal = message.name or tokens.HOST
    else:
        found = await _seat_of(client, owner, message.token)
        if found is None:
            client.failed_logins += 1
            client.connection.log.info("login failed", tries=client.failed_logins)
            if client.failed_logins >= client.hub.limits.logins_failed:
                client.connection.end("login", say("error.login"))
                return
            raise Denied(failed("error.login"))
        game, seat = found
        client.names[game, seat] = message.name or seat
        client.digests[game, seat] = tokens.digest(message.token)
        client.principal = message.name or f"{game}/{seat}"
    roles = [("host", "", "")] if client.is_host else []
    roles += [("seat", game, seat) for game, seat in client.digests]
    client.connection.send(m.LoggedIn(message.request, client.principal[:64], tuple(roles)))


async def _seat_of(client: Client, owner: str, token: str) -> tuple[str, Seat] | None:
    game = await client.hub.supervisor.game(owner) if owner and owner != tokens.HOST else None
    if isinstance(game, Game):
        for seat, kept in game.profile.tokens.items():
            if tokens.fits(token, kept):
                return game.id, seat
    return None


async def _ping(client: Client, message: m.Ping) -> None:
    client.connection.send(m.Pong(message.request, client.hub.supervisor.ambient.now_ms()))


# --- who may ----------------------------------------------------------------------------------------------------------------


async def _game(client: Client, id: str) -> Game:
    known = client.hub.supervisor.games.get(id) or await client.hub.supervisor.game(id)
    if isinstance(known, Failed):
        raise Denied(known)
    return known


async def _seat(client: Client, id: str, seat: Seat) -> Game:
    """The game, if the client holds the seat."""
    game = await _game(client, id)
    if not client.holds(game, seat):
        raise Denied(failed("error.not_allowed", seat=seat))
    return game


def _host(client: Client) -> None:
    if not client.is_host:
        raise Denied(failed("error.host_only"))


async def _audience(client: Client, id: str, audience: str) -> Game:
    """The game, if the client may see what this audience sees."""
    game = await _game(client, id)
    if audience == PUBLIC or (audience == ARBITER and client.is_host) or client.holds(game, audience):
        return game
    raise Denied(failed("error.not_allowed", seat=audience))


def _sees_live(client: Client, game: Game) -> bool:
    return client.is_host or any(client.holds(game, seat) for seat, _ in game.profile.progress.holders)


def _shown(client: Client, game: Game) -> Progress:
    """How far the client may see: the log's end, or what spectators are shown."""
    return game.profile.progress if _sees_live(client, game) else game.shown


# --- games --------------------------------------------------------------------------------------------------------------------


async def _titles(client: Client, message: m.Titles) -> None:
    offered = list(client.hub.supervisor.titles.values())
    await _long(client, lambda: m.TitleList(message.request, tuple(title.about for title in offered)))


async def _create(client: Client, message: m.CreateGame) -> None:
    _host(client)
    made = await client.hub.supervisor.create(message.title, message.options, message.delay_s)
    if isinstance(made, Failed):
        raise Denied(made)
    game, given = made
    client.connection.send(m.Created(message.request, game.id, tuple(given.items())))


async def _new_token(client: Client, message: m.NewToken) -> None:
    _host(client)
    game = await _game(client, message.game)
    _known_seat(game, message.seat)
    token = tokens.new_token(client.hub.supervisor.ambient, game.id)
    payload = token_meta(message.seat, token)
    answer = await game.ask(lambda live: Meta(payload), principal=client.principal)
    if isinstance(answer, Failed):
        raise Denied(answer)
    for connection in list(client.hub.connections):
        connection.client.revoke(game, message.seat)
    client.connection.log.info("token reissued", game=game.id, seat=message.seat, principal=client.principal)
    client.connection.send(m.Token(message.request, game.id, message.seat, token))


def _known_seat(game: Game, seat: Seat) -> None:
    if seat not in game.profile.genesis.seats:
        raise Denied(failed("error.no_such_seat", seat=seat, known=game.profile.genesis.seats))


async def _replace(client: Client, message: m.Replace) -> None:
    _host(client)
    game = await _game(client, message.game)
    _known_seat(game, message.seat)
    ambient = client.hub.supervisor.ambient
    name = message.name or message.seat
    if name in RESERVED_NAMES:
        raise Denied(failed("error.login_name", name=name))
    answer = await game.ask(lambda live: live.ledger.propose_replacement(message.seat, name, ambient.now_ms()), principal=client.principal)
    if isinstance(answer, Refusal):
        client.connection.send(m.Refused(message.request, answer))
        return
    if isinstance(answer, Failed):
        raise Denied(answer)
    await _new_token(client, m.NewToken(message.request, message.game, message.seat))


async def _games(client: Client, message: m.Games) -> None:
    supervisor = client.hub.supervisor
    shown: list[dict[str, Any]] = []
    after, more = message.after, True
    while more and len(shown) < message.most:
        found, more = await supervisor.listed(after, message.most - len(shown))
        for id, game in found:
            after = id
            told = _told(client, id, game)
            if not message.stage or told["stage"] == message.stage:
                shown.append(told)
    client.connection.send(m.GameList(message.request, tuple(shown), more))


def _told(client: Client, id: str, game: Game | Failed) -> dict[str, Any]:
    return told_of(id, game, None if isinstance(game, Failed) else _shown(client, game))


def told_of(id: str, game: Game | Failed, progress: Progress | None = None) -> dict[str, Any]:
    """A game as a line of a list, as far as `progress` goes; None is as far as spectators see."""
    if isinstance(game, Failed):
        return canon.ordered({"game": id, "title": "", "stage": "quarantined", "reason": game.say.as_array()})
    progress = progress or game.shown
    reason = progress.reason.as_array() if progress.reason is not None else None
    if game.quarantine:
        reason = say("error.quarantined", game=id).as_array()
    return canon.ordered(
        {
            "game": id,
            "title": game.profile.genesis.title,
            "version": game.profile.genesis.version,
            "stage": "quarantined" if game.quarantine else progress.stage,
            "seq": progress.seq,
            "seats": progress.holders,
            "awaits": progress.awaits,
            "winner": progress.winner,
            "reason": reason,
            "created_ms": game.profile.created_ms,
            "delay_s": game.profile.delay_s,
        }
    )


async def _head(client: Client, message: m.Head) -> None:
    game = await _game(client, message.game)
    client.connection.send(m.HeadIs(message.request, game.head(audience_is_public=not _sees_live(client, game))))


# --- watching -----------------------------------------------------------------------------------------------------------------


async def _subscribe(client: Client, message: m.Subscribe) -> None:
    game = await _audience(client, message.game, message.audience)
    key = (game.id, message.audience)
    if key in client.cursors:
        raise Denied(failed("error.subscribed", game=game.id))
    if len(client.cursors) >= client.hub.limits.subscriptions:
        raise Denied(failed("error.too_many", most=client.hub.limits.subscriptions))
    channel = game.channel(message.audience)
    if message.after_seq >= channel.next_seq:
        raise Denied(failed("error.no_such_record", seq=message.after_seq, last=channel.next_seq - 1))
    connection = client.connection

    def lost(error: StoreError) -> None:
        client.cursors.pop(key, None)
        connection.send(m.Error(0, "quarantined", say("error.quarantined", game=game.id), False))

    connection.send(m.Subscribed(message.request, game.id, message.audience, channel.next_seq - 1))
    client.cursors[key] = channel.subscribe(connection.out, message.after_seq, lost)


async def _unsubscribe(client: Client, message: m.Unsubscribe) -> None:
    cursor = client.cursors.pop((message.game, message.audience), None)
    if cursor is not None:
        cursor.channel.remove(cursor)
    client.connection.send(m.Unsubscribed(message.request, message.game, message.audience))


async def _view(client: Client, message: m.View) -> None:
    game = await _audience(client, message.game, message.audience)
    last = game.channel(message.audience).next_seq - 1
    seq = last if message.at_seq == messages.NOW else message.at_seq
    if seq > last:
        raise Denied(failed("error.no_such_record", seq=seq, last=last))
    store, kept, key = client.hub.supervisor.store, client.hub.views, (game.id, message.audience, seq)

    def make() -> m.ViewIs:
        # Spectators who come in together ask for the same board.
        effects = kept.get(key)
        if effects is None:
            effects = views.view(store.read(game.id), message.audience, seq)
        return m.ViewIs(message.request, game.id, message.audience, seq, effects)

    made = await _long(client, make)
    kept[key] = made.effects
    kept.move_to_end(key)
    while len(kept) > VIEWS_KEPT_MAX:
        kept.popitem(last=False)


async def _board(client: Client, message: m.Board) -> None:
    game = await _game(client, message.game)
    store, rules = client.hub.supervisor.store, game.rules

    def make() -> m.BoardIs:
        payloads, _ = live_games.split(store.read(game.id)[:1])
        genesis = Genesis.from_record(records.read(payloads[0], trusted=True))
        pack: Mapping[str, Any] = canon.unpack_trusted(genesis.pack)
        told = canon.ordered({"pack": pack}) if rules is None else description(rules, pack)
        return m.BoardIs(message.request, game.id, genesis.title, told)

    await _long(client, make)


async def _catalogue(client: Client, message: m.Catalogue) -> None:
    try:
        texts = client.hub.catalogue(message.language)
    except KeyError:
        raise Denied(failed("error.unknown_language", language=message.language)) from None
    await _long(client, lambda: m.CatalogueIs(message.request, message.language, canon.ordered(texts)))


async def _long(client: Client, make: Callable[[], Any]) -> Any:
    """Make, check and encode an answer off the loop, and send it; returns it."""
    message, payload = await client.hub.supervisor.ambient.blocking(lambda: _packed(make()))
    client.connection.send_packed(message, payload)
    return message


def _packed(message: Any) -> tuple[Any, bytes]:
    return message, messages.encode(message)


# --- playing ------------------------------------------------------------------------------------------------------------------


def _post(
    client: Client,
    game: Game,
    request: int,
    propose: Proposal,
    prepare: Callable[[Live], Awaitable[None]] | None = None,
    answer: Callable[[Done], Any] | None = None,
) -> None:
    """Put a proposal to the game; its answer goes to the client whenever it comes."""
    connection, metrics, id = client.connection, client.hub.metrics, game.id

    def done(found: Answer) -> None:
        if type(found) is Done:
            if found.again:
                metrics.commands_again += 1
            else:
                metrics.commands_accepted += 1
            connection.send(m.Accepted(request, id, found.seq, found.head, found.again) if answer is None else answer(found))
        elif isinstance(found, Refusal):
            metrics.commands_refused += 1
            connection.send(m.Refused(request, found))
        elif isinstance(found, Failed):
            connection.send(m.Error(request, found.code, found.say, False))

    game.post(Job(propose, done, prepare, client.principal))


async def _take_seat(client: Client, message: m.TakeSeat) -> None:
    game = await _seat(client, message.game, message.seat)
    ambient = client.hub.supervisor.ambient
    seat, hashed = message.seat, message.nonce_hash
    name = client.names[game.id, seat]

    def propose(live: Live) -> Batch[Any] | Done | Refusal:
        entry = live.position.seat(seat)
        if entry is not None and entry.nonce_hash == hashed:  # asked again after a broken connection
            return Done(_seat_record(live), game.head(), again=True)
        return live.ledger.propose_seat(seat, name, hashed, ambient.now_ms())

    _post(client, game, message.request, propose, answer=lambda done: m.Seated(message.request, game.id, seat, done.seq))


def _seat_record(live: Live) -> int:
    return live.position.seq


async def _nonce(client: Client, message: m.Nonce) -> None:
    game = await _seat(client, message.game, message.seat)
    ambient = client.hub.supervisor.ambient

    def propose(live: Live) -> Batch[Any] | Done | Refusal:
        entry = live.position.seat(message.seat)
        if entry is not None and entry.nonce == message.nonce:
            return Done(live.position.seq, game.head(), again=True)
        return live.ledger.propose_nonce(message.seat, message.nonce, ambient.now_ms())

    _post(client, game, message.request, propose)


async def _submit(client: Client, message: m.Submit) -> None:
    game = await _seat(client, message.game, message.seat)
    command = Command(message.seat, message.decision, message.picks, message.command_id, message.seen)
    _post(client, game, message.request, partial(_propose_command, game, command, client.hub.supervisor.ambient.now_ms))


def _propose_command(game: Game, command: Command, now_ms: Callable[[], int], live: Live) -> Batch[Any] | Done | Refusal:
    known = live.commands.get((command.seat, command.id))
    if known is not None:
        return Done(known, game.head(), again=True)
    return live.ledger.propose_command(command, now_ms())


async def _choices(client: Client, message: m.Choices) -> None:
    game = await _seat(client, message.game, message.seat)
    found = await _at_door(client, game, message.seat, lambda rules, at: door.choices(rules, at, message.seat, message.picks))
    rules, at, offered = found
    if isinstance(offered, Refusal):
        client.connection.send(m.Refused(message.request, offered))
        return
    decision = door.pending(rules, at, message.seat)
    if decision is None:
        client.connection.send(m.Refused(message.request, refuse("", "refusal.not_asked")))
        return
    client.connection.send(m.ChoicesAre(message.request, game.id, decision.id, decision.prompt, offered))


async def _preview(client: Client, message: m.Preview) -> None:
    game = await _seat(client, message.game, message.seat)
    _, _, told = await _at_door(client, game, message.seat, lambda rules, at: door.preview(rules, at, message.seat, message.picks))
    if isinstance(told, Refusal):
        client.connection.send(m.Refused(message.request, told))
        return
    client.connection.send(m.PreviewIs(message.request, tuple(told)))


async def _at_door(client: Client, game: Game, seat: Seat, ask: Callable[[Any, Any], Any]) -> tuple[Any, Any, Any]:
    """Ask the rules something of the position now: here, or in a thread where this game's answers have taken long."""
    at = await game.position()
    if isinstance(at, Failed):
        raise Denied(at)
    rules = game.rules
    if game.id in client.slow_games:
        return rules, at, await client.hub.supervisor.ambient.blocking(lambda: ask(rules, at))
    began = trio.lowlevel.current_clock().current_time()
    answer = ask(rules, at)
    if trio.lowlevel.current_clock().current_time() - began > SLOW_SECONDS:
        client.slow_games.add(game.id)
    return rules, at, answer


async def _ask(client: Client, message: m.Ask) -> None:
    game = await _seat(client, message.game, message.seat)
    now_ms = client.hub.supervisor.ambient.now_ms
    if message.kind == "draw":
        _post(client, game, message.request, lambda live: live.ledger.propose_draw(message.seat, now_ms()))
        return
    then: list[Any] = [None]

    async def prepare(live: Live) -> None:
        if message.to not in live.position.undo and 0 < message.to < live.position.seq:
            then[0] = await _position_after(client, game, message.to)

    _post(client, game, message.request, lambda live: live.ledger.propose_takeback(message.seat, message.to, then[0], now_ms()), prepare)


async def _answer(client: Client, message: m.Answer) -> None:
    game = await _seat(client, message.game, message.seat)
    now_ms = client.hub.supervisor.ambient.now_ms
    then: list[Any] = [None]

    async def prepare(live: Live) -> None:
        ask = live.position.ask
        if message.consents and ask is not None and ask.kind == "takeback" and ask.to not in live.ledger.past:
            then[0] = await _position_after(client, game, ask.to)

    def propose(live: Live) -> Batch[Any] | Refusal:
        return live.ledger.propose_answer(message.seat, message.consents, then[0], now_ms())

    _post(client, game, message.request, propose, prepare)


async def _position_after(client: Client, game: Game, seq: int) -> Any:
    rules = game.rules
    assert rules is not None
    store = client.hub.supervisor.store
    return await client.hub.supervisor.ambient.blocking(lambda: live_games.position_after(rules, store.read(game.id), seq))


async def _resign(client: Client, message: m.Resign) -> None:
    game = await _seat(client, message.game, message.seat)
    now_ms = client.hub.supervisor.ambient.now_ms
    _post(client, game, message.request, lambda live: live.ledger.propose_resignation(message.seat, now_ms()))


async def _standing(client: Client, message: m.Standing) -> None:
    game = await _seat(client, message.game, message.seat)
    seat, orders = message.seat, message.orders

    def answer(_: Done) -> m.StandingIs:
        return m.StandingIs(message.request, game.id, seat, game.profile.orders.get(seat, ()))

    if orders is None:
        client.connection.send(m.StandingIs(message.request, game.id, seat, game.profile.orders.get(seat, ())))
    else:
        payload = standing.payload(seat, orders)
        _post(client, game, message.request, lambda live: Meta(payload), answer=answer)


_HANDLERS: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Hello: _hello,
    m.Login: _login,
    m.Ping: _ping,
    m.Titles: _titles,
    m.CreateGame: _create,
    m.NewToken: _new_token,
    m.Replace: _replace,
    m.Games: _games,
    m.Head: _head,
    m.TakeSeat: _take_seat,
    m.Nonce: _nonce,
    m.Subscribe: _subscribe,
    m.Unsubscribe: _unsubscribe,
    m.View: _view,
    m.Board: _board,
    m.Catalogue: _catalogue,
    m.Choices: _choices,
    m.Preview: _preview,
    m.Submit: _submit,
    m.Ask: _ask,
    m.Answer: _answer,
    m.Resign: _resign,
    m.Standing: _standing,
}
_WHILE_STOPPING: Final = frozenset((m.Hello, m.Login, m.Ping, m.Head, m.Unsubscribe))
