"""8.3 Strategic movement."""

import pytest

from tests.rules.victory_lost.battles import GERMAN, TANK
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t
from tests.rules.victory_lost.marches import DON, ROAD, cost, moving


@pytest.mark.parametrize(("unit", "hexes"), [("su.rifle.1", 8), ("su.tank.18", 14)])
def test_8_3_1_strategic_movement_doubles_the_way(unit: str, hexes: int) -> None:
    """8.3.1 (E30): Along a road all the way a counter goes two hexes a point."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({unit: "0110"})
    bench.activate("soviet", unit)

    assert len(bench.reach("soviet", "move", unit, "road")) == hexes


def test_8_3_1_strategic_movement_keeps_to_the_road() -> None:
    """8.3.1 (E32): A counter off the road has no strategic movement, and one on it may not leave it
    on the way."""
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


def test_8_3_1_strategic_movement_drives_through_a_lone_hq() -> None:
    """8.3.1 (E33): The unit enters the HQ's hex, the HQ resets at once, and the unit goes on along
    the road with what it has left."""
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


def test_8_3_1_R12_a_road_through_rough_by_ordinary_movement() -> None:
    """R-12: 1 point a hex along the road whatever the terrain; stepping aside into rough costs
    2."""
    rough = dict.fromkeys(("0209", "0310", "0409", "0210"), "^")
    bench = Bench(board_t(rows=rough, roads=(ROAD,)))
    bench.stand({RIFLE: "0110"})

    assert cost(bench, RIFLE, "0209", "0310", "0409", "0510") == 8
    assert cost(bench, RIFLE, "0210") == 4


def test_8_3_1_two_roads_side_by_side_are_not_one() -> None:
    """R-12: Every hexside crossed must carry the road: from 0710 to 0809, both on a road, there is
    none."""
    bench = Bench(board_t(roads=("0510 0609 0710", "0809 0910 1009")))
    bench.stand({RIFLE: "0510"})
    moving(bench, RIFLE)

    assert bench.reach("soviet", "move", RIFLE, "road") == {"0609", "0710"}
    assert bench.refused("soviet", "move", RIFLE, "road", "0710", "0809").rule == "8.3.1"


def test_8_3_1_no_zone_on_the_way() -> None:
    """8.3.1 (E31): An enemy next to the road stops strategic movement before its zone, though the
    road goes on; friends there do not help."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({TANK: "0110", GERMAN: "0709", "su.rifle.1": "0609"})
    bench.activate("soviet", TANK)

    reached = bench.reach("soviet", "move", TANK, "road")
    assert "0510" in reached
    assert not {"0609", "0710", "0809"} & reached
    assert bench.refused("soviet", "move", TANK, "road", "0609").rule == "8.3.1"


def test_8_3_1_a_bridged_don_on_the_road() -> None:
    """8.3.1, 8.1.3: A strategic move crosses a bridge at half a point and goes on."""
    bench = Bench(board_t(rivers={"major": DON}, bridges="1009-1110", roads=(ROAD,)))
    bench.stand({RIFLE: "0809"})
    moving(bench, RIFLE)

    assert max(bench.reach("soviet", "move", RIFLE, "road")) == "1609"


def test_8_3_2_railways_give_no_strategic_movement() -> None:
    """8.3.2: A counter on a railway without a road cannot move strategically."""
    bench = Bench(board_t(rails=(ROAD,)))
    bench.stand({"su.rifle.1": "0110"})
    bench.activate("soviet", "su.rifle.1")

    assert "road" not in bench.options("soviet", "move", "su.rifle.1")
