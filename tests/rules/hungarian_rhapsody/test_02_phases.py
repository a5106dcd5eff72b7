"""OCS 2.3 B, C1, D: the phases of supply in the title's own sequence of play."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, start
from tests.rules.hungarian_rhapsody.table import at_segment
from warledger.engine.games.ocs.ch04_concepts.fog import plain
from warledger.engine.games.ocs.ch12_supply.attrition import AttritionRolled
from warledger.engine.games.ocs.series.events import SupplyChanged


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_2_3b_supply_arrives_in_the_reinforcement_phase(fog: str) -> None:
    """OCS 2.3 B In Südwind the Axis places 3 SP in its second turn."""
    rig = at_segment("b", start("sudwind", phasing=AXIS, turn=41), fog=fog)
    assert rig.asked() == {AXIS: "prompt.ocs.reinforcements"}
    events = rig.do(AXIS, "rest")
    assert [plain(one.tokens) for one in events if isinstance(one, SupplyChanged)] == [12]


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_2_3d_trace_then_attrition_in_the_supply_phase(fog: str) -> None:
    """OCS 2.3 D, 12.8b A unit behind the enemy's lines is marked OOS and checked in the same
    phase."""
    unit = "su.rd.6"
    state = start("sudwind", phasing=SOVIET, turn=41)
    far = put(state, unit, at=state.charts.board.hex("A30.04"))
    rig = at_segment("d", far, 1, 1, fog=fog)
    if fog == "strict":
        rig.do(SOVIET, "done")
    assert rig.state.units[unit].oos
    assert [type(one) for one in rig.events].count(AttritionRolled) == 1


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_2_3c_who_is_cut_off_may_break_out(fog: str) -> None:
    """OCS 2.3 C1, 12.8e The Breakout Segment asks the side of a unit behind the enemy's lines."""
    unit = "su.rd.6"
    state = start("sudwind", phasing=SOVIET, turn=41)
    far = put(state, unit, at=state.charts.board.hex("A30.04"))
    rig = at_segment("c1", far, 6, 6, fog=fog)
    assert rig.asked() == {SOVIET: "prompt.ocs.breakout"}
    rig.do(SOVIET, "breakout", unit)
    assert [one.turn for one in rig.state.coming] == [47]
