"""14.1 Weather."""

from typing import Any

import pytest

from tests.rules.typhoon.battles import (
    INFANTRY,
    PANZERS,
    PANZERS9,
    RIFLES3,
    RIFLES4,
    column_of,
    odds_of,
)
from tests.rules.typhoon.bench import CAV, INF, INF2, PZ, RIFLE, Bench, column, place, real_pack
from tests.rules.typhoon.marches import RING_SIDES, left, mover


def test_14_1_weather_by_turn() -> None:
    """14.1, 14.1.1, 14.1.2, 14.1.3 Turns 1-2 are clear, 3-5 mud, 6-7 frost, 8-12 snow."""
    data = Bench(real_pack()).state.data
    assert [data.turn(n).weather for n in range(1, 13)] == ["clear"] * 2 + ["mud"] * 3 + [
        "frost"
    ] * 2 + ["snow"] * 5


def test_14_1_march_and_weather_R18() -> None:
    """9.3(1), 14.1.1, 14.1.2, R-18 No march in mud (example 33) or snow, but in frost (example
    34)."""
    for turn, marches in ((4, False), (6, True), (9, False)):
        bench = mover({INFANTRY[0]: "1010"}, INFANTRY[0], turn=turn, roads=("1010 1009 1008",))
        assert ("march" in bench.options("axis", "move", INFANTRY[0])) is marches
        if not marches:
            assert bench.refused("axis", "move", INFANTRY[0], "march").rule == "14.1"


def test_14_1_R37_only_plain_changes() -> None:
    """R-37 Plain under a town counts as light forest, a big city does not change."""
    assert odds_of(PANZERS, RIFLES3[:1], turn=6, places=(place("1010"),)).shift == -3
    assert (
        odds_of(PANZERS, RIFLES3[:1], turn=6, places=(place("1010", kind="big_city"),)).shift == -3
    )  # 2 and the frost


def test_14_1_march_in_snow_is_refused() -> None:
    """9.3, 14.1.3, R-38 In snow roads are lost: no march (example 35); in clear weather it goes."""
    road = {"roads": ("1010 1009 1008",)}
    assert "march" in mover({INFANTRY[0]: "1010"}, INFANTRY[0], turn=2, **road).options(
        "axis", "move", INFANTRY[0]
    )  # type: ignore[arg-type]
    assert "march" not in mover({INFANTRY[0]: "1010"}, INFANTRY[0], turn=8, **road).options(
        "axis", "move", INFANTRY[0]
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("attackers", "defenders", "turn", "start", "final"),
    [
        (PANZERS[:3], RIFLES3[:2], 3, "4-1", "2-1"),  # example 54: forest and mud
        (PANZERS[:3], RIFLES3[:2], 6, "4-1", "2-1"),  # frost
        (
            (*PANZERS[:2], PANZERS9[0], INFANTRY[0]),
            RIFLES3[:2],
            9,
            "5-1",
            "2-1",
        ),  # example 56: forest and snow against the Axis
        (RIFLES4[:3], INFANTRY[:2], 9, "1-1", "1.5-1"),  # example 57
    ],
)
def test_14_1_1_shifts_R38(
    attackers: tuple[str, ...], defenders: tuple[str, ...], turn: int, start: str, final: str
) -> None:
    """14.1.1, 14.1.2, 14.1.3, 14.1 note, R-38, R-22, R-23 Weather and terrain shifts add up
    (examples 54, 56, 57)."""
    found = odds_of(attackers, defenders, turn=turn)
    names = Bench().state.data.ladder.names
    assert (names[found.start], column_of(found)) == (start, final)


def test_14_1_1_roads_are_lost_in_mud_and_snow_R38() -> None:
    """14.1.1, 14.1.3, R-37 In mud a panzer pays 2 along a road into plain (example 61), in snow
    too; in frost 1 (example 62)."""
    road: dict[str, Any] = {"roads": ("1010 1009",)}
    panzer = {PANZERS[0]: "1010"}
    assert [
        left(mover(panzer, PANZERS[0], turn=turn, **road), "axis", "move", PANZERS[0], "1009")
        for turn in (1, 3, 6, 8)
    ] == ["7", "6", "7", "6"]


def test_14_1_1_bridges_remain() -> None:
    """14.1.1, 14.1.3 Bridges carried by roads remain in mud: no extra point for the river."""
    bench = mover(
        {PANZERS[0]: "1010"},
        PANZERS[0],
        turn=3,
        roads=("1010 1009",),
        rivers={"minor": "1009-1010"},
        bridges="1009-1010",
    )
    assert left(bench, "axis", "move", PANZERS[0], "1009") == "6"


def test_14_1_1_mud_shifts_for_the_defender_whoever_attacks_R38() -> None:
    """14.1.1, 14.1.2, R-38 In mud and frost a Soviet attack is shifted left as well; in clear
    weather nobody's is."""
    assert [odds_of(RIFLES4[:3], INFANTRY[:1], turn=turn).shift for turn in (2, 3, 7, 8)] == [
        0,
        -2,
        -2,
        1,
    ]
    assert [odds_of(PANZERS, RIFLES3[:1], turn=turn).shift for turn in (2, 3, 7, 8)] == [
        0,
        -2,
        -2,
        -3,
    ]


@pytest.mark.parametrize(
    ("turn", "unit", "side", "cost"),
    [(4, PZ, "axis", 1), (9, PZ, "axis", 5), (9, "su.mot.107", "soviet", 3)],
)
def test_14_1_1_between_big_cities_in_bad_weather(
    turn: int, unit: str, side: str, cost: int
) -> None:
    """R-04, 14.1.1, 14.1.3 With the roads lost a big city still costs 1 and the major river between
    two of them is bridged: 1 in mud; zone to zone in snow 1 + 4 for the Axis, 1 + 2 for the
    Soviets."""
    cities = (
        place("1010", kind="big_city", owner=side),
        place("1009", kind="big_city", owner=side),
    )
    placed = {unit: "1010"}
    if cost > 1:
        placed[RIFLE if side == "axis" else INF] = "1110"
    bench = mover(
        placed,
        unit,
        turn=turn,
        side=side,
        places=cities,
        rivers={"major": RING_SIDES},
        rows={"1009": "F", "1010": "F"},
    )
    allowance = bench.state.data.types[unit].move // 2
    assert left(bench, side, "move", unit, "1009") == str(allowance - cost)


def test_14_1_1_plain_under_a_town_in_mud() -> None:
    """R-37, 14.1.1 A panzer pays 2 into a town on plain, 1 into a big city on plain, 3 into a
    swamp; infantry 1, 1, 2."""
    places = (place("1009", owner="axis"), place("1110", kind="big_city", owner="axis"))
    bench = mover({PZ: "1010", INF: "1010"}, PZ, INF, turn=3, places=places, rows={"0910": "s"})
    assert [left(bench, "axis", "move", PZ, name) for name in ("1009", "1110", "0910")] == [
        "6",
        "7",
        "5",
    ]
    assert [left(bench, "axis", "move", INF, name) for name in ("1009", "1110", "0910")] == [
        "4",
        "4",
        "3",
    ]


def test_14_1_2_march_out_of_one_city_through_another_onto_a_road() -> None:
    """R-04, R-18, 14.1.2 In frost a march runs from one big city to the next, no road printed, and
    on along the road: 4 hexes for 2."""
    cities = (
        place("1010", kind="big_city", owner="axis"),
        place("1009", kind="big_city", owner="axis"),
    )
    bench = mover(
        {INF: "1010"},
        INF,
        turn=6,
        places=cities,
        roads=("1009 1008 1007 1006",),
        rivers={"minor": "1009-1010"},
    )
    assert left(bench, "axis", "move", INF, "march", "1009", "1006") == "3"


def test_14_1_2_a_panzer_across_country_in_frost() -> None:
    """14.1.2, R-37 Off the road plain costs it 2: four hexes; along the road 1: eight; marching a
    half: sixteen."""
    bench = mover({PZ: "1019"}, PZ, turn=7, roads=(column(10, 19, 1),))
    assert {"1011"} <= bench.reach("axis", "move", PZ) and "1010" not in bench.reach(
        "axis", "move", PZ
    )
    assert "1003" in bench.reach("axis", "move", PZ, "march") and "1002" not in bench.reach(
        "axis", "move", PZ, "march"
    )
    country = mover({PZ: "1019"}, PZ, turn=7)
    assert "1015" in country.reach("axis", "move", PZ) and "1014" not in country.reach(
        "axis", "move", PZ
    )


def test_14_1_3_snow_on_a_town_in_a_forest() -> None:
    """14.1.3 Soviet 20 to 10 on a town in a deep forest: -3 +2 = -1 (example 58)."""
    assert (
        column_of(
            odds_of(
                RIFLES4[:5],
                INFANTRY[:2],
                turn=9,
                rows={"1010": "F"},
                places=(place("1010", owner="axis"),),
            )
        )
        == "1.5-1"
    )


def test_14_1_3_soviet_zones_in_snow() -> None:
    """14.1.3 From EZOC to EZOC over plain a rifle division pays 1 + 1 + 1, a German one 1 + 2 + 2
    (example 60); not before the snow."""
    rifle = mover({RIFLES3[0]: "1010", INFANTRY[0]: "1110"}, RIFLES3[0], turn=8, side="soviet")
    assert left(rifle, "soviet", "move", RIFLES3[0], "1009") == "1"
    german = mover({INFANTRY[0]: "1010", RIFLES3[0]: "1110"}, INFANTRY[0], turn=8)
    assert left(german, "axis", "move", INFANTRY[0], "1009") == "0"
    frost = mover({RIFLES3[0]: "1010", INFANTRY[0]: "1110"}, RIFLES3[0], turn=7, side="soviet")
    assert frost.refused("soviet", "move", RIFLES3[0], "1009").rule == "9.2(1)"


def test_14_1_3_snow_lifts_a_deep_forest_R23() -> None:
    """R-23 1-1 in a deep forest attacked by the Soviets in snow: -2 +2 = 0, legal; 1-1 against a
    town in it, -1, is not."""
    deep: dict[str, Any] = {"rows": {"1010": "F"}}
    assert column_of(odds_of(RIFLES4[:3], INFANTRY[:2], turn=9, **deep)) == "1-1"
    assert (
        column_of(
            odds_of(
                RIFLES4[:3], INFANTRY[:2], turn=9, places=(place("1010", owner="axis"),), **deep
            )
        )
        == "illegal"
    )


def test_14_1_3_3_soviet_cavalry_in_snow() -> None:
    """14.1.3-3, 9.2(1)3 Zone to zone over a river into plain: 1 + 1 + 1 + 1 = 4 of 6; a second such
    step (3) is too much for the 2 left."""
    bench = mover(
        {CAV: "1010", INF: "1110"}, CAV, turn=8, side="soviet", rivers={"minor": "1009-1010"}
    )
    assert left(bench, "soviet", "move", CAV, "1009") == "2"
    further = mover(
        {CAV: "1010", INF: "1110", INF2: "1108"},
        CAV,
        turn=8,
        side="soviet",
        rivers={"minor": "1009-1010"},
    )
    assert further.refused("soviet", "move", CAV, "1009", "1008").rule == "9.2(1)"


@pytest.mark.parametrize(
    ("unit", "side", "rest"), [("ax.hq.2a", "axis", "0"), ("su.hq.22a", "soviet", "2")]
)
def test_14_1_3_3_headquarters_in_snow(unit: str, side: str, rest: str) -> None:
    """14.1.3-3, R-38 The relief is for Soviet HQs too, never for German ones: 1 + 1 + 1 = 3 against
    1 + 2 + 2 = 5, of 5 each."""
    enemy = RIFLE if side == "axis" else INF
    bench = mover({unit: "1010", enemy: "1110"}, unit, turn=8, side=side)
    assert left(bench, side, "move", unit, "1009") == rest
