"""From events to states: the only thing that makes a new state of War at Sea.

`EVOLVE` maps each event class of `events.py` to the function that carries it out. No function decides anything or can fail on an event that
a step emitted.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, Data
from engine.games.war_at_sea.state import REMOVED, SCORED, SUNK, TRACK, Options, Ship, State
from engine.kernel.change import evolve
from protocol.seal import Secret

Change = Callable[[State, Any], State]

MED_TURNS = 4
"""16.4 So many turns of Axis control in a row spare the Italians their check."""


def initial(data: Data, options: Options) -> State:
    """The state before the counters are set up."""
    return State(data=data, options=options, turn=0, phase="", ships={}, uboats={})


def with_ships(state: State, changed: Iterable[Ship], **also: Any) -> State:
    """The state with these ships in place of their old records, and other fields changed."""
    ships = dict(state.ships)
    for ship in changed:
        ships[ship.id] = ship
    return evolve(state, ships=ships, **also)


def with_ship(state: State, name: str, **changes: Any) -> State:
    """The state with some fields of one ship changed."""
    return evolve(state, ships={**state.ships, name: evolve(state.ships[name], **changes)})


def with_boats(state: State, places: Iterable[tuple[str, str]], **also: Any) -> State:
    """The state with boats in other places."""
    return evolve(state, uboats={**state.uboats, **dict(places)}, **also)


# --- chapters 4 and 5 -------------------------------------------------------------------------------------------------------------


def _set_up(state: State, event: ev.SetUp) -> State:
    """4.1 – 4.3 Starting ships stand in their first port, the others on the track; the score marker on zero."""
    data = state.data
    ships = {name: Ship.of(counter, counter.start[0] if counter.arrival == 1 else TRACK) for name, counter in data.counters.items()}
    return evolve(
        state,
        ships=ships,
        uboats=dict.fromkeys(data.uboat_ids, TRACK),
        control=dict(data.start_control),
        score=0,
        phase="set_up",
    )


def _deployed(state: State, event: ev.Deployed) -> State:
    return with_ships(state, [evolve(state.ships[name], place=event.port, origin=event.port) for name in event.ships])


def _turn_began(state: State, event: ev.TurnBegan) -> State:
    return evolve(
        state,
        turn=event.turn,
        ships={name: ship.new_turn() for name, ship in state.ships.items()},
        repaired={},
        convoy_points=0,
        air=dict.fromkeys(SEATS, ""),
        fight=None,
    )


def _phase_began(state: State, event: ev.PhaseBegan) -> State:
    return evolve(state, phase=event.phase)


def _reinforced(state: State, event: ev.Reinforced) -> State:
    return with_ships(state, [evolve(state.ships[name], place=place, origin=place) for name, place in event.ships])


def _uboats_arrived(state: State, event: ev.UBoatsArrived) -> State:
    home = state.data.uboat_home
    return with_boats(state, ((boat, home) for boat in event.boats), backlog=event.backlog)


def _france_closed(state: State, event: ev.FranceClosed) -> State:
    return with_ships(state, [evolve(state.ships[name], place=REMOVED) for name in event.ships])


def _italian_rolled(state: State, event: ev.ItalianRolled) -> State:
    ship = state.ships[event.ship]
    if event.fate == "scuttled":
        return with_ships(state, [evolve(ship, place=REMOVED)])
    return with_ships(state, [evolve(ship, nation=event.fate, place=event.place, origin=event.place)])


# --- movement ---------------------------------------------------------------------------------------------------------------------


def _american_rolled(state: State, event: ev.AmericanRolled) -> State:
    if not event.joins:
        return state
    start = state.data.counters[event.ship].start[0]
    return with_ship(state, event.ship, place=start, origin=start)


def _soviet_rolled(state: State, event: ev.SovietRolled) -> State:
    return with_ship(state, event.ship, may_sail=event.may_sail)


def _turned_down(state: State, event: ev.TurnedDown) -> State:
    return with_ships(state, [evolve(ship, down=True) for ship in state.of_side(ALLIED)])


def _sailed(state: State, event: ev.Sailed) -> State:
    path = event.path
    return with_ships(
        state,
        [
            evolve(
                state.ships[ev.named(name)],
                place=path[-1],
                path=path,
                pressed=False,
                seal=name if type(name) is Secret else None,
            )
            for name in event.ships
        ],
    )


def _repaired(state: State, event: ev.Repaired) -> State:
    return _repair(state, ((event.ship, event.port, event.points),))


def _repaired_face_down(state: State, event: ev.RepairedFaceDown) -> State:
    return _repair(state, event.repairs.value)


def _repair(state: State, repairs: Iterable[tuple[str, str, int]]) -> State:
    ships, spent = dict(state.ships), dict(state.repaired)
    for name, port, points in repairs:
        ships[name] = evolve(ships[name], damage=ships[name].damage - points, repaired=True)
        spent[port] = spent.get(port, 0) + points
    return evolve(state, ships=ships, repaired=spent)


def _speed_rolled(state: State, event: ev.SpeedRolled) -> State:
    return with_ship(state, ev.named(event.ship), rolled=True, failed=not event.holds)


def _put_back(state: State, event: ev.PutBack) -> State:
    return with_ship(state, ev.named(event.ship), place=event.port)


def _unchanged(state: State, event: Any) -> State:
    return state


def _control_lifted(state: State, event: ev.ControlLifted) -> State:
    return evolve(state, control=dict.fromkeys(state.control, ""))


# --- boats and markers ------------------------------------------------------------------------------------------------------------


def _uboats_placed(state: State, event: ev.UBoatsPlaced) -> State:
    return with_boats(state, event.boats)


def _air_placed(state: State, event: ev.AirPlaced) -> State:
    return evolve(state, air={**state.air, event.side: event.place})


def _air_returned(state: State, event: ev.AirReturned) -> State:
    return evolve(state, air={**state.air, event.side: ""})


def _turned_up(state: State, event: ev.TurnedUp) -> State:
    return with_ships(state, [evolve(state.ships[name], down=False, seal=None) for name, _ in event.ships])


# --- combat -----------------------------------------------------------------------------------------------------------------------


def _ship_damaged(state: State, event: ev.ShipDamaged) -> State:
    return with_ship(state, event.ship, damage=state.ships[event.ship].damage + event.points)


def _ship_sunk(state: State, event: ev.ShipSunk) -> State:
    return with_ship(state, event.ship, damage=state.ships[event.ship].damage + event.points, place=SUNK)


def _ship_disabled(state: State, event: ev.ShipDisabled) -> State:
    return with_ship(state, event.ship, place=event.port or REMOVED, disabled=True, escaped=False)


def _uboat_sunk(state: State, event: ev.UBoatSunk) -> State:
    return with_boats(state, ((event.boat, TRACK),))


def _uboat_disabled(state: State, event: ev.UBoatDisabled) -> State:
    return with_boats(state, ((event.boat, state.data.uboat_home),))


def _ships_escaped(state: State, event: ev.ShipsEscaped) -> State:
    return with_ships(state, [evolve(state.ships[name], escaped=True) for name in event.ships])


# --- chapters 12 – 14 -------------------------------------------------------------------------------------------------------------


def _control_placed(state: State, event: ev.ControlPlaced) -> State:
    """12.2, 16.4 Markers, and the run of Axis control in the Mediterranean."""
    control = dict(event.areas)
    run = state.med_run + 1 if control.get("mediterranean") == AXIS else 0
    return evolve(state, control=control, med_run=run, med_held=state.med_held or run >= MED_TURNS)


def _convoy_arrived(state: State, event: ev.ConvoyArrived) -> State:
    return evolve(with_ship(state, event.convoy, place=SCORED, pressed=False), convoy_points=state.convoy_points + event.points)


def _convoy_stayed(state: State, event: ev.ConvoyStayed) -> State:
    return with_ship(state, event.convoy, pressed=True)


def _replenishment_rolled(state: State, event: ev.ReplenishmentRolled) -> State:
    if event.success:
        return with_ship(state, event.ship, tried=True, replenished=True)
    return with_ship(state, event.ship, tried=True, place=event.port or REMOVED)


def _returned(state: State, event: ev.Returned) -> State:
    return with_ships(state, [evolve(state.ships[name], place=event.port, replenished=False) for name in event.ships])


def _ship_lost_without_port(state: State, event: ev.ShipLostWithoutPort) -> State:
    return with_ship(state, event.ship, place=REMOVED)


def _uboats_returned(state: State, event: ev.UBoatsReturned) -> State:
    home = state.data.uboat_home
    return evolve(state, uboats={boat: TRACK if place == TRACK else home for boat, place in state.uboats.items()})


# --- the end of a turn ------------------------------------------------------------------------------------------------------------


def _interned(state: State, event: ev.Interned) -> State:
    return with_ships(state, [evolve(state.ships[name], place=REMOVED) for name in event.ships])


def _scored(state: State, event: ev.Scored) -> State:
    return evolve(state, score=event.score)


def _game_over(state: State, event: ev.GameOver) -> State:
    return evolve(state, over=True)


EVOLVE: Mapping[type[Any], Change] = MappingProxyType(
    {
        ev.SetUp: _set_up,
        ev.Deployed: _deployed,
        ev.TurnBegan: _turn_began,
        ev.PhaseBegan: _phase_began,
        ev.Reinforced: _reinforced,
        ev.UBoatsArrived: _uboats_arrived,
        ev.FranceClosed: _france_closed,
        ev.ItalianRolled: _italian_rolled,
        ev.AmericanRolled: _american_rolled,
        ev.SovietRolled: _soviet_rolled,
        ev.TurnedDown: _turned_down,
        ev.Sailed: _sailed,
        ev.Repaired: _repaired,
        ev.RepairedFaceDown: _repaired_face_down,
        ev.SpeedRolled: _speed_rolled,
        ev.PutBack: _put_back,
        ev.SailingOver: _unchanged,
        ev.ControlLifted: _control_lifted,
        ev.UBoatsPlaced: _uboats_placed,
        ev.AirPlaced: _air_placed,
        ev.TurnedUp: _turned_up,
        ev.ShipDamaged: _ship_damaged,
        ev.ShipSunk: _ship_sunk,
        ev.ShipDisabled: _ship_disabled,
        ev.UBoatSunk: _uboat_sunk,
        ev.UBoatDisabled: _uboat_disabled,
        ev.ShipsEscaped: _ships_escaped,
        ev.AirReturned: _air_returned,
        ev.ControlPlaced: _control_placed,
        ev.ConvoyArrived: _convoy_arrived,
        ev.ConvoyStayed: _convoy_stayed,
        ev.ReplenishmentRolled: _replenishment_rolled,
        ev.Returned: _returned,
        ev.ShipLostWithoutPort: _ship_lost_without_port,
        ev.StayedAtSea: _unchanged,
        ev.UBoatsReturned: _uboats_returned,
        ev.Interned: _interned,
        ev.Scored: _scored,
        ev.GameOver: _game_over,
    }
)
