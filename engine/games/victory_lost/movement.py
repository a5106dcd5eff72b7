"""8.0 Movement: activated counters, one after the other, normally or along roads, with the lone HQs that they overrun on the way (8.1.4).

A command is ("move", counter, [stack mates], [way of moving], waypoint …); a stack moves like its counters one after the other by the
same path. An overrun ends the command in the HQ's hex; when the HQ has been reset the unit is asked again with the points it has left:
("on", waypoint …) or ("halt",). Costs are in half points (R-01).
"""

from collections.abc import Callable, Mapping
from functools import partial

from engine.games.chitpull import ways
from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.standing import OFF_MAP
from engine.games.chitpull.ways import Travel
from engine.games.victory_lost import headquarters
from engine.games.victory_lost.events import Eliminated, Halted, HqRemoved, Moved, MoveInterrupted
from engine.games.victory_lost.movement_refusals import why_not
from engine.games.victory_lost.reach import (
    NORMAL,
    Order,
    can_go,
    can_move,
    entries,
    goes_on,
    halts,
    modes,
    movable,
    points_text,
    read,
    resumed,
    travel_from,
    travel_of,
    waiting,
    waits,
)
from engine.games.victory_lost.stacking import may_stop
from engine.games.victory_lost.state import Activation, State
from engine.kernel.change import evolve
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Pick, Say, offer, say
from protocol.effects import phase

_MOVE = offer("victory_lost.verb", ("move", "done"))
_MUST_MOVE = offer("victory_lost.verb", ("move",))


class MovementStep(Step[State]):
    """4.1.2(2), 8.0 The active side moves what is activated, in the order it likes, until it is done."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The active side, while anything can still move."""
        activation = at.state.activation
        if activation is None:
            return {}
        going = activation.going
        if going is not None:
            if not goes_on(at.state, (going.counter,), resumed(at.state, activation)):
                return {}
            return {activation.side: Decision(say("prompt.victory_lost.move_on", "12.1", counter=going.counter))}
        if any(can_move(at.state, name) for name in waiting(at.state, activation)):
            return {activation.side: Decision(say("prompt.victory_lost.movement", "8.0"))}
        return {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """8.1.1 One counter (or stack) after the other; 11.2.2 not done while counters of the box can enter."""
        state = at.state
        activation = state.activation
        assert activation is not None
        if activation.going is not None:
            return self._after_overrun(state, activation, picks)
        if not picks:
            must = activation.box and any(
                state.counters[name].where == activation.box and can_move(state, name) for name in waiting(state, activation)
            )
            return _MUST_MOVE if must else _MOVE
        if picks[0] == "done":
            return WHOLE
        if len(picks) == 1:
            return LazyChoices(
                "victory_lost.counter",
                partial(movable, state, activation),
                lambda pick: waits(state, activation, str(pick)) and can_move(state, str(pick)),
            )
        order = read(state, picks[1:])
        if state.counters[order.counters[0]].at == OFF_MAP:
            return self._entering(state, order, picks[-1])
        return self._moving(state, activation, order, picks[-1])

    def _moving(self, state: State, activation: Activation, order: Order, last: Pick) -> Choices:
        """Stack mates and ways of moving may follow the counters; then waypoints."""
        names, memo = order.counters, state.field.memo
        stop = partial(may_stop, state, names)
        travel = travel_of(state, names, order.mode)
        assert travel is not None
        if order.waypoints:
            return self._waypoints(state, travel, order)
        index, ids = state.data.board.grid.index, state.data.board.grid.ids

        def joins(mate: str) -> bool:
            both = (*names, mate)
            if mate <= names[-1] or state.at(mate) != travel.start or not waits(state, activation, mate):
                return False
            return any(can_go(state, both, mode) for mode in modes(state, names))

        def every() -> tuple[Pick, ...]:
            extra: list[Pick] = []
            if last in state.counters:
                extra.extend(mate for mate in state.field.stacks[travel.start] if joins(mate))
                extra.extend(mode for mode in modes(state, names) if mode != NORMAL and can_go(state, names, mode))
            return (*extra, *(ids[i] for i in ways.onward(memo, travel, stop)))

        def has(pick: Pick) -> bool:
            i = index.get(str(pick), OFF_MAP)
            if i != OFF_MAP:
                return _leads(memo, travel, i, stop)
            if last not in state.counters:
                return False
            if pick in state.counters:
                return joins(str(pick))
            return pick != NORMAL and pick in modes(state, names) and can_go(state, names, str(pick))

        return LazyChoices("victory_lost.to", every, has)

    def _waypoints(self, state: State, travel: Travel, order: Order) -> Choices:
        """Waypoints have been given: perhaps the move is whole, perhaps it goes on."""
        index = state.data.board.grid.index
        trip = ways.follow(state.field.memo, travel, [index[name] for name in order.waypoints], partial(halts, state, order.counters))
        here = index[order.waypoints[-1]]
        whole = may_stop(state, order.counters, here)
        if trip.over or trip.left <= 0:
            return offer("victory_lost.to", (), complete=whole)
        return _onward(state, order.counters, evolve(travel, start=here, points=trip.left, moved=True), complete=whole)

    def _entering(self, state: State, order: Order, last: Pick) -> Choices:
        """11.2.2 From the box: an entry hex first, then onward as usual."""
        name = order.counters[0]
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if not order.waypoints:
            ways_in = [mode for mode in modes(state, (name,)) if mode != NORMAL] if last == name else []
            first = tuple(ids[i] for i in sorted(entries(state, name, order.mode)))
            return offer("victory_lost.entry", (*(mode for mode in ways_in if entries(state, name, mode)), *first))
        entry = index[order.waypoints[0]]
        whole = may_stop(state, order.counters, entry)
        left = entries(state, name, order.mode)[entry]
        if halts(state, order.counters, entry) or left <= 0:
            return offer("victory_lost.to", (), complete=whole)
        travel = travel_from(state, order.counters, order.mode, entry, left, moved=True)
        if len(order.waypoints) > 1:
            return self._waypoints(state, travel, Order(order.counters, order.mode, order.waypoints[1:]))
        return _onward(state, order.counters, travel, complete=whole)

    def _after_overrun(self, state: State, activation: Activation, picks: Picks) -> Choices:
        """R-16 The unit goes on with the points it has left, or halts."""
        going = activation.going
        assert going is not None
        if not picks:
            return offer("victory_lost.verb", ("on", "halt"))
        if picks[0] == "halt":
            return WHOLE
        travel = resumed(state, activation)
        if len(picks) > 1:
            return self._waypoints(state, travel, Order((going.counter,), going.mode, tuple(str(pick) for pick in picks[1:])))
        return _onward(state, (going.counter,), travel)

    def decide(self, table: Table[State], frame: Frame, seat: Seat, picks: Picks) -> None:
        """8.1 Carry out a move; a lone HQ in its last hex is overrun (12.1)."""
        state = table.state
        activation = state.activation
        assert activation is not None
        if picks[0] == "done":
            self._close(table)
            return
        if picks[0] == "halt":
            assert activation.going is not None
            table.emit(Halted(activation.going.counter))
            return
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if picks[0] == "on":
            assert activation.going is not None
            names: tuple[str, ...] = (activation.going.counter,)
            mode = activation.going.mode
            travel = resumed(state, activation)
            waypoints = [index[str(pick)] for pick in picks[1:]]
            path = [ids[travel.start]]
        else:
            order = read(state, picks[1:])
            names, mode = order.counters, order.mode
            waypoints = [index[name] for name in order.waypoints]
            if state.counters[names[0]].at == OFF_MAP:
                first = waypoints.pop(0)
                travel = travel_from(state, names, mode, first, entries(state, names[0], mode)[first], moved=True)
                path = [state.counters[names[0]].where, ids[first]]
            else:
                started = travel_of(state, names, mode)
                assert started is not None
                travel = started
                path = [ids[travel.start]]
        trip = ways.follow(state.field.memo, travel, waypoints, partial(halts, state, names))
        path.extend(ids[i] for i in trip.path)
        table.emit(Moved(names, tuple(path), mode, trip.left))
        headquarters.overrun_at(table, names[0], index[path[-1]])
        if headquarters.awaiting_reset(table) and trip.left > 0:
            table.emit(MoveInterrupted(names[0], mode, trip.left))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """An interrupted move cannot go on, or nothing can move any more."""
        activation = table.state.activation
        if activation is not None and activation.going is not None:
            table.emit(Halted(activation.going.counter))
            table.replace(*frame.args)
        else:
            self._close(table)

    def _close(self, table: Table[State]) -> None:
        """11.2.2, R-37 Counters of the box that could not enter are eliminated; an HQ is removed with its chit."""
        activation = table.state.activation
        if activation is not None and activation.box:
            for name in (*activation.units, *activation.hqs):
                if table.state.counters[name].where == activation.box:
                    type_ = table.state.data.types[name]
                    table.emit(HqRemoved(name) if type_.hq else Eliminated(name, "no_entry", type_.points))
        table.tell(phase("phase.victory_lost.combat"))
        table.done()

    def refusal(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal:
        """The clause against the last pick."""
        return why_not(at.state, picks)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """8.1.2 The path that the waypoints mean, what it costs, and what is left."""
        state = at.state
        activation = state.activation
        if activation is None or len(picks) < 2 or picks[0] not in ("move", "on"):
            return ()
        if picks[0] == "on":
            travel: Travel | None = resumed(state, activation)
            names: tuple[str, ...] = (str(activation.going.counter),) if activation.going else ()
            waypoints = tuple(str(pick) for pick in picks[1:])
        else:
            order = read(state, picks[1:])
            names, waypoints = order.counters, order.waypoints
            travel = travel_of(state, names, order.mode)
        if travel is None:
            return ()
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        trip = ways.follow(state.field.memo, travel, [index[name] for name in waypoints], partial(halts, state, names))
        path = tuple(ids[i] for i in trip.path)
        return (
            say("victory_lost.preview.points", "8.1.2", points=points_text(travel.points), left=points_text(0 if trip.over else trip.left)),
            *((say("victory_lost.preview.path", "8.1.2", path=path),) if path else ()),
        )


def _onward(state: State, names: tuple[str, ...], travel: Travel, *, complete: bool = False) -> Choices:
    """Any hex that the counters can reach and stop in, or go on from."""
    memo, stop = state.field.memo, partial(may_stop, state, names)
    index, ids = state.data.board.grid.index, state.data.board.grid.ids

    def every() -> tuple[Pick, ...]:
        return tuple(ids[i] for i in ways.onward(memo, travel, stop))

    def has(pick: Pick) -> bool:
        return _leads(memo, travel, index.get(str(pick), OFF_MAP), stop)

    return LazyChoices("victory_lost.to", every, has, complete=complete)


def _leads(memo: ways.Memo, travel: Travel, i: int, stop: Callable[[int], bool]) -> bool:
    return i != OFF_MAP and i in ways.toward(memo, travel, i) and (stop(i) or ways.leads_on(memo, travel, i, stop))
