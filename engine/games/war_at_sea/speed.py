"""6.2 Speed rolls: every ship that moved two areas rolls a die in the second, and goes into a port
if it fails (R5, R6, R8)."""

from collections.abc import Iterable, Iterator, Mapping

from warledger.engine.games.war_at_sea.data import ALLIED, AXIS
from warledger.engine.games.war_at_sea.draw import who
from warledger.engine.games.war_at_sea.hidden import in_hidden_order, name_of
from warledger.engine.games.war_at_sea.homing import ChoosePorts
from warledger.engine.games.war_at_sea.ports import failed_destinations, port_refusal
from warledger.engine.games.war_at_sea.state import Ship, ShipName, State, named, with_ship
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import refuse, say
from warledger.protocol.board.effects import Effect, count, mark, move, roll, tell

# --- events ---------------------------------------------------------------------------------------


@event("speed_rolled")
class SpeedRolled:
    """6.2 A ship that moved two areas rolled its speed die in the second."""

    ship: ShipName
    area: str
    die: int
    holds: bool


@event("put_back")
class PutBack:
    """6.2, R8 A ship that failed its speed roll went into a port."""

    ship: ShipName
    area: str
    port: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(SpeedRolled)
def _speed_rolled(state: State, event: SpeedRolled) -> State:
    return with_ship(state, named(event.ship), rolled=True, failed=not event.holds)


@after(PutBack)
def _put_back(state: State, event: PutBack) -> State:
    return with_ship(state, named(event.ship), place=event.port)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(SpeedRolled)
def _draw_speed_rolled(before: State, event: SpeedRolled, after: State) -> Iterator[Effect]:
    ship = after.ships[named(event.ship)]
    yield roll("speed", 6, (event.die,))
    if not event.holds:
        yield mark(who(ship), "failed", 1)
    if ship.down:
        unnamed = "war_at_sea.speed_holds_down" if event.holds else "war_at_sea.speed_fails_down"
        yield tell(unnamed, "18.2", area=event.area, die=event.die)
        return
    key = "war_at_sea.speed_holds" if event.holds else "war_at_sea.speed_fails"
    yield tell(key, "6.2", ship=ship.id, area=event.area, die=event.die, speed=ship.speed_now)


@draws(PutBack)
def _draw_put_back(before: State, event: PutBack, after: State) -> Iterator[Effect]:
    ship = after.ships[named(event.ship)]
    yield move(who(ship), event.port)
    if ship.down:
        yield count(event.area, after.face_down(event.area))
        yield count(event.port, after.face_down(event.port))
        yield tell("war_at_sea.put_back_down", "18.2", area=event.area, port=event.port)
    else:
        yield tell("war_at_sea.put_back", "6.2", ship=ship.id, area=event.area, port=event.port)


# --- steps ----------------------------------------------------------------------------------------


class SpeedRolls(Step[State]):
    """6.1, 6.2, R5 After all ships of the side have moved, each that moved two areas rolls one
    die."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def advance(self, table: Table[State], frame: Frame) -> None:
        """6.2, R6 Less than its effective speed and it stays; else it goes into a port, at once
        where it has no choice."""
        table.done()
        for area in table.state.data.areas:
            ships = [
                ship
                for ship in table.state.at(area, self.side)
                if len(ship.path) == 2 and not ship.rolled
            ]
            for ship in in_hidden_order(table, ships) if ships and ships[0].down else ships:
                die = table.roll(6, "speed")
                table.emit(SpeedRolled(name_of(ship), area, die, die < ship.speed_now))
        if table.state.hidden and self.side == ALLIED:
            return
        for ship in failed_at_sea(table.state, self.side):
            ports = failed_destinations(table.state, ship)
            if len(ports) == 1:
                table.emit(PutBack(ship.id, ship.place, ports[0]))


def failed_at_sea(state: State, side: Seat) -> list[Ship]:
    """6.2 Ships that failed their roll and are still to go into a port."""
    return [
        ship
        for ship in state.ships.values()
        if ship.failed and ship.side == side and ship.place in state.data.areas
    ]


class PutBackFailed(ChoosePorts):
    """6.2, R8 The owner chooses a port for each ship that failed its roll.

    18.2 A face-down ship is asked about even if it has only one port to go to: the pause must not
    tell where it came from.
    """

    verb = "put_back"

    def __init__(self, side: Seat) -> None:
        self.side = side

    def question(self, state: State) -> Say:
        """6.2 Where to."""
        return say("prompt.war_at_sea.put_back", "6.2")

    def sealed(self, asked: Asked[State]) -> bool:
        """18.2 Whether this side's commands are kept from the other."""
        return asked.state.hidden and self.side == ALLIED

    def pending(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """R8 Each ship's ports."""
        return {
            ship.id: failed_destinations(state, ship) for ship in failed_at_sea(state, self.side)
        }

    def port_refusal(self, state: State, ship: Ship, port: str) -> Refusal:
        """6.2 Only the port it left or one next to the second area, which must be open and not the
        enemy's."""
        otherwise = refuse(
            "6.2", "refusal.war_at_sea.no_refuge", ship=ship.id, port=port, area=ship.place
        )
        return port_refusal(state, ship, port, "", otherwise)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """6.2 Nothing may move again this turn, and 15.1 a ship that failed is not repaired."""
        if verb == "sail":
            return refuse("6.2", "refusal.war_at_sea.none_can_sail")
        if verb == "repair":
            return refuse("15.1", "refusal.war_at_sea.none_to_repair")
        return None

    def carry(self, table: Table[State], ships: Iterable[Ship], port: str) -> None:
        """6.2 Into port; in the order of the areas, which is open to all."""
        order = table.state.data.order
        for ship in sorted(ships, key=lambda ship: order[ship.place]):
            table.emit(PutBack(name_of(ship), ship.place, port))


STEPS: Mapping[str, Step[State]] = {
    "allied_speed_rolls": SpeedRolls(ALLIED),
    "allied_put_back": PutBackFailed(ALLIED),
    "axis_speed_rolls": SpeedRolls(AXIS),
    "axis_put_back": PutBackFailed(AXIS),
}
