"""14.2 Fortified zones."""

from tests.rules.typhoon.battles import (
    INFANTRY,
    NORTH,
    PANZERS,
    PANZERS9,
    RIFLES3,
    RIFLES4,
    column_of,
    odds_of,
)
from tests.rules.typhoon.bench import Bench, board_t, column, real_pack
from warledger.engine.games.typhoon.combat import Fought
from warledger.engine.games.typhoon.odds import assess


def test_14_2_kaluga_stormed_in_mud() -> None:
    """14.2, R-03, R-39, R-02, R-38 Four panzer divisions (32) from dry hexes and two of 9 over the
    river (18 halved) against 3 + 3 in the fortified big city: 41 to 10 is 4-1; two left in the
    clear, 2-1; three in mud and frost, 1.5-1; four in snow, 1-1."""
    bench = Bench(real_pack())
    placed = (
        dict.fromkeys(PANZERS[:2], "2319")
        | dict.fromkeys(PANZERS[2:], "2419")
        | dict.fromkeys(PANZERS9, "2321")
        | dict.fromkeys(RIFLES3[:2], "2320")
    )
    for turn, final in ((2, "2-1"), (3, "1.5-1"), (6, "1.5-1"), (8, "1-1")):
        bench.stand(placed, turn=turn)
        found = assess(bench.state, "axis", (*PANZERS, *PANZERS9), bench.state.data.hex("2320"))
        assert (found.attack, found.defence, column_of(found)) == (41, 10, final), turn


def test_14_2_1_fortified_zones_R39() -> None:
    """14.2(1), 14.2(2), R-39 +4 for a Soviet defence: 21 to 7 is 3-1 (example 64); once a hex,
    other terrain as usual: 21 to 10 on a light forest is 1.5-1 (example 65); never for the Axis
    (example 66)."""
    one = odds_of((*PANZERS[:2], INFANTRY[0]), RIFLES3[:1], fort="1010")
    assert (one.attack, one.defence, column_of(one)) == (21, 7, "3-1")
    two = odds_of((*PANZERS[:2], INFANTRY[0]), RIFLES3[:2], fort="1010", rows={"1010": "f"})
    assert (two.defence, column_of(two)) == (10, "1.5-1")
    assert odds_of(RIFLES4[:5], INFANTRY[:1], fort="1010").defence == 5


def test_14_2_1_R39_a_fortified_hex_under_two_stacks() -> None:
    """14.2(1), R-39, R-21 +4 once though one of two defenders has fallen back; never for an Axis
    stack."""
    assert odds_of(PANZERS, RIFLES3[:2], fort="1010").defence == 10
    assert odds_of(RIFLES4[:4], INFANTRY[:2], fort="1010").defence == 10


def test_14_2_1_a_fort_with_one_who_stands_and_one_who_fled() -> None:
    """14.2(1), R-21, R-39 The fugitive adds nothing, the other his 3 and the fort 4: 7."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 15),), fort="1009"))
    bench.stand(
        {
            PANZERS[0]: "1011",
            PANZERS[1]: "0910",
            PANZERS[2]: "0910",
            RIFLES3[0]: "1010",
            RIFLES3[1]: "1009",
        }
    )
    bench.activate("axis", *PANZERS[:3], segment="declaration")
    bench.do("axis", "attack", "1010", PANZERS[0])
    bench.do("axis", "attack", "1009", PANZERS[1], PANZERS[2])
    bench.dice(4, 3)
    bench.do("axis", "resolve", "1010")
    bench.do("axis", "done")
    fought = [event for event in bench.events if type(event) is Fought]
    assert [(event.attack, event.defence, event.column, event.result) for event in fought] == [
        (16, 7, "2-1", "-")
    ]
    assert bench.hexes(RIFLES3[0], RIFLES3[1]) == ("1009", "1009")
