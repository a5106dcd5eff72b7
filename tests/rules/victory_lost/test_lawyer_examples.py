"""Examples that stand between the others: the same clauses seen from another side, played through the door where there is one."""

from fractions import Fraction

import pytest

from engine.board.odds import odds, odds_name
from engine.games.victory_lost.odds import attack_strength, defence_strength
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANK, attack, column, combat, declared, lost
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack, source
from tests.rules.victory_lost.test_08_movement import DON, ROAD, cost

NORTH, NORTH_EAST, SOUTH_EAST, SOUTH, SOUTH_WEST, NORTH_WEST = "1009", "1110", "1111", "1011", "0911", "0910"


# --- odds and strengths -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("defence", range(1, 15))
def test_E03_9_3_2_every_ratio_against_fractions(defence: int) -> None:
    """9.3.2, R-21: the ladder read with fractions: 12:7 is 1.5-1, 5:2 is 2-1, and there is nothing between 2-1 and 3-1."""
    ladder = Bench().state.data.ladder
    for strength in range(1, 80):
        ratio = Fraction(strength, defence)
        if ratio < 1:
            expected = "under 1-1"
        elif ratio < Fraction(3, 2):
            expected = "1-1"
        elif ratio < 2:
            expected = "1.5-1"
        else:
            expected = f"{ratio.numerator // ratio.denominator}-1"
        assert odds_name(ladder, odds(ladder, strength, defence).start) == expected


def test_E07_9_3_4_an_attack_that_terrain_shifts_below_1_1_cannot_be_declared() -> None:
    """9.3.4, R-22: 3 : 2 against a town is 1-1; in a strategic city (two down) it is no attack, and the hex is not offered."""
    bench = combat({ITALIAN: "1010", "su.rifle.1": NORTH_EAST}, bench=Bench(board_t(places=[city("1010", kind="town")])))
    attack(bench, 4, "1010", "su.rifle.1")
    assert column(bench) == "1-1"

    bench = combat({ITALIAN: "1010", "su.rifle.1": NORTH_EAST}, bench=Bench(board_t(places=[city("1010")])))
    assert bench.asked() != {"soviet": "prompt.victory_lost.combat"}


def test_E11_9_3_5_a_defence_of_nothing_is_hit_on_the_last_column() -> None:
    """9.3.5: A surrounded unit of strength 1 in a town in rough, attacked by 1: column 10-1, no shift recorded."""
    pack = board_t(rows={"1010": "^"}, places=[city("1010", kind="town")])
    bench = combat({"ax.ro.1": "1010", "su.rifle.1": NORTH_EAST}, bench=Bench(pack), supply={"ax.ro.1": 2}, reduced=["su.rifle.1"])
    attack(bench, 1, "1010", "su.rifle.1")

    assert (declared(bench).attack, declared(bench).defence, declared(bench).shift, column(bench)) == (1, 0, 0, "10-1")
    assert lost(bench)[1] == ["ax.ro.1"]


def test_E15_1_3_add_before_dividing() -> None:
    """1.3, 9.3.1: Two surrounded defenders of 5 and 4 defend with 4, not with 2 + 2 and never with 5."""
    bench = combat({"ax.inf.336": "1010", GERMAN: "1010", TANK: NORTH_EAST}, supply={"ax.inf.336": 2, GERMAN: 2})

    assert defence_strength(bench.state, ("ax.inf.336", GERMAN)) == 4


def test_E19_9_3_1_different_divisors_in_one_hex_are_divided_apart() -> None:
    """R-20: In one hex a unit in supply and one out of it attack across a river: 6/2 and 3/4, each group rounded by itself."""
    bench = combat(
        {GERMAN: "1010", TANK: NORTH_EAST, "su.rifle.1": NORTH_EAST},
        bench=Bench(board_t(rivers={"minor": "1010-1110"}, bridges="1010-1110")),
        supply={"su.rifle.1": 1},
    )
    target = bench.state.data.hex("1010")

    assert attack_strength(bench.state, (TANK, "su.rifle.1"), target) == 3
    assert attack_strength(bench.state, (TANK,), target) == 3
    assert attack_strength(bench.state, ("su.rifle.1",), target) == 0


def test_E19_10_2_3_a_surrounded_unit_across_a_river_attacks_with_a_quarter() -> None:
    """9.3.1, 10.2.3: surrounded and across a river: 9/4 = 2."""
    bench = combat(
        {"ax.panzer.6": "1010", "su.rifle.1": NORTH_EAST},
        side="axis",
        bench=Bench(board_t(rivers={"major": "1010-1110"})),
        supply={"ax.panzer.6": 2},
    )

    assert attack_strength(bench.state, ("ax.panzer.6",), bench.state.data.hex("1110")) == 2


# --- movement ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("sign", "halves"), [(".", 2), ("^", 4), ("f", 4), ("%", 4)])
def test_E23_8_1_2_terrain(sign: str, halves: int) -> None:
    """8.1.2: clear 1 point, rough, woods and marsh 2; the hex left does not count."""
    legend = real_pack()["map"]["terrain"]["legend"]
    names = {"^": "rough", "f": "woods", "%": "marsh", ".": "clear"}
    written = next(key for key, name in legend.items() if name == names[sign])
    bench = Bench(board_t(rows={"1110": written}))
    bench.stand({TANK: "1010"})
    assert cost(bench, TANK, "1110") == halves
    bench.stand({TANK: "1110"})
    assert cost(bench, TANK, "1010") == 2


def test_E27_8_1_3_a_unit_must_start_at_that_very_hexside() -> None:
    """8.1.3, R-11: It need not be enough to have a river beside it: a unit one hex away may come up to the bank and no further; after
    a first hex along the bank it may not cross either. A bridge takes all this away."""
    bench = Bench(board_t(rivers={"major": DON}, bridges="1015-1115"))
    bench.stand({TANK: "0910"})
    bench.activate("soviet", TANK)
    reached = bench.reach("soviet", "move", TANK)
    assert "1010" in reached
    assert not {hex_id for hex_id in reached if hex_id >= "1101"} - {hex_id for hex_id in reached if int(hex_id[2:]) >= 12}

    bench.stand({TANK: "1014"})
    bench.activate("soviet", TANK)
    assert "1215" in bench.reach("soviet", "move", TANK)
    assert cost(bench, TANK, "1015", "1115", "1214") == 6


def test_E27_R_11_points_must_suffice_for_the_far_bank() -> None:
    """R-11, R-10: The far bank must be paid, its zone too: a surrounded rifle unit with 2 points stays on its own."""
    bench = Bench(board_t(rivers={"major": DON}))
    bench.stand({"su.rifle.1": "1010", GERMAN: "1210"}, supply={"su.rifle.1": 2})
    bench.activate("soviet", "su.rifle.1")

    assert bench.refused("soviet", "move", "su.rifle.1", "1110").rule == "8.1.2"


def test_E31_8_3_1_no_zone_on_the_way() -> None:
    """8.3.1: An enemy next to the road stops strategic movement before its zone, though the road goes on; friends there do not help."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({TANK: "0110", GERMAN: "0709", "su.rifle.1": "0609"})
    bench.activate("soviet", TANK)

    reached = bench.reach("soviet", "move", TANK, "road")
    assert "0510" in reached
    assert not {"0609", "0710", "0809"} & reached
    assert bench.refused("soviet", "move", TANK, "road", "0609").rule == "8.3.1"


# --- command and chits ------------------------------------------------------------------------------------------------------


def test_E35_7_3_3_the_hqs_own_hex_and_its_range() -> None:
    """7.3.3, R-09: Units with the HQ and up to its range are activated, one hex further not; other HQs never."""
    bench = Bench()
    bench.stand(
        {"su.hq.6a": "1010", "su.rifle.1": "1010", "su.rifle.153": "1014", "su.rifle.195": "1015", "su.hq.1gda": "1011", GERMAN: "1009"},
        turn=1,
    )
    bench.jump("set_up_first", "special_combat")
    events = bench.do("soviet", "activate", "su.hq.6a")

    assert events[0].tag == "activated"
    assert (events[0].hqs, events[0].units) == (("su.hq.6a",), ("su.rifle.1", "su.rifle.153"))


def test_E39_7_3_5_minor_hqs() -> None:
    """7.3.5: A Romanian HQ under Manstein activates Romanians and Germans, no Italians and Hungarians; a German one all."""
    from engine.games.victory_lost.command import in_range

    bench = Bench()
    units = {"ax.ro.5": "1011", "ax.inf.62": "1012", "ax.it.cos": "1009", "ax.hu.6": "0910"}
    bench.stand({"ax.hq.r3a": "1010", **units})
    assert in_range(bench.state, "ax.hq.r3a") == ("ax.inf.62", "ax.ro.5")

    bench.stand({"ax.hq.4pza": "1010", **units})
    assert in_range(bench.state, "ax.hq.4pza") == tuple(sorted(units))


# --- combat procedure -------------------------------------------------------------------------------------------------------


def test_E47_9_1_1_an_attacker_attacks_once_and_only_what_it_touches() -> None:
    """9.1.1, 9.1.3: The two units of one hex attack different hexes; the first, having attacked, cannot join the second attack."""
    bench = combat({GERMAN: NORTH_EAST, ITALIAN: NORTH_WEST, TANK: "1010", "su.tank.25": "1010"})
    attack(bench, 1, NORTH_EAST, TANK)
    assert bench.refused("soviet", "attack", NORTH_WEST, TANK).rule == "9.1.1"
    attack(bench, 1, NORTH_WEST, "su.tank.25")

    assert declared(bench).attackers == ("su.tank.25",)


def test_E51_9_4_1_a_result_of_A_hits_the_attackers() -> None:
    """9.4.1, 9.4.2: A2 on two attackers: their owner divides; on a single full unit it is eliminated and the Axis scores 1."""
    bench = combat({PANZER: "1010", TANK: NORTH_EAST, "su.rifle.1": NORTH_EAST})
    attack(bench, 1, "1010", TANK, "su.rifle.1")
    assert bench.asked() == {"soviet": "prompt.victory_lost.losses"}
    bench.do("soviet", "lose", "su.rifle.1", "su.rifle.1")
    assert lost(bench) == ([], ["su.rifle.1"])
    assert bench.state.score["axis"] == 25

    bench = combat({"ax.inf.336": "1010", TANK: NORTH_EAST})
    attack(bench, 1, "1010", TANK)
    assert lost(bench)[1] == [TANK]
    assert bench.state.score["axis"] == 26


# --- HQs --------------------------------------------------------------------------------------------------------------------


def test_E67_12_7_played_through() -> None:
    """12.7, R-16-R-18: A tank corps overruns the HQ in 1010 (source 0110): its owner may choose any of the eleven hexes four away that
    are straight nearer to the source, 0608 and 0609 by 0509 among them; then the mover goes on with its points."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1010")
    grid = bench.state.data.board.grid
    old, here = grid.at("1010"), grid.at("0110")
    expected = {grid.ids[i] for i in grid.ring(old, 4) if grid.distance(i, here) < grid.distance(old, here)}

    assert set(bench.options("axis", "reset")) == expected
    assert len(expected) == 11
    assert {"0608", "0609"} <= expected
    assert bench.refused("axis", "reset", "0509").rule == "12.7"
    assert bench.refused("axis", "reset", "1410").rule == "12.7"
    bench.do("axis", "reset", "0609")
    assert bench.asked() == {"soviet": "prompt.victory_lost.move_on"}
    bench.do("soviet", "on", "0910")
    assert bench.hexes("ax.hq.4pza", TANK) == ("0609", "0910")


def test_E67_12_7_2_along_supply_lines_where_the_old_hex_has_one() -> None:
    """R-18: An HQ that still has a line must come nearer along lines: behind a wall of water straight nearness is not enough."""
    wall = {f"05{row:02}": "~" for row in range(4, 21)}
    bench = Bench(board_t(rows=wall))
    bench.stand({"ax.hq.4pza": "0912", GERMAN: "0912"})
    from engine.games.victory_lost.headquarters import reset_hexes

    found = set(bench.state.data.board.grid.names(reset_hexes(bench.state, "ax.hq.4pza")))
    supply = bench.state.field.supply("axis")
    index = bench.state.data.board.grid.index
    assert found
    assert all(supply.distance(index[hex_id]) < supply.distance(index["0912"]) for hex_id in found)
    assert not any(hex_id.startswith("06") and int(hex_id[2:]) > 12 for hex_id in found)


def test_E71_12_3_the_hq_retreats_with_its_unit() -> None:
    """12.3, 12.2: The HQ takes no loss and goes along; nothing of it is left behind."""
    bench = combat({GERMAN: "1010", "ax.hq.hollidt": "1010", TANK: NORTH_EAST, "su.tank.25": SOUTH_EAST})
    attack(bench, 3, "1010", TANK, "su.tank.25")
    assert bench.asked() == {"axis": "prompt.victory_lost.retreat"}
    bench.do("axis", "retreat", GERMAN, NORTH_WEST)

    assert bench.hexes(GERMAN, "ax.hq.hollidt") == (NORTH_WEST, NORTH_WEST)


def test_E75_11_3_a_german_hq_stays_for_any_axis_unit_and_scores_nothing() -> None:
    """11.3, R-38: One Romanian in range keeps a German HQ; with none it goes, its chit with it, and no points are scored."""
    bench = Bench()
    bench.stand({"ax.hq.hollidt": "1010", "ax.ro.5": "1015"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.hollidt") == ("1010",)

    before = dict(bench.state.score)
    bench.stand({"ax.hq.hollidt": "1010", "ax.ro.5": "1017"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.hollidt") == ("removed",)
    assert bench.state.score == before


# --- supply -----------------------------------------------------------------------------------------------------------------


def test_E75_10_1_1_the_source_itself_must_be_free() -> None:
    """10.1.2, R-33: An enemy zone over the source closes it, unless a friendly counter stands there."""
    bench = Bench()
    bench.stand({GERMAN: "0510", "su.rifle.1": "0209"})
    assert not bench.state.field.supply("axis").reached(bench.state.data.hex("0510"))

    bench.stand({GERMAN: "0510", "ax.hq.hollidt": "0110", "su.rifle.1": "0308"})
    assert bench.state.field.supply("axis").reached(bench.state.data.hex("0510"))


def test_E79_10_1_2_rivers_and_supply() -> None:
    """10.1.2: An unbridged major river closes a line, a bridged one and a minor river do not."""
    for bridges, rivers, reached in (("", "major", False), ("1010-1110", "major", True), ("", "minor", True)):
        bench = Bench(board_t(rivers={rivers: DON}, bridges=bridges))
        bench.stand({GERMAN: "1510"})
        assert bench.state.field.supply("axis").reached(bench.state.data.hex("1510")) is reached


def test_E80_10_1_4_out_of_supply_through_the_whole_next_turn() -> None:
    """10.1.4: Marked on turn 3 and back on a line on turn 4, a unit still attacks at half until the check of turn 4."""
    bench = combat({TANK: NORTH_EAST, ITALIAN: "1010"}, turn=4, supply={TANK: 1})
    assert bench.state.field.supply("soviet").reached(bench.state.data.hex(NORTH_EAST))
    attack(bench, 1, "1010", TANK)
    assert declared(bench).attack == 3

    bench.jump("set_up_first", "supply_check")
    assert bench.state.counters[TANK].supply == 0


# --- reinforcements and victory ---------------------------------------------------------------------------------------------


def test_E83_11_1_1_a_reinforcement_takes_an_enemy_city() -> None:
    """11.1.1, 14.0.1: Placed in a city that the enemy holds but nobody stands in: 5 points change sides; an HQ placed there too."""
    for name, arrival in (("su.rifle.184", 2), ("su.hq.3tka", 2)):
        bench = Bench(board_t(rails=("2010 1910 1810",), places=(city("1910"),)))
        bench.stand({}, turn=arrival)
        bench.jump("set_up_first", "reinforcement_segment", "receive")
        while bench.asked() == {"axis": "prompt.victory_lost.place"}:
            counter = str(bench.options("axis", "place")[0])
            bench.do("axis", "place", counter, bench.options("axis", "place", counter)[0])
        before = dict(bench.state.score)
        bench.do("soviet", "place", name, "1910")
        assert bench.state.score == {"axis": before["axis"] - 5, "soviet": before["soviet"] + 5}


def test_E87_14_0_1_rostov() -> None:
    """14.0.1: Axis 26, Soviet 8; a Soviet unit enters an Axis city: 21 and 13, at once (R-50); taken back: 26 and 8."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({TANK: "1010", GERMAN: "1213"})
    bench.change(score={"axis": 26, "soviet": 8})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1110", "1109")
    assert bench.state.score == {"axis": 21, "soviet": 13}

    bench.stand({TANK: "1005", GERMAN: "1212"})
    bench.activate("axis", GERMAN, chit="chit.ax.4pza")
    bench.do("axis", "move", GERMAN, "1110")
    assert bench.state.score == {"axis": 26, "soviet": 8}


def test_E91_14_0_2_the_higher_score_at_the_end() -> None:
    """14.0.2, R-43: A lead of less than 30 after turn 9 wins too; equal scores are a draw."""
    for axis, soviet, winner in ((26, 25, "axis"), (10, 39, "soviet"), (25, 25, None)):
        bench = Bench()
        bench.stand({GERMAN: "1010"}, turn=9)
        bench.change(score={"axis": axis, "soviet": soviet})
        bench.jump("turn", "end_phase", "victory_check")
        assert bench.state.result is not None
        assert bench.state.result[1] == "turns"
        assert bench.position.outcome is not None
        assert bench.position.outcome.winner == winner


def test_E91_5_0_2_a_lone_hq_is_the_only_enemy_ever_entered() -> None:
    """5.0.2: A hex with an enemy unit is closed to movement even when an HQ stands there too; with the HQ alone it is open."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", GERMAN: "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    assert "1010" not in bench.reach("soviet", "move", TANK)
    bench.stand({"ax.hq.4pza": "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    assert "1010" in bench.reach("soviet", "move", TANK)


def test_E95_4_1_the_bridgehead_on_the_first_turn() -> None:
    """4.1, 9.3: From the historical set-up 1GdA's special combat reaches the bridgehead, and the attack of E93 is on offer there."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", seed=2)
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    events = bench.do("soviet", "activate", "su.hq.1gda")
    assert {"su.tank.18", "su.tank.25", "su.rifle.41g", "su.rifle.44g"} <= set(events[0].units)
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    assert "move" not in bench.options("soviet")


def test_E82_11_1_1_an_enemy_hq_alone_cuts_the_railway() -> None:
    """11.1.1, R-35: S-a-b-c with a lone enemy HQ in b: only S and a."""
    from engine.games.victory_lost.reinforcements import usable_railways

    bench = Bench(board_t(rails=("0110 0209 0310 0409",), sources=(source("axis", "0110"), source("soviet", "2010"))))
    bench.stand({"su.hq.6a": "0310"}, turn=2)

    assert set(bench.state.data.board.grid.names(usable_railways(bench.state, "axis"))) == {"0110", "0209"}
