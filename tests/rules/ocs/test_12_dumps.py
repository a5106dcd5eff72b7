"""OCS 12.11: blowing up dumps."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, put, stand
from tests.rules.ocs.play import Chapters, pack
from warledger.engine.games.ocs.ch06_movement import movement, movement_step
from warledger.engine.games.ocs.ch06_movement.movement_step import Moving
from warledger.engine.games.ocs.ch12_supply import dumps
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import State, with_supply
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

TIGERS, TRUCK, ORGANIC = "ax.tgr.503", "ax.truck.1", "ax.fhh.truck"
HERE = "A26.10"


def moving(state: State, *dice: int, segment: str = "c2", fog: str = "strict") -> Rig[State]:
    """The game while the Axis moves, with the commands of this chapter."""
    state = replace(
        state,
        phasing=AXIS,
        segment=segment,
        turn=42,
        charts=with_options(state.charts, {"fog": fog}),
    )
    rules = Chapters(state, dumps, movement, movement_step)
    rules.steps["moving"] = Moving(more=dumps.commands())
    rig: Rig[State] = Rig(rules, pack())
    rig.state = state
    rig.dice(*dice)
    rig.jump("idle", "moving")
    return rig


def dump(tokens: int, **loads: int) -> State:
    """So many T on the ground, and loads of transport there."""
    units = {"truck": TRUCK, "organic": ORGANIC}
    state = stand({TIGERS: "A40.10", **{units[key]: HERE for key in loads}})
    for key, load in loads.items():
        state = put(state, units[key], load=load)
    return with_supply(state, AXIS, state.charts.board.hex(HERE), tokens) if tokens else state


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_12_11a_three_quarters_are_blown(fog: str) -> None:
    """OCS 12.11a Example 28: of 3 SP a 4 destroys 9T, 2 SP and 1T."""
    rig = moving(dump(12), 4, fog=fog)
    rig.do(AXIS, "blow", HERE)
    assert sum(rig.state.supply[AXIS].values()) == 3
    assert rig.state.spent_sp[AXIS] == 9


@pytest.mark.parametrize(("die", "left"), [(1, 9), (2, 6), (3, 6), (4, 3), (5, 3), (6, 0)])
def test_12_11a_every_face_loses_its_share(die: int, left: int) -> None:
    """OCS 12.11a A quarter, half, half, three quarters twice, all."""
    rig = moving(dump(12), die)
    rig.do(AXIS, "blow", HERE)
    assert sum(rig.state.supply[AXIS].values()) == left


def test_12_11a_trucks_survive() -> None:
    """OCS 12.1, 12.11a Loads belong to the dump; the transport stays."""
    rig = moving(dump(2, truck=4, organic=2), 3)
    rig.do(AXIS, "blow", HERE)
    assert rig.state.supply[AXIS] == {}
    assert rig.state.units[TRUCK].load == 2
    assert rig.state.units[ORGANIC].load == 2
    assert rig.state.units[TRUCK].at >= 0


def test_12_11a_once_a_phase() -> None:
    """OCS 12.11a Each dump is tried once a phase; a hex without supply is no dump."""
    rig = moving(dump(12), 1)
    rig.do(AXIS, "blow", HERE)
    assert rig.refused(AXIS, "blow").rule == "OCS 12.11a"
    other = moving(with_supply(dump(12), AXIS, dump(0).charts.board.hex("A27.10"), 4), 1)
    other.do(AXIS, "blow", HERE)
    assert other.refused(AXIS, "blow", HERE).rule == "OCS 12.11a"
    assert other.options(AXIS, "blow") == ("A27.10",)


def test_12_11a_in_the_own_movement_segments() -> None:
    """OCS 2.3, 12.11a In the own Movement, Reaction and Exploitation Phases, not in Combat."""
    state = replace(dump(12), phasing=AXIS)
    allowed = [
        segment
        for segment in ("c1", "c2", "c3", "e1", "e2", "f1", "f2", "g1", "g2", "g3")
        if dumps.to_blow(replace(state, segment=segment))
    ]
    assert allowed == ["c2", "g1"]
    reacting = replace(state, phasing="soviet", segment="e1")
    assert dumps.to_blow(reacting)
