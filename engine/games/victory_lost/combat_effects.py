"""What clients draw and tell of the events of combat."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.board.odds import odds_name
from engine.games.victory_lost import combat_events as ce
from engine.games.victory_lost.state import State
from engine.kernel.dispatch import ByEvent
from protocol.effects import Effect, closing, move, opening, roll, tell

_draws = ByEvent()

DIE = "combat"
"""What the die of 9.4.1 is rolled for."""


@_draws(ce.AttackDeclared)
def _declared(before: State, event: ce.AttackDeclared, after: State) -> Iterable[Effect]:
    ladder = after.data.ladder
    yield opening("combat", "victory_lost.combat_span", hex=event.hex)
    yield tell(
        "victory_lost.attack",
        "9.2",
        hex=event.hex,
        attackers=event.attackers,
        defenders=event.defenders,
        attack=event.attack,
        defence=event.defence,
    )
    column = ladder.names[event.column]
    if event.shift:
        ratio = odds_name(ladder, event.start)
        yield tell("victory_lost.odds_shifted", "9.3.3", ratio=ratio, n=-event.shift, column=column)
    else:
        yield tell("victory_lost.odds", "9.3.2", column=column)


@_draws(ce.AttackResolved)
def _resolved(before: State, event: ce.AttackResolved, after: State) -> Iterable[Effect]:
    dice = (event.die,)
    yield roll(DIE, after.data.crt.faces, dice)
    if event.attacker_losses:
        yield tell("victory_lost.result_attackers", "9.4.1", dice=dice, result=event.result, n=event.attacker_losses)
    elif event.defender_losses and event.retreat:
        yield tell(
            "victory_lost.result_both", "9.4.1", dice=dice, result=event.result, n=event.defender_losses, hexes=event.retreat
        )
    elif event.defender_losses:
        yield tell("victory_lost.result_defenders", "9.4.1", dice=dice, result=event.result, n=event.defender_losses)
    elif event.retreat:
        yield tell("victory_lost.result_retreat", "9.4.1", dice=dice, result=event.result, hexes=event.retreat)
    else:
        yield tell("victory_lost.result_none", "9.4.1", dice=dice, result=event.result)


@_draws(ce.BattleOver)
def _over(before: State, event: ce.BattleOver, after: State) -> Iterable[Effect]:
    yield closing("combat")


@_draws(ce.Retreated)
def _retreated(before: State, event: ce.Retreated, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield move(name, *event.path)
    if event.fell:
        yield tell("victory_lost.retreats_into_zone", "9.5.3", counters=event.counters, path=event.path)
    else:
        yield tell("victory_lost.retreated", "9.5", counters=event.counters, path=event.path)


@_draws(ce.RetreatInterrupted)
def _interrupted(before: State, event: ce.RetreatInterrupted, after: State) -> Iterable[Effect]:
    return ()


@_draws(ce.Advanced)
def _advanced(before: State, event: ce.Advanced, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield move(name, *event.path)
    yield tell("victory_lost.advanced", "9.6", counters=event.counters, path=event.path)


EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = _draws.table()
"""Event class -> its effects."""
