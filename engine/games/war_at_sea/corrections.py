"""What an arbiter may set right between combats: where a ship lies, its damage, who controls an
area, and the marker of the score. Ships that lie face down (18.2) are left alone, since a
correction hides nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from warledger.engine.games.war_at_sea.data import SEATS
from warledger.engine.games.war_at_sea.draw import CONTROL_MARK, face
from warledger.engine.games.war_at_sea.state import BOXES, Ship, State, with_ship
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Choices, Picks, Seat, Step, event
from warledger.protocol.choices import WHOLE, offer
from warledger.protocol.effects import Effect, mark, put, track

NOBODY = "nobody"

# --- events ---------------------------------------------------------------------------------------


@event("corrected_place")
class PlaceCorrected:
    """2.1, 2.2 A ship lies elsewhere, as if it had been there since the turn began."""

    ship: str
    place: str


@event("corrected_damage")
class DamageCorrected:
    """7.6 A ship has so much damage."""

    ship: str
    damage: int


@event("corrected_control")
class ControlCorrected:
    """12.2 A side's control marker lies in an area; "" for none."""

    area: str
    side: str


@event("corrected_score")
class ScoreCorrected:
    """17.2 The marker stands here."""

    score: int


# --- what follows ---------------------------------------------------------------------------------

_after = ByEvent()


@_after(PlaceCorrected)
def _place(state: State, event: PlaceCorrected) -> State:
    return with_ship(state, event.ship, place=event.place, origin=event.place, path=())


@_after(DamageCorrected)
def _damage(state: State, event: DamageCorrected) -> State:
    return with_ship(state, event.ship, damage=event.damage)


@_after(ControlCorrected)
def _control(state: State, event: ControlCorrected) -> State:
    return replace(state, control={**state.control, event.area: event.side})


@_after(ScoreCorrected)
def _score(state: State, event: ScoreCorrected) -> State:
    return replace(state, score=event.score)


# --- what clients see -----------------------------------------------------------------------------

_draws = ByEvent()


@_draws(PlaceCorrected)
def _draw_place(before: State, event: PlaceCorrected, after: State) -> Iterator[Effect]:
    ship = after.ships[event.ship]
    yield put(ship.id, event.place, face(ship), ship.side)


@_draws(DamageCorrected)
def _draw_damage(before: State, event: DamageCorrected, after: State) -> Iterator[Effect]:
    yield mark(event.ship, "damage", event.damage)


@_draws(ControlCorrected)
def _draw_control(before: State, event: ControlCorrected, after: State) -> Iterator[Effect]:
    for side in SEATS:
        yield mark(event.area, CONTROL_MARK[side], int(event.side == side))


@_draws(ScoreCorrected)
def _draw_score(before: State, event: ScoreCorrected, after: State) -> Iterator[Effect]:
    yield track("score", event.score)


# --- the door -------------------------------------------------------------------------------------


def movable(state: State) -> tuple[str, ...]:
    """The ships on the map that everybody can see."""
    return tuple(
        ship.id for ship in state.ships.values() if ship.place not in BOXES and not ship.down
    )


def places(state: State, ship: Ship) -> tuple[str, ...]:
    """2.2, 6.4, 16.1 – 16.3 Where a ship may lie: areas that its nation may enter, ports that it
    may enter and that are its side's."""
    areas = [area for area in state.data.areas if state.may_enter_area(ship, area)]
    ports = [
        name
        for name, port in state.data.ports.items()
        if state.may_enter_port(ship, name) and state.port_is_friendly(port, ship.side)
    ]
    return tuple(place for place in (*areas, *ports) if place != ship.place)


class Corrections(Step[State]):
    """2.1, 2.2, 7.6, 12.2, 17.2 `move` SHIP PLACE, `damage` SHIP n, `control` AREA SIDE, `score`
    n."""

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """What may be set right; nothing in the middle of a combat."""
        state = at.state
        if not picks:
            verbs = () if state.fight is not None else ("move", "damage", "control", "score")
            return offer("verb", verbs)
        verb = picks[0]
        if len(picks) == (2 if verb == "score" else 3):
            return WHOLE
        if verb == "score":
            return Choices("correct_score", span=(state.data.track_min, state.data.track_max))
        if len(picks) == 1:
            return (
                offer("correct_area", state.data.areas)
                if verb == "control"
                else offer("correct_ship", movable(state))
            )
        if verb == "control":
            return offer("correct_side", (*SEATS, NOBODY))
        ship = state.ships[str(picks[1])]
        if verb == "damage":
            return Choices("correct_damage", span=(0, ship.armor))
        return offer("correct_to", places(state, ship))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Set it right."""
        verb, what, *rest = picks
        if verb == "score":
            table.emit(ScoreCorrected(int(what)))
        elif verb == "control":
            side = str(rest[0])
            table.emit(ControlCorrected(str(what), "" if side == NOBODY else side))
        elif verb == "damage":
            table.emit(DamageCorrected(str(what), int(rest[0])))
        else:
            table.emit(PlaceCorrected(str(what), str(rest[0])))


CORRECTIONS = Corrections()
STEPS: Mapping[str, Step[State]] = {}
EVENTS: tuple[type[Any], ...] = (PlaceCorrected, DamageCorrected, ControlCorrected, ScoreCorrected)
TABLE: Mapping[type[Any], Callable[[State, Any], State]] = _after.table()
"""Event class -> the state after it."""
EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = _draws.table()
"""Event class -> what clients draw and tell of it."""
