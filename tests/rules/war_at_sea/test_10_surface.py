"""Chapter 10: surface combat."""

import pytest

from engine.games.war_at_sea.combat_events import CarriersDeclared, ConvoySpared, Shot, Standoff
from engine.games.war_at_sea.events import ShipDamaged, ShipDisabled, ShipSunk
from engine.games.war_at_sea.state import State
from engine.kernel.rig import Rig
from tests.rules.war_at_sea.waters import battle, fleet, happened, write_escape

NORFOLK, SUFFOLK = "norfolk", "suffolk"
GERMANS = ("scharnhorst", "gneisenau", "admiral_hipper")


def test_10_1_until_one_side_is_gone() -> None:
    """10.1 Round follows round until one side has no surface ship left; then nobody is asked about escape."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"])

    rig.dice(1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    rig.dice(1)
    rig.do("axis", "fire", "admiral_hipper", "hood")
    write_escape(rig)
    assert rig.state.combat.round == 2
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    rig.do("axis", "hold_fire")
    assert rig.state.fight is None
    assert fleet(rig, "north_sea") == ("hood",)
    assert rig.state.control["north_sea"] == "allied"


def test_10_1_no_combat_in_the_neutral_port() -> None:
    """15.5 Ships of both sides in the neutral port do not fight."""
    rig = battle("south_america", ["hood"], ["admiral_hipper"])

    assert rig.asked() == {"axis": "prompt.halt"}


def test_10_2_targets_are_named_ship_by_ship() -> None:
    """10.2 One ship attacks one target, several may attack the same; ships of others and of other places cannot be named."""
    rig = battle("north_sea", ["hood", "renown"], ["scharnhorst", "gneisenau"], changes={"nelson": {"place": "england"}})

    assert rig.options("allied", "fire") == ("hood", "renown", "rest")
    refusal = rig.refused("allied", "fire", "hood", "gneisenau", "hood", "scharnhorst")
    assert (refusal.rule, refusal.key) == ("10.2", "refusal.war_at_sea.one_target_each")
    refusal = rig.refused("allied", "fire", "nelson", "gneisenau")
    assert (refusal.rule, refusal.key) == ("10.2", "refusal.war_at_sea.not_in_fight")
    refusal = rig.refused("allied", "fire", "hood", "renown")
    assert (refusal.rule, refusal.key) == ("10.2", "refusal.war_at_sea.no_target_in_fight")
    rig.dice(*[1] * 7)
    rig.do("allied", "fire", "hood", "scharnhorst", "renown", "scharnhorst")
    assert [(shot.by, shot.target, len(shot.dice)) for shot in happened(rig, Shot)] == [
        ("hood", "scharnhorst", 4),
        ("renown", "scharnhorst", 3),
    ]


def test_10_2_the_rest_in_one_pick() -> None:
    """10.2 `rest` names every ship that has no target yet."""
    rig = battle("north_sea", ["hood", "renown", "repulse"], ["scharnhorst", "gneisenau"])

    rig.dice(*[1] * 10)
    rig.do("allied", "fire", "repulse", "gneisenau", "rest", "scharnhorst")
    assert [(shot.by, shot.target) for shot in happened(rig, Shot)] == [
        ("repulse", "gneisenau"),
        ("hood", "scharnhorst"),
        ("renown", "scharnhorst"),
    ]


def test_10_2_overkill_is_lost() -> None:
    """10.2, R44 Dice named for a ship that another sinks are lost: nothing is aimed anew."""
    rig = battle("north_sea", ["hood", "renown"], ["admiral_hipper", "gneisenau"])

    rig.dice(6, 1, 1, 1, 6, 1, 1, 3, 3)
    rig.do("allied", "fire", "rest", "admiral_hipper")
    rig.do("axis", "hold_fire")
    assert happened(rig, ShipSunk) == [ShipSunk("admiral_hipper", 6)]
    assert rig.state.ships["gneisenau"].damage == 0


def test_10_3_crippled_ships_fire_one_die() -> None:
    """10.3, 7.6, R54 A crippled German ship fires one die, without the bonus."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"], damage={"scharnhorst": 5})

    rig.do("allied", "hold_fire")
    rig.dice(4)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert happened(rig, Shot) == [Shot("gun", "scharnhorst", "hood", (4,), 0, ())]


def test_10_4_sunk_ships_still_reply() -> None:
    """10.4, R21 A ship that this round's Allied fire sinks replies with full gunnery and its bonus; then it sinks."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"])

    rig.dice(6, 1, 1, 1, 3)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    rig.dice(5, 1)
    rig.do("axis", "fire", "admiral_hipper", "hood")
    assert happened(rig, Shot) == [Shot("gun", "admiral_hipper", "hood", (5,), 1, (1,))]
    assert happened(rig, ShipSunk) == [ShipSunk("admiral_hipper", 3)]
    assert happened(rig, ShipDamaged) == [ShipDamaged("hood", 1)]


def test_10_4_e36_disabled_ships_still_reply() -> None:
    """10.4 (E36) Allied dice disable Scharnhorst; it still fires three dice with +1, then returns."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])

    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    assert rig.state.ships["scharnhorst"].place == "north_sea"
    rig.dice(1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert happened(rig, Shot) == [Shot("gun", "scharnhorst", "hood", (1, 1, 1), 1, ())]
    assert happened(rig, ShipDisabled) == [ShipDisabled("scharnhorst", "germany")]


def test_10_5_e32_german_bonus() -> None:
    """10.5 (E32) Gneisenau, undamaged, rolls 4, 5, 3: a disable and a hit; the damage die 4 stays 4: Hood crippled, to port."""
    rig = battle("north_sea", ["hood"], ["gneisenau"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 3, 4)
    rig.do("axis", "fire", "gneisenau", "hood")
    hood = rig.state.ships["hood"]
    assert (hood.damage, hood.crippled, hood.place) == (4, True, "england")


def test_10_5_e33_more_than_six_counts_as_six() -> None:
    """10.5 (E33) Undamaged Hipper rolls 6: one hit, one damage die without bonus."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"])

    rig.do("allied", "hold_fire")
    rig.dice(6, 2)
    rig.do("axis", "fire", "admiral_hipper", "hood")
    assert happened(rig, Shot) == [Shot("gun", "admiral_hipper", "hood", (6,), 1, (2,))]
    assert rig.state.ships["hood"].damage == 2


def test_10_5_e34_damaged_germans_have_no_bonus() -> None:
    """10.5 (E34) Gneisenau with 1 damage rolls 4, 5, 3: miss, disable, miss."""
    rig = battle("north_sea", ["hood"], ["gneisenau"], damage={"gneisenau": 1})

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 3)
    rig.do("axis", "fire", "gneisenau", "hood")
    assert (rig.state.ships["hood"].damage, rig.state.ships["hood"].place) == (0, "england")


def test_10_5_italians_have_no_bonus_even_when_german() -> None:
    """10.5, R21 Italian ships have none, nor has one that Germany took over."""
    rig = battle("mediterranean", ["hood"], ["littorio", "zara"], changes={"zara": {"nation": "de"}}, turn=8)

    rig.do("allied", "hold_fire")
    rig.dice(*[4] * 5)
    rig.do("axis", "fire", "rest", "hood")
    assert [shot.plus for shot in happened(rig, Shot)] == [0, 0]


def test_10_6_e37_carrier_protection() -> None:
    """10.6, R22 (E37) Ark Royal may be named only once Norfolk and Suffolk have been."""
    rig = battle("north_sea", [NORFOLK, SUFFOLK, "ark_royal"], GERMANS)
    rig.do("allied", "hold_fire")
    rig.do("allied", "hold_fire")

    assert rig.options("axis", "fire", "scharnhorst") == (NORFOLK, SUFFOLK)
    refusal = rig.refused("axis", "fire", "scharnhorst", NORFOLK, "gneisenau", NORFOLK, "admiral_hipper", "ark_royal")
    assert (refusal.rule, refusal.key) == ("10.6", "refusal.war_at_sea.carrier_protected")
    assert dict(refusal.args)["missing"] == (SUFFOLK,)
    rig.dice(*[1] * 7)
    rig.do("axis", "fire", "scharnhorst", NORFOLK, "gneisenau", SUFFOLK, "admiral_hipper", "ark_royal")
    assert len(happened(rig, Shot)) == 3


def test_10_6_e37_two_firing_ships_cannot_reach_the_carrier() -> None:
    """10.6 (E37) With two firing Axis ships Ark Royal cannot be named at all."""
    rig = battle("north_sea", [NORFOLK, SUFFOLK, "ark_royal"], GERMANS[:2])
    rig.do("allied", "hold_fire")
    rig.do("allied", "hold_fire")

    assert rig.options("axis", "fire", "scharnhorst", NORFOLK, "gneisenau") == (NORFOLK, SUFFOLK)


def test_10_6_a_carrier_alone_is_a_free_target() -> None:
    """10.6, R22 Without other warships carriers are free targets; one need not be named before another, nor a convoy."""
    rig = battle("north_atlantic", ["ark_royal", "glorious", "convoy_1a"], ["scharnhorst"])
    rig.do("allied", "hold_fire")

    assert rig.options("axis", "fire", "scharnhorst") == ("ark_royal", "glorious", "convoy_1a")


def test_10_6_e38_a_carrier_that_fired_is_exposed() -> None:
    """10.6, R23 (E38) Eagle fired in the Allied half: it may be named although Suffolk is not; next round it is protected again."""
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


def zeppelin(*answer: str) -> Rig[State]:
    """Hood against Hipper and Graf Zeppelin, the airstrike withheld, the carrier's intention declared."""
    rig = battle("north_sea", ["hood", "renown"], ["admiral_hipper", "graf_zeppelin"], turn=4)
    rig.do("axis", "hold_fire")
    assert rig.asked() == {"axis": "prompt.war_at_sea.declare_carriers"}
    rig.do("axis", *answer)
    return rig


def test_10_6_the_axis_declares_its_carriers_before_the_allies_name_targets() -> None:
    """10.6, R23 A carrier declared silent is protected and may not fire."""
    rig = zeppelin("carriers_silent")

    assert happened(rig, CarriersDeclared) == [CarriersDeclared((), True)]
    assert rig.options("allied", "fire", "hood") == ("admiral_hipper",)
    assert rig.options("allied", "fire", "hood", "admiral_hipper", "renown") == ("admiral_hipper", "graf_zeppelin")
    rig.do("allied", "hold_fire")
    refusal = rig.refused("axis", "fire", "graf_zeppelin", "hood")
    assert (refusal.rule, refusal.key) == ("10.6", "refusal.war_at_sea.declared_silent")


def test_10_6_a_carrier_declared_firing_is_exposed_and_may_still_hold() -> None:
    """10.6, R23 A carrier declared firing may be named at once, and may fire or not."""
    rig = zeppelin("carriers_fire", "graf_zeppelin")

    assert rig.options("allied", "fire", "hood") == ("admiral_hipper", "graf_zeppelin")
    rig.do("allied", "hold_fire")
    assert rig.options("axis", "fire") == ("admiral_hipper", "graf_zeppelin", "rest")
    rig.dice(4)
    rig.do("axis", "fire", "graf_zeppelin", "hood")
    assert happened(rig, Shot) == [Shot("gun", "graf_zeppelin", "hood", (4,), 1, ())]


def test_10_6_gunnery_zero_may_not_name_a_target() -> None:
    """10.6 (E42) Ark Royal, gunnery 0, is not offered and is refused with the clause."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")

    assert rig.options("allied", "fire") == ("hood",)
    refusal = rig.refused("allied", "fire", "ark_royal", "scharnhorst")
    assert (refusal.rule, refusal.key) == ("10.6", "refusal.war_at_sea.no_gunnery")


@pytest.mark.parametrize("struck", [True, False])
def test_10_7_e40_conditional_attack_on_a_convoy(struck: bool) -> None:
    """10.7, R24 (E40) Two ships at Norfolk, Hipper at the convoy: its die is rolled only if Norfolk was struck."""
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
    """10.7, R24 Named first, the attack on the convoy still rolls after the others' attack and damage dice."""
    rig = battle("north_atlantic", [NORFOLK, "convoy_1a"], GERMANS)
    rig.do("allied", "hold_fire")

    rig.dice(5, 1, 1, 6, 1, 1, 1, 1, 1, 2)
    rig.do("axis", "fire", "gneisenau", "convoy_1a", "scharnhorst", NORFOLK, "admiral_hipper", NORFOLK)
    assert [(shot.by, shot.dice, shot.wounds) for shot in happened(rig, Shot)] == [
        ("scharnhorst", (5, 1, 1), (1,)),
        ("admiral_hipper", (6,), (1,)),
        ("gneisenau", (1, 1, 1), ()),
    ]


def test_10_7_every_warship_must_be_struck() -> None:
    """10.7, R24 One warship damaged before and one struck now is enough; one left whole is not. Carriers count as warships."""
    rig = battle("north_atlantic", [NORFOLK, "ark_royal", "convoy_1a"], GERMANS[:2], damage={NORFOLK: 1})
    rig.do("allied", "hold_fire")
    rig.do("allied", "hold_fire")

    rig.dice(4, 1, 1)
    rig.do("axis", "fire", "scharnhorst", NORFOLK, "gneisenau", "convoy_1a")
    assert happened(rig, ConvoySpared) == [ConvoySpared(("gneisenau",))]


def test_10_7_damage_carried_before_counts_as_struck() -> None:
    """10.7, R24 Norfolk carries damage from before and Suffolk is struck now: the attack on the convoy is carried out."""
    rig = battle("north_atlantic", [NORFOLK, SUFFOLK, "convoy_1a"], GERMANS[:2], damage={NORFOLK: 1})
    rig.do("allied", "hold_fire")

    rig.dice(5, 1, 1, 1, 1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", SUFFOLK, "gneisenau", "convoy_1a")
    assert [shot.target for shot in happened(rig, Shot)] == [SUFFOLK, "convoy_1a"]


@pytest.mark.parametrize("allied", [(NORFOLK, "convoy_1a"), ("convoy_1a",)])
def test_10_7_e41_free_attack_on_a_convoy(allied: tuple[str, ...]) -> None:
    """10.7, R24 (E41) With Norfolk damaged already, or gone, the convoy is an ordinary target."""
    rig = battle("north_atlantic", allied, GERMANS[:1], damage={NORFOLK: 1} if NORFOLK in allied else {})
    if NORFOLK in allied:
        rig.do("allied", "hold_fire")

    rig.dice(5, 1, 1, 3)
    rig.do("axis", "fire", "scharnhorst", "convoy_1a")
    assert rig.state.ships["convoy_1a"].damage == 3


def test_10_1_e42_dead_fights_end() -> None:
    """10.6, 7.2, R25 (E42) Ark Royal and an Axis ship that holds fire: after two rounds without a die nobody controls the area."""
    rig = battle("north_sea", ["ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")

    rig.do("axis", "hold_fire")
    write_escape(rig)
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}
    rig.do("axis", "hold_fire")
    write_escape(rig)
    assert happened(rig, Standoff) == [Standoff("north_sea")]
    assert rig.state.fight is None
    assert rig.state.control["north_sea"] == ""


def test_10_1_a_die_breaks_the_count_of_dead_rounds() -> None:
    """R25 Only rounds in a row count: a die in between begins the count anew."""
    rig = battle("north_sea", ["ark_royal"], ["scharnhorst"])
    rig.do("allied", "hold_fire")

    for shoots in (False, True, False):
        if shoots:
            rig.dice(1, 1, 1)
            rig.do("axis", "fire", "scharnhorst", "ark_royal")
        else:
            rig.do("axis", "hold_fire")
        write_escape(rig)
    assert rig.state.fight is not None
    assert rig.state.combat.idle == 1


def test_10_3_preview_adds_up_the_ships_that_name_a_target() -> None:
    """10.3 The chances beside a target are those of all ships named at it so far."""
    rig = battle("north_sea", ["hood", "renown"], ["scharnhorst"])

    one = rig.preview("allied", "fire", "hood", "scharnhorst")
    both = rig.preview("allied", "fire", "hood", "scharnhorst", "renown", "scharnhorst")
    assert isinstance(one, tuple) and isinstance(both, tuple)
    assert (dict(one[0].args)["dice"], dict(both[0].args)["dice"]) == (4, 7)
