"""OCS 13.2, 12.2: transport points load and unload.

OCS 13.2 Loading is possible anywhere in a hex with supply, unloading only with a friendly combat
unit, air base or supply on the ground. Each costs a tenth of the printed MA, rounded. Organic
trucks never unload. OCS 12.2a What has been unloaded in a phase is not loaded again in it.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from attrs import frozen

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.rounding import rounded
from warledger.engine.games.ocs.ch05_modes.modes import left
from warledger.engine.games.ocs.ch06_movement import movement_refusals
from warledger.engine.games.ocs.ch06_movement.movement import interrupted, movable
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.series.scenario import place_of
from warledger.engine.games.ocs.series.state import State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event

LOADED, UNLOADED = "loaded", "unloaded"
"""Why supply changes."""


@event("ocs.handled")
class Handled:
    """OCS 13.2 Transport spends movement (in parts) on loading or unloading; `tokens` have been
    unloaded at `place`, 0 where it loads."""

    side: str
    unit: Any
    spent: Any
    place: Any
    tokens: Any


after = ByEvent()


@after(Handled)
def _handled(state: State, event: Handled) -> State:
    name, place = fog.plain(event.unit), place_of(state.charts.board, fog.plain(event.place))
    unit = state.units[name]
    made = changed(state, {name: replace(unit, spent=unit.spent + fog.plain(event.spent))})
    tokens = fog.plain(event.tokens)
    if not tokens:
        return made
    use = made.phase_use
    unloaded = {**use.unloaded, place: use.unloaded.get(place, 0) + tokens}
    return replace(made, phase_use=replace(use, unloaded=unloaded))


def handling(state: State, name: str) -> int:
    """OCS 13.2 Parts of movement that loading or unloading costs: a tenth of the printed MA,
    rounded (45 points: 5; 10 points: 1)."""
    face = state.face(name)
    part = state.charts.tables.costs["load_unload_ma_part"]
    return rounded(Fraction(face.ma, part)) * state.charts.parts


def room(state: State, name: str) -> int:
    """OCS 3.3b T that a transport point can still take: its size in SP holds what it carries."""
    size = state.counter(name).points * state.charts.tables.costs["sp_in_t"]
    return size - state.units[name].load


def loadable(state: State, name: str) -> int:
    """OCS 12.2a, 13.2 Most T that a transport point can load where it is: what lies there and was
    not unloaded in this phase."""
    unit = state.units[name]
    lying = points.lying(state, state.side(name), unit.at)
    return max(min(room(state, name), lying - state.phase_use.unloaded.get(unit.at, 0)), 0)


def may_unload(state: State, name: str) -> bool:
    """OCS 13.2 Whether a transport point may put its load down where it is."""
    counter, unit = state.counter(name), state.units[name]
    if counter.organic or not unit.load:
        return False
    base = state.bases.get(unit.at)
    return (
        bool(state.combat_units(unit.at))
        or (base is not None and base.side == counter.side)
        or points.lying(state, counter.side, unit.at) > 0
    )


def _ready(state: State, name: str) -> bool:
    counter = state.counter(name)
    return (
        not counter.combat_unit
        and counter.points > 0
        and movable(state, name)
        and left(state, name) >= handling(state, name)
    )


@remembered()
def loaders(state: State) -> tuple[str, ...]:
    """OCS 13.2 Transport that can load something now."""
    return tuple(name for name in state.units if _ready(state, name) and loadable(state, name) > 0)


@remembered()
def unloaders(state: State) -> tuple[str, ...]:
    """OCS 13.2 Transport that can unload now."""
    return tuple(name for name in state.units if _ready(state, name) and may_unload(state, name))


@frozen
class Handling:
    """OCS 13.2 The transport point, and how many T."""

    unit: str = ""
    tokens: int = 0


def commands() -> Commands[State]:
    """OCS 13.2 load UNIT T, unload UNIT T: for the step in which a side moves."""
    return (
        Command(
            "load",
            Handling,
            Slot("unit", "ocs.transport", lambda asked, order: loaders(asked.state), _why_not_load),
            Slot("tokens", "ocs.tokens", _to_load, _too_many),
            apply=lambda table, asked, order: _handle(table, order, 1),
            when=lambda asked: bool(loaders(asked.state)),
        ),
        Command(
            "unload",
            Handling,
            Slot(
                "unit",
                "ocs.transport",
                lambda asked, order: unloaders(asked.state),
                _why_not_unload,
            ),
            Slot("tokens", "ocs.tokens", _to_unload, _too_many),
            apply=lambda table, asked, order: _handle(table, order, -1),
            when=lambda asked: bool(unloaders(asked.state)),
        ),
    )


def _to_load(asked: Asked[State], order: Handling) -> Iterable[int]:
    return range(1, loadable(asked.state, order.unit) + 1)


def _to_unload(asked: Asked[State], order: Handling) -> Iterable[int]:
    return range(1, asked.state.units[order.unit].load + 1)


def _handle(table: Table[State], order: Handling, sign: int) -> None:
    state = table.state
    name, tokens = order.unit, order.tokens
    side, at = state.side(name), state.units[name].at
    interrupted(table, (name,))
    why = LOADED if sign > 0 else UNLOADED
    points.ground(table, side, at, -sign * tokens, why)
    points.load(table, name, sign * tokens, why)

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    place = state.charts.board.name(at)
    put_down = tokens if sign < 0 else 0
    table.emit(Handled(side, hide(name), hide(handling(state, name)), hide(place), hide(put_down)))


def _refusal(state: State, rule: str, key: str, pick: Pick) -> Refusal:
    name = str(pick)
    if name in state.units and not state.counter(name).combat_unit and not movable(state, name):
        return movement_refusals.why_not_unit(state, name) or Refusal(rule, key)
    return Refusal(rule, f"refusal.ocs.{key}", (("pick", pick),))


def _why_not_load(asked: Asked[State], order: Handling, pick: Pick) -> Refusal:
    """OCS 12.2a, 13.2"""
    return _refusal(asked.state, "OCS 13.2", "cannot_load", pick)


def _why_not_unload(asked: Asked[State], order: Handling, pick: Pick) -> Refusal:
    """OCS 13.2"""
    return _refusal(asked.state, "OCS 13.2", "cannot_unload", pick)


def _too_many(asked: Asked[State], order: Handling, pick: Pick) -> Refusal:
    return Refusal("OCS 13.2", "refusal.ocs.too_many_tokens", (("pick", pick),))
