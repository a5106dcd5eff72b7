"""8.2-8.5 Anti-submarine combat."""

from collections.abc import Mapping

import pytest

from tests.rules.war_at_sea.charts import CONVOY, happened, pass_on
from tests.rules.war_at_sea.waters import (
    at_combat,
    battle,
    hold,
    hold_fire,
    wounds_of,
    write_escape,
)
from warledger.engine.games.war_at_sea.airstrikes import airstrike_strength
from warledger.engine.games.war_at_sea.antisubmarine import (
    AswRolled,
    UBoatDisabled,
    UBoatSunk,
    asw_strength,
)
from warledger.engine.games.war_at_sea.hidden import TurnedUp
from warledger.engine.games.war_at_sea.volley import CombatOpened, ShipDisabled, ShipSunk, Shot

TORPEDOES: list[tuple[tuple[int, ...], dict[str, tuple[str, int]]]] = [
    ((6, 6, 2, 2), {"hood": ("north_sea", 4)}),  # 4 = armor: crippled
    ((6, 6, 2, 3), {"hood": ("sunk", 5)}),
    ((6, 5, 4), {"hood": ("england", 4)}),  # crippled and disabled
    ((6, 5, 5), {"hood": ("sunk", 5)}),  # sunk and disabled is sunk
    ((5, 5), {"hood": ("england", 0)}),
    ((4, 1), {}),  # no German bonus
]


# --- 8.2 ------------------------------------------------------------------------------------------


def test_8_2_strength_counts_dice_by_ship() -> None:
    """8.2, R52 (E18) Two battleships, a cruiser, a carrier without its airstrike and a convoy: 1 +
    1 + 1 + 3 + 3 = 9 dice."""
    rig = battle(
        "north_atlantic",
        ["queen_elizabeth", "warspite", "norfolk", "ark_royal", "convoy_1a"],
        boats=1,
        damage={"ark_royal": 2},
    )

    assert rig.state.ships["ark_royal"].airstrike_now == 0
    assert asw_strength(rig.state, "north_atlantic") == 9
    rig.dice(*[1] * 9)
    rig.do("allied", "hunt")
    assert happened(rig, AswRolled) == [AswRolled("north_atlantic", (1,) * 9)]


def test_8_2_no_allied_ship_no_fight() -> None:
    """8.2, R50 U-boats alone in an area are not fought; nor are those with Axis ships only."""
    rig = battle("north_sea", [], ["scharnhorst"], boats=2)

    assert happened(rig, CombatOpened) == []


def test_8_2_R43_hidden_ships_are_turned_up_when_the_fight_begins() -> None:
    """18.2, R43 Anti-submarine combat counts as combat: the face-down ships of that area are turned
    up, those elsewhere are not."""
    rig = battle(
        "north_sea",
        ["nelson"],
        boats=1,
        options={"v18_2_hidden_allied_movement": True},
        changes={"nelson": {"down": True}, "hood": {"down": True, "place": "barents_sea"}},
    )

    assert [event.ships for event in rig.events if type(event) is TurnedUp] == [
        (("nelson", "north_sea"),)
    ]
    assert rig.state.ships["hood"].down


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
def test_8_2_strength_against_u_boats(
    ships: tuple[str, ...], damage: Mapping[str, int], dice: int
) -> None:
    """8.2, R52 One a warship, three a carrier or convoy, whatever their damage."""
    rig = battle("north_atlantic", ships, boats=1, damage=damage)

    assert asw_strength(rig.state, "north_atlantic") == dice
    rig.dice(*[1] * dice)
    rig.do("allied", "hunt")
    assert happened(rig, AswRolled) == [AswRolled("north_atlantic", (1,) * dice)]


def test_8_2_americans_and_a_crippled_carrier() -> None:
    """7.6, 8.2 Ranger crippled 3, Washington 1, Augusta 1, convoy 3: eight dice; its airstrike is
    gone."""
    rig = battle(
        "north_atlantic",
        ["ranger", "washington", "augusta", CONVOY],
        boats=4,
        turn=6,
        damage={"ranger": 1},
    )

    assert asw_strength(rig.state, "north_atlantic") == 8
    assert airstrike_strength(rig.state, "allied", "north_atlantic") == 0
    rig.dice(6, 5, 5, 6, 6, 6, 6, 6)
    rig.do("allied", "hunt")
    assert len(happened(rig, UBoatSunk)) == 4, "sixes first, and the fives find nobody"
    assert rig.state.control["north_atlantic"] == "allied"


# --- 8.3 ------------------------------------------------------------------------------------------


def test_8_3_more_results_than_boats() -> None:
    """8.3, R15 (E20) Dice 6, 6, 5, 5 against three U-boats: two sunk, one disabled, no return
    fire."""
    rig = battle("north_sea", ["nelson", "rodney", "hood", "norfolk"], boats=3)

    rig.dice(5, 6, 5, 6)
    rig.do("allied", "hunt")
    assert len(happened(rig, UBoatSunk)) == 2
    assert len(happened(rig, UBoatDisabled)) == 1
    assert happened(rig, Shot) == []
    assert rig.state.boats_at("north_sea") == ()
    assert len(rig.state.boats_at("germany")) == 1
    assert rig.state.boats_alive == 1


def test_8_3_the_attack_may_be_declined_and_the_boats_still_fire() -> None:
    """7.2, 8.3, R18 The Allies may decline; the U-boats may then still fire, or not."""
    rig = battle("north_sea", ["nelson"], boats=1)

    rig.do("allied", "hold_fire")
    assert rig.asked() == {"axis": "prompt.war_at_sea.uboat_fire"}
    rig.do("axis", "hold_fire")
    assert rig.state.fight is None
    assert len(rig.state.boats_at("north_sea")) == 1


def test_8_3_no_target_is_named() -> None:
    """8.3 The attack is against all U-boats; naming one is refused with the clause."""
    rig = battle("north_sea", ["nelson"], boats=2)

    refusal = rig.refused("allied", "hunt", "uboat_1")
    assert (refusal.rule, refusal.key) == ("8.3", "refusal.war_at_sea.asw_names_no_target")


def test_8_3_R48_a_boat_sent_home_goes_out_again_next_turn() -> None:
    """8.3, R48 A disabled boat is not lost: it lies in Germany and can be placed next turn."""
    rig = at_combat({"hood": "north_sea"}, 1, boats={"germany": 1, "north_sea": 1})
    rig.dice(5)
    rig.do("allied", "hunt")
    assert happened(rig, UBoatDisabled) != []

    pass_on(rig, "uboats")
    assert len(rig.state.boats_at("germany")) == 3
    rig.do("axis", "place", "north_sea", 3)
    assert len(rig.state.boats_at("north_sea")) == 3


@pytest.mark.parametrize(
    ("dice", "sunk", "disabled"),
    [
        ((6, 6, 6, 5), 2, 0),
        ((5, 5, 5, 5), 0, 2),
        ((6, 5, 1, 1), 1, 1),
        ((5, 6, 6, 1), 2, 0),
        ((1, 2, 3, 4), 0, 0),
        ((5, 1, 1, 1), 0, 1),
    ],
)
def test_8_3_R15_sixes_before_fives(dice: tuple[int, ...], sunk: int, disabled: int) -> None:
    """8.3, 7.5, R15 Against two boats: sixes first whatever the order of the dice, then fives at
    those that are left."""
    rig = battle("north_sea", ["hood", "nelson", "norfolk", "suffolk"], boats=2)

    rig.dice(*dice)
    rig.do("allied", "hunt")
    assert (len(happened(rig, UBoatSunk)), len(happened(rig, UBoatDisabled))) == (sunk, disabled)
    assert (rig.asked() == {"axis": "prompt.war_at_sea.uboat_fire"}) is (sunk + disabled < 2)
    assert len(rig.state.boats_at("germany")) == disabled
    assert rig.state.boats_alive == 2 - sunk


# --- 8.4 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dice", "place", "damage", "speed", "gunnery"),
    [((4,), "north_sea", 0, 3, 4), ((5,), "england", 0, 3, 4), ((6, 3), "north_sea", 3, 1, 4)],
)
def test_8_4_uboat_hits_damage_without_a_bonus(
    dice: tuple[int, ...], place: str, damage: int, speed: int, gunnery: int
) -> None:
    """8.4, 7.4, 10.5, R16 (E21) A U-boat at Royal Oak: 4 misses (no German +1), 5 disables, 6 and 3
    leave damage 3, speed 1."""
    rig = battle("north_sea", ["royal_oak"], boats=1)

    rig.do("allied", "hold_fire")
    rig.dice(*dice)
    rig.do("axis", "torpedo", "royal_oak")
    ship = rig.state.ships["royal_oak"]
    assert (ship.place, ship.damage, ship.speed_now, ship.gunnery_now) == (
        place,
        damage,
        speed,
        gunnery,
    )


def test_8_4_a_carrier_or_convoy_may_be_named() -> None:
    """8.4, R16 (E22) Two U-boats name Glorious, both before rolling; 6 and 3, damage 2: sunk before
    the airstrikes."""
    rig = battle("north_atlantic", ["nelson", "glorious", "convoy_1a"], ["scharnhorst"], boats=2)

    rig.do("allied", "hold_fire")
    assert rig.options("axis", "torpedo") == ("nelson", "glorious", "convoy_1a")
    rig.dice(6, 3, 2)
    rig.do("axis", "torpedo", "glorious", "glorious")
    assert happened(rig, ShipSunk) == [ShipSunk("glorious", 2)]
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_8_4_each_boat_attacks_once() -> None:
    """8.4 Each U-boat attacks one target; a third attack by two boats is refused, and so is a ship
    elsewhere."""
    rig = battle(
        "north_sea", ["nelson", "rodney"], boats=2, changes={"hood": {"place": "barents_sea"}}
    )

    rig.do("allied", "hold_fire")
    refusal = rig.refused("axis", "torpedo", "nelson", "rodney", "nelson")
    assert (refusal.rule, refusal.key) == ("8.4", "refusal.war_at_sea.one_attack_each_uboat")
    refusal = rig.refused("axis", "torpedo", "hood")
    assert (refusal.rule, refusal.key) == ("8.4", "refusal.war_at_sea.not_here")
    rig.dice(1)
    rig.do("axis", "torpedo", "rodney")
    assert [(shot.by, shot.target) for shot in happened(rig, Shot)] == [("uboat_1", "rodney")]


def test_8_4_sunk_boats_do_not_fire_back() -> None:
    """8.4 Only the survivors fire: of two boats one is sunk, so one target may be named."""
    rig = battle("north_sea", ["nelson"], boats=2)

    rig.dice(6)
    rig.do("allied", "hunt")
    assert rig.asked() == {"axis": "prompt.war_at_sea.uboat_fire"}
    rig.dice(5)
    rig.do("axis", "torpedo", "nelson")
    assert happened(rig, ShipDisabled) == [ShipDisabled("nelson", "england")]


def test_8_4_preview_gives_the_chances() -> None:
    """8.4 Two U-boats at one target: the odds shown are for both dice."""
    rig = battle("north_sea", ["nelson"], boats=2)

    rig.do("allied", "hold_fire")
    shown = rig.preview("axis", "torpedo", "nelson", "nelson")
    assert isinstance(shown, tuple)
    args = dict(shown[0].args)
    assert (args["dice"], args["hits"]) == (2, 333)


@pytest.mark.parametrize(("dice", "after"), TORPEDOES)
def test_8_4_two_boats_at_one_ship(
    dice: tuple[int, ...], after: dict[str, tuple[str, int]]
) -> None:
    """7.5, 7.6, 8.4, R16 Both attack dice, then the damage dice; they add up. Either way nobody
    controls: two boats are there."""
    rig = battle("north_sea", ["hood"], boats=2)
    rig.dice(1)
    rig.do("allied", "hunt")
    rig.dice(*dice)
    rig.do("axis", "torpedo", "hood", "hood")

    assert wounds_of(rig) == after
    assert len(happened(rig, ShipSunk)) + len(happened(rig, ShipDisabled)) <= 1
    assert rig.state.control["north_sea"] == ""


def test_8_4_the_last_boat_sinks_a_guarded_convoy() -> None:
    """8.3, 8.4, 12.1, R16 Five dice 6, 5, 4, 4, 1: one boat is left of three. It may pass by Hood
    and Nelson, and cancels control."""
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


def test_8_4_damage_from_a_boat_slows_and_weakens_the_same_turn() -> None:
    """7.6, 8.4 Norfolk takes exactly its armor from a boat: one gun, speed 6, too slow to pursue
    Scharnhorst."""
    rig = battle("north_sea", ["norfolk"], ["scharnhorst"], boats=1)
    hold_fire(rig, "allied")
    rig.dice(6, 1)
    rig.do("axis", "torpedo", "norfolk")
    hold_fire(rig, "allied", "axis")
    write_escape(rig, axis="escape")

    assert rig.state.ships["scharnhorst"].escaped
    assert rig.state.control["north_sea"] == "", "the boat cancels what the Allies would hold"


@pytest.mark.parametrize(
    ("wound", "place", "damage"),
    [(3, "north_atlantic", 3), (4, "north_atlantic", 4), (5, "sunk", 5)],
)
def test_8_4_a_convoy_is_struck_by_a_u_boat(wound: int, place: str, damage: int) -> None:
    """8.4, 7.6, R16 Convoy armor is 4: equal to it and the convoy floats, more sinks it."""
    rig = battle("north_atlantic", [CONVOY], boats=1)
    rig.dice(1, 1, 1)
    rig.do("allied", "hunt")
    rig.dice(6, wound)
    rig.do("axis", "torpedo", CONVOY)

    ship = rig.state.ships[CONVOY]
    assert (ship.place, ship.damage) == (place, damage)


def test_8_4_a_carrier_sent_to_malta_strikes_no_more() -> None:
    """7.1, A.4, R16 Ark Royal is disabled before the airstrikes: Littorio is not struck, does not
    fight, and controls."""
    rig = battle("mediterranean", ["ark_royal"], ["littorio"], boats=1)
    rig.dice(1, 2, 3)
    rig.do("allied", "hunt")
    rig.dice(5)
    rig.do("axis", "torpedo", "ark_royal")

    assert wounds_of(rig) == {"ark_royal": ("malta", 0)}
    assert rig.asked() == {"axis": "prompt.halt"}
    assert rig.state.control["mediterranean"] == "axis"


# --- 8.5 ------------------------------------------------------------------------------------------


def test_8_5_one_round_and_the_survivors_stay() -> None:
    """8.5 Anti-submarine combat lasts one round; surviving U-boats stay in the area."""
    rig = battle("north_sea", ["nelson"], boats=1)

    rig.dice(1)
    rig.do("allied", "hunt")
    rig.dice(1)
    rig.do("axis", "torpedo", "nelson")
    assert rig.state.fight is None


def test_8_5_u_boats_neither_fire_nor_suffer_later() -> None:
    """8.5 In airstrike and surface combat no U-boat can be named, and none fires."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["admiral_hipper"], boats=2)
    hold(rig)

    assert rig.refused("allied", "strike", "uboat_1").rule == "9.5"
    rig.do("allied", "hold_fire")
    assert rig.refused("allied", "fire", "hood", "uboat_1").rule == "10.2"
    rig.do("allied", "hold_fire")
    assert rig.refused("axis", "fire", "uboat_1").rule == "10.2"


def test_8_5_boats_alone_with_a_beaten_fleet_control_nothing() -> None:
    """8.5, 12.1 The boats drive the only Allied ship off: the area belongs to nobody, not to the
    Axis."""
    rig = battle("south_atlantic", ["norfolk"], boats=2)
    hold_fire(rig, "allied")
    rig.dice(5, 1)
    rig.do("axis", "torpedo", "norfolk", "norfolk")

    assert wounds_of(rig) == {"norfolk": ("south_america", 0)}
    assert rig.state.control["south_atlantic"] == ""
