"""6 Movement: a side sails its fleets and repairs in port (15.1); then come its speed dice (6.2,
`speed.py`).

6.3 The Allies first, then the Axis, which knows where the Allies are; then last turn's control
markers come off. Where ships may go stands in `routes.py`. The hard part is which areas a fleet may
go to together: every prefix of picks on offer must have a way to go on.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.games.war_at_sea.data import ALLIED, AXIS
from warledger.engine.games.war_at_sea.draw import CONTROL_MARK, READERS, who
from warledger.engine.games.war_at_sea.hidden import name_of
from warledger.engine.games.war_at_sea.homing import common
from warledger.engine.games.war_at_sea.repair import (
    NO_REPAIRS,
    Repairing,
    RepairSlots,
    repairable,
)
from warledger.engine.games.war_at_sea.routes import (
    BARENTS,
    OUT_OF_GAME,
    first_stops,
    sailable,
    second_stops,
    stop_refusal,
)
from warledger.engine.games.war_at_sea.state import (
    BOXES,
    POOL,
    TRACK,
    Ship,
    ShipName,
    State,
    is_ship,
    named,
    with_ships,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.board.choices import Option, refuse, say
from warledger.protocol.board.effects import Effect, count, mark, move, tell
from warledger.protocol.chance.seal import Secret

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


@event("sailing_over")
class SailingOver:
    """6.3 A side's movement and dice are over."""

    side: str


@event("control_lifted")
class ControlLifted:
    """6.3 Last turn's control markers are taken off."""


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


def _repair(state: State, repairs: Iterable[tuple[str, str, int]]) -> State:
    ships, spent = dict(state.ships), dict(state.repaired)
    for name, port, points in repairs:
        ships[name] = replace(ships[name], damage=ships[name].damage - points, repaired=True)
        spent[port] = spent.get(port, 0) + points
    return replace(state, ships=ships, repaired=spent)


@after(Sailed)
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


@after(Repaired)
def _repaired(state: State, event: Repaired) -> State:
    return _repair(state, ((event.ship, event.port, event.points),))


@after(RepairedFaceDown)
def _repaired_face_down(state: State, event: RepairedFaceDown) -> State:
    return _repair(state, event.repairs.value)


after.unchanged(SailingOver)


@after(ControlLifted)
def _control_lifted(state: State, event: ControlLifted) -> State:
    return replace(state, control=dict.fromkeys(state.control, ""))


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Sailed)
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


@draws(Repaired)
def _draw_repaired(before: State, event: Repaired, after: State) -> Iterator[Effect]:
    yield mark(event.ship, "damage", after.ships[event.ship].damage)
    yield tell("war_at_sea.repaired", "15.2", ship=event.ship, port=event.port, points=event.points)


@draws(RepairedFaceDown)
def _draw_repaired_face_down(
    before: State, event: RepairedFaceDown, after: State
) -> Iterator[Effect]:
    """18.2 Every face-down ship in port is marked anew, so that nobody sees which were repaired, or
    whether any was."""
    for port in after.data.ports:
        for ship in after.at(port, ALLIED):
            if ship.down:
                yield mark(who(ship), "damage", Secret(ship.damage, READERS))


@draws(SailingOver)
def _draw_sailing_over(before: State, event: SailingOver, after: State) -> Iterator[Effect]:
    yield tell("war_at_sea.sailing_over", "6.3", side=event.side)


@draws(ControlLifted)
def _draw_control_lifted(before: State, event: ControlLifted, after: State) -> Iterator[Effect]:
    for area, side in before.control.items():
        if side:
            yield mark(area, CONTROL_MARK[side], 0)
    if any(before.control.values()):
        yield tell("war_at_sea.control_lifted", "6.3")


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


class LiftControl(Step[State]):
    """5.2, 6.3, 17.3 Last turn's control markers come off when Axis movement is finished."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """6.3 Take them off."""
        table.done()
        table.emit(ControlLifted())


STEPS: Mapping[str, Step[State]] = {
    "allied_sail": Sail(ALLIED),
    "axis_sail": Sail(AXIS),
    "lift_control": LiftControl(),
}
