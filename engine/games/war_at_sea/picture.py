"""The picture of a whole state: everything that draw.py can draw, on an empty board."""

from collections.abc import Iterator

from warledger.engine.games.war_at_sea.draw import (
    AIR_PIECE,
    CONTROL_MARK,
    UBOAT_FACE,
    counts,
    draw_ship,
)
from warledger.engine.games.war_at_sea.state import TRACK, State
from warledger.protocol.board.effects import Effect, mark, phase, put, track


def picture(state: State) -> Iterator[Effect]:
    """The effects that draw this state on an empty board."""
    if not state.phase:
        return
    yield track("turn", state.turn)
    yield track("score", state.score)
    for ship in state.ships.values():
        yield from draw_ship(state, ship)
    for boat, place in state.uboats.items():
        if place != TRACK:
            yield put(boat, place, UBOAT_FACE, "axis")
    for side, place in state.air.items():
        if place:
            yield put(AIR_PIECE[side], place, str(state.data.air_strength[side]), side)
    for area, side in state.control.items():
        if side:
            yield mark(area, CONTROL_MARK[side], 1)
    if state.hidden:
        yield from counts(state)
    yield phase(f"phase.war_at_sea.{state.phase}")
