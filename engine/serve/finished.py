"""Rows of lists for games that are over: what never changes again is worked out once, however many
such games there are.

Rules of this file:
- A row goes in once spectators have seen the game's last record. From then on every viewer is told
  the same, and nothing of it changes.
- The file is a cache. Whoever finds it damaged, of another release or gone begins a new one, and
  what is in it of games that the store does not have is not used. It holds nothing that is secret.
- Ids are kept in memory (some 60 bytes each), rows in the file.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from attrs import define, field

from warledger.protocol import canon

T = TypeVar("T")

FILE: Final = "lobby.cache"
FORM: Final = 2
"""Of the rows: raised when a row tells something else than before."""
_AT_ONCE: Final = 500
"""Rows in one question, below SQLite's bound on parameters."""
MEMORY: Final = ":memory:"


@define(eq=False)
class Finished:
    """The rows of finished games that one process keeps, in the file at `path`, or in memory
    alone. `form` says which release wrote them."""

    path: Path | None = None
    form: str = str(FORM)
    _lock: threading.Lock = field(factory=threading.Lock)
    _connection: sqlite3.Connection | None = None
    _ids: set[str] | None = None

    def known(self) -> set[str]:
        """The ids that have a row. It is read from the file once, which blocks."""
        with self._lock:
            if self._ids is None:
                self._ids = self._try(_ids_of, set[str]())
            return self._ids

    def rows(self, ids: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """The rows that there are of these games. It blocks."""
        asked = list(ids)

        def read(at: sqlite3.Connection) -> dict[str, Mapping[str, Any]]:
            found: dict[str, Mapping[str, Any]] = {}
            for first in range(0, len(asked), _AT_ONCE):
                part = asked[first : first + _AT_ONCE]
                marks = ",".join("?" * len(part))
                for id, row in at.execute(f"SELECT id, row FROM rows WHERE id IN ({marks})", part):
                    found[id] = canon.unpack(row)
            return found

        with self._lock:
            return self._try(read, {})

    def keep(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep the rows of games that are over. It blocks."""
        packed = [(id, canon.pack(canon.ordered(row))) for id, row in rows.items()]

        def write(at: sqlite3.Connection) -> bool:
            at.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", packed)
            return True

        with self._lock:
            if self._try(write, False) and self._ids is not None:
                self._ids.update(rows)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._drop()

    def _try(self, call: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What the call returns. Where the file cannot be used a new one is begun; where that does
        not help either, it is done without."""
        for _ in range(2):
            try:
                return call(self._opened())
            except (sqlite3.Error, canon.NotCanonical, ValueError):
                self._drop()
                self._ids = None
                if self.path is not None:
                    with suppress(OSError):
                        self.path.unlink(missing_ok=True)
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
            # Nothing is lost with the file, so nothing is synced, and no journal stands beside it.
            connection = sqlite3.connect(
                MEMORY if self.path is None else self.path,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                connection.execute("PRAGMA journal_mode = MEMORY").fetchone()
                connection.execute("PRAGMA synchronous = OFF").fetchone()
                connection.execute("CREATE TABLE IF NOT EXISTS form (name TEXT)")
                forms = [name for (name,) in connection.execute("SELECT name FROM form")]
                if forms != [self.form]:
                    connection.execute("DROP TABLE IF EXISTS rows")
                    connection.execute("DELETE FROM form")
                    connection.execute("INSERT INTO form VALUES (?)", (self.form,))
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, row BLOB) WITHOUT ROWID"
                )
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection


def _ids_of(at: sqlite3.Connection) -> set[str]:
    return {id for (id,) in at.execute("SELECT id FROM rows")}


__all__ = ["FILE", "FORM", "Finished"]
