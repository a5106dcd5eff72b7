"""8.2 Zones of control in movement."""

from tests.rules.victory_lost.battles import GERMAN, TANK
from tests.rules.victory_lost.bench import RIFLE, Bench, board_t
from tests.rules.victory_lost.marches import DON, ROAD, cost, moving


def test_8_2_1_entering_and_leaving_a_zone_costs_two_each() -> None:
    """8.2.1 (E24): Clear hex into a zone costs 3 points, out of a zone into a free hex 3, from zone
    to zone 5."""
    bench = Bench()
    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210"})
    assert cost(bench, "su.tank.18", "1110") == 6

    bench.stand({"su.tank.18": "1110", "ax.inf.62": "1210"})
    assert cost(bench, "su.tank.18", "1010") == 6
    assert cost(bench, "su.tank.18", "1111") == 10


def test_8_2_1_out_of_a_zone_across_a_stream_into_a_zone_in_woods() -> None:
    """8.2.1, 8.1.3: 2 for leaving, 2 for entering, 2 for woods and 1 for the river: 7, a tank
    corps's whole allowance; a rifle division with 4 cannot."""
    bench = Bench(board_t(rows={"1110": "f"}, rivers={"minor": "1010-1110"}))
    bench.stand({TANK: "1010", RIFLE: "1010", GERMAN: "1009"})
    assert cost(bench, TANK, "1110") == 14

    moving(bench, TANK, RIFLE)
    assert "1110" in bench.reach("soviet", "move", TANK)
    assert bench.options("soviet", "move", TANK, "1110") == ()
    assert bench.refused("soviet", "move", RIFLE, "1110").rule == "8.1.2"


def test_8_2_1_R16_an_overrun_in_a_zone_costs_the_zone() -> None:
    """R-16, 8.2.1: 1 + 3 into the HQ's hex, which a German covers; of 7 points 3 are left, just
    enough to leave the zone by a free hex."""
    bench = Bench()
    bench.stand({TANK: "1210", "ax.hq.4pza": "1010", GERMAN: "0910"})
    moving(bench, TANK)
    bench.do("soviet", "move", TANK, "1010")
    bench.do("axis", "reset", bench.options("axis", "reset")[0])

    assert set(bench.options("soviet", "on")) == {"1110", "1111", "1011"}


def test_8_2_1_from_zone_to_zone_takes_five_points() -> None:
    """8.2.1, R-10: 1 + 2 + 2 = 5: a tank corps goes one such hex and has 2 points left, too few for
    anything; a rifle division with 4 stays; cavalry with 6 has 1 left."""
    bench = Bench()
    places = {TANK: "1010", "su.cav.8": "1010", RIFLE: "1011", GERMAN: "0910", "ax.inf.294": "0912"}
    bench.stand(places)
    zones = [
        bench.state.field.in_enemy_zone("soviet", bench.state.data.hex(name))
        for name in ("1010", "1009", "0911", "1011")
    ]
    assert zones == [True, True, True, True]
    assert (cost(bench, TANK, "1009"), cost(bench, "su.cav.8", "1009")) == (10, 10)
    bench.activate("soviet", TANK, "su.cav.8", RIFLE)
    assert bench.options("soviet", "move", TANK, "1009") == ()
    assert bench.refused("soviet", "move", TANK, "1009", "1008").rule == "8.1.2"
    refusal = bench.refused("soviet", "move", RIFLE, "1010")
    assert (refusal.rule, "1010" in bench.reach("soviet", "move", RIFLE)) == ("8.1.2", False)


def test_8_2_1_a_road_does_not_lift_the_zone() -> None:
    """8.2.1, 8.3.1: On a road in a zone, 4 points: out of it 3, one more hex 1; no strategic
    movement for it."""
    bench = Bench(board_t(roads=(ROAD,)))
    bench.stand({RIFLE: "0510", GERMAN: "0511"})
    moving(bench, RIFLE)

    assert cost(bench, RIFLE, "0609", "0710") == 8
    assert "0710" in bench.reach("soviet", "move", RIFLE)
    assert "0809" not in bench.reach("soviet", "move", RIFLE)
    assert "road" not in bench.options("soviet", "move", RIFLE)
    assert bench.refused("soviet", "move", RIFLE, "road").rule == "8.3.1"


def test_8_2_2_no_crossing_between_zones() -> None:
    """8.2.2 (E29): A major river, bridged too, may not be crossed with enemy zones on both banks;
    with a zone on one bank it may."""
    bench = Bench(board_t(rivers={"major": DON}, bridges="1010-1110"))
    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1009"})
    bench.activate("soviet", "su.tank.18")
    assert bench.refused("soviet", "move", "su.tank.18", "1110").rule == "8.2.2"

    bench.stand({"su.tank.18": "1010", "ax.inf.62": "1210"})
    bench.activate("soviet", "su.tank.18")
    assert "1110" in bench.reach("soviet", "move", "su.tank.18")
