"""3.4 Control of cities, 5.0 the turns, and 14.4 victory."""

from collections.abc import Iterable

from engine.games.chitpull.rail import changed_hands
from engine.games.chitpull.sides import AXIS, SOVIET
from engine.games.typhoon.events import Advanced, CityTaken, Deployed, GameOver, GateReached, Moved, Placed, TurnEnded
from engine.games.typhoon.state import State
from engine.kernel.position import Frame
from engine.kernel.table import Table
from engine.kernel.types import Outcome, Step
from protocol.choices import say

# --- 3.4 control ------------------------------------------------------------------------------------------------------------


def on_event(table: Table[State], event: object) -> None:
    """3.4(2), R-12 Movement, advance and placement change control; 10.7, R-30 (g) so does an advance. A ZOC never does. What a retreat
    takes is seen to where it is known whether the unit falls (10.6)."""
    if isinstance(event, Moved):
        enter(table, event.units[0], event.path[1:])
    elif isinstance(event, Advanced):
        enter(table, event.unit, event.path[1:])
    elif isinstance(event, Placed | Deployed):
        enter(table, event.unit, (event.hex,))


def enter(table: Table[State], unit: str, hexes: Iterable[str]) -> None:
    """3.4(2), R-12 A unit passes through hexes or stops there: their cities are its side's."""
    data = table.state.data
    side = data.types[unit].side
    index = data.board.grid.index
    taken = changed_hands(table.state.control, side, (index[name] for name in hexes))
    for i in taken:
        table.emit(CityTaken(data.name(i), side))
        # R-41 the latch: looked at after every move and advance
        if not table.state.latch and prizes_held(table.state) >= data.late_victory[0]:
            table.emit(GateReached())


def prizes_held(state: State) -> int:
    """14.4(2) How many hexes of Moscow and Tula the Axis controls; no LOC is needed for this."""
    return sum(1 for i in state.data.prize if state.control[i] == AXIS)


def held(state: State) -> tuple[int, ...]:
    """14.4, R-41 The big-city hexes that the Axis holds: controlled, and reached by a LOC now, which may end in an EZOC (R-09)."""
    return tuple(i for i in state.data.big_cities if state.control[i] == AXIS and state.field.has_loc(AXIS, i))


# --- 5.0 the turns ----------------------------------------------------------------------------------------------------------


class Play(Step[State]):
    """5.0 Turn after turn, until the game is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The next turn."""
        table.call("turn")


class EndOfTurn(Step[State]):
    """5.0(5) The turn is over; 14.4(1) turn 10 and 14.4(2), 14.4(3) the last one may end the game (R-50)."""

    early_turn = 10

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Look at victory, then turn the page."""
        state = table.state
        data = state.data
        table.done()
        if state.turn == self.early_turn:
            cities = held(state)
            if len(cities) >= data.early_victory[0] and sum(1 for i in cities if i in data.prize) >= data.early_victory[1]:
                table.emit(GameOver(AXIS, "early"))
        if table.state.result is None and state.turn == data.last_turn:
            if state.latch and len(held(state)) >= data.late_victory[1]:
                table.emit(GameOver(AXIS, "late"))
            else:
                table.emit(GameOver(SOVIET, "held"))
        table.emit(TurnEnded(state.turn))
        table.turn_over()


def outcome(state: State) -> Outcome | None:
    """14.4 The result, once the game is over."""
    if state.result is None:
        return None
    winner, how = state.result
    n = len(held(state))
    if how == "early":
        return Outcome(winner, say("outcome.typhoon.early", "14.4(1)", n=n))
    if how == "late":
        return Outcome(winner, say("outcome.typhoon.late", "14.4(2)", n=n))
    return Outcome(winner, say("outcome.typhoon.held", "14.4(3)", n=n))
