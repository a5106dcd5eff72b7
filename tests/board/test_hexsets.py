"""Sets of hexes as whole numbers, ranges of ids, costs that are patched and not made anew."""

import pytest

from tests.rules.hungarian_rhapsody.bench import charts_of
from warledger.engine.board import hexsets
from warledger.engine.board.mobility import Over, compile_costs, entries, patched
from warledger.engine.games.ocs.series import charts
from warledger.protocol.board.ranges import BadRange, expand


def test_a_set_lists_what_it_was_made_of() -> None:
    """Hexes come back once each in rising order, the first and the last of a map too."""
    assert hexsets.listed(hexsets.of([4339, 0, 7, 7])) == (0, 7, 4339)
    assert hexsets.has(hexsets.of([7]), 7)
    assert not hexsets.has(hexsets.of([7]), 8)
    assert hexsets.listed(0) == ()


def test_many_hexes_are_listed_as_few_are() -> None:
    """Rising order and nothing left out, below and above the number at which the search changes."""
    for number in (1, hexsets.FEW - 1, hexsets.FEW, 700):
        hexes = tuple(range(3, 4340, 6))[:number]
        assert hexsets.listed(hexsets.of(reversed(hexes))) == hexes


def test_a_set_as_a_table() -> None:
    """One byte a hex with the value asked for; tables laid over each other keep all bits."""
    assert hexsets.table(hexsets.of([0, 3]), 5, 2) == bytes([2, 0, 0, 2, 0])
    assert hexsets.table(0, 3) == bytes(3)
    assert hexsets.table(hexsets.of([1]), 2, 64) == bytes([0, 64])
    both = hexsets.overlaid(bytes([2, 0, 2]), bytes([4, 4, 0]))
    assert both == bytes([6, 4, 2])


def test_a_set_widened_by_its_neighbours() -> None:
    """The set, and whatever touches it."""
    near = hexsets.around([[1], [0, 2], [1], []])
    assert hexsets.listed(hexsets.widened(hexsets.of([0, 3]), near)) == (0, 1, 3)


def test_ranges_count_along_one_row() -> None:
    """Both ends included, digits as they are written; single ids stay."""
    assert expand("A1.09..11 B2.05") == ("A1.09", "A1.10", "A1.11", "B2.05")
    assert expand("") == ()
    for wrong in ("A1..3", "A1.05..05", "A1.05..03", "A1.a..b", "0101..0103", "A1.01..999999"):
        with pytest.raises(BadRange):
            expand(wrong)


def test_patched_costs_are_those_made_anew() -> None:
    """A map with some rivers bridged costs the same however it was compiled."""
    printed = charts_of("campaign").printed
    board = printed.board
    costs = charts.costs(printed, "mud", "truck")
    over = {}
    for slot in range(board.size * 6):
        if board.river_class(slot) in ("major", "minor") and slot % 5 == 0:
            a, b = slot // 6, board.map.grid.neighbours[slot // 6][slot % 6]
            for one in (slot, board.slot(b, a)):
                over[one] = Over("", True)
    base = compile_costs(board.map, costs)
    made = patched(base, board.map, costs, entries(board.map, costs), over)
    anew = compile_costs(board.map, costs, over)

    assert len(over) > 100
    assert (made.plain, made.special) == (anew.plain, anew.special)
    assert made.plain != base.plain
