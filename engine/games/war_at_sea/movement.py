"""6 Movement: a side sails its fleets, repairs in port (15.1), then rolls its speed dice; ships
that fail go into a port.

6.3 The Allies first, then the Axis, which knows where the Allies are; then last turn's control
markers come off. The hard part is which areas a fleet may go to together: every prefix of picks on
offer must have a way to go on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from attrs import frozen

from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, CONVOY, SIDE_OF_NATION, other
from warledger.engine.games.war_at_sea.draw import CONTROL_MARK, READERS, who
from warledger.engine.games.war_at_sea.hidden import in_hidden_order, name_of
from warledger.engine.games.war_at_sea.homing import ChoosePorts, common
from warledger.engine.games.war_at_sea.ports import failed_destinations, port_refusal
from warledger.engine.games.war_at_sea.repair import (
    NO_REPAIRS,
    Repairing,
    RepairSlots,
    repairable,
)
from warledger.engine.games.war_at_sea.state import (
    BOXES,
    POOL,
    SCORED,
    SUNK,
    TRACK,
    Ship,
    ShipName,
    State,
    is_ship,
    named,
    with_ship,
    with_ships,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.choices import Option, refuse, say
from warledger.protocol.effects import Effect, count, mark, move, roll, tell
from warledger.protocol.seal import Secret

# --- events ---------------------------------------------------------------------------------------


@event("sailed")
class Sailed:
    """6.1, 13.1, 14.4 Ships of one place went along a path of areas (or into a port, after
    replenishing)."""

    ships: tuple[ShipName, ...]
    origin: str
    path: tuple[str, ...]


@event("repaired")
class Repaired:
    """15.1, 15.2 A port took damage points off a ship that stays in it."""

    ship: str
    port: str
    points: int


@event("repaired_face_down")
class RepairedFaceDown:
    """18.2 What Allied ports repaired, as one secret: triples (ship, port, points)."""

    repairs: Any


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


@event("sailing_over")
class SailingOver:
    """6.3 A side's movement and dice are over."""

    side: str


@event("control_lifted")
class ControlLifted:
    """6.3 Last turn's control markers are taken off."""


# --- what follows ---------------------------------------------------------------------------------

_after = ByEvent()


def _repair(state: State, repairs: Iterable[tuple[str, str, int]]) -> State:
    ships, spent = dict(state.ships), dict(state.repaired)
    for name, port, points in repairs:
        ships[name] = replace(ships[name], damage=ships[name].damage - points, repaired=True)
        spent[port] = spent.get(port, 0) + points
    return replace(state, ships=ships, repaired=spent)


@_after(Sailed)
def _sailed(state: State, event: Sailed) -> State:
    path = event.path
    return with_ships(
        state,
        [
            replace(
                state.ships[named(name)],
                place=path[-1],
                path=path,
                pressed=False,
                seal=name if type(name) is Secret else None,
            )
            for name in event.ships
        ],
    )


@_after(Repaired)
def _repaired(state: State, event: Repaired) -> State:
    return _repair(state, ((event.ship, event.port, event.points),))


@_after(RepairedFaceDown)
def _repaired_face_down(state: State, event: RepairedFaceDown) -> State:
    return _repair(state, event.repairs.value)


@_after(SpeedRolled)
def _speed_rolled(state: State, event: SpeedRolled) -> State:
    return with_ship(state, named(event.ship), rolled=True, failed=not event.holds)


@_after(PutBack)
def _put_back(state: State, event: PutBack) -> State:
    return with_ship(state, named(event.ship), place=event.port)


@_after(SailingOver)
def _unchanged(state: State, event: SailingOver) -> State:
    return state


@_after(ControlLifted)
def _control_lifted(state: State, event: ControlLifted) -> State:
    return replace(state, control=dict.fromkeys(state.control, ""))


# --- what clients see -----------------------------------------------------------------------------

_draws = ByEvent()


@_draws(Sailed)
def _draw_sailed(before: State, event: Sailed, after: State) -> Iterator[Effect]:
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
            yield tell(
                "war_at_sea.sailed_through_down",
                "18.2",
                n=n,
                origin=event.origin,
                through=event.path[0],
                to=goal,
            )
        else:
            yield tell("war_at_sea.sailed_down", "18.2", n=n, origin=event.origin, to=goal)
        return
    for name in pressed:
        yield mark(named(name), "pressed", 0)
    rule = "14.4" if first.free else "13.1" if first.is_convoy and len(event.ships) == 1 else "6.1"
    ships = tuple(named(name) for name in event.ships)
    if len(event.path) == 2:
        yield tell(
            "war_at_sea.sailed_through",
            rule,
            ships=ships,
            origin=event.origin,
            through=event.path[0],
            to=event.path[1],
        )
    elif event.origin in after.data.areas:
        yield tell("war_at_sea.sailed_on", rule, ships=ships, origin=event.origin, to=event.path[0])
    else:
        yield tell("war_at_sea.sailed", rule, ships=ships, origin=event.origin, to=event.path[0])


@_draws(Repaired)
def _draw_repaired(before: State, event: Repaired, after: State) -> Iterator[Effect]:
    yield mark(event.ship, "damage", after.ships[event.ship].damage)
    yield tell("war_at_sea.repaired", "15.2", ship=event.ship, port=event.port, points=event.points)


@_draws(RepairedFaceDown)
def _draw_repaired_face_down(
    before: State, event: RepairedFaceDown, after: State
) -> Iterator[Effect]:
    """18.2 Every face-down ship in port is marked anew, so that nobody sees which were repaired, or
    whether any was."""
    for port in after.data.ports:
        for ship in after.at(port, ALLIED):
            if ship.down:
                yield mark(who(ship), "damage", Secret(ship.damage, READERS))


@_draws(SpeedRolled)
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


@_draws(PutBack)
def _draw_put_back(before: State, event: PutBack, after: State) -> Iterator[Effect]:
    ship = after.ships[named(event.ship)]
    yield move(who(ship), event.port)
    if ship.down:
        yield count(event.area, after.face_down(event.area))
        yield count(event.port, after.face_down(event.port))
        yield tell("war_at_sea.put_back_down", "18.2", area=event.area, port=event.port)
    else:
        yield tell("war_at_sea.put_back", "6.2", ship=ship.id, area=event.area, port=event.port)


@_draws(SailingOver)
def _draw_sailing_over(before: State, event: SailingOver, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.sailing_over", "6.3", side=event.side)


@_draws(ControlLifted)
def _draw_control_lifted(before: State, event: ControlLifted, after: State) -> Iterator[Effect]:
    for area, side in before.control.items():
        if side:
            yield mark(area, CONTROL_MARK[side], 0)
    if any(before.control.values()):
        yield tell("war_at_sea.control_lifted", "6.3")


BARENTS = "barents_sea"
BALTIC = "baltic_sea"

OUT_OF_GAME = MappingProxyType({SUNK: "7.6", SCORED: "13.4"})
"""The clause that took a ship in one of these boxes out of the game."""


# --- where ships may go ---------------------------------------------------------------------------


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
    """6.1, R7 Areas that a warship may go on to; none after an area with an enemy marker, and none
    for a convoy (13.1) or a ship that replenished (14.4). R58, R60, R61 So the Baltic leads only
    Germans anywhere, Italian battleships never have a second area, and a ship may go from Malta
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
    """Place -> ship -> first stops, for all ships of a side that may sail and have somewhere to
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


# --- 6.1, 6.3 sailing -----------------------------------------------------------------------------


@frozen
class Sailing:
    """Ships of one place, and the one or two areas that they go to."""

    ships: tuple[str, ...] = ()
    area: str = ""
    second: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """The areas."""
        return tuple(area for area in (self.area, self.second) if area)


class Sail(Asking[State]):
    """6.1, 6.3 One side's movement, and repair in its ports.

    `done` ends the movement, and the speed dice are rolled. With hidden movement (18.2) the repairs
    follow `done`, so that nobody sees whether there are any.
    """

    def __init__(self, side: Seat) -> None:
        self.side = side

    def sealed(self, asked: Asked[State]) -> bool:
        """18.2 Whether this side's commands are kept from the other."""
        return self._hides(asked.state)

    def _hides(self, state: State) -> bool:
        return state.hidden and self.side == ALLIED

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """6.3 The side whose movement it is, unless everybody sees that it had nothing to do. Once
        it has begun it says itself when it is done, since dice follow."""
        state = at.state
        if not (
            self._hides(state)
            or sailable(state, self.side)
            or repairable(state, self.side)
            or self._has_begun(state)
        ):
            return {}
        return {self.side: Decision(say("prompt.war_at_sea.sail", "6.3", side=self.side))}

    def _has_begun(self, state: State) -> bool:
        """Whether a ship of the side has moved or been repaired."""
        return any(
            (ship.path or ship.repaired) and ship.side == self.side for ship in state.ships.values()
        )

    def advance(self, table: Table[State], frame: Frame) -> None:
        """6.3 Nothing can be moved."""
        self._finish(table, NO_REPAIRS)

    def commands(self) -> Commands[State]:
        """6.1 Move a fleet; 15.1 repair ships; or no more, and then what is repaired in secret."""
        slots = RepairSlots(self.side)
        return (
            Command(
                "sail",
                Sailing,
                Many(
                    "ships",
                    "war_at_sea.ship",
                    self._ships,
                    self._why_not,
                    takes=is_ship,
                    joint="war_at_sea.ship_or_area",
                ),
                Slot("area", "war_at_sea.area", self._first, self._why_not),
                Slot(
                    "second", "war_at_sea.second_area", self._second, self._why_not, optional=True
                ),
                apply=self._sail,
                when=lambda asked: bool(sailable(asked.state, self.side)),
                why=self._why_none,
                beyond=self._why_not,
                preview=self._speeds,
            ),
            Command(
                "repair",
                Repairing,
                slots.pairs(),
                apply=self._repair,
                when=lambda asked: (
                    not self.sealed(asked) and bool(repairable(asked.state, self.side))
                ),
                why=lambda asked: refuse("15.1", "refusal.war_at_sea.none_to_repair"),
            ),
            Command(
                "done",
                Repairing,
                slots.pairs(enough=True, full=lambda asked, order: not self.sealed(asked)),
                apply=lambda table, asked, order: self._finish(table, order),
            ),
        )

    def _together(self, state: State, order: Sailing) -> tuple[str, ...]:
        """6.1 The first stops that all ships named so far share."""
        fleet = sailable(state, self.side)[state.ships[order.ships[0]].place]
        return common(fleet[name] for name in order.ships)

    def _ships(self, asked: Asked[State], order: Sailing) -> list[Option]:
        """6.1, 13.1, R7 No ship is offered that could not go with those named before it."""
        state = asked.state
        places = sailable(state, self.side)
        if not order.ships:
            return state.data.offer([ship for fleet in places.values() for ship in fleet])
        fleet = places[state.ships[order.ships[0]].place]
        together = self._together(state, order)
        more = [
            name
            for name, stops in fleet.items()
            if name not in order.ships
            and (stops is together or any(stop in together for stop in stops))
        ]
        if any(state.ships[name].is_convoy for name in order.ships):
            more = [name for name in more if not state.ships[name].is_convoy]
        return state.data.offer(more)

    def _first(self, asked: Asked[State], order: Sailing) -> list[Option]:
        """6.1 An area; 14.4 for ships that replenished, a port too."""
        return asked.state.data.offer(self._together(asked.state, order))

    def _second(self, asked: Asked[State], order: Sailing) -> list[Option]:
        """6.1 A second area, where all may go on."""
        state = asked.state
        if order.area not in state.data.areas:
            return []
        return state.data.offer(
            common(second_stops(state, state.ships[name], order.area) for name in order.ships)
        )

    def _speeds(self, asked: Asked[State], order: Sailing) -> tuple[Say, ...]:
        """6.2 How each ship of a two-area move fares with its speed die."""
        if not order.second:
            return ()
        ships = (asked.state.ships[name] for name in order.ships)
        return tuple(
            say("war_at_sea.speed_needed", "6.2", ship=ship.id, speed=ship.speed_now)
            for ship in ships
        )

    def _why_not(self, asked: Asked[State], order: Sailing, pick: Pick) -> Refusal | None:
        """6.1, 6.4 Why a ship may not sail, or not there."""
        state = asked.state
        ships = [state.ships[name] for name in order.ships]
        if is_ship(asked, pick):
            if order.area:
                return refuse("6.1", "refusal.war_at_sea.ships_before_areas", ship=pick)
            return self._ship_refusal(state, state.ships[str(pick)], ships)
        if not ships or (pick not in state.data.areas and pick not in state.data.ports):
            return None
        return stop_refusal(state, ships, order.path, str(pick))

    def _why_none(self, asked: Asked[State]) -> Refusal:
        """6.1 Why no ship at all may sail: the reason of all ships if they share one. Those that
        have sailed, and those that are not on the board, count only where there are no others: the
        second convoy is kept back by the first one (13.1), not by its having sailed."""
        state = asked.state
        ships = list(state.of_side(self.side))
        waiting = [ship for ship in ships if not ship.path and ship.place not in BOXES]
        reasons = [self._ship_refusal(state, ship, []) for ship in waiting or ships]
        if reasons and len({reason.rule for reason in reasons}) == 1:
            return reasons[0]
        return refuse("6.1", "refusal.war_at_sea.none_can_sail")

    def _ship_refusal(self, state: State, ship: Ship, fleet: list[Ship]) -> Refusal:
        """6.1, 6.3, 7.6, 12.3, 13.1, 13.4, 15.1, 16.1, 16.2 Why this ship may not sail, or not with
        these."""
        if ship.side != self.side:
            return refuse("6.3", "refusal.war_at_sea.not_yours", ship=ship.id)
        if ship.place == POOL:
            return refuse("16.2", "refusal.war_at_sea.american_not_joined", ship=ship.id)
        if ship.place == TRACK:
            return refuse("4.2", "refusal.war_at_sea.still_on_track", ship=ship.id)
        if ship.place in BOXES:
            return refuse(
                OUT_OF_GAME.get(ship.place, "12.3"), "refusal.war_at_sea.out_of_game", ship=ship.id
            )
        if ship.path or ship.failed:
            return refuse("6.1", "refusal.war_at_sea.already_moved", ship=ship.id)
        if ship.repaired:
            return refuse("15.1", "refusal.war_at_sea.being_repaired", ship=ship.id)
        if ship.nation == "su" and not ship.may_sail:
            return refuse("16.1", "refusal.war_at_sea.soviet_stays", ship=ship.id)
        if ship.is_convoy and not first_stops(state, ship):
            return refuse(
                "13.1",
                "refusal.war_at_sea.one_convoy_an_area",
                area=state.data.sea_links[ship.place][0],
            )
        if fleet and ship in fleet:
            return refuse("", "refusal.war_at_sea.named_twice", ship=ship.id)
        if fleet and ship.place != fleet[0].place:
            return refuse("6.1", "refusal.war_at_sea.other_place", ship=ship.id, place=ship.place)
        if fleet and ship.is_convoy:
            return refuse(
                "13.1", "refusal.war_at_sea.one_convoy_an_area", area=first_stops(state, ship)[0]
            )
        return refuse("6.1", "refusal.war_at_sea.nowhere_together", ship=ship.id)

    def _sail(self, table: Table[State], asked: Asked[State], order: Sailing) -> None:
        """6.1 Move the fleet."""
        ships = [asked.state.ships[name] for name in order.ships]
        table.emit(Sailed(tuple(name_of(ship) for ship in ships), ships[0].place, order.path))

    def _repair(self, table: Table[State], asked: Asked[State], order: Repairing) -> None:
        """15.1 Repair."""
        for repair in order.planned(asked.state):
            table.emit(Repaired(*repair))

    def _finish(self, table: Table[State], order: Repairing) -> None:
        """6.3 The side's movement is over. 13.2 A convoy that must go on does so now if it was not
        told to."""
        table.done()
        for ship in list(table.state.ships.values()):
            if ship.pressed and not ship.path and ship.side == self.side:
                table.emit(Sailed((name_of(ship),), ship.place, (BARENTS,)))
        if self._hides(table.state):
            table.emit(RepairedFaceDown(Secret(order.planned(table.state), (ALLIED,))))
        table.emit(SailingOver(self.side))


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


# --- 6.2 speed rolls ------------------------------------------------------------------------------


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


class LiftControl(Step[State]):
    """5.2, 6.3, 17.3 Last turn's control markers come off when Axis movement is finished."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """6.3 Take them off."""
        table.done()
        table.emit(ControlLifted())


STEPS: Mapping[str, Step[State]] = {
    "allied_sail": Sail(ALLIED),
    "allied_speed_rolls": SpeedRolls(ALLIED),
    "allied_put_back": PutBackFailed(ALLIED),
    "axis_sail": Sail(AXIS),
    "axis_speed_rolls": SpeedRolls(AXIS),
    "axis_put_back": PutBackFailed(AXIS),
    "lift_control": LiftControl(),
}
EVENTS: tuple[type[Any], ...] = (
    Sailed,
    Repaired,
    RepairedFaceDown,
    SpeedRolled,
    PutBack,
    SailingOver,
    ControlLifted,
)
TABLE: Mapping[type[Any], Callable[[State, Any], State]] = _after.table()
"""Event class -> the state after it."""
EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = _draws.table()
"""Event class -> what clients draw and tell of it."""
