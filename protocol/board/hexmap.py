"""Reads a hex map in the form of a pack: terrain, places, rivers, bridges, lines (railways, roads),
sources, named areas, boxes.

All readers of maps use this module: the engine, which compiles tables for the rules from it
(`warledger.engine.board.hexmap`), the description for clients
(`warledger.protocol.board.description`), bots, and the check of packs. Input is the parsed `map`
document of the pack. This module never reads files. Errors are collected, each naming table and
entry and what to do, and raised together. The title and its tables define what the words of a map
mean (costs of a terrain).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from attrs import frozen

from warledger.protocol.board import hexsides
from warledger.protocol.board.findings import BadPack, Inspection, nearest
from warledger.protocol.board.hexgrid import Grid, Sheet, UnknownHex, grid
from warledger.protocol.board.hexsides import NoHexside

FILE = "map.toml"
LINK_KINDS = ("road", "rail")
"""The kinds of lines that every map may have; `links = […]` in the map names further ones."""

Side = tuple[int, int]
"""A hexside as seen from one of its hexes: the hex, and the direction in which the side lies."""


@frozen
class Place:
    """A town or city: `kind` is looked up in the pack's tables, `group` joins the hexes of one
    city, `owner` is the side that holds it at the start."""

    hex: int
    name: str
    kind: str
    owner: str | None
    group: str | None


@frozen
class River:
    """A stretch of river of one class, with the hexsides it runs along."""

    name: str
    kind: str
    sides: tuple[tuple[int, int], ...]


@frozen
class Line:
    """A road or railway: the hexes it runs through, each next to the one before."""

    name: str
    hexes: tuple[int, ...]


@frozen
class Source:
    """A supply or reinforcement source, in force from turn `from_turn`; `rail` = reinforcements may
    come in here."""

    id: str
    side: str
    hex: int
    name: str
    from_turn: int
    rail: bool


@frozen
class Area:
    """A named set of hexes; `kind` says what for (set-up, fortified, closed …), `data` holds the
    author's other fields."""

    id: str
    kind: str
    name: str
    hexes: tuple[int, ...]
    data: Mapping[str, Any]


@frozen
class Box:
    """A place off the map; `entry` are the map hexes next to it."""

    id: str
    side: str | None
    name: str
    entry: tuple[int, ...]
    data: Mapping[str, Any]


@frozen(eq=False)
class HexMap:
    """The map of one pack.

    terrain[i]      the terrain of a hex, by its name in the legend; `letters` gives the letter by
                    which the map's picture shows it
    control[i]      the side that holds a hex at the start; empty if the map has no start line
    lines[kind]     roads, railways … as chains of hexes
    links[kind][i]  the hexes to which a line of that kind leads from hex i
    classes[i, d]   the class of the river on a hexside, seen from either bank
    bridged, impassable  hexsides, seen from either side
    """

    title: str
    grid: Grid
    sides: tuple[str, ...]
    terrain: tuple[str, ...]
    letters: Mapping[str, str]
    control: tuple[str, ...]
    rivers: tuple[River, ...]
    classes: Mapping[Side, str]
    bridged: frozenset[Side]
    impassable: frozenset[Side]
    lines: Mapping[str, tuple[Line, ...]]
    links: Mapping[str, Mapping[int, frozenset[int]]]
    places: Mapping[int, Place]
    sources: tuple[Source, ...]
    areas: Mapping[str, Area]
    boxes: Mapping[str, Box]


def has_map(pack: Mapping[str, Any]) -> bool:
    """Whether a pack has a hex map."""
    found = pack.get("map")
    return isinstance(found, Mapping) and "grid" in found and "terrain" in found


def hex_map(doc: Mapping[str, Any]) -> HexMap:
    """The map of a pack's parsed `map` document. Raises BadPack, a ValueError that names every
    error; a map beyond the bounds of `warledger.protocol.limits` is refused before anything is made
    of it."""
    out = Inspection()
    found = inspect(doc, out)
    if found is None or out.failed:
        raise BadPack(out.findings)
    return found


def inspect(doc: Mapping[str, Any], out: Inspection) -> HexMap | None:
    """The map of a parsed `map` document. Collects findings; None only if there is no valid grid.
    Entries with errors are left out."""
    board = _grid(doc, out)
    if board is None:
        return None
    painted = out.table(doc, "terrain", FILE)
    terrain = _painted(board, painted, "terrain", None, out)
    sides = out.names(doc, "sides", FILE)
    control: tuple[str, ...] = ()
    if "control" in doc:
        control = tuple(_painted(board, out.table(doc, "control", FILE), "control", sides, out))
    # links = ["track"] at the top of map.toml makes [[track]] a kind of line too
    kinds = dict.fromkeys((*LINK_KINDS, *out.names(doc, "links", FILE, required=False)))
    lines = {kind: _lines(board, doc, kind, out) for kind in kinds}
    rivers = _rivers(board, doc, out)
    legend = painted.get("legend")
    return HexMap(
        title=str(doc.get("title", doc.get("pack", "untitled"))),
        grid=board,
        sides=sides,
        terrain=tuple(terrain),
        letters=MappingProxyType(
            {str(name): str(letter)[:1] for letter, name in legend.items()}
            if isinstance(legend, Mapping)
            else {}
        ),
        control=control,
        rivers=rivers,
        classes=MappingProxyType(
            {
                side: river.kind
                for river in rivers
                for pair in river.sides
                for side in _both(board, pair)
            }
        ),
        bridged=_flagged(board, doc, "bridges", rivers, out),
        impassable=_flagged(board, doc, "impassable", None, out),
        lines=MappingProxyType(lines),
        links=MappingProxyType({kind: _linked(chains) for kind, chains in lines.items()}),
        places=MappingProxyType(_places(board, doc, sides, out)),
        sources=tuple(_sources(board, doc, sides, out)),
        areas=MappingProxyType(_areas(board, doc, out)),
        boxes=MappingProxyType(_boxes(board, doc, out)),
    )


def _grid(doc: Mapping[str, Any], out: Inspection) -> Grid | None:
    spec = out.table(doc, "grid", FILE)
    place = f"{FILE} [grid]"
    if not spec:
        return None
    listed = out.rows(spec, "sheet", place, required=False)
    sheets = [Sheet(str(s.get("name", "")), out.whole(s, "first_column", place, 1)) for s in listed]
    try:
        return grid(
            orientation=out.text(spec, "orientation", place),
            shifted=out.text(spec, "shifted", place),
            columns=out.whole(spec, "columns", place),
            rows=out.whole(spec, "rows", place),
            id_template=str(spec.get("id", "{col:02}{row:02}")),
            sheets=sheets,
        )
    except ValueError as trouble:
        if not out.failed:
            out.error(
                place, str(trouble), "Nothing else on the map can be read before the grid is right"
            )
        return None


def _painted(
    board: Grid,
    doc: Mapping[str, Any],
    name: str,
    allowed: Sequence[str] | None,
    out: Inspection,
) -> list[str]:
    """The value of every hex from a picture of text lines with a legend. `allowed` are the values
    that the legend may name, None for any."""
    place = f"{FILE} [{name}]"
    legend = out.table(doc, "legend", place)
    for sign, value in legend.items():
        if len(sign) != 1:
            out.error(
                f"{place} legend",
                f"the sign {sign!r} is not one character",
                "Use one character for each kind",
            )
        if allowed is not None and value not in allowed:
            out.error(
                f"{place} legend",
                f"{sign!r} stands for {value!r}, which is not defined",
                nearest(str(value), allowed),
            )
    rows = doc.get("rows")
    rows = [str(line) for line in rows] if isinstance(rows, list | tuple) else []
    if len(rows) != board.rows:
        out.error(
            f"{place} rows",
            f"{len(rows)} lines, but the grid has {board.rows} rows",
            "Write one line a row",
        )
    fill = next((str(value) for value in allowed or legend.values()), "")
    values = [fill] * len(board)
    for r, line in enumerate(rows[: board.rows]):
        if len(line) != board.columns:
            out.error(
                f"{place} rows, line {r + 1}",
                f"{len(line)} characters, but the grid has {board.columns} columns",
                "Write one character for each column",
            )
        for c, sign in enumerate(line[: board.columns]):
            i = r * board.columns + c
            if isinstance(legend.get(sign), str):
                values[i] = str(legend[sign])
            else:
                out.error(
                    f"{place} rows, line {r + 1}",
                    f"hex {board.ids[i]} has the sign {sign!r}, which the legend lacks",
                    "Add it to the legend or correct the line",
                )
    return values


def _hex(board: Grid, name: object, place: str, out: Inspection) -> int | None:
    try:
        return board.at(str(name))
    except UnknownHex as trouble:
        out.error(place, str(trouble), "Correct the id")
        return None


def _hexes(board: Grid, names: Sequence[str], place: str, out: Inspection) -> tuple[int, ...]:
    found = Counter(i for n in names if (i := _hex(board, n, place, out)) is not None)
    for i, number in found.items():
        if number > 1:
            out.warn(place, f"hex {board.ids[i]} is listed twice", "List it once")
    return tuple(found)


def _side_list(
    board: Grid, words: Sequence[str], place: str, out: Inspection
) -> list[tuple[int, int]]:
    found = []
    for word in words:
        try:
            found.append(hexsides.parse(board, word))
        except (NoHexside, UnknownHex) as trouble:
            out.error(place, str(trouble), "Correct or remove this hexside")
    return found


def _both(board: Grid, pair: tuple[int, int]) -> tuple[Side, Side]:
    """A hexside as seen from both its hexes."""
    a, b = pair
    return (a, board.direction(a, b)), (b, board.direction(b, a))


def _rivers(board: Grid, doc: Mapping[str, Any], out: Inspection) -> tuple[River, ...]:
    found: list[River] = []
    owner: dict[tuple[int, int], str] = {}
    for number, entry in enumerate(out.rows(doc, "river", FILE, required=False), 1):
        name = str(entry.get("name", f"number {number}"))
        place = f"{FILE} [[river]] {name}"
        kind = out.text(entry, "class", place)
        sides = []
        for pair in _side_list(board, out.words(entry, "hexsides", place), place, out):
            if pair in owner:
                out.error(
                    place,
                    f"hexside {hexsides.key(board, *pair)} already belongs to {owner[pair]}",
                    "Keep it in one river only, the larger",
                )
                continue
            owner[pair] = name
            sides.append(pair)
        found.append(River(name, kind, tuple(sides)))
    return tuple(found)


def _flagged(
    board: Grid,
    doc: Mapping[str, Any],
    table: str,
    rivers: Sequence[River] | None,
    out: Inspection,
) -> frozenset[Side]:
    """The hexsides that a table lists; `rivers` are those on one of which each must lie, None where
    it need not."""
    section = out.table(doc, table, FILE, required=False)
    place = f"{FILE} [{table}]"
    listed = _side_list(
        board, out.words(section, "hexsides", place, required=bool(section)), place, out
    )
    if rivers is not None:
        wet = {pair: None for river in rivers for pair in river.sides}
        for pair in listed:
            if pair not in wet:
                out.error(
                    place,
                    f"no river on hexside {hexsides.key(board, *pair)}",
                    "Remove it or add the river",
                )
    return frozenset(side for pair in listed for side in _both(board, pair))


def _lines(board: Grid, doc: Mapping[str, Any], kind: str, out: Inspection) -> tuple[Line, ...]:
    found = []
    for number, entry in enumerate(out.rows(doc, kind, FILE, required=False), 1):
        name = str(entry.get("name", f"number {number}"))
        place = f"{FILE} [[{kind}]] {name}"
        chain = [_hex(board, n, place, out) for n in out.words(entry, "hexes", place)]
        for a, b in pairwise(chain):
            if a is not None and b is not None and board.direction(a, b) < 0:
                out.error(
                    place,
                    f"{board.ids[a]} and {board.ids[b]} follow each other but do not touch",
                    "Add what lies between",
                )
        if len(chain) == 1:
            out.warn(place, "a single hex links nothing", "List at least two neighbouring hexes")
        found.append(Line(name, tuple(i for i in chain if i is not None)))
    return tuple(found)


def _linked(chains: Iterable[Line]) -> Mapping[int, frozenset[int]]:
    found: dict[int, dict[int, None]] = {}
    for chain in chains:
        for a, b in pairwise(chain.hexes):
            found.setdefault(a, {})[b] = None
            found.setdefault(b, {})[a] = None
    return MappingProxyType({i: frozenset(others) for i, others in found.items()})


def _places(
    board: Grid, doc: Mapping[str, Any], sides: Sequence[str], out: Inspection
) -> dict[int, Place]:
    found: dict[int, Place] = {}
    for entry in out.rows(
        out.table(doc, "places", FILE, required=False), "list", f"{FILE} [places]", required=False
    ):
        name = str(entry.get("name", "?"))
        place = f"{FILE} [places] {name}"
        at, kind, owner, group = (
            _hex(board, entry.get("hex"), place, out),
            out.text(entry, "kind", place),
            entry.get("owner"),
            entry.get("group"),
        )
        if owner is not None and owner not in sides:
            out.error(place, f"owner {owner!r} is not a side", nearest(str(owner), sides))
            owner = None
        if at is None:
            continue
        if at in found:
            out.error(
                place,
                f"hex {board.ids[at]} already holds {found[at].name}",
                "Keep one place in a hex",
            )
            continue
        found[at] = Place(at, name, kind, owner, None if group is None else str(group))
    return found


def _sources(
    board: Grid, doc: Mapping[str, Any], sides: Sequence[str], out: Inspection
) -> list[Source]:
    found = []
    for number, entry in enumerate(out.rows(doc, "source", FILE, required=False), 1):
        place = f"{FILE} [[source]] {entry.get('id', f'number {number}')}"
        name, side, at = (
            out.text(entry, "id", place),
            out.text(entry, "side", place),
            _hex(board, entry.get("hex"), place, out),
        )
        if side not in sides:
            out.error(place, f"side {side!r} is not one of the sides", nearest(side, sides))
        if at is not None:
            turn = out.whole(entry, "from_turn", place, 1)
            shown = str(entry.get("name", name))
            found.append(Source(name, side, at, shown, turn, bool(entry.get("rail", False))))
    return found


def _areas(board: Grid, doc: Mapping[str, Any], out: Inspection) -> dict[str, Area]:
    found: dict[str, Area] = {}
    for number, entry in enumerate(out.rows(doc, "area", FILE, required=False), 1):
        place = f"{FILE} [[area]] {entry.get('id', f'number {number}')}"
        name = out.text(entry, "id", place)
        data = dict(entry)
        for word in ("hq_hexes",):
            if word in data:
                data[word] = _hexes(board, out.words(entry, word, place), place, out)
        hexes = _hexes(board, out.words(entry, "hexes", place), place, out)
        found[name] = Area(
            name,
            str(entry.get("kind", "")),
            str(entry.get("name", name)),
            hexes,
            MappingProxyType(data),
        )
    return found


def _boxes(board: Grid, doc: Mapping[str, Any], out: Inspection) -> dict[str, Box]:
    found: dict[str, Box] = {}
    for number, entry in enumerate(out.rows(doc, "box", FILE, required=False), 1):
        place = f"{FILE} [[box]] {entry.get('id', f'number {number}')}"
        name = out.text(entry, "id", place)
        near = _hexes(board, out.words(entry, "entry", place, required=False), place, out)
        side = entry.get("side")
        found[name] = Box(
            name,
            None if side is None else str(side),
            str(entry.get("name", name)),
            near,
            MappingProxyType(dict(entry)),
        )
    return found
