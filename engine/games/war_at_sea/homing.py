"""5.7, 12.3 Return to port, and the step that lets an owner choose ports for many ships by few
commands.

Ships that are named with a port must all be able to go there. A port alone is for every ship that
must choose and may go there. Ships with one port to go to are sent by the rules, ships with none
are out of the game.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from warledger.engine.games.war_at_sea.data import ALLIED, AXIS
from warledger.engine.games.war_at_sea.ports import NORMAL, port_refusal, return_destinations
from warledger.engine.games.war_at_sea.state import (
    REMOVED,
    TRACK,
    Ship,
    State,
    is_ship,
    with_ship,
    with_ships,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import Option, refuse, say
from warledger.protocol.board.effects import Effect, mark, move, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("returned")
class Returned:
    """12.3 Ships of one side returned from an area to a port."""

    ships: tuple[str, ...]
    area: str
    port: str


@event("ship_lost_without_port")
class ShipLostWithoutPort:
    """12.3 A ship that no port would take is out of the game."""

    ship: str
    area: str


@event("stayed_at_sea")
class StayedAtSea:
    """14.4 Replenished ships stay where they are."""

    ships: tuple[str, ...]


@event("uboats_returned")
class UBoatsReturned:
    """8.5, 12.3 Every boat is back in Germany."""


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Returned)
def _returned(state: State, event: Returned) -> State:
    return with_ships(
        state,
        [replace(state.ships[name], place=event.port, replenished=False) for name in event.ships],
    )


@after(ShipLostWithoutPort)
def _ship_lost_without_port(state: State, event: ShipLostWithoutPort) -> State:
    return with_ship(state, event.ship, place=REMOVED)


@after(UBoatsReturned)
def _uboats_returned(state: State, event: UBoatsReturned) -> State:
    home = state.data.uboat_home
    return replace(
        state,
        uboats={boat: TRACK if place == TRACK else home for boat, place in state.uboats.items()},
    )


after.unchanged(StayedAtSea)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Returned)
def _draw_returned(before: State, event: Returned, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield move(name, event.port)
        if before.ships[name].replenished:
            yield mark(name, "replenished", 0)
    yield tell("war_at_sea.returned", "12.3", ships=event.ships, area=event.area, port=event.port)


@draws(ShipLostWithoutPort)
def _draw_ship_lost_without_port(
    before: State, event: ShipLostWithoutPort, after: State
) -> Iterator[Effect]:
    yield take(event.ship, REMOVED)
    yield tell("war_at_sea.lost_without_port", "12.3", ship=event.ship, area=event.area)


@draws(StayedAtSea)
def _draw_stayed_at_sea(before: State, event: StayedAtSea, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.stayed_at_sea", "14.4", ships=event.ships)


@draws(UBoatsReturned)
def _draw_uboats_returned(before: State, event: UBoatsReturned, after: State) -> Iterator[Effect]:
    for boat, place in before.uboats.items():
        if after.uboats[boat] != place:
            yield move(boat, after.uboats[boat])
    yield tell("war_at_sea.uboats_returned", "8.5")


MUST_RETURN = refuse("12.3", "refusal.war_at_sea.must_return")


def common(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """What all lists hold, in the order of the first."""
    rest = iter(lists)
    shared = next(rest, ())
    for more in rest:
        if more is not shared and more != shared:
            shared = tuple([item for item in shared if item in more])
    return shared


@frozen
class Heading:
    """Ships, or none for all that must choose and may go there, and their port."""

    ships: tuple[str, ...] = ()
    port: str = ""


class ChoosePorts(Asking[State]):
    """12.3 The owner of several ships chooses a port for each; asks until none is left."""

    verb = "return"
    side: Seat

    @abstractmethod
    def question(self, state: State) -> Say:
        """What the owner is asked."""

    @abstractmethod
    def pending(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """Ships that must choose, with their ports."""

    def optional(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """Ships that may choose, with their ports."""
        return {}

    @abstractmethod
    def carry(self, table: Table[State], ships: Iterable[Ship], port: str) -> None:
        """Send these ships to that port."""

    def stay(self, table: Table[State]) -> None:
        """The owner leaves the optional ships where they are."""

    def port_refusal(self, state: State, ship: Ship, port: str) -> Refusal:
        """Why the ship may not go to that port."""
        return refuse("12.3", "refusal.war_at_sea.no_such_return", ship=ship.id, port=port)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, while a ship has a choice."""
        state = at.state
        if not self.pending(state) and not self.optional(state):
            return {}
        return {self.side: Decision(self.question(state))}

    def commands(self) -> Commands[State]:
        """Ships that share a port, then the port; or a port at once. No more, where none must."""
        return (
            Command(
                self.verb,
                Heading,
                Many(
                    "ships",
                    "war_at_sea.ship_or_port",
                    self._ships,
                    self._why_not,
                    takes=is_ship,
                    enough=True,
                ),
                Slot("port", "war_at_sea.port", self._ports, self._why_not),
                apply=self._send,
                beyond=self._why_not,
            ),
            word(
                "done",
                self._done,
                when=lambda asked: not self.pending(asked.state),
                why=lambda asked: MUST_RETURN,
            ),
        )

    def _all(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """All ships that may be named, with their ports."""
        return {**self.pending(state), **self.optional(state)}

    def _shared(self, state: State, order: Heading) -> tuple[str, ...]:
        """The ports that all ships named so far may go to."""
        ships = self._all(state)
        return common(ships[name] for name in order.ships)

    def _ships(self, asked: Asked[State], order: Heading) -> list[Option]:
        """Those that may go to a port of the ships named so far."""
        state = asked.state
        ships = self._all(state)
        if not order.ships:
            return state.data.offer(ships)
        shared = self._shared(state, order)
        return state.data.offer(
            name
            for name, ports in ships.items()
            if name not in order.ships and any(port in shared for port in ports)
        )

    def _ports(self, asked: Asked[State], order: Heading) -> list[Option]:
        """A port for the ships named; without any, a port that a ship which must choose may go
        to."""
        state = asked.state
        if order.ships:
            return state.data.offer(self._shared(state, order))
        must = self.pending(state)
        return state.data.offer(
            port for port in state.data.ports if any(port in wanted for wanted in must.values())
        )

    def _why_not(self, asked: Asked[State], order: Heading, pick: Pick) -> Refusal | None:
        """12.3, 2.2 Why not this ship, or not this port."""
        state, ships = asked.state, self._all(asked.state)
        if pick in state.data.ports and (order.ships or not order.port):
            first = order.ships[0] if order.ships else next(iter(ships))
            return self.port_refusal(state, state.ships[first], str(pick))
        if not is_ship(asked, pick):
            return MUST_RETURN if pick == "done" else None
        if state.ships[str(pick)].side != self.side:
            return refuse("12.3", "refusal.war_at_sea.not_yours", ship=pick)
        if pick in order.ships:
            return refuse("", "refusal.war_at_sea.named_twice", ship=pick)
        if pick in ships:
            return refuse("12.3", "refusal.war_at_sea.nowhere_together", ship=pick)
        return refuse("12.3", "refusal.war_at_sea.no_port_to_choose", ship=pick)

    def _done(self, table: Table[State], asked: Asked[State]) -> None:
        """The optional ships stay."""
        table.done()
        self.stay(table)

    def _send(self, table: Table[State], asked: Asked[State], order: Heading) -> None:
        """Send them; the step ends when no ship is left to ask about."""
        state = asked.state
        names = order.ships or [
            name for name, ports in self.pending(state).items() if order.port in ports
        ]
        self.carry(table, [state.ships[name] for name in names], order.port)


# --- 5.7, 12.3 return to port ---------------------------------------------------------------------


def at_sea(state: State, side: Seat) -> list[Ship]:
    """12.3, R46 Warships of a side that must return now: all at sea but those that replenished
    (14.4). Convoys have their own rules (13)."""
    return [
        ship
        for area in state.data.areas
        for ship in state.by_place.get(area, ())
        if ship.side == side and ship.is_warship and not ship.replenished
    ]


def send_home(table: Table[State], ships: Iterable[Ship], port: str) -> None:
    """12.3 Ships return to a port, told area by area."""
    areas: dict[str, list[str]] = {}
    for ship in ships:
        areas.setdefault(ship.place, []).append(ship.id)
    for area in sorted(areas, key=table.state.data.order.__getitem__):
        table.emit(Returned(tuple(areas[area]), area, port))


class ReturnWithoutChoice(Step[State]):
    """12.3, R30 Ships with one port to go to return by themselves; those with none are out of the
    game."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def advance(self, table: Table[State], frame: Frame) -> None:
        """12.3 Send them."""
        table.done()
        state = table.state
        bound: dict[str, list[Ship]] = {}
        for ship in at_sea(state, self.side):
            ports = return_destinations(state, ship)
            if len(ports) == 1:
                bound.setdefault(ports[0], []).append(ship)
            elif not ports:
                table.emit(ShipLostWithoutPort(ship.id, ship.place))
        for port, ships in bound.items():
            send_home(table, ships, port)


@remembered()
def returning(state: State, side: Seat) -> Mapping[str, tuple[str, ...]]:
    """12.3 Ships at sea with the ports to which they may return."""
    alike: dict[tuple[str, str, str], tuple[str, ...]] = {}
    found = {}
    for ship in at_sea(state, side):
        kind = (ship.nation, ship.kind, ship.place)
        if kind not in alike:
            alike[kind] = return_destinations(state, ship)
        found[ship.id] = alike[kind]
    return found


class Return(ChoosePorts):
    """5.7, 12.3, A.1 – A.4, R30 The owner chooses for ships with more than one port. 14.4 Ships
    that replenished may stay."""

    verb = "return"

    def __init__(self, side: Seat) -> None:
        self.side = side

    def question(self, state: State) -> Say:
        """12.3 Which port."""
        return say("prompt.war_at_sea.return", "12.3", side=self.side)

    def pending(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """12.3 Ships at sea with their ports."""
        return returning(state, self.side)

    def optional(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """14.4 A ship that replenished may stay at sea, so it may also return."""
        return {
            ship.id: ports
            for ship in replenished(state, self.side)
            if (ports := return_destinations(state, ship))
        }

    def port_refusal(self, state: State, ship: Ship, port: str) -> Refusal:
        """2.2, 12.3, 15.3, 15.4, A.1 – A.4 Enemy, closed, or not one that the ship's area leaves
        open."""
        otherwise = refuse("12.3", "refusal.war_at_sea.no_such_return", ship=ship.id, port=port)
        return port_refusal(state, ship, port, NORMAL, otherwise)

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal | None:
        """14.1, 14.3 Replenishing is over, or never was allowed."""
        if verb != "replenish":
            return None
        if asked.state.data.turns[asked.state.turn].replenish_max == 0:
            return refuse("14.3", "refusal.war_at_sea.replenish_too_late")
        return refuse("14.1", "refusal.war_at_sea.none_may_replenish")

    def carry(self, table: Table[State], ships: Iterable[Ship], port: str) -> None:
        """12.3 Home."""
        send_home(table, ships, port)

    def stay(self, table: Table[State]) -> None:
        """14.4 The replenished ships stay at sea."""
        table.emit(StayedAtSea(tuple(ship.id for ship in replenished(table.state, self.side))))


def replenished(state: State, side: Seat) -> list[Ship]:
    """14.4 Ships of a side that replenished this turn and are at sea."""
    return [ship for ship in state.ships.values() if ship.replenished and ship.side == side]


class UBoatsHome(Step[State]):
    """8.5, 12.3 After control is decided every boat goes to Germany."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """8.5 Send them."""
        table.done()
        state = table.state
        if any(place in state.data.areas for place in state.uboats.values()):
            table.emit(UBoatsReturned())


STEPS: Mapping[str, Step[State]] = {
    "axis_return_without_choice": ReturnWithoutChoice(AXIS),
    "axis_return": Return(AXIS),
    "allied_return_without_choice": ReturnWithoutChoice(ALLIED),
    "allied_return": Return(ALLIED),
    "uboats_home": UBoatsHome(),
}
