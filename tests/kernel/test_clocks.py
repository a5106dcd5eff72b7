"""Games with clocks: what the ledger writes and refuses, what both auditors say of it, and what
they find where time was given, taken or overlooked."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.audit import mini_auditor
from tests.audit.tamper import chained, file_of
from tests.kernel.owed import assert_owed
from tests.toys import counting
from tests.verdicts import findings_of
from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.report import Report
from warledger.engine.kernel import replay
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.position import ENDED
from warledger.engine.testing.randomgames import Played, begin, signing_key
from warledger.protocol.board.choices import Refusal
from warledger.protocol.clocks.clockcontrol import BadControl
from warledger.protocol.log import bodies, records
from warledger.protocol.log.deskbodies import Credit, Leave, Night, Resume

RULEBOOK = Rulebook({"counting": counting.RULES}.__getitem__)
START = 1_700_000_000_000
DAY = 86_400_000


def table(turns: int = 3, **control: Any) -> Played:
    """A game of two with a bank of a minute, about to be played."""
    terms = {"clock": {"bank": 60_000, "fall": "loss", **control}}
    played = begin(counting.RULES, counting.PACK, options={"turns": turns}, terms=terms)
    played.at_ms = START + 100_000
    return played


def at(played: Played, seconds: float) -> Played:
    """The same game later: `seconds` after the newest record."""
    played.at_ms = played.records[-1].at_ms + int(seconds * 1000)
    return played


def fall(played: Played) -> None:
    """Let the flags fall that are due."""
    played.commit(played.ledger.propose_flag(played.at_ms))


def refused(made: Any) -> str:
    """The key of a refusal."""
    assert isinstance(made, Refusal), made
    return made.key


def found(played: Played) -> Report:
    """The whole audit, with the server's key and the toy's rules."""
    data = played.file()
    return audit(data, key=signing_key().verify_key.encode(), rulebook=RULEBOOK)[0]


def assert_sound(played: Played) -> None:
    """Both auditors find nothing; a fold from the log gives the same position."""
    report = found(played)
    assert not findings_of(report), findings_of(report)
    mini_auditor.audit(played.file())
    assert_owed(played)
    openings = dict(enumerate(played.openings))
    again = replay.fold(counting.RULES, played.records, openings).position
    assert again.clocks == played.position.clocks
    assert (again.undo, again.open, again.moved_on, again.ask) == (
        played.position.undo,
        played.position.open,
        played.position.moved_on,
        played.position.ask,
    )


# --- playing --------------------------------------------------------------------------------------


def test_a_whole_game_with_clocks_is_sound() -> None:
    """Every second is in the log: what was thought, what was free, what a turn added."""
    played = table(free=5_000, turn=10_000, cap=65_000)
    while played.position.stage != ENDED:
        seat = played.position.open[0][0]
        at(played, 7).submit(seat, "add", 1)
    assert_sound(played)
    clocks = played.position.clocks
    assert clocks is not None
    assert clocks.over
    assert all(one.freed == 5_000 * 3 for one in clocks.seats)


def test_a_seat_whose_flag_falls_has_lost() -> None:
    """At the deadline itself a command comes too late; a millisecond before, it stands."""
    played = at(table(), 0)
    opened = played.position.opened("a")
    assert opened is not None
    began = played.records[opened].at_ms
    played.at_ms = began + 60_000
    command = played.command("a", opened, ("pass",))
    assert refused(played.ledger.propose_command(command, began + 60_000)) == "refusal.fallen"
    assert refused(played.ledger.propose_flag(began + 59_999)) == "refusal.no_flag_due"
    assert isinstance(played.ledger.propose_command(command, began + 59_999), Batch)
    fall(played)
    outcome = played.position.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason.key) == ("b", "outcome.flag")
    end = next(one for one in played.records if one.kind == records.END)
    assert bodies.End.read(end.body).by == bodies.BY_FLAG
    assert_sound(played)


def test_the_others_wait_for_a_flag_that_is_due() -> None:
    """Nobody acts before it is written, whatever it is that they want."""
    played = at(table(), 90)
    assert refused(played.draw("b")) == "refusal.flag_due"
    assert refused(played.resign("a")) == "refusal.fallen"


def test_a_flag_may_let_the_others_claim_the_game() -> None:
    """Nothing of the fallen seat stands any more until it is let play on or the game is claimed."""
    played = at(table(fall="claim"), 90)
    fall(played)
    at(played, 5)
    assert played.position.stage != ENDED
    assert refused(played.resign("a")) == "refusal.fallen"
    assert refused(played.clock("a", Credit("a", 60_000, "", ()))) == "refusal.fallen"
    assert refused(played.clock("b", Credit("a", 1_000, "", ()))) == "refusal.credit"
    played.commit(played.clock("b", Credit("a", 90_000, "", ())))
    at(played, 30).submit("a", "pass")
    at(played, 70)
    fall(played)
    assert refused(played.claim_time("b")) == "refusal.fallen"
    at(played, 5).commit(played.claim_time("a"))
    outcome = played.position.outcome
    assert outcome is not None
    assert outcome.winner == "a"
    assert_sound(played)


def test_a_flag_may_freeze_the_game_for_an_arbiter() -> None:
    """Neither seat does anything, and no clock runs; whoever moves on all the same is found."""
    frozen = at(table(fall="freeze"), 90)
    fall(frozen)
    at(frozen, 5)
    opened = frozen.position.opened("a")
    assert opened is not None
    command = frozen.command("a", opened, ("pass",))
    assert refused(frozen.ledger.propose_command(command, frozen.at_ms)) == "refusal.fallen"
    for made in (frozen.draw("b"), frozen.resign("b"), frozen.pause("b")):
        assert refused(made) == "refusal.frozen"
    clocks = frozen.position.clocks
    assert clocks is not None
    assert clocks.next_change(frozen.at_ms) is None
    assert_sound(frozen)


def test_a_pause_stops_the_clocks_and_the_board() -> None:
    """All agree to it, and all to its end; a deadline is later by as much."""
    played = at(table(), 10)
    played.commit(played.pause("b"))
    at(played, 5).commit(played.answer("a", True))
    at(played, 3_600)
    opened = played.position.opened("a")
    assert opened is not None
    command = played.command("a", opened, ("pass",))
    assert refused(played.ledger.propose_command(command, played.at_ms)) == "refusal.paused"
    assert refused(played.pause("b")) == "refusal.paused_already"
    played.commit(played.clock("a", Resume("a")))
    assert refused(played.clock("a", Resume("a"))) == "refusal.not_paused"
    at(played, 10).commit(played.clock("b", Resume("b")))
    at(played, 44).submit("a", "pass")
    assert_sound(played)


def test_leave_nights_and_outages_are_in_the_log() -> None:
    """And bounded by the control."""
    played = at(table(nights=8, leave_days=2, leave_each=1), 10)
    now = played.at_ms
    assert refused(played.clock("a", Leave("a", now, now + 2 * DAY))) == "refusal.leave_long"
    assert refused(played.clock("a", Leave("a", now - 1, now + DAY))) == "refusal.leave_past"
    assert refused(played.clock("a", Night("a", 0, 481))) == "refusal.night"
    assert refused(played.clock("b", Leave("a", now, now + DAY))) == "refusal.act_form"
    played.commit(played.clock("a", Leave("a", now, now + DAY)))
    played.at_ms = now + 5
    assert refused(played.clock("a", Leave("a", now + 9, now + DAY))) == "refusal.leave_twice"
    played.commit(played.clock("b", Night("b", 0, 480)))
    played.at_ms = now + DAY + 20_000
    played.submit("a", "pass")
    played.commit(played.ledger.propose_outage(0, played.at_ms, played.at_ms))
    assert_sound(played)


def test_clock_records_neither_end_a_free_takeback_nor_are_its_target() -> None:
    """Between two commands of a seat they change nothing but time, which does not come back."""
    played = at(table(nights=8), 5)
    target = played.position.seq
    played.submit("a", "hide", "antelope")
    undo = played.position.undo
    played.commit(played.clock("b", Night("b", 0, 60)))
    assert played.position.undo == undo == (target,)
    assert refused(played.take_back("b", played.position.seq)) == "refusal.takeback_target"
    at(played, 5).commit(played.take_back("a", target))
    clocks = played.position.clocks
    assert clocks is not None
    assert clocks.of("a").charged == 5_000
    assert clocks.of("b").charged == 6_000
    played.commit(played.clock("a", Night("a", 0, 60)))
    at(played, 1).submit("a", "hide", "bumblebee")
    assert played.position.undo == (played.position.seq - 2,), "the record before the night"
    at(played, 1).commit(played.take_back("a", played.position.undo[0]))
    assert_sound(played)


def test_a_genesis_with_a_control_that_cannot_be_begins_no_game() -> None:
    """It is refused with what is wrong with it."""
    with pytest.raises(BadControl, match="bank"):
        table(bank=-1)


CONTROLS: tuple[dict[str, Any], ...] = (
    {"fall": "claim", "free": 5_000, "free_turn": 9_000, "turn": 30_000, "cap": 80_000},
    {"fall": "claim", "each": 20_000, "nights": 10, "leave_days": 20, "notice": 10_000},
    {"fall": "claim", "bank": 3 * DAY, "each": DAY, "nights": 8, "leave_days": 20, "turn": DAY},
    {"fall": "loss", "bank": 9_000_000, "handicap": {"a": {"bank": 60_000, "each": 90_000}}},
    {"fall": "freeze", "bank": 600_000},
)


def step(played: Played, rng: random.Random, bank: int) -> Any:
    """Something that somebody might do now, refused or not."""
    seat, now, ask = rng.choice("ab"), played.at_ms, played.position.ask
    if ask is not None and rng.random() < 0.7:
        return played.answer("ab".replace(ask.seat, ""), ask.kind != "draw" and rng.random() < 0.8)
    return rng.choice(
        (
            lambda: played.clock(seat, Leave(seat, now + rng.randrange(bank), now + bank + DAY)),
            lambda: played.clock(seat, Night(seat, rng.randrange(1440), rng.randrange(1, 600))),
            lambda: played.clock("a", Resume("a")),
            lambda: played.clock("b", Resume("b")),
            lambda: played.clock(seat, Credit("ab".replace(seat, ""), bank, "", ())),
            lambda: played.ledger.propose_outage(
                now - rng.randrange(bank), now - rng.randrange(99), now
            ),
            lambda: played.pause(seat, rng.choice((0, now + rng.randrange(1, bank)))),
            lambda: played.draw(seat),
            lambda: played.take_back(seat, rng.choice([*played.position.undo, 5])),
        )
    )()


@pytest.mark.parametrize("seed", range(10))
def test_whatever_happens_to_the_clocks_both_auditors_follow(seed: int) -> None:
    """Live play, replay and the two auditors come to the same clocks."""
    assert_sound(whatever_happens(seed))


def whatever_happens(seed: int) -> Played:
    """A game in which every seat does what it may, at any moment, and flags fall when they are
    due."""
    rng = random.Random(seed)
    control = CONTROLS[seed % len(CONTROLS)]
    played = table(turns=50, **control)
    bank = int(control.get("bank", 60_000))
    for _ in range(80):
        played.at_ms = played.records[-1].at_ms + rng.choice(
            (0, rng.randrange(6_000), rng.randrange(6_000), rng.randrange(bank // 3))
        )
        clocks = played.position.clocks
        assert clocks is not None
        while clocks.due(played.at_ms) and played.position.stage != ENDED:
            fall(played)
            clocks = played.position.clocks
            assert clocks is not None
        if played.position.stage == ENDED:
            break
        made = step(played, rng, bank)
        if isinstance(made, Batch):
            played.ledger.commit(made)
            played.records.extend(made.records)
            played.openings.extend(made.openings)
            played.positions[made.last.seq] = made.position
            continue
        for seat, opened, _ in played.position.open:
            command = played.command(seat, opened, ("add", 1))
            done = played.ledger.propose_command(command, played.at_ms)
            if isinstance(done, Batch):
                played.commit(done)
                break
    return played


# --- what auditors find ---------------------------------------------------------------------------


def forged(
    played: Played, seq: int, change: Callable[[tuple[Any, ...]], Any], at_ms: int = 0
) -> bytes:
    """The game's file with the body or the moment of one record changed, all mended behind it."""
    body = change(played.records[seq].body)
    times = {seq: at_ms} if at_ms else None
    return file_of(chained(played, {seq: body}, times=times), key=played.key)


def kinds(played: Played, kind: str) -> int:
    """The number of the first record of a kind."""
    return next(record.seq for record in played.records if record.kind == kind)


def wrong(data: bytes) -> list[tuple[int | None, str]]:
    """What the audit finds at level 1: (record, sentence). The small auditor refuses it too."""
    with pytest.raises(mini_auditor.Unsound):
        mini_auditor.audit(data)
    report = audit(data, key=signing_key().verify_key.encode())[0]
    return [(one.seq, one.said.key) for one in findings_of(report)]


def test_a_flag_a_millisecond_early_is_found() -> None:
    """The record is named, and so is one that says another deadline or another bank."""
    played = at(table(), 60)
    fall(played)
    seq = kinds(played, records.CLOCK)
    early = forged(played, seq, lambda body: body, played.records[seq].at_ms - 1)
    assert (seq, "acts.clock.flag_early") in wrong(early)
    other = forged(played, seq, lambda body: (*body[:2], body[2] - 1, body[3]))
    assert (seq, "acts.clock.deadline") in wrong(other)
    left = forged(played, seq, lambda body: (*body[:3], body[3] + 1))
    assert (seq, "acts.clock.left") in wrong(left)


def test_a_flag_left_out_and_an_answer_after_the_deadline_are_found() -> None:
    """The command of the seat itself, and anything that another does meanwhile."""
    played = at(table(), 59)
    played.submit("a", "pass")
    seq = played.position.seq
    late = forged(played, seq, lambda body: body, played.records[seq].at_ms + 1_000)
    assert (seq, "acts.clock.late") in wrong(late)
    played = at(table(), 59)
    played.commit(played.draw("b"))
    seq = played.position.seq
    missing = forged(played, seq, lambda body: body, played.records[seq].at_ms + 1_000)
    assert (seq, "acts.clock.no_flag") in wrong(missing)


def test_time_that_nobody_may_give_or_take_is_found() -> None:
    """A credit taken back, an outage that reaches over a record, a pause nobody agreed to."""
    played = at(table(fall="claim"), 90)
    fall(played)
    at(played, 5).commit(played.clock("b", Credit("a", 90_000, "", ())))
    seq = played.position.seq
    taken = forged(played, seq, lambda body: (*body[:2], -90_000, *body[3:]))
    assert seq in [where for where, _ in wrong(taken)]
    played = at(table(), 5)
    played.commit(played.ledger.propose_outage(played.at_ms - 2_000, played.at_ms, played.at_ms))
    seq = played.position.seq
    over = forged(played, seq, lambda body: (body[0], body[1] - 3_001, body[2]))
    assert (seq, "acts.clock.outage") in wrong(over)
    pause = forged(played, seq, lambda body: ("pause", ("a", "b"), 0))
    assert (seq, "acts.clock.pause") in wrong(pause)
