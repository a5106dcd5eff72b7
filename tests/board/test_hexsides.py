"""Hexsides: canonical keys, both slots alike, corners as points."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.board.test_hexgrid import centre, grids
from warledger.engine.board.hexsides import listed, mark
from warledger.protocol.board import hexgrid, hexsides
from warledger.protocol.board.hexgrid import OFF_MAP, Grid, UnknownHex
from warledger.protocol.board.hexsides import NoHexside


def all_sides(g: Grid) -> list[tuple[int, int]]:
    return [(a, b) for a in range(len(g)) for b in g.adjacent[a]]


@given(grids)
def test_key_and_parse_are_inverse(g: Grid) -> None:
    """A hexside has one key whichever hex is named first, and the key leads back to it; twin slots
    are each other's twins."""
    for a, b in all_sides(g):
        text = hexsides.key(g, a, b)
        assert text == hexsides.key(g, b, a)
        assert set(hexsides.parse(g, text)) == {a, b}
        assert text == "-".join(sorted((g.ids[a], g.ids[b])))
        at = hexsides.slot(g, a, b)
        assert hexsides.twin(g, at) == hexsides.slot(g, b, a)
        assert hexsides.twin(g, hexsides.twin(g, at)) == at


@given(grids, st.data())
def test_marks_stand_in_both_slots(g: Grid, data: st.DataObject) -> None:
    """Marking hexsides and listing them again gives the same hexsides, and both slots of each hold
    the value."""
    sides = all_sides(g)
    chosen = data.draw(st.lists(st.sampled_from(sides), max_size=5)) if sides else []
    table = mark(g, chosen, 7)
    assert {frozenset(s) for s in listed(g, table)} == {frozenset(s) for s in chosen}
    for at, value in enumerate(table):
        other = hexsides.twin(g, at)
        assert value in (0, 7)
        assert other == OFF_MAP or table[other] == value


@given(grids)
def test_hexsides_share_corners_where_their_points_meet(g: Grid) -> None:
    """Two hexsides share a corner exactly when one of their end points is the same point."""
    sides = [(a, b) for a, b in all_sides(g) if a < b][:40]

    def points(a: int, b: int) -> list[tuple[float, float]]:
        (x1, y1), (x2, y2) = centre(g, a), centre(g, b)
        mx, my, ux, uy = (x1 + x2) / 2, (y1 + y2) / 2, y1 - y2, x2 - x1
        half = 1 / (2 * math.sqrt(3))
        return [(mx + s * ux * half, my + s * uy * half) for s in (1, -1)]

    for one in sides:
        for two in sides:
            if one < two:
                shared = set(hexsides.corners(g, *one)) & set(hexsides.corners(g, *two))
                meet = any(math.dist(p, q) < 1e-6 for p in points(*one) for q in points(*two))
                assert bool(shared) == meet


def test_words_that_are_no_hexside() -> None:
    """Text that names no hexside is refused with what to write."""
    g = hexgrid.grid(orientation="flat", shifted="even", columns=3, rows=3)
    with pytest.raises(NoHexside, match="such as 0101-0201"):
        hexsides.parse(g, "0101")
    with pytest.raises(NoHexside, match="0101 and 0301 do not touch"):
        hexsides.parse(g, "0101-0301")
    with pytest.raises(UnknownHex):
        hexsides.parse(g, "0101-0404")
