"""What clients draw A Victory Lost from."""

from collections.abc import Mapping
from typing import Any

from warledger.engine.games.chitpull import describe as shared
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.victory_lost.state import (
    ARRIVING,
    ASIDE,
    ELIMINATED,
    REMOVED,
    SET_UP,
    TO_COME,
)
from warledger.protocol.description import Box, Description, Track


def description(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
    """Map, counters and chits. Great are the cities that score points."""
    sites = pack["tables"].get("place", {})
    return shared.description(
        pack,
        great=tuple(kind for kind, entry in sites.items() if entry.get("points")),
        boxes=(
            Box("cup"),
            Box(SET_UP),
            Box(TO_COME),
            Box(ARRIVING),
            Box(ASIDE),
            *(Box(f"turn.{turn['number']}") for turn in pack["turns"]["turn"]),
            Box(ELIMINATED, out=True),
            Box(REMOVED, out=True),
        ),
        tracks=tuple(Track(f"points.{side}") for side in SIDES),
    )
