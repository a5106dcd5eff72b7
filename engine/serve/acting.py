"""What seats sign (games of format 2): an act is checked, put to the game's task, and accepted, or declined under the server's signature.

Rules of this file:
- The signature is looked at before anything else hears of an act, in a thread together with others that came meanwhile (`verifying`).
- The same act again is the same answer; another one with the same number, or the same command id, is declined.
- A declined act is never taken later: where it could come to fit (a key that is added, a request that lapses), its number is kept as spent
  before the answer leaves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from engine.kernel.audience import ARBITER, PUBLIC
from engine.kernel.door import Command
from engine.kernel.ledger import Batch
from engine.kernel.position import ENDED
from engine.runtime import tokens
from engine.runtime.actor import Game, Job, Meta
from engine.runtime.answers import Answer, Done, Failed, failed
from engine.runtime.live import Live
from engine.serve import grants
from engine.serve.client import Client, Denied, game_of, seat_of, shown_to
from engine.serve.play import position_after
from protocol import acts, canon, records
from protocol import messages as m
from protocol.acts import Act
from protocol.choices import Refusal, refuse
from protocol.fields import is_name, is_orders, is_picks
from protocol.limits import COMMAND_ID_BYTES_MAX, HASH_BYTES, INT_MAX, NONCE_BYTES
from protocol.wlog import FRAME_WITNESS

RESERVED_NAMES: Final = frozenset((records.SERVER, PUBLIC, ARBITER, grants.CASTER, tokens.HOST))
"""Names that no player may have in a log."""

_FORGED: Final = "act with a bad signature"
"""What is charged for one: an honest client sends none."""
ORDERS_RECORD_BYTES: Final = 512
"""What a record of orders takes beside the orders themselves."""
SPENT_MAX: Final = 512
"""Declined acts of a game whose numbers are kept; after that such acts are answered by an error."""

Proposed = Batch[Any] | Done | Refusal | Failed | Meta


async def _act(client: Client, message: m.Act) -> None:
    game = await seat_of(client, message.game, message.seat)
    genesis = game.profile.genesis
    body = message.body
    act = Act(genesis.hash, message.key, message.seat, message.kind, message.n, message.seen, body, message.signature)
    wrong = _ill_formed(message)
    if wrong:
        _decline(client, game, message.request, act, refuse("", "refusal.act_form", what=wrong))
        return
    if not await client.hub.verifier.holds(act) or not await _proved(client, act, message.private):
        await client.bill.turn(_FORGED)
        _decline(client, game, message.request, act, refuse("", "refusal.signature"))
        return
    if act.kind in (acts.ASK, acts.ANSWER):
        why = await client.bill.admit(m.Ask.tag)
        if why is not None:
            raise Denied(why)
    propose, prepare = _KINDS[act.kind]
    then: list[Any] = [None]

    async def prepared(live: Live) -> None:
        if prepare is not None:
            to = prepare(live, act)
            if to:
                then[0] = await position_after(client, game, to)

    def proposed(live: Live) -> Proposed:
        known = live.acts.get((act.seat, act.key, act.n))
        if known is not None:
            return Done(known[1], game.head(), again=True) if known[0] == act.hash else refuse("", "refusal.act_twice")
        if act.n <= game.profile.spent.get((act.seat, act.key), 0):
            return refuse("", "refusal.act_number", n=act.n, last=game.profile.spent[act.seat, act.key])
        private = then[0] if prepare is not None else message.private
        now_ms = client.hub.supervisor.ambient.now_ms()
        return propose(_Table(game, live, act, private, now_ms))

    request, connection, metrics = message.request, client.connection, client.hub.metrics

    def done(found: Answer) -> None:
        if type(found) is Done:
            if found.again:
                metrics.commands_again += 1
            else:
                metrics.commands_accepted += 1
            connection.send(m.Accepted(request, game.id, found.seq, found.head, found.again))
        elif isinstance(found, Refusal):
            metrics.commands_refused += 1
            if not _could_fit_later(game, act, found):
                _decline(client, game, request, act, found)
            elif game.profile.spent_count < SPENT_MAX:
                game.post(Job(spend, partial(spent, found), principal=client.principal))
            else:
                told = failed("error.busy", game=game.id)
                connection.send(m.Error(request, told.code, told.say, False))
        elif isinstance(found, Failed):
            connection.send(m.Error(request, found.code, found.say, False))

    def spend(live: Live) -> Proposed:
        known = live.acts.get((act.seat, act.key, act.n))
        if known is not None and known[0] == act.hash:  # it came once more meanwhile, and fitted
            return Done(known[1], game.head(), again=True)
        return Meta(canon.pack(("spent", act.seat, act.key, act.n)))

    def spent(refusal: Refusal, kept: Answer) -> None:
        if isinstance(kept, Done) and kept.again:
            connection.send(m.Accepted(request, game.id, kept.seq, kept.head, True))
        elif isinstance(kept, Failed):
            connection.send(m.Error(request, kept.code, kept.say, False))
        else:
            _decline(client, game, request, act, refusal)

    game.post(Job(proposed, done, prepared if prepare is not None else None, client.principal))


def _decline(client: Client, game: Game, request: int, act: Act, refusal: Refusal) -> None:
    progress = game.profile.progress
    signature = game.refusal_signature(act.hash, progress.seq, progress.hash)
    client.connection.send(m.Declined(request, refusal, act.hash, progress.seq, progress.hash, signature))


_LATER: Final = frozenset(
    (
        "refusal.already_asked",
        "refusal.nonce_early",
        "refusal.unknown_key",
        "refusal.too_many_keys",
        "refusal.last_key",
        "refusal.not_replaced",
        "refusal.not_started",
        "refusal.takeback_target",
    )
)
"""Refusals of what might come to fit although nothing about the act changes."""


def _could_fit_later(game: Game, act: Act, refusal: Refusal) -> bool:
    if refusal.key in _LATER:
        return True
    # While another seat's answer is still to come the same picks may be offered after it.
    return act.kind == acts.COMMAND and len(game.profile.progress.awaits) > 1


async def _proved(client: Client, act: Act, proof: Any) -> bool:
    """Whether a further key is its holder's own wish."""
    if act.kind != acts.DEVICE:
        return True
    message = acts.device_bytes(act.genesis, act.seat, act.body[0], act.key)
    return await client.hub.verifier.signed(act.body[0], message, proof)


# --- the form of each kind's body and of what goes with it --------------------------------------------------------------------------


def _ill_formed(message: m.Act) -> str:
    """What is wrong with the form of an act, "" for nothing."""
    if (len(message.key), len(message.signature)) not in ((acts.KEY_BYTES, acts.SIGNATURE_BYTES), (0, 0)):
        return "key and signature"
    body = message.body
    form, private = _FORMS[message.kind]
    if type(body) is not tuple or len(body) != len(form):
        return "body"
    if not all(check(value) for check, value in zip(form, body, strict=True)):
        return "body"
    return "" if private(message.private) else "private"


def _is_hash(value: Any) -> bool:
    return type(value) is bytes and len(value) == HASH_BYTES


def _is_player(value: Any) -> bool:
    return is_name(value) and value != "" and value not in RESERVED_NAMES


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= INT_MAX


def _is_blind(value: Any) -> bool:
    return type(value) is bytes and len(value) == acts.BLIND_BYTES


def _is_command_id(value: Any) -> bool:
    return type(value) is bytes and 0 < len(value) <= COMMAND_ID_BYTES_MAX


def _is_nothing(value: Any) -> bool:
    return value is None


def _are_picks(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and is_picks(value[0]) and _is_blind(value[1])


def _are_orders(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and is_orders(value[0]) and _is_blind(value[1])


def _is_proof(value: Any) -> bool:
    return type(value) is bytes and len(value) == acts.SIGNATURE_BYTES


def _is_request(value: Any) -> bool:
    return value in ("takeback", "draw", "resign")


def _is_flag(value: Any) -> bool:
    return type(value) is bool


_FORMS: Final[dict[str, tuple[tuple[Callable[[Any], bool], ...], Callable[[Any], bool]]]] = {
    acts.TAKEN: ((_is_player, _is_hash, is_name), _is_nothing),
    acts.NONCE: ((lambda value: type(value) is bytes and len(value) == NONCE_BYTES, _is_hash), _is_nothing),
    acts.COMMAND: ((_is_number, _is_command_id, _is_hash), _are_picks),
    acts.ASK: ((_is_request, _is_number), _is_nothing),
    acts.ANSWER: ((_is_number, _is_flag), _is_nothing),
    acts.ORDERS: ((_is_hash,), _are_orders),
    acts.DEVICE: ((_is_hash,), _is_proof),
    acts.REVOKED: ((_is_hash,), _is_nothing),
    acts.REPLACED: ((_is_player, is_name), _is_nothing),
    acts.HANDED: ((_is_player, _is_hash), _is_nothing),
}


# --- what each kind asks the ledger -------------------------------------------------------------------------------------------------


class _Table:
    """An act as it comes to its game's turn; `private` is what came with it, or the position that a takeback goes back to."""

    def __init__(self, game: Game, live: Live, act: Act, private: Any, now_ms: int) -> None:
        self.game = game
        self.live = live
        self.ledger = live.ledger
        self.act = act
        self.private = private
        self.now_ms = now_ms


def _taken(at: _Table) -> Proposed:
    name, hashed, client = at.act.body
    return at.ledger.propose_seat(at.act.seat, name, hashed, at.now_ms, by=at.act.by, client=client)


def _nonce(at: _Table) -> Proposed:
    nonce, roster = at.act.body
    return at.ledger.propose_nonce(at.act.seat, nonce, at.now_ms, by=at.act.by, roster=roster)


def _command(at: _Table) -> Proposed:
    decision, id, digest = at.act.body
    picks, blind = at.private
    if (at.act.seat, id) in at.live.commands:
        return refuse("", "refusal.act_twice")
    by = at.act.by.as_array()
    command = Command(at.act.seat, decision, picks, id, by=by, blind=blind, digest=digest)
    return at.ledger.propose_command(command, at.now_ms)


def _ask(at: _Table) -> Proposed:
    what, to = at.act.body
    if what == "takeback":
        return at.ledger.propose_takeback(at.act.seat, to, at.private, at.now_ms, by=at.act.by)
    if to:
        return refuse("", "refusal.act_form", what="body")
    if what == "draw":
        return at.ledger.propose_draw(at.act.seat, at.now_ms, by=at.act.by)
    return at.ledger.propose_resignation(at.act.seat, at.now_ms, by=at.act.by)


def _asked_for(live: Live, act: Act) -> int:
    """The record whose position a takeback needs, 0 for none."""
    to = int(act.body[1])
    return to if act.body[0] == "takeback" and to not in live.position.undo and 0 < to < live.position.seq else 0


def _answer(at: _Table) -> Proposed:
    ask, consents = at.act.body
    return at.ledger.propose_answer(at.act.seat, consents, at.private, at.now_ms, ask_seq=ask, by=at.act.by)


def _answered_for(live: Live, act: Act) -> int:
    """The same for the consent to one."""
    ask = live.position.ask
    return ask.to if act.body[1] and ask is not None and ask.kind == "takeback" and ask.to not in live.ledger.past else 0


def _orders(at: _Table) -> Proposed:
    orders, blind = at.private
    profile, seat = at.game.profile, at.act.seat
    size = len(canon.pack(orders)) + ORDERS_RECORD_BYTES
    withdrawal = not orders and any(entry.seat == seat for entry in at.live.position.standing)
    why = profile.changes.admit(seat, size, profile.count, withdrawal=withdrawal)
    if why is not None:
        return why
    return at.ledger.propose_orders(at.act.seat, orders, blind, at.act.body[0], at.now_ms, by=at.act.by)


def _device(at: _Table) -> Proposed:
    return at.ledger.propose_device(at.act.seat, at.act.body[0], at.private, at.now_ms, by=at.act.by)


def _revoked(at: _Table) -> Proposed:
    return at.ledger.propose_revocation(at.act.seat, at.act.body[0], at.now_ms, by=at.act.by)


def _replaced(at: _Table) -> Proposed:
    name, client = at.act.body
    if at.game.profile.newcomer(at.act.seat) != name:
        return refuse("", "refusal.not_replaced", seat=at.act.seat)
    handed = at.game.profile.handed.get((at.act.seat, name, at.act.key))
    propose = partial(at.ledger.propose_replacement, at.act.seat, name, at.now_ms, by=at.act.by, client=client)
    proposed = propose(handed=handed)
    # A consent after which the seat's key signed something else counts no longer; the seat is handed over without it.
    return propose() if handed is not None and isinstance(proposed, Refusal) else proposed


def _handed(at: _Table) -> Proposed:
    """A key of the seat consents that somebody else gets it. No record tells so yet."""
    entry = at.live.position.seat(at.act.seat)
    known = entry.key(at.act.key) if entry is not None else None
    if known is None or at.act.key == acts.NO_KEY:
        return refuse("", "refusal.unknown_key", seat=at.act.seat)
    if at.live.position.stage == ENDED:
        return refuse("", "refusal.game_over")
    if at.act.n <= known.n:
        return refuse("", "refusal.act_number", n=at.act.n, last=known.n)
    name, key = at.act.body
    if at.game.profile.handed.get((at.act.seat, name, key)) == at.act.by:
        progress = at.game.profile.progress
        return Done(progress.seq, at.game.head(), again=True)
    return Meta(canon.pack(("handed", at.act.seat, name, key, *at.act.by.as_array())))


_KINDS: Final[dict[str, tuple[Callable[[_Table], Proposed], Callable[[Live, Act], int] | None]]] = {
    acts.TAKEN: (_taken, None),
    acts.NONCE: (_nonce, None),
    acts.COMMAND: (_command, None),
    acts.ASK: (_ask, _asked_for),
    acts.ANSWER: (_answer, _answered_for),
    acts.ORDERS: (_orders, None),
    acts.DEVICE: (_device, None),
    acts.REVOKED: (_revoked, None),
    acts.REPLACED: (_replaced, None),
    acts.HANDED: (_handed, None),
}


# --- witnesses ----------------------------------------------------------------------------------------------------------------------


async def _witness(client: Client, message: m.Witness) -> None:
    game = await seat_of(client, message.game, message.seat)
    genesis = game.profile.genesis
    entry = (message.seat, message.key, message.seq, message.hash, message.signature)
    if not await client.hub.verifier.signed(message.key, acts.witness_bytes(genesis.hash, message.seq, message.hash), message.signature):
        client.connection.send(m.Refused(message.request, refuse("", "refusal.signature")))
        return

    def propose(live: Live) -> Proposed:
        progress, seat = game.profile.progress, live.position.seat(message.seat)
        if entry in game.profile.witnesses:
            return Done(progress.seq, game.head(), again=True)
        known = seat is not None and seat.key(message.key) is not None
        last = live.position.stage == ENDED and (progress.seq, progress.hash) == (message.seq, message.hash)
        if not (known and last and live.ledger.signed):
            return refuse("", "refusal.witness")
        return Meta(canon.pack(entry), FRAME_WITNESS)

    answer = await game.ask(propose, principal=client.principal)
    if isinstance(answer, Failed):
        raise Denied(answer)
    reply = m.Refused(message.request, answer) if isinstance(answer, Refusal) else m.Witnessed(message.request, game.id)
    client.connection.send(reply)


async def _witnesses(client: Client, message: m.Witnesses) -> None:
    game = await game_of(client, message.game)
    items = tuple(game.profile.witnesses) if shown_to(client, game).reason is not None else ()
    client.connection.send(m.WitnessesAre(message.request, game.id, items))


SIGNED: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Act: _act,
    m.Witness: _witness,
    m.Witnesses: _witnesses,
}
