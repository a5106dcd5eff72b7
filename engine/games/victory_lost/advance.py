"""9.6 Advance after combat: attackers into the vacated hex, mechanized ones a second hex further, HQs with them (12.4).

A command is ("advance", unit, [HQ], combat hex, [second hex]); ("done",) ends it. How it goes step by step stands in
engine/games/chitpull/advance.py.
"""

from engine.games.chitpull.advance import Advancing, Astray, can_advance, crosses, read
from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import hex_at, in_progress
from engine.games.victory_lost import headquarters
from engine.games.victory_lost.combat_events import Advanced
from engine.games.victory_lost.stacking import may_stop, stacking_refusal
from engine.games.victory_lost.state import State
from engine.kernel.table import Table
from engine.kernel.types import Picks, Refusal
from protocol.choices import offer, refuse, say


def rides(state: State, unit: str) -> bool:
    """9.6.1 Whether a unit may advance two hexes at all. R-31: cavalry corps count as non-mechanized, unless an option says otherwise."""
    type_ = state.data.types[unit]
    return type_.mech or (type_.kind == "cavalry" and bool(state.option("cavalry_advance")))


def goes_two(state: State, unit: str) -> bool:
    """9.6.1, 9.6.5 Whether a unit may advance a second hex now: not when a major river lies before the combat hex."""
    return rides(state, unit) and not crosses(state, state.data.major, unit)


def land(state: State, i: int) -> bool:
    """9.6.3, R-32 Whether a hex may be the second one: any on land, and in play (13.0)."""
    return i not in state.data.water and not state.field.closed(i)


def major_rivers(state: State) -> bytes:
    """9.6.5 The second hex may not be entered across a major river."""
    return state.data.major


def hq_with(state: State, unit: str) -> str:
    """12.4 The HQ that may go along with an attacker: one in its hex that has not gone along before, or ""."""
    _, battle = in_progress(state)
    types = state.data.types
    for name in state.field.stacks[state.at(unit)]:
        if types[name].hq and types[name].side == types[unit].side and name not in battle.advanced:
            return name if can_advance(ADVANCING, state, (unit, name)) else ""
    return ""


def _advance(table: Table[State], names: tuple[str, ...], hexes: tuple[str, ...]) -> None:
    """9.6, 9.6.4 One attacker advances; a lone HQ in its last hex is overrun."""
    state = table.state
    table.emit(Advanced(names, (state.data.name(state.at(names[0])), *hexes)))
    headquarters.overrun_at(table, names[0], state.data.hex(hexes[-1]))


def _why_not(state: State, why: Astray, picks: Picks) -> Refusal:
    """The clause against the last pick."""
    activation, battle = in_progress(state)
    data, pick = state.data, str(picks[-1])
    if why is Astray.VERB:
        return refuse("9.6", "refusal.victory_lost.verb", pick=pick)
    if why is Astray.NOT_ATTACKER:
        return refuse("9.6.1", "refusal.victory_lost.did_not_attack", unit=pick)
    if why is Astray.ADVANCED:
        return refuse("9.6.1", "refusal.victory_lost.advanced_already", unit=pick)
    if why is Astray.NO_ROOM:
        names, _ = read(state, picks)
        return stacking_refusal(state, names, battle.target) or refuse("9.6.1", "refusal.victory_lost.verb", pick=pick)
    if why is Astray.ALONG:
        return refuse("12.4", "refusal.victory_lost.advance_hq", counter=pick)
    if why is Astray.NO_HEX:
        return refuse("9.6.3", "refusal.victory_lost.no_such_hex", hex=pick)
    if why is Astray.FIRST:
        return refuse("9.6.3", "refusal.victory_lost.advance_first_hex", hex=data.name(battle.target))
    names, _ = read(state, picks)
    if why is Astray.TOO_FAR or not rides(state, names[0]):
        return refuse("9.6.1", "refusal.victory_lost.advance_too_far", hex=pick)
    i = hex_at(state, pick)
    side = battle.target * 6 + data.board.grid.direction(battle.target, i)
    if not goes_two(state, names[0]) or data.major[side]:
        return refuse("9.6.5", "refusal.victory_lost.advance_river", hex=pick)
    if state.field.closed(i):
        return refuse("13.0", "refusal.victory_lost.pocket", hex=pick)
    if i in data.water:
        return refuse("9.6.3", "refusal.victory_lost.water", hex=pick)
    if data.board.sides.impassable[side]:
        return refuse("9.6.3", "refusal.victory_lost.no_way", hex=pick)
    if state.field.zones(ENEMY[activation.side]).pieces[i]:
        return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=pick)
    return stacking_refusal(state, names, i) or refuse("9.6.3", "refusal.victory_lost.advance_too_far", hex=pick)


ADVANCING = Advancing[State](
    room=may_stop,
    goes_two=goes_two,
    ground=land,
    barrier=major_rivers,
    along=hq_with,
    prompt=lambda hex: say("prompt.victory_lost.advance", "9.6", hex=hex),
    verbs=offer("victory_lost.verb", ("advance", "done")),
    who_slot="victory_lost.advancing",
    to_slot="victory_lost.advance_to",
    against=_why_not,
    carry_out=_advance,
)
"""9.6.2 The attackers of this attack may advance into and beyond a hex without enemy units (9.6.1, R-31); 5.0.4 binds where they end."""
