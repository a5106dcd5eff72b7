"""Hex grids with printed ids: flat- and pointy-top, either parity, one sheet or several.

Rules of this file: a hex is its index, (row - 1) * columns + (column - 1); people see its id. All
arithmetic is in whole numbers (cube coordinates), so nothing depends on rounding. The hard part is
parity: which columns (flat) or rows (pointy) lie half a hex lower (or further right) decides who is
whose neighbour. Only `_cube` and `_index` deal with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType

from attrs import frozen

from warledger.protocol.limits import HEX_ID_CHARS_MAX, HEXES_MAX, MAP_SHEETS_MAX

OFF_MAP = -1

FLAT_DIRECTIONS = ("N", "NE", "SE", "S", "SW", "NW")
POINTY_DIRECTIONS = ("NE", "E", "SE", "SW", "W", "NW")

_ID_TEMPLATE = re.compile(r"(\{(sheet|col|row)(:0[1-4])?\}|[A-Za-z0-9._])+")
# cube steps (q, r) in the order of the direction names above; s = -q - r
_FLAT_STEPS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
_POINTY_STEPS = ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1))

Cube = tuple[int, int]


class UnknownHex(ValueError):
    """A hex id that is not on this map."""


@frozen
class Sheet:
    """A map sheet: its name in hex ids and the grid column on which it begins (1 = the first)."""

    name: str
    first_column: int


@frozen(eq=False)
class Grid:
    """A rectangular hex grid.

    `neighbours[i]` are six hex indices in the order of `directions`, OFF_MAP where the map ends;
    `adjacent[i]` the same without the OFF_MAP entries.
    """

    flat: bool
    shifted_odd: bool
    columns: int
    rows: int
    ids: tuple[str, ...]
    index: Mapping[str, int]
    neighbours: tuple[tuple[int, ...], ...]
    adjacent: tuple[tuple[int, ...], ...]

    @property
    def directions(self) -> tuple[str, ...]:
        return FLAT_DIRECTIONS if self.flat else POINTY_DIRECTIONS

    def __len__(self) -> int:
        return len(self.ids)

    def at(self, hex_id: str) -> int:
        """The index of a hex by its printed id; UnknownHex says what ids look like here."""
        try:
            return self.index[hex_id]
        except KeyError:
            raise UnknownHex(
                f"there is no hex {hex_id[:40]!r}; ids on this map run from {self.ids[0]} to "
                f"{self.ids[-1]}"
            ) from None

    def column_row(self, i: int) -> tuple[int, int]:
        """Column and row of a hex, both counted from 1."""
        return i % self.columns + 1, i // self.columns + 1

    def direction(self, a: int, b: int) -> int:
        """The direction number (0..5) in which the neighbour b lies from a, or -1 if they are not
        neighbours."""
        return self.neighbours[a].index(b) if b in self.adjacent[a] else -1

    def edge(self, i: int) -> bool:
        """Whether a hex lies on the edge of the map."""
        return len(self.adjacent[i]) < 6

    def distance(self, a: int, b: int) -> int:
        """The number of hexes from a to b in a straight line (neighbours: 1)."""
        (q, r), (p, s) = self._cubes[a], self._cubes[b]
        q -= p
        r -= s
        if q * r < 0:  # the two cancel out
            q, r = abs(q), abs(r)
            return q if q > r else r
        return abs(q + r)

    def within(self, centre: int, radius: int) -> Iterator[int]:
        """The hexes within `radius`, row by row, the centre included."""
        column, row = centre % self.columns, centre // self.columns
        spare = radius // 2 + 1
        across, down = (radius, radius + spare) if self.flat else (radius + spare, radius)
        for y in range(max(0, row - down), min(self.rows, row + down + 1)):
            for x in range(max(0, column - across), min(self.columns, column + across + 1)):
                other = y * self.columns + x
                if self.distance(centre, other) <= radius:
                    yield other

    def ring(self, centre: int, radius: int) -> tuple[int, ...]:
        """The hexes at exactly `radius`, in order, beginning in direction 4 from the centre; those
        off the map are left out."""
        if radius == 0:
            return (centre,)
        steps = _FLAT_STEPS if self.flat else _POINTY_STEPS
        q, r = _cube(self, centre)
        q, r = q + steps[4][0] * radius, r + steps[4][1] * radius
        found = []
        for dq, dr in steps:
            for _ in range(radius):
                i = _index(self, q, r)
                if i != OFF_MAP:
                    found.append(i)
                q, r = q + dq, r + dr
        return tuple(found)

    def spiral(self, centre: int, radius: int) -> tuple[int, ...]:
        """The hexes within `radius`, nearest first, the centre included."""
        return tuple(i for k in range(radius + 1) for i in self.ring(centre, k))

    def line(self, a: int, b: int, side: int = 1) -> tuple[int, ...]:
        """The hexes under the straight line between two centres, both ends included; always
        distance + 1 hexes.

        Where the line runs along a hexside, `side` (1 or -1) says on which side it is read. A sight
        line that may be read either way is looked up with both. OFF_MAP marks where a line along
        the edge leaves the map.
        """
        n = self.distance(a, b)
        if n == 0:
            return (a,)
        (q1, r1), (q2, r2) = _cube(self, a), _cube(self, b)
        # All coordinates are scaled by `unit`; the nudge is too small to matter except where the
        # line is exactly on a hexside.
        unit = 16 * n
        found = []
        for k in range(n + 1):
            q = 16 * (q1 * (n - k) + q2 * k) + 2 * side
            r = 16 * (r1 * (n - k) + r2 * k) + 3 * side
            found.append(_index(self, *_round_cube(q, r, unit)) if 0 < k < n else (a, b)[k == n])
        return tuple(found)

    def cubes(self) -> tuple[Cube, ...]:
        """The cube coordinates (q, r) of every hex: the distance of two is the largest of |dq|,
        |dr| and |dq + dr|."""
        return self._cubes

    @cached_property
    def _cubes(self) -> tuple[Cube, ...]:
        return tuple(_cube(self, i) for i in range(len(self.ids)))

    def names(self, hexes: Iterable[int]) -> tuple[str, ...]:
        """The printed ids of some hexes, in the order given."""
        return tuple(self.ids[i] for i in hexes)


def grid(
    *,
    orientation: str,
    shifted: str,
    columns: int,
    rows: int,
    id_template: str = "{col:02}{row:02}",
    sheets: Sequence[Sheet] = (),
) -> Grid:
    """Build a grid.

    `orientation` is "flat" (columns run straight) or "pointy" (rows run straight). `shifted` is
    "odd" or "even", the columns lying half a hex lower or the rows half a hex further right.
    ValueError says what is wrong and what is allowed.
    """
    return _built(orientation, shifted, columns, rows, id_template, tuple(sheets))


@lru_cache(maxsize=8)
def _built(
    orientation: str,
    shifted: str,
    columns: int,
    rows: int,
    id_template: str,
    sheets: tuple[Sheet, ...],
) -> Grid:
    """A function of its arguments alone, remembered so that maps of one size share their grid."""
    if orientation not in ("flat", "pointy"):
        raise ValueError(f'orientation is {orientation!r}; write "flat" or "pointy"')
    if shifted not in ("odd", "even"):
        raise ValueError(f'shifted is {shifted!r}; write "odd" or "even"')
    if columns < 1 or rows < 1 or columns * rows > HEXES_MAX:
        raise ValueError(
            f"{columns} columns by {rows} rows; both must be at least 1 and the product "
            f"at most {HEXES_MAX}"
        )
    if len(sheets) > MAP_SHEETS_MAX:
        raise ValueError(f"there are {len(sheets)} sheets; at most {MAP_SHEETS_MAX}")
    if len(id_template) > 4 * HEX_ID_CHARS_MAX:
        raise ValueError(
            f"the id template has {len(id_template)} characters; ids may have at most "
            f"{HEX_ID_CHARS_MAX}"
        )
    ids = tuple(_printed_ids(columns, rows, id_template, sheets))
    index = {name: i for i, name in enumerate(ids)}
    if len(index) != len(ids):
        raise ValueError(
            f"id template {id_template!r} gives two hexes one id; use both {{col}} and "
            f"{{row}}, and {{sheet}} if there are sheets"
        )
    bare = Grid(
        orientation == "flat", shifted == "odd", columns, rows, ids, MappingProxyType(index), (), ()
    )
    around = neighbours(orientation, shifted, columns, rows)
    near = tuple(tuple(n for n in six if n != OFF_MAP) for six in around)
    return Grid(bare.flat, bare.shifted_odd, columns, rows, ids, bare.index, around, near)


def neighbours(
    orientation: str, shifted: str, columns: int, rows: int
) -> tuple[tuple[int, ...], ...]:
    """The six neighbours of each cell of a grid, in the order of `Grid.directions`: cells are
    numbered by rows from 0, OFF_MAP where the grid ends. The arguments are those of `grid`."""
    bare = Grid(
        orientation == "flat", shifted == "odd", columns, rows, (), MappingProxyType({}), (), ()
    )
    steps = _FLAT_STEPS if bare.flat else _POINTY_STEPS
    return tuple(
        tuple(_index(bare, q + dq, r + dr) for dq, dr in steps)
        for q, r in (_cube(bare, i) for i in range(columns * rows))
    )


def _printed_ids(columns: int, rows: int, template: str, sheets: Sequence[Sheet]) -> Iterator[str]:
    # Packs come from strangers: a free format string could reach into objects or print megabytes,
    # so only these fields.
    if not _ID_TEMPLATE.fullmatch(template):
        raise ValueError(
            f"id template {template!r}; write letters, digits, dots, and {{sheet}}, "
            f"{{col:02}}, {{row:02}} only"
        )
    if any(len(sheet.name) > HEX_ID_CHARS_MAX for sheet in sheets):
        raise ValueError(f"a sheet's name has more than {HEX_ID_CHARS_MAX} characters")
    plates = tuple(sheets) or (Sheet("", 1),)
    starts = [p.first_column for p in plates]
    if starts[0] != 1 or starts != sorted(set(starts)):
        raise ValueError("sheets must be listed from west to east, the first with first_column = 1")
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            plate = next(p for p in reversed(plates) if p.first_column <= column)
            name = template.format(sheet=plate.name, col=column - plate.first_column + 1, row=row)
            if len(name) > HEX_ID_CHARS_MAX:
                raise ValueError(
                    f"hex ids have {len(name)} characters, at most {HEX_ID_CHARS_MAX} may "
                    "be: shorten template or names"
                )
            yield name


def _cube(g: Grid, i: int) -> Cube:
    column, row = i % g.columns, i // g.columns  # from 0, so "odd" in print is even here
    straight, along = (column, row) if g.flat else (row, column)
    lift = (straight + 1) // 2 if g.shifted_odd else straight // 2
    # with odd lines shifted, line 0 lies half a hex further; counting the shift downwards keeps
    # neighbours one step away
    along -= lift if not g.shifted_odd else lift - 1
    return (straight, along) if g.flat else (along, straight)


def _index(g: Grid, q: int, r: int) -> int:
    straight, along = (q, r) if g.flat else (r, q)
    along += (straight + 1) // 2 - 1 if g.shifted_odd else straight // 2
    column, row = (straight, along) if g.flat else (along, straight)
    if 0 <= column < g.columns and 0 <= row < g.rows:
        return row * g.columns + column
    return OFF_MAP


def _round_cube(q: int, r: int, unit: int) -> Cube:
    """The cube coordinates nearest to (q, r) / unit."""
    s = -q - r
    rq, rr, rs = ((2 * x + unit) // (2 * unit) for x in (q, r, s))
    dq, dr, ds = abs(rq * unit - q), abs(rr * unit - r), abs(rs * unit - s)
    if dq > dr and dq > ds:
        rq = -rr - rs
    elif dr > ds:
        rr = -rq - rs
    return rq, rr
