"""What the records of a game with clocks must satisfy. A flag falls at its deadline and not before,
and none is left out. Nobody plays on after theirs has fallen. Only those who may give or take time
do so.

An auditor, and a client that follows a game, passes each record in order to `Timekeeping.take`, in
addition to its other checks. Only the file is needed for this.
"""

from collections.abc import Iterator
from typing import Any

from warledger.protocol.board.choices import Refusal, Say, refuse, say
from warledger.protocol.clocks import clock
from warledger.protocol.clocks.clockcontrol import CLAIM, DAY_MIN, DAY_MS, BadControl, Control
from warledger.protocol.clocks.clockfold import Fold
from warledger.protocol.clocks.clockstate import Clocks
from warledger.protocol.limits import CLOCK_MS_MAX, LEAVES_MAX, NIGHT_HOURS_MAX
from warledger.protocol.log import bodies, deskbodies
from warledger.protocol.log.records import SERVER, Genesis, Record, id_of

Wrong = tuple[str, Say]
"""A part of the record in hand, and what is wrong with it."""


class Timekeeping:
    """The clocks of one game, and what is wrong with its records concerning time.
    `clocks` is None in a game without clocks, which may not contain any `clock` record."""

    def __init__(self, genesis: Genesis) -> None:
        self.genesis_wrong: list[Wrong] = []
        try:
            self.fold: Fold | None = Fold(genesis)
        except BadControl as error:
            self.genesis_wrong = [("terms", say("acts.clock.control", what=str(error)))]
            self.fold = None
        self._last_ms = 0

    @property
    def clocks(self) -> Clocks | None:
        """The clocks after the records taken so far."""
        return None if self.fold is None else self.fold.clocks

    @property
    def control(self) -> Control | None:
        """What the genesis fixes about time."""
        return None if self.fold is None else self.fold.control

    def take(self, record: Record, body: bodies.Body) -> list[Wrong]:
        """Take the next record; returns what is wrong with it."""
        if self.fold is None:
            return []
        control, clocks = self.fold.control, self.fold.clocks
        if control is None or clocks is None:
            if isinstance(body, deskbodies.Clock):
                return [("kind", say("acts.clock.none"))]
            return []
        try:
            wrong = list(_wrong(control, clocks, record, body, self._last_ms))
            self.fold.take(record, body)
        except (LookupError, TypeError, ValueError):
            wrong = [("body", say("acts.clock.form"))]
        self._last_ms = record.at_ms
        return wrong


def _wrong(
    control: Control, clocks: Clocks, record: Record, body: bodies.Body, last_ms: int
) -> Iterator[Wrong]:
    at = record.at_ms
    yield from _late(clocks, record, body)
    match body:
        case deskbodies.Flag():
            yield from _flag(control, clocks, at, body)
        case deskbodies.Pause():
            if body.seats != tuple(one.seat for one in clocks.seats):
                yield "seats", say("acts.clock.pause_of_all")
            if clocks.paused(at):
                yield "kind", say("acts.clock.paused_twice")
            if body.until_ms and body.until_ms <= at:
                yield "until_ms", say("acts.clock.until")
        case deskbodies.Resume():
            pause = clocks.pause
            if pause is None or not clocks.paused(at) or body.seat in pause.resumed:
                yield "kind", say("acts.clock.not_paused")
        case deskbodies.Outage():
            if not last_ms <= body.from_ms < body.to_ms <= at:
                yield "from_ms", say("acts.clock.outage")
        case deskbodies.Credit():
            yield from _credit(control, clocks, body, id_of(record.actor))
        case deskbodies.Leave():
            refused = leave_refused(control, clocks, body.seat, body.from_ms, body.to_ms, at)
            if refused is not None:
                yield "from_ms", say("acts.clock.not_allowed", why=refused.as_array())
        case deskbodies.Night():
            refused = night_refused(control, body.start_min, body.length_min)
            if refused is not None:
                yield "length_min", say("acts.clock.not_allowed", why=refused.as_array())


def _late(clocks: Clocks, record: Record, body: bodies.Body) -> Iterator[Wrong]:
    """What is late in a record. Once a deadline has come, only an outage (which may move it) and
    links of turns that the command before closed may precede the flag. After it the seat can do
    nothing."""
    at = record.at_ms
    gives = isinstance(body, deskbodies.Credit) and body.by is not None
    seat = id_of(record.actor) if gives else acting_seat(body)
    due = clocks.due(at)
    if due and not isinstance(body, deskbodies.Outage | bodies.Open):
        names = [one.seat for one in due]
        if seat in names:
            yield "at_ms", say("acts.clock.late", seat=seat, deadline=clocks.of(seat).deadline)
        elif not (isinstance(body, deskbodies.Flag) and body.seat in names):
            yield (
                "at_ms",
                say("acts.clock.no_flag", seat=names[0], deadline=due[0].deadline),
            )
    if seat in clocks.fallen:
        yield "seat", say("acts.clock.fallen", seat=seat)
    elif seat and clocks.frozen:
        yield "kind", say("acts.clock.frozen", seat=seat)
    if isinstance(body, bodies.CommandBody) and seat and clocks.paused(at):
        yield "kind", say("acts.clock.paused", seat=seat)


def acting_seat(body: bodies.Body) -> str:
    """The seat that acts in a record; "" if no seat does, and for the first command."""
    if isinstance(body, bodies.Takeback):
        return "" if body.ask else body.seat
    if isinstance(body, deskbodies.Claim | deskbodies.Waived | deskbodies.Credit | bodies.Replaced):
        return ""  # these may follow a flag or a freeze; the last two name whom it happens to
    seat = getattr(body, "seat", "")
    return seat if type(seat) is str and not isinstance(body, deskbodies.Flag) else ""


def _flag(control: Control, clocks: Clocks, at: int, body: deskbodies.Flag) -> Iterator[Wrong]:
    known = next((one for one in clocks.seats if one.seat == body.seat), None)
    if known is None or known.deadline is None or known.deadline > at:
        yield "kind", say("acts.clock.flag_early", seat=body.seat)
        return
    if body.deadline_ms != known.deadline:
        yield (
            "deadline_ms",
            say("acts.clock.deadline", seat=body.seat, deadline=known.deadline),
        )
    left = clock.reading(control, clocks, body.seat, at).left
    if body.left != left:
        yield "left", say("acts.clock.left", seat=body.seat, left=left)


def _credit(
    control: Control, clocks: Clocks, body: deskbodies.Credit, actor: str
) -> Iterator[Wrong]:
    known = next((one for one in clocks.seats if one.seat == body.seat), None)
    if known is None:
        yield "seat", say("acts.no_seat", seat=body.seat)
        return
    if not 0 < abs(body.ms) <= CLOCK_MS_MAX:
        yield "ms", say("acts.clock.credit_ms")
    if actor != SERVER and (
        control.fall != CLAIM
        or known.fallen is None
        or actor in clocks.fallen
        or actor == body.seat
        or body.ms < 0
        or known.bank + body.ms <= 0
        or body.why
        or body.args
    ):
        yield "kind", say("acts.clock.credit", seat=body.seat)


def leave_refused(
    control: Control, clocks: Clocks, seat: str, start: int, end: int, now: int
) -> Say | None:
    """Why a seat may not take leave at that time."""
    taken = clocks.of(seat).leave
    used = sum(to - begin for begin, to in taken)
    most = control.leave_each or control.leave_days
    if not now <= start < end:
        return say("refusal.leave_past")
    if any(start < to and begin < end for begin, to in taken):
        return say("refusal.leave_twice")
    if end - start > most * DAY_MS:
        return say("refusal.leave_long", days=most)
    if used + end - start > control.leave_days * DAY_MS or len(taken) >= LEAVES_MAX:
        return say("refusal.leave_over", days=control.leave_days)
    return None


def night_refused(control: Control, start_min: Any, length_min: Any) -> Say | None:
    """Why a seat may not choose such a night."""
    good = (
        type(start_min) is int
        and type(length_min) is int
        and 0 <= start_min < DAY_MIN
        and 0 <= length_min <= min(control.nights, NIGHT_HOURS_MAX) * 60
    )
    return None if good and control.nights else say("refusal.night", hours=control.nights)


def refused(
    control: Control, clocks: Clocks, seat: str, body: deskbodies.Clock, now: int
) -> Refusal | None:
    """Why a seat may not do what a `clock` record of its own would say."""
    match body:
        case deskbodies.Resume(whose):
            pause = clocks.pause
            good = pause is not None and clocks.paused(now) and seat not in pause.resumed
            return None if good and whose == seat else refuse("", "refusal.not_paused")
        case deskbodies.Leave(whose, start, end) if whose == seat:
            return _refusal(leave_refused(control, clocks, seat, start, end, now))
        case deskbodies.Night(whose, start, length) if whose == seat:
            return _refusal(night_refused(control, start, length))
        case deskbodies.Credit(whose):
            known = next((one for one in clocks.seats if one.seat == whose), None)
            if known is None:
                return refuse("", "refusal.no_such_seat", seat=whose)
            if any(True for _ in _credit(control, clocks, body, seat)):
                return refuse("", "refusal.credit")
            return None
    return refuse("", "refusal.act_form", what="body")


def _refusal(why: Say | None) -> Refusal | None:
    return None if why is None else Refusal(why.rule, why.key, why.args)
