"""17 Scoring, 15.6 the price of the neutral port, and 17.4 who has won."""

from collections.abc import Iterator, Mapping

from warledger.engine.games.war_at_sea.data import ALLIED, AXIS, SEATS
from warledger.engine.games.war_at_sea.ports import NEUTRAL_PORT
from warledger.engine.games.war_at_sea.state import REMOVED, Ship, State, with_ships
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Outcome, Seat, Step, event
from warledger.protocol.board.choices import say
from warledger.protocol.board.effects import Effect, take, tell, track

# --- events ---------------------------------------------------------------------------------------


@event("interned")
class Interned:
    """18.6 Ships that stayed in the neutral port are out of the game."""

    ships: tuple[str, ...]


@event("scored")
class Scored:
    """17.1, 17.2 A turn was scored. For each side (control points, convoy points, penalty); then
    where the marker stands now."""

    turn: int
    allied: tuple[int, int, int]
    axis: tuple[int, int, int]
    score: int


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Interned)
def _interned(state: State, event: Interned) -> State:
    return with_ships(state, [replace(state.ships[name], place=REMOVED) for name in event.ships])


@after(Scored)
def _scored(state: State, event: Scored) -> State:
    return replace(state, score=event.score)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Interned)
def _draw_interned(before: State, event: Interned, after: State) -> Iterator[Effect]:
    for name in event.ships:
        yield take(name, REMOVED)
    yield tell("war_at_sea.interned", "18.6", ships=event.ships)


@draws(Scored)
def _draw_scored(before: State, event: Scored, after: State) -> Iterator[Effect]:
    yield track("score", event.score)
    for side, (control, convoys, penalty) in zip(SEATS, (event.allied, event.axis), strict=True):
        total = control + convoys - penalty
        yield tell(
            "war_at_sea.scored_side",
            "17.1",
            side=side,
            total=total,
            control=control,
            convoys=convoys,
            penalty=penalty,
        )
    yield tell("war_at_sea.scored", "17.2", turn=event.turn, score=event.score)


def overstayed(state: State) -> list[Ship]:
    """15.6, R37 Ships that began the turn in the neutral port and did not leave it, or came back by
    a failed speed roll."""
    return [
        ship
        for ship in state.at(NEUTRAL_PORT)
        if ship.origin == NEUTRAL_PORT and (not ship.path or ship.failed)
    ]


def control_points(state: State, side: Seat) -> int:
    """2.1, 17.1 What a side's control markers are worth."""
    return sum(
        state.data.areas[area].poc[side] for area, holder in state.control.items() if holder == side
    )


class Score(Step[State]):
    """5.8, 17.1, 17.2, R62 Control, plus convoys, less the neutral port; the marker moves by the
    difference, Axis less Allied."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """17.2, R41 The track ends at ten, points beyond it are lost. 18.6 Interned ships cost
        nothing. The turn's dice are over."""
        table.done()
        state = table.state
        late = overstayed(state)
        costs = {side: sum(ship.side == side for ship in late) for side in SEATS}
        if state.options.internment:
            costs = dict.fromkeys(SEATS, 0)
            if late:
                table.emit(Interned(tuple(ship.id for ship in late)))
        allied = (control_points(state, ALLIED), state.convoy_points, costs[ALLIED])
        axis = (control_points(state, AXIS), 0, costs[AXIS])
        net = (axis[0] + axis[1] - axis[2]) - (allied[0] + allied[1] - allied[2])
        score = max(state.data.track_min, min(state.data.track_max, state.score + net))
        table.emit(Scored(state.turn, allied, axis, score))
        table.turn_over()


def outcome(at: Position[State]) -> Outcome | None:
    """17.4, R63, R64 After the last turn: the marker on the Axis side, on the Allied side, or on
    zero. Conceding is the kernel's."""
    state = at.state
    if not state.over:
        return None
    if state.score > 0:
        return Outcome(AXIS, say("outcome.war_at_sea.axis", "17.4", score=state.score))
    if state.score < 0:
        return Outcome(ALLIED, say("outcome.war_at_sea.allied", "17.4", score=-state.score))
    return Outcome(None, say("outcome.war_at_sea.draw", "17.4"))


def leader(state: State) -> Seat | None:
    """17.4 Who would win with the marker where it stands."""
    if not state.score:
        return None
    return AXIS if state.score > 0 else ALLIED


def points(state: State) -> Mapping[Seat, int]:
    """17.2 What each side has: the marker shows the lead of one, and the other has nothing. In
    halves of a point of control, so that a bid of half a point can be added in whole numbers."""
    return {ALLIED: 2 * max(0, -state.score), AXIS: 2 * max(0, state.score)}


STEPS: Mapping[str, Step[State]] = {
    "score": Score(),
}
