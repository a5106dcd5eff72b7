"""15.1, 15.2 Repair: during its owner's movement a port takes damage off ships that stay in it (R38).

Repairs are pairs of picks, ship and points, as many as wanted; a port's points are shared by its ships and those unused are lost (R59).
"""

from collections.abc import Iterable

from engine.games.war_at_sea.state import Ship, State
from engine.kernel.types import Choices, Picks, Refusal, Seat
from protocol.choices import refuse

Repairs = tuple[tuple[str, str, int], ...]
"""Triples (ship, port, points)."""


def planned(state: State, pairs: Picks) -> Repairs:
    """15.2 The repairs that these picks (ship, points, ship, points …) ask for."""
    return tuple((str(ship), state.ships[str(ship)].place, int(points)) for ship, points in zip(pairs[::2], pairs[1::2], strict=False))


def points_left(state: State, port: str, plans: Iterable[tuple[str, str, int]] = ()) -> int:
    """15.2 What the port can still repair this turn."""
    return state.data.ports[port].repair - state.repaired.get(port, 0) - sum(points for _, at, points in plans if at == port)


def can_be_repaired(state: State, ship: Ship, side: Seat) -> bool:
    """15.1, R9, R38 A damaged ship of the side that stays in a port of its own and has not tried to move."""
    return ship.damage > 0 and ship.side == side and ship.place in state.data.ports and not ship.path and not ship.failed


def repairable(state: State, side: Seat, pairs: Picks = ()) -> list[str]:
    """15.1, 15.2 The ships that may still be repaired, after the repairs planned so far."""
    memo = state.memo
    damaged: list[Ship] | None = memo.get(("repairable", side))
    if damaged is None:
        damaged = [ship for ship in state.ships.values() if ship.damage and can_be_repaired(state, ship, side)]
        memo["repairable", side] = damaged
    if not damaged:
        return []
    plans = planned(state, pairs)
    done = {ship for ship, _, _ in plans}
    return [ship.id for ship in damaged if ship.id not in done and points_left(state, ship.place, plans) > 0]


def repair_choices(state: State, side: Seat, pairs: Picks, *, sealed: bool, complete_at_once: bool = False) -> Choices:
    """15.2 After whole pairs another ship, after a ship the points."""
    if len(pairs) % 2 == 0:
        ships = repairable(state, side, pairs)
        return state.data.offer("war_at_sea.repair", ships, complete=bool(pairs) or complete_at_once, sealed=sealed)
    ship = state.ships[str(pairs[-1])]
    most = min(ship.damage, points_left(state, ship.place, planned(state, pairs[:-1])))
    return Choices("war_at_sea.points", span=(1, most), sealed=sealed)


def repair_refusal(state: State, side: Seat, pairs: Picks) -> Refusal:
    """15.1 Only damaged ships that stay; 15.2 no more than the port's value; R38 the neutral port repairs nothing."""
    pick = pairs[-1]
    if len(pairs) % 2 == 0:
        ship = state.ships[str(pairs[-2])]
        left = points_left(state, ship.place, planned(state, pairs[:-2]))
        if type(pick) is int and pick > ship.damage:
            return refuse("15.2", "refusal.war_at_sea.not_so_damaged", ship=ship.id, damage=ship.damage)
        return refuse("15.2", "refusal.war_at_sea.repair_value", port=ship.place, left=left)
    named = state.ships.get(str(pick))
    if named is None:
        return refuse("", "refusal.not_offered", pick=pick)
    if named.side != side:
        return refuse("15.1", "refusal.war_at_sea.not_yours", ship=pick)
    if pick in pairs[:-1]:
        return refuse("", "refusal.war_at_sea.named_twice", ship=pick)
    if named.place not in state.data.ports:
        return refuse("15.1", "refusal.war_at_sea.repair_in_port", ship=pick)
    if named.failed or named.path:
        return refuse("15.1", "refusal.war_at_sea.repair_moved", ship=pick)
    if named.damage == 0:
        return refuse("15.1", "refusal.war_at_sea.undamaged", ship=pick)
    left = points_left(state, named.place, planned(state, pairs[:-1]))
    return refuse("15.2", "refusal.war_at_sea.repair_value", port=named.place, left=left)
