"""10.6(1)-10.6(4) Retreat: what eliminates, and what it costs."""

import pytest

from tests.rules.chit_bench import source
from tests.rules.typhoon.battles import EAST, INFANTRY, PANZERS, RIFLES3, SURROUNDED, battle
from tests.rules.typhoon.bench import (
    INF,
    INF2,
    PZ,
    PZ2,
    RIFLE,
    RIFLE2,
    RIFLE3,
    RIFLE4,
    TANK,
    Bench,
    board_t,
    place,
    real_pack,
)
from tests.rules.typhoon.campaign import LANE
from tests.rules.typhoon.second_reading import Board, crowd, offered_ways, ways_of
from warledger.engine.games.typhoon.losses import Eliminated, Reduced
from warledger.engine.games.typhoon.retreat import Retreated

RIVER = {"major": "1008-1009 1009-1109 1009-1110 0910-1009 0909-1009"}


# 8 against 3 is 2-1: die 4 gives R, die 6 gives RR.
def test_10_6_along_the_line_R25() -> None:
    """10.6, 10.6(1), 10.6(6), R-25 A retreat goes one hex nearer the source along the LOC, by
    itself where there is one way only."""
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 4)
    assert bench.happened(Retreated) == [Retreated(RIFLE, ("1010", "1009"))]
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


@pytest.mark.parametrize("hexes", [1, 2])
def test_10_6_retreats_by_a_second_reading(hexes: int) -> None:
    """10.6, R-25, R-26, R-27, R-28, R-29 Every way of a retreat of one and of two hexes, for units
    of both sides with and without a LOC."""
    for seed in range(2):
        bench, rng = crowd(80 + 10 * hexes + seed, 1, 170)
        board = Board(bench)
        for unit in rng.sample(sorted(board.at), 30):
            assert offered_ways(bench, unit, hexes) == ways_of(board, unit, hexes), (
                seed,
                unit,
                board.at[unit],
            )


def test_10_6_2_owner_chooses_among_equal_ways() -> None:
    """10.6(2), 10.6(6), R-25 Towards a source in the east two hexes are as near: the owner chooses,
    for each unit."""
    bench = battle(
        {PZ: "0910", PZ2: "0910", RIFLE: "1010", RIFLE2: "1010"}, (PZ, PZ2), 4, sources=EAST
    )
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    assert bench.options("soviet", "retreat") == (RIFLE, RIFLE2)
    assert set(bench.options("soviet", "retreat", RIFLE)) == {"1110", "1111"}
    assert bench.refused("soviet", "retreat", RIFLE, "1009").rule == "10.6(6)"
    bench.do("soviet", "retreat", RIFLE, "1110")
    bench.do("soviet", "retreat", RIFLE2, "1111")
    assert bench.hexes(RIFLE, RIFLE2) == ("1110", "1111")


def test_10_6_2_R28_the_owner_says_who_goes_first() -> None:
    """R-28, 10.6(2), 10.6(5) Room for one behind: whoever goes first takes it, the other is driven
    on; the owner orders them."""
    placed = {PZ: "1011", PZ2: "1011", RIFLE: "1010", RIFLE2: "1010", RIFLE3: "1009"}
    bench = battle(placed, (PZ, PZ2), 4)
    assert bench.asked() == {"soviet": "prompt.typhoon.retreat"}
    assert bench.options("soviet", "retreat") == (RIFLE, RIFLE2)
    bench.do("soviet", "retreat", RIFLE2, "1009")
    assert (bench.hexes(RIFLE2), bench.state.at(RIFLE)) == (("1009",), bench.state.data.hex("1008"))


def test_10_6_2_two_units_two_ways_and_a_city_between() -> None:
    """10.6(2), R-12 Each unit of a stack picks its way; a town on the way is theirs again."""
    towns = (place("1110", owner="axis"), place("1111", owner="axis"))
    bench = battle(
        {PANZERS[0]: "0910", PANZERS[1]: "0910", RIFLES3[0]: "1010", RIFLES3[1]: "1010"},
        PANZERS[:2],
        4,
        sources=EAST,
        places=towns,
    )
    bench.do("soviet", "retreat", RIFLES3[1], "1111")
    assert {bench.state.control[bench.state.data.hex(name)] for name in ("1111",)} == {"soviet"}
    bench.do("soviet", "retreat", RIFLES3[0], "1110")
    assert bench.state.control[bench.state.data.hex("1110")] == "soviet"


def test_10_6_3_second_hex_over_a_major_river_R29() -> None:
    """10.6(3), R-29 RR, and every second hex lies across an unbridged major river: eliminated
    (example 46); R stops before it."""
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 6, rivers=RIVER)
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "no_retreat", "box.available.soviet")]

    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 4, rivers=RIVER)
    assert bench.hexes(RIFLE) == ("1009",)


def test_10_6_3_first_hex_may_cross_and_bridges_do_not_matter() -> None:
    """R-29 The first hex of a retreat crosses a major river freely; a bridged one may be crossed by
    the second."""
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 4, rivers={"major": "1009-1010"})
    assert bench.hexes(RIFLE) == ("1009",)
    bench = battle(
        {PZ: "1011", RIFLE: "1010"},
        (PZ,),
        6,
        rivers=RIVER,
        bridges="1008-1009",
        roads=("1009 1008",),
    )
    assert bench.hexes(RIFLE) == ("1008",)


def test_10_6_3_nowhere_to_go_R26() -> None:
    """10.6(3), R-26 With enemies or lakes all round the unit is eliminated."""
    around = dict(
        zip(("ax.inf.8", "ax.inf.28", "ax.inf.87"), ("1009", "1110", "0910"), strict=True)
    )
    bench = battle({PZ: "1011", INF: "0911", RIFLE: "1010", **around}, (PZ,), 4, rows={"1111": "L"})
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "no_retreat", "box.available.soviet")]


def test_10_6_3_R29_the_shortest_way_is_not_left_for_a_longer_one() -> None:
    """10.6(3), 10.6(6), R-29 The one hex that is nearer home lies across an unbridged major river:
    the second hex eliminates, though other hexes lie open."""
    walls = {f"{c:02}08": "L" for c in range(1, 21) if c != 10}
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 6, rows=walls, rivers={"major": "1008-1009"})
    assert bench.happened(Retreated) == [Retreated(RIFLE, ("1010", "1009"))]
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "no_retreat", "box.available.soviet")]


def test_10_6_3_R04_big_city_hexes_are_bridged_for_a_retreat_too() -> None:
    """R-04, R-11, R-29 Between two big-city hexes a major river counts as bridged: the second hex
    of a retreat may cross it."""
    cities = (
        place("1009", kind="big_city", group="moscow"),
        place("1008", kind="big_city", group="moscow"),
    )
    over = {"major": "1008-1009"}
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 6, rivers=over, places=cities)
    assert bench.hexes(RIFLE) == ("1008",)
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 6, rivers=over, places=cities[:1])
    assert bench.hexes(RIFLE) == ("box.available.soviet",)


def test_10_6_3_R04_moscow_on_the_map() -> None:
    """R-04 The Moskva between Moscow West and Moscow North stops no second retreat hex."""
    data = Bench(real_pack()).state.data
    west, north = data.hex("2911"), data.hex("3010")
    at = west * 6 + data.board.grid.direction(west, north)
    assert data.river[at] and not data.board.sides.bridged[at]
    assert not data.no_second_retreat[at]


def test_10_6_3_R26_an_impassable_side_is_no_way() -> None:
    """10.6(3), R-26 Impassable hexsides close a way like a lake."""
    bench = battle({PZ: "1011", RIFLE: "1010"}, (PZ,), 4, impassable="1009-1010")
    assert set(bench.options("soviet", "retreat", RIFLE)) == {"0910", "1110"}


def test_10_6_3_R26_six_enemies_around() -> None:
    """10.6(3), R-26 All six neighbours hold enemies: R eliminates whole stacks, though the result
    takes no step."""
    ring = dict(
        zip(
            (PANZERS[0], PANZERS[1], *INFANTRY),
            ("1011", "0911", "1009", "1110", "1111", "0910"),
            strict=True,
        )
    )
    bench = battle(
        {**ring, RIFLES3[0]: "1010", RIFLES3[1]: "1010"}, PANZERS[:2], 4
    )  # 16 to 6: 2-1, R
    assert bench.hexes(*RIFLES3[:2]) == ("box.available.soviet",) * 2
    assert [event.why for event in bench.happened(Eliminated)] == ["no_retreat", "no_retreat"]
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_10_6_3_1_off_the_map_in_the_corner() -> None:
    """10.6(3)1, R-26 In the corner with the neighbours held or under a lake there is only the edge:
    eliminated."""
    bench = Bench(
        board_t(sources=(source("axis", "0110"), source("soviet", "2010")), rows={"1901": "L"})
    )
    bench.stand({RIFLES3[0]: "2001", PANZERS[0]: "2002", INFANTRY[0]: "1902"})
    assert set(
        bench.state.data.board.grid.names(
            bench.state.data.board.grid.adjacent[bench.state.data.hex("2001")]
        )
    ) == {
        "1901",
        "1902",
        "2002",
    }
    bench.activate("axis", PANZERS[0], segment="declaration")
    bench.dice(4)
    bench.attack("axis", ("2001", PANZERS[0]))
    assert bench.happened(Eliminated) == [
        Eliminated(RIFLES3[0], "no_retreat", "box.available.soviet")
    ]


@pytest.mark.parametrize(("die", "end"), [(4, "1009"), (6, "1008")])
@pytest.mark.parametrize("kind", ["minor", "major"])
def test_10_6_3_4_R29_the_first_hex_crosses_any_river(kind: str, die: int, end: str) -> None:
    """10.6(3)4, R-29 Behind the unit lies an unbridged river: R and RR cross it with the first hex,
    and RR goes on to its second."""
    bench = battle(
        {PANZERS[0]: "1011", RIFLES3[0]: "1010"},
        PANZERS[:1],
        die,
        rivers={kind: "1009-1010 0910-1010 1010-1110"},
    )
    assert bench.hexes(RIFLES3[0]) == (end,)
    assert not bench.happened(Eliminated) and not bench.happened(Reduced)


def test_10_6_4_zones_are_shunned() -> None:
    """10.6(4), R-25 Of two hexes as near the one outside EZOC must be taken, by itself."""
    bench = battle({PZ: "0910", INF: "1109", RIFLE: "1010"}, (PZ,), 4, sources=EAST)
    assert bench.hexes(RIFLE) == ("1111",)
    assert not bench.happened(Reduced)

    bench = battle(
        {
            PZ: "0910",
            PZ2: "0910",
            INF: "1109",
            RIFLE: "1010",
            RIFLE2: "1010",
            RIFLE3: "1111",
            RIFLE4: "1111",
        },
        (PZ, PZ2),
        4,
        sources=EAST,
    )
    assert bench.refused("soviet", "retreat", RIFLE, "1110").rule == "10.6(4)"


def test_10_6_4_R27_a_friend_may_count_by_option() -> None:
    """R-27 By option a friendly unit in the hex saves the step; by default not."""
    placed = {**SURROUNDED, RIFLE2: "1110"}
    bench = battle(placed, (PZ,), 4, sources=EAST)
    bench.do("soviet", "retreat", RIFLE, "1110")
    assert bench.state.units[RIFLE].reduced

    bench = battle(placed, (PZ,), 4, sources=EAST, friendly_unit_negates_retreat_ezoc=True)
    assert bench.hexes(RIFLE) == ("1110",)
    assert not bench.state.units[RIFLE].reduced


def test_10_6_4_R27_each_unit_loses_for_itself_and_the_attacked_hex_is_free() -> None:
    """10.6(4), R-27 Each of two units loses its own step on entering an EZOC; the attacked hex, an
    EZOC too, costs nothing."""
    placed = {
        PZ: "0910",
        PZ2: "0911",
        INF: "1109",
        INF2: "1112",
        "ax.inf.8": "1311",
        RIFLE: "1010",
        RIFLE2: "1010",
    }
    bench = battle(placed, (PZ, PZ2), 4, sources=EAST)
    while bench.asked() == {"soviet": "prompt.typhoon.retreat"}:
        unit = bench.options("soviet", "retreat")[0]
        bench.do("soviet", "retreat", unit, bench.options("soviet", "retreat", unit)[0])
    assert all(bench.state.units[name].reduced for name in (RIFLE, RIFLE2))


def test_10_6_4_R27_a_reduced_unit_falls_in_the_first_zone_hex() -> None:
    """R-27 A reduced unit dies in the first EZOC hex; it is combat that removed it, so a rifle
    division returns (R-35)."""
    placed = {PZ: "0910", PZ2: "0911", INF: "1109", INF2: "1112", RIFLE: "1010"}
    bench = battle(placed, (PZ,), 6, sources=EAST, reduced=(RIFLE,))  # 8 to the reduced strength
    if bench.asked() == {"soviet": "prompt.typhoon.retreat"}:
        first = bench.options("soviet", "retreat", RIFLE)[0]
        bench.do("soviet", "retreat", RIFLE, first)
    assert bench.hexes(RIFLE) == ("box.available.soviet",)


def test_10_6_4_a_tank_brigade_dies_in_a_zone_for_good() -> None:
    """10.6(4), R-05, R-35 R with the one way through an EZOC: the one-step brigade is lost on
    entering, and mechanised units stay out."""
    lane = {k: v for k, v in LANE.items() if k != "1109"}
    bench = battle(
        {PANZERS[0]: "1011", INFANTRY[0]: "1109", TANK: "1010"}, PANZERS[:1], 3, rows=lane
    )  # 8 to 2: 4-1, R
    assert bench.hexes(TANK) == ("eliminated",)


def test_10_6_4_a_step_for_each_zone_hex_R27() -> None:
    """10.6(4), R-27 RR through two EZOC hexes: flipped in the first, eliminated in the second
    (example 44); R-25 D2, for it has no LOC."""
    bench = battle(SURROUNDED, (PZ,), 6, sources=EAST)
    (unit, first), second = (RIFLE, bench.options("soviet", "retreat", RIFLE)[0]), None
    second = bench.options("soviet", "retreat", unit, first)[0]
    bench.do("soviet", "retreat", unit, first, second)
    assert bench.happened(Reduced) == [Reduced(RIFLE, "zone")]
    assert bench.happened(Eliminated) == [Eliminated(RIFLE, "zone", "box.available.soviet")]
