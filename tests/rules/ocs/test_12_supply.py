"""OCS 12.3, 12.6: draws, throws, trace; and the tables of chapter 12 and of captures."""

import heapq
import random
from fractions import Fraction
from itertools import pairwise

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, names, put, stand, start
from tests.rules.ocs.printed import ATTRITION, CAPTURE
from warledger.engine.board import hexsets
from warledger.engine.games.ocs.ch03_counters.counters import TRUCK
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch04_concepts.rounding import half_up
from warledger.engine.games.ocs.ch12_supply import sources, supply_search
from warledger.engine.games.ocs.series.state import STRAT, State
from warledger.engine.games.ocs.series.tables import ALL_STEPS
from warledger.engine.kernel.change import replace

CHART = charts_of("sudwind").tables
TIGERS, RIFLES, HQ = "ax.tgr.503", "su.gd.81", "ax.hq.iv"


def plain_search(state: State, side: str, mobility: str, at: int, points: int) -> set[int]:
    """OCS 12.3 What a path reaches, by a heap of fractions over single steps."""
    paths = supply_search.paths(state, side, mobility)
    shut = set(hexsets.listed(paths.shut))
    best = {at: Fraction(0)}
    heap = [(Fraction(0), at)] if at not in shut else []
    while heap:
        paid, u = heapq.heappop(heap)
        for v in state.charts.board.map.grid.adjacent[u]:
            step = paths.steps.step(u, v)
            if v in shut or step is None:
                continue
            whole = bool(step[2])
            cost = Fraction(points) if whole else Fraction(step[1], paths.parts)
            if whole and u != at:
                continue
            new = paid + cost
            if new <= points and new < best.get(v, points + 1):
                best[v] = new
                if not whole:
                    heapq.heappush(heap, (new, v))
    near = {n for i in best for n in state.charts.board.map.grid.adjacent[i]}
    return set(best) | near


@pytest.mark.parametrize("name", ["campaign", "konrad1", "sudwind"])
def test_12_3_every_extent_by_another_search(name: str) -> None:
    """OCS 12.3 Draws and throws of every HQ and of sampled hexes of a set-up, against a plain
    search without any memory."""
    seed = 7
    print("seed", seed)
    state = start(name, ground="dry")
    chance = random.Random(seed)
    for side in (AXIS, SOVIET):
        hexes = [at for at in state.field.stacks if state.holder(at) == side]
        for at in chance.sample(hexes, min(12, len(hexes))):
            for mobility in ("leg", "truck"):
                for points in (5, 10):
                    found = supply_search.paths(state, side, mobility).extent(at, points)
                    said = plain_search(state, side, mobility, at, points)
                    assert set(hexsets.listed(found.touching)) == said, (side, mobility, at)


@pytest.mark.parametrize("name", ["campaign", "sudwind"])
def test_12_3b_no_hq_is_passed_over_that_throws(name: str) -> None:
    """OCS 12.3b Whatever an HQ of a set-up throws to it might throw to; in Strat mode it throws
    nowhere."""
    state = start(name, ground="dry")
    asked = 0
    for hq, counter in state.charts.units.items():
        if not counter.hq or state.units[hq].at < 0:
            continue
        asked += 1
        assert not supply_search.throws(state, hq).touching & ~supply_search.widest_throw(
            state, hq
        ), hq
        assert not supply_search.widest_throw(put(state, hq, marker=STRAT), hq)
    assert asked > 3


def test_12_3c_adjacency_ignores_what_lies_between() -> None:
    """OCS 12.3c The last step crosses the Danube without a bridge; a path does not."""
    board = charts_of("campaign").board
    state = replace(
        stand({TIGERS: "A29.04"}), bridges_down=frozenset(board.printed_bridges["danube"])
    )
    across = [
        board.map.grid.neighbours[slot // 6][slot % 6]
        for slot in range(board.hex("A29.04") * 6, board.hex("A29.04") * 6 + 6)
        if board.river_class(slot) == "danube"
    ]
    extent = supply_search.draws(state, TIGERS)

    assert across
    for i in across:
        assert hexsets.has(extent.touching, i)
        assert not hexsets.has(extent.inside, i)


def test_12_3d_enemy_zones_stop_truck_paths() -> None:
    """OCS 4.5a-B, 12.3d A Truck path neither enters nor leaves a zone; negation lifts it; a Leg
    throw passes. A unit in a zone touches its neighbours at least."""
    standing = stand({HQ: "A26.08", RIFLES: "A26.11", TIGERS: "A26.10"}, phasing=AXIS, segment="c2")
    state = zones.leaving(standing, (TIGERS,))
    board = state.charts.board
    there, beyond = board.hex("A26.10"), board.hex("A27.11")

    trucks = supply_search.paths(state, AXIS, TRUCK).extent(board.hex("A26.08"), 5)
    assert not hexsets.has(trucks.inside, there)
    assert hexsets.has(trucks.touching, there)
    negated = supply_search.paths(standing, AXIS, TRUCK)
    assert hexsets.has(negated.extent(board.hex("A26.08"), 5).inside, there)
    assert hexsets.has(supply_search.paths(state, AXIS, "leg").extent(there, 10).inside, beyond)
    own = supply_search.draws(state, TIGERS)
    assert names(state, own.inside) == {"A26.10"}
    assert len(names(state, own.touching)) == 7


def test_12_3d_enemy_combat_units_stop_every_path() -> None:
    """OCS 12.3d Through enemy transport, not through enemy combat units."""
    state = stand({RIFLES: "A26.11", "su.truck.1": "A26.07"})
    board = state.charts.board
    extent = supply_search.paths(state, AXIS, "leg").extent(board.hex("A26.06"), 10)

    assert hexsets.has(extent.inside, board.hex("A26.07"))
    assert not hexsets.has(extent.inside, board.hex("A26.11"))


def test_12_3b_a_throw_ends_next_to_the_unit_and_stops_in_strat() -> None:
    """OCS 12.3b-c The throw of the side that shows, in its own points; nothing in Strat mode."""
    state = stand({HQ: "A26.06"})

    assert supply_search.throw_range(state, HQ) == state.face(HQ).strength
    wide = supply_search.throws(state, HQ)
    narrow = supply_search.throws(put(state, HQ, move_side=True), HQ)
    assert narrow.touching & ~wide.touching == 0 != wide.touching & ~narrow.touching
    assert supply_search.throws(put(state, HQ, marker=STRAT, move_side=True), HQ).touching == 0


def test_12_3_a_way_to_show() -> None:
    """OCS 12.3 The path of a draw runs hex by hex within its points and ends at or next to the
    goal."""
    state = start("sudwind", ground="dry")
    board = state.charts.board
    begin, goal = board.hex("A25.11"), board.hex("A26.09")
    way = supply_search.way(state, AXIS, TRUCK, begin, 5, goal)

    assert way[0] == begin
    assert board.map.grid.distance(way[-1], goal) <= 1
    assert all(b in board.map.grid.adjacent[a] for a, b in pairwise(way))
    assert supply_search.way(state, AXIS, TRUCK, begin, 5, board.hex("A32.04")) == ()


def test_12_6_who_is_out_of_trace() -> None:
    """OCS 12.6 A unit alone in the enemy's country has no trace; HR 3.5c-d partisans have their own
    hexes, Romanian mountain groups always."""
    state = stand(
        {TIGERS: "B45.20", "su.sp.1": "A8.22", "su.sp.2": "A26.06", "su.ro.grp1": "A26.07"}
    )

    assert sources.trace(state, AXIS) == {TIGERS: None}
    assert sources.trace(state, SOVIET) == {
        "su.sp.1": supply_search.DIRECT,
        "su.sp.2": None,
        "su.ro.grp1": sources.ALWAYS,
    }


def test_12_6b_a_zone_stops_a_source() -> None:
    """OCS 12.6b A source in an enemy zone serves nothing, unless a friend negates it."""
    free = stand({}, name="sudwind")
    i = 1 << free.charts.board.hex("A25.15")
    held = stand({TIGERS: "A25.16"}, name="sudwind")
    negated = stand({TIGERS: "A25.16", RIFLES: "A25.15"}, name="sudwind")

    assert sources.sources(free, SOVIET) & i
    assert not sources.sources(held, SOVIET) & i
    assert sources.sources(negated, SOVIET) & i


def test_3_4a_who_uses_whose_hq() -> None:
    """HR 2.3a, 3.4a Axis nations use any Axis HQ; Romanians their own alone."""
    state = start("campaign")
    serves = state.charts.game.serves
    romanian = next(n for n, c in state.charts.units.items() if c.nation == "romanian" and c.hq)
    unit = next(n for n, c in state.charts.units.items() if c.nation == "romanian" and c.attacks)

    assert serves(state.charts, romanian, unit)
    assert not serves(state.charts, romanian, RIFLES)
    assert not serves(state.charts, "su.hq.7ga", unit)
    assert serves(state.charts, "ax.hq.hvi", TIGERS)
    assert not serves(state.charts, "ax.hq.hvi", RIFLES)


def test_12_8b_attrition_cell_by_cell() -> None:
    """OCS 12.8b Every AR and dice against a second copy; example 30."""
    for ar, bands in ATTRITION.items():
        for lost, band in zip((0, 1, 2, 4, ALL_STEPS), bands, strict=True):
            if band == "-":
                continue
            low, _, high = band.replace("+", "-16").partition("-")
            for dice in range(int(low), int(high or low) + 1):
                assert CHART.attrition.steps(ar, dice) == lost, (ar, dice)
    assert CHART.attrition.steps(4, 7 + CHART.attrition.many_steps_drm) == 2
    assert CHART.attrition.steps(0, 2) == 1
    assert CHART.attrition.steps(-1, 2) == 1


def test_9_14_captures_cell_by_cell() -> None:
    """OCS 9.14b-c Per cent by die; trucks are transport of more than 10 MP."""
    for what, row in CAPTURE.items():
        assert tuple(CHART.capture.share(what, die) for die in range(1, 7)) == row
    assert [CHART.capture.kind(ma) for ma in (45, 11, 10)] == ["trucks", "trucks", "wagons"]


def test_12_11a_blowing_and_capture_to_the_token() -> None:
    """OCS 9.14b, 12.11a Examples 28 and 29: 75 % of 12T are 9T; half of 36T is 18T; a quarter of
    12T of load 3T."""
    assert CHART.blowing == (25, 50, 50, 75, 75, 100)
    assert half_up(12 * CHART.blowing[3], 100) == 9
    assert half_up(36 * CHART.capture.share("dump", 5), 100) == 18
    assert half_up(12 * CHART.capture.share("trucks", 3), 100) == 3
