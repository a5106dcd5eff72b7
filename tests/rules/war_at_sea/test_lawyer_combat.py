"""7 – 11 Close readings of combat: convoys under fire, Graf Zeppelin in every role, U-boats in every sea, both sides struck at once."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.games.war_at_sea.airstrikes import air_targets, airstrike_strength
from engine.games.war_at_sea.antisubmarine import asw_strength
from engine.games.war_at_sea.combat_events import AswRolled, ConvoySpared, GroupsFormed, PursuitBrokenOff, Shot
from engine.games.war_at_sea.events import ShipDamaged, ShipDisabled, ShipsEscaped, ShipSunk, UBoatDisabled, UBoatSunk
from engine.games.war_at_sea.state import State
from engine.kernel.rig import Rig
from tests.rules.war_at_sea.waters import battle, fleet, happened, write_escape

CONVOY = "convoy_1a"


def hold(rig: Rig[State], *seats: str) -> None:
    """These seats hold their fire, those that are asked."""
    for seat in seats or ("allied", "axis"):
        if rig.asked().get(seat, "prompt.halt") != "prompt.halt":
            rig.do(seat, "hold_fire")


# --- 8 U-boats --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ships", "damage", "dice"),
    [
        (("queen_elizabeth", "warspite", "norfolk", "ark_royal", CONVOY), {"ark_royal": 2}, 9),
        ((CONVOY,), {}, 3),
        ((CONVOY,), {CONVOY: 4}, 3),
        (("eagle",), {}, 3),
        (("royal_oak",), {"royal_oak": 4}, 1),
        (("hood", "nelson", "norfolk"), {}, 3),
    ],
)
def test_8_2_strength_against_u_boats(ships: tuple[str, ...], damage: Mapping[str, int], dice: int) -> None:
    """8.2, R52 One a warship, three a carrier or convoy, whatever their damage."""
    rig = battle("north_atlantic", ships, boats=1, damage=damage)

    assert asw_strength(rig.state, "north_atlantic") == dice
    rig.dice(*[1] * dice)
    rig.do("allied", "hunt")
    assert happened(rig, AswRolled) == [AswRolled("north_atlantic", (1,) * dice)]


@pytest.mark.parametrize(
    ("dice", "sunk", "disabled"),
    [((6, 6, 6, 5), 2, 0), ((5, 5, 5, 5), 0, 2), ((6, 5, 1, 1), 1, 1), ((5, 6, 6, 1), 2, 0), ((1, 2, 3, 4), 0, 0), ((5, 1, 1, 1), 0, 1)],
)
def test_8_3_r15_sixes_before_fives(dice: tuple[int, ...], sunk: int, disabled: int) -> None:
    """8.3, 7.5, R15 Against two boats: sixes first whatever the order of the dice, then fives at those that are left."""
    rig = battle("north_sea", ["hood", "nelson", "norfolk", "suffolk"], boats=2)

    rig.dice(*dice)
    rig.do("allied", "hunt")
    assert (len(happened(rig, UBoatSunk)), len(happened(rig, UBoatDisabled))) == (sunk, disabled)
    assert (rig.asked() == {"axis": "prompt.war_at_sea.uboat_fire"}) is (sunk + disabled < 2)
    assert len(rig.state.boats_at("germany")) == disabled
    assert rig.state.boats_alive == 2 - sunk


@pytest.mark.parametrize(("wound", "place", "damage"), [(3, "north_atlantic", 3), (4, "north_atlantic", 4), (5, "sunk", 5)])
def test_8_4_a_convoy_is_struck_by_a_u_boat(wound: int, place: str, damage: int) -> None:
    """8.4, 7.6, R16 Convoy armor is 4: equal to it and the convoy floats, more sinks it."""
    rig = battle("north_atlantic", [CONVOY], boats=1)
    rig.dice(1, 1, 1)
    rig.do("allied", "hunt")
    rig.dice(6, wound)
    rig.do("axis", "torpedo", CONVOY)

    ship = rig.state.ships[CONVOY]
    assert (ship.place, ship.damage) == (place, damage)


def test_13_4_a_convoy_disabled_by_a_u_boat_goes_to_the_usa_at_once() -> None:
    """7.3, 13.4 Also from the Barents Sea, without a choice, and it is gone before the airstrikes."""
    rig = battle("barents_sea", [CONVOY, "hood"], ["scharnhorst"], boats=1, air={"axis": "barents_sea"})
    rig.do("allied", "hold_fire")
    rig.dice(5)
    rig.do("axis", "torpedo", CONVOY)

    assert happened(rig, ShipDisabled) == [ShipDisabled(CONVOY, "usa")]
    assert rig.options("axis", "strike") == ("hood",)


def test_8_1_u_boats_in_the_baltic_fight_the_soviets() -> None:
    """8.1, 8.2, 12.1 One die for Marat; the boat that survives cancels Soviet control, the ship struck goes to Leningrad."""
    rig = battle("baltic_sea", ["marat", "oktyabrskaya_revolutsiya"], boats=1)
    rig.dice(2, 3)
    rig.do("allied", "hunt")
    rig.dice(5)
    rig.do("axis", "torpedo", "marat")

    assert happened(rig, ShipDisabled) == [ShipDisabled("marat", "leningrad")]
    assert rig.state.control["baltic_sea"] == ""


@pytest.mark.parametrize(("die", "holder"), [(6, "allied"), (5, "allied"), (4, "")])
def test_12_1_only_boats_that_are_left_cancel_control(die: int, holder: str) -> None:
    """8.5, 12.1 (E23) A boat sunk or sent home cancels nothing; one that survives does."""
    rig = battle("north_sea", ["hood"], boats=1)
    rig.dice(die)
    rig.do("allied", "hunt")
    hold(rig)

    assert rig.state.control["north_sea"] == holder


@pytest.mark.parametrize(("allied_die", "holder"), [(5, ""), (1, "axis")])
def test_12_1_u_boats_beside_axis_ships(allied_die: int, holder: str) -> None:
    """12.1, R49 Hood drives Hipper off but a boat is left: nobody. Hood goes: the Axis by its ship, not by the boat."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"], boats=1)
    hold(rig)
    rig.dice(allied_die, 1, 1, 1)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    if allied_die == 1:
        rig.dice(4)
        rig.do("axis", "fire", "admiral_hipper", "hood")
    else:
        hold(rig)

    assert rig.state.control["north_sea"] == holder


def test_8_5_u_boats_neither_fire_nor_suffer_later() -> None:
    """8.5 In airstrike and surface combat no U-boat can be named, and none fires."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["admiral_hipper"], boats=2)
    hold(rig)

    assert rig.refused("allied", "strike", "uboat_1").rule == "9.5"
    rig.do("allied", "hold_fire")
    assert rig.refused("allied", "fire", "hood", "uboat_1").rule == "10.2"
    rig.do("allied", "hold_fire")
    assert rig.refused("axis", "fire", "uboat_1").rule == "10.2"


# --- 9 airstrikes, and Graf Zeppelin ----------------------------------------------------------------------------------------------


def test_9_2_graf_zeppelin_and_the_marker_together() -> None:
    """9.2, R20 (E27) Strength 2 and 3 in one sea make five targets; elsewhere each has its own."""
    british = ["hood", "renown", "repulse", "nelson", "rodney", "norfolk"]
    rig = battle("north_sea", british, ["graf_zeppelin"], turn=4, air={"axis": "north_sea"})

    assert airstrike_strength(rig.state, "axis", "north_sea") == 5
    assert rig.refused("axis", "strike", *british).rule == "9.3"
    rig.dice(1, 1, 1, 1, 1)
    rig.do("axis", "strike", *british[:5])
    assert [shot.plus for shot in happened(rig, Shot)] == [0] * 5


def test_9_2_a_crippled_carrier_with_a_marker_leaves_the_marker() -> None:
    """7.6, 9.2 Graf Zeppelin crippled adds nothing to the marker's three, and fires one die without the bonus."""
    rig = battle("north_sea", ["hood", "nelson"], ["graf_zeppelin"], turn=4, air={"axis": "north_sea"}, damage={"graf_zeppelin": 2})
    ship = rig.state.ships["graf_zeppelin"]

    assert airstrike_strength(rig.state, "axis", "north_sea") == 3
    assert (ship.airstrike_now, ship.gunnery_now, ship.speed_now, ship.bonus_now) == (0, 1, 5, 0)


def test_9_2_graf_zeppelin_damaged_but_not_crippled() -> None:
    """7.6, 10.5 One point of damage: it still strikes with 2, and its gun has lost the bonus."""
    rig = battle("north_sea", ["hood"], ["graf_zeppelin"], turn=4, damage={"graf_zeppelin": 1})
    ship = rig.state.ships["graf_zeppelin"]

    assert (ship.airstrike_now, ship.gunnery_now, ship.speed_now, ship.bonus_now) == (2, 1, 6, 0)


def test_9_1_graf_zeppelin_in_port_is_a_target_and_does_not_reply() -> None:
    """9.2, R19 The Allied marker on Germany strikes it; a carrier in port has no airstrike, so the Axis is not asked."""
    rig = battle("germany", [], ["graf_zeppelin", "scharnhorst"], turn=4, air={"allied": "germany"})

    assert airstrike_strength(rig.state, "axis", "germany") == 0
    rig.dice(6, 3, 3)
    rig.do("allied", "strike", "graf_zeppelin", "scharnhorst")
    assert happened(rig, ShipSunk) == [ShipSunk("graf_zeppelin", 3)]
    assert rig.asked() == {"axis": "prompt.halt"}


def test_10_6_graf_zeppelin_alone_is_a_free_target_either_way() -> None:
    """10.6, R22, R23 (E39) With no other Axis warship the silent carrier may be named at once; silent it may not fire."""
    rig = battle("north_sea", ["hood"], ["graf_zeppelin"], turn=4)
    hold(rig, "axis")
    rig.do("axis", "carriers_silent")

    assert rig.options("allied", "fire", "hood") == ("graf_zeppelin",)
    rig.do("allied", "hold_fire")
    assert rig.asked().keys() == {"allied", "axis"}, "the silent carrier is not asked for a target"


def test_10_6_the_declaration_is_made_anew_each_round() -> None:
    """10.6, R23 (E39) Exposed in round 1, silent and protected in round 2."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper", "graf_zeppelin"], turn=4)
    hold(rig, "axis")
    rig.do("axis", "carriers_fire", "graf_zeppelin")
    assert rig.options("allied", "fire", "hood") == ("admiral_hipper", "graf_zeppelin")
    hold(rig)
    write_escape(rig)

    assert rig.asked() == {"axis": "prompt.war_at_sea.declare_carriers"}
    rig.do("axis", "carriers_silent")
    assert rig.options("allied", "fire", "hood") == ("admiral_hipper",)


def test_9_3_an_airstrike_may_strike_fewer_and_each_side_strikes_what_was_there() -> None:
    """9.3, 9.4, R20 Both strikes are named on the ships as they were; then all takes effect, and survivors fight on the surface."""
    rig = battle("north_sea", ["ark_royal", "hood"], ["graf_zeppelin", "admiral_hipper"], turn=4)
    rig.dice(5, 6, 2)
    rig.do("allied", "strike", "graf_zeppelin", "admiral_hipper")
    rig.dice(6, 1)
    rig.do("axis", "strike", "ark_royal")

    assert happened(rig, ShipDisabled) == [ShipDisabled("graf_zeppelin", "germany")]
    assert happened(rig, ShipDamaged) == [ShipDamaged("admiral_hipper", 2), ShipDamaged("ark_royal", 1)]
    assert rig.state.ships["ark_royal"].place == "north_sea"
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


@pytest.mark.parametrize(
    ("side", "place", "ship", "changes", "struck"),
    [
        ("allied", "germany", "scharnhorst", {}, True),
        ("allied", "germany", "scharnhorst", {"repaired": True}, True),
        ("allied", "germany", "scharnhorst", {"path": ("germany",)}, True),
        ("allied", "germany", "scharnhorst", {"failed": True}, False),
        ("allied", "germany", "scharnhorst", {"disabled": True}, False),
        ("allied", "italy", "lutzow", {}, True),
        ("allied", "france", "zara", {}, True),
        ("axis", "malta", "eagle", {}, True),
        ("axis", "malta", "eagle", {"failed": True}, False),
        ("axis", "leningrad", "marat", {}, True),
        ("axis", "russia", "hood", {"disabled": True}, False),
    ],
)
def test_9_5_who_is_struck_in_port(side: str, place: str, ship: str, changes: dict[str, Any], struck: bool) -> None:
    """9.1, 9.5, R19 (E29, E31) All that lie there, whatever their nation, but those back by a failed move or disabled."""
    rig = battle(place, [], [], turn=4, air={side: place}, changes={ship: {"place": place, **changes}})

    assert air_targets(rig.state, side, place) == ((ship,) if struck else ())
    assert (rig.asked() == {side: "prompt.war_at_sea.airstrike"}) is struck


def test_9_5_disabled_at_sea_by_a_u_boat_is_safe_from_the_marker_in_its_port() -> None:
    """7.3, 9.5 Nelson, sent to Malta by a U-boat this turn, cannot be struck there."""
    rig = battle("mediterranean", ["nelson"], boats=1, air={"axis": "malta"}, changes={"eagle": {"place": "malta"}})
    rig.do("allied", "hold_fire")
    rig.dice(5)
    rig.do("axis", "torpedo", "nelson")

    assert rig.options("axis", "strike") == ("eagle",)
    assert rig.refused("axis", "strike", "nelson").rule == "9.5"


# --- 10 surface combat ------------------------------------------------------------------------------------------------------------


def test_10_4_both_halves_of_a_round_are_fired_with_full_strength() -> None:
    """10.4 (E35) Hood cripples Scharnhorst, which replies with three dice and +1; only the next round is fired with one die."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    rig.dice(6, 1, 1, 1, 5)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.dice(3, 3, 3)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert happened(rig, Shot) == [Shot("gun", "scharnhorst", "hood", (3, 3, 3), 1, ())]
    write_escape(rig)
    hold(rig, "allied")

    rig.dice(4)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert happened(rig, Shot) == [Shot("gun", "scharnhorst", "hood", (4,), 0, ())]


def test_10_5_the_bonus_of_a_ship_repaired_to_zero() -> None:
    """10.5, R21 Only the damage now carried counts: none, and it has its bonus."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"], changes={"scharnhorst": {"repaired": True}})

    assert rig.state.ships["scharnhorst"].bonus_now == 1


@pytest.mark.parametrize(
    ("dice", "hits", "off"), [((3, 3, 3), 0, False), ((4, 3, 3), 0, True), ((5, 3, 3), 1, False), ((6, 5, 4), 2, True)]
)
def test_10_5_what_the_bonus_makes_of_each_die(dice: tuple[int, ...], hits: int, off: bool) -> None:
    """10.5, R21 With +1 a 3 misses, a 4 disables, 5 and 6 hit."""
    rig = battle("north_sea", ["nelson"], ["gneisenau"])
    hold(rig, "allied")
    rig.dice(*dice, *[1] * hits)
    rig.do("axis", "fire", "gneisenau", "nelson")

    assert rig.state.ships["nelson"].damage == hits
    assert (rig.state.ships["nelson"].place == "england") is off


def test_10_7_a_convoy_beside_an_undamaged_carrier_is_protected() -> None:
    """10.7 Carriers count among the warships: the attack waits until Ark Royal is struck as well."""
    rig = battle("north_atlantic", ["ark_royal", CONVOY], ["scharnhorst", "gneisenau"])
    hold(rig, "allied")
    rig.dice(4, 1, 1, 6, 1, 1, 2)
    rig.do("axis", "fire", "scharnhorst", "ark_royal", "gneisenau", CONVOY)

    assert happened(rig, ConvoySpared) == []
    assert rig.state.ships[CONVOY].damage == 2


def test_10_7_a_miss_on_one_of_two_warships_spares_the_convoy_and_the_next_round_begins_anew() -> None:
    """10.7, R24 Suffolk is missed: no die at the convoy. Next round Norfolk, damaged in the first, counts as struck."""
    rig = battle("north_atlantic", ["norfolk", "suffolk", CONVOY], ["scharnhorst", "gneisenau", "admiral_hipper"])
    hold(rig, "allied")
    rig.dice(5, 1, 1, 1, 1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "norfolk", "gneisenau", "suffolk", "admiral_hipper", CONVOY)
    assert happened(rig, ConvoySpared) == [ConvoySpared(("admiral_hipper",))]
    write_escape(rig)
    hold(rig, "allied")

    rig.dice(5, 1, 1, 1, 6, 3)
    rig.do("axis", "fire", "gneisenau", "suffolk", "admiral_hipper", CONVOY)
    assert [shot.target for shot in happened(rig, Shot)] == ["suffolk", CONVOY]
    assert rig.state.ships[CONVOY].damage == 3


def test_10_7_all_warships_gone_leaves_the_convoy_free_in_the_next_round() -> None:
    """10.7, R24 Norfolk is sunk in round 1 and the convoy stays: in round 2 it is an ordinary target."""
    rig = battle("north_atlantic", ["norfolk", CONVOY], ["scharnhorst"])
    hold(rig, "allied")
    rig.dice(5, 1, 1, 4)
    rig.do("axis", "fire", "scharnhorst", "norfolk")
    assert happened(rig, ShipSunk) == [ShipSunk("norfolk", 4)]
    write_escape(rig)

    rig.dice(4, 1, 1)
    rig.do("axis", "fire", "scharnhorst", CONVOY)
    assert happened(rig, ShipDisabled) == [ShipDisabled(CONVOY, "usa")]
    assert rig.state.control["north_atlantic"] == "axis"


# --- 11 escape and pursuit --------------------------------------------------------------------------------------------------------


def test_11_3_a_convoy_flees_at_its_own_speed() -> None:
    """11.3, R27 (E47) Each in a group of its own: Lützow cannot catch Norfolk at 7, but the convoy at 2, and sinks it."""
    rig = battle("north_atlantic", ["norfolk", CONVOY], ["lutzow", "scharnhorst"])
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    assert happened(rig, GroupsFormed) == [GroupsFormed("allied", (("norfolk",), (CONVOY,)), (7, 2))]

    assert rig.refused("axis", "pursue", "lutzow", "group_1").rule == "11.4"
    rig.do("axis", "pursue", "lutzow", "group_2")
    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("norfolk",), "north_atlantic")]
    rig.dice(5, 1, 6)
    rig.do("axis", "fire", "lutzow", CONVOY)
    assert happened(rig, ShipSunk) == [ShipSunk(CONVOY, 6)]
    assert rig.state.control["north_atlantic"] == "axis"


def test_11_4_a_convoy_in_a_pursued_group_is_protected_by_its_companion() -> None:
    """10.7, R27 In the pursuit of one group only that group's warships count: Norfolk undamaged protects, Hood elsewhere does not."""
    rig = battle("north_atlantic", ["norfolk", "hood", CONVOY], ["scharnhorst", "gneisenau"])
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "groups", "hood", "next_group", "norfolk", CONVOY)
    rig.do("axis", "pursue", "rest", "group_2")
    hold(rig, "allied")

    rig.dice(4, 1, 1, 5, 1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "norfolk", "gneisenau", CONVOY)
    assert [shot.target for shot in happened(rig, Shot)] == ["norfolk", CONVOY]


def test_11_5_a_pursuer_as_fast_as_the_escape_speed_goes_on() -> None:
    """11.5 Speed equal to the escape speed is enough; one less must break off, and the group has escaped when none is left."""
    rig = battle("north_sea", ["renown"], ["scharnhorst"])
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "scharnhorst", "group_1")
    rig.dice(6, 1, 1, 1)
    rig.do("allied", "fire", "renown", "scharnhorst")
    rig.do("axis", "hold_fire")
    assert rig.asked() == {"axis": "prompt.war_at_sea.break_off"}, "7 - 1 = 6 = escape speed"
    rig.do("axis", "pursue_on")
    rig.dice(6, 1, 1, 1)
    rig.do("allied", "fire", "renown", "scharnhorst")
    rig.do("axis", "hold_fire")
    assert happened(rig, PursuitBrokenOff) == [PursuitBrokenOff(("scharnhorst",), True)]
    assert rig.state.ships["renown"].escaped
    assert rig.state.control["north_sea"] == "axis", "broken off, it did not escape (R28)"


def test_11_7_who_broke_off_may_not_pursue_again() -> None:
    """11.5, 11.7 Gneisenau broke off: in the next round it may not fire."""
    rig = battle("north_sea", ["hood"], ["scharnhorst", "gneisenau"])
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "rest", "group_1")
    hold(rig)
    rig.do("axis", "break_off", "gneisenau")
    hold(rig, "allied")

    assert rig.refused("axis", "fire", "gneisenau", "hood").rule == "11.7"


def test_11_2_r28_pursuers_wiped_out_beside_a_u_boat() -> None:
    """11.2, 12.1 The only pursuer is disabled and the Allied ship has escaped: nobody controls, U-boat or not."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"], boats=1)
    hold(rig)
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "admiral_hipper", "group_1")
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    hold(rig, "axis")

    assert rig.state.control["north_sea"] == ""


def test_11_1_the_axis_escapes_and_the_allies_control() -> None:
    """11.1, 11.4 The Allied convoy and Nelson are too slow to pursue Scharnhorst: it has escaped and the Allies control."""
    rig = battle("north_atlantic", ["nelson", CONVOY], ["scharnhorst"])
    hold(rig)
    write_escape(rig, axis="escape")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("scharnhorst",), "north_atlantic")]
    assert rig.state.control["north_atlantic"] == "allied"


def test_11_6_escaped_ships_do_not_fight_again() -> None:
    """10.1, 11.6 Ships that escaped stay in the area and take no part in anything more of the turn's combat."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    hold(rig)
    write_escape(rig, "escape", "stay")
    rig.do("axis", "let_go")

    assert fleet(rig, "north_sea") == ("hood", "scharnhorst")
    assert rig.asked() == {"axis": "prompt.halt"}


# --- 7.1 the order of combat ------------------------------------------------------------------------------------------------------


def test_7_1_by_area_keeps_a_port_apart_and_needs_no_question_for_the_last() -> None:
    """7.1, R1 Area by area: the Axis picks among seas and ports where anything is due; the last place goes by itself."""
    rig = battle(
        "north_sea",
        ["hood"],
        ["admiral_hipper"],
        boats=1,
        air={"allied": "italy"},
        changes={"littorio": {"place": "italy"}, "norfolk": {"place": "barents_sea"}, "gneisenau": {"place": "barents_sea"}},
        options={"opt_combat_order": "by_area"},
    )
    assert set(rig.options("axis")) == {"north_sea", "barents_sea", "italy"}
    rig.do("axis", "italy")
    assert rig.asked() == {"allied": "prompt.war_at_sea.airstrike"}
    rig.do("allied", "hold_fire")
    assert set(rig.options("axis")) == {"north_sea", "barents_sea"}
    rig.do("axis", "barents_sea")
    rig.dice(5)
    rig.do("allied", "fire", "norfolk", "gneisenau")
    hold(rig, "axis")

    assert rig.asked() == {"allied": "prompt.war_at_sea.asw_attack"}


def test_7_1_by_kind_every_sea_finishes_one_kind_first() -> None:
    """7.1, R1 By kind: both anti-submarine fights come before the airstrike, whichever the Axis picks first."""
    rig = battle(
        "north_sea",
        ["hood"],
        ["admiral_hipper"],
        boats=1,
        air={"allied": "north_sea"},
        changes={"nelson": {"place": "barents_sea"}},
    )
    rig.change(uboats={**rig.state.uboats, "uboat_2": "barents_sea"})
    rig.jump("bench")
    assert rig.asked() == {"axis": "prompt.war_at_sea.asw_order"}
    rig.do("axis", "barents_sea")
    hold(rig)
    assert rig.asked() == {"allied": "prompt.war_at_sea.asw_attack"}
    hold(rig)
    assert rig.asked() == {"allied": "prompt.war_at_sea.airstrike"}


# --- refusals ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("port", "rule"), [("england", "2.2"), ("italy", "A.2"), ("germany", ""), ("france", "")])
def test_7_3_a_wrong_port_for_a_disabled_ship_names_its_clause(port: str, rule: str) -> None:
    """2.2, 7.3, A.2, R12 Scharnhorst, disabled in the North Atlantic on turn 3, goes to Germany or France."""
    rig = battle("north_atlantic", ["hood"], ["scharnhorst"])
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    hold(rig, "axis")

    if rule:
        assert rig.refused("axis", "retire", port).rule == rule
    else:
        rig.do("axis", "retire", port)
        assert rig.state.ships["scharnhorst"].place == port


@pytest.mark.parametrize(
    ("turn", "ship", "area", "port"),
    [
        (1, "scharnhorst", "north_atlantic", "germany"),
        (7, "scharnhorst", "north_atlantic", "germany"),
        (3, "scharnhorst", "south_atlantic", "south_america"),
        (3, "scharnhorst", "mediterranean", "italy"),
        (3, "zara", "north_atlantic", "france"),
        (1, "zara", "north_atlantic", ""),
        (3, "zara", "south_atlantic", "south_america"),
        (3, "littorio", "mediterranean", "italy"),
    ],
)
def test_7_3_r12_a_disabled_axis_ship_without_a_choice(turn: int, ship: str, area: str, port: str) -> None:
    """7.3, 12.3, 15.4, 15.5, R12 The one port it has, at once; with none it is out of the game."""
    rig = battle(area, ["hood"], [ship], turn=turn)
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", ship)
    hold(rig, "axis")

    assert happened(rig, ShipDisabled) == [ShipDisabled(ship, port)]
    assert rig.state.ships[ship].place == (port or "removed")


def test_11_1_escape_is_decided_after_the_round() -> None:
    """11.1 A side that would escape instead of firing is told when it may."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])

    assert rig.refused("allied", "escape").rule == "11.1"


def test_7_1_the_question_of_order_cites_its_clause() -> None:
    """7.1 Which of several fights comes next is asked by that clause."""
    rig = battle(
        "north_sea", ["hood"], ["admiral_hipper"], changes={"norfolk": {"place": "barents_sea"}, "lutzow": {"place": "barents_sea"}}
    )

    step = rig.rules.steps[rig.position.top.name]
    assert step.deciders(rig.position, rig.position.top)["axis"].prompt.rule == "7.1"
