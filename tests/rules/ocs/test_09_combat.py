"""OCS 9.3-9.10: odds, surprise, the Combat Table and what its cells say."""

from fractions import Fraction

import pytest

from tests.rules.hungarian_rhapsody.bench import charts_of
from tests.rules.ocs.printed import COMBAT_COLUMNS, COMBAT_ROWS, table
from warledger.engine.games.ocs.ch03_counters.counters import HEAVY, LIGHT, NONE
from warledger.engine.games.ocs.ch09_combat import odds
from warledger.engine.games.ocs.ch09_combat.results import BadCell, Suffered, combat_result
from warledger.engine.games.ocs.series.tables import ATTACKER, DEFENDER, NOBODY, OVERRUN, REGULAR

CHART = charts_of("sudwind").tables


def column(terrain: str, head: str) -> int:
    """The column of that head."""
    return CHART.combat.heads[terrain].index(head)


def test_9_9_the_table_cell_by_cell() -> None:
    """OCS 9.9 Every column and cell against a second copy."""
    assert {name: tuple(heads) for name, heads in CHART.combat.heads.items()} == table(
        COMBAT_COLUMNS
    )
    rows = table(COMBAT_ROWS)
    assert len(rows) == len(CHART.combat.rows) == 15
    for number, cells in rows.items():
        assert [cell.text for cell in CHART.combat.rows[int(number) - 1]] == list(cells)


@pytest.mark.parametrize(
    ("text", "attacker", "defender", "exploit"),
    [
        ("AL2", Suffered(2), Suffered(), None),
        ("AL1o1 Do1", Suffered(1, 1), Suffered(0, 1), None),
        ("Ao1 e4 DL1o2", Suffered(0, 1), Suffered(1, 2), 4),
        ("Ae3 DL2o2DG", Suffered(), Suffered(2, 2, True), 3),
        ("Ae2 DL2o3DG", Suffered(), Suffered(2, 3, True), 2),
        ("Ao1 DL1o1", Suffered(0, 1), Suffered(1, 1), None),
    ],
)
def test_9_10_each_cell_says_what_both_sides_suffer(
    text: str, attacker: Suffered, defender: Suffered, exploit: int | None
) -> None:
    """OCS 9.10 Losses, options, DG and exploit of both sides."""
    cell = combat_result(text)

    assert (cell.attacker, cell.defender, cell.exploit) == (attacker, defender, exploit)


def test_9_10_no_such_cell() -> None:
    """OCS 9.10 What no table prints is refused."""
    for wrong in ("", "DL1", "AX", "Ao1 Dq"):
        with pytest.raises(BadCell):
            combat_result(wrong)


@pytest.mark.parametrize(
    ("terrain", "attack", "defence", "said", "head"),
    [
        ("open", 15, 6, "3:1", "3:1"),  # example 1
        ("open", "39/4", 2, "5:1", "5:1"),  # 2
        ("open", 17, 10, "2:1", "2:1"),  # 6
        ("open", 5, 12, "1:2", "1:2"),  # 8
        ("open", 10, 25, "1:3", "1:3"),  # 8
        ("very_close", 20, 7, "3:1", "3:1"),  # 9
        ("extremely_close", 40, 8, "5:1", "4:1"),  # 10
        ("open", 1, 12, "1:12", "1:5"),  # 9.7
        ("open", 10, 34, "1:3", "1:3"),
        ("open", 1, 6, "1:6", "1:5"),
        ("open", 300, 1, "300:1", "13:1"),  # 9.1g
        ("open", "43/2", 9, "2:1", "2:1"),  # 70
        ("open", 7, 0, "13:1", "13:1"),  # 17, 9.14a
        ("open", 0, 7, "1:5", "1:5"),
        ("close", 0, 0, "1:1", "1:1"),
    ],
)
def test_9_7_the_odds_of_the_worked_examples(
    terrain: str, attack: int | str, defence: int, said: str, head: str
) -> None:
    """OCS 4.2, 9.1g, 9.7, 9.14a The worked examples, and odds off the table."""
    found = odds.odds(CHART.combat, terrain, Fraction(attack), Fraction(defence))

    assert found.text == said
    assert CHART.combat.heads[terrain][found.column] == head


def test_9_8_surprise_in_examples_12_and_13() -> None:
    """OCS 9.8, 16.0d Examples 12 and 13."""
    who = {
        (row, dice): CHART.surprise.who(row, dice)
        for row in (OVERRUN, REGULAR)
        for dice in range(1, 14)
    }

    for row, attacker, defender in ((OVERRUN, 9, 6), (REGULAR, 10, 5)):
        for dice in range(1, 14):
            said = ATTACKER if dice >= attacker else DEFENDER if dice <= defender else NOBODY
            assert who[row, dice] == said
    assert odds.surprised(CHART.surprise, REGULAR, 6, 0, hedgehog=True) == (5, DEFENDER)
    assert odds.surprised(CHART.surprise, REGULAR, 6, 0, hedgehog=False) == (6, NOBODY)


@pytest.mark.parametrize(
    ("row", "head", "drm", "hedgehog", "surprise", "die", "shifted", "dice", "cell"),
    [
        (OVERRUN, "4:1", 5, 0, 8, 3, "9:1", 7, "Ae3 DL2o2DG"),  # example 4
        (OVERRUN, "4:1", -5, 0, 10, 6, "1:4", 7, "AL2"),  # 5
        (REGULAR, "2:1", 3, 0, 8, 2, "4:1", 3, "Ao1 Do1"),  # 6
        (REGULAR, "2:1", 2, 1, 9, 3, "5:1", 8, "Ao1 e4 DL1o2"),  # 70
        (REGULAR, "2:1", 2, 1, 7, 0, "2:1", 8, "Ao1 Do1"),  # 70 without surprise
    ],
)
def test_9_9_worked_combats(
    row: str,
    head: str,
    drm: int,
    hedgehog: int,
    surprise: int,
    die: int,
    shifted: str,
    dice: int,
    cell: str,
) -> None:
    """OCS 9.8, 9.9 Surprise dice, shift, combat dice and result of the worked combats in the
    open."""
    _, who = odds.surprised(CHART.surprise, row, surprise, drm, hedgehog=hedgehog > 0)
    at = odds.shifted(CHART.combat, column("open", head), who, die)

    assert CHART.combat.heads["open"][at] == shifted
    assert odds.resolved(CHART.combat, at, dice, drm, hedgehog)[1].text == cell


def test_9_9_off_the_table() -> None:
    """OCS 9.1g, 9.9 Examples 14 and 17: dice off the table read its first or last row; shifts stop
    at the last column."""
    last = CHART.combat.last
    assert odds.resolved(CHART.combat, 0, 2, -4, 0)[0] == -2
    assert odds.resolved(CHART.combat, 5, 2, -4, 0)[1] is CHART.combat.rows[0][5]
    assert odds.resolved(CHART.combat, 5, 12, 5, 0)[1] is CHART.combat.rows[14][5]
    assert odds.resolved(CHART.combat, column("open", "13:1"), 5, 0, 0)[1].text == "Ae4 DL1o2"
    assert odds.shifted(CHART.combat, last, ATTACKER, 6) == last
    assert odds.shifted(CHART.combat, 2, DEFENDER, 6) == 0


@pytest.mark.parametrize(
    ("level", "opposed", "factor"),
    [
        (HEAVY, HEAVY, "3/2"),
        (HEAVY, LIGHT, "2"),
        (HEAVY, NONE, "2"),
        (LIGHT, HEAVY, "3/2"),
        (LIGHT, LIGHT, "3/2"),
        (LIGHT, NONE, "2"),
    ],
)
def test_9_4e_anti_tank_lowers_the_multiplier(level: int, opposed: int, factor: str) -> None:
    """OCS 9.4d, 9.4e x2 becomes x1.5 against units of the same or a higher level; [x2] is 1 in
    defence; other multipliers stay."""
    two, half = Fraction(2), Fraction(1, 2)

    def by(printed: Fraction, attacking: bool) -> Fraction:
        return odds.multiplier(printed, level, opposed, attacking=attacking, attack_only=True)

    assert by(two, True) == Fraction(factor)
    assert by(two, False) == 1
    assert by(half, True) == half


def test_9_3_the_defender_takes_the_hardest() -> None:
    """OCS 9.3 Open, Close, Very Close, Extremely Close."""
    assert odds.hardest("open", "close") == "close"
    assert odds.hardest("extremely_close", "very_close", "open") == "extremely_close"
