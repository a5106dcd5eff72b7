"""From events to states: one function for each event. Nothing here decides anything or can fail on what a step emitted."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.games.chitpull.sides import AXIS, ENEMY, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon import events as e
from engine.games.typhoon.state import (
    ELIMINATED,
    EVACUATED,
    Activation,
    Attack,
    Battle,
    Draft,
    Intake,
    State,
    Unit,
    changed,
    field_of,
    relocated,
)
from engine.kernel.change import evolve
from engine.kernel.dispatch import ByEvent

_after = ByEvent()

# --- 4.0 setting up


@_after(e.BoardLaid)
def _laid(state: State, event: e.BoardLaid) -> State:
    """4.0(3)-4.0(6) Boxes are filled, HQs with a printed hex are placed, all on their full face."""
    data = state.data
    units = {}
    for name, type_ in data.types.items():
        if type_.hq and name in data.preset:
            units[name] = Unit(data.preset[name])
        else:
            units[name] = Unit(OFF_MAP, data.boxes.get(name, state.units[name].where))
    return changed(state, units=units, field=field_of(data, {name: unit.at for name, unit in units.items() if unit.at != OFF_MAP}))


@_after(e.Deployed)
def _deployed(state: State, event: e.Deployed) -> State:
    return relocated(state, event.unit, state.data.hex(event.hex))


@_after(e.SetUpDone)
def _set_up(state: State, event: e.SetUpDone) -> State:
    return changed(state, ready=state.ready | {event.side})


# --- 5.0 turns


@_after(e.TurnBegun)
def _turn(state: State, event: e.TurnBegun) -> State:
    cup = evolve(state.cup, chosen=dict.fromkeys(SIDES), kept=None, counts=dict.fromkeys(SIDES, 0), drawn=(), in_hand="", waived=False)
    return changed(state, turn=event.turn, cup=cup)


@_after(e.TurnEnded, e.ChitVoid, e.SupplyChecked)
def _same(state: State, event: Any) -> State:
    return state


@_after(e.GameOver)
def _over(state: State, event: e.GameOver) -> State:
    return changed(state, result=(event.winner, event.how))


@_after(e.DismissalRolled)
def _dismissal(state: State, event: e.DismissalRolled) -> State:
    return changed(state, cup=evolve(state.cup, dismissed=True)) if event.dismissed else state


# --- 6.0, 7.0 command


@_after(e.ChitsChosen)
def _chosen(state: State, event: e.ChitsChosen) -> State:
    cup = evolve(
        state.cup,
        chosen={**state.cup.chosen, event.side: event.chits},
        counts={**state.cup.counts, event.side: event.count},
        kept=event.kept if event.side == AXIS else state.cup.kept,
    )
    return changed(state, cup=cup)


@_after(e.ChitDrawn)
def _drawn(state: State, event: e.ChitDrawn) -> State:
    return changed(state, cup=evolve(state.cup, drawn=(*state.cup.drawn, event.chit), in_hand=event.chit))


@_after(e.Interrupted)
def _interrupted(state: State, event: e.Interrupted) -> State:
    kept = tuple(chit for chit in state.cup.drawn if chit != event.chit)
    return changed(state, cup=evolve(state.cup, drawn=(*kept, state.guderian), in_hand=state.guderian))


@_after(e.LastChanceWaived)
def _waived(state: State, event: e.LastChanceWaived) -> State:
    return changed(state, cup=evolve(state.cup, waived=True))


@_after(e.ReserveRolled)
def _rolled(state: State, event: e.ReserveRolled) -> State:
    return changed(state, draft=Draft(event.side, event.units))


@_after(e.Activated)
def _activated(state: State, event: e.Activated) -> State:
    activation = Activation(event.side, event.chit, event.hq, event.units, frozenset(event.halved))
    return changed(state, activation=activation, draft=None)


@_after(e.ChitSpent)
def _spent(state: State, event: e.ChitSpent) -> State:
    return changed(state, activation=None, draft=None, cup=evolve(state.cup, in_hand=""))


# --- 9.0 movement


@_after(e.Moved)
def _moved(state: State, event: e.Moved) -> State:
    to = state.data.hex(event.path[-1])
    units = dict(state.units)
    field = state.field
    for name in event.units:
        old = units[name]
        units[name] = Unit(to, "", old.reduced)
        field = field.moved(name, old.at, to)
    activation = state.activation
    if activation is not None:
        activation = evolve(activation, moved=activation.moved.union(event.units))
    return changed(state, units=units, field=field, activation=activation)


# --- 10.0 combat


@_after(e.Declared)
def _declared(state: State, event: e.Declared) -> State:
    activation = state.activation
    if activation is None:
        return state
    attack = Attack(state.data.hex(event.target), event.units)
    return changed(state, activation=evolve(activation, attacks=(*activation.attacks, attack)))


def _without(state: State, target: int) -> Activation | None:
    activation = state.activation
    if activation is None:
        return None
    return evolve(activation, attacks=tuple(attack for attack in activation.attacks if attack.target != target))


@_after(e.AttackCancelled)
def _cancelled(state: State, event: e.AttackCancelled) -> State:
    return changed(state, activation=_without(state, state.data.hex(event.target)))


@_after(e.Fought)
def _fought(state: State, event: e.Fought) -> State:
    """10.4(2) What the result asks for: losses of one side, a retreat of the other."""
    target = state.data.hex(event.target)
    attacker = state.data.types[event.units[0]].side
    code = event.result
    loser, losses, retreat = "", 0, 0
    if code.startswith("A"):
        loser, losses = attacker, int(code[1:])
    elif code != "-":
        retreat = code.count("R")
        if code[0].isdigit():
            loser, losses = ENEMY[attacker], int(code[:-retreat])
    battle = Battle(target, event.units, event.defenders, loser, losses, retreat)
    return changed(state, activation=_without(state, target), battle=battle)


@_after(e.LossesTaken)
def _losses(state: State, event: e.LossesTaken) -> State:
    return state if state.battle is None else changed(state, battle=evolve(state.battle, losses=0))


@_after(e.Reduced)
def _reduced(state: State, event: e.Reduced) -> State:
    return changed(state, units={**state.units, event.unit: Unit(state.units[event.unit].at, "", True)})


@_after(e.Eliminated)
def _eliminated(state: State, event: e.Eliminated) -> State:
    """12.3(1) What may return lies in its box on its full face."""
    battle = state.battle
    if battle is not None and event.unit in battle.retreating:
        battle = evolve(battle, retreating=tuple(name for name in battle.retreating if name != event.unit))
    return changed(relocated(state, event.unit, OFF_MAP, event.where, fresh=True), battle=battle)


@_after(e.FallBack)
def _fall_back(state: State, event: e.FallBack) -> State:
    if state.battle is None:
        return state
    battle = evolve(state.battle, retreating=event.units, retreat=event.hexes, ground=state.field)
    return changed(state, battle=battle)


@_after(e.Retreated)
def _retreated(state: State, event: e.Retreated) -> State:
    battle, activation = state.battle, state.activation
    if battle is not None:
        battle = evolve(battle, retreating=tuple(name for name in battle.retreating if name != event.unit))
    if activation is not None:
        activation = evolve(activation, fallen_back=activation.fallen_back | {event.unit})
    moved = relocated(state, event.unit, state.data.hex(event.path[-1]))
    return changed(moved, battle=battle, activation=activation)


@_after(e.Advanced)
def _advanced(state: State, event: e.Advanced) -> State:
    battle = state.battle
    if battle is not None:
        battle = evolve(battle, advanced=battle.advanced | {event.unit})
    return changed(relocated(state, event.unit, state.data.hex(event.path[-1])), battle=battle)


@_after(e.BattleOver)
def _battle_over(state: State, event: e.BattleOver) -> State:
    return changed(state, battle=None)


# --- 11.0 supply


@_after(e.Evacuated)
def _evacuated(state: State, event: e.Evacuated) -> State:
    """11.2, R-32 A unit keeps its steps in the box."""
    side = state.data.types[event.unit].side
    lifted = relocated(state, event.unit, OFF_MAP, EVACUATED[side])
    return changed(lifted, evacuated={**state.evacuated, event.unit: state.turn})


# --- 12.0 reinforcements


@_after(e.IntakeOpened)
def _intake(state: State, event: e.IntakeOpened) -> State:
    return changed(state, intake=Intake(event.side, event.units, event.conversions), garrison=state.garrison + event.garrison)


@_after(e.Placed)
def _placed(state: State, event: e.Placed) -> State:
    intake, garrison, deployed, evacuated = state.intake, state.garrison, state.deployed, state.evacuated
    if event.unit in evacuated:
        evacuated = {name: turn for name, turn in evacuated.items() if name != event.unit}
        counts = bool(state.option("evacuated_units_count_against_reinf"))
    else:
        counts = not is_garrison(state, event.unit)
    if is_garrison(state, event.unit):
        garrison -= 1
        deployed = deployed | {event.unit}
    if intake is not None and counts:
        intake = evolve(intake, left=intake.left - 1)
    placed = relocated(state, event.unit, state.data.hex(event.hex))
    return changed(placed, intake=intake, garrison=garrison, deployed=deployed, evacuated=evacuated)


def is_garrison(state: State, name: str) -> bool:
    """14.3(4) Whether a unit waits to be deployed as Moscow garrison for the first time."""
    return state.data.types[name].group == "moscow" and name not in state.deployed


@_after(e.Converted)
def _converted(state: State, event: e.Converted) -> State:
    at = state.units[event.unit].at
    state = relocated(relocated(state, event.unit, OFF_MAP, ELIMINATED, fresh=True), event.guards, at, fresh=True)
    intake = state.intake
    return state if intake is None else changed(state, intake=evolve(intake, conversions=intake.conversions - 1))


@_after(e.IntakeClosed)
def _intake_over(state: State, event: e.IntakeClosed) -> State:
    return changed(state, intake=None, garrison=event.carried if event.side == SOVIET else state.garrison)


# --- 3.4, 14.4 control and victory


@_after(e.CityTaken)
def _city(state: State, event: e.CityTaken) -> State:
    return changed(state, control={**state.control, state.data.hex(event.hex): event.side})


@_after(e.GateReached)
def _latch(state: State, event: e.GateReached) -> State:
    return changed(state, latch=True)


EVOLVE: Mapping[type[Any], Callable[[State, Any], State]] = _after.table()
"""Event class -> the state after it."""
