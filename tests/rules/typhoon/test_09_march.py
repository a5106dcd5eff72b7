"""9.3 March movement."""

from typing import Any

from tests.rules.typhoon.bench import INF, INF2, PZ, RIFLE, RIFLE2, column
from tests.rules.typhoon.marches import left, mover


def test_9_3_1_march_half_a_point_R18() -> None:
    """9.3(1), 9.3 example (1), R-18 Infantry marches 10 road hexes for 5 points; an 11th is refused
    (example 29)."""
    bench = mover({INF: "1015"}, INF, roads=(column(10, 15, 3),))
    assert left(bench, "axis", "move", INF, "march", "1005") == "0"
    assert bench.refused("axis", "move", INF, "march", "1004").rule == "9.2(1)"
    assert "1004" not in bench.reach("axis", "move", INF, "march")
    (moved,) = bench.do("axis", "move", INF, "march", "1005")[:1]
    assert moved.mode == "march"


def test_9_3_1_keeps_clear_of_zones() -> None:
    """9.3(1), 9.3 example (2): the march ends in the last road hex outside the enemy's zone
    (example 30)."""
    bench = mover({INF: "1015", RIFLE: "1008"}, INF, roads=(column(10, 15, 5),))
    assert "1010" in bench.reach("axis", "move", INF, "march")
    assert bench.refused("axis", "move", INF, "march", "1009").rule == "9.3(1)"
    assert bench.refused("axis", "move", INF, "march", "1008").rule == "3.1(2)"


def test_9_3_1_starts_on_a_road_outside_zones() -> None:
    """9.3(1) Not from an EZOC, not off a road, not mixed with other steps; 9.1(3) a unit chooses
    one way."""
    assert (
        mover({INF: "1010", RIFLE: "1012"}, INF, roads=(column(10, 12, 5),))
        .options("axis", "move", INF)
        .count("march")
        == 1
    )
    assert (
        mover({INF: "1010", RIFLE: "1011"}, INF, roads=(column(10, 12, 5),))
        .refused("axis", "move", INF, "march")
        .rule
        == "9.3(1)"
    )
    bench = mover({INF: "1110"}, INF, roads=(column(10, 12, 5),))
    assert bench.refused("axis", "move", INF, "march").key == "refusal.typhoon.march_off_road"
    bench = mover({INF: "1010"}, INF, roads=(column(10, 12, 5),))
    assert bench.refused("axis", "move", INF, "march", "1110").key == "refusal.typhoon.off_road"


def test_9_3_1_railways_are_no_roads() -> None:
    """9.3(1) On a rail-only hex a march is refused (example 32)."""
    bench = mover({INF: "1010"}, INF, rails=("0110 0210", column(10, 12, 5)))
    assert bench.refused("axis", "move", INF, "march").rule == "9.3(1)"


def test_9_3_1_2_no_march_whose_first_road_hex_is_watched() -> None:
    """9.3(1)2 Both road hexes beside the marcher lie in EZOC: march is not offered, and refused
    with 9.3(1)."""
    bench = mover({INF: "1010", RIFLE: "1109", RIFLE2: "1112"}, INF, roads=(column(10, 12, 8),))
    assert "march" not in bench.options("axis", "move", INF)
    assert bench.refused("axis", "move", INF, "march").rule == "9.3(1)"


def test_9_3_1_3_a_railway_bridge_is_no_road() -> None:
    """R-11, 9.3(1)3 A railway takes the river's point off but not the forest's: a panzer pays 3
    into deep forest, by road it would be 1."""
    board: dict[str, Any] = {
        "rivers": {"minor": "1009-1010"},
        "rows": {"1009": "F"},
        "bridges": "1009-1010",
    }
    rail = mover({PZ: "1010"}, PZ, rails=("0110 0210", "1010 1009"), **board)
    assert left(rail, "axis", "move", PZ, "1009") == "5"
    road = mover({PZ: "1010"}, PZ, roads=("1010 1009",), **board)
    assert left(road, "axis", "move", PZ, "1009") == "7"
    mud = mover({PZ: "1010"}, PZ, roads=("1010 1009",), turn=4, **board)
    assert left(mud, "axis", "move", PZ, "1009") == "5"  # 14.1.1: road lost, bridge kept


def test_9_3_2_otherwise_as_usual() -> None:
    """9.3(2) Stacking binds a march, too: a full hex can be passed, not ended in."""
    bench = mover({INF: "1010", INF2: "1009", PZ: "1009"}, INF, roads=(column(10, 12, 5),))
    assert bench.refused("axis", "move", INF, "march", "1009").key == "refusal.typhoon.two_units"
    assert "1008" in bench.reach("axis", "move", INF, "march")
