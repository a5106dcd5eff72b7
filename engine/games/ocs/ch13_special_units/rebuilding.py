"""OCS 13.5, 3.1d: rebuilding.

OCS 13.5 In the Reinforcement Phase replacements are turned into steps of units that have been
destroyed, as many as there are. What mode and supply a unit was in does not matter. A rebuilt unit
comes in any mode that can be chosen, near an HQ unless the game says where. An aircraft is active
at any own base. A unit with a yellow dot behind its action rating (3.1d) is never rebuilt, nor a
breakdown. Pax and Eq counters are not in any game yet: what replacements there are is rolled on the
game's tables, and a result that is not used in its phase is lost.

[R] A result rebuilds one step, and the unit comes with only that step. Nothing else about the pile
is told: the dice are open, what they are used for is not.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import Counter
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch06_movement.movement import MODES
from warledger.engine.games.ocs.ch13_special_units import reinforcements
from warledger.engine.games.ocs.ch13_special_units.arrivals import (
    arrival_modes,
    blocked,
    open_bases,
    side_of,
)
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import NOT_ARRIVED, Aircraft, State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse

ROLLED = "rolled"
"""The count of the turn that says for how many results a side is asked."""

LEFT = "left"
"""How the counts of the turn begin that say how many of a result are left."""


@event("ocs.replacements")
class ReplacementsRolled:
    """OCS 13.5 The dice on a table of replacements, and what they bring."""

    side: str
    table: str
    dice: tuple[int, ...]
    results: tuple[str, ...]


@event("ocs.rebuilt")
class Rebuilt:
    """OCS 13.5 A result of a table rebuilds a unit or an aircraft with one step; it goes to a box,
    or ("") is put somewhere next. Which and by what is hidden."""

    side: str
    table: Any
    result: Any
    piece: Any
    box: Any


after = ByEvent()


def _key(side: str, table: str, result: str) -> str:
    return f"{LEFT}.{side}.{table}.{result}"


def _counted(state: State, key: str, change: int) -> State:
    counts = {**state.turn_use.counts, key: state.turn_use.counts.get(key, 0) + change}
    return replace(state, turn_use=replace(state.turn_use, counts=counts))


@after(ReplacementsRolled)
def _rolled(state: State, event: ReplacementsRolled) -> State:
    made = _counted(state, f"{ROLLED}.{event.side}", len(event.results))
    for result in event.results:
        made = _counted(made, _key(event.side, event.table, result), 1)
    return made


@after(Rebuilt)
def _rebuilt(state: State, event: Rebuilt) -> State:
    piece, box = fog.plain(event.piece), fog.plain(event.box)
    key = _key(event.side, fog.plain(event.table), fog.plain(event.result))
    made = _counted(state, key, -1)
    if piece in made.aircraft:
        lost = made.charts.printed.planes[piece].steps - 1
        plane = Aircraft(where=NOT_ARRIVED, lost=lost)
        return replace(made, aircraft={**made.aircraft, piece: plane})
    counter = made.counter(piece)
    unit = Unit(
        where=box or NOT_ARRIVED,
        move_side=counter.combat is None,
        lost=max(counter.steps - 1, 0),
    )
    return changed(made, {piece: unit})


# --- what may be rebuilt --------------------------------------------------------------------------


def rebuildable(counter: Counter) -> bool:
    """OCS 3.1d, 13.5 Units with a yellow dot behind their action rating are never rebuilt, nor are
    breakdowns."""
    return not counter.traits.get("yellow_dot") and not counter.traits.get("breakdown")


def begin(table: Table[State]) -> None:
    """OCS 13.5 The phasing side rolls two dice on each of its tables of replacements."""
    side = table.state.phasing
    game = rules(table.state.charts)
    for name in game.rolled_for(table.state, side):
        dice = table.rolls(2, 6, "replacements")
        results = tuple(game.replacements(table.state, name, sum(dice)))
        table.emit(ReplacementsRolled(side, name, dice, results))


def left(state: State, side: str) -> tuple[tuple[str, str], ...]:
    """OCS 13.5 (table, result) pairs of which a side has some left."""
    start = f"{LEFT}.{side}."
    found = []
    for key, count in sorted(state.turn_use.counts.items()):
        if key.startswith(start) and count > 0:
            table, _, result = key.removeprefix(start).partition(".")
            found.append((table, result))
    return tuple(found)


@remembered()
def candidates(state: State, side: str) -> Mapping[str, tuple[str, str]]:
    """OCS 13.5 Pieces that a side may rebuild now and put somewhere -> the table and the result
    that does it."""
    game = rules(state.charts)
    found: dict[str, tuple[str, str]] = {}
    for table, result in left(state, side):
        for piece in game.rebuilds(state, side, table, result):
            if piece not in found and places(state, piece):
                found[piece] = (table, result)
    return dict(sorted(found.items()))


@remembered()
def places(state: State, piece: str) -> tuple[Place, ...]:
    """OCS 4.5a-K, 13.5 Where a piece that is rebuilt may be put: a unit in no enemy zone, negated
    or not, but for those that the game lets."""
    if piece in state.aircraft:
        return open_bases(state, side_of(state, piece), piece)
    game = rules(state.charts)
    where = game.rebuilt_at(state, piece)
    if isinstance(where, str):
        return (where,)
    if not game.rebuilt_in_zones(state.charts, piece):
        where &= ~zones.barred(state, state.side(piece), zones.REBUILDING)
    return hexsets.listed(where & ~blocked(state, piece))


def asks(state: State, side: str) -> bool:
    """OCS 13.5 Whether a side is asked what it rebuilds: under strict fog whenever its dice have
    brought something, since nobody else knows what lies in its piles."""
    if fog.strict(state):
        return state.turn_use.counts.get(f"{ROLLED}.{side}", 0) > 0
    return bool(candidates(state, side))


# --- the command ----------------------------------------------------------------------------------


@frozen
class Rebuilding:
    """OCS 13.5 A unit or an aircraft, where it is put, and in which mode."""

    piece: str = ""
    place: str = ""
    mode: str = ""


def rebuild(table: Table[State], side: str, piece: str, place: Place, mode: str) -> None:
    """OCS 13.5 A piece is rebuilt and put in its place."""
    state = table.state
    by, result = candidates(state, side)[piece]
    box = place if isinstance(place, str) and piece in state.units else ""

    def hide(value: str) -> Any:
        return fog.hidden(state, side, value)

    table.emit(Rebuilt(side, hide(by), hide(result), hide(piece), hide(box)))
    if piece in state.aircraft:
        aircraft.settle_in(table, side, (piece,), place)
    elif not box:
        reinforcements.put(table, (piece,), place, mode)


def commands() -> Commands[State]:
    """OCS 13.5 rebuild PIECE PLACE [MODE]: for the step in which reinforcements come."""
    return (
        Command(
            "rebuild",
            Rebuilding,
            Slot(
                "piece",
                "ocs.rebuilt",
                lambda asked, order: candidates(asked.state, asked.seat),
                _why_not_piece,
            ),
            Slot("place", "ocs.place", _places, _why_not_place),
            Slot("mode", "ocs.mode", _modes, _why_not_mode, optional=True),
            apply=_rebuild,
            when=lambda asked: bool(candidates(asked.state, asked.seat)),
            why=lambda asked: refuse("OCS 13.5", "refusal.ocs.nothing_to_rebuild"),
        ),
    )


def _places(asked: Asked[State], order: Rebuilding) -> Iterable[str]:
    board = asked.state.charts.board
    return [place_name(board, place) for place in places(asked.state, order.piece)]


def _modes(asked: Asked[State], order: Rebuilding) -> Iterable[str]:
    state = asked.state
    place = place_of(state.charts.board, order.place)
    if order.piece in state.aircraft or not isinstance(place, int):
        return []
    allowed = arrival_modes(state, order.piece, place)
    return [mode for mode in MODES if mode in allowed]


def _rebuild(table: Table[State], asked: Asked[State], order: Rebuilding) -> None:
    place = place_of(asked.state.charts.board, order.place)
    rebuild(table, asked.seat, order.piece, place, order.mode)


def _why_not_piece(asked: Asked[State], order: Rebuilding, pick: Pick) -> Refusal:
    """OCS 13.5, 3.1d"""
    state = asked.state
    if pick in state.units and not rebuildable(state.counter(str(pick))):
        return refuse("OCS 3.1d", "refusal.ocs.never_rebuilt", pick=pick)
    return refuse("OCS 13.5", "refusal.ocs.not_rebuilt", pick=pick)


def _why_not_place(asked: Asked[State], order: Rebuilding, pick: Pick) -> Refusal:
    """OCS 4.5a-K, 13.5"""
    state = asked.state
    i = state.charts.board.map.grid.index.get(pick, -1) if isinstance(pick, str) else -1
    if i >= 0 and order.piece in state.units:
        where = rules(state.charts).rebuilt_at(state, order.piece)
        zoned = zones.bars(state, asked.seat, zones.REBUILDING, i)
        if isinstance(where, int) and hexsets.has(where, i) and zoned:
            return refuse("OCS 4.5a-K", "refusal.ocs.not_rebuilt_in_zone", pick=pick)
    return refuse("OCS 13.5", "refusal.ocs.not_rebuilt_there", pick=pick)


def _why_not_mode(asked: Asked[State], order: Rebuilding, pick: Pick) -> Refusal:
    """OCS 13.5"""
    return refuse("OCS 13.5", "refusal.ocs.not_in_that_mode", pick=pick)
