"""What clients draw and tell of each event, and the picture of a whole state. Nothing here depends on a secret, but as a Secret.

Places off the map: set_up, the boxes, eliminated; for chits: chits.SIDE (at hand, in the cup or in hand alike, since nobody may see which),
in_hand (being executed), used.SIDE. What a side has chosen is shown to that side alone, as the tracks chosen.SIDE and guderian_kept. The
count "unseen" is how many chits of the turn have not been seen yet; how many of them are in the cup is a secret (R-15 8).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.games.chitpull import chits as cups
from engine.games.chitpull.sides import ENEMY, SIDES
from engine.games.chitpull.standing import OFF_MAP
from engine.games.typhoon import events as e
from engine.games.typhoon.command import unseen
from engine.games.typhoon.state import State
from engine.kernel.dispatch import ByEvent
from protocol.effects import Effect, closing, count, flip, mark, move, opening, phase, put, roll, take, tell, track
from protocol.seal import Secret

_draws = ByEvent()

FULL, REDUCED = "full", "reduced"
ACTIVATED, ATTACKED = "activated", "attacked"
COMMON = "common"


def face(state: State, name: str) -> str:
    """2.21(3) The face that a unit shows."""
    return REDUCED if state.units[name].reduced else FULL


def place(state: State, name: str) -> str:
    """Where a unit is, as clients know it."""
    unit = state.units[name]
    return state.data.name(unit.at) if unit.at != OFF_MAP else unit.where


def _put(state: State, name: str) -> Effect:
    """2.21(1) The colour is the owner's."""
    return put(name, place(state, name), face(state, name), state.data.types[name].side)


def _put_chit(state: State, chit: str) -> Effect:
    side = state.data.chits[chit].side
    return put(chit, cups.place(chit, side, state.cup.in_hand, state.cup.drawn), "", "" if side == COMMON else side)


def _chits_in_play(state: State) -> Iterable[str]:
    """4.0(7), R-07 Every chit of the game; RESERVE and OKH only with rule 15.1."""
    return (chit.id for chit in state.data.chits.values() if not chit.optional or state.option("reserve_okh"))


def _choice(state: State) -> Iterable[Effect]:
    for side in SIDES:
        chosen = state.cup.chosen[side]
        yield track(f"chosen.{side}", "" if chosen is None else Secret(chosen.value, chosen.readers))
    kept = state.cup.kept
    yield track("guderian_kept", "" if kept is None else Secret("yes" if kept.value else "no", kept.readers))


_WEATHERS = {
    "clear": "typhoon.weather.clear",
    "mud": "typhoon.weather.mud",
    "frost": "typhoon.weather.frost",
    "snow": "typhoon.weather.snow",
}


def _weather(state: State) -> Effect:
    return track("weather", state.weather.name)


def picture(state: State) -> Iterable[Effect]:
    """Everything on the table. R-47 Units are open."""
    for name in state.units:
        yield _put(state, name)
    for chit in _chits_in_play(state):
        yield _put_chit(state, chit)
    for i in sorted(state.control):
        yield mark(state.data.name(i), f"control.{state.control[i]}", 1)
    activation = state.activation
    if activation is not None:
        for name in activation.units:
            if state.at(name) != OFF_MAP:
                yield mark(name, ACTIVATED, 1)
        for attack in activation.attacks:
            yield mark(state.data.name(attack.target), ATTACKED, 1)
    yield track("turn", state.turn)
    yield _weather(state)
    yield track("gate", 1 if state.latch else 0)
    yield track("garrison", state.garrison)
    yield track("dismissed", 1 if state.cup.dismissed else 0)
    yield from _choice(state)
    yield count("unseen", unseen(state))


# --- event by event ---------------------------------------------------------------------------------------------------------


@_draws(e.BoardLaid)
def _laid(before: State, event: e.BoardLaid, after: State) -> Iterable[Effect]:
    yield opening("game", "typhoon.game")
    yield from picture(after)
    yield tell("typhoon.laid", "4.0")


@_draws(e.Deployed)
def _deployed(before: State, event: e.Deployed, after: State) -> Iterable[Effect]:
    yield _put(after, event.unit)
    yield tell("typhoon.deployed", "4.0(2)", unit=event.unit, hex=event.hex)


@_draws(e.SetUpDone)
def _set_up(before: State, event: e.SetUpDone, after: State) -> Iterable[Effect]:
    yield tell("typhoon.set_up_done", "4.0(2)", side=event.side)


@_draws(e.TurnBegun)
def _turn(before: State, event: e.TurnBegun, after: State) -> Iterable[Effect]:
    yield opening("turn", "typhoon.turn_span", turn=event.turn)
    yield phase("phase.typhoon.selection")
    yield track("turn", event.turn)
    yield _weather(after)
    for chit in before.cup.drawn:
        yield _put_chit(after, chit)
    yield from _choice(after)
    yield count("unseen", 0)
    yield tell("typhoon.turn", "5.0(5)", turn=event.turn, weather=_WEATHERS[after.weather.name])


@_draws(e.TurnEnded)
def _turn_over(before: State, event: e.TurnEnded, after: State) -> Iterable[Effect]:
    yield tell("typhoon.turn_over", "5.0(5)", turn=event.turn)
    yield closing("turn")


@_draws(e.GameOver)
def _over(before: State, event: e.GameOver, after: State) -> Iterable[Effect]:
    if event.how == "early":
        yield tell("typhoon.won_early", "14.4(1)", side=event.winner)
    elif event.how == "late":
        yield tell("typhoon.won_late", "14.4(2)", side=event.winner)
    else:
        yield tell("typhoon.held_out", "14.4(3)", side=event.winner)
    yield closing("game")


@_draws(e.DismissalRolled)
def _dismissal(before: State, event: e.DismissalRolled, after: State) -> Iterable[Effect]:
    yield roll("guderian", 6, (event.die,))
    yield track("dismissed", 1 if after.cup.dismissed else 0)
    if event.dismissed:
        yield tell("typhoon.dismissed", "15.5(1)", die=event.die)
    else:
        yield tell("typhoon.not_dismissed", "15.5(1)", die=event.die)


@_draws(e.ChitsChosen)
def _chosen(before: State, event: e.ChitsChosen, after: State) -> Iterable[Effect]:
    yield track(f"chosen.{event.side}", Secret(event.chits.value, event.chits.readers))
    if event.kept is not None:
        yield track("guderian_kept", Secret("yes" if event.kept.value else "no", event.kept.readers))
    yield count("unseen", unseen(after))
    yield tell("typhoon.chosen", "6.1(1)", side=event.side, n=event.count)


@_draws(e.ChitDrawn)
def _drawn(before: State, event: e.ChitDrawn, after: State) -> Iterable[Effect]:
    yield phase("phase.typhoon.execution")
    yield _put_chit(after, event.chit)
    yield count("unseen", unseen(after))
    yield tell("typhoon.drawn", "7.1(1)", chit=event.chit)


@_draws(e.Interrupted)
def _interrupted(before: State, event: e.Interrupted, after: State) -> Iterable[Effect]:
    if event.chit:
        yield _put_chit(after, event.chit)
    yield _put_chit(after, after.cup.in_hand)
    yield count("unseen", unseen(after))
    if event.chit:
        yield tell("typhoon.interrupted", "7.3(1)", chit=event.chit)
    else:
        yield tell("typhoon.used_last", "7.3(3)")


@_draws(e.LastChanceWaived)
def _waived(before: State, event: e.LastChanceWaived, after: State) -> Iterable[Effect]:
    yield tell("typhoon.waived", "7.3(3)")


@_draws(e.ChitVoid)
def _void(before: State, event: e.ChitVoid, after: State) -> Iterable[Effect]:
    yield tell("typhoon.void", "13.0(2)", chit=event.chit)


@_draws(e.ReserveRolled)
def _rolled(before: State, event: e.ReserveRolled, after: State) -> Iterable[Effect]:
    yield roll("reserve", 6, (event.die,))
    yield tell("typhoon.reserve", "15.1(1)", side=event.side, die=event.die, n=event.units)


@_draws(e.Activated)
def _activated(before: State, event: e.Activated, after: State) -> Iterable[Effect]:
    yield opening("activation", "typhoon.activation_span", side=event.side, chit=event.chit)
    yield phase("phase.typhoon.action")
    for name in event.units:
        yield mark(name, ACTIVATED, 1)
    if event.hq:
        yield tell("typhoon.activated", "8.0", hq=event.hq, n=len(event.units) - 1)
    else:
        yield tell("typhoon.activated_directly", "15.1(1)", chit=event.chit, units=event.units)
    if event.halved:
        yield tell("typhoon.halved", "15.1(2)", units=event.halved)


@_draws(e.ChitSpent)
def _spent(before: State, event: e.ChitSpent, after: State) -> Iterable[Effect]:
    activation = before.activation
    if activation is not None:
        for name in activation.units:
            if before.at(name) != OFF_MAP:
                yield mark(name, ACTIVATED, 0)
        yield closing("activation")
    yield _put_chit(after, event.chit)


@_draws(e.Moved)
def _moved(before: State, event: e.Moved, after: State) -> Iterable[Effect]:
    for name in event.units:
        yield move(name, *event.path)
    if event.mode:
        yield tell("typhoon.marched", "9.3(1)", units=event.units, path=event.path)
    else:
        yield tell("typhoon.moved", "9.1", units=event.units, path=event.path)


@_draws(e.Declared)
def _declared(before: State, event: e.Declared, after: State) -> Iterable[Effect]:
    yield mark(event.target, ATTACKED, 1)
    yield tell("typhoon.declared", "10.2(1)", hex=event.target, units=event.units)


@_draws(e.AttackCancelled)
def _cancelled(before: State, event: e.AttackCancelled, after: State) -> Iterable[Effect]:
    yield mark(event.target, ATTACKED, 0)
    yield tell("typhoon.cancelled", "10.2(1)", hex=event.target)


@_draws(e.Fought)
def _fought(before: State, event: e.Fought, after: State) -> Iterable[Effect]:
    yield opening("combat", "typhoon.combat_span", hex=event.target)
    yield mark(event.target, ATTACKED, 0)
    yield tell(
        "typhoon.attack",
        "10.3",
        units=event.units,
        hex=event.target,
        defenders=event.defenders,
        attack=event.attack,
        defence=event.defence,
        odds=event.odds,
        shift=event.shift,
        column=event.column,
    )
    yield roll("combat", 6, (event.die,))
    yield tell("typhoon.result", "10.4(2)", die=event.die, result=event.result)


@_draws(e.LossesTaken)
def _losses(before: State, event: e.LossesTaken, after: State) -> Iterable[Effect]:
    yield tell("typhoon.losses", "10.5(2)", side=event.side, n=len(event.units))


@_draws(e.Reduced)
def _reduced(before: State, event: e.Reduced, after: State) -> Iterable[Effect]:
    yield flip(event.unit, REDUCED)
    if event.why == "supply":
        yield tell("typhoon.reduced_by_supply", "11.1(1)", unit=event.unit)
    elif event.why == "zone":
        yield tell("typhoon.reduced_in_zone", "10.6(4)", unit=event.unit)
    else:
        yield tell("typhoon.reduced", "10.5(1)", unit=event.unit)


@_draws(e.Eliminated)
def _eliminated(before: State, event: e.Eliminated, after: State) -> Iterable[Effect]:
    yield take(event.unit, event.where)
    yield _put(after, event.unit)
    if event.why == "supply":
        yield tell("typhoon.starved", "11.1(1)", unit=event.unit)
    elif event.why == "zone":
        yield tell("typhoon.lost_in_zone", "10.6(4)", unit=event.unit)
    elif event.why == "no_retreat":
        yield tell("typhoon.no_retreat", "10.6(3)", unit=event.unit)
    else:
        yield tell("typhoon.eliminated", "10.5(1)", unit=event.unit)


@_draws(e.FallBack)
def _fall_back(before: State, event: e.FallBack, after: State) -> Iterable[Effect]:
    yield tell("typhoon.fall_back", "10.6", units=event.units, n=event.hexes)


@_draws(e.Retreated)
def _retreated(before: State, event: e.Retreated, after: State) -> Iterable[Effect]:
    yield move(event.unit, *event.path)
    yield tell("typhoon.retreated", "10.6", unit=event.unit, path=event.path)


@_draws(e.Advanced)
def _advanced(before: State, event: e.Advanced, after: State) -> Iterable[Effect]:
    yield move(event.unit, *event.path)
    yield tell("typhoon.advanced", "10.7", unit=event.unit, path=event.path)


@_draws(e.BattleOver)
def _battle_over(before: State, event: e.BattleOver, after: State) -> Iterable[Effect]:
    yield closing("combat")


@_draws(e.SupplyChecked)
def _supplied(before: State, event: e.SupplyChecked, after: State) -> Iterable[Effect]:
    yield phase("phase.typhoon.supply")
    if event.units:
        yield tell("typhoon.cut_off", "11.1(1)", units=event.units)
    else:
        yield tell("typhoon.all_supplied", "11.1(1)")


@_draws(e.Evacuated)
def _evacuated(before: State, event: e.Evacuated, after: State) -> Iterable[Effect]:
    yield take(event.unit, after.units[event.unit].where)
    yield tell("typhoon.evacuated", "11.2", unit=event.unit)


@_draws(e.IntakeOpened)
def _intake(before: State, event: e.IntakeOpened, after: State) -> Iterable[Effect]:
    yield phase("phase.typhoon.reinforcements")
    yield track("garrison", after.garrison)
    yield tell("typhoon.intake", "12.2(1)", side=event.side, n=event.units)
    if event.garrison:
        yield tell("typhoon.garrison", "14.3(1)", n=event.garrison)
    if event.conversions:
        yield tell("typhoon.conversions", "15.2", n=event.conversions)


@_draws(e.Placed)
def _placed(before: State, event: e.Placed, after: State) -> Iterable[Effect]:
    yield _put(after, event.unit)
    yield track("garrison", after.garrison)
    yield tell("typhoon.placed", "12.1", unit=event.unit, hex=event.hex)


@_draws(e.Converted)
def _converted(before: State, event: e.Converted, after: State) -> Iterable[Effect]:
    yield take(event.unit, after.units[event.unit].where)
    yield _put(after, event.unit)
    yield _put(after, event.guards)
    yield tell("typhoon.converted", "15.2(2)", unit=event.unit, guards=event.guards)


@_draws(e.IntakeClosed)
def _intake_over(before: State, event: e.IntakeClosed, after: State) -> Iterable[Effect]:
    yield track("garrison", after.garrison)
    if event.carried:
        yield tell("typhoon.carried", "14.3(3)", n=event.carried)


@_draws(e.CityTaken)
def _city(before: State, event: e.CityTaken, after: State) -> Iterable[Effect]:
    yield mark(event.hex, f"control.{ENEMY[event.side]}", 0)
    yield mark(event.hex, f"control.{event.side}", 1)
    yield tell("typhoon.city", "3.4(2)", hex=event.hex, side=event.side)


@_draws(e.GateReached)
def _latch(before: State, event: e.GateReached, after: State) -> Iterable[Effect]:
    yield track("gate", 1)
    yield tell("typhoon.gate", "14.4(2)")


EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = _draws.table()
"""Event class -> its effects."""
