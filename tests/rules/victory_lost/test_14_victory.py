"""Chapter 14: victory points and the end."""

import pytest

from tests.rules.victory_lost.battles import (
    EAST,
    GERMAN,
    PANZER,
    TANK,
    TANKS,
    attack,
    column,
    combat,
    declared,
    fought,
    happened,
    won,
)
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t, city, real_pack
from warledger.engine.games.victory_lost import RULES
from warledger.engine.games.victory_lost.losses import Eliminated
from warledger.engine.games.victory_lost.movement import Moved
from warledger.engine.games.victory_lost.victory import CityTaken


def test_14_0_1_R41_an_advance_takes_cities_on_the_way() -> None:
    """14.0.1: Control passes in every strategic city that a unit enters, also in passing."""
    pack = board_t(places=[city("1010"), city("0910")])
    bench = Bench(pack)
    bench.change(score={"axis": 25, "soviet": 0})
    bench = won(
        {TANKS[0]: "1110", TANKS[1]: "1110", TANKS[2]: "1111", TANKS[3]: "1111"}, bench=bench
    )
    bench.do("soviet", "advance", TANKS[0], "1010", "0910")
    assert [(event.hex, event.side) for event in happened(bench, CityTaken)] == [
        ("1010", "soviet"),
        ("0910", "soviet"),
    ]
    assert bench.state.score == {"axis": 15, "soviet": 10}


def test_14_0_1_R41_a_retreat_takes_a_city() -> None:
    """14.0.1: a unit that retreats through an enemy-held strategic city takes control of it."""
    pack = board_t(places=[city("0910", owner="soviet"), city("0911", owner="soviet")])
    bench = Bench(pack)
    bench.change(score={"axis": 15, "soviet": 10})
    bench = fought({PANZER: "1010", **EAST}, 6, *TANKS[:2], bench=bench)
    bench.do("axis", "retreat", PANZER, "0910")
    assert [(event.hex, event.side) for event in happened(bench, CityTaken)] == [("0910", "axis")]
    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_14_0_1_R41_option_an_hq_takes_a_city() -> None:
    """R-41: The option lets HQs take cities too."""
    bench = Bench(board_t(places=(city("1110"),)), hq_takes_city=True)
    bench.stand({"su.hq.1gda": "1010"})
    bench.activate("soviet", "su.hq.1gda")
    bench.do("soviet", "move", "su.hq.1gda", "1110")

    assert bench.state.score["soviet"] == 5


def test_14_0_1_points_for_eliminated_units() -> None:
    """R-44 (E88): 14.0.1: 2 panzer, 3 German infantry, 2 Romanians and an Italian mechanized: nine;
    4 tank corps, rifle divisions and cavalry: four."""
    bench = Bench()
    lost = (
        "ax.panzer.6",
        "ax.panzer.17",
        "ax.inf.62",
        "ax.inf.294",
        "ax.inf.336",
        "ax.ro.5",
        "ax.ro.7",
        "ax.it.pada",
    )
    lost += (
        "su.tank.18",
        "su.tank.24",
        "su.tank.25",
        "su.tank.17",
        "su.rifle.1",
        "su.rifle.153",
        "su.rifle.195",
        "su.cav.8",
    )
    bench.stand({})
    for name in lost:
        points = bench.state.data.types[name].points
        bench.run(
            lambda table, name=name, points=points: table.emit(Eliminated(name, "losses", points))
        )

    assert dict(bench.state.score) == {"axis": 29, "soviet": 9}


def test_14_0_1_cut_off_units_count_at_the_end() -> None:
    """R-42 (E90): 14.0.1: Axis 25, Soviet 20; a panzer, a German infantry and a rifle division out
    of supply: 25 to 24, the Axis wins."""
    bench = Bench()
    cut_off = {"ax.panzer.6": 1, "ax.inf.62": 2, "su.rifle.1": 1}
    bench.stand(
        {"ax.panzer.6": "1010", "ax.inf.62": "1110", "su.rifle.1": "1510"}, turn=9, supply=cut_off
    )
    bench.change(score={"axis": 25, "soviet": 20})
    bench.jump("set_up_first", "turn_advance")

    assert dict(bench.state.score) == {"axis": 25, "soviet": 24}
    assert bench.position.outcome is not None
    assert bench.position.outcome.winner == "axis"


def test_14_0_1_moving_through_scores_once() -> None:
    """14.0.1: A path that enters the same city twice changes control once."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({"su.tank.18": "1010"})
    bench.run(
        lambda table: table.emit(Moved(("su.tank.18",), ("1010", "1110", "1111", "1110"), "", 0))
    )

    assert bench.state.score["soviet"] == 5


def test_14_0_1_two_units_of_one_hex() -> None:
    """9.4.2, 14.0.1: 10-1 and a 6, 4DR2: a panzer and an infantry division with four faces are
    gone: 3 + 1 points, and the way is free."""
    places = {
        "ax.panzer.17": "1010",
        GERMAN: "1010",
        TANKS[0]: "1110",
        TANKS[1]: "1110",
        TANKS[2]: "1111",
        TANKS[3]: "1111",
    }
    more = {"su.mech.1g": "1009", "su.mech.2g": "1009", "su.tank.4g": "1011"}
    bench = combat({**places, **more}, supply={"ax.panzer.17": 2, GERMAN: 2})
    attack(bench, 6, "1010", *TANKS, "su.mech.1g", "su.mech.2g", "su.tank.4g")

    # 24 + 14 + 7 = 45 to (5 + 4)/2 = 4
    assert (declared(bench).attack, declared(bench).defence, column(bench)) == (45, 4, "10-1")
    assert bench.state.score["soviet"] == 4
    assert bench.asked() == {"soviet": "prompt.victory_lost.advance"}


def test_14_0_1_a_city_moves_the_score_at_once() -> None:
    """14.0.1 (E87): Axis 26, Soviet 8; a Soviet unit enters an Axis city: 21 and 13, at once
    (R-50); taken back: 26 and 8."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({TANK: "1010", GERMAN: "1213"})
    bench.change(score={"axis": 26, "soviet": 8})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1110", "1109")
    assert bench.state.score == {"axis": 21, "soviet": 13}

    bench.stand({TANK: "1005", GERMAN: "1212"})
    bench.activate("axis", GERMAN, chit="chit.ax.4pza")
    bench.do("axis", "move", GERMAN, "1110")
    assert bench.state.score == {"axis": 26, "soviet": 8}


def test_14_0_1_rostov_falls() -> None:
    """14.0.1: The rule book's example on the map: Axis 26, Soviet 8; Rostov (3433) falls: 21 and
    13. Five such cities made the 25."""
    bench = Bench(real_pack())
    data = bench.state.data
    assert {data.name(i) for i, side in bench.state.control.items() if side == "axis"} == {
        "0423",
        "0428",
        "1110",
        "2227",
        "3433",
    }
    bench.stand({TANK: "3432"}, turn=5)
    bench.change(score={"axis": 26, "soviet": 8})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "3433")

    assert bench.state.score == {"axis": 21, "soviet": 13}


def test_14_0_1_a_city_changes_hands_as_a_unit_passes() -> None:
    """14.0.1: R-41: five points change hands the moment a unit enters; an HQ alone takes nothing;
    leaving gives nothing back."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "0910"})
    bench.activate("soviet", "su.hq.1gda", "su.rifle.1")
    bench.do("soviet", "move", "su.hq.1gda", "1110", "1210")
    assert bench.state.score["soviet"] == 0
    bench.do("soviet", "move", "su.rifle.1", "1110", "1111")

    assert dict(bench.state.score) == {"axis": 20, "soviet": 5}
    assert bench.board.tracks["points.soviet"] == 5


@pytest.mark.parametrize(("tie", "winner"), [("draw", None), ("soviet", "soviet")])
def test_14_0_2_R43_equal_scores_are_a_draw(tie: str, winner: str | None) -> None:
    """R-43: Equal scores are a draw, unless the option gives them to a side."""
    bench = Bench(tie=tie)
    bench.stand({"ax.inf.62": "1010"}, turn=9)
    bench.change(score={"axis": 20, "soviet": 20})
    bench.jump("set_up_first", "turn_advance")

    assert bench.position.outcome is not None
    assert bench.position.outcome.winner == winner


def test_14_0_2_R43_a_lead_of_thirty_in_the_middle_of_a_turn() -> None:
    """R-43, 14.0.2: 34 to 5 and a city falls: 39 to 0, and play goes on until the Victory Check of
    the turn."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({TANK: "1010"}, turn=6)
    bench.change(score={"axis": 5, "soviet": 34})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1110")
    assert bench.state.score == {"axis": 0, "soviet": 39}
    assert bench.position.outcome is None
    bench.jump("turn", "end_phase", "victory_check")

    assert bench.state.result == ("soviet", "lead")


def test_14_0_2_the_check_of_turn_9_comes_before_the_last_count() -> None:
    """14.0.2, R-42: On turn 9 the Axis leads 35 to 5 with two panzer divisions cut off: it has won
    in the Victory Check."""
    bench = Bench()
    bench.stand(
        {"ax.panzer.6": "1010", "ax.panzer.17": "1010"},
        turn=9,
        supply={"ax.panzer.6": 1, "ax.panzer.17": 2},
    )
    bench.change(score={"axis": 35, "soviet": 5})
    bench.jump("turn", "end_phase", "victory_check")

    assert bench.state.result == ("axis", "lead")
    assert bench.state.score == {"axis": 35, "soviet": 5}


def test_14_0_2_R42_who_counts_at_the_end() -> None:
    """R-42, R-44: Cut off at the end: a tank corps 1 for the Axis; cavalry and rifles 0; a
    Luftwaffe division 1, an Italian motorised 0; 1st Panzer Army in its box and an HQ set aside
    nothing."""
    bench = Bench()
    cut_off = {TANK: 2, RIFLE: 1, "su.cav.8": 2, "ax.lw.7": 1, "ax.it.pada": 2}
    places = {
        TANK: "1010",
        RIFLE: "1010",
        "su.cav.8": "1011",
        "ax.lw.7": "0510",
        "ax.it.pada": "0511",
    }
    bench.stand(
        places, turn=9, supply=cut_off, boxes={"ax.panzer.3": "box.1pza", "ax.hq.4pza": "aside"}
    )
    bench.change(score={"axis": 20, "soviet": 20})
    bench.jump("set_up_first", "turn_advance")

    assert bench.state.score == {"axis": 21, "soviet": 21}
    assert bench.state.result == ("", "turns")


def test_14_0_2_the_higher_score_at_the_end() -> None:
    """14.0.2, R-43 (E91): A lead of less than 30 after turn 9 wins too; equal scores are a draw."""
    for axis, soviet, winner in ((26, 25, "axis"), (10, 39, "soviet"), (25, 25, None)):
        bench = Bench()
        bench.stand({GERMAN: "1010"}, turn=9)
        bench.change(score={"axis": axis, "soviet": soviet})
        bench.jump("turn", "end_phase", "victory_check")
        assert bench.state.result is not None
        assert bench.state.result[1] == "turns"
        assert bench.position.outcome is not None
        assert bench.position.outcome.winner == winner


@pytest.mark.parametrize(
    ("axis", "lead", "over"), [(35, 30, True), (34, 30, False), (35, 31, False), (36, 31, True)]
)
def test_14_0_2_a_lead_of_thirty(axis: int, lead: int, over: bool) -> None:
    """14.0.2 (E89): R-40: a lead of 30 or more wins at once; the strict reading is an option."""
    bench = Bench(automatic_lead=lead)
    bench.stand({"ax.inf.62": "1010"}, turn=3)
    bench.change(score={"axis": axis, "soviet": 5})
    bench.jump("set_up_first", "victory_check")

    assert (bench.position.outcome is not None) is over
    if over:
        assert bench.position.outcome is not None and bench.position.outcome.winner == "axis"


def test_14_0_1_the_points_of_both_sides_go_into_the_last_record() -> None:
    """14.0.1 What the game reports is each side's victory points, here after a city has fallen."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({TANK: "1010"}, turn=6)
    bench.change(score={"axis": 25, "soviet": 0})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1110")

    assert RULES.score(bench.position) == {"axis": 20, "soviet": 5}
