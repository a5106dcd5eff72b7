"""3.4 Control of cities, 5.0 the turns, and 14.4 victory.

3.4(2) Which cities on a unit's way change hands is worked out in engine/games/chitpull/rail.py.
"""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull.rail import changed_hands
from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SOVIET
from warledger.engine.games.typhoon.advance import Advanced
from warledger.engine.games.typhoon.movement import Moved
from warledger.engine.games.typhoon.reinforcements import Placed
from warledger.engine.games.typhoon.setup import Deployed
from warledger.engine.games.typhoon.state import State, changed
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Outcome, Seat, Step, event
from warledger.protocol.board.choices import say
from warledger.protocol.board.effects import Effect, closing, mark, tell, track

# --- events ---------------------------------------------------------------------------------------


@event("turn_over")
class TurnEnded:
    """5.0(5) A turn is over."""

    turn: int


@event("over")
class GameOver:
    """14.4 The game is over: the winning side, and how ("early", "late" or "held")."""

    winner: str
    how: str


@event("city")
class CityTaken:
    """3.4(2) Control of a big city or town changes."""

    hex: str
    side: str


@event("latch")
class GateReached:
    """14.4(2), R-41 The Axis holds enough of Moscow and Tula at one time."""


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()
after.unchanged(TurnEnded)


@after(GameOver)
def _over(state: State, event: GameOver) -> State:
    return changed(state, result=(event.winner, event.how))


@after(CityTaken)
def _city(state: State, event: CityTaken) -> State:
    return changed(state, control={**state.control, state.data.hex(event.hex): event.side})


@after(GateReached)
def _latch(state: State, event: GateReached) -> State:
    return changed(state, latch=True)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(TurnEnded)
def _draw_turn_over(before: State, event: TurnEnded, after: State) -> Iterable[Effect]:
    yield tell("typhoon.turn_over", "5.0(5)", turn=event.turn)


@draws(GameOver)
def _draw_over(before: State, event: GameOver, after: State) -> Iterable[Effect]:
    if event.how == "early":
        yield tell("typhoon.won_early", "14.4(1)", side=event.winner)
    elif event.how == "late":
        yield tell("typhoon.won_late", "14.4(2)", side=event.winner)
    else:
        yield tell("typhoon.held_out", "14.4(3)", side=event.winner)
    yield closing("game")


@draws(CityTaken)
def _draw_city(before: State, event: CityTaken, after: State) -> Iterable[Effect]:
    yield mark(event.hex, f"control.{ENEMY[event.side]}", 0)
    yield mark(event.hex, f"control.{event.side}", 1)
    yield tell("typhoon.city", "3.4(2)", hex=event.hex, side=event.side)


@draws(GateReached)
def _draw_latch(before: State, event: GateReached, after: State) -> Iterable[Effect]:
    yield track("gate", 1)
    yield tell("typhoon.gate", "14.4(2)")


# --- 3.4 control ----------------------------------------------------------------------------------


def on_event(table: Table[State], event: object) -> None:
    """3.4(2), R-12 Movement, advance and placement change control; 10.7, R-30 (g) so does an
    advance. A ZOC never does. What a retreat takes is seen to where it is known whether the unit
    falls (10.6)."""
    kind = type(event)
    if kind not in _ENTERING:  # as most
        return
    if isinstance(event, Moved):
        enter(table, event.units[0], event.path[1:])
    elif isinstance(event, Advanced):
        enter(table, event.unit, event.path[1:])
    elif isinstance(event, (Placed, Deployed)):  # a union would be made anew for each event
        enter(table, event.unit, (event.hex,))


_ENTERING = frozenset((Moved, Advanced, Placed, Deployed))


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
    """14.4, R-41 The big-city hexes that the Axis holds: controlled, and reached by a LOC now,
    which may end in an EZOC (R-09)."""
    return tuple(
        i
        for i in state.data.big_cities
        if state.control[i] == AXIS and state.field.has_loc(AXIS, i)
    )


# --- 5.0 the turns --------------------------------------------------------------------------------


class Play(Step[State]):
    """5.0 Turn after turn, until the game is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The next turn."""
        table.call("turn")


class EndOfTurn(Step[State]):
    """5.0(5) The turn is over; 14.4(1) turn 10 and 14.4(2), 14.4(3) the last one may end the game
    (R-50)."""

    early_turn = 10

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Look at victory, then turn the page."""
        state = table.state
        data = state.data
        table.done()
        if state.turn == self.early_turn:
            cities = held(state)
            if (
                len(cities) >= data.early_victory[0]
                and sum(1 for i in cities if i in data.prize) >= data.early_victory[1]
            ):
                table.emit(GameOver(AXIS, "early"))
        if table.state.result is None and state.turn == data.last_turn:
            if holds_late(state):
                table.emit(GameOver(AXIS, "late"))
            else:
                table.emit(GameOver(SOVIET, "held"))
        table.emit(TurnEnded(state.turn))
        table.turn_over()


def holds_late(state: State) -> bool:
    """14.4(2), R-41 Whether the Axis holds what it must at the end of the last turn."""
    return state.latch and len(held(state)) >= state.data.late_victory[1]


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


def points(state: State) -> Mapping[Seat, int]:
    """14.4, R-41 The rule book counts no points: what decides is how many big-city hexes the Axis
    holds. Those are its points; the Soviets have one for each of the others."""
    n = len(held(state))
    return {AXIS: n, SOVIET: len(state.data.big_cities) - n}


STEPS: Mapping[str, Step[State]] = {
    "play": Play(),
    "end_of_turn": EndOfTurn(),
}
