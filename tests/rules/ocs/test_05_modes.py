"""OCS 5: the six modes: values, allowed changes, limits."""

from fractions import Fraction
from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement, movement_refusals
from warledger.engine.games.ocs.series.state import DG, EXPLOIT, RESERVE, STRAT

DIVISION, TIGERS, HQ, GUNS, RIFLES = "ax.inf.44", "ax.tgr.503", "ax.hq.iv", "ax.art.403", "su.gd.81"
MATES = "ax.inf.153"
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@pytest.mark.parametrize(
    ("changes", "ma", "attack", "defence", "ar", "barrage"),
    [
        ({}, 3, 11, 11, 4, 36),
        ({"move_side": True}, 5, 5, 5, 4, 18),
        ({"marker": RESERVE}, "3/4", 0, "11/2", 4, 0),
        ({"marker": RESERVE, "move_side": True}, "5/4", 0, "5/2", 4, 0),
        ({"marker": STRAT, "move_side": True}, 10, 0, 0, 0, 0),
        ({"marker": DG}, "3/2", "11/2", "11/2", 3, 18),
        ({"marker": DG, "move_side": True}, "5/2", "5/2", "5/2", 3, 9),
    ],
)
def test_5_the_mode_table(
    changes: dict[str, Any], ma: Any, attack: Any, defence: Any, ar: int, barrage: Any
) -> None:
    """OCS 5 Every line of the table, on either side of the counter, in the own Movement Phase."""
    state = put(stand({DIVISION: "A26.10"}, phasing=AXIS, segment="c2"), DIVISION, **changes)

    assert state.face(DIVISION).ma * modes.ma_factor(state, DIVISION) == Fraction(ma)
    assert modes.strength(state, DIVISION, attacking=True) == Fraction(attack)
    assert modes.strength(state, DIVISION, attacking=False) == Fraction(defence)
    assert modes.ar(state, DIVISION) == ar
    guns = put(stand({GUNS: "A26.09"}), GUNS, **changes)
    assert modes.barrage(guns, GUNS) == barrage


@pytest.mark.parametrize(
    ("segment", "phasing", "changes", "factor"),
    [
        ("c2", AXIS, {"marker": RESERVE}, QUARTER),
        ("c2", AXIS, {"marker": DG}, HALF),
        ("c2", SOVIET, {}, 0),
        ("e1", SOVIET, {"released": True}, HALF),
        ("e1", SOVIET, {"marker": RESERVE}, 0),
        ("e1", SOVIET, {}, 0),
        ("g1", AXIS, {"released": True}, 1),
        ("g1", AXIS, {"marker": EXPLOIT}, HALF),
        ("g1", AXIS, {}, 0),
        ("f2", AXIS, {}, 0),
    ],
)
def test_5_who_moves_in_which_segment(
    segment: str, phasing: str, changes: dict[str, Any], factor: Any
) -> None:
    """OCS 2.3, 5 Reserves at a quarter, at half in Reaction and whole in Exploitation once
    released; Exploit mode at half; nobody else after the Movement Phase."""
    state = put(stand({TIGERS: "A26.10"}, phasing=phasing, segment=segment), TIGERS, **changes)

    assert modes.ma_factor(state, TIGERS) == factor


def test_6_1h_a_reduced_ma_is_never_rounded_up() -> None:
    """OCS 6.1h, 6.1c 3 MP in Reserve are three quarters, of which half a point can be spent; an MA
    of 1 leaves enough for a first hex."""
    state = put(stand({DIVISION: "A26.10"}, phasing=AXIS, segment="c2"), DIVISION, marker=RESERVE)

    assert state.charts.parts == 2
    assert modes.allowance(state, DIVISION) == 1
    assert modes.left(put(state, DIVISION, spent=1), DIVISION) == 0
    guns = put(stand({"su.katy.w": "B9.10"}, phasing=SOVIET, segment="c2"), "su.katy.w")
    assert guns.face("su.katy.w").ma == 1
    assert modes.allowance(put(guns, "su.katy.w", marker=RESERVE), "su.katy.w") == 1


def test_9_5a_oos_without_supply() -> None:
    """OCS 4.3, 9.5a, 12.8d Example 25: a strength of 12 marked OOS defends with 3 without combat
    supply, with 6 with it; DG too with 1.5; without supply it does not attack."""
    name = next(
        n
        for n, c in stand({}).charts.units.items()
        if c.attacks and c.combat is not None and c.combat.strength == 12
    )
    state = put(stand({name: "A26.10"}), name, oos=True)

    assert modes.strength(state, name, attacking=False, supplied=False) == 3
    assert modes.strength(state, name, attacking=False) == 6
    assert modes.strength(state, name, attacking=True) == 6
    assert modes.strength(state, name, attacking=True, supplied=False) == 0
    weak = put(state, name, marker=DG)
    assert modes.strength(weak, name, attacking=False, supplied=False) == Fraction(3, 2)


def test_9_11d_losses_of_multi_step_units() -> None:
    """OCS 9.11d, 21.2 One step of three missing halves attack, two halve defence; the option takes
    the share of steps, rounded."""
    state = stand({RIFLES: "A26.11"})
    for lost, attack, defence in ((0, 9, 9), (1, "9/2", 9), (2, "9/2", "9/2")):
        now = put(state, RIFLES, lost=lost)
        assert modes.strength(now, RIFLES, attacking=True) == Fraction(attack)
        assert modes.strength(now, RIFLES, attacking=False) == Fraction(defence)


def test_12_8b_ar_for_attrition() -> None:
    """OCS 9.6, 12.8b DG takes one from the AR but for attrition; Strat makes it 0 in both."""
    state = stand({DIVISION: "A26.10"})
    dg = put(state, DIVISION, marker=DG)
    strat = put(state, DIVISION, marker=STRAT, move_side=True)

    assert [modes.ar(dg, DIVISION), modes.ar(dg, DIVISION, attrition=True)] == [3, 4]
    assert [modes.ar(strat, DIVISION), modes.ar(strat, DIVISION, attrition=True)] == [0, 0]


def test_3_2c_an_ar_may_fall_to_minus_one() -> None:
    """OCS 3.2c An HQ of AR 0 in DG has -1."""
    assert modes.ar(put(stand({HQ: "A26.09"}), HQ, marker=DG), HQ) == -1


def test_13_1_13_4_what_hqs_and_artillery_defend_with() -> None:
    """OCS 13.1, 13.4 An HQ 5 in Combat and 1 in Move mode, artillery 1; neither attacks."""
    state = stand({HQ: "A26.09", GUNS: "A26.09"})

    for name, defence in ((HQ, 5), (GUNS, 1)):
        assert modes.strength(state, name, attacking=False) == defence
        assert modes.strength(state, name, attacking=True) == 0
    assert modes.strength(put(state, HQ, move_side=True), HQ, attacking=False) == 1


def test_3_5b_artillery_divisions_by_steps() -> None:
    """HR 3.5b Example 48: 90 points in three steps, one lost: defence 2, barrage 60. Nothing is
    taken off again for losses (OCS 9.11d)."""
    name = next(
        n
        for n, c in stand({}).charts.units.items()
        if c.traits.get("barrage_by_steps") and c.combat is not None and c.combat.strength == 90
    )
    state = put(stand({name: "B27.07"}), name, lost=1)

    assert modes.strength(state, name, attacking=False) == 2
    assert modes.barrage(state, name) == 60
    assert modes.strength(put(state, name, lost=2), name, attacking=False) == 1


def test_5_4_changes_that_are_allowed() -> None:
    """OCS 5.3, 5.4 Any voluntary mode from any other; a DG unit flips, Exploit stays."""
    state = stand({DIVISION: "A26.10"})
    every = {("", False), ("", True), (RESERVE, False), (RESERVE, True), (STRAT, True)}

    assert set(modes.allowed(state, DIVISION)) == every - {("", False)}
    strat = put(state, DIVISION, marker=STRAT, move_side=True)
    assert set(modes.allowed(strat, DIVISION)) == every - {(STRAT, True)}
    dg = put(state, DIVISION, marker=DG)
    assert modes.allowed(dg, DIVISION) == ((DG, True),)
    assert modes.allowed(put(state, DIVISION, marker=EXPLOIT), DIVISION) == ()


def test_5_7c_5_8a_not_in_enemy_zones() -> None:
    """OCS 5.7c, 5.8a, 4.5a Neither Reserve nor Strat is entered in an enemy zone, although
    a friend stands there; leaving them is free."""
    state = stand({DIVISION: "A26.10", TIGERS: "A26.10", RIFLES: "A26.11"})

    assert set(modes.allowed(state, DIVISION)) == {("", True)}
    reserve = put(state, DIVISION, marker=RESERVE)
    assert set(modes.allowed(reserve, DIVISION)) == {("", False), ("", True)}


def test_5_7f_5_8c_transport_takes_no_reserve_or_strat() -> None:
    """OCS 5.7f, 5.8c Transport points take neither Reserve nor Strat, an organic truck Reserve."""
    state = stand({"ax.truck.1": "A26.06", "ax.1ss.truck": "A26.06"})

    assert modes.allowed(state, "ax.truck.1") == ()
    assert modes.allowed(state, "ax.1ss.truck") == ((RESERVE, True),)
    stack = ("ax.truck.1", "ax.1ss.truck", DIVISION)
    assert movement.changing(state, stack, movement.RESERVE_MOVE) == stack[1:]
    assert movement.changing(state, stack, STRAT) == stack[2:]


def test_5_4a_reserve_markers_are_limited() -> None:
    """OCS 5.4a One marker covers a hex; without one left, Reserve only where one lies."""
    state = put(stand({DIVISION: "A26.10", TIGERS: "A26.09"}), DIVISION, marker=RESERVE)
    board = state.charts.board

    assert modes.reserve_markers(state, AXIS) == 1
    assert modes.reserve_room(state, AXIS, board.hex("A26.09"))
    hexes = [f"A20.{n:02}" for n in range(1, 9)]
    units = [n for n, c in state.charts.units.items() if c.side == AXIS and c.attacks][:8]
    full = stand(dict(zip(units, hexes, strict=True)))
    for name in units:
        full = put(full, name, marker=RESERVE)
    assert modes.reserve_markers(full, AXIS) == 8
    assert not modes.reserve_room(full, AXIS, board.hex("A26.09"))
    assert modes.reserve_room(full, AXIS, board.hex("A20.01"))


def test_5_4a_part_of_a_stack_needs_a_marker_of_its_own() -> None:
    """OCS 5.4a With every marker in use who leaves others in Reserve behind may end only where one
    lies; the whole stack takes its marker along; with a marker left one goes anywhere."""
    where = {DIVISION: "A26.10", MATES: "A26.10", "ax.inf.46": "A26.09"}
    where |= {"ax.inf.96": "A24.07", "ax.inf.357": "A22.07"}
    state = stand(where, "sudwind", phasing=AXIS, segment="c2")
    for name in where:
        state = put(state, name, marker=RESERVE, move_side=True)
    name, board = state.charts.board.name, state.charts.board

    assert modes.reserve_markers(state, AXIS) == 4
    assert {name(i) for i in movement.together(state, (DIVISION,))} == {"A26.09"}
    assert len(movement.together(state, (DIVISION, MATES))) > 1
    refused = movement_refusals.why_not_hex(
        state, movement.MovePlan((DIVISION,), after=state), board.hex("A27.10"), "A27.10"
    )
    assert refused is not None
    assert (refused.rule, refused.key) == ("OCS 5.4a", "refusal.ocs.no_reserve_marker")
    fewer = put(state, "ax.inf.357", marker="")
    assert len(movement.together(fewer, (DIVISION,))) > 1


def test_3_5c_partisans_stay_in_combat_mode() -> None:
    """HR 3.5c, 3.5d Partisans and Romanian mountain groups change no mode."""
    state = stand({"su.sp.1": "A13.17", "su.ro.grp1": "B34.20"})

    assert modes.allowed(state, "su.sp.1") == modes.allowed(state, "su.ro.grp1") == ()
