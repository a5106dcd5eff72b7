"""OCS 10: both barrage tables."""

from fractions import Fraction

import pytest

from tests.rules.hungarian_rhapsody.bench import charts_of
from tests.rules.ocs.printed import BARRAGE, FACILITY, table
from warledger.engine.games.ocs.ch09_combat.results import (
    BadCell,
    Damage,
    Shelling,
    barrage_result,
    facility_result,
)

CHART = charts_of("sudwind").tables
SHELLS, FACILITIES = CHART.barrage, CHART.facility


@pytest.mark.parametrize(("chart", "printed"), [(SHELLS, BARRAGE), (FACILITIES, FACILITY)])
def test_10_0_the_tables_cell_by_cell(chart: object, printed: str) -> None:
    """OCS 10.0a, 10.0c Columns, costs and cells against a second copy."""
    assert chart in (SHELLS, FACILITIES)
    own = SHELLS if chart is SHELLS else FACILITIES
    copy = table(printed)
    heads = copy.pop("2d6" if own is SHELLS else "1d6")
    assert own.heads == heads
    assert own.low == tuple(
        0 if head[0] == "<" else int(head.removeprefix(">=").split("-")[0]) for head in heads
    )
    assert own.cost == tuple(int(cost[:-1]) for cost in copy.pop("cost"))
    assert {str(dice): tuple(cell.text for cell in row) for dice, row in own.rows.items()} == copy


def test_10_0a_each_cell_says_what_is_suffered() -> None:
    """OCS 10.0a What each kind of cell says."""
    assert barrage_result("-") == Shelling(0, False, False, False, "-")
    assert barrage_result("DG") == Shelling(0, False, False, True, "DG")
    assert barrage_result("1/2") == Shelling(0, True, False, True, "1/2")
    assert barrage_result("[1/2]") == Shelling(0, True, True, True, "[1/2]")
    assert barrage_result("3") == Shelling(3, False, False, True, "3")
    assert facility_result("2 * (4)") == Damage(2, 4, True, "2 * (4)")
    assert facility_result("1 (5)") == Damage(1, 5, False, "1 (5)")
    assert facility_result("* (6)") == Damage(0, 6, True, "* (6)")
    for wrong in ("x", "", "* *"):
        with pytest.raises(BadCell):
            barrage_result(wrong)
        with pytest.raises(BadCell):
            facility_result(wrong)


@pytest.mark.parametrize(
    ("re", "shift"),
    [(1, -1), (4, -1), (5, 0), (12, 0), (13, 1), (16, 1), (20, 2), (24, 3), (25, 4), (40, 4)],
)
def test_10_0a_density_shifts_by_quarters_of_an_re(re: int, shift: int) -> None:
    """OCS 10.0a The density shift by quarters of an RE."""
    assert SHELLS.density_shift(re) == shift


def test_10_0a_worked_barrages() -> None:
    """OCS 10.0a Examples 37, 38 and 69: column, shifts, dice, cell."""
    sixteen = SHELLS.shifted(SHELLS.column(16), 4 - 1 - 1)
    assert (SHELLS.heads[SHELLS.column(16)], SHELLS.heads[sixteen]) == ("12-16", "25-40")
    assert SHELLS.result(8, sixteen).text == "[1/2]"
    nine = SHELLS.shifted(SHELLS.column(9), -3 + 1)
    assert SHELLS.heads[nine] == "3-4"
    assert SHELLS.result(12, nine).text == "1/2"
    corps = SHELLS.shifted(SHELLS.column(78), SHELLS.density_shift(12) - 1)
    assert (SHELLS.cost[SHELLS.column(78)], SHELLS.heads[corps]) == (8, "41-68")
    assert SHELLS.result(7, corps).text == "[1/2]"


def test_10_0_columns_are_read_after_rounding() -> None:
    """OCS 4.2 [E], 10.0a; HR 4.0g Fractions round before the column is read; shifts stop at the
    ends. Example 49: 144 points cost 10T, on 41-68 6T; example 42: 24 points cost 4T against a
    base."""
    assert SHELLS.heads[SHELLS.column(Fraction(9, 2))] == "5-7"
    assert SHELLS.heads[SHELLS.column(Fraction(1, 2))] == "<=1"
    assert SHELLS.shifted(0, -3) == 0
    assert SHELLS.shifted(10, 4) == 10
    assert SHELLS.cost[SHELLS.column(144)] == 10
    assert SHELLS.cost[SHELLS.heads.index("41-68")] == 6
    at = FACILITIES.column(24)
    assert (FACILITIES.cost[at], FACILITIES.result(5, at).text) == (4, "2 * (4)")
