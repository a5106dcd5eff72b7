"""9.0 Movement: activated units, one after the other, by normal or march movement.

A command is ("move", unit, [stack mates], ["march"], waypoint …); units that go together move like the same units one after the other by
one path (9.1(1)), at the dearest costs among them. Costs are in half points, which are not rounded (R-02). The TEC's costs, roads,
railways, rivers, bridges and big cities (R-04) are compiled in `data`; R-48 an EZOC costs its points on roads too; R-19 there is no
minimum move. The worked cases of 9.2 example and 9.3 example are tests. 9.3(2) But for its costs a march obeys the rules of normal moves.
"""

from collections.abc import Callable, Mapping
from functools import partial

from attrs import evolve as attrs_evolve
from attrs import frozen

from engine.board.going import Compiled
from engine.board.paths import Stopped
from engine.games.chitpull import ways
from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.sides import MECH
from engine.games.chitpull.standing import OFF_MAP
from engine.games.chitpull.ways import Travel
from engine.games.typhoon.events import Moved
from engine.games.typhoon.state import Activation, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Pick, Say, offer, refuse, say

NORMAL, MARCH = "", "march"


@frozen
class Order:
    """A "move" command as read so far: who goes, in which way, by which waypoints."""

    units: tuple[str, ...]
    mode: str
    waypoints: tuple[str, ...]


def read(state: State, picks: Picks) -> Order:
    """The picks after the verb: units first, then perhaps the way of moving, then hexes."""
    units: list[str] = []
    mode = NORMAL
    waypoints: list[str] = []
    for pick in picks:
        word = str(pick)
        if word in state.units:
            units.append(word)
        elif word == MARCH:
            mode = word
        else:
            waypoints.append(word)
    return Order(tuple(units), mode, tuple(waypoints))


# --- 3.1 stacking -----------------------------------------------------------------------------------------------------------


def has_room(state: State, names: tuple[str, ...], i: int) -> bool:
    """3.1(1), 3.1(2) Whether units may stand in a hex, with those already there: two a hex, HQs included, never with enemies."""
    present = state.field.stacks.get(i)
    if present is None:
        return len(names) <= state.data.stack
    types = state.data.types
    if types[present[0]].side != types[names[0]].side:
        return False
    return len(names) + sum(1 for name in present if name not in names) <= state.data.stack


def stacking_refusal(state: State, names: tuple[str, ...], i: int) -> Refusal | None:
    """3.1(3), R-08 Why units may not end in a hex, None when they may."""
    if has_room(state, names, i):
        return None
    if state.enemies_in(state.data.types[names[0]].side, i):
        return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=state.data.name(i))
    return refuse("3.1(1)", "refusal.typhoon.two_units", hex=state.data.name(i))


# --- who may move, how far --------------------------------------------------------------------------------------------------


def candidates(state: State, activation: Activation) -> tuple[str, ...]:
    """8.1(3) The activated units that have not moved yet, in order of ids."""
    units = state.units
    return tuple(name for name in activation.units if name not in activation.moved and units[name].at != OFF_MAP)


def movable(state: State, activation: Activation) -> tuple[str, ...]:
    """9.1 Those of them that can move at all."""
    return tuple(name for name in candidates(state, activation) if can_move(state, name))


def can_move(state: State, name: str) -> bool:
    """R-19 Whether a unit can pay for any step."""
    key = ("can_move", name, state.allowance(name), state.turn)
    memo = state.field.memo
    found = memo.get(key)
    if found is None:
        found = memo[key] = any(_can_go(state, (name,), mode) for mode in modes(state, (name,)))
    return bool(found)


def _can_go(state: State, names: tuple[str, ...], mode: str) -> bool:
    travel = travel_of(state, names, mode)
    return travel is not None and ways.can_go(state.field.memo, travel, partial(has_room, state, names))


def modes(state: State, names: tuple[str, ...]) -> tuple[str, ...]:
    """9.1(3), 9.3(1) The ways of moving open to units in one hex: march from a road hex outside EZOC, while there are roads (14.1, R-18).
    15.1(2) Not for units of RESERVE outside every command range."""
    at = state.units[names[0]].at
    board = state.weather.march
    side = state.data.types[names[0]].side
    halved = state.activation.halved if state.activation is not None else frozenset()
    if board is None or not board.plain[at] or state.field.in_enemy_zone(side, at) or any(name in halved for name in names):
        return (NORMAL,)
    return (NORMAL, MARCH)


def travel_of(state: State, names: tuple[str, ...], mode: str) -> Travel | None:
    """Units about to move together from their hex; None when they do not stand together on the map or cannot go that way."""
    points = min(state.allowance(name) for name in names)
    key = ("travel", names, mode, points, state.turn)
    memo = state.field.memo
    if key not in memo:
        memo[key] = _travel(state, names, mode, points)
    found: Travel | None = memo[key]
    return found


def _travel(state: State, names: tuple[str, ...], mode: str, points: int) -> Travel | None:
    at = state.units[names[0]].at
    if at == OFF_MAP or any(state.units[name].at != at for name in names):
        return None
    types = [state.data.types[name] for name in names]
    weather = state.weather
    # The mechanised column is the dearer one throughout, so a mixed stack pays by it.
    column = types[0].going if all(type_.going == types[0].going for type_ in types) else MECH
    board: Compiled | None = weather.march if mode == MARCH else weather.normal[column]
    if board is None:
        return None
    now = state.field.conditions(types[0].side, weather, zones_closed=mode == MARCH)
    return Travel(board, at, points, now, False, (types[0].side, column, mode, weather.name))


# --- 5.0(4) the movement segment --------------------------------------------------------------------------------------------


class MovementSegment(Step[State]):
    """5.0(4), 9.0 The active player moves what is activated, in the order he likes, until he is done. R-17 All moves come before combat."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The active player, while anything can still move."""
        activation = at.state.activation
        if activation is None or not any(can_move(at.state, name) for name in candidates(at.state, activation)):
            return {}
        return {activation.side: Decision(say("prompt.typhoon.movement", "9.1"))}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """9.1(1) One unit (or stack) after the other; 9.1(2) moving is optional."""
        state = at.state
        activation = state.activation
        assert activation is not None
        if not picks:
            return offer("typhoon.verb", ("move", "done"))
        if picks[0] == "done":
            return WHOLE
        if len(picks) == 1:
            return _units(state, activation)
        return self._moving(state, activation, read(state, picks[1:]), picks[-1])

    def _moving(self, state: State, activation: Activation, order: Order, last: Pick) -> Choices:
        """Stack mates and march may follow the units; then waypoints."""
        names, memo = order.units, state.field.memo
        stop = partial(has_room, state, names)
        travel = travel_of(state, names, order.mode)
        assert travel is not None
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        extra: list[Pick] = []
        whole = False
        if order.waypoints:
            trip = ways.follow(memo, travel, [index[name] for name in order.waypoints], _never)
            here = index[order.waypoints[-1]]
            whole = stop(here)
            if trip.over or trip.left <= 0:
                return offer("typhoon.to", (), complete=whole)
            travel = attrs_evolve(travel, start=here, points=trip.left, moved=True)
        elif last in state.units:
            mates = state.field.stacks[travel.start]
            if len(mates) > len(names):
                waiting = candidates(state, activation)
                for mate in mates:
                    both = (*names, mate)
                    if mate > names[-1] and mate in waiting and any(_can_go(state, both, mode) for mode in modes(state, both)):
                        extra.append(mate)
            if MARCH in modes(state, names) and _can_go(state, names, MARCH):
                extra.append(MARCH)
        mover = travel

        def every() -> tuple[Pick, ...]:
            return (*extra, *(ids[i] for i in ways.onward(memo, mover, stop)))

        def has(pick: Pick) -> bool:
            return pick in extra or _leads(memo, mover, index.get(str(pick), OFF_MAP), stop)

        return LazyChoices("typhoon.to", every, has, complete=whole)

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return _why_not(at.state, picks)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """9.2(1) The path that the waypoints mean, what it costs, and what is left."""
        state = at.state
        if state.activation is None or len(picks) < 2 or picks[0] != "move":
            return ()
        order = read(state, picks[1:])
        travel = travel_of(state, order.units, order.mode)
        if travel is None:
            return ()
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        trip = ways.follow(state.field.memo, travel, [index[name] for name in order.waypoints], _never)
        path = tuple(ids[i] for i in trip.path)
        return (
            say("typhoon.preview.points", "9.2(1)1", points=points_text(travel.points), left=points_text(0 if trip.over else trip.left)),
            *((say("typhoon.preview.path", "9.2(1)", path=path),) if path else ()),
        )

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """9.1 Carry out a move, or be done."""
        if picks[0] == "done":
            table.done()
            return
        state = table.state
        order = read(state, picks[1:])
        travel = travel_of(state, order.units, order.mode)
        assert travel is not None
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        trip = ways.follow(state.field.memo, travel, [index[name] for name in order.waypoints], _never)
        table.emit(Moved(order.units, (ids[travel.start], *(ids[i] for i in trip.path)), order.mode))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nothing can move any more."""
        table.done()


def _units(state: State, activation: Activation) -> Choices:
    """The units that can move."""

    def every() -> tuple[Pick, ...]:
        return movable(state, activation)

    def has(pick: Pick) -> bool:
        return isinstance(pick, str) and pick in candidates(state, activation) and can_move(state, pick)

    return LazyChoices("typhoon.unit", every, has)


def _never(i: int) -> bool:
    """Nothing in a hex ends a move by itself in this game."""
    return False


def _leads(memo: ways.Memo, travel: Travel, i: int, stop: Callable[[int], bool]) -> bool:
    return i != OFF_MAP and i in ways.reached(memo, travel) and (stop(i) or ways.leads_on(memo, travel, i, stop))


def points_text(halves: int) -> str:
    """Half points as people write them."""
    whole, half = divmod(halves, 2)
    return f"{whole}½" if half else str(whole)


# --- why not ----------------------------------------------------------------------------------------------------------------

_STOPPED: Mapping[Stopped, tuple[str, str]] = {
    Stopped.NO_WAY: ("9.1(2)", "refusal.typhoon.no_way"),
    Stopped.APART: ("9.2(1)", "refusal.typhoon.out_of_reach"),
    Stopped.CLOSED: ("3.1(2)", "refusal.typhoon.enemy_there"),
    Stopped.ENDED: ("9.2(3)", "refusal.typhoon.move_over"),
    Stopped.NOT_FIRST: ("9.2(3)", "refusal.typhoon.river_not_first"),
    Stopped.BETWEEN_ZONES: ("9.2(3)", "refusal.typhoon.between_zones"),
    Stopped.ZONE: ("9.3(1)", "refusal.typhoon.march_zone"),
    Stopped.POINTS: ("9.2(1)", "refusal.typhoon.out_of_reach"),
}


def _why_not(state: State, picks: Picks) -> Refusal:
    activation = state.activation
    pick = str(picks[-1])
    if activation is None or len(picks) == 1 or picks[0] != "move":
        return refuse("9.1", "refusal.typhoon.verb", pick=pick)
    if pick in state.units:
        return _why_not_unit(state, activation, pick, joining=len(picks) > 2)
    order = read(state, picks[1:-1])
    if not order.units:
        return refuse("9.1(1)", "refusal.typhoon.verb", pick=pick)
    if pick == MARCH:
        return _why_no_march(state, order)
    grid = state.data.board.grid
    i = grid.index.get(pick, OFF_MAP)
    if i == OFF_MAP:
        return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=pick)
    if i in state.data.water:
        return refuse("TEC", "refusal.typhoon.lake", hex=pick)
    side = state.data.types[order.units[0]].side
    if state.enemies_in(side, i):
        return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=pick)
    travel = travel_of(state, order.units, order.mode)
    assert travel is not None
    trip = ways.follow(state.field.memo, travel, [grid.index[name] for name in order.waypoints], _never)
    if order.waypoints:
        if trip.over:
            return refuse("9.2(3)", "refusal.typhoon.move_over", hex=pick, left="0")
        travel = attrs_evolve(travel, start=grid.index[order.waypoints[-1]], points=trip.left, moved=True)
    if i in ways.reached(state.field.memo, travel):
        full = stacking_refusal(state, order.units, i)
        if full is not None:
            return full
    if order.mode == MARCH and state.field.in_enemy_zone(side, i):
        return refuse("9.3(1)", "refusal.typhoon.march_zone", hex=pick)
    why = ways.why_not(travel, i) if i in grid.adjacent[travel.start] else Stopped.POINTS
    if order.mode == MARCH and why is Stopped.NO_WAY:
        return refuse("9.3(1)", "refusal.typhoon.off_road", hex=pick)
    rule, key = _STOPPED[why]
    return refuse(rule, key, hex=pick, left=points_text(travel.points))


def _why_not_unit(state: State, activation: Activation, name: str, *, joining: bool) -> Refusal:
    if state.data.types[name].side != activation.side:
        return refuse("7.1(2)", "refusal.typhoon.not_yours", unit=name)
    if name in activation.moved:
        return refuse("8.1(3)", "refusal.typhoon.moved_already", unit=name)
    if name not in activation.units:
        # RESERVE and OKH activate what was named, and nothing by range
        rule = "15.1(1)" if not activation.hq else "8.1(4)" if state.data.types[name].hq else "8.2(2)"
        return refuse(rule, "refusal.typhoon.not_activated", unit=name)
    return refuse("9.1(1)" if joining else "9.2(1)", "refusal.typhoon.cannot_move", unit=name)


def _why_no_march(state: State, order: Order) -> Refusal:
    at = state.at(order.units[0])
    side = state.data.types[order.units[0]].side
    if state.weather.march is None:
        return refuse("14.1", "refusal.typhoon.roads_lost")
    if state.field.in_enemy_zone(side, at):
        return refuse("9.3(1)", "refusal.typhoon.march_from_zone")
    if not state.weather.march.plain[at]:
        return refuse("9.3(1)", "refusal.typhoon.march_off_road", hex=state.data.name(at))
    if state.activation is not None and any(name in state.activation.halved for name in order.units):
        return refuse("15.1(2)", "refusal.typhoon.no_reserve_march")
    return refuse("9.3(1)", "refusal.typhoon.march_blocked")
