"""The board as text. Which picture a title has is said by its pack's `layout` (areas) or `map` (hexes); no rules, no title's name here.

`of(pack)` chooses; `Picture.draw` gives something that rich can print, `Picture.describe` the same in plain sentences for a screen reader,
`Picture.about` all that is known of one piece or place.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rich.console import RenderableType

from protocol.effects import Board
from protocol.phrases import Phrases


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


def of(pack: Mapping[str, Any]) -> Picture:
    """The picture for a game's pack."""
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
