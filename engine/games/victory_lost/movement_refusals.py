"""8.0 Why a move is refused: the clause against the last pick. Asked only for picks that
movement.py does not offer."""

from collections.abc import Mapping

from warledger.engine.board.paths import Stopped
from warledger.engine.games.chitpull import moves
from warledger.engine.games.chitpull.moves import NORMAL, MoveOrder
from warledger.engine.games.chitpull.states import OFF_MAP, active, hex_at
from warledger.engine.games.chitpull.ways import Mover
from warledger.engine.games.victory_lost.reach import (
    MODES,
    ROAD,
    SWIFT,
    entries,
    halts,
    journey_of,
    mover_from,
    mover_of,
    points_of,
    resumed,
)
from warledger.engine.games.victory_lost.stacking import why_not_stacked
from warledger.engine.games.victory_lost.state import Activation, State
from warledger.engine.kernel.types import Pick, Refusal
from warledger.protocol.board.choices import refuse

_STOPPED: Mapping[Stopped, tuple[str, str]] = {
    Stopped.NO_WAY: ("8.1.5", "refusal.victory_lost.no_way"),
    Stopped.APART: ("8.1.2", "refusal.victory_lost.out_of_reach"),
    Stopped.NO_ENTRY: ("5.0.2", "refusal.victory_lost.enemy_there"),
    Stopped.ENDED: ("8.1.3", "refusal.victory_lost.move_over"),
    Stopped.NOT_FIRST: ("8.1.3", "refusal.victory_lost.river_not_first"),
    Stopped.BETWEEN_ZONES: ("8.2.2", "refusal.victory_lost.between_zones"),
    Stopped.ZONE: ("8.3.1", "refusal.victory_lost.road_zone"),
    Stopped.POINTS: ("8.1.2", "refusal.victory_lost.out_of_reach"),
}


def why_not(state: State, order: MoveOrder, pick: Pick) -> Refusal:
    """8.0 The clause that keeps a pick from following these of a move."""
    activation = active(state)
    interrupted = activation.interrupted is not None
    name = str(pick)
    if not interrupted and pick in state.counters:
        return _why_not_counter(state, activation, name)
    if not interrupted and not order.names and hex_at(state, pick) != OFF_MAP:
        return refuse("8.0", "refusal.victory_lost.none_to_move", hex=name)
    if not interrupted and not order.names:
        return refuse("8.0", "refusal.victory_lost.not_yours", counter=name)
    if pick in MODES:
        return (
            refuse("15.0.1", "refusal.victory_lost.no_march")
            if pick == SWIFT
            else refuse("8.3.1", "refusal.victory_lost.no_road_move")
        )
    grid = state.data.board.grid
    i = hex_at(state, pick)
    if i == OFF_MAP:
        return refuse("8.1.5", "refusal.victory_lost.no_such_hex", hex=name)
    if state.field.closed(i):
        return refuse("13.0", "refusal.victory_lost.pocket", hex=name)
    if i in state.data.water:
        return refuse("8.1.5", "refusal.victory_lost.water", hex=name)
    mover: Mover | None
    if interrupted:
        mover = resumed(state, activation)
    else:
        mover = mover_of(state, order.names, order.mode)
        if mover is None:
            if not order.waypoints:
                return _why_not_entry(state, order, i)
            # From the entry hex on the counter moves like any other.
            first = grid.index[order.waypoints[0]]
            if halts(state, order.names, first):
                return refuse("8.1.3", "refusal.victory_lost.move_over")
            left = entries(state, order.names[0], order.mode)[first]
            mover = mover_from(state, order.names, order.mode, first, left, moved=True)
            order = MoveOrder(order.names, order.mode, order.waypoints[1:])
    assert mover is not None
    side = state.data.types[order.names[0]].side
    if state.enemies_in(side, i):
        return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=name)
    found = moves.obstacle(journey_of(state, order.names, mover), order.waypoints, i)
    if found.over:
        return refuse("8.1.3", "refusal.victory_lost.move_over")
    full = why_not_stacked(state, order.names, i) if found.within else None
    if full is not None:
        return full
    if order.mode != NORMAL and state.field.in_enemy_zone(side, i):
        return _zone_closed(order, name)
    if order.mode == ROAD and not state.data.board.has_link(i, "road"):
        return refuse("8.3.1", "refusal.victory_lost.off_road", hex=name)
    here = found.journey.mover
    if (
        order.mode == ROAD
        and i in grid.adjacent[here.start]
        and not state.data.board.linked(here.start, i, "road")
    ):
        return refuse("8.3.1", "refusal.victory_lost.off_road", hex=name)
    if found.why is Stopped.NO_ENTRY:
        return refuse("12.1", "refusal.victory_lost.hq_there", hex=name)
    rule, key = _STOPPED[found.why]
    return refuse(rule, key, hex=name, left=moves.points_text(here.points))


def _zone_closed(order: MoveOrder, pick: str) -> Refusal:
    """8.3.1 Not along roads; 15.0.1(b) nor by command march."""
    return refuse(
        "8.3.1" if order.mode == ROAD else "15.0.1", "refusal.victory_lost.road_zone", hex=pick
    )


def _why_not_entry(state: State, order: MoveOrder, i: int) -> Refusal:
    """11.2.2, R-37 Why a counter cannot come from its box into a hex."""
    data, name = state.data, order.names[0]
    side, pick = data.types[name].side, data.name(i)
    if i not in data.boxes.get(state.counters[name].where, ()):
        return refuse("11.2.2", "refusal.victory_lost.entry", hex=pick)
    if state.enemies_in(side, i):
        return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=pick)
    if data.types[name].hq and halts(state, order.names, i):
        return refuse("12.1", "refusal.victory_lost.hq_there", hex=pick)
    if order.mode != NORMAL and state.field.in_enemy_zone(side, i):
        return _zone_closed(order, pick)
    if order.mode == ROAD and not data.board.has_link(i, "road"):
        return refuse("8.3.1", "refusal.victory_lost.off_road", hex=pick)
    left = moves.points_text(points_of(state, order.names, order.mode))
    return why_not_stacked(state, order.names, i) or refuse(
        "8.1.2", "refusal.victory_lost.out_of_reach", hex=pick, left=left
    )


def _why_not_counter(state: State, activation: Activation, name: str) -> Refusal:
    if state.data.types[name].side != activation.side:
        return refuse("8.0", "refusal.victory_lost.not_yours", counter=name)
    if name in activation.moved:
        return refuse("8.1.1", "refusal.victory_lost.moved_already", counter=name)
    if name not in activation.units and name not in activation.hqs:
        return refuse("7.3.2", "refusal.victory_lost.not_activated", counter=name)
    return refuse("8.1.2", "refusal.victory_lost.cannot_move", counter=name)
