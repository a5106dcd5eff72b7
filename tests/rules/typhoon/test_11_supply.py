"""11.0 Supply and the evacuation box."""

from tests.rules.chit_bench import source
from tests.rules.typhoon.battles import INFANTRY, RIFLES3
from tests.rules.typhoon.bench import INF, RIFLE, RIFLE2, RIFLE3, Bench, board_t, column
from tests.rules.typhoon.campaign import LANE, POOL, RAIL, supplied, supply
from warledger.engine.games.typhoon.headquarters import home_of
from warledger.engine.games.typhoon.losses import Eliminated, Reduced
from warledger.engine.games.typhoon.state import AVAILABLE, EVACUATED
from warledger.engine.games.typhoon.supply import Evacuated, SupplyChecked
from warledger.engine.kernel.position import Frame

RING = dict(
    zip(
        ("ax.inf.5", "ax.inf.35", "ax.inf.8", "ax.inf.28", "ax.inf.87", "ax.inf.86"),
        ("1009", "1110", "1111", "1011", "0911", "0910"),
        strict=True,
    )
)


# --- 11.1 -----------------------------------------------------------------------------------------


def test_11_1_steps_are_lost_R31() -> None:
    """11.0, 11.1(1), R-31, R-35, 12.3(2) An encircled full division is flipped, a reduced one
    eliminated for good (example 74)."""
    bench = supply({RIFLE: "1010", RIFLE2: "1010", **RING}, reduced=(RIFLE2,))
    (event,) = bench.happened(SupplyChecked)
    assert set(event.units) >= {RIFLE, RIFLE2}
    assert Reduced(RIFLE, "supply") in bench.events
    assert bench.happened(Eliminated) == [Eliminated(RIFLE2, "supply", "eliminated")]


def test_11_1_1_both_sides_on_one_position() -> None:
    """11.1(1), R-31 Both sides are judged before anything is taken off."""
    bench = supply(
        {RIFLE: "1010", **RING, RIFLE3: "2010"},
        sources=(source("axis", "0101"), source("soviet", "2010")),
        rails=("0101 0201",),
    )
    (event,) = bench.happened(SupplyChecked)
    assert set(event.units) == {RIFLE, *RING}  # too far from the railway


def test_11_1_1_R31_two_draws_end_a_pocket() -> None:
    """11.1(1), R-31, 12.3(2), 13.0(5) The first SUPPLY flips the pocket, the second removes it for
    good, its HQ too; a one-step unit goes at once (R-05)."""
    pocket = {RIFLE: "1010", "su.hq.22a": "1010"}
    bench = supply({**pocket, **RING})
    assert {event.unit for event in bench.happened(Reduced)} >= set(pocket)
    bench.jump("set_up_first", "supply", "supply_losses")
    assert {
        (event.unit, event.where) for event in bench.happened(Eliminated) if event.unit in pocket
    } == {(name, "eliminated") for name in pocket}
    tank = supply({"su.tank.127": "1010", **RING})
    assert Eliminated("su.tank.127", "supply", "eliminated") in tank.events


def test_11_1_1_the_blocker_falls_with_the_blocked() -> None:
    """11.1(1), R-31 A reduced German division at 1005 cuts the one line of a rifle division at 1010
    and has none itself: one position, both lose a step, the German is out for good."""
    bench = supplied({RIFLES3[0]: "1010", INFANTRY[0]: "1005"}, rows=LANE, reduced=(INFANTRY[0],))
    assert bench.happened(SupplyChecked)[0].units == (INFANTRY[0], RIFLES3[0])
    assert (
        Eliminated(INFANTRY[0], "supply", "eliminated") in bench.events
        and Reduced(RIFLES3[0], "supply") in bench.events
    )


def test_11_1_1_supply_of_one_step_units_and_hqs() -> None:
    """11.1(1), R-05, 13.0(5), R-40 Cut off, a garrison unit is gone at once, an HQ flips; nobody
    removed so returns, of whatever kind."""
    bench = supplied({"su.moscow.1": "1010", "su.hq.22a": "1010", INFANTRY[0]: "1005"}, rows=LANE)
    assert bench.hexes("su.moscow.1", "su.hq.22a") == ("eliminated", "1010")
    for name in ("su.moscow.1", "su.hq.22a", "ax.hq.2pza", "su.rifle.133", "su.cav.50"):
        assert home_of(bench.state, name, "supply") == "eliminated"


def test_11_1_1_the_last_hex_of_the_line_off_the_railway() -> None:
    """11.1(1), 3.3(3) Axis divisions six and seven hexes from the railway's end: the seventh loses
    a step; a Soviet one forty hexes from its source does not."""
    bench = supplied({INFANTRY[0]: "1009", INFANTRY[1]: "1008", RIFLES3[0]: "0120"})
    assert bench.happened(SupplyChecked)[0].units == (INFANTRY[1],)


# --- 11.2 -----------------------------------------------------------------------------------------


def test_11_2_R32_units_with_a_line_are_evacuated() -> None:
    """11.2, R-32 First the Axis, then the Soviets may lift units with a LOC; they keep their steps
    and come back on a later turn, not counted against the number (12.2)."""
    bench = supply(
        {INF: "0210", RIFLE: "1910", RIFLE2: "1010", **{k: v for k, v in RING.items() if k != INF}},
        reduced=(RIFLE,),
    )
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


def test_11_2_R32_returning_units_may_count_by_option() -> None:
    """R-32 By option a returning unit uses up a reinforcement, by default it does not."""
    for counted, left in ((False, 6), (True, 5)):
        bench = Bench(
            board_t(sources=RAIL, rails=(column(10, 1, 8),)),
            evacuated_units_count_against_reinf=counted,
        )
        bench.stand({}, turn=3, boxes={RIFLE: "box.evacuated.soviet", **POOL})
        bench.change(evacuated={RIFLE: 2})
        bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
        bench.do("soviet", "place", RIFLE, "1003")
        assert bench.state.intake is not None and bench.state.intake.left == left


def test_11_2_R32_what_returns_keeps_its_face_and_obeys_12_1() -> None:
    """11.2, R-32 A reduced unit comes back reduced, by rail only; it may stay in its box."""
    bench = Bench(
        board_t(
            sources=(source("axis", "0120"), source("soviet", "1001")),
            rails=(column(10, 1, 12), "0120 0220"),
        )
    )
    bench.stand({INFANTRY[0]: "1106"}, turn=3, boxes={RIFLE: "box.evacuated.soviet"})
    lifted = type(bench.state.units[RIFLE])(-1, EVACUATED["soviet"], True)
    bench.change(evacuated={RIFLE: 2}, units={**bench.state.units, RIFLE: lifted})
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert bench.reach("soviet", "place", RIFLE) == {"1001", "1002", "1003", "1004"}
    bench.do("soviet", "place", RIFLE, "1004")
    assert bench.state.units[RIFLE].reduced and RIFLE not in bench.state.evacuated


def test_11_2_evacuation_is_judged_after_the_losses() -> None:
    """11.2, R-32 With the blocker gone the rifle division has a LOC and may be lifted, reduced as
    it is."""
    bench = supplied({RIFLES3[0]: "1010", INFANTRY[0]: "1005"}, rows=LANE, reduced=(INFANTRY[0],))
    assert bench.asked() == {"soviet": "prompt.typhoon.evacuate"}
    bench.do("soviet", "evacuate", RIFLES3[0])
    assert bench.happened(Evacuated) == [Evacuated(RIFLES3[0])]
    assert bench.state.units[RIFLES3[0]].reduced and bench.hexes(RIFLES3[0]) == (
        "box.evacuated.soviet",
    )


def test_11_2_the_axis_lifts_first_and_opens_the_line() -> None:
    """11.2, R-32 The Axis lifts the division whose zone cut the Soviet line; the Soviets, second,
    may then lift what was cut off."""
    rows = {k: v for k, v in LANE.items() if k != "1105"}
    bench = supplied(
        {RIFLES3[0]: "1010", INFANTRY[0]: "1105"},
        rows=rows,
        sources=(source("axis", "1605"), source("soviet", "1001")),
        rails=("1605 1505",),
    )
    assert bench.happened(SupplyChecked)[0].units == (RIFLES3[0],)
    assert bench.options("axis", "evacuate") == (INFANTRY[0],)
    bench.do("axis", "evacuate", INFANTRY[0])
    assert bench.options("soviet", "evacuate") == (RIFLES3[0],)


def test_11_2_the_lifted_come_besides_the_full_number() -> None:
    """11.2, 12.2(1), R-32 On turn 3 six of seven waiting divisions come; the seventh is refused, a
    lifted one still comes."""
    pool = (
        "su.rifle.32",
        "su.rifle.78",
        "su.rifle.93",
        "su.rifle.238",
        "su.rifle.239",
        "su.rifle.312",
        "su.rifle.316",
    )
    bench = Bench(board_t(sources=RAIL, rails=(column(10, 1, 12), "0120 0220")))
    bench.stand(
        {},
        turn=3,
        boxes={**dict.fromkeys(pool, AVAILABLE["soviet"]), RIFLES3[0]: EVACUATED["soviet"]},
    )
    bench.change(evacuated={RIFLES3[0]: 2})
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    for index, name in enumerate(pool[:6]):
        bench.do("soviet", "place", name, f"10{index + 1:02}")
    assert bench.options("soviet", "place") == (RIFLES3[0],)
    assert bench.refused("soviet", "place", pool[6]).rule == "12.2(1)"
    bench.do("soviet", "place", RIFLES3[0], "1007")
    assert bench.state.intake is None and bench.hexes(pool[6]) == (AVAILABLE["soviet"],)


def test_11_2_lifted_this_turn_stays_in_its_box() -> None:
    """11.2 SUPPLY before SOVIET REINF on the same turn: what was lifted may not come back yet, and
    the refusal says so."""
    bench = Bench(board_t(sources=RAIL, rails=(column(10, 1, 12), "0120 0220")))
    bench.stand(
        {},
        turn=4,
        boxes={
            "su.rifle.32": AVAILABLE["soviet"],
            RIFLES3[0]: EVACUATED["soviet"],
            RIFLES3[1]: EVACUATED["soviet"],
        },
    )
    bench.change(evacuated={RIFLES3[0]: 4, RIFLES3[1]: 3})
    bench.jump("set_up_first", Frame("reinforcements", ("soviet",)))
    assert set(bench.options("soviet", "place")) == {"su.rifle.32", RIFLES3[1]}
    assert bench.refused("soviet", "place", RIFLES3[0]).rule == "11.2"
