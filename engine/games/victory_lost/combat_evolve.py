"""From the events of combat to states. Nothing here decides anything or can fail on what a step emitted."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.games.victory_lost import combat_events as ce
from engine.games.victory_lost.state import Battle, Flight, State, changed
from engine.kernel.change import evolve
from engine.kernel.dispatch import ByEvent

_after = ByEvent()


@_after(ce.AttackDeclared)
def _declared(state: State, event: ce.AttackDeclared) -> State:
    target = state.data.hex(event.hex)
    activation = state.activation
    if activation is not None:
        activation = evolve(
            activation, attacked=activation.attacked.union(event.attackers), targets=activation.targets | {target}
        )
    return changed(state, activation=activation, battle=Battle(target, event.attackers, event.column))


@_after(ce.AttackResolved)
def _resolved(state: State, event: ce.AttackResolved) -> State:
    return _with(
        state, die=event.die, attacker_losses=event.attacker_losses, defender_losses=event.defender_losses, retreat=event.retreat
    )


@_after(ce.BattleOver)
def _over(state: State, event: ce.BattleOver) -> State:
    return changed(state, battle=None)


@_after(ce.Retreated)
def _retreated(state: State, event: ce.Retreated) -> State:
    return _with(_relocated(state, event.counters, event.path[-1]), flight=None)


@_after(ce.RetreatInterrupted)
def _interrupted(state: State, event: ce.RetreatInterrupted) -> State:
    return _with(state, flight=Flight(event.unit, event.hq, tuple(state.data.hex(name) for name in event.path)))


@_after(ce.Advanced)
def _advanced(state: State, event: ce.Advanced) -> State:
    moved = _relocated(state, event.counters, event.path[-1])
    if moved.battle is None:
        return moved
    return _with(moved, advanced=moved.battle.advanced.union(event.counters))


def _relocated(state: State, names: Iterable[str], to: str) -> State:
    at = state.data.hex(to)
    counters = dict(state.counters)
    field = state.field
    for name in names:
        old = counters[name]
        counters[name] = type(old)(at, "", old.reduced, old.supply)
        field = field.moved(name, old.at, at)
    return changed(state, counters=counters, field=field.anchored(counters))


def _with(state: State, **changes: Any) -> State:
    return state if state.battle is None else changed(state, battle=evolve(state.battle, **changes))


EVOLVE: Mapping[type[Any], Callable[[State, Any], State]] = _after.table()
"""Event class -> the state after it."""
