"""18.2 Hidden Allied movement (with 6.3, R43): Allied ships sail face down and are turned up for
combat.

From the beginning of Allied movement every Allied ship on the map is face down, those that stay in
port too. Else a ship missing from its port would tell who sailed. How many lie in each place stays
open. Speed rolls name only the area, and repairs are one sealed list. Dice are rolled in an order
drawn from the hidden seed, so that no order of events betrays a name. A place is turned up when
combat begins there; the rest when control has been decided, before ships return.
"""

from collections.abc import Iterator, Mapping

from warledger.engine.games.war_at_sea.data import ALLIED
from warledger.engine.games.war_at_sea.draw import counts, draw_ship
from warledger.engine.games.war_at_sea.state import Ship, ShipName, State, with_ships
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Step, event
from warledger.protocol.board.effects import Effect, count, take, tell
from warledger.protocol.chance.seal import Secret

# --- events ---------------------------------------------------------------------------------------


@event("turned_down")
class TurnedDown:
    """18.2 The Allied ships on the map are turned face down."""


@event("turned_up")
class TurnedUp:
    """18.2 Face-down ships are turned up: pairs (ship, place)."""

    ships: tuple[tuple[str, str], ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(TurnedDown)
def _turned_down(state: State, event: TurnedDown) -> State:
    return with_ships(state, [replace(ship, down=True) for ship in state.of_side(ALLIED)])


@after(TurnedUp)
def _turned_up(state: State, event: TurnedUp) -> State:
    return with_ships(
        state, [replace(state.ships[name], down=False, seal=None) for name, _ in event.ships]
    )


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(TurnedDown)
def _draw_turned_down(before: State, event: TurnedDown, after: State) -> Iterator[Effect]:
    """18.2 Who lies where is public until now, so the order of the pack may show."""
    for place in (*after.data.areas, *after.data.ports):
        for ship in after.at(place, ALLIED):
            yield take(ship.id)
            yield from draw_ship(after, ship)
    yield from counts(after)
    yield tell("war_at_sea.turned_down", "18.2")


@draws(TurnedUp)
def _draw_turned_up(before: State, event: TurnedUp, after: State) -> Iterator[Effect]:
    for name, _ in event.ships:
        yield from draw_ship(after, after.ships[name])
    places = dict.fromkeys(place for _, place in event.ships)
    for place in places:
        yield count(place, after.face_down(place))
        yield tell(
            "war_at_sea.turned_up",
            "18.2",
            ships=tuple(name for name, at in event.ships if at == place),
            place=place,
        )


def name_of(ship: Ship) -> ShipName:
    """18.2 The ship as an event names it: a secret of the Allied player while it is face down."""
    return Secret(ship.id, (ALLIED,)) if ship.down else ship.id


def reveal_area(table: Table[State], place: str) -> None:
    """18.2, R43 Turn up the face-down ships of a place; nothing happens if there are none."""
    _turn_up(table, [ship for ship in table.state.at(place) if ship.down])


def reveal_all(table: Table[State]) -> None:
    """18.2 Turn up every face-down ship."""
    _turn_up(table, [ship for ship in table.state.ships.values() if ship.down])


def _turn_up(table: Table[State], ships: list[Ship]) -> None:
    if not ships:
        return
    for ship in ships:
        if ship.seal is not None:
            table.reveal(ship.seal)
    table.emit(TurnedUp(tuple((ship.id, ship.place) for ship in ships)))


def in_hidden_order(table: Table[State], ships: list[Ship]) -> list[Ship]:
    """18.2 Face-down ships in an order that says nothing of who they are."""
    left, order = list(ships), []
    while len(left) > 1:
        ship = table.draw(left, "order", (ALLIED,))
        left.remove(ship)
        order.append(ship)
    return order + left


class TurnDown(Step[State]):
    """18.2 At the beginning of Allied movement, if the variant is in force."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """18.2 Turn the Allied ships face down."""
        table.done()
        if table.state.hidden:
            table.emit(TurnedDown())


class TurnUp(Step[State]):
    """18.2 Once control is decided, ships that saw no combat are turned up as well."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """18.2 Turn up all that is still face down."""
        table.done()
        reveal_all(table)


STEPS: Mapping[str, Step[State]] = {
    "turn_down": TurnDown(),
    "turn_up": TurnUp(),
}
