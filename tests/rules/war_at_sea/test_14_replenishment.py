"""14 Replenishment at sea."""

import pytest

from engine.games.war_at_sea.events import ReplenishmentRolled, Sailed, StayedAtSea
from tests.rules.war_at_sea.charts import chart, happened, place

SHIP = "gneisenau"


@pytest.mark.parametrize(
    ("turn", "die", "success"), [(1, 5, True), (1, 6, False), (2, 5, False), (2, 4, True), (3, 3, True), (3, 4, False)]
)
def test_14_3_e57_success_by_turn(turn: int, die: int, success: bool) -> None:
    """14.2 – 14.4, R35 (E57) 1–5, 1–4, 1–3; a failed ship goes to South America even from the North Atlantic."""
    rig = chart("replenish", {SHIP: "north_atlantic"}, turn=turn)

    rig.dice(die)
    rig.do("axis", "replenish", SHIP)
    assert happened(rig, ReplenishmentRolled) == [ReplenishmentRolled(SHIP, die, success, "" if success else "south_america")]
    assert place(rig, SHIP) == ("north_atlantic" if success else "south_america")


def test_14_3_e57_not_from_turn_4_on() -> None:
    """14.3 (E57) On turn 4 nobody is asked."""
    rig = chart("replenish", {SHIP: "north_atlantic"}, turn=4)

    assert rig.asked() == {"axis": "prompt.war_at_sea.return"}


def test_14_1_e57_who_may_try() -> None:
    """14.1 (E57) No Italian, nobody elsewhere, nobody who escaped, nobody twice."""
    rig = chart(
        "replenish",
        {SHIP: "north_atlantic", "zara": "north_atlantic", "lutzow": "north_sea", "scharnhorst": "south_atlantic"},
        changes={"scharnhorst": {"escaped": True}},
    )

    assert rig.options("axis", "replenish") == (SHIP,)
    assert rig.refused("axis", "replenish", "zara").rule == "14.1"
    assert rig.refused("axis", "replenish", "lutzow").rule == "14.1"
    assert rig.refused("axis", "replenish", "scharnhorst").rule == "14.1"


def test_18_4_escaped_ships_may_try() -> None:
    """18.4 (E57) With the variant they may."""
    rig = chart("replenish", {SHIP: "south_atlantic"}, changes={SHIP: {"escaped": True}}, options={"v18_4_escaped_may_replenish": True})

    assert rig.options("axis", "replenish") == (SHIP,)


def test_14_2_one_ship_at_a_time() -> None:
    """14.2, R34 Look at one die before deciding about the next ship; damage does not matter; nobody tries twice."""
    rig = chart("replenish", {SHIP: "north_atlantic", "scharnhorst": "south_atlantic"}, damage={SHIP: 3})

    rig.dice(2)
    rig.do("axis", "replenish", SHIP)
    assert rig.refused("axis", "replenish", SHIP).rule == "14.2"
    rig.do("axis", "done")
    assert place(rig, "scharnhorst") == "south_america", "R34: a ship that does not try returns normally"
    assert rig.asked() == {"axis": "prompt.war_at_sea.return"}
    rig.do("axis", "done")
    assert happened(rig, StayedAtSea) == [StayedAtSea((SHIP,))]
    assert place(rig, SHIP) == "north_atlantic"


def test_14_4_a_ship_that_replenished_may_return_all_the_same() -> None:
    """14.4 It may stay at sea; it need not."""
    rig = chart("replenish", {SHIP: "north_atlantic"}, turn=2)

    rig.dice(1)
    rig.do("axis", "replenish", SHIP)
    rig.do("axis", "return", SHIP, "france")
    assert place(rig, SHIP) == "france"
    assert not rig.state.ships[SHIP].free


@pytest.mark.parametrize(("turn", "france"), [(2, True), (7, False)])
def test_14_4_e58_after_replenishing(turn: int, france: bool) -> None:
    """14.4, R35, R47 (E58) Any area through any markers, or any open friendly or neutral port, without a speed roll."""
    markers = dict.fromkeys(("north_sea", "barents_sea", "south_atlantic", "mediterranean", "baltic_sea"), "allied")
    rig = chart("axis_sail", {SHIP: "north_atlantic"}, turn=turn, damage={SHIP: 5}, control=markers, changes={SHIP: {"free": True}})

    ends = set(rig.options("axis", "sail", SHIP))
    ports = {"germany", "italy", "south_america"} | ({"france"} if france else set())
    assert ends == {"south_atlantic", "north_sea", "barents_sea", "baltic_sea", "mediterranean"} | ports
    assert rig.refused("axis", "sail", SHIP, "england").rule == "2.2"
    assert rig.refused("axis", "sail", SHIP, "north_sea", "baltic_sea").rule == "14.4"
    rig.do("axis", "sail", SHIP, "mediterranean")
    rig.do("axis", "done")
    assert place(rig, SHIP) == "mediterranean"


def test_14_4_e58_no_repair_in_the_port_it_enters() -> None:
    """14.4, 15.1, R35 (E58) Going into port is movement: no repair that turn."""
    rig = chart(
        "axis_sail", {SHIP: "north_atlantic", "lutzow": "germany"}, turn=2, damage={SHIP: 2, "lutzow": 1}, changes={SHIP: {"free": True}}
    )

    rig.do("axis", "sail", SHIP, "germany")
    assert happened(rig, Sailed) == [Sailed((SHIP,), "north_atlantic", ("germany",))]
    assert rig.refused("axis", "repair", SHIP).rule == "15.1"
    assert rig.refused("axis", "sail", SHIP, "north_sea").rule == "6.1"


def test_14_4_freedom_lasts_one_turn() -> None:
    """14.4 A success gives the next turn's freedom, and no more."""
    rig = chart("begin_turn", {SHIP: "north_atlantic"}, turn=1, changes={SHIP: {"replenished": True, "tried": True}})

    ship = rig.state.ships[SHIP]
    assert (ship.free, ship.replenished, ship.tried) == (True, False, False)
    assert not ship.new_turn().free
