"""HR 2.3b: the Hungarian collapse."""

import pytest

from tests.rules.hungarian_rhapsody.arriving import (
    AXIS,
    DIVISIONS,
    GUNS,
    HQS,
    STAYS,
    again,
    army,
    arrived,
    phase,
)
from tests.rules.hungarian_rhapsody.bench import put, stand
from warledger.engine.games.hungarian_rhapsody import collapse

TURN = 18
DICE = (3, 4, 1, 1, 1, 1)
"""Supply, and two tables that bring nothing."""


@pytest.mark.parametrize(("turn", "die", "comes"), [(17, 0, False), (18, 2, False), (18, 1, True)])
def test_2_3b_when_it_comes(turn: int, die: int, comes: bool) -> None:
    """HR 2.3b From 1 December a die in each Axis Reinforcement Phase; on 1 it comes."""
    rolled = (die,) if die else ()
    rig = phase(army(), *DICE, *rolled, turn=turn)
    assert (rig.asked() == {AXIS: "prompt.hr.collapse"}) == comes
    assert (collapse.COLLAPSED in rig.state.flags) == comes


def test_2_3b_who_stays_by_themselves() -> None:
    """HR 2.3b Armoured divisions, the garrison of Budapest, infantry and cavalry with a rating of
    4; with nothing kept all others are dead."""
    rig = phase(army(), *DICE, 1, turn=TURN)
    assert set(rig.options(AXIS, "keep")) == {*HQS, *GUNS, *DIVISIONS}
    rig.do(AXIS, "keep")
    units = rig.state.units
    assert all(units[name].at >= 0 for name in (*STAYS, "ax.inf.44"))
    assert {units[name].where for name in (*HQS, *GUNS, *DIVISIONS)} == {"box.dead.axis"}


def test_2_3b_three_hqs_three_guns_twelve_steps() -> None:
    """HR 2.3b Twelve steps are four whole divisions; a fourth HQ counts as one of them, and then
    the last division is too much."""
    rig = phase(army(), *DICE, 1, turn=TURN)
    kept = (*HQS[:3], *GUNS, *DIVISIONS)
    assert rig.refused(AXIS, "keep", *kept, HQS[3]).rule == "HR 2.3b"
    assert rig.refused(AXIS, "keep", *HQS, *DIVISIONS[:3], DIVISIONS[3]).rule == "HR 2.3b"
    assert rig.refused(AXIS, "keep", "ax.inf.44").rule == "HR 2.3b"
    rig.do(AXIS, "keep", *kept)
    units = rig.state.units
    assert all(units[name].at >= 0 for name in kept)
    assert units[HQS[3]].where == "box.dead.axis"


def test_2_3b_steps_are_those_that_are_left() -> None:
    """HR 2.3b, R-22 A division that has lost two steps counts one."""
    state = put(put(army(), DIVISIONS[0], lost=2), DIVISIONS[1], lost=1)
    assert collapse.over(state, DIVISIONS[:2]) == 3
    assert collapse.over(state, (*DIVISIONS, HQS[0])) == 9


def test_2_3b_it_comes_once() -> None:
    """HR 2.3b After it no die is rolled, and who comes later stays."""
    rig = phase(army(), *DICE, 1, turn=TURN)
    rig.do(AXIS, "keep", DIVISIONS[0])
    rig.do(AXIS, "rest")
    again(rig, *DICE, side=AXIS, turn=TURN + 1)
    assert "prompt.hr.collapse" not in rig.asked().values()
    assert rig.state.units[DIVISIONS[0]].at >= 0


def test_2_3b_under_fog_the_choice_is_sealed() -> None:
    """OCS 4.9, HR 2.3b Under strict fog the Axis is asked even with nobody to lose."""
    rig = phase(arrived(stand({})), *DICE, 1, turn=TURN, fog="strict")
    assert rig.asked() == {AXIS: "prompt.hr.collapse"}
    rig.do(AXIS, "keep")
    assert rig.asked() != {AXIS: "prompt.hr.collapse"}
