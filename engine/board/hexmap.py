"""A hex map compiled for the rules: tables of bytes over hexes and hexsides.

`warledger.protocol.board.hexmap` reads the map. This file holds it against the pack's `tables`
document, which lists terrains, classes of rivers and kinds of places, and makes tables of it.
Decimal numbers must arrive as text (TOML read with `parse_float=str`): a pack is carried in the
game's log, which holds no fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsides
from warledger.engine.board.hexsides import Sides
from warledger.engine.kernel.change import replace
from warledger.protocol.board import hexmap as maps
from warledger.protocol.board.findings import BadPack, Inspection, nearest
from warledger.protocol.board.hexgrid import Grid
from warledger.protocol.board.hexmap import FILE, Area, Box, Place, Source


@frozen(eq=False)
class HexMap:
    """The map of one pack. Positions in `terrain` and `control` are hex indices, in the links and
    sides hexside slots.

    `terrain[i]` is an index into `terrains`. `control[i]` is the side that holds a hex at the start
    (empty if the map has no start line). `links[kind][slot]` is 1 where a road or railway crosses
    the hexside.
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
        """A copy with other bridges (blown, built); `bridged` is a table over hexside slots."""
        return replace(self, sides=replace(self.sides, bridged=bridged))

    def linked(self, a: int, b: int, kind: str) -> bool:
        """Whether a road or railway joins two neighbours."""
        d = self.grid.direction(a, b)
        return d >= 0 and bool(self.links[kind][a * 6 + d])

    def has_link(self, i: int, kind: str) -> bool:
        """Whether any road or railway of that kind runs through a hex."""
        return any(self.links[kind][i * 6 : i * 6 + 6])

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


def inspect(
    map_doc: Mapping[str, Any], tables_doc: Mapping[str, Any], out: Inspection
) -> HexMap | None:
    """The compiled map. Collects findings; None only without a grid or any terrain to hang the rest
    on. Entries in error are left out."""
    read = maps.inspect(map_doc, out)
    terrains = tuple(out.table(tables_doc, "terrain", "tables.toml"))
    if read is None or not terrains:
        return None
    kinds = tuple(out.table(tables_doc, "place", "tables.toml", required=False))
    for place in read.places.values():
        if place.kind not in kinds:
            out.error(
                f"{FILE} [places] {place.name}",
                f"kind {place.kind!r} has no entry in tables.toml [place]",
                nearest(place.kind, kinds),
            )
    return HexMap(
        title=read.title,
        grid=read.grid,
        terrains=terrains,
        terrain=_terrain(read, terrains, out),
        sides=_sides(
            read, tuple(out.table(tables_doc, "hexside", "tables.toml", required=False)), out
        ),
        links=MappingProxyType(
            {kind: _links(read.grid, lines) for kind, lines in read.lines.items()}
        ),
        places=read.places,
        sources=read.sources,
        areas=read.areas,
        boxes=read.boxes,
        players=read.sides,
        control=read.control,
    )


def _terrain(read: maps.HexMap, terrains: tuple[str, ...], out: Inspection) -> bytes:
    for name, letter in read.letters.items():
        if name not in terrains:
            out.error(
                f"{FILE} [terrain] legend",
                f"{letter!r} stands for {name!r}, which is not defined",
                nearest(name, terrains),
            )
    number = {name: k for k, name in enumerate(terrains)}
    return bytes(number.get(name, 0) for name in read.terrain)


def _sides(read: maps.HexMap, classes: tuple[str, ...], out: Inspection) -> Sides:
    river = bytearray(len(read.grid) * 6)
    names: dict[int, str] = {}
    for stretch in read.rivers:
        if stretch.kind not in classes:
            out.error(
                f"{FILE} [[river]] {stretch.name}",
                f"class {stretch.kind!r} has no entry in tables.toml [hexside]",
                nearest(stretch.kind, classes),
            )
            continue
        for a, b in stretch.sides:
            for at in (hexsides.slot(read.grid, a, b), hexsides.slot(read.grid, b, a)):
                river[at] = 1 + classes.index(stretch.kind)
                names[at] = stretch.name
    flags = []
    for listed in (read.bridged, read.impassable):
        table = bytearray(len(read.grid) * 6)
        for i, d in sorted(listed):
            table[i * 6 + d] = 1
        flags.append(bytes(table))
    return Sides(classes, bytes(river), flags[0], flags[1], MappingProxyType(names))


def _links(grid: Grid, lines: tuple[maps.Line, ...]) -> bytes:
    return hexsides.mark(
        grid,
        ((a, b) for line in lines for a, b in pairwise(line.hexes) if grid.direction(a, b) >= 0),
    )
