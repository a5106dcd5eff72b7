"""Worked by hand from the rule book, chapters 10 to 15: supply, reinforcements and boxes, HQs, the pocket, points, the variants."""

import pytest

from engine.games.victory_lost.command import available, needed
from engine.games.victory_lost.events import HqRemoved, Overrun
from engine.games.victory_lost.headquarters import must_reset, reset_hexes
from engine.games.victory_lost.reinforcements import entry_hexes, usable_railways
from engine.games.victory_lost.supply import in_supply
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANK, TANKS, attack, column, combat, declared, happened
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack, source
from tests.rules.victory_lost.test_08_movement import ROAD
from tests.rules.victory_lost.test_10_supply import WALL, phase

RIFLE = "su.rifle.1"
AROUND = ("1009", "1110", "1111", "1011", "0911", "0910")


def names(bench: Bench, hexes: tuple[int, ...]) -> set[str]:
    """Printed ids."""
    return set(bench.state.data.board.grid.names(hexes))


# --- 10.0 supply ------------------------------------------------------------------------------------------------------------


def test_R_33_R_34_the_check_comes_before_the_resets() -> None:
    """R-34: A lone Soviet HQ in the only gap cuts two Germans off and is cut off by them: all three are out of supply; the HQ resets, and
    the Germans stay out of supply though the gap is free again."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({GERMAN: "0609", "ax.inf.294": "0610", "su.hq.6a": "0510"})
    phase(bench)
    assert [bench.state.counters[name].supply for name in (GERMAN, "ax.inf.294", "su.hq.6a")] == [1, 1, 1]
    assert bench.asked() == {"soviet": "prompt.victory_lost.reset"}
    bench.do("soviet", "reset", bench.options("soviet", "reset")[0])

    assert bench.state.counters[GERMAN].supply == 1
    assert bench.state.counters["su.hq.6a"].supply == 0
    assert in_supply(bench.state, GERMAN)


def test_10_3_the_hq_leaves_and_its_units_stay_behind() -> None:
    """10.3, 10.1.3: HQ and division behind a closed gap: the HQ resets, the division is out of supply and next turn surrounded."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.hq.4pza": "1010", PANZER: "1010", RIFLE: "0510"})
    phase(bench)
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.state.counters[PANZER].supply == 1
    phase(bench)

    assert bench.state.counters[PANZER].supply == 2
    assert bench.state.counters["ax.hq.4pza"].supply == 0


def test_10_1_2_a_chain_of_zones_with_friends_in_it() -> None:
    """10.1.2, R-33: Every hex of the line lies in a Soviet zone; friends stand in the first two, the third is empty: closed; an HQ there
    opens it."""
    bench = Bench(board_t(rows=WALL))
    places = {PANZER: "0809", GERMAN: "0710", "ax.inf.294": "0609", RIFLE: "0610"}
    bench.stand(places)
    assert all(bench.state.field.in_enemy_zone("axis", bench.state.data.hex(hex_id)) for hex_id in ("0710", "0609", "0510"))
    assert not in_supply(bench.state, PANZER)

    bench.stand({**places, "ax.hq.r3a": "0510"})
    assert in_supply(bench.state, "ax.hq.r3a")
    assert in_supply(bench.state, PANZER)


def test_10_1_2_a_lone_enemy_hq_on_the_source() -> None:
    """R-33: The source hex passes the same tests: a lone enemy HQ in it closes it; a second source serves."""
    bench = Bench()
    bench.stand({GERMAN: "1010", "su.hq.6a": "0110"})
    assert not in_supply(bench.state, GERMAN)

    bench = Bench(board_t(sources=(source("axis", "0110"), source("axis", "0120"), source("soviet", "2010"))))
    bench.stand({GERMAN: "1010", "su.hq.6a": "0110"})
    assert in_supply(bench.state, GERMAN)


def test_10_1_2_a_unit_across_the_don_from_its_source() -> None:
    """10.1.2, R-33: On the far bank of an unbridged river a unit is out of supply even next to supplied friends."""
    river = "0911-1010 0910-1010 1009-1010 1010-1110 1010-1111 1010-1011"
    bench = Bench(board_t(rivers={"major": river}))
    bench.stand({PANZER: "1010", GERMAN: "0910"})

    assert in_supply(bench.state, GERMAN)
    assert not in_supply(bench.state, PANZER)


def test_10_2_2_out_of_supply_moves_and_defends_in_full() -> None:
    """10.2.2, 10.2.3: Out of supply: 7 points and defence 4; surrounded: 3 points and defence 2; attacks 3 in both."""
    for supply, points, defence in ((1, 14, 4), (2, 6, 2)):
        bench = combat({TANK: "1010", ITALIAN: "1110"}, supply={TANK: supply})
        assert bench.state.allowance(TANK) == points
        attack(bench, 1, "1110", TANK)
        assert declared(bench).attack == 3

        bench = combat({TANK: "1010", PANZER: "1110"}, side="axis", supply={TANK: supply})
        attack(bench, 1, "1010", PANZER, side="axis")
        assert declared(bench).defence == defence


# --- 11.1 reinforcements by rail --------------------------------------------------------------------------------------------


def test_11_1_1_a_unit_just_placed_cuts_the_other_sides_railway() -> None:
    """11.1.1, R-35: One railway joins both sources. The Axis places first, far up the line; its zone leaves the Soviets two hexes."""
    bench = Bench(board_t(rails=(ROAD,), sources=(source("axis", "0110"), source("soviet", "1910"))))
    bench.stand({}, turn=8, boxes={"ax.inf.39": "arriving", "su.rifle.19": "arriving"})
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")
    assert "1809" in bench.options("axis", "place", "ax.inf.39")
    bench.do("axis", "place", "ax.inf.39", "1609")

    # 1710 is in the zone of 1609
    assert bench.asked() == {"soviet": "prompt.victory_lost.place"}
    assert set(bench.options("soviet", "place", "su.rifle.19")) == {"1809", "1910"}
    refusal = bench.refused("soviet", "place", "su.rifle.19", "1710")
    assert refusal.rule == "11.1.1"


def test_5_0_4_stacking_at_placement() -> None:
    """5.0.4, 5.0.1, 5.0.3: On the rails stand a Romanian, two Germans, and an HQ: which hexes are left for whom."""
    bench = Bench(board_t(rails=("0110 0209 0310 0409",)))
    places = {"ax.ro.5": "0110", GERMAN: "0209", "ax.inf.294": "0209", "ax.hq.r3a": "0310"}
    arriving = {"ax.panzer.19": "arriving", "ax.hq.kempf": "arriving", "ax.hu.6": "arriving"}
    bench.stand(places, turn=5, boxes=arriving)

    assert names(bench, entry_hexes(bench.state, "ax.panzer.19")) == {"0110", "0310", "0409"}
    assert names(bench, entry_hexes(bench.state, "ax.hq.kempf")) == {"0110", "0209", "0409"}
    assert names(bench, entry_hexes(bench.state, "ax.hu.6")) == {"0409"}


def test_11_1_1_an_hq_takes_a_city_and_is_removed() -> None:
    """11.1.1, R-41, 11.3: 3TkA is placed in an Axis city behind the front: 5 points change hands; with no unit in range at the end of
    the segment the HQ is removed with its chit; the city stays Soviet."""
    bench = Bench(board_t(rails=("2010 1910 1810",), places=(city("1910"),)))
    bench.stand({}, turn=8, boxes={"su.hq.3tka": "arriving"})
    bench.jump("set_up_first", "reinforcement_segment", "place_soviet")
    bench.do("soviet", "place", "su.hq.3tka", "1910")

    assert bench.hexes("su.hq.3tka") == ("removed",)
    assert bench.state.control[bench.state.data.hex("1910")] == "soviet"
    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_11_1_3_an_hq_that_cannot_enter_brings_no_chit() -> None:
    """11.1.3, 11.1.2, R-36: Kempf cannot enter on turn 5: removed, no points; its chit is not received, the second Manstein chit is."""
    bench = Bench(board_t(rails=("0110 0209",)))
    bench.stand({RIFLE: "0110"}, turn=5, boxes={"ax.hq.kempf": "arriving"})
    before = dict(bench.state.score)
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")

    assert bench.hexes("ax.hq.kempf") == ("removed",)
    assert "chit.ax.kempf" not in bench.state.cup.stock["axis"]
    assert "chit.ax.manstein.2" in bench.state.cup.stock["axis"]
    assert dict(bench.state.score) == before


def test_11_1_3_14_0_2_lost_reinforcements_decide_the_victory_check_of_their_turn() -> None:
    """11.1.3, 14.0.2, R-50: Soviet 32, Axis 5; two panzer divisions cannot enter: 38 to 5, and the check of the same turn ends the game."""
    bench = Bench(board_t(rails=("0110 0209",)))
    bench.stand({RIFLE: "0110"}, turn=8, boxes={"ax.panzer.19": "arriving", "ax.panzer.7": "arriving"})
    bench.change(score={"axis": 5, "soviet": 32})
    bench.jump("turn", "end_phase", "reinforcement_segment", "place_axis")

    assert bench.state.score == {"axis": 5, "soviet": 38}
    assert bench.state.result == ("soviet", "lead")


def test_R_36_placing_is_not_voluntary() -> None:
    """R-36: While a reinforcement can be placed the only verb is to place it."""
    bench = Bench(board_t(rails=("0110 0209",)))
    bench.stand({}, turn=8, boxes={"ax.inf.39": "arriving", "ax.inf.106": "arriving"})
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")

    assert bench.options("axis") == ("place",)
    assert bench.refused("axis", "done").rule == "11.1.1"


# --- 11.2 boxes -------------------------------------------------------------------------------------------------------------


def entering(**places: str) -> Bench:
    """The 28th Army's first activation: a rifle division and its HQ in the box, entry by 1720 and 1820."""
    bench = Bench(board_t(roads=("1820 1819 1818 1817 1816 1815 1814",)))
    box = {"su.rifle.34g": "box.28a", "su.hq.28a": "box.28a"}
    bench.stand({name.replace("_", "."): hex_id for name, hex_id in places.items()}, turn=2, boxes=box)
    bench.activate("soviet", "su.rifle.34g", "su.hq.28a", box="box.28a")
    return bench


def test_R_37_entry_into_a_zone() -> None:
    """R-37, 8.2.1: 1720 is in a German's zone: 1 + 2 of 4 points, and the one left does not leave it; 1820 costs 1, three are left."""
    bench = entering(ax_inf_62="1719")
    assert bench.options("soviet", "move", "su.rifle.34g", "1720") == ()
    assert bench.refused("soviet", "move", "su.rifle.34g", "1720", "1820").rule == "8.1.2"
    events = bench.do("soviet", "move", "su.rifle.34g", "1820")

    assert (events[0].path, events[0].left) == (("box.28a", "1820"), 6)


def test_11_2_2_after_the_entry_hex_refusals_speak_of_the_way() -> None:
    """11.2.2: A hex beside no box is no entry; a hex beyond one's points after a good entry is refused for the points (8.1.2)."""
    bench = entering()

    assert bench.refused("soviet", "move", "su.rifle.34g", "1710").rule == "11.2.2"
    assert bench.refused("soviet", "move", "su.rifle.34g", "1720", "1710").rule == "8.1.2"
    assert bench.refused("soviet", "move", "su.rifle.34g", "road", "1720").rule == "8.3.1"


def test_11_2_2_an_enemy_in_an_entry_hex() -> None:
    """5.0.2: An enemy unit in the entry hex bars it: the refusal is about him, not about the box."""
    bench = entering(ax_inf_62="1720")

    assert bench.refused("soviet", "move", "su.rifle.34g", "1720").rule == "5.0.2"


def test_11_2_2_strategic_entry_and_on_along_the_road() -> None:
    """11.2.2, 8.3.1: By road into 1820 for half a point and on, 8 hexes in all: to the road's end, 7 of them on it."""
    bench = entering()
    events = bench.do("soviet", "move", "su.rifle.34g", "road", "1820", "1814")

    assert (events[0].path[-1], events[0].left) == ("1814", 1)


def test_12_1_an_hq_in_the_entry_hex_is_overrun_by_the_unit_only() -> None:
    """12.1, 11.2.2: A lone German HQ in 1720: the rifle division enters, overruns it, and goes on; 28A's HQ may not enter there."""
    bench = entering(ax_hq_4pza="1720")
    assert bench.refused("soviet", "move", "su.hq.28a", "1720").rule == "12.1"
    bench.do("soviet", "move", "su.rifle.34g", "1720")
    assert len(happened(bench, Overrun)) == 1
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    bench.do("soviet", "on", "1717")

    assert bench.hexes("su.rifle.34g") == ("1717",)


def test_R_37_the_box_fights_on_the_turn_it_enters() -> None:
    """R-37: Having entered, the division attacks in the Combat Step of the same activation."""
    bench = entering(ax_it_rav="1718")
    bench.do("soviet", "move", "su.rifle.34g", "1720", "1719")
    bench.do("soviet", "move", "su.hq.28a", "1820")
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    attack(bench, 1, "1718", "su.rifle.34g")

    assert column(bench) == "2-1"


def test_R_37_no_entry_but_through_the_enemy() -> None:
    """R-37, R-36: Both entry hexes in zones and held: the panzer divisions of the box score as lost, 1PzA is removed with its chit."""
    bench = Bench()
    box = dict.fromkeys(("ax.hq.1pza", "ax.panzer.3", "ax.inf.50"), "box.1pza")
    bench.stand({RIFLE: "0320", "su.rifle.153": "0420"}, turn=5, boxes=box)
    bench.activate("axis", *box, box="box.1pza", chit="chit.ax.1pza")

    assert bench.hexes(*box) == ("removed", "eliminated", "eliminated")
    assert bench.state.score["soviet"] == 4


# --- 12.0 HQs ---------------------------------------------------------------------------------------------------------------


def test_R_18_two_sources() -> None:
    """R-18: Sources west and north of 1010, both nine hexes away: a hex counts by the source that it would use itself: 0610 by the
    western, 1006 by the northern; 1014 is further from both, and 1410 too."""
    bench = Bench(board_t(sources=(source("axis", "0110"), source("axis", "1001"), source("soviet", "2010"))))
    bench.stand({"ax.hq.4pza": "1010", TANK: "1010"})
    found = names(bench, reset_hexes(bench.state, "ax.hq.4pza"))

    assert {"0610", "1006"} <= found
    assert not {"1014", "1410"} & found


def test_12_7_an_hq_on_its_source_has_nowhere_nearer() -> None:
    """12.7, R-19: Overrun on the supply source itself no hex is nearer to it: the HQ is set aside and its chit stays."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "0110", TANK: "0310"})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "0110")

    assert bench.hexes("ax.hq.4pza") == ("aside",)
    assert "chit.ax.4pza" in available(bench.state, "axis")


def test_13_0_no_reset_into_the_pocket() -> None:
    """R-19, R-39: Through turn 4 the pocket hex 0610 is not among the hexes of a reset; from turn 5 it is."""
    for turn, there in ((4, False), (5, True)):
        bench = Bench(board_t(pocket="0610"))
        bench.stand({"ax.hq.4pza": "1010", TANK: "1010"}, turn=turn)
        assert ("0610" in names(bench, reset_hexes(bench.state, "ax.hq.4pza"))) is there


def test_12_7_11_3_a_reset_hq_without_units_is_removed_at_the_end_of_the_turn() -> None:
    """12.7, 11.3, R-08: Reset out of reach of its units and nobody comes: it leaves with its chit, and the Axis has one chit fewer."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", PANZER: "1710", TANK: "1010"}, turn=8)
    before = len(available(bench.state, "axis"))
    bench.run(lambda table: must_reset(table, "ax.hq.4pza"))
    bench.jump("set_up_first", *bench.position.flow[-1:])
    bench.do("axis", "reset", "0610")
    assert len(available(bench.state, "axis")) == before
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")

    assert bench.hexes("ax.hq.4pza") == ("removed",)
    assert len(available(bench.state, "axis")) == before - 1
    assert needed(bench.state, "axis", 6) == min(5, before - 1)


def test_11_3_both_sides_on_one_position() -> None:
    """11.3, 7.3.4: A unit beyond a river's far bank is not in range: the Soviet HQ goes, and with it the Axis HQ that has nobody."""
    line = " ".join(f"10{row:02}-11{row:02} 10{row:02}-11{row + 1:02}" for row in range(1, 20)) + " 1020-1120"
    bench = Bench(board_t(rivers={"major": line}))
    bench.stand({"su.hq.6a": "1010", RIFLE: "1210", "ax.hq.r3a": "1510", ITALIAN: "1511"}, turn=8)
    events = bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert [event.hq for event in events if isinstance(event, HqRemoved)] == ["ax.hq.r3a", "su.hq.6a"]

    bench.stand({"su.hq.6a": "1010", RIFLE: "1110", "ax.hq.r3a": "1510", "ax.ro.5": "1511"}, turn=8)
    events = bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert not [event for event in events if isinstance(event, HqRemoved)]


# --- 13.0 the pocket --------------------------------------------------------------------------------------------------------


def test_13_0_the_railway_through_the_pocket() -> None:
    """13.0, 11.1.1: Through turn 4 the chain ends before the pocket; from turn 5 it runs on."""
    for turn, hexes in ((4, {"2010"}), (5, {"2010", "1910", "1810"})):
        bench = Bench(board_t(rails=("2010 1910 1810",), pocket="1910"))
        bench.stand({}, turn=turn)
        assert names(bench, usable_railways(bench.state, "soviet")) == hexes


def test_13_0_the_pocket_opens_with_the_turn() -> None:
    """R-39: It is open when the chits of turn 5 are chosen, and closed to the end of turn 4's End Phase."""
    bench = Bench(board_t(pocket="1010"))
    bench.stand({GERMAN: "0910"}, turn=4)
    assert bench.state.field.closed(bench.state.data.hex("1010"))
    bench.jump("turn", "turn_start")

    assert bench.state.turn == 5
    assert not bench.state.field.closed(bench.state.data.hex("1010"))


# --- 14.0 points ------------------------------------------------------------------------------------------------------------


def test_R_43_a_lead_of_thirty_in_the_middle_of_a_turn() -> None:
    """R-43, 14.0.2: 34 to 5 and a city falls: 39 to 0, and play goes on until the Victory Check of the turn."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({TANK: "1010"}, turn=6)
    bench.change(score={"axis": 5, "soviet": 34})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1110")
    assert bench.state.score == {"axis": 0, "soviet": 39}
    assert bench.position.outcome is None
    bench.jump("turn", "end_phase", "victory_check")

    assert bench.state.result == ("soviet", "lead")


def test_14_0_2_the_check_of_turn_9_comes_before_the_last_count() -> None:
    """14.0.2, R-42: On turn 9 the Axis leads 35 to 5 with two panzer divisions cut off: it has won in the Victory Check."""
    bench = Bench()
    bench.stand({"ax.panzer.6": "1010", "ax.panzer.17": "1010"}, turn=9, supply={"ax.panzer.6": 1, "ax.panzer.17": 2})
    bench.change(score={"axis": 35, "soviet": 5})
    bench.jump("turn", "end_phase", "victory_check")

    assert bench.state.result == ("axis", "lead")
    assert bench.state.score == {"axis": 35, "soviet": 5}


def test_R_42_who_counts_at_the_end() -> None:
    """R-42, R-44: Cut off at the end: a tank corps 1 for the Axis; cavalry and rifles 0; a Luftwaffe division 1, an Italian motorised 0;
    1st Panzer Army in its box and an HQ set aside nothing."""
    bench = Bench()
    cut_off = {TANK: 2, RIFLE: 1, "su.cav.8": 2, "ax.lw.7": 1, "ax.it.pada": 2}
    places = {TANK: "1010", RIFLE: "1010", "su.cav.8": "1011", "ax.lw.7": "0510", "ax.it.pada": "0511"}
    bench.stand(places, turn=9, supply=cut_off, boxes={"ax.panzer.3": "box.1pza", "ax.hq.4pza": "aside"})
    bench.change(score={"axis": 20, "soviet": 20})
    bench.jump("set_up_first", "turn_advance")

    assert bench.state.score == {"axis": 21, "soviet": 21}
    assert bench.state.result == ("", "turns")


def test_15_0_1_a_five_points_wherever_a_panzer_division_falls() -> None:
    """15.0.1(a): Without a way out: 5 points; cut off at the end: 5; an infantry division 1 as ever."""
    ring = dict(zip((*TANKS, RIFLE, "su.rifle.107"), AROUND, strict=True))
    bench = combat({PANZER: "1010", **ring}, bench=Bench(panzer_points=5))
    attack(bench, 4, "1010", *TANKS)
    assert bench.state.score["soviet"] == 5

    bench = Bench(panzer_points=5)
    bench.stand({PANZER: "1010", GERMAN: "1011"}, turn=9, supply={PANZER: 1, GERMAN: 1})
    bench.change(score={"axis": 20, "soviet": 15})
    bench.jump("set_up_first", "turn_advance")
    assert bench.state.score == {"axis": 20, "soviet": 21}


def test_15_0_1_c_first_panzer_army_on_turn_5() -> None:
    """15.0.1(c): Turn 4 brings neither its counters nor its chit; turn 5 both."""
    for turn, where, chit in ((4, "to_come", False), (5, "box.1pza", True)):
        bench = Bench(board_t(rails=(ROAD,)), late_1pza=True, seed=1)
        bench.stand({GERMAN: "1010"}, turn=turn)
        bench.jump("set_up_first", "reinforcement_segment", "receive")
        while bench.asked() == {"axis": "prompt.victory_lost.place"}:
            name = bench.options("axis", "place")[0]
            bench.do("axis", "place", name, bench.options("axis", "place", name)[0])
        assert bench.hexes("ax.hq.1pza") == (where,)
        assert ("chit.ax.1pza" in bench.state.cup.stock["axis"]) is chit


# --- the map of the pack ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "defenders", "attack_", "defence", "expected"),
    [
        # Bataysk attacks Rostov over the Don: 12/2, and a mechanized corps from the north: 6 + 7 = 13 to 4, 3-1, less 2 for the city
        ({TANKS[0]: "3434", TANKS[1]: "3434", "su.mech.1g": "3432"}, (GERMAN,), 13, 4, "1.5-1"),
        # the same with a second division in the city: 13 to 9 is 1-1, less 2: no attack
        ({TANKS[0]: "3434", TANKS[1]: "3434", "su.mech.1g": "3432"}, (GERMAN, "ax.inf.336"), 13, 9, None),
    ],
)
def test_9_3_rostov(places: dict[str, str], defenders: tuple[str, ...], attack_: int, defence: int, expected: str | None) -> None:
    """9.3.1-9.3.4 on the map: Rostov (3433), a strategic city behind the Don (3433-3434)."""
    bench = combat({**places, **dict.fromkeys(defenders, "3433")}, bench=Bench(real_pack()))
    if expected is None:
        assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}
        return
    attack(bench, 1, "3433", *places)
    found = declared(bench)

    assert (found.attack, found.defence, column(bench)) == (attack_, defence, expected)
