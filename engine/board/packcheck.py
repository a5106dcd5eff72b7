"""The check of a pack, anybody's: every finding in words its author understands, errors first in the order of the files.

Pure over parsed documents: `check({"map": …, "tables": …, "counters": …, "setup": …, "turns": …})`, read with
`parse_float=str`.  An area game has [[area]] tables with `adjacent` instead of a [grid]; its map is checked and its other
documents only for decimal numbers and ids.  What only one title's rules ask (which pieces may start where) is that title's own check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.board import areas, hexsides, odds
from engine.board.findings import ERROR, WARNING, Finding, Inspection
from engine.board.going import going_from_tables, halves
from engine.board.hexmap import HexMap
from engine.board.hexmap import inspect as inspect_map
from engine.board.packpieces import check_pieces
from engine.board.tracing import flood, land_net, link_net

Docs = Mapping[str, Mapping[str, Any]]

HEX_FILES = ("map", "counters", "setup", "turns", "tables")
SCHEMA = 1
_ID_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._")


def check(docs: Docs) -> list[Finding]:
    """Every finding about a pack, errors before warnings; no errors means the pack can be used."""
    out = Inspection()
    if not docs:
        out.error("pack", "no file could be read", "Give a folder that holds the pack's .toml files")
    for name, doc in docs.items():
        if not isinstance(doc, Mapping):
            out.error(f"{name}.toml", "not a table", "Write the file as TOML tables")
    docs = {name: doc for name, doc in docs.items() if isinstance(doc, Mapping)}
    for name, doc in docs.items():
        _no_decimals(doc, f"{name}.toml", out)
    area_file = next((n for n, d in docs.items() if _is_area_map(d)), None)
    if area_file is not None:
        areas.inspect(docs[area_file], out, file=f"{area_file}.toml")
    elif docs:
        _check_hex_pack(docs, out)
    return [f for level in (ERROR, WARNING) for f in out.findings if f.severity == level]


def _is_area_map(doc: Mapping[str, Any]) -> bool:
    rows = doc.get("area")
    return "grid" not in doc and isinstance(rows, list) and any(isinstance(r, Mapping) and "adjacent" in r for r in rows)


def _check_hex_pack(docs: Docs, out: Inspection) -> None:
    for name in HEX_FILES:
        if name not in docs:
            out.error(f"{name}.toml", "missing", f"A pack has the files {', '.join(f'{n}.toml' for n in HEX_FILES)}")
    doc = {name: docs.get(name, {}) for name in HEX_FILES}
    for name in docs:
        _header(docs[name], name, doc["map"], out)
    board = None
    if "map" in docs:
        board = inspect_map(doc["map"], doc["tables"], out)
    _ids(doc, out)
    if "tables" in docs:
        _tables(doc["tables"], board, out)
    if "turns" in docs:
        _turns(doc, out)
    if board is not None and not out.failed:
        _sense(board, doc, out)
    if board is not None and {"counters", "setup"} <= docs.keys():
        check_pieces(board, doc, out)


def _no_decimals(value: object, place: str, out: Inspection) -> None:
    if isinstance(value, float):
        out.error(place, f"the decimal number {value}", 'Write it as text ("0.5") or a fraction ("1/2"): a game\'s log holds none')
    elif isinstance(value, Mapping):
        for k, v in value.items():
            _no_decimals(v, f"{place} {k}", out)
    elif isinstance(value, list | tuple):
        for k, v in enumerate(value, 1):
            _no_decimals(v, f"{place} entry {k}", out)


def _header(doc: Mapping[str, Any], name: str, map_doc: Mapping[str, Any], out: Inspection) -> None:
    place = f"{name}.toml"
    if doc.get("schema") != SCHEMA:
        out.error(place, f"schema is {doc.get('schema')!r}", f"Write schema = {SCHEMA}, the version of the pack format")
    if doc.get("file") != name:
        out.error(place, f"file is {doc.get('file')!r}", f'Write file = "{name}"')
    if doc.get("pack") != map_doc.get("pack") or not doc.get("pack"):
        out.error(place, f"pack is {doc.get('pack')!r}, in map.toml {map_doc.get('pack')!r}", "Write the same pack name in every file")
    if not doc.get("provenance"):
        out.warn(place, "[provenance] is missing", "Say where the data comes from, so that others may trust and reuse it")


def listed_ids(doc: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Every id a pack defines, with the place that defines it."""
    for file, kinds in (("map", ("source", "area", "box")), ("counters", ("units", "hqs", "chits", "markers")), ("setup", ("group",))):
        for kind in kinds:
            entries = doc[file].get(kind)
            for entry in entries if isinstance(entries, list | tuple) else ():
                if isinstance(entry, Mapping):
                    yield str(entry.get("id")), f"{file}.toml {kind}"


def _ids(doc: Mapping[str, Mapping[str, Any]], out: Inspection) -> None:
    seen: dict[str, str] = {}
    for name, place in listed_ids(doc):
        if name in seen:
            out.error(f"{place} {name}", f"the id is used in {seen[name]} too", "Give every piece, area, box and source an id of its own")
        seen[name] = place
        if not set(name) <= _ID_SIGNS or not name:
            out.error(f"{place} {name}", "the id holds other signs than a-z, 0-9, dot and underscore", 'Write it like "su.tank.17"')


def _tables(tables: Mapping[str, Any], board: HexMap | None, out: Inspection) -> None:
    mobilities: list[str] = []
    for section in ("terrain", "place", "hexside"):
        for name, entry in out.table(tables, section, "tables.toml", required=section == "terrain").items():
            place = f"tables.toml [{section}] {name}"
            if not isinstance(entry, Mapping):
                out.error(place, "not a table", f"Write {name} = {{…}}")
                continue
            for key, value in entry.items():
                if key.startswith("move_"):
                    _number(value, f"{place} {key}", out)
                    if section == "terrain":
                        mobilities.append(key[len("move_") :])
    for key, value in out.table(tables, "movement", "tables.toml").items():
        if not isinstance(value, bool):
            _number(value, f"tables.toml [movement] {key}", out)
    for mobility in dict.fromkeys(mobilities):
        for name, entry in tables["terrain"].items():
            if isinstance(entry, Mapping) and f"move_{mobility}" not in entry:
                out.error(f"tables.toml [terrain] {name}", f"move_{mobility} is missing", "Write a cost in every terrain, 0 for no entry")
    if mobilities and not out.failed and board is not None:
        try:
            for mobility in dict.fromkeys(mobilities):
                going_from_tables(tables, mobility)
        except (AttributeError, KeyError, TypeError, ValueError) as trouble:
            out.error("tables.toml", f"the costs for {mobility} cannot be read: {trouble}", "Compare with the pack format's table of keys")
    if out.table(tables, "crt", "tables.toml", required=False) and isinstance(tables.get("combat", {}), Mapping):
        try:
            odds.results_table(tables["crt"])
            odds.ladder_from_tables(tables)
        except (AttributeError, KeyError, TypeError, ValueError) as trouble:
            out.error("tables.toml [crt]", str(trouble), "Correct the combat results table")


def _number(value: object, place: str, out: Inspection) -> None:
    try:
        halves(value)
    except ValueError as trouble:
        out.error(place, str(trouble).partition(";")[0], 'Write a whole number, or halves as "1/2" or "1.5"')


def _turns(doc: Mapping[str, Mapping[str, Any]], out: Inspection) -> None:
    turns = out.rows(doc["turns"], "turn", "turns.toml")
    numbers = [t.get("number") for t in turns]
    first = numbers[0] if numbers and isinstance(numbers[0], int) else 1
    if numbers != list(range(first, first + len(numbers))):
        out.error("turns.toml", f"turns are numbered {numbers}", "Number the turns one after the other, without a gap")
    scenario = doc["setup"].get("scenario", {})
    for key, number in (("first_turn", first), ("last_turn", first + len(numbers) - 1)):
        if isinstance(scenario, Mapping) and key in scenario and scenario[key] != number:
            out.error(f"setup.toml [scenario] {key}", f"{scenario[key]!r}, but the turn track says {number}", "Make the two agree")


def _sense(board: HexMap, doc: Mapping[str, Mapping[str, Any]], out: Inspection) -> None:
    """What a map may be but rarely means to be."""
    grid, terrain = board.grid, doc["tables"]["terrain"]
    barred = {n for n, e in terrain.items() if not any(halves(v) for k, v in e.items() if k.startswith("move_"))}
    wet = board.where(lambda i: board.terrain_at(i) in barred)
    for kind, table in board.links.items():
        sunk = [grid.ids[i] for i in range(len(grid)) if wet[i] and any(table[i * 6 : i * 6 + 6])]
        if sunk:
            out.warn(
                f"map.toml [[{kind}]]", f"it runs through hexes nobody can enter: {' '.join(sunk[:8])}", "Move the line or the terrain"
            )
    for place in board.places.values():
        if wet[place.hex]:
            out.warn(f"map.toml [places] {place.name}", f"hex {grid.ids[place.hex]} is {board.terrain_at(place.hex)}", "Move one of them")
    bridgeless = [
        (a, b)
        for a, b in hexsides.listed(grid, board.sides.river)
        if any(t[hexsides.slot(grid, a, b)] for t in board.links.values()) and not board.sides.bridged[hexsides.slot(grid, a, b)]
    ]
    if bridgeless:
        names = " ".join(hexsides.key(grid, a, b) for a, b in bridgeless[:8])
        out.warn("map.toml [bridges]", f"a road or railway crosses a river without a bridge at {names}", "Add them unless it means a ferry")
    _one_piece(board, barred, out)
    _sources(board, wet, out)


def _one_piece(board: HexMap, barred: set[str], out: Inspection) -> None:
    net, grid = land_net(board, closed_terrain=barred), board.grid
    land = [i for i in range(len(grid)) if board.terrain_at(i) not in barred]
    if not land:
        out.error("map.toml [terrain]", "no hex can be entered", "Give the map some land")
        return
    found = flood(net, land[:1], bytes([2]) * len(grid))
    island = [grid.ids[i] for i in land if not found.reached(i)]
    if island and len(island) * 2 > len(land):
        island = [grid.ids[i] for i in land if found.reached(i)]
    if island:
        out.warn("map.toml [terrain]", f"hexes cut off from the rest: {' '.join(island[:10])}", "Check water and impassable hexsides there")


def _sources(board: HexMap, wet: bytes, out: Inspection) -> None:
    rails = link_net(board)
    for source in board.sources:
        place, name = f"map.toml [[source]] {source.id}", board.grid.ids[source.hex]
        if wet[source.hex]:
            out.error(place, f"hex {name} cannot be entered", "Put the source on land")
        if source.rail and not rails[source.hex]:
            out.error(place, f"no railway runs through {name}", "Lead a railway there or write rail = false")
    for side in board.players:
        if board.sources and not any(s.side == side for s in board.sources):
            out.warn("map.toml [[source]]", f"{side} has no source", f"Add one, or {side} is never in supply")
