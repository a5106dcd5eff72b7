"""Whole games of the shipped titles for tests that need a real file: played here and now, since the
rules may have changed, once for each process."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from warledger.clients.bots.selfplay import Field, play


@cache
def game_file(title: str = "war_at_sea", seed: int = 1, players: str = "captain") -> Path:
    """The file of a game of the title, from its beginning to its end."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / f"{title}.wlog"
    path.write_bytes(play(Field.of(title), seed=seed, players=(players,), check=False).as_wlog())
    return path
