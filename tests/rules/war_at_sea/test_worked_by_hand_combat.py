"""7 – 10 Fights worked out with the rule book in hand: boats, airstrikes and gunnery in awkward company, and who controls afterwards."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.games.war_at_sea.airstrikes import airstrike_strength
from engine.games.war_at_sea.antisubmarine import asw_strength
from engine.games.war_at_sea.combat_events import ConvoySpared, Shot
from engine.games.war_at_sea.events import ShipDisabled, ShipSunk, UBoatSunk
from engine.games.war_at_sea.state import State
from engine.kernel.rig import Rig
from tests.rules.war_at_sea.waters import battle, fleet, happened, write_escape

CONVOY = "convoy_1a"


def wounds(rig: Rig[State]) -> dict[str, tuple[str, int]]:
    """Where each ship that was touched is, and its damage."""
    return {ship.id: (ship.place, ship.damage) for ship in rig.state.ships.values() if ship.damage or ship.disabled}


def hold(rig: Rig[State], *seats: str) -> None:
    """These seats do not attack."""
    for seat in seats:
        rig.do(seat, "hold_fire")


# --- 8 U-boats --------------------------------------------------------------------------------------------------------------------

TORPEDOES: list[tuple[tuple[int, ...], dict[str, tuple[str, int]]]] = [
    ((6, 6, 2, 2), {"hood": ("north_sea", 4)}),  # 4 = armor: crippled
    ((6, 6, 2, 3), {"hood": ("sunk", 5)}),
    ((6, 5, 4), {"hood": ("england", 4)}),  # crippled and disabled
    ((6, 5, 5), {"hood": ("sunk", 5)}),  # sunk and disabled is sunk
    ((5, 5), {"hood": ("england", 0)}),
    ((4, 1), {}),  # no German bonus
]


@pytest.mark.parametrize(("dice", "after"), TORPEDOES)
def test_8_4_two_boats_at_one_ship(dice: tuple[int, ...], after: dict[str, tuple[str, int]]) -> None:
    """7.5, 7.6, 8.4, R16 Both attack dice, then the damage dice; they add up. Either way nobody controls: two boats are there."""
    rig = battle("north_sea", ["hood"], boats=2)
    rig.dice(1)
    rig.do("allied", "hunt")
    rig.dice(*dice)
    rig.do("axis", "torpedo", "hood", "hood")

    assert wounds(rig) == after
    assert len(happened(rig, ShipSunk)) + len(happened(rig, ShipDisabled)) <= 1
    assert rig.state.control["north_sea"] == ""


def test_8_2_americans_and_a_crippled_carrier() -> None:
    """7.6, 8.2 Ranger crippled 3, Washington 1, Augusta 1, convoy 3: eight dice; its airstrike is gone."""
    rig = battle("north_atlantic", ["ranger", "washington", "augusta", CONVOY], boats=4, turn=6, damage={"ranger": 1})

    assert asw_strength(rig.state, "north_atlantic") == 8
    assert airstrike_strength(rig.state, "allied", "north_atlantic") == 0
    rig.dice(6, 5, 5, 6, 6, 6, 6, 6)
    rig.do("allied", "hunt")
    assert len(happened(rig, UBoatSunk)) == 4, "sixes first, and the fives find nobody"
    assert rig.state.control["north_atlantic"] == "allied"


def test_8_4_the_last_boat_sinks_a_guarded_convoy() -> None:
    """8.3, 8.4, 12.1, R16 Five dice 6, 5, 4, 4, 1: one boat is left of three. It may pass by Hood and Nelson, and cancels control."""
    rig = battle("north_atlantic", ["hood", "nelson", CONVOY], boats=3)
    rig.dice(6, 5, 4, 4, 1)
    rig.do("allied", "hunt")
    assert rig.options("axis", "torpedo") == ("nelson", "hood", CONVOY)
    assert rig.refused("axis", "torpedo", CONVOY, CONVOY).rule == "8.4"
    rig.dice(6, 5)
    rig.do("axis", "torpedo", CONVOY)

    assert happened(rig, ShipSunk) == [ShipSunk(CONVOY, 5)]
    assert rig.state.control["north_atlantic"] == ""
    assert rig.state.boats_alive == 2


def test_8_4_a_carrier_sent_to_malta_strikes_no_more() -> None:
    """7.1, A.4, R16 Ark Royal is disabled before the airstrikes: Littorio is not struck, does not fight, and controls."""
    rig = battle("mediterranean", ["ark_royal"], ["littorio"], boats=1)
    rig.dice(1, 2, 3)
    rig.do("allied", "hunt")
    rig.dice(5)
    rig.do("axis", "torpedo", "ark_royal")

    assert wounds(rig) == {"ark_royal": ("malta", 0)}
    assert rig.asked() == {"axis": "prompt.halt"}
    assert rig.state.control["mediterranean"] == "axis"


def test_8_5_boats_alone_with_a_beaten_fleet_control_nothing() -> None:
    """8.5, 12.1 The boats drive the only Allied ship off: the area belongs to nobody, not to the Axis."""
    rig = battle("south_atlantic", ["norfolk"], boats=2)
    hold(rig, "allied")
    rig.dice(5, 1)
    rig.do("axis", "torpedo", "norfolk", "norfolk")

    assert wounds(rig) == {"norfolk": ("south_america", 0)}
    assert rig.state.control["south_atlantic"] == ""


def test_8_4_damage_from_a_boat_slows_and_weakens_the_same_turn() -> None:
    """7.6, 8.4 Norfolk takes exactly its armor from a boat: one gun, speed 6, too slow to pursue Scharnhorst."""
    rig = battle("north_sea", ["norfolk"], ["scharnhorst"], boats=1)
    hold(rig, "allied")
    rig.dice(6, 1)
    rig.do("axis", "torpedo", "norfolk")
    hold(rig, "allied", "axis")
    write_escape(rig, axis="escape")

    assert rig.state.ships["scharnhorst"].escaped
    assert rig.state.control["north_sea"] == "", "the boat cancels what the Allies would hold"


# --- 9 airstrikes -----------------------------------------------------------------------------------------------------------------


def test_9_1_the_axis_marker_on_malta() -> None:
    """7.3, 7.6, 9.2, 9.5, R19 Hood failed and is no target. Nelson disabled stays in Malta, Warspite is crippled, Eagle sunk; Eagle in
    port does not strike back."""
    rig = battle(
        "malta", ["nelson", "warspite", "hood", "eagle"], air={"axis": "malta"}, changes={"hood": {"path": ("x", "y"), "failed": True}}
    )
    assert rig.asked() == {"axis": "prompt.war_at_sea.airstrike"}
    assert rig.options("axis", "strike") == ("nelson", "warspite", "eagle")
    assert rig.refused("axis", "strike", "hood").rule == "9.5"
    rig.dice(5, 6, 6, 4, 3)
    rig.do("axis", "strike", "nelson", "warspite", "eagle")

    assert wounds(rig) == {"nelson": ("malta", 0), "warspite": ("malta", 4), "eagle": ("sunk", 3)}


def test_9_1_the_switch_makes_failed_movers_targets() -> None:
    """9.5, R19 With the option Hood, back by a failed roll, may be struck; Nelson, back disabled, may not."""
    rig = battle(
        "malta",
        ["nelson", "hood"],
        air={"axis": "malta"},
        changes={"hood": {"failed": True}, "nelson": {"disabled": True}},
        options={"opt_airstrike_failed_movers": True},
    )
    assert rig.options("axis", "strike") == ("hood",)


def test_9_4_carriers_that_sink_each_other() -> None:
    """9.2 – 9.4, R20 3 + 2 + 3 against two targets: two dice. Both are sunk; Graf Zeppelin's two dice still cripple one carrier and
    drive off the other. Ark Royal is left, and controls."""
    rig = battle("north_sea", ["ark_royal", "courageous"], ["scharnhorst", "graf_zeppelin"], turn=4, air={"allied": "north_sea"})
    assert airstrike_strength(rig.state, "allied", "north_sea") == 8
    rig.dice(6, 6, 6, 3)
    rig.do("allied", "strike", "scharnhorst", "graf_zeppelin")
    rig.dice(6, 5, 2)
    rig.do("axis", "strike", "ark_royal", "courageous")

    assert wounds(rig) == {
        "ark_royal": ("north_sea", 2),
        "courageous": ("england", 0),
        "scharnhorst": ("sunk", 6),
        "graf_zeppelin": ("sunk", 3),
    }
    assert rig.state.control["north_sea"] == "allied"


@pytest.mark.parametrize(("damage", "strength"), [(0, 2), (1, 2), (2, 2), (3, 0)])
def test_9_2_only_a_crippled_carrier_loses_its_strike(damage: int, strength: int) -> None:
    """7.6, 9.2 Formidable, armor 3, strikes with 2 until its damage equals its armor."""
    rig = battle("north_sea", ["formidable"], ["lutzow"], damage={"formidable": damage})

    assert airstrike_strength(rig.state, "allied", "north_sea") == strength
    assert (rig.asked().get("allied") == "prompt.war_at_sea.airstrike") is (strength > 0)


def test_9_5_a_marker_alone_contests_nothing() -> None:
    """9.4, 12.1 The Axis marker drives the convoy off and misses Hood: Hood controls the Barents Sea, aircraft cancel nothing."""
    rig = battle("barents_sea", ["hood", CONVOY], turn=4, air={"axis": "barents_sea"})
    rig.dice(2, 5)
    rig.do("axis", "strike", "hood", CONVOY)

    assert wounds(rig) == {CONVOY: ("usa", 0)}
    assert rig.state.control["barents_sea"] == "allied"
    assert rig.state.air == {"allied": "", "axis": ""}


def test_9_4_an_airstrike_that_empties_the_sea() -> None:
    """7.5, 10.1, A.3 Ark Royal strikes Scheer and Spee in the South Atlantic: one is disabled and must go to South America though France
    is open, one is sunk and disabled by nobody. No surface combat follows."""
    rig = battle("south_atlantic", ["ark_royal"], ["admiral_scheer", "graf_spee"], turn=3)
    rig.dice(5, 6, 3)
    rig.do("allied", "strike", "admiral_scheer", "graf_spee")

    assert wounds(rig) == {"admiral_scheer": ("south_america", 0), "graf_spee": ("sunk", 3)}
    assert rig.state.control["south_atlantic"] == "allied"


def test_7_1_three_kinds_in_three_places() -> None:
    """7.1, R1 Boats in one sea, a marker on a port, ships in another sea: one place of each kind, nobody is asked for an order, and the
    kinds come in theirs."""
    rig = battle(
        "north_sea",
        ["hood"],
        boats=1,
        air={"allied": "germany"},
        changes={"lutzow": {"place": "germany"}, "nelson": {"place": "mediterranean"}, "littorio": {"place": "mediterranean"}},
    )
    asked = []
    for seat in ("allied", "axis", "allied", "allied", "axis"):
        asked.append(rig.asked()[seat].removeprefix("prompt.war_at_sea."))
        rig.do(seat, "hold_fire")

    assert asked == ["asw_attack", "uboat_fire", "airstrike", "name_targets", "name_targets"]


@pytest.mark.parametrize(("seat", "verb", "rule"), [("allied", "strike", "7.1"), ("allied", "fire", "7.1"), ("allied", "escape", "11.1")])
def test_7_1_the_kinds_come_in_their_order(seat: str, verb: str, rule: str) -> None:
    """7.1, 11.1 While the boats are hunted neither aircraft nor guns may attack, and nobody escapes."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["lutzow"], boats=1)

    assert rig.refused(seat, verb).rule == rule
    hold(rig, seat)
    assert rig.refused("axis", "fire").rule == "7.1"


# --- 10 surface combat ------------------------------------------------------------------------------------------------------------

DUELS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, tuple[str, int]], str]] = [
    ((6, 3), (5, 2), {"blucher": ("sunk", 3), "norfolk": ("sunk", 2)}, ""),  # 5 + 1 hits
    ((5,), (4,), {"blucher": ("germany", 0), "norfolk": ("england", 0)}, ""),  # 4 + 1 disables
    ((6, 2), (3,), {"blucher": ("north_sea", 2)}, "fight"),  # crippled, both still there
    ((4,), (6, 1), {"norfolk": ("north_sea", 1)}, "fight"),
    ((5,), (3,), {"blucher": ("germany", 0)}, "allied"),
    ((1,), (4,), {"norfolk": ("england", 0)}, "axis"),
]


@pytest.mark.parametrize(("allied", "axis", "after", "holder"), DUELS)
def test_10_4_one_round_of_norfolk_and_blucher(
    allied: tuple[int, ...], axis: tuple[int, ...], after: dict[str, tuple[str, int]], holder: str
) -> None:
    """7.3 – 7.6, 10.4, 10.5, 12.1 One die each, the German with +1; both fire whatever the other did; who is left controls."""
    rig = battle("north_sea", ["norfolk"], ["blucher"])
    rig.dice(*allied)
    rig.do("allied", "fire", "norfolk", "blucher")
    rig.dice(*axis)
    rig.do("axis", "fire", "blucher", "norfolk")

    assert wounds(rig) == after
    if holder == "fight":
        assert rig.asked().keys() == {"allied", "axis"}
    else:
        assert rig.state.control["north_sea"] == holder


def test_7_4_four_dice_two_hits_seven_points() -> None:
    """7.4, 7.6 The rule book's dice 3, 2, 6, 6, then 3 and 4: Bismarck carries seven points, gunnery 4, speed 1, and no bonus next round:
    a 5 only disables."""
    rig = battle("north_sea", ["hood"], ["bismarck"])
    rig.dice(3, 2, 6, 6, 3, 4)
    rig.do("allied", "fire", "hood", "bismarck")
    rig.dice(1, 1, 1, 1)
    rig.do("axis", "fire", "bismarck", "hood")
    ship = rig.state.ships["bismarck"]
    assert (ship.damage, ship.gunnery_now, ship.speed_now) == (7, 4, 1)
    write_escape(rig)
    hold(rig, "allied")
    rig.dice(5, 4, 4, 4)
    rig.do("axis", "fire", "bismarck", "hood")

    assert wounds(rig) == {"bismarck": ("north_sea", 7), "hood": ("england", 0)}


@pytest.mark.parametrize(
    ("options", "pips", "place", "damage", "gunnery"),
    [
        ({}, (5, 4), "north_sea", 9, 1),
        ({}, (5, 5), "sunk", 10, 4),
        ({"v18_1_weaker_bismarck_class": True}, (4, 3), "north_sea", 7, 1),
        ({"v18_1_weaker_bismarck_class": True}, (4, 4), "sunk", 8, 4),
    ],
)
def test_7_6_two_ships_add_up_on_tirpitz(options: Mapping[str, Any], pips: tuple[int, int], place: str, damage: int, gunnery: int) -> None:
    """7.6, 10.2, 18.1 Nelson and Hood hit once each: equal to armor cripples, one more sinks; the variant takes two off the armor."""
    rig = battle("north_sea", ["nelson", "hood"], ["tirpitz"], options=options)
    rig.dice(6, 1, 1, 1, 1, 6, 1, 1, 1, *pips)
    rig.do("allied", "fire", "rest", "tirpitz")
    hold(rig, "axis")

    ship = rig.state.ships["tirpitz"]
    assert (ship.place, ship.damage, ship.gunnery_now) == (place, damage, gunnery)


def conditional(damage: Mapping[str, int]) -> Rig[State]:
    """Norfolk, Ark Royal and a convoy in the North Atlantic against three Germans; the Allies do not attack."""
    rig: Rig[State] = battle(
        "north_atlantic", ["norfolk", "ark_royal", CONVOY], ["gneisenau", "scharnhorst", "admiral_hipper"], damage=damage
    )
    hold(rig, "allied", "allied")
    return rig


def test_10_7_the_carrier_must_be_struck_too() -> None:
    """10.6, 10.7, R22, R24 Norfolk was damaged before and is missed now, Ark Royal is disabled now: all warships are struck, so the attack
    on the convoy is carried out, and sinks it."""
    rig = conditional({"norfolk": 1})
    rig.dice(1, 1, 1, 4, 6, 1, 1, 5)
    rig.do("axis", "fire", "scharnhorst", CONVOY, "gneisenau", "norfolk", "admiral_hipper", "ark_royal")

    assert [(shot.by, shot.dice) for shot in happened(rig, Shot)] == [
        ("gneisenau", (1, 1, 1)),
        ("admiral_hipper", (4,)),
        ("scharnhorst", (6, 1, 1)),
    ]
    assert rig.state.ships[CONVOY].place == "sunk"
    rig.do("allied", "retire", "usa")
    assert wounds(rig)["ark_royal"] == ("usa", 0)


def test_10_7_an_undamaged_carrier_shields_the_convoy() -> None:
    """10.7, R24 The same, but Hipper misses Ark Royal: Scharnhorst's dice are not rolled."""
    rig = conditional({"norfolk": 1})
    rig.dice(1, 1, 1, 3)
    rig.do("axis", "fire", "scharnhorst", CONVOY, "gneisenau", "norfolk", "admiral_hipper", "ark_royal")

    assert happened(rig, ConvoySpared) == [ConvoySpared(("scharnhorst",))]
    assert rig.state.ships[CONVOY].damage == 0


def test_10_7_all_damaged_before_and_nobody_else_attacked() -> None:
    """10.6, 10.7 Norfolk and Ark Royal both carry damage: the convoy is free, all three may fire at it, the carrier is still protected."""
    rig = conditional({"norfolk": 1, "ark_royal": 1})
    assert rig.refused("axis", "fire", "gneisenau", "ark_royal").rule == "10.6"
    rig.dice(3, 3, 3, 3, 3, 3, 4)
    rig.do("axis", "fire", "rest", CONVOY)

    assert wounds(rig)[CONVOY] == ("usa", 0)


def test_10_7_a_convoy_attack_assigned_first_does_not_count_for_the_carrier() -> None:
    """10.6, R22 Only attacks on warships that are no carriers open the carrier; an attack on the convoy does not."""
    rig = conditional({})

    assert rig.refused("axis", "fire", "gneisenau", CONVOY, "scharnhorst", "ark_royal").rule == "10.6"
    assert "ark_royal" in rig.options("axis", "fire", "gneisenau", "norfolk", "scharnhorst")


def test_10_1_a_fight_that_leaves_convoy_and_battleship() -> None:
    """10.1, 12.1 Round 1: Hipper is sunk; Lützow, damaged, disables Hood in round 2 by a 5. The convoy and Lützow go on, round 3."""
    rig = battle("north_atlantic", ["hood", CONVOY], ["admiral_hipper", "lutzow"])
    rig.dice(6, 6, 1, 1, 2, 1)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}
    rig.dice(1, 1, 1)
    rig.do("axis", "fire", "rest", "hood")
    assert happened(rig, ShipSunk) == [ShipSunk("admiral_hipper", 3)]
    write_escape(rig)
    rig.dice(6, 1, 1, 1, 1)
    rig.do("allied", "fire", "hood", "lutzow")
    rig.dice(4, 3)
    rig.do("axis", "fire", "lutzow", "hood")
    assert wounds(rig)["lutzow"] == ("north_atlantic", 1)
    rig.do("allied", "retire", "england")
    write_escape(rig)

    assert rig.state.combat.round == 3
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}, "a convoy has no gunnery"
    rig.dice(5, 6, 5)
    rig.do("axis", "fire", "lutzow", CONVOY)
    assert rig.state.ships[CONVOY].place == "sunk"
    assert rig.state.control["north_atlantic"] == "axis"
    assert fleet(rig, "north_atlantic") == ("lutzow",)


def test_10_6_eagle_crippled_has_one_gun_and_is_exposed_by_it() -> None:
    """7.6, 10.6, R23 Eagle crippled keeps gunnery 1; fired this round it may be named without Hood, silent the next it may not."""
    rig = battle("south_atlantic", ["hood", "eagle"], ["graf_spee"], damage={"eagle": 2})
    rig.dice(1)
    rig.do("allied", "fire", "eagle", "graf_spee")
    assert rig.options("axis", "fire", "graf_spee") == ("hood", "eagle")
    hold(rig, "axis")
    write_escape(rig)
    hold(rig, "allied")

    assert rig.options("axis", "fire", "graf_spee") == ("hood",)


def test_10_1_battleships_of_four_nations_in_one_sea() -> None:
    """10.2, 10.5 In the Mediterranean on turn 8 a German Zara and Scharnhorst fire at Littorio in British hands: only Scharnhorst has +1,
    and Littorio, disabled, goes to Malta (A.4)."""
    rig = battle(
        "mediterranean", ["littorio"], ["scharnhorst", "zara"], turn=8, changes={"littorio": {"nation": "uk"}, "zara": {"nation": "de"}}
    )
    hold(rig, "allied")
    rig.dice(4, 3, 3, 4)
    rig.do("axis", "fire", "rest", "littorio")

    assert [(shot.by, shot.plus) for shot in happened(rig, Shot)] == [("scharnhorst", 1), ("zara", 0)]
    assert wounds(rig) == {"littorio": ("malta", 0)}
    assert rig.state.control["mediterranean"] == "axis"
