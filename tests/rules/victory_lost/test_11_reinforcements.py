"""11.1 Reinforcements by rail, and what cannot enter."""

from tests.rules.chit_bench import source
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t, city
from tests.rules.victory_lost.campaign import RAIL, usable
from tests.rules.victory_lost.marches import ROAD
from warledger.engine.games.victory_lost.reinforcements import Arrived
from warledger.engine.games.victory_lost.state import ARRIVING


def test_11_1_only_rail_sources_serve() -> None:
    """11.1: A source without a railway takes in no reinforcements."""
    bench = Bench(
        board_t(
            rails=(RAIL,), sources=(source("axis", "0110", rail=False), source("soviet", "2010"))
        )
    )
    bench.stand({}, turn=2)

    assert usable(bench) == ()


def test_11_1_1_zones_cut_the_railway() -> None:
    """11.1.1 (E82): Friendly units do not cancel the zone: only the source and the hex before the
    zone are usable."""
    bench = Bench(board_t(rails=(RAIL,)))
    bench.stand({"ax.inf.62": "0310", "su.rifle.1": "0311"}, turn=2)

    assert set(usable(bench)) == {"0110", "0209"}


def test_11_1_1_R35_adjacent_railways_are_not_joined() -> None:
    """R-35: The chain follows the links; a lone enemy HQ cuts it; a source in an enemy zone serves
    nothing."""
    bench = Bench(board_t(rails=(RAIL, "0111 0210")))
    bench.stand({}, turn=2)
    assert set(usable(bench)) == {"0110", "0209", "0310", "0409", "0510"}

    bench.stand({"su.hq.1gda": "0310"}, turn=2)
    assert set(usable(bench)) == {"0110", "0209"}
    bench.stand({"su.rifle.1": "0111"}, turn=2)
    assert usable(bench) == ()


def test_11_1_1_axis_first_then_soviet_and_a_city_changes_hands() -> None:
    """11.0, R-50: 11.1.1: The Axis places before the Soviets; a placement in an enemy-held city
    takes it (R-35)."""
    rails = (RAIL, "2010 1910 1810")
    bench = Bench(board_t(rails=rails, places=(city("1910"), city("0209", kind="town"))))
    bench.stand({"ax.inf.62": "0510", "su.rifle.1": "1711"}, turn=2)
    bench.jump("set_up_first", "reinforcement_segment", "receive")
    assert bench.asked() == {"axis": "prompt.victory_lost.place"}
    for name in ("ax.inf.302", "ax.lw.5", "ax.panzer.7"):
        bench.do("axis", "place", name, "0409" if name == "ax.panzer.7" else "0310")
    assert bench.asked() == {"soviet": "prompt.victory_lost.place"}
    before = dict(bench.state.score)
    bench.do("soviet", "place", "su.rifle.48g", "1910")

    assert bench.state.control[bench.state.data.hex("1910")] == "soviet"
    assert bench.state.score["soviet"] == before["soviet"] + 5
    assert bench.state.score["axis"] == before["axis"] - 5
    assert bench.refused("soviet", "place", "su.rifle.184", "0310").rule == "11.1.1"
    bench.do("soviet", "place", "su.rifle.184", "1910")
    assert bench.refused("soviet", "place", "su.tank.12", "1910").rule == "5.0.1"


def test_11_1_1_an_hq_takes_a_city_and_is_removed() -> None:
    """11.1.1, R-41, 11.3: 3TkA is placed in an Axis city behind the front: 5 points change hands;
    with no unit in range at the end of the segment the HQ is removed with its chit; the city stays
    Soviet."""
    bench = Bench(board_t(rails=("2010 1910 1810",), places=(city("1910"),)))
    bench.stand({}, turn=8, boxes={"su.hq.3tka": "arriving"})
    bench.jump("set_up_first", "reinforcement_segment", "place_soviet")
    bench.do("soviet", "place", "su.hq.3tka", "1910")

    assert bench.hexes("su.hq.3tka") == ("removed",)
    assert bench.state.control[bench.state.data.hex("1910")] == "soviet"
    assert bench.state.score == {"axis": 20, "soviet": 5}


def test_11_1_1_an_enemy_hq_alone_cuts_the_railway() -> None:
    """11.1.1, R-35 (E82): S-a-b-c with a lone enemy HQ in b: only S and a."""
    from warledger.engine.games.victory_lost.reinforcements import usable_railways

    bench = Bench(
        board_t(
            rails=("0110 0209 0310 0409",),
            sources=(source("axis", "0110"), source("soviet", "2010")),
        )
    )
    bench.stand({"su.hq.6a": "0310"}, turn=2)

    assert set(bench.state.data.board.grid.names(usable_railways(bench.state, "axis"))) == {
        "0110",
        "0209",
    }


def test_11_1_1_nobody_is_asked_where_only_one_counter_can_enter_in_one_hex() -> None:
    """11.1.1, R-36: Of two hexes one is full and a Romanian stands in the other: only the German of
    two arrivals can enter, and does."""
    bench = Bench(board_t(rails=("0110 0209",)))
    units = {"ax.inf.62": "0110", "ax.inf.294": "0110", "ax.ro.5": "0209"}
    bench.stand(units, turn=8, boxes={"ax.inf.39": "arriving", "ax.hu.6": "arriving"})
    bench.jump("set_up_first", "place_axis")

    assert bench.hexes("ax.inf.39", "ax.hu.6") == ("0209", "eliminated")


def test_11_1_1_an_axis_reinforcement_takes_a_soviet_city() -> None:
    """11.1.1, R-35, 14.0.1: A city that the Soviets hold and nobody stands in: an Axis division
    placed there brings 5 points back."""
    bench = Bench(board_t(rails=("0110 0209 0310",), places=(city("0209", owner="soviet"),)))
    bench.stand({}, turn=8, boxes={"ax.inf.39": "arriving"})
    bench.change(score={"axis": 20, "soviet": 5})
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")
    bench.do("axis", "place", "ax.inf.39", "0209")

    assert bench.state.score == {"axis": 25, "soviet": 0}


def test_11_1_1_a_unit_just_placed_cuts_the_other_sides_railway() -> None:
    """11.1.1, R-35: One railway joins both sources. The Axis places first, far up the line; its
    zone leaves the Soviets two hexes."""
    bench = Bench(
        board_t(rails=(ROAD,), sources=(source("axis", "0110"), source("soviet", "1910")))
    )
    bench.stand({}, turn=8, boxes={"ax.inf.39": "arriving", "su.rifle.19": "arriving"})
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")
    assert "1809" in bench.options("axis", "place", "ax.inf.39")
    bench.do("axis", "place", "ax.inf.39", "1609")

    # 1710 is in the zone of 1609
    assert bench.asked() == {"soviet": "prompt.victory_lost.place"}
    assert set(bench.options("soviet", "place", "su.rifle.19")) == {"1809", "1910"}
    refusal = bench.refused("soviet", "place", "su.rifle.19", "1710")
    assert refusal.rule == "11.1.1"


def test_11_1_1_a_reinforcement_takes_an_enemy_city() -> None:
    """11.1.1, 14.0.1 (E83): Placed in a city that the enemy holds but nobody stands in: 5 points
    change sides; an HQ placed there too."""
    for name, arrival in (("su.rifle.184", 2), ("su.hq.3tka", 2)):
        bench = Bench(board_t(rails=("2010 1910 1810",), places=(city("1910"),)))
        bench.stand({}, turn=arrival)
        bench.jump("set_up_first", "reinforcement_segment", "receive")
        while bench.asked() == {"axis": "prompt.victory_lost.place"}:
            counter = str(bench.options("axis", "place")[0])
            bench.do("axis", "place", counter, bench.options("axis", "place", counter)[0])
        before = dict(bench.state.score)
        bench.do("soviet", "place", name, "1910")
        assert bench.state.score == {"axis": before["axis"] - 5, "soviet": before["soviet"] + 5}


def test_11_1_2_chits_come_after_the_axis_placement() -> None:
    """11.1.2: Turn 3 brings the first Manstein chit."""
    bench = Bench(board_t(rails=(RAIL,)))
    bench.stand({}, turn=3)
    bench.jump("set_up_first", "reinforcement_segment", "gain_chits")

    assert "chit.ax.manstein.1" in bench.state.cup.stock["axis"]


def test_11_1_3_what_cannot_enter_is_eliminated() -> None:
    """R-36 (E84): 11.1.3: No usable railway hex, a panzer and an infantry division due: both
    eliminated, four points for the Soviets."""
    bench = Bench(board_t(rails=(RAIL,)))
    bench.stand({"su.rifle.1": "0110", "su.hq.1gda": "0111"}, turn=8)
    bench.run(lambda table: table.emit(Arrived("axis", ("ax.inf.304", "ax.panzer.19"), ARRIVING)))
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")

    assert bench.hexes("ax.inf.304", "ax.panzer.19") == ("eliminated", "eliminated")
    assert bench.state.score["soviet"] == 4


def test_11_1_3_an_hq_that_cannot_enter_brings_no_chit() -> None:
    """11.1.3, 11.1.2, R-36: Kempf cannot enter on turn 5: removed, no points; its chit is not
    received, the second Manstein chit is."""
    bench = Bench(board_t(rails=("0110 0209",)))
    bench.stand({RIFLE: "0110"}, turn=5, boxes={"ax.hq.kempf": "arriving"})
    before = dict(bench.state.score)
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")

    assert bench.hexes("ax.hq.kempf") == ("removed",)
    assert "chit.ax.kempf" not in bench.state.cup.stock["axis"]
    assert "chit.ax.manstein.2" in bench.state.cup.stock["axis"]
    assert dict(bench.state.score) == before


def test_11_1_3_R36_placing_is_not_voluntary() -> None:
    """R-36: While a reinforcement can be placed the only verb is to place it."""
    bench = Bench(board_t(rails=("0110 0209",)))
    bench.stand({}, turn=8, boxes={"ax.inf.39": "arriving", "ax.inf.106": "arriving"})
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")

    assert bench.options("axis") == ("place",)
    assert bench.refused("axis", "done").rule == "11.1.1"


def test_11_1_3_14_0_2_lost_reinforcements_decide_the_victory_check_of_their_turn() -> None:
    """11.1.3, 14.0.2, R-50: Soviet 32, Axis 5; two panzer divisions cannot enter: 38 to 5, and the
    check of the same turn ends the game."""
    bench = Bench(board_t(rails=("0110 0209",)))
    bench.stand(
        {RIFLE: "0110"}, turn=8, boxes={"ax.panzer.19": "arriving", "ax.panzer.7": "arriving"}
    )
    bench.change(score={"axis": 5, "soviet": 32})
    bench.jump("turn", "end_phase", "reinforcement_segment", "place_axis")

    assert bench.state.score == {"axis": 5, "soviet": 38}
    assert bench.state.result == ("soviet", "lead")
