"""13.0 Headquarters are combat units (2.22); what differs, and 12.3 who may come back.

13.0 An HQ has steps and a ZOC, moves, fights, takes losses, advances and retreats like a combat
unit that is not mechanised. Its chit activates it (8.0); 13.0(1) it activates no other HQ, 13.0(2)
its chit has no effect while it is not on the map.
"""

from warledger.engine.games.chitpull.sides import SOVIET
from warledger.engine.games.typhoon.state import AVAILABLE, ELIMINATED, State


def home_of(state: State, name: str, why: str) -> str:
    """13.0, 12.3(1) Where a unit goes that is removed: the box of available reinforcements, or out
    of the game.

    13.0(3), 13.0(4), R-36 an HQ removed by combat or retreat may return; 13.0(5), 12.3(2) nothing
    removed by supply does. 12.3(1), R-35 Soviet units that are not mechanised return on their full
    face (cavalry by option), mechanised and Axis ones never (Axis infantry by option).
    """
    type_ = state.data.types[name]
    if why == "supply":
        return ELIMINATED
    if type_.hq:
        return AVAILABLE[type_.side]
    if type_.mech:
        return ELIMINATED
    if type_.side == SOVIET:
        returns = type_.kind != "cavalry" or bool(state.option("soviet_cavalry_returns"))
    else:
        returns = bool(state.option("axis_infantry_returns"))
    return AVAILABLE[type_.side] if returns else ELIMINATED
