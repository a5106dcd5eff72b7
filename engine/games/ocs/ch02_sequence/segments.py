"""OCS 2.2, 2.3: the game turn, as one table.

A game turn is weather, the choice of the first player, two player turns. A player turn is the
segments of `SEGMENTS`; a title says by letter which steps fill them (`sequences`). OCS 2.3 I.2 Each
side rolls two dice; the higher chooses whether to go first, having seen the weather and the dice;
ties are rolled again. What the scenario sets for its first turn is not rolled.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.games.ocs.series.events import (
    CleanedUp,
    FirstPlayerChosen,
    PlayerTurnBegun,
    SegmentBegun,
    SetUp,
    TurnBegun,
)
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Commands, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Say, Seat, Step, event


@frozen
class Segment:
    """OCS 2.3 One phase or segment: its letter, its name, whether it begins its phase, and whether
    stacking is checked at its end (4.8a: not after Reinforcement)."""

    letter: str
    name: str
    begins: bool
    stacking: bool = True


SEGMENTS: tuple[Segment, ...] = (
    Segment("a", "refit", True),
    Segment("b", "reinforcement", True, False),
    Segment("c1", "breakout", True),
    Segment("c2", "movement", False),
    Segment("c3", "movement_barrage", False),
    Segment("d", "supply", True),
    Segment("e1", "reaction_movement", True),
    Segment("e2", "reaction_barrage", False),
    Segment("f1", "combat_barrage", True),
    Segment("f2", "combat", False),
    Segment("g1", "exploitation_movement", True),
    Segment("g2", "exploitation_barrage", False),
    Segment("g3", "exploitation_combat", False),
    Segment("h", "clean_up", True),
)
"""OCS 2.3 A player turn, in its strict order."""


@event("ocs.initiative")
class InitiativeRolled:
    """OCS 2.3 I.2 Both sides' dice for the choice of the first player, in the order of sides."""

    first: tuple[int, int]
    second: tuple[int, int]


@event("ocs.scenario_over")
class ScenarioOver:
    """OCS 2.3 IV The last turn of the scenario is over: victory is judged."""


class LayOut(Step[State]):
    """OCS 2.1 The scenario is laid out."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Everything stands where its file says."""
        table.done()
        table.emit(SetUp())


class Turns(Step[State]):
    """OCS 2.1 One game turn after the other. Frame arguments: the turn that has been played."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 2.3 IV The next turn, or the end of the scenario."""
        scenario = table.state.charts.scenario
        turn = frame.args[0] + 1 if frame.args else scenario.first_turn
        if frame.args:
            table.turn_over()
        if turn > scenario.last_turn:
            table.done()
            return
        table.replace(turn)
        table.call("game_turn", turn)


class EndScenario(Step[State]):
    """OCS 2.3 IV The scenario ends after its last turn."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """From here on the title's outcome stands."""
        table.done()
        table.emit(ScenarioOver())


class BeginTurn(Step[State]):
    """OCS 2.3 A game turn begins. Frame arguments: its number."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 2.3 The turn marker goes on."""
        table.done()
        table.emit(TurnBegun(frame.args[0]))


class Initiative(Step[State]):
    """OCS 2.3 I.2 Who chooses the first player."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 2.3, R-08 I.2 Two dice each, again for a tie; the higher chooses."""
        table.done()
        state = table.state
        scenario, (one, other) = state.charts.scenario, state.charts.sides
        if state.turn == scenario.first_turn:
            table.emit(FirstPlayerChosen(scenario.first_player))
            return
        while True:
            a = (table.roll(6, "first_player"), table.roll(6, "first_player"))
            b = (table.roll(6, "first_player"), table.roll(6, "first_player"))
            table.emit(InitiativeRolled(a, b))
            if sum(a) != sum(b):
                break
        table.call("first_player", one if sum(a) > sum(b) else other)


class FirstPlayer(Asking[State]):
    """OCS 2.3 I.2 The winner of the dice goes first or second. Frame arguments: the winner."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The winner."""
        return {frame.args[0]: Decision(Say("prompt.ocs.first_player", (), "OCS 2.3"))}

    def commands(self) -> Commands[State]:
        """`first` or `second`."""
        return (word("first", self._first), word("second", self._second))

    def _first(self, table: Table[State], asked: Asked[State]) -> None:
        self._choose(table, asked.seat)

    def _second(self, table: Table[State], asked: Asked[State]) -> None:
        self._choose(table, table.state.enemy(asked.seat))

    def _choose(self, table: Table[State], side: str) -> None:
        table.done()
        table.emit(FirstPlayerChosen(side))


class BeginPlayerTurn(Step[State]):
    """OCS 2.1 A player turn begins: the first player's, or the other side's."""

    def __init__(self, *, second: bool) -> None:
        self._second = second

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 2.1 The other side is phasing now."""
        table.done()
        state = table.state
        table.emit(PlayerTurnBegun(state.enemy(state.first) if self._second else state.first))


class BeginSegment(Step[State]):
    """OCS 2.3 A phase or segment begins."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 2.3 Its letter is announced; the first of a phase clears what held for the last."""
        table.done()
        table.emit(SegmentBegun(self._segment.letter, self._segment.begins))


class CleanUp(Step[State]):
    """OCS 2.3 H Clean Up."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 2.3 H, 5.4 The phasing side's DG, Exploit and fuel go, and trainbusting markers that
        the other side placed."""
        table.done()
        table.emit(CleanedUp(table.state.phasing))


TURN: tuple[str, ...] = (
    "begin_turn",
    "weather",
    "initiative",
    "begin_first",
    "player_turn",
    "begin_second",
    "player_turn",
)
"""OCS 2.2 A game turn."""


def sequences(
    filled: Mapping[str, Iterable[str]], stacking: str = ""
) -> Mapping[str, tuple[str, ...]]:
    """OCS 2.2, 2.3 The sequences of play of a game: which steps fill each segment, by its letter; a
    letter left out has none. `stacking` names the step that checks stacking at a segment's end
    (4.8a). Raises ValueError for a letter that no segment has."""
    unknown = sorted(set(filled) - {segment.letter for segment in SEGMENTS})
    if unknown:
        raise ValueError(f"there is no segment {unknown[0]!r}")
    made: dict[str, tuple[str, ...]] = {
        "game": ("lay_out", "turns", "end_scenario"),
        "game_turn": TURN,
        "player_turn": tuple(f"segment_{segment.letter}" for segment in SEGMENTS),
    }
    for segment in SEGMENTS:
        checked = (stacking,) if stacking and segment.stacking else ()
        made[f"segment_{segment.letter}"] = (
            f"begin_{segment.letter}",
            *filled.get(segment.letter, ()),
            *checked,
        )
    return made


after = ByEvent()
after.unchanged(InitiativeRolled)


@after(ScenarioOver)
def _over(state: State, event: ScenarioOver) -> State:
    return replace(state, over=True, segment="")


STEPS: Mapping[str, Step[State]] = {
    "lay_out": LayOut(),
    "turns": Turns(),
    "end_scenario": EndScenario(),
    "begin_turn": BeginTurn(),
    "initiative": Initiative(),
    "first_player": FirstPlayer(),
    "begin_first": BeginPlayerTurn(second=False),
    "begin_second": BeginPlayerTurn(second=True),
    "clean_up": CleanUp(),
    **{f"begin_{segment.letter}": BeginSegment(segment) for segment in SEGMENTS},
}
