"""What people are to be told, and where: channels and messages as rows.

Rules of this file:
- A message is one decision of one seat on one channel, and is kept once, whoever finds the decision
  open and however often (its primary key).
- Before messages are sent for the first time they get a key, which is stored first. After a crash
  they are sent again under that key and in that company, so whoever gets them can tell.
- Messages about decisions that are open no more are deleted unsent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.desk.zones import minute_of_day
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient

SCHEMA: Final = """
    CREATE TABLE channels (
        account TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, url TEXT NOT NULL,
        form TEXT NOT NULL, secret TEXT NOT NULL, daily INTEGER NOT NULL,
        quiet_from INTEGER NOT NULL, quiet_to INTEGER NOT NULL, error TEXT NOT NULL
    ) STRICT;
    CREATE TABLE notices (
        account TEXT NOT NULL REFERENCES channels ON DELETE CASCADE, game TEXT NOT NULL,
        seat TEXT NOT NULL, decision INTEGER NOT NULL, title TEXT NOT NULL,
        against TEXT NOT NULL, due_ms INTEGER NOT NULL, key TEXT NOT NULL, tries INTEGER NOT NULL,
        sent INTEGER NOT NULL, PRIMARY KEY (account, game, seat, decision)
    ) STRICT;
    CREATE INDEX notices_due ON notices (sent, due_ms)
    """

DIGEST_MINUTE: Final = 8 * 60
"""When in a person's day the daily message is sent."""
DAY_MINUTES: Final = 24 * 60
TRIES_MAX: Final = 3
AGAIN_MS: Final = (60_000, 600_000)
"""After how long a message that was not taken is sent again."""
ALIKE_MAX: Final = 20
"""How many games one message names."""


@frozen
class Seated:
    """A seat that somebody keeps who wants to be told, by the token that they showed."""

    account: str
    game: str
    seat: str
    digest: bytes = field(repr=False)


@frozen
class Message:
    """Messages to one channel that are sent as one, under `key`."""

    key: str
    account: str
    language: str
    url: str = field(repr=False)
    form: str
    secret: str = field(repr=False)
    tries: int
    games: tuple[tuple[str, str, str], ...]
    """[game, title, opponents]."""


def set_channel(
    at: sqlite3.Connection,
    world: Ambient,
    account: str,
    url: str,
    form: str,
    *,
    daily: bool,
    quiet: tuple[int, int],
) -> None:
    """Where an account is told. The secret that signs stays as long as the channel does."""
    secret = tokens.new_token(world, "hook").partition(":")[2]
    at.execute(
        "INSERT INTO channels VALUES (?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT (account) DO UPDATE SET "
        "url = excluded.url, form = excluded.form, daily = excluded.daily, quiet_from = "
        "excluded.quiet_from, quiet_to = excluded.quiet_to, error = ''",
        (account, url, form, secret, int(daily), *quiet),
    )


def drop_channel(at: sqlite3.Connection, account: str) -> None:
    """The account is told nothing more."""
    at.execute("DELETE FROM channels WHERE account = ?", (account,))


def channel(at: sqlite3.Connection, account: str) -> dict[str, Any] | None:
    """The channel of an account as its owner sees it."""
    row = at.execute(
        "SELECT url, form, secret, daily, quiet_from, quiet_to, error FROM channels WHERE "
        "account = ?",
        (account,),
    ).fetchone()
    if row is None:
        return None
    url, form, secret, daily, start, end, error = row
    return {
        "url": url,
        "form": form,
        "secret": secret,
        "daily": bool(daily),
        "quiet": (start, end),
        "error": error,
    }


def seated(at: sqlite3.Connection) -> list[Seated]:
    """Every seat whose keeper wants to be told."""
    rows = at.execute(
        "SELECT seats.account, game, seat, digest FROM seats JOIN channels ON channels.account = "
        "seats.account ORDER BY game, seat, seats.account"
    ).fetchall()
    return [Seated(*row) for row in rows]


def waiting(at: sqlite3.Connection) -> set[tuple[str, str, str, int]]:
    """The messages that are kept, sent or not: account, game, seat, decision."""
    return set(at.execute("SELECT account, game, seat, decision FROM notices").fetchall())


def note(
    at: sqlite3.Connection,
    account: str,
    game: str,
    seat: str,
    decision: int,
    title: str,
    against: str,
    due_ms: int,
) -> None:
    """The seat is asked this, and its keeper is to be told at that time if it still is."""
    row = at.execute(
        "SELECT zone, daily, quiet_from, quiet_to FROM channels JOIN accounts ON id = account "
        "WHERE account = ?",
        (account,),
    ).fetchone()
    if row is None:
        return
    at.execute(
        "INSERT OR IGNORE INTO notices VALUES (?, ?, ?, ?, ?, ?, ?, '', 0, 0)",
        (account, game, seat, decision, title, against, sendable(due_ms, *row)),
    )


def sendable(at_ms: int, zone: str, daily: int, start: int, end: int) -> int:
    """The first moment from this one on at which somebody may be told: at the hour of the daily
    message, and not in their quiet hours (from and to in minutes of the day; alike for none)."""
    minute = minute_of_day(zone, at_ms)
    if daily:
        return at_ms + (DIGEST_MINUTE - minute) % DAY_MINUTES * 60_000
    into = (minute - start) % DAY_MINUTES
    length = (end - start) % DAY_MINUTES
    return at_ms + (length - into) * 60_000 if into < length else at_ms


def drop(at: sqlite3.Connection, rows: Collection[tuple[str, str, str, int]]) -> None:
    """These decisions are open no more."""
    at.executemany(
        "DELETE FROM notices WHERE account = ? AND game = ? AND seat = ? AND decision = ?", rows
    )


def put_off(
    at: sqlite3.Connection, rows: Collection[tuple[str, str, str, int]], due_ms: int
) -> None:
    """Whoever is to be told is looking at the game: not before this."""
    at.executemany(
        "UPDATE notices SET due_ms = max(due_ms, ?) WHERE account = ? AND game = ? AND seat = ? "
        "AND decision = ? AND sent = 0 AND key = ''",
        [(due_ms, *row) for row in rows],
    )


def is_any_due(at: sqlite3.Connection, now_ms: int) -> bool:
    """Whether anything is to be sent now."""
    row = at.execute(
        "SELECT 1 FROM notices WHERE sent = 0 AND due_ms <= ? LIMIT 1", (now_ms,)
    ).fetchone()
    return row is not None


def due(at: sqlite3.Connection, world: Ambient, most: int) -> list[Message]:
    """What is to be sent now, with its key stored: one message for each channel."""
    now = world.now_ms()
    accounts = at.execute(
        "SELECT DISTINCT account FROM notices WHERE sent = 0 AND due_ms <= ? ORDER BY due_ms "
        "LIMIT ?",
        (now, most),
    ).fetchall()
    return [_message(at, world, account, now) for (account,) in accounts]


def _message(at: sqlite3.Connection, world: Ambient, account: str, now: int) -> Message:
    (begun,) = at.execute(
        "SELECT max(key) FROM notices WHERE account = ? AND sent = 0 AND due_ms <= ?",
        (account, now),
    ).fetchone()
    key = begun or tokens.new_game_id(world) + tokens.new_game_id(world)
    if not begun:
        at.execute(
            "UPDATE notices SET key = ? WHERE rowid IN (SELECT rowid FROM notices WHERE account = "
            "? AND sent = 0 AND due_ms <= ? ORDER BY due_ms LIMIT ?)",
            (key, account, now, ALIKE_MAX),
        )
    games = at.execute(
        "SELECT DISTINCT game, title, against FROM notices WHERE account = ? AND key = ? ORDER BY "
        "due_ms, game",
        (account, key),
    ).fetchall()
    (tries,) = at.execute(
        "SELECT max(tries) FROM notices WHERE account = ? AND key = ?", (account, key)
    ).fetchone()
    url, form, secret, language = at.execute(
        "SELECT url, form, secret, language FROM channels JOIN accounts ON id = account WHERE "
        "account = ?",
        (account,),
    ).fetchone()
    return Message(key, account, language, url, form, secret, tries, tuple(games))


def test_message(at: sqlite3.Connection, world: Ambient, account: str) -> Message | None:
    """A message to a channel that is about no game; None where there is no channel."""
    row = at.execute(
        "SELECT language, url, form, secret FROM channels JOIN accounts ON id = account WHERE "
        "account = ?",
        (account,),
    ).fetchone()
    if row is None:
        return None
    language, url, form, secret = row
    return Message(tokens.new_game_id(world), account, language, url, form, secret, 0, ())


def was_sent(at: sqlite3.Connection, message: Message) -> None:
    """It was taken."""
    at.execute(
        "UPDATE notices SET sent = 1 WHERE account = ? AND key = ?", (message.account, message.key)
    )
    at.execute("UPDATE channels SET error = '' WHERE account = ?", (message.account,))


def was_not_sent(at: sqlite3.Connection, message: Message, why: str, now_ms: int) -> None:
    """It was not taken: it is sent again a little later, twice; then the person is told so in their
    account."""
    again: Sequence[int] = AGAIN_MS[message.tries : message.tries + 1]
    at.execute(
        "UPDATE notices SET tries = tries + 1, sent = ?, due_ms = ? WHERE account = ? AND key = ?",
        (int(not again), now_ms + (again[0] if again else 0), message.account, message.key),
    )
    if not again:
        at.execute("UPDATE channels SET error = ? WHERE account = ?", (why, message.account))
