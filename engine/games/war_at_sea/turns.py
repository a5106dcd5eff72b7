"""5 The turn, and 5.1 its reinforcements: what comes at the start of a turn, in the order of ruling R3.

First the Italian check of turn 8 (16.4), then the closing of France on turn 7 (15.4), then what the turn track brings (4.2, 8.6).
"""

from engine.games.war_at_sea import events as ev
from engine.games.war_at_sea.data import AXIS
from engine.games.war_at_sea.state import BOXES, POOL, TRACK, State
from engine.kernel.position import Frame
from engine.kernel.table import Table
from engine.kernel.types import Step

ITALIAN_CHECK_TURN = 8
FRANCE = "france"
MALTA = "malta"


class Turns(Step[State]):
    """5, 5.8 One turn after the other; after the last the game is decided."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5.8 The next turn, or the end."""
        if table.state.turn < table.state.data.last_turn:
            table.call("turn")
        else:
            table.done()
            table.emit(ev.GameOver(table.state.score))


class BeginTurn(Step[State]):
    """5 What ships did last turn is forgotten."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5 The turn marker goes on."""
        table.done()
        table.emit(ev.TurnBegan(table.state.turn + 1))


class Announce(Step[State]):
    """5.1 – 5.8 Says which step of the turn begins."""

    def __init__(self, phase: str) -> None:
        self.phase = phase

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5 Name the step."""
        table.done()
        table.emit(ev.PhaseBegan(self.phase))


class ItalianCheck(Step[State]):
    """16.4, R39 At the very start of turn 8 every Italian warship rolls, unless the Axis once controlled the Mediterranean four turns
    running."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """16.4 1–2 taken over by the Allies, 3–4 scuttled, 5–6 taken over by Germany; R40 an Axis port cannot hold an Allied ship."""
        table.done()
        state = table.state
        if state.turn != ITALIAN_CHECK_TURN or state.med_held:
            return
        for ship in list(state.ships.values()):
            if ship.nation != "it" or ship.place in BOXES:
                continue
            die = table.roll(6, "italian")
            port = state.data.ports.get(ship.place)
            if die <= 2:
                enemy_port = port is not None and port.owner == AXIS
                table.emit(ev.ItalianRolled(ship.id, die, "uk", MALTA if enemy_port else ship.place))
            elif die <= 4:
                table.emit(ev.ItalianRolled(ship.id, die, "scuttled", ""))
            else:
                table.emit(ev.ItalianRolled(ship.id, die, "de", ship.place))


class CloseFrance(Step[State]):
    """15.4, R36 On turn 7 France closes before anything else; Axis warships there are out of the game."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """15.4 Remove them."""
        table.done()
        state = table.state
        if state.turn == state.data.ports[FRANCE].closed_from:
            table.emit(ev.FranceClosed(tuple(ship.id for ship in state.at(FRANCE, AXIS))))


class Reinforce(Step[State]):
    """5.1, 4.2, 4.3, 8.6 Ships and boats due this turn arrive, each in its own country; Americans wait to join (16.2, R42)."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """5.1 Take what the track holds for this turn."""
        table.done()
        state = table.state
        due = (state.ships[name] for name in state.data.turns[state.turn].ships)
        coming = tuple(
            (ship.id, POOL if ship.nation == "us" else state.data.counters[ship.id].start[0]) for ship in due if ship.place == TRACK
        )
        if coming:
            table.emit(ev.Reinforced(coming))
        arrive_uboats(table)


def arrive_uboats(table: Table[State]) -> None:
    """8.6, R17 Never more than seven boats alive: what does not fit is lost for good, or with 18.3 waits for room."""
    state = table.state
    due = state.data.turns[state.turn].uboats + state.backlog
    spare = [boat for boat, place in state.uboats.items() if place == TRACK]
    enter = tuple(spare[:due])
    left = due - len(enter)
    if due:
        waits = state.options.uboat_backlog
        table.emit(ev.UBoatsArrived(enter, 0 if waits else left, left if waits else 0))
