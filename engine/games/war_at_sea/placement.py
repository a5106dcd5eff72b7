"""8.1 and 9.1: the Axis places its U-boats, then both sides place their airstrike markers.

Both are open and final; the marker is placed by the Allies first (R4).
"""

from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from warledger.engine.games.war_at_sea.data import ALLIED, AXIS
from warledger.engine.games.war_at_sea.draw import AIR_PIECE
from warledger.engine.games.war_at_sea.ports import NEUTRAL_PORT
from warledger.engine.games.war_at_sea.state import State, with_boats
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import (
    Asked,
    Asking,
    Command,
    Commands,
    Pairs,
    Slot,
    word,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import Option, refuse, say
from warledger.protocol.board.effects import Effect, move, put, tell

# --- events ---------------------------------------------------------------------------------------


@event("uboats_placed")
class UBoatsPlaced:
    """8.1 Boats went from Germany to areas: pairs (boat, area)."""

    boats: tuple[tuple[str, str], ...]


@event("air_placed")
class AirPlaced:
    """9.1 A side placed its airstrike marker; "" if it did not."""

    side: str
    place: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(UBoatsPlaced)
def _uboats_placed(state: State, event: UBoatsPlaced) -> State:
    return with_boats(state, event.boats)


@after(AirPlaced)
def _air_placed(state: State, event: AirPlaced) -> State:
    return replace(state, air={**state.air, event.side: event.place})


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(UBoatsPlaced)
def _draw_uboats_placed(before: State, event: UBoatsPlaced, after: State) -> Iterator[Effect]:
    numbers: dict[str, int] = {}
    for boat, area in event.boats:
        yield move(boat, area)
        numbers[area] = numbers.get(area, 0) + 1
    for area, n in numbers.items():
        yield tell("war_at_sea.uboats_placed", "8.1", n=n, area=area)
    if not event.boats:
        yield tell("war_at_sea.uboats_stay", "8.1")


@draws(AirPlaced)
def _draw_air_placed(before: State, event: AirPlaced, after: State) -> Iterator[Effect]:
    if event.place:
        yield put(
            AIR_PIECE[event.side], event.place, str(after.data.air_strength[event.side]), event.side
        )
        yield tell("war_at_sea.air_placed", "9.1", side=event.side, place=event.place)
    else:
        yield tell("war_at_sea.air_kept", "9.1", side=event.side)


@frozen
class PlacingBoats:
    """Areas, and how many boats go to each."""

    boats: tuple[tuple[str, int], ...] = ()
    area: str = ""


@frozen
class PlacingAir:
    """Where the marker is put."""

    place: str = ""


class PlaceUBoats(Asking[State]):
    """8.1, 5.3, R14 The Axis places U-boats, all at once, or all stay in Germany.

    Any areas, any number in each; distance, control markers and enemy ships do not matter. Those
    not placed stay in Germany.
    """

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """8.1 The Axis, if it has a boat."""
        n = len(at.state.boats_at(at.state.data.uboat_home))
        return {AXIS: Decision(say("prompt.war_at_sea.uboats", "8.1", n=n))} if n else {}

    def commands(self) -> Commands[State]:
        """8.1 An area, how many go there, another area …"""
        return (
            Command(
                "place",
                PlacingBoats,
                Pairs(
                    "boats",
                    Slot("area", "war_at_sea.area", self._areas, self._why_not_area),
                    Slot("number", "war_at_sea.uboats", self._numbers, self._why_not_number),
                ),
                apply=self._place,
            ),
            word("pass", lambda table, asked: self._put(table, ())),
        )

    @staticmethod
    def _left(state: State, order: PlacingBoats) -> int:
        """Boats that have not been given an area."""
        return len(state.boats_at(state.data.uboat_home)) - sum(n for _, n in order.boats)

    def _areas(self, asked: Asked[State], order: PlacingBoats) -> Iterable[Option]:
        """8.1 Each area once, while boats are left."""
        data = asked.state.data
        if not self._left(asked.state, order):
            return ()
        named = [area for area, _ in order.boats]
        return data.offer(area for area in data.areas if area not in named)

    def _numbers(self, asked: Asked[State], order: PlacingBoats) -> range:
        """8.1 From one boat to all that are left."""
        return range(1, self._left(asked.state, order) + 1)

    def _why_not_area(self, asked: Asked[State], order: PlacingBoats, pick: Pick) -> Refusal | None:
        """8.1 Only sea areas, each named once, while boats are left."""
        if self._left(asked.state, order) == 0:
            return refuse("8.1", "refusal.war_at_sea.so_many_boats", n=0)
        if pick in asked.state.data.ports:
            return refuse("8.1", "refusal.war_at_sea.boats_to_areas", place=pick)
        if any(area == pick for area, _ in order.boats):
            return refuse("8.1", "refusal.war_at_sea.area_named_twice", area=pick)
        return None

    def _why_not_number(self, asked: Asked[State], order: PlacingBoats, pick: Pick) -> Refusal:
        """8.1 No more boats than there are."""
        n = self._left(asked.state, order)
        return refuse("8.1", "refusal.war_at_sea.so_many_boats", n=n)

    def _place(self, table: Table[State], asked: Asked[State], order: PlacingBoats) -> None:
        """8.1 The boats go out."""
        self._put(table, order.boats)

    def _put(self, table: Table[State], boats: tuple[tuple[str, int], ...]) -> None:
        table.done()
        home = iter(table.state.boats_at(table.state.data.uboat_home))
        areas = [area for area, n in boats for _ in range(n)]
        table.emit(
            UBoatsPlaced(tuple((boat, area) for boat, area in zip(home, areas, strict=False)))
        )


class PlaceAir(Asking[State]):
    """9.1, 3.4, R18, R53 A side places its airstrike marker where its aircraft is printed, or keeps
    it."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """9.1 The Allies first, then the Axis."""
        return {self.side: Decision(say("prompt.war_at_sea.air", "9.1", side=self.side))}

    def commands(self) -> Commands[State]:
        """9.1 A place, or the marker is kept."""
        return (
            Command(
                "place",
                PlacingAir,
                Slot("place", "war_at_sea.air_place", self._places, self._why_not),
                apply=lambda table, asked, order: self._put(table, order.place),
            ),
            word("pass", lambda table, asked: self._put(table, "")),
        )

    def _places(self, asked: Asked[State], order: PlacingAir) -> Iterable[Option]:
        """9.1 White aircraft for the Allies, red for the Axis."""
        data = asked.state.data
        return data.offer(data.air_places[self.side])

    def _why_not(self, asked: Asked[State], order: PlacingAir, pick: Pick) -> Refusal | None:
        """9.1 No aircraft of the side is printed there. 15.5 None is printed in the neutral
        port."""
        data = asked.state.data
        if pick not in data.areas and pick not in data.ports:
            return None
        rule = "15.5" if pick == NEUTRAL_PORT else "9.1"
        return refuse(rule, "refusal.war_at_sea.no_aircraft_printed", place=pick)

    def _put(self, table: Table[State], place: str) -> None:
        """9.1 Put it down."""
        table.done()
        table.emit(AirPlaced(self.side, place))


STEPS: Mapping[str, Step[State]] = {
    "place_uboats": PlaceUBoats(),
    "allied_air": PlaceAir(ALLIED),
    "axis_air": PlaceAir(AXIS),
}
