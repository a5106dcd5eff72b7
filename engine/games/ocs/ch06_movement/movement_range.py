"""OCS 6.1-6.3: how far a unit can go.

OCS 6.2 A step costs the hex entered and the hexside crossed, by mobility; 6.2a along a road-like
path the path's rate instead. OCS 6.1c A unit with any MA may always move one hex. OCS 6.3b, 4.5a-A
A Truck unit stops where an enemy zone is not negated. The search itself is `engine.board.paths`.
What stands in a unit's way is worked out here from sets of hexes, so that equal positions share
their answers.
"""

from collections.abc import Iterable
from functools import lru_cache

from attrs import frozen

from warledger.engine.board import hexsets
from warledger.engine.board.going import Compiled
from warledger.engine.board.hexsets import Hexes
from warledger.engine.board.paths import NO_ENTRY, STOP, Conditions, Reach, Walk, reach, walk
from warledger.engine.games.ocs.ch03_counters.counters import LEG, TRUCK
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch04_concepts.concepts import attack_capable
from warledger.engine.games.ocs.ch05_modes import modes
from warledger.engine.games.ocs.ch12_supply import fuel
from warledger.engine.games.ocs.ch13_special_units.bridges import lately_engineer, over_rivers
from warledger.engine.games.ocs.series.charts import across, bridged
from warledger.engine.games.ocs.series.game import rules
from warledger.engine.games.ocs.series.state import STRAT, State


def closed(state: State, name: str) -> Hexes:
    """OCS 4.8c, 6.2c Hexes that a unit may not enter: with enemy combat units, with other enemy
    units unless it is attack-capable (4.4c), out of play, barred by the game. In Strat mode also
    enemy zones, negated or not (5.8a); on sparing fuel those next to enemy units (12.5c)."""
    charts, unit = state.charts, state.units[name]
    counter = charts.units[name]
    field, enemy = state.field, charts.enemy(counter.side)
    hexes = field.combat[enemy] | out_of_play(state, unit.at)
    if fuel.spares(state, name):
        hexes |= fuel.beside(state, counter.side)
    if not attack_capable(counter, unit):
        hexes |= field.occupied[enemy] | bases_of(state, enemy)
    if unit.marker == STRAT:
        hexes |= zones.barred(state, counter.side, zones.STRAT)
    return hexes | rules(charts).barred(state, name)


def out_of_play(state: State, start: int) -> Hexes:
    """OCS 0 Hexes closed to any unit that starts in a hex, since the scenario is not played there.
    [R] A unit that begins beyond the play area moves there as elsewhere until it is in play; nobody
    leaves."""
    scenario = state.charts.scenario
    outside = state.charts.board.every & ~scenario.play
    return outside & ~scenario.beyond if hexsets.has(scenario.beyond, start) else outside


def bases_of(state: State, side: str) -> Hexes:
    """OCS 3.0, 4.4c Hexes with a side's air bases, hedgehogs or supply, which only attack-capable
    enemies enter."""
    found = hexsets.of(
        i for kind in (state.bases, state.hedgehogs) for i, one in kind.items() if one.side == side
    )
    for place in state.supply[side]:
        if isinstance(place, int):
            found |= 1 << place
    return found


def stops(state: State, name: str) -> Hexes:
    """OCS 4.5a-A, 6.3b Hexes where a unit's move ends: enemy zones not negated, for Truck units."""
    counter, face = state.charts.units[name], state.face(name)
    if face.mobility != TRUCK:
        return 0
    return zones.barred(state, counter.side, zones.TRUCK_MOVE)


def surcharges(state: State, side: str, mobility: str) -> Hexes:
    """OCS 14.8 Hexes that cost a side one point more: in a zone of trainbusting, a marker's hex and
    all around it, the hex alone for Leg units. Several zones do not add up (14.8c)."""
    found = hexsets.of(i for i, placer in state.trainbusting.items() if placer != side)
    return found if mobility == LEG else hexsets.widened(found, state.charts.board.near)


@lru_cache(maxsize=96)
def _conditions(size: int, shut: Hexes, ends: Hexes, dearer: Hexes, parts: int) -> Conditions:
    flags = hexsets.table(shut, size, NO_ENTRY)
    if ends:
        flags = hexsets.overlaid(flags, hexsets.table(ends, size, STOP))
    extra = bytes(parts * one for one in hexsets.table(dearer, size)) if dearer else None
    return Conditions(flags, minimum_step=True, extra=extra)


def conditions(state: State, name: str) -> Conditions:
    """OCS 4.8c, 6.2 What stands in a unit's way now, as the search wants it."""
    side = state.charts.units[name].side
    mobility = state.face(name).mobility
    return _conditions(
        state.charts.board.size,
        closed(state, name),
        stops(state, name),
        surcharges(state, side, mobility) if state.trainbusting else 0,
        state.charts.parts,
    )


def ground(state: State, name: str) -> Compiled:
    """OCS 6.2, 12.5c What each step costs a unit now: its mobility, the weather, bridges as they
    stand, the fuel on which it moves. OCS 13.8b An HQ leaves over its own bridge."""
    charts, unit = state.charts, state.units[name]
    side = charts.units[name].side
    bridging = rules(charts).bridging(state, side, unit.move_side)
    if lately_engineer(state, name):
        own = over_rivers(charts.printed, 1 << unit.at)
        bridging = frozenset({**own, **dict(bridging)}.items())
    return bridged(
        charts.printed,
        state.ground,
        state.face(name).mobility,
        bridging,
        rates=not fuel.spares(state, name),
    )


@frozen
class Mover:
    """Everything that decides where a unit can go now, and what a path costs it: the ground under
    it, its hex, the parts that it has left, what stands in its way, and whether it has moved."""

    ground: Compiled
    start: int
    left: int
    now: Conditions
    moved: bool

    def reach(self, goal: int = -1) -> Reach:
        """Every hex that it can enter; with a `goal` the search ends once that hex is known."""
        return reach(self.ground, self.start, self.left, self.now, moved=self.moved, goal=goal)

    def walked(self, way: tuple[int, ...]) -> Walk:
        """What a way costs it, hex by hex as given, or the first step that fails and why."""
        return walk(self.ground, self.start, way, self.left, self.now, moved=self.moved)

    def goes_as(self, other: "Mover") -> bool:
        """Whether both can go everywhere alike. Ground and conditions are shared by those for whom
        they are the same, so their contents need not be compared."""
        return (
            self.left == other.left
            and self.start == other.start
            and self.moved == other.moved
            and self.ground is other.ground
            and self.now is other.now
        )


def mover(state: State, name: str) -> Mover:
    """OCS 6.1 A unit as a mover, in this segment."""
    unit = state.units[name]
    return Mover(
        ground(state, name),
        unit.at,
        modes.left(state, name),
        conditions(state, name),
        unit.spent > 0,
    )


def movers(state: State, names: Iterable[str]) -> tuple[Mover, ...]:
    """OCS 6.1f Units as movers, in order, those that can go everywhere alike once."""
    found: list[Mover] = []
    for name in names:
        one = mover(state, name)
        if not any(one.goes_as(other) for other in found):
            found.append(one)
    return tuple(found)


def can_go(state: State, name: str, *, goal: int = -1) -> Reach:
    """OCS 6.1 Every hex that a unit can enter by itself in this segment, with what it costs. With a
    `goal` the search ends once that hex is known. Fuel (12.5) and stacking (4.8) are not asked."""
    return mover(state, name).reach(goal)


def walked(state: State, name: str, way: tuple[int, ...]) -> Walk:
    """OCS 6.1 What a way costs a unit, hex by hex as given, or the first step that fails and
    why."""
    return mover(state, name).walked(way)


def overrun_cost(state: State, name: str, target: int) -> int | None:
    """OCS 8.1b, 8.1c, R-11 Parts that entering the target would cost off roads and bridges,
    trainbusting included. None where it costs all or there is no entry, so that no overrun is
    possible."""
    charts, unit = state.charts, state.units[name]
    mobility = state.face(name).mobility
    cost = across(charts.printed, mobility, state.ground, unit.at, target, None)
    if cost is None or cost < 0:
        return None
    if state.trainbusting and hexsets.has(
        surcharges(state, charts.units[name].side, mobility), target
    ):
        cost += charts.parts
    return cost
