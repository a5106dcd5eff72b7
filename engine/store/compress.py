"""Compress the games of a data directory that are over, and undo it. The server must be stopped."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from attrs import frozen

from warledger.engine.store import datadir
from warledger.engine.store.disk import RealDisk
from warledger.engine.store.gamefile import GameFiles, path_of
from warledger.engine.store.packed import PackedDisk
from warledger.engine.store.port import FRAME_RECORD, Damaged, DataDirError
from warledger.engine.store.shards import folders
from warledger.protocol import bodies, records
from warledger.protocol.records import CorruptLog


@frozen
class Compressed:
    """What was done: how many games were compressed now and how many bytes that saved, or how many
    were unpacked; and how many are compressed altogether."""

    games: int
    saved: int
    packed: int


def compress(data: Path, *, undo: bool = False) -> Compressed:
    """Compress each game's file that is whole, over, and entirely in its own file; or unpack all
    of them. Raises DataDirError, also if a server has locked the directory."""
    if not datadir.check_marker(datadir.disk_of(data)):
        raise DataDirError(f"there is no data directory at {data}")
    done = [_one(PackedDisk(RealDisk(folder)), undo) for folder in folders(data)]
    return Compressed(*(sum(column) for column in zip(*done, strict=True)))


def _one(disk: PackedDisk, undo: bool) -> tuple[int, int, int]:
    games = saved = packed = 0
    unlock = datadir.lock(disk)
    try:
        recovered = datadir.recover(disk, alone=True)
        files = recovered.files
        held = {*recovered.losses.held, *files.damaged()}
        for game in files.games():
            path = path_of(game)
            if undo:
                games += disk.unpack(path)
            elif not disk.is_packed(path) and game not in held and _is_over(files, game):
                gained = disk.pack(path)
                games, saved = games + bool(gained), saved + gained
            packed += disk.is_packed(path)
    except OSError as error:
        raise DataDirError(f"{disk.where('')}: {error.strerror or error}") from error
    finally:
        unlock()
    return games, saved, packed


def _is_over(files: GameFiles, game: str) -> bool:
    """Whether nothing follows the game's last record, and all of it is in its own file."""
    file = files.get(game)
    with suppress(Damaged, CorruptLog):
        frames = files.read(game)
        kept = [frame.payload for frame in frames if frame.kind == FRAME_RECORD]
        if kept and not file.chunks:
            return bodies.closes_log(records.read(kept[-1], trusted=True))
    return False


__all__ = ["Compressed", "compress"]
