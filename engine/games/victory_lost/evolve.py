"""From events to states: one function for each event outside combat. Nothing here decides anything or can fail on what a step emitted."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.games.chitpull.pack import HQ_CHIT
from engine.games.chitpull.sides import ENEMY, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost import events as e
from engine.games.victory_lost.state import (
    ASIDE,
    ELIMINATED,
    REMOVED,
    Activation,
    Counter,
    Going,
    State,
    changed,
    relocated,
    scored,
)
from engine.kernel.change import evolve
from engine.kernel.dispatch import ByEvent

_after = ByEvent()

# --- 3.0 set-up


@_after(e.BoardLaid)
def _laid(state: State, event: e.BoardLaid) -> State:
    return state


@_after(e.Deployed)
def _deployed(state: State, event: e.Deployed) -> State:
    return relocated(state, event.counter, state.data.hex(event.hex))


@_after(e.SetUpDone)
def _set_up(state: State, event: e.SetUpDone) -> State:
    return changed(state, ready=state.ready | {event.side})


@_after(e.FiveChosen)
def _five(state: State, event: e.FiveChosen) -> State:
    return changed(state, cup=evolve(state.cup, five=event.chits))


# --- 4.0 turns


@_after(e.TurnBegun)
def _turn(state: State, event: e.TurnBegun) -> State:
    cup = evolve(state.cup, chosen=dict.fromkeys(SIDES), drawn=(), named="", declined=False)
    return changed(state, turn=event.turn, field=state.field.on_turn(event.turn), cup=cup)


@_after(e.TurnEnded)
def _turn_over(state: State, event: e.TurnEnded) -> State:
    return state


@_after(e.GameOver)
def _over(state: State, event: e.GameOver) -> State:
    return changed(state, result=(event.winner, event.how))


# --- 7.0 command


@_after(e.ChitsChosen)
def _chosen(state: State, event: e.ChitsChosen) -> State:
    return changed(state, cup=evolve(state.cup, chosen={**state.cup.chosen, event.side: event.chits}))


@_after(e.ChosenAhead)
def _ahead(state: State, event: e.ChosenAhead) -> State:
    return changed(state, cup=evolve(state.cup, ahead=event.chits))


@_after(e.AheadShown)
def _ahead_shown(state: State, event: e.AheadShown) -> State:
    known = (chit for chit in event.chits if state.data.chits[chit].kind == HQ_CHIT and chit not in state.cup.shown)
    shown = (*state.cup.shown, *known)
    return changed(state, cup=evolve(state.cup, chosen={**state.cup.chosen, SOVIET: state.cup.ahead}, ahead=None, shown=shown))


@_after(e.FirstNamed)
def _named(state: State, event: e.FirstNamed) -> State:
    return changed(state, cup=evolve(state.cup, named=event.chit))


@_after(e.ChitDrawn)
def _drawn(state: State, event: e.ChitDrawn) -> State:
    chit = state.data.chits[event.chit]
    shown = state.cup.shown
    if chit.side == SOVIET and chit.kind == HQ_CHIT and event.chit not in shown:
        shown = (*shown, event.chit)
    cup = evolve(state.cup, drawn=(*state.cup.drawn, event.chit), in_hand=event.chit, named="", shown=shown)
    return changed(state, cup=cup)


@_after(e.ChitReturned)
def _returned(state: State, event: e.ChitReturned) -> State:
    cup = state.cup
    drawn = tuple(chit for chit in cup.drawn if chit != event.chit)
    return changed(state, cup=evolve(cup, drawn=drawn, in_hand="", declined=True))


@_after(e.ChitUsed)
def _used(state: State, event: e.ChitUsed) -> State:
    return changed(state, cup=evolve(state.cup, in_hand="", declined=False))


@_after(e.Activated)
def _activated(state: State, event: e.Activated) -> State:
    boxes = state.activated_boxes | {event.box} if event.box else state.activated_boxes
    activation = Activation(event.side, event.chit, event.hqs, event.units, event.box)
    return changed(state, activation=activation, activated_boxes=boxes)


@_after(e.StoodDown)
def _stood_down(state: State, event: e.StoodDown) -> State:
    return changed(state, activation=None)


# --- 8.0 movement


@_after(e.Moved)
def _moved(state: State, event: e.Moved) -> State:
    to = state.data.board.grid.index[event.path[-1]]
    counters = {**state.counters}
    field = state.field
    for name in event.counters:
        old = counters[name]
        counters[name] = Counter(to, "", old.reduced, old.supply)
        field = field.moved(name, old.at, to)
    activation = state.activation
    if activation is not None:
        activation = evolve(activation, moved=activation.moved.union(event.counters), going=None)
    return changed(state, counters=counters, field=field.anchored(counters), activation=activation)


@_after(e.MoveInterrupted)
def _interrupted(state: State, event: e.MoveInterrupted) -> State:
    if state.activation is None:
        return state
    going = Going(event.counter, event.mode, event.left)
    return changed(state, activation=evolve(state.activation, going=going))


@_after(e.Halted)
def _halted(state: State, event: e.Halted) -> State:
    if state.activation is None:
        return state
    return changed(state, activation=evolve(state.activation, going=None))


@_after(e.Overrun)
def _overrun(state: State, event: e.Overrun) -> State:
    return state


# --- 9.4.2 losses


@_after(e.Reduced)
def _reduced(state: State, event: e.Reduced) -> State:
    old = state.counters[event.unit]
    return changed(state, counters={**state.counters, event.unit: Counter(old.at, old.where, True, old.supply)})


@_after(e.Eliminated)
def _eliminated(state: State, event: e.Eliminated) -> State:
    gone = relocated(state, event.unit, OFF_MAP, ELIMINATED)
    return scored(gone, ENEMY[state.data.types[event.unit].side], event.points)


# --- 10.0 supply


@_after(e.SupplyChecked)
def _supplied(state: State, event: e.SupplyChecked) -> State:
    counters = dict(state.counters)
    for name, supply in event.changes:
        old = counters[name]
        counters[name] = Counter(old.at, old.where, old.reduced, supply)
    return changed(state, counters=counters)


# --- 11.0 reinforcements


@_after(e.Arrived)
def _arrived(state: State, event: e.Arrived) -> State:
    for name in event.counters:
        state = relocated(state, name, OFF_MAP, event.where)
    return state


@_after(e.Placed)
def _placed(state: State, event: e.Placed) -> State:
    aside = {hq: turn for hq, turn in state.aside.items() if hq != event.counter}
    return changed(relocated(state, event.counter, state.data.hex(event.hex)), aside=aside)


@_after(e.ChitsGained)
def _chits_gained(state: State, event: e.ChitsGained) -> State:
    stock = {**state.cup.stock, event.side: tuple(sorted((*state.cup.stock.get(event.side, ()), *event.chits)))}
    return changed(state, cup=evolve(state.cup, stock=stock))


@_after(e.HqRemoved)
def _hq_removed(state: State, event: e.HqRemoved) -> State:
    gone = tuple(sorted(chit.id for chit in state.data.chits.values() if chit.kind == HQ_CHIT and chit.hq == event.hq))
    cup = state.cup
    stock = {side: tuple(chit for chit in chits if chit not in gone) for side, chits in cup.stock.items()}
    cup = evolve(cup, stock=stock, removed=(*cup.removed, *gone))
    return changed(relocated(state, event.hq, OFF_MAP, REMOVED), cup=cup)


# --- 12.7 reset


@_after(e.HqReset)
def _reset(state: State, event: e.HqReset) -> State:
    moved = relocated(state, event.hq, state.data.hex(event.hex))
    old = moved.counters[event.hq]
    return changed(moved, counters={**moved.counters, event.hq: Counter(old.at, "", old.reduced, 0)})


@_after(e.HqSetAside)
def _set_aside(state: State, event: e.HqSetAside) -> State:
    return changed(relocated(state, event.hq, OFF_MAP, ASIDE), aside={**state.aside, event.hq: state.turn})


# --- 14.0 victory


@_after(e.CityTaken)
def _city(state: State, event: e.CityTaken) -> State:
    points = state.data.city_points
    loser = ENEMY[event.side]
    score = {**state.score, event.side: state.score[event.side] + points, loser: state.score[loser] - points}
    return changed(state, control={**state.control, state.data.hex(event.hex): event.side}, score=score)


@_after(e.CutOffCounted)
def _counted(state: State, event: e.CutOffCounted) -> State:
    for name, points in event.units:
        state = scored(state, ENEMY[state.data.types[name].side], points)
    return state


EVOLVE: Mapping[type[Any], Callable[[State, Any], State]] = _after.table()
"""Event class -> the state after it; combat adds its own."""

