"""Passwords: argon2id, and how many may be tried.

Rules of this file:
- A password is checked in a thread, two at a time. The event loop never computes a hash.
- What a wrong handle and a wrong password cost and answer is the same.
- A device that is signed in to the account has a budget of its own. So has an address from which
  somebody has signed in. Keys and links are proofs, and are not counted. Only everybody else
  shares a count for the account. So a stranger who guesses keeps out nobody but strangers.
- Hashes are computed in turn over those who ask, and no faster than the server can spare.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, Protocol, TypeVar

import argon2
import trio
from attrs import define, field

from warledger.engine.desk.budgets import Asker, Budget, Budgets, Busy, Line, Turns

T = TypeVar("T")

CHARS_MIN: Final = 10
_HASHER: Final = argon2.PasswordHasher(
    time_cost=2, memory_cost=19 * 1024, parallelism=1, hash_len=32, salt_len=16
)
"""19 MiB and two passes, about 30 milliseconds: what OWASP recommends for argon2id."""
_NOBODYS: Final = (
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)
"""A hash that fits no password, for handles that nobody has."""

OF_ACCOUNT: Final = Budget(100, 60.0)
"""Tries of everybody else at an account: then one a minute, addresses taking turns."""
OF_PAIR: Final = Budget(5, 180.0)
"""Tries of an address at an account that it has never signed in to."""
OF_ADDRESS: Final = Budget(30, 30.0)
OF_KNOWN: Final = Budget(30, 60.0)
"""Tries of a device or an address that has signed in to the account."""
SIGN_UPS: Final = Budget(30, 30.0)
"""Accounts that an address may make, where anybody may."""
WORK_SECONDS: Final = 0.05
"""What one check is reckoned to cost."""
WORK_SHARE: Final = 0.1
"""Seconds of hashing in a second, in the long run, for those who are known and for others: two
tries each."""
WORK_BURST: Final = 2.0
"""Seconds of hashing at once, for each of both."""


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
class _Hasher:
    """Computes hashes one after the other, for askers in turn, no faster than its share."""

    world: Blocking
    _turns: Turns = field(factory=lambda: Turns(1))
    _debt: float = 0.0
    _at: float = 0.0

    async def make(self, asker: Asker, call: Callable[[], T]) -> T:
        """What a call makes. Raises Refused where this asker waits for one already."""
        try:
            async with self._turns.turn(asker):
                now = trio.current_time()
                self._debt = max(0.0, self._debt - (now - self._at) * WORK_SHARE) + WORK_SECONDS
                self._at = now
                if self._debt > WORK_BURST:
                    await trio.sleep((self._debt - WORK_BURST) / WORK_SHARE)
                return await self.world.blocking(call)
        except Busy:
            raise Refused(BUSY_SECONDS) from None


BUSY_SECONDS: Final = 10


@define(eq=False)
class Passwords:
    """What checks passwords for a process of the server. `hashes` counts how often it computed a
    hash. `sign_ups` are the accounts that addresses make."""

    world: Blocking
    hashes: int = 0
    sign_ups: Budgets = field(factory=lambda: Budgets(SIGN_UPS))
    _pairs: Budgets = field(factory=lambda: Budgets(OF_PAIR))
    _addresses: Budgets = field(factory=lambda: Budgets(OF_ADDRESS))
    _known: Budgets = field(factory=lambda: Budgets(OF_KNOWN))
    _lines: dict[str, Line] = field(factory=dict)
    _for_known: _Hasher = field(init=False)
    _for_others: _Hasher = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._for_known, self._for_others = _Hasher(self.world), _Hasher(self.world)

    def take_known(self, who: str) -> None:
        """A device or an address tries that has signed in to the account. Raises Refused."""
        _must(self._known.take(who))

    def take_other(self, asker: Asker, account: str) -> None:
        """Somebody else tries; `account` is what they typed for it. Raises Refused."""
        _must(max(self._pairs.wait(f"{asker.who} {account}"), self._addresses.wait(asker.who)))
        self._pairs.take(f"{asker.who} {account}")
        self._addresses.take(asker.who)

    def line_of(self, account: str) -> Line | None:
        """Those who wait for a turn at an account; None where nobody had to."""
        return self._lines.get(account)

    def join_line(self, account: str, asker: Asker) -> None:
        """Everybody else has used up the tries of the account, and this one waits. The line that
        nobody has joined for longest goes where there are too many."""
        line = self._lines.pop(account, None) or Line()
        self._lines[account] = line
        line.join(asker)
        if len(self._lines) > LINES_MAX:
            del self._lines[next(iter(self._lines))]

    def give_back_known(self, who: str) -> None:
        """What a device or an address tried last was the password: it does not count."""
        self._known.give_back(who)

    def give_back_other(self, asker: Asker, account: str) -> None:
        """What somebody else tried last was the password, or was not looked at."""
        self._pairs.give_back(f"{asker.who} {account}")
        self._addresses.give_back(asker.who)

    async def check(self, asker: Asker, kept: str, password: str, *, is_known: bool) -> bool:
        """Whether it is the password of which this is kept. Raises Refused."""
        hasher = self._for_known if is_known else self._for_others
        return await self._hash(hasher, asker, partial(fits, kept, password))

    async def hashed(self, asker: Asker, password: str, *, is_known: bool = False) -> str:
        """What is kept of a new password. Raises Refused."""
        hasher = self._for_known if is_known else self._for_others
        return await self._hash(hasher, asker, partial(hashed, password))

    async def _hash(self, hasher: _Hasher, asker: Asker, call: Callable[[], T]) -> T:
        def made() -> T:
            self.hashes += 1
            return call()

        return await hasher.make(asker, made)


LINES_MAX: Final = 1000


def _must(wait: int) -> None:
    if wait:
        raise Refused(wait)
