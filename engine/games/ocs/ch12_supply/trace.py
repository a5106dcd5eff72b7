"""OCS 12.6: the Supply Phase: recovery, trace, eating off the map, OOS.

OCS 2.3 D The phasing side recovers internal stocks (12.10e) and checks every combat unit's trace.
It feeds off the map whom it wants (12.6c), and marks the rest OOS (12.6d). Attrition follows. OCS
12.6f, 13.7a The combat units of a formation trace by one HQ or to one source, or some trace and the
others eat or are OOS: the owner may name the HQ or source, else it is the one that serves most
steps. OCS 12.8a A marker goes in the first Supply Phase in which its unit traces; [R] or eats.

OCS 12.6c What units eat together is rounded up once: those of several hexes too, where one HQ or
dump feeds them all.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import TRUCK
from warledger.engine.games.ocs.ch04_concepts import fog, stacking
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch12_supply import (
    bills,
    payment,
    payment_means,
    sources,
    stocks,
    supply_search,
)
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.series.events import SupplyMarked
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, STRAT, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import say

PROVISIONS = "provisions"
"""The name of the step."""

DONE = ("done",)
"""The last frame argument of the step once the side has said so."""

EAT = "eat"
"""The purpose of the bill."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.trace_source")
class TraceSourceNamed:
    """OCS 12.6f A formation traces by this HQ, or to the source in this hex."""

    side: str
    formation: Any
    source: Any


@event("ocs.fed")
class Fed:
    """OCS 12.6c Units eat off the map. Who does is hidden (OCS R-15)."""

    side: str
    units: Any


@event("ocs.trace_checked")
class TraceChecked:
    """OCS 12.6 A side's trace has been checked: these units have none."""

    side: str
    cut: Any


after = ByEvent()


@after(TraceSourceNamed)
def _named(state: State, event: TraceSourceNamed) -> State:
    use = state.phase_use
    by = {**use.traced_by, fog.plain(event.formation): fog.plain(event.source)}
    return replace(state, phase_use=replace(use, traced_by=by))


@after(Fed)
def _fed(state: State, event: Fed) -> State:
    use = state.phase_use
    return replace(state, phase_use=replace(use, fed=use.fed | {*fog.plain(event.units)}))


@after(TraceChecked)
def _checked(state: State, event: TraceChecked) -> State:
    """OCS 12.8e Supply Phases without trace are counted."""
    cut = frozenset(fog.plain(event.cut))
    counted = {}
    for name, unit in state.units.items():
        turns = unit.cut_turns + 1 if name in cut else 0
        if turns != unit.cut_turns and state.side(name) == event.side:
            counted[name] = replace(unit, cut_turns=turns)
    return changed(state, counted) if counted else state


# --- who traces -----------------------------------------------------------------------------------


def formations(state: State, side: str) -> Mapping[str, tuple[str, ...]]:
    """OCS 12.6f Formations of a side with two combat units or more on the map -> those units."""
    charts = state.charts
    found = {}
    for muf, names in state.formations.items():
        if charts.units[names[0]].side != side:
            continue
        here = tuple(
            name
            for name in names
            if state.units[name].at != OFF_MAP and charts.units[name].combat_unit
        )
        if len(here) > 1:
            found[muf] = here
    return found


def served(state: State, side: str, names: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """OCS 12.6, 13.7a HQs and sources (hexes by their printed ids) by which units trace -> the
    units that each serves, those that serve most steps first."""
    charts = state.charts
    ends = sources.sources(state, side)
    supply = supply_search.supply(state, side, ends)
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        at = state.units[name].at
        for hq, hexes in supply.throwers.items():
            if hexsets.has(hexes, at) and rules(charts).serves(charts, hq, name):
                found[hq] = (*found.get(hq, ()), name)
        for i in hexsets.listed(supply_search.draws(state, name).touching & ends):
            key = charts.board.name(i)
            found[key] = (*found.get(key, ()), name)

    def first(pair: tuple[str, tuple[str, ...]]) -> tuple[int, bool, str]:
        source, units = pair
        return (-_steps(state, units), source not in state.units, source)

    return dict(sorted(found.items(), key=first))


def _steps(state: State, names: Iterable[str]) -> int:
    return sum(losses.steps_of(state, name) for name in names)


@remembered()
def traced(state: State, side: str) -> Mapping[str, str | None]:
    """OCS 12.6, 12.6f How each combat unit of a side on the map traces, as `sources.trace` says it,
    a formation's units by one HQ or source."""
    found = dict(sources.trace(state, side))
    for muf, names in formations(state, side).items():
        by = {found[name] for name in names}
        if len(by) == 1 and by != {supply_search.DIRECT}:
            continue
        offered = served(state, side, names)
        named = state.phase_use.traced_by.get(muf, "")
        source = named if named in offered else next(iter(offered), "")
        covered = offered.get(source, ())
        how = source if source in state.units else supply_search.DIRECT
        for name in names:
            found[name] = how if name in covered else None
    return found


@remembered()
def split(state: State, side: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """OCS 12.6f Formations whose units no one HQ or source serves together -> what may serve which
    of them."""
    found = {}
    for muf, names in formations(state, side).items():
        offered = served(state, side, names)
        if len(offered) > 1 and len(next(iter(offered.values()))) < len(names):
            found[muf] = offered
    return found


@remembered()
def cut(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.6 Combat units of a side that have no trace now."""
    return tuple(name for name, by in traced(state, side).items() if by is None)


@remembered()
def traces_from(state: State, side: str, i: int) -> bool:
    """OCS 12.6 Whether what stands in a hex could draw directly at a source: transport, which needs
    no supply, and whatever one wants to know of a hex."""
    ends = sources.sources(state, side)
    return bool(
        supply_search.paths(state, side, TRUCK).extent(i, supply_search.DRAW).touching & ends
    )


def transport_traces(state: State, name: str) -> bool:
    """OCS 12.6 Whether transport has a way to a source: it could draw there, or a combat unit of
    its hex traces, and it beside that."""
    side, at = state.side(name), state.units[name].at
    if traces_from(state, side, at):
        return True
    found = traced(state, side)
    return any(found.get(other) is not None for other in state.combat_units(at))


# --- eating ---------------------------------------------------------------------------------------


def appetite(state: State, names: Iterable[str]) -> int:
    """OCS 12.6c T that units eat together: 1T for 2 RE, rounded up."""
    return -(-stacking.re_of(state, names) // state.charts.tables.costs["eat_re_per_t"])


def unfed(state: State, side: str) -> tuple[str, ...]:
    """OCS 5.8b, 12.6c Units of a side that may eat off the map if there is supply: without trace,
    not fed yet, not in Strat mode."""
    return tuple(
        name
        for name in cut(state, side)
        if name not in state.phase_use.fed and state.units[name].marker != STRAT
    )


@remembered()
def hungry(state: State, side: str) -> tuple[str, ...]:
    """OCS 12.6c Those of them for whom there is supply in reach."""
    return tuple(name for name in unfed(state, side) if _can_pay(state, (name,)))


def meal(state: State, names: tuple[str, ...]) -> Bill:
    """OCS 12.6c What units pay together to eat off the map: a T feeds those within the reach of its
    dump, so that units of several hexes have one HQ or dump in common."""
    apart = len({state.units[name].at for name in names}) > 1
    cost = appetite(state, names)
    return Bill(state.side(names[0]), EAT, names, cost, one_source=apart)


def _can_pay(state: State, names: tuple[str, ...]) -> bool:
    return payment_means.coverable(state, bills.charged(state, meal(state, names)))


# --- the end of it --------------------------------------------------------------------------------


def check(table: Table[State]) -> None:
    """OCS 12.6d, 12.8a Trace is checked: units that neither trace nor have eaten are marked OOS,
    those that do no longer are."""
    state = table.state
    side = state.phasing
    without = cut(state, side)
    parted = tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        and state.side(name) == side
        and not state.counter(name).combat_unit
        and not traces_from(state, side, unit.at)
    )
    table.emit(TraceChecked(side, fog.hidden(state, side, (*without, *parted))))
    starving = frozenset(without) - state.phase_use.fed
    marked, freed = [], []
    for name, unit in table.state.units.items():
        if unit.at == OFF_MAP or state.side(name) != side or not state.counter(name).combat_unit:
            continue
        if name in starving and not unit.oos:
            marked.append(name)
        elif unit.oos and name not in starving:
            freed.append(name)
    for names, oos in ((tuple(marked), True), (tuple(freed), False)):
        # Whether anybody is marked is the owner's to know.
        if names or fog.strict(state):
            table.emit(SupplyMarked(fog.hidden(state, side, names), oos))


# --- the step -------------------------------------------------------------------------------------


@frozen
class Recovering:
    """OCS 12.10e The unit that recovers; none for all of them the canonical way."""

    unit: str = ""


@frozen
class Tracing:
    """OCS 12.6f A formation, and the HQ or source by which it traces."""

    formation: str = ""
    source: str = ""


@frozen
class Eating:
    """OCS 12.6c A hex, for all there that may, or units."""

    eaters: tuple[str, ...] = ()


class Provisions(Asking[State]):
    """OCS 2.3 D1-D4 The phasing side recovers, names sources, feeds, until it is `done`: then what
    must still recover does, and trace is checked. Under strict fog it is always asked, since not
    being asked would reveal its situation. `more` are commands of the game's own, `moreover`
    whether a side has any of them to give."""

    verb_slot = "ocs.provisions"

    def __init__(
        self,
        more: Commands[State] = (),
        moreover: Callable[[State, str], bool] = lambda state, side: False,
    ) -> None:
        self._more = more
        self._moreover = moreover

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The phasing side, where it may have something to do."""
        state, side = at.state, at.state.phasing
        if state.bill is not None or frame.args[-1:] == DONE:
            return {}
        if not fog.strict(state) and not (
            stocks.may_recover(state, side)
            or split(state, side)
            or hungry(state, side)
            or self._moreover(state, side)
        ):
            return {}
        return {side: Decision(Say("prompt.ocs.provisions", (), "OCS 12.6"))}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 12.6c, 12.10e A payment is over; or all is."""
        bill = table.state.bill
        if bill is None:
            table.done()
            stocks.recover(table, stocks.recoverable(table.state, table.state.phasing))
            check(table)
        elif bill.purpose == stocks.RECOVERY:
            stocks.settle(table)
        else:
            _settle_meal(table, bill)

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15 Stocks, and who pays for what, are hidden."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """recover, source, eat, those of the game, done."""
        return (
            Command(
                "recover",
                Recovering,
                Slot("unit", "ocs.unit", _to_recover, _why_not_recover, optional=True),
                apply=_recover,
                when=lambda asked: bool(stocks.may_recover(asked.state, asked.seat)),
                why=lambda asked: Refusal("OCS 12.10e", "refusal.ocs.nothing_to_recover"),
            ),
            Command(
                "source",
                Tracing,
                Slot(
                    "formation",
                    "ocs.formation",
                    lambda asked, order: split(asked.state, asked.seat),
                    lambda asked, order, pick: Refusal(
                        "OCS 12.6f", "refusal.ocs.not_split", (("pick", pick),)
                    ),
                ),
                Slot(
                    "source",
                    "ocs.trace_source",
                    lambda asked, order: split(asked.state, asked.seat)[order.formation],
                    lambda asked, order, pick: Refusal(
                        "OCS 12.6f", "refusal.ocs.no_trace_by_it", (("pick", pick),)
                    ),
                ),
                apply=_name_source,
                when=lambda asked: bool(split(asked.state, asked.seat)),
                why=lambda asked: Refusal("OCS 12.6f", "refusal.ocs.none_split"),
            ),
            Command(
                "eat",
                Eating,
                Many("eaters", "ocs.eater", _eaters, _why_not_eat, full=_all_eat),
                apply=_eat,
                when=lambda asked: bool(_may_eat(asked)),
                why=_why_nobody_eats,
                preview=_preview_meal,
            ),
            *self._more,
            word("done", lambda table, asked: table.replace(*asked.frame.args, *DONE)),
        )


def _to_recover(asked: Asked[State], order: Recovering) -> Iterable[str]:
    return stocks.may_recover(asked.state, asked.seat)


def _why_not_recover(asked: Asked[State], order: Recovering, pick: Pick) -> Refusal:
    return Refusal("OCS 12.10e", "refusal.ocs.does_not_recover", (("unit", pick),))


def _recover(table: Table[State], asked: Asked[State], order: Recovering) -> None:
    if order.unit:
        stocks.ask(table, order.unit)
    else:
        stocks.recover(table, stocks.recoverable(table.state, asked.seat))


def _name_source(table: Table[State], asked: Asked[State], order: Tracing) -> None:
    def hide(value: str) -> Any:
        return fog.hidden(table.state, asked.seat, value)

    table.emit(TraceSourceNamed(asked.seat, hide(order.formation), hide(order.source)))


def _may_eat(asked: Asked[State]) -> tuple[str, ...]:
    """OCS 2.3 D, 12.10e Recovery comes first."""
    if stocks.recoverable(asked.state, asked.seat):
        return ()
    return hungry(asked.state, asked.seat)


def _why_nobody_eats(asked: Asked[State]) -> Refusal:
    if stocks.recoverable(asked.state, asked.seat):
        return Refusal("OCS 12.10e", "refusal.ocs.recover_first")
    return Refusal("OCS 12.6c", "refusal.ocs.nobody_eats")


def _of(state: State, side: str, eaters: tuple[str, ...]) -> tuple[str, ...]:
    """The units that an order to eat means."""
    if len(eaters) == 1 and eaters[0] not in state.units:
        at = state.charts.board.hex(eaters[0])
        return tuple(name for name in unfed(state, side) if state.units[name].at == at)
    return eaters


def _all_eat(asked: Asked[State], order: Eating) -> bool:
    return bool(order.eaters) and order.eaters[0] not in asked.state.units


def _eaters(asked: Asked[State], order: Eating) -> Iterable[str]:
    state = asked.state
    found = _may_eat(asked)
    if not order.eaters:
        hexes = dict.fromkeys(state.units[name].at for name in found)
        whole = [
            state.charts.board.name(i)
            for i in sorted(hexes)
            if _can_pay(state, _of(state, asked.seat, (state.charts.board.name(i),)))
        ]
        return (*whole, *found)
    return [
        name
        for name in found
        if name not in order.eaters and _can_pay(state, (*order.eaters, name))
    ]


def _why_not_eat(asked: Asked[State], order: Eating, pick: Pick) -> Refusal:
    return Refusal("OCS 12.6c", "refusal.ocs.does_not_eat", (("unit", pick),))


def _preview_meal(asked: Asked[State], order: Eating) -> tuple[Say, ...]:
    """OCS 12.6c What the meal costs, for whom, and who would pay it along which path."""
    state = asked.state
    eaters = _of(state, asked.seat, order.eaters)
    if not eaters:
        return ()
    bill = bills.charged(state, meal(state, eaters))
    return (
        say("preview.ocs.meal", "OCS 12.6c", tokens=bill.cost, units=eaters),
        *payment.reckoned(state, meal(state, eaters)),
    )


def _eat(table: Table[State], asked: Asked[State], order: Eating) -> None:
    payment.ask(table, meal(table.state, _of(table.state, asked.seat, order.eaters)))


def _settle_meal(table: Table[State], bill: Bill) -> None:
    """OCS 12.6c Those for whom all is paid have eaten; whether it is, is hidden."""
    state = table.state
    paid = payment.outcome(state) == payment.SUPPLY
    payment.close(table)
    if paid or fog.strict(state):
        table.emit(Fed(bill.side, fog.hidden(state, bill.side, bill.payers if paid else ())))


STEPS: Mapping[str, Step[State]] = {PROVISIONS: Provisions()}
SEGMENT = (PROVISIONS, "attrition")
"""OCS 2.3 D The steps of the Supply Phase."""
