"""The clocks of a game as they stand after a record: what `clock` computes, and what can be read
off them without computing anything."""

from functools import cached_property
from typing import Any, Final, TypeAlias

from attrs import frozen

Span: TypeAlias = tuple[int, int]
"""Two moments: the first included, the second excluded. For a night: minute of the day (UTC) at
which it begins, and its length in minutes."""


Fields: TypeAlias = dict[str, Any]
"""The fields of a SeatClock that nobody has seen yet."""


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

    @cached_property
    def calm(self) -> bool:
        """Whether a clock runs just while its seat is asked: nobody is on leave or has a night, no
        pause, claim or fall has stopped anything, and the game goes on. So it is nearly always."""
        return not (self.held or self.over or self.pause is not None) and not any(
            clock.fallen is not None
            or clock.bot
            or clock.leave
            or clock.night is not None
            or clock.next_night is not None
            for clock in self.seats
        )

    @cached_property
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


CACHED: Final = ("calm", "next_deadline")
"""What Clocks remember beside their fields; a changed copy must not keep it."""
