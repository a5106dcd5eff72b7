"""OCS 14.5: interception.

OCS 14.5 Once a mission, one active fighter whose own patrol zone covers the target may meet it. OCS
14.4a Missions that never meet flak (sweeps) are not intercepted. It returns to its base either way:
the loser inactive, the winner active, so that it may intercept again. Weather never bars it. [E]
Neither side aborts before the combat. OCS 14.4d Other active aircraft in the hex take part.

The window opens by what both sides see: the target lies in the patrol zone of a base whose top
active aircraft is a fighter (4.8b E: fighters lie on top). A side without a fighter that may go is
asked anyway, and can only pass.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.games.ocs.ch14_air import air_combat, aircraft
from warledger.engine.games.ocs.ch14_air.air_combat import mission
from warledger.engine.games.ocs.ch14_air.flak import ON_CHART
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say

INTERCEPTION = "ocs.interception"
"""The name of the step."""


@event("ocs.intercepted")
class Intercepted:
    """OCS 14.5 A fighter goes up against the mission, "" when it is let pass."""

    aircraft: str


after = ByEvent()


@after(Intercepted)
def _intercepted(state: State, event: Intercepted) -> State:
    return replace(state, sortie=replace(mission(state), intercepted=True))


def is_open(state: State) -> bool:
    """OCS 14.5, 14.4a Whether the mission in progress may be intercepted, by what both sides
    see."""
    sortie = mission(state)
    if sortie.intercepted or sortie.target < 0 or not sortie.aircraft:
        return False
    if ON_CHART.get(sortie.kind, sortie.kind) in state.charts.tables.flak.never:
        return False
    return aircraft.patrolled(state, state.enemy(sortie.side), sortie.target)


def in_the_air(state: State, interceptor: str) -> tuple[str, ...]:
    """OCS 14.4d, 14.5 Who meets when a fighter intercepts: the fighter, the mission, and other
    active aircraft of either side at a base in the hex."""
    sortie = mission(state)
    there = (
        name
        for side in state.charts.sides
        for name in aircraft.active_over(state, side, sortie.target)
    )
    return tuple(dict.fromkeys((interceptor, *sortie.aircraft, *there)))


@frozen
class InterceptOrder:
    """The fighter that goes up."""

    aircraft: str = ""


class Interception(Asking[State]):
    """OCS 14.2f(D), 14.5 The enemy of the mission: `intercept AIRCRAFT` or `pass`."""

    verb_slot = "ocs.interception"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The enemy of the mission, while the window is open."""
        state = at.state
        if not is_open(state):
            return {}
        return {
            state.enemy(mission(state).side): Decision(say("prompt.ocs.interception", "OCS 14.5"))
        }

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody can meet the mission, or somebody has, or it was let pass."""
        table.done()

    def commands(self) -> Commands[State]:
        """intercept, pass."""
        return (
            Command(
                "intercept",
                InterceptOrder,
                Slot("aircraft", "ocs.aircraft", _interceptors, _why_not),
                apply=self._intercept,
                when=lambda asked: bool(_able(asked)),
                why=lambda asked: refuse("OCS 14.5", "refusal.ocs.no_interceptor"),
            ),
            word("pass", lambda table, asked: self._pass(table)),
        )

    def _intercept(self, table: Table[State], asked: Asked[State], order: InterceptOrder) -> None:
        state = table.state
        names = in_the_air(state, order.aircraft)
        table.done()
        table.emit(Intercepted(order.aircraft))
        air_combat.join(table, asked.seat, names, order.aircraft)

    def _pass(self, table: Table[State]) -> None:
        table.done()
        table.emit(Intercepted(""))


def _able(asked: Asked[State]) -> tuple[str, ...]:
    return aircraft.interceptors(asked.state, asked.seat, mission(asked.state).target)


def _interceptors(asked: Asked[State], order: InterceptOrder) -> Iterable[str]:
    return _able(asked)


def _why_not(asked: Asked[State], order: InterceptOrder, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    plane = state.aircraft.get(name)
    if plane is None or aircraft.printed(state, name).side != asked.seat:
        return refuse("OCS 14.5", "refusal.ocs.not_your_aircraft", aircraft=name)
    if not aircraft.printed(state, name).fighter:
        return refuse("OCS 14.1", "refusal.ocs.no_fighter", aircraft=name)
    if aircraft.printed(state, name).paren:
        return refuse("OCS 14.3a", "refusal.ocs.rating_in_parentheses", aircraft=name)
    if not plane.active:
        return refuse("OCS 14.1a", "refusal.ocs.inactive", aircraft=name)
    return refuse("OCS 14.4c", "refusal.ocs.outside_patrol_zone", aircraft=name)


STEPS: Mapping[str, Step[State]] = {INTERCEPTION: Interception()}
