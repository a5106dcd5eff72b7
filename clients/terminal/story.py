"""What happened, as lines of text: the effects of a record told in order, in the reader's language. No rules, no drawing."""

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from protocol import effects as fx
from protocol import records
from protocol.choices import Say
from protocol.effects import Effect
from protocol.phrases import Phrases
from protocol.records import Record

TURN, PHASE, SENTENCE, DICE, NOTICE = "turn", "phase", "sentence", "dice", "notice"


@frozen
class Line:
    """A line of the story. `kind` is one of the above; `rule` is the clause it rests on."""

    kind: str
    text: str
    rule: str = ""

    @property
    def plain(self) -> str:
        """The line with its clause, without decoration."""
        return f"{self.text} [{self.rule}]" if self.rule else self.text


def tell(record: Record, effects: Iterable[Effect], spoken: Phrases) -> Iterator[Line]:
    """The lines of one record. `effects` are its effects with the reader's openings filled in."""
    if record.kind == records.COMMAND:
        yield from _by_orders(record, spoken)
    elif record.kind in _NOTICES:
        yield from _NOTICES[record.kind](record, spoken)
    shown = tuple(effects)
    for index, effect in enumerate(shown):
        if effect[0] == fx.ROLL and _is_told(effect, shown[index + 1 :]):
            continue
        line = _told(effect, spoken)
        if line is not None:
            yield line


def _is_told(roll: Effect, after: tuple[Effect, ...]) -> bool:
    """Whether the sentence that comes next tells these dice itself."""
    pips = roll[3]
    for effect in after:
        if effect[0] == fx.SAY:
            values = [value for _, value in effect[2]]
            return pips in values or (len(pips) == 1 and any(type(value) is int and value == pips[0] for value in values))
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
        return Line(TURN if effect[1] in ("game", "turn") else PHASE, spoken.say(Say(effect[2], effect[3])))
    return None


def _genesis(record: Record, spoken: Phrases) -> Iterator[Line]:
    yield Line(NOTICE, spoken.text("ui.opened", game=record.body[1], title=record.body[2]))


def _seat(record: Record, spoken: Phrases) -> Iterator[Line]:
    act, seat, *rest = record.body
    if act == "taken":
        yield Line(NOTICE, spoken.text("ui.seat_taken", seat=seat, player=rest[0] or "–"))
        if len(rest) > 2 and not rest[3][0]:
            yield Line(NOTICE, spoken.text("ui.seat_unsigned", seat=seat))
    elif act == "nonce":
        yield Line(NOTICE, spoken.text("ui.nonce_shown", seat=seat))
    elif act in ("device", "revoked"):
        key = "ui.device_added" if act == "device" else "ui.key_revoked"
        yield Line(NOTICE, spoken.text(key, seat=seat, key=rest[0].hex()[:16]))
    elif len(rest) == 1:
        yield Line(NOTICE, spoken.text("ui.seat_replaced", seat=seat, player=rest[0] or "–"))
    else:
        yield Line(NOTICE, spoken.text("ui.seat_handed" if rest[3] else "ui.seat_given", seat=seat, player=rest[0] or "–"))


def _by_orders(record: Record, spoken: Phrases) -> Iterator[Line]:
    """A command that the server gave by a seat's standing answers says so."""
    by = record.body[records.BY]
    if type(by) is tuple and len(by) == 1:
        yield Line(NOTICE, spoken.text("ui.by_orders", seat=record.body[records.COMMAND_SEAT], orders=by[0]))


def _orders(record: Record, spoken: Phrases) -> Iterator[Line]:
    yield Line(NOTICE, spoken.text("ui.orders_changed", seat=record.body[0]))


def _rotate(record: Record, spoken: Phrases) -> Iterator[Line]:
    yield Line(NOTICE, spoken.text("ui.rotated"))


def _ask(record: Record, spoken: Phrases) -> Iterator[Line]:
    seat, kind, to, *_ = record.body
    if kind == "takeback":
        yield Line(NOTICE, spoken.text("ui.asks_takeback", seat=seat, to=to))
    elif kind == "draw":
        yield Line(NOTICE, spoken.text("ui.asks_draw", seat=seat))


def _answer(record: Record, spoken: Phrases) -> Iterator[Line]:
    seat, consents, *_ = record.body
    if consents:
        yield Line(NOTICE, spoken.text("ui.consents", seat=seat))
    else:
        yield Line(NOTICE, spoken.text("ui.declines", seat=seat))


def _takeback(record: Record, spoken: Phrases) -> Iterator[Line]:
    yield Line(NOTICE, spoken.text("ui.taken_back", seat=record.body[0], to=record.body[1]))


def _open(record: Record, spoken: Phrases) -> Iterator[Line]:
    yield Line(NOTICE, spoken.text("ui.seed_opened", epoch=record.body[0]))


def _end(record: Record, spoken: Phrases) -> Iterator[Line]:
    yield Line(NOTICE, result(record.body[0], Say(record.body[1], record.body[2]), spoken))


_NOTICES: dict[str, Any] = {
    records.GENESIS: _genesis,
    records.SEAT: _seat,
    records.ASK: _ask,
    records.ANSWER: _answer,
    records.TAKEBACK: _takeback,
    records.OPEN: _open,
    records.ORDERS: _orders,
    records.ROTATE: _rotate,
    records.END: _end,
}


def begins(record: Record) -> bool:
    """Whether play begins with this record."""
    return record.kind == records.COMMAND and record.body[:2] == (0, "")


def result(winner: str | None, reason: Say, spoken: Phrases) -> str:
    """How a game ended, in one sentence."""
    if winner:
        return spoken.text("ui.won", seat=winner, reason=reason.as_array())
    return spoken.text("ui.no_winner", reason=reason.as_array())


__all__ = ["DICE", "NOTICE", "PHASE", "SENTENCE", "TURN", "Line", "begins", "result", "tell"]
