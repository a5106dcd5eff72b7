"""Compress the games of a data directory that are over, and undo it. The server must be stopped."""

from __future__ import annotations

import math
from pathlib import Path

from attrs import frozen

from warledger.engine.store.files import datadir, packed
from warledger.engine.store.files.gamefile import path_of
from warledger.engine.store.files.packing import pack_if_over
from warledger.engine.store.port import DataDirError


@frozen
class Compressed:
    """What was done: how many games were compressed now and how many bytes that saved, or how many
    were unpacked; and how many are compressed altogether."""

    games: int = 0
    saved: int = 0
    packed: int = 0


def compress(data: Path, *, undo: bool = False) -> Compressed:
    """Compress each game's file that is whole, over, and entirely in its own file; or unpack all
    of them. Raises DataDirError, also if a server has locked the directory."""
    if not datadir.check_marker(datadir.disk_of(data)):
        raise DataDirError(f"there is no data directory at {data}")
    games = saved = total = 0
    disk = datadir.disk_of(data)
    unlock = datadir.lock(disk)
    try:
        files = datadir.recover(disk, alone=True).files
        for path, game in ((path_of(game), game) for game in files.games()):
            if undo:
                games += packed.unpack(disk, path)
            else:
                gained = pack_if_over(disk, files, game, math.inf)
                games, saved = games + bool(gained), saved + gained
            total += disk.exists(path + packed.PACKED)
    except OSError as error:
        raise DataDirError(f"{disk.where('')}: {error.strerror or error}") from error
    finally:
        unlock()
    return Compressed(games, saved, total)
