"""HR 3.1, 4.0: worked examples of Soviet supply, trucks, front markers, HQs and mountain units."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SCENARIOS, SOVIET, charts_of, stand, start
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import trucks
from warledger.engine.games.hungarian_rhapsody.fighting import mountain_troops
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.hungarian_rhapsody.supply import serves
from warledger.engine.games.ocs.ch12_supply import bills
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.kernel.change import replace


def test_3_1g_the_cap_of_an_ammo_marker_comes_last() -> None:
    """HR 3.1f, 3.1g, R-41 Example 50: a barrage of 3T at a target west of the yellow line
    costs 12T, with an artillery ammo marker 4T."""
    gun = "su.gun.27"
    state = stand({gun: "A26.08"})
    target = state.charts.board.hex("A26.07")
    bill = Bill(SOVIET, "barrage", (gun,), 3, one_source=True, target=target)
    cap = state.charts.printed.chart["capacity"]["ammo_marker_cost_cap_t"]
    assert bills.charged(state, bill).cost == 12
    assert bills.charged(state, replace(bill, cap=cap)).cost == 4


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_3_1f_the_line_holds_in_every_scenario(scenario: str) -> None:
    """HR 3.1f, R-29, R-30 For whatever Soviet supply is used in play west of the line, it costs
    four times as much; east of it, and to the Axis, it costs what it says."""
    state = start(scenario)
    board = state.charts.board
    west = board.areas["area.west_of_yellow"]
    for i in hexsets.listed(state.charts.scenario.play):
        factor = GAME.cost_factor(state, SOVIET, i, "build")
        assert factor == (4 if hexsets.has(west, i) else 1)
        assert GAME.cost_factor(state, AXIS, i, "build") == 1
    for name, unit in state.units.items():
        if unit.at >= 0 and state.side(name) == SOVIET:
            factor = GAME.cost_factor(state, SOVIET, name, "fuel_unit")
            assert factor == (4 if hexsets.has(west, unit.at) else 1)


def test_3_1d_five_points_of_trucks() -> None:
    """HR 3.1d Example 56: of 5 points 3 bring 6 SP to the 2nd Ukrainian Front marker, 2 bring 2 SP
    to Debrecen."""
    chart = charts_of("campaign").printed.chart["capacity"]
    to_marker = 4 * chart["truck_sp_per_point_to_front_marker"]
    to_city = 4 * chart["truck_sp_per_point_to_unloadable_hex"]
    point = rail.PARTS
    assert trucks.price(4 * 6, to_marker) + trucks.price(4 * 2, to_city) == point * 5
    assert trucks.price(4 * 6, to_marker) == point * 3
    assert trucks.price(4 * 2 + 1, to_city) > point * 2


def test_3_1c_the_second_front_marker_on_its_date() -> None:
    """HR 3.1c(4) Example 57: the calendar frees the 2nd Ukrainian Front marker on 29 October, the
    turn after that of 26 October, for 1 SP."""
    printed = charts_of("campaign").printed
    free = printed.chart["capacity"]["front_2uf_moves_from_turn"]
    assert printed.turn(free).start == "1944-10-29"
    assert printed.turn(free - 1).start == "1944-10-26"
    assert printed.chart["capacity"]["front_marker_move_sp"] == 1


def test_4_0d_two_hqs_serve_no_rifle_divisions() -> None:
    """HR 4.0d With the option Gorshkov's HQ serves formations and independents alone; without it
    rifle divisions too."""
    plain = charts_of("campaign")
    strict = with_options(plain, {**plain.options, "cavalry_hqs": True})
    rifles, mobile = "su.rd.375", "su.4gmc.b2"
    for hq in ("su.hq.gorshkov", "su.hq.pliev"):
        assert serves(plain, hq, rifles)
        assert not serves(strict, hq, rifles)
        assert serves(strict, hq, mobile)
    assert serves(strict, "su.hq.7ga", rifles)


def test_4_0h_mountain_units_in_mountains() -> None:
    """HR 4.0h With the option a mountain unit has one AR more against or in a mountain hex; others,
    and other hexes, have not."""
    state = stand({})
    board = state.charts.board
    kinds = board.map.terrains
    high = next(i for i, kind in enumerate(board.map.terrain) if kinds[kind] == "mountain")
    low = next(i for i, kind in enumerate(board.map.terrain) if kinds[kind] == "open")
    options = {**state.charts.options, "mountain_units": True}
    chosen = replace(state, charts=with_options(state.charts, options))

    assert mountain_troops(chosen, "ax.mtn.3", high) == 1
    assert mountain_troops(chosen, "ax.mtn.3", low) == 0
    assert mountain_troops(chosen, "ax.inf.44", high) == 0
    assert mountain_troops(state, "ax.mtn.3", high) == 0
