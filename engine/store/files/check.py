"""Verifying a data directory: every byte of it is read and checked against its checksums; nothing
is changed.

Rules of this file:
- It continues after a finding, so that one run tells all there is.
- It may run beside a server. What could be a write in progress is then not called damage.
- Frames and log only: whether a game's records chain and its commands were legal is the auditor's
  to say.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from attrs import frozen

from warledger.engine.store.files import datadir
from warledger.engine.store.files.disk import Disk
from warledger.engine.store.files.gamefile import game_of, path_of
from warledger.engine.store.files.losses import ASIDE, is_game_id
from warledger.engine.store.port import Damaged, DataDirDamaged, DataDirError


@frozen
class Finding:
    """One finding. `damage` is false for what is merely worth knowing; `offset` is None if no byte
    can be named."""

    damage: bool
    place: str
    offset: int | None
    what: str
    game: str | None = None


def check(data_dir: str | os.PathLike[str] | Disk) -> list[Finding]:
    """All findings about a data directory with its tournaments, damage first; none if it is sound.
    Blocking."""
    if not isinstance(data_dir, str | os.PathLike):
        return sorted(_check_one(data_dir), key=lambda finding: not finding.damage)
    findings = []
    for place in datadir.stores(Path(data_dir)):
        findings += _check_one(datadir.disk_of(place))
    for path in sorted(Path(data_dir).glob("*.db")):
        findings += _check_database(path)
    return sorted(findings, key=lambda finding: not finding.damage)


def _check_database(path: Path) -> list[Finding]:
    """What SQLite finds in a database beside the games: accounts."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("PRAGMA integrity_check(8)").fetchall()
    except sqlite3.Error as error:
        rows = [(str(error),)]
    return [Finding(True, str(path), None, what) for (what,) in rows if what != "ok"]


def _check_one(disk: Disk) -> list[Finding]:
    try:
        if not datadir.check_marker(disk):
            return [Finding(True, disk.where(""), None, "there is no data directory here")]
    except DataDirError as error:
        return [Finding(True, disk.where(""), None, str(error))]
    unlock = _lock(disk)
    try:
        findings = _check(disk, alone=unlock is not None)
    except OSError as error:
        findings = [
            Finding(True, disk.where(""), None, f"it cannot be read: {error.strerror or error}")
        ]
    finally:
        if unlock is not None:
            unlock()
    return findings


def _lock(disk: Disk) -> Callable[[], None] | None:
    if not disk.exists(datadir.LOCK):
        return None  # a copy that no server has opened; taking the lock would add a file to it
    try:
        return disk.lock(datadir.LOCK)
    except OSError:
        return None


def _check(disk: Disk, *, alone: bool) -> list[Finding]:
    try:
        recovered = datadir.recover(disk, alone=alone)
    except DataDirDamaged as error:
        return [Finding(True, error.place, error.offset, error.what)]
    findings = [Finding(True, wound.place, wound.offset, wound.told) for wound in recovered.wounds]
    for game, loss in recovered.losses.held.items():
        what = f"game {game}: {loss.what}; it takes no commands until `warledger reopen` says so"
        findings.append(Finding(True, disk.where(path_of(game)), loss.offset, what, game))
    for game in recovered.files.games():
        try:
            recovered.files.load(game)
        except Damaged as error:
            findings.append(Finding(True, error.place, error.offset, error.what, game))
    if recovered.torn and alone:
        place = disk.where(datadir.segment_path(recovered.last_segment))
        what = "a batch was being written here when the server stopped; the next start cuts it"
        findings.append(Finding(False, place, recovered.last_end, what))
    for name in disk.list(datadir.GAMES):
        if not is_game_id(game_of(name)):
            place = disk.where(f"{datadir.GAMES}/{name}")
            findings.append(Finding(False, place, None, "this is not a game's file; it is ignored"))
    what = "a damaged part of the log, kept as it was found"
    findings.extend(
        Finding(False, disk.where(f"{ASIDE}/{name}"), None, what) for name in disk.list(ASIDE)
    )
    if alone:
        what = "no longer needed; the next start removes it"
        findings.extend(
            Finding(False, disk.where(path), None, what) for path in recovered.leftovers
        )
    return findings
