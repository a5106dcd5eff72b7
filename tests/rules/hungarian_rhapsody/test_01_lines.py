"""HR 1.2a, 1.2b, 1.2c, 2.5b, 3.4b, 3.4c: lines and areas that some may not cross."""

import pytest

from tests.rules.hungarian_rhapsody.bench import AXIS, SOVIET, put, stand, start
from tests.rules.hungarian_rhapsody.borders import (
    BOARD,
    DOT,
    SOVIET_DOT,
    evacuating,
    moving,
    shut,
)
from tests.rules.hungarian_rhapsody.table import at_table
from warledger.engine.board import hexsets
from warledger.engine.games.hungarian_rhapsody import evacuation, lines
from warledger.engine.games.hungarian_rhapsody.game import GAME
from warledger.engine.games.ocs.ch08_overrun import overrun
from warledger.engine.games.ocs.ch09_combat import attacks
from warledger.engine.games.ocs.ch12_supply import supply_search, trace
from warledger.engine.games.ocs.ch13_special_units import rail
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.games.ocs.series.state import removed, taken_by
from warledger.engine.kernel.change import replace

WHITE, GARRISON, ROMANIANS = "ax.w.97jg", "ax.bp.bc1", "su.ro.2"
RIFLES, INFANTRY = "su.gd.81", "ax.inf.44"
TRUCK = "ax.truck.1"
ENTRY_I = "A62.18"


def test_1_2a_white_units_stay_north() -> None:
    """HR 1.2a Row 19 is north of the white line on both sheets, row 20 south of it."""
    state = moving({WHITE: "A18.10"})
    assert not shut(state, WHITE, "A19.10")
    assert not shut(state, WHITE, "B19.10")
    assert shut(state, WHITE, "A20.10")
    assert shut(state, WHITE, "B20.10")
    assert not shut(state, INFANTRY, "A20.10")
    assert not hexsets.has(GAME.retreat_barred(state, WHITE), BOARD.hex("A20.10"))


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_1_2a_one_south_of_the_line_must_come_nearer(fog: str) -> None:
    """HR 1.2a, R-04 A white unit that has retreated south goes nowhere but nearer, and its side
    is not done before it has gone; who is north moves as it likes."""
    state = moving({WHITE: "A24.26", INFANTRY: "A26.10"})
    assert shut(state, WHITE, "A24.27")
    assert shut(state, WHITE, "A25.26")
    assert not shut(state, WHITE, "A23.26")
    rig = at_table(taken_by(state, SOVIET, 1 << BOARD.hex("A40.33")), "moving", fog=fog)
    assert rig.refused(AXIS, "done").key == "refusal.ocs.must_move"
    rig.do(AXIS, "move", WHITE, "A23.26")
    assert "done" in rig.options(AXIS)


def test_1_2a_who_cannot_move_need_not() -> None:
    """HR 1.2a, R-04 Not one that has moved, cannot pay for fuel or is beset all around; not in
    another phase, nor one that is at home."""
    state = moving({WHITE: "A24.26"})
    assert lines.must_return(state, AXIS) == (WHITE,)
    assert not lines.must_return(put(state, WHITE, began=BOARD.hex("A25.26")), AXIS)
    assert not lines.must_return(put(state, WHITE, finished=True), AXIS)
    assert not lines.must_return(replace(state, segment="g1"), AXIS)
    assert not lines.must_return(moving({WHITE: "A19.26"}), AXIS)
    enemies = [
        name for name, one in state.charts.units.items() if one.side == SOVIET and one.attacks
    ]
    around = BOARD.map.grid.adjacent[BOARD.hex("A24.26")]
    ring = {name: BOARD.name(i) for name, i in zip(enemies, around, strict=False)}
    assert not lines.must_return(moving({WHITE: "A24.26"} | ring), AXIS)


def test_1_2a_no_train_takes_it_south() -> None:
    """HR 1.2a A white unit goes by rail to stations north of the line alone."""
    state = moving({WHITE: "B9.01", INFANTRY: "B9.01"})
    for name in (WHITE, INFANTRY):
        state = put(state, name, move_side=True)
    white, other = rail.ends(state, (WHITE,)), rail.ends(state, (INFANTRY,))
    north = BOARD.areas[lines.NORTH]
    assert white and not hexsets.of(white) & ~north
    assert hexsets.of(other) & ~north


def test_1_2a_it_attacks_nothing_south_but_by_the_option() -> None:
    """HR 1.2a, OCS 9.1f, HR R-05 Nor do Romanians attack across the Danube or the garrison out of
    Budapest; the option allows it."""
    state = moving({WHITE: "A19.26", RIFLES: "A20.26", GARRISON: "A30.18"})
    target = BOARD.hex("A20.26")
    assert not attacks.can_enter(state, WHITE, target)
    charts = with_options(state.charts, {**state.charts.options, lines.ATTACK_ANYWHERE: True})
    free = replace(state, charts=charts, field=replace(state.field, charts=charts))
    assert attacks.can_enter(free, WHITE, target)
    assert hexsets.has(GAME.barred(free, WHITE), target)
    assert not attacks.can_enter(state, GARRISON, BOARD.hex("A29.18"))


def test_1_2b_nobody_enters_south_balaton() -> None:
    """HR 1.2b Combat units of neither side enter the area or Yugoslavia west of the Danube, not
    even in retreat; Axis transport does before 1 December."""
    state = moving({INFANTRY: "A47.08", RIFLES: "A47.20", TRUCK: "A47.09"})
    for unit in (INFANTRY, RIFLES):
        assert shut(state, unit, "A50.05")
        assert shut(state, unit, "A60.16")
        assert hexsets.has(GAME.retreat_barred(state, unit), BOARD.hex("A50.05"))
    assert not shut(state, TRUCK, "A50.05")
    assert shut(replace(state, turn=18), TRUCK, "A50.05")
    assert shut(state, "su.wagon.1", "A50.05")


def test_1_2b_trace_and_trains_go_through_it_before_december() -> None:
    """HR 1.2b Axis supply paths and railways run through the area before the turn of 1 December;
    Soviet ones never do."""
    state = moving({})
    area = BOARD.areas[lines.SOUTH_BALATON]
    assert not supply_search.blocked(state, AXIS, "leg") & area
    assert supply_search.blocked(state, SOVIET, "leg") & area == area
    assert GAME.railways(state, AXIS) & area == area
    assert not GAME.railways(replace(state, turn=18), AXIS) & area
    assert not GAME.railways(state, SOVIET) & area


@pytest.mark.parametrize(
    ("unit", "beyond", "near"),
    [(INFANTRY, "A57.18", "A32.17"), (WHITE, "A13.12", "B9.01")],
)
def test_1_2b_no_train_carries_a_unit_through_it(unit: str, beyond: str, near: str) -> None:
    """HR 1.2a, 1.2b Units ride neither through South Balaton nor, with a white border, through the
    south to a station in the north again; supply does."""
    state = put(moving({unit: "A1.11"}), unit, move_side=True)
    start, there = BOARD.hex("A1.11"), BOARD.hex(beyond)
    assert there in rail.lines(state, AXIS, start)
    assert BOARD.hex(near) in rail.ends(state, (unit,))
    assert there not in rail.ends(state, (unit,))
    rig = at_table(taken_by(state, SOVIET, 1 << BOARD.hex("A40.33")), "moving")
    assert near in rig.options(AXIS, "rail", unit)
    assert beyond not in rig.options(AXIS, "rail", unit)
    clause = "HR 1.2a" if unit == WHITE else "HR 1.2b"
    assert rig.refused(AXIS, "rail", unit, beyond).rule == clause
    assert rig.refused(AXIS, "rail", unit, "A54.01").rule == clause


def test_1_2_an_overrun_of_a_closed_hex_is_refused_by_its_clause() -> None:
    """HR 1.2a, OCS 8.1 A white unit does not overrun southwards: the refusal names the line."""
    state = put(moving({WHITE: "A19.20", RIFLES: "A20.20"}), WHITE, fuelled=True)
    target = BOARD.hex("A20.20")
    found = overrun.why_not_unit(state, WHITE, target)
    assert found is not None and found.rule == "HR 1.2a"


def test_1_1d_every_railway_hex_at_the_edge_is_a_station() -> None:
    """HR 1.1d Supply is unloaded at A53.01, where the railway runs along the map's edge, as at the
    entries. No hex of the Soviets' is one."""
    state = moving({})
    found = rail.stations(state, AXIS)
    assert hexsets.has(found, BOARD.hex("A53.01"))
    assert hexsets.has(found, BOARD.hex("A54.01"))
    taken = taken_by(state, SOVIET, 1 << BOARD.hex("A53.01"))
    assert not hexsets.has(rail.stations(taken, AXIS), BOARD.hex("A53.01"))
    assert not GAME.more_stations(state, SOVIET)


@pytest.mark.parametrize(
    ("where", "turn", "goes"),
    [
        ({RIFLES: ENTRY_I}, 12, True),
        ({RIFLES: "A47.21"}, 12, False),
        ({RIFLES: "A41.12"}, 17, False),
        ({}, 12, False),
    ],
)
def test_1_2b_when_the_garrison_goes(where: dict[str, str], turn: int, goes: bool) -> None:
    """HR 1.2b, R-06 A Soviet combat unit in an entry I hex, in trace, on any date; west of the
    Danube not before the turn of 1 December."""
    assert evacuation.due(evacuating(where, turn)) is goes


def test_1_2b_it_must_be_able_to_trace() -> None:
    """HR 1.2b, R-06 From 1 December on a Soviet unit in trace west of the Danube is enough, as
    in January before Budapest; one that is cut off is not, nor is one in November."""
    state = evacuating({RIFLES: "A41.12", "su.hq.57a": "A41.12"}, 18)
    assert trace.traced(state, SOVIET)[RIFLES] is None
    assert not evacuation.due(state)
    january = start("konrad1")
    assert evacuation.due(january)
    assert not evacuation.due(replace(january, turn=17))


def test_1_2b_both_conditions_by_the_option() -> None:
    """HR 1.2b By the option Pécs and an entry I hex are both needed."""
    state = evacuating({RIFLES: ENTRY_I})
    charts = with_options(
        state.charts, {**state.charts.options, evacuation.OPTION: evacuation.BOTH}
    )
    assert not evacuation.due(replace(state, charts=charts))


@pytest.mark.parametrize("fog", ["strict", "open"])
def test_1_2b_both_garrisons_leave_the_game(fog: str) -> None:
    """HR 1.2b, R-07 Units of both sides with the black dot leave the game at once, and once."""
    state = evacuating({RIFLES: "A61.22"})
    rig = at_table(replace(state, turn=3), "moving", phasing=SOVIET, fog=fog)
    rig.do(SOVIET, "move", RIFLES, "A62.21")
    for name in (DOT, SOVIET_DOT):
        assert (rig.state.units[name].at, rig.state.units[name].where) == (-1, "box.withdrawn")
    assert evacuation.GONE in rig.state.flags


def test_2_5b_the_garrison_stays_in_budapest() -> None:
    """HR 2.5b, 1.2c It leaves the Budapest area in retreat alone, and then only comes nearer."""
    state = moving({GARRISON: "A31.17"})
    assert not shut(state, GARRISON, "A30.17")
    assert shut(state, GARRISON, "A31.16")
    assert not hexsets.has(GAME.retreat_barred(state, GARRISON), BOARD.hex("A31.16"))
    out = moving({GARRISON: "A31.15"})
    assert not shut(out, GARRISON, "A31.16")
    assert shut(out, GARRISON, "A31.14")
    assert lines.must_return(out, AXIS) == (GARRISON,)
    assert shut(removed(out, (GARRISON,), "box.dead.axis"), GARRISON, "A31.15")


def test_3_4b_romanians_stay_beyond_the_danube() -> None:
    """HR 3.4b Not west of it, not south of it, not even in retreat; Pest is east of it,
    Buda is not."""
    state = moving({ROMANIANS: "A33.21"}, SOVIET)
    for closed in ("A31.18", "A33.18", "A38.12", "A56.13"):
        assert shut(state, ROMANIANS, closed)
        assert hexsets.has(GAME.retreat_barred(state, ROMANIANS), BOARD.hex(closed))
    for open_ in ("A32.18", "A33.19", "A20.10", "B34.10"):
        assert not shut(state, ROMANIANS, open_)
    assert not shut(state, RIFLES, "A33.18")


def test_3_4c_yugoslavs_stay_in_the_south() -> None:
    """HR 3.4c Not north of A47.xx."""
    (name, *_) = [name for name, one in stand({}).charts.units.items() if one.nation == "yugoslav"]
    state = moving({name: "A52.22"}, SOVIET)
    assert shut(state, name, "A46.22")
    assert not shut(state, name, "A47.22")
    assert shut(state, name, "B50.10")
