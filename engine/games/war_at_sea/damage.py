"""7.2-7.6 What dice do to ships.

A die of 5 disables, a die of 6 hits and is followed by one damage die. Nothing here changes a
state: dice become a `Toll`, a toll and a ship become a `Fate`, and the steps of combat turn fates
into events. The chances that clients are shown are exact: whole numbers of equally likely cases,
made per mille at the end.
"""

from collections.abc import Iterable, Sequence
from math import comb

from attrs import frozen

DISABLING = 5
HITTING = 6

AFLOAT, DISABLED, SUNK = "afloat", "disabled", "sunk"


@frozen
class Toll:
    """What fire has done to one target so far: damage points, and whether a die disabled it."""

    damage: int = 0
    disabled: bool = False

    @property
    def is_nothing(self) -> bool:
        """Whether the target is as it was."""
        return self.damage == 0 and not self.disabled


@frozen
class Fate:
    """What becomes of a target: its damage afterwards, and AFLOAT, DISABLED or SUNK."""

    damage: int
    end: str


def hits(dice: Iterable[int], plus: int = 0) -> int:
    """7.4 How many dice hit: each 6; 10.5 more than 6, with the bonus, counts as 6."""
    return sum(1 for die in dice if die + plus >= HITTING)


def disables(dice: Iterable[int], plus: int = 0) -> bool:
    """7.3 Whether any die disables: each 5; several have no further effect (R45)."""
    return any(die + plus == DISABLING for die in dice)


def toll(dice: Sequence[int], wounds: Sequence[int], plus: int = 0) -> Toll:
    """7.4 The sum of the damage dice, one for each hit, and 7.3 whether the target is disabled."""
    return Toll(sum(wounds), disables(dice, plus))


def total(tolls: Iterable[Toll]) -> Toll:
    """10.2 Several attacks on one target add up."""
    damage, disabled = 0, False
    for one in tolls:
        damage += one.damage
        disabled = disabled or one.disabled
    return Toll(damage, disabled)


def fate(armor: int, damage: int, taken: Toll) -> Fate:
    """7.5 Hits before disabling: sunk and disabled is sunk; damaged and disabled takes its damage
    to port. 7.6 More than armor sinks."""
    after = damage + taken.damage
    if after > armor:
        return Fate(after, SUNK)
    return Fate(after, DISABLED if taken.disabled else AFLOAT)


# --- chances --------------------------------------------------------------------------------------


@frozen
class Chances:
    """The exact chances of a volley on one target, in per mille rounded to the nearest. `hits` is
    the expected number of hits times a thousand. The others are `sunk`, `disabled` (not sunk),
    `damaged` (neither of these) and `crippled` (afloat, damage equal to armor, disabled or not)."""

    hits: int
    sunk: int
    disabled: int
    damaged: int
    crippled: int


def chances(plain: int, bonus: int, armor: int, damage: int) -> Chances:
    """What `plain` dice, and `bonus` dice of undamaged German warships (10.5), do to a target of
    that armor and damage.

    A plain die: 4 misses, 1 disables, 1 hits of six; a bonus die: 3 misses, 1 disables, 2 hits.
    """
    left = armor - damage
    cases = 6 ** (plain + bonus)
    quiet = _by_hits(plain, bonus, 0)
    loud = _by_hits(plain, bonus, 1)
    scale = 6 ** (left + 1)
    sums = _sums(left)
    sunk = disabled = damaged = crippled = 0
    for count, (still, any_way) in enumerate(zip(quiet, loud, strict=True)):
        afloat = sum(sums[count]) * 6 ** (left + 1 - count) if count <= left else 0
        exact = sums[count][left] * 6 ** (left + 1 - count) if left > 0 and count <= left else 0
        sunk += any_way * (scale - afloat)
        disabled += (any_way - still) * afloat
        if count:
            damaged += still * afloat
        crippled += any_way * exact
    whole = cases * scale
    return Chances(
        hits=_per_mille(plain + 2 * bonus, 6),
        sunk=_per_mille(sunk, whole),
        disabled=_per_mille(disabled, whole),
        damaged=_per_mille(damaged, whole),
        crippled=_per_mille(crippled, whole),
    )


def _per_mille(part: int, whole: int) -> int:
    return (2000 * part + whole) // (2 * whole)


def _by_hits(plain: int, bonus: int, disabling: int) -> list[int]:
    """For each number of hits, how many of the 6^n cases have it: all of them, or (disabling 0)
    those in which no die disables."""
    out = [0] * (plain + bonus + 1)
    for first in range(plain + 1):
        ways = comb(plain, first) * (4 + disabling) ** (plain - first)
        for second in range(bonus + 1):
            out[first + second] += (
                ways * comb(bonus, second) * 2**second * (3 + disabling) ** (bonus - second)
            )
    return out


def _sums(most: int) -> list[list[int]]:
    """[count][points]: how many of the 6^count results of that many damage dice add up to
    that number of points, both up to `most`."""
    table = [[1] + [0] * most]
    for _ in range(most):
        last = table[-1]
        table.append(
            [
                sum(last[points - pips] for pips in range(1, 7) if pips <= points)
                for points in range(most + 1)
            ]
        )
    return table
