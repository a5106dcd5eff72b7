"""OCS 13.3: rail transport: which hexes a railway joins for it, what it costs, and its commands.

OCS 13.3a A point of rail capacity carries 1 SP or 1 RE any distance. It is doubled where a hex of
the path lies in a trainbusting zone (14.8) and halved where all of the path has two tracks. OCS
13.3e The path is free of enemy combat units and zones, negated or not (4.5a-C), and ends where it
begins: in detrainable hexes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import TRUCK
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch04_concepts.concepts import transport_cost
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.ch06_movement.movement import interrupted
from warledger.engine.games.ocs.ch12_supply import points, sources
from warledger.engine.games.ocs.ch13_special_units.bridges import lately_engineer
from warledger.engine.games.ocs.series.board import RAIL as RAILWAY
from warledger.engine.games.ocs.series.board import Board
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place
from warledger.engine.games.ocs.series.state import OFF_MAP, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Many, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import refuse

PARTS = 16
"""Capacity is counted in sixteenths of a point: nothing that can go costs a smaller part (a company
on foot over two tracks), so that nothing is rounded."""

RAIL = "rail"
"""OCS 13.3a The name of the capacity (`TurnUse.capacity`), and what carries a unit."""

MOVED = "moved"
"""Why supply changes."""


@event("ocs.railed")
class Railed:
    """OCS 13.3e Units go by rail from one station to another and do not move any further; `cost` in
    parts of a point of capacity."""

    side: str
    units: Any
    start: str
    hex: str
    cost: Any


@event("ocs.supply_railed")
class SupplyRailed:
    """OCS 13.3a, 12.2a Supply goes by rail, so that nothing else carries it in this phase; `cost`
    in sixteenths of a point of capacity."""

    side: str
    tokens: Any
    start: Any
    hex: Any
    cost: Any


after = ByEvent()


@after(Railed)
def _railed(state: State, event: Railed) -> State:
    to = state.charts.board.hex(event.hex)
    units = state.units
    made = changed(
        state,
        {
            name: replace(
                units[name],
                at=to,
                began=units[name].at if units[name].began == OFF_MAP else units[name].began,
                finished=True,
                carried=RAIL,
            )
            for name in fog.plain(event.units)
        },
    )
    return used(made, event.side, RAIL, fog.plain(event.cost))


@after(SupplyRailed)
def _supply_railed(state: State, event: SupplyRailed) -> State:
    made = put_down(state, state.charts.board.hex(fog.plain(event.hex)), fog.plain(event.tokens))
    return used(made, event.side, RAIL, fog.plain(event.cost))


def used(state: State, side: str, what: str, parts: int) -> State:
    """OCS 13.3 The position with this much more of a side's capacity used up in this turn: `what`
    names the capacity, `parts` counts sixteenths of a point of it."""
    use = state.turn_use
    key = f"{what}.{side}"
    capacity = {**use.capacity, key: use.capacity.get(key, 0) + parts}
    return replace(state, turn_use=replace(use, capacity=capacity))


def put_down(state: State, i: int, tokens: int) -> State:
    """OCS 12.2a The position with `tokens` T put down in a hex, which nothing carries on in this
    phase."""
    use = state.phase_use
    unloaded = {**use.unloaded, i: use.unloaded.get(i, 0) + tokens}
    return replace(state, phase_use=replace(use, unloaded=unloaded))


def fresh(state: State, side: str, i: Place) -> int:
    """OCS 12.2a T of a side on the ground at a place that nothing has carried in this phase."""
    return max(points.lying(state, side, i) - state.phase_use.unloaded.get(i, 0), 0)


def left(state: State, side: str, what: str = RAIL) -> int:
    """OCS 13.3a Sixteenths of a point of a capacity that a side has left in this turn."""
    whole = rules(state.charts).capacity(state, side, what) * PARTS
    return max(whole - state.turn_use.capacity.get(f"{what}.{side}", 0), 0)


def open_to(state: State, side: str) -> Hexes:
    """OCS 13.3e, 13.3h, 4.5a-C Hexes through which a side's trains may run: those that it
    controls."""
    charts = state.charts
    return (
        charts.scenario.play
        & charts.board.linked[RAILWAY]
        & rules(charts).railways(state, side)
        & state.control[side]
        & ~state.field.combat[charts.enemy(side)]
        & ~zones.barred(state, side, zones.RAIL_MOVE)
    )


@remembered()
def stations(state: State, side: str) -> Hexes:
    """OCS 13.3c Detrainable hexes of a side: controlled, with a railway to a source that no enemy
    zone cuts, none in the hex itself."""
    charts = state.charts
    through = open_to(state, side)
    starts = rules(charts).sources(state, side) & through
    linked = sources.along_rails(charts.board, _whole(state, side), starts, through)
    return linked & sources.detrainable(state, side)


def _whole(state: State, side: str) -> frozenset[int]:
    return sources.whole(state.charts.board, rules(state.charts).bridging(state, side, False))


@remembered()
def lines(state: State, side: str, start: int, shut: Hexes = 0) -> Mapping[int, Fraction]:
    """OCS 13.3, 13.3a Station -> points of capacity for 1 SP or RE from `start`, over the cheapest
    path that leads through none of the hexes of `shut`."""
    if not hexsets.has(stations(state, side), start):
        return {}
    found: dict[int, Fraction] = {}
    for cost, joined in _networks(state, side, shut & open_to(state, side) & ~(1 << start)):
        for i in joined.get(start, ()):
            if i != start:
                found[i] = min(found.get(i, cost), cost)
    return dict(sorted(found.items()))


def rail_cost(amount: Fraction, *, zone: bool, multi: bool) -> Fraction:
    """OCS 13.3a, 14.8 Rail capacity for `amount` SP or RE along a path: twice if any hex of it lies
    in a trainbusting zone, half if all of it has two tracks."""
    if zone:
        amount *= 2
    return amount / 2 if multi else amount


Network = Mapping[int, Sequence[int]]
"""Station -> the stations that a railway joins to it, itself among them."""


@remembered()
def _networks(state: State, side: str, shut: Hexes) -> Sequence[tuple[Fraction, Network]]:
    """OCS 13.3a What 1 SP or RE costs over each kind of path, and what such paths join: over two
    tracks or any, out of trainbusting zones or through them."""
    through, ends = open_to(state, side) & ~shut, stations(state, side) & ~shut
    busted = movement_range.surcharges(state, side, TRUCK)
    board, whole = state.charts.board, _whole(state, side)
    off_map = rules(state.charts).rails_off_map(state, side)
    around = tuple((i, tuple(more)) for i, more in sorted(off_map.items()))
    return tuple(
        (
            rail_cost(Fraction(1), zone=zone, multi=multi),
            _joined(board, whole, around, ends, through if zone else through & ~busted, multi),
        )
        for multi in (True, False)
        for zone in ((False, True) if through & busted else (False,))
    )


@lru_cache(maxsize=64)
def _joined(
    board: Board,
    whole: frozenset[int],
    around: tuple[tuple[int, tuple[int, ...]], ...],
    ends: Hexes,
    through: Hexes,
    multi: bool,
) -> Network:
    """Stations that railways join, those off the map (`around`) among them, with `multi` over two
    tracks alone: [R] of what runs off the map one is counted. Few moves change any of this."""
    near = dict(sources.rails(board, whole))
    near.update((i, (*near.get(i, ()), *more)) for i, more in around)
    found: dict[int, Sequence[int]] = {}
    for start in hexsets.listed(ends & through):
        if start in found:
            continue
        reached = {start}
        front = [start]
        while front:
            here = front.pop()
            for n in near.get(here, ()):
                if n in reached or not hexsets.has(through, n):
                    continue
                if multi and not _two_tracks(board, here, n):
                    continue
                reached.add(n)
                front.append(n)
        together = tuple(sorted(i for i in reached if hexsets.has(ends, i)))
        found.update(dict.fromkeys(together, together))
    return found


def _two_tracks(board: Board, here: int, there: int) -> bool:
    return there in board.map.grid.adjacent[here] and bool(board.multi[board.slot(here, there)])


def entrains(state: State, name: str) -> bool:
    """OCS 13.3e, 4.7d Whether a unit may go by rail now: in Move mode, with half its MA at most
    spent, at a station; transport points too."""
    unit, counter = state.units[name], state.counter(name)
    if unit.at == OFF_MAP or unit.carried or unit.finished or unit.extender:
        return False
    if state.segment != "c2":
        return False
    if counter.side != state.phasing or not modes.effects(state, name).transport:
        return False
    if 2 * unit.spent > modes.allowance(state, name):
        return False
    if rules(state.charts).holds_back(state, name):
        return False
    return hexsets.has(stations(_as_station(state, name), counter.side), unit.at)


def _as_station(state: State, name: str) -> State:
    """OCS 13.8c The position as an HQ entrains itself: it made the railway hex detrainable until it
    changed its mode to do so."""
    if not lately_engineer(state, name):
        return state
    return changed(state, {name: replace(state.units[name], move_side=False, marker="")})


def lines_of(state: State, name: str) -> Mapping[int, Fraction]:
    """OCS 13.3a, 13.8c Station -> points of capacity for 1 RE from where a unit is. OCS 6.2c The
    train goes through no hex that is closed to the unit."""
    unit, shut = state.units[name], rules(state.charts).rails_barred(state, name)
    return lines(_as_station(state, name), state.side(name), unit.at, shut)


def price(state: State, name: str, to: int) -> int | None:
    """OCS 13.3a, 4.7 Sixteenths of a point of capacity that a unit needs to a station; None where
    no train goes."""
    line = lines_of(state, name).get(to)
    return None if line is None else _fare(state, name, line)


def _fare(state: State, name: str, line: Fraction) -> int:
    """OCS 13.3a, 4.7 Sixteenths of a point of capacity that a unit needs where 1 RE costs this
    much."""
    parts = transport_cost(state.counter(name), state.units[name]) * line * PARTS
    return -(-parts.numerator // parts.denominator)


def supply_price(state: State, side: str, start: int, to: int, tokens: int) -> int:
    """OCS 13.3a Sixteenths of a point of capacity for `tokens` T to a station: a point carries 1
    SP."""
    return _freight_rate(state, tokens, lines(state, side, start)[to])


def _freight_rate(state: State, tokens: int, line: Fraction) -> int:
    """OCS 13.3a Sixteenths of a point of capacity for `tokens` T where 1 SP costs this much."""
    per_sp: int = state.charts.tables.costs["sp_in_t"]
    return -(-tokens * line.numerator * PARTS // (per_sp * line.denominator))


# --- commands -------------------------------------------------------------------------------------


@frozen
class Riding:
    """OCS 13.3e The units, all at one station, and the station to which they go."""

    units: tuple[str, ...] = ()
    hex: str = ""


@frozen
class Freight:
    """OCS 13.3a Where supply lies, how many T go, and to which station."""

    start: str = ""
    tokens: int = 0
    hex: str = ""


def ends(state: State, names: Sequence[str]) -> tuple[int, ...]:
    """OCS 6.2c, 13.3a Stations to which all of these units can go with the capacity that is
    left."""
    if not names:
        return ()
    side, start = state.side(names[0]), state.units[names[0]].at
    together = all(state.units[name].at == start for name in names)
    room = left(state, side)
    alike = [lines_of(state, name) for name in names] if together else [{}]
    from_here = {to: alike[0][to] for to in alike[0] if all(to in one for one in alike[1:])}
    low = {
        line: sum(_fare(state, name, line) for name in names) <= room
        for line in dict.fromkeys(from_here.values())
    }
    shut = 0
    for name in names:
        shut |= rules(state.charts).barred(state, name)
    return tuple(to for to, line in from_here.items() if low[line] and not hexsets.has(shut, to))


@remembered()
def riders(state: State) -> tuple[str, ...]:
    """OCS 13.3e Units that can go by rail now."""
    return tuple(_riders(state))


def _riders(state: State) -> Iterator[str]:
    side = state.phasing
    if state.segment != "c2" or not left(state, side):
        return
    for i in hexsets.listed(stations(state, side)):
        if state.holder(i) == side:
            for name in state.stack(i):
                if entrains(state, name) and ends(state, (name,)):
                    yield name
    for name, i in state.phase_use.turned.items():
        elsewhere = not hexsets.has(stations(state, side), i)
        if elsewhere and entrains(state, name) and ends(state, (name,)):
            yield name


@remembered()
def loads(state: State) -> Mapping[int, tuple[int, ...]]:
    """OCS 13.3a Stations where supply lies that a train can take -> stations to which 1T can go."""
    return dict(_loads(state))


def _loads(state: State) -> Iterator[tuple[int, tuple[int, ...]]]:
    side = state.phasing
    if state.segment != "c2" or not left(state, side):
        return
    room, at = left(state, side), stations(state, side)
    for i in sorted(place for place in state.supply[side] if isinstance(place, int)):
        if not hexsets.has(at, i) or not fresh(state, side, i):
            continue
        from_here = lines(state, side, i)
        rates = dict.fromkeys(from_here.values())
        low = {line: _freight_rate(state, 1, line) <= room for line in rates}
        to = tuple(n for n, line in from_here.items() if low[line])
        if to:
            yield i, to


def commands() -> Commands[State]:
    """OCS 13.3 rail UNITS … HEX, freight HEX T HEX: for the step in which a side moves."""
    return (
        Command(
            "rail",
            Riding,
            Many(
                "units",
                "ocs.unit",
                _units,
                _why_not_unit,
                takes=lambda asked, pick: pick in asked.state.units,
                joint="ocs.unit_or_hex",
            ),
            Slot("hex", "ocs.station", _ends, _why_not_there),
            apply=_ride,
            when=lambda asked: any(True for _ in _riders(asked.state)),
            why=lambda asked: refuse("OCS 13.3e", "refusal.ocs.nobody_entrains"),
        ),
        Command(
            "freight",
            Freight,
            Slot(
                "start",
                "ocs.station",
                lambda asked, order: map(asked.state.charts.board.name, loads(asked.state)),
                _why_not_there,
            ),
            Slot("tokens", "ocs.tokens", _tokens, _why_not_so_many),
            Slot("hex", "ocs.station", _to, _why_not_there),
            apply=_freight,
            when=lambda asked: any(True for _ in _loads(asked.state)),
            why=lambda asked: refuse("OCS 13.3a", "refusal.ocs.no_freight"),
        ),
    )


def _units(asked: Asked[State], order: Riding) -> Iterable[str]:
    state = asked.state
    every = riders(state)
    if not order.units:
        return every
    at = state.units[order.units[0]].at
    return [
        name
        for name in every
        if name not in order.units
        and state.units[name].at == at
        and ends(state, (*order.units, name))
    ]


def _ends(asked: Asked[State], order: Riding) -> Iterable[str]:
    return [asked.state.charts.board.name(i) for i in ends(asked.state, order.units)]


def _ride(table: Table[State], asked: Asked[State], order: Riding) -> None:
    state = table.state
    names, board = order.units, state.charts.board
    interrupted(table, ())
    to = board.hex(order.hex)
    cost = sum(price(state, name, to) or 0 for name in names)
    start = board.name(state.units[names[0]].at)

    def hide(value: object) -> Any:
        return fog.hidden(state, asked.seat, value)

    table.emit(Railed(asked.seat, hide(names), start, order.hex, hide(cost)))


def _most(state: State, side: str, start: int) -> int:
    """Most T that a train takes from a station to some other."""
    room = left(state, side)
    most = fresh(state, side, start)
    while most and all(
        supply_price(state, side, start, to, most) > room for to in loads(state)[start]
    ):
        most -= 1
    return most


def _tokens(asked: Asked[State], order: Freight) -> Iterable[int]:
    state = asked.state
    return range(1, _most(state, asked.seat, state.charts.board.hex(order.start)) + 1)


def _to(asked: Asked[State], order: Freight) -> Iterable[str]:
    state, side = asked.state, asked.seat
    board = state.charts.board
    start, room = board.hex(order.start), left(state, side)
    return [
        board.name(to)
        for to in loads(state)[start]
        if supply_price(state, side, start, to, order.tokens) <= room
    ]


def _freight(table: Table[State], asked: Asked[State], order: Freight) -> None:
    """OCS 6.1g, 13.3a Whoever was moving is done: a move is not interrupted to bring supply up."""
    if table.state.move is not None:
        interrupted(table, ())
    state, side = table.state, asked.seat
    board = state.charts.board
    start, to = board.hex(order.start), board.hex(order.hex)
    cost = supply_price(state, side, start, to, order.tokens)
    points.ground(table, side, start, -order.tokens, MOVED)
    points.ground(table, side, to, order.tokens, MOVED)

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(
        SupplyRailed(side, hide(order.tokens), hide(order.start), hide(order.hex), hide(cost))
    )


def _full(state: State, side: str) -> Refusal:
    points = str(Fraction(left(state, side), PARTS))
    return refuse("OCS 13.3a", "refusal.ocs.no_rail_capacity", points=points)


def _why_not_unit(asked: Asked[State], order: Riding, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if name not in state.units or state.side(name) != asked.seat or name in order.units:
        return refuse("OCS 13.3e", "refusal.ocs.not_a_unit", unit=name)
    if order.units and state.units[name].at != state.units[order.units[0]].at:
        return refuse("OCS 13.3e", "refusal.ocs.other_station", unit=name)
    if not entrains(state, name):
        return refuse("OCS 13.3e", "refusal.ocs.cannot_entrain", unit=name)
    return _full(state, asked.seat)


def _why_not_there(asked: Asked[State], order: Riding | Freight, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    i = state.charts.board.map.grid.index.get(name, -1)
    if i < 0 or not hexsets.has(stations(state, asked.seat), i):
        return refuse("OCS 13.3c", "refusal.ocs.no_station", hex=name)
    for unit in order.units if isinstance(order, Riding) else ():
        clause = _shut_by(state, unit, i)
        if clause:
            return refuse(clause, "refusal.ocs.prohibited", unit=unit, hex=name)
    return _full(state, asked.seat)


def _shut_by(state: State, name: str, to: int) -> str:
    """OCS 6.2c The clause of the game's by which no train carries a unit to a station that a train
    does reach: that of the station, or of a hex on the railways; "" where none does."""
    game, unit = rules(state.charts), state.units[name]
    if hexsets.has(game.barred(state, name), to):
        return game.barred_by(state, name, to)
    if to in lines_of(state, name) or to not in lines(state, state.side(name), unit.at):
        return ""
    shut = hexsets.listed(game.rails_barred(state, name) & open_to(state, state.side(name)))
    return game.barred_by(state, name, shut[0]) if shut else ""


def _why_not_so_many(asked: Asked[State], order: Freight, pick: Pick) -> Refusal:
    return refuse("OCS 13.3a", "refusal.ocs.too_many_tokens", pick=pick)
