"""An end that is held, so that a protest may be lodged: when it is written, what may happen before,
and what both auditors find where a server ended a game too early, too late or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.disputes import ANN, BOB, assert_sound, forged, over, refused, wrong
from warledger.engine.kernel.position import ENDED, PLAYING
from warledger.engine.testing.randomgames import Played
from warledger.protocol.log import bodies, records
from warledger.protocol.log.deskbodies import (
    Appeal,
    Froze,
    Heard,
    Looked,
    Thawed,
    Waived,
    Withdrawn,
)
from warledger.protocol.log.docket import BadDesk

HOUR_MS = 3_600_000


def end_of(played: Played) -> bodies.End:
    """The game's end."""
    return bodies.End.read(next(one for one in played.records if one.kind == records.END).body)


def last_command(played: Played) -> int:
    """The newest command."""
    return max(one.seq for one in played.records if one.kind == records.COMMAND)


def test_the_end_waits_for_the_time_of_protest() -> None:
    """Nobody is asked, nothing is opened, and the end is written at the moment itself."""
    played = over(HOUR_MS)
    over_ms = played.records[last_command(played)].at_ms
    assert played.position.stage == PLAYING
    assert played.position.open == ()
    assert played.records[-1].kind in (records.COMMAND, records.OPEN)
    assert refused(played.ledger.propose_end(over_ms + HOUR_MS - 1)) == "refusal.held"
    assert_sound(played)
    played.commit(played.ledger.propose_end(over_ms + HOUR_MS))
    assert (played.position.stage, end_of(played).by) == (ENDED, bodies.BY_RULES)
    assert_sound(played)


def test_the_end_follows_at_once_when_every_seat_has_waived_a_protest() -> None:
    """In the record after the last waiver; the first one does nothing yet."""
    played = over(HOUR_MS)
    played.commit(played.note("a", Waived("a")))
    assert played.position.stage == PLAYING
    assert refused(played.note("a", Waived("a"))) == "refusal.waived"
    assert refused(played.note("b", Waived("a"))) == "refusal.no_such_seat"
    assert refused(played.note(ANN, Waived("a"))) == "refusal.no_such_seat"
    played.commit(played.note("b", Waived("b")))
    assert (played.position.stage, end_of(played).by) == (ENDED, bodies.BY_RULES)
    assert_sound(played)


def test_a_protest_takes_the_game_back_and_it_goes_on() -> None:
    """The claim holds the end, whatever the time; the ruling reopens the game, whose next end is
    held anew."""
    played = over(HOUR_MS)
    last = last_command(played)
    played.commit(played.claim("b", last))
    played.at_ms += 2 * HOUR_MS
    assert refused(played.ledger.propose_end(played.at_ms)) == "refusal.held_claim"
    played.commit(played.note(ANN, Heard(1)))
    to = max(
        seq for seq, at in played.positions.items() if seq < last and at.open and at.moved_on == seq
    )
    played.commit(played.rule(ANN, 1, ("back", to)))
    assert played.position.docket.over_ms == 0
    seat = played.position.open[0][0]
    played.submit(seat, "pass")
    while played.position.open:
        played.submit(played.position.open[0][0], "pass")
    assert played.position.docket.over_ms == played.records[last_command(played)].at_ms
    for seat in ("a", "b"):
        played.commit(played.note(seat, Waived(seat)))
    assert played.position.stage == ENDED
    assert_sound(played)


def test_a_ruling_gives_as_much_time_again_to_appeal() -> None:
    """And ends the waivers; after it nobody protests."""
    played = over(HOUR_MS)
    played.commit(played.note("a", Waived("a")))
    assert refused(played.claim("a", 7)) == "refusal.waived"
    played.commit(played.claim("b", 7))
    played.commit(played.note(ANN, Heard(1)))
    played.at_ms += 2 * HOUR_MS
    ruled_ms = played.at_ms
    played.commit(played.rule(ANN, 1, finding="rejected"))
    assert refused(played.ledger.propose_end(ruled_ms + HOUR_MS - 1)) == "refusal.held"
    played.commit(played.note("a", Appeal(1, "All the same.")))
    played.commit(played.note(BOB, Heard(1)))
    played.commit(played.rule(BOB, 1, finding="rejected"))
    played.at_ms = played.records[-1].at_ms + HOUR_MS
    assert refused(played.claim("b", 7, 2)) == "refusal.protest_late"
    assert refused(played.note("b", Appeal(1, "No."))) == "refusal.protest_late"
    assert refused(played.note("b", Waived("b"))) == "refusal.protest_late"
    played.commit(played.ledger.propose_end(played.at_ms))
    assert_sound(played)


def test_no_seat_asks_for_anything_while_an_end_is_held() -> None:
    """No takeback, not even a free one, no draw and no resignation; an arbiter may look and freeze,
    and the freeze holds the end."""
    played = over(HOUR_MS)
    last = last_command(played)
    for made in (played.take_back("b", last - 1), played.draw("a"), played.resign("b")):
        assert refused(made) == "refusal.over"
    played.commit(played.note(ANN, Looked("a", 0, last)))
    played.commit(played.claim("b", last))
    for body in (Heard(1), Froze(1)):
        played.commit(played.note(ANN, body))
    played.commit(played.rule(ANN, 1))
    for seat in ("a", "b"):
        played.commit(played.note(seat, Waived(seat)))
    assert played.position.stage == PLAYING
    played.commit(played.note(ANN, Thawed(1)))
    assert played.position.stage == ENDED
    assert_sound(played)


def test_a_claim_withdrawn_once_every_seat_has_waived_ends_the_game() -> None:
    """Also one that was made while the game was still played."""
    played = over(HOUR_MS)
    played.commit(played.claim("b", 7))
    for seat in ("a", "b"):
        played.commit(played.note(seat, Waived(seat)))
    assert played.position.stage == PLAYING
    played.commit(played.note("b", Withdrawn(1)))
    assert played.position.stage == ENDED
    assert_sound(played)


def test_a_correction_after_the_end_may_turn_the_result() -> None:
    """The game stays over; who wins is decided by the board as it is corrected."""
    played = over(HOUR_MS)
    played.commit(played.claim("b", 7))
    played.commit(played.note(ANN, Heard(1)))
    picks = (("score", "b", 60),)
    played.commit(played.rule(ANN, 1, ("correct",), corrections=picks))
    for seat in ("a", "b"):
        played.commit(played.note(seat, Waived(seat)))
    assert end_of(played).winner == "b"
    assert_sound(played)


def test_a_ruling_may_end_a_game_whose_end_is_held() -> None:
    """At once, with its own cause."""
    played = over(HOUR_MS)
    played.commit(played.claim("b", 7))
    played.commit(played.note(ANN, Heard(1)))
    played.commit(played.rule(ANN, 1, ("forfeit", "a")))
    assert (end_of(played).winner, end_of(played).by) == ("b", bodies.BY_RULING)
    assert_sound(played)


def test_without_the_term_nothing_is_held_and_nothing_can_be_waived() -> None:
    """0 is as without it; a resignation is never held."""
    played = over(0)
    assert played.position.stage == ENDED
    assert_sound(played)
    played = over(HOUR_MS, turns=10)
    assert refused(played.note("a", Waived("a"))) == "refusal.not_over"
    assert refused(played.ledger.propose_end(played.at_ms)) == "refusal.not_over"
    played.commit(played.resign("a"))
    assert end_of(played).by == bodies.BY_RESIGNATION
    assert_sound(played)


@pytest.mark.parametrize("ms", [-1, 1.5, True, "1h", 401 * 24 * HOUR_MS])
def test_a_time_for_protests_that_cannot_be_begins_no_game(ms: Any) -> None:
    """It is refused with what is wrong with it."""
    with pytest.raises(BadDesk, match="protest_ms"):
        over(ms)


# --- what auditors find ---------------------------------------------------------------------------


def test_an_end_that_came_too_early_is_found() -> None:
    """Both auditors name it: with the time not up, and with a claim open."""
    played = over(HOUR_MS)
    played.commit(played.ledger.propose_end(played.at_ms + 2 * HOUR_MS))
    (end,) = [one.seq for one in played.records if one.kind == records.END]
    early = played.records[end].at_ms - 2 * HOUR_MS
    found = wrong(forged(played, {}, times=dict.fromkeys(range(end, len(played.records)), early)))
    assert (end, "acts.held.early") in found


def test_a_game_that_goes_on_after_every_seat_has_waived_is_found() -> None:
    """The end follows at once: here a look was written in between, in place of a word."""
    played = over(HOUR_MS)
    played.commit(played.note("a", Waived("a")))
    played.commit(played.note(ANN, Looked("a", 0, 7)))
    played.commit(played.note("b", Waived("b")))
    look = played.position.seq - 2
    assert wrong(forged(played, {look: ("looked", "c", 0, 7)}))
    played = over(HOUR_MS)
    for seat in ("a", "b"):
        if seat == "b":
            played.commit(played.claim("b", 7))
        played.commit(played.note(seat, Waived(seat)))
    played.commit(played.note(ANN, Heard(1)))
    claim = next(one.seq for one in played.records if one.body[:1] == ("claim",))
    found = wrong(forged(played, {claim: ("looked", "a", 0, 7)}, {claim: ANN}))
    assert (played.position.seq, "acts.held.went_on") in found
