"""13 Convoys that are alive when combat is over: on to Russia, into England, or a turn's wait in the North Atlantic.

Their movement (13.1) stands in `movement.py`, the way of a disabled one (13.4) in `ports.py`.
"""

from collections.abc import Mapping

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED
from engine.games.war_at_sea.state import Ship, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Seat, Step
from protocol.choices import WHOLE, offer, say

ENGLAND, STAY = "into_england", "stay"
NORTH_ATLANTIC, BARENTS = "north_atlantic", "barents_sea"


def convoys_at(state: State, area: str) -> list[Ship]:
    """13.2, 13.3 Convoys alive in an area, escaped ones too, that have not yet said what they do."""
    return [ship for ship in state.by_place.get(area, ()) if ship.is_convoy and not ship.pressed]


def arrive(table: Table[State], convoy: Ship) -> None:
    """13.2, 13.3, 13.4 A convoy goes into port, scores, and leaves the game."""
    port, points = table.state.data.convoy_exits[convoy.place]
    table.emit(ev.ConvoyArrived(convoy.id, convoy.place, port, points))


class ConvoysToRussia(Step[State]):
    """13.3 A convoy alive in the Barents Sea must go to Russia at once and scores three points."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """13.3 It goes."""
        table.done()
        for convoy in convoys_at(table.state, BARENTS):
            arrive(table, convoy)


class ConvoyInAtlantic(Step[State]):
    """13.2, R33 A convoy alive in the North Atlantic goes into England for one point, or stays and must go on to the Barents Sea."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """13.2 The Allied player chooses."""
        convoys = convoys_at(at.state, NORTH_ATLANTIC)
        return {ALLIED: Decision(say("prompt.war_at_sea.convoy", "13.2", convoy=convoys[0].id))} if convoys else {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """13.2 One of the two."""
        return WHOLE if picks else offer("verb", (ENGLAND, STAY))

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """13.2 Into England, or stay."""
        convoy = convoys_at(table.state, NORTH_ATLANTIC)[0]
        if picks[0] == ENGLAND:
            arrive(table, convoy)
        else:
            table.emit(ev.ConvoyStayed(convoy.id, convoy.place))
