"""Requests about a game in play: choices, previews, standing answers, and the position after an
earlier record. What seats do is in `actrequests`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar

import trio

from warledger.engine.archive.release import ReleaseFault, ReleaseLost, Sealed
from warledger.engine.runtime.faults import note
from warledger.engine.runtime.game import standinganswers
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.engine.runtime.game.live import Live
from warledger.engine.runtime.snapshots import snapshotloads
from warledger.engine.serve.games.arbiterlooks import look_at_seat
from warledger.engine.serve.wire.client import Client, Denied, seat_of, seat_seen
from warledger.engine.serve.wire.ratelimits import measured
from warledger.protocol.board.choices import Refusal, refuse
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

T = TypeVar("T")


async def _choices(client: Client, message: m.Choices) -> None:
    game = await seat_seen(client, message.game, message.seat)
    await look_at_seat(client, game, message.seat)
    offered, decision = await _at_door(
        client,
        game,
        lambda live, at: live.ledger.offered(at, message.seat, message.picks),
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
        lambda live, at: live.ledger.previewed(at, message.seat, message.picks),
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
    if live.ledger.is_elsewhere:
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


async def position_after(client: Client, game: Game, seq: int) -> Any:
    """The position after an earlier record, for a takeback that goes back to it; None if there is
    no such record."""
    rules = game.rules
    assert rules is not None, "the game is being played"
    ambient, source = client.hub.supervisor.ambient, game.source
    return await client.bill.blocking(
        acts.ASK, ambient, lambda: snapshotloads.position_after(rules, source, seq)
    )


async def _standing(client: Client, message: m.Standing) -> None:
    game = await seat_of(client, message.game, message.seat)
    at = await game.position()
    if isinstance(at, Failed):
        raise Denied(at)
    orders = standinganswers.in_force(at, message.seat)
    client.connection.send(m.StandingIs(message.request, game.id, message.seat, orders))


ASKING: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Choices: _choices,
    m.Preview: _preview,
    m.Standing: _standing,
}
