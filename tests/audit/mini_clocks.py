"""The clocks of the small auditor, written from the pages of `protocol/` alone.

Every stop is kept as an interval, and what a question has cost is worked out from its beginning
each time: slow, and plain.
"""

from typing import Any

DAY, MINUTE = 86_400_000, 60_000
FOREVER = 2**60
TIMES = ("bank", "turn", "each", "cap", "free", "free_turn", "notice")
LONGEST = 400 * DAY


def control_is_one(control: Any, seats: list[str]) -> bool:
    """Whether a map is a control of clocks."""
    if not isinstance(control, dict):
        return False
    days = ("nights", "leave_days", "leave_each")
    if set(control) - {*TIMES, *days, "fall", "bot", "handicap"}:
        return False
    whole = [control.get(name, 0) for name in (*TIMES, *days)]
    if not all(type(value) is int and 0 <= value <= LONGEST for value in whole):
        return False
    own = control.get("handicap", {})
    if not isinstance(own, dict) or not all(
        seat in seats
        and isinstance(more, dict)
        and bool(more)
        and set(more) <= {"bank", "turn", "each", "cap"}
        and all(type(value) is int and 0 <= value <= LONGEST for value in more.values())
        and more.get("bank", 1) > 0
        for seat, more in own.items()
    ):
        return False
    fall, bot = control.get("fall", "loss"), control.get("bot", "")
    return (
        control.get("bank", 0) > 0
        and control.get("nights", 0) <= 10
        and control.get("leave_days", 0) <= 400
        and control.get("leave_each", 0) <= control.get("leave_days", 0)
        and fall in ("loss", "claim", "freeze", "bot")
        and isinstance(bot, str)
        and len(bot) <= 64
        and (fall == "bot") == bool(bot) == ("bot" in control)
    )


class Seat:
    """One seat's clock."""

    def __init__(self, bank: int) -> None:
        self.bank = bank
        self.asked = self.start = self.credit = self.freed = 0
        self.answered = self.rewarded = self.questions = 0
        self.spent: dict[int, int] = {}
        self.deadline: int | None = None
        self.fallen = self.bot = False
        self.stops: list[list[int]] = []
        self.leave: list[list[int]] = []
        self.nights: list[tuple[int, int, int]] = []
        self.next_night: Any = None


class Clocks:
    """All clocks of a game, and what is wrong with its records."""

    def __init__(self, control: dict[str, Any], seats: list[str]) -> None:
        self.control = control
        self.at_once = False
        self.holds: set[int] = set()
        self.claims: dict[str, int] = {}
        self.ice: set[int] = set()
        self.seats = {seat: Seat(self.own(seat, "bank")) for seat in seats}
        self.turn = self.turns = 0
        self.common: list[list[int]] = []
        self.pause: Any = None
        self.hold: Any = None
        self.last = 0
        self.after: list[Any] = [self.mark()]

    def own(self, seat: str, what: str) -> int:
        """A field of the control as it is for a seat."""
        value: int = (
            self.control.get("handicap", {}).get(seat, {}).get(what, self.control.get(what, 0))
        )
        return value

    def get(self, what: str) -> int:
        """A field of the control."""
        value: int = self.control.get(what, 0)
        return value

    def mark(self) -> Any:
        """What a takeback restores."""
        return self.turn, [(seat.answered, seat.questions) for seat in self.seats.values()]

    # --- time -------------------------------------------------------------------------------------

    def intervals(self, seat: Seat, until: int) -> list[list[int]]:
        """When a seat's clock stands still, merged, from the beginning of its question on."""
        found = [*self.common, *seat.stops, *seat.leave]
        if self.pause:
            found.append(self.pause[:2])
        for index, (since, start, length) in enumerate(seat.nights):
            end = seat.nights[index + 1][0] if index + 1 < len(seat.nights) else FOREVER
            day = max(since, seat.start) // DAY - 1
            while length and day * DAY < min(end, until):
                begins = day * DAY + start * MINUTE
                found.append([max(begins, since), min(begins + length * MINUTE, end)])
                day += 1
        merged: list[list[int]] = []
        for begins, ends in sorted([begins, ends] for begins, ends in found if ends > begins):
            if merged and begins <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], ends)
            else:
                merged.append([begins, ends])
        return merged

    def elapsed(self, seat: Seat, at: int) -> int:
        """What the question has taken so far."""
        stood = sum(
            max(0, min(ends, at) - max(begins, seat.start))
            for begins, ends in self.intervals(seat, at)
        )
        return at - seat.start - stood - seat.credit

    def free(self, seat: Seat) -> int:
        """How much of the question is free."""
        number = seat.questions + (not seat.asked)
        later = any(other > number for other in seat.spent)
        free = 0 if later else max(0, self.get("free") - seat.spent.get(number, 0))
        most = self.get("free_turn")
        return max(min(free, most - seat.freed), 0) if most else free

    def left(self, seat: Seat, at: int) -> int:
        """What a seat's bank would be if its question closed now."""
        elapsed = self.elapsed(seat, at)
        return seat.bank - (elapsed - max(min(self.free(seat), elapsed), 0))

    def due_at(self, seat: Seat, at: int) -> int | None:
        """The deadline, worked out at the record in hand."""
        if not seat.asked or seat.fallen or seat.bot or self.hold is not None:
            return None
        if self.paused(at) and self.pause[1] == FOREVER:
            return None
        budget = seat.bank + self.free(seat) + seat.credit
        if budget - (self.elapsed(seat, at) + seat.credit) <= 0:
            return at
        horizon = at + 3 * budget + 40 * DAY
        now = seat.start
        for begins, ends in self.intervals(seat, horizon):
            if ends <= now:
                continue
            if begins - now >= budget:
                break
            budget -= max(0, begins - now)
            now = ends
        return None if now >= FOREVER else now + budget

    def times(self, at: int, was: dict[str, Any], away: int = FOREVER) -> None:
        """Work out all deadlines again; one that has passed stays, except for an outage before
        it."""
        for name, seat in self.seats.items():
            asked, old = was[name]
            live = not seat.fallen and not seat.bot
            if live and old is not None and asked == seat.asked and old <= min(at, away):
                seat.deadline = old
            else:
                seat.deadline = self.due_at(seat, at)

    # --- what happens -----------------------------------------------------------------------------

    def close(self, seat: Seat, at: int) -> None:
        """A question closes."""
        elapsed = self.elapsed(seat, at)
        freed = max(min(self.free(seat), elapsed), 0)
        seat.bank -= elapsed - freed
        seat.freed += freed
        seat.spent[seat.questions] = seat.spent.get(seat.questions, 0) + freed
        seat.asked = seat.credit = 0

    def ask(self, seat: Seat, at: int, seq: int) -> None:
        """A question opens."""
        seat.asked, seat.start, seat.credit = seq, at, 0
        seat.questions += 1
        seat.spent.setdefault(seat.questions, 0)

    def add(self, name: str, what: str) -> None:
        """An addition, within the cap."""
        seat, cap = self.seats[name], self.own(name, "cap")
        bank = seat.bank + self.own(name, what)
        seat.bank = max(seat.bank, min(bank, cap)) if cap else bank

    def command(self, at: int, who: str, awaits: Any, opened: int) -> None:
        """A command."""
        asked = {name: seq for name, seq, _ in awaits}
        self.turn += opened
        new = self.turn > self.turns
        for name, seat in self.seats.items():
            if seat.asked and asked.get(name) != seat.asked:
                self.close(seat, at)
                if name == who:
                    seat.answered += 1
                    if seat.answered > seat.rewarded:
                        seat.rewarded = seat.answered
                        self.add(name, "each")
            if new:
                for _ in range(max(0, self.turn - max(self.turns, 1))):
                    self.add(name, "turn")
                seat.freed = 0
                if seat.next_night is not None:
                    seat.nights.append((at, *seat.next_night))
                    seat.next_night = None
            if name in asked and not seat.asked:
                self.ask(seat, at, asked[name])
        self.turns = max(self.turn, self.turns)

    def takeback(self, at: int, to: int, awaits: Any) -> None:
        """A takeback."""
        asked = {name: seq for name, seq, _ in awaits}
        self.turn, answered = self.after[to]
        for (count, questions), (name, seat) in zip(answered, self.seats.items(), strict=True):
            if seat.asked:
                self.close(seat, at)
            seat.answered, seat.questions = count, questions - (name in asked)
            if name in asked:
                self.ask(seat, at, asked[name])

    def flag(self, at: int, name: str) -> None:
        """A flag."""
        seat = self.seats[name]
        asked = seat.asked
        self.close(seat, at)
        seat.asked, seat.start, seat.fallen = asked, at, True
        seat.stops.append([at, FOREVER])
        if self.control.get("fall") == "freeze":
            self.stop(at, 0)
            self.ice.add(0)

    def stop(self, at: int, n: int) -> None:
        """A claim holds the clocks."""
        self.holds.add(n)
        if self.hold is None:
            self.hold = [at, FOREVER]
            self.common.append(self.hold)

    def ruling(self, at: int, body: Any) -> None:
        """A claim, or what an arbiter writes."""
        what, n = body[:2]
        if what == "claim" and self.at_once:
            made = self.claims[body[2]] = self.claims.get(body[2], 0) + 1
            if made <= 3 or not body[2]:
                self.stop(at, n)
        if what in ("heard", "frozen"):
            self.stop(at, n)
        if what == "frozen":
            self.ice.add(n)
        if what == "thawed":
            self.ice.discard(n)
        if what in ("ruled", "withdrawn", "thawed") and n not in self.ice:
            self.holds.discard(n)
        if self.hold is not None and not self.holds:
            self.hold[1], self.hold = at, None

    def resume(self, at: int, name: str) -> None:
        """A seat wants to go on."""
        said = self.pause[2]
        said.add(name)
        if len(said) == len(self.seats):
            self.pause[1] = at
        elif self.get("notice"):
            self.pause[1] = min(self.pause[1], at + self.get("notice"))

    def paused(self, at: int) -> bool:
        """Whether a pause is in force."""
        return bool(self.pause) and at < self.pause[1]

    # --- one record -------------------------------------------------------------------------------

    def take(self, at: int, actor: str, kind: str, body: Any, opened: int) -> str:
        """Take a record. Returns what is wrong with it, "" if nothing is."""
        was = {name: (seat.asked, seat.deadline) for name, seat in self.seats.items()}
        wrong, away = self.check(at, actor, kind, body), FOREVER
        if wrong:
            return wrong
        what = body[0] if kind == "clock" else ""
        if kind == "command":
            self.command(at, body[1], body[10], opened)
        elif kind == "takeback":
            self.takeback(at, body[1], body[3])
        elif kind == "end":
            for seat in self.seats.values():
                seat.asked = 0
        elif kind == "seat" and body[0] == "replaced":
            seat = self.seats[body[1]]
            if seat.fallen and body[3] == self.control.get("bot"):
                seat.fallen, seat.bot = False, True
        elif kind == "ruling":
            self.ruling(at, body)
        elif what == "flag":
            self.flag(at, body[1])
        elif what == "pause":
            if self.pause:
                self.common.append(self.pause[:2])
            self.pause = [at, body[2] or FOREVER, set()]
        elif what == "resume":
            self.resume(at, body[1])
        elif what == "credit":
            seat = self.seats[body[1]]
            if seat.asked and not seat.fallen:
                seat.credit += body[2]
            else:
                seat.bank += body[2]
                if seat.fallen and seat.bank > 0:
                    seat.fallen = False
                    seat.stops[-1][1] = at
        elif what == "outage":
            self.common.append(body[1:3])
            away = body[1]
        elif what == "leave":
            self.seats[body[1]].leave.append(body[2:4])
        elif what == "night":
            seat = self.seats[body[1]]
            if seat.nights:
                seat.next_night = body[2:4]
            else:
                seat.nights.append((at, *body[2:4]))
        self.times(at, was, away)
        self.last = at
        self.after.append(self.mark())
        return ""

    def check(self, at: int, actor: str, kind: str, body: Any) -> str:
        """What is wrong with a record as far as time goes."""
        what = body[0] if kind == "clock" else ""
        known = [seat.deadline for seat in self.seats.values() if seat.deadline is not None]
        first = min(known, default=FOREVER)
        due = [name for name, seat in self.seats.items() if seat.deadline == first]
        if what == "flag":
            if first > at or body[1] not in due or body[2] != first:
                return "a flag"
            return "" if body[3] == self.left(self.seats[body[1]], at) else "what was left"
        if first <= at and what != "outage" and kind != "open":
            return "a flag that is missing"
        acts = actor in self.seats and not (kind == "seat" and body[0] == "replaced")
        if acts and self.seats[actor].fallen and kind != "ruling":
            return "a seat whose flag has fallen"
        if acts and kind not in ("end", "ruling") and self.ice:
            return "a seat in a frozen game"
        if kind == "command" and body[1] and self.paused(at):
            return "a command in a pause"
        if what == "pause":
            good = body[1] == list(self.seats) and not self.paused(at)
            return "" if good and (body[2] == 0 or body[2] > at) else "a pause"
        if what == "resume":
            good = self.paused(at) and body[1] not in self.pause[2]
            return "" if good else "a resumption"
        if what == "outage":
            return "" if self.last <= body[1] < body[2] <= at else "an outage"
        if what == "credit":
            if actor == "server":
                return "" if body[1] in self.seats and 0 < abs(body[2]) <= LONGEST else "a credit"
            seat = self.seats[body[1]]
            gives = seat.fallen and actor != body[1] and seat.bank + body[2] > 0
            good = len(body) == 6 and gives and self.control.get("fall") == "claim"
            good = good and body[3:5] == ["", []]
            return "" if good and 0 < body[2] <= LONGEST else "a credit"
        if what == "leave":
            leave = self.seats[body[1]].leave
            days = self.get("leave_days") * DAY
            used = sum(ends - begins for begins, ends in leave)
            took = body[3] - body[2]
            good = (
                at <= body[2] < body[3]
                and used + took <= days
                and took <= (self.get("leave_each") * DAY or days)
                and len(leave) < 64
                and all(body[3] <= begins or ends <= body[2] for begins, ends in leave)
            )
            return "" if good else "leave"
        if what == "night":
            hours = self.get("nights")
            good = hours and 0 <= body[2] < 1440 and 0 <= body[3] <= hours * 60
            return "" if good else "a night"
        return ""

    def over(self) -> Any:
        """What the end must say by the flags that have fallen, or None."""
        fallen = [name for name, seat in self.seats.items() if seat.fallen]
        fall = self.control.get("fall", "loss")
        if not fallen or fall not in ("loss", "claim"):
            return None
        if fall == "claim" and len(fallen) < len(self.seats):
            return None
        if len(fallen) > 1:
            return [None, "outcome.flags", [["seats", fallen]]]
        return self.lost(fallen[0])

    def lost(self, seat: str) -> Any:
        """The end of a game that a seat has lost on time."""
        others = [name for name in self.seats if name != seat]
        return [others[0] if len(others) == 1 else None, "outcome.flag", [["seat", seat]]]
