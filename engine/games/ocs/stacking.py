"""OCS 4.8: stacking.

OCS 4.8 A hex holds 10 RE of a side's combat units; any number of supply and transport points, one
air base, one hedgehog. Stacking costs no movement. OCS 4.8a It is checked at the end of every
segment but Reinforcement; in passing a hex may hold more, but not for an overrun.
"""

from collections.abc import Iterable

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.concepts import re
from warledger.engine.games.ocs.game import rules
from warledger.engine.games.ocs.state import State


def limit(state: State) -> int:
    """OCS 4.8 Quarters of an RE that a hex holds."""
    return int(state.charts.printed.chart["stacking"]["re"])


def re_of(state: State, names: Iterable[str]) -> int:
    """OCS 4.6 Quarters of an RE of the combat units among these."""
    counters, units = state.charts.units, state.units
    return sum(re(counters[name], units[name]) for name in names if counters[name].combat_unit)


def re_in(state: State, i: int) -> int:
    """OCS 4.6 Quarters of an RE of combat units in a hex."""
    return re_of(state, state.stack(i))


def excess(state: State, i: int) -> int:
    """OCS 4.8a Quarters of an RE by which a hex is overstacked, 0 when it may stay so."""
    return max(re_in(state, i) - limit(state), 0)


def overstacked(state: State, side: str) -> tuple[int, ...]:
    """OCS 4.8a Hexes of a side whose excess its owner eliminates, or whose units the game lets not
    stack."""
    return tuple(
        i
        for i in hexsets.listed(state.field.combat[side])
        if excess(state, i) or not rules(state.charts).may_stack(state.charts, state.stack(i))
    )


def fits(state: State, names: Iterable[str], i: int) -> bool:
    """OCS 4.8a Whether these units and those that stand in a hex may end a segment there together;
    for an overrun, whether they and other friends in the hex from which it is made hold the
    limit."""
    together = tuple(dict.fromkeys((*state.stack(i), *names)))
    return re_of(state, together) <= limit(state) and rules(state.charts).may_stack(
        state.charts, together
    )
