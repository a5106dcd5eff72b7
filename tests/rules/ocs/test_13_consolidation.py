"""OCS 13.9, HR 3.5f: consolidation."""

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch13_special_units import consolidation
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import DG, LOW, RESERVE, Aircraft, State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

ONE, OTHER, THIRD = "ax.inf.711", "ax.inf.96", "ax.vg.211"
PANZERS, DEAD = "ax.12ss.pz1", "ax.1ss.pz2"
TRUCK, DEAD_TRUCK, LORRY = "ax.12ss.truck", "ax.1ss.truck", "ax.truck.1"


def phase(state: State, side: str = AXIS, fog: str = "open") -> Rig[State]:
    """The step in the Reinforcement Phase of a side."""
    charts = with_options(state.charts, {"fog": fog})
    made = replace(
        state,
        charts=charts,
        field=replace(state.field, charts=charts),
        phasing=side,
        segment="b",
        turn=41,
    )
    rig = bench(made, consolidation)
    rig.jump("idle", consolidation.CONSOLIDATION)
    return rig


def dead(state: State, name: str) -> State:
    """The position with a unit in its dead pile."""
    return put(state, name, at=-1, where="box.dead.axis")


def test_13_9_two_divisions_become_one() -> None:
    """OCS 13.9(1) The steps of one go to the other, which keeps its mode; what is too much is
    lost."""
    state = put(stand({ONE: "A26.10", OTHER: "A26.10"}), ONE, lost=1)
    state = put(state, OTHER, lost=2, marker=RESERVE)
    rig = phase(state)
    assert rig.options(AXIS, "consolidate") == (ONE, OTHER)
    rig.do(AXIS, "consolidate", ONE, OTHER)

    kept, gone = rig.state.units[OTHER], rig.state.units[ONE]
    assert (kept.lost, kept.marker, gone.at, gone.where) == (0, RESERVE, -1, "box.dead.axis")
    assert rig.asked() == {AXIS: "prompt.window"}

    both = put(put(stand({ONE: "A26.10", OTHER: "A26.10"}), ONE, lost=2), OTHER, lost=2)
    rig = phase(both)
    rig.do(AXIS, "consolidate", OTHER, ONE)
    assert rig.state.units[ONE].lost == 1, "one step and one step are two of three"


def test_13_9_who_may_not() -> None:
    """OCS 13.9 Not units that are Low, Exhausted or DG, apart, unlike, or for a whole one; next to
    the enemy and OOS they may."""
    base = put(stand({ONE: "A26.10", OTHER: "A26.10", "su.gd.81": "A26.11"}), OTHER, lost=2)
    assert consolidation.pairs(base, AXIS) == {ONE: (OTHER,)}
    assert consolidation.pairs(put(base, ONE, oos=True), AXIS) == {ONE: (OTHER,)}
    for name in (ONE, OTHER):
        assert consolidation.pairs(put(base, name, stocks=LOW), AXIS) == {}
        assert consolidation.pairs(put(base, name, marker=DG), AXIS) == {}
    assert consolidation.pairs(put(base, OTHER, lost=0), AXIS) == {}
    apart = stand({ONE: "A26.10", OTHER: "A26.12"})
    assert consolidation.pairs(put(apart, OTHER, lost=2), AXIS) == {}
    unlike = put(stand({ONE: "A26.10", "ax.inf.44": "A26.10"}), "ax.inf.44", lost=2)
    assert consolidation.pairs(unlike, AXIS) == {}


def test_13_9_a_unit_takes_the_identity_of_a_dead_one() -> None:
    """OCS 13.9(2) A panzer battalion becomes one of the other division, in its hex and mode; one of
    its own division it does not become."""
    state = put(dead(stand({PANZERS: "A26.10"}), DEAD), PANZERS, marker=RESERVE, oos=True)
    state = dead(state, "ax.12ss.pz2")
    rig = phase(state)
    assert rig.options(AXIS, "consolidate", PANZERS) == (DEAD,)
    assert rig.refused(AXIS, "consolidate", PANZERS, "ax.12ss.pz2").rule == "OCS 13.9"
    before = state.units[PANZERS]
    rig.do(AXIS, "consolidate", PANZERS, DEAD)

    assert rig.state.units[DEAD] == before
    assert rig.state.units[PANZERS].where == "box.dead.axis"


def test_13_9_trucks_with_their_load() -> None:
    """OCS 13.9(2), (3), 13.2 An organic truck goes over with its load; an ordinary one becomes
    organic, never the reverse."""
    for name, other in ((TRUCK, DEAD_TRUCK), (LORRY, "ax.13pz.truck")):
        state = put(dead(stand({name: "A26.10"}), other), name, load=3)
        rig = phase(state)
        assert other in rig.options(AXIS, "consolidate", name)
        rig.do(AXIS, "consolidate", name, other)
        assert rig.state.units[other].load == 3
        assert rig.state.units[name].load == 0
    reverse = dead(stand({"ax.13pz.truck": "A26.10"}), LORRY)
    assert consolidation.pairs(reverse, AXIS) == {}


def test_13_9_two_reduced_aircraft() -> None:
    """OCS 13.9(4) Of two in one place and state one is whole afterwards; while units move, too."""
    one, other = "ax.air.bf109.1", "ax.air.bf109.2"
    state = start()
    base = state.aircraft[one].base
    planes = {
        one: Aircraft(base=base, where="", active=True, lost=1),
        other: Aircraft(base=base, where="", active=True, lost=1),
    }
    state = replace(state, aircraft={**state.aircraft, **planes})
    rig = phase(state)
    assert consolidation.flying_pairs(state, AXIS) == {one: (other,), other: (one,)}
    rig.do(AXIS, "consolidate", one, other)
    assert rig.state.aircraft[other].lost == 0
    assert rig.state.aircraft[one] == Aircraft(where="box.dead.axis")

    idle = {**planes, other: replace(planes[other], active=False)}
    assert consolidation.pairs(replace(state, aircraft={**state.aircraft, **idle}), AXIS) == {}


def test_13_9_soviets_and_romanians_do_not() -> None:
    """HR 3.5f Soviet units of one kind in a hex stay what they are; the phase passes by itself."""
    like = ("su.gd.108", "su.gd.109")
    state = stand(dict.fromkeys(like, "A26.10"))
    state = put(put(state, like[0], lost=1), like[1], lost=1)
    assert consolidation.pairs(state, SOVIET) == {}
    assert phase(state, SOVIET, "strict").asked() == {AXIS: "prompt.window"}


def test_13_9_under_fog_the_question_tells_nothing() -> None:
    """OCS 13.9, 4.9, R-19 Under strict fog the Axis is asked whether it has anything to
    consolidate or not; in the open it is passed over."""
    nothing = stand({ONE: "A26.10", OTHER: "A26.12"})
    something = put(stand({ONE: "A26.10", OTHER: "A26.10"}), OTHER, lost=1)
    for state in (nothing, something):
        rig = phase(state, fog="strict")
        assert rig.asked() == {AXIS: "prompt.ocs.consolidation"}
        rig.do(AXIS, "done")
        assert rig.asked() == {AXIS: "prompt.window"}
    assert phase(nothing).asked() == {AXIS: "prompt.window"}
