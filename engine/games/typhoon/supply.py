"""11.0 The supply procedure of both sides, when the SUPPLY chit is drawn: steps lost without a LOC, then the evacuation boxes."""

from collections.abc import Mapping

from engine.games.chitpull.sides import SIDES
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon.combat import lose_step
from engine.games.typhoon.events import Evacuated, SupplyChecked
from engine.games.typhoon.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


def cut_off(state: State) -> tuple[str, ...]:
    """11.1(1), R-31 The units of both sides that no LOC reaches, in order of ids, judged on one position. R-09 A unit's own hex never
    blocks its LOC."""
    types = state.data.types
    lines = {side: state.field.loc(side) for side in SIDES}
    return tuple(name for name, unit in state.units.items() if unit.at != OFF_MAP and not lines[types[name].side] >> unit.at & 1)


class SupplyLosses(Step[State]):
    """11.1(1) Each of them loses a step; 12.3(2), 13.0(5) what is removed so is out for good."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Both sides at once."""
        names = cut_off(table.state)
        table.done()
        table.emit(SupplyChecked(names))
        for name in names:
            lose_step(table, name, "supply")


def liftable(state: State, side: str) -> tuple[str, ...]:
    """11.2, R-32 The units of a side, HQs too, that may be taken off the map: those with a LOC, in any hex."""
    field, memo = state.field, state.field.memo
    found = memo.get(("liftable", side))
    if found is None:
        mine, line = field.zones(side).pieces, field.loc(side)
        names = sorted(name for i, stack in field.stacks.items() if mine[i] and line >> i & 1 for name in stack)
        found = memo["liftable", side] = tuple(names)
    return tuple(found)


class Evacuation(Step[State]):
    """11.2 One side may lift units into its evacuation box, one after the other; R-32 the Axis first."""

    def __init__(self, side: str) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The side, while it has a unit with a LOC."""
        return {self.side: Decision(say("prompt.typhoon.evacuate", "11.2"))} if liftable(at.state, self.side) else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A unit, or no more."""
        if not picks:
            return offer("typhoon.verb", ("done", "evacuate"))
        if picks[0] == "evacuate" and len(picks) == 1:
            return offer("typhoon.unit", liftable(at.state, seat))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """Only own units on the map with a LOC."""
        pick = str(picks[-1])
        if len(picks) == 1:
            return refuse("11.2", "refusal.typhoon.verb", pick=pick)
        return refuse("11.2", "refusal.typhoon.no_loc", unit=pick)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Lift a unit, or be done."""
        if picks[0] == "done":
            table.done()
        else:
            table.emit(Evacuated(str(picks[1])))
