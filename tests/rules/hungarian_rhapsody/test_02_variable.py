"""HR 2.1a, 2.1b, 3.1g, 3.3b, 3.4b; OCS 4.5a, 13.5: variable reinforcements, and whom they rebuild
where."""

import pytest

from tests.rules.hungarian_rhapsody.arriving import AXIS, SOVIET, arrived, having_lost, over, phase
from tests.rules.hungarian_rhapsody.bench import charts_of, names, stand, start
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import rebuilding as variable
from warledger.engine.games.hungarian_rhapsody import rvgk
from warledger.engine.games.ocs.ch13_special_units import rebuilding
from warledger.engine.games.ocs.series.state import Aircraft, placed, taken_by
from warledger.engine.kernel.change import replace

TURN = 6
HEX = charts_of("campaign").board.hex
SUPPLY = (3, 4)
NOTHING = (1, 1)


@pytest.mark.parametrize(
    ("table", "total", "brings"),
    [
        ("german", 4, ()),
        ("german", 7, ("inf_step", "air_step")),
        ("german", 12, ("armor_bn", "inf_step", "air_step", "truck")),
        ("hungarian", 11, ("armor_step", "inf_step")),
        ("soviet", 9, ("muf_brigade", "muf_brigade", "arty_ammo")),
    ],
)
def test_2_1b_each_table_brings_what_it_says(
    table: str, total: int, brings: tuple[str, ...]
) -> None:
    """HR 2.1b, 3.1b What two dice bring on each table."""
    assert tuple(variable.results(start("campaign"), table, total)) == brings


def test_2_1b_a_german_division_returns_with_one_step_at_the_west_edge() -> None:
    """HR 2.1a, 2.1b, OCS 13.5 An infantry step rebuilds a dead German division with one step, in a
    mode of choice, in any hex of the Axis West edge that the Soviets do not control."""
    before = having_lost("ax.inf.15")
    taken = before.charts.board.hex("A30.01")
    rig = phase(taken_by(before, SOVIET, 1 << taken), *SUPPLY, 2, 3, *NOTHING, turn=TURN)
    rig.do(AXIS, "rest")
    found = set(map(str, rig.options(AXIS, "rebuild", "ax.inf.15")))
    west = before.charts.board.entries["entry.axis_west"].hexes
    assert found <= names(before, hexsets.of(west))
    assert found
    assert "A30.01" not in found
    assert rig.refused(AXIS, "rebuild", "ax.inf.15", "A32.04").rule == "OCS 13.5"
    place = sorted(found)[0]
    rig.do(AXIS, "rebuild", "ax.inf.15", place, "move")
    unit = rig.state.units["ax.inf.15"]
    assert (before.charts.board.name(unit.at), unit.lost, unit.move_side) == (place, 2, True)
    assert over(rig)


def test_2_1b_what_is_not_used_is_lost() -> None:
    """HR 2.1b A result rebuilds one unit; what is left when the side is done is gone."""
    rig = phase(having_lost("ax.inf.15", "ax.inf.46"), *SUPPLY, 2, 3, *NOTHING, turn=TURN)
    rig.do(AXIS, "rest")
    place = rig.options(AXIS, "rebuild", "ax.inf.15")[0]
    rig.do(AXIS, "rebuild", "ax.inf.15", place)
    assert rig.state.units["ax.inf.46"].where == "box.dead.axis"
    assert over(rig)
    left = phase(having_lost("ax.inf.15"), *SUPPLY, 2, 3, *NOTHING, turn=TURN)
    assert left.refused(AXIS, "done").rule == "OCS 13.6"
    left.do(AXIS, "rest")
    left.do(AXIS, "done")
    assert left.state.units["ax.inf.15"].where == "box.dead.axis"


def test_2_1a_germans_are_not_rebuilt_in_an_enemy_zone() -> None:
    """HR 2.1a, OCS 4.5a-K A German division is rebuilt in no enemy zone, though a friend stands in
    it; a Hungarian one in a town is."""
    before = placed(having_lost("ax.inf.15", "ax.hu.25"), ("su.gd.81",), HEX("A30.02"))
    before = placed(before, ("ax.inf.72",), HEX("A30.01"))
    rig = phase(before, *SUPPLY, 2, 3, 2, 3, turn=TURN)
    rig.do(AXIS, "rest")
    found = rig.options(AXIS, "rebuild", "ax.inf.15")
    assert found
    assert "A30.01" not in found
    assert rig.refused(AXIS, "rebuild", "ax.inf.15", "A30.01").rule == "OCS 4.5a-K"
    assert rig.refused(AXIS, "rebuild", "ax.inf.15", "A40.20").rule == "OCS 13.5"
    zones = rig.state.field.zones[SOVIET]
    towns = hexsets.of(i for i in rebuilding.places(rig.state, "ax.hu.25") if isinstance(i, int))
    assert towns & zones


def test_2_1a_hungarians_return_in_towns_of_hungary_that_trace() -> None:
    """HR 2.1a A Hungarian division comes back in a village or city of Hungary that the Axis
    controls and that can trace, next to the enemy too; not abroad."""
    before = having_lost("ax.hu.25")
    board = before.charts.board
    found = variable.rebuilt_at(before, "ax.hu.25")
    assert isinstance(found, int)
    assert found
    assert not found & ~(board.lands["hungary"] & before.control[AXIS])
    zones = before.field.zones[SOVIET]
    assert found & zones
    pest = board.hex("A32.18")
    lost = taken_by(before, SOVIET, 1 << pest)
    assert hexsets.has(found, pest)
    assert not hexsets.has(variable.rebuilt_at(lost, "ax.hu.25"), pest)  # type: ignore[arg-type]


def test_2_1a_white_units_return_in_the_north() -> None:
    """HR 2.1a, 1.2a White units come back by the Axis North edge or A, B, C, whatever their
    nation."""
    before = having_lost("ax.w.254", "ax.hu.13")
    board = before.charts.board
    areas = ("entry.axis_north", "entry.a", "entry.b", "entry.c")
    edge = hexsets.of(i for area in areas for i in board.entries[area].hexes)
    for unit in ("ax.w.254", "ax.hu.13"):
        assert before.units[unit].where == "box.dead.axis_white"
        found = variable.rebuilt_at(before, unit)
        assert isinstance(found, int)
        assert found
        assert not found & ~edge


@pytest.mark.parametrize(
    ("table", "result", "yes", "no"),
    [
        ("german", "inf_step", "ax.1pz.pga", "ax.1pz.art"),
        ("german", "inf_step", "ax.ss.8", "ax.hu.25"),
        ("german", "armor_bn", "ax.1pz.pz1", "ax.109pz"),
        ("german", "truck", "ax.1pz.truck", "ax.1pz.pz1"),
        ("hungarian", "armor_step", "ax.hu1a.pz1", "ax.1pz.pz1"),
        ("hungarian", "inf_step", "ax.hu.1cav", "ax.hu.art1"),
        ("german", "inf_step", "ax.inf.15", "ax.brk.ge1"),
    ],
)
def test_2_1b_who_fits_a_result(table: str, result: str, yes: str, no: str) -> None:
    """HR 2.1b, OCS 13.5 Results name kinds of units of their nation; artillery, HQs and breakdowns
    are never among them."""
    found = variable.rebuilt(having_lost(yes, no), AXIS, table, result)
    assert yes in found
    assert no not in found


def test_3_3b_the_romanian_9th_cavalry_is_rebuilt_by_the_table_alone() -> None:
    """HR 3.3b, R-34 A result for a brigade or cavalry division rebuilds it out of the dead
    pile, on the map and not in the RVGK box; no other Romanian cavalry."""
    state = having_lost("su.ro.cav8", "su.ro.cav9")
    assert variable.rebuilt(state, SOVIET, "soviet", "muf_brigade") == ("su.ro.cav9",)
    assert isinstance(variable.rebuilt_at(state, "su.ro.cav9"), int)
    assert not any("su.ro.cav9" in rvgk.members(state, muf) for muf in rvgk.of_side(state))


def test_2_1b_units_on_the_map_are_not_rebuilt() -> None:
    """HR 2.1b Only units of the dead pile are; what has been withdrawn or waits is not."""
    state = start("campaign")
    assert variable.rebuilt(state, AXIS, "german", "inf_step") == ()


def test_2_1b_aircraft_return_reduced_and_active() -> None:
    """HR 2.1b, OCS 13.5 A dead aircraft comes back at any own base, active, with one step."""
    state = having_lost()
    planes = {**state.aircraft, "ax.air.ju87d.1": Aircraft(where="box.dead.axis")}
    rig = phase(replace(state, aircraft=planes), *SUPPLY, 3, 4, *NOTHING, turn=TURN)
    rig.do(AXIS, "rest")
    base = rig.options(AXIS, "rebuild", "ax.air.ju87d.1")[0]
    rig.do(AXIS, "rebuild", "ax.air.ju87d.1", base)
    plane = rig.state.aircraft["ax.air.ju87d.1"]
    assert (plane.active, plane.lost, plane.where) == (True, 1, "")


def test_3_4b_romanian_aircraft_are_never_rebuilt() -> None:
    """HR 3.4b They stay in the pile; a Soviet one does not."""
    state = start("campaign")
    lost = {"su.air.riar.1": Aircraft(where="box.dead.soviet")}
    lost |= {"su.air.pe2.1": Aircraft(where="box.dead.soviet")}
    state = replace(state, aircraft={**state.aircraft, **lost})
    assert variable.rebuilt(state, SOVIET, "soviet", "air_step") == ("su.air.pe2.1",)


def test_3_1d_the_packs_yellow_dots_are_never_rebuilt() -> None:
    """OCS 3.1d A unit on the pack's list of yellow dots stays dead, and the refusal says so."""
    state = having_lost("ax.inf.15")
    rebuild = {**state.charts.printed.chart["rebuild"]}
    assert not variable.never(state.charts, "ax.inf.15")
    rebuild["yellow_dot"] = {"units": "ax.inf.15"}
    chart = {**state.charts.printed.chart, "rebuild": rebuild}
    charts = replace(state.charts, printed=replace(state.charts.printed, chart=chart))
    assert variable.never(charts, "ax.inf.15")
    assert "ax.inf.15" not in variable.rebuilt(
        replace(state, charts=charts), AXIS, "german", "inf_step"
    )


def test_2_1b_scenarios_with_fixed_supply_roll_nothing() -> None:
    """HR 2.1b [R] No table is rolled where the scenario fixes the supply."""
    for name, side in (("sudwind", AXIS), ("sudwind", SOVIET), ("siege", AXIS)):
        assert variable.tables(start(name), side) == ()
    assert variable.tables(start("konrad1"), AXIS) == ("german", "hungarian")
    assert variable.tables(start("konrad1"), SOVIET) == ("soviet",)


def test_3_1g_ammunition_comes_by_the_soviet_table() -> None:
    """HR 3.1g A marker of the table lies in Sibiu at once, and a third is ignored."""
    state = arrived(stand({}, turn=TURN))
    for held, after in ((0, 1), (2, 2)):
        have = replace(state, marker_count={**state.marker_count, "marker.ammo": held})
        rig = phase(have, *SUPPLY, 4, 5, side=SOVIET, turn=TURN)
        assert rig.state.marker_count["marker.ammo"] == after


def test_13_5_under_fog_the_dice_alone_decide_who_is_asked() -> None:
    """OCS 4.9, 13.5 Under strict fog a side is asked whenever its dice bring something, whatever
    lies in its pile; nothing of the dice, nothing asked."""
    asked = []
    for state in (having_lost("ax.inf.15"), having_lost()):
        rig = phase(state, *SUPPLY, 2, 3, *NOTHING, turn=TURN, fog="strict")
        rig.do(AXIS, "rest")
        asked.append(rig.asked())
        rig.do(AXIS, "done")
        assert not rebuilding.asks(replace(rig.state, turn_use=type(rig.state.turn_use)()), AXIS)
    assert asked[0] == asked[1] == {AXIS: "prompt.ocs.rebuilding"}
