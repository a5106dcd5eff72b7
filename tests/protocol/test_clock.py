"""Clocks: the worked examples, and what holds of every log whatever happens in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve as replace
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audit import mini_clocks
from tests.fixtures import clocks as vectors
from warledger.protocol.clocks import clock
from warledger.protocol.clocks.clock import Reading
from warledger.protocol.clocks.clockcontrol import (
    BOT,
    CLAIM,
    DAY_MS,
    FREEZE,
    HOUR_MS,
    LOSS,
    MINUTE_MS,
    PRESETS,
    BadControl,
    Control,
)
from warledger.protocol.clocks.clockstate import Clocks
from warledger.protocol.log.bodies import Awaits

SEATS = ("a", "b")


class Table:
    """Clocks that a test plays with: each call is a record."""

    def __init__(self, control: Control, seats: tuple[str, ...] = SEATS) -> None:
        self.control = control
        self.clocks = clock.begin(control, seats)
        self.seq = 0
        self.open: dict[str, int] = {}
        self.marks = [clock.mark(self.clocks)]

    def ask(self, at: int, *seats: str, by: str = "", turns: int = 0) -> None:
        """A command of a seat, after which these are asked; whoever was asked before and still is
        keeps the question."""
        self.seq += 1
        left = {seat: seq for seat, seq in self.open.items() if seat != by}
        self.open = {seat: left.get(seat, self.seq) for seat in seats}
        awaits = self._awaits()
        said = (self.control, self.clocks, at, by, awaits, turns)
        self.clocks = clock.commanded(*said)
        assert self.clocks == clock._commanded(*said), "the short way is another one"
        self._mark()

    def back(self, at: int, to: int, *seats: str) -> None:
        """A takeback, after which these are asked."""
        self.seq += 1
        self.open = dict.fromkeys(seats, self.seq)
        awaits = self._awaits()
        self.clocks = clock.taken_back(self.control, self.clocks, at, awaits, self.marks[to])
        self._mark()

    def _awaits(self) -> Awaits:
        return tuple((seat, seq, "prompt.q") for seat, seq in self.open.items())

    def do(self, what: Any, *args: Any) -> None:
        """Something else."""
        self.seq += 1
        self.clocks = what(self.control, self.clocks, *args)
        self._mark()

    def _mark(self) -> None:
        """Note the record; what the clocks remember beside their fields follows from these."""
        self.marks.append(clock.mark(self.clocks))
        afresh = replace(self.clocks)
        assert self.clocks.next_deadline == afresh.next_deadline
        assert self.clocks.calm == afresh.calm

    def bank(self, seat: str) -> int:
        """What a seat has left."""
        return self.clocks.of(seat).bank

    def deadline(self, seat: str) -> int | None:
        """When its flag falls."""
        return self.clocks.of(seat).deadline

    def shows(self, seat: str, now: int) -> Reading:
        """What its clock shows."""
        return clock.reading(self.control, self.clocks, seat, now)


# --- worked examples ------------------------------------------------------------------------------


def test_e01_a_turn_and_a_quick_answer() -> None:
    """Five seconds are free, an answer within them costs nothing, and a turn that opens adds."""
    table = Table(Control(1_500_000, turn=300_000, cap=2_400_000, free=5_000, free_turn=90_000))
    table.ask(10_000, "a", turns=1)
    table.ask(52_000, "b", by="a")
    assert table.bank("a") == 1_500_000 - 37_000
    assert table.clocks.of("a").freed == 5_000
    table.ask(55_500, by="b", turns=1)
    assert table.clocks.of("b").freed == 3_500
    assert (table.bank("a"), table.bank("b")) == (1_763_000, 1_800_000)


def test_e02_both_asked() -> None:
    """Each has a clock of its own, and an answer stops only the clock of whoever gave it."""
    table = Table(Control(600_000, free=10_000, free_turn=180_000))
    table.ask(0, "a", "b")
    table.ask(30_000, "a", by="b")
    assert table.shows("a", 30_000).stopped == clock.RUNS
    assert table.shows("b", 30_000).stopped == clock.NOT_ASKED
    table.ask(200_000, by="a")
    assert (table.bank("a"), table.bank("b")) == (410_000, 580_000)


def test_e03_days() -> None:
    """Twelve hours for each answer; in the last question the flag falls after 77.5 hours."""
    table = Table(Control(72 * HOUR_MS, each=12 * HOUR_MS, cap=120 * HOUR_MS))
    at, banks = 0, []
    for minutes in (120, 1800, 30, 600):
        table.ask(at, "a")
        at += minutes * MINUTE_MS
        table.ask(at, by="a")
        banks.append(table.bank("a") / HOUR_MS)
    assert banks == [82, 64, 75.5, 77.5]
    table.ask(at, "a")
    assert table.deadline("a") == at + 4650 * MINUTE_MS
    assert table.clocks.due(at + 4650 * MINUTE_MS - 1) == ()
    assert [one.seat for one in table.clocks.due(at + 80 * HOUR_MS)] == ["a"]


def test_e04_the_deadline() -> None:
    """What is left of the free time of a turn counts; at the deadline itself the flag falls."""
    table = Table(Control(90_000, free=5_000, free_turn=8_000))
    table.ask(0, "a", turns=1)
    table.ask(4_000, by="a")
    table.ask(10_000, "a")
    assert table.shows("a", 10_000).free == 4_000
    assert table.deadline("a") == 104_000
    assert not table.clocks.due(103_999)
    assert table.clocks.due(104_000)


def test_e05_a_pause() -> None:
    """An hour's pause moves the deadline by an hour."""
    table = Table(Control(600_000))
    table.ask(0, "a")
    table.do(clock.paused, 120_000, 0)
    assert table.deadline("a") is None
    assert table.shows("a", 1_000_000) == Reading("a", 480_000, 0, clock.PAUSED, None, None)
    table.do(clock.resumed, 3_720_000, "a")
    assert table.deadline("a") is None, "one seat alone does not end it"
    table.do(clock.resumed, 3_720_000, "b")
    assert table.deadline("a") == 4_200_000


# --- the control ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_pace_with_a_name_stands_in_terms_and_is_read_again(name: str) -> None:
    """Every preset is a control that a genesis may have."""
    assert Control.read(PRESETS[name].as_terms(), SEATS) == PRESETS[name]


def test_the_paces_are_what_they_are_called() -> None:
    """Banks and additions of the presets, as hosts are told them."""
    told = {
        name: (
            one.bank // MINUTE_MS,
            one.turn // MINUTE_MS,
            one.each // HOUR_MS,
            one.cap // HOUR_MS,
        )
        for name, one in PRESETS.items()
    }
    assert told["fast"] == (72 * 60, 0, 12, 120)
    assert told["slow"] == (72 * 60, 0, 36, 240)
    assert told["mail"] == (14 * 24 * 60, 2 * 24 * 60, 0, 21 * 24)
    live, evening = PRESETS["live"], PRESETS["evening"]
    assert (live.bank, live.turn, live.cap) == (25 * MINUTE_MS, 5 * MINUTE_MS, 40 * MINUTE_MS)
    assert (live.free, live.free_turn) == (5_000, 90_000)
    assert (evening.bank, evening.turn, evening.cap) == tuple(n * MINUTE_MS for n in (60, 10, 90))
    assert (evening.free, evening.free_turn) == (10_000, 180_000)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ((), "a map"),
        ({}, "bank"),
        ({"bank": 0}, "bank"),
        ({"bank": -1}, "bank"),
        ({"bank": 1.5}, "bank"),
        ({"bank": True}, "bank"),
        ({"bank": 10**15}, "bank"),
        ({"bank": 1, "blitz": 1}, "blitz"),
        ({"bank": 1, "fall": "none"}, "fall"),
        ({"bank": 1, "fall": "bot"}, "bot"),
        ({"bank": 1, "fall": "loss", "bot": "captain"}, "bot"),
        ({"bank": 1, "nights": 11}, "nights"),
        ({"bank": 1, "leave_days": 2, "leave_each": 3}, "leave_each"),
        ({"bank": 1, "handicap": {"c": {"bank": 1}}}, "'c'"),
        ({"bank": 1, "handicap": {"a": {"free": 1}}}, "handicap"),
        ({"bank": 1, "handicap": {"a": {"bank": 0}}}, "bank"),
    ],
)
def test_a_control_that_cannot_be_is_refused(wrong: Any, says: str) -> None:
    """With a message that names what is wrong."""
    with pytest.raises(BadControl, match=says):
        Control.read(wrong, SEATS)


def test_a_handicap_gives_a_seat_a_clock_of_its_own() -> None:
    """Its bank and its additions; everything else is as for all."""
    control = Control.read(
        {"bank": 1000, "each": 10, "handicap": {"a": {"bank": 400, "each": 0}}}, SEATS
    )
    table = Table(control)
    assert (table.bank("a"), table.bank("b")) == (400, 1000)
    for seat in SEATS:
        table.ask(0, seat)
        table.ask(0, by=seat)
    assert (table.bank("a"), table.bank("b")) == (400, 1010)


# --- turns, takebacks -----------------------------------------------------------------------------


def test_an_addition_lifts_a_bank_to_the_cap_and_no_further() -> None:
    """A bank that stands above the cap already stays there."""
    table = Table(Control(1000, turn=300, cap=1200))
    table.ask(0, "a", turns=1)
    table.ask(0, "a", by="a", turns=1)
    assert table.bank("b") == 1200
    table = Table(Control(1500, turn=300, cap=1200))
    table.ask(0, "a", turns=2)
    assert table.bank("b") == 1500


def test_what_is_taken_back_and_done_again_earns_nothing_again() -> None:
    """No time comes back with a takeback; neither a turn nor an answer is paid for twice."""
    table = Table(Control(1000, turn=100, each=10))
    table.ask(0, "a", turns=1)
    for _ in range(3):
        table.ask(table.seq * 5, "b", by="a", turns=1)
        table.back(table.seq * 5, 1, "a")
    assert table.clocks.of("b").bank == 1000 + 100 - table.clocks.of("b").charged
    a = table.clocks.of("a")
    assert a.bank == 1000 + 100 + 10 - a.charged
    assert a.charged == 5 * 3
    table.ask(100, "b", by="a", turns=1)
    table.ask(100, "a", by="b", turns=1)
    assert table.clocks.turns == 3, "a turn that is new pays again"
    assert table.clocks.of("b").bank == 1000 + 200 + 10 - table.clocks.of("b").charged


@pytest.mark.parametrize(("free_turn", "free"), [(0, 10_000), (8_000, 10_000), (3_000, 6_000)])
def test_free_seconds_cannot_be_had_again_by_taking_back(free_turn: int, free: int) -> None:
    """The free time of a question is that question's, and that of a turn the turn's, however often
    they are played."""
    table = Table(Control(100_000, free=5_000, free_turn=free_turn))
    table.ask(0, "a", turns=1)
    at = 0
    for _ in range(10):
        at += 5_000
        table.ask(at, "a", by="a", turns=1)
        at += 5_000
        table.back(at, 1, "a")
    assert table.clocks.of("a").freed == free, "before the turn opened, and in it"
    assert table.bank("a") == free


def test_what_is_left_of_a_questions_free_time_is_kept_when_another_goes_back() -> None:
    """Whoever takes back cannot take the free time of somebody who is still thinking."""
    table = Table(Control(100_000, free=5_000))
    table.ask(0, "a", "b")
    table.ask(2_000, "b", by="a")
    table.back(2_000, 1, "a", "b")
    assert clock.reading(table.control, table.clocks, "b", 2_000).free == 3_000
    table.ask(9_000, by="b")
    assert (table.clocks.of("b").freed, table.bank("b")) == (5_000, 96_000)


def test_a_question_keeps_its_start_while_another_answers() -> None:
    """Unless it is asked anew under another record."""
    table = Table(Control(1000))
    table.ask(0, "a", "b")
    table.ask(400, "a", by="b")
    assert table.deadline("a") == 1000
    table.open.clear()
    table.ask(500, "a")
    assert table.deadline("a") == 1000
    assert table.bank("a") == 500


# --- what stops a clock ---------------------------------------------------------------------------


def test_a_pause_with_an_end_ends_by_itself() -> None:
    """No record is needed: the deadline knows of it from the beginning."""
    table = Table(Control(1000))
    table.ask(0, "a")
    table.do(clock.paused, 400, 5_000)
    assert table.deadline("a") == 5_600
    assert table.shows("a", 4_000) == Reading("a", 600, 0, clock.PAUSED, 5_600, 5_000)
    assert table.shows("a", 5_100) == Reading("a", 500, 0, clock.RUNS, 5_600, None)


def test_in_correspondence_one_seat_ends_a_pause_with_notice() -> None:
    """After the notice; at once where the others join in; and never later than was agreed."""
    table = Table(Control(1000, notice=300))
    table.ask(0, "a")
    table.do(clock.paused, 400, 0)
    table.do(clock.resumed, 900, "b")
    assert table.deadline("a") == 1200 + 600
    table.do(clock.resumed, 1000, "a")
    assert table.deadline("a") == 1000 + 600
    table = Table(Control(1000, notice=300))
    table.ask(0, "a")
    table.do(clock.paused, 400, 1000)
    table.do(clock.resumed, 900, "b")
    assert table.deadline("a") == 1000 + 600


def test_an_outage_costs_nobody_anything() -> None:
    """Also where it is told only after the deadline has gone by; but a flag that was due before it
    stays due."""
    table = Table(Control(1000))
    table.ask(0, "a")
    table.do(clock.out, 300, 5_000)
    assert table.deadline("a") == 5_700
    assert not table.clocks.due(5_200)
    assert table.shows("a", 5_200).left == 500
    table.do(clock.out, 6_000, 7_000)
    assert table.deadline("a") == 5_700


def test_leave_and_nights_stop_one_seat_alone_and_overlap_once() -> None:
    """Nights are hours of each day; one chosen later counts from the next turn on."""
    table = Table(Control(4 * HOUR_MS, nights=10, leave_days=3))
    table.do(clock.slept, 0, "a", 22 * 60, 8 * 60)
    table.ask(20 * HOUR_MS, "a", "b", turns=1)
    assert table.deadline("b") == 24 * HOUR_MS
    assert table.deadline("a") == DAY_MS + 8 * HOUR_MS, "two hours before the night, two after"
    night = table.shows("a", 23 * HOUR_MS)
    assert (night.stopped, night.left, night.until) == (
        clock.AT_NIGHT,
        2 * HOUR_MS,
        DAY_MS + 6 * HOUR_MS,
    )
    table.do(clock.left_for, 20 * HOUR_MS, "a", DAY_MS + 4 * HOUR_MS, DAY_MS + 10 * HOUR_MS)
    assert table.deadline("a") == DAY_MS + 12 * HOUR_MS
    assert table.shows("a", DAY_MS + 5 * HOUR_MS).until == DAY_MS + 10 * HOUR_MS
    assert table.shows("a", DAY_MS + 7 * HOUR_MS).stopped == clock.ON_LEAVE
    table.do(clock.slept, 21 * HOUR_MS, "a", 0, 0)
    assert table.deadline("a") == DAY_MS + 12 * HOUR_MS
    table.ask(21 * HOUR_MS, "a", by="b", turns=1)
    assert table.deadline("a") == DAY_MS, "the new choice is to have no night"


def test_a_claim_holds_the_clocks_until_it_is_ruled_on_and_a_freeze_until_it_is_thawed() -> None:
    """Several claims may hold them at a time."""
    table = Table(Control(1000))
    table.ask(0, "a", "b")
    table.do(clock.held, 100, 1)
    assert table.shows("b", 500) == Reading("b", 900, 0, clock.HELD, None, None)
    table.clocks = clock.held(table.control, table.clocks, 200, 2, freeze=True)
    table.do(clock.released, 300, 1)
    table.do(clock.released, 300, 2)
    assert table.shows("a", 500).stopped == clock.FROZEN, "a ruling alone thaws nothing"
    table.clocks = clock.released(table.control, table.clocks, 1_000, 2, thaw=True)
    assert (table.deadline("a"), table.deadline("b")) == (1_900, 1_900)


# --- credits --------------------------------------------------------------------------------------


def test_a_credit_counts_for_the_open_question_and_then_for_the_bank() -> None:
    """It moves the deadline by as much; of an answer that does not use it up the rest stays."""
    table = Table(Control(1000, free=50))
    table.ask(0, "a")
    table.do(clock.credited, 10, "a", 60)
    assert table.deadline("a") == 1_110
    table.ask(100, by="a")
    assert table.bank("a") == 1000, "40 ms of thinking, all of them free"
    table.ask(200, "a")
    table.do(clock.credited, 210, "a", 60)
    table.ask(220, by="a")
    assert table.bank("a") == 1040
    table.do(clock.credited, 300, "a", 5)
    assert table.bank("a") == 1045


def test_a_penalty_may_make_a_flag_fall_at_once() -> None:
    """Its deadline is then the moment of the penalty, never one before it."""
    table = Table(Control(1000))
    table.ask(0, "a")
    table.do(clock.credited, 300, "a", -200)
    assert table.deadline("a") == 800
    table.do(clock.credited, 400, "a", -5_000)
    assert table.deadline("a") == 400


# --- flags ----------------------------------------------------------------------------------------


def fallen(fall: str, *seats: str, **more: Any) -> Table:
    """A game in which the flags of these seats have fallen, at 1000."""
    table = Table(Control(1000, fall=fall, **more))
    table.ask(0, *seats)
    for seat in seats:
        assert seat in [one.seat for one in table.clocks.due(1_200)]
        table.do(clock.flagged, 1_200, seat)
    return table


def test_who_falls_loses() -> None:
    """Of two seats the other wins; nobody does where both fall at the same moment."""
    table = fallen(LOSS, "a")
    assert table.clocks.of("a").fallen == 1000
    assert table.bank("a") == -200
    assert table.shows("a", 1_300).stopped == clock.FALLEN
    assert clock.verdict(table.control, table.clocks) == ("b", "outcome.flag", (("seat", "a"),))
    table = fallen(LOSS, "a", "b")
    assert clock.verdict(table.control, table.clocks) == (
        None,
        "outcome.flags",
        (("seats", ("a", "b")),),
    )


def test_the_earlier_deadline_falls_first() -> None:
    """Only those with the earliest are due, however late it is noticed."""
    table = Table(Control(1000))
    table.ask(0, "a")
    table.ask(0, "a", "b")
    table.clocks = clock.credited(table.control, table.clocks, 0, "b", -1)
    assert [one.seat for one in table.clocks.due(9_000)] == ["b"]


def test_the_others_may_claim_the_game_or_let_play_on() -> None:
    """Time that another gives lets the fallen seat's clock run again; if all have fallen it is a
    draw."""
    table = fallen(CLAIM, "a")
    assert clock.verdict(table.control, table.clocks) is None
    table.do(clock.credited, 2_000, "a", 150)
    assert table.clocks.fallen == ("a",), "what it has is not more than nothing"
    table.do(clock.credited, 2_000, "a", 350)
    assert table.clocks.fallen == ()
    assert table.deadline("a") == 2_300
    table = fallen(CLAIM, "a", "b")
    verdict = clock.verdict(table.control, table.clocks)
    assert verdict is not None
    assert verdict[:2] == (None, "outcome.flags")


def test_a_fall_may_freeze_the_game() -> None:
    """All clocks stand still until an arbiter thaws it, with time for who has fallen."""
    table = fallen(FREEZE, "a")
    table.ask(1_200, "a", "b", by="b")
    assert table.shows("b", 5_000) == Reading("b", 1000, 0, clock.FROZEN, None, None)
    assert clock.verdict(table.control, table.clocks) is None
    table.do(clock.credited, 5_000, "a", 1_200)
    table.clocks = clock.released(table.control, table.clocks, 6_000, clock.BY_FLAG, thaw=True)
    assert (table.deadline("a"), table.deadline("b")) == (7_000, 7_000)


def test_a_bot_may_play_on_without_a_clock() -> None:
    """The one that the control names, and nobody else."""
    table = fallen(BOT, "a", bot="captain")
    table.do(clock.replaced, 2_000, "a", "somebody")
    assert table.clocks.fallen == ("a",)
    table.do(clock.replaced, 2_000, "a", "captain")
    assert table.clocks.fallen == ()
    assert table.shows("a", 10**9).stopped == clock.PLAYED_ON
    table.ask(3_000, "a", by="a")
    assert table.deadline("a") is None


def test_the_end_stops_everything() -> None:
    """And charges what the last question cost."""
    table = Table(Control(1000))
    table.ask(0, "a")
    table.do(clock.ended, 300)
    assert table.bank("a") == 700
    assert table.shows("a", 10**6) == Reading("a", 700, 0, clock.OVER, None, None)


# --- shared cases ---------------------------------------------------------------------------------

CASES: list[dict[str, Any]] = json.loads(vectors.FILE.read_text(encoding="ascii"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_fold_shows_what_the_shared_cases_say(case: dict[str, Any]) -> None:
    """The cases to which the page and every other client are held."""
    assert vectors.show(case) == sorted(case["shows"], key=lambda row: row[:3])


def test_the_shared_cases_are_those_that_are_written_here() -> None:
    """The file is what `tests/fixtures/clocks.py` writes: run it after a change."""
    assert vectors.FILE.read_text(encoding="ascii") == vectors.text()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_which_cases_are_legal_is_what_the_small_auditor_says(case: dict[str, Any]) -> None:
    """It objects to a record of each case that the file calls illegal, where it stops, and to none
    of the others'. (What the file says is what Python says; the page's tests hold the page to
    it.)"""
    clocks = mini_clocks.Clocks(case["terms"]["clock"], case["seats"])
    clocks.at_once = case["terms"].get("desk", [[], {}])[1].get("stop") == "claim"
    wrong = (
        clocks.take(
            told["at"],
            told["actor"] if isinstance(told["actor"], str) else tuple(told["actor"]),
            told["kind"],
            told["body"],
            sum(effect[:2] == ["open", "turn"] for effect in told["effects"]),
        )
        for told in case["records"]
    )
    found = next(filter(None, wrong), "")
    assert (found == "") == case["legal"], found


def test_a_good_part_of_the_cases_is_legal() -> None:
    """And a good part is not."""
    legal = [case["legal"] for case in CASES]
    assert legal.count(True) > 10 and legal.count(False) > 10


# --- laws -----------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.integers(0, 11),
        st.integers(0, 40 * HOUR_MS),
        st.sampled_from(("a", "b", "c")),
        st.integers(-3, 3 * HOUR_MS),
    ),
    max_size=40,
)
CONTROLS = st.builds(
    Control,
    bank=st.integers(1, 60 * HOUR_MS),
    turn=st.sampled_from((0, HOUR_MS)),
    each=st.sampled_from((0, 12 * HOUR_MS)),
    cap=st.sampled_from((0, 70 * HOUR_MS)),
    free=st.sampled_from((0, 5_000, HOUR_MS)),
    free_turn=st.sampled_from((0, 8_000)),
    notice=st.sampled_from((0, HOUR_MS)),
    fall=st.just(CLAIM),
)


def play(control: Control, steps: Any) -> list[tuple[int, str, Clocks, Clocks]]:
    """A game of three seats from arbitrary steps, flags falling when they are due: the moment,
    what was done, the clocks before and after it."""
    table = Table(control, ("a", "b", "c"))
    table.ask(0, "a", turns=1)
    at, log = 0, []

    def note(what: str, before: Clocks) -> None:
        log.append((at, what, before, table.clocks))

    for kind, wait, seat, more in steps:
        at += wait
        while table.clocks.due(at) and kind != 9:
            before = table.clocks
            table.do(clock.flagged, at, table.clocks.due(at)[0].seat)
            note("flag", before)
        before = table.clocks
        if kind < 4:
            others = [one for one in ("a", "b", "c")[: kind + 1] if one != seat]
            table.ask(at, *others, by=seat, turns=more % 7 == 0)
            note("command", before)
        elif kind == 4:
            table.back(at, more % len(table.marks), seat)
            note("takeback", before)
        elif kind == 5 and not table.clocks.paused(at):
            table.do(clock.paused, at, at + more if more > 0 else 0)
            note("pause", before)
        elif kind == 6:
            table.do(clock.resumed, at, seat)
            note("resume", before)
        elif kind == 7 and more > 0:
            table.do(clock.left_for, at, seat, at + more, at + 3 * more)
            note("leave", before)
        elif kind == 8:
            table.do(clock.slept, at, seat, more % 1440, more % 600)
            note("night", before)
        elif kind == 9 and wait:
            table.do(clock.out, at - wait, at)
            note("outage", before)
        elif kind == 10:
            table.do(clock.credited, at, seat, more)
            note("credit" if more >= 0 else "penalty", before)
        elif kind == 11:
            held = clock.released if table.clocks.held else clock.held
            table.do(held, at, 1)
            note("hold", before)
    return log


@settings(max_examples=150, deadline=None)
@given(CONTROLS, STEPS)
def test_all_time_of_a_question_is_charged_free_stopped_or_credited(
    control: Control, steps: Any
) -> None:
    """To the millisecond: what was charged, freed, stopped and credited is the time asked."""
    asked = dict.fromkeys(("a", "b", "c"), 0)
    since: dict[str, tuple[int, int]] = {"a": (1, 0)}
    for at, _, _, after in play(control, steps):
        for one in after.seats:
            old = since.get(one.seat, (0, 0))
            if old[0] != one.asked:
                if old[0]:
                    asked[one.seat] += at - old[1]
                since[one.seat] = (one.asked, at)
        for one in after.seats:
            seq, start = since.get(one.seat, (0, 0))
            counted = one.since - start if seq else 0
            total = one.charged + one.freed + one.stopped + one.credited
            assert total + one.ran == asked[one.seat] + counted


@settings(max_examples=150, deadline=None)
@given(CONTROLS, STEPS)
def test_deadlines_move_earlier_only_by_spending(control: Control, steps: Any) -> None:
    """While a question is open nothing but a penalty makes it fall earlier; nor does an end of a
    pause, a leave or a night that is not there yet put a deadline before the moment."""
    for at, what, before, after in play(control, steps):
        for old, new in zip(before.seats, after.seats, strict=True):
            if old.asked != new.asked or None in (old.deadline, new.deadline):
                continue
            assert old.deadline is not None
            assert new.deadline is not None
            if what not in ("penalty", "resume") and new.night == old.night:
                assert new.deadline >= old.deadline, (at, what)
            if new.deadline != old.deadline:
                assert new.deadline >= at


@settings(max_examples=150, deadline=None)
@given(CONTROLS, STEPS)
def test_looking_changes_nothing_and_a_deadline_is_when_nothing_is_left(
    control: Control, steps: Any
) -> None:
    """At its deadline a clock shows that nothing is left and nothing is free; a millisecond before,
    something is. What it shows in between agrees with the deadline wherever one looks."""
    for at, _, _, after in play(control, steps):
        for one in after.seats:
            if one.deadline is None or one.deadline <= at:
                continue
            end = clock.reading(control, after, one.seat, one.deadline)
            before = clock.reading(control, after, one.seat, one.deadline - 1)
            assert (end.left, end.free) == (0, 0)
            assert before.left + before.free == 1
            middle = (at + one.deadline) // 2
            seen = clock.reading(control, after, one.seat, middle)
            moved = clock._all(control, after, middle, lambda now: now)
            assert moved.of(one.seat).deadline == one.deadline
            assert clock.reading(control, moved, one.seat, middle) == seen
