"""What clients draw Typhoon from."""

from collections.abc import Mapping
from typing import Any

from warledger.engine.games.chitpull import describe as shared
from warledger.engine.games.chitpull.sides import SIDES
from warledger.engine.games.typhoon.state import ELIMINATED, SET_UP
from warledger.protocol.description import Box, Description, Track


def description(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
    """Map, counters and chits. Great are the big cities, which decide the game."""
    return shared.description(
        pack,
        great=("big_city",),
        boxes=(
            Box("chits.common"),
            Box("used.common"),
            Box("unseen"),
            Box(SET_UP),
            Box(ELIMINATED, out=True),
        ),
        tracks=(
            Track("weather"),
            Track("gate", 0, 1),
            Track("garrison", 0),
            Track("dismissed", 0, 1),
            *(Track(f"chosen.{side}") for side in SIDES),
            Track("guderian_kept"),
        ),
    )
