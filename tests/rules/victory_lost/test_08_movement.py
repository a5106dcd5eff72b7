"""Chapter 8: movement, zones and strategic movement; with the overrun of a lone HQ on the way (12.1)."""

import pytest

from engine.games.chitpull import ways
from engine.games.victory_lost.reach import movable, travel_of
from tests.rules.victory_lost.bench import Bench, board_t

ROAD = " ".join(f"{c:02}10" if c % 2 else f"{c:02}09" for c in range(1, 20))
"""A road along row 10, from 0110 to 1910."""

DON = " ".join(f"10{row:02}-11{row:02} 10{row:02}-11{row + 1:02}" for row in range(1, 20)) + " 1020-1120"
"""A river from north to south between columns 10 and 11."""


def cost(bench: Bench, name: str, *path: str) -> int | None:
    """Half points that a counter pays along a path of neighbours, None when it cannot go there."""
    state = bench.state
    travel = travel_of(state, (name,), "")
    assert travel is not None
    index = state.data.board.grid.index
    trip = ways.follow(state.field.memo, travel, [index[hex_id] for hex_id in path], lambda i: False)
    return None if trip.failed >= 0 else travel.points - trip.left


def test_E24_8_2_1_entering_and_leaving_a_zone_costs_two_each() -> None:
    """8.2.1: Clear hex into a zone costs 3 points, out of a zone into a free hex 3, from zone to zone 5."""
    bench = Bench()
    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210"})
    assert cost(bench, "su.tank.18", "1110") == 6

    bench.stand({"su.tank.18": "1110", "ax.inf.62": "1210"})
    assert cost(bench, "su.tank.18", "1010") == 6
    assert cost(bench, "su.tank.18", "1111") == 10


def test_E25_8_1_3_minor_river() -> None:
    """8.1.3: An unbridged minor river costs one point more, with a zone three more; a bridge lifts the extra point."""
    bench = Bench(board_t(rivers={"minor": "1010-1110 1012-1112"}, bridges="1012-1112"))
    bench.stand({"su.tank.18": "1010"})
    assert cost(bench, "su.tank.18", "1110") == 4

    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210"})
    assert cost(bench, "su.tank.18", "1110") == 8

    bench.stand({"su.tank.18": "1012"})
    assert cost(bench, "su.tank.18", "1112") == 2


def test_E26_8_1_2_no_minimum_move() -> None:
    """8.1.2: R-10: a unit that cannot pay for a hex does not enter it."""
    bench = Bench(board_t(rows=dict.fromkeys(("1009", "1110", "1111", "1011", "0911", "0910"), "^")))
    bench.stand({"su.rifle.1": "1010"}, supply={"su.rifle.1": 2})
    bench.activate("soviet", "su.rifle.1")
    assert bench.reach("soviet", "move", "su.rifle.1") == {"1009", "1110", "1111", "1011", "0911", "0910"}

    bench.stand({"su.rifle.1": "1010", "ax.inf.62": "1210", "ax.inf.294": "1212"}, supply={"su.rifle.1": 2})
    bench.activate("soviet", "su.rifle.1")
    assert "1110" not in bench.reach("soviet", "move", "su.rifle.1")
    refusal = bench.refused("soviet", "move", "su.rifle.1", "1110")
    assert refusal.rule == "8.1.2"


def test_E28_8_1_3_major_river_ends_the_move() -> None:
    """R-11: 8.1.3: A unit that starts next to an unbridged major river may cross it and then stops;
    with a hex before it, it may not cross."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({"su.tank.18": "1010"})
    bench.activate("soviet", "su.tank.18")

    assert "1110" in bench.reach("soviet", "move", "su.tank.18")
    assert bench.options("soviet", "move", "su.tank.18", "1110") == ()
    refusal = bench.refused("soviet", "move", "su.tank.18", "1009", "1110")
    assert refusal.rule == "8.1.3"
    bench.do("soviet", "move", "su.tank.18", "1110")
    assert bench.hexes("su.tank.18") == ("1110",)


def test_E29_8_2_2_no_crossing_between_zones() -> None:
    """8.2.2: A major river, bridged too, may not be crossed with enemy zones on both banks; with a zone on one bank it may."""
    bench = Bench(board_t(rivers={"major": DON}, bridges="1010-1110"))
    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1009"})
    bench.activate("soviet", "su.tank.18")
    assert bench.refused("soviet", "move", "su.tank.18", "1110").rule == "8.2.2"

    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210"})
    bench.activate("soviet", "su.tank.18")
    assert "1110" in bench.reach("soviet", "move", "su.tank.18")


@pytest.mark.parametrize(("unit", "hexes"), [("su.rifle.1", 8), ("su.tank.18", 14)])
def test_E30_8_3_1_strategic_movement_doubles_the_way(unit: str, hexes: int) -> None:
    """8.3.1: Along a road all the way a counter goes two hexes a point."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({unit: "0110"})
    bench.activate("soviet", unit)

    assert len(bench.reach("soviet", "move", unit, "road")) == hexes


def test_E32_8_3_1_strategic_movement_keeps_to_the_road() -> None:
    """8.3.1: A counter off the road has no strategic movement, and one on it may not leave it on the way."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({"su.rifle.1": "0312"})
    bench.activate("soviet", "su.rifle.1")
    assert "road" not in bench.options("soviet", "move", "su.rifle.1")
    assert bench.refused("soviet", "move", "su.rifle.1", "road").rule == "8.3.1"

    bench.stand({"su.rifle.1": "0110"})
    bench.activate("soviet", "su.rifle.1")
    assert bench.refused("soviet", "move", "su.rifle.1", "road", "0409", "0408").rule == "8.3.1"


def test_8_3_1_no_strategic_movement_from_or_into_a_zone() -> None:
    """8.3.1: It neither starts in an enemy zone nor enters one."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({"su.rifle.1": "0110", "ax.inf.62": "0610"})
    bench.activate("soviet", "su.rifle.1")
    assert bench.reach("soviet", "move", "su.rifle.1", "road") == {"0209", "0310", "0409"}
    assert bench.refused("soviet", "move", "su.rifle.1", "road", "0510").rule == "8.3.1"

    bench.stand({"su.rifle.1": "0110", "ax.inf.62": "0209"})
    bench.activate("soviet", "su.rifle.1")
    assert "road" not in bench.options("soviet", "move", "su.rifle.1")


def test_8_3_2_railways_give_no_strategic_movement() -> None:
    """8.3.2: A counter on a railway without a road cannot move strategically."""
    bench = Bench(board_t(rails=(ROAD,)))
    bench.stand({"su.rifle.1": "0110"})
    bench.activate("soviet", "su.rifle.1")

    assert "road" not in bench.options("soviet", "move", "su.rifle.1")


def test_E33_8_3_1_strategic_movement_drives_through_a_lone_hq() -> None:
    """8.3.1: The unit enters the HQ's hex, the HQ resets at once, and the unit goes on along the road with what it has left."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({"su.tank.18": "1910", "ax.hq.4pza": "1609"})
    bench.activate("soviet", "su.tank.18")

    bench.do("soviet", "move", "su.tank.18", "road", "1609")
    assert bench.asked() == {"axis": "prompt.victory_lost.reset"}
    reset = bench.options("axis", "reset")[0]
    bench.do("axis", "reset", reset)
    assert bench.hexes("ax.hq.4pza") == (reset,)
    assert bench.asked() == {"soviet": "prompt.victory_lost.move_on"}
    assert len(bench.reach("soviet", "on")) >= 11
    bench.do("soviet", "on", "0510")
    assert bench.hexes("su.tank.18") == ("0510",)


def test_8_1_4_the_command_ends_where_an_hq_is_overrun() -> None:
    """8.1.4: No pick is offered beyond the hex of a lone enemy HQ; the points left are kept for later, and the unit may halt."""
    bench = Bench()
    bench.stand({"su.tank.18": "1010", "ax.hq.4pza": "0910", "su.rifle.1": "1510"})
    bench.activate("soviet", "su.tank.18", "su.rifle.1")
    assert bench.options("soviet", "move", "su.tank.18", "0910") == ()

    bench.do("soviet", "move", "su.tank.18", "0910")
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.state.activation is not None and bench.state.activation.going is not None
    assert bench.state.activation.going.left == 12
    bench.do("soviet", "halt")
    assert bench.options("soviet", "move") == ("su.rifle.1",)


def test_R16_hqs_and_stacks_do_not_overrun() -> None:
    """R-16: An HQ may not enter the hex of an enemy HQ, and a stack keeps clear of it: an overrun is one unit's affair."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1010", "su.rifle.153": "1010", "ax.hq.4pza": "0910"})
    bench.activate("soviet", "su.hq.1gda", "su.rifle.1", "su.rifle.153")

    assert "0910" not in bench.reach("soviet", "move", "su.hq.1gda")
    assert bench.refused("soviet", "move", "su.hq.1gda", "0910").rule == "12.1"
    assert "0910" in bench.reach("soviet", "move", "su.rifle.1")
    assert "0910" not in bench.reach("soviet", "move", "su.rifle.1", "su.rifle.153")


def test_E34_10_2_3_surrounded_units_move_half() -> None:
    """10.2.3: R-45: MA 7 becomes 3, MA 4 becomes 2."""
    bench = Bench()
    bench.stand({"su.tank.18": "1010", "su.rifle.1": "0510"}, supply={"su.tank.18": 2, "su.rifle.1": 2})

    assert bench.state.allowance("su.tank.18") == 6
    assert bench.state.allowance("su.rifle.1") == 4


def test_8_1_1_one_counter_after_the_other_each_once() -> None:
    """8.1.1: A counter that has moved is not offered again, and a stack moves by one command."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1010", "su.rifle.153": "1010", "su.hq.1gda": "1010", "su.tank.18": "1510"})
    bench.activate("soviet", "su.rifle.1", "su.rifle.153", "su.hq.1gda", "su.tank.18")

    bench.do("soviet", "move", "su.rifle.1", "su.rifle.153", "1012")
    assert bench.hexes("su.rifle.1", "su.rifle.153", "su.hq.1gda") == ("1012", "1012", "1010")
    assert bench.options("soviet", "move") == ("su.hq.1gda", "su.tank.18")
    assert bench.refused("soviet", "move", "su.rifle.1").rule == "8.1.1"


def test_8_1_2_waypoints_fix_the_path() -> None:
    """8.1.2: Each waypoint is reached by the cheapest way from the one before; what is spent is spent."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1010"})
    bench.activate("soviet", "su.rifle.1")
    events = bench.do("soviet", "move", "su.rifle.1", "1110", "1111", "1011")

    assert events[0].path == ("1010", "1110", "1111", "1011")
    assert events[0].left == 2


def test_8_1_5_water_and_impassable_hexsides() -> None:
    """8.1.5: Nobody moves into water, off the map or across an impassable hexside (R-48)."""
    bench = Bench(board_t(rows={"1009": "~"}, impassable="1010-1110"))
    bench.stand({"su.rifle.1": "1010"})
    bench.activate("soviet", "su.rifle.1")

    assert bench.refused("soviet", "move", "su.rifle.1", "1009").rule == "8.1.5"
    assert bench.refused("soviet", "move", "su.rifle.1", "2110").rule == "8.1.5"
    assert cost(bench, "su.rifle.1", "1110") == 4


def test_5_0_2_no_hex_with_enemy_units() -> None:
    """5.0.2: A hex with an enemy unit cannot be entered."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1010", "ax.inf.62": "1110"})
    bench.activate("soviet", "su.rifle.1")

    assert bench.refused("soviet", "move", "su.rifle.1", "1110").rule == "5.0.2"


def test_7_0_only_what_is_activated_moves() -> None:
    """7.0: R-15: an HQ moves only if it was activated itself; no unit moves that was not."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1010", "su.hq.1gda": "1012", "su.rifle.153": "1212"})
    bench.activate("soviet", "su.rifle.1")
    assert bench.state.activation is not None

    assert tuple(movable(bench.state, bench.state.activation)) == ("su.rifle.1",)
    assert bench.refused("soviet", "move", "su.hq.1gda").rule == "7.3.2"
    assert bench.refused("soviet", "move", "ax.inf.62").rule == "8.0"
