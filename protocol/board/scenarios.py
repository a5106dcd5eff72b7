"""The scenarios of a pack that has several, each in a document `scenario_NAME`.

One scenario may be two played one after the other: its document names the scenario that it begins
as (`begins_as`) and goes on as (`goes_on_as`), and holds nothing else of a scenario. The position
is kept: set-up, first turn and weather are those of the first. The last turn and the victory
conditions are those of the second. So are arrivals, withdrawals and events once the first would be
over, and its other sources from its first turn on.
"""

from collections.abc import Mapping
from typing import Any

FILE = "scenario_"
"""How the name of a scenario's document begins in a pack."""

BEGINS_AS, GOES_ON_AS = "begins_as", "goes_on_as"

DATED = ("arrival", "withdrawal", "event")
"""Lists whose entries have a turn."""

Doc = Mapping[str, Any]


def names(pack: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of all scenarios of a pack."""
    return tuple(sorted(name.removeprefix(FILE) for name in pack if name.startswith(FILE)))


def scenario(pack: Mapping[str, Any], name: str) -> Doc:
    """A scenario's document, whole. Raises KeyError for one that the pack does not have."""
    doc: Doc = pack[FILE + name]
    head = doc["scenario"]
    if BEGINS_AS not in head:
        return doc
    return joined(pack[FILE + head[BEGINS_AS]], pack[FILE + head[GOES_ON_AS]], doc)


def joined(first: Doc, second: Doc, own: Doc) -> Doc:
    """Two scenarios as one."""
    over, begun = first["scenario"]["last_turn"], second["scenario"]["first_turn"]
    found = dict(first) | {
        "file": own.get("file", first.get("file")),
        "scenario": {
            **first["scenario"],
            **own["scenario"],
            "last_turn": second["scenario"]["last_turn"],
        },
        "victory": second["victory"],
        "special": {**first.get("special", {}), **own.get("special", {})},
        "source": [
            *first.get("source", ()),
            *(
                {**one, "from_turn": max(begun, one.get("from_turn", 1))}
                for one in second.get("source", ())
                if _place(one) not in {_place(other) for other in first.get("source", ())}
            ),
        ],
    }
    for key in DATED:
        entries = [*first.get(key, ()), *(x for x in second.get(key, ()) if x["turn"] > over)]
        if entries:
            found[key] = entries
    return found


def _place(source: Mapping[str, Any]) -> tuple[str, str]:
    return source.get("hex", ""), source.get("marker", "")
