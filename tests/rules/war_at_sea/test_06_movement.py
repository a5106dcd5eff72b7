"""6 Movement, with 2.2 (enemy ports) and the limits of nations that bind it."""

import pytest

from engine.games.war_at_sea.events import PutBack, SailingOver, SpeedRolled
from tests.rules.war_at_sea.charts import chart, happened, pass_on, place, seas

AREAS = {"north_atlantic", "south_atlantic", "north_sea", "barents_sea", "baltic_sea", "mediterranean"}


def test_6_1_e01_speed_roll_passes() -> None:
    """6.1, 6.2 (E01) Repulse, speed 6, moved two areas and rolls 5: it stays."""
    rig = chart("allied_sail", {"repulse": "england"})

    rig.do("allied", "sail", "repulse", "north_sea", "barents_sea")
    rig.dice(5)
    rig.do("allied", "done")
    assert place(rig, "repulse") == "barents_sea"
    assert happened(rig, SpeedRolled) == [SpeedRolled("repulse", "barents_sea", 5, True)]


def test_6_2_e02_speed_roll_fails_on_turn_1() -> None:
    """6.2, R8, R9, R13 (E02) Repulse rolls 6 on turn 1: England is the only refuge; it cannot move, be repaired, or be struck there."""
    rig = chart("allied_sail", {"repulse": "england"}, damage={"repulse": 0})

    rig.do("allied", "sail", "repulse", "north_sea", "barents_sea")
    rig.dice(6)
    rig.do("allied", "done")
    ship = rig.state.ships["repulse"]
    assert happened(rig, PutBack) == [PutBack("repulse", "barents_sea", "england")]
    assert (ship.place, ship.failed, ship.moved) == ("england", True, True)


@pytest.mark.parametrize(("ship", "damage", "die", "holds"), [("hood", 0, 6, True), ("royal_oak", 3, 1, False)])
def test_6_2_e04_speed_seven_and_speed_one(ship: str, damage: int, die: int, holds: bool) -> None:
    """6.2, 7.6, R6 (E04) Speed 7 never fails, speed 1 always does."""
    rig = chart("allied_sail", {ship: "england"}, damage={ship: damage})

    rig.do("allied", "sail", ship, "north_sea", "barents_sea")
    rig.dice(die)
    rig.do("allied", "done")
    assert place(rig, ship) == ("barents_sea" if holds else "england")


@pytest.mark.parametrize(("die", "holds"), [(4, False), (3, True)])
def test_6_2_e05_damage_slows(die: int, holds: bool) -> None:
    """6.2, 7.6 (E05) Bismarck with 2 damage has speed 4."""
    rig = chart("axis_sail", {"bismarck": "germany"}, damage={"bismarck": 2})

    rig.do("axis", "sail", "bismarck", "barents_sea", "north_atlantic")
    rig.dice(die)
    rig.do("axis", "done")
    assert place(rig, "bismarck") == ("north_atlantic" if holds else "germany")


def test_6_1_e06_blockade() -> None:
    """6.1, R7 (E06) Enemy markers in the North Sea and the Barents Sea stop Scharnhorst; one in the North Sea alone leaves a way."""
    markers = {"north_sea": "allied", "barents_sea": "allied"}
    shut = chart("axis_sail", {"scharnhorst": "germany"}, turn=2, control=markers)
    assert seas(shut, "axis", "scharnhorst") == {"germany", "baltic_sea", "north_sea", "barents_sea"}
    refusal = shut.refused("axis", "sail", "scharnhorst", "north_sea", "north_atlantic")
    assert (refusal.rule, refusal.key) == ("6.1", "refusal.war_at_sea.must_stop")

    ajar = chart("axis_sail", {"scharnhorst": "germany"}, turn=2, control={"north_sea": "allied"})
    assert "north_atlantic" in ajar.options("axis", "sail", "scharnhorst", "barents_sea")
    assert "south_atlantic" not in seas(ajar, "axis", "scharnhorst")


def test_6_1_r7_only_markers_stop() -> None:
    """6.1, R7 Enemy ships in the first area do not stop movement, one's own marker does not either, and turn 1 has none."""
    rig = chart("axis_sail", {"scharnhorst": "germany", "hood": "north_sea"}, control={"barents_sea": "axis"})

    assert seas(rig, "axis", "scharnhorst") - {"germany"} == AREAS - {"mediterranean"}


def test_6_1_control_markers_bind_the_allies_too() -> None:
    """6.1, 6.3 An Axis marker in the North Sea stops Hood there."""
    rig = chart("allied_sail", {"hood": "england"}, turn=2, control={"north_sea": "axis"})

    assert rig.options("allied", "sail", "hood", "north_sea") == ()


@pytest.mark.parametrize(
    ("turn", "ports"),
    [
        (1, {"germany", "south_america"}),
        (2, {"germany", "france", "south_america"}),
        (6, {"germany", "france", "south_america"}),
        (7, {"germany", "south_america"}),
    ],
)
def test_6_2_e08_failed_roll_into_the_south_atlantic(turn: int, ports: set[str]) -> None:
    """6.2, 15.4, R8 (E08) A German ship that fails into the South Atlantic: where from, South America, and France while it is open."""
    rig = chart("axis_sail", {"lutzow": "germany"}, turn=turn)

    rig.do("axis", "sail", "lutzow", "north_sea", "south_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    assert place(rig, "lutzow") == "south_atlantic"
    assert set(rig.options("axis", "put_back", "lutzow")) == ports
    rig.do("axis", "put_back", "lutzow", "south_america")
    assert place(rig, "lutzow") == "south_america"


def test_6_2_r8_area_notes_do_not_widen_the_refuge() -> None:
    """R8 A German ship failing into the North Atlantic on turn 1 goes back to Germany alone: A.2 is about returns."""
    rig = chart("axis_sail", {"lutzow": "germany"})

    rig.do("axis", "sail", "lutzow", "barents_sea", "north_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    assert place(rig, "lutzow") == "germany"


def test_6_2_one_line_puts_a_whole_fleet_back() -> None:
    """6.2 Several ships that failed go into one port by one command; refuges are checked for each."""
    rig = chart("allied_sail", {"nelson": "malta", "rodney": "malta", "eagle": "malta"})

    rig.do("allied", "sail", "nelson", "rodney", "eagle", "mediterranean", "south_atlantic")
    rig.dice(6, 6, 6)
    rig.do("allied", "done")
    assert rig.refused("allied", "put_back", "nelson", "usa").rule == "6.2"
    rig.do("allied", "put_back", "nelson", "malta")
    rig.do("allied", "put_back", "england")
    assert [place(rig, ship) for ship in ("nelson", "rodney", "eagle")] == ["malta", "england", "england"]


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
def test_6_4_e09_illegal_moves(seat: str, ship: str, start: str, picks: tuple[str, ...], rule: str) -> None:
    """2.2, 6.1, 6.4, 16.1 – 16.3 (E09) Each is refused with its clause."""
    rig = chart(f"{seat}_sail", {ship: start}, turn=4, changes={"marat": {"may_sail": True}})

    assert rig.refused(seat, "sail", ship, *picks).rule == rule


def test_6_3_e10_order_of_movement() -> None:
    """6.3 (E10) The Axis is refused until the last Allied die is rolled; old markers stay until the last Axis die, and no longer."""
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


def test_6_1_a_fleet_of_one_port_sails_by_one_command() -> None:
    """6.1 Ships of one port sail together; a ship elsewhere, named twice, or an enemy's is refused, and nobody moves twice."""
    rig = chart("allied_sail", {"hood": "england", "renown": "england", "eagle": "malta", "bismarck": "germany"})

    assert rig.refused("allied", "sail", "hood", "eagle").key == "refusal.war_at_sea.other_place"
    assert rig.refused("allied", "sail", "hood", "hood").key == "refusal.war_at_sea.named_twice"
    assert rig.refused("allied", "sail", "bismarck").key == "refusal.war_at_sea.not_yours"
    rig.do("allied", "sail", "hood", "renown", "north_sea")
    assert [place(rig, ship) for ship in ("hood", "renown")] == ["north_sea", "north_sea"]
    assert rig.refused("allied", "sail", "hood", "barents_sea").rule == "6.1"


def test_6_2_each_ship_rolls_for_itself() -> None:
    """6.1, R5 One die a ship that moved two areas; a ship that moved one rolls none."""
    rig = chart("allied_sail", {"hood": "england", "renown": "england", "repulse": "england", "nelson": "england"})

    rig.do("allied", "sail", "hood", "renown", "repulse", "north_sea", "barents_sea")
    rig.do("allied", "sail", "nelson", "north_sea")
    rig.dice(6, 6, 5)
    rig.do("allied", "done")
    assert [(event.ship, event.holds) for event in happened(rig, SpeedRolled)] == [("hood", True), ("renown", False), ("repulse", True)]
    assert happened(rig, SailingOver)[0] == SailingOver("allied")


def test_6_1_a_side_without_ships_is_not_asked() -> None:
    """6.3 Where everybody sees that a side can move nothing, play goes on without it."""
    rig = chart("allied_sail", {"bismarck": "germany"})

    assert rig.asked() == {"axis": "prompt.war_at_sea.sail"}
    pass_on(rig, "air")
    assert rig.asked() == {"allied": "prompt.war_at_sea.air"}


def test_6_1_r58_r61_two_area_moves_from_malta_and_through_the_baltic() -> None:
    """R58, R61 Malta leads through the Mediterranean to the South Atlantic; the Baltic leads a German ship on to the North Sea."""
    malta = chart("allied_sail", {"nelson": "malta"})
    assert seas(malta, "allied", "nelson") == {"malta", "mediterranean", "south_atlantic"}

    germany = chart("axis_sail", {"lutzow": "germany"})
    assert germany.options("axis", "sail", "lutzow", "baltic_sea") == ("north_sea",)


@pytest.mark.parametrize(("turn", "ports"), [(2, {"england"}), (3, {"england", "russia"})])
def test_6_2_r8_r13_failed_roll_into_the_barents_sea(turn: int, ports: set[str]) -> None:
    """6.2, R8, R13 From turn 3 Russia is a refuge beside the port of departure; A.1 does not speak of failed rolls."""
    rig = chart("allied_sail", {"repulse": "england"}, turn=turn)

    rig.do("allied", "sail", "repulse", "north_sea", "barents_sea")
    rig.dice(6)
    rig.do("allied", "done")
    if len(ports) == 1:
        assert {place(rig, "repulse")} == ports
    else:
        assert set(rig.options("allied", "put_back", "repulse")) == ports
