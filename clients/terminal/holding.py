"""What is in one place, according to the client's board: a stack with its modes and markers, a dump
with its supply, an air base with its aircraft. Only what the board shows the seat is listed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from warledger.clients.terminal.listing import listed, marks_on, place_contents
from warledger.clients.terminal.picture import Picture
from warledger.protocol.board.effects import Board
from warledger.protocol.texts.phrases import Phrases

AIRCRAFT = ("active", "inactive")
"""Faces of aircraft at a base."""

TOKENS = 4
"""Tokens of a supply point."""

DUMP = ("dump", "trucks", "wagons", "organic", "extender")
"""Markers of a hex whose supply is seen without its amount."""


def stack(place: str, board: Board, picture: Picture, spoken: Phrases) -> Iterator[str]:
    """The counters of a place one by one, units before aircraft and active aircraft before inactive
    ones. Each has what is printed on its face and its markers. Then the markers of the place."""
    here = place_contents(board).get(place, ())
    ordered = sorted(here, key=lambda id: (_layer(board, id), board.pieces[id].owner, id))
    yield spoken.text("ui.stack.head", place=place, n=len(ordered))
    for number, id in enumerate(ordered, 1):
        yield spoken.text("ui.stack.line", n=number, piece=_label(id, board, picture, spoken))
    yield from _marked(place, board, spoken)


def dump(place: str, board: Board, picture: Picture, spoken: Phrases) -> Iterator[str]:
    """The supply on the ground of a place in SP and tokens, and what is loaded there. Where the
    board shows no amounts, it is what kinds of supply are seen."""
    told = False
    for owner, tokens in _amounts(place, board):
        told = True
        yield spoken.text(
            "ui.dump.lies", place=place, owner=owner, sp=tokens // TOKENS, rest=tokens % TOKENS
        )
    for id in place_contents(board).get(place, ()):
        load = board.marks.get((id, "load"))
        if type(load) is int and load:
            told = True
            yield spoken.text("ui.dump.load", piece=id, sp=load // TOKENS, rest=load % TOKENS)
    seen = [kind for kind in DUMP if (place, kind) in board.marks]
    if seen and not told:
        told = True
        yield spoken.text("ui.dump.seen", place=place, kinds=tuple(seen))
    if not told:
        yield spoken.text("ui.dump.none", place=place)


def base(place: str, board: Board, picture: Picture, spoken: Phrases) -> Iterator[str]:
    """An air base with its level, and the aircraft at it, active and inactive."""
    levels = [
        (marker.partition(".")[2], value)
        for (target, marker), value in board.marks.items()
        if target == place and marker.startswith("base.")
    ]
    here = place_contents(board).get(place, ())
    flying = {face: [id for id in here if board.pieces[id].face == face] for face in AIRCRAFT}
    for owner, level in levels:
        yield spoken.text("ui.base.level", place=place, owner=owner, level=level)
    if not levels and not any(flying.values()):
        yield spoken.text("ui.base.none", place=place)
        return
    for face, ids in flying.items():
        labels = listed((_label(id, board, picture, spoken) for id in ids), spoken)
        if labels:
            yield spoken.text("ui.place_line", place=spoken.name(face), contents=labels)


def _layer(board: Board, id: str) -> int:
    face = board.pieces[id].face
    return 1 + AIRCRAFT.index(face) if face in AIRCRAFT else 0


def _label(id: str, board: Board, picture: Picture, spoken: Phrases) -> str:
    """A counter with what is printed on the face shown, and its markers."""
    values = picture.values(id, board)
    said = f"{spoken.name(id)} {values}".rstrip()
    marks = marks_on(board, id, spoken)
    return f"{said} ({listed(marks, spoken)})" if marks else said


def _amounts(place: str, board: Board) -> Iterator[tuple[str, int]]:
    """(side, tokens) of the supply on the ground that the board shows."""
    for (target, marker), value in sorted(board.marks.items(), key=lambda item: str(item[0])):
        if target == place and marker.startswith("supply.") and type(value) is int and value:
            yield marker.partition(".")[2], value


def _marked(place: str, board: Board, spoken: Phrases) -> Iterator[str]:
    marks = marks_on(board, place, spoken)
    if marks:
        yield spoken.text("ui.about_marks", marks=tuple(marks))


HOLDINGS: Final[Mapping[str, Callable[[str, Board, Picture, Phrases], Iterator[str]]]] = {
    "stack": stack,
    "dump": dump,
    "base": base,
}
"""Word -> what it shows of a place."""

SHOWS: Final[Mapping[str, Callable[[str], bool]]] = {
    "dump": lambda marker: marker in DUMP or marker.startswith("supply."),
    "base": lambda marker: marker.startswith("base."),
}
"""Word -> which markers it shows. Without one of them on the board, it has nothing to show."""
