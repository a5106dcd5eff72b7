"""Passwords: argon2id, and how many may be tried.

Rules of this file:
- A password is checked in a thread, two at a time; a bounded number waits. The event loop never
  computes a hash.
- What a wrong handle and a wrong password cost and answer is the same.
- Tries are limited for an account at an address, an address, an account, and for the whole server
  by the time that hashing takes: a flood of guesses cannot take a core from the games. Devices that
  are signed in need no password, so a flood keeps nobody out who was in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import argon2
import trio
from attrs import define, field

T = TypeVar("T")

CHARS_MIN: Final = 10
AT_A_TIME: Final = 2
WAITING_MAX: Final = 64
_HASHER: Final = argon2.PasswordHasher(
    time_cost=2, memory_cost=19 * 1024, parallelism=1, hash_len=32, salt_len=16
)
"""19 MiB and two passes, about 30 milliseconds: what OWASP recommends for argon2id."""
_NOBODYS: Final = (
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)
"""A hash that fits no password, for handles that nobody has."""

WINDOW_SECONDS: Final = 900.0
TRIES_OF_A_PAIR: Final = 5
TRIES_OF_AN_ADDRESS: Final = 30
TRIES_OF_AN_ACCOUNT: Final = 100
KEYS_MAX: Final = 20_000
WORK_SECONDS: Final = 0.05
"""What one check is reckoned to cost."""
WORK_SHARE: Final = 0.2
"""Seconds of hashing in a second, in the long run: four tries."""
WORK_BURST: Final = 4.0
"""Seconds of hashing at once."""


class Refused(Exception):
    """Too many tries; `seconds` is when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} s")
        self.seconds = seconds


class Blocking(Protocol):
    """Makes calls off the event loop."""

    def blocking(self, call: Callable[[], T]) -> Awaitable[T]:
        """Make a call in a thread."""


def is_good(password: str) -> bool:
    """Whether a password may be chosen: long enough, and more than one or two letters over and
    over."""
    return len(password) >= CHARS_MIN and len(set(password)) >= 5


def hashed(password: str) -> str:
    """What is kept of a password. Takes a while."""
    return _HASHER.hash(password)


def fits(kept: str, password: str) -> bool:
    """Whether it is the password of which this is kept ("" for no account, or one without a
    password). It takes as long whatever the answer is."""
    try:
        _HASHER.verify(kept or _NOBODYS, password)
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return False
    return bool(kept)


@define(eq=False)
class Tries:
    """Wrong tries in the last quarter of an hour, by whom and at whom. Time is trio's clock."""

    _wrong: dict[tuple[str, ...], list[float]] = field(factory=dict)

    def wait(self, address: str, account: str) -> int:
        """Seconds until another try is allowed; 0 for now."""
        return max(
            self._over((address, account), TRIES_OF_A_PAIR),
            self._over((address,), TRIES_OF_AN_ADDRESS),
            self._over(("", account), TRIES_OF_AN_ACCOUNT),
        )

    def wrong(self, address: str, account: str) -> None:
        """A try was wrong."""
        now = trio.current_time()
        if len(self._wrong) > KEYS_MAX:
            self._forget(now)
        for key in ((address, account), (address,), ("", account)):
            self._wrong.setdefault(key, []).append(now)

    def right(self, address: str, account: str) -> None:
        """One was right: that account's owner is at that address."""
        self._wrong.pop((address, account), None)
        for key in ((address,), ("", account)):
            if self._wrong.get(key):
                del self._wrong[key][-1]

    def _over(self, key: tuple[str, ...], most: int) -> int:
        tried = self._wrong.get(key)
        if not tried or len(tried) < most:
            return 0
        now = trio.current_time()
        tried[:] = [when for when in tried if now - when < WINDOW_SECONDS]
        return 0 if len(tried) < most else int(tried[-most] + WINDOW_SECONDS - now) + 1

    def _forget(self, now: float) -> None:
        lately = {key: tried[-1] for key, tried in self._wrong.items() if tried}
        kept = [key for key, when in lately.items() if now - when < WINDOW_SECONDS]
        kept.sort(key=lambda key: lately[key])
        self._wrong = {key: self._wrong[key] for key in kept[-KEYS_MAX // 2 :]}


@define(eq=False)
class Passwords:
    """What checks passwords for a process of the server. `hashes` counts how often it computed a
    hash."""

    world: Blocking
    tries: Tries = field(factory=Tries)
    hashes: int = 0
    _limiter: trio.CapacityLimiter = field(factory=lambda: trio.CapacityLimiter(AT_A_TIME))
    _waiting: int = 0
    _debt: float = 0.0
    _at: float = 0.0

    async def check(self, address: str, account: str, kept: str, password: str) -> bool:
        """Whether it is the account's password; `account` is its id, or what was typed for a
        handle that nobody has. Raises Refused."""
        wait = self.tries.wait(address, account)
        if wait:
            raise Refused(wait)
        # It counts as wrong before it is known, so that many tries at one time are not one.
        self.tries.wrong(address, account)
        right: bool = await self._hash(partial(fits, kept, password))
        if right:
            self.tries.right(address, account)
        return right

    async def hashed(self, password: str) -> str:
        """What is kept of a new password. Raises Refused."""
        made: str = await self._hash(partial(hashed, password))
        return made

    async def _hash(self, call: Callable[[], Any]) -> Any:
        now = trio.current_time()
        self._debt = max(0.0, self._debt - (now - self._at) * WORK_SHARE)
        self._at = now
        over = self._debt + WORK_SECONDS - WORK_BURST
        if over > 0:
            raise Refused(int(over / WORK_SHARE) + 1)
        if self._waiting >= WAITING_MAX:
            raise Refused(int(WAITING_MAX * WORK_SECONDS) + 1)
        self._debt += WORK_SECONDS
        self._waiting += 1
        try:
            async with self._limiter:
                self.hashes += 1
                return await self.world.blocking(call)
        finally:
            self._waiting -= 1
