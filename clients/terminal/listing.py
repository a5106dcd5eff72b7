"""Pieces in words: what is in a place, what is known about a piece. For maps without a layout this
is the whole picture."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from warledger.clients.terminal.visible import line
from warledger.protocol.board.effects import Board, Piece
from warledger.protocol.canon import Seal
from warledger.protocol.texts.phrases import Phrases

_NUMBERED = re.compile(r"(.+?)_?\d+")
_LAST_NUMBER = re.compile(r"[\s#_-]*\d+$")


def place_contents(board: Board) -> dict[str, list[str]]:
    """The pieces in each place, in order of their ids. Pieces without an id for this audience are
    left out."""
    places: dict[str, list[str]] = {}
    for id in sorted(id for id in board.pieces if type(id) is str):
        place = board.pieces[id].place
        if type(place) is str:
            places.setdefault(place, []).append(id)
    return places


def marks_on(board: Board, id: str, spoken: Phrases) -> list[str]:
    """The markers on a piece or place, in words."""
    return [
        spoken.mark(marker, value)
        for marker, value in sorted(
            (marker, value) for (target, marker), value in board.marks.items() if target == id
        )
    ]


def values_of(piece: Piece) -> str:
    """The printed values on a face: its last word."""
    return piece.face.split()[-1] if type(piece.face) is str and piece.face.strip() else ""


def piece_label(board: Board, id: str, spoken: Phrases, *, values: bool = True) -> str:
    """A piece in a list: name, printed values, markers."""
    piece = board.pieces[id]
    parts = [spoken.name(id)]
    if values and values_of(piece) and values_of(piece) != parts[0]:
        parts.append(values_of(piece))
    marks = marks_on(board, id, spoken)
    if marks:
        parts.append(f"({listed(marks, spoken)})")
    return " ".join(parts)


def listed(items: Iterable[str], spoken: Phrases) -> str:
    """A list without a last word between: "a, b", 「甲、乙」."""
    return spoken.text("text.list.comma").join(items)


def grouped(
    board: Board, ids: Iterable[str], spoken: Phrases, *, values: bool = True
) -> Iterator[tuple[str, str]]:
    """(owner, label) of the pieces; those that differ only in a number are counted together."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for id in ids:
        piece = board.pieces[id]
        numbered = _NUMBERED.fullmatch(id)
        plain = not marks_on(board, id, spoken) and type(piece.face) is str
        stem = numbered[1] if numbered and plain else ""
        key = (piece.owner, stem, str(piece.face)) if stem else (piece.owner, id, "=")
        alike.setdefault(key, []).append(id)
    for (owner, _, face), members in alike.items():
        if face == "=" or len(members) == 1:
            yield owner, piece_label(board, members[0], spoken, values=values)
        else:
            yield owner, f"{_LAST_NUMBER.sub('', spoken.name(members[0]))} ×{len(members)}"


def in_place(board: Board, place: str, ids: Sequence[str], spoken: Phrases) -> str:
    """One sentence about a place and what is in it."""
    head = spoken.name(place)
    marks = marks_on(board, place, spoken)
    if marks:
        head += f" ({listed(marks, spoken)})"
    owners: dict[str, list[str]] = {}
    for owner, label in grouped(board, ids, spoken):
        owners.setdefault(owner, []).append(label)
    parts = [
        spoken.text("ui.place_line", place=spoken.name(owner), contents=listed(labels, spoken))
        if owner
        else listed(labels, spoken)
        for owner, labels in owners.items()
    ]
    count = board.counts.get(place)
    if type(count) is int and count:
        parts.append(spoken.text("ui.face_down", n=count))
    contents = spoken.text("text.list.semicolon").join(parts) or spoken.text("text.none")
    return spoken.text("ui.place_line", place=head, contents=contents)


def headline(board: Board, spoken: Phrases) -> str:
    """Turn, tracks, phase and who is to decide, in one line."""
    tracks = (
        (name, value)
        for name, value in board.tracks.items()
        if type(value) is not Seal and value != ""
    )
    parts = [f"{spoken.name(name)} {_shown(value, spoken)}" for name, value in tracks]
    parts.append(spoken.say(board.phase))
    if board.awaits:
        parts.append(spoken.text("ui.to_decide", seats=board.awaits))
    return " · ".join(parts)


def _shown(value: Any, spoken: Phrases) -> str:
    """A track's value: a number, a word, or several words."""
    return (
        listed((spoken.name(item) for item in value), spoken)
        if isinstance(value, tuple)
        else spoken.name(value)
    )


def about_piece(id: str, board: Board, spoken: Phrases) -> Iterator[str]:
    """What is known about a piece."""
    piece = board.pieces[id]
    yield spoken.text(
        "ui.about_piece",
        piece=id,
        owner=piece.owner or "–",
        place=piece.place,
        face=piece.face if type(piece.face) is str else spoken.text("text.hidden"),
    )
    marks = marks_on(board, id, spoken)
    if marks:
        yield spoken.text("ui.about_marks", marks=tuple(marks))


class ListPicture:
    """The board as a list of places that hold something."""

    def draw(
        self, board: Board, spoken: Phrases, width: int, focus: str = "", lit: Sequence[str] = ()
    ) -> RenderableType:
        """The list, for any width."""
        return Group(*(Text(line(told)) for told in self.describe(board, spoken, focus)))

    def describe(self, board: Board, spoken: Phrases, focus: str = "") -> Iterator[str]:
        """One line for each place."""
        yield headline(board, spoken)
        contents = place_contents(board)
        for place in [focus] if focus else sorted(contents):
            yield in_place(board, place, contents.get(place, ()), spoken)

    def front(self, board: Board, spoken: Phrases) -> Iterator[str]:
        """The whole board in sentences."""
        yield from self.describe(board, spoken)

    def about(self, id: str, board: Board, spoken: Phrases) -> Iterator[str]:
        """A piece's line, or a place's."""
        contents = place_contents(board)
        if id in board.pieces:
            yield from about_piece(id, board, spoken)
        elif id in contents:
            yield in_place(board, id, contents[id], spoken)

    def values(self, id: str, board: Board) -> str:
        """The face as it is."""
        return str(board.pieces[id].face)

    def ids(self, board: Board) -> tuple[str, ...]:
        """Pieces, and the places that hold any."""
        return (*(id for id in board.pieces if type(id) is str), *place_contents(board))
