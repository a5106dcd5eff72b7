"""A game for previews of links (Open Graph): its heading, and a picture of one record: the map with
whoever stands on it, the sides with what they have, and the turn.

Drawn from the description and the board that everybody sees, by no title's rules; with Pillow,
whose wheels bring the letters along.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from warledger.engine.kernel.position import ENDED
from warledger.protocol.board import description
from warledger.protocol.board.description import HEXES, Description
from warledger.protocol.board.effects import Board, BoardHistory
from warledger.protocol.log import bodies, records
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.log.records import Genesis, Record
from warledger.protocol.texts.phrases import Phrases

if TYPE_CHECKING:
    # Loaded when the first picture is drawn: most processes never draw one.
    from PIL import ImageDraw, ImageFont

WIDTH: Final = 1200
HEIGHT: Final = 630
_MAP: Final = (24, 24, 836, 606)
"""Where the map is: left, top, right, bottom."""
_PAPER: Final = "#f4efe2"
_INK: Final = "#22261f"
_FAINT: Final = "#6d6a5c"
_GROUND: Final = "#f0e8d3"
_BEYOND: Final = "#ddd4bd"
_TERRAINS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("woods", "light_forest", "forest", "light_woods"), "#bccb9a"),
    **dict.fromkeys(("deep_forest", "heavy_woods", "rough_heavy_woods"), "#8faa78"),
    **dict.fromkeys(("marsh", "swamp"), "#c3d6cf"),
    **dict.fromkeys(("rough", "hills", "mountain"), "#d8c6a2"),
    **dict.fromkeys(("water", "lake", "sea"), "#aecbd9"),
}
_SIDES: Final[Mapping[str, str]] = {"axis": "#56646a", "soviet": "#b8371f", "allied": "#3f6aa8"}
_OTHERS: Final = ("#56646a", "#b8371f", "#3f6aa8", "#7c6a1f")


@frozen
class SideLine:
    """What is shown of a side: its name, and what it has, in the title's own terms."""

    side: str
    name: str
    has: str


def of_log(told: Description, log: Sequence[Record], catalogue: Mapping[str, str]) -> bytes:
    """The picture of a game after the last of these records, as everybody sees it, in the words of
    a catalogue. Raises TypeError, ValueError or LookupError for effects of another form than
    theirs."""
    genesis = Genesis.from_record(log[0])
    history = BoardHistory()
    players: dict[str, str] = {}
    for record in log:
        history.fold(record.seq, effects_of(record))
        if record.kind == records.SEAT:
            body = bodies.read_seat(record.body)
            if isinstance(body, bodies.Taken | bodies.Replaced):
                players[body.seat] = body.name
    board = history.now
    spoken = Phrases(catalogue, title=genesis.title, names=description.names(told))
    points = description.tallied(told, board)
    now = board.tracks.get("turn")
    return draw(
        told,
        board,
        title=spoken.text(f"name.{genesis.title}")
        if spoken.has(f"name.{genesis.title}")
        else genesis.title,
        turn=spoken.text("web.score.turn", n=now) if type(now) is int else "",
        sides=[
            SideLine(
                seat,
                _name(spoken, seat),
                " · ".join(
                    part
                    for part in (str(points[seat]) if seat in points else "", players.get(seat, ""))
                    if part
                ),
            )
            for seat in genesis.seats
        ],
        record=f"{log[-1].seq}",
    )


def heading(row: Mapping[str, Any], catalogue: Mapping[str, str]) -> str:
    """A game in one line, from its row in a list: title, who plays which side, and the turn or how
    it ended."""
    title = row["title"]
    spoken = Phrases(catalogue, title=title)
    # Whoever has given no name is called as their seat is.
    seats = [
        f"{_name(spoken, seat)} {'' if name == seat else name}".strip()
        for seat, name in row["seats"]
    ]
    parts = [_name(spoken, title), " – ".join(seats)]
    if row["stage"] == ENDED and row["reason"] is not None:
        parts.append(
            spoken.text("ui.won", seat=row["winner"], reason=row["reason"])
            if row["winner"]
            else spoken.text("ui.no_winner", reason=row["reason"])
        )
    elif row["turn"] is not None:
        n, last = row["turn"]
        parts.append(
            spoken.text("web.score.turn", n=n)
            if last is None
            else spoken.text("web.score.turn_of", n=n, last=last)
        )
    return " · ".join(part for part in parts if part)


def _name(spoken: Phrases, id: str) -> str:
    """A side's name in the words of its title, else of all titles."""
    for key in (f"name.{spoken.title}.{id}", f"name.{id}"):
        if spoken.has(key):
            return spoken.text(key)
    return id


def draw(
    told: Description,
    board: Board,
    *,
    title: str,
    turn: str,
    sides: Sequence[SideLine],
    record: str,
) -> bytes:
    """The picture as PNG. Whatever text has no letters here is drawn as boxes, never refused."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(image)
    pen.rectangle(_MAP, fill=_BEYOND)
    centres, size = _laid_out(told)
    corners = _hexagon(told, size)
    for place, (x, y) in zip(told.places, centres, strict=True):
        fill = _TERRAINS.get(place.terrain, _GROUND)
        if corners:
            pen.polygon([(x + a, y + b) for a, b in corners], fill=fill)
        else:
            box = (x - size, y - size / 2, x + size, y + size / 2)
            pen.rounded_rectangle(box, 10, fill=fill, outline=_FAINT)
            pen.text((x, y - size / 2 + 4), place.name[:18], _INK, _font(13), anchor="mt")
    where = {place.id: centre for place, centre in zip(told.places, centres, strict=True)}
    stacks: dict[str, dict[str, int]] = {}
    for piece in board.pieces.values():
        if type(piece.place) is str and piece.place in where and type(piece.owner) is str:
            owners = stacks.setdefault(piece.place, {})
            owners[piece.owner] = owners.get(piece.owner, 0) + 1
    chip = max(3.0, min(14.0, size * 0.62))
    for place_id in sorted(stacks):
        x, y = where[place_id]
        owners = stacks[place_id]
        for index, (owner, count) in enumerate(sorted(owners.items())):
            left = x + (index - (len(owners) - 1) / 2) * 2.3 * chip
            box = (left - chip, y - chip, left + chip, y + chip)
            pen.rounded_rectangle(box, 2, fill=_colour(told, owner), outline="#ffffff")
            if chip >= 9:
                pen.text((left, y), str(count), "#ffffff", _font(14), anchor="mm")
    pen.rectangle(_MAP, outline=_FAINT)
    _panel(pen, told, title, turn, sides, record)
    out = io.BytesIO()
    image.quantize(128).save(out, "PNG", optimize=True)
    return out.getvalue()


def _panel(
    pen: ImageDraw.ImageDraw,
    told: Description,
    title: str,
    turn: str,
    sides: Sequence[SideLine],
    record: str,
) -> None:
    left, right = _MAP[2] + 28, WIDTH - 24
    pen.text((left, 40), "WARLEDGER", _FAINT, _font(22))
    y = 84
    for line in _lines(title, right - left, 42):
        pen.text((left, y), line, _INK, _font(42))
        y += 50
    pen.text((left, y + 6), turn, _INK, _font(26))
    y += 66
    for one in sides[:4]:
        pen.rectangle((left, y, left + 8, y + 74), fill=_colour(told, one.side))
        pen.text((left + 22, y + 4), one.name[:22], _INK, _font(30))
        pen.text((left + 22, y + 42), one.has[:30], _FAINT, _font(26))
        y += 96
    pen.text((left, HEIGHT - 40), record, _FAINT, _font(22), anchor="ls")


def _lines(text: str, width: float, size: int) -> list[str]:
    """The text broken into at most two lines."""
    lines = [""]
    for word in text.split()[:12]:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _font(size).getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines[:2]


def _colour(told: Description, side: str) -> str:
    index = told.sides.index(side) if side in told.sides else len(told.sides)
    return _SIDES.get(side, _OTHERS[index % len(_OTHERS)])


def _laid_out(told: Description) -> tuple[list[tuple[float, float]], float]:
    """The middle of each place in pixels, and the size of one."""
    left, top, right, bottom = _MAP
    if told.kind != HEXES or told.grid is None:
        return _in_cells(told)
    flat = told.grid.orientation != "pointy"
    odd = told.grid.shifted == "odd"
    root = 3**0.5
    points = []
    for place in told.places:
        column, row = place.at
        across, along = (column, row) if flat else (row, column)
        # Columns and rows are counted from 1 in "odd" and "even".
        shifted = (across % 2 == 0) == odd
        one, other = across * 1.5, (along + (0.5 if shifted else 0.0)) * root
        points.append((one, other) if flat else (other, one))
    if not points:
        return [], 1.0
    xs, ys = [x for x, _ in points], [y for _, y in points]
    size = min(
        (right - left) / (max(xs) - min(xs) + 2.2), (bottom - top) / (max(ys) - min(ys) + 2.2)
    )
    dx = (left + right - size * (max(xs) + min(xs))) / 2
    dy = (top + bottom - size * (max(ys) + min(ys))) / 2
    return [(dx + size * x, dy + size * y) for x, y in points], size


def _in_cells(told: Description) -> tuple[list[tuple[float, float]], float]:
    """Areas in their cells, those of one cell below each other."""
    left, top, right, bottom = _MAP
    columns = max((place.at[0] for place in told.places), default=0) + 1
    rows = max((place.at[1] for place in told.places), default=0) + 1
    wide, high = (right - left) / columns, (bottom - top) / rows
    cells: dict[tuple[int, int], list[int]] = {}
    for number, place in enumerate(told.places):
        cells.setdefault((place.at[0], place.at[1]), []).append(number)
    found = [(0.0, 0.0)] * len(told.places)
    for (column, row), numbers in cells.items():
        for index, number in enumerate(numbers):
            y = top + high * (row + (index + 0.5) / len(numbers))
            found[number] = (left + wide * (column + 0.5), y)
    most = max((len(numbers) for numbers in cells.values()), default=1)
    return found, min(wide / 2 - 6, 2 * (high / most) - 12, 90.0)


def _hexagon(told: Description, size: float) -> list[tuple[float, float]]:
    """The corners of a hex around its middle; none for areas."""
    if told.kind != HEXES or told.grid is None:
        return []
    half, tall = size / 2, size * 3**0.5 / 2
    flat = [(size, 0.0), (half, tall), (-half, tall), (-size, 0.0), (-half, -tall), (half, -tall)]
    return flat if told.grid.orientation != "pointy" else [(y, x) for x, y in flat]


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)
