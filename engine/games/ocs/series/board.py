"""OCS 0, 6.2: the map of a game as index arrays and sets of hexes.

OCS 0.A A hex's number is what its sheet prints; inside it is a grid index. OCS 0.B Every hex of the
grid is playable but those that a scenario closes. OCS 0.F Boxes: air boxes and holding boxes.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from attrs import frozen

from warledger.engine.board import hexsets, hexsides
from warledger.engine.board.hexmap import HexMap, hex_map
from warledger.engine.board.hexsets import Hexes
from warledger.protocol.board.ranges import expand
from warledger.protocol.texts.words import words_of

MULTI = "multi"
"""The word of a pack's railway that runs on two tracks."""

RAIL = "rail"


@frozen
class Entry:
    """OCS 13.6 An area at the map's edge where arrivals come in: its hexes and what crosses the
    edge in each ("rail", "road", "track"). `side` is "shared" when both may use it; `from_turn` is
    when it opens."""

    id: str
    letter: str
    side: str
    name: str
    hexes: tuple[int, ...]
    by: Mapping[int, tuple[str, ...]]
    from_turn: int


@frozen
class Source:
    """OCS 12.6a A supply source printed on the map or named by a scenario: a hex, or a marker that
    carries it along ("" for none)."""

    id: str
    side: str
    name: str
    hex: int
    marker: str = ""
    from_turn: int = 1


@frozen
class Box:
    """OCS 0.F A place off the map. `flights` of an air box: the hexes of range used up on arrival,
    by entry area."""

    id: str
    side: str
    kind: str
    name: str
    flights: Mapping[str, int]


@frozen(eq=False, repr=False)
class Board:
    """The map of a pack and what is asked of it again and again. Compared by identity."""

    map: HexMap
    size: int
    every: Hexes
    near: tuple[Hexes, ...]
    """Each hex's neighbours."""
    areas: Mapping[str, Hexes]
    by_terrain: Mapping[str, Hexes]
    by_place: Mapping[str, Hexes]
    """Hexes with a place of that kind."""
    places: Hexes
    lands: Mapping[str, Hexes]
    """Hexes with a place that the map says lies in a country."""
    linked: Mapping[str, Hexes]
    """Hexes that a road, railway or track runs through."""
    multi: bytes
    """OCS 13.3a One byte a hexside slot: 1 where a railway has two tracks."""
    printed_bridges: Mapping[str, frozenset[int]]
    """Hexside slots of the bridges that the map prints, by the class of river that no path lifts
    without one."""
    entries: Mapping[str, Entry]
    sources: tuple[Source, ...]
    boxes: Mapping[str, Box]
    printed_hedgehogs: Hexes
    black_hedgehogs: Hexes
    limits: Mapping[str, Any]

    def hex(self, name: str) -> int:
        """The index of a printed id. Raises UnknownHex."""
        grid = self.map.grid
        at = grid.index.get(name)
        return grid.at(name) if at is None else at

    def name(self, i: int) -> str:
        """The printed id of a hex."""
        return self.map.grid.ids[i]

    def set_of(self, text: str) -> Hexes:
        """The hexes of a list of the pack, ranges among them."""
        return _set_of(self, text)

    def river_class(self, slot: int) -> str:
        """The class of the river on a hexside, "" for none."""
        return self.map.sides.river_class(slot) or ""

    def slot(self, a: int, b: int) -> int:
        """The slot of the hexside between two neighbours, seen from a."""
        return hexsides.slot(self.map.grid, a, b)


@lru_cache(maxsize=256)
def _set_of(board: Board, text: str) -> Hexes:
    return hexsets.of(board.hex(name) for name in expand(text))


def board(map_doc: Mapping[str, Any], tables_doc: Mapping[str, Any]) -> Board:
    """Read a pack's map. Raises BadPack or BadRange with the entry that is wrong."""
    areas = [{**one, "hexes": " ".join(expand(one["hexes"]))} for one in map_doc.get("area", ())]
    read = hex_map({**map_doc, "area": areas}, tables_doc)
    grid = read.grid
    near = hexsets.around(grid.adjacent)
    by_terrain: dict[str, Hexes] = {}
    for number, name in enumerate(read.terrains):
        by_terrain[name] = hexsets.of(i for i, k in enumerate(read.terrain) if k == number)
    by_place: dict[str, Hexes] = dict.fromkeys(tables_doc.get("place", {}), 0)
    for i, place in read.places.items():
        by_place[place.kind] |= 1 << i
    hedgehogs = map_doc.get("printed_hedgehogs", ())
    at = _hexes_of(read)
    return Board(
        map=read,
        size=len(grid),
        every=(1 << len(grid)) - 1,
        near=near,
        areas={name: hexsets.of(area.hexes) for name, area in read.areas.items()},
        by_terrain=by_terrain,
        by_place=by_place,
        places=hexsets.of(read.places),
        lands=_lands(read, map_doc),
        linked={
            kind: hexsets.of(slot // 6 for slot, there in enumerate(table) if there)
            for kind, table in read.links.items()
        },
        multi=_multi(read, map_doc),
        printed_bridges={
            name: frozenset(
                slot
                for words in words_of(sides)
                for a, b in (hexsides.parse(grid, words),)
                for slot in (hexsides.slot(grid, a, b), hexsides.slot(grid, b, a))
            )
            for name, sides in map_doc.get("bridges", {}).items()
            if name not in ("rule", "hexsides")
        },
        entries={
            one["id"]: Entry(
                one["id"],
                one.get("letter", ""),
                one["side"],
                one["name"],
                tuple(grid.at(h) for h in expand(one["hexes"])),
                {grid.at(h): tuple(words_of(kinds)) for h, kinds in one["by"].items()},
                one["from_turn"],
            )
            for one in map_doc.get("entry", ())
        },
        sources=tuple(source_of(read, one) for one in map_doc.get("source", ())),
        boxes={
            one["id"]: Box(
                one["id"],
                one.get("side", ""),
                one["kind"],
                one["name"],
                dict(one.get("flights", {})),
            )
            for one in map_doc.get("box", ())
        },
        printed_hedgehogs=hexsets.of(h for one in hedgehogs for h in at(one["hexes"])),
        black_hedgehogs=hexsets.of(h for one in hedgehogs for h in at(one["black"])),
        limits=map_doc.get("limits", {}),
    )


def _lands(read: HexMap, doc: Mapping[str, Any]) -> dict[str, Hexes]:
    found: dict[str, Hexes] = {}
    for one in doc.get("places", {}).get("list", ()):
        if "state" in one:
            found[one["state"]] = found.get(one["state"], 0) | 1 << read.grid.at(one["hex"])
    return found


def source_of(read: HexMap, entry: Mapping[str, Any]) -> Source:
    """One [[source]] entry of a map or scenario."""
    return Source(
        entry["id"],
        entry["side"],
        entry["name"],
        read.grid.at(entry["hex"]) if "hex" in entry else -1,
        entry.get("marker", ""),
        entry.get("from_turn", 1),
    )


def _hexes_of(read: HexMap) -> Any:
    return lambda text: tuple(read.grid.at(name) for name in expand(text))


def _multi(read: HexMap, doc: Mapping[str, Any]) -> bytes:
    grid = read.grid
    pairs = []
    for line in doc.get(RAIL, ()):
        if line.get("line") == MULTI:
            way = [grid.at(name) for name in words_of(line["hexes"])]
            pairs += list(pairwise(way))
    return hexsides.mark(grid, pairs)


@lru_cache(maxsize=4)
def edge_hexes(of: Board) -> Hexes:
    """The hexes on the rim of the map."""
    grid = of.map.grid
    return hexsets.of(i for i in range(of.size) if grid.edge(i))
