"""OCS 4.8: stacking.

OCS 4.8 A hex holds 10 RE of a side's combat units; any number of supply and transport points, one
air base, one hedgehog. Stacking costs no movement. OCS 4.8a It is checked at the end of every
segment but Reinforcement; in passing a hex may hold more, but not for an overrun. OCS 21.12c By an
option a hex holds 3 RE of units in Strat mode, or one multi-step unit or formation of any size.
"""

from collections.abc import Iterable
from functools import lru_cache

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts.concepts import re
from warledger.engine.games.ocs.series.charts import Charts
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import STRAT, State

STRAT_LIMIT = "strat_stacking"
"""OCS 21.12c The option by which few units in Strat mode stay in one hex."""

STRAT_RE = 12
"""OCS 21.12c Quarters of an RE of units in Strat mode that may."""


def limit(state: State) -> int:
    """OCS 4.8 Quarters of an RE that a hex holds."""
    return _limit(state.charts)


def _limit(charts: Charts) -> int:
    return int(charts.printed.chart["stacking"]["re"])


def re_of(state: State, names: Iterable[str]) -> int:
    """OCS 4.6 Quarters of an RE of the combat units among these."""
    counters, units = state.charts.units, state.units
    return sum([re(counters[name], units[name]) for name in names if counters[name].combat_unit])


def re_in(state: State, i: int) -> int:
    """OCS 4.6 Quarters of an RE of combat units in a hex."""
    return re_of(state, state.stack(i))


def excess(state: State, i: int) -> int:
    """OCS 4.8a Quarters of an RE by which a hex is overstacked, 0 when it may stay so."""
    return max(re_in(state, i) - limit(state), 0)


def in_strat(state: State, i: int) -> tuple[str, ...]:
    """OCS 21.12c Units in Strat mode in a hex that are too many to stay there by the option; ()
    where they are not."""
    if not state.charts.options.get(STRAT_LIMIT):
        return ()
    found = tuple(name for name in state.combat_units(i) if state.units[name].marker == STRAT)
    whose = {state.formation(name) or name for name in found}
    return found if len(whose) > 1 and re_of(state, found) > STRAT_RE else ()


def to_eliminate(state: State, i: int) -> tuple[str, ...]:
    """OCS 4.8a Units of an overstacked hex among which its owner eliminates: all combat units, or
    where only those in Strat mode are too many (21.12c) they."""
    if excess(state, i) or not rules(state.charts).may_stack(state.charts, state.stack(i)):
        return state.combat_units(i)
    return in_strat(state, i)


def overstacked(state: State, side: str) -> tuple[int, ...]:
    """OCS 4.8a Hexes of a side whose excess its owner eliminates, or whose units the game does not
    let stack."""
    most, charts = limit(state), state.charts
    game, few_in_strat = rules(charts), bool(charts.options.get(STRAT_LIMIT))
    return tuple(
        [
            i
            for i in hexsets.listed(state.field.combat[side])
            if not (
                _always_fit(charts, names := state.stack(i))
                or (re_of(state, names) <= most and game.may_stack(charts, names))
            )
            or (few_in_strat and in_strat(state, i))
        ]
    )


@lru_cache(maxsize=2048)
def _always_fit(charts: Charts, names: tuple[str, ...]) -> bool:
    """OCS 4.8 Whether these units may share a hex whatever steps they have lost: those only make
    room, and with whom a unit may stack is a matter of counters."""
    whole = sum(charts.units[name].re for name in names if charts.units[name].combat_unit)
    return whole <= _limit(charts) and rules(charts).may_stack(charts, names)


def fits(state: State, names: Iterable[str], i: int) -> bool:
    """OCS 4.8a Whether these units and those that stand in a hex may end a segment there together.
    For an overrun, whether they and other friends in the hex from which it is made hold the
    limit."""
    together = tuple(dict.fromkeys((*state.stack(i), *names)))
    return re_of(state, together) <= limit(state) and rules(state.charts).may_stack(
        state.charts, together
    )
