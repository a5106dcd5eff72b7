"""Examples worked out by hand from the rule book, chapters 1 to 9: stacking, zones, lines, chits, the interrupt, activation, movement."""

from typing import Any

import pytest

from engine.games.typhoon.command import contents
from engine.games.typhoon.events import (
    Activated,
    ChitDrawn,
    ChitsChosen,
    ChitSpent,
    CityTaken,
    Fought,
    IntakeOpened,
    Interrupted,
    Placed,
    SupplyChecked,
)
from engine.kernel.position import Frame
from tests.rules.typhoon.bench import Bench, board_t, column, place, real_pack, source
from tests.rules.typhoon.test_06_command import GUDERIAN, HQ2, draw, go, table
from tests.rules.typhoon.test_09_movement import RING, left, mover

PZ, PZ2, INF, INF2, INF3 = "ax.panzer.1", "ax.panzer.6", "ax.inf.5", "ax.inf.35", "ax.inf.8"
R3, R3B, R3C, R3D = "su.rifle.133", "su.rifle.174", "su.rifle.179", "su.rifle.186"
CAV, TANK = "su.cav.50", "su.tank.127"

# --- 1.0, 3.0


@pytest.mark.parametrize(("name", "half"), [(R3, 2), (CAV, 3), (TANK, 3), ("su.hq.22a", 2), ("su.mot.107", 3)])
def test_half_an_allowance_is_whole_points(name: str, half: int) -> None:
    """1.0(2), 15.1(2) Half of 4, 6, 7 and 5 points is 2, 3, 3 and 2: the half point is dropped, not marched."""
    bench = Bench()
    bench.stand({name: "1010"})
    bench.activate("soviet", name, halved=(name,))
    assert bench.state.allowance(name) == 2 * half


def test_an_impassable_side_keeps_the_zone_off() -> None:
    """3.2(1), 10.1(5) Beside an enemy behind an impassable hexside a unit is in no EZOC (1 point to come, not 3) and cannot attack."""
    bench = mover({INF: "1011", R3: "1110"}, INF, impassable="1010-1110")
    assert left(bench, "axis", "move", INF, "1010") == "4"
    bench.stand({INF: "1010", R3: "1110"})
    bench.activate("axis", INF, segment="declaration")
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}


def test_the_river_crossing_must_find_room() -> None:
    """3.1(3), 9.2(3)1 The move ends across an unbridged major river: with two friends there it is no move at all, though passing through
    full hexes is free elsewhere."""
    bench = mover({INF: "1010", INF2: "1009", INF3: "1009"}, INF, rivers={"major": RING})
    assert "1009" not in bench.reach("axis", "move", INF)
    assert bench.refused("axis", "move", INF, "1009").rule == "3.1(1)"


def test_a_stack_of_two_does_not_fit_beside_one() -> None:
    """3.1(1), 9.1(1) Two units going together may not end with a third, one of them may."""
    bench = mover({INF: "1010", INF2: "1010", INF3: "1009"}, INF, INF2)
    assert bench.refused("axis", "move", INF2, INF, "1009").key == "refusal.typhoon.two_units"
    bench.do("axis", "move", INF, "1009")
    assert bench.hexes(INF, INF2) == ("1009", "1010")


def test_only_a_stack_goes_together() -> None:
    """9.1(1) A unit of another hex cannot be taken along, nor one named already; the refusal is not that it cannot move at all."""
    bench = mover({INF2: "1010", INF: "1011"}, INF, INF2)
    assert bench.refused("axis", "move", INF2, INF, "1009").rule == "9.1(1)"
    assert bench.refused("axis", "move", INF2, INF2, "1009").rule == "9.1(1)"


def test_round_a_cut_in_the_railway() -> None:
    """3.3(3), R-10 A rifle division at 1115 closes the line at 1015 and 1014. Round it by 0916, 0915, 0914, 0913, 1012 the sixth hex off
    the railway is 1011; 1010, on the railway again, is the seventh."""
    bench = Bench(board_t(sources=(source("axis", "1020"), source("soviet", "2001")), rails=(column(10, 20, 5),)))
    bench.stand({R3: "1115"})
    reached = [row for row in range(5, 21) if bench.state.field.has_loc("axis", bench.state.data.hex(f"10{row:02}"))]
    assert reached == list(range(11, 21))


def test_a_line_may_end_beside_the_enemy_on_the_sixth_hex() -> None:
    """3.3(1), 3.3(3) The sixth hex off the railway may lie in an EZOC; a fifth that lies in one without a friend is the end of the line."""
    bench = Bench(board_t(sources=(source("axis", "0110"), source("soviet", "2010")), rails=("0110 0210",)))
    bench.stand({R3: "0910"})
    field, data = bench.state.field, bench.state.data
    assert field.has_loc("axis", data.hex("0810"))  # six from 0210, next to the enemy
    walls = {f"{c:02}{r:02}": "L" for c in range(3, 10) for r in range(1, 21) if not (r == 10 or (r == 11 and c % 2))}
    tight = Bench(board_t(sources=(source("axis", "0110"), source("soviet", "2010")), rails=("0110 0210",), rows=walls))
    tight.stand({R3: "0810", INF: "0610"})
    assert tight.state.field.has_loc("axis", tight.state.data.hex("0710"))  # 5 off, in the EZOC
    assert not tight.state.field.has_loc("axis", tight.state.data.hex("0810"))


def test_a_march_takes_the_towns_it_passes() -> None:
    """3.4(2), R-12, R-18 An enemy's empty towns may be marched through, and change hands in order, the last as well as the first."""
    towns = (place("1009"), place("1007"), place("1005"))
    bench = mover({INF: "1010"}, INF, roads=(column(10, 12, 3),), places=towns)
    bench.do("axis", "move", INF, "march", "1005")
    assert bench.happened(CityTaken) == [CityTaken(name, "axis") for name in ("1009", "1007", "1005")]


# --- 4.0


def test_the_axis_sets_up_by_army() -> None:
    """4.0(2), 2.22-2 A division of 3rd Panzer Army may not stand on a hex of 9th Army; a unit of the pool is not set up at all."""
    bench = Bench(real_pack(), set_up_first="axis")
    assert bench.refused("axis", "place", "ax.panzer.1", "0614").rule == "4.0(2)"
    assert bench.refused("axis", "place", "ax.sec.221", "0614").rule == "4.0(2)"
    bench.do("axis", "place", "ax.panzer.1", "0514")


# --- 6.0, 7.0


def test_turn_2_with_both_chit_options() -> None:
    """6.2, 15.1, 15.3 With RESERVE in play and six armies barred the Soviets choose five of the other fourteen, RESERVE among them."""
    bench = Bench(board_t(), chits_barred=True, reserve_okh=True)
    bench.stand({HQ2: "0305"}, turn=2)
    bench.jump("turn", "command_selection")
    for army in (31, 49, 32, 33, 5, 10):
        assert bench.refused("soviet", "choose", f"chit.su.{army}a").rule == "15.3"
    bench.do("soviet", "choose", "chit.su.13a", "chit.su.16a", "chit.su.1s", "chit.su.reinf", "chit.su.reserve")
    assert bench.happened(ChitsChosen)[0].count == 5


def test_supply_cannot_be_chosen_nor_left_out() -> None:
    """6.2(3) SUPPLY is nobody's to choose and goes in besides: five and five chosen make a cup of eleven."""
    bench = Bench(board_t(), seed=2)
    bench.stand({HQ2: "0305"}, turn=3)
    bench.jump("turn", "command_selection")
    assert bench.refused("soviet", "choose", "chit.supply").rule == "6.2"
    bench.do("soviet", "choose", "chit.su.13a", "chit.su.16a", "chit.su.19a", "chit.su.20a", "chit.su.22a")
    bench.do("axis", "choose", "chit.ax.2a", "chit.ax.3pza.1", "chit.ax.3pza.2", "chit.ax.4a", "chit.ax.9a")
    assert len(bench.happened(ChitDrawn)) >= 1
    assert len(contents(bench.state)) + len(bench.state.cup.drawn) == 11


def test_two_commands_of_one_panzer_army() -> None:
    """2.22-1, 7.3(2), 8.1(2), 8.1(3) Guderian against 2PzA's own chit: the same division moves on each of the two activations."""
    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, places={PZ: "0304"})
    draw(bench, "chit.ax.2pza")
    go(bench)
    bench.do("axis", "use")
    bench.do("axis", "move", PZ, "0303")
    assert bench.refused("axis", "move", PZ, "0302").rule == "8.1(3)"
    draw(bench, "chit.ax.2pza")
    bench.do("axis", "done")
    assert [event.hq for event in bench.happened(Activated)] == [HQ2]
    bench.do("axis", "move", PZ, "0302")
    assert bench.hexes(PZ) == ("0302",)


def test_the_interrupt_stops_a_reinforcement_command() -> None:
    """7.3(1), R-15 1, 2 SOVIET REINF sent back brings nobody yet; drawn again it does."""
    bench = table(("chit.ax.2pza", GUDERIAN), ("chit.su.reinf",), kept=True, drawn=("chit.ax.2pza",))
    draw(bench, "chit.su.reinf")
    go(bench)
    bench.do("axis", "use")
    assert not bench.happened(IntakeOpened) and bench.state.intake is None
    draw(bench, "chit.su.reinf")
    bench.draws(0)
    bench.do("axis", "done")
    assert [event.side for event in bench.happened(IntakeOpened)] == ["soviet"]


def test_the_interrupt_against_the_last_chit() -> None:
    """7.3(1), 7.3(3), R-15 4 SUPPLY, last in the cup, goes back and is drawn again; it is executed once, and the turn ends with no last
    chance, for Guderian is spent."""
    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, drawn=("chit.ax.2pza",))
    draw(bench, "chit.supply")
    bench.jump("play", "turn", "executions")
    bench.do("axis", "use")
    assert bench.happened(Interrupted) == [Interrupted("chit.supply")] and not bench.happened(SupplyChecked)
    draw(bench, "chit.supply")
    bench.do("axis", "done")
    assert len(bench.happened(SupplyChecked)) == 1
    bench.do("axis", "done")  # nobody is lifted
    assert bench.state.turn == 4


def test_no_last_chance_without_the_hq() -> None:
    """7.3(3), R-15 5, 6 HQ 2PzA was lost this turn: Guderian in hand cannot be used, nobody is asked, the turn ends."""
    bench = table(("chit.ax.2pza", GUDERIAN), kept=True, drawn=("chit.ax.2pza", "chit.supply"))
    bench.stand({INF: "0305"}, turn=3, boxes={HQ2: "box.available.axis"})
    bench.jump("play", "turn", "executions")
    assert bench.state.turn == 4
    assert not any(type(event) is ChitSpent for event in bench.events)


def test_guderian_after_his_hq_came_back_in_the_same_turn() -> None:
    """7.3(1), 13.0(4), R-15 5 With HQ 2PzA in the box a draw cannot be interrupted; AXIS REINF brings it back, and the next draw can."""
    pack = board_t(rails=("0110 0210 0310",))
    bench = Bench(pack, seed=3)
    bench.stand({"ax.inf.5": "0510"}, turn=3, boxes={HQ2: "box.available.axis"})
    bench.chits(("chit.ax.reinf", GUDERIAN), ("chit.su.20a",), kept=True)
    draw(bench, "chit.ax.reinf")
    go(bench)
    assert bench.options("axis", "place") == (HQ2,)
    draw(bench, "chit.su.20a")
    bench.do("axis", "place", HQ2, "0210")
    assert bench.asked() == {"axis": "prompt.typhoon.interrupt"}
    assert bench.options("axis") == ("use", "pass")


def test_an_hq_placed_this_turn_answers_its_chit() -> None:
    """R-14, 13.0(2), 13.0(4), 12.2 5A comes in by SOVIET REINF; its chit, drawn afterwards in the same turn, activates it."""
    rails = (column(10, 1, 8), "0120 0220")
    bench = Bench(board_t(sources=(source("axis", "0120"), source("soviet", "1001")), rails=rails), seed=3)
    bench.stand({}, turn=3, boxes={"su.hq.5a": "box.available.soviet"})
    bench.chits((), ("chit.su.5a", "chit.su.reinf"))
    draw(bench, "chit.su.reinf")
    go(bench)
    draw(bench, "chit.su.5a")
    bench.do("soviet", "place", "su.hq.5a", "1004")
    assert [event.hq for event in bench.happened(Activated)] == ["su.hq.5a"]


def test_the_axis_reinforcement_chit_on_turn_1_brings_nobody() -> None:
    """12.2(1), R-34 GER Reinf is 0 on turn 1: the chit is drawn and spent, nobody is asked, the box stays as it is."""
    bench = Bench(real_pack(), seed=4)
    bench.stand({}, turn=1, boxes={"ax.sec.221": "box.available.axis"})
    bench.jump("set_up_first", Frame("reinforcements", ("axis",)))
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}
    assert not bench.happened(Placed) and bench.hexes("ax.sec.221") == ("box.available.axis",)


# --- 8.0


def test_activated_units_fight_beyond_the_range() -> None:
    """8.2(1), 8.2(3), 10.1(2) A panzer division four hexes from its HQ moves three more and attacks there; one out of range when the chit
    came neither moves nor joins the attack, though it stands beside the target."""
    bench = table(("chit.ax.2pza",), places={PZ: "0705", INF: "1103", R3: "1104"}, turn=1)
    draw(bench, "chit.ax.2pza")
    go(bench)
    assert bench.refused("axis", "move", INF, "1102").rule == "8.2(2)"
    bench.do("axis", "move", PZ, "0804", "0904", "1004")
    bench.do("axis", "done")
    assert bench.refused("axis", "attack", "1104", INF).rule == "10.1(2)"
    bench.dice(3)
    draw(bench, "chit.supply")
    bench.do("axis", "attack", "1104", PZ)
    assert [(event.column, event.result) for event in bench.happened(Fought)] == [("2-1", "-")]


# --- 9.0


def test_a_road_into_a_zone_and_out_again() -> None:
    """9.2(1)4, 9.2(2), R-48 Along a road through deep forest past an enemy: 1 + 2 into his zone, 1 + 2 out of it: 6 of a panzer's 8; on to
    the other hex he watches it is 1 + 2, then 1 + 4: all 8."""
    rows = dict.fromkeys(("1009", "1008", "0909"), "F")
    bench = mover({PZ: "1010", R3: "1109"}, PZ, rows=rows, roads=("1010 1009 0909", "1009 1008"))
    assert left(bench, "axis", "move", PZ, "1009") == "5"
    assert left(bench, "axis", "move", PZ, "1009", "0909") == "2"
    assert left(bench, "axis", "move", PZ, "1009", "1008") == "0"


def test_swamp_beyond_a_river_in_a_zone() -> None:
    """9.2(1)3, 9.2(2), 9.2(4)2 Swamp 3, river 1, EZOC 2: 6 of a panzer's 8; infantry 2 + 1 + 2 = 5 of 5; a rifle division has 4."""
    board: dict[str, Any] = {"rivers": {"minor": "1009-1010"}, "rows": {"1009": "s"}}
    assert left(mover({PZ: "1010", R3: "1008"}, PZ, **board), "axis", "move", PZ, "1009") == "2"
    assert left(mover({INF: "1010", R3: "1008"}, INF, **board), "axis", "move", INF, "1009") == "0"
    rifle = mover({R3: "1010", INF: "1008"}, R3, side="soviet", **board)
    assert rifle.refused("soviet", "move", R3, "1009").rule == "9.2(1)"


def test_a_railway_bridge_is_no_road() -> None:
    """R-11, 9.3(1)3 A railway takes the river's point off but not the forest's: a panzer pays 3 into deep forest, by road it would be 1."""
    board: dict[str, Any] = {"rivers": {"minor": "1009-1010"}, "rows": {"1009": "F"}, "bridges": "1009-1010"}
    rail = mover({PZ: "1010"}, PZ, rails=("0110 0210", "1010 1009"), **board)
    assert left(rail, "axis", "move", PZ, "1009") == "5"
    road = mover({PZ: "1010"}, PZ, roads=("1010 1009",), **board)
    assert left(road, "axis", "move", PZ, "1009") == "7"
    mud = mover({PZ: "1010"}, PZ, roads=("1010 1009",), turn=4, **board)
    assert left(mud, "axis", "move", PZ, "1009") == "5"  # 14.1.1: road lost, bridge kept


def test_two_roads_side_by_side_are_not_joined() -> None:
    """9.2(1)4, 9.3(1)1 From one road hex to a neighbouring road hex that no road joins costs its terrain, and no march goes there."""
    board: dict[str, Any] = {"roads": ("1010 1009 1008", "1110 1109 1108"), "rows": {"1110": "F"}}
    bench = mover({PZ: "1010"}, PZ, **board)
    assert left(bench, "axis", "move", PZ, "1110") == "5"
    assert bench.refused("axis", "move", PZ, "march", "1110").rule == "9.3(1)"


@pytest.mark.parametrize(
    ("unit", "side", "halved"), [(R3, "soviet", ()), (R3, "soviet", (R3,)), (INF, "axis", ()), (CAV, "soviet", (CAV,))]
)
def test_a_major_river_costs_the_allowance_whatever_it_is(unit: str, side: str, halved: tuple[str, ...]) -> None:
    """9.2(3), R-11, R-42 From an EZOC to a clear bank of deep forest the crossing takes the whole allowance, be it 5, 4, 3 or 2: terrain
    and zone are not added, so a RESERVE unit on half of 4 can make it."""
    enemy = INF2 if side == "soviet" else R3B
    bench = Bench(board_t(rivers={"major": "1009-1010"}, rows={"1009": "F"}))
    bench.stand({unit: "1010", enemy: "1011"})
    bench.activate(side, unit, halved=halved)
    assert left(bench, side, "move", unit, "1009") == "0"
    bench.do(side, "move", unit, "1009")
    assert bench.hexes(unit) == ("1009",)


def test_from_a_clear_bank_into_a_zone() -> None:
    """9.2(3)2, R-11 Only zone to zone is forbidden: from a clear bank the crossing into an EZOC is legal for a rifle division of 4."""
    bench = mover({R3: "1010", INF: "1008"}, R3, side="soviet", rivers={"major": "1009-1010"}, rows={"1009": "s"})
    bench.do("soviet", "move", R3, "1009")
    assert bench.hexes(R3) == ("1009",)


def test_a_bridge_in_mid_move() -> None:
    """9.2(3)3, R-11 Over a bridged major river a panzer division goes in the middle of its move and on: 3 plain hexes, 5 points left."""
    bench = mover({PZ: "1011"}, PZ, rivers={"major": "1009-1010"}, bridges="1009-1010", rails=("0110 0210", "1010 1009"))
    assert left(bench, "axis", "move", PZ, "1010", "1009", "1008") == "5"


@pytest.mark.parametrize(("turn", "unit", "side", "cost"), [(4, PZ, "axis", 1), (9, PZ, "axis", 5), (9, "su.mot.107", "soviet", 3)])
def test_between_big_cities_in_bad_weather(turn: int, unit: str, side: str, cost: int) -> None:
    """R-04, 14.1.1, 14.1.3 With the roads lost a big city still costs 1 and the major river between two of them is bridged: 1 in mud; zone
    to zone in snow 1 + 4 for the Axis, 1 + 2 for the Soviets."""
    cities = (place("1010", kind="big_city", owner=side), place("1009", kind="big_city", owner=side))
    standing = {unit: "1010"}
    if cost > 1:
        standing[R3 if side == "axis" else INF] = "1110"
    bench = mover(standing, unit, turn=turn, side=side, places=cities, rivers={"major": RING}, rows={"1009": "F", "1010": "F"})
    allowance = bench.state.data.types[unit].move // 2
    assert left(bench, side, "move", unit, "1009") == str(allowance - cost)


def test_march_out_of_one_city_through_another_onto_a_road() -> None:
    """R-04, R-18, 14.1.2 In frost a march runs from one big city to the next, no road printed, and on along the road: 4 hexes for 2."""
    cities = (place("1010", kind="big_city", owner="axis"), place("1009", kind="big_city", owner="axis"))
    bench = mover({INF: "1010"}, INF, turn=6, places=cities, roads=("1009 1008 1007 1006",), rivers={"minor": "1009-1010"})
    assert left(bench, "axis", "move", INF, "march", "1009", "1006") == "3"


def test_no_march_whose_first_road_hex_is_watched() -> None:
    """9.3(1)2 Both road hexes beside the marcher lie in EZOC: march is not offered, and refused with 9.3(1)."""
    bench = mover({INF: "1010", R3: "1109", R3B: "1112"}, INF, roads=(column(10, 12, 8),))
    assert "march" not in bench.options("axis", "move", INF)
    assert bench.refused("axis", "move", INF, "march").rule == "9.3(1)"


def test_soviet_cavalry_in_snow() -> None:
    """14.1.3-3, 9.2(1)3 Zone to zone over a river into plain: 1 + 1 + 1 + 1 = 4 of 6; a second such step (3) is too much for the 2 left."""
    bench = mover({CAV: "1010", INF: "1110"}, CAV, turn=8, side="soviet", rivers={"minor": "1009-1010"})
    assert left(bench, "soviet", "move", CAV, "1009") == "2"
    further = mover({CAV: "1010", INF: "1110", INF2: "1108"}, CAV, turn=8, side="soviet", rivers={"minor": "1009-1010"})
    assert further.refused("soviet", "move", CAV, "1009", "1008").rule == "9.2(1)"


@pytest.mark.parametrize(("unit", "side", "rest"), [("ax.hq.2a", "axis", "0"), ("su.hq.22a", "soviet", "2")])
def test_headquarters_in_snow(unit: str, side: str, rest: str) -> None:
    """14.1.3-3, R-38 The relief is for Soviet HQs too, never for German ones: 1 + 1 + 1 = 3 against 1 + 2 + 2 = 5, of 5 each."""
    enemy = R3 if side == "axis" else INF
    bench = mover({unit: "1010", enemy: "1110"}, unit, turn=8, side=side)
    assert left(bench, side, "move", unit, "1009") == rest


def test_plain_under_a_town_in_mud() -> None:
    """R-37, 14.1.1 A panzer pays 2 into a town on plain, 1 into a big city on plain, 3 into a swamp; infantry 1, 1, 2."""
    places = (place("1009", owner="axis"), place("1110", kind="big_city", owner="axis"))
    bench = mover({PZ: "1010", INF: "1010"}, PZ, INF, turn=3, places=places, rows={"0910": "s"})
    assert [left(bench, "axis", "move", PZ, name) for name in ("1009", "1110", "0910")] == ["6", "7", "5"]
    assert [left(bench, "axis", "move", INF, name) for name in ("1009", "1110", "0910")] == ["4", "4", "3"]


def test_a_panzer_across_country_in_frost() -> None:
    """14.1.2, R-37 Off the road plain costs it 2: four hexes; along the road 1: eight; marching a half: sixteen."""
    bench = mover({PZ: "1019"}, PZ, turn=7, roads=(column(10, 19, 1),))
    assert {"1011"} <= bench.reach("axis", "move", PZ) and "1010" not in bench.reach("axis", "move", PZ)
    assert "1003" in bench.reach("axis", "move", PZ, "march") and "1002" not in bench.reach("axis", "move", PZ, "march")
    country = mover({PZ: "1019"}, PZ, turn=7)
    assert "1015" in country.reach("axis", "move", PZ) and "1014" not in country.reach("axis", "move", PZ)
