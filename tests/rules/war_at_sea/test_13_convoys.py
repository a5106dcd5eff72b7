"""13 Convoys."""

import pytest

from engine.games.war_at_sea.events import ConvoyArrived, ConvoyStayed, Sailed, Scored
from tests.rules.war_at_sea.charts import chart, happened, pass_on, place

CONVOY = "convoy_1a"


def test_13_1_one_area_at_a_time_from_the_usa() -> None:
    """13.1, R31 A convoy may wait; it moves one area, and only along its route."""
    rig = chart("allied_sail", {CONVOY: "usa", "hood": "england"}, turn=3)

    assert rig.options("allied", "sail", CONVOY) == ("north_atlantic",)
    assert rig.refused("allied", "sail", CONVOY, "barents_sea").rule in ("6.1", "13.1")
    assert rig.refused("allied", "sail", CONVOY, "north_sea").rule == "13.1"
    assert rig.refused("allied", "sail", CONVOY, "north_atlantic", "barents_sea").rule == "13.1"
    rig.do("allied", "done")
    assert place(rig, CONVOY) == "usa"


def test_13_1_r32_one_convoy_an_area() -> None:
    """13.1, R32 Two may not enter together, nor one where another is; a convoy that must go on makes room."""
    rig = chart("allied_sail", {CONVOY: "usa", "convoy_2b": "usa", "new_york": "usa", "hood": "england"}, turn=4)
    assert rig.refused("allied", "sail", CONVOY, "convoy_2b").rule == "13.1"
    rig.do("allied", "sail", CONVOY, "new_york", "north_atlantic")
    assert rig.refused("allied", "sail", "convoy_2b").rule == "13.1"

    makes_room = chart("allied_sail", {CONVOY: "north_atlantic", "convoy_2b": "usa"}, turn=4, changes={CONVOY: {"pressed": True}})
    makes_room.do("allied", "sail", "convoy_2b", "north_atlantic")
    assert makes_room.refused("allied", "sail", CONVOY, "north_atlantic").rule == "13.2"
    makes_room.do("allied", "sail", CONVOY, "barents_sea")
    assert (place(makes_room, CONVOY), place(makes_room, "convoy_2b")) == ("barents_sea", "north_atlantic")


def test_13_1_e55_the_second_convoy_is_refused_for_the_first() -> None:
    """13.1, R32 (E55) The first has sailed into the North Atlantic: the second is refused by 13.1, whether other ships could sail or not,
    and none of them is refused for having sailed (6.1)."""
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
    assert alone.refused("allied", "sail", CONVOY, "north_atlantic").key == "refusal.war_at_sea.already_moved"


def test_13_1_r32_the_area_is_looked_at_before_the_ships_named() -> None:
    """13.1, R32 A convoy that lies in the North Atlantic and must go on does not keep the next one back; two that would enter together
    do, whatever warship is named with them."""
    rig = chart("allied_sail", {CONVOY: "usa", "convoy_2b": "usa", "new_york": "usa"}, turn=4)
    assert rig.refused("allied", "sail", "new_york", CONVOY, "convoy_2b", "north_atlantic").rule == "13.1"
    rig.do("allied", "sail", "new_york", CONVOY, "north_atlantic")
    assert rig.refused("allied", "sail", "convoy_2b", "north_atlantic").rule == "13.1"


def test_13_2_a_convoy_that_stayed_goes_on_in_any_case() -> None:
    """13.2 If the player does not move it, it moves when Allied movement ends."""
    rig = chart("allied_sail", {CONVOY: "north_atlantic"}, turn=4, changes={CONVOY: {"pressed": True}})

    rig.do("allied", "done")
    assert happened(rig, Sailed) == [Sailed((CONVOY,), "north_atlantic", ("barents_sea",))]


@pytest.mark.parametrize("escaped", [False, True])
def test_13_2_e54_into_england_for_one_point(escaped: bool) -> None:
    """13.2, 13.4 (E54) Alive in the North Atlantic, escaped or not: into England, one point, out of the game."""
    rig = chart("convoy_in_atlantic", {CONVOY: "north_atlantic"}, turn=3, changes={CONVOY: {"escaped": escaped}})

    rig.do("allied", "into_england")
    assert happened(rig, ConvoyArrived) == [ConvoyArrived(CONVOY, "north_atlantic", "england", 1)]
    assert happened(rig, Scored)[0].allied == (0, 1, 0)
    assert place(rig, CONVOY) == "scored"


def test_13_2_13_3_e54_stay_then_on_to_russia_for_three() -> None:
    """13.2, 13.3 (E54) It stays on turn 3, must go to the Barents Sea on turn 4, and scores three there."""
    rig = chart("control", {CONVOY: "north_atlantic"}, turn=3)

    rig.do("allied", "stay")
    assert happened(rig, ConvoyStayed) == [ConvoyStayed(CONVOY, "north_atlantic")]
    assert rig.state.turn == 4
    rig.do("allied", "done")
    assert place(rig, CONVOY) == "barents_sea"
    pass_on(rig, "sail")
    assert place(rig, CONVOY) == "scored"
    assert rig.state.score == -5, "one for the North Atlantic on turn 3, one for the Barents Sea and three for the convoy on turn 4"


def test_13_4_e56_disabled_in_the_barents_sea() -> None:
    """13.4, R33 (E56) To the USA without points, its damage kept; it may set out again."""
    rig = chart("allied_sail", {CONVOY: "usa"}, turn=5, damage={CONVOY: 2})

    assert set(rig.options("allied")) == {"sail", "repair", "done"}
    rig.do("allied", "sail", CONVOY, "north_atlantic")
    assert rig.state.ships[CONVOY].damage == 2


def test_13_2_r33_on_turn_8_only_england_scores() -> None:
    """R33 A convoy that stays in the North Atlantic on turn 8 scores nothing."""
    rig = chart("convoy_in_atlantic", {CONVOY: "north_atlantic"}, turn=8)

    rig.do("allied", "stay")
    assert happened(rig, Scored)[0].allied == (0, 0, 0)
    assert rig.position.outcome is not None
