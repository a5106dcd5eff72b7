"""What the packs of games of the series must hold: the family's check.

Four files and one for each scenario, `scenario_NAME.toml`; there is no set-up beside them. Lists of
hexes may hold ranges ("A1.01..35"). Costs of movement are numbers, "all" or "no" for each mobility.
Nothing here fails on what somebody else wrote: every finding names file, table and entry.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from warledger.engine.board import boardchecks
from warledger.engine.board.boardchecks import Docs, Family
from warledger.engine.board.hexmap import HexMap
from warledger.engine.board.hexmap import inspect as inspect_map
from warledger.engine.board.mobility import cost_of, parts_of
from warledger.engine.games.ocs.ch03_counters import counters
from warledger.engine.games.ocs.ch03_counters.counters import MOBILITIES
from warledger.engine.games.ocs.display import describe
from warledger.protocol.board.findings import Inspection, nearest
from warledger.protocol.board.ranges import BadRange, expand
from warledger.protocol.board.scenarios import BEGINS_AS, FILE, GOES_ON_AS
from warledger.protocol.texts.words import words_of

FILES = ("map", "counters", "turns", "tables")

LISTS = {
    "map": ("source", "area", "box", "entry"),
    "counters": ("units", "aircraft", "markers"),
}
"""Where ids are defined."""

COSTS = (("terrain", "move"), ("place", "move"), ("hexside", "extra"), ("path", "move"))
"""OCS 6.2 Tables of costs, and how the columns of each begin."""

BOX_KINDS = ("air", "holding")
CROSSINGS = ("rail", "road", "track")
MODES = ("combat", "move", "reserve", "reserve_move", "strat", "dg", "exploit")
ARRIVALS = ("entry", "hexes", "area", "marker", "base")
SHARED = "shared"


def recognises(docs: Docs) -> bool:
    """Scenarios in files of their own, and no set-up."""
    return "setup" not in docs and any(name.startswith(FILE) for name in docs)


def check(docs: Docs, out: Inspection) -> None:
    """Map, charts, calendar, counters and every scenario, each against the others."""
    doc: dict[str, Mapping[str, Any]] = {**docs, **boardchecks.files(docs, FILES, out)}
    scenarios = tuple(sorted(name for name in docs if name.startswith(FILE)))
    if not scenarios:
        out.error(f"{FILE}NAME.toml", "missing", "Write one file for each scenario of the game")
    boardchecks.headers(docs, out)
    boardchecks.ids(doc, LISTS, out)
    if doc["turns"]:
        boardchecks.turns(doc, scenarios, out)
    _costs(doc["tables"], out)
    board = _map(doc, out)
    pieces = _counters(doc["counters"], _sides(doc), out)
    if board is None:
        return
    _entries(doc["map"], board, out)
    _boxes(doc["map"], out)
    for name in scenarios:
        _scenario(name, doc, board, pieces, out)


def _sides(doc: Docs) -> tuple[str, ...]:
    sides = doc["map"].get("sides", ())
    return tuple(str(side) for side in sides) if isinstance(sides, list | tuple) else ()


# --- the map --------------------------------------------------------------------------------------


def _map(doc: Docs, out: Inspection) -> HexMap | None:
    if not doc["map"]:
        return None
    areas = []
    for area in out.rows(doc["map"], "area", "map.toml", required=False):
        place = f"map.toml [[area]] {area.get('id', '?')}"
        areas.append({**area, "hexes": " ".join(_hexes(area, "hexes", place, out))})
    tables = {**doc["tables"]} if doc["tables"] else {}
    return inspect_map({**doc["map"], "area": areas}, tables, out)


def _hexes(entry: Mapping[str, Any], key: str, place: str, out: Inspection) -> tuple[str, ...]:
    """A list of hexes with its ranges written out; () where it cannot be read."""
    value = entry.get(key)
    if not isinstance(value, str):
        out.error(place, f"{key} is missing or not text", f'Write {key} = "A1.01..07 B2.05"')
        return ()
    try:
        return expand(value)
    except BadRange as trouble:
        problem, _, remedy = str(trouble).partition("; ")
        out.error(f"{place} {key}", problem, remedy.capitalize() or "Write shorter lists")
        return ()


def _known(
    names: Iterable[str], known: Mapping[str, Any] | Sequence[str], place: str, out: Inspection
) -> None:
    for name in names:
        if name not in known:
            out.error(place, f"{name!r} is not known", nearest(name, tuple(known)))


def _entries(doc: Mapping[str, Any], board: HexMap, out: Inspection) -> None:
    """OCS 13.6 Entry areas lie at the edge, and say what crosses it in each hex."""
    for one in out.rows(doc, "entry", "map.toml", required=False):
        place = f"map.toml [[entry]] {one.get('id', '?')}"
        hexes = _hexes(one, "hexes", place, out)
        _known(hexes, board.grid.index, place, out)
        _one_of(one, "side", (*board.players, SHARED), place, out)
        by = out.table(one, "by", place)
        for name, crossing in by.items():
            if name not in hexes:
                out.error(f"{place} by", f"{name} is not one of its hexes", "Name its own hexes")
            _known(words_of(str(crossing)), CROSSINGS, f"{place} by {name}", out)
        if not isinstance(one.get("from_turn"), int):
            out.error(place, "from_turn is missing", "Write the turn from which it is open")


def _boxes(doc: Mapping[str, Any], out: Inspection) -> None:
    """OCS 0.F Boxes; an air box says how far away it is by way of each entry area."""
    entries = {
        str(one.get("id")): one for one in out.rows(doc, "entry", "map.toml", required=False)
    }
    for one in out.rows(doc, "box", "map.toml", required=False):
        place = f"map.toml [[box]] {one.get('id', '?')}"
        _one_of(one, "kind", BOX_KINDS, place, out)
        if one.get("kind") == "air":
            flights = out.table(one, "flights", place)
            _known(flights, entries, f"{place} flights", out)
            for name, used in flights.items():
                if not isinstance(used, int) or used < 0:
                    out.error(
                        f"{place} flights {name}",
                        f"{used!r} is not a distance",
                        "Write hexes of range",
                    )


def _one_of(
    entry: Mapping[str, Any], key: str, allowed: Sequence[str], place: str, out: Inspection
) -> None:
    value = entry.get(key)
    if value not in allowed:
        out.error(place, f"{key} is {value!r}", nearest(str(value), allowed))


# --- charts ---------------------------------------------------------------------------------------


def _costs(tables: Mapping[str, Any], out: Inspection) -> None:
    """OCS 6.2 Every row of the Terrain Effects Chart has a cost for each mobility."""
    amounts: list[tuple[str, object]] = []
    for table, column in COSTS:
        rows = out.table(tables, table, "tables.toml") if tables else {}
        for name, row in rows.items():
            place = f"tables.toml [{table}] {name}"
            if not isinstance(row, Mapping):
                out.error(place, "not a table", f"Write {name} = {{{column}_leg = 1, …}}")
                continue
            for mobility in MOBILITIES:
                key = f"{column}_{mobility}"
                if key not in row:
                    if table in ("terrain", "path"):
                        out.error(place, f"{key} is missing", 'Write a cost, "all", or 0')
                    continue
                amounts.append((f"{place} {key}", row[key]))
    for place, amount in amounts:
        try:
            cost_of(amount, parts_of([amount]))
        except (TypeError, ValueError):
            out.error(place, f"{amount!r} is not a cost", 'Write 2, "1/2", "all" or "no"')


# --- counters -------------------------------------------------------------------------------------


def _counters(doc: Mapping[str, Any], sides: Sequence[str], out: Inspection) -> dict[str, int]:
    """Units, aircraft and markers: their fields, and that each has a symbol. Returns their ids with
    the steps of each."""
    found: dict[str, int] = {}
    for one in out.rows(doc, "units", "counters.toml") if doc else ():
        place = f"counters.toml units {one.get('id', '?')}"
        try:
            counter = counters.units({"units": [one]})
            found.update({name: unit.steps for name, unit in counter.items()})
        except (counters.BadCounter, AttributeError, KeyError, TypeError, ValueError) as trouble:
            out.error(place, str(trouble), "Compare it with a unit of the same kind")
        _one_of(one, "side", sides, place, out)
        _one_of(one, "type", tuple(describe.ENTITIES), place, out)
        _one_of(one, "size", tuple(describe.SIZES), place, out)
    for one in out.rows(doc, "aircraft", "counters.toml", required=False):
        place = f"counters.toml aircraft {one.get('id', '?')}"
        try:
            found.update(
                {name: each.steps for name, each in counters.planes({"aircraft": [one]}).items()}
            )
        except (KeyError, TypeError, ValueError) as trouble:
            out.error(place, f"{trouble} cannot be read", "Compare it with another aircraft")
        _one_of(one, "side", sides, place, out)
        _one_of(one, "type", tuple(describe.AIRCRAFT), place, out)
    for one in out.rows(doc, "markers", "counters.toml", required=False):
        if not isinstance(one.get("count"), int):
            out.error(
                f"counters.toml markers {one.get('id', '?')}", "count is missing", "Write a number"
            )
        found[str(one.get("id"))] = 0
    return found


# --- scenarios ------------------------------------------------------------------------------------


def _scenario(
    name: str, doc: Docs, board: HexMap, pieces: Mapping[str, int], out: Inspection
) -> None:
    """A scenario against map, counters and calendar: what stands where exists, once, and in
    play."""
    file, told = f"{name}.toml", doc[name]
    head = out.table(told, "scenario", file)
    if head.get("id") != name.removeprefix(FILE):
        out.error(
            f"{file} [scenario] id",
            f"{head.get('id')!r}",
            f'Write id = "{name.removeprefix(FILE)}", as the file is called',
        )
    if BEGINS_AS in head or GOES_ON_AS in head:
        _played_on(name, doc, out)
        return
    _one_of(head, "first_player_turn_1", board.players, f"{file} [scenario]", out)
    play = _control(told, board, file, out)
    special = told.get("special")
    beyond = str(special.get("beyond_play_area", "")) if isinstance(special, Mapping) else ""
    boxes = out.rows(doc["map"], "box", "map.toml", required=False)
    places = (*board.grid.index, *(str(one.get("id")) for one in boxes))
    stands: dict[str, str] = {}
    for at, ids in out.table(told, "on_map", file).items():
        place = f"{file} [on_map] {at}"
        _known((at,), board.grid.index, place, out)
        known = at in board.grid.index and at not in words_of(beyond)
        if known and play and not play[board.grid.index[at]]:
            out.error(
                place,
                "the hex is out of play",
                "Change [control], or name the hex in beyond_play_area of [special]",
            )
        for unit in words_of(str(ids)):
            _known((unit,), pieces, place, out)
            if unit in stands:
                out.error(place, f"{unit} stands in {stands[unit]} too", "Leave one of them out")
            stands[unit] = at
    for mode, ids in out.table(told, "mode", file, required=False).items():
        _known((mode,), MODES, f"{file} [mode]", out)
        _known(words_of(str(ids)), stands, f"{file} [mode] {mode}", out)
    for unit, lost in out.table(told, "steps_lost", file, required=False).items():
        place = f"{file} [steps_lost] {unit}"
        _known((unit,), pieces, place, out)
        if unit in pieces and not (isinstance(lost, int) and 0 < lost < pieces[unit]):
            out.error(place, f"{lost!r} of {pieces[unit]} steps", "Leave it at least one step")
    for at in out.table(told, "hedgehogs", file, required=False):
        _known((at,), board.grid.index, f"{file} [hedgehogs] {at}", out)
    for at, lying in out.table(told, "sp", file, required=False).items():
        place = f"{file} [sp] {at}"
        _known((at,), places, place, out)
        if not isinstance(lying, Mapping):
            out.error(place, "not a table", 'Write {side = "…", sp = 3}')
        else:
            _one_of(lying, "side", board.players, place, out)
    for number, one in enumerate(out.rows(told, "air", file, required=False), 1):
        place = f"{file} [[air]] {one.get('at', number)}"
        _known((str(one.get("at")),), places, place, out)
        for key in ("active", "inactive"):
            _known(out.words(one, key, place), pieces, f"{place} {key}", out)
    for number, one in enumerate(out.rows(told, "marker", file, required=False), 1):
        place = f"{file} [[marker]] {one.get('id', number)}"
        _known((str(one.get("id")),), pieces, place, out)
        _known((str(one.get("at")),), places, place, out)
    _arrivals(told, doc, pieces, file, out)


def _played_on(name: str, doc: Docs, out: Inspection) -> None:
    """A scenario that is two, one after the other: both are there, whole, and the second begins
    while the first lasts or in the turn after it."""
    head = doc[name]["scenario"]
    heads = []
    for key in (BEGINS_AS, GOES_ON_AS):
        whole = [
            other.removeprefix(FILE)
            for other in sorted(doc)
            if other.startswith(FILE) and BEGINS_AS not in out.table(doc[other], "scenario", other)
        ]
        _one_of(head, key, whole, f"{name}.toml [scenario]", out)
        if head.get(key) in whole:
            heads.append(doc[f"{FILE}{head[key]}"]["scenario"])
    turns = [one.get(key) for one in heads for key in ("last_turn", "first_turn")]
    if len(heads) == 2 and all(isinstance(turn, int) for turn in turns):
        over, begun = heads[0]["last_turn"], heads[1]["first_turn"]
        if not heads[0]["first_turn"] <= begun <= over + 1 <= heads[1]["last_turn"]:
            out.error(
                f"{name}.toml [scenario]",
                f"{head[GOES_ON_AS]} begins with turn {begun}, {head[BEGINS_AS]} ends with {over}",
                "Name scenarios that follow each other",
            )


def _control(
    told: Mapping[str, Any], board: HexMap, file: str, out: Inspection
) -> tuple[bool, ...]:
    """OCS 13.3h Who controls what at the start: a picture of the map. Returns what is in play; ()
    where it cannot be read."""
    control = out.table(told, "control", file)
    legend = out.table(control, "legend", f"{file} [control]")
    rows = out.names(control, "rows", f"{file} [control]")
    grid = board.grid
    if len(rows) != grid.rows:
        out.error(
            f"{file} [control] rows",
            f"{len(rows)} lines, but the grid has {grid.rows} rows",
            "Write one line a row",
        )
        return ()
    for number, row in enumerate(rows, 1):
        place = f"{file} [control] rows, line {number}"
        if len(row) != grid.columns:
            out.error(
                place,
                f"{len(row)} characters, but the grid has {grid.columns} columns",
                "Write one character for each column",
            )
            return ()
        strange = sorted({sign for sign in row if sign not in legend})
        if strange:
            out.error(place, f"the sign {strange[0]!r} is not in the legend", "Add or correct it")
            return ()
    return tuple(legend[sign] in board.players for row in rows for sign in row)


def _arrivals(
    told: Mapping[str, Any], doc: Docs, pieces: Mapping[str, int], file: str, out: Inspection
) -> None:
    """OCS 13.6 What arrives exists and comes while the scenario lasts."""
    head = told.get("scenario")
    last = head.get("last_turn") if isinstance(head, Mapping) else None
    for number, one in enumerate(out.rows(told, "arrival", file, required=False), 1):
        place = f"{file} [[arrival]] {number}"
        _one_of(one, "kind", ARRIVALS, place, out)
        _known(out.words(one, "pieces", place), pieces, place, out)
        turn = one.get("turn")
        if not isinstance(turn, int) or (isinstance(last, int) and turn > last):
            out.error(place, f"turn is {turn!r}", f"The scenario ends with turn {last}")


FAMILY = Family("games of the Operational Combat Series", recognises, check)
