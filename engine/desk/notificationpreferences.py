"""Which notices somebody wants, when, and where: kinds of notices, and the ways to a person.

A way is "webhook", "mail" or "push:" with the id of a device. What is told of is one of `KINDS`;
those of `OF_TOURNAMENTS` are for tournaments.
"""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any, Final

from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient

WEBHOOK: Final = "webhook"
MAIL: Final = "mail"
PUSH: Final = "push:"
"""What the way to a browser begins with."""

OFF, NOW, DAILY = "off", "now", "daily"
WHEN: Final = (OFF, NOW, DAILY)
DEFAULTS: Final[Mapping[str, str]] = {
    "decision": NOW,
    "ask": NOW,
    "half": OFF,
    "tenth": NOW,
    "claim": NOW,
    "ruling": NOW,
    "over": NOW,
    "device": NOW,
    "round": NOW,
    "bids": NOW,
    "check_in": NOW,
    "nonce": NOW,
    "begins": OFF,
}
"""Each kind, and when it is sent unless its person wishes otherwise."""
KINDS: Final = tuple(DEFAULTS)
OF_TOURNAMENTS: Final = frozenset(("round", "bids", "check_in", "nonce"))
"""Kinds that are about a tournament, not about a game."""
PUSH_WAYS_MAX: Final = 8
"""Browsers of one account that get pushes; where there are more, the oldest goes."""

SCHEMA: Final = """
    CREATE TABLE ways (
        account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, way TEXT NOT NULL,
        address TEXT NOT NULL, form TEXT NOT NULL, secret TEXT NOT NULL, error TEXT NOT NULL,
        PRIMARY KEY (account, way)
    ) STRICT;
    CREATE TABLE telling (
        account TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, kinds TEXT NOT NULL,
        quiet_from INTEGER NOT NULL, quiet_to INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE told (
        account TEXT NOT NULL, way TEXT NOT NULL, kind TEXT NOT NULL, game TEXT NOT NULL,
        seat TEXT NOT NULL, number INTEGER NOT NULL, title TEXT NOT NULL, words TEXT NOT NULL,
        due_ms INTEGER NOT NULL, key TEXT NOT NULL, tries INTEGER NOT NULL, sent INTEGER NOT NULL,
        PRIMARY KEY (account, way, kind, game, seat, number),
        FOREIGN KEY (account, way) REFERENCES ways ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX told_due ON told (sent, due_ms);
    CREATE TABLE letters (
        key TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
        kind TEXT NOT NULL, address TEXT NOT NULL, made_ms INTEGER NOT NULL,
        due_ms INTEGER NOT NULL, tries INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE confirmations (
        account TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, digest BLOB NOT NULL,
        address TEXT NOT NULL, until_ms INTEGER NOT NULL
    ) STRICT;
    INSERT INTO ways SELECT account, 'webhook', url, form, secret, error FROM channels;
    INSERT INTO telling SELECT account, iif(daily, '{"decision":"daily"}', '{}'), quiet_from,
        quiet_to FROM channels;
    INSERT INTO told SELECT account, 'webhook', 'decision', game, seat, decision, title,
        json_object('against', against), due_ms, key, tries, sent FROM notices;
    DROP TABLE notices;
    DROP TABLE channels
    """


class NotKept(Exception):
    """The device is not remembered."""


def set_way(
    at: sqlite3.Connection, world: Ambient, account: str, way: str, address: str, form: str = ""
) -> None:
    """Tell an account there, too. The secret that signs stays as long as the way does."""
    secret = tokens.new_token(world, "hook").partition(":")[2]
    at.execute(
        "INSERT INTO ways VALUES (?, ?, ?, ?, ?, '') ON CONFLICT (account, way) DO UPDATE SET "
        "address = excluded.address, form = excluded.form, error = ''",
        (account, way, address, form, secret),
    )
    at.execute(
        "DELETE FROM ways WHERE account = ? AND way LIKE 'push:%' AND rowid NOT IN (SELECT rowid "
        "FROM ways WHERE account = ? AND way LIKE 'push:%' ORDER BY rowid DESC LIMIT ?)",
        (account, account, PUSH_WAYS_MAX),
    )


def set_push(
    at: sqlite3.Connection, world: Ambient, account: str, device: str, endpoint: str, form: str
) -> None:
    """Notify an account in the browser of one of its devices, too. Whoever was told there before,
    by another account, is told there no more. Raises NotKept where the device is not remembered: it
    could be anybody's by the time something happens."""
    (kept,) = at.execute("SELECT kept FROM devices WHERE id = ?", (device,)).fetchone() or (0,)
    if not kept:
        raise NotKept
    at.execute("DELETE FROM ways WHERE way LIKE 'push:%' AND address = ?", (endpoint,))
    set_way(at, world, account, PUSH + device, endpoint, form)


def drop_lost_pushes(at: sqlite3.Connection, account: str) -> None:
    """A device that was signed out gets no notices."""
    at.execute(
        "DELETE FROM ways WHERE account = ? AND way LIKE 'push:%' AND substr(way, ?) NOT IN "
        "(SELECT id FROM devices WHERE account = ?)",
        (account, len(PUSH) + 1, account),
    )


def drop_way(at: sqlite3.Connection, account: str, way: str) -> None:
    """Tell an account nothing there any more."""
    at.execute("DELETE FROM ways WHERE account = ? AND way = ?", (account, way))


def drop_by_secret(at: sqlite3.Connection, account: str, secret: str) -> bool:
    """Tell an account nothing more where somebody got a message: a link at its end shows the way's
    secret."""
    found = at.execute(
        "DELETE FROM ways WHERE account = ? AND secret = ? AND secret != ''", (account, secret)
    )
    return bool(found.rowcount)


def set_kinds(
    at: sqlite3.Connection, account: str, kinds: Mapping[str, str], quiet: tuple[int, int]
) -> None:
    """Which notices are sent when; kinds that are not named are as by default. `quiet` are hours in
    which nothing is sent: from and to in minutes of the day, alike for none."""
    kept = {kind: when for kind, when in kinds.items() if when != DEFAULTS[kind]}
    at.execute(
        "INSERT OR REPLACE INTO telling VALUES (?, ?, ?, ?)",
        (account, json.dumps(kept, sort_keys=True), *quiet),
    )


def kinds_of(at: sqlite3.Connection, account: str) -> tuple[dict[str, str], tuple[int, int]]:
    """When each kind is sent to an account, and its quiet hours."""
    row = at.execute(
        "SELECT kinds, quiet_from, quiet_to FROM telling WHERE account = ?", (account,)
    ).fetchone()
    if row is None:
        return dict(DEFAULTS), (0, 0)
    kept: dict[str, str] = json.loads(row[0])
    return {kind: kept.get(kind, when) for kind, when in DEFAULTS.items()}, (row[1], row[2])


def ways_of(at: sqlite3.Connection, account: str) -> dict[str, dict[str, str]]:
    """The ways to an account, as its owner sees them."""
    rows = at.execute(
        "SELECT way, address, form, secret, error FROM ways WHERE account = ? ORDER BY way",
        (account,),
    ).fetchall()
    return {
        way: {"address": address, "form": form, "secret": secret, "error": error}
        for way, address, form, secret, error in rows
    }


def told_of(at: sqlite3.Connection, account: str) -> dict[str, Any]:
    """An account's notices and where they go, as its owner sees it."""
    kinds, quiet = kinds_of(at, account)
    ways = ways_of(at, account)
    hook, mail = ways.get(WEBHOOK), ways.get(MAIL)
    (address,) = at.execute("SELECT mail FROM accounts WHERE id = ?", (account,)).fetchone()
    waiting = at.execute(
        "SELECT address FROM confirmations WHERE account = ?", (account,)
    ).fetchone()
    return {
        "channel": None
        if hook is None
        else {
            "url": hook["address"],
            "form": hook["form"],
            "secret": hook["secret"],
            "error": hook["error"],
        },
        "mail": {
            "address": address,
            "waiting": "" if waiting is None else waiting[0],
            "notices": mail is not None,
            "error": "" if mail is None else mail["error"],
        },
        "push": tuple(
            {"device": way[len(PUSH) :], "error": told["error"]}
            for way, told in ways.items()
            if way.startswith(PUSH)
        ),
        "telling": {"kinds": kinds, "quiet": quiet},
    }
