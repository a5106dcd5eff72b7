"""Clocks: the fold that computes from a log how much time each seat has left at any moment.

A clock is not a running process. It is arithmetic on the `at_ms` of records: who was asked, for how
long, and when time stood still. The ledger, the auditors, the terminal and the page all use this
module (the page has its own `clock.js`, tested with the same cases in `vectors/clocks.json`).
Everything is in whole milliseconds; nothing here looks at a clock.

A seat is on the clock for as long as it is asked. When its question closes (its command, a
takeback, a flag, the end), it is charged:

    elapsed = time the question was open - time that stood still - credits for it
    freed   = min(free, what is left of free_turn, elapsed)
    bank   -= elapsed - freed

Time stands still for a seat during a pause, a freeze, a claim that stops the clocks, an outage of
the server, its leave and its nights; where two of these overlap, once.

`Control` (see `clockcontrol`) is what the genesis says, `Clocks` what the log amounts to so far.
The functions that take one give another; which of them a record calls is written in `clockfold`.
What a record must satisfy as far as time goes is decided in `clockrules`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeVar

from attrs import frozen

from warledger.protocol.clockcontrol import (
    BOT,
    CLAIM,
    DAY_MS,
    FREEZE,
    LOSS,
    MINUTE_MS,
    Control,
)
from warledger.protocol.limits import CLAIMS_STOPPING_MAX

TURN: Final = "turn"
BY_FLAG: Final = 0
"""The number, among those of claims that hold the clocks, of a freeze that a flag has caused."""

FLAGGED: Final = "outcome.flag"
FLAGGED_TOGETHER: Final = "outcome.flags"

# --- the state ------------------------------------------------------------------------------------

Span: TypeAlias = tuple[int, int]
"""Two moments: the first included, the second excluded. For a night: minute of the day (UTC) at
which it begins, and its length in minutes."""


@frozen(slots=False)
class SeatClock:
    """One seat's clock.

    bank        what is left, without what the open question has cost so far
    asked       the record that asked it, 0 while it is not asked
    since       the moment up to which `ran` and `stopped` count
    ran         how long the clock has run for the open question, less credits for it
    deadline    when the bank is gone if nothing more happens; None: never
    freed_turn  how much time this turn was free
    answered    how many decisions it has answered, not counting those that were taken back
    rewarded    the most that `answered` has been: what is answered again earns nothing again
    opened      how many questions it has been asked, not counting those that were taken back
    granted     the most that `opened` has been: what is asked again is not free again
    used        how much time of question `granted` was free
    fallen      the deadline at which its flag fell; None while it has not
    bot         a bot plays on for it, and its clock runs no more
    leave       its leaves
    night       the night it has chosen, and `next_night` the one from the next turn on
    claims      how many claims it has made, where claims stop the clocks as they are made
    charged, freed, stopped, credited  how the time during which it was asked has been accounted for
    """

    seat: str
    bank: int
    asked: int = 0
    since: int = 0
    ran: int = 0
    deadline: int | None = None
    freed_turn: int = 0
    answered: int = 0
    rewarded: int = 0
    opened: int = 0
    granted: int = 0
    used: int = 0
    fallen: int | None = None
    bot: bool = False
    leave: tuple[Span, ...] = ()
    night: Span | None = None
    next_night: Span | None = None
    claims: int = 0
    charged: int = 0
    freed: int = 0
    stopped: int = 0
    credited: int = 0


@frozen(slots=False)
class Pause:
    """A pause. `until`: when it ends, 0 while that is open; `resumed`: the seats that want to go
    on."""

    since: int
    until: int = 0
    resumed: tuple[str, ...] = ()


@frozen(slots=False)
class Clocks:
    """All clocks of a game.

    seats    in the order of the genesis
    turn     turns that have opened, not counting those that were taken back
    turns    the most that `turn` has been: a turn that opens again adds nothing again
    pause    the newest pause; it may be over
    held     the claims for which the clocks stand still, and BY_FLAG
    frozen   those of them for which an arbiter has frozen the game
    over     the game has ended
    """

    seats: tuple[SeatClock, ...]
    turn: int = 0
    turns: int = 0
    pause: Pause | None = None
    held: tuple[int, ...] = ()
    frozen: tuple[int, ...] = ()
    over: bool = False

    def of(self, seat: str) -> SeatClock:
        """The clock of a seat. Raises KeyError."""
        for clock in self.seats:
            if clock.seat == seat:
                return clock
        raise KeyError(seat)

    def paused(self, now: int) -> bool:
        """Whether a pause is in force."""
        pause = self.pause
        return pause is not None and (not pause.until or now < pause.until)

    @property
    def next_deadline(self) -> int | None:
        """The earliest deadline of a flag that has not fallen."""
        first = None
        for clock in self.seats:
            deadline = clock.deadline
            if deadline is not None and (first is None or deadline < first):
                first = deadline
        return first

    def next_change(self, now: int) -> int | None:
        """The next moment at which a flag falls or a pause ends, if nothing happens before."""
        first = self.next_deadline
        if self.pause is None or self.over:
            return first
        ends = self.pause.until
        return ends if ends > now and (first is None or ends < first) else first

    def due(self, now: int) -> tuple[SeatClock, ...]:
        """The seats whose flags fall next, if they fall by `now`: those with the earliest deadline,
        in the order of the genesis."""
        first = self.next_deadline
        if first is None or first > now:
            return ()
        return tuple([clock for clock in self.seats if clock.deadline == first])

    def has_fallen(self, seat: str) -> bool:
        """Whether the flag of a seat has fallen."""
        for clock in self.seats:
            if clock.seat == seat:
                return clock.fallen is not None
        return False

    @property
    def fallen(self) -> tuple[str, ...]:
        """The seats whose flags have fallen."""
        return tuple([clock.seat for clock in self.seats if clock.fallen is not None])


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


def _with(record: T, **changes: Any) -> T:
    """A changed copy: as `attrs.evolve`, but faster. Only for records without slots; the names of
    the fields are not checked."""
    copy = object.__new__(type(record))
    own = copy.__dict__
    own.update(record.__dict__)
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
    """The end of the stop that contains `at` (`at` itself if there is none), and the beginning of
    the next one after it (-1 if none is known). Nights are not considered."""
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
    free = control.free
    number = clock.opened if clock.asked else clock.opened + 1
    if number <= clock.granted:
        free = free - clock.used if number == clock.granted else 0
    if control.free_turn:
        free = min(free, control.free_turn - clock.freed_turn)
    return max(free, 0)


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
    ran, stopped = _counted(clocks, clock, at)
    freed = min(_free(control, clock), ran) if ran > 0 else 0
    if at > clock.since:
        own["since"] = at
    if freed:
        own["freed_turn"] += freed
        own["freed"] += freed
        if clock.opened == clock.granted:
            own["used"] += freed
    if ran != freed:
        own["bank"] -= ran - freed
        own["charged"] += ran - freed
    own["stopped"], own["asked"], own["ran"], own["deadline"] = stopped, 0, 0, None


def _more(control: Control, clock: SeatClock, what: str) -> int:
    """What its bank is after an addition, limited by the cap."""
    more = control.of(clock.seat, what)
    if not more:
        return clock.bank
    cap, bank = control.of(clock.seat, "cap"), clock.bank + more
    return max(clock.bank, cap) if cap and bank > cap else bank


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

Awaits: TypeAlias = Iterable[tuple[str, int]]


def commanded(
    control: Control, clocks: Clocks, at: int, seat: str, awaits: Awaits, turns: int = 0
) -> Clocks:
    """After a command of a seat ("" for the first, with which play begins). `awaits` are the seats
    that are asked now, each with the record that asked it; `turns` is how many turns have opened.
    """
    asked = dict(awaits)
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
                    own["answered"] = answered = clock.answered + 1
                    if answered > clock.rewarded:
                        own["bank"], own["rewarded"] = _more(control, clock, "each"), answered
            if turned:
                _turn(control, clocks, clock, at, new)
            if opened and not clock.asked:
                _ask(control, clocks, clock, at, opened)
        seats.append(clock)
    if not turns:
        return _with(clocks, seats=tuple(seats))
    return _with(clocks, seats=tuple(seats), turn=opens, turns=max(opens, clocks.turns))


def _turn(control: Control, clocks: Clocks, clock: SeatClock, at: int, new: int) -> None:
    """Turns have opened, `new` of which add time to a clock that nobody else has seen yet."""
    own = clock.__dict__
    if clock.asked and at > clock.since:
        own["ran"], own["stopped"] = _counted(clocks, clock, at)
        own["since"] = at
    for _ in range(new):
        own["bank"] = _more(control, clock, "turn")
    own["freed_turn"] = 0
    if clock.next_night is not None:
        own["night"], own["next_night"] = clock.next_night, None
    if clock.asked:
        own["deadline"] = _deadline(control, clocks, clock)


def _ask(control: Control, clocks: Clocks, clock: SeatClock, at: int, seq: int) -> None:
    """Record `seq` asks a clock that nobody else has seen yet."""
    own = clock.__dict__
    own["opened"] = number = clock.opened + 1
    own["asked"], own["since"], own["ran"] = seq, at, 0
    if number > clock.granted:
        own["granted"], own["used"] = number, 0
    own["deadline"] = _deadline(control, clocks, clock)


def taken_back(control: Control, clocks: Clocks, at: int, awaits: Awaits, then: "Mark") -> Clocks:
    """After a takeback to where `then` was (see `mark`). No time is given back, nothing is earned
    a second time, and what is asked again has only what was left of its free time."""
    asked = dict(awaits)
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
    """After a seat has taken leave."""

    def change(clock: SeatClock) -> SeatClock:
        return _with(clock, leave=(*clock.leave, (start, end)))

    return _all(control, clocks, at, lambda now: _one(now, seat, change))


def slept(
    control: Control, clocks: Clocks, at: int, seat: str, start_min: int, length_min: int
) -> Clocks:
    """After a seat has chosen its night: the first counts at once, another from the next turn."""

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


def verdict(control: Control, clocks: Clocks) -> tuple[str | None, str, tuple[Any, ...]] | None:
    """How the game ends because of the flags that have fallen, as (winner, reason, its arguments);
    None if it goes on. It goes on while another flag with the same deadline has yet to fall."""
    fallen = clocks.fallen
    left = [clock.seat for clock in clocks.seats if clock.seat not in fallen]
    if not fallen or control.fall not in (LOSS, CLAIM) or (control.fall == CLAIM and left):
        return None
    if len(fallen) > 1:
        return None, FLAGGED_TOGETHER, (("seats", fallen),)
    return flag_lost(clocks, fallen[0])


def flag_lost(clocks: Clocks, seat: str) -> tuple[str | None, str, tuple[Any, ...]]:
    """How a game ends when a seat has lost on time: of two seats, the other wins."""
    others = [clock.seat for clock in clocks.seats if clock.seat != seat]
    return others[0] if len(others) == 1 else None, FLAGGED, (("seat", seat),)


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
