"""OCS 4.1-4.3: rounding.

OCS 4.1 Rounding is to the nearest, halves up. OCS 4.2 Odds alone are rounded, at the end; a reduced
MA never is (6.1h), and barrage points are summed before they are. OCS 4.3, R-01 Multipliers
are cumulative.
"""

from fractions import Fraction
from types import MappingProxyType
from typing import Final


def rounded(number: Fraction | int) -> int:
    """OCS 4.1 To the nearest whole number, halves up."""
    return int((2 * Fraction(number) + 1) // 2)


def half_up(numerator: int, denominator: int) -> int:
    """OCS 4.1 A fraction, given as two whole numbers, to the nearest whole number, halves up."""
    return (2 * numerator + denominator) // (2 * denominator)


_VULGAR: Final = MappingProxyType({"1/2": "½", "1/3": "⅓", "2/3": "⅔", "1/4": "¼", "3/4": "¾"})


def mixed(value: Fraction | str) -> str:
    """OCS 4.2 A strength that has not been rounded, as players write it: "21½", "4 3/8"."""
    exact = Fraction(value)
    whole, rest = divmod(exact, 1)
    if not rest:
        return str(whole)
    vulgar = _VULGAR.get(str(rest))
    if vulgar is not None:
        return f"{whole or ''}{vulgar}"
    return f"{whole} {rest}" if whole else str(rest)
