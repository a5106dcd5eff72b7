"""OCS 4.5b: units are taken to stay in their own movement, and what relies on them holds them."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, stand, start
from tests.rules.hungarian_rhapsody.table import at, at_table, fed
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch12_supply import breakout, trace
from warledger.engine.games.ocs.series import evolve
from warledger.engine.games.ocs.series.events import SegmentBegun
from warledger.engine.games.ocs.series.state import State, taken_by
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.types import Refusal
from warledger.engine.testing.rig import Rig

TRUCK, HQ, TIGERS = "ax.truck.1", "ax.hq.iv", "ax.tgr.503"
DIVISION, MOUNTAIN, RIFLES = "ax.inf.44", "ax.mtn.3", "su.gd.81"
HERE, THERE, DUMP = "A26.10", "A26.11", "A26.08"

BOTH = pytest.mark.parametrize("fog", ["strict", "open"])


def moving(state: State, fog: str = "open") -> Rig[State]:
    """The whole game in a Movement Segment of the Axis."""
    return at_table(replace(state, turn=3), movement.MOVING, fog=fog)


def told(rig: Rig[State], *picks: str | int) -> list[tuple[str, ...]]:
    """Whom an order would hold, as its owner is told before."""
    found = rig.preview(AXIS, *picks)
    assert not isinstance(found, Refusal), found
    return [dict(one.args)["units"] for one in found if one.key == "preview.ocs.holds"]


def held(rig: Rig[State]) -> dict[str, str]:
    """Who is held, and what relies on it."""
    return dict(rig.state.phase_use.held)


@BOTH
def test_4_5b_fuel_holds_the_infantry_beside_the_tanks(fog: str) -> None:
    """OCS 4.5b, 12.5a Tigers in the front line are fuelled past the zone in their hex, since the
    infantry there is taken to stay; it is held from then on, and the refusal says by what."""
    rig = moving(fed(stand({DIVISION: HERE, TIGERS: HERE, RIFLES: THERE}), 8, DUMP), fog)
    assert TIGERS in rig.options(AXIS, "move")
    assert told(rig, "move", TIGERS, "A26.09") == [(DIVISION,)]
    rig.do(AXIS, "move", TIGERS, "A26.09")

    assert held(rig) == {DIVISION: "fuel"}
    assert DIVISION not in rig.options(AXIS, "move")
    refusal = rig.refused(AXIS, "move", DIVISION)
    assert (refusal.rule, refusal.key) == ("OCS 4.5b", "refusal.ocs.stays")
    assert dict(refusal.args)["reason"] == "ocs.relies.fuel"


def test_4_5b_nobody_negates_for_the_fuel_on_which_it_leaves() -> None:
    """OCS 4.5b, 12.5a Tigers alone in a zone have no path of supply: they are to move, and do not
    stay for themselves. Both together are refused as well."""
    rig = moving(fed(stand({TIGERS: HERE, RIFLES: THERE}), 8, DUMP))
    assert rig.refused(AXIS, "move", TIGERS, "A26.09").rule == "OCS 12.5a"
    assert "fuel" not in rig.options(AXIS)
    rig = moving(fed(stand({TIGERS: HERE, DIVISION: HERE, RIFLES: THERE}), 8, DUMP))
    assert rig.refused(AXIS, "move", TIGERS, DIVISION, "A26.09").rule == "OCS 12.5a"


@BOTH
def test_4_5b_example_46_a_truck_passes_where_infantry_stands(fog: str) -> None:
    """OCS 4.5b Example 46: a truck goes on through a hex in a zone where a division stands, which
    is held; where it could go round, nobody is."""
    rig = moving(stand({TRUCK: DUMP, DIVISION: HERE, RIFLES: THERE}), fog)
    assert told(rig, "move", TRUCK, HERE, "A25.10") == [(DIVISION,)]
    rig.do(AXIS, "move", TRUCK, HERE, "A25.10")
    assert (at(rig, TRUCK), held(rig)) == ("A25.10", {DIVISION: "march"})

    rig = moving(stand({TRUCK: DUMP, DIVISION: HERE, RIFLES: THERE}), fog)
    assert told(rig, "move", TRUCK, "A26.09") == []
    rig.do(AXIS, "move", TRUCK, "A26.09")
    assert held(rig) == {}


def test_4_5b_the_way_that_holds_fewest_is_taken() -> None:
    """OCS 4.5b Of ways through zones with different units that one is taken which holds nobody, or
    else who has been told to stay."""
    where = {TRUCK: "A26.08", DIVISION: HERE, MOUNTAIN: HERE, RIFLES: THERE}
    rig = moving(stand(where))
    rig.do(AXIS, "stay", MOUNTAIN)
    assert held(rig) == {MOUNTAIN: "stay"}
    assert rig.refused(AXIS, "move", MOUNTAIN).rule == "OCS 4.5b"
    assert told(rig, "move", TRUCK, HERE, "A25.10") == []
    rig.do(AXIS, "move", TRUCK, HERE, "A25.10")
    assert held(rig) == {MOUNTAIN: "stay"}
    assert DIVISION in rig.options(AXIS, "move")


def test_4_5b_an_hq_throws_from_the_front_line() -> None:
    """OCS 4.5b, 12.3b An HQ in Combat mode beside the enemy stays, so that its Truck points lead
    out of its hex."""
    state = stand({HQ: HERE, RIFLES: THERE}, phasing=AXIS, segment="c2")
    i = state.charts.board.hex(HERE)
    assert not zones.bars(state, AXIS, zones.TRUCK_SUPPLY, i)
    rig = moving(fed(stand({HQ: HERE, RIFLES: THERE}), 8, DUMP))
    assert HQ in rig.options(AXIS, "fuel")
    assert told(rig, "fuel", HQ) == [(HQ,)]


def test_4_5b_who_digs_stays() -> None:
    """OCS 4.5b, 16.0b A division in the front line digs with supply from beyond the zone: whoever
    works does not move."""
    state = fed(stand({DIVISION: HERE, HQ: HERE, RIFLES: THERE}), 40, DUMP)
    rig = moving(taken_by(state, AXIS, state.charts.board.every))
    assert "dig" in rig.options(AXIS)
    assert HERE in rig.options(AXIS, "dig")


def test_4_5b_front_line_units_that_trace_do_not_break_out() -> None:
    """OCS 4.5b, 12.8e In the Breakout Segment who traces along a path that he negates himself is
    not out of trace: nobody of the siege's front line may break out."""
    for scenario, side in (("siege", SOVIET), ("konrad2", AXIS)):
        state = replace(start(scenario), phasing=side, segment="d")
        fed_ = set(trace.cut(state, side))
        moving_ = replace(state, segment="c1")
        assert set(trace.cut(moving_, side)) == fed_
        assert set(breakout.able(moving_, side)) <= fed_ | set(state.units)
        assert not {n for n in breakout.able(moving_, side) if state.counter(n).combat_unit} - fed_


def test_4_5b_it_lasts_for_the_phase() -> None:
    """OCS 4.5b Who is held moves again in the next phase."""
    rig = moving(stand({DIVISION: HERE, RIFLES: THERE}))
    rig.do(AXIS, "stay", DIVISION)
    state = rig.state
    assert not zones.may_still_move(state, DIVISION, state.units[DIVISION])
    assert evolve.evolve(state, SegmentBegun("g1", True)).phase_use.held == {}


def test_4_5b_nobody_stays_without_need() -> None:
    """OCS 4.5b Outside enemy zones there is nothing to negate, so that nobody is offered to
    stay."""
    rig = moving(stand({DIVISION: "A26.06", RIFLES: THERE}))
    assert "stay" not in rig.options(AXIS)
    rig = moving(stand({DIVISION: "A26.06", TIGERS: HERE, RIFLES: THERE}))
    assert rig.options(AXIS, "stay") == (TIGERS,)
    assert rig.refused(AXIS, "stay", DIVISION).key == "refusal.ocs.cannot_stay"


def test_4_5b_the_enemy_does_not_learn_who_is_held() -> None:
    """OCS 4.5b, R-15 Under strict fog an order that holds nobody leaves the same kinds of events as
    one that does."""

    def kinds(*units: str) -> list[str]:
        where = {TRUCK: DUMP, **dict.fromkeys(units, HERE), RIFLES: THERE}
        rig = moving(fed(stand(where)), "strict")
        rig.do(AXIS, "move", TRUCK, "A26.09")
        return [type(one).__name__ for one in rig.do(AXIS, "move", TRUCK, HERE)]

    assert kinds(DIVISION) == kinds(DIVISION, TIGERS)
