"""Symbol sheets: one SVG `<symbol>` for each symbol of a description.

Those with an identification code are NATO symbols made by milsymbol; the others bring their own
paths. Whoever uses a symbol gives its colours: the frame's field takes `fill` and everything else
`color`, both inherited from the `<use>`.

milsymbol reads a hundred megabytes of drawings, which takes it seconds and holds up every other
thread meanwhile. So this module is run as a program, in a process of its own, and what it drew is
kept: symbols are few.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from warledger.protocol.board.description import Symbol

DRAW_SECONDS_MAX: Final = 120.0
"""Seconds. A process that takes longer has gone wrong."""

CODE_BOX: Final = "21 6 158 148"
"""The frame of a NATO symbol with its size mark above."""

Codes = Mapping[str, tuple[str, str]]
"""Symbol id -> identification code and the label beside it."""


def sheet(symbols: Iterable[Symbol], draw: Callable[[Codes], Mapping[str, str]]) -> str:
    """The sheet of a description's symbols. `draw` returns the insides of NATO symbols by id."""
    symbols = tuple(symbols)
    codes = {symbol.id: (symbol.code, symbol.label) for symbol in symbols if symbol.code}
    drawn = draw(codes) if codes else {}
    parts = [
        f'<symbol id="{symbol.id}" viewBox="{CODE_BOX}">{drawn[symbol.id]}</symbol>'
        if symbol.code
        else f'<symbol id="{symbol.id}" viewBox="{symbol.box}"><path fill="currentColor" '
        f'd="{"".join(symbol.paths)}"/></symbol>'
        for symbol in symbols
    ]
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>\n'


class Draughtsman:
    """Draws NATO symbols in a process of its own, and keeps what it drew. May run in a thread."""

    def __init__(self) -> None:
        self._drawn: dict[tuple[str, str], str] = {}

    def draw(self, codes: Codes) -> dict[str, str]:
        """The insides of symbols by id. Raises OSError or subprocess's errors if the process cannot
        be started or fails."""
        lacking = [each for each in dict.fromkeys(codes.values()) if each not in self._drawn]
        if lacking:
            made = subprocess.run(
                [sys.executable, "-P", "-m", "warledger.engine.serve.http.symbols"],
                input=json.dumps(lacking).encode(),
                capture_output=True,
                check=True,
                timeout=DRAW_SECONDS_MAX,
            )
            self._drawn.update(zip(lacking, json.loads(made.stdout), strict=True))
        return {id: self._drawn[each] for id, each in codes.items()}


# --- the process ----------------------------------------------------------------------------------


def _insides(code: str, label: str) -> str:
    """One symbol's drawing, with its colours left to whoever uses it."""
    from milsymbol import Symbol as Drawing

    svg = Drawing(code, size=60, special_headquarters=label).as_svg()
    inside = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    inside = re.sub(r' fill="rgb\([0-9,]+\)" fill-opacity="1"', "", inside)
    inside = inside.replace('"black"', '"currentColor"').replace('"Arial"', '"Arial, sans-serif"')
    # Not every renderer knows dominant-baseline.
    inside = inside.replace('dominant-baseline="middle"', 'dy="0.35em"').replace(
        'y="103"', 'y="100"'
    )
    inside = re.sub(r"\s*></path>", "/>", inside)
    if label and code[10:16] == "120500":  # the letters stand inside the track of armour
        inside = inside.replace('font-size="45"', 'font-size="26"')
    return re.sub(r"\s+", " ", inside)


def main() -> None:
    """Read [[code, label] …] as JSON, write [drawing …]."""
    asked = json.load(sys.stdin)
    json.dump([_insides(code, label) for code, label in asked], sys.stdout)


if __name__ == "__main__":
    main()
