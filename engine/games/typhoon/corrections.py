"""What an arbiter may set right outside combat: where a unit stands (3.1), its face (2.21(3)), who
controls a city or town (3.4), and whether the Axis has held enough of Moscow and Tula (14.4(2))."""

from collections.abc import Iterator, Mapping
from typing import Any

from warledger.engine.games.chitpull import corrections
from warledger.engine.games.chitpull.corrections import CONTROL, FACE, MOVE, REDUCED, REMOVE
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.draw import ACTIVATED, face, put_piece
from warledger.engine.games.typhoon.headquarters import home_of
from warledger.engine.games.typhoon.state import AVAILABLE, ELIMINATED, State, changed, relocated
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Choices, Picks, Step, event
from warledger.protocol.board.choices import WHOLE, offer
from warledger.protocol.board.effects import Effect, flip, mark, take, track

GATE = "gate"
REACHED, NOT_REACHED = "reached", "not_reached"

# --- events ---------------------------------------------------------------------------------------


@event("corrected_place")
class PlaceCorrected:
    """3.1, 12.3 A unit stands elsewhere: in a hex, or off the map in `where`, on its full face."""

    unit: str
    hex: str
    where: str


@event("corrected_face")
class FaceCorrected:
    """2.21(3) A unit shows this face."""

    unit: str
    reduced: bool


@event("corrected_control")
class ControlCorrected:
    """3.4 A side controls a city or town."""

    hex: str
    side: str


@event("corrected_gate")
class GateCorrected:
    """14.4(2) Whether the Axis has ever held enough of Moscow and Tula at one time."""

    reached: bool


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(PlaceCorrected)
def _place(state: State, event: PlaceCorrected) -> State:
    """3.1 It stands there; 12.3(1) what leaves the map shows its full face."""
    if event.hex:
        return relocated(state, event.unit, state.data.hex(event.hex))
    return relocated(state, event.unit, OFF_MAP, event.where, fresh=True)


@after(FaceCorrected)
def _face(state: State, event: FaceCorrected) -> State:
    made = replace(state.units[event.unit], reduced=event.reduced)
    return changed(state, units={**state.units, event.unit: made})


@after(ControlCorrected)
def _control(state: State, event: ControlCorrected) -> State:
    return changed(state, control={**state.control, state.data.hex(event.hex): event.side})


@after(GateCorrected)
def _gate(state: State, event: GateCorrected) -> State:
    return changed(state, latch=event.reached)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(PlaceCorrected)
def _draw_place(before: State, event: PlaceCorrected, after: State) -> Iterator[Effect]:
    if not event.hex:
        yield take(event.unit, event.where)
    yield put_piece(after, event.unit)
    active = after.activation
    shown = bool(event.hex) and active is not None and event.unit in active.units
    yield mark(event.unit, ACTIVATED, int(shown))


@draws(FaceCorrected)
def _draw_face(before: State, event: FaceCorrected, after: State) -> Iterator[Effect]:
    yield flip(event.unit, face(after, event.unit))


@draws(ControlCorrected)
def _draw_control(before: State, event: ControlCorrected, after: State) -> Iterator[Effect]:
    for side in SIDES:
        yield mark(event.hex, f"control.{side}", int(side == event.side))


@draws(GateCorrected)
def _draw_gate(before: State, event: GateCorrected, after: State) -> Iterator[Effect]:
    yield track("gate", int(event.reached))


# --- the door -------------------------------------------------------------------------------------


class Corrections(corrections.Corrections[State]):
    """2.21(3), 3.1, 3.4, 14.4(2) What both titles ask, and `gate` WORD."""

    more = (GATE,)

    def at_rest(self, state: State) -> bool:
        """10.2 No combat, and none declared; 12.0, 15.1 no command whose units are still chosen."""
        active = state.activation
        declared = active is not None and active.attacks
        busy = state.battle, state.intake, state.draft
        return state.turn > 0 and not declared and busy == (None, None, None)

    def pieces(self, state: State) -> tuple[str, ...]:
        """3.1 Those on the map; 12.3 those that were lost or may return."""
        types = state.data.types
        return tuple(
            name
            for name, unit in state.units.items()
            if unit.at != OFF_MAP or unit.where in (ELIMINATED, AVAILABLE[types[name].side])
        )

    def fits(self, state: State, name: str, i: int) -> bool:
        """3.1(1) Within the limit of stacking, on land."""
        data = state.data
        return i not in data.water and len(state.field.stacks.get(i, ())) < data.stack

    def control(self, state: State) -> dict[int, str]:
        """3.4 Cities and towns."""
        return dict(state.control)

    def is_reduced(self, state: State, name: str) -> bool:
        """2.21(3)"""
        return state.units[name].reduced

    def further(self, state: State, picks: Picks) -> Choices:
        """14.4(2) The other of the two."""
        _, *which = picks
        if which:
            return WHOLE
        return offer("correct_gate", (NOT_REACHED if state.latch else REACHED,))

    def carried_out(self, table: Table[State], picks: Picks) -> Iterator[Any]:
        """3.1 The event of a correction; 12.3 what is removed goes where a combat would send it."""
        verb, what, *rest = picks
        name = str(what)
        if verb == MOVE:
            yield PlaceCorrected(name, str(rest[0]), "")
        elif verb == REMOVE:
            yield PlaceCorrected(name, "", home_of(table.state, name, "losses"))
        elif verb == FACE:
            yield FaceCorrected(name, rest[0] == REDUCED)
        elif verb == CONTROL:
            yield ControlCorrected(name, str(rest[0]))
        else:
            yield GateCorrected(what == REACHED)


CORRECTIONS = Corrections()
STEPS: Mapping[str, Step[State]] = {}
