"""Südwind under fog: games that differ only in what is covered look alike to the other side and to
the public, in records, lengths, openings, questions, choices, previews and refusals."""

import pytest

from tests.audience.southwind_pairs import VARIED, Pair

SIDES = ("axis", "soviet")

QUICK = (("supply", "axis"), ("steps", "soviet"), ("places", "axis"), ("resting", "soviet"))
"""Pairs that are tried every time."""


@pytest.mark.parametrize(("what", "owner"), QUICK)
def test_games_that_differ_in_what_is_covered_look_alike(what: str, owner: str) -> None:
    """The first forty commands of a game, or as many as the rules themselves allow until they tell
    what differs."""
    pair = Pair(what, owner, 1)
    one, other = (game.position.state for game in pair.games)
    assert one != other, "the games of a pair differ"
    pair.play(40)
    assert pair.played >= 10, pair.stopped


@pytest.mark.long
@pytest.mark.parametrize("owner", SIDES)
@pytest.mark.parametrize("what", VARIED)
def test_whole_games_that_differ_in_what_is_covered_look_alike(what: str, owner: str) -> None:
    """Five games of each kind, to their end or until the rules tell what differs."""
    for seed in range(10, 15):
        pair = Pair(what, owner, seed)
        pair.play(1500)
        print(f"{pair.at()}: {pair.stopped}")
