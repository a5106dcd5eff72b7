"""OCS 4.8b, 12, 13.1: what a player may ask about the position while they are asked themselves.

OCS 4.8b How a stack lies, with its markers, as the asking side sees it. OCS 12.3b Who an HQ can
throw to, and from where it draws. OCS 12.5, 12.6, 9.5 Who feeds, fuels and pays the combat of a
unit. A question changes nothing. An answer tells only what the side may know: how a hex lies is
made of its view of it, and paths are those that its payments are offered.

The picks of a question are what a player has typed, from no offer and perhaps none at all, so there
are no slots: each question reads the one name that it is about (`_subject`) and refuses the rest.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.ch09_combat import attacks
from warledger.engine.games.ocs.ch12_supply import (
    bills,
    fuel,
    payment,
    points,
    supply_search,
    trace,
)
from warledger.engine.games.ocs.ch12_supply.bill import Bill
from warledger.engine.games.ocs.ch12_supply.sources import ALWAYS
from warledger.engine.games.ocs.display import payment_words
from warledger.engine.games.ocs.display.views import ACTIVE, INACTIVE, shown
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import OFF_MAP, STRAT, State
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.types import Picks, Question, Refusal, Say, Seat
from warledger.protocol.board.choices import refuse, say

MODES: Final = ("oos", "strat", "dg", "exploit", "reserve")
"""OCS 4.8b A Markers that lie on top of the units that they cover."""

UNDER: Final = ("low", "exhausted", "lost", "load", "fuelled", "finished", "extender", "flown")
"""OCS 4.8b B Markers that lie under their unit, and what else is marked on it."""

WORKS: Final = ("hedgehog", "base")
"""Markers of a hex with a level and a side."""


# --- a unit's supply ------------------------------------------------------------------------------


def supply(at: Position[State], seat: Seat, picks: Picks) -> tuple[Say, ...] | Refusal:
    """OCS 12.3, 12.5, 12.6, 9.5 `?supply UNIT`: how the unit traces, what fuels it, and what its
    attack and its hex's defence would cost, each with who pays along which path."""
    state = at.state
    refused = _why_not(state, seat, picks)
    if refused is not None:
        return refused
    name = _subject(picks)
    if not state.counter(name).combat_unit:
        return (say("preview.ocs.needs_no_supply", "OCS 12.6", unit=name),)
    return (*_traces(state, seat, name), *_fuel(state, name), *_fights(state, seat, name))


def _subject(picks: Picks) -> str:
    """The one id that a question is about; "" if it names none, or several."""
    match picks:
        case (str(name),):
            return name
    return ""


def _why_not(state: State, seat: Seat, picks: Picks) -> Refusal | None:
    """Why a question is not about a unit of the side's on the map. Of any other id nothing is told,
    not even whether there is such a unit."""
    name = _subject(picks)
    if name not in state.units or state.side(name) != seat:
        return refuse("", "refusal.ocs.not_your_unit", unit=name)
    if state.units[name].at == OFF_MAP:
        return refuse("", "refusal.ocs.not_on_map", pick=name)
    return None


def _traces(state: State, side: str, name: str) -> Iterator[Say]:
    how = trace.traced(state, side)[name]
    if how is None:
        yield say("preview.ocs.cut", "OCS 12.6", unit=name)
        meal = payment.reckoned(state, trace.meal(state, (name,)))
        if name in trace.hungry(state, side):
            yield from meal
    elif how in state.units:
        hexes = payment_words.names(state, payment_words.thrown(state, how, state.units[name].at))
        yield say("preview.ocs.traces_by_hq", "OCS 12.6", unit=name, hq=how, path=hexes)
    elif how == ALWAYS:
        yield say("preview.ocs.traces_always", "OCS 12.6", unit=name)
    else:
        yield say("preview.ocs.traces", "OCS 12.6", unit=name)


def _fuel(state: State, name: str) -> Iterator[Say]:
    if not fuel.thirsty(state, name):
        yield say("preview.ocs.needs_no_fuel", "OCS 12.5a", unit=name)
        return
    by = fuel.fuelled_by(state, name)
    if by == "unit":
        yield say("preview.ocs.fuelled", "OCS 12.5c", unit=name)
        return
    if by is not None:
        yield say("preview.ocs.fuelled_by", "OCS 12.5c", unit=name, by=by)
        return
    bill = fuel.singly(state, (name,))
    assert bill is not None
    if not fuel.can_fuel(state, (name,)):
        yield say("preview.ocs.no_fuel", "OCS 12.5c", unit=name)
        return
    cost = bills.charged(state, bill).cost
    yield say("preview.ocs.fuel", "OCS 12.5c", what=name, tokens=cost, units=(name,))
    yield from payment.reckoned(state, bill)


def _fights(state: State, side: str, name: str) -> Iterator[Say]:
    unit, counter = state.units[name], state.counter(name)
    if attack_capable(counter, unit):
        yield from _paid(
            state, attacks.attack_bill(state, (name,), -1), "preview.ocs.attack_costs", name
        )
    defenders = state.combat_units(unit.at)
    bill = attacks.defence_bill(state, side, defenders)
    yield from _paid(state, bill, "preview.ocs.defence_costs", state.charts.board.name(unit.at))


def _paid(state: State, bill: Bill, key: str, what: str) -> Iterator[Say]:
    """What a combat would cost and who pays; that only internal stocks, or nothing, would."""
    cost = bills.charged(state, bill).cost
    yield say(key, "OCS 9.5", what=what, tokens=cost)
    if not cost:
        return
    found = payment.reckoned(state, bill)
    if found:
        yield from found
    elif attacks.can_pay(state, bill):
        yield say("preview.ocs.by_stocks", "OCS 12.10a")
    else:
        yield say("preview.ocs.unpaid", "OCS 12.3")


# --- an HQ's throw --------------------------------------------------------------------------------


def throw(at: Position[State], seat: Seat, picks: Picks) -> tuple[Say, ...] | Refusal:
    """OCS 12.3b, 13.1 `?throw HQ`: how far it throws, in which points, into which hexes. From which
    dumps it draws, and to which hexes with units that it serves it throws, each with the path."""
    state = at.state
    refused = _why_not(state, seat, picks)
    if refused is not None:
        return refused
    hq = _subject(picks)
    counter, unit, board = state.counter(hq), state.units[hq], state.charts.board
    if not counter.hq:
        return refuse("OCS 13.1", "refusal.ocs.not_an_hq", unit=hq)
    if unit.marker == STRAT:
        return (say("preview.ocs.throws_nothing", "OCS 12.3b", hq=hq),)
    reached = supply_search.throws(state, hq).touching
    told = [
        say(
            "preview.ocs.throws",
            "OCS 12.3b",
            hq=hq,
            range=supply_search.throw_range(state, hq),
            mobility=counter.throw_mobility,
            n=reached.bit_count(),
        )
    ]
    dumps = sorted(_supply_in(state, seat, supply_search.draws(state, hq).touching).items())
    ways = supply_search.ways_to(
        state,
        seat,
        counter.throw_mobility,
        unit.at,
        supply_search.DRAW,
        tuple(i for i, _ in dumps),
        hq,
    )
    told += [
        say(
            "preview.ocs.throw_draws",
            "OCS 12.3a",
            hex=board.name(i),
            tokens=tokens,
            path=payment_words.names(state, way),
        )
        for (i, tokens), way in zip(dumps, ways, strict=True)
    ]
    if not dumps:
        told.append(say("preview.ocs.throw_draws_nothing", "OCS 12.3a", hq=hq))
    served = {
        i: units
        for i in hexsets.listed(reached & state.field.combat[seat])
        if (units := tuple(_served(state, hq, i)))
    }
    ways = supply_search.ways_to(
        state,
        seat,
        counter.throw_mobility,
        unit.at,
        supply_search.throw_range(state, hq),
        tuple(served),
        hq,
    )
    told += [
        say(
            "preview.ocs.throw_serves",
            "OCS 12.3b",
            hex=board.name(i),
            units=units,
            path=payment_words.names(state, way),
        )
        for (i, units), way in zip(served.items(), ways, strict=True)
    ]
    hexes = tuple(board.name(i) for i in hexsets.listed(reached))
    return (*told, say("preview.ocs.throw_reaches", "OCS 12.3b", hexes=hexes))


def _supply_in(state: State, side: str, hexes: int) -> dict[int, int]:
    """T of a side in each of these hexes, on the ground and loaded on what is not organic."""
    found: dict[int, int] = {}
    for place, tokens in state.supply[side].items():
        if isinstance(place, int) and hexsets.has(hexes, place):
            found[place] = found.get(place, 0) + tokens
    for place, names in points.loads(state, side).items():
        if isinstance(place, int) and hexsets.has(hexes, place):
            loaded = sum(state.units[n].load for n in names if not state.counter(n).organic)
            if loaded:
                found[place] = found.get(place, 0) + loaded
    return {place: tokens for place, tokens in found.items() if tokens}


def _served(state: State, hq: str, i: int) -> Iterable[str]:
    charts = state.charts
    return (
        name
        for name in state.combat_units(i)
        if name != hq and rules(charts).serves(charts, hq, name)
    )


# --- a stack --------------------------------------------------------------------------------------


def stack(at: Position[State], seat: Seat, picks: Picks) -> tuple[Say, ...] | Refusal:
    """OCS 4.8b `?stack HEX`: what lies in a hex from the top down as the side sees it. Active
    aircraft, a fighter first; the hedgehog; the shown unit with what lies under the same marker;
    then the others. Each marker of a mode is above the units that it covers, stocks and losses
    under theirs. Then transport and supply; inactive aircraft; the base. In one's own hex also
    which unit the enemy sees."""
    state, board = at.state, at.state.charts.board
    try:
        i = board.hex(_subject(picks))
    except (ValueError, KeyError):
        return refuse("", "refusal.ocs.no_such_hex", hex=_subject(picks))
    pieces, marks = shown(state, seat, i)
    here = board.name(i)
    layers = list(_layers(state, pieces, marks, here, state.tops.get(i, "")))
    told = [say(key, "OCS 4.8b", n=n, **dict(args)) for n, (key, args) in enumerate(layers, 1)]
    if not told:
        return (say("preview.ocs.stack_empty", "OCS 4.8b", hex=here),)
    top = state.tops.get(i, "")
    if top and state.side(top) == seat and fog.strict(state):
        told.append(say("preview.ocs.stack_seen", "OCS 4.9a", unit=top))
    return tuple(told)


Layer = tuple[str, Mapping[str, Any]]


def _layers(
    state: State,
    pieces: Mapping[str, tuple[str, str, str]],
    marks: Mapping[str, Mapping[str, Any]],
    here: str,
    top: str,
) -> Iterator[Layer]:
    ground = marks.get(here, {})
    planes = [name for name in pieces if name not in state.units]
    for name in _planes(state, planes, pieces, ACTIVE):
        yield _unit(name, pieces, marks)
    yield from _works(ground, WORKS[0])
    units = [name for name in pieces if name in state.units]
    fighting = [name for name in units if state.counter(name).combat_unit]
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(fighting, key=lambda name: (name != top, name)):
        over = tuple(marker for marker in MODES if marker in marks.get(name, {}))
        groups.setdefault(over, []).append(name)
    first = next(iter(groups), ())
    for over in sorted(groups, key=lambda over: (over != first, over)):
        for marker in over:
            yield "preview.ocs.stack_marker", {"marker": marker}
        for name in groups[over]:
            yield _unit(name, pieces, marks)
    for name in sorted(set(units) - set(fighting)):
        yield _unit(name, pieces, marks)
    for marker, value in sorted(ground.items()):
        kind, _, side = marker.partition(".")
        if kind == "supply":
            yield "preview.ocs.stack_thing", {"thing": _counted(kind, value, side)}
    for name in _planes(state, planes, pieces, INACTIVE):
        yield _unit(name, pieces, marks)
    yield from _works(ground, WORKS[1])


def _planes(
    state: State, names: Iterable[str], pieces: Mapping[str, tuple[str, str, str]], face: str
) -> list[str]:
    """OCS 4.8b E A fighter first."""
    printed = state.charts.printed.planes
    here = (name for name in names if pieces[name][1] == face)
    return sorted(here, key=lambda name: (not printed[name].fighter, name))


def _works(ground: Mapping[str, Any], wanted: str) -> Iterator[Layer]:
    for marker, value in sorted(ground.items()):
        kind, _, side = marker.partition(".")
        if kind == wanted:
            yield "preview.ocs.stack_thing", {"thing": _counted(kind, value, side)}


def _counted(marker: str, value: Any, side: str = "") -> tuple[Any, ...]:
    return (f"mark.{marker}", (("n", value), ("side", side)), "")


def _unit(
    name: str, pieces: Mapping[str, tuple[str, str, str]], marks: Mapping[str, Mapping[str, Any]]
) -> Layer:
    """A unit with the face that it shows and what lies under it."""
    mine = marks.get(name, {})
    under = tuple(
        _counted(marker, mine[marker]) if marker in ("lost", "load") else f"name.{marker}"
        for marker in UNDER
        if marker in mine
    )
    face = f"ocs.face.{pieces[name][1]}"
    if under:
        return "preview.ocs.stack_unit_on", {"unit": name, "face": face, "under": under}
    return "preview.ocs.stack_unit", {"unit": name, "face": face}


QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {"?supply": supply, "?throw": throw, "?stack": stack}
)
"""The questions of the series by their words."""
