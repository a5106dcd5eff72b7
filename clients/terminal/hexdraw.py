"""Hexes drawn in characters: a window of cells around a hex, and the whole front with one or two
characters for each hex.

Cells are bricks: a flat-top hex of a shifted column stands half a brick lower, a pointy-top hex of
a shifted row half a brick to the right. So every hex touches its six neighbours. A side of a brick
shows the river along it.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from attrs import frozen
from rich.cells import cell_len
from rich.text import Text

from warledger.clients.terminal.visible import line as one_line
from warledger.protocol.board.description import BEYOND, Description, Place

WIDTH, HEIGHT = 11, 4
"""A brick in characters: the left and upper borders are its own, the others belong to its
neighbours."""

RIVERS = {"minor": ":", "major": "="}
BRIDGE = "#"
"""How rivers and bridges are drawn on a side."""

FLAT_NAMES = ("n", "ne", "se", "s", "sw", "nw")
POINTY_NAMES = ("ne", "e", "se", "sw", "w", "nw")

Painted = tuple[str, str]
"""Text and its style."""


class Ground:
    """A described map of hexes as pictures ask for it. Hexes are numbers in `places`.

    cells[column, row]  the hex that stands there
    row_names, column_names  as the numbers of hexes name them ("A29", "05"), from the top and left
    rivers[i, d]        the class of the river on a hexside, from both banks; `bridged` holds those
                        with a bridge
    links[kind][i]      the neighbours to which a road or railway leads
    """

    def __init__(self, told: Description) -> None:
        assert told.grid is not None
        self.flat = told.grid.orientation == "flat"
        self.odd_shifted = told.grid.shifted == "even"  # counted from 0 here, from 1 there
        self.columns, self.rows = told.grid.columns, told.grid.rows
        self.places: tuple[Place, ...] = told.places
        self.index = {place.id: i for i, place in enumerate(told.places)}
        self.cells = {place.at: i for i, place in enumerate(told.places)}
        self.row_names, self.column_names = _rulers(told)
        self.sites = [i for i, place in enumerate(told.places) if place.name]
        self.rivers: dict[tuple[int, int], str] = {}
        self.bridged: set[tuple[int, int]] = set()
        for river in told.rivers:
            for i, d, bridge in river.sides:
                beyond = self.places[i].near[d]
                sides = [(i, d)] if beyond == BEYOND else [(i, d), (beyond, (d + 3) % 6)]
                self.rivers.update((side, river.kind) for side in sides)
                if bridge:
                    self.bridged.update(sides)
        self.links: dict[str, dict[int, set[int]]] = {}
        for line in told.lines:
            ends = self.links.setdefault(line.kind, {})
            for a, b in pairwise(line.places):
                ends.setdefault(a, set()).add(b)
                ends.setdefault(b, set()).add(a)

    @property
    def directions(self) -> tuple[str, ...]:
        """The names of the six directions, as in the phrases `map.direction.<name>`."""
        return FLAT_NAMES if self.flat else POINTY_NAMES

    def near(self, i: int) -> tuple[int, ...]:
        """The neighbours on the map."""
        return tuple(n for n in self.places[i].near if n != BEYOND)


def _rulers(told: Description) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of rows and columns: the two parts of a hex's id if it has two ("A29.05"), else
    their numbers."""
    assert told.grid is not None
    rows = [f"{row + 1:02d}" for row in range(told.grid.rows)]
    columns = [f"{column + 1:02d}" for column in range(told.grid.columns)]
    for place in told.places:
        before, dot, after = place.id.partition(".")
        if dot:
            columns[place.at[0]], rows[place.at[1]] = after, before
    return tuple(rows), tuple(columns)


@frozen
class Cell:
    """What is written in one brick: a heading in the border, a line about the hex, two lines of
    what stands there."""

    heading: Painted
    about: tuple[Painted, ...]
    lines: tuple[Painted, ...]


class Canvas:
    """Characters with styles. A wide character takes two columns."""

    def __init__(self, width: int, height: int) -> None:
        self._rows: list[list[Painted]] = [[(" ", "")] * width for _ in range(height)]
        self._width = width

    def put(self, x: int, y: int, text: str, style: str = "", most: int = 999) -> int:
        """Write a text, truncated to `most` columns; returns the column after it."""
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


def window(
    map_: Ground, middle: int, width: int, rows: int, cell: Callable[[int], Cell]
) -> list[Text]:
    """The hexes around one, as many as fit the width, with this many rows of bricks."""
    columns = max(1, min(map_.columns, (width - 1 - WIDTH // 2 * (not map_.flat)) // WIDTH))
    column, row = map_.places[middle].at
    left = max(0, min(column - columns // 2, map_.columns - columns))
    top = max(0, min(row - rows // 2, map_.rows - rows))
    canvas = Canvas(width, rows * HEIGHT + HEIGHT // 2 + 1)
    for y in range(top, min(map_.rows, top + rows)):
        for x in range(left, left + columns):
            i = map_.cells.get((x, y))
            if i is None:
                continue
            lower = _is_shifted(map_, i)
            x0 = (x - left) * WIDTH + (WIDTH // 2 if lower and not map_.flat else 0)
            y0 = (y - top) * HEIGHT + (HEIGHT // 2 if lower and map_.flat else 0)
            _brick(canvas, map_, i, x0, y0, cell(i), chosen=i == middle)
    return canvas.lines()


def _is_shifted(map_: Ground, i: int) -> bool:
    """Whether a hex lies half a hex lower (flat) or further right (pointy) than the others of its
    row (column)."""
    column, row = map_.places[i].at
    return ((column if map_.flat else row) % 2 == 1) is map_.odd_shifted


def _brick(
    canvas: Canvas, map_: Ground, i: int, x: int, y: int, cell: Cell, *, chosen: bool
) -> None:
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


def _side(map_: Ground, i: int, direction: int, plain: str, style: str) -> Painted:
    river = map_.rivers.get((i, direction))
    if river is None:
        return plain, style
    if (i, direction) in map_.bridged:
        return BRIDGE, "bold blue"
    return RIVERS.get(river, "~"), "bold blue" if river == "major" else "blue"


def overview(
    map_: Ground,
    width: int,
    shown: Sequence[int],
    mark: Callable[[int], Painted],
    rulers: bool = True,
) -> list[Text]:
    """The part of the map that holds these hexes, a hex two characters wide where that fits, else
    one, else several hexes a character."""
    boxes = [map_.places[i].at for i in shown] or [
        (0, 0),
        (map_.columns - 1, map_.rows - 1),
    ]
    left, right = (
        max(0, min(c for c, _ in boxes) - 1),
        min(map_.columns - 1, max(c for c, _ in boxes) + 1),
    )
    top, bottom = (
        max(0, min(r for _, r in boxes) - 1),
        min(map_.rows - 1, max(r for _, r in boxes) + 1),
    )
    gutter = max(len(name) for name in map_.row_names) + 1
    room = width - gutter
    span = right - left + 1
    wide = 2 if 2 * span <= room else 1
    skip = max(1, -(-span // room))
    lines = []
    if rulers:
        head = Text(" " * gutter, style="dim", no_wrap=True)
        for column in range(left, right + 1, skip):
            name = map_.column_names[column]
            if wide == 2:
                head.append(f"{name[-2:]:>2}" if (column - left) % 2 == 0 else "  ")
            else:
                head.append(name[-2:-1] if name.endswith("0") else " ")
        lines.append(head)
    for row in range(top, bottom + 1):
        line = Text(no_wrap=True)
        line.append(f"{map_.row_names[row]:<{gutter}}", style="dim")
        for column in range(left, right + 1, skip):
            here = [
                mark(row * map_.columns + c) for c in range(column, min(right + 1, column + skip))
            ]
            text, style = max(here, key=lambda painted: bool(painted[1]))
            line.append(one_line(text)[:1], style=style)
            if wide == 2:
                line.append(" ")
        line.rstrip()
        lines.append(line)
    return lines
