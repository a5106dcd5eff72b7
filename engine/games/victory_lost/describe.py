"""What clients draw A Victory Lost from."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve as replace

from warledger.engine.games.chitpull import describe as shared
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.victory_lost.draw import OUT_MARK, SURROUNDED_MARK
from warledger.engine.games.victory_lost.odds import harm
from warledger.engine.games.victory_lost.state import (
    ARRIVING,
    ASIDE,
    ELIMINATED,
    REMOVED,
    SET_UP,
    TO_COME,
)
from warledger.protocol.board.description import (
    Area,
    Box,
    Condition,
    Description,
    Scoring,
    Tally,
    Track,
)


def description(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
    """Map, counters and chits. Great are the cities that score points."""
    sites = pack["tables"].get("place", {})
    told = shared.description(
        pack,
        great=tuple(kind for kind, entry in sites.items() if entry.get("points")),
        boxes=(
            Box("cup"),
            Box(SET_UP),
            Box(TO_COME),
            Box(ARRIVING, arrival=0),
            Box(ASIDE),
            *(
                Box(f"turn.{turn['number']}", arrival=turn["number"])
                for turn in pack["turns"]["turn"]
            ),
            Box(ELIMINATED, out=True, lost=True),
            Box(REMOVED, out=True),
        ),
        tracks=tuple(Track(f"points.{side}") for side in SIDES),
    )
    return replace(
        told,
        areas=tuple(_dated(pack, told)),
        scoring=_scoring(pack),
        results=shared.results(pack, harm),
        cut=(OUT_MARK, SURROUNDED_MARK),
    )


def _dated(pack: Mapping[str, Any], told: Description) -> Iterator[Area]:
    """R-39 The pocket is closed for its first turns."""
    until = {entry["id"]: entry.get("until_turn") for entry in pack["map"].get("area", ())}
    for area in told.areas:
        yield replace(area, to_turn=until.get(area.id))


def _scoring(pack: Mapping[str, Any]) -> Scoring:
    """14.0 Both sides score; a great lead wins at once, else the lead at the end."""
    numbers = (
        ("lead", pack["tables"]["victory"]["automatic_lead"]),
        ("turns", len(pack["turns"]["turn"])),
    )
    return Scoring(
        unit="score.victory_lost.points",
        tallies=tuple(Tally(side, f"points.{side}") for side in SIDES),
        conditions=(
            Condition("needs.victory_lost.lead", numbers),
            Condition("needs.victory_lost.end", numbers),
        ),
    )
