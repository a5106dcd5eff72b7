"""The board of a case as a picture in SVG: the map by its description, and what stands in each
place, by number and, on hovering, by name. The texts beside it say the same in full.

All numbers are whole, so that two cases of one log are equal byte for byte on every machine.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from warledger.protocol.board.description import HEXES, Description, Place
from warledger.protocol.board.effects import Board
from warledger.protocol.texts.phrases import Phrases

_HEX_X, _HEX_Y, _HALF = 36, 42, 21
"""From one column of hexes to the next, from one row to the next, and half a row."""
_CORNERS: Final = ((24, 0), (12, 21), (-12, 21), (-24, 0), (-12, -21), (12, -21))
"""The corners of a hex that lies flat, from its middle."""
_WIDE, _LINE, _LINES_MAX = 190, 14, 16
"""The width of an area's box, the height of a line in it, and how many lines it has at most."""
_FILLS: Final = ("#56646a", "#b8371f", "#3f6aa8", "#7c6a1f", "#5b3f7c", "#2f6b4f")
_BEYOND_C0: Final = dict.fromkeys((*range(32), 127, 65534, 65535), " ")
"""What XML cannot hold."""


def svg(told: Description, board: Board, spoken: Phrases) -> str | None:
    """The picture, in the words of a language; None for a title whose board has no map."""
    if not told.places:
        return None
    drawn = _hexes if told.kind == HEXES and told.grid is not None else _areas
    (wide, high), parts = drawn(told, board, spoken)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif">'
    )
    ground = f'<rect width="{wide}" height="{high}" fill="#f4efe2"/>'
    return "\n".join([head, ground, *parts, "</svg>"]) + "\n"


def _text(value: str) -> str:
    return escape(value.translate(_BEYOND_C0))


def _stacks(told: Description, board: Board, place: Place) -> list[tuple[str, list[str]]]:
    """What stands in a place: by owner, the pieces."""
    found: dict[str, list[str]] = {}
    for piece in board.at(place.id):
        owner = board.pieces[piece].owner
        found.setdefault(owner if type(owner) is str else "", []).append(piece)
    return sorted(found.items())


def _fill(told: Description, owner: str) -> str:
    index = told.sides.index(owner) if owner in told.sides else len(told.sides)
    return _FILLS[index % len(_FILLS)]


def _hexes(
    told: Description, board: Board, spoken: Phrases
) -> tuple[tuple[int, int], Sequence[str]]:
    assert told.grid is not None
    flat, odd = told.grid.orientation != "pointy", told.grid.shifted == "odd"
    middles = []
    for place in told.places:
        across, along = place.at if flat else place.at[::-1]
        one = 40 + across * _HEX_X
        other = 40 + along * _HEX_Y + (_HALF if (across % 2 == 0) == odd else 0)
        middles.append((one, other) if flat else (other, one))
    parts = []
    for place, (x, y) in zip(told.places, middles, strict=True):
        corners = _CORNERS if flat else tuple((b, a) for a, b in _CORNERS)
        points = " ".join(f"{x + a},{y + b}" for a, b in corners)
        name = _text(spoken.name(place.id))
        parts.append(
            f'<polygon points="{points}" fill="#e6dec8" stroke="#b7ad92"><title>{name}</title>'
            "</polygon>"
        )
    for place, (x, y) in zip(told.places, middles, strict=True):
        stacks = _stacks(told, board, place)
        for index, (owner, pieces) in enumerate(stacks):
            left = x - 9 * len(stacks) + 18 * index
            names = _text(spoken.joined(spoken.name(piece) for piece in pieces))
            parts.append(
                f'<g><title>{names}</title><rect x="{left}" y="{y - 9}" width="18" height="18" '
                f'rx="2" fill="{_fill(told, owner)}"/><text x="{left + 9}" y="{y + 4}" '
                f'font-size="11" fill="#fff" text-anchor="middle">{len(pieces)}</text></g>'
            )
    return (max(x for x, _ in middles) + 40, max(y for _, y in middles) + 40), parts


def _areas(
    told: Description, board: Board, spoken: Phrases
) -> tuple[tuple[int, int], Sequence[str]]:
    """Areas below each other in their columns, each as tall as what stands in it."""
    columns: dict[int, list[Place]] = {}
    for place in told.places:
        columns.setdefault(place.at[0], []).append(place)
    parts: list[str] = []
    high = 0
    for number, column in enumerate(sorted(columns)):
        x, y = 10 + number * (_WIDE + 10), 10
        for place in sorted(columns[column], key=lambda one: one.at[1]):
            lines = list(_lines(told, board, place, spoken))
            tall = _LINE * (len(lines) + 1) + 12
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{tall}" rx="6" fill="#e6dec8" '
                'stroke="#b7ad92"/>'
            )
            name = _text(spoken.name(place.id))
            parts.append(
                f'<text x="{x + 8}" y="{y + 16}" font-weight="bold" font-size="12">{name}</text>'
            )
            for index, (fill, text) in enumerate(lines, start=1):
                at = y + 16 + _LINE * index
                parts.append(
                    f'<text x="{x + 8}" y="{at}" font-size="11" fill="{fill}">{text}</text>'
                )
            y += tall + 10
        high = max(high, y)
    return (10 + len(columns) * (_WIDE + 10), high), parts


def _lines(
    told: Description, board: Board, place: Place, spoken: Phrases
) -> Iterator[tuple[str, str]]:
    pieces = [(owner, piece) for owner, all in _stacks(told, board, place) for piece in all]
    shown = pieces if len(pieces) <= _LINES_MAX else pieces[: _LINES_MAX - 1]
    for owner, piece in shown:
        yield _fill(told, owner), _text(spoken.name(piece))
    if len(shown) < len(pieces):
        yield "#22261f", f"+ {len(pieces) - len(shown)}"
