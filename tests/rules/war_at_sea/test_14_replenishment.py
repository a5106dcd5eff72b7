"""14 Replenishment at sea."""

import pytest

from tests.rules.war_at_sea.charts import FREE, NA, SA, SHIP, chart, happened, pass_on, place
from warledger.engine.games.war_at_sea.homing import StayedAtSea
from warledger.engine.games.war_at_sea.movement import Sailed
from warledger.engine.games.war_at_sea.replenishment import ReplenishmentRolled
from warledger.engine.games.war_at_sea.victory import Scored

# --- 14.1 -----------------------------------------------------------------------------------------


def test_14_1_who_may_try() -> None:
    """14.1 (E57) No Italian, nobody elsewhere, nobody who escaped, nobody twice."""
    rig = chart(
        "replenish",
        {
            SHIP: "north_atlantic",
            "zara": "north_atlantic",
            "lutzow": "north_sea",
            "scharnhorst": "south_atlantic",
        },
        changes={"scharnhorst": {"escaped": True}},
    )

    assert rig.options("axis", "replenish") == (SHIP,)
    assert rig.refused("axis", "replenish", "zara").rule == "14.1"
    assert rig.refused("axis", "replenish", "lutzow").rule == "14.1"
    assert rig.refused("axis", "replenish", "scharnhorst").rule == "14.1"


def test_14_1_german_warships_of_any_class_may_try() -> None:
    """14.1 – 14.3, R34 Battleship or cruiser, undamaged or crippled; each has one die."""
    rig = chart(
        "replenish",
        {"bismarck": "north_atlantic", "prinz_eugen": "south_atlantic"},
        turn=2,
        damage={"prinz_eugen": 2},
    )
    rig.dice(4, 5)
    rig.do("axis", "replenish", "prinz_eugen")
    rig.do("axis", "replenish", "bismarck")

    assert happened(rig, ReplenishmentRolled) == [
        ReplenishmentRolled("bismarck", 5, False, "south_america")
    ]
    assert place(rig, "prinz_eugen") == "south_atlantic"


# --- 14.2 each trying ship rolls one die ----------------------------------------------------------


def test_14_2_one_ship_at_a_time() -> None:
    """14.2, R34 Look at one die before deciding about the next ship; damage does not matter; nobody
    tries twice."""
    rig = chart(
        "replenish", {SHIP: "north_atlantic", "scharnhorst": "south_atlantic"}, damage={SHIP: 3}
    )

    rig.dice(2)
    rig.do("axis", "replenish", SHIP)
    assert rig.refused("axis", "replenish", SHIP).rule == "14.2"
    rig.do("axis", "done")
    assert place(rig, "scharnhorst") == "south_america", (
        "R34: a ship that does not try returns normally"
    )
    assert rig.asked() == {"axis": "prompt.war_at_sea.return"}
    rig.do("axis", "done")
    assert happened(rig, StayedAtSea) == [StayedAtSea((SHIP,))]
    assert place(rig, SHIP) == "north_atlantic"


def test_14_2_three_ships_replenish_three_ways() -> None:
    """14.1 – 14.4, A.2 Turn 1: Scharnhorst rolls 5 and may stay; Lützow in the South Atlantic rolls
    6 and goes to South America; Gneisenau does not try and goes to Germany. Both areas had counted
    already: six points."""
    rig = chart("control", {"scharnhorst": NA, "gneisenau": NA, "lutzow": SA}, turn=1)
    rig.dice(5)
    rig.do("axis", "replenish", "scharnhorst")
    rig.dice(6)
    rig.do("axis", "replenish", "lutzow")
    assert place(rig, "lutzow") == "south_america"
    assert rig.options("axis", "replenish") == ("gneisenau",)
    rig.do("axis", "done")
    assert place(rig, "gneisenau") == "germany"
    assert set(rig.options("axis")) == {"return", "done"}
    rig.do("axis", "done")

    assert happened(rig, Scored) == [Scored(1, (0, 0, 0), (6, 0, 0), 6)]
    assert rig.state.ships["scharnhorst"].free


# --- 14.3 success ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "die", "success"),
    [(1, 5, True), (1, 6, False), (2, 5, False), (2, 4, True), (3, 3, True), (3, 4, False)],
)
def test_14_3_success_by_turn(turn: int, die: int, success: bool) -> None:
    """14.2 – 14.4, R35 (E57) 1–5, 1–4, 1–3; a failed ship goes to South America even from the North
    Atlantic."""
    rig = chart("replenish", {SHIP: "north_atlantic"}, turn=turn)

    rig.dice(die)
    rig.do("axis", "replenish", SHIP)
    assert happened(rig, ReplenishmentRolled) == [
        ReplenishmentRolled(SHIP, die, success, "" if success else "south_america")
    ]
    assert place(rig, SHIP) == ("north_atlantic" if success else "south_america")


def test_14_3_not_from_turn_4_on() -> None:
    """14.3 (E57) On turn 4 nobody is asked."""
    rig = chart("replenish", {SHIP: "north_atlantic"}, turn=4)

    assert rig.asked() == {"axis": "prompt.war_at_sea.return"}


# --- 14.4 a successful ship may stay at sea -------------------------------------------------------


@pytest.mark.parametrize(("turn", "france"), [(2, True), (7, False)])
def test_14_4_after_replenishing(turn: int, france: bool) -> None:
    """14.4, R35, R47 (E58) Any area through any markers, or any open friendly or neutral port,
    without a speed roll."""
    markers = dict.fromkeys(
        ("north_sea", "barents_sea", "south_atlantic", "mediterranean", "baltic_sea"), "allied"
    )
    rig = chart(
        "axis_sail",
        {SHIP: "north_atlantic"},
        turn=turn,
        damage={SHIP: 5},
        control=markers,
        changes={SHIP: {"free": True}},
    )

    ends = set(rig.options("axis", "sail", SHIP))
    ports = {"germany", "italy", "south_america"} | ({"france"} if france else set())
    assert (
        ends
        == {"south_atlantic", "north_sea", "barents_sea", "baltic_sea", "mediterranean"} | ports
    )
    assert rig.refused("axis", "sail", SHIP, "england").rule == "2.2"
    assert rig.refused("axis", "sail", SHIP, "north_sea", "baltic_sea").rule == "14.4"
    rig.do("axis", "sail", SHIP, "mediterranean")
    rig.do("axis", "done")
    assert place(rig, SHIP) == "mediterranean"


def test_14_4_no_repair_in_the_port_it_enters() -> None:
    """14.4, 15.1, R35 (E58) Going into port is movement: no repair that turn."""
    rig = chart(
        "axis_sail",
        {SHIP: "north_atlantic", "lutzow": "germany"},
        turn=2,
        damage={SHIP: 2, "lutzow": 1},
        changes={SHIP: {"free": True}},
    )

    rig.do("axis", "sail", SHIP, "germany")
    assert happened(rig, Sailed) == [Sailed((SHIP,), "north_atlantic", ("germany",))]
    assert rig.refused("axis", "repair", SHIP).rule == "15.1"
    assert rig.refused("axis", "sail", SHIP, "north_sea").rule == "6.1"


def test_14_4_freedom_lasts_one_turn() -> None:
    """14.4 A success gives the next turn's freedom, and no more."""
    rig = chart(
        "begin_turn",
        {SHIP: "north_atlantic"},
        turn=1,
        changes={SHIP: {"replenished": True, "tried": True}},
    )

    ship = rig.state.ships[SHIP]
    assert (ship.free, ship.replenished, ship.tried) == (True, False, False)
    assert not ship.new_turn().free


def test_14_4_freedom_that_is_not_used_is_gone() -> None:
    """14.4 A ship that stayed at sea on turn 4 has no port but its area's, and cannot try again
    (14.3)."""
    rig = chart("axis_sail", {"gneisenau": "north_atlantic"}, turn=4, changes={"gneisenau": FREE})
    rig.do("axis", "done")
    pass_on(rig, "return")

    assert set(rig.options("axis", "return")) - {"gneisenau"} == {"germany", "france"}
    refusal = rig.refused("axis", "replenish", "gneisenau")
    assert (refusal.rule, refusal.key) == ("14.3", "refusal.war_at_sea.replenish_too_late")


def test_14_4_a_ship_that_replenished_may_return_all_the_same() -> None:
    """14.4 It may stay at sea; it need not."""
    rig = chart("replenish", {SHIP: "north_atlantic"}, turn=2)

    rig.dice(1)
    rig.do("axis", "replenish", SHIP)
    rig.do("axis", "return", SHIP, "france")
    assert place(rig, SHIP) == "france"
    assert not rig.state.ships[SHIP].free


def test_14_4_a_replenished_ship_may_stay_and_be_asked_again() -> None:
    """14.1, 14.4, R35 It stays in its area without moving, and may try again there on turn 2 with
    that turn's die."""
    rig = chart("axis_sail", {"gneisenau": "north_atlantic"}, turn=2, changes={"gneisenau": FREE})
    rig.do("axis", "done")
    pass_on(rig, "replenish")

    rig.dice(4)
    rig.do("axis", "replenish", "gneisenau")
    rig.do("axis", "done")
    assert place(rig, "gneisenau") == "north_atlantic"
    assert rig.state.turn == 3
    assert rig.state.ships["gneisenau"].free


def test_14_4_a_replenished_ship_may_enter_the_neutral_port_and_must_leave_next_turn() -> None:
    """14.4, 15.6, R37 Going into South America costs nothing that turn; staying there the next
    does."""
    rig = chart("axis_sail", {"gneisenau": "north_atlantic"}, turn=2, changes={"gneisenau": FREE})
    rig.do("axis", "sail", "gneisenau", "south_america")
    score = []
    for turn in (3, 4):
        while rig.state.turn < turn:
            pass_on(rig, "uboats", "sail")
            if rig.state.turn < turn:
                seat = next(iter(rig.asked()))
                rig.do(seat, "done" if "done" in rig.options(seat) else "pass")
        score.append(rig.state.score)
    assert score == [0, -1]


def test_14_4_a_ship_left_at_sea_holds_its_area_next_turn() -> None:
    """12.1, 14.4, 17.1 Gneisenau replenished in the North Atlantic and does not move: on turn 2 it
    controls it for three points."""
    rig = chart("axis_sail", {"gneisenau": NA}, turn=2, changes={"gneisenau": {"free": True}})
    rig.do("axis", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    assert rig.asked() == {"axis": "prompt.war_at_sea.replenish"}
    rig.do("axis", "done")
    rig.do("axis", "return", "france")

    assert happened(rig, Scored) == [Scored(2, (0, 0, 0), (3, 0, 0), 3)]


def test_14_4_a_replenished_ship_may_go_home_after_all() -> None:
    """14.4 It may stay, it need not: in the South Atlantic on turn 2 it may still choose France or
    South America."""
    rig = chart("control", {"gneisenau": SA}, turn=2)
    rig.dice(4)
    rig.do("axis", "replenish", "gneisenau")
    assert set(rig.options("axis", "return", "gneisenau")) == {"france", "south_america"}
    rig.do("axis", "return", "gneisenau", "france")

    assert place(rig, "gneisenau") == "france"
    assert not rig.state.ships["gneisenau"].free
