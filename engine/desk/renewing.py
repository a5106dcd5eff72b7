"""Accounts of earlier releases get ids that are never given again.

Rules of this file:
- A copy of the accounts is kept first (`COPY`), for its owner alone.
- Accounts and talk are two files. The old ids stay in `former` until both have the new ones. So a
  start that is cut off is done again at the next one.
"""

import sqlite3
from pathlib import Path
from typing import Any, Final

from warledger.engine.desk import people, talk
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient

COPY: Final = "accounts.before-ids.db"
"""The accounts as they were, beside them."""
_FORMER: Final = "CREATE TABLE IF NOT EXISTS former (old TEXT PRIMARY KEY, new TEXT NOT NULL)"


def renew(data: Path, world: Ambient, giver: str, log: Any) -> None:
    """Give every account of the data directory whose id has no giver a new one. Blocks. Raises
    BadDatabase, and then the accounts are what they were."""
    db, said = people.database(data), talk.database(data)
    try:
        if not db.is_there or not db.look(_is_due):
            return
        if not (data / COPY).exists():
            db.copy(data / COPY)
        found = db.run(lambda at: _renewed(at, world, giver))
        if said.is_there:
            said.run(lambda at: _said(at, found))
        db.run(lambda at: at.execute("DROP TABLE former"))
        log.info("accounts have new ids", accounts=len(found), copy=str(data / COPY))
    finally:
        db.close()
        said.close()


def _is_due(at: sqlite3.Connection) -> bool:
    left = at.execute("SELECT 1 FROM accounts WHERE id NOT LIKE '%.%' LIMIT 1").fetchone()
    return left is not None or "former" in _tables(at)


def _tables(at: sqlite3.Connection) -> list[str]:
    return [name for (name,) in at.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def _renewed(at: sqlite3.Connection, world: Ambient, giver: str) -> dict[str, str]:
    """All old ids with the new ones, once the accounts have them."""
    at.execute("PRAGMA defer_foreign_keys = ON")
    at.execute(_FORMER)
    for (old,) in at.execute("SELECT id FROM accounts WHERE id NOT LIKE '%.%'").fetchall():
        at.execute("INSERT INTO former VALUES (?, ?)", (old, tokens.new_person_id(world, giver)))
    found = dict(at.execute("SELECT old, new FROM former").fetchall())
    columns = [("accounts", "id")] + [
        (table, "account")
        for table in _tables(at)
        if any(row[1] == "account" for row in at.execute(f"PRAGMA table_info({table})"))
    ]
    for table, column in columns:
        at.executemany(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?",
            [(new, old) for old, new in found.items()],
        )
    return found


def _said(at: sqlite3.Connection, found: dict[str, str]) -> None:
    """Put the new ids in place of the old ones in what was said at the tables."""
    for table, column in (("lines", "account"), ("lines", "who"), ("muted", "who")):
        at.executemany(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?",
            [(new, old) for old, new in found.items()],
        )
