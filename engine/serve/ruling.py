"""What arbiters do in games in progress: they rule, and see what a seat was offered at any record.

Whether what they write may stand is the ledger's business (`warledger.protocol.docket`). Here it is
made sure that it is an arbiter who writes it, under the handle of their account or the name of
their login, and that they hold no seat of the game.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime import asking
from warledger.engine.runtime.actor import Game
from warledger.engine.runtime.answers import Answer, Done, Failed, failed
from warledger.engine.runtime.live import Live
from warledger.engine.serve.client import Client, Denied, game_of
from warledger.engine.serve.looking import name_of, plays
from warledger.engine.serve.play import asked_elsewhere, position_after
from warledger.protocol import deskbodies
from warledger.protocol import messages as m
from warledger.protocol.audience import ARBITER
from warledger.protocol.choices import Refusal, refuse
from warledger.protocol.fields import is_picks


async def _arbitrated(client: Client, id: str) -> Game:
    """The game, if the client is an arbiter of it. Raises Denied."""
    game = await game_of(client, id)
    if not client.arbitrates(game):
        raise Denied(failed("error.not_allowed", seat=ARBITER))
    return game


async def _rule(client: Client, message: m.Rule) -> None:
    game = await _arbitrated(client, message.game)
    refused = await plays(client, game)
    try:
        body = deskbodies.read_ruling(message.body)
    except (TypeError, ValueError):
        body = None
    corrections = message.corrections
    if (
        body is None
        or body.acted is not None
        or type(corrections) is not tuple
        or not all(map(is_picks, corrections))
    ):
        refused = refused or refuse("", "refusal.act_form", what="body")
    if refused is not None or body is None:
        assert refused is not None
        client.connection.send(m.Refused(message.request, refused))
        return
    _tell(client, message.request, game, await _written(client, game, body, corrections))


async def _written(
    client: Client, game: Game, body: deskbodies.Ruling, corrections: tuple[Any, ...]
) -> Answer:
    """Write a record in the arbiter's name, with all that follows from it."""
    now_ms, actor = client.hub.supervisor.ambient.now_ms, name_of(client)
    then: Any = None

    async def fetch(live: Live) -> None:
        nonlocal then
        to = _goes_back(body)
        if 0 < to < live.position.seq:
            then = await position_after(client, game, to)

    def propose(live: Live) -> Batch[Any] | Refusal:
        if isinstance(body, deskbodies.Ruled):
            return live.ledger.propose_ruling(actor, body, then, corrections, now_ms())
        return live.ledger.propose_note(actor, body, now_ms())

    return await game.ask(propose, fetch if _goes_back(body) else None, principal=actor)


def _goes_back(body: deskbodies.Ruling) -> int:
    """The record that a ruling goes back to; 0 if it goes back to none, or has not the form."""
    remedies = body.remedies if isinstance(body, deskbodies.Ruled) else ()
    if type(remedies) is tuple:
        for remedy in remedies:
            if type(remedy) is tuple and len(remedy) == 2 and remedy[0] == deskbodies.BACK:
                return remedy[1] if type(remedy[1]) is int else 0
    return 0


def _tell(client: Client, request: int, game: Game, answer: Answer) -> None:
    if isinstance(answer, Failed):
        raise Denied(answer)
    if isinstance(answer, Done):
        client.connection.send(m.Accepted(request, game.id, answer.seq, answer.head, answer.again))
    else:
        client.connection.send(m.Refused(request, answer))


async def _choices_at(client: Client, message: m.ChoicesAt) -> None:
    """The door is asked at the position of then. The look is a record before it is answered."""
    game = await _arbitrated(client, message.game)
    seat, at_seq = message.seat, message.at_seq
    last = game.profile.progress.seq
    if at_seq > last:
        raise Denied(failed("error.no_such_record", seq=at_seq, last=last))
    position = await game.position()
    if isinstance(position, Failed):
        raise Denied(position)
    live = game.live
    assert live is not None, "its position was asked for just now"
    refused = await plays(client, game)
    if refused is None and position.stage != ENDED and game.profile.genesis.signed:
        look = deskbodies.Looked(name_of(client), seat, at_seq, at_seq)
        answer = await _written(client, game, look, ())
        if isinstance(answer, Failed):
            raise Denied(answer)
        refused = answer if isinstance(answer, Refusal) else None
    if refused is not None:
        client.connection.send(m.Refused(message.request, refused))
        return
    at = await position_after(client, game, at_seq)
    offered, decision = (
        await asked_elsewhere(client, game, lambda: asking.choices(live, at, seat, message.picks))
        if asking.is_elsewhere(live)
        else asking.choices(live, at, seat, message.picks)
    )
    if isinstance(offered, Refusal) or decision is None:
        why = offered if isinstance(offered, Refusal) else refuse("", "refusal.not_asked")
        client.connection.send(m.Refused(message.request, why))
        return
    client.connection.send(
        m.ChoicesAre(message.request, game.id, decision.id, decision.prompt, offered)
    )


DESK: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Rule: _rule,
    m.ChoicesAt: _choices_at,
}
