"""What an arbiter may set right outside combat: where a counter stands (5.0), its face (2.2.3) and
its state of supply (10.2), who controls a city and what each side has scored (14.0.1)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from warledger.engine.board.stacking import breach
from warledger.engine.games.chitpull import corrections
from warledger.engine.games.chitpull.corrections import CONTROL, FACE, MOVE, REDUCED, REMOVE
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.draw import (
    ACTIVATED,
    activated_now,
    control_marks,
    face,
    put_piece,
    scores,
    supply_marks,
)
from warledger.engine.games.victory_lost.state import (
    ELIMINATED,
    IN_SUPPLY,
    OUT_OF_SUPPLY,
    SURROUNDED,
    State,
    changed,
    relocated,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Choices, Picks, Step, event
from warledger.protocol.board.choices import WHOLE, offer
from warledger.protocol.board.effects import Effect, flip, mark, take

STATUS, POINTS = "status", "points"
STATES = {"in_supply": IN_SUPPLY, "out_of_supply": OUT_OF_SUPPLY, "surrounded": SURROUNDED}
"""10.2 The states of supply by the words for them."""
POINTS_MAX = 200
"""More than all cities, counters and retreats of a game are worth together."""

# --- events ---------------------------------------------------------------------------------------


@event("corrected_place")
class PlaceCorrected:
    """5.0, 9.4.2 A counter stands elsewhere; "" is among the eliminated. No points change."""

    unit: str
    hex: str


@event("corrected_face")
class FaceCorrected:
    """2.2.3 A unit shows this face."""

    unit: str
    reduced: bool


@event("corrected_supply")
class SupplyCorrected:
    """10.2 A counter is in this state of supply."""

    unit: str
    supply: int


@event("corrected_control")
class ControlCorrected:
    """14.0.1 A side controls a city. No points change."""

    hex: str
    side: str


@event("corrected_points")
class PointsCorrected:
    """14.0.1 A side has scored so much."""

    side: str
    points: int


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(PlaceCorrected)
def _place(state: State, event: PlaceCorrected) -> State:
    """5.0 It stands there; 9.4.2 or is among the eliminated."""
    if event.hex:
        return relocated(state, event.unit, state.data.hex(event.hex))
    return relocated(state, event.unit, OFF_MAP, ELIMINATED)


@after(FaceCorrected)
def _face(state: State, event: FaceCorrected) -> State:
    return _counter(state, event.unit, reduced=event.reduced)


@after(SupplyCorrected)
def _supply(state: State, event: SupplyCorrected) -> State:
    return _counter(state, event.unit, supply=event.supply)


@after(ControlCorrected)
def _control(state: State, event: ControlCorrected) -> State:
    return changed(state, control={**state.control, state.data.hex(event.hex): event.side})


@after(PointsCorrected)
def _points(state: State, event: PointsCorrected) -> State:
    return changed(state, score={**state.score, event.side: event.points})


def _counter(state: State, name: str, **changes: Any) -> State:
    made = replace(state.counters[name], **changes)
    return changed(state, counters={**state.counters, name: made})


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(PlaceCorrected)
def _draw_place(before: State, event: PlaceCorrected, after: State) -> Iterator[Effect]:
    if not event.hex:
        yield take(event.unit, ELIMINATED)
    yield put_piece(after, event.unit)
    yield from supply_marks(event.unit, after.counters[event.unit].supply)
    yield mark(event.unit, ACTIVATED, int(event.unit in activated_now(after)))


@draws(FaceCorrected)
def _draw_face(before: State, event: FaceCorrected, after: State) -> Iterator[Effect]:
    yield flip(event.unit, face(after, event.unit))


@draws(SupplyCorrected)
def _draw_supply(before: State, event: SupplyCorrected, after: State) -> Iterable[Effect]:
    return supply_marks(event.unit, event.supply)


@draws(ControlCorrected)
def _draw_control(before: State, event: ControlCorrected, after: State) -> Iterable[Effect]:
    return control_marks(after, after.data.hex(event.hex))


@draws(PointsCorrected)
def _draw_points(before: State, event: PointsCorrected, after: State) -> Iterable[Effect]:
    return scores(after)


# --- the door -------------------------------------------------------------------------------------


class Corrections(corrections.Corrections[State]):
    """2.2.3, 5.0, 10.2, 14.0.1 What both titles ask, and `status` COUNTER STATE, `points` SIDE
    n."""

    more = (STATUS, POINTS)

    def at_rest(self, state: State) -> bool:
        """9.2 No combat; R-16 no move that an overrun has interrupted."""
        active = state.activation
        interrupted = active is not None and active.interrupted is not None
        return state.turn > 0 and state.battle is None and not interrupted

    def pieces(self, state: State) -> tuple[str, ...]:
        """5.0 Those on the map; 9.4.2 those that were eliminated."""
        return tuple(
            name
            for name, counter in state.counters.items()
            if counter.at != OFF_MAP or counter.where == ELIMINATED
        )

    def fits(self, state: State, name: str, i: int) -> bool:
        """5.0.1, 5.0.4 Within the limits of stacking; 13.0 not in the closed pocket."""
        data = state.data
        if i in data.water or state.field.closed(i):
            return False
        stack = (*state.field.stacks.get(i, ()), name)
        return breach(data.limits, [data.types[one].piece for one in stack]) is None

    def control(self, state: State) -> dict[int, str]:
        """14.0.1 The cities."""
        return dict(state.control)

    def is_reduced(self, state: State, name: str) -> bool:
        """2.2.3"""
        return state.counters[name].reduced

    def further(self, state: State, picks: Picks) -> Choices:
        """10.2 A counter's state of supply; 14.0.1 a side's points."""
        verb, *rest = picks
        if len(rest) == 2:
            return WHOLE
        if verb == POINTS:
            if rest:
                return Choices("correct_points", span=(0, POINTS_MAX))
            return offer("correct_side", SIDES)
        if not rest:
            return offer("correct_unit", self.on_map(state))
        now = state.counters[str(rest[0])].supply
        words = tuple(word for word, supply in STATES.items() if supply != now)
        return offer("correct_supply", words)

    def carried_out(self, table: Table[State], picks: Picks) -> Iterator[Any]:
        """5.0 The event of a correction."""
        verb, what, *rest = picks
        name = str(what)
        if verb == MOVE:
            yield PlaceCorrected(name, str(rest[0]))
        elif verb == REMOVE:
            yield PlaceCorrected(name, "")
        elif verb == FACE:
            yield FaceCorrected(name, rest[0] == REDUCED)
        elif verb == CONTROL:
            yield ControlCorrected(name, str(rest[0]))
        elif verb == STATUS:
            yield SupplyCorrected(name, STATES[str(rest[0])])
        else:
            yield PointsCorrected(name, int(rest[0]))


CORRECTIONS = Corrections()
STEPS: Mapping[str, Step[State]] = {}
