"""11.0 The supply procedure of both sides, when the SUPPLY chit is drawn: steps lost without a LOC,
then the evacuation boxes."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.games.chitpull import lines
from warledger.engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.losses import lose_step
from warledger.engine.games.typhoon.state import EVACUATED, State, changed, relocated
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, phase, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("supplied")
class SupplyChecked:
    """11.1(1), R-31 All units of both sides without a LOC, judged on one position."""

    units: tuple[str, ...]


@event("evacuated")
class Evacuated:
    """11.2 A unit is lifted into its evacuation box."""

    unit: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Evacuated)
def _evacuated(state: State, event: Evacuated) -> State:
    """11.2, R-32 A unit keeps its steps in the box."""
    side = state.data.types[event.unit].side
    lifted = relocated(state, event.unit, OFF_MAP, EVACUATED[side])
    return changed(lifted, evacuated={**state.evacuated, event.unit: state.turn})


after.unchanged(SupplyChecked)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(SupplyChecked)
def _draw_supplied(before: State, event: SupplyChecked, after: State) -> Iterable[Effect]:
    yield phase("phase.typhoon.supply")
    if event.units:
        yield tell("typhoon.cut_off", "11.1(1)", units=event.units)
    else:
        yield tell("typhoon.all_supplied", "11.1(1)")


@draws(Evacuated)
def _draw_evacuated(before: State, event: Evacuated, after: State) -> Iterable[Effect]:
    yield take(event.unit, after.units[event.unit].where)
    yield tell("typhoon.evacuated", "11.2", unit=event.unit)


def cut_off(state: State) -> tuple[str, ...]:
    """11.1(1), R-31 The units of both sides that no LOC reaches, in order of ids, judged on one
    position. R-09 A unit's own hex never blocks its LOC."""
    field = state.field
    alone = 0
    for side in SIDES:
        alone |= lines.hexes_of(field.zones(side).pieces) & ~field.loc(side)
    if not alone:
        return ()
    return tuple(
        name for name, unit in state.units.items() if unit.at != OFF_MAP and alone >> unit.at & 1
    )


class SupplyLosses(Step[State]):
    """11.1(1) Each of them loses a step; 12.3(2), 13.0(5) what is removed so is out for good."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Both sides at once."""
        names = cut_off(table.state)
        table.done()
        table.emit(SupplyChecked(names))
        for name in names:
            lose_step(table, name, "supply")


@remembered(of=lambda state, side: state.field)
def liftable(state: State, side: str) -> tuple[str, ...]:
    """11.2, R-32 The units of a side, HQs too, that may be taken off the map: those with a LOC, in
    any hex."""
    field = state.field
    mine, line = field.zones(side).pieces, field.loc(side)
    return tuple(
        sorted(
            name for i, stack in field.stacks.items() if mine[i] and line >> i & 1 for name in stack
        )
    )


def _any_liftable(state: State, side: str) -> bool:
    field = state.field
    return bool(lines.hexes_of(field.zones(side).pieces) & field.loc(side))


@frozen
class Lifting:
    """The unit that is lifted into the evacuation box."""

    unit: str = ""


class Evacuation(Asking[State]):
    """11.2 One side may lift units into its evacuation box, one after the other; R-32 the Axis
    first."""

    verb_slot = "typhoon.verb"
    question = Decision(say("prompt.typhoon.evacuate", "11.2"))

    def __init__(self, side: str) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while it has a unit with a LOC."""
        return {self.side: self.question} if _any_liftable(at.state, self.side) else {}

    def commands(self) -> Commands[State]:
        """11.2 A unit, or no more."""
        return (
            word("done", lambda table, asked: table.done(), beyond=self.no_verb),
            Command(
                "evacuate",
                Lifting,
                Slot("unit", "typhoon.unit", self._units, self._why_not),
                apply=lambda table, asked, order: table.emit(Evacuated(order.unit)),
                beyond=self._why_not,
            ),
        )

    def _units(self, asked: Asked[State], order: Lifting) -> tuple[str, ...]:
        return liftable(asked.state, asked.seat)

    def _why_not(self, asked: Asked[State], order: Lifting, pick: Pick) -> Refusal:
        """11.2 Only own units on the map with a LOC."""
        return refuse("11.2", "refusal.typhoon.no_loc", unit=str(pick))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """11.2 Nothing else is done now."""
        return refuse("11.2", "refusal.typhoon.verb", pick=str(verb))


STEPS: Mapping[str, Step[State]] = {
    "supply_losses": SupplyLosses(),
    "evacuation_axis": Evacuation(AXIS),
    "evacuation_soviet": Evacuation(SOVIET),
}
