"""4.0 Setting up: the map laid out, both sides' formations in their hexes.

R-13 The Soviet player sets up first, openly, then the Axis. HQs with a printed hex stand there already; a unit may be placed anew until its
side is ready; "preset" puts a whole side where the pack's own deployment has it. 4.0(1) Who plays which side is settled by the seats.
How that goes step by step stands in engine/games/chitpull/setup.py.
"""

from engine.games.chitpull.setup import Deployment, Misplaced, all_placed
from engine.games.chitpull.standing import hex_at
from engine.games.typhoon.events import BoardLaid, Deployed, SetUpDone
from engine.games.typhoon.movement import has_room, stacking_refusal
from engine.games.typhoon.state import State
from engine.kernel.types import Picks, Refusal
from protocol.choices import refuse, say


def room(state: State, name: str, i: int) -> bool:
    """4.0(2) Whether a unit may be set up in a hex of its formation: at most two units a hex, HQs included."""
    return has_room(state, (name,), i)


def bare_hexes(state: State, side: str) -> tuple[int, ...]:
    """4.0(2) Set-up hexes of a side that hold no unit yet: each must receive one."""
    stacks = state.field.stacks
    return tuple(i for group in state.data.groups if group.side == side and group.every_hex for i in group.hexes if i not in stacks)


def whole(state: State, side: str) -> bool:
    """4.0(2) Whether a side whose units all stand may be ready: no set-up hex is empty."""
    return not bare_hexes(state, side)


def against(state: State, seat: str, why: Misplaced, picks: Picks) -> Refusal:
    """4.0(2) What keeps the unit from the hex, or the side from being ready."""
    pick = str(picks[-1])
    if why is Misplaced.VERB:
        return refuse("4.0(2)", "refusal.typhoon.verb", pick=pick)
    if why is Misplaced.NOT_READY:
        bare = bare_hexes(state, seat) if all_placed(state, seat) else ()
        if bare:
            return refuse("4.0(2)", "refusal.typhoon.bare_hex", hex=state.data.name(bare[0]))
        return refuse("4.0(2)", "refusal.typhoon.not_ready")
    if why is Misplaced.UNIT:
        return refuse("4.0(2)", "refusal.typhoon.not_in_set_up", pick=pick)
    if why is Misplaced.NO_HEX:
        return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=pick)
    unit = str(picks[1])
    if why is Misplaced.AREA:
        return refuse("4.0(2)", "refusal.typhoon.wrong_formation", hex=pick, unit=unit)
    full = stacking_refusal(state, (unit,), hex_at(state, pick))
    return full or refuse("4.0(2)", "refusal.typhoon.there_already", hex=pick)


DEPLOYMENT = Deployment[State](
    # 4.0(3), 4.0(4) The boxes, 4.0(5) the HQs with a printed hex, 4.0(6) all on their full face, 4.0(7) the chits at hand, 4.0(8) the turn
    # marker before box 1
    laid=BoardLaid,
    preset="preset",
    places=lambda state: state.data.preset,
    room=room,
    whole=whole,
    prompt=say("prompt.typhoon.set_up", "4.0(2)"),
    verb_slot="typhoon.verb",
    unit_slot="typhoon.unit",
    hex_slot="typhoon.set_up_hex",
    against=against,
    placed=Deployed,
    done=SetUpDone,
)
"""4.0(2), R-13 How a side sets up."""
