"""Hexes drawn in characters: a window of cells around a hex, and the whole front at one or two characters a hex.

Cells are bricks: a flat-top hex of a shifted column stands half a brick lower, a pointy-top hex of a shifted row half a brick to the right,
so that every hex touches its six neighbours. A side of a brick shows the river that runs there.
"""

from collections.abc import Callable, Sequence

from attrs import frozen
from rich.cells import cell_len
from rich.text import Text

from clients.hexmap import HexMap
from clients.terminal.visible import line as one_line

WIDTH, HEIGHT = 11, 4
"""A brick in characters: the left and upper border are its own, the others its neighbours'."""

RIVERS = {"minor": ":", "major": "="}
BRIDGE = "#"
"""How rivers and bridges are drawn on a side."""

Painted = tuple[str, str]
"""Text and its style."""


@frozen
class Cell:
    """What is written in one brick: a heading in the border, a line about the hex, two lines of what stands there."""

    heading: Painted
    about: tuple[Painted, ...]
    lines: tuple[Painted, ...]


class Canvas:
    """Characters with styles. A wide character takes two columns."""

    def __init__(self, width: int, height: int) -> None:
        self._rows: list[list[Painted]] = [[(" ", "")] * width for _ in range(height)]
        self._width = width

    def put(self, x: int, y: int, text: str, style: str = "", most: int = 999) -> int:
        """Write a text, at most so many columns of it; the column after it."""
        if not 0 <= y < len(self._rows):
            return x
        end = min(self._width, x + most)
        for letter in one_line(text):
            size = cell_len(letter)
            if size == 0 or x + size > end or x < 0:
                break
            self._rows[y][x] = (letter, style)
            if size == 2:
                self._rows[y][x + 1] = ("", style)
            x += size
        return x

    def lines(self) -> list[Text]:
        """The rows, without the blanks at their ends."""
        found = []
        for row in self._rows:
            line = Text(no_wrap=True)
            for letter, style in row:
                line.append(letter, style=style)
            line.rstrip()
            found.append(line)
        return found


def window(map_: HexMap, middle: int, width: int, rows: int, cell: Callable[[int], Cell]) -> list[Text]:
    """The hexes around one, as many as fit the width, so many rows of bricks high."""
    columns = max(1, min(map_.columns, (width - 1 - WIDTH // 2 * (not map_.flat)) // WIDTH))
    column, row = map_.column_row(middle)
    left = max(0, min(column - columns // 2, map_.columns - columns))
    top = max(0, min(row - rows // 2, map_.rows - rows))
    canvas = Canvas(width, rows * HEIGHT + HEIGHT // 2 + 1)
    for y in range(top, min(map_.rows, top + rows)):
        for x in range(left, left + columns):
            i = y * map_.columns + x
            lower = _is_shifted(map_, i)
            x0 = (x - left) * WIDTH + (WIDTH // 2 if lower and not map_.flat else 0)
            y0 = (y - top) * HEIGHT + (HEIGHT // 2 if lower and map_.flat else 0)
            _brick(canvas, map_, i, x0, y0, cell(i), chosen=i == middle)
    return canvas.lines()


def _is_shifted(map_: HexMap, i: int) -> bool:
    """Whether a hex lies half a hex lower (flat) or further right (pointy) than the others of its row (column)."""
    column, row = map_.column_row(i)
    return ((column if map_.flat else row) % 2 == 1) is _odd_shifted(map_)


def _odd_shifted(map_: HexMap) -> bool:
    """Whether the odd lines, counted from 0, are the shifted ones: then the corner's south-eastern neighbour is the first of the next."""
    return map_.neighbours[0][2] == (1 if map_.flat else map_.columns)


def _brick(canvas: Canvas, map_: HexMap, i: int, x: int, y: int, cell: Cell, *, chosen: bool) -> None:
    border = "bold yellow" if chosen else "dim"
    flat = map_.flat
    # clockwise: flat n ne se s sw nw; pointy ne e se sw w nw. Own are the upper and left sides.
    upper = [(0, 0, WIDTH)] if flat else [(5, 0, WIDTH // 2), (0, WIDTH // 2, WIDTH)]
    for direction, begin, end in upper:
        letter, style = _side(map_, i, direction, "-", border)
        canvas.put(x + begin, y, letter * (end - begin), style)
    sides = [(5, 1, HEIGHT // 2), (4, HEIGHT // 2, HEIGHT)] if flat else [(4, 1, HEIGHT)]
    for direction, begin, end in sides:
        letter, style = _side(map_, i, direction, "|", border)
        for line in range(begin, end):
            canvas.put(x, y + line, letter, style)
    canvas.put(x, y, "+", border)
    inner = WIDTH - 1
    if cell.heading[0]:
        canvas.put(x + 1, y, cell.heading[0], cell.heading[1], inner)
    at = x + 1
    for text, style in cell.about:
        at = canvas.put(at, y + 1, text, style, x + WIDTH - at)
    for number, (text, style) in enumerate(cell.lines[: HEIGHT - 2]):
        canvas.put(x + 1, y + 2 + number, text, style, inner)


def _side(map_: HexMap, i: int, direction: int, plain: str, style: str) -> Painted:
    river = map_.rivers.get((i, direction))
    if river is None:
        return plain, style
    if (i, direction) in map_.bridged:
        return BRIDGE, "bold blue"
    return RIVERS.get(river, "~"), "bold blue" if river == "major" else "blue"


def overview(map_: HexMap, width: int, shown: Sequence[int], mark: Callable[[int], Painted], rulers: bool = True) -> list[Text]:
    """The part of the map that holds these hexes, a hex two characters wide where that fits, else one, else several hexes a character."""
    boxes = [map_.column_row(i) for i in shown] or [(0, 0), (map_.columns - 1, map_.rows - 1)]
    left, right = max(0, min(c for c, _ in boxes) - 1), min(map_.columns - 1, max(c for c, _ in boxes) + 1)
    top, bottom = max(0, min(r for _, r in boxes) - 1), min(map_.rows - 1, max(r for _, r in boxes) + 1)
    room = width - 3
    span = right - left + 1
    wide = 2 if 2 * span <= room else 1
    skip = max(1, -(-span // room))
    lines = []
    if rulers:
        head = Text("   ", style="dim", no_wrap=True)
        for column in range(left, right + 1, skip):
            number = (column + 1) // 10 if wide == 1 else column + 1
            head.append(f"{number % 100:02d}" if wide == 2 else str(number % 10) if (column + 1) % 10 == 0 else " ")
        lines.append(head)
    for row in range(top, bottom + 1):
        line = Text(no_wrap=True)
        line.append(f"{row + 1:02d} ", style="dim")
        for column in range(left, right + 1, skip):
            here = [mark(row * map_.columns + c) for c in range(column, min(right + 1, column + skip))]
            text, style = max(here, key=lambda painted: bool(painted[1]))
            line.append(one_line(text)[:1], style=style)
            if wide == 2:
                line.append(" ")
        line.rstrip()
        lines.append(line)
    return lines


__all__ = ["BRIDGE", "Canvas", "Cell", "Painted", "overview", "window"]
