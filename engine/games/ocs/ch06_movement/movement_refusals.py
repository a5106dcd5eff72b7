"""OCS 6: why a pick of a move is refused, with its clause."""

from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import staying, zones
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch06_movement.movement import MODES, changing
from warledger.engine.games.ocs.ch12_supply import fuel
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, RESERVE, STRAT, State
from warledger.engine.kernel.commands import Asked
from warledger.engine.kernel.types import Pick, Refusal
from warledger.protocol.board.choices import refuse


def _refusal(rule: str, key: str, pick: Pick) -> Refusal:
    return Refusal(rule, f"refusal.ocs.{key}", (("pick", pick),))


def why_not(asked: Asked[State], order: Any, pick: Pick) -> Refusal | None:
    """OCS 6.1 Why a unit, mode or hex may not come next in the line of a move."""
    state = asked.state
    text = str(pick)
    if text in state.units:
        return why_not_unit(state, text)
    if text in state.gathered or text in state.charts.printed.mufs:
        return _refusal("OCS 13.7", "marker_cannot_move", pick)
    going = order.going
    try:
        i = state.charts.board.hex(text)
    except ValueError:
        return why_not_mode(state, going.units, text, pick) if going.units else None
    if not going.units:
        return _refusal("OCS 6.1", "nobody_can_move_there", pick)
    return why_not_hex(state, going, i, pick)


def why_not_unit(state: State, name: str) -> Refusal | None:
    """OCS 6.1 Why a unit may not move."""
    unit = state.units[name]
    if unit.at == OFF_MAP:
        return _refusal("OCS 6.1", "not_on_map", name)
    if state.side(name) != zones.mover(state):
        return _refusal("OCS 2.3", "not_yours_to_move", name)
    held = rules(state.charts).holds_back(state, name)
    if held:
        return _refusal(held, "held_back", name)
    if unit.finished:
        return _refusal("OCS 6.1f", "has_moved", name)
    if name in state.phase_use.held:
        return staying.refusal(state, name)
    if unit.worked:
        return _refusal("OCS 13.8d", "has_worked", name)
    if unit.extender:
        return _refusal("OCS 12.7", "extender_stands", name)
    if unit.carried:
        return _refusal("OCS 4.7d", "has_been_carried", name)
    return _refusal("OCS 6.1", "no_movement_left", name)


def why_not_mode(state: State, names: tuple[str, ...], mode: str, pick: Pick) -> Refusal:
    """OCS 5.4, 5.7c, 5.8a Why units may not take a mode as they begin to move."""
    now = _refusal("OCS 5.4", "mode_not_now", pick)
    if mode not in MODES:
        return now
    side = state.side(names[0])
    reserve, strat = mode.startswith(RESERVE), mode == STRAT
    for name in changing(state, names, mode):
        at = state.units[name].at
        kept_out = reserve and not rules(state.charts).reserves_anywhere(state, name)
        if kept_out and zones.bars(state, side, zones.ENTER_RESERVE, at):
            return _refusal("OCS 5.7c", "mode_in_zone", name)
        if strat and zones.bars(state, side, zones.STRAT, at):
            return _refusal("OCS 5.8a", "mode_in_zone", name)
    if reserve and not modes.reserve_room(state, side, state.units[names[0]].at):
        return _refusal("OCS 5.4a", "no_reserve_marker", names[0])
    return now


def why_not_hex(state: State, going: Any, i: int, pick: Pick) -> Refusal | None:
    """OCS 6.1, 4.8c, 12.5a Why a stack may not go to a hex."""
    now: State = going.after or state
    if fuel.dry(now, going.units) and not fuel.can_fuel(now, going.units):
        return _refusal("OCS 12.5a", "no_fuel", fuel.dry(now, going.units)[0])
    for name in going.units:
        counter, unit = now.counter(name), now.units[name]
        enemy = now.enemy(counter.side)
        if hexsets.has(now.field.combat[enemy], i):
            return _refusal("OCS 4.8c", "enemy_there", pick)
        if unit.marker == STRAT and zones.bars(now, counter.side, zones.STRAT, i):
            return _refusal("OCS 5.8a", "strat_in_zone", pick)
        if fuel.spares(now, name) and hexsets.has(fuel.beside(now, counter.side), i):
            return _refusal(fuel.sparing_clause(now), "sparing_beside_enemy", name)
        if hexsets.has(movement_range.closed(now, name), i):
            held = now.field.occupied[enemy] | movement_range.bases_of(now, enemy)
            if not attack_capable(counter, unit) and hexsets.has(held, i):
                return _refusal("OCS 4.4c", "not_attack_capable", name)
            game = rules(now.charts)
            barred = hexsets.has(game.barred(now, name), i)
            clause = game.barred_by(now, name, i) if barred else "OCS 6.2c"
            return refuse(clause, "refusal.ocs.prohibited", unit=name, hex=str(pick))
        if hexsets.has(movement_range.stops(now, name), unit.at) and unit.spent:
            return _refusal("OCS 4.5a-A", "stopped_by_zone", name)
        if i not in movement_range.can_go(now, name):
            if not _joined(now, name, i):
                clause = rules(now.charts).crossing_barred_by(now, unit.at, i)
                return refuse(clause, "refusal.ocs.prohibited", unit=name, hex=str(pick))
            return _refusal("OCS 6.1", "too_far", pick)
    if any(now.units[name].marker == STRAT for name in going.units):
        return _refusal("OCS 5.8b", "strat_without_trace", pick)
    reserves = [name for name in going.units if now.units[name].marker == RESERVE]
    if reserves and not hexsets.has(modes.reserve_ends(now, going.units), i):
        return _refusal("OCS 5.4a", "no_reserve_marker", pick)
    return _refusal("OCS 6.1", "not_together", pick)


def _joined(state: State, name: str, i: int) -> bool:
    """OCS 6.2c Whether terrain lets a unit step into a hex, if it stands next to it; farther away
    nothing is said."""
    at = state.units[name].at
    if not hexsets.has(state.charts.board.near[i], at):
        return True
    return movement_range.ground(state, name).step(at, i) is not None


def why_no_fuel(asked: Asked[State], order: Any, pick: Pick) -> Refusal | None:
    """OCS 12.5 Why something cannot be fuelled."""
    state, name = asked.state, str(pick)
    if name in state.units and state.side(name) == asked.seat:
        unit = state.units[name]
        if unit.at != OFF_MAP and not zones.may_still_move(state, name, unit):
            return _refusal("OCS 12.5c", "fuel_for_nothing", pick)
    return _refusal("OCS 12.5c", "no_fuel", pick)


def why_not_sparing(asked: Asked[State], order: Any, pick: Pick) -> Refusal | None:
    """OCS 12.5c Why a formation cannot have sparing fuel; where the game has none, why an order of
    fuel cannot go on so."""
    if rules(asked.state.charts).sparing_fuel(asked.state.charts) is None:
        return _refusal("OCS 12.5c", "no_fuel", order.what)
    return _refusal(fuel.sparing_clause(asked.state), "no_sparing_fuel", order.what)


def why_not_released(asked: Asked[State], order: Any, pick: Pick) -> Refusal | None:
    """OCS 5.7b Why a unit cannot be released."""
    return _refusal("OCS 5.7b", "not_in_reserve", pick)
