"""What clients draw a game of the series from: map, counters with both their sides, boxes, tracks.

Made from the pack's tables alone, for any game of the series; a title gives its name of the
scenario and what its tracks are. A scenario that is played on a part of the map is described by
that part: what lies two hexes beyond it does not concern it.

Where the pack has each datum from stands beside it (`origin`), so that nothing that was
reconstructed passes for published.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve as replace

from warledger.engine.games.ocs.ch03_counters.counters import COMBAT
from warledger.engine.games.ocs.ch09_combat.results import Result
from warledger.engine.games.ocs.display.questions import QUESTIONS
from warledger.engine.games.ocs.series.state import DG, RESERVE, STRAT
from warledger.engine.games.ocs.series.tables import tables
from warledger.protocol.board import scenarios
from warledger.protocol.board.description import (
    BEYOND,
    Area,
    Box,
    Description,
    Face,
    Line,
    Piece,
    Place,
    Results,
    River,
    Shape,
    Source,
    Symbol,
    Terrain,
    Track,
    of_map,
)
from warledger.protocol.board.hexmap import HexMap, hex_map
from warledger.protocol.board.ranges import expand
from warledger.protocol.board.scoring import Condition
from warledger.protocol.texts.words import words_of

Pack = Mapping[str, Any]

MARGIN: Final = 2
"""Hexes around the play area that are described with it."""

MULTI: Final = "rail_multi"
"""OCS 13.3a The kind of line of a railway on two tracks; `rail` is one on a single track."""

PLAY, CONTROL, ENTRY, HEDGEHOG = "play", "control", "entry", "hedgehog"
"""Kinds of areas and printed things of the series' own: the hexes in play where that is not the
whole map, who controls what at the start, entry areas, printed hedgehogs."""

SIZES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "co": ("i", "15"),
        "bn": ("ii", "16"),
        "rgt": ("iii", "17"),
        "bde": ("x", "18"),
        "div": ("xx", "21"),
        "corps": ("xxx", "22"),
        "hq": ("hq", "00"),
        "pt": ("pt", "00"),
    }
)
"""OCS 3.1 A counter's size -> how it ends the symbol's id, and the code for it."""

ENTITIES: Final[Mapping[str, tuple[str, str, str, str]]] = MappingProxyType(
    {
        "infantry": ("121100", "00", "00", ""),
        "airborne": ("121100", "00", "01", ""),
        "jager": ("121100", "00", "00", "JG"),
        "mountain": ("121100", "00", "27", ""),
        "mot_inf": ("121104", "00", "00", ""),
        "mech_inf": ("121102", "00", "00", ""),
        "partisan": ("121100", "00", "00", "P"),
        "security": ("141700", "00", "00", ""),
        "ur": ("121100", "00", "00", "UR"),
        "tank": ("120500", "00", "00", ""),
        "recon": ("120501", "00", "00", ""),
        "cavalry": ("121300", "00", "00", ""),
        "assault_gun": ("120401", "00", "00", ""),
        "anti_tank": ("120400", "00", "00", ""),
        "anti_air": ("130100", "00", "00", ""),
        "artillery": ("130300", "00", "00", ""),
        "sp_artillery": ("130301", "00", "00", ""),
        "pontoon": ("140700", "07", "00", ""),
        "engineer": ("140700", "00", "00", ""),
        "truck": ("163600", "00", "00", ""),
        "wagon": ("163600", "00", "00", "W"),
        "hq": ("000000", "00", "00", "HQ"),
    }
)
"""OCS 3.1b A counter's type -> its entity and the two modifiers of MIL-STD-2525D, and what stands
inside the frame."""

AIRCRAFT: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "F": ("fighter", "110104"),
        "T": ("tactical", "110102"),
        "S": ("strategic", "110103"),
        "Tpt": ("transport", "110107"),
        "T/Tpt": ("tactical-transport", "110105"),
        "F/T": ("fighter-tactical", "110105"),
    }
)
"""OCS 3.5 An aircraft's type -> how its symbol is called, and the entity to draw it by."""

AIR: Final = "air"
OOS: Final = "oos"
"""The marker of units out of supply, as `fog.markers` names it."""
DEAD: Final = "box.dead."
"""How the ids of the boxes of dead units begin."""

_MARKS: Final[Mapping[str, str]] = MappingProxyType({"leg": "", "track": "t", "truck": "w"})
"""How a movement allowance is told apart in a counter's short print: tracks and wheels."""


# --- the whole ------------------------------------------------------------------------------------


def description(
    pack: Pack,
    scenario: str,
    *,
    great: Sequence[str] = (),
    tracks: Iterable[Track] = (),
    names: Mapping[str, str] = MappingProxyType({}),
    instead: Mapping[str, str] = MappingProxyType({}),
) -> Description:
    """The description of a game: `great` are the kinds of places that count for victory, `instead`
    says of units by which others they may be replaced. Raises KeyError for a scenario that the pack
    does not have."""
    doc = scenarios.scenario(pack, scenario)
    read = _read(pack)
    control = _control(read, doc)
    play = frozenset(i for i, side in enumerate(control) if side)
    whole = len(play) == len(control)
    told = of_map(read)
    counters = tuple(sorted(_counters(pack, doc, instead, whole=whole), key=_depth))
    planes = tuple(_planes(pack, doc, whole=whole))
    told = replace(
        told,
        terrains=tuple(Terrain(each.id, each.sign) for each in told.terrains),
        places=tuple(_places(pack["map"], told, great)),
        lines=tuple(_lines(pack["map"], read)),
        areas=(*_areas(pack["map"], told), *_start(told.sides, control, play, whole=whole)),
        sources=(*_sources(pack["map"], read), *_sources(doc, read)),
        boxes=tuple(
            Box(
                one["id"],
                one["name"],
                one.get("side") or "",
                one["id"] == "box.withdrawn",
                _origin(one),
                lost=one["id"].startswith(DEAD),
            )
            for one in pack["map"].get("box", ())
        ),
        tracks=(
            Track("turn", doc["scenario"]["first_turn"], doc["scenario"]["last_turn"]),
            *(Track(id) for id in ("ground", "flight", "first", "phasing", "segment")),
            *tracks,
        ),
        pieces=tuple(_arriving(doc, (*counters, *planes))),
        symbols=tuple(_symbols((*counters, *planes), pack)),
        names={**_names(pack), **names},
        origins=dict(_origins(pack, doc)),
        questions=tuple(QUESTIONS),
        results=_results(pack),
        zoneless=(RESERVE, STRAT, DG, OOS),
        cut=(OOS,),
    )
    if whole:
        return told
    used = _used(doc, told)
    return _cropped(told, play | used)


def _results(pack: Pack) -> Results:
    """OCS 9.9 The Combat Table, with its columns by terrain as sentences name it."""
    table = tables(pack["tables"]["series"]).combat
    cells = {cell.text: cell for row in table.rows for cell in row}
    return Results(
        2,
        6,
        1,
        tuple((f"ocs.row.{terrain}", heads) for terrain, heads in table.heads.items()),
        tuple(tuple(cell.text for cell in row) for row in table.rows),
        tuple(
            (
                text,
                cell.attacker.losses,
                cell.attacker.options,
                cell.defender.losses,
                cell.defender.options,
            )
            for text, cell in cells.items()
        ),
        choose=True,
        also=tuple((text, also) for text, cell in cells.items() if (also := tuple(_also(cell)))),
    )


def _also(cell: Result) -> Iterator[Condition]:
    """OCS 9.10, 9.13 What a result does besides losses and options."""
    if cell.attacker.dg:
        yield Condition("result.ocs.attacker_dg")
    if cell.defender.dg:
        yield Condition("result.ocs.defender_dg")
    if cell.exploit is not None:
        yield Condition("result.ocs.exploit", (("ar", cell.exploit),))


def _read(pack: Pack) -> HexMap:
    doc = pack["map"]
    areas = [{**one, "hexes": " ".join(expand(one["hexes"]))} for one in doc.get("area", ())]
    return hex_map({**doc, "area": areas})


def _control(read: HexMap, doc: Mapping[str, Any]) -> list[str]:
    """Who controls each hex at the start, "" where it is out of play."""
    legend = doc["control"]["legend"]
    signs = "".join(doc["control"]["rows"])
    return [legend[sign] if legend[sign] in read.sides else "" for sign in signs]


def _origin(entry: Mapping[str, Any]) -> str:
    return str(entry.get("src", ""))[:128]


def _origins(pack: Pack, doc: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where data come from: counters by the words that they name, the rest by file and table."""
    for word, text in pack["counters"].get("provenance", {}).items():
        yield word, str(text)
    for file in ("map", "tables", "turns"):
        for table, text in pack.get(file, {}).get("provenance", {}).items():
            yield f"{file}.{table}", str(text)
    for table, text in doc.get("provenance", {}).items():
        yield f"scenario.{table}", str(text)


def _names(pack: Pack) -> dict[str, str]:
    """Printed names of entries and markers, which sentences speak of."""
    return {
        str(one["id"]): str(one["name"])
        for file, table in (("map", "entry"), ("counters", "markers"))
        for one in pack[file].get(table, ())
    }


# --- the map --------------------------------------------------------------------------------------


def _places(doc: Mapping[str, Any], told: Description, great: Sequence[str]) -> Iterator[Place]:
    hedgehogs = {
        name: (HEDGEHOG, "", 2 if name in expand(one.get("black", "")) else 1)
        for one in doc.get("printed_hedgehogs", ())
        for name in expand(one["hexes"])
    }
    sources = {one["hex"]: _origin(one) for one in doc["places"]["list"]}
    for place in told.places:
        printed = hedgehogs.get(place.id)
        origin = sources.get(place.id, "")
        if printed is None and not origin and place.site not in great:
            yield place
        else:
            yield replace(
                place,
                great=place.site in great,
                printed=place.printed if printed is None else (*place.printed, printed),
                origin=f"map.places.{origin}" if origin else "",
            )


def _lines(doc: Mapping[str, Any], read: HexMap) -> Iterator[Line]:
    grid = read.grid
    for kind in ("rail", "road", *doc.get("links", ())):
        for line in doc.get(kind, ()):
            way = tuple(grid.at(name) for name in words_of(line["hexes"]))
            named = MULTI if line.get("line") == "multi" else kind
            yield Line(named, way, str(line.get("name", "")))


def _areas(doc: Mapping[str, Any], told: Description) -> Iterator[Area]:
    origin = {one["id"]: _origin(one) for one in (*doc.get("area", ()), *doc.get("entry", ()))}
    for area in told.areas:
        yield replace(area, origin=origin[area.id])
    at = {place.id: n for n, place in enumerate(told.places)}
    for one in doc.get("entry", ()):
        side = one["side"] if one["side"] in told.sides else ""
        hexes = tuple(at[name] for name in expand(one["hexes"]))
        yield Area(one["id"], ENTRY, hexes, one["name"], side, origin[one["id"]])


def _start(
    sides: Sequence[str], control: Sequence[str], play: frozenset[int], *, whole: bool
) -> Iterator[Area]:
    for side in sides:
        hexes = tuple(i for i, holder in enumerate(control) if holder == side)
        yield Area(f"{CONTROL}.{side}", CONTROL, hexes, side=side)
    if not whole:
        yield Area(PLAY, PLAY, tuple(sorted(play)))


def _sources(doc: Mapping[str, Any], read: HexMap) -> Iterator[Source]:
    for one in doc.get("source", ()):
        if "hex" in one:
            yield Source(
                one["id"],
                one["side"],
                read.grid.at(one["hex"]),
                one["name"],
                one.get("from_turn", 1),
                _origin(one),
            )


def _used(doc: Mapping[str, Any], told: Description) -> frozenset[int]:
    """Hexes out of play that the scenario names all the same: bases, sources, where units may
    go."""
    at = {place.id: n for n, place in enumerate(told.places)}
    words = (word for text in _texts(doc) for word in words_of(text))
    found: set[int] = set()
    for word in words:
        try:
            found.update(at[name] for name in expand(word) if name in at)
        except ValueError:
            continue
    return frozenset(found)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in ("rows", "note", "notes", "provenance", "src"):
                yield str(key)
                yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _cropped(told: Description, keep: Iterable[int]) -> Description:
    """The part of a map around some hexes. Rows are cut off in pairs, so that the same ones lie
    half a hex further right."""
    assert told.grid is not None
    cells = [told.places[i].at for i in keep]
    left = max(min(c for c, _ in cells) - MARGIN, 0) & ~1
    top = max(min(r for _, r in cells) - MARGIN, 0) & ~1
    right = min(max(c for c, _ in cells) + MARGIN, told.grid.columns - 1)
    bottom = min(max(r for _, r in cells) + MARGIN, told.grid.rows - 1)
    number: dict[int, int] = {}
    for n, place in enumerate(told.places):
        column, row = place.at
        if left <= column <= right and top <= row <= bottom:
            number[n] = len(number)
    number[BEYOND] = BEYOND
    kept = (told.places[n] for n in number if n != BEYOND)
    return replace(
        told,
        grid=Shape(right - left + 1, bottom - top + 1, told.grid.orientation, told.grid.shifted),
        places=tuple(
            replace(
                place,
                at=(place.at[0] - left, place.at[1] - top),
                near=tuple(number.get(n, BEYOND) for n in place.near),
            )
            for place in kept
        ),
        rivers=tuple(
            replace(river, sides=sides)
            for river in told.rivers
            if (sides := _sides(river, told, number))
        ),
        lines=tuple(part for line in told.lines for part in _parts(line, number)),
        areas=tuple(
            replace(area, places=places)
            for area in told.areas
            if (places := tuple(number[n] for n in area.places if n in number))
        ),
        sources=tuple(
            replace(source, place=number[source.place])
            for source in told.sources
            if source.place in number
        ),
    )


def _sides(
    river: River, told: Description, number: Mapping[int, int]
) -> tuple[tuple[int, int, bool], ...]:
    return tuple(
        (number[n], d, bridged)
        for n, d, bridged in river.sides
        if n in number and told.places[n].near[d] in number
    )


def _parts(line: Line, number: Mapping[int, int]) -> Iterator[Line]:
    """The stretches of a line that are kept."""
    part: list[int] = []
    for n in (*line.places, None):
        if n is not None and n in number:
            part.append(number[n])
            continue
        if len(part) > 1:
            yield replace(line, places=tuple(part))
        part = []


# --- counters -------------------------------------------------------------------------------------


def _arriving(doc: Mapping[str, Any], pieces: Sequence[Piece]) -> Iterator[Piece]:
    """OCS 13.6 With the turns of the scenario's order of arrival, which both sides have read."""
    turns = {id: one["turn"] for one in doc.get("arrival", ()) for id in words_of(one["pieces"])}
    for piece in pieces:
        yield replace(piece, arrives=turns[piece.id]) if piece.id in turns else piece


def _mentioned(doc: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(word for text in _texts(doc) for word in words_of(text))


def _counters(
    pack: Pack, doc: Mapping[str, Any], instead: Mapping[str, str], *, whole: bool
) -> Iterator[Piece]:
    """The units of a scenario: on part of the map those that its file names and what may replace
    them. Beside them there are transport points, which captures bring in, and breakdowns (OCS
    20.0), into which units detach steps."""
    mentioned = _mentioned(doc)
    mentioned |= {other for name, other in instead.items() if name in mentioned}
    for entry in pack["counters"]["units"]:
        points = entry["cls"] == "transport" and not entry.get("organic")
        if whole or points or entry.get("breakdown") or entry["id"] in mentioned:
            yield counter(entry)


def _depth(piece: Piece) -> tuple[int, int]:
    """How deep a counter lies in its stack: transport below, then HQs, artillery, and the strongest
    unit on top."""
    kind, strength = piece.faces[0].values[0]
    return ("points", "throw", "barrage", "strength").index(kind), strength


def counter(entry: Mapping[str, Any]) -> Piece:
    """OCS 3.1 A unit with both sides of its counter."""
    return Piece(
        entry["id"],
        str(entry["name"]),
        str(entry["side"]),
        "hq" if entry["cls"] == "hq" else "unit",
        str(entry["type"]),
        str(entry["nation"]),
        symbol(entry)[0],
        entry["cls"] in ("armor", "mech", "other")
        and entry["type"] != "artillery"
        and not entry.get("paren", False),
        tuple(_face(entry, side, printed) for side, printed in entry["sides"].items()),
        str(entry.get("muf", "")),
        str(entry.get("src", "")),
    )


def _face(entry: Mapping[str, Any], side: str, printed: Sequence[Any]) -> Face:
    strength, ar, allowance, mobility = printed
    kind = _strength_of(entry)
    values: list[tuple[str, int]] = [(kind, strength)]
    if entry["cls"] != "transport":
        values.append(("ar", ar))
    values.append(("move", allowance))
    values.append((mobility, 1))
    if entry.get("range"):
        values.append(("range", entry["range"]))
    if "defence" in entry:
        values.append(("defence", entry["defence"][0 if side == "combat" else 1]))
    if entry["re"]:
        values.append(("re", entry["re"]))
    if entry["at"] != "none":
        values.append((f"anti_tank_{entry['at']}", 1))
    moving = f"{allowance}{_MARKS[mobility]}"
    if entry["cls"] == "hq":
        short = f"({strength}) {moving}"
    elif entry["cls"] == "transport":
        short = f"{strength} {moving}"
    elif entry.get("paren"):
        short = f"({strength})-{ar}-{moving}"
    else:
        short = f"{strength}-{ar}-{moving}"
    return Face(side, short, tuple(values), max(entry["steps"], 1), zone=side == COMBAT)


def _strength_of(entry: Mapping[str, Any]) -> str:
    """OCS 3.1, 13.1 What the first number of a counter is."""
    if entry["cls"] == "hq":
        return "throw"
    if entry["cls"] == "transport":
        return "points"
    return "barrage" if entry["type"] == "artillery" else "strength"


def symbol(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    """OCS 3.1 A unit's symbol: its id, the identification code (MIL-STD-2525D) to draw it by, and
    what stands inside the frame. Raises KeyError for a type or size that has none."""
    entity, first, second, label = ENTITIES[str(entry["type"])]
    ending, echelon = SIZES[str(entry["size"])]
    name = str(entry["type"]).replace("_", "-")
    return f"{name}-{ending}", f"10031000{echelon}{entity}{first}{second}", label


def _planes(pack: Pack, doc: Mapping[str, Any], *, whole: bool) -> Iterator[Piece]:
    mentioned = _mentioned(doc)
    for entry in pack["counters"].get("aircraft", ()):
        if whole or entry["id"] in mentioned:
            yield plane(entry)


def plane(entry: Mapping[str, Any]) -> Piece:
    """OCS 3.5 An aircraft, active or not."""
    rating = f"({entry['acr']})" if entry["acr_paren"] else str(entry["acr"])
    short = f"{rating}-{entry['barrage']}-{entry['range']}"
    values = (("acr", entry["acr"]), ("barrage", entry["barrage"]), ("range", entry["range"]))
    return Piece(
        entry["id"],
        str(entry["name"]),
        str(entry["side"]),
        AIR,
        str(entry["type"]),
        str(entry["nation"]),
        AIRCRAFT[str(entry["type"])][0],
        False,
        tuple(Face(face, short, values, entry["steps"]) for face in ("active", "inactive")),
        "",
        str(entry.get("src", "")),
    )


def _symbols(pieces: Iterable[Piece], pack: Pack) -> Iterator[Symbol]:
    """Each symbol that these pieces use, once, in order of ids."""
    used = {piece.symbol for piece in pieces}
    found = {}
    for entry in pack["counters"]["units"]:
        id, code, label = symbol(entry)
        found[id] = Symbol(id, code, label)
    for name, entity in AIRCRAFT.values():
        found[name] = Symbol(name, f"1003010000{entity}0000")
    for id in sorted(used):
        yield found[id]
