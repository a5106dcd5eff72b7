"""Small random maps as parsed pack documents, for the tests that compare with brute force."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from warledger.engine.board import hexsides
from warledger.engine.board.hexmap import HexMap, hex_map
from warledger.protocol.board import hexgrid
from warledger.protocol.board.hexgrid import Grid

Docs = tuple[dict[str, Any], dict[str, Any]]

TABLES: dict[str, Any] = {
    "terrain": {
        "clear": {"move_mech": 1, "move_other": 1},
        "woods": {"move_mech": 3, "move_other": 2},
        "marsh": {"move_mech": "1.5", "move_other": 1},
        "lake": {"move_mech": 0, "move_other": 0, "blocks_zoc": True},
    },
    "place": {
        "city": {"mode": "replaces", "move_mech": 1, "move_other": 1, "linked_as_road": True},
        "town": {"mode": "adds"},
    },
    "hexside": {
        "minor": {"move_extra": 1},
        "major": {"needs_start_adjacent": True, "ends_move": True, "forbidden_between_ezoc": True},
        "wide": {
            "needs_start_adjacent": True,
            "ends_move": True,
            "takes_whole_allowance": True,
            "forbidden_between_ezoc": True,
        },
        "strait": {"forbidden": True},
        "gorge": {
            "forbidden_between_ezoc": True,
            "forbidden_between_ezoc_bridged": True,
            "move_extra": 1,
            "move_extra_bridged": "1/2",
        },
    },
    "movement": {"road": 1, "march_road": "0.5"},
}


@st.composite
def maps(draw: st.DrawFn, size: int = 4) -> Docs:
    """A map document and its tables: random terrain, rivers of every class, bridges, barriers,
    roads, railways, cities."""
    spec: Any = {
        "orientation": draw(st.sampled_from(["flat", "pointy"])),
        "shifted": draw(st.sampled_from(["odd", "even"])),
        "columns": draw(st.integers(2, size)),
        "rows": draw(st.integers(2, size)),
    }
    g = hexgrid.grid(**spec)
    sides = [hexsides.key(g, a, b) for a in range(len(g)) for b in g.adjacent[a] if a < b]
    some = st.lists(st.sampled_from(sides), unique=True, max_size=len(sides) // 2)
    rivers = draw(some)
    classes = [draw(st.sampled_from(sorted(TABLES["hexside"]))) for _ in rivers]
    legend = {".": "clear", "f": "woods", "m": "marsh", "~": "lake"}
    doc: dict[str, Any] = {
        "sides": ["red", "blue"],
        "grid": spec,
        "terrain": {
            "legend": legend,
            "rows": [
                draw(st.text("...fm~", min_size=g.columns, max_size=g.columns))
                for _ in range(g.rows)
            ],
        },
        "places": {
            "list": [
                {"hex": h, "name": h, "kind": draw(st.sampled_from(["city", "town"]))}
                for h in draw(_hexes(g, 4))
            ]
        },
        "river": [
            {"name": f"r{k}", "class": c, "hexsides": s}
            for k, (c, s) in enumerate(zip(classes, rivers, strict=True))
        ],
        "bridges": {"hexsides": " ".join(s for s in rivers if draw(st.booleans()))},
        "impassable": {
            "hexsides": " ".join(draw(st.lists(st.sampled_from(sides), unique=True, max_size=2)))
        },
        "road": [{"name": s, "hexes": s.replace("-", " ")} for s in draw(some)],
        "rail": [{"name": s, "hexes": s.replace("-", " ")} for s in draw(some)],
    }
    return doc, TABLES


def _hexes(g: Grid, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(list(g.ids)), unique=True, max_size=most)


def built(docs: Docs) -> HexMap:
    return hex_map(*docs)


def side_set(entry: dict[str, Any]) -> set[frozenset[str]]:
    """The hexsides of one entry as pairs of ids, read without the library."""
    return {frozenset(s.split("-")) for s in entry.get("hexsides", "").split()}
