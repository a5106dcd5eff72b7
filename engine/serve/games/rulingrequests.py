"""What arbiters do in games in progress: they see what a ruling would write and may correct, rule,
and see what a seat was offered at any record.

Whether what they write may stand is the ledger's business (`warledger.protocol.log.docket`). Here
it is made sure that an arbiter writes it, under the id of their account or token, and holds no seat
of the game.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from attrs import evolve as replace

from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Answer, Done, Failed, failed
from warledger.engine.runtime.game.live import Live
from warledger.engine.serve.games.arbiterlooks import identity_of, plays
from warledger.engine.serve.games.playrequests import asked_elsewhere, position_after
from warledger.engine.serve.wire.client import Client, Denied, game_of
from warledger.protocol.audience import ARBITER
from warledger.protocol.board.choices import Refusal, refuse, say
from warledger.protocol.log import bodies, deskbodies, docket, records
from warledger.protocol.log.records import Record
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import rulingmessages as rm
from warledger.protocol.wire.fields import is_picks

UNSAID: Final = "-"
"""The clause of a ruling of which only the corrections are asked for."""


async def _arbitrated(client: Client, id: str) -> Game:
    """The game, if the client is an arbiter of it. Raises Denied."""
    game = await game_of(client, id)
    if not client.arbitrates(game):
        raise Denied(failed("error.not_allowed", seat=ARBITER))
    return game


async def _rule(client: Client, message: m.Rule) -> None:
    game = await _arbitrated(client, message.game)
    refused = await plays(client, game)
    body, corrections = _read(message.body), message.corrections
    if body is None or body.acted is not None or not _are_corrections(corrections):
        refused = refused or refuse("", "refusal.act_form", what="body")
    if refused is not None or body is None:
        assert refused is not None
        client.connection.send(m.Refused(message.request, refused))
        return
    _tell(client, message.request, game, await _written(client, game, body, corrections))


def _read(body: Any) -> deskbodies.Ruling | None:
    """What somebody wants to write; None if it has not the form."""
    try:
        return deskbodies.read_ruling(body)
    except (TypeError, ValueError):
        return None


async def _written(
    client: Client, game: Game, body: deskbodies.Ruling, corrections: tuple[Any, ...]
) -> Answer:
    """Write a record in the arbiter's name, with all that follows from it."""
    now_ms, actor = client.hub.supervisor.ambient.now_ms, identity_of(client, game)
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

    return await game.ask(propose, fetch if _goes_back(body) else None, principal=actor[1])


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
    if refused is None and position.stage != ENDED:
        look = deskbodies.Looked(seat, at_seq, at_seq)
        answer = await _written(client, game, look, ())
        if isinstance(answer, Failed):
            raise Denied(answer)
        refused = answer if isinstance(answer, Refusal) else None
    if refused is not None:
        client.connection.send(m.Refused(message.request, refused))
        return
    at = await position_after(client, game, at_seq)
    offered, decision = (
        await asked_elsewhere(client, game, lambda: live.ledger.offered(at, seat, message.picks))
        if live.ledger.is_elsewhere
        else live.ledger.offered(at, seat, message.picks)
    )
    if isinstance(offered, Refusal) or decision is None:
        why = offered if isinstance(offered, Refusal) else refuse("", "refusal.not_asked")
        client.connection.send(m.Refused(message.request, why))
        return
    client.connection.send(
        m.ChoicesAre(message.request, game.id, decision.id, decision.prompt, offered)
    )


# --- before a ruling ------------------------------------------------------------------------------


async def _prepared(client: Client, game: Game, back: int) -> tuple[Live, Any]:
    """The game in memory, and its position after the record that a ruling goes back to; None if
    there is no such record. Raises Denied."""
    position = await game.position()
    if isinstance(position, Failed):
        raise Denied(position)
    live = game.live
    assert live is not None, "its position was asked for just now"
    then = await position_after(client, game, back) if 0 < back < position.seq else None
    return live, then


async def _proposed(
    client: Client,
    game: Game,
    live: Live,
    body: deskbodies.Ruled,
    then: Any,
    corrections: tuple[Any, ...],
) -> Batch[Any] | Refusal:
    """What a ruling would write."""
    actor, now_ms = identity_of(client, game), client.hub.supervisor.ambient.now_ms()

    def made() -> Batch[Any] | Refusal:
        return live.ledger.propose_ruling(actor, body, then, corrections, now_ms)

    return await asked_elsewhere(client, game, made) if live.ledger.is_elsewhere else made()


def _are_corrections(value: Any) -> bool:
    return type(value) is tuple and all(map(is_picks, value))


async def _correctable(client: Client, message: rm.Correctable) -> None:
    game = await _arbitrated(client, message.game)
    refused = await plays(client, game)
    if refused is None and not _are_corrections(message.before):
        refused = refuse("", "refusal.act_form", what="before")
    if refused is not None:
        client.connection.send(m.Refused(message.request, refused))
        return
    live, then = await _prepared(client, game, message.back)
    at = live.position
    remedies: tuple[tuple[Any, ...], ...] = ((deskbodies.CORRECT,),) * len(message.before)
    if message.back:
        remedies = ((deskbodies.BACK, message.back), *remedies)
    if remedies:
        body = deskbodies.Ruled(message.claim, deskbodies.UPHELD, UNSAID, "", remedies)
        made = await _proposed(client, game, live, body, then, message.before)
        if isinstance(made, Refusal):
            client.connection.send(m.Refused(message.request, made))
            return
        at = made.position
    offered = live.ledger.corrections_of(message.picks, at)
    if isinstance(offered, Refusal):
        client.connection.send(m.Refused(message.request, offered))
        return
    prompt = say("prompt.correction", claim=message.claim)
    last = live.position.seq
    client.connection.send(m.ChoicesAre(message.request, game.id, last, prompt, offered))


async def _try_ruling(client: Client, message: rm.TryRuling) -> None:
    """What is shown is made as a ruling is, and thrown away."""
    game = await _arbitrated(client, message.game)
    refused = await plays(client, game)
    body = _read(message.body)
    if not isinstance(body, deskbodies.Ruled) or not _are_corrections(message.corrections):
        refused = refused or refuse("", "refusal.act_form", what="body")
    if refused is not None or not isinstance(body, deskbodies.Ruled):
        assert refused is not None
        client.connection.send(m.Refused(message.request, refused))
        return
    wrong = docket.form(body)
    back = 0 if wrong else _goes_back(body)
    live, then = await _prepared(client, game, back)
    made = await _proposed(client, game, live, body, then, message.corrections)
    if isinstance(made, Refusal):
        client.connection.send(m.Refused(message.request, made))
        return
    at, ends = made.position, made.last.kind == records.END
    if ends:
        left = tuple(one for one in body.remedies if one[0] not in docket.ENDING)
        body = replace(body, remedies=left or ((deskbodies.STAND,),))
        before = await _proposed(client, game, live, body, then, message.corrections)
        at = live.position if isinstance(before, Refusal) else before.position
    stands = None if live.ledger.is_elsewhere else live.ledger.stands(at)
    told = tuple((one.actor, one.kind, _shown(one)) for one in made.records)
    client.connection.send(
        rm.RulingIs(
            message.request,
            game.id,
            live.position.seq,
            told,
            None
            if stands is None
            else (stands.margin.winner, stands.margin.unit, stands.margin.points, stands.points),
        )
    )


def _shown(record: Record) -> tuple[Any, ...]:
    """The body of a record that would be written. What an end opens stays shut until it is."""
    if record.kind != records.END:
        return record.body
    end = bodies.End.read(record.body)
    return replace(end, links=(), hidden=b"", salts=b"").write()


DESK: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Rule: _rule,
    m.ChoicesAt: _choices_at,
    rm.Correctable: _correctable,
    rm.TryRuling: _try_ruling,
}
