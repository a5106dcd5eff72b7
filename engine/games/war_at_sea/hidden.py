"""18.2 Hidden Allied movement (with 6.3, R43): Allied ships sail face down and are turned up for combat.

From the beginning of Allied movement every Allied ship on the map is face down, those that stay in port too, or else a ship missing from
its port would tell who sailed. How many lie in each place stays open. Speed rolls name only the area, repairs are one sealed list, and
dice are rolled in an order drawn from the hidden seed, so that no order of events betrays a name. A place is turned up when combat begins
there; the rest when control has been decided, before ships return.
"""

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED
from engine.games.war_at_sea.state import Ship, State
from engine.kernel.position import Frame
from engine.kernel.table import Table
from engine.kernel.types import Step
from protocol.seal import Secret


def name_of(ship: Ship) -> ev.ShipName:
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
    table.emit(ev.TurnedUp(tuple((ship.id, ship.place) for ship in ships)))


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
            table.emit(ev.TurnedDown())


class TurnUp(Step[State]):
    """18.2 Once control is decided, ships that saw no combat are turned up as well."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """18.2 Turn up all that is still face down."""
        table.done()
        reveal_all(table)
