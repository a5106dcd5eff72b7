"""9.3 Combat ratio: strengths, the ladder, shifts, zero strengths; 9.4.1 what the cells of the table say."""

import random

import pytest

from engine.board.odds import odds, odds_name
from engine.games.victory_lost.odds import Result, allowed, assess, attack_strength, defence_strength, meaning
from tests.rules.victory_lost.battles import ITALIAN, TANK, combat, previewed
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack

WEST = ("1009", "1010", "1011")


@pytest.mark.parametrize(
    ("attack", "defence", "ratio"),
    [(15, 5, "3-1"), (26, 9, "2-1"), (12, 7, "1.5-1"), (18, 13, "1-1"), (25, 2, "12-1"), (9, 10, "under 1-1"), (3, 2, "1.5-1")],
)
def test_E01_to_E06_9_3_2_the_ladder(attack: int, defence: int, ratio: str) -> None:
    """9.3.2, R-21: fractions fall to the next ratio in the defender's favour; there is no 2.5-1."""
    ladder = Bench().state.data.ladder
    assert odds_name(ladder, odds(ladder, attack, defence).start) == ratio


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
def test_E05_to_E13_9_3_4_columns(attack: int, defence: int, shifts: int, column: str | None) -> None:
    """9.3.3-9.3.5, R-22, R-23: shifts on the open ladder, then at most 10-1; below 1-1 no attack; defence 0 is 10-1, attack 0 nothing."""
    ladder = Bench().state.data.ladder
    found = odds(ladder, attack, defence, -shifts).column
    assert (None if found is None else ladder.names[found]) == column


def test_9_3_4_the_quick_answer_is_the_same() -> None:
    """Whether an attack is allowed does not depend on how it is asked."""
    ladder = Bench().state.data.ladder
    for attack in range(30):
        for defence in range(14):
            for shifts in range(5):
                assert allowed(ladder, attack, defence, shifts) == (odds(ladder, attack, defence, -shifts).column is not None)


def test_E08_9_3_3_a_town_in_rough_is_two_down() -> None:
    """The shifts of terrain and place add up: 3-1 becomes 1.5-1."""
    pack = board_t(rows={"1010": "^"}, places=[city("1010", kind="town")])
    bench = combat({ITALIAN: "1010", TANK: "1110"}, bench=Bench(pack))
    assert bench.state.data.shifts[bench.state.data.hex("1010")] == 2
    shown = previewed(bench, "attack", "1010", TANK)
    assert shown["ratio"] == {"ratio": "3-1"}
    assert shown["shift"] == {"n": 2}
    assert shown["column"] == {"column": "1.5-1"}


def test_E12_9_3_5_no_shifts_against_nothing() -> None:
    """A surrounded unit of strength 1 in a town in rough defends with 0: column 10-1."""
    pack = board_t(rows={"1010": "^"}, places=[city("1010", kind="town")])
    bench = combat({"ax.ro.1": "1010", "su.rifle.1": "1110"}, bench=Bench(pack), supply={"ax.ro.1": 2})
    shown = previewed(bench, "attack", "1010", "su.rifle.1")
    assert shown["strengths"] == {"attack": 3, "defence": 0}
    assert shown["column"] == {"column": "10-1"}
    assert "shift" not in shown


def test_E13_9_3_4_nothing_attacks_nobody() -> None:
    """R-23: an attacking strength of 0 is no attack, even against 0."""
    bench = combat({"ax.ro.1": "1010", "su.rifle.1": "1110"}, reduced=["su.rifle.1"], supply={"ax.ro.1": 2, "su.rifle.1": 2})
    assert bench.state.battle is None
    assert bench.asked() == {"axis": "prompt.victory_lost.chits", "soviet": "prompt.victory_lost.chits"}


def strengths(places: dict[str, str], river: str = "", supply: dict[str, int] | None = None, reduced: tuple[str, ...] = ()) -> int:
    """The strength of all Soviet units against 1010."""
    bench = Bench(board_t(rivers={"minor": river} if river else None))
    bench.stand({**places, ITALIAN: "1010"}, supply=supply, reduced=reduced)
    return attack_strength(bench.state, [name for name in places if name.startswith("su.")], bench.state.data.hex("1010"))


def test_E14_1_3_halves_and_quarters_round_down() -> None:
    """Half of 5 is 2, a quarter of 3 is 0."""
    assert strengths({"su.tank.1": "1110"}, "1010-1110") == 2
    assert strengths({"su.rifle.1": "1110"}, "1010-1110", {"su.rifle.1": 1}) == 0


def test_E16_R_20_add_then_halve_in_one_hex() -> None:
    """R-20, 9.3.1: units 3 and 4: in one hex across a river 7/2 = 3; from two hexes 1 + 2."""
    assert strengths({"su.rifle.1": "1110", "su.rifle.14g": "1110"}, "1010-1110") == 3
    assert strengths({"su.rifle.1": "1110", "su.rifle.14g": "1111"}, "1010-1110 1010-1111") == 3


def test_E17_R_20_never_per_unit() -> None:
    """Units 5 and 5: in one hex across a river 5; from two hexes 2 + 2."""
    assert strengths({"su.tank.1": "1110", "su.tank.13": "1110"}, "1010-1110") == 5
    assert strengths({"su.tank.1": "1110", "su.tank.13": "1111"}, "1010-1110 1010-1111") == 4


def test_E18_9_3_1_river_and_supply_multiply() -> None:
    """An out-of-supply stack of 5 and 6 across a river: 11/4 = 2. A bridge changes nothing."""
    out = {"su.tank.1": 1, TANK: 1}
    assert strengths({"su.tank.1": "1110", TANK: "1110"}, "1010-1110", out) == 2
    bench = Bench(board_t(rivers={"major": "1010-1110"}, bridges="1010-1110"))
    bench.stand({"su.tank.1": "1110", TANK: "1110", ITALIAN: "1010"}, supply=out)
    assert attack_strength(bench.state, ["su.tank.1", TANK], bench.state.data.hex("1010")) == 2


def test_9_3_1_only_those_across_the_river_are_halved() -> None:
    """Units in different states in one hex are halved group by group."""
    assert strengths({"su.tank.1": "1110", TANK: "1111"}, "1010-1110") == 2 + 6
    assert strengths({"su.tank.1": "1110", "su.tank.13": "1110"}, supply={"su.tank.1": 1}) == 2 + 5
    assert strengths({"su.tank.1": "1110", "su.tank.13": "1110"}, supply={"su.tank.1": 1, "su.tank.13": 2}) == 5


@pytest.mark.parametrize(("supply", "strength"), [(0, 8), (1, 8), (2, 4)])
def test_E20_E21_10_2_defence_by_supply(supply: int, strength: int) -> None:
    """10.2.2, 10.2.3: a stack of 5 and 3 defends at 8 out of supply, surrounded at (5+3)/2 = 4."""
    bench = Bench()
    stack = ("su.mech.4", "su.rifle.1")
    bench.stand(dict.fromkeys(stack, "1010"), supply=dict.fromkeys(stack, supply))
    assert defence_strength(bench.state, stack) == strength


def test_E22_2_2_2_mechanized_units_have_two_strengths() -> None:
    """A mechanized [6,4] and a non-mechanized [3,3] together attack with 9 and defend with 7; reduced ones show the other face."""
    bench = Bench()
    stack = (TANK, "su.rifle.1")
    bench.stand({**dict.fromkeys(stack, "1010"), ITALIAN: "1110"})
    found = assess(bench.state, stack, bench.state.data.hex("1110"), (ITALIAN,))
    assert (found.attack, defence_strength(bench.state, stack)) == (9, 7)
    bench.stand({**dict.fromkeys(stack, "1010"), ITALIAN: "1110"}, reduced=stack)
    assert (attack_strength(bench.state, stack, bench.state.data.hex("1110")), defence_strength(bench.state, stack)) == (4, 3)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("-", Result()),
        ("A1", Result(1)),
        ("A2", Result(2)),
        ("1", Result(0, 1)),
        ("4", Result(0, 4)),
        ("DR", Result(0, 0, 1)),
        ("DR2", Result(0, 0, 2)),
        ("1DR", Result(0, 1, 1)),
        ("3DR2", Result(0, 3, 2)),
    ],
)
def test_9_4_1_cells(text: str, result: Result) -> None:
    """A1: the attackers lose 1; DR: the defenders retreat 1; 3DR2: they lose 3 and retreat 2."""
    assert meaning(text) == result


def test_E52_E53_9_4_1_table() -> None:
    """9.4, 9.4.1: the rows of the pack's table; every cell has a meaning."""
    crt = real_pack()["tables"]["crt"]
    data = Bench().state.data

    def cell(head: str, die: int) -> str:
        return data.crt.result(crt["columns"].index(head), die)

    assert [cell("3-1", die) for die in range(1, 7)] == ["-", "-", "DR", "DR", "1DR", "1DR2"]
    assert (cell("1-1", 1), cell("2-1", 6), cell("10-1", 3)) == ("A2", "1DR", "3DR2")
    for row in crt["rows"].values():
        for text in row:
            meaning(text)


def test_9_4_1_chances_in_the_preview() -> None:
    """The preview counts the six cases of the die."""
    bench = combat({ITALIAN: "1010", TANK: "1110"})
    shown = previewed(bench, "attack", "1010", TANK)
    assert shown["strengths"] == {"attack": 6, "defence": 2}
    assert shown["chances"] == {"-": 2, "DR": 2, "1DR": 1, "1DR2": 1}
    assert previewed(bench, "attack", "1010")["strengths"] == {"attack": 6, "defence": 2}


def test_9_3_4_the_preview_says_when_it_is_too_weak() -> None:
    """Part of the attackers may be too weak: the preview says so and the command is not whole."""
    bench = combat({"ax.panzer.6": "1010", TANK: "1110", "su.tank.25": "1111"})
    assert "too_weak" in previewed(bench, "attack", "1010", TANK)
    assert bench.refused("soviet", "attack", "1010", TANK).key == "refusal.victory_lost.too_weak"
    assert "too_weak" not in previewed(bench, "attack", "1010", TANK, "su.tank.25")


def test_R_20_more_attackers_are_never_weaker() -> None:
    """So that a target which all together can attack is no dead end."""
    seed = 920
    dice = random.Random(seed)
    bench = Bench(board_t(rivers={"minor": "1010-1110 1009-1010"}))
    units = [name for name, type_ in bench.state.data.types.items() if type_.side == "soviet" and not type_.hq]
    for _ in range(60):
        team = dice.sample(units, 6)
        places = {name: ("1110", "1009", "1011")[index // 2] for index, name in enumerate(team)}
        bench.stand({**places, ITALIAN: "1010"}, supply={name: dice.randrange(3) for name in team})
        target = bench.state.data.hex("1010")
        grown = [attack_strength(bench.state, team[:n], target) for n in range(1, 7)]
        assert grown == sorted(grown), f"seed {seed}: {places}"
