"""What an arbiter may set right between combats: where a ship lies, its damage, who controls an
area, and the marker of the score. Ships that lie face down (18.2) are left alone, since a
correction hides nothing."""

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from warledger.engine.games.war_at_sea.data import SEATS
from warledger.engine.games.war_at_sea.draw import CONTROL_MARK, face
from warledger.engine.games.war_at_sea.state import BOXES, Ship, State, with_ship
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step, event
from warledger.protocol.board.effects import Effect, mark, put, track

NOBODY = "nobody"

# --- events ---------------------------------------------------------------------------------------


@event("corrected_place")
class PlaceCorrected:
    """2.1, 2.2 A ship lies elsewhere, as if it had been there since the turn began."""

    ship: str
    place: str


@event("corrected_damage")
class DamageCorrected:
    """7.6 A ship has this much damage."""

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

after = ByEvent()


@after(PlaceCorrected)
def _place(state: State, event: PlaceCorrected) -> State:
    return with_ship(state, event.ship, place=event.place, origin=event.place, path=())


@after(DamageCorrected)
def _damage(state: State, event: DamageCorrected) -> State:
    return with_ship(state, event.ship, damage=event.damage)


@after(ControlCorrected)
def _control(state: State, event: ControlCorrected) -> State:
    return replace(state, control={**state.control, event.area: event.side})


@after(ScoreCorrected)
def _score(state: State, event: ScoreCorrected) -> State:
    return replace(state, score=event.score)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(PlaceCorrected)
def _draw_place(before: State, event: PlaceCorrected, after: State) -> Iterator[Effect]:
    ship = after.ships[event.ship]
    yield put(ship.id, event.place, face(ship), ship.side)


@draws(DamageCorrected)
def _draw_damage(before: State, event: DamageCorrected, after: State) -> Iterator[Effect]:
    yield mark(event.ship, "damage", event.damage)


@draws(ControlCorrected)
def _draw_control(before: State, event: ControlCorrected, after: State) -> Iterator[Effect]:
    for side in SEATS:
        yield mark(event.area, CONTROL_MARK[side], int(event.side == side))


@draws(ScoreCorrected)
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


def _between_combats(asked: Asked[State]) -> bool:
    return asked.state.fight is None


@frozen
class Moving:
    """2.2 A ship, and where it should lie."""

    ship: str = ""
    place: str = ""


@frozen
class Damaging:
    """7.6 A ship, and the damage that it should have."""

    ship: str = ""
    damage: int = 0


@frozen
class Controlling:
    """12.2 An area, and the side whose marker should lie there."""

    area: str = ""
    side: str = ""


@frozen
class Scoring:
    """17.2 Where the marker should stand."""

    score: int = 0


def _ships(asked: Asked[State], order: Moving | Damaging) -> tuple[str, ...]:
    return movable(asked.state)


def _places(asked: Asked[State], order: Moving) -> tuple[str, ...]:
    return places(asked.state, asked.state.ships[order.ship])


def _damages(asked: Asked[State], order: Damaging) -> range:
    return range(asked.state.ships[order.ship].armor + 1)


def _areas(asked: Asked[State], order: Controlling) -> Iterable[str]:
    return asked.state.data.areas


def _sides(asked: Asked[State], order: Controlling) -> tuple[str, ...]:
    return (*SEATS, NOBODY)


def _scores(asked: Asked[State], order: Scoring) -> range:
    return range(asked.state.data.track_min, asked.state.data.track_max + 1)


def _move_ship(table: Table[State], asked: Asked[State], order: Moving) -> None:
    table.emit(PlaceCorrected(order.ship, order.place))


def _damage_ship(table: Table[State], asked: Asked[State], order: Damaging) -> None:
    table.emit(DamageCorrected(order.ship, order.damage))


def _control_area(table: Table[State], asked: Asked[State], order: Controlling) -> None:
    table.emit(ControlCorrected(order.area, "" if order.side == NOBODY else order.side))


def _set_score(table: Table[State], asked: Asked[State], order: Scoring) -> None:
    table.emit(ScoreCorrected(order.score))


class Corrections(Asking[State]):
    """2.1, 2.2, 7.6, 12.2, 17.2 `move` SHIP PLACE, `damage` SHIP n, `control` AREA SIDE, `score` n:
    nothing in the middle of a combat."""

    def commands(self) -> Commands[State]:
        """2.2 where a ship lies, 7.6 its damage, 12.2 an area's marker, 17.2 the score."""
        return (
            Command(
                "move",
                Moving,
                Slot("ship", "correct_ship", _ships),
                Slot("place", "correct_to", _places),
                when=_between_combats,
                apply=_move_ship,
            ),
            Command(
                "damage",
                Damaging,
                Slot("ship", "correct_ship", _ships),
                Slot("damage", "correct_damage", _damages),
                when=_between_combats,
                apply=_damage_ship,
            ),
            Command(
                "control",
                Controlling,
                Slot("area", "correct_area", _areas),
                Slot("side", "correct_side", _sides),
                when=_between_combats,
                apply=_control_area,
            ),
            Command(
                "score",
                Scoring,
                Slot("score", "correct_score", _scores),
                when=_between_combats,
                apply=_set_score,
            ),
        )


CORRECTIONS = Corrections()
STEPS: Mapping[str, Step[State]] = {}
