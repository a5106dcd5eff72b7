"""12 Control, and the return to port after it (5.7, A.1 – A.4)."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.games.war_at_sea.control import controller
from engine.games.war_at_sea.events import ControlPlaced, Returned, ShipLostWithoutPort, UBoatsReturned
from engine.games.war_at_sea.ports import disabled_destinations, return_destinations
from tests.rules.war_at_sea.charts import chart, happened, place


@pytest.mark.parametrize(
    ("ships", "escaped", "boats", "holder"),
    [
        (("hood",), (), 0, "allied"),
        (("hood",), (), 1, ""),
        (("convoy_1a",), (), 0, "allied"),
        (("bismarck",), (), 0, "axis"),
        (("bismarck",), (), 3, "axis"),
        ((), (), 3, ""),
        ((), (), 0, ""),
        (("hood", "bismarck"), (), 0, ""),
        (("hood", "bismarck"), ("hood",), 0, "axis"),
        (("hood", "bismarck"), ("bismarck",), 0, "allied"),
        (("hood", "bismarck"), ("bismarck",), 1, ""),
        (("hood", "bismarck"), ("hood", "bismarck"), 0, ""),
    ],
)
def test_12_1_r29_who_controls(ships: tuple[str, ...], escaped: tuple[str, ...], boats: int, holder: str) -> None:
    """12.1, 11.8, R25, R29, R49, R50 Only surface ships that did not escape control; U-boats cancel Allied control alone."""
    rig = chart(
        "deploy",
        dict.fromkeys(ships, "north_atlantic"),
        boats={"north_atlantic": boats},
        changes={ship: {"escaped": True} for ship in escaped},
    )

    assert controller(rig.state, "north_atlantic") == holder


def test_12_2_markers_are_placed_and_ships_return() -> None:
    """5.6, 5.7, 12.2, 8.5 Markers lie where ships were although the ships have gone home; the boats are in Germany."""
    rig = chart("control", {"hood": "north_sea", "scharnhorst": "barents_sea"}, boats={"north_atlantic": 2}, turn=2)

    assert dict(happened(rig, ControlPlaced)[0].areas)["north_sea"] == "allied"
    assert rig.state.control["barents_sea"] == "axis"
    assert (place(rig, "hood"), place(rig, "scharnhorst")) == ("england", "germany")
    assert len(rig.state.boats_at("germany")) == 3, "two back, one new on turn 3"
    assert happened(rig, UBoatsReturned) == [UBoatsReturned()]


def test_5_7_axis_returns_first_and_a_fleet_by_one_line() -> None:
    """5.7, 12.3, R30 The Axis first; ships with one port go by themselves, a fleet by one command, each ship freely."""
    rig = chart(
        "axis_return_without_choice",
        {
            "nelson": "north_atlantic",
            "hood": "north_atlantic",
            "eagle": "mediterranean",
            "scharnhorst": "north_atlantic",
            "lutzow": "north_sea",
        },
        turn=3,
    )

    assert rig.asked() == {"axis": "prompt.war_at_sea.return"}
    assert place(rig, "lutzow") == "germany"
    assert set(rig.options("axis", "return")) == {"germany", "france", "scharnhorst"}
    assert rig.refused("axis", "return", "scharnhorst", "england").rule == "2.2"
    rig.do("axis", "return", "scharnhorst", "france")
    assert rig.asked() == {"allied": "prompt.war_at_sea.return"}
    assert rig.refused("allied", "done").key == "refusal.war_at_sea.must_return"
    rig.do("allied", "return", "nelson", "usa")
    rig.do("allied", "return", "hood", "eagle", "england")
    assert [place(rig, ship) for ship in ("scharnhorst", "nelson", "hood", "eagle")] == ["france", "usa", "england", "england"]


def test_12_3_a_port_alone_sends_all_that_may_go_there() -> None:
    """12.3 RETURN PORT sends every ship that must choose and may go there."""
    rig = chart("axis_return_without_choice", {"nelson": "north_atlantic", "hood": "north_atlantic", "eagle": "mediterranean"})

    rig.do("allied", "return", "england")
    assert happened(rig, Returned) == [
        Returned(("nelson", "hood"), "north_atlantic", "england"),
        Returned(("eagle",), "mediterranean", "england"),
    ]


def test_12_3_no_port_means_out_of_the_game() -> None:
    """12.3, R30 An Italian cruiser in the North Atlantic has no port on turn 7."""
    rig = chart("axis_return_without_choice", {"zara": "north_atlantic"}, turn=7)

    assert happened(rig, ShipLostWithoutPort) == [ShipLostWithoutPort("zara", "north_atlantic")]
    assert place(rig, "zara") == "removed"


HOME: list[tuple[str, str, int, set[str], set[str], Mapping[str, Any]]] = [
    ("hood", "barents_sea", 1, {"england"}, {"england"}, {}),
    ("hood", "barents_sea", 2, {"england"}, {"england"}, {}),
    ("hood", "barents_sea", 3, {"russia"}, {"russia"}, {}),
    ("hood", "barents_sea", 8, {"russia"}, {"russia"}, {}),
    ("scharnhorst", "barents_sea", 3, {"germany"}, {"germany"}, {}),
    ("scharnhorst", "north_atlantic", 1, {"germany"}, {"germany"}, {}),
    ("scharnhorst", "north_atlantic", 2, {"germany", "france"}, {"germany", "france"}, {}),
    ("scharnhorst", "north_atlantic", 6, {"germany", "france"}, {"germany", "france"}, {}),
    ("scharnhorst", "north_atlantic", 7, {"germany"}, {"germany"}, {}),
    ("hood", "north_atlantic", 1, {"england", "usa"}, {"england", "usa"}, {}),
    ("malaya", "south_atlantic", 1, {"england", "south_america"}, {"south_america"}, {}),
    ("scharnhorst", "south_atlantic", 1, {"south_america"}, {"south_america"}, {}),
    ("scharnhorst", "south_atlantic", 4, {"france", "south_america"}, {"south_america"}, {}),
    ("zara", "south_atlantic", 1, {"south_america"}, {"south_america"}, {}),
    ("zara", "north_atlantic", 3, {"france"}, {"france"}, {}),
    ("zara", "north_atlantic", 7, set(), set(), {}),
    ("eagle", "mediterranean", 1, {"england", "malta"}, {"malta"}, {}),
    ("scharnhorst", "mediterranean", 1, {"italy"}, {"italy"}, {}),
    ("littorio", "mediterranean", 1, {"italy"}, {"italy"}, {}),
    ("scharnhorst", "north_sea", 1, {"germany"}, {"germany"}, {}),
    ("scharnhorst", "baltic_sea", 1, {"germany"}, {"germany"}, {}),
    ("hood", "north_sea", 1, {"england"}, {"england"}, {}),
    ("marat", "baltic_sea", 3, {"leningrad"}, {"leningrad"}, {}),
    ("texas", "north_atlantic", 4, {"usa"}, {"usa"}, {}),
    ("hood", "north_atlantic", 3, {"england"}, {"england"}, {"v18_5_usa_closed_before_t4": True}),
    ("hood", "north_atlantic", 4, {"england", "usa"}, {"england", "usa"}, {"v18_5_usa_closed_before_t4": True}),
    ("littorio", "mediterranean", 8, {"england", "malta"}, {"malta"}, {"taken": "uk"}),
    ("littorio", "north_atlantic", 8, {"germany"}, {"germany"}, {"taken": "de"}),
]


@pytest.mark.parametrize(("ship", "area", "turn", "normal", "disabled", "special"), HOME)
def test_a_e50_e52_e53_e72_where_ships_go_home(
    ship: str, area: str, turn: int, normal: set[str], disabled: set[str], special: Mapping[str, Any]
) -> None:
    """7.3, 12.3, 15.3 – 15.5, 18.5, A.1 – A.4, R10 – R13 (E50, E52, E53, E72) Ports of a returning and of a disabled ship."""
    changes = {ship: {"nation": special["taken"]}} if "taken" in special else {}
    options = {key: value for key, value in special.items() if key != "taken"}
    rig = chart("deploy", {ship: area}, turn=turn, changes=changes, options=options)
    record = rig.state.ships[ship]

    assert set(return_destinations(rig.state, record)) == normal
    assert set(disabled_destinations(rig.state, record)) == disabled


def test_7_3_a_ship_struck_in_port_stays_there() -> None:
    """7.3, R19 A ship disabled by an airstrike in port does not leave it."""
    rig = chart("deploy", {"scharnhorst": "germany"})

    assert disabled_destinations(rig.state, rig.state.ships["scharnhorst"]) == ("germany",)


def test_13_4_18_5_a_disabled_convoy_goes_to_the_usa_all_the_same() -> None:
    """13.4, 18.5, R33 The variant does not keep a convoy out of the port it sails from."""
    rig = chart("deploy", {"convoy_1a": "barents_sea"}, turn=3, options={"v18_5_usa_closed_before_t4": True})

    assert disabled_destinations(rig.state, rig.state.ships["convoy_1a"]) == ("usa",)


def test_7_3_r46_a_disabled_ship_in_port_counts_for_nothing() -> None:
    """R46 In port it controls nothing, keeps its damage, and does not return a second time."""
    rig = chart("control", {"hood": "england", "nelson": "north_sea"}, damage={"hood": 2}, changes={"hood": {"disabled": True}})

    assert (place(rig, "hood"), rig.state.ships["hood"].damage) == ("england", 2)
    assert rig.state.control["north_sea"] == "allied"
    assert happened(rig, Returned) == [Returned(("nelson",), "north_sea", "england")]
