"""An area map as a grid of boxes: places row by row, ships and markers inside."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from warledger.clients.terminal.listing import (
    about_piece,
    grouped,
    headline,
    in_place,
    marks_on,
    place_contents,
)
from warledger.clients.terminal.visible import line
from warledger.protocol.board.description import Description
from warledger.protocol.board.effects import Board
from warledger.protocol.texts.phrases import Phrases

_LOOKS = {"sea": "blue", "port": "yellow", "": "white"}
_OWNERS = ("green", "red", "cyan", "magenta")
_COLUMN_CHARS_MIN = 19
"""A column narrower than this cannot show a ship with its values; the grid is then folded."""


class AreaPicture:
    """A map of named areas."""

    def __init__(self, told: Description) -> None:
        assert told.grid is not None
        cells = {place.at: place.id for place in told.places}
        self._rows: tuple[tuple[str, ...], ...] = tuple(
            tuple(cells.get((column, row), "") for column in range(told.grid.columns))
            for row in range(told.grid.rows)
        )
        self._legend = told.legend
        self._look = {place.id: place.terrain for place in told.places}
        self._numbers = {
            place.id: tuple(number for _, _, number in place.printed if number is not None)
            for place in told.places
        }
        self._owner = {place.id: place.owner for place in told.places}
        self._adjacent = {
            place.id: tuple(told.places[n].id for n in place.near) for place in told.places
        }

    def draw(
        self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()
    ) -> RenderableType:
        """The grid, with turn and tracks above it and whatever is off the map below."""
        contents = place_contents(board)
        owners = sorted({piece.owner for piece in board.pieces.values() if piece.owner})
        colours = {owner: _OWNERS[index % len(_OWNERS)] for index, owner in enumerate(owners)}
        columns = max(1, min(max(map(len, self._rows)), width // _COLUMN_CHARS_MIN))
        parts: list[RenderableType] = [Text(line(headline(board, spoken)), style="bold")]
        if focus:
            parts.append(self._box(focus, board, contents, colours, spoken))
            return Group(*parts)
        for row in self._rows:
            for start in range(0, len(row), columns):
                grid = Table.grid(expand=True, padding=(0, 0))
                for _ in range(columns):
                    grid.add_column(ratio=1)
                cells = [
                    self._box(place, board, contents, colours, spoken) if place else Text("")
                    for place in row[start : start + columns]
                ]
                grid.add_row(*cells, *(Text("") for _ in range(columns - len(cells))))
                parts.append(grid)
        parts.extend(
            Text(line(told), style="dim") for told in self._off_map(board, contents, spoken)
        )
        if self._legend:
            parts.append(Text(line(spoken.text(self._legend)), style="dim italic"))
        return Group(*parts)

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """One sentence for each place."""
        contents = place_contents(board)
        yield headline(board, spoken)
        for place in [focus] if focus else [place for row in self._rows for place in row if place]:
            yield in_place(board, place, contents.get(place, ()), spoken)
        if not focus:
            yield from self._off_map(board, contents, spoken)

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The whole board in sentences."""
        yield from self.describe(board, spoken)

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """A piece, or a place with its neighbours."""
        if id in board.pieces:
            yield from about_piece(id, board, spoken)
        elif id in self._look:
            contents = place_contents(board)
            yield in_place(board, id, contents.get(id, ()), spoken)
            yield spoken.text("ui.about_neighbours", places=self._adjacent[id])

    def values(self, id: str, board: Board) -> str:
        """The face as it is."""
        return str(board.pieces[id].face)

    def ids(self, board: Board) -> tuple[str, ...]:
        """Pieces and places."""
        return (*(id for id in board.pieces if type(id) is str), *self._look)

    def _box(
        self,
        place: str,
        board: Board,
        contents: Mapping[str, list[str]],
        colours: Mapping[str, str],
        spoken: Phrases,
    ) -> RenderableType:
        text = Text()
        numbers = self._numbers.get(place, ())
        if numbers:
            text.append(
                line("/".join(map(str, numbers))) + (": " if contents.get(place) else ""),
                style="dim",
            )
        empty = True
        for owner, label in grouped(board, contents.get(place, ()), spoken):
            if not empty:
                text.append(", ")
            empty = False
            text.append(line(label), style=colours.get(owner, ""))
        count = board.counts.get(place)
        if type(count) is int and count:
            text.append(("\n" if text else "") + spoken.text("ui.face_down", n=count))
        title = spoken.name(place)
        marks = marks_on(board, place, spoken)
        look = self._look.get(place, "")
        colour = colours.get(self._owner.get(place, ""), "") or _LOOKS.get(look, "white")
        # As Text, since rich would read a plain string's square brackets as its markup.
        subtitle = Text(line(", ".join(marks))) if marks else None
        return Panel(
            text,
            title=Text(line(title)),
            subtitle=subtitle,
            border_style="bold " + colour if look == "sea" else colour,
            padding=(0, 1),
        )

    def _off_map(
        self, board: Board, contents: Mapping[str, list[str]], spoken: Phrases
    ) -> Iterator[str]:
        shown = {place for row in self._rows for place in row}
        for place in sorted(contents):
            if place not in shown:
                yield in_place(board, place, contents[place], spoken)
