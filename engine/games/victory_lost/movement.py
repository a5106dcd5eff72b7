"""8.0 Movement: activated counters, one after the other, normally or along roads, with the lone HQs that they overrun on the way (12.1).

A command is ("move", counter, [stack mates], [way of moving], waypoint …); a stack moves like its counters one after the other by the
same path. An overrun ends the command in the HQ's hex; when the HQ has been reset the unit is asked again with the points it has left:
("on", waypoint …) or ("halt",). Costs are in half points (R-01).
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from attrs import frozen

from engine.board.paths import CLOSED, ZONE, Stopped
from engine.board.stacking import Breach, breach, fits
from engine.games.chitpull import ways
from engine.games.chitpull.offers import LazyChoices
from engine.games.chitpull.ways import Travel
from engine.games.victory_lost import headquarters
from engine.games.victory_lost.data import ENEMY
from engine.games.victory_lost.events import Eliminated, Halted, HqRemoved, Moved, MoveInterrupted
from engine.games.victory_lost.state import OFF_MAP, Activation, State
from engine.kernel.change import evolve
from engine.kernel.position import Frame, Position
from engine.kernel.table import Table
from engine.kernel.types import Choices, Decision, Picks, Refusal, Seat, Step
from protocol.choices import WHOLE, Pick, Say, offer, refuse, say
from protocol.effects import phase

NORMAL, ROAD, SWIFT = "", "road", "swift"
MODES = (NORMAL, ROAD, SWIFT)
COMMAND_MARCH = 2
"""15.0.1(b) Half points more for a counter that keeps clear of enemy zones."""


@frozen
class Order:
    """A "move" command as read so far: who goes, in which way, by which waypoints."""

    counters: tuple[str, ...]
    mode: str
    waypoints: tuple[str, ...]


def read(state: State, picks: Picks) -> Order:
    """The picks after the verb: counters first, then perhaps a way of moving, then hexes."""
    counters: list[str] = []
    mode = NORMAL
    waypoints: list[str] = []
    for pick in picks:
        word = str(pick)
        if word in state.counters:
            counters.append(word)
        elif word in MODES:
            mode = word
        else:
            waypoints.append(word)
    return Order(tuple(counters), mode, tuple(waypoints))


# --- who may move -----------------------------------------------------------------------------------------------------------


def movable(state: State, activation: Activation) -> tuple[str, ...]:
    """8.0, 8.1.1, 11.2.2 The activated counters that have not moved yet and can, in order of ids. R-15: HQs among them."""
    return tuple(name for name in candidates(state, activation) if can_move(state, name))


def candidates(state: State, activation: Activation) -> tuple[str, ...]:
    """The activated counters that have not moved yet."""
    return tuple(sorted(_waiting(state, activation)))


def _waiting(state: State, activation: Activation) -> Iterator[str]:
    counters = state.counters
    for name in (*activation.units, *activation.hqs):
        if name not in activation.moved and (counters[name].at != OFF_MAP or counters[name].where == activation.box != ""):
            yield name


def can_move(state: State, name: str) -> bool:
    """Whether a counter can leave its hex (or its box) at all."""
    if state.counters[name].at == OFF_MAP:
        return any(entries(state, name, mode) for mode in modes(state, (name,)))
    key = ("can_move", name, state.allowance(name))
    memo = state.field.memo
    found = memo.get(key)
    if found is None:
        found = memo[key] = any(_can_go(state, (name,), mode) for mode in modes(state, (name,)))
    return bool(found)


def _can_go(state: State, names: tuple[str, ...], mode: str) -> bool:
    travel = travel_of(state, names, mode)
    return travel is not None and ways.can_go(state.field.memo, travel, partial(may_stop, state, names))


def modes(state: State, names: tuple[str, ...]) -> tuple[str, ...]:
    """8.3.1, 15.0.1(b) The ways of moving open to counters in one place: along roads only from a road hex outside enemy zones."""
    at = state.counters[names[0]].at
    if at == OFF_MAP:
        return (NORMAL, ROAD)
    side = state.data.types[names[0]].side
    if state.field.zones(ENEMY[side]).count[at]:
        return (NORMAL,)
    found = [NORMAL]
    if state.data.board.has_link(at, "road"):
        found.append(ROAD)
    if state.option("command_march"):
        found.append(SWIFT)
    return tuple(found)


# --- how far ----------------------------------------------------------------------------------------------------------------


def points_of(state: State, names: tuple[str, ...], mode: str) -> int:
    """8.1.2 Half points for a move: the smallest allowance of those who go together. 15.0.1(b) One point more clear of enemy zones."""
    points = min(state.allowance(name) for name in names)
    return points + COMMAND_MARCH if mode != NORMAL and state.option("command_march") else points


def travel_of(state: State, names: tuple[str, ...], mode: str) -> Travel | None:
    """Counters about to move together from their hex; None when they do not stand together on the map."""
    at = state.counters[names[0]].at
    if at == OFF_MAP or any(state.counters[name].at != at for name in names):
        return None
    return _travel(state, names, mode, at, points_of(state, names, mode), moved=False)


def _travel(state: State, names: tuple[str, ...], mode: str, at: int, points: int, *, moved: bool) -> Travel:
    memo = state.field.memo
    key = ("travel", names, mode, at, points, moved)
    found = memo.get(key)
    if found is None:
        found = memo[key] = _make_travel(state, names, mode, at, points, moved=moved)
    return found


def _make_travel(state: State, names: tuple[str, ...], mode: str, at: int, points: int, *, moved: bool) -> Travel:
    data = state.data
    types = [data.types[name] for name in names]
    # A stack keeps clear of lone HQs, as an HQ does: an overrun is one unit's affair (8.1.1).
    hq = len(types) > 1 or types[0].hq
    # Terrain is paid by the dearest column present; the pack's two columns may differ.
    column = types[0].going if all(type_.going == types[0].going for type_ in types) else "mech"
    side = types[0].side
    board = (data.march if mode == ROAD else data.normal)[column]
    now = state.field.conditions(side, hq=hq, zones_closed=mode != NORMAL)
    return Travel(board, at, points, now, moved, (side, column, mode, hq))


def may_stop(state: State, names: tuple[str, ...], i: int) -> bool:
    """5.0.4 Whether counters may end their move together in a hex: stacking (5.0.1, 5.0.3) binds there."""
    present = state.field.stacks.get(i)
    if present is None:
        return True
    types = state.data.types
    side = types[names[0]].side
    friends = [types[name].piece for name in present if types[name].side == side and name not in names]
    return not friends or fits(state.data.limits, friends, *(types[name].piece for name in names))


def entries(state: State, name: str, mode: str) -> Mapping[int, int]:
    """11.2.2, R-37 The hexes by which a counter may enter from its box, with the half points left there."""
    data = state.data
    where = state.counters[name].where
    type_ = data.types[name]
    points = points_of(state, (name,), mode)
    now = state.field.conditions(type_.side, hq=type_.hq, zones_closed=mode != NORMAL)
    found = {}
    for i in data.boxes.get(where, ()):
        flags = now.flags[i]
        if flags & CLOSED:
            continue
        cost = data.entry[type_.going][i]
        if mode == ROAD:
            if not data.board.has_link(i, "road"):
                continue
            cost = data.march_road
        if not cost:
            continue
        if flags & ZONE and state.option("entry_zone_cost"):
            cost += data.zone_enter
        if cost > points:
            continue
        beyond = _travel(state, (name,), mode, i, points - cost, moved=True)
        if may_stop(state, (name,), i) or _goes_on(state, (name,), beyond):
            found[i] = points - cost
    return found


def _goes_on(state: State, names: tuple[str, ...], travel: Travel) -> bool:
    return ways.can_go(state.field.memo, travel, partial(may_stop, state, names))


# --- the Movement Step ------------------------------------------------------------------------------------------------------


class MovementStep(Step[State]):
    """4.1.2(2), 8.0 The active side moves what is activated, in the order it likes, until it is done."""

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The active side, while anything can still move."""
        activation = at.state.activation
        if activation is None:
            return {}
        going = activation.going
        if going is not None:
            if not _goes_on(at.state, (going.counter,), self._resumed(at.state, activation)):
                return {}
            return {activation.side: Decision(say("prompt.victory_lost.move_on", "12.1", counter=going.counter))}
        if any(can_move(at.state, name) for name in _waiting(at.state, activation)):
            return {activation.side: Decision(say("prompt.victory_lost.movement", "8.0"))}
        return {}

    def choices(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> Choices:
        """8.1.1 One counter (or stack) after the other; 11.2.2 not done while counters of the box can enter."""
        state = at.state
        activation = state.activation
        assert activation is not None
        if activation.going is not None:
            return self._onward(state, activation, picks)
        if not picks:
            must = activation.box and any(
                state.counters[name].where == activation.box and can_move(state, name) for name in _waiting(state, activation)
            )
            return offer("victory_lost.verb", ("move",) if must else ("move", "done"))
        if picks[0] == "done":
            return WHOLE
        if len(picks) == 1:
            return LazyChoices(
                "victory_lost.counter",
                partial(movable, state, activation),
                lambda pick: str(pick) in _waiting(state, activation) and can_move(state, str(pick)),
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
            return self._waypoints(state, travel, order, stop)
        index, ids = state.data.board.grid.index, state.data.board.grid.ids

        def joins(mate: str) -> bool:
            both = (*names, mate)
            if mate <= names[-1] or state.at(mate) != travel.start or mate not in _waiting(state, activation):
                return False
            return any(_can_go(state, both, mode) for mode in modes(state, names))

        def every() -> tuple[Pick, ...]:
            extra: list[Pick] = []
            if last in state.counters:
                extra.extend(mate for mate in state.field.stacks[travel.start] if joins(mate))
                extra.extend(mode for mode in modes(state, names) if mode != NORMAL and _can_go(state, names, mode))
            return (*extra, *(ids[i] for i in ways.onward(memo, travel, stop)))

        def has(pick: Pick) -> bool:
            i = index.get(str(pick), OFF_MAP)
            if i != OFF_MAP:
                return _leads(memo, travel, i, stop)
            if last not in state.counters:
                return False
            if pick in state.counters:
                return joins(str(pick))
            return pick != NORMAL and pick in modes(state, names) and _can_go(state, names, str(pick))

        return LazyChoices("victory_lost.to", every, has)

    def _waypoints(self, state: State, travel: Travel, order: Order, stop: Callable[[int], bool]) -> Choices:
        memo = state.field.memo
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        trip = ways.follow(memo, travel, [index[name] for name in order.waypoints], partial(_halts, state, order.counters))
        here = index[order.waypoints[-1]]
        whole = stop(here)
        if trip.over or trip.left <= 0:
            return offer("victory_lost.to", (), complete=whole)
        beyond = evolve(travel, start=here, points=trip.left, moved=True)

        def every() -> tuple[Pick, ...]:
            return tuple(ids[i] for i in ways.onward(memo, beyond, stop))

        def has(pick: Pick) -> bool:
            return _leads(memo, beyond, index.get(str(pick), OFF_MAP), stop)

        return LazyChoices("victory_lost.to", every, has, complete=whole)

    def _entering(self, state: State, order: Order, last: Pick) -> Choices:
        """11.2.2 From the box: an entry hex first, then onward as usual."""
        name = order.counters[0]
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if not order.waypoints:
            roads: tuple[Pick, ...] = (ROAD,) if last == name and entries(state, name, ROAD) else ()
            first = tuple(ids[i] for i in sorted(entries(state, name, order.mode)))
            return offer("victory_lost.entry", (*roads, *first))
        entry = index[order.waypoints[0]]
        stop = partial(may_stop, state, order.counters)
        left = entries(state, name, order.mode)[entry]
        if _halts(state, order.counters, entry):
            return offer("victory_lost.to", (), complete=stop(entry))
        travel = _travel(state, order.counters, order.mode, entry, left, moved=True)
        if len(order.waypoints) > 1:
            return self._waypoints(state, travel, Order(order.counters, order.mode, order.waypoints[1:]), stop)
        memo = state.field.memo

        def every() -> tuple[Pick, ...]:
            return tuple(ids[i] for i in ways.onward(memo, travel, stop))

        def has(pick: Pick) -> bool:
            return _leads(memo, travel, index.get(str(pick), OFF_MAP), stop)

        return LazyChoices("victory_lost.to", every, has, complete=stop(entry))

    def _onward(self, state: State, activation: Activation, picks: Picks) -> Choices:
        """R-16 After an overrun the unit goes on with the points it has left, or halts."""
        going = activation.going
        assert going is not None
        travel = self._resumed(state, activation)
        stop = partial(may_stop, state, (going.counter,))
        if not picks:
            return offer("victory_lost.verb", ("on", "halt"))
        if picks[0] == "halt":
            return WHOLE
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        if len(picks) > 1:
            order = Order((going.counter,), going.mode, tuple(str(pick) for pick in picks[1:]))
            return self._waypoints(state, travel, order, stop)
        memo = state.field.memo

        def every() -> tuple[Pick, ...]:
            return tuple(ids[i] for i in ways.onward(memo, travel, stop))

        def has(pick: Pick) -> bool:
            return _leads(memo, travel, index.get(str(pick), OFF_MAP), stop)

        return LazyChoices("victory_lost.to", every, has)

    def _resumed(self, state: State, activation: Activation) -> Travel:
        going = activation.going
        assert going is not None
        return _travel(state, (going.counter,), going.mode, state.at(going.counter), going.left, moved=True)

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
            travel = self._resumed(state, activation)
            waypoints = [index[str(pick)] for pick in picks[1:]]
            path = [ids[travel.start]]
        else:
            order = read(state, picks[1:])
            names, mode = order.counters, order.mode
            waypoints = [index[name] for name in order.waypoints]
            if state.counters[names[0]].at == OFF_MAP:
                first = waypoints.pop(0)
                travel = _travel(state, names, mode, first, entries(state, names[0], mode)[first], moved=True)
                path = [state.counters[names[0]].where, ids[first]]
            else:
                started = travel_of(state, names, mode)
                assert started is not None
                travel = started
                path = [ids[travel.start]]
        trip = ways.follow(state.field.memo, travel, waypoints, partial(_halts, state, names))
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
        return _why_not(self, at.state, picks)

    def preview(self, at: Position[State], frame: Frame, seat: Seat, picks: Picks) -> tuple[Say, ...]:
        """8.1.2 The path that the waypoints mean, what it costs, and what is left."""
        state = at.state
        activation = state.activation
        if activation is None or len(picks) < 2 or picks[0] not in ("move", "on"):
            return ()
        if picks[0] == "on":
            travel: Travel | None = self._resumed(state, activation)
            names: tuple[str, ...] = (str(activation.going.counter),) if activation.going else ()
            waypoints = tuple(str(pick) for pick in picks[1:])
        else:
            order = read(state, picks[1:])
            names, waypoints = order.counters, order.waypoints
            travel = travel_of(state, names, order.mode)
        if travel is None:
            return ()
        index, ids = state.data.board.grid.index, state.data.board.grid.ids
        trip = ways.follow(state.field.memo, travel, [index[name] for name in waypoints], partial(_halts, state, names))
        path = tuple(ids[i] for i in trip.path)
        return (
            say("victory_lost.preview.points", "8.1.2", points=_points(travel.points), left=_points(0 if trip.over else trip.left)),
            *((say("victory_lost.preview.path", "8.1.2", path=path),) if path else ()),
        )


def _points(halves: int) -> str:
    """Half points as people write them."""
    whole, half = divmod(halves, 2)
    return f"{whole}½" if half else str(whole)


def _leads(memo: ways.Memo, travel: Travel, i: int, stop: Callable[[int], bool]) -> bool:
    return i != OFF_MAP and i in ways.toward(memo, travel, i) and (stop(i) or ways.leads_on(memo, travel, i, stop))


def _halts(state: State, names: tuple[str, ...], i: int) -> bool:
    """12.1 A unit's command ends in the hex of a lone enemy HQ."""
    return bool(state.field.lone_hq(ENEMY[state.data.types[names[0]].side], i))


# --- why not ----------------------------------------------------------------------------------------------------------------

_STOPPED: Mapping[Stopped, tuple[str, str]] = {
    Stopped.NO_WAY: ("8.1.5", "refusal.victory_lost.no_way"),
    Stopped.APART: ("8.1.2", "refusal.victory_lost.out_of_reach"),
    Stopped.CLOSED: ("5.0.2", "refusal.victory_lost.enemy_there"),
    Stopped.ENDED: ("8.1.3", "refusal.victory_lost.move_over"),
    Stopped.NOT_FIRST: ("8.1.3", "refusal.victory_lost.river_not_first"),
    Stopped.BETWEEN_ZONES: ("8.2.2", "refusal.victory_lost.between_zones"),
    Stopped.ZONE: ("8.3.1", "refusal.victory_lost.road_zone"),
    Stopped.POINTS: ("8.1.2", "refusal.victory_lost.out_of_reach"),
}

_BREACHES: Mapping[Breach, tuple[str, str]] = {
    Breach.SIDES: ("5.0.2", "refusal.victory_lost.enemy_there"),
    Breach.UNITS: ("5.0.1", "refusal.victory_lost.two_units"),
    Breach.HQS: ("5.0.1", "refusal.victory_lost.one_hq"),
    Breach.SIZE: ("5.0.1", "refusal.victory_lost.two_units"),
    Breach.NATIONS: ("5.0.3", "refusal.victory_lost.nations"),
}


def stacking_refusal(state: State, names: tuple[str, ...], i: int) -> Refusal | None:
    """5.0 Why counters may not stand together in a hex, or None when they may."""
    types = state.data.types
    side = types[names[0]].side
    friends = [types[name].piece for name in state.field.stacks.get(i, ()) if types[name].side == side and name not in names]
    broken = breach(state.data.limits, [*friends, *(types[name].piece for name in names)])
    if broken is None:
        return None
    rule, key = _BREACHES[broken]
    return refuse(rule, key, hex=state.data.name(i))


def _why_not(step: MovementStep, state: State, picks: Picks) -> Refusal:
    activation = state.activation
    pick = str(picks[-1])
    if activation is None or len(picks) == 1:
        if pick == "done":
            return refuse("11.2.2", "refusal.victory_lost.must_enter")
        return refuse("8.0", "refusal.victory_lost.verb", pick=pick)
    if picks[0] == "move" and pick in state.counters:
        return _why_not_counter(state, activation, pick)
    if pick in MODES:
        return refuse("8.3.1", "refusal.victory_lost.no_road_move")
    grid = state.data.board.grid
    i = grid.index.get(pick, OFF_MAP)
    if i == OFF_MAP:
        return refuse("8.1.5", "refusal.victory_lost.no_such_hex", hex=pick)
    if state.field.closed(i):
        return refuse("13.0", "refusal.victory_lost.pocket", hex=pick)
    if i in state.data.water:
        return refuse("8.1.5", "refusal.victory_lost.water", hex=pick)
    if picks[0] == "on":
        assert activation.going is not None
        order = Order((activation.going.counter,), activation.going.mode, tuple(str(item) for item in picks[1:-1]))
        travel: Travel | None = step._resumed(state, activation)
    else:
        order = read(state, picks[1:-1])
        travel = travel_of(state, order.counters, order.mode)
        if travel is None:
            return refuse("11.2.2", "refusal.victory_lost.entry", hex=pick)
    assert travel is not None
    side = state.data.types[order.counters[0]].side
    if state.enemies_in(side, i):
        return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=pick)
    trip = ways.follow(
        state.field.memo, travel, [grid.index[name] for name in order.waypoints], partial(_halts, state, order.counters)
    )
    if order.waypoints:
        if trip.over:
            return refuse("8.1.3", "refusal.victory_lost.move_over")
        travel = evolve(travel, start=grid.index[order.waypoints[-1]], points=trip.left, moved=True)
    if i in ways.reached(state.field.memo, travel):
        full = stacking_refusal(state, order.counters, i)
        if full is not None:
            return full
    if order.mode != NORMAL and state.field.in_enemy_zone(side, i):
        return refuse("8.3.1", "refusal.victory_lost.road_zone", hex=pick)
    if order.mode == ROAD and not state.data.board.has_link(i, "road"):
        return refuse("8.3.1", "refusal.victory_lost.off_road", hex=pick)
    why = ways.why_not(travel, i) if i in grid.adjacent[travel.start] else Stopped.POINTS
    if why is Stopped.CLOSED:
        return refuse("12.1", "refusal.victory_lost.hq_there", hex=pick)
    rule, key = _STOPPED[why]
    return refuse(rule, key, hex=pick, left=_points(travel.points))


def _why_not_counter(state: State, activation: Activation, name: str) -> Refusal:
    if state.data.types[name].side != activation.side:
        return refuse("8.0", "refusal.victory_lost.not_yours", counter=name)
    if name in activation.moved:
        return refuse("8.1.1", "refusal.victory_lost.moved_already", counter=name)
    if name not in activation.units and name not in activation.hqs:
        return refuse("7.3.2", "refusal.victory_lost.not_activated", counter=name)
    return refuse("8.1.2", "refusal.victory_lost.cannot_move", counter=name)
