"""Chapters 5 and 6: stacking and zones of control."""

import pytest

from engine.board.stacking import breach
from tests.rules.victory_lost.bench import Bench, board_t


def test_E73_5_0_1_two_hqs_may_pass_but_not_end_together() -> None:
    """5.0.1: A hex with two units and an HQ is no place for another HQ to end, but it may pass through."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1011", "su.rifle.153": "1011", "su.hq.1gda": "1011", "su.hq.6a": "1010"})
    bench.activate("soviet", "su.hq.6a")

    assert not bench.choices("soviet", "move", "su.hq.6a", "1011").complete
    assert bench.refused("soviet", "move", "su.hq.6a", "1011").key == "refusal.victory_lost.one_hq"
    assert "1012" in bench.reach("soviet", "move", "su.hq.6a")
    bench.do("soviet", "move", "su.hq.6a", "1013")
    assert bench.hexes("su.hq.6a") == ("1013",)


def test_5_0_1_a_third_unit_may_pass_but_not_end() -> None:
    """5.0.1: Two units fill a hex; a third may go through it."""
    bench = Bench()
    bench.stand({"su.rifle.1": "1011", "su.rifle.153": "1011", "su.rifle.195": "1010"})
    bench.activate("soviet", "su.rifle.195")

    assert not bench.choices("soviet", "move", "su.rifle.195", "1011").complete
    bench.do("soviet", "move", "su.rifle.195", "1011", "1012")
    assert bench.hexes("su.rifle.195") == ("1012",)


@pytest.mark.parametrize(
    ("first", "second", "legal"),
    [("ax.inf.62", "ax.it.cos", True), ("ax.it.cos", "ax.ro.5", False), ("ax.ro.5", "ax.ro.7", True), ("ax.hu.6", "ax.it.cos", False)],
)
def test_E92_5_0_3_axis_nations(first: str, second: str, legal: bool) -> None:
    """5.0.3: Germans stack with all; Italians, Hungarians and Romanians with their own and Germans only."""
    data = Bench().state.data

    assert (breach(data.limits, [data.types[first].piece, data.types[second].piece]) is None) == legal


def test_5_0_3_a_move_may_not_end_with_another_minor_nation() -> None:
    """5.0.3: Nowhere to go on to behind a Romanian: the hex is not offered, and the refusal names the clause."""
    around = dict.fromkeys(("1012", "1111", "1112", "0911", "0912"), "~") | {"1011": "^"}
    bench = Bench(board_t(rows=around))
    bench.stand({"ax.it.cos": "1010", "ax.ro.5": "1011"}, supply={"ax.it.cos": 2})
    bench.activate("axis", "ax.it.cos")

    assert "1011" not in bench.reach("axis", "move", "ax.it.cos")
    assert bench.refused("axis", "move", "ax.it.cos", "1011").rule == "5.0.3"


def test_6_0_1_zones_cover_the_six_neighbours() -> None:
    """6.0.2: 6.0.1: A unit exerts a zone around it, over rivers too, not into water nor across impassable hexsides; an HQ has none."""
    bench = Bench(board_t(rows={"1009": "~"}, rivers={"major": "1010-1110"}, impassable="1010-1011"))
    bench.stand({"su.rifle.1": "1010", "su.hq.1gda": "0510"})
    field, data = bench.state.field, bench.state.data

    in_zone = {data.name(i) for i in range(len(data.board.grid)) if field.in_enemy_zone("axis", i)}
    assert in_zone == {"1110", "1111", "0911", "0910"}


def test_6_0_3_zones_count_once() -> None:
    """6.0.3: Two units next to a hex make it no dearer than one."""
    bench = Bench()
    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210", "ax.inf.294": "1209"})
    bench.activate("soviet", "su.tank.18")
    events = bench.do("soviet", "move", "su.tank.18", "1110")

    assert events[0].left == 14 - 6
