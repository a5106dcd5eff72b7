"""8.1 and 9.1: the Axis places its U-boats, then both sides place their airstrike markers.

Both are open and final; the marker is placed by the Allies first (R4).
"""

from collections.abc import Mapping

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import AXIS
from engine.games.war_at_sea.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say

PLACE, PASS = "place", "pass"
VERBS = offer("verb", (PLACE, PASS))


class PlaceUBoats(Step[State]):
    """8.1, 5.3, R14 The Axis places U-boats, all at once: place AREA NUMBER …; or pass, and all stay in Germany.

    Any areas, any number in each; distance, control markers and enemy ships do not matter. Those not placed stay in Germany.
    """

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """8.1 The Axis, if it has a boat."""
        n = len(at.state.boats_at(at.state.data.uboat_home))
        return {AXIS: Decision(say("prompt.war_at_sea.uboats", "8.1", n=n))} if n else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """8.1 An area, how many go there, another area …"""
        state = at.state
        if not picks:
            return VERBS
        if picks[0] == PASS:
            return WHOLE
        left = self._left(state, picks)
        if len(picks) % 2 == 0:
            return Choices("war_at_sea.uboats", span=(1, left))
        areas = (area for area in state.data.areas if area not in picks) if left else ()
        return state.data.offer("war_at_sea.area", areas, complete=len(picks) > 1)

    @staticmethod
    def _left(state: State, picks: Picks) -> int:
        """Boats not yet given an area by whole pairs of picks."""
        return len(state.boats_at(state.data.uboat_home)) - sum(int(n) for n in picks[2::2])

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """8.1 Only sea areas, each named once, and no more boats than there are."""
        state, pick = at.state, picks[-1]
        if len(picks) > 1 and picks[0] == PLACE:
            if len(picks) % 2 == 1:
                return refuse("8.1", "refusal.war_at_sea.so_many_boats", n=self._left(state, picks[:-1]))
            if self._left(state, picks[:-1]) == 0:
                return refuse("8.1", "refusal.war_at_sea.so_many_boats", n=0)
            if pick in state.data.ports:
                return refuse("8.1", "refusal.war_at_sea.boats_to_areas", place=pick)
            if pick in picks[1:-1]:
                return refuse("8.1", "refusal.war_at_sea.area_named_twice", area=pick)
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """8.1 The boats go out."""
        table.done()
        home = iter(table.state.boats_at(table.state.data.uboat_home))
        areas = [str(area) for area, n in zip(picks[1::2], picks[2::2], strict=False) for _ in range(int(n))]
        table.emit(ev.UBoatsPlaced(tuple((boat, area) for boat, area in zip(home, areas, strict=False))))


class PlaceAir(Step[State]):
    """9.1, 3.4, R18, R53 A side places its airstrike marker where its aircraft is printed, or keeps it: place PLACE, or pass."""

    def __init__(self, side: Seat) -> None:
        self.side = side

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """9.1 The Allies first, then the Axis."""
        return {self.side: Decision(say("prompt.war_at_sea.air", "9.1", side=self.side))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """9.1 White aircraft for the Allies, red for the Axis."""
        if not picks:
            return VERBS
        if picks[0] == PASS or len(picks) == 2:
            return WHOLE
        return at.state.data.offer("war_at_sea.air_place", at.state.data.air_places[self.side])

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """9.1 No aircraft of the side is printed there. 15.5 None is printed in the neutral port."""
        pick = picks[-1]
        if len(picks) == 2 and (pick in at.state.data.areas or pick in at.state.data.ports):
            rule = "15.5" if pick == "south_america" else "9.1"
            return refuse(rule, "refusal.war_at_sea.no_aircraft_printed", place=pick)
        return super().refusal(at, frame, seat, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """9.1 Put it down."""
        table.done()
        table.emit(ev.AirPlaced(self.side, str(picks[1]) if picks[0] == PLACE else ""))
