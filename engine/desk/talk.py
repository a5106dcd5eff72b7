"""Table talk as rows of `talk.db`, beside the games and beside the accounts.

Rules of this file:
- Functions of a connection to the file, each part of one transaction.
- Of each room the newest `LINES_MAX` lines are kept. A line that is removed, and what somebody said
  whose account is forgotten, is overwritten in the file.
- Nothing of this is ever in a log of a game.
"""

import sqlite3
from pathlib import Path
from typing import Final

from attrs import field, frozen

from warledger.engine.desk.database import Database

FILE: Final = "talk.db"
LINES_MAX: Final = 500
"""Lines that are kept of a room."""
PAGE_LINES: Final = 100
"""Lines that are read at a time."""
SCHEMA: Final = (
    """
    CREATE TABLE lines (
        game TEXT NOT NULL, room TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        who TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, account TEXT NOT NULL,
        reported INTEGER NOT NULL, removed INTEGER NOT NULL, PRIMARY KEY (game, room, n)
    ) STRICT;
    CREATE INDEX lines_of ON lines (account);
    CREATE TABLE shut (game TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (game, room)) STRICT;
    CREATE TABLE muted (
        game TEXT NOT NULL, room TEXT NOT NULL, who TEXT NOT NULL, PRIMARY KEY (game, room, who)
    ) STRICT
    """,
)


@frozen
class Line:
    """A line: `who` is the seat or account that said it under this name."""

    n: int
    at_ms: int
    who: str
    name: str
    text: str = field(repr=False)
    reported: bool


@frozen
class Room:
    """A room as it is now: lines from a number on, and the numbers of those that were removed."""

    shut: bool
    lines: tuple[Line, ...]
    removed: tuple[int, ...]


def database(data: Path) -> Database:
    """The talk of a data directory."""
    return Database(data / FILE, SCHEMA)


def room(
    at: sqlite3.Connection, game: str, name: str, after: int, *, reported: bool = False
) -> Room:
    """The next `PAGE_LINES` lines that were said in a room after a line, and as many `reported`
    ones from before, the newest."""
    rows = at.execute(
        "SELECT * FROM (SELECT n, at_ms, who, name, text, reported FROM lines WHERE game = ? AND "
        "room = ? AND n <= ? AND reported AND ? AND removed = 0 ORDER BY n DESC LIMIT ?) UNION ALL "
        "SELECT * FROM (SELECT n, at_ms, who, name, text, reported FROM lines WHERE game = ? AND "
        "room = ? AND n > ? AND removed = 0 ORDER BY n LIMIT ?) ORDER BY n",
        (*(game, name, after, int(reported), PAGE_LINES), *(game, name, after, PAGE_LINES)),
    ).fetchall()
    removed = at.execute(
        "SELECT n FROM lines WHERE game = ? AND room = ? AND removed = 1 ORDER BY n", (game, name)
    ).fetchall()
    lines = tuple(
        Line(n, at_ms, who, said_as, text, bool(objected))
        for n, at_ms, who, said_as, text, objected in rows
    )
    return Room(is_shut(at, game, name), lines, tuple(n for (n,) in removed))


def is_shut(at: sqlite3.Connection, game: str, name: str) -> bool:
    """Whether nobody may say anything there."""
    row = at.execute("SELECT 1 FROM shut WHERE game = ? AND room = ?", (game, name)).fetchone()
    return row is not None


def is_muted(at: sqlite3.Connection, game: str, name: str, who: str) -> bool:
    """Whether this seat or account may say nothing there."""
    row = at.execute(
        "SELECT 1 FROM muted WHERE game = ? AND room = ? AND who = ?", (game, name, who)
    ).fetchone()
    return row is not None


def add(
    at: sqlite3.Connection,
    game: str,
    room: str,
    at_ms: int,
    who: tuple[str, str, str],
    text: str,
) -> int:
    """Keep a line of `who`: seat or account, name, and the account ("" for a guest). Returns its
    number; the oldest goes where there are too many."""
    (last,) = at.execute(
        "SELECT coalesce(max(n), 0) FROM lines WHERE game = ? AND room = ?", (game, room)
    ).fetchone()
    seat, name, account = who
    at.execute(
        "INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)",
        (game, room, last + 1, at_ms, seat, name, text, account),
    )
    at.execute(
        "DELETE FROM lines WHERE game = ? AND room = ? AND n <= ?",
        (game, room, last + 1 - LINES_MAX),
    )
    return int(last) + 1


def said_by(at: sqlite3.Connection, game: str, room: str, n: int) -> str | None:
    """Who said a line; None if there is no such line."""
    row = at.execute(
        "SELECT who FROM lines WHERE game = ? AND room = ? AND n = ?", (game, room, n)
    ).fetchone()
    return None if row is None else str(row[0])


def report(at: sqlite3.Connection, game: str, room: str, n: int) -> bool:
    """Show a line to host and arbiters as one that somebody objects to. Returns whether nobody has
    before."""
    found = at.execute(
        "UPDATE lines SET reported = 1 WHERE game = ? AND room = ? AND n = ? AND NOT reported",
        (game, room, n),
    )
    return bool(found.rowcount)


def remove(at: sqlite3.Connection, game: str, room: str, n: int) -> None:
    """A line is there no more."""
    at.execute(
        "UPDATE lines SET removed = 1, text = '', name = '', account = '' WHERE game = ? AND room "
        "= ? AND n = ?",
        (game, room, n),
    )


def mute(at: sqlite3.Connection, game: str, room: str, who: str, *, muted: bool) -> None:
    """Whether this seat or account may say something in the room."""
    if muted:
        at.execute("INSERT OR IGNORE INTO muted VALUES (?, ?, ?)", (game, room, who))
    else:
        at.execute("DELETE FROM muted WHERE game = ? AND room = ? AND who = ?", (game, room, who))


def set_shut(at: sqlite3.Connection, game: str, room: str, *, shut: bool) -> None:
    """Whether anybody may."""
    if shut:
        at.execute("INSERT OR IGNORE INTO shut VALUES (?, ?)", (game, room))
    else:
        at.execute("DELETE FROM shut WHERE game = ? AND room = ?", (game, room))


def forget(at: sqlite3.Connection, account: str) -> None:
    """Remove what an account said, wherever it was."""
    at.execute(
        "UPDATE lines SET removed = 1, text = '', name = '', account = '' WHERE account = ?",
        (account,),
    )
    at.execute("DELETE FROM muted WHERE who = ?", (account,))
