"""OCS 14.1, 14.2: aircraft: what they are worth now, how far they reach, where they lie.

OCS 14.1b An aircraft has two steps, and its back is weaker. [R] The backs of the counters are not
published: reduced, it bombs and carries half and fights with a rating one lower. OCS 0.F Air boxes
are bases off the map: on the way to a hex they use up the range that they print for an entry area,
and then count from its hexes.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from warledger.engine.board import hexsets
from warledger.engine.board.hexsets import Hexes
from warledger.engine.games.ocs.ch03_counters.counters import Plane
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.events import AircraftPlaced
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.scenario import Place, place_name
from warledger.engine.games.ocs.series.state import State
from warledger.engine.kernel.change import replace
from warledger.engine.kernel.dispatch import ByEvent
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import event

PATROL = 10
"""OCS 14.4c Hexes that a patrol zone reaches from its base."""

SHORT = 10
"""OCS 10.2b Hexes from its base within which an aircraft's barrage is at short range."""

IN_MISSION = 4
"""OCS 14.2a Aircraft that may fly one mission together."""

LONG_RANGE = "long_range_air"
"""OCS 21.4 The option of the same name."""

REBASING = "rebasing"
"""OCS 21.5 The option of the same name."""


def printed(state: State, name: str) -> Plane:
    """OCS 3.5 What is printed on an aircraft."""
    return state.charts.printed.planes[name]


def far(state: State, name: str, i: int) -> bool:
    """OCS 21.4 Whether a hex lies beyond half of an aircraft's range, where the option counts
    it."""
    if not state.charts.options.get(LONG_RANGE):
        return False
    return 2 * distance(state, name, i) > printed(state, name).range


def rating(state: State, name: str, i: int) -> int:
    """OCS 14.3, 21.4 The air combat rating over a hex: one less on the reduced side, and one less
    at long range; never below 0."""
    less = state.aircraft[name].lost + int(far(state, name, i))
    return max(printed(state, name).rating - less, 0)


def points(state: State, name: str) -> Fraction:
    """OCS 14.7 Barrage points: half of those printed on the reduced side."""
    return Fraction(printed(state, name).barrage, 2 if state.aircraft[name].lost else 1)


def capacity(state: State, name: str) -> Fraction:
    """OCS 14.9b What a transport carries, in T: half on the reduced side."""
    return Fraction(printed(state, name).capacity, 2 if state.aircraft[name].lost else 1)


def of_side(state: State, side: str) -> tuple[str, ...]:
    """Aircraft of a side that lie at a base or box, in order of ids."""
    planes = state.charts.printed.planes
    return tuple(
        name
        for name, plane in state.aircraft.items()
        if plane.base is not None and planes[name].side == side
    )


def based(state: State, base: Place) -> tuple[str, ...]:
    """OCS 14.1a Aircraft at a base, active or not, in order of ids; those that fly a mission are
    away."""
    flying = state.sortie.flying if state.sortie is not None else ()
    return tuple(
        name for name, plane in state.aircraft.items() if plane.base == base and name not in flying
    )


def active_over(state: State, side: str, i: int) -> tuple[str, ...]:
    """OCS 14.2f(C) Active aircraft of a side that lie at a base in a hex."""
    return tuple(
        name
        for name in of_side(state, side)
        if state.aircraft[name].base == i
        and state.aircraft[name].active
        and (state.sortie is None or name not in state.sortie.flying)
    )


def ready(state: State, side: str) -> tuple[str, ...]:
    """OCS 14.1a, 14.2e Active aircraft of a side that have not flown in this phase."""
    return tuple(
        name
        for name in of_side(state, side)
        if state.aircraft[name].active and not state.aircraft[name].flown
    )


# --- distances ------------------------------------------------------------------------------------


def between(state: State, base: Place, i: int) -> int:
    """OCS 14.2d, HR 1.3b Hexes from a base to a hex; from a box by the nearest of its entry areas,
    with the hexes of range that it prints. HR R-08: on the way back too. Raises ValueError for a
    box that has no way onto the map."""
    board = state.charts.board
    grid = board.map.grid
    if isinstance(base, int):
        return grid.distance(base, i)
    return min(
        used + grid.distance(entry, i)
        for area, used in board.boxes[base].flights.items()
        for entry in board.entries[area].hexes
    )


def distance(state: State, name: str, i: int) -> int:
    """OCS 14.2d Hexes from an aircraft's base to a hex."""
    base = state.aircraft[name].base
    if base is None:
        raise ValueError(f"{name} lies at no base")
    return between(state, base, i)


def reaches(state: State, name: str, i: int, times: Fraction | int = 1) -> bool:
    """OCS 14.2d Whether a hex lies in an aircraft's range from its base, or `times` that range."""
    return distance(state, name, i) <= printed(state, name).range * times


def short(state: State, names: Iterable[str], i: int) -> bool:
    """OCS 10.2b, 14.1e Whether a barrage has the shift for short range: every aircraft within 10
    hexes of its base, none of them strategic."""
    return all(
        distance(state, name, i) <= SHORT and not printed(state, name).strategic for name in names
    )


def between_bases(state: State, one: Place, other: Place) -> int:
    """OCS 14.11 Hexes from a base to another; between two boxes by the nearest entry areas of
    both."""
    if isinstance(other, int):
        return between(state, one, other)
    if isinstance(one, int):
        return between(state, other, one)
    board = state.charts.board
    if one == other:
        return 0
    return min(
        used + between(state, one, entry)
        for area, used in board.boxes[other].flights.items()
        for entry in board.entries[area].hexes
    )


def longest_leg(state: State, base: Place, place: Place, via: int = -1) -> int:
    """OCS 14.9e, 21.12a Hexes from a base to a place; by an intermediate base, those of the longer
    leg."""
    if via < 0:
        return between_bases(state, base, place)
    return max(between_bases(state, base, via), between_bases(state, via, place))


def bases(state: State, side: str) -> tuple[Place, ...]:
    """OCS 15.0, 0.F Bases of a side on the map, in order of hexes, then its air boxes."""
    on_map: list[Place] = sorted(i for i, base in state.bases.items() if base.side == side)
    boxes = state.charts.board.boxes.values()
    return (*on_map, *(box.id for box in boxes if box.kind == "air" and box.side == side))


def homes(state: State, name: str, i: int) -> tuple[Place, ...]:
    """OCS 14.1c, 14.2d Friendly bases to which an aircraft over a hex may return."""
    plane, game = printed(state, name), rules(state.charts)
    return tuple(
        base
        for base in bases(state, plane.side)
        if between(state, base, i) <= plane.range and game.lands_at(state, name, base)
    )


def put(table: Table[State], name: str, base: Place, *, active: bool) -> None:
    """OCS 14.1 An aircraft lies at a base now."""
    put_all(table, printed(table.state, name).side, {name: base}, active=active)


def put_all(table: Table[State], side: str, where: Mapping[str, Place], *, active: bool) -> None:
    """OCS 14.1 Aircraft of a side lie at bases now. Which they are and where is their owner's to
    know but for what the enemy sees (OCS R-15). Where they go to rest is not told. One event tells
    of all that are hidden, and there is one even for none: their number is hidden too."""
    state = table.state
    seen = tuple(name for name in where if fog.aircraft_seen(state, name))
    rest = tuple(name for name in where if name not in seen)

    def bases_of(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(place_name(state.charts.board, where[name]) for name in names)

    if seen:
        at = bases_of(seen)
        told = at if active else fog.hidden(state, side, at)
        table.emit(AircraftPlaced(side, seen, told, active))
    if rest or fog.strict(state):
        hidden = fog.hidden(state, side, rest)
        table.emit(AircraftPlaced(side, hidden, fog.hidden(state, side, bases_of(rest)), active))


# --- patrol zones ---------------------------------------------------------------------------------


def patrolling(state: State, side: str) -> tuple[str, ...]:
    """OCS 14.4c Active fighters of a side at bases on the map. [R] A box has no patrol zone: it
    lies in no hex."""
    return tuple(
        name
        for name in of_side(state, side)
        if isinstance(state.aircraft[name].base, int)
        and state.aircraft[name].active
        and printed(state, name).fighter
    )


def patrol_zone(state: State, side: str) -> Hexes:
    """OCS 14.4c Every hex within 10 of a base of a side with an active fighter."""
    near = state.charts.board.near
    found = hexsets.of(
        base
        for name in patrolling(state, side)
        if isinstance(base := state.aircraft[name].base, int)
    )
    if not found:
        return 0
    for _ in range(PATROL):
        found = hexsets.widened(found, near)
    return found


def patrolled(state: State, side: str, i: int) -> bool:
    """OCS 14.4c Whether a hex lies in a side's patrol zone."""
    grid = state.charts.board.map.grid
    return any(
        isinstance(base := state.aircraft[name].base, int) and grid.distance(base, i) <= PATROL
        for name in patrolling(state, side)
    )


def interceptors(state: State, side: str, i: int) -> tuple[str, ...]:
    """OCS 14.5 Fighters of a side that may intercept a mission over a hex: active, in whose own
    patrol zone it lies. [R] Not those with a rating in parentheses, which begin no air combat
    (14.3a)."""
    return tuple(
        name
        for name in patrolling(state, side)
        if not printed(state, name).paren
        and distance(state, name, i) <= PATROL
        and rules(state.charts).flies_over(state, name, i)
    )


def active_limit(state: State, base: Place) -> int | None:
    """OCS 14.2a, 15.0 Aircraft that may be active at a base: 4 and its level; None for a box, which
    has no limit."""
    return 4 + state.bases[base].level if isinstance(base, int) else None


def room(state: State, base: Place) -> int:
    """OCS 14.2a How many more aircraft may be active at a base; any number in a box."""
    limit = active_limit(state, base)
    if limit is None:
        return len(state.aircraft)
    return limit - sum(state.aircraft[name].active for name in based(state, base))


# --- re-basing ------------------------------------------------------------------------------------


@event("ocs.rebased")
class Rebased:
    """OCS 21.5 This many aircraft have come to a base in this turn and are active there: by
    transfer, or as reinforcements. Where and how many is their owner's to know (OCS R-15)."""

    side: str
    base: Any
    number: Any


after = ByEvent()


@after(Rebased)
def _rebased(state: State, event: Rebased) -> State:
    use, key = state.turn_use, _rebased_at(fog.plain(event.base))
    counts = {**use.counts, key: use.counts.get(key, 0) + fog.plain(event.number)}
    return replace(state, turn_use=replace(use, counts=counts))


def _rebased_at(base: str) -> str:
    return f"rebased.{base}"


def welcome(state: State, base: Place) -> int:
    """OCS 21.5 How many more aircraft may come to a base in this turn and be active there: one a
    level where the option is in force. [R] A box has no level, and takes any number."""
    if not isinstance(base, int) or not state.charts.options.get(REBASING):
        return len(state.aircraft)
    name = place_name(state.charts.board, base)
    came = state.turn_use.counts.get(_rebased_at(name), 0)
    return max(state.bases[base].level - came, 0)


def settle_in(table: Table[State], side: str, names: Sequence[str], base: Place) -> None:
    """OCS 14.11, 13.6, 21.5 Aircraft come to a base and are active there; under the option they are
    counted, even if there are none."""
    put_all(table, side, dict.fromkeys(names, base), active=True)
    state = table.state
    if state.charts.options.get(REBASING):
        name = place_name(state.charts.board, base)
        table.emit(
            Rebased(side, fog.hidden(state, side, name), fog.hidden(state, side, len(names)))
        )
