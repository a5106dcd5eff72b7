"""What must hold in every position of a game of the series, recomputed by other means.

The functions raise AssertionError with what is wrong. They are run after every command in tests and
self-play.
"""

from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.ch04_concepts.concepts import steps
from warledger.engine.games.ocs.series.state import OFF_MAP, State, field_of

QUARTERS = 4
"""Of an RE: what a lost step of a multi-step unit takes (4.6)."""

AFTER_CHECK = ("c3", "d", "e2", "f1", "g2", "h")
"""OCS 2.3, 4.8a Segments that follow one at whose end stacking is checked, and in which no combat
unit enters a hex."""


def field_is_that_of_the_units(state: State) -> None:
    """OCS 4.5 What is carried along from change to change is what the units make."""
    bare, field = field_of(state.charts, state.units), state.field
    assert dict(field.stacks) == dict(bare.stacks), "stacks"
    assert dict(field.combat) == dict(bare.combat), "hexes that block"
    assert dict(field.zoned) == dict(bare.zoned), "hexes with zones"
    assert dict(field.occupied) == dict(bare.occupied), "hexes with units"
    assert dict(field.showable) == dict(bare.showable), "units that may be shown"


def nobody_is_in_two_places(state: State) -> None:
    """OCS 6.1 A unit is in a hex or in a box, with steps left; in play, or beyond it if it began
    there."""
    scenario = state.charts.scenario
    began = {name for name, at in scenario.at.items() if hexsets.has(scenario.beyond, at)}
    for name, unit in state.units.items():
        assert (unit.at == OFF_MAP) == bool(unit.where), f"{name} is in two places or in none"
        if unit.at == OFF_MAP:
            continue
        ground = scenario.play | (scenario.beyond if name in began else 0)
        assert hexsets.has(ground, unit.at), f"{name} stands out of play"
        counter = state.charts.units[name]
        assert counter.face(unit.move_side) is not None, f"{name} shows a side that it lacks"
        if counter.combat_unit:
            assert steps(counter, unit) > 0, f"{name} stands without a step"
        assert unit.spent >= 0, f"{name} has spent less than nothing"


def sides_do_not_share(state: State) -> None:
    """OCS 4.8c Combat units of both sides never stand in one hex between commands."""
    one, other = (state.field.combat[side] for side in state.charts.sides)
    assert not one & other, "both sides stand in one hex"


def markers_stand_for_units(state: State) -> None:
    """OCS 13.7 A formation marker stands for one unit at least, all of them in its hex and of its
    side, none under another marker too."""
    seen: set[str] = set()
    for marker, one in state.gathered.items():
        assert one.units, f"the marker of {marker} stands for nobody"
        for name in one.units:
            assert state.units[name].at == one.at, f"{name} has left the marker of {marker}"
            assert state.side(name) == state.formation_side(marker), f"{name} under {marker}"
            assert name not in seen, f"{name} is under two markers"
            seen.add(name)


def nothing_lies_in_the_water(state: State) -> None:
    """OCS 6.2c No unit stands in a hex that no mobility class can ever enter, except on a path that
    is built there."""
    board = state.charts.board
    ways = 0
    for hexes in board.linked.values():
        ways |= hexes
    for name, row in state.charts.printed.terrain.items():
        if any(cost is not None for cost in row.move.values()):
            continue
        for i in hexsets.listed(board.by_terrain.get(name, 0) & ~ways):
            assert not state.stack(i), f"units in {board.name(i)}: {name}"


def supply_is_conserved(state: State) -> None:
    """OCS 12.1 To the T: what a side had, what has arrived, and captures less losses to the enemy
    lies on the ground, is carried, or is used up. What one side has captured the other has lost."""
    held = {side: sum(tokens.values()) for side, tokens in state.supply.items()}
    for name, unit in state.units.items():
        held[state.side(name)] += unit.load
    for side in state.charts.sides:
        there = held[side] + state.spent_sp[side]
        owned = state.come_sp[side] + state.taken_sp[side]
        assert there == owned, f"{side} has held or spent {there}T of {owned}T"
    assert not sum(state.taken_sp.values()), f"captured supply: {dict(state.taken_sp)}"


def stacks_are_within_limits(state: State) -> None:
    """OCS 4.8a Once a segment with a check of stacking has ended, and until somebody can move, no
    hex holds more combat units than it may."""
    if state.segment not in AFTER_CHECK:
        return
    room = int(state.charts.printed.chart["stacking"]["re"])
    held: dict[tuple[str, int], int] = {}
    for name, unit in state.units.items():
        counter = state.charts.units[name]
        if unit.at == OFF_MAP or not counter.combat_unit:
            continue
        left = counter.re - (QUARTERS * unit.lost if counter.multi_step else 0)
        place = (counter.side, unit.at)
        held[place] = held.get(place, 0) + left
    for (side, i), quarters in held.items():
        where = state.charts.board.name(i)
        assert quarters <= room, f"{side} has {quarters} quarters of an RE in {where}"


def nothing_is_owed(state: State) -> None:
    """OCS 12.1 No negative supply, no load above what a transport point holds."""
    costs = state.charts.tables.costs
    for side, lying in state.supply.items():
        for place, tokens in lying.items():
            assert tokens > 0, f"{side} has {tokens}T at {place}"
    for name, unit in state.units.items():
        room = state.counter(name).points * costs["sp_in_t"]
        assert 0 <= unit.load <= room, f"{name} carries {unit.load}T of {room}T"


def control_is_whole(state: State) -> None:
    """OCS 13.3h Every hex in play has one controller."""
    one, other = (state.control[side] for side in state.charts.sides)
    assert not one & other, "hexes with two controllers"
    assert (one | other) == state.charts.scenario.play, "hexes without a controller"


def tops_are_right(state: State) -> None:
    """OCS 4.9a The shown unit of every hex may be shown."""
    assert not fog.stale(state), f"shown units: {fog.stale(state)}"
    assert not fog.stale_air(state), f"shown aircraft: {fog.stale_air(state)}"


def aircraft_have_a_place(state: State) -> None:
    """OCS 14.1, 14.2a An aircraft lies at a base or box of its side, or is in a pile. No base has
    more active aircraft than any may. Only those that lie at a base are active, and nothing is
    known of those that are not."""
    planes = state.charts.printed.planes
    for name, plane in state.aircraft.items():
        assert 0 <= plane.lost < planes[name].steps, f"{name} has lost {plane.lost} steps"
        assert (plane.base is None) == bool(plane.where), f"{name} is in two places or in none"
        assert plane.active or not plane.seen, f"{name} rests and is seen"
        if plane.base is None:
            assert not plane.active, f"{name} is active at no base"
        elif isinstance(plane.base, int):
            base = state.bases.get(plane.base)
            assert base is not None and base.side == planes[name].side, f"{name} has no base"
    for i, base in state.bases.items():
        assert 1 <= base.level <= 3, f"a base of level {base.level}"
        active = sum(plane.base == i and plane.active for plane in state.aircraft.values())
        assert active <= 7, f"{active} active aircraft at a base"


def missions_are_whole(state: State) -> None:
    """OCS 14.2 Everybody in a mission flies it, once."""
    sortie = state.sortie
    if sortie is None:
        return
    assert len(set(sortie.flying)) == len(sortie.flying), "an aircraft flies twice"
    assert all(state.aircraft[name].base is not None for name in sortie.flying), "a ghost flies"
    assert all(state.aircraft[name].active for name in sortie.flying), "somebody flies at rest"


CHECKS = (
    field_is_that_of_the_units,
    nobody_is_in_two_places,
    sides_do_not_share,
    nothing_lies_in_the_water,
    nothing_is_owed,
    supply_is_conserved,
    stacks_are_within_limits,
    control_is_whole,
    tops_are_right,
    aircraft_have_a_place,
    missions_are_whole,
    markers_stand_for_units,
)


def check(state: State) -> None:
    """All of them."""
    for one in CHECKS:
        one(state)
