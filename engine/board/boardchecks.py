"""What checks of packs have in common: the pieces from which a family's check is put together.

A *family* is a kind of pack: which files it holds and what must be in them. The titles' packages
name theirs (`FAMILY`), each with a check in its own folder; `warledger.engine.packcheck` finds the
family of somebody's pack and asks it. Everything here is pure over parsed documents, file name
without ending -> table, read with `parse_float=str`: nothing fails on what a stranger wrote, and
every finding names place, trouble and remedy.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from warledger.engine.board import areas, hexsides, odds
from warledger.engine.board.going import going_from_tables, halves
from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.hexmap import inspect as inspect_map
from warledger.engine.board.tracing import flood, land_net, link_net
from warledger.protocol.board.findings import ERROR, WARNING, Finding, Inspection

Docs = Mapping[str, Mapping[str, Any]]
Lists = Mapping[str, Sequence[str]]
"""File -> the lists in it whose entries have ids."""

SCHEMA = 1
HEADER = ("schema", "file", "pack")
"""The keys with which every file begins."""

_ID_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._")


@frozen
class Family:
    """A kind of pack.

    name         how people call it ("chit-pull games on a hex map")
    recognises   whether documents look like a pack of this family, however faulty they are
    check        adds what is wrong with them; must not raise, whatever they contain
    """

    name: str
    recognises: Callable[[Docs], bool]
    check: Callable[[Docs, Inspection], None]


def check(docs: Docs, family: Family) -> list[Finding]:
    """Every finding about a pack, errors before warnings; no errors means the pack can be used."""
    out = Inspection()
    for name, doc in docs.items():
        if not isinstance(doc, Mapping):
            out.error(f"{name}.toml", "not a table", "Write the file as TOML tables")
    docs = {name: doc for name, doc in docs.items() if isinstance(doc, Mapping)}
    for name, doc in docs.items():
        _no_decimals(doc, f"{name}.toml", out)
    family.check(docs, out)
    return [f for level in (ERROR, WARNING) for f in out.findings if f.severity == level]


def files(docs: Docs, names: Sequence[str], out: Inspection) -> dict[str, Mapping[str, Any]]:
    """The documents with these names. A missing one is an error, and comes out empty."""
    for name in names:
        if name not in docs:
            out.error(
                f"{name}.toml",
                "missing",
                f"A pack has the files {', '.join(f'{n}.toml' for n in names)}",
            )
    return {name: docs.get(name, {}) for name in names}


def headers(docs: Docs, out: Inspection, *, first: str = "map") -> None:
    """Check that every file begins with the schema, its own name and the pack's (as `first` has
    it), and says where its data come from."""
    for name, doc in docs.items():
        _header(doc, name, docs.get(first, {}), first, out)


def hex_board(docs: Docs, out: Inspection) -> HexMap | None:
    """The map of `map` and `tables`, with findings about both; None if there is no grid or no
    terrain. Costs, results and what is rarely meant in a map are checked, too."""
    board = inspect_map(docs["map"], docs["tables"], out) if docs.get("map") else None
    if docs.get("tables"):
        tables(docs["tables"], board, out)
    return board


# --- areas ----------------------------------------------------------------------------------------


def area_file(docs: Docs) -> str | None:
    """The document that holds a map of areas: [[area]] tables with `adjacent`, and no [grid]."""
    return next((name for name, doc in docs.items() if _is_area_map(doc)), None)


def _is_area_map(doc: Mapping[str, Any]) -> bool:
    rows = doc.get("area") if isinstance(doc, Mapping) else None
    return (
        isinstance(rows, list)
        and "grid" not in doc
        and any(isinstance(r, Mapping) and "adjacent" in r for r in rows)
    )


def _check_areas(docs: Docs, out: Inspection) -> None:
    name = area_file(docs)
    if name is not None:
        areas.inspect(docs[name], out, file=f"{name}.toml")


AREAS = Family("games on a map of areas", lambda docs: area_file(docs) is not None, _check_areas)
"""Any game of areas and ports. Its map is checked; its other documents are checked only for decimal
numbers."""


# --- parts ----------------------------------------------------------------------------------------


def _no_decimals(value: object, place: str, out: Inspection) -> None:
    if isinstance(value, float):
        out.error(
            place,
            f"the decimal number {value}",
            'Write it as text ("0.5") or a fraction ("1/2"): a game\'s log holds none',
        )
    elif isinstance(value, Mapping):
        for k, v in value.items():
            _no_decimals(v, f"{place} {k}", out)
    elif isinstance(value, list | tuple):
        for k, v in enumerate(value, 1):
            _no_decimals(v, f"{place} entry {k}", out)


def _header(
    doc: Mapping[str, Any], name: str, reference: Mapping[str, Any], first: str, out: Inspection
) -> None:
    place = f"{name}.toml"
    if doc.get("schema") != SCHEMA:
        out.error(
            place,
            f"schema is {doc.get('schema')!r}",
            f"Write schema = {SCHEMA}, the version of the pack format",
        )
    if doc.get("file") != name:
        out.error(place, f"file is {doc.get('file')!r}", f'Write file = "{name}"')
    if doc.get("pack") != reference.get("pack") or not doc.get("pack"):
        out.error(
            place,
            f"pack is {doc.get('pack')!r}, in {first}.toml {reference.get('pack')!r}",
            "Write the same pack name in every file",
        )
    _provenance(doc, place, out)


def _provenance(doc: Mapping[str, Any], place: str, out: Inspection) -> None:
    """Check that the table says in sentences where data come from, and nothing else. TOML puts what
    is below the table's header into the table, so an entry added at the end of the file would be
    lost there."""
    told = doc.get("provenance")
    if not told:
        out.warn(
            place,
            "[provenance] is missing",
            "Say where the data comes from, so that others may trust and reuse it",
        )
        return
    if not isinstance(told, Mapping):
        out.error(place, "provenance is not a table", 'Write [provenance], and what = "its source"')
        return
    for key, text in told.items():
        if key in HEADER or not isinstance(text, str):
            why = "part of the header" if key in HEADER else "not a sentence"
            out.error(
                f"{place} [provenance]",
                f"{key} does not belong there: it is {why}",
                "What stands below [provenance] belongs to it; write this entry above, or under a "
                "table of its own",
            )


def listed_ids(docs: Docs, lists: Lists) -> Iterator[tuple[str, str]]:
    """Every id that these lists define, with the place that defines it."""
    for file, kinds in lists.items():
        for kind in kinds:
            entries = docs.get(file, {}).get(kind)
            for entry in entries if isinstance(entries, list | tuple) else ():
                if isinstance(entry, Mapping):
                    yield str(entry.get("id")), f"{file}.toml {kind}"


def ids(docs: Docs, lists: Lists, out: Inspection) -> None:
    """Ids are well formed, and no two entries share one."""
    seen: dict[str, str] = {}
    for name, place in listed_ids(docs, lists):
        if name in seen:
            out.error(
                f"{place} {name}",
                f"the id is used in {seen[name]} too",
                "Give every piece, area, box and source an id of its own",
            )
        seen[name] = place
        if not set(name) <= _ID_SIGNS or not name:
            out.error(
                f"{place} {name}",
                "the id holds other signs than a-z, 0-9, dot and underscore",
                'Write it like "su.tank.17"',
            )


def tables(tables: Mapping[str, Any], board: HexMap | None, out: Inspection) -> None:
    """Check tables.toml: movement costs of every terrain and mobility, combat results."""
    mobilities: list[str] = []
    for section in ("terrain", "place", "hexside"):
        for name, entry in out.table(
            tables, section, "tables.toml", required=section == "terrain"
        ).items():
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
                out.error(
                    f"tables.toml [terrain] {name}",
                    f"move_{mobility} is missing",
                    "Write a cost in every terrain, 0 for no entry",
                )
    if mobilities and not out.failed and board is not None:
        try:
            for mobility in dict.fromkeys(mobilities):
                going_from_tables(tables, mobility)
        except (AttributeError, KeyError, TypeError, ValueError) as trouble:
            out.error(
                "tables.toml",
                f"the costs for {mobility} cannot be read: {trouble}",
                "Compare with the pack format's table of keys",
            )
    if out.table(tables, "crt", "tables.toml", required=False) and isinstance(
        tables.get("combat", {}), Mapping
    ):
        try:
            odds.results_table(tables["crt"])
            odds.ladder_from_tables(tables)
        except (AttributeError, KeyError, TypeError, ValueError) as trouble:
            out.error("tables.toml [crt]", str(trouble), "Correct the combat results table")


def _number(value: object, place: str, out: Inspection) -> None:
    try:
        halves(value)
    except ValueError as trouble:
        out.error(
            place,
            str(trouble).partition(";")[0],
            'Write a whole number, or halves as "1/2" or "1.5"',
        )


def turns(doc: Docs, scenarios: Sequence[str], out: Inspection) -> None:
    """Check that turns.toml is numbered without a gap and that every scenario's first and last
    turns are on the track. If the pack has only one scenario, they are its ends."""
    track = out.rows(doc["turns"], "turn", "turns.toml")
    numbers = [t.get("number") for t in track]
    first = numbers[0] if numbers and isinstance(numbers[0], int) else 1
    if numbers != list(range(first, first + len(numbers))):
        out.error(
            "turns.toml",
            f"turns are numbered {numbers}",
            "Number the turns one after the other, without a gap",
        )
    last = first + len(numbers) - 1
    for scenario in scenarios:
        told = doc[scenario].get("scenario", {})
        for key, end in (("first_turn", first), ("last_turn", last)):
            if not isinstance(told, Mapping) or key not in told:
                continue
            allowed = (end,) if len(scenarios) == 1 else numbers
            if told[key] not in allowed:
                out.error(
                    f"{scenario}.toml [scenario] {key}",
                    f"{told[key]!r}, but the turn track says "
                    + (str(end) if len(scenarios) == 1 else f"{first} to {last}"),
                    "Make the two agree",
                )


def sense(board: HexMap, doc: Docs, out: Inspection) -> None:
    """Warn of what is possible in a map but rarely meant."""
    grid, terrain = board.grid, doc["tables"]["terrain"]
    barred = {
        n
        for n, e in terrain.items()
        if not any(halves(v) for k, v in e.items() if k.startswith("move_"))
    }
    wet = board.where(lambda i: board.terrain_at(i) in barred)
    for kind, table in board.links.items():
        sunk = [grid.ids[i] for i in range(len(grid)) if wet[i] and any(table[i * 6 : i * 6 + 6])]
        if sunk:
            out.warn(
                f"map.toml [[{kind}]]",
                f"it runs through hexes nobody can enter: {' '.join(sunk[:8])}",
                "Move the line or the terrain",
            )
    for place in board.places.values():
        if wet[place.hex]:
            out.warn(
                f"map.toml [places] {place.name}",
                f"hex {grid.ids[place.hex]} is {board.terrain_at(place.hex)}",
                "Move one of them",
            )
    bridgeless = [
        (a, b)
        for a, b in hexsides.listed(grid, board.sides.river)
        if any(t[hexsides.slot(grid, a, b)] for t in board.links.values())
        and not board.sides.bridged[hexsides.slot(grid, a, b)]
    ]
    if bridgeless:
        names = " ".join(hexsides.key(grid, a, b) for a, b in bridgeless[:8])
        out.warn(
            "map.toml [bridges]",
            f"a road or railway crosses a river without a bridge at {names}",
            "Add them unless it means a ferry",
        )
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
        out.warn(
            "map.toml [terrain]",
            f"hexes cut off from the rest: {' '.join(island[:10])}",
            "Check water and impassable hexsides there",
        )


def _sources(board: HexMap, wet: bytes, out: Inspection) -> None:
    rails = link_net(board)
    for source in board.sources:
        place, name = f"map.toml [[source]] {source.id}", board.grid.ids[source.hex]
        if wet[source.hex]:
            out.error(place, f"hex {name} cannot be entered", "Put the source on land")
        if source.rail and not rails[source.hex]:
            out.error(
                place,
                f"no railway runs through {name}",
                "Lead a railway there or write rail = false",
            )
    for side in board.players:
        if board.sources and not any(s.side == side for s in board.sources):
            out.warn(
                "map.toml [[source]]",
                f"{side} has no source",
                f"Add one, or {side} is never in supply",
            )
