"""OCS 12.8e: breakout."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.ocs.play import bench
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch12_supply import breakout
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.events import Destroyed, StepsLost
from warledger.engine.games.ocs.series.state import LOW, Coming, State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig
from warledger.protocol.chance.seal import Secret

TIGERS, DIVISION, TRUCK, FRIEND = "ax.tgr.503", "ax.inf.44", "ax.truck.1", "ax.inf.357"
RING = ("A25.15", "A25.16", "A26.14", "A26.16", "A27.15", "A27.16")
ENEMIES = ("su.gd.81", "su.gd.72", "su.rd.375", "su.rd.409", "su.rd.53", "su.gd.93")


def cut(*names: str, turns: int = 0, fog: str = "strict", **where: str) -> State:
    """These units in A26.15, without a source for the Axis but where a friend traces, in the Axis
    Breakout Segment."""
    stood = dict.fromkeys(names, "A26.15") | where
    state = stand(stood, "sudwind", phasing=AXIS, segment="c1", turn=42)
    own = 0
    if FRIEND in stood:
        own = 1 << state.charts.board.hex("A25.03")
    state = replace(
        state,
        control={AXIS: own, SOVIET: state.charts.scenario.play & ~own},
        charts=with_options(state.charts, {"fog": fog}),
    )
    for name in names:
        state = put(state, name, cut_turns=turns)
    return state


def segment(state: State, *dice: int) -> Rig[State]:
    """The game in the step."""
    rig = bench(state, breakout, losses)
    rig.dice(*dice)
    rig.jump("idle", breakout.BREAKOUT)
    return rig


@pytest.mark.parametrize(("die", "escapes"), [(1, False), (3, False), (4, True), (6, True)])
def test_12_8e_the_first_turn_needs_no_way_out(die: int, escapes: bool) -> None:
    """OCS 12.8e In its first turn out of trace a unit needs no path and adds 1 to the die: 4 and
    more escape."""
    rig = segment(cut(TIGERS), die, *((3,) if escapes else ()))
    rig.do(AXIS, "breakout", TIGERS)

    unit = rig.state.units[TIGERS]
    assert unit.at < 0
    assert unit.where == ("not_arrived" if escapes else "box.dead.axis")
    coming = (Coming(45, AXIS, (TIGERS,), "breakout"),) if escapes else ()
    assert rig.state.coming == coming


def test_12_8e_later_it_needs_a_way_to_a_friend_in_trace() -> None:
    """OCS 12.8e In later turns a path to a friend in trace within 15 hexes is needed, and the die
    stands as rolled."""
    assert breakout.able(cut(TIGERS, turns=1), AXIS) == ()
    near = {FRIEND: "A25.04"}
    state = cut(TIGERS, turns=1, **near)
    assert (
        state.charts.board.map.grid.distance(state.units[TIGERS].at, state.units[FRIEND].at)
        <= breakout.WITHIN
    )
    assert breakout.able(state, AXIS) == (TIGERS,)
    rig = segment(state, 4)
    rig.do(AXIS, "breakout", TIGERS)
    assert rig.state.units[TIGERS].where == "box.dead.axis"


def test_12_8e_enemy_units_close_the_way() -> None:
    """OCS 12.8e Enemy combat units all around leave no path; in the first turn they do not
    matter."""
    ring = dict(zip(ENEMIES, RING, strict=True))
    around = {FRIEND: "A25.04", **ring}
    board = cut().charts.board
    assert {board.hex(h) for h in RING} == set(board.map.grid.adjacent[board.hex("A26.15")])
    assert breakout.able(cut(TIGERS, turns=1, **around), AXIS) == ()
    assert breakout.able(cut(TIGERS, turns=0, **around), AXIS) == (TIGERS,)


def test_12_8e_step_losses_stay_and_nothing_else() -> None:
    """OCS 12.8e Who returns has its step losses; stocks and markers are as new."""
    state = put(cut(DIVISION), DIVISION, lost=1, stocks=LOW, oos=True)
    rig = segment(state, 6, 1)
    rig.do(AXIS, "breakout", DIVISION)
    unit = rig.state.units[DIVISION]
    assert (unit.lost, unit.stocks, unit.oos) == (1, 0, False)


def test_12_8e_transport_in_the_first_turn_alone() -> None:
    """OCS 12.8e Transport points may try in the first turn; what they carry is lost."""
    state = put(cut(TRUCK), TRUCK, load=3)
    rig = segment(state, 6, 2)
    rig.do(AXIS, "breakout", TRUCK)
    assert rig.state.units[TRUCK].load == 0
    assert rig.state.spent_sp[AXIS] == 3
    assert breakout.able(cut(TRUCK, turns=1), AXIS) == ()


def test_12_8e_who_traces_stays() -> None:
    """OCS 12.8e A unit in trace does not break out; HR 3.5c partisans never do."""
    state = cut(TIGERS, turns=1, **{FRIEND: "A25.04"})
    rig = segment(state)
    assert rig.refused(AXIS, "breakout", FRIEND).rule == "OCS 12.8e"
    rig.do(AXIS, "done")

    partisans = next(n for n in state.units if state.counter(n).traits.get("partisan_supply"))
    lone = stand({partisans: "A26.15"}, phasing=SOVIET, segment="c1", turn=42)
    assert breakout.able(lone, SOVIET) == ()


@pytest.mark.parametrize(("fog", "asked"), [("strict", True), ("open", False)])
def test_12_8e_under_fog_it_is_asked_where_somebody_might(fog: str, asked: bool) -> None:
    """OCS 4.9, 12.8e Where an HQ supplies a hex that draws nothing by itself, only strict fog asks:
    the enemy does not know of the HQ."""
    hq = "ax.hq.iv"
    state = cut(TIGERS, fog=fog)
    home = stand({TIGERS: "A27.10", hq: "A26.09"}, "sudwind", phasing=AXIS, segment="c1", turn=42)
    home = replace(home, charts=with_options(home.charts, {"fog": fog}))
    assert breakout.able(home, AXIS) == ()
    rig = segment(home)
    doubt = breakout.in_doubt(home, AXIS)
    assert (rig.asked() == {AXIS: "prompt.ocs.breakout"}) is (asked and doubt)
    rig = segment(state)
    assert rig.asked() == {AXIS: "prompt.ocs.breakout"}


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_12_8e_who_is_lost_in_a_breakout_is_not_counted(fog: str) -> None:
    """OCS 12.8e, 4.9a, R-17 Whoever fails is lost whole; under fog the same is told of a
    division with all its steps and of one that lacks one."""
    told = []
    for lost in (0, 1):
        state = put(cut(DIVISION, fog=fog), DIVISION, lost=lost)
        rig = segment(state, 1)
        rig.do(AXIS, "breakout", DIVISION)
        (gone,) = [one for one in rig.events if isinstance(one, Destroyed)]
        assert rig.state.units[DIVISION].where == "box.dead.axis"
        assert not [one for one in rig.events if isinstance(one, StepsLost)]
        told.append((gone.side, gone.hex, gone.why))
        assert isinstance(gone.units, Secret) is (fog == "strict")
    assert told[0] == told[1]
