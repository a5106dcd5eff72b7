"""The picture of a whole state: everything that draw.py can draw, on an empty table.

The count "unseen" is how many chits of the turn have not been seen yet. How many of them are in the
cup is a secret (R-15 8).
"""

from collections.abc import Iterable

from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.typhoon.command import unseen
from warledger.engine.games.typhoon.draw import (
    ACTIVATED,
    ATTACKED,
    chits_in_play,
    choice,
    put_chit,
    put_piece,
    weather,
)
from warledger.engine.games.typhoon.state import State
from warledger.protocol.board.effects import Effect, count, mark, track


def picture(state: State) -> Iterable[Effect]:
    """Everything on the table."""
    for name in state.units:
        yield put_piece(state, name)
    for chit in chits_in_play(state):
        yield put_chit(state, chit)
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
    yield weather(state)
    yield track("gate", 1 if state.latch else 0)
    yield track("garrison", state.garrison)
    yield track("dismissed", 1 if state.cup.dismissed else 0)
    yield from choice(state)
    yield count("unseen", unseen(state))
