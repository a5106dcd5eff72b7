"""From events to states: the only thing that makes a new state of War at Sea.

`EVOLVE` maps each event class of `events.py` to the function that carries it out. No function decides anything or can fail on an event that
a step emitted.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED, AXIS, SEATS, Data
from engine.games.war_at_sea.state import REMOVED, SCORED, SUNK, TRACK, Options, Ship, State
from engine.kernel.change import evolve
from engine.kernel.dispatch import ByEvent
from protocol.seal import Secret

_after = ByEvent()

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


@_after(ev.SetUp)
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


@_after(ev.Deployed)
def _deployed(state: State, event: ev.Deployed) -> State:
    return with_ships(state, [evolve(state.ships[name], place=event.port, origin=event.port) for name in event.ships])


@_after(ev.TurnBegan)
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


@_after(ev.PhaseBegan)
def _phase_began(state: State, event: ev.PhaseBegan) -> State:
    return evolve(state, phase=event.phase)


@_after(ev.Reinforced)
def _reinforced(state: State, event: ev.Reinforced) -> State:
    return with_ships(state, [evolve(state.ships[name], place=place, origin=place) for name, place in event.ships])


@_after(ev.UBoatsArrived)
def _uboats_arrived(state: State, event: ev.UBoatsArrived) -> State:
    home = state.data.uboat_home
    return with_boats(state, ((boat, home) for boat in event.boats), backlog=event.backlog)


@_after(ev.FranceClosed)
def _france_closed(state: State, event: ev.FranceClosed) -> State:
    return with_ships(state, [evolve(state.ships[name], place=REMOVED) for name in event.ships])


@_after(ev.ItalianRolled)
def _italian_rolled(state: State, event: ev.ItalianRolled) -> State:
    ship = state.ships[event.ship]
    if event.fate == "scuttled":
        return with_ships(state, [evolve(ship, place=REMOVED)])
    return with_ships(state, [evolve(ship, nation=event.fate, place=event.place, origin=event.place)])


# --- movement ---------------------------------------------------------------------------------------------------------------------


@_after(ev.AmericanRolled)
def _american_rolled(state: State, event: ev.AmericanRolled) -> State:
    if not event.joins:
        return state
    start = state.data.counters[event.ship].start[0]
    return with_ship(state, event.ship, place=start, origin=start)


@_after(ev.SovietRolled)
def _soviet_rolled(state: State, event: ev.SovietRolled) -> State:
    return with_ship(state, event.ship, may_sail=event.may_sail)


@_after(ev.TurnedDown)
def _turned_down(state: State, event: ev.TurnedDown) -> State:
    return with_ships(state, [evolve(ship, down=True) for ship in state.of_side(ALLIED)])


@_after(ev.Sailed)
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


@_after(ev.Repaired)
def _repaired(state: State, event: ev.Repaired) -> State:
    return _repair(state, ((event.ship, event.port, event.points),))


@_after(ev.RepairedFaceDown)
def _repaired_face_down(state: State, event: ev.RepairedFaceDown) -> State:
    return _repair(state, event.repairs.value)


def _repair(state: State, repairs: Iterable[tuple[str, str, int]]) -> State:
    ships, spent = dict(state.ships), dict(state.repaired)
    for name, port, points in repairs:
        ships[name] = evolve(ships[name], damage=ships[name].damage - points, repaired=True)
        spent[port] = spent.get(port, 0) + points
    return evolve(state, ships=ships, repaired=spent)


@_after(ev.SpeedRolled)
def _speed_rolled(state: State, event: ev.SpeedRolled) -> State:
    return with_ship(state, ev.named(event.ship), rolled=True, failed=not event.holds)


@_after(ev.PutBack)
def _put_back(state: State, event: ev.PutBack) -> State:
    return with_ship(state, ev.named(event.ship), place=event.port)


@_after(ev.SailingOver, ev.StayedAtSea)
def _unchanged(state: State, event: Any) -> State:
    return state


@_after(ev.ControlLifted)
def _control_lifted(state: State, event: ev.ControlLifted) -> State:
    return evolve(state, control=dict.fromkeys(state.control, ""))


# --- boats and markers ------------------------------------------------------------------------------------------------------------


@_after(ev.UBoatsPlaced)
def _uboats_placed(state: State, event: ev.UBoatsPlaced) -> State:
    return with_boats(state, event.boats)


@_after(ev.AirPlaced)
def _air_placed(state: State, event: ev.AirPlaced) -> State:
    return evolve(state, air={**state.air, event.side: event.place})


@_after(ev.AirReturned)
def _air_returned(state: State, event: ev.AirReturned) -> State:
    return evolve(state, air={**state.air, event.side: ""})


@_after(ev.TurnedUp)
def _turned_up(state: State, event: ev.TurnedUp) -> State:
    return with_ships(state, [evolve(state.ships[name], down=False, seal=None) for name, _ in event.ships])


# --- combat -----------------------------------------------------------------------------------------------------------------------


@_after(ev.ShipDamaged)
def _ship_damaged(state: State, event: ev.ShipDamaged) -> State:
    return with_ship(state, event.ship, damage=state.ships[event.ship].damage + event.points)


@_after(ev.ShipSunk)
def _ship_sunk(state: State, event: ev.ShipSunk) -> State:
    return with_ship(state, event.ship, damage=state.ships[event.ship].damage + event.points, place=SUNK)


@_after(ev.ShipDisabled)
def _ship_disabled(state: State, event: ev.ShipDisabled) -> State:
    return with_ship(state, event.ship, place=event.port or REMOVED, disabled=True, escaped=False)


@_after(ev.UBoatSunk)
def _uboat_sunk(state: State, event: ev.UBoatSunk) -> State:
    return with_boats(state, ((event.boat, TRACK),))


@_after(ev.UBoatDisabled)
def _uboat_disabled(state: State, event: ev.UBoatDisabled) -> State:
    return with_boats(state, ((event.boat, state.data.uboat_home),))


@_after(ev.ShipsEscaped)
def _ships_escaped(state: State, event: ev.ShipsEscaped) -> State:
    return with_ships(state, [evolve(state.ships[name], escaped=True) for name in event.ships])


# --- chapters 12 – 14 -------------------------------------------------------------------------------------------------------------


@_after(ev.ControlPlaced)
def _control_placed(state: State, event: ev.ControlPlaced) -> State:
    """12.2, 16.4 Markers, and the run of Axis control in the Mediterranean."""
    control = dict(event.areas)
    run = state.med_run + 1 if control.get("mediterranean") == AXIS else 0
    return evolve(state, control=control, med_run=run, med_held=state.med_held or run >= MED_TURNS)


@_after(ev.ConvoyArrived)
def _convoy_arrived(state: State, event: ev.ConvoyArrived) -> State:
    return evolve(with_ship(state, event.convoy, place=SCORED, pressed=False), convoy_points=state.convoy_points + event.points)


@_after(ev.ConvoyStayed)
def _convoy_stayed(state: State, event: ev.ConvoyStayed) -> State:
    return with_ship(state, event.convoy, pressed=True)


@_after(ev.ReplenishmentRolled)
def _replenishment_rolled(state: State, event: ev.ReplenishmentRolled) -> State:
    if event.success:
        return with_ship(state, event.ship, tried=True, replenished=True)
    return with_ship(state, event.ship, tried=True, place=event.port or REMOVED)


@_after(ev.Returned)
def _returned(state: State, event: ev.Returned) -> State:
    return with_ships(state, [evolve(state.ships[name], place=event.port, replenished=False) for name in event.ships])


@_after(ev.ShipLostWithoutPort)
def _ship_lost_without_port(state: State, event: ev.ShipLostWithoutPort) -> State:
    return with_ship(state, event.ship, place=REMOVED)


@_after(ev.UBoatsReturned)
def _uboats_returned(state: State, event: ev.UBoatsReturned) -> State:
    home = state.data.uboat_home
    return evolve(state, uboats={boat: TRACK if place == TRACK else home for boat, place in state.uboats.items()})


# --- the end of a turn ------------------------------------------------------------------------------------------------------------


@_after(ev.Interned)
def _interned(state: State, event: ev.Interned) -> State:
    return with_ships(state, [evolve(state.ships[name], place=REMOVED) for name in event.ships])


@_after(ev.Scored)
def _scored(state: State, event: ev.Scored) -> State:
    return evolve(state, score=event.score)


@_after(ev.GameOver)
def _game_over(state: State, event: ev.GameOver) -> State:
    return evolve(state, over=True)


EVOLVE: Mapping[type[Any], Change] = _after.table()
