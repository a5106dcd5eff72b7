"""OCS 5.7g: Reserve and hedgehogs."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch04_concepts.fog import plain
from warledger.engine.games.ocs.ch05_modes import reserves
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.events import ModeChanged
from warledger.engine.games.ocs.series.state import RESERVE, Hedgehog, State
from warledger.engine.kernel.change import replace

DIVISION, OTHER = "ax.inf.44", "ax.inf.357"


def dug_in(marker: str, fog: str, segment: str = "c2") -> State:
    """A division in a hedgehog, another in the open, both in that mode."""
    state = stand({DIVISION: "A26.10", OTHER: "A26.09"}, phasing=AXIS, segment=segment)
    here = state.charts.board.hex("A26.10")
    state = replace(
        state,
        hedgehogs={here: Hedgehog(AXIS, 1)},
        charts=with_options(state.charts, {"fog": fog}),
    )
    return put(put(state, DIVISION, marker=marker), OTHER, marker=marker)


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_5_7g_no_reserve_in_a_hedgehog(fog: str) -> None:
    """OCS 5.7g At the end of a movement segment a Reserve marker in a hedgehog goes; elsewhere it
    stays."""
    rig = bench(dug_in(RESERVE, fog), reserves)
    rig.jump("idle", reserves.RESERVES)
    assert rig.state.units[DIVISION].marker == ""
    assert rig.state.units[OTHER].marker == RESERVE


@pytest.mark.parametrize(("fog", "said"), [("strict", 1), ("open", 0)])
def test_5_7g_nothing_is_betrayed(fog: str, said: int) -> None:
    """OCS 4.9, 5.7g Under fog the same is said where nobody was in Reserve."""
    rig = bench(dug_in("", fog), reserves)
    events = rig.jump("idle", reserves.RESERVES)
    assert [plain(one.units) for one in events if isinstance(one, ModeChanged)] == [()] * said


def test_5_7g_for_the_side_that_moved() -> None:
    """OCS 5.7g, 7.0 In the Reaction Phase the side that reacts has moved."""
    state = dug_in(RESERVE, "open", segment="e1")
    rig = bench(state, reserves)
    rig.jump("idle", reserves.RESERVES)
    assert rig.state.units[DIVISION].marker == RESERVE
    rig = bench(replace(state, phasing=SOVIET), reserves)
    rig.jump("idle", reserves.RESERVES)
    assert rig.state.units[DIVISION].marker == ""
