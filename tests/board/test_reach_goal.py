"""A search that ends at its goal says of the goal what the whole search says."""

import random

from tests.rules.victory_lost.bench import Bench, real_pack
from warledger.engine.board.paths import reach
from warledger.engine.games.victory_lost.field import field_of


def test_a_search_with_a_goal_agrees_with_the_whole_one() -> None:
    """For units all over a real front and every hex around: in reach or not, the cost and the way
    are the same."""
    data = Bench(real_pack()).state.data
    field = field_of(data, 1, data.historical)
    picks = random.Random(11)
    for name in picks.sample(sorted(data.historical), 12):
        type_ = data.types[name]
        start = data.historical[name]
        now = field.conditions(type_.side, hq=type_.hq)
        whole = reach(data.normal[type_.going], start, type_.move, now)
        for goal in picks.sample(data.board.grid.spiral(start, 9), 40):
            found = reach(data.normal[type_.going], start, type_.move, now, goal=goal)

            assert (goal in found) == (goal in whole)
            if goal in whole:
                assert (found.cost(goal), found.way(goal)) == (whole.cost(goal), whole.way(goal))
