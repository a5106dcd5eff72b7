"""The accounts of a server, as its processes ask for them: without blocking, and refused in
sentences."""

import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import trio
from attrs import define, field

from warledger.engine.desk import accounts, handles, places
from warledger.engine.desk.accounts import BadAccount, Named, Person, Role
from warledger.engine.desk.budgets import (
    HELD_SECONDS,
    Asker,
    Budget,
    Budgets,
    asker_of,
    give_back_stored,
    take_stored,
)
from warledger.engine.desk.database import BUSY_SECONDS, BadDatabase, Database
from warledger.engine.desk.passwords import CHARS_MIN, OF_ACCOUNT, Passwords, Refused, is_good
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.game.answers import Failed, failed
from warledger.protocol.board.choices import say

T = TypeVar("T")

WAITING_MAX: Final = 256
"""Transactions that wait for their turn; further ones are refused."""

RARELY: Final = Budget(5, 180.0)

INVITED: Final = "invite"
OPEN: Final = "open"
OFF: Final = "off"
MODES: Final = (INVITED, OPEN, OFF)
"""Who may make an account: whoever was invited, anybody, or nobody (and then nobody signs in)."""


class NotDone(Exception):
    """It cannot be done; `failure` says why."""

    def __init__(self, failure: Failed) -> None:
        super().__init__(failure.code)
        self.failure = failure


def database(data: Path) -> Database:
    """The accounts of a data directory."""
    return Database(data / accounts.FILE, accounts.SCHEMA, accounts.FUNCTIONS)


@define(eq=False)
class People:
    """What a process of the server knows of accounts. Everything may raise NotDone."""

    mode: str
    world: Ambient
    log: Any
    db: Database
    giver: str
    """What the ids begin with that this server gives."""
    passwords: Passwords = field(init=False)
    rarely: Budgets = field(factory=lambda: Budgets(RARELY))
    """What people ask for that sends something: each of them, or each address."""
    _one: trio.CapacityLimiter = field(factory=lambda: trio.CapacityLimiter(1))
    """One transaction at a time: the file has one connection, and where another process has locked
    it, one thread waits for it and the others are the games'."""
    _waiting: int = 0

    def __attrs_post_init__(self) -> None:
        self.passwords = Passwords(self.world)

    @property
    def are_there(self) -> bool:
        """Whether anybody can have an account."""
        return self.mode != OFF and self.db.is_there

    async def write(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """One transaction that writes."""
        return await self._made(lambda: self.db.run(call))

    async def look(self, call: Callable[[sqlite3.Connection], T]) -> T:
        """One that reads."""
        return await self._made(lambda: self.db.look(call))

    async def changed(self) -> bool:
        """Whether anything may have changed since this was last asked."""
        return self.are_there and await self._made(self.db.changed)

    async def _made(self, call: Callable[[], T]) -> T:
        if self.mode == OFF:
            raise NotDone(failed("error.accounts_off"))
        if self._waiting >= WAITING_MAX:
            raise NotDone(failed("error.slow_down", seconds=int(BUSY_SECONDS)))
        self._waiting += 1
        try:
            async with self._one:
                made: Awaitable[T] = self.world.blocking(call)
                return await made
        except BadAccount as error:
            raise NotDone(_failed(error)) from None
        except BadDatabase as error:
            self.log.error("accounts cannot be used", what=str(error))
            raise NotDone(failed("error.not_saved", why=accounts.FILE)) from None
        finally:
            self._waiting -= 1

    async def of_token(self, token: str) -> Person | None:
        """Whose device has this token."""
        if not self.are_there:
            return None
        digest, now = accounts.digest(token), self.world.now_ms()
        person = await self.look(lambda at: accounts.of_device(at, digest, now))
        if person is not None and now - person.used_ms > accounts.USED_EVERY_MS:
            await self.write(lambda at: accounts.note_used(at, digest, now))
        return person

    async def write_out(self) -> None:
        """Leave nothing that was deleted in any file."""
        await self._made(self.db.forget_log)

    async def rights(self, shown: Iterable[bytes]) -> dict[bytes, Person | None]:
        """What these devices give now."""
        asked, now = tuple(shown), self.world.now_ms()
        return dict(await self.look(lambda at: accounts.rights(at, asked, now)))

    async def check(
        self, address: str, handle: str, password: str, device: bytes = b""
    ) -> Named | None:
        """The account with this handle and password. What a wrong one costs and says does not tell
        which of both was wrong. `device` is what is kept of a device's token that was shown.

        Checking takes a while: whoever writes something because of it asks `accounts.proves` in the
        same transaction whether the password is still that one."""
        account, asker = handles.sign_in_key(handle)[:_TYPED_MAX], asker_of(address)
        found, known = (
            await self.look(lambda at: _entrance(at, handle, asker.who, device))
            if self.are_there
            else (None, "")
        )
        kept = "" if found is None else found.password
        if known:
            right = await self._as_known(known, asker, kept, password)
        else:
            await self._take_other(asker, account)
            # Several may wait behind one address, each for another account.
            waits = Asker(asker.network, f"{asker.who} {account}")
            try:
                right = await self._hash(
                    self.passwords.check(waits, kept, password, is_known=False)
                )
            except NotDone:  # nobody looked at it: it does not count
                await self._give_back_other(asker, account)
                raise
            if right:
                await self._give_back_other(asker, account)
        return found if right and found is not None else None

    async def _as_known(self, who: str, asker: Asker, kept: str, password: str) -> bool:
        """Whether somebody who has signed in to the account before knows the password."""
        with _refusals():
            self.passwords.take_known(who)
        right = await self._hash(self.passwords.check(asker, kept, password, is_known=True))
        if right:
            self.passwords.give_back_known(who)
        return right

    async def _take_other(self, asker: Asker, account: str) -> None:
        """Count a try of somebody whom the account does not know. Where everybody else has used up
        the tries, addresses take turns at one a minute."""
        with _refusals():
            self.passwords.take_other(asker, account)
        line, now = self.passwords.line_of(account), self.world.now_ms()
        wait = 0 if line is None or line.is_next(asker) else HELD_SECONDS
        if not wait and self.are_there:
            wait = await self.write(
                lambda at: take_stored(at, OF_ACCOUNT, f"sign-in {account}", now)
            )
        if wait:
            self.passwords.join_line(account, asker)
            self.passwords.give_back_other(asker, account)
            raise NotDone(failed("error.slow_down", seconds=int(wait)))
        if line is not None:
            line.had(asker)

    async def _give_back_other(self, asker: Asker, account: str) -> None:
        self.passwords.give_back_other(asker, account)
        if self.are_there:
            await self.write(lambda at: give_back_stored(at, f"sign-in {account}"))

    async def must_know(self, address: str, person: Person, password: str) -> str:
        """The account has no password, or it is this one, or this device signed in by a link just
        now: whoever forgot their password chooses another one so. Returns what was kept of it."""
        now = self.world.now_ms()
        found, by_link = await self.look(
            lambda at: (
                accounts.of_id(at, person.id),
                accounts.came_by_link(at, person.digest, now),
            )
        )
        if found is None:
            raise NotDone(failed("error.account_only"))
        if not found.password or (by_link and not password):
            return found.password
        asker = self.asker(address, person)
        if not await self._as_known(person.digest.hex(), asker, found.password, password):
            raise NotDone(failed("error.sign_in"))
        return found.password

    def asker(self, address: str, person: Person) -> Asker:
        """For whom work is done for an account: for itself, or on its first day for its address."""
        place = asker_of(address)
        is_young = self.world.now_ms() - person.since_ms < accounts.DAY_MS
        return place if is_young else Asker(place.network, person.id)

    async def hashed(self, asker: Asker, password: str, *, is_known: bool = True) -> str:
        """What is kept of a new password ("" of none)."""
        if not password:
            return ""
        _must_be_good(password)
        return await self._hash(self.passwords.hashed(asker, password, is_known=is_known))

    async def _hash(self, made: Awaitable[T]) -> T:
        with _refusals():
            return await made

    async def sign_up(
        self, address: str, invitation: str, handle: str, password: str, language: str
    ) -> tuple[Named, tuple[Role, ...]]:
        """A new account, and what its invitation gives in tournaments. An invitation is used only
        where an account comes of it. Nothing is hashed, and nothing counted, for what cannot be an
        account."""
        now, asker = self.world.now_ms(), asker_of(address)
        is_open = not invitation and self.mode == OPEN
        if invitation and self.are_there:
            await self.look(lambda at: accounts.invited(at, invitation, now))
        elif not is_open:
            raise NotDone(failed("error.accounts_off" if self.mode == OFF else "error.invitation"))
        if password:
            _must_be_good(password)
        if await self.look(accounts.is_stale):
            await self.write(accounts.compare)
        await self.look(lambda at: accounts.must_be_free(at, handle))
        if is_open:
            wait = self.passwords.sign_ups.take(asker.who)
            if wait:
                raise NotDone(failed("error.slow_down", seconds=wait))
        kept = await self.hashed(asker, password, is_known=False)

        def make(at: sqlite3.Connection) -> tuple[Named, tuple[Role, ...]]:
            roles: tuple[Role, ...] = ()
            if invitation:
                roles = accounts.use_invitation(at, invitation, now)
            own = filter(accounts.is_role, roles)
            id = accounts.create(
                at, self.world, self.giver, handle, kept, language=language, roles=own
            )
            found = accounts.of_id(at, id)
            assert found is not None
            return found, tuple(role for role in roles if not accounts.is_role(role))

        return await self.write(make)


_TYPED_MAX: Final = 256
"""Characters of a handle that somebody types that count."""


def _entrance(
    at: sqlite3.Connection, handle: str, place: str, device: bytes
) -> tuple[Named | None, str]:
    """The account with this handle, and how whoever asks is known to it: by their device, or by the
    network that they come from; "" if they are not."""
    found = accounts.named(at, handle)
    if found is None:
        return None, ""
    if device and accounts.has_device(at, found.id, device):
        return found, device.hex()
    return found, f"{found.id} {place}" if places.knows(at, found.id, place) else ""


def _must_be_good(password: str) -> None:
    if not is_good(password):
        raise NotDone(bad("error.bad_password", least=CHARS_MIN))


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except Refused as error:
        raise NotDone(failed("error.slow_down", seconds=error.seconds)) from None


def _failed(error: BadAccount) -> Failed:
    """The answer to a request; an error without a code of its own is `bad_account`."""
    found = failed(error.key, **error.args_of)
    return found if found.code in ACCOUNT_CODES else bad(error.key, **error.args_of)


def bad(key: str, /, **args: object) -> Failed:
    """What was asked of an account cannot be."""
    return Failed("bad_account", say(key, **args))


ACCOUNT_CODES: Final = frozenset(("account_only", "invitation", "sign_in", "slow_down", "too_many"))
