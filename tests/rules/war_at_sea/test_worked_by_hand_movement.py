"""2, 4, 6, 15, A Positions worked out with the rule book in hand: where ships may go, their speed dice, ports and repair."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.games.war_at_sea.events import PutBack, Repaired, Scored, ShipDisabled, SpeedRolled
from protocol.choices import Choices
from tests.rules.war_at_sea.charts import chart, happened, pass_on, place, seas

NS, NA, SA, BAR, BAL, MED = "north_sea", "north_atlantic", "south_atlantic", "barents_sea", "baltic_sea", "mediterranean"

ENDS: list[tuple[str, str, int, Mapping[str, str], set[str]]] = [
    ("nelson", "england", 2, {NS: "axis"}, {NS, NA, SA, BAR, MED}),
    ("nelson", "england", 2, {NS: "axis", NA: "axis"}, {NS, NA, SA, MED}),
    ("nelson", "england", 2, {NS: "axis", NA: "axis", SA: "axis"}, {NS, NA, SA}),
    ("nelson", "england", 2, {NS: "allied", NA: "allied", SA: "allied"}, {NS, NA, SA, BAR, MED}),
    ("nelson", "malta", 2, {MED: "axis"}, {MED}),
    ("nelson", "malta", 2, {SA: "axis"}, {MED, SA}),
    ("nelson", "russia", 4, {}, {BAR, NA, NS}),
    ("nelson", "usa", 1, {}, {NA, SA, NS, BAR}),
    ("nelson", "south_america", 2, {}, {SA, NA, NS, MED}),
    ("scharnhorst", "germany", 2, {BAR: "allied"}, {BAL, NS, BAR, NA, SA}),
    ("scharnhorst", "germany", 2, {NS: "allied", BAL: "allied"}, {BAL, NS, BAR, NA}),
    ("scharnhorst", "germany", 2, {NS: "axis", BAR: "axis", BAL: "axis"}, {BAL, NS, BAR, NA, SA}),
    ("scharnhorst", "france", 3, {}, {NA, SA, NS, BAR, MED}),
    ("scharnhorst", "france", 3, {SA: "allied"}, {NA, SA, NS, BAR}),
    ("scharnhorst", "italy", 3, {MED: "allied"}, {MED}),
    ("zara", "france", 3, {}, {NA, SA, MED}),
    ("zara", "south_america", 3, {}, {SA, NA, MED}),
    ("zara", "south_america", 3, {SA: "allied"}, {SA}),
    ("littorio", "italy", 1, {}, {MED}),
]


@pytest.mark.parametrize(("ship", "start", "turn", "control", "ends"), ENDS)
def test_6_1_blockades(ship: str, start: str, turn: int, control: Mapping[str, str], ends: set[str]) -> None:
    """6.1, 6.4, 16.3, R7 Only the enemy's marker in the first area bars the second; one's own does not, nor one in the second area."""
    seat = "allied" if ship == "nelson" else "axis"
    rig = chart(f"{seat}_sail", {ship: start}, turn=turn, control=control)

    assert seas(rig, seat, ship) == {start, *ends}


def test_6_2_four_ships_roll_by_their_damage() -> None:
    """6.2, 7.6, A.1, R8 To the Barents on turn 4: Nelson 3 holds on 2, Hood at 4 fails on 4, Renown at 4 holds on 3, Repulse 6 fails on 6;
    each that failed may go to England or Russia."""
    squadron = ("nelson", "hood", "renown", "repulse")
    rig = chart("allied_sail", dict.fromkeys(squadron, "england"), turn=4, damage={"hood": 3, "renown": 2})
    rig.do("allied", "sail", *squadron, NS, BAR)
    rig.dice(2, 4, 3, 6)
    rig.do("allied", "done")

    assert [(roll.ship, roll.holds) for roll in happened(rig, SpeedRolled)] == [
        ("nelson", True),
        ("hood", False),
        ("renown", True),
        ("repulse", False),
    ]
    assert set(rig.options("allied", "put_back", "hood")) == {"england", "russia", "repulse"}
    rig.do("allied", "put_back", "hood", "england")
    rig.do("allied", "put_back", "repulse", "russia")
    assert [place(rig, ship) for ship in squadron] == [BAR, "england", BAR, "russia"]


def test_6_2_a_ship_that_failed_holds_nothing() -> None:
    """6.2, R9, 12.1, 17.1 Renown fails into England on turn 1; Hipper is alone in the Barents Sea and takes its two points."""
    rig = chart("allied_sail", {"renown": "england", "admiral_hipper": "germany"}, turn=1)
    rig.do("allied", "sail", "renown", NS, BAR)
    rig.dice(6)
    rig.do("allied", "done")
    assert happened(rig, PutBack) == [PutBack("renown", BAR, "england")]
    rig.do("axis", "sail", "admiral_hipper", BAR)
    rig.do("axis", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")

    assert happened(rig, Scored) == [Scored(1, (0, 0, 0), (2, 0, 0), 2)]


def test_6_2_15_4_failing_back_into_france_on_turn_6() -> None:
    """6.2, 15.4, R36 Lützow may go back into France on turn 6, and is out of the game when turn 7 begins."""
    rig = chart("axis_sail", {"lutzow": "france", "hood": "england"}, turn=6)
    rig.do("axis", "sail", "lutzow", NA, NS)
    rig.dice(5)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "france")
    assert place(rig, "lutzow") == "france"
    pass_on(rig, "sail")

    assert rig.state.turn == 7
    assert place(rig, "lutzow") == "removed"


def test_6_2_a_blockaded_ship_rolls_no_die() -> None:
    """6.1, 6.2 Royal Oak, crippled to speed 1, stops in one area after another turn by turn and never rolls."""
    rig = chart("allied_sail", {"royal_oak": "england"}, turn=2, control={SA: "axis"}, damage={"royal_oak": 4})
    assert rig.options("allied", "sail", "royal_oak", SA) == ()
    rig.do("allied", "sail", "royal_oak", SA)
    rig.do("allied", "done")

    assert happened(rig, SpeedRolled) == []
    assert place(rig, "royal_oak") == SA


def test_14_4_a_ship_left_at_sea_holds_its_area_next_turn() -> None:
    """12.1, 14.4, 17.1 Gneisenau replenished in the North Atlantic and does not move: on turn 2 it controls it for three points."""
    rig = chart("axis_sail", {"gneisenau": NA}, turn=2, changes={"gneisenau": {"free": True}})
    rig.do("axis", "done")
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    assert rig.asked() == {"axis": "prompt.war_at_sea.replenish"}
    rig.do("axis", "done")
    rig.do("axis", "return", "france")

    assert happened(rig, Scored) == [Scored(2, (0, 0, 0), (3, 0, 0), 3)]


def test_9_5_a_ship_that_sailed_into_port_is_a_target() -> None:
    """9.5, 14.4 Lützow came from the sea into Germany by its own movement: it neither failed nor was disabled, and may be struck."""
    rig = chart("axis_sail", {"lutzow": NA, "hood": "england"}, turn=2, changes={"lutzow": {"free": True}})
    rig.do("axis", "sail", "lutzow", "germany")
    rig.do("axis", "done")
    rig.do("allied", "place", "germany")
    rig.do("axis", "pass")
    assert rig.options("allied", "strike") == ("lutzow",)
    rig.dice(6, 2)
    rig.do("allied", "strike", "lutzow")

    assert (place(rig, "lutzow"), rig.state.ships["lutzow"].damage) == ("germany", 2)


# --- refusals ---------------------------------------------------------------------------------------------------------------------

REFUSALS: list[tuple[str, str, Mapping[str, Any], tuple[str, ...], str]] = [
    ("convoy_1a", NA, {"pressed": True}, ("england",), "13.2"),
    ("convoy_1a", NA, {"pressed": True}, ("usa",), "13.2"),
    ("convoy_1a", NA, {"pressed": True}, (NS,), "13.2"),
    ("convoy_1a", NA, {"pressed": True}, (BAR, "russia"), "13.1"),
    ("convoy_1a", "usa", {}, (NA, "england"), "13.1"),
    ("convoy_1a", "usa", {}, ("england",), "6.4"),
    ("marat", "leningrad", {"may_sail": True}, (NS,), "16.1"),
    ("marat", "leningrad", {"may_sail": True}, ("germany",), "2.2"),
    ("augusta", "usa", {}, (NA, SA), "16.2"),
    ("augusta", "usa", {}, ("england",), "6.4"),
    ("hood", "england", {}, (NS, BAL), "6.4"),
    ("hood", "england", {}, (NS, "russia"), "6.4"),
    ("hood", "england", {}, (NS, NA, SA), "6.1"),
    ("hood", "england", {}, (BAR,), "6.1"),
    ("hood", "england", {}, ("south_america",), "6.4"),
    ("scharnhorst", "germany", {}, ("leningrad",), "2.2"),
    ("scharnhorst", "germany", {}, ("france",), "6.4"),
    ("scharnhorst", NA, {"free": True}, (NA,), "6.1"),
    ("scharnhorst", NA, {"free": True}, (SA, "france"), "14.4"),
    ("scharnhorst", NA, {"free": True}, ("malta",), "2.2"),
    ("zara", "italy", {}, (MED, SA, NA), "6.1"),
    ("zara", "france", {}, (NA, NS), "16.3"),
    ("zara", "france", {}, (NA, BAR), "16.3"),
    ("zara", "italy", {}, (BAL,), "6.4"),
    ("littorio", "italy", {}, (MED, SA), "16.3"),
]


@pytest.mark.parametrize(("ship", "start", "fields", "path", "rule"), REFUSALS)
def test_6_the_clause_that_forbids_a_move(ship: str, start: str, fields: Mapping[str, Any], path: tuple[str, ...], rule: str) -> None:
    """2.2, 6.1, 6.4, 13.1, 13.2, 16.1 – 16.3 Each illegal move is refused with the clause that forbids it, and nothing happens."""
    seat = "allied" if ship in ("convoy_1a", "marat", "augusta", "hood") else "axis"
    rig = chart(f"{seat}_sail", {ship: start}, turn=5, changes={ship: fields})

    assert rig.refused(seat, "sail", ship, *path).rule == rule


@pytest.mark.parametrize(("box", "rule"), [("sunk", "7.6"), ("scored", "13.4"), ("removed", "12.3"), ("track", "4.2")])
def test_6_ships_that_are_not_on_the_map(box: str, rule: str) -> None:
    """4.2, 7.6, 12.3, 13.4 A ship that is gone, or has not come, is refused with the clause that put it where it is."""
    rig = chart("allied_sail", {"hood": "england", "convoy_1a": box}, turn=3)

    assert rig.refused("allied", "sail", "convoy_1a").rule == rule


# --- 15 repair --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ship", "port", "damage", "most"),
    [
        ("nelson", "england", 5, 5),
        ("nelson", "malta", 5, 2),
        ("nelson", "russia", 5, 1),
        ("nelson", "usa", 5, 5),
        ("marat", "leningrad", 3, 1),
        ("convoy_1a", "usa", 4, 4),
        ("bismarck", "germany", 9, 8),
        ("bismarck", "france", 9, 3),
        ("bismarck", "italy", 9, 4),
        ("littorio", "italy", 6, 4),
    ],
)
def test_15_2_what_each_port_can_repair(ship: str, port: str, damage: int, most: int) -> None:
    """15.1, 15.2, 15.3 From one point to the lesser of damage and repair value; one more is refused with the clause."""
    seat = "axis" if ship in ("bismarck", "littorio") else "allied"
    rig = chart(f"{seat}_sail", {ship: port}, turn=5, damage={ship: damage})
    offered = rig.choices(seat, "repair", ship)

    assert isinstance(offered, Choices) and offered.span == (1, most)
    assert rig.refused(seat, "repair", ship, most + 1).rule == "15.2"
    rig.do(seat, "repair", ship, most)
    assert happened(rig, Repaired) == [Repaired(ship, port, most)]
    assert rig.state.ships[ship].damage == damage - most


def test_15_2_a_crippled_bismarck_takes_two_turns() -> None:
    """7.6, 10.5, 15.1 Nine points: gunnery 1, speed 1. Eight repaired: gunnery 4, speed 5, still no bonus, and it stays. Next turn the
    ninth."""
    rig = chart("axis_sail", {"bismarck": "germany"}, turn=3, damage={"bismarck": 9})
    ship = rig.state.ships["bismarck"]
    assert (ship.gunnery_now, ship.speed_now, ship.bonus_now) == (1, 1, 0)
    rig.do("axis", "repair", "bismarck", 8)
    ship = rig.state.ships["bismarck"]
    assert (ship.gunnery_now, ship.speed_now, ship.bonus_now) == (4, 5, 0)
    assert rig.refused("axis", "sail", "bismarck").rule == "15.1"
    rig.do("axis", "done")
    rig.dice(*[1] * 12)
    pass_on(rig, "sail")
    if "allied" in rig.asked():
        rig.do("allied", "done")

    rig.do("axis", "repair", "bismarck", 1)
    assert rig.state.ships["bismarck"].bonus_now == 1


def test_15_1_repair_and_sailing_from_one_port() -> None:
    """15.1, 15.2 England repairs Nelson by five and Hood by three, eight in all; undamaged Rodney and damaged Renown sail."""
    fleet = ("nelson", "rodney", "hood", "renown")
    rig = chart("allied_sail", dict.fromkeys(fleet, "england"), turn=2, damage={"nelson": 5, "hood": 4, "renown": 1})
    rig.do("allied", "repair", "nelson", 5, "hood", 3)

    assert rig.refused("allied", "repair", "renown", 1).rule == "15.1"
    assert rig.refused("allied", "sail", "hood", NS).rule == "15.1"
    rig.do("allied", "sail", "rodney", "renown", NS)
    assert [rig.state.ships[ship].damage for ship in fleet] == [0, 0, 1, 1]


# --- 7.3, A the way of a disabled ship, in play --------------------------------------------------------------------------------------

STRUCK: list[tuple[str, str, int, Mapping[str, Any], str]] = [
    ("malaya", SA, 3, {}, "south_america"),
    ("malaya", MED, 3, {}, "malta"),
    ("malaya", NS, 3, {}, "england"),
    ("malaya", BAR, 2, {}, "england"),
    ("malaya", BAR, 3, {}, "russia"),
    ("augusta", NA, 5, {}, "usa"),
    ("malaya", NA, 3, {"v18_5_usa_closed_before_t4": True}, "england"),
    ("convoy_1a", NA, 3, {"v18_5_usa_closed_before_t4": True}, "usa"),
]


@pytest.mark.parametrize(("ship", "area", "turn", "options", "port"), STRUCK)
def test_7_3_struck_by_a_u_boat(ship: str, area: str, turn: int, options: Mapping[str, Any], port: str) -> None:
    """7.3, 12.3, 13.4, 15.5, 18.5, A.1, A.3, A.4, R12 The one port that a 5 sends each to, at once and without a question."""
    rig = chart("allied_air", {ship: area}, turn=turn, boats={area: 1}, options=options)
    rig.do("allied", "pass")
    rig.do("axis", "pass")
    rig.do("allied", "hold_fire")
    rig.dice(5)
    rig.do("axis", "torpedo", ship)

    assert happened(rig, ShipDisabled) == [ShipDisabled(ship, port)]
