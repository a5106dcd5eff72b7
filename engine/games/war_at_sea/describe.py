"""What clients draw War at Sea from."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import evolve as replace

from warledger.engine.games.war_at_sea import silhouettes
from warledger.engine.games.war_at_sea.battle import ASW, ROLLS
from warledger.engine.games.war_at_sea.data import (
    ALLIED,
    AXIS,
    CARRIER,
    CONVOY,
    NEUTRAL,
    SEATS,
    SIDE_OF_NATION,
    Counter,
    Data,
    build,
)
from warledger.engine.games.war_at_sea.draw import AIR_PIECE, UBOAT_FACE
from warledger.engine.games.war_at_sea.draw import printed as face_of
from warledger.engine.games.war_at_sea.state import BOXES, REMOVED, SUNK, TRACK
from warledger.protocol.board.description import (
    Box,
    Condition,
    Description,
    Face,
    Hits,
    Piece,
    Scoring,
    Symbol,
    Tally,
    Track,
    of_layout,
)
from warledger.protocol.texts.words import words_of

CHART: Final = "atlantic"
"""The drawing of the map that a client may have."""

_KINDS: Final = ("BB", "BC", "CV", "PB", "CA")
_TAKERS: Final = ("de", "uk")
"""16.5 Who may take over an Italian ship."""
_VALUES: Final = ("gunnery", "armour", "speed")


def description(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
    """Areas and ports with what is printed in them, counters with their values (18.1 as the
    options have it)."""
    data = build(pack, weaker_bismarck=options.get("v18_1_weaker_bismarck_class") is True)
    told = of_layout(pack)
    names = {ship["id"]: str(ship.get("name", "")) for ship in pack["data"]["ship"]}
    ships = sorted(
        data.counters.values(),
        key=lambda ship: (_rank(ship), ship.nation[:1], ship.id),
    )
    pieces = (
        *(_piece(ship, names.get(ship.id, "")) for ship in ships if ship.kind in _KINDS),
        *(
            Piece(boat, side=AXIS, kind="submarine", type="U", nation="de", faces=(_boat(),))
            for boat in data.uboat_ids
        ),
        *(_piece(ship, names.get(ship.id, "")) for ship in ships if ship.kind not in _KINDS),
        *(
            Piece(
                AIR_PIECE[side],
                side=side,
                kind="air",
                type="air",
                faces=(
                    Face(
                        str(data.air_strength[side]),
                        str(data.air_strength[side]),
                        (("airstrike", data.air_strength[side]),),
                    ),
                ),
            )
            for side in SEATS
            if side in data.air_strength
        ),
    )
    shown = dict.fromkeys(piece.type for piece in pieces if piece.type in silhouettes.CLASSES)
    return replace(
        told,
        sides=SEATS,
        chart=CHART,
        places=tuple(
            replace(
                place,
                owner="" if place.owner == NEUTRAL else place.owner,
                printed=tuple(_printed(data, place.id)),
            )
            for place in told.places
        ),
        boxes=(
            *(Box(id, out=id in (SUNK, REMOVED), lost=id == SUNK) for id in BOXES if id != TRACK),
            *(Box(f"turn_{turn}", arrival=turn) for turn in sorted(data.turns)),
        ),
        tracks=(
            Track("turn", 1, data.last_turn),
            Track("score", data.track_min, data.track_max),
        ),
        pieces=tuple(
            replace(piece, symbol=silhouettes.symbol_id(piece.type))
            if piece.type in shown
            else piece
            for piece in pieces
        ),
        symbols=tuple(
            Symbol(
                silhouettes.symbol_id(kind), box=silhouettes.BOX, paths=silhouettes.CLASSES[kind]
            )
            for kind in sorted(shown)
        ),
        scoring=Scoring(
            "lead",
            "score.war_at_sea.points",
            (Tally(AXIS, "score"), Tally(ALLIED, "score", -1)),
            (Condition("needs.war_at_sea.end", (("turns", data.last_turn),)),),
        ),
        hits=tuple(
            Hits(purpose, "luck.war_at_sea.hits", (0, 0, 0, 0, 0, 1))  # 7.4, 8.3
            for purpose in (ASW, *ROLLS.values())
        ),
    )


def _printed(data: Data, place: str) -> Iterator[tuple[str, str, int | None]]:
    """Points for control, repair, and whose aircraft may come."""
    if place in data.areas:
        area = data.areas[place]
        yield from (("points", side, area.poc[side]) for side in SEATS)
        yield from (("air", side, None) for side in SEATS if area.air[side])
    else:
        port = data.ports[place]
        if port.repair:
            yield "repair", "", port.repair
        yield from (("air", side, None) for side in SEATS if port.air[side])


def _rank(ship: Counter) -> int:
    """Big ships first."""
    return _KINDS.index(ship.kind) if ship.kind in _KINDS else len(_KINDS)


def _piece(ship: Counter, name: str) -> Piece:
    """A ship or convoy, with each face that it may show."""
    values = (
        *zip(_VALUES, (ship.gunnery, ship.armor, ship.speed), strict=True),
        *((("airstrike", ship.airstrike),) if ship.kind == CARRIER else ()),
    )
    shown = tuple(
        (nation, face_of(ship, nation, plus=plus))
        for nation in (ship.nation, *(_TAKERS if ship.nation == "it" else ()))
        for plus in ((False, True) if ship.nation == "de" else (False,))
    )
    return Piece(
        ship.id,
        name,
        SIDE_OF_NATION[ship.nation],
        "convoy" if ship.kind == CONVOY else "ship",
        ship.kind,
        ship.nation,
        faces=tuple(
            Face(face, words_of(face)[-1], values, nation="" if nation == ship.nation else nation)
            for nation, face in shown
        ),
    )


def _boat() -> Face:
    """Every U-boat has the same face."""
    return Face(UBOAT_FACE, words_of(UBOAT_FACE)[-1], (("gunnery", 1), ("armour", 0)))
