"""9.3 Combat ratio: strengths, the ladder, shifts, zero strengths."""

import random
from fractions import Fraction

import pytest

from tests.rules.victory_lost.battles import (
    BRIDGEHEAD,
    GERMAN,
    ITALIAN,
    TANK,
    TANKS,
    attack,
    column,
    combat,
    declared,
    lost,
    previewed,
    strengths,
)
from tests.rules.victory_lost.bench import NORTH_EAST, RIFLE, Bench, board_t, city, real_pack
from warledger.engine.board.odds import odds, odds_name
from warledger.engine.games.victory_lost.odds import allowed, attack_strength


def test_9_3_1_the_bridgehead_of_boguchar() -> None:
    """9.3.1 (E93, E94): On the real map: 12 + 8/2 = 16 against 2 is 8-1; against 298 as well 16 to
    6 is 2-1."""
    places = {
        "su.tank.18": "3909",
        "su.tank.25": "3909",
        "su.rifle.41g": "4009",
        "su.rifle.44g": "4009",
        ITALIAN: "3910",
    }
    for more, ratio in (({}, "8-1"), ({"ax.inf.298": "3910"}, "2-1")):
        bench = combat({**places, **more}, bench=Bench(real_pack()))
        attack(bench, 1, "3910", "su.tank.18", "su.tank.25", "su.rifle.41g", "su.rifle.44g")
        assert (declared(bench).attack, declared(bench).defence) == (16, 6 if more else 2)
        assert column(bench) == ratio


def test_9_3_1_R20_add_then_halve_in_one_hex() -> None:
    """R-20, 9.3.1 (E16): units 3 and 4: in one hex across a river 7/2 = 3; from two hexes 1 + 2."""
    assert strengths({"su.rifle.1": "1110", "su.rifle.14g": "1110"}, "1010-1110") == 3
    assert strengths({"su.rifle.1": "1110", "su.rifle.14g": "1111"}, "1010-1110 1010-1111") == 3


def test_9_3_1_R20_never_per_unit() -> None:
    """9.3.1 (E17): Units 5 and 5: in one hex across a river 5; from two hexes 2 + 2."""
    assert strengths({"su.tank.1": "1110", "su.tank.13": "1110"}, "1010-1110") == 5
    assert strengths({"su.tank.1": "1110", "su.tank.13": "1111"}, "1010-1110 1010-1111") == 4


def test_9_3_1_river_and_supply_multiply() -> None:
    """9.3.1 (E18): An out-of-supply stack of 5 and 6 across a river: 11/4 = 2. A bridge changes
    nothing."""
    out = {"su.tank.1": 1, TANK: 1}
    assert strengths({"su.tank.1": "1110", TANK: "1110"}, "1010-1110", out) == 2
    bench = Bench(board_t(rivers={"major": "1010-1110"}, bridges="1010-1110"))
    bench.stand({"su.tank.1": "1110", TANK: "1110", ITALIAN: "1010"}, supply=out)
    assert attack_strength(bench.state, ["su.tank.1", TANK], bench.state.data.hex("1010")) == 2


def test_9_3_1_only_those_across_the_river_are_halved() -> None:
    """9.3.1: Units in different states in one hex are halved group by group."""
    assert strengths({"su.tank.1": "1110", TANK: "1111"}, "1010-1110") == 2 + 6
    assert strengths({"su.tank.1": "1110", "su.tank.13": "1110"}, supply={"su.tank.1": 1}) == 2 + 5
    assert (
        strengths(
            {"su.tank.1": "1110", "su.tank.13": "1110"}, supply={"su.tank.1": 1, "su.tank.13": 2}
        )
        == 5
    )


def test_9_3_1_R20_more_attackers_are_never_weaker() -> None:
    """9.3.1: So that a target which all together can attack is no dead end."""
    seed = 920
    dice = random.Random(seed)
    bench = Bench(board_t(rivers={"minor": "1010-1110 1009-1010"}))
    units = [
        name
        for name, type_ in bench.state.data.types.items()
        if type_.side == "soviet" and not type_.hq
    ]
    for _ in range(60):
        team = dice.sample(units, 6)
        places = {name: ("1110", "1009", "1011")[index // 2] for index, name in enumerate(team)}
        bench.stand({**places, ITALIAN: "1010"}, supply={name: dice.randrange(3) for name in team})
        target = bench.state.data.hex("1010")
        grown = [attack_strength(bench.state, team[:n], target) for n in range(1, 7)]
        assert grown == sorted(grown), f"seed {seed}: {places}"


def test_9_3_1_three_hexes_of_three_kinds() -> None:
    """R-20, 10.2.1: Across the river 5 + 3 = 8, halved 4; a free 7; out of supply 6, halved 3: 14
    to 5 is 2.8, so 2-1."""
    bench = combat(
        {
            "ax.inf.336": "1010",
            "su.tank.1": "1110",
            RIFLE: "1110",
            "su.mech.1g": "1111",
            TANK: "1009",
        },
        bench=Bench(board_t(rivers={"minor": "1010-1110"})),
        supply={TANK: 1},
    )
    attack(bench, 4, "1010", "su.tank.1", RIFLE, "su.mech.1g", TANK)

    assert (declared(bench).attack, declared(bench).defence, column(bench)) == (14, 5, "2-1")


def test_9_3_1_one_hex_divided_by_two_and_by_four() -> None:
    """R-20: In one hex across a river 3 in supply and a surrounded 6: 3/2 = 1 and 6/4 = 1, two in
    all, not (3 + 6)/2 nor (3 + 6)/4."""
    bench = combat(
        {"ax.ro.1": "1010", RIFLE: "1110", TANK: "1110"},
        bench=Bench(board_t(rivers={"major": "1010-1110"}, bridges="1010-1110")),
        supply={TANK: 2},
    )

    assert attack_strength(bench.state, (RIFLE, TANK), bench.state.data.hex("1010")) == 2


@pytest.mark.parametrize(
    ("places", "defenders", "attack_", "defence", "expected"),
    [
        # Bataysk attacks Rostov over the Don: 12/2, and a mechanized corps from the north: 6 + 7 =
        # 13 to 4, 3-1, less 2 for the city
        ({TANKS[0]: "3434", TANKS[1]: "3434", "su.mech.1g": "3432"}, (GERMAN,), 13, 4, "1.5-1"),
        # the same with a second division in the city: 13 to 9 is 1-1, less 2: no attack
        (
            {TANKS[0]: "3434", TANKS[1]: "3434", "su.mech.1g": "3432"},
            (GERMAN, "ax.inf.336"),
            13,
            9,
            None,
        ),
    ],
)
def test_9_3_1_rostov_behind_the_don_is_shifted(
    places: dict[str, str],
    defenders: tuple[str, ...],
    attack_: int,
    defence: int,
    expected: str | None,
) -> None:
    """9.3.1-9.3.4, R-21 on the map: Rostov (3433), a strategic city behind the Don (3433-3434)."""
    bench = combat({**places, **dict.fromkeys(defenders, "3433")}, bench=Bench(real_pack()))
    if expected is None:
        assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}
        return
    attack(bench, 1, "3433", *places)
    found = declared(bench)

    assert (found.attack, found.defence, column(bench)) == (attack_, defence, expected)


def test_9_3_1_different_divisors_in_one_hex_are_divided_apart() -> None:
    """R-20 (E19): In one hex a unit in supply and one out of it attack across a river: 6/2 and 3/4,
    each group rounded by itself."""
    bench = combat(
        {GERMAN: "1010", TANK: NORTH_EAST, "su.rifle.1": NORTH_EAST},
        bench=Bench(board_t(rivers={"minor": "1010-1110"}, bridges="1010-1110")),
        supply={"su.rifle.1": 1},
    )
    target = bench.state.data.hex("1010")

    assert attack_strength(bench.state, (TANK, "su.rifle.1"), target) == 3
    assert attack_strength(bench.state, (TANK,), target) == 3
    assert attack_strength(bench.state, ("su.rifle.1",), target) == 0


@pytest.mark.parametrize(
    ("attackers", "defenders", "strengths_", "expected"),
    [
        (tuple(BRIDGEHEAD), ("ax.inf.298",), (16, 4), "4-1"),
        (("su.tank.18", "su.tank.25"), (ITALIAN,), (12, 2), "6-1"),
        (("su.rifle.41g", "su.rifle.44g"), (ITALIAN,), (4, 2), "2-1"),  # 8/2 across the Don
        (("su.tank.18", "su.rifle.41g"), (ITALIAN,), (8, 2), "4-1"),  # 6 + 4/2
        (("su.tank.18", "su.tank.25"), (ITALIAN, "ax.inf.298"), (12, 6), "2-1"),
        (("su.tank.18", "su.rifle.41g"), (ITALIAN, "ax.inf.298"), (8, 6), "1-1"),
    ],
)
def test_9_3_1_the_bridgehead_by_parts(
    attackers: tuple[str, ...],
    defenders: tuple[str, ...],
    strengths_: tuple[int, int],
    expected: str,
) -> None:
    """9.3.1, 9.3.2: From 3909 on the near bank in full, from 4009 across the Don at half."""
    bench = combat({**BRIDGEHEAD, **dict.fromkeys(defenders, "3910")}, bench=Bench(real_pack()))
    attack(bench, 4, "3910", *attackers)

    assert (declared(bench).attack, declared(bench).defence) == strengths_
    assert column(bench) == expected


def test_9_3_1_a_reduced_stack_across_a_river() -> None:
    """9.3.1, 2.2.3: Reduced 3 + 3 and a full 6 in one hex across a river: 12/2 = 6; from the other
    hex a reduced 3: 9 in all."""
    bench = combat(
        {GERMAN: "1010", "su.tank.24": "1110", "su.tank.25": "1110", TANK: "1111"},
        bench=Bench(board_t(rivers={"minor": "1010-1110"})),
        reduced=["su.tank.24", TANK],
    )
    attack(bench, 4, "1010", "su.tank.24", "su.tank.25", TANK)

    # (3 + 6)/2 = 4, and 3
    assert (declared(bench).attack, column(bench)) == (7, "1.5-1")


@pytest.mark.parametrize(
    ("attack", "defence", "ratio"),
    [
        (15, 5, "3-1"),
        (26, 9, "2-1"),
        (12, 7, "1.5-1"),
        (18, 13, "1-1"),
        (25, 2, "12-1"),
        (9, 10, "under 1-1"),
        (3, 2, "1.5-1"),
    ],
)
def test_9_3_2_fractions_fall_to_the_next_ratio(attack: int, defence: int, ratio: str) -> None:
    """9.3.2, R-21 (E01): fractions fall to the next ratio in the defender's favour; there is no
    2.5-1."""
    ladder = Bench().state.data.ladder
    assert odds_name(ladder, odds(ladder, attack, defence).start) == ratio


@pytest.mark.parametrize("defence", range(1, 15))
def test_9_3_2_every_ratio_against_fractions(defence: int) -> None:
    """9.3.2, R-21 (E03): the ladder read with fractions: 12:7 is 1.5-1, 5:2 is 2-1, and there is
    nothing between 2-1 and 3-1."""
    ladder = Bench().state.data.ladder
    for strength in range(1, 80):
        ratio = Fraction(strength, defence)
        if ratio < 1:
            expected = "under 1-1"
        elif ratio < Fraction(3, 2):
            expected = "1-1"
        elif ratio < 2:
            expected = "1.5-1"
        else:
            expected = f"{ratio.numerator // ratio.denominator}-1"
        assert odds_name(ladder, odds(ladder, strength, defence).start) == expected


@pytest.mark.parametrize("defence", range(1, 14))
def test_9_3_2_9_3_3_9_3_4_every_column_against_fractions(defence: int) -> None:
    """9.3.2-9.3.4, R-21, R-22: 1-1, 1.5-1, 2-1, 3-1 … without end; shifted down as often as the
    ground says; over 10-1 is 10-1, under 1-1 is no attack."""
    ladder = Bench().state.data.ladder
    for strength in range(1, 16 * defence):
        ratio = Fraction(strength, defence)
        whole = ratio.numerator // ratio.denominator
        # places on the open ladder: 0 is 1-1, 1 is 1.5-1, n is n-1
        start = -1 if ratio < 1 else (1 if ratio >= Fraction(3, 2) else 0) if whole == 1 else whole
        for down in range(6):
            at = start - down if start >= 0 else -1
            expected = None if at < 0 else ("1-1", "1.5-1")[at] if at < 2 else f"{min(at, 10)}-1"
            found = odds(ladder, strength, defence, -down).column
            assert (None if found is None else ladder.names[found]) == expected, (
                strength,
                defence,
                down,
            )


@pytest.mark.parametrize(
    ("attack", "defence", "shifts", "column"),
    [
        (25, 2, 0, "10-1"),
        (3, 1, 2, "1.5-1"),
        (12, 1, 1, "10-1"),
        (13, 1, 2, "10-1"),
        (11, 1, 1, "10-1"),
        (10, 1, 1, "9-1"),
        (2, 1, 1, "1.5-1"),
        (2, 1, 2, "1-1"),
        (2, 1, 3, None),
        (9, 10, 0, None),
        (3, 0, 3, "10-1"),
        (0, 0, 0, None),
        (0, 3, 0, None),
    ],
)
def test_9_3_3_to_E13_9_3_4_columns(
    attack: int, defence: int, shifts: int, column: str | None
) -> None:
    """9.3.3-9.3.5, R-22, R-23 (E05): shifts on the open ladder, then at most 10-1; below 1-1 no
    attack; defence 0 is 10-1, attack 0 nothing."""
    ladder = Bench().state.data.ladder
    found = odds(ladder, attack, defence, -shifts).column
    assert (None if found is None else ladder.names[found]) == column


@pytest.mark.parametrize(
    ("rows", "kind", "attackers", "expected"),
    [
        ({"1010": "f"}, "strategic", ("su.rifle.35g",), "1.5-1"),  # 4-1 less 1 + 2
        ({"1010": "f"}, "town", ("su.rifle.35g",), "2-1"),  # 4-1 less 1 + 1
        ({"1010": "f"}, "village", ("su.rifle.35g",), "3-1"),
        ({"1010": "m"}, "village", ("su.rifle.35g",), "4-1"),  # marsh shifts nothing
        ({}, "strategic", (TANK, "su.mech.1g"), "10-1"),  # 13-1 less 2 is 11-1
        ({}, "strategic", ("su.mech.1g", "su.rifle.35g"), "9-1"),  # 11-1 less 2
        ({"1010": "^"}, "strategic", (TANK, "su.rifle.35g"), "7-1"),  # 10-1 less 3
    ],
)
def test_9_3_3_shifts_add_up(
    rows: dict[str, str], kind: str, attackers: tuple[str, ...], expected: str
) -> None:
    """9.3.3, R-22: A Romanian of strength 1 in places of all kinds."""
    stack = dict.fromkeys(attackers, "1110")
    bench = combat(
        {"ax.ro.1": "1010", **stack},
        bench=Bench(board_t(rows=rows, places=[city("1010", kind=kind)])),
    )
    attack(bench, 1, "1010", *attackers)

    assert column(bench) == expected


def test_9_3_3_a_town_in_rough_is_two_down() -> None:
    """9.3.3.a (E08): The shifts of terrain and place add up: 3-1 becomes 1.5-1."""
    pack = board_t(rows={"1010": "^"}, places=[city("1010", kind="town")])
    bench = combat({ITALIAN: "1010", TANK: "1110"}, bench=Bench(pack))
    assert bench.state.data.shifts[bench.state.data.hex("1010")] == 2
    shown = previewed(bench, "attack", "1010", TANK)
    assert shown["ratio"] == {"ratio": "3-1"}
    assert shown["shift"] == {"n": 2}
    assert shown["column"] == {"column": "1.5-1"}


def test_9_3_4_below_1_1_is_refused() -> None:
    """9.3.4 (E06): 9 to 10 is no attack: the target is refused with both strengths."""
    bench = combat(
        {"ax.mot.gd": "1010", ITALIAN: "1209", "su.tank.18": "1110", "su.rifle.1": "1110"}
    )
    refusal = bench.refused("soviet", "attack", "1010")
    assert (refusal.rule, dict(refusal.args)["attack"], dict(refusal.args)["defence"]) == (
        "9.3.4",
        9,
        10,
    )
    assert bench.options("soviet", "attack") == ("1209",)


def test_9_3_4_the_quick_answer_is_the_same() -> None:
    """9.3.4: Whether an attack is allowed does not depend on how it is asked."""
    ladder = Bench().state.data.ladder
    for strength in range(30):
        for defence in range(14):
            for shifts in range(5):
                assert allowed(ladder, strength, defence, shifts) == (
                    odds(ladder, strength, defence, -shifts).column is not None
                )


def test_9_3_4_nothing_attacks_nobody() -> None:
    """R-23 (E13): an attacking strength of 0 is no attack, even against 0."""
    bench = combat(
        {"ax.ro.1": "1010", "su.rifle.1": "1110"},
        reduced=["su.rifle.1"],
        supply={"ax.ro.1": 2, "su.rifle.1": 2},
    )
    assert bench.state.battle is None
    assert bench.asked() == {
        "axis": "prompt.victory_lost.chits",
        "soviet": "prompt.victory_lost.chits",
    }


def test_9_3_4_the_preview_says_when_it_is_too_weak() -> None:
    """9.3.4: Part of the attackers may be too weak: the preview says so and the command is not
    whole."""
    bench = combat({"ax.panzer.6": "1010", TANK: "1110", "su.tank.25": "1111"})
    assert "too_weak" in previewed(bench, "attack", "1010", TANK)
    assert bench.refused("soviet", "attack", "1010", TANK).key == "refusal.victory_lost.too_weak"
    assert "too_weak" not in previewed(bench, "attack", "1010", TANK, "su.tank.25")


def test_9_3_4_too_weak_alone_strong_enough_together() -> None:
    """9.3.4: 1.5-1 against a town in woods (two down) is no attack; with another division, 7 to 2
    or 3-1, it is 1.5-1."""
    bench = combat(
        {ITALIAN: "1010", RIFLE: "1110", "su.rifle.35g": "1111"},
        bench=Bench(board_t(rows={"1010": "f"}, places=[city("1010", kind="town")])),
    )
    assert bench.refused("soviet", "attack", "1010", RIFLE).key == "refusal.victory_lost.too_weak"
    attack(bench, 4, "1010", RIFLE, "su.rifle.35g")

    assert column(bench) == "1.5-1"


def test_9_3_4_an_attack_that_terrain_shifts_below_1_1_cannot_be_declared() -> None:
    """9.3.4, R-22 (E07): 3 : 2 against a town is 1-1; in a strategic city (two down) it is no
    attack, and the hex is not offered."""
    bench = combat(
        {ITALIAN: "1010", "su.rifle.1": NORTH_EAST},
        bench=Bench(board_t(places=[city("1010", kind="town")])),
    )
    attack(bench, 4, "1010", "su.rifle.1")
    assert column(bench) == "1-1"

    bench = combat(
        {ITALIAN: "1010", "su.rifle.1": NORTH_EAST}, bench=Bench(board_t(places=[city("1010")]))
    )
    assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}


def test_9_3_5_no_shifts_against_nothing() -> None:
    """9.3.5 (E12): A surrounded unit of strength 1 in a town in rough defends with 0: column
    10-1."""
    pack = board_t(rows={"1010": "^"}, places=[city("1010", kind="town")])
    bench = combat(
        {"ax.ro.1": "1010", "su.rifle.1": "1110"}, bench=Bench(pack), supply={"ax.ro.1": 2}
    )
    shown = previewed(bench, "attack", "1010", "su.rifle.1")
    assert shown["strengths"] == {"attack": 3, "defence": 0}
    assert shown["column"] == {"column": "10-1"}
    assert "shift" not in shown


def test_9_3_5_R23_nothing_attacks_nothing_by_option() -> None:
    """R-23, 9.3.5: A surrounded rifle unit of strength 1 against a surrounded unit of strength 1:
    no attack; by the option 10-1."""
    places = {"ax.ro.1": "1010", "su.rifle.1": "1110"}
    bench = combat(places, reduced=["su.rifle.1"], supply={"ax.ro.1": 2, "su.rifle.1": 2})
    assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}

    bench = combat(
        places,
        reduced=["su.rifle.1"],
        supply={"ax.ro.1": 2, "su.rifle.1": 2},
        attack_of_nothing=True,
    )
    assert bench.options("soviet", "attack") == ("1010",)
    attack(bench, 1, "1010", "su.rifle.1")
    assert column(bench) == "10-1"

    bench = combat(
        {"ax.ro.2": "1010", "su.rifle.1": "1110"},
        reduced=["su.rifle.1"],
        supply={"su.rifle.1": 2},
        attack_of_nothing=True,
    )
    assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}


def test_9_3_5_a_defence_of_nothing_is_hit_on_the_last_column() -> None:
    """9.3.5 (E11): A surrounded unit of strength 1 in a town in rough, attacked by 1: column 10-1,
    no shift recorded."""
    pack = board_t(rows={"1010": "^"}, places=[city("1010", kind="town")])
    bench = combat(
        {"ax.ro.1": "1010", "su.rifle.1": NORTH_EAST},
        bench=Bench(pack),
        supply={"ax.ro.1": 2},
        reduced=["su.rifle.1"],
    )
    attack(bench, 1, "1010", "su.rifle.1")

    assert (
        declared(bench).attack,
        declared(bench).defence,
        declared(bench).shift,
        column(bench),
    ) == (1, 0, 0, "10-1")
    assert lost(bench)[1] == ["ax.ro.1"]
