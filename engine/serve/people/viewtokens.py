"""Tokens that only look: an arbiter's and a caster's. The operator makes and revokes them with
`warledger role`; the host's token cannot.

- An *arbiter* reads all records of one game or of all, with everything that is sealed in them, at
  once, and rules on claims. It can neither create games nor play them.
- A *caster* reads named seats of named games as those see them, delayed as spectators are.

They are kept in one file of the data directory, hashed, so that the file gives nobody a token. The
file is the only way: it is replaced whole, and the server looks at it again and again (`Book`). So
a token that is made while the server runs is good at once, and one that is revoked is invalid
within a moment.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen

from warledger.engine.desk.handles import skeletons
from warledger.engine.runtime import tokens
from warledger.engine.runtime.ambient import Ambient
from warledger.protocol.audience import ARBITER, PUBLIC
from warledger.protocol.log.records import SERVER
from warledger.protocol.texts.typed import LINE, refused
from warledger.protocol.wire.fields import is_name

FILE: Final = "roles.json"
_LOCK: Final = "roles.lock"
FORMAT: Final = 1
CASTER: Final = "caster"
KINDS: Final = (ARBITER, CASTER)
"""What such a token begins with, in place of a game's id."""
LOOK_SECONDS: Final = 1.0
"""Seconds for which a revoked token may still be accepted."""
GRANTS_MAX: Final = 1000
ROWS_MAX: Final = 64
RESERVED_NAMES: Final = frozenset((SERVER, PUBLIC, ARBITER, CASTER, tokens.HOST))
"""What nobody is called: as one of these the server itself writes, or somebody without a name."""
_FILE_BYTES_MAX: Final = 4 * 1024 * 1024

Row = tuple[str, str, str]
"""A role of `logged_in`: ["arbiter", game or "" for all, ""] or ["caster", game, seat]."""


class BadGrants(ValueError):
    """The file cannot be used, or what is wanted cannot be granted; the message says what to do."""


@frozen
class Grant:
    """What a token grants. `id` names it for the operator, `note` is the operator's own remark. Of
    the token itself only the `digest` is stored. `name` is that under which whoever shows it writes
    as an arbiter. "" is for the name of their login, as with tokens made before there were
    names."""

    id: str
    digest: bytes
    rows: tuple[Row, ...]
    made_ms: int
    note: str = ""
    name: str = ""


def sees_all(rows: Iterable[Row], game: str) -> bool:
    """Whether these grants make an arbiter of the game."""
    return any(kind == ARBITER and of in ("", game) for kind, of, _ in rows)


def casts(rows: Iterable[Row], game: str, seat: str) -> bool:
    """Whether these grants give a caster's look at the seat."""
    return any(row == (CASTER, game, seat) for row in rows)


# --- the file -------------------------------------------------------------------------------------


def read(data: Path) -> tuple[Grant, ...]:
    """What has been granted. Raises BadGrants."""
    path = data / FILE
    try:
        with open(path, "rb") as file:
            raw = file.read(_FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise BadGrants(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        if len(raw) > _FILE_BYTES_MAX:
            raise ValueError
        told = json.loads(raw)
        if told["format"] != FORMAT:
            raise ValueError
        return tuple(_grant(item) for item in told["roles"])
    except (ValueError, LookupError, TypeError) as error:
        raise BadGrants(
            f"{path} does not say what it should; put the right one back from a backup, "
            "or remove it: its tokens are worth nothing then"
        ) from error


def _grant(told: Mapping[str, Any]) -> Grant:
    rows = tuple((str(kind), str(game), str(seat)) for kind, game, seat in told["rows"])
    digest = bytes.fromhex(told["digest"])
    if (
        len(digest) != hashlib.sha256().digest_size
        or not rows
        or any(kind not in KINDS for kind, _, _ in rows)
    ):
        raise ValueError
    name = str(told.get("name", ""))
    return Grant(str(told["id"]), digest, rows, int(told["made_ms"]), str(told["note"]), name)


def make(
    data: Path, ambient: Ambient, rows: tuple[Row, ...], note: str = "", name: str = ""
) -> tuple[Grant, str]:
    """Grant this. Returns what is stored, and the token, which is not stored anywhere. Raises
    BadGrants."""
    if name and (name in RESERVED_NAMES or not is_name(name) or refused(name, LINE)):
        raise BadGrants(f"{name!r} cannot be the name of an arbiter; choose another")
    if not rows or len(rows) > ROWS_MAX:
        raise BadGrants(f"a token is for at least one seat and for at most {ROWS_MAX}")
    token = tokens.new_token(ambient, rows[0][0])
    with _changing(data):
        found = read(data)
        if len(found) >= GRANTS_MAX:
            raise BadGrants(
                f"there are {len(found)} such tokens already; revoke those that nobody "
                "needs any more"
            )
        alike = next((one for one in found if one.name and is_alike(one.name, name)), None)
        if alike is not None:
            raise BadGrants(
                f"the token {alike.id} is called {alike.name!r} already, which is easily taken for "
                f"{name!r}; choose another name, or revoke that token first"
            )
        taken = {grant.id for grant in found}
        id = tokens.new_game_id(ambient)[:_ID_CHARS]
        while id in taken:
            id = tokens.new_game_id(ambient)[:_ID_CHARS]
        made = Grant(id, tokens.digest(token), rows, ambient.now_ms(), note, name)
        _write(data, (*found, made))
    return made, token


def is_alike(name: str, other: str) -> bool:
    """Whether one name is easily taken for the other."""
    return not skeletons(name).isdisjoint(skeletons(other))


def revoke(data: Path, id: str) -> Grant:
    """Revoke a grant, and return what it was. Raises BadGrants."""
    with _changing(data):
        found = read(data)
        gone = next((grant for grant in found if grant.id == id), None)
        if gone is None:
            raise BadGrants(
                f"there is no token {id!r}; there are: "
                f"{', '.join(grant.id for grant in found) or 'none'}"
            )
        _write(data, tuple(grant for grant in found if grant is not gone))
    return gone


@contextmanager
def _changing(data: Path) -> Iterator[None]:
    """Only one command at a time changes the file."""
    try:
        fd = os.open(data / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadGrants(f"{data / FILE} cannot be changed: {error.strerror or error}") from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _write(data: Path, grants: tuple[Grant, ...]) -> None:
    told = [
        {
            "id": grant.id,
            "digest": grant.digest.hex(),
            "rows": grant.rows,
            "made_ms": grant.made_ms,
            "note": grant.note,
            **({"name": grant.name} if grant.name else {}),
        }
        for grant in grants
    ]
    path = data / FILE
    unfinished = path.with_name(path.name + ".new")
    try:
        unfinished.unlink(missing_ok=True)
        fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            # If root works on a service's directory, the service must be able to read what root
            # writes.
            if os.geteuid() == 0:
                owner = data.stat()
                os.fchown(fd, owner.st_uid, owner.st_gid)
            json.dump({"format": FORMAT, "roles": told}, file, ensure_ascii=False, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(fd)
        os.replace(unfinished, path)
        folder = os.open(data, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise BadGrants(f"{path} cannot be written: {error.strerror or error}") from error


_ID_CHARS: Final = 6


# --- what a server knows of it --------------------------------------------------------------------


@define(eq=False)
class Book:
    """The file as it was last read: rows, and names, by the token's digest. A file that cannot be
    read grants nothing."""

    data: Path
    log: Any
    rows: dict[bytes, tuple[Row, ...]] = field(factory=dict)
    names: dict[bytes, str] = field(factory=dict)
    _stamp: tuple[int, int, int] | None = None
    _changed: bool = False

    def look(self) -> bool:
        """Read the file again if it has changed, and return whether what it grants has changed
        since the last look."""
        self._read()
        changed, self._changed = self._changed, False
        return changed

    def _read(self) -> None:
        """This is a stat, unless the file is a new one."""
        try:
            found = os.stat(self.data / FILE)
            stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        except OSError:
            stamp = None
        if stamp == self._stamp:
            return
        try:
            found_now = read(self.data)
        except BadGrants as error:
            self.log.error("roles unreadable", what=str(error))
            found_now = ()
        rows = {grant.digest: grant.rows for grant in found_now}
        self._changed = self._changed or rows != self.rows
        self.rows = rows
        self.names = {grant.digest: grant.name for grant in found_now}
        self._stamp = stamp

    def called(self) -> Mapping[bytes, str]:
        """The names that the operator gave to tokens, by their digests, according to the file as it
        is now; "" for a token without one."""
        self._read()
        return self.names

    def of_token(self, token: str) -> tuple[bytes, tuple[Row, ...]] | None:
        """What a token grants according to the file as it is now, and its digest."""
        digest = tokens.digest(token)
        rows = self.of_digest(digest)
        return None if rows is None else (digest, rows)

    def of_digest(self, digest: bytes) -> tuple[Row, ...] | None:
        """What a token that was shown to another node grants, by its digest."""
        if digest not in self.rows:
            self._read()
        return self.rows.get(digest)
