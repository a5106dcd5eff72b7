"""OCS 21.1 (option): reconnaissance."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.games.ocs.ch21_options import recon
from warledger.engine.games.ocs.series.state import DG, STRAT, Hedgehog, State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig
from warledger.protocol.chance.seal import Secret

RIDERS, RIFLES, TANKS, GUARDS = "ax.1pz.rec", "su.gd.81", "su.27gtk", "su.gd.93"
HERE, THERE = "A26.10", "A26.11"


def scouting(tokens: int = 12, on: bool = True, fog: str = "strict", **changes: Any) -> Rig[State]:
    """A reconnaissance battalion next to two Soviet divisions, one of which has lost a step."""
    state = stand({RIDERS: HERE, RIFLES: THERE, GUARDS: THERE})
    state = put(fed(state, tokens), GUARDS, lost=1)
    state = put(state, RIDERS, **changes)
    return at_table(state, "moving", fog=fog, on=(recon.OPTION,) if on else ())


def found(rig: Rig[State]) -> recon.Scouted:
    """What was learnt last."""
    return next(one for one in reversed(rig.events) if isinstance(one, recon.Scouted))


def test_21_1_a_unit_learns_steps_and_anti_tank_level() -> None:
    """OCS 21.1 For a quarter of its MA, its fuel and 1T a unit learns the steps and the level of an
    adjacent hex; only its side is told."""
    rig = scouting()
    assert rig.options(AXIS, "scout", RIDERS) == (THERE,)
    rig.do(AXIS, "scout", RIDERS, THERE)
    assert "ocs.recon" in rig.said()
    rig.do(AXIS, "auto")
    one = found(rig)
    board = rig.state.charts.board
    steps = sum(
        rig.state.counter(name).steps - rig.state.units[name].lost for name in (RIFLES, GUARDS)
    )
    assert one.steps == Secret(steps, (AXIS,)) and one.level == Secret(0, (AXIS,))
    parts = rig.state.charts.parts
    assert rig.state.units[RIDERS].spent * 4 == rig.state.face(RIDERS).ma * parts
    assert rig.state.spent_sp[AXIS] == 2
    assert board.name(rig.state.units[RIDERS].at) == HERE


def test_21_1_a_hedgehog_is_heavy() -> None:
    """OCS 21.1, 9.4e The level counts a hedgehog, as combat does."""
    rig = scouting()
    there = rig.state.charts.board.hex(THERE)
    assert recon.learnt(rig.state, there)[1] == 0
    works = replace(rig.state, hedgehogs={there: Hedgehog(SOVIET, 1)})
    assert recon.learnt(works, there)[1] == 2


def test_21_1_what_is_not_paid_for_is_not_learnt() -> None:
    """OCS 21.1 Who declines to pay learns nothing; the enemy cannot tell."""
    rig = scouting()
    rig.do(AXIS, "scout", RIDERS, THERE)
    rig.do(AXIS, "unpaid")
    assert found(rig).steps == Secret(0, (AXIS,))


@pytest.mark.parametrize(
    ("tokens", "changes", "key"),
    [
        (12, {"marker": DG}, "nobody_scouts"),
        (12, {"marker": STRAT, "move_side": True}, "nobody_scouts"),
        (12, {"finished": True}, "nobody_scouts"),
        (1, {}, "nobody_scouts"),
        (0, {}, "nobody_scouts"),
    ],
)
def test_21_1_who_scouts_nothing(tokens: int, changes: dict[str, Any], key: str) -> None:
    """OCS 21.1 A unit in DG or Strat, one that has moved, or one without fuel or supply does not
    scout."""
    rig = scouting(tokens, **changes)
    assert "scout" not in rig.options(AXIS)
    assert rig.refused(AXIS, "scout", RIDERS, THERE).key == f"refusal.ocs.{key}"


def test_21_1_other_types_and_the_option() -> None:
    """OCS 21.1 Tanks and divisions do not scout; without the option or in the open nobody does."""
    rig = scouting()
    assert rig.refused(AXIS, "scout", "ax.tgr.503").key == "refusal.ocs.no_scout"
    assert rig.refused(AXIS, "scout", RIFLES).key == "refusal.ocs.not_your_unit"
    assert rig.refused(AXIS, "scout", RIDERS, "A26.09").key == "refusal.ocs.no_target"
    assert scouting(on=False).refused(AXIS, "scout", RIDERS).key == "refusal.ocs.no_recon"
    assert "scout" not in scouting(fog="open").options(AXIS)
