"""A hex map as loaded from a pack: terrain, places, rivers, bridges, links (railways, roads), sources, named areas, boxes.

Input is the parsed `map` document and, for what the legend and the river classes may be, the `tables` document; this file
never reads files.  Decimal numbers must arrive as text (TOML read with `parse_float=str`): a pack is carried in the game's
log, which holds no fractions.  Errors are collected, each naming table and entry and what to do, and raised together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from attrs import evolve, frozen

from engine.board import hexsides
from engine.board.findings import BadPack, Inspection, nearest
from engine.board.hexgrid import Grid, Sheet, UnknownHex, grid
from engine.board.hexsides import NoHexside, Sides

FILE = "map.toml"
LINK_KINDS = ("road", "rail")


@frozen
class Place:
    """A town or city: `kind` is looked up in the tables, `group` joins hexes of one city, `owner` is the side at start."""

    hex: int
    name: str
    kind: str
    owner: str | None
    group: str | None


@frozen
class Source:
    """A supply or reinforcement source, in force from turn `from_turn`; `rail` = reinforcements may come in here."""

    id: str
    side: str
    hex: int
    name: str
    from_turn: int
    rail: bool


@frozen
class Area:
    """A named set of hexes; `kind` says what for (set-up, fortified, closed …), `data` holds the author's other fields."""

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
    """The map of one pack; positions in `terrain` and `control` are hex indices, in the links and sides hexside slots.

    `terrain[i]` is an index into `terrains`, `control[i]` one into `sides_at_start` (the start line; empty if the map has
    none); `links[kind][slot]` is 1 where a road or railway crosses the hexside.
    """

    title: str
    grid: Grid
    terrains: tuple[str, ...]
    terrain: bytes
    sides: Sides
    links: Mapping[str, bytes]
    places: Mapping[int, Place]
    sources: tuple[Source, ...]
    areas: Mapping[str, Area]
    boxes: Mapping[str, Box]
    players: tuple[str, ...]
    control: tuple[str, ...]

    def terrain_at(self, i: int) -> str:
        return self.terrains[self.terrain[i]]

    def with_bridges(self, bridged: bytes) -> HexMap:
        """The same map with other bridges (blown, built); `bridged` is a table over hexside slots."""
        return evolve(self, sides=evolve(self.sides, bridged=bridged))

    def linked(self, a: int, b: int, kind: str) -> bool:
        """Whether a road or railway joins two neighbours."""
        d = self.grid.direction(a, b)
        return d >= 0 and bool(self.links[kind][a * 6 + d])

    def has_link(self, i: int, kind: str) -> bool:
        """Whether any road or railway of that kind runs through a hex."""
        return any(self.links[kind][i * 6 : i * 6 + 6])

    def named(self, name: str) -> int | None:
        """The hex of a place by its name, for people who type "Kharkov"; None if there is none."""
        return next((p.hex for p in self.places.values() if p.name.casefold() == name.casefold()), None)

    def where(self, test: Callable[[int], bool]) -> bytes:
        """A table over hexes with 1 where a test holds."""
        return bytes(1 if test(i) else 0 for i in range(len(self.grid)))


def hex_map(map_doc: Mapping[str, Any], tables_doc: Mapping[str, Any]) -> HexMap:
    """Build a map from the parsed map and tables documents; BadPack names every error."""
    out = Inspection()
    built = inspect(map_doc, tables_doc, out)
    if built is None or out.failed:
        raise BadPack(out.findings)
    return built


def inspect(map_doc: Mapping[str, Any], tables_doc: Mapping[str, Any], out: Inspection) -> HexMap | None:
    """The same, collecting findings; None only without a grid or any terrain to hang the rest on.  Entries in error are left out."""
    board = _grid(map_doc, out)
    if board is None:
        return None
    terrains = tuple(out.table(tables_doc, "terrain", "tables.toml"))
    legend_doc = out.table(map_doc, "terrain", FILE)
    if not terrains:
        return None
    terrain = _terrain(board, legend_doc, terrains, out)
    players = out.names(map_doc, "sides", FILE)
    control: tuple[str, ...] = ()
    if "control" in map_doc:
        control = tuple(_painted(board, out.table(map_doc, "control", FILE), "control", players, out))
    place_kinds = tuple(out.table(tables_doc, "place", "tables.toml", required=False))
    # links = ["track"] at the top of map.toml makes [[track]] a kind of link too
    kinds = dict.fromkeys((*LINK_KINDS, *out.names(map_doc, "links", FILE, required=False)))
    links = {k: _links(board, map_doc, k, out) for k in kinds}
    return HexMap(
        title=str(map_doc.get("title", map_doc.get("pack", "untitled"))),
        grid=board,
        terrains=terrains,
        terrain=terrain,
        sides=_sides(board, map_doc, tuple(out.table(tables_doc, "hexside", "tables.toml", required=False)), out),
        links=MappingProxyType(links),
        places=MappingProxyType(_places(board, map_doc, place_kinds, players, out)),
        sources=tuple(_sources(board, map_doc, players, out)),
        areas=MappingProxyType(_areas(board, map_doc, out)),
        boxes=MappingProxyType(_boxes(board, map_doc, out)),
        players=players,
        control=control,
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
            out.error(place, str(trouble), "Nothing else on the map can be read before the grid is right")
        return None


def _painted(board: Grid, doc: Mapping[str, Any], name: str, allowed: Sequence[str], out: Inspection) -> list[str]:
    """The value of every hex from a picture of text lines with a legend."""
    place = f"{FILE} [{name}]"
    legend = out.table(doc, "legend", place)
    for sign, value in legend.items():
        if len(sign) != 1:
            out.error(f"{place} legend", f"the sign {sign!r} is not one character", "Use one character for each kind")
        if value not in allowed:
            out.error(f"{place} legend", f"{sign!r} stands for {value!r}, which is not defined", nearest(str(value), allowed))
    rows = doc.get("rows")
    rows = [str(line) for line in rows] if isinstance(rows, list | tuple) else []
    if len(rows) != board.rows:
        out.error(f"{place} rows", f"{len(rows)} lines, but the grid has {board.rows} rows", "Write one line a row")
    fill = allowed[0] if allowed else ""
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


def _terrain(board: Grid, doc: Mapping[str, Any], terrains: Sequence[str], out: Inspection) -> bytes:
    number = {name: k for k, name in enumerate(terrains)}
    return bytes(number.get(name, 0) for name in _painted(board, doc, "terrain", terrains, out))


def _hex(board: Grid, name: object, place: str, out: Inspection) -> int | None:
    try:
        return board.at(str(name))
    except UnknownHex as trouble:
        out.error(place, str(trouble), "Correct the id")
        return None


def _hexes(board: Grid, names: Sequence[str], place: str, out: Inspection) -> tuple[int, ...]:
    found = [i for n in names if (i := _hex(board, n, place, out)) is not None]
    for i in dict.fromkeys(h for h in found if found.count(h) > 1):
        out.warn(place, f"hex {board.ids[i]} is listed twice", "List it once")
    return tuple(dict.fromkeys(found))


def _side_list(board: Grid, words: Sequence[str], place: str, out: Inspection) -> list[tuple[int, int]]:
    found = []
    for word in words:
        try:
            found.append(hexsides.parse(board, word))
        except (NoHexside, UnknownHex) as trouble:
            out.error(place, str(trouble), "Correct or remove this hexside")
    return found


def _sides(board: Grid, doc: Mapping[str, Any], classes: tuple[str, ...], out: Inspection) -> Sides:
    river = bytes(len(board) * 6)
    names: dict[int, str] = {}
    for number, entry in enumerate(out.rows(doc, "river", FILE, required=False), 1):
        name = str(entry.get("name", f"number {number}"))
        place = f"{FILE} [[river]] {name}"
        kind = out.text(entry, "class", place)
        if kind not in classes:
            out.error(place, f"class {kind!r} has no entry in tables.toml [hexside]", nearest(kind, classes))
            continue
        for a, b in _side_list(board, out.words(entry, "hexsides", place), place, out):
            at = hexsides.slot(board, a, b)
            if river[at]:
                out.error(
                    place,
                    f"hexside {hexsides.key(board, a, b)} already belongs to {names[at]}",
                    "Keep it in one river only, the larger",
                )
                continue
            river = hexsides.mark(board, [(a, b)], 1 + classes.index(kind), river)
            names[at] = names[hexsides.slot(board, b, a)] = name
    flags = {}
    for table in ("bridges", "impassable"):
        section = out.table(doc, table, FILE, required=False)
        place = f"{FILE} [{table}]"
        flags[table] = _side_list(board, out.words(section, "hexsides", place, required=bool(section)), place, out)
    for a, b in flags["bridges"]:
        if not river[hexsides.slot(board, a, b)]:
            out.error(f"{FILE} [bridges]", f"no river on hexside {hexsides.key(board, a, b)}", "Remove it or add the river")
    return Sides(
        classes,
        river,
        hexsides.mark(board, flags["bridges"]),
        hexsides.mark(board, flags["impassable"]),
        MappingProxyType(names),
    )


def _links(board: Grid, doc: Mapping[str, Any], kind: str, out: Inspection) -> bytes:
    pairs = []
    for number, entry in enumerate(out.rows(doc, kind, FILE, required=False), 1):
        place = f"{FILE} [[{kind}]] {entry.get('name', f'number {number}')}"
        chain = [_hex(board, n, place, out) for n in out.words(entry, "hexes", place)]
        for a, b in pairwise(chain):
            if a is None or b is None:
                continue
            if board.direction(a, b) < 0:
                out.error(place, f"{board.ids[a]} and {board.ids[b]} follow each other but do not touch", "Add what lies between")
            else:
                pairs.append((a, b))
        if len(chain) == 1:
            out.warn(place, "a single hex links nothing", "List at least two neighbouring hexes")
    return hexsides.mark(board, pairs)


def _places(board: Grid, doc: Mapping[str, Any], kinds: Sequence[str], players: Sequence[str], out: Inspection) -> dict[int, Place]:
    found: dict[int, Place] = {}
    for entry in out.rows(out.table(doc, "places", FILE, required=False), "list", f"{FILE} [places]", required=False):
        name = str(entry.get("name", "?"))
        place = f"{FILE} [places] {name}"
        at, kind, owner = _hex(board, entry.get("hex"), place, out), out.text(entry, "kind", place), entry.get("owner")
        if kind not in kinds:
            out.error(place, f"kind {kind!r} has no entry in tables.toml [place]", nearest(kind, kinds))
        if owner is not None and owner not in players:
            out.error(place, f"owner {owner!r} is no side", nearest(str(owner), players))
        if at is None:
            continue
        if at in found:
            out.error(place, f"hex {board.ids[at]} already holds {found[at].name}", "Keep one place in a hex")
            continue
        found[at] = Place(at, name, kind, owner, entry.get("group"))
    return found


def _sources(board: Grid, doc: Mapping[str, Any], players: Sequence[str], out: Inspection) -> list[Source]:
    found = []
    for number, entry in enumerate(out.rows(doc, "source", FILE, required=False), 1):
        place = f"{FILE} [[source]] {entry.get('id', f'number {number}')}"
        name, side, at = out.text(entry, "id", place), out.text(entry, "side", place), _hex(board, entry.get("hex"), place, out)
        if side not in players:
            out.error(place, f"side {side!r} is not one of the sides", nearest(side, players))
        if at is not None:
            turn = out.whole(entry, "from_turn", place, 1)
            found.append(Source(name, side, at, str(entry.get("name", name)), turn, bool(entry.get("rail", False))))
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
        found[name] = Area(name, str(entry.get("kind", "")), str(entry.get("name", name)), hexes, MappingProxyType(data))
    return found


def _boxes(board: Grid, doc: Mapping[str, Any], out: Inspection) -> dict[str, Box]:
    found: dict[str, Box] = {}
    for number, entry in enumerate(out.rows(doc, "box", FILE, required=False), 1):
        place = f"{FILE} [[box]] {entry.get('id', f'number {number}')}"
        name = out.text(entry, "id", place)
        entry_hexes = _hexes(board, out.words(entry, "entry", place, required=False), place, out)
        side = entry.get("side")
        found[name] = Box(name, side, str(entry.get("name", name)), entry_hexes, MappingProxyType(dict(entry)))
    return found
