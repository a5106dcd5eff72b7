"""8.1 Movement: terrain, rivers and bridges."""

import pytest

from tests.rules.victory_lost.battles import GERMAN, TANK, happened
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t, real_pack
from tests.rules.victory_lost.marches import DON, cost, moving
from warledger.engine.games.victory_lost.headquarters import Overrun
from warledger.engine.kernel.types import Choices


def test_8_1_1_one_counter_after_the_other_each_once() -> None:
    """8.1.1: A counter that has moved is not offered again, and a stack moves by one command."""
    bench = Bench()
    bench.stand(
        {"su.rifle.1": "1010", "su.rifle.153": "1010", "su.hq.1gda": "1010", "su.tank.18": "1510"}
    )
    bench.activate("soviet", "su.rifle.1", "su.rifle.153", "su.hq.1gda", "su.tank.18")

    bench.do("soviet", "move", "su.rifle.1", "su.rifle.153", "1012")
    assert bench.hexes("su.rifle.1", "su.rifle.153", "su.hq.1gda") == ("1012", "1012", "1010")
    assert bench.options("soviet", "move") == ("su.hq.1gda", "su.tank.18")
    assert bench.refused("soviet", "move", "su.rifle.1").rule == "8.1.1"


def test_8_1_1_a_unit_in_range_of_two_hqs_moves_once() -> None:
    """8.1.1, R-46: Activated by STAVKA through two HQs at once, it moves once."""
    bench = Bench()
    bench.stand({RIFLE: "1010", "su.hq.6a": "1011", "su.hq.1gda": "1009"})
    moving(bench, RIFLE, "su.hq.6a", "su.hq.1gda")
    bench.do("soviet", "move", RIFLE, "0910")

    assert bench.refused("soviet", "move", RIFLE, "0809").rule == "8.1.1"


def test_8_1_2_R01_half_points() -> None:
    """R-01, R-12: costs are counted in halves; a road costs one half point strategically, and that
    way is named before the move."""
    bench = Bench(board_t(roads=("1010 1011 1012",)))
    bench.stand({"su.rifle.1": "1010"})
    bench.activate("soviet", "su.rifle.1")
    found = bench.choices("soviet", "move", "su.rifle.1")
    assert isinstance(found, Choices)
    assert found.offers("road")
    events = bench.do("soviet", "move", "su.rifle.1", "road", "1011")

    assert events[0].left == 7


def test_8_1_2_no_minimum_move() -> None:
    """8.1.2 (E26): R-10: a unit that cannot pay for a hex does not enter it."""
    bench = Bench(
        board_t(rows=dict.fromkeys(("1009", "1110", "1111", "1011", "0911", "0910"), "^"))
    )
    bench.stand({"su.rifle.1": "1010"}, supply={"su.rifle.1": 2})
    bench.activate("soviet", "su.rifle.1")
    assert bench.reach("soviet", "move", "su.rifle.1") == {
        "1009",
        "1110",
        "1111",
        "1011",
        "0911",
        "0910",
    }

    bench.stand(
        {"su.rifle.1": "1010", "ax.inf.62": "1210", "ax.inf.294": "1212"}, supply={"su.rifle.1": 2}
    )
    bench.activate("soviet", "su.rifle.1")
    assert "1110" not in bench.reach("soviet", "move", "su.rifle.1")
    refusal = bench.refused("soviet", "move", "su.rifle.1", "1110")
    assert refusal.rule == "8.1.2"


def test_8_1_2_waypoints_fix_the_path() -> None:
    """8.1.2: Each waypoint is reached by the cheapest way from the one before; what is spent is
    spent."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1010"})
    bench.activate("soviet", "su.rifle.1")
    events = bench.do("soviet", "move", "su.rifle.1", "1110", "1111", "1011")

    assert events[0].path == ("1010", "1110", "1111", "1011")
    assert events[0].left == 2


@pytest.mark.parametrize(("sign", "halves"), [(".", 2), ("^", 4), ("f", 4), ("%", 4)])
def test_8_1_2_the_hex_entered_sets_the_cost(sign: str, halves: int) -> None:
    """8.1.2 (E23): clear 1 point, rough, woods and marsh 2; the hex left does not count."""
    legend = real_pack()["map"]["terrain"]["legend"]
    names = {"^": "rough", "f": "woods", "%": "marsh", ".": "clear"}
    written = next(key for key, name in legend.items() if name == names[sign])
    bench = Bench(board_t(rows={"1110": written}))
    bench.stand({TANK: "1010"})
    assert cost(bench, TANK, "1110") == halves
    bench.stand({TANK: "1110"})
    assert cost(bench, TANK, "1010") == 2


def test_8_1_2_a_railway_bridges_but_is_no_road() -> None:
    """2.1.3, 8.3.2: Into rough along a railway over a minor river: 2 points, the river free, the
    terrain not; along a road 1."""
    rough, stream = {"1110": "^", "1112": "^"}, "1010-1110 1012-1112"
    bench = Bench(
        board_t(
            rows=rough,
            rivers={"minor": stream},
            bridges=stream,
            roads=("1010 1110",),
            rails=("1012 1112",),
        )
    )
    bench.stand({RIFLE: "1010"})
    assert cost(bench, RIFLE, "1110") == 2
    bench.stand({RIFLE: "1012"})
    assert cost(bench, RIFLE, "1112") == 4


def test_8_1_3_a_minor_river_costs_a_point() -> None:
    """8.1.3 (E25): An unbridged minor river costs one point more, with a zone three more; a bridge
    lifts the extra point."""
    bench = Bench(board_t(rivers={"minor": "1010-1110 1012-1112"}, bridges="1012-1112"))
    bench.stand({"su.tank.18": "1010"})
    assert cost(bench, "su.tank.18", "1110") == 4

    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210"})
    assert cost(bench, "su.tank.18", "1110") == 8

    bench.stand({"su.tank.18": "1012"})
    assert cost(bench, "su.tank.18", "1112") == 2


def test_8_1_3_major_river_ends_the_move() -> None:
    """R-11 (E28): 8.1.3: A unit that starts next to an unbridged major river may cross it and then
    stops; with a hex before it, it may not cross."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({"su.tank.18": "1010"})
    bench.activate("soviet", "su.tank.18")

    assert "1110" in bench.reach("soviet", "move", "su.tank.18")
    assert bench.options("soviet", "move", "su.tank.18", "1110") == ()
    refusal = bench.refused("soviet", "move", "su.tank.18", "1009", "1110")
    assert refusal.rule == "8.1.3"
    bench.do("soviet", "move", "su.tank.18", "1110")
    assert bench.hexes("su.tank.18") == ("1110",)


def test_8_1_3_R11_the_don_is_paid_with_the_zone_beyond() -> None:
    """R-11: From a free bank into a zone across the river: 1 + 2 = 3 of 4 points, then it stops;
    from a zone to a free bank likewise 3; between zones never, also with enough points."""
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


def test_8_1_3_R11_an_hq_crosses_like_a_unit() -> None:
    """R-11, R-15: An HQ with 6 points on the bank crosses one hex and stops; one a hex behind the
    bank does not cross."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({"su.hq.6a": "1010", "su.hq.1gda": "0910"})
    moving(bench, "su.hq.6a", "su.hq.1gda")

    assert {hex_id for hex_id in bench.reach("soviet", "move", "su.hq.6a") if hex_id > "11"} == {
        "1110",
        "1111",
    }
    assert not {hex_id for hex_id in bench.reach("soviet", "move", "su.hq.1gda") if hex_id > "11"}


def test_8_1_3_along_a_bridge_the_way_goes_on() -> None:
    """8.1.3: The road bridge 1009-1110 is crossed in the middle of a move and the move goes on;
    beside it nothing crosses, so that the way from 1010 to 1111 goes back to the bridge."""
    bench = Bench(
        board_t(rivers={"major": DON}, bridges="1009-1110", roads=("0810 0910 1009 1110 1209",))
    )
    bench.stand({TANK: "0810"})
    moving(bench, TANK)

    assert cost(bench, TANK, "0910", "1009", "1110", "1209", "1309") == 10
    assert "1209" in bench.reach("soviet", "move", TANK, "road")
    events = bench.do("soviet", "move", TANK, "1010", "1111")
    assert events[0].path == ("0810", "0910", "1010", "1009", "1110", "1111")


def test_8_1_3_R11_points_must_suffice_for_the_far_bank() -> None:
    """R-11, R-10 (E27): The far bank must be paid, its zone too: a surrounded rifle unit with 2
    points stays on its own."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({"su.rifle.1": "1010", GERMAN: "1210"}, supply={"su.rifle.1": 2})
    bench.activate("soviet", "su.rifle.1")

    assert bench.refused("soviet", "move", "su.rifle.1", "1110").rule == "8.1.2"


def test_8_1_3_12_1_an_overrun_across_the_don_ends_the_move() -> None:
    """R-11, R-16: Crossing an unbridged major river into a lone HQ: it resets, and the tank corps
    stays, its points lost."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({TANK: "1010", "ax.hq.4pza": "1110"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1110")
    assert len(happened(bench, Overrun)) == 1
    if bench.asked() == {"axis": "prompt.victory_lost.reset"}:
        bench.do("axis", "reset", bench.options("axis", "reset")[0])

    assert bench.asked() != {"soviet": "prompt.victory_lost.move_on"}
    assert bench.hexes(TANK) == ("1110",)


def test_8_1_3_a_unit_must_start_at_that_very_hexside() -> None:
    """8.1.3, R-11 (E27): It need not be enough to have a river beside it: a unit one hex away may
    come up to the bank and no further; after a first hex along the bank it may not cross either. A
    bridge takes all this away."""
    bench = Bench(board_t(rivers={"major": DON}, bridges="1015-1115"))
    bench.stand({TANK: "0910"})
    bench.activate("soviet", TANK)
    reached = bench.reach("soviet", "move", TANK)
    assert "1010" in reached
    assert not {hex_id for hex_id in reached if hex_id >= "1101"} - {
        hex_id for hex_id in reached if int(hex_id[2:]) >= 12
    }

    bench.stand({TANK: "1014"})
    bench.activate("soviet", TANK)
    assert "1215" in bench.reach("soviet", "move", TANK)
    assert cost(bench, TANK, "1015", "1115", "1214") == 6


def test_8_1_4_the_command_ends_where_an_hq_is_overrun() -> None:
    """8.1.4: No pick is offered beyond the hex of a lone enemy HQ; the points left are kept for
    later, and the unit may halt."""
    bench = Bench()
    bench.stand({"su.tank.18": "1010", "ax.hq.4pza": "0910", "su.rifle.1": "1510"})
    bench.activate("soviet", "su.tank.18", "su.rifle.1")
    assert bench.options("soviet", "move", "su.tank.18", "0910") == ()

    bench.do("soviet", "move", "su.tank.18", "0910")
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.state.activation is not None and bench.state.activation.interrupted is not None
    assert bench.state.activation.interrupted.left == 12
    bench.do("soviet", "halt")
    assert bench.options("soviet", "move") == ("su.rifle.1",)


def test_8_1_5_water_and_impassable_hexsides() -> None:
    """8.1.5: Nobody moves into water, off the map or across an impassable hexside (R-48)."""
    bench = Bench(board_t(rows={"1009": "~"}, impassable="1010-1110"))
    bench.stand({"su.rifle.1": "1010"})
    bench.activate("soviet", "su.rifle.1")

    assert bench.refused("soviet", "move", "su.rifle.1", "1009").rule == "8.1.5"
    assert bench.refused("soviet", "move", "su.rifle.1", "2110").rule == "8.1.5"
    assert cost(bench, "su.rifle.1", "1110") == 4
