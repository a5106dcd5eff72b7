"""12.0 Reinforcements by rail, and who returns."""

import pytest

from tests.rules.typhoon.battles import INFANTRY, PANZERS, RIFLES3, battle
from tests.rules.typhoon.bench import INF, RIFLE, RIFLE2, Bench, board_t, column, place, real_pack
from tests.rules.typhoon.campaign import POOL, RAIL, intake
from tests.rules.typhoon.second_reading import MAP, Board, crowd, near
from warledger.engine.games.typhoon.headquarters import home_of
from warledger.engine.games.typhoon.losses import Eliminated
from warledger.engine.games.typhoon.reinforcements import (
    IntakeClosed,
    IntakeOpened,
    Placed,
    usable_railways,
)
from warledger.engine.games.typhoon.state import AVAILABLE
from warledger.engine.kernel.position import Frame

# --- 12.1 they arrive by rail ---------------------------------------------------------------------


def test_12_1_along_the_railway_R33() -> None:
    """12.0, 12.1, 12.1(1), R-33 Any railway hex joined to a source by railway, whatever the command
    range; weather does not matter."""
    bench = intake({}, POOL)
    assert bench.reach("soviet", "place", "su.rifle.32") == {f"10{row:02}" for row in range(1, 13)}
    assert bench.refused("soviet", "place", "su.rifle.32", "1101").rule == "12.1(1)"
    bench.do("soviet", "place", "su.rifle.32", "1012")
    assert bench.happened(Placed) == [Placed("su.rifle.32", "1012")]


def test_12_1_R08_a_third_unit_is_not_placed() -> None:
    """3.1(3), R-08 A third unit cannot be placed in a hex."""
    bench = intake({RIFLE: "1003", RIFLE2: "1003"}, POOL)
    assert bench.refused("soviet", "place", "su.rifle.32", "1003").rule == "3.1(1)"


@pytest.mark.parametrize("seed", range(3))
def test_12_1_rail_entry_by_a_second_reading(seed: int) -> None:
    """12.1, R-33 Railway hexes joined to a source by railway clear of enemies and their zones."""
    bench, _ = crowd(60 + seed, 3)
    board = Board(bench)
    for side in ("axis", "soviet"):
        foe = board.enemy(side)
        clear = {h for h in MAP.land if h not in board.units[foe] and h not in board.zone[foe]}
        found = {h for h in MAP.sources[side] if h in clear}
        while True:
            more = {
                y
                for x in found
                for y in near(x)
                if y in clear and y not in found and MAP.pair(x, y) in MAP.rail
            }
            if not more:
                break
            found |= more
        assert {bench.state.data.name(i) for i in usable_railways(bench.state, side)} == found, side


def test_12_1_1_a_branch_line_and_a_neighbouring_railway() -> None:
    """12.1(1), R-33 Along the branch, too; not onto a railway hex next door that no railway joins,
    nor onto a road."""
    rails = (column(10, 1, 5), "1003 1103 1203", "1204 1305", "0120 0220")
    bench = intake({}, {"su.rifle.32": AVAILABLE["soviet"]}, rails=rails, roads=("1005 1006",))
    assert bench.reach("soviet", "place", "su.rifle.32") == {
        "1001",
        "1002",
        "1003",
        "1004",
        "1005",
        "1103",
        "1203",
    }
    for name in ("1204", "1006"):
        assert bench.refused("soviet", "place", "su.rifle.32", name).rule == "12.1(1)"


def test_12_1_2_zones_cut_the_railway() -> None:
    """12.1(2), R-33 An EZOC cuts the path even where a friendly unit stands (example 77), nor may a
    reinforcement be put in one."""
    bench = intake({INF: "1106", RIFLE: "1006"}, POOL)
    assert bench.reach("soviet", "place", "su.rifle.32") == {"1001", "1002", "1003", "1004"}
    assert bench.refused("soviet", "place", "su.rifle.32", "1005").rule == "12.1(2)"
    assert bench.refused("soviet", "place", "su.rifle.32", "1008").rule == "12.1(1)"


def test_12_1_2_nobody_arrives_in_an_enemy_town() -> None:
    """12.1(2), R-33 Not in an enemy-controlled town, but through one that is empty and clear."""
    bench = intake({}, POOL, control={"1004": "axis"}, places=(place("1004"),))
    assert "1004" not in bench.reach("soviet", "place", "su.rifle.32") and "1005" in bench.reach(
        "soviet", "place", "su.rifle.32"
    )
    assert bench.refused("soviet", "place", "su.rifle.32", "1004").rule == "12.1(2)"


def test_12_1_2_R33_a_source_in_a_zone_brings_nobody() -> None:
    """12.1(2), R-33 An EZOC on the source hex closes the railway behind it, with a friend there
    too; so does an enemy on it."""
    assert intake({INFANTRY[0]: "1102"}, POOL).asked() == {"soviet": "prompt.typhoon.set_up"}
    assert intake({INFANTRY[0]: "1102", RIFLE: "1001"}, POOL).asked() == {
        "soviet": "prompt.typhoon.set_up"
    }
    assert intake({INFANTRY[0]: "1001"}, POOL).asked() == {"soviet": "prompt.typhoon.set_up"}


def test_12_1_2_a_zone_over_a_junction_leaves_the_other_way_round() -> None:
    """12.1(2), R-33 An EZOC on the main line is passed by a loop that lies outside it, and ends
    only what hangs on it."""
    rails = (column(10, 1, 8), "1002 0903 0803 0804 0805 0806 0907 1007", "0120 0220")
    bench = intake({INFANTRY[0]: "1105"}, {"su.rifle.32": AVAILABLE["soviet"]}, rails=rails)
    found = bench.reach("soviet", "place", "su.rifle.32")
    assert {"1007", "1006", "1008", "0806"} <= found and not found & {"1004", "1005"}


# --- 12.2 -----------------------------------------------------------------------------------------


def test_12_2_the_player_may_take_fewer() -> None:
    """R-34 What is not used is lost."""
    bench = intake({}, POOL)
    bench.do("soviet", "done")
    assert bench.state.intake is None


def test_12_2_1_R34_as_many_as_the_number_of_the_turn() -> None:
    """12.2(1), 12.2(2), R-34 Up to the number of the turn; with four in the box four are placed,
    the rest is lost (example 78)."""
    bench = intake({}, POOL)
    for name, hex_id in zip(POOL, ("1002", "1003", "1004", "1005"), strict=True):
        bench.do("soviet", "place", name, hex_id)
    assert IntakeClosed("soviet", 0) in bench.events
    assert bench.state.intake is None

    bench = intake(
        {}, {"ax.sec.221": "box.available.axis", "ax.sec.286": "box.available.axis"}, side="axis"
    )
    bench.do("axis", "place", "ax.sec.221", "0120")  # one a turn
    assert bench.state.intake is None and bench.hexes("ax.sec.286") == ("box.available.axis",)


def test_12_2_1_the_axis_reinforcement_chit_on_turn_1_brings_nobody() -> None:
    """12.2(1), R-34 GER Reinf is 0 on turn 1: the chit is drawn and spent, nobody is asked, the box
    stays as it is."""
    bench = Bench(real_pack(), seed=4)
    bench.stand({}, turn=1, boxes={"ax.sec.221": "box.available.axis"})
    bench.jump("set_up_first", Frame("reinforcements", ("axis",)))
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}
    assert not bench.happened(Placed) and bench.hexes("ax.sec.221") == ("box.available.axis",)


def test_12_2_1_an_hq_counts_among_the_number() -> None:
    """12.2(1), 13.0(4) Turn 11 brings four: an HQ and three divisions, then it is over."""
    pool = ("su.hq.5a", "su.rifle.32", "su.rifle.78", "su.rifle.93", "su.rifle.238")
    bench = intake({}, dict.fromkeys(pool, AVAILABLE["soviet"]), turn=11)
    for index, name in enumerate(pool[:4]):
        bench.do("soviet", "place", name, f"10{index + 1:02}")
    assert IntakeClosed("soviet", 0) in bench.events and bench.hexes(pool[4]) == (
        AVAILABLE["soviet"],
    )


def test_12_2_1_the_axis_brings_a_lost_hq_back() -> None:
    """12.2(1), 13.0(3), 13.0(4), R-36 GER Reinf is 2 on turn 10: an HQ lost in combat and a
    security division."""
    bench = intake(
        {},
        dict.fromkeys(("ax.hq.2pza", "ax.sec.221", "ax.sec.286"), AVAILABLE["axis"]),
        side="axis",
        turn=10,
    )
    bench.do("axis", "place", "ax.hq.2pza", "0220")
    bench.do("axis", "place", "ax.sec.286", "0220")
    assert bench.state.intake is None and bench.hexes("ax.sec.221") == (AVAILABLE["axis"],)


# --- 12.3 -----------------------------------------------------------------------------------------


def test_12_3_R35_options_say_who_returns() -> None:
    """R-35 Options: Axis infantry destroyed in combat returns, Soviet cavalry does not."""
    assert (
        home_of(Bench(axis_infantry_returns=True).state, "ax.inf.5", "losses")
        == "box.available.axis"
    )
    assert home_of(Bench(axis_infantry_returns=True).state, "ax.panzer.1", "losses") == "eliminated"
    assert home_of(Bench(soviet_cavalry_returns=False).state, "su.cav.50", "losses") == "eliminated"


@pytest.mark.parametrize(
    ("name", "why", "home"),
    [
        ("su.rifle.133", "losses", "box.available.soviet"),
        ("su.rifle.133", "no_retreat", "box.available.soviet"),
        ("su.cav.50", "zone", "box.available.soviet"),
        ("su.moscow.1", "losses", "box.available.soviet"),
        ("su.guards.7", "losses", "box.available.soviet"),
        ("su.rifle.133", "supply", "eliminated"),
        ("su.tank.127", "losses", "eliminated"),
        ("su.mot.107", "zone", "eliminated"),
        ("ax.inf.5", "losses", "eliminated"),
        ("ax.panzer.1", "losses", "eliminated"),
        ("ax.hq.2a", "losses", "box.available.axis"),
        ("su.hq.22a", "no_retreat", "box.available.soviet"),
        ("su.hq.22a", "supply", "eliminated"),
    ],
)
def test_12_3_1_who_returns_R35(name: str, why: str, home: str) -> None:
    """12.3(1), 12.3(2), R-35, 13.0(3), 13.0(5), R-36 Who may come back after being removed, and who
    never does."""
    assert home_of(Bench().state, name, why) == home


def test_12_3_1_returns_at_full_strength() -> None:
    """12.3(1), R-35 What returns does so on its full face."""
    bench = Bench()
    bench.stand({RIFLE: "1010"}, reduced=(RIFLE,))
    bench.run(lambda table: table.emit(Eliminated(RIFLE, "losses", "box.available.soviet")))
    assert bench.hexes(RIFLE) == ("box.available.soviet",) and not bench.state.units[RIFLE].reduced


def test_12_3_1_R35_who_comes_back_when() -> None:
    """12.3(1), 12.3(2), R-35, R-36 A rifle division lost in combat may come back with the next
    SOVIET REINF, a tank brigade never, the Guards' motorised division neither; an Axis HQ may, Axis
    infantry may not."""
    bench = Bench(real_pack())
    out, soviet, axis = "eliminated", AVAILABLE["soviet"], AVAILABLE["axis"]
    homes = {
        "su.rifle.133": soviet,
        "su.tank.11": out,
        "su.mot.1gds": out,
        "ax.hq.9a": axis,
        "ax.cav.1": out,
        "ax.sec.221": out,
    }
    assert {name: home_of(bench.state, name, "losses") for name in homes} == homes


def test_12_3_1_lost_in_combat_and_back_the_same_turn() -> None:
    """12.3(1), R-35 A division destroyed in combat comes back with the next SOVIET REINF, of the
    same turn, whole; it counts."""
    bench = battle(
        {PANZERS[0]: "1011", PANZERS[1]: "1011", RIFLES3[0]: "1010"},
        PANZERS[:2],
        6,
        reduced=(RIFLES3[0],),
    )  # 16 to 1: 10-1, 4RR
    assert bench.hexes(RIFLES3[0]) == (AVAILABLE["soviet"],)
    railway = Bench(board_t(sources=RAIL, rails=(column(10, 1, 12), "0120 0220")))
    railway.stand({}, turn=2, boxes={RIFLES3[0]: AVAILABLE["soviet"]})
    railway.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert IntakeOpened("soviet", 6, 0, 0) in railway.events
    railway.do("soviet", "place", RIFLES3[0], "1003")
    assert not railway.state.units[RIFLES3[0]].reduced
