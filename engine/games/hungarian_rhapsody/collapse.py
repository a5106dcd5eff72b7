"""HR 2.3b: the Hungarian collapse.

HR 2.3b When the order of arrival says so, the Axis rolls in each of its Reinforcement Phases for
Hungary's collapse, which happens only once. All Hungarian units on the map go to the dead piles,
with these exceptions: aircraft, the 1st and 2nd Armoured Divisions, the Budapest garrison, infantry
and cavalry with an AR of 4, and what the Axis chooses: three HQs, three artillery units, and units
of twelve steps. What arrives or is rebuilt later may exceed that. HR R-22: the steps are those
that a unit has now, and none is kept in part.

[R] An HQ or artillery unit above the three may be kept with the twelve steps. Units that have
broken out return.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import steps
from warledger.engine.games.ocs.ch13_special_units import control
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse
from warledger.protocol.texts.words import words_of

CLAUSE = "HR 2.3b"

COLLAPSED = "collapse"
"""The flag that it has come: its turn."""

STEP = "hr.collapse"
"""The step in which the Axis chooses what it keeps."""

TABLE_NAME = "hungarian_collapse"

HUNGARIAN = "hungarian"


@event("hr.collapse_rolled")
class CollapseRolled:
    """HR 2.3b The die for the collapse, and whether it comes."""

    die: int
    comes: bool


@event("hr.collapsed")
class Collapsed:
    """HR 2.3b These units leave the map for these piles. Which they are is hidden."""

    side: str
    units: Any
    piles: Any


after = ByEvent()


@after(CollapseRolled)
def _rolled(state: State, event: CollapseRolled) -> State:
    if not event.comes:
        return state
    return replace(state, flags={**state.flags, COLLAPSED: state.turn})


@after(Collapsed)
def _collapsed(state: State, event: Collapsed) -> State:
    gone = zip(fog.plain(event.units), fog.plain(event.piles), strict=True)
    return changed(
        state,
        {name: Unit(where=pile, move_side=state.units[name].move_side) for name, pile in gone},
    )


def due(state: State) -> bool:
    """HR 2.3b Whether the Axis rolls for the collapse now."""
    if state.phasing != state.charts.sides[0] or COLLAPSED in state.flags:
        return False
    return any(
        one["turn"] <= state.turn and one["effect"].get("table") == TABLE_NAME
        for one in state.charts.scenario.doc.get("event", ())
    )


def begin(table: Table[State]) -> None:
    """HR 2.3b An Axis Reinforcement Phase begins: the die, and if Hungary collapses the choice."""
    if not due(table.state):
        return
    die = table.roll(6, "collapse")
    comes = die in table.state.charts.printed.chart[TABLE_NAME]["die"]
    table.emit(CollapseRolled(die, comes))
    if comes:
        table.call(STEP)


def spared(state: State, name: str) -> bool:
    """HR 2.3b Whether a Hungarian unit stays by itself."""
    kept = state.charts.printed.chart[TABLE_NAME]["kept"]
    counter = state.counter(name)
    if counter.muf in words_of(kept["mufs"]) or counter.traits.get("bp"):
        return True
    face = counter.combat or counter.move
    return counter.kind in kept["types"] and face is not None and face.ar == kept["ar"]


def threatened(state: State) -> tuple[str, ...]:
    """HR 2.3b Hungarian units on the map that go unless the Axis keeps them, by id."""
    return tuple(
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        and state.counter(name).nation == HUNGARIAN
        and not spared(state, name)
    )


def over(state: State, kept: Iterable[str]) -> int:
    """HR 2.3b Steps of these units that count against the twelve: HQs and artillery above three
    each, and all others."""
    chart = state.charts.printed.chart[TABLE_NAME]["kept_by_choice"]
    free = {"hq": chart["hqs"], "artillery": chart["artillery"]}
    used = 0
    for name in kept:
        counter = state.counter(name)
        kind = "hq" if counter.hq else "artillery" if counter.artillery else ""
        if free.get(kind, 0) > 0:
            free[kind] -= 1
        else:
            used += steps(counter, state.units[name])
    return used


def fits(state: State, kept: tuple[str, ...]) -> bool:
    """HR 2.3b, R-22 Whether the Axis may keep these units."""
    chart = state.charts.printed.chart[TABLE_NAME]["kept_by_choice"]
    return over(state, kept) <= int(chart["steps"])


@frozen
class Keeping:
    """HR 2.3b Units that stay."""

    units: tuple[str, ...] = ()


def collapse(table: Table[State], kept: Iterable[str]) -> None:
    """HR 2.3b All others leave the map."""
    state = table.state
    side = state.charts.sides[0]
    staying = set(kept)
    gone = tuple(name for name in threatened(state) if name not in staying)
    piles = tuple(rules(state.charts).pile(state.charts, name) for name in gone)
    table.emit(Collapsed(side, fog.hidden(state, side, gone), fog.hidden(state, side, piles)))
    control.settle(table)


class Keep(Asking[State]):
    """HR 2.3b The Axis says in one command what it keeps."""

    verb_slot = "hr.keep"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The Axis, whatever it has left: nobody else knows."""
        return {at.state.charts.sides[0]: Decision(Say("prompt.hr.collapse", (), CLAUSE))}

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15 Which units there are is hidden."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """keep UNITS …"""
        return (
            Command(
                "keep",
                Keeping,
                Many("units", "hr.kept", _offered, _why_not, enough=True),
                apply=self._keep,
            ),
        )

    def _keep(self, table: Table[State], asked: Asked[State], order: Keeping) -> None:
        table.done()
        collapse(table, order.units)


def _offered(asked: Asked[State], order: Keeping) -> Iterable[str]:
    state = asked.state
    return [
        name
        for name in threatened(state)
        if name not in order.units and fits(state, (*order.units, name))
    ]


def _why_not(asked: Asked[State], order: Keeping, pick: Pick) -> Refusal:
    """HR 2.3b"""
    state = asked.state
    if pick not in threatened(state):
        return refuse(CLAUSE, "refusal.hr.not_threatened", pick=pick)
    return refuse(CLAUSE, "refusal.hr.too_many_kept", pick=pick)


STEPS: Mapping[str, Step[State]] = {STEP: Keep()}
