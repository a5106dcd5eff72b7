"""6.1, 6.4 Where ships may go, alone and together, and the clause that forbids the rest.

What depends on the map and the nation alone (6.4, 13.1, 16.1 – 16.3) is worked out once, as `reach`
of the data; here it meets the position.
"""

from collections.abc import Mapping
from types import MappingProxyType

from warledger.engine.games.war_at_sea.data import CONVOY, SIDE_OF_NATION, other
from warledger.engine.games.war_at_sea.state import SCORED, SUNK, Ship, State
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.types import Refusal, Seat
from warledger.protocol.board.choices import refuse

BARENTS = "barents_sea"
BALTIC = "baltic_sea"

OUT_OF_GAME = MappingProxyType({SUNK: "7.6", SCORED: "13.4"})
"""The clause that took a ship in one of these boxes out of the game."""


def first_stops(state: State, ship: Ship) -> tuple[str, ...]:
    """6.1, 6.4, 13.1, 13.2, 14.4, 16.1 – 16.3, R7, R31, R35, R47 Where a ship that may sail can go
    first."""
    if ship.free:
        areas = (
            area
            for area in state.data.areas
            if area != ship.place and state.may_enter_area(ship, area)
        )
        return (*areas, *(port for port in state.data.ports if state.may_enter_port(ship, port)))
    if ship.pressed:
        return (BARENTS,)
    stops = state.data.reach[ship.nation, ship.kind][ship.place]
    if ship.is_convoy:
        return tuple(area for area in stops if convoy_has_room(state, area))
    return stops


def convoy_has_room(state: State, area: str) -> bool:
    """13.1, R32 One convoy an area when Allied movement ends: one that must go on makes room."""
    return (
        sum(ship.is_convoy and not ship.pressed for ship in state.at(area))
        < state.data.convoys_per_area
    )


def stops_movement(state: State, area: str, side: Seat) -> bool:
    """6.1, R7 A control marker of the enemy stops ships that enter its area; enemy ships do not."""
    return state.control.get(area, "") == other(side)


def second_stops(state: State, ship: Ship, first: str) -> tuple[str, ...]:
    """6.1, R7 Areas that a warship may go on to. None after an area with an enemy marker, and none
    for a convoy (13.1) or a ship that replenished (14.4). R58, R60, R61 So the Baltic leads only
    Germans anywhere, and Italian battleships never have a second area. A ship may go from Malta
    through the Mediterranean."""
    if ship.is_convoy or ship.free or stops_movement(state, first, ship.side):
        return ()
    return state.data.reach[ship.nation, ship.kind][first]


def may_sail(state: State, ship: Ship) -> bool:
    """6.1, 15.1, 16.1 Whether the ship may still leave the place where it is: once a turn, not
    after being repaired."""
    if ship.path or ship.failed or ship.repaired:
        return False
    if ship.place in state.data.ports:
        return ship.may_sail or ship.nation != "su"
    return (ship.free or ship.pressed) and ship.place in state.data.areas


@remembered()
def sailable(state: State, side: Seat) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """6.1 Place -> ship -> first stops, for all ships of a side that may sail and have somewhere to
    go."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    ports, reach = state.data.ports, state.data.reach
    for name, ship in state.ships.items():
        if ship.path or SIDE_OF_NATION[ship.nation] != side or not may_sail(state, ship):
            continue
        # Most ships are warships in port, and this is asked after every command of movement.
        plain = ship.place in ports and ship.kind != CONVOY
        stops = reach[ship.nation, ship.kind][ship.place] if plain else first_stops(state, ship)
        if stops:
            if ship.place in found:
                found[ship.place][name] = stops
            else:
                found[ship.place] = {name: stops}
    return found


def stop_refusal(state: State, ships: list[Ship], path: tuple[str, ...], pick: str) -> Refusal:
    """2.2, 6.1, 6.4, 13.1, 13.2, 14.4, 16.1 – 16.3 Why these ships may not go from there to this
    area or port."""
    side = ships[0].side
    free = all(ship.free for ship in ships)
    here = path[-1] if path else ships[0].place
    if ships[0].pressed and not path:
        return refuse("13.2", "refusal.war_at_sea.convoy_must_go_on", ship=ships[0].id)
    if path:
        for ship in ships:
            if ship.is_convoy:
                return refuse("13.1", "refusal.war_at_sea.convoy_one_area", ship=ship.id)
        if free:
            return refuse("14.4", "refusal.war_at_sea.one_leap", ship=ships[0].id)
    if pick in state.data.ports:
        if state.data.ports[pick].owner == other(side):
            return refuse("2.2", "refusal.war_at_sea.enemy_port", port=pick)
        if free:
            return refuse("15.4", "refusal.war_at_sea.port_closed", port=pick)
        return refuse("6.4", "refusal.war_at_sea.port_to_port", origin=ships[0].place, port=pick)
    for ship in ships:
        if not state.may_enter_area(ship, pick):
            return nation_refusal(ship, pick)
    if len(path) == 2:
        return refuse("6.1", "refusal.war_at_sea.two_areas_at_most")
    for ship in ships:
        if (
            ship.is_convoy
            and pick in state.data.sea_links[here]
            and not convoy_has_room(state, pick)
        ):
            return refuse("13.1", "refusal.war_at_sea.one_convoy_an_area", area=pick)
    if path and stops_movement(state, here, side):
        return refuse("6.1", "refusal.war_at_sea.must_stop", area=here)
    if pick == here:
        return refuse("6.1", "refusal.war_at_sea.already_there", area=pick)
    return refuse("6.1", "refusal.war_at_sea.not_adjacent", area=pick, place=here)


def nation_refusal(ship: Ship, area: str) -> Refusal:
    """6.4, 13.1, 16.1 – 16.3 The clause that keeps this nation out of the area."""
    if ship.is_convoy:
        return refuse("13.1", "refusal.war_at_sea.convoy_route", ship=ship.id, area=area)
    if ship.nation == "us":
        return refuse("16.2", "refusal.war_at_sea.american_limits", ship=ship.id, area=area)
    if ship.nation == "su":
        return refuse("16.1", "refusal.war_at_sea.soviet_limits", ship=ship.id, area=area)
    if area == BALTIC:
        return refuse("6.4", "refusal.war_at_sea.baltic", ship=ship.id)
    return refuse("16.3", "refusal.war_at_sea.italian_limits", ship=ship.id, area=area)
