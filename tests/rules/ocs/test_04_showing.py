"""OCS 4.8b, R-12: the owner says which unit of a hex the enemy sees."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.games.ocs.ch04_concepts import fog

TIGERS, DIVISION, HQ, RIFLES = "ax.tgr.503", "ax.inf.44", "ax.hq.iv", "su.gd.81"
HERE = "A26.10"


def test_4_8b_the_owner_puts_another_unit_on_top() -> None:
    """OCS 4.8b, R-12 Of units with a zone the owner shows which they like; it stays so."""
    rig = at_table(stand({TIGERS: HERE, DIVISION: HERE}), "moving", fog="strict")
    at = rig.state.units[TIGERS].at
    assert rig.state.tops[at] == DIVISION
    assert rig.options(AXIS, "top") == (TIGERS,)
    rig.do(AXIS, "top", TIGERS)
    assert rig.state.tops[at] == TIGERS
    assert fog.sees(rig.state, SOVIET, TIGERS) and not fog.sees(rig.state, SOVIET, DIVISION)
    assert rig.options(AXIS, "top") == (DIVISION,)


def test_4_8b_an_hq_is_shown_while_no_enemy_is_adjacent() -> None:
    """OCS 4.8b D An HQ may be put on top, but not next to an enemy ground unit; the zone is told
    all the same."""
    far = at_table(stand({TIGERS: HERE, HQ: HERE}), "moving", fog="strict")
    far.do(AXIS, "top", HQ)
    at = far.state.units[HQ].at
    assert far.state.tops[at] == HQ and fog.zone_told(far.state, at)
    near = at_table(stand({TIGERS: HERE, HQ: HERE, RIFLES: "A26.11"}), "moving", fog="strict")
    assert near.refused(AXIS, "top", HQ).rule == "OCS 4.8b"


@pytest.mark.parametrize(
    ("unit", "rule"),
    [(RIFLES, "OCS 4.8b"), (DIVISION, "OCS 4.8b C"), (HQ, "OCS 4.8b D"), (TIGERS, "OCS 4.8b")],
)
def test_4_8b_why_a_unit_is_not_shown(unit: str, rule: str) -> None:
    """OCS 4.8b C, D The enemy's units, those without a zone, HQs next to the enemy and what is
    shown already are refused."""
    state = stand({TIGERS: HERE, DIVISION: HERE, HQ: HERE, RIFLES: "A26.11", "ax.inf.46": HERE})
    rig = at_table(put(state, DIVISION, move_side=True), "moving", fog="strict")
    rig.do(AXIS, "top", TIGERS)
    assert rig.refused(AXIS, "top", unit).rule == rule


def test_4_8b_nothing_is_chosen_in_the_open() -> None:
    """OCS 4.8b Under open fog everything is seen, and nobody is asked."""
    rig = at_table(stand({TIGERS: HERE, DIVISION: HERE}), "moving")
    assert "top" not in rig.options(AXIS)
    assert rig.refused(AXIS, "top", TIGERS).key == "refusal.ocs.nothing_hidden"
