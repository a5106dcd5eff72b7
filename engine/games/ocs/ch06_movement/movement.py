"""OCS 6.1, 5.4: how a side's units move: in which mode, alone or together, where to, and the order
for it. The step in which they do, and fuel and release in it, is in `movement_step`.

OCS 6.1 Units move alone or as a stack along a path that all of them can go. 6.1f Those left behind
by a stack are done, 6.1g and so is a whole stack once another unit moves. OCS 5.4 Modes change as a
unit starts its move, in its own Movement Phase: a unit that takes one is under way from then on.
OCS 4.8a When the segment ends, combat units over the limit of a hex are eliminated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.paths import Reach
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, MOVE, TRUCK
from warledger.engine.games.ocs.ch04_concepts import fog, staying, zones
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch06_movement.move_in_progress import Move
from warledger.engine.games.ocs.ch12_supply import fuel, payment, sources, supply_search
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.series import evolve
from warledger.engine.games.ocs.series.events import ModeChanged, Moved, MoveFinished
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import DG, OFF_MAP, RESERVE, STRAT, State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import (
    Asked,
)
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.lazy import LazyChoices
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Picks, event
from warledger.protocol.board.choices import Choices

MOVING = "moving"
"""The name of the step."""

RESERVE_COMBAT, RESERVE_MOVE = "reserve_combat", "reserve_move"
STRAT_DRAWS = "strat_direct_draw"
"""OCS 21.12d The option by which a move in Strat mode ends where units trace by direct draw."""

MODES = (COMBAT, MOVE, RESERVE, RESERVE_COMBAT, RESERVE_MOVE, STRAT)
"""OCS 5.3 The words for modes that are chosen: "reserve" keeps the side that shows."""


@event("ocs.under_way")
class UnderWay:
    """OCS 6.1 These units move together now, along a way or to an overrun; nobody where there are
    none. Who they are is hidden."""

    side: str
    units: Any
    way: tuple[str, ...]


after = ByEvent()


@after(UnderWay)
def _under_way(state: State, event: UnderWay) -> State:
    units = tuple(fog.plain(event.units))
    if not units:
        return replace(state, move=None)
    hex = state.charts.board.hex
    way = tuple([hex(name) for name in event.way])
    now = state.move
    if now is not None and (units == now.units or set(units) <= set(now.units)):
        return replace(state, move=replace(now, units=units, way=(*now.way, *way)))
    first = state.units[units[0]]
    start = first.at if first.began == OFF_MAP else first.began
    return replace(state, move=Move(units, start, way))


# --- modes ----------------------------------------------------------------------------------------


def wanted(state: State, name: str, mode: str) -> modes.Mode:
    """OCS 5.2 The marker and side that a word for a mode means for a unit. OCS 5.4 A DG unit keeps
    its marker and flips."""
    unit = state.units[name]
    if mode in (COMBAT, MOVE):
        return (DG if unit.marker == DG else "", mode == MOVE)
    if mode == STRAT:
        return (STRAT, True)
    side = {RESERVE_COMBAT: False, RESERVE_MOVE: True}.get(mode, unit.move_side)
    printed = state.counter(name).face(side) is not None
    return (RESERVE, side if printed else unit.move_side)


def may_change(state: State, name: str, mode: str, *, there: bool = True) -> bool:
    """OCS 5.4, 5.7a Whether a unit may take a mode now, or is in it: at the start of its move, in
    its own Movement Phase. OCS 5.4a `there`: a Reserve marker is placed where it stands; it may as
    well be placed where its move ends (`modes.reserve_ends`)."""
    unit = state.units[name]
    to = wanted(state, name, mode)
    if to == (unit.marker, unit.move_side):
        return True
    if state.segment != "c2" or unit.began != OFF_MAP or unit.finished or unit.spent:
        return False
    if state.move is not None and name in state.move.units:
        return False
    if to not in modes.allowed(state, name):
        return False
    if to[0] != RESERVE or not there:
        return True
    return modes.reserve_room(state, state.side(name), unit.at)


def changing(state: State, names: Iterable[str], mode: str) -> tuple[str, ...]:
    """OCS 5.4, 5.7f, 5.8c Those of a stack whom a word for a mode concerns: its combat units, and
    for Reserve organic trucks that may be in it."""
    return tuple(
        name
        for name in names
        if state.counter(name).combat_unit
        or (mode.startswith(RESERVE) and state.counter(name).organic)
    )


def changed_modes(state: State, names: tuple[str, ...], mode: str) -> tuple[ModeChanged, ...]:
    """OCS 5.4 The event that puts units in a mode, if it changes any."""
    found = []
    for name in changing(state, names, mode):
        unit = state.units[name]
        to = wanted(state, name, mode)
        if to != (unit.marker, unit.move_side):
            found.append((name, *to))
    return modes.changes(state, found)


# --- who moves, and where -------------------------------------------------------------------------


def awaiting(state: State, name: str) -> bool:
    """OCS 6.1 Whether a unit's move is still to come or goes on: nothing that it has done or that
    has carried it in this phase holds it back."""
    unit = state.units[name]
    if unit.at == OFF_MAP or unit.finished or unit.worked or unit.extender:
        return False
    if name in state.phase_use.held:
        return False
    if rules(state.charts).holds_back(state, name):
        return False
    return unit.carried != "rail" and state.side(name) == zones.mover(state)


def movable(state: State, name: str) -> bool:
    """OCS 6.1, 12.5a Whether a unit may spend movement now."""
    return awaiting(state, name) and not stopped(state, name) and modes.left(state, name) > 0


def stopped(state: State, name: str) -> bool:
    """OCS 4.5a-A, 6.3b Whether a Truck unit has gone into an enemy zone and goes no further. That
    it begins in one does not matter, nor what it loads or builds there before it leaves."""
    unit = state.units[name]
    gone = unit.entered or (unit.began != OFF_MAP and unit.began != unit.at)
    return gone and hexsets.has(movement_range.stops(state, name), unit.at)


def to_move(state: State, i: int, mode: str = "") -> tuple[str, ...]:
    """OCS 6.1, 6.1g The stack of a hex that moves as one: those under way there, else all in it
    that may spend movement, once they have taken the mode if one is named."""
    now = state.move.units if state.move is not None else ()
    here = [name for name in state.stack(i) if awaiting(state, name)]
    under_way = [name for name in here if name in now]
    chosen = tuple(under_way or here)
    if mode and not all(may_change(state, name, mode) for name in changing(state, chosen, mode)):
        return ()
    after = turned(state, chosen, mode)
    return tuple(name for name in chosen if movable(after, name))


def under_marker(state: State, marker: str) -> tuple[str, ...]:
    """OCS 13.7 The units that move as their formation's marker does: those for which it stands, as
    far as their move is still to come or goes on."""
    now = state.move.units if state.move is not None else ()
    here = [name for name in state.gathered[marker].units if awaiting(state, name)]
    return tuple([name for name in here if name in now] or here)


def steps_on(state: State, names: Sequence[str]) -> bool:
    """OCS 6.1 Whether these units can enter some hex together, fuel aside."""
    if not names or not all(movable(state, name) for name in names):
        return False
    near = state.charts.board.map.grid.adjacent[state.units[names[0]].at]
    return any(
        all(movement_range.walked(state, name, (i,)).why is None for name in names) for i in near
    )


def fuelled(state: State, names: Sequence[str]) -> bool:
    """OCS 12.5a Whether these units have fuel to begin with, or can pay for it."""
    return fuel.can_fuel(state, names)


def _modes(state: State, names: tuple[str, ...], *, there: bool = True) -> Iterator[str]:
    """OCS 5.4 Words for modes that these units can take now, and that change something; `there` as
    in `may_change`."""
    return (
        mode
        for mode in MODES
        if (concerned := changing(state, names, mode))
        and all(may_change(state, name, mode, there=there) for name in concerned)
        and changed_modes(state, names, mode)
    )


def may_begin(state: State, names: tuple[str, ...]) -> bool:
    """OCS 5.4, 6.1 Whether there is anything that these units can do together as a move."""
    if not names:
        return False
    if any(_modes(state, names)):
        return True
    if not steps_on(state, names):
        return False
    if not fuelled(state, names) and not fuelled(set_aside(state, names), names):
        return False
    # OCS 5.4a Part of a stack in Reserve may have no marker to go with.
    short = any(state.units[name].marker == RESERVE for name in names) and (
        modes.reserve_ends(state, names) != state.charts.board.every
    )
    return not short or bool(together(state, tuple(names)))


def left_behind(state: State, names: Sequence[str]) -> tuple[str, ...]:
    """OCS 6.1f, 6.1g Combat units under way that are done once these move, or nobody. Of transport
    `interrupted` says who is: it may pause to feed others and go on (13.2)."""
    now = state.move
    if now is None:
        return ()
    return tuple(
        name
        for name in now.units
        if name not in names
        and state.units[name].at != OFF_MAP
        and not state.units[name].finished
        and state.counter(name).combat_unit
    )


def _idly_paused(
    state: State, names: Sequence[str], mode: str = "", bill: Bill | None = None
) -> tuple[str, ...]:
    """OCS 6.1g, 13.2 Transport under way that is done once these move, or nobody: it has not paused
    to feed others, nor does it feed these now, by the bill that they or somebody else pay."""
    now = state.move
    if now is None:
        return ()
    idle = tuple(
        name
        for name in now.units
        if name not in names
        and name not in now.fed
        and state.units[name].at != OFF_MAP
        and not state.units[name].finished
        and not state.counter(name).combat_unit
    )
    if not idle:
        return ()
    begun = turned(state, tuple(names), mode) if names else set_aside(state, ())
    bill = fuel.singly(begun, names) if names else bill
    picks = payment.plan(begun, bill) if bill is not None else ()
    feeding = {what for _payer, what, _tokens in picks}
    return tuple(name for name in idle if name not in feeding)


def set_aside(state: State, names: Sequence[str]) -> State:
    """OCS 4.5b, 6.1g The position in which these units begin to move, so that they do not stay: who
    was under way and is left behind is done, and may negate zones for them."""
    stays = left_behind(state, names)
    return zones.leaving(_done_with(state, stays) if stays else state, tuple(names))


@remembered()
def _done_with(state: State, stays: tuple[str, ...]) -> State:
    side = state.side(stays[0])
    return evolve.evolve(state, MoveFinished(fog.hidden(state, side, stays)))


def joins(state: State, names: Sequence[str], name: str) -> bool:
    """OCS 6.1, 6.1g Whether a unit may move with these: it stands in their hex, and is under way
    with them or has not moved as they have not."""
    now = state.move.units if state.move is not None else ()
    first = names[0]
    return (
        name not in names
        and state.units[name].at == state.units[first].at
        and awaiting(state, name)
        and (name in now) == (first in now)
    )


@remembered()
def together(state: State, names: tuple[str, ...]) -> Mapping[int, tuple[int, ...]]:
    """OCS 6.1f Hex -> the way to it, for every hex to which these units can go by one path. Their
    allowances and costs may differ; the path is the canonical one of one of them."""
    movers = movement_range.movers(state, names)
    reaches = [mover.reach() for mover in movers]
    if not reaches:
        return {}
    fits = _fit_to_end(state, names)
    found = {}
    for i in reaches[0].hexes():
        if all(i in reach for reach in reaches[1:]) and fits(i):
            way = _one_way(movers, reaches, i)
            if way is not None:
                found[i] = way
    return found


@remembered()
def way_to(state: State, names: tuple[str, ...], i: int) -> tuple[int, ...] | None:
    """OCS 6.1f The way to one hex by which these units can go together, None for none: what
    `together` gives for it, and far less to work out."""
    movers = movement_range.movers(state, names)
    reaches = []
    for mover in movers:
        reach = mover.reach(i)
        if i not in reach:
            return None
        reaches.append(reach)
    if not reaches or not _fit_to_end(state, names)(i):
        return None
    return _one_way(movers, reaches, i)


def _one_way(
    movers: Sequence[movement_range.Mover], reaches: Sequence[Reach], i: int
) -> tuple[int, ...] | None:
    if len(reaches) == 1:
        return reaches[0].way(i)
    tried: set[tuple[int, ...]] = set()
    for reach in reaches:
        way = reach.way(i)
        if way not in tried:
            tried.add(way)
            if all(mover.walked(way).why is None for mover in movers):
                return way
    return None


def ends(state: State, names: tuple[str, ...]) -> tuple[int, ...]:
    """OCS 6.1f The hexes to which these units can go by one path, in order."""
    movers = movement_range.movers(state, names)
    if len(movers) == 1:
        return tuple(filter(_fit_to_end(state, names), movers[0].reach().hexes()))
    return tuple(sorted(together(state, names)))


def _fit_to_end(state: State, names: tuple[str, ...]) -> Callable[[int], bool]:
    """OCS 5.4a, 5.8b Where these units may end by their modes: those in Strat mode where they can
    trace, those in Reserve where a marker may be placed."""
    markers = {state.units[name].marker for name in names}
    room = modes.reserve_ends(state, names) if RESERVE in markers else state.charts.board.every
    if STRAT not in markers:
        return lambda i: hexsets.has(room, i)
    traced = _traceable(state, names)
    return lambda i: traced(i) and hexsets.has(room, i)


def _traceable(state: State, names: tuple[str, ...]) -> Callable[[int], bool]:
    """OCS 5.8b Where units in Strat mode may end: where all of them can trace; OCS 21.12d by the
    option without an HQ."""
    side = state.side(names[0])
    charts = state.charts
    ends = sources.sources(state, side)
    found = supply_search.supply(state, side, ends)
    trucks = supply_search.paths(state, side, TRUCK)
    game = rules(charts)

    def traced(i: int) -> bool:
        if trucks.extent(i, supply_search.DRAW).touching & ends:
            return True
        if charts.options.get(STRAT_DRAWS):
            return False
        return all(
            any(
                hq not in names and hexsets.has(hexes, i) and game.serves(charts, hq, name)
                for hq, hexes in found.throwers.items()
            )
            for name in names
            if state.counter(name).combat_unit
        )

    return traced


def gone(state: State, names: tuple[str, ...], way: tuple[int, ...]) -> Moved:
    """OCS 6.1, 6.2 The event of these units going a way that all of them can go."""
    side = state.side(names[0])
    spent = tuple(movement_range.walked(state, name, way).cost for name in names)
    return Moved(
        fog.hidden(state, side, names),
        tuple(state.charts.board.name(i) for i in way),
        fog.hidden(state, side, spent),
    )


# --- the order ------------------------------------------------------------------------------------


@frozen
class MovePlan:
    """Who goes, the mode that they take first, and the way, with `state` as it is after all that:
    `after` is None while nobody has been named. `legs` are the ways between waypoints, `held` who
    has to stay for them (4.5b)."""

    units: tuple[str, ...] = ()
    stack: bool = False
    mode: str = ""
    points: tuple[int, ...] = ()
    legs: tuple[tuple[int, ...], ...] = ()
    after: State | None = None
    held: tuple[str, ...] = ()


@frozen
class MoveOrder:
    """OCS 6.1 One move in a line."""

    going: MovePlan = MovePlan()


def read(state: State, picks: Picks) -> MovePlan:
    """OCS 6.1 The picks of a move: a hex (its whole stack) or units of one hex, a mode that they
    take first, waypoints. The mode may also come last: the move then begins with it.

    A free form, since what a pick is follows from the pick and not from its place: units, mode and
    waypoints are told apart by their names."""
    board = state.charts.board
    units: tuple[str, ...] = ()
    stack, mode, start = False, "", -1
    points: list[int] = []
    for number, pick in enumerate(picks):
        text = str(pick)
        if text in MODES:
            mode = text
        elif text in state.units:
            units = (*units, text)
        elif text in state.gathered and number == 0:
            units = under_marker(state, text)
        elif number == 0:
            stack, start = True, board.hex(text)
        else:
            points.append(board.hex(text))
    if stack:
        # A mode named before the first waypoint lets units move that cannot on their other side.
        _, second, *_ = (*map(str, picks), "")
        first = mode if mode and (not points or second == mode) else ""
        units = to_move(state, start, first) or to_move(state, start)
    if not units:
        return MovePlan()
    return planned(state, units, mode, tuple(points), stack) or MovePlan(units, stack, mode)


@remembered()
def planned(
    state: State, units: tuple[str, ...], mode: str, points: tuple[int, ...], stack: bool = False
) -> MovePlan | None:
    """OCS 6.1 A move as a whole, None where it cannot be made."""
    if points:
        before = planned(state, units, mode, points[:-1], stack)
        if before is None or before.after is None:
            return None
        if way_to(before.after, units, points[-1]) is None:
            return None
        held = relied_on(before.after, units, points[-1])
        there = staying.only(before.after, zones.mover(state), held)
        way = way_to(there, units, points[-1])
        assert way is not None, "those that it needs stay"
        now = evolve.evolve(before.after, gone(there, units, way))
        now = staying.held(now, held, staying.MARCH)
        return MovePlan(units, stack, mode, points, (*before.legs, way), now, (*before.held, *held))
    if mode and not all(
        may_change(state, name, mode, there=False) for name in changing(state, units, mode)
    ):
        return None
    return MovePlan(units, stack, mode, (), (), fuel.sparingly(turned(state, units, mode), units))


def relied_on(state: State, units: tuple[str, ...], i: int) -> tuple[str, ...]:
    """OCS 4.5b Who has to stay so that these units can go to a hex: in the hexes of enemy zones
    that Truck units pass, and on the path by which units in Strat mode trace where they end."""
    bound = any(
        state.face(name).mobility == TRUCK or state.units[name].marker == STRAT for name in units
    )
    if not bound:
        return ()

    def works(now: State) -> bool:
        return not any(stopped(now, name) for name in units) and way_to(now, units, i) is not None

    return staying.relied(state, zones.mover(state), works)


def on_offer(asked: Asked[State], order: MoveOrder) -> Choices:
    """OCS 6.1 What may come next in the line of a move."""
    state, going = asked.state, order.going
    sealed = fog.strict(state)
    board = state.charts.board
    if not going.units:
        return LazyChoices(
            "ocs.mover",
            lambda: chain(_stacks(state), _movers(state), _markers(state)),
            lambda pick: _begins(state, pick),
            sealed=sealed,
        )
    last = going.after
    assert last is not None, "what was offered can be planned"

    def go_on() -> bool:
        return fuelled(turned(state, going.units, going.mode), going.units) and all(
            movable(last, name) for name in going.units
        )

    def joined_by(name: str) -> bool:
        return joins(state, going.units, name) and may_begin(state, (*going.units, name))

    alone = not going.stack and not going.points and not going.mode

    def modes_left() -> Iterator[str]:
        if not going.mode:
            for mode in _modes(state, going.units, there=not going.points):
                if planned(state, going.units, mode, going.points) is not None:
                    yield mode

    def every() -> Iterator[str]:
        if alone:
            yield from filter(joined_by, state.stack(state.units[going.units[0]].at))
        yield from modes_left()
        if go_on():
            yield from map(board.name, ends(last, going.units))

    def has(pick: Pick) -> bool:
        if pick in state.units:
            return alone and joined_by(str(pick))
        if pick in MODES:
            return pick in modes_left()
        i = board.map.grid.index.get(pick, -1) if isinstance(pick, str) else -1
        return i >= 0 and go_on() and way_to(last, going.units, i) is not None

    # Once a hex has been picked the line may end there: nobody may want to know what lies beyond.
    whole = bool(going.points or going.mode)
    return LazyChoices(
        "ocs.move",
        every,
        has,
        complete=whole,
        sealed=sealed,
    )


def _movers(state: State) -> Iterator[str]:
    """OCS 6.1 Units of the side that acts that can begin a move or go on, by hex."""
    side = zones.mover(state)
    return (
        name
        for i in sorted(state.field.stacks)
        if state.holder(i) == side
        for name in state.stack(i)
        if awaiting(state, name) and may_begin(state, (name,))
    )


def _stacks(state: State) -> Iterator[str]:
    """OCS 6.1 Hexes whose stack can move as one."""
    side = zones.mover(state)
    return (
        state.charts.board.name(i)
        for i in sorted(state.field.stacks)
        if state.holder(i) == side and may_begin(state, to_move(state, i))
    )


def _markers(state: State) -> Iterator[str]:
    """OCS 13.7 Formation markers that can move."""
    side = zones.mover(state)
    return (
        marker
        for marker in state.gathered
        if state.formation_side(marker) == side and may_begin(state, under_marker(state, marker))
    )


def _begins(state: State, pick: Pick) -> bool:
    """Whether a pick is among `_stacks`, `_movers` or `_markers`."""
    if not isinstance(pick, str):
        return False
    if pick in state.gathered:
        return pick in _markers(state)
    if pick in state.units:
        return awaiting(state, pick) and may_begin(state, (pick,))
    ids = state.charts.board.map.grid.index
    i = ids.get(pick, -1)
    return i >= 0 and state.holder(i) == zones.mover(state) and may_begin(state, to_move(state, i))


def starting(state: State, side: str) -> Iterator[str]:
    """OCS 20.0 Combat units of a side that could start a move now and have not."""
    return (
        name
        for name, unit in state.units.items()
        if unit.at != OFF_MAP
        and unit.began == OFF_MAP
        and not unit.spent
        and state.side(name) == side
        and state.counter(name).combat_unit
        and movable(state, name)
    )


def anybody_moves(state: State) -> bool:
    """OCS 6.1 Whether any unit of the side that acts has a move to make."""
    side = zones.mover(state)
    return any(
        awaiting(state, name) and may_begin(state, (name,))
        for i in sorted(state.field.stacks)
        if state.holder(i) == side
        for name in state.stack(i)
    )


@remembered()
def turned(state: State, names: tuple[str, ...], mode: str) -> State:
    """OCS 5.4, 6.1g The position once these units move, and have taken their mode if one is
    named."""
    state = set_aside(state, names)
    for change in changed_modes(state, names, mode) if mode else ():
        state = evolve.evolve(state, change)
    return state


def interrupted(
    table: Table[State], units: tuple[str, ...], mode: str = "", bill: Bill | None = None
) -> None:
    """OCS 6.1f, 6.1g These units move now, once they have taken any mode named. Or nobody moves,
    and `bill` is what is paid instead: any that were under way and do not go on are done. OCS 13.2
    Transport points may pause to feed others and go on."""
    if table.state.move is None:
        return
    stays = left_behind(table.state, units)
    stays += _idly_paused(table.state, units, mode, bill)
    if stays or fog.strict(table.state):
        # Whether anybody was left behind is not told (OCS R-16).
        side = zones.mover(table.state)
        table.emit(MoveFinished(fog.hidden(table.state, side, stays)))
    if not units:
        table.emit(UnderWay(zones.mover(table.state), (), ()))
