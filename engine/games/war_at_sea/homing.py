"""5.7, 12.3 Return to port, and the step that lets an owner choose ports for many ships by few commands.

VERB SHIP … PORT sends ships that may all go to that port; VERB PORT sends every ship that must choose and may go there. Ships with one port
to go to are sent by the rules, ships with none are out of the game.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.ports import NORMAL, port_refusal, return_destinations
from engine.games.war_at_sea.state import Ship, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import offer, refuse, say

DONE = "done"


def common(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """What all lists hold, in the order of the first."""
    rest = iter(lists)
    shared = next(rest, ())
    for more in rest:
        if more is not shared and more != shared:
            shared = tuple([item for item in shared if item in more])
    return shared


class ChoosePorts(Step[State], ABC):
    """The owner of several ships chooses a port for each; asks until none is left."""

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

    def sealed(self, state: State) -> bool:
        """Whether the commands are kept from the other side."""
        return False

    def port_refusal(self, state: State, ship: Ship, port: str) -> Refusal:
        """Why the ship may not go to that port."""
        return refuse("12.3", "refusal.war_at_sea.no_such_return", ship=ship.id, port=port)

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The owner, while a ship has a choice."""
        state = at.state
        if not self.pending(state) and not self.optional(state):
            return {}
        return {self.side: Decision(self.question(state))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """Ships that share a port, then the port; or a port at once."""
        state = at.state
        sealed = self.sealed(state)
        must, may = self.pending(state), self.optional(state)
        if not picks:
            return offer("verb", (self.verb,) if must else (self.verb, DONE), sealed=sealed)
        if picks[0] == DONE or picks[-1] in state.data.ports:
            return offer("end", (), complete=True, sealed=sealed)
        ships = {**must, **may}
        if len(picks) == 1:
            ports = [port for port in state.data.ports if any(port in wanted for wanted in must.values())]
            return state.data.offer("war_at_sea.ship_or_port", (*ports, *ships), sealed=sealed)
        shared = common(ships[str(pick)] for pick in picks[1:])
        more = (name for name, ports in ships.items() if name not in picks and any(port in shared for port in ports))
        return state.data.offer("war_at_sea.ship_or_port", (*shared, *more), sealed=sealed)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """12.3, 2.2 Why not this ship, or not this port."""
        state, pick = at.state, str(picks[-1])
        ships = {**self.pending(state), **self.optional(state)}
        if pick in state.data.ports and len(picks) > 2 and picks[1] in state.ships:
            return self.port_refusal(state, state.ships[str(picks[1])], pick)
        if pick in state.data.ports and len(picks) == 2 and ships:
            return self.port_refusal(state, state.ships[next(iter(ships))], pick)
        if pick in state.ships and len(picks) > 1:
            if state.ships[pick].side != self.side:
                return refuse("12.3", "refusal.war_at_sea.not_yours", ship=pick)
            if pick in picks[1:-1]:
                return refuse("", "refusal.war_at_sea.named_twice", ship=pick)
            if pick in ships:
                return refuse("12.3", "refusal.war_at_sea.nowhere_together", ship=pick)
            return refuse("12.3", "refusal.war_at_sea.no_port_to_choose", ship=pick)
        if pick == DONE:
            return refuse("12.3", "refusal.war_at_sea.must_return")
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """Send them; the step ends when no ship is left to ask about."""
        state = table.state
        if picks[0] == DONE:
            table.done()
            self.stay(table)
            return
        port = str(picks[-1])
        if len(picks) == 2:
            names = [name for name, ports in self.pending(state).items() if port in ports]
        else:
            names = [str(pick) for pick in picks[1:-1]]
        self.carry(table, [state.ships[name] for name in names], port)


# --- 5.7, 12.3 return to port -----------------------------------------------------------------------------------------------------


def at_sea(state: State, side: Seat) -> list[Ship]:
    """12.3 Warships of a side that must return now: all at sea but those that replenished (14.4). Convoys have their own rules (13)."""
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
        table.emit(ev.Returned(tuple(areas[area]), area, port))


class ReturnWithoutChoice(Step[State]):
    """12.3, R30 Ships with one port to go to return by themselves; those with none are out of the game."""

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
                table.emit(ev.ShipLostWithoutPort(ship.id, ship.place))
        for port, ships in bound.items():
            send_home(table, ships, port)


class Return(ChoosePorts):
    """5.7, 12.3, A.1 – A.4, R30 The owner chooses for ships with more than one port. 14.4 Ships that replenished may stay."""

    verb = "return"

    def __init__(self, side: Seat) -> None:
        self.side = side

    def question(self, state: State) -> Say:
        """12.3 Which port."""
        return say("prompt.war_at_sea.return", "12.3", side=self.side)

    def pending(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """12.3 Ships at sea with their ports."""
        memo, key = state.memo, ("return", self.side)
        found = memo.get(key)
        if found is None:
            alike: dict[tuple[str, str, str], tuple[str, ...]] = {}
            found = memo[key] = {}
            for ship in at_sea(state, self.side):
                kind = (ship.nation, ship.kind, ship.place)
                if kind not in alike:
                    alike[kind] = return_destinations(state, ship)
                found[ship.id] = alike[kind]
        result: Mapping[str, tuple[str, ...]] = found
        return result

    def optional(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """14.4 A ship that replenished may stay at sea, so it may also return."""
        return {ship.id: ports for ship in replenished(state, self.side) if (ports := return_destinations(state, ship))}

    def port_refusal(self, state: State, ship: Ship, port: str) -> Refusal:
        """2.2, 12.3, 15.3, 15.4, A.1 – A.4 Enemy, closed, or not one that the ship's area leaves open."""
        otherwise = refuse("12.3", "refusal.war_at_sea.no_such_return", ship=ship.id, port=port)
        return port_refusal(state, ship, port, NORMAL, otherwise)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """14.1, 14.3 Replenishing is over, or never was allowed; else as ever."""
        if picks == ("replenish",):
            if at.state.data.turns[at.state.turn].replenish_max == 0:
                return refuse("14.3", "refusal.war_at_sea.replenish_too_late")
            return refuse("14.1", "refusal.war_at_sea.none_may_replenish")
        return super().refusal(at, frame, seat, picks)

    def carry(self, table: Table[State], ships: Iterable[Ship], port: str) -> None:
        """12.3 Home."""
        send_home(table, ships, port)

    def stay(self, table: Table[State]) -> None:
        """14.4 The replenished ships stay at sea."""
        table.emit(ev.StayedAtSea(tuple(ship.id for ship in replenished(table.state, self.side))))


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
            table.emit(ev.UBoatsReturned())
