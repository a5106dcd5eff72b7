"""The board as text, drawn from a game's description and the board; no rules, no title's name
here.

`of` chooses the picture. `Picture.draw` gives something that rich can print, `Picture.describe` the
same in plain sentences for a screen reader. `Picture.about` is all that is known of one piece or
place.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from rich.console import Group, RenderableType
from rich.text import Text

from warledger.clients.terminal.visible import line
from warledger.protocol.board.description import AREAS, HEXES, UNREADABLE, Description
from warledger.protocol.board.effects import Board
from warledger.protocol.texts.phrases import Phrases

T = TypeVar("T")


class Picture(Protocol):
    """How one kind of map is shown."""

    def draw(
        self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()
    ) -> RenderableType:
        """The whole board, or the part around `focus`, at most `width` characters wide. `lit` are
        places to highlight."""

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """The whole board, or the part around `focus`, in sentences, one per line."""

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The forces of both sides and where they meet, one sentence a line."""

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """What is known about a piece or place, one sentence per line; nothing for an id that is
        neither."""

    def values(self, id: str, board: Board) -> str:
        """What is printed on a piece's face, for a list."""

    def ids(self, board: Board) -> tuple[str, ...]:
        """Every piece and place that can be asked about."""


def of(told: Description, error: Exception | None = None) -> Picture:
    """The picture for a game's description. Where the map cannot be drawn there is a list of its
    places instead, with a sentence that says why. `error` is what was wrong with the map where that
    is known already."""
    try:
        return _Careful(_drawn(told), error)
    except UNREADABLE as trouble:
        from warledger.clients.terminal.listing import ListPicture

        return _Careful(ListPicture(), trouble)


def _drawn(told: Description) -> Picture:
    if told.kind == AREAS:
        from warledger.clients.terminal.areas import AreaPicture

        return AreaPicture(told)
    if told.kind == HEXES:
        from warledger.clients.terminal.hexes import HexPicture

        return HexPicture(told)
    from warledger.clients.terminal.listing import ListPicture

    return ListPicture()


class _Careful:
    """A picture that becomes a list of places as soon as it turns out that something it needs is
    missing."""

    def __init__(self, inner: Picture, error: Exception | None = None) -> None:
        self._inner = inner
        self._error = error

    def draw(
        self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()
    ) -> RenderableType:
        """The board drawn, below what was wrong with the map."""
        drawn = self._try(lambda inner: inner.draw(board, spoken, width, focus, lit))
        return Group(*(Text(told) for told in self._why(spoken)), drawn)

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """The board in sentences, after what was wrong with the map."""
        told = self._try(lambda inner: tuple(inner.describe(board, spoken, focus)))
        yield from self._why(spoken)
        yield from told

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The forces of both sides, one sentence a line, or the list's where it fails."""
        yield from self._try(lambda inner: tuple(inner.front(board, spoken)))

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """What is known of a piece or place, or the list's where it fails."""
        yield from self._try(lambda inner: tuple(inner.about(id, board, spoken)))

    def values(self, id: str, board: Board) -> str:
        """The values on a counter, or the list's where it fails."""
        return str(self._try(lambda inner: inner.values(id, board)))

    def ids(self, board: Board) -> tuple[str, ...]:
        """The ids on the board, or the list's where it fails."""
        return self._try(lambda inner: inner.ids(board))

    def _try(self, ask: Callable[[Picture], T]) -> T:
        from warledger.clients.terminal.listing import ListPicture

        try:
            return ask(self._inner)
        except UNREADABLE as error:
            if type(self._inner) is ListPicture:
                raise
            self._inner, self._error = ListPicture(), error
            return ask(self._inner)

    def _why(self, spoken: Phrases) -> Iterator[str]:
        if self._error is not None:
            yield line(
                spoken.text("ui.map_unread", what=f"{type(self._error).__name__}: {self._error}")
            )
