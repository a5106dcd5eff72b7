"""Chapter 11: reinforcements by rail, the boxes, and what cannot enter."""

from engine.games.victory_lost.events import Arrived
from engine.games.victory_lost.reinforcements import usable_railways
from engine.games.victory_lost.state import ARRIVING
from tests.rules.victory_lost.bench import Bench, board_t, city, real_pack, source

RAIL = "0110 0209 0310 0409 0510"


def usable(bench: Bench, side: str = "axis") -> tuple[str, ...]:
    """Railway hexes where the side may place."""
    return bench.state.data.board.grid.names(sorted(usable_railways(bench.state, side)))


def test_E82_11_1_1_zones_cut_the_railway() -> None:
    """11.1.1: Friendly units do not cancel the zone: only the source and the hex before the zone are usable."""
    bench = Bench(board_t(rails=(RAIL,)))
    bench.stand({"ax.inf.62": "0310", "su.rifle.1": "0311"}, turn=2)

    assert set(usable(bench)) == {"0110", "0209"}


def test_R35_adjacent_railways_are_not_joined() -> None:
    """R-35: The chain follows the links; a lone enemy HQ cuts it; a source in an enemy zone serves nothing."""
    bench = Bench(board_t(rails=(RAIL, "0111 0210")))
    bench.stand({}, turn=2)
    assert set(usable(bench)) == {"0110", "0209", "0310", "0409", "0510"}

    bench.stand({"su.hq.1gda": "0310"}, turn=2)
    assert set(usable(bench)) == {"0110", "0209"}
    bench.stand({"su.rifle.1": "0111"}, turn=2)
    assert usable(bench) == ()


def test_E84_11_1_3_what_cannot_enter_is_eliminated() -> None:
    """R-36: 11.1.3: No usable railway hex, a panzer and an infantry division due: both eliminated, four points for the Soviets."""
    bench = Bench(board_t(rails=(RAIL,)))
    bench.stand({"su.rifle.1": "0110", "su.hq.1gda": "0111"}, turn=8)
    bench.run(lambda table: table.emit(Arrived("axis", ("ax.inf.304", "ax.panzer.19"), ARRIVING)))
    bench.jump("set_up_first", "reinforcement_segment", "place_axis")

    assert bench.hexes("ax.inf.304", "ax.panzer.19") == ("eliminated", "eliminated")
    assert bench.state.score["soviet"] == 4


def test_11_1_1_axis_first_then_soviet_and_a_city_changes_hands() -> None:
    """11.0, R-50: 11.1.1: The Axis places before the Soviets; a placement in an enemy-held city takes it (R-35)."""
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


def test_11_1_2_chits_come_after_the_axis_placement() -> None:
    """11.1.2: Turn 3 brings the first Manstein chit."""
    bench = Bench(board_t(rails=(RAIL,)))
    bench.stand({}, turn=3)
    bench.jump("set_up_first", "reinforcement_segment", "gain_chits")

    assert "chit.ax.manstein.1" in bench.state.cup.stock["axis"]


def test_11_2_1_armies_go_to_their_boxes() -> None:
    """11.2.1: 1st Panzer Army is received in its box on turn 4 with its chit."""
    bench = Bench(board_t(rails=(RAIL, "2010 1910 1810")))
    bench.stand({"ax.inf.62": "0510"}, turn=4)
    bench.jump("set_up_first", "reinforcement_segment", "receive")

    assert bench.hexes("ax.hq.1pza", "ax.panzer.3", "ax.inf.50") == ("box.1pza",) * 3


def test_11_2_2_the_box_enters_at_the_first_activation() -> None:
    """11.2.2: Each counter must enter; the entry hex is paid by its terrain, then the counter moves on (R-37)."""
    bench = Bench()
    box = dict.fromkeys(("su.hq.28a", "su.rifle.34g"), "box.28a")
    bench.stand({"su.rifle.1": "1010"}, turn=2, boxes=box)
    bench.activate("soviet", "su.hq.28a", "su.rifle.34g", box="box.28a")
    assert set(bench.options("soviet", "move", "su.rifle.34g")) == {"1720", "1820"}
    assert bench.refused("soviet", "done").rule == "11.2.2"
    events = bench.do("soviet", "move", "su.rifle.34g", "1720", "1718")
    assert events[0].path == ("box.28a", "1720", "1719", "1718")
    assert events[0].left == 2
    assert bench.refused("soviet", "move", "su.hq.28a", "1010").rule == "11.2.2"
    bench.do("soviet", "move", "su.hq.28a", "1820")

    assert bench.hexes("su.rifle.34g", "su.hq.28a") == ("1718", "1820")


def test_11_2_2_strategic_entry_by_a_road() -> None:
    """11.2.2: With a road in the entry hex a counter may enter at the strategic rate."""
    bench = Bench(board_t(roads=("1720 1719 1718 1717",)))
    bench.stand({}, turn=2, boxes={"su.rifle.34g": "box.28a"})
    bench.activate("soviet", "su.rifle.34g", box="box.28a")
    events = bench.do("soviet", "move", "su.rifle.34g", "road", "1720", "1717")

    assert events[0].left == 4


def test_R37_what_cannot_enter_from_the_box_is_eliminated() -> None:
    """R-37: Enemy units in every entry hex: the unit is eliminated, the HQ removed with its chit."""
    bench = Bench()
    box = dict.fromkeys(("su.hq.28a", "su.tank.12"), "box.28a")
    bench.stand({"ax.inf.62": "1720", "ax.inf.294": "1820"}, turn=2, boxes=box)
    bench.activate("soviet", "su.hq.28a", "su.tank.12", box="box.28a")

    assert bench.hexes("su.hq.28a", "su.tank.12") == ("removed", "eliminated")
    assert bench.state.score["axis"] == 26


def test_R38_hqs_in_a_box_are_not_removed() -> None:
    """R-38: 28A in its box stays, whatever is in range."""
    bench = Bench()
    bench.stand({}, turn=1, boxes={"su.hq.28a": "box.28a"})
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")

    assert bench.hexes("su.hq.28a") == ("box.28a",)


def test_E86_13_0_stalingrad_is_a_rail_source_from_turn_5() -> None:
    """13.0: Through turn 4 the pocket is closed; from turn 5 the railway of Stalingrad brings Soviet reinforcements."""
    bench = Bench(real_pack(), set_up="historical", soviet_five="historical")
    places = {name: bench.state.data.name(i) for name, i in bench.state.data.historical.items() if name.startswith("su.")}
    bench.stand(places, turn=4)
    assert "6521" not in usable(bench, "soviet")

    bench.stand(places, turn=5)
    assert "6521" in usable(bench, "soviet")


def test_11_1_only_rail_sources_serve() -> None:
    """11.1: A source without a railway takes in no reinforcements."""
    bench = Bench(board_t(rails=(RAIL,), sources=(source("axis", "0110", rail=False), source("soviet", "2010"))))
    bench.stand({}, turn=2)

    assert usable(bench) == ()
