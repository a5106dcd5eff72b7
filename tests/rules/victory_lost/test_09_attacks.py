"""9.0-9.2 Who may attack what."""

from tests.rules.chit_bench import source
from tests.rules.victory_lost.battles import (
    EAST,
    GERMAN,
    ITALIAN,
    TANK,
    TANKS,
    attack,
    column,
    combat,
    declared,
    happened,
)
from tests.rules.victory_lost.bench import NORTH_EAST, NORTH_WEST, Bench, board_t
from warledger.engine.games.victory_lost.combat import AttackResolved

# --- 9.0 combat -----------------------------------------------------------------------------------


def test_9_0_only_units_are_attacked() -> None:
    """9.0: Empty hexes are no target; the target must be adjacent."""
    bench = combat({ITALIAN: "1010", "ax.it.sfz": "0510", TANK: "1110"})
    assert bench.refused("soviet", "attack", "1109").key == "refusal.victory_lost.attack_nobody"
    assert bench.refused("soviet", "attack", "0510").key == "refusal.victory_lost.nobody_attacks"
    assert bench.refused("soviet", "attack", "9999").key == "refusal.victory_lost.no_such_hex"


def test_9_0_a_lone_hq_cannot_be_attacked() -> None:
    """12.1 (E72): it is overrun by entering its hex, never attacked."""
    bench = combat({"ax.hq.it8a": "1010", ITALIAN: "1209", TANK: "1110"})
    assert bench.options("soviet", "attack") == ("1209",)
    refusal = bench.refused("soviet", "attack", "1010")
    assert (refusal.rule, refusal.key) == ("12.1", "refusal.victory_lost.attack_hq")


# --- 9.1 principles -------------------------------------------------------------------------------


def test_9_1_1_only_activated_units_attack_and_once() -> None:
    """9.1.1: A unit that is not activated never attacks; one that has attacked does not attack
    again in this step."""
    places = {
        ITALIAN: "1010",
        "ax.it.sfz": "1209",
        TANKS[0]: "1110",
        TANKS[1]: "1110",
        TANKS[2]: "1111",
    }
    bench = combat(places, active=TANKS[:2])
    assert set(bench.options("soviet", "attack")) == {"1010", "1209"}
    assert bench.options("soviet", "attack", "1010") == TANKS[:2]
    assert (
        bench.refused("soviet", "attack", "1010", TANKS[2]).key
        == "refusal.victory_lost.not_activated"
    )

    attack(bench, 1, "1010", TANKS[0])
    assert bench.options("soviet", "attack") == ("1209",)
    assert bench.options("soviet", "attack", "1209") == (TANKS[1],)
    refusal = bench.refused("soviet", "attack", "1209", TANKS[0])
    assert (refusal.rule, refusal.key) == ("9.1.1", "refusal.victory_lost.has_attacked")


def test_9_1_1_R13_once_a_combat_step() -> None:
    """R-13 on 9.1.1: a unit activated again in the same turn may attack again, also the same
    hex."""
    bench = combat({ITALIAN: "1010", TANK: "1110"})
    attack(bench, 1, "1010", TANK)
    bench.activate("soviet", TANK)
    bench.jump("chit_selection", "activation", "combat_step")
    assert bench.options("soviet", "attack") == ("1010",)


def test_9_1_1_an_attacker_attacks_once_and_only_what_it_touches() -> None:
    """9.1.1, 9.1.3 (E47): The two units of one hex attack different hexes; the first, having
    attacked, cannot join the second attack."""
    bench = combat({GERMAN: NORTH_EAST, ITALIAN: NORTH_WEST, TANK: "1010", "su.tank.25": "1010"})
    attack(bench, 1, NORTH_EAST, TANK)
    assert bench.refused("soviet", "attack", NORTH_WEST, TANK).rule == "9.1.1"
    attack(bench, 1, NORTH_WEST, "su.tank.25")

    assert declared(bench).attackers == ("su.tank.25",)


def test_9_1_2_nobody_need_attack() -> None:
    """9.1.2: The active side may end the step without an attack."""
    bench = combat({ITALIAN: "1010", TANK: "1110"})
    bench.do("soviet", "done")
    assert bench.asked() == {
        "axis": "prompt.victory_lost.chits",
        "soviet": "prompt.victory_lost.chits",
    }


def test_9_1_3_stacked_units_may_attack_different_hexes() -> None:
    """9.1.3: Each attacks one hex; a pick cannot be repeated."""
    bench = combat({ITALIAN: "1010", "ax.it.sfz": "1209", TANKS[0]: "1110", TANKS[1]: "1110"})
    assert (
        bench.refused("soviet", "attack", "1010", TANK, TANK).key
        == "refusal.victory_lost.picked_already"
    )
    attack(bench, 1, "1010", TANKS[0])
    attack(bench, 1, "1209", TANKS[1])
    assert "prompt.victory_lost.combat" not in bench.asked().values()


def test_9_1_4_units_from_several_hexes_make_one_attack() -> None:
    """9.1.4: Their strengths are added, in whatever order they are named; 9.1.5 all defenders
    defend."""
    bench = combat({ITALIAN: "1010", GERMAN: "1010", TANKS[0]: "1110", TANKS[1]: "1009"})
    attack(bench, 1, "1010", TANKS[1], TANKS[0])
    found = declared(bench)
    assert (found.attackers, found.attack, found.defence) == ((TANKS[0], TANKS[1]), 12, 6)
    assert set(found.defenders) == {ITALIAN, GERMAN}
    assert column(bench) == "2-1"


def test_9_1_4_R14_a_second_attack_by_those_who_stood_by() -> None:
    """R-14, 9.1.4: Driven from 1010 to 0911 beside rifle divisions, which have not attacked, it is
    attacked by them there."""
    north = source("axis", "0111")
    water = dict.fromkeys(("1009", "0910", "1011"), "~")
    places = {GERMAN: "1010", **EAST, "su.rifle.35g": "0811", "su.rifle.153": "0912"}
    bench = combat(
        places, bench=Bench(board_t(rows=water, sources=(north, source("soviet", "2010"))))
    )
    attack(bench, 4, "1010", *TANKS[:2])
    # DR: 0911 is the only hex and in the zones of the rifle divisions
    assert bench.hexes(GERMAN) == ("0911",)
    assert bench.state.counters[GERMAN].reduced
    bench.do("soviet", "done")
    attack(bench, 4, "0911", "su.rifle.35g", "su.rifle.153")
    # 7 to 2 is 3-1
    assert column(bench) == "3-1"


def test_9_1_4_a_hex_once_a_step() -> None:
    """9.1.4.a (E48): After an attack without effect two fresh units next to the hex may not attack
    it."""
    bench = combat(
        {ITALIAN: "1009", "ax.it.sfz": "1210", TANKS[0]: "1010", TANKS[1]: "1110", TANKS[2]: "1110"}
    )
    attack(bench, 1, "1009", TANKS[0])
    assert [event.result for event in happened(bench, AttackResolved)] == ["-"]
    refusal = bench.refused("soviet", "attack", "1009")
    assert (refusal.rule, refusal.key) == ("9.1.4", "refusal.victory_lost.attacked_already")
    assert bench.options("soviet", "attack") == ("1210",)


def test_9_1_6_not_across_an_impassable_hexside() -> None:
    """9.1.6: Neither as a target nor in the attack of others."""
    pack = board_t(impassable="1010-1110")
    bench = combat(
        {ITALIAN: "1010", "ax.it.sfz": "1209", TANKS[0]: "1110", TANKS[1]: "1009"},
        bench=Bench(pack),
    )
    assert bench.options("soviet", "attack", "1010") == (TANKS[1],)
    assert bench.options("soviet", "attack", "1209") == (TANKS[0],)
    refusal = bench.refused("soviet", "attack", "1010", TANKS[0])
    assert refusal.rule == "9.1.6"


# --- 9.2 procedure --------------------------------------------------------------------------------


def test_9_2_R14_attacks_open_new_attacks() -> None:
    """R-14: attacks are declared one by one: where a retreat ends a unit that has not attacked may
    attack, those that have may not."""
    places = {
        ITALIAN: "1010",
        TANKS[0]: "1110",
        "su.rifle.1": "0810",
        TANKS[1]: "1009",
        TANKS[2]: "1011",
    }
    bench = combat(places, active=[TANKS[0], "su.rifle.1"])
    assert bench.options("soviet", "attack") == ("1010",)
    attack(bench, 3, "1010", TANKS[0])
    bench.do("axis", "retreat", ITALIAN, "0910")
    bench.do("soviet", "advance", TANKS[0], "1010")
    assert bench.options("soviet", "attack") == ("0910",)
    assert bench.options("soviet", "attack", "0910") == ("su.rifle.1",)
