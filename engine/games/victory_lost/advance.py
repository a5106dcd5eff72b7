"""9.6 Advance after combat: attackers into the vacated hex, mechanized ones a second hex further, HQs with them (12.4).

A command is ("advance", unit, [HQ], combat hex, [second hex]); ("done",) ends it.
"""

from collections.abc import Mapping

from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP, in_progress
from engine.games.victory_lost import headquarters
from engine.games.victory_lost.combat_events import Advanced
from engine.games.victory_lost.stacking import may_stop, stacking_refusal
from engine.games.victory_lost.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Pick, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


def vacated(state: State) -> bool:
    """9.6.1, R-31 Whether no enemy unit is left in the attacked hex."""
    activation, battle = in_progress(state)
    return not state.field.zones(ENEMY[activation.side]).pieces[battle.target]


def advancing(state: State) -> tuple[str, ...]:
    """R-31 The attackers that are left and have not advanced yet, in order of ids."""
    _, battle = in_progress(state)
    return tuple(name for name in battle.attackers if name not in battle.advanced and state.at(name) != OFF_MAP)


def goes_two(state: State, unit: str) -> bool:
    """9.6.1, 9.6.5 Whether a unit may advance a second hex: a mechanized one that has no major river before the combat hex.

    R-31: cavalry corps advance like non-mechanized units (an option lets them go two hexes).
    """
    _, battle = in_progress(state)
    type_ = state.data.types[unit]
    if not type_.mech and not (type_.kind == "cavalry" and state.option("cavalry_advance")):
        return False
    at = state.at(unit)
    return not state.data.major[at * 6 + state.data.board.grid.direction(at, battle.target)]


def second_hexes(state: State, names: tuple[str, ...]) -> tuple[int, ...]:
    """9.6.3, R-32 Where counters may end their second hex: any neighbour on land without enemy units, not across a major river."""
    activation, battle = in_progress(state)
    if not goes_two(state, names[0]):
        return ()
    data, field = state.data, state.field
    a = battle.target
    enemies = field.zones(ENEMY[activation.side]).pieces
    found = []
    for d, b in enumerate(data.board.grid.neighbours[a]):
        at = a * 6 + d
        if b < 0 or b in data.water or field.closed(b) or enemies[b] or data.major[at] or data.board.sides.impassable[at]:
            continue
        if may_stop(state, names, b):
            found.append(b)
    return tuple(found)


def can_advance(state: State, names: tuple[str, ...]) -> bool:
    """Whether counters can advance together at all; 5.0.4 binds where they end."""
    _, battle = in_progress(state)
    return may_stop(state, names, battle.target) or bool(second_hexes(state, names))


def hq_with(state: State, unit: str) -> str:
    """12.4 The HQ that may go along with an attacker: one in its hex that has not gone along before, or ""."""
    _, battle = in_progress(state)
    types = state.data.types
    for name in state.field.stacks[state.at(unit)]:
        if types[name].hq and types[name].side == types[unit].side and name not in battle.advanced:
            return name if can_advance(state, (unit, name)) else ""
    return ""


class Advance(Step[State]):
    """9.6 Attackers may advance into and beyond a vacated hex, one after the other."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """9.6.2 The attacker, while any attacker can still advance."""
        state = at.state
        activation, battle = in_progress(state)
        if vacated(state) and any(can_advance(state, (name,)) for name in advancing(state)):
            return {activation.side: Decision(say("prompt.victory_lost.advance", "9.6", hex=state.data.name(battle.target)))}
        return {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A unit, perhaps the HQ with it, the combat hex, perhaps a second hex."""
        state = at.state
        _, battle = in_progress(state)
        if not picks:
            return offer("victory_lost.verb", ("advance", "done"))
        if picks[0] == "done":
            return WHOLE
        if len(picks) == 1:
            return offer("victory_lost.advancing", (name for name in advancing(state) if can_advance(state, (name,))))
        names, hexes = _read(state, picks)
        if not hexes:
            hq = hq_with(state, names[0]) if len(names) == 1 else ""
            following: tuple[Pick, ...] = (hq,) if hq else ()
            return offer("victory_lost.advance_to", (*following, state.data.name(battle.target)))
        if len(hexes) == 1:
            beyond = state.data.board.grid.names(second_hexes(state, names))
            return offer("victory_lost.advance_to", beyond, complete=may_stop(state, names, battle.target))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return _why_not(at.state, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """9.6, 9.6.4 One attacker advances; a lone HQ in its last hex is overrun."""
        if picks[0] == "done":
            table.done()
            return
        state = table.state
        names, hexes = _read(state, picks)
        table.emit(Advanced(names, (state.data.name(state.at(names[0])), *hexes)))
        headquarters.overrun_at(table, names[0], state.data.hex(hexes[-1]))


def _read(state: State, picks: Picks) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The counters and the hexes that the picks after the verb name."""
    words = [str(pick) for pick in picks[1:]]
    return tuple(word for word in words if word in state.counters), tuple(word for word in words if word not in state.counters)


def _why_not(state: State, picks: Picks) -> Refusal:
    activation, battle = in_progress(state)
    data = state.data
    pick = str(picks[-1])
    if len(picks) == 1:
        return refuse("9.6", "refusal.victory_lost.verb", pick=pick)
    if len(picks) == 2:
        if pick not in battle.attackers or state.at(pick) == OFF_MAP:
            return refuse("9.6.1", "refusal.victory_lost.did_not_attack", unit=pick)
        if pick in battle.advanced:
            return refuse("9.6.1", "refusal.victory_lost.advanced_already", unit=pick)
        return stacking_refusal(state, (pick,), battle.target) or refuse("9.6.1", "refusal.victory_lost.verb", pick=pick)
    names, hexes = _read(state, picks[:-1])
    if pick in state.counters:
        return refuse("12.4", "refusal.victory_lost.advance_hq", counter=pick)
    i = data.board.grid.index.get(pick, OFF_MAP)
    if i == OFF_MAP:
        return refuse("9.6.3", "refusal.victory_lost.no_such_hex", hex=pick)
    target = data.name(battle.target)
    if not hexes:
        return refuse("9.6.3", "refusal.victory_lost.advance_first_hex", hex=target)
    direction = data.board.grid.direction(battle.target, i)
    if len(hexes) > 1 or direction < 0 or not data.types[names[0]].mech:
        return refuse("9.6.1", "refusal.victory_lost.advance_too_far", hex=pick)
    if not goes_two(state, names[0]) or data.major[battle.target * 6 + direction]:
        return refuse("9.6.5", "refusal.victory_lost.advance_river", hex=pick)
    if state.field.closed(i):
        return refuse("13.0", "refusal.victory_lost.pocket", hex=pick)
    if i in data.water:
        return refuse("9.6.3", "refusal.victory_lost.water", hex=pick)
    if data.board.sides.impassable[battle.target * 6 + direction]:
        return refuse("9.6.3", "refusal.victory_lost.no_way", hex=pick)
    if state.field.zones(ENEMY[activation.side]).pieces[i]:
        return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=pick)
    return stacking_refusal(state, names, i) or refuse("9.6.3", "refusal.victory_lost.advance_too_far", hex=pick)
