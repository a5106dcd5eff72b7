"""What clients draw Hungarian Rhapsody from."""

from collections.abc import Mapping
from typing import Any

from warledger.engine.games.hungarian_rhapsody import ammunition
from warledger.engine.games.ocs import describe as shared
from warledger.protocol import scenarios
from warledger.protocol.description import Description, Track

GREAT = ("major_city",)
"""1.7 Places that decide games."""


def description(pack: Mapping[str, Any], options: Mapping[str, Any]) -> Description:
    """Map, counters, boxes and tracks of the scenario that the options name."""
    doc = scenarios.scenario(pack, str(options["scenario"]))
    counts = dict.fromkeys(one["id"] for one in doc.get("marker", ()) if one.get("count", 1) > 1)
    if doc.get("supply", {}).get("soviet", {}).get("kind") == "table":
        # 3.1g: with variable reinforcements there may come some.
        counts[ammunition.MARKER] = None
    return shared.description(
        pack,
        str(options["scenario"]),
        great=GREAT,
        tracks=(Track(f"left.{id}", 0) for id in counts),
    )
