"""HR 3.5d: the Romanian mountain groups, and the division that takes their place.

HR 3.5d The four groups never leave Rough and Heavy Woods: where they are driven out they are
destroyed. In any Soviet Reinforcement Phase all four, destroyed ones too, may be taken off for the
Romanian 2nd Mountain Division at a Soviet HQ.

[R] Woods and rough ground that are not to be left are prohibited like other terrain (6.2c): the
groups neither move, advance nor attack out of them (9.1f), and a retreat kills. It can be done
once, and only where the groups are or were in the game.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.hungarian_rhapsody import artillery
from warledger.engine.games.ocs.ch03_counters.counters import Counter
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch06_movement.movement import MODES
from warledger.engine.games.ocs.ch13_special_units import arrivals, reinforcements
from warledger.engine.games.ocs.ch13_special_units.bridges import hqs_of
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.charts import Printed
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import NOT_ARRIVED, OFF_MAP, State, removed
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse

CLAUSE = "HR 3.5d"

GROUND = ("rough", "heavy_woods", "rough_heavy_woods")
"""HR 3.5d Terrain that they do not leave."""

BOX = "box.exchange"
"""Where what has been exchanged lies."""

MOUNTAIN = "mountain"


@event("hr.mountain_division")
class MountainDivision:
    """HR 3.5d The mountain groups leave the game, and their division comes. Where each of them was
    has been seen; where the division comes is told with it."""

    side: str
    unit: str


after = ByEvent()


@after(MountainDivision)
def _exchanged(state: State, event: MountainDivision) -> State:
    return removed(state, groups(state.charts.printed), BOX)


def is_group(counter: Counter) -> bool:
    """HR 3.5d Whether a counter is one of the groups."""
    return counter.nation == artillery.ROMANIAN and bool(counter.traits.get("no_stack"))


@lru_cache(maxsize=8)
def groups(printed: Printed) -> tuple[str, ...]:
    """HR 3.5d The mountain groups, by id."""
    return tuple(name for name, counter in printed.units.items() if is_group(counter))


@lru_cache(maxsize=8)
def division(printed: Printed) -> str:
    """HR 3.5d The Romanian mountain division; "" in a pack without one."""
    return next(
        (
            name
            for name, counter in printed.units.items()
            if counter.nation == artillery.ROMANIAN
            and counter.kind == MOUNTAIN
            and counter.multi_step
        ),
        "",
    )


def replaced(units: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """HR 3.5d Of a pack's units each group, with the division that may take its place."""
    own = [unit for unit in units if unit["nation"] == artillery.ROMANIAN]
    comes = [unit["id"] for unit in own if (unit["type"], unit["size"]) == (MOUNTAIN, "div")]
    return {unit["id"]: comes[0] for unit in own if comes and unit.get("no_stack")}


@lru_cache(maxsize=4)
def _elsewhere(board: Board) -> Hexes:
    found = board.every
    for name in GROUND:
        found &= ~board.by_terrain.get(name, 0)
    return found


def barred(state: State, name: str) -> Hexes:
    """HR 3.5d Hexes that a mountain group does not enter; none for any other unit."""
    return _elsewhere(state.charts.board) if is_group(state.counter(name)) else 0


# --- the division ---------------------------------------------------------------------------------


def pending(state: State) -> bool:
    """HR 3.5d Whether the groups are or were in the game and nothing has taken their place, as far
    as both sides know."""
    charts = state.charts
    names, unit = groups(charts.printed), division(charts.printed)
    if not names or not unit:
        return False
    if state.units[unit].where not in (BOX, NOT_ARRIVED):
        return False
    return all(
        state.units[name].at != OFF_MAP
        or state.units[name].where == rules(charts).pile(charts, name)
        for name in names
    )


@remembered()
def places(state: State) -> Hexes:
    """HR 3.5d Hexes of Soviet HQs to which the division may come now."""
    charts = state.charts
    if not pending(state):
        return 0
    hqs = hexsets.of(
        state.units[name].at
        for name in hqs_of(charts.printed, charts.sides[1])
        if state.units[name].at != OFF_MAP
        and artillery.army(charts.units[name].nation) == artillery.SOVIET
    )
    return hqs & ~arrivals.blocked(state, division(charts.printed))


def asks(state: State, side: str) -> bool:
    """HR 3.5d Whether the Soviets are asked: under strict fog as long as it can be done, since
    where their HQs stand is theirs to know."""
    if side != state.charts.sides[1]:
        return False
    return pending(state) if fog.strict(state) else bool(places(state))


@frozen
class Mustering:
    """HR 3.5d The hex of an HQ to which the division comes, and in which mode."""

    place: str = ""
    mode: str = ""


def commands() -> Commands[State]:
    """HR 3.5d muster HEX [MODE]: for the step in which reinforcements come."""
    return (
        Command(
            "muster",
            Mustering,
            Slot("place", "ocs.place", _places, _why_not_place),
            Slot("mode", "ocs.mode", _modes, _why_not_mode, optional=True),
            apply=_muster,
            when=lambda asked: _soviet(asked) and bool(places(asked.state)),
            why=_why_none,
        ),
    )


def _soviet(asked: Asked[State]) -> bool:
    return asked.seat == asked.state.charts.sides[1]


def _places(asked: Asked[State], order: Mustering) -> Iterable[str]:
    return map(asked.state.charts.board.name, hexsets.listed(places(asked.state)))


def _modes(asked: Asked[State], order: Mustering) -> Iterable[str]:
    state = asked.state
    unit, i = division(state.charts.printed), state.charts.board.hex(order.place)
    allowed = arrivals.arrival_modes(state, unit, i)
    return [mode for mode in MODES if mode in allowed]


def _muster(table: Table[State], asked: Asked[State], order: Mustering) -> None:
    board, unit = table.state.charts.board, division(table.state.charts.printed)
    table.emit(MountainDivision(asked.seat, unit))
    reinforcements.put(table, (unit,), board.hex(order.place), order.mode)


def _why_none(asked: Asked[State]) -> Refusal:
    key = "no_hq_for_groups" if _soviet(asked) and pending(asked.state) else "no_mountain_groups"
    return refuse(CLAUSE, f"refusal.hr.{key}")


def _why_not_place(asked: Asked[State], order: Mustering, pick: Pick) -> Refusal:
    return refuse(CLAUSE, "refusal.hr.no_hq_there", pick=pick)


def _why_not_mode(asked: Asked[State], order: Mustering, pick: Pick) -> Refusal:
    return refuse("OCS 13.6", "refusal.ocs.not_in_that_mode", pick=pick)
