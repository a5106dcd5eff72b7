"""OCS 4.5a-A, 6.1g, 8, 12.5e, 13.2, 13.6c: where movement and supply meet."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from tests.rules.hungarian_rhapsody.table import at, at_table, fed, through
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch06_movement import movement
from warledger.engine.games.ocs.ch12_supply import fuel, supply_reach
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.ch13_special_units.bridges import printed_sources
from warledger.engine.games.ocs.ch16_hedgehogs import earthworks
from warledger.engine.games.ocs.series.charts import across
from warledger.engine.games.ocs.series.state import EXHAUSTED, State
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig

TRUCK, ORGANIC, HQ = "ax.truck.1", "ax.1pz.truck", "ax.hq.iv"
TIGERS, PANZERS, DIVISION = "ax.tgr.503", "ax.1pz.pz1", "ax.inf.44"
RIFLES, GUN = "su.gd.81", "su.at.41gd"

BOARD = stand({}).charts.board


def moving(state: State, **changes: object) -> Rig[State]:
    """The whole game in a Movement Segment of the Axis."""
    return at_table(replace(state, turn=3), movement.MOVING, **changes)  # type: ignore[arg-type]


def test_4_5a_who_loads_in_a_zone_may_leave_it() -> None:
    """OCS 4.5a-A, 13.2 A truck that begins in an enemy zone and loads there has not gone into it,
    so it drives off with its load."""
    rig = moving(fed(stand({TRUCK: "A26.12", RIFLES: "A26.13"}), 4, "A26.12"))
    rig.do(AXIS, "load", TRUCK, 4)
    rig.do(AXIS, "move", TRUCK, "A26.10")
    assert (at(rig, TRUCK), rig.state.units[TRUCK].load) == ("A26.10", 4)


def test_4_5a_who_comes_back_into_a_zone_stops() -> None:
    """OCS 4.5a-A, 6.3b A truck that leaves an enemy zone and comes back to the hex in which it
    began stops there as in any other, whether by one order or by two."""
    state = stand({TRUCK: "A26.12", RIFLES: "A26.13"})
    rig = moving(state)
    rig.do(AXIS, "move", TRUCK, "A26.11")
    rig.do(AXIS, "move", TRUCK, "A26.12")
    assert not movement.movable(rig.state, TRUCK)
    once = moving(state)
    there = ("move", TRUCK, "A26.11", "A26.12")
    assert "A26.11" not in once.options(AXIS, *there)


def test_12_5e_an_hq_throws_fuel_from_where_it_ends() -> None:
    """OCS 12.5c(B), 12.5e A fuelled HQ that moves before it has thrown throws from the hex where it
    ends; once it has thrown to somebody it throws from nowhere else."""
    rig = moving(fed(stand({HQ: "A26.10", TIGERS: "A26.13", "ax.tgr.501ss": "A26.04"}), 4))
    rig.do(AXIS, "fuel", HQ)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "move", HQ, "move", "A26.12")
    rig.do(AXIS, "move", TIGERS, "A26.14")
    board = rig.state.charts.board
    assert rig.state.phase_use.hq_thrown == {HQ: board.hex("A26.12")}
    assert rig.refused(AXIS, "move", "ax.tgr.501ss", "A26.05").rule == "OCS 12.5a", "out of range"


def test_12_5e_an_hq_that_has_thrown_stays_with_that_place() -> None:
    """OCS 12.5e It throws from its start or its end, not from both."""
    rig = moving(fed(stand({HQ: "A26.10", TIGERS: "A26.11", "ax.tgr.501ss": "A26.13"}), 4))
    rig.do(AXIS, "fuel", HQ)
    rig.do(AXIS, "auto")
    rig.do(AXIS, "move", TIGERS, "A26.12")
    rig.do(AXIS, "move", HQ, "move", "A26.12")
    assert rig.refused(AXIS, "move", "ax.tgr.501ss", "A26.14").rule == "OCS 12.5a"


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_13_2_transport_feeds_an_overrun_where_its_move_ends(fog: str) -> None:
    """OCS 13.2, 8.0 The tanks go on with their truck's load where it has come along: it pays fuel
    and combat supply of an overrun, and then goes no further."""
    state = put(stand({PANZERS: "A26.09", ORGANIC: "A26.09", GUN: "A26.11"}), ORGANIC, load=4)
    rig = moving(state, fog=fog)
    rig.do(AXIS, "move", "A26.09", "A26.10")
    assert rig.state.units[ORGANIC].load == 3, "fuel (12.5c)"
    # Stocks would do, but for a unit that has none.
    rig.state = put(rig.state, PANZERS, stocks=EXHAUSTED)
    rig.do(AXIS, "overrun", "A26.11", PANZERS)
    assert rig.state.units[ORGANIC].finished, "left behind (6.1f): it has fed nobody on its way"
    rig.do(AXIS, "auto")
    assert rig.state.units[ORGANIC].load == 2
    assert rig.state.units[ORGANIC].finished
    rig.dice(6, 6, 6, 6, 6)
    through(rig)
    assert at(rig, PANZERS) == "A26.11"
    assert rig.refused(AXIS, "move", ORGANIC).rule == "OCS 6.1f"


def test_13_2_other_supply_is_used_before_transport_on_its_way() -> None:
    """OCS 12.3, 12.10a, 13.2 `auto` pays out of a dump farther away before it ends a truck's move;
    where there is none its owner may let the truck go on and use stocks. It goes on since it has
    fed somebody on its way."""
    state = put(stand({PANZERS: "A26.10", ORGANIC: "A26.09", GUN: "A26.11"}), ORGANIC, load=4)
    state = put(state, PANZERS, fuelled=False)

    def comes_and_feeds(rig: Rig[State]) -> None:
        rig.do(AXIS, "move", ORGANIC, "A26.10")
        rig.do(AXIS, "fuel", PANZERS)
        rig.do(AXIS, "pay", PANZERS, ORGANIC, 1)

    rig = moving(fed(state, 1, "A26.09"))
    comes_and_feeds(rig)
    rig.do(AXIS, "overrun", "A26.11", PANZERS)
    assert "stocks" not in rig.options(AXIS)
    rig.do(AXIS, "auto")
    assert (rig.state.supply[AXIS], rig.state.units[ORGANIC].load) == ({}, 3)
    assert not rig.state.units[ORGANIC].finished

    rig = moving(state)
    comes_and_feeds(rig)
    rig.do(AXIS, "overrun", "A26.11", PANZERS)
    assert supply_reach.ends_move(rig.state, ORGANIC, "attack")
    rig.do(AXIS, "stocks")
    assert (rig.state.units[PANZERS].stocks, rig.state.units[ORGANIC].load) == (1, 3)
    assert not rig.state.units[ORGANIC].finished


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_6_1g_transport_that_has_fed_nobody_is_done(fog: str) -> None:
    """OCS 6.1g, 13.2 A truck that has begun to move does not go on after another unit, as nobody
    does."""
    rig = moving(stand({TRUCK: "A26.09", DIVISION: "A24.09"}), fog=fog)
    rig.do(AXIS, "move", TRUCK, "A26.10")
    rig.do(AXIS, "move", TRUCK, "A26.11")
    rig.do(AXIS, "move", DIVISION, "A24.10")
    assert rig.state.units[TRUCK].finished
    assert rig.refused(AXIS, "move", TRUCK, "A26.12").rule == "OCS 6.1f"


@pytest.mark.parametrize("fog", ["strict", "open"])
@pytest.mark.parametrize("how", ["fuel", "move", "dig"])
def test_13_2_transport_pauses_to_feed_and_goes_on(how: str, fog: str) -> None:
    """OCS 13.2 A truck pauses to feed others and then goes on: tanks that are fuelled, or that pay
    as they begin to move, or builders. It does so once: after its next halt it is done."""
    where = {TRUCK: "A26.09", TIGERS: "A26.11", DIVISION: "A24.09", "ax.inf.46": "A24.12"}
    state = put(stand({**where, HQ: "A26.12"}), TRUCK, load=4)
    if how == "dig":
        state = fed(state, earthworks.cost(state) - 4, "A26.12")
    control = {AXIS: state.charts.board.every, SOVIET: 0}
    rig = moving(replace(state, control=control), fog=fog)
    rig.do(AXIS, "move", TRUCK, "A26.10")
    if how == "dig":
        rig.do(AXIS, "dig", "A26.11")
        rig.do(AXIS, "auto")
    else:
        if how == "fuel":
            rig.do(AXIS, "fuel", TIGERS)
            rig.do(AXIS, "auto")
        rig.do(AXIS, "move", TIGERS, "A26.12")
    assert rig.state.units[TRUCK].load < 4
    assert not rig.state.units[TRUCK].finished
    rig.do(AXIS, "move", DIVISION, "A24.10")
    rig.do(AXIS, "move", TRUCK, "A26.11")
    rig.do(AXIS, "move", "ax.inf.46", "A24.11")
    assert rig.state.units[TRUCK].finished
    assert rig.refused(AXIS, "move", TRUCK, "A26.12").rule == "OCS 6.1f"


def test_12_3_auto_keeps_the_organic_truck_for_last() -> None:
    """OCS 12.3, 12.10a `auto` leaves the load of an organic truck alone while a dump is in reach,
    though that lies farther away, for a formation's fuel as for a unit's."""
    state = put(stand({PANZERS: "A26.10", ORGANIC: "A26.10"}), ORGANIC, load=4)
    for what, due in ((PANZERS, 1), ("1pz", 4)):
        rig = moving(fed(state, 8, "A26.11"))
        rig.do(AXIS, "fuel", what)
        rig.do(AXIS, "auto")
        dump = rig.state.supply[AXIS][rig.state.charts.board.hex("A26.11")]
        paid = (4 - rig.state.units[ORGANIC].load, 8 - dump)
        assert paid == (0, due)


def test_13_2_transport_that_has_moved_feeds_the_combat_after() -> None:
    """OCS 11.0, 13.2 A truck released in the Exploitation Phase, which has moved in its first
    segment, feeds its formation's attack in the last."""
    state = put(stand({PANZERS: "A26.10", ORGANIC: "A26.10", GUN: "A26.11"}), ORGANIC, load=4)
    state = put(state, ORGANIC, released=True, spent=4, entered=True)
    state = replace(state, phasing=AXIS, segment="g3")
    whats = [one.what for one in supply_reach.sources(state, AXIS, PANZERS, "attack")]
    assert whats == [ORGANIC]
    assert not supply_reach.ends_move(state, ORGANIC, "attack")


def test_4_5b_who_was_under_way_clears_the_path_of_an_overrun_s_supply() -> None:
    """OCS 4.5b, 6.1g, 9.5 As soon as an overrun begins, the infantry that moved before is done and
    lifts the zone from its hex, through which the supply comes: so the overrun is on offer. Who
    overruns does not stay, and lifts none."""
    where = {DIVISION: "A26.09", TIGERS: "A26.11", RIFLES: "A26.12"}
    state = put(fed(stand(where), 8, "A26.08"), TIGERS, stocks=EXHAUSTED)
    state = put(state, TIGERS, fuelled=True)
    rig = moving(state)
    assert "overrun" not in rig.options(AXIS), "the path is closed"
    rig.do(AXIS, "move", DIVISION, "A26.11")
    rig.do(AXIS, "overrun", "A26.12", TIGERS)
    rig.do(AXIS, "auto")
    assert rig.state.supply[AXIS] == {rig.state.charts.board.hex("A26.08"): 7}


def test_12_5g_stocks_pay_for_an_overrun_once_the_last_supply_is_fuel() -> None:
    """OCS 12.5g, 12.10a Of a unit with 1T in reach that is its fuel; no supply is left for its
    overrun then, so that its stocks serve. Without the token there is no fuel and no overrun."""
    rig = moving(fed(stand({PANZERS: "A26.10", GUN: "A26.11"}), 1))
    rig.do(AXIS, "overrun", "A26.11", PANZERS)
    rig.do(AXIS, "stocks")
    assert (rig.state.supply[AXIS], rig.state.units[PANZERS].stocks) == ({}, 1)
    dry = moving(stand({PANZERS: "A26.10", GUN: "A26.11"}))
    assert dry.refused(AXIS, "overrun", "A26.11").rule.startswith("OCS 8")


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_13_8d_two_engineers_do_two_kinds_of_work_in_a_hex(fog: str) -> None:
    """OCS 13.8d, 15.3, 16.0b One hex and one kind of work are a unit's share of a phase, not a
    hex's: a second HQ builds a base where the first has built a hedgehog. No unit works twice."""
    state = fed(stand({HQ: "A26.10", "ax.hq.lvii": "A26.09"}))
    control = {AXIS: state.charts.board.every, SOVIET: 0}
    rig = moving(replace(state, control=control), fog=fog)
    for verb in ("dig", "air_base"):
        rig.do(AXIS, verb, "A26.11")
        rig.do(AXIS, "auto")
    i = rig.state.charts.board.hex("A26.11")
    assert (rig.state.hedgehogs[i].level, rig.state.bases[i].level) == (1, 1)
    assert rig.state.units[HQ].worked and rig.state.units["ax.hq.lvii"].worked
    assert rig.refused(AXIS, "dig", "A26.10").rule == "OCS 16.0b"


def test_13_6c_trucks_arrive_with_supply_that_arrives_there() -> None:
    """OCS 13.6c A truck that comes where supply arrives takes some of it along, at no cost and as
    much as it holds; one that comes elsewhere stays empty."""
    state = start("campaign", phasing=SOVIET, turn=8)
    here = state.charts.board.hex("B49.34")
    state = replace(state, markers={**state.markers, "marker.front.2uf": (here,)})
    rig = at_table(state, "reinforcements", segment="b", phasing=SOVIET, seed=1)
    rig.do(SOVIET, "place", "su.truck.1", "B49.34")
    assert "su.truck.1" in rig.options(SOVIET, "deliver", "east")
    before = rig.state.turn_use.counts["shipment.soviet.east"]
    assert rig.refused(SOVIET, "deliver", "east", "su.truck.1", 5).rule == "OCS 2.3"
    rig.do(SOVIET, "deliver", "east", "su.truck.1", 4)
    assert rig.state.units["su.truck.1"].load == 4
    assert rig.state.turn_use.counts.get("shipment.soviet.east", 0) == before - 4
    assert "su.truck.1" not in rig.options(SOVIET, "deliver", "east"), "it is full"
    assert "su.truck.1" not in rig.options(SOVIET, "deliver", "north"), "that comes in elsewhere"


def under_way(rig: Rig[State], side: str) -> str:
    """A unit of the side that needs no fuel moves one hex, and may go on."""
    unit = next(
        str(one)
        for one in rig.options(side, "move")
        if one in rig.state.units and not fuel.thirsty(rig.state, str(one))
    )
    hexes = [one for one in rig.options(side, "move", unit) if one in BOARD.map.grid.index]
    rig.do(side, "move", unit, hexes[0])
    return unit


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_6_1g_supply_by_rail_ends_the_move_in_progress(fog: str) -> None:
    """OCS 6.1g, 13.3a A move is not interrupted to send supply by rail: whoever is under way is
    done."""
    state = start("campaign", ground="dry", supply={AXIS: {}, SOVIET: {}})
    state = replace(state, phasing=AXIS, segment="c2", turn=3)
    here = next(i for i in hexsets.listed(rail.stations(state, AXIS)) if rail.lines(state, AXIS, i))
    name = state.charts.board.name(here)
    rig = moving(fed(state, 4, name), fog=fog)
    unit = under_way(rig, AXIS)
    rig.do(AXIS, "freight", name, 4, rig.options(AXIS, "freight", name, 4)[0])
    assert rig.state.units[unit].finished


def test_6_1g_supply_by_truck_ends_the_move_in_progress() -> None:
    """OCS 6.1g, HR 3.1d So does supply that the Soviets send by truck."""
    state = start("campaign", ground="dry", supply={AXIS: {}, SOVIET: {}})
    state = replace(state, phasing=SOVIET, segment="c2", turn=3)
    for i in hexsets.listed(printed_sources(state, SOVIET)):
        state = fed(state, 8, BOARD.name(i), SOVIET)
    rig = moving(state, phasing=SOVIET)
    unit = under_way(rig, SOVIET)
    here = rig.options(SOVIET, "haul")[0]
    rig.do(SOVIET, "haul", here, 1, rig.options(SOVIET, "haul", here, 1)[0])
    assert rig.state.units[unit].finished


def test_8_1b_nobody_overruns_across_an_impassable_hexside() -> None:
    """OCS 6.2c, 8.1b An overrun does not cross a hexside that nothing crosses."""
    printed = stand({}).charts.printed
    a, b = BOARD.hex("A26.10"), BOARD.hex("A26.11")
    assert across(printed, "track", "dry", a, b, None) is not None
    shut = bytearray(BOARD.map.sides.impassable)
    shut[BOARD.slot(a, b)] = 1
    sides = replace(BOARD.map.sides, impassable=bytes(shut))
    board = replace(BOARD, map=replace(BOARD.map, sides=sides))
    assert across(replace(printed, board=board), "track", "dry", a, b, None) is None


def test_12_5c_no_fuel_for_who_does_not_move() -> None:
    """OCS 7.0, 12.5c(C) A unit's fuel is for the phase: in the Reaction Phase it is for released
    Reserves alone, in the Movement Phase not for who is done."""
    state = fed(stand({TIGERS: "A26.10", PANZERS: "A26.10"}), 8)
    state = put(put(state, TIGERS, marker="reserve"), PANZERS, fuelled=False)
    reacting = moving(replace(state, phasing=SOVIET), segment="e1", phasing=SOVIET)
    offered = reacting.options(AXIS, "fuel")
    assert TIGERS in offered
    assert PANZERS not in offered
    refusal = reacting.refused(AXIS, "fuel", PANZERS)
    assert refusal.key == "refusal.ocs.fuel_for_nothing"
    done = moving(put(state, PANZERS, finished=True))
    assert PANZERS not in done.options(AXIS, "fuel")


@pytest.mark.parametrize(("mode", "rule"), [("reserve", "OCS 5.7c"), ("strat", "OCS 5.8a")])
def test_5_7c_5_8a_a_mode_that_a_zone_forbids_is_refused_by_its_clause(
    mode: str, rule: str
) -> None:
    """OCS 5.7c, 5.8a Who asks why a unit beside the enemy cannot go into Reserve or Strat mode is
    told the clause; elsewhere, once it has moved, that modes change as moves begin (5.4)."""
    rig = moving(stand({DIVISION: "A26.12", "ax.inf.46": "A24.12", RIFLES: "A26.13"}))
    refusal = rig.refused(AXIS, "move", DIVISION, mode)
    assert (refusal.rule, refusal.key) == (rule, "refusal.ocs.mode_in_zone")
    rig.do(AXIS, "move", "ax.inf.46", "A24.11")
    assert rig.refused(AXIS, "move", "ax.inf.46", mode).rule == "OCS 5.4"


@pytest.mark.parametrize("flight", ["limited", "unlimited"])
def test_17_the_prompt_says_that_the_weather_allows_no_missions(flight: str) -> None:
    """OCS 14.2e, 17 Where the weather alone is why nothing is flown in a phase, whoever is asked is
    told so."""
    state = stand({DIVISION: "A26.12"})
    names = state.charts.printed.weather
    flies = {name for name, one in names.items() if "reaction" in one.missions}
    flight = min(flies) if flight == "unlimited" else min(set(names) - flies)
    rig = moving(replace(state, flight=flight), segment="e1", phasing=SOVIET, fog="strict")
    key = "moving" if flight in flies else "moving_grounded"
    assert rig.asked() == {AXIS: f"prompt.ocs.{key}"}
