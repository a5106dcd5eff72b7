"""OCS 6, 8.1b, 14.8: what steps cost, how far units go, what stops them."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, charts_of, names, put, stand
from warledger.engine.board.mobility import ALL, added, cheaper, cost_of, parts_of
from warledger.engine.board.paths import Stopped
from warledger.engine.games.ocs.ch03_counters.counters import MOBILITIES
from warledger.engine.games.ocs.ch04_concepts import zones
from warledger.engine.games.ocs.ch06_movement import movement_range
from warledger.engine.games.ocs.series import charts
from warledger.engine.games.ocs.series.state import STRAT, State

TIGERS, DIVISION, TRUCK, RIFLES = "ax.tgr.503", "ax.inf.44", "ax.truck.1", "su.gd.81"


def moving(where: dict[str, str], **changes: Any) -> State:
    """Axis movement with these units on the map."""
    return stand(where, phasing=AXIS, segment="c2", **changes)


def test_6_2_costs_as_text() -> None:
    """OCS 6.2 Fractions, "all" and "no" as a chart prints them; parts make every fraction whole."""
    assert [cost_of(x, 2) for x in (2, "1/2", "3/2", "all", "no", 0)] == [4, 1, 3, ALL, None, 0]
    assert [parts_of([1, "1/2", "all"]), parts_of(["1/2", "1/3"]), parts_of([3])] == [2, 6, 1]
    for wrong in ("1/3", "-1", "some", 1.5):
        with pytest.raises(ValueError, match=r"cost|literal|Invalid"):
            cost_of(wrong, 2)
    assert [added(2, 3), added(ALL, 3), added(None, ALL)] == [5, ALL, None]
    assert [cheaper(2, ALL), cheaper(None, ALL), cheaper(3, 2), cheaper(None, None)] == [
        2,
        ALL,
        2,
        None,
    ]


def test_6_2a_a_path_ignores_terrain_and_rivers() -> None:
    """OCS 6.2a, 6.2d Along a road half a point, whatever it crosses but the Danube; where there are
    several paths the cheapest."""
    printed = charts_of("campaign").printed
    board = printed.board
    for mobility in ("leg", "track", "truck"):
        compiled = charts.steps(printed, "dry", mobility)
        along = [
            cost
            for a in range(board.size)
            for b, cost in compiled.plain[a]
            if board.map.links["road"][board.slot(a, b)]
        ]
        assert set(along) == {1}


@pytest.mark.parametrize(
    ("ground", "mobility", "off_road", "road", "track"),
    [
        ("dry", "leg", 2, 1, 2),
        ("dry", "truck", 4, 1, 2),
        ("mud", "leg", 4, 2, 2),
        ("mud", "track", 4, 2, 2),
        ("mud", "truck", 8, 2, 4),
        ("freeze", "truck", 4, 1, 2),
    ],
)
def test_17_weather_changes_the_chart(
    ground: str, mobility: str, off_road: int, road: int, track: int
) -> None:
    """OCS 17 Mud adds to Leg, doubles the others off roads and tracks, makes a road one point and a
    track open ground."""
    costs = charts.costs(charts_of("campaign").printed, ground, mobility)

    assert (costs.terrain["open"], costs.path["road"], costs.path["track"]) == (
        off_road,
        road,
        track,
    )


def test_17_frost_bridges_rivers() -> None:
    """OCS 17, HR 1.4a A minor river costs nothing in frost, a marsh is open; in deep frost Leg
    units cross the Danube for all of their MA, nobody else does."""
    printed = charts_of("campaign").printed
    deep = {m: charts.costs(printed, "deep_freeze", m) for m in ("leg", "track", "truck")}

    assert charts.costs(printed, "freeze", "truck").hexside["minor"] == 0
    assert charts.costs(printed, "freeze", "truck").hexside["major"] == 8
    assert charts.costs(printed, "freeze", "truck").terrain["marsh"] == 4
    assert [deep[m].hexside["danube"] for m in ("leg", "track", "truck")] == [ALL, None, None]


def test_12_3d_supply_ignores_increases_and_uses_decreases() -> None:
    """OCS 12.3d In mud a supply path pays dry costs, in frost those of frost; only a Leg path may
    spend all of its length on one hex."""
    printed = charts_of("campaign").printed
    dry = charts.costs(printed, "dry", "truck")
    mud, frost = (charts.supply_costs(printed, g, "truck") for g in ("mud", "freeze"))

    assert mud.path == dry.path
    assert mud.terrain["open"] == dry.terrain["open"]
    assert frost.hexside["minor"] == 0
    assert mud.terrain["mountain"] is None
    assert charts.supply_costs(printed, "dry", "leg").hexside["major"] == ALL


def test_6_1_the_cheapest_way() -> None:
    """OCS 6.1, 6.2 A unit reaches what its MA pays for and no more; a way is checked step by
    step."""
    state = moving({TIGERS: "A26.10"})
    board = state.charts.board
    reach = movement_range.can_go(state, TIGERS)
    face = state.face(TIGERS)

    assert reach.allowance == face.ma * state.charts.parts
    assert all(reach.cost(i) <= reach.allowance for i in reach.hexes())
    for i in reach.hexes():
        walk = movement_range.walked(state, TIGERS, reach.way(i))
        assert walk.why is None
        assert walk.cost == reach.cost(i)
    apart = (board.hex("A26.12"),)
    assert movement_range.walked(state, TIGERS, apart).why is Stopped.NO_WAY


def test_6_1c_one_hex_always() -> None:
    """OCS 6.1c, 6.2c A Leg unit of 3 points enters a hex of 3 and crosses a major river for all it
    has, one that has moved does not; prohibited terrain stays so."""
    printed = charts_of("campaign").printed
    board, compiled = printed.board, charts.steps(printed, "dry", "leg")
    a, b = next((a, row[0][0]) for a, row in enumerate(compiled.special) if row)
    state = moving({DIVISION: board.name(a)})

    assert b in movement_range.can_go(state, DIVISION)
    assert movement_range.can_go(state, DIVISION).cost(b) == 6
    assert b not in movement_range.can_go(put(state, DIVISION, spent=1), DIVISION)
    tanks = moving({TIGERS: board.name(a)})
    assert b not in movement_range.can_go(tanks, TIGERS)


def test_6_3b_trucks_stop_in_enemy_zones() -> None:
    """OCS 6.3b, 4.5a Example 46: a Truck unit stops where a zone is not negated, leaves the one
    in which it starts, passes where a friend stands that stays; tracks pass anyway."""
    where = {TRUCK: "A26.08", RIFLES: "A26.11", TIGERS: "A26.10"}
    state = moving(where)
    board = state.charts.board
    there = board.hex("A26.10")

    assert movement_range.can_go(zones.leaving(state, (TIGERS,)), TRUCK).ends(there)
    assert not movement_range.can_go(state, TRUCK).ends(there)
    assert not movement_range.can_go(put(state, TIGERS, finished=True), TRUCK).ends(there)
    tracks = moving({RIFLES: "A26.11", TIGERS: "A26.08"})
    assert not movement_range.can_go(tracks, TIGERS).ends(there)
    inside = moving({TRUCK: "A26.10", RIFLES: "A26.11"})
    assert board.hex("A26.07") in movement_range.can_go(inside, TRUCK)


def test_4_8c_who_enters_what() -> None:
    """OCS 4.4c, 4.8c Nobody enters a hex with enemy combat units; enemy transport is entered by
    attack-capable units alone."""
    state = moving({TIGERS: "A26.10", DIVISION: "A26.10", RIFLES: "A26.11", "su.truck.1": "A25.10"})
    board = state.charts.board

    assert board.hex("A26.11") not in movement_range.can_go(state, TIGERS)
    assert board.hex("A25.10") in movement_range.can_go(state, DIVISION)
    hq = moving({"ax.hq.iv": "A26.10", "su.truck.1": "A25.10"})
    assert board.hex("A25.10") not in movement_range.can_go(
        put(hq, "ax.hq.iv", move_side=True), "ax.hq.iv"
    )


def test_5_8a_strat_never_enters_a_zone() -> None:
    """OCS 5.8a A unit in Strat mode enters no enemy zone, negated or not, and goes twice as far."""
    state = moving({DIVISION: "A26.06", RIFLES: "A26.11", TIGERS: "A26.10"})
    strat = put(put(state, TIGERS, finished=True), DIVISION, marker=STRAT, move_side=True)

    reach = movement_range.can_go(strat, DIVISION)
    assert reach.allowance == 20
    assert not names(strat, strat.field.zones[SOVIET]) & {
        strat.charts.board.name(i) for i in reach.hexes()
    }


def test_8_1b_what_an_overrun_would_pay() -> None:
    """OCS 6.2b, 8.1b, 8.1c Example 45: hex and river together without roads or bridges,
    trainbusting added; none where entry costs all."""
    printed = charts_of("campaign").printed
    board = printed.board
    grid = board.map.grid
    a, b = next(
        (a, b)
        for a in range(board.size)
        for b in grid.adjacent[a]
        if board.map.links["road"][board.slot(a, b)]
        and board.river_class(board.slot(a, b)) == "minor"
        and board.map.terrain_at(b) == "open"
        and b not in board.map.places
    )
    state = moving({TIGERS: board.name(a)})

    assert movement_range.can_go(state, TIGERS).cost(b) == 1
    assert movement_range.overrun_cost(state, TIGERS, b) == 6
    busted = moving({TIGERS: board.name(a)}, trainbusting={b: SOVIET})
    assert movement_range.overrun_cost(busted, TIGERS, b) == 8
    danube = sorted(slot for slot in board.printed_bridges["danube"])[0]
    far = grid.neighbours[danube // 6][danube % 6]
    assert (
        movement_range.overrun_cost(moving({TIGERS: board.name(danube // 6)}), TIGERS, far) is None
    )


def test_14_8_trainbusting_slows() -> None:
    """OCS 14.8 One point more for every hex entered in the marker's hex or next to it, for Leg
    units in its hex alone; two markers do not add up."""
    state = moving({TIGERS: "A26.08", DIVISION: "A26.08"})
    board = state.charts.board
    busted = {board.hex("A26.10"): SOVIET, board.hex("A26.11"): SOVIET}
    there, beside = board.hex("A26.10"), board.hex("A26.09")
    slow = moving({TIGERS: "A26.08", DIVISION: "A26.08"}, trainbusting=busted)

    free, held = movement_range.can_go(state, TIGERS), movement_range.can_go(slow, TIGERS)
    assert held.cost(beside) == free.cost(beside) + 2
    assert held.cost(there) == free.cost(there) + 4
    on_foot = movement_range.can_go(slow, DIVISION)
    assert on_foot.cost(beside) == movement_range.can_go(state, DIVISION).cost(beside)
    own = moving({TIGERS: "A26.08"}, trainbusting=dict.fromkeys(busted, AXIS))
    assert movement_range.can_go(own, TIGERS).costs() == free.costs()


def test_13_8b_an_hq_bridges_the_rivers_around_it() -> None:
    """OCS 13.8b Beside an HQ in Combat mode a minor river costs nothing and a major one as a minor;
    an HQ in Move mode bridges nothing; never the Danube (HR 1.4a)."""
    printed = charts_of("campaign").printed
    board = printed.board
    slots = {
        kind: next(
            s
            for s in range(board.size * 6)
            if board.river_class(s) == kind
            and not any(board.map.links[link][s] for link in board.map.links)
            and board.map.terrain_at(board.map.grid.neighbours[s // 6][s % 6]) == "open"
            and board.map.grid.neighbours[s // 6][s % 6] not in board.map.places
        )
        for kind in ("minor", "major", "danube")
    }
    for kind, before, after in (("minor", 6, 2), ("major", None, 6), ("danube", None, None)):
        a, b = slots[kind] // 6, board.map.grid.neighbours[slots[kind] // 6][slots[kind] % 6]
        state = moving({"ax.hq.iv": board.name(a)})
        moved = put(state, "ax.hq.iv", move_side=True)
        for one, cost in ((state, after), (moved, before)):
            bridging = one.charts.game.bridging(one, AXIS, False)
            compiled = charts.bridged(printed, "dry", "track", bridging)
            assert dict(compiled.plain[a]).get(b) == cost, kind


@pytest.mark.parametrize("mobility", MOBILITIES)
def test_6_1d_nobody_goes_where_there_is_no_way_back(mobility: str) -> None:
    """OCS 6.1d Off paths every step can be made both ways: out of a hex that a mobility class
    cannot enter, into which a road has led it, only the road leads; no overrun is made from it. A
    supply path may begin there."""
    printed = charts_of("campaign").printed
    grid = printed.board.map.grid
    for ground in ("dry", "mud"):
        made = charts.steps(printed, ground, mobility)
        known = [{b for b, *_ in (*made.plain[a], *made.special[a])} for a in range(len(grid))]
        assert all(a in known[b] for a in range(len(grid)) for b in known[a])
    made = charts.steps(printed, "mud", "truck")
    shut = [a for a in range(len(grid)) if _shut_off(printed, "mud", "truck", a)]
    assert shut, "there is such terrain"
    for a in shut:
        for b, _cost in made.plain[a]:
            assert any(
                printed.board.map.links[kind][printed.board.slot(a, b)] for kind in printed.path
            )
        assert all(
            charts.across(printed, "truck", "mud", a, b, None) is None for b in grid.adjacent[a]
        )


def _shut_off(printed: charts.Printed, ground: str, mobility: str, a: int) -> bool:
    """Whether a hex cannot be entered from any side off paths."""
    around = printed.board.map.grid.adjacent[a]
    return all(charts.across(printed, mobility, ground, b, a, None) is None for b in around)


def test_6_2_a_map_is_compiled_once_for_each_chart_of_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """OCS 6.2, 17 Whatever the weather turns to and back, each of the pack's charts of costs is
    compiled once; conditions that cost the same share one."""
    printed = charts_of("campaign").printed
    made: list[object] = []
    compile_costs = charts.compile_costs

    def counted(*given: Any) -> Any:
        made.append(given)
        return compile_costs(*given)

    monkeypatch.setattr(charts, "compile_costs", counted)
    for cache in (charts.steps, charts.widest, charts._compiled_once):
        cache.cache_clear()
    grounds = [name for name, row in printed.weather.items() if row.kind == "ground"]
    answers = []
    for _ in range(2):
        for ground in grounds:
            for mobility in ("leg", "track", "truck"):
                answers += [
                    charts.steps(printed, ground, mobility, supply) for supply in (False, True)
                ]
                answers.append(charts.widest(printed, ground, mobility))
    assert len(made) == len({id(one) for one in answers}) < len(grounds) * 9
