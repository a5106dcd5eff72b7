"""14.0 Victory: cities and losses score at once (R-50), the lead is looked at in the Victory Check Segment, the rest at the end."""

from collections.abc import Iterable

from engine.games.chitpull.rail import changed_hands
from engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost.data import MANSTEIN
from engine.games.victory_lost.events import CityTaken, CutOffCounted, GameOver, Moved, Placed, TurnBegun, TurnEnded
from engine.games.victory_lost.reinforcements import chits_due, gain
from engine.games.victory_lost.state import State
from engine.kernel.position import Frame
from engine.kernel.table import Table
from engine.kernel.types import Outcome, Step
from protocol.choices import say
from protocol.effects import phase


def enter_cities(table: Table[State], counters: Iterable[str], hexes: Iterable[int]) -> None:
    """14.0.1, R-41 Strategic cities that units pass through or enter change control at once; HQs alone take none (an option lets them)."""
    state = table.state
    types = state.data.types
    names = tuple(counters)
    if not state.option("hq_takes_city") and all(types[name].hq for name in names):
        return
    side = types[names[0]].side
    for i in changed_hands(state.control, side, hexes):
        table.emit(CityTaken(state.data.name(i), side))


def on_event(table: Table[State], event: object) -> None:
    """What follows by itself from movement and placement: control of cities."""
    index = table.state.data.board.grid.index
    if isinstance(event, Moved):
        enter_cities(table, event.counters, (index[name] for name in event.path[1:]))
    elif isinstance(event, Placed):
        # A reinforcement of any kind takes the city where it is placed (11.1.1).
        side = table.state.data.types[event.counter].side
        if changed_hands(table.state.control, side, (index[event.hex],)):
            table.emit(CityTaken(event.hex, side))


class TurnStart(Step[State]):
    """4.0 A turn begins: the pocket may open (13.0), sources come into force, Manstein may come at once (15.0.2(a))."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Turn the page."""
        table.emit(TurnBegun(table.state.turn + 1))
        if table.state.option("manstein_at_once"):
            gain(table, tuple(chit for chit in chits_due(table.state) if table.state.data.chits[chit].kind == MANSTEIN))
        table.done()


class Play(Step[State]):
    """4.0 Turn after turn, until the game is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The next turn."""
        table.call("turn")


class VictoryCheck(Step[State]):
    """14.0.2, R-40 A side that leads by so many points wins at once."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Compare the scores."""
        table.tell(phase("phase.victory_lost.victory"))
        score = table.state.score
        for side in SIDES:
            if score[side] - score[ENEMY[side]] >= table.state.option("automatic_lead"):
                table.emit(GameOver(side, "lead"))
        table.done()


class TurnAdvance(Step[State]):
    """4.3 The turn ends; after the last one units cut off count as eliminated (14.0.1, R-42) and the higher score wins."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The end of the turn, or of the game."""
        table.done()
        state = table.state
        if state.turn == state.data.last_turn:
            table.emit(CutOffCounted(cut_off(state)))
            score = table.state.score
            if score[AXIS] != score[SOVIET]:
                winner = AXIS if score[AXIS] > score[SOVIET] else SOVIET
            else:
                #
                winner = "" if state.option("tie") == "draw" else str(state.option("tie"))
            table.emit(GameOver(winner, "turns"))
        table.emit(TurnEnded(state.turn))
        table.turn_over()


def cut_off(state: State) -> tuple[tuple[str, int], ...]:
    """R-42 Units on the map out of supply or surrounded that the enemy scores for, with the points."""
    types = state.data.types
    return tuple(
        (name, types[name].points)
        for name, counter in state.counters.items()
        if counter.at != OFF_MAP and counter.supply and types[name].points
    )


def outcome(state: State) -> Outcome | None:
    """14.0.2 The result, once the game is over."""
    if state.result is None:
        return None
    winner, how = state.result
    if not winner:
        key = "outcome.victory_lost.draw"
    else:
        key = "outcome.victory_lost.lead" if how == "lead" else "outcome.victory_lost.points"
    return Outcome(winner or None, say(key, "14.0.2", axis=state.score[AXIS], soviet=state.score[SOVIET]))
