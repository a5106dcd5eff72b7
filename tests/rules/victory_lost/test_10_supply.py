"""Chapter 10: supply lines, states, and the reset of HQs out of supply."""

from engine.games.victory_lost.supply import in_supply
from tests.rules.victory_lost.bench import Bench, board_t, source

WALL = {f"05{row:02}": "~" for row in range(1, 21) if row != 10}
"""Water from north to south with one gap at 0510."""


def phase(bench: Bench) -> tuple[object, ...]:
    """Run one Supply Phase."""
    return bench.jump("set_up_first", "supply_phase")


def test_E76_10_1_3_states_follow_each_other() -> None:
    """10.1.1: 10.1.3: Without a line: out of supply, then surrounded, surrounded again; with a line the marker goes."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0510"})
    for expected in (1, 2, 2):
        phase(bench)
        assert bench.state.counters["ax.inf.62"].supply == expected

    places = {"ax.inf.62": "1010"}
    bench.stand(places, supply={"ax.inf.62": 2})
    phase(bench)
    assert bench.state.counters["ax.inf.62"].supply == 0


def test_E77_10_1_2_an_hq_cancels_the_zone_in_its_hex() -> None:
    """10.1.2: The only line runs through a hex in an enemy zone that holds a friendly HQ: in supply."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0610", "ax.hq.r3a": "0510"})
    gap = bench.state.data.hex("0510")

    assert bench.state.field.in_enemy_zone("axis", gap)
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0609", "ax.hq.r3a": "0510", "ax.inf.294": "0610", "ax.inf.298": "0710"})
    assert in_supply(bench.state, "ax.inf.62")


def test_E78_10_1_2_an_empty_hex_in_a_zone_is_closed() -> None:
    """10.1.2: The same gap without the HQ: out of supply."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0609", "ax.inf.294": "0610", "ax.inf.298": "0710"})

    assert not in_supply(bench.state, "ax.inf.62")


def test_R33_a_lone_enemy_hq_blocks_and_the_own_hex_never() -> None:
    """R-33: An enemy HQ closes its hex; a unit in an enemy zone is itself reached."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.inf.62": "1010", "su.hq.1gda": "0510"})
    assert not in_supply(bench.state, "ax.inf.62")

    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "1110"})
    assert in_supply(bench.state, "ax.inf.62")


def test_10_1_2_rivers() -> None:
    """10.1.2: An unbridged major river stops the line, a bridged one and a minor one do not; nor does the source behind an enemy serve."""
    line = " ".join(f"05{row:02}-06{row:02} 05{row:02}-06{row - 1:02}" for row in range(2, 21)) + " 0501-0601"
    for kind, bridges, reached in (("major", "", False), ("major", "0510-0610", True), ("minor", "", True)):
        bench = Bench(board_t(rivers={kind: line}, bridges=bridges))
        bench.stand({"ax.inf.62": "1010"})
        assert in_supply(bench.state, "ax.inf.62") is reached, kind

    bench = Bench()
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0110"})
    assert not in_supply(bench.state, "ax.inf.62")


def test_10_1_4_a_state_lasts_until_the_next_check() -> None:
    """10.1.4: E80: a unit that moves back to a free road on its turn keeps its marker until the Supply Phase."""
    bench = Bench()
    bench.stand({"ax.inf.62": "1010"}, supply={"ax.inf.62": 1})
    bench.activate("axis", "ax.inf.62")
    bench.do("axis", "move", "ax.inf.62", "0910")

    assert bench.state.counters["ax.inf.62"].supply == 1


def test_E81_10_3_an_hq_without_a_line_resets() -> None:
    """12.5: 10.3: It is marked, resets in the same phase and loses its marker: never surrounded."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.hq.4pza": "1010", "ax.inf.62": "1011", "su.rifle.1": "0510"})
    phase(bench)
    assert bench.state.counters["ax.hq.4pza"].supply == 1
    bench.do("axis", "reset", bench.options("axis", "reset")[0])

    assert bench.state.counters["ax.hq.4pza"].supply == 0
    assert int(bench.hexes("ax.hq.4pza")[0][:2]) < 5


def test_10_3_the_owner_chooses_where() -> None:
    """10.3: An HQ cut off by zones resets behind them, where its owner likes."""
    bench = Bench()
    ring = {"su.rifle.1": "1008", "su.rifle.153": "1012", "su.rifle.195": "0808", "su.rifle.127": "0812", "su.rifle.160": "0810"}
    more = {"su.rifle.172": "1208", "su.rifle.267": "1212", "su.rifle.350": "1210"}
    bench.stand({"ax.hq.4pza": "1010", **ring, **more})
    phase(bench)

    assert bench.asked() == {"axis": "prompt.victory_lost.reset"}
    assert bench.state.counters["ax.hq.4pza"].supply == 1
    hexes = bench.options("axis", "reset")
    grid = bench.state.data.board.grid
    assert all(grid.distance(grid.at("1010"), grid.at(str(hex_id))) == 4 for hex_id in hexes)
    bench.do("axis", "reset", hexes[0])
    assert bench.state.counters["ax.hq.4pza"].supply == 0


def test_R34_an_owner_of_several_chooses_their_order() -> None:
    """R-34: Two HQs of one side out of supply: the owner names the first."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.hq.4pza": "1010", "ax.hq.r3a": "1210", "su.rifle.1": "0510"})
    phase(bench)

    assert bench.asked() == {"axis": "prompt.victory_lost.reset_order"}
    bench.do("axis", "ax.hq.r3a")
    assert bench.position.top.args == ("ax.hq.r3a",)
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.position.top.args == ("ax.hq.4pza",)


def test_2_1_2_sources_by_turn() -> None:
    """2.1.2: A source counts from its turn on."""
    bench = Bench(board_t(sources=(source("axis", "0110", from_turn=5), source("soviet", "2010"))))
    bench.stand({"ax.inf.62": "1010"}, turn=4)
    assert not in_supply(bench.state, "ax.inf.62")

    bench.stand({"ax.inf.62": "1010"}, turn=5)
    assert in_supply(bench.state, "ax.inf.62")
