"""What clients draw the game from: the map, and every counter and chit with its faces."""

from collections.abc import Mapping
from typing import Any

from attrs import evolve as replace

from warledger.engine.testing.skirmish.chits import CHITS
from warledger.engine.testing.skirmish.data import SIDES
from warledger.protocol.board.description import (
    Box,
    Description,
    Face,
    Piece,
    Symbol,
    Track,
    of_map,
)
from warledger.protocol.board.hexmap import hex_map

SYMBOLS = (Symbol("infantry", "10031000001211000000"), Symbol("tank", "10031000001205000000"))
"""The codes of MIL-STD-2525D by which a unit of each type is drawn."""


def description(pack: Mapping[str, Any]) -> Description:
    """The description of a game of this pack. Towns count for victory (5.3), so they are great."""
    told = of_map(hex_map(pack["map"]))
    return replace(
        told,
        places=tuple(replace(place, great=bool(place.site)) for place in told.places),
        boxes=(Box("cup"),),
        tracks=(Track("turn", 1, max(pack["tables"]["turns"].values())),),
        pieces=(
            *(_unit(entry) for entry in pack["counters"]["units"]),
            *(Piece(f"chit.{side}", side=side, kind="chit", faces=_CHITS) for side in SIDES),
        ),
        symbols=SYMBOLS,
    )


_CHITS = (Face(""), *(Face(chit) for chit in CHITS))


def _unit(entry: Mapping[str, Any]) -> Piece:
    faces = tuple(
        _face(name, entry[name], entry["move"], steps)
        for name, steps in (("full", 2 if "reduced" in entry else 1), ("reduced", 1))
        if name in entry
    )
    return Piece(
        entry["id"],
        entry["name"],
        entry["side"],
        type=entry["type"],
        symbol=entry["type"],
        faces=faces,
    )


def _face(name: str, strengths: tuple[int, int], move: int, steps: int) -> Face:
    attack, defence = strengths
    values = (("attack", attack), ("defence", defence), ("move", move))
    return Face(name, "-".join(str(n) for _, n in values), values, steps)
