"""9.6 Advance after combat: attackers into the vacated hex, mechanized ones a second hex further,
HQs with them (12.4).

How it goes step by step stands in engine/games/chitpull/advance.py: 9.6.2 the attackers of this
attack may advance, into and beyond a hex without enemy units (9.6.1, R-31). 9.6.3, R-32 The combat
hex comes first, then one beside it; 5.0.4 stacking binds where they end.
"""

from collections.abc import Iterable, Mapping

from warledger.engine.games.chitpull import advance
from warledger.engine.games.chitpull.advance import Advancing, crosses
from warledger.engine.games.chitpull.contact import hexside
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP, hex_at, in_progress
from warledger.engine.games.victory_lost import headquarters
from warledger.engine.games.victory_lost.stacking import may_stop, why_not_stacked
from warledger.engine.games.victory_lost.state import State, gone_to, with_battle
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Step, event
from warledger.protocol.board.choices import Say, refuse, say
from warledger.protocol.board.effects import Effect, move, tell

# --- events ---------------------------------------------------------------------------------------


@event("advanced")
class Advanced:
    """9.6 An attacker, and the HQ that goes with it, has advanced along a path (its own hex
    first)."""

    counters: tuple[str, ...]
    path: tuple[str, ...]


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Advanced)
def _advanced(state: State, event: Advanced) -> State:
    moved = gone_to(state, event.counters, event.path[-1])
    if moved.battle is None:
        return moved
    return with_battle(moved, advanced=moved.battle.advanced.union(event.counters))


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Advanced)
def _draw_advanced(before: State, event: Advanced, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield move(name, *event.path)
    yield tell("victory_lost.advanced", "9.6", counters=event.counters, path=event.path)


def rides(state: State, unit: str) -> bool:
    """9.6.1 Whether a unit may advance two hexes at all. R-31: cavalry corps count as
    non-mechanized, unless an option says otherwise."""
    type_ = state.data.types[unit]
    return type_.mech or (type_.kind == "cavalry" and bool(state.option("cavalry_advance")))


class Advance(advance.Advance[State]):
    """9.6 The attackers may advance into the vacated hex, and beyond."""

    verb_slot = "victory_lost.verb"
    who_slot = "victory_lost.advancing"
    to_slot = "victory_lost.advance_to"

    def prompt(self, hex: str) -> Say:
        """9.6.2 Whether any advances."""
        return say("prompt.victory_lost.advance", "9.6", hex=hex)

    def room(self, state: State, names: tuple[str, ...], i: int) -> bool:
        """5.0.4 Stacking binds where they end."""
        return may_stop(state, names, i)

    def goes_two(self, state: State, unit: str) -> bool:
        """9.6.1, 9.6.5 Whether a unit may advance a second hex now: not when a major river lies
        before the combat hex."""
        return rides(state, unit) and not crosses(state, state.data.major, unit)

    def ground(self, state: State, i: int) -> bool:
        """9.6.3, R-32 Whether a hex may be the second one: any on land, and in play (13.0)."""
        return i not in state.data.water and not state.field.closed(i)

    def barrier(self, state: State) -> bytes:
        """9.6.5 The second hex may not be entered across a major river."""
        return state.data.major

    def along(self, state: State, unit: str) -> str:
        """12.4 The HQ that may go along with an attacker: one in its hex that has not gone along
        before, or ""."""
        _, battle = in_progress(state)
        types, side = state.data.types, state.data.types[unit].side
        for name in state.field.stacks[state.at(unit)]:
            if types[name].hq and types[name].side == side and name not in battle.advanced:
                return name if self.can_advance(state, (unit, name)) else ""
        return ""

    def carry_out(self, table: Table[State], names: tuple[str, ...], path: tuple[str, ...]) -> None:
        """9.6, 9.6.4 One attacker advances; a lone HQ in its last hex is overrun."""
        state = table.state
        table.emit(Advanced(names, (state.data.name(state.at(names[0])), *path)))
        headquarters.overrun_at(table, names[0], state.data.hex(path[-1]))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """9.6 Nothing else is done now."""
        return refuse("9.6", "refusal.victory_lost.verb", pick=str(verb))

    def why_not_unit(self, asked: Asked[State], order: Advancing, pick: Pick) -> Refusal:
        """9.6.1, R-31 Only attackers of this attack that are left, each once."""
        state, unit = asked.state, str(pick)
        _, battle = in_progress(state)
        if unit not in battle.attackers or state.at(unit) == OFF_MAP:
            return refuse("9.6.1", "refusal.victory_lost.did_not_attack", unit=unit)
        if unit in battle.advanced:
            return refuse("9.6.1", "refusal.victory_lost.advanced_already", unit=unit)
        return self.why_no_room(state, Advancing(unit))

    def why_no_room(self, state: State, order: Advancing) -> Refusal:
        """5.0.4 Why counters may not end in the combat hex."""
        _, battle = in_progress(state)
        return why_not_stacked(state, order.names, battle.target) or refuse(
            "9.6.1", "refusal.victory_lost.verb", pick=order.hex or order.unit
        )

    def why_not_hex(self, asked: Asked[State], order: Advancing, pick: Pick) -> Refusal:
        """9.6.3 The combat hex first; 9.6.1, 9.6.5 then perhaps one more, but not across a major
        river; 12.4 with an HQ of the unit's hex alone."""
        state, name = asked.state, str(pick)
        activation, battle = in_progress(state)
        data = state.data
        if pick in data.types:
            return refuse("12.4", "refusal.victory_lost.advance_hq", counter=name)
        i = hex_at(state, pick)
        if i == OFF_MAP:
            return refuse("9.6.3", "refusal.victory_lost.no_such_hex", hex=name)
        if not order.hex:
            first = data.name(battle.target)
            return refuse("9.6.3", "refusal.victory_lost.advance_first_hex", hex=first)
        side = hexside(data.board, battle.target, i)
        if order.second or side < 0 or not rides(state, order.unit):
            return refuse("9.6.1", "refusal.victory_lost.advance_too_far", hex=name)
        if not self.goes_two(state, order.unit) or data.major[side]:
            return refuse("9.6.5", "refusal.victory_lost.advance_river", hex=name)
        if state.field.closed(i):
            return refuse("13.0", "refusal.victory_lost.pocket", hex=name)
        if i in data.water:
            return refuse("9.6.3", "refusal.victory_lost.water", hex=name)
        if data.board.sides.impassable[side]:
            return refuse("9.6.3", "refusal.victory_lost.no_way", hex=name)
        if state.field.zones(ENEMY[activation.side]).pieces[i]:
            return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=name)
        return why_not_stacked(state, order.names, i) or refuse(
            "9.6.3", "refusal.victory_lost.advance_too_far", hex=name
        )


STEPS: Mapping[str, Step[State]] = {
    "advance": Advance(),
}
