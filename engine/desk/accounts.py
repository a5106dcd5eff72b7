"""Accounts as rows: who there is, by what they sign in, what they may do, and which seats they
keep.

Rules of this file:
- Functions of a connection to `accounts.db`, each part of one transaction (`Database.run`). They
  hash no password and send nothing.
- Of tokens, codes and invitations only the SHA-256 is kept; of a password argon2id's hash.
- Nothing of this is ever in a log of a game but an account's id, and the name under which somebody
  sat down. An id says nothing of whom it belongs to, and is never given again.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.desk import budgets, handles, notificationpreferences, outbox
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient

FILE: Final = "accounts.db"
DEVICE: Final = "dev"
"""What a device's token begins with, in place of a game's id."""
INVITATION: Final = "inv"
LINK: Final = "link"
CALENDAR: Final = "cal"
"""What the code of a calendar's address begins with."""

OWNER: Final = "owner"
HOST: Final = "host"
ARBITER: Final = "arbiter"
CASTER: Final = "caster"
ROLES: Final = (OWNER, HOST, ARBITER, CASTER)
OFFICE: Final = "tournament"
"""Of an invitation: [OFFICE, tournament, "role granter"]. The tournament's ledger keeps it."""

DAY_MS: Final = 24 * 3600 * 1000
REMEMBERED_MS: Final = 400 * DAY_MS
"""After how long unused a device that is remembered is signed out."""
VISIT_MS: Final = DAY_MS
"""After how long unused a device that is not remembered is signed out."""
LINK_MS: Final = 15 * 60 * 1000
USED_EVERY_MS: Final = 3600 * 1000
"""How exactly it is kept when a device was last used."""
ACCOUNTS_MAX: Final = 100_000
DEVICES_MAX: Final = 32
KEYS_MAX: Final = 16
SEATS_MAX: Final = 300
ROLES_MAX: Final = 64
INVITATIONS_MAX: Final = 10_000

SCHEMA: Final = (
    """
    CREATE TABLE accounts (
        id TEXT PRIMARY KEY, handle TEXT NOT NULL, folded TEXT NOT NULL UNIQUE,
        language TEXT NOT NULL, zone TEXT NOT NULL, created_ms INTEGER NOT NULL,
        password TEXT NOT NULL, mail TEXT NOT NULL
    ) STRICT;
    CREATE TABLE devices (
        id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
        digest BLOB NOT NULL UNIQUE, name TEXT NOT NULL, made_ms INTEGER NOT NULL,
        used_ms INTEGER NOT NULL, kept INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX devices_of ON devices (account);
    CREATE TABLE keys (
        key BLOB PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
        name TEXT NOT NULL, made_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX keys_of ON keys (account);
    CREATE TABLE roles (
        account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, role TEXT NOT NULL,
        game TEXT NOT NULL, seat TEXT NOT NULL, made_ms INTEGER NOT NULL,
        PRIMARY KEY (account, role, game, seat)
    ) STRICT;
    CREATE TABLE seats (
        account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, game TEXT NOT NULL,
        seat TEXT NOT NULL, digest BLOB NOT NULL, kept_ms INTEGER NOT NULL,
        PRIMARY KEY (account, game, seat)
    ) STRICT;
    CREATE INDEX seats_by ON seats (game, seat);
    CREATE TABLE invitations (
        id TEXT PRIMARY KEY, digest BLOB NOT NULL UNIQUE, until_ms INTEGER NOT NULL,
        uses INTEGER NOT NULL, note TEXT NOT NULL, roles TEXT NOT NULL
    ) STRICT;
    CREATE TABLE links (
        digest BLOB PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
        until_ms INTEGER NOT NULL
    ) STRICT
    """,
    outbox.FIRST_SCHEMA,
    "ALTER TABLE devices ADD COLUMN link_ms INTEGER NOT NULL DEFAULT 0",
    notificationpreferences.SCHEMA,
    """
    CREATE TABLE sat (
        account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, game TEXT NOT NULL,
        PRIMARY KEY (account, game)
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO sat SELECT account, game FROM seats
    """,
    """
    CREATE TABLE calendars (
        account TEXT PRIMARY KEY REFERENCES accounts ON DELETE CASCADE, digest BLOB NOT NULL UNIQUE
    ) STRICT, WITHOUT ROWID
    """,
    """
    ALTER TABLE accounts RENAME COLUMN folded TO found_by;
    UPDATE accounts SET found_by = sign_in_key(handle);
    CREATE TABLE skeletons (
        skeleton TEXT NOT NULL, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
        PRIMARY KEY (skeleton, account)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE compared (version TEXT NOT NULL) STRICT;
    CREATE TABLE places (
        account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, place BLOB NOT NULL,
        used_ms INTEGER NOT NULL, PRIMARY KEY (account, place)
    ) STRICT, WITHOUT ROWID;
    """
    + budgets.SCHEMA,
)
"""`compared` has the version of Unicode by which the skeletons were made, and `places` the networks
from which people have signed in, as digests."""
FUNCTIONS: Final = (handles.sign_in_key,)
"""What the statements of the schema call."""

Role = tuple[str, str, str]
"""[role, game ("" for all), seat]."""


class BadAccount(Exception):
    """It cannot be done; `key` is a sentence of the catalogues, with its arguments."""

    def __init__(self, key: str, **args: object) -> None:
        super().__init__(key)
        self.key = key
        self.args_of = args


@frozen
class Person:
    """An account as a connection knows it that has shown a device's token."""

    id: str
    handle: str
    since_ms: int
    device: str
    digest: bytes = field(repr=False)
    used_ms: int
    roles: tuple[Role, ...]
    seats: tuple[tuple[str, str, bytes], ...] = field(repr=False)


@frozen
class Planned:
    """An account as its calendar needs it: its seats in games and tournaments, with the digests of
    their tokens."""

    handle: str
    language: str
    seats: tuple[tuple[str, str, bytes], ...] = field(repr=False)


@frozen
class Named:
    """An account by its handle, with what is kept of its password ("" for none)."""

    id: str
    handle: str
    password: str = field(repr=False)


def digest(secret: str) -> bytes:
    """What is kept of a token or code."""
    return hashlib.sha256(secret.encode()).digest()


# --- making and finding ---------------------------------------------------------------------------


def create(
    at: sqlite3.Connection,
    world: Ambient,
    giver: str,
    handle: str,
    password: str = "",
    *,
    language: str = "en",
    roles: Iterable[Role] = (),
) -> str:
    """A new account; returns its id, which begins with whose server gives it. `password` is its
    hash. Raises BadAccount."""
    handle = handles.composed(handle)
    must_be_free(at, handle)
    id = tokens.new_person_id(world, giver)
    at.execute(
        "INSERT INTO accounts VALUES (?, ?, ?, ?, '', ?, ?, '')",
        (id, handle, handles.sign_in_key(handle), language, world.now_ms(), password),
    )
    _compare(at, id, handle)
    for role in roles:
        grant(at, world, id, role)
    return id


def must_be_free(at: sqlite3.Connection, handle: str) -> None:
    """Somebody new may have this handle. Raises BadAccount."""
    handle = handles.composed(handle)
    if at.execute("SELECT count(*) FROM accounts").fetchone()[0] >= ACCOUNTS_MAX:
        raise BadAccount("error.too_many", most=ACCOUNTS_MAX)
    if named(at, handle) is not None:
        raise BadAccount("error.handle_taken", handle=handle)
    other = _alike(at, handle)
    if other:
        raise BadAccount("error.handle_alike", handle=handle, other=other)
    if not handles.is_handle(handle):
        raise BadAccount("error.bad_handle", least=handles.CHARS_MIN, most=handles.CHARS_MAX)


def _alike(at: sqlite3.Connection, handle: str) -> str:
    """The handle that this one is easily taken for; "" if there is none."""
    if is_stale(at):
        compare(at)
    for skeleton in sorted(handles.skeletons(handle)):
        row = at.execute(
            "SELECT handle FROM accounts, skeletons WHERE skeleton = ? AND account = id ORDER BY "
            "created_ms, id",
            (skeleton,),
        ).fetchone()
        if row is not None:
            return str(row[0])
    return ""


def is_stale(at: sqlite3.Connection) -> bool:
    """Whether handles were last compared by another version of Unicode, or never."""
    found = at.execute("SELECT version FROM compared").fetchone()
    return found is None or str(found[0]) != handles.version()


def compare(at: sqlite3.Connection) -> None:
    """Work out anew how all handles look."""
    at.execute("DELETE FROM skeletons")
    for id, name in at.execute("SELECT id, handle FROM accounts").fetchall():
        _compare(at, id, name)
    at.execute("DELETE FROM compared")
    at.execute("INSERT INTO compared VALUES (?)", (handles.version(),))


def _compare(at: sqlite3.Connection, id: str, handle: str) -> None:
    """From now on no new handle may look like this account's."""
    at.executemany(
        "INSERT INTO skeletons VALUES (?, ?)", [(one, id) for one in handles.skeletons(handle)]
    )


def named(at: sqlite3.Connection, handle: str) -> Named | None:
    """The account with this handle, whatever its case and however its letters are composed."""
    key = handles.sign_in_key(handle)
    row = at.execute(
        "SELECT id, handle, password FROM accounts WHERE found_by = ?", (key,)
    ).fetchone()
    return None if row is None else Named(*row)


def of_id(at: sqlite3.Connection, id: str) -> Named | None:
    """The account with this id."""
    row = at.execute("SELECT id, handle, password FROM accounts WHERE id = ?", (id,)).fetchone()
    return None if row is None else Named(*row)


def forget(at: sqlite3.Connection, id: str) -> None:
    """Delete an account with everything that is its own, and the codes with which it has granted
    roles in tournaments. Its id and name in old logs stay."""
    at.execute("DELETE FROM invitations WHERE instr(roles, ?)", (f':{id}"',))
    at.execute("DELETE FROM accounts WHERE id = ?", (id,))


def listed(at: sqlite3.Connection) -> list[dict[str, Any]]:
    """All accounts, by handle, without anything secret."""
    rows = at.execute(
        "SELECT id, handle, created_ms, password != '' AS has_password, (SELECT max(used_ms) FROM "
        "devices WHERE account = accounts.id) FROM accounts ORDER BY found_by"
    ).fetchall()
    return [
        {
            "id": id,
            "handle": handle,
            "created_ms": created,
            "has_password": bool(has),
            "used_ms": used,
            "roles": roles_of(at, id),
        }
        for id, handle, created, has, used in rows
    ]


def told(at: sqlite3.Connection, id: str, here: bytes = b"") -> dict[str, Any]:
    """An account as its owner sees it; `here` is the digest of the device that asks."""
    row = at.execute(
        "SELECT handle, language, zone, created_ms, password != '' FROM accounts WHERE id = ?",
        (id,),
    ).fetchone()
    if row is None:
        raise BadAccount("error.account_only")
    handle, language, zone, created, has_password = row
    seats = at.execute(
        "SELECT game, seat FROM seats WHERE account = ? ORDER BY game, seat", (id,)
    ).fetchall()
    return {
        "id": id,
        "handle": handle,
        "language": language,
        "zone": zone,
        "created_ms": created,
        "has_password": bool(has_password),
        "devices": tuple(devices(at, id, here)),
        "keys": tuple(_keys(at, id)),
        "roles": roles_of(at, id),
        "seats": tuple(seats),
        "calendar": at.execute("SELECT 1 FROM calendars WHERE account = ?", (id,)).fetchone()
        is not None,
        **notificationpreferences.told_of(at, id),
    }


def set_password(at: sqlite3.Connection, id: str, password: str) -> None:
    """Another password, of which this is the hash. Links that were sent are worth nothing then."""
    at.execute("UPDATE accounts SET password = ? WHERE id = ?", (password, id))
    at.execute("DELETE FROM links WHERE account = ?", (id,))


def set_text(at: sqlite3.Connection, id: str, what: str, value: str) -> None:
    """Another language or time zone."""
    assert what in ("language", "zone")
    at.execute(f"UPDATE accounts SET {what} = ? WHERE id = ?", (value, id))


# --- devices --------------------------------------------------------------------------------------


def add_device(
    at: sqlite3.Connection,
    world: Ambient,
    account: str,
    name: str,
    *,
    kept: bool,
    by_link: bool = False,
) -> str:
    """A device signs in; returns its token, which is not kept. The one that has been unused for
    longest goes where there are too many."""
    now, token = world.now_ms(), tokens.new_token(world, DEVICE)
    _drop_stale(at, account, now)
    at.execute(
        "DELETE FROM devices WHERE account = ? AND id NOT IN (SELECT id FROM devices WHERE "
        "account = ? ORDER BY used_ms DESC LIMIT ?)",
        (account, account, DEVICES_MAX - 1),
    )
    notificationpreferences.drop_lost_pushes(at, account)
    at.execute(
        "INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(tokens.new_game_id(world), account, digest(token), name, now, now, int(kept)),
            now if by_link else 0,
        ),
    )
    return token


def devices(at: sqlite3.Connection, account: str, here: bytes = b"") -> list[dict[str, Any]]:
    """The devices of an account, the one used last first."""
    rows = at.execute(
        "SELECT id, name, made_ms, used_ms, kept, digest FROM devices WHERE account = ? ORDER BY "
        "used_ms DESC, id",
        (account,),
    ).fetchall()
    return [
        {
            "id": id,
            "name": name,
            "made_ms": made,
            "used_ms": used,
            "kept": bool(kept),
            "here": digest == here,
        }
        for id, name, made, used, kept, digest in rows
    ]


def came_by_link(at: sqlite3.Connection, shown: bytes, now_ms: int) -> bool:
    """Whether the device signed in by a link a short while ago."""
    row = at.execute("SELECT link_ms FROM devices WHERE digest = ?", (shown,)).fetchone()
    return row is not None and row[0] > now_ms - LINK_MS


def drop_device(at: sqlite3.Connection, account: str, id: str) -> bool:
    """Sign a device out."""
    found = at.execute("DELETE FROM devices WHERE account = ? AND id = ?", (account, id))
    notificationpreferences.drop_lost_pushes(at, account)
    return bool(found.rowcount)


def drop_devices(at: sqlite3.Connection, account: str, but: bytes = b"") -> None:
    """Sign out all devices of an account but the one with this digest."""
    at.execute("DELETE FROM devices WHERE account = ? AND digest != ?", (account, but))
    notificationpreferences.drop_lost_pushes(at, account)


def of_device(at: sqlite3.Connection, shown: bytes, now_ms: int) -> Person | None:
    """Whose device has a token with this digest."""
    row = at.execute(
        "SELECT account, handle, created_ms, devices.id, used_ms, kept FROM devices JOIN accounts "
        "ON accounts.id = account WHERE digest = ?",
        (shown,),
    ).fetchone()
    if row is None:
        return None
    account, handle, since, device, used, kept = row
    if now_ms - used > (REMEMBERED_MS if kept else VISIT_MS):
        return None
    seats = at.execute(
        "SELECT game, seat, digest FROM seats WHERE account = ? ORDER BY kept_ms, game, seat",
        (account,),
    ).fetchall()
    roles = roles_of(at, account)
    return Person(account, handle, since, device, shown, used, roles, tuple(seats))


def has_device(at: sqlite3.Connection, account: str, shown: bytes) -> bool:
    """Whether a device with this digest is signed in to the account."""
    row = at.execute("SELECT 1 FROM devices WHERE account = ? AND digest = ?", (account, shown))
    return row.fetchone() is not None


def note_used(at: sqlite3.Connection, shown: bytes, now_ms: int) -> None:
    """The device has just been used."""
    at.execute(
        "UPDATE devices SET used_ms = ? WHERE digest = ? AND used_ms < ?",
        (now_ms, shown, now_ms - USED_EVERY_MS),
    )


def _drop_stale(at: sqlite3.Connection, account: str, now_ms: int) -> None:
    at.execute(
        "DELETE FROM devices WHERE account = ? AND used_ms < CASE kept WHEN 1 THEN ? ELSE ? END",
        (account, now_ms - REMEMBERED_MS, now_ms - VISIT_MS),
    )


# --- keys, invitations, links ---------------------------------------------------------------------


def add_key(at: sqlite3.Connection, world: Ambient, account: str, key: bytes, name: str) -> None:
    """A key that may sign in. Raises BadAccount."""
    count = at.execute("SELECT count(*) FROM keys WHERE account = ?", (account,)).fetchone()[0]
    if count >= KEYS_MAX:
        raise BadAccount("error.too_many", most=KEYS_MAX)
    try:
        at.execute("INSERT INTO keys VALUES (?, ?, ?, ?)", (key, account, name, world.now_ms()))
    except sqlite3.IntegrityError:
        raise BadAccount("error.key_taken") from None


def drop_key(at: sqlite3.Connection, account: str, key: bytes) -> None:
    """It may sign in no more."""
    at.execute("DELETE FROM keys WHERE account = ? AND key = ?", (account, key))


def of_key(at: sqlite3.Connection, key: bytes) -> str | None:
    """The account of a key."""
    row = at.execute("SELECT account FROM keys WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def _keys(at: sqlite3.Connection, account: str) -> list[dict[str, Any]]:
    rows = at.execute(
        "SELECT key, name, made_ms FROM keys WHERE account = ? ORDER BY made_ms", (account,)
    ).fetchall()
    return [{"key": key, "name": name, "made_ms": made} for key, name, made in rows]


def invite(
    at: sqlite3.Connection,
    world: Ambient,
    *,
    note: str = "",
    days: int = 14,
    uses: int = 1,
    roles: Iterable[Role] = (),
) -> tuple[str, int]:
    """An invitation's code, which is not kept, and until when it is good. Raises BadAccount."""
    now = world.now_ms()
    at.execute("DELETE FROM invitations WHERE until_ms < ? OR uses < 1", (now,))
    if at.execute("SELECT count(*) FROM invitations").fetchone()[0] >= INVITATIONS_MAX:
        raise BadAccount("error.too_many", most=INVITATIONS_MAX)
    code, until = tokens.new_token(world, INVITATION), now + days * DAY_MS
    at.execute(
        "INSERT INTO invitations VALUES (?, ?, ?, ?, ?, ?)",
        (tokens.new_game_id(world), digest(code), until, uses, note, json.dumps(list(roles))),
    )
    return code, until


def invited(at: sqlite3.Connection, code: str, now_ms: int) -> tuple[str, tuple[Role, ...]]:
    """The id of an invitation that is good, and the roles that come with it. Raises BadAccount."""
    row = at.execute(
        "SELECT id, roles FROM invitations WHERE digest = ? AND until_ms >= ? AND uses > 0",
        (digest(code), now_ms),
    ).fetchone()
    if row is None:
        raise BadAccount("error.invitation")
    return row[0], tuple((role, game, seat) for role, game, seat in json.loads(row[1]))


def use_invitation(at: sqlite3.Connection, code: str, now_ms: int) -> tuple[Role, ...]:
    """Use an invitation once; returns its roles. Raises BadAccount."""
    id, roles = invited(at, code, now_ms)
    at.execute("UPDATE invitations SET uses = uses - 1 WHERE id = ?", (id,))
    return roles


def accept(at: sqlite3.Connection, world: Ambient, account: str, code: str) -> None:
    """Use an invitation for an account that there is already. Raises BadAccount."""
    for role in use_invitation(at, code, world.now_ms()):
        grant(at, world, account, role)


def open_invitations(at: sqlite3.Connection, note: str, now_ms: int) -> int:
    """How many invitations with this remark are still good."""
    found = at.execute(
        "SELECT count(*) FROM invitations WHERE note = ? AND until_ms >= ? AND uses > 0",
        (note, now_ms),
    )
    return int(found.fetchone()[0])


def make_link(at: sqlite3.Connection, world: Ambient, account: str, ms: int = LINK_MS) -> str:
    """A code that signs in once, and in place of an older one; it is not kept."""
    code = tokens.new_token(world, LINK)
    at.execute("DELETE FROM links WHERE account = ? OR until_ms < ?", (account, world.now_ms()))
    at.execute("INSERT INTO links VALUES (?, ?, ?)", (digest(code), account, world.now_ms() + ms))
    return code


def use_link(at: sqlite3.Connection, code: str, now_ms: int) -> str | None:
    """Use such a code; returns the account."""
    row = at.execute(
        "DELETE FROM links WHERE digest = ? RETURNING account, until_ms", (digest(code),)
    ).fetchone()
    return None if row is None or row[1] < now_ms else str(row[0])


# --- a calendar of one's own ---------------------------------------------------------------------


def make_calendar(at: sqlite3.Connection, world: Ambient, account: str) -> str:
    """A code by which whoever knows it reads the person's calendar, in place of an older one; it is
    not kept."""
    code = tokens.new_token(world, CALENDAR)
    at.execute("INSERT OR REPLACE INTO calendars VALUES (?, ?)", (account, digest(code)))
    return code


def drop_calendar(at: sqlite3.Connection, account: str) -> None:
    """Nobody reads the calendar any more."""
    at.execute("DELETE FROM calendars WHERE account = ?", (account,))


def of_calendar(at: sqlite3.Connection, code: str) -> Planned | None:
    """Whose calendar has this code."""
    row = at.execute(
        "SELECT account, handle, language FROM calendars JOIN accounts ON accounts.id = account "
        "WHERE digest = ?",
        (digest(code),),
    ).fetchone()
    if row is None:
        return None
    account, handle, language = row
    seats = at.execute(
        "SELECT game, seat, digest FROM seats WHERE account = ? ORDER BY game, seat", (account,)
    ).fetchall()
    return Planned(handle, language, tuple(seats))


# --- roles and seats ------------------------------------------------------------------------------


def is_role(role: Role) -> bool:
    """Whether it can be granted: owner or host of the server, host or arbiter of one game or of
    all, caster of a seat of a game."""
    kind, game, seat = role
    match kind:
        case "owner":
            return not game and not seat
        case "host" | "arbiter":
            return not seat
        case "caster":
            return bool(game and seat)
    return False


def grant(at: sqlite3.Connection, world: Ambient, account: str, role: Role) -> None:
    """Give an account a role. Raises BadAccount."""
    assert is_role(role)
    count = at.execute("SELECT count(*) FROM roles WHERE account = ?", (account,)).fetchone()[0]
    if count >= ROLES_MAX:
        # Of games that a host has opened the oldest go, never what an operator has granted.
        at.execute(
            "DELETE FROM roles WHERE rowid = (SELECT rowid FROM roles WHERE account = ? AND role = "
            "'host' AND game != '' ORDER BY made_ms LIMIT 1)",
            (account,),
        )
        if at.execute("SELECT count(*) FROM roles WHERE account = ?", (account,)).fetchone()[0] >= (
            ROLES_MAX
        ):
            raise BadAccount("error.too_many", most=ROLES_MAX)
    at.execute(
        "INSERT OR IGNORE INTO roles VALUES (?, ?, ?, ?, ?)", (account, *role, world.now_ms())
    )


def revoke(at: sqlite3.Connection, account: str, role: Role) -> bool:
    """Take a role away."""
    return bool(
        at.execute(
            "DELETE FROM roles WHERE account = ? AND role = ? AND game = ? AND seat = ?",
            (account, *role),
        ).rowcount
    )


def roles_of(at: sqlite3.Connection, account: str) -> tuple[Role, ...]:
    """What an account may do."""
    rows = at.execute(
        "SELECT role, game, seat FROM roles WHERE account = ? ORDER BY role, game, seat", (account,)
    ).fetchall()
    return tuple((role, game, seat) for role, game, seat in rows)


def keep_seat(
    at: sqlite3.Connection, world: Ambient, account: str, game: str, seat: str, shown: bytes
) -> None:
    """Whoever signed in has shown the token of a seat, of which this is the digest: it is kept, so
    that their other devices hold the seat too. Where there are too many, the oldest goes; that they
    have had a seat of the game stays known."""
    at.execute("INSERT OR IGNORE INTO sat VALUES (?, ?)", (account, game))
    at.execute(
        "INSERT OR REPLACE INTO seats VALUES (?, ?, ?, ?, ?)",
        (account, game, seat, shown, world.now_ms()),
    )
    at.execute(
        "DELETE FROM seats WHERE account = ? AND rowid NOT IN (SELECT rowid FROM seats WHERE "
        "account = ? ORDER BY kept_ms DESC, rowid DESC LIMIT ?)",
        (account, account, SEATS_MAX),
    )


def has_sat(at: sqlite3.Connection, account: str, game: str) -> bool:
    """Whether the account has ever kept a seat of the game."""
    found = at.execute("SELECT 1 FROM sat WHERE account = ? AND game = ?", (account, game))
    return found.fetchone() is not None


def drop_seat(at: sqlite3.Connection, account: str, game: str, seat: str) -> None:
    """It is no longer kept."""
    at.execute(
        "DELETE FROM seats WHERE account = ? AND game = ? AND seat = ?", (account, game, seat)
    )


# --- what must still hold when something is written -----------------------------------------------


def must_be_in(at: sqlite3.Connection, person: Person) -> None:
    """The device of this person has not been signed out meanwhile. Raises BadAccount."""
    if not at.execute("SELECT 1 FROM devices WHERE digest = ?", (person.digest,)).fetchone():
        raise BadAccount("error.account_only")


def proves(at: sqlite3.Connection, id: str, *, password: str = "", key: bytes = b"") -> bool:
    """Whether what has been checked still counts: the hash of the password, or the key, is the
    account's now."""
    if key:
        return of_key(at, key) == id
    found = of_id(at, id)
    return found is not None and (not password or found.password == password)


def rights(
    at: sqlite3.Connection, shown: Iterable[bytes], now_ms: int
) -> Mapping[bytes, Person | None]:
    """What devices with these digests give now."""
    return {digest: of_device(at, digest, now_ms) for digest in shown}
