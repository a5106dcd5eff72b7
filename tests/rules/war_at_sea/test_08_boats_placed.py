"""8.1 and 8.6: where U-boats are placed, and how many there may be."""

import pytest

from tests.rules.war_at_sea.charts import PACK, chart, happened, quiet
from tests.rules.war_at_sea.waters import battle
from warledger.engine.games.war_at_sea import RULES
from warledger.engine.games.war_at_sea.placement import UBoatsPlaced
from warledger.engine.games.war_at_sea.turns import UBoatsArrived
from warledger.engine.games.war_at_sea.volley import ShipDisabled
from warledger.engine.testing.rig import Rig

# --- 8.1 ------------------------------------------------------------------------------------------


def test_8_1_any_area_any_number() -> None:
    """8.1, R14 Distance, markers and enemies do not matter, the Baltic is open; the rest stays in
    Germany."""
    rig = chart(
        "place_uboats",
        {"hood": "south_atlantic"},
        turn=2,
        boats={"germany": 5},
        control={"south_atlantic": "allied"},
    )

    assert len(rig.options("axis", "place")) == 6
    rig.do("axis", "place", "south_atlantic", 3, "baltic_sea", 1)
    assert [
        len(rig.state.boats_at(area)) for area in ("south_atlantic", "baltic_sea", "germany")
    ] == [3, 1, 1]
    assert rig.asked() != {"axis": "prompt.war_at_sea.uboats"}, "all at once"


def test_8_1_no_more_boats_than_there_are() -> None:
    """8.1 The numbers cannot exceed the boats in Germany, ports are no areas, and one may place
    none."""
    rig = chart("place_uboats", {}, boats={"germany": 2})

    assert rig.refused("axis", "place", "north_sea", 3).rule == "8.1"
    assert rig.refused("axis", "place", "north_sea", 2, "baltic_sea").rule == "8.1"
    assert rig.refused("axis", "place", "england").rule == "8.1"
    assert rig.refused("axis", "place", "north_sea", 0).rule == "8.1"
    rig.do("axis", "pass")
    assert happened(rig, UBoatsPlaced) == [UBoatsPlaced(())]


def test_8_1_u_boats_in_the_baltic_fight_the_soviets() -> None:
    """8.1, 8.2, 12.1 One die for Marat; the boat that survives cancels Soviet control, the ship
    struck goes to Leningrad."""
    rig = battle("baltic_sea", ["marat", "oktyabrskaya_revolutsiya"], boats=1)
    rig.dice(2, 3)
    rig.do("allied", "hunt")
    rig.dice(5)
    rig.do("axis", "torpedo", "marat")

    assert happened(rig, ShipDisabled) == [ShipDisabled("marat", "leningrad")]
    assert rig.state.control["baltic_sea"] == ""


# --- 8.6 never more than seven U-boats ------------------------------------------------------------


@pytest.mark.parametrize(
    ("alive", "turn", "option", "expect"),
    [
        (6, 4, False, UBoatsArrived(("uboat_7",), 1, 0)),
        (7, 4, False, UBoatsArrived((), 2, 0)),
        (7, 4, True, UBoatsArrived((), 0, 2)),
        (3, 4, False, UBoatsArrived(("uboat_4", "uboat_5"), 0, 0)),
    ],
)
def test_8_6_limit_of_seven(alive: int, turn: int, option: bool, expect: UBoatsArrived) -> None:
    """8.6, 18.3, R17 (E24) What does not fit is lost for good, or waits with the variant."""
    rig = chart(
        "reinforce",
        {"hood": "england"},
        turn=turn,
        boats={"germany": alive},
        options={"v18_3_uboat_backlog": option},
    )

    assert happened(rig, UBoatsArrived) == [expect]


def test_8_6_lost_boats_do_not_come_later() -> None:
    """8.6 Without the variant there is no backlog."""
    rig = chart("reinforce", {"hood": "england"}, turn=5, boats={"germany": 7})

    assert rig.state.backlog == 0


def test_8_6_boats_over_all_eight_turns() -> None:
    """8.6, R17 With no losses: 3, 4, 5, 7, and then all reinforcements are lost."""
    rig = Rig(RULES, PACK, seed=1)
    rig.do("allied", "done")
    alive = [rig.state.boats_alive]
    for turn in range(2, 9):
        quiet(rig, turn)
        alive.append(rig.state.boats_alive)
    assert alive == [3, 4, 5, 7, 7, 7, 7, 7]
    assert rig.state.backlog == 0
