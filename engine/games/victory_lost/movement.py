"""8.0 Movement: activated counters, one after the other, normally or along roads, with the lone HQs that they overrun on the way (8.1.4).

A command is ("move", counter, [stack mates], [way of moving], waypoint …); a stack moves like its counters one after the other by the
same path. An overrun ends the command in the HQ's hex; when the HQ has been reset the unit is asked again with the points it has left:
("on", waypoint …) or ("halt",). Costs are in half points (R-01). How a move is read, offered and told stands in
engine/games/chitpull/moves.py.
"""

from collections.abc import Mapping
from functools import partial

from engine.games.chitpull import moves
from engine.games.chitpull.moves import NORMAL, Order
from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.standing import OFF_MAP
from engine.games.chitpull.ways import Travel
from engine.games.victory_lost import headquarters
from engine.games.victory_lost.events import Eliminated, Halted, HqRemoved, Moved, MoveInterrupted
from engine.games.victory_lost.movement_refusals import why_not
from engine.games.victory_lost.reach import (
    MODES,
    can_go,
    can_move,
    entries,
    goes_on,
    halts,
    journey_of,
    modes,
    movable,
    resumed,
    travel_from,
    travel_of,
    waiting,
    waits,
)
from engine.games.victory_lost.stacking import may_stop, stacking_refusal
from engine.games.victory_lost.state import Activation, State
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
        order = moves.read(picks[1:], state.counters, MODES)
        if state.at(order.names[0]) == OFF_MAP:
            return self._entering(state, order, picks[-1])
        return self._moving(state, activation, order)

    def _moving(self, state: State, activation: Activation, order: Order) -> Choices:
        """Stack mates and ways of moving may follow the counters; then waypoints."""
        names = order.names
        travel = travel_of(state, names, order.mode)
        assert travel is not None
        journey = journey_of(state, names, travel)
        if order.waypoints:
            return moves.underway(journey, order.waypoints, "victory_lost.to")
        if order.mode != NORMAL:
            return moves.onward(journey, "victory_lost.to")

        def joins(mate: str) -> bool:
            both = (*names, mate)
            if mate <= names[-1] or not waits(state, activation, mate):
                return False
            return any(can_go(state, both, mode) for mode in modes(state, names))

        mates = state.field.stacks[travel.start]
        return moves.departing(journey, "victory_lost.to", mates, joins, modes(state, names), partial(can_go, state, names))

    def _entering(self, state: State, order: Order, last: Pick) -> Choices:
        """11.2.2 From the box: an entry hex first, then onward as usual."""
        name = order.names[0]
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if not order.waypoints:
            ways_in = [mode for mode in modes(state, (name,)) if mode != NORMAL] if last == name else []
            first = tuple(ids[i] for i in sorted(entries(state, name, order.mode)))
            return offer("victory_lost.entry", (*(mode for mode in ways_in if entries(state, name, mode)), *first))
        entry = index[order.waypoints[0]]
        whole = may_stop(state, order.names, entry)
        left = entries(state, name, order.mode)[entry]
        if halts(state, order.names, entry) or left <= 0:
            return offer("victory_lost.to", (), complete=whole)
        journey = journey_of(state, order.names, travel_from(state, order.names, order.mode, entry, left, moved=True))
        if len(order.waypoints) > 1:
            return moves.underway(journey, order.waypoints[1:], "victory_lost.to")
        return moves.onward(journey, "victory_lost.to", complete=whole)

    def _after_overrun(self, state: State, activation: Activation, picks: Picks) -> Choices:
        """R-16 The unit goes on with the points it has left, or halts."""
        going = activation.going
        assert going is not None
        if not picks:
            return offer("victory_lost.verb", ("on", "halt"))
        if picks[0] == "halt":
            return WHOLE
        journey = journey_of(state, (going.counter,), resumed(state, activation))
        if len(picks) > 1:
            return moves.underway(journey, tuple(str(pick) for pick in picks[1:]), "victory_lost.to")
        return moves.onward(journey, "victory_lost.to")

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
        data = state.data
        if picks[0] == "on":
            assert activation.going is not None
            order = Order((activation.going.counter,), activation.going.mode, tuple(str(pick) for pick in picks[1:]))
            travel = resumed(state, activation)
            path = [data.name(travel.start)]
        else:
            order = moves.read(picks[1:], state.counters, MODES)
            if state.at(order.names[0]) == OFF_MAP:
                first, *waypoints = order.waypoints
                entry = data.hex(first)
                travel = travel_from(state, order.names, order.mode, entry, entries(state, order.names[0], order.mode)[entry], moved=True)
                order = Order(order.names, order.mode, tuple(waypoints))
                path = [state.counters[order.names[0]].where, first]
            else:
                started = travel_of(state, order.names, order.mode)
                assert started is not None
                travel = started
                path = [data.name(travel.start)]
        journey = journey_of(state, order.names, travel)
        trip = journey.follow(order.waypoints)
        path.extend(journey.path(trip))
        table.emit(Moved(order.names, tuple(path), order.mode, trip.left))
        headquarters.overrun_at(table, order.names[0], data.hex(path[-1]))
        if headquarters.awaiting_reset(table) and trip.left > 0:
            table.emit(MoveInterrupted(order.names[0], order.mode, trip.left))

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

    def unfinished(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Refusal | None:
        """5.0.4 A move may pass through a full hex, not end in it."""
        state = at.state
        going = state.activation.going if state.activation is not None else None
        names: tuple[str, ...] = (str(going.counter),) if going is not None else ()
        waypoints = tuple(str(pick) for pick in picks[1:])
        if picks[:1] != ("on",):
            order = moves.read(picks[1:], state.counters, MODES)
            names, waypoints = order.names, order.waypoints
        return stacking_refusal(state, names, state.data.hex(waypoints[-1])) if names and waypoints else None

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
            order = moves.read(picks[1:], state.counters, MODES)
            names, waypoints = order.names, order.waypoints
            travel = travel_of(state, names, order.mode)
        if travel is None:
            return ()
        return moves.told(
            journey_of(state, names, travel),
            waypoints,
            lambda points, left: say("victory_lost.preview.points", "8.1.2", points=points, left=left),
            lambda path: say("victory_lost.preview.path", "8.1.2", path=path),
        )
