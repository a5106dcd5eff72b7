"""What clients draw a game from: its places, boxes, tracks and pieces, in one form for every title.

A title makes its description from the pack and the options of a game (`describe` of its rules); a
server sends it in `board_is`. No client knows a title's tables: what is not in the description is
not drawn. Without the title's rules, `plain` reads what the map of a pack says by itself.

A description may come from a stranger. `read` checks its form and bounds before it is used.
README.md describes the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs
from attrs import evolve as replace
from attrs import frozen

from warledger.protocol.board import hexmap
from warledger.protocol.board.effects import Board
from warledger.protocol.board.forms import (
    ID,
    NAME,
    NUMBER,
    PLACE,
    array,
    fields,
    flag,
    names_of,
    one_of,
    part,
    row,
    text,
    texts_of,
    whole,
)
from warledger.protocol.board.forms import BadDescription as BadDescription
from warledger.protocol.board.hexgrid import neighbours
from warledger.protocol.board.scoring import Condition as Condition
from warledger.protocol.board.scoring import Hits as Hits
from warledger.protocol.board.scoring import Results as Results
from warledger.protocol.board.scoring import Scoring as Scoring
from warledger.protocol.board.scoring import Tally as Tally
from warledger.protocol.limits import (
    BOARD_PIECES_MAX,
    BOARD_TRACKS_MAX,
    DESCRIBED_MAX,
    HEXES_MAX,
    NAME_CHARS_MAX,
    PIECE_FACES_MAX,
    PLACE_NEIGHBOURS_MAX,
    TEXT_CHARS_MAX,
)

FORM: Final = 1
"""The form of description defined here. Fields may be added to it: readers ignore those that they
do not know."""

HEXES: Final = "hexes"
AREAS: Final = "areas"
LIST: Final = "list"
KINDS: Final = (HEXES, AREAS, LIST)
"""A map of hexes; named areas on a grid of boxes; or no map, and places are listed."""

UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised if a part of a pack, a description or a board is missing or has another form than
it should: all of them may come from strangers."""

BEYOND: Final = -1
"""Represents a neighbour beyond the edge of a map of hexes."""


# --- the parts ------------------------------------------------------------------------------------


@frozen
class Shape:
    """The grid on which places lie. Of hexes: "flat" (columns run straight) or "pointy" (rows run
    straight), and which of them, counted from 1, lie half a hex lower or further right: the "odd"
    or the "even" ones."""

    columns: int = part(whole(1, HEXES_MAX))
    rows: int = part(whole(1, HEXES_MAX))
    orientation: str = part(one_of("", "flat", "pointy"), "")
    shifted: str = part(one_of("", "odd", "even"), "")


@frozen
class Terrain:
    """A kind of terrain: the sign for it in a picture of characters, and whether zones of control
    extend into it."""

    id: str = part(ID)
    sign: str = part(text(1), "")
    zone: bool = part(flag, True)


@frozen
class Place:
    """A hex, an area or a port.

    at       its column and row on the grid, from 0
    near     the neighbours by their numbers in `places`; of a hex six, clockwise from north (flat)
             or north-east (pointy), BEYOND at the edge; where a message has none for a hex, they
             are the places in the six cells around it
    name     what is printed there: a town's name, or the area's; "" for nothing
    site     the kind of town or city; "" for none
    group    places of one city bear the same
    great    whether the site counts for victory, or else is one of the largest
    owner    the side whose it is from the start, where that is printed
    printed  other things printed there: [kind, side or "", number or nil]
    origin   where the pack has it from: a key of `Description.origins`, or a text
    """

    id: str = part(ID)
    at: tuple[int, int] = part(row(whole(0, HEXES_MAX), whole(0, HEXES_MAX)))
    near: tuple[int, ...] = part(array(whole(BEYOND, HEXES_MAX - 1), PLACE_NEIGHBOURS_MAX), ())
    terrain: str = part(ID, "")
    name: str = part(NAME, "")
    site: str = part(ID, "")
    group: str = part(ID, "")
    great: bool = part(flag, False)
    owner: str = part(ID, "")
    printed: tuple[tuple[str, str, int | None], ...] = part(
        array(row(ID, ID, lambda value, what: None if value is None else NUMBER(value, what)), 16),
        (),
    )
    origin: str = part(NAME, "")


@frozen
class River:
    """A river of one class: its hexsides as [place, direction, whether bridged], each once."""

    kind: str = part(ID)
    sides: tuple[tuple[int, int, bool], ...] = part(
        array(row(PLACE, whole(0, 5), flag), 3 * HEXES_MAX)
    )
    name: str = part(NAME, "")


@frozen
class Line:
    """A road or railway through neighbouring places."""

    kind: str = part(ID)
    places: tuple[int, ...] = part(array(PLACE, HEXES_MAX))
    name: str = part(NAME, "")


@frozen
class Area:
    """A named set of places. `kind` says what it is for ("fortified" is drawn, "setup" is not
    shown, in "closed" ones there are no zones). `to_turn` is the last turn on which it counts, None
    for all."""

    id: str = part(ID)
    kind: str = part(ID)
    places: tuple[int, ...] = part(array(PLACE, HEXES_MAX))
    name: str = part(NAME, "")
    side: str = part(ID, "")
    origin: str = part(NAME, "")
    to_turn: int | None = part(NUMBER, None)


@frozen
class Source:
    """A supply source of a side, from a turn on."""

    id: str = part(ID)
    side: str = part(ID)
    place: int = part(PLACE)
    name: str = part(NAME, "")
    from_turn: int = part(NUMBER, 1)
    origin: str = part(NAME, "")


@frozen
class Box:
    """A place off the map. Whatever is in a box that is `out` is out of the game, and whatever is
    put into one that is `lost` was lost. What lies in one with an `arrival` comes on that turn; if
    it is 0, when its side brings it."""

    id: str = part(ID)
    name: str = part(NAME, "")
    side: str = part(ID, "")
    out: bool = part(flag, False)
    origin: str = part(NAME, "")
    lost: bool = part(flag, False)
    arrival: int | None = part(NUMBER, None)


@frozen
class Track:
    """A track, with the first and last number on it where it has them."""

    id: str = part(ID)
    first: int | None = part(NUMBER, None)
    last: int | None = part(NUMBER, None)


@frozen
class Face:
    """A face of a piece.

    face    as `put` and `flip` name it
    print   its values as they stand on the counter, in short
    values  [name, number] each, in the order in which they are told: attack, defence, move, range …
    steps   the steps it has left with this face up
    nation  whose colours it wears with this face up, where that changes
    zone    whether a piece that has a zone of control has it with this face up
    """

    face: str = part(NAME)
    print: str = part(text(NAME_CHARS_MAX), "")
    values: tuple[tuple[str, int], ...] = part(array(row(ID, NUMBER), 16), ())
    steps: int = part(whole(0, 100), 1)
    nation: str = part(ID, "")
    zone: bool = part(flag, True)

    def value(self, name: str) -> int | None:
        """A value by its name; None if the face has none."""
        return next((number for each, number in self.values if each == name), None)


@frozen
class Piece:
    """A counter.

    kind    "unit", "hq", "ship", "submarine", "convoy", "air" or "chit"
    type    its class within the kind: rifle, BB …
    nation  whose colours it wears: a nation, or a service of its own
    symbol  the id of its symbol in the sheet; "" for none
    zone    whether it has a zone of control
    group   the formation to which it belongs
    origin  where the pack has it from: a key of `Description.origins`, or a text
    arrives the turn on which it comes, by an order of arrival that everybody has read
    """

    id: str = part(ID)
    name: str = part(NAME, "")
    side: str = part(ID, "")
    kind: str = part(ID, "unit")
    type: str = part(ID, "")
    nation: str = part(ID, "")
    symbol: str = part(ID, "")
    zone: bool = part(flag, False)
    faces: tuple[Face, ...] = part(array(fields(Face), PIECE_FACES_MAX), ())
    group: str = part(ID, "")
    origin: str = part(NAME, "")
    arrives: int | None = part(NUMBER, None)

    def face(self, shown: object) -> Face | None:
        """The face that the board names; None if the piece does not have it."""
        return next((face for face in self.faces if face.face == shown), None)

    @property
    def steps(self) -> int:
        """The steps it has when whole."""
        return max((face.steps for face in self.faces), default=0)


@frozen
class Symbol:
    """A symbol of the sheet: either `code`, an identification code of MIL-STD-2525D that is drawn
    as a NATO symbol with `label` beside it, or `paths` of SVG within `box`."""

    id: str = part(text(NAME_CHARS_MAX, "[a-z0-9_-]+"))
    code: str = part(text(30, "[0-9]*"), "")
    label: str = part(text(8, "[A-Za-z0-9]*"), "")
    box: str = part(text(40, r"[0-9. -]*"), "")
    paths: tuple[str, ...] = part(
        array(text(TEXT_CHARS_MAX, "[MmLlHhVvCcSsQqTtAaZz0-9., -]*"), 32), ()
    )


@frozen
class Description:
    """What a game is drawn from. Pieces are in the order in which they are listed and laid out.
    `chart` names a drawing of its own that a client may have for the map. `legend` is a sentence of
    the catalogue that explains the signs. `names` are printed names of anything else that sentences
    and choices mention, such as groups of counters. `questions` are the words of what a seat may
    ask about a piece or place, as the first pick of a preview. `origins` say where the pack's data
    come from, so that nobody takes reconstructed data for published data. `scoring` is what a
    scoreboard shows, `results` the table in which combats are resolved, `hits` what single dice
    count for where there is no table. Markers on a piece: with one of `zoneless` it has no zone of
    control, with one of `cut` no supply."""

    kind: str = part(one_of(*KINDS))
    form: int = part(whole(FORM, FORM), FORM)
    sides: tuple[str, ...] = part(array(ID, 64), ())
    grid: Shape | None = part(fields(Shape), None)  # noqa: RUF009
    chart: str = part(ID, "")
    legend: str = part(NAME, "")
    terrains: tuple[Terrain, ...] = part(array(fields(Terrain), DESCRIBED_MAX), ())
    places: tuple[Place, ...] = part(array(fields(Place), HEXES_MAX), ())
    rivers: tuple[River, ...] = part(array(fields(River), DESCRIBED_MAX), ())
    lines: tuple[Line, ...] = part(array(fields(Line), DESCRIBED_MAX), ())
    areas: tuple[Area, ...] = part(array(fields(Area), DESCRIBED_MAX), ())
    sources: tuple[Source, ...] = part(array(fields(Source), DESCRIBED_MAX), ())
    boxes: tuple[Box, ...] = part(array(fields(Box), DESCRIBED_MAX), ())
    tracks: tuple[Track, ...] = part(array(fields(Track), BOARD_TRACKS_MAX), ())
    pieces: tuple[Piece, ...] = part(array(fields(Piece), BOARD_PIECES_MAX), ())
    symbols: tuple[Symbol, ...] = part(array(fields(Symbol), DESCRIBED_MAX), ())
    names: Mapping[str, str] = part(names_of(BOARD_PIECES_MAX), attrs.Factory(dict))
    origins: Mapping[str, str] = part(texts_of(DESCRIBED_MAX), MappingProxyType({}))
    questions: tuple[str, ...] = part(array(ID, 64), ())
    scoring: Scoring | None = part(fields(Scoring), None)  # noqa: RUF009
    results: Results | None = part(fields(Results), None)  # noqa: RUF009
    hits: tuple[Hits, ...] = part(array(fields(Hits), 16), ())
    zoneless: tuple[str, ...] = part(array(ID, 16), ())
    cut: tuple[str, ...] = part(array(ID, 16), ())


_WHOLE: Final = fields(Description)
_PARTS: Final = {
    kind: tuple(sorted((field.name, field.default) for field in attrs.fields(kind)))
    for kind in (
        *(Shape, Terrain, Place, River, Line, Area, Source, Box, Track, Face, Piece, Symbol),
        *(Tally, Condition, Scoring, Results, Hits, Description),
    )
}
"""The fields of each class by name, with their defaults."""


def read(value: Any) -> Description:
    """The description that a message or a title holds. Raises BadDescription."""
    found: Description = _joined(_WHOLE(value, "description"))
    _check_sense(found)
    return found


def write(told: Description) -> dict[str, Any]:
    """A description as the value that `board_is` holds. Fields with their default are left out, and
    so are neighbours of hexes that follow from the grid. Raises BadDescription for what `read`
    would not accept."""
    value: dict[str, Any] = _written(told)
    read(value)
    around = _around(told)
    if around is not None:
        for place, near in zip(value["places"], around, strict=True):
            if place.get("near") == near:
                del place["near"]
    return value


def checked(told: Description) -> Description:
    """The description as a reader of the message gets it. Raises BadDescription if it is not within
    the bounds."""
    return read(_written(told))


def _around(told: Description) -> tuple[tuple[int, ...], ...] | None:
    """The neighbours of each hex as the grid has them: those places that stand in the six cells
    around it. None for what is not a map of hexes, or not within the bounds."""
    grid = told.grid
    if told.kind != HEXES or grid is None or not (grid.orientation and grid.shifted):
        return None
    if grid.columns * grid.rows > HEXES_MAX:
        return None
    around = neighbours(grid.orientation, grid.shifted, grid.columns, grid.rows)
    cells = [row * grid.columns + column for column, row in (place.at for place in told.places)]
    if max(cells, default=0) >= len(around):
        return None
    number = {cell: n for n, cell in enumerate(cells)}
    return tuple(tuple(number.get(cell, BEYOND) for cell in around[at]) for at in cells)


def _joined(told: Description) -> Description:
    """The description in which every hex has its neighbours."""
    if all(place.near for place in told.places):
        return told
    around = _around(told)
    if around is None:
        return told
    places = tuple(
        place if place.near else replace(place, near=near)
        for place, near in zip(told.places, around, strict=True)
    )
    return replace(told, places=places)


def _written(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool:
        return value
    if isinstance(value, tuple):
        return tuple(map(_written, value))
    parts = _PARTS.get(kind)
    if parts is not None:
        return {
            name: _written(item)
            for name, default in parts
            if (item := getattr(value, name)) != default or name == "form"
        }
    if isinstance(value, Mapping):
        return dict(sorted(value.items()))
    return value


def _check_sense(told: Description) -> None:
    """Checks that concern several fields: ids are unique, numbers name places, a map has its
    grid."""
    count = len(told.places)
    for what, parts in (
        ("places", told.places),
        ("pieces", told.pieces),
        ("symbols", told.symbols),
        ("boxes", told.boxes),
        ("tracks", told.tracks),
    ):
        if len({part.id: None for part in parts}) != len(parts):
            raise BadDescription(f"{what} have an id twice")
    numbers: Iterable[int] = (
        *(n for place in told.places for n in place.near),
        *(side[0] for river in told.rivers for side in river.sides),
        *(n for line in told.lines for n in line.places),
        *(n for area in told.areas for n in area.places),
        *(source.place for source in told.sources),
        *(
            place
            for tally in (told.scoring.tallies if told.scoring else ())
            for place, _ in (*tally.places, *tally.lacking)
        ),
    )
    if any(n >= count for n in numbers):
        raise BadDescription(f"there is no place of that number; there are {count}")
    table = told.results
    if table and any(len(columns) != len(row) for _, columns in table.heads for row in table.rows):
        raise BadDescription("each row of the results has a result for each column")
    if told.kind == LIST:
        return
    grid = told.grid
    if grid is None or grid.columns * grid.rows > HEXES_MAX or not count:
        raise BadDescription(f"a map has places on a grid of at most {HEXES_MAX} cells")
    if len({place.at: None for place in told.places}) != count or any(
        place.at[0] >= grid.columns or place.at[1] >= grid.rows for place in told.places
    ):
        raise BadDescription("places must stand in cells of their own on the grid")
    if told.kind == HEXES and (
        not grid.orientation
        or not grid.shifted
        or any(len(place.near) != 6 for place in told.places)
    ):
        raise BadDescription("a map of hexes has orientation, shifted, and six neighbours a hex")
    if told.kind == AREAS and any(n < 0 for place in told.places for n in place.near):
        raise BadDescription("an area's neighbours are places")


def names(told: Description) -> dict[str, str]:
    """The printed names of places, boxes, areas, sources and pieces, for ids without a name in the
    catalogue."""
    found = {
        **told.names,
        **{
            part.id: part.name
            for parts in (told.areas, told.sources, told.boxes, told.pieces)
            for part in parts
            if part.name
        },
    }
    hexes = told.kind == HEXES
    for place in told.places:
        if place.name:
            found[place.id] = f"{place.name} ({place.id})" if hexes else place.name
    return found


# --- the score ------------------------------------------------------------------------------------


def tallied(told: Description, board: Board) -> dict[str, int]:
    """What each side has towards winning on a board, by `Description.scoring`; {} where the title
    does not say. Control of places is what the marks say, else what the areas of kind "control"
    say about the start."""
    if told.scoring is None:
        return {}
    held = {n: area.side for area in told.areas if area.kind == "control" for n in area.places}

    def controls(n: int, side: str) -> bool:
        id = told.places[n].id
        marked = [each for each in told.sides if board.marks.get((id, f"control.{each}"))]
        return side in marked if marked else held.get(n) == side

    found: dict[str, int] = {}
    for tally in told.scoring.tallies:
        value = board.tracks.get(tally.track, 0) if tally.track else 0
        points = max(0, tally.sign * value) if type(value) is int else 0
        points += sum(worth for n, worth in tally.places if controls(n, tally.side))
        points += sum(worth for n, worth in tally.lacking if not controls(n, tally.side))
        found[tally.side] = found.get(tally.side, 0) + points
    return found


# --- without a title's rules ----------------------------------------------------------------------


def plain(pack: Mapping[str, Any]) -> Description:
    """What the map of a pack says by itself: places, rivers, lines, areas, sources and boxes of a
    hex map, or the areas that a `layout` names. Pieces have only what the board says about them.

    Raises ValueError, LookupError, TypeError or AttributeError for a pack whose map has another
    form; a pack without a map gives a list.
    """
    if hexmap.has_map(pack):
        return replace(of_map(hexmap.hex_map(pack["map"])), names=named_in(pack))
    layout = pack.get("layout")
    if isinstance(layout, Mapping) and layout.get("kind") == AREAS:
        return replace(of_layout(pack), names=named_in(pack))
    if "map" in pack:
        raise BadDescription("the pack's map has no grid or no terrain")
    return Description(LIST, names=named_in(pack))


def named_in(pack: Any) -> dict[str, str]:
    """The names that a pack gives to its own ids: every table in it with an `id` and a `name`."""
    return dict(_named_in(pack))


def _named_in(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        id, name = value.get("id"), value.get("name")
        if isinstance(id, str) and isinstance(name, str):
            yield id, name
        for item in value.values():
            yield from _named_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _named_in(item)


def of_map(read_: hexmap.HexMap) -> Description:
    """The description of a hex map, without pieces."""
    grid = read_.grid
    named = read_.places
    return Description(
        HEXES,
        sides=read_.sides,
        grid=Shape(
            grid.columns,
            grid.rows,
            "flat" if grid.flat else "pointy",
            "odd" if grid.shifted_odd else "even",
        ),
        terrains=tuple(Terrain(id, sign) for id, sign in read_.letters.items()),
        places=tuple(
            Place(
                id,
                (i % grid.columns, i // grid.columns),
                grid.neighbours[i],
                read_.terrain[i],
                name=named[i].name if i in named else "",
                site=named[i].kind if i in named else "",
                group=(named[i].group or "") if i in named else "",
                owner=(named[i].owner or "") if i in named else "",
            )
            for i, id in enumerate(grid.ids)
        ),
        rivers=tuple(
            River(
                river.kind,
                tuple(
                    (a, d, (a, d) in read_.bridged)
                    for a, b in river.sides
                    for d in (grid.direction(a, b),)
                ),
                river.name,
            )
            for river in read_.rivers
        ),
        lines=tuple(
            Line(kind, line.hexes, line.name)
            for kind, lines in read_.lines.items()
            for line in lines
        ),
        areas=tuple(
            Area(area.id, area.kind, area.hexes, area.name, str(area.data.get("side", "")))
            for area in read_.areas.values()
        ),
        sources=tuple(
            Source(source.id, source.side, source.hex, source.name, source.from_turn)
            for source in read_.sources
        ),
        boxes=tuple(Box(box.id, box.name, box.side or "") for box in read_.boxes.values()),
    )


def of_layout(pack: Mapping[str, Any]) -> Description:
    """The description of an area map from the pack's `layout`: which tables list places, and where
    each is on a grid of boxes."""
    layout = pack["layout"]
    rows = layout["grid"]["rows"]
    cells = {id: (c, r) for r, row in enumerate(rows) for c, id in enumerate(row) if id}
    looks: dict[str, str] = {}
    entries: dict[str, Mapping[str, Any]] = {}
    printed: dict[str, tuple[tuple[str, str, int], ...]] = {}
    for kind in layout["places"]:
        for entry in _entries(pack, kind["table"]):
            id = entry["id"]
            if id not in cells:
                continue
            looks[id], entries[id] = str(kind["look"]), entry
            printed[id] = tuple(
                (name, "", entry[name]) for name in kind["numbers"] if name in entry
            )
    number = {id: n for n, id in enumerate(entries)}
    near: dict[str, dict[int, None]] = {id: {} for id in entries}
    for id, entry in entries.items():
        near[id].update(
            (number[other], None) for other in entry.get("adjacent", ()) if other in number
        )
    for id, entry in entries.items():
        for other in entry.get("adjacent", ()):
            if other in near:
                near[other].setdefault(number[id])
    return Description(
        AREAS,
        grid=Shape(max(map(len, rows)), len(rows)),
        legend=str(layout.get("legend", "")),
        terrains=tuple(Terrain(look) for look in dict.fromkeys(looks.values())),
        places=tuple(
            Place(
                id,
                cells[id],
                tuple(near[id]),
                looks[id],
                str(entry.get("name", "")),
                owner=str(entry.get("owner", "")),
                printed=printed[id],
            )
            for id, entry in entries.items()
        ),
    )


def _entries(pack: Mapping[str, Any], table: str) -> Iterator[Mapping[str, Any]]:
    """The entries of a table, whichever file of the pack it is in."""
    for file in pack.values():
        entries = file.get(table) if isinstance(file, Mapping) else None
        if isinstance(entries, list | tuple):
            yield from (entry for entry in entries if isinstance(entry, Mapping) and "id" in entry)
