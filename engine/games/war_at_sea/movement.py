"""6 Movement: a side sails its fleets, repairs in port (15.1), then rolls its speed dice; ships that fail go into a port.

6.3 The Allies first, then the Axis, which knows where the Allies are; then last turn's control markers come off. The hard part is which
areas a fleet may go to together: every prefix of picks on offer must have a way to go on.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED, CONVOY, SIDE_OF_NATION, other
from engine.games.war_at_sea.hidden import in_hidden_order, name_of
from engine.games.war_at_sea.homing import ChoosePorts, common
from engine.games.war_at_sea.ports import failed_destinations, port_refusal
from engine.games.war_at_sea.repair import planned, repair_choices, repair_refusal, repairable
from engine.games.war_at_sea.state import BOXES, POOL, SCORED, SUNK, TRACK, Ship, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Say, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say
from protocol.seal import Secret

WHOLE_SEALED = Choices("end", complete=True, sealed=True)
SAIL, REPAIR, DONE = "sail", "repair", "done"
BARENTS = "barents_sea"
BALTIC = "baltic_sea"

OUT_OF_GAME = MappingProxyType({SUNK: "7.6", SCORED: "13.4"})
"""The clause that took a ship in one of these boxes out of the game."""


# --- where ships may go -----------------------------------------------------------------------------------------------------------


def first_stops(state: State, ship: Ship) -> tuple[str, ...]:
    """6.1, 6.4, 13.1, 13.2, 14.4, 16.1 – 16.3, R7, R31, R35, R47 Where a ship that may sail can go first."""
    if ship.free:
        areas = (area for area in state.data.areas if area != ship.place and state.may_enter_area(ship, area))
        return (*areas, *(port for port in state.data.ports if state.may_enter_port(ship, port)))
    if ship.pressed:
        return (BARENTS,)
    stops = state.data.reach[ship.nation, ship.kind][ship.place]
    if ship.is_convoy:
        return tuple(area for area in stops if convoy_has_room(state, area))
    return stops


def convoy_has_room(state: State, area: str) -> bool:
    """13.1, R32 One convoy an area when Allied movement ends: one that must go on makes room."""
    return sum(ship.is_convoy and not ship.pressed for ship in state.at(area)) < state.data.convoys_per_area


def stops_movement(state: State, area: str, side: Seat) -> bool:
    """6.1, R7 A control marker of the enemy stops ships that enter its area; enemy ships do not."""
    return state.control.get(area, "") == other(side)


def second_stops(state: State, ship: Ship, first: str) -> tuple[str, ...]:
    """6.1, R7 Areas that a warship may go on to; none after an area with an enemy marker, and none for a convoy (13.1) or a ship that
    replenished (14.4). R58 – R61 So the Baltic leads only Germans anywhere, Italian battleships never have a second area, and a ship
    may go from Malta through the Mediterranean."""
    if ship.is_convoy or ship.free or stops_movement(state, first, ship.side):
        return ()
    return state.data.reach[ship.nation, ship.kind][first]


def may_sail(state: State, ship: Ship) -> bool:
    """6.1, 15.1, 16.1 Whether the ship may still leave the place where it is: once a turn, not after being repaired."""
    if ship.path or ship.failed or ship.repaired:
        return False
    if ship.place in state.data.ports:
        return ship.may_sail or ship.nation != "su"
    return (ship.free or ship.pressed) and ship.place in state.data.areas


def sailable(state: State, side: Seat) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Place -> ship -> first stops, for all ships of a side that may sail and have somewhere to go."""
    memo = state.memo
    key = ("sailable", side)
    found = memo.get(key)
    if found is None:
        out: dict[str, dict[str, tuple[str, ...]]] = {}
        ports, reach = state.data.ports, state.data.reach
        for name, ship in state.ships.items():
            if ship.path or SIDE_OF_NATION[ship.nation] != side or not may_sail(state, ship):
                continue
            # Most ships are warships in port, and this is asked after every command of movement.
            plain = ship.place in ports and ship.kind != CONVOY
            stops = reach[ship.nation, ship.kind][ship.place] if plain else first_stops(state, ship)
            if stops:
                if ship.place in out:
                    out[ship.place][name] = stops
                else:
                    out[ship.place] = {name: stops}
        found = memo[key] = out
    result: Mapping[str, Mapping[str, tuple[str, ...]]] = found
    return result


def split_fleet(state: State, picks: Picks) -> tuple[list[Ship], tuple[str, ...]]:
    """The ships among the picks after the verb, and the path after them."""
    known = state.ships
    ships = [known[str(pick)] for pick in picks if pick in known]
    return ships, tuple([str(pick) for pick in picks[len(ships) :]])


# --- 6.1, 6.3 sailing -------------------------------------------------------------------------------------------------------------


class Sail(Step[State]):
    """6.1, 6.3 One side's movement, and repair in its ports.

    sail SHIP … AREA [AREA] moves ships of one place together; repair SHIP POINTS … repairs; done ends the side's movement, and its speed
    dice are rolled. With hidden movement (18.2) the repairs follow `done`, so that nobody sees whether there are any.
    """

    def __init__(self, side: Seat) -> None:
        self.side = side

    def sealed(self, state: State) -> bool:
        """18.2 Whether this side's commands are kept from the other."""
        return state.hidden and self.side == ALLIED

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """6.3 The side whose movement it is, unless everybody sees that it had nothing to do. Once it has begun it says itself when it is
        done, since dice follow."""
        state = at.state
        if not (self.sealed(state) or sailable(state, self.side) or repairable(state, self.side) or self._has_begun(state)):
            return {}
        return {self.side: Decision(say("prompt.war_at_sea.sail", "6.3", side=self.side))}

    def _has_begun(self, state: State) -> bool:
        """Whether a ship of the side has moved or been repaired."""
        return any((ship.path or ship.repaired) and ship.side == self.side for ship in state.ships.values())

    def advance(self, table: Table[State], frame: Frame) -> None:
        """6.3 Nothing can be moved."""
        self._finish(table, ())

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """6.1 Ships of one place, then one or two areas."""
        state = at.state
        sealed = self.sealed(state)
        if not picks:
            verbs = [SAIL] if sailable(state, self.side) else []
            if not sealed and repairable(state, self.side):
                verbs.append(REPAIR)
            return offer("verb", (*verbs, DONE), sealed=sealed)
        if picks[0] == DONE:
            if not sealed:
                return WHOLE
            return repair_choices(state, self.side, picks[1:], sealed=True, complete_at_once=True)
        if picks[0] == REPAIR:
            return repair_choices(state, self.side, picks[1:], sealed=False)
        return self._sail_choices(state, picks[1:], sealed)

    def _sail_choices(self, state: State, picks: Picks, sealed: bool) -> Choices:
        """6.1, 13.1, R7 No ship is offered that could not go with those named before it."""
        places = sailable(state, self.side)
        if not picks:
            return state.data.offer("war_at_sea.ship", (ship for fleet in places.values() for ship in fleet), sealed=sealed)
        ships, path = split_fleet(state, picks)
        if len(path) == 2:
            return WHOLE_SEALED if sealed else WHOLE
        if path:
            onward = common(second_stops(state, ship, path[0]) for ship in ships) if path[0] in state.data.areas else ()
            return state.data.offer("war_at_sea.second_area", onward, complete=True, sealed=sealed)
        fleet = places[ships[0].place]
        together = common(fleet[ship.id] for ship in ships)
        convoy = any(ship.is_convoy for ship in ships)
        more = [
            name
            for name, stops in fleet.items()
            if name not in picks
            and (stops is together or any(stop in together for stop in stops))
            and not (convoy and state.ships[name].is_convoy)
        ]
        return state.data.offer("war_at_sea.ship_or_area", (*together, *more), sealed=sealed)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """6.2 How each ship of a two-area move fares with its speed die."""
        if not picks or picks[0] != SAIL:
            return ()
        ships, path = split_fleet(at.state, picks[1:])
        if len(path) != 2:
            return ()
        return tuple(say("war_at_sea.speed_needed", "6.2", ship=ship.id, speed=ship.speed_now) for ship in ships)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """6.1, 6.4 Why a ship may not sail, or not there."""
        state = at.state
        if len(picks) == 1:
            if picks[0] == SAIL:
                return self._none_refusal(state)
            if picks[0] == REPAIR:
                return refuse("15.1", "refusal.war_at_sea.none_to_repair")
            return super().refusal(at, frame, seat, picks)
        if picks[0] in (REPAIR, DONE):
            return repair_refusal(state, self.side, picks[1:])
        pick = str(picks[-1])
        ships, path = split_fleet(state, picks[1:-1])
        if pick in state.ships:
            if path:
                return refuse("6.1", "refusal.war_at_sea.ships_before_areas", ship=pick)
            return self._ship_refusal(state, state.ships[pick], ships)
        if not ships or (pick not in state.data.areas and pick not in state.data.ports):
            return super().refusal(at, frame, seat, picks)
        return stop_refusal(state, ships, path, pick)

    def _none_refusal(self, state: State) -> Refusal:
        """6.1 Why no ship at all may sail: the reason of all ships if they share one. Those that have sailed, and those that are not on the
        board, count only where there are no others: the second convoy is kept back by the first one (13.1), not by its having sailed."""
        ships = list(state.of_side(self.side))
        waiting = [ship for ship in ships if not ship.path and ship.place not in BOXES]
        reasons = [self._ship_refusal(state, ship, []) for ship in waiting or ships]
        if reasons and len({reason.rule for reason in reasons}) == 1:
            return reasons[0]
        return refuse("6.1", "refusal.war_at_sea.none_can_sail")

    def _ship_refusal(self, state: State, ship: Ship, fleet: list[Ship]) -> Refusal:
        """6.1, 6.3, 7.6, 12.3, 13.1, 13.4, 15.1, 16.1, 16.2 Why this ship may not sail, or not with these."""
        if ship.side != self.side:
            return refuse("6.3", "refusal.war_at_sea.not_yours", ship=ship.id)
        if ship.place == POOL:
            return refuse("16.2", "refusal.war_at_sea.american_not_joined", ship=ship.id)
        if ship.place == TRACK:
            return refuse("4.2", "refusal.war_at_sea.still_on_track", ship=ship.id)
        if ship.place in BOXES:
            return refuse(OUT_OF_GAME.get(ship.place, "12.3"), "refusal.war_at_sea.out_of_game", ship=ship.id)
        if ship.path or ship.failed:
            return refuse("6.1", "refusal.war_at_sea.already_moved", ship=ship.id)
        if ship.repaired:
            return refuse("15.1", "refusal.war_at_sea.being_repaired", ship=ship.id)
        if ship.nation == "su" and not ship.may_sail:
            return refuse("16.1", "refusal.war_at_sea.soviet_stays", ship=ship.id)
        if ship.is_convoy and not first_stops(state, ship):
            return refuse("13.1", "refusal.war_at_sea.one_convoy_an_area", area=state.data.sea_links[ship.place][0])
        if fleet and ship in fleet:
            return refuse("", "refusal.war_at_sea.named_twice", ship=ship.id)
        if fleet and ship.place != fleet[0].place:
            return refuse("6.1", "refusal.war_at_sea.other_place", ship=ship.id, place=ship.place)
        if fleet and ship.is_convoy:
            return refuse("13.1", "refusal.war_at_sea.one_convoy_an_area", area=first_stops(state, ship)[0])
        return refuse("6.1", "refusal.war_at_sea.nowhere_together", ship=ship.id)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """6.1 Move the fleet, or repair, or end the side's movement."""
        state = table.state
        if picks[0] == DONE:
            self._finish(table, picks[1:])
        elif picks[0] == REPAIR:
            for repair in planned(state, picks[1:]):
                table.emit(ev.Repaired(*repair))
        else:
            ships, path = split_fleet(state, picks[1:])
            table.emit(ev.Sailed(tuple(name_of(ship) for ship in ships), ships[0].place, path))

    def _finish(self, table: Table[State], pairs: Picks) -> None:
        """6.3 The side's movement is over. 13.2 A convoy that must go on does so now if it was not told to."""
        table.done()
        for ship in list(table.state.ships.values()):
            if ship.pressed and not ship.path and ship.side == self.side:
                table.emit(ev.Sailed((name_of(ship),), ship.place, (BARENTS,)))
        if self.sealed(table.state):
            table.emit(ev.RepairedFaceDown(Secret(planned(table.state, pairs), (ALLIED,))))
        table.emit(ev.SailingOver(self.side))


def stop_refusal(state: State, ships: list[Ship], path: tuple[str, ...], pick: str) -> Refusal:
    """2.2, 6.1, 6.4, 13.1, 13.2, 14.4, 16.1 – 16.3 Why these ships may not go from there to this area or port."""
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
        if ship.is_convoy and pick in state.data.sea_links[here] and not convoy_has_room(state, pick):
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


# --- 6.2 speed rolls --------------------------------------------------------------------------------------------------------------


class SpeedRolls(Step[State]):
    """6.1, 6.2, R5 After all ships of the side have moved, each that moved two areas rolls one die."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def advance(self, table: Table[State], frame: Frame) -> None:
        """6.2, R6 Less than its effective speed and it stays; else it goes into a port, at once where it has no choice."""
        table.done()
        for area in table.state.data.areas:
            ships = [ship for ship in table.state.at(area, self.side) if len(ship.path) == 2 and not ship.rolled]
            for ship in in_hidden_order(table, ships) if ships and ships[0].down else ships:
                die = table.roll(6, "speed")
                table.emit(ev.SpeedRolled(name_of(ship), area, die, die < ship.speed_now))
        if table.state.hidden and self.side == ALLIED:
            return
        for ship in failed_at_sea(table.state, self.side):
            ports = failed_destinations(table.state, ship)
            if len(ports) == 1:
                table.emit(ev.PutBack(ship.id, ship.place, ports[0]))


def failed_at_sea(state: State, side: Seat) -> list[Ship]:
    """6.2 Ships that failed their roll and are still to go into a port."""
    return [ship for ship in state.ships.values() if ship.failed and ship.side == side and ship.place in state.data.areas]


class PutBackFailed(ChoosePorts):
    """6.2, R8 The owner chooses a port for each ship that failed its roll.

    18.2 A face-down ship is asked about even if it has only one port to go to: the pause must not tell where it came from.
    """

    verb = "put_back"

    def __init__(self, side: Seat) -> None:
        self.side = side

    def question(self, state: State) -> Say:
        """6.2 Where to."""
        return say("prompt.war_at_sea.put_back", "6.2")

    def sealed(self, state: State) -> bool:
        """18.2 Whether this side's commands are kept from the other."""
        return state.hidden and self.side == ALLIED

    def pending(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """R8 Each ship's ports."""
        return {ship.id: failed_destinations(state, ship) for ship in failed_at_sea(state, self.side)}

    def port_refusal(self, state: State, ship: Ship, port: str) -> Refusal:
        """6.2 Only the port it left or one next to the second area, which must be open and not the enemy's."""
        otherwise = refuse("6.2", "refusal.war_at_sea.no_refuge", ship=ship.id, port=port, area=ship.place)
        return port_refusal(state, ship, port, "", otherwise)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """6.2 Nothing may move again this turn, and 15.1 a ship that failed is not repaired; else as ever."""
        if picks == (SAIL,):
            return refuse("6.2", "refusal.war_at_sea.none_can_sail")
        if picks == (REPAIR,):
            return refuse("15.1", "refusal.war_at_sea.none_to_repair")
        return super().refusal(at, frame, seat, picks)

    def carry(self, table: Table[State], ships: Iterable[Ship], port: str) -> None:
        """6.2 Into port; in the order of the areas, which is open to all."""
        order = table.state.data.order
        for ship in sorted(ships, key=lambda ship: order[ship.place]):
            table.emit(ev.PutBack(name_of(ship), ship.place, port))


class LiftControl(Step[State]):
    """5.2, 6.3, 17.3 Last turn's control markers come off when Axis movement is finished."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """6.3 Take them off."""
        table.done()
        table.emit(ev.ControlLifted())
