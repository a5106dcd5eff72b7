"""9.1, 9.2 Movement, with the terrain effects chart; for the weather see test_14_weather."""

from typing import Any

import pytest

from tests.rules.typhoon.battles import INFANTRY, PANZERS, RIFLES3, RIFLES4, odds_of
from tests.rules.typhoon.bench import (
    CAV,
    INF,
    INF2,
    PZ,
    RIFLE,
    RIFLE2,
    Bench,
    board_t,
    column,
    place,
)
from tests.rules.typhoon.marches import RING_SIDES, left, mover
from tests.rules.typhoon.second_reading import Board, crowd, reach

# --- 9.1 ------------------------------------------------------------------------------------------


def test_9_1_one_after_the_other() -> None:
    """9.1, 9.1(1), R-17 Units move in any order, each once; moving is optional."""
    bench = mover({INF: "1010", INF2: "1011"}, INF, INF2)
    bench.do("axis", "move", INF2, "1012")
    assert bench.refused("axis", "move", INF2, "1013").rule == "8.1(3)"
    bench.do("axis", "done")
    assert bench.hexes(INF, INF2) == ("1010", "1012")


def test_9_1_R19_no_minimum_move() -> None:
    """R-19 A rifle division (4 points) in an EZOC cannot reach a hex in EZOC: it does not move
    there."""
    bench = mover({RIFLE: "1010", INF: "1110", INF2: "0910", PZ: "1012"}, RIFLE, side="soviet")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}  # nothing could move


def test_9_1_1_only_a_stack_goes_together() -> None:
    """9.1(1) A unit of another hex cannot be taken along, nor one named already; the refusal is not
    that it cannot move at all."""
    bench = mover({INF2: "1010", INF: "1011"}, INF, INF2)
    assert bench.refused("axis", "move", INF2, INF, "1009").rule == "9.1(1)"
    assert bench.refused("axis", "move", INF2, INF2, "1009").rule == "9.1(1)"


def test_9_1_a_stack_moves_by_one_line() -> None:
    """9.1(1) Two units of a hex go together along waypoints, at the dearest costs among them."""
    bench = mover({INF: "1010", PZ: "1010"}, INF, PZ, rows={"1009": "f"})
    assert left(bench, "axis", "move", INF, PZ, "1009") == "3"  # a panzer pays 2 for light forest

    (moved,) = bench.do("axis", "move", INF, PZ, "1011", "1013")[:1]
    assert moved.path == ("1010", "1011", "1012", "1013")
    assert bench.hexes(INF, PZ) == ("1013", "1013")


# --- 9.2 ------------------------------------------------------------------------------------------


def test_9_2_example_in_one_position() -> None:
    """9.2 example (1)-(3) From one hex in an EZOC a German infantry division of 5 points: to plain
    in an EZOC 1 + 2 + 2 = 5, legal; to a deep forest in an EZOC 2 + 4 = 6, refused; over a river to
    plain in an EZOC 1 + 1 + 4 = 6, refused."""
    bench = mover(
        {INFANTRY[0]: "1010", RIFLES3[0]: "1110", RIFLES3[1]: "0811"},
        INFANTRY[0],
        rows={"0911": "F"},
        rivers={"minor": "1010-1111"},
    )
    field, data = bench.state.field, bench.state.data
    assert all(
        field.in_enemy_zone("axis", data.hex(name)) for name in ("1010", "1009", "0911", "1111")
    )
    assert left(bench, "axis", "move", INFANTRY[0], "1009") == "0"
    assert bench.refused("axis", "move", INFANTRY[0], "0911").rule == "9.2(1)"
    assert bench.refused("axis", "move", INFANTRY[0], "1111").rule == "9.2(1)"
    assert bench.reach("axis", "move", INFANTRY[0]) & {"1009", "0911", "1111"} == {"1009"}


@pytest.mark.parametrize("turn", [1, 4, 6, 9])
def test_9_2_reach_by_a_second_reading(turn: int) -> None:
    """9.2, 9.3, 14.1, TEC, R-04, R-11, R-18, R-38, R-48 Where units may go, normally and marching,
    in every weather, is what the plainest search finds; with room at the end (3.1(1))."""
    for seed in range(2):
        bench, rng = crowd(10 * turn + seed, turn, 70)
        board = Board(bench)
        for side in ("axis", "soviet"):
            mine = sorted(name for name in board.at if board.types[name].side == side)
            bench.activate(side, *mine)
            for name in rng.sample(mine, 10):
                expected = {
                    h
                    for h in reach(board, name, board.types[name].move / 2, march=False)
                    if board.count(side, h) < 2
                }
                offered = (
                    bench.reach(side, "move", name)
                    if name in bench.options(side, "move")
                    else set()
                )
                assert {h for h in offered if board.count(side, h) < 2} == expected, (
                    turn,
                    seed,
                    name,
                    board.at[name],
                )
                marching = {
                    h
                    for h in reach(board, name, board.types[name].move / 2, march=True)
                    if board.count(side, h) < 2
                }
                can = name in bench.options(side, "move") and "march" in bench.options(
                    side, "move", name
                )
                offered = bench.reach(side, "move", name, "march") if can else set()
                assert {h for h in offered if board.count(side, h) < 2} == marching, (
                    turn,
                    seed,
                    name,
                    "march",
                )


def test_9_2_1_the_allowance_ends_a_move() -> None:
    """9.2(1) Five points take infantry five plain hexes, and no further."""
    bench = mover({INF: "1010"}, INF)
    assert "1005" in bench.reach("axis", "move", INF)
    assert bench.refused("axis", "move", INF, "1004").rule == "9.2(1)"


def test_9_2_1_R04_big_cities_are_joined() -> None:
    """R-04, TEC Neighbouring big-city hexes count as joined by road and bridge; a march runs
    through them."""
    cities = (
        place("1010", kind="big_city", owner="axis"),
        place("1009", kind="big_city", owner="axis"),
    )
    bench = mover({PZ: "1010"}, PZ, rivers={"major": RING_SIDES}, places=cities, rows={"1009": "F"})
    assert left(bench, "axis", "move", PZ, "1009") == "7"
    assert left(bench, "axis", "move", PZ, "march", "1009") == "7½"


def test_9_2_1_3_rivers_and_bridges_R11() -> None:
    """9.2(1), R-11, TEC A river costs 1 more, nothing where a road or railway crosses it (example
    24)."""
    assert (
        left(mover({PZ: "1010"}, PZ, rivers={"minor": "1009-1010"}), "axis", "move", PZ, "1009")
        == "6"
    )
    bridged: dict[str, Any] = {
        "rivers": {"minor": "1009-1010"},
        "bridges": "1009-1010",
        "rails": ("0110 0210", "1010 1009"),
    }
    assert left(mover({PZ: "1010"}, PZ, **bridged), "axis", "move", PZ, "1009") == "7"


def test_9_2_1_3_swamp_beyond_a_river_in_a_zone() -> None:
    """9.2(1)3, 9.2(2), 9.2(4)2 Swamp 3, river 1, EZOC 2: 6 of a panzer's 8; infantry 2 + 1 + 2 = 5
    of 5; a rifle division has 4."""
    board: dict[str, Any] = {"rivers": {"minor": "1009-1010"}, "rows": {"1009": "s"}}
    assert left(mover({PZ: "1010", RIFLE: "1008"}, PZ, **board), "axis", "move", PZ, "1009") == "2"
    assert (
        left(mover({INF: "1010", RIFLE: "1008"}, INF, **board), "axis", "move", INF, "1009") == "0"
    )
    rifle = mover({RIFLE: "1010", INF: "1008"}, RIFLE, side="soviet", **board)
    assert rifle.refused("soviet", "move", RIFLE, "1009").rule == "9.2(1)"


@pytest.mark.parametrize(
    ("sign", "mech", "other"), [(".", "6", "3"), ("f", "5", "3"), ("F", "4", "2"), ("s", "4", "2")]
)
def test_9_2_1_3_a_river_adds_one_whatever_lies_behind(sign: str, mech: str, other: str) -> None:
    """9.2(1)3, 9.2(4), TEC An unbridged river costs 1 besides the terrain: a panzer division pays
    2, 3, 4, 4, infantry 2, 2, 3, 3."""
    bench = mover(
        {INFANTRY[0]: "1010", PANZERS[0]: "1010"},
        INFANTRY[0],
        PANZERS[0],
        rows={"1009": sign},
        rivers={"minor": "1009-1010"},
    )
    assert (
        left(bench, "axis", "move", PANZERS[0], "1009"),
        left(bench, "axis", "move", INFANTRY[0], "1009"),
    ) == (mech, other)


def test_9_2_1_4_along_a_road() -> None:
    """9.2(1) A panzer division enters a deep forest along a road for 1 point (example 22); R-48 an
    EZOC still costs its two."""
    assert (
        left(
            mover({PZ: "1010"}, PZ, rows={"1009": "F"}, roads=("1010 1009",)),
            "axis",
            "move",
            PZ,
            "1009",
        )
        == "7"
    )
    assert (
        left(
            mover({PZ: "1010", RIFLE: "1008"}, PZ, rows={"1009": "F"}, roads=("1010 1009",)),
            "axis",
            "move",
            PZ,
            "1009",
        )
        == "5"
    )


def test_9_2_1_4_a_road_into_a_zone_and_out_again() -> None:
    """9.2(1)4, 9.2(2), R-48 Along a road through deep forest past an enemy: 1 + 2 into his zone, 1
    + 2 out of it: 6 of a panzer's 8; on to the other hex he watches it is 1 + 2, then 1 + 4: all
    8."""
    rows = dict.fromkeys(("1009", "1008", "0909"), "F")
    bench = mover({PZ: "1010", RIFLE: "1109"}, PZ, rows=rows, roads=("1010 1009 0909", "1009 1008"))
    assert left(bench, "axis", "move", PZ, "1009") == "5"
    assert left(bench, "axis", "move", PZ, "1009", "0909") == "2"
    assert left(bench, "axis", "move", PZ, "1009", "1008") == "0"


def test_9_2_1_4_two_roads_side_by_side_are_not_joined() -> None:
    """9.2(1)4, 9.3(1)1 From one road hex to a neighbouring road hex that no road joins costs its
    terrain, and no march goes there."""
    board: dict[str, Any] = {"roads": ("1010 1009 1008", "1110 1109 1108"), "rows": {"1110": "F"}}
    bench = mover({PZ: "1010"}, PZ, **board)
    assert left(bench, "axis", "move", PZ, "1110") == "5"
    assert bench.refused("axis", "move", PZ, "march", "1110").rule == "9.3(1)"


def test_9_2_2_example_1() -> None:
    """9.2(2), 9.2 example (1): from EZOC to plain in EZOC, 1 + 2 + 2 = 5, legal with nothing left
    (example 18)."""
    bench = mover({INF: "1010", RIFLE: "1110"}, INF)
    assert left(bench, "axis", "move", INF, "1009") == "0"


def test_9_2_2_example_2() -> None:
    """9.2 example (2): to a deep forest in EZOC, 2 + 2 + 2 = 6, refused; a light forest costs
    infantry 1 and is legal."""
    assert (
        mover({INF: "1010", RIFLE: "1110"}, INF, rows={"1009": "F"})
        .refused("axis", "move", INF, "1009")
        .rule
        == "9.2(1)"
    )
    assert (
        left(
            mover({INF: "1010", RIFLE: "1110"}, INF, rows={"1009": "f"}),
            "axis",
            "move",
            INF,
            "1009",
        )
        == "0"
    )


def test_9_2_2_example_3() -> None:
    """9.2 example (3): across a river to plain in EZOC, 1 + 1 + 2 + 2 = 6, refused (example 20)."""
    bench = mover({INF: "1010", RIFLE: "1110"}, INF, rivers={"minor": "1009-1010"})
    assert bench.refused("axis", "move", INF, "1009").rule == "9.2(1)"


def test_9_2_2_friends_in_the_zone_do_not_help() -> None:
    """9.2(2), 9.3(1)2, R-09 (d) A friendly unit in an EZOC hex takes nothing from its cost, nor
    does it let a march begin there or run through."""
    road = (column(10, 12, 5),)
    bench = mover(
        {INFANTRY[0]: "1010", INFANTRY[1]: "1009", RIFLES3[0]: "1109"},
        INFANTRY[0],
        INFANTRY[1],
        roads=road,
    )
    assert left(bench, "axis", "move", INFANTRY[0], "1009") == "2"  # 1 + 2, by road
    assert bench.refused("axis", "move", INFANTRY[0], "march", "1009").rule == "9.3(1)"
    bench = mover(
        {INFANTRY[0]: "1010", INFANTRY[1]: "1010", RIFLES3[0]: "1110"}, INFANTRY[0], roads=road
    )
    assert bench.refused("axis", "move", INFANTRY[0], "march").rule == "9.3(1)"


def test_9_2_3_major_river_takes_the_whole_move() -> None:
    """9.2(3), R-11 Infantry next to an unbridged major river crosses it into a swamp and stops,
    nothing left (example 26)."""
    bench = mover({INF: "1010"}, INF, rivers={"major": RING_SIDES}, rows={"1009": "s"})
    assert left(bench, "axis", "move", INF, "1009") == "0"
    assert bench.refused("axis", "move", INF, "1009", "1008").rule == "9.2(3)"
    bench.do("axis", "move", INF, "1009")


def test_9_2_3_only_at_the_start() -> None:
    """9.2(3) Who has moved one hex cannot cross (example 25)."""
    bench = mover({INF: "1011"}, INF, rivers={"major": RING_SIDES})
    assert bench.refused("axis", "move", INF, "1010", "1009").rule == "9.2(3)"


def test_9_2_3_not_between_zones() -> None:
    """9.2(3) With both banks in EZOC the crossing is illegal."""
    bench = mover({INF: "1010", RIFLE: "1110"}, INF, rivers={"major": RING_SIDES})
    assert bench.refused("axis", "move", INF, "1009").key == "refusal.typhoon.between_zones"


@pytest.mark.parametrize("turn", [6, 9])
def test_9_2_3_R38_rivers_do_not_freeze(turn: int) -> None:
    """R-38, 9.2(3), 10.3(1)1 In frost and snow a river costs its point, a major river the whole
    move and is barred between zones, and both halve an attack."""
    bench = mover({PANZERS[0]: "1010"}, PANZERS[0], turn=turn, rivers={"minor": "1009-1010"})
    assert left(bench, "axis", "move", PANZERS[0], "1009") == "5"  # 2 + 1
    major = mover({PANZERS[0]: "1010"}, PANZERS[0], turn=turn, rivers={"major": RING_SIDES})
    assert left(major, "axis", "move", PANZERS[0], "1009") == "0"
    assert major.refused("axis", "move", PANZERS[0], "1009", "1008").rule == "9.2(3)"
    cossacks = mover(
        {"su.cav.50": "1010", INFANTRY[0]: "1110"},
        "su.cav.50",
        turn=turn,
        side="soviet",
        rivers={"major": RING_SIDES},
    )
    assert (
        cossacks.refused("soviet", "move", "su.cav.50", "1009").key
        == "refusal.typhoon.between_zones"
    )
    assert odds_of(PANZERS[:2], RIFLES3[:1], turn=turn, rivers={"minor": "1010-1011"}).attack == 8
    assert odds_of(RIFLES4[:2], INFANTRY[:1], turn=turn, rivers={"major": "1010-1011"}).attack == 4


@pytest.mark.parametrize(
    ("unit", "side", "halved"),
    [
        (RIFLE, "soviet", ()),
        (RIFLE, "soviet", (RIFLE,)),
        (INF, "axis", ()),
        (CAV, "soviet", (CAV,)),
    ],
)
def test_9_2_3_a_major_river_costs_the_allowance_whatever_it_is(
    unit: str, side: str, halved: tuple[str, ...]
) -> None:
    """9.2(3), R-11, R-42 From an EZOC to a clear bank of deep forest the crossing takes the whole
    allowance, be it 5, 4, 3 or 2: terrain and zone are not added, so a RESERVE unit on half of 4
    can make it."""
    enemy = INF2 if side == "soviet" else RIFLE2
    bench = Bench(board_t(rivers={"major": "1009-1010"}, rows={"1009": "F"}))
    bench.stand({unit: "1010", enemy: "1011"})
    bench.activate(side, unit, halved=halved)
    assert left(bench, side, "move", unit, "1009") == "0"
    bench.do(side, "move", unit, "1009")
    assert bench.hexes(unit) == ("1009",)


def test_9_2_3_2_from_a_clear_bank_into_a_zone() -> None:
    """9.2(3)2, R-11 Only zone to zone is forbidden: from a clear bank the crossing into an EZOC is
    legal for a rifle division of 4."""
    bench = mover(
        {RIFLE: "1010", INF: "1008"},
        RIFLE,
        side="soviet",
        rivers={"major": "1009-1010"},
        rows={"1009": "s"},
    )
    bench.do("soviet", "move", RIFLE, "1009")
    assert bench.hexes(RIFLE) == ("1009",)


def test_9_2_3_3_R11_railway_bridges_serve_the_major_river() -> None:
    """9.2(3)3, R-11 A railway bridge lifts every limit of a major river, though the railway is no
    road (example 27 without it)."""
    river = {"major": "1009-1010"}
    zone = {INFANTRY[0]: "1010", RIFLE: "1110", RIFLE2: "1108"}
    assert (
        mover(zone, INFANTRY[0], rivers=river).refused("axis", "move", INFANTRY[0], "1009").rule
        == "9.2(3)"
    )
    bridged = mover(
        zone, INFANTRY[0], rivers=river, bridges="1009-1010", rails=("0110 0210", "1010 1009")
    )
    assert left(bridged, "axis", "move", INFANTRY[0], "1009") == "0"


def test_9_2_3_3_a_bridge_in_mid_move() -> None:
    """9.2(3)3, R-11 Over a bridged major river a panzer division goes in the middle of its move and
    on: 3 plain hexes, 5 points left."""
    bench = mover(
        {PZ: "1011"},
        PZ,
        rivers={"major": "1009-1010"},
        bridges="1009-1010",
        rails=("0110 0210", "1010 1009"),
    )
    assert left(bench, "axis", "move", PZ, "1010", "1009", "1008") == "5"


def test_9_2_3_a_bridge_lifts_it() -> None:
    """9.2(3), R-11 The same with a road bridge: 1 + 2 + 2 = 5, legal (example 28)."""
    bench = mover(
        {INF: "1010", RIFLE: "1110"},
        INF,
        rivers={"major": RING_SIDES},
        bridges="1009-1010",
        roads=("1010 1009",),
    )
    assert left(bench, "axis", "move", INF, "1009") == "0"


@pytest.mark.parametrize(
    ("sign", "mech", "other"), [("f", "6", "4"), ("s", "5", "3"), ("F", "5", "3"), (".", "7", "4")]
)
def test_9_2_4_entry_costs_TEC(sign: str, mech: str, other: str) -> None:
    """9.2(4), TEC Light forest 2 / 1, swamp 3 / 2, deep forest 3 / 2, plain 1 / 1 (example 21)."""
    bench = mover({INF: "1010", PZ: "1210"}, INF, PZ, rows={"1009": sign, "1209": sign})
    assert (left(bench, "axis", "move", PZ, "1209"), left(bench, "axis", "move", INF, "1009")) == (
        mech,
        other,
    )
