"""The picture of a whole state: everything that draw.py can draw, on an empty table."""

from collections.abc import Iterable

from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.victory_lost.command import in_cup
from warledger.engine.games.victory_lost.draw import (
    ACTIVATED,
    OUT_MARK,
    SURROUNDED_MARK,
    activated_now,
    put_chit,
    put_piece,
    scores,
)
from warledger.engine.games.victory_lost.state import OUT_OF_SUPPLY, State
from warledger.protocol.board.effects import Effect, count, mark, track


def picture(state: State) -> Iterable[Effect]:
    """Everything on the table."""
    for name in state.counters:
        yield put_piece(state, name)
        supply = state.counters[name].supply
        if supply:
            yield mark(name, OUT_MARK if supply == OUT_OF_SUPPLY else SURROUNDED_MARK, 1)
    for side in SIDES:
        for chit in state.cup.stock.get(side, ()):
            yield put_chit(state, chit)
    for chit in state.cup.shown:
        if chit not in state.cup.removed:
            yield put_chit(state, chit)
    for i in sorted(state.control):
        yield mark(state.data.name(i), f"control.{state.control[i]}", 1)
    if state.activation is not None:
        for name in activated_now(state):
            yield mark(name, ACTIVATED, 1)
    yield track("turn", state.turn)
    yield from scores(state)
    yield count("cup", in_cup(state))
