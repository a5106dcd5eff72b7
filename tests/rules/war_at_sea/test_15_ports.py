"""15 Ports and repair."""

import pytest

from engine.games.war_at_sea.events import FranceClosed, Repaired, Scored
from tests.rules.war_at_sea.charts import chart, happened, place


@pytest.mark.parametrize(
    "repairs", [(("bismarck", 3),), (("bismarck", 2), ("lutzow", 1)), (("bismarck", 1), ("lutzow", 1)), (("lutzow", 1),)]
)
def test_15_2_e60_legal_repairs(repairs: tuple[tuple[str, int], ...]) -> None:
    """15.1, 15.2, R59 (E60) France removes three points a turn, split freely; points may go unused."""
    rig = chart("axis_sail", {"bismarck": "france", "lutzow": "france"}, turn=3, damage={"bismarck": 4, "lutzow": 1})

    rig.do("axis", "repair", *(pick for pair in repairs for pick in pair))
    assert happened(rig, Repaired) == [Repaired(ship, "france", points) for ship, points in repairs]
    for ship, points in repairs:
        assert rig.state.ships[ship].damage == {"bismarck": 4, "lutzow": 1}[ship] - points


def test_15_2_e60_not_more_than_the_port_can() -> None:
    """15.2 (E60) 3 + 1 is too much, in one command or two; so is more than the ship's damage."""
    rig = chart("axis_sail", {"bismarck": "france", "lutzow": "france"}, turn=3, damage={"bismarck": 4, "lutzow": 1})

    assert rig.refused("axis", "repair", "bismarck", 4).rule == "15.2"
    assert rig.refused("axis", "repair", "bismarck", 3, "lutzow").rule == "15.2"
    assert rig.refused("axis", "repair", "lutzow", 2).rule == "15.2"
    rig.do("axis", "repair", "bismarck", 2)
    rig.do("axis", "repair", "bismarck", 1)
    assert rig.refused("axis", "repair").rule == "15.1", "nothing is left to repair with"


def test_15_1_a_repaired_ship_stays_and_a_moved_one_is_not_repaired() -> None:
    """15.1, R38 Only ships that do not move this turn are repaired; damaged ships may sail."""
    rig = chart("allied_sail", {"hood": "england", "renown": "england"}, damage={"hood": 2, "renown": 1})

    rig.do("allied", "repair", "hood", 1)
    assert rig.refused("allied", "sail", "hood").rule == "15.1"
    rig.do("allied", "sail", "renown", "north_sea")
    assert rig.refused("allied", "repair", "renown").rule == "15.1"
    rig.do("allied", "repair", "hood", 1)
    assert rig.state.ships["hood"].damage == 0


def test_15_1_e60_no_repair_after_a_failed_roll_and_none_in_south_america() -> None:
    """15.1, R9, R38 (E60) A failed mover is not repaired; the neutral port repairs nothing."""
    rig = chart(
        "allied_sail",
        {"repulse": "england", "hood": "south_america", "renown": "england"},
        damage={"repulse": 1, "hood": 1},
        changes={"repulse": {"failed": True, "path": ("north_sea", "barents_sea")}},
    )

    assert rig.refused("allied", "repair").key == "refusal.war_at_sea.none_to_repair"
    assert "repair" not in rig.options("allied")


@pytest.mark.parametrize(("turn", "open_"), [(1, False), (2, True), (6, True), (7, False), (8, False)])
def test_15_4_e61_when_france_is_open(turn: int, open_: bool) -> None:
    """15.4, R36 (E61) Axis warships may use France on turns 2 to 6."""
    rig = chart("deploy", {"scharnhorst": "north_atlantic"}, turn=turn)

    assert rig.state.may_enter_port(rig.state.ships["scharnhorst"], "france") is open_


def test_15_4_e61_france_closes_on_turn_7() -> None:
    """15.4, R36 (E61) Axis warships there, Italians too, are removed before anything moves."""
    rig = chart("begin_turn", {"scharnhorst": "france", "zara": "france", "lutzow": "germany"}, turn=6)

    assert happened(rig, FranceClosed) == [FranceClosed(("scharnhorst", "zara"))]
    assert (place(rig, "scharnhorst"), place(rig, "lutzow")) == ("removed", "germany")


def test_15_3_the_usa_is_open_from_turn_1() -> None:
    """15.3 British ships may enter the USA and be repaired there before the Americans join."""
    rig = chart("allied_sail", {"hood": "usa"}, turn=2, damage={"hood": 1})

    rig.do("allied", "repair", "hood", 1)
    assert rig.state.ships["hood"].damage == 0


def test_15_6_r37_staying_in_the_neutral_port_costs_a_point() -> None:
    """15.6, 17.1, R37 Each ship that began the turn there and did not leave; both sides pay."""
    rig = chart("allied_sail", {"hood": "south_america", "zara": "south_america", "pola": "south_america"})

    rig.do("allied", "done")
    rig.do("axis", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    scored = happened(rig, Scored)[0]
    assert (scored.allied[2], scored.axis[2], scored.score) == (1, 2, -1)


def test_15_6_r37_a_failed_roll_back_into_the_neutral_port_costs_too() -> None:
    """15.6, R8, R37 It left, failed, and came back: one point."""
    rig = chart("axis_sail", {"lutzow": "south_america"}, turn=2)

    rig.do("axis", "sail", "lutzow", "south_atlantic", "north_sea")
    rig.dice(6)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "south_america")
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    assert happened(rig, Scored)[0].axis[2] == 1


def test_15_6_r37_leaving_and_returning_costs_nothing() -> None:
    """15.6, R37 A ship that left and came back by its normal return is a new arrival."""
    rig = chart("axis_sail", {"lutzow": "south_america"}, turn=1)

    rig.do("axis", "sail", "lutzow", "south_atlantic")
    rig.do("axis", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    rig.dice(6)
    rig.do("axis", "replenish", "lutzow")
    assert place(rig, "lutzow") == "south_america"
    assert happened(rig, Scored)[0].axis == (3, 0, 0)


def test_18_6_internment() -> None:
    """18.6 Ships that stay in the neutral port are removed, at no cost."""
    rig = chart("score", {"hood": "south_america", "zara": "south_america"}, options={"v18_6_internment": True})

    assert (place(rig, "hood"), place(rig, "zara")) == ("removed", "removed")
    assert happened(rig, Scored)[0].allied == (0, 0, 0)
