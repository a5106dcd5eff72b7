"""8.0 Movement: activated counters, one after the other, normally or along roads, with the lone HQs
that they overrun on the way.

A stack moves like its counters one after the other by the same path. An overrun ends the command in
the HQ's hex. When the HQ has been reset the unit is asked again, with the points it has left:
whether it goes on or halts. Costs are in half points. How a move is read, offered and told stands
in engine/games/chitpull/moves.py, by which way each waypoint is reached in ways.py there. A step is
paid for in engine/board/paths.py.
"""

from collections.abc import Iterable, Mapping
from functools import partial

from warledger.engine.games.chitpull import moves
from warledger.engine.games.chitpull.moves import NORMAL, Journey, MoveOrder, Moving
from warledger.engine.games.chitpull.states import OFF_MAP, active
from warledger.engine.games.chitpull.ways import Mover
from warledger.engine.games.victory_lost import headquarters
from warledger.engine.games.victory_lost.losses import Eliminated
from warledger.engine.games.victory_lost.movement_refusals import why_not
from warledger.engine.games.victory_lost.reach import (
    MODES,
    can_go,
    can_move,
    entries,
    goes_on,
    halts,
    journey_of,
    modes,
    movable,
    mover_from,
    mover_of,
    resumed,
    waiting,
    waits,
)
from warledger.engine.games.victory_lost.reinforcements import HqRemoved
from warledger.engine.games.victory_lost.stacking import may_stop, why_not_stacked
from warledger.engine.games.victory_lost.state import (
    Activation,
    Counter,
    Interrupted,
    State,
    changed,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Free, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.lazy import LazyChoices
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Picks, Refusal, Seat, Step, event
from warledger.protocol.board.choices import Choices, Say, offer, refuse, say
from warledger.protocol.board.effects import Effect, move, phase, tell

# --- events ---------------------------------------------------------------------------------------


@event("moved")
class Moved:
    """8.0 Counters have moved along a path (their own hex or box first), `left` half points
    remaining to the one with fewest.

    `mode` is "" (normal), "road" (8.3) or "swift" (15.0.1(b)).
    """

    counters: tuple[str, ...]
    path: tuple[str, ...]
    mode: str
    left: int


@event("interrupted")
class MoveInterrupted:
    """12.1 The move halts at a lone HQ, to go on when it has been reset."""

    counter: str
    mode: str
    left: int


@event("halted")
class Halted:
    """8.1.2 A counter that overran an HQ ends its move."""

    counter: str


# --- what follows ---------------------------------------------------------------------------------

after = ByEvent()


@after(Moved)
def _moved(state: State, event: Moved) -> State:
    to = state.data.board.grid.index[event.path[-1]]
    counters = {**state.counters}
    field = state.field
    for name in event.counters:
        old = counters[name]
        counters[name] = Counter(to, "", old.reduced, old.supply)
        field = field.moved(name, old.at, to)
    activation = state.activation
    if activation is not None:
        activation = replace(
            activation, moved=activation.moved.union(event.counters), interrupted=None
        )
    return changed(state, counters=counters, field=field, activation=activation)


@after(MoveInterrupted)
def _after_interrupted(state: State, event: MoveInterrupted) -> State:
    if state.activation is None:
        return state
    interrupted = Interrupted(event.counter, event.mode, event.left)
    return changed(state, activation=replace(state.activation, interrupted=interrupted))


@after(Halted)
def _halted(state: State, event: Halted) -> State:
    if state.activation is None:
        return state
    return changed(state, activation=replace(state.activation, interrupted=None))


# --- what clients see -----------------------------------------------------------------------------

draws = ByEvent()


@draws(Moved)
def _draw_moved(before: State, event: Moved, after: State) -> Iterable[Effect]:
    for name in event.counters:
        yield move(name, *event.path)
    if before.counters[event.counters[0]].at == OFF_MAP:
        yield tell("victory_lost.entered", "11.2.2", counters=event.counters, path=event.path[1:])
    elif event.mode == "road":
        yield tell("victory_lost.moved_by_road", "8.3.1", counters=event.counters, path=event.path)
    elif event.mode == "swift":
        yield tell("victory_lost.moved_swiftly", "15.0.1", counters=event.counters, path=event.path)
    else:
        yield tell("victory_lost.moved", "8.1", counters=event.counters, path=event.path)


@draws(MoveInterrupted)
def _draw_interrupted(before: State, event: MoveInterrupted, after: State) -> Iterable[Effect]:
    return ()


@draws(Halted)
def _draw_halted(before: State, event: Halted, after: State) -> Iterable[Effect]:
    yield tell("victory_lost.halted", "8.1.2", counter=event.counter)


class MovementStep(Asking[State]):
    """4.1.2(2), 8.0 The active side moves what is activated, in the order it likes, until it is
    done."""

    verb_slot = "victory_lost.verb"

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The active side, while anything can still move."""
        activation = at.state.activation
        if activation is None:
            return {}
        interrupted = activation.interrupted
        if interrupted is not None:
            if not goes_on(at.state, (interrupted.counter,), resumed(at.state, activation)):
                return {}
            return {
                activation.side: Decision(
                    say("prompt.victory_lost.move_on", "12.1", counter=interrupted.counter)
                )
            }
        if any(can_move(at.state, name) for name in waiting(at.state, activation)):
            return {activation.side: Decision(say("prompt.victory_lost.movement", "8.0"))}
        return {}

    def commands(self) -> Commands[State]:
        """8.1.1 One counter (or stack) after the other; R-16 after an overrun the unit goes on with
        the points it has left, or halts."""
        return (
            Command(
                "move",
                Moving,
                Free(
                    "way",
                    lambda asked, picks: moves.read(picks, asked.state.counters, MODES),
                    self._onward,
                    self._why_not,
                    form="COUNTER [COUNTER …] [road] HEX …",
                ),
                apply=self._move,
                when=lambda asked: not _interrupted(asked),
                unfinished=self._why_not_yet,
                preview=self._preview,
            ),
            word(
                "done",
                lambda table, asked: self._close(table),
                when=lambda asked: not _interrupted(asked) and not self._must_move(asked),
                why=lambda asked: refuse("11.2.2", "refusal.victory_lost.must_enter"),
                beyond=self.no_verb,
            ),
            Command(
                "on",
                Moving,
                Free("way", _read_on, self._further, self._why_not, form="HEX …"),
                apply=self._move,
                when=_interrupted,
                unfinished=self._why_not_yet,
                preview=self._preview,
            ),
            word("halt", self._halt, when=_interrupted, beyond=self.no_verb),
        )

    def _must_move(self, asked: Asked[State]) -> bool:
        """11.2.2 Not done while counters of the box can enter."""
        state, activation = asked.state, active(asked.state)
        return bool(activation.box) and any(
            state.counters[name].where == activation.box and can_move(state, name)
            for name in waiting(state, activation)
        )

    def _onward(self, asked: Asked[State], order: Moving) -> Choices:
        """Counters that go together, the way of moving, waypoints."""
        state, activation, way = asked.state, active(asked.state), order.way
        if not way.names:
            return LazyChoices(
                "victory_lost.counter",
                partial(movable, state, activation),
                lambda pick: waits(state, activation, str(pick)) and can_move(state, str(pick)),
            )
        if state.at(way.names[0]) == OFF_MAP:
            return self._entering(state, way)
        return self._moving(state, activation, way)

    def _further(self, asked: Asked[State], order: Moving) -> Choices:
        """R-16 Waypoints of the unit that goes on."""
        state, way = asked.state, order.way
        journey = journey_of(state, way.names, resumed(state, active(state)))
        if way.waypoints:
            return moves.underway(journey, way.waypoints, "victory_lost.to")
        return moves.onward(journey, "victory_lost.to")

    def _moving(self, state: State, activation: Activation, order: MoveOrder) -> Choices:
        """Stack mates and ways of moving may follow the counters; then waypoints."""
        names = order.names
        mover = mover_of(state, names, order.mode)
        assert mover is not None
        journey = journey_of(state, names, mover)
        if order.waypoints:
            return moves.underway(journey, order.waypoints, "victory_lost.to")
        if order.mode != NORMAL:
            return moves.onward(journey, "victory_lost.to")

        def joins(mate: str) -> bool:
            both = (*names, mate)
            if mate <= names[-1] or not waits(state, activation, mate):
                return False
            return any(can_go(state, both, mode) for mode in modes(state, names))

        mates = state.field.stacks[mover.start]
        return moves.departing(
            journey,
            "victory_lost.to",
            mates,
            joins,
            modes(state, names),
            partial(can_go, state, names),
        )

    def _entering(self, state: State, order: MoveOrder) -> Choices:
        """11.2.2 From the box: an entry hex first, then onward as usual."""
        name = order.names[0]
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if not order.waypoints:
            ways_in = (
                [mode for mode in modes(state, (name,)) if mode != NORMAL]
                if order.mode == NORMAL
                else []
            )
            first = tuple(ids[i] for i in sorted(entries(state, name, order.mode)))
            return offer(
                "victory_lost.entry",
                (*(mode for mode in ways_in if entries(state, name, mode)), *first),
            )
        entry = index[order.waypoints[0]]
        whole = may_stop(state, order.names, entry)
        left = entries(state, name, order.mode)[entry]
        if halts(state, order.names, entry) or left <= 0:
            return offer("victory_lost.to", (), complete=whole)
        journey = journey_of(
            state, order.names, mover_from(state, order.names, order.mode, entry, left, moved=True)
        )
        if len(order.waypoints) > 1:
            return moves.underway(journey, order.waypoints[1:], "victory_lost.to")
        return moves.onward(journey, "victory_lost.to", complete=whole)

    def _move(self, table: Table[State], asked: Asked[State], order: Moving) -> None:
        """8.1 Carry out a move; a lone HQ in its last hex is overrun (12.1)."""
        state, names, mode = asked.state, order.way.names, order.way.mode
        path, journey, waypoints = self._setting_out(asked, order.way)
        route = journey.follow(waypoints)
        path = (*path, *journey.path(route))
        table.emit(Moved(names, path, mode, route.left))
        headquarters.overrun_at(table, names[0], state.data.hex(path[-1]))
        if headquarters.awaiting_reset(table) and route.left > 0:
            table.emit(MoveInterrupted(names[0], mode, route.left))

    def _setting_out(
        self, asked: Asked[State], way: MoveOrder
    ) -> tuple[tuple[str, ...], Journey, tuple[str, ...]]:
        """Where the counters come from, how they go on from there (11.2.2 from the box: from the
        entry hex), and the waypoints that are left then."""
        state, names, waypoints = asked.state, way.names, way.waypoints
        if _interrupted(asked):
            mover = resumed(state, active(state))
        elif state.at(names[0]) == OFF_MAP:
            entry = state.data.hex(waypoints[0])
            left = entries(state, names[0], way.mode)[entry]
            mover = mover_from(state, names, way.mode, entry, left, moved=True)
            box = state.counters[names[0]].where
            return (box, waypoints[0]), journey_of(state, names, mover), waypoints[1:]
        else:
            started = mover_of(state, names, way.mode)
            assert started is not None
            mover = started
        return (state.data.name(mover.start),), journey_of(state, names, mover), waypoints

    def _halt(self, table: Table[State], asked: Asked[State]) -> None:
        """R-16 The unit goes no further."""
        interrupted = active(asked.state).interrupted
        assert interrupted is not None
        table.emit(Halted(interrupted.counter))

    def advance(self, table: Table[State], frame: Frame) -> None:
        """An interrupted move cannot go on, or nothing can move any more."""
        activation = table.state.activation
        if activation is not None and activation.interrupted is not None:
            table.emit(Halted(activation.interrupted.counter))
            table.replace(*frame.args)
        else:
            self._close(table)

    def _close(self, table: Table[State]) -> None:
        """11.2.2, R-37 Counters of the box that could not enter are eliminated; an HQ is removed
        with its chit."""
        activation = table.state.activation
        if activation is not None and activation.box:
            for name in (*activation.units, *activation.hqs):
                if table.state.counters[name].where == activation.box:
                    type_ = table.state.data.types[name]
                    table.emit(
                        HqRemoved(name) if type_.hq else Eliminated(name, "no_entry", type_.points)
                    )
        table.tell(phase("phase.victory_lost.combat"))
        table.done()

    def no_verb(self, asked: Asked[State], verb: Pick) -> Refusal:
        """8.0 Nothing else is done now."""
        return refuse("8.0", "refusal.victory_lost.verb", pick=str(verb))

    def _why_not(self, asked: Asked[State], order: Moving, pick: Pick) -> Refusal:
        return why_not(asked.state, order.way, pick)

    def _why_not_yet(self, asked: Asked[State], order: Moving) -> Refusal | None:
        """5.0.4 A move may pass through a full hex, not end in it."""
        state, way = asked.state, order.way
        if not way.waypoints:
            return None
        return why_not_stacked(state, way.names, state.data.hex(way.waypoints[-1]))

    def _preview(self, asked: Asked[State], order: Moving) -> tuple[Say, ...]:
        """8.1.2 The path that the waypoints mean, what it costs, and what is left."""
        state, way = asked.state, order.way
        mover: Mover | None = None
        if _interrupted(asked):
            mover = resumed(state, active(state)) if way.waypoints else None
        elif way.names:
            mover = mover_of(state, way.names, way.mode)
        if mover is None:
            return ()
        return moves.told(
            journey_of(state, way.names, mover),
            way.waypoints,
            lambda points, left: say(
                "victory_lost.preview.points", "8.1.2", points=points, left=left
            ),
            lambda path: say("victory_lost.preview.path", "8.1.2", path=path),
        )


def _interrupted(asked: Asked[State]) -> bool:
    """R-16 Whether an overrun has interrupted a move that may go on."""
    return active(asked.state).interrupted is not None


def _read_on(asked: Asked[State], picks: Picks) -> MoveOrder:
    """The rest of an interrupted move."""
    interrupted = active(asked.state).interrupted
    assert interrupted is not None
    return MoveOrder((interrupted.counter,), interrupted.mode, tuple(str(pick) for pick in picks))


STEPS: Mapping[str, Step[State]] = {
    "movement_step": MovementStep(),
}
