"""Chapter 10: supply lines, states, and the reset of HQs out of supply."""

import pytest

from tests.rules.chit_bench import source
from tests.rules.victory_lost.battles import (
    GERMAN,
    ITALIAN,
    PANZER,
    TANK,
    TANKS,
    attack,
    column,
    combat,
    declared,
)
from tests.rules.victory_lost.bench import NORTH_EAST, RIFLE, Bench, board_t, city
from tests.rules.victory_lost.campaign import phase
from tests.rules.victory_lost.marches import DON, ROAD, moving
from warledger.engine.games.victory_lost.odds import attack_strength, defence_strength
from warledger.engine.games.victory_lost.supply import in_supply

WALL = {f"05{row:02}": "~" for row in range(1, 21) if row != 10}
"""Water from north to south with one gap at 0510."""


# --- 10.1 check -----------------------------------------------------------------------------------


def test_10_1_1_the_source_itself_must_be_free() -> None:
    """10.1.2, R-33 (E75): An enemy zone over the source closes it, unless a friendly counter stands
    there."""
    bench = Bench()
    bench.stand({GERMAN: "0510", "su.rifle.1": "0209"})
    assert not bench.state.field.supply("axis").reached(bench.state.data.hex("0510"))

    bench.stand({GERMAN: "0510", "ax.hq.hollidt": "0110", "su.rifle.1": "0308"})
    assert bench.state.field.supply("axis").reached(bench.state.data.hex("0510"))


def test_10_1_2_an_hq_cancels_the_zone_in_its_hex() -> None:
    """10.1.2 (E77): The only line runs through a hex in an enemy zone that holds a friendly HQ: in
    supply."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0610", "ax.hq.r3a": "0510"})
    gap = bench.state.data.hex("0510")

    assert bench.state.field.in_enemy_zone("axis", gap)
    bench.stand(
        {
            "ax.inf.62": "1010",
            "su.rifle.1": "0609",
            "ax.hq.r3a": "0510",
            "ax.inf.294": "0610",
            "ax.inf.298": "0710",
        }
    )
    assert in_supply(bench.state, "ax.inf.62")


def test_10_1_2_an_empty_hex_in_a_zone_is_closed() -> None:
    """10.1.2 (E78): The same gap without the HQ: out of supply."""
    bench = Bench(board_t(rows=WALL))
    bench.stand(
        {"ax.inf.62": "1010", "su.rifle.1": "0609", "ax.inf.294": "0610", "ax.inf.298": "0710"}
    )

    assert not in_supply(bench.state, "ax.inf.62")


def test_10_1_2_R33_a_lone_enemy_hq_blocks_and_the_own_hex_never() -> None:
    """R-33: An enemy HQ closes its hex; a unit in an enemy zone is itself reached."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.inf.62": "1010", "su.hq.1gda": "0510"})
    assert not in_supply(bench.state, "ax.inf.62")

    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "1110"})
    assert in_supply(bench.state, "ax.inf.62")


def test_10_1_2_unbridged_major_rivers_stop_a_line() -> None:
    """10.1.2: An unbridged major river stops the line, a bridged one and a minor one do not; nor
    does the source behind an enemy serve."""
    line = (
        " ".join(f"05{row:02}-06{row:02} 05{row:02}-06{row - 1:02}" for row in range(2, 21))
        + " 0501-0601"
    )
    for kind, bridges, reached in (
        ("major", "", False),
        ("major", "0510-0610", True),
        ("minor", "", True),
    ):
        bench = Bench(board_t(rivers={kind: line}, bridges=bridges))
        bench.stand({"ax.inf.62": "1010"})
        assert in_supply(bench.state, "ax.inf.62") is reached, kind

    bench = Bench()
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0110"})
    assert not in_supply(bench.state, "ax.inf.62")


def test_10_1_2_R33_R34_the_check_comes_before_the_resets() -> None:
    """R-34: A lone Soviet HQ in the only gap cuts two Germans off and is cut off by them: all three
    are out of supply; the HQ resets, and the Germans stay out of supply though the gap is free
    again."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({GERMAN: "0609", "ax.inf.294": "0610", "su.hq.6a": "0510"})
    phase(bench)
    assert [bench.state.counters[name].supply for name in (GERMAN, "ax.inf.294", "su.hq.6a")] == [
        1,
        1,
        1,
    ]
    assert bench.asked() == {"soviet": "prompt.victory_lost.reset"}
    bench.do("soviet", "reset", bench.options("soviet", "reset")[0])

    assert bench.state.counters[GERMAN].supply == 1
    assert bench.state.counters["su.hq.6a"].supply == 0
    assert in_supply(bench.state, GERMAN)


def test_10_1_2_rivers_and_supply() -> None:
    """10.1.2 (E79): An unbridged major river closes a line, a bridged one and a minor river do
    not."""
    for bridges, rivers, reached in (
        ("", "major", False),
        ("1010-1110", "major", True),
        ("", "minor", True),
    ):
        bench = Bench(board_t(rivers={rivers: DON}, bridges=bridges))
        bench.stand({GERMAN: "1510"})
        assert bench.state.field.supply("axis").reached(bench.state.data.hex("1510")) is reached


def test_10_1_2_a_chain_of_zones_with_friends_in_it() -> None:
    """10.1.2, R-33: Every hex of the line lies in a Soviet zone; friends stand in the first two,
    the third is empty: closed; an HQ there opens it."""
    bench = Bench(board_t(rows=WALL))
    places = {PANZER: "0809", GERMAN: "0710", "ax.inf.294": "0609", RIFLE: "0610"}
    bench.stand(places)
    assert all(
        bench.state.field.in_enemy_zone("axis", bench.state.data.hex(hex_id))
        for hex_id in ("0710", "0609", "0510")
    )
    assert not in_supply(bench.state, PANZER)

    bench.stand({**places, "ax.hq.r3a": "0510"})
    assert in_supply(bench.state, "ax.hq.r3a")
    assert in_supply(bench.state, PANZER)


def test_10_1_2_a_lone_enemy_hq_on_the_source() -> None:
    """R-33: The source hex passes the same tests: a lone enemy HQ in it closes it; a second source
    serves."""
    bench = Bench()
    bench.stand({GERMAN: "1010", "su.hq.6a": "0110"})
    assert not in_supply(bench.state, GERMAN)

    bench = Bench(
        board_t(sources=(source("axis", "0110"), source("axis", "0120"), source("soviet", "2010")))
    )
    bench.stand({GERMAN: "1010", "su.hq.6a": "0110"})
    assert in_supply(bench.state, GERMAN)


def test_10_1_2_a_unit_across_the_don_from_its_source() -> None:
    """10.1.2, R-33: On the far bank of an unbridged river a unit is out of supply even next to
    supplied friends."""
    river = "0911-1010 0910-1010 1009-1010 1010-1110 1010-1111 1010-1011"
    bench = Bench(board_t(rivers={"major": river}))
    bench.stand({PANZER: "1010", GERMAN: "0910"})

    assert in_supply(bench.state, GERMAN)
    assert not in_supply(bench.state, PANZER)


def test_10_1_3_states_follow_each_other() -> None:
    """10.0, 10.1.1, 10.1.3 (E76): Without a line: out of supply, then surrounded, surrounded
    again; with a line the marker goes."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.inf.62": "1010", "su.rifle.1": "0510"})
    for expected in (1, 2, 2):
        phase(bench)
        assert bench.state.counters["ax.inf.62"].supply == expected

    places = {"ax.inf.62": "1010"}
    bench.stand(places, supply={"ax.inf.62": 2})
    phase(bench)
    assert bench.state.counters["ax.inf.62"].supply == 0


def test_10_1_4_out_of_supply_through_the_whole_next_turn() -> None:
    """10.1.4 (E80): Marked on turn 3 and back on a line on turn 4, a unit still attacks at half
    until the check of turn 4."""
    bench = combat({TANK: NORTH_EAST, ITALIAN: "1010"}, turn=4, supply={TANK: 1})
    assert bench.state.field.supply("soviet").reached(bench.state.data.hex(NORTH_EAST))
    attack(bench, 1, "1010", TANK)
    assert declared(bench).attack == 3

    bench.jump("set_up_first", "supply_check")
    assert bench.state.counters[TANK].supply == 0


def test_10_1_4_a_state_lasts_until_the_next_check() -> None:
    """10.1.4: E80: a unit that moves back to a free road on its turn keeps its marker until the
    Supply Phase."""
    bench = Bench()
    bench.stand({"ax.inf.62": "1010"}, supply={"ax.inf.62": 1})
    bench.activate("axis", "ax.inf.62")
    bench.do("axis", "move", "ax.inf.62", "0910")

    assert bench.state.counters["ax.inf.62"].supply == 1


def test_10_1_5_everything_starts_in_supply() -> None:
    """10.0, 10.1.5, 10.2.1, R-49: no counter has a marker at first, whatever its line; one that
    arrives has none either."""
    bench = Bench(board_t(rails=("0110 0209",)))
    assert not any(counter.supply for counter in bench.state.counters.values())

    bench.stand({"ax.inf.62": "0110", "ax.inf.294": "0110"}, turn=2)
    bench.jump("set_up_first", "reinforcement_segment", "receive")
    bench.do("axis", "place", "ax.inf.302", "0209")
    assert bench.state.counters["ax.inf.302"].supply == 0


# --- 10.2 states ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("supply", "strength"), [(0, 8), (1, 8), (2, 4)])
def test_10_2_2_defence_by_supply(supply: int, strength: int) -> None:
    """10.2.2, 10.2.3 (E20, E21): a stack of 5 and 3 defends at 8 out of supply, surrounded at
    (5+3)/2 = 4."""
    bench = Bench()
    stack = ("su.mech.4", "su.rifle.1")
    bench.stand(dict.fromkeys(stack, "1010"), supply=dict.fromkeys(stack, supply))
    assert defence_strength(bench.state, stack) == strength


def test_10_2_2_out_of_supply_moves_and_defends_in_full() -> None:
    """10.2.2, 10.2.3: Out of supply: 7 points and defence 4; surrounded: 3 points and defence 2;
    attacks 3 in both."""
    for supply, points, defence in ((1, 14, 4), (2, 6, 2)):
        bench = combat({TANK: "1010", ITALIAN: "1110"}, supply={TANK: supply})
        assert bench.state.allowance(TANK) == points
        attack(bench, 1, "1110", TANK)
        assert declared(bench).attack == 3

        bench = combat({TANK: "1010", PANZER: "1110"}, side="axis", supply={TANK: supply})
        attack(bench, 1, "1010", PANZER, side="axis")
        assert declared(bench).defence == defence


def test_10_2_3_surrounded_units_move_half() -> None:
    """10.2.3 (E34): R-45: MA 7 becomes 3, MA 4 becomes 2."""
    bench = Bench()
    bench.stand(
        {"su.tank.18": "1010", "su.rifle.1": "0510"}, supply={"su.tank.18": 2, "su.rifle.1": 2}
    )

    assert bench.state.allowance("su.tank.18") == 6
    assert bench.state.allowance("su.rifle.1") == 4


def test_10_2_3_surrounded_defenders_in_a_city_behind_a_river() -> None:
    """9.3.1, 9.3.3: (4 + 4)/2 = 4 surrounded in a strategic city; 12/2 across the river and 6 on
    this side: 12 to 4, 3-1, less 2: 1.5-1."""
    bench = combat(
        {
            GERMAN: "1010",
            "ax.inf.294": "1010",
            TANKS[0]: "1110",
            TANKS[1]: "1110",
            TANKS[2]: "1111",
        },
        bench=Bench(board_t(rivers={"major": "1010-1110"}, places=[city("1010")])),
        supply={GERMAN: 2, "ax.inf.294": 2},
    )
    attack(bench, 4, "1010", *TANKS[:3])

    assert (declared(bench).attack, declared(bench).defence, column(bench)) == (12, 4, "1.5-1")


@pytest.mark.parametrize(
    ("unit", "march", "hexes"),
    [(TANK, False, 6), (RIFLE, False, 4), (TANK, True, 8), (RIFLE, True, 6)],
)
def test_10_2_3_R45_a_surrounded_unit_on_the_road(unit: str, march: bool, hexes: int) -> None:
    """R-45: MA 7 halved is 3, MA 4 is 2, before strategic movement: 6 and 4 road hexes; with
    command march (15.0.1(b)) 8 and 6."""
    bench = Bench(board_t(roads=(ROAD,)), command_march=march)
    bench.stand({unit: "0110"}, supply={unit: 2})
    moving(bench, unit)

    assert len(bench.reach("soviet", "move", unit, "road")) == hexes


def test_10_2_3_a_surrounded_unit_across_a_river_attacks_with_a_quarter() -> None:
    """9.3.1, 10.2.3 (E19): surrounded and across a river: 9/4 = 2."""
    bench = combat(
        {"ax.panzer.6": "1010", "su.rifle.1": NORTH_EAST},
        side="axis",
        bench=Bench(board_t(rivers={"major": "1010-1110"})),
        supply={"ax.panzer.6": 2},
    )

    assert attack_strength(bench.state, ("ax.panzer.6",), bench.state.data.hex("1110")) == 2


# --- 10.3 hQ reset --------------------------------------------------------------------------------


def test_10_3_an_hq_without_a_line_resets() -> None:
    """12.5 (E81): 10.3: It is marked, resets in the same phase and loses its marker: never
    surrounded."""
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
    ring = {
        "su.rifle.1": "1008",
        "su.rifle.153": "1012",
        "su.rifle.195": "0808",
        "su.rifle.127": "0812",
        "su.rifle.160": "0810",
    }
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


def test_10_3_R34_an_owner_of_several_chooses_their_order() -> None:
    """R-34: Two HQs of one side out of supply: the owner names the first."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.hq.4pza": "1010", "ax.hq.r3a": "1210", "su.rifle.1": "0510"})
    phase(bench)

    assert bench.asked() == {"axis": "prompt.victory_lost.reset_order"}
    bench.do("axis", "ax.hq.r3a")
    assert bench.position.top.args == ("ax.hq.r3a",)
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.position.top.args == ("ax.hq.4pza",)


def test_10_3_the_hq_leaves_and_its_units_stay_behind() -> None:
    """10.3, 10.1.3: HQ and division behind a closed gap: the HQ resets, the division is out of
    supply and next turn surrounded."""
    bench = Bench(board_t(rows=WALL))
    bench.stand({"ax.hq.4pza": "1010", PANZER: "1010", RIFLE: "0510"})
    phase(bench)
    bench.do("axis", "reset", bench.options("axis", "reset")[0])
    assert bench.state.counters[PANZER].supply == 1
    phase(bench)

    assert bench.state.counters[PANZER].supply == 2
    assert bench.state.counters["ax.hq.4pza"].supply == 0
