"""Worked by hand from the rule book, chapter 9: strengths from several hexes, columns, losses divided, retreats and advances."""

import pytest

from engine.games.victory_lost.events import HqReset, Overrun
from engine.games.victory_lost.odds import attack_strength
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, PANZER, TANK, TANKS, attack, column, combat, declared, happened, lost
from tests.rules.victory_lost.bench import Bench, board_t, city, source
from tests.rules.victory_lost.test_09_retreat import EAST, paths, stood

RIFLE = "su.rifle.1"


# --- 9.3 strengths and columns ----------------------------------------------------------------------------------------------


def test_9_3_1_three_hexes_of_three_kinds() -> None:
    """R-20: Across the river 5 + 3 = 8, halved 4; a free 7; out of supply 6, halved 3: 14 to 5 is 2.8, so 2-1."""
    bench = combat(
        {"ax.inf.336": "1010", "su.tank.1": "1110", RIFLE: "1110", "su.mech.1g": "1111", TANK: "1009"},
        bench=Bench(board_t(rivers={"minor": "1010-1110"})),
        supply={TANK: 1},
    )
    attack(bench, 4, "1010", "su.tank.1", RIFLE, "su.mech.1g", TANK)

    assert (declared(bench).attack, declared(bench).defence, column(bench)) == (14, 5, "2-1")


def test_9_3_1_one_hex_divided_by_two_and_by_four() -> None:
    """R-20: In one hex across a river 3 in supply and a surrounded 6: 3/2 = 1 and 6/4 = 1, two in all, not (3 + 6)/2 nor (3 + 6)/4."""
    bench = combat(
        {"ax.ro.1": "1010", RIFLE: "1110", TANK: "1110"},
        bench=Bench(board_t(rivers={"major": "1010-1110"}, bridges="1010-1110")),
        supply={TANK: 2},
    )

    assert attack_strength(bench.state, (RIFLE, TANK), bench.state.data.hex("1010")) == 2


def test_9_3_1_a_reduced_stack_across_a_river() -> None:
    """9.3.1, 2.2.3: Reduced 3 + 3 and a full 6 in one hex across a river: 12/2 = 6; from the other hex a reduced 3: 9 in all."""
    bench = combat(
        {GERMAN: "1010", "su.tank.24": "1110", "su.tank.25": "1110", TANK: "1111"},
        bench=Bench(board_t(rivers={"minor": "1010-1110"})),
        reduced=["su.tank.24", TANK],
    )
    attack(bench, 4, "1010", "su.tank.24", "su.tank.25", TANK)

    # (3 + 6)/2 = 4, and 3
    assert (declared(bench).attack, column(bench)) == (7, "1.5-1")


@pytest.mark.parametrize(
    ("rows", "kind", "attackers", "expected"),
    [
        ({"1010": "f"}, "strategic", ("su.rifle.35g",), "1.5-1"),  # 4-1 less 1 + 2
        ({"1010": "f"}, "town", ("su.rifle.35g",), "2-1"),  # 4-1 less 1 + 1
        ({"1010": "f"}, "village", ("su.rifle.35g",), "3-1"),
        ({"1010": "m"}, "village", ("su.rifle.35g",), "4-1"),  # marsh shifts nothing
        ({}, "strategic", (TANK, "su.mech.1g"), "10-1"),  # 13-1 less 2 is 11-1
        ({}, "strategic", ("su.mech.1g", "su.rifle.35g"), "9-1"),  # 11-1 less 2
        ({"1010": "^"}, "strategic", (TANK, "su.rifle.35g"), "7-1"),  # 10-1 less 3
    ],
)
def test_9_3_3_shifts_add_up(rows: dict[str, str], kind: str, attackers: tuple[str, ...], expected: str) -> None:
    """9.3.3, R-22: A Romanian of strength 1 in places of all kinds."""
    stack = dict.fromkeys(attackers, "1110")
    bench = combat({"ax.ro.1": "1010", **stack}, bench=Bench(board_t(rows=rows, places=[city("1010", kind=kind)])))
    attack(bench, 1, "1010", *attackers)

    assert column(bench) == expected


def test_9_3_4_too_weak_alone_strong_enough_together() -> None:
    """9.3.4: 1.5-1 against a town in woods (two down) is no attack; with another division, 7 to 2 or 3-1, it is 1.5-1."""
    bench = combat(
        {ITALIAN: "1010", RIFLE: "1110", "su.rifle.35g": "1111"},
        bench=Bench(board_t(rows={"1010": "f"}, places=[city("1010", kind="town")])),
    )
    assert bench.refused("soviet", "attack", "1010", RIFLE).key == "refusal.victory_lost.too_weak"
    attack(bench, 4, "1010", RIFLE, "su.rifle.35g")

    assert column(bench) == "1.5-1"


def test_10_2_3_surrounded_defenders_in_a_city_behind_a_river() -> None:
    """9.3.1, 9.3.3: (4 + 4)/2 = 4 surrounded in a strategic city; 12/2 across the river and 6 on this side: 12 to 4, 3-1, less 2: 1.5-1."""
    bench = combat(
        {GERMAN: "1010", "ax.inf.294": "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111"},
        bench=Bench(board_t(rivers={"major": "1010-1110"}, places=[city("1010")])),
        supply={GERMAN: 2, "ax.inf.294": 2},
    )
    attack(bench, 4, "1010", *TANKS[:3])

    assert (declared(bench).attack, declared(bench).defence, column(bench)) == (12, 4, "1.5-1")


# --- 9.4 losses -------------------------------------------------------------------------------------------------------------


def test_9_4_2_a_reduced_and_a_one_faced_unit_lose_one() -> None:
    """9.4.2: "1DR" on a reduced panzer division (3 points) and a Luftwaffe division (1 point): the owner gives up either."""
    for given, points in ((PANZER, 3), ("ax.lw.7", 1)):
        places = {PANZER: "1010", "ax.lw.7": "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"}
        bench = combat(places, reduced=[PANZER])
        attack(bench, 5, "1010", *TANKS)
        # 24 to 4 + 3 is 3-1; a 5 is 1DR
        assert column(bench) == "3-1"
        bench.do("axis", "lose", given)
        assert lost(bench)[1] == [given]
        assert bench.state.score["soviet"] == points


def test_12_2_an_hq_stays_with_a_unit_that_did_not_attack() -> None:
    """12.2: The attacker dies of A2, but a division that stood by is in the HQ's hex: the HQ is not alone and stays."""
    bench = combat({"ax.lw.7": "1010", RIFLE: "1110", "su.rifle.153": "1110", "su.hq.6a": "1110"})
    attack(bench, 1, "1010", RIFLE)

    assert lost(bench)[1] == [RIFLE]
    assert not happened(bench, HqReset)
    assert bench.hexes("su.hq.6a") == ("1110",)


def test_12_2_attackers_of_two_hexes_share_a_loss() -> None:
    """9.4.2, 12.2: A2 taken wholly by the division that stood with the HQ: it is alone now and resets; the other one keeps its face."""
    bench = combat({"ax.panzer.6": "1010", RIFLE: "1110", "su.hq.6a": "1110", TANK: "1111"})
    attack(bench, 1, "1010", RIFLE, TANK)
    bench.do("soviet", "lose", RIFLE, RIFLE)

    assert bench.asked() == {"soviet": "prompt.victory_lost.reset"}
    assert not bench.state.counters[TANK].reduced


def test_14_0_1_two_units_of_one_hex() -> None:
    """9.4.2, 14.0.1: 10-1 and a 6, 4DR2: a panzer and an infantry division with four faces are gone: 3 + 1 points, and the way is free."""
    places = {"ax.panzer.17": "1010", GERMAN: "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"}
    more = {"su.mech.1g": "1009", "su.mech.2g": "1009", "su.tank.4g": "1011"}
    bench = combat({**places, **more}, supply={"ax.panzer.17": 2, GERMAN: 2})
    attack(bench, 6, "1010", *TANKS, "su.mech.1g", "su.mech.2g", "su.tank.4g")

    # 24 + 14 + 7 = 45 to (5 + 4)/2 = 4
    assert (declared(bench).attack, declared(bench).defence, column(bench)) == (45, 4, "10-1")
    assert bench.state.score["soviet"] == 4
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


# --- 9.5 retreats -----------------------------------------------------------------------------------------------------------


def test_9_5_2_of_two_equal_hexes_the_one_with_room() -> None:
    """9.5.2(2): As E54, but 0910 is full: 0911 is the only hex, and the division goes there unasked."""
    bench = combat({PANZER: "1010", GERMAN: "0910", "ax.inf.294": "0910", **EAST})
    attack(bench, 6, "1010", *TANKS[:2])

    assert bench.hexes(PANZER) == ("0911",)


def test_9_5_2_first_free_then_zone_before_first_zone_then_free() -> None:
    """9.5.2, R-26: Both ways of two hexes touch one zone; the one whose first hex is free leaves the zones earlier: by 0911 to 0811."""
    water = dict.fromkeys(("1011", "0810", "0912"), "~")
    places = {PANZER: "1010", TANKS[0]: "1009", TANKS[1]: "1110", TANKS[2]: "1111", "su.rifle.153": "0712"}
    bench = stood(places, Bench(board_t(rows=water)))
    zones = {hex_id: bench.state.field.in_enemy_zone("axis", bench.state.data.hex(hex_id)) for hex_id in ("0910", "0809", "0911", "0811")}

    assert zones == {"0910": True, "0809": False, "0911": False, "0811": True}
    assert paths(bench, PANZER, length=2) == {"0911 0811"}


def test_9_5_2_fewer_zones_before_everything() -> None:
    """9.5.2, R-26: Away from the source and into a full hex rather than through a zone: of 0910 (zone, nearer the source) and 1011
    (free, full, no nearer) it is 1011, and on from there."""
    water = dict.fromkeys(("1009", "0911"), "~")
    places = {PANZER: "1010", TANKS[0]: "1110", TANKS[1]: "0909", GERMAN: "1011", "ax.inf.294": "1011"}
    bench = stood({**places, TANKS[0]: "1110"}, Bench(board_t(rows=water, impassable="1010-1111")))

    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("0910"))
    found = paths(bench, PANZER)
    assert found and all(way.startswith("1011 ") for way in found)


def test_9_5_3_two_zones_on_the_way() -> None:
    """9.5.3, R-27: DR2 with one way, both hexes in zones: a full panzer division is reduced in the first and lost in the second; the
    Italian with it, reduced in the combat, is lost in the first. 3 points, the Italian is worth nothing."""
    water = dict.fromkeys(("1011", "0911", "0910", "0909", "0908", "1007", "1107", "1108"), "~")
    places = {"ax.panzer.23": "1010", ITALIAN: "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"}
    bench = combat({**places, RIFLE: "1109"}, bench=Bench(board_t(rows=water)))
    attack(bench, 6, "1010", *TANKS)
    # 24 to 7 is 3-1; a 6 is 1DR2
    bench.do("axis", "lose", ITALIAN)
    bench.do("axis", "retreat", "ax.panzer.23", "1009", "1008")

    assert bench.hexes("ax.panzer.23", ITALIAN) == ("eliminated", "eliminated")
    assert bench.state.score["soviet"] == 3


def test_9_5_3_reduced_in_combat_lost_in_the_zone() -> None:
    """9.5.3, 9.4.2: 1DR: the loss of the combat and the loss of the zone together finish a full division."""
    ring = {RIFLE: "0911", "su.rifle.107": "0910"}
    bench = combat({"ax.panzer.17": "1010", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", **ring})
    attack(bench, 5, "1010", *TANKS[:3])
    # 18 to 5 is 3-1; a 5 is 1DR
    bench.do("axis", "retreat", "ax.panzer.17", "1009")

    assert bench.hexes("ax.panzer.17") == ("eliminated",)
    assert bench.state.score["soviet"] == 3


def test_9_5_5_a_german_stays_where_an_italian_may_not() -> None:
    """9.5.5, 5.0.3: One Romanian in 0910 and one in 0911: the German may stay with either, the Italian goes on from both."""
    places = {GERMAN: "1010", ITALIAN: "1010", "ax.ro.5": "0910", "ax.ro.7": "0911", TANKS[0]: "1110", TANKS[1]: "1110"}
    bench = combat({**places, TANKS[2]: "1111", TANKS[3]: "1111"})
    attack(bench, 2, "1010", *TANKS)
    # 24 to 6 is 4-1; a 2 is DR
    assert set(bench.options("axis", "retreat", GERMAN)) == {"0910", "0911"}
    assert bench.refused("axis", "retreat", ITALIAN, "0910").rule == "9.5.5"
    bench.do("axis", "retreat", GERMAN, "0910")
    assert set(bench.options("axis", "retreat", ITALIAN, "0910")) == {"0809", "0810"}
    bench.do("axis", "retreat", ITALIAN, "0911", "0811")

    assert bench.hexes(GERMAN, ITALIAN, "ax.ro.5") == ("0910", "0811", "0910")


def test_9_5_4_the_second_unit_finds_the_hex_filled_by_the_first() -> None:
    """9.5.4, R-28: One way, 0910, with one division in it: the first to retreat stays there, the second goes one further."""
    water = dict.fromkeys(("1009", "1011", "0911"), "~")
    places = {PANZER: "1010", GERMAN: "1010", "ax.inf.294": "0910", TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"}
    bench = combat(places, bench=Bench(board_t(rows=water)))
    attack(bench, 5, "1010", *TANKS)
    # 24 to 7 + 4 is 2-1; a 5 is DR
    bench.do("axis", "retreat", GERMAN, "0910")
    assert bench.refused("axis", "retreat", PANZER, "0910").rule == "9.5.4"
    bench.do("axis", "retreat", PANZER, "0910", "0809")

    assert bench.hexes(GERMAN, "ax.inf.294", PANZER) == ("0910", "0910", "0809")


def test_9_5_4_forced_on_into_a_zone() -> None:
    """9.5.4, 9.5.3: 0910 is full and everything beyond it lies in zones: one hex more, and one loss."""
    water = dict.fromkeys(("1009", "1011", "0911"), "~")
    ring = {"su.rifle.107": "0708", "su.rifle.153": "0710", "su.rifle.195": "0808"}
    full = {GERMAN: "0910", "ax.inf.294": "0910"}
    bench = combat({"ax.panzer.17": "1010", **full, **EAST, **ring}, bench=Bench(board_t(rows=water)))
    attack(bench, 4, "1010", *TANKS[:2])
    # 12 to 5 is 2-1; a 4 is nothing
    assert bench.hexes("ax.panzer.17") == ("1010",)

    bench = combat({"ax.panzer.17": "1010", **full, **EAST, **ring}, bench=Bench(board_t(rows=water)))
    attack(bench, 5, "1010", *TANKS[:2])
    # DR
    while bench.asked() == {"axis": "prompt.victory_lost.retreat"}:
        bench.do("axis", "retreat", "ax.panzer.17", "0910", bench.options("axis", "retreat", "ax.panzer.17", "0910")[0])
    grid = bench.state.data.board.grid
    assert grid.distance(grid.at("1010"), bench.state.at("ax.panzer.17")) == 2
    assert bench.state.counters["ax.panzer.17"].reduced
    assert bench.state.field.in_enemy_zone("axis", bench.state.at("ax.panzer.17"))


def test_9_5_6_over_the_don_with_the_first_hex_and_on() -> None:
    """9.5.6, R-29: DR2 from a hex on the river bank: across with the first hex, and one further, though movement would have stopped."""
    bench = combat(
        {ITALIAN: "1010", **EAST, TANKS[2]: "1110"}, bench=Bench(board_t(rivers={"major": "0910-1010 0911-1010 1009-1010 1010-1011"}))
    )
    attack(bench, 6, "1010", *TANKS[:3])
    # 18 to 2 is 9-1; a 6 is 4DR2: too many losses for a retreat, so a weaker attack
    assert lost(bench)[1] == [ITALIAN]

    bench = combat({GERMAN: "1010", **EAST}, bench=Bench(board_t(rivers={"major": "0910-1010 0911-1010 1009-1010 1010-1011"})))
    attack(bench, 6, "1010", *TANKS[:2])
    # 12 to 4 is 3-1; a 6 is 1DR2
    bench.do("axis", "retreat", GERMAN, "0910", "0810")
    assert bench.hexes(GERMAN) == ("0810",)
    assert bench.state.counters[GERMAN].reduced


def test_9_5_7_through_a_lone_hq_and_its_reset_does_not_bar_the_way() -> None:
    """9.5.7, 12.7: The retreating division overruns 6A in its last hex; the HQ resets nearer its own source, at least four hexes away."""
    bench = combat({GERMAN: "1010", **EAST, "su.hq.6a": "0910"})
    attack(bench, 4, "1010", *TANKS[:2])
    bench.do("axis", "retreat", GERMAN, "0910")
    assert [event.hq for event in happened(bench, Overrun)] == ["su.hq.6a"]
    grid = bench.state.data.board.grid
    choices = bench.options("soviet", "reset")

    assert all(grid.distance(grid.at("0910"), grid.at(str(hex_id))) == 4 for hex_id in choices)
    assert all(grid.distance(grid.at("2010"), grid.at(str(hex_id))) < grid.distance(grid.at("2010"), grid.at("0910")) for hex_id in choices)


def test_R_25_a_group_with_an_hq_goes_on_past_another_hq() -> None:
    """R-25, 5.0.1: The panzer division with 4PzA retreats by 0910, where R3A stands: one hex further; an HQ does not make it stop."""
    water = dict.fromkeys(("1009", "1011", "0911"), "~")
    places = {"ax.panzer.17": "1010", "ax.hq.4pza": "1010", "ax.hq.r3a": "0910", **EAST}
    bench = combat(places, bench=Bench(board_t(rows=water)))
    attack(bench, 5, "1010", *TANKS[:2])
    bench.do("axis", "retreat", "ax.panzer.17", "0910", "0809")

    assert bench.hexes("ax.panzer.17", "ax.hq.4pza", "ax.hq.r3a") == ("0809", "0809", "0910")


# --- 9.6 advances and what follows ------------------------------------------------------------------------------------------


def test_R_14_a_second_attack_by_those_who_stood_by() -> None:
    """R-14, 9.1.4: Driven from 1010 to 0911 beside rifle divisions, which have not attacked, it is attacked by them there."""
    north = source("axis", "0111")
    water = dict.fromkeys(("1009", "0910", "1011"), "~")
    places = {GERMAN: "1010", **EAST, "su.rifle.35g": "0811", "su.rifle.153": "0912"}
    bench = combat(places, bench=Bench(board_t(rows=water, sources=(north, source("soviet", "2010")))))
    attack(bench, 4, "1010", *TANKS[:2])
    # DR: 0911 is the only hex and in the zones of the rifle divisions
    assert bench.hexes(GERMAN) == ("0911",)
    assert bench.state.counters[GERMAN].reduced
    bench.do("soviet", "done")
    attack(bench, 4, "0911", "su.rifle.35g", "su.rifle.153")
    # 7 to 2 is 3-1
    assert column(bench) == "3-1"


def test_9_6_3_a_second_hex_beside_the_enemy_and_a_city_in_it() -> None:
    """9.6.2, 9.6.3, R-41: The second hex lies in a zone and holds a strategic city: entered, 5 points change hands at once."""
    places = {ITALIAN: "1010", GERMAN: "0810", TANK: "1110", "su.tank.25": "1110"}
    bench = combat(places, reduced=[ITALIAN], bench=Bench(board_t(places=[city("0910")])))
    attack(bench, 6, "1010", TANK, "su.tank.25")
    assert bench.state.field.in_enemy_zone("soviet", bench.state.data.hex("0910"))
    bench.do("soviet", "advance", TANK, "1010", "0910")

    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_9_6_5_two_attackers_one_across_the_don() -> None:
    """9.6.5: Of two tank corps the one from beyond the river advances one hex, the one from this bank two; neither across it again."""
    places = {ITALIAN: "1010", TANK: "1110", "su.tank.25": "1009"}
    bench = combat(places, reduced=[ITALIAN], bench=Bench(board_t(rivers={"major": "1010-1110"})))
    attack(bench, 6, "1010", TANK, "su.tank.25")

    assert bench.options("soviet", "advance", TANK, "1010") == ()
    assert bench.refused("soviet", "advance", TANK, "1010", "0910").rule == "9.6.5"
    beyond = bench.options("soviet", "advance", "su.tank.25", "1010")
    assert "0910" in beyond
    assert "1110" not in beyond
    assert bench.refused("soviet", "advance", "su.tank.25", "1010", "1110").rule == "9.6.5"


def test_9_6_1_no_advance_while_one_defender_stays() -> None:
    """9.6.1: "-" leaves the defenders where they are: nobody is asked to advance; A1 neither."""
    bench = combat({GERMAN: "1010", TANK: "1110"})
    attack(bench, 4, "1010", TANK)
    assert bench.asked() != {"soviet": "prompt.victory_lost.advance"}

    bench = combat({GERMAN: "1010", TANK: "1110"})
    attack(bench, 2, "1010", TANK)
    # 6 to 4 is 1.5-1; a 2 is A1
    assert lost(bench) == ([TANK], [])
    assert bench.asked() != {"soviet": "prompt.victory_lost.advance"}


def test_12_4_an_hq_goes_two_hexes_and_overruns_with_its_unit() -> None:
    """12.4, 9.6.4: HQ and tank corps advance together into the hex of a lone enemy HQ: the unit overruns it."""
    bench = combat({ITALIAN: "1010", TANK: "1110", "su.tank.25": "1110", "su.hq.6a": "1110", "ax.hq.4pza": "0910"}, reduced=[ITALIAN])
    attack(bench, 6, "1010", TANK, "su.tank.25")
    bench.do("soviet", "advance", TANK, "su.hq.6a", "1010", "0910")

    assert [event.hq for event in happened(bench, Overrun)] == ["ax.hq.4pza"]
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.hexes(TANK, "su.hq.6a") == ("0910", "0910")


def test_R_31_cavalry_with_the_option_is_refused_for_the_enemy_not_for_the_distance() -> None:
    """R-31, 5.0.2: With the option cavalry may go two hexes; where an enemy unit stands the refusal is about him."""
    for option, rule in ((True, "5.0.2"), (False, "9.6.1")):
        places = {ITALIAN: "1010", GERMAN: "0910", "su.cav.3g": "1110", TANK: "1110"}
        bench = combat(places, reduced=[ITALIAN], cavalry_advance=option)
        attack(bench, 6, "1010", "su.cav.3g", TANK)
        assert bench.refused("soviet", "advance", "su.cav.3g", "1010", "0910").rule == rule
