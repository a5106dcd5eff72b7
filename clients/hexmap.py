"""A hex map as a client reads it from a game's pack: hexes with their ids, terrain, rivers, links, places, sources. No rules.

Hexes are indices, row by row; people see ids. A direction is 0 … 5, clockwise from north (flat hexes) or north-east (pointy ones).
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from attrs import field, frozen

from protocol.limits import HEX_ID_CHARS_MAX, HEXES_MAX, MAP_SHEETS_MAX

_FLAT = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
_POINTY = ((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1))
FLAT_NAMES = ("n", "ne", "se", "s", "sw", "nw")
POINTY_NAMES = ("ne", "e", "se", "sw", "w", "nw")

OFF_MAP = -1

_TEMPLATE = re.compile(r"(\{(sheet|col|row)(:0[1-4])?\}|[A-Za-z0-9._])+")
"""What an id template may hold: packs come from strangers, and a free format string could reach anywhere."""


@frozen(eq=False)
class Place:
    """A town or city: the hex, what it is called, its kind and the group of hexes it belongs to."""

    hex: int
    name: str
    kind: str
    group: str


@frozen(eq=False)
class Source:
    """A supply source: from which turn it counts."""

    hex: int
    side: str
    name: str
    from_turn: int


@frozen(eq=False)
class Area:
    """A named set of hexes."""

    id: str
    kind: str
    side: str
    name: str
    hexes: tuple[int, ...]
    until_turn: int


@frozen(eq=False)
class HexMap:
    """The map of one pack.

    neighbours[i][d]   the hex in that direction, OFF_MAP where the map ends
    rivers[i, d]       the class of the river on that hexside, from both banks; bridged holds those with a bridge
    links[kind][i]     the neighbours to which a road or railway leads
    """

    flat: bool
    columns: int
    rows: int
    ids: tuple[str, ...]
    index: Mapping[str, int]
    cubes: tuple[tuple[int, int], ...] = field(repr=False)
    neighbours: tuple[tuple[int, ...], ...] = field(repr=False)
    near: tuple[tuple[int, ...], ...] = field(repr=False)
    terrain: tuple[str, ...] = field(repr=False)
    letters: Mapping[str, str]
    rivers: Mapping[tuple[int, int], str] = field(repr=False)
    bridged: frozenset[tuple[int, int]] = field(repr=False)
    links: Mapping[str, Mapping[int, frozenset[int]]] = field(repr=False)
    places: Mapping[int, Place] = field(repr=False)
    sources: tuple[Source, ...] = field(repr=False)
    areas: tuple[Area, ...] = field(repr=False)

    @property
    def directions(self) -> tuple[str, ...]:
        """The names of the six directions, as in the phrases `direction.<name>`."""
        return FLAT_NAMES if self.flat else POINTY_NAMES

    def column_row(self, i: int) -> tuple[int, int]:
        """Both counted from 0."""
        return i % self.columns, i // self.columns

    def adjacent(self, i: int) -> tuple[int, ...]:
        """The neighbours on the map."""
        return self.near[i]

    def distance(self, a: int, b: int) -> int:
        """Hexes from one to the other, whatever lies between."""
        (q, r), (p, s) = self.cubes[a], self.cubes[b]
        q -= p
        r -= s
        if q * r < 0:  # the two make up for each other
            q, r = abs(q), abs(r)
            return q if q > r else r
        return abs(q + r)

    def within(self, i: int, reach: int) -> Iterator[int]:
        """The hexes at most so far away, itself among them."""
        column, row = self.column_row(i)
        spare = reach // 2 + 1
        across, down = (reach, reach + spare) if self.flat else (reach + spare, reach)
        for y in range(max(0, row - down), min(self.rows, row + down + 1)):
            for x in range(max(0, column - across), min(self.columns, column + across + 1)):
                other = y * self.columns + x
                if self.distance(i, other) <= reach:
                    yield other


def has_map(pack: Mapping[str, Any]) -> bool:
    """Whether a pack describes a hex map."""
    found = pack.get("map")
    return isinstance(found, Mapping) and "grid" in found and "terrain" in found


def hex_map(pack: Mapping[str, Any]) -> HexMap:
    """The map of a pack that has one.

    Raises ValueError for hex ids of another form than `{col:02}{row:02}` and for a map beyond the bounds of `protocol.limits`, before
    anything is made of it; LookupError, TypeError or AttributeError for a pack that lacks a part or has one of another form.
    """
    map_ = pack["map"]
    grid = map_["grid"]
    columns, rows = int(grid["columns"]), int(grid["rows"])
    _check_size(grid, columns, rows)
    flat = grid["orientation"] == "flat"
    lower = 0 if grid["shifted"] == "even" else 1
    ids = tuple(_id(grid, column, row) for row in range(rows) for column in range(columns))
    cubes = tuple(_cube(flat, lower, column, row) for row in range(rows) for column in range(columns))
    at = {cube: i for i, cube in enumerate(cubes)}
    steps = _FLAT if flat else _POINTY
    neighbours = tuple(tuple(at.get((q + dq, r + dr), OFF_MAP) for dq, dr in steps) for q, r in cubes)
    index = {id: i for i, id in enumerate(ids)}
    legend = map_["terrain"]["legend"]
    terrain = tuple(legend[letter] for line in map_["terrain"]["rows"] for letter in line)
    if len(terrain) != len(ids):
        raise ValueError(f"the map has {len(ids)} hexes, but terrain for {len(terrain)}")

    def sides(text: Any) -> Iterator[tuple[int, int]]:
        for pair in str(text).split():
            a, b = (index[id] for id in pair.split("-"))
            yield a, neighbours[a].index(b)
            yield b, neighbours[b].index(a)

    rivers = {side: str(river["class"]) for river in map_.get("river", ()) for side in sides(river["hexsides"])}
    return HexMap(
        flat,
        columns,
        rows,
        ids,
        index,
        cubes,
        neighbours,
        tuple(tuple(n for n in around if n != OFF_MAP) for around in neighbours),
        terrain,
        {str(name): str(letter)[:1] for letter, name in legend.items()},
        rivers,
        frozenset(sides(map_.get("bridges", {}).get("hexsides", ""))),
        {kind: _links(map_.get(kind, ()), index) for kind in ("road", "rail")},
        {
            index[entry["hex"]]: Place(index[entry["hex"]], str(entry["name"]), str(entry["kind"]), str(entry.get("group", "")))
            for entry in map_["places"]["list"]
        },
        tuple(
            Source(index[entry["hex"]], str(entry["side"]), str(entry.get("name", "")), int(entry.get("from_turn", 1)))
            for entry in map_.get("source", ())
        ),
        tuple(
            Area(
                str(entry["id"]),
                str(entry["kind"]),
                str(entry.get("side", "")),
                str(entry.get("name", "")),
                tuple(index[id] for id in str(entry["hexes"]).split()),
                int(entry.get("until_turn", 0)),
            )
            for entry in map_.get("area", ())
        ),
    )


def _check_size(grid: Mapping[str, Any], columns: int, rows: int) -> None:
    """What a client will draw at all: a pack comes from a stranger, and a line of it may ask for more hexes than there is memory."""
    if columns < 1 or rows < 1 or columns * rows > HEXES_MAX:
        raise ValueError(f"the map has {columns} columns by {rows} rows of hexes; at most {HEXES_MAX} hexes can be drawn")
    template, sheets = str(grid["id"]), grid.get("sheet", ())
    # The longest that one hex can be called, before any is.
    longest = max((len(str(sheet["name"])) for sheet in sheets), default=0)
    if len(template) > 4 * HEX_ID_CHARS_MAX or longest > HEX_ID_CHARS_MAX:
        raise ValueError(f"the hexes' ids would have more than {HEX_ID_CHARS_MAX} characters")
    if len(sheets) > MAP_SHEETS_MAX:
        raise ValueError(f"the map has {len(sheets)} sheets; at most {MAP_SHEETS_MAX} can be drawn")
    if not _TEMPLATE.fullmatch(template):
        raise ValueError(f"the hexes' id template is {template!r}")


def _id(grid: Mapping[str, Any], column: int, row: int) -> str:
    name, first = "", 1
    for sheet in grid.get("sheet", ()):
        if column + 1 >= int(sheet["first_column"]) >= first:
            name, first = str(sheet["name"]), int(sheet["first_column"])
    id = str(grid["id"]).format(sheet=name, col=column + 2 - first, row=row + 1)
    if len(id) > HEX_ID_CHARS_MAX:
        raise ValueError(f"the hexes' ids have {len(id)} characters; at most {HEX_ID_CHARS_MAX}")
    return id


def _cube(flat: bool, lower: int, column: int, row: int) -> tuple[int, int]:
    """Axial coordinates. `lower`: the parity (column or row from 1, modulo 2) that lies half a hex lower or further right."""
    if flat:
        shift = (column - 1) // 2 + 1 if lower else column // 2
        return column, row - shift
    shift = (row - 1) // 2 + 1 if lower else row // 2
    return column - shift, row


def _links(chains: Any, index: Mapping[str, int]) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for chain in chains:
        hexes = [index[id] for id in str(chain["hexes"]).split()]
        for a, b in pairwise(hexes):
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
    return {i: frozenset(others) for i, others in found.items()}


__all__ = ["OFF_MAP", "Area", "HexMap", "Place", "Source", "has_map", "hex_map"]
