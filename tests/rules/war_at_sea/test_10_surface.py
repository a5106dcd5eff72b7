"""10.1-10.5 Surface combat: who fights whom, rounds, gunnery and the German bonus."""

import pytest

from tests.rules.war_at_sea.charts import CONVOY, happened
from tests.rules.war_at_sea.waters import battle, fleet, hold, hold_fire, wounds_of, write_escape
from warledger.engine.games.war_at_sea.surface import Standoff
from warledger.engine.games.war_at_sea.volley import ShipDamaged, ShipDisabled, ShipSunk, Shot

DUELS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, tuple[str, int]], str]] = [
    ((6, 3), (5, 2), {"blucher": ("sunk", 3), "norfolk": ("sunk", 2)}, ""),  # 5 + 1 hits
    ((5,), (4,), {"blucher": ("germany", 0), "norfolk": ("england", 0)}, ""),  # 4 + 1 disables
    ((6, 2), (3,), {"blucher": ("north_sea", 2)}, "fight"),  # crippled, both still there
    ((4,), (6, 1), {"norfolk": ("north_sea", 1)}, "fight"),
    ((5,), (3,), {"blucher": ("germany", 0)}, "allied"),
    ((1,), (4,), {"norfolk": ("england", 0)}, "axis"),
]


# --- 10.1 -----------------------------------------------------------------------------------------


def test_10_1_until_one_side_is_gone() -> None:
    """10.1 Round follows round until one side has no surface ship left; then nobody is asked about
    escape."""
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


def test_10_1_dead_fights_end() -> None:
    """10.6, 7.2, R25 (E42) Ark Royal and an Axis ship that holds fire: after two rounds without a
    die nobody controls the area."""
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


def test_10_1_battleships_of_four_nations_in_one_sea() -> None:
    """10.2, 10.5 In the Mediterranean on turn 8 a German Zara and Scharnhorst fire at Littorio in
    British hands: only Scharnhorst has +1, and Littorio, disabled, goes to Malta (A.4)."""
    rig = battle(
        "mediterranean",
        ["littorio"],
        ["scharnhorst", "zara"],
        turn=8,
        changes={"littorio": {"nation": "uk"}, "zara": {"nation": "de"}},
    )
    hold_fire(rig, "allied")
    rig.dice(4, 3, 3, 4)
    rig.do("axis", "fire", "rest", "littorio")

    assert [(shot.by, shot.plus) for shot in happened(rig, Shot)] == [
        ("scharnhorst", 1),
        ("zara", 0),
    ]
    assert wounds_of(rig) == {"littorio": ("malta", 0)}
    assert rig.state.control["mediterranean"] == "axis"


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


def test_10_1_a_fight_that_leaves_convoy_and_battleship() -> None:
    """10.1, 12.1 Round 1: Hipper is sunk; Lützow, damaged, disables Hood in round 2 by a 5. The
    convoy and Lützow go on, round 3."""
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
    assert wounds_of(rig)["lutzow"] == ("north_atlantic", 1)
    rig.do("allied", "retire", "england")
    write_escape(rig)

    assert rig.state.combat.round == 3
    assert rig.asked() == {"axis": "prompt.war_at_sea.name_targets"}, "a convoy has no gunnery"
    rig.dice(5, 6, 5)
    rig.do("axis", "fire", "lutzow", CONVOY)
    assert rig.state.ships[CONVOY].place == "sunk"
    assert rig.state.control["north_atlantic"] == "axis"
    assert fleet(rig, "north_atlantic") == ("lutzow",)


# --- 10.2 allies attack first, then the Axis ------------------------------------------------------


def test_10_2_targets_are_named_ship_by_ship() -> None:
    """10.2 One ship attacks one target, several may attack the same; ships of others and of other
    places cannot be named."""
    rig = battle(
        "north_sea",
        ["hood", "renown"],
        ["scharnhorst", "gneisenau"],
        changes={"nelson": {"place": "england"}},
    )

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


# --- 10.3 -----------------------------------------------------------------------------------------


def test_10_3_crippled_ships_fire_one_die() -> None:
    """10.3, 7.6, R54 A crippled German ship fires one die, without the bonus."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"], damage={"scharnhorst": 5})

    rig.do("allied", "hold_fire")
    rig.dice(4)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert happened(rig, Shot) == [Shot("gun", "scharnhorst", "hood", (4,), 0, ())]


def test_10_3_preview_adds_up_the_ships_that_name_a_target() -> None:
    """10.3 The chances beside a target are those of all ships named at it so far."""
    rig = battle("north_sea", ["hood", "renown"], ["scharnhorst"])

    one = rig.preview("allied", "fire", "hood", "scharnhorst")
    both = rig.preview("allied", "fire", "hood", "scharnhorst", "renown", "scharnhorst")
    assert isinstance(one, tuple) and isinstance(both, tuple)
    assert (dict(one[0].args)["dice"], dict(both[0].args)["dice"]) == (4, 7)


# --- 10.4 the reply is simultaneous ---------------------------------------------------------------


def test_10_4_sunk_ships_still_reply() -> None:
    """10.4, R21 A ship that this round's Allied fire sinks replies with full gunnery and its bonus;
    then it sinks."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"])

    rig.dice(6, 1, 1, 1, 3)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    rig.dice(5, 1)
    rig.do("axis", "fire", "admiral_hipper", "hood")
    assert happened(rig, Shot) == [Shot("gun", "admiral_hipper", "hood", (5,), 1, (1,))]
    assert happened(rig, ShipSunk) == [ShipSunk("admiral_hipper", 3)]
    assert happened(rig, ShipDamaged) == [ShipDamaged("hood", 1)]


def test_10_4_disabled_ships_still_reply() -> None:
    """10.4 (E36) Allied dice disable Scharnhorst; it still fires three dice with +1, then
    returns."""
    rig = battle("north_sea", ["hood"], ["scharnhorst"])

    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "scharnhorst")
    assert rig.state.ships["scharnhorst"].place == "north_sea"
    rig.dice(1, 1, 1)
    rig.do("axis", "fire", "scharnhorst", "hood")
    assert happened(rig, Shot) == [Shot("gun", "scharnhorst", "hood", (1, 1, 1), 1, ())]
    assert happened(rig, ShipDisabled) == [ShipDisabled("scharnhorst", "germany")]


def test_10_4_both_halves_of_a_round_are_fired_with_full_strength() -> None:
    """10.4 (E35) Hood cripples Scharnhorst, which replies with three dice and +1; only the next
    round is fired with one die."""
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


@pytest.mark.parametrize(("allied", "axis", "after", "holder"), DUELS)
def test_10_4_one_round_of_norfolk_and_blucher(
    allied: tuple[int, ...], axis: tuple[int, ...], after: dict[str, tuple[str, int]], holder: str
) -> None:
    """7.3 – 7.6, 10.4, 10.5, 12.1 One die each, the German with +1; both fire whatever the other
    did; who is left controls."""
    rig = battle("north_sea", ["norfolk"], ["blucher"])
    rig.dice(*allied)
    rig.do("allied", "fire", "norfolk", "blucher")
    rig.dice(*axis)
    rig.do("axis", "fire", "blucher", "norfolk")

    assert wounds_of(rig) == after
    if holder == "fight":
        assert rig.asked().keys() == {"allied", "axis"}
    else:
        assert rig.state.control["north_sea"] == holder


# --- 10.5 -----------------------------------------------------------------------------------------


def test_10_5_the_german_bonus_is_not_on_damage() -> None:
    """10.5 (E32) Gneisenau, undamaged, rolls 4, 5, 3: a disable and a hit; the damage die 4 stays
    4: Hood crippled, to port."""
    rig = battle("north_sea", ["hood"], ["gneisenau"])

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 3, 4)
    rig.do("axis", "fire", "gneisenau", "hood")
    hood = rig.state.ships["hood"]
    assert (hood.damage, hood.crippled, hood.place) == (4, True, "england")


def test_10_5_more_than_six_counts_as_six() -> None:
    """10.5 (E33) Undamaged Hipper rolls 6: one hit, one damage die without bonus."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"])

    rig.do("allied", "hold_fire")
    rig.dice(6, 2)
    rig.do("axis", "fire", "admiral_hipper", "hood")
    assert happened(rig, Shot) == [Shot("gun", "admiral_hipper", "hood", (6,), 1, (2,))]
    assert rig.state.ships["hood"].damage == 2


def test_10_5_damaged_germans_have_no_bonus() -> None:
    """10.5 (E34) Gneisenau with 1 damage rolls 4, 5, 3: miss, disable, miss."""
    rig = battle("north_sea", ["hood"], ["gneisenau"], damage={"gneisenau": 1})

    rig.do("allied", "hold_fire")
    rig.dice(4, 5, 3)
    rig.do("axis", "fire", "gneisenau", "hood")
    assert (rig.state.ships["hood"].damage, rig.state.ships["hood"].place) == (0, "england")


def test_10_5_italians_have_no_bonus_even_when_german() -> None:
    """10.5, R21 Italian ships have none, nor has one that Germany took over."""
    rig = battle(
        "mediterranean", ["hood"], ["littorio", "zara"], changes={"zara": {"nation": "de"}}, turn=8
    )

    rig.do("allied", "hold_fire")
    rig.dice(*[4] * 5)
    rig.do("axis", "fire", "rest", "hood")
    assert [shot.plus for shot in happened(rig, Shot)] == [0, 0]


def test_10_5_the_bonus_of_a_ship_repaired_to_zero() -> None:
    """10.5, R21 Only the damage now carried counts: none, and it has its bonus."""
    rig = battle(
        "north_sea", ["hood"], ["scharnhorst"], changes={"scharnhorst": {"repaired": True}}
    )

    assert rig.state.ships["scharnhorst"].bonus_now == 1


@pytest.mark.parametrize(
    ("dice", "hits", "off"),
    [((3, 3, 3), 0, False), ((4, 3, 3), 0, True), ((5, 3, 3), 1, False), ((6, 5, 4), 2, True)],
)
def test_10_5_what_the_bonus_makes_of_each_die(dice: tuple[int, ...], hits: int, off: bool) -> None:
    """10.5, R21 With +1 a 3 misses, a 4 disables, 5 and 6 hit."""
    rig = battle("north_sea", ["nelson"], ["gneisenau"])
    hold(rig, "allied")
    rig.dice(*dice, *[1] * hits)
    rig.do("axis", "fire", "gneisenau", "nelson")

    assert rig.state.ships["nelson"].damage == hits
    assert (rig.state.ships["nelson"].place == "england") is off
