"""OCS 12.8a, 12.8b: attrition of units out of supply."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, put, stand
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch12_supply import attrition
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import DG, STRAT, State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

TIGERS, DIVISION, OTHER = "ax.tgr.503", "ax.inf.44", "ax.inf.357"
HERE = "A26.10"


def cut(*names: str, fog: str = "strict") -> State:
    """These units in one hex, marked OOS, in the owner's Supply Phase."""
    state = stand(dict.fromkeys(names, HERE), phasing=AXIS, segment="d")
    for name in names:
        state = put(state, name, oos=True)
    return replace(state, charts=with_options(state.charts, {"fog": fog}))


def checked(state: State, *dice: int) -> Rig[State]:
    """The game once attrition has been rolled."""
    rig = bench(state, attrition, losses)
    rig.dice(*dice)
    rig.jump("idle", "attrition")
    return rig


def test_12_8b_the_column_and_its_modifier() -> None:
    """OCS 12.8b The highest AR, which DG does not lower and Strat does; 3 more for 5 steps."""
    state = cut(TIGERS, DIVISION)
    at = state.units[TIGERS].at
    best = attrition.column(state, at)
    both = put(put(state, TIGERS, marker=DG), DIVISION, marker=DG)
    strat = put(put(state, TIGERS, marker=STRAT), DIVISION, marker=STRAT)

    assert best == state.counter(TIGERS).combat.ar  # type: ignore[union-attr]
    assert attrition.column(both, at) == best
    assert attrition.column(strat, at) == 0
    steps = state.counter(DIVISION).steps + state.counter(TIGERS).steps
    assert attrition.modifier(state, at) == (3 if steps >= 5 else 0)
    many = cut(TIGERS, DIVISION, OTHER)
    assert attrition.modifier(many, at) == 3


def test_12_8a_only_the_marked_are_checked() -> None:
    """OCS 12.8a, 12.8b Units in trace are not checked and lose nothing, in the same hex or not."""
    state = put(cut(TIGERS, DIVISION), DIVISION, oos=False)
    at = state.units[TIGERS].at

    assert attrition.suffering(state, at) == (TIGERS,)
    assert attrition.stacks(put(state, TIGERS, oos=False), AXIS) == ()


def test_12_8b_low_dice_lose_nothing() -> None:
    """OCS 12.8b Low dice lose nothing; the roll is told."""
    state = cut(TIGERS)
    rig = bench(state, attrition, losses)
    rig.dice(1, 1)
    events = rig.jump("idle", "attrition")
    best = attrition.column(state, state.units[TIGERS].at)

    assert events == (attrition.AttritionRolled(AXIS, HERE, best, (1, 1), 2),)
    assert rig.position.top.name == "idle"


@pytest.mark.parametrize("mist", ["strict", "open"])
def test_12_8b_the_owner_chooses(mist: str) -> None:
    """OCS 12.8b Two steps (9 and no modifier on AR 3 or so): the owner says of whom, one by one;
    a unit of another hex is refused."""
    state = cut(DIVISION, TIGERS, OTHER, fog=mist)
    at = state.units[TIGERS].at
    total = sum(losses.steps_of(state, n) for n in (DIVISION, TIGERS, OTHER))
    dice = next(
        (a, b)
        for a in range(1, 7)
        for b in range(1, 7)
        if state.charts.tables.attrition.steps(attrition.column(state, at), a + b + 3) == 2
    )
    rig = checked(state, *dice)

    assert set(rig.options(AXIS, "lose")) == {DIVISION, TIGERS, OTHER}
    assert rig.refused(AXIS, "lose", "su.gd.81").rule == "OCS 12.8b"
    rig.do(AXIS, "lose", DIVISION)
    rig.do(AXIS, "lose", DIVISION)
    left = sum(losses.steps_of(rig.state, n) for n in (DIVISION, TIGERS, OTHER))
    assert left == total - 2


@pytest.mark.parametrize("mist", ["strict", "open"])
def test_12_8b_a_single_unit_takes_every_loss(mist: str) -> None:
    """OCS 12.8b A single unit takes it all; under strict fog its owner is asked all the same."""
    state = cut(DIVISION, fog=mist)
    at = state.units[DIVISION].at
    dice = next(
        (a, b)
        for a in range(1, 7)
        for b in range(1, 7)
        if state.charts.tables.attrition.steps(attrition.column(state, at), a + b) == 1
    )
    rig = checked(state, *dice)
    if mist == "strict":
        rig.do(AXIS, "lose", DIVISION)

    assert rig.state.units[DIVISION].lost == 1


def test_12_8b_all_are_lost() -> None:
    """OCS 12.8b "All" takes every OOS unit of the stack; what traces there stays."""
    state = put(cut(DIVISION, TIGERS, OTHER), TIGERS, oos=False)
    rig = checked(state, 6, 6)

    assert rig.state.units[DIVISION].where == "box.dead.axis"
    assert rig.state.units[OTHER].where == "box.dead.axis"
    assert rig.state.units[TIGERS].at >= 0
