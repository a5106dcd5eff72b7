"""14.4 Victory."""

import pytest

from tests.rules.typhoon.battles import INFANTRY, NORTH, PANZERS, RIFLES3, RIFLES4, battle
from tests.rules.typhoon.bench import Bench, board_t, column, place, real_pack
from tests.rules.typhoon.campaign import end_of
from warledger.engine.games.typhoon import RULES
from warledger.engine.games.typhoon.victory import GameOver, GateReached, held

TEN = dict.fromkeys(
    ("0417", "1515", "1508", "1529", "2331", "2339", "2320", "2203", "3022", "2911"), "axis"
)
EIGHT = {name: side for name, side in TEN.items() if name not in ("3022", "2911")}

PRIZES = (
    place("1010", kind="big_city", group="moscow"),
    place("0505", kind="big_city", owner="axis", group="tula"),
)


def test_14_4_1_ten_cities_on_turn_10_R41() -> None:
    """14.4(1), R-41, R-50, 3.4(1) Ten big-city hexes with LOC, two of them of Moscow and Tula: the
    Axis wins at once (example 81)."""
    bench = end_of(10, TEN)
    assert bench.happened(GameOver) == [GameOver("axis", "early")]
    assert bench.position.outcome is not None and bench.position.outcome.winner == "axis"


def test_14_4_1_without_a_line_R41() -> None:
    """14.4(1), R-09 The same with Moscow West cut off: nine, the game goes on (example 82)."""
    around = dict(
        zip(
            (
                "su.rifle.133",
                "su.rifle.174",
                "su.rifle.179",
                "su.rifle.186",
                "su.rifle.256",
                "su.rifle.246",
            ),
            ("2910", "3010", "3011", "2912", "2811", "2810"),
            strict=True,
        )
    )
    bench = end_of(10, TEN, places=around)
    assert len(held(bench.state)) == 9
    assert not bench.happened(GameOver) and bench.state.turn == 11


def test_14_4_1_other_turns_do_not_count() -> None:
    """14.4(1), R-41 Only the end of turn 10 is looked at."""
    assert not end_of(9, TEN).happened(GameOver)


def test_14_4_1_R41_the_city_itself_may_lie_in_a_zone() -> None:
    """14.4(1), R-09 (e), R-41 An EZOC on a controlled, empty big city does not break its LOC; held
    are ten all the same."""
    bench = end_of(10, TEN, places={"su.rifle.133": "2319"})
    assert bench.state.field.in_enemy_zone("axis", bench.state.data.hex("2320"))
    assert bench.happened(GameOver) == [GameOver("axis", "early")]


def test_14_4_1_R41_nine_or_one_prize_do_not_suffice() -> None:
    """14.4(1) Ten hexes with one of Moscow and Tula only, or nine with two: no win on turn 10."""
    one = {**{name: side for name, side in TEN.items() if name != "2911"}, "4019": "axis"}
    assert not end_of(10, one).happened(GameOver)
    nine = {name: side for name, side in TEN.items() if name != "2339"}
    bench = end_of(10, nine)
    assert len(held(bench.state)) == 9 and not bench.happened(GameOver)


def test_14_4_1_two_of_moscow_serve_without_tula() -> None:
    """14.4(1) Ten hexes, two of them of Moscow and none Tula: the Axis wins on turn 10."""
    cities = {**{name: side for name, side in TEN.items() if name != "3022"}, "3011": "axis"}
    assert end_of(10, cities).happened(GameOver) == [GameOver("axis", "early")]


@pytest.mark.parametrize(
    ("latch", "winner", "how"), [(True, "axis", "late"), (False, "soviet", "held")]
)
def test_14_4_2_the_latch_on_turn_12(latch: bool, winner: str, how: str) -> None:
    """14.4(2), 14.4(3), R-41 Eight with LOC at the end of turn 12 win only if two of Moscow and
    Tula were held at one time (example 84)."""
    assert end_of(12, EIGHT, latch=latch).happened(GameOver) == [GameOver(winner, how)]


def test_14_4_2_the_latch_is_set_at_once() -> None:
    """14.4(2), R-41 The latch is set by the move that takes the second hex, and stays when it is
    lost again."""
    bench = Bench(real_pack())
    bench.stand({"ax.inf.5": "3021"}, turn=9, control={"2911": "axis"})
    bench.activate("axis", "ax.inf.5")
    bench.do("axis", "move", "ax.inf.5", "3022")
    assert bench.happened(GateReached) and bench.state.latch


@pytest.mark.parametrize(("cities", "winner"), [(8, "axis"), (7, "soviet")])
def test_14_4_2_R41_eight_at_the_end_with_the_latch(cities: int, winner: str) -> None:
    """14.4(2) The latch and eight hexes win; seven do not."""
    assert (
        end_of(12, dict(list(EIGHT.items())[:cities]), latch=True).happened(GameOver)[0].winner
        == winner
    )


def test_14_4_2_R41_one_move_through_two_moscow_hexes_sets_the_latch() -> None:
    """14.4(2), R-41 Passing through two of them in one move holds both at once, without a LOC."""
    bench = Bench(real_pack())
    bench.stand({"ax.panzer.1": "2810"}, turn=9)
    bench.activate("axis", "ax.panzer.1")
    bench.do("axis", "move", "ax.panzer.1", "2911", "3011")
    assert bench.happened(GateReached) and bench.state.latch


def test_14_4_2_two_prizes_one_after_the_other_set_no_latch() -> None:
    """14.4(2), R-41 Moscow West lost again before Tula falls: never two at one time."""
    bench = Bench(real_pack())
    bench.stand({RIFLES3[0]: "2910", "ax.inf.5": "3021"}, turn=8, control={"2911": "axis"})
    bench.activate("soviet", RIFLES3[0])
    bench.do("soviet", "move", RIFLES3[0], "2911")
    bench.activate("axis", "ax.inf.5")
    bench.do("axis", "move", "ax.inf.5", "3022")
    assert not bench.state.latch
    assert bench.state.control[bench.state.data.hex("3022")] == "axis"


def test_14_4_2_an_advance_sets_the_latch() -> None:
    """14.4(2), R-41, R-30 (g) The second prize is taken by an advance after combat, no LOC
    asked."""
    bench = battle(
        {PANZERS[0]: "1011", PANZERS[1]: "1011", RIFLES3[0]: "1010"}, PANZERS[:2], 6, places=PRIZES
    )  # 5-1, -2: 3-1, RR
    assert not bench.state.latch
    bench.do("axis", "advance", PANZERS[0], "1010")
    assert bench.happened(GateReached) and bench.state.latch


def test_14_4_2_a_retreat_sets_the_latch() -> None:
    """14.4(2), R-12, R-41 An Axis division driven back into an empty Soviet prize holds it: with
    another one the latch is set."""
    bench = Bench(board_t(sources=NORTH, rails=(column(10, 20, 5),), places=PRIZES))
    bench.stand(
        {INFANTRY[0]: "1009", RIFLES4[0]: "1008", RIFLES4[1]: "1008", RIFLES4[2]: "0909"}, turn=2
    )
    bench.activate("soviet", *RIFLES4[:3], segment="declaration")
    bench.dice(4)
    bench.attack("soviet", ("1009", *RIFLES4[:3]))  # 12 to 5: 2-1, R
    assert bench.hexes(INFANTRY[0]) == ("1010",)
    assert bench.happened(GateReached) and bench.state.latch


def test_14_4_2_a_city_cut_off_on_the_last_day() -> None:
    """14.4(2), 14.4(3) Latch set, eight cities, but Kursk ringed: seven with a LOC, the Soviets
    win."""
    ring = dict(
        zip(
            (*RIFLES3[:3], *RIFLES4[:3]),
            ("2338", "2438", "2439", "2340", "2239", "2238"),
            strict=True,
        )
    )
    bench = end_of(12, EIGHT, places=ring, latch=True)
    assert len(held(bench.state)) == 7
    assert bench.happened(GameOver) == [GameOver("soviet", "held")]


def test_14_4_the_cities_held_go_into_the_last_record() -> None:
    """14.4, R-41 What the game reports is the big-city hexes that the Axis holds, with a LOC, and
    those that it does not."""
    bench = end_of(10, TEN)
    cities = len(bench.state.data.big_cities)

    assert RULES.score(bench.position) == {"axis": 10, "soviet": cities - 10}
