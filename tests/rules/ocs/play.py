"""A bench for chapters of the series: their steps alone, on any position, with no title around
them."""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, pack
from warledger.engine.games.ocs.ch04_concepts import staying
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.series import evolve
from warledger.engine.games.ocs.series.state import State, field_of
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Outcome, Say, Step
from warledger.engine.testing.rig import Rig
from warledger.protocol.board.effects import Effect
from warledger.protocol.log.records import Genesis


class Idle(Step[State]):
    """Waits for nothing and asks nobody: the end of a bench."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[str, Any]:
        """One seat, so that play rests here."""
        return {AXIS: Decision(Say("prompt.window"))}


class Chapters:
    """Rules that are some chapters of the series and nothing else."""

    title = "chapters"
    version = "0"
    folders: tuple[str, ...] = ()
    seats = (AXIS, SOVIET)
    switches = ()

    sequences: Mapping[str, tuple[str, ...]] = {"game": ("idle",)}

    def __init__(self, state: State, *modules: Any) -> None:
        self._first = state
        self.steps: dict[str, Step[State]] = {"idle": Idle()}
        self._table = {**evolve.after, **staying.after}
        for module in modules:
            self.sequences = {**self.sequences, **getattr(module, "SEQUENCES", {})}
            self.steps |= dict(getattr(module, "STEPS", {}))
            self._table |= dict(getattr(module, "after", {}))
        self.events = tuple(self._table)

    def initial(self, genesis: Genesis) -> State:
        return self._first

    def triggers(self, table: Table[State], event: Any) -> None:
        pass

    def evolve(self, state: State, event: Any) -> State:
        made: State = self._table[type(event)](state, event)
        return made

    def effects(self, before: State, event: Any, after: State) -> Iterable[Effect]:
        return ()

    def picture(self, state: State) -> Iterable[Effect]:
        return ()

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        return 100

    def outcome(self, at: Position[State]) -> Outcome | None:
        return None

    def invariants(self, state: State) -> None:
        bare = field_of(state.charts, state.units)
        field = state.field
        assert (field.stacks, field.combat, field.zoned) == (bare.stacks, bare.combat, bare.zoned)
        assert _owing(state) == _owing(self._first), "supply is conserved (12.1)"


def _owing(state: State) -> Mapping[str, int]:
    """T that a side has held or spent beyond what its accounts say: what the test has laid down."""
    held = points.held(state)
    return {
        side: held[side] + state.spent_sp[side] - state.come_sp[side] - state.taken_sp[side]
        for side in state.charts.sides
    }


def bench(state: State, *modules: Any) -> Rig[State]:
    """A rig at rest in this position, with the steps and events of these chapters. `rig.jump` goes
    to a step, `rig.run` lets a function act."""
    rig: Rig[State] = Rig(Chapters(state, *modules), pack())
    rig.state = state
    rig.jump("idle")
    return rig
