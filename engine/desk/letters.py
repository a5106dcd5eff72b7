"""Addresses for mail: how one is confirmed, how a link to sign in is asked for, and the letters
that bring either, as rows.

Rules of this file:
- An address counts only once somebody has shown the code that was sent there.
- A code is made when its letter is sent, and only its SHA-256 is kept. A letter that is sent again
  has another code, and the older one is worth nothing.
- Letters are sent within the time in which their codes would be good, or not at all.
"""

import re
import sqlite3
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.desk import accounts, notificationpreferences
from warledger.engine.desk.accounts import LINK_MS, BadAccount
from warledger.engine.desk.budgets import Budget, take_stored
from warledger.engine.desk.outbox import AGAIN_MS
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient

CONFIRMATION: Final = "mail"
"""What the code that confirms an address begins with."""
LINK, CONFIRM = "link", "confirm"
"""Kinds of letters: one that signs in, one that confirms an address."""
CONFIRM_MS: Final = 24 * 3600_000
ADDRESS_CHARS_MAX: Final = 254
OF_MAILBOX: Final = Budget(5, 720.0)
"""Letters of a kind to a mailbox. A link is good for longer than it takes until there may be
another one. So whoever floods a mailbox only makes sure that its owner has a link."""
ALIKE_MAX: Final = 3
"""Accounts of one address that get a link when the address asks for one."""
_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@"
    r"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]"
)


@frozen
class Letter:
    """A letter to an address; `code` is in it, and nowhere else."""

    key: str
    account: str
    kind: str
    handle: str
    language: str
    address: str = field(repr=False)
    code: str = field(repr=False)
    tries: int


def is_address(text: Any) -> bool:
    """Whether it may be an address for mail. What the address's own server makes of it is not
    known here."""
    return (
        type(text) is str
        and len(text) <= ADDRESS_CHARS_MAX
        and _ADDRESS.fullmatch(text) is not None
        and ".." not in text
        and not text.startswith(".")
        and ".@" not in text
    )


def change(at: sqlite3.Connection, world: Ambient, account: str, address: str) -> None:
    """An account wants to be written to there ("": nowhere). The address in force stays until the
    new one is confirmed."""
    at.execute("DELETE FROM letters WHERE account = ? AND kind = ?", (account, CONFIRM))
    at.execute("DELETE FROM confirmations WHERE account = ?", (account,))
    if not address:
        at.execute("UPDATE accounts SET mail = '' WHERE id = ?", (account,))
        notificationpreferences.drop_way(at, account, notificationpreferences.MAIL)
        at.execute("DELETE FROM letters WHERE account = ?", (account,))
        return
    now = world.now_ms()
    wait = take_stored(at, OF_MAILBOX, _mailbox(CONFIRM, address), now)
    if wait:
        raise BadAccount("error.slow_down", seconds=wait)
    at.execute(
        "INSERT INTO confirmations VALUES (?, ?, ?, ?)", (account, b"", address, now + CONFIRM_MS)
    )
    _write(at, world, account, CONFIRM, address)


def confirm(at: sqlite3.Connection, world: Ambient, code: str) -> str:
    """An address is confirmed by its code; returns the account's id. From then on it is the
    account's only one, and notices go there. Raises BadAccount."""
    row = at.execute(
        "DELETE FROM confirmations WHERE digest = ? AND digest != x'' RETURNING account, address, "
        "until_ms",
        (accounts.digest(code),),
    ).fetchone()
    if row is None or row[2] < world.now_ms():
        raise BadAccount("error.mail_code")
    account, address, _ = row
    at.execute("UPDATE accounts SET mail = ? WHERE id = ?", (address, account))
    notificationpreferences.set_way(at, world, account, notificationpreferences.MAIL, "")
    return str(account)


def address_of(at: sqlite3.Connection, account: str) -> str:
    """The address of an account, "" for none."""
    row = at.execute("SELECT mail FROM accounts WHERE id = ?", (account,)).fetchone()
    return "" if row is None else str(row[0])


def ask_link(at: sqlite3.Connection, world: Ambient, whom: str) -> None:
    """Send a link that signs in to whoever this is: a handle, or an address that was confirmed.
    Nothing tells whether there is anybody."""
    if "@" in whom:
        rows = at.execute(
            "SELECT id, mail FROM accounts WHERE lower(mail) = lower(?) AND mail != '' ORDER BY "
            "created_ms, id LIMIT ?",
            (whom, ALIKE_MAX),
        ).fetchall()
    else:
        found = accounts.named(at, whom)
        rows = at.execute(
            "SELECT id, mail FROM accounts WHERE id = ? AND mail != ''",
            ("" if found is None else found.id,),
        ).fetchall()
    for account, address in rows:
        now = world.now_ms()
        waiting = at.execute(
            "UPDATE letters SET made_ms = ?, due_ms = ? WHERE account = ? AND kind = ? AND address "
            "= ?",
            (now, now, account, LINK, address),
        )
        # Where a mailbox has had enough of them, the newest link stays good.
        if not waiting.rowcount and not take_stored(at, OF_MAILBOX, _mailbox(LINK, address), now):
            _write(at, world, account, LINK, address)


def _mailbox(kind: str, address: str) -> str:
    # Apart, so that who names a mailbox as theirs takes no link from its owner, and learns nothing.
    return f"mail {kind} {address.lower()}"


def _write(at: sqlite3.Connection, world: Ambient, account: str, kind: str, address: str) -> None:
    now = world.now_ms()
    at.execute("DELETE FROM letters WHERE account = ? AND kind = ?", (account, kind))
    key = tokens.new_game_id(world) + tokens.new_game_id(world)
    at.execute(
        "INSERT INTO letters VALUES (?, ?, ?, ?, ?, ?, 0)", (key, account, kind, address, now, now)
    )


def is_any_due(at: sqlite3.Connection, now_ms: int) -> bool:
    """Whether a letter is to be sent now."""
    row = at.execute("SELECT 1 FROM letters WHERE due_ms <= ? LIMIT 1", (now_ms,)).fetchone()
    return row is not None


def due(at: sqlite3.Connection, world: Ambient, most: int) -> list[Letter]:
    """The letters that are to be sent now, with their codes."""
    now = world.now_ms()
    at.executemany(
        "DELETE FROM letters WHERE kind = ? AND made_ms < ?",
        [(LINK, now - LINK_MS), (CONFIRM, now - CONFIRM_MS)],
    )
    at.execute("DELETE FROM confirmations WHERE until_ms < ?", (now,))
    rows = at.execute(
        "SELECT key, account, kind, handle, language, address, tries FROM letters JOIN accounts ON "
        "id = account WHERE due_ms <= ? ORDER BY due_ms, key LIMIT ?",
        (now, most),
    ).fetchall()
    return [
        Letter(
            key, account, kind, handle, language, address, _code(at, world, account, kind), tries
        )
        for key, account, kind, handle, language, address, tries in rows
    ]


def _code(at: sqlite3.Connection, world: Ambient, account: str, kind: str) -> str:
    if kind == LINK:
        return accounts.make_link(at, world, account)
    code = tokens.new_token(world, CONFIRMATION)
    at.execute(
        "UPDATE confirmations SET digest = ? WHERE account = ?", (accounts.digest(code), account)
    )
    return code


def was_sent(at: sqlite3.Connection, letter: Letter) -> None:
    """The mail server has taken it."""
    at.execute("DELETE FROM letters WHERE key = ?", (letter.key,))


def was_not_sent(at: sqlite3.Connection, letter: Letter, now_ms: int) -> None:
    """It has not: once more after a while, as long as it is of use."""
    again = AGAIN_MS[letter.tries : letter.tries + 1]
    if again:
        at.execute(
            "UPDATE letters SET tries = tries + 1, due_ms = ? WHERE key = ?",
            (now_ms + again[0], letter.key),
        )
    else:
        was_sent(at, letter)
