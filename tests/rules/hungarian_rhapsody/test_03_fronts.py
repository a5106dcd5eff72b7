"""HR 3.1c: front markers."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand
from tests.rules.hungarian_rhapsody.fronts import (
    BOARD,
    HERE,
    START,
    along,
    beside,
    front,
    roads,
    rows_of,
)
from tests.rules.hungarian_rhapsody.table import at_table, fed
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import displacement, fronts, markers
from warledger.engine.games.ocs.ch12_supply import sources, trace
from warledger.engine.games.ocs.series.charts import ROAD_PATH
from warledger.engine.games.ocs.series.state import taken_by
from warledger.engine.kernel.change import replace

RIFLES, INFANTRY = "su.gd.81", "ax.inf.44"
SECOND = fronts.SECOND


def test_3_1c_a_marker_is_a_source_while_a_road_leads_home() -> None:
    """HR 3.1c(1) Enemies on every road out of its hex, or sources that are closed, and it is none;
    zones of units that are OOS close no road."""
    state = front()
    assert hexsets.has(fronts.linked(state), START)
    assert hexsets.has(sources.sources(state, SOVIET), START)
    enemies = [name for name, one in state.charts.units.items() if one.side == AXIS and one.attacks]
    ring = {name: BOARD.name(i) for name, i in zip(enemies, along(state), strict=False)}
    cut = front(ring)
    assert not fronts.linked(cut)
    assert not hexsets.has(sources.sources(cut, SOVIET), START)
    zone = front({enemies[0]: BOARD.name(next(beside(state)))})
    assert not fronts.linked(zone)
    assert fronts.linked(put(zone, enemies[0], oos=True))
    shut = {*BOARD.entries, *(one.id for one in (*BOARD.sources, *state.charts.scenario.sources))}
    assert not fronts.linked(replace(state, closed=frozenset(shut)))


def test_3_1c_it_supplies_who_draws_there_and_throws_nothing() -> None:
    """HR 3.1c(1) A unit near it draws at it."""
    state = front({RIFLES: HERE})
    only = replace(state, closed=frozenset(BOARD.entries))
    assert trace.traced(only, SOVIET)[RIFLES] == "direct"


@pytest.mark.parametrize("turn", [7, 8])
def test_3_1c_example_57_when_the_second_moves(turn: int) -> None:
    """HR 3.1c(4) Example 57: on 26 October the 2nd Ukrainian Front's marker cannot move, on 29
    October it moves for 1 SP."""
    rig = roads(front(turn=turn))
    to = BOARD.name(along(rig.state)[0])
    if turn < 8:
        assert rig.refused(SOVIET, "relocate", SECOND, to).rule == "HR 3.1c"
        return
    rig.do(SOVIET, "relocate", SECOND, to)
    assert fronts.on_map(rig.state) == {SECOND: BOARD.hex(to)}
    assert rig.state.spent_sp[SOVIET] == 4
    assert rig.state.supply[SOVIET] == {START: 8}
    assert not fronts.movable(rig.state)


def test_3_1c_supply_goes_along_once() -> None:
    """HR 3.1c(2), OCS 12.2a What lies with it goes along, less the 1 SP; it was moved, and nothing
    takes it farther in this phase."""
    rig = roads(front())
    to = BOARD.name(along(rig.state)[0])
    assert rig.refused(SOVIET, "relocate", SECOND, to, 9).key == "refusal.ocs.too_many_tokens"
    rig.do(SOVIET, "relocate", SECOND, to, 8)
    assert rig.state.supply[SOVIET] == {BOARD.hex(to): 8}
    assert rig.state.phase_use.unloaded[BOARD.hex(to)] == 8
    moved = front()
    use = replace(moved.phase_use, unloaded={START: 10})
    moved = replace(moved, phase_use=use)
    assert fronts.portable(moved, SECOND, ()) == 2
    assert fronts.portable(moved, SECOND, (("", HERE, 4),)) == 2, "what was moved pays first"


def test_3_1c_it_must_be_paid() -> None:
    """HR 3.1c(2), R-27 No supply in reach, no move; a dump nearby will do."""
    assert not fronts.movable(front(tokens=3))
    assert fronts.movable(fed(front(tokens=3), 4, "B49.12", SOVIET))


def test_3_1c_where_it_may_be() -> None:
    """HR 3.1c(2)-(4) Roads alone, not west of the yellow line, not within 5 hexes of an Axis zone;
    the 4th's north of 16 on B and 9 on A, the 3rd's south of 40."""
    state = front()
    open_ = fronts.legal(state, SECOND)
    assert open_ and not open_ & ~BOARD.linked[ROAD_PATH]
    assert not open_ & BOARD.areas["area.west_of_yellow"]
    rows = {marker: rows_of(state, marker) for marker in (SECOND, fronts.THIRD, fronts.FOURTH)}
    assert min(rows[fronts.THIRD]) >= ("A", 40)
    assert {row for sheet, row in rows[fronts.THIRD]} >= {40, 41}
    assert all(row <= {"A": 9, "B": 16}[sheet] for sheet, row in rows[fronts.FOURTH])
    near = front({INFANTRY: "B43.11"})
    here = BOARD.hex("B43.11")
    for i in hexsets.listed(fronts.legal(near, SECOND)):
        assert BOARD.map.grid.distance(here, i) > 6
    assert any(
        BOARD.map.grid.distance(here, i) == 7 for i in hexsets.listed(fronts.legal(near, SECOND))
    )


def test_3_1c_an_axis_zone_displaces_it() -> None:
    """HR 3.1c(3) An Axis unit with a zone that comes within 5 hexes sends it, with its supply, to
    the nearest legal hex by road; one without a zone does not."""
    far = next(
        BOARD.name(i)
        for i in range(BOARD.size)
        if BOARD.map.grid.distance(START, i) == 5 and hexsets.has(BOARD.linked[ROAD_PATH], i)
    )
    rig = roads(front())
    rig.state = put(rig.state, INFANTRY, at=BOARD.hex(far), where="", move_side=True)
    rig.run(lambda table: displacement.on_event(table, None))
    assert fronts.on_map(rig.state)[SECOND] == START
    rig.state = put(rig.state, INFANTRY, move_side=False)
    rig.run(lambda table: displacement.on_event(table, None))
    to = fronts.on_map(rig.state)[SECOND]
    assert to != START
    assert hexsets.has(fronts.legal(rig.state, SECOND), to)
    assert rig.state.supply[SOVIET] == {to: 12}


def test_3_1c_it_stays_where_no_road_leads_away() -> None:
    """HR 3.1c(3) It is never destroyed."""
    state = taken_by(front({INFANTRY: "B49.13"}), AXIS, BOARD.every & ~(1 << START))
    assert displacement.refuges(state, SECOND, START) == ()
    rig = roads(state)
    rig.run(lambda table: displacement.on_event(table, None))
    assert fronts.on_map(rig.state) == {SECOND: START}


def test_3_1c_the_axis_moves_none_and_one_scenario_fixes_its_own() -> None:
    """HR 3.1c(2) Not in an Axis phase, not outside the Movement Phase; in the Debrecen scenario the
    2nd Ukrainian Front's stays."""
    assert fronts.may_move(front(), SECOND)
    assert not fronts.may_move(replace(front(), phasing=AXIS), SECOND)
    assert not fronts.may_move(replace(front(), segment="g1"), SECOND)
    fixed = stand({}, "debrecen", turn=8, phasing=SOVIET, segment="c2")
    assert not fronts.may_move(fixed, SECOND)


def test_3_1c_where_it_goes_is_hidden() -> None:
    """HR 3.1c, OCS R-14 The log hides where it goes, what it takes along and who paid."""
    state = taken_by(front(), AXIS, 1 << BOARD.hex("A32.17"))
    rig = at_table(state, "moving", phasing=SOVIET, fog="strict")
    events = rig.do(SOVIET, "relocate", SECOND, BOARD.name(along(state)[0]), 8)
    paid = next(one for one in events if isinstance(one, fronts.FrontPaid))
    moved = next(one for one in events if isinstance(one, markers.MarkerMoved))
    assert paid.to.readers == paid.tokens.readers == moved.to.readers == (SOVIET,)
