"""13 Convoys that are alive when combat is over: on to Russia, into England, or a turn's wait in
the North Atlantic.

Their movement (13.1) stands in `movement.py` and `routes.py`, the way of a disabled one (13.4) in
`ports.py`.
"""

from collections.abc import Iterator, Mapping

from warledger.engine.games.war_at_sea.data import ALLIED
from warledger.engine.games.war_at_sea.state import SCORED, Ship, State, with_ship
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Commands, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Seat, Step, event
from warledger.protocol.board.choices import say
from warledger.protocol.board.effects import Effect, mark, take, tell

# --- events ---------------------------------------------------------------------------------------


@event("convoy_arrived")
class ConvoyArrived:
    """13.2 – 13.4 A convoy reached a port, scored, and left the game."""

    convoy: str
    area: str
    port: str
    points: int


@event("convoy_stayed")
class ConvoyStayed:
    """13.2 A convoy stays in the North Atlantic and must go on to the Barents Sea next turn."""

    convoy: str
    area: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(ConvoyArrived)
def _convoy_arrived(state: State, event: ConvoyArrived) -> State:
    return replace(
        with_ship(state, event.convoy, place=SCORED, pressed=False),
        convoy_points=state.convoy_points + event.points,
    )


@after(ConvoyStayed)
def _convoy_stayed(state: State, event: ConvoyStayed) -> State:
    return with_ship(state, event.convoy, pressed=True)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(ConvoyArrived)
def _draw_convoy_arrived(before: State, event: ConvoyArrived, after: State) -> Iterator[Effect]:
    yield take(event.convoy, SCORED)
    rule = "13.2" if event.port == "england" else "13.3"
    yield tell(
        "war_at_sea.convoy_arrived", rule, convoy=event.convoy, port=event.port, points=event.points
    )


@draws(ConvoyStayed)
def _draw_convoy_stayed(before: State, event: ConvoyStayed, after: State) -> Iterator[Effect]:
    yield mark(event.convoy, "pressed", 1)
    yield tell("war_at_sea.convoy_stayed", "13.2", convoy=event.convoy, area=event.area)


NORTH_ATLANTIC, BARENTS = "north_atlantic", "barents_sea"


def convoys_at(state: State, area: str) -> list[Ship]:
    """13.2, 13.3 Convoys alive in an area, escaped ones too, that have not yet said what they
    do."""
    return [ship for ship in state.by_place.get(area, ()) if ship.is_convoy and not ship.pressed]


def arrive(table: Table[State], convoy: Ship) -> None:
    """13.2, 13.3, 13.4 A convoy goes into port, scores, and leaves the game."""
    port, points = table.state.data.convoy_exits[convoy.place]
    table.emit(ConvoyArrived(convoy.id, convoy.place, port, points))


class ConvoysToRussia(Step[State]):
    """13.3 A convoy alive in the Barents Sea must go to Russia at once and scores three points."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """13.3 It goes."""
        table.done()
        for convoy in convoys_at(table.state, BARENTS):
            arrive(table, convoy)


class ConvoyInAtlantic(Asking[State]):
    """13.2, R33 A convoy alive in the North Atlantic goes into England for one point, or stays and
    must go on to the Barents Sea."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """13.2 The Allied player chooses."""
        convoys = convoys_at(at.state, NORTH_ATLANTIC)
        return (
            {ALLIED: Decision(say("prompt.war_at_sea.convoy", "13.2", convoy=convoys[0].id))}
            if convoys
            else {}
        )

    def commands(self) -> Commands[State]:
        """13.2 One of the two."""
        return (word("into_england", self._into_england), word("stay", self._stay))

    def _into_england(self, table: Table[State], asked: Asked[State]) -> None:
        """13.2 It scores."""
        arrive(table, convoys_at(table.state, NORTH_ATLANTIC)[0])

    def _stay(self, table: Table[State], asked: Asked[State]) -> None:
        """13.2 It waits, and must go on."""
        convoy = convoys_at(table.state, NORTH_ATLANTIC)[0]
        table.emit(ConvoyStayed(convoy.id, convoy.place))


STEPS: Mapping[str, Step[State]] = {
    "convoys_to_russia": ConvoysToRussia(),
    "convoy_in_atlantic": ConvoyInAtlantic(),
}
