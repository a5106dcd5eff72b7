"""Requests about a game in play: choices and previews, and what seats do in games of format 1, in
which they sign nothing. This is what each request puts to the game's task, and how it is answered.
What seats sign is in `acting`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar

import trio

from warledger.engine.archive.release import ReleaseFault, ReleaseLost, Sealed
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import SIGNED_GAME, Batch
from warledger.engine.kernel.types import Seat
from warledger.engine.runtime import asking, resuming, standing
from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.answers import Answer, Done, Failed, failed
from warledger.engine.runtime.faults import note
from warledger.engine.runtime.jobs import Job, Meta, Proposal
from warledger.engine.runtime.live import Live
from warledger.engine.serve.client import Client, Denied, seat_of, seat_seen
from warledger.engine.serve.cost import measured
from warledger.engine.serve.looking import look_at_seat
from warledger.engine.serve.naming import own_name
from warledger.protocol import messages as m
from warledger.protocol.choices import Refusal, refuse

T = TypeVar("T")


def _post(
    client: Client,
    game: Game,
    seat: Seat,
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
            connection.send(
                m.Accepted(request, id, found.seq, found.head, found.again)
                if answer is None
                else answer(found)
            )
        elif isinstance(found, Refusal):
            metrics.commands_refused += 1
            connection.send(m.Refused(request, found))
        elif isinstance(found, Failed):
            connection.send(m.Error(request, found.code, found.say, False))

    game.post(Job(propose, done, prepare, client.principal, seat))


async def _take_seat(client: Client, message: m.TakeSeat) -> None:
    game = await seat_of(client, message.game, message.seat)
    ambient = client.hub.supervisor.ambient
    seat, hashed = message.seat, message.nonce_hash
    name = client.names[game.id, seat]
    await own_name(client, game, seat, name)

    def propose(live: Live) -> Batch[Any] | Done | Refusal:
        if live.ledger.signed:
            return SIGNED_GAME
        entry = live.position.seat(seat)
        if entry is not None and entry.nonce_hash == hashed:  # sent again after a connection broke
            return Done(live.position.seq, game.head(), again=True)
        return live.ledger.propose_seat(seat, name, hashed, ambient.now_ms())

    _post(
        client,
        game,
        message.seat,
        message.request,
        propose,
        answer=lambda done: m.Seated(message.request, game.id, seat, done.seq),
    )


async def _nonce(client: Client, message: m.Nonce) -> None:
    game = await seat_of(client, message.game, message.seat)
    ambient = client.hub.supervisor.ambient

    def propose(live: Live) -> Batch[Any] | Done | Refusal:
        if live.ledger.signed:
            return SIGNED_GAME
        entry = live.position.seat(message.seat)
        if entry is not None and entry.nonce == message.nonce:
            return Done(live.position.seq, game.head(), again=True)
        return live.ledger.propose_nonce(message.seat, message.nonce, ambient.now_ms())

    _post(client, game, message.seat, message.request, propose)


async def _submit(client: Client, message: m.Submit) -> None:
    supervisor, seat = client.hub.supervisor, message.seat
    game = supervisor.games.get(message.game)
    if game is None or not client.holds(game, seat):
        game = await seat_of(client, message.game, seat)
    command = Submission(seat, message.decision, message.picks, message.command_id, message.seen)
    _post(
        client,
        game,
        message.seat,
        message.request,
        partial(_propose_command, game, command, supervisor.ambient.now_ms),
    )


def _propose_command(
    game: Game, command: Submission, now_ms: Callable[[], int], live: Live
) -> Batch[Any] | Done | Refusal:
    known = live.commands.get((command.seat, command.id))
    if known is not None:
        return Done(known, game.head(), again=True)
    return live.ledger.propose_command(command, now_ms())


async def _choices(client: Client, message: m.Choices) -> None:
    game = await seat_seen(client, message.game, message.seat)
    await look_at_seat(client, game, message.seat)
    offered, decision = await _at_door(
        client,
        game,
        lambda live, at: asking.choices(live, at, message.seat, message.picks),
    )
    if isinstance(offered, Refusal):
        client.connection.send(m.Refused(message.request, offered))
        return
    if decision is None:
        client.connection.send(m.Refused(message.request, refuse("", "refusal.not_asked")))
        return
    client.connection.send(
        m.ChoicesAre(message.request, game.id, decision.id, decision.prompt, offered)
    )


async def _preview(client: Client, message: m.Preview) -> None:
    game = await seat_seen(client, message.game, message.seat)
    await look_at_seat(client, game, message.seat)
    told = await _at_door(
        client,
        game,
        lambda live, at: asking.preview(live, at, message.seat, message.picks),
    )
    if isinstance(told, Refusal):
        client.connection.send(m.Refused(message.request, told))
        return
    client.connection.send(m.PreviewIs(message.request, tuple(told)))


async def _at_door(client: Client, game: Game, ask: Callable[[Live, Any], T]) -> T:
    """Ask the rules something about the current position: here, or in a thread if answers about
    this game have lately been much work, or an archived release gives them."""
    at = await game.position()
    if isinstance(at, Failed):
        raise Denied(at)
    live = game.live
    assert live is not None, "its position was asked for just now"
    if asking.is_elsewhere(live):
        return await asked_elsewhere(client, game, lambda: ask(live, at))
    if game.id in client.slow_games:
        call = partial(measured, lambda: ask(live, at))
        answer, worked = await asked_elsewhere(client, game, call)
        client.slow_games.took(game.id, worked)
        return answer
    clock = trio.lowlevel.current_clock()
    began = clock.current_time()
    answer, worked = measured(lambda: ask(live, at))
    # By the clock of a simulation an answer takes no time, however much work it is.
    client.slow_games.took(game.id, min(worked, clock.current_time() - began))
    return answer


async def asked_elsewhere(client: Client, game: Game, call: Callable[[], T]) -> T:
    """What a call in a thread answers. What goes wrong in an archived release denies the
    request."""
    try:
        ambient = client.hub.supervisor.ambient
        return await client.bill.blocking(m.Choices.tag, ambient, call)
    except (ReleaseLost, ReleaseFault, Sealed) as error:
        note(client.hub.supervisor.metrics, client.hub.log, error, "an archived release")
        raise Denied(failed("error.fault", game=game.id)) from error


async def _ask(client: Client, message: m.Ask) -> None:
    game = await seat_of(client, message.game, message.seat)
    now_ms = client.hub.supervisor.ambient.now_ms
    if message.kind == "draw":
        _post(
            client,
            game,
            message.seat,
            message.request,
            lambda live: live.ledger.propose_draw(message.seat, now_ms()),
        )
        return
    then: list[Any] = [None]

    async def prepare(live: Live) -> None:
        if (
            not live.ledger.signed
            and message.to not in live.position.undo
            and 0 < message.to < live.position.seq
        ):
            then[0] = await position_after(client, game, message.to)

    _post(
        client,
        game,
        message.seat,
        message.request,
        lambda live: live.ledger.propose_takeback(message.seat, message.to, then[0], now_ms()),
        prepare,
    )


async def _answer(client: Client, message: m.Answer) -> None:
    game = await seat_of(client, message.game, message.seat)
    now_ms = client.hub.supervisor.ambient.now_ms
    then: list[Any] = [None]

    async def prepare(live: Live) -> None:
        ask = live.position.ask
        if (
            not live.ledger.signed
            and message.consents
            and ask is not None
            and ask.kind == "takeback"
            and ask.to not in live.ledger.past
        ):
            then[0] = await position_after(client, game, ask.to)

    def propose(live: Live) -> Batch[Any] | Refusal:
        return live.ledger.propose_answer(message.seat, message.consents, then[0], now_ms())

    _post(client, game, message.seat, message.request, propose, prepare)


async def position_after(client: Client, game: Game, seq: int) -> Any:
    """The position after an earlier record, for a takeback that goes back to it; None if there is
    no such record."""
    rules = game.rules
    assert rules is not None, "the game is being played"
    ambient, source = client.hub.supervisor.ambient, game.source
    return await client.bill.blocking(
        m.Ask.tag, ambient, lambda: resuming.position_after(rules, source, seq)
    )


async def _resign(client: Client, message: m.Resign) -> None:
    game = await seat_of(client, message.game, message.seat)
    now_ms = client.hub.supervisor.ambient.now_ms
    _post(
        client,
        game,
        message.seat,
        message.request,
        lambda live: live.ledger.propose_resignation(message.seat, now_ms()),
    )


async def _standing(client: Client, message: m.Standing) -> None:
    game = await seat_of(client, message.game, message.seat)
    seat, orders = message.seat, message.orders

    def answer(_: Done) -> m.StandingIs:
        return m.StandingIs(message.request, game.id, seat, game.profile.orders.get(seat, ()))

    if game.profile.genesis.signed:
        if orders is not None:
            raise Denied(failed("error.signed_game", game=game.id))
        at = await game.position()
        if isinstance(at, Failed):
            raise Denied(at)
        client.connection.send(
            m.StandingIs(message.request, game.id, seat, standing.in_force(at, seat))
        )
    elif orders is None:
        client.connection.send(
            m.StandingIs(message.request, game.id, seat, game.profile.orders.get(seat, ()))
        )
    else:

        def propose(_: Live) -> Done | Failed | Meta:
            # Checked when its turn comes, since earlier requests may have changed the orders.
            profile = game.profile
            if orders == profile.orders.get(seat, ()):
                return Done(profile.progress.seq, game.head(), again=True)
            payload = standing.payload(seat, orders)
            why = profile.changes.admit(seat, len(payload), profile.count, withdrawal=not orders)
            return Meta(payload) if why is None else why

        _post(client, game, message.seat, message.request, propose, answer=answer)


UNSIGNED: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.TakeSeat: _take_seat,
    m.Nonce: _nonce,
    m.Submit: _submit,
    m.Choices: _choices,
    m.Preview: _preview,
    m.Ask: _ask,
    m.Answer: _answer,
    m.Resign: _resign,
    m.Standing: _standing,
}
