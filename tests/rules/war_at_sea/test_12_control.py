"""12 Control, and the return to port after it (5.7, A.1 – A.4)."""

from collections.abc import Mapping

import pytest

from tests.rules.war_at_sea.charts import BAL, BAR, MED, NA, NS, SA, chart, happened, place, quiet
from tests.rules.war_at_sea.waters import battle, hold
from warledger.engine.games.war_at_sea.control import ControlPlaced, controller
from warledger.engine.games.war_at_sea.homing import Returned, ShipLostWithoutPort, UBoatsReturned
from warledger.engine.games.war_at_sea.victory import Scored

# --- 12.1 -----------------------------------------------------------------------------------------


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
def test_12_1_R29_who_controls(
    ships: tuple[str, ...], escaped: tuple[str, ...], boats: int, holder: str
) -> None:
    """12.1, 11.8, R25, R29, R49, R50 Only surface ships that did not escape control; U-boats cancel
    Allied control alone."""
    rig = chart(
        "deploy",
        dict.fromkeys(ships, "north_atlantic"),
        boats={"north_atlantic": boats},
        changes={ship: {"escaped": True} for ship in escaped},
    )

    assert controller(rig.state, "north_atlantic") == holder


@pytest.mark.parametrize(("die", "holder"), [(6, "allied"), (5, "allied"), (4, "")])
def test_12_1_only_boats_that_are_left_cancel_control(die: int, holder: str) -> None:
    """8.5, 12.1 (E23) A boat sunk or sent home cancels nothing; one that survives does."""
    rig = battle("north_sea", ["hood"], boats=1)
    rig.dice(die)
    rig.do("allied", "hunt")
    hold(rig)

    assert rig.state.control["north_sea"] == holder


@pytest.mark.parametrize(("allied_die", "holder"), [(5, ""), (1, "axis")])
def test_12_1_u_boats_beside_axis_ships(allied_die: int, holder: str) -> None:
    """12.1, R49 Hood drives Hipper off but a boat is left: nobody. Hood goes: the Axis by its ship,
    not by the boat."""
    rig = battle("north_sea", ["hood"], ["admiral_hipper"], boats=1)
    hold(rig)
    rig.dice(allied_die, 1, 1, 1)
    rig.do("allied", "fire", "hood", "admiral_hipper")
    if allied_die == 1:
        rig.dice(4)
        rig.do("axis", "fire", "admiral_hipper", "hood")
    else:
        hold(rig)

    assert rig.state.control["north_sea"] == holder


def test_12_1_a_turn_of_control_with_a_boat_in_it() -> None:
    """2.1, 8.5, 12.1, 17.2 Allies in the North Sea (with a boat), North and South Atlantic: two
    points. Axis in the Barents Sea and the Mediterranean: four. The marker moves two to the
    Axis."""
    ships = {"hood": NS, "nelson": NA, "rodney": SA, "admiral_hipper": BAR, "littorio": MED}
    rig = chart("control", ships, turn=5, boats={NS: 1, BAR: 1})
    rig.do("allied", "return", "england")

    assert happened(rig, Scored) == [Scored(5, (2, 0, 0), (4, 0, 0), 2)]
    assert rig.state.control == {
        NA: "allied",
        SA: "allied",
        NS: "",
        BAR: "axis",
        BAL: "",
        MED: "axis",
    }
    assert rig.state.boats_at("germany") == tuple(
        boat for boat, where in rig.state.uboats.items() if where == "germany"
    )
    assert place(rig, "rodney") == "england"


# --- 12.2 mark control with control markers -------------------------------------------------------


def test_12_2_markers_are_placed_and_ships_return() -> None:
    """5.6, 5.7, 12.2, 8.5 Markers lie where ships were although the ships have gone home; the boats
    are in Germany."""
    rig = chart(
        "control",
        {"hood": "north_sea", "scharnhorst": "barents_sea"},
        boats={"north_atlantic": 2},
        turn=2,
    )

    assert dict(happened(rig, ControlPlaced)[0].areas)["north_sea"] == "allied"
    assert rig.state.control["barents_sea"] == "axis"
    assert (place(rig, "hood"), place(rig, "scharnhorst")) == ("england", "germany")
    assert len(rig.state.boats_at("germany")) == 3, "two back, one new on turn 3"
    assert happened(rig, UBoatsReturned) == [UBoatsReturned()]


def test_12_2_old_markers_do_not_score_again() -> None:
    """6.3, 12.2, 17.3 A sea held last turn and left alone this turn scores nothing."""
    rig = chart(
        "allied_sail",
        {"hood": "england"},
        turn=3,
        control={"north_sea": "allied", "mediterranean": "axis"},
    )
    rig.do("allied", "done")
    events = [*rig.events, *quiet(rig, 4)]

    (scored,) = [event for event in events if type(event) is Scored]
    assert (scored.allied, scored.axis) == ((0, 0, 0), (0, 0, 0))
    (placed,) = [event for event in events if type(event) is ControlPlaced]
    assert set(dict(placed.areas).values()) == {""}


# --- 12.3 -----------------------------------------------------------------------------------------


def test_12_3_no_port_means_out_of_the_game() -> None:
    """12.3, R30 An Italian cruiser in the North Atlantic has no port on turn 7."""
    rig = chart("axis_return_without_choice", {"zara": "north_atlantic"}, turn=7)

    assert happened(rig, ShipLostWithoutPort) == [ShipLostWithoutPort("zara", "north_atlantic")]
    assert place(rig, "zara") == "removed"


def test_12_3_france_closed_to_those_who_return() -> None:
    """15.4, 12.3 On turn 1 a German ship in the South Atlantic goes to South America by itself;
    France is refused beside another choice."""
    rig = chart("replenish", {"scharnhorst": "south_atlantic"}, turn=1)

    rig.dice(1)
    rig.do("axis", "replenish", "scharnhorst")
    assert rig.refused("axis", "return", "scharnhorst", "france").rule == "15.4"


@pytest.mark.parametrize(
    ("turn", "lost"), [(1, True), (2, False), (6, False), (7, True), (8, True)]
)
def test_12_3_R30_italian_cruisers_in_the_north_atlantic(turn: int, lost: bool) -> None:
    """12.3, 15.4, R30 France on turns 2 to 6; before and after there is no port for them."""
    rig = chart("axis_return_without_choice", {"zara": "north_atlantic"}, turn=turn)

    assert bool(happened(rig, ShipLostWithoutPort)) is lost
    assert [event.port for event in happened(rig, Returned)] == ([] if lost else ["france"])
    assert place(rig, "zara") == ("removed" if lost or turn == 6 else "france"), (
        "what returns there on turn 6 is lost when turn 7 begins"
    )


def test_12_3_a_port_alone_sends_all_that_may_go_there() -> None:
    """12.3 RETURN PORT sends every ship that must choose and may go there."""
    rig = chart(
        "axis_return_without_choice",
        {"nelson": "north_atlantic", "hood": "north_atlantic", "eagle": "mediterranean"},
    )

    rig.do("allied", "return", "england")
    assert happened(rig, Returned) == [
        Returned(("nelson", "hood"), "north_atlantic", "england"),
        Returned(("eagle",), "mediterranean", "england"),
    ]


@pytest.mark.parametrize(
    ("seat", "places", "turn", "ship", "port", "rule"),
    [
        ("axis", {"scharnhorst": "north_atlantic"}, 3, "scharnhorst", "italy", "A.2"),
        (
            "axis",
            {"scharnhorst": "south_atlantic", "gneisenau": "north_atlantic"},
            3,
            "scharnhorst",
            "germany",
            "12.3",
        ),
        ("axis", {"scharnhorst": "north_atlantic"}, 3, "scharnhorst", "england", "2.2"),
        ("allied", {"eagle": "mediterranean", "hood": "barents_sea"}, 3, "eagle", "usa", "A.4"),
        ("allied", {"hood": "north_atlantic"}, 3, "hood", "germany", "2.2"),
        ("allied", {"hood": "north_atlantic"}, 3, "hood", "malta", "12.3"),
        ("allied", {"hood": "south_atlantic"}, 3, "hood", "usa", "12.3"),
    ],
)
def test_12_3_a_wrong_return_names_its_clause(
    seat: str, places: Mapping[str, str], turn: int, ship: str, port: str, rule: str
) -> None:
    """2.2, 12.3, A.1 – A.4 The note of the area is cited where there is one."""
    rig = chart("axis_return_without_choice", places, turn=turn)

    assert rig.refused(seat, "return", ship, port).rule == rule
