"""12.7 The reset of HQs."""

from tests.rules.chit_bench import source
from tests.rules.victory_lost.battles import GERMAN, PANZER, TANK
from tests.rules.victory_lost.bench import Bench, board_t, city
from tests.rules.victory_lost.campaign import printed, reset_to
from tests.rules.victory_lost.commands import MANSTEINS, with_cup
from warledger.engine.games.victory_lost.command import available, in_range, needed
from warledger.engine.games.victory_lost.headquarters import must_reset, reset_hexes


def test_12_7_the_hexes_at_the_smallest_distance() -> None:
    """12.0, R-02, R-17, R-18: 12.7: An HQ overrun in 1010 with its source in 0110 may go to any of
    eleven hexes four away and nearer the source."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})

    assert len(reset_to(bench, "ax.hq.4pza")) == 11


def test_12_7_not_in_an_enemy_zone() -> None:
    """12.7 (E68): A Soviet unit in 0509 takes 0608 and 0609 out; nine are left."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010", "su.rifle.1": "0509"})
    found = reset_to(bench, "ax.hq.4pza")

    assert len(found) == 9
    assert not {"0608", "0609"} & found


def test_12_7_further_away_when_four_is_not_enough() -> None:
    """12.7 (E69): With water on every hex at distance 4 that would do, the hexes at distance 5
    count."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})
    blocked = {
        hex_id: "~" for hex_id in reset_to(bench, "ax.hq.4pza") if hex_id not in ("0810", "0708")
    }
    blocked = dict.fromkeys(blocked, "~")
    gap = Bench(board_t(rows=blocked))
    gap.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})
    grid = gap.state.data.board.grid
    distances = {
        grid.distance(grid.at("1010"), grid.at(hex_id)) for hex_id in reset_to(gap, "ax.hq.4pza")
    }

    assert distances in ({4}, {5})
    if distances == {4}:
        assert reset_to(gap, "ax.hq.4pza") <= {"0708"}
    walled = Bench(board_t(rows={**blocked, "0708": "~"}))
    walled.stand({"ax.hq.4pza": "1010", "su.rifle.153": "1010"})
    assert {
        grid.distance(grid.at("1010"), grid.at(hex_id)) for hex_id in reset_to(walled, "ax.hq.4pza")
    } == {5}


def test_12_7_R19_not_onto_another_hq() -> None:
    """R-19: A hex with an HQ drops out; one with friendly units stays."""
    bench = Bench()
    bench.stand(
        {
            "ax.hq.4pza": "1010",
            "su.rifle.153": "1010",
            "ax.hq.r3a": "0610",
            "ax.inf.62": "0611",
            "ax.inf.294": "0611",
        }
    )
    found = reset_to(bench, "ax.hq.4pza")

    assert "0610" not in found
    assert "0611" in found


def test_12_7_R19_no_hex_sets_the_hq_aside() -> None:
    """R-19: Without any hex the HQ waits and its chit stays; the next turn's Reinforcement Segment
    brings it back."""
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


def test_12_7_R19_an_hq_set_aside_waits_until_the_next_turn_and_keeps_waiting() -> None:
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


def test_12_7_R19_the_chit_of_an_hq_set_aside_is_used_up_and_manstein_cannot_name_it() -> None:
    """R-19, R-08, R-07: Its chit stays in the game, but does nothing while the HQ waits; Manstein
    names HQs on the map only."""
    bench = Bench()
    bench.stand({"ax.hq.r3a": "1010", "ax.ro.5": "1010"}, turn=3, boxes={"ax.hq.4pza": "aside"})
    with_cup(bench, ("chit.ax.4pza", MANSTEINS[0]), ())
    bench.draws(0, 0)
    events = bench.jump("set_up_first", "command_phase", "executions")

    assert [event.tag for event in events] == ["drawn", "used", "drawn"]
    assert bench.options("axis", "activate") == ("ax.hq.r3a",)
    assert bench.refused("axis", "activate", "ax.hq.4pza").rule == "7.2.2"


def test_12_7_R18_a_hex_counts_by_its_own_source() -> None:
    """R-18: Sources west and north of 1010, both nine hexes away: a hex counts by the source that
    it would use itself: 0610 by the western, 1006 by the northern; 1014 is further from both, and
    1410 too."""
    bench = Bench(
        board_t(sources=(source("axis", "0110"), source("axis", "1001"), source("soviet", "2010")))
    )
    bench.stand({"ax.hq.4pza": "1010", TANK: "1010"})
    found = printed(bench, reset_hexes(bench.state, "ax.hq.4pza"))

    assert {"0610", "1006"} <= found
    assert not {"1014", "1410"} & found


def test_12_7_an_hq_on_its_source_has_nowhere_nearer() -> None:
    """12.7, R-19: Overrun on the supply source itself no hex is nearer to it: the HQ is set aside
    and its chit stays."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "0110", TANK: "0310"})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "0110")

    assert bench.hexes("ax.hq.4pza") == ("aside",)
    assert "chit.ax.4pza" in available(bench.state, "axis")


def test_12_7_the_owner_of_an_overrun_hq_chooses_its_hex() -> None:
    """12.7, R-16-R-18 (E67): A tank corps overruns the HQ in 1010 (source 0110): its owner may
    choose any of the eleven hexes four away that are straight nearer to the source, 0608 and 0609
    by 0509 among them; then the mover goes on with its points."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1010")
    grid = bench.state.data.board.grid
    old, here = grid.at("1010"), grid.at("0110")
    expected = {
        grid.ids[i] for i in grid.ring(old, 4) if grid.distance(i, here) < grid.distance(old, here)
    }

    assert set(bench.options("axis", "reset")) == expected
    assert len(expected) == 11
    assert {"0608", "0609"} <= expected
    assert bench.refused("axis", "reset", "0509").rule == "12.7"
    assert bench.refused("axis", "reset", "1410").rule == "12.7"
    bench.do("axis", "reset", "0609")
    assert bench.asked() == {"soviet": "prompt.victory_lost.move_on"}
    bench.do("soviet", "on", "0910")
    assert bench.hexes("ax.hq.4pza", TANK) == ("0609", "0910")


def test_12_7_R02_reset_distance_over_land() -> None:
    """R-02, R-17: Straight, hexes four away count though water lies between; by the option the way
    round is counted."""
    lake = {"0909": "~", "0910": "~", "0911": "~", "1009": "~"}
    found = {}
    for option in ("straight", "over_land"):
        bench = Bench(board_t(rows=lake), reset_distance=option)
        bench.stand({"ax.hq.4pza": "1010", TANK: "1010"})
        grid = bench.state.data.board.grid
        found[option] = {
            grid.distance(grid.at("1010"), i) for i in reset_hexes(bench.state, "ax.hq.4pza")
        }

    assert found["straight"] == {4}
    assert min(found["over_land"]) < 4


def test_12_7_R02_over_land_and_straight_agree_without_water() -> None:
    """R-02: On open ground both readings give the same hexes."""
    found = []
    for option in ("straight", "over_land"):
        bench = Bench(reset_distance=option)
        bench.stand({"ax.hq.4pza": "1010", TANK: "1010"})
        found.append(reset_hexes(bench.state, "ax.hq.4pza"))

    assert found[0] == found[1]
    assert len(found[0]) == 11


def test_12_7_R19_a_hex_may_be_denied_by_nations() -> None:
    """R-19, 5.0.3: An Italian HQ does not reset onto a Romanian unit; onto a German one it may."""
    bench = Bench()
    bench.stand({"ax.hq.it8a": "1010", TANK: "1010", "ax.ro.5": "0610", GERMAN: "0611"})
    found = set(bench.state.data.board.grid.names(reset_hexes(bench.state, "ax.hq.it8a")))

    assert "0610" not in found
    assert "0611" in found


def test_12_7_an_overrun_hq_takes_no_city_and_no_mark_with_it() -> None:
    """12.7, R-41, R-49: Reset into a city of the enemy's, an HQ takes no control; its out-of-supply
    mark is gone."""
    bench = Bench(board_t(places=(city("0611", owner="soviet"),)))
    bench.stand({"ax.hq.4pza": "1010", TANK: "1010"}, supply={"ax.hq.4pza": 1})
    bench.run(lambda table: must_reset(table, "ax.hq.4pza"))
    bench.jump("set_up_first", *bench.position.flow[-1:])
    assert "0611" in bench.options("axis", "reset")
    bench.do("axis", "reset", "0611")

    assert bench.state.control[bench.state.data.hex("0611")] == "soviet"
    assert bench.state.counters["ax.hq.4pza"].supply == 0


def test_12_7_the_eleven_hexes_by_name() -> None:
    """12.7, R-17, R-18: An HQ overrun in 1010, source in 0110: four hexes away and nearer the
    source than 9 are these eleven; 1006 and 1014 are 9 away themselves."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", TANK: "1210"})
    bench.activate("soviet", TANK)
    bench.do("soviet", "move", TANK, "1010")
    expected = {
        "0608",
        "0609",
        "0610",
        "0611",
        "0612",
        "0708",
        "0713",
        "0807",
        "0813",
        "0907",
        "0914",
    }

    assert set(bench.options("axis", "reset")) == expected
    for hex_id in ("1006", "1014", "0809", "0510"):
        assert bench.refused("axis", "reset", hex_id).rule == "12.7"


def test_12_7_2_along_supply_lines_where_the_old_hex_has_one() -> None:
    """R-18 (E67): An HQ that still has a line must come nearer along lines: behind a wall of water
    straight nearness is not enough."""
    wall = {f"05{row:02}": "~" for row in range(4, 21)}
    bench = Bench(board_t(rows=wall))
    bench.stand({"ax.hq.4pza": "0912", GERMAN: "0912"})
    from warledger.engine.games.victory_lost.headquarters import reset_hexes

    found = set(bench.state.data.board.grid.names(reset_hexes(bench.state, "ax.hq.4pza")))
    supply = bench.state.field.supply("axis")
    index = bench.state.data.board.grid.index
    assert found
    assert all(supply.distance(index[hex_id]) < supply.distance(index["0912"]) for hex_id in found)
    assert not any(hex_id.startswith("06") and int(hex_id[2:]) > 12 for hex_id in found)


def test_12_7_11_3_a_reset_hq_without_units_is_removed_at_the_end_of_the_turn() -> None:
    """12.7, 11.3, R-08: Reset out of reach of its units and nobody comes: it leaves with its chit,
    and the Axis has one chit fewer."""
    bench = Bench()
    bench.stand({"ax.hq.4pza": "1010", PANZER: "1710", TANK: "1010"}, turn=8)
    before = len(available(bench.state, "axis"))
    bench.run(lambda table: must_reset(table, "ax.hq.4pza"))
    bench.jump("set_up_first", *bench.position.flow[-1:])
    bench.do("axis", "reset", "0610")
    assert len(available(bench.state, "axis")) == before
    bench.jump("set_up_first", "reinforcement_segment", "hq_removal")

    assert bench.hexes("ax.hq.4pza") == ("removed",)
    assert len(available(bench.state, "axis")) == before - 1
    assert needed(bench.state, "axis", 6) == min(5, before - 1)


def test_12_7_a_reset_hq_is_activated_where_it_stands_now() -> None:
    """7.3.3, 12.7: Overrun before its chit is drawn, 4PzA resets; drawn afterwards it activates
    what is in range of its new hex."""
    bench = Bench()
    bench.stand(
        {
            "ax.hq.4pza": "1010",
            "ax.panzer.6": "0310",
            "ax.panzer.17": "1605",
            "su.hq.1gda": "1410",
            TANK: "1210",
        }
    )
    with_cup(bench, ("chit.ax.4pza",), ("chit.su.1gda",))
    assert in_range(bench.state, "ax.hq.4pza") == ()
    bench.draws(1)
    bench.jump("set_up_first", "command_phase", "executions")
    bench.do("soviet", "move", TANK, "1010")
    bench.do("axis", "reset", "0610")
    bench.do("soviet", "halt")
    bench.draws(0)
    bench.do("soviet", "done")

    assert bench.state.activation is not None
    assert bench.state.activation.hqs == ("ax.hq.4pza",)
    assert bench.state.activation.units == ("ax.panzer.6",)
