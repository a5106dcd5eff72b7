"""HR 3.3b: Soviet mobile formations are rebuilt in the RVGK box.

HR 3.3b In the Soviet Reinforcement Phase, after the dice, a formation that has lost units may go to
the RVGK box: all of its units that trace, with no fuel. Its trucks stay loaded, and what Low and
Exhausted units need comes off the supply that arrives. Those that cannot trace follow as soon as
they can. Once all of it lies in the box or in the dead pile, variable results rebuild its units.
When all its divisions (cavalry corps) or brigades (tank and mechanised corps) are there, it may
return in a later Reinforcement Phase, not fuelled. It comes within two hexes of the 2nd Ukrainian
Front's marker. Two formations in a scenario may come to that of the 3rd, none to the 4th. Support
units and trucks that are not rebuilt then are left behind.

[R] A formation goes to the box only where a marker to which it may return is on the map. The pack's
order of arrival may say which formations go to the 3rd Ukrainian Front, and from when. What is
left behind stays in the dead pile, and is rebuilt when the formation is in the box again.
"""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import Counter
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch12_supply import stocks, trace
from warledger.engine.games.ocs.ch13_special_units import arrivals, reinforcements
from warledger.engine.games.ocs.ch13_special_units.reinforcements import ShipmentPlaced
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import (
    NOT_ARRIVED,
    OFF_MAP,
    Coming,
    State,
    Unit,
    changed,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse
from warledger.protocol.texts.words import words_of

BOX = "box.rvgk"

SINCE = "rvgk."
"""How the flags begin that say since which turn a formation is in the box."""

SENT = "rvgk_to."
"""How the flags begin that say how many formations have returned at a marker."""

CORE = ("bde", "div")
"""HR 3.3b Sizes of the units without which a formation does not return."""


@event("hr.rvgk")
class ToReserve:
    """HR 3.3b A formation is in the RVGK box, with these units of it that come off the map now."""

    side: str
    formation: Any
    units: Any


@event("hr.rvgk_returns")
class FromReserve:
    """HR 3.3b A formation returns at a marker with these units."""

    side: str
    formation: Any
    units: Any
    marker: Any


after = ByEvent()


@after(ToReserve)
def _to_reserve(state: State, event: ToReserve) -> State:
    muf, names = fog.plain(event.formation), fog.plain(event.units)
    units = state.units
    made = changed(
        state,
        {
            name: Unit(where=BOX, move_side=units[name].move_side, load=units[name].load)
            for name in names
        },
    )
    flags = {f"{SINCE}{muf}": state.turn, **made.flags}
    return replace(made, flags=flags, fuelled_formations=made.fuelled_formations - {muf})


@after(FromReserve)
def _from_reserve(state: State, event: FromReserve) -> State:
    muf, names, marker = (
        fog.plain(value) for value in (event.formation, event.units, event.marker)
    )
    units = state.units
    made = changed(state, {name: replace(units[name], where=NOT_ARRIVED) for name in names})
    flags = {key: value for key, value in made.flags.items() if key != f"{SINCE}{muf}"}
    flags[f"{SENT}{marker}"] = sent(state, marker) + 1
    coming = Coming(state.turn, event.side, names, marker)
    return replace(made, flags=flags, coming=(*made.coming, coming))


# --- what lies in the box -------------------------------------------------------------------------


def members(state: State, muf: str) -> tuple[str, ...]:
    """The units of a formation, by id."""
    return state.charts.printed.mufs[muf]


def of_side(state: State) -> tuple[str, ...]:
    """HR 3.3b The Soviet formations, by id."""
    charts = state.charts
    return tuple(
        muf
        for muf, names in sorted(charts.printed.mufs.items())
        if charts.units[names[0]].side == charts.sides[1]
    )


def inside(state: State, muf: str) -> bool:
    """HR 3.3b Whether a formation is being rebuilt."""
    return f"{SINCE}{muf}" in state.flags


def rebuilds(state: State, muf: str) -> bool:
    """HR 3.3b Whether variable results rebuild units of a formation: it is in the box, and none of
    it is elsewhere but in the dead pile."""
    return inside(state, muf) and not any(
        state.units[name].at != OFF_MAP or state.units[name].where == NOT_ARRIVED
        for name in members(state, muf)
    )


def ready(state: State, muf: str) -> bool:
    """HR 3.3b Whether a formation may return: all its divisions or brigades lie in the box, and it
    has not come there in this phase."""
    since = int(state.flags.get(f"{SINCE}{muf}", state.turn))
    return (
        since < state.turn
        and rebuilds(state, muf)
        and all(
            state.units[name].where == BOX
            for name in members(state, muf)
            if core(state.counter(name))
        )
    )


def core(counter: Counter) -> bool:
    """HR 3.3b Whether a formation does not return without a unit."""
    return counter.size in CORE


def sent(state: State, marker: str) -> int:
    """HR 3.3b How many formations have returned at a marker."""
    return int(state.flags.get(f"{SENT}{marker}", 0))


def fronts(state: State, muf: str) -> tuple[str, ...]:
    """HR 3.3b Front markers on the map at which a formation may return."""
    chart = state.charts.printed.chart["rebuild"]["soviet_muf"]
    home, other = chart["at"], chart["elsewhere_at"]
    found = [home] if on_map(state, home) else []
    left = int(chart["elsewhere_formations"]) - sent(state, other)
    if on_map(state, other) and left > 0 and _may_go(state, muf, other):
        found.append(other)
    return tuple(found)


def on_map(state: State, marker: str) -> bool:
    """Whether a marker lies in a hex."""
    return any(isinstance(place, int) for place in state.markers.get(marker, ()))


def _may_go(state: State, muf: str, marker: str) -> bool:
    """HR 3.3b Whether the order of arrival lets a formation go to a marker: one that says nothing
    about it allows any."""
    said = [
        one
        for one in state.charts.scenario.doc.get("event", ())
        if one["effect"].get("at") == marker and "formations" in one["effect"]
    ]
    return not said or any(
        one["turn"] <= state.turn and muf in words_of(one["effect"]["formations"]) for one in said
    )


def returns(state: State, marker: str) -> Hexes:
    """HR 3.3b Hexes within two of a marker."""
    places = [place for place in state.markers.get(marker, ()) if isinstance(place, int)]
    within = int(state.charts.printed.chart["rebuild"]["soviet_muf"]["within"])
    return arrivals.within(state, places, within)


# --- going there ----------------------------------------------------------------------------------


@remembered()
def traceable(state: State, muf: str) -> tuple[str, ...]:
    """HR 3.3b Units of a formation on the map that trace: transport where it could draw at a
    source, or beside a combat unit that traces."""
    side = state.charts.sides[1]
    found = trace.traced(state, side)
    return tuple(
        name
        for name in members(state, muf)
        if state.units[name].at != OFF_MAP
        and (
            found.get(name) is not None
            if state.counter(name).combat_unit
            else trace.transport_traces(state, name)
        )
    )


def owed(state: State, names: Iterable[str]) -> int:
    """HR 3.3b T that Low and Exhausted units need before they go."""
    return sum(stocks.printed_level(state, name) * state.units[name].stocks for name in names)


def at_hand(state: State, side: str) -> int:
    """HR 3.3b T that arrive in this phase and have not been put anywhere."""
    return sum(reinforcements.shipments(state, side).values())


@remembered()
def going(state: State) -> tuple[str, ...]:
    """HR 3.3b Formations that may be taken to the box: they have lost units, none of them is still
    to come, and what their stocks need is at hand."""
    side = state.charts.sides[1]
    found = []
    for muf in of_side(state):
        units = [state.units[name] for name in members(state, muf)]
        if inside(state, muf) or not fronts(state, muf):
            continue
        if any(unit.where == NOT_ARRIVED for unit in units):
            continue
        dead = any(
            state.units[name].where == rules(state.charts).pile(state.charts, name)
            for name in members(state, muf)
        )
        if dead and owed(state, traceable(state, muf)) <= at_hand(state, side):
            found.append(muf)
    return tuple(found)


def coming_back(state: State) -> tuple[str, ...]:
    """HR 3.3b Formations that may return now."""
    return tuple(muf for muf in of_side(state) if ready(state, muf) and fronts(state, muf))


def asks(state: State, side: str) -> bool:
    """HR 3.3b Whether the Soviets are asked: under strict fog wherever there is a marker to which
    formations return, since the piles and the box are theirs to know."""
    if side != state.charts.sides[1]:
        return False
    if fog.strict(state):
        chart = state.charts.printed.chart["rebuild"]["soviet_muf"]
        return on_map(state, chart["at"]) or on_map(state, chart["elsewhere_at"])
    return bool(going(state) or coming_back(state))


def take(table: Table[State], muf: str) -> None:
    """HR 3.3b Units of a formation that trace go to the box; what their stocks need comes off the
    supply that arrives."""
    state = table.state
    side = state.charts.sides[1]
    names = traceable(state, muf)
    need = owed(state, names)
    for shipment, tokens in reinforcements.shipments(state, side).items():
        paid = min(need, tokens)
        if paid:
            table.emit(ShipmentPlaced(side, shipment, fog.hidden(state, side, paid)))
            need -= paid
    table.emit(ToReserve(side, fog.hidden(state, side, muf), fog.hidden(state, side, names)))


def follow(table: Table[State]) -> None:
    """HR 3.3b A Soviet Reinforcement Phase begins: units that trace now follow their formations
    into the box, if what they need arrives."""
    state = table.state
    side = state.phasing
    if side != state.charts.sides[1]:
        return
    for muf in of_side(state):
        names = traceable(table.state, muf) if inside(table.state, muf) else ()
        if names and owed(table.state, names) <= at_hand(table.state, side):
            take(table, muf)


# --- the commands ---------------------------------------------------------------------------------


@frozen
class Retiring:
    """HR 3.3b A formation that goes to the box."""

    formation: str = ""


@frozen
class Recalling:
    """HR 3.3b A formation that returns, and at which marker."""

    formation: str = ""
    marker: str = ""


def commands() -> Commands[State]:
    """HR 3.3b retire FORMATION, recall FORMATION MARKER: for the step in which reinforcements
    come."""
    return (
        Command(
            "retire",
            Retiring,
            Slot(
                "formation",
                "hr.formation",
                lambda asked, order: going(asked.state),
                _why_not_going,
            ),
            apply=lambda table, asked, order: take(table, order.formation),
            when=lambda asked: _soviet(asked) and bool(going(asked.state)),
            why=lambda asked: refuse("HR 3.3b", "refusal.hr.nothing_to_retire"),
        ),
        Command(
            "recall",
            Recalling,
            Slot(
                "formation",
                "hr.formation",
                lambda asked, order: coming_back(asked.state),
                _why_not_back,
            ),
            Slot(
                "marker",
                "hr.front",
                lambda asked, order: fronts(asked.state, order.formation),
                lambda asked, order, pick: refuse(
                    "HR 3.3b", "refusal.hr.not_to_that_front", pick=pick
                ),
            ),
            apply=_recall,
            when=lambda asked: _soviet(asked) and bool(coming_back(asked.state)),
            why=lambda asked: refuse("HR 3.3b", "refusal.hr.nothing_to_recall"),
        ),
    )


def _soviet(asked: Asked[State]) -> bool:
    return asked.seat == asked.state.charts.sides[1]


def _recall(table: Table[State], asked: Asked[State], order: Recalling) -> None:
    state, side = table.state, asked.seat
    names = tuple(
        name for name in members(state, order.formation) if state.units[name].where == BOX
    )

    def hide(value: Any) -> Any:
        return fog.hidden(state, side, value)

    table.emit(FromReserve(side, hide(order.formation), hide(names), hide(order.marker)))


def _why_not_going(asked: Asked[State], order: Retiring, pick: Pick) -> Refusal:
    """HR 3.3b"""
    state, muf = asked.state, str(pick)
    if muf not in of_side(state):
        return refuse("HR 3.3b", "refusal.hr.no_soviet_formation", pick=pick)
    if inside(state, muf):
        return refuse("HR 3.3b", "refusal.hr.in_rvgk", pick=pick)
    if owed(state, traceable(state, muf)) > at_hand(state, asked.seat):
        return refuse(
            "HR 3.3b",
            "refusal.hr.stocks_unpaid",
            pick=pick,
            tokens=owed(state, traceable(state, muf)),
        )
    return refuse("HR 3.3b", "refusal.hr.has_lost_nothing", pick=pick)


def _why_not_back(asked: Asked[State], order: Recalling, pick: Pick) -> Refusal:
    """HR 3.3b"""
    key = "not_restored" if inside(asked.state, str(pick)) else "not_in_rvgk"
    return refuse("HR 3.3b", f"refusal.hr.{key}", pick=pick)
