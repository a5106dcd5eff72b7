"""Acts: what seats sign. An act is checked, put to the game's task, and accepted, or declined under
the server's signature.

Rules of this file:
- The signature is checked before anything else hears of an act.
- The same act sent again gets the same answer. Another act with the same number, or the same
  command id, is declined.
- An act that is not signed by the seat is answered by an error: the server makes no statement about
  it that it would have to keep to.
- A declined act is never accepted later. Where the reason could pass, its number is stored as spent
  before the answer is sent. It could pass if a key is added, a request lapses, or better picks come
  beside the same digest. Conversely, no act that is in the log is ever declined, however old. Nor
  is a consent that waits for its newcomer, since it may come to be in the log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from attrs import define

from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime.game import standinganswers
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Answer, Done, Failed, failed
from warledger.engine.runtime.game.jobs import Job, Meta
from warledger.engine.runtime.game.live import Live
from warledger.engine.serve.games.actlimits import LIMITED, note_change, why_too_often
from warledger.engine.serve.games.playrequests import position_after
from warledger.engine.serve.people.accountnames import entrants_name, own_account, own_name
from warledger.engine.serve.people.viewtokens import RESERVED_NAMES
from warledger.engine.serve.wire.client import Client, Denied, seat_of
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal, refuse, say
from warledger.protocol.limits import (
    CLAIM_CHARS_MAX,
    CLOCK_MS_MAX,
    COMMAND_ID_BYTES_MAX,
    HASH_BYTES,
    INT_MAX,
    NAME_CHARS_MAX,
    NONCE_BYTES,
    PERSON_ID_CHARS_MAX,
    SIGNATURE_BYTES,
)
from warledger.protocol.log import deskbodies, records
from warledger.protocol.log.wlog import FRAME_RECORD
from warledger.protocol.seats import acts
from warledger.protocol.seats.acts import Act
from warledger.protocol.texts import typed
from warledger.protocol.wire import messages as m
from warledger.protocol.wire.fields import is_name, is_orders, is_picks

FORGED: Final = "bad signature"
"""The kind of request under which a forged act is charged. An honest client never sends one."""
ORDERS_RECORD_BYTES: Final = 512
"""The size of a record of orders without the orders themselves."""
SPENT_MAX: Final = 512
"""How many declined acts of a seat have their numbers stored. Further ones are answered by an
error."""
NOT_FIT: Final = refuse("", "refusal.act_form", what="act")

Proposed = Batch[Any] | Done | Failed | Refusal | Meta


async def _act(client: Client, message: m.Act) -> None:
    """An act counts from when it arrived; while it is being checked no flag falls that was due
    later."""
    game = client.hub.supervisor.games.get(message.game)
    if game is None or not game.profile.keeps_time:
        await _take_act(client, message, client.hub.supervisor.ambient.now_ms())
        return
    arrived_ms = game.expect()
    try:
        await _take_act(client, message, arrived_ms)
    finally:
        game.came(arrived_ms)


async def _take_act(client: Client, message: m.Act, arrived_ms: int) -> None:
    known = client.hub.supervisor.games.get(message.game)
    game = (
        known
        if known is not None and client.holds(known, message.seat)
        else await seat_of(client, message.game, message.seat)
    )
    genesis = game.profile.genesis
    act = Act(
        genesis.hash,
        message.key,
        message.seat,
        message.kind,
        message.n,
        message.seen,
        message.body,
        message.signature,
    )
    request, connection = message.request, client.connection
    if not _is_signed(act):
        # The seat has not signed this act, and may still do so: no statement is made about it.
        await client.bill.turn(FORGED)
        connection.send(m.Error(request, "malformed", say("refusal.signature"), False))
        return
    if act.kind in (acts.ASK, acts.ANSWER):
        why = await client.bill.admit(acts.ASK)
        if why is not None:
            raise Denied(why)
    if not well_formed(act):
        _decline(client, game, request, act, refuse("", "refusal.act_form", what="body"))
        return
    if act.kind in (acts.TAKEN, acts.REPLACED):
        own_account(client, act.body[0])
        await own_name(client, game, act.seat, act.body[1])
    if act.kind == acts.TAKEN:
        entrants_name(client, game, act.seat, act.body[1])
    # Another version of this server may know more characters: that it declines is kept.
    unfit = typed.refused_in_body(act.kind, act.body)
    if unfit is None:
        unfit = _unfit(act, message.private)
    hand = _InHand(client, game, request, act, message.private, arrived_ms, unfit)
    game.post(Job(hand.propose, hand.done, hand.prepare, client.principal, act.seat, arrived_ms))


@define(eq=False)
class _InHand:
    """An act from when it is put to its game's task until it is answered.

    `unfit` says what is wrong with what came beside it, and `then` is the position that a takeback
    goes back to. `stands` is the record in which the act is already; 0 if that is another act with
    its number, None if there is neither. With `fits_later` what was refused could be accepted
    another time.
    """

    client: Client
    game: Game
    request: int
    act: Act
    private: Any
    arrived_ms: int
    unfit: Refusal | None
    then: Any = None
    stands: int | None = None
    fits_later: bool = False

    def prepare(self, live: Live) -> Awaitable[None] | None:
        """Fetch what its proposal needs, if it needs something."""
        signed = live.signed.get((self.act.seat, self.act.key))
        is_next = signed is None or signed.is_next(self.act.n)
        return None if is_next and _KINDS[self.act.kind][1] is None else self._fetch(live, is_next)

    async def _fetch(self, live: Live, is_next: bool) -> None:
        if not is_next:
            await self.look_up(live)
        goes_back = _KINDS[self.act.kind][1]
        if goes_back is not None and self.unfit is None and self.stands is None:
            to = goes_back(live, self.act)
            if to:
                self.then = await position_after(self.client, self.game, to)

    async def look_up(self, live: Live) -> None:
        """Find out whether it is in the log."""
        signed = live.signed.get((self.act.seat, self.act.key))
        seq = None if signed is None else signed.record_of(self.act.n)
        if seq is not None:
            self.stands = seq if await _is_in(self.client, self.game, seq, self.act) else 0

    def propose(self, live: Live) -> Proposed:
        """What becomes of it."""
        game, act = self.game, self.act
        if self.stands is not None:
            if self.stands:
                return Done(self.stands, game.head(), again=True)
            return refuse("", "refusal.act_twice")
        if act.kind == acts.HANDED and _waits(game, live, act):
            return Done(live.position.seq, game.head(), again=True)
        spent = game.profile.spent.get((act.seat, act.key), 0)
        if act.n <= spent:
            return refuse("", "refusal.act_number", n=act.n, last=spent)
        if self.unfit is not None:
            self.fits_later = True
            return self.unfit
        is_limited = act.kind in LIMITED
        too_often = why_too_often(game, live, act) if is_limited else None
        if too_often is not None:
            return too_often
        propose, goes_back = _KINDS[act.kind]
        private = self.private if goes_back is None else self.then
        found = propose(_ActInTurn(game, live, act, private, self.arrived_ms))
        if isinstance(found, Refusal):
            self.fits_later = _could_fit_later(live, act, found)
        elif is_limited and not isinstance(found, Done | Failed):
            note_change(live, act)
        return found

    def done(self, found: Answer) -> None:
        """Answer it; a refusal that could pass is answered once its number is stored as spent."""
        client, game, act = self.client, self.game, self.act
        if isinstance(found, Refusal) and self.fits_later:
            if game.profile.spent_count.get(act.seat, 0) < SPENT_MAX:
                answer = partial(self.answer, found)
                game.post(Job(self.spend, answer, self.look_up, client.principal, act.seat))
                return
            found = failed("error.busy", game=game.id)
        self.answer(None, found)

    def spend(self, live: Live) -> Proposed:
        """Store its number as spent."""
        game, act = self.game, self.act
        if self.stands or _waits(game, live, act):  # it was sent again meanwhile, and accepted
            return Done(self.stands or live.position.seq, game.head(), again=True)
        if self.stands is not None or act.n <= game.profile.spent.get((act.seat, act.key), 0):
            return Done(live.position.seq, game.head())
        return Meta(canon.pack(("spent", act.seat, act.key, act.n)))

    def answer(self, refusal: Refusal | None, found: Answer) -> None:
        """Tell the client what became of it: the refusal, if one was stored."""
        client, game, request = self.client, self.game, self.request
        metrics, connection = client.hub.metrics, client.connection
        if isinstance(found, Failed):
            connection.send(m.Error(request, found.code, found.say, False))
        elif isinstance(found, Done) and (refusal is None or found.again):
            if found.again:
                metrics.commands_again += 1
            else:
                metrics.commands_accepted += 1
            connection.send(m.Accepted(request, game.id, found.seq, found.head, found.again))
        else:
            metrics.commands_refused += 1
            why = found if isinstance(found, Refusal) else refusal or NOT_FIT
            _decline(client, game, request, self.act, why)


def _decline(client: Client, game: Game, request: int, act: Act, refusal: Refusal) -> None:
    progress = game.profile.progress
    signature = game.refusal_signature(act.hash, progress.seq, progress.hash)
    client.connection.send(
        m.Declined(request, refusal, act.hash, progress.seq, progress.hash, signature)
    )


def _is_signed(act: Act) -> bool:
    """Whether the act carries its key's signature, or has neither key nor signature."""
    if act.key == acts.NO_KEY:
        return not act.signature
    return acts.verify(act.key, act.signed, act.signature)


def _unfit(act: Act, private: Any) -> Refusal | None:
    """What is wrong with what accompanies an act; the act itself may be sent again with something
    better."""
    if not accompanies(act.kind, private):
        return refuse("", "refusal.act_form", what="private")
    if act.kind == acts.DEVICE:
        # A further key is its holder's own wish.
        message = acts.device_bytes(act.genesis, act.seat, act.body[0], act.key)
        if not acts.verify(act.body[0], message, private):
            return refuse("", "refusal.signature")
    return None


async def _is_in(client: Client, game: Game, seq: int, act: Act) -> bool:
    """Whether the record in which this key signed an act with this number contains this very
    act."""
    supervisor = client.hub.supervisor

    def find() -> bool:
        frames = supervisor.store.read(game.id, seq, 1)
        payload = next(frame.payload for frame in frames if frame.kind == FRAME_RECORD)
        found = acts.acts_of(act.genesis, records.read(payload, trusted=True))
        return any(other.hash == act.hash for other in found)

    return bool(await supervisor.ambient.blocking(find))


_OVER: Final = frozenset(("refusal.act_number", "refusal.game_over"))
"""Refusals of acts that can never be accepted again, whatever happens: the numbers of a key only
rise."""
_STALE: Final = frozenset(("refusal.stale", "refusal.not_asked"))
"""Refusals of acts about a decision that is no longer open: never accepted again, since decisions
only follow each other."""
_LATER: Final = frozenset(
    (
        "refusal.already_asked",
        "refusal.nonce_early",
        "refusal.unknown_key",
        "refusal.too_many_keys",
        "refusal.last_key",
        "refusal.not_replaced",
        "refusal.not_started",
        "refusal.seat_empty",
        "refusal.takeback_target",
        "refusal.digest",
        "refusal.credit",
        "refusal.fallen",
        "refusal.flag_due",
        "refusal.frozen",
        "refusal.nobody_fell",
        "refusal.not_paused",
        "refusal.paused",
        "refusal.paused_already",
        "refusal.claim_closed",
        "refusal.claim_number",
        "refusal.claim_record",
        "refusal.claims_open",
        "refusal.no_appeal",
        "refusal.no_game_to_rule",
        "refusal.no_such_claim",
        "refusal.not_your_claim",
    )
)
"""Refusals of acts that could be accepted later although nothing about the act changes: because of
what happens in the game, or because of what accompanies the act and is not signed."""


def _could_fit_later(live: Live, act: Act, refusal: Refusal) -> bool:
    if refusal.key in _OVER:
        return False
    if live.ledger.seq_of(act.seen) is None:
        # Perhaps nobody has seen it yet: whoever can guess the next record could sign an act that
        # fits after it.
        return True
    if refusal.key in _STALE:
        return False
    # While another seat has still to answer, the same picks may be offered after its answer.
    return refusal.key in _LATER or (act.kind == acts.COMMAND and len(live.position.open) > 1)


# --- the form of an act, and of what is sent with it, for each kind ------------------------------


def well_formed(act: Act) -> bool:
    """Whether the body of an act has the form of its kind."""
    form, body = _FORMS[act.kind][0], act.body
    if act.kind in (acts.CLOCK, acts.RULING):
        what = body[0] if type(body) is tuple and body else None
        forms = _CLOCKS if act.kind == acts.CLOCK else _CLAIMS
        form = forms.get(what, ()) if type(what) is str else ()
    return bool(form) and (
        type(body) is tuple
        and len(body) == len(form)
        and all(check(value) for check, value in zip(form, body, strict=True))
    )


def accompanies(kind: str, private: Any) -> bool:
    """Whether what is sent with an act, and does not stand in it, has the form that its kind
    wants."""
    return _FORMS[kind][1](private)


def _is_hash(value: Any) -> bool:
    return type(value) is bytes and len(value) == HASH_BYTES


def _is_player(value: Any) -> bool:
    return is_name(value) and value != "" and value not in RESERVED_NAMES


def _is_account(value: Any) -> bool:
    return type(value) is str and len(value) <= PERSON_ID_CHARS_MAX


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value <= INT_MAX


def _is_blind(value: Any) -> bool:
    return type(value) is bytes and len(value) == acts.BLIND_BYTES


def _is_command_id(value: Any) -> bool:
    return type(value) is bytes and 0 < len(value) <= COMMAND_ID_BYTES_MAX


def _is_nothing(value: Any) -> bool:
    return value is None


def are_picks(value: Any) -> bool:
    """Whether it is [picks, blind], as is sent with a command whose picks are bound by a digest."""
    return type(value) is tuple and len(value) == 2 and is_picks(value[0]) and _is_blind(value[1])


def _are_orders(value: Any) -> bool:
    return type(value) is tuple and len(value) == 2 and is_orders(value[0]) and _is_blind(value[1])


def _is_proof(value: Any) -> bool:
    return type(value) is bytes and len(value) == SIGNATURE_BYTES


def _is_request(value: Any) -> bool:
    return type(value) is str and value in (
        *("takeback", "draw", "resign"),
        *(deskbodies.PAUSE, deskbodies.ADJOURN, deskbodies.TIME),
    )


def _is_flag(value: Any) -> bool:
    return type(value) is bool


def _is_text(value: Any) -> bool:
    return type(value) is str and len(value) <= NAME_CHARS_MAX


def _is_time(value: Any) -> bool:
    return type(value) is int and 0 < value <= CLOCK_MS_MAX


_CLOCKS: Final[dict[str, tuple[Callable[[Any], bool], ...]]] = {
    "resume": (_is_text, _is_text),
    "leave": (_is_text, _is_text, _is_number, _is_number),
    "night": (_is_text, _is_text, _is_number, _is_number),
    "credit": (_is_text, _is_text, _is_time, lambda value: value == "", lambda value: value == ()),
}
"""What a seat may do about the clocks, with the forms of its fields."""


def _is_speech(value: Any) -> bool:
    return type(value) is str and len(value) <= CLAIM_CHARS_MAX


_CLAIMS: Final[dict[str, tuple[Callable[[Any], bool], ...]]] = {
    "claim": (_is_text, _is_number, _is_text, _is_number, _is_speech, _is_speech),
    "said": (_is_text, _is_number, _is_speech),
    "appeal": (_is_text, _is_number, _is_speech),
    "withdrawn": (_is_text, _is_number),
    "waived": (_is_text, _is_text),
}
"""What a seat may write about claims, with the forms of its fields."""


_FORMS: Final[dict[str, tuple[tuple[Callable[[Any], bool], ...], Callable[[Any], bool]]]] = {
    acts.TAKEN: ((_is_account, _is_player, _is_hash, is_name), _is_nothing),
    acts.NONCE: (
        (lambda value: type(value) is bytes and len(value) == NONCE_BYTES, _is_hash),
        _is_nothing,
    ),
    acts.COMMAND: ((_is_number, _is_command_id, _is_hash), are_picks),
    acts.ASK: ((_is_request, _is_number), _is_nothing),
    acts.ANSWER: ((_is_number, _is_flag), _is_nothing),
    acts.ORDERS: ((_is_hash,), _are_orders),
    acts.DEVICE: ((_is_hash,), _is_proof),
    acts.REVOKED: ((_is_hash,), _is_nothing),
    acts.REPLACED: ((_is_account, _is_player, is_name), _is_nothing),
    acts.HANDED: ((_is_player, _is_hash), _is_nothing),
    acts.CLOCK: ((), _is_nothing),
    acts.RULING: ((), _is_nothing),
}


# --- what each kind asks the ledger ---------------------------------------------------------------


class _ActInTurn:
    """An act whose turn in the game has come, for the function of its kind. `private` is what
    accompanied it, or the position that a takeback goes back to."""

    def __init__(self, game: Game, live: Live, act: Act, private: Any, now_ms: int) -> None:
        self.game = game
        self.live = live
        self.ledger = live.ledger
        self.act = act
        self.private = private
        self.now_ms = now_ms


def _taken(at: _ActInTurn) -> Proposed:
    (account, name, hashed, client), by = at.act.body, at.act.by
    return at.ledger.propose_seat(
        at.act.seat, name, hashed, at.now_ms, by=by, account=account, client=client
    )


def _nonce(at: _ActInTurn) -> Proposed:
    nonce, roster = at.act.body
    return at.ledger.propose_nonce(at.act.seat, nonce, at.now_ms, by=at.act.by, roster=roster)


def _command(at: _ActInTurn) -> Proposed:
    decision, id, digest = at.act.body
    picks, blind = at.private
    if (at.act.seat, id) in at.live.commands:
        return refuse("", "refusal.act_twice")
    act = at.act
    command = Submission(act.seat, decision, picks, id, act.by, blind, digest)
    return at.ledger.propose_command(command, at.now_ms)


def _ask(at: _ActInTurn) -> Proposed:
    what, to = at.act.body
    if what == "takeback":
        return at.ledger.propose_takeback(at.act.seat, to, at.private, at.now_ms, by=at.act.by)
    if what in (deskbodies.PAUSE, deskbodies.ADJOURN):
        return at.ledger.propose_pause(
            at.act.seat, to, at.now_ms, by=at.act.by, adjourns=what == deskbodies.ADJOURN
        )
    if to:
        return refuse("", "refusal.act_form", what="body")
    if what == deskbodies.TIME:
        return at.ledger.propose_time(at.act.seat, at.now_ms, by=at.act.by)
    if what == "draw":
        return at.ledger.propose_draw(at.act.seat, at.now_ms, by=at.act.by)
    return at.ledger.propose_resignation(at.act.seat, at.now_ms, by=at.act.by)


def _asked_for(live: Live, act: Act) -> int:
    """The record whose position a takeback needs; 0 if it needs none."""
    to = int(act.body[1])
    return (
        to
        if act.body[0] == "takeback" and to not in live.position.undo and 0 < to < live.position.seq
        else 0
    )


def _answer(at: _ActInTurn) -> Proposed:
    ask, consents = at.act.body
    return at.ledger.propose_answer(
        at.act.seat, consents, at.private, at.now_ms, ask_seq=ask, by=at.act.by
    )


def _answered_for(live: Live, act: Act) -> int:
    """The record whose position the consent to a takeback needs; 0 if it needs none."""
    ask = live.position.ask
    return (
        ask.to
        if act.body[1]
        and ask is not None
        and ask.kind == "takeback"
        and ask.to not in live.ledger.past
        else 0
    )


def _orders(at: _ActInTurn) -> Proposed:
    orders, blind = at.private
    profile, seat = at.game.profile, at.act.seat
    size = len(canon.pack(orders)) + ORDERS_RECORD_BYTES
    withdrawal = not orders and bool(standinganswers.in_force(at.live.position, seat))
    # The game's own records make room for changes; records of changes do not.
    why = profile.changes.admit(
        seat, size, profile.count - profile.changes.count, withdrawal=withdrawal
    )
    if why is not None:
        return why
    return at.ledger.propose_orders(
        at.act.seat, orders, blind, at.act.body[0], at.now_ms, by=at.act.by
    )


def _clock(at: _ActInTurn) -> Proposed:
    body = deskbodies.read_clock((*at.act.body, at.act.by.as_array()))
    return at.ledger.propose_clock(at.act.seat, body, at.now_ms, by=at.act.by)


def _claim(at: _ActInTurn) -> Proposed:
    body = deskbodies.read_ruling((*at.act.body, at.act.by.as_array()))
    return at.ledger.propose_note(at.act.seat, body, at.now_ms, by=at.act.by)


def _device(at: _ActInTurn) -> Proposed:
    return at.ledger.propose_device(
        at.act.seat, at.act.body[0], at.private, at.now_ms, by=at.act.by
    )


def _revoked(at: _ActInTurn) -> Proposed:
    return at.ledger.propose_revocation(at.act.seat, at.act.body[0], at.now_ms, by=at.act.by)


def _replaced(at: _ActInTurn) -> Proposed:
    account, name, client = at.act.body
    if at.game.profile.newcomer(at.act.seat) != name:
        return refuse("", "refusal.not_replaced", seat=at.act.seat)
    handed = at.game.profile.handed.get((at.act.seat, name, at.act.key))
    propose = partial(
        at.ledger.propose_replacement,
        *(at.act.seat, name, at.now_ms),
        by=at.act.by,
        account=account,
        client=client,
    )
    proposed = propose(handed=handed)
    # A consent no longer counts once the seat's key has signed something else: the seat is then
    # handed over without it.
    return propose() if handed is not None and isinstance(proposed, Refusal) else proposed


def _handed(at: _ActInTurn) -> Proposed:
    """A key of the seat consents that somebody else gets it. No record says so yet."""
    entry = at.live.position.seat(at.act.seat)
    known = entry.key(at.act.key) if entry is not None else None
    if known is None or at.act.key == acts.NO_KEY:
        return refuse("", "refusal.unknown_key", seat=at.act.seat)
    if at.live.position.stage == ENDED:
        return refuse("", "refusal.game_over")
    if at.act.n <= known.n:
        return refuse("", "refusal.act_number", n=at.act.n, last=known.n)
    return Meta(canon.pack(("handed", at.act.seat, *at.act.body, *at.act.by.as_array())))


def _waits(game: Game, live: Live, act: Act) -> bool:
    """Whether this is a consent that was accepted and may still get into the log, beside its
    newcomer's act."""
    if act.kind != acts.HANDED:
        return False
    name, new = act.body
    kept = game.profile.handed.get((act.seat, name, new))
    if kept is None or (kept.key, kept.n, kept.seen) != (act.key, act.n, act.seen):
        return False
    entry = live.position.seat(act.seat)
    known = entry.key(act.key) if entry is not None else None
    return known is not None and act.n > known.n and live.position.stage != ENDED


_KINDS: Final[
    dict[str, tuple[Callable[[_ActInTurn], Proposed], Callable[[Live, Act], int] | None]]
] = {
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
    acts.CLOCK: (_clock, None),
    acts.RULING: (_claim, None),
}


SIGNED: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    m.Act: _act,
}
