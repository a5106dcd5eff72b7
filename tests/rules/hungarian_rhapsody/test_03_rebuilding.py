"""HR 3.3, OCS 13.6: Soviet infantry returns, formations are rebuilt in the RVGK box."""

import pytest

from tests.rules.hungarian_rhapsody.arriving import (
    BRIGADES,
    CORPS,
    DIVISION,
    HOME,
    SOVIET,
    again,
    alone,
    arrived,
    corps,
    dead,
    divisions,
    over,
    phase,
)
from tests.rules.hungarian_rhapsody.bench import names, put, stand
from warledger.engine.games.hungarian_rhapsody import returning, rvgk
from warledger.engine.games.ocs.ch13_special_units import arrivals
from warledger.engine.games.ocs.series.state import LOW, taken_by
from warledger.engine.kernel.change import replace

SUPPLY = (3, 4)
TABLE = (1, 1)
"""Dice of the Soviet table that bring nothing."""
TWO_BRIGADES = (4, 5)
TURN = 7


# --- infantry -------------------------------------------------------------------------------------


def test_3_3a_a_division_returns_with_one_step_at_a_front_marker() -> None:
    """HR 3.3a It comes back in the next Soviet Reinforcement Phase, with one step, within two hexes
    of a front marker or at Sibiu; not elsewhere, and it cannot be put off."""
    rig = phase(dead(alone(), DIVISION), *SUPPLY, *TABLE, side=SOVIET, turn=TURN)
    assert rig.state.flags[returning.RETURNED] == 1
    places = set(map(str, rig.options(SOVIET, "place", DIVISION)))
    assert {"B49.11", "B49.34", "B1.33"} <= places
    assert "B49.14" not in places
    assert rig.refused(SOVIET, "done").rule == "OCS 13.6"
    rig.do(SOVIET, "place", DIVISION, "B49.11", "move")
    assert rig.state.units[DIVISION].lost == 2
    rig.do(SOVIET, "rest")
    again(rig, *SUPPLY, *TABLE, side=SOVIET, turn=TURN + 1)
    assert rig.state.flags[returning.RETURNED] == 1


def test_3_3a_the_east_entries_serve_once_they_are_open() -> None:
    """HR 3.3a, 3.1a East and South entries count from the turn that opens them."""
    state = dead(alone(), DIVISION)
    east = state.charts.board.entries["entry.soviet_east"]
    edge = {state.charts.board.name(i) for i in east.hexes} - {"B49.34"}
    before = replace(state, turn=east.from_turn - 1)
    after = replace(state, turn=east.from_turn)
    assert not edge & names(before, returning.infantry_at(before, DIVISION))
    assert edge & names(after, returning.infantry_at(after, DIVISION))


def test_3_3a_white_divisions_return_in_the_north() -> None:
    """HR 3.3a, 1.2a A white division comes at the 4th Ukrainian Front's marker, or by a North entry
    or A, B, C that the Soviets control."""
    state = dead(alone(), "su.w.271")
    found = returning.infantry_at(state, "su.w.271")
    assert "B1.33" in names(state, found)
    assert "B49.11" not in names(state, found)
    a = state.charts.board.entries["entry.a"].hexes[0]
    assert not found >> a & 1
    taken = taken_by(state, SOVIET, 1 << a)
    assert returning.infantry_at(taken, "su.w.271") >> a & 1


def test_3_3a_after_ten_a_die_and_two_turns() -> None:
    """HR 3.3a Of eleven the eleventh comes a die and two turns later; white ones count
    (HR R-33)."""
    state = alone()
    lost = (*divisions(state, 10), "su.w.271")
    rig = phase(dead(state, *lost), *SUPPLY, 3, *TABLE, side=SOVIET, turn=TURN)
    assert rig.state.flags[returning.RETURNED] == 11
    assert len(arrivals.waiting(rig.state, SOVIET)) == 10
    assert [one.turn for one in rig.state.coming if one.turn > TURN] == [TURN + 5]
    rig.do(SOVIET, "rest")
    again(rig, *SUPPLY, *TABLE, side=SOVIET, turn=TURN + 4)
    assert not arrivals.waiting(rig.state, SOVIET)
    again(rig, *SUPPLY, *TABLE, side=SOVIET, turn=TURN + 5)
    assert set(arrivals.waiting(rig.state, SOVIET)) == {"su.w.271"}


@pytest.mark.parametrize(
    ("unit", "returns"),
    [
        ("su.ur.54", True),
        ("su.abn.5", True),
        ("su.rd.99", True),
        ("su.gd.68", True),
        ("su.83nav", False),
        ("su.artdiv.9", False),
        ("su.5gcc.d1", False),
        ("su.ro.2mtn", False),
    ],
)
def test_3_3a_what_is_infantry(unit: str, returns: bool) -> None:
    """HR 3.3a Rifle, airborne, motorised divisions and fortified regions; no brigades, artillery,
    cavalry or Romanians."""
    assert (unit in returning.destroyed(dead(alone(), unit))) == returns


def test_3_3a_without_a_place_divisions_wait() -> None:
    """HR 3.3a [R] In Südwind no front marker and no entry is in play: nobody is asked."""
    state = dead(arrived(stand({}, "sudwind")), DIVISION)
    rig = phase(state, side=SOVIET, turn=41)
    assert rig.state.flags[returning.RETURNED] == 1
    assert over(rig)
    assert arrivals.stuck(rig.state, SOVIET) == (DIVISION,)


# --- the RVGK box ---------------------------------------------------------------------------------


def test_3_3b_a_formation_goes_to_the_box_is_rebuilt_and_returns() -> None:
    """HR 3.3b What traces comes off the map, the truck loaded; brigades are rebuilt in the box;
    with all of them it returns in a later phase within two hexes of the marker, not fuelled."""
    before = replace(corps(), fuelled_formations=frozenset({CORPS}))
    rig = phase(before, *SUPPLY, *TWO_BRIGADES, side=SOVIET, turn=TURN)
    rig.do(SOVIET, "retire", CORPS)
    units = rig.state.units
    assert {units[name].where for name in BRIGADES[2:]} == {rvgk.BOX}
    assert units["su.18tc.truck"].load == 4
    assert CORPS not in rig.state.fuelled_formations
    assert rig.options(SOVIET, "rebuild", BRIGADES[0]) == (rvgk.BOX,)
    rig.do(SOVIET, "rebuild", BRIGADES[0], rvgk.BOX)
    rig.do(SOVIET, "rebuild", BRIGADES[1], rvgk.BOX)
    assert rig.refused(SOVIET, "recall", CORPS).rule == "HR 3.3b"
    rig.do(SOVIET, "rest")
    again(rig, *SUPPLY, *TABLE, side=SOVIET, turn=TURN + 1)
    assert rig.refused(SOVIET, "recall", CORPS, "marker.front.4uf").rule == "HR 3.3b"
    rig.do(SOVIET, "recall", CORPS, "marker.front.2uf")
    whole = rig.state.charts.printed.mufs[CORPS]
    assert set(arrivals.waiting(rig.state, SOVIET)) == set(whole)
    places = set(map(str, rig.options(SOVIET, "place", BRIGADES[0])))
    grid = rig.state.charts.board.map.grid
    marker = rig.state.charts.board.hex("B49.11")
    board = rig.state.charts.board
    assert {grid.distance(marker, board.hex(one)) for one in places & set(grid.ids)} == {0, 1, 2}
    rig.do(SOVIET, "place", *whole, "B49.11")
    assert rig.state.units["su.18tc.truck"].load == 4
    assert not rvgk.inside(rig.state, CORPS)


def test_3_3b_not_all_brigades_not_back() -> None:
    """HR 3.3b While a brigade is dead the corps stays; support units do not matter."""
    state = corps()
    rig = phase(dead(state, "su.18tc.mtr"), *SUPPLY, 2, 4, side=SOVIET, turn=TURN)
    rig.do(SOVIET, "retire", CORPS)
    rig.do(SOVIET, "rebuild", BRIGADES[0], rvgk.BOX)
    later = replace(rig.state, turn=TURN + 1)
    assert not rvgk.ready(later, CORPS)
    units = {**later.units, BRIGADES[1]: later.units[BRIGADES[0]]}
    assert rvgk.ready(replace(later, units=units), CORPS)


def test_3_3b_units_that_cannot_trace_follow() -> None:
    """HR 3.3b A unit that is cut off stays on the map, so that nothing is rebuilt; it follows as
    soon as it traces."""
    mufs = alone().charts.printed.mufs
    where = {name: HOME for name in mufs[CORPS] if name not in BRIGADES[:2]}
    away = dead(alone({**where, "su.18tc.mtr": "A20.20", "su.hq.53a": HOME}), *BRIGADES[:2])
    rig = phase(away, *SUPPLY, *TWO_BRIGADES, side=SOVIET, turn=TURN)
    rig.do(SOVIET, "retire", CORPS)
    assert rig.state.units["su.18tc.mtr"].at >= 0
    assert rig.refused(SOVIET, "rebuild", BRIGADES[0]).rule == "OCS 13.5"
    rig.do(SOVIET, "rest")
    rig.state = put(rig.state, "su.18tc.mtr", at=rig.state.charts.board.hex(HOME))
    again(rig, *SUPPLY, *TWO_BRIGADES, side=SOVIET, turn=TURN + 1)
    assert rig.state.units["su.18tc.mtr"].where == rvgk.BOX
    assert BRIGADES[0] in rig.options(SOVIET, "rebuild")


def test_3_3b_low_stocks_come_off_what_arrives() -> None:
    """HR 3.3b What Low units need is taken from the supply that arrives and is not yet placed;
    where that is not enough the formation stays."""
    state = put(corps(), BRIGADES[2], stocks=LOW)
    rig = phase(state, *SUPPLY, *TABLE, side=SOVIET, turn=TURN)
    arriving = rvgk.at_hand(rig.state, SOVIET)
    rig.do(SOVIET, "retire", CORPS)
    assert rvgk.at_hand(rig.state, SOVIET) == arriving - 2
    assert rig.state.units[BRIGADES[2]].stocks == 0
    rig = phase(state, *SUPPLY, *TABLE, side=SOVIET, turn=TURN)
    assert CORPS in rvgk.going(rig.state)
    rig.do(SOVIET, "rest")
    assert CORPS not in rvgk.going(rig.state)


def test_3_3b_a_wholly_dead_formation_is_declared() -> None:
    """HR 3.3b A formation that lies in the dead pile whole goes to the box by word alone; one that
    has lost nothing, or is still to come, does not."""
    state = alone()
    whole = state.charts.printed.mufs[CORPS]
    rig = phase(dead(state, *whole), *SUPPLY, *TWO_BRIGADES, side=SOVIET, turn=TURN)
    assert rig.options(SOVIET, "retire") == (CORPS,)
    assert rig.refused(SOVIET, "retire", "23tc").rule == "HR 3.3b"
    rig.do(SOVIET, "retire", CORPS)
    rig.do(SOVIET, "rebuild", BRIGADES[0], rvgk.BOX)


def test_3_3b_two_formations_go_to_the_3rd_ukrainian_front() -> None:
    """HR 3.3b From 8 December those that the order of arrival names may return at the 3rd Ukrainian
    Front, two in all."""
    state = alone()
    markers = {**state.markers, "marker.front.3uf": (state.charts.board.hex("A62.28"),)}
    state = replace(state, markers=markers, turn=20)
    both = ("marker.front.2uf", "marker.front.3uf")
    assert rvgk.fronts(state, CORPS) == both
    assert rvgk.fronts(replace(state, turn=19), CORPS) == both[:1]
    assert rvgk.fronts(state, "23tc") == both[:1]
    once = replace(state, flags={f"{rvgk.SENT}{both[1]}": 1})
    assert rvgk.fronts(once, CORPS) == both
    twice = replace(state, flags={f"{rvgk.SENT}{both[1]}": 2})
    assert rvgk.fronts(twice, CORPS) == both[:1]


def test_13_6_the_3rd_ukrainian_front_enters() -> None:
    """OCS 13.6 Its marker comes onto the map on 8 November by the order of arrival; where the enemy
    stands, in the nearest hex with a road."""
    rig = phase(alone(), *SUPPLY, *TABLE, side=SOVIET, turn=11)
    assert names(rig.state, 1 << rig.state.markers["marker.front.3uf"][0]) == {"A62.28"}  # type: ignore[operator]
    rig = phase(alone({"ax.inf.72": "A62.28"}), *SUPPLY, *TABLE, side=SOVIET, turn=11)
    assert names(rig.state, 1 << rig.state.markers["marker.front.3uf"][0]) != {"A62.28"}  # type: ignore[operator]


def test_3_3b_under_fog_the_soviets_are_always_asked() -> None:
    """OCS 4.9, HR 3.3b Under strict fog the question comes whatever lies in pile and box, and with
    the same words."""
    found = []
    for state in (alone(), corps()):
        rig = phase(state, *SUPPLY, *TABLE, side=SOVIET, turn=TURN, fog="strict")
        rig.do(SOVIET, "rest")
        found.append(rig.asked())
        rig.do(SOVIET, "done")
    assert found[0] == found[1] == {SOVIET: "prompt.ocs.rebuilding"}
