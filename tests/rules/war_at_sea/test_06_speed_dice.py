"""6.2 The speed die: who rolls, who fails, and where a ship goes that failed."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rules.war_at_sea.charts import BAR, NA, NS, SA, chart, happened, pass_on, place
from warledger.engine.games.war_at_sea.movement import SailingOver
from warledger.engine.games.war_at_sea.speed import PutBack, SpeedRolled
from warledger.engine.games.war_at_sea.victory import Scored

REFUGES: list[tuple[str, str, tuple[str, str], int, set[str]]] = [
    ("nelson", "england", ("north_atlantic", "south_atlantic"), 1, {"england", "south_america"}),
    ("nelson", "england", ("south_atlantic", "north_atlantic"), 1, {"england", "usa"}),
    ("nelson", "england", ("south_atlantic", "mediterranean"), 1, {"england", "malta"}),
    ("nelson", "england", ("north_sea", "barents_sea"), 2, {"england"}),
    ("nelson", "england", ("north_atlantic", "barents_sea"), 3, {"england", "russia"}),
    (
        "nelson",
        "malta",
        ("mediterranean", "south_atlantic"),
        1,
        {"malta", "england", "south_america"},
    ),
    ("nelson", "usa", ("north_atlantic", "barents_sea"), 2, {"usa"}),
    ("nelson", "usa", ("north_atlantic", "barents_sea"), 5, {"usa", "russia"}),
    ("nelson", "usa", ("north_atlantic", "north_sea"), 5, {"usa", "england"}),
    ("nelson", "russia", ("barents_sea", "north_sea"), 4, {"russia", "england"}),
    (
        "nelson",
        "south_america",
        ("south_atlantic", "north_atlantic"),
        2,
        {"south_america", "england", "usa"},
    ),
    ("lutzow", "germany", ("barents_sea", "north_sea"), 1, {"germany"}),
    ("lutzow", "germany", ("north_sea", "north_atlantic"), 1, {"germany"}),
    ("lutzow", "germany", ("north_sea", "north_atlantic"), 2, {"germany", "france"}),
    ("lutzow", "germany", ("barents_sea", "north_atlantic"), 7, {"germany"}),
    ("lutzow", "france", ("north_atlantic", "barents_sea"), 3, {"germany", "france"}),
    ("lutzow", "france", ("south_atlantic", "mediterranean"), 3, {"italy", "france"}),
    (
        "lutzow",
        "italy",
        ("mediterranean", "south_atlantic"),
        3,
        {"italy", "france", "south_america"},
    ),
    ("lutzow", "south_america", ("south_atlantic", "north_sea"), 3, {"germany", "south_america"}),
    ("zara", "italy", ("mediterranean", "south_atlantic"), 1, {"italy", "south_america"}),
    ("zara", "italy", ("mediterranean", "south_atlantic"), 3, {"italy", "france", "south_america"}),
    ("zara", "france", ("north_atlantic", "south_atlantic"), 3, {"france", "south_america"}),
    ("zara", "france", ("south_atlantic", "north_atlantic"), 3, {"france"}),
    ("zara", "south_america", ("south_atlantic", "north_atlantic"), 1, {"south_america"}),
    ("zara", "south_america", ("south_atlantic", "north_atlantic"), 4, {"france", "south_america"}),
    ("zara", "south_america", ("south_atlantic", "north_atlantic"), 7, {"south_america"}),
    ("zara", "south_america", ("south_atlantic", "mediterranean"), 7, {"italy", "south_america"}),
]


def test_6_2_speed_roll_fails_on_turn_1() -> None:
    """6.2, R8, R9, R13 (E02) Repulse rolls 6 on turn 1: England is the only refuge; it cannot move,
    be repaired, or be struck there."""
    rig = chart("allied_sail", {"repulse": "england"}, damage={"repulse": 0})

    rig.do("allied", "sail", "repulse", "north_sea", "barents_sea")
    rig.dice(6)
    rig.do("allied", "done")
    ship = rig.state.ships["repulse"]
    assert happened(rig, PutBack) == [PutBack("repulse", "barents_sea", "england")]
    assert (ship.place, ship.failed, ship.moved) == ("england", True, True)


@pytest.mark.parametrize(
    ("ship", "damage", "die", "holds"), [("hood", 0, 6, True), ("royal_oak", 3, 1, False)]
)
def test_6_2_speed_seven_and_speed_one(ship: str, damage: int, die: int, holds: bool) -> None:
    """6.2, 7.6, R6 (E04) Speed 7 never fails, speed 1 always does."""
    rig = chart("allied_sail", {ship: "england"}, damage={ship: damage})

    rig.do("allied", "sail", ship, "north_sea", "barents_sea")
    rig.dice(die)
    rig.do("allied", "done")
    assert place(rig, ship) == ("barents_sea" if holds else "england")


@pytest.mark.parametrize(("die", "holds"), [(4, False), (3, True)])
def test_6_2_damage_slows(die: int, holds: bool) -> None:
    """6.2, 7.6 (E05) Bismarck with 2 damage has speed 4."""
    rig = chart("axis_sail", {"bismarck": "germany"}, damage={"bismarck": 2})

    rig.do("axis", "sail", "bismarck", "barents_sea", "north_atlantic")
    rig.dice(die)
    rig.do("axis", "done")
    assert place(rig, "bismarck") == ("north_atlantic" if holds else "germany")


@pytest.mark.parametrize(
    ("turn", "ports"),
    [
        (1, {"germany", "south_america"}),
        (2, {"germany", "france", "south_america"}),
        (6, {"germany", "france", "south_america"}),
        (7, {"germany", "south_america"}),
    ],
)
def test_6_2_failed_roll_into_the_south_atlantic(turn: int, ports: set[str]) -> None:
    """6.2, 15.4, R8 (E08) A German ship that fails into the South Atlantic: where from, South
    America, and France while it is open."""
    rig = chart("axis_sail", {"lutzow": "germany"}, turn=turn)

    rig.do("axis", "sail", "lutzow", "north_sea", "south_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    assert place(rig, "lutzow") == "south_atlantic"
    assert set(rig.options("axis", "put_back", "lutzow")) == ports
    rig.do("axis", "put_back", "lutzow", "south_america")
    assert place(rig, "lutzow") == "south_america"


def test_6_2_R8_area_notes_do_not_widen_the_refuge() -> None:
    """R8 A German ship failing into the North Atlantic on turn 1 goes back to Germany alone: A.2 is
    about returns."""
    rig = chart("axis_sail", {"lutzow": "germany"})

    rig.do("axis", "sail", "lutzow", "barents_sea", "north_atlantic")
    rig.dice(5)
    rig.do("axis", "done")
    assert place(rig, "lutzow") == "germany"


def test_6_2_one_line_puts_a_whole_fleet_back() -> None:
    """6.2 Several ships that failed go into one port by one command; refuges are checked for
    each."""
    rig = chart("allied_sail", {"nelson": "malta", "rodney": "malta", "eagle": "malta"})

    rig.do("allied", "sail", "nelson", "rodney", "eagle", "mediterranean", "south_atlantic")
    rig.dice(6, 6, 6)
    rig.do("allied", "done")
    assert rig.refused("allied", "put_back", "nelson", "usa").rule == "6.2"
    rig.do("allied", "put_back", "nelson", "malta")
    rig.do("allied", "put_back", "england")
    assert [place(rig, ship) for ship in ("nelson", "rodney", "eagle")] == [
        "malta",
        "england",
        "england",
    ]


def test_6_2_each_ship_rolls_for_itself() -> None:
    """6.1, R5 One die a ship that moved two areas; a ship that moved one rolls none."""
    rig = chart(
        "allied_sail",
        {"hood": "england", "renown": "england", "repulse": "england", "nelson": "england"},
    )

    rig.do("allied", "sail", "hood", "renown", "repulse", "north_sea", "barents_sea")
    rig.do("allied", "sail", "nelson", "north_sea")
    rig.dice(6, 6, 5)
    rig.do("allied", "done")
    assert [(event.ship, event.holds) for event in happened(rig, SpeedRolled)] == [
        ("hood", True),
        ("renown", False),
        ("repulse", True),
    ]
    assert happened(rig, SailingOver)[0] == SailingOver("allied")


@pytest.mark.parametrize(("turn", "ports"), [(2, {"england"}), (3, {"england", "russia"})])
def test_6_2_R8_R13_failed_roll_into_the_barents_sea(turn: int, ports: set[str]) -> None:
    """6.2, R8, R13 From turn 3 Russia is a refuge beside the port of departure; A.1 does not speak
    of failed rolls."""
    rig = chart("allied_sail", {"repulse": "england"}, turn=turn)

    rig.do("allied", "sail", "repulse", "north_sea", "barents_sea")
    rig.dice(6)
    rig.do("allied", "done")
    if len(ports) == 1:
        assert {place(rig, "repulse")} == ports
    else:
        assert set(rig.options("allied", "put_back", "repulse")) == ports


@pytest.mark.parametrize(("ship", "start", "path", "turn", "ports"), REFUGES)
def test_6_2_R8_every_refuge(
    ship: str, start: str, path: tuple[str, str], turn: int, ports: set[str]
) -> None:
    """6.2, 15.4, 16.3, R8, R13 The port it left, and the open ports beside the second area that its
    nation may enter; no others."""
    seat = "allied" if ship == "nelson" else "axis"
    rig = chart(
        f"{seat}_sail", {ship: start}, turn=turn, damage={"zara": 1} if ship == "zara" else {}
    )

    rig.do(seat, "sail", ship, *path)
    rig.dice(6)
    rig.do(seat, "done")
    if len(ports) == 1:
        assert {place(rig, ship)} == ports
        assert happened(rig, PutBack) == [PutBack(ship, path[1], *ports)]
    else:
        assert set(rig.options(seat, "put_back")) - {ship} == ports
        rig.do(seat, "put_back", ship, min(ports))
        assert place(rig, ship) == min(ports)
    assert rig.state.ships[ship].failed


@pytest.mark.parametrize("speed", range(1, 8))
def test_6_2_the_die_must_be_less_than_the_speed(speed: int) -> None:
    """6.2, 7.6, R6 Hood slowed to each speed: it holds on less, and fails on as much or more; it
    never falls below 1."""
    for die in range(1, 7):
        rig = chart("allied_sail", {"hood": "england"}, changes={"hood": {"speed": speed}})
        rig.do("allied", "sail", "hood", "north_sea", "barents_sea")
        rig.dice(die)
        rig.do("allied", "done")
        assert happened(rig, SpeedRolled) == [SpeedRolled("hood", "barents_sea", die, die < speed)]


def test_6_2_nothing_else_is_done_while_failed_ships_look_for_a_port() -> None:
    """6.2, 15.1 (E60) A failed ship may neither move again nor be repaired; each wrong verb names
    its clause."""
    rig = chart(
        "allied_sail", {"nelson": "malta", "hood": "england"}, damage={"nelson": 1, "hood": 1}
    )
    rig.do("allied", "sail", "nelson", "mediterranean", "south_atlantic")
    rig.dice(4)
    rig.do("allied", "done")

    assert rig.asked() == {"allied": "prompt.war_at_sea.put_back"}
    assert rig.refused("allied", "sail", "hood", "north_sea").rule == "6.2"
    assert rig.refused("allied", "repair", "nelson", 1).rule == "15.1"


def test_6_2_four_ships_roll_by_their_damage() -> None:
    """6.2, 7.6, A.1, R8 To the Barents on turn 4: Nelson 3 holds on 2, Hood at 4 fails on 4, Renown
    at 4 holds on 3, Repulse 6 fails on 6; each that failed may go to England or Russia."""
    squadron = ("nelson", "hood", "renown", "repulse")
    rig = chart(
        "allied_sail", dict.fromkeys(squadron, "england"), turn=4, damage={"hood": 3, "renown": 2}
    )
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


def test_6_2_15_4_failing_back_into_france_on_turn_6() -> None:
    """6.2, 15.4, R36 Lützow may go back into France on turn 6, and is out of the game when turn 7
    begins."""
    rig = chart("axis_sail", {"lutzow": "france", "hood": "england"}, turn=6)
    rig.do("axis", "sail", "lutzow", NA, NS)
    rig.dice(5)
    rig.do("axis", "done")
    rig.do("axis", "put_back", "france")
    assert place(rig, "lutzow") == "france"
    pass_on(rig, "sail")

    assert rig.state.turn == 7
    assert place(rig, "lutzow") == "removed"


@pytest.mark.parametrize(
    ("ship", "start", "path", "turn", "port", "rule", "options"),
    [
        ("nelson", "england", ("south_atlantic", "north_atlantic"), 1, "france", "2.2", {}),
        ("nelson", "england", ("south_atlantic", "north_atlantic"), 1, "malta", "6.2", {}),
        ("nelson", "england", ("south_atlantic", "mediterranean"), 1, "south_america", "6.2", {}),
        ("nelson", "malta", ("mediterranean", "south_atlantic"), 1, "russia", "A.1", {}),
        ("lutzow", "germany", ("north_sea", "south_atlantic"), 1, "france", "15.4", {}),
        ("lutzow", "germany", ("north_sea", "south_atlantic"), 7, "france", "15.4", {}),
        ("lutzow", "germany", ("north_sea", "south_atlantic"), 1, "england", "2.2", {}),
        ("lutzow", "germany", ("north_sea", "south_atlantic"), 1, "italy", "6.2", {}),
        (
            "nelson",
            "malta",
            ("mediterranean", "south_atlantic"),
            1,
            "usa",
            "18.5",
            {"v18_5_usa_closed_before_t4": True},
        ),
    ],
)
def test_6_2_a_wrong_refuge_names_its_clause(
    ship: str,
    start: str,
    path: tuple[str, str],
    turn: int,
    port: str,
    rule: str,
    options: Mapping[str, Any],
) -> None:
    """2.2, 6.2, 15.4, 18.5, A.1, R8 Enemy port, closed port, or a port that is neither the one left
    nor beside the second area."""
    seat = "allied" if ship == "nelson" else "axis"
    rig = chart(f"{seat}_sail", {ship: start}, turn=turn, options=options)
    rig.do(seat, "sail", ship, *path)
    rig.dice(6)
    rig.do(seat, "done")

    assert rig.refused(seat, "put_back", ship, port).rule == rule


def test_6_2_a_ship_that_failed_holds_nothing() -> None:
    """6.2, R9, 12.1, 17.1 Renown fails into England on turn 1; Hipper is alone in the Barents Sea
    and takes its two points."""
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


def test_6_2_a_blockaded_ship_rolls_no_die() -> None:
    """6.1, 6.2 Royal Oak, crippled to speed 1, stops in one area after another turn by turn and
    never rolls."""
    rig = chart(
        "allied_sail",
        {"royal_oak": "england"},
        turn=2,
        control={SA: "axis"},
        damage={"royal_oak": 4},
    )
    assert rig.options("allied", "sail", "royal_oak", SA) == ()
    rig.do("allied", "sail", "royal_oak", SA)
    rig.do("allied", "done")

    assert happened(rig, SpeedRolled) == []
    assert place(rig, "royal_oak") == SA
