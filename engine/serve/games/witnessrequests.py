"""Witnesses: what seats sign about the end of a game, once they have seen its whole log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from warledger.engine.runtime.game.answers import Done, Failed
from warledger.engine.runtime.game.jobs import Meta
from warledger.engine.runtime.game.live import Live
from warledger.engine.serve.games.actrequests import FORGED
from warledger.engine.serve.wire.client import Client, Denied, game_of, seat_of
from warledger.engine.serve.wire.viewer import shown_to
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal, refuse
from warledger.protocol.log.wlog import FRAME_WITNESS
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m


async def _witness(client: Client, message: m.Witness) -> None:
    game = await seat_of(client, message.game, message.seat)
    genesis = game.profile.genesis
    entry = (message.seat, message.key, message.seq, message.hash, message.signature)
    if not acts.verify(
        message.key, acts.witness_bytes(genesis.hash, message.seq, message.hash), message.signature
    ):
        await client.bill.turn(FORGED)
        client.connection.send(m.Refused(message.request, refuse("", "refusal.signature")))
        return

    def propose(live: Live) -> Done | Refusal | Meta:
        progress, seat = game.profile.progress, live.position.seat(message.seat)
        # Of several signatures of one key for the same consent, one is stored.
        if any(kept[:4] == entry[:4] for kept in game.profile.witnesses):
            return Done(progress.seq, game.head(), again=True)
        known = seat is not None and seat.key(message.key) is not None
        last = live.position.whole and (progress.seq, progress.hash) == (
            message.seq,
            message.hash,
        )
        if not (known and last):
            return refuse("", "refusal.witness")
        return Meta(canon.pack(entry), FRAME_WITNESS)

    answer = await game.ask(propose, principal=client.principal, seat=message.seat)
    if isinstance(answer, Failed):
        raise Denied(answer)
    reply = (
        m.Refused(message.request, answer)
        if isinstance(answer, Refusal)
        else m.Witnessed(message.request, game.id)
    )
    client.connection.send(reply)


async def _witnesses(client: Client, message: m.Witnesses) -> None:
    game = await game_of(client, message.game)
    items = tuple(game.profile.witnesses) if shown_to(client, game).reason is not None else ()
    client.connection.send(m.WitnessesAre(message.request, game.id, items))


WITNESSING: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Witness: _witness,
    m.Witnesses: _witnesses,
}
