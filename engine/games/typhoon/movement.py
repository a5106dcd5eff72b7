"""9.0 Movement: activated units, one after the other, by normal or march movement.

A command is ("move", unit, [stack mates], ["march"], waypoint …); units that go together move like the same units one after the other by
one path (9.1(1)), at the dearest costs among them. Costs are in half points, which are not rounded (R-02). The TEC's costs, roads,
railways, rivers, bridges and big cities (R-04) are compiled in `data`; R-48 an EZOC costs its points on roads too; R-19 there is no
minimum move. The worked cases of 9.2 example and 9.3 example are tests. 9.3(2) But for its costs a march obeys the rules of normal moves.
How a move is read, offered and told stands in engine/games/chitpull/moves.py.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from engine.board.going import Compiled
from engine.board.paths import Stopped
from engine.games.chitpull import moves, ways
from engine.games.chitpull.moves import NORMAL, Journey, Order
from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.standing import OFF_MAP, hex_at
from engine.games.chitpull.ways import Travel
from engine.games.typhoon.events import Moved
from engine.games.typhoon.state import Activation, State
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Pick, Say, offer, refuse, say

MARCH = "march"
MODES = (MARCH,)


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


def movable(state: State, activation: Activation) -> Iterator[str]:
    """9.1 Those of them that can move at all, worked out one by one."""
    return (name for name in candidates(state, activation) if can_move(state, name))


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
    at = moves.together(state, names)
    if at == OFF_MAP:
        return None
    side, column, weather = state.data.types[names[0]].side, moves.column(state.data.types, names), state.weather
    board: Compiled | None = weather.march if mode == MARCH else weather.normal[column]
    if board is None:
        return None
    now = state.field.conditions(side, weather, zones_closed=mode == MARCH)
    return Travel(board, at, points, now, False, (side, column, mode, weather.name))


def journey_of(state: State, order: Order) -> Journey | None:
    """The units of a command about to move; None when they cannot go together that way."""
    travel = travel_of(state, order.names, order.mode)
    if travel is None:
        return None
    return Journey(state.data.board.grid, state.field.memo, travel, partial(has_room, state, order.names), _never)


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
        order = moves.read(picks[1:], state.units, MODES)
        journey = journey_of(state, order)
        assert journey is not None
        names = order.names
        if order.waypoints:
            return moves.underway(journey, order.waypoints, "typhoon.to")
        if order.mode != NORMAL:
            return moves.onward(journey, "typhoon.to")

        def joins(mate: str) -> bool:
            both = (*names, mate)
            if mate <= names[-1] or mate not in candidates(state, activation):
                return False
            return any(_can_go(state, both, mode) for mode in modes(state, both))

        mates = state.field.stacks[journey.travel.start]
        return moves.departing(journey, "typhoon.to", mates, joins, modes(state, names), partial(_can_go, state, names))

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return _why_not(at.state, picks)

    def unfinished(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal | None:
        """3.1(1), 3.1(3) A move may pass through a full hex, not end in it."""
        state = at.state
        order = moves.read(picks[1:], state.units, MODES)
        return stacking_refusal(state, order.names, state.data.hex(order.waypoints[-1])) if order.waypoints else None

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """9.2(1) The path that the waypoints mean, what it costs, and what is left."""
        state = at.state
        if state.activation is None or len(picks) < 2 or picks[0] != "move":
            return ()
        order = moves.read(picks[1:], state.units, MODES)
        journey = journey_of(state, order)
        if journey is None:
            return ()
        return moves.told(
            journey,
            order.waypoints,
            lambda points, left: say("typhoon.preview.points", "9.2(1)1", points=points, left=left),
            lambda path: say("typhoon.preview.path", "9.2(1)", path=path),
        )

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """9.1 Carry out a move, or be done."""
        if picks[0] == "done":
            table.done()
            return
        state = table.state
        order = moves.read(picks[1:], state.units, MODES)
        journey = journey_of(state, order)
        assert journey is not None
        path = journey.path(journey.follow(order.waypoints))
        table.emit(Moved(order.names, (state.data.name(journey.travel.start), *path), order.mode))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nothing can move any more."""
        table.done()


def _units(state: State, activation: Activation) -> Choices:
    """The units that can move."""

    def every() -> Iterator[Pick]:
        return movable(state, activation)

    def has(pick: Pick) -> bool:
        return isinstance(pick, str) and pick in candidates(state, activation) and can_move(state, pick)

    return LazyChoices("typhoon.unit", every, has)


def _never(i: int) -> bool:
    """Nothing in a hex ends a move by itself in this game."""
    return False


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
    order = moves.read(picks[1:-1], state.units, MODES)
    if not order.names:
        return refuse("9.1(1)", "refusal.typhoon.verb", pick=pick)
    if pick == MARCH:
        return _why_no_march(state, order)
    i = hex_at(state, pick)
    if i == OFF_MAP:
        return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=pick)
    if i in state.data.water:
        return refuse("TEC", "refusal.typhoon.lake", hex=pick)
    side = state.data.types[order.names[0]].side
    if state.enemies_in(side, i):
        return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=pick)
    journey = journey_of(state, order)
    assert journey is not None
    found = moves.obstacle(journey, order.waypoints, i)
    if found.over:
        return refuse("9.2(3)", "refusal.typhoon.move_over", hex=pick, left="0")
    full = stacking_refusal(state, order.names, i) if found.within else None
    if full is not None:
        return full
    if order.mode == MARCH and state.field.in_enemy_zone(side, i):
        return refuse("9.3(1)", "refusal.typhoon.march_zone", hex=pick)
    if order.mode == MARCH and found.why is Stopped.NO_WAY:
        return refuse("9.3(1)", "refusal.typhoon.off_road", hex=pick)
    rule, key = _STOPPED[found.why]
    return refuse(rule, key, hex=pick, left=moves.points_text(found.journey.travel.points))


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
    at = state.at(order.names[0])
    side = state.data.types[order.names[0]].side
    if state.weather.march is None:
        return refuse("14.1", "refusal.typhoon.roads_lost")
    if state.field.in_enemy_zone(side, at):
        return refuse("9.3(1)", "refusal.typhoon.march_from_zone")
    if not state.weather.march.plain[at]:
        return refuse("9.3(1)", "refusal.typhoon.march_off_road", hex=state.data.name(at))
    if state.activation is not None and any(name in state.activation.halved for name in order.names):
        return refuse("15.1(2)", "refusal.typhoon.no_reserve_march")
    return refuse("9.3(1)", "refusal.typhoon.march_blocked")
