"""8.2-8.5 Anti-submarine combat."""

import pytest

from engine.games.war_at_sea.antisubmarine import asw_strength
from engine.games.war_at_sea.combat_events import AswRolled, CombatOpened, Shot
from engine.games.war_at_sea.events import ShipDisabled, ShipSunk, TurnedUp, UBoatDisabled, UBoatSunk
from tests.rules.war_at_sea.waters import battle, happened


def test_8_2_e18_strength() -> None:
    """8.2, R52 (E18) Two battleships, a cruiser, a carrier without its airstrike and a convoy: 1 + 1 + 1 + 3 + 3 = 9 dice."""
    rig = battle("north_atlantic", ["queen_elizabeth", "warspite", "norfolk", "ark_royal", "convoy_1a"], boats=1, damage={"ark_royal": 2})

    assert rig.state.ships["ark_royal"].airstrike_now == 0
    assert asw_strength(rig.state, "north_atlantic") == 9
    rig.dice(*[1] * 9)
    rig.do("allied", "hunt")
    assert happened(rig, AswRolled) == [AswRolled("north_atlantic", (1,) * 9)]


def test_8_2_no_allied_ship_no_fight() -> None:
    """8.2, R50 U-boats alone in an area are not fought; nor are those with Axis ships only."""
    rig = battle("north_sea", [], ["scharnhorst"], boats=2)

    assert happened(rig, CombatOpened) == []


def test_8_3_e20_more_results_than_boats() -> None:
    """8.3, R15 (E20) Dice 6, 6, 5, 5 against three U-boats: two sunk, one disabled, no return fire."""
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


@pytest.mark.parametrize(
    ("dice", "place", "damage", "speed", "gunnery"),
    [((4,), "north_sea", 0, 3, 4), ((5,), "england", 0, 3, 4), ((6, 3), "north_sea", 3, 1, 4)],
)
def test_8_4_e21_uboat_hits(dice: tuple[int, ...], place: str, damage: int, speed: int, gunnery: int) -> None:
    """8.4, 7.4, 10.5, R16 (E21) A U-boat at Royal Oak: 4 misses (no German +1), 5 disables, 6 and 3 leave damage 3, speed 1."""
    rig = battle("north_sea", ["royal_oak"], boats=1)

    rig.do("allied", "hold_fire")
    rig.dice(*dice)
    rig.do("axis", "torpedo", "royal_oak")
    ship = rig.state.ships["royal_oak"]
    assert (ship.place, ship.damage, ship.speed_now, ship.gunnery_now) == (place, damage, speed, gunnery)


def test_8_4_e22_a_carrier_or_convoy_may_be_named() -> None:
    """8.4, R16 (E22) Two U-boats name Glorious, both before rolling; 6 and 3, damage 2: sunk before the airstrikes."""
    rig = battle("north_atlantic", ["nelson", "glorious", "convoy_1a"], ["scharnhorst"], boats=2)

    rig.do("allied", "hold_fire")
    assert rig.options("axis", "torpedo") == ("nelson", "glorious", "convoy_1a")
    rig.dice(6, 3, 2)
    rig.do("axis", "torpedo", "glorious", "glorious")
    assert happened(rig, ShipSunk) == [ShipSunk("glorious", 2)]
    assert rig.asked() == {"allied": "prompt.war_at_sea.name_targets"}


def test_8_4_each_boat_attacks_once() -> None:
    """8.4 Each U-boat attacks one target; a third attack by two boats is refused, and so is a ship elsewhere."""
    rig = battle("north_sea", ["nelson", "rodney"], boats=2, changes={"hood": {"place": "barents_sea"}})

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


def test_8_5_one_round_and_the_survivors_stay() -> None:
    """8.5 Anti-submarine combat lasts one round; surviving U-boats stay in the area."""
    rig = battle("north_sea", ["nelson"], boats=1)

    rig.dice(1)
    rig.do("allied", "hunt")
    rig.dice(1)
    rig.do("axis", "torpedo", "nelson")
    assert rig.state.fight is None


def test_8_4_preview_gives_the_chances() -> None:
    """8.4 Two U-boats at one target: the odds shown are for both dice."""
    rig = battle("north_sea", ["nelson"], boats=2)

    rig.do("allied", "hold_fire")
    shown = rig.preview("axis", "torpedo", "nelson", "nelson")
    assert isinstance(shown, tuple)
    args = dict(shown[0].args)
    assert (args["dice"], args["hits"]) == (2, 333)


def test_8_3_no_target_is_named() -> None:
    """8.3 The attack is against all U-boats; naming one is refused with the clause."""
    rig = battle("north_sea", ["nelson"], boats=2)

    refusal = rig.refused("allied", "hunt", "uboat_1")
    assert (refusal.rule, refusal.key) == ("8.3", "refusal.war_at_sea.asw_names_no_target")


def test_8_2_r43_hidden_ships_are_turned_up_when_the_fight_begins() -> None:
    """18.2, R43 Anti-submarine combat counts as combat: the face-down ships of that area are turned up, those elsewhere are not."""
    rig = battle(
        "north_sea",
        ["nelson"],
        boats=1,
        options={"v18_2_hidden_allied_movement": True},
        changes={"nelson": {"down": True}, "hood": {"down": True, "place": "barents_sea"}},
    )

    assert [event.ships for event in rig.events if type(event) is TurnedUp] == [(("nelson", "north_sea"),)]
    assert rig.state.ships["hood"].down
