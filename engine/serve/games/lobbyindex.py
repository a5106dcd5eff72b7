"""What lists tell of games that nobody uses, so that a list reads none of them, however many there
are.

Rules of this file:
- A row goes in when spectators may see all that there is of its game and nothing is in progress:
  until something is appended, everybody is told the same. It counts as long as the store has as
  many bytes of the game as then; that of a game that is over always counts.
- A game without a row that counts is *doubtful* unless it is in memory: a list reads it.
- The file is a cache. Whoever finds it damaged, of another release or gone begins a new one. Rows
  of games that the store does not have are not used. It holds no secret.
- A write is whole or not there, wherever the process or the machine stops: SQLite's log
  (`lobby.cache-wal`) stands beside the file while it is open.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from attrs import define, field, frozen

from warledger.engine.kernel.position import ENDED, GATHERING
from warledger.engine.store.files import datadir
from warledger.protocol import canon

T = TypeVar("T")

FILE: Final = datadir.LISTS
FORM: Final = 3
"""Of the rows: raised when a row tells something else than before."""
MEMORY: Final = ":memory:"
_ROWS: Final = """CREATE TABLE IF NOT EXISTS rows
    (id TEXT PRIMARY KEY, stage TEXT, length INTEGER, timed INTEGER, row BLOB) WITHOUT ROWID"""
_STAGES: Final = "CREATE INDEX IF NOT EXISTS stages ON rows (stage, id)"


class Lengths(Protocol):
    """What rows ask a store."""

    def games(self) -> list[str]:
        """All ids."""
        ...

    def length(self, game: str) -> int:
        """How many bytes there are of a game; 0 if that is not known."""
        ...

    def keeps(self, game: str) -> bool:
        """Whether there is such a game."""
        ...


@frozen
class Row:
    """What a list tells of a game that had `length` bytes. `timed` says whether something may
    happen in it because time passes."""

    told: Mapping[str, Any]
    length: int
    timed: bool = False

    @property
    def stage(self) -> str:
        """Gathering, playing or ended."""
        return str(self.told["stage"])


@define(eq=False)
class Rows:
    """The rows of lists, in the file at `path`, or in memory alone. `form` says
    which release wrote them. Its methods block, but for `doubt`."""

    path: Path | None = None
    form: str = str(FORM)
    losses: int = 0
    """How often the file could not be used: what was asked before of it counts no more."""
    _lock: threading.Lock = field(factory=threading.Lock)
    _connection: sqlite3.Connection | None = None
    _doubtful: set[str] | None = None
    _over: set[str] | None = None

    # --- what is in it ----------------------------------------------------------------------------

    def doubtful(self, store: Lengths) -> set[str]:
        """The games without a row that counts: a copy. The whole file is looked through for it,
        once."""
        with self._lock:
            if self._doubtful is None:
                self._look(store)
            return set(self._doubtful or ())

    def over(self) -> set[str]:
        """The ids of games that are over, of which there are rows."""
        with self._lock:
            if self._over is None:
                found = self._try(_over, None)
                self._over = set() if found is None else found
            return set(self._over)

    def quiet(self, store: Lengths) -> set[str]:
        """The games in which nothing happens unless somebody does something. The whole file is
        looked through for it."""
        with self._lock:
            return self._look(store)

    def _look(self, store: Lengths) -> set[str]:
        nothing: list[tuple[str, str, int, int]] = []
        counting, quiet = set(), set()
        for id, stage, length, timed in self._try(_all, nothing):
            if _counts(store, id, stage, length):
                counting.add(id)
                if not timed and stage != GATHERING:
                    quiet.add(id)
        if self._doubtful is None:
            self._doubtful = {id for id in store.games() if id not in counting}
        return quiet

    def page(
        self, store: Lengths, stage: str, after: str, most: int
    ) -> tuple[dict[str, Row | None], str]:
        """The first rows after an id, at most `most`, of one stage, or of all for "". With them
        comes the id up to which there are no others, "" where there are none at all. None stands
        for a row that does not count any more."""
        of_stage = "stage = ? AND " if stage else ""

        def read(at: sqlite3.Connection) -> tuple[dict[str, Row | None], str]:
            found = at.execute(
                f"SELECT id, stage, length, timed, row FROM rows WHERE {of_stage}id > ?"
                " ORDER BY id LIMIT ?",
                (*((stage,) if stage else ()), after, most),
            ).fetchall()
            rows = {
                id: Row(_told(row, id, stage), length, bool(timed))
                if _counts(store, id, stage, length)
                else None
                for id, stage, length, timed, row in found
                if store.keeps(id)
            }
            return rows, found[-1][0] if len(found) == most else ""

        nothing: tuple[dict[str, Row | None], str] = {}, ""
        with self._lock:
            return self._try(read, nothing)

    # --- what goes in -----------------------------------------------------------------------------

    def keep(self, store: Lengths, rows: Mapping[str, Row]) -> None:
        """Keep those of these rows that still count. Their games are doubtful no more."""
        packed = [
            (id, row.stage, row.length, row.timed, canon.pack(canon.ordered(row.told)))
            for id, row in rows.items()
            if _counts(store, id, row.stage, row.length)
        ]
        if not packed:
            return

        def write(at: sqlite3.Connection) -> bool:
            at.execute("BEGIN")
            at.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)", packed)
            at.execute("COMMIT")
            return True

        with self._lock:
            if self._try(write, False):
                if self._doubtful is not None:
                    self._doubtful.difference_update(id for id, *_ in packed)
                if self._over is not None:
                    self._over.update(id for id, stage, *_ in packed if stage == ENDED)

    def doubt(self, ids: Iterable[str]) -> None:
        """These are in memory no more, and may have changed since their row was made."""
        if self._doubtful is not None:
            self._doubtful.update(ids)

    def counting(self, store: Lengths, ids: Collection[str]) -> set[str]:
        """Those of these games whose rows count. They are doubtful no more."""
        found: set[str] = set()

        def read(at: sqlite3.Connection) -> bool:
            for id in ids:
                one = at.execute("SELECT stage, length FROM rows WHERE id = ?", (id,)).fetchone()
                if one and _counts(store, id, *one):
                    found.add(id)
            return True

        with self._lock:
            self._try(read, False)
            if self._doubtful is not None:
                self._doubtful -= found
        return found

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._drop()

    # --- the file ---------------------------------------------------------------------------------

    def _try(self, call: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What the call returns. Where the file cannot be used a new one is begun; where that does
        not help either, it is done without."""
        for _ in range(2):
            try:
                return call(self._opened())
            except (sqlite3.Error, canon.NotCanonical, TypeError, ValueError):
                self._drop()
                self.losses += 1
                self._doubtful = self._over = None
                if self.path is not None:
                    for end in ("", "-wal", "-shm"):
                        with suppress(OSError):
                            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
            except OSError:
                break
        return otherwise

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            # Half of a write would leave games out of lists, or in two of them, and look sound.
            connection = sqlite3.connect(
                MEMORY if self.path is None else self.path,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
                connection.execute("PRAGMA synchronous = NORMAL").fetchone()
                connection.execute("CREATE TABLE IF NOT EXISTS form (name TEXT)")
                forms = [name for (name,) in connection.execute("SELECT name FROM form")]
                if forms != [self.form]:
                    connection.execute("DROP TABLE IF EXISTS rows")
                    connection.execute("DELETE FROM form")
                    connection.execute("INSERT INTO form VALUES (?)", (self.form,))
                connection.execute(_ROWS)
                connection.execute(_STAGES)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection


def _counts(store: Lengths, id: str, stage: str, length: int) -> bool:
    return stage == ENDED or (length > 0 and length == store.length(id))


def _told(packed: bytes, id: str, stage: str) -> Mapping[str, Any]:
    """What a row tells. Raises ValueError, TypeError or NotCanonical for one that is not this
    game's."""
    told: Any = canon.unpack(packed)
    if not isinstance(told, dict) or (told.get("game"), told.get("stage")) != (id, stage):
        raise ValueError(f"the row of {id} is not its own")
    return told


def _all(at: sqlite3.Connection) -> list[tuple[str, str, int, int]]:
    return at.execute("SELECT id, stage, length, timed FROM rows").fetchall()


def _over(at: sqlite3.Connection) -> set[str] | None:
    return {id for (id,) in at.execute("SELECT id FROM rows WHERE stage = ?", (ENDED,))}
