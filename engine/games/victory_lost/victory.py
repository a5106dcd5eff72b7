"""14.0 Victory: cities and losses score at once, the lead is looked at in the Victory Check
Segment, the rest at the end.

14.0.1, R-41 Which cities on a unit's way change hands is worked out in
engine/games/chitpull/rail.py.
"""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull.rail import changed_hands
from warledger.engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.data import MANSTEIN
from warledger.engine.games.victory_lost.draw import control_marks, put_chit, scores
from warledger.engine.games.victory_lost.movement import Moved
from warledger.engine.games.victory_lost.reinforcements import Placed, chits_due, gain
from warledger.engine.games.victory_lost.state import State, changed, scored
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Outcome, Step, event
from warledger.protocol.board.choices import say
from warledger.protocol.board.effects import Effect, closing, count, opening, phase, tell, track

# --- events ---------------------------------------------------------------------------------------


@event("turn")
class TurnBegun:
    """4.0 A game turn begins."""

    turn: int


@event("turn_over")
class TurnEnded:
    """4.3 A game turn is over."""

    turn: int


@event("over")
class GameOver:
    """14.0.2 The game is over: the winning side ("" for a draw) and how ("lead" or "turns")."""

    winner: str
    how: str


@event("city")
class CityTaken:
    """14.0.1 Control of a strategic city changes."""

    hex: str
    side: str


@event("counted")
class CutOffCounted:
    """14.0.1, R-42 At the end of the game units out of supply or surrounded count as eliminated:
    (unit, points) each."""

    units: tuple[tuple[str, int], ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(TurnBegun)
def _turn(state: State, event: TurnBegun) -> State:
    cup = replace(state.cup, chosen=dict.fromkeys(SIDES), drawn=(), named="", declined=False)
    return changed(state, turn=event.turn, field=state.field.on_turn(event.turn), cup=cup)


after.unchanged(TurnEnded)


@after(GameOver)
def _over(state: State, event: GameOver) -> State:
    return changed(state, result=(event.winner, event.how))


@after(CityTaken)
def _city(state: State, event: CityTaken) -> State:
    points = state.data.city_points
    loser = ENEMY[event.side]
    score = {
        **state.score,
        event.side: state.score[event.side] + points,
        loser: state.score[loser] - points,
    }
    return changed(
        state, control={**state.control, state.data.hex(event.hex): event.side}, score=score
    )


@after(CutOffCounted)
def _counted(state: State, event: CutOffCounted) -> State:
    for name, points in event.units:
        state = scored(state, ENEMY[state.data.types[name].side], points)
    return state


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(TurnBegun)
def _draw_turn(before: State, event: TurnBegun, after: State) -> Iterable[Effect]:
    yield opening("turn", "victory_lost.turn_span", turn=event.turn)
    yield track("turn", event.turn)
    yield phase("phase.victory_lost.chit_selection")
    for chit in before.cup.drawn:
        if chit not in after.cup.removed:
            yield put_chit(after, chit)
    yield count("cup", 0)
    yield tell("victory_lost.turn", "4.0", turn=event.turn)
    if before.field.pocket_closed and not after.field.pocket_closed and before.turn:
        yield tell("victory_lost.pocket_open", "13.0")


@draws(TurnEnded)
def _draw_turn_over(before: State, event: TurnEnded, after: State) -> Iterable[Effect]:
    yield tell(
        "victory_lost.turn_over",
        "4.3",
        turn=event.turn,
        axis=after.score[AXIS],
        soviet=after.score[SOVIET],
    )


@draws(GameOver)
def _draw_over(before: State, event: GameOver, after: State) -> Iterable[Effect]:
    score = {"axis": after.score[AXIS], "soviet": after.score[SOVIET]}
    if not event.winner:
        yield tell("victory_lost.drawn_game", "14.0.2", **score)
    elif event.how == "lead":
        yield tell("victory_lost.won_by_lead", "14.0.2", side=event.winner, **score)
    else:
        yield tell("victory_lost.won_at_end", "14.0.2", side=event.winner, **score)
    yield closing("game")


@draws(CityTaken)
def _draw_city(before: State, event: CityTaken, after: State) -> Iterable[Effect]:
    yield from control_marks(after, after.data.hex(event.hex))
    yield from scores(after)
    yield tell(
        "victory_lost.city", "14.0.1", hex=event.hex, side=event.side, points=after.data.city_points
    )


@draws(CutOffCounted)
def _draw_counted(before: State, event: CutOffCounted, after: State) -> Iterable[Effect]:
    yield from scores(after)
    if event.units:
        yield tell("victory_lost.cut_off", "14.0.1", units=tuple(name for name, _ in event.units))


def enter_cities(table: Table[State], counters: Iterable[str], hexes: Iterable[int]) -> None:
    """14.0.1, R-41, R-50 Strategic cities that units pass through or enter change control at once;
    HQs alone take none (an option lets them)."""
    state = table.state
    types = state.data.types
    names = tuple(counters)
    if not state.option("hq_takes_city") and all(types[name].hq for name in names):
        return
    side = types[names[0]].side
    for i in changed_hands(state.control, side, hexes):
        table.emit(CityTaken(state.data.name(i), side))


def on_event(table: Table[State], event: object) -> None:
    """14.0.1 What follows by itself from movement and placement: control of cities."""
    index = table.state.data.board.grid.index
    if isinstance(event, Moved):
        enter_cities(table, event.counters, (index[name] for name in event.path[1:]))
    elif isinstance(event, Placed):
        # A reinforcement of any kind takes the city where it is placed (11.1.1).
        side = table.state.data.types[event.counter].side
        if changed_hands(table.state.control, side, (index[event.hex],)):
            table.emit(CityTaken(event.hex, side))


class TurnStart(Step[State]):
    """4.0 A turn begins: the pocket may open (13.0), sources come into force, Manstein may come at
    once (15.0.2(a))."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Turn the page."""
        table.emit(TurnBegun(table.state.turn + 1))
        if table.state.option("manstein_at_once"):
            gain(
                table,
                tuple(
                    chit
                    for chit in chits_due(table.state)
                    if table.state.data.chits[chit].kind == MANSTEIN
                ),
            )
        table.done()


class Play(Step[State]):
    """4.0 Turn after turn, until the game is over."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The next turn."""
        table.call("turn")


class VictoryCheck(Step[State]):
    """14.0.2, R-40 A side that leads by the margin wins at once."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Compare the scores."""
        table.tell(phase("phase.victory_lost.victory"))
        score = table.state.score
        for side in SIDES:
            if score[side] - score[ENEMY[side]] >= table.state.option("automatic_lead"):
                table.emit(GameOver(side, "lead"))
        table.done()


class TurnAdvance(Step[State]):
    """4.3 The turn ends; after the last one units cut off count as eliminated (14.0.1, R-42) and
    the higher score wins."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The end of the turn, or of the game."""
        table.done()
        state = table.state
        if state.turn == state.data.last_turn:
            table.emit(CutOffCounted(cut_off(state)))
            table.emit(GameOver(leader(table.state), "turns"))
        table.emit(TurnEnded(state.turn))
        table.turn_over()


def leader(state: State) -> str:
    """14.0.2 Who would win by the scores as they are; "" for nobody."""
    score = state.score
    if score[AXIS] != score[SOVIET]:
        return AXIS if score[AXIS] > score[SOVIET] else SOVIET
    #
    return "" if state.option("tie") == "draw" else str(state.option("tie"))


def cut_off(state: State) -> tuple[tuple[str, int], ...]:
    """R-42 Units on the map out of supply or surrounded that the enemy scores for, with the
    points."""
    types = state.data.types
    return tuple(
        (name, types[name].points)
        for name, counter in state.counters.items()
        if counter.at != OFF_MAP and counter.supply and types[name].points
    )


def outcome(state: State) -> Outcome | None:
    """14.0, 14.0.2 The result, once the game is over."""
    if state.result is None:
        return None
    winner, how = state.result
    if not winner:
        key = "outcome.victory_lost.draw"
    else:
        key = "outcome.victory_lost.lead" if how == "lead" else "outcome.victory_lost.points"
    return Outcome(
        winner or None, say(key, "14.0.2", axis=state.score[AXIS], soviet=state.score[SOVIET])
    )


STEPS: Mapping[str, Step[State]] = {
    "play": Play(),
    "turn_start": TurnStart(),
    "victory_check": VictoryCheck(),
    "turn_advance": TurnAdvance(),
}
