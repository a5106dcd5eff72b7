"""Odds, shifts and chances against the rule books' own examples and against counting every roll."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warledger.engine.board import odds as o
from warledger.engine.board.odds import Odds, Part

COLUMNS = ["1-1", "1.5-1", "2-1", "3-1", "4-1", "5-1", "6-1", "7-1", "8-1", "9-1", "10-1"]
OPEN = o.ladder(COLUMNS, open_above=True, zero_defence_shifts=False)
CAPPED = o.ladder(COLUMNS)


def name(on: o.Ladder, attack: int, defence: int, shift: int = 0) -> str | None:
    column = o.odds(on, attack, defence, shift).column
    return None if column is None else on.names[column]


@pytest.mark.parametrize(
    ("a", "d", "expected"),
    [(15, 5, "3-1"), (26, 9, "2-1"), (12, 7, "1.5-1"), (18, 13, "1-1"), (3, 4, None)],
)
def test_ratio_rounds_for_the_defender(a: int, d: int, expected: str | None) -> None:
    """Fractions are dropped onto the ladder; below its first column there is no attack."""
    assert name(OPEN, a, d) == name(CAPPED, a, d) == expected


def test_shift_then_cap_and_cap_then_shift() -> None:
    """12-1 with two shifts left is 10-1 on an open ladder and 8-1 on a capped one."""
    assert o.odds_name(OPEN, o.odds(OPEN, 25, 2).start) == "12-1"
    assert name(OPEN, 25, 2, -1) == "10-1"
    assert name(OPEN, 12, 1, -3) == "9-1"
    assert name(CAPPED, 12, 1, -2) == "8-1"
    assert name(OPEN, 3, 1, -2) == name(CAPPED, 3, 1, -2) == "1.5-1"
    assert name(CAPPED, 10, 1, 2) == "10-1"


def test_shifts_below_the_first_column() -> None:
    """A column shifted off the left end is illegal, or the first one where a game says so; a raw
    ratio below stays illegal."""
    assert name(CAPPED, 1, 1, -1) is None
    assert name(CAPPED, 1, 1, 1) == "1.5-1"
    assert name(CAPPED, 9, 10, 2) is None
    soft = o.ladder(COLUMNS, below="first", shifted_below="first")
    assert name(soft, 1, 9) == name(soft, 2, 1, -5) == "1-1"
    assert o.odds_name(CAPPED, -1) == "under 1-1"


def test_zero_strengths() -> None:
    """Against strength 0 the last column is used, with or without shifts; an attack of 0 is
    none."""
    assert o.odds(OPEN, 1, 0, -4) == Odds(10, 0, 10)
    assert name(CAPPED, 1, 0, -2) == "8-1"
    assert name(OPEN, 0, 0) is None


def test_nearest_rounding() -> None:
    """Where a game rounds the larger strength over the smaller to the nearest whole, halves go up
    on either side of 1-1."""
    on = o.ladder(
        ["1-5", "1-4", "1-3", "1-2", "1-1", "2-1", "3-1", "4-1", "5-1", "7-1"],
        nearest=True,
        below="first",
    )
    strengths = [(5, 2), (12, 5), (2, 5), (6, 1), (1, 12), (1, 1), (3, 2), (7, 1)]
    columns = ["3-1", "2-1", "1-3", "5-1", "1-5", "1-1", "2-1", "7-1"]
    assert [name(on, a, d) for a, d in strengths] == columns
    assert o.odds(on, Fraction(5, 2), 1).column == 6


@given(
    st.sampled_from((OPEN, CAPPED, o.ladder(["1-3", "1-2", "2-3", "1-1", "2.5-1"], below="first"))),
    st.integers(-1, 300),
    st.integers(-1, 60),
    st.integers(-6, 6),
)
def test_whole_strengths_as_fractions(on: o.Ladder, attack: int, defence: int, shift: int) -> None:
    """Strengths in whole numbers find the column that the same strengths as fractions do."""
    exact = o.odds(on, Fraction(attack), Fraction(defence), shift)
    assert o.odds(on, attack, defence, shift) == exact


@given(st.integers(1, 300), st.integers(1, 60), st.integers(-6, 6))
def test_ladder_by_counting(attack: int, defence: int, shift: int) -> None:
    """The column is found by walking up a written-out ladder one step at a time."""
    steps = [(2, 2), (3, 2), *((2 * n, 2) for n in range(2, 301))]
    start = -1
    while start + 1 < len(steps) and attack * steps[start + 1][1] >= defence * steps[start + 1][0]:
        start += 1
    for on, top in ((OPEN, len(steps)), (CAPPED, 10)):
        end = min(min(start, top) + shift, 10)
        expected = None if start < 0 or end < 0 else end
        assert o.odds(on, attack, defence, shift).column == expected


def test_halving_by_group() -> None:
    """Two fives over a river from one hex make 5, from two hexes 2 + 2; divisors of one hex are
    kept apart."""
    assert o.halved([Part("a", 5, 2), Part("a", 5, 2)]) == 5
    assert o.halved([Part("a", 5, 2), Part("b", 5, 2)]) == 4
    assert o.halved([Part("a", 5, 2), Part("a", 7, 4), Part("a", 3), Part("a", 4, 4)]) == 2 + 2 + 3
    assert o.multiplied([(5, Fraction(1, 2)), (3, Fraction(3, 2))]) == 7


@given(st.integers(1, 2), st.integers(2, 6), st.integers(-3, 3), st.data())
def test_chances_count_every_roll(
    dice: int, faces: int, modifier: int, data: st.DataObject
) -> None:
    """The chance of a result is the number of rolls that give it, out of all rolls."""
    totals = range(dice, dice * faces + 1)
    rows = {str(t): [data.draw(st.sampled_from(["A1", "-", "DR"])) for _ in "xy"] for t in totals}
    table = o.results_table({"dice": dice, "die": faces, "columns": ["1-1", "2-1"], "rows": rows})
    for column in (0, 1):
        found, ways = table.chances(column, modifier)
        rolls = [
            rows[str(min(max(sum(r) + modifier, dice), dice * faces))][column]
            for r in product(range(1, faces + 1), repeat=dice)
        ]
        assert (dict(found), ways) == (
            {x: rolls.count(x) for x in dict.fromkeys(rolls)},
            len(rolls),
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": {"1": ["-"]}}, "row 1 has 1 results, but there are 2 columns"),
        ({"rows": {"1": ["-", "-"], "3": ["-", "-"]}}, "without a gap"),
        ({"die": 6}, "rows run from 1 to 2, but the dice from 1 to 6"),
    ],
)
def test_bad_tables_say_what_is_missing(change: dict[str, Any], message: str) -> None:
    """A table with holes is refused with the row that is wrong."""
    entry = {
        "die": 2,
        "columns": ["1-1", "2-1"],
        "rows": {"1": ["-", "-"], "2": ["-", "-"]},
    } | change
    with pytest.raises(ValueError, match=message):
        o.results_table(entry)


def test_bad_ladders_are_refused() -> None:
    """Columns out of order and heads that are no ratio are refused."""
    with pytest.raises(ValueError, match="weakest odds to the strongest"):
        o.ladder(["2-1", "1-1"])
    with pytest.raises(ValueError, match="'two' is not a ratio"):
        o.ladder(["two"])
