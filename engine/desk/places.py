"""From which networks people have signed in to their accounts, as rows: digests, no addresses."""

import sqlite3
from typing import Final

from warledger.engine.desk.accounts import digest

PLACES_MAX: Final = 16


def knows(at: sqlite3.Connection, account: str, network: str) -> bool:
    """Whether somebody has signed in to the account from this network."""
    row = at.execute("SELECT 1 FROM places WHERE account = ? AND place = ?", _row(account, network))
    return row.fetchone() is not None


def note(at: sqlite3.Connection, account: str, network: str, now_ms: int) -> None:
    """Somebody has signed in to the account from this network. The one unused for longest goes
    where there are too many."""
    at.execute("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", (*_row(account, network), now_ms))
    at.execute(
        "DELETE FROM places WHERE account = ? AND place NOT IN (SELECT place FROM places WHERE "
        "account = ? ORDER BY used_ms DESC LIMIT ?)",
        (account, account, PLACES_MAX),
    )


def _row(account: str, network: str) -> tuple[str, bytes]:
    return account, digest(f"{account} {network}")[:16]
