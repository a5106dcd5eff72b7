"""HR 3.1e: special wagon extenders."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at_table
from tests.rules.hungarian_rhapsody.wagons import soviets
from warledger.engine.games.hungarian_rhapsody import special_extenders as swe
from warledger.engine.games.ocs.ch13_special_units import control
from warledger.engine.games.ocs.series.events import CleanedUp
from warledger.engine.kernel.change import replace

TIGERS = "ax.tgr.503"
ONE, OTHER = "B42.08", "B55.07"


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_3_1e_one_is_lifted_and_put_down_a_turn_later(fog: str) -> None:
    """HR 3.1e Lifted it is moving, after the own Clean Up ready, and then put in any Soviet hex."""
    rig = soviets(fog=fog)
    board = rig.state.charts.board
    assert set(rig.options(SOVIET, "lift")) == {ONE, OTHER}
    rig.do(SOVIET, "lift", ONE)
    assert sorted(map(str, rig.state.markers[swe.MARKER])) == sorted(
        (str(board.hex(OTHER)), swe.MOVING)
    )
    assert rig.refused(SOVIET, "install").key == "refusal.hr.no_extender_ready"
    rig.run(lambda table: table.emit(CleanedUp(AXIS)))
    assert swe.MOVING in rig.state.markers[swe.MARKER]
    rig.run(lambda table: table.emit(CleanedUp(SOVIET)))
    assert swe.ready(rig.state)
    rig.run(lambda table: control.take(table, AXIS, board.hex("B42.13")))
    assert rig.refused(SOVIET, "install", "B42.13").key == "refusal.hr.no_extender_site"
    rig.do(SOVIET, "install", "B42.12")
    assert board.hex("B42.12") in swe.on_map(rig.state)


def test_3_1e_the_axis_overruns_one() -> None:
    """HR 3.1e An Axis combat unit that goes through its hex sends it to "Moving"."""
    state = stand({TIGERS: "B42.07"}, turn=3)
    rig = at_table(put(state, TIGERS, fuelled=True), "moving", phasing=AXIS)
    rig.do(AXIS, "move", TIGERS, ONE, "B42.09")
    assert rig.state.markers[swe.MARKER].count(swe.MOVING) == 1
    assert [rig.state.charts.board.name(i) for i in swe.on_map(rig.state)] == [OTHER]


def test_3_1e_the_axis_has_none() -> None:
    """HR 3.1e They are the Soviets'."""
    state = replace(stand({}, turn=3), phasing=AXIS, segment="c2")
    assert not tuple(swe.extenders(state, AXIS))
    rig = at_table(state, "moving", phasing=AXIS)
    assert rig.refused(AXIS, "lift").key == "refusal.hr.no_extender"


def test_3_1e_where_it_goes_is_hidden() -> None:
    """HR 3.1e, OCS R-14 Under fog the log does not say where a covered one goes."""
    rig = soviets(fog="strict")
    (moved,) = [one for one in rig.do(SOVIET, "lift", ONE) if hasattr(one, "marker")]
    assert moved.start.readers == moved.to.readers == (SOVIET,)
