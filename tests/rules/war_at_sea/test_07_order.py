"""7.1, 7.2 The order of combat: by kind or by area, round by round."""

import pytest

from tests.rules.war_at_sea.waters import battle, hold, hold_fire


def test_7_1_kinds_in_order_and_places_by_the_axis() -> None:
    """7.1 Anti-submarine, then air, then surface combat; with several places of one kind the Axis
    chooses which comes next."""
    rig = battle(
        "north_sea",
        ["hood", "ark_royal"],
        ["scharnhorst"],
        boats=1,
        changes={
            "norfolk": {"place": "north_atlantic"},
            "admiral_hipper": {"place": "north_atlantic"},
        },
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
    """7.1, R1 With `combat_order` by_area the Axis picks an area, and all three kinds are fought
    there before the next."""
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


def test_7_1_by_area_keeps_a_port_apart_and_needs_no_question_for_the_last() -> None:
    """7.1, R1 Area by area: the Axis picks among seas and ports where anything is due; the last
    place goes by itself."""
    rig = battle(
        "north_sea",
        ["hood"],
        ["admiral_hipper"],
        boats=1,
        air={"allied": "italy"},
        changes={
            "littorio": {"place": "italy"},
            "norfolk": {"place": "barents_sea"},
            "gneisenau": {"place": "barents_sea"},
        },
        options={"opt_combat_order": "by_area"},
    )
    assert set(rig.options("axis")) == {"north_sea", "barents_sea", "italy"}
    rig.do("axis", "italy")
    assert rig.asked() == {"allied": "prompt.war_at_sea.airstrike"}
    rig.do("allied", "hold_fire")
    assert set(rig.options("axis")) == {"north_sea", "barents_sea"}
    rig.do("axis", "barents_sea")
    rig.dice(5)
    rig.do("allied", "fire", "norfolk", "gneisenau")
    hold(rig, "axis")

    assert rig.asked() == {"allied": "prompt.war_at_sea.asw_attack"}


def test_7_1_by_kind_every_sea_finishes_one_kind_first() -> None:
    """7.1, R1 By kind: both anti-submarine fights come before the airstrike, whichever the Axis
    picks first."""
    rig = battle(
        "north_sea",
        ["hood"],
        ["admiral_hipper"],
        boats=1,
        air={"allied": "north_sea"},
        changes={"nelson": {"place": "barents_sea"}},
    )
    rig.change(uboats={**rig.state.uboats, "uboat_2": "barents_sea"})
    rig.jump("bench")
    assert rig.asked() == {"axis": "prompt.war_at_sea.asw_order"}
    rig.do("axis", "barents_sea")
    hold(rig)
    assert rig.asked() == {"allied": "prompt.war_at_sea.asw_attack"}
    hold(rig)
    assert rig.asked() == {"allied": "prompt.war_at_sea.airstrike"}


def test_7_1_the_question_of_order_cites_its_clause() -> None:
    """7.1 Which of several fights comes next is asked by that clause."""
    rig = battle(
        "north_sea",
        ["hood"],
        ["admiral_hipper"],
        changes={"norfolk": {"place": "barents_sea"}, "lutzow": {"place": "barents_sea"}},
    )

    step = rig.rules.steps[rig.position.top.name]
    assert step.deciders(rig.position, rig.position.top)["axis"].prompt.rule == "7.1"


def test_7_1_three_kinds_in_three_places() -> None:
    """7.1, R1 Boats in one sea, a marker on a port, ships in another sea: one place of each kind,
    nobody is asked for an order, and the kinds come in theirs."""
    rig = battle(
        "north_sea",
        ["hood"],
        boats=1,
        air={"allied": "germany"},
        changes={
            "lutzow": {"place": "germany"},
            "nelson": {"place": "mediterranean"},
            "littorio": {"place": "mediterranean"},
        },
    )
    asked = []
    for seat in ("allied", "axis", "allied", "allied", "axis"):
        asked.append(rig.asked()[seat].removeprefix("prompt.war_at_sea."))
        rig.do(seat, "hold_fire")

    assert asked == ["asw_attack", "uboat_fire", "airstrike", "name_targets", "name_targets"]


@pytest.mark.parametrize(
    ("seat", "verb", "rule"),
    [("allied", "strike", "7.1"), ("allied", "fire", "7.1"), ("allied", "escape", "11.1")],
)
def test_7_1_the_kinds_come_in_their_order(seat: str, verb: str, rule: str) -> None:
    """7.1, 11.1 While the boats are hunted neither aircraft nor guns may attack, and nobody
    escapes."""
    rig = battle("north_sea", ["hood", "ark_royal"], ["lutzow"], boats=1)

    assert rig.refused(seat, verb).rule == rule
    hold_fire(rig, seat)
    assert rig.refused("axis", "fire").rule == "7.1"
