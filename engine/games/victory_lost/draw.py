"""How counters, chits and markers are drawn, for the effects of all chapters. Nothing here
depends on a secret.

Places off the map: set_up, turn.N (the turn track), arriving, the boxes, aside, eliminated,
removed; for chits: chits.SIDE (Unused box and cup alike, since nobody may see which), in_hand,
used.SIDE. A Soviet HQ chit appears when it is first drawn.
"""

from collections.abc import Iterable

from warledger.engine.games.chitpull import chits as cups
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.victory_lost.data import Data
from warledger.engine.games.victory_lost.state import OUT_OF_SUPPLY, SURROUNDED, TO_COME, State
from warledger.protocol.board.effects import Effect, mark, put, track

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


def put_piece(state: State, name: str) -> Effect:
    return put(name, place(state, name), face(state, name), state.data.types[name].side)


def scores(state: State) -> Iterable[Effect]:
    return (track(f"points.{side}", state.score[side]) for side in SIDES)


def control_marks(state: State, i: int) -> Iterable[Effect]:
    """2.5 The control markers of a place."""
    return (
        mark(state.data.name(i), f"control.{side}", 1 if state.control[i] == side else 0)
        for side in SIDES
    )


def put_chit(state: State, chit: str) -> Effect:
    side = state.data.chits[chit].side
    return put(chit, cups.place(chit, side, state.cup.in_hand, state.cup.drawn), "", side)


def supply_marks(name: str, supply: int) -> Iterable[Effect]:
    """2.5 The markers of a counter that is out of supply or surrounded."""
    return (
        mark(name, OUT_MARK, 1 if supply == OUT_OF_SUPPLY else 0),
        mark(name, SURROUNDED_MARK, 1 if supply == SURROUNDED else 0),
    )


def activated_now(state: State) -> Iterable[str]:
    """2.5 Activated counters on the table: on the map, or in the box from which they are to
    enter."""
    activation = state.activation
    if activation is None:
        return ()
    return (
        name
        for name in (*activation.hqs, *activation.units)
        if state.counters[name].at != OFF_MAP or state.counters[name].where == activation.box != ""
    )
