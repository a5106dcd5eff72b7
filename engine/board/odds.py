"""Combat odds: strengths with halving, ratio ladders, column shifts, results tables and the chance
of each result.

All arithmetic is exact: integers, and `Fraction` where a game multiplies strengths. Shifts count to
the right (in the attacker's favour) when positive, to the left when negative.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from attrs import Factory, field, frozen

from warledger.engine.kernel.change import unguarded

ILLEGAL = None


class Part(NamedTuple):
    """Strength from one group (the pieces of one hex), to be divided by `divisor` together with
    that group."""

    group: Hashable
    strength: int
    divisor: int = 1


def halved(parts: Iterable[Part | tuple[Hashable, int, int]]) -> int:
    """Total strength: for each group and divisor add up, divide once and drop the fraction; then
    add the groups."""
    sums: dict[tuple[Hashable, int], int] = {}
    for group, strength, divisor in parts:
        key = group, divisor
        sums[key] = sums.get(key, 0) + strength
    total = 0
    for (_, divisor), strength in sums.items():
        total += strength // divisor
    return total


def multiplied(parts: Iterable[tuple[int, Fraction]]) -> Fraction:
    """The total of strengths, each multiplied by its multiplier, never rounded (for games that
    round only the final odds)."""
    return sum((strength * by for strength, by in parts), Fraction(0))


@frozen
class Ladder:
    """The columns of a combat table as ratios, weakest first, and how a game reads them.

    `open_above`: ratios beyond the last column count on in whole steps before shifts (and are cut
    back after them). Else they are cut back to the last column first. `below`: "illegal" if a ratio
    under the first column is not an attack, "first" if it uses that column. `shifted_below` is the
    same for a column shifted there. `nearest`: the larger strength divided by the smaller is
    rounded to the nearest whole first (halves up). `zero_defence_shifts`: whether shifts apply
    against strength 0, which always starts from the last column.
    """

    names: tuple[str, ...]
    ratios: tuple[Fraction, ...] = field()
    open_above: bool = False
    below: str = "illegal"
    shifted_below: str = "illegal"
    nearest: bool = False
    zero_defence_shifts: bool = True
    wholes: tuple[tuple[int, int], ...] = field(
        init=False,
        eq=False,
        repr=False,
        default=Factory(lambda self: tuple(map(_whole, self.ratios)), takes_self=True),
    )
    """The ratios as (attack, defence) in whole numbers."""

    @ratios.validator
    def _rising(self, _attribute: object, value: tuple[Fraction, ...]) -> None:
        if not value or len(value) != len(self.names) or list(value) != sorted(set(value)):
            raise ValueError(
                f"columns {', '.join(self.names)}: write each once, from the weakest odds "
                "to the strongest"
            )


@unguarded
class Odds:
    """How a column was found: its place on the open ladder before shifts, the shift used, and the
    index of the final column (None: illegal)."""

    start: int
    shift: int
    column: int | None


def ladder(names: Sequence[str], **reading: Any) -> Ladder:
    """A ladder from printed column heads ("1-2", "1-1", "1.5-1", "10-1")."""
    return Ladder(tuple(names), tuple(ratio(n) for n in names), **reading)


def ladder_from_tables(tables: Mapping[str, Any]) -> Ladder:
    """The ladder of a pack: the columns of [crt], read as [combat] says."""
    combat = tables.get("combat", {})
    return ladder(
        tables["crt"]["columns"],
        open_above=not combat.get("ratio_cap_before_shifts", True),
        below="first" if combat.get("below_first_column") == "first" else "illegal",
        shifted_below="first" if combat.get("below_first_column") == "first" else "illegal",
        nearest=combat.get("ratio_rounding") == "nearest",
        zero_defence_shifts="zero_defence_column" not in combat,
    )


def ratio(name: str) -> Fraction:
    """A printed ratio "attack-defence" as a fraction; ValueError if it is not one."""
    attack, _, defence = name.replace(":", "-").partition("-")
    try:
        return Fraction(attack) / Fraction(defence)
    except (ValueError, ZeroDivisionError):
        raise ValueError(
            f'{name!r} is not a ratio; write attack and defence as in "1.5-1"'
        ) from None


def odds(on: Ladder, attack: int | Fraction, defence: int | Fraction, shift: int = 0) -> Odds:
    """The column for an attack. An attack of strength 0 is illegal, even against 0."""
    last = len(on.ratios) - 1
    if attack <= 0:
        return Odds(-1, shift, ILLEGAL)
    if defence <= 0:
        start, shift = last, shift if on.zero_defence_shifts else 0
    elif type(attack) is int and type(defence) is int and not on.nearest:
        start = _start_of_wholes(on, attack, defence)
    else:
        start = _start(on, Fraction(attack) / Fraction(defence))
    if start < 0:
        if on.below == "illegal":
            return Odds(start, shift, ILLEGAL)
        start = 0
    column = min((start if on.open_above else min(start, last)) + shift, last)
    if column < 0:
        return Odds(start, shift, ILLEGAL if on.shifted_below == "illegal" else 0)
    return Odds(start, shift, column)


def odds_name(on: Ladder, start: int) -> str:
    """How people call a place on the open ladder: the head of a column, "12-1" beyond the last one,
    "under 1-1" before the first."""
    last = len(on.ratios) - 1
    if start < 0:
        return f"under {on.names[0]}"
    return on.names[start] if start <= last else f"{int(on.ratios[last]) + start - last}-1"


def _start(on: Ladder, r: Fraction) -> int:
    if on.nearest:
        # "divide both by the smaller, round each": the larger becomes a whole number, halves up
        r = Fraction((2 * r + 1) // 2) if r >= 1 else 1 / Fraction((2 / r + 1) // 2)
    last = len(on.ratios) - 1
    if r >= on.ratios[last]:
        return last + int(r) - int(on.ratios[last])
    return bisect_right(on.ratios, r) - 1


def _start_of_wholes(on: Ladder, attack: int, defence: int) -> int:
    """The starting column for whole strengths that are not rounded. An offer of attacks asks this
    of each."""
    wholes = on.wholes
    last = len(wholes) - 1
    n, d = wholes[last]
    if attack * d >= n * defence:
        return last + attack // defence - n // d
    for place, (n, d) in enumerate(wholes):
        if attack * d < n * defence:
            return place - 1
    raise AssertionError("a ratio below the last column is below some column")


def _whole(ratio: Fraction) -> tuple[int, int]:
    return ratio.numerator, ratio.denominator


@frozen
class ResultsTable:
    """A combat results table: `rows[total]` holds one result a column; `dice` of `faces` sides are
    added.

    A modified total beyond the table's ends uses its first or last row.
    """

    columns: tuple[str, ...]
    rows: Mapping[int, tuple[str, ...]]
    dice: int
    faces: int

    def result(self, column: int, total: int) -> str:
        """The result for a column and the (modified) total of the dice."""
        return self.rows[min(max(total, min(self.rows)), max(self.rows))][column]

    def chances(self, column: int, modifier: int = 0) -> tuple[tuple[tuple[str, int], ...], int]:
        """Each result with the number of ways to roll it, by the lowest total that gives it, and
        the number of all ways."""
        found: dict[str, int] = {}
        for total, ways in _totals(self.dice, self.faces):
            name = self.result(column, total + modifier)
            found[name] = found.get(name, 0) + ways
        return tuple(found.items()), self.faces**self.dice


def results_table(entry: Mapping[str, Any]) -> ResultsTable:
    """A table from a pack's [crt]: `die` (faces), `dice` (1 if not given), `columns`, `rows`;
    ValueError says what is missing."""
    dice, faces, columns = int(entry.get("dice", 1)), int(entry["die"]), tuple(entry["columns"])
    rows = {int(k): tuple(v) for k, v in entry["rows"].items()}
    wrong = [k for k, row in sorted(rows.items()) if len(row) != len(columns)]
    if wrong:
        raise ValueError(
            f"row {wrong[0]} has {len(rows[wrong[0]])} results, but there are "
            f"{len(columns)} columns; write one for each"
        )
    if not rows or sorted(rows) != list(range(min(rows), max(rows) + 1)):
        raise ValueError(
            "rows must follow each other without a gap, one for each total of the dice"
        )
    if min(rows) > dice or max(rows) < dice * faces:
        raise ValueError(
            f"rows run from {min(rows)} to {max(rows)}, but the dice from {dice} to "
            f"{dice * faces}; write a row for each total"
        )
    return ResultsTable(columns, MappingProxyType(rows), dice, faces)


def _totals(dice: int, faces: int) -> tuple[tuple[int, int], ...]:
    """Every total of some dice with the number of ways to roll it, lowest first."""
    ways = {0: 1}
    for _ in range(dice):
        added: dict[int, int] = {}
        for total, n in ways.items():
            for face in range(1, faces + 1):
                added[total + face] = added.get(total + face, 0) + n
        ways = added
    return tuple(sorted(ways.items()))
