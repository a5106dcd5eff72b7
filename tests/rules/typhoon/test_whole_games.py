"""Whole games of eager random players and of captains: they end, every invariant holds, control,
latch, steps and combat ratios are recomputed by another method, and each log audits sound."""

import pytest

from tests.rules.typhoon.players import judge_bots, judge_eager


def test_a_random_game_ends_with_every_invariant_kept() -> None:
    """Any options: the game runs to its end; zones, LOCs, ways home, control, latch, steps and
    ratios agree with another method throughout, and the log audits sound."""
    assert judge_eager(1) > 300


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
