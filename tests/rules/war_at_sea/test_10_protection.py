"""10.6, 10.7 What warships protect: carriers and convoys."""

import pytest

from tests.rules.war_at_sea.charts import CONVOY, happened
from tests.rules.war_at_sea.waters import (
    battle,
    conditional,
    hold,
    hold_fire,
    wounds_of,
    write_escape,
    zeppelin,
)
from warledger.engine.games.war_at_sea.surface import CarriersDeclared, ConvoySpared
from warledger.engine.games.war_at_sea.volley import ShipDisabled, ShipSunk, Shot

NORFOLK, SUFFOLK = "norfolk", "suffolk"
GERMANS = ("scharnhorst", "gneisenau", "admiral_hipper")


# --- 10.6 -----------------------------------------------------------------------------------------


def test_10_6_carriers_are_protected_while_others_are_not_named() -> None:
    """10.6, R22 (E37) Ark Royal may be named only once Norfolk and Suffolk have been."""
    rig = battle("north_sea", [NORFOLK, SUFFOLK, "ark_royal"], GERMANS)
    rig.do("allied", "hold_fire")
    rig.do("allied", "hold_fire")

    assert rig.options("axis", "fire", "scharnhorst") == (NORFOLK, SUFFOLK)
    refusal = rig.refused(
        "axis", "fire", "scharnhorst", NORFOLK, "gneisenau", NORFOLK, "admiral_hipper", "ark_royal"
    )
    assert (refusal.rule, refusal.key) == ("10.6", "refusal.war_at_sea.carrier_protected")
    assert dict(refusal.args)["missing"] == (SUFFOLK,)
    rig.dice(*[1] * 7)
    rig.do(
        "axis", "fire", "scharnhorst", NORFOLK, "gneisenau", SUFFOLK, "admiral_hipper", "ark_royal"
    )
    assert len(happened(rig, Shot)) == 3


def test_10_6_two_firing_ships_cannot_reach_the_carrier() -> None:
    """10.6 (E37) With two firing Axis ships Ark Royal cannot be named at all."""
    rig = battle("north_sea", [NORFOLK, SUFFOLK, "ark_royal"], GERMANS[:2])
    rig.do("allied", "hold_fire")
    rig.do("allied", "hold_fire")

    assert rig.options("axis", "fire", "scharnhorst", NORFOLK, "gneisenau") == (NORFOLK, SUFFOLK)


def test_10_6_a_carrier_that_fired_is_exposed() -> None:
    """10.6, R23 (E38) Eagle fired in the Allied half: it may be named although Suffolk is not; next
    round it is protected again."""
    rig = battle("north_sea", [SUFFOLK, "eagle"], ["admiral_hipper"])
    rig.do("allied", "hold_fire")

    rig.dice(1, 1)
    rig.do("allied", "fire", "rest", "admiral_hipper")
    assert rig.options("axis", "fire", "admiral_hipper") == (SUFFOLK, "eagle")
    rig.do("axis", "hold_fire")
    write_escape(rig)
    rig.dice(1)
    rig.do("allied", "fire", SUFFOLK, "admiral_hipper")
    assert rig.options("axis", "fire", "admiral_hipper") == (SUFFOLK,)


def test_10_6_the_axis_declares_its_carriers_before_the_allies_name_targets() -> None:
    """10.6, R23 A carrier declared silent is protected and may not fire."""
    rig = zeppelin("carriers_silent")

    assert happened(rig, CarriersDeclared) == [CarriersDeclared((), True)]
    assert rig.options("allied", "fire", "hood") == ("admiral_hipper",)
    assert rig.options("allied", "fire", "hood", "admiral_hipper", "renown") == (
        "admiral_hipper",
        "graf_zeppelin",
    )
    rig.do("allied", "hold_fire")
    refusal = rig.refused("axis", "fire", "graf_zeppelin", "hood")
    assert (refusal.rule, refusal.key) == ("10.6", "refusal.war_at_sea.declared_silent")


def test_10_6_gunnery_zero_may_not_name_a_target() -> None:
    """10.6 (E42) Ark Royal, gunnery 0, is not offered and is refused with the clause."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")

    assert rig.options("allied", "fire") == ("hood",)
    refusal = rig.refused("allied", "fire", "ark_royal", "scharnhorst")
    assert (refusal.rule, refusal.key) == ("10.6", "refusal.war_at_sea.no_gunnery")


def test_10_6_graf_zeppelin_alone_is_a_free_target_either_way() -> None:
    """10.6, R22, R23 (E39) With no other Axis warship the silent carrier may be named at once;
    silent it may not fire."""
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


def test_10_6_eagle_crippled_has_one_gun_and_is_exposed_by_it() -> None:
    """7.6, 10.6, R23 Eagle crippled keeps gunnery 1; fired this round it may be named without Hood,
    silent the next it may not."""
    rig = battle("south_atlantic", ["hood", "eagle"], ["graf_spee"], damage={"eagle": 2})
    rig.dice(1)
    rig.do("allied", "fire", "eagle", "graf_spee")
    assert rig.options("axis", "fire", "graf_spee") == ("hood", "eagle")
    hold_fire(rig, "axis")
    write_escape(rig)
    hold_fire(rig, "allied")

    assert rig.options("axis", "fire", "graf_spee") == ("hood",)


def test_10_6_a_carrier_alone_is_a_free_target() -> None:
    """10.6, R22 Without other warships carriers are free targets; one need not be named before
    another, nor a convoy."""
    rig = battle("north_atlantic", ["ark_royal", "glorious", "convoy_1a"], ["scharnhorst"])
    rig.do("allied", "hold_fire")

    assert rig.options("axis", "fire", "scharnhorst") == ("ark_royal", "glorious", "convoy_1a")


def test_10_6_a_carrier_declared_firing_is_exposed_and_may_still_hold() -> None:
    """10.6, R23 A carrier declared firing may be named at once, and may fire or not."""
    rig = zeppelin("carriers_fire", "graf_zeppelin")

    assert rig.options("allied", "fire", "hood") == ("admiral_hipper", "graf_zeppelin")
    rig.do("allied", "hold_fire")
    assert rig.options("axis", "fire") == ("admiral_hipper", "graf_zeppelin", "rest")
    rig.dice(4)
    rig.do("axis", "fire", "graf_zeppelin", "hood")
    assert happened(rig, Shot) == [Shot("gun", "graf_zeppelin", "hood", (4,), 1, ())]


# --- 10.7 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("struck", [True, False])
def test_10_7_conditional_attack_on_a_convoy(struck: bool) -> None:
    """10.7, R24 (E40) Two ships at Norfolk, Hipper at the convoy: its die is rolled only if Norfolk
    was struck."""
    rig = battle("north_atlantic", [NORFOLK, "convoy_1a"], GERMANS)
    rig.do("allied", "hold_fire")

    picks = ("fire", "scharnhorst", NORFOLK, "gneisenau", NORFOLK, "admiral_hipper", "convoy_1a")
    shown = rig.preview("axis", *picks)
    assert isinstance(shown, tuple)
    assert shown[-1].key == "preview.war_at_sea.convoy_conditional"
    if struck:
        rig.dice(4, 1, 1, 1, 1, 1, 5, 2)
        rig.do("axis", *picks)
        assert [shot.target for shot in happened(rig, Shot)] == [NORFOLK, NORFOLK, "convoy_1a"]
        assert rig.state.ships["convoy_1a"].damage == 2
        assert rig.state.combat.leaving == (NORFOLK,)
    else:
        rig.dice(1, 1, 1, 1, 1, 1)
        rig.do("axis", *picks)
        assert [shot.target for shot in happened(rig, Shot)] == [NORFOLK, NORFOLK]
        assert happened(rig, ConvoySpared) == [ConvoySpared(("admiral_hipper",))]


def test_10_7_attacks_on_the_convoy_roll_last_whatever_the_order_of_naming() -> None:
    """10.7, R24 Named first, the attack on the convoy still rolls after the others' attack and
    damage dice."""
    rig = battle("north_atlantic", [NORFOLK, "convoy_1a"], GERMANS)
    rig.do("allied", "hold_fire")

    rig.dice(5, 1, 1, 6, 1, 1, 1, 1, 1, 2)
    rig.do(
        "axis", "fire", "gneisenau", "convoy_1a", "scharnhorst", NORFOLK, "admiral_hipper", NORFOLK
    )
    assert [(shot.by, shot.dice, shot.wounds) for shot in happened(rig, Shot)] == [
        ("scharnhorst", (5, 1, 1), (1,)),
        ("admiral_hipper", (6,), (1,)),
        ("gneisenau", (1, 1, 1), ()),
    ]


def test_10_7_every_warship_must_be_struck() -> None:
    """10.7, R24 One warship damaged before and one struck now is enough; one left whole is not.
    Carriers count as warships."""
    rig = battle(
        "north_atlantic", [NORFOLK, "ark_royal", "convoy_1a"], GERMANS[:2], damage={NORFOLK: 1}
    )
    rig.do("allied", "hold_fire")
    rig.do("allied", "hold_fire")

    rig.dice(4, 1, 1)
    rig.do("axis", "fire", "scharnhorst", NORFOLK, "gneisenau", "convoy_1a")
    assert happened(rig, ConvoySpared) == [ConvoySpared(("gneisenau",))]


def test_10_7_damage_carried_before_counts_as_struck() -> None:
    """10.7, R24 Norfolk carries damage from before and Suffolk is struck now: the attack on the
    convoy is carried out."""
    rig = battle(
        "north_atlantic", [NORFOLK, SUFFOLK, "convoy_1a"], GERMANS[:2], damage={NORFOLK: 1}
    )
    rig.do("allied", "hold_fire")

    rig.dice(5, 1, 1, 1, 1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", SUFFOLK, "gneisenau", "convoy_1a")
    assert [shot.target for shot in happened(rig, Shot)] == [SUFFOLK, "convoy_1a"]


@pytest.mark.parametrize("allied", [(NORFOLK, "convoy_1a"), ("convoy_1a",)])
def test_10_7_free_attack_on_a_convoy(allied: tuple[str, ...]) -> None:
    """10.7, R24 (E41) With Norfolk damaged already, or gone, the convoy is an ordinary target."""
    rig = battle(
        "north_atlantic", allied, GERMANS[:1], damage={NORFOLK: 1} if NORFOLK in allied else {}
    )
    if NORFOLK in allied:
        rig.do("allied", "hold_fire")

    rig.dice(5, 1, 1, 3)
    rig.do("axis", "fire", "scharnhorst", "convoy_1a")
    assert rig.state.ships["convoy_1a"].damage == 3


def test_10_7_all_warships_gone_leaves_the_convoy_free_in_the_next_round() -> None:
    """10.7, R24 Norfolk is sunk in round 1 and the convoy stays: in round 2 it is an ordinary
    target."""
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


def test_10_7_the_carrier_must_be_struck_too() -> None:
    """10.6, 10.7, R22, R24 Norfolk was damaged before and is missed now, Ark Royal is disabled now:
    all warships are struck, so the attack on the convoy is carried out, and sinks it."""
    rig = conditional({"norfolk": 1})
    rig.dice(1, 1, 1, 4, 6, 1, 1, 5)
    rig.do(
        "axis", "fire", "scharnhorst", CONVOY, "gneisenau", "norfolk", "admiral_hipper", "ark_royal"
    )

    assert [(shot.by, shot.dice) for shot in happened(rig, Shot)] == [
        ("gneisenau", (1, 1, 1)),
        ("admiral_hipper", (4,)),
        ("scharnhorst", (6, 1, 1)),
    ]
    assert rig.state.ships[CONVOY].place == "sunk"
    rig.do("allied", "retire", "usa")
    assert wounds_of(rig)["ark_royal"] == ("usa", 0)


def test_10_7_an_undamaged_carrier_shields_the_convoy() -> None:
    """10.7, R24 The same, but Hipper misses Ark Royal: Scharnhorst's dice are not rolled."""
    rig = conditional({"norfolk": 1})
    rig.dice(1, 1, 1, 3)
    rig.do(
        "axis", "fire", "scharnhorst", CONVOY, "gneisenau", "norfolk", "admiral_hipper", "ark_royal"
    )

    assert happened(rig, ConvoySpared) == [ConvoySpared(("scharnhorst",))]
    assert rig.state.ships[CONVOY].damage == 0


def test_10_7_all_damaged_before_and_nobody_else_attacked() -> None:
    """10.6, 10.7 Norfolk and Ark Royal both carry damage: the convoy is free, all three may fire at
    it, the carrier is still protected."""
    rig = conditional({"norfolk": 1, "ark_royal": 1})
    assert rig.refused("axis", "fire", "gneisenau", "ark_royal").rule == "10.6"
    rig.dice(3, 3, 3, 3, 3, 3, 4)
    rig.do("axis", "fire", "rest", CONVOY)

    assert wounds_of(rig)[CONVOY] == ("usa", 0)


def test_10_7_a_convoy_beside_an_undamaged_carrier_is_protected() -> None:
    """10.7 Carriers count among the warships: the attack waits until Ark Royal is struck as
    well."""
    rig = battle("north_atlantic", ["ark_royal", CONVOY], ["scharnhorst", "gneisenau"])
    hold(rig, "allied")
    rig.dice(4, 1, 1, 6, 1, 1, 2)
    rig.do("axis", "fire", "scharnhorst", "ark_royal", "gneisenau", CONVOY)

    assert happened(rig, ConvoySpared) == []
    assert rig.state.ships[CONVOY].damage == 2


def test_10_7_a_miss_on_one_of_two_warships_spares_the_convoy_and_the_next_round_begins_anew() -> (
    None
):
    """10.7, R24 Suffolk is missed: no die at the convoy. Next round Norfolk, damaged in the first,
    counts as struck."""
    rig = battle(
        "north_atlantic",
        ["norfolk", "suffolk", CONVOY],
        ["scharnhorst", "gneisenau", "admiral_hipper"],
    )
    hold(rig, "allied")
    rig.dice(5, 1, 1, 1, 1, 1, 1)
    rig.do(
        "axis", "fire", "scharnhorst", "norfolk", "gneisenau", "suffolk", "admiral_hipper", CONVOY
    )
    assert happened(rig, ConvoySpared) == [ConvoySpared(("admiral_hipper",))]
    write_escape(rig)
    hold(rig, "allied")

    rig.dice(5, 1, 1, 1, 6, 3)
    rig.do("axis", "fire", "gneisenau", "suffolk", "admiral_hipper", CONVOY)
    assert [shot.target for shot in happened(rig, Shot)] == ["suffolk", CONVOY]
    assert rig.state.ships[CONVOY].damage == 3


def test_10_7_a_convoy_attack_assigned_first_does_not_count_for_the_carrier() -> None:
    """10.6, R22 Only attacks on warships that are no carriers open the carrier; an attack on the
    convoy does not."""
    rig = conditional({})

    assert (
        rig.refused("axis", "fire", "gneisenau", CONVOY, "scharnhorst", "ark_royal").rule == "10.6"
    )
    assert "ark_royal" in rig.options("axis", "fire", "gneisenau", "norfolk", "scharnhorst")
