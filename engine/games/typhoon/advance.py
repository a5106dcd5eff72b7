"""10.7 Advance after combat: attackers into the emptied hex, mechanised ones a second hex further over open ground.

A command is ("advance", unit, combat hex, [second hex]); ("done",) ends it. R-30 It happens at once after each combat. 10.7(3) It costs
nothing and heeds no EZOC.
"""

from collections.abc import Mapping

from engine.games.chitpull.sides import ENEMY
from engine.games.chitpull.standing import OFF_MAP, in_progress
from engine.games.typhoon.events import Advanced
from engine.games.typhoon.movement import has_room, stacking_refusal
from engine.games.typhoon.state import State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, offer, refuse, say


def emptied(state: State) -> bool:
    """10.7(1) Whether no enemy unit is left in the attacked hex."""
    activation, battle = in_progress(state)
    return not state.field.zones(ENEMY[activation.side]).pieces[battle.target]


def advancing(state: State) -> tuple[str, ...]:
    """10.7(2) The attackers of this combat that are left and have not advanced yet, in order of ids."""
    _, battle = in_progress(state)
    return tuple(name for name in battle.attackers if name not in battle.advanced and state.at(name) != OFF_MAP)


def goes_two(state: State, unit: str) -> bool:
    """10.7(1)2, R-30 Whether a unit may advance a second hex: a mechanised one that crosses no river into a hex of open ground, which there
    is only in clear weather (R-37). R-30 (f) Cavalry and HQs advance one hex."""
    _, battle = in_progress(state)
    if not state.data.types[unit].mech or not state.weather.open[battle.target]:
        return False
    at = state.at(unit)
    return not state.data.river[at * 6 + state.data.board.grid.direction(at, battle.target)]


def second_hexes(state: State, unit: str) -> tuple[int, ...]:
    """10.7(4), 10.7(6), R-30 Where a unit may end its second hex: any neighbour of open ground without enemies, not across a river, on the
    map and within stacking; in an EZOC too."""
    if not goes_two(state, unit):
        return ()
    activation, battle = in_progress(state)
    data = state.data
    enemies = state.field.zones(ENEMY[activation.side]).pieces
    found = []
    for d, b in enumerate(data.board.grid.neighbours[battle.target]):
        at = battle.target * 6 + d
        if b < 0 or enemies[b] or not state.weather.open[b] or data.river[at] or data.board.sides.impassable[at]:
            continue
        if has_room(state, (unit,), b):
            found.append(b)
    return tuple(found)


def can_advance(state: State, unit: str) -> bool:
    """10.7(6)4 Whether a unit can advance at all; stacking binds where it ends."""
    _, battle = in_progress(state)
    return has_room(state, (unit,), battle.target) or bool(second_hexes(state, unit))


class Advance(Step[State]):
    """10.7 Attackers may advance, one after the other."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """10.7(2) The attacker, while any of his units can."""
        state = at.state
        activation, battle = in_progress(state)
        if emptied(state) and any(can_advance(state, name) for name in advancing(state)):
            return {activation.side: Decision(say("prompt.typhoon.advance", "10.7", hex=state.data.name(battle.target)))}
        return {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """A unit, the combat hex (10.7(5)), perhaps a second hex."""
        state = at.state
        _, battle = in_progress(state)
        if not picks:
            return offer("typhoon.verb", ("advance", "done"))
        if picks[0] == "done":
            return WHOLE
        if len(picks) == 1:
            return offer("typhoon.advancing", (name for name in advancing(state) if can_advance(state, name)))
        unit = str(picks[1])
        if len(picks) == 2:
            return offer("typhoon.advance_to", (state.data.name(battle.target),))
        if len(picks) == 3:
            beyond = state.data.board.grid.names(second_hexes(state, unit))
            return offer("typhoon.advance_to", beyond, complete=has_room(state, (unit,), battle.target))
        return WHOLE

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return _why_not(at.state, picks)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """10.7 One attacker advances, or nobody more."""
        if picks[0] == "done":
            table.done()
            return
        state = table.state
        unit = str(picks[1])
        table.emit(Advanced(unit, (state.data.name(state.at(unit)), *(str(name) for name in picks[2:]))))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nobody can."""
        table.done()


def _why_not(state: State, picks: Picks) -> Refusal:
    activation, battle = in_progress(state)
    data = state.data
    pick = str(picks[-1])
    if len(picks) == 1 or picks[0] != "advance":
        return refuse("10.7", "refusal.typhoon.verb", pick=pick)
    if len(picks) == 2:
        if pick not in battle.attackers or state.at(pick) == OFF_MAP:
            return refuse("10.7(2)", "refusal.typhoon.did_not_attack", unit=pick)
        if pick in battle.advanced:
            return refuse("10.7(1)", "refusal.typhoon.advanced_already", unit=pick)
        return stacking_refusal(state, (pick,), battle.target) or refuse("10.7(1)", "refusal.typhoon.verb", pick=pick)
    i = data.board.grid.index.get(pick, OFF_MAP)
    if i == OFF_MAP:
        return refuse("10.7(6)", "refusal.typhoon.no_such_hex", hex=pick)
    if len(picks) == 3:
        return refuse("10.7(5)", "refusal.typhoon.advance_first_hex", hex=data.name(battle.target))
    unit = str(picks[1])
    direction = data.board.grid.direction(battle.target, i)
    if len(picks) > 4 or direction < 0 or not data.types[unit].mech:
        return refuse("10.7(1)", "refusal.typhoon.advance_too_far", hex=pick)
    if state.field.zones(ENEMY[activation.side]).pieces[i]:
        return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=pick)
    if i in data.water:
        return refuse("10.7(6)", "refusal.typhoon.lake", hex=pick)
    if data.board.sides.impassable[battle.target * 6 + direction]:
        return refuse("10.7(6)", "refusal.typhoon.advance_impassable", hex=pick)
    if goes_two(state, unit) and state.weather.open[i] and not data.river[battle.target * 6 + direction]:
        return stacking_refusal(state, (unit,), i) or refuse("10.7(1)", "refusal.typhoon.advance_too_far", hex=pick)
    return refuse("10.7(1)", "refusal.typhoon.advance_halts", hex=pick)
