"""Symbol sheets: one SVG `<symbol>` for each kind of counter in a pack, and which counter shows which.

Land units are NATO symbols made by milsymbol, in a friend's frame whatever the side; ships are silhouettes of our own (`silhouettes`).
Whoever uses a symbol gives its colours: the frame's field takes `fill` and everything else `color`, both inherited from the `<use>`.

milsymbol reads a hundred megabytes of drawings, which takes it seconds and holds up every other thread meanwhile. So it is run in a
process of its own (`python -m engine.serve.symbols`), and what it drew is kept: symbols are few.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from engine.serve import silhouettes

DRAW_SECONDS_MAX: Final = 120.0
"""A process that takes longer has gone wrong."""

SIZES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "battalion": ("ii", "16"),
        "regiment": ("iii", "17"),
        "brigade": ("x", "18"),
        "division": ("xx", "21"),
        "corps": ("xxx", "22"),
        "army": ("xxxx", "23"),
        "front": ("xxxxx", "24"),
    }
)
"""A formation's size -> how it ends the symbol's id, and the code for it."""

ENTITIES: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "infantry": ("infantry", "121100", "00"),
        "rifle": ("infantry", "121100", "00"),
        "mountain": ("mountain", "121100", "27"),
        "airborne": ("airborne", "121100", "01"),
        "motorised": ("motorised", "121104", "00"),
        "mechanised": ("mechanised", "121102", "00"),
        "tank": ("armour", "120500", "00"),
        "panzer": ("armour", "120500", "00"),
        "armour": ("armour", "120500", "00"),
        "cavalry": ("cavalry", "121300", "00"),
        "reconnaissance": ("cavalry", "121300", "00"),
        "security": ("security", "141700", "00"),
        "artillery": ("artillery", "130300", "00"),
        "antitank": ("antitank", "120400", "00"),
        "antiair": ("antiair", "130100", "00"),
        "engineer": ("engineer", "140700", "00"),
        "army": ("hq", "000000", "00"),
        "panzer_army": ("hq-armour", "120500", "00"),
    }
)
"""A counter's type in a pack -> its symbol's name, entity and second modifier. A type that is not here gets an empty frame."""
_EMPTY: Final = ("unit", "000000", "00")
_HQ: Final = frozenset(("hq", "hq-armour"))
BOX: Final = "21 6 158 148"
"""The frame with its size mark above."""


def of_pieces(pack: Mapping[str, Any]) -> dict[str, Any]:
    """`pieces`: counter id -> its symbol's id; `kinds`: class or type, as packs and faces name it -> the symbol where only it is known."""
    pieces: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for counter, default in _land(pack):
        pieces[counter["id"]] = _code(counter, default)[0]
        kinds.setdefault(counter["type"], pieces[counter["id"]])
    for piece, kind in _naval(pack):
        pieces[piece] = kinds[kind] = silhouettes.symbol_id(kind)
    return {"pieces": pieces, "kinds": kinds}


def sheet(pack: Mapping[str, Any], draw: Callable[[Mapping[str, str]], Mapping[str, str]]) -> str:
    """The sheet of a pack. `draw` gives the insides of NATO symbols by id, asked by id and code."""
    codes = dict(sorted(_code(counter, default) for counter, default in _land(pack)))
    drawn = draw(codes) if codes else {}
    parts = [f'<symbol id="{id}" viewBox="{BOX}">{drawn[id]}</symbol>' for id in codes]
    parts += [silhouettes.symbol(kind) for kind in sorted({kind for _, kind in _naval(pack)})]
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>\n'


class Draughtsman:
    """Draws NATO symbols in a process of its own, and keeps what it drew. Fit for a thread."""

    def __init__(self) -> None:
        self._drawn: dict[str, str] = {}

    def draw(self, codes: Mapping[str, str]) -> dict[str, str]:
        """The insides of symbols by id. Raises OSError or subprocess's errors when the process cannot be had or fails."""
        lacking = {id: code for id, code in codes.items() if id not in self._drawn}
        if lacking:
            made = subprocess.run(
                [sys.executable, "-m", "engine.serve.symbols"],
                input=json.dumps(lacking).encode(),
                capture_output=True,
                check=True,
                timeout=DRAW_SECONDS_MAX,
            )
            self._drawn.update(json.loads(made.stdout))
        return {id: self._drawn[id] for id in codes}


# --- what a pack holds --------------------------------------------------------------------------------------------------------


def _land(pack: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Counters that have NATO symbols, each with the size of one that names none."""
    counters = pack.get("counters", {})
    for list_, default in (("units", "division"), ("hqs", "army")):
        for counter in counters.get(list_, ()) if isinstance(counters, Mapping) else ():
            if isinstance(counter, Mapping) and isinstance(counter.get("id"), str) and isinstance(counter.get("type"), str):
                yield counter, default


def _naval(pack: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Ships and what goes with them: piece and class. Boats and aircraft are numbered and named by the rules, not by the pack."""
    data = pack.get("data", {})
    if not isinstance(data, Mapping) or "ship" not in data:
        return
    for ship in data["ship"]:
        if ship.get("class") in silhouettes.CLASSES:
            yield ship["id"], ship["class"]
    for convoy in data.get("convoys", {}).get("ids", ()):
        yield convoy, "convoy"
    for number in range(1, data.get("meta", {}).get("max_uboats", 0) + 1):
        yield f"uboat_{number}", "U"
    for side in data.get("meta", {}).get("sides", ()):
        yield f"air_{side}", "air"


def _code(counter: Mapping[str, Any], default: str) -> tuple[str, str]:
    """A counter's symbol: its id, and the identification code (MIL-STD-2525D) to draw it by."""
    name, entity, modifier = ENTITIES.get(counter["type"], _EMPTY)
    ending, echelon = SIZES[_size(counter, default)]
    return f"{name}-{ending}", f"10031000{echelon}{entity}00{modifier}"


def _size(counter: Mapping[str, Any], default: str) -> str:
    told = counter.get("size")
    if isinstance(told, str) and told in SIZES:
        return told
    words = str(counter.get("long_name", "")).lower().split()
    return next((word for word in reversed(words) if word in SIZES), default)


# --- the process ----------------------------------------------------------------------------------------------------------------


def _insides(id: str, code: str) -> str:
    """One symbol's drawing, its colours left to whoever uses it."""
    from milsymbol import Symbol

    name = id.rpartition("-")[0]
    svg = Symbol(code, size=60, special_headquarters="HQ" if name in _HQ else "").as_svg()
    inside = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    inside = re.sub(r' fill="rgb\([0-9,]+\)" fill-opacity="1"', "", inside)
    inside = inside.replace('"black"', '"currentColor"').replace('"Arial"', '"Arial, sans-serif"')
    # Not every renderer knows dominant-baseline.
    inside = inside.replace('dominant-baseline="middle"', 'dy="0.35em"').replace('y="103"', 'y="100"')
    inside = re.sub(r"\s*></path>", "/>", inside)
    if name == "hq-armour":  # its letters stand inside the track
        inside = inside.replace('font-size="45"', 'font-size="26"')
    return re.sub(r"\s+", " ", inside)


def main() -> None:
    """Read {id: code} as JSON, write {id: drawing}."""
    asked = json.load(sys.stdin)
    json.dump({id: _insides(id, code) for id, code in asked.items()}, sys.stdout)


if __name__ == "__main__":
    main()
