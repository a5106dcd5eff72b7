"""6, 12 – 16 Close readings of movement: every refuge of a failed roll, what a replenished ship may do, and the clause of every refusal."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.games.war_at_sea.events import PutBack, Returned, ShipLostWithoutPort, SpeedRolled
from engine.games.war_at_sea.state import POOL, TRACK
from tests.rules.war_at_sea.charts import chart, happened, pass_on, place, seas

FREE = {"free": True}

REFUGES: list[tuple[str, str, tuple[str, str], int, set[str]]] = [
    ("nelson", "england", ("north_atlantic", "south_atlantic"), 1, {"england", "south_america"}),
    ("nelson", "england", ("south_atlantic", "north_atlantic"), 1, {"england", "usa"}),
    ("nelson", "england", ("south_atlantic", "mediterranean"), 1, {"england", "malta"}),
    ("nelson", "england", ("north_sea", "barents_sea"), 2, {"england"}),
    ("nelson", "england", ("north_atlantic", "barents_sea"), 3, {"england", "russia"}),
    ("nelson", "malta", ("mediterranean", "south_atlantic"), 1, {"malta", "england", "south_america"}),
    ("nelson", "usa", ("north_atlantic", "barents_sea"), 2, {"usa"}),
    ("nelson", "usa", ("north_atlantic", "barents_sea"), 5, {"usa", "russia"}),
    ("nelson", "usa", ("north_atlantic", "north_sea"), 5, {"usa", "england"}),
    ("nelson", "russia", ("barents_sea", "north_sea"), 4, {"russia", "england"}),
    ("nelson", "south_america", ("south_atlantic", "north_atlantic"), 2, {"south_america", "england", "usa"}),
    ("lutzow", "germany", ("barents_sea", "north_sea"), 1, {"germany"}),
    ("lutzow", "germany", ("north_sea", "north_atlantic"), 1, {"germany"}),
    ("lutzow", "germany", ("north_sea", "north_atlantic"), 2, {"germany", "france"}),
    ("lutzow", "germany", ("barents_sea", "north_atlantic"), 7, {"germany"}),
    ("lutzow", "france", ("north_atlantic", "barents_sea"), 3, {"germany", "france"}),
    ("lutzow", "france", ("south_atlantic", "mediterranean"), 3, {"italy", "france"}),
    ("lutzow", "italy", ("mediterranean", "south_atlantic"), 3, {"italy", "france", "south_america"}),
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


@pytest.mark.parametrize(("ship", "start", "path", "turn", "ports"), REFUGES)
def test_6_2_r8_every_refuge(ship: str, start: str, path: tuple[str, str], turn: int, ports: set[str]) -> None:
    """6.2, 15.4, 16.3, R8, R13 The port it left, and the open ports beside the second area that its nation may enter; no others."""
    seat = "allied" if ship == "nelson" else "axis"
    rig = chart(f"{seat}_sail", {ship: start}, turn=turn, damage={"zara": 1} if ship == "zara" else {})

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


@pytest.mark.parametrize(
    ("nation", "start", "ports"), [("uk", "malta", {"malta", "england", "south_america"}), ("de", "italy", {"italy", "south_america"})]
)
def test_16_5_a_taken_over_ship_fails_like_its_new_nation(nation: str, start: str, ports: set[str]) -> None:
    """6.2, 16.5, R40 Littorio in Allied or German hands on turn 8 has the refuges of those."""
    seat = "allied" if nation == "uk" else "axis"
    rig = chart(f"{seat}_sail", {"littorio": start}, turn=8, changes={"littorio": {"nation": nation}})

    rig.do(seat, "sail", "littorio", "mediterranean", "south_atlantic")
    rig.dice(6)
    rig.do(seat, "done")
    assert set(rig.options(seat, "put_back")) - {"littorio"} == ports


def test_18_5_a_failed_roll_beside_the_closed_usa() -> None:
    """6.2, 18.5 On turn 3 the USA is no refuge; with England alone left the ship goes there without a question."""
    rig = chart("allied_sail", {"nelson": "england"}, turn=3, options={"v18_5_usa_closed_before_t4": True})

    rig.do("allied", "sail", "nelson", "south_atlantic", "north_atlantic")
    rig.dice(3)
    rig.do("allied", "done")
    assert place(rig, "nelson") == "england"


@pytest.mark.parametrize("speed", range(1, 8))
def test_6_2_the_die_must_be_less_than_the_speed(speed: int) -> None:
    """6.2, 7.6, R6 Hood slowed to each speed: it holds on less, and fails on as much or more; it never falls below 1."""
    for die in range(1, 7):
        rig = chart("allied_sail", {"hood": "england"}, changes={"hood": {"speed": speed}})
        rig.do("allied", "sail", "hood", "north_sea", "barents_sea")
        rig.dice(die)
        rig.do("allied", "done")
        assert happened(rig, SpeedRolled) == [SpeedRolled("hood", "barents_sea", die, die < speed)]


def test_6_1_one_area_needs_no_die_and_stopping_is_free() -> None:
    """6.1, R7 A crippled ship of speed 1 moves one area without a roll, also into an area that the enemy controls."""
    rig = chart("allied_sail", {"royal_oak": "england"}, turn=2, damage={"royal_oak": 4}, control={"north_sea": "axis"})

    rig.do("allied", "sail", "royal_oak", "north_sea")
    rig.do("allied", "done")
    assert happened(rig, SpeedRolled) == []
    assert place(rig, "royal_oak") == "north_sea"


def test_14_4_a_replenished_ship_may_stay_and_be_asked_again() -> None:
    """14.1, 14.4, R35 It stays in its area without moving, and may try again there on turn 2 with that turn's die."""
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
    """14.4, 15.6, R37 Going into South America costs nothing that turn; staying there the next does."""
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


def test_14_4_freedom_that_is_not_used_is_gone() -> None:
    """14.4 A ship that stayed at sea on turn 4 has no port but its area's, and cannot try again (14.3)."""
    rig = chart("axis_sail", {"gneisenau": "north_atlantic"}, turn=4, changes={"gneisenau": FREE})
    rig.do("axis", "done")
    pass_on(rig, "return")

    assert set(rig.options("axis", "return")) - {"gneisenau"} == {"germany", "france"}
    refusal = rig.refused("axis", "replenish", "gneisenau")
    assert (refusal.rule, refusal.key) == ("14.3", "refusal.war_at_sea.replenish_too_late")


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
    ("allied", 3, {"marat": "leningrad"}, {"marat": {"may_sail": True}}, ("sail", "marat", "baltic_sea", "north_sea"), "16.1"),
    ("allied", 3, {"convoy_1a": "usa"}, {}, ("sail", "convoy_1a", "north_atlantic", "barents_sea"), "13.1"),
    ("allied", 3, {"convoy_1a": "usa"}, {}, ("sail", "convoy_1a", "south_atlantic"), "13.1"),
    ("allied", 4, {"convoy_1a": "north_atlantic"}, {"convoy_1a": {"pressed": True}}, ("sail", "convoy_1a", "england"), "13.2"),
    ("allied", 4, {"convoy_1a": "north_atlantic"}, {"convoy_1a": {"pressed": True}}, ("sail", "convoy_1a", "north_atlantic"), "13.2"),
    ("axis", 1, {"scharnhorst": "germany"}, {}, ("sail", "scharnhorst", "england"), "2.2"),
    ("axis", 3, {"scharnhorst": "germany"}, {}, ("sail", "scharnhorst", "france"), "6.4"),
    ("axis", 1, {"scharnhorst": "germany"}, {}, ("sail", "scharnhorst", "south_atlantic"), "6.1"),
    ("axis", 1, {"scharnhorst": "germany"}, {}, ("sail", "scharnhorst", "north_sea", "mediterranean"), "6.1"),
    ("axis", 1, {"littorio": "italy"}, {}, ("sail", "littorio", "south_atlantic"), "16.3"),
    ("axis", 1, {"zara": "italy"}, {}, ("sail", "zara", "mediterranean", "barents_sea"), "16.3"),
    ("axis", 3, {"zara": "france"}, {}, ("sail", "zara", "south_atlantic", "north_sea"), "16.3"),
    ("axis", 1, {"zara": "south_america"}, {}, ("sail", "zara", "south_atlantic", "baltic_sea"), "6.4"),
    ("axis", 7, {"gneisenau": "north_atlantic"}, {"gneisenau": FREE}, ("sail", "gneisenau", "france"), "15.4"),
    ("axis", 2, {"gneisenau": "north_atlantic"}, {"gneisenau": FREE}, ("sail", "gneisenau", "malta"), "2.2"),
    ("axis", 2, {"gneisenau": "north_atlantic"}, {"gneisenau": FREE}, ("sail", "gneisenau", "north_sea", "germany"), "14.4"),
]


@pytest.mark.parametrize(("seat", "turn", "places", "changes", "picks", "rule"), ILLEGAL)
def test_6_4_illegal_moves_name_their_clause(
    seat: str, turn: int, places: Mapping[str, str], changes: Mapping[str, Any], picks: tuple[Any, ...], rule: str
) -> None:
    """2.2, 4.2, 6.1, 6.3, 6.4, 13.1, 13.2, 14.4, 15.4, 16.1 – 16.3 (E09) Each illegal move is refused with the clause that forbids it."""
    rig = chart(f"{seat}_sail", places, turn=turn, changes=changes)

    assert rig.refused(seat, *picks).rule == rule


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
        ("nelson", "malta", ("mediterranean", "south_atlantic"), 1, "usa", "18.5", {"v18_5_usa_closed_before_t4": True}),
    ],
)
def test_6_2_a_wrong_refuge_names_its_clause(
    ship: str, start: str, path: tuple[str, str], turn: int, port: str, rule: str, options: Mapping[str, Any]
) -> None:
    """2.2, 6.2, 15.4, 18.5, A.1, R8 Enemy port, closed port, or a port that is neither the one left nor beside the second area."""
    seat = "allied" if ship == "nelson" else "axis"
    rig = chart(f"{seat}_sail", {ship: start}, turn=turn, options=options)
    rig.do(seat, "sail", ship, *path)
    rig.dice(6)
    rig.do(seat, "done")

    assert rig.refused(seat, "put_back", ship, port).rule == rule


@pytest.mark.parametrize(
    ("seat", "places", "turn", "ship", "port", "rule"),
    [
        ("axis", {"scharnhorst": "north_atlantic"}, 3, "scharnhorst", "italy", "A.2"),
        ("axis", {"scharnhorst": "south_atlantic", "gneisenau": "north_atlantic"}, 3, "scharnhorst", "germany", "12.3"),
        ("axis", {"scharnhorst": "north_atlantic"}, 3, "scharnhorst", "england", "2.2"),
        ("allied", {"eagle": "mediterranean", "hood": "barents_sea"}, 3, "eagle", "usa", "A.4"),
        ("allied", {"hood": "north_atlantic"}, 3, "hood", "germany", "2.2"),
        ("allied", {"hood": "north_atlantic"}, 3, "hood", "malta", "12.3"),
        ("allied", {"hood": "south_atlantic"}, 3, "hood", "usa", "12.3"),
    ],
)
def test_12_3_a_wrong_return_names_its_clause(seat: str, places: Mapping[str, str], turn: int, ship: str, port: str, rule: str) -> None:
    """2.2, 12.3, A.1 – A.4 The note of the area is cited where there is one."""
    rig = chart("axis_return_without_choice", places, turn=turn)

    assert rig.refused(seat, "return", ship, port).rule == rule


def test_12_3_france_closed_to_those_who_return() -> None:
    """15.4, 12.3 On turn 1 a German ship in the South Atlantic goes to South America by itself; France is refused beside another choice."""
    rig = chart("replenish", {"scharnhorst": "south_atlantic"}, turn=1)

    rig.dice(1)
    rig.do("axis", "replenish", "scharnhorst")
    assert rig.refused("axis", "return", "scharnhorst", "france").rule == "15.4"


@pytest.mark.parametrize(("turn", "lost"), [(1, True), (2, False), (6, False), (7, True), (8, True)])
def test_12_3_r30_italian_cruisers_in_the_north_atlantic(turn: int, lost: bool) -> None:
    """12.3, 15.4, R30 France on turns 2 to 6; before and after there is no port for them."""
    rig = chart("axis_return_without_choice", {"zara": "north_atlantic"}, turn=turn)

    assert bool(happened(rig, ShipLostWithoutPort)) is lost
    assert [event.port for event in happened(rig, Returned)] == ([] if lost else ["france"])
    assert place(rig, "zara") == ("removed" if lost or turn == 6 else "france"), "what returns there on turn 6 is lost when turn 7 begins"


def test_15_3_16_3_seas_of_every_nation() -> None:
    """6.4, 13.1, 16.1 – 16.3 Every end of movement of one ship of each nation, from its own country on turn 4 without markers."""
    allied = chart(
        "allied_sail",
        {"hood": "england", "texas": "usa", "marat": "leningrad", "convoy_1a": "usa"},
        turn=4,
        changes={"marat": {"may_sail": True}},
    )
    axis = chart("axis_sail", {"scharnhorst": "germany", "littorio": "italy", "zara": "italy"}, turn=4)

    assert seas(allied, "allied", "hood") == {
        "england",
        "north_sea",
        "north_atlantic",
        "south_atlantic",
        "barents_sea",
        "mediterranean",
    }
    assert seas(allied, "allied", "texas") == {"usa", "north_atlantic"}
    assert seas(allied, "allied", "marat") == {"leningrad", "baltic_sea"}
    assert seas(allied, "allied", "convoy_1a") == {"usa", "north_atlantic"}
    assert seas(axis, "axis", "scharnhorst") == {
        "germany",
        "baltic_sea",
        "north_sea",
        "barents_sea",
        "north_atlantic",
        "south_atlantic",
    }
    assert seas(axis, "axis", "littorio") == {"italy", "mediterranean"}
    assert seas(axis, "axis", "zara") == {"italy", "mediterranean", "south_atlantic"}


def test_6_2_nothing_else_is_done_while_failed_ships_look_for_a_port() -> None:
    """6.2, 15.1 (E60) A failed ship may neither move again nor be repaired; each wrong verb names its clause."""
    rig = chart("allied_sail", {"nelson": "malta", "hood": "england"}, damage={"nelson": 1, "hood": 1})
    rig.do("allied", "sail", "nelson", "mediterranean", "south_atlantic")
    rig.dice(4)
    rig.do("allied", "done")

    assert rig.asked() == {"allied": "prompt.war_at_sea.put_back"}
    assert rig.refused("allied", "sail", "hood", "north_sea").rule == "6.2"
    assert rig.refused("allied", "repair", "nelson", 1).rule == "15.1"


def test_6_3_out_of_turn_is_refused_by_the_clause_that_gives_the_other_his_turn() -> None:
    """6.2, 6.3, 8.1, 9.1 (E10) While the other side decides, the refusal cites the rule of what it decides."""
    rig = chart("allied_sail", {"nelson": "malta", "lutzow": "germany"}, turn=4, boats={"germany": 1})
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
