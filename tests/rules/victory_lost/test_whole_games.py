"""Whole games of eager random players and of captains: they end, every invariant holds, an arbiter
with arithmetic of its own agrees with every event, and each log audits sound. Crowded positions:
what is offered agrees with a referee who works everything out another way."""

import pytest

from tests.rules.victory_lost.crowds import compare
from tests.rules.victory_lost.players import judge_bots, judge_eager


def test_8_0_9_5_12_7_crowded_positions() -> None:
    """6.0, 7.3, 8.0, 9.5, 10.1, 11.1, 12.7: Supply, ranges, railways, moves, retreats (with HQs
    too) and resets agree."""
    found = compare(seed=1942, positions=8)

    assert all(found[kind] >= 12 for kind in found if kind != "unclear"), found


@pytest.mark.long
def test_8_0_9_5_12_7_many_crowded_positions() -> None:
    """The same over many positions."""
    found = compare(seed=1943, positions=120)

    assert found["unclear"] < found["retreat"] // 10


def test_an_eager_game_under_chance_options() -> None:
    """From set-up to the end: cheap invariants after each event, zones and supply by another method
    in each Supply Phase, movement costs, ratios, losses, control and points by the arbiter's own
    arithmetic; the log audits sound."""
    judge_eager(3)


@pytest.mark.long
@pytest.mark.parametrize("tens", range(30))
def test_three_hundred_eager_games(tens: int) -> None:
    """The same for three hundred games."""
    for seed in range(100 + 10 * tens, 110 + 10 * tens):
        judge_eager(seed)


@pytest.mark.long
@pytest.mark.parametrize("tens", range(10))
def test_a_hundred_games_of_captains(tens: int) -> None:
    """The same for a hundred games of two captains."""
    for index in range(10 * tens, 10 * tens + 10):
        judge_bots(("captain", "captain"), index)
