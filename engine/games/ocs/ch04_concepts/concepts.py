"""OCS 4.4-4.7: RE, transport equivalents, who can attack."""

from fractions import Fraction

from warledger.engine.games.ocs.ch03_counters.counters import Counter
from warledger.engine.games.ocs.series.state import Unit

LEG_CHEAP = 6
"""OCS 4.7b Units with a Move-mode MA of 1 to this many Leg points count half for transport."""


def steps(counter: Counter, unit: Unit) -> int:
    """OCS 4.6 The steps that a unit has left. A combat unit other than a multi-step unit has one,
    whatever its RE; transport has none."""
    return counter.steps - unit.lost


def re(counter: Counter, unit: Unit) -> int:
    """OCS 4.6 A unit's RE now, in quarters: a multi-step unit's printed RE less the steps lost."""
    return counter.re - 4 * unit.lost if counter.multi_step else counter.re


def transport_cost(counter: Counter, unit: Unit) -> Fraction:
    """OCS 4.7, 4.7b, 4.7c What carrying a unit costs, in SP: its RE, half of it for slow Leg units,
    a transport point's size whether loaded or not."""
    if not counter.combat_unit:
        return Fraction(counter.points)
    whole = Fraction(re(counter, unit), 4)
    move = counter.move
    slow = move is not None and move.mobility == "leg" and 1 <= move.ma <= LEG_CHEAP
    return whole / 2 if slow else whole


def attack_capable(counter: Counter, unit: Unit) -> bool:
    """OCS 4.4 Whether a unit may attack: a printed strength without parentheses, and neither in
    Strat nor in Reserve mode."""
    return counter.attacks and unit.marker not in ("strat", "reserve")
