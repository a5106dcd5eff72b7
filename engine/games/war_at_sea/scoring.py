"""17 Scoring, 15.6 the price of the neutral port, and 17.4 who has won."""

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import ALLIED, AXIS, SEATS
from engine.games.war_at_sea.ports import NEUTRAL_PORT
from engine.games.war_at_sea.state import Ship, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Outcome, Seat, Step
from protocol.choices import say


def overstayed(state: State) -> list[Ship]:
    """15.6, R37 Ships that began the turn in the neutral port and did not leave it, or came back by a failed speed roll."""
    return [ship for ship in state.at(NEUTRAL_PORT) if ship.origin == NEUTRAL_PORT and (not ship.path or ship.failed)]


def control_points(state: State, side: Seat) -> int:
    """2.1, 17.1 What a side's control markers are worth."""
    return sum(state.data.areas[area].poc[side] for area, holder in state.control.items() if holder == side)


class Score(Step[State]):
    """5.8, 17.1, 17.2, R62 Control, plus convoys, less the neutral port; the marker moves by the difference, Axis less Allied."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """17.2, R41 The track ends at ten, points beyond it are lost. 18.6 Interned ships cost nothing. The turn's dice are over."""
        table.done()
        state = table.state
        late = overstayed(state)
        costs = {side: sum(ship.side == side for ship in late) for side in SEATS}
        if state.options.internment:
            costs = dict.fromkeys(SEATS, 0)
            if late:
                table.emit(ev.Interned(tuple(ship.id for ship in late)))
        allied = (control_points(state, ALLIED), state.convoy_points, costs[ALLIED])
        axis = (control_points(state, AXIS), 0, costs[AXIS])
        net = (axis[0] + axis[1] - axis[2]) - (allied[0] + allied[1] - allied[2])
        score = max(state.data.track_min, min(state.data.track_max, state.score + net))
        table.emit(ev.Scored(state.turn, allied, axis, score))
        table.turn_over()


def outcome(at: Position[State]) -> Outcome | None:
    """17.4, R63, R64 After the last turn: the marker on the Axis side, on the Allied side, or on zero. Conceding is the kernel's."""
    state = at.state
    if not state.over:
        return None
    if state.score > 0:
        return Outcome(AXIS, say("outcome.war_at_sea.axis", "17.4", score=state.score))
    if state.score < 0:
        return Outcome(ALLIED, say("outcome.war_at_sea.allied", "17.4", score=-state.score))
    return Outcome(None, say("outcome.war_at_sea.draw", "17.4"))
