"""6 Movement, with 2.2 (enemy ports) and the limits of nations that bind it."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rules.war_at_sea.charts import (
    BAL,
    BAR,
    FREE,
    MED,
    NA,
    NS,
    SA,
    chart,
    happened,
    pass_on,
    place,
    seas,
)
from warledger.engine.games.war_at_sea.speed import SpeedRolled
from warledger.engine.games.war_at_sea.state import POOL, TRACK

AREAS = {
    "north_atlantic",
    "south_atlantic",
    "north_sea",
    "barents_sea",
    "baltic_sea",
    "mediterranean",
}

ILLEGAL: list[tuple[str, int, Mapping[str, str], Mapping[str, Any], tuple[Any, ...], str]] = [
    ("allied", 1, {"hood": "england"}, {}, ("sail", "hood", "usa"), "6.4"),
    ("allied", 1, {"hood": "malta"}, {}, ("sail", "hood", "mediterranean", "baltic_sea"), "6.4"),
    ("allied", 1, {"hood": "malta"}, {}, ("sail", "hood", "mediterranean", "italy"), "2.2"),
    ("allied", 1, {"hood": "england"}, {}, ("sail", "hood", "germany"), "2.2"),
    ("allied", 1, {"hood": "england"}, {}, ("sail", "bismarck"), "6.3"),
    ("allied", 1, {"hood": "england", "duke_of_york": TRACK}, {}, ("sail", "duke_of_york"), "4.2"),
    ("allied", 4, {"hood": "england", "texas": POOL}, {}, ("sail", "texas"), "16.2"),
    ("allied", 4, {"texas": "usa"}, {}, ("sail", "texas", "north_atlantic", "barents_sea"), "16.2"),
    ("allied", 4, {"texas": "usa"}, {}, ("sail", "texas", "south_atlantic"), "16.2"),
    ("allied", 3, {"marat": "leningrad", "hood": "england"}, {}, ("sail", "marat"), "16.1"),
    (
        "allied",
        3,
        {"marat": "leningrad"},
        {"marat": {"may_sail": True}},
        ("sail", "marat", "baltic_sea", "north_sea"),
        "16.1",
    ),
    (
        "allied",
        3,
        {"convoy_1a": "usa"},
        {},
        ("sail", "convoy_1a", "north_atlantic", "barents_sea"),
        "13.1",
    ),
    ("allied", 3, {"convoy_1a": "usa"}, {}, ("sail", "convoy_1a", "south_atlantic"), "13.1"),
    (
        "allied",
        4,
        {"convoy_1a": "north_atlantic"},
        {"convoy_1a": {"pressed": True}},
        ("sail", "convoy_1a", "england"),
        "13.2",
    ),
    (
        "allied",
        4,
        {"convoy_1a": "north_atlantic"},
        {"convoy_1a": {"pressed": True}},
        ("sail", "convoy_1a", "north_atlantic"),
        "13.2",
    ),
    ("axis", 1, {"scharnhorst": "germany"}, {}, ("sail", "scharnhorst", "england"), "2.2"),
    ("axis", 3, {"scharnhorst": "germany"}, {}, ("sail", "scharnhorst", "france"), "6.4"),
    ("axis", 1, {"scharnhorst": "germany"}, {}, ("sail", "scharnhorst", "south_atlantic"), "6.1"),
    (
        "axis",
        1,
        {"scharnhorst": "germany"},
        {},
        ("sail", "scharnhorst", "north_sea", "mediterranean"),
        "6.1",
    ),
    ("axis", 1, {"littorio": "italy"}, {}, ("sail", "littorio", "south_atlantic"), "16.3"),
    ("axis", 1, {"zara": "italy"}, {}, ("sail", "zara", "mediterranean", "barents_sea"), "16.3"),
    ("axis", 3, {"zara": "france"}, {}, ("sail", "zara", "south_atlantic", "north_sea"), "16.3"),
    (
        "axis",
        1,
        {"zara": "south_america"},
        {},
        ("sail", "zara", "south_atlantic", "baltic_sea"),
        "6.4",
    ),
    (
        "axis",
        7,
        {"gneisenau": "north_atlantic"},
        {"gneisenau": FREE},
        ("sail", "gneisenau", "france"),
        "15.4",
    ),
    (
        "axis",
        2,
        {"gneisenau": "north_atlantic"},
        {"gneisenau": FREE},
        ("sail", "gneisenau", "malta"),
        "2.2",
    ),
    (
        "axis",
        2,
        {"gneisenau": "north_atlantic"},
        {"gneisenau": FREE},
        ("sail", "gneisenau", "north_sea", "germany"),
        "14.4",
    ),
]

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


# --- 6 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ship", "start", "fields", "path", "rule"), REFUSALS)
def test_6_the_clause_that_forbids_a_move(
    ship: str, start: str, fields: Mapping[str, Any], path: tuple[str, ...], rule: str
) -> None:
    """2.2, 6.1, 6.4, 13.1, 13.2, 16.1 – 16.3 Each illegal move is refused with the clause that
    forbids it, and nothing happens."""
    seat = "allied" if ship in ("convoy_1a", "marat", "augusta", "hood") else "axis"
    rig = chart(f"{seat}_sail", {ship: start}, turn=5, changes={ship: fields})

    assert rig.refused(seat, "sail", ship, *path).rule == rule


@pytest.mark.parametrize(
    ("box", "rule"), [("sunk", "7.6"), ("scored", "13.4"), ("removed", "12.3"), ("track", "4.2")]
)
def test_6_ships_that_are_not_on_the_map(box: str, rule: str) -> None:
    """4.2, 7.6, 12.3, 13.4 A ship that is gone, or has not come, is refused with the clause that
    put it where it is."""
    rig = chart("allied_sail", {"hood": "england", "convoy_1a": box}, turn=3)

    assert rig.refused("allied", "sail", "convoy_1a").rule == rule


# --- 6.1 ------------------------------------------------------------------------------------------


def test_6_1_speed_roll_passes() -> None:
    """6.1, 6.2 (E01) Repulse, speed 6, moved two areas and rolls 5: it stays."""
    rig = chart("allied_sail", {"repulse": "england"})

    rig.do("allied", "sail", "repulse", "north_sea", "barents_sea")
    rig.dice(5)
    rig.do("allied", "done")
    assert place(rig, "repulse") == "barents_sea"
    assert happened(rig, SpeedRolled) == [SpeedRolled("repulse", "barents_sea", 5, True)]


def test_6_1_markers_in_both_seas_stop_scharnhorst() -> None:
    """6.1, R7 (E06) Enemy markers in the North Sea and the Barents Sea stop Scharnhorst; one in the
    North Sea alone leaves a way."""
    markers = {"north_sea": "allied", "barents_sea": "allied"}
    shut = chart("axis_sail", {"scharnhorst": "germany"}, turn=2, control=markers)
    assert seas(shut, "axis", "scharnhorst") == {
        "germany",
        "baltic_sea",
        "north_sea",
        "barents_sea",
    }
    refusal = shut.refused("axis", "sail", "scharnhorst", "north_sea", "north_atlantic")
    assert (refusal.rule, refusal.key) == ("6.1", "refusal.war_at_sea.must_stop")

    ajar = chart("axis_sail", {"scharnhorst": "germany"}, turn=2, control={"north_sea": "allied"})
    assert "north_atlantic" in ajar.options("axis", "sail", "scharnhorst", "barents_sea")
    assert "south_atlantic" not in seas(ajar, "axis", "scharnhorst")


def test_6_1_R7_only_markers_stop() -> None:
    """6.1, R7 Enemy ships in the first area do not stop movement, one's own marker does not either,
    and turn 1 has none."""
    rig = chart(
        "axis_sail",
        {"scharnhorst": "germany", "hood": "north_sea"},
        control={"barents_sea": "axis"},
    )

    assert seas(rig, "axis", "scharnhorst") - {"germany"} == AREAS - {"mediterranean"}


def test_6_1_control_markers_bind_the_allies_too() -> None:
    """6.1, 6.3 An Axis marker in the North Sea stops Hood there."""
    rig = chart("allied_sail", {"hood": "england"}, turn=2, control={"north_sea": "axis"})

    assert rig.options("allied", "sail", "hood", "north_sea") == ()


def test_6_1_R58_R61_two_area_moves_from_malta_and_through_the_baltic() -> None:
    """R58, R61 Malta leads through the Mediterranean to the South Atlantic; the Baltic leads a
    German ship on to the North Sea."""
    malta = chart("allied_sail", {"nelson": "malta"})
    assert seas(malta, "allied", "nelson") == {"malta", "mediterranean", "south_atlantic"}

    germany = chart("axis_sail", {"lutzow": "germany"})
    assert germany.options("axis", "sail", "lutzow", "baltic_sea") == ("north_sea",)


def test_6_1_one_area_needs_no_die_and_stopping_is_free() -> None:
    """6.1, R7 A crippled ship of speed 1 moves one area without a roll, also into an area that the
    enemy controls."""
    rig = chart(
        "allied_sail",
        {"royal_oak": "england"},
        turn=2,
        damage={"royal_oak": 4},
        control={"north_sea": "axis"},
    )

    rig.do("allied", "sail", "royal_oak", "north_sea")
    rig.do("allied", "done")
    assert happened(rig, SpeedRolled) == []
    assert place(rig, "royal_oak") == "north_sea"


@pytest.mark.parametrize(("ship", "start", "turn", "control", "ends"), ENDS)
def test_6_1_the_enemy_marker_in_the_first_area_bars(
    ship: str, start: str, turn: int, control: Mapping[str, str], ends: set[str]
) -> None:
    """6.1, 6.4, 16.3, R7 Only the enemy's marker in the first area bars the second; one's own does
    not, nor one in the second area."""
    seat = "allied" if ship == "nelson" else "axis"
    rig = chart(f"{seat}_sail", {ship: start}, turn=turn, control=control)

    assert seas(rig, seat, ship) == {start, *ends}


def test_6_1_a_fleet_of_one_port_sails_by_one_command() -> None:
    """6.1 Ships of one port sail together; a ship elsewhere, named twice, or an enemy's is refused,
    and nobody moves twice."""
    rig = chart(
        "allied_sail",
        {"hood": "england", "renown": "england", "eagle": "malta", "bismarck": "germany"},
    )

    assert rig.refused("allied", "sail", "hood", "eagle").key == "refusal.war_at_sea.other_place"
    assert rig.refused("allied", "sail", "hood", "hood").key == "refusal.war_at_sea.named_twice"
    assert rig.refused("allied", "sail", "bismarck").key == "refusal.war_at_sea.not_yours"
    rig.do("allied", "sail", "hood", "renown", "north_sea")
    assert [place(rig, ship) for ship in ("hood", "renown")] == ["north_sea", "north_sea"]
    assert rig.refused("allied", "sail", "hood", "barents_sea").rule == "6.1"


def test_6_1_a_side_without_ships_is_not_asked() -> None:
    """6.3 Where everybody sees that a side can move nothing, play goes on without it."""
    rig = chart("allied_sail", {"bismarck": "germany"})

    assert rig.asked() == {"axis": "prompt.war_at_sea.sail"}
    pass_on(rig, "air")
    assert rig.asked() == {"allied": "prompt.war_at_sea.air"}


# --- 6.3 ------------------------------------------------------------------------------------------


def test_6_3_order_of_movement() -> None:
    """6.3 (E10) The Axis is refused until the last Allied die is rolled; old markers stay until the
    last Axis die, and no longer."""
    rig = chart(
        "allied_sail",
        {"repulse": "england", "lutzow": "germany"},
        turn=2,
        boats={"germany": 1},
        control={"baltic_sea": "axis"},
    )

    assert rig.refused("axis", "sail", "lutzow", "north_sea").key == "refusal.not_asked"
    rig.do("allied", "sail", "repulse", "north_sea", "barents_sea")
    assert rig.refused("axis", "sail", "lutzow", "north_sea").key == "refusal.not_asked"
    rig.dice(5)
    rig.do("allied", "done")
    assert rig.state.control["baltic_sea"] == "axis"
    rig.do("axis", "sail", "lutzow", "north_sea", "south_atlantic")
    rig.dice(6)
    rig.do("axis", "done")
    assert rig.state.control["baltic_sea"] == "axis", "a failed ship's port is still to be chosen"
    rig.do("axis", "put_back", "germany")
    assert rig.state.control["baltic_sea"] == ""
    assert rig.asked() == {"axis": "prompt.war_at_sea.uboats"}


def test_6_3_out_of_turn_is_refused_by_the_clause_that_gives_the_other_his_turn() -> None:
    """6.2, 6.3, 8.1, 9.1 (E10) While the other side decides, the refusal cites the rule of what it
    decides."""
    rig = chart(
        "allied_sail", {"nelson": "malta", "lutzow": "germany"}, turn=4, boats={"germany": 1}
    )
    assert rig.refused("axis", "sail", "lutzow", "north_sea").rule == "6.3"
    rig.do("allied", "sail", "nelson", "mediterranean", "south_atlantic")
    rig.dice(4)
    rig.do("allied", "done")
    assert rig.refused("axis", "sail", "lutzow", "north_sea").rule == "6.2"
    rig.do("allied", "put_back", "malta")
    rig.do("axis", "done")
    assert rig.refused("allied", "place", "north_sea").rule == "8.1"
    rig.do("axis", "pass")
    assert rig.refused("axis", "place", "barents_sea").rule == "9.1"


# --- 6.4 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "ship", "start", "picks", "rule"),
    [
        ("allied", "hood", "england", ("malta",), "6.4"),
        ("allied", "nelson", "england", ("baltic_sea",), "6.4"),
        ("allied", "nelson", "england", ("north_sea", "baltic_sea"), "6.4"),
        ("axis", "littorio", "italy", ("mediterranean", "south_atlantic"), "16.3"),
        ("axis", "zara", "italy", ("north_sea",), "16.3"),
        ("axis", "zara", "france", ("north_atlantic", "barents_sea"), "16.3"),
        ("axis", "zara", "france", ("north_atlantic", "baltic_sea"), "6.4"),
        ("allied", "new_york", "usa", ("north_atlantic", "south_atlantic"), "16.2"),
        ("allied", "marat", "leningrad", ("baltic_sea", "north_sea"), "16.1"),
        ("allied", "hood", "england", ("france",), "2.2"),
        ("axis", "bismarck", "germany", ("england",), "2.2"),
        ("axis", "bismarck", "germany", ("france",), "6.4"),
        ("axis", "bismarck", "germany", ("mediterranean",), "6.1"),
        ("allied", "hood", "england", ("north_sea", "mediterranean"), "6.1"),
        ("allied", "hood", "england", ("north_sea", "barents_sea", "north_atlantic"), "6.1"),
    ],
)
def test_6_4_illegal_moves_are_refused_by_clause(
    seat: str, ship: str, start: str, picks: tuple[str, ...], rule: str
) -> None:
    """2.2, 6.1, 6.4, 16.1 – 16.3 (E09) Each is refused with its clause."""
    rig = chart(f"{seat}_sail", {ship: start}, turn=4, changes={"marat": {"may_sail": True}})

    assert rig.refused(seat, "sail", ship, *picks).rule == rule


@pytest.mark.parametrize(("seat", "turn", "places", "changes", "picks", "rule"), ILLEGAL)
def test_6_4_illegal_moves_name_their_clause(
    seat: str,
    turn: int,
    places: Mapping[str, str],
    changes: Mapping[str, Any],
    picks: tuple[Any, ...],
    rule: str,
) -> None:
    """2.2, 4.2, 6.1, 6.3, 6.4, 13.1, 13.2, 14.4, 15.4, 16.1 – 16.3 (E09) Each illegal move is
    refused with the clause that forbids it."""
    rig = chart(f"{seat}_sail", places, turn=turn, changes=changes)

    assert rig.refused(seat, *picks).rule == rule
