"""OCS 12.1: the ledger of supply: what lies where, what is carried, and every change of it.

OCS 3.3a, 12.1 1 SP is 4T. A dump is the supply in a hex, loaded or not: it lies on the ground, or
transport there carries it. Every change is a `SupplyChanged` or a `LoadChanged`, so that ground,
loads and what has been spent always make up what has arrived.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.charts import Printed
from warledger.engine.games.ocs.series.events import LoadChanged, SupplyChanged
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import State, changed, with_supply
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table

Pick = tuple[str, str, int]
"""Who consumes, what pays (a place by its printed id, or a unit's load), and how many T."""


def lying(state: State, side: str, place: Place) -> int:
    """OCS 12.1 T of a side on the ground at a place."""
    return state.supply[side].get(place, 0)


def amount(state: State, side: str, what: str) -> int:
    """OCS 12.1 T that a source of payment holds: a unit's load, or what lies at a place."""
    if what in state.units:
        return state.units[what].load
    return lying(state, side, place_of(state.charts.board, what))


@lru_cache(maxsize=8)
def _carriers(printed: Printed, side: str) -> tuple[str, ...]:
    """OCS 13.2 The transport points and organic trucks of a side: nobody else carries supply."""
    return tuple(
        [name for name, one in printed.units.items() if one.side == side and not one.combat_unit]
    )


@remembered()
def loads(state: State, side: str) -> Mapping[Place, tuple[str, ...]]:
    """OCS 12.1, 13.2 Place -> the loaded transport of a side there, in order of ids."""
    found: dict[Place, tuple[str, ...]] = {}
    for name in _carriers(state.charts.printed, side):
        unit = state.units[name]
        if unit.load:
            place = unit.at if unit.at >= 0 else unit.where
            found[place] = (*found.get(place, ()), name)
    return found


def ground(table: Table[Any], side: str, place: Place, tokens: int, why: str) -> None:
    """OCS 12.1 This many T more (or fewer) lie at a place. How much is hidden (OCS R-15)."""
    state: State = table.state
    name = place_name(state.charts.board, place)
    table.emit(
        SupplyChanged(side, fog.hidden(state, side, name), fog.hidden(state, side, tokens), why)
    )


def load(table: Table[Any], unit: str, tokens: int, why: str) -> None:
    """OCS 13.2 A transport point carries `tokens` T more (or fewer). How much is hidden
    (OCS R-15)."""
    state: State = table.state
    side = state.side(unit)
    table.emit(LoadChanged(fog.hidden(state, side, unit), fog.hidden(state, side, tokens), why))


def held(state: State) -> Mapping[str, int]:
    """OCS 12.1 Side -> T that lie on the ground or are carried, those of trucks that have yet to
    come included."""
    found = {side: sum(state.supply[side].values()) for side in state.charts.sides}
    for name, unit in state.units.items():
        found[state.side(name)] += unit.load
    return found


def opened(state: State) -> State:
    """OCS 12.1 The position with its accounts of supply opened: all that is held has come, nothing
    has been spent or captured."""
    none = dict.fromkeys(state.charts.sides, 0)
    return replace(state, come_sp=held(state), spent_sp=none, taken_sp=none)


def spent(state: State, side: str, picks: Iterable[Pick]) -> State:
    """OCS 12.1 The position with T of a side used up, each out of a place or a load. OCS
    12.2b What has been moved in this phase may be used at once, and is used first: supply is
    generic (3.3a), and what is left may go on (12.2a)."""
    board, made = state.charts.board, state
    used = 0
    unloaded = state.phase_use.unloaded
    for _payer, what, tokens in picks:
        if what in made.units:
            unit = made.units[what]
            made = changed(made, {what: replace(unit, load=unit.load - tokens)})
        else:
            place = place_of(board, what)
            made = with_supply(made, side, place, -tokens)
            if place in unloaded:
                unloaded = {**unloaded, place: max(unloaded[place] - tokens, 0)}
        used += tokens
    if not used:
        return made
    spent_sp = {**made.spent_sp, side: made.spent_sp[side] + used}
    if unloaded == made.phase_use.unloaded:
        return replace(made, spent_sp=spent_sp)
    use = replace(made.phase_use, unloaded=unloaded)
    return replace(made, phase_use=use, spent_sp=spent_sp)


def spend(table: Table[Any], side: str, what: str, tokens: int) -> None:
    """OCS 12.1 This many T are used up, from a place or from a load."""
    state: State = table.state
    if what in state.units:
        load(table, what, -tokens, "spent")
    else:
        ground(table, side, place_of(state.charts.board, what), -tokens, "spent")
