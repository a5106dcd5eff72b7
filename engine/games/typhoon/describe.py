"""What clients draw Typhoon from."""

from collections.abc import Mapping
from typing import Any

from attrs import evolve as replace

from warledger.engine.games.chitpull import describe as shared
from warledger.engine.games.chitpull.sides import AXIS, SIDES
from warledger.engine.games.typhoon.odds import harm
from warledger.engine.games.typhoon.state import ELIMINATED, SET_UP
from warledger.protocol.board.description import (
    Box,
    Condition,
    Description,
    Results,
    Scoring,
    Tally,
    Track,
)

AVAILABLE = "box.available."
"""12.1 How the ids of the boxes of reinforcements begin."""

BIG_CITY = "big_city"
"""14.4 The kind of places that decide the game."""


def description(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
    """Map, counters and chits. Great are the big cities, which decide the game."""
    told = shared.description(
        pack,
        great=(BIG_CITY,),
        boxes=(
            Box("chits.common"),
            Box("used.common"),
            Box("unseen"),
            Box(SET_UP),
            Box(ELIMINATED, out=True, lost=True),
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
    return replace(
        told,
        # 12.1 What is available comes with a chit of its side.
        boxes=tuple(
            replace(box, arrival=0) if box.id.startswith(AVAILABLE) else box for box in told.boxes
        ),
        scoring=_scoring(pack, told),
        results=_results(pack),
    )


def _scoring(pack: Mapping[str, Any], told: Description) -> Scoring:
    """14.4 The Axis needs big cities; whether they have a line of communication is judged when they
    are counted."""
    terms = pack["tables"]["victory"]
    early, late = terms["axis_turn_10"], terms["axis_turn_12"]
    cities = tuple((n, 1) for n, place in enumerate(told.places) if place.site == BIG_CITY)
    numbers = {
        "of": len(cities),
        "early": early["big_cities"],
        "early_prize": early["of_moscow_and_tula"],
        "late": late["big_cities"],
        "late_prize": late["ever_held_of_moscow_and_tula"],
        "turns": len(pack["turns"]["turn"]),
        "other": terms["otherwise"],
    }
    return Scoring(
        unit="score.typhoon.cities",
        tallies=(Tally(AXIS, places=cities, wins=late["big_cities"]),),
        conditions=tuple(
            Condition(f"needs.typhoon.{key}", tuple(sorted(numbers.items())))
            for key in ("early", "late", "otherwise")
        ),
    )


def _results(pack: Mapping[str, Any]) -> Results:
    """10.4 The results table."""
    return shared.results(pack, harm)
