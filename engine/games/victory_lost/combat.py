"""9.0 Combat, as far as the sequence of play knows it: what rules.py takes from here."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.games.victory_lost.state import State
from engine.kernel.table import Table
from engine.kernel.types import Step, Switch
from protocol.effects import Effect


class CombatStep(Step[State]):
    """4.1.2(3) The Combat Step."""


COMBAT_SEQUENCES: Mapping[str, tuple[str, ...]] = {}
COMBAT_STEPS: Mapping[str, Step[State]] = {"combat_step": CombatStep()}
COMBAT_EVENTS: tuple[type[Any], ...] = ()
COMBAT_EVOLVE: Mapping[type[Any], Callable[[State, Any], State]] = {}
COMBAT_EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = {}
COMBAT_SWITCHES: tuple[Switch, ...] = ()


def on_event(table: Table[State], event: object) -> None:
    """What follows by itself from the events of combat."""


def picture(state: State) -> Iterable[Effect]:
    """What combat has on the table."""
    return ()
