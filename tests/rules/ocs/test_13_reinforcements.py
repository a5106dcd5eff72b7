"""OCS 13.6, 2.3 B; HR 1.1c, 2.1b, 3.1b: arrivals and the supply that comes."""

from typing import Any

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SCENARIOS, SOVIET, pack, start
from tests.rules.ocs.play import Chapters
from warledger.engine.games.hungarian_rhapsody import shipments
from warledger.engine.games.ocs.ch13_special_units import arrivals, reinforcements
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import RESERVE, Coming, State, placed, taken_by
from warledger.engine.kernel.change import replace
from warledger.engine.testing.rig import Rig


def phase(state: State, *dice: int, fog: str = "strict") -> Rig[State]:
    """The game in the Reinforcement Phase of the phasing side."""
    state = replace(state, segment="b", charts=with_options(state.charts, {"fog": fog}))
    rig: Rig[State] = Rig(Chapters(state, reinforcements), pack())
    rig.state = state
    rig.dice(*dice)
    rig.jump("idle", reinforcements.REINFORCEMENTS)
    return rig


def asked(rig: Rig[State]) -> bool:
    """Whether somebody is to place something."""
    return "prompt.ocs.reinforcements" in rig.asked().values()


def gained(rig: Rig[State], before: State, side: str) -> dict[str, int]:
    """T that lie more than before, by place."""
    name = before.charts.board.name
    return {
        place if isinstance(place, str) else name(place): tokens - before.supply[side].get(place, 0)
        for place, tokens in rig.state.supply[side].items()
        if tokens != before.supply[side].get(place, 0)
    }


# --- supply ---------------------------------------------------------------------------------------


def test_2_3b_sudwind_soviet_points_come_by_themselves() -> None:
    """OCS 2.3 B Südwind: 2 SP a turn at the Garam supply head; nobody is asked."""
    before = start("sudwind", phasing=SOVIET, turn=41)
    rig = phase(before)
    assert not asked(rig)
    assert gained(rig, before, SOVIET) == {"A25.15": 8}
    assert not rig.state.turn_use.counts


def test_2_3b_sudwind_axis_points_are_placed() -> None:
    """OCS 2.3 B Südwind: 3 Axis SP from the second turn, at A26.09 or in any detrainable hex, split
    as the owner likes."""
    first = phase(start("sudwind", phasing=AXIS, turn=40))
    assert not asked(first)
    before = start("sudwind", phasing=AXIS, turn=41)
    rig = phase(before)
    assert asked(rig)
    assert rig.options(AXIS, "deliver", "all")[0] == "A26.09"
    other = str(rig.options(AXIS, "deliver", "all")[1])
    assert rig.refused(AXIS, "deliver", "all", "A26.12", 4).rule == "OCS 2.3"
    assert rig.refused(AXIS, "deliver", "all", "A26.09", 13).rule == "OCS 2.3"
    rig.do(AXIS, "deliver", "all", "A26.09", 5)
    rig.do(AXIS, "deliver", "all", other, 7)
    assert not asked(rig)
    assert gained(rig, before, AXIS) == {"A26.09": 5, other: 7}


def test_2_3b_a_place_in_enemy_hands_takes_nothing() -> None:
    """OCS 2.3 B Points whose place is lost come in elsewhere: the Axis at a station, the Soviets at
    the nearest open source."""
    state = start("sudwind", phasing=AXIS, turn=41)
    board = state.charts.board
    lost = taken_by(state, SOVIET, 1 << board.hex("A26.09"))
    assert board.hex("A26.09") not in shipments.places(lost, AXIS, "all")
    east = taken_by(replace(state, phasing=SOVIET), AXIS, 1 << board.hex("A25.15"))
    found = shipments.places(east, SOVIET, "all")
    assert found
    assert board.hex("A25.15") not in found


@pytest.mark.parametrize(
    ("dice", "points"),
    [((1, 1), 2), ((1, 3), 3), ((3, 4), 4), ((6, 3), 5), ((6, 6), 6)],
)
def test_2_1b_the_axis_table(dice: tuple[int, int], points: int) -> None:
    """HR 2.1b Every band of the Axis table."""
    state = start("campaign", phasing=AXIS)
    assert shipments.arriving(state, AXIS, dice) == {"all": 4 * points}


def test_2_1b_komarom_and_kassa() -> None:
    """HR 2.1b Each of Komárom and Kassa in Soviet hands takes a point."""
    state = start("campaign", phasing=AXIS)
    board = state.charts.board
    one = taken_by(state, SOVIET, 1 << board.hex("A30.09"))
    both = taken_by(one, SOVIET, 1 << board.hex("B9.01"))
    assert [shipments.arriving(s, AXIS, (1, 1))["all"] for s in (state, one, both)] == [8, 4, 0]


@pytest.mark.parametrize(
    ("name", "turn", "dice", "points"),
    [
        ("campaign", 1, (3, 4), {"north": 1, "east": 5, "south": 2}),
        ("campaign", 20, (6, 6), {"north": 2, "east": 9, "south": 5}),
        ("konrad1", 27, (1, 2), {"east": 3, "south": 1}),
    ],
)
def test_3_1b_the_soviet_table(
    name: str, turn: int, dice: tuple[int, int], points: dict[str, int]
) -> None:
    """HR 3.1b Three columns by month; a scenario leaves columns out."""
    state = start(name, phasing=SOVIET, turn=turn)
    found = shipments.arriving(state, SOVIET, dice)
    assert found == {column: 4 * sp for column, sp in points.items()}


def test_3_1b_columns_come_in_at_their_entries() -> None:
    """HR 3.1b, 1.3a In the campaign each column has its own entries, and air boxes take all."""
    state = start("campaign", phasing=SOVIET, turn=20)
    board = state.charts.board
    boxes = {"box.air.8aa", "box.air.lraf", "box.air.su_east", "box.air.su_south"}

    def named(column: str) -> set[str]:
        found = shipments.places(state, SOVIET, column)
        return {place if isinstance(place, str) else board.name(place) for place in found}

    assert named("east") >= {"B49.34", "B39.35", *boxes}
    assert "B1.06" in named("north") - named("east")
    assert "B62.17" in named("south") - named("north")


def test_5_1_debrecen_takes_half_of_the_axis_table() -> None:
    """HR 1.7 Debrecen: half of the Axis table, rounded up; the East and South columns at the 2nd
    Ukrainian Front marker."""
    state = start("debrecen", phasing=AXIS)
    assert shipments.arriving(state, AXIS, (1, 3)) == {"all": 4 * 2}
    (marker,) = state.markers["marker.front.2uf"]
    assert shipments.places(state, SOVIET, "east")[0] == marker


@pytest.mark.parametrize("name", SCENARIOS)
def test_2_3b_every_scenario_has_somewhere_to_put_supply(name: str) -> None:
    """OCS 2.3 B Whatever arrives has a place, on every turn of every scenario's set-up."""
    state = start(name)
    for turn in range(state.charts.scenario.first_turn, state.charts.scenario.last_turn + 1):
        now = replace(state, turn=turn)
        for side in (AXIS, SOVIET):
            rolled = (6,) * shipments.dice(now, side)
            for shipment in shipments.arriving(now, side, rolled):
                assert shipments.places(now, side, shipment), (turn, side, shipment)


# --- units ----------------------------------------------------------------------------------------


def test_13_6_an_entry_on_its_turn() -> None:
    """OCS 13.6 Konrad I: 711 Inf comes on 5 January by the Axis West entry, in a mode of the
    owner's choice, and cannot be delayed."""
    before = start("konrad1", phasing=AXIS, turn=28)
    rig = phase(before, 3, 4)
    (unit,) = arrivals.waiting(before, AXIS)
    assert rig.refused(AXIS, "done").rule
    places = rig.options(AXIS, "place", unit)
    assert rig.refused(AXIS, "place", unit, "A31.18").rule == "OCS 13.6"
    rig.do(AXIS, "place", unit, places[0], "reserve_move")
    stands = rig.state.units[unit]
    assert before.charts.board.name(stands.at) == places[0]
    assert (stands.marker, stands.move_side) == (RESERVE, True)
    rig.do(AXIS, "rest")
    assert not asked(rig)
    assert arrivals.waiting(rig.state, AXIS) == {}


def test_13_6_a_formation_comes_together() -> None:
    """OCS 13.6, 13.6a, 13.6c Konrad I: 20th Panzer comes on 8 January; all of it in one hex, its
    organic truck loaded."""
    before = start("konrad1", phasing=AXIS, turn=29, arrived=frozenset({0}))
    rig = phase(before, 3, 4)
    units = tuple(arrivals.waiting(before, AXIS))
    assert len(units) == 8
    hexes = [h for h in rig.options(AXIS, "place", *units) if h not in units]
    rig.do(AXIS, "place", *units, hexes[0])
    assert {rig.state.units[name].at for name in units} == {before.charts.board.hex(str(hexes[0]))}
    assert rig.state.units["ax.20pz.truck"].load == 4


def test_13_6_a_blocked_area_leads_to_the_nearest_hex() -> None:
    """OCS 13.6 Where every hex named is blocked the nearest open one is used: of an entry on the
    map's edge, if there is one in play."""
    before = start("konrad2", phasing=SOVIET, turn=30)
    unit = next(iter(arrivals.waiting(before, SOVIET)))
    board = before.charts.board
    (home,) = arrivals.places(before, unit)
    assert board.name(home) == "A43.19" if isinstance(home, int) else False
    division = next(n for n, u in before.units.items() if u.at >= 0 and before.side(n) == AXIS)
    taken = placed(before, [division], home)  # type: ignore[arg-type]
    found = arrivals.places(taken, unit)
    grid = board.map.grid
    assert found
    assert {grid.distance(home, i) for i in found} == {1}  # type: ignore[arg-type]


def test_13_6_steps_lost_on_arrival() -> None:
    """OCS 13.6 Szent László enters with two losses."""
    before = start("debrecen", phasing=AXIS, turn=5, arrived=frozenset({0, 1, 2, 3}))
    rig = phase(before, 3, 4)
    rig.do(AXIS, "rest")
    assert rig.state.units["ax.hu.szlz"].lost == 2
    assert rig.state.units["ax.109pz"].lost == 0


def test_13_6_aircraft_arrive_active_within_the_limit() -> None:
    """OCS 13.6a, 14.2a Aircraft come to any own base or box, active, never over its limit."""
    before = start("campaign", phasing=AXIS, turn=4)
    rig = phase(before, 3, 4)
    plane = "ax.air.fw190f.3"
    bases = rig.options(AXIS, "place", plane)
    full = [
        before.charts.board.name(at)
        for at, base in before.bases.items()
        if base.side == AXIS and not arrivals.has_room(before, at, 1)
    ]
    assert not set(full) & set(bases)
    rig.do(AXIS, "place", plane, str(next(b for b in bases if b not in before.aircraft)))
    assert rig.state.aircraft[plane].active


def test_12_8e_who_broke_out_returns() -> None:
    """OCS 12.8e, 13.6 A unit that broke out comes back on its turn, at an open source, with its
    losses."""
    before = start("sudwind", phasing=AXIS, turn=41)
    units: Any = {**before.units}
    unit = "ax.inf.72"
    units[unit] = replace(units[unit], lost=1)
    before = replace(before, units=units, coming=(Coming(41, AXIS, (unit,), "breakout"),))
    rig = phase(before)
    rig.do(AXIS, "place", unit, "A25.03", "move")
    rig.do(AXIS, "rest")
    assert rig.state.units[unit].lost == 1
    assert rig.state.coming == ()
    later = replace(before, coming=(Coming(42, AXIS, (unit,), "breakout"),))
    assert arrivals.waiting(later, AXIS) == {}


def test_13_6_withdrawals_go_first() -> None:
    """OCS 13.6 What the campaign withdraws on a turn leaves the map, wherever it stands."""
    before = start("campaign", phasing=AXIS, turn=17)
    rig = phase(before, 3, 4)
    assert rig.state.units["ax.24pz.pz1"].where == "box.withdrawn"


@pytest.mark.parametrize("fog", ["strict", "open"])
@pytest.mark.parametrize("name", ["campaign", "debrecen", "konrad1", "konrad2", "konrad3"])
def test_13_6_every_arrival_of_every_scenario(name: str, fog: str) -> None:
    """OCS 13.6 The order of arrival of every scenario, turn by turn on its set-up: `rest` places
    all of it."""
    rig = phase(start(name), *(3, 4) * 200, fog=fog)
    scenario = rig.state.charts.scenario
    for turn in range(scenario.first_turn, scenario.last_turn + 1):
        for side in (AXIS, SOVIET):
            rig.change(turn=turn, phasing=side)
            rig.jump("idle", reinforcements.REINFORCEMENTS)
            while asked(rig):
                rig.do(side, "rest")
            assert arrivals.waiting(rig.state, side) == {}, (turn, side)
    assert len(rig.state.arrived) == len(scenario.arrivals)


def test_1_1c_an_entry_area_is_all_its_hexes() -> None:
    """HR 1.1c B39.35 and B49.34 are both G: who comes by G may use either, and by F and G any hex
    of both."""
    state = start("campaign", phasing=SOVIET, turn=4)
    board = state.charts.board
    gun = {board.name(i) for i in arrivals.places(state, "su.gun.27") if isinstance(i, int)}
    assert gun == {"B39.35", "B49.34"}
    rifles = {
        board.name(i)
        for i in arrivals.places(replace(state, turn=2), "su.rd.240")
        if isinstance(i, int)
    }
    assert rifles == {"B29.35", "B39.35", "B49.34"}


def test_2_1a_the_axis_enters_by_hexes_that_the_soviets_do_not_control() -> None:
    """HR 2.1a An entry hex in Soviet hands is closed to Axis arrivals."""
    state = start("campaign", phasing=AXIS, turn=3)
    home = arrivals.places(state, "ax.inf.72")[0]
    lost = taken_by(state, SOVIET, 1 << home)  # type: ignore[operator]
    assert home not in arrivals.places(lost, "ax.inf.72")


def test_3_2b_nobody_arrives_in_the_long_range_air_forces_box() -> None:
    """HR 1.2a, 3.2b, OCS 13.6 Aircraft come to bases and boxes that they may use: not to the boxes
    of the 8th Air Army and the Long Range Air Force."""
    state = start("campaign", phasing=SOVIET, turn=8)
    found = arrivals.places(state, "su.air.la5.4")
    assert "box.air.su_east" in found
    assert not {"box.air.lraf", "box.air.8aa"} & {*found}
