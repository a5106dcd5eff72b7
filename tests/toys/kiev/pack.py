"""Twenty hexes, the counters of two sides and their tables."""

from typing import Any

from warledger.engine.games.chitpull.sides import AXIS, SIDES, SOVIET

CHITS = {AXIS: ("ax.1pzgr", "ax.reinf"), SOVIET: ("su.5a", "su.reinf")}
SUPPLY = "supply"
HQ_OF = {"ax.1pzgr": "ax.hq", "su.5a": "su.hq"}
KIEV = "0302"

PACK: dict[str, Any] = {
    "map": {
        "title": "Kiev on twenty hexes",
        "sides": list(SIDES),
        "grid": {
            "orientation": "flat",
            "shifted": "even",
            "columns": 5,
            "rows": 4,
            "id": "{col:02}{row:02}",
        },
        "terrain": {
            "legend": {".": "plain", "f": "forest"},
            "rows": [".f...", "..f..", ".....", "f...f"],
        },
        "places": {"list": [{"hex": KIEV, "name": "Kiev", "kind": "city", "owner": SOVIET}]},
        "river": [
            {"name": "Dnieper", "class": "minor", "hexsides": "0301-0401 0302-0401 0302-0402"}
        ],
        "rail": [{"name": "west-east", "hexes": "0103 0202 0302 0402 0503"}],
        "source": [
            {"id": "source.axis", "side": AXIS, "hex": "0103", "name": "west", "rail": True},
            {"id": "source.soviet", "side": SOVIET, "hex": "0503", "name": "east", "rail": True},
        ],
        "area": [
            {
                "id": "area.west",
                "kind": "setup",
                "name": "west",
                "hexes": "0102 0103 0201 0202 0203",
            },
            {"id": "area.east", "kind": "setup", "name": "east", "hexes": "0302 0303 0402 0403"},
        ],
    },
    "tables": {
        "terrain": {
            "plain": {"move_mech": 1, "move_other": 1},
            "forest": {"move_mech": 2, "move_other": 1},
        },
        "place": {"city": {"mode": "adds"}},
        "hexside": {"minor": {"move_extra": 1}},
        "movement": {"road": 1, "march_road": 1, "ezoc_enter": 1, "ezoc_leave": 1},
    },
    "counters": {
        "units": [
            {
                "id": "ax.pz",
                "side": AXIS,
                "type": "tank",
                "mech": True,
                "move": 4,
                "full": [4, 2],
                "reduced": [2, 1],
                "group": "west",
            },
            {
                "id": "ax.inf",
                "side": AXIS,
                "type": "inf",
                "mech": False,
                "move": 3,
                "full": [3, 2],
                "reduced": [1, 1],
                "group": "west",
            },
            {
                "id": "su.gd",
                "side": SOVIET,
                "type": "inf",
                "mech": False,
                "move": 3,
                "full": [3, 2],
                "reduced": [1, 1],
                "group": "east",
            },
            {
                "id": "su.rifle",
                "side": SOVIET,
                "type": "inf",
                "mech": False,
                "move": 3,
                "full": [2, 1],
                "group": "east",
            },
        ],
        "hqs": [
            {
                "id": "ax.hq",
                "side": AXIS,
                "type": "hq",
                "mech": True,
                "move": 4,
                "full": [2, 1],
                "range": 2,
                "group": "west",
            },
            {
                "id": "su.hq",
                "side": SOVIET,
                "type": "hq",
                "mech": False,
                "move": 3,
                "full": [2, 1],
                "range": 2,
                "group": "east",
            },
        ],
    },
    "setup": {
        "group": [
            {"id": "west", "side": AXIS, "area": "area.west"},
            {"id": "east", "side": SOVIET, "area": "area.east"},
        ],
        "on_map": {
            "0103": "ax.hq",
            "0202": "ax.pz",
            "0203": "ax.inf",
            "0402": "su.hq",
            "0302": "su.gd",
            "0303": "su.rifle",
        },
    },
}
