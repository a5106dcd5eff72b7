"""Hex grids against plane geometry: centres as points, neighbours as the points one hex away."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warledger.protocol.board import hexgrid
from warledger.protocol.board.hexgrid import OFF_MAP, Grid, Sheet, UnknownHex

grids = st.builds(
    hexgrid.grid,
    orientation=st.sampled_from(["flat", "pointy"]),
    shifted=st.sampled_from(["odd", "even"]),
    columns=st.integers(1, 9),
    rows=st.integers(1, 9),
)


def centre(g: Grid, i: int) -> tuple[float, float]:
    """Centre of a hex by the map maker's rule; one hex from flat to flat = 1."""
    column, row = g.column_row(i)
    straight, along = (column, row) if g.flat else (row, column)
    low = (straight % 2 == 1) == g.shifted_odd
    a, b = straight * math.sqrt(3) / 2, along + (0.5 if low else 0)
    return (a, b) if g.flat else (b, a)


def apart(g: Grid, a: int, b: int) -> float:
    return math.dist(centre(g, a), centre(g, b))


@given(grids)
def test_neighbours_are_the_hexes_one_hex_away(g: Grid) -> None:
    """A hex's neighbours are exactly those whose centres lie one hex off, each in the direction its
    name says."""
    bearing = {"N": -90, "NE": -30, "E": 0, "SE": 30, "S": 90, "SW": 150, "W": 180, "NW": -150}
    if not g.flat:
        bearing |= {"NE": -60, "SE": 60, "SW": 120, "NW": -120}
    for i in range(len(g)):
        assert set(g.adjacent[i]) == {j for j in range(len(g)) if abs(apart(g, i, j) - 1) < 1e-6}
        for d, j in enumerate(g.neighbours[i]):
            if j != OFF_MAP:
                (x1, y1), (x2, y2) = centre(g, i), centre(g, j)
                angle = math.degrees(math.atan2(y2 - y1, x2 - x1))
                assert abs((angle - bearing[g.directions[d]] + 180) % 360 - 180) < 1
                assert g.direction(i, j) == d
                assert g.neighbours[j][(d + 3) % 6] == i


@given(grids, st.data())
def test_distance_ring_and_spiral_agree_with_steps(g: Grid, data: st.DataObject) -> None:
    """Distance is the fewest steps on an endless grid; ring and spiral are its level sets, once
    each."""
    a = data.draw(st.integers(0, len(g) - 1))
    steps = _steps_on_big_grid(g, a)
    for b in range(len(g)):
        assert g.distance(a, b) == steps[b]
    for k in range(5):
        ring = g.ring(a, k)
        assert sorted(ring) == [b for b in range(len(g)) if steps[b] == k]
        assert sorted(g.spiral(a, k)) == [b for b in range(len(g)) if steps[b] <= k]
    assert [steps[b] for b in g.spiral(a, 4)] == sorted(steps[b] for b in g.spiral(a, 4))


def _steps_on_big_grid(g: Grid, a: int) -> list[int]:
    """Breadth-first on the same grid with a margin, so that the map's edge does not lengthen the
    way."""
    m = 10
    big = hexgrid.grid(
        orientation="flat" if g.flat else "pointy",
        shifted="odd" if g.shifted_odd else "even",
        columns=g.columns + 2 * m,
        rows=g.rows + 2 * m,
    )

    def there(i: int) -> int:
        c, r = g.column_row(i)
        return big.index[f"{c + m:02}{r + m:02}"]

    dist, edge = {there(a): 0}, [there(a)]
    while edge:
        edge = [
            n
            for i in edge
            for n in big.adjacent[i]
            if n not in dist and not dist.update({n: dist[i] + 1})
        ]
    return [dist[there(b)] for b in range(len(g))]


@given(grids, st.data())
@settings(max_examples=200)
def test_line_follows_the_segment(g: Grid, data: st.DataObject) -> None:
    """A line has distance + 1 hexes, each touched by the segment between the centres and next to
    the one before."""
    a, b = (data.draw(st.integers(0, len(g) - 1)) for _ in "ab")
    (x1, y1), (x2, y2) = centre(g, a), centre(g, b)
    for side in (1, -1):
        line = g.line(a, b, side)
        assert (line[0], line[-1], len(line)) == (a, b, g.distance(a, b) + 1)
        for i, j in pairwise(line):
            assert OFF_MAP in (i, j) or j in g.adjacent[i]
        for i in line:
            if i != OFF_MAP and a != b:
                x, y = centre(g, i)
                away = abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / math.dist(
                    (x1, y1), (x2, y2)
                )
                assert away <= 1 / math.sqrt(3) + 1e-6
    if a != b and OFF_MAP not in g.line(a, b) + g.line(a, b, -1):
        assert set(g.line(a, b)) | set(g.line(a, b, -1)) == set(g.line(b, a)) | set(
            g.line(b, a, -1)
        )


def test_line_along_a_hexside_has_two_readings() -> None:
    """Where the sight line runs on a hexside both neighbours are given, one for each side."""
    g = hexgrid.grid(orientation="flat", shifted="even", columns=5, rows=5)
    a = g.at("0202")
    b = next(h for h in g.ring(a, 2) if len({x for s in (1, -1) for x in g.line(a, h, s)}) == 4)
    assert {g.line(a, b, 1)[1], g.line(a, b, -1)[1]} == set(g.adjacent[a]) & set(g.adjacent[b])


def test_printed_ids() -> None:
    """Ids follow the template: CCRR, and sheet.row.column where there are two sheets."""
    g = hexgrid.grid(orientation="flat", shifted="even", columns=12, rows=11)
    assert (g.ids[0], g.ids[-1], g.ids[g.at("1207")]) == ("0101", "1211", "1207")
    two = hexgrid.grid(
        orientation="pointy",
        shifted="odd",
        columns=6,
        rows=2,
        id_template="{sheet}{row}.{col:02}",
        sheets=[Sheet("A", 1), Sheet("B", 4)],
    )
    assert two.ids[:6] == ("A1.01", "A1.02", "A1.03", "B1.01", "B1.02", "B1.03")
    with pytest.raises(UnknownHex, match=r"no hex 'C9\.01'.*A1\.01 to B2\.03"):
        two.at("C9.01")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"orientation": "round"}, 'write "flat" or "pointy"'),
        ({"shifted": "both"}, 'write "odd" or "even"'),
        ({"columns": 0}, "at least 1"),
        ({"columns": 999, "rows": 999}, "at most 40000"),
        ({"id_template": "{col}"}, "two hexes one id"),
        ({"id_template": "{col.__class__}"}, "letters, digits"),
        ({"sheets": [Sheet("A", 2)]}, "first_column = 1"),
    ],
)
def test_bad_grids_say_what_to_write(change: dict[str, object], message: str) -> None:
    """A grid that cannot be built says what is allowed."""
    with pytest.raises(ValueError, match=message):
        hexgrid.grid(
            **({"orientation": "flat", "shifted": "odd", "columns": 3, "rows": 3} | change)
        )  # type: ignore[arg-type]
