"""Clocks: the fold that computes from a log how much time each seat has left at any moment.

A clock is not a running process. It is arithmetic on the `at_ms` of records: who was asked, for how
long, and when time stood still. The ledger, the auditors and the terminal use this module. The page
has its own `clock.js`, tested with the same cases in `vectors/clocks.json`. Everything is in whole
milliseconds; nothing here looks at a clock.

A seat is on the clock for as long as it is asked. When its question closes (its command, a
takeback, a flag, the end), it is charged:

    elapsed = time the question was open - time that stood still - credits for it
    freed   = min(free, what is left of free_turn, elapsed)
    bank   -= elapsed - freed

A seat's time stands still during a pause, a freeze, a claim that stops the clocks, a server's
outage, its leave and its nights. Where two of these overlap, they count once.

`Control` (see `clockcontrol`) is what the genesis says, `Clocks` (see `clockstate`) what the log
amounts to so far. The functions that take one give another; which of them a record calls is written
in `clockfold`. What a record must satisfy as far as time goes is decided in `clockrules`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeVar

from attrs import frozen

from warledger.protocol.clocks.clockcontrol import (
    BOT,
    CLAIM,
    DAY_MIN,
    DAY_MS,
    FREEZE,
    LOSS,
    MINUTE_MS,
    Control,
)
from warledger.protocol.clocks.clockstate import CACHED, Clocks, Fields, Pause, SeatClock
from warledger.protocol.limits import CLAIMS_STOPPING_MAX, LEAVES_MAX
from warledger.protocol.log.owed import Cause, other_of_two

TURN: Final = "turn"
BY_FLAG: Final = 0
"""The number, among those of claims that hold the clocks, of a freeze that a flag has caused."""

FLAGGED: Final = "outcome.flag"
FLAGGED_TOGETHER: Final = "outcome.flags"

# --- what is shown --------------------------------------------------------------------------------


@frozen
class Reading:
    """What a seat's clock shows at a moment.

    left      what is left of the bank; below 0 once it is gone
    free      how much more of the open question (or of the next) is free
    stopped   why the clock does not run, one of STOPS; "" while it runs
    deadline  when the bank is gone if nothing more happens; None: never
    until     when a clock that stands still for a known time goes on; None otherwise
    """

    seat: str
    left: int
    free: int
    stopped: str
    deadline: int | None
    until: int | None


RUNS: Final = ""
NOT_ASKED, PAUSED, HELD, FROZEN, ON_LEAVE, AT_NIGHT, FALLEN, PLAYED_ON, OVER = (
    "not_asked",
    "paused",
    "held",
    "frozen",
    "leave",
    "night",
    "fallen",
    "bot",
    "over",
)
STOPS: Final = (NOT_ASKED, PAUSED, HELD, FROZEN, ON_LEAVE, AT_NIGHT, FALLEN, PLAYED_ON, OVER)


def begin(control: Control, seats: Iterable[str]) -> Clocks:
    """The clocks after the genesis record."""
    return Clocks(tuple([SeatClock(seat, control.of(seat, "bank")) for seat in seats]))


T = TypeVar("T")


_new: Final = object.__new__
_fill_seat: Final = vars(SeatClock)["__dict__"].__set__
_fill_all: Final = vars(Clocks)["__dict__"].__set__


def _with(record: T, **changes: Any) -> T:
    """A changed copy: as `attrs.evolve`, but faster. Only for records without slots; the names of
    the fields are not checked."""
    copy = _new(type(record))
    own = copy.__dict__
    own.update(record.__dict__)
    for name in CACHED:
        own.pop(name, None)
    if changes:
        own.update(changes)
    return copy


# --- time that runs -------------------------------------------------------------------------------


def _stands(clocks: Clocks, clock: SeatClock) -> bool:
    """Whether the clock of a seat that is asked stands still indefinitely."""
    pause = clocks.pause
    return bool(
        clocks.held
        or clocks.over
        or clock.fallen is not None
        or clock.bot
        or (pause is not None and not pause.until)
    )


def _blocked(clocks: Clocks, clock: SeatClock, at: int) -> tuple[int, int]:
    """The end of the stop that contains `at` (else `at`), and the beginning of the next one after
    it (-1 if none is known). Nights are not considered."""
    ends, begins = at, -1
    spans = clock.leave
    pause = clocks.pause
    if pause is not None and pause.until > at:
        spans = (*spans, (pause.since, pause.until))
    for start, end in spans:
        if start <= at < end:
            ends = max(ends, end)
        elif start > at and (begins < 0 or start < begins):
            begins = start
    return ends, begins


def _go(
    clocks: Clocks, clock: SeatClock, start: int, *, to: int | None = None, budget: int = 0
) -> tuple[int, int]:
    """Let a clock run from `start` to the moment `to` or, without one, until it has run `budget`.

    Returns that moment, and how long the clock has run.
    """
    if clock.night is None and not clock.leave and clocks.pause is None:
        return (start + budget, budget) if to is None else (to, to - start)
    begins, length = clock.night if clock.night is not None else (0, 0)
    begins, length = begins * MINUTE_MS, length * MINUTE_MS
    a_day = DAY_MS - length
    at, ran = start, 0
    while to is None or at < to:
        ends, stop = _blocked(clocks, clock, at)
        if ends > at:
            at = ends
            continue
        into = (at - begins) % DAY_MS
        if length and into < length:
            at += length - into
            continue
        # Whole days are skipped at once.
        days = _whole_days(at, stop, to, budget - ran, a_day) if length else 0
        if days:
            at += days * DAY_MS
            ran += days * a_day
            continue
        if length and (stop < 0 or at + DAY_MS - into < stop):
            stop = at + DAY_MS - into
        if to is None and (stop < 0 or budget - ran <= stop - at):
            return at + budget - ran, budget
        if to is not None and (stop < 0 or stop > to):
            stop = to
        ran += stop - at
        at = stop
    return (at if to is None else to), ran


def _whole_days(at: int, stop: int, to: int | None, left: int, a_day: int) -> int:
    """How many days may be skipped at once, before the next stop and before the end."""
    days = (left - 1) // a_day if to is None else (to - at) // DAY_MS
    if stop >= 0:
        days = min(days, (stop - at) // DAY_MS)
    return max(days, 0)


def _free(control: Control, clock: SeatClock) -> int:
    """How much of the open question, or of the next, is free for a seat in this turn."""
    return _free_of(control, clock.__dict__, clock.opened if clock.asked else clock.opened + 1)


def _free_of(control: Control, own: Fields, number: int) -> int:
    """How much of a seat's question of this number is free in this turn."""
    free = control.free
    if number <= own["granted"]:
        free = free - own["used"] if number == own["granted"] else 0
    if control.free_turn and free > control.free_turn - own["freed_turn"]:
        free = control.free_turn - own["freed_turn"]
    return free if free > 0 else 0


def _counted(clocks: Clocks, clock: SeatClock, at: int) -> tuple[int, int]:
    """`ran` and `stopped` for the open question, up to a moment."""
    since = clock.since
    if at <= since:
        return clock.ran, clock.stopped
    ran = 0 if _stands(clocks, clock) else _go(clocks, clock, since, to=at)[1]
    return clock.ran + ran, clock.stopped + at - since - ran


def _up_to(clocks: Clocks, clock: SeatClock, at: int) -> SeatClock:
    """The clock with the time up to a moment counted."""
    if not clock.asked or at <= clock.since:
        return clock
    ran, stopped = _counted(clocks, clock, at)
    return _with(clock, since=at, ran=ran, stopped=stopped)


def _deadline(control: Control, clocks: Clocks, clock: SeatClock) -> int | None:
    """When the flag of a clock falls, as of `since`."""
    if not clock.asked or _stands(clocks, clock):
        return None
    budget = clock.bank + _free(control, clock) - clock.ran
    return _go(clocks, clock, clock.since, budget=budget)[0] if budget > 0 else clock.since


def _timed(control: Control, clocks: Clocks, clock: SeatClock) -> SeatClock:
    """The clock with its deadline, as of `since`."""
    deadline = _deadline(control, clocks, clock)
    return clock if deadline == clock.deadline else _with(clock, deadline=deadline)


def _charged(control: Control, clocks: Clocks, clock: SeatClock, at: int) -> SeatClock:
    """The clock once its question is closed."""
    closed = _with(clock)
    _charge(control, clocks, closed, at)
    return closed


def _charge(control: Control, clocks: Clocks, clock: SeatClock, at: int) -> None:
    """Close the question of a clock that nobody else has seen yet."""
    own = clock.__dict__
    ran, own["stopped"] = _counted(clocks, clock, at)
    _close(control, own, at, ran)


def _close(control: Control, own: Fields, at: int, ran: int) -> None:
    """Close the question of a clock that has run for so long."""
    if at > own["since"]:
        own["since"] = at
    if ran:
        freed = _free_of(control, own, own["opened"]) if control.free else 0
        if freed > ran:
            freed = ran if ran > 0 else 0
        if freed:
            own["freed_turn"] += freed
            own["freed"] += freed
            if own["opened"] == own["granted"]:
                own["used"] += freed
        if ran != freed:
            own["bank"] -= ran - freed
            own["charged"] += ran - freed
    own["asked"], own["ran"], own["deadline"] = 0, 0, None


def _more(control: Control, seat: str, bank: int, what: str) -> int:
    """What a seat's bank is after an addition, limited by the cap."""
    if control.handicap:
        more, cap = control.of(seat, what), control.of(seat, "cap")
    else:
        more, cap = getattr(control, what), control.cap
    if cap and bank + more > cap:
        return max(bank, cap)
    return bank + more


def _all(control: Control, before: Clocks, at: int, change: Callable[[Clocks], Clocks]) -> Clocks:
    """The clocks after something that stops or starts them at a moment."""
    counted = _with(before, seats=tuple([_up_to(before, clock, at) for clock in before.seats]))
    after = change(counted)
    seats = []
    for old, clock in zip(before.seats, after.seats, strict=True):
        # A deadline that has passed stays where it is: the flag is due.
        passed = old.deadline is not None and old.deadline <= at and old.asked == clock.asked
        stays = passed and clock.fallen is None and not clock.bot
        seats.append(clock if stays else _timed(control, after, clock))
    return _with(after, seats=tuple(seats))


def _one(clocks: Clocks, seat: str, change: Callable[[SeatClock], SeatClock]) -> Clocks:
    return _with(
        clocks,
        seats=tuple([change(clock) if clock.seat == seat else clock for clock in clocks.seats]),
    )


# --- what happens ---------------------------------------------------------------------------------

Awaits: TypeAlias = Iterable[tuple[str, int, str]]


def commanded(
    control: Control, clocks: Clocks, at: int, seat: str, awaits: Awaits, turns: int = 0
) -> Clocks:
    """After a command of a seat ("" for the first, with which play begins). `awaits` are the seats
    that are asked now, each with the record that asked it and the prompt's key, which clocks do not
    look at. `turns` is how many turns have opened."""
    if turns or not clocks.calm:
        return _commanded(control, clocks, at, seat, awaits, turns)
    # The same for what nearly every command is. Each command of a game pays for this.
    seats = []
    first = None
    free, free_turn = control.free, control.free_turn
    for clock in clocks.seats:
        own, opened = clock.__dict__, 0
        name, asked = own["seat"], own["asked"]
        for other, seq, _ in awaits:
            if other == name:
                opened = seq
        if asked != opened:
            own = own.copy()
            if asked:
                ran, since = own["ran"], own["since"]
                _close(control, own, at, ran + at - since if at > since else ran)
                if name == seat:
                    _reward(control, own)
            if opened:
                # `_put`, and what `_free_of` says of a question that has not run yet.
                number = own["opened"] + 1
                own["opened"], own["asked"], own["since"], own["ran"] = number, opened, at, 0
                if number > own["granted"]:
                    own["granted"], own["used"] = number, 0
                    left = free
                else:
                    left = free - own["used"] if number == own["granted"] else 0
                if free_turn and left > free_turn - own["freed_turn"]:
                    left = free_turn - own["freed_turn"]
                budget = own["bank"] + left if left > 0 else own["bank"]
                own["deadline"] = at + budget if budget > 0 else at
            clock = _new(SeatClock)
            _fill_seat(clock, own)
        deadline = own["deadline"]
        if deadline is not None and (first is None or deadline < first):
            first = deadline
        seats.append(clock)
    fields = clocks.__dict__.copy()
    fields["seats"], fields["next_deadline"] = tuple(seats), first
    after = _new(Clocks)
    _fill_all(after, fields)
    return after


def _commanded(
    control: Control, clocks: Clocks, at: int, seat: str, awaits: Awaits, turns: int
) -> Clocks:
    """After any command of a seat."""
    asked = {seat: seq for seat, seq, _ in awaits}
    opens = clocks.turn + turns
    turned = opens > clocks.turns
    new = max(opens - max(clocks.turns, 1), 0)  # the first turn adds nothing
    seats = []
    for clock in clocks.seats:
        opened = asked.get(clock.seat, 0)
        if turned or clock.asked != opened:
            clock = _with(clock)
            own = clock.__dict__  # nobody has seen it yet
            if clock.asked and clock.asked != opened:
                _charge(control, clocks, clock, at)
                if clock.seat == seat:
                    _reward(control, own)
            if turned:
                _turn(control, clocks, clock, at, new)
            if opened and not clock.asked:
                _ask(control, clocks, clock, at, opened)
        seats.append(clock)
    if not turns:
        return _with(clocks, seats=tuple(seats))
    return _with(clocks, seats=tuple(seats), turn=opens, turns=max(opens, clocks.turns))


def _reward(control: Control, own: Fields) -> None:
    """A seat has answered in time."""
    own["answered"] = answered = own["answered"] + 1
    if answered > own["rewarded"]:
        own["rewarded"] = answered
        if control.handicap or control.cap:
            own["bank"] = _more(control, own["seat"], own["bank"], "each")
        else:
            own["bank"] += control.each


def _turn(control: Control, clocks: Clocks, clock: SeatClock, at: int, new: int) -> None:
    """Turns have opened, `new` of which add time to a clock that nobody else has seen yet."""
    own = clock.__dict__
    if clock.asked and at > clock.since:
        own["ran"], own["stopped"] = _counted(clocks, clock, at)
        own["since"] = at
    for _ in range(new):
        own["bank"] = _more(control, clock.seat, clock.bank, "turn")
    own["freed_turn"] = 0
    if clock.next_night is not None:
        own["night"], own["next_night"] = clock.next_night, None
    if clock.asked:
        own["deadline"] = _deadline(control, clocks, clock)


def _ask(control: Control, clocks: Clocks, clock: SeatClock, at: int, seq: int) -> None:
    """Record `seq` asks a clock that nobody else has seen yet."""
    _put(clock.__dict__, at, seq)
    clock.__dict__["deadline"] = _deadline(control, clocks, clock)


def _put(own: Fields, at: int, seq: int) -> None:
    """Put the question of record `seq` to a seat; the deadline is left to the caller."""
    own["opened"] = number = own["opened"] + 1
    own["asked"], own["since"], own["ran"] = seq, at, 0
    if number > own["granted"]:
        own["granted"], own["used"] = number, 0


def taken_back(control: Control, clocks: Clocks, at: int, awaits: Awaits, then: "Mark") -> Clocks:
    """After a takeback to where `then` was (see `mark`). No time is given back, nothing is earned
    a second time, and what is asked again has only what was left of its free time."""
    asked = {seat: seq for seat, seq, _ in awaits}
    seats = []
    for clock, (answered, opened) in zip(clocks.seats, then[1], strict=True):
        if clock.asked:
            clock = _charged(control, clocks, clock, at)
        again = clock.seat in asked
        clock = _with(clock, answered=answered, opened=opened - again)
        if again:
            _ask(control, clocks, clock, at, asked[clock.seat])
        seats.append(clock)
    return _with(clocks, seats=tuple(seats), turn=then[0])


Mark: TypeAlias = tuple[int, tuple[tuple[int, int], ...]]


def mark(clocks: Clocks) -> Mark:
    """What a takeback to here restores: (turns opened, [(decisions answered, questions asked) of
    each seat])."""
    return clocks.turn, tuple([(clock.answered, clock.opened) for clock in clocks.seats])


def flagged(control: Control, clocks: Clocks, at: int, seat: str) -> Clocks:
    """After a flag."""
    known = clocks.of(seat)
    fell = at if known.deadline is None else known.deadline
    charged = _charged(control, clocks, known, at)
    charged = _with(charged, asked=known.asked, fallen=fell)
    after = _one(clocks, seat, lambda _: charged)
    if control.fall == FREEZE:
        return _all(control, after, at, lambda now: _held(now, BY_FLAG, freeze=True))
    return after


def paused(control: Control, clocks: Clocks, at: int, until: int) -> Clocks:
    """After a pause begins; `until` is 0 if its end is open."""
    return _all(control, clocks, at, lambda now: _with(now, pause=Pause(at, until)))


def resumed(control: Control, clocks: Clocks, at: int, seat: str) -> Clocks:
    """After a seat has said that it wants to go on ("": the server, for all)."""
    pause = clocks.pause
    if pause is None or not clocks.paused(at):
        return clocks
    said = (*pause.resumed, seat) if seat and seat not in pause.resumed else pause.resumed
    ends = pause.until
    if not seat or all(clock.seat in said for clock in clocks.seats):
        ends = at
    elif control.notice and (not ends or ends > at + control.notice):
        ends = at + control.notice
    return _all(control, clocks, at, lambda now: _with(now, pause=Pause(pause.since, ends, said)))


def credited(control: Control, clocks: Clocks, at: int, seat: str, ms: int) -> Clocks:
    """After a seat was given time, or lost some (`ms` below 0). While it is asked, the time counts
    for the open question, and what the question does not use goes to the bank. A flag that had
    fallen is up again as soon as there is time."""

    def change(clock: SeatClock) -> SeatClock:
        if clock.fallen is not None:
            bank = clock.bank + ms
            return _with(clock, bank=bank, fallen=clock.fallen if bank <= 0 else None)
        if not clock.asked:
            return _with(clock, bank=clock.bank + ms)
        return _with(clock, ran=clock.ran - ms, credited=clock.credited + ms)

    return _all(control, clocks, at, lambda now: _one(now, seat, change))


def out(control: Control, clocks: Clocks, start: int, end: int) -> Clocks:
    """After the server says that it was down; nobody is charged for that time."""
    seats = []
    for clock in clocks.seats:
        known = clock
        begins = max(start, clock.since)
        if clock.asked and end > begins:
            clock = _up_to(clocks, clock, begins)
            clock = _with(clock, since=end, stopped=clock.stopped + end - begins)
            if known.deadline is not None and known.deadline > begins:
                clock = _timed(control, clocks, clock)
        seats.append(clock)
    return _with(clocks, seats=tuple(seats))


def left_for(control: Control, clocks: Clocks, at: int, seat: str, start: int, end: int) -> Clocks:
    """After a seat has taken leave. One beyond the bound counts for nothing."""
    if len(clocks.of(seat).leave) >= LEAVES_MAX:
        return clocks

    def change(clock: SeatClock) -> SeatClock:
        return _with(clock, leave=(*clock.leave, (start, end)))

    return _all(control, clocks, at, lambda now: _one(now, seat, change))


def slept(
    control: Control, clocks: Clocks, at: int, seat: str, start_min: int, length_min: int
) -> Clocks:
    """After a seat has chosen its night: the first counts at once, another from the next turn. One
    that is no part of a day counts for nothing: no clock would ever run again."""
    if not (0 <= start_min < DAY_MIN and 0 <= length_min < DAY_MIN):
        return clocks

    def change(clock: SeatClock) -> SeatClock:
        if clock.night is None:
            return _with(clock, night=(start_min, length_min))
        return _with(clock, next_night=(start_min, length_min))

    return _all(control, clocks, at, lambda now: _one(now, seat, change))


def _held(clocks: Clocks, n: int, *, freeze: bool = False) -> Clocks:
    held = clocks.held if n in clocks.held else (*clocks.held, n)
    iced = (*clocks.frozen, n) if freeze and n not in clocks.frozen else clocks.frozen
    return _with(clocks, held=held, frozen=iced)


def held(control: Control, clocks: Clocks, at: int, n: int, *, freeze: bool = False) -> Clocks:
    """After the clocks are stopped for a claim (`freeze`: and the game with them)."""
    return _all(control, clocks, at, lambda now: _held(now, n, freeze=freeze))


def claimed(control: Control, clocks: Clocks, at: int, n: int, seat: str) -> Clocks:
    """After a claim, where claims stop the clocks as they are made: the first few of a seat do, and
    all that an arbiter makes."""
    if not seat:
        return held(control, clocks, at, n)
    made = clocks.of(seat).claims
    clocks = _one(clocks, seat, lambda clock: _with(clock, claims=made + 1))
    return held(control, clocks, at, n) if made < CLAIMS_STOPPING_MAX else clocks


def released(control: Control, clocks: Clocks, at: int, n: int, *, thaw: bool = False) -> Clocks:
    """After a claim holds the clocks no longer; a freeze stands until it is thawed."""
    if n not in clocks.held or (n in clocks.frozen and not thaw):
        return clocks

    def change(now: Clocks) -> Clocks:
        return _with(
            now,
            held=tuple(other for other in now.held if other != n),
            frozen=tuple(other for other in now.frozen if other != n),
        )

    return _all(control, clocks, at, change)


def replaced(control: Control, clocks: Clocks, at: int, seat: str, name: str) -> Clocks:
    """After somebody else sits in a seat. Where it is the bot that the control names, and the
    seat's flag has fallen, it plays on without a clock."""
    if control.fall != BOT or name != control.bot or clocks.of(seat).fallen is None:
        return clocks
    return _one(clocks, seat, lambda clock: _with(clock, fallen=None, bot=True, deadline=None))


def ended(control: Control, clocks: Clocks, at: int) -> Clocks:
    """After the end."""
    seats = [
        _charged(control, clocks, clock, at) if clock.asked else clock for clock in clocks.seats
    ]
    return _with(clocks, seats=tuple(seats), over=True)


def verdict(control: Control, clocks: Clocks) -> Cause | None:
    """How the game ends because of the flags that have fallen, as (winner, reason, its arguments);
    None if it goes on. It goes on while another flag with the same deadline has yet to fall."""
    fallen = clocks.fallen
    left = [clock.seat for clock in clocks.seats if clock.seat not in fallen]
    if not fallen or control.fall not in (LOSS, CLAIM) or (control.fall == CLAIM and left):
        return None
    first, *others = fallen
    if others:
        return None, FLAGGED_TOGETHER, (("seats", fallen),)
    return flag_lost(clocks, first)


def flag_lost(clocks: Clocks, seat: str) -> Cause:
    """How a game ends when a seat has lost on time: of two seats, the other wins."""
    winner = other_of_two([clock.seat for clock in clocks.seats], seat)
    return winner, FLAGGED, (("seat", seat),)


# --- what a clock shows ---------------------------------------------------------------------------


def reading(control: Control, clocks: Clocks, seat: str, now: int) -> Reading:
    """What the clock of a seat shows at a moment that is not before the newest record."""
    clock = _up_to(clocks, clocks.of(seat), now)
    free = _free(control, clock)
    used = min(free, max(clock.ran, 0))
    until = None
    why = _why_stopped(clocks, clock, now)
    if why in (PAUSED, ON_LEAVE, AT_NIGHT):
        until = _goes_on(clocks, clock, now)
    left = clock.bank - (clock.ran - used)
    return Reading(seat, left, free - used, why, clock.deadline, until)


def _why_stopped(clocks: Clocks, clock: SeatClock, now: int) -> str:
    if clocks.over:
        return OVER
    if clock.bot:
        return PLAYED_ON
    if clock.fallen is not None:
        return FALLEN
    if clocks.frozen:
        return FROZEN
    if clocks.held:
        return HELD
    if clocks.paused(now):
        return PAUSED
    if not clock.asked:
        return NOT_ASKED
    if any(start <= now < end for start, end in clock.leave):
        return ON_LEAVE
    if clock.night is not None:
        start, length = clock.night
        if (now - start * MINUTE_MS) % DAY_MS < length * MINUTE_MS:
            return AT_NIGHT
    return RUNS


def _goes_on(clocks: Clocks, clock: SeatClock, now: int) -> int | None:
    """The moment at which a clock that stands still runs again."""
    if _stands(clocks, clock):
        return None
    return _go(clocks, clock, now, budget=1)[0] - 1
