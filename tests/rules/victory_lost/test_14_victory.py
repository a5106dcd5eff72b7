"""Chapters 13, 14 and 15: the pocket, victory points, the end, and the variants."""

import pytest

from engine.games.victory_lost.command import in_range
from engine.games.victory_lost.events import Eliminated, Moved
from engine.games.victory_lost.supply import in_supply
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack


def test_E96_13_0_the_pocket() -> None:
    """13.0: The pocket has eighteen hexes."""
    data = Bench(real_pack()).state.data

    assert " ".join(sorted(data.board.grid.names(sorted(data.pocket)))) == (
        "6120 6121 6122 6219 6220 6221 6222 6320 6321 6322 6323 6419 6420 6421 6422 6520 6521 6522"
    )


def test_E85_13_0_the_pocket_is_closed_through_turn_4() -> None:
    """R-39: 13.0: No movement, no supply line through a pocket hex; command range may run through it."""
    wall = {f"05{row:02}": "~" for row in range(1, 21) if row != 10}
    bench = Bench(board_t(rows=wall, pocket="0510"))
    places = {"ax.inf.62": "0610", "ax.hq.4pza": "0410", "ax.inf.294": "0411"}
    bench.stand(places, turn=4)
    bench.activate("axis", "ax.inf.62")
    assert not in_supply(bench.state, "ax.inf.62")
    assert bench.refused("axis", "move", "ax.inf.62", "0510").rule == "13.0"
    assert in_range(bench.state, "ax.hq.4pza") == ("ax.inf.294", "ax.inf.62")

    bench.stand(places, turn=5)
    bench.activate("axis", "ax.inf.62")
    assert in_supply(bench.state, "ax.inf.62")
    assert "0510" in bench.reach("axis", "move", "ax.inf.62")


def test_14_0_1_a_city_changes_hands_as_a_unit_passes() -> None:
    """14.0.1: R-41: five points change hands the moment a unit enters; an HQ alone takes nothing; leaving gives nothing back."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({"su.hq.1gda": "1010", "su.rifle.1": "0910"})
    bench.activate("soviet", "su.hq.1gda", "su.rifle.1")
    bench.do("soviet", "move", "su.hq.1gda", "1110", "1210")
    assert bench.state.score["soviet"] == 0
    bench.do("soviet", "move", "su.rifle.1", "1110", "1111")

    assert dict(bench.state.score) == {"axis": 20, "soviet": 5}
    assert bench.board.tracks["points.soviet"] == 5


def test_R41_option_an_hq_takes_a_city() -> None:
    """R-41: The option lets HQs take cities too."""
    bench = Bench(board_t(places=(city("1110"),)), hq_takes_city=True)
    bench.stand({"su.hq.1gda": "1010"})
    bench.activate("soviet", "su.hq.1gda")
    bench.do("soviet", "move", "su.hq.1gda", "1110")

    assert bench.state.score["soviet"] == 5


def test_E88_14_0_1_points_for_eliminated_units() -> None:
    """R-44: 14.0.1: 2 panzer, 3 German infantry, 2 Romanians and an Italian mechanized: nine; 4 tank corps, rifle divisions
    and cavalry: four."""
    bench = Bench()
    lost = ("ax.panzer.6", "ax.panzer.17", "ax.inf.62", "ax.inf.294", "ax.inf.336", "ax.ro.5", "ax.ro.7", "ax.it.pada")
    lost += ("su.tank.18", "su.tank.24", "su.tank.25", "su.tank.17", "su.rifle.1", "su.rifle.153", "su.rifle.195", "su.cav.8")
    bench.stand({})
    for name in lost:
        points = bench.state.data.types[name].points
        bench.run(lambda table, name=name, points=points: table.emit(Eliminated(name, "losses", points)))

    assert dict(bench.state.score) == {"axis": 29, "soviet": 9}


@pytest.mark.parametrize(("axis", "lead", "over"), [(35, 30, True), (34, 30, False), (35, 31, False), (36, 31, True)])
def test_E89_14_0_2_a_lead_of_thirty(axis: int, lead: int, over: bool) -> None:
    """14.0.2: R-40: a lead of 30 or more wins at once; the strict reading is an option."""
    bench = Bench(automatic_lead=lead)
    bench.stand({"ax.inf.62": "1010"}, turn=3)
    bench.change(score={"axis": axis, "soviet": 5})
    bench.jump("set_up_first", "victory_check")

    assert (bench.position.outcome is not None) is over
    if over:
        assert bench.position.outcome is not None and bench.position.outcome.winner == "axis"


def test_E90_14_0_1_cut_off_units_count_at_the_end() -> None:
    """R-42: 14.0.1: Axis 25, Soviet 20; a panzer, a German infantry and a rifle division out of supply: 25 to 24, the Axis wins."""
    bench = Bench()
    cut_off = {"ax.panzer.6": 1, "ax.inf.62": 2, "su.rifle.1": 1}
    bench.stand({"ax.panzer.6": "1010", "ax.inf.62": "1110", "su.rifle.1": "1510"}, turn=9, supply=cut_off)
    bench.change(score={"axis": 25, "soviet": 20})
    bench.jump("set_up_first", "turn_advance")

    assert dict(bench.state.score) == {"axis": 25, "soviet": 24}
    assert bench.position.outcome is not None
    assert bench.position.outcome.winner == "axis"


@pytest.mark.parametrize(("tie", "winner"), [("draw", None), ("soviet", "soviet")])
def test_R43_equal_scores(tie: str, winner: str | None) -> None:
    """R-43: Equal scores are a draw, unless the option gives them to a side."""
    bench = Bench(tie=tie)
    bench.stand({"ax.inf.62": "1010"}, turn=9)
    bench.change(score={"axis": 20, "soviet": 20})
    bench.jump("set_up_first", "turn_advance")

    assert bench.position.outcome is not None
    assert bench.position.outcome.winner == winner


def test_15_0_1_a_five_points_for_panzers() -> None:
    """15.0.1: With the variant a German mechanized unit is worth five."""
    types = Bench(panzer_points=5).state.data.types

    assert types["ax.panzer.6"].points == 5
    assert types["ax.inf.62"].points == 1
    assert types["ax.it.pada"].points == 0


def test_15_0_1_b_command_march() -> None:
    """15.0.1: A counter clear of enemy zones gets one point more, also for strategic movement."""
    road = " ".join(f"{c:02}10" if c % 2 else f"{c:02}09" for c in range(1, 20))
    bench = Bench(board_t(roads=(road,)), command_march=True)
    bench.stand({"su.rifle.1": "0110", "ax.inf.62": "1510"})
    bench.activate("soviet", "su.rifle.1")

    assert len(bench.reach("soviet", "move", "su.rifle.1", "road")) == 10
    grid = bench.state.data.board.grid
    swift = bench.reach("soviet", "move", "su.rifle.1", "swift")
    assert max(grid.distance(grid.at("0110"), grid.at(hex_id)) for hex_id in swift) == 5
    normal = bench.reach("soviet", "move", "su.rifle.1")
    assert max(grid.distance(grid.at("0110"), grid.at(hex_id)) for hex_id in normal) == 4

    bench.stand({"su.rifle.1": "0110", "ax.inf.62": "0209"})
    bench.activate("soviet", "su.rifle.1")
    assert bench.refused("soviet", "move", "su.rifle.1", "swift").rule == "15.0.1"


def test_15_0_1_c_first_panzer_army_a_turn_later() -> None:
    """15.0.1: Its counters and chit come on turn 5."""
    data = Bench(late_1pza=True).state.data
    both = {"ax.hq.1pza", "chit.ax.1pza"}
    due = {turn.number for turn in data.turns for arrival in turn.arrivals if both & set(arrival.pieces)}

    assert due == {5}


def test_15_0_2_a_manstein_at_once() -> None:
    """15.0.2: The chit of turn 3 is there for the selection of turn 3, and is not received twice."""
    bench = Bench(manstein_at_once=True)
    bench.stand({"ax.inf.62": "1010"}, turn=2)
    bench.jump("turn", "turn_start")
    assert bench.state.turn == 3
    assert bench.state.cup.stock["axis"].count("chit.ax.manstein.1") == 1

    bench.jump("set_up_first", "reinforcement_segment", "gain_chits")
    assert bench.state.cup.stock["axis"].count("chit.ax.manstein.1") == 1


def test_15_0_2_b_chits_a_turn_ahead() -> None:
    """15.0.2: On turn 1 the Soviet player chooses, then writes down turn 2 in secret; on turn 2 it is shown and he writes down turn 3."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", chits_ahead=True)
    first = ("chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.do("soviet", "choose", *first)
    assert bench.asked()["soviet"] == "prompt.victory_lost.chits_ahead"
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.popov", "chit.su.stavka")
    assert b"chit.su.popov" not in bench.records[-1].data
    assert bench.asked() == {"axis": "prompt.victory_lost.chits"}

    bench.jump("turn", "turn_start")
    assert bench.state.turn == 2
    assert bench.state.cup.chosen["soviet"] is not None
    assert "chit.su.popov" in bench.state.cup.chosen["soviet"].value
    assert bench.asked() == {"axis": "prompt.victory_lost.chits", "soviet": "prompt.victory_lost.chits_ahead"}


@pytest.mark.parametrize(("option", "offered"), [("known", False), ("any", True)])
def test_15_0_2_c_the_axis_names_the_first_chit(option: str, offered: bool) -> None:
    """15.0.2: After the special combat the Axis names a chit that it knows to be in the cup (or any); it is drawn first."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical", first_chit=option)
    bench.do("axis", "choose", "chit.ax.4pza", "chit.ax.hollidt")
    bench.do("soviet", "choose", "chit.su.1gda", "chit.su.2gda", "chit.su.3gda", "chit.su.stavka")
    bench.do("soviet", "pass")
    assert bench.asked() == {"axis": "prompt.victory_lost.first_chit"}
    assert ("chit.su.1gda" in bench.options("axis", "name")) is offered
    bench.do("axis", "name", "chit.ax.hollidt")

    assert bench.state.cup.in_hand == "chit.ax.hollidt"


def test_14_0_1_moving_through_scores_once() -> None:
    """14.0.1: A path that enters the same city twice changes control once."""
    bench = Bench(board_t(places=(city("1110"),)))
    bench.stand({"su.tank.18": "1010"})
    bench.run(lambda table: table.emit(Moved(("su.tank.18",), ("1010", "1110", "1111", "1110"), "", 0)))

    assert bench.state.score["soviet"] == 5
