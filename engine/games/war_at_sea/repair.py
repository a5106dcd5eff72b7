"""15.1, 15.2 Repair: during its owner's movement a port takes damage off ships that stay in it
(R38).

Repairs are pairs of a ship and points, as many as wanted. A port's points are shared by its ships
and those unused are lost (R59).
"""

from collections.abc import Callable, Iterable

from attrs import frozen

from warledger.engine.games.war_at_sea.state import Ship, State
from warledger.engine.kernel.commands import Asked, Pairs, Slot
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.types import Pick, Refusal, Seat
from warledger.protocol.board.choices import Option, refuse

Repairs = tuple[tuple[str, str, int], ...]
"""Triples (ship, port, points)."""


@frozen
class Repairing:
    """Ships and the points that each is repaired by, and the ship whose points come next."""

    repairs: tuple[tuple[str, int], ...] = ()
    ship: str = ""

    def planned(self, state: State) -> Repairs:
        """15.2 The repairs, each with its port."""
        return tuple((ship, state.ships[ship].place, points) for ship, points in self.repairs)


NO_REPAIRS = Repairing()


def points_left(state: State, port: str, plans: Iterable[tuple[str, str, int]] = ()) -> int:
    """15.2, R59 What the port can still repair this turn."""
    return (
        state.data.ports[port].repair
        - state.repaired.get(port, 0)
        - sum(points for _, at, points in plans if at == port)
    )


def can_be_repaired(state: State, ship: Ship, side: Seat) -> bool:
    """15.1, R9, R38 A damaged ship of the side that stays in a port of its own and has not tried to
    move."""
    return (
        ship.damage > 0
        and ship.side == side
        and ship.place in state.data.ports
        and not ship.path
        and not ship.failed
    )


@remembered()
def _damaged(state: State, side: Seat) -> tuple[Ship, ...]:
    """15.1 The ships that may be repaired before any repair is ordered."""
    return tuple(
        ship for ship in state.ships.values() if ship.damage and can_be_repaired(state, ship, side)
    )


def repairable(state: State, side: Seat, order: Repairing = NO_REPAIRS) -> list[str]:
    """15.1, 15.2 The ships that may still be repaired, after the repairs ordered so far."""
    damaged = _damaged(state, side)
    if not damaged:
        return []
    plans = order.planned(state)
    done = {ship for ship, _, _ in plans}
    return [
        ship.id
        for ship in damaged
        if ship.id not in done and points_left(state, ship.place, plans) > 0
    ]


@frozen
class RepairSlots:
    """15.2 A ship, its points, another ship …: the slots of a command that repairs a side's
    ships."""

    side: Seat

    def ships(self, asked: Asked[State], order: Repairing) -> list[Option]:
        """15.1 Any that can be repaired."""
        return asked.state.data.offer(repairable(asked.state, self.side, order))

    def points(self, asked: Asked[State], order: Repairing) -> range:
        """15.2 No more than its damage, and than the port has left."""
        state, ship = asked.state, asked.state.ships[order.ship]
        most = min(ship.damage, points_left(state, ship.place, order.planned(state)))
        return range(1, most + 1)

    def why_not_ship(self, asked: Asked[State], order: Repairing, pick: Pick) -> Refusal | None:
        """15.1 Only damaged ships that stay; R38 the neutral port repairs nothing."""
        state, ship = asked.state, asked.state.ships.get(str(pick))
        if ship is None:
            return refuse("", "refusal.not_offered", pick=pick)
        if ship.side != self.side:
            return refuse("15.1", "refusal.war_at_sea.not_yours", ship=pick)
        if any(named == pick for named, _ in order.repairs):
            return refuse("", "refusal.war_at_sea.named_twice", ship=pick)
        if ship.place not in state.data.ports:
            return refuse("15.1", "refusal.war_at_sea.repair_in_port", ship=pick)
        if ship.failed or ship.path:
            return refuse("15.1", "refusal.war_at_sea.repair_moved", ship=pick)
        if ship.damage == 0:
            return refuse("15.1", "refusal.war_at_sea.undamaged", ship=pick)
        left = points_left(state, ship.place, order.planned(state))
        return refuse("15.2", "refusal.war_at_sea.repair_value", port=ship.place, left=left)

    def why_not_points(self, asked: Asked[State], order: Repairing, pick: Pick) -> Refusal:
        """15.2 No more than the damage, or the port's value."""
        state, ship = asked.state, asked.state.ships[order.ship]
        if type(pick) is int and pick > ship.damage:
            return refuse(
                "15.2", "refusal.war_at_sea.not_so_damaged", ship=ship.id, damage=ship.damage
            )
        left = points_left(state, ship.place, order.planned(state))
        return refuse("15.2", "refusal.war_at_sea.repair_value", port=ship.place, left=left)

    def pairs(
        self,
        *,
        enough: bool | None = None,
        full: Callable[[Asked[State], Repairing], bool] | bool = False,
    ) -> Pairs[State, Repairing]:
        """The slots; `enough` and `full` as in `Pairs`."""
        return Pairs(
            "repairs",
            Slot("ship", "war_at_sea.repair", self.ships, self.why_not_ship),
            Slot("points", "war_at_sea.points", self.points, self.why_not_points),
            enough=enough,
            full=full,
        )
