"""What an audit says of the options that a game was played with."""

import pytest

from warledger.clients.audit.redecide import not_default
from warledger.engine.games import NAMES
from warledger.engine.kernel.rulings import resolve
from warledger.engine.registry import rules_of


@pytest.mark.parametrize("title", NAMES)
def test_a_new_game_as_it_comes_differs_in_nothing(title: str) -> None:
    """No option is told of a game that names every option at its default: switches that are retired
    are not offered, so that its genesis does not name them."""
    rules = rules_of(title)

    assert list(not_default(rules, resolve(rules.switches, {}))) == []
