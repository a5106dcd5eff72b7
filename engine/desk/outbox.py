"""Notices to people, as rows until they are sent.

Rules of this file:
- A notice is one matter of one seat on one way, and is kept once, whoever finds the matter and
  however often (its primary key).
- Before notices are sent for the first time they get a key, which is stored first. After a crash
  they are sent again under that key and in that company, so whoever gets them can tell.
- Notices of what is open no more are deleted unsent.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from warledger.engine.desk import notificationpreferences
from warledger.engine.desk.timezones import minute_of_day
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient

FIRST_SCHEMA: Final = """
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
"""The tables of the first servers with notices; those of today are in
`notificationpreferences.SCHEMA`."""

DIGEST_MINUTE: Final = 8 * 60
"""When in a person's day the daily message is sent."""
DAY_MINUTES: Final = 24 * 60
AGAIN_MS: Final = tuple(minutes * 60_000 for minutes in (1, 5, 15, 60, 120, 240, 480, 600))
"""After how long a message that was not taken is sent again, each time: for a day and a little."""
ALIKE_MAX: Final = 20
"""How many notices one message has."""
KEPT_MS: Final = 30 * 24 * 3600_000
"""How long a notice of what happens once is remembered as sent."""

Row = tuple[str, str, str, str, int]
"""A notice: account, kind, game, seat, and the number that tells it from others of its kind."""


@frozen
class Seated:
    """A seat that somebody keeps who wants notices, by the token that they showed."""

    account: str
    game: str
    seat: str
    digest: bytes = field(repr=False)


@frozen
class Notice:
    """Something to tell. `number` tells it from others of its kind in the game; `words` are the
    arguments of its sentence, `notice.KIND`."""

    kind: str
    game: str
    seat: str
    number: int
    title: str
    words: Mapping[str, str]

    @property
    def sentence(self) -> str:
        """The key of its sentence."""
        what = self.words.get("what")
        return f"notice.{self.kind}" if what is None else f"notice.{self.kind}.{what}"


@frozen
class Message:
    """Notices for one way that are sent as one, under `key`."""

    key: str
    account: str
    way: str
    language: str
    address: str = field(repr=False)
    form: str
    secret: str = field(repr=False)
    tries: int
    notices: tuple[Notice, ...]


def seated(at: sqlite3.Connection) -> list[Seated]:
    """Every seat whose keeper wants notices."""
    rows = at.execute(
        "SELECT account, game, seat, digest FROM seats WHERE account IN (SELECT account FROM ways) "
        "ORDER BY game, seat, account"
    ).fetchall()
    return [Seated(*row) for row in rows]


def listening(at: sqlite3.Connection) -> frozenset[str]:
    """The ids of the accounts whose persons want notices."""
    return frozenset(id for (id,) in at.execute("SELECT DISTINCT account FROM ways"))


def waiting(at: sqlite3.Connection) -> dict[Row, bool]:
    """The notices that are kept, and whether they were sent."""
    rows = at.execute(
        "SELECT account, kind, game, seat, number, max(sent) FROM told GROUP BY account, kind, "
        "game, seat, number"
    ).fetchall()
    return {tuple(row): bool(sent) for *row, sent in rows}


def note(
    at: sqlite3.Connection, account: str, notice: Notice, due_ms: int, *, seen: bool = False
) -> None:
    """Tell an account of this at that time or when it wishes, on each way to it. Where it was
    `seen`, or its person wants to hear nothing of the kind, it counts as told."""
    kinds, quiet = notificationpreferences.kinds_of(at, account)
    when = kinds.get(notice.kind, notificationpreferences.NOW)
    (zone,) = at.execute("SELECT zone FROM accounts WHERE id = ?", (account,)).fetchone() or ("",)
    due = sendable(due_ms, zone, daily=when == notificationpreferences.DAILY, quiet=quiet)
    at.execute(
        "INSERT OR IGNORE INTO told SELECT account, way, ?, ?, ?, ?, ?, ?, ?, '', 0, ? FROM ways "
        "WHERE account = ?",
        (
            *(notice.kind, notice.game, notice.seat, notice.number, notice.title),
            *(json.dumps(dict(notice.words), sort_keys=True), due),
            *(int(seen or when == notificationpreferences.OFF), account),
        ),
    )


def sendable(at_ms: int, zone: str, *, daily: bool, quiet: tuple[int, int]) -> int:
    """The first moment from this one on at which somebody may be notified: at the hour of the daily
    message, and not in their quiet hours (from and to in minutes of the day; alike for none)."""
    minute = minute_of_day(zone, at_ms)
    if daily:
        return at_ms + (DIGEST_MINUTE - minute) % DAY_MINUTES * 60_000
    start, end = quiet
    into = (minute - start) % DAY_MINUTES
    length = (end - start) % DAY_MINUTES
    return at_ms + (length - into) * 60_000 if into < length else at_ms


_ROW: Final = "account = ? AND kind = ? AND game = ? AND seat = ? AND number = ?"


def drop(at: sqlite3.Connection, rows: Collection[Row]) -> None:
    """These matters are open no more."""
    at.executemany(f"DELETE FROM told WHERE {_ROW}", rows)


def drop_old(at: sqlite3.Connection, now_ms: int) -> None:
    """Forget of what people were told long ago."""
    at.execute(
        "DELETE FROM told WHERE sent = 1 AND kind NOT IN ('decision', 'ask', 'half', 'tenth', "
        "'bids', 'check_in', 'nonce') AND due_ms < ?",
        (now_ms - KEPT_MS,),
    )


def renumber(at: sqlite3.Connection, rows: Collection[tuple[Row, int]]) -> None:
    """These questions stand under another number now: a takeback asked them anew, and nobody is
    told twice of a decision."""
    at.executemany(
        f"UPDATE OR IGNORE told SET number = ? WHERE {_ROW}", [(new, *row) for row, new in rows]
    )


def put_off(at: sqlite3.Connection, rows: Collection[Row], due_ms: int) -> None:
    """The recipient is looking at the game: not before this."""
    at.executemany(
        f"UPDATE told SET due_ms = max(due_ms, ?) WHERE {_ROW} AND sent = 0 AND key = ''",
        [(due_ms, *row) for row in rows],
    )


def is_any_due(at: sqlite3.Connection, now_ms: int) -> bool:
    """Whether anything is to be sent now."""
    row = at.execute(
        "SELECT 1 FROM told WHERE sent = 0 AND due_ms <= ? LIMIT 1", (now_ms,)
    ).fetchone()
    return row is not None


def due(
    at: sqlite3.Connection, world: Ambient, may_send: Callable[[str, str, str], bool]
) -> list[Message]:
    """What is to be sent now, with its key stored: one message for each way, the one that is due
    first at the head. `may_send` is asked of each account, way and address whether it is its
    turn."""
    now = world.now_ms()
    ways = at.execute(
        "SELECT told.account, told.way, address FROM told JOIN ways ON told.account = ways.account "
        "AND told.way = ways.way WHERE sent = 0 AND due_ms <= ? GROUP BY told.account, told.way "
        "ORDER BY min(due_ms), told.account, told.way",
        (now,),
    ).fetchall()
    return [
        _message(at, world, account, way, now)
        for account, way, address in ways
        if may_send(account, way, address)
    ]


def _message(at: sqlite3.Connection, world: Ambient, account: str, way: str, now: int) -> Message:
    (begun,) = at.execute(
        "SELECT max(key) FROM told WHERE account = ? AND way = ? AND sent = 0 AND due_ms <= ?",
        (account, way, now),
    ).fetchone()
    key = begun or tokens.new_game_id(world) + tokens.new_game_id(world)
    if not begun:
        at.execute(
            "UPDATE told SET key = ? WHERE rowid IN (SELECT rowid FROM told WHERE account = ? AND "
            "way = ? AND sent = 0 AND due_ms <= ? ORDER BY due_ms, rowid LIMIT ?)",
            (key, account, way, now, ALIKE_MAX),
        )
    rows = at.execute(
        "SELECT kind, game, seat, number, title, words, tries FROM told WHERE account = ? AND way "
        "= ? AND key = ? ORDER BY due_ms, game, kind, seat, number",
        (account, way, key),
    ).fetchall()
    notices = tuple(
        Notice(kind, game, seat, number, title, json.loads(words))
        for kind, game, seat, number, title, words, _ in rows
    )
    address, form, secret, language = at.execute(
        "SELECT address, form, secret, language FROM ways JOIN accounts ON id = account WHERE "
        "account = ? AND way = ?",
        (account, way),
    ).fetchone()
    tries = max(row[-1] for row in rows)
    return Message(key, account, way, language, address, form, secret, tries, notices)


def test_message(at: sqlite3.Connection, world: Ambient, account: str, way: str) -> Message | None:
    """A message without notices; None where there is no such way."""
    row = at.execute(
        "SELECT language, address, form, secret FROM ways JOIN accounts ON id = account WHERE "
        "account = ? AND way = ?",
        (account, way),
    ).fetchone()
    if row is None:
        return None
    language, address, form, secret = row
    key = tokens.new_game_id(world) + tokens.new_game_id(world)
    return Message(key, account, way, language, address, form, secret, 0, ())


def was_sent(at: sqlite3.Connection, message: Message) -> None:
    """It was taken."""
    whose = (message.account, message.way)
    at.execute(
        "UPDATE told SET sent = 1 WHERE account = ? AND way = ? AND key = ?", (*whose, message.key)
    )
    at.execute("UPDATE ways SET error = '' WHERE account = ? AND way = ?", whose)


def was_not_sent(
    at: sqlite3.Connection, message: Message, why: str, now_ms: int, later_ms: int = 0
) -> None:
    """It was not taken, and the person sees why in their account. It is sent again after a pause,
    and no sooner than `later_ms` from now; after the last one it is given up."""
    whose = (message.account, message.way)
    again: Sequence[int] = AGAIN_MS[message.tries : message.tries + 1]
    at.execute(
        "UPDATE told SET tries = tries + 1, sent = ?, due_ms = ? WHERE account = ? AND way = ? AND "
        "key = ?",
        (int(not again), now_ms + max(*again, later_ms, 0), *whose, message.key),
    )
    at.execute("UPDATE ways SET error = ? WHERE account = ? AND way = ?", (why, *whose))
