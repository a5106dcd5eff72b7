"""11.0 Supply, 12.0 reinforcements, 13.0 headquarters."""

from typing import Any

import pytest

from engine.games.typhoon.events import Eliminated, Evacuated, IntakeClosed, Placed, Reduced, SupplyChecked
from engine.games.typhoon.headquarters import home_of
from engine.kernel.position import Frame
from tests.rules.typhoon.bench import Bench, board_t, column, place, source

INF, INF2, INF3 = "ax.inf.5", "ax.inf.35", "ax.inf.8"
RIFLE, RIFLE2, RIFLE3 = "su.rifle.133", "su.rifle.174", "su.rifle.179"
POOL = dict.fromkeys(("su.rifle.32", "su.rifle.78", "su.rifle.93", "su.hq.5a"), "box.available.soviet")
RAIL = (source("axis", "0120"), source("soviet", "1001"))


def supply(places: dict[str, str], *, reduced: tuple[str, ...] = (), **more: Any) -> Bench:
    """The SUPPLY chit is executed."""
    bench = Bench(board_t(**more))
    bench.stand(places, reduced=reduced, turn=3)
    bench.jump("set_up_first", "supply", "supply_losses")
    return bench


RING = dict(
    zip(
        ("ax.inf.5", "ax.inf.35", "ax.inf.8", "ax.inf.28", "ax.inf.87", "ax.inf.86"),
        ("1009", "1110", "1111", "1011", "0911", "0910"),
        strict=True,
    )
)


def test_11_1_steps_are_lost_R31() -> None:
    """11.0, 11.1(1), R-31, R-35, 12.3(2) An encircled full division is flipped, a reduced one eliminated for good (example 74)."""
    bench = supply({RIFLE: "1010", RIFLE2: "1010", **RING}, reduced=(RIFLE2,))
    (event,) = bench.happened(SupplyChecked)
    assert set(event.units) >= {RIFLE, RIFLE2}
    assert Reduced(RIFLE, "supply") in bench.events
    assert bench.happened(Eliminated) == [Eliminated(RIFLE2, "supply", "eliminated")]


def test_11_1_both_sides_on_one_position() -> None:
    """11.1(1), R-31 Both sides are judged before anything is taken off."""
    bench = supply(
        {RIFLE: "1010", **RING, RIFLE3: "2010"}, sources=(source("axis", "0101"), source("soviet", "2010")), rails=("0101 0201",)
    )
    (event,) = bench.happened(SupplyChecked)
    assert set(event.units) == {RIFLE, *RING}  # too far from the railway


def test_11_2_evacuation_R32() -> None:
    """11.2, R-32 First the Axis, then the Soviets may lift units with a LOC; they keep their steps and come back on a later turn, not
    counted against the number (12.2)."""
    bench = supply({INF: "0210", RIFLE: "1910", RIFLE2: "1010", **{k: v for k, v in RING.items() if k != INF}}, reduced=(RIFLE,))
    assert set(bench.asked()) == {"axis"}
    bench.do("axis", "done")
    assert bench.options("soviet", "evacuate") == (RIFLE,)
    assert bench.refused("soviet", "evacuate", RIFLE2).rule == "11.2"
    bench.do("soviet", "evacuate", RIFLE)
    assert bench.happened(Evacuated) == [Evacuated(RIFLE)]
    assert bench.hexes(RIFLE) == ("box.evacuated.soviet",) and bench.state.units[RIFLE].reduced

    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert bench.asked() == {"soviet": "prompt.typhoon.set_up"}  # not on the same turn

    railway = Bench(board_t(sources=RAIL, rails=(column(10, 1, 8),)))
    railway.stand({}, turn=4, boxes={RIFLE: "box.evacuated.soviet"})
    railway.change(evacuated={RIFLE: 3})
    railway.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert railway.options("soviet", "place") == (RIFLE,)


def test_R32_returning_units_may_count_by_option() -> None:
    """R-32 By option a returning unit uses up a reinforcement, by default it does not."""
    for counted, left in ((False, 6), (True, 5)):
        bench = Bench(board_t(sources=RAIL, rails=(column(10, 1, 8),)), evacuated_units_count_against_reinf=counted)
        bench.stand({}, turn=3, boxes={RIFLE: "box.evacuated.soviet", **POOL})
        bench.change(evacuated={RIFLE: 2})
        bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
        bench.do("soviet", "place", RIFLE, "1003")
        assert bench.state.intake is not None and bench.state.intake.left == left


# --- 12.0


def intake(
    standing: dict[str, str],
    boxes: dict[str, str],
    *,
    side: str = "soviet",
    turn: int = 3,
    control: dict[str, str] | None = None,
    **board: Any,
) -> Bench:
    """A reinforcement command. The Soviet railway runs down column 10 from the north."""
    board.setdefault("sources", RAIL)
    board.setdefault("rails", (column(10, 1, 12), "0120 0220"))
    options = {key: board.pop(key) for key in ("guards", "off_map_line") if key in board}
    bench = Bench(board_t(**board), **options)
    bench.stand(standing, turn=turn, boxes=boxes, control=control)
    bench.jump("set_up_first", Frame("reinforcements", (side,)))
    return bench


def test_12_1_along_the_railway_R33() -> None:
    """12.0, 12.1, 12.1(1), R-33 Any railway hex joined to a source by railway, whatever the command range; weather does not matter."""
    bench = intake({}, POOL)
    assert bench.reach("soviet", "place", "su.rifle.32") == {f"10{row:02}" for row in range(1, 13)}
    assert bench.refused("soviet", "place", "su.rifle.32", "1101").rule == "12.1(1)"
    bench.do("soviet", "place", "su.rifle.32", "1012")
    assert bench.happened(Placed) == [Placed("su.rifle.32", "1012")]


def test_12_1_2_zones_cut_the_railway() -> None:
    """12.1(2), R-33 An EZOC cuts the path even where a friendly unit stands (example 77), nor may a reinforcement be put in one."""
    bench = intake({INF: "1106", RIFLE: "1006"}, POOL)
    assert bench.reach("soviet", "place", "su.rifle.32") == {"1001", "1002", "1003", "1004"}
    assert bench.refused("soviet", "place", "su.rifle.32", "1005").rule == "12.1(2)"
    assert bench.refused("soviet", "place", "su.rifle.32", "1008").rule == "12.1(1)"


def test_12_1_2_enemy_towns() -> None:
    """12.1(2), R-33 Not in an enemy-controlled town, but through one that is empty and clear."""
    bench = intake({}, POOL, control={"1004": "axis"}, places=(place("1004"),))
    assert "1004" not in bench.reach("soviet", "place", "su.rifle.32") and "1005" in bench.reach("soviet", "place", "su.rifle.32")
    assert bench.refused("soviet", "place", "su.rifle.32", "1004").rule == "12.1(2)"


def test_12_1_stacking_R08() -> None:
    """3.1(3), R-08 A third unit cannot be placed in a hex."""
    bench = intake({RIFLE: "1003", RIFLE2: "1003"}, POOL)
    assert bench.refused("soviet", "place", "su.rifle.32", "1003").rule == "3.1(1)"


def test_12_2_so_many_R34() -> None:
    """12.2(1), 12.2(2), R-34 Up to the number of the turn; with four in the box four are placed, the rest is lost (example 78)."""
    bench = intake({}, POOL)
    for name, hex_id in zip(POOL, ("1002", "1003", "1004", "1005"), strict=True):
        bench.do("soviet", "place", name, hex_id)
    assert IntakeClosed("soviet", 0) in bench.events
    assert bench.state.intake is None

    bench = intake({}, {"ax.sec.221": "box.available.axis", "ax.sec.286": "box.available.axis"}, side="axis")
    bench.do("axis", "place", "ax.sec.221", "0120")  # one a turn
    assert bench.state.intake is None and bench.hexes("ax.sec.286") == ("box.available.axis",)


def test_12_2_the_player_may_take_fewer() -> None:
    """R-34 What is not used is lost."""
    bench = intake({}, POOL)
    bench.do("soviet", "done")
    assert bench.state.intake is None


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
def test_12_3_who_returns_R35(name: str, why: str, home: str) -> None:
    """12.3(1), 12.3(2), R-35, 13.0(3), 13.0(5), R-36 Who may come back after being removed, and who never does."""
    assert home_of(Bench().state, name, why) == home


def test_R35_by_option() -> None:
    """R-35 Options: Axis infantry destroyed in combat returns, Soviet cavalry does not."""
    assert home_of(Bench(axis_infantry_returns=True).state, "ax.inf.5", "losses") == "box.available.axis"
    assert home_of(Bench(axis_infantry_returns=True).state, "ax.panzer.1", "losses") == "eliminated"
    assert home_of(Bench(soviet_cavalry_returns=False).state, "su.cav.50", "losses") == "eliminated"


def test_12_3_1_returns_at_full_strength() -> None:
    """12.3(1), R-35 What returns does so on its full face."""
    bench = Bench()
    bench.stand({RIFLE: "1010"}, reduced=(RIFLE,))
    bench.run(lambda table: table.emit(Eliminated(RIFLE, "losses", "box.available.soviet")))
    assert bench.hexes(RIFLE) == ("box.available.soviet",) and not bench.state.units[RIFLE].reduced


def test_13_0_an_hq_is_a_combat_unit_R36() -> None:
    """13.0, 13.0(3), 13.0(4), R-36 An HQ has steps and a ZOC, attacks and is attacked; removed by combat it waits in the box and comes back
    as a reinforcement."""
    bench = intake({}, {"su.hq.5a": "box.available.soviet"})
    bench.do("soviet", "place", "su.hq.5a", "1002")
    assert bench.hexes("su.hq.5a") == ("1002",)
    assert bench.state.steps("su.hq.5a") == 2
    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("1003"))
