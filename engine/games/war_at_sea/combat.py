"""7.1 The order of combat: kinds, places, and the tables that `rules.py` merges (sequence
"combat").

All anti-submarine fights, then all airstrikes, then all surface fights. Where the same kind is due
in several places the Axis player chooses which comes next (R1). With the option `combat_order`
"by_area" the Axis chooses an area and all three kinds are fought there first.
"""

from collections.abc import Callable, Mapping

from warledger.engine.games.war_at_sea.airstrikes import air_is_due
from warledger.engine.games.war_at_sea.antisubmarine import asw_is_due
from warledger.engine.games.war_at_sea.data import AXIS
from warledger.engine.games.war_at_sea.state import BY_AREA, State
from warledger.engine.games.war_at_sea.surface import surface_is_due
from warledger.engine.games.war_at_sea.volley import CombatClosed
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import EachBy, Step

Due = Callable[[State, str], bool]


def places_due(state: State, *kinds: Due) -> tuple[str, ...]:
    """7.1 Areas and ports in which at least one of these kinds of combat is due, in the order of
    the pack."""
    return tuple(
        place
        for place in (*state.data.areas, *state.data.ports)
        if any(due(state, place) for due in kinds)
    )


class CombatOrder(Step[State]):
    """7.1 By kind, or area by area (R1)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Call the sequence that the option names."""
        table.done()
        if table.state.options.combat_order == BY_AREA:
            table.call("combat_by_area")
        else:
            table.call("combat_by_kind")


class FightEach(Step[State]):
    """7.1 All places where these kinds are due now, in an order that the Axis chooses: `order` is
    the step that asks it."""

    def __init__(self, order: str, *kinds: Due) -> None:
        self.order = order
        self.kinds = kinds

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Call the choosing step, or nothing is due."""
        table.done()
        places = places_due(table.state, *self.kinds)
        if places:
            table.call(self.order, AXIS, *places)


class CloseCombat(Step[State]):
    """7.1 The fight in a place is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Close it."""
        table.done()
        combat = table.state.combat
        table.emit(CombatClosed(combat.kind, combat.place))


STEPS: Mapping[str, Step[State]] = {
    "combat_order": CombatOrder(),
    "asw_everywhere": FightEach("asw_order", asw_is_due),
    "air_everywhere": FightEach("air_order", air_is_due),
    "surface_everywhere": FightEach("surface_order", surface_is_due),
    "combat_everywhere": FightEach("area_order", asw_is_due, air_is_due, surface_is_due),
    "asw_order": EachBy("asw_at", "war_at_sea.place", "prompt.war_at_sea.asw_order", "7.1"),
    "air_order": EachBy("air_at", "war_at_sea.place", "prompt.war_at_sea.air_order", "7.1"),
    "surface_order": EachBy(
        "surface_at", "war_at_sea.place", "prompt.war_at_sea.surface_order", "7.1"
    ),
    "area_order": EachBy("area_combat", "war_at_sea.place", "prompt.war_at_sea.area_order", "7.1"),
    "close_combat": CloseCombat(),
}
