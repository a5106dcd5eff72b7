"""The board as text. Which picture a title has is said by its pack's `layout` (areas) or `map` (hexes); no rules, no title's name here.

`of(pack)` chooses; `Picture.draw` gives something that rich can print, `Picture.describe` the same in plain sentences for a screen reader,
`Picture.about` all that is known of one piece or place.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from rich.console import Group, RenderableType
from rich.text import Text

from clients.terminal.visible import line
from protocol.effects import Board
from protocol.phrases import Phrases

T = TypeVar("T")


class Picture(Protocol):
    """How one kind of map is shown."""

    def draw(self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()) -> RenderableType:
        """The whole board, or the part around `focus`, at most `width` characters wide. `lit` are places to be made out."""

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """The same in sentences, one a line."""

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The forces of both sides and where they meet, one sentence a line."""

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """What is known of a piece or place, one sentence a line; nothing for an id that is neither."""

    def values(self, id: str, board: Board) -> str:
        """What is printed on a piece's face, for a list."""

    def ids(self, board: Board) -> tuple[str, ...]:
        """Every piece and place that can be asked about."""


_UNREAD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a picture raises where a pack lacks a part or has one of another form. Packs come from strangers, and no client has their rules."""


def of(pack: Mapping[str, Any]) -> Picture:
    """The picture for a game's pack. A pack whose map cannot be drawn has a list of its places instead, with a sentence that says why."""
    try:
        return _Careful(_drawn(pack))
    except _UNREAD as error:
        from clients.terminal.listing import ListPicture

        return _Careful(ListPicture(), error)


def _drawn(pack: Mapping[str, Any]) -> Picture:
    layout = pack.get("layout")
    if isinstance(layout, Mapping) and layout.get("kind") == "areas":
        from clients.terminal.areas import AreaPicture

        return AreaPicture(pack)
    from clients.hexmap import has_map

    if has_map(pack):
        from clients.terminal.hexes import HexPicture

        return HexPicture(pack)
    from clients.terminal.listing import ListPicture

    return ListPicture()


class _Careful:
    """A picture that becomes a list of places as soon as the pack turns out not to hold what it needs."""

    def __init__(self, inner: Picture, error: Exception | None = None) -> None:
        self._inner = inner
        self._error = error

    def draw(self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()) -> RenderableType:
        """As the picture within."""
        drawn = self._try(lambda inner: inner.draw(board, spoken, width, focus, lit))
        return Group(*(Text(told) for told in self._why(spoken)), drawn)

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """As the picture within."""
        told = self._try(lambda inner: tuple(inner.describe(board, spoken, focus)))
        yield from self._why(spoken)
        yield from told

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """As the picture within."""
        yield from self._try(lambda inner: tuple(inner.front(board, spoken)))

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """As the picture within."""
        yield from self._try(lambda inner: tuple(inner.about(id, board, spoken)))

    def values(self, id: str, board: Board) -> str:
        """As the picture within."""
        return str(self._try(lambda inner: inner.values(id, board)))

    def ids(self, board: Board) -> tuple[str, ...]:
        """As the picture within."""
        return self._try(lambda inner: inner.ids(board))

    def _try(self, ask: Callable[[Picture], T]) -> T:
        from clients.terminal.listing import ListPicture

        try:
            return ask(self._inner)
        except _UNREAD as error:
            if type(self._inner) is ListPicture:
                raise
            self._inner, self._error = ListPicture(), error
            return ask(self._inner)

    def _why(self, spoken: Phrases) -> Iterator[str]:
        if self._error is not None:
            yield line(spoken.text("ui.map_unread", what=f"{type(self._error).__name__}: {self._error}"))


def names_of(pack: Mapping[str, Any]) -> dict[str, str]:
    """The names that a pack gives to its own ids: what is shown where a catalogue has none."""
    return dict(_names(pack))


def _names(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        id, name = value.get("id"), value.get("name")
        if isinstance(id, str) and isinstance(name, str):
            yield id, name
        for item in value.values():
            yield from _names(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _names(item)


__all__ = ["Picture", "names_of", "of"]
