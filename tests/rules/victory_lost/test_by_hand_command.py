"""Worked by hand from the rule book, chapters 3, 4 and 7: the cup, Manstein, STAVKA, ranges over awkward ground, the special combat."""

import pytest

from engine.games.victory_lost.command import available, contents, in_range, needed
from engine.games.victory_lost.events import AheadShown
from engine.games.victory_lost.state import changed
from protocol.seal import Secret
from tests.rules.victory_lost.battles import GERMAN, ITALIAN, TANK, attack
from tests.rules.victory_lost.bench import Bench, board_t, real_pack
from tests.rules.victory_lost.test_07_command import MANSTEINS, started, with_cup

STAVKA = "chit.su.stavka"


# --- 7.1 selection ----------------------------------------------------------------------------------------------------------


def test_7_1_2_R_08_three_of_the_five_are_gone_with_their_hqs() -> None:
    """R-08, 11.3: STAVKA and two of the five are left: the Soviets choose three chits, all they have."""
    bench = started()
    removed = ("chit.su.1gda", "chit.su.2gda", "chit.su.5tka")
    cup = bench.state.cup
    bench.state = changed(bench.state, cup=type(cup)(five=cup.five, stock=cup.stock, removed=removed))
    bench.jump("command_phase", "chit_selection")

    assert bench.refused("soviet", "choose", "chit.su.1gda").rule == "7.1.1"
    assert bench.refused("soviet", "choose", "chit.su.3gda", STAVKA).rule == "7.1.2"
    bench.do("soviet", "choose", "chit.su.3gda", "chit.su.popov", STAVKA)
    assert bench.asked() == {"axis": "prompt.victory_lost.chits"}


def test_7_1_1_used_chits_are_available_again() -> None:
    """7.1.1: Chits drawn on a turn may be chosen on the next: Unused and Used boxes alike."""
    bench = started()
    cup = bench.state.cup
    bench.state = changed(bench.state, turn=2, cup=type(cup)(five=cup.five, stock=cup.stock, drawn=("chit.ax.4pza", "chit.su.1gda")))
    bench.jump("command_phase", "chit_selection")

    assert "chit.ax.4pza" in bench.options("axis", "choose")
    assert "chit.su.1gda" in bench.options("soviet", "choose")


@pytest.mark.parametrize(("turn", "axis"), [(1, 2), (2, 3), (3, 3), (4, 4), (5, 4), (6, 5), (7, 5), (8, 4), (9, 4)])
def test_7_1_2_axis_com_by_turn(turn: int, axis: int) -> None:
    """7.1.2: The number printed on the turn track, turn by turn; the Soviets always four."""
    bench = started()

    assert (needed(bench.state, "axis", turn), needed(bench.state, "soviet", turn)) == (axis, 4)


# --- 7.2 drawing ------------------------------------------------------------------------------------------------------------


def test_7_2_2_stavka_on_turn_1_leaves_the_28th_army_out() -> None:
    """7.2.2, 11.2.1: The 28th Army comes into its box at the end of turn 1: STAVKA drawn on turn 1 does not activate it."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1010"}, turn=1)
    with_cup(bench, (), (STAVKA,))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")

    assert bench.state.activation is not None
    assert (bench.state.activation.hqs, bench.state.activation.box) == (("su.hq.1gda",), "")
    assert bench.options("soviet") == ("move", "done")


def test_7_2_2_R_08_the_chit_of_28a_does_nothing_before_it_is_in_its_box() -> None:
    """R-08: The chit of an HQ that has not come yet is drawn, does nothing, and lies with the used ones."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1010"}, turn=1)
    with_cup(bench, (), ("chit.su.1gda", "chit.su.28a"))
    bench.draws(1, 0)
    events = bench.jump("set_up_first", "command_phase", "executions")

    assert [event.tag for event in events] == ["drawn", "used", "drawn", "activated"]
    assert contents(bench.state) == ()


def test_11_2_3_the_hq_in_the_box_commands_nobody_on_the_map() -> None:
    """11.2.3: Units beside the entry hexes are not activated when 28A is in its box; on a later turn, on the map, it activates them."""
    box = dict.fromkeys(("su.hq.28a", "su.rifle.34g"), "box.28a")
    bench = Bench()
    bench.stand({"su.rifle.1": "1720", "su.hq.1gda": "1010"}, turn=2, boxes=box)
    with_cup(bench, (), ("chit.su.28a",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert bench.state.activation is not None
    assert (bench.state.activation.hqs, bench.state.activation.units) == (("su.hq.28a",), ("su.rifle.34g",))

    bench.stand({"su.rifle.1": "1720", "su.hq.1gda": "1010", "su.hq.28a": "1718", "su.rifle.34g": "1717"}, turn=3)
    with_cup(bench, (), ("chit.su.28a",))
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    assert bench.state.activation is not None
    assert bench.state.activation.units == ("su.rifle.1", "su.rifle.34g")


def test_R_07_manstein_activates_an_hq_that_was_activated_already() -> None:
    """R-07, 7.3.2: 4PzA's own chit, then Manstein on 4PzA: the same division moves twice in one turn."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "ax.panzer.6": "1011"}, turn=3)
    with_cup(bench, ("chit.ax.4pza", MANSTEINS[0]), ())
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "move", "ax.panzer.6", "1014")
    bench.draws(0)
    bench.do("axis", "done")
    assert bench.asked() == {"axis": "prompt.victory_lost.manstein"}
    bench.do("axis", "activate", "ax.hq.4pza")
    bench.do("axis", "move", "ax.panzer.6", "1018")

    assert bench.hexes("ax.panzer.6") == ("1018",)


def test_R_06_the_same_manstein_drawn_again_and_then_the_other() -> None:
    """R-06: Declined, the same chit comes back and must be executed; after that the other one may be declined again."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "ax.panzer.6": "1011", "su.hq.5tka": "1510", "su.rifle.1": "1510"}, turn=5)
    with_cup(bench, MANSTEINS, ("chit.su.5tka",))
    bench.draws(0, 0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "decline")
    assert bench.state.cup.in_hand == MANSTEINS[0]
    assert bench.options("axis") == ("activate",)
    bench.do("axis", "activate", "ax.hq.4pza")
    bench.draws(0)
    bench.do("axis", "done")

    assert bench.state.cup.in_hand == MANSTEINS[1]
    assert set(bench.options("axis")) == {"activate", "decline"}


def test_R_07_manstein_with_an_italian_hq() -> None:
    """R-07, 7.3.5: Manstein on It8A: Italians and Germans in range, not the Romanian that stands with the German, nor another HQ."""
    bench = Bench()
    places = {"ax.hq.it8a": "1010", ITALIAN: "1012", GERMAN: "1011", "ax.ro.5": "1011", "ax.hu.6": "0910", "ax.hq.hollidt": "1009"}
    bench.stand(places, turn=3)
    with_cup(bench, MANSTEINS[:1], ())
    bench.draws(0)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("axis", "activate", "ax.hq.it8a")

    assert bench.options("axis", "move") == ("ax.hq.it8a", GERMAN, ITALIAN)
    assert bench.refused("axis", "move", "ax.ro.5").rule == "7.3.2"
    assert bench.refused("axis", "move", "ax.hq.hollidt").rule == "7.3.2"


def test_12_7_a_reset_hq_is_activated_where_it_stands_now() -> None:
    """7.3.3, 12.7: Overrun before its chit is drawn, 4PzA resets; drawn afterwards it activates what is in range of its new hex."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "ax.panzer.6": "0310", "ax.panzer.17": "1605", "su.hq.1gda": "1410", TANK: "1210"})
    with_cup(bench, ("chit.ax.4pza",), ("chit.su.1gda",))
    assert in_range(bench.state, "ax.hq.4pza") == ()
    bench.draws(1)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("soviet", "move", TANK, "1010")
    bench.do("axis", "reset", "0610")
    bench.do("soviet", "halt")
    bench.draws(0)
    bench.do("soviet", "done")

    assert bench.state.activation is not None
    assert bench.state.activation.hqs == ("ax.hq.4pza",)
    assert bench.state.activation.units == ("ax.panzer.6",)


def test_R_19_the_chit_of_an_hq_set_aside_is_used_up_and_manstein_cannot_name_it() -> None:
    """R-19, R-08, R-07: Its chit stays in the game, but does nothing while the HQ waits; Manstein names HQs on the map only."""
    bench = Bench()
    bench.stand({"ax.hq.r3a": "1010", "ax.ro.5": "1010"}, turn=3, boxes={"ax.hq.4pza": "aside"})
    with_cup(bench, ("chit.ax.4pza", MANSTEINS[0]), ())
    bench.draws(0, 0)
    events = bench.jump("set_up_first", "command_phase", "executions")

    assert [event.tag for event in events] == ["drawn", "used", "drawn"]
    assert bench.options("axis", "activate") == ("ax.hq.r3a",)
    assert bench.refused("axis", "activate", "ax.hq.4pza").rule == "7.2.2"


# --- 7.3 range --------------------------------------------------------------------------------------------------------------


def test_7_3_4_range_goes_round_a_lake() -> None:
    """7.3.4: Water in 1009, 0910 and 1110: the way from 1010 to 1008 is 0911 0810 0809 0909 1008, five hexes: range 5, not 4."""
    bench = Bench(board_t(rows=dict.fromkeys(("1009", "0910", "1110"), "~")))
    bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1008"})
    assert in_range(bench.state, "su.hq.6a") == ()

    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "1008"})
    assert in_range(bench.state, "su.hq.1gda") == ("su.rifle.1",)


def test_7_3_4_range_not_across_an_impassable_hexside() -> None:
    """7.3.4, R-48: The hexside between 1010 and 1110 is barred: 1110 is two hexes away, by 1009 or 1111."""
    bench = Bench(board_t(impassable="1010-1110"))
    bench.stand({"su.hq.6a": "1010"})
    data = bench.state.data

    assert data.hex("1110") not in data.in_range(data.hex("1010"), 1)
    assert data.hex("1110") in data.in_range(data.hex("1010"), 2)


def test_R_09_an_hq_in_a_bend_of_the_don() -> None:
    """R-09: 1010 has the river on all six sides: whatever its range, only its own hex and the six next to it are in range."""
    ring = "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"
    bench = Bench(board_t(rivers={"major": ring}, bridges=ring))
    places = {"su.hq.2gda": "1010", "su.rifle.1": "1010", "su.rifle.153": "1110", "su.rifle.195": "1210", TANK: "1012"}
    bench.stand(places)

    assert in_range(bench.state, "su.hq.2gda") == ("su.rifle.1", "su.rifle.153")


def test_R_09_from_outside_the_bend_only_its_hex_and_not_through_it() -> None:
    """R-09: A unit in the bend is in range of an HQ next to it; one behind the bend is reached round it, a hex further than straight."""
    ring = "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"
    bench = Bench(board_t(rivers={"major": ring}))
    data = bench.state.data
    start = data.hex("1110")

    assert data.hex("1010") in data.in_range(start, 1)
    # straight 1110 1010 0911 is two hexes; round the bend 1110 1111 1011 0911 is three
    assert data.hex("0911") not in data.in_range(start, 2)
    assert data.hex("0911") in data.in_range(start, 3)


def test_7_3_4_minor_rivers_do_not_matter() -> None:
    """R-09: A minor river on every side of the HQ takes nothing from its range."""
    ring = "1009-1010 1010-1110 1010-1111 1010-1011 0911-1010 0910-1010"
    bench = Bench(board_t(rivers={"minor": ring}))
    bench.stand({"su.hq.6a": "1010", "su.rifle.1": "1014"})

    assert in_range(bench.state, "su.hq.6a") == ("su.rifle.1",)


# --- 4.1 special combat, 15.0.2 variants ------------------------------------------------------------------------------------


def test_R_05_special_combat_then_the_same_units_again() -> None:
    """R-05, 12.4: 1GdA's tanks win, one advances two hexes and takes the HQ along though nothing moves in this step; then 1GdA's own chit
    activates the HQ in its new hex and the same tanks may attack the same division again."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1110", TANK: "1110", "su.tank.25": "1110", ITALIAN: "1010"})
    with_cup(bench, (), ("chit.su.1gda",))
    bench.jump("command_phase", "special_combat")
    bench.do("soviet", "activate", "su.hq.1gda")
    assert bench.asked() == {"soviet": "prompt.victory_lost.combat"}
    attack(bench, 4, "1010", TANK, "su.tank.25")
    # 12 to 2 is 6-1; a 4 is 1DR2
    assert set(bench.options("axis", "retreat", ITALIAN)) == {"0910", "0911"}
    bench.do("axis", "retreat", ITALIAN, "0910", "0810")
    bench.do("soviet", "advance", TANK, "su.hq.1gda", "1010", "0911")
    bench.draws(0)
    bench.do("soviet", "done")

    assert bench.hexes(TANK, "su.hq.1gda", "su.tank.25") == ("0911", "0911", "1110")
    assert bench.state.cup.in_hand == "chit.su.1gda"
    assert bench.state.activation is not None
    assert bench.state.activation.units == (TANK, "su.tank.25")
    bench.do("soviet", "done")
    assert bench.options("soviet", "attack") == ("0810",)


def test_R_05_special_combat_by_an_hq_with_nobody_to_attack() -> None:
    """4.1: An HQ whose units touch no enemy may be named; nothing follows and the first chit is drawn."""
    bench = Bench()
    bench.stand({"su.hq.1gda": "1110", TANK: "1110", "su.hq.5sha": "1510", ITALIAN: "0510"})
    with_cup(bench, (), ("chit.su.1gda",))
    bench.jump("command_phase", "special_combat")
    bench.draws(0)
    events = bench.do("soviet", "activate", "su.hq.5sha")

    assert [event.tag for event in events] == ["activated", "stood_down", "drawn", "activated"]


def test_15_0_2_b_a_chit_written_down_whose_hq_has_gone() -> None:
    """15.0.2(b), 11.3: Written down on turn 1 and removed with its HQ at the end of it: it is neither shown nor in the cup."""
    bench = started(chits_ahead=True)
    ahead = Secret(("chit.su.1gda", "chit.su.2gda", "chit.su.popov", STAVKA), ("soviet",), (1, (6, 0, 2)))
    cup = bench.state.cup
    bench.state = changed(
        bench.state, turn=2, cup=type(cup)(five=cup.five, stock=cup.stock, ahead=ahead, removed=("chit.su.2gda",))
    )
    events = bench.jump("command_phase", "show_ahead")

    assert [event.chits for event in events if isinstance(event, AheadShown)] == [("chit.su.1gda", "chit.su.popov", STAVKA)]
    assert contents(bench.state) == ("chit.su.1gda", "chit.su.popov", STAVKA)


def test_15_0_2_c_a_chit_named_that_is_not_in_the_cup() -> None:
    """15.0.2(c): Named at a venture and not there, the first chit is left to chance."""
    bench = started(first_chit="any")
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", STAVKA)
    bench.do("soviet", "pass")
    bench.draws(5)
    bench.do("axis", "name", "chit.su.5tka")

    assert bench.state.cup.in_hand == STAVKA


def test_15_0_2_a_the_second_manstein_is_chosen_on_the_turn_it_comes() -> None:
    """15.0.2(a): On turn 5 the second Manstein chit is among those the Axis chooses from; without the variant it is not."""
    for option, there in ((True, True), (False, False)):
        bench = Bench(manstein_at_once=option)
        bench.stand({GERMAN: "1010"}, turn=4)
        bench.jump("turn", "turn_start")
        assert (MANSTEINS[1] in available(bench.state, "axis")) is there


# --- 3.0 set-up -------------------------------------------------------------------------------------------------------------


def test_3_0_the_five_may_hold_chits_of_hqs_to_come_but_never_stavka() -> None:
    """3.0: 28A, 3TkA and Popov may be among the five; STAVKA is added by rule and is not one of them; four are too few, six too many."""
    bench = Bench(real_pack(), set_up="historical")
    five = ("chit.su.1gda", "chit.su.28a", "chit.su.3tka", "chit.su.5tka", "chit.su.popov")
    assert bench.refused("soviet", "choose", *five[:4]).key == "refusal.incomplete"
    assert bench.refused("soviet", "choose", *five[:4], STAVKA).rule == "3.0"
    bench.do("soviet", "choose", *five)

    assert available(bench.state, "soviet") == (*five, STAVKA)


def test_3_0_5_0_stacking_binds_in_the_set_up() -> None:
    """3.0, 5.0.4: Two Italians fill a hex of their colour: a German of that colour is refused there by 5.0.1, a Romanian by his colour."""
    bench = Bench(real_pack())
    group = next(group for group in bench.state.data.groups if group.id == "it8a")
    hex_id = bench.state.data.name(group.hexes[0])
    bench.do("axis", "place", "ax.it.cos", hex_id)
    bench.do("axis", "place", "ax.it.rav", hex_id)

    assert bench.refused("axis", "place", "ax.inf.298", hex_id).rule == "5.0.1"
    assert bench.refused("axis", "place", "ax.ro.5", hex_id).key == "refusal.victory_lost.wrong_colour"
    bench.do("axis", "place", "ax.hq.it8a", hex_id)
    assert bench.refused("axis", "ready").rule == "3.0"
