"""OCS 15, 14.2a: air bases: refit, building, raising and reducing them."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put
from tests.rules.ocs.skies import (
    BF109,
    FOCKE,
    HOME,
    IL2,
    IL4,
    LA5,
    NEAR,
    RED,
    RIFLES,
    STUKA,
    of,
    rigged,
    sky,
)
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import captures
from warledger.engine.games.ocs.ch13_special_units import construction
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.ch15_air_bases import air_bases
from warledger.engine.games.ocs.series.events import AircraftPlaced
from warledger.engine.games.ocs.series.state import Aircraft, Base, State, with_supply
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig
from warledger.protocol.chance.seal import Secret

FOGS = ("strict", "open")
HQ = "ax.hq.iv"


def resting(state: State, *names: str) -> State:
    """These aircraft inactive."""
    planes = {name: replace(state.aircraft[name], active=False) for name in names}
    made = replace(state, aircraft={**state.aircraft, **planes})
    return replace(made, air_tops=fog.air_tops(made))


def refit(state: State) -> Rig[State]:
    """A rig at the Refit Phase."""
    return rigged(replace(state, segment="a"), air_bases.REFITTING)


_FIVE = ("fw190a.1", "fw190f.1", "fw190f.2", "ju87d.1", "ju87d.2")
FIVE = tuple(f"ax.air.{name}" for name in _FIVE)


@pytest.mark.parametrize("mode", FOGS)
def test_15_1_example_41(mode: str) -> None:
    """OCS 15.0, 14.2a Example 41: a base of level 2 refits up to four aircraft for 1T, once a
    phase; six are active there at most."""
    state = resting(sky(dict.fromkeys(FIVE, HOME), fog=mode), *FIVE)
    state = with_supply(state, AXIS, state.charts.board.hex(HOME), 3)
    rig = refit(state)

    assert air_bases.most(state, state.charts.board.hex(HOME)) == 4
    assert rig.refused(AXIS, "refit", HOME, *FIVE)
    rig.do(AXIS, "refit", HOME, *FIVE[:4])
    rig.do(AXIS, "auto")
    assert sum(plane.active for plane in rig.state.aircraft.values()) == 4
    assert rig.state.supply[AXIS][state.charts.board.hex(HOME)] == 2
    assert rig.refused(AXIS, "refit", HOME, FIVE[4]).rule in ("OCS 15.0", "OCS 15.1")


def test_14_2a_the_limit_of_a_base() -> None:
    """OCS 14.2a, 15.0 Where five of six places are taken one more is refitted."""
    state = sky({**dict.fromkeys(FIVE, HOME), BF109: HOME, "ax.air.bf109.2": HOME})
    state = with_supply(state, AXIS, state.charts.board.hex(HOME), 3)
    state = resting(state, BF109, "ax.air.bf109.2")
    assert air_bases.most(state, state.charts.board.hex(HOME)) == 1
    rig = refit(state)
    assert rig.refused(AXIS, "refit", HOME, BF109, "ax.air.bf109.2")


@pytest.mark.parametrize("mode", FOGS)
def test_15_1_what_hinders_refit(mode: str) -> None:
    """OCS 15.1, 4.5a-H An enemy zone that is not negated; no supply; weather never does."""
    state = resting(sky({STUKA: HOME}, fog=mode, flight="none"), STUKA)
    side = with_supply(state, AXIS, state.charts.board.hex(HOME), 1)
    assert air_bases.refitting(replace(side, segment="a"), AXIS)
    assert not air_bases.refitting(replace(state, segment="a"), AXIS)
    zone = resting(sky({STUKA: HOME}, units={RIFLES: "A26.07"}, fog=mode), STUKA)
    zone = with_supply(replace(zone, segment="a"), AXIS, state.charts.board.hex(HOME), 1)
    assert not air_bases.refitting(zone, AXIS)
    rig = rigged(zone, air_bases.REFITTING)
    if rig.asked() == {AXIS: "prompt.ocs.refit"}:
        assert rig.refused(AXIS, "refit", HOME, STUKA).rule == "OCS 15.1"
    held = sky({STUKA: HOME}, units={RIFLES: "A26.07", "ax.inf.96": HOME}, fog=mode)
    held = with_supply(replace(held, segment="a"), AXIS, state.charts.board.hex(HOME), 1)
    assert air_bases.refitting(resting(held, STUKA), AXIS)


def test_15_1_an_unpaid_refit_does_not_take_place() -> None:
    """OCS 15.0 Nobody is refitted who is not paid for, and the base may try again."""
    state = resting(sky({STUKA: HOME}), STUKA)
    state = with_supply(state, AXIS, state.charts.board.hex(HOME), 1)
    rig = refit(state)
    rig.do(AXIS, "refit", HOME, STUKA)
    rig.do(AXIS, "unpaid")
    assert not rig.state.aircraft[STUKA].active
    assert rig.options(AXIS, "refit") == (HOME,)


def test_hr_1_3a_boxes_refit_freely() -> None:
    """HR 1.3a Refit is free in a box, in any number. OCS R-15: what lies there is its owner's to
    know."""
    state = resting(sky({STUKA: "box.air.lw4", FOCKE: "box.air.lw4"}), STUKA, FOCKE)
    rig = refit(state)
    rig.do(AXIS, "refit", "box.air.lw4", STUKA, FOCKE)
    assert rig.state.aircraft[STUKA].active and rig.state.aircraft[FOCKE].active
    assert all(isinstance(one.aircraft, Secret) for one in of(rig, AircraftPlaced))
    assert not fog.top_aircraft(rig.state, "box.air.lw4")


def test_hr_1_3e_the_axis_may_let_aircraft_rest() -> None:
    """HR 1.3e In its Refit Phase the Axis declares aircraft inactive, the Soviets do not."""
    state = sky({STUKA: HOME, IL2: RED})
    rig = refit(state)
    rig.do(AXIS, "stand_down", STUKA)
    assert not rig.state.aircraft[STUKA].active
    reds = refit(replace(state, phasing=SOVIET))
    assert reds.refused(SOVIET, "stand_down", IL2).rule == "OCS 14.1a"


def test_hr_3_2a_ten_soviet_aircraft() -> None:
    """HR 3.2a In the dates that it names ten Soviet aircraft are active after their Refit Phase,
    Romanian, white ones and the Long Range Air Force not counted; their owner says who rests, and
    is not done before."""
    planes = sky({}).charts.printed.planes
    reds = [
        name
        for name, one in planes.items()
        if (one.side == SOVIET and one.nation == "soviet" and not one.traits)
        or one.traits == {"hip_shoot": False}
    ]
    reds = [name for name in reds if planes[name].side == SOVIET][:11]
    where = dict.fromkeys(reds, "box.air.su_east")
    others = {"su.air.riar.1": "box.air.su_south", IL4: "box.air.lraf"}
    state = sky({**where, **others}, phasing=SOVIET)
    rig = refit(state)

    assert rig.refused(SOVIET, "done").rule == "OCS 14.1a"
    assert set(rig.options(SOVIET, "stand_down")) == set(reds)
    rig.do(SOVIET, "stand_down", reds[0])
    assert "stand_down" not in rig.options(SOVIET)
    rig.do(SOVIET, "done")
    free = refit(replace(state, turn=12))
    free.do(SOVIET, "done")


# --- building -------------------------------------------------------------------------------------


def site(**units: str) -> State:
    """An Axis HQ with 8T and a base of level 1 two hexes away, in the Axis Movement Phase."""
    state = sky({}, {"A26.08": (AXIS, 1)}, {HQ: "A26.06", **units})
    state = replace(state, control={**state.control, AXIS: state.charts.board.every, SOVIET: 0})
    return with_supply(state, AXIS, state.charts.board.hex("A26.06"), 8)


def test_15_3_a_base_is_raised() -> None:
    """OCS 15.3, 13.8d 1 SP, one level a turn, by an engineer within two hexes, who then does not
    move."""
    state = site()
    rig = rigged(state)
    i = state.charts.board.hex("A26.08")
    rig.do(AXIS, "air_base", "A26.08")
    rig.do(AXIS, "auto")

    assert rig.state.bases[i] == Base(AXIS, 2)
    assert rig.state.units[HQ].worked
    assert rig.state.supply[AXIS][state.charts.board.hex("A26.06")] == 4
    assert rig.refused(AXIS, "air_base", "A26.08").rule == "OCS 15.3"
    assert not construction.engineers(rig.state, AXIS)


def test_15_3_a_base_is_built() -> None:
    """OCS 15.3 A base of level 1 where there is none; not without an engineer in reach, nor on an
    enemy's."""
    state = site()
    rig = rigged(state)
    assert rig.refused(AXIS, "air_base", "A26.12").rule == "OCS 13.8d"
    rig.do(AXIS, "air_base", "A26.05")
    rig.do(AXIS, "auto")
    assert rig.state.bases[state.charts.board.hex("A26.05")] == Base(AXIS, 1)


def test_15_3_an_hq_in_move_mode_builds_nothing() -> None:
    """OCS 13.8 An HQ on its Move side is no engineer; one that has moved does not build."""
    moving = put(site(), HQ, move_side=True)
    assert not air_bases.buildable(moving, AXIS)
    moved = put(site(), HQ, spent=2)
    assert not air_bases.buildable(moved, AXIS)


def test_15_4_a_base_is_reduced() -> None:
    """OCS 15.4 By 1 RE in Combat mode that does not move, once a phase, never below level 1."""
    state = sky({}, {HOME: (AXIS, 3)}, {"ax.inf.96": HOME})
    rig = rigged(state)
    i = state.charts.board.hex(HOME)
    rig.do(AXIS, "raze", HOME)
    assert rig.state.bases[i].level == 2 and rig.state.units["ax.inf.96"].worked
    assert rig.refused(AXIS, "raze", HOME).rule == "OCS 15.4"
    low = sky({}, {HOME: (AXIS, 1)}, {"ax.inf.96": HOME})
    assert rigged(low).refused(AXIS, "raze", HOME).rule == "OCS 15.4"
    moved = put(state, "ax.inf.96", spent=2, began=i)
    assert not air_bases.reducible(moved, AXIS)


def test_14_2a_who_is_active_at_a_base_that_is_lowered_stays_so() -> None:
    """OCS 14.2a, 15.4 Seven active aircraft at a base of level 3 stay active when it falls to 2; an
    eighth is refused a refit there."""
    planes = (*FIVE, BF109, "ax.air.bf109.2")
    more = "ax.air.bf109.3"
    state = sky(dict.fromkeys((*planes, more), HOME), {HOME: (AXIS, 3)}, {"ax.inf.96": HOME})
    rig = rigged(resting(state, more))
    rig.do(AXIS, "raze", HOME)
    assert all(rig.state.aircraft[name].active for name in planes)
    lowered = with_supply(rig.state, AXIS, state.charts.board.hex(HOME), 3)
    assert refit(lowered).refused(AXIS, "refit", HOME, more)


# --- capture --------------------------------------------------------------------------------------


def test_9_14f_captured_aircraft_may_flee_to_a_box() -> None:
    """OCS 9.14f Survivors go to the nearest base or box of theirs within twice their range; a base
    on the map before a box as far away; without one they are destroyed. Where is hidden."""
    state = sky({STUKA: HOME, FOCKE: HOME}, {HOME: (AXIS, 1)}, {RIFLES: "A26.07"})
    rig = rigged(state)
    rig.position = replace(rig.position, open=())
    rig.dice(3, 3, 5, 5)
    i = state.charts.board.hex(HOME)
    rig.run(lambda table: captures.enter(table, (RIFLES,), i))

    assert rig.state.bases[i] == Base(SOVIET, 1)
    for name in (STUKA, FOCKE):
        assert rig.state.aircraft[name].base == "box.air.lw4"
        assert not rig.state.aircraft[name].active
    assert all(isinstance(one.bases, Secret) for one in of(rig, AircraftPlaced))


def test_14_1a_missions_leave_the_base_they_flew_from() -> None:
    """OCS 14.2f Aircraft on a mission are not at their base: they are not hit there."""
    state = sky({STUKA: HOME, LA5: NEAR})
    assert aircraft.based(state, state.charts.board.hex(HOME)) == (STUKA,)
    assert state.aircraft[STUKA] == Aircraft(state.charts.board.hex(HOME), "", True)


@pytest.mark.parametrize("mode", FOGS)
def test_hr_3_2b_the_long_range_air_force_refits_twice_a_month(mode: str) -> None:
    """HR 3.2b All of it is refitted together, twice in a month; the next month begins anew."""
    force = {IL4: "box.air.lraf", "su.air.b25.1": "box.air.lraf"}
    state = resting(sky(force, phasing=SOVIET, turn=12, fog=mode), *force)
    rig = refit(state)
    rig.do(SOVIET, "refit", "box.air.lraf", IL4)
    assert all(rig.state.aircraft[name].active for name in force)
    again = refit(resting(rig.state, *force))
    again.do(SOVIET, "refit", "box.air.lraf", IL4)
    spent = resting(again.state, *force)
    assert not air_bases.refitting(replace(spent, segment="a"), SOVIET)
    assert air_bases.refitting(replace(spent, turn=20), SOVIET) == ("box.air.lraf",)
