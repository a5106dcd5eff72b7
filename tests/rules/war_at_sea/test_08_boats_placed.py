"""8.1 and 8.6: where U-boats are placed, and how many there may be."""

import pytest

from engine.games.war_at_sea.events import UBoatsArrived, UBoatsPlaced
from tests.rules.war_at_sea.charts import chart, happened, pass_on


def test_8_1_any_area_any_number() -> None:
    """8.1, R14 Distance, markers and enemies do not matter, the Baltic is open; the rest stays in Germany."""
    rig = chart("place_uboats", {"hood": "south_atlantic"}, turn=2, boats={"germany": 5}, control={"south_atlantic": "allied"})

    assert len(rig.options("axis", "place")) == 6
    rig.do("axis", "place", "south_atlantic", 3, "baltic_sea", 1)
    assert [len(rig.state.boats_at(area)) for area in ("south_atlantic", "baltic_sea", "germany")] == [3, 1, 1]
    assert rig.asked() != {"axis": "prompt.war_at_sea.uboats"}, "all at once"


def test_8_1_no_more_boats_than_there_are() -> None:
    """8.1 The numbers cannot exceed the boats in Germany, ports are no areas, and one may place none."""
    rig = chart("place_uboats", {}, boats={"germany": 2})

    assert rig.refused("axis", "place", "north_sea", 3).rule == "8.1"
    assert rig.refused("axis", "place", "north_sea", 2, "baltic_sea").rule == "8.1"
    assert rig.refused("axis", "place", "england").rule == "8.1"
    assert rig.refused("axis", "place", "north_sea", 0).rule == "8.1"
    rig.do("axis", "pass")
    assert happened(rig, UBoatsPlaced) == [UBoatsPlaced(())]


@pytest.mark.parametrize(
    ("alive", "turn", "option", "expect"),
    [
        (6, 4, False, UBoatsArrived(("uboat_7",), 1, 0)),
        (7, 4, False, UBoatsArrived((), 2, 0)),
        (7, 4, True, UBoatsArrived((), 0, 2)),
        (3, 4, False, UBoatsArrived(("uboat_4", "uboat_5"), 0, 0)),
    ],
)
def test_8_6_e24_limit_of_seven(alive: int, turn: int, option: bool, expect: UBoatsArrived) -> None:
    """8.6, 18.3, R17 (E24) What does not fit is lost for good, or waits with the variant."""
    rig = chart("reinforce", {"hood": "england"}, turn=turn, boats={"germany": alive}, options={"v18_3_uboat_backlog": option})

    assert happened(rig, UBoatsArrived) == [expect]


def test_18_3_the_backlog_fills_later_gaps() -> None:
    """18.3 (E24) Two boats wait and two are due on turn 5: with five alive two come, and two wait on."""
    rig = chart("reinforce", {"hood": "england"}, turn=5, boats={"germany": 5}, options={"v18_3_uboat_backlog": True}, backlog=2)

    assert happened(rig, UBoatsArrived) == [UBoatsArrived(("uboat_6", "uboat_7"), 0, 2)]
    assert rig.state.boats_alive == 7


def test_8_6_lost_boats_do_not_come_later() -> None:
    """8.6 Without the variant there is no backlog."""
    rig = chart("reinforce", {"hood": "england"}, turn=5, boats={"germany": 7})

    assert rig.state.backlog == 0


def test_8_3_r48_a_boat_sent_home_goes_out_again_next_turn() -> None:
    """8.3, R48 A disabled boat is not lost: it lies in Germany and can be placed next turn."""
    rig = chart("control", {"hood": "england"}, turn=1, boats={"germany": 1, "north_sea": 1})

    pass_on(rig, "uboats")
    assert len(rig.state.boats_at("germany")) == 3
    rig.do("axis", "place", "north_sea", 3)
    assert len(rig.state.boats_at("north_sea")) == 3
