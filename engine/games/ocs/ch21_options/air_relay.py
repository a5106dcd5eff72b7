"""OCS 21.12a: air transport by an intermediate base.

OCS 21.12a By an option a transport mission flies from its base X by another base Y to a base Z. It
loads at X and Y and unloads at Y and Z. What counts for load and return (14.9e) is the longer of
the two legs. Flak and interception await it at Y, and at Z where it loads or unloads there. The
rest is that of 14.9 (air_transport.py). Z may be X: so transports fetch what lies at Y.

[R] Something is loaded or unloaded at Y, else it is not an intermediate base; that is named before
what only passes it. Y unloads no more than 14.9f lets leave again, since all of them do. They may
be intercepted once at each base (14.5). The enemy hears of Z as the mission goes on to it. Of the
cargo what comes from X is kept longest, units before supply. What Y has for a mission that has lost
too much stays there. Aircraft that abort over Y land there (14.1c), and have left the mission.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch09_combat import losses
from warledger.engine.games.ocs.ch13_special_units.rail import fresh
from warledger.engine.games.ocs.ch14_air import (
    air_course,
    air_orders,
    air_transport,
    aircraft,
    interception,
    missions,
)
from warledger.engine.games.ocs.ch14_air.air_combat import mission
from warledger.engine.games.ocs.ch14_air.air_transport import CargoLoaded
from warledger.engine.games.ocs.ch14_air.mission_in_progress import TRANSPORT, Relay
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.commands import Asked, Command, Commands, Many, Pairs, Slot
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.memo import remembered
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Pick, Refusal, Step, event
from warledger.protocol.board.choices import Say, refuse, say

CLAUSE = "OCS 21.12a"

OPTION = "intermediate_bases"
"""The option by which transports call at a base on their way."""

COURSE, STOP, ONWARD = "ocs.relay", "ocs.relay_stop", "ocs.relay_onward"
"""The course of such a mission, and its steps between the two bases."""

LEGS = ("to_stop", "through", "from_stop")
"""The three cargoes of supply: to the intermediate base, past it, and from it."""


# --- events ---------------------------------------------------------------------------------------


@event("ocs.relay")
class RelayPlanned:
    """OCS 21.12a A mission calls at the base where it is placed and goes on to another: which, and
    what it carries, T and units of each of the three cargoes. All of it is its owner's to know."""

    side: str
    final: Any
    tokens: Any
    units: Any


@event("ocs.relay_onward")
class WentOn:
    """OCS 21.12a The mission goes on to its last base, with the T and units that it has brought,
    and those that it takes up. Where it goes is seen."""

    side: str
    hex: str
    tokens: Any
    units: Any


after = ByEvent()


@after(RelayPlanned)
def _planned(state: State, event: RelayPlanned) -> State:
    sortie = mission(state)
    tokens = tuple(int(number) for number in fog.plain(event.tokens))
    units = tuple(tuple(names) for names in fog.plain(event.units))
    relay = Relay(
        sortie.target,
        state.charts.board.hex(fog.plain(event.final)),
        (tokens[0], tokens[1], tokens[2]),
        (units[0], units[1], units[2]),
        any(tokens[1:]) or any(units[1:]),
    )
    return replace(state, sortie=replace(sortie, relay=relay))


@after(WentOn)
def _went_on(state: State, event: WentOn) -> State:
    """OCS 21.12a Over the next base the mission may be met anew."""
    sortie = mission(state)
    relay = sortie.relay
    assert relay is not None, "only a mission with an intermediate base goes on"
    to = state.charts.board.hex(event.hex)
    through, taken_up = fog.plain(event.tokens)
    brought, joined = (tuple(names) for names in fog.plain(event.units))
    made = replace(
        sortie,
        target=to,
        place=to,
        fought=(),
        initiator="",
        stage="",
        answered=(),
        attacker="",
        intercepted=False,
        interceptor="",
        staying=(),
        relay=replace(
            relay,
            tokens=(0, through, taken_up),
            units=((), brought, joined),
            gone_on=True,
        ),
    )
    made = air_transport.shared(state, made, through + taken_up, (*brought, *joined))
    return replace(state, sortie=made)


# --- the order ------------------------------------------------------------------------------------


@frozen
class Relaying:
    """OCS 21.12a The intermediate base and the last, who flies, and pairs of cargo: a unit and the
    base for which it is bound, or one of `LEGS` and how many T."""

    stop: str = ""
    place: str = ""
    aircraft: tuple[str, ...] = ()
    cargo: tuple[tuple[str, str | int], ...] = ()
    what: str = ""


def commands() -> Commands[State]:
    """OCS 21.12a relay STOP PLACE AIRCRAFT … CARGO …: for the step in which units move."""
    return (
        Command(
            "relay",
            Relaying,
            Slot("stop", "ocs.base", _stops, _why_not_stop),
            Slot("place", "ocs.base", _ends, _why_not_end),
            Many(
                "aircraft",
                "ocs.aircraft",
                _aircraft,
                _why_not_aircraft,
                takes=lambda asked, pick: pick in asked.state.aircraft,
                joint="ocs.aircraft_or_cargo",
            ),
            Pairs(
                "cargo",
                Slot("what", "ocs.relay_cargo", _goods, _why_not_cargo),
                Slot("amount", "ocs.relay_amount", _amounts, _why_not_amount),
                enough=lambda asked, order: _calls(asked.state, order),
            ),
            apply=_fly,
            when=lambda asked: bool(_possible(asked.state, asked.seat)),
            why=_why_none,
            unfinished=lambda asked, order: refuse(CLAUSE, "refusal.ocs.nothing_at_the_stop"),
            preview=_preview,
        ),
    )


@remembered()
def _possible(state: State, side: str) -> Mapping[int, Mapping[int, tuple[str, ...]]]:
    """OCS 21.12a Intermediate bases, the last bases that go with each, and the transports that can
    fly there."""
    if not state.charts.options.get(OPTION):
        return {}
    carriers = [
        name for name in missions.flyers(state, side, TRANSPORT) if missions.carries(state, name)
    ]
    fields = [base for base in aircraft.bases(state, side) if isinstance(base, int)]
    found: dict[int, dict[int, tuple[str, ...]]] = {}
    for stop in fields if carriers else ():
        for end in fields:
            able = tuple(name for name in carriers if _gets_there(state, name, stop, end))
            able = tuple(name for name in able if _worth(state, side, stop, end, (name,), carriers))
            if able:
                found.setdefault(stop, {})[end] = able
    return found


def _worth(
    state: State, side: str, stop: int, end: int, chosen: Sequence[str], others: Sequence[str]
) -> bool:
    """OCS 14.9b, 21.12a Whether these aircraft, with others that may still join them, can bring
    anything to the intermediate base or take anything up there."""
    base = state.aircraft[chosen[0]].base
    assert base is not None, "who may fly lies at a base"
    joining = [name for name in others if _gets_there(state, name, stop, end)]
    most = air_transport.most_lift(state, end, chosen, joining, via=stop)
    brought = min(most, Fraction(air_transport.handles(state, stop)))
    return any(
        _light(state, side, start, to, room)
        for start, to, room in ((base, stop, brought), (stop, end, most))
    )


def _light(state: State, side: str, start: Place, to: int, room: Fraction) -> bool:
    """OCS 14.9, 4.8 Whether anything at a base is light enough to be carried to a hex."""
    if room >= 1 and fresh(state, side, start) > 0:
        return True
    game, there = rules(state.charts), state.combat_units(to)
    return any(
        air_transport.load(state, name) <= room and game.may_stack(state.charts, (*there, name))
        for name in air_transport.passengers(state, TRANSPORT, start, to)
    )


def _gets_there(state: State, name: str, stop: int, end: int) -> bool:
    """OCS 14.9e, 21.12a Whether an aircraft may fly by a base to another: a transport no leg of
    which is longer than twice its range, an escort no leg of which is longer than its range."""
    game, base = rules(state.charts), state.aircraft[name].base
    if base is None or stop in (base, end):
        return False
    if not all(game.flies_over(state, name, i) for i in (stop, end)):
        return False
    away = aircraft.longest_leg(state, base, end, stop)
    if not missions.carries(state, name):
        return away <= aircraft.printed(state, name).range
    return away <= 2 * aircraft.printed(state, name).range and all(
        game.lands_at(state, name, i) for i in (stop, end)
    )


def _hexes(state: State, order: Relaying) -> tuple[int, int]:
    return state.charts.board.hex(order.stop), state.charts.board.hex(order.place)


def _stops(asked: Asked[State], order: Relaying) -> Iterable[str]:
    return map(asked.state.charts.board.name, _possible(asked.state, asked.seat))


def _ends(asked: Asked[State], order: Relaying) -> Iterable[str]:
    board = asked.state.charts.board
    return map(board.name, _possible(asked.state, asked.seat)[board.hex(order.stop)])


def _aircraft(asked: Asked[State], order: Relaying) -> Iterable[str]:
    state, side = asked.state, asked.seat
    stop, end = _hexes(state, order)
    if order.cargo:
        return ()
    if not order.aircraft:
        return [
            name
            for name in _possible(state, side)[stop][end]
            if missions.together(state, TRANSPORT, (name,), end)
        ]
    return [
        name
        for name in missions.flyers(state, side, TRANSPORT)
        if name not in order.aircraft
        and _gets_there(state, name, stop, end)
        and missions.together(state, TRANSPORT, (*order.aircraft, name), end)
        and _worth(
            state,
            side,
            stop,
            end,
            (*order.aircraft, name),
            missions.flyers(state, side, TRANSPORT),
        )
    ]


def _start(state: State, order: Relaying) -> Place:
    base = state.aircraft[order.aircraft[0]].base
    assert base is not None, "who is offered lies at a base"
    return base


def _tokens(order: Relaying) -> tuple[int, int, int]:
    """OCS 21.12a T of the three cargoes so far."""
    named = {what: amount for what, amount in order.cargo if what in LEGS}
    first, second, third = (int(named.get(leg, 0)) for leg in LEGS)
    return first, second, third


def _units(
    state: State, order: Relaying
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """OCS 21.12a Units of the three cargoes so far."""
    stop, _end = _hexes(state, order)
    found: tuple[list[str], list[str], list[str]] = ([], [], [])
    for what, amount in order.cargo:
        if what not in LEGS:
            if state.units[what].at == stop:
                found[2].append(what)
            else:
                found[0 if amount == order.stop else 1].append(what)
    return tuple(found[0]), tuple(found[1]), tuple(found[2])


def _calls(state: State, order: Relaying) -> bool:
    """OCS 21.12a Whether anything is loaded or unloaded at the intermediate base."""
    tokens, units = _tokens(order), _units(state, order)
    return any((tokens[0], tokens[2], units[0], units[2]))


def _free(state: State, order: Relaying) -> tuple[Any, Any, Any]:
    """OCS 14.9b, 14.9f T for which there is still room on the first leg and on the second, and that
    the intermediate base still unloads."""
    stop, end = _hexes(state, order)
    tokens, units = _tokens(order), _units(state, order)
    weights = [
        tokens[n] + sum(air_transport.load(state, name) for name in units[n]) for n in range(3)
    ]
    lift = air_transport.lift(state, order.aircraft, end, via=stop)
    return (
        lift - weights[0] - weights[1],
        lift - weights[1] - weights[2],
        air_transport.handles(state, stop) - weights[0],
    )


def _room(state: State, order: Relaying, leg: int) -> Any:
    """T of a cargo that can be taken as well."""
    first, second, unloads = _free(state, order)
    return (min(first, unloads), min(first, second), second)[leg]


def _most(state: State, side: str, order: Relaying, leg: int) -> int:
    """OCS 12.2a, 14.9b T of a cargo of supply that can be taken as well: what lies at the base and
    has not been moved in this phase, and for which there is room."""
    stop, _end = _hexes(state, order)
    tokens = _tokens(order)
    if leg == 2:
        lying = fresh(state, side, stop)
    else:
        lying = fresh(state, side, _start(state, order)) - tokens[0] - tokens[1]
    return max(min(lying, int(_room(state, order, leg) // 1)), 0)


def _bound(state: State, order: Relaying, name: str) -> tuple[str, ...]:
    """OCS 14.9, 21.12a Bases to which a unit can be carried with the cargo so far."""
    stop, end = _hexes(state, order)
    weight = air_transport.load(state, name)
    legs = [(order.place, end, 2)]
    if state.units[name].at != stop:
        legs = [(order.stop, stop, 0)]
        if _calls(state, order):
            legs.append((order.place, end, 1))
    units = _units(state, order)
    game = rules(state.charts)
    found = []
    for base, i, leg in legs:
        along = units[0] if leg == 0 else (*units[1], *units[2])
        if (
            weight <= _room(state, order, leg)
            and state.units[name].at != i
            and air_transport.may_land(state, name, TRANSPORT, i)
            and game.may_stack(state.charts, (*state.combat_units(i), *along, name))
        ):
            found.append(base)
    return tuple(found)


def _goods(asked: Asked[State], order: Relaying) -> Iterable[str]:
    if not order.aircraft:
        return ()
    state, side = asked.state, asked.seat
    stop, _end = _hexes(state, order)
    start = _start(state, order)
    taken = {what for what, _amount in order.cargo}
    places = [place for place in (start, stop) if isinstance(place, int)]
    units = [
        name
        for place in places
        for name in state.stack(place)
        if name not in taken and air_transport.portable(state, name) and _bound(state, order, name)
    ]
    legs = [
        leg
        for number, leg in enumerate(LEGS)
        if leg not in taken
        and (number != 1 or _calls(state, order))
        and _most(state, side, order, number)
    ]
    return (*legs, *units)


def _amounts(asked: Asked[State], order: Relaying) -> Iterable[str | int]:
    if order.what in LEGS:
        most = _most(asked.state, asked.seat, order, LEGS.index(order.what))
        return range(1, most + 1)
    return _bound(asked.state, order, order.what)


def _fly(table: Table[State], asked: Asked[State], order: Relaying) -> None:
    """OCS 14.2f, 21.12a The mission is placed over the intermediate base, with its cargo."""
    state = table.state
    board = state.charts.board
    start = place_name(board, _start(state, order))
    tokens, units = _tokens(order), _units(state, order)
    stop, end = _hexes(state, order)
    air_orders.announce(table, TRANSPORT, order.aircraft, stop)
    state = table.state
    side = mission(state).side

    def hide(value: object) -> Any:
        return fog.hidden(state, side, value)

    table.emit(RelayPlanned(side, hide(board.name(end)), hide(tokens), hide(units)))
    table.emit(
        CargoLoaded(side, hide(start), hide(tokens[0] + tokens[1]), hide((*units[0], *units[1])))
    )
    table.call(COURSE)


def _preview(asked: Asked[State], order: Relaying) -> tuple[Say, ...]:
    """What the aircraft can take on either leg, and what the intermediate base unloads."""
    if not order.aircraft:
        return ()
    first, second, unloads = _free(asked.state, order)
    return (
        say("preview.ocs.relay", CLAUSE, first=str(first), second=str(second)),
        say("preview.ocs.unloads", "OCS 14.9f", hex=order.stop, n=str(unloads)),
    )


# --- its course -----------------------------------------------------------------------------------


class Stop(Step[State]):
    """OCS 21.12a At the intermediate base the mission unloads, takes up what is there for it, and
    goes on."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """OCS 14.4g What could not be borne so far is lost, what is bound for this base first among
        supply."""
        table.done()
        state = table.state
        sortie = mission(state)
        relay = sortie.relay
        assert relay is not None, "the mission has an intermediate base"
        got = air_transport.fate(state)
        here = tuple(name for name in got.units if name in relay.units[0])
        brought = tuple(name for name in got.units if name in relay.units[1])
        through = min(relay.tokens[1], got.tokens)
        name = state.charts.board.name(relay.via)
        air_transport.land(table, name, got.tokens - through, here)
        air_transport.lose(table, got)
        _land_aborted(table)
        _go_on(table, relay, through, brought)


def _land_aborted(table: Table[State]) -> None:
    """OCS 14.1c An aircraft that has aborted over the intermediate base lands there, or at the
    nearest base that takes it."""
    state = table.state
    sortie = mission(state)
    where: dict[str, Place] = {}
    for name in sortie.aborted:
        found = air_course.homes(state, name)
        if found:
            where[name] = found[0]
        else:
            losses.lose_plane(table, name, aircraft.printed(state, name).steps, why=air_course.WHY)
    if sortie.aborted:
        aircraft.put_all(table, sortie.side, where, active=False)


def _go_on(table: Table[State], relay: Relay, through: int, brought: tuple[str, ...]) -> None:
    """OCS 14.9b, 21.12a With what there is room for; where nobody is left the mission ends here."""
    state = table.state
    sortie = mission(state)
    carriers = air_transport.transports(state, sortie.aircraft)
    room = air_transport.lift(state, carriers, relay.final, via=relay.via)
    room -= through + sum(air_transport.load(state, name) for name in brought)
    joined: list[str] = []
    for name in relay.units[2]:
        weight = air_transport.load(state, name)
        if weight <= room:
            room -= weight
            joined.append(name)
    taken_up = max(min(relay.tokens[2], int(room // 1)), 0)

    def hide(value: object) -> Any:
        return fog.hidden(state, sortie.side, value)

    to = relay.final if sortie.aircraft else relay.via
    table.emit(
        WentOn(
            sortie.side,
            state.charts.board.name(to),
            hide((through, taken_up) if carriers else (0, 0)),
            hide((brought, tuple(joined)) if carriers else ((), ())),
        )
    )


class Onward(Step[State]):
    """OCS 21.12a Interception and flak at the last base, where anything was to be unloaded."""

    def advance(self, table: Table[State], frame: Frame) -> None:
        """The mission's order decides, not what is left of it."""
        table.done()
        relay = mission(table.state).relay
        if relay is not None and relay.ends:
            table.call(ONWARD)


SEQUENCES: Mapping[str, tuple[str, ...]] = {
    COURSE: (
        "ocs.air_arrival",
        interception.INTERCEPTION,
        "ocs.air_flak",
        STOP,
        "ocs.relay_end",
        "ocs.air_effect",
        "ocs.air_return",
    ),
    ONWARD: ("ocs.air_arrival", interception.INTERCEPTION, "ocs.air_flak"),
}
"""OCS 14.2f, 21.12a The course of such a mission."""

STEPS: Mapping[str, Step[State]] = {STOP: Stop(), "ocs.relay_end": Onward()}


# --- refusals -------------------------------------------------------------------------------------


def _why_none(asked: Asked[State]) -> Refusal:
    if not asked.state.charts.options.get(OPTION):
        return refuse(CLAUSE, "refusal.ocs.no_relays")
    return refuse(CLAUSE, "refusal.ocs.nothing_to_relay")


def _why_not_base(asked: Asked[State], pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    i = state.charts.board.map.grid.index.get(name, -1)
    own = hexsets.has(air_transport.targets(state, asked.seat, TRANSPORT), i) if i >= 0 else False
    key = "beyond_range" if own else "not_your_base"
    return refuse(CLAUSE, f"refusal.ocs.{key}", hex=name)


def _why_not_stop(asked: Asked[State], order: Relaying, pick: Pick) -> Refusal:
    return _why_not_base(asked, pick)


def _why_not_end(asked: Asked[State], order: Relaying, pick: Pick) -> Refusal:
    return _why_not_base(asked, pick)


def _why_not_aircraft(asked: Asked[State], order: Relaying, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if order.aircraft and name in missions.flyers(state, asked.seat, TRANSPORT):
        base = state.aircraft[name].base
        if missions.carries(state, name) and base != _start(state, order):
            return refuse("OCS 14.9", "refusal.ocs.other_airfield", aircraft=name)
        if not _gets_there(state, name, *_hexes(state, order)):
            return refuse(
                "OCS 14.2d", "refusal.ocs.beyond_range_of", aircraft=name, hex=order.place
            )
    flying = air_orders.Flying(order.stop, order.aircraft)
    return air_orders.why_not_aircraft(asked, TRANSPORT, flying, pick)


def _why_not_cargo(asked: Asked[State], order: Relaying, pick: Pick) -> Refusal:
    state, name = asked.state, str(pick)
    if name == LEGS[1] and not _calls(state, order):
        return refuse(CLAUSE, "refusal.ocs.nothing_at_the_stop")
    if name in LEGS:
        return refuse("OCS 14.9b", "refusal.ocs.no_room_for_supply")
    if name not in state.units or state.side(name) != asked.seat:
        return refuse("OCS 14.9", "refusal.ocs.not_your_unit", unit=name)
    if not air_transport.portable(state, name):
        return refuse("OCS 14.9a", "refusal.ocs.not_portable", unit=name)
    return refuse("OCS 14.9b", "refusal.ocs.too_heavy", unit=name)


def _why_not_amount(asked: Asked[State], order: Relaying, pick: Pick) -> Refusal:
    if order.what in LEGS:
        return refuse("OCS 14.9b", "refusal.ocs.too_many_tokens", pick=pick)
    return refuse("OCS 14.9b", "refusal.ocs.too_heavy", unit=order.what)
