"""OCS 0.A: distances and neighbours on the two sheets together."""

import pytest

from tests.rules.hungarian_rhapsody.bench import charts_of
from warledger.engine.board import hexsets


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        ("A32.18", "B27.07", 26),
        ("B9.01", "A9.35", 1),
        ("A30.09", "A32.17", 9),
        ("B34.10", "B34.27", 17),
        ("B49.34", "B27.07", 38),
    ],
)
def test_0_a_distances(a: str, b: str, apart: int) -> None:
    """OCS 0.A Example 66: distances on the two sheets together."""
    board = charts_of("campaign").board
    assert board.map.grid.distance(board.hex(a), board.hex(b)) == apart


@pytest.mark.parametrize(
    ("here", "around"),
    [
        ("A30.09", "A30.10 A30.08 A29.10 A29.09 A31.10 A31.09"),
        ("A31.18", "A31.19 A31.17 A30.18 A30.17 A32.18 A32.17"),
    ],
)
def test_0_a_neighbours(here: str, around: str) -> None:
    """OCS 0.A Example 68: neighbours in an even and in an odd row."""
    board = charts_of("campaign").board
    found = {board.name(i) for i in hexsets.listed(board.near[board.hex(here)])}
    assert found == set(around.split())
