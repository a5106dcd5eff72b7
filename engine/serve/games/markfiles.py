"""What casters draw over games: `marks/GAME.json` in the data directory, beside the logs.

Rules of this file:
- Marks are never in a log, and prove nothing.
- A mark is about one record. It is shown to whoever may see that record, so that a delay binds
  marks as it binds everything else.
- The file is read as if from a stranger: one that is none holds no marks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from attrs import asdict, field, frozen

from warledger.engine.store.files.disk import UNFINISHED
from warledger.protocol.limits import MARK_CHARS_MAX
from warledger.protocol.wire.fields import is_name
from warledger.protocol.wire.markmessages import PLACES_OF

FOLDER: Final = "marks"
MARKS_MAX: Final = 500
"""Marks that are kept of a game."""
BYTES_MAX: Final = 1024 * 1024
FORMAT: Final = 1


@frozen
class Mark:
    """A mark: its number, its record, its kind, the places, its text, the name under which it was
    made, and by whom (which nobody sees)."""

    n: int
    at: int
    kind: str
    places: tuple[str, ...]
    text: str
    by: str
    maker: str = field(repr=False)


def path_of(data: Path, game: str) -> Path:
    """Where the marks of a game are."""
    return data / FOLDER / f"{game}.json"


def stamp(data: Path | None, game: str) -> tuple[int, ...]:
    """What changes with the file; empty where there is none."""
    try:
        found = None if data is None else path_of(data, game).stat()
    except OSError:
        found = None
    return () if found is None else (found.st_ino, found.st_mtime_ns, found.st_size)


def read(data: Path | None, game: str) -> tuple[Mark, ...]:
    """The marks of a game, by their numbers; it blocks."""
    if data is None:
        return ()
    try:
        with path_of(data, game).open("rb") as file:
            raw = file.read(BYTES_MAX + 1)
        if len(raw) > BYTES_MAX:
            return ()
        told = json.loads(raw)
        if told["format"] != FORMAT:
            return ()
        return tuple(_mark(one) for one in told["marks"])[:MARKS_MAX]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ()


def _mark(told: Any) -> Mark:
    kind, text, places = str(told["kind"]), str(told["text"]), tuple(map(str, told["places"]))
    n, at = int(told["n"]), int(told["at"])
    sound = n > 0 and at >= 0 and len(text) <= MARK_CHARS_MAX and all(map(is_name, places))
    if not sound or len(places) != PLACES_OF[kind]:
        raise ValueError
    return Mark(n, at, kind, places, text, str(told["by"]), str(told["maker"]))


def write(data: Path, game: str, marks: Sequence[Mark]) -> None:
    """Replace the file whole; it blocks. Raises OSError."""
    path = path_of(data, game)
    path.parent.mkdir(exist_ok=True)
    # Beside the folder, where a backup that is taken meanwhile leaves it out.
    unfinished = data / f"{FOLDER}-{game}{UNFINISHED}"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, "marks": [asdict(one) for one in marks]}, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def shown(marks: Sequence[Mark], last: int) -> dict[str, Any]:
    """The marks as sent to whoever sees the records up to `last`."""
    return {
        "marks": [
            {
                "n": one.n,
                "at": one.at,
                "kind": one.kind,
                "places": one.places,
                "text": one.text,
                "by": one.by,
            }
            for one in marks
            if one.at <= last
        ]
    }
