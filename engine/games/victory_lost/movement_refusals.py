"""8.0 Why a move is refused: the clause against the last pick. Asked only for picks that movement.py does not offer."""

from collections.abc import Mapping

from engine.board.paths import Stopped
from engine.games.chitpull import moves
from engine.games.chitpull.moves import NORMAL, Order
from engine.games.chitpull.standing import OFF_MAP
from engine.games.chitpull.ways import Travel
from engine.games.victory_lost.reach import (
    MODES,
    ROAD,
    SWIFT,
    entries,
    halts,
    journey_of,
    points_of,
    resumed,
    travel_from,
    travel_of,
)
from engine.games.victory_lost.stacking import stacking_refusal
from engine.games.victory_lost.state import Activation, State
from engine.kernel.types import Picks, Refusal
from protocol.choices import refuse

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


def why_not(state: State, picks: Picks) -> Refusal:
    """The clause that keeps the last pick of a move from being on offer."""
    activation = state.activation
    pick = str(picks[-1])
    if activation is None or len(picks) == 1:
        if pick == "done":
            return refuse("11.2.2", "refusal.victory_lost.must_enter")
        return refuse("8.0", "refusal.victory_lost.verb", pick=pick)
    if picks[0] not in ("move", "on"):
        return refuse("8.0", "refusal.victory_lost.verb", pick=pick)
    if picks[0] == "move" and pick in state.counters:
        return _why_not_counter(state, activation, pick)
    if picks[0] == "move" and len(picks) == 2:
        return refuse("8.0", "refusal.victory_lost.not_yours", counter=pick)
    if pick in MODES:
        return refuse("15.0.1", "refusal.victory_lost.no_march") if pick == SWIFT else refuse("8.3.1", "refusal.victory_lost.no_road_move")
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
        travel: Travel | None = resumed(state, activation)
    else:
        order = moves.read(picks[1:-1], state.counters, MODES)
        travel = travel_of(state, order.names, order.mode)
        if travel is None:
            if not order.waypoints:
                return _why_not_entry(state, order, i)
            # From the entry hex on the counter moves like any other.
            first = grid.index[order.waypoints[0]]
            if halts(state, order.names, first):
                return refuse("8.1.3", "refusal.victory_lost.move_over")
            left = entries(state, order.names[0], order.mode)[first]
            travel = travel_from(state, order.names, order.mode, first, left, moved=True)
            order = Order(order.names, order.mode, order.waypoints[1:])
    assert travel is not None
    side = state.data.types[order.names[0]].side
    if state.enemies_in(side, i):
        return refuse("5.0.2", "refusal.victory_lost.enemy_there", hex=pick)
    found = moves.obstacle(journey_of(state, order.names, travel), order.waypoints, i)
    if found.over:
        return refuse("8.1.3", "refusal.victory_lost.move_over")
    full = stacking_refusal(state, order.names, i) if found.within else None
    if full is not None:
        return full
    if order.mode != NORMAL and state.field.in_enemy_zone(side, i):
        return _zone_closed(order, pick)
    if order.mode == ROAD and not state.data.board.has_link(i, "road"):
        return refuse("8.3.1", "refusal.victory_lost.off_road", hex=pick)
    here = found.journey.travel
    if order.mode == ROAD and i in grid.adjacent[here.start] and not state.data.board.linked(here.start, i, "road"):
        return refuse("8.3.1", "refusal.victory_lost.off_road", hex=pick)
    if found.why is Stopped.CLOSED:
        return refuse("12.1", "refusal.victory_lost.hq_there", hex=pick)
    rule, key = _STOPPED[found.why]
    return refuse(rule, key, hex=pick, left=moves.points_text(here.points))


def _zone_closed(order: Order, pick: str) -> Refusal:
    """8.3.1 Not along roads; 15.0.1(b) nor by command march."""
    return refuse("8.3.1" if order.mode == ROAD else "15.0.1", "refusal.victory_lost.road_zone", hex=pick)


def _why_not_entry(state: State, order: Order, i: int) -> Refusal:
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
    return stacking_refusal(state, order.names, i) or refuse("8.1.2", "refusal.victory_lost.out_of_reach", hex=pick, left=left)


def _why_not_counter(state: State, activation: Activation, name: str) -> Refusal:
    if state.data.types[name].side != activation.side:
        return refuse("8.0", "refusal.victory_lost.not_yours", counter=name)
    if name in activation.moved:
        return refuse("8.1.1", "refusal.victory_lost.moved_already", counter=name)
    if name not in activation.units and name not in activation.hqs:
        return refuse("7.3.2", "refusal.victory_lost.not_activated", counter=name)
    return refuse("8.1.2", "refusal.victory_lost.cannot_move", counter=name)
