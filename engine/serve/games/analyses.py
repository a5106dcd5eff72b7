"""Analyses that a host has put beside games: `analyses/GAME.json` in the data directory.

Rules of this file:
- An analysis is made from everything that was hidden. So it is shown once spectators have seen that
  nothing is hidden any more, whatever is there before.
- The file comes from whoever may write to the data directory, and is read as if from a stranger:
  one that is none, or is of another log, is shown as none.
- It is not evidence, and no backup or check of the data directory knows it: it can be made
  again from the game's file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from warledger.engine.store.files.datadir import read_game
from warledger.engine.store.port import FRAME_RECORD, Frame, StoreError
from warledger.protocol import analysis
from warledger.protocol.analysis import Analysis
from warledger.protocol.log import records

FOLDER: Final = "analyses"
BYTES_MAX: Final = 4 * 1024 * 1024
NOTHING: Final[dict[str, Any]] = {"player": "", "seats": [], "points": []}


class Misplaced(ValueError):
    """An analysis of a game that the data directory does not have in this form."""


def put(data: Path, made: Analysis) -> None:
    """Put an analysis into a data directory, also while a server runs on it. Raises Misplaced,
    OSError."""
    try:
        frames = read_game(data, made.game)
    except StoreError as error:
        raise Misplaced(str(error)) from error
    if not fits(made, frames):
        raise Misplaced(f"the log of {made.game} there is another one")
    folder = data / FOLDER
    folder.mkdir(exist_ok=True)
    unfinished = folder / f"{made.game}.part"
    unfinished.write_text(json.dumps(made.as_data()), encoding="utf-8")
    unfinished.replace(path_of(data, made.game))


def path_of(data: Path, game: str) -> Path:
    """Where the analysis of a game is."""
    return data / FOLDER / f"{game}.json"


def stamp(data: Path | None, game: str) -> int:
    """What changes when another analysis is put there; 0 where there is none."""
    try:
        return 0 if data is None else path_of(data, game).stat().st_mtime_ns
    except OSError:
        return 0


def shown(data: Path, game: str, frames: Iterable[Frame]) -> dict[str, Any]:
    """What is shown of a game's analysis; it blocks."""
    try:
        path = path_of(data, game)
        if path.stat().st_size > BYTES_MAX:
            return NOTHING
        made = analysis.read(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return NOTHING
    return made.shown() if fits(made, frames) else NOTHING


def fits(made: Analysis, frames: Iterable[Frame]) -> bool:
    """Whether it is an analysis of this log."""
    payloads = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
    wanted = {0: made.genesis, **{point.seq: point.hash for point in made.points}}
    return all(
        seq < len(payloads) and records.hash_of(payloads[seq]) == hash
        for seq, hash in wanted.items()
    )
