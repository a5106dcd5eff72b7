"""Board T, on which the chit-pull titles are tried, is what the test asks for."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.rules.typhoon import bench as typhoon
from tests.rules.victory_lost import bench as victory_lost


@pytest.mark.parametrize("board_t", [typhoon.board_t, victory_lost.board_t])
def test_an_option_that_the_board_does_not_have_is_refused(
    board_t: Callable[..., Mapping[str, Any]],
) -> None:
    """By its name: a misspelt river would otherwise be no river."""
    assert board_t(rivers={"minor": "0302-0303"})["map"]["river"]
    with pytest.raises(TypeError, match="board T has no river; it has rows, rivers"):
        board_t(river={"minor": "0302-0303"})
