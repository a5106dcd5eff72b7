"""What clients draw a chit-pull game from: counters with their faces and symbols, chits, the turn
track. What is the same in every title is made here from the pack's tables. A title's own `describe`
puts it together and adds its boxes and tracks.

Land units are NATO symbols by identification codes, in a friend's frame whatever the side.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from attrs import evolve as replace

from warledger.engine.board.odds import results_table
from warledger.engine.games.chitpull.sides import SIDES
from warledger.protocol.board.description import (
    Box,
    Description,
    Face,
    Piece,
    Results,
    Symbol,
    Terrain,
    Track,
    of_map,
)
from warledger.protocol.board.hexmap import hex_map
from warledger.protocol.texts.words import words_of

Pack = Mapping[str, Any]

SIZES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "battalion": ("ii", "16"),
        "regiment": ("iii", "17"),
        "brigade": ("x", "18"),
        "division": ("xx", "21"),
        "corps": ("xxx", "22"),
        "army": ("xxxx", "23"),
        "front": ("xxxxx", "24"),
    }
)
"""A formation's size -> how it ends the symbol's id, and the code for it."""

ENTITIES: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "infantry": ("infantry", "121100", "00"),
        "rifle": ("infantry", "121100", "00"),
        "mountain": ("mountain", "121100", "27"),
        "airborne": ("airborne", "121100", "01"),
        "motorised": ("motorised", "121104", "00"),
        "mechanised": ("mechanised", "121102", "00"),
        "tank": ("armour", "120500", "00"),
        "panzer": ("armour", "120500", "00"),
        "armour": ("armour", "120500", "00"),
        "cavalry": ("cavalry", "121300", "00"),
        "reconnaissance": ("cavalry", "121300", "00"),
        "security": ("security", "141700", "00"),
        "artillery": ("artillery", "130300", "00"),
        "antitank": ("antitank", "120400", "00"),
        "antiair": ("antiair", "130100", "00"),
        "engineer": ("engineer", "140700", "00"),
        "army": ("hq", "000000", "00"),
        "panzer_army": ("hq-armour", "120500", "00"),
    }
)
"""A counter's type -> its symbol's name, entity and second modifier. A type that is not here gets
an empty frame."""
_EMPTY: Final = ("unit", "000000", "00")
_HQ: Final = ("hq", "hq-armour")


def description(
    pack: Pack,
    *,
    great: Collection[str],
    boxes: Sequence[Box] = (),
    tracks: Sequence[Track] = (),
) -> Description:
    """The description of a chit-pull title from its pack. `great` are the kinds of places that
    count for victory; boxes and tracks are the title's own, beyond the map's and the turn."""
    told = of_map(hex_map(pack["map"]))
    terrains = pack["tables"]["terrain"]
    turns = [turn["number"] for turn in pack["turns"]["turn"]]
    codes = dict(sorted(symbol(entry, size) for entry, size in _land(pack)))
    return replace(
        told,
        terrains=tuple(
            Terrain(each.id, each.sign, not terrains[each.id].get("blocks_zoc", False))
            for each in told.terrains
        ),
        places=tuple(
            replace(place, great=True) if place.site in great else place for place in told.places
        ),
        boxes=(*told.boxes, *chit_boxes(), *boxes),
        tracks=(Track("turn", turns[0], turns[-1]), *tracks),
        pieces=(*(counter(entry, size) for entry, size in _land(pack)), *_chits(pack)),
        symbols=tuple(
            Symbol(id, code, "HQ" if id.rpartition("-")[0] in _HQ else "")
            for id, code in codes.items()
        ),
        names={
            str(group["id"]): str(group["name"])
            for group in pack["setup"].get("group", ())
            if "name" in group
        },
    )


def results(pack: Pack, harm: Callable[[str], tuple[int, int, int, int]]) -> Results:
    """The results table of a pack's [crt]. `harm` says what a result costs: steps and hexes of
    retreat of the attackers, then of the defenders."""
    table = results_table(pack["tables"]["crt"])
    rows = tuple(table.rows[total] for total in sorted(table.rows))
    return Results(
        table.dice,
        table.faces,
        min(table.rows),
        (("", table.columns),),
        rows,
        tuple((code, *harm(code)) for code in dict.fromkeys(code for row in rows for code in row)),
    )


def chit_boxes(sides: Sequence[str] = SIDES) -> Iterator[Box]:
    """Where everybody sees the chits: at hand or in the cup, used, in execution."""
    for side in sides:
        yield Box(f"chits.{side}", side=side if side in SIDES else "")
        yield Box(f"used.{side}", side=side if side in SIDES else "")
    yield Box("in_hand")


def counter(entry: Mapping[str, Any], size: str) -> Piece:
    """A unit or headquarters. Its zone of control goes with its strength: a headquarters without
    one has none."""
    move, reach = entry.get("move"), entry.get("range")
    faces = tuple(
        Face(
            face,
            "-".join(str(n) for n in (*dict.fromkeys(entry[face]), move) if n is not None),
            tuple(
                (name, n)
                for name, n in zip(
                    ("attack", "defence", "move", "range"), (*entry[face], move, reach), strict=True
                )
                if n is not None
            ),
            2 if face == "full" and "reduced" in entry else 1,
        )
        for face in ("full", "reduced")
        if face in entry
    )
    if not faces:
        values = tuple((name, n) for name, n in (("range", reach), ("move", move)) if n is not None)
        faces = (Face("", "·".join(str(n) for _, n in values), values),)
    return Piece(
        entry["id"],
        str(entry.get("name", "")),
        str(entry.get("side", "")),
        "hq" if size == "army" else "unit",
        str(entry.get("type", "")),
        str(entry.get("service", entry.get("nation", ""))),
        symbol(entry, size)[0],
        "full" in entry,
        faces,
    )


def symbol(entry: Mapping[str, Any], default: str) -> tuple[str, str]:
    """A counter's symbol: its id, and the identification code (MIL-STD-2525D) to draw it by."""
    name, entity, modifier = ENTITIES.get(str(entry.get("type")), _EMPTY)
    ending, echelon = SIZES[_size(entry, default)]
    return f"{name}-{ending}", f"10031000{echelon}{entity}00{modifier}"


def _size(entry: Mapping[str, Any], default: str) -> str:
    told = entry.get("size")
    if isinstance(told, str) and told in SIZES:
        return told
    words = words_of(str(entry.get("long_name", "")).lower())
    return next((word for word in reversed(words) if word in SIZES), default)


def _land(pack: Pack) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Units and headquarters, each with the size of one that names none."""
    for table, default in (("units", "division"), ("hqs", "army")):
        for entry in pack["counters"].get(table, ()):
            yield entry, default


def _chits(pack: Pack) -> Iterator[Piece]:
    for entry in pack["counters"].get("chits", ()):
        side = str(entry["side"])
        yield Piece(
            entry["id"],
            str(entry.get("name", "")),
            side if side in SIDES else "",
            "chit",
            str(entry.get("kind", "")),
            faces=(Face(""),),
        )
