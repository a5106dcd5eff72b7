"""11.4-11.7 Pursuit: who may pursue, who breaks off, and what escaped ships may no longer do."""

import pytest

from tests.rules.war_at_sea.charts import CONVOY, NA, NS, happened
from tests.rules.war_at_sea.waters import (
    at_combat,
    battle,
    chase,
    fleet,
    hold,
    hold_fire,
    quiet_round,
    write_escape,
)
from warledger.engine.games.war_at_sea.escape import GroupsFormed, ShipsEscaped
from warledger.engine.games.war_at_sea.pursuit import (
    PursuitAssigned,
    PursuitBrokenOff,
    PursuitOpened,
)
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.games.war_at_sea.volley import ShipSunk, Shot

# --- 11.4 -----------------------------------------------------------------------------------------


def test_11_4_pursuers_must_be_fast_enough() -> None:
    """11.4 Some or all pursue, each one group, at least as fast as its escape speed; a convoy never
    (R56)."""
    rig = chase()

    assert rig.asked() == {"axis": "prompt.war_at_sea.pursue"}
    assert rig.options("axis", "pursue", "admiral_scheer") == ("group_2",)
    refusal = rig.refused("axis", "pursue", "admiral_scheer", "group_1")
    assert (refusal.rule, refusal.key) == ("11.4", "refusal.war_at_sea.too_slow_for_group")
    refusal = rig.refused("axis", "pursue", "scharnhorst", "group_1", "scharnhorst", "group_2")
    assert (refusal.rule, refusal.key) == ("11.4", "refusal.war_at_sea.pursues_already")
    rig.do("axis", "pursue", "scharnhorst", "group_1", "rest", "group_2")
    assert happened(rig, PursuitAssigned) == [
        PursuitAssigned("axis", (("scharnhorst",), ("admiral_scheer", "admiral_hipper")))
    ]
    assert rig.asked() == {"axis": "prompt.war_at_sea.pursuit_order"}
    rig.do("axis", "group_2")
    assert happened(rig, PursuitOpened) == [PursuitOpened(1)]
    assert rig.state.combat.allied == ("norfolk", "nelson")
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_11_4_convoys_cannot_pursue() -> None:
    """11.4, R56 The Axis escapes at speed 1: the warship may pursue, the convoy may not."""
    rig = battle(
        "north_atlantic", ["nelson", "convoy_1a"], ["scharnhorst"], damage={"scharnhorst": 5}
    )
    quiet_round(rig)
    write_escape(rig, axis="escape")

    assert rig.options("allied", "pursue") == ("nelson",)
    refusal = rig.refused("allied", "pursue", "convoy_1a", "group_1")
    assert (refusal.rule, refusal.key) == ("11.4", "refusal.war_at_sea.convoy_pursues")


def test_11_4_groups_that_nobody_pursues_have_escaped() -> None:
    """11.4, 11.6 Hood's group is not pursued: it has escaped at once; the other group fights on."""
    rig = chase()
    rig.do("axis", "pursue", "admiral_hipper", "group_2")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("hood",), "north_sea")]
    assert (rig.state.combat.allied, rig.state.combat.axis) == (
        ("norfolk", "nelson"),
        ("admiral_hipper",),
    )


def test_11_4_carrier_protection_counts_only_the_group() -> None:
    """10.6, R27 In the pursuit of a group only its own ships protect a carrier."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    rig.do("axis", "pursue", "scharnhorst", "group_2")

    assert rig.options("axis", "fire", "scharnhorst") == ("ark_royal",)


def test_11_4_a_convoy_in_a_pursued_group_is_protected_by_its_companion() -> None:
    """10.7, R27 In the pursuit of one group only that group's warships count: Norfolk undamaged
    protects, Hood elsewhere does not."""
    rig = battle("north_atlantic", ["norfolk", "hood", CONVOY], ["scharnhorst", "gneisenau"])
    hold(rig)
    write_escape(rig, allied="escape")
    rig.do("allied", "groups", "hood", "next_group", "norfolk", CONVOY)
    rig.do("axis", "pursue", "rest", "group_2")
    hold(rig, "allied")

    rig.dice(4, 1, 1, 5, 1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "norfolk", "gneisenau", CONVOY)
    assert [shot.target for shot in happened(rig, Shot)] == ["norfolk", CONVOY]


@pytest.mark.parametrize(("damage", "caught"), [(0, False), (1, True), (4, True)])
def test_11_4_a_crippled_hunter_and_a_convoy(damage: int, caught: bool) -> None:
    """7.6, 11.4, R55 Bismarck with eight points makes speed 1: it may pursue a convoy slowed to 1,
    not one at 2."""
    rig = battle(NA, ["convoy_1a"], ["bismarck"], damage={"bismarck": 8, "convoy_1a": damage})
    hold_fire(rig, "axis")
    write_escape(rig, allied="escape")

    assert (rig.asked() == {"axis": "prompt.war_at_sea.pursue"}) is caught
    assert rig.state.ships["convoy_1a"].escaped is not caught
    if not caught:
        assert rig.state.control[NA] == "axis"


# --- 11.5 -----------------------------------------------------------------------------------------


def test_11_5_escape_speed_is_fixed() -> None:
    """11.3, 11.5 (E44) Hood is slowed to 5, its group's escape speed stays 7; Scharnhorst, slowed
    to 6, must break off."""
    rig = battle("north_sea", ["hood"], ["scharnhorst", "gneisenau"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "rest", "group_1")

    rig.dice(6, 1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.dice(5, 1, 1, 2)
    rig.do("axis", "fire", "gneisenau", "hood")
    assert rig.state.ships["hood"].speed_now == 5
    assert rig.state.combat.groups[0].speed == 7
    assert happened(rig, PursuitBrokenOff) == [PursuitBrokenOff(("scharnhorst",), True)]
    assert rig.state.combat.axis == ("gneisenau",)
    assert rig.asked() == {"axis": "prompt.war_at_sea.break_off"}


def test_11_5_pursuers_may_break_off() -> None:
    """11.5, 11.6 After a round some or all pursuers break off; when none is left the group has
    escaped."""
    rig = battle("north_sea", ["hood"], ["scharnhorst", "gneisenau"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "rest", "group_1")
    quiet_round(rig)

    refusal = rig.refused("axis", "break_off", "hood")
    assert (refusal.rule, refusal.key) == ("11.5", "refusal.war_at_sea.not_pursuing")
    rig.do("axis", "break_off", "gneisenau")
    rig.dice(1, 1, 1, 1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert rig.options("axis") == ("pursue_on", "break_off_all")
    rig.do("axis", "break_off_all")
    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("hood",), "north_sea")]
    assert rig.state.control["north_sea"] == "axis"


def test_11_5_slowed_disabled_and_left_behind() -> None:
    """11.3 – 11.6, 12.1 Scharnhorst at 4 and Lützow flee at 4. Nelson cannot pursue, Warspite can;
    struck once it must break off. Hood disables Lützow and is disabled: Scharnhorst has escaped,
    and Nelson and Warspite hold the North Sea."""
    rig = battle(
        NS, ["nelson", "warspite", "hood"], ["scharnhorst", "lutzow"], damage={"scharnhorst": 3}
    )
    hold_fire(rig, "allied", "axis")
    write_escape(rig, axis="escape")
    rig.do("axis", "together")
    assert rig.refused("allied", "pursue", "nelson", "group_1").rule == "11.4"
    rig.do("allied", "pursue", "rest", "group_1")
    hold_fire(rig, "allied")
    rig.dice(6, 1, 1, 1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "warspite", "lutzow", "hood")
    assert happened(rig, PursuitBrokenOff) == [PursuitBrokenOff(("warspite",), True)]
    rig.do("allied", "pursue_on")
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "lutzow")
    rig.dice(5, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "hood")

    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("scharnhorst",), NS)]
    ships = rig.state.ships
    assert {name: ships[name].place for name in ("hood", "lutzow", "warspite")} == {
        "hood": "england",
        "lutzow": "germany",
        "warspite": NS,
    }
    assert rig.state.control[NS] == "allied"


def test_11_5_who_broke_off_keeps_control_and_may_not_come_back() -> None:
    """11.5, 11.7, R28 Prinz Eugen breaks off, Hipper goes on and is sunk: the Axis controls by
    Prinz Eugen, which may not fire again."""
    rig = battle(NS, ["norfolk", "exeter"], ["admiral_hipper", "prinz_eugen"])
    hold_fire(rig, "allied", "axis")
    write_escape(rig, allied="escape")
    rig.do("allied", "together")
    rig.do("axis", "pursue", "rest", "group_1")
    hold_fire(rig, "allied", "axis")
    rig.do("axis", "break_off", "prinz_eugen")
    rig.dice(6, 1, 3)
    rig.do("allied", "fire", "rest", "admiral_hipper")
    assert rig.refused("axis", "fire", "prinz_eugen", "norfolk").rule == "11.7"
    rig.do("axis", "hold_fire")

    assert rig.state.ships["norfolk"].escaped and rig.state.ships["exeter"].escaped
    assert rig.state.control[NS] == "axis"


def test_11_5_a_pursuit_without_a_shot_is_given_up() -> None:
    """R25, 11.6 Two rounds of a pursuit without a die end it; the group has escaped and the pursuer
    keeps control."""
    rig = battle("north_sea", ["ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "scharnhorst", "group_1")

    for _ in range(2):
        rig.do("axis", "hold_fire")
        rig.do("axis", "pursue_on")
    assert rig.state.ships["ark_royal"].escaped
    assert rig.state.control["north_sea"] == "axis"


def test_11_5_a_pursuer_as_fast_as_the_escape_speed_goes_on() -> None:
    """11.5 Speed equal to the escape speed is enough; one less must break off, and the group has
    escaped when none is left."""
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


# --- 11.6 -----------------------------------------------------------------------------------------


def test_11_6_disabled_pursuers_let_the_group_go() -> None:
    """11.6 The only pursuer is disabled: the group has escaped; with nobody left there nobody
    controls (11.2)."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    quiet_round(rig)
    write_escape(rig, allied="escape")
    rig.do("axis", "pursue", "scharnhorst", "group_1")

    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "hold_fire")
    assert rig.state.ships["hood"].escaped
    assert rig.state.control["north_sea"] == ""


def test_11_6_escaped_ships_do_not_fight_again() -> None:
    """10.1, 11.6 Ships that escaped stay in the area and take no part in anything more of the
    turn's combat."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])
    hold(rig)
    write_escape(rig, "escape", "stay")
    rig.do("axis", "let_go")

    assert fleet(rig, "north_sea") == ("hood", "scharnhorst")
    assert rig.asked() == {"axis": "prompt.halt"}


def test_11_6_a_convoy_run_down_and_not_sunk_reaches_england() -> None:
    """11.3 – 11.6, 13.2, 17.1 Hood and a convoy flee apart; Scharnhorst catches the convoy,
    cripples it and breaks off. The Axis controls the North Atlantic, three points; the convoy goes
    into England, one."""
    rig = at_combat({"hood": NA, "convoy_1a": NA, "scharnhorst": NA}, 4)
    hold_fire(rig, "allied", "axis")
    write_escape(rig, allied="escape")
    rig.do("allied", "apart")
    assert happened(rig, GroupsFormed)[0].speeds == (7, 2)
    rig.do("axis", "pursue", "scharnhorst", "group_2")
    rig.dice(5, 3, 3, 4)
    rig.do("axis", "fire", "scharnhorst", "convoy_1a")
    rig.do("axis", "break_off_all")
    assert happened(rig, ShipsEscaped) == [ShipsEscaped(("convoy_1a",), NA)]
    rig.do("allied", "into_england")
    rig.do("axis", "return", "france")
    rig.do("allied", "return", "england")

    assert happened(rig, Scored) == [Scored(4, (0, 1, 0), (3, 0, 0), 2)]


# --- 11.7 -----------------------------------------------------------------------------------------


def test_11_7_no_switching() -> None:
    """11.7 (E49) The pursuers of group 1 destroy it: they may not attack group 2, and ships that
    stayed out may not start."""
    rig = chase()
    rig.do("axis", "pursue", "scharnhorst", "group_1", "admiral_hipper", "group_2")
    rig.do("axis", "group_1")
    rig.do("allied", "hold_fire")
    rig.dice(5, 5, 1, 3, 3)
    rig.do("axis", "fire", "scharnhorst", "hood")

    assert happened(rig, ShipSunk) == [ShipSunk("hood", 6)]
    assert (rig.state.combat.allied, rig.state.combat.axis) == (
        ("norfolk", "nelson"),
        ("admiral_hipper",),
    )
    rig.do("allied", "hold_fire")
    for ship in ("scharnhorst", "admiral_scheer"):
        refusal = rig.refused("axis", "fire", ship, "norfolk")
        assert (refusal.rule, refusal.key) == ("11.7", "refusal.war_at_sea.not_in_pursuit")
    rig.do("axis", "hold_fire")
    refusal = rig.refused("axis", "pursue", "scharnhorst", "group_2")
    assert (refusal.rule, refusal.key) == ("11.7", "refusal.war_at_sea.no_switching")


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
