"""Whole games of random players: they end, no offer is a dead end, boards are the fold of effects,
hidden ships stay hidden, and a referee who reads the rule book a second time agrees."""

import pytest

from tests.rules.war_at_sea.players import play
from tests.rules.war_at_sea.referee import referee


@pytest.mark.parametrize("seed", range(1000, 1006))
def test_every_event_of_a_random_game_stands_a_second_reading(seed: int) -> None:
    """6 – 18 Movement, dice, damage, ports, control, points: each event agrees with tables written
    a second time."""
    referee(seed)


@pytest.mark.long
def test_many_random_games_stand_a_second_reading() -> None:
    """6 – 18 The same for a hundred games."""
    for seed in range(2000, 2100):
        referee(seed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hidden", [False, True])
def test_random_games_end_and_every_board_is_right(seed: int, hidden: bool) -> None:
    """Any options: the game ends, invariants hold, no dead ends, effects fold to the picture for
    each audience, 18.2 leaks no offer."""
    assert play(seed, hidden=hidden) > 50


@pytest.mark.long
@pytest.mark.parametrize("hidden", [False, True])
def test_many_random_games(hidden: bool) -> None:
    """The same for a hundred games."""
    for seed in range(100, 150):
        play(seed, hidden=hidden)
