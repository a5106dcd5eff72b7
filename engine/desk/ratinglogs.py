"""The ratings logs of a server: one file for each title and pace in `ratings/` of its data
directory. Each tournament adds a period at its end, and nothing else adds anything.

Rules of this file:
- A file is only ever appended to, and synchronised before anybody sees it. A line that a crash has
  cut is removed: the tournament that it was of is rated again, with the same numbers.
- A log that cannot be read is left as it is; nothing is added to it.
- Everything here blocks; call it off the loop.
"""

import os
import threading
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from warledger.engine.tournaments import rated, ratings, ratingslog
from warledger.engine.tournaments.ratingslog import BadLog, Log
from warledger.engine.tournaments.tournamentposition import Position

FOLDER: Final = "ratings"
SUFFIX: Final = ".ratings"


def name_of(title: str, pace: str) -> str:
    """What the log of a title and pace is called: `war_at_sea-live`, or the title alone where
    games have no clock."""
    return f"{title}-{pace}" if pace else title


def month_of(at_ms: int) -> int:
    """The month of a moment, as a period counts it."""
    when = datetime.fromtimestamp(at_ms // 1000, UTC)
    return 12 * when.year + when.month - 1


@define(eq=False)
class RatingLogs:
    """The logs in a folder; in memory alone where there is none (None)."""

    folder: Path | None = None
    _data: dict[str, bytes] = field(factory=dict)
    _lock: Any = field(factory=threading.Lock)

    def names(self) -> list[str]:
        """All logs, by name."""
        there = [] if self.folder is None else self.folder.glob(f"*{SUFFIX}")
        return sorted({*self._data, *(path.name.removesuffix(SUFFIX) for path in there)})

    def file(self, name: str) -> bytes | None:
        """The bytes of a log, without a line that a crash has cut; None if there is none. Raises
        OSError."""
        known = self._data.get(name)
        if known is None and self.folder is not None and name in self.names():
            data = (self.folder / f"{name}{SUFFIX}").read_bytes()
            known = self._data[name] = data[: data.rfind(b"\n") + 1]
        return known

    def read(self, name: str) -> Log | None:
        """A log; None if there is none. Raises BadLog, OSError."""
        data = self.file(name)
        return None if data is None else ratingslog.read(data)

    def has(self, at: Position) -> bool:
        """Whether nothing of a tournament is left to be rated. Raises BadLog, OSError."""
        pace, id = rated.pace_of(at.charter.clock), at.founding.tournament
        for title in rated.games_of(at):
            log = self.read(name_of(title, pace))
            if log is None or all(period.name != id for period in log.periods):
                return False
        return True

    def rate(self, at: Position, counting: Collection[str]) -> list[str]:
        """Rate a tournament that is finished: a period in the log of each title that was played in
        it, of those of its games that are `counting`. Returns the logs to which it was added; none
        where it had been rated. Raises BadLog, OSError."""
        with self._lock:
            return list(self._rated(at, counting))

    def _rated(self, at: Position, counting: Collection[str]) -> Iterator[str]:
        pace, id = rated.pace_of(at.charter.clock), at.founding.tournament
        for title, every in rated.games_of(at).items():
            games = [game for game in every if game.game in counting]
            name = name_of(title, pace)
            data = self.file(name) or ratingslog.begin(title, pace)
            log = ratingslog.read(data)
            if any(period.name == id for period in log.periods):
                continue
            book, found = ratingslog.book(log)
            if found:
                raise BadLog(f"it does not follow from its games: {found[0].text}")
            last = log.periods[-1].month if log.periods else 0
            month = max(last, month_of(at.at_ms))
            advantage, half_unit = ratings.terms(log.entries, month)
            period, _ = ratings.close(
                book, id, month, games, advantage=advantage, half_unit=half_unit
            )
            if period.games:
                self._write(name, ratingslog.append(data, period))
                yield name

    def _write(self, name: str, data: bytes) -> None:
        if self.folder is not None:
            path = self.folder / f"{name}{SUFFIX}"
            is_new = not path.exists()
            self.folder.mkdir(mode=0o755, exist_ok=True)
            kept = self.file(name) or b""
            with path.open("ab") as file:
                file.truncate(len(kept))
                file.write(data[len(kept) :])
                file.flush()
                os.fsync(file.fileno())
            if is_new:
                _sync(self.folder)
                _sync(self.folder.parent)
        self._data[name] = data


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
