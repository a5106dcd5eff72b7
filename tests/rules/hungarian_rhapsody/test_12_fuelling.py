"""OCS 12.5c: what can be fuelled, asked of one pick and listed, is the same."""

import pytest

from tests.rules.hungarian_rhapsody.watching import playing
from warledger.engine.games.ocs.ch04_concepts.fog import OPEN, STRICT
from warledger.engine.games.ocs.ch12_supply import fuel


@pytest.mark.parametrize(("seed", "fog"), [(5, OPEN), (6, STRICT)])
def test_12_5c_a_pick_is_fuelled_where_the_list_names_it(seed: int, fog: str) -> None:
    """At every seventh position of a random game, for every unit and formation of both sides."""
    played = playing(seed, fog)
    named = 0
    for at in [*played.positions.values()][::7]:
        state = at.state
        for side in state.charts.sides:
            listed = set(fuel.may_fuel(state, side))
            names = {*state.units, *state.formations, "nobody", ""}
            assert {what for what in names if fuel.can_be_fuelled(state, side, what)} == listed
            named += len(listed)
    assert named > 100, seed
