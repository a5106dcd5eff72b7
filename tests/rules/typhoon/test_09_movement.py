"""9.0 Movement, with the terrain effects chart; the weather's part of it is in test_14."""

from typing import Any

import pytest

from protocol.choices import Say
from tests.rules.typhoon.bench import Bench, board_t, column, place

INF, INF2, PZ, PZ2 = "ax.inf.5", "ax.inf.35", "ax.panzer.1", "ax.panzer.6"
RIFLE, RIFLE2 = "su.rifle.133", "su.rifle.174"
RING = "1008-1009 1009-1109 1009-1110 1009-1010 0910-1009 0909-1009"
"""All six sides of 1009."""


def _said(bench: Bench, seat: str, *picks: str) -> tuple[Say, ...]:
    said = bench.preview(seat, *picks)
    assert isinstance(said, tuple), said
    return said


def left(bench: Bench, seat: str, *picks: str) -> str:
    """Movement points left after a move, as the preview says."""
    said: dict[str, Any] = {key: value for item in _said(bench, seat, *picks) for key, value in item.args}
    return str(said["left"])


def mover(standing: dict[str, str], *units: str, turn: int = 1, side: str = "axis", **board: Any) -> Bench:
    """A movement segment on board T."""
    bench = Bench(board_t(**board))
    bench.stand(standing, turn=turn)
    bench.activate(side, *units)
    return bench


def test_9_1_one_after_the_other() -> None:
    """9.1, 9.1(1), R-17 Units move in any order, each once; moving is optional."""
    bench = mover({INF: "1010", INF2: "1011"}, INF, INF2)
    bench.do("axis", "move", INF2, "1012")
    assert bench.refused("axis", "move", INF2, "1013").rule == "8.1(3)"
    bench.do("axis", "done")
    assert bench.hexes(INF, INF2) == ("1010", "1012")


def test_9_1_a_stack_moves_by_one_line() -> None:
    """9.1(1) Two units of a hex go together along waypoints, at the dearest costs among them."""
    bench = mover({INF: "1010", PZ: "1010"}, INF, PZ, rows={"1009": "f"})
    assert left(bench, "axis", "move", INF, PZ, "1009") == "3"  # a panzer pays 2 for light forest

    (moved,) = bench.do("axis", "move", INF, PZ, "1011", "1013")[:1]
    assert moved.path == ("1010", "1011", "1012", "1013")
    assert bench.hexes(INF, PZ) == ("1013", "1013")


def test_9_2_1_allowance() -> None:
    """9.2(1) Five points take infantry five plain hexes, and no further."""
    bench = mover({INF: "1010"}, INF)
    assert "1005" in bench.reach("axis", "move", INF)
    assert bench.refused("axis", "move", INF, "1004").rule == "9.2(1)"


def test_9_2_2_example_1() -> None:
    """9.2(2), 9.2 example (1): from EZOC to plain in EZOC, 1 + 2 + 2 = 5, legal with nothing left (example 18)."""
    bench = mover({INF: "1010", RIFLE: "1110"}, INF)
    assert left(bench, "axis", "move", INF, "1009") == "0"


def test_9_2_2_example_2() -> None:
    """9.2 example (2): to a deep forest in EZOC, 2 + 2 + 2 = 6, refused; a light forest costs infantry 1 and is legal."""
    assert mover({INF: "1010", RIFLE: "1110"}, INF, rows={"1009": "F"}).refused("axis", "move", INF, "1009").rule == "9.2(1)"
    assert left(mover({INF: "1010", RIFLE: "1110"}, INF, rows={"1009": "f"}), "axis", "move", INF, "1009") == "0"


def test_9_2_2_example_3() -> None:
    """9.2 example (3): across a river to plain in EZOC, 1 + 1 + 2 + 2 = 6, refused (example 20)."""
    bench = mover({INF: "1010", RIFLE: "1110"}, INF, rivers={"minor": "1009-1010"})
    assert bench.refused("axis", "move", INF, "1009").rule == "9.2(1)"


@pytest.mark.parametrize(("sign", "mech", "other"), [("f", "6", "4"), ("s", "5", "3"), ("F", "5", "3"), (".", "7", "4")])
def test_9_2_4_entry_costs_TEC(sign: str, mech: str, other: str) -> None:
    """9.2(4), TEC Light forest 2 / 1, swamp 3 / 2, deep forest 3 / 2, plain 1 / 1 (example 21)."""
    bench = mover({INF: "1010", PZ: "1210"}, INF, PZ, rows={"1009": sign, "1209": sign})
    assert (left(bench, "axis", "move", PZ, "1209"), left(bench, "axis", "move", INF, "1009")) == (mech, other)


def test_9_2_1_4_along_a_road() -> None:
    """9.2(1) A panzer division enters a deep forest along a road for 1 point (example 22); R-48 an EZOC still costs its two."""
    assert left(mover({PZ: "1010"}, PZ, rows={"1009": "F"}, roads=("1010 1009",)), "axis", "move", PZ, "1009") == "7"
    assert left(mover({PZ: "1010", RIFLE: "1008"}, PZ, rows={"1009": "F"}, roads=("1010 1009",)), "axis", "move", PZ, "1009") == "5"


def test_9_2_1_3_rivers_and_bridges_R11() -> None:
    """9.2(1), R-11, TEC A river costs 1 more, nothing where a road or railway crosses it (example 24)."""
    assert left(mover({PZ: "1010"}, PZ, rivers={"minor": "1009-1010"}), "axis", "move", PZ, "1009") == "6"
    bridged: dict[str, Any] = {"rivers": {"minor": "1009-1010"}, "bridges": "1009-1010", "rails": ("0110 0210", "1010 1009")}
    assert left(mover({PZ: "1010"}, PZ, **bridged), "axis", "move", PZ, "1009") == "7"


def test_9_2_3_major_river_takes_the_whole_move() -> None:
    """9.2(3), R-11 Infantry next to an unbridged major river crosses it into a swamp and stops, nothing left (example 26)."""
    bench = mover({INF: "1010"}, INF, rivers={"major": RING}, rows={"1009": "s"})
    assert left(bench, "axis", "move", INF, "1009") == "0"
    assert bench.refused("axis", "move", INF, "1009", "1008").rule == "9.2(3)"
    bench.do("axis", "move", INF, "1009")


def test_9_2_3_only_at_the_start() -> None:
    """9.2(3) Who has moved one hex cannot cross (example 25)."""
    bench = mover({INF: "1011"}, INF, rivers={"major": RING})
    assert bench.refused("axis", "move", INF, "1010", "1009").rule == "9.2(3)"


def test_9_2_3_not_between_zones() -> None:
    """9.2(3) With both banks in EZOC the crossing is illegal."""
    bench = mover({INF: "1010", RIFLE: "1110"}, INF, rivers={"major": RING})
    assert bench.refused("axis", "move", INF, "1009").key == "refusal.typhoon.between_zones"


def test_9_2_3_a_bridge_lifts_it() -> None:
    """9.2(3), R-11 The same with a road bridge: 1 + 2 + 2 = 5, legal (example 28)."""
    bench = mover({INF: "1010", RIFLE: "1110"}, INF, rivers={"major": RING}, bridges="1009-1010", roads=("1010 1009",))
    assert left(bench, "axis", "move", INF, "1009") == "0"


def test_R04_big_cities_are_joined() -> None:
    """R-04, TEC Neighbouring big-city hexes count as joined by road and bridge; a march runs through them."""
    cities = (place("1010", kind="big_city", owner="axis"), place("1009", kind="big_city", owner="axis"))
    bench = mover({PZ: "1010"}, PZ, rivers={"major": RING}, places=cities, rows={"1009": "F"})
    assert left(bench, "axis", "move", PZ, "1009") == "7"
    assert left(bench, "axis", "move", PZ, "march", "1009") == "7½"


def test_9_3_1_march_half_a_point_R18() -> None:
    """9.3(1), 9.3 example (1), R-18 Infantry marches 10 road hexes for 5 points; an 11th is refused (example 29)."""
    bench = mover({INF: "1015"}, INF, roads=(column(10, 15, 3),))
    assert left(bench, "axis", "move", INF, "march", "1005") == "0"
    assert bench.refused("axis", "move", INF, "march", "1004").rule == "9.2(1)"
    assert "1004" not in bench.reach("axis", "move", INF, "march")
    (moved,) = bench.do("axis", "move", INF, "march", "1005")[:1]
    assert moved.mode == "march"


def test_9_3_1_keeps_clear_of_zones() -> None:
    """9.3(1), 9.3 example (2): the march ends in the last road hex outside the enemy's zone (example 30)."""
    bench = mover({INF: "1015", RIFLE: "1008"}, INF, roads=(column(10, 15, 5),))
    assert "1010" in bench.reach("axis", "move", INF, "march")
    assert bench.refused("axis", "move", INF, "march", "1009").rule == "9.3(1)"
    assert bench.refused("axis", "move", INF, "march", "1008").rule == "3.1(2)"


def test_9_3_1_starts_on_a_road_outside_zones() -> None:
    """9.3(1) Not from an EZOC, not off a road, not mixed with other steps; 9.1(3) a unit chooses one way."""
    assert mover({INF: "1010", RIFLE: "1012"}, INF, roads=(column(10, 12, 5),)).options("axis", "move", INF).count("march") == 1
    assert mover({INF: "1010", RIFLE: "1011"}, INF, roads=(column(10, 12, 5),)).refused("axis", "move", INF, "march").rule == "9.3(1)"
    bench = mover({INF: "1110"}, INF, roads=(column(10, 12, 5),))
    assert bench.refused("axis", "move", INF, "march").key == "refusal.typhoon.march_off_road"
    bench = mover({INF: "1010"}, INF, roads=(column(10, 12, 5),))
    assert bench.refused("axis", "move", INF, "march", "1110").key == "refusal.typhoon.off_road"


def test_9_3_1_railways_are_no_roads() -> None:
    """9.3(1) On a rail-only hex a march is refused (example 32)."""
    bench = mover({INF: "1010"}, INF, rails=("0110 0210", column(10, 12, 5)))
    assert bench.refused("axis", "move", INF, "march").rule == "9.3(1)"


def test_9_3_2_otherwise_as_usual() -> None:
    """9.3(2) Stacking binds a march, too: a full hex can be passed, not ended in."""
    bench = mover({INF: "1010", INF2: "1009", PZ: "1009"}, INF, roads=(column(10, 12, 5),))
    assert bench.refused("axis", "move", INF, "march", "1009").key == "refusal.typhoon.two_units"
    assert "1008" in bench.reach("axis", "move", INF, "march")


def test_R19_no_minimum_move() -> None:
    """R-19 A rifle division (4 points) in an EZOC cannot reach a hex in EZOC: it does not move there."""
    bench = mover({RIFLE: "1010", INF: "1110", INF2: "0910", PZ: "1012"}, RIFLE, side="soviet")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}  # nothing could move


def test_R49_lakes() -> None:
    """R-49 Nobody enters a lake."""
    assert mover({INF: "1010"}, INF, rows={"1009": "L"}).refused("axis", "move", INF, "1009").rule == "TEC"
