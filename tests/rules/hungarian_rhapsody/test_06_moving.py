"""OCS 2, 6, 8, 13.3, HR 3.1d: the movement segment of the title, with all of its commands."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from tests.rules.hungarian_rhapsody.table import at, at_table, fed, through
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import trucks
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.ch13_special_units.bridges import printed_sources
from warledger.engine.games.ocs.series.charts import ROAD_PATH
from warledger.engine.games.ocs.series.state import EXHAUSTED, RESERVE
from warledger.engine.kernel.change import replace

PANZERS, TIGERS, GUARDS, GUN = "ax.1pz.pz1", "ax.tgr.503", "su.gd.81", "su.at.41gd"
DIVISION = "ax.inf.44"


def test_8_0_an_overrun_is_part_of_a_move() -> None:
    """OCS 8.0, 8.1, 6.1 Units that have moved overrun the next hex, enter it when it empties, and
    go on; fuel and combat supply are paid."""
    state = fed(stand({PANZERS: "A26.09", GUN: "A26.11"}))
    rig = at_table(fed(state, where="A26.12", side=SOVIET), "moving")
    rig.do(AXIS, "move", PANZERS, "A26.10")
    assert rig.options(AXIS, "overrun") == ("A26.11",)
    rig.dice(6, 6, 6, 6, 6, *(1 for _ in range(8)))
    rig.do(AXIS, "overrun", "A26.11", PANZERS)
    through(rig)

    assert at(rig, PANZERS) == "A26.11"
    assert at(rig, GUN) == ""
    assert rig.state.move is not None
    assert rig.state.move.units == (PANZERS,)
    rig.do(AXIS, "move", PANZERS, "A26.12")
    assert at(rig, PANZERS) == "A26.12"


def test_8_1_who_is_left_behind_is_done() -> None:
    """OCS 6.1f, 8.1 Of a stack under way those that do not overrun are done; units that did not
    come with it cannot join."""
    state = fed(stand({PANZERS: "A26.09", TIGERS: "A26.09", DIVISION: "A26.10", GUN: "A26.11"}))
    rig = at_table(state, "moving")
    rig.do(AXIS, "move", "A26.09", "A26.10")
    assert set(rig.options(AXIS, "overrun", "A26.11")) >= {PANZERS, TIGERS}
    assert DIVISION not in rig.options(AXIS, "overrun", "A26.11", PANZERS)
    rig.do(AXIS, "overrun", "A26.11", PANZERS)

    assert rig.state.units[TIGERS].finished
    assert not rig.state.units[DIVISION].finished


def test_8_1_no_overrun_without_fuel_and_supply() -> None:
    """OCS 9.5, 12.5a 1T cannot be both the fuel and the combat supply of an overrun, for a unit
    whose internal stocks are exhausted."""
    state = put(stand({PANZERS: "A26.10", GUN: "A26.11"}), PANZERS, stocks=EXHAUSTED)
    assert "overrun" not in at_table(fed(state, 1), "moving").options(AXIS)
    assert "overrun" in at_table(fed(state, 2), "moving").options(AXIS)


def test_13_3_a_division_goes_by_rail() -> None:
    """OCS 13.3a, 13.3e, HR 2.1c A division in Move mode takes a train between two stations, pays
    for it out of the turn's capacity and moves no more."""
    state = start("campaign", ground="dry", phasing=AXIS, segment="c2")
    ends = hexsets.listed(rail.stations(state, AXIS))
    here = next(i for i in ends if rail.lines(state, AXIS, i) and not state.stack(i))
    rig = at_table(put(state, DIVISION, at=here, where="", move_side=True, marker=""), "moving")
    there = rig.options(AXIS, "rail", DIVISION)[-1]
    assert isinstance(there, str)
    cost = rail.price(rig.state, DIVISION, rig.state.charts.board.hex(there))
    rig.do(AXIS, "rail", DIVISION, there)

    assert at(rig, DIVISION) == there
    assert rail.left(rig.state, AXIS) == 10 * rail.PARTS - (cost or 0)
    assert rig.refused(AXIS, "move", DIVISION).rule == "OCS 6.1f"


def test_13_3_supply_goes_by_rail_once() -> None:
    """OCS 12.2a, 13.3a, 13.3b Supply goes as far as capacity lasts, and no train takes it on in the
    same phase; the Soviets have no railway (HR 3.1d)."""
    state = start("campaign", ground="dry", phasing=AXIS, segment="c2")
    ends = hexsets.listed(rail.stations(state, AXIS))
    here = next(i for i in ends if rail.lines(state, AXIS, i))
    name = state.charts.board.name
    rig = at_table(fed(replace(state, supply={AXIS: {}, SOVIET: {}}), 60, name(here)), "moving")
    there = rig.options(AXIS, "freight", name(here), 40)[0]
    rig.do(AXIS, "freight", name(here), 40, there)

    board = rig.state.charts.board
    assert rig.state.supply[AXIS] == {here: 20, board.hex(str(there)): 40}
    assert rail.left(rig.state, SOVIET) == 0


def test_3_1d_soviet_trucks_ship_supply_by_road() -> None:
    """HR 3.1d Out of an active source supply goes by road to a city for 1 SP a point, to a front
    marker for half of that; the capacity of the turn bounds it."""
    state = start("campaign", ground="dry", phasing=SOVIET, segment="c2", turn=2)
    state = replace(state, supply={AXIS: {}, SOVIET: {}})
    starts = printed_sources(state, SOVIET)
    fed_all = state
    for i in hexsets.listed(starts):
        fed_all = fed(fed_all, 40, state.charts.board.name(i), SOVIET)
    rig = at_table(fed_all, "moving", phasing=SOVIET)
    board = rig.state.charts.board
    found = trucks.routes(rig.state)
    assert found
    assert {8, 4} >= {rate for to in found.values() for rate in to.values()}
    start_, to = next((i, n) for i, ends in found.items() for n, rate in ends.items() if rate == 4)
    rig.do(SOVIET, "haul", board.name(start_), 5, board.name(to))

    assert rig.state.supply[SOVIET][to] - fed_all.supply[SOVIET].get(to, 0) == 5
    assert rail.left(rig.state, SOVIET, trucks.CAPACITY) == 4 * rail.PARTS - 5 * rail.PARTS // 4


def test_3_1d_trucks_start_wherever_supply_lies_on_a_road() -> None:
    """HR 3.1d Only where trucks unload is bound: supply by a road far from every source goes too,
    supply off the roads does not."""
    state = start("campaign", ground="dry", phasing=SOVIET, segment="c2", turn=2)
    board = state.charts.board
    here = board.hex("B41.08")
    assert not hexsets.has(printed_sources(state, SOVIET), here)
    off = next(
        n for n in hexsets.listed(board.near[here]) if not hexsets.has(board.linked[ROAD_PATH], n)
    )
    state = replace(state, supply={AXIS: {}, SOVIET: {here: 32, off: 32}})
    assert list(trucks.routes(state)) == [here]

    rig = at_table(state, "moving", phasing=SOVIET)
    to = rig.options(SOVIET, "haul", "B41.08", 4)[0]
    rig.do(SOVIET, "haul", "B41.08", 4, to)
    assert rig.state.supply[SOVIET] == {here: 28, off: 32, board.hex(to): 4}


def test_3_1d_what_is_left_takes_a_token_where_it_is_offered() -> None:
    """HR 3.1d An eighth of a point takes 1T to a front marker and nothing to a city: no hex is
    offered from which it would have to go to one; less than that takes nothing at all."""
    state = start("campaign", ground="dry", phasing=SOVIET, segment="c2", turn=2)
    for i in hexsets.listed(printed_sources(state, SOVIET)):
        state = fed(state, 40, state.charts.board.name(i), SOVIET)
    whole = rail.left(state, SOVIET, trucks.CAPACITY)
    key = f"{trucks.CAPACITY}.{SOVIET}"

    def rates(left: int) -> set[int]:
        use = replace(state.turn_use, capacity={key: whole - left})
        found = trucks.routes(replace(state, turn_use=use)).values()
        assert all(found)
        return {rate for ends in found for rate in ends.values()}

    assert 4 in rates(rail.PARTS // 4)
    assert rates(rail.PARTS // 8) <= {8}
    assert rates(rail.PARTS // 16) == set()


@pytest.mark.parametrize("marker", ["", RESERVE])
def test_2_3_reaction_passes_where_nothing_can_be_done(marker: str) -> None:
    """OCS 2.3 E1, 7.0 In the open the Reaction Phase asks only a side with Reserves, or with a
    dump that it could blow up."""
    state = put(stand({PANZERS: "A26.10", GUARDS: "A26.12"}), PANZERS, marker=marker)
    flow = ("player_turn", "segment_e1", "moving")
    rig = at_table(state, *flow, segment="e1", phasing=SOVIET, seed=1)

    asked = rig.asked()
    assert (asked.get(AXIS) == "prompt.ocs.moving") == bool(marker)
