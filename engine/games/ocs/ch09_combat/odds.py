"""OCS 9.3-9.9: odds, terrain, anti-tank effects, surprise and the combat roll, as numbers in and
numbers out.

OCS 4.2 Nothing is rounded before the final odds. OCS 4.3 Multipliers are cumulative. OCS R-07: dice
come in the order surprise pair, shift die (only with surprise), combat pair.
"""

from bisect import bisect_right
from fractions import Fraction

from attrs import frozen

from warledger.engine.games.ocs.ch03_counters.counters import NONE
from warledger.engine.games.ocs.ch04_concepts.rounding import rounded
from warledger.engine.games.ocs.ch09_combat.results import Result
from warledger.engine.games.ocs.series.tables import (
    ATTACKER,
    DEFENDER,
    TERRAIN_ROWS,
    CombatTable,
    Surprise,
)

DOUBLE = Fraction(2)
BLUNTED = Fraction(3, 2)
"""OCS 9.4e What an attacker's x2 becomes against anti-tank units of its level or above."""


@frozen
class Odds:
    """OCS 9.7 Odds as they are said (15:6 is 3:1) and the column of the table they use. `attack` or
    `defence` is 1."""

    attack: int
    defence: int
    column: int

    @property
    def text(self) -> str:
        """The odds as text, such as "3:1"."""
        return f"{self.attack}:{self.defence}"


def ratio(attack: Fraction | int, defence: Fraction | int) -> tuple[int, int]:
    """OCS 9.7 Both strengths divided by the smaller, each rounded (4.1). Strengths are above 0."""
    smaller = min(Fraction(attack), Fraction(defence))
    return rounded(attack / smaller), rounded(defence / smaller)


def odds(table: CombatTable, terrain: str, attack: Fraction | int, defence: Fraction | int) -> Odds:
    """OCS 9.7 The odds and their column on a row of terrain.

    OCS 9.1g Odds off the table use its last column, and shifts start there. [R] Fractional odds
    below 1:1 are rounded like the others, and the column is the highest that does not exceed them.
    OCS 9.14a Against strength 0 the rightmost column, with strength 0 the leftmost; both 1:1.
    """
    heads = table.columns[terrain]
    if attack <= 0 and defence <= 0:
        return Odds(1, 1, heads.index(Fraction(1)))
    if defence <= 0:
        return _at(table, terrain, table.last)
    if attack <= 0:
        return _at(table, terrain, 0)
    a, d = ratio(attack, defence)
    return Odds(a, d, max(bisect_right(heads, Fraction(a, d)) - 1, 0))


def _at(table: CombatTable, terrain: str, column: int) -> Odds:
    head = table.columns[terrain][column]
    return Odds(head.numerator, head.denominator, column)


def shifted(table: CombatTable, column: int, surprise: str, die: int) -> int:
    """OCS 9.8 The column after surprise: right for the attacker, left for the defender, within the
    table (9.1g)."""
    if surprise == ATTACKER:
        column += die
    elif surprise == DEFENDER:
        column -= die
    return min(max(column, 0), table.last)


def surprised(
    surprise: Surprise, row: str, dice: int, drm: int, *, hedgehog: bool
) -> tuple[int, str]:
    """OCS 9.8 The modified dice and who has surprise; any hedgehog subtracts 1 (16.0d)."""
    modified = dice + drm + (surprise.hedgehog if hedgehog else 0)
    return modified, surprise.who(row, modified)


def resolved(
    table: CombatTable, column: int, dice: int, drm: int, hedgehog_level: int
) -> tuple[int, Result]:
    """OCS 9.9 The modified dice (AR difference, less the hedgehog's level) and the cell."""
    modified = dice + drm - hedgehog_level
    return modified, table.result(modified, column)


def multiplier(
    printed: Fraction, level: int, opposed: int, *, attacking: bool, attack_only: bool
) -> Fraction:
    """OCS 9.4d, 9.4e The multiplier of one unit in the terrain chosen.

    `printed` is the chart's; `attack_only` marks [x2], which is 1 in defence. An attacker's x2 is
    x1.5 if the defending hex has anti-tank units (`opposed`, 9.4e) of the attacker's own level or
    above.
    """
    if not attacking:
        return Fraction(1) if attack_only else printed
    if printed == DOUBLE and opposed > NONE and level <= opposed:
        return BLUNTED
    return printed


def hardest(*rows: str) -> str:
    """OCS 9.3 Of several kinds of terrain the one that the defender would choose."""
    return max(rows, key=TERRAIN_ROWS.index)
