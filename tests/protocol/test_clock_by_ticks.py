"""Clocks by looking at every minute there is: a second opinion on the fold, which skips and adds.

It shares nothing with the fold but the control: a minute is a minute of somebody's thinking if they
are asked and nothing stops their clock; how many of these are free is told as the question closes.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from attrs import define, field

from warledger.protocol.clocks import clock
from warledger.protocol.clocks.clockcontrol import Control
from warledger.protocol.log.bodies import Awaits

SEATS = ("a", "b", "c")
MINUTE = 60_000
DAY = 24 * 60


@define
class Plain:
    """One seat's clock, minute by minute: `spans` are leaves, `night` its night, `thought` how many
    minutes have run for the open question and `given` how many of them it was given."""

    bank: int
    asked: bool = False
    thought: int = 0
    free_of_turn: int = 0
    spans: list[tuple[int, int]] = field(factory=list)
    night: tuple[int, int] | None = None
    next_night: tuple[int, int] | None = None

    def runs(self, minute: int) -> bool:
        """Whether this minute is one of thinking, as far as the seat itself goes."""
        away = any(start <= minute < end for start, end in self.spans)
        into = None if self.night is None else (minute - self.night[0]) % DAY
        asleep = into is not None and self.night is not None and into < self.night[1]
        return self.asked and not away and not asleep


@define
class Hall:
    """All of them, and what stops them together."""

    control: Control
    seats: dict[str, Plain]
    now: int = 0
    turn: int = 0
    pause: tuple[int, int] | None = None
    held: set[int] = field(factory=set)

    def stopped(self, minute: int) -> bool:
        """Whether this minute is nobody's."""
        paused = self.pause is not None and (
            minute >= self.pause[0] and (self.pause[1] == 0 or minute < self.pause[1])
        )
        return paused or bool(self.held)

    def until(self, minute: int) -> None:
        """Let the minutes go by."""
        for tick in range(self.now, minute):
            for plain in self.seats.values():
                plain.thought += plain.runs(tick) and not self.stopped(tick)
        self.now = minute

    def free(self, plain: Plain) -> int:
        """How many minutes of the open question are free."""
        left = self.control.free // MINUTE
        if self.control.free_turn:
            left = min(left, self.control.free_turn // MINUTE - plain.free_of_turn)
        return max(0, left)

    def answer(self, seat: str, asked: set[str], opens: bool) -> None:
        """A seat answers, and these are asked after it."""
        for name, plain in self.seats.items():
            if plain.asked and (name == seat or name not in asked):
                freed = max(0, min(self.free(plain), plain.thought))
                plain.bank -= plain.thought - freed
                plain.free_of_turn += freed
                plain.asked = False
                if name == seat:
                    self.add(plain, self.control.each)
        if opens:
            self.turn += 1
            for plain in self.seats.values():
                if self.turn > 1:
                    self.add(plain, self.control.turn)
                plain.free_of_turn = 0
                plain.night, plain.next_night = plain.next_night or plain.night, None
        for name in asked:
            if not self.seats[name].asked:
                self.seats[name].asked, self.seats[name].thought = True, 0

    def add(self, plain: Plain, more: int) -> None:
        """An addition lifts a bank at most to the cap."""
        cap = self.control.cap // MINUTE
        wanted = plain.bank + more // MINUTE
        plain.bank = max(plain.bank, min(wanted, cap)) if cap and more else wanted

    def falls(self, name: str, horizon: int) -> int | None:
        """The minute at which the flag falls if nothing more happens, up to a horizon."""
        plain = self.seats[name]
        if not plain.asked:
            return None
        budget = plain.bank + self.free(plain) - plain.thought
        tick = self.now
        while budget > 0 and tick < horizon:
            budget -= plain.runs(tick) and not self.stopped(tick)
            tick += 1
        return tick if budget <= 0 else None


def _by_prompt(asked: dict[str, int]) -> Awaits:
    return tuple((seat, seq, "prompt.q") for seat, seq in asked.items())


def agree(seed: int) -> None:
    """A log of what may happen to clocks, counted both ways."""
    rng = random.Random(seed)
    pick = rng.choice
    control = Control(
        bank=pick((300, 2_000, 10_000)) * MINUTE,
        turn=pick((0, 30, 400)) * MINUTE,
        each=pick((0, 7, 200)) * MINUTE,
        cap=pick((0, 350, 2_100, 12_000)) * MINUTE,
        free=pick((0, 5, 60)) * MINUTE,
        free_turn=pick((0, 8, 90)) * MINUTE,
        nights=10,
        leave_days=14,
    )
    hall = Hall(control, {seat: Plain(control.bank // MINUTE) for seat in SEATS})
    clocks, seq, asked = clock.begin(control, SEATS), 1, {}
    hall.answer("", set(SEATS[:2]), True)
    asked = dict.fromkeys(SEATS[:2], seq)
    clocks = clock.commanded(control, clocks, 0, "", _by_prompt(asked), 1)
    claims = 0
    for _ in range(40):
        now = hall.now + rng.choice((0, 1, 4, 50, 500, 2000))
        falls = [at for name in SEATS if (at := hall.falls(name, now)) is not None]
        if falls and min(falls) <= now:
            now = max(hall.now, min(falls) - 1)  # everybody answers in time
        if now == hall.now and any(hall.falls(name, now + 1) == now for name in asked):
            return  # a flag falls: what follows is not about counting
        hall.until(now)
        at = now * MINUTE
        seq += 1
        what = rng.random()
        seat = pick(SEATS)
        if what < 0.5 and asked and not hall.stopped(now):
            seat = pick(sorted(asked))
            opens = rng.random() < 0.3
            following = set(rng.sample(SEATS, rng.randint(1, 3)))
            if rng.random() < 0.6:
                following |= set(asked) - {seat}
            hall.answer(seat, following, opens)
            asked = {n: asked.get(n, seq) if n != seat else seq for n in sorted(following)}
            clocks = clock.commanded(control, clocks, at, seat, _by_prompt(asked), int(opens))
        elif what < 0.6 and not hall.stopped(now):
            until = now + rng.choice((0, 30, 3000))
            hall.pause = (now, 0 if until == now else until)
            clocks = clock.paused(control, clocks, at, hall.pause[1] * MINUTE)
        elif what < 0.7 and hall.pause is not None and clocks.paused(at):
            hall.pause = (hall.pause[0], now)
            clocks = clock.resumed(control, clocks, at, "")
        elif what < 0.78:
            start = now + rng.choice((0, 100, 2000))
            hall.seats[seat].spans.append((start, start + DAY * rng.randint(1, 2)))
            span = hall.seats[seat].spans[-1]
            clocks = clock.left_for(control, clocks, at, seat, span[0] * MINUTE, span[1] * MINUTE)
        elif what < 0.86:
            night = (rng.randrange(DAY), rng.choice((0, 60, 600)))
            plain = hall.seats[seat]
            if plain.night is None:
                plain.night = night
            else:
                plain.next_night = night
            clocks = clock.slept(control, clocks, at, seat, *night)
        elif what < 0.92:
            claims += 1
            hall.held.add(claims)
            clocks = clock.held(control, clocks, at, claims)
        elif hall.held:
            gone = pick(sorted(hall.held))
            hall.held.discard(gone)
            clocks = clock.released(control, clocks, at, gone)
        check(seed, hall, control, clocks)


def check(seed: int, hall: Hall, control: Control, clocks: Any) -> None:
    """Both say the same of each seat: what it has left, and when its flag falls."""
    horizon = hall.now + 15 * DAY
    for name, plain in hall.seats.items():
        shown = clock.reading(control, clocks, name, hall.now * MINUTE)
        used = max(0, min(hall.free(plain), plain.thought)) if plain.asked else 0
        left = plain.bank - (plain.thought - used if plain.asked else 0)
        assert shown.left == left * MINUTE, f"seed {seed}, {name} at {hall.now}"
        falls = hall.falls(name, horizon)
        held = bool(hall.held) or (hall.pause is not None and hall.pause[1] == 0)
        if held or not plain.asked:
            assert shown.deadline is None, f"seed {seed}, {name} at {hall.now}"
        elif falls is not None:
            assert shown.deadline == falls * MINUTE, f"seed {seed}, {name} at {hall.now}"
        else:
            assert shown.deadline is None or shown.deadline >= horizon * MINUTE, f"seed {seed}"


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
def test_the_fold_counts_what_a_count_of_every_minute_says(part: int) -> None:
    """Banks and deadlines with free time, caps, additions, nights over midnight, leave, pauses and
    claims that hold the clocks, several seats at once."""
    for seed in range(part * 4, part * 4 + 4):
        agree(seed)


@pytest.mark.long
def test_the_fold_counts_the_same_in_many_logs() -> None:
    """The same for five hundred."""
    for seed in range(1000, 1500):
        agree(seed)
