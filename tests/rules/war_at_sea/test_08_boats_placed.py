"""8.1 and 8.6: where U-boats are placed, and how many there may be."""

import pytest

from engine.games.war_at_sea.events import UBoatsArrived, UBoatsPlaced
from tests.rules.war_at_sea.charts import chart, happened


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
    """18.3 (E24) Two boats wait; with five alive on turn 5 both they and... as many as fit come, the rest wait on."""
    rig = chart("reinforce", {"hood": "england"}, turn=5, boats={"germany": 5}, options={"v18_3_uboat_backlog": True}, backlog=2)

    assert happened(rig, UBoatsArrived) == [UBoatsArrived(("uboat_6", "uboat_7"), 0, 2)]
    assert rig.state.boats_alive == 7


def test_8_6_lost_boats_do_not_come_later() -> None:
    """8.6 Without the variant there is no backlog."""
    rig = chart("reinforce", {"hood": "england"}, turn=5, boats={"germany": 7})

    assert rig.state.backlog == 0
