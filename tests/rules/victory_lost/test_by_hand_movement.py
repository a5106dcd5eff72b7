"""Worked by hand from the rule book, chapters 5, 6, 8 and 13: costs that add up, rivers and zones, roads, overruns on the way."""

import pytest

from engine.games.victory_lost.events import Overrun
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANK, happened
from tests.rules.victory_lost.bench import Bench, board_t, city
from tests.rules.victory_lost.test_08_movement import DON, ROAD, cost

RIFLE = "su.rifle.1"


def moving(bench: Bench, *counters: str, side: str = "soviet") -> Bench:
    """The Movement Step with these counters activated."""
    bench.activate(side, *counters)
    return bench


# --- 2.1.3, 8.1 costs -------------------------------------------------------------------------------------------------------


def test_2_1_3_a_road_or_railway_over_a_river_is_a_bridge_without_saying_so() -> None:
    """2.1.3, 8.1.3: A minor river under a road, and under a railway, costs nothing more; a Don under a railway does not stop."""
    rivers = {"minor": "1010-1110 1012-1112", "major": "1014-1114"}
    bench = Bench(board_t(rivers=rivers, roads=("1010 1110",), rails=("1012 1112", "1014 1114")))
    bench.stand({TANK: "1010"})
    assert cost(bench, TANK, "1110") == 2
    bench.stand({TANK: "1012"})
    assert cost(bench, TANK, "1112") == 2
    bench.stand({TANK: "1014"})
    assert cost(bench, TANK, "1114", "1214") == 4


def test_8_1_2_a_railway_bridges_but_is_no_road() -> None:
    """2.1.3, 8.3.2: Into rough along a railway over a minor river: 2 points, the river free, the terrain not; along a road 1."""
    rough, stream = {"1110": "^", "1112": "^"}, "1010-1110 1012-1112"
    bench = Bench(board_t(rows=rough, rivers={"minor": stream}, bridges=stream, roads=("1010 1110",), rails=("1012 1112",)))
    bench.stand({RIFLE: "1010"})
    assert cost(bench, RIFLE, "1110") == 2
    bench.stand({RIFLE: "1012"})
    assert cost(bench, RIFLE, "1112") == 4


def test_R_12_a_road_through_rough_by_ordinary_movement() -> None:
    """R-12: 1 point a hex along the road whatever the terrain; stepping aside into rough costs 2."""
    rough = dict.fromkeys(("0209", "0310", "0409", "0210"), "^")
    bench = Bench(board_t(rows=rough, roads=(ROAD,)))
    bench.stand({RIFLE: "0110"})

    assert cost(bench, RIFLE, "0209", "0310", "0409", "0510") == 8
    assert cost(bench, RIFLE, "0210") == 4


def test_8_2_1_out_of_a_zone_across_a_stream_into_a_zone_in_woods() -> None:
    """8.2.1, 8.1.3: 2 for leaving, 2 for entering, 2 for woods and 1 for the river: 7, a tank corps's whole allowance; a rifle
    division with 4 cannot."""
    bench = Bench(board_t(rows={"1110": "f"}, rivers={"minor": "1010-1110"}))
    bench.stand({TANK: "1010", RIFLE: "1010", GERMAN: "1009"})
    assert cost(bench, TANK, "1110") == 14

    moving(bench, TANK, RIFLE)
    assert "1110" in bench.reach("soviet", "move", TANK)
    assert bench.options("soviet", "move", TANK, "1110") == ()
    assert bench.refused("soviet", "move", RIFLE, "1110").rule == "8.1.2"


def test_8_2_1_a_road_does_not_lift_the_zone() -> None:
    """8.2.1, 8.3.1: On a road in a zone, 4 points: out of it 3, one more hex 1; no strategic movement for it."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({RIFLE: "0510", GERMAN: "0511"})
    moving(bench, RIFLE)

    assert cost(bench, RIFLE, "0609", "0710") == 8
    assert "0710" in bench.reach("soviet", "move", RIFLE)
    assert "0809" not in bench.reach("soviet", "move", RIFLE)
    assert "road" not in bench.options("soviet", "move", RIFLE)
    assert bench.refused("soviet", "move", RIFLE, "road").rule == "8.3.1"


def test_8_1_3_R_11_the_don_is_paid_with_the_zone_beyond() -> None:
    """R-11: From a free bank into a zone across the river: 1 + 2 = 3 of 4 points, then it stops; from a zone to a free bank likewise 3;
    between zones never, also with enough points."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({RIFLE: "1010", GERMAN: "1210"})
    moving(bench, RIFLE)
    events = bench.do("soviet", "move", RIFLE, "1110")
    assert (events[0].path, events[0].left) == (("1010", "1110"), 0)

    bench.stand({RIFLE: "1010", GERMAN: "0911"})
    moving(bench, RIFLE)
    assert cost(bench, RIFLE, "1110") == 8 - 0
    bench.do("soviet", "move", RIFLE, "1110")

    bench.stand({TANK: "1010", GERMAN: "1009"})
    moving(bench, TANK)
    assert bench.refused("soviet", "move", TANK, "1110").rule == "8.2.2"


def test_R_11_an_hq_crosses_like_a_unit() -> None:
    """R-11, R-15: An HQ with 6 points on the bank crosses one hex and stops; one a hex behind the bank does not cross."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({"su.hq.6a": "1010", "su.hq.1gda": "0910"})
    moving(bench, "su.hq.6a", "su.hq.1gda")

    assert {hex_id for hex_id in bench.reach("soviet", "move", "su.hq.6a") if hex_id > "11"} == {"1110", "1111"}
    assert not {hex_id for hex_id in bench.reach("soviet", "move", "su.hq.1gda") if hex_id > "11"}


def test_8_1_3_along_a_bridge_the_way_goes_on() -> None:
    """8.1.3: The road bridge 1009-1110 is crossed in the middle of a move and the move goes on; beside it nothing
    crosses, so that the way from 1010 to 1111 goes back to the bridge."""
    bench = Bench(board_t(rivers={"major": DON}, bridges="1009-1110", roads=("0810 0910 1009 1110 1209",)))
    bench.stand({TANK: "0810"})
    moving(bench, TANK)

    assert cost(bench, TANK, "0910", "1009", "1110", "1209", "1309") == 10
    assert "1209" in bench.reach("soviet", "move", TANK, "road")
    events = bench.do("soviet", "move", TANK, "1010", "1111")
    assert events[0].path == ("0810", "0910", "1010", "1009", "1110", "1111")


# --- 5.0 stacking -----------------------------------------------------------------------------------------------------------


def test_5_0_3_5_0_4_an_italian_passes_romanians_and_may_end_with_a_german() -> None:
    """5.0.3, 5.0.4: Through a hex of a Romanian it may go, not stay; where a German stands alone it may stay; with a German and a
    Romanian there are two units already (5.0.1)."""
    bench = Bench()
    bench.stand({ITALIAN: "1010", "ax.ro.5": "1011", GERMAN: "1012", "ax.inf.294": "1013", "ax.ro.7": "1013"})
    moving(bench, ITALIAN, side="axis")

    assert bench.refused("axis", "move", ITALIAN, "1011").key == "refusal.victory_lost.nations"
    assert "1012" in bench.options("axis", "move", ITALIAN, "1011")
    assert bench.refused("axis", "move", ITALIAN, "1013").key == "refusal.victory_lost.two_units"
    bench.do("axis", "move", ITALIAN, "1011", "1012")
    assert bench.hexes(ITALIAN) == ("1012",)


def test_5_0_1_an_hq_does_not_count_among_the_two_units() -> None:
    """5.0.1, 5.0.3: A Hungarian HQ may end with two Germans, not with a Romanian; two units may end with an HQ."""
    bench = Bench()
    bench.stand({"ax.hq.h2a": "1010", GERMAN: "1011", "ax.inf.294": "1011", "ax.ro.5": "1009"})
    moving(bench, "ax.hq.h2a", side="axis")
    assert bench.refused("axis", "move", "ax.hq.h2a", "1009").key == "refusal.victory_lost.nations"
    bench.do("axis", "move", "ax.hq.h2a", "1011")

    assert bench.hexes("ax.hq.h2a") == ("1011",)


# --- 8.3 strategic movement -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("unit", "march", "hexes"), [(TANK, False, 6), (RIFLE, False, 4), (TANK, True, 8), (RIFLE, True, 6)])
def test_R_45_a_surrounded_unit_on_the_road(unit: str, march: bool, hexes: int) -> None:
    """R-45: MA 7 halved is 3, MA 4 is 2, before strategic movement: 6 and 4 road hexes; with command march (15.0.1(b)) 8 and 6."""
    bench = Bench(board_t(roads=(ROAD,)), command_march=march)
    bench.stand({unit: "0110"}, supply={unit: 2})
    moving(bench, unit)

    assert len(bench.reach("soviet", "move", unit, "road")) == hexes


def test_8_3_1_two_roads_side_by_side_are_not_one() -> None:
    """R-12: Every hexside crossed must carry the road: from 0710 to 0809, both on a road, there is none."""
    bench = Bench(board_t(roads=("0510 0609 0710", "0809 0910 1009")))
    bench.stand({RIFLE: "0510"})
    moving(bench, RIFLE)

    assert bench.reach("soviet", "move", RIFLE, "road") == {"0609", "0710"}
    assert bench.refused("soviet", "move", RIFLE, "road", "0710", "0809").rule == "8.3.1"


def test_R_12_past_a_full_hex_on_the_road() -> None:
    """R-12, 5.0.1: Passing friends is free; a strategic move does not end where two units stand."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({TANK: "0110", RIFLE: "0510", "su.rifle.153": "0510"})
    moving(bench, TANK)

    assert bench.refused("soviet", "move", TANK, "road", "0510").key == "refusal.victory_lost.two_units"
    bench.do("soviet", "move", TANK, "road", "0609")
    assert bench.hexes(TANK) == ("0609",)


def test_8_3_1_a_bridged_don_on_the_road() -> None:
    """8.3.1, 8.1.3: A strategic move crosses a bridge at half a point and goes on."""
    bench = Bench(board_t(rivers={"major": DON}, bridges="1009-1110", roads=(ROAD,)))
    bench.stand({RIFLE: "0809"})
    moving(bench, RIFLE)

    assert max(bench.reach("soviet", "move", RIFLE, "road")) == "1609"


def test_13_0_a_road_through_the_pocket() -> None:
    """13.0, R-39: Through turn 4 the road ends before the pocket hex 1110; from turn 5 it does not."""
    for turn, furthest in ((4, "1009"), (5, "1609")):
        bench = Bench(board_t(roads=(ROAD,), pocket="1110"))
        bench.stand({RIFLE: "0809"}, turn=turn)
        moving(bench, RIFLE)
        assert max(bench.reach("soviet", "move", RIFLE, "road")) == furthest
        if turn == 4:
            assert bench.refused("soviet", "move", RIFLE, "road", "1110").rule == "13.0"


def test_R_39_no_zone_reaches_into_the_pocket_nor_out_of_play() -> None:
    """R-39, 6.0.1: A unit beside the pocket has no zone in it through turn 4, and from turn 5 it has."""
    for turn, zone in ((4, False), (5, True)):
        bench = Bench(board_t(pocket="1110"))
        bench.stand({GERMAN: "1010"}, turn=turn)
        assert bench.state.field.in_enemy_zone("soviet", bench.state.data.hex("1110")) is zone


# --- 12.1 overruns on the way -----------------------------------------------------------------------------------------------


def test_8_1_3_12_1_an_overrun_across_the_don_ends_the_move() -> None:
    """R-11, R-16: Crossing an unbridged major river into a lone HQ: it resets, and the tank corps stays, its points lost."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({TANK: "1010", "ax.hq.4pza": "1110"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1110")
    assert len(happened(bench, Overrun)) == 1
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", bench.options("axis", "reset")[0])

    assert bench.asked() != {"soviet": "prompt.victory_lost.move_on"}
    assert bench.hexes(TANK) == ("1110",)


def test_R_16_two_hqs_in_one_move() -> None:
    """R-16: 7 points: 1 to the first HQ, 2 to the second, and 4 hexes beyond."""
    bench = Bench()
    bench.stand({TANK: "1310", "ax.hq.4pza": "1210", "ax.hq.hollidt": "1010"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1210")
    bench.do("axis", "reset", "0808")
    bench.do("soviet", "on", "1010")
    bench.do("axis", "reset", "0612")
    reached = {hex_id for hex_id in bench.options("soviet", "on") if hex_id not in ("on", "halt")}
    grid = bench.state.data.board.grid
    assert max(grid.distance(grid.at("1010"), grid.at(str(hex_id))) for hex_id in reached) == 4
    bench.do("soviet", "on", "0610")

    assert bench.hexes(TANK, "ax.hq.4pza", "ax.hq.hollidt") == ("0610", "0808", "0612")


def test_R_16_an_overrun_in_a_zone_costs_the_zone() -> None:
    """R-16, 8.2.1: 1 + 3 into the HQ's hex, which a German covers; of 7 points 3 are left, just enough to leave the zone by a free hex."""
    bench = Bench()
    bench.stand({TANK: "1210", "ax.hq.4pza": "1010", GERMAN: "0910"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1010")
    bench.do("axis", "reset", bench.options("axis", "reset")[0])

    assert set(bench.options("soviet", "on")) == {"1110", "1111", "1011"}


def test_R_16_an_hq_may_not_overrun_an_hq() -> None:
    """12.1: Only units overrun: the refusal says so."""
    bench = Bench()
    bench.stand({"su.hq.6a": "1110", "ax.hq.4pza": "1010"})
    moving(bench, "su.hq.6a")

    assert bench.refused("soviet", "move", "su.hq.6a", "1010").rule == "12.1"


def test_12_1_14_0_1_an_hq_in_a_city_is_overrun_and_the_city_taken() -> None:
    """12.1, R-41: A lone HQ does not hold a strategic city: the tank corps overruns it and takes 5 points."""
    bench = Bench(board_t(places=(city("1010"),)))
    bench.stand({TANK: "1110", "ax.hq.4pza": "1010"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1010")

    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_6_0_1_a_lone_hq_has_no_zone_but_stops_a_column_only_by_its_hex() -> None:
    """6.0.1, 8.2.1: Past a lone HQ a unit moves at 1 point a hex."""
    bench = Bench()
    bench.stand({RIFLE: "1110", "ax.hq.4pza": "1010"})

    assert cost(bench, RIFLE, "1009", "0910", "0911", "1011") == 8


def test_8_1_1_a_unit_in_range_of_two_hqs_moves_once() -> None:
    """8.1.1, R-46: Activated by STAVKA through two HQs at once, it moves once."""
    bench = Bench()
    bench.stand({RIFLE: "1010", "su.hq.6a": "1011", "su.hq.1gda": "1009"})
    moving(bench, RIFLE, "su.hq.6a", "su.hq.1gda")
    bench.do("soviet", "move", RIFLE, "0910")

    assert bench.refused("soviet", "move", RIFLE, "0809").rule == "8.1.1"


def test_7_3_3_out_of_range_it_still_fights() -> None:
    """7.3.3: A unit that has moved out of its HQ's range is still activated in the Combat Step."""
    bench = Bench()
    bench.stand({TANK: "1010", "su.hq.6a": "1110", ITALIAN: "0409"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "0510")
    bench.jump("set_up_first", "activation", "combat_step")

    assert bench.options("soviet", "attack") == ("0409",)


# --- 15.0.1 (b) -------------------------------------------------------------------------------------------------------------


def test_15_0_1_b_a_command_march_stops_before_zones() -> None:
    """15.0.1(b): With the extra point a rifle division goes five hexes clear of zones; into one it has its 4 points only."""
    bench = Bench(command_march=True)
    bench.stand({RIFLE: "1010", GERMAN: "1610"})
    moving(bench, RIFLE)

    assert "1410" in bench.reach("soviet", "move", RIFLE)
    assert not {"1509", "1510", "1511"} & bench.reach("soviet", "move", RIFLE)
    refusal = bench.refused("soviet", "move", RIFLE, "swift", "1510")
    assert (refusal.rule, refusal.key) == ("15.0.1", "refusal.victory_lost.road_zone")


def test_15_0_1_b_not_from_a_zone() -> None:
    """15.0.1(b): A unit that begins in an enemy zone has no extra point; the refusal names the variant."""
    bench = Bench(command_march=True)
    bench.stand({PANZER: "1010", RIFLE: "1110"})
    moving(bench, PANZER, side="axis")

    assert "swift" not in bench.options("axis", "move", PANZER)
    assert bench.refused("axis", "move", PANZER, "swift").rule == "15.0.1"
