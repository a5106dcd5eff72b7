"""Chapter 7: what dice do to ships."""

from itertools import product

import pytest

from engine.games.war_at_sea.combat_events import FireHeld, Shot
from engine.games.war_at_sea.damage import AFLOAT, DISABLED, SUNK, Toll, chances, disables, fate, hits, toll, total
from engine.games.war_at_sea.events import ShipDamaged, ShipDisabled, ShipSunk
from tests.rules.war_at_sea.waters import battle, fleet, happened, write_escape


def test_7_1_kinds_in_order_and_places_by_the_axis() -> None:
    """7.1 Anti-submarine, then air, then surface combat; with several places of one kind the Axis chooses which comes next."""
    rig = battle(
        "north_sea",
        ["hood", "ark_royal"],
        ["scharnhorst"],
        boats=1,
        changes={"norfolk": {"place": "north_atlantic"}, "admiral_hipper": {"place": "north_atlantic"}},
    )

    assert rig.asked() == {"allied": "prompt.war_at_sea.asw_attack"}
    rig.do("allied", "hold_fire")
    rig.do("axis", "hold_fire")
    assert rig.asked() == {"allied": "prompt.war_at_sea.airstrike"}
    rig.do("allied", "hold_fire")
    assert rig.asked() == {"axis": "prompt.war_at_sea.surface_order"}
    assert rig.options("axis") == ("north_atlantic", "north_sea")
    rig.do("axis", "north_sea")
    assert rig.state.combat.place == "north_sea"


def test_7_1_by_area_finishes_all_kinds_in_one_area_first() -> None:
    """7.1, R1 With `combat_order` by_area the Axis picks an area, and all three kinds are fought there before the next."""
    rig = battle(
        "north_sea",
        ["hood"],
        ["scharnhorst"],
        boats=1,
        changes={"norfolk": {"place": "barents_sea"}, "admiral_hipper": {"place": "barents_sea"}},
        options={"opt_combat_order": "by_area"},
    )

    assert rig.asked() == {"axis": "prompt.war_at_sea.area_order"}
    rig.do("axis", "north_sea")
    rig.do("allied", "hold_fire")
    rig.do("axis", "hold_fire")
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}
    assert rig.state.combat.place == "north_sea"


def test_7_1_one_place_is_fought_without_a_question() -> None:
    """7.1 A single place needs no choice of order."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])

    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_7_2_a_side_may_hold_its_fire() -> None:
    """7.2 The Allies attack first, then the Axis, and either may choose not to; no die is rolled then."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    assert happened(rig, FireHeld) == [FireHeld("allied", "surface")]
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}
    rig.do("axis", "hold_fire")
    assert rig.asked().keys() == {"allied", "axis"}


def test_7_3_a_five_sends_to_port_at_once() -> None:
    """7.3 A ship struck by a 5 leaves for an adjacent port, undamaged, and the fight is over when it was the last."""
    rig = battle("north_sea", ["renown"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "renown")

    assert happened(rig, ShipDisabled) == [ShipDisabled("renown", "england")]
    ship = rig.state.ships["renown"]
    assert (ship.place, ship.damage, ship.disabled) == ("england", 0, True)


def test_7_3_the_owner_chooses_among_several_ports_at_once() -> None:
    """7.3, R12 A ship with more than one port open to it asks its owner, before anything else happens."""
    rig = battle("north_atlantic", ["norfolk", "suffolk"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 4, 4)
    rig.do("axis", "fire", "scharnhorst", "norfolk")

    assert rig.asked() == {"allied": "prompt.war_at_sea.choose_port"}
    assert rig.options("allied", "retire") == ("england", "usa")
    refusal = rig.refused("allied", "retire", "malta")
    assert (refusal.rule, refusal.key) == ("7.3", "refusal.war_at_sea.not_a_port_for_disabled")
    rig.do("allied", "retire", "usa")
    assert rig.state.ships["norfolk"].place == "usa"
    assert rig.asked().keys() == {"allied", "axis"}


def test_7_3_both_sides_choose_ports_the_allies_first() -> None:
    """7.3, A.2, R4 With disabled ships of both sides waiting for a port, the Allied player chooses first."""
    rig = battle("north_atlantic", ["norfolk", "hood"], ["scharnhorst", "gneisenau"])

    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.dice(4, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "norfolk")

    assert rig.asked() == {"allied": "prompt.war_at_sea.choose_port"}
    rig.do("allied", "retire", "england")
    assert rig.asked() == {"axis": "prompt.war_at_sea.choose_port"}
    assert rig.options("axis", "retire") == ("germany", "france")
    rig.do("axis", "retire", "france")
    assert fleet(rig, "north_atlantic") == ("hood", "gneisenau")


def test_7_4_each_six_adds_one_damage_die() -> None:
    """7.4 Four dice 3, 2, 6, 6 and two damage dice 3 and 4 make seven points."""
    rig = battle("north_sea", ["hood"], ["bismarck"])

    rig.dice(3, 2, 6, 6, 3, 4)
    rig.do("allied", "fire", "hood", "bismarck")
    assert happened(rig, Shot) == [Shot("gun", "hood", "bismarck", (3, 2, 6, 6), 0, (3, 4))]
    rig.do("axis", "hold_fire")
    assert happened(rig, ShipDamaged) == [ShipDamaged("bismarck", 7)]
    assert rig.state.ships["bismarck"].damage == 7


def test_7_5_sunk_and_disabled_is_sunk() -> None:
    """7.5 A target both sunk and disabled is sunk."""
    assert fate(3, 0, Toll(4, True)).end == SUNK
    rig = battle("north_sea", ["renown"], ["scharnhorst", "gneisenau"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 1, 1, 1, 1, 4)
    rig.do("axis", "fire", "rest", "renown")
    assert happened(rig, ShipSunk) == [ShipSunk("renown", 4)]
    assert happened(rig, ShipDisabled) == []


def test_7_5_damaged_and_disabled_carries_damage_to_port() -> None:
    """7.5 A target both damaged and disabled takes its damage to port."""
    rig = battle("north_sea", ["renown"], ["scharnhorst"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 1, 2)
    rig.do("axis", "fire", "scharnhorst", "renown")
    assert (rig.state.ships["renown"].place, rig.state.ships["renown"].damage) == ("england", 2)


def test_7_5_e16_several_fives_disable_once() -> None:
    """7.3, R45 (E16) Struck by 5, 5, 5: disabled once, no damage."""
    rig = battle("north_sea", ["renown"], ["scharnhorst"], damage={"scharnhorst": 1})

    rig.do("allied", "hold_fire")
    rig.dice(5, 5, 5)
    rig.do("axis", "fire", "scharnhorst", "renown")
    assert len(happened(rig, ShipDisabled)) == 1
    assert rig.state.ships["renown"].damage == 0


@pytest.mark.parametrize(("points", "damage", "end"), [(1, 4, AFLOAT), (2, 5, SUNK)])
def test_7_5_e17_damage_adds_up(points: int, damage: int, end: str) -> None:
    """7.5, 7.6 (E17) Hood with 3 damage takes one more: crippled; two more: sunk."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"], damage={"hood": 3})
    ship = rig.state.ships["hood"]

    result = fate(ship.armor, ship.damage, Toll(points))
    assert (result.damage, result.end) == (damage, end)
    rig.do("allied", "hold_fire")
    rig.dice(6, 1, 1, points)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert rig.state.ships["hood"].crippled is (end == AFLOAT)
    assert (rig.state.ships["hood"].place == "sunk") is (end == SUNK)


def test_7_6_e12_equal_to_armor() -> None:
    """7.6 (E12) Scharnhorst 3-5-7 takes 5: afloat, gunnery 1, speed 2, no +1; one more point sinks it."""
    rig = battle("north_sea", ["hood", "nelson"], ["scharnhorst"])

    rig.dice(6, 1, 1, 1, 5)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "hold_fire")
    ship = rig.state.ships["scharnhorst"]
    assert (ship.place, ship.gunnery_now, ship.speed_now, ship.bonus_now) == ("north_sea", 1, 2, 0)
    write_escape(rig)
    rig.dice(6, 1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    rig.do("axis", "hold_fire")
    assert happened(rig, ShipSunk) == [ShipSunk("scharnhorst", 1)]


def test_7_6_e13_e14_crippled_carriers() -> None:
    """7.6, 8.2 (E13, E14) Ark Royal crippled: airstrike 0, gunnery 0, speed 5, still 3 ASW. Eagle: airstrike 0, gunnery 1, speed 2."""
    rig = battle("north_sea", ["ark_royal", "eagle"], damage={"ark_royal": 2, "eagle": 2})
    ark, eagle = rig.state.ships["ark_royal"], rig.state.ships["eagle"]

    assert (ark.airstrike_now, ark.gunnery_now, ark.speed_now, ark.asw) == (0, 0, 5, 3)
    assert (eagle.airstrike_now, eagle.gunnery_now, eagle.speed_now) == (0, 1, 2)


def test_7_6_speed_never_drops_below_one() -> None:
    """7.6 Each point takes one from speed, never below 1."""
    rig = battle("north_sea", ["royal_oak"], damage={"royal_oak": 4})

    assert rig.state.ships["royal_oak"].speed_now == 1


def test_7_4_readings_of_dice() -> None:
    """7.3, 7.4 Sixes hit, fives disable, and several attacks on one target add up."""
    assert hits((6, 5, 6, 1)) == 2
    assert disables((1, 5)) and not disables((6, 4))
    assert toll((3, 2, 6, 6), (3, 4)) == Toll(7, False)
    assert total((Toll(1, False), Toll(2, True))) == Toll(3, True)


@pytest.mark.parametrize(("plain", "bonus", "armor", "damage"), [(2, 0, 2, 0), (1, 1, 1, 0), (0, 2, 4, 2), (2, 0, 1, 1)])
def test_7_6_chances_agree_with_counting_every_case(plain: int, bonus: int, armor: int, damage: int) -> None:
    """7.3-7.6 The chances shown are those that counting all results of all dice gives, in per mille."""
    count = dict.fromkeys(("sunk", "disabled", "damaged", "crippled", "all", "hits"), 0)
    for dice in product(range(1, 7), repeat=plain + bonus):
        plus = [0] * plain + [1] * bonus
        scored = sum(hits((die,), more) for die, more in zip(dice, plus, strict=True))
        struck = any(disables((die,), more) for die, more in zip(dice, plus, strict=True))
        rest = 6 ** (plain + bonus - scored)
        for wounds in product(range(1, 7), repeat=scored):
            result = fate(armor, damage, Toll(sum(wounds), struck))
            count["all"] += rest
            count["hits"] += rest * scored
            count["sunk"] += rest * (result.end == SUNK)
            count["disabled"] += rest * (result.end == DISABLED)
            count["damaged"] += rest * (result.end == AFLOAT and scored > 0)
            count["crippled"] += rest * (result.end != SUNK and result.damage == armor and scored > 0)
    found = chances(plain, bonus, armor, damage)

    for name in ("hits", "sunk", "disabled", "damaged", "crippled"):
        assert abs(getattr(found, name) * count["all"] - 1000 * count[name]) * 2 <= count["all"], name
