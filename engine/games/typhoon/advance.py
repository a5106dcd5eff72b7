"""10.7 Advance after combat: attackers into the emptied hex, mechanised ones a second hex further over open ground.

A command is ("advance", unit, combat hex, [second hex]); ("done",) ends it. R-30 It happens at once after each combat. 10.7(3) It costs
nothing and heeds no EZOC. How it goes step by step stands in engine/games/chitpull/advance.py.
"""

from engine.games.chitpull.advance import Advancing, Astray, crosses, read
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import hex_at, in_progress
from engine.games.typhoon.events import Advanced
from engine.games.typhoon.movement import has_room, stacking_refusal
from engine.games.typhoon.state import State
from engine.kernel.table import Table
from engine.kernel.types import Picks, Refusal
from protocol.choices import offer, refuse, say


def goes_two(state: State, unit: str) -> bool:
    """10.7(1)2, R-30 Whether a unit may advance a second hex: a mechanised one that crosses no river into a hex of open ground, which there
    is only in clear weather (R-37). R-30 (f) Cavalry and HQs advance one hex."""
    _, battle = in_progress(state)
    return state.data.types[unit].mech and open_ground(state, battle.target) and not crosses(state, state.data.river, unit)


def open_ground(state: State, i: int) -> bool:
    """10.7(4), 10.7(6) Whether a hex is open: the first of two must be so, and the second, which may lie in an EZOC."""
    return bool(state.weather.open[i])


def rivers(state: State) -> bytes:
    """10.7(1)2 The second hex may not be entered across any river."""
    return state.data.river


def _advance(table: Table[State], units: tuple[str, ...], hexes: tuple[str, ...]) -> None:
    """10.7 One attacker advances."""
    table.emit(Advanced(units[0], (table.state.data.name(table.state.at(units[0])), *hexes)))


def _why_not(state: State, why: Astray, picks: Picks) -> Refusal:
    """The clause against the last pick."""
    activation, battle = in_progress(state)
    data, pick = state.data, str(picks[-1])
    if why is Astray.VERB:
        return refuse("10.7", "refusal.typhoon.verb", pick=pick)
    if why is Astray.NOT_ATTACKER:
        return refuse("10.7(2)", "refusal.typhoon.did_not_attack", unit=pick)
    if why is Astray.ADVANCED:
        return refuse("10.7(1)", "refusal.typhoon.advanced_already", unit=pick)
    if why is Astray.NO_ROOM:
        names, _ = read(state, picks)
        return stacking_refusal(state, names, battle.target) or refuse("10.7(1)", "refusal.typhoon.verb", pick=pick)
    if why is Astray.NO_HEX:
        return refuse("10.7(6)", "refusal.typhoon.no_such_hex", hex=pick)
    if why in (Astray.FIRST, Astray.ALONG):
        return refuse("10.7(5)", "refusal.typhoon.advance_first_hex", hex=data.name(battle.target))
    unit, i = str(picks[1]), hex_at(state, pick)
    if why is Astray.TOO_FAR or not data.types[unit].mech:
        return refuse("10.7(1)", "refusal.typhoon.advance_too_far", hex=pick)
    if state.field.zones(ENEMY[activation.side]).pieces[i]:
        return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=pick)
    side = battle.target * 6 + data.board.grid.direction(battle.target, i)
    if i in data.water:
        return refuse("10.7(6)", "refusal.typhoon.lake", hex=pick)
    if data.board.sides.impassable[side]:
        return refuse("10.7(6)", "refusal.typhoon.advance_impassable", hex=pick)
    if goes_two(state, unit) and open_ground(state, i) and not data.river[side]:
        return stacking_refusal(state, (unit,), i) or refuse("10.7(1)", "refusal.typhoon.advance_too_far", hex=pick)
    return refuse("10.7(1)", "refusal.typhoon.advance_halts", hex=pick)


ADVANCING = Advancing[State](
    room=has_room,
    goes_two=goes_two,
    ground=open_ground,
    barrier=rivers,
    along=lambda state, unit: "",
    prompt=lambda hex: say("prompt.typhoon.advance", "10.7", hex=hex),
    verbs=offer("typhoon.verb", ("advance", "done")),
    who_slot="typhoon.advancing",
    to_slot="typhoon.advance_to",
    against=_why_not,
    carry_out=_advance,
)
"""10.7(2) The attackers of this combat may advance, once it is empty (10.7(1)); 10.7(6)4 stacking binds where they end."""
