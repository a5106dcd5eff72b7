"""OCS 13.6: what is to come in a Reinforcement Phase, where it may be put, and in which mode.

OCS 13.6 An arrival names an entry area, hexes, an area or a marker. HR 1.1c All hexes of an entry
area are one place, and an arrival may use any of them. Where every hex that is named is blocked the
nearest that is not is used. OCS 13.6a Aircraft keep to a base's active limit (14.2a).

[R] What is rebuilt comes back in the hexes that are named for it, or in the nearest; where none is
in play it waits.
"""

from collections.abc import Iterable, Mapping

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, MOVE
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch06_movement.movement import RESERVE_COMBAT, RESERVE_MOVE
from warledger.engine.games.ocs.ch12_supply import sources, supply_search, trace
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.series.board import edge_hexes
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Arrival, Place
from warledger.engine.games.ocs.series.state import (
    NOT_ARRIVED,
    OFF_MAP,
    RESERVE,
    STRAT,
    Coming,
    State,
)
from warledger.engine.kernel.memo import remembered

ENTRY, HEXES, AREA, AT_MARKER, AT_BASE = "entry", "hexes", "area", "marker", "base"
"""OCS 13.6 Kinds of arrivals in scenario files."""


# --- what is to come ------------------------------------------------------------------------------


@frozen
class Waiting:
    """OCS 13.6 A piece that is to come now, and by what: an entry of the order of arrival, or a
    return."""

    piece: str
    by: Arrival | Coming


def returning(state: State, side: str) -> tuple[Coming, ...]:
    """OCS 12.8e, 13.6 What returns to a side by this turn."""
    return tuple(one for one in state.coming if one.side == side and one.turn <= state.turn)


@remembered()
def waiting(state: State, side: str) -> Mapping[str, Waiting]:
    """OCS 13.6 Pieces of a side that are to come in this Reinforcement Phase and are not on the map
    yet, by id."""
    found: dict[str, Waiting] = {}
    arriving: list[Arrival | Coming] = [*state.due(side), *returning(state, side)]
    for by in arriving:
        for piece in by.pieces:
            if outside(state, piece):
                found[piece] = Waiting(piece, by)
    return found


def stuck(state: State, side: str) -> tuple[str, ...]:
    """OCS 13.6 Pieces that are to come and for which there is no place at all: they come as soon as
    there is one."""
    return tuple(piece for piece in waiting(state, side) if not places(state, piece))


def outside(state: State, piece: str) -> bool:
    """OCS 13.6 Whether a piece has yet to come."""
    if piece in state.aircraft:
        return state.aircraft[piece].base is None and state.aircraft[piece].where == NOT_ARRIVED
    unit = state.units[piece]
    return unit.at == OFF_MAP and unit.where == NOT_ARRIVED


# --- where it comes -------------------------------------------------------------------------------


def blocked(state: State, name: str) -> Hexes:
    """OCS 13.6 Hexes in which a unit may not come: with anything of the enemy's, out of play,
    closed to it by the game or by its own mobility."""
    charts, side = state.charts, state.side(name)
    enemy = state.enemy(side)
    shut = (
        state.field.occupied[enemy]
        | movement_range.bases_of(state, enemy)
        | charts.board.every & ~charts.scenario.play
        | rules(charts).barred(state, name)
    )
    counter = state.counter(name)
    kinds = {face.mobility for face in (counter.combat, counter.move) if face is not None}
    for terrain, row in charts.printed.terrain.items():
        if all(row.move[mobility] is None for mobility in kinds):
            shut |= charts.board.by_terrain.get(terrain, 0)
    return shut


def named(state: State, by: Arrival | Coming, name: str) -> Hexes:
    """OCS 13.6 Hexes that an arrival names for a unit, blocked or not. HR 1.1c Of entry areas all
    hexes, except those that the game has closed to its side."""
    charts = state.charts
    board = charts.board
    if isinstance(by, Coming):
        return rules(charts).returns(state, name, by.how)
    if by.kind == ENTRY:
        return entries(state, state.side(name), by.at)
    if by.kind == AREA:
        return hexsets.of(i for one in by.at for i in hexsets.listed(board.areas[one]))
    if by.kind == AT_MARKER:
        centres = [
            place for one in by.at for place in state.markers.get(one, ()) if isinstance(place, int)
        ]
    else:
        centres = [board.hex(one) for one in by.at]
    found = within(state, centres, by.traits.get("within", 0))
    if "held_by" in by.traits:
        found &= state.control[by.traits["held_by"]]
    if by.traits.get("trace"):
        found &= in_trace(state, state.side(name), found)
    return found


def entries(state: State, side: str, areas: Iterable[str]) -> Hexes:
    """OCS 13.6, HR 1.1c Hexes of entry areas that the game does not close to a side."""
    board = state.charts.board
    found = hexsets.of(i for area in areas for i in board.entries[area].hexes)
    return found & ~rules(state.charts).entry_shut(state, side)


def within(state: State, centres: Iterable[int], distance: int) -> Hexes:
    """Hexes no farther than a distance from any of these."""
    found = hexsets.of(centres)
    for _ in range(distance):
        found = hexsets.widened(found, state.charts.board.near)
    return found


def in_trace(state: State, side: str, hexes: Hexes) -> Hexes:
    """OCS 12.6 Those of these hexes in which a side's unit would trace."""
    supply = supply_search.supply(state, side, sources.sources(state, side))
    thrown = 0
    for reached in supply.throwers.values():
        thrown |= reached
    return hexes & thrown | hexsets.of(
        i for i in hexsets.listed(hexes & ~thrown) if trace.traces_from(state, side, i)
    )


@remembered()
def places(state: State, piece: str) -> tuple[Place, ...]:
    """OCS 13.6 Where a piece that is to come may be put: of the hexes that its arrival names those
    not blocked; if all are, the nearest that are not, of an entry on the map's edge. Aircraft:
    every own base and box with room for another active one."""
    side = side_of(state, piece)
    by = waiting(state, side)[piece].by
    if piece in state.aircraft:
        return open_bases(state, side, piece)
    wanted, shut = named(state, by, piece), blocked(state, piece)
    open_ = wanted & ~shut
    if open_:
        return hexsets.listed(open_)
    board = state.charts.board
    if isinstance(by, Coming) and not wanted & state.charts.scenario.play:
        return ()
    wanted = wanted or named_at_all(state, by, piece)
    left = board.every & ~shut
    if isinstance(by, Arrival) and by.kind == ENTRY and left & edge_hexes(board):
        left &= edge_hexes(board)
    return hexsets.listed(hexsets.nearest(wanted, left, board.near))


def named_at_all(state: State, by: Arrival | Coming, name: str) -> Hexes:
    """OCS 13.6 The hexes from which the nearest is measured where none may be used at all: those
    named by themselves, else all that the side controls."""
    side = state.side(name)
    if isinstance(by, Arrival) and by.kind == HEXES:
        return hexsets.of(state.charts.board.hex(one) for one in by.at)
    return state.control[side]


def side_of(state: State, piece: str) -> str:
    """The side of a unit or an aircraft."""
    if piece in state.aircraft:
        return state.charts.printed.planes[piece].side
    return state.side(piece)


def open_bases(state: State, side: str, piece: str) -> tuple[Place, ...]:
    """OCS 13.6a, 14.1c Own bases and boxes that an aircraft may use and that have room for another
    active one."""
    game = rules(state.charts)
    return tuple(
        base
        for base in aircraft.bases(state, side)
        if game.lands_at(state, piece, base) and has_room(state, base, 1)
    )


def has_room(state: State, place: Place, more: int) -> bool:
    """OCS 13.6a, 14.2a, 21.5 Whether a base may have `more` more active aircraft."""
    limit = aircraft.active_limit(state, place)
    active = sum(plane.base == place and plane.active for plane in state.aircraft.values())
    return (limit is None or active + more <= limit) and more <= aircraft.welcome(state, place)


def arrival_modes(state: State, name: str, i: int) -> tuple[str, ...]:
    """OCS 5.3, 13.6 The words for modes in which a unit may come into a hex. Reserve wants a marker
    and no enemy zone (5.4a, 5.7c), Strat no enemy zone (5.8a)."""
    charts, counter = state.charts, state.counter(name)
    found: list[tuple[str, str, bool]] = []
    if counter.combat is not None:
        found.append((COMBAT, "", False))
    if counter.move is not None:
        found.append((MOVE, "", True))
    free = not zones.bars(state, counter.side, zones.ENTER_RESERVE, i)
    if free and (counter.combat_unit or counter.organic):
        if modes.reserve_room(state, counter.side, i):
            found += [
                (mode, RESERVE, moving)
                for mode, moving in ((RESERVE_COMBAT, False), (RESERVE_MOVE, True))
                if counter.face(moving) is not None
            ]
        if counter.combat_unit and counter.move is not None:
            found.append((STRAT, STRAT, True))
    game = rules(charts)
    return tuple(
        mode for mode, marker, moving in found if game.may_take(state, name, marker, moving)
    )
