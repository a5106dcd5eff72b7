"""15.6 The neutral port and its price."""

from tests.rules.war_at_sea.charts import NS, chart, happened, pass_on, place, quiet, scores
from warledger.engine.games.war_at_sea.victory import Scored
from warledger.engine.games.war_at_sea.volley import ShipDisabled


def test_15_6_R37_staying_in_the_neutral_port_costs_a_point() -> None:
    """15.6, 17.1, R37 Each ship that began the turn there and did not leave; both sides pay."""
    rig = chart(
        "allied_sail", {"hood": "south_america", "zara": "south_america", "pola": "south_america"}
    )

    rig.do("allied", "done")
    rig.do("axis", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    scored = happened(rig, Scored)[0]
    assert (scored.allied[2], scored.axis[2], scored.score) == (1, 2, -1)


def test_15_6_R37_a_failed_roll_back_into_the_neutral_port_costs_too() -> None:
    """15.6, R8, R37 It left, failed, and came back: one point."""
    rig = chart("axis_sail", {"lutzow": "south_america"}, turn=2)

    rig.do("axis", "sail", "lutzow", "south_atlantic", "north_sea")
    rig.dice(6)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "south_america")
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    assert happened(rig, Scored)[0].axis[2] == 1


def test_15_6_R37_leaving_and_returning_costs_nothing() -> None:
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


def test_15_6_the_price_of_the_neutral_port_turn_by_turn() -> None:
    """15.6, R37 (E59) It arrives on turn 1 at no cost, stays on turns 2 and 3 for a point each, and
    leaves on turn 4."""
    rig = chart("replenish", {"lutzow": "north_atlantic"}, turn=1)
    rig.dice(6)
    rig.do("axis", "replenish", "lutzow")
    events = list(rig.events)
    events += quiet(rig, 4)
    rig.do("axis", "sail", "lutzow", "south_atlantic")
    events += quiet(rig, 5)

    assert scores(events) == [(0, 0), (0, 1), (0, 1), (0, 0)]
    assert place(rig, "lutzow") != "removed"


def test_15_6_penalty_and_cap_in_one_move() -> None:
    """15.6, 17.2, R41, R62 Axis four for the North Sea less one for Scheer, that stayed in South
    America: nine and three stop at ten."""
    rig = chart(
        "control", {"admiral_hipper": NS, "admiral_scheer": "south_america"}, turn=4, score=9
    )

    assert happened(rig, Scored) == [Scored(4, (0, 0, 0), (4, 0, 1), 10)]


def test_15_6_a_failed_roll_into_another_port_costs_nothing() -> None:
    """15.6, R37 It left, failed and went to Germany: no penalty."""
    rig = chart("axis_sail", {"lutzow": "south_america"}, turn=2)
    rig.do("axis", "sail", "lutzow", "south_atlantic", "north_sea")
    rig.dice(5)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "germany")

    assert scores(quiet(rig, 3)) == [(0, 0)]
    assert place(rig, "lutzow") == "germany"


def test_15_6_a_failed_roll_into_the_neutral_port_from_elsewhere_is_an_arrival() -> None:
    """15.6, R37 A ship from Germany that fails into South America has not stayed there; the next
    turn it has."""
    rig = chart("axis_sail", {"lutzow": "germany"}, turn=1)
    rig.do("axis", "sail", "lutzow", "north_sea", "south_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "south_america")

    assert scores(quiet(rig, 3)) == [(0, 0), (0, 1)]


def test_15_6_a_ship_disabled_back_into_the_neutral_port_is_an_arrival() -> None:
    """15.5, 15.6, R37 It left, fought in the South Atlantic, and was sent back by a 5: no penalty
    this turn."""
    rig = chart("axis_sail", {"lutzow": "south_america", "hood": "south_atlantic"}, turn=4)
    rig.do("axis", "sail", "lutzow", "south_atlantic")
    pass_on(rig, "name_targets")
    rig.dice(5, 1, 1, 1)
    rig.do("allied", "fire", "hood", "lutzow")
    rig.do("axis", "hold_fire")

    assert happened(rig, ShipDisabled) == [ShipDisabled("lutzow", "south_america")]
    assert scores([*rig.events, *quiet(rig, 5)]) == [(0, 0)]


def test_15_6_a_ship_of_each_side_may_lie_there_in_peace() -> None:
    """2.3, 15.5, 15.6 No combat in the port; each that stays costs its own side a point, which
    cancel in the net (17.2)."""
    rig = chart("allied_sail", {"hood": "south_america", "lutzow": "south_america"}, turn=4)

    assert scores(quiet(rig, 5)) == [(1, 1)]
    assert rig.state.score == 0
