"""OCS 4.8b, 4.9: what of a stack is shown, and hidden values in the log."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, put, stand, start
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import DG, RESERVE, with_supply
from warledger.engine.kernel.change import replace
from warledger.protocol.board.choices import Choices
from warledger.protocol.chance.seal import Secret

TIGERS, DIVISION, HQ, RIFLES = "ax.tgr.503", "ax.inf.44", "ax.hq.iv", "su.gd.81"


def test_4_9_hidden_and_open() -> None:
    """OCS 4.9 What a side hides is sealed for its owner; with open fog it stands plainly."""
    state = start()
    covered = fog.hidden(state, AXIS, 7)
    opened = replace(state, charts=with_options(charts_of("sudwind"), {"fog": "open"}))

    assert covered == Secret(7, (AXIS,))
    assert fog.hidden(opened, AXIS, 7) == 7
    assert (fog.plain(covered), fog.plain(7)) == (7, 7)


def test_4_9a_the_unit_with_a_zone_is_shown() -> None:
    """OCS 4.8b C, 4.9a A unit with a zone is on top; without one, any that could attack, then any
    combat unit."""
    state = stand({TIGERS: "A26.10", DIVISION: "A26.10", HQ: "A26.10"})
    at = state.units[TIGERS].at
    assert fog.candidates(state, at) == (DIVISION, TIGERS)

    state = put(state, DIVISION, move_side=True)
    assert fog.candidates(state, at) == (TIGERS,)
    state = put(state, TIGERS, oos=True)
    assert fog.candidates(state, at) == (TIGERS,)
    state = put(state, TIGERS, marker=RESERVE)
    assert fog.candidates(state, at) == (HQ, DIVISION, TIGERS)


def test_4_9a_the_shown_unit_stays() -> None:
    """OCS 4.8b [R] Among equals the one shown before stays, else the lowest id is shown."""
    state = stand({TIGERS: "A26.10"})
    at = state.units[TIGERS].at
    assert fog.stale(state) == ((at, TIGERS),)
    state = replace(state, tops={at: TIGERS})
    both = put(state, DIVISION, at=at, where="")

    assert fog.top(both, at) == TIGERS
    assert fog.top(replace(both, tops={}), at) == DIVISION
    assert fog.stale(put(both, TIGERS, marker=DG)) == ((at, DIVISION),)
    gone = put(state, TIGERS, at=-1, where="box.dead.axis")
    assert fog.stale(gone) == ((at, ""),)


def test_4_8b_an_hq_on_top() -> None:
    """OCS 4.8b D An HQ may lie on top while no enemy is adjacent; the enemy hears whether the hex
    has a zone."""
    state = stand({TIGERS: "A26.10", HQ: "A26.10"})
    at = state.units[HQ].at
    state = replace(state, tops={at: HQ})
    near = put(state, RIFLES, at=state.charts.board.hex("A26.11"), where="")

    assert HQ in fog.may_show(state, at)
    assert (fog.top(state, at), fog.top(near, at)) == (HQ, TIGERS)
    assert fog.zone_told(state, at)


def test_4_9a_the_shown_event_moves_the_top() -> None:
    """OCS 4.9a The event says what is shown; the position keeps it."""
    state = stand({TIGERS: "A26.10", DIVISION: "A26.10"})
    at = state.units[TIGERS].at
    after = fog.after[fog.TopShown](state, fog.TopShown("A26.10", TIGERS))

    assert after.tops == {at: TIGERS}
    assert fog.after[fog.TopShown](after, fog.TopShown("A26.10", "")).tops == {}
    assert fog.sees(after, SOVIET, TIGERS) and not fog.sees(after, SOVIET, DIVISION)
    assert fog.sees(after, AXIS, DIVISION)


def test_4_9a_markers_of_the_shown_unit() -> None:
    """OCS 4.8b A, 4.9a Mode and OOS markers are seen; losses and stocks are none."""
    state = put(stand({TIGERS: "A26.10"}), TIGERS, marker=DG, oos=True, stocks=2)

    assert fog.markers(state, TIGERS) == ("dg", "oos")


@pytest.mark.parametrize("guarded", [False, True])
def test_4_9_kinds_without_combat_units(guarded: bool) -> None:
    """OCS 4.9 [R] A hex without combat units shows that a dump and trucks are there; under combat
    units nothing of them is seen."""
    state = stand({"ax.1ss.truck": "A26.10", **({TIGERS: "A26.10"} if guarded else {})})
    at = state.units["ax.1ss.truck"].at
    state = with_supply(state, AXIS, at, 9)

    assert fog.kinds(state, at) == (() if guarded else ("dump", "organic"))


def test_4_8b_a_fighter_lies_on_top() -> None:
    """OCS 4.8b E Of the active aircraft at a base a fighter is shown; inactive ones are not."""
    state = start()
    at = state.charts.board.hex("A26.06")

    assert fog.top_aircraft(state, at) == "ax.air.bf109.1"
    idle = {n: replace(p, active=False) for n, p in state.aircraft.items()}
    assert fog.top_aircraft(replace(state, aircraft=idle), at) == ""


@pytest.mark.parametrize("mode", ["strict", "open"])
def test_4_8a_who_is_eliminated_is_not_told(mode: str) -> None:
    """OCS 4.8a, 4.9, R-17 Under fog the enemy does not hear which unit of a hex that holds too
    much its owner eliminates."""
    crowd = ("ax.inf.44", "ax.inf.46", "ax.inf.357", "ax.inf.711", "ax.inf.96")
    rig = at_table(stand(dict.fromkeys(crowd, "A26.10")), "overstacked", fog=mode)
    assert rig.asked() == {AXIS: "prompt.ocs.overstacked"}
    choices = rig.choices(AXIS, "eliminate", DIVISION)
    assert isinstance(choices, Choices) and choices.complete
    assert choices.sealed is (mode == "strict")
