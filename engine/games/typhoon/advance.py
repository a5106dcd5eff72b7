"""10.7 Advance after combat: attackers into the emptied hex, mechanised ones a second hex further
over open ground.

R-30 It happens at once after each combat. 10.7(3) It costs nothing and heeds no EZOC. How it goes
step by step stands in engine/games/chitpull/advance.py: 10.7(1) the hex is empty, 10.7(2) only the
attackers of this combat advance, 10.7(4), 10.7(5) into the combat hex first, then beside it,
10.7(6)4 stacking binds where they end.
"""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull import advance
from warledger.engine.games.chitpull.advance import Advancing, crosses
from warledger.engine.games.chitpull.contact import hexside
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at, in_progress
from warledger.engine.games.typhoon.movement import has_room, why_not_stacked
from warledger.engine.games.typhoon.state import State, changed, relocated
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Step, event
from warledger.protocol.board.choices import Say, refuse, say
from warledger.protocol.board.effects import Effect, move, tell

# --- events ---------------------------------------------------------------------------------------


@event("advanced")
class Advanced:
    """10.7 A unit has advanced along a path (its own hex first)."""

    unit: str
    path: tuple[str, ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Advanced)
def _advanced(state: State, event: Advanced) -> State:
    battle = state.battle
    if battle is not None:
        battle = replace(battle, advanced=battle.advanced | {event.unit})
    return changed(relocated(state, event.unit, state.data.hex(event.path[-1])), battle=battle)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Advanced)
def _draw_advanced(before: State, event: Advanced, after: State) -> Iterable[Effect]:
    yield move(event.unit, *event.path)
    yield tell("typhoon.advanced", "10.7", unit=event.unit, path=event.path)


class Advance(advance.Advance[State]):
    """10.7 The attackers may advance into the emptied hex, and beyond."""

    verb_slot = "typhoon.verb"
    who_slot = "typhoon.advancing"
    to_slot = "typhoon.advance_to"

    def prompt(self, hex: str) -> Say:
        """10.7 Whether any advances."""
        return say("prompt.typhoon.advance", "10.7", hex=hex)

    def room(self, state: State, names: tuple[str, ...], i: int) -> bool:
        """10.7(6)4 Stacking binds where they end."""
        return has_room(state, names, i)

    def goes_two(self, state: State, unit: str) -> bool:
        """10.7(1)2, R-30 Whether a unit may advance a second hex: a mechanised one that crosses no
        river into a hex of open ground, which there is only in clear weather (R-37). R-30 (f)
        Cavalry and HQs advance one hex."""
        _, battle = in_progress(state)
        return (
            state.data.types[unit].mech
            and self.ground(state, battle.target)
            and not crosses(state, state.data.river, unit)
        )

    def ground(self, state: State, i: int) -> bool:
        """10.7(4), 10.7(6) Whether a hex is open: the first of two must be so, and the second,
        which may lie in an EZOC."""
        return bool(state.weather.open[i])

    def barrier(self, state: State) -> bytes:
        """10.7(1)2 The second hex may not be entered across any river."""
        return state.data.river

    def carry_out(self, table: Table[State], names: tuple[str, ...], path: tuple[str, ...]) -> None:
        """10.7 One attacker advances."""
        start = table.state.data.name(table.state.at(names[0]))
        table.emit(Advanced(names[0], (start, *path)))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """10.7 Nothing else is done now."""
        return refuse("10.7", "refusal.typhoon.verb", pick=str(verb))

    def why_not_unit(self, asked: Asked[State], order: Advancing, pick: Pick) -> Refusal:
        """10.7(2) Only attackers of this combat that are left; 10.7(1) each once."""
        state, unit = asked.state, str(pick)
        _, battle = in_progress(state)
        if unit not in battle.attackers or state.at(unit) == OFF_MAP:
            return refuse("10.7(2)", "refusal.typhoon.did_not_attack", unit=unit)
        if unit in battle.advanced:
            return refuse("10.7(1)", "refusal.typhoon.advanced_already", unit=unit)
        return self.why_no_room(state, Advancing(unit))

    def why_no_room(self, state: State, order: Advancing) -> Refusal:
        """10.7(6)4 Why a unit may not end in the combat hex."""
        _, battle = in_progress(state)
        return why_not_stacked(state, order.names, battle.target) or refuse(
            "10.7(1)", "refusal.typhoon.verb", pick=order.hex or order.unit
        )

    def why_not_hex(self, asked: Asked[State], order: Advancing, pick: Pick) -> Refusal:
        """10.7(5) The combat hex first; 10.7(1) then perhaps one more, by its ground and
        hexsides."""
        state, name = asked.state, str(pick)
        activation, battle = in_progress(state)
        data = state.data
        i = hex_at(state, pick)
        if i == OFF_MAP and name not in data.types:
            return refuse("10.7(6)", "refusal.typhoon.no_such_hex", hex=name)
        if not order.hex or i == OFF_MAP:
            first = data.name(battle.target)
            return refuse("10.7(5)", "refusal.typhoon.advance_first_hex", hex=first)
        side = hexside(data.board, battle.target, i)
        if order.second or side < 0 or not data.types[order.unit].mech:
            return refuse("10.7(1)", "refusal.typhoon.advance_too_far", hex=name)
        if state.field.zones(ENEMY[activation.side]).pieces[i]:
            return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=name)
        if i in data.water:
            return refuse("10.7(6)", "refusal.typhoon.lake", hex=name)
        if data.board.sides.impassable[side]:
            return refuse("10.7(6)", "refusal.typhoon.advance_impassable", hex=name)
        if self.goes_two(state, order.unit) and self.ground(state, i) and not data.river[side]:
            return why_not_stacked(state, order.names, i) or refuse(
                "10.7(1)", "refusal.typhoon.advance_too_far", hex=name
            )
        return refuse("10.7(1)", "refusal.typhoon.advance_halts", hex=name)


STEPS: Mapping[str, Step[State]] = {
    "advance": Advance(),
}
