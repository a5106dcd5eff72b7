"""10.4, 10.5 The combat results table, and losses."""

import pytest

from tests.rules.typhoon.battles import (
    DATA,
    INFANTRY,
    NAMES,
    NORTH,
    PANZERS,
    PANZERS9,
    RIFLES2,
    RIFLES3,
    RIFLES4,
    fight,
)
from tests.rules.typhoon.bench import HQ22, TANK, Bench, board_t, column
from warledger.engine.games.typhoon.combat import FallBack, Fought
from warledger.engine.games.typhoon.losses import Eliminated, LossesTaken, Reduced
from warledger.engine.games.typhoon.retreat import Retreated

CRT = """
die 1: A2 A1 A1 - - R R RR RR 1RR 1RR
die 2: A1 A1 - - R R RR RR 1RR 1RR 2RR
die 3: A1 - - R R RR RR 1RR 1RR 2RR 2RR
die 4: - - R R RR RR 1RR 1RR 2RR 2RR 3RR
die 5: - R R RR RR 1RR 1RR 2RR 2RR 3RR 3RR
die 6: R R RR RR 1RR 1RR 2RR 2RR 3RR 3RR 4RR
"""


# --- 10.4 -----------------------------------------------------------------------------------------


def test_10_4_1_the_whole_crt() -> None:
    """10.4(1), 10.4(2), CRT Every cell, and the regularity: a result depends on column plus die
    alone (example 17)."""
    by_sum: dict[int, set[str]] = {}
    for line in CRT.strip().splitlines():
        head, _, cells = line.partition(":")
        die = int(head.split()[1])
        for index, cell in enumerate(cells.split()):
            assert DATA.crt.result(index, die) == cell, (NAMES[index], die)
            by_sum.setdefault(index + die - 1, set()).add(cell)
    assert all(len(cells) == 1 for cells in by_sum.values())
    assert NAMES == ("1-1", "1.5-1", "2-1", "3-1", "4-1", "5-1", "6-1", "7-1", "8-1", "9-1", "10-1")


def test_10_4_2_1_A2_on_one_full_division() -> None:
    """10.4(1), 10.4(2)1, R-24 A2 against a lone full attacker takes both its steps: it is gone,
    with no question, and an Axis division for good."""
    bench = fight(INFANTRY[:1], RIFLES4[:1], 1)  # 5 to 4: 1-1
    assert bench.happened(LossesTaken) == [LossesTaken("axis", (INFANTRY[0], INFANTRY[0]))]
    assert bench.hexes(INFANTRY[0]) == ("eliminated",)


def test_10_4_2_1_A1_hits_participants_only() -> None:
    """10.4(2)1, R-24 A stack mate that did not attack cannot bear the loss."""
    bench = Bench()
    bench.stand(
        {
            INFANTRY[0]: "1011",
            INFANTRY[1]: "1011",
            PANZERS[0]: "0911",
            RIFLES4[0]: "1010",
            RIFLES4[1]: "1010",
        }
    )
    bench.activate("axis", INFANTRY[0], INFANTRY[1], PANZERS[0], segment="declaration")
    bench.dice(2)
    bench.attack("axis", ("1010", INFANTRY[0], PANZERS[0]))  # 13 to 8: 1.5-1, A1
    assert bench.refused("axis", "lose", INFANTRY[1]).rule == "10.5(2)"
    bench.do("axis", "lose", PANZERS[0])


def test_10_4_2_5_4RR_clears_the_hex() -> None:
    """10.4(2)5, R-24, 12.3 4RR on two full units: no question, no retreat; the rifle division goes
    to the box, the motorised one for good; the attackers may advance."""
    bench = fight(
        (*PANZERS, *PANZERS9),
        (RIFLES3[0], "su.mot.107"),
        6,
        sources=NORTH,
        rails=(column(10, 20, 15),),
    )  # 50 to 7 is 7-1, 2RR with 6
    assert bench.asked() == {"soviet": "prompt.typhoon.losses"}
    bench = fight(
        (*PANZERS, *PANZERS9),
        (RIFLES2[0], RIFLES2[1]),
        6,
        sources=NORTH,
        rails=(column(10, 20, 15),),
    )  # 50 to 4: 10-1, 4RR
    assert bench.hexes(*RIFLES2) == ("box.available.soviet",) * 2
    assert not bench.happened(FallBack) and bench.asked() == {"axis": "prompt.typhoon.advance"}


# --- 10.5 -----------------------------------------------------------------------------------------


def test_10_5_R24_more_losses_than_steps() -> None:
    """R-24 If losses exceed steps everything is removed, without a question."""
    bench = fight(PANZERS, (TANK,), 6)
    assert bench.happened(LossesTaken) == [LossesTaken("soviet", (TANK,))]


def test_10_5_3RR_on_a_division_and_an_hq() -> None:
    """10.5, R-24, 13.0(3) 3RR on a full rifle division and a full HQ: three of four steps; the HQ
    may go entirely, into the box; the division, flipped, retreats two hexes."""
    bench = fight(
        (*PANZERS, *PANZERS9), (RIFLES3[0], HQ22), 4, sources=NORTH, rails=(column(10, 20, 15),)
    )  # 50 to 5: 10-1, die 4: 3RR
    bench.do("soviet", "lose", HQ22, HQ22, RIFLES3[0])
    assert bench.hexes(HQ22) == ("box.available.soviet",)
    assert bench.state.units[RIFLES3[0]].reduced
    assert bench.happened(FallBack) == [FallBack((RIFLES3[0],), 2)]


def test_10_5_losses_come_before_the_zones() -> None:
    """10.5, 10.6(4), R-24, R-27, R-35 1RR on a lone full rifle division with its one way through an
    EZOC: flipped by the loss, dead in the zone; removed by combat, it waits in the box, on its full
    face."""
    walls = {f"{c:02}09": "L" for c in range(1, 21) if c != 10} | {
        f"{c:02}10": "L" for c in (9, 11)
    }
    bench = fight(
        PANZERS, RIFLES3[:1], 1, sources=NORTH, rails=(column(10, 20, 15),), rows=walls
    )  # 32 to 3: 10-1, 1RR; no EZOC yet on the way
    assert bench.hexes(RIFLES3[0]) == ("1008",) and bench.state.units[RIFLES3[0]].reduced
    board = board_t(
        sources=NORTH,
        rails=(column(10, 20, 15),),
        rows={k: v for k, v in walls.items() if k != "1109"},
    )
    bench = Bench(board)
    bench.stand(
        {
            PANZERS[0]: "1011",
            PANZERS[1]: "1011",
            PANZERS[2]: "0911",
            PANZERS[3]: "0911",
            INFANTRY[0]: "1109",
            RIFLES3[0]: "1010",
        }
    )
    bench.activate("axis", *PANZERS, segment="declaration")
    bench.dice(1)
    bench.attack("axis", ("1010", *PANZERS))
    assert [type(event) for event in bench.events if type(event) in (Reduced, Eliminated)] == [
        Reduced,
        Eliminated,
    ]
    assert (
        bench.hexes(RIFLES3[0]) == ("box.available.soviet",)
        and not bench.state.units[RIFLES3[0]].reduced
    )


def test_10_5_1_attacker_divides_A1() -> None:
    """10.5(1), 10.5(2), 10.4(2) A1: the owner flips one of two attackers, the other is unharmed
    (example 40)."""
    bench = fight((PANZERS[0], INFANTRY[0]), RIFLES4[:2], 1)  # 13 to 8: 1.5-1, A1
    assert bench.asked() == {"axis": "prompt.typhoon.losses"}
    bench.do("axis", "lose", INFANTRY[0])
    assert bench.state.units[INFANTRY[0]].reduced and not bench.state.units[PANZERS[0]].reduced


def test_10_5_1_defender_removes_one_or_flips_both() -> None:
    """10.5(1), 10.5(2), R-24 2RR against two full units: one is removed, or both are flipped
    (example 41); before the retreat."""
    bench = fight(PANZERS, RIFLES2, 4)  # 32 to 4: 8-1, 2RR
    assert bench.asked() == {"soviet": "prompt.typhoon.losses"}
    assert bench.options("soviet", "lose", RIFLES2[0]) == RIFLES2
    assert bench.refused("soviet", "lose", RIFLES2[0], "su.rifle.2").rule == "10.5(2)"
    bench.do("soviet", "lose", RIFLES2[0], RIFLES2[0])
    assert bench.hexes(RIFLES2[0]) == ("box.available.soviet",)

    bench = fight(PANZERS, RIFLES2, 4)
    bench.do("soviet", "lose", *RIFLES2)
    assert all(bench.state.units[name].reduced for name in RIFLES2 if bench.state.at(name) >= 0)


def test_10_5_1_one_step_unit_dies_R05() -> None:
    """10.5(1), R-05 1RR against a lone one-step unit: eliminated, no retreat; the attackers may
    advance (example 42)."""
    bench = fight((*PANZERS9,), (TANK,), 1)  # 18 to 2: 9-1, 1RR
    assert bench.happened(Eliminated) == [Eliminated(TANK, "losses", "eliminated")]
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}


def test_10_5_1_exactly_the_steps_owed_are_divided() -> None:
    """10.5(1), 10.5(2) A reduced unit bears one step only; exactly the steps owed are divided."""
    bench = fight(PANZERS, RIFLES2, 2, reduced=(RIFLES2[0],))  # 32 to 3: 10-1, 2RR
    assert bench.refused("soviet", "lose", RIFLES2[0], RIFLES2[0]).rule == "10.5(1)"
    assert bench.refused("soviet", "lose", RIFLES2[0], RIFLES2[1], RIFLES2[1]).rule == "10.5(2)"


@pytest.mark.parametrize("given", [PANZERS[0], INFANTRY[0]])
def test_10_5_1_A1_may_remove_the_reduced_one(given: str) -> None:
    """10.5(1), 10.5(2) A1 on a full panzer and a reduced infantry division: the owner flips the one
    or gives up the other."""
    bench = fight(
        (PANZERS[0], INFANTRY[0]), RIFLES4[:2], 2, reduced=(INFANTRY[0],)
    )  # 8 + 3 to 8: 1-1, die 2: A1
    assert bench.asked() == {"axis": "prompt.typhoon.losses"}
    bench.do("axis", "lose", given)
    assert bench.state.units[PANZERS[0]].reduced is (given == PANZERS[0])
    assert (bench.hexes(INFANTRY[0]) == ("eliminated",)) is (given == INFANTRY[0])


def test_10_5_1_RR_on_a_brigade_and_a_division() -> None:
    """10.5(1), R-05 1RR on a one-step brigade and a full division: the brigade is given up and the
    division retreats whole, or the division is flipped and both go."""
    for given, survivors in ((TANK, (RIFLES3[0],)), (RIFLES3[0], (RIFLES3[0], TANK))):
        bench = fight(
            (*PANZERS, PANZERS9[0]),
            (TANK, RIFLES3[0]),
            3,
            sources=NORTH,
            rails=(column(10, 20, 15),),
        )  # 41 to 5: 8-1, die 3: 1RR
        bench.do("soviet", "lose", given)
        assert bench.state.units[RIFLES3[0]].reduced is (given == RIFLES3[0])
        assert bench.happened(FallBack) == [FallBack(survivors, 2)]


def test_10_5_2_RR_on_a_full_and_a_reduced_division() -> None:
    """10.5(1), 10.5(2), 10.6 2RR on three steps: both from the full one, which is gone, or one from
    each, and the reduced one is gone; who is left is reduced and retreats two hexes. Never both
    from the reduced one."""
    for shares, gone, stays in (
        ((RIFLES2[0], RIFLES2[0]), RIFLES2[0], RIFLES2[1]),
        (RIFLES2, RIFLES2[1], RIFLES2[0]),
    ):
        bench = fight(
            PANZERS, RIFLES2, 2, reduced=(RIFLES2[1],), sources=NORTH, rails=(column(10, 20, 15),)
        )  # 32 to 3: 10-1, die 2: 2RR
        assert [event.result for event in bench.happened(Fought)] == ["2RR"]
        assert bench.refused("soviet", "lose", RIFLES2[1], RIFLES2[1]).rule == "10.5(1)"
        bench.do("soviet", "lose", *shares)
        assert bench.hexes(gone) == ("box.available.soviet",)
        assert bench.state.units[stays].reduced
        assert bench.happened(FallBack) == [FallBack((stays,), 2)]


def test_10_5_2_A2_among_a_full_and_a_reduced_one() -> None:
    """10.5(2) A2 among a full 5 and a reduced 3: one step each, or both from the full one; not two
    from the reduced one."""
    bench = fight(
        INFANTRY[:2], (*RIFLES4[:1], RIFLES3[0]), 1, reduced=(INFANTRY[1],)
    )  # 5 + 3 to 7: 1-1
    assert bench.asked() == {"axis": "prompt.typhoon.losses"}
    assert bench.refused("axis", "lose", INFANTRY[1], INFANTRY[1]).rule == "10.5(1)"
    bench.do("axis", "lose", INFANTRY[0], INFANTRY[0])
    assert bench.hexes(INFANTRY[0]) == ("eliminated",) and bench.state.at(INFANTRY[1]) >= 0


def test_10_5_3_RR_on_three_steps() -> None:
    """10.5, R-24 3RR on a full and a reduced division: both are gone without a question, nobody
    retreats, the attackers may advance."""
    bench = fight(
        PANZERS, RIFLES2, 4, reduced=(RIFLES2[1],), sources=NORTH, rails=(column(10, 20, 15),)
    )
    assert bench.happened(LossesTaken) == [
        LossesTaken("soviet", (RIFLES2[0], RIFLES2[0], RIFLES2[1]))
    ]
    assert not bench.happened(FallBack) and not bench.happened(Retreated)
    assert bench.asked() == {"axis": "prompt.typhoon.advance"}
