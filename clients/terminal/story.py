"""What happened, as lines of text: the effects of a record told in order, in the reader's language.
No rules, no drawing."""

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from warledger.clients.clockface import face, moment
from warledger.protocol.board import effects as fx
from warledger.protocol.board.choices import Say
from warledger.protocol.board.effects import Effect
from warledger.protocol.log import bodies, deskbodies, records
from warledger.protocol.log.records import Genesis, Record
from warledger.protocol.texts.phrases import Phrases

TURN, PHASE, SENTENCE, DICE, NOTICE = "turn", "phase", "sentence", "dice", "notice"


@frozen
class Line:
    """A line of the story. `kind` is one of the above; `rule` is its clause."""

    kind: str
    text: str
    rule: str = ""

    @property
    def plain(self) -> str:
        """The line with its clause, without decoration."""
        return f"{self.text} [{self.rule}]" if self.rule else self.text


def tell(record: Record, effects: Iterable[Effect], spoken: Phrases) -> Iterator[Line]:
    """The lines of one record. `effects` are its effects with the reader's openings filled in."""
    if record.kind in _NOTICES:
        yield from _NOTICES[record.kind](record, spoken)
    shown = tuple(effects)
    for index, effect in enumerate(shown):
        if effect[0] == fx.ROLL and _is_told(effect, shown[index + 1 :]):
            continue
        line = _told(effect, spoken)
        if line is not None:
            yield line


def _is_told(roll: Effect, after: tuple[Effect, ...]) -> bool:
    """Whether the next sentence shows these dice itself."""
    pips = roll[3]
    for effect in after:
        if effect[0] == fx.SAY:
            values = [value for _, value in effect[2]]
            return pips in values or (
                len(pips) == 1 and any(type(value) is int and value == pips[0] for value in values)
            )
    return False


def _told(effect: Effect, spoken: Phrases) -> Line | None:
    tag = effect[0]
    if tag == fx.SAY:
        return Line(SENTENCE, spoken.say(Say(effect[1], effect[2])), effect[3])
    if tag == fx.ROLL:
        return Line(DICE, spoken.text("ui.dice", purpose=effect[1], dice=effect[3]))
    if tag == fx.PHASE:
        return Line(PHASE, spoken.say(Say(effect[1], effect[2])))
    if tag == fx.OPEN:
        return Line(
            TURN if effect[1] in ("game", "turn") else PHASE, spoken.say(Say(effect[2], effect[3]))
        )
    return None


def _genesis(record: Record, spoken: Phrases) -> Iterator[Line]:
    genesis = Genesis.from_record(record)
    yield Line(NOTICE, spoken.text("ui.opened", game=genesis.game, title=genesis.title))


def _seat(record: Record, spoken: Phrases) -> Iterator[Line]:
    body = bodies.read_seat(record.body)
    seat = body.seat
    match body:
        case bodies.Taken():
            yield Line(NOTICE, spoken.text("ui.seat_taken", seat=seat, player=body.name or "–"))
            if body.by is not None and not body.by.key:
                yield Line(NOTICE, spoken.text("ui.seat_unsigned", seat=seat))
        case bodies.Nonce():
            yield Line(NOTICE, spoken.text("ui.nonce_shown", seat=seat))
        case bodies.Device():
            key = body.key.hex()[:16]
            yield Line(NOTICE, spoken.text("ui.device_added", seat=seat, key=key))
        case bodies.Revoked():
            key = body.key.hex()[:16]
            yield Line(NOTICE, spoken.text("ui.key_revoked", seat=seat, key=key))
        case bodies.Replaced():
            if body.by is None:
                told = "ui.seat_replaced"
            else:
                told = "ui.seat_given" if body.handed is None else "ui.seat_handed"
            yield Line(NOTICE, spoken.text(told, seat=seat, player=body.name or "–"))


def _command(record: Record, spoken: Phrases) -> Iterator[Line]:
    """A command that the server gave by a seat's standing answers says so."""
    command = bodies.CommandBody.read(record.body)
    if type(command.by) is bodies.ByOrders:
        yield Line(NOTICE, spoken.text("ui.by_orders", seat=command.seat, orders=command.by.orders))


def _orders(record: Record, spoken: Phrases) -> Iterator[Line]:
    seat = bodies.Orders.read(record.body).seat
    yield Line(NOTICE, spoken.text("ui.orders_changed", seat=seat))


def _rotate(record: Record, spoken: Phrases) -> Iterator[Line]:
    yield Line(NOTICE, spoken.text("ui.rotated"))


def _ask(record: Record, spoken: Phrases) -> Iterator[Line]:
    ask = bodies.Ask.read(record.body)
    if ask.what == bodies.TAKEBACK:
        yield Line(NOTICE, spoken.text("ui.asks_takeback", seat=ask.seat, to=ask.to))
    elif ask.what == bodies.DRAW:
        yield Line(NOTICE, spoken.text("ui.asks_draw", seat=ask.seat))
    elif ask.what == deskbodies.TIME:
        yield Line(NOTICE, spoken.text("ui.clock.claims", seat=ask.seat))
    elif ask.what in (deskbodies.PAUSE, deskbodies.ADJOURN):
        key = f"ui.clock.asks_{ask.what}"
        if ask.to:
            yield Line(NOTICE, spoken.text(f"{key}_until", seat=ask.seat, at=moment(ask.to)))
        else:
            yield Line(NOTICE, spoken.text(key, seat=ask.seat))


def _clock(record: Record, spoken: Phrases) -> Iterator[Line]:
    body = deskbodies.read_clock(record.body)
    match body:
        case deskbodies.Flag():
            text = spoken.text("ui.clock.flag", seat=body.seat)
        case deskbodies.Pause():
            if body.until_ms:
                text = spoken.text("ui.clock.pause_until", at=moment(body.until_ms))
            else:
                text = spoken.text("ui.clock.pause")
        case deskbodies.Resume():
            text = spoken.text("ui.clock.resume", seat=body.seat)
        case deskbodies.Credit():
            key = "ui.clock.credit" if body.ms > 0 else "ui.clock.debit"
            text = spoken.text(key, seat=body.seat, time=face(abs(body.ms), spoken))
            if body.why:
                text = spoken.text("ui.clock.why", what=text, why=body.reason.as_array())
        case deskbodies.Outage():
            text = spoken.text("ui.clock.outage", time=face(body.to_ms - body.from_ms, spoken))
        case deskbodies.Leave():
            begins, ends = moment(body.from_ms), moment(body.to_ms)
            text = spoken.text("ui.clock.leave", seat=body.seat, **{"from": begins, "to": ends})
        case deskbodies.Night():
            begins = f"{body.start_min // 60:02}:{body.start_min % 60:02} UTC"
            time = face(body.length_min * 60_000, spoken)
            text = spoken.text("ui.clock.night", seat=body.seat, **{"from": begins, "time": time})
    yield Line(NOTICE, text)


def _ruling(record: Record, spoken: Phrases) -> Iterator[Line]:
    """Claims, what is said about them, and rulings with their remedies."""
    body, actor = deskbodies.read_ruling(record.body), records.called(record.actor)
    key = f"ui.ruling.{body.WHAT}"
    told: dict[str, Any]
    match body:
        case deskbodies.Claim():
            key = key if body.seat else "ui.ruling.claim_other"
            told = {"to": body.at_seq, "clause": body.clause, "text": body.text, "claim": body.n}
            told |= {"seat": body.seat} if body.seat else {"who": actor}
            yield Line(NOTICE, spoken.text(key, **told))
        case deskbodies.Looked():
            told = {"arbiter": actor, "audience": body.audience}
            told |= {"from": body.from_seq, "to": body.to_seq}
            yield Line(NOTICE, spoken.text(key, **told))
        case deskbodies.Said() | deskbodies.Appeal():
            told = {"who": actor, "claim": body.n, "text": body.text}
            yield Line(NOTICE, spoken.text(key, **told))
        case deskbodies.Ruled():
            finding = f"ruling.{body.finding.replace(' ', '_')}"
            told = {"finding": finding, "clause": body.clause, "text": body.text}
            told |= {"arbiter": actor, "claim": body.n}
            yield Line(NOTICE, spoken.text(key, **told))
            for remedy in body.remedies:
                yield Line(NOTICE, _remedy(remedy, spoken))
        case deskbodies.Corrected():
            told = {"arbiter": actor, "claim": body.n, "picks": tuple(body.picks)}
            yield Line(NOTICE, spoken.text(key, **told))
        case deskbodies.Waived():
            told = {"seat": body.seat}
            yield Line(NOTICE, spoken.text(key, **told))
        case _:
            told = {"arbiter": actor, "claim": body.n}
            yield Line(NOTICE, spoken.text(key, **told))


def _remedy(remedy: tuple[Any, ...], spoken: Phrases) -> str:
    word, *rest = remedy
    if word == "time":
        seat, ms = rest
        key = "ui.remedy.time" if ms > 0 else "ui.remedy.time_off"
        return spoken.text(key, seat=seat, time=face(abs(ms), spoken))
    names = {"back": ("to",), "penalty": ("seat", "text")}
    named = dict(zip(names.get(word, ("seat",)), rest, strict=False))
    return spoken.text(f"ui.remedy.{word}", **named)


def _answer(record: Record, spoken: Phrases) -> Iterator[Line]:
    answer = bodies.Answer.read(record.body)
    told = "ui.consents" if answer.consents else "ui.declines"
    yield Line(NOTICE, spoken.text(told, seat=answer.seat))


def _takeback(record: Record, spoken: Phrases) -> Iterator[Line]:
    body = bodies.Takeback.read(record.body)
    if not body.seat:
        yield Line(
            NOTICE, spoken.text("ui.ruling.back", arbiter=records.called(record.actor), to=body.to)
        )
        return
    yield Line(NOTICE, spoken.text("ui.taken_back", seat=body.seat, to=body.to))


def _open(record: Record, spoken: Phrases) -> Iterator[Line]:
    epoch = bodies.Open.read(record.body).epoch
    yield Line(NOTICE, spoken.text("ui.seed_opened", epoch=epoch))


def _end(record: Record, spoken: Phrases) -> Iterator[Line]:
    end = bodies.End.read(record.body)
    yield result(end.winner, end.reason, spoken)


_NOTICES: dict[str, Any] = {
    records.GENESIS: _genesis,
    records.SEAT: _seat,
    records.COMMAND: _command,
    records.ASK: _ask,
    records.ANSWER: _answer,
    records.CLOCK: _clock,
    records.RULING: _ruling,
    records.TAKEBACK: _takeback,
    records.OPEN: _open,
    records.ORDERS: _orders,
    records.ROTATE: _rotate,
    records.END: _end,
}


def begins(record: Record) -> bool:
    """Whether play begins with this record."""
    return record.kind == records.COMMAND and bodies.CommandBody.read(record.body).begins


def result(winner: str | None, reason: Say, spoken: Phrases) -> Line:
    """How a game ended, in one sentence with the clause that decided it."""
    said = reason.as_array()
    if winner:
        return Line(NOTICE, spoken.text("ui.won", seat=winner, reason=said), reason.rule)
    return Line(NOTICE, spoken.text("ui.no_winner", reason=said), reason.rule)
