"""4.0 Setting up."""

from tests.rules.typhoon.bench import Bench, real_pack


def test_4_0_order_by_option() -> None:
    """R-13 The order can be set otherwise."""
    assert set(Bench(real_pack(), set_up_first="axis").asked()) == {"axis"}


def test_4_0_2_free_set_up_R13() -> None:
    """4.0(2), R-13 The Soviets set up first; units go on the hexes of their own formation, two a
    hex, every hex must get one."""
    bench = Bench(real_pack())
    assert set(bench.asked()) == {"soviet"}

    assert (
        bench.refused("soviet", "place", "su.rifle.243", "1230").rule == "4.0(2)"
    )  # a hex of Bryansk Front
    assert bench.refused("soviet", "place", "su.hq.22a", "0702").rule == "4.0(2)"
    bench.do("soviet", "place", "su.rifle.243", "0702")
    bench.do("soviet", "place", "su.rifle.246", "0702")
    assert bench.refused("soviet", "place", "su.rifle.162", "0702").rule == "3.1(1)"
    assert bench.refused("soviet", "ready").key == "refusal.typhoon.not_ready"

    bench.do("soviet", "preset")
    bench.do("soviet", "place", "su.rifle.243", "0409")  # leaves 0408 bare
    assert bench.refused("soviet", "ready").key == "refusal.typhoon.bare_hex"
    bench.do("soviet", "place", "su.rifle.243", "0408")
    bench.do("soviet", "ready")
    assert set(bench.asked()) == {"axis"}


def test_4_0_2_the_axis_sets_up_by_army() -> None:
    """4.0(2), 2.22-2 A division of 3rd Panzer Army may not stand on a hex of 9th Army; a unit of
    the pool is not set up at all."""
    bench = Bench(real_pack(), set_up_first="axis")
    assert bench.refused("axis", "place", "ax.panzer.1", "0614").rule == "4.0(2)"
    assert bench.refused("axis", "place", "ax.sec.221", "0614").rule == "4.0(2)"
    bench.do("axis", "place", "ax.panzer.1", "0514")


def test_4_0_3_preset_and_boxes() -> None:
    """4.0(3) OPT units wait in the GD Convert box, 4.0(4) units without arrival information in the
    pool, 4.0(5) HQs with a printed hex stand there and the others in the box, 4.0(6) all on their
    full face, 4.0(8) turn 1; 2.1(1)2, 2.22-2 formations hold."""
    bench = Bench(real_pack(), set_up="preset")
    units = bench.state.units

    assert units["su.guards.7"].where == "box.gd_convert"
    assert units["ax.sec.221"].where == "box.available.axis"
    assert units["su.hq.5a"].where == "box.available.soviet"
    assert bench.hexes("ax.hq.2pza", "su.hq.22a", "ax.panzer.1") == ("1138", "1003", "0411")
    assert not any(unit.reduced for unit in units.values())
    assert bench.state.turn == 1


def test_4_0_5_hqs_stand_before_the_set_up() -> None:
    """4.0(5) HQs with a printed hex are placed by themselves, before any player sets up."""
    bench = Bench(real_pack())

    assert bench.hexes("ax.hq.9a", "su.hq.50a") == ("0414", "1426")


def test_4_0_7_chits_at_hand() -> None:
    """4.0(7), R-07 All chits lie at hand, RESERVE and OKH only with rule 15.1."""
    bench = Bench(real_pack())
    assert bench.board.pieces["chit.ax.guderian"].place == "chits.axis"
    assert "chit.ax.okh" not in bench.board.pieces

    assert "chit.ax.okh" in Bench(real_pack(), reserve_okh=True).board.pieces
