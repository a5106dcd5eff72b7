"""3.0 Stacking, zones of control, lines of communication, control of cities."""

import random
from typing import Any

from engine.games.typhoon.checks import check_thoroughly
from tests.rules.typhoon.bench import Bench, board_t, column, place, real_pack, source

INF, INF2, INF3, PZ = "ax.inf.5", "ax.inf.35", "ax.inf.8", "ax.panzer.1"
RIFLE, RIFLE2, RIFLE3 = "su.rifle.133", "su.rifle.174", "su.rifle.179"


def test_3_1_two_units_a_hex() -> None:
    """3.1, 3.1(1) Two units may end in a hex, HQs included, a third may not; 3.1(3), R-08 passing through is free."""
    bench = Bench()
    bench.stand({INF: "1010", INF2: "1011", "ax.hq.2a": "1011", PZ: "1012"}, reduced=(INF2,))
    bench.activate("axis", INF, PZ)

    assert bench.refused("axis", "move", INF, "1011").key == "refusal.typhoon.two_units"  # it may go on from there, not stop
    assert bench.refused("axis", "move", INF, "1011", "1012", "1011", "1011").rule == "9.2(1)"
    bench.do("axis", "move", PZ, "1009")
    bench.do("axis", "move", INF, "1011", "1012")
    assert bench.hexes(INF) == ("1012",)


def test_3_1_2_never_with_enemies() -> None:
    """3.1(2) A hex with enemy units cannot be entered."""
    bench = Bench()
    bench.stand({INF: "1010", RIFLE: "1009"})
    bench.activate("axis", INF)

    assert bench.refused("axis", "move", INF, "1009").rule == "3.1(2)"


def test_3_2_zones() -> None:
    """3.2, 3.2(1), 3.2(2), R-49 Every unit and HQ has a zone in its six neighbours, over a major river too, not into a lake; several units
    make one zone."""
    bench = Bench(board_t(rows={"1009": "L"}, rivers={"major": "1010-1011"}, impassable="0910-1010"))
    bench.stand({"ax.hq.2a": "1010", INF: "1010"})
    zone = bench.state.field.zones("axis")
    names = {bench.state.data.name(i) for i in zone.hexes()}

    assert names == {"1110", "1111", "1011", "0911"}
    assert max(zone.count) == 1


def test_3_2_3_zones_matter_elsewhere() -> None:
    """3.2(3) A zone counts for movement: entering costs two points."""
    bench = Bench()
    bench.stand({INF: "1012", RIFLE: "1009"})
    bench.activate("axis", INF)
    said = bench.preview("axis", "move", INF, "1011", "1010")

    assert isinstance(said, tuple) and ("left", "1") in said[0].args


def north_south(**more: Any) -> Bench:
    """Board T with the Axis source in the south and the Soviet one in the north."""
    return Bench(board_t(sources=(source("axis", "1020"), source("soviet", "1001")), rails=(column(10, 20, 15),), **more))


def loc(bench: Bench, side: str, hex_id: str) -> bool:
    """Whether a LOC reaches a hex."""
    return bench.state.field.has_loc(side, bench.state.data.hex(hex_id))


def test_3_3_a_line_from_a_source_R09() -> None:
    """3.3, R-09 A source held by an enemy, or in an EZOC without a friend, serves nobody."""
    bench = north_south()
    bench.stand({RIFLE: "1010"})
    assert loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1001"})
    assert not loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1002"})
    assert not loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1002", RIFLE2: "1001"})
    assert loc(bench, "soviet", "1001")


def test_3_3_1_through_a_zone_only_with_a_friend() -> None:
    """3.3(1), R-09 A LOC passes an EZOC hex that holds a friendly unit (example 76), ends in one without, never passes an enemy."""
    walls = {f"{c:02}08": "L" for c in range(1, 21) if c != 10}
    bench = north_south(rows={**walls, **{f"{c:02}09": "L" for c in range(1, 21) if c != 10}})
    bench.stand({RIFLE: "1010", RIFLE2: "1009", INF: "1110"})
    assert loc(bench, "soviet", "1010")

    bench.stand({RIFLE: "1010", INF: "1110"})
    assert not loc(bench, "soviet", "1010")
    assert loc(bench, "soviet", "1009")
    assert not loc(bench, "soviet", "1110")


def test_3_3_2_terrain() -> None:
    """3.3(2), R-49 Lakes block a LOC, a major river does not."""
    bench = north_south(rivers={"major": "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"})
    bench.stand({RIFLE: "1010"})
    assert loc(bench, "soviet", "1010")

    bench = north_south(rows=dict.fromkeys(["1009", "1110", "1111", "1011", "0911", "0910"], "L"))
    bench.stand({RIFLE: "1010"})
    assert not loc(bench, "soviet", "1010")


def test_3_3_3_axis_six_hexes_off_the_railway_R10() -> None:
    """3.3(3), R-10 The Axis LOC runs along railway links without limit, then at most six hexes, its own counted; a rail hex that is only
    near, or reached again, does not restart the count. The Soviets have no limit."""
    bench = north_south()
    bench.stand({INF: "1009", RIFLE: "0120"})

    assert loc(bench, "axis", "1009") and not loc(bench, "axis", "1008")
    assert loc(bench, "soviet", "0120")

    broken = Bench(board_t(sources=(source("axis", "1020"), source("soviet", "2001")), rails=(column(10, 20, 15), column(10, 11, 5))))
    broken.stand({})
    assert loc(broken, "axis", "1009") and not loc(broken, "axis", "1005")


def test_3_3_3_an_interrupted_railway() -> None:
    """3.3(3) An EZOC on the railway cuts it; behind the cut the hexes count."""
    bench = north_south()
    bench.stand({RIFLE: "1118", RIFLE2: "0918"})

    assert loc(bench, "axis", "1018")
    assert not loc(bench, "axis", "1015")


def test_3_3_by_another_method() -> None:
    """3.3 LOCs and ways home on random positions of the real map agree with a search hex by hex."""
    bench = Bench(real_pack(), off_map_line=True)
    rng = random.Random(5)
    names = sorted(bench.state.data.types)
    land = [i for i in range(len(bench.state.data.board.grid)) if i not in bench.state.data.water]
    for _ in range(6):
        hexes = rng.sample(land, 90)
        bench.stand({name: bench.state.data.name(i) for name, i in zip(rng.sample(names, 90), hexes, strict=True)}, turn=3)
        check_thoroughly(bench.state)


def test_3_4_control() -> None:
    """3.4(1) At start a place belongs to the side of the start line; 3.4(2), R-12 then to the last that passed through; a zone takes
    none."""
    bench = Bench(board_t(places=(place("1010"), place("1012", owner="axis"), place("1007"))))
    assert bench.state.control == {bench.state.data.hex(h): s for h, s in (("1010", "soviet"), ("1012", "axis"), ("1007", "soviet"))}

    bench.stand({INF: "1011"})
    bench.activate("axis", INF)
    bench.do("axis", "move", INF, "1010", "1009", "1008")
    assert bench.state.control[bench.state.data.hex("1010")] == "axis"
    assert bench.state.control[bench.state.data.hex("1007")] == "soviet"


def test_R47_units_are_open() -> None:
    """R-47 Stacks and strengths are on the public board."""
    bench = Bench(real_pack(), set_up="preset")

    assert bench.board.pieces["ax.panzer.1"].place == "0411"
    assert bench.board.pieces["ax.panzer.1"].face == "full"
