"""OCS 9.11: losing steps.

OCS 9.11a The owner chooses where losses fall. OCS 9.11c But the AR unit takes the first of its
side, and all units lose one before any loses two. What nobody is left to take is ignored. Losses by
barrage, retreat and attrition are chosen freely. OCS 4.6 A combat unit other than a multi-step unit
has one step. Every step of the game is lost through `lose` or `destroy`, every aircraft's through
`lose_plane`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import steps
from warledger.engine.games.ocs.ch09_combat.combat_in_progress import Battle
from warledger.engine.games.ocs.series import events as e
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, Aircraft, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

COMBAT, RETREAT = "combat", "retreat"
"""Why steps are lost (`StepsLost.why`): results and their options, and retreats."""


@event("ocs.plane_lost")
class PlaneLost:
    """OCS 14.1 An aircraft loses steps; with its last one it goes to `pile`, else that is ""."""

    aircraft: Any
    steps: int
    pile: Any
    why: str


after = ByEvent()


@after(PlaneLost)
def _plane_lost(state: State, event: PlaneLost) -> State:
    name, pile = fog.plain(event.aircraft), fog.plain(event.pile)
    plane = state.aircraft[name]
    sortie = state.sortie
    if pile:
        made = Aircraft(None, pile)
        sortie = None if sortie is None else sortie.without(name)
    else:
        made = replace(plane, lost=plane.lost + event.steps)
    return replace(state, aircraft={**state.aircraft, name: made}, sortie=sortie)


def lose(table: Table[State], unit: str, steps: int = 1, *, why: str) -> int:
    """OCS 9.10, 10.0, 12.8b A unit loses steps, no more than it has; with the last it goes to its
    side's pile. Returns how many it lost. Who lost them, and whether it died of them, is the
    owner's to know (OCS R-17): of a death the enemy sees that a hex shows another unit."""
    state = table.state
    lost = min(steps, steps_of(state, unit))
    if lost < 1:
        return 0
    dies = lost == steps_of(state, unit)
    pile = rules(state.charts).pile(state.charts, unit) if dies else ""
    side, at = state.side(unit), state.units[unit].at
    table.emit(
        e.StepsLost(
            fog.hidden(state, side, unit),
            lost,
            fog.hidden(state, side, pile),
            side,
            state.charts.board.name(at) if at != OFF_MAP else "",
            why,
        )
    )
    return lost


def destroy(table: Table[State], units: Sequence[str], *, why: str) -> None:
    """OCS 9.12, 12.8 Units in one hex are lost with all the steps that they have left and go to
    their side's piles. One event tells of all of them, so that nobody else learns how many they
    were."""
    state = table.state
    gone = alive(state, units)
    if not gone:
        return
    side, at = state.side(gone[0]), state.units[gone[0]].at
    piles = tuple(rules(state.charts).pile(state.charts, name) for name in gone)
    table.emit(
        e.Destroyed(
            side,
            state.charts.board.name(at),
            fog.hidden(state, side, gone),
            fog.hidden(state, side, piles),
            why,
        )
    )


def lose_plane(table: Table[State], aircraft: str, steps: int = 1, *, why: str) -> int:
    """OCS 14.1 An aircraft loses steps; with the last one it goes to its side's pile. Returns how
    many it lost. Which one it was is its owner's to know unless the enemy sees it (OCS R-15)."""
    state = table.state
    plane, printed = state.aircraft[aircraft], state.charts.printed.planes[aircraft]
    side = printed.side
    lost = min(steps, printed.steps - plane.lost)
    if lost < 1:
        return 0
    dies = lost == printed.steps - plane.lost
    pile = rules(state.charts).air_pile(state.charts, aircraft) if dies else ""

    def told(value: str) -> Any:
        return value if fog.aircraft_seen(state, aircraft) else fog.hidden(state, side, value)

    table.emit(PlaneLost(told(aircraft), lost, told(pile), why))
    return lost


def steps_of(state: State, unit: str) -> int:
    """OCS 4.6 The steps that a unit on the map has left, 0 once it is off it."""
    found = state.units[unit]
    return 0 if found.at == OFF_MAP else steps(state.counter(unit), found)


def alive(state: State, names: Iterable[str]) -> tuple[str, ...]:
    """Those of these units that have steps left on the map."""
    return tuple(name for name in names if steps_of(state, name) > 0)


def takers(state: State, battle: Battle, side: str) -> tuple[str, ...]:
    """OCS 9.11c Who may take the next loss of a side: the AR unit its first; then those that have
    taken the fewest; a loss that has been doubled, of those that lose double. Empty once nobody is
    left, and the rest of the result is ignored."""
    fighting = battle.of(side)
    left = alive(state, fighting)
    if battle.doubled:
        left = doubling(state, battle, left)
    if not left:
        return ()
    leader = battle.leaders.get(side, "")
    if leader in left and not any(battle.taken.get(name) for name in fighting):
        return (leader,)
    fewest = min(battle.taken.get(name, 0) for name in left)
    return tuple(name for name in left if battle.taken.get(name, 0) == fewest)


def doubling(state: State, battle: Battle, names: Iterable[str]) -> tuple[str, ...]:
    """OCS 9.11 Those of these units that lose double by the game's rules."""
    game = rules(state.charts)
    return tuple(name for name in names if game.loses_double(state, battle, name))
