"""OCS 14.9, 14.10: air transport and air drops: what is carried, how far, and what of it arrives.

OCS 14.9 Transports carry supply, or units in Move mode whose Leg MA is 10 at most, from their base
to another. OCS 4.7 A capacity of 4T is an SP or an RE. OCS 14.9e Each flies by itself. It goes to
twice its range and stays there, inactive; or to its range and home within it. With twice the load
it goes to half of it and home within half. OCS 14.9f A base unloads 2T a level in a phase from
transports that leave it; those that bring more stay there. OCS 14.10 A drop comes down in any hex,
each unit or token by a roll of two dice. OCS 14.4g What those that get there cannot carry any more
is lost, rounded in the cargo's favour.

OCS 4.9a The enemy sees the target and the top aircraft, not what they carry. Of a drop they learn
as much as the dice tell, which are rolled in the open (4.9e).

[R] The transports of a mission start from one base, where the cargo lies; fighters of any base may
escort them. They share the cargo in the order in which they were named; together they carry whole
tokens (14.9b). What is named first goes on longest when cargo is lost: so its owner chooses. The
cargo of aircraft that abort is back where it was loaded. Those named last are the ones that land
because of 14.9f. Twice the load is taken wherever it is needed and all of the distance allows it. A
drop goes to no hex with enemy combat units, since all of it would be lost (14.10d). What is dropped
among other enemy things lies beside them; units that come down capture (9.14).
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import LEG
from warledger.engine.games.ocs.ch04_concepts import fog, zones
from warledger.engine.games.ocs.ch04_concepts.concepts import transport_cost
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch12_supply import points
from warledger.engine.games.ocs.ch13_special_units.rail import MOVED, fresh, put_down
from warledger.engine.games.ocs.ch14_air import air_course, air_orders, aircraft, flak, missions
from warledger.engine.games.ocs.ch14_air.air_combat import mission
from warledger.engine.games.ocs.ch14_air.mission_in_progress import DROP, TRANSPORT, Sortie
from warledger.engine.games.ocs.ch17_weather import weather
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name, place_of
from warledger.engine.games.ocs.series.state import AIR, OFF_MAP, State, changed
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Many, Offer, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.lazy import Lazy
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, event
from warledger.protocol.board.choices import Say, refuse, say

MOST_LEG = 10
"""OCS 14.9a The most Leg MA of a unit that is carried."""

LOST, WHY = "lost", "air_transport"
"""Why supply changes, and why steps are lost."""

# --- events ---------------------------------------------------------------------------------------


@event("ocs.cargo_loaded")
class CargoLoaded:
    """OCS 14.9 What a mission carries, and from where: supply in T, and units. All of it is its
    owner's to know."""

    side: str
    start: Any
    tokens: Any
    units: Any


@event("ocs.cargo_landed")
class CargoLanded:
    """OCS 14.9 What has come by air to a hex: supply in T, and units."""

    side: str
    hex: str
    tokens: Any
    units: Any


after = ByEvent()


@after(CargoLoaded)
def _loaded(state: State, event: CargoLoaded) -> State:
    """OCS 14.9b, 14.9e Shared out in the order of the mission, at twice the load where less would
    not do."""
    tokens, units = fog.plain(event.tokens), tuple(fog.plain(event.units))
    start = place_of(state.charts.board, fog.plain(event.start))
    made = replace(mission(state), start=start)
    return replace(state, sortie=shared(state, made, tokens, units))


def shared(state: State, sortie: Sortie, tokens: int, units: tuple[str, ...]) -> Sortie:
    """OCS 14.9b, 14.9e A mission that carries `tokens` T and these units, shared out in its order,
    at twice the load if need be."""
    to, via = _whither(sortie)
    weight = tokens + sum((load(state, name) for name in units), Fraction(0))
    carriers = transports(state, sortie.aircraft)
    doubled = weight > lift(state, carriers, to, doubling=False)
    shares: dict[str, Fraction] = {}
    left = weight
    for name in carriers:
        shares[name] = min(room(state, name, to, doubling=doubled, via=via), left)
        left -= shares[name]
    return replace(
        sortie,
        tokens=tokens,
        units=units,
        cargo=shares,
        doubled=doubled or (sortie.doubled and sortie.relay is not None),
    )


def _whither(sortie: Sortie) -> tuple[Place, int]:
    """OCS 21.12a Where a mission ends, and by which intermediate base, -1 for none."""
    if sortie.relay is None:
        return sortie.place, -1
    return sortie.relay.final, sortie.relay.via


@after(CargoLanded)
def _landed(state: State, event: CargoLanded) -> State:
    """OCS 4.7d, 12.2a The units have been carried, the supply has been unloaded in this phase.
    OCS 14.9f The base has unloaded this much."""
    board, sortie = state.charts.board, mission(state)
    to = board.hex(event.hex)
    tokens, units = fog.plain(event.tokens), tuple(fog.plain(event.units))
    weight = tokens + sum((load(state, name) for name in units), Fraction(0))
    made = changed(
        state,
        {
            name: replace(
                unit,
                at=to,
                where="",
                began=unit.at if unit.began == OFF_MAP else unit.began,
                carried=AIR,
                finished=sortie.kind == DROP,
            )
            for name in units
            for unit in (state.units[name],)
        },
    )
    made = put_down(made, to, tokens)
    if sortie.kind == DROP:
        return made
    # OCS 21.12a An intermediate base unloads all that it is brought, and nobody stays there.
    held = () if sortie.stops_over else staying(state)
    use = made.phase_use
    flown_in = {**use.flown_in, to: use.flown_in.get(to, 0) + ceil(weight)}
    return replace(
        made,
        phase_use=replace(use, flown_in=flown_in),
        sortie=replace(sortie, staying=held),
    )


# --- what is carried ------------------------------------------------------------------------------


def transports(state: State, names: Iterable[str]) -> tuple[str, ...]:
    """OCS 14.9 Those of some aircraft that can carry something."""
    return tuple(name for name in names if missions.carries(state, name))


def load(state: State, name: str) -> Fraction:
    """OCS 4.7 What carrying a unit takes of capacity, in T."""
    per_sp = state.charts.tables.costs["sp_in_t"]
    return transport_cost(state.counter(name), state.units[name]) * per_sp


def room(
    state: State, name: str, place: Place, *, doubling: bool = True, via: int = -1
) -> Fraction:
    """OCS 14.9b, 14.9e T that a transport carries to a place from its base: twice its capacity
    within half its range; OCS 21.12a by an intermediate base, the longer leg counts."""
    whole = aircraft.capacity(state, name)
    base = state.aircraft[name].base
    if not doubling or base is None:
        return whole
    away = aircraft.longest_leg(state, base, place, via)
    return 2 * whole if 2 * away <= aircraft.printed(state, name).range else whole


def lift(
    state: State, names: Iterable[str], place: Place, *, doubling: bool = True, via: int = -1
) -> Fraction:
    """OCS 14.9b T that these aircraft carry to a place together."""
    return sum(
        (room(state, name, place, doubling=doubling, via=via) for name in transports(state, names)),
        Fraction(0),
    )


def portable(state: State, name: str) -> bool:
    """OCS 14.9a, 4.7c, 4.7d Whether a unit may go by air now: a combat unit in Move mode of at most
    10 Leg points that has spent no more than half its MA, and that nothing has carried."""
    unit, counter = state.units[name], state.counter(name)
    move = counter.move
    if unit.at == OFF_MAP or unit.finished or unit.worked or unit.carried or unit.extender:
        return False
    if rules(state.charts).holds_back(state, name):
        return False
    if not counter.combat_unit or move is None or counter.side != zones.mover(state):
        return False
    if move.mobility != LEG or move.ma > MOST_LEG or not modes.effects(state, name).transport:
        return False
    return 2 * unit.spent <= modes.allowance(state, name)


def may_land(state: State, name: str, kind: str, i: int) -> bool:
    """OCS 6.2c, 14.10 Whether the game lets a unit come to a hex by air: none to one that it may
    not enter, and by drop only those that it names."""
    game = rules(state.charts)
    if hexsets.has(game.barred(state, name), i) or not hexsets.has(state.charts.scenario.play, i):
        return False
    return kind == TRANSPORT or game.drops(state, name)


def passengers(state: State, kind: str, start: Place, i: int) -> tuple[str, ...]:
    """OCS 14.9a Units at a base that may go by air to a hex."""
    if not isinstance(start, int):
        return ()
    return tuple(
        name
        for name in state.stack(start)
        if portable(state, name) and may_land(state, name, kind, i)
    )


@remembered()
def goods(state: State, side: str, start: Place) -> bool:
    """OCS 14.9, 12.2a Whether anything lies at a base that could go by air."""
    if fresh(state, side, start) > 0:
        return True
    return isinstance(start, int) and any(portable(state, name) for name in state.stack(start))


@remembered()
def airfields(state: State, side: str, kind: str) -> tuple[Place, ...]:
    """OCS 14.9 Bases and boxes of a side with a transport that may fly now and something to
    carry."""
    found = dict.fromkeys(
        base
        for name in missions.flyers(state, side, kind)
        if missions.carries(state, name)
        and (base := state.aircraft[name].base) is not None
        and goods(state, side, base)
    )
    return tuple(found)


@remembered()
def able(
    state: State, side: str, kind: str, place: Place, chosen: Sequence[str] = ()
) -> tuple[str, ...]:
    """OCS 14.9, 14.2 Aircraft that may join these in a mission, or begin one."""
    found = missions.able(state, side, kind, place, chosen)
    if chosen:
        return tuple(
            name for name in found if _lifts(state, side, kind, place, (*chosen, name), found)
        )
    starts = airfields(state, side, kind)
    return tuple(
        name
        for name in found
        if (base := state.aircraft[name].base) in starts
        and base is not None
        and _anything(state, side, kind, base, place)
        and _lifts(state, side, kind, place, (name,), found)
    )


def _lifts(
    state: State, side: str, kind: str, place: Place, chosen: Sequence[str], others: Sequence[str]
) -> bool:
    """OCS 14.9b Whether these aircraft, with others that may still join them, can carry the
    lightest that there is to carry: reduced transports bear half a token each."""
    base = state.aircraft[chosen[0]].base
    assert base is not None, "who is offered lies at a base"
    supply = fresh(state, side, base) > 0
    if supply and lift(state, chosen, place) >= 1:
        return True
    weights = [load(state, name) for name in _passengers(state, kind, base, place)]
    if supply:
        weights.append(Fraction(1))
    return bool(weights) and most_lift(state, place, chosen, others) >= min(weights)


def most_lift(
    state: State, place: Place, chosen: Sequence[str], others: Sequence[str], via: int = -1
) -> Fraction:
    """OCS 14.2a, 14.9b T that these aircraft carry to a place with the best of others that may join
    them, while a mission has room."""
    free = max(weather.most_aircraft(state, aircraft.IN_MISSION) - len(chosen), 0)
    base = state.aircraft[chosen[0]].base
    rooms = sorted(
        (
            room(state, name, place, via=via)
            for name in transports(state, others)
            if name not in chosen and state.aircraft[name].base == base
        ),
        reverse=True,
    )
    return lift(state, chosen, place, via=via) + sum(rooms[:free], Fraction(0))


def _passengers(state: State, kind: str, base: Place, place: Place) -> tuple[str, ...]:
    return passengers(state, kind, base, place) if isinstance(place, int) else ()


def _anything(state: State, side: str, kind: str, start: Place, place: Place) -> bool:
    return fresh(state, side, start) > 0 or bool(_passengers(state, kind, start, place))


@remembered()
def places(state: State, side: str, kind: str) -> tuple[int, ...]:
    """OCS 14.9, 14.10 Hexes to which anything can be flown now."""
    if not airfields(state, side, kind):
        return ()
    where = hexsets.listed(targets(state, side, kind))
    return tuple(i for i in where if able(state, side, kind, i))


def targets(state: State, side: str, kind: str) -> Hexes:
    """OCS 14.9 Bases of the side on the map; OCS 14.10 hexes in play, where no enemy combat unit
    stands."""
    if kind == TRANSPORT:
        return hexsets.of(i for i, base in state.bases.items() if base.side == side)
    return state.charts.scenario.play & ~state.field.combat[state.enemy(side)]


# --- the orders -----------------------------------------------------------------------------------


@frozen
class Carrying:
    """OCS 14.9 Where a mission goes, who flies it, and what it carries."""

    place: str = ""
    aircraft: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    tokens: int = 0


def commands() -> Commands[State]:
    """OCS 14.9, 14.10 airlift, drop: for the step in which units move."""
    return (_order(TRANSPORT, "airlift", "ocs.base"), _order(DROP, "drop", "ocs.hex"))


def _order(kind: str, verb: str, asks: str) -> Command[State, Carrying]:
    return Command(
        verb,
        Carrying,
        Slot(
            "place",
            asks,
            lambda asked, _order: _places(asked, kind),
            lambda asked, _order, pick: _why_not_place(asked, kind, pick),
        ),
        Many(
            "aircraft",
            "ocs.aircraft",
            lambda asked, order: able(
                asked.state, asked.seat, kind, _to(asked.state, order), order.aircraft
            ),
            lambda asked, order, pick: _why_not_aircraft(asked, kind, order, pick),
            takes=lambda asked, pick: pick in asked.state.aircraft,
            joint="ocs.aircraft_or_cargo",
        ),
        Many(
            "units",
            "ocs.unit",
            lambda asked, order: _units(asked, kind, order),
            lambda asked, order, pick: _why_not_unit(asked, kind, order, pick),
            takes=lambda asked, pick: isinstance(pick, str),
            enough=True,
            joint="ocs.cargo",
        ),
        Slot(
            "tokens",
            "ocs.tokens",
            _tokens,
            _why_not_so_many,
            optional=lambda asked, order: bool(order.units),
        ),
        apply=lambda table, asked, order: _fly(table, kind, order),
        when=lambda asked: bool(places(asked.state, asked.seat, kind)),
        why=lambda asked: _why_none(asked, kind),
        unfinished=lambda asked, order: refuse("OCS 14.9", "refusal.ocs.no_cargo_named"),
        preview=lambda asked, order: _preview(asked, kind, order),
    )


def _places(asked: Asked[State], kind: str) -> Offer:
    state, side = asked.state, asked.seat
    board = state.charts.board

    def has(pick: Pick) -> bool:
        i = board.map.grid.index.get(str(pick), -1)
        if i < 0 or not airfields(state, side, kind):
            return False
        return hexsets.has(targets(state, side, kind), i) and bool(able(state, side, kind, i))

    return Lazy(lambda: [board.name(i) for i in places(state, side, kind)], has)


def _to(state: State, order: Carrying) -> int:
    return state.charts.board.hex(order.place)


def _start(state: State, order: Carrying) -> Place:
    base = state.aircraft[order.aircraft[0]].base
    assert base is not None, "who is offered lies at a base"
    return base


def _left(state: State, order: Carrying) -> Fraction:
    """OCS 14.9b T that the aircraft of an order can take with its units."""
    weight = sum((load(state, name) for name in order.units), Fraction(0))
    return lift(state, order.aircraft, _to(state, order)) - weight


def _units(asked: Asked[State], kind: str, order: Carrying) -> Iterable[str]:
    if not order.aircraft:
        return ()
    state, to = asked.state, _to(asked.state, order)
    free = _left(state, order)
    return [
        name
        for name in passengers(state, kind, _start(state, order), to)
        if name not in order.units
        and load(state, name) <= free
        and rules(state.charts).may_stack(
            state.charts, (*state.combat_units(to), *order.units, name)
        )
    ]


def _tokens(asked: Asked[State], order: Carrying) -> Iterable[int]:
    if not order.aircraft:
        return ()
    state = asked.state
    lying = fresh(state, asked.seat, _start(state, order))
    return list(range(1, min(lying, floor(_left(state, order))) + 1))


def _fly(table: Table[State], kind: str, order: Carrying) -> None:
    """OCS 14.2f(A), 14.9 The mission is declared with its cargo, and its course follows."""
    state = table.state
    start = place_name(state.charts.board, _start(state, order))
    air_orders.announce(table, kind, order.aircraft, _to(state, order))
    state = table.state
    side = mission(state).side

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(CargoLoaded(side, hide(start), hide(order.tokens), hide(order.units)))
    table.call(air_course.MISSION)


def _preview(asked: Asked[State], kind: str, order: Carrying) -> tuple[Say, ...]:
    """What the aircraft can take, and what the base unloads of it (14.9f)."""
    if not order.aircraft:
        return ()
    state, to = asked.state, _to(asked.state, order)
    said = [
        say(
            "preview.ocs.lift",
            "OCS 14.9b",
            capacity=str(lift(state, order.aircraft, to)),
            free=str(_left(state, order)),
        )
    ]
    if kind == TRANSPORT:
        said.append(say("preview.ocs.unloads", "OCS 14.9f", hex=order.place, n=handles(state, to)))
    return (*said, *flak.foretold(state, asked.seat, kind, order.aircraft, to))


def _why_none(asked: Asked[State], kind: str) -> Refusal:
    state, side = asked.state, asked.seat
    if not weather.may_fly(state):
        return refuse("OCS 17", "refusal.ocs.no_flying_weather")
    if not any(missions.carries(state, name) for name in missions.flyers(state, side, kind)):
        return refuse("OCS 14.9", "refusal.ocs.no_transport_aircraft")
    if not airfields(state, side, kind):
        return refuse("OCS 14.9", "refusal.ocs.nothing_to_fly")
    return refuse("OCS 14.9e", "refusal.ocs.no_air_target")


def _why_not_place(asked: Asked[State], kind: str, pick: Pick) -> Refusal:
    state, side, name = asked.state, asked.seat, str(pick)
    rule = "OCS 14.9" if kind == TRANSPORT else "OCS 14.10"
    i = state.charts.board.map.grid.index.get(name, -1)
    if i < 0:
        return refuse(rule, "refusal.ocs.no_such_hex", hex=name)
    if not hexsets.has(targets(state, side, kind), i):
        key = "not_your_base" if kind == TRANSPORT else "no_drop_there"
        return refuse(rule, f"refusal.ocs.{key}", hex=name)
    return refuse("OCS 14.9e", "refusal.ocs.beyond_range", hex=name)


def _why_not_aircraft(asked: Asked[State], kind: str, order: Carrying, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if name in missions.flyers(state, asked.seat, kind):
        base = state.aircraft[name].base
        if not order.aircraft and not missions.carries(state, name):
            return refuse("OCS 14.9", "refusal.ocs.no_transport", aircraft=name)
        if not order.aircraft and base not in airfields(state, asked.seat, kind):
            return refuse("OCS 14.9", "refusal.ocs.nothing_to_fly")
        carries = missions.carries(state, name) and order.aircraft
        if carries and base != _start(state, order) and name not in order.aircraft:
            return refuse("OCS 14.9", "refusal.ocs.other_airfield", aircraft=name)
    flying = air_orders.Flying(order.place, order.aircraft)
    return air_orders.why_not_aircraft(asked, kind, flying, pick)


def _why_not_unit(asked: Asked[State], kind: str, order: Carrying, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if name not in state.units or state.side(name) != asked.seat or name in order.units:
        return refuse("OCS 14.9", "refusal.ocs.not_your_unit", unit=name)
    if not order.aircraft or state.units[name].at != _start(state, order):
        return refuse("OCS 14.9", "refusal.ocs.not_at_airfield", unit=name)
    if not portable(state, name):
        return refuse("OCS 14.9a", "refusal.ocs.not_portable", unit=name)
    if not may_land(state, name, kind, _to(state, order)):
        rule = "OCS 6.2c" if kind == TRANSPORT else "OCS 14.10"
        return refuse(rule, "refusal.ocs.lands_not_there", unit=name, hex=order.place)
    return refuse("OCS 14.9b", "refusal.ocs.too_heavy", unit=name)


def _why_not_so_many(asked: Asked[State], order: Carrying, pick: Pick) -> Refusal:
    return refuse("OCS 14.9b", "refusal.ocs.too_many_tokens", pick=pick)


# --- what arrives ---------------------------------------------------------------------------------


@frozen
class Fate:
    """What becomes of a cargo: units and T that get there, those that are lost. The rest is back
    where it was loaded."""

    units: tuple[str, ...]
    tokens: int
    lost_units: tuple[str, ...]
    lost: int


def fate(state: State) -> Fate:
    """OCS 14.4g What of the cargo gets to the target. [R] The mission's order of naming is the
    order in which cargo is kept: first by what gets there, then by what turns back."""
    sortie = mission(state)
    there = ceil(_borne(state, sortie, sortie.aircraft))
    back = ceil(_borne(state, sortie, sortie.aborted))
    landed: list[str] = []
    dead: list[str] = []
    used, turned = Fraction(0), Fraction(0)
    for name in sortie.units:
        weight = load(state, name)
        if used + weight <= there:
            used += weight
            landed.append(name)
        elif turned + weight <= back:
            turned += weight
        else:
            dead.append(name)
    tokens = min(sortie.tokens, floor(there - used))
    returned = min(sortie.tokens - tokens, floor(back - turned))
    return Fate(tuple(landed), tokens, tuple(dead), sortie.tokens - tokens - returned)


def _borne(state: State, sortie: Sortie, names: Iterable[str]) -> Fraction:
    """OCS 14.4f, 14.4g T that these transports bear of what they were given, with their capacity as
    it is now."""
    return sum((borne(state, sortie, name) for name in names), Fraction(0))


def borne(state: State, sortie: Sortie, name: str) -> Fraction:
    """OCS 14.4f, 14.4g T that a transport bears of what it was given, with its capacity as it is
    now; 0 if it carries nothing."""
    given = sortie.cargo.get(name, Fraction(0))
    if not given:
        return given
    to, via = _whither(sortie)
    return min(given, room(state, name, to, doubling=sortie.doubled, via=via))


def handles(state: State, i: int) -> int:
    """OCS 14.9f T that a base still unloads in this phase from transports that leave it."""
    base = state.bases.get(i)
    if base is None:
        return 0
    most = state.charts.tables.costs["unload_t_per_level"] * base.level
    return max(most - state.phase_use.flown_in.get(i, 0), 0)


def staying(state: State) -> tuple[str, ...]:
    """OCS 14.9f Transports that stay at the base to which they have come, since it cannot unload
    them in time."""
    sortie = mission(state)
    limit = handles(state, sortie.target)
    unloaded = Fraction(0)
    found = []
    for name in sortie.aircraft:
        share = borne(state, sortie, name)
        if share and unloaded + share > limit:
            found.append(name)
        else:
            unloaded += share
    return tuple(found)


def unload(table: Table[State]) -> None:
    """OCS 14.9 The cargo is unloaded at the base, what could not be borne is lost."""
    got = fate(table.state)
    sortie = mission(table.state)
    to = table.state.charts.board.name(sortie.target)
    land(table, to, got.tokens, got.units)
    lose(table, got)


def land(table: Table[State], to: str, tokens: int, units: tuple[str, ...]) -> None:
    """OCS 14.9, 14.10 This many T and these units of the cargo are in the target hex now."""
    state = table.state
    sortie = mission(state)
    side = sortie.side

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    for start, part in sortie.first_of(tokens):
        points.ground(table, side, start, -part, MOVED)
    points.ground(table, side, sortie.target, tokens, MOVED)
    table.emit(CargoLanded(side, to, hide(tokens), hide(units)))


def lose(table: Table[State], got: Fate) -> None:
    """OCS 14.4g, 14.10d Supply that is lost leaves the base where it was loaded; units that are
    lost do so with all their steps."""
    sortie = mission(table.state)
    for start, part in sortie.last_of(got.lost):
        points.ground(table, sortie.side, start, -part, LOST)
    losses.destroy(table, got.lost_units, why=WHY)


EFFECTS = {TRANSPORT: unload}
"""OCS 14.2f(F) What missions of this kind do."""
