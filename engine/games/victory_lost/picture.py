"""What clients draw and tell of each event, the markers (2.5), and the picture of a whole state. Nothing here depends on a secret.

Places off the map: set_up, turn.N (the turn track), arriving, the boxes, aside, eliminated, removed; for chits: chits.SIDE (Unused box and
cup alike, since nobody may see which), in_hand, used.SIDE. A Soviet HQ chit appears when it is first drawn.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.games.chitpull import chits as cups
from engine.games.chitpull.pack import HQ_CHIT
from engine.games.chitpull.sides import AXIS, SIDES, SOVIET
from engine.games.chitpull.standing import OFF_MAP
from engine.games.victory_lost import events as e
from engine.games.victory_lost.command import in_cup
from engine.games.victory_lost.data import Data
from engine.games.victory_lost.state import ELIMINATED, OUT_OF_SUPPLY, REMOVED, SURROUNDED, TO_COME, State
from engine.kernel.dispatch import ByEvent
from protocol.effects import Effect, closing, count, flip, mark, move, opening, phase, put, take, tell, track

_draws = ByEvent()

FULL, REDUCED = "full", "reduced"
ACTIVATED, OUT_MARK, SURROUNDED_MARK = "activated", "out_of_supply", "surrounded"


def face(state: State, name: str) -> str:
    """The face that a counter shows; HQs have one."""
    if state.data.types[name].hq:
        return ""
    return REDUCED if state.counters[name].reduced else FULL


def place(state: State, name: str) -> str:
    """Where a counter is, as clients know it."""
    counter = state.counters[name]
    if counter.at != OFF_MAP:
        return state.data.name(counter.at)
    if counter.where == TO_COME:
        return _turn_box(state.data, name)
    return counter.where


def _turn_box(data: Data, name: str) -> str:
    for turn in data.turns:
        if any(name in arrival.pieces for arrival in turn.arrivals):
            return f"turn.{turn.number}"
    return TO_COME


def _put(state: State, name: str) -> Effect:
    return put(name, place(state, name), face(state, name), state.data.types[name].side)


def _scores(state: State) -> Iterable[Effect]:
    return (track(f"points.{side}", state.score[side]) for side in SIDES)


def _control(state: State, i: int) -> Iterable[Effect]:
    return (mark(state.data.name(i), f"control.{side}", 1 if state.control[i] == side else 0) for side in SIDES)


def _put_chit(state: State, chit: str) -> Effect:
    side = state.data.chits[chit].side
    return put(chit, cups.place(chit, side, state.cup.in_hand, state.cup.drawn), "", side)


def _supply_marks(name: str, supply: int) -> Iterable[Effect]:
    return (
        mark(name, OUT_MARK, 1 if supply == OUT_OF_SUPPLY else 0),
        mark(name, SURROUNDED_MARK, 1 if supply == SURROUNDED else 0),
    )


def picture(state: State) -> Iterable[Effect]:
    """Everything on the table."""
    for name in state.counters:
        yield _put(state, name)
        supply = state.counters[name].supply
        if supply:
            yield mark(name, OUT_MARK if supply == OUT_OF_SUPPLY else SURROUNDED_MARK, 1)
    for side in SIDES:
        for chit in state.cup.stock.get(side, ()):
            yield _put_chit(state, chit)
    for chit in state.cup.shown:
        if chit not in state.cup.removed:
            yield _put_chit(state, chit)
    for i in sorted(state.control):
        yield mark(state.data.name(i), f"control.{state.control[i]}", 1)
    if state.activation is not None:
        for name in _activated_now(state):
            yield mark(name, ACTIVATED, 1)
    yield track("turn", state.turn)
    yield from _scores(state)
    yield count("cup", in_cup(state))


def _activated_now(state: State) -> Iterable[str]:
    """Activated counters on the table: on the map, or in the box from which they are to enter."""
    activation = state.activation
    if activation is None:
        return ()
    return (
        name
        for name in (*activation.hqs, *activation.units)
        if state.counters[name].at != OFF_MAP or state.counters[name].where == activation.box != ""
    )


# --- event by event ---------------------------------------------------------------------------------------------------------


@_draws(e.BoardLaid)
def _laid(before: State, event: e.BoardLaid, after: State) -> Iterable[Effect]:
    yield opening("game", "victory_lost.game")
    yield from picture(after)
    yield phase("phase.victory_lost.set_up")
    yield tell("victory_lost.laid", "3.0")


@_draws(e.Deployed)
def _deployed(before: State, event: e.Deployed, after: State) -> Iterable[Effect]:
    yield _put(after, event.counter)
    yield tell("victory_lost.deployed", "3.0", counter=event.counter, hex=event.hex)


@_draws(e.SetUpDone)
def _set_up(before: State, event: e.SetUpDone, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.set_up_done", "3.0", side=event.side)


@_draws(e.FiveChosen)
def _five(before: State, event: e.FiveChosen, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.five", "3.0", n=after.data.five)


@_draws(e.TurnBegun)
def _turn(before: State, event: e.TurnBegun, after: State) -> Iterable[Effect]:
    yield opening("turn", "victory_lost.turn_span", turn=event.turn)
    yield track("turn", event.turn)
    yield phase("phase.victory_lost.chit_selection")
    for chit in before.cup.drawn:
        if chit not in after.cup.removed:
            yield _put_chit(after, chit)
    yield count("cup", 0)
    yield tell("victory_lost.turn", "4.0", turn=event.turn)
    if before.field.pocket_closed and not after.field.pocket_closed and before.turn:
        yield tell("victory_lost.pocket_open", "13.0")


@_draws(e.TurnEnded)
def _turn_over(before: State, event: e.TurnEnded, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.turn_over", "4.3", turn=event.turn, axis=after.score[AXIS], soviet=after.score[SOVIET])
    yield closing("turn")


@_draws(e.GameOver)
def _over(before: State, event: e.GameOver, after: State) -> Iterable[Effect]:
    score = {"axis": after.score[AXIS], "soviet": after.score[SOVIET]}
    if not event.winner:
        yield tell("victory_lost.drawn_game", "14.0.2", **score)
    elif event.how == "lead":
        yield tell("victory_lost.won_by_lead", "14.0.2", side=event.winner, **score)
    else:
        yield tell("victory_lost.won_at_end", "14.0.2", side=event.winner, **score)
    yield closing("game")


@_draws(e.ChitsChosen)
def _chosen(before: State, event: e.ChitsChosen, after: State) -> Iterable[Effect]:
    yield count("cup", in_cup(after))
    yield tell("victory_lost.chosen", "7.1.2", side=event.side, n=event.count)


@_draws(e.ChosenAhead)
def _ahead(before: State, event: e.ChosenAhead, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.ahead", "15.0.2", n=event.count)


@_draws(e.AheadShown)
def _ahead_shown(before: State, event: e.AheadShown, after: State) -> Iterable[Effect]:
    for chit in event.chits:
        if after.data.chits[chit].kind == HQ_CHIT:
            yield _put_chit(after, chit)
    yield count("cup", in_cup(after))
    yield tell("victory_lost.ahead_shown", "15.0.2", chits=event.chits)


@_draws(e.FirstNamed)
def _named(before: State, event: e.FirstNamed, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.named", "15.0.2", chit=event.chit)


@_draws(e.ChitDrawn)
def _drawn(before: State, event: e.ChitDrawn, after: State) -> Iterable[Effect]:
    yield phase("phase.victory_lost.command")
    yield _put_chit(after, event.chit)
    yield count("cup", in_cup(after))
    yield tell("victory_lost.drawn", "7.2.1", chit=event.chit, side=after.data.chits[event.chit].side)


@_draws(e.ChitReturned)
def _returned(before: State, event: e.ChitReturned, after: State) -> Iterable[Effect]:
    yield _put_chit(after, event.chit)
    yield count("cup", in_cup(after))
    yield tell("victory_lost.returned", "7.2.2", chit=event.chit)


@_draws(e.ChitUsed)
def _used(before: State, event: e.ChitUsed, after: State) -> Iterable[Effect]:
    yield _put_chit(after, event.chit)
    if event.idle:
        yield tell("victory_lost.idle", "7.2.1", chit=event.chit)


@_draws(e.Activated)
def _activated(before: State, event: e.Activated, after: State) -> Iterable[Effect]:
    yield opening("activation", "victory_lost.activation", side=event.side, hqs=event.hqs)
    for name in _activated_now(after):
        yield mark(name, ACTIVATED, 1)
    yield phase("phase.victory_lost.movement" if event.chit else "phase.victory_lost.combat")
    if event.chit:
        yield tell("victory_lost.activated", "7.3.2", side=event.side, hqs=event.hqs, n=len(event.units))
    else:
        yield tell("victory_lost.special", "4.1", side=event.side, hqs=event.hqs, n=len(event.units))
    if event.box:
        yield tell("victory_lost.box_activated", "11.2.2", box=event.box)


@_draws(e.StoodDown)
def _stood_down(before: State, event: e.StoodDown, after: State) -> Iterable[Effect]:
    for name in _activated_now(before):
        yield mark(name, ACTIVATED, 0)
    yield closing("activation")


@_draws(e.Moved)
def _moved(before: State, event: e.Moved, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield move(name, *event.path)
    if before.counters[event.counters[0]].at == OFF_MAP:
        yield tell("victory_lost.entered", "11.2.2", counters=event.counters, path=event.path[1:])
    elif event.mode == "road":
        yield tell("victory_lost.moved_by_road", "8.3.1", counters=event.counters, path=event.path)
    elif event.mode == "swift":
        yield tell("victory_lost.moved_swiftly", "15.0.1", counters=event.counters, path=event.path)
    else:
        yield tell("victory_lost.moved", "8.1", counters=event.counters, path=event.path)


@_draws(e.MoveInterrupted)
def _interrupted(before: State, event: e.MoveInterrupted, after: State) -> Iterable[Effect]:
    return ()


@_draws(e.Halted)
def _halted(before: State, event: e.Halted, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.halted", "8.1.2", counter=event.counter)


@_draws(e.Overrun)
def _overrun(before: State, event: e.Overrun, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.overrun", "12.1", hq=event.hq, by=event.by, hex=event.hex)


@_draws(e.Reduced)
def _reduced(before: State, event: e.Reduced, after: State) -> Iterable[Effect]:
    yield flip(event.unit, REDUCED)
    yield tell("victory_lost.reduced", "9.4.2", unit=event.unit)


@_draws(e.Eliminated)
def _eliminated(before: State, event: e.Eliminated, after: State) -> Iterable[Effect]:
    yield take(event.unit, ELIMINATED)
    if event.why == "no_entry":
        yield tell("victory_lost.no_entry", "11.1.3", unit=event.unit, points=event.points)
    elif event.why == "no_retreat":
        yield tell("victory_lost.no_retreat", "9.5.8", unit=event.unit, points=event.points)
    elif event.why == "zone":
        yield tell("victory_lost.lost_in_zone", "9.5.3", unit=event.unit, points=event.points)
    else:
        yield tell("victory_lost.eliminated", "9.4.2", unit=event.unit, points=event.points)
    if event.points:
        yield from _scores(after)


@_draws(e.SupplyChecked)
def _supplied(before: State, event: e.SupplyChecked, after: State) -> Iterable[Effect]:
    yield phase("phase.victory_lost.supply")
    for name, supply in event.changes:
        yield from _supply_marks(name, supply)
    for supply, key in ((1, "victory_lost.out_of_supply"), (2, "victory_lost.surrounded"), (0, "victory_lost.back_in_supply")):
        names = tuple(name for name, new in event.changes if new == supply)
        if names:
            yield tell(key, "10.1.3", counters=names)
    if not event.changes:
        yield tell("victory_lost.supply_unchanged", "10.1")


@_draws(e.Arrived)
def _arrived(before: State, event: e.Arrived, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield _put(after, name)
    if event.where in after.data.boxes:
        yield tell("victory_lost.arrived_in_box", "11.2.1", side=event.side, counters=event.counters, box=event.where)
    else:
        yield tell("victory_lost.arrived", "11.1", side=event.side, counters=event.counters)


@_draws(e.Placed)
def _placed(before: State, event: e.Placed, after: State) -> Iterable[Effect]:
    yield _put(after, event.counter)
    yield tell("victory_lost.placed", "11.1.1", counter=event.counter, hex=event.hex)


@_draws(e.ChitsGained)
def _chits_gained(before: State, event: e.ChitsGained, after: State) -> Iterable[Effect]:
    for chit in event.chits:
        yield _put_chit(after, chit)
    yield tell("victory_lost.chits_gained", "11.1.2", side=event.side, chits=event.chits)


@_draws(e.HqRemoved)
def _hq_removed(before: State, event: e.HqRemoved, after: State) -> Iterable[Effect]:
    yield take(event.hq, REMOVED)
    for chit in after.cup.removed[len(before.cup.removed) :]:
        if chit in before.cup.shown or any(chit in chits for chits in before.cup.stock.values()):
            yield take(chit)
    yield tell("victory_lost.hq_removed", "11.3", hq=event.hq)


@_draws(e.HqReset)
def _reset(before: State, event: e.HqReset, after: State) -> Iterable[Effect]:
    if before.counters[event.hq].supply:
        yield from _supply_marks(event.hq, 0)
    yield _put(after, event.hq)
    yield tell("victory_lost.reset", "12.7", hq=event.hq, hex=event.hex)


@_draws(e.HqSetAside)
def _set_aside(before: State, event: e.HqSetAside, after: State) -> Iterable[Effect]:
    yield take(event.hq, place(after, event.hq))
    yield tell("victory_lost.set_aside", "12.7", hq=event.hq)


@_draws(e.CityTaken)
def _city(before: State, event: e.CityTaken, after: State) -> Iterable[Effect]:
    yield from _control(after, after.data.hex(event.hex))
    yield from _scores(after)
    yield tell("victory_lost.city", "14.0.1", hex=event.hex, side=event.side, points=after.data.city_points)


@_draws(e.CutOffCounted)
def _counted(before: State, event: e.CutOffCounted, after: State) -> Iterable[Effect]:
    yield from _scores(after)
    if event.units:
        yield tell("victory_lost.cut_off", "14.0.1", units=tuple(name for name, _ in event.units))


EFFECTS: Mapping[type[Any], Callable[[State, Any, State], Iterable[Effect]]] = _draws.table()
"""Event class -> its effects; combat adds its own."""
