"""11.3, 12.6 The removal of HQs without units."""

from tests.rules.victory_lost.battles import ITALIAN
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t
from warledger.engine.games.victory_lost.reinforcements import HqRemoved


def test_11_3_R38_hqs_in_a_box_are_not_removed() -> None:
    """R-38: 28A in its box stays, whatever is in range."""
    bench = Bench()
    bench.stand({}, turn=1, boxes={"su.hq.28a": "box.28a"})
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")

    assert bench.hexes("su.hq.28a") == ("box.28a",)


def test_11_3_an_hq_without_units_it_commands_is_removed() -> None:
    """11.3, 12.6 (E74): H2A with only Italians and Romanians in range leaves with its chit; a
    German unit in range would keep it."""
    bench = Bench()
    bench.stand({"ax.hq.h2a": "1010", "ax.it.cos": "1011", "ax.ro.5": "1012"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.h2a") == ("removed",)
    assert "chit.ax.h2a" not in bench.state.cup.stock["axis"]

    bench.stand({"ax.hq.h2a": "1010", "ax.inf.62": "1012"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.h2a") == ("1010",)


def test_11_3_both_sides_on_one_position() -> None:
    """11.3, 7.3.4: A unit beyond a river's far bank is not in range: the Soviet HQ goes, and with
    it the Axis HQ that has nobody."""
    line = (
        " ".join(f"10{row:02}-11{row:02} 10{row:02}-11{row + 1:02}" for row in range(1, 20))
        + " 1020-1120"
    )
    bench = Bench(board_t(rivers={"major": line}))
    bench.stand({"su.hq.6a": "1010", RIFLE: "1210", "ax.hq.r3a": "1510", ITALIAN: "1511"}, turn=8)
    events = bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert [event.hq for event in events if isinstance(event, HqRemoved)] == [
        "ax.hq.r3a",
        "su.hq.6a",
    ]

    bench.stand({"su.hq.6a": "1010", RIFLE: "1110", "ax.hq.r3a": "1510", "ax.ro.5": "1511"}, turn=8)
    events = bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert not [event for event in events if isinstance(event, HqRemoved)]


def test_11_3_a_german_hq_stays_for_any_axis_unit_and_scores_nothing() -> None:
    """11.3, R-38 (E75): One Romanian in range keeps a German HQ; with none it goes, its chit with
    it, and no points are scored."""
    bench = Bench()
    bench.stand({"ax.hq.hollidt": "1010", "ax.ro.5": "1015"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.hollidt") == ("1010",)

    before = dict(bench.state.score)
    bench.stand({"ax.hq.hollidt": "1010", "ax.ro.5": "1017"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.hollidt") == ("removed",)
    assert bench.state.score == before
