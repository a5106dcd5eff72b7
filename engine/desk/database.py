"""A small SQLite file beside the games, for what people may have erased.

Rules of this file:
- The file is for its owner alone (mode 600), in WAL mode with every commit synced.
- Each call is one transaction. It blocks: call it through `Ambient.blocking`.
- Several processes may use the file, also the command line beside a running server. `changed` says
  whether anybody has committed since it was last asked.
- What is deleted is overwritten (`secure_delete`), and `forget_log` empties the WAL.
"""

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, TypeVar

from attrs import define, field

T = TypeVar("T")

BUSY_SECONDS: Final = 5.0
"""Seconds that a transaction waits for another process's."""


class BadDatabase(Exception):
    """The file cannot be used; the message says what to do."""


@define(eq=False)
class Database:
    """The file at `path`, made at the first write. `schema` are the statements of each version; a
    file of an earlier version gets those that it lacks, and is copied before. The statements may
    call `functions` by their names, with one text."""

    path: Path
    schema: tuple[str, ...]
    functions: tuple[Callable[[str], str], ...] = ()
    _lock: threading.Lock = field(factory=threading.Lock)
    _connection: sqlite3.Connection | None = None
    _seen: tuple[int, int] = (0, 0)
    _written: int = 0

    @property
    def is_there(self) -> bool:
        """Whether anybody has ever written anything."""
        return self.path.exists()

    def run(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """What the call returns, as one transaction that writes. Raises BadDatabase, and what the
        call raises; then nothing has changed."""
        with self._lock:
            connection = self._opened()
            try:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    found = call(connection)
                except BaseException:
                    connection.rollback()
                    raise
                connection.commit()
            except sqlite3.Error as error:
                raise _bad(self.path, error) from None
            self._written += 1
            return found

    def look(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """Make a call that only reads, in a transaction."""
        with self._lock:
            connection = self._opened()
            try:
                connection.execute("BEGIN")
                try:
                    return call(connection)
                finally:
                    connection.rollback()
            except sqlite3.Error as error:
                raise _bad(self.path, error) from None

    def changed(self) -> bool:
        """Whether anything was committed, here or elsewhere, since this was last asked. It costs a
        few microseconds."""
        if self._connection is None and not self.is_there:
            return False
        with self._lock:
            try:
                (version,) = self._opened().execute("PRAGMA data_version").fetchone()
            except sqlite3.Error as error:
                raise _bad(self.path, error) from None
            seen, self._seen = self._seen, (version, self._written)
            return seen != self._seen

    def forget_log(self) -> None:
        """Empty the write-ahead log and remove the copies of earlier versions, so that nothing that
        was deleted is left in them."""
        with self._lock:
            for copy in self.path.parent.glob(f"{self.path.stem}.before-*.db"):
                copy.unlink(missing_ok=True)
            try:
                self._opened().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                raise _bad(self.path, error) from None

    def copy(self, path: Path) -> None:
        """Copy the file as it is now, for its owner alone. Raises BadDatabase."""
        with self._lock:
            _copy(self._opened(), path)

    def close(self) -> None:
        """Close the file. It is opened again if it is used again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                _make(self.path)
                self._connection = _connect(self.path)
                for call in self.functions:
                    self._connection.create_function(call.__name__, 1, call, deterministic=True)
            except (OSError, sqlite3.Error) as error:
                raise _bad(self.path, error) from None
            try:
                self._keep(self._connection)
                self._migrate(self._connection)
            except BaseException:
                self._connection.close()
                self._connection = None
                raise
        return self._connection

    def _keep(self, connection: sqlite3.Connection) -> None:
        """Copy a file of an earlier version, for its owner alone, before it is changed."""
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        copy = self.path.with_name(f"{self.path.stem}.before-{len(self.schema)}.db")
        if not 0 < version < len(self.schema) or copy.exists():
            return
        # Another process may be at the same: whoever has copied the old form first has made it.
        own = copy.with_name(f"{copy.name}.{os.getpid()}")
        try:
            _copy(connection, own)
            with closing(sqlite3.connect(own)) as made:
                (copied,) = made.execute("PRAGMA user_version").fetchone()
            if copied < len(self.schema):
                with suppress(FileExistsError):
                    os.link(own, copy)
        except OSError as error:
            raise _bad(copy, error) from None
        finally:
            own.unlink(missing_ok=True)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > len(self.schema):
                connection.rollback()
                raise BadDatabase(
                    f"{self.path} was written by a later release; install that release"
                )
            for statements in self.schema[version:]:
                for statement in statements.split(";"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(self.schema)}")
            connection.commit()
        except sqlite3.Error as error:
            raise _bad(self.path, error) from None


def _copy(connection: sqlite3.Connection, path: Path) -> None:
    unfinished = path.with_name(path.name + ".new")
    try:
        unfinished.unlink(missing_ok=True)
        _make(unfinished)
        connection.execute("VACUUM INTO ?", (str(unfinished),))
        os.replace(unfinished, path)
    except (OSError, sqlite3.Error) as error:
        raise _bad(path, error) from None


def _make(path: Path) -> None:
    """An empty file for its owner alone; where root makes it, its owner is the directory's."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    try:
        os.fchmod(fd, 0o600)
        if os.geteuid() == 0:
            owner = path.parent.stat()
            os.fchown(fd, owner.st_uid, owner.st_gid)
    finally:
        os.close(fd)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "secure_delete = ON",
        "trusted_schema = OFF",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchone()
    return connection


def _bad(path: Path, error: Exception) -> BadDatabase:
    # An error of SQLite names tables and columns, never a value.
    return BadDatabase(
        f"{path} cannot be used ({error}); free space or mend its permissions, or put it back from "
        "a backup"
    )
