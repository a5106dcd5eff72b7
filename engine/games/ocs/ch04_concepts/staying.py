"""OCS 4.5b: units that are taken to stay, in their own side's movement.

OCS 4.5b A combat unit negates enemy zones in its hex if it will spend no movement later in the
phase. [R] One that has not moved is taken to stay. Whatever relies on it holds it: it spends no
movement for the rest of the phase. Of several ways the one that holds the fewest units is taken, in
canonical order. A unit that moves or is fuelled does not count as staying. `stay UNIT` says that
one stays, without need: then it is relied on before others.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Say, event
from warledger.protocol.board.choices import refuse, say

STAY = "stay"
"""The verb, and the reason why a unit is held that its owner says stays."""

FUEL, PATH, MARCH, FREIGHT = "fuel", "path", "march", "freight"
"""What may rely on a unit: fuel, a path of supply, a move through its hex, supply carried there."""

TRIES_MAX = 200
"""Sets of units that are tried in search of a smaller one, since a search takes milliseconds and a
player waits. Beyond it one is taken of which nobody can be spared."""


@event("ocs.stays")
class Stays:
    """OCS 4.5b These units spend no movement any more in this phase, since something relies on
    them. Which and what for is hidden: under strict fog it is there also for nobody."""

    side: str
    units: Any
    reason: Any


after = ByEvent()


@after(Stays)
def _stays(state: State, event: Stays) -> State:
    return held(state, fog.plain(event.units), fog.plain(event.reason))


def held(state: State, units: Iterable[str], reason: str) -> State:
    """OCS 4.5b The position in which these units spend no movement any more."""
    use = state.phase_use
    now = {**use.held, **dict.fromkeys(units, reason)}
    return state if now == use.held else replace(state, phase_use=replace(use, held=now))


def hold(table: Table[State], units: tuple[str, ...], reason: str) -> None:
    """OCS 4.5b Something relies on these units; under strict fog that is recorded also where it
    relies on nobody, in the segments in which it could."""
    state = table.state
    if units or (fog.strict(state) and zones.in_movement(state)):
        side = zones.mover(state)
        table.emit(Stays(side, fog.hidden(state, side, units), fog.hidden(state, side, reason)))


def free(state: State, side: str, last: Iterable[str] = ()) -> Mapping[int, str]:
    """OCS 4.5b Hexes in enemy zones where nobody negates but units that may still move -> the one
    that would be held: the first by id, those of `last` after all others."""
    if not zones.in_movement(state) or side != zones.mover(state):
        return {}
    gone, late = zones.going(state), frozenset(last)
    found = {}
    counters, units = state.charts.units, state.units
    for i in hexsets.listed(state.field.combat[side] & zones.enemy_zones(state, side)):
        here = [name for name in state.stack(i) if counters[name].combat_unit]
        if all(zones.may_still_move(state, name, units[name]) for name in here):
            left = [name for name in here if name not in gone]
            if left:
                found[i] = min(left, key=lambda name: (name in late, name))
    return found


def relied(
    state: State,
    side: str,
    works: Callable[[State], bool],
    *,
    last: Iterable[str] = (),
) -> tuple[str, ...]:
    """OCS 4.5b The units that have to stay for something that `works` in this position: as few as
    possible, the first such set in canonical order; those of `last` where nobody else is there."""
    by_hex = free(state, side, last)
    if not by_hex:
        return ()

    def enough(hexes: tuple[int, ...]) -> bool:
        return works(only(state, side, [by_hex[i] for i in hexes]))

    if enough(()) or not works(state):
        return ()
    need = _spared(tuple(by_hex), enough)
    left = TRIES_MAX
    for size in range(1, len(need) + 1):
        for hexes in combinations(by_hex, size):
            if not left:
                break
            left -= 1
            if enough(hexes):
                return tuple(sorted(by_hex[i] for i in hexes))
    return tuple(sorted(by_hex[i] for i in need))


def only(state: State, side: str, stay: Iterable[str]) -> State:
    """OCS 4.5b The position in which of the units that may still move these alone stay."""
    kept = frozenset(stay)
    return zones.leaving(
        state,
        tuple(
            name for i in free(state, side) for name in state.combat_units(i) if name not in kept
        ),
    )


def _spared(hexes: tuple[int, ...], enough: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """Hexes of these of which none can be spared: ever smaller parts are left out, the last
    first."""
    need, size = hexes, len(hexes)
    while size:
        end = len(need)
        while end > 0:
            fewer = need[: max(end - size, 0)] + need[end:]
            if len(fewer) < len(need) and enough(fewer):
                need = fewer
            end -= size
        size //= 2
    return need


def refusal(state: State, name: str) -> Refusal:
    """OCS 4.5b Why a unit that is held may not move: what relies on it."""
    reason = f"ocs.relies.{state.phase_use.held[name]}"
    return refuse("OCS 4.5b", "refusal.ocs.stays", unit=name, reason=reason)


def told(units: tuple[str, ...]) -> tuple[Say, ...]:
    """OCS 4.5b Whom something would hold, for a preview."""
    return (say("preview.ocs.holds", "OCS 4.5b", units=units),) if units else ()


# --- the command ----------------------------------------------------------------------------------


@frozen
class StayOrder:
    """OCS 4.5b The unit that stays."""

    unit: str = ""


def command() -> Command[State, Any]:
    """OCS 4.5b stay UNIT: for the step in which a side moves."""
    return Command(
        STAY,
        StayOrder,
        Slot("unit", "ocs.unit", _may_stay, _why_not),
        apply=lambda table, asked, order: hold(table, (order.unit,), STAY),
        when=lambda asked: any(True for _ in _may_stay(asked, StayOrder())),
        why=lambda asked: refuse("OCS 4.5b", "refusal.ocs.nobody_needs_to_stay"),
    )


def _may_stay(asked: Asked[State], order: StayOrder) -> Iterable[str]:
    """OCS 4.5b Combat units in enemy zones that may still move."""
    state, side = asked.state, asked.seat
    going = zones.going(state)
    return (
        name
        for i in hexsets.listed(state.field.combat[side] & zones.enemy_zones(state, side))
        for name in state.combat_units(i)
        if name not in going and zones.may_still_move(state, name, state.units[name])
    )


def _why_not(asked: Asked[State], order: StayOrder, pick: Pick) -> Refusal:
    return refuse("OCS 4.5b", "refusal.ocs.cannot_stay", pick=pick)
