"""Chapter 12: overrun and reset of HQs; removal (11.3, 12.6)."""

from engine.games.victory_lost.headquarters import must_reset, reset_hexes
from tests.rules.victory_lost.bench import Bench, board_t


def names(bench: Bench, hq: str) -> set[str]:
    """The hexes to which an HQ may reset."""
    return set(bench.state.data.board.grid.names(reset_hexes(bench.state, hq)))


def test_12_7_the_hexes_at_the_smallest_distance() -> None:
    """12.0, R-02, R-17, R-18: 12.7: An HQ overrun in 1010 with its source in 0110 may go to any of eleven hexes
    four away and nearer the source."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})

    assert len(names(bench, "ax.hq.4pza")) == 11


def test_E68_12_7_not_in_an_enemy_zone() -> None:
    """12.7: A Soviet unit in 0509 takes 0608 and 0609 out; nine are left."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010", "su.rifle.1": "0509"})
    found = names(bench, "ax.hq.4pza")

    assert len(found) == 9
    assert not {"0608", "0609"} & found


def test_E69_12_7_further_away_when_four_is_not_enough() -> None:
    """12.7: With water on every hex at distance 4 that would do, the hexes at distance 5 count."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})
    blocked = {hex_id: "~" for hex_id in names(bench, "ax.hq.4pza") if hex_id not in ("0810", "0708")}
    blocked = dict.fromkeys(blocked, "~")
    gap = Bench(board_t(rows=blocked))
    gap.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})
    grid = gap.state.data.board.grid
    distances = {grid.distance(grid.at("1010"), grid.at(hex_id)) for hex_id in names(gap, "ax.hq.4pza")}

    assert distances in ({4}, {5})
    if distances == {4}:
        assert names(gap, "ax.hq.4pza") <= {"0708"}
    walled = Bench(board_t(rows={**blocked, "0708": "~"}))
    walled.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})
    assert {grid.distance(grid.at("1010"), grid.at(hex_id)) for hex_id in names(walled, "ax.hq.4pza")} == {5}


def test_R19_not_onto_another_hq() -> None:
    """R-19: A hex with an HQ drops out; one with friendly units stays."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010", "ax.hq.r3a": "0610", "ax.inf.62": "0611", "ax.inf.294": "0611"})
    found = names(bench, "ax.hq.4pza")

    assert "0610" not in found
    assert "0611" in found


def test_R19_no_hex_sets_the_hq_aside() -> None:
    """R-19: Without any hex the HQ waits and its chit stays; the next turn's Reinforcement Segment brings it back."""
    bench = Bench(board_t(rails=("0110 0209 0310",)))
    bench.stand({"ax.hq.4pza": "1010", "ax.inf.62": "1011", "su.rifle.1": "0110"}, turn=2)
    bench.run(lambda table: must_reset(table, "ax.hq.4pza"))
    bench.jump("set_up_first", *bench.position.flow[-1:])
    assert bench.hexes("ax.hq.4pza") == ("aside",)
    assert "chit.ax.4pza" in bench.state.cup.stock["axis"]

    aside = bench.state.aside
    bench.stand({"ax.inf.62": "0510"}, turn=3, boxes={"ax.hq.4pza": "aside"})
    bench.change(aside=aside)
    events = bench.jump("set_up_first", "reinforcement_segment", "receive")
    assert any(event.tag == "arrived" and "ax.hq.4pza" in event.counters for event in events)


def test_R19_an_hq_set_aside_waits_until_the_next_turn_and_keeps_waiting() -> None:
    """R-19: Not in the same turn; and when it cannot enter it is set aside again."""
    bench = Bench(board_t(rails=("0110 0209 0310",)))
    bench.stand({"su.rifle.1": "0310", "su.hq.1gda": "0311"}, turn=8, boxes={"ax.hq.4pza": "aside"})
    bench.change(aside={"ax.hq.4pza": 8})
    events = bench.jump("set_up_first", "reinforcement_segment", "receive")
    assert not any(event.tag == "arrived" and "ax.hq.4pza" in event.counters for event in events)

    bench.stand({"su.rifle.1": "0209", "su.hq.1gda": "0311"}, turn=9, boxes={"ax.hq.4pza": "aside"})
    bench.change(aside={"ax.hq.4pza": 8})
    bench.jump("set_up_first", "reinforcement_segment", "receive")
    assert bench.hexes("ax.hq.4pza") == ("aside",)


def test_E74_11_3_an_hq_without_units_it_commands_is_removed() -> None:
    """11.3: H2A with only Italians and Romanians in range leaves with its chit; a German unit in range would keep it."""
    bench = Bench()
    bench.stand({"ax.hq.h2a": "1010", "ax.it.cos": "1011", "ax.ro.5": "1012"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.h2a") == ("removed",)
    assert "chit.ax.h2a" not in bench.state.cup.stock["axis"]

    bench.stand({"ax.hq.h2a": "1010", "ax.inf.62": "1012"}, turn=8)
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")
    assert bench.hexes("ax.hq.h2a") == ("1010",)


def test_12_1_a_lone_hq_is_overrun_in_movement() -> None:
    """12.1: Its owner sets it up anew before the mover goes on; an HQ with a unit of its side is not alone."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.tank.18": "1210"})
    bench.activate("soviet", "su.tank.18")
    events = bench.do("soviet", "move", "su.tank.18", "1010")
    assert [event.tag for event in events][:2] == ["moved", "overrun"]
    assert bench.asked() == {"axis": "prompt.victory_lost.reset"}

    bench.stand({"ax.hq.4pza": "1010", "ax.inf.62": "1010", "su.tank.18": "1210"})
    bench.activate("soviet", "su.tank.18")
    assert bench.refused("soviet", "move", "su.tank.18", "1010").rule == "5.0.2"
