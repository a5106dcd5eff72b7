"""8.0 Who may move, in which way, and how far: activated counters, roads (8.3), boxes (11.2), and
what an overrun leaves (R-16). Costs are in half points.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from warledger.engine.board.paths import NO_ENTRY, ZONE
from warledger.engine.games.chitpull import moves, ways
from warledger.engine.games.chitpull.moves import NORMAL, Journey
from warledger.engine.games.chitpull.sides import ENEMY
from warledger.engine.games.chitpull.states import OFF_MAP
from warledger.engine.games.chitpull.ways import Mover
from warledger.engine.games.victory_lost.stacking import may_stop
from warledger.engine.games.victory_lost.state import Activation, State
from warledger.engine.kernel.memo import remembered

ROAD, SWIFT = "road", "swift"
MODES = (NORMAL, ROAD, SWIFT)
COMMAND_MARCH = 2
"""15.0.1(b) Half points more for a counter that keeps clear of enemy zones."""


# --- who may move ---------------------------------------------------------------------------------


def movable(state: State, activation: Activation) -> Iterator[str]:
    """8.0, 8.1.1, 11.2.2 The activated counters that have not moved yet and can, in order of ids,
    worked out one by one. R-15: HQs among them."""
    return (name for name in candidates(state, activation) if can_move(state, name))


def candidates(state: State, activation: Activation) -> tuple[str, ...]:
    """The activated counters that have not moved yet."""
    return tuple(sorted(waiting(state, activation)))


def waiting(state: State, activation: Activation) -> Iterator[str]:
    """8.0 The activated counters that have not moved yet, units first, one by one."""
    counters, moved, box = state.counters, activation.moved, activation.box
    for name in (*activation.units, *activation.hqs):
        if name not in moved and (
            counters[name].at != OFF_MAP or counters[name].where == box != ""
        ):
            yield name


def waits(state: State, activation: Activation, name: str) -> bool:
    """8.0 Whether a counter is among those that are activated and have not moved yet."""
    if name in activation.moved or not (name in activation.units or name in activation.hqs):
        return False
    counter = state.counters[name]
    return counter.at != OFF_MAP or counter.where == activation.box != ""


def can_move(state: State, name: str) -> bool:
    """8.0 Whether a counter can leave its hex (or its box) at all."""
    if state.counters[name].at == OFF_MAP:
        return any(entries(state, name, mode) for mode in modes(state, (name,)))
    return _leaves(state, name)


@remembered(
    of=lambda state, name: state.field, by=lambda state, name: (name, state.allowance(name))
)
def _leaves(state: State, name: str) -> bool:
    """Whether a counter on the map can leave its hex."""
    return _free_to_go(state, name) or any(
        can_go(state, (name,), mode) for mode in modes(state, (name,))
    )


def _free_to_go(state: State, name: str) -> bool:
    """What is true of most counters and soon seen: no enemy near, and an empty hex next door that
    the counter can pay."""
    field, type_, at = state.field, state.data.types[name], state.counters[name].at
    zone, stacks = field.zones(ENEMY[type_.side]).count, field.stacks
    if zone[at]:
        return False
    points = state.allowance(name)
    return any(
        cost <= points and not zone[i] and i not in stacks and not field.closed(i)
        for i, cost in state.data.normal[type_.going].plain[at]
    )


def can_go(state: State, names: tuple[str, ...], mode: str) -> bool:
    """8.1.1 Whether counters that stand together can go anywhere together in one way of moving."""
    mover = mover_of(state, names, mode)
    return mover is not None and ways.can_go(state.field, mover, partial(may_stop, state, names))


def modes(state: State, names: tuple[str, ...]) -> tuple[str, ...]:
    """8.3.1, R-12, 15.0.1 (b) The ways of moving open to counters in one place: along roads only
    from a road hex outside enemy zones."""
    at = state.counters[names[0]].at
    if at == OFF_MAP:
        return MODES if state.option("command_march") else (NORMAL, ROAD)
    side = state.data.types[names[0]].side
    if state.field.zones(ENEMY[side]).count[at]:
        return (NORMAL,)
    found = [NORMAL]
    if state.data.board.has_link(at, "road"):
        found.append(ROAD)
    if state.option("command_march"):
        found.append(SWIFT)
    return tuple(found)


# --- how far --------------------------------------------------------------------------------------


def points_of(state: State, names: tuple[str, ...], mode: str) -> int:
    """8.1.2, R-01 Half points for a move: the smallest allowance of those who go together.
    15.0.1(b) One point more clear of enemy zones."""
    points = moves.least(state.allowance, names)
    return points + COMMAND_MARCH if mode != NORMAL and state.option("command_march") else points


def mover_of(state: State, names: tuple[str, ...], mode: str) -> Mover | None:
    """Counters about to move together from their hex; None when they do not stand together on the
    map."""
    at = moves.together(state, names)
    if at == OFF_MAP:
        return None
    return mover_from(state, names, mode, at, points_of(state, names, mode), moved=False)


@remembered(
    of=lambda state, names, mode, at, points, *, moved: state.field,
    by=lambda state, names, mode, at, points, *, moved: (names, mode, at, points, moved),
)
def mover_from(
    state: State, names: tuple[str, ...], mode: str, at: int, points: int, *, moved: bool
) -> Mover:
    """Counters together in a hex with `points` half points; `moved`: they are on their way
    already."""
    data = state.data
    types = [data.types[name] for name in names]
    # A stack keeps clear of lone HQs, as an HQ does: an overrun is one unit's affair (8.1.1).
    hq = len(types) > 1 or types[0].hq
    side, column = types[0].side, moves.column(data.types, names)
    board = (data.march if mode == ROAD else data.normal)[column]
    now = state.field.conditions(side, hq=hq, zones_closed=mode != NORMAL)
    return Mover(board, at, points, now, moved, (side, column, mode, hq))


def entries(state: State, name: str, mode: str) -> Mapping[int, int]:
    """11.2.2, R-37 The hexes by which a counter may enter from its box, with the half points left
    there."""
    data = state.data
    where = state.counters[name].where
    type_ = data.types[name]
    points = points_of(state, (name,), mode)
    now = state.field.conditions(type_.side, hq=type_.hq, zones_closed=mode != NORMAL)
    found = {}
    for i in data.boxes.get(where, ()):
        flags = now.flags[i]
        if flags & NO_ENTRY:
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
        beyond = mover_from(state, (name,), mode, i, points - cost, moved=True)
        if may_stop(state, (name,), i) or goes_on(state, (name,), beyond):
            found[i] = points - cost
    return found


def goes_on(state: State, names: tuple[str, ...], mover: Mover) -> bool:
    """Whether counters on their way can go on to anywhere."""
    return ways.can_go(state.field, mover, partial(may_stop, state, names))


def resumed(state: State, activation: Activation) -> Mover:
    """R-16 A unit that goes on after an overrun, with the points it has left."""
    interrupted = activation.interrupted
    assert interrupted is not None
    return mover_from(
        state,
        (interrupted.counter,),
        interrupted.mode,
        state.at(interrupted.counter),
        interrupted.left,
        moved=True,
    )


def journey_of(state: State, names: tuple[str, ...], mover: Mover) -> Journey:
    """Counters about to move, or on their way, as far as one command goes."""
    stop, halt = partial(may_stop, state, names), partial(halts, state, names)
    return Journey(state.data.board.grid, state.field, mover, stop, halt)


def halts(state: State, names: tuple[str, ...], i: int) -> bool:
    """8.1.4, 12.1 A unit's command ends in the hex of a lone enemy HQ."""
    return bool(state.field.lone_hq(ENEMY[state.data.types[names[0]].side], i))
