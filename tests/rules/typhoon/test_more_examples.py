"""Further examples between the worked ones: every ratio by fractions, the example of 9.2 in one position, friends in enemy zones, rivers in
winter, losses and retreats at their edges."""

from fractions import Fraction
from typing import Any

import pytest

from engine.board.odds import odds
from engine.games.typhoon.activation import in_range
from engine.games.typhoon.events import Eliminated, FallBack, Fought, LossesTaken, Reduced, Retreated
from tests.rules.typhoon.bench import Bench, board_t, column, place
from tests.rules.typhoon.test_06_command import HQ2
from tests.rules.typhoon.test_09_movement import RING, left, mover
from tests.rules.typhoon.test_10_combat import INF, PZ, PZ9, R2, R3, R4, TANK, fight, odds_of
from tests.rules.typhoon.test_10_combat import column as head
from tests.rules.typhoon.test_10_retreat import NORTH, advance_after, battle

# --- 10.3


@pytest.mark.parametrize("defence", range(1, 14))
def test_10_3_2_every_ratio_and_shift_against_fractions(defence: int) -> None:
    """10.3(2)-10.3(4), R-22, R-23 The ladder read with fractions: 1-1, 1.5-1, 2-1 … 10-1, cut back to 10-1, shifted, cut back again; below
    1-1, before the shifts or after, there is no attack."""
    ladder = Bench().state.data.ladder
    columns = ["1-1", "1.5-1", *(f"{n}-1" for n in range(2, 11))]
    for attack in range(1, 12 * defence):
        ratio = Fraction(attack, defence)
        start = "1.5-1" if Fraction(3, 2) <= ratio < 2 else f"{min(ratio.numerator // ratio.denominator, 10)}-1"
        for shift in range(-5, 3):
            at = columns.index(start) + shift if ratio >= 1 else -1
            expected = columns[min(at, 10)] if at >= 0 else None
            found = odds(ladder, attack, defence, shift).column
            assert (None if found is None else ladder.names[found]) == expected, (attack, defence, shift)


@pytest.mark.parametrize(
    ("turn", "attackers", "defenders", "board", "final"),
    [
        # 12 to 7 is 1.5-1: one shift leaves 1-1, two leave nothing
        (1, (PZ[0], "ax.inf.251"), (R4[0], R3[0]), {"rows": {"1010": "s"}}, "1-1"),
        (1, (PZ[0], "ax.inf.251"), (R4[0], R3[0]), {"rows": {"1010": "f"}}, "1-1"),
        (1, (PZ[0], "ax.inf.251"), (R4[0], R3[0]), {"places": (place("1010"),)}, "1-1"),
        (1, (PZ[0], "ax.inf.251"), (R4[0], R3[0]), {"rows": {"1010": "F"}}, "illegal"),
        (1, (PZ[0], "ax.inf.251"), (R4[0], R3[0]), {"places": (place("1010", kind="big_city"),)}, "illegal"),
        # 24 to 6 is 4-1, in mud and frost
        (4, PZ[:3], R3[:2], {"places": (place("1010"),)}, "1.5-1"),
        (4, PZ[:3], R3[:2], {"rows": {"1010": "s"}}, "2-1"),
        (5, PZ[:3], R3[:2], {"rows": {"1010": "f"}}, "2-1"),
        (5, PZ[:3], R3[:2], {"places": (place("1010", kind="big_city"),)}, "1.5-1"),
        (7, PZ[:3], R3[:2], {"rows": {"1010": "F"}}, "1.5-1"),
        (7, PZ[:3], R3[:2], {"rows": {"1010": "F"}, "places": (place("1010"),)}, "1-1"),
        (6, R4[:3], INF[:1], {}, "1-1"),  # 12 to 5: 2-1, the Soviets' attack hindered as well
        # snow: 20 to 10 for the Soviets, 30 to 6 and 24 to 6 against them
        (9, R4[:5], INF[:2], {}, "3-1"),
        (9, R4[:5], INF[:2], {"rows": {"1010": "s"}, "places": (place("1010", owner="axis"),)}, "2-1"),
        (9, R4[:5], INF[:2], {"places": (place("1010", kind="big_city", owner="axis"),)}, "2-1"),
        (12, (*PZ[:2], PZ9[0], INF[0]), R3[:2], {"rows": {"1010": "f"}, "places": (place("1010"),)}, "1.5-1"),
        (8, PZ[:3], R3[:2], {"rows": {"1010": "F"}}, "1-1"),
        (8, PZ[:3], R3[:2], {"rows": {"1010": "F"}, "places": (place("1010"),)}, "illegal"),
        (8, PZ[:3], R3[:2], {"places": (place("1010", kind="big_city"),)}, "1-1"),
    ],
)
def test_10_3_3_terrain_and_weather(turn: int, attackers: Any, defenders: Any, board: dict[str, Any], final: str) -> None:
    """10.3(3), 10.3(4), TEC, R-03, 14.1.1, 14.1.2, 14.1.3, R-37, R-38 Final columns of one attack in many places and weathers."""
    assert head(odds_of(attackers, defenders, turn=turn, **board)) == final


def test_10_3_4_one_column_too_few() -> None:
    """10.3(4) At the table: 12 to 7 on a swamp is fought on 1-1; the same on a deep forest cannot be declared."""
    attackers, defenders = (PZ[0], "ax.inf.251"), (R4[0], R3[0])
    bench = fight(attackers, defenders, 4, rows={"1010": "s"})
    assert [(event.column, event.result) for event in bench.happened(Fought)] == [("1-1", "-")]
    places = {PZ[0]: "1011", "ax.inf.251": "1011", **dict.fromkeys(defenders, "1010"), R2[0]: "1012"}
    bench = Bench(board_t(rows={"1010": "F"}))
    bench.stand(places)
    bench.activate("axis", *attackers, segment="declaration")
    assert bench.refused("axis", "attack", "1010", *attackers).rule == "10.3(4)"


# --- 9.0


def test_9_2_example_in_one_position() -> None:
    """9.2 example (1)-(3) From one hex in an EZOC a German infantry division of 5 points: to plain in an EZOC 1 + 2 + 2 = 5, legal; to a
    deep forest in an EZOC 2 + 4 = 6, refused; over a river to plain in an EZOC 1 + 1 + 4 = 6, refused."""
    bench = mover({INF[0]: "1010", R3[0]: "1110", R3[1]: "0811"}, INF[0], rows={"0911": "F"}, rivers={"minor": "1010-1111"})
    field, data = bench.state.field, bench.state.data
    assert all(field.in_enemy_zone("axis", data.hex(name)) for name in ("1010", "1009", "0911", "1111"))
    assert left(bench, "axis", "move", INF[0], "1009") == "0"
    assert bench.refused("axis", "move", INF[0], "0911").rule == "9.2(1)"
    assert bench.refused("axis", "move", INF[0], "1111").rule == "9.2(1)"
    assert bench.reach("axis", "move", INF[0]) & {"1009", "0911", "1111"} == {"1009"}


@pytest.mark.parametrize(("sign", "mech", "other"), [(".", "6", "3"), ("f", "5", "3"), ("F", "4", "2"), ("s", "4", "2")])
def test_9_2_1_3_a_river_adds_one_whatever_lies_behind(sign: str, mech: str, other: str) -> None:
    """9.2(1)3, 9.2(4), TEC An unbridged river costs 1 besides the terrain: a panzer division pays 2, 3, 4, 4, infantry 2, 2, 3, 3."""
    bench = mover({INF[0]: "1010", PZ[0]: "1010"}, INF[0], PZ[0], rows={"1009": sign}, rivers={"minor": "1009-1010"})
    assert (left(bench, "axis", "move", PZ[0], "1009"), left(bench, "axis", "move", INF[0], "1009")) == (mech, other)


def test_9_2_2_friends_in_the_zone_do_not_help() -> None:
    """9.2(2), 9.3(1)2, R-09 (d) A friendly unit in an EZOC hex takes nothing from its cost, nor does it let a march begin there or run
    through."""
    road = (column(10, 12, 5),)
    bench = mover({INF[0]: "1010", INF[1]: "1009", R3[0]: "1109"}, INF[0], INF[1], roads=road)
    assert left(bench, "axis", "move", INF[0], "1009") == "2"  # 1 + 2, by road
    assert bench.refused("axis", "move", INF[0], "march", "1009").rule == "9.3(1)"
    bench = mover({INF[0]: "1010", INF[1]: "1010", R3[0]: "1110"}, INF[0], roads=road)
    assert bench.refused("axis", "move", INF[0], "march").rule == "9.3(1)"


@pytest.mark.parametrize("turn", [6, 9])
def test_R38_rivers_do_not_freeze(turn: int) -> None:
    """R-38, 9.2(3), 10.3(1)1 In frost and snow a river costs its point, a major river the whole move and is barred between zones, and both
    halve an attack."""
    bench = mover({PZ[0]: "1010"}, PZ[0], turn=turn, rivers={"minor": "1009-1010"})
    assert left(bench, "axis", "move", PZ[0], "1009") == "5"  # 2 + 1
    major = mover({PZ[0]: "1010"}, PZ[0], turn=turn, rivers={"major": RING})
    assert left(major, "axis", "move", PZ[0], "1009") == "0"
    assert major.refused("axis", "move", PZ[0], "1009", "1008").rule == "9.2(3)"
    cossacks = mover({"su.cav.50": "1010", INF[0]: "1110"}, "su.cav.50", turn=turn, side="soviet", rivers={"major": RING})
    assert cossacks.refused("soviet", "move", "su.cav.50", "1009").key == "refusal.typhoon.between_zones"
    assert odds_of(PZ[:2], R3[:1], turn=turn, rivers={"minor": "1010-1011"}).attack == 8
    assert odds_of(R4[:2], INF[:1], turn=turn, rivers={"major": "1010-1011"}).attack == 4


# --- 8.0


def test_8_2_4_nothing_stops_a_range() -> None:
    """8.2, 8.2(4) Across an unbridged major river, a deep forest, a lake, enemies and their zones, and without a LOC, four hexes are in
    range; five are not."""
    board = board_t(rivers={"major": RING + " 1010-1110 1010-1111 0911-1010 0910-1010"}, rows={"1108": "F", "1008": "L", "1007": "F"})
    bench = Bench(board)
    bench.stand({HQ2: "1010", INF[0]: "1006", INF[1]: "1005", R3[0]: "1009", R3[1]: "1109", R3[2]: "0908", R4[0]: "1107", R4[1]: "0907"})
    assert not bench.state.field.has_loc("axis", bench.state.at(INF[0]))
    assert in_range(bench.state, HQ2) == tuple(sorted((HQ2, INF[0])))


# --- 10.5


@pytest.mark.parametrize("given", [PZ[0], INF[0]])
def test_10_5_A1_may_remove_the_reduced_one(given: str) -> None:
    """10.5(1), 10.5(2) A1 on a full panzer and a reduced infantry division: the owner flips the one or gives up the other."""
    bench = fight((PZ[0], INF[0]), R4[:2], 2, reduced=(INF[0],))  # 8 + 3 to 8: 1-1, die 2: A1
    assert bench.asked() == {"axis": "prompt.typhoon.losses"}
    bench.do("axis", "lose", given)
    assert bench.state.units[PZ[0]].reduced is (given == PZ[0])
    assert (bench.hexes(INF[0]) == ("eliminated",)) is (given == INF[0])


def test_10_5_2RR_on_a_full_and_a_reduced_division() -> None:
    """10.5(1), 10.5(2), 10.6 2RR on three steps: both from the full one, which is gone, or one from each, and the reduced one is gone; who
    is left is reduced and retreats two hexes. Never both from the reduced one."""
    for shares, gone, stays in (((R2[0], R2[0]), R2[0], R2[1]), (R2, R2[1], R2[0])):
        bench = fight(PZ, R2, 2, reduced=(R2[1],), sources=NORTH, rails=(column(10, 20, 15),))  # 32 to 3: 10-1, die 2: 2RR
        assert [event.result for event in bench.happened(Fought)] == ["2RR"]
        assert bench.refused("soviet", "lose", R2[1], R2[1]).rule == "10.5(1)"
        bench.do("soviet", "lose", *shares)
        assert bench.hexes(gone) == ("box.available.soviet",)
        assert bench.state.units[stays].reduced
        assert bench.happened(FallBack) == [FallBack((stays,), 2)]


def test_10_5_3RR_on_three_steps() -> None:
    """10.5, R-24 3RR on a full and a reduced division: both are gone without a question, nobody retreats, the attackers may advance."""
    bench = fight(PZ, R2, 4, reduced=(R2[1],), sources=NORTH, rails=(column(10, 20, 15),))
    assert bench.happened(LossesTaken) == [LossesTaken("soviet", (R2[0], R2[0], R2[1]))]
    assert not bench.happened(FallBack) and not bench.happened(Retreated)
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_10_5_1RR_on_a_brigade_and_a_division() -> None:
    """10.5(1), R-05 1RR on a one-step brigade and a full division: the brigade is given up and the division retreats whole, or the division
    is flipped and both go."""
    for given, survivors in ((TANK, (R3[0],)), (R3[0], (R3[0], TANK))):
        bench = fight((*PZ, PZ9[0]), (TANK, R3[0]), 3, sources=NORTH, rails=(column(10, 20, 15),))  # 41 to 5: 8-1, die 3: 1RR
        bench.do("soviet", "lose", given)
        assert bench.state.units[R3[0]].reduced is (given == R3[0])
        assert bench.happened(FallBack) == [FallBack(survivors, 2)]


# --- 10.6, 10.7


@pytest.mark.parametrize(("die", "end"), [(4, "1009"), (6, "1008")])
@pytest.mark.parametrize("kind", ["minor", "major"])
def test_R29_the_first_hex_crosses_any_river(kind: str, die: int, end: str) -> None:
    """10.6(3)4, R-29 Behind the unit lies an unbridged river: R and RR cross it with the first hex, and RR goes on to its second."""
    bench = battle({PZ[0]: "1011", R3[0]: "1010"}, PZ[:1], die, rivers={kind: "1009-1010 0910-1010 1010-1110"})
    assert bench.hexes(R3[0]) == (end,)
    assert not bench.happened(Eliminated) and not bench.happened(Reduced)


def test_R26_six_enemies_around() -> None:
    """10.6(3), R-26 All six neighbours hold enemies: R eliminates whole stacks, though the result takes no step."""
    ring = dict(zip((PZ[0], PZ[1], *INF), ("1011", "0911", "1009", "1110", "1111", "0910"), strict=True))
    bench = battle({**ring, R3[0]: "1010", R3[1]: "1010"}, PZ[:2], 4)  # 16 to 6: 2-1, R
    assert bench.hexes(*R3[:2]) == ("box.available.soviet",) * 2
    assert [event.why for event in bench.happened(Eliminated)] == ["no_retreat", "no_retreat"]
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


@pytest.mark.parametrize("kind", ["minor", "major"])
@pytest.mark.parametrize("bridged", [False, True])
def test_10_7_1_any_river_ends_an_advance(kind: str, bridged: bool) -> None:
    """10.7(1)2, R-30 (b) Having attacked across a river a panzer division advances one hex; before one it stops; a bridge is no help."""
    road = ("1011 1010 1009",) if bridged else ()
    first = advance_after(rivers={kind: "1010-1011"}, bridges="1010-1011" if bridged else "", roads=road)
    assert first.options("axis", "advance", PZ[0], "1010") == ()
    assert first.refused("axis", "advance", PZ[0], "1010", "1009").rule == "10.7(1)"
    second = advance_after(rivers={kind: "1009-1010"}, bridges="1009-1010" if bridged else "", roads=road)
    beyond = second.options("axis", "advance", PZ[0], "1010")
    assert "1009" not in beyond and "1110" in beyond


def test_10_3_1_2_who_fell_back_into_the_hex_adds_nothing() -> None:
    """10.3(1)2, R-21 At the table: a division of 3 falls back into the hex of one of 4, which is attacked next: 16 to 4, not to 7."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),)))
    bench.stand({PZ[0]: "1011", PZ[1]: "0910", PZ[2]: "0910", R3[0]: "1010", R4[0]: "1009"})
    bench.activate("axis", *PZ[:3], segment="declaration")
    bench.dice(4, 2)
    bench.do("axis", "attack", "1010", PZ[0])
    bench.do("axis", "attack", "1009", PZ[1], PZ[2])
    if bench.position.top.name == "declaration":
        bench.do("axis", "done")
    bench.do("axis", "resolve", "1010")
    bench.do("axis", "done")
    fought = [event for event in bench.events if type(event) is Fought]
    assert [(event.attack, event.defence, event.column) for event in fought] == [(16, 4, "4-1")]
