"""What clients draw Hungarian Rhapsody from."""

from collections.abc import Mapping
from typing import Any

from attrs import evolve as replace

from warledger.engine.games.hungarian_rhapsody import ammunition, mountain_groups
from warledger.engine.games.ocs.display import describe as shared
from warledger.protocol.board import scenarios
from warledger.protocol.board.description import Condition, Description, Scoring, Tally, Track
from warledger.protocol.board.ranges import expand

GREAT = ("major_city",)
"""1.7 Places that decide games."""


def description(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
    """Map, counters, boxes and tracks of the scenario that the options name."""
    doc = scenarios.scenario(pack, str(options["scenario"]))
    counts = dict.fromkeys(one["id"] for one in doc.get("marker", ()) if one.get("count", 1) > 1)
    if doc.get("supply", {}).get("soviet", {}).get("kind") == "table":
        # 3.1g: with variable reinforcements there may come some.
        counts[ammunition.MARKER] = None
    told = shared.description(
        pack,
        str(options["scenario"]),
        great=GREAT,
        tracks=(Track(f"left.{id}", 0) for id in counts),
        instead=mountain_groups.replaced(pack["counters"]["units"]),
    )
    return replace(told, scoring=_scoring(doc, told))


def _scoring(doc: Mapping[str, Any], told: Description) -> Scoring:
    """1.7, 2.4 The scenario's conditions: points, hexes to hold, or time to gain."""
    terms = doc["victory"]
    side = terms["side"]
    number = {place.id: n for n, place in enumerate(told.places)}
    turn = doc["scenario"]["last_turn"]
    args: dict[str, Any] = {"side": side, "other": terms["otherwise"], "turn": turn}
    unit, tally = "", Tally(side)
    if "all_hexes" in terms:
        hexes = tuple((number[id], 1) for id in expand(terms["all_hexes"]))
        unit, how = "score.hungarian_rhapsody.hexes", "hexes"
        tally = Tally(side, places=hexes, wins=len(hexes))
        args["hexes"] = len(hexes)
    elif "wins_at" in terms:
        unit, how = "score.hungarian_rhapsody.points", "points"
        tally = Tally(
            side,
            places=_worth(terms.get("hexes", {}), number),
            lacking=_worth(terms.get("enemy_hexes", {}), number),
            wins=terms["wins_at"],
        )
        args["points"] = terms["wins_at"]
    else:
        how = "held_out"
    sudden = (
        Condition(f"needs.hungarian_rhapsody.{one['id']}", (("side", one["winner"]),))
        for one in terms.get("sudden", ())
    )
    return Scoring(
        unit=unit,
        tallies=(tally,) if unit else (),
        conditions=(
            Condition(f"needs.hungarian_rhapsody.{how}", tuple(sorted(args.items()))),
            *sudden,
        ),
    )


def _worth(hexes: Mapping[str, int], number: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    return tuple((number[id], worth) for id, worth in hexes.items())
