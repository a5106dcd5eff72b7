"""OCS 12.10: internal stocks and their recovery.

OCS 12.10 A unit fights twice out of what it carries: it is then Low, then Exhausted (`payment`
marks them where supply cannot be had). OCS 12.10e In its own Supply Phase, before trace is checked,
every Low or Exhausted unit recovers as far as supply reaches it, whatever its owner wants. What
does not suffice for a level is spent all the same. Loads of organic trucks are exempt: the owner
may use them but need not.
"""

from collections.abc import Sequence
from typing import Any

from warledger.engine.games.ocs.ch03_counters.counters import ONE_RE
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import re
from warledger.engine.games.ocs.ch12_supply import bills, payment, points, supply_reach
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import FULL, OFF_MAP, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

RECOVERY = "recovery"
"""The purpose of the bill."""


@event("ocs.recovered")
class Recovered:
    """OCS 12.10e Units recover: what is used up for it, as (payer, what pays, T), but for what was
    paid on a bill, and the stocks each has now. All of it is hidden (OCS R-15)."""

    side: str
    picks: Any
    levels: Any


after = ByEvent()


@after(Recovered)
def _stocked(state: State, event: Recovered) -> State:
    made = points.spent(state, event.side, fog.plain(event.picks))
    levels = fog.plain(event.levels)
    return changed(made, {name: replace(made.units[name], stocks=to) for name, to in levels})


def level_cost(state: State, name: str) -> int:
    """OCS 12.10e T for one level, from Exhausted to Low or from Low to full: 2T a unit, or an RE of
    a multi-step unit; times what the game charges where it stands."""
    return printed_level(state, name) * _factor(state, name)


def printed_level(state: State, name: str) -> int:
    """OCS 12.10e T for one level as the table prints it."""
    counter, unit = state.counter(name), state.units[name]
    times = re(counter, unit) // ONE_RE if counter.multi_step else 1
    printed: int = state.charts.tables.costs["recovery_t_low"]
    return printed * max(times, 1)


def _factor(state: State, name: str) -> int:
    """OCS 12 How many times the printed cost the game charges. What it gives away here is charged
    as printed, since a level has to be paid for."""
    bill = Bill(state.side(name), RECOVERY, (name,), 0)
    return max(bills.factor(state, bill, name), 1)


def wanted(state: State, name: str) -> int:
    """OCS 12.10e T for all that a unit has to recover."""
    return level_cost(state, name) * state.units[name].stocks


def needy(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.10 Units of a side on the map that are Low or Exhausted."""
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.stocks != FULL and unit.at != OFF_MAP and state.side(name) == side
    )


def reached(state: State, name: str, *, organic: bool = False) -> int:
    """OCS 12.3, 12.10e T that a unit reaches for its recovery, loads of organic trucks left out
    unless they are asked for too."""
    side = state.side(name)
    return sum(
        points.amount(state, side, one.what)
        for one in supply_reach.sources(state, side, name, RECOVERY)
        if organic or not _organic(state, one.what)
    )


def _organic(state: State, what: str) -> bool:
    return what in state.units and state.counter(what).organic


@remembered()
def recoverable(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.10e Units of a side that must recover: supply reaches them."""
    game = rules(state.charts)
    return tuple(
        name
        for name in needy(state, side)
        if game.must_recover(state, name) and reached(state, name)
    )


@remembered()
def may_recover(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.10e Units that may recover, with those that only loads of organic trucks reach."""
    return tuple(name for name in needy(state, side) if reached(state, name, organic=True))


def ask(table: Table[State], name: str) -> None:
    """OCS 12.10e A unit recovers out of what its owner picks."""
    _begin(table, name, organic=True)
    table.call(payment.PAYMENT)


def _begin(table: Table[State], name: str, *, organic: bool) -> None:
    """The bill of a unit's recovery: what it needs, or as much of that as there is. A bill charges
    the game's factor itself."""
    state = table.state
    due = min(wanted(state, name), reached(state, name, organic=organic))
    printed = -(-due // _factor(state, name))
    payment.begin(table, Bill(state.side(name), RECOVERY, (name,), printed, partly=True))


def recover(table: Table[State], names: Sequence[str]) -> None:
    """OCS 12.10e These units recover one after the other the canonical way, organic trucks left
    alone. It is one event, which under fog is there whether anybody recovers or not."""
    state = now = table.state
    side = state.phasing
    picks: list[points.Pick] = []
    levels: dict[str, int] = {}
    for name in names:
        due, paid = wanted(now, name), 0
        for one in supply_reach.sources(now, side, name, RECOVERY):
            tokens = min(due - paid, points.amount(now, side, one.what))
            if tokens > 0 and not _organic(now, one.what):
                pick = (name, one.what, tokens)
                picks.append(pick)
                now = points.spent(now, side, (pick,))
                paid += tokens
        levels[name] = _stocks_after(now, name, paid)
    if levels or fog.strict(state):
        _recovered(table, side, tuple(picks), tuple(levels.items()))


def _stocks_after(state: State, name: str, paid: int) -> int:
    """OCS 12.10e The stocks of a unit for whose recovery `paid` T have been paid: whole levels
    count, the rest is wasted."""
    return max(state.units[name].stocks - paid // level_cost(state, name), FULL)


def _recovered(
    table: Table[State],
    side: str,
    picks: tuple[points.Pick, ...],
    levels: tuple[tuple[str, int], ...],
) -> None:
    state = table.state
    table.emit(Recovered(side, fog.hidden(state, side, picks), fog.hidden(state, side, levels)))


def settle(table: Table[State]) -> None:
    """OCS 12.10e, 12.10h What has been paid for a unit's recovery lifts it by whole levels."""
    state = table.state
    bill = bills.bill_of(state)
    (name,) = bill.payers
    payment.close(table)
    _recovered(table, bill.side, (), ((name, _stocks_after(state, name, bill.paid)),))
