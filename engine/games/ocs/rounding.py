"""OCS 4.1-4.3: rounding.

OCS 4.1 Rounding is to the nearest, halves up. OCS 4.2 Odds alone are rounded, at the end; a reduced
MA never is (6.1h), and barrage points are summed before they are. OCS 4.3 Multipliers are
cumulative.
"""

from fractions import Fraction


def rounded(number: Fraction | int) -> int:
    """OCS 4.1 To the nearest whole number, halves up."""
    return int((2 * Fraction(number) + 1) // 2)


def half_up(numerator: int, denominator: int) -> int:
    """OCS 4.1 The same for a fraction given as two whole numbers."""
    return (2 * numerator + denominator) // (2 * denominator)
