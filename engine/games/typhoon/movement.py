"""9.0 Movement: activated units, one after the other, by normal or march movement.

Units that go together move like the same units one after the other by one path (9.1(1)), at the
dearest costs among them. Costs are in half points, which are not rounded (R-02). The TEC's costs,
roads, railways, rivers, bridges and big cities (R-04) are compiled in `data`; R-19 there is no
minimum move. How a move is read, offered and told stands in engine/games/chitpull/moves.py, by
which way each waypoint is reached in ways.py there. A step is paid for in engine/board/paths.py.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from warledger.engine.board.going import Compiled
from warledger.engine.board.paths import Stopped
from warledger.engine.games.chitpull import moves, ways
from warledger.engine.games.chitpull.moves import NORMAL, Journey, MoveOrder, Moving
from warledger.engine.games.chitpull.states import OFF_MAP, active, hex_at
from warledger.engine.games.chitpull.ways import Mover
from warledger.engine.games.typhoon.state import Activation, State, Unit, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Free, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.lazy import LazyChoices
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Seat, Step, event
from warledger.protocol.board.choices import Choices, Say, refuse, say
from warledger.protocol.board.effects import Effect, move, tell

# --- events ---------------------------------------------------------------------------------------


@event("moved")
class Moved:
    """9.0 Units have moved along a path (their own hex first), by normal movement or ("march") by
    march movement."""

    units: tuple[str, ...]
    path: tuple[str, ...]
    mode: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Moved)
def _moved(state: State, event: Moved) -> State:
    to = state.data.hex(event.path[-1])
    units = dict(state.units)
    field = state.field
    for name in event.units:
        old = units[name]
        units[name] = Unit(to, "", old.reduced)
        field = field.moved(name, old.at, to)
    activation = state.activation
    if activation is not None:
        activation = replace(activation, moved=activation.moved.union(event.units))
    return changed(state, units=units, field=field, activation=activation)


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Moved)
def _draw_moved(before: State, event: Moved, after: State) -> Iterable[Effect]:
    for name in event.units:
        yield move(name, *event.path)
    if event.mode:
        yield tell("typhoon.marched", "9.3(1)", units=event.units, path=event.path)
    else:
        yield tell("typhoon.moved", "9.1", units=event.units, path=event.path)


MARCH = "march"
MODES = (MARCH,)


# --- 3.1 stacking ---------------------------------------------------------------------------------


def has_room(state: State, names: tuple[str, ...], i: int) -> bool:
    """3.1, 3.1(1), 3.1(2) Whether units may stand in a hex, with those already there: two a hex,
    HQs included, never with enemies."""
    present, data = state.field.stacks.get(i), state.data
    count = len(names)
    if present is None:
        return count <= data.stack
    types = data.types
    if types[present[0]].side != types[names[0]].side:
        return False
    for name in present:
        if name not in names:
            count += 1
    return count <= data.stack


def why_not_stacked(state: State, names: tuple[str, ...], i: int) -> Refusal | None:
    """3.1(3), R-08 Why units may not end in a hex, None when they may."""
    if has_room(state, names, i):
        return None
    if state.enemies_in(state.data.types[names[0]].side, i):
        return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=state.data.name(i))
    return refuse("3.1(1)", "refusal.typhoon.two_units", hex=state.data.name(i))


# --- who may move, how far ------------------------------------------------------------------------


def candidates(state: State, activation: Activation) -> Iterator[str]:
    """8.1(3) The activated units that have not moved yet, in order of ids, one by one: whether
    there is any that can move is mostly told by the first."""
    units = state.units
    return (
        name
        for name in activation.units
        if name not in activation.moved and units[name].at != OFF_MAP
    )


def movable(state: State, activation: Activation) -> Iterator[str]:
    """9.1 Those of them that can move at all, worked out one by one."""
    return (name for name in candidates(state, activation) if can_move(state, name))


@remembered(
    of=lambda state, name: state.field,
    by=lambda state, name: (name, state.allowance(name), state.turn),
)
def can_move(state: State, name: str) -> bool:
    """R-19 Whether a unit can pay for any step."""
    return _can_go_somehow(state, (name,))


def _can_go_somehow(state: State, names: tuple[str, ...]) -> bool:
    """9.1(3), R-19 Whether units can go together in any way of moving: mostly in the first."""
    return _can_go(state, names, NORMAL) or any(
        _can_go(state, names, mode) for mode in modes(state, names) if mode != NORMAL
    )


def _can_go(state: State, names: tuple[str, ...], mode: str) -> bool:
    mover = mover_of(state, names, mode)
    return mover is not None and ways.can_go(state.field, mover, partial(has_room, state, names))


def modes(state: State, names: tuple[str, ...]) -> tuple[str, ...]:
    """9.1(3), 9.3(1) The ways of moving open to units in one hex: march from a road hex outside
    EZOC, while there are roads (14.1, R-18). 15.1(2) Not for units of RESERVE outside every command
    range."""
    at = state.units[names[0]].at
    board = state.weather.march
    side = state.data.types[names[0]].side
    halved = state.activation.halved if state.activation is not None else frozenset()
    if (
        board is None
        or not board.plain[at]
        or state.field.in_enemy_zone(side, at)
        or not halved.isdisjoint(names)
    ):
        return (NORMAL,)
    return (NORMAL, MARCH)


def mover_of(state: State, names: tuple[str, ...], mode: str) -> Mover | None:
    """Units about to move together from their hex; None when they do not stand together on the map
    or cannot go that way."""
    return _mover(state, names, mode, moves.least(state.allowance, names))


@remembered(
    of=lambda state, names, mode, points: state.field,
    by=lambda state, names, mode, points: (names, mode, points, state.turn),
)
def _mover(state: State, names: tuple[str, ...], mode: str, points: int) -> Mover | None:
    """R-48 What EZOCs cost is looked up by the weather and not by the way of moving: along roads,
    too (9.2 example). 9.3 example A march has a board of its own, on which roads alone cost what a
    march does."""
    at = moves.together(state, names)
    if at == OFF_MAP:
        return None
    side, column, weather = (
        state.data.types[names[0]].side,
        moves.column(state.data.types, names),
        state.weather,
    )
    board: Compiled | None = weather.march if mode == MARCH else weather.normal[column]
    if board is None:
        return None
    now = state.field.conditions(side, weather, zones_closed=mode == MARCH)
    return Mover(board, at, points, now, False, (side, column, mode, weather.name))


def _setting_out(state: State, order: MoveOrder) -> Journey:
    """The units of a command about to move. 9.3(2) But for its costs a march obeys the rules of
    normal moves: it finds room by the same rule."""
    mover = mover_of(state, order.names, order.mode)
    assert mover is not None, "they stand together, and can go that way"
    room = partial(has_room, state, order.names)
    return Journey(state.data.board.grid, state.field, mover, room, _never)


# --- 5.0(4) the movement segment ------------------------------------------------------------------


class MovementSegment(Asking[State]):
    """5.0(4), 9.0 The active player moves what is activated, in any order, until all is done. R-17
    All moves come before combat."""

    verb_slot = "typhoon.verb"
    question = Decision(say("prompt.typhoon.movement", "9.1"))

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The active player, while anything can still move."""
        activation = at.state.activation
        if activation is None or not any(
            can_move(at.state, name) for name in candidates(at.state, activation)
        ):
            return {}
        return {activation.side: self.question}

    def commands(self) -> Commands[State]:
        """9.1(1) One unit (or stack) after the other; 9.1(2) moving is optional."""
        return (
            Command(
                "move",
                Moving,
                Free(
                    "way",
                    lambda asked, picks: moves.read(picks, asked.state.units, MODES),
                    self._onward,
                    self._why_not,
                    form="UNIT [UNIT …] [march] HEX …",
                ),
                apply=self._move,
                unfinished=self._why_not_yet,
                preview=self._preview,
            ),
            word("done", lambda table, asked: table.done(), beyond=self.no_verb),
        )

    def _onward(self, asked: Asked[State], order: Moving) -> Choices:
        """Units that go together, the way of moving, waypoints."""
        state, way = asked.state, order.way
        activation, names = active(state), way.names
        if not names:
            return _units(state, activation)
        journey = _setting_out(state, way)
        if way.waypoints:
            return moves.underway(journey, way.waypoints, "typhoon.to")
        if way.mode != NORMAL:
            return moves.onward(journey, "typhoon.to")

        def joins(mate: str) -> bool:
            both = (*names, mate)
            if mate <= names[-1] or mate not in candidates(state, activation):
                return False
            return _can_go_somehow(state, both)

        mates = state.field.stacks[journey.mover.start]
        return moves.departing(
            journey, "typhoon.to", mates, joins, modes(state, names), partial(_can_go, state, names)
        )

    def _why_not_yet(self, asked: Asked[State], order: Moving) -> Refusal | None:
        """3.1(1), 3.1(3) A move may pass through a full hex, not end in it."""
        state, way = asked.state, order.way
        if not way.waypoints:
            return None
        return why_not_stacked(state, way.names, state.data.hex(way.waypoints[-1]))

    def _preview(self, asked: Asked[State], order: Moving) -> tuple[Say, ...]:
        """9.2(1) The path that the waypoints mean, what it costs, and what is left."""
        if not order.way.names:
            return ()
        return moves.told(
            _setting_out(asked.state, order.way),
            order.way.waypoints,
            lambda points, left: say("typhoon.preview.points", "9.2(1)1", points=points, left=left),
            lambda path: say("typhoon.preview.path", "9.2(1)", path=path),
        )

    def _move(self, table: Table[State], asked: Asked[State], order: Moving) -> None:
        """9.1 Carry out a move."""
        state, way = asked.state, order.way
        journey = _setting_out(state, way)
        path = journey.path(journey.follow(way.waypoints))
        table.emit(Moved(way.names, (state.data.name(journey.mover.start), *path), way.mode))

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """9.1 Nothing else is done now."""
        return refuse("9.1", "refusal.typhoon.verb", pick=str(verb))

    def _why_not(self, asked: Asked[State], order: Moving, pick: Pick) -> Refusal:
        """The clause against a unit, a way of moving or a hex."""
        state, way = asked.state, order.way
        if pick in state.units:
            return _why_not_unit(state, active(state), str(pick), joining=bool(way.names))
        if not way.names and hex_at(state, pick) != OFF_MAP:
            return refuse("9.1(1)", "refusal.typhoon.none_to_move", hex=str(pick))
        if not way.names:
            return refuse("9.1(1)", "refusal.typhoon.verb", pick=str(pick))
        return _why_no_march(state, way) if pick == MARCH else _why_not_hex(state, way, pick)

    def advance(self, table: Table[State], frame: Frame) -> None:
        """Nothing can move any more."""
        table.done()


def _units(state: State, activation: Activation) -> Choices:
    """The units that can move."""

    def every() -> Iterator[Pick]:
        return movable(state, activation)

    def has(pick: Pick) -> bool:
        return (
            isinstance(pick, str)
            and pick in candidates(state, activation)
            and can_move(state, pick)
        )

    return LazyChoices("typhoon.unit", every, has)


def _never(i: int) -> bool:
    """Nothing in a hex ends a move by itself in this game."""
    return False


# --- why not --------------------------------------------------------------------------------------

_STOPPED: Mapping[Stopped, tuple[str, str]] = {
    Stopped.NO_WAY: ("9.1(2)", "refusal.typhoon.no_way"),
    Stopped.APART: ("9.2(1)", "refusal.typhoon.out_of_reach"),
    Stopped.NO_ENTRY: ("3.1(2)", "refusal.typhoon.enemy_there"),
    Stopped.ENDED: ("9.2(3)", "refusal.typhoon.move_over"),
    Stopped.NOT_FIRST: ("9.2(3)", "refusal.typhoon.river_not_first"),
    Stopped.BETWEEN_ZONES: ("9.2(3)", "refusal.typhoon.between_zones"),
    Stopped.ZONE: ("9.3(1)", "refusal.typhoon.march_zone"),
    Stopped.POINTS: ("9.2(1)", "refusal.typhoon.out_of_reach"),
}


def _why_not_hex(state: State, order: MoveOrder, pick: Pick) -> Refusal:
    name = str(pick)
    i = hex_at(state, pick)
    if i == OFF_MAP:
        return refuse("2.1(1)5", "refusal.typhoon.no_such_hex", hex=name)
    if i in state.data.water:
        return refuse("TEC", "refusal.typhoon.lake", hex=name)
    side = state.data.types[order.names[0]].side
    if state.enemies_in(side, i):
        return refuse("3.1(2)", "refusal.typhoon.enemy_there", hex=name)
    found = moves.obstacle(_setting_out(state, order), order.waypoints, i)
    if found.over:
        return refuse("9.2(3)", "refusal.typhoon.move_over", hex=name, left="0")
    full = why_not_stacked(state, order.names, i) if found.within else None
    if full is not None:
        return full
    if order.mode == MARCH and state.field.in_enemy_zone(side, i):
        return refuse("9.3(1)", "refusal.typhoon.march_zone", hex=name)
    if order.mode == MARCH and found.why is Stopped.NO_WAY:
        return refuse("9.3(1)", "refusal.typhoon.off_road", hex=name)
    rule, key = _STOPPED[found.why]
    return refuse(rule, key, hex=name, left=moves.points_text(found.journey.mover.points))


def _why_not_unit(state: State, activation: Activation, name: str, *, joining: bool) -> Refusal:
    if state.data.types[name].side != activation.side:
        return refuse("7.1(2)", "refusal.typhoon.not_yours", unit=name)
    if name in activation.moved:
        return refuse("8.1(3)", "refusal.typhoon.moved_already", unit=name)
    if name not in activation.units:
        # RESERVE and OKH activate what was named, and nothing by range
        rule = (
            "15.1(1)" if not activation.hq else "8.1(4)" if state.data.types[name].hq else "8.2(2)"
        )
        return refuse(rule, "refusal.typhoon.not_activated", unit=name)
    return refuse("9.1(1)" if joining else "9.2(1)", "refusal.typhoon.cannot_move", unit=name)


def _why_no_march(state: State, order: MoveOrder) -> Refusal:
    at = state.at(order.names[0])
    side = state.data.types[order.names[0]].side
    if state.weather.march is None:
        return refuse("14.1", "refusal.typhoon.roads_lost")
    if state.field.in_enemy_zone(side, at):
        return refuse("9.3(1)", "refusal.typhoon.march_from_zone")
    if not state.weather.march.plain[at]:
        return refuse("9.3(1)", "refusal.typhoon.march_off_road", hex=state.data.name(at))
    if state.activation is not None and any(
        name in state.activation.halved for name in order.names
    ):
        return refuse("15.1(2)", "refusal.typhoon.no_reserve_march")
    return refuse("9.3(1)", "refusal.typhoon.march_blocked")


STEPS: Mapping[str, Step[State]] = {
    "movement_segment": MovementSegment(),
}
