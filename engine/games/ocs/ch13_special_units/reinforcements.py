"""OCS 13.6, 2.3 B: reinforcements and the supply that arrives.

OCS 13.6 What the scenario's order of arrival brings on a turn, and what else returns, comes in that
turn and cannot be delayed. It comes in any mode that can be chosen, next to the enemy too
(arrivals.py). OCS 13.6a Ground units may stand over the stacking limit for the moment. OCS 13.6c
Organic trucks arrive loaded, other transport with what is put into it of the supply that arrives
where it does. Supply arrives as the game's tables say, and is placed by its owner where the game
lets it come in. Pieces that the scenario withdraws go first.

[R] All dice of the phase are rolled as it begins, including those for what is rebuilt (13.5).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import COMBAT, MOVE
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch06_movement.movement import MODES, RESERVE_COMBAT, RESERVE_MOVE
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.ch13_special_units import control
from warledger.engine.games.ocs.ch13_special_units.arrivals import (
    Waiting,
    arrival_modes,
    has_room,
    places,
    returning,
    stuck,
    waiting,
)
from warledger.engine.games.ocs.ch14_air import aircraft
from warledger.engine.games.ocs.series.charts import ROAD_PATH
from warledger.engine.games.ocs.series.events import TakenOff
from warledger.engine.games.ocs.series.evolve import ARRIVED
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Arrival, Place, place_name, place_of
from warledger.engine.games.ocs.series.state import (
    NOT_ARRIVED,
    RESERVE,
    STRAT,
    Coming,
    State,
    changed,
)
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Asking, Command, Commands, Many, Slot, word
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.position import Frame, Position
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Decision, Pick, Refusal, Say, Seat, Step, event
from warledger.protocol.texts.words import words_of

REINFORCEMENTS = "reinforcements"
"""The name of the step."""

WITHDRAWN = "box.withdrawn"
"""Where pieces lie that the scenario takes out of the game."""

SHIPMENT = "shipment."
"""How the count of the turn begins that says how many T of a shipment are still to be placed."""

BEGUN, OVER = "begun", "over"
"""The last frame argument of the step: what arrives is known; its owner has said that it is
over."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.supply_rolled")
class SupplyRolled:
    """OCS 2.3 B The dice for the supply that arrives."""

    side: str
    dice: tuple[int, ...]


@event("ocs.shipment")
class Shipped:
    """OCS 2.3 B This many T arrive for a side, of the shipment of this name, and are to be
    placed."""

    side: str
    shipment: str
    tokens: int


@event("ocs.shipment_placed")
class ShipmentPlaced:
    """OCS 2.3 B This many T of a shipment have been placed."""

    side: str
    shipment: str
    tokens: Any


@event("ocs.reinforced")
class Reinforced:
    """OCS 13.6 Units come onto the map in a hex, in a mode, with steps lost. Which ones is hidden;
    that something has come is seen."""

    side: str
    units: Any
    hex: str
    marker: Any
    move_side: Any
    lost: Any


@event("ocs.marker_entered")
class MarkerEntered:
    """OCS 13.6 A marker comes onto the map by the order of arrival."""

    side: str
    marker: str
    hex: str


@event("ocs.arrivals_over")
class ArrivalsOver:
    """OCS 13.6 These numbers of the order of arrival have come, and what was to return by now
    has."""

    side: str
    numbers: tuple[int, ...]


after = ByEvent()
after.unchanged(SupplyRolled)


def _counted(state: State, key: str, change: int) -> State:
    counts = dict(state.turn_use.counts)
    counts[key] = counts.get(key, 0) + change
    if not counts[key]:
        del counts[key]
    return replace(state, turn_use=replace(state.turn_use, counts=counts))


@after(Shipped)
def _shipped(state: State, event: Shipped) -> State:
    return _counted(state, f"{SHIPMENT}{event.side}.{event.shipment}", event.tokens)


@after(ShipmentPlaced)
def _placed(state: State, event: ShipmentPlaced) -> State:
    return _counted(state, f"{SHIPMENT}{event.side}.{event.shipment}", -fog.plain(event.tokens))


@after(Reinforced)
def _reinforced(state: State, event: Reinforced) -> State:
    at = state.charts.board.hex(event.hex)
    names, steps = fog.plain(event.units), fog.plain(event.lost)
    units = state.units
    return changed(
        state,
        {
            name: replace(
                units[name],
                at=at,
                where="",
                marker=fog.plain(event.marker),
                move_side=fog.plain(event.move_side) or state.counter(name).combat is None,
                lost=lost,
            )
            for name, lost in zip(names, steps, strict=True)
        },
    )


@after(MarkerEntered)
def _entered(state: State, event: MarkerEntered) -> State:
    at = state.charts.board.hex(event.hex)
    return replace(state, markers={**state.markers, event.marker: (at,)})


@after(ArrivalsOver)
def _over(state: State, event: ArrivalsOver) -> State:
    outside = {name for name, unit in state.units.items() if unit.where == NOT_ARRIVED}
    return replace(
        state,
        arrived=state.arrived | {*event.numbers},
        coming=tuple(
            one
            for one in state.coming
            if one.side != event.side or one.turn > state.turn or outside & {*one.pieces}
        ),
    )


# --- supply on its way ----------------------------------------------------------------------------


def shipments(state: State, side: str) -> Mapping[str, int]:
    """OCS 2.3 B Shipments of a side that are still to be placed, in T."""
    start = f"{SHIPMENT}{side}."
    return {
        key.removeprefix(start): tokens
        for key, tokens in sorted(state.turn_use.counts.items())
        if key.startswith(start)
    }


# --- putting it there -----------------------------------------------------------------------------


_MODE = {
    COMBAT: ("", False),
    MOVE: ("", True),
    RESERVE_COMBAT: (RESERVE, False),
    RESERVE_MOVE: (RESERVE, True),
    STRAT: (STRAT, True),
}


def put(table: Table[State], pieces: tuple[str, ...], place: Place, mode: str = "") -> None:
    """OCS 13.6 Pieces come in at a place: units in the mode wanted, or in the first that they may
    have; aircraft active."""
    planes = tuple(piece for piece in pieces if piece in table.state.aircraft)
    if planes:
        side = table.state.charts.printed.planes[planes[0]].side
        aircraft.settle_in(table, side, planes, place)
    units = tuple(piece for piece in pieces if piece not in planes)
    if not units or not isinstance(place, int):
        return
    state = table.state
    side = state.side(units[0])
    expected = waiting(state, side)
    together: dict[str, list[str]] = {}
    for name in units:
        chosen = mode or arrival_modes(state, name, place)[0]
        together.setdefault(chosen, []).append(name)
    for chosen, names in together.items():
        marker, moving = _MODE[chosen]

        def hide(value: Any) -> Any:
            return fog.hidden(state, side, value)

        lost = tuple(_lost(state, name, expected.get(name)) for name in names)
        table.emit(
            Reinforced(
                side,
                hide(tuple(names)),
                state.charts.board.name(place),
                hide(marker),
                hide(moving),
                hide(lost),
            )
        )
    control.settle(table)


def _lost(state: State, name: str, one: Waiting | None) -> int:
    """OCS 13.6 Steps that a unit has lost when it comes: as the order of arrival says; else as it
    left, or as it is rebuilt."""
    if one is not None and isinstance(one.by, Arrival):
        return one.by.steps_lost.get(name, 0)
    return state.units[name].lost


def place_supply(table: Table[State], side: str, shipment: str, place: Place, tokens: int) -> None:
    """OCS 2.3 B This many T of a shipment lie at a place now, or (13.6c) in transport there."""
    table.emit(ShipmentPlaced(side, shipment, fog.hidden(table.state, side, tokens)))
    if place in table.state.units:
        points.load(table, str(place), tokens, ARRIVED)
    else:
        points.ground(table, side, place, tokens, ARRIVED)


def filling(state: State, side: str, shipment: str) -> tuple[str, ...]:
    """OCS 13.6c Ordinary transport that has come in this phase to a place of a shipment, and has
    room for some of it."""
    open_ = rules(state.charts).shipment_places(state, side, shipment)
    arriving: tuple[Arrival | Coming, ...] = (*state.due(side), *returning(state, side))
    return tuple(
        name
        for by in arriving
        for name in by.pieces
        if name in state.units
        and state.counter(name).points
        and not state.counter(name).organic
        and state.units[name].at in open_
        and _room(state, name) > 0
    )


def _room(state: State, name: str) -> int:
    size = state.counter(name).points * state.charts.tables.costs["sp_in_t"]
    return int(size - state.units[name].load)


def begin(table: Table[State]) -> None:
    """OCS 2.3 B The phase begins: withdrawals, and the dice for supply."""
    state = table.state
    side, turn = state.phasing, state.turn
    for one in state.charts.scenario.doc.get("withdrawal", ()):
        if one["side"] == side and one["turn"] == turn:
            _withdraw(table, tuple(words_of(one["pieces"])))
    for one in state.charts.scenario.doc.get("event", ()):
        if one["side"] == side and one["turn"] == turn and "marker_at" in one["effect"]:
            _enter(table, side, one["effect"]["marker"], one["effect"]["marker_at"])
    game = rules(state.charts)
    dice = table.rolls(game.supply_dice(state, side), 6, "supply")
    if dice:
        table.emit(SupplyRolled(side, dice))
    for shipment, tokens in game.shipments(state, side, dice).items():
        if tokens > 0:
            table.emit(Shipped(side, shipment, tokens))


def _withdraw(table: Table[State], pieces: tuple[str, ...]) -> None:
    units = tuple(piece for piece in pieces if piece in table.state.units)
    if units:
        table.emit(TakenOff(units, WITHDRAWN))


def _enter(table: Table[State], side: str, marker: str, name: str) -> None:
    """OCS 13.6 A marker comes in its hex; where anything of the enemy's stands there, in the
    nearest hex with a road in which nothing does."""
    state = table.state
    board = state.charts.board
    enemy = state.enemy(side)
    free = (
        state.charts.scenario.play
        & ~state.field.occupied[enemy]
        & ~movement_range.bases_of(state, enemy)
    )
    home = board.hex(name)
    if not hexsets.has(free, home):
        roads = free & board.linked[ROAD_PATH]
        found = hexsets.listed(hexsets.nearest(hexsets.of((home,)), roads, board.near))
        home = found[0] if found else home
    table.emit(MarkerEntered(side, marker, board.name(home)))


def settle(table: Table[State]) -> None:
    """OCS 2.3 B Nothing is left to choose: what can come in only one place is put there."""
    state = table.state
    side = state.phasing
    for shipment, tokens in shipments(state, side).items():
        found = rules(state.charts).shipment_places(table.state, side, shipment)
        if found:
            place_supply(table, side, shipment, found[0], tokens)
        else:
            # Nowhere to put it: it is lost, and does not count as having been in the game.
            table.emit(ShipmentPlaced(side, shipment, fog.hidden(state, side, tokens)))
    late = set(stuck(table.state, side))
    numbers = tuple(one.number for one in state.due(side) if not late & set(one.pieces))
    if numbers or returning(state, side):
        table.emit(ArrivalsOver(side, numbers))


# --- the step -------------------------------------------------------------------------------------


@frozen
class Placing:
    """OCS 13.6 Pieces that come together, where, and in which mode."""

    pieces: tuple[str, ...] = ()
    place: str = ""
    mode: str = ""


@frozen
class Supplying:
    """OCS 2.3 B A shipment, where it is put (13.6c transport among it), and how many T of it."""

    shipment: str = ""
    place: str = ""
    tokens: int = 0


def to_choose(state: State, side: str) -> Mapping[str, int]:
    """OCS 2.3 B Shipments that can be put in more than one place, or where only the owner knows
    that they cannot."""
    game = rules(state.charts)
    return {
        shipment: tokens
        for shipment, tokens in shipments(state, side).items()
        if len(game.shipment_places(state, side, shipment)) > 1
        or filling(state, side, shipment)
        or (fog.strict(state) and game.shipment_is_free(state, side, shipment))
    }


@frozen
class Further:
    """OCS 2.3 B What else a game does in the phase: `begins` once supply is known, `commands` of
    the phasing side, and whether the side is `asks`ed although nothing is left to place."""

    begins: tuple[Callable[[Table[State]], None], ...] = ()
    commands: Commands[State] = ()
    asks: Callable[[State, str], bool] = lambda state, side: False


class Reinforcing(Asking[State]):
    """OCS 2.3 B The phasing side puts on the map what comes; `rest` puts all that is left where it
    comes first of all. Where the game adds something, the phase lasts until it is `done`."""

    verb_slot = "ocs.reinforcing"

    def __init__(self, further: Further | None = None) -> None:
        self._further = Further() if further is None else further

    def deciders(self, at: Position[State], frame: Frame) -> Mapping[Seat, Decision]:
        """The phasing side, while something is left to place or to do."""
        state, side = at.state, at.state.phasing
        if frame.args[-1:] != (BEGUN,):
            return {}
        if self._further.asks(state, side):
            return {side: Decision(Say("prompt.ocs.rebuilding", (), "OCS 2.3"))}
        if _to_place(state, side):
            return {side: Decision(Say("prompt.ocs.reinforcements", (), "OCS 13.6"))}
        return {}

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The phase begins, or all has come."""
        if frame.args[-1:] in ((BEGUN,), (OVER,)):
            table.done()
            settle(table)
            return
        table.replace(*frame.args, BEGUN)
        begin(table)
        for one in self._further.begins:
            one(table)

    def sealed(self, asked: Asked[State]) -> bool:
        """OCS R-15, R-16 Which unit stands where, and how much supply, is hidden."""
        return fog.strict(asked.state)

    def commands(self) -> Commands[State]:
        """place, deliver, rest, what the game adds, done."""
        return (
            Command(
                "place",
                Placing,
                Many(
                    "pieces",
                    "ocs.arriving",
                    _pieces,
                    _why_not_piece,
                    takes=_is_piece,
                    joint="ocs.arriving_or_place",
                ),
                Slot("place", "ocs.place", _places, _why_not_place),
                Slot("mode", "ocs.mode", _modes, _why_not_mode, optional=True),
                apply=_place,
                when=lambda asked: _coming(asked.state, asked.seat),
                why=lambda asked: Refusal("OCS 13.6", "refusal.ocs.nothing_arrives"),
            ),
            Command(
                "deliver",
                Supplying,
                Slot(
                    "shipment",
                    "ocs.shipment",
                    lambda asked, order: to_choose(asked.state, asked.seat),
                    lambda asked, order, pick: Refusal(
                        "OCS 2.3", "refusal.ocs.no_shipment", (("pick", pick),)
                    ),
                ),
                Slot("place", "ocs.place", _supply_places, _why_not_supply_place),
                Slot("tokens", "ocs.tokens", _supply_tokens, _why_not_tokens),
                apply=lambda table, asked, order: place_supply(
                    table,
                    asked.seat,
                    order.shipment,
                    _supply_place(asked, order),
                    order.tokens,
                ),
                when=lambda asked: bool(to_choose(asked.state, asked.seat)),
                why=lambda asked: Refusal("OCS 2.3", "refusal.ocs.no_supply_to_place"),
            ),
            word(
                "rest",
                _rest,
                when=lambda asked: _to_place(asked.state, asked.seat),
                why=lambda asked: Refusal("OCS 13.6", "refusal.ocs.nothing_arrives"),
            ),
            *self._further.commands,
            word(
                "done",
                lambda table, asked: table.replace(*asked.frame.args[:-1], OVER),
                when=lambda asked: not _to_place(asked.state, asked.seat),
                why=lambda asked: Refusal("OCS 13.6", "refusal.ocs.still_to_place"),
            ),
        )


def _to_place(state: State, side: str) -> bool:
    """OCS 13.6 Whether anything that comes is still to be placed, which cannot be put off."""
    return _coming(state, side) or bool(to_choose(state, side))


def _coming(state: State, side: str) -> bool:
    return any(places(state, piece) for piece in waiting(state, side))


def _is_piece(asked: Asked[State], pick: Pick) -> bool:
    return pick in asked.state.units or pick in asked.state.aircraft


def _pieces(asked: Asked[State], order: Placing) -> Iterable[str]:
    state = asked.state
    found = [piece for piece in waiting(state, asked.seat) if piece not in order.pieces]
    if not order.pieces:
        return [piece for piece in found if places(state, piece)]
    shared = set(_common(state, order.pieces))
    flying = order.pieces[0] in state.aircraft
    return [
        piece
        for piece in found
        if (piece in state.aircraft) is flying and shared & set(places(state, piece))
    ]


def _common(state: State, pieces: tuple[str, ...]) -> tuple[Place, ...]:
    """Where all of these pieces may come; aircraft together as far as the base has room."""
    found = list(places(state, pieces[0]))
    for piece in pieces[1:]:
        others = set(places(state, piece))
        found = [place for place in found if place in others]
    if pieces[0] in state.aircraft:
        found = [place for place in found if has_room(state, place, len(pieces))]
    return tuple(found)


def _places(asked: Asked[State], order: Placing) -> Iterable[str]:
    board = asked.state.charts.board
    if not order.pieces:
        return []
    return [place_name(board, place) for place in _common(asked.state, order.pieces)]


def _modes(asked: Asked[State], order: Placing) -> Iterable[str]:
    state = asked.state
    if order.pieces[0] in state.aircraft:
        return []
    i = state.charts.board.hex(order.place)
    allowed = [set(arrival_modes(state, name, i)) for name in order.pieces]
    return [mode for mode in MODES if all(mode in one for one in allowed)]


def _why_not_piece(asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
    """OCS 13.6"""
    key = "does_not_come_along" if pick in waiting(asked.state, asked.seat) else "does_not_arrive"
    return Refusal("OCS 13.6", f"refusal.ocs.{key}", (("pick", pick),))


def _why_not_place(asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
    """OCS 13.6"""
    return Refusal("OCS 13.6", "refusal.ocs.does_not_arrive_there", (("pick", pick),))


def _why_not_mode(asked: Asked[State], order: Placing, pick: Pick) -> Refusal:
    """OCS 13.6"""
    return Refusal("OCS 13.6", "refusal.ocs.not_in_that_mode", (("pick", pick),))


def _place(table: Table[State], asked: Asked[State], order: Placing) -> None:
    place = place_of(table.state.charts.board, order.place)
    put(table, order.pieces, place, order.mode)


def _supply_places(asked: Asked[State], order: Supplying) -> Iterable[str]:
    state = asked.state
    found = rules(state.charts).shipment_places(state, asked.seat, order.shipment)
    return [
        *(place_name(state.charts.board, place) for place in found),
        *filling(state, asked.seat, order.shipment),
    ]


def _supply_place(asked: Asked[State], order: Supplying) -> Place:
    """Where supply is put: a hex, a box, or (13.6c) the transport of that id."""
    state = asked.state
    return order.place if order.place in state.units else place_of(state.charts.board, order.place)


def _most_tokens(asked: Asked[State], order: Supplying) -> int:
    """T of a shipment that are left, as far as transport to which they go has room."""
    state = asked.state
    left = shipments(state, asked.seat)[order.shipment]
    return min(left, _room(state, order.place)) if order.place in state.units else left


def _supply_tokens(asked: Asked[State], order: Supplying) -> range:
    return range(1, _most_tokens(asked, order) + 1)


def _why_not_supply_place(asked: Asked[State], order: Supplying, pick: Pick) -> Refusal:
    """OCS 2.3"""
    return Refusal("OCS 2.3", "refusal.ocs.does_not_arrive_there", (("pick", pick),))


def _why_not_tokens(asked: Asked[State], order: Supplying, pick: Pick) -> Refusal:
    """OCS 2.3"""
    most = _most_tokens(asked, order)
    return Refusal("OCS 2.3", "refusal.ocs.too_little_supply", (("tokens", most),))


def _rest(table: Table[State], asked: Asked[State]) -> None:
    """OCS 13.6 All that is left comes in the first place that it may have."""
    side = asked.seat
    for piece in waiting(table.state, side):
        open_ = places(table.state, piece)
        if open_:
            put(table, (piece,), open_[0])
    for shipment, tokens in to_choose(table.state, side).items():
        found = rules(table.state.charts).shipment_places(table.state, side, shipment)
        if found:
            place_supply(table, side, shipment, found[0], tokens)


STEPS: Mapping[str, Step[State]] = {REINFORCEMENTS: Reinforcing()}
SEGMENT = (REINFORCEMENTS,)
"""OCS 2.3 B The steps of the Reinforcement Phase."""
