"""13 Convoys."""

import pytest

from tests.rules.war_at_sea.charts import CONVOY, NA, chart, happened, pass_on, place, quiet
from tests.rules.war_at_sea.waters import battle
from warledger.engine.games.war_at_sea.convoys import ConvoyArrived, ConvoyStayed
from warledger.engine.games.war_at_sea.movement import Sailed
from warledger.engine.games.war_at_sea.ports import disabled_destinations
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.games.war_at_sea.volley import ShipDisabled

# --- 13.1 -----------------------------------------------------------------------------------------


def test_13_1_one_area_at_a_time_from_the_usa() -> None:
    """13.1, R31 A convoy may wait; it moves one area, and only along its route."""
    rig = chart("allied_sail", {CONVOY: "usa", "hood": "england"}, turn=3)

    assert rig.options("allied", "sail", CONVOY) == ("north_atlantic",)
    assert rig.refused("allied", "sail", CONVOY, "barents_sea").rule in ("6.1", "13.1")
    assert rig.refused("allied", "sail", CONVOY, "north_sea").rule == "13.1"
    assert rig.refused("allied", "sail", CONVOY, "north_atlantic", "barents_sea").rule == "13.1"
    rig.do("allied", "done")
    assert place(rig, CONVOY) == "usa"


def test_13_1_R32_one_convoy_an_area() -> None:
    """13.1, R32 Two may not enter together, nor one where another is; a convoy that must go on
    makes room."""
    rig = chart(
        "allied_sail",
        {CONVOY: "usa", "convoy_2b": "usa", "new_york": "usa", "hood": "england"},
        turn=4,
    )
    assert rig.refused("allied", "sail", CONVOY, "convoy_2b").rule == "13.1"
    rig.do("allied", "sail", CONVOY, "new_york", "north_atlantic")
    assert rig.refused("allied", "sail", "convoy_2b").rule == "13.1"

    makes_room = chart(
        "allied_sail",
        {CONVOY: "north_atlantic", "convoy_2b": "usa"},
        turn=4,
        changes={CONVOY: {"pressed": True}},
    )
    makes_room.do("allied", "sail", "convoy_2b", "north_atlantic")
    assert makes_room.refused("allied", "sail", CONVOY, "north_atlantic").rule == "13.2"
    makes_room.do("allied", "sail", CONVOY, "barents_sea")
    assert (place(makes_room, CONVOY), place(makes_room, "convoy_2b")) == (
        "barents_sea",
        "north_atlantic",
    )


def test_13_1_the_second_convoy_is_refused_for_the_first() -> None:
    """13.1, R32 (E55) The first has sailed into the North Atlantic: the second is refused by 13.1,
    whether other ships could sail or not, and none of them is refused for having sailed (6.1)."""
    for others in ({}, {"hood": "england"}):
        rig = chart("allied_sail", {CONVOY: "usa", "convoy_2b": "usa", **others}, turn=3)
        assert rig.refused("allied", "sail", CONVOY, "convoy_2b", "north_atlantic").rule == "13.1"
        rig.do("allied", "sail", CONVOY, "north_atlantic")
        refused = rig.refused("allied", "sail", "convoy_2b", "north_atlantic")
        assert (refused.rule, refused.key) == ("13.1", "refusal.war_at_sea.one_convoy_an_area")

    rig = chart("allied_sail", {CONVOY: "usa", "convoy_2b": "usa", "hood": "england"}, turn=3)
    rig.do("allied", "sail", "hood", "north_sea")
    rig.do("allied", "sail", CONVOY, "north_atlantic")
    assert rig.refused("allied", "sail", "convoy_2b", "north_atlantic").rule == "13.1"
    rig.do("allied", "done")

    alone = chart("allied_sail", {CONVOY: "usa"}, turn=3)
    alone.do("allied", "sail", CONVOY, "north_atlantic")
    assert (
        alone.refused("allied", "sail", CONVOY, "north_atlantic").key
        == "refusal.war_at_sea.already_moved"
    )


def test_13_1_R32_the_area_is_looked_at_before_the_ships_named() -> None:
    """13.1, R32 A convoy that lies in the North Atlantic and must go on does not keep the next one
    back; two that would enter together do, whatever warship is named with them."""
    rig = chart("allied_sail", {CONVOY: "usa", "convoy_2b": "usa", "new_york": "usa"}, turn=4)
    assert (
        rig.refused("allied", "sail", "new_york", CONVOY, "convoy_2b", "north_atlantic").rule
        == "13.1"
    )
    rig.do("allied", "sail", "new_york", CONVOY, "north_atlantic")
    assert rig.refused("allied", "sail", "convoy_2b", "north_atlantic").rule == "13.1"


def test_13_1_a_convoy_waits_for_the_other_to_make_room() -> None:
    """13.1, R32 (E55) 2B may follow into the North Atlantic only when 1A has gone into England or
    must go on."""
    rig = chart("control", {"convoy_1a": "north_atlantic", "convoy_2b": "usa"}, turn=4)
    rig.do("allied", "into_england")
    assert rig.state.turn == 5
    rig.do("allied", "sail", "convoy_2b", "north_atlantic")
    pass_on(rig, "convoy")
    rig.do("allied", "stay")

    rig.do("allied", "done")
    assert place(rig, "convoy_2b") == "barents_sea", "13.2: it must go on, told or not"
    events = quiet(rig, 7)
    assert [event for event in events if type(event) is ConvoyArrived] == [
        ConvoyArrived("convoy_2b", "barents_sea", "russia", 3)
    ]


# --- 13.2 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("escaped", [False, True])
def test_13_2_into_england_for_one_point(escaped: bool) -> None:
    """13.2, 13.4 (E54) Alive in the North Atlantic, escaped or not: into England, one point, out of
    the game."""
    rig = chart(
        "convoy_in_atlantic",
        {CONVOY: "north_atlantic"},
        turn=3,
        changes={CONVOY: {"escaped": escaped}},
    )

    rig.do("allied", "into_england")
    assert happened(rig, ConvoyArrived) == [ConvoyArrived(CONVOY, "north_atlantic", "england", 1)]
    assert happened(rig, Scored)[0].allied == (0, 1, 0)
    assert place(rig, CONVOY) == "scored"


def test_13_2_R33_on_turn_8_only_england_scores() -> None:
    """R33 A convoy that stays in the North Atlantic on turn 8 scores nothing."""
    rig = chart("convoy_in_atlantic", {CONVOY: "north_atlantic"}, turn=8)

    rig.do("allied", "stay")
    assert happened(rig, Scored)[0].allied == (0, 0, 0)
    assert rig.position.outcome is not None


@pytest.mark.parametrize(
    ("verb", "allied", "score"), [("into_england", (1, 1, 0), -2), ("stay", (1, 0, 0), -1)]
)
def test_13_2_the_last_turn_of_a_convoy(
    verb: str, allied: tuple[int, int, int], score: int
) -> None:
    """13.2, 17.4, R33 A convoy in the North Atlantic on turn 8 holds it for a point, and scores
    only if it goes into England."""
    rig = chart("control", {"convoy_3c": NA}, turn=8)
    rig.do("allied", verb)

    assert happened(rig, Scored) == [Scored(8, allied, (0, 0, 0), score)]
    assert rig.position.outcome is not None and rig.position.outcome.winner == "allied"


def test_13_2_13_3_stay_then_on_to_russia_for_three() -> None:
    """13.2, 13.3 (E54) It stays on turn 3, must go to the Barents Sea on turn 4, and scores three
    there."""
    rig = chart("control", {CONVOY: "north_atlantic"}, turn=3)

    rig.do("allied", "stay")
    assert happened(rig, ConvoyStayed) == [ConvoyStayed(CONVOY, "north_atlantic")]
    assert rig.state.turn == 4
    rig.do("allied", "done")
    assert place(rig, CONVOY) == "barents_sea"
    pass_on(rig, "sail")
    assert place(rig, CONVOY) == "scored"
    assert rig.state.score == -5, (
        "one for the North Atlantic on turn 3, one for the Barents Sea and three for the "
        "convoy on turn 4"
    )


def test_13_2_a_convoy_that_stayed_goes_on_in_any_case() -> None:
    """13.2 If the player does not move it, it moves when Allied movement ends."""
    rig = chart(
        "allied_sail", {CONVOY: "north_atlantic"}, turn=4, changes={CONVOY: {"pressed": True}}
    )

    rig.do("allied", "done")
    assert happened(rig, Sailed) == [Sailed((CONVOY,), "north_atlantic", ("barents_sea",))]


@pytest.mark.parametrize("damage", [0, 4])
def test_13_2_a_damaged_convoy_scores_as_well(damage: int) -> None:
    """13.2, 13.3 Alive is enough, whatever its damage."""
    rig = chart("control", {"convoy_1a": "barents_sea"}, turn=4, damage={"convoy_1a": damage})

    assert [event for event in rig.events if type(event) is ConvoyArrived] == [
        ConvoyArrived("convoy_1a", "barents_sea", "russia", 3)
    ]


# --- 13.3 -----------------------------------------------------------------------------------------


def test_13_3_two_convoys_score_in_one_turn() -> None:
    """13.2, 13.3, 17.1 One reaches England while another reaches Russia: four points."""
    rig = chart("control", {"convoy_1a": "barents_sea", "convoy_2b": "north_atlantic"}, turn=4)
    rig.do("allied", "into_england")

    assert happened(rig, Scored)[0].allied == (2, 4, 0)
    assert (place(rig, "convoy_1a"), place(rig, "convoy_2b")) == ("scored", "scored")


def test_13_3_a_convoy_counts_for_control_before_it_leaves() -> None:
    """12.1, 13.3, R29 The Barents Sea is controlled by the convoy that then goes to Russia; a
    U-boat there cancels the control alone."""
    alone = chart("control", {"convoy_1a": "barents_sea"}, turn=4)
    hunted = chart("control", {"convoy_1a": "barents_sea"}, turn=4, boats={"barents_sea": 1})

    assert [happened(rig, Scored)[0].allied for rig in (alone, hunted)] == [(1, 3, 0), (0, 3, 0)]


# --- 13.4 a convoy that scores leaves the game ----------------------------------------------------


def test_13_4_disabled_in_the_barents_sea() -> None:
    """13.4, R33 (E56) To the USA without points, its damage kept; it may set out again."""
    rig = chart("allied_sail", {CONVOY: "usa"}, turn=5, damage={CONVOY: 2})

    assert set(rig.options("allied")) == {"sail", "repair", "done"}
    rig.do("allied", "sail", CONVOY, "north_atlantic")
    assert rig.state.ships[CONVOY].damage == 2


def test_13_4_18_5_a_disabled_convoy_goes_to_the_usa_all_the_same() -> None:
    """13.4, 18.5, R33 The variant does not keep a convoy out of the port it sails from."""
    rig = chart(
        "deploy", {"convoy_1a": "barents_sea"}, turn=3, options={"v18_5_usa_closed_before_t4": True}
    )

    assert disabled_destinations(rig.state, rig.state.ships["convoy_1a"]) == ("usa",)


def test_13_4_a_convoy_disabled_by_a_u_boat_goes_to_the_usa_at_once() -> None:
    """7.3, 13.4 Also from the Barents Sea, without a choice, and it is gone before the
    airstrikes."""
    rig = battle(
        "barents_sea", [CONVOY, "hood"], ["scharnhorst"], boats=1, air={"axis": "barents_sea"}
    )
    rig.do("allied", "hold_fire")
    rig.dice(5)
    rig.do("axis", "torpedo", CONVOY)

    assert happened(rig, ShipDisabled) == [ShipDisabled(CONVOY, "usa")]
    assert rig.options("axis", "strike") == ("hood",)


def test_13_4_a_convoy_back_in_the_usa_is_repaired_and_sails_again() -> None:
    """13.4, 15.1, R33 Disabled with damage on turn 4; on turn 5 it is repaired and stays, on turn 6
    it sails."""
    rig = chart(
        "allied_sail", {"convoy_1a": "usa", "hood": "england"}, turn=5, damage={"convoy_1a": 3}
    )
    rig.do("allied", "repair", "convoy_1a", 3)
    assert rig.refused("allied", "sail", "convoy_1a").rule == "15.1"
    quiet(rig, 6)

    rig.do("allied", "sail", "convoy_1a", "north_atlantic")
    assert rig.state.ships["convoy_1a"].damage == 0
