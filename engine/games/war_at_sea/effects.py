"""What clients draw and tell of each event of War at Sea, and the picture of a whole state.

A ship's face is "nation class gunnery-armor-speed(airstrike)". Face-down ships (18.2) are drawn for the Allied player alone, under sealed
names; everybody sees how many lie in each place. Nothing here may depend on who they are: the number and order of effects are public facts.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED, SEATS
from engine.games.war_at_sea.events import named
from engine.games.war_at_sea.state import BOXES, POOL, REMOVED, SCORED, SUNK, TRACK, Ship, State
from engine.kernel.dispatch import ByEvent
from protocol.effects import Effect, closing, count, mark, move, opening, phase, put, roll, take, tell, track
from protocol.seal import Secret

_draws = ByEvent()

Draw = Callable[[State, Any, State], Iterator[Effect]]

READERS = (ALLIED,)
UBOAT_FACE = "de U 1-0"
AIR_PIECE = MappingProxyType({side: f"air_{side}" for side in SEATS})
CONTROL_MARK = MappingProxyType({side: f"control_{side}" for side in SEATS})
FLAGS = ("disabled", "failed", "escaped", "replenished", "free", "pressed")
"""What a ship shows beside its damage."""


def face(ship: Ship) -> str:
    """What stands on a counter: nation, class, and the printed values."""
    air = f"({ship.airstrike})" if ship.is_carrier else ""
    plus = "+" if ship.plus else ""
    return f"{ship.nation} {ship.kind} {ship.gunnery}-{ship.armor}-{ship.speed}{air}{plus}"


def shown_place(state: State, ship: Ship) -> str:
    """Where a client shows the ship: reinforcements lie in their turn's box of the track (4.2)."""
    return f"turn_{state.data.counters[ship.id].arrival}" if ship.place == TRACK else ship.place


def who(ship: Ship) -> Any:
    """The ship's name as others may read it."""
    return Secret(ship.id, READERS) if ship.down else ship.id


# --- a whole board ----------------------------------------------------------------------------------------------------------------


def picture(state: State) -> Iterator[Effect]:
    """The effects that draw this state on an empty board."""
    if not state.phase:
        return
    yield track("turn", state.turn)
    yield track("score", state.score)
    for ship in state.ships.values():
        yield from draw_ship(state, ship)
    for boat, place in state.uboats.items():
        if place != TRACK:
            yield put(boat, place, UBOAT_FACE, "axis")
    for side, place in state.air.items():
        if place:
            yield put(AIR_PIECE[side], place, str(state.data.air_strength[side]), side)
    for area, side in state.control.items():
        if side:
            yield mark(area, CONTROL_MARK[side], 1)
    if state.hidden:
        yield from counts(state)
    yield phase(f"phase.war_at_sea.{state.phase}")


def counts(state: State) -> Iterator[Effect]:
    """18.2, R43 How many face-down ships lie in each area and port."""
    for place in (*state.data.areas, *state.data.ports):
        yield count(place, state.face_down(place))


def draw_ship(state: State, ship: Ship) -> Iterator[Effect]:
    """A ship with its markers, in an empty spot."""
    name = who(ship)
    if ship.down:
        yield put(name, ship.place, Secret(face(ship), READERS), ALLIED)
        yield mark(name, "damage", Secret(ship.damage, READERS))
        yield mark(name, "failed", Secret(int(ship.failed), READERS))
        return
    yield put(name, shown_place(state, ship), face(ship), ship.side)
    if ship.place in BOXES:
        return
    if ship.damage:
        yield mark(name, "damage", ship.damage)
    for flag in FLAGS:
        if getattr(ship, flag):
            yield mark(name, flag, 1)


# --- chapters 4 and 5 -------------------------------------------------------------------------------------------------------------


@_draws(ev.SetUp)
def _set_up(before: State, event: ev.SetUp, after: State) -> Iterator[Effect]:
    yield opening("game", "war_at_sea.game")
    yield from picture(after)
    yield tell("war_at_sea.set_up", "4.1")


@_draws(ev.Deployed)
def _deployed(before: State, event: ev.Deployed, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield move(name, event.port)
    yield tell("war_at_sea.deployed", "4.3", ships=event.ships, port=event.port)


@_draws(ev.TurnBegan)
def _turn_began(before: State, event: ev.TurnBegan, after: State) -> Iterator[Effect]:
    yield opening("turn", "war_at_sea.turn", turn=event.turn)
    yield track("turn", event.turn)
    yield tell("war_at_sea.turn_began", "5", turn=event.turn)
    for name, ship in before.ships.items():
        now = after.ships[name]
        if now is not ship and ship.place not in BOXES:
            for flag in FLAGS:
                if getattr(ship, flag) != getattr(now, flag):
                    yield mark(name, flag, int(getattr(now, flag)))


@_draws(ev.PhaseBegan)
def _phase_began(before: State, event: ev.PhaseBegan, after: State) -> Iterator[Effect]:
    yield phase(f"phase.war_at_sea.{event.phase}")


@_draws(ev.Reinforced)
def _reinforced(before: State, event: ev.Reinforced, after: State) -> Iterator[Effect]:
    for name, place in event.ships:
        yield move(name, place)
    places = dict.fromkeys(place for _, place in event.ships)
    for place in places:
        ships = tuple(name for name, to in event.ships if to == place)
        if place == POOL:
            yield tell("war_at_sea.americans_wait", "16.2", ships=ships)
        else:
            yield tell("war_at_sea.reinforced", "5.1", ships=ships, port=place)


@_draws(ev.UBoatsArrived)
def _uboats_arrived(before: State, event: ev.UBoatsArrived, after: State) -> Iterator[Effect]:
    for boat in event.boats:
        yield put(boat, after.data.uboat_home, UBOAT_FACE, "axis")
    if event.boats:
        yield tell("war_at_sea.uboats_arrived", "5.1", n=len(event.boats))
    if event.lost:
        yield tell("war_at_sea.uboats_lost", "8.6", n=event.lost)
    if event.backlog:
        yield tell("war_at_sea.uboats_wait", "18.3", n=event.backlog)


@_draws(ev.FranceClosed)
def _france_closed(before: State, event: ev.FranceClosed, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield take(name, REMOVED)
    if event.ships:
        yield tell("war_at_sea.france_closed_on", "15.4", ships=event.ships)
    else:
        yield tell("war_at_sea.france_closed", "15.4")


@_draws(ev.ItalianRolled)
def _italian_rolled(before: State, event: ev.ItalianRolled, after: State) -> Iterator[Effect]:
    yield roll("italian", 6, (event.die,))
    ship = after.ships[event.ship]
    if event.fate == "scuttled":
        yield take(event.ship, REMOVED)
        yield tell("war_at_sea.italian_scuttled", "16.4", ship=event.ship, die=event.die)
        return
    yield put(event.ship, event.place, face(ship), ship.side)
    if event.fate == "uk":
        yield tell("war_at_sea.italian_allied", "16.4", ship=event.ship, die=event.die, place=event.place)
    else:
        yield tell("war_at_sea.italian_german", "16.4", ship=event.ship, die=event.die)


# --- movement ---------------------------------------------------------------------------------------------------------------------


@_draws(ev.AmericanRolled)
def _american_rolled(before: State, event: ev.AmericanRolled, after: State) -> Iterator[Effect]:
    yield roll("american", 6, (event.die,))
    if event.joins:
        yield move(event.ship, after.ships[event.ship].place)
        yield tell("war_at_sea.american_joins", "16.2", ship=event.ship, die=event.die)
    else:
        yield tell("war_at_sea.american_waits", "16.2", ship=event.ship, die=event.die)


@_draws(ev.SovietRolled)
def _soviet_rolled(before: State, event: ev.SovietRolled, after: State) -> Iterator[Effect]:
    yield roll("soviet", 6, (event.die,))
    if event.may_sail:
        yield tell("war_at_sea.soviet_may_sail", "16.1", ship=event.ship, die=event.die)
    else:
        yield tell("war_at_sea.soviet_stays", "16.1", ship=event.ship, die=event.die)


@_draws(ev.TurnedDown)
def _turned_down(before: State, event: ev.TurnedDown, after: State) -> Iterator[Effect]:
    """18.2 Who lies where is public until now, so the order of the pack may show."""
    for place in (*after.data.areas, *after.data.ports):
        for ship in after.at(place, ALLIED):
            yield take(ship.id)
            yield from draw_ship(after, ship)
    yield from counts(after)
    yield tell("war_at_sea.turned_down", "18.2")


@_draws(ev.Sailed)
def _sailed(before: State, event: ev.Sailed, after: State) -> Iterator[Effect]:
    first = before.ships[named(event.ships[0])]
    pressed = [name for name in event.ships if before.ships[named(name)].pressed]
    for name in event.ships:
        yield move(who(after.ships[named(name)]), *event.path)
    if first.down:
        goal = event.path[-1]
        yield count(event.origin, after.face_down(event.origin))
        yield count(goal, after.face_down(goal))
        n = len(event.ships)
        if len(event.path) == 2:
            yield tell("war_at_sea.sailed_through_down", "18.2", n=n, origin=event.origin, through=event.path[0], to=goal)
        else:
            yield tell("war_at_sea.sailed_down", "18.2", n=n, origin=event.origin, to=goal)
        return
    for name in pressed:
        yield mark(named(name), "pressed", 0)
    rule = "14.4" if first.free else "13.1" if first.is_convoy and len(event.ships) == 1 else "6.1"
    ships = tuple(named(name) for name in event.ships)
    if len(event.path) == 2:
        yield tell("war_at_sea.sailed_through", rule, ships=ships, origin=event.origin, through=event.path[0], to=event.path[1])
    elif event.origin in after.data.areas:
        yield tell("war_at_sea.sailed_on", rule, ships=ships, origin=event.origin, to=event.path[0])
    else:
        yield tell("war_at_sea.sailed", rule, ships=ships, origin=event.origin, to=event.path[0])


@_draws(ev.Repaired)
def _repaired(before: State, event: ev.Repaired, after: State) -> Iterator[Effect]:
    yield mark(event.ship, "damage", after.ships[event.ship].damage)
    yield tell("war_at_sea.repaired", "15.2", ship=event.ship, port=event.port, points=event.points)


@_draws(ev.RepairedFaceDown)
def _repaired_face_down(before: State, event: ev.RepairedFaceDown, after: State) -> Iterator[Effect]:
    """18.2 Every face-down ship in port is marked anew, so that nobody sees which were repaired, or whether any was."""
    for port in after.data.ports:
        for ship in after.at(port, ALLIED):
            if ship.down:
                yield mark(who(ship), "damage", Secret(ship.damage, READERS))


@_draws(ev.SpeedRolled)
def _speed_rolled(before: State, event: ev.SpeedRolled, after: State) -> Iterator[Effect]:
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


@_draws(ev.PutBack)
def _put_back(before: State, event: ev.PutBack, after: State) -> Iterator[Effect]:
    ship = after.ships[named(event.ship)]
    yield move(who(ship), event.port)
    if ship.down:
        yield count(event.area, after.face_down(event.area))
        yield count(event.port, after.face_down(event.port))
        yield tell("war_at_sea.put_back_down", "18.2", area=event.area, port=event.port)
    else:
        yield tell("war_at_sea.put_back", "6.2", ship=ship.id, area=event.area, port=event.port)


@_draws(ev.SailingOver)
def _sailing_over(before: State, event: ev.SailingOver, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.sailing_over", "6.3", side=event.side)


@_draws(ev.ControlLifted)
def _control_lifted(before: State, event: ev.ControlLifted, after: State) -> Iterator[Effect]:
    for area, side in before.control.items():
        if side:
            yield mark(area, CONTROL_MARK[side], 0)
    if any(before.control.values()):
        yield tell("war_at_sea.control_lifted", "6.3")


# --- boats and markers ------------------------------------------------------------------------------------------------------------


@_draws(ev.UBoatsPlaced)
def _uboats_placed(before: State, event: ev.UBoatsPlaced, after: State) -> Iterator[Effect]:
    numbers: dict[str, int] = {}
    for boat, area in event.boats:
        yield move(boat, area)
        numbers[area] = numbers.get(area, 0) + 1
    for area, n in numbers.items():
        yield tell("war_at_sea.uboats_placed", "8.1", n=n, area=area)
    if not event.boats:
        yield tell("war_at_sea.uboats_stay", "8.1")


@_draws(ev.AirPlaced)
def _air_placed(before: State, event: ev.AirPlaced, after: State) -> Iterator[Effect]:
    if event.place:
        yield put(AIR_PIECE[event.side], event.place, str(after.data.air_strength[event.side]), event.side)
        yield tell("war_at_sea.air_placed", "9.1", side=event.side, place=event.place)
    else:
        yield tell("war_at_sea.air_kept", "9.1", side=event.side)


@_draws(ev.AirReturned)
def _air_returned(before: State, event: ev.AirReturned, after: State) -> Iterator[Effect]:
    yield take(AIR_PIECE[event.side])


@_draws(ev.TurnedUp)
def _turned_up(before: State, event: ev.TurnedUp, after: State) -> Iterator[Effect]:
    for name, _ in event.ships:
        yield from draw_ship(after, after.ships[name])
    places = dict.fromkeys(place for _, place in event.ships)
    for place in places:
        yield count(place, after.face_down(place))
        yield tell("war_at_sea.turned_up", "18.2", ships=tuple(name for name, at in event.ships if at == place), place=place)


# --- combat -----------------------------------------------------------------------------------------------------------------------


@_draws(ev.ShipDamaged)
def _ship_damaged(before: State, event: ev.ShipDamaged, after: State) -> Iterator[Effect]:
    ship = after.ships[event.ship]
    yield mark(event.ship, "damage", ship.damage)
    key = "war_at_sea.ship_crippled" if ship.crippled else "war_at_sea.ship_damaged"
    yield tell(key, "7.6", ship=event.ship, points=event.points, damage=ship.damage)


@_draws(ev.ShipSunk)
def _ship_sunk(before: State, event: ev.ShipSunk, after: State) -> Iterator[Effect]:
    yield take(event.ship, SUNK)
    yield tell("war_at_sea.ship_sunk", "7.6", ship=event.ship, points=event.points)


@_draws(ev.ShipDisabled)
def _ship_disabled(before: State, event: ev.ShipDisabled, after: State) -> Iterator[Effect]:
    if not event.port:
        yield take(event.ship, REMOVED)
        yield tell("war_at_sea.ship_disabled_lost", "12.3", ship=event.ship)
        return
    yield move(event.ship, event.port)
    if before.ships[event.ship].escaped:
        yield mark(event.ship, "escaped", 0)
    yield mark(event.ship, "disabled", 1)
    if before.ships[event.ship].place == event.port:
        yield tell("war_at_sea.ship_disabled_in_port", "7.3", ship=event.ship, port=event.port)
    else:
        yield tell("war_at_sea.ship_disabled", "7.3", ship=event.ship, port=event.port)


@_draws(ev.UBoatSunk)
def _uboat_sunk(before: State, event: ev.UBoatSunk, after: State) -> Iterator[Effect]:
    yield take(event.boat)
    yield tell("war_at_sea.uboat_sunk", "8.3", boat=event.boat, area=event.area)


@_draws(ev.UBoatDisabled)
def _uboat_disabled(before: State, event: ev.UBoatDisabled, after: State) -> Iterator[Effect]:
    yield move(event.boat, after.data.uboat_home)
    yield tell("war_at_sea.uboat_disabled", "8.3", boat=event.boat, area=event.area)


@_draws(ev.ShipsEscaped)
def _ships_escaped(before: State, event: ev.ShipsEscaped, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield mark(name, "escaped", 1)
    yield tell("war_at_sea.ships_escaped", "11.6", ships=event.ships, area=event.area)


# --- chapters 12 – 14 -------------------------------------------------------------------------------------------------------------


@_draws(ev.ControlPlaced)
def _control_placed(before: State, event: ev.ControlPlaced, after: State) -> Iterator[Effect]:
    held: dict[str, list[str]] = {}
    for area, side in event.areas:
        if side:
            yield mark(area, CONTROL_MARK[side], 1)
            held.setdefault(side, []).append(area)
    for side in SEATS:
        if side in held:
            yield tell("war_at_sea.control_placed", "12.1", side=side, areas=tuple(held[side]))
        else:
            yield tell("war_at_sea.control_none", "12.1", side=side)


@_draws(ev.ConvoyArrived)
def _convoy_arrived(before: State, event: ev.ConvoyArrived, after: State) -> Iterator[Effect]:
    yield take(event.convoy, SCORED)
    rule = "13.2" if event.port == "england" else "13.3"
    yield tell("war_at_sea.convoy_arrived", rule, convoy=event.convoy, port=event.port, points=event.points)


@_draws(ev.ConvoyStayed)
def _convoy_stayed(before: State, event: ev.ConvoyStayed, after: State) -> Iterator[Effect]:
    yield mark(event.convoy, "pressed", 1)
    yield tell("war_at_sea.convoy_stayed", "13.2", convoy=event.convoy, area=event.area)


@_draws(ev.ReplenishmentRolled)
def _replenishment_rolled(before: State, event: ev.ReplenishmentRolled, after: State) -> Iterator[Effect]:
    yield roll("replenishment", 6, (event.die,))
    if event.success:
        yield mark(event.ship, "replenished", 1)
        yield tell("war_at_sea.replenished", "14.3", ship=event.ship, die=event.die)
        return
    yield move(event.ship, event.port)
    yield tell("war_at_sea.replenishment_failed", "14.4", ship=event.ship, die=event.die, port=event.port)


@_draws(ev.Returned)
def _returned(before: State, event: ev.Returned, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield move(name, event.port)
        if before.ships[name].replenished:
            yield mark(name, "replenished", 0)
    yield tell("war_at_sea.returned", "12.3", ships=event.ships, area=event.area, port=event.port)


@_draws(ev.ShipLostWithoutPort)
def _ship_lost_without_port(before: State, event: ev.ShipLostWithoutPort, after: State) -> Iterator[Effect]:
    yield take(event.ship, REMOVED)
    yield tell("war_at_sea.lost_without_port", "12.3", ship=event.ship, area=event.area)


@_draws(ev.StayedAtSea)
def _stayed_at_sea(before: State, event: ev.StayedAtSea, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.stayed_at_sea", "14.4", ships=event.ships)


@_draws(ev.UBoatsReturned)
def _uboats_returned(before: State, event: ev.UBoatsReturned, after: State) -> Iterator[Effect]:
    for boat, place in before.uboats.items():
        if after.uboats[boat] != place:
            yield move(boat, after.uboats[boat])
    yield tell("war_at_sea.uboats_returned", "8.5")


# --- the end of a turn ------------------------------------------------------------------------------------------------------------


@_draws(ev.Interned)
def _interned(before: State, event: ev.Interned, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield take(name, REMOVED)
    yield tell("war_at_sea.interned", "18.6", ships=event.ships)


@_draws(ev.Scored)
def _scored(before: State, event: ev.Scored, after: State) -> Iterator[Effect]:
    yield track("score", event.score)
    for side, (control, convoys, penalty) in zip(SEATS, (event.allied, event.axis), strict=True):
        total = control + convoys - penalty
        yield tell("war_at_sea.scored_side", "17.1", side=side, total=total, control=control, convoys=convoys, penalty=penalty)
    yield tell("war_at_sea.scored", "17.2", turn=event.turn, score=event.score)
    yield closing("turn")


@_draws(ev.GameOver)
def _game_over(before: State, event: ev.GameOver, after: State) -> Iterator[Effect]:
    yield closing("game")


EFFECTS: Mapping[type[Any], Draw] = _draws.table()
