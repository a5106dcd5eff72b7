"""HR 3.1g: artillery ammunition markers."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.guns import DIVISION, REGIMENT, TARGET, fired, firing
from tests.rules.ocs.skies import opened
from warledger.engine.games.hungarian_rhapsody import ammunition
from warledger.engine.games.ocs.ch10_barrage import bombardment
from warledger.engine.games.ocs.ch12_supply import bills
from warledger.engine.games.ocs.series.events import SegmentBegun
from warledger.engine.games.ocs.series.evolve import after
from warledger.engine.kernel.change import replace


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_3_1g_no_barrage_costs_more_than_4t(fog: str) -> None:
    """HR 3.1g A barrage that costs 8T costs 4T once a marker has been spent; the marker is gone,
    and what it does ends with the phase."""
    rig = firing(2, fog, **{DIVISION: "A26.12"})
    i = rig.state.charts.board.hex(TARGET)
    whole = bombardment.bill_for(rig.state, "units", i, (DIVISION,), 9)
    assert bills.charged(rig.state, whole).cost == 8

    rig.do(SOVIET, "ammo")
    assert ammunition.held(rig.state) == 1
    assert bills.charged(rig.state, whole).cost == 4
    assert rig.refused(SOVIET, "ammo").key == "refusal.hr.ammo_spent"
    rig.do(SOVIET, "barrage", TARGET, DIVISION)
    rig.do(SOVIET, "auto")
    assert rig.state.spent_sp[SOVIET] == 4

    over = after[SegmentBegun](rig.state, SegmentBegun("g1", True))
    assert bills.charged(over, whole).cost == 8
    assert ammunition.held(over) == 1


def test_3_1g_what_cannot_be_paid_may_be_with_a_marker() -> None:
    """HR 3.1g Guns that cannot pay their own column are asked for all the same while a marker is
    there, and fire once it is spent."""
    rig = firing(1, tokens=4, **{DIVISION: "A26.12"})
    assert rig.asked() == {SOVIET: "prompt.ocs.artillery"}
    assert "barrage" not in rig.options(SOVIET)
    rig.do(SOVIET, "ammo")
    assert "barrage" in rig.options(SOVIET)

    idle = firing(0, tokens=4, **{DIVISION: "A26.12"})
    assert SOVIET not in idle.asked() or idle.asked()[SOVIET] != "prompt.ocs.artillery"


def test_3_1g_two_markers_at_most() -> None:
    """HR 3.1g A third marker that comes is ignored."""
    rig = firing(0, **{REGIMENT: "A26.12"})
    for expected in (1, 2, 2):
        rig.run(lambda table: ammunition.arrive(table, SOVIET))
        assert ammunition.held(rig.state) == expected


@pytest.mark.parametrize(
    ("segment", "phasing", "by_default", "anywhere"),
    [
        ("f1", SOVIET, True, True),
        ("e2", AXIS, False, True),
        ("g2", SOVIET, False, True),
        ("c3", SOVIET, False, False),
        ("f1", AXIS, False, False),
        ("e2", SOVIET, False, False),
    ],
)
def test_3_1g_when_it_is_spent(
    segment: str, phasing: str, by_default: bool, anywhere: bool
) -> None:
    """HR 3.1g, R-31 In the Combat Phase of the Soviets; by the option wherever their artillery
    fires."""
    state = fired(**{REGIMENT: "A26.12"})
    state = replace(state, segment=segment, phasing=phasing, marker_count={ammunition.MARKER: 1})
    assert ammunition.may_spend(state, SOVIET) is by_default
    assert ammunition.may_spend(opened(state, ammo_markers="any_barrage_segment"), SOVIET) is (
        anywhere
    )
    assert not ammunition.may_spend(state, AXIS)


def test_3_1g_without_a_marker_it_is_refused() -> None:
    """HR 3.1g Without a marker the command is refused by its clause."""
    rig = firing(0, fog="strict", **{REGIMENT: "A26.12"})
    said: Any = rig.refused(SOVIET, "ammo")
    assert (said.rule, said.key) == ("HR 3.1g", "refusal.hr.no_ammo_left")
    axis = stand({REGIMENT: "A26.12"}, phasing=AXIS, segment="f1", turn=42)
    assert not ammunition.in_time(put(axis, REGIMENT, released=True))
